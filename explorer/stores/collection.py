"""One collection: its graph, library, vectors and source look-up, opened and closed together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import cast

from pyoxigraph import Literal, NamedNode, Triple

from explorer.errors import WorkspaceError
from explorer.stores import library, merged_entities
from explorer.stores.database import ANEW, Database, Transaction
from explorer.stores.default_graph import quad_of
from explorer.stores.document_names import older_documents
from explorer.stores.fact_sources import Sources
from explorer.stores.graph import GraphStore, OxigraphStore, place_of
from explorer.stores.library import Library
from explorer.stores.link_graph import Links, facts_of
from explorer.stores.reading_ahead import RememberedGraph
from explorer.stores.run_rows import RunTable
from explorer.stores.sentences import Sentences
from explorer.stores.sqlite import SqliteDatabase
from explorer.stores.vectors import search
from explorer.stores.vectors.search import VectorIndex
from explorer.vocab import FACTS, PASSAGE, TG

LIBRARY = "library.sqlite"
_LOST = "{} is missing, while the rest of the collection is there; restore it, or move {} away and ingest again."


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
    graph: GraphStore
    library: Library
    vectors: VectorIndex
    sources: Sources
    sentences: Sentences
    links: Links
    _seen: list[object] = field(default_factory=list, init=False, repr=False, compare=False)

    @property
    def read_only(self) -> bool:
        """Whether nothing can be written."""
        return self.database.read_only

    @property
    def runs(self) -> RunTable:
        """The rows by which its runs are listed."""
        return RunTable(self.database)

    @property
    def size(self) -> Size:
        """How much it holds."""
        [row] = self.database.rows(
            "SELECT (SELECT count(*) FROM documents WHERE state = 'done'), (SELECT count(*) FROM listing), "
            "(SELECT count(*) FROM documents WHERE state = 'done' AND mime = ?)",
            (PASSAGE,),
        )
        older = {NamedNode(one.iri) for one in older_documents(self.database)}
        enclosed = self.database.rows("SELECT iri FROM enclosed WHERE iri NOT IN (SELECT iri FROM documents)")
        older |= {NamedNode(row["iri"]) for row in enclosed}
        pages = sum(
            int(quad.object.value) for quad in self.graph.match(None, TG.pageCount, None, FACTS)
            if isinstance(quad.object, Literal) and quad.subject not in older
        )  # fmt: skip
        return Size(row[0], pages - row[2], self.vectors.distinct("edge"), row[1])  # passages have one too

    def held(self, kind: str) -> int:
        """Return how many vectors of a kind it has, or by the name "text" how many chunks."""
        return self.database.tally(kind).held

    def refresh(self) -> None:
        """Read what another process has written since; raises WorkspaceError where its folder is not there any more."""
        if self.database.is_shared:
            self.graph.refresh()
            state = self.database.state()
            if self._seen != [state]:
                self.sources.forget()
                self._seen[:] = [state]
        elif self.read_only:
            self.graph.refresh()
            self.sources.forget()
        else:
            self.database.state()  # raises where its folder is gone

    def remembering(self) -> Collection:
        """Return it for reading while nobody changes it: what its graph has of a node is read once."""
        return replace(self, graph=cast("GraphStore", RememberedGraph(self.graph)))

    def bundled(self, words: Iterable[str] = ()) -> Collection:
        """Return it for the length of one question: over a server what its engine reads ahead is one statement.

        `words` are those that it will look for.
        """
        database = self.database.bundled()
        if database is self.database:
            return self
        made = replace(
            self, database=database, library=Library(database), vectors=VectorIndex(database, self.vectors.few),
            sentences=Sentences(database), links=Links(database),
        )  # fmt: skip
        standing = *library.STANDING, *search.STANDING, *merged_entities.STANDING
        asked = list(words)
        database.read_ahead((
            *(partial(database.rows, *one) for one in standing),
            partial(made.library.look, asked), partial(made.vectors.look, asked),
        ))  # fmt: skip
        return made

    def recorded(self, keys: Iterable[str]) -> dict[str, Triple]:
        """Read facts from the keys of their vectors, if the graph has them: a vector may be of one that was cut off."""
        quads = {key: quad_of(fact) for key, fact in facts_of(keys).items()}
        stored = self.graph.stored(quads.values())
        return {key: quad.triple for key, quad in quads.items() if quad in stored}

    def finish_removal(self) -> None:
        """Where words were removed from the texts of runs, have no file hold them any more."""
        if self.database.rows("SELECT 1 FROM settings WHERE name = ?", (ANEW,)):
            self.write_anew()

    def write_anew(self) -> None:
        """Have nothing that was removed be left in any file: a place that was freed keeps what it held until then."""
        self.graph.write_anew()
        self.database.write_anew()

    def close(self) -> None:
        """Close all stores; raises nothing when they are closed already."""
        self.graph.close()
        self.database.close()


def write_anew(connection: Transaction) -> None:
    """Write down that files may hold what was removed, until they are written anew; in the caller's transaction."""
    connection.execute("INSERT INTO settings VALUES (?, '') ON CONFLICT DO NOTHING", (ANEW,))


def open_collection(folder: Path | None, *, read_only: bool = False) -> Collection:
    """Open the collection in a folder, or a new one in memory; raises WorkspaceError."""
    if folder is not None:
        # a library is made before its graph
        if (place_of(folder / "graph") / "CURRENT").exists() and not (folder / LIBRARY).exists():
            raise WorkspaceError(_LOST.format(folder / LIBRARY, folder))
        if not read_only:
            folder.mkdir(parents=True, exist_ok=True)
    database = SqliteDatabase(folder and folder / LIBRARY, read_only=read_only).open()
    graph = OxigraphStore(folder and folder / "graph", read_only=read_only)
    try:
        if folder is None:
            graph.open()
        else:
            _open_graph(graph, folder, database)
    except BaseException:
        graph.close()
        database.close()
        raise
    return joined(database, graph)


def joined(database: Database, graph: GraphStore) -> Collection:
    """Return the collection that an open database and an open graph are together."""
    held = Library(database)
    sources, sentences = Sources(graph, held), Sentences(database)
    return Collection(database, graph, held, VectorIndex(database), sources, sentences, Links(database))


def _open_graph(graph: OxigraphStore, folder: Path, database: Database) -> None:
    """Open the graph; raises WorkspaceError where it is missing, or empty, while the library knows what was in it."""
    # before the graph is looked at, as another process may be filling both
    documents = database.rows("SELECT 1 FROM documents WHERE state = 'done' LIMIT 1")
    runs = database.rows("SELECT 1 FROM listing LIMIT 1")
    if (documents or runs) and not (place_of(folder / "graph") / "CURRENT").exists():
        raise WorkspaceError(_LOST.format(f"The graph in {folder / 'graph'}", folder))
    graph.open()
    if documents and next(iter(graph.match()), None) is None:
        raise WorkspaceError(_LOST.format(f"All that was in {folder / 'graph'}", folder))
