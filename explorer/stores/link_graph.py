"""The graph of a collection: its facts as links between entities and passages, all as numbers, for walks.

A reading of the default graph, kept as small tables beside the vectors. `WholeGraph` stands in memory; over a server
only what is come to is fetched (`servers.postgres.hops`). Records of provenance and of runs are no part of it.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from urllib.parse import unquote

from pyoxigraph import NamedNode, RdfFormat, Triple, parse

from explorer.stores.collection_view import EVERYTHING, Viewed
from explorer.stores.database import Database, LinkGraph, Many, Rows, Tally, Transaction, among, drop, numbered
from explorer.stores.merged_entities import Merged, stored_merged
from explorer.vocab import ENTITY_BASE, entity_iri

if TYPE_CHECKING:
    from explorer.stores.database import Mask, Numbers

_ASIDE = re.compile(r"\s*\([^()]*\)$")
_TOKEN = re.compile(r"[^\W_]+")
_ROWS_AT_ONCE = 100_000
_NUMBERS = "SELECT iri, number FROM terms WHERE iri IN (SELECT value FROM json_each(?))"
_NODES = (
    f"{_NUMBERS} AND iri NOT IN (SELECT alias FROM merged) "  # noqa: S608 - words of ours
    "UNION ALL SELECT alias, terms.number FROM merged "
    "JOIN terms ON terms.iri = entity WHERE alias IN (SELECT value FROM json_each(?))"
)
TITLE, MENTION = 0, -1  # in place of a fact's number


@dataclass(frozen=True, slots=True)
class WholeGraph:
    """All links, in memory; each column has the values of all rows."""

    passages_from: int
    fact: Numbers
    head: Numbers
    tail: Numbers
    passage: Numbers
    _facts: int
    _start: Numbers
    _rows: Numbers

    @property
    def size(self) -> int:
        """The number of nodes."""
        return len(self._start) - 1

    def look(self, nodes: Iterable[int]) -> None:
        """Do nothing: all is there."""

    def around(self, nodes: Numbers, limit: int) -> Numbers:
        import numpy as np

        there = np.zeros(len(self.fact), dtype=np.bool_)
        there[self.rows(nodes, limit)] = True
        return np.flatnonzero(there)

    def among(self, nodes: Numbers) -> Callable[[Numbers], Numbers]:
        import numpy as np

        place = np.full(self.size + 1, -1, dtype=np.int32)  # the last one stands for none
        place[nodes] = np.arange(len(nodes), dtype=np.int32)
        return place.__getitem__

    def has_passage(self, node: int) -> bool:
        return node < self.size

    def most_linked(self, among: Iterable[int] | None = None) -> Iterator[int]:
        import numpy as np

        nodes = np.arange(self.passages_from) if among is None else np.array(sorted(among), dtype=np.int64)
        nodes = nodes[nodes < self.passages_from]
        yield from nodes[np.argsort(-self.degrees(nodes), kind="stable")].tolist()

    def where(self, is_there: Callable[[Rows], Mask]) -> WholeGraph:
        return self.only(is_there(self))

    def rows(self, nodes: Numbers, limit: int) -> Numbers:
        import numpy as np

        first = self._start[nodes]
        counts = np.minimum(self._start[nodes + 1] - first, limit)
        within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        rows: Numbers = self._rows[np.repeat(first, counts) + within]
        return rows

    def rows_of(self, facts: Sequence[int]) -> Numbers:
        import numpy as np

        asked = np.asarray(facts, dtype=np.int32)
        places = np.searchsorted(self.fact[: self._facts], asked)
        known = places < self._facts
        known[known] = self.fact[places[known]] == asked[known]
        return places[known].astype(np.int32)

    def ends(self, rows: Numbers) -> Numbers:
        import numpy as np

        return np.stack([self.head[rows], self.tail[rows], self.passage[rows]], axis=1)

    def only(self, there: Mask) -> WholeGraph:
        """Return the graph of those rows alone that are there; its nodes have the same numbers."""
        import numpy as np

        held = there[self._rows]
        before = np.concatenate([[0], np.cumsum(held)]).astype(np.int32)
        places = (np.cumsum(there) - 1).astype(np.int32)
        ends = {name: getattr(self, name)[there] for name in ("fact", "head", "tail", "passage")}
        facts = int(np.count_nonzero(there[: self._facts]))
        return replace(self, **ends, _facts=facts, _start=before[self._start], _rows=places[self._rows[held]])

    def knows(self, entity: int) -> bool:
        return entity < self.passages_from and bool(self._start[entity] < self._start[entity + 1])

    def stands(self, entity: int) -> bool:
        rows = self._rows[self._start[entity] : self._start[entity + 1]]
        return bool((self.fact[rows] > 0).any())

    def degrees(self, nodes: Numbers) -> Numbers:
        degrees: Numbers = self._start[nodes + 1] - self._start[nodes]
        return degrees

    def mentions(self, entity: int) -> int:
        import numpy as np

        rows = self._rows[self._start[entity] : self._start[entity + 1]]
        places = np.unique(self.passage[rows])
        return max(1, int(np.count_nonzero(places >= 0)))


class Links(Viewed):
    """The links of a collection, and the names of their nodes."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self._graph = database.link_graph()
        self._part: tuple[LinkGraph, LinkGraph] | None = None

    def graph(self) -> LinkGraph:
        """Return the graph of all facts as it is now; entities that were merged are one node."""
        whole = self._graph()
        if self.view is EVERYTHING:
            return whole
        if self._part is None or self._part[0] is not whole:
            self._part = whole, whole.where(self._are_there)
        return self._part[1]

    def _are_there(self, graph: Rows) -> Mask:
        import numpy as np

        view = self.view
        there = view.rows("text").mask(graph.passage - graph.passages_from)
        if not view.leaves_out:
            return there
        nodes = list(nodes_of(self.database, view.entities).values())
        there &= view.rows("edge").mask(graph.fact) | (graph.fact <= 0)
        there &= ~(np.isin(graph.head, nodes) | np.isin(graph.tail, nodes))
        for iri, text in view.masked.items():
            passage = graph.passages_from + view.numbers.get(iri, -2)
            rows = np.flatnonzero(there & (graph.passage == passage) & (graph.fact < 0))
            names = self.iris(graph.head[rows].tolist())
            words = _spaced(text)
            for row in rows.tolist():  # a name that only the lost words held
                there[row] = _spaced(unquote(names.get(int(graph.head[row]), "").removeprefix(ENTITY_BASE))) in words
        return there

    def entities(self, iris: Iterable[str]) -> dict[str, int]:
        """Return the nodes of entities and names by their IRIs; ones that no fact had and no passage are left out."""
        return nodes_of(self.database, {*iris} - self.view.entities)

    def facts_in(self, chunks: Iterable[int]) -> list[int]:
        """Return the row numbers of the facts that were taken from chunks by theirs, in stored order."""
        rows = among(self.database, "SELECT fact FROM links", "chunk", chunks, "ORDER BY fact")
        return [row["fact"] for row in rows]

    def iris(self, entities: Iterable[int]) -> dict[int, str]:
        """Return the IRIs of entities by their nodes."""
        rows = among(self.database, "SELECT number, iri FROM terms", "number", map(int, entities))
        return {row["number"]: row["iri"] for row in rows}


