"""A SPARQL query put to a graph in a process of its own (`sparql`), which is killed when its time is up.

A store on disk is opened there for reading, with all that was written until then. A graph in memory is sent along, all
of it: a query in this process could not be stopped, and a wrong one would take the notebook down with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from subprocess import TimeoutExpired
from typing import Any

from pyoxigraph import Store

from explorer.child_process import Apart, CrashError
from explorer.errors import RecordError
from explorer.stores import sparql
from explorer.stores.sparql import OUTSIDE, QueryResult, calls_out

MEMORY = 2 << 30  # bytes


def answered(graph: Path | bytes, asked: str | dict[str, Any], seconds: float) -> QueryResult:
    """Answer a query, or for whole terms the arguments of `sparql.table`, of a graph in a folder or its quads.

    Raises TimeoutExpired after so many seconds, and OSError when no process can be started.
    """
    try:
        return Apart(MEMORY).call(seconds, sparql.answer, graph, asked)
    except TimeoutError as error:
        raise TimeoutExpired("SPARQL", seconds) from error
    except (CrashError, MemoryError):
        return QueryResult(error="the SPARQL query is nested too deeply or needs too much memory; write it simpler")


def checked(sparql: str, prefixes: Mapping[str, str] | None = None) -> type:
    """Return what a query gives, by its form: the class of pyoxigraph's results.

    Raises RecordError for what is no query, as an update, and for a SERVICE, which would be asked over the network.
    """
    return type(asked_of(Store(), sparql, prefixes=dict(prefixes or {})))


def asked_of(store: Store, sparql: str, **how: Any) -> Any:  # noqa: ANN401 - as pyoxigraph takes and gives it
    """Return what a store answers in this process, without limits; raises RecordError as `checked` does."""
    if calls_out(sparql):
        raise RecordError(f"The SPARQL query can't be asked: {OUTSIDE}.")
    try:
        return store.query(sparql, **how)
    except (SyntaxError, ValueError) as error:
        raise RecordError(f"The SPARQL query can't be read: {error}.") from error
