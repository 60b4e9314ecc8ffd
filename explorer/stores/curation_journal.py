"""The journal of acts: what people do to a collection is written down until library and graph both have it.

An act changes the rows of the library. With them, in one transaction, it writes down what the graph is to hold, no
longer to hold, and what the ledger is to tell. Then the graph changes, in one transaction too, and the journal is
cleared. What was cut off in between is finished when the collection is next opened: no act is lost, none is half done.
Here too stands what waits for something else to end: documents for their newer versions, or to be gone through again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Literal

from pyoxigraph import NamedNode, Quad, RdfFormat, parse, serialize

from explorer.stores.database import Database, Transaction, drop
from explorer.stores.graph import GraphStore, Pattern
from explorer.stores.ledger import Unsealed, expect
from explorer.vocab import FACTS, Graph

Kind = Literal["facts", "runs", "replaced", "again"]
"""What an act is about: facts and documents (done while `correcting` is held), or runs (while `noting` is); a document
that waits for a newer version to take its place; one that extractors go through again.
"""


@dataclass(slots=True)
class Act:
    """What an act changes beside the rows: in the graph all quads about `nodes` go and those that are `gone`, and then
    others `come`; entries of the ledger are `due`.
    """

    nodes: Sequence[tuple[NamedNode, Graph]] = ()
    gone: Iterable[Quad] = ()
    come: Iterable[Quad] = ()
    due: list[Unsealed] = field(default_factory=list)

    def undoing(self, graph: GraphStore) -> Act:
        """Return what takes it back, in a graph in which it is not done yet."""
        self.gone, self.come = {*self.gone}, {*self.come}
        about: list[Pattern] = [(node, None, None, name) for node, name in self.nodes]
        was = {*chain(*graph.matches(about))} | graph.stored(self.gone)
        return Act(gone=self.come - was - graph.stored(self.come - was), come=was - self.come)


@contextmanager
def performing(graph: GraphStore, database: Database, kind: Kind, acts: Iterable[Act]) -> Iterator[Transaction]:
    """Have rows be changed within the block, and the graph with them, all or nothing, also after a kill."""
    with database.writing() as connection:
        yield connection
        for act in acts:
            begin(connection, kind, act)
    finish(graph, database, kind)


def begin(connection: Transaction, kind: Kind, act: Act) -> None:
    """Write an act down, within the caller's transaction that changes the rows."""
    told = {
        "nodes": [(node.value, graph.value if isinstance(graph, NamedNode) else "") for node, graph in act.nodes],
        "gone": _text(act.gone), "come": _text(act.come),
        "due": [(one.about, one.kind, one.moment, one.sha256) for one in act.due],
    }  # fmt: skip
    connection.execute("INSERT INTO acts (kind, about, told) VALUES (?, '', ?)", (kind, _json(told)))


def finish(graph: GraphStore, database: Database, kind: Kind) -> None:
    """Bring all acts of a kind into the graph, in their order, and have the ledger expect what is due."""
    rows = database.rows("SELECT number, told FROM acts WHERE kind = ? ORDER BY number", (kind,))
    for row in rows:
        told = json.loads(row["told"])
        nodes = [(NamedNode(node), NamedNode(name) if name else FACTS) for node, name in told["nodes"]]
        graph.replace(nodes, _quads(told["come"]), _quads(told["gone"]))
        with database.writing() as connection:
            connection.execute("DELETE FROM acts WHERE number = ?", (row["number"],))
            for due in told["due"]:
                expect(connection, *due)
    if rows:
        graph.flush()


def wait(connection: Transaction, kind: Kind, about: str, told: object) -> None:
    """Write down what a document waits for, in place of what it waited for before, within the caller's transaction."""
    end(connection, kind, [about])
    connection.execute("INSERT INTO acts (kind, about, told) VALUES (?, ?, ?)", (kind, about, _json(told)))


def waiting(reader: Database | Transaction, kind: Kind) -> dict[str, Any]:
    """Return what documents wait for, by their IRIs in this order."""
    rows = reader.rows("SELECT about, told FROM acts WHERE kind = ? ORDER BY about", (kind,))
    return {row["about"]: json.loads(row["told"]) for row in rows}


def end(connection: Transaction, kind: Kind, documents: Iterable[str]) -> None:
    """Have documents wait no more, within the caller's transaction."""
    drop(connection, "acts", "about", documents, "AND kind = ?", kind)


def _json(told: object) -> str:
    return json.dumps(told, ensure_ascii=False)


def _text(quads: Iterable[Quad]) -> str:
    return (serialize(quads, format=RdfFormat.N_QUADS) or b"").decode()


def _quads(text: str) -> list[Quad]:
    return list(parse(text, format=RdfFormat.N_QUADS, lenient=True))
