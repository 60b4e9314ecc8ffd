"""A library and a record as earlier versions made them."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from explorer.servers.postgres.database import PostgresTransaction
from explorer.stores.database import Transaction
from explorer.vocab import PROV, RDF, RETRIEVAL, TG, X
from explorer.workspace import Workspace

_TERMS = (X.run, X.citation, X.sha256, X.textSha256, X.previous, X.startedAt)
_TYPES = (X.Content, X.Run)


def unlock(connection: Transaction) -> None:
    """Let entries of the ledger be changed within a transaction, as who owns the tables can."""
    on_server = isinstance(connection, PostgresTransaction)
    for trigger in ("ledger_stays ON ledger",) if on_server else ("ledger_unchanged", "ledger_whole"):
        connection.execute(f"DROP TRIGGER IF EXISTS {trigger}")


def as_before(ws: Workspace) -> None:
    """Take out of a workspace what an earlier version did not record: links, hashes, activities, and the ledger."""
    graph = ws.graph
    gone = [quad for term in _TERMS for quad in graph.match(None, term)]
    gone += [
        quad for term in _TYPES for node in graph.match(None, RDF.type, term) for quad in graph.match(node.subject)
    ]
    for kind in (TG.EdgeSelection, TG.ChunkSelection):
        for node in graph.match(None, RDF.type, kind):
            gone += graph.match(node.subject, PROV.wasDerivedFrom)
            gone += graph.match(None, PROV.wasDerivedFrom, node.subject)
    for node in graph.match(None, RDF.type, PROV.Agent, RETRIEVAL):
        gone += graph.match(node.subject, None, None, RETRIEVAL)
    graph.replace((), (), dict.fromkeys(gone))
    with ws.stores.database.writing() as connection:
        unlock(connection)
        for table in ("ledger", "unsealed"):
            connection.execute(f"DELETE FROM {table}")


def older_library(file: Path) -> None:
    """Make a file in which four bytes are a number of a vector."""
    file.parent.mkdir(exist_ok=True)
    with sqlite3.connect(file) as connection:
        connection.execute(
            "CREATE TABLE vectors (number INTEGER PRIMARY KEY, kind TEXT NOT NULL, key TEXT NOT NULL, "
            "document TEXT NOT NULL, chunk TEXT NOT NULL, text TEXT NOT NULL, vector BLOB NOT NULL, "
            "UNIQUE (kind, key, document, text))"
        )
    connection.close()
