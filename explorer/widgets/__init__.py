"""The app for notebooks: ask, watch the derivation grow, click through to the highlighted words."""

from __future__ import annotations

from explorer.widgets.app import App, app

__all__ = ["App", "app"]
