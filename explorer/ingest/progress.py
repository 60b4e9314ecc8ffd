"""How far the reading of files has come: as values for a function of the caller's, or as a bar.

The bar is for a terminal or a notebook; there is none where standard error is not a screen.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

_HOURS = 120  # minutes from which hours are told
_NAME = 40  # letters of a name in a notebook


@dataclass(frozen=True, slots=True)
class Progress:
    """How far one file has come: `done` of `total` chunks have been searched for facts, once it is read.

    Of a long text, whose number of chunks is not known before, `total` is judged by those that were cut so far.
    Of what is imported they are statements, `reading` while they are checked and `storing` then.
    `page` of `pages` is where that is, 0 of what has no pages. Of a corpus, whose length is not known, `done` are the
    passages that are stored, and `total` is 0.
    """

    file: str
    stage: Literal["reading", "facts", "storing"]
    done: int = 0
    total: int = 0
    page: int = 0
    pages: int = 0


Tell = Callable[[Progress], None]
"""What is told of each step of a file."""


def time_left(seconds: float) -> str:
    """Return in words how long something will still take."""
    minutes = round(seconds / 60)
    if minutes < 1:
        return "less than a minute left"
    return f"about {minutes:,} min left" if minutes < _HOURS else f"about {seconds / 3600:.1f} hours left"


def untold(_: Progress) -> None:
    """Tell nobody."""


@contextmanager
def shown(what: str, total: int, *, progress: bool, left: bool = False) -> Iterator[Callable[[int, str], None]]:
    """Show a bar, unless `progress` is False; yields a function that sets how many are done and what comes next.

    `left` shows how much time is left as well.
    """
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, TextColumn, TimeRemainingColumn

    columns: Iterable[ProgressColumn] = (
        TextColumn(what), BarColumn(), MofNCompleteColumn(), *([TimeRemainingColumn()] if left else []),
        TextColumn("{task.description}"),
    )  # fmt: skip
    console = Console(stderr=True)
    in_notebook = console.is_jupyter
    is_seen = progress and (console.is_terminal or in_notebook)
    if in_notebook:  # rich has a widget there, which is an error in the saved notebook once its kernel is gone
        console = Console(file=sys.stdout, force_jupyter=False, force_terminal=True, width=100, color_system=None)
    with Progress(*columns, console=console, disable=not is_seen, auto_refresh=not in_notebook) as bar:
        task = bar.add_task("", total=total)

        def tell(done: int, name: str) -> None:
            line = f"{name[:_NAME]:{_NAME}}" if in_notebook else name  # there each line is written over the one before
            bar.update(task, description=escape(line), completed=done, refresh=in_notebook)

        yield tell
