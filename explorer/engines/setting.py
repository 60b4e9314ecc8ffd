"""The setting of a run: the stores, embedder, clock and session that every engine works with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from explorer.models.embedding import Embedder
from explorer.stores.collection import Collection


@dataclass(frozen=True, slots=True)
class Setting:
    """What one run works with; engines read the stores and never write them.

    `parent` is the node of another run that this one is part of: its Question derives from it.
    Without `record_prompts` only the hashes of prompts and replies are recorded.
    """

    stores: Collection
    embedder: Embedder
    session: str
    clock: Callable[[], datetime]
    record_prompts: bool = True
    parent: str | None = None
