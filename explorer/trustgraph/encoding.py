"""Our events as the messages that TrustGraph 2.11.1 streams."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from itertools import chain, pairwise

from pyoxigraph import DefaultGraph, NamedNode, Quad

from explorer import entities as e
from explorer import rdf
from explorer.entities import CLASSES
from explorer.errors import RecordError
from explorer.events import Done, Event, Explain, Passage, Progress, Text, Usage
from explorer.trustgraph.envelopes import SERVICES
from explorer.trustgraph.terms import to_wire
from explorer.vocab import PROV, RETRIEVAL, TG, X, iri, recognise

Fields = dict[str, object]
_TYPED_ERROR = re.compile(r"([a-z]+(?:-[a-z]+)*-error): (.+)", re.DOTALL)
_SESSIONS = ("question", "docrag-question", "agent-question", "pattern-decision")


def messages(
    events: Iterable[Event], service: str, compat: str | None = None, request: str | None = None
) -> Iterator[Fields]:
    """Yield a run's events as the streamed messages of `service`, each in its envelope with the id `request`.

    `compat="trustgraph"` leaves out what TrustGraph would not send: the extension vocabulary, texts of inner runs,
    and of a source everything but its document. Raises RecordError for another service or compat, at once.
    """
    if service not in SERVICES:
        raise RecordError(f"There is no service {service!r}; choose one of {', '.join(SERVICES)}.")
    if compat not in (None, "trustgraph"):
        raise RecordError(f"compat must be None or 'trustgraph', not {compat!r}.")
    writing = _AgentEncoder if service == "agent" else _Encoder
    return writing(service, request or f"req-{service}-1", plain=compat is not None).messages(events)


class _Encoder:
    """Encodes one run as graph-rag and document-rag send it."""

    def __init__(self, service: str, request: str, *, plain: bool) -> None:
        self.service = service
        self.request = request
        self.plain = plain
        self.session = ""
        self.planned = False
        self.answer: str | None = None

    def messages(self, events: Iterable[Event]) -> Iterator[Fields]:
        sent = (event for event in events if not isinstance(event, Progress))
        for event, following in pairwise(chain(sent, (None,))):
            match event:
                case Explain():
                    yield from self._explain(event)
                case Text():
                    yield from self._text(event, following)
                case Done():
                    complete, fields = self._done(event)
                    yield self._envelope(fields, complete=complete)

    def _envelope(self, fields: Fields, *, complete: bool = False) -> Fields:
        return {"id": self.request, "response": fields, "complete": complete}

    def _explain(self, step: Explain) -> Iterator[Fields]:
        named = recognise(step.iri)
        if named is not None and named.kind in _SESSIONS:
            self.session = self.session or named.key
        self.planned = self.planned or (named is not None and named.kind == "plan")
        triples = list(plain(step.triples)) if self.plain else step.triples
        if step.triples and not triples:
            return
        described: Fields = {"explain_triples": [_wire(quad) for quad in triples]} if triples else {}
        fields = {"message_type": "explain", "explain_id": step.iri, "explain_graph": RETRIEVAL.value, **described}
        yield self._envelope({**fields, **self._unfinished()})

    def _unfinished(self) -> Fields:
        empty = {"response": ""} if self.service == "graph-rag" else {}
        return {**empty, "end_of_stream": False, "end_of_session": False}

    def _text(self, piece: Text, following: Event | None) -> Iterator[Fields]:
        kind = "chunk" if piece.kind == "answer" else piece.kind
        if self.plain and kind != "chunk":
            return
        yield self._chunk(kind, piece.delta, self._named(piece))
        last = not isinstance(following, Text) and not (isinstance(following, Done) and following.error)
        if last and kind == "chunk":
            yield self._chunk(kind, "", {}, end=True)

    def _chunk(self, kind: str, text: str, named: Fields, *, end: bool = False) -> Fields:
        fields: Fields = {"message_type": kind, "response": text, "end_of_stream": end, "end_of_session": False}
        return self._envelope({**fields, **named})

    def _named(self, piece: Text) -> Fields:
        """Return the node's name where a reader would not find it by itself."""
        kind = "synthesis" if self.service == "graph-rag" else "docrag-synthesis"
        own = piece.kind == "answer" and piece.node == (iri(kind, self.session) if self.session else "")
        return {} if own or self.plain or not piece.node else {"message_id": piece.node}

    def _done(self, done: Done) -> tuple[bool, Fields]:
        if done.reason == "error":
            return self._failed(done)
        fields: Fields = {"end_of_stream": False, "end_of_session": True, **_usage(done.usage)}
        if self.service == "document-rag":
            return True, {"message_type": "end", **self._sources(done), **fields}
        return True, {"message_type": "chunk", "response": "", **self._sources(done), **fields}

    def _failed(self, done: Done) -> tuple[bool, Fields]:
        fields: Fields = {"error": _error(done.error, self.service), **self._sources(done), **_usage(done.usage)}
        if self.service == "document-rag":  # marks neither the session nor the request as complete
            return False, {"end_of_stream": True, "end_of_session": False, **fields}
        return True, {"message_type": "chunk", "response": "", "end_of_stream": True, "end_of_session": True, **fields}

    def _sources(self, done: Done) -> Fields:
        if self.plain and self.service != "graph-rag":
            return {}
        found = [_source(passage, plain=self.plain) for passage in done.sources]
        once = [item for place, item in enumerate(found) if not self.plain or item not in found[:place]]
        return {"sources": once} if once else {}


