"""Which entities people have said to be one: a reading of what is stored, which stays as it came.

The record has what was merged; the library has rows of it, made from the record, for those who read it by numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import product

from pyoxigraph import NamedNode, Triple

from explorer.stores.database import Asked, Database, Transaction

_MERGED = "SELECT alias, entity, name FROM merged ORDER BY number"
STANDING: tuple[Asked, ...] = ((_MERGED, ()),)
"""What every question asks."""


@dataclass(frozen=True, slots=True)
class Merged:
    """Entities that are one with another: `entities` has for each the one that it is read as, by their IRIs.

    `names` are those of the ones that the others are read as, where they are known.
    """

    entities: Mapping[str, str] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.entities)

    @property
    def keepers(self) -> tuple[str, ...]:
        """The entities that others are read as."""
        return tuple(dict.fromkeys(self.entities.values()))

    def one(self, iri: str) -> str:
        """Return the entity that another is read as; itself where it was not merged."""
        return self.entities.get(iri, iri)

    def all(self, iri: str) -> tuple[str, ...]:
        """Return the entities that are one with another: first the one that they are read as."""
        keeper = self.one(iri)
        return keeper, *(alias for alias, one in self.entities.items() if one == keeper)

    def reading(self, fact: Triple) -> Triple:
        """Return a fact with the entities that its ends are read as."""
        return renamed(fact, self.entities)

    def variants(self, fact: Triple) -> tuple[Triple, ...]:
        """Return the facts that are read as a fact is, itself first, whether or not they are there."""
        if not self.entities:
            return (fact,)
        subject, obj = fact.subject, fact.object
        subjects = [*map(NamedNode, self.all(subject.value))] if isinstance(subject, NamedNode) else [subject]
        objects = [*map(NamedNode, self.all(obj.value))] if isinstance(obj, NamedNode) else [obj]
        found = (Triple(one, fact.predicate, other) for one, other in product(subjects, objects))
        return tuple(dict.fromkeys([fact, *found]))

    def different(self, facts: Mapping[str, Triple], seen: set[Triple]) -> dict[str, Triple]:
        """Return of facts that are read as the same the first, without those of which `seen` has the reading already;
        theirs are added to it.
        """
        found: dict[str, Triple] = {}
        for key, fact in facts.items():
            if (read := self.reading(fact)) not in seen:
                seen.add(read)
                found[key] = fact
        return found

    def joined(self, keeper: str, aliases: Iterable[str]) -> Merged:
        """Return the same with entities, and all that were read as these, read as another one."""
        now = self.one(keeper)
        came = {self.one(alias) for alias in aliases} - {now}
        entities = {alias: now if one in came else one for alias, one in self.entities.items()}
        return replace(self, entities=entities | dict.fromkeys(sorted(came), now))

    def parted(self, aliases: Iterable[str]) -> Merged:
        """Return the same with some entities read as themselves."""
        gone = set(aliases)
        return replace(self, entities={alias: one for alias, one in self.entities.items() if alias not in gone})

    def called(self, names: Mapping[str, str]) -> Merged:
        """Return the same with the names of those that others are read as."""
        return replace(self, names=names)


def renamed(fact: Triple, names: Mapping[str, str]) -> Triple:
    """Return a fact with other entities in place of some, by their IRIs."""
    subject, obj = fact.subject, fact.object
    if isinstance(subject, NamedNode) and subject.value in names:
        subject = NamedNode(names[subject.value])
    if isinstance(obj, NamedNode) and obj.value in names:
        obj = NamedNode(names[obj.value])
    return Triple(subject, fact.predicate, obj)


def stored_merged(database: Database) -> Merged:
    """Return which entities are one as the library has it."""
    rows = database.rows(_MERGED)
    names = {row["entity"]: row["name"] for row in rows if row["name"] is not None}
    return Merged({row["alias"]: row["entity"] for row in rows}, names)


def put_merged(connection: Transaction, held: Merged) -> list[str]:
    """Store which entities are one in place of what was stored, within the caller's transaction.

    Returns those that others were read as before.
    """
    before = [row["entity"] for row in connection.rows("SELECT entity FROM merged")]
    connection.execute("DELETE FROM merged")
    connection.executemany(
        "INSERT INTO merged (alias, entity, name) VALUES (?, ?, ?)",
        [(alias, entity, held.names.get(entity)) for alias, entity in held.entities.items()],
    )
    connection.executemany(
        "INSERT INTO terms (iri) VALUES (?) ON CONFLICT DO NOTHING", [(iri,) for iri in held.keepers]
    )
    return before
