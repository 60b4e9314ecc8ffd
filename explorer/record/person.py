"""Who asks, corrects or reviews: by the name they give, never by the name they are logged in with."""

from __future__ import annotations

import os

from explorer.text import one_line

_LONGEST = 200  # characters


def person(by: str | None) -> str | None:
    """Return a name on one line: as given, or else by EXPLORER_USER; None where neither names anybody."""
    return one_line(os.environ.get("EXPLORER_USER", "") if by is None else by)[:_LONGEST].strip() or None
