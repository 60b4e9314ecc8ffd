"""Display of values at the end of a cell, as plain text and as HTML; all text is escaped.

A terminal gets no control characters, a notebook no tags that came from a document, a model or a file.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from explorer.text import escape, one_line, strip_controls

_CELL = 'style="text-align:left;vertical-align:top;white-space:normal"'
_MARK = 'style="background:#ffe08a;color:#222222;outline:1.5px solid #a86e00"'


def bundle(text: Iterable[str], html: Iterable[str]) -> dict[str, str]:
    """Return lines of text and pieces of escaped HTML in the form that `_repr_mimebundle_` returns."""
    return {"text/plain": strip_controls("\n".join(text)), "text/html": "".join(html)}


def grid(heads: Sequence[str], rows: Iterable[Sequence[str]], widest: int | None = 60) -> list[str]:
    """Return a table as lines of text, cells cut at `widest` letters (None: whole); without rows its heads."""
    cells = [[_cut(one_line(cell), widest) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(heads, *cells, strict=True)]
    lines = [heads, ["-" * width for width in widths], *cells]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in lines]


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table as HTML."""
    top = "".join(f"<th {_CELL}>{escape(head)}</th>" for head in heads)
    body = "".join(f"<tr>{''.join(f'<td {_CELL}>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"


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
    advice: Sequence[str] = (),
) -> dict[str, str]:
    """Return what a workspace holds, advice, its last runs (question, end) and what to type next (code, purpose)."""
    ran = [f"  {one_line(asked)} · {ended}" for asked, ended in runs]
    width = max((len(code) for code, _ in next_), default=0)
    items = "".join(f"<li>{escape(asked)} · {escape(ended)}</li>" for asked, ended in runs)
    typed = "".join(f"<li><code>{escape(code)}</code> {escape(why)}</li>" for code, why in next_)
    return bundle(
        [
            summary,
            *advice,
            *(["Last runs:", *ran] if ran else []),
            *(f"{code.ljust(width)}  # {why}" for code, why in next_),
        ],
        [
            f"<p><b>{escape(summary.removeprefix('<').removesuffix('>'))}</b></p>",
            *map(paragraph, advice),
            f"<p>Last runs</p><ul>{items}</ul>" if items else "",
            f"<p>Next</p><ul>{typed}</ul>" if typed else "",
        ],
    )


def _cut(text: str, widest: int | None) -> str:
    return text if widest is None or len(text) <= widest else f"{text[: widest - 1].rstrip()}…"
