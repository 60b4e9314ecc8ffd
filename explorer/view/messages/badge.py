"""What can be said of an answer, beside it."""

from __future__ import annotations

from typing import NotRequired, TypedDict

# `short` stands where there is little room, and who checked it, where somebody judged; level:
# sure, possible, related, bad, none or "".
Badge = TypedDict(
    "Badge", {"text": str, "short": NotRequired[str], "level": str, "node": str, "tip": str, "by": NotRequired[str]}
)
