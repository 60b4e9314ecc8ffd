"""How values show themselves at the end of a cell, as plain text and as HTML; made from texts, which are never markup.

A terminal gets no character that it would obey, a notebook no tag that came from a document, a model or a file.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from explorer.text import escape, one_line, strip_controls

_CELL = 'style="text-align:left;vertical-align:top;white-space:normal"'
_MARK = 'style="background:#ffe08a;color:#222222;outline:1.5px solid #a86e00"'
_WIDEST = 60  # letters of a cell in plain text


def bundle(text: Iterable[str], html: Iterable[str]) -> dict[str, str]:
    """Give lines of text and pieces of HTML, these already escaped, as what `_repr_mimebundle_` returns."""
    return {"text/plain": strip_controls("\n".join(text)), "text/html": "".join(html)}


def grid(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Give a table as lines of text, long cells cut; without rows its heads."""
    cut = [[_cut(one_line(cell)) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(heads, *cut, strict=True)]
    lines = [heads, ["-" * width for width in widths], *cut]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in lines]


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Give a table as HTML."""
    top = "".join(f"<th {_CELL}>{escape(head)}</th>" for head in heads)
    body = "".join(f"<tr>{''.join(f'<td {_CELL}>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"


def paragraph(text: str) -> str:
    """Give a text as a paragraph of HTML."""
    return f"<p>{escape(text)}</p>"


def excerpt(place: str, before: str, words: str, after: str) -> dict[str, str]:
    """Show words in what stands around them, marked: ⟦so⟧ in plain text."""
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
    """Give what to type next in a workspace called ws, and what that does."""
    if empty:
        return [('ws.ingest("folder/")', "read documents"), ("explorer.demo()", "or open the sample")]
    ask = [] if read_only else [('ws.run("…")', "ask, for the whole run")]
    return [*ask, ("explorer.app(ws)", "ask and click"), *([("ws.traces.list()", "past runs")] if runs else [])]


def workspace(said: str, runs: Sequence[tuple[str, str]] = (), next_: Sequence[tuple[str, str]] = ()) -> dict[str, str]:
    """Show what a workspace holds, its last runs (what was asked, how it ended) and what to type next, and why."""
    ran = [f"  {one_line(asked)} · {ended}" for asked, ended in runs]
    width = max((len(code) for code, _ in next_), default=0)
    items = "".join(f"<li>{escape(asked)} · {escape(ended)}</li>" for asked, ended in runs)
    typed = "".join(f"<li><code>{escape(code)}</code> {escape(why)}</li>" for code, why in next_)
    return bundle(
        [said, *(["Last runs:", *ran] if ran else []), *(f"{code.ljust(width)}  # {why}" for code, why in next_)],
        [
            f"<p><b>{escape(said.removeprefix('<').removesuffix('>'))}</b></p>",
            f"<p>Last runs</p><ul>{items}</ul>" if items else "",
            f"<p>Next</p><ul>{typed}</ul>" if typed else "",
        ],
    )


def _cut(text: str) -> str:
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 1].rstrip()}…"
