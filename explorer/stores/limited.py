"""A collection as it would be with some of its documents alone: engines read it as they read any other.

Nothing is written. How rare a word is counts in the whole collection, so that what is there is scored as before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from pyoxigraph import NamedNode, Quad, Store, Triple

from explorer.errors import QuestionError, RecordError
from explorer.events import Passage
from explorer.stores.collection import Collection
from explorer.stores.database import LinkGraph, Many, Rows
from explorer.stores.documents import find_document
from explorer.stores.graph import OxigraphStore
from explorer.stores.keywords import Keywords, bare
from explorer.stores.library import Library
from explorer.stores.link_graph import Links
from explorer.stores.sources import Sources
from explorer.stores.vectors.index import nearest_rows, stored
from explorer.stores.vectors.search import VectorIndex
from explorer.text import one_line
from explorer.vocab import FACTS, PROV, RDFS, SOURCE, TG

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from explorer.stores.vectors.index import Matrix, Numbers


@runtime_checkable
class HasIri(Protocol):
    """Any value that stands for a node: a document, an entity, a node of the record."""

    @property
    def iri(self) -> str:
        """The IRI of the node."""


def named_documents(stores: Collection, given: Iterable[str | HasIri]) -> tuple[str, ...]:
    """Return the IRIs of documents, given as values, IRIs, paths or titles; raises QuestionError for what is none."""
    if isinstance(given, str | HasIri) or not isinstance(given, Iterable):
        raise QuestionError(f"documents must be a list of documents, titles or IRIs, not {one_line(repr(given))}.")
    try:
        found = [find_document(stores.database, one.iri if isinstance(one, HasIri) else str(one)).iri for one in given]
    except RecordError as error:
        raise QuestionError(str(error)) from error
    return tuple(sorted(set(found)))


def limited(stores: Collection, documents: Sequence[str]) -> Limited:
    """Return a collection with some of its documents alone."""
    kept = _Kept(stores, frozenset(documents))
    return Limited(
        stores.database, _Graph(kept), _Library(kept), _Vectors(kept), LimitedSources(stores.sources, kept.documents),
        stores.sentences, _Links(kept), stores, kept,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Limited(Collection):
    """What some documents hold."""

    whole: Collection
    kept: _Kept

    def held(self, kind: str) -> int:
        """Return how many vectors of a kind these documents have, or by the name "text" how many chunks."""
        return len(self.kept.chunks) if kind == "text" else len(self.kept.rows(kind))

    def refresh(self) -> None:
        """Read what another process has written since; which rows are there stays as it was."""
        self.whole.refresh()

    def recorded(self, keys: Iterable[str]) -> dict[str, Triple]:
        """Read facts from the keys of their vectors, if the graph has them."""
        return self.whole.recorded(keys)

    def close(self) -> None:
        """Leave the stores open: they are those of the whole collection."""


class _Kept:
    """The rows of some documents: their chunks by number, and the vectors of each kind."""

    def __init__(self, stores: Collection, documents: frozenset[str]) -> None:
        self.stores, self.documents = stores, documents

    @cached_property
    def chunks(self) -> dict[int, str]:
        rows = self.stores.database.rows(
            "SELECT number, iri FROM chunks WHERE document IN (SELECT value FROM json_each(?)) ORDER BY number",
            (Many(sorted(self.documents)),),
        )
        return dict(map(tuple, rows))

    @cached_property
    def _rows(self) -> dict[str, list[int]]:
        chunks = Many(self.chunks)
        edges = "SELECT fact FROM links WHERE chunk IN (SELECT value FROM json_each(?)) ORDER BY fact"
        of_chunks = "SELECT number FROM vectors WHERE kind = 'chunk' AND key IN (SELECT value FROM json_each(?))"
        ends = (
            "SELECT number FROM vectors WHERE kind = 'entity' AND key IN (SELECT iri FROM terms WHERE number IN "
            "(SELECT head FROM links WHERE chunk IN (SELECT value FROM json_each(?)) "
            "UNION SELECT tail FROM links WHERE chunk IN (SELECT value FROM json_each(?))))"
        )
        asked = {"edge": (edges, [chunks]), "chunk": (of_chunks, [Many(self.chunks.values())]),
                 "entity": (ends, [chunks, chunks])}  # fmt: skip
        return {
            kind: sorted(row[0] for row in self.stores.database.rows(sql, values))
            for kind, (sql, values) in asked.items()
        }

    def rows(self, kind: str) -> list[int]:
        return self._rows.get(kind, [])


class _Rows:
    """Search among some vectors of one kind: each is compared."""

    def __init__(self, kept: _Kept, kind: str) -> None:
        self._kept, self._kind = kept, kind

    def nearest(self, queries: Matrix, limit: int) -> list[list[tuple[int, float]]]:
        """Find for each query row the nearest of them: (row number, cosine), best first, then as stored."""
        return [nearest_rows(*self._vectors, query, limit) for query in queries]

    def make_ready(self) -> None:
        """Do nothing: vectors are read when they are searched."""

    @cached_property
    def _vectors(self) -> tuple[Numbers, Matrix]:
        return stored(self._kept.stores.database, self._kept.rows(self._kind))


class _Vectors(VectorIndex):
    """The vectors of some documents."""

    def __init__(self, kept: _Kept) -> None:
        whole = kept.stores.vectors
        super().__init__(whole.database, whole.few)
        self._indexes = {kind: _Rows(kept, kind) for kind in ("edge", "chunk", "entity")}
        self._keywords = _Words(whole._keywords, lambda: kept.rows("edge"))  # noqa: SLF001 - it shares what is counted


class _Words(Keywords):
    """Keyword search in some rows; how frequent words are counts in all."""

    def __init__(self, whole: Keywords, rows: Callable[[], Iterable[int]]) -> None:
        super().__init__(whole.database, whole.kind)
        self._whole, self._kept = whole, rows

    def search(self, words: Iterable[str], limit: int) -> list[tuple[int, float]]:
        """Find those of the rows that hold any of the words: (row number, BM25), best first, then as stored."""
        return self.words.ranked(bare(words), limit, self._kept())

    def frequencies(self, words: Iterable[str]) -> dict[str, int]:
        """Return how many rows of the whole collection hold each of some words."""
        return self._whole.frequencies(words)

    def frequency(self, word: str) -> tuple[int, int]:
        """Return how many rows the whole collection has, and how many of them hold a word."""
        return self._whole.frequency(word)


class _Library(Library):
    """The library, searched in some documents."""

    def __init__(self, kept: _Kept) -> None:
        whole = kept.stores.library
        super().__init__(whole.database)
        self._keywords = _Words(whole._keywords, lambda: kept.chunks)  # noqa: SLF001 - as above


class _Links(Links):
    """The links of some documents."""

    def __init__(self, kept: _Kept) -> None:
        super().__init__(kept.stores.database)
        self._whole, self._kept = kept.stores.links, kept
        self._made: tuple[LinkGraph, LinkGraph] | None = None

    def graph(self) -> LinkGraph:
        """Return the graph of the facts taken from these documents, and of the names that they mention."""
        whole = self._whole.graph()
        if self._made is None or self._made[0] is not whole:
            self._made = whole, whole.where(self._there)
        return self._made[1]

    def _there(self, graph: Rows) -> NDArray[np.bool_]:
        import numpy as np

        return np.isin(graph.passage, [graph.passages_from + number for number in self._kept.chunks])


class LimitedSources(Sources):
    """Sources in some documents; a fact that was taken from others too has only those here."""

    def __init__(self, whole: Sources, documents: Iterable[str]) -> None:
        """Read what `whole` reads."""
        super().__init__(whole.graph, whole.library)
        self._whole, self._documents = whole, frozenset(documents)

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
        """Return the passages of a fact in these documents."""
        return self.passages_at(edge, None)

    def passages_at(self, edge: Triple, at: str | None) -> tuple[Passage, ...]:
        """Return the passages of a fact in these documents that were there at a moment."""
        return self._here(self._whole.passages_at(edge, at))

    def passage(self, iri: str) -> tuple[Passage, ...]:
        """Return the passage of a subgraph, if it stands in one of these documents."""
        return self._here(self._whole.passage(iri))

    def chunk(self, iri: str) -> tuple[Passage, ...]:
        """Return a whole chunk as a passage, if it is of one of these documents."""
        return self._here(self._whole.chunk(iri))

    def label(self, iri: str) -> str | None:
        """Return the label of an entity in the default graph."""
        return self._whole.label(iri)

    def _here(self, passages: Iterable[Passage]) -> tuple[Passage, ...]:
        return tuple(one for one in passages if one.document in self._documents)


class _Graph(OxigraphStore):
    """The facts of some documents and their sources, without runs, copied when a query is put to it."""

    def __init__(self, kept: _Kept) -> None:
        super().__init__(None)
        self._kept = kept

    @property
    def store(self) -> Store:
        """A store in memory with what these documents hold."""
        if self._store is None:
            self._store = Store()
            self._store.bulk_extend(self._quads())
        return self._store

    def _quads(self) -> Iterator[Quad]:
        match = self._kept.stores.graph.match
        wave = [NamedNode(document) for document in sorted(self._kept.documents)]
        seen, ends = set(wave), set[NamedNode]()
        while wave:  # from a document to its parts, their chunks, and what was taken from these
            node = wave.pop()
            for quad in (*match(node, None, None, FACTS), *match(node, None, None, SOURCE)):
                yield quad
                if quad.predicate in (TG.contains, TG.reifies) and isinstance(fact := quad.object, Triple):
                    named = [end for end in (fact.subject, fact.predicate, fact.object) if isinstance(end, NamedNode)]
                    ends.update(named)
                    if isinstance(fact.subject, NamedNode):
                        yield from match(fact.subject, fact.predicate, fact.object, FACTS)
                elif quad.predicate in (PROV.wasGeneratedBy, PROV.wasAssociatedWith):
                    wave += _new([quad.object], seen)
            wave += _new((quad.subject for quad in match(None, PROV.wasDerivedFrom, node, SOURCE)), seen)
        for end in ends:
            yield from match(end, RDFS.label, None, FACTS)


def _new(nodes: Iterable[object], seen: set[NamedNode]) -> list[NamedNode]:
    """Return those of some nodes that were not seen before, and note them."""
    new = [node for node in nodes if isinstance(node, NamedNode) and node not in seen]
    seen.update(new)
    return new
