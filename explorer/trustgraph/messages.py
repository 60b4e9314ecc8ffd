"""Recorded messages of TrustGraph's graph-rag, document-rag and agent as our events.

Messages are decoded JSON, of one request, in the order they came. No network, and no store but the one asked through
`lookup`. Older names, keys and forms of triples are read too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from itertools import islice

from pyoxigraph import Literal, NamedNode, Quad

from explorer.errors import RecordError
from explorer.events import Done, Event, Explain, Passage, Text, Usage
from explorer.trustgraph import first_draft
from explorer.trustgraph.envelopes import ServiceMessage, read
from explorer.trustgraph.terms import from_wire, term_from_wire
from explorer.vocab import PROV, RDF, RETRIEVAL, TG, Recognised, X, iri, recognise

_GRAPH_RAG = ("question", "grounding", "exploration", "focus", "synthesis")
_DOCUMENT_RAG = tuple(f"docrag-{stage}" for stage in _GRAPH_RAG)
_ANSWERS = dict.fromkeys(_GRAPH_RAG, "synthesis") | dict.fromkeys(_DOCUMENT_RAG, "docrag-synthesis")
_AGENT = (
    "agent-question", "pattern-decision", "analysis", "thought", "observation", "conclusion", "decomposition",
    "finding", "plan", "step-result", "agent-synthesis",
)  # fmt: skip
_OWN = {  # which texts may be a node's own
    "thought": ("thought", "plan", "decomposition", "conclusion", "agent-synthesis"),
    "observation": ("observation", "step-result", "finding"),
    "answer": ("conclusion", "agent-synthesis", "synthesis", "docrag-synthesis"),
}
Lookup = Callable[[str], Iterable[Quad]]
_PARTS = (TG.selectedEdge, TG.selectedChunk, TG.thought, X.candidate)  # in the same step as what they are part of


class Attribution:
    """Follows one request's steps and texts; holds a text back until its node is known, never out of order."""

    def __init__(self) -> None:
        self._held: list[tuple[str, str]] = []
        self._answer = ""  # the node that answers a graph-rag or document-rag question
        self._agent = ""  # the session of an agent

    def on_step(self, step: Explain) -> Iterator[Text]:
        """Yield the texts whose node is known by this step."""
        named = recognise(step.iri)
        if named is not None and named.kind in _AGENT:
            self._agent = self._agent or named.key
        elif not self._agent:
            self._answer = self._answer_of(step, named) or self._answer
        if self._held:
            yield from self._release(step.iri)

    def on_texts(self, about: str | None, texts: Iterable[tuple[str, str]]) -> Iterator[Text]:
        """Yield the texts of a message, (kind, text) each, of the node `about` when it names one."""
        for kind, delta in texts:
            if about is None and kind == "answer" and self._answer and not self._agent:
                yield Text(self._answer, kind, delta)
            elif about is None:
                self._held.append((kind, delta))
            else:
                yield from self._release(about)
                yield from self.rest()
                yield Text(about, kind, delta)

    def rest(self) -> Iterator[Text]:
        """Yield what is still held, as texts of the session itself."""
        for kind, delta in self._held:
            session = iri("conclusion" if kind == "answer" else "agent-question", self._agent) if self._agent else ""
            yield Text(session or self._answer, kind, delta)
        self._held = []

    def _answer_of(self, step: Explain, named: Recognised | None) -> str:
        """Return the node of the answer, known from any step before it; a question of its own starts anew."""
        node = NamedNode(step.iri)
        kind = _ANSWERS.get(named.kind) if named else None
        typed = any(q.subject == node and q.predicate == RDF.type and q.object == TG.Answer for q in step.triples)
        if typed or (named is not None and named.kind == kind):
            return step.iri
        if named is None or kind is None or iri(named.kind, named.key) != step.iri:
            return ""  # an older spelling: its answer has one of its own
        inner = any(quad.subject == node and quad.predicate == PROV.wasDerivedFrom for quad in step.triples)
        return "" if self._answer and inner else iri(kind, named.key)

    def _release(self, node: str) -> Iterator[Text]:
        named = recognise(node)
        while self._held:
            kind, delta = self._held[0]
            home = self._home(kind, node, named)
            if not home:
                return
            yield Text(home, kind, delta)
            del self._held[0]

    def _home(self, kind: str, node: str, named: Recognised | None) -> str:
        """Return the node of a held text when `node` is the next one named; "" while it is not known."""
        if kind == "answer" and node == self._answer:
            return node
        if named is None or (self._agent and named.kind in _ANSWERS):
            return ""
        if kind != "answer" and named.kind in ("analysis", "observation"):
            return iri(kind, named.key, named.index)
        return node if named.kind in _OWN[kind] else ""


