"""What the rows of a table answer: a cell by its row and column; the highest, lowest, sum or mean of a column.

A column is found by its head or its unit, a row by the cells and dates that the question names. A rule says nothing
where the question names what no row has, or where the table is not read whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import mean
from typing import TYPE_CHECKING

from explorer.language import questions as q
from explorer.language.dates import dates, spans_of_time
from explorer.language.sentences import cells, is_row
from explorer.language.words import is_content, stem, tokens
from explorer.reasoning.extractive.comparing import Put
from explorer.reasoning.extractive.lines import heads
from explorer.reasoning.extractive.matching import Line

if TYPE_CHECKING:
    from explorer.language.questions import Question
    from explorer.reasoning.protocol import ReadPassage

_MOST_SUMMED, _MOST_ALIKE = 24, 3  # rows that are shown: of a sum, and of a cell or of the highest
_GAP = 4  # code points between two pieces of a table
_UNIT = re.compile(r"\s*[(\[](?P<unit>[^()\[\]]*)[)\]]\s*$")
_VALUE = re.compile(
    r"[^\w\d.+−-]{0,2}\s?(?P<sign>[-−])?(?P<digits>\d{1,3}(?:[,' \u202f]\d{3})+(?:\.\d+)?|\d+(?:[.,]\d+)?)"
    r"\s?[^\W\d]{0,4}[²³%]?\W{0,2}"
)
_HIGH = (
    "highest most largest biggest greatest maximum longest heaviest hottest warmest dearest priciest tallest deepest"
).split()
_LOW = "lowest least fewest smallest minimum shortest lightest coldest coolest cheapest".split()
_EXTREME = re.compile(
    rf"\b(?:(?P<low>least|lowest) |(?P<high>most) )?(?P<word>{'|'.join([*_HIGH, *_LOW])}|expensive)\b", re.IGNORECASE
)
_SUM = re.compile(r"\b(?:(?:in|the) total|total|sum of|altogether|all together|in all|overall)\b", re.IGNORECASE)
_MEAN = re.compile(r"\b(?:average|mean|on average)\b", re.IGNORECASE)
_OF = {  # what a word asks for: nouns of heads, and units
    "price": ("price cost fee charge rate amount rent tariff", "eur euro euros usd gbp chf € $ £"),
    "temperature": ("temperature temp", "c f k °c °f"),
    "size": ("size area", "m2 m² sqm ha km2 km²"),
    "weight": ("weight mass", "kg g t lb lbs mg"),
    "length": ("length", "m cm mm km ft in"),
    "height": ("height", "m cm mm km ft in"),
    "depth": ("depth", "m cm mm km ft in"),
    "distance": ("distance", "m cm mm km ft mi"),
    "duration": ("duration time length", "h min s hours minutes seconds days"),
    "speed": ("speed", "km/h m/s mph kn"),
    "voltage": ("voltage", "v kv mv"),
    "pressure": ("pressure", "bar pa kpa mpa hpa psi"),
}
_OF |= dict.fromkeys(("cost", "fee"), _OF["price"])
_ASKED_BY = dict.fromkeys("cheapest expensive dearest priciest".split(), "price") | dict.fromkeys(
    "hottest warmest coldest coolest".split(), "temperature") | dict.fromkeys(
    "largest biggest smallest".split(), "size") | dict.fromkeys("heaviest lightest".split(), "weight") | {
    "tallest": "height", "deepest": "depth"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Row:
    line: Line
    cells: list[str]


@dataclass(frozen=True, slots=True)
class _Table:
    """The rows that were read of one table; `is_whole`: no others belong to it."""

    heads: list[str]
    rows: list[_Row]
    title: str
    is_whole: bool

    def column(self, at: int) -> list[str]:
        return [row.cells[at] for row in self.rows]


def put_by_table(asked: Question, passages: Sequence[ReadPassage]) -> Put | None:
    """Return what one table answers; None where none does, or several do."""
    if asked.kind not in {q.NUMBER, q.TIME, q.THING, q.PERSON, q.PLACE}:
        return None
    found = [put for table in _tables(passages) if (put := _Reading(asked, table).put()) is not None]
    return found[0] if len(found) == 1 else None


def _tables(passages: Sequence[ReadPassage]) -> Iterator[_Table]:
    """Yield the tables of some passages, the pieces of one together."""
    pieces: dict[tuple[str, ...], list[tuple[int, list[_Row]]]] = {}
    for p, passage in enumerate(passages):
        of: dict[tuple[str, ...], list[_Row]] = {}
        for n, sentence in enumerate(passage.sentences):
            above = heads(passage, n) if is_row(sentence.text) else []
            row = cells(sentence.text) if above else []
            if above and row != above and len(row) == len(above):
                of.setdefault((passage.document or passage.chunk, *above), []).append(_Row(Line(p, n), row))
        for key, rows in of.items():
            pieces.setdefault(key, []).append((p, rows))
    for key, found in pieces.items():
        found.sort(key=lambda one: passages[one[0]].start or 0)
        rows = list({tuple(row.cells): row for _, piece in found for row in piece}.values())
        read = [passages[p] for p, _ in found]
        yield _Table(list(key[1:]), rows, read[0].title, _is_whole(read))


def _is_whole(pieces: Sequence[ReadPassage]) -> bool:
    """Return whether the pieces of a table are all of it: it begins within the first, and ends with the last."""
    first = pieces[0]
    if first.start is None or any(one.start is None for one in pieces):
        return False
    begins = first.start == 0 or not is_row(first.text.lstrip().partition("\n")[0])
    ends = [(one.start or 0) + len(one.text) for one in pieces]
    joined = all((two.start or 0) - end <= _GAP for end, two in zip(ends, pieces[1:], strict=False))
    return begins and joined and not is_row(pieces[-1].after.lstrip().partition("\n")[0])


@dataclass(slots=True)
class _Reading:
    """A question being read for one table."""

    asked: Question
    table: _Table

    def put(self) -> Put | None:
        """Return what the table answers."""
        found = self._rows()
        if found is None or not found[0]:
            return None
        rows, by = found
        extreme = _EXTREME.search(self.asked.text)
        if extreme is not None:
            return self._extreme(rows, by, extreme)
        if _SUM.search(self.asked.text) or _MEAN.search(self.asked.text):
            return self._together(rows, by)
        return self._cell(rows, by) if by else None

    def _rows(self) -> tuple[list[_Row], list[str]] | None:
        """Return the rows that have what the question names, and what that is; None where no row has it."""
        rows, by = self.table.rows, list[str]()
        left = {word.lower() for name in (*self.asked.names, *self.asked.numbers) for word in tokens(name)}
        for at in range(len(self.table.heads)):
            if self._is_dates(at):
                rows, named = self._dated(rows, at)
            else:
                rows, named = self._named(rows, at)
            by += named
        wanted = dates(self.asked.text)
        dated = any(map(self._is_dates, range(len(self.table.heads))))
        there = {word.lower() for text in (*by, *self.table.heads, self.table.title) for word in tokens(text)}
        if dated and rows is not self.table.rows:
            there |= {word.lower() for date in wanted for word in tokens(self.asked.text[date.start : date.end])}
        rest = {word for word in left - there if is_content(word) and stem(word) not in set(map(stem, there))}
        if rest or not rows or (wanted and not dated):
            return None
        return rows, by

    def _is_dates(self, at: int) -> bool:
        """Return whether the cells of a column are dates."""
        column = list(filter(None, self.table.column(at)))
        whole = [any(one.start == 0 and one.end == len(cell) for one in dates(cell)) for cell in column]
        return bool(whole) and all(whole)

    def _dated(self, rows: list[_Row], at: int) -> tuple[list[_Row], list[str]]:
        """Return the rows of the time that the question names."""
        for first, last in spans_of_time(self.asked.text):
            held = [row for row in rows if any(one.lies_between(first, last) for one in dates(row.cells[at]))]
            return held, [self.asked.text[first.start : last.end]]
        for date in dates(self.asked.text):
            held = [row for row in rows if any(one.is_in(date) for one in dates(row.cells[at]))]
            same = {row.cells[at] for row in held}
            return held, sorted(same) if len(same) == 1 else [self.asked.text[date.start : date.end]]
        return rows, []

    def _named(self, rows: list[_Row], at: int) -> tuple[list[_Row], list[str]]:
        """Return the rows whose cell in a column the question names."""
        wanted = _stems(self.asked.text)
        held = [
            row for row in rows if (keys := _stems(row.cells[at])) and keys <= wanted and not _is_number(row.cells[at])
        ]
        most = max((len(_stems(row.cells[at])) for row in held), default=0)
        held = [row for row in held if len(_stems(row.cells[at])) == most]
        return (held, list(dict.fromkeys(row.cells[at] for row in held))) if held else (rows, [])

    def _columns(self, quality: str = "") -> list[int]:
        """Return the columns of numbers that the question asks for: by head, else by what is measured in their unit."""
        numbers = [at for at in range(len(self.table.heads)) if self._is_numbers(at)]
        words = {at: _stems(_UNIT.sub("", self.table.heads[at])) for at in numbers}
        if self.asked.head and self.asked.kind == q.NUMBER and not quality:
            asked = [at for at in numbers if stem(self.asked.head) in words[at]]
            if asked:
                return _best(asked, {at: len(words[at] & _stems(self.asked.text)) / len(words[at]) for at in asked})
        nouns, units = (frozenset(one.split()) for one in _OF.get(quality or self.asked.head, ("", "")))
        by_noun = [at for at in numbers if words[at] & {*map(stem, nouns)}]
        by_unit = [at for at in numbers if _unit(self.table.heads[at]) & units]
        if quality or nouns:
            if by_noun or by_unit:
                return by_noun if len(by_noun) == 1 else by_unit or by_noun
            if nouns and quality != "size":
                return []
        shared = {at: len(words[at] & _stems(self.asked.text)) / len(words[at]) for at in numbers if words[at]}
        return _best([at for at, share in shared.items() if share], shared)

    def _is_numbers(self, at: int) -> bool:
        column = list(filter(None, self.table.column(at)))
        return bool(column) and not self._is_dates(at) and all(map(_is_number, column))

    def _extreme(self, rows: list[_Row], by: Sequence[str], extreme: re.Match[str]) -> Put | None:
        """Return the row with the highest or lowest number in the column that is asked for."""
        word = extreme["word"].lower()
        is_low = word in _LOW if word != "expensive" else extreme[0].lower().startswith(("least", "lowest"))
        columns = self._columns(_ASKED_BY.get(word, ""))
        if len(columns) != 1 or not self.table.is_whole:
            return None
        at = columns[0]
        valued = [(value, row) for row in rows if (value := _number(row.cells[at])) is not None]
        if not valued or len(valued) < len(rows):
            return None
        best = (min if is_low else max)(value for value, _ in valued)
        held = [row for value, row in valued if value == best]
        if len(held) > _MOST_ALIKE:
            return None
        said = f"The {'lowest' if is_low else 'highest'} “{self.table.heads[at]}” of {self._of(rows, by)}:"
        rule = f"the {'lowest' if is_low else 'highest'} number in a column of a table: “{self.table.heads[at]}”"
        return Put(said, rule, tuple(row.line for row in held), settles=True)

    def _together(self, rows: list[_Row], by: Sequence[str]) -> Put | None:
        """Return the sum or the mean of a column."""
        columns = self._columns()
        if len(columns) != 1 or not self.table.is_whole or not 1 < len(rows) <= _MOST_SUMMED:
            return None
        at = columns[0]
        values = [value for row in rows if (value := _number(row.cells[at])) is not None]
        if len(values) < len(rows):
            return None
        is_mean = _MEAN.search(self.asked.text) is not None
        name = "mean" if is_mean else "sum"
        value = round(mean(values) if is_mean else sum(values), 6)
        said = f"{value:,.10g}: the {name} of “{self.table.heads[at]}” in {self._of(rows, by)}:"
        rule = f"the {name} of a column of a table: “{self.table.heads[at]}”"
        return Put(said, rule, tuple(row.line for row in rows), settles=True)

    def _of(self, rows: Sequence[_Row], by: Sequence[str]) -> str:
        """Return of how many rows something is said."""
        named = f" with “{'”, “'.join(by)}”" if by else ""
        return f"{len(rows):,} row{'s' if len(rows) > 1 else ''}{named}"

    def _cell(self, rows: list[_Row], by: Sequence[str]) -> Put | None:
        """Return the cell that is asked for in the row, or the few, that the question names."""
        columns = self._columns() if self.asked.kind == q.NUMBER else []
        if len(columns) != 1 or len(rows) > _MOST_ALIKE or any(not row.cells[columns[0]] for row in rows):
            return None
        head = self.table.heads[columns[0]]
        value = f" {rows[0].cells[columns[0]]}." if len(rows) == 1 else ""
        rule = f"a cell of a table: the row with “{'”, “'.join(by)}”, the column “{head}”"
        return Put(f"{head}, {', '.join(by)}:{value}", rule, tuple(row.line for row in rows), settles=True,
                   is_plain=True)  # fmt: skip


def _best(places: Iterable[int], shares: dict[int, float]) -> list[int]:
    """Return the places with the highest share."""
    there = list(places)
    most = max((shares[at] for at in there), default=0.0)
    return [at for at in there if shares[at] == most]


def _unit(head: str) -> frozenset[str]:
    """Return the words of the unit that a head has in brackets."""
    found = _UNIT.search(head)
    return frozenset(found["unit"].lower().split()) if found else frozenset()


def _is_number(cell: str) -> bool:
    return _number(cell) is not None


def _number(cell: str) -> float | None:
    """Return the number that a cell holds; None where it holds anything else."""
    found = _VALUE.fullmatch(cell.strip())
    if found is None:
        return None
    digits = re.sub(r"[' \u202f]|,(?=\d{3})", "", found["digits"]).replace(",", ".")
    return float(digits) * (-1 if found["sign"] else 1)


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in tokens(text) if is_content(word) or word.isdigit())
