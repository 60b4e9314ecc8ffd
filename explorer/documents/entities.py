"""The entities of a collection: what its facts are about, and what is beside each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain, islice

from pyoxigraph import NamedNode, Triple

from explorer.display import Table
from explorer.documents.document import Document, document_table
from explorer.documents.found_facts import BEYOND, Fact, fact_table
from explorer.record.traces import Traces
from explorer.stores.collection import Collection
from explorer.text import one_line
from explorer.vocab import entity_iri

_HEADS = ("Entity", "Facts", "Passages", "IRI")


@dataclass(frozen=True, slots=True)
class KnownEntity:
    """An entity of the collection: its IRI, and its name as it is written; it stands in at least one fact."""

    iri: str
    name: str
    passages: int
    """In how many passages it is named or stands in a fact."""
    _traces: Traces = field(repr=False, compare=False)

    @property
    def facts(self) -> Table[Fact]:
        """The facts that it stands in, those with it as their subject first; shown as a table."""
        return fact_table(self._stores, self._stores.sources.about(self.iri))

    @property
    def names(self) -> tuple[str, ...]:
        """All names that it has in what is stored: its own, then those of entities that were merged with it."""
        sources = self._stores.sources
        return tuple(dict.fromkeys([self.name, *map(sources.called, sources.merged.all(self.iri)[1:])]))

    @property
    def neighbours(self) -> Table[Neighbour]:
        """The entities at the other ends of its facts, those with most facts between first; shown as a table."""
        sources = self._stores.sources
        between: dict[str, list[Triple]] = {}
        for fact in sources.about(self.iri):
            read = sources.merged.reading(fact)
            ends = {end.value for end in (read.subject, read.object) if isinstance(end, NamedNode)}
            for end in ends - {self.iri}:
                between.setdefault(end, []).append(fact)
        found = [Neighbour(known(self._traces, iri), tuple(Fact(one, self._stores) for one in facts))
                 for iri, facts in between.items()]  # fmt: skip
        found.sort(key=lambda one: (-len(one.facts), one.entity.name, one.entity.iri))
        return Table(found, ("Entity", "Facts", "What is said"), lambda one: one.cells, "It has no neighbours.")

    @property
    def documents(self) -> Table[Document]:
        """The documents that its facts were taken from; shown as a table."""
        named = {passage.document for fact in self.facts for passage in fact.passages if passage.until is None}
        return document_table(self._traces, named)

    @property
    def _stores(self) -> Collection:
        return self._traces.stores

    def __repr__(self) -> str:
        return f"<Entity {one_line(self.name)} {self.iri}>"


@dataclass(frozen=True, slots=True)
class Neighbour:
    """An entity beside another one, with the facts between them."""

    entity: KnownEntity
    facts: tuple[Fact, ...]

    @property
    def cells(self) -> tuple[str, ...]:
        """What stands of it in a table: its name, how many facts, and the first of them."""
        return self.entity.name, f"{len(self.facts):,}", " — ".join(self.facts[0].words)

    def __repr__(self) -> str:
        return f"<Neighbour {one_line(self.entity.name)}: {one_line(self.cells[2])}>"


def find_entities(traces: Traces, text: str | None = None, limit: int = 50) -> Table[KnownEntity]:
    """Return the entities with a text in their name, whatever its case, or all; those with most links first.

    One that is called just that comes first of all.
    """
    found = list(islice(_nearest(traces, " ".join((text or "").split())), limit + 1))
    more = BEYOND.format(limit) if found[limit:] else ""
    return entity_table(found[:limit], more)


def known(traces: Traces, iri: str) -> KnownEntity:
    """Return an entity by its IRI, or the one that it is read as."""
    stores = traces.stores
    iri = stores.sources.merged.one(iri)
    graph, name = stores.links.graph(), stores.sources.label(iri) or stores.sources.called(iri)
    node = stores.links.entities([iri]).get(iri)
    return KnownEntity(iri, name, graph.mentions(node) if node is not None and graph.knows(node) else 0, traces)


def entity_table(found: Iterable[KnownEntity], more: str = "") -> Table[KnownEntity]:
    """Return entities as a table; `more` says below it that there are others."""
    return Table(found, _HEADS, _cells, "No entities.", more)


def _cells(one: KnownEntity) -> tuple[str, ...]:
    return one.name, f"{len(one.facts):,}", f"{one.passages:,}", one.iri


def _nearest(traces: Traces, text: str) -> Iterator[KnownEntity]:
    stores = traces.stores
    graph = stores.links.graph()
    named = {*stores.links.entities(stores.vectors.entities_holding(text)).values()} if text else None
    exact = stores.links.entities([entity_iri(text)]) if text else {}
    nodes = chain((node for node in exact.values() if node < graph.passages_from), graph.most_linked(named))
    seen = set[int]()
    while some := list(islice(nodes, 50)):
        graph.look(some)
        batch = [node for node in dict.fromkeys(some) if node not in seen and graph.knows(node) and graph.stands(node)]
        seen.update(some)
        iris = stores.links.iris(batch)
        for node in batch:
            name = stores.sources.label(iris[node]) or stores.sources.called(iris[node])
            yield KnownEntity(iris[node], name, graph.mentions(node), traces)
