"""The links of a collection on a server, of which a process fetches only those that it comes to.

What is asked of many nodes at once is one statement; what was fetched is kept for as long as the graph is, which is one
question. A row has a number that says where it stands among all, so that ties are broken as in a graph in memory:
titles first, then facts as stored, then mentions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from explorer.stores.database import Asked, Many
from explorer.stores.link_graph import MENTION, TITLE
from explorer.stores.merged import Merged, stored_merged

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from explorer.stores.link_graph import Mask, Numbers, Rows
    from explorer.stores.postgres.database import PostgresDatabase

    Wide = NDArray[np.int64]

_PASSAGES = 1 << 40  # the node of a chunk with the number 0
_HALF = 31  # bits of a number in that of a row
_MENTIONS, _TITLES = 1 << 62, -(1 << 62)  # added to the numbers of such rows
_MANY = 500  # entities that are read at a time, most links first
Link = tuple[int, int, int, int]  # fact, head, tail, passage

# a title is looked up by its hash, whatever the planner thinks: OFFSET 0 keeps it from reading all of them
_OF_ENTITIES = """
SELECT asked.node AS asked, found.* FROM unnest(CAST(? AS bigint[])) AS asked (node) CROSS JOIN LATERAL (
    (SELECT 0 AS fact, asked.node AS head, NULL AS tail, min(chunks.number) AS chunk FROM terms
        CROSS JOIN LATERAL (SELECT document FROM titles WHERE titles.iri = terms.iri OFFSET 0) AS titles
        JOIN documents ON documents.number = titles.document
        JOIN chunks ON chunks.document = documents.iri WHERE terms.number = asked.node GROUP BY documents.number)
    UNION ALL (SELECT * FROM (
        (SELECT fact, head, tail, chunk FROM links WHERE head = asked.node ORDER BY fact LIMIT ?)
        UNION (SELECT fact, head, tail, chunk FROM links WHERE tail = asked.node ORDER BY fact LIMIT ?)
    ) AS facts ORDER BY fact LIMIT ?)
    UNION ALL (SELECT -1, asked.node, NULL, chunk FROM mentions WHERE term = asked.node ORDER BY chunk LIMIT ?)
) AS found
"""
_OF_PASSAGES = """
SELECT asked.chunk AS asked, found.* FROM unnest(CAST(? AS bigint[])) AS asked (chunk) CROSS JOIN LATERAL (
    (SELECT 0 AS fact, terms.number AS head, NULL AS tail, asked.chunk AS chunk FROM chunks
        JOIN documents ON documents.iri = chunks.document JOIN titles ON titles.document = documents.number
        JOIN terms ON terms.iri = titles.iri WHERE chunks.number = asked.chunk AND NOT EXISTS (
            SELECT 1 FROM chunks AS before WHERE before.document = chunks.document AND before.number < chunks.number))
    UNION ALL (SELECT fact, head, tail, chunk FROM links WHERE chunk = asked.chunk ORDER BY fact LIMIT ?)
    UNION ALL (SELECT -1, term, NULL, asked.chunk FROM mentions WHERE chunk = asked.chunk ORDER BY term)
) AS found
"""
_FACTS = "SELECT fact, head, tail, chunk FROM links WHERE fact IN (SELECT value FROM json_each(?))"
# what is known of entities: how many links they have, whether facts are among them, and in how many passages they stand
_TOLD = """
SELECT asked.place, titled.n AS titles, facts.n AS facts, mentioned.n AS mentions, {passages} AS passages
FROM ({asked}) AS asked
CROSS JOIN LATERAL (SELECT count(*) AS n FROM terms CROSS JOIN LATERAL (
    SELECT FROM titles WHERE titles.iri = terms.iri OFFSET 0
) AS named WHERE terms.number = ANY(asked.members)) AS titled
CROSS JOIN LATERAL (SELECT (SELECT count(*) FROM links WHERE head = ANY(asked.members))
    + (SELECT count(*) FROM links WHERE tail = ANY(asked.members)) AS n) AS facts
