"""A step of a run as lines of text, under the tags that TrustGraph's command line uses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from explorer import entities as e
from explorer import rdf
from explorer.dag.nodes import kind_of
from explorer.events import Explain, Passage
from explorer.rdf.labels import edge_labels
from explorer.text import one_line, seconds

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
        lines = (*_search(entity, event, described), *_agent(entity), *_reported(entity), *_outcome(entity))
        yield from (f"    {line}" for line in lines)


def _tag(entity: e.Entity) -> str:
    kind = kind_of(entity)
    tag = _TAGS.get(kind, kind.lower())
    return f"{tag}: {one_line(entity.action)}" if isinstance(entity, e.Analysis) and entity.action else tag


def _search(entity: e.Entity, event: Explain, described: list[e.Entity]) -> Iterator[str]:
    match entity:
        case e.Question():
            yield f"Query: {one_line(entity.query)}"
            yield f"Time: {entity.started_at}"
        case e.Grounding():
            yield from _list("Concepts", entity.ordered or entity.concepts)
        case e.Exploration() if entity.edge_count is None and entity.chunk_count is not None:
            yield f"Chunks retrieved: {entity.chunk_count}"
            yield from (f"  - {one_line(found[0].place)}" for found in event.passages.values() if found)
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
            yield f"Pattern: {one_line(entity.pattern or '-')}  Task: {one_line(entity.task_type or '-')}"
        case e.Analysis():
            yield from [] if entity.step_number is None else [f"Step: {entity.step_number}"]
            yield from _list("Candidates", entity.tool_candidates) if entity.tool_candidates else ()
            yield f"Arguments: {one_line(entity.arguments)}" if entity.arguments else "No arguments recorded"
            yield from _time("Model took", entity.llm_duration_ms)
        case e.Decomposition():
            yield from _numbered("Thread", entity.ordered or entity.goals)
        case e.Plan():
            yield from _numbered("Step", entity.ordered or entity.steps)
        case e.Finding() | e.StepResult() if entity.goal:
            yield f"Goal: {one_line(entity.goal)}"
        case e.Observation():
            yield from _time("Tool took", entity.tool_duration_ms)


def _reported(entity: e.Entity) -> Iterator[str]:
    """Tell what was called, and what the tool said of how it came to its result."""
    if isinstance(entity, e.StepResult):
        yield from _known("Tool", entity.tool)
        yield from _known("Arguments", entity.arguments)
    if isinstance(entity, e.Reported):
        yield from _known("Detail", entity.detail_level)
        yield from _list("Consulted", entity.consulted) if entity.consulted else ()
        yield from _known("Transformation", entity.transformation)
        yield from _known("Confidence", None if entity.confidence is None else f"{entity.confidence:.4f}")
        yield from _known("Never came back", entity.leaked)


def _outcome(entity: e.Entity) -> Iterator[str]:
    if isinstance(entity, e.Answer | e.Reflection) and entity.document:
        yield f"Document: {entity.document}"
    if isinstance(entity, e.Step) and entity.rule:
        yield f"Rule: {one_line(entity.rule)}"
    if isinstance(entity, e.Failure):
        yield f"Error: {one_line(entity.error or 'no reason recorded')}"
    if isinstance(entity, e.Answer | e.Failure):
        yield from _known("Ended", entity.termination_reason)
    if isinstance(entity, e.Observation | e.Finding | e.StepResult) and entity.error is not None:
        yield f"Error: {one_line(entity.error)}"
    yield from _time("Took", entity.duration_ms if isinstance(entity, e.Step) else None)


def _known(head: str, said: str | None) -> Iterator[str]:
    if said:
        yield f"{head}: {one_line(said)}"


def _time(head: str, spent_ms: int | None) -> Iterator[str]:
    if spent_ms is not None:
        yield f"{head}: {seconds(spent_ms / 1000)}"


def _list(head: str, items: Iterable[str]) -> Iterator[str]:
    known = list(items)
    yield f"{head}: {len(known)}"
    yield from (f"  - {one_line(item)}" for item in known)


def _numbered(noun: str, items: Iterable[str]) -> Iterator[str]:
    yield from (f"{noun} {number}: {one_line(item)}" for number, item in enumerate(items))


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
    yield from (f"  Source: {one_line(passage.place)}" for passage in found)
    if not found:
        yield "  Source: no recorded source"


def _edge(selection: e.EdgeSelection, labels: Mapping[str, str]) -> Iterator[str]:
    if selection.edge is not None:
        yield f"Edge: ({', '.join(one_line(label) for label in edge_labels(selection.edge, labels))})"
    if selection.score is not None:
        yield f"  Concept: {one_line(selection.concept or '-')}  Score: {selection.score:.4f}"
    if selection.reasoning:
        yield f"  Reason: {one_line(selection.reasoning)}"
