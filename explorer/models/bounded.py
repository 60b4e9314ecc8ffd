"""Replies of bounded size: what a service sends is counted as it comes, and taken as it is, never unpacked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from explorer.errors import ModelError

MOST = 64_000_000
"""Bytes of a reply: twice what 256 vectors of 4,096 numbers take as text."""


def bound(response: Any, shown: str, alive: Callable[[], None] = lambda: None) -> None:  # noqa: ANN401 - of httpx or httpx2, as the version of openai has it
    """Have a response raise ModelError beyond `MOST` bytes, and at once where it is packed, which was not asked for.

    `shown` is the address as messages show it; `alive` is told of each piece.
    """
    packed = response.headers.get("content-encoding", "identity")
    if packed != "identity":
        raise ModelError(f"{shown} sent a reply packed by {packed[:20]!r}, not asked for; check that service.")
    pieces = response.iter_raw

    def counted(chunk_size: int | None = None) -> Iterator[bytes]:
        size = 0
        for piece in pieces(chunk_size):
            alive()
            size += len(piece)
            if size > MOST:
                told = f"{shown} sent more than {MOST // 1_000_000} MB in one reply"
                raise ModelError(f"{told}; ask for less, or check that base_url leads to an OpenAI-compatible service.")
            yield piece

    response.iter_raw = counted
