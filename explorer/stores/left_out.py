"""A collection as it would be without some of what it holds, for a what-if: engines read it as they read any other.

A run may also be limited to some documents, which is the same turned round (`limited`).

A fact is left out together with the sentences it was taken from, a passage with its words, a document whole, an entity
with every fact about it and every sentence that names it. Words that are left out are blank in each chunk that holds
them, so that offsets stay; facts that rest on such words alone are gone too. Nothing is written. How rare a word is
counts in the whole collection, so that what is left is scored as before.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING
from urllib.parse import unquote

from pyoxigraph import NamedNode, Quad, Store, Triple

from explorer import rdf
from explorer.entities import Candidate, ChunkSelection, EdgeSelection
from explorer.errors import QuestionError
from explorer.events import Passage
from explorer.stores.collection import Collection
from explorer.stores.database import LinkGraph, Many, Rows
from explorer.stores.default_graph import facts_about
from explorer.stores.graph import OxigraphStore
from explorer.stores.library import Library
from explorer.stores.limited import HasIri, limited
from explorer.stores.link_graph import Links, facts_of
from explorer.stores.sentences import Sentences, StoredSentence
from explorer.stores.sources import Sources
from explorer.stores.vectors.search import Entry, Hit, VectorIndex, unit
from explorer.text import one_line
from explorer.vocab import ENTITY_BASE, FACTS, RETRIEVAL, SOURCE, TG, recognise

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]

Without = str | Triple | EdgeSelection | ChunkSelection | Candidate | Passage | HasIri
"""What can be left out: an IRI, a fact, a selection of a run, a passage, or a document."""

Embed = Callable[[Sequence[str]], "Matrix"]
_WORD = re.compile(r"\w")
_TOKEN = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What a run leaves out: facts, and the IRIs of passages, documents and entities; each once, sorted.

    `within` are the documents that it is limited to; empty: none are left out for that.
    """

    facts: tuple[Triple, ...] = ()
    iris: tuple[str, ...] = ()
    within: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        """Whether it leaves anything out."""
        return bool(self.facts or self.iris or self.within)

    def __or__(self, other: LeftOut) -> LeftOut:
        """Return what either leaves out."""
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
    facts: list[Triple] = []
    iris: list[str] = []
    for one in given:
        meant = _meant(stores, one)
        facts += [meant] if isinstance(meant, Triple) else []
        iris += [meant] if isinstance(meant, str) else []
    return LeftOut.of(facts, iris)


def _meant(stores: Collection, one: Without) -> Triple | str:
    """Return the fact, or the IRI of the passage, document or entity."""
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
    if left.within:
        stores = limited(stores, left.within)
    if not (left.facts or left.iris):
        return stores
    gone = _gone(stores, left)
    return Remainder(
        stores.database, _Graph(stores, gone), _Library(stores.library, gone), _Vectors(stores, gone, embed),
        _Sources(stores.sources, gone), _Sentences(stores, gone), _Links(stores.links, gone), stores, gone,
    )  # fmt: skip


def sources_without(stores: Collection, left: LeftOut) -> Sources:
    """Return the sources of a collection without what is left out, as a run that left it out has read them."""
    if left.within:
        stores = limited(stores, left.within)
    return _Sources(stores.sources, _gone(stores, left)) if left.facts or left.iris else stores.sources


@dataclass(frozen=True, slots=True)
class Remainder(Collection):
    """What is left of a collection."""

    whole: Collection
    gone: Gone

    @property
    def is_empty(self) -> bool:
        """Whether nothing is left to answer from: no fact, and no chunk with words."""
        held = self.whole.held
        return held("text") <= len(self.gone.chunks) and held("edge") <= len(self.gone.rows)

    def held(self, kind: str) -> int:
        """Return how many vectors of a kind the whole collection has, or by the name "text" how many chunks."""
        return self.whole.held(kind)

    def refresh(self) -> None:
        """Read what another process has written since; what is gone stays as it was."""
        self.whole.refresh()

    def recorded(self, keys: Iterable[str]) -> dict[str, Triple]:
        """Read facts from the keys of their vectors, if the graph has them and they are not left out."""
        return self.whole.recorded(key for key in keys if key not in self.gone.facts)

    def close(self) -> None:
        """Leave the stores open: they are those of the whole collection."""


