"""A step, a run and a node of the record as lines of text, under the tags that TrustGraph's command line uses.

What comes from documents and models is shown as text: control characters are dropped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from explorer import entities as e
from explorer.cli.common import command, runnable
from explorer.dag import ProvenanceDag
from explorer.dag.nodes import kind_of
from explorer.dag.passage_names import named_from, resources_of
from explorer.dag.sentences import quotations, sentences
from explorer.entities import Kind, columns
from explorer.events import CHANGED, NO_ADDRESS, Explain, Passage
from explorer.rdf.labels import edge_labels, term_label
from explorer.record.ledger import Ledger
from explorer.record.node_lookup import Described
from explorer.record.person import askers, role_of
from explorer.record.trace import Trace
from explorer.record.verdicts import verdicts
from explorer.stores.passage_order import is_same_source
from explorer.text import one_line, opening, strip_controls
from explorer.wording.graph_words import printed
from explorer.wording.kinds import kind as kind_named
from explorer.wording.node_words import counted, known, shown, values
from explorer.wording.outcomes import line
from explorer.wording.outcomes import mark as mark_of
from explorer.wording.retrieved import became, how_known
from explorer.wording.scores import summed
from explorer.wording.spent import lasted, tokens
from explorer.wording.tally import tally

if TYPE_CHECKING:
    from explorer.workspace import Workspace

_TAGS = {"Question": "question", "Decomposition": "decompose", "StepResult": "step-result",
         "PatternDecision": "pattern"}  # fmt: skip
_PARTS = (
    e.EdgeSelection, e.ChunkSelection, e.Candidate, e.Citation, e.End,
    e.RunActivity, e.RunAgent, e.Person, e.StoredContent,
)  # fmt: skip  # shown within the step they belong to, or not at all
_NEAREST = 5  # sources of a run that cites none
_LONGEST_QUOTED = 1_500  # characters of what is quoted of it
_LONGEST_CHUNK = 300  # characters of a whole chunk in a list of sources; a sentence is shown whole


def step_lines(event: Explain) -> Iterator[str]:
    """Yield one step of a run: its tag and IRI, then what it holds."""
    described = event.entities
    for entity in described:
        if isinstance(entity, _PARTS):
            continue
        kind = kind_of(entity)
        action = f": {one_line(entity.action)}" if isinstance(entity, e.Analysis) and entity.action else ""
        yield f"[{_TAGS.get(kind, kind.lower())}{action}] {entity.iri}"
        chosen = described if isinstance(entity, e.Focus) else ()
        kept = (one for one in chosen if isinstance(one, e.ChunkSelection | e.EdgeSelection))
        lines = (*printed(kind, entity, event), *(f"  {line}" for one in kept for line in selection_lines(one, event)))
        yield from (f"    {line}" for line in (*lines, *_outcome(entity)))
    yield from (f"    {CHANGED}: {content}" for content in sorted(event.changed))


def _outcome(entity: e.Entity) -> Iterator[str]:
    """Yield what was called, what the tool reported of how it came to its result, and how the step ended."""
    if isinstance(entity, e.StepResult):
        yield from known("Tool", entity.tool)
        yield from known("Arguments", entity.arguments)
    if isinstance(entity, e.Reported):
        yield from known("Detail", entity.detail_level)
        yield from counted("Consulted", entity.consulted) if entity.consulted else ()
        yield from known("Transformation", entity.transformation)
        yield from known("Confidence", None if entity.confidence is None else f"{entity.confidence:.4f}")
        yield from known("Never came back", entity.leaked)
    if isinstance(entity, e.Answer | e.Reflection) and entity.document:
        yield f"Document: {entity.document}"
    if isinstance(entity, e.Step) and entity.rule:
        yield f"Rule: {one_line(entity.rule)}"
    if isinstance(entity, e.Failure):
        yield f"Error: {one_line(entity.error or 'no reason recorded')}"
    if isinstance(entity, e.Answer | e.Failure):
        yield from known("Ended", entity.termination_reason)
    if isinstance(entity, e.Observation | e.Finding | e.StepResult) and entity.error is not None:
        yield f"Error: {one_line(entity.error)}"
    yield from known("Took", lasted(entity.duration_ms) if isinstance(entity, e.Step) else "")


def selection_lines(selection: e.EdgeSelection | e.ChunkSelection, event: Explain) -> Iterator[str]:
    """Yield what was selected: the fact or chunk, concept and score, reason, each source, and what was done by hand."""
    found, curated = event.passages.get(selection.iri, ()), event.curated.get(selection.iri)
    score = None if selection.score is None else f"Score: {one_line(summed(selection))}"
    if isinstance(selection, e.ChunkSelection):
        yield f"Passage: {selection.document or 'none recorded'}"
        yield from [f"  {score}"] if score else []
        yield from [f"  Reason: {one_line(selection.reasoning)}"] if selection.reasoning else []
    else:
        if selection.edge is not None:
            yield f"Fact: ({', '.join(one_line(label) for label in edge_labels(selection.edge, event.labels))})"
        if score:
            yield f"  Key idea: {one_line(selection.concept or '-')}  {score}"
        if selection.reasoning:
            yield f"  Reason: {one_line(selection.reasoning)}"
    if selection.scored_by:
        yield f"  Scored by: {one_line(selection.scored_by)}"
    yield from dict.fromkeys(f"  Source: {one_line(passage.place)}" for passage in found)
    if not found:
        yield "  Source: no recorded source"
    else:
        yield from (f"  {line}" for line in resource_lines(found))
        yield f"  Its words: {command(f'explorer show {selection.iri}')}"
    if curated:
        yield f"  By hand: {one_line(curated)}"


def resource_lines(passages: Iterable[Passage], dag: ProvenanceDag | None = None) -> Iterator[str]:
    """Yield the whole IRIs of what the statements of attached stores are about; of one without what it belongs to.

    Those come first that the words name which answers of a run quote.
    """
    for one in dict.fromkeys(resource for passage in passages for resource in resources_of(passage, dag)):
        if not one.is_holder:
            yield f"Resource: {one.iri}"
            continue
        yield f"Resource: {NO_ADDRESS}"
        yield from [f"It belongs to: {one.iri}"] if one.iri else []


def answer_lines(trace: Trace) -> Iterator[str]:
    """Yield the answer with the numbers of its sources behind each cited sentence, its support, then those sources.

    Of an answer that cites none the nearest passages are listed.
    """
    sources = trace.sources()
    numbers = {
        selection: [next((n for n, source in enumerate(sources, 1) if is_same_source(source, passage)), 0)
                    for passage in passages]
        for selection, passages in trace.passages.items()
    }  # fmt: skip
    text, shift, last = trace.answer, 0, 0
    for citation in sorted(trace.citations, key=lambda c: c.end or 0):
        cited = sorted({n for selection in citation.cites for n in numbers.get(selection, [])})
        rests = mark_of(trace.dag, citation)
        mark = "".join(f" [{n}]" for n in cited) + (f" ({rests[1]})" if rests else "")
        at = (citation.end or 0) + shift
        text, shift, last = text[:at] + mark + text[at:], shift + len(mark), max([last, *cited])
    yield strip_controls(text)
    if trace.dag.final is not None and trace.dag.is_changed(trace.dag.final.iri):
        yield runnable(f"(This answer was {CHANGED}: `explorer verify` tells more.)")
    if said := line(trace.dag):
        yield f"({said})"
    if trace.citations and not any(citation.cites for citation in trace.citations):
        yield "No sentence of this answer names a source."
    if not sources:
        return
    shown = min(len(sources), last or _NEAREST)
    yield ""
    yield "Nearest, though they don't answer it:" if trace.reason == "declined" else "Sources:"
    for n, passage in enumerate(sources[:shown], 1):
        yield f"  [{n}] {one_line(passage.reference)}: “{one_line(_words(trace, passage))}”"
        yield from (f"      {line}" for line in resource_lines([passage], trace.dag))
    yield f"  {tally(trace.dag)}: {command(f'explorer show {trace.iri}')}"
    yield from _retrieved_lines(trace)


def _retrieved_lines(trace: Trace) -> Iterator[str]:
    """Yield of a run of another pipeline how its sentences are known to rest on their sources, and what became of each
    passage that it retrieved.
    """
    known = [(trace.answer[one.start or 0 : one.end or 0], how_known(one)) for one in trace.citations]
    told = [f"  “{one_line(words)}”: {one_line(how)}" for words, how in known if how]
    yield from ("", "How that is known:", *told) if told else ()
    if trace.retrieved:
        yield from ("", "What became of the passages:")
        yield from (f"  {became(one)}: “{one_line(opening(one.passage.text, _LONGEST_CHUNK))}” "
                    f"{one_line(one.passage.reference)}" for one in trace.retrieved)  # fmt: skip


def sentence_lines(trace: Trace) -> Iterator[str]:
    """Yield the sentences of an answer with their numbers, by which `judge` takes them."""
    final = trace.dag.final and trace.dag.final.entity
    if found := sentences(trace.dag, final) if isinstance(final, e.Answer) else []:
        yield from ("", "Sentences, as `explorer judge … --sentence N` counts them:")
        yield from (f"  {number}. {one_line(one.text)}" for number, one in enumerate(found, 1))


def _words(trace: Trace, passage: Passage) -> str:
    """Return the words of a source: of a whole chunk what is quoted from it, else how it begins."""
    if passage.subgraph != passage.chunk:
        return passage.text
    quoted = (opening(passage.text[start:end], _LONGEST_QUOTED) for start, end in quotations(trace.dag, passage))
    return " … ".join(quoted) or opening(named_from(passage), _LONGEST_CHUNK)


def seal_lines(ledger: Ledger, run: str) -> Iterator[str]:
    """Yield how a run is sealed, here and where it came from."""
    if (entry := ledger.entry(run)) is not None:
        yield f"Seal: {entry.anchor}, {f'signed by {entry.key}' if entry.key else 'not signed'}"
    yield from (f"Sender: {one}" for one in ledger.sender_seals(run))


def people_lines(ws: Workspace, run: str) -> Iterator[str]:
    """Yield who asked a run, by which role of a database it was written, and what reviewers found."""
    yield from (f"Asked by: {one_line(name)}" for name in askers(ws.graph, run))
    if (role := role_of(ws.graph, run)) is not None:
        yield f"Database role: {one_line(role)}"
    if judged := verdicts(ws.stores, [run]):
        yield from ("", "Verdicts:", *judged.lines())


def usage_lines(trace: Trace) -> Iterator[str]:
    """Yield the totals of a run as far as they are known: tokens, calls to a model, the time it took, and the model."""
    used, took = trace.usage, lasted(trace.duration_ms)
    paused = lasted(trace.dag.done.paused_ms if trace.dag.done else None)
    yield ""
    yield "; ".join([
        f"Tokens: {tokens(used) or 'none reported'}",
        *([] if used.calls is None else [f"calls: {used.calls:,}"]),
        *([f"time: {took}"] if took else []),
        *([f"waited for its reader: {paused}"] if paused else []),
        f"model: {one_line(used.model) if used.model else 'none'}",
    ])  # fmt: skip
    if (cost := trace.cost) is not None:
        stages = ", ".join(f"{kind_named(kind).word.lower()} {money}" for kind, money in trace.costs.items())
        yield f"Cost: {one_line(str(cost))}{f' ({one_line(stages)})' if stages else ''}"


def node_lines(node: Described, labels: Mapping[str, str]) -> Iterator[str]:
    """Yield a node of the record: its class, each of its values, what it derives from and what derives from it."""
    entity = node.entity
    yield f"{type(entity).__name__} {entity.iri}"
    links = ("entity", "document", "source")
    told = (
        column
        for column in columns(type(entity))
        if column.kind is not Kind.IRI or column.predicate.value.endswith(links)
    )
    yield from (f"    {line}" for line in values(entity, told, labels))
    yield from (
        f"    {one_line(term_label(triple.predicate, labels))}: {shown(triple.object, labels)}"
        for triple in entity.other
    )
    yield from (f"  from {iri}" for iri in node.parents)
    yield from (f"  to   {iri}" for iri in node.children)
