"""The tabs of the app, a synced value of its own."""

from __future__ import annotations

from typing import TypedDict


class Heading(TypedDict):
    """What is written on the tabs, and beside them: `size` is what the workspace is and holds."""

    titles: tuple[str, ...]
    size: str