@dataclass(frozen=True, slots=True)
class Gone:
    """What is not there: keys of facts, rows of edges, entities, whole chunks, and spans of words by document.

    `masked` holds the text of each chunk that has lost words but not all, `numbers` the rows of all these chunks;
    `spans` count in the document's text, `iris` are those left out by name.
    """

    spans: Mapping[str, Sequence[tuple[int, int]]]
    facts: frozenset[str] = frozenset()
    rows: frozenset[int] = frozenset()
    entities: frozenset[str] = frozenset()
    chunks: frozenset[str] = frozenset()
    masked: Mapping[str, str] = field(default_factory=dict)
    numbers: Mapping[str, int] = field(default_factory=dict)
    iris: frozenset[str] = frozenset()

    def blank(self, text: str, document: str, start: int) -> str:
        """Return a text that begins at `start` of a document, with blanks for what is left out of it."""
        for begin, end in self.spans.get(document, ()):
            first, last = max(0, begin - start), min(len(text), end - start)
            if first < last:
                text = text[:first] + " " * (last - first) + text[last:]
        return text


def _gone(stores: Collection, left: LeftOut) -> Gone:
    """Find all that goes with what is left out."""
    sources = stores.sources
    facts, entities = {variant for fact in left.facts for variant in sources.merged.variants(fact)}, set[str]()
    spans: dict[str, list[tuple[int, int]]] = {}
    for iri in left.iris:
        if stores.library.document(iri):
            spans.setdefault(iri, []).append((0, 1 << 40))
        elif found := sources.chunk(iri) or sources.passage(iri):
            spans.setdefault(found[0].document, []).append((found[0].start, found[0].end))
        else:
            for one in sources.merged.all(iri):
                entities.add(one)
                facts.update(facts_about(stores.graph, NamedNode(one)))
                for document, span in _naming(stores, one):
                    spans.setdefault(document, []).append(span)
    for fact in facts:
        for passage in sources.passages(fact):
            for span in _sentences_at(stores, passage):
                spans.setdefault(passage.document, []).append(span)
    chunks, masked = _chunks(stores, spans)
    numbers = stores.library.chunk_numbers([*chunks, *masked])
    known = frozenset(map(str, facts))
    gone = Gone(
        spans, known, frozenset(), frozenset(entities), frozenset(chunks), masked, numbers, frozenset(left.iris)
    )
    rows, others = _rows(stores, gone)
    return replace(gone, facts=known | others, rows=frozenset(rows))


def _naming(stores: Collection, entity: str) -> Iterator[tuple[str, tuple[int, int]]]:
    """Yield the sentences that name an entity, each as a document and its span there."""
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


def _sentences_at(stores: Collection, passage: Passage) -> list[tuple[int, int]]:
    """Return the span of a passage, widened to the whole of each sentence of its chunk that it has words of."""
    found = [(passage.start, passage.end)]
    for chunk in stores.sources.chunk(passage.chunk):
        for start, end in _sentence_spans(stores, chunk.chunk, chunk.text):
            first, last = max(start, passage.start - chunk.start), min(end, passage.end - chunk.start)
            if first < last and _WORD.search(chunk.text[first:last]):
                found.append((chunk.start + start, chunk.start + end))
    return found


def _sentence_spans(stores: Collection, chunk: str, text: str) -> list[tuple[int, int]]:
    """Return the sentences of a chunk; the whole of one of which none are stored."""
    stored = stores.sentences.of([chunk]).get(chunk, ())
    return [(one.start, one.end) for one in stored] or [(0, len(text))]


def _chunks(stores: Collection, spans: Mapping[str, Sequence[tuple[int, int]]]) -> tuple[set[str], dict[str, str]]:
    """Return the chunks that have lost all their words, and the texts of those that have lost some."""
    gone, masked = set[str](), dict[str, str]()
    blank = Gone(spans).blank
    for document in spans:
        for iri in stores.library.chunks_of(document):
            for chunk in stores.sources.chunk(iri):
                left = blank(chunk.text, document, chunk.start)
                if not _WORD.search(left):
                    gone.add(iri)
                elif left != chunk.text:
                    masked[iri] = left
    return gone, masked


