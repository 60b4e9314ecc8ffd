"""A step of a run as lines of text, under the tags that TrustGraph's command line uses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from explorer import entities as e
from explorer import rdf
from explorer.captions import edge_labels
from explorer.events import Explain, Passage
from explorer.nodes import kind_of
from explorer.picture import folded

_TAGS = {"Question": "question", "Decomposition": "decompose", "StepResult": "step-result",
         "PatternDecision": "pattern"}  # fmt: skip
_TOLD_WITHIN = (e.EdgeSelection, e.ChunkSelection, e.Candidate, e.Citation, e.End)


def stage(event: Explain) -> Iterator[str]:
    """Tell one step of a run: its tag and IRI, then what it holds."""
    described = rdf.entities(event.triples)
    for entity in described:
        if isinstance(entity, _TOLD_WITHIN):
            continue
        yield f"[{_tag(entity)}] {entity.iri}"
        lines = (*_search(entity, event, described), *_agent(entity), *_outcome(entity))
        yield from (f"    {line}" for line in lines)


def _tag(entity: e.Entity) -> str:
    kind = kind_of(entity)
    tag = _TAGS.get(kind, kind.lower())
    return f"{tag}: {folded(entity.action)}" if isinstance(entity, e.Analysis) and entity.action else tag


def _search(entity: e.Entity, event: Explain, described: list[e.Entity]) -> Iterator[str]:
    match entity:
        case e.Question():
            yield f"Query: {folded(entity.query)}"
            yield f"Time: {entity.started_at}"
        case e.Grounding():
            yield from _list("Concepts", entity.ordered or entity.concepts)
        case e.Exploration() if entity.edge_count is None and entity.chunk_count is not None:
            yield f"Chunks retrieved: {entity.chunk_count}"
            yield from (f"  - {folded(found[0].place)}" for found in event.passages.values() if found)
        case e.Exploration():
            yield f"Edges explored: {entity.edge_count}"
            yield from _list("Seed entities", [event.labels.get(seed, seed) for seed in entity.entities])
        case e.Focus() if entity.selected_chunks:
            yield f"Selected {len(entity.selected_chunks)} chunk(s)"
            yield from _selections(event, [item for item in described if isinstance(item, e.ChunkSelection)])
        case e.Focus():
            yield f"Selected {len(entity.selected_edges)} edge(s)"
            yield from _selections(event, [item for item in described if isinstance(item, e.EdgeSelection)])


def _agent(entity: e.Entity) -> Iterator[str]:
    match entity:
        case e.PatternDecision():
            yield f"Pattern: {folded(entity.pattern or '-')}  Task: {folded(entity.task_type or '-')}"
        case e.Analysis():
            yield f"Arguments: {folded(entity.arguments)}" if entity.arguments else "No arguments recorded"
        case e.Decomposition():
            yield from _numbered("Thread", entity.ordered or entity.goals)
        case e.Plan():
            yield from _numbered("Step", entity.ordered or entity.steps)
        case e.Finding() | e.StepResult() if entity.goal:
            yield f"Goal: {folded(entity.goal)}"


def _outcome(entity: e.Entity) -> Iterator[str]:
    if isinstance(entity, e.Answer | e.Reflection) and entity.document:
        yield f"Document: {entity.document}"
    if isinstance(entity, e.Step) and entity.rule:
        yield f"Rule: {folded(entity.rule)}"
    if isinstance(entity, e.Answer) and entity.termination_reason:
        yield f"Ended: {folded(entity.termination_reason)}"
    if isinstance(entity, e.Failure):
        yield f"Error: {folded(entity.error or 'no reason recorded')}"
    if isinstance(entity, e.Observation | e.Finding | e.StepResult) and entity.error is not None:
        yield f"Error: {folded(entity.error)}"


def _list(head: str, items: Iterable[str]) -> Iterator[str]:
    known = list(items)
    yield f"{head}: {len(known)}"
    yield from (f"  - {folded(item)}" for item in known)


def _numbered(noun: str, items: Iterable[str]) -> Iterator[str]:
    yield from (f"{noun} {number}: {folded(item)}" for number, item in enumerate(items))


def _selections(event: Explain, chosen: Iterable[e.EdgeSelection | e.ChunkSelection]) -> Iterator[str]:
    for selection in chosen:
        lines = selection_lines(selection, event.labels, event.passages)
        yield from (f"  {line}" for line in lines)


def selection_lines(
    selection: e.EdgeSelection | e.ChunkSelection,
    labels: Mapping[str, str],
    passages: Mapping[str, tuple[Passage, ...]],
) -> Iterator[str]:
    """Tell what was selected: the fact or chunk, concept and score, reason, and each source."""
    found = passages.get(selection.iri, ())
    if isinstance(selection, e.ChunkSelection):
        yield f"Chunk: {selection.document or 'none recorded'}"
        yield from [] if selection.score is None else [f"  Score: {selection.score:.4f}"]
    else:
        yield from _edge(selection, labels)
    yield from (f"  Source: {folded(passage.place)}" for passage in found)
    if not found:
        yield "  Source: no recorded source"


def _edge(selection: e.EdgeSelection, labels: Mapping[str, str]) -> Iterator[str]:
    if selection.edge is not None:
        yield f"Edge: ({', '.join(folded(label) for label in edge_labels(selection.edge, labels))})"
    if selection.score is not None:
        yield f"  Concept: {folded(selection.concept or '-')}  Score: {selection.score:.4f}"
    if selection.reasoning:
        yield f"  Reason: {folded(selection.reasoning)}"
