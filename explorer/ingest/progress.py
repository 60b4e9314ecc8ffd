"""A progress bar in a terminal or notebook; none where standard error is not a screen."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager


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
    with Progress(*columns, console=console, disable=not is_seen) as bar:
        task = bar.add_task("", total=total)

        def tell(done: int, name: str) -> None:
            bar.update(task, description=escape(name), completed=done)

        yield tell
