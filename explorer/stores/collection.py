"""One collection: its graph, library, vectors and source look-up, opened and closed together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from pyoxigraph import Quad, Triple

from explorer.stores.database import Database
from explorer.stores.graph import OxigraphStore
from explorer.stores.library import Library
from explorer.stores.link_graph import Links, facts_of
from explorer.stores.sentences import Sentences
from explorer.stores.sources import Sources
from explorer.stores.vectors.search import VectorIndex
from explorer.vocab import FACTS, PASSAGE, TG


@dataclass(frozen=True, slots=True)
class Size:
    """How much a collection holds: pages are those of files, facts count once however many sources they have."""

    documents: int
    pages: int
    facts: int
    traces: int


@dataclass(frozen=True, slots=True)
class Collection:
    """The open stores of one collection."""

    database: Database
    graph: OxigraphStore
    library: Library
    vectors: VectorIndex
    sources: Sources
    sentences: Sentences
    links: Links

    @property
    def read_only(self) -> bool:
        """Whether nothing can be written."""
        return self.database.read_only

    @property
    def size(self) -> Size:
        """How much it holds."""
        [row] = self.database.rows(
            "SELECT (SELECT count(*) FROM documents WHERE state = 'done'), (SELECT count(*) FROM listing), "
            "(SELECT count(*) FROM documents WHERE state = 'done' AND mime = ?)",
            (PASSAGE,),
        )
        pages = sum(1 for _ in self.graph.match(None, TG.pageNumber)) - row[2]  # passages have one too
        return Size(row[0], pages, self.vectors.distinct("edge"), row[1])

    def held(self, kind: str) -> int:
        """Return how many vectors of a kind it has, or by the name "text" how many chunks."""
        return self.database.tally(kind).held

    def refresh(self) -> None:
        """Read what another process has written since; does nothing where this one writes."""
        if self.read_only:
            self.graph.refresh()
            self.sources.forget()

    def recorded(self, keys: Iterable[str]) -> dict[str, Triple]:
        """Read facts from the keys of their vectors, if the graph has them: a vector may be of one that was cut off."""
        store, facts = self.graph.store, facts_of(keys)
        return {key: it for key, it in facts.items() if Quad(it.subject, it.predicate, it.object, FACTS) in store}

    def close(self) -> None:
        """Close all stores; raises nothing when they are closed already."""
        self.graph.close()
        self.database.close()


def open_collection(folder: Path | None, *, read_only: bool = False) -> Collection:
    """Open the collection in a folder, or a new one in memory; raises WorkspaceError."""
    if folder is not None and not read_only:
        folder.mkdir(parents=True, exist_ok=True)
    database = Database(folder and folder / "library.sqlite", read_only=read_only).open()
    graph = OxigraphStore(folder and folder / "graph", read_only=read_only).open()
    library = Library(database)
    sources, sentences = Sources(graph, library), Sentences(database)
    return Collection(database, graph, library, VectorIndex(database), sources, sentences, Links(database))
