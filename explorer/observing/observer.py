"""Runs of a library while they go on: what it calls back for each of its parts becomes a recorded run.

What goes wrong here never reaches the run that is observed: it is told once, as a warning.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from explorer.errors import ExplorerError, QuestionError
from explorer.observing.conventions import passages_of
from explorer.observing.part_walk import Walk
from explorer.observing.recorder import RecordedRun
from explorer.observing.retrieved import retrieved
from explorer.observing.run_parts import RERANKER, RETRIEVER, TOOL, Call, Part
from explorer.observing.texts import asked_in, said_in


@dataclass(slots=True)
class Observer:
    """Records the runs of one library by `record`, which makes a run of a question."""

    record: Callable[[str], RecordedRun]
    _walk: Walk = field(init=False)
    _lock: threading.RLock = field(default_factory=threading.RLock, init=False)
    _has_warned: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        self._walk = Walk(self.record)

    def begin(
        self, key: Hashable, parent: Hashable, kind: str, given: object, name: str = "", *, is_whole: bool = True
    ) -> None:
        """Tell that a part begins, with what it was given; a run begins with none that is not `is_whole`."""
        with self._safe():
            self.part_begins(key, parent, Part(kind, name, asked_in(given), arguments=given), begins=is_whole)

    def end(self, key: Hashable, result: object = None, error: BaseException | None = None) -> None:
        """Tell that a part ended: with passages of a retriever, a Call of a model, another result, or an error."""
        with self._safe():
            if (part := self._walk.part(key)) is not None:
                self.part_ends(key, _ended(part, result), error)

    def part_begins(self, key: Hashable, parent: Hashable, part: Part, *, begins: bool) -> None:
        """Tell that a part begins, by what is known of it then."""
        with self._safe(), self._lock:
            self._walk.begin(key, parent, part, begins=begins)

    def part_ends(self, key: Hashable, part: Part, error: BaseException | None = None, *, begins: bool = False) -> None:
        """Tell that a part ended, by what is known of it now."""
        with self._safe(), self._lock:
            self._walk.end(key, part, error, begins=begins)
            if self._walk.noted["strange"]:
                raise QuestionError("a passage was kept that is none of those looked at, and was left out")

    @contextmanager
    def _safe(self) -> Iterator[None]:
        try:
            yield
        except Exception as error:  # noqa: BLE001 - the run that is observed goes on, whatever happens here
            if not self._has_warned:
                self._has_warned = True
                told = str(error) if isinstance(error, ExplorerError) else f"{type(error).__name__}: {error}"
                warnings.warn(f"explorer could not record all of this run: {told}", RuntimeWarning, stacklevel=4)


def _ended(part: Part, result: object) -> Part:
    if isinstance(result, Call):
        return replace(part, call=result, answer=result.reply)
    if part.role in (RETRIEVER, RERANKER):
        return replace(part, passages=[retrieved(one) for one in result] if isinstance(result, Sequence) else ())
    if part.role == TOOL:
        beside = getattr(result, "artifact", None)  # where a tool of LangChain's leaves the documents behind its text
        passages = passages_of(beside)[0] if isinstance(beside, list) else ()
        said = result if isinstance(result, str | list | Mapping) else said_in(result)
        return replace(part, result=said, passages=passages)
    return replace(part, answer="" if result is None else said_in(result))
