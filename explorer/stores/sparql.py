"""A SPARQL query put to a graph in a process of its own (`sparql_process`), which is killed when its time is up.

A store on disk is opened there for reading, with all that was written until then. A graph in memory is sent along, all
of it: a query in this process could not be stopped, and a wrong one would take the notebook down with it.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pyoxigraph import Store

from explorer.errors import RecordError
from explorer.stores import sparql_process
from explorer.stores.sparql_process import OUTSIDE, QueryResult, calls_out


def answered(graph: Path | bytes, asked: str | dict[str, Any], seconds: float) -> QueryResult:
    """Answer a query, or for whole terms the arguments of `sparql_process.table`, of a graph in a folder or its quads.

    Raises TimeoutExpired after so many seconds, and OSError when no process can be started.
    """
    given = json.dumps(asked).encode() + b"\n"
    place = [str(graph)] if isinstance(graph, Path) else []
    if isinstance(graph, bytes):
        given += graph
    script = Path(sparql_process.__file__).absolute()
    done = subprocess.run(  # noqa: S603 - this interpreter, and a file of ours
        [sys.executable, "-P", str(script), str(seconds + 1), *place],
        input=given,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        timeout=seconds,
        check=False,
        creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
    )
    try:
        return QueryResult.read(done.stdout)
    except ValueError:
        return QueryResult(error="the SPARQL query is nested too deeply or needs too much memory; write it simpler")


def checked(sparql: str, prefixes: Mapping[str, str] | None = None) -> type:
    """Return what a query gives, by its form: the class of pyoxigraph's results.

    Raises RecordError for what is no query, as an update, and for a SERVICE, which would be asked over the network.
    """
    if calls_out(sparql):
        raise RecordError(f"The SPARQL query can't be asked: {OUTSIDE}.")
    try:
        return type(Store().query(sparql, prefixes=dict(prefixes or {})))
    except (SyntaxError, ValueError) as error:
        raise RecordError(f"The SPARQL query can't be read: {error}.") from error