@dataclass(frozen=True, slots=True)
class RefusedPart:
    """What of a message could not be read: the message's number and that of a triple in it (from 1), and why."""

    message: int
    reason: str
    triple: int | None = None

    def __str__(self) -> str:
        place = "" if self.triple is None else f", triple {self.triple}"
        return f"Message {self.message}{place}: {self.reason}"


def events(
    messages: Iterable[Mapping[str, object]], lookup: Lookup | None = None, refused: list[RefusedPart] | None = None
) -> Iterator[Event]:
    """Yield the events of one request's messages, with exactly one Done at the end, also where they break off.

    A step that is only referred to is looked up with `lookup(iri) -> quads`, and else has no triples. A malformed
    triple raises RecordError with its place, or is added to `refused`, when given, and left out. Messages of unknown
    kinds yield nothing. Reading goes on after the final message, so that a step that came late is not lost.
    """
    return _MessageReader(lookup, refused).events(messages)


class _MessageReader:
    def __init__(self, lookup: Lookup | None, refused: list[RefusedPart] | None) -> None:
        self.lookup = lookup
        self.refused = refused
        self.attribution = Attribution()
        self.reason = "done"

    def events(self, messages: Iterable[Mapping[str, object]]) -> Iterator[Event]:
        usage, sources = Usage(), tuple[Passage, ...]()
        error: str | None = None
        final = False
        for number, envelope in enumerate(messages, 1):
            try:
                message = read(envelope)
            except RecordError as unreadable:
                self._refuse(number, unreadable)
                continue
            for step in self._steps(message, number):
                yield from self.attribution.on_step(step)
                yield step
            yield from self.attribution.on_texts(message.about, message.texts)
            reported = {name: value for name, value in asdict(message.usage).items() if value is not None}
            usage = replace(usage, **reported)
            sources = message.sources or sources
            error = error or message.error
            final = final or message.final
        yield from self.attribution.rest()
        if error is None and not final:
            error = "The stream ended before its final message; ask again, or read the trace from the store."
        yield Done("error" if error is not None else self.reason, usage, sources, error)

    def _refuse(self, message: int, reason: object, triple: int | None = None) -> None:
        refused = RefusedPart(message, str(reason), triple)
        if self.refused is None:
            raise RecordError(str(refused))
        self.refused.append(refused)

    def _steps(self, message: ServiceMessage, number: int) -> Iterator[Explain]:
        quads = tuple(self._triples(message, number))
        described = dict.fromkeys(quad.subject.value for quad in quads if isinstance(quad.subject, NamedNode))
        named = tuple(self._iris(message.nodes, number)) or tuple(islice(described, 1))
        if quads and not named:
            self._refuse(number, "its triples describe no node that has an IRI.")
        for place, node in enumerate(named):
            if place == 0 or node not in described:
                yield self._ended(Explain(node, (quads if place == 0 else ()) or self._looked_up(node)))
        for draft in message.drafts:
            try:
                yield Explain(str(draft["id"]), tuple(first_draft.quads(draft)))
            except RecordError as error:
                self._refuse(number, error)

    def _iris(self, names: Iterable[str], number: int) -> Iterator[str]:
        for name in names:
            try:
                term_from_wire({"t": "i", "i": name})
            except RecordError as error:
                self._refuse(number, error)
            else:
                yield name

    def _triples(self, message: ServiceMessage, number: int) -> Iterator[Quad]:
        if not message.triples:
            return
        graph = next((NamedNode(name) for name in self._iris((message.graph,), number)), RETRIEVAL)
        for place, triple in enumerate(message.triples, 1):
            try:
                yield from_wire(triple, graph)
            except RecordError as error:
                self._refuse(number, error, place)

    def _looked_up(self, node: str) -> tuple[Quad, ...]:
        """Return a node's quads in the store, with those of its parts; a chunk is no part, and in another graph."""
        if self.lookup is None:
            return ()
        found: dict[Quad, None] = {}
        for quad in self.lookup(node):
            found[quad] = None
            if quad.predicate in _PARTS and isinstance(quad.object, NamedNode):
                parts = self.lookup(quad.object.value)
                found |= dict.fromkeys(part for part in parts if part.graph_name == quad.graph_name)
        return tuple(found)

    def _ended(self, step: Explain) -> Explain:
        """Note how a run ended by its own record; the last that has it is the outermost."""
        for quad in step.triples:
            if quad.predicate in (TG.terminationReason, X.reason) and isinstance(quad.object, Literal):
                self.reason = "declined" if quad.object.value == "declined" else "done"
        return step