def _rows(stores: Collection, gone: Gone) -> tuple[set[int], set[str]]:
    """Return the rows of edges that go, and the keys of facts of which with these no row is left."""
    database = stores.database
    by_key = "SELECT number, key FROM vectors WHERE kind = 'edge' AND key IN (SELECT value FROM json_each(?))"
    rows = {row["number"]: row["key"] for row in database.rows(by_key, (Many(gone.facts),))}
    of_chunks = database.rows(
        "SELECT number, key, chunk, text FROM vectors WHERE number IN "
        "(SELECT fact FROM links WHERE chunk IN (SELECT value FROM json_each(?)))",
        (Many(gone.numbers.values()),),
    )
    facts = facts_of(row["key"] for row in of_chunks if row["chunk"] in gone.masked)
    rows |= {
        number: key for number, key, chunk, text in of_chunks
        if chunk in gone.chunks or (chunk in gone.masked and _is_lost(stores, gone, facts[key], chunk, text))
    }  # fmt: skip
    others = {*rows.values()} - gone.facts
    left = {row["key"] for row in database.rows(by_key, (Many(others),)) if row["number"] not in rows}
    return {*rows}, others - left


def _is_lost(stores: Collection, gone: Gone, fact: Triple, chunk: str, text: str) -> bool:
    """Return whether the sentence of a chunk that a row stands for has no words left; `text` holds its words."""
    told = [one for one in stores.sources.passages(fact) if one.chunk == chunk]
    told = [one for one in told if " ".join(one.text.split()) in text] or told
    return bool(told) and not any(_WORD.search(gone.blank(one.text, one.document, one.start)) for one in told)


class _Links(Links):
    """Links without the rows of what is gone."""

    def __init__(self, whole: Links, gone: Gone) -> None:
        super().__init__(whole.database)
        self._whole, self._gone = whole, gone
        self._made: tuple[LinkGraph, LinkGraph] | None = None

    def graph(self) -> LinkGraph:
        """Return the graph of all facts that are left."""
        whole = self._whole.graph()
        if self._made is None or self._made[0] is not whole:
            self._made = whole, whole.where(self._there)
        return self._made[1]

    def entities(self, iris: Iterable[str]) -> dict[str, int]:
        """Return the nodes of entities that are left."""
        return self._whole.entities(iri for iri in iris if iri not in self._gone.entities)

    def _there(self, graph: Rows) -> NDArray[np.bool_]:
        import numpy as np

        nodes = list(self._whole.entities(self._gone.entities).values())
        chunks = [
            graph.passages_from + self._gone.numbers[iri] for iri in self._gone.chunks if iri in self._gone.numbers
        ]
        there = ~np.isin(graph.fact, [*self._gone.rows]) | (graph.fact <= 0)
        there &= ~(np.isin(graph.head, nodes) | np.isin(graph.tail, nodes) | np.isin(graph.passage, chunks))
        for iri, text in self._gone.masked.items():
            words = f" {' '.join(_TOKEN.findall(text.lower()))} "
            rows = np.flatnonzero(
                (graph.passage == graph.passages_from + self._gone.numbers.get(iri, -2)) & (graph.fact < 0)
            )
            names = self._whole.iris(graph.head[rows].tolist())
            for row in rows.tolist():  # a name that only the lost words held
                name = unquote(names.get(int(graph.head[row]), "").removeprefix(ENTITY_BASE))
                there[row] &= f" {' '.join(_TOKEN.findall(name))} " in words
        return there


class _Library(Library):
    """The library without chunks that are gone, and with blanks in those that have lost words."""

    def __init__(self, whole: Library, gone: Gone) -> None:
        super().__init__(whole.database)
        self._keywords, self._gone = whole._keywords, gone  # noqa: SLF001 - it shares what is counted

    def text(self, iri: str) -> str:
        """Return a content as text, with blanks for what is left out of a chunk or document."""
        return self._gone.masked.get(iri) or self._gone.blank(super().text(iri), iri, 0)

    def search(self, words: Iterable[str], limit: int = 10) -> list[tuple[str, float]]:
        """Find chunks that hold any of the words; one that has lost some of them scores less by their weight."""
        asked = list(words)
        found = super().search(asked, self._more(limit))
        left = ((iri, score * self._share(asked, iri)) for iri, score in found if iri not in self._gone.chunks)
        return sorted(((iri, score) for iri, score in left if score > 0), key=lambda one: -one[1])[:limit]

    def _more(self, limit: int) -> int:
        return limit + len(self._gone.chunks) + len(self._gone.masked)

    def chunk_numbers(self, iris: Iterable[str]) -> dict[str, int]:
        """Return the numbers of chunks by their IRIs, without those that are gone."""
        return super().chunk_numbers(iri for iri in iris if iri not in self._gone.chunks)

    def _share(self, words: Sequence[str], iri: str) -> float:
        """Return by how much of the words' rarity a chunk still holds those that it held."""
        if iri not in self._gone.masked:
            return 1.0
        there = [_beginnings(text) for text in (super().text(iri), self._gone.masked[iri])]
        before, now = (sum(self.rarity(word) for word in words if _beginnings(word) & held) for held in there)
        return min(1.0, now / before) if before > 0 else float(bool(_beginnings(" ".join(words)) & there[1]))


