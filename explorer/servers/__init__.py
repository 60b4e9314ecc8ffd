"""Workspaces on servers: tables in PostgreSQL, the graph on a SPARQL endpoint.

Nothing imports this: `stores.places` finds it by the address of a workspace, and asks for what stands here.
`served.py` opens a collection there, `copying/` copies collections between folders and servers, and `local.py` runs
both servers on this machine.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import cast

from explorer.servers.server_workspace import Served
from explorer.stores import places
from explorer.stores.collection import Collection


def at(address: str, endpoint: str | None, timeout: float) -> Served:
    """Return the workspace at the address of a database and of an endpoint; raises WorkspaceError."""
    return Served.of(address, endpoint, timeout)


def copied(
    source: Path | places.Served, target: Path | places.Served, collection: str | None, begun: places.Begun
) -> dict[str, places.Content]:
    """Copy the collections of a workspace, or one; returns how much each holds. Raises WorkspaceError."""
    from explorer.servers.copying.copy import copy_workspace

    here, there = (cast("Path | Served", place) for place in (source, target))  # `at` makes no others
    return copy_workspace(here, there, collection, begun)


def back_up(stores: Collection, target: Path, collection: str) -> None:
    """Copy an open collection on servers into a folder; raises WorkspaceError."""
    from explorer.servers.copying.copy import back_up_served

    back_up_served(stores, target, collection)


def run_here(folder: Path, port: int, tell: Callable[[list[str]], None]) -> None:
    """Run both servers on this machine; raises WorkspaceError when they end."""
    from explorer.servers.local_servers import run

    run(folder, port, tell)
