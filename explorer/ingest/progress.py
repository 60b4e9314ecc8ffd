"""How far the reading of files has come: as values for a function of the caller's, or as a bar.

The bar is for a terminal or a notebook; there is none where standard error is not a screen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import StringIO
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
    is_seen = progress and (console.is_terminal or console.is_jupyter)
    cell = None
    if is_seen and console.is_jupyter:  # rich has a widget there, which is an error once the kernel is gone
        from IPython.display import display

        cell = display(  # type: ignore[no-untyped-call]
            {"text/plain": ""}, raw=True, display_id=True
        )
        console = Console(file=StringIO(), force_jupyter=False, force_terminal=False, color_system=None, width=100)
    with Progress(*columns, console=console, disable=not is_seen or cell is not None) as bar:
        task = bar.add_task("", total=total)

        def tell(done: int, name: str) -> None:
            bar.update(task, description=escape(name[:_NAME] if cell else name), completed=done)
            if cell:
                with console.capture() as line:
                    console.print(bar.get_renderable())
                cell.update({"text/plain": line.get().rstrip()}, raw=True)

        yield tell