class _AgentEncoder(_Encoder):
    """Encodes one run as an agent sends it."""

    def _unfinished(self) -> Fields:
        return {"end_of_message": False, "end_of_dialog": False}

    def _text(self, piece: Text, following: Event | None) -> Iterator[Fields]:
        named = recognise(piece.node)
        if piece.kind == "answer":
            inner = named is None or named.kind not in ("conclusion", "agent-synthesis") or named.key != self.session
            if self.plain and inner:
                return
            self.answer = self.answer if inner else piece.node
        more = isinstance(following, Text) and (following.node, following.kind) == (piece.node, piece.kind)
        last = piece.kind != "answer" and not more
        fields: Fields = {"message_type": piece.kind, "content": piece.delta, "end_of_message": last}
        yield self._envelope({**fields, "end_of_dialog": False, **self._named(piece)})

    def _named(self, piece: Text) -> Fields:
        """Return the node's name, but as TrustGraph none for texts about a plan as a whole."""
        named = recognise(piece.node)
        kind = named.kind if named else ""
        whole = kind == "plan" or (kind == "agent-synthesis" and self.planned)
        return {} if not piece.node or (piece.kind == "thought" and whole) else {"message_id": piece.node}

    def _done(self, done: Done) -> tuple[bool, Fields]:
        ended: Fields = {"end_of_message": True, "end_of_dialog": True}
        if done.reason == "error":
            error = _error(done.error, self.service)
            failed = {"message_type": "error", "content": error["message"], **ended, "error": error}
            return True, {**failed, **self._sources(done), **_usage(done.usage)}
        node = self.answer or (iri("conclusion", self.session) if self.session else None)
        about = {"message_id": node} if node else {}
        return True, {"message_type": "answer", **ended, **about, **self._sources(done), **_usage(done.usage)}


def _wire(quad: Quad) -> Fields:
    wire = to_wire(quad)  # in a step, no graph means the graph of the step
    return {**wire, "g": ""} if isinstance(quad.graph_name, DefaultGraph) else wire


def _source(passage: Passage, *, plain: bool) -> Fields:
    document: Fields = {"uri": passage.document, "title": passage.title}
    said = {key: value for key, value in asdict(passage).items() if value not in (None, "", ()) and value is not False}
    rest = {} if plain else said
    more = {key: value for key, value in rest.items() if key not in ("document", "title")}
    return document if set(more) <= {"start", "end"} and not passage.end else document | more


def _usage(usage: Usage) -> Fields:
    return {key: value for key, value in asdict(usage).items() if value is not None}


def _error(text: str | None, service: str) -> Fields:
    typed = _TYPED_ERROR.fullmatch(text or "")
    if typed and typed[1] not in SERVICES.values():
        return {"type": typed[1], "message": typed[2]}
    return {"type": SERVICES[service], "message": text or ""}


def plain(quads: Iterable[Quad]) -> Iterator[Quad]:
    """Yield the triples that TrustGraph would write; what came from elsewhere is left as it came."""
    given = _of_facts(tuple(quads))
    own = [entity for entity in rdf.entities(given) if isinstance(entity, CLASSES) and not entity.original]
    written = {entity.iri: frozenset(rdf.triples(entity, compat="trustgraph")) for entity in own}
    for quad in given:
        known = written.get(quad.subject.value) if isinstance(quad.subject, NamedNode) else None
        if quad in known if known is not None else quad.predicate not in X and quad.object not in X:
            yield quad


def _of_facts(quads: tuple[Quad, ...]) -> tuple[Quad, ...]:
    """Return triples without the passages that a search of facts kept beside them, which TrustGraph does not know."""
    links = {quad for quad in quads if quad.predicate == TG.selectedChunk and _kind(quad.subject) == "focus"}
    beside = {quad.object for quad in links}
    return tuple(quad for quad in quads if quad.subject not in beside and quad.object not in beside)


def readable(quads: Iterable[Quad]) -> list[Quad]:
    """Return a run as TrustGraph would write it, with the links by which its tools (2.11.1) find each step.

    They look for an agent's first step below the Question, where its PatternDecision is in between, and for the answer
    from passages below the Exploration, where its Focus is.
    """
    own = [*plain(quads)]
    known = {entity.iri: entity for entity in rdf.entities(own)}
    skipped = (
        Quad(NamedNode(child.iri), PROV.wasDerivedFrom, NamedNode(above), RETRIEVAL)
        for child in known.values() for parent in child.above for above in _beyond(child, parent, known)
    )  # fmt: skip
    return list(dict.fromkeys((*own, *skipped)))


def _beyond(child: e.Entity, parent: str, known: Mapping[str, e.Entity]) -> Iterator[str]:
    """Yield what a reader of TrustGraph looks for above a node, where that is above its parent."""
    match known.get(parent):
        case e.PatternDecision() as decision:
            yield from decision.above
        case e.Focus() as focus if isinstance(child, e.Synthesis):
            for above in focus.above:
                stage = known.get(above)
                if isinstance(stage, e.Exploration) and stage.of_chunks:
                    yield above


def _kind(term: object) -> str:
    named = recognise(term.value) if isinstance(term, NamedNode) else None
    return named.kind if named else ""
