"""What TrustGraph has stored: runs, labels, where facts come from, and texts.

Its gateway answers patterns alone. So what is small is asked for as a whole, the rest node by node, several at once.
"""

from __future__ import annotations

import base64
import binascii
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from pyoxigraph import DefaultGraph, Literal, NamedNode, Quad, Triple

from explorer.errors import RecordError, WorkspaceError
from explorer.trustgraph.gateway import Gateway, Message, said
from explorer.trustgraph.terms import from_wire, term_to_wire, to_wire
from explorer.vocab import FACTS, PROV, RDF, RDFS, RETRIEVAL, SOURCE, TG, Graph, recognise

MOST = 5000  # statements that are asked for together
_FEW = 5  # labels that are not worth asking for all
_SUBGRAPHS = 10  # of one fact
_DEEPEST = 60  # levels of a run, with the runs within it
_HIGHEST = 6  # levels from a fact to its document
_UP = (PROV.wasDerivedFrom, PROV.wasGeneratedBy, PROV.wasAssociatedWith)
_ENGINES = {TG.GraphRagQuestion: "graph-rag", TG.DocRagQuestion: "document-rag", TG.AgentQuestion: "agent"}
_PARTS = (TG.selectedEdge, TG.selectedChunk, TG.thought)
Node = NamedNode | Literal | Triple
Pattern = tuple[Node | None, Node | None, Node | None, Graph | None, int]
Raw = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A run that TrustGraph has stored, by the IRI of its Question."""

    iri: str
    question: str
    engine: str
    started_at: str


class Knowledge:
    """Looks up what one collection of TrustGraph holds."""

    def __init__(self, gateway: Gateway, collection: str) -> None:
        """Ask this gateway; nothing is asked yet."""
        self._gateway = gateway
        self._collection = collection
        self._labels: dict[str, str | None] = {}
        self._is_small = True  # whether the runs are few enough to be read together

    def runs(self) -> list[StoredRun]:
        """Return the runs that are none within another, newest first; raises WorkspaceError."""
        told = self._runs_whole()
        if told is None:
            asked = (TG.query, PROV.startedAtTime, PROV.wasDerivedFrom, RDF.type)
            found = self._ask([(None, one, None, RETRIEVAL, MOST) for one in asked])
            told = [one for several in found for one in several]
        about = defaultdict[str, dict[str, list[str]]](lambda: defaultdict(list))
        for one in told:
            about[_value(one, "s")][_value(one, "p")].append(_value(one, "o"))
        query, time, parent, kind = (one.value for one in (TG.query, PROV.startedAtTime, PROV.wasDerivedFrom, RDF.type))
        return sorted((
            StoredRun(
                node, known[query][0],
                next((name for of, name in _ENGINES.items() if of.value in known[kind]), "graph-rag"),
                next(iter(known[time]), ""),
            )
            for node, known in about.items() if known[query] and not known[parent]
        ), key=lambda one: one.started_at, reverse=True)  # fmt: skip

    def run(self, question: str) -> list[Quad]:
        """Return all that is stored of a run, with the runs within it; nothing for an unknown one."""
        whole = self._runs_whole()
        by_subject, by_parent = defaultdict[str, list[Raw]](list), defaultdict[str, list[Raw]](list)
        for one in whole or ():
            by_subject[_value(one, "s")].append(one)
            if _value(one, "p") == PROV.wasDerivedFrom.value:
                by_parent[_value(one, "o")].append(one)
        found: dict[str, list[Quad]] = {}
        wave = [question]
        for _ in range(_DEEPEST):
            if whole is not None:
                told, below = [by_subject[node] for node in wave], [by_parent[node] for node in wave]
            else:
                told = self._ask([(NamedNode(node), None, None, RETRIEVAL, MOST) for node in wave])
                below = self._ask([(None, PROV.wasDerivedFrom, NamedNode(node), RETRIEVAL, MOST) for node in wave])
            read = [[*_quads(one, RETRIEVAL)] for one in told]
            found |= dict(zip(wave, read, strict=True))
            parts = [part for quads in read for quad in quads if (part := _part(quad))]
            named = dict.fromkeys([*parts, *(_value(one, "s") for several in below for one in several)])
            wave = [node for node in named if node and node not in found]
        return [quad for quads in found.values() for quad in quads]

    def step(self, node: str) -> list[Quad]:
        """Return what is stored of one step."""
        [found] = self._match([(NamedNode(node), None, None, RETRIEVAL, MOST)])
        return found

    def labels(self, entities: Iterable[str]) -> dict[str, str]:
        """Return the labels of entities, by IRI; those without are left out. Hits and misses are remembered."""
        asked = list(dict.fromkeys(entities))
        unknown = [one for one in asked if one not in self._labels]
        if len(unknown) > _FEW:
            [every] = self._match([(None, RDFS.label, None, FACTS, MOST)])
            self._remember(every)
            if len(every) < MOST:
                self._labels |= dict.fromkeys(one for one in unknown if one not in self._labels)
            unknown = [one for one in unknown if one not in self._labels]
        for quads in self._match([(NamedNode(one), RDFS.label, None, FACTS, 1) for one in unknown]):
            self._remember(quads)
        self._labels |= dict.fromkeys(one for one in unknown if one not in self._labels)
        return {one: label for one in asked if (label := self._labels[one]) is not None}

    def _remember(self, labels: Iterable[Quad]) -> None:
        for quad in labels:
            if isinstance(quad.subject, NamedNode) and isinstance(quad.object, Literal):
                self._labels[quad.subject.value] = quad.object.value

    def sources(self, facts: Sequence[Triple], chunks: Iterable[str] = ()) -> list[Quad]:
        """Return what is stored of where facts come from, and of chunks: up to their documents, and who took them."""
        held: list[Quad] = []
        for link in (TG.contains, TG.reifies):
            asked = [(None, link, fact, SOURCE, _SUBGRAPHS) for fact in facts] if not held else []
            held += (quad for quads in self._match(asked) for quad in quads)
        found: dict[str, list[Quad]] = {}
        wave = [*chunks, *(quad.subject.value for quad in held if isinstance(quad.subject, NamedNode))]
        for _ in range(_HIGHEST):
            wave = [node for node in dict.fromkeys(wave) if node not in found]
            told = self._match([(NamedNode(node), None, None, None, MOST) for node in wave])
            found |= dict(zip(wave, told, strict=True))
            above = (quad.object for quads in told for quad in quads if quad.predicate in _UP)
            wave = [term.value for term in above if isinstance(term, NamedNode)]
        every = (*held, *(quad for quads in found.values() for quad in quads))
        return [quad for quad in dict.fromkeys(every) if quad.graph_name != RETRIEVAL]

    def texts(self, nodes: Iterable[str]) -> dict[str, bytes]:
        """Return the contents that the librarian has of some IRIs; those it does not have are left out."""
        asked = list(dict.fromkeys(nodes))
        replies = self._gateway.look_up([
            ("librarian", {"operation": "get-document-content", "document-id": one}) for one in asked
        ])  # fmt: skip
        return {one: data for one, reply in zip(asked, replies, strict=True) if (data := _content(reply)) is not None}

    def add(self, name: str, quads: Iterable[Quad], texts: Mapping[str, tuple[str, str, bytes]]) -> None:
        """Store statements and texts, each text by its IRI with title and media type; raises WorkspaceError."""
        replies = self._gateway.look_up([
            ("librarian", {
                "operation": "add-document",
                "document-metadata": {"id": one, "kind": kind, "title": title, "comments": "", "tags": [],
                                      "document-type": "answer", "metadata": []},
                "content": base64.b64encode(data).decode(),
            }) for one, (title, kind, data) in texts.items()
        ])  # fmt: skip
        if refused := [words for reply in replies if (words := said(reply)) and "exist" not in words.lower()]:
            raise WorkspaceError(f"TrustGraph did not take a text of the run ({refused[0]}); see to that, push again.")
        wire = [to_wire(quad) for quad in quads]
        metadata = {"id": name, "root": name, "collection": self._collection, "metadata": []}
        self._gateway.store("triples", [
            {"metadata": metadata, "triples": wire[at : at + MOST]} for at in range(0, len(wire), MOST)
        ])  # fmt: skip

    def _runs_whole(self) -> list[Raw] | None:
        """Return all that is stored of all runs; None where that is too much."""
        if not self._is_small:
            return None
        [found] = self._ask([(None, None, None, RETRIEVAL, MOST)])
        self._is_small = len(found) < MOST
        return found if self._is_small else None

    def _match(self, patterns: Sequence[Pattern]) -> list[list[Quad]]:
        """Return what matches each pattern; what can't be read is left out. Raises WorkspaceError."""
        told = self._ask(patterns)
        return [[*_quads(one, pattern[3] or FACTS)] for pattern, one in zip(patterns, told, strict=True)]

    def _ask(self, patterns: Sequence[Pattern]) -> list[list[Raw]]:
        """Return what matches each pattern as it came."""
        replies = self._gateway.look_up([("triples", self._pattern(*one)) for one in patterns])
        if refused := next(filter(None, map(said, replies)), ""):
            raise WorkspaceError(f"TrustGraph can't be asked for what it has stored ({refused}).")
        return [_triples(reply) for reply in replies]

    def _pattern(
        self, subject: Node | None, predicate: Node | None, obj: Node | None, graph: Graph | None, limit: int
    ) -> Message:
        given = {"s": subject, "p": predicate, "o": obj}
        terms = {key: term_to_wire(term) for key, term in given.items() if term is not None}
        name = {} if graph is None else {"g": "" if isinstance(graph, DefaultGraph) else graph.value}
        return {**terms, **name, "limit": limit, "collection": self._collection}