def _beginnings(text: str) -> set[str]:
    """Return the words of a text by their first letters, as the keyword index takes forms of a word for one."""
    return {word[: max(4, len(word) - 3)] for word in _TOKEN.findall(text.lower())}


class _Vectors(VectorIndex):
    """Vectors without those that are gone; a chunk that has lost words has the vector of those that are left."""

    def __init__(self, stores: Collection, gone: Gone, embed: Embed) -> None:
        whole = stores.vectors
        super().__init__(whole.database, whole.few)
        self._indexes, self._keywords = whole._indexes, whole._keywords  # noqa: SLF001 - it shares what is read already
        self._gone, self._embed, self._stores = gone, embed, stores

    def chunks(self, keys: Sequence[str]) -> tuple[dict[str, str], Matrix]:
        """Return the texts of chunks and their vectors, as they are left."""
        import numpy as np

        texts, vectors = super().chunks([key for key in keys if key not in self._gone.chunks])
        places = {key: place for place, key in enumerate(texts)}
        rows = [(key, text, vector) for key, text, _, vector in self._masked if key in places]
        if not rows:
            return texts, vectors
        vectors = np.array(vectors)
        for key, text, vector in rows:
            texts[key], vectors[places[key]] = text, vector
        return texts, vectors

    def edges(self, numbers: Sequence[int]) -> tuple[dict[int, Entry], Matrix]:
        """Return edges by their row numbers, and their vectors, without those that are gone."""
        return super().edges([number for number in numbers if number not in self._gone.rows])

    @cached_property
    def _masked(self) -> list[tuple[str, str, int, NDArray[np.float32]]]:
        """The chunks that have lost words: key, text, row and vector of each."""
        rows = self._numbers("chunk", self._gone.masked)
        if not rows:
            return []
        library = self._stores.library
        told = {key: text.replace(library.text(key), self._gone.masked[key]) for _, key, text in rows}
        vectors = unit(self._embed([_spaced(told[key]) for _, key, _ in rows]))
        return [(key, told[key], number, vector) for (number, key, _), vector in zip(rows, vectors, strict=True)]

    @cached_property
    def _without(self) -> dict[str, set[int]]:
        chunks = {number for number, _, _ in self._numbers("chunk", {*self._gone.chunks, *self._gone.masked})}
        entities = {number for number, _, _ in self._numbers("entity", self._gone.entities)}
        return {"edge": {*self._gone.rows}, "chunk": chunks, "entity": entities}

    def _numbers(self, kind: str, keys: Iterable[str]) -> list[tuple[int, str, str]]:
        rows = self.database.rows(
            "SELECT number, key, text FROM vectors WHERE kind = ? AND key IN (SELECT value FROM json_each(?)) "
            "ORDER BY number", (kind, Many(keys)),
        )  # fmt: skip
        return [tuple(row) for row in rows]

    def _nearest(self, kind: str, queries: Matrix, limit: int) -> list[list[tuple[int, float]]]:
        gone = self._without.get(kind, set())
        found = [[hit for hit in ranking if hit[0] not in gone]
                 for ranking in super()._nearest(kind, queries, limit + len(gone))]  # fmt: skip
        if kind == "chunk":
            for ranking, query in zip(found, queries, strict=True):
                ranking += [(number, float(vector @ query)) for _, _, number, vector in self._masked]
                ranking.sort(key=lambda hit: (-hit[1], hit[0]))
        return [ranking[:limit] for ranking in found]

    def _worded(self, words: Iterable[str], limit: int) -> list[tuple[int, float]]:
        gone = self._without["edge"]
        return [hit for hit in super()._worded(words, limit + len(gone)) if hit[0] not in gone][:limit]

    def _hits(self, found: Sequence[Sequence[tuple[int, float]]]) -> list[list[Hit]]:
        told = {number: text for _, text, number, _ in self._masked} if self._gone.masked else {}
        return [[replace(hit, text=told.get(hit.number, hit.text)) for hit in hits] for hits in super()._hits(found)]


