"""Commands that are printed for a user: with what names the workspace in use, so that they run as they stand."""

from __future__ import annotations

import re
import shlex
from contextvars import ContextVar

WITHOUT = frozenset({"copy", "demo", "keys", "servers"})
"""The commands that are told no workspace, or not by an option."""
_IN_USE: ContextVar[tuple[str | None, str | None, str]] = ContextVar("in_use", default=(None, None, "default"))
_TOLD = re.compile(r"`(explorer [a-z][^`]*)`")
_NAMED = re.compile(r" (?:-w|--workspace)\b")


def use(workspace: str | None, endpoint: str | None, collection: str) -> None:
    """Note which workspace the command at hand is about; None for the demo."""
    _IN_USE.set((workspace, endpoint, collection))


def command(said: str) -> str:
    """Return a command, such as `explorer show IRI`, with the options that name the workspace in use.

    Passwords in addresses are left out.
    """
    workspace, endpoint, collection = _IN_USE.get()
    verb = said.split()[1]
    if workspace is None or verb in WITHOUT or _NAMED.search(said):
        return said
    from explorer.stores.places import is_served, without_password

    options = ["-w", without_password(workspace)]
    if is_served(workspace) and endpoint:
        options += ["--endpoint", " ".join(map(without_password, endpoint.split()))]
    if collection != "default":
        options += ["-C", collection]
    return f"{said} {shlex.join(options)}"


def runnable(message: str) -> str:
    """Return a message of ours with each command in backticks for the workspace in use."""
    return _TOLD.sub(lambda found: f"`{command(found[1])}`", message)