def _part(quad: Quad) -> str:
    """Return what is a part of a step by this statement; a chunk is none. Empty where nothing is."""
    if not isinstance(quad.object, NamedNode) or quad.predicate not in _PARTS:
        return ""
    named = recognise(quad.object.value)
    is_chunk = quad.predicate == TG.selectedChunk and (named is None or named.kind != "chunk-selection")
    return "" if is_chunk else quad.object.value


def _triples(reply: Message) -> list[Raw]:
    inner = reply.get("response")
    told = inner.get("response") if isinstance(inner, Mapping) else None
    return [one for one in told if isinstance(one, Mapping)] if isinstance(told, list) else []


def _quads(told: Iterable[Raw], graph: Graph) -> Iterator[Quad]:
    for one in told:
        with suppress(RecordError):  # of others' data what can be read
            yield from_wire(one, graph)


def _value(triple: Raw, end: str) -> str:
    """Return the IRI or the text at one end of a triple as it came; empty for anything else."""
    term = triple.get(end)
    known = term if isinstance(term, Mapping) else {}
    found = next((known[name] for name in ("i", "iri", "v", "value") if name in known), "")
    return found if isinstance(found, str) else ""


def _content(reply: Message) -> bytes | None:
    inner = reply.get("response")
    coded = inner.get("content") if isinstance(inner, Mapping) and not said(reply) else None
    try:
        return base64.b64decode(coded, validate=True) if isinstance(coded, str) else None
    except binascii.Error:
        return None