def _spaced(text: str) -> str:
    return re.sub(r" {2,}", " ", text)


class _Sources(Sources):
    """Sources with blanks for what is left out; a passage without a word left is none."""

    def __init__(self, whole: Sources, gone: Gone) -> None:
        super().__init__(whole.graph, whole.library)
        self._whole, self._gone = whole, gone

    def forget(self) -> None:
        """Clear the caches of the whole."""
        self._whole.forget()

    def ahead(self, edges: Iterable[Triple] = (), chunks: Iterable[str] = (), entities: Iterable[str] = ()) -> None:
        """Read ahead what the whole has of some edges, chunks and entities."""
        self._whole.ahead(edges, chunks, entities)

    def labels_of(self, nodes: Iterable[str]) -> dict[str, str]:
        """Return the labels of entities, by IRI; one without a label is left out."""
        return self._whole.labels_of(nodes)

    def passages(self, edge: Triple) -> tuple[Passage, ...]:
        """Return the passages of a fact that have words left; of a fact that is left out none."""
        return self.passages_at(edge, None)

    def passages_at(self, edge: Triple, at: str | None) -> tuple[Passage, ...]:
        """Return the passages of a fact that were there at a moment and have words left."""
        return () if str(edge) in self._gone.facts else self._left(self._whole.passages_at(edge, at))

    def passage(self, iri: str) -> tuple[Passage, ...]:
        """Return the passage of a subgraph, as it is left."""
        return self._left(self._whole.passage(iri))

    def chunk(self, iri: str) -> tuple[Passage, ...]:
        """Return a whole chunk as a passage, as it is left."""
        return self._left(self._whole.chunk(iri))

    def label(self, iri: str) -> str | None:
        """Return the label of an entity in the default graph."""
        return self._whole.label(iri)

    def _left(self, passages: Iterable[Passage]) -> tuple[Passage, ...]:
        blank = self._gone.blank
        left = (
            one if one.document not in self._gone.spans else replace(
                one, text=blank(one.text, one.document, one.start),
                before=blank(one.before, one.document, one.start - len(one.before)),
                after=blank(one.after, one.document, one.end),
            ) for one in passages
        )  # fmt: skip
        return tuple(one for one in left if _WORD.search(one.text) or not (one.text or one.until is None))


class _Sentences(Sentences):
    """Sentences without those that have lost words."""

    def __init__(self, stores: Collection, gone: Gone) -> None:
        super().__init__(stores.database)
        self._whole, self._gone = stores, gone

    def of(self, chunks: Iterable[str]) -> dict[str, tuple[StoredSentence, ...]]:
        """Return the sentences of chunks that are left whole, in order."""
        found = super().of(chunk for chunk in chunks if chunk not in self._gone.chunks)
        for iri, text in self._gone.masked.items():
            if iri in found:
                found[iri] = tuple(one for one in found[iri] if text[one.start : one.end] == one.text)
        return found

    def texts(self, chunks: Iterable[str]) -> dict[str, list[str]]:
        """Return the words of the sentences that are left whole."""
        return {iri: [one.text for one in found] for iri, found in self.of(chunks).items()}


class _Graph(OxigraphStore):
    """Facts and their sources without what is left out, and without runs, copied when a query is put to it."""

    def __init__(self, stores: Collection, gone: Gone) -> None:
        super().__init__(None)
        self._whole, self._sources, self._gone = stores.graph, stores.sources, gone

    @property
    def store(self) -> Store:
        """A store in memory with what is left."""
        if self._store is None:
            self._store = Store()
            quads = (quad for graph in (FACTS, SOURCE) for quad in self._whole.match(graph=graph))
            self._store.bulk_extend(filter(self._is_left, quads))
        return self._store

    def _is_left(self, quad: Quad) -> bool:
        ends = {end.value for end in (quad.subject, quad.object) if isinstance(end, NamedNode)}
        if ends & self._gone.iris or ends & self._gone.chunks:
            return False
        if quad.predicate == TG.sourceText and isinstance(quad.subject, NamedNode):
            told, blank = self._sources.passage(quad.subject.value), self._gone.blank
            return all(blank(one.text, one.document, one.start) == one.text for one in told)
        return str(quad.object if isinstance(quad.object, Triple) else quad.triple) not in self._gone.facts
