"""Facts of documents made anew: what extractors find now stays, and what only those of before have found goes.

Once all of a document is gone through, what is found takes the place of what was found before, in one step: a kill
leaves the one or the other. What people added or retracted, and what was given with a document, stays as it is. What
was cut off goes on with the same call.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pyoxigraph import NamedNode, Quad, Triple

from explorer.entities import ADDED, Curation
from explorer.ingest.indexed_rows import edge_entries, entity_entries
from explorer.ingest.parsed import ExtractedDocument, triple
from explorer.ingest.pipeline import Pipeline
from explorer.ingest.provenance import (
    CHUNKER,
    CURATOR,
    IMPORT,
    READER,
    call_contents,
    extraction_activity,
    spans_of,
    subgraph_iri,
)
from explorer.ingest.removal import holdings, is_used, unspoken_labels
from explorer.models.embedding import Embedder
from explorer.record.curation import Change
from explorer.record.node_lookup import iris
from explorer.stores import stored_corrections
from explorer.stores.collection import Collection
from explorer.stores.curation_journal import end, wait, waiting
from explorer.stores.database import Transaction
from explorer.stores.default_graph import is_fact, quad_of
from explorer.stores.document_rows import drop_extracted, put_extracted
from explorer.stores.extraction_replies import drop_replies_about
from explorer.stores.ledger import REEXTRACTED, Unsealed
from explorer.stores.library import put_contents
from explorer.text import count
from explorer.vocab import PROV, SOURCE, TG, iri, timestamp

if TYPE_CHECKING:
    from explorer.ingest.ingested import Ingested, RefusedFile

_BY_PEOPLE = {CURATOR, IMPORT}


@dataclass(frozen=True, slots=True)
class Reextracted:
    """How many documents were gone through to the end, how many facts are new, and how many are gone.

    `notes`, `refused`, `left` and `tokens` are as `Ingested` has them.
    """

    documents: int
    new: int
    gone: int
    refused: tuple[RefusedFile, ...] = field(default=(), repr=False)
    notes: tuple[str, ...] = field(default=(), repr=False)
    left: int = 0
    tokens: int = 0

    @classmethod
    def of(cls, done: Ingested, documents: int, new: int, gone: int) -> Reextracted:
        """Return what a call has changed, with all that there is to say of it."""
        return cls(documents, new, gone, done.refused, done.notes, done.left, done.tokens)

    @property
    def text(self) -> str:
        """The counts in words."""
        return f"{count(self.documents, 'document')}, {count(self.new, 'new fact')}, {count(self.gone, 'fact')} gone"

    def __repr__(self) -> str:
        return f"<Reextracted {self.text}, {len(self.refused)} refused>"


@dataclass(slots=True)
class Anew:
    """Documents that extractors go through again, these by their names and versions.

    What is found in one is held until all have gone through all of it; then it is put in place of what was found
    before, in one step. What was begun by a call that was cut off goes on: a document that is done with is not gone
    through once more, and a reply of a model is not asked for again.
    """

    pipeline: Pipeline
    stores: Collection
    embedder: Embedder
    extractors: Mapping[str, str]
    gone: int = 0
    _waiting: set[str] = field(default_factory=set)
    _done: set[str] = field(default_factory=set)
    _held: dict[str, ExtractedDocument] = field(default_factory=dict)

    def begin(self, documents: Iterable[str]) -> None:
        """Write down which documents are to be gone through, unless that is begun."""
        by = self._by
        with self.stores.database.writing() as connection:
            begun = waiting(connection, "again")
            for document in documents:
                was_by, is_done = begun.get(document, ("", False))
                if was_by == by and is_done:
                    self._done.add(document)
                    continue
                self._waiting.add(document)
                if was_by != by:
                    wait(connection, "again", document, (by, False))
                    drop_replies_about(connection, document, self.extractors)

    @property
    def _by(self) -> str:
        return ",".join(sorted(f"{name} {version}" for name, version in self.extractors.items()))

    @property
    def done(self) -> int:
        """How many documents are done with."""
        return len(self._done)

    def end(self) -> None:
        """Write down that the call is over: the same one would begin again."""
        with self.stores.database.writing() as connection:
            end(connection, "again", self._waiting | self._done)

    def waits(self, document: str, extractor: str) -> bool:
        """Return whether an extractor is to go through a document."""
        return document in self._waiting and extractor in self.extractors

    def take(self, found: ExtractedDocument) -> int:
        """Hold what was found in a document; once that is all, put it in place of what was found before."""
        document = found.parsed.iri
        if document not in self._waiting or (found.parsed.chunks and self.pipeline.differs(found.parsed)):
            return 0
        held = self._held.pop(document, None)
        whole = found if held is None else replace(
            found, extractions=(*held.extractions, *found.extractions), by=(*held.by, *found.by)
        )  # fmt: skip
        if {*self.extractors} <= {*whole.by}:
            self._put(whole)
        else:
            self._held[document] = whole
        return len({triple(edge) for edge in found.edges})

    def _put(self, found: ExtractedDocument) -> None:
        document = found.parsed.iri

        def mark(connection: Transaction) -> None:
            drop_extracted(connection, document)
            put_extracted(connection, [(document, found.by)])
            wait(connection, "again", document, (self._by, True))
            drop_replies_about(connection, document, self.extractors)
            if self._waiting == {document}:
                end(connection, "again", self._waiting | self._done)

        with self.stores.database.correcting:
            change = Change(self.stores, Curation(iri=""), also=[mark])
            exchange = _Exchange(self.stores, self.pipeline, found)
            self.gone += exchange.put_into(change)
            change.due = (
                [Unsealed(document, REEXTRACTED, timestamp(self.pipeline.clock()), "")] if exchange.is_used else []
            )
            change.write(self.embedder)
        self._waiting.remove(document)
        self._done.add(document)


class _Exchange:
    """What was found in a document before, and is found in it now."""

    def __init__(self, stores: Collection, pipeline: Pipeline, found: ExtractedDocument) -> None:
        self.stores = stores
        self.held = holdings(stores.graph, found.parsed.iri)
        self.found, self.left, self.quads = pipeline.found_again(found)
        self.facts = defaultdict[str, set[Triple]](set)  # by their subgraphs
        self.activities = dict[str, str]()  # whose work these are
        for one in self.found.extractions:
            by = extraction_activity(found.parsed, one, "").iri
            for edge in one.edges:
                node = subgraph_iri(found.parsed, one, edge)
                self.facts[node].add(triple(edge))
                self.activities[node] = by

    @property
    def is_used(self) -> bool:
        """Whether a run on record has used a fact that was found before."""
        return any(is_used(self.stores.graph, fact) for facts in self.held.subgraphs.values() for fact in facts)

    def put_into(self, change: Change) -> int:
        """Have a change put the one in place of the other; returns how many facts go."""
        parsed, edges = self.found.parsed, self.left.edges
        true = {triple(edge) for edge in edges}
        runs = [one.run for one in self.found.extractions if one.run and one.run.keep]
        texts = [text for run in runs for kind in ("prompt", "reply")
                 for text in call_contents(parsed.chunk_iri(run.chunk), run, kind)]  # fmt: skip
        change.quads += self.quads
        change.names |= {entry.key: entry.text for entry in entity_entries(edges)}
        for one in self.found.extractions:
            change.spans |= spans_of(parsed, one)
        change.entries += ((parsed.iri, entry) for entry in edge_entries(parsed, edges))
        change.also.append(lambda connection: put_contents(connection, texts))
        before = {node: facts for node, facts in self.held.subgraphs.items() if self._agent(node) not in _BY_PEOPLE}
        own: dict[Triple, set[str]] = {fact: set() for fact in true}
        for node, facts in before.items():
            for fact in facts:
                own.setdefault(fact, set()).add(node.value)
        for fact, nodes in own.items():
            self._settle(change, fact, nodes, is_found=fact in true)
        spoken = {term for fact in true for term in (fact.subject, fact.predicate, fact.object)}
        unspoken = unspoken_labels(self.stores.graph, change.gone, {*change.gone})
        change.less += (quad for quad in unspoken if quad.subject not in spoken)
        for node, facts in before.items():
            self._forget(change, node, [fact for fact in facts if fact not in self.facts.get(node.value, ())])
        self._renew(change)
        return len(change.gone)

    def _agent(self, node: NamedNode) -> str:
        found = self.stores.sources.passage(node.value)
        return found[0].extracted_by if found else CURATOR

    def _settle(self, change: Change, fact: Triple, nodes: Container[str], *, is_found: bool) -> None:
        """Have a fact come or go, or be found by what is left of its passages beside those in `nodes`."""
        stores, records = self.stores, [node for node in self.stores.sources.records(fact) if node not in nodes]
        left = [one for node in records for one in stores.sources.passage(node) if one.until is None]
        alone = any(not stores.sources.passage(node) for node in records)  # added by hand without a passage
        last = stored_corrections.last_of(stores.graph, fact)
        if not is_found and (not is_fact(quad_of(fact)) or quad_of(fact) not in stores.graph):
            return
        if is_found or left or alone or (last is not None and last.act == ADDED):
            change.come[fact] = tuple(left)
        else:
            change.gone.append(fact)

    def _forget(self, change: Change, node: NamedNode, facts: Sequence[Triple]) -> None:
        """Have the graph no longer say that facts were found here, unless a run used them or they are retracted."""
        graph = self.stores.graph
        gone = [fact for fact in facts if quad_of(fact) in graph and not is_used(graph, fact)]
        if len(gone) == len(self.held.subgraphs[node]) and node.value not in self.facts:
            change.less += graph.match(node, None, None, SOURCE)
            change.no_spans.append(node.value)
        else:
            change.less += (Quad(node, link, fact, SOURCE) for fact in gone for link in (TG.contains, TG.reifies))

    def _renew(self, change: Change) -> None:
        """Have what was found again be the work of who has found it now; who found nothing that is left goes."""
        graph, kept = self.stores.graph, {*self.activities.values()}
        for node in self.held.subgraphs:
            [*made] = graph.match(node, PROV.wasGeneratedBy, None, SOURCE)
            if now := self.activities.get(node.value):
                change.less += (quad for quad in made if quad.object != NamedNode(now))
                change.quads.append(Quad(node, PROV.wasGeneratedBy, NamedNode(now), SOURCE))
            elif node.value not in change.no_spans:
                kept.update(iris(quad.object for quad in made))
        own = {iri("agent", name) for name in (READER, CHUNKER, *_BY_PEOPLE)}
        for activity in self.held.activities:
            by = iris(quad.object for quad in graph.match(activity, PROV.wasAssociatedWith, None, SOURCE))
            asked = any(graph.match(activity, TG.llmModel, None, SOURCE))
            if activity.value not in kept and own.isdisjoint(by) and not asked:
                change.less += graph.match(activity, None, None, SOURCE)
