"""The app for notebooks: ask, watch the derivation grow, click through to the highlighted words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.widgets.app import PACE, App

if TYPE_CHECKING:
    from explorer.workspace import Workspace

__all__ = ["App", "app"]


def app(ws: Workspace | None = None, *, pace: float = PACE, audit: bool = False) -> App:
    """Return the app for a workspace; put it at the end of a cell. `pace`: seconds a step stays before the next.

    Without a workspace it is one in memory, `ws` of the app, which is gone when the kernel ends. With `audit` the audit
    of each run is open: its seal, what `verify` says, and the review of its answer.
    """
    if ws is None:
        from explorer.workspace import open as opened

        ws = opened()
    return App(ws, pace=pace, audit=audit)
