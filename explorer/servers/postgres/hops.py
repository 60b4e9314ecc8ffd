"""The links of a collection on a server, of which a process fetches only those that it comes to.

What is asked of many nodes at once is one statement. What was fetched is kept while the collection stays as it is, up
to some hundred thousand links. A row has a number that says where it stands among all, so that ties are broken as in a
graph in memory: titles first, then facts as stored, then mentions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from explorer.servers.postgres.link_cache import Fetched, Table, Wide
from explorer.servers.postgres.link_statements import (
    ABOUT,
    ALL,
    FACTS,
    FEWEST,
    LINKS,
    MENTIONED_THERE,
    NEAR,
    NOT_COUNTED,
    OF_A_LINK,
    OF_ENTITIES,
    OF_HUBS,
    OF_PASSAGES,
    TITLES_OF_ONE,
)
from explorer.stores.database import Asked, Database, Many, Rows, numbered
from explorer.stores.link_graph import MENTION, TITLE
from explorer.stores.merged_entities import stored_merged

if TYPE_CHECKING:
    from explorer.stores.database import Mask, Numbers

_PASSAGES = 1 << 40  # the node of a chunk with the number 0
_HALF = 31  # bits of a number in that of a row
_MENTIONS, _TITLES = 1 << 62, -(1 << 62)  # added to the numbers of such rows
_MANY = 500  # entities that are read at a time, most links first
_FACT, _HEAD, _TAIL, _PASSAGE = range(4)  # the values of a link


_TITLED, _IN_FACTS, _MENTIONED, _IN_PASSAGES = range(4)  # what is known of an entity; a fact about itself counts twice


def _leads_on(about: Wide) -> Mask:
    """Return of which entities the mentions are links: a name leads on where it stands elsewhere too, or in a fact."""
    led: Mask = about[:, _TITLED] + 2 * about[:, _IN_FACTS] + about[:, _MENTIONED] > 1
    return led


def _degrees(about: Wide) -> Wide:
    """Return how many links entities have."""
    mentions = np.where(_leads_on(about), about[:, _MENTIONED], 0)
    degrees: Wide = about[:, _TITLED] + about[:, _IN_FACTS] + mentions
    return degrees


class FetchedGraph:
    """Links, as `link_graph.LinkGraph` has them, fetched from the database."""

    passages_from = _PASSAGES

    def __init__(
        self,
        database: Database,
        fetched: Fetched | None = None,
        is_there: Callable[[Rows], Mask] | None = None,
    ) -> None:
        """Begin with what was fetched already; only rows for which `is_there` is true are in it, by default all."""
        self.database = database
        self._is_there = is_there
        self._fetched = fetched or Fetched()
        self._links, self._of, self._about = self._fetched.links, self._fetched.of, self._fetched.about
        self._aliases, self._keepers = self._fetched.aliases, self._fetched.keepers
        self._near, self._cut = self._fetched.near, self._fetched.cut
        self._left = Table(4)  # what is known of entities by what `is_there` leaves

    @property
    def fact(self) -> _Column:
        return _Column(self._links, _FACT)

    @property
    def head(self) -> _Column:
        return _Column(self._links, _HEAD)

    @property
    def tail(self) -> _Column:
        return _Column(self._links, _TAIL)

    @property
    def passage(self) -> _Column:
        return _Column(self._links, _PASSAGE)

    def rows(self, nodes: Numbers, limit: int) -> Wide:
        asked = [int(node) for node in nodes]
        missing = [node for node in dict.fromkeys(asked) if (node, limit) not in self._of]
        if missing:
            self._fetch(np.array(missing, dtype=np.int64), limit)
        return np.concatenate([np.zeros(0, dtype=np.int64), *(self._of[node, limit] for node in asked)])

    def around(self, nodes: Numbers, limit: int) -> Wide:
        """Return the rows of nodes as `rows` has them, once each, but for some whose entity is not among them.

        Of most passages it is enough to read facts: what else they have to do with the entities is in their rows.
        """
        entities, passages = nodes[nodes < _PASSAGES], nodes[nodes >= _PASSAGES]
        if self._is_there is not None:
            return np.unique(self.rows(nodes, limit))
        new = [node for node in passages.tolist() if (node, limit) not in self._of and (node, limit) not in self._near]
        missing = [node for node in entities.tolist() if (node, limit) not in self._of]
        asked = [self._asked_near(new, limit)] if new else []
        self._read_ahead([*self._asked_of(np.array(missing, dtype=np.int64), limit), *asked])
        found = [self.rows(entities, limit)]
        hubs = [node for node in entities.tolist() if (node, limit) in self._cut]
        last = np.array([self._of[node, limit][-1] for node in hubs], dtype=np.int64)
        if (self.fact[last] == TITLE).any():  # of so many titles some may be cut off
            return np.unique(np.concatenate([*found, self.rows(passages, limit)]))
        for one in asked:
            self._keep_near(new, self._numbers(one), limit)
        told = np.array([(node, limit) in self._near for node in passages.tolist()], dtype=np.bool_)
        found += [self._near[node, limit] for node in passages[told].tolist()]
        found.append(self.rows(passages[~told], limit))
        if hubs and told.any():
            many = np.array(hubs, dtype=np.int64)
            own = self._members(many)[1]
            beside: Asked = OF_HUBS, (Many((passages[told] - _PASSAGES).tolist()), Many(own.tolist()))
            unknown = many[~self._about.has(many)]
            self._read_ahead([beside, *self._asked_about(LINKS, unknown)])
            self._read(LINKS, unknown)
            found.append(self._kept(self._numbers(beside))[1])
        return np.unique(np.concatenate(found))

    def _asked_near(self, passages: Sequence[int], limit: int) -> Asked:
        chunks = [node - _PASSAGES for node in passages]
        return NEAR, (chunks, limit, Many(chunks))

    def _keep_near(self, passages: Sequence[int], found: Wide, limit: int) -> None:
        """Keep the facts of those passages that have no more rows than the limit, titles and mentions among them."""
        nodes = np.array(passages, dtype=np.int64)
        found[:, 0] += _PASSAGES
        counted = found[:, 1] == MENTIONED_THERE
        places = np.searchsorted(nodes, found[:, 0])
        held = np.bincount(places[~counted], minlength=len(nodes)) + TITLES_OF_ONE
        np.add.at(held, places[counted], found[counted, 2])
        there = ~counted & (held <= limit)[places]
        asked, rows = self._kept(found[there])
        order = np.argsort(asked, kind="stable")
        asked, rows = asked[order], rows[order]
        few = nodes[held <= limit]
        begin, end = np.searchsorted(asked, few), np.searchsorted(asked, few, side="right")
        for node, one, other in zip(few.tolist(), begin.tolist(), end.tolist(), strict=True):
            self._near[node, limit] = rows[one:other]

    def _fetch(self, nodes: Wide, limit: int) -> None:
        """Read the first `limit` rows of nodes, and those of the entities that passages mention: a mention is a link
        where its entity has another one.
        """
        self._merge()
        there = nodes[~self._keepers.has(nodes)]  # what is read as another one has no links
        entities, passages = np.sort(there[there < _PASSAGES]), there[there >= _PASSAGES] - _PASSAGES
        links = self._asked_of(entities, limit)
        most = limit if self._is_there is None else None  # else those before the limit may not be there
        if len(passages):
            links.append((OF_PASSAGES, (passages.tolist(), most)))
        self._read_ahead(links)
        found = [self._numbers(one) for one in links]
        if len(entities):
            self._count(entities, found[0], limit)
        if len(passages):
            self._meet(found[-1], limit)
            found[-1][:, 0] += _PASSAGES
        asked, rows = self._kept(np.concatenate([*found, np.zeros((0, 5), dtype=np.int64)]))
        order = np.lexsort((rows, asked))
        asked, rows = asked[order], rows[order]
        first = np.ones(len(rows), dtype=np.bool_)
        first[1:] = (asked[1:] != asked[:-1]) | (rows[1:] != rows[:-1])
        asked, rows = asked[first], rows[first]
        begin, end = np.searchsorted(asked, nodes), np.searchsorted(asked, nodes, side="right")
        for node, one, other in zip(nodes.tolist(), begin.tolist(), end.tolist(), strict=True):
            self._of[node, limit] = rows[one:other][:limit]
            if other - one > max(limit, FEWEST):
                self._cut.add((node, limit))

    def _asked_of(self, entities: Wide, limit: int) -> list[Asked]:
        """Return what is asked for the first `limit` rows of entities, if there are any."""
        self._merge()
        own = self._members(entities[~self._keepers.has(entities)])[1]
        most = max(limit, FEWEST) if self._is_there is None else None
        return [(OF_ENTITIES, (own.tolist(), most, most, most, most))] if len(own) else []

    def _count(self, entities: Wide, found: Wide, limit: int) -> None:
        """Keep how many links entities have, by all of their rows; those of which not all were read have too many."""
        new = entities[~self._about.has(entities)]
        about = _nothing(len(new))
        if self._is_there is None:
            linked = found[found[:, 1] != TITLE]
            kinds, often = np.unique(2 * linked[:, 0] + (linked[:, 1] == MENTION), return_counts=True)
            full = np.unique(self._read_as(kinds[often >= max(limit, FEWEST)] // 2))
            self._cut.update((node, limit) for node in full.tolist())
            is_whole = ~np.isin(new, full)
            new, about = new[is_whole], about[is_whole]
        if not len(new):
            return
        asked = self._read_as(found[:, 0])
        place = np.clip(np.searchsorted(new, asked), 0, len(new) - 1)
        there = new[place] == asked
        place, (own, fact, head, tail) = place[there], found[there, :4].T
        for column, counted in (
            (_TITLED, fact == TITLE),
            (_IN_FACTS, fact > 0),
            (_IN_FACTS, (fact > 0) & (head == own) & (tail == own)),
            (_MENTIONED, fact == MENTION),
        ):
            about[:, column] += np.bincount(place[counted], minlength=len(new))
        self._about.add(new, about)

    def _meet(self, found: Wide, limit: int) -> None:
        """Read of the entities that passages mention what says whether they lead on, and where to."""
        heads = np.unique(self._read_as(found[found[:, 1] == MENTION, 2]))
        if self._is_there is None:
            missing = heads[~self._about.has(heads)]
            missing = missing[np.array([(node, limit) not in self._of for node in missing.tolist()], dtype=np.bool_)]
            if len(missing):
                self._fetch(missing, limit)

    def rows_of(self, facts: Sequence[int]) -> Wide:
        asked = np.array([int(number) for number in facts], dtype=np.int64)
        missing = asked[~self._links.has(asked)]
        if len(missing):
            self._merge()
            self._kept(self._numbers((FACTS, (Many(missing.tolist()),))))
        there: Wide = asked[self._links.has(asked)]
        return there

    def ends(self, rows: Numbers) -> Wide:
        return self._links[rows][:, _HEAD:]

    def among(self, nodes: Numbers) -> Callable[[Numbers], Numbers]:
        def place(asked: Numbers) -> Numbers:
            found = np.clip(np.searchsorted(nodes, asked), 0, len(nodes) - 1)
            return np.where(nodes[found] == asked, found, -1)

        return place

    def has_passage(self, node: int) -> bool:
        return node >= _PASSAGES

    def look(self, nodes: Iterable[int]) -> None:
        entities = _entities(nodes)
        if self._is_there is not None:
            self._count_left(entities)
            return
        known = self._about.has(entities)
        known[known] = self._about[entities[known]][:, _IN_PASSAGES] != NOT_COUNTED
        self._read(ABOUT, entities[~known])

    def _asked_about(self, sql: str, nodes: Wide) -> list[Asked]:
        """Return what is asked for how many links nodes have, if any; what is read as another one has none."""
        self._merge()
        asked = self._members(nodes[~self._keepers.has(nodes)])
        return [(sql, tuple(one.tolist() for one in asked))] if len(asked[0]) else []

    def _read(self, sql: str, nodes: Wide) -> None:
        """Read what is known of nodes."""
        for one in self._asked_about(sql, nodes):
            told = self._numbers(one)
            self._about.replace(told[:, 0], told[:, 1:])
        self._about.add(nodes, _nothing(len(nodes)))

    def _count_left(self, nodes: Wide) -> None:
        """Read all links of nodes, and count those that are there."""
        missing = nodes[~self._left.has(nodes)]
        self.rows(missing, ALL)
        counted = np.zeros((len(missing), 4), dtype=np.int64)
        for place, node in enumerate(missing.tolist()):
            links = self._links[self._of[node, ALL]]
            is_fact = links[:, _FACT] > 0
            passages = links[:, _PASSAGE]
            counted[place, _TITLED] = np.count_nonzero(~is_fact)
            counted[place, _IN_FACTS] = np.count_nonzero(links[is_fact][:, [_HEAD, _TAIL]] == node)
            counted[place, _IN_PASSAGES] = len(np.unique(passages[passages >= 0]))
        self._left.add(missing, counted)

    def knows(self, entity: int) -> bool:
        return bool(self.degrees(_entities([entity]))[0])

    def stands(self, entity: int) -> bool:
        return bool(self._told(_entities([entity]))[0, _IN_FACTS])

    def mentions(self, entity: int) -> int:
        self.look([entity])
        about = self._about if self._is_there is None else self._left
        return max(1, int(about[_entities([entity])][0, _IN_PASSAGES]))

    def degrees(self, nodes: Numbers) -> Wide:
        """Return how many links entities have."""
        return _degrees(self._told(nodes))

    def most_linked(self, among: Iterable[int] | None = None) -> Iterator[int]:
        if among is not None:
            nodes = _entities(sorted(among))
            yield from nodes[np.argsort(-self.degrees(nodes), kind="stable")].tolist()
            return
        done = 0
        while rows := self.database.rows(
            "SELECT node FROM (SELECT head AS node FROM links UNION ALL SELECT tail FROM links WHERE tail IS NOT NULL "
            "UNION ALL SELECT term FROM mentions) AS ends GROUP BY node ORDER BY count(*) DESC, node LIMIT ? OFFSET ?",
            (_MANY, done),
        ):
            self._merge()
            yield from self._read_as(_entities(row["node"] for row in rows)).tolist()
            done += len(rows)

    def where(self, is_there: Callable[[Rows], Mask]) -> FetchedGraph:
        return FetchedGraph(self.database, is_there=is_there)

    def _told(self, nodes: Numbers) -> Wide:
        """Return how many links entities have, a line for each."""
        entities = np.unique(nodes).astype(np.int64)
        if self._is_there is not None:
            self._count_left(entities)
            return self._left[nodes]
        self._read(LINKS, entities[~self._about.has(entities)])
        return self._about[nodes]

    def _read_ahead(self, asked: Iterable[Asked]) -> None:
        self.database.read_ahead(partial(self.database.rows, *one) for one in asked)

    def _numbers(self, asked: Asked) -> Wide:
        """Return what a packed statement gives, a line for each row."""
        [(packed,)] = self.database.rows(*asked)
        columns = len(OF_A_LINK)  # as many as of an entity
        return np.frombuffer(packed or b"", dtype=">i8").reshape(-1, columns).astype(np.int64)

    def _kept(self, found: Wide) -> tuple[Wide, Wide]:
        """Keep links that are there (asked, fact, head, tail, chunk); return what each was asked for, and its row.

        The ends of links are those that they are read as; rows tell apart what was merged.
        """
        asked, fact, head, tail, chunk = found.T
        base = np.where(fact == TITLE, _TITLES, _MENTIONS)
        row = np.where(fact > 0, fact, (np.maximum(chunk, 0) << _HALF | head) + base)
        passage = np.where(chunk < 0, -1, chunk + _PASSAGES)
        links = np.stack([fact, self._read_as(head), self._read_as(tail), passage], axis=1)
        there = fact != MENTION
        there[~there] = self._lead_on(links[~there, _HEAD])
        asked, row, links = asked[there], row[there], links[there]
        if self._is_there is not None and len(row):
            there = self._is_there(_Some(*links.T))
            asked, row, links = asked[there], row[there], links[there]
        self._links.add(row, links)
        return self._read_as(asked), row

    def _lead_on(self, nodes: Wide) -> Mask:
        """Return of which entities mentions are links, whatever `is_there` leaves of them."""
        entities = np.unique(nodes)
        many = np.array(sorted({node for node, _ in self._cut}), dtype=np.int64)  # more rows than were asked for
        self._read(LINKS, entities[~self._about.has(entities) & ~np.isin(entities, many)])
        led = np.isin(nodes, many)
        led[~led] = _leads_on(self._about[nodes[~led]])
        return led

    def _members(self, nodes: Wide) -> tuple[Wide, Wide]:
        """Return nodes and those that are read as them: for each the node that it is read as, and itself."""
        pairs = [(node, own) for node in nodes.tolist() for own in (node, *self._aliases.get(node, ()))]
        as_one, own = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
        return as_one, own

    def _read_as(self, nodes: Wide) -> Wide:
        """Return the node that each one is read as: itself, unless it was merged."""
        found = nodes.copy()
        merged = self._keepers.has(nodes)
        found[merged] = self._keepers[nodes[merged]][:, 0]
        return found

    def _merge(self) -> None:
        """Read which entities are one, once."""
        fetched = self._fetched
        if fetched.merged is not None:
            return
        merged = stored_merged(self.database)
        if merged:
            numbers = numbered(self.database, "terms", [*merged.entities, *merged.keepers])
            pairs = [
                (numbers[alias], numbers[one])
                for alias, one in merged.entities.items()
                if alias in numbers and one in numbers
            ]
            aliases: dict[int, list[int]] = {}
            for alias, one in pairs:
                aliases.setdefault(one, []).append(alias)
            fetched.aliases.update(aliases)
            both = np.array(pairs, dtype=np.int64).reshape(-1, 2)
            fetched.keepers.add(both[:, 0], both[:, 1:])
        fetched.merged = merged  # last: who reads it finds the rest


def _nothing(entities: int) -> Wide:
    """Return what is known of entities that have no links."""
    about: Wide = np.zeros((entities, 4), dtype=np.int64)
    about[:, _IN_PASSAGES] = NOT_COUNTED
    return about


def _entities(nodes: Iterable[int]) -> Wide:
    """Return those of some nodes that are entities, once each, in their order."""
    return np.array([node for node in dict.fromkeys(map(int, nodes)) if node < _PASSAGES], dtype=np.int64)


@dataclass(frozen=True, slots=True)
class _Column:
    """One value of each row."""

    links: Table
    place: int

    def __getitem__(self, rows: Any) -> Wide:  # noqa: ANN401 - an array or a list of rows
        column: Wide = self.links[rows][:, self.place]
        return column


@dataclass(frozen=True, slots=True)
class _Some:
    """Some rows with all their values."""

    fact: Wide
    head: Wide
    tail: Wide
    passage: Wide
    passages_from: int = field(default=_PASSAGES)
