"""The entities of a collection: what its facts are about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice

from pyoxigraph import NamedNode

from explorer.display import Table
from explorer.documents.facts import BEYOND, Fact, fact_table
from explorer.stores.collection import Collection
from explorer.stores.facts import facts_about
from explorer.text import one_line
from explorer.vocab import entity_iri, local_name

_HEADS = ("Entity", "Facts", "Passages", "IRI")


@dataclass(frozen=True, slots=True)
class KnownEntity:
    """An entity of the collection: its IRI, and its name as it is written; it stands in at least one fact."""

    iri: str
    name: str
    passages: int
    """In how many passages it is named or stands in a fact."""
    _stores: Collection = field(repr=False, compare=False)

    @property
    def facts(self) -> Table[Fact]:
        """The facts that it stands in, those with it as their subject first; shown as a table."""
        return fact_table(self._stores, facts_about(self._stores.graph, NamedNode(self.iri)))

    def __repr__(self) -> str:
        """Its name and IRI."""
        return f"<Entity {one_line(self.name)} {self.iri}>"


def find_entities(stores: Collection, text: str | None = None, limit: int = 50) -> Table[KnownEntity]:
    """Return the entities with a text in their name, whatever its case, or all; those with most links first.

    One that is called just that comes first of all.
    """
    found = list(islice(_nearest(stores, " ".join((text or "").split())), limit + 1))
    more = BEYOND.format(limit) if found[limit:] else ""
    return Table(found[:limit], _HEADS, _cells, "No entities.", more)


def _cells(one: KnownEntity) -> tuple[str, ...]:
    return one.name, f"{len(one.facts):,}", f"{one.passages:,}", one.iri


def _nearest(stores: Collection, text: str) -> Iterator[KnownEntity]:
    import numpy as np

    graph = stores.links.graph()
    if text:
        nodes = np.array(sorted(stores.links.entities(_named(stores, text)).values()), dtype=np.int32)
    else:
        nodes = np.arange(graph.passages_from, dtype=np.int32)
    nodes = nodes[nodes < graph.passages_from]
    nodes = nodes[np.argsort(-graph.degrees(nodes), kind="stable")]
    exact = stores.links.entities([entity_iri(text)]) if text else {}
    order = dict.fromkeys([*(node for node in exact.values() if node < graph.passages_from), *nodes.tolist()])
    standing = (node for node in order if graph.knows(node) and graph.stands(node))
    while batch := list(islice(standing, 50)):
        iris = stores.links.iris(batch)
        for node in batch:
            name = stores.sources.label(iris[node]) or local_name(iris[node])
            yield KnownEntity(iris[node], name, graph.mentions(node), stores)


def _named(stores: Collection, text: str) -> Iterable[str]:
    rows = stores.database.rows(
        "SELECT DISTINCT key FROM vectors WHERE kind = 'entity' AND instr(casefold(text), casefold(?)) > 0", (text,)
    )
    return (row["key"] for row in rows)
