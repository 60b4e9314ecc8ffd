"""Two compared runs as a person reads them: as lines of text, and as HTML for the end of a cell.

≠ marks what only one of them has, = what both have. All text is text, never markup.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from explorer.display import paragraph, table
from explorer.text import one_line, truncate

if TYPE_CHECKING:
    from explorer.record.compare import Comparison, Said, Side, Verdict

_SIDES = (("A", "Only A kept"), ("B", "Only B kept"), ("both", "Both kept"))
_LONGEST_REASON = 160


def lines(found: Comparison, *, iris: bool = True) -> Iterator[str]:
    """Tell two runs side by side: answers, key ideas, facts by who kept them, sources; their IRIs too or not."""
    for name, side in (("A", found.a), ("B", found.b)):
        yield f"{name}  {one_line(side.trace.question)}"
        yield f"   {side.trace.iri}  {side.trace.reason}" if iris else f"   {_author(side)}, {side.trace.reason}"
        yield from (f"   {line}" for line in _marked(side.answer))
        yield f"   Key ideas: {', '.join(_marked(side.ideas)) or 'none recorded'}"
        yield ""
    for kept, head in _SIDES:
        rows = found.of(kept)
        yield f"{head}: {len(rows)}"
        for row in rows:
            yield f"  {one_line(row.label)}"
            yield from (f"      {name} {_judged(one)}" for name, one in (("A", row.a), ("B", row.b)))
    yield ""
    for name, side in (("A", found.a), ("B", found.b)):
        yield f"Sources of {name}: {'; '.join(_marked(side.sources)) or 'none'}"


def html(found: Comparison) -> Iterator[str]:
    """Give the same as two tables: what each run says, and what each made of the facts, differences first."""
    a, b = found.a, found.b
    told = [
        ("Question", a.trace.question, b.trace.question),
        ("Reasoned by", _author(a), _author(b)),
        ("Answer", " ".join(_marked(a.answer)), " ".join(_marked(b.answer))),
        ("Key ideas", ", ".join(_marked(a.ideas)), ", ".join(_marked(b.ideas))),
        ("Sources", "; ".join(_marked(a.sources)), "; ".join(_marked(b.sources))),
    ]
    yield paragraph("≠ only one of them has it, = both have it")
    yield table(("", "A", "B"), told)
    heads = dict(_SIDES)
    kept = ((heads[row.side], row.label, _judged(row.a).strip(), _judged(row.b).strip()) for row in found.rows)
    counts = " · ".join(f"{head}: {len(found.of(side))}" for side, head in _SIDES)
    yield f"<details><summary>Facts and passages. {counts}</summary>{table(('', 'Fact', 'A', 'B'), kept)}</details>"


def _author(side: Side) -> str:
    """Name the model that reasoned, or was to, in a run that failed before it did."""
    return one_line(side.trace.model or "not on record")


def _marked(said: Iterable[Said]) -> list[str]:
    return [f"{'=' if one.shared else '≠'} {one_line(one.text)}" for one in said]


def _judged(one: Verdict) -> str:
    score = "    –" if one.score is None else f"{one.score:.2f}"
    return f"{score}  {truncate(one_line(one.reason), _LONGEST_REASON)}"
