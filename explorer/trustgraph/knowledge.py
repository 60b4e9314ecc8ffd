"""What TrustGraph has stored: runs, labels, where facts come from, and texts.

Its gateway answers patterns alone. So what is small is asked for as a whole, the rest node by node, several at once.
What was read to list the runs serves to open one that has its answer.
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
from explorer.vocab import FACTS, PROV, RDF, RDFS, RETRIEVAL, SOURCE, TG, Graph, recognise, session_of

MOST = 20_000  # statements that are asked for together
_SENT = 5000  # statements that are stored with one message
_FEW = 5  # labels that are not worth asking for all
_SUBGRAPHS = 10  # of one fact
_DEEPEST = 60  # levels of a run, with the runs within it
_HIGHEST = 6  # levels from a fact to its document
_UP = (PROV.wasDerivedFrom, PROV.wasGeneratedBy, PROV.wasAssociatedWith)
_ENGINES = {TG.GraphRagQuestion: "graph-rag", TG.DocRagQuestion: "document-rag", TG.AgentQuestion: "agent"}
_PARTS = (TG.selectedEdge, TG.selectedChunk, TG.thought)
_ANSWERS = (TG.Synthesis, TG.Conclusion)
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
        self._gateway = gateway
        self._collection = collection
        self._labels: dict[str, str | None] = {}
        self._is_small = True  # whether the runs are few enough to be read together
        self._has_few_labels = True  # and the labels
        self._read: dict[str, list[Raw]] = {}  # all that was stored of all runs when they were read, by subject

    def runs(self) -> list[StoredRun]:
        """Return the runs that are none within another, newest first; raises WorkspaceError."""
        about = self._runs_whole() or _by_subject(one for several in self._ask([
            *((None, one, None, RETRIEVAL, MOST) for one in (TG.query, PROV.startedAtTime, PROV.wasDerivedFrom)),
            *((None, RDF.type, one, RETRIEVAL, MOST) for one in _ENGINES),
        ]) for one in several)  # fmt: skip
        found = ((node, _told(stored)) for node, stored in about.items())
        query, time, parent, kind = (one.value for one in (TG.query, PROV.startedAtTime, PROV.wasDerivedFrom, RDF.type))
        return sorted((
            StoredRun(
                node, known[query][0],
                next((name for of, name in _ENGINES.items() if of.value in known[kind]), "graph-rag"),
                next(iter(known[time]), ""),
            )
            for node, known in found if known[query] and not known[parent]
        ), key=lambda one: one.started_at, reverse=True)  # fmt: skip

    def run(self, question: str) -> list[Quad]:
        """Return all that is stored of a run, with the runs within it; nothing for an unknown one."""
        known = self._of_run(question, self._read)
        answers = [quad.subject.value for quad in known if quad.predicate == RDF.type and quad.object in _ANSWERS
                   and isinstance(quad.subject, NamedNode)]  # fmt: skip
        if session_of(question) in map(session_of, answers):  # that of a search within is no end
            return known
        return self._of_run(question, self._runs_whole())

    def _of_run(self, question: str, whole: Mapping[str, list[Raw]] | None) -> list[Quad]:
        """Return what is stored of a run, by all that was read, or asked for step by step."""
        below = defaultdict[str, list[str]](list)
        for node, stored in (whole or {}).items():
            for parent in _told(stored)[PROV.wasDerivedFrom.value]:
                below[parent].append(node)
        found: dict[str, list[Quad]] = {}
        wave = [question]
        is_part = set[str]()
        for _ in range(_DEEPEST):
            if whole is None:
                steps = [node for node in wave if node not in is_part]
                told = self._ask([
                    *((NamedNode(node), None, None, RETRIEVAL, MOST) for node in wave),
                    *((None, PROV.wasDerivedFrom, NamedNode(node), RETRIEVAL, MOST) for node in steps),
                ])  # fmt: skip
                below |= zip(steps, ([_value(one, "s") for one in each] for each in told[len(wave) :]), strict=True)
            else:
                told = [whole.get(node, []) for node in wave]
            read = [[*_quads(one, RETRIEVAL)] for one in told[: len(wave)]]
            found |= zip(wave, read, strict=True)
            parts = [part for quads in read for quad in quads if (part := part_of(quad))]
            is_part |= {*parts}
            named = dict.fromkeys([*parts, *(one for node in wave for one in below[node])])
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
        if len(unknown) > _FEW and self._has_few_labels:
            [every] = self._ask([(None, RDFS.label, None, FACTS, MOST)])
            self._labels |= {_value(one, "s"): _value(one, "o") for one in every}
            self._has_few_labels = len(every) < MOST
            if self._has_few_labels:
                self._labels |= dict.fromkeys(one for one in unknown if one not in self._labels)
            unknown = [one for one in unknown if one not in self._labels]
        found = self._ask([(NamedNode(one), RDFS.label, None, FACTS, 1) for one in unknown])
        for one, told in zip(unknown, found, strict=True):
            self._labels[one] = next((_value(label, "o") for label in told), None)
        return {one: label for one in asked if (label := self._labels[one]) is not None}

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
            {"metadata": metadata, "triples": wire[at : at + _SENT]} for at in range(0, len(wire), _SENT)
        ])  # fmt: skip

    def _runs_whole(self) -> Mapping[str, list[Raw]] | None:
        """Return all that is stored of all runs, by subject; None where that is too much."""
        if not self._is_small:
            return None
        [found] = self._ask([(None, None, None, RETRIEVAL, MOST)])
        self._is_small = len(found) < MOST
        self._read = _by_subject(found) if self._is_small else {}
        return self._read if self._is_small else None

    def _match(self, patterns: Sequence[Pattern]) -> list[list[Quad]]:
        told = self._ask(patterns)
        return [[*_quads(one, pattern[3] or FACTS)] for pattern, one in zip(patterns, told, strict=True)]

    def _ask(self, patterns: Sequence[Pattern]) -> list[list[Raw]]:
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


def _by_subject(told: Iterable[Raw]) -> dict[str, list[Raw]]:
    found = defaultdict[str, list[Raw]](list)
    for one in told:
        found[_value(one, "s")].append(one)
    return dict(found)


def _told(stored: Iterable[Raw]) -> dict[str, list[str]]:
    found = defaultdict[str, list[str]](list)
    for one in stored:
        found[_value(one, "p")].append(_value(one, "o"))
    return found


def part_of(quad: Quad) -> str:
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
