"""Our events as the messages that TrustGraph 2.11.1 streams, for tests of what reads these."""

import re
from dataclasses import asdict
from itertools import chain, pairwise

from pyoxigraph import DefaultGraph

from explorer.events import Done, Explain, Progress, Text
from explorer.trustgraph.encoding import plain
from explorer.trustgraph.envelopes import SERVICES
from explorer.trustgraph.terms import to_wire
from explorer.vocab import RETRIEVAL, iri, recognise

_TYPED_ERROR = re.compile(r"([a-z]+(?:-[a-z]+)*-error): (.+)", re.DOTALL)
_SESSIONS = ("question", "docrag-question", "agent-question", "pattern-decision")


def messages(events, service, compat=None, request=None):
    """The streamed messages of a service; for TrustGraph without what it would not send: our vocabulary, inner runs."""
    writing = _AgentEncoder if service == "agent" else _Encoder
    return writing(service, request or f"req-{service}-1", plain=compat is not None).messages(events)


class _Encoder:
    """Encodes one run as graph-rag and document-rag send it."""

    def __init__(self, service, request, *, plain):
        self.service = service
        self.request = request
        self.plain = plain
        self.session = ""
        self.planned = False
        self.answer = None

    def messages(self, events):
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

    def _envelope(self, fields, *, complete: bool = False):
        return {"id": self.request, "response": fields, "complete": complete}

    def _explain(self, step):
        named = recognise(step.iri)
        if named is not None and named.kind in _SESSIONS:
            self.session = self.session or named.key
        self.planned = self.planned or (named is not None and named.kind == "plan")
        triples = list(plain(step.triples)) if self.plain else step.triples
        if step.triples and not triples:
            return
        described = {"explain_triples": [_wire(quad) for quad in triples]} if triples else {}
        fields = {"message_type": "explain", "explain_id": step.iri, "explain_graph": RETRIEVAL.value, **described}
        yield self._envelope({**fields, **self._unfinished()})

    def _unfinished(self):
        empty = {"response": ""} if self.service == "graph-rag" else {}
        return {**empty, "end_of_stream": False, "end_of_session": False}

    def _text(self, piece, following):
        kind = "chunk" if piece.kind == "answer" else piece.kind
        if self.plain and kind != "chunk":
            return
        yield self._chunk(kind, piece.delta, self._named(piece))
        last = not isinstance(following, Text) and not (isinstance(following, Done) and following.error)
        if last and kind == "chunk":
            yield self._chunk(kind, "", {}, end=True)

    def _chunk(self, kind, text, named, *, end: bool = False):
        fields = {"message_type": kind, "response": text, "end_of_stream": end, "end_of_session": False}
        return self._envelope({**fields, **named})

    def _named(self, piece):
        """Return the node's name where a reader would not find it by itself."""
        kind = "synthesis" if self.service == "graph-rag" else "docrag-synthesis"
        own = piece.kind == "answer" and piece.node == (iri(kind, self.session) if self.session else "")
        return {} if own or self.plain or not piece.node else {"message_id": piece.node}

    def _done(self, done):
        if done.reason == "error":
            return self._failed(done)
        fields = {"end_of_stream": False, "end_of_session": True, **_usage(done.usage)}
        if self.service == "document-rag":
            return True, {"message_type": "end", **self._sources(done), **fields}
        return True, {"message_type": "chunk", "response": "", **self._sources(done), **fields}

    def _failed(self, done):
        fields = {"error": _error(done.error, self.service), **self._sources(done), **_usage(done.usage)}
        if self.service == "document-rag":  # marks neither the session nor the request as complete
            return False, {"end_of_stream": True, "end_of_session": False, **fields}
        return True, {"message_type": "chunk", "response": "", "end_of_stream": True, "end_of_session": True, **fields}

    def _sources(self, done):
        if self.plain and self.service != "graph-rag":
            return {}
        found = [_source(passage, plain=self.plain) for passage in done.sources]
        once = [item for place, item in enumerate(found) if not self.plain or item not in found[:place]]
        return {"sources": once} if once else {}


class _AgentEncoder(_Encoder):
    """Encodes one run as an agent sends it."""

    def _unfinished(self):
        return {"end_of_message": False, "end_of_dialog": False}

    def _text(self, piece, following):
        named = recognise(piece.node)
        if piece.kind == "answer":
            inner = named is None or named.kind not in ("conclusion", "agent-synthesis") or named.key != self.session
            if self.plain and inner:
                return
            self.answer = self.answer if inner else piece.node
        more = isinstance(following, Text) and (following.node, following.kind) == (piece.node, piece.kind)
        last = piece.kind != "answer" and not more
        fields = {"message_type": piece.kind, "content": piece.delta, "end_of_message": last}
        yield self._envelope({**fields, "end_of_dialog": False, **self._named(piece)})

    def _named(self, piece):
        """Return the node's name, but as TrustGraph none for texts about a plan as a whole."""
        named = recognise(piece.node)
        kind = named.kind if named else ""
        whole = kind == "plan" or (kind == "agent-synthesis" and self.planned)
        return {} if not piece.node or (piece.kind == "thought" and whole) else {"message_id": piece.node}

    def _done(self, done):
        ended = {"end_of_message": True, "end_of_dialog": True}
        if done.reason == "error":
            error = _error(done.error, self.service)
            failed = {"message_type": "error", "content": error["message"], **ended, "error": error}
            return True, {**failed, **self._sources(done), **_usage(done.usage)}
        node = self.answer or (iri("conclusion", self.session) if self.session else None)
        about = {"message_id": node} if node else {}
        return True, {"message_type": "answer", **ended, **about, **self._sources(done), **_usage(done.usage)}


def _wire(quad):
    wire = to_wire(quad)  # in a step, no graph means the graph of the step
    return {**wire, "g": ""} if isinstance(quad.graph_name, DefaultGraph) else wire


def _source(passage, *, plain):
    document = {"uri": passage.document, "title": passage.title}
    said = {key: value for key, value in asdict(passage).items() if value not in (None, "", ()) and value is not False}
    rest = {} if plain else said
    more = {key: value for key, value in rest.items() if key not in ("document", "title")}
    return document if set(more) <= {"start", "end"} and not passage.end else document | more


def _usage(usage):
    return {key: value for key, value in asdict(usage).items() if value is not None}


def _error(text, service):
    typed = _TYPED_ERROR.fullmatch(text or "")
    if typed and typed[1] not in SERVICES.values():
        return {"type": typed[1], "message": typed[2]}
    return {"type": SERVICES[service], "message": text or ""}
