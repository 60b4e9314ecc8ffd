"""Facts of documents made anew: what extractors find now stays, and what only those of before have found goes.

What is found is noted in the library as it is stored; once all of a document is gone through, the rest of what was
found in it goes, all at once. What people added or retracted, and what was given with a document, stays as it is. What
was cut off goes on with the same call; until then nothing has gone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pyoxigraph import Literal, NamedNode, Quad, Triple

from explorer.entities import ADDED
from explorer.ingest.leaving import holdings, is_used, unspoken_labels
from explorer.ingest.provenance import CHUNKER, CURATOR, IMPORT, READER
from explorer.record.curation import Change, Signature
from explorer.stores import curated
from explorer.stores.facts import is_fact, quad_of
from explorer.stores.library import put_extracted
from explorer.text import count
from explorer.vocab import PROV, SOURCE, TG, iri

if TYPE_CHECKING:
    from explorer.ingest.batch import Ingested, RefusedFile
    from explorer.models.embedding import Embedder
    from explorer.stores.collection import Collection

_BY_PEOPLE = {CURATOR, IMPORT}
DONE = "done"


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
        """Return the counts on one line."""
        return f"<Reextracted {self.text}, {len(self.refused)} refused>"


def begin(stores: Collection, documents: Iterable[str], extractors: Sequence[str]) -> None:
    """Have extractors go through documents again that they have gone through; what was begun so goes on."""
    by = ",".join(sorted(extractors))
    with stores.database.writing() as connection:
        for document in documents:
            known = connection.execute(
                "SELECT fact FROM anew WHERE document = ? AND subgraph = ''", (document,)
            ).fetchone()
            if known is not None and known["fact"] == by:
                continue
            connection.execute("DELETE FROM anew WHERE document = ?", (document,))
            connection.execute("INSERT INTO anew VALUES (?, '', ?, '')", (document, by))
            for extractor in extractors:
                connection.execute("DELETE FROM extracted WHERE document = ? AND extractor = ?", (document, extractor))
                connection.execute(
                    "DELETE FROM asked WHERE extractor = ? AND chunk IN (SELECT number FROM chunks WHERE document = ?)",
                    (extractor, document),
                )


def finish(stores: Collection, embedder: Embedder, document: str, extractors: Sequence[str]) -> int | None:
    """Take out what none of the extractors has found in a document; returns how many facts went, None while they have
    not gone through all of it.
    """
    if not all(stores.library.was_extracted(document, extractor) for extractor in extractors):
        return None
    if stores.database.rows(
        "SELECT 1 FROM anew WHERE document = ? AND subgraph = '' AND activity = ?", (document, DONE)
    ):
        return 0
    with stores.database.storing:
        change = Change(stores, Signature("", None))
        gone = _Stale(stores, document).take_out(change)
        change.write(embedder)
        with stores.database.writing() as connection:
            connection.execute("DELETE FROM extracted WHERE document = ?", (document,))
            put_extracted(connection, document, extractors)
            connection.execute("DELETE FROM anew WHERE document = ? AND subgraph <> ''", (document,))
            connection.execute("UPDATE anew SET activity = ? WHERE document = ?", (DONE, document))
        return gone


def end(stores: Collection, documents: Iterable[str]) -> None:
    """Write down that all documents of a call are done with: the same call would begin again."""
    with stores.database.writing() as connection:
        connection.executemany("DELETE FROM anew WHERE document = ?", [(document,) for document in documents])


class _Stale:
    """What was found in a document before, and not now."""

    def __init__(self, stores: Collection, document: str) -> None:
        self.stores = stores
        self.held = holdings(stores.graph, document)
        self.found: dict[str, set[str]] = defaultdict(set)
        self.activities: dict[str, str] = {}
        rows = stores.database.rows("SELECT * FROM anew WHERE document = ? AND subgraph <> ''", (document,))
        for row in rows:
            self.found[row["subgraph"]].add(row["fact"])
            self.activities[row["subgraph"]] = row["activity"]

    def take_out(self, change: Change) -> int:
        """Have a change take it out; returns how many facts go."""
        stale = {
            node: [fact for fact in facts if str(fact) not in self.found[node.value]]
            for node, facts in self.held.subgraphs.items() if self._agent(node) not in _BY_PEOPLE
        }  # fmt: skip
        pairs = {(fact, node.value) for node, facts in stale.items() for fact in facts}
        for fact in dict.fromkeys(fact for fact, _ in pairs):
            self._settle(change, fact, [node for one, node in pairs if one == fact])
        change.less += unspoken_labels(self.stores.graph, change.gone, {*change.gone})
        for node, facts in stale.items():
            self._forget(change, node, facts)
        self._renew(change)
        return len(change.gone)

    def _agent(self, node: NamedNode) -> str:
        found = self.stores.sources.passage(node.value)
        return found[0].extracted_by if found else CURATOR

    def _settle(self, change: Change, fact: Triple, nodes: Sequence[str]) -> None:
        """Have a fact go, or be found by what is left of its passages."""
        stores, records = self.stores, [node for node in self.stores.sources.records(fact) if node not in nodes]
        left = [one for node in records for one in stores.sources.passage(node) if one.until is None]
        alone = any(not stores.sources.passage(node) for node in records)  # added by hand without a passage
        last = curated.last_of(stores.graph, fact)
        if not is_fact(quad_of(fact)) or quad_of(fact) not in stores.graph.store:
            return
        if left or alone or (last is not None and last.act == ADDED):
            change.come[fact] = tuple(left)
        else:
            change.gone.append(fact)

    def _forget(self, change: Change, node: NamedNode, facts: Sequence[Triple]) -> None:
        """Have the graph no longer say that facts were found here, unless a run used them or they are retracted."""
        graph = self.stores.graph
        gone = [fact for fact in facts if quad_of(fact) in graph.store and not is_used(graph, fact)]
        if len(gone) == len(self.held.subgraphs[node]):
            change.less += graph.match(node, None, None, SOURCE)
            change.no_spans.append(node.value)
        else:
            change.less += (Quad(node, link, fact, SOURCE) for fact in gone for link in (TG.contains, TG.reifies))

    def _renew(self, change: Change) -> None:
        """Have what was found again be the work of who has found it now; who found nothing that is left goes."""
        graph, kept = self.stores.graph, set[str]()
        for node in self.held.subgraphs:
            [*made] = graph.match(node, PROV.wasGeneratedBy, None, SOURCE)
            if now := self.activities.get(node.value):
                change.less += (quad for quad in made if quad.object != NamedNode(now))
                change.quads.append(Quad(node, PROV.wasGeneratedBy, NamedNode(now), SOURCE))
                kept.add(now)
            elif node.value not in change.no_spans:
                kept |= {quad.object.value for quad in made if isinstance(quad.object, NamedNode)}
        own = {iri("agent", name) for name in (READER, CHUNKER, *_BY_PEOPLE)}
        for activity in self.held.activities:
            by = {quad.object.value for quad in graph.match(activity, PROV.wasAssociatedWith, None, SOURCE)
                  if isinstance(quad.object, NamedNode | Literal)}  # fmt: skip
            asked = any(graph.match(activity, TG.llmModel, None, SOURCE))
            if activity.value not in kept and not by & own and not asked:
                change.less += graph.match(activity, None, None, SOURCE)
