"""Where a workspace is: in a folder, or on servers, which its address says.

What is about servers is in `explorer.servers`, which nothing imports: it is found here, by its name, when an address of
servers is given.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast
from urllib.parse import urlsplit, urlunsplit

from explorer.errors import WorkspaceError

if TYPE_CHECKING:
    from explorer.stores.collection import Collection

TIMEOUT = 10.0
"""Seconds that a server may take for an answer."""
PORT = 7878
"""Of the endpoint that runs on this machine, unless another one is named."""
_SERVERS = "explorer.servers"
_URL = re.compile(r"\w[\w+.-]*://")
_PASSWORD = re.compile(r"^(postgres\w*://[^:/]*):[^@]*@|^(https?://[^:/@]*):[^/]*@", re.IGNORECASE)

Begun = Callable[[int], AbstractContextManager[Callable[[int, str], None]]]
"""What is told how many steps a copy takes, and gives what is told how many are done, and of what."""


@dataclass(frozen=True, slots=True)
class Content:
    """How much a collection holds, as it was read on both sides; `sha256` is that of all rows and statements."""

    documents: int
    runs: int
    statements: int
    rows: int
    sha256: str


class Served(Protocol):
    """A workspace on servers; as a text it is how messages name it."""

    @property
    def name(self) -> str:
        """What the workspace is called."""

    def open(self, collection: str) -> tuple[Collection, str | None]:
        """Open a collection, which is made where it is new; returns with it why it can only be read, if so.

        Raises WorkspaceError.
        """

    def reading(self, collection: str) -> AbstractContextManager[Collection]:
        """Open a collection without writing to it, until the block ends; raises WorkspaceError."""


class Servers(Protocol):
    """What `explorer.servers` offers."""

    def at(self, address: str, endpoint: str | None, timeout: float) -> Served:
        """Return the workspace at the address of a database and of an endpoint; raises WorkspaceError."""

    def copied(
        self, source: Path | Served, target: Path | Served, collection: str | None, begun: Begun
    ) -> dict[str, Content]:
        """Copy the collections of a workspace, or one; returns how much each holds. Raises WorkspaceError."""

    def back_up(self, stores: Collection, target: Path, collection: str) -> None:
        """Copy an open collection on servers into a folder; raises WorkspaceError."""

    def run_here(self, folder: Path, port: int, tell: Callable[[list[str]], None]) -> None:
        """Run servers on this machine; raises WorkspaceError when they end."""


def is_served(place: object) -> bool:
    """Return whether a place of a workspace is an address, and no folder."""
    return isinstance(place, str) and _URL.match(place) is not None


def without_password(address: str) -> str:
    """Return the address of a database or an endpoint without its password; a folder stays as it is."""
    return _PASSWORD.sub(lambda found: f"{found[1] or found[2]}@", address)


def servers() -> Servers:
    """Return what is about servers."""
    return cast("Servers", import_module(_SERVERS))


def served(address: str, endpoint: str | None, timeout: float = TIMEOUT) -> Served:
    """Return the workspace at the address of a database and of an endpoint; raises WorkspaceError."""
    return servers().at(address, endpoint, timeout)


def plain(url: str) -> str:
    """Return an address without user and password; raises WorkspaceError for what is none on the web."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise WorkspaceError(f"{parts.scheme or 'An address'}://{host} is no endpoint; give an http or https address.")
    return urlunsplit(parts._replace(netloc=host, fragment=""))