def _spaced(text: str) -> str:
    return f" {' '.join(_TOKEN.findall(text.lower()))} "


def nodes_of(database: Database, iris: Iterable[str]) -> dict[str, int]:
    """Return the nodes of entities and names by their IRIs; of one that was merged that of the other."""
    given = Many(sorted(set(iris)))
    return {row["iri"]: row["number"] for row in database.rows(_NODES, (given, given))}


def named_by(title: str) -> tuple[str, ...]:
    """Return the entities that the title of a document names: called like it, perhaps without an aside."""
    return tuple(dict.fromkeys(entity_iri(name.strip()) for name in (title, _ASIDE.sub("", title))))


class HeldLinks:
    """Reads all links into memory, and again when facts have changed."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self._lock = threading.Lock()
        self._held: tuple[tuple[Tally, Tally, Merged], WholeGraph] | None = None

    def __call__(self) -> WholeGraph:
        stamp = self.database.tally("edge"), self.database.tally("text"), stored_merged(self.database)
        with self._lock:
            if self._held is None or self._held[0] != stamp:
                self._held = stamp, self._read(stamp[2])
            return self._held[1]

    def _read(self, merged: Merged) -> WholeGraph:
        import numpy as np

        links = np.concatenate([np.zeros((0, 4), dtype=np.int32), *self._links()])
        mentions, titles = self._mentions(), self._titles()
        numbers = numbered(self.database, "terms", [*merged.entities, *merged.keepers])
        for alias, one in merged.entities.items():
            if alias in numbers and one in numbers:
                for ends in (links[:, 1:3], mentions[:, 1:2]):
                    ends[ends == numbers[alias]] = numbers[one]
        base = int(max(links[:, 1:3].max(initial=0), mentions[:, 1].max(initial=0))) + 1
        # what is stored while this is read lies beyond, and is left out
        titles = titles[np.isin(titles[:, 1], links[:, 1:3]) | np.isin(titles[:, 1], mentions[:, 1])]
        # a name leads on from where it stands if it stands elsewhere too, or in a fact
        places = np.bincount(np.concatenate([mentions[:, 1], titles[:, 1]]), minlength=base)
        places[links[:, 1]] += 2
        places[links[links[:, 2] >= 0, 2]] += 2
        mentions = mentions[places[mentions[:, 1]] > 1]
        facts = len(titles) + len(links)
        links = np.concatenate([titles, links, mentions])
        links[:, 3] = np.where(links[:, 3] >= 0, links[:, 3] + base, -1)
        fact, head, tail, passage = (np.ascontiguousarray(column) for column in links.T)
        top = max(base, int(passage.max(initial=0)) + 1)
        nodes = np.concatenate([head, tail, passage])
        rows = np.tile(np.arange(len(links), dtype=np.int32), 3)[nodes >= 0]
        nodes = nodes[nodes >= 0]
        order = np.lexsort((rows, nodes))
        start = np.searchsorted(nodes[order], np.arange(top + 1)).astype(np.int32)
        return WholeGraph(base, fact, head, tail, passage, facts, start, rows[order])

    def _links(self) -> Iterable[Numbers]:
        last = 0
        some = "(SELECT * FROM links WHERE fact > ? ORDER BY fact LIMIT ?)"
        while len(rows := self._table(("fact", "head", "tail", "chunk"), some, (last, _ROWS_AT_ONCE))):
            rows = rows[rows[:, 0].argsort(kind="stable")]
            last = int(rows[-1, 0])
            yield rows

    def _table(self, columns: Sequence[str], source: str, values: Sequence[int] = ()) -> Numbers:
        """Return columns of whole numbers as an array, -1 where there is none.

        They are read as one text, a third of the time and less room than a row each takes.
        """
        import numpy as np

        row = "||','||".join(f"coalesce({column}, -1)" for column in columns)
        sql = f"SELECT coalesce(group_concat({row}), '') FROM {source}"  # noqa: S608 - words of ours
        ((text,),) = self.database.rows(sql, values)
        return np.fromstring(text, dtype=np.int32, sep=",").reshape(-1, len(columns))

    def _mentions(self) -> Numbers:
        import numpy as np

        pairs = self._table(("term", "chunk"), "mentions")
        mentions = np.full((len(pairs), 4), -1, dtype=np.int32)
        mentions[:, 0], mentions[:, 1], mentions[:, 3] = MENTION, pairs[:, 0], pairs[:, 1]
        return mentions

    def _titles(self) -> Numbers:
        """Return a row for the first chunk of a document whose title, perhaps without an aside, is an entity's name."""
        import numpy as np

        named: dict[str, list[int]] = {}
        for row in self.database.rows(
            "SELECT min(chunks.number) AS first, title FROM documents JOIN chunks ON chunks.document = documents.iri "
            "GROUP BY documents.number, title ORDER BY documents.number"
        ):
            for iri in named_by(row["title"]):
                named.setdefault(iri, []).append(row["first"])
        known = nodes_of(self.database, named)
        rows = [(TITLE, node, -1, chunk) for iri, node in known.items() for chunk in named[iri]]
        return np.array(rows, dtype=np.int32).reshape(-1, 4)