CROSS JOIN LATERAL (SELECT count(*) AS n FROM mentions WHERE term = ANY(asked.members)) AS mentioned
"""
_GIVEN = (
    "SELECT place, CAST(told AS bigint[]) AS members "
    "FROM unnest(CAST(? AS text[])) WITH ORDINALITY AS given (told, place)"
)
_ABOUT = _TOLD.format(
    asked=_GIVEN,
    passages="""(SELECT count(DISTINCT chunk) FROM (
        SELECT chunk FROM links WHERE head = ANY(asked.members)
        UNION ALL SELECT chunk FROM links WHERE tail = ANY(asked.members)
        UNION ALL SELECT chunk FROM mentions
            WHERE term = ANY(asked.members) AND titled.n + 2 * facts.n + mentioned.n > 1
        UNION ALL SELECT min(chunks.number) FROM terms CROSS JOIN LATERAL (
                SELECT document FROM titles WHERE titles.iri = terms.iri OFFSET 0
            ) AS titles JOIN documents ON documents.number = titles.document
            JOIN chunks ON chunks.document = documents.iri
            WHERE terms.number = ANY(asked.members) GROUP BY documents.number
    ) AS there)""",
)
_ALL = 1 << 62  # rows of a node
_NOT_COUNTED = -1
# a hop asks only how many links there are, which takes a tenth of the time
_LINKS = _TOLD.format(asked=_GIVEN, passages=_NOT_COUNTED)
# of those that passages mention, without some; what is read as another one is to be asked with that
_LINKS_MENTIONED = _TOLD.format(
    asked="SELECT DISTINCT term AS place, ARRAY[term] AS members FROM mentions "
    "WHERE chunk = ANY(CAST(? AS bigint[])) AND term <> ALL(CAST(? AS bigint[]))",
    passages=_NOT_COUNTED,
)


@dataclass(slots=True)
class About:
    """What is known of an entity: links that are titles, facts (one about itself counts twice) and mentions; in how
    many passages it stands, unless nobody has looked.
    """

    titles: int = 0
    facts: int = 0
    mentions: int = 0
    passages: int = 0

    @property
    def leads_on(self) -> bool:
        """Whether its mentions are links: a name leads on where it stands elsewhere too, or in a fact."""
        return self.titles + 2 * self.facts + self.mentions > 1

    @property
    def degree(self) -> int:
        """How many links it has."""
        return self.titles + self.facts + (self.mentions if self.leads_on else 0)


_UNKNOWN = About(passages=_NOT_COUNTED)


class FetchedGraph:
    """Links, as `link_graph.LinkGraph` has them, fetched from the database."""

    passages_from = _PASSAGES

    def __init__(self, database: PostgresDatabase, is_there: Callable[[Rows], Mask] | None = None) -> None:
        """Fetch nothing yet; only rows for which `is_there` is true are in it, by default all."""
        self.database = database
        self._is_there = is_there
        self._left: dict[int, About] = {}  # of what `is_there` leaves
        self._links: dict[int, Link] = {}
        self._of: dict[tuple[int, int], list[int]] = {}
        self._about: dict[int, About] = {}
        self._merged: Merged | None = None
        self._aliases: dict[int, list[int]] = {}
        self._keepers: dict[int, int] = {}

    @property
    def fact(self) -> _Column:
        """The facts of rows."""
        return _Column(self._links, 0)

    @property
    def head(self) -> _Column:
        """The entities that they are about."""
        return _Column(self._links, 1)

    @property
    def tail(self) -> _Column:
        """The entities that they lead to."""
        return _Column(self._links, 2)

    @property
    def passage(self) -> _Column:
        """The passages that they come from."""
        return _Column(self._links, 3)

    def rows(self, nodes: Numbers, limit: int) -> Wide:
        """Return the first `limit` rows in which each node stands, node by node."""
        import numpy as np

        asked = [int(node) for node in nodes]
        missing = [node for node in dict.fromkeys(asked) if (node, limit) not in self._of]
        entities = [node for node in missing if node < _PASSAGES]
        passages = [node - _PASSAGES for node in missing if node >= _PASSAGES]
        found: dict[int, dict[int, Link]] = {node: {} for node in missing}
        own = self._with_aliases(entities)
        new = [node for node in entities if node not in self._about and node not in self._keepers]
        asked_new: Asked = _LINKS, ([self._members(node) for node in new],)
        most = limit if self._is_there is None else None  # else those before the limit may not be there
        asked_entities: Asked = _OF_ENTITIES, ([*own], most, most, most, most)
        asked_passages: Asked = _OF_PASSAGES, (passages, most)
        asked_mentioned: Asked = _LINKS_MENTIONED, (passages, [*self._about, *own])
        self.database.ahead([
            *([asked_entities] if entities else []), *([asked_passages, asked_mentioned] if passages else []),
            *([asked_new] if new else []),
        ])  # fmt: skip
        for one, *link in self.database.rows(*asked_entities) if entities else ():
            found[own[one]] |= self._link(*link)
        for one, *link in self.database.rows(*asked_passages) if passages else ():
            found[one + _PASSAGES] |= self._link(*link)
        for place, *about in self.database.rows(*asked_new) if new else ():
            self._about[new[place - 1]] = About(*about)
        for node, *about in self.database.rows(*asked_mentioned) if passages else ():
            if node not in self._aliases and node not in self._keepers:
                self._about.setdefault(node, About(*about))
        self._count({link[1] for links in found.values() for link in links.values() if link[0] == MENTION})
        for node, links in found.items():
            self._of[node, limit] = self._kept(links)[:limit]
        return np.array([row for node in asked for row in self._of[node, limit]], dtype=np.int64)

    def rows_of(self, facts: Sequence[int]) -> Wide:
        """Return the rows of facts by their numbers; ones that are not there are left out."""
        import numpy as np

        asked = [int(number) for number in facts]
        if missing := [number for number in asked if number not in self._links]:
            self._merge()
            self._kept(
                {
                    row: link
                    for one in self.database.rows(_FACTS, (Many(missing),))
                    for row, link in self._link(*one).items()
                }
            )
        return np.array([number for number in asked if number in self._links], dtype=np.int64)

    def rows_of_ahead(self, facts: Sequence[int]) -> Iterator[Asked]:
        """Yield what `rows_of` asks."""
        if missing := [number for number in map(int, facts) if number not in self._links]:
            yield _FACTS, (Many(missing),)

    def ends(self, rows: Numbers) -> Wide:
        """Return the nodes of rows, a line of head, tail and passage for each; −1: none."""
        import numpy as np

        found = [self._links[row][1:] for row in rows.tolist()]
        return np.array(found, dtype=np.int64).reshape(-1, 3)

    def different(self, rows: Numbers) -> Numbers:
        """Return rows once each, ascending."""
        import numpy as np

        return np.unique(rows)

    def among(self, nodes: Numbers) -> Callable[[Numbers], Numbers]:
        """Return a function that gives the places of nodes among some, which ascend; −1 for others."""
        import numpy as np

        def place(asked: Numbers) -> Numbers:
            found = np.clip(np.searchsorted(nodes, asked), 0, len(nodes) - 1)
            return np.where(nodes[found] == asked, found, -1)

        return place

    def has_passage(self, node: int) -> bool:
        """Return whether a passage is in it."""
        return node >= _PASSAGES

    def look(self, nodes: Iterable[int]) -> None:
        """Read what will be asked of nodes one by one: whether they are known, stand in facts, and are mentioned."""
        if self._is_there is not None:
            self._count_left(nodes)
            return
        missing = [
            node for node in dict.fromkeys(map(int, nodes))
            if node < _PASSAGES and self._about.get(node, _UNKNOWN).passages == _NOT_COUNTED
        ]  # fmt: skip
        if not missing:
            return
        self._read(_ABOUT, missing)

    def _count(self, nodes: Iterable[int]) -> None:
        """Read how many links nodes have."""
        missing = [node for node in dict.fromkeys(map(int, nodes)) if node < _PASSAGES and node not in self._about]
        if missing:
            self._read(_LINKS, missing)

    def _read(self, sql: str, nodes: Sequence[int]) -> None:
        self._merge()
        self._about |= {node: About() for node in nodes}
        asked = [node for node in nodes if node not in self._keepers]  # what is read as another one has none
        for place, *about in self.database.rows(sql, ([self._members(node) for node in asked],)) if asked else ():
            self._about[asked[place - 1]] = About(*about)

    def _count_left(self, nodes: Iterable[int]) -> None:
        """Read all links of nodes, and count those that are there."""
        import numpy as np

        missing = [node for node in dict.fromkeys(map(int, nodes)) if node < _PASSAGES and node not in self._left]
        self.rows(np.array(missing, dtype=np.int64), _ALL)
        for node in missing:
            links = [self._links[row] for row in self._of[node, _ALL]]
            facts = sum((head == node) + (tail == node) for fact, head, tail, _ in links if fact > 0)
            others = sum(fact <= 0 for fact, *_ in links)
            passages = len({passage for *_, passage in links if passage >= 0})
            self._left[node] = About(titles=others, facts=facts, passages=passages)

    def knows(self, entity: int) -> bool:
        """Return whether an entity has a link."""
        return bool(self._told([entity])[0].degree)

    def stands(self, entity: int) -> bool:
        """Return whether an entity stands in a fact: others are names that passages mention."""
        return bool(self._told([entity])[0].facts)

    def mentions(self, entity: int) -> int:
        """Return in how many passages an entity is mentioned, at least 1."""
        self.look([entity])
        return max(1, (self._about if self._is_there is None else self._left)[entity].passages)

    def degrees(self, nodes: Numbers) -> Wide:
        """Return how many links entities have."""
        import numpy as np

        return np.array([one.degree for one in self._told(nodes.tolist())], dtype=np.int64)

    def most_linked(self, among: Iterable[int] | None = None) -> Iterator[int]:
        """Yield entities, those with most links first; all, or some."""
        if among is not None:
            nodes = sorted(among)
            degrees = {node: one.degree for node, one in zip(nodes, self._told(nodes), strict=True)}
            yield from sorted(nodes, key=lambda node: -degrees[node])
            return
        done = 0
        while rows := self.database.rows(
            "SELECT node FROM (SELECT head AS node FROM links UNION ALL SELECT tail FROM links WHERE tail IS NOT NULL "
            "UNION ALL SELECT term FROM mentions) AS ends GROUP BY node ORDER BY count(*) DESC, node LIMIT ? OFFSET ?",
            (_MANY, done),
        ):
            self._merge()
            yield from (self._keepers.get(row["node"], row["node"]) for row in rows)
            done += len(rows)

    def where(self, is_there: Callable[[Rows], Mask]) -> FetchedGraph:
        """Return the graph of those rows for which a function of rows is true; its nodes have the same numbers."""
        return FetchedGraph(self.database, is_there)

    def _told(self, nodes: Sequence[int]) -> list[About]:
        """Return how many links entities have."""
        if self._is_there is not None:
            self._count_left(nodes)
            return [self._left[node] for node in nodes]
        self._count(nodes)
        return [self._about[node] for node in nodes]

    def _link(self, fact: int, head: int, tail: int | None, chunk: int | None) -> dict[int, Link]:
        """Return a link between nodes by its row, of merged entities that of the one that they are read as."""
        row = fact
        if fact <= 0:  # of these the ends tell them apart
            row = ((chunk or 0) << _HALF | head) + (_TITLES if fact == TITLE else _MENTIONS)
        one, other = self._keepers.get(head, head), -1 if tail is None else self._keepers.get(tail, tail)
        return {row: (fact, one, other, -1 if chunk is None else chunk + _PASSAGES)}

    def _kept(self, links: Mapping[int, Link]) -> list[int]:
        """Keep links that are there, and return their rows, ascending."""
        found = {row: link for row, link in links.items() if link[0] != MENTION or self._about[link[1]].leads_on}
        if self._is_there is not None and found:
            there = self._is_there(_Some.of([*found.values()]))
            found = {row: link for (row, link), is_in in zip(found.items(), there.tolist(), strict=True) if is_in}
        self._links |= found
        return sorted(found)

    def _members(self, node: int) -> str:
        """Return a node and those that are read as it, as an array."""
        return f"{{{','.join(map(str, (node, *self._aliases.get(node, ()))))}}}"

    def _with_aliases(self, nodes: Iterable[int]) -> dict[int, int]:
        """Return the nodes and all that are read as one of them, each with the node that it is read as."""
        self._merge()
        there = [node for node in nodes if node not in self._keepers]  # what is read as another one has no links
        return {own: node for node in there for own in (node, *self._aliases.get(node, ()))}

    def _merge(self) -> None:
        """Read which entities are one, once."""
        if self._merged is not None:
            return
        self._merged = stored_merged(self.database)
        if self._merged:
            sql = "SELECT iri, number FROM terms WHERE iri IN (SELECT value FROM json_each(?))"
            rows = self.database.rows(sql, (Many([*self._merged.entities, *self._merged.keepers]),))
            numbers = {row["iri"]: row["number"] for row in rows}
            for alias, one in self._merged.entities.items():
                if alias in numbers and one in numbers:
                    self._keepers[numbers[alias]] = numbers[one]
                    self._aliases.setdefault(numbers[one], []).append(numbers[alias])


@dataclass(frozen=True, slots=True)
class _Column:
    """One value of each row."""

    links: dict[int, Link]
    place: int

    def __getitem__(self, rows: Any) -> Wide:  # noqa: ANN401 - an array or a list of rows
        """Return the values of rows."""
        import numpy as np

        return np.array([self.links[int(row)][self.place] for row in rows], dtype=np.int64)


@dataclass(frozen=True, slots=True)
class _Some:
    """Some rows with all their values."""

    fact: Wide
    head: Wide
    tail: Wide
    passage: Wide
    passages_from: int = field(default=_PASSAGES)

    @classmethod
    def of(cls, links: Sequence[Link]) -> _Some:
        """Return links as columns."""
        import numpy as np

        return cls(*np.array(links, dtype=np.int64).reshape(-1, 4).T)
