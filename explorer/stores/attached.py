"""Triple stores that others fill, attached to a collection: where each is asked, what of it is taken, when it was read.

What was read of a store is a document of the collection. Passwords are not kept.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Self

from explorer.stores.database import Database, Many
from explorer.vocab import RDFS, SKOS

MARK = b"# Statements of a SPARQL store\n"
"""What the bytes of such a document begin with; its second line tells where they are from."""
LABELS = (
    RDFS.label.value, SKOS.base + "prefLabel", "https://schema.org/name", "http://schema.org/name",
)  # fmt: skip
LANGUAGES = ("en",)
MOST = 1_000_000
"""Statements of a store that is read, unless more are allowed."""
_ROW, _AFTER = "attached:", "attached;"  # names of rows, and what comes after all of them


@dataclass(frozen=True, slots=True)
class Attachment:
    """A store by its address, and what of it is taken: of a named graph (else of its default graph) what fits a
    pattern of SPARQL over ?s, ?p and ?o.

    `labels` are the predicates by which it names things, `languages` those whose texts are wanted, the first one best.
    One that has more than `max_statements` is not read.
    """

    address: str
    named_graph: str | None = None
    pattern: str | None = None
    labels: tuple[str, ...] = LABELS
    languages: tuple[str, ...] = LANGUAGES
    max_statements: int = MOST

    @property
    def place(self) -> str:
        """Where it stands among documents: a store is one for each of its named graphs."""
        return self.address if self.named_graph is None else f"{self.address} <{self.named_graph}>"

    @property
    def title(self) -> str:
        """What it is called as long as it says nothing of itself."""
        name = self.address.partition("://")[2].rstrip("/")
        return name if self.named_graph is None else f"{name}, graph {self.named_graph}"

    @property
    def header(self) -> bytes:
        """The lines that its document begins with."""
        taken = {name: value for name, value in asdict(self).items() if name != "max_statements"}
        return MARK + f"# {json.dumps(taken, sort_keys=True)}\n".encode()

    @classmethod
    def told(cls, data: Mapping[str, Any]) -> Self:
        """Read it from JSON; raises KeyError, TypeError or ValueError for what is none."""
        texts = {name: data.get(name) for name in ("named_graph", "pattern")}
        if not all(one is None or isinstance(one, str) for one in (data["address"], *texts.values())):
            raise TypeError("no texts")
        several = {name: tuple(str(one) for one in data[name]) for name in ("labels", "languages")}
        most = int(data.get("max_statements", MOST))
        return cls(str(data["address"]), texts["named_graph"], texts["pattern"], **several, max_statements=most)


def attachment_of(data: bytes) -> Attachment | None:
    """Return where the bytes of a document are from, by their first lines; None for those of no store."""
    if not data.startswith(MARK):
        return None
    line = data[len(MARK) :].partition(b"\n")[0].removeprefix(b"# ")
    try:
        return Attachment.told(json.loads(line))
    except (KeyError, TypeError, ValueError):
        return None


@dataclass(frozen=True, slots=True)
class AttachedStore:
    """An attached store with its document here, when it was last read (ISO 8601), and how many statements it had.

    `no_facts` says how many of these made no fact, by reasons; empty where that was not counted.
    """

    attachment: Attachment
    document: str
    read_at: str
    statements: int
    no_facts: Mapping[str, int] = field(default_factory=dict, compare=False)


def attached_stores(database: Database) -> list[AttachedStore]:
    """Return the stores whose documents are here, in the order of their places."""
    rows = database.rows("SELECT name, value FROM settings WHERE name >= ? AND name < ?", (_ROW, _AFTER))
    told = {row["name"].removeprefix(_ROW): json.loads(row["value"]) for row in rows}
    if not told:
        return []
    stand = database.rows(
        "SELECT place, document FROM standing JOIN documents ON documents.iri = document "
        "WHERE state = 'done' AND place IN (SELECT value FROM json_each(?)) ORDER BY place",
        (Many(told),),
    )
    return [
        AttachedStore(
            Attachment.told(one := told[row["place"]]),
            row["document"],
            str(one["read_at"]),
            int(one["statements"]),
            {str(name): int(number) for name, number in one.get("no_facts", {}).items()},
        )
        for row in stand
    ]


def put_attached(
    database: Database, attachment: Attachment, read_at: str, statements: int, no_facts: Mapping[str, int]
) -> None:
    """Keep where a store is read again, without a password, with what was read."""
    read = {"read_at": read_at, "statements": statements, "no_facts": dict(no_facts)}
    told = json.dumps(asdict(attachment) | read, sort_keys=True)
    with database.writing() as connection:
        connection.execute(
            "INSERT INTO settings VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            (_ROW + attachment.place, told),
        )