def put_links(connection: Transaction, edges: Sequence[tuple[int, str, str]]) -> None:
    """Link stored edges, each given as (number, key, chunk IRI), within the caller's transaction."""
    facts = facts_of(key for _, key, _ in edges)
    ends = {key: [end.value if isinstance(end, NamedNode) else None for end in (fact.subject, fact.object)]
            for key, fact in facts.items()}  # fmt: skip
    named = dict.fromkeys(iri for pair in ends.values() for iri in pair if iri is not None)
    put_terms(connection, named)
    terms = numbered(connection, "terms", named)
    chunks = numbered(connection, "chunks", dict.fromkeys(chunk for _, _, chunk in edges))
    connection.executemany(
        "INSERT INTO links VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
        [(number, *(terms.get(iri or "") for iri in ends[key]), chunks.get(chunk)) for number, key, chunk in edges],
    )


def put_terms(connection: Transaction, iris: Iterable[str]) -> None:
    """Number entities and names that have no number, within the caller's transaction."""
    connection.executemany("INSERT INTO terms (iri) VALUES (?) ON CONFLICT DO NOTHING", {(iri,): None for iri in iris})


def put_links_of_names(connection: Transaction, pairs: Sequence[tuple[int, str]]) -> None:
    """Link chunks to the names that they mention, each given as (chunk, IRI), within the caller's transaction."""
    put_terms(connection, (iri for _, iri in pairs))
    terms = numbered(connection, "terms", dict.fromkeys(iri for _, iri in pairs))
    connection.executemany(
        "INSERT INTO mentions VALUES (?, ?) ON CONFLICT DO NOTHING", {(chunk, terms[iri]): None for chunk, iri in pairs}
    )


