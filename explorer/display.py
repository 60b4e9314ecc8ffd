"""Display of values at the end of a cell, as plain text and as HTML; all text is escaped.

A terminal gets no control characters, a notebook no tags that came from a document, a model or a file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import zip_longest
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Self, SupportsIndex, TypeVar, overload

from explorer.text import escape, one_line, strip_controls

T = TypeVar("T")

_CELL = 'style="text-align:left;vertical-align:top;white-space:normal"'
_WIDEST = 48  # letters of a cell of a table that shows itself
_MOST = 100  # rows of such a table that are shown
_MARK = 'style="background:#ffe08a;color:#222222;outline:1.5px solid #a86e00"'


def bundle(text: Iterable[str], html: Iterable[str]) -> dict[str, str]:
    """Return lines of text and pieces of escaped HTML in the form that `_repr_mimebundle_` returns."""
    return {"text/plain": strip_controls("\n".join(text)), "text/html": "".join(html)}


def grid(
    heads: Sequence[str], rows: Iterable[Sequence[str]], widest: int | None = 60, *, is_whole: bool = False
) -> list[str]:
    """Return a table as lines of text; without rows its heads.

    Cells are cut at `widest` letters (None: they are not), or go on below each other where they are to be whole.
    """
    cells = [line for row in rows for line in _lines_of(row, widest, is_whole=is_whole)]
    widths = [max(map(len, column)) for column in zip(heads, *cells, strict=True)]
    lines = [heads, ["-" * width for width in widths], *cells]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in lines]


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table as HTML."""
    top = "".join(f"<th {_CELL}>{escape(head)}</th>" for head in heads)
    body = "".join(f"<tr>{''.join(f'<td {_CELL}>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"


class AsTable:
    """A sequence that is shown as a table, in a notebook and as lines of text; without rows `nothing` is said.

    `more` stands below it, where it is not all there is. Long cells are cut in a text, unless it `is_whole`.
    """

    nothing: str
    more: str = ""
    is_whole: bool = False

    if TYPE_CHECKING:  # a list or tuple has it

        def __len__(self) -> int: ...

    def _columns(self) -> tuple[Sequence[str], Sequence[Sequence[str]]]:
        """Return heads and rows, of which the first `_MOST` are shown."""
        raise NotImplementedError

    def __str__(self) -> str:
        return self._lines()

    def _repr_pretty_(self, printer: Any, cycle: object) -> None:  # noqa: ANN401 - IPython's; it has its own way with lists
        printer.text(self._lines())

    def _repr_html_(self) -> str:
        heads, rows = self._columns()
        if not rows:
            return paragraph(self.nothing)
        return table(heads, rows[:_MOST]) + "".join(map(paragraph, self._below()))

    def _lines(self) -> str:
        heads, rows = self._columns()
        return "\n".join(
            [*grid(heads, rows[:_MOST], _WIDEST, is_whole=self.is_whole), *self._below()] if rows else [self.nothing]
        )

    def _below(self) -> list[str]:
        hidden = len(self) - _MOST
        return [*([f"and {hidden:,} more"] if hidden > 0 else []), *([self.more] if self.more else [])]


class Table(AsTable, tuple[T, ...]):  # noqa: SLOT001 - a tuple with items has room for no named slots
    """A tuple that is shown as a table, its items numbered from 0, as are slices of it; a copy is a plain tuple."""

    _heads: Sequence[str]
    _cells: Callable[[T], Sequence[str]]

    def __new__(
        cls,
        items: Iterable[T],
        heads: Sequence[str],
        cells: Callable[[T], Sequence[str]],
        nothing: str,
        more: str = "",
        *,
        is_whole: bool = False,
    ) -> Self:
        """Return a tuple of items; `cells` gives what stands of one of them below the heads."""
        made = super().__new__(cls, items)
        made._heads, made.nothing, made._cells, made.more = heads, nothing, cells, more
        made.is_whole = is_whole
        return made

    @overload
    def __getitem__(self, at: SupportsIndex) -> T: ...
    @overload
    def __getitem__(self, at: slice) -> Table[T]: ...
    def __getitem__(self, at: SupportsIndex | slice) -> T | Table[T]:
        if isinstance(at, slice):
            return Table(super().__getitem__(at), self._heads, self._cells, self.nothing, is_whole=self.is_whole)
        return super().__getitem__(at)

    def __reduce__(self) -> tuple[type[tuple[T, ...]], tuple[tuple[T, ...]]]:
        return tuple, (tuple(self),)

    def _columns(self) -> tuple[list[str], list[list[str]]]:
        return ["", *self._heads], [[str(number), *self._cells(item)] for number, item in enumerate(self[:_MOST])]

    def lines(self) -> list[str]:
        """Return all of it as lines of text, no cell cut."""
        rows = [[str(number), *self._cells(item)] for number, item in enumerate(self)]
        below = [self.more] if self.more else []
        return [*grid(["", *self._heads], rows, None), *below] if rows else [self.nothing]

    def __repr__(self) -> str:
        return self._lines()


def paragraph(text: str) -> str:
    """Return a text as a paragraph of HTML."""
    return f"<p>{escape(text)}</p>"


def excerpt(place: str, before: str, words: str, after: str) -> dict[str, str]:
    """Return words marked in the text around them: ⟦like this⟧ in plain text."""
    lead, trail = ("… " if before.strip() else ""), (" …" if after.strip() else "")
    return bundle(
        [one_line(place), one_line(f"{lead}{before}⟦") + one_line(words) + one_line(f"⟧{after}{trail}")],
        [
            f"<p><b>{escape(place)}</b></p>",
            f'<blockquote style="white-space:pre-line">{lead}{escape(before.lstrip())}',
            f"<mark {_MARK}>{escape(words)}</mark>{escape(after.rstrip())}{trail}</blockquote>",
        ],
    )


def hints(runs: Sequence[tuple[str, str]], *, empty: bool, read_only: bool) -> list[tuple[str, str]]:
    """Return what to type next in a workspace called ws, and what that does."""
    if empty:
        return [('ws.ingest("folder/")', "read documents"), ("explorer.demo()", "or open the sample")]
    ask = [] if read_only else [('ws.run("…")', "ask, and get the whole run")]
    return [*ask, ("explorer.app(ws)", "ask and click"), *([("ws.traces.list()", "past runs")] if runs else [])]


def workspace(
    summary: str,
    runs: Sequence[tuple[str, str]] = (),
    next_: Sequence[tuple[str, str]] = (),
) -> dict[str, str]:
    """Return what a workspace holds, its last runs (question, end) and what to type next (code, purpose)."""
    ran = [f"  {one_line(asked)} · {ended}" for asked, ended in runs]
    width = max((len(code) for code, _ in next_), default=0)
    items = "".join(f"<li>{escape(asked)} · {escape(ended)}</li>" for asked, ended in runs)
    typed = "".join(f"<li><code>{escape(code)}</code> {escape(why)}</li>" for code, why in next_)
    return bundle(
        [
            summary,
            *(["Last runs:", *ran] if ran else []),
            *(f"{code.ljust(width)}  # {why}" for code, why in next_),
        ],
        [
            f"<p><b>{escape(summary.removeprefix('<').removesuffix('>'))}</b></p>",
            f"<p>Last runs</p><ul>{items}</ul>" if items else "",
            f"<p>Next</p><ul>{typed}</ul>" if typed else "",
        ],
    )


def _lines_of(row: Sequence[str], widest: int | None, *, is_whole: bool) -> Iterable[Sequence[str]]:
    if is_whole and widest is not None:
        return zip_longest(*(wrap(one_line(cell), widest) or [""] for cell in row), fillvalue="")
    return [[_cut(one_line(cell), widest) for cell in row]]


def _cut(text: str, widest: int | None) -> str:
    return text if widest is None or len(text) <= widest else f"{text[: widest - 1].rstrip()}…"
