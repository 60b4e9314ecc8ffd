"""What a run leaves out, or is limited to, and the part of a collection that is left: engines read it as any other.

A fact is left out together with the sentences it was taken from, a passage with its words, a document whole, an entity
with every fact about it and every sentence that names it. Words that are left out are blank in each chunk that holds
them, so that offsets stay; facts that rest on such words alone are gone too.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import TYPE_CHECKING

from pyoxigraph import NamedNode, Quad, Store, Triple

from explorer import rdf
from explorer.entities import Candidate, ChunkSelection, EdgeSelection, Question
from explorer.errors import QuestionError
from explorer.events import Passage
from explorer.stores.collection import Collection
from explorer.stores.collection_view import EVERYTHING, WORD, MaskedVector, RowSet, View
from explorer.stores.database import Database, Many, among
from explorer.stores.default_graph import facts_about
from explorer.stores.document_names import HasIri
from explorer.stores.fact_sources import Sources
from explorer.stores.graph import GraphStore, OxigraphStore
from explorer.stores.link_graph import facts_of
from explorer.stores.vectors.search import unit
from explorer.text import one_line
from explorer.vocab import FACTS, PROV, RDFS, RETRIEVAL, SOURCE, TG, recognise

if TYPE_CHECKING:
    from explorer.stores.database import Matrix

Without = str | Triple | EdgeSelection | ChunkSelection | Candidate | Passage | HasIri
"""What can be left out: an IRI, a fact, a selection of a run, a passage, or a document."""

Embed = Callable[[Sequence[str]], "Matrix"]
Span = tuple[int, int]
_TOKEN = re.compile(r"[^\W_]+")
_HELD = "WITH held AS (SELECT number, iri FROM chunks WHERE document IN (SELECT value FROM json_each(?)))"
_OF_HELD = {
    "text": "SELECT number FROM held",
    "edge": "SELECT fact FROM links WHERE chunk IN (SELECT number FROM held)",
    "chunk": "SELECT number FROM vectors WHERE kind = 'chunk' AND key IN (SELECT iri FROM held)",
    "entity": "SELECT number FROM vectors WHERE kind = 'entity' AND key IN (SELECT iri FROM terms WHERE number IN "
              "(SELECT head FROM links WHERE chunk IN (SELECT number FROM held) "
              "UNION SELECT tail FROM links WHERE chunk IN (SELECT number FROM held)))",
}  # fmt: skip
"""The rows of each kind that documents have."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What a run leaves out: facts, and the IRIs of passages, documents and entities; each once, sorted.

    `within` are the documents that it is limited to; empty: none are left out for that.
    """

    facts: tuple[Triple, ...] = ()
    iris: tuple[str, ...] = ()
    within: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.facts or self.iris or self.within)

    def __or__(self, other: LeftOut) -> LeftOut:
        within = {*self.within} & {*other.within} if self.within and other.within else (*self.within, *other.within)
        return LeftOut.of((*self.facts, *other.facts), (*self.iris, *other.iris), within)

    @classmethod
    def of(cls, facts: Iterable[Triple], iris: Iterable[str], within: Iterable[str] = ()) -> LeftOut:
        """Return what leaves out these facts and IRIs, and all documents but those within."""
        return cls(tuple(sorted(set(facts), key=str)), tuple(sorted(set(iris))), tuple(sorted(set(within))))


NOTHING = LeftOut()


def named(stores: Collection, given: Iterable[Without]) -> LeftOut:
    """Return what is meant by facts, selections, passages, documents and IRIs; raises QuestionError for the unknown."""
    if isinstance(given, str | Triple) or not isinstance(given, Iterable):
        raise QuestionError(
            f"without must be a list of facts, passages, documents or IRIs, not {one_line(repr(given))}."
        )
    meant = [_meant(stores, one) for one in given]
    return LeftOut.of((one for one in meant if isinstance(one, Triple)), (one for one in meant if isinstance(one, str)))


def _meant(stores: Collection, one: Without) -> Triple | str:
    match one:
        case Triple():
            return _known_fact(stores, one)
        case EdgeSelection() | Candidate():
            if one.edge is None:
                raise QuestionError(f"{one.iri} has no fact on record; name one to leave out.")
            return _known_fact(stores, one.edge)
        case ChunkSelection():
            return _known_iri(stores, one.document or "")
        case Passage():
            return _known_iri(stores, one.subgraph or one.chunk)
        case str():
            return _of_iri(stores, one)
        case HasIri():
            return _known_iri(stores, one.iri)
        case _:
            raise QuestionError(
                f"{one_line(repr(one))} is not a fact, passage, document or IRI that could be left out."
            )


def _of_iri(stores: Collection, iri: str) -> Triple | str:
    found = recognise(iri)
    if found is not None and found.kind in ("edge", "candidate", "chunk-selection"):
        described = rdf.entities(stores.graph.match(NamedNode(iri), None, None, RETRIEVAL))
        if described and isinstance(described[0], EdgeSelection | Candidate | ChunkSelection):
            return _meant(stores, described[0])
    return _known_iri(stores, iri)


def _known_fact(stores: Collection, fact: Triple) -> Triple:
    if not stores.recorded([str(fact)]):
        raise QuestionError(f"There is no fact {one_line(str(fact))} here to leave out; take one of a run's `edges`.")
    return fact


def _known_iri(stores: Collection, iri: str) -> str:
    try:
        node = NamedNode(iri)
    except ValueError:
        raise QuestionError(f"{iri!r} is not an IRI; to leave something out, name it as a run's record does.") from None
    known = (
        stores.sources.chunk(iri) or stores.sources.passage(iri) or stores.library.document(iri)
        or next(stores.sources.about(node.value), None)
    )  # fmt: skip
    if not known:
        raise QuestionError(f"There is no fact, passage, document or entity {iri} here to leave out; check the IRI.")
    return iri


def without(stores: Collection, left: LeftOut, embed: Embed) -> Collection:
    """Return a collection without what is left out; `embed` makes the vectors of chunks that have lost words."""
    if not left:
        return stores
    view = _view(stores, left)
    return Part.of(stores, replace(view, vectors=cache(partial(_vectors, stores, view, embed))))


def read_by(stores: Collection, asked: Question | None) -> Collection:
    """Return a collection with the sources that the run of a question has read: without what that left out."""
    left = NOTHING if asked is None else LeftOut.of(asked.without_facts, asked.without, asked.within)
    return replace(stores, sources=sources_without(stores, left)) if left else stores


def sources_without(stores: Collection, left: LeftOut) -> Sources:
    """Return the sources of a collection without what is left out, as a run that left it out has read them."""
    return stores.sources.within(_view(stores, left))


@dataclass(frozen=True, slots=True)
class Part(Collection):
    """What a view shows of a collection."""

    whole: Collection
    view: View

    @classmethod
    def of(cls, whole: Collection, view: View) -> Part:
        """Return the part of a whole collection."""
        return cls(
            whole.database, _Graph(whole, view), whole.library.within(view), whole.vectors.within(view),
            whole.sources.within(view), whole.sentences.within(view), whole.links.within(view), whole, view,
        )  # fmt: skip

    @property
    def nothing_left(self) -> bool:
        """Whether so much is left out that there is nothing to answer from: no fact, and no chunk with words."""
        return self.view.leaves_out and not (self.held("text") or self.held("edge"))

    def held(self, kind: str) -> int:
        rows = self.view.rows(kind)
        return len(rows.numbers) if rows.alone else self.whole.held(kind) - len(rows.numbers)

    def refresh(self) -> None:
        """Read what another process has written since; what is not there stays as it was."""
        self.whole.refresh()

    def recorded(self, keys: Iterable[str]) -> dict[str, Triple]:
        return self.whole.recorded(key for key in keys if key not in self.view.facts)

    def close(self) -> None:
        """Leave the stores open: they are those of the whole collection."""


def _view(stores: Collection, left: LeftOut) -> View:
    view = _only(stores.database, left.within) if left.within else EVERYTHING
    return _less(Part.of(stores, view), left) if left.facts or left.iris else view


def _only(database: Database, documents: Iterable[str]) -> View:
    named = Many(sorted(documents))

    @cache
    def rows(kind: str) -> RowSet:
        found = database.rows(f"{_HELD} {_OF_HELD[kind]}", (named,))
        return RowSet(frozenset(row[0] for row in found), alone=True)

    return View(frozenset(documents), rows=rows)


def _less(part: Part, left: LeftOut) -> View:
    facts, entities, spans = _lost(part, left)
    gone, masked = _chunks(part, spans)
    view = replace(
        part.view, facts=facts, entities=entities, chunks=frozenset(gone), iris=frozenset(left.iris), spans=spans,
        masked=masked, numbers=part.library.chunk_numbers([*gone, *masked]),
    )  # fmt: skip
    edges, others = _edges(part, view)
    known = {"edge": edges, "text": {view.numbers[iri] for iri in gone & view.numbers.keys()}}
    keys = {"chunk": {*gone, *masked}, "entity": entities}

    @cache
    def rows(kind: str) -> RowSet:
        lost = known.get(kind) or {number for number, *_ in _vector_rows(part.database, kind, keys.get(kind, ()))}
        return part.view.rows(kind).less(lost)

    return replace(view, facts=facts | others, rows=rows)


def _lost(part: Part, left: LeftOut) -> tuple[frozenset[str], frozenset[str], dict[str, list[Span]]]:
    """Return the keys of facts, the entities, and by document the spans that go with what is left out."""
    sources = part.sources
    facts, entities = {variant for fact in left.facts for variant in sources.merged.variants(fact)}, set[str]()
    spans: dict[str, list[Span]] = defaultdict(list)
    for iri in left.iris:
        if part.library.document(iri):
            spans[iri].append((0, 1 << 40))
        elif found := sources.chunk(iri) or sources.passage(iri):
            spans[found[0].document].append((found[0].start, found[0].end))
        else:
            entities.update(sources.merged.all(iri))
    for one in entities:
        facts.update(facts_about(part.whole.graph, NamedNode(one)))
        for document, span in _naming(part, one):
            spans[document].append(span)
    for passage in (passage for fact in facts for passage in sources.passages(fact)):
        spans[passage.document] += _sentences_at(part, passage)
    return frozenset(map(str, facts)), frozenset(entities), dict(spans)


def _naming(stores: Collection, entity: str) -> Iterator[tuple[str, Span]]:
    label = stores.sources.called(entity)
    words = _TOKEN.findall(label.lower())
    if not words:
        return
    name = re.compile(r"(?<![^\W_])" + r"[\W_]+".join(map(re.escape, words)) + r"(?![^\W_])")
    for iri in stores.library.holding(label):
        for chunk in stores.sources.chunk(iri):
            for start, end in _sentence_spans(stores, iri, chunk.text):
                if name.search(chunk.text[start:end].lower()):
                    yield chunk.document, (chunk.start + start, chunk.start + end)


def _sentences_at(stores: Collection, passage: Passage) -> list[Span]:
    """Return the span of a passage, widened to the whole of each sentence of its chunk that it has words of."""
    found = [(passage.start, passage.end)]
    for chunk in stores.sources.chunk(passage.chunk):
        for start, end in _sentence_spans(stores, chunk.chunk, chunk.text):
            first, last = max(start, passage.start - chunk.start), min(end, passage.end - chunk.start)
            if first < last and WORD.search(chunk.text[first:last]):
                found.append((chunk.start + start, chunk.start + end))
    return found


def _sentence_spans(stores: Collection, chunk: str, text: str) -> list[Span]:
    """Return the sentences of a chunk; the whole of one of which none are stored."""
    stored = stores.sentences.of([chunk]).get(chunk, ())
    return [(one.start, one.end) for one in stored] or [(0, len(text))]


def _chunks(stores: Collection, spans: Mapping[str, Sequence[Span]]) -> tuple[set[str], dict[str, str]]:
    gone, masked = set[str](), dict[str, str]()
    blank = View(spans=spans).blank
    for document in spans:
        for iri in stores.library.chunks_of(document):
            for chunk in stores.sources.chunk(iri):
                left = blank(chunk.text, document, chunk.start)
                if not WORD.search(left):
                    gone.add(iri)
                elif left != chunk.text:
                    masked[iri] = left
    return gone, masked


def _edges(stores: Collection, view: View) -> tuple[set[int], set[str]]:
    """Return the rows of edges that go, and the keys of facts of which with these no row is left."""
    database = stores.database
    rows = {number: key for number, key, _ in _vector_rows(database, "edge", view.facts)}
    of_chunks = database.rows(
        "SELECT number, key, chunk, text FROM vectors WHERE number IN "
        "(SELECT fact FROM links WHERE chunk IN (SELECT value FROM json_each(?)))",
        (Many(view.numbers.values()),),
    )
    facts = facts_of(row["key"] for row in of_chunks if row["chunk"] in view.masked)
    rows |= {
        number: key for number, key, chunk, text in of_chunks
        if chunk in view.chunks or (chunk in view.masked and _is_lost(stores, view, facts[key], chunk, text))
    }  # fmt: skip
    others = {*rows.values()} - view.facts
    left = {key for number, key, _ in _vector_rows(database, "edge", others) if number not in rows}
    return {*rows}, others - left


def _is_lost(stores: Collection, view: View, fact: Triple, chunk: str, text: str) -> bool:
    """Return whether the sentence of a chunk that a row stands for has no words left; `text` holds its words."""
    told = [one for one in stores.sources.passages(fact) if one.chunk == chunk]
    told = [one for one in told if " ".join(one.text.split()) in text] or told
    return bool(told) and not any(WORD.search(view.blank(one.text, one.document, one.start)) for one in told)


def _vector_rows(database: Database, kind: str, keys: Iterable[str]) -> list[tuple[int, str, str]]:
    rest = f"AND kind = '{kind}' ORDER BY number"
    return [tuple(row) for row in among(database, "SELECT number, key, text FROM vectors", "key", keys, rest)]


def _vectors(stores: Collection, view: View, embed: Embed) -> list[MaskedVector]:
    rows = _vector_rows(stores.database, "chunk", view.masked) if view.masked else []
    told = [text.replace(stores.library.text(key), view.masked[key]) for _, key, text in rows]
    vectors = unit(embed([re.sub(r" {2,}", " ", text) for text in told])) if rows else ()
    return [
        MaskedVector(key, number, text, vector)
        for (number, key, _), text, vector in zip(rows, told, vectors, strict=True)
    ]


class _Graph(OxigraphStore):
    """Facts and their sources as a view shows them, without runs, copied when a query is put to it."""

    def __init__(self, whole: Collection, view: View) -> None:
        super().__init__(None)
        self._whole, self._view = whole, view

    @property
    def store(self) -> Store:
        if self._store is None:
            graph, view = self._whole.graph, self._view
            every = (quad for name in (FACTS, SOURCE) for quad in graph.match(graph=name))
            quads = _of_documents(graph, view.documents) if view.documents else every
            self._store = Store()
            self._store.bulk_extend(filter(self._is_left, quads) if view.leaves_out else quads)
        return self._store

    def _is_left(self, quad: Quad) -> bool:
        view = self._view
        ends = {end.value for end in (quad.subject, quad.object) if isinstance(end, NamedNode)}
        if ends & view.iris or ends & view.chunks:
            return False
        if quad.predicate == TG.sourceText and isinstance(quad.subject, NamedNode):
            told = self._whole.sources.passage(quad.subject.value)
            return all(view.blank(one.text, one.document, one.start) == one.text for one in told)
        return str(quad.object if isinstance(quad.object, Triple) else quad.triple) not in view.facts


def _of_documents(graph: GraphStore, documents: Iterable[str]) -> Iterator[Quad]:
    """Yield the quads of documents, their parts and chunks, what was taken from these, and the names in that."""
    wave = [NamedNode(document) for document in sorted(documents)]
    seen, ends = set(wave), set[NamedNode]()
    while wave:
        node = wave.pop()
        for quad in (*graph.match(node, None, None, FACTS), *graph.match(node, None, None, SOURCE)):
            yield quad
            if quad.predicate in (TG.contains, TG.reifies) and isinstance(fact := quad.object, Triple):
                ends.update(end for end in (fact.subject, fact.predicate, fact.object) if isinstance(end, NamedNode))
                if isinstance(fact.subject, NamedNode):
                    yield from graph.match(fact.subject, fact.predicate, fact.object, FACTS)
            elif quad.predicate in (PROV.wasGeneratedBy, PROV.wasAssociatedWith):
                wave += _new([quad.object], seen)
        wave += _new((quad.subject for quad in graph.match(None, PROV.wasDerivedFrom, node, SOURCE)), seen)
    for end in ends:
        yield from graph.match(end, RDFS.label, None, FACTS)


def _new(nodes: Iterable[object], seen: set[NamedNode]) -> list[NamedNode]:
    new = [node for node in nodes if isinstance(node, NamedNode) and node not in seen]
    seen.update(new)
    return new