def put_mentions(connection: Transaction, names: Mapping[str, Iterable[str]]) -> None:
    """Link chunks, by IRI, to the names in each, in place of older links, within the caller's transaction."""
    chunks = numbered(connection, "chunks", names)
    drop(connection, "mentions", "chunk", chunks.values())
    pairs = [(chunks[iri], entity_iri(name)) for iri, found in names.items() for name in found if iri in chunks]
    put_links_of_names(connection, pairs)


def drop_unlinked(connection: Transaction, among: Iterable[str]) -> None:
    """Delete those of some entities, by IRI, that may have come to this: the vectors of entities of which no fact is
    left, and those no passage mentions, within the caller's transaction. What others were merged with stays.
    """
    named = list(dict.fromkeys(among))
    numbers = numbered(connection, "terms", named)
    held = Many(numbers.values())
    rows = connection.rows(
        "SELECT head FROM links WHERE head IN (SELECT value FROM json_each(?)) "
        "UNION SELECT tail FROM links WHERE tail IN (SELECT value FROM json_each(?)) "
        "UNION SELECT terms.number FROM terms JOIN merged ON iri = entity",
        (held, held),
    )
    linked = {row[0] for row in rows}
    gone = [iri for iri in named if numbers.get(iri) not in linked]
    drop(connection, "vectors", "key", gone, "AND kind = 'entity'")
    left = Many(numbers[iri] for iri in gone if iri in numbers)
    connection.execute(
        "DELETE FROM terms WHERE number IN (SELECT value FROM json_each(?)) AND number NOT IN "
        "(SELECT term FROM mentions WHERE term IN (SELECT value FROM json_each(?)))",
        (left, left),
    )


def terms_of(connection: Transaction, document: str) -> list[str]:
    """Return the entities and names that a document's facts and passages speak of, within the caller's transaction."""
    rows = connection.rows(
        "WITH held AS (SELECT number, iri FROM chunks WHERE document = ?) SELECT iri FROM terms WHERE number IN ("
        "SELECT term FROM mentions WHERE chunk IN (SELECT number FROM held) "
        "UNION SELECT head FROM links WHERE chunk IN (SELECT number FROM held) "
        "UNION SELECT tail FROM links WHERE chunk IN (SELECT number FROM held))",
        (document,),
    )
    return [row["iri"] for row in rows]


def facts_of(keys: Iterable[str]) -> dict[str, Triple]:
    """Read facts from the keys that vectors know them by: N-Triples without the full stop."""
    named = list(dict.fromkeys(keys))
    lines = "".join(f"{key} .\n" for key in named)
    return dict(zip(named, (quad.triple for quad in parse(lines, format=RdfFormat.N_TRIPLES)), strict=True))
