"""Attribution: the node that a streamed text belongs to, where its message names none, found by the steps around it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pyoxigraph import NamedNode

from explorer.events import Explain, Text
from explorer.vocab import PROV, RDF, TG, Recognised, iri, recognise

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
