"""Documents into the stores: pages, chunks, edges with their sources, labels, vectors, keywords.

The library is the journal. The contents and vectors of some documents are committed as `writing`, their quads go into
the graph in one transaction, then they are marked `done`. What was cut off in between is mended when the collection
is opened.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Protocol

from pyoxigraph import Literal, NamedNode, Quad, Triple

from explorer import rdf
from explorer.entities import ADDED
from explorer.errors import WorkspaceError
from explorer.events import Content
from explorer.ingest.by_hand import AddedFact, added_facts
from explorer.ingest.extraction.rules import ExtractedEdge
from explorer.ingest.gc_pauses import seldom_collected
from explorer.ingest.indexed_rows import Rows
from explorer.ingest.parsed import ExtractedDocument, Extraction, Parsed, head_of, joined, named_nodes, triple
from explorer.ingest.provenance import (
    activity_quads,
    call_hashes,
    chunk_quads,
    document_quads,
    extraction_activity,
    part_quads,
    sizes_of,
    subgraph,
    subgraph_iri,
)
from explorer.ingest.recovery import is_removed, mend, undo
from explorer.ingest.removal import holdings, replace_older
from explorer.ingest.vectors import Vectors
from explorer.models.embedding import Embedder
from explorer.rdf.labels import edge_labels
from explorer.stores.curation_journal import wait
from explorer.stores.database import AwayError, Transaction, numbered
from explorer.stores.default_graph import quad_of
from explorer.stores.document_rows import (
    finish_documents,
    put_documents,
    put_extracted,
    put_hash,
    put_standing,
    put_stretch,
)
from explorer.stores.fact_sources import Sources
from explorer.stores.graph import GraphStore, emptied
from explorer.stores.library import Library, StoredDocument, put_contents
from explorer.stores.stored_corrections import last_of, moved, name_of, retracted
from explorer.stores.vectors.search import claim_embedder
from explorer.vocab import ENTITY_BASE, FACTS, PROV, RDFS, SOURCE, TG, Graph, X, local_name, timestamp

_PAUSE = 0.1  # seconds between looking whether another process has stored a document
_FLUSHED = 10  # parts of a long text


class TakenError(WorkspaceError):
    """A document is being stored by another process."""


class Anew(Protocol):
    """Takes what is found in documents that are gone through again, in place of a pipeline."""

    def waits(self, document: str, extractor: str) -> bool:
        """Return whether an extractor is to go through a document."""

    def take(self, found: ExtractedDocument) -> int:
        """Take what was found in a document, by an extractor or some; returns how many facts that is."""


@dataclass(slots=True)
class _Together:
    """What several batches have for the graph, and their documents without texts: in the library, but not whole."""

    quads: list[Quad] = field(default_factory=list)
    documents: list[ExtractedDocument] = field(default_factory=list)
    labelled: set[NamedNode] = field(default_factory=set)


@dataclass(slots=True)
class Pipeline:
    """Stores documents and edges, each document whole or not at all; `clock` returns the time."""

    graph: GraphStore
    library: Library
    embedder: Embedder
    clock: Callable[[], datetime]
    replaced: int = field(default=0, init=False)
    """How many documents have left for newer versions."""
    by_hand: list[str] = field(default_factory=list, init=False)
    """Facts added by hand that went with them, in words."""
    carried: list[str] = field(default_factory=list, init=False)
    """Facts added by hand that went on to newer versions, in words."""
    anew: Anew | None = None
    """Who takes what is found, where documents that are here are gone through again."""
    _vectors: Vectors = field(init=False, repr=False)
    _together: _Together | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        self._vectors = Vectors(self.embedder)

    @property
    def is_slow(self) -> bool:
        """Whether its embedder takes long."""
        return self._vectors.joins

    def knows(self, parsed: Parsed) -> bool:
        """Return whether a document is stored already."""
        return self.library.has(parsed.iri)

    def as_stored(self, parsed: Parsed) -> Parsed:
        """Return a document cut as it was when it was stored."""
        is_stored = self.knows(parsed) or self.library.newer(parsed.iri) is not None
        sizes = sizes_of(self.graph, parsed.iri) if is_stored else None
        return parsed if sizes in (None, parsed.sizes) else parsed.cut(sizes)

    def lacks(self, document: str, extractor: str) -> bool:
        """Return whether an extractor has not gone through all of a document, by its IRI, or is to do so again."""
        is_anew = self.anew is not None and self.anew.waits(document, extractor)
        return is_anew or extractor not in self.library.extractors(document)

    def differs(self, parsed: Parsed) -> bool:
        """Return whether a document that is known has other chunks here."""
        return self.knows(parsed) and self.library.chunks_of(parsed.iri) != [*map(parsed.chunk_iri, parsed.chunks)]

    def store_all(self, documents: Sequence[ExtractedDocument]) -> int:
        """Store different documents with their edges together; of those that are known only what is new.

        Returns how many facts are new, counted in each document by itself. A kill leaves all of them or none. A
        document that another process is storing is waited for, and then known. Where a workspace is open the caller
        holds `database.storing`: else what stands here unfinished is mended as if it had been cut off.
        """
        if self.anew is not None:
            return sum(map(self.anew.take, documents))
        while True:
            self.wait_for(found.parsed.iri for found in documents)
            carried = len(self.carried)
            try:
                return self._store_all(documents)
            except TakenError:
                del self.carried[carried:]
                self._settle()
                if self._together is not None:
                    self._together = _Together()
                self._mend_left()

    def wait_for(self, documents: Iterable[str]) -> None:
        """Wait until other processes have stored those of some documents, by IRI, that they are at, or are gone."""
        asked = list(documents)
        while taken := self.library.database.elsewhere(asked):
            self._settle()  # else they might wait for what is stored here
            if self.library.database.abandoned(taken):
                self._mend_left()
            time.sleep(_PAUSE)

    def _mend_left(self) -> None:
        with self.library.database.settling() as is_free:
            if is_free:
                mend(self.graph, self.library)

    def _store_all(self, documents: Sequence[ExtractedDocument]) -> int:
        asked = [found.parsed.iri for found in documents]
        known = self.library.stored(asked)
        older = self._replaced(documents)
        others = [one for one in dict.fromkeys(asked) if one not in known]
        newer = self.library.newer_ones(others)
        said = self._quads_about(others)
        gone = {one for one, quads in said.items() for quad in quads
                if quad.predicate == PROV.invalidatedAtTime and quad.graph_name == FACTS}  # fmt: skip
        back = {one for one in others if one in newer or one in gone}
        new = {one for one in others if not said[one]}  # nothing of them can be there already
        together = self._together if not (known or older or back) else None
        if together is None:
            self._settle()
        fresh = [found if found.parsed.iri in back | new else self._fresh(found) for found in documents]
        fresh = [self._carrying(found, self._of_older(older, found.parsed.iri)) for found in self._given_on(fresh)]
        left, quads = self._described(fresh, new, {one for one in others if one not in newer})
        self._write_library(left, known, older)
        if together is not None:
            together.quads += quads
            together.documents += [ExtractedDocument(head_of(found.parsed), (), found.by) for found in documents]
        else:
            self._write_graph(quads, back)
            self._finish(documents, known)
            self._leave(older)
        return sum(len({triple(edge) for edge in found.edges}) for found in left)

    @contextmanager
    def together(self) -> Iterator[None]:
        """Have new documents that are stored within it go into the graph in one step at its end: with each step RocksDB
        merges all that is there. Until then they are not whole, and the caller holds `database.storing`.
        """
        self._together = _Together()
        with seldom_collected():
            try:
                yield
            finally:
                self._settle()
                self._together = None

    def _settle(self) -> None:
        if self._together is not None and self._together.documents:
            waiting, self._together = self._together, _Together()
            self.graph.add(emptied(waiting.quads))
            self._finish(waiting.documents, ())

    def _finish(self, documents: Iterable[ExtractedDocument], known: Collection[str]) -> None:
        """Mark documents as stored whole, apart from those that are, and who has gone through each."""
        with self.library.database.writing() as connection:
            put_extracted(connection, ((found.parsed.iri, found.by) for found in documents))
            finish_documents(connection, (found.parsed.iri for found in documents if found.parsed.iri not in known))

    def _of_older(self, older: Mapping[str, str], newer: str) -> list[AddedFact]:
        """Return what people added to the documents that a newer one takes the place of."""
        before = (one for one, now in older.items() if now == newer)
        return [fact for one in before for fact in added_facts(self.graph, self.library, one)]

    def _carrying(self, found: ExtractedDocument, added: list[AddedFact]) -> ExtractedDocument:
        """Return a document with the facts that people added to an earlier version, where it has their words; these are
        wanted no more.
        """
        for one in list(added):
            if (extraction := one.in_version(found.parsed)) is not None:
                added.remove(one)
                self.carried.append(self._written(one.fact))
                found = replace(found, extractions=(*found.extractions, extraction))
        return found

    def found_again(self, found: ExtractedDocument) -> tuple[ExtractedDocument, ExtractedDocument, list[Quad]]:
        """Return what was found in a document that is here, the same without facts that were retracted, and what the
        graph is to say of it: also where those stand.
        """
        [found] = self._given_on([found])
        [left], quads = self._described([found])
        return found, left, quads

    def _described(
        self, documents: Sequence[ExtractedDocument], new: Collection[str] = (), begun: Collection[str] = ()
    ) -> tuple[list[ExtractedDocument], list[Quad]]:
        """Return documents without the facts that were retracted, and what the graph is to say of what was found in
        each; of those that are `begun` also how they were read.
        """
        untrue, quads = retracted(self.graph), list[Quad]()
        for found in documents:
            parsed = found.parsed
            if parsed.iri in begun:
                quads += document_quads(parsed, timestamp(self.clock()))
            for one in found.extractions:
                quads += self._extraction_quads(parsed, one, timestamp(self.clock()), is_new=parsed.iri in new)
        quads += self._labels(documents)
        true = [quad for quad in quads if quad.graph_name != FACTS or quad.triple not in untrue] if untrue else quads
        return [found.without(untrue) for found in documents], true

    def _given_on(self, documents: Sequence[ExtractedDocument]) -> Sequence[ExtractedDocument]:
        """Return documents with their facts about an entity that was split given on as those of before were."""
        if not (given := moved(self.graph)):
            return documents

        def follow(parsed: Parsed, edge: ExtractedEdge) -> Iterator[ExtractedEdge]:
            yield edge
            words = parsed.words(edge.start, edge.end)
            others = [self._about(edge, fact) for fact in given.get(triple(edge), ())]
            own = {edge.subject, edge.object}
            others.sort(key=lambda one: not all(name in words for name in {one.subject, one.object} - own))
            yield from others[:1]

        def followed(parsed: Parsed, one: Extraction) -> Extraction:
            return replace(one, edges=tuple(other for edge in one.edges for other in follow(parsed, edge)))

        return [
            replace(found, extractions=tuple(followed(found.parsed, one) for one in found.extractions))
            for found in documents
        ]

    def _about(self, edge: ExtractedEdge, fact: Triple) -> ExtractedEdge:
        """Return an edge about the entities of a fact, by the names that they were given."""
        before = triple(edge)
        subject, obj = (
            name_of(self.graph, now.value) or word if isinstance(now, NamedNode) and now != was else word
            for now, was, word in (
                (fact.subject, before.subject, edge.subject), (fact.object, before.object, edge.object)
            )
        )  # fmt: skip
        return replace(edge, subject=subject, object=obj)

    def _written(self, fact: Triple) -> str:
        labels = Sources(self.graph, self.library).labels([fact])
        subject, predicate, obj = edge_labels(fact, labels)
        return f"{subject} — {predicate} → {obj}"

    def store_long(
        self, head: Parsed, parts: Iterable[tuple[ExtractedDocument, bytes]]
    ) -> Generator[tuple[Parsed, int], None, None]:
        """Store a document that `is_free`, part by part, whole or not at all; yields each part that is written, and how
        many facts are new in it by itself.

        Each part has the text of a stretch, with its bytes where these are others. While it is being stored no fact or
        passage of it is found. What cuts this off is undone at once, or when the collection is next opened. Raises
        TakenError where another process has begun to store it.
        """
        by, text = dict[str, None](), hashlib.sha256()
        older = self._replaced([ExtractedDocument(head)])
        added = self._of_older(older, head.iri)
        self._begin(head, older)
        try:
            for number, (part, data) in enumerate(parts, 1):
                found = self._carrying(part, added)
                by |= dict.fromkeys(found.by)
                text.update(part.parsed.reading.text.encode())
                yield found.parsed, self._store_part(found, data)
                if number % _FLUSHED == 0:
                    self.graph.flush()  # else as much memory is held for it as there are parts
            node = NamedNode(head.iri)
            quads = [*document_quads(head, timestamp(self.clock()), (head.sha256, text.hexdigest()))]
            if is_removed(self.graph, node):  # it is back
                self.graph.replace([(node, FACTS)], quads)
            else:
                self.graph.add(quads)
            with self.library.database.writing() as connection:
                put_extracted(connection, [(head.iri, by)])
                finish_documents(connection, [head.iri])
        except AwayError:  # it is undone when the server is back
            raise
        except BaseException:
            undo(self.graph, self.library, head.iri)
            raise
        self._leave(older)

    def _leave(self, older: Collection[str]) -> None:
        """Have the older versions of what was stored leave, and note the facts of people that went with them."""
        lost = replace_older(self.graph, self.library)
        self.replaced += len(older)
        last = ((fact, last_of(self.graph, fact)) for fact in lost)
        self.by_hand += [self._written(fact) for fact, act in last if act is not None and act.act == ADDED]

    def _begin(self, parsed: Parsed, older: Mapping[str, str]) -> None:
        reading = parsed.reading
        with self.library.database.writing() as connection:
            connection.alone()
            _check_free(connection, [parsed.iri])
            claim_embedder(connection, self.embedder.name)
            for before, now in older.items():
                wait(connection, "replaced", before, (now, timestamp(self.clock())))
            put_standing(connection, [(parsed.places[0], parsed.iri)])
            put_documents(connection, [StoredDocument(parsed.iri, parsed.source, reading.title, reading.mime, "")])
            put_hash(connection, Content(parsed.iri, reading.title, reading.mime, b""), parsed.sha256)

    def _store_part(self, found: ExtractedDocument, data: bytes) -> int:
        parsed = found.parsed
        [left], quads = self._described(self._given_on([found]), [parsed.iri])
        quads += (*part_quads(parsed), *chunk_quads(parsed))
        rows = Rows.made([left], [parsed], self._vectors, self.library.database)
        with self.library.database.writing() as connection:
            connection.alone()
            put_stretch(connection, parsed.iri, parsed.offset, parsed.reading.text, data)
            rows.put(connection)
        self.graph.add(quads)
        return len({triple(edge) for edge in left.edges})

    def is_free(self, parsed: Parsed) -> bool:
        """Return whether nothing is here of a document, but that it was removed, so that it can be stored in parts.

        One that another process is storing is waited for.
        """
        self.wait_for([parsed.iri])
        if self.knows(parsed) or self.library.newer(parsed.iri) is not None:
            return False
        held = holdings(self.graph, parsed.iri)
        return not held.parts and not held.subgraphs

    def _replaced(self, documents: Iterable[ExtractedDocument]) -> dict[str, str]:
        """Return the documents that stand nowhere any more once these do where they do, each with its newer version."""
        taken = {place: found.parsed.iri for found in documents for place in found.parsed.places}
        older: dict[str, str] = {}
        standing = self.library.standing_at(taken)
        for place, document in taken.items():
            before = standing.get(place)
            if before not in (None, document):
                still = (taken.get(other, before) for other in self.library.places(before))
                if before not in (*still, *taken.values()):
                    older[before] = document
        for parsed in (found.parsed for found in documents):
            if parsed.replaces not in ("", parsed.iri) and self.library.document(parsed.replaces) is not None:
                older[parsed.replaces] = parsed.iri
        return older

    def _write_graph(self, quads: Sequence[Quad], back: Iterable[str]) -> None:
        """Store quads in one transaction; of documents that were removed and are back, in place of what was left."""
        removed = [one for one in back if self.library.newer(one) is None]
        if not removed:
            self.graph.add(quads)
            return
        nodes: list[tuple[NamedNode, Graph]] = [(NamedNode(one), FACTS) for one in removed]
        for one in removed:
            left = holdings(self.graph, one)
            nodes += [(node, SOURCE) for node in (*left.parts, *left.subgraphs)]
        self.graph.replace(nodes, quads)

    def _write_library(
        self, documents: Sequence[ExtractedDocument], known: Collection[str], older: Mapping[str, str]
    ) -> None:
        new = [found.parsed for found in documents if found.parsed.iri not in known]
        rows = Rows.made(documents, new, self._vectors, self.library.database)
        with self.library.database.writing() as connection:
            connection.alone()
            _check_free(connection, [one.iri for one in new])
            claim_embedder(connection, self.embedder.name)
            for before, now in older.items():
                wait(connection, "replaced", before, (now, timestamp(self.clock())))
                put_standing(connection, [(place, now) for place in self.library.places(before)])
            put_standing(connection, ((found.parsed.places[0], found.parsed.iri) for found in documents))
            rows_of = ((one.iri, one.source, one.reading.title, one.reading.mime, one.reading.text) for one in new)
            put_documents(connection, [StoredDocument(*row) for row in rows_of])
            put_contents(connection, [Content(one.iri, one.reading.title, one.reading.mime, one.data) for one in new])
            put_extracted(
                connection, ((found.parsed.iri, found.by) for found in documents if found.parsed.iri not in known)
            )
            rows.put(connection)

    def _fresh(self, found: ExtractedDocument) -> ExtractedDocument:
        """Return a document without the edges that the same extractor has taken from the same words before."""
        fresh = []
        for extraction in found.extractions:
            named = ((subgraph_iri(found.parsed, extraction, edge), edge) for edge in extraction.edges)
            edges = [edge for iri, edge in named if not self._holds(iri, triple(edge))]
            if edges or extraction.run:
                fresh.append(replace(extraction, edges=tuple(edges)))
        return replace(found, extractions=tuple(fresh))

    def _holds(self, node: str, fact: Triple) -> bool:
        """Return whether a subgraph has a fact that is one today: one of a version that is back may be none yet."""
        return self._has(node, TG.contains, fact) and quad_of(fact) in self.graph

    def _has(self, node: str, predicate: NamedNode, obj: Triple | None = None) -> bool:
        return next(iter(self.graph.match(NamedNode(node), predicate, obj, SOURCE)), None) is not None

    def _quads_about(self, documents: Sequence[str]) -> dict[str, list[Quad]]:
        nodes = map(NamedNode, documents)
        found = self.graph.matches(
            [pattern for node in nodes for pattern in ((node, None, None, None), (None, None, node, None))]
        )
        return {one: [*of, *to] for one, of, to in zip(documents, found[::2], found[1::2], strict=True)}

    def _extraction_quads(
        self, parsed: Parsed, extraction: Extraction, now: str, *, is_new: bool = False
    ) -> Iterator[Quad]:
        """Yield the facts and their subgraphs; one that is there already grows, and stays what its first run made.

        Of a document that `is_new` there is none.
        """
        spans: dict[str, list[ExtractedEdge]] = {}
        for edge in extraction.edges:
            spans.setdefault(subgraph_iri(parsed, extraction, edge), []).append(edge)
        activity = extraction_activity(parsed, extraction, now)
        for named, edges in spans.items():
            facts = tuple(dict.fromkeys(triple(edge) for edge in edges))
            for fact in facts:
                yield Quad(fact.subject, fact.predicate, fact.object, FACTS)
            if not is_new and self._has(named, PROV.wasGeneratedBy):
                yield from (Quad(NamedNode(named), TG.contains, fact, SOURCE) for fact in facts)
                yield from (Quad(NamedNode(named), X.joined, join, SOURCE) for edge in edges for join in joined(edge))
            else:
                yield from rdf.triples(subgraph(parsed, named, edges, facts, activity.iri))
        if is_new or not self._has(activity.iri, PROV.startedAtTime):
            yield from activity_quads(activity)
        if extraction.run and not extraction.run.keep:
            yield from call_hashes(parsed.chunk_iri(extraction.run.chunk), extraction.run)

    def _labels(self, documents: Iterable[ExtractedDocument]) -> list[Quad]:
        """Return a label for each entity that has none yet and whose IRI does not say it."""
        wanted: dict[NamedNode, str] = {}
        for edge in (edge for found in documents for edge in found.edges):
            for node, label in named_nodes(edge):
                if label != local_name(node.value) or node.value.startswith(ENTITY_BASE):
                    wanted.setdefault(node, label)
        held = self._together.labelled if self._together is not None else set()
        asked = [node for node in wanted if node not in held]
        known = self.graph.matches([(node, RDFS.label, None, FACTS) for node in asked])
        new = {
            node: Quad(node, RDFS.label, Literal(wanted[node]), FACTS)
            for node, labels in zip(asked, known, strict=True) if not labels
        }  # fmt: skip
        held.update(new)
        return [*new.values()]


def _check_free(connection: Transaction, documents: Iterable[str]) -> None:
    if numbered(connection, "documents", documents):
        raise TakenError("Another process is storing this document; try again when it has ended.")
