"""Who made a statement: a sign in a ring, and words."""

from __future__ import annotations

from typing import TypedDict

Author = TypedDict("Author", {"sign": str, "text": str})
