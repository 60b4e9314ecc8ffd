"""What the rows of a table answer: a cell by its row and column; the highest, lowest, sum or mean of a column; how many
rows, or which, are as a question says.

A column is found by its head or its unit, rows by `conditions.py`. Rows of totals are no rows like others: they are
told by what they are called, or stand below a line that is called so. A rule says nothing where the question names what
no row has, or where the table is not read whole; a condition that no column holds is told beside what is said of all.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from math import isclose
from statistics import mean
from typing import TYPE_CHECKING

from explorer.language import questions as q
from explorer.language.pipeline import parsed
from explorer.language.sentences import cells, is_row, without_mark
from explorer.language.words import stem, stem_set, tokens
from explorer.reasoning.extractive.comparing import Put
from explorer.reasoning.extractive.conditions import (
    Conditions,
    Row,
    Table,
    conditions,
    person_column,
    says_yes,
    stems_of,
)
from explorer.reasoning.extractive.lines import heads
from explorer.reasoning.extractive.matching import Line
from explorer.reasoning.extractive.units import measured, number, units_of

if TYPE_CHECKING:
    from explorer.language.questions import Question
    from explorer.reasoning.protocol import ReadPassage

_TWO = 2
_PLAIN = frozenset("highest most greatest maximum lowest least fewest minimum latest earliest".split())
_MOST_SHOWN, _MOST_ALIKE = 24, 3  # rows that are shown; and of a cell
_QUANTITIES = stem_set("quantity qty pieces pcs count units copies stock")
_GAP = 4  # code points between two pieces of a table
_HIGH = (
    "highest most largest biggest greatest maximum longest heaviest hottest warmest dearest priciest tallest deepest "
    "strongest oldest latest"
).split()
_LOW = "lowest least fewest smallest minimum shortest lightest coldest coolest cheapest weakest earliest".split()
_BOTH = ("expensive", "costly", "valuable")  # "most" or "least" before them says which
_EXTREME = re.compile(
    rf"(?<!\bat )\b(?:(?P<low>least|lowest) |(?P<high>most) )?(?P<word>{'|'.join([*_HIGH, *_LOW, *_BOTH])})\b",
    re.IGNORECASE,
)
_MORE = re.compile(
    r"\b(?:(?P<low>less|lower|cheaper|smaller|shorter|lighter|fewer|colder|cooler|weaker)|(?P<high>more|higher|larger|"
    r"bigger|longer|heavier|dearer|taller|deeper|stronger|warmer|hotter))\b(?! (?:\w+ )?than\b)", re.IGNORECASE
)  # fmt: skip
_SUM = re.compile(r"\b(?:(?:in|the) total|total|sum of|altogether|together(?! with\b)|in all|overall)\b", re.IGNORECASE)
_TOTAL = re.compile(r"(?:(?:grand|overall) )?totals?|sums?|all together|sub-?total.*", re.IGNORECASE)
_NAMED_TOTAL = re.compile(r"totals?\b.+|.+\btotals?", re.IGNORECASE)
_MEAN = re.compile(r"\b(?:average|mean|on average)\b", re.IGNORECASE)
_MANY = re.compile(r"\bhow many\b|\bnumber of\b", re.IGNORECASE)
_SPENT = re.compile(r"\bhow much\b.*\b(?:spend|spent|paid out)\b", re.IGNORECASE)
_MUCH = re.compile(r"\bhow much\b", re.IGNORECASE)
_LISTING = re.compile(r"\b(?:who|whose|whom|which|what|list|name|show)\b", re.IGNORECASE)
_EMPTY_ASKED = re.compile(r"\b(?:no|without|lacks?|missing|any)\b", re.IGNORECASE)
_TITLED = frozenset(map(stem, "table list sheet file".split()))


def put_by_table(asked: Question, passages: Sequence[ReadPassage]) -> Put | None:
    """Return what one table answers, of several the one that holds more of the question; None where none does so."""
    if asked.kind not in {q.NUMBER, q.TIME, q.THING, q.PERSON, q.PLACE, q.CHOICE, q.YES_NO}:
        return None
    readings = [_Reading(asked, table) for table in _tables(passages)]
    found = [(put, len(one.meant.rest)) for one in readings if (put := one.put()) is not None]
    whole = [one for one in found if not one[0].doubt] or found
    least = min((rest for _, rest in whole), default=0)
    best = [put for put, rest in whole if rest == least]
    return best[0] if len(best) == 1 else None


def _tables(passages: Sequence[ReadPassage]) -> Iterator[Table]:
    """Yield the tables of some passages, the pieces of one together."""
    pieces: dict[tuple[str, ...], list[tuple[int, list[Row]]]] = {}
    for p, passage in enumerate(passages):
        of: dict[tuple[str, ...], list[Row]] = {}
        for n, sentence in enumerate(passage.sentences):
            above = heads(passage, n) if is_row(sentence.text) else []
            row = cells(sentence.text, len(above)) if above else []
            if above and row != above and len(row) == len(above):
                of.setdefault((passage.document or passage.chunk, *above), []).append(Row(Line(p, n), row))
        for key, rows in of.items():
            pieces.setdefault(key, []).append((p, rows))
    for key, found in pieces.items():
        found.sort(key=lambda one: passages[one[0]].start or 0)
        rows = list({tuple(row.cells): row for _, piece in found for row in piece}.values())
        read = [passages[p] for p, _ in found]
        title = " ".join([read[0].title, *read[0].above(found[0][1][0].line.number)])
        yield Table([*map(without_mark, key[1:])], list(_with_totals(rows)), title, _is_whole(read))


def _with_totals(rows: Sequence[Row]) -> Iterator[Row]:
    """Yield the rows of a table, those of totals marked: what is called so, also where only its numbers tell that."""
    is_below, above = False, list[Row]()
    for row in rows:
        filled = [cell for cell in row.cells if cell]
        name = filled[0].strip(" :*–-") if filled else ""
        is_line = filled == row.cells[:1]  # of a group of rows
        if is_line:
            is_below = bool(_TOTAL.fullmatch(name) or _NAMED_TOTAL.fullmatch(name))
        is_total = is_below or bool(_TOTAL.fullmatch(name)) or (_NAMED_TOTAL.fullmatch(name) and _adds_up(row, above))
        above = [] if is_line else above if is_total else [*above, row]
        yield replace(row, is_total=bool(is_total))


def _adds_up(row: Row, above: Sequence[Row]) -> bool:
    """Return whether a number of a row is the sum of those right above it, of two or more."""
    for at, cell in enumerate(row.cells):
        value, reached = number(cell), 0.0
        numbers = [number(one.cells[at]) for one in reversed(above)]
        for many, one in enumerate(takewhile(lambda each: each is not None, numbers), 1):
            reached += one or 0.0
            if value is not None and many > 1 and isclose(reached, value, rel_tol=1e-9, abs_tol=0.005):
                return True
    return False


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
    table: Table
    meant: Conditions = field(init=False)
    totals: int = 0  # rows of totals that are left out

    def put(self) -> Put | None:
        """Return what the table answers."""
        found = conditions(self.asked, self.table)
        if found is None:
            return None
        self.meant = found
        if self.asked.kind == q.YES_NO:
            return self._yes_or_no()
        if parts := [row for row in found.rows if not row.is_total]:
            self.totals, found.rows = len(found.rows) - len(parts), parts
        extreme = _EXTREME.search(self.asked.text)
        if extreme is not None and found.rows:
            return self._extreme(extreme)
        if (_SUM.search(self.asked.text) or _MEAN.search(self.asked.text)) and found.rows:
            return self._together()
        is_together = _SPENT.search(self.asked.text) or (_MUCH.search(self.asked.text) and self._means_several())
        if is_together and len(found.rows) > 1 and found.by:
            return self._sum(self._columns())
        cell = self._cell() if found.by and found.is_plain and found.rows else None
        return cell or self._counted() or self._more() or self._listed()

    def _yes_or_no(self) -> Put | None:
        """Return the yes or no that one row says in the column that is asked about: "Has Crick paid?"."""
        rows, at = self.meant.rows, self.meant.flag
        said = says_yes(rows[0].cells[at]) if at is not None and len(rows) == 1 and self.meant.by else None
        if said is None or self._rest():
            return None
        return self._said(f"{'Yes' if said else 'No'}:", "yes or no, by a cell of a table", rows)

    def _columns(self, quality: str = "") -> list[int]:
        """Return the columns of numbers that the question asks for: by head, else by what is measured in their unit."""
        table, said = self.table, stems_of(self.asked.text)
        numbers = [
            at for at in table.numbers if at or not _MANY.search(self.asked.text)
        ]  # the first one numbers the rows
        words = {at: table.words(at) for at in numbers}
        if self.asked.head and self.asked.kind == q.NUMBER and not quality:
            asked = [at for at in numbers if self._keys() & words[at]]
            if asked:
                return _best(asked, {at: len(words[at] & said) / len(words[at]) for at in asked})
        nouns, units = measured(quality or self.asked.head)
        by_noun = [at for at in numbers if words[at] & nouns]
        by_unit = [at for at in numbers if table.unit(at) & units]
        if quality or nouns:
            if by_noun or by_unit:
                found = by_noun if len(by_noun) == 1 else by_unit or by_noun
                return [at for at in found if words[at] & said] or found  # "spent", of what was planned and spent
            if nouns and quality not in {"largest", "biggest", "smallest", "longest", "shortest"}:
                return []
        shared = {at: len(words[at] & said) / len(words[at]) for at in numbers if words[at]}
        told = [at for at, share in shared.items() if share]
        beside = [at for at in told if stem(self.asked.head) not in words[at]]  # "which batch" asks for no number of it
        return _best(beside if self.asked.kind != q.NUMBER and beside else told, shared)

    def _means_several(self) -> bool:
        """Return whether the question names the things of the rows in the plural: "the colonies at the orchard"."""
        return any(one.tag_ == "NNS" and stem(one.text) in self.table.words(0) for one in parsed(self.asked.text))

    def _keys(self) -> frozenset[str]:
        """Return the stems of the noun that the question asks for, in its base form and as it stands there."""
        noun = self.asked.head
        return frozenset(
            {stem(noun), *(stem(one.text) for one in parsed(self.asked.text) if one.lemma_.lower() == noun)}
        )

    def _extreme(self, extreme: re.Match[str]) -> Put | None:
        """Return the rows with the highest or lowest number in the column that is asked for."""
        word = extreme["word"].lower()
        is_low = word in _LOW if word not in _BOTH else extreme[0].lower().startswith(("least", "lowest"))
        return self._highest(self._columns(word if word not in _PLAIN else ""), is_low=is_low)

    def _more(self) -> Put | None:
        """Return which of the rows that a question names has more: "Which lager has the higher OG?"."""
        found = _MORE.search(self.asked.text)
        if found is None or len(self.meant.rows) < _TWO or not self.meant.by or _MANY.search(self.asked.text):
            return None
        word = found[0].lower()
        columns = self._columns(word if any(measured(word)) else "")
        return self._highest(columns, is_low=found["low"] is not None) if not self.meant.left else None

    def _highest(self, columns: Sequence[int], *, is_low: bool) -> Put | None:
        if len(columns) != 1 or not self.table.is_whole:
            return None
        at = columns[0]
        valued = [(value, row) for row in self.meant.rows if (value := number(row.cells[at])) is not None]
        if not valued:
            return None
        best = (min if is_low else max)(value for value, _ in valued)
        held = [row for value, row in valued if value == best]
        if len(held) > _MOST_SHOWN:
            return None
        kind, of = "lowest" if is_low else "highest", [row for _, row in valued]
        said = (
            f"The {kind} “{self.table.heads[at]}” of {self._of(of)}{self._doubts(len(self.meant.rows) - len(of), at)}:"
        )
        return self._said(said, f"the {kind} number in a column of a table: “{self.table.heads[at]}”", held)

    def _together(self) -> Put | None:
        """Return the sum or the mean of a column."""
        columns = self._columns()
        is_mean = _MEAN.search(self.asked.text) is not None
        return self._sum(columns, is_mean=is_mean)

    def _sum(self, columns: Sequence[int], *, is_mean: bool = False) -> Put | None:
        rows = self.meant.rows
        if len(columns) != 1 or not self.table.is_whole or not rows or len(rows) > _MOST_SHOWN:
            return None
        at = columns[0]
        valued = [(value, row) for row in rows if (value := number(row.cells[at])) is not None]
        if not valued or (len(valued) == 1 and not self.meant.by):
            return None
        if len(valued) == 1:
            return self._value(valued[0][1], at)
        values, of = [value for value, _ in valued], [row for _, row in valued]
        name = "mean" if is_mean else "sum"
        value = round(mean(values) if is_mean else sum(values), 6)
        doubts = self._doubts(len(rows) - len(of), at)
        said = f"{value:,.10g}: the {name} of “{self.table.heads[at]}” in {self._of(of)}{doubts}:"
        return self._said(said, f"the {name} of a column of a table: “{self.table.heads[at]}”", of)

    def _counted(self) -> Put | None:
        """Return how many rows there are of what is asked, or the sum of the column in whose unit it is asked."""
        asked, table, meant = self.asked, self.table, self.meant
        if asked.kind != q.NUMBER or not (_MANY.search(asked.text) or _MUCH.search(asked.text)) or not table.is_whole:
            return None
        unit = units_of(asked.head) or units_of(_after_many(asked.text))
        if unit and meant.by and (measure := [at for at in table.numbers if table.unit(at) & unit]):
            return self._sum(measure) if not self._rest(but=unit) else None
        if not _MANY.search(asked.text) or self._is_measure(asked.head) or not self._is_row(asked.head):
            return None
        if self._rest() and not (meant.by and meant.left):
            return None
        is_of_row = stem(asked.head) in {stem(word) for by in meant.by for word in tokens(by)}
        if is_of_row and (pieces := self._quantities()):
            return self._sum(pieces)
        rows, every = meant.rows, len(table.rows)
        of = next((at for at in range(1, len(table.heads)) if stem(asked.head) in table.words(at)), None)
        if of is not None and len(kinds := {row.cells[of] for row in rows if row.cells[of]}) < len(rows) <= _MOST_SHOWN:
            said = f"{len(kinds):,} different “{table.heads[of]}” in {self._of(rows)}{self._doubts()}:"
            return self._said(said, f"the different cells of a column of a table: “{table.heads[of]}”", rows)
        shown = (rows or table.rows)[:_MOST_SHOWN]
        by = f" with “{'”, “'.join(meant.by)}”, of {every:,} in all" if meant.by else ""
        first = f"; the first {len(shown)} of them" if len(rows) > len(shown) else ""
        none = "; these are the rows" if not rows else ""
        text = f"{len(rows):,}: {'row' if len(rows) == 1 else 'rows'}{by}{self._doubts()}{first}{none}:"
        return self._said(text, "the number of rows of a table", shown)

    def _quantities(self) -> list[int]:
        """Return the column that says how many there are of what a row names; none where no head or several say so."""
        found = [at for at in self.table.numbers if at and self.table.words(at) & _QUANTITIES]
        return found if len(found) == 1 else []

    def _is_measure(self, noun: str) -> bool:
        """Return whether a noun names a column of numbers, other than the first, which numbers the rows."""
        return any(stem(noun) in self.table.words(at) for at in self.table.numbers if at)

    def _is_row(self, noun: str) -> bool:
        """Return whether a noun names what each row of the table is: by the first head, a cell named, or the title."""
        key = stem(noun)
        table = self.table
        if not noun:
            return False
        people = noun in {"person", "people"} and person_column(table) is not None
        cells = {stem(word) for by in self.meant.by for word in tokens(by)}
        titled = {stem(word) for word in tokens(table.title)} - _TITLED
        return people or key in table.words(0) or key in cells or key in titled or any(
            key in table.words(at) and not table.is_numbers(at) for at in range(len(table.heads)))  # fmt: skip

    def _rest(self, but: Collection[str] = ()) -> list[str]:
        """Return the words of the question that nothing in the table holds, but for what it counts."""
        of = {stem(self.asked.head), *map(stem, but)}
        return [word for word in self.meant.rest if stem(word) not in of]

    def _listed(self) -> Put | None:
        """Return all rows that are as the question says: "Who has not paid?"."""
        asked, table, meant = self.asked, self.table, self.meant
        if asked.kind not in {q.PERSON, q.THING, q.CHOICE} or not _LISTING.search(asked.text) or not meant.rows:
            return self._without()
        at = self._asked_column()
        if not meant.by or (meant.is_plain and (at is None or at in meant.columns)):
            return self._without()
        if len(meant.rows) == len(table.rows) > 1 and meant.is_plain:
            return None
        if meant.is_plain and (self._rest() if at is None else self._rest(but=meant.acts)):
            return None
        shown = meant.rows[:_MOST_SHOWN]
        first = f"; the first {len(shown)} of them" if len(meant.rows) > len(shown) else ""
        values = list(dict.fromkeys(row.cells[at] for row in shown if row.cells[at])) if at is not None else []
        if meant.is_plain and not table.is_whole:
            return None
        part = "" if table.is_whole else " (of those that were read; the table may have more)"
        if meant.is_plain and len(shown) == 1 and values and at is not None:
            return self._said(f"{table.heads[at]}, {', '.join(meant.by)}: {values[0]}.", "the rows of a table", shown)
        named = f"{', '.join(values)}: “{table.heads[at]}” of " if values and at is not None else ""
        return self._said(f"{named}{self._of(meant.rows)}{self._doubts()}{part}{first}:", "the rows of a table", shown,
                          doubt="" if table.is_whole else "the table was not read whole")  # fmt: skip

    def _without(self) -> Put | None:
        """Return the rows with an empty cell in the column that the question asks for none of."""
        asked, table = self.asked, self.table
        if self.meant.by or not table.is_whole or asked.kind not in {q.PERSON, q.THING}:
            return None
        doc_words = tokens(asked.text)
        for at in range(len(table.heads)):
            keys = table.words(at)
            place = next((i for i, word in enumerate(doc_words) if stem(word) in keys), None)
            before = " ".join(doc_words[max(0, (place or 0) - _TWO) : place])
            held = [row for row in table.rows if not row.cells[at]]
            if place and keys <= stems_of(asked.text) and held and _EMPTY_ASKED.search(before) and not self._rest():
                said = f"“{table.heads[at]}” is empty in {len(held):,} of {len(table.rows):,} rows:"
                return self._said(
                    said, f"the rows of a table with an empty cell: “{table.heads[at]}”", held[:_MOST_SHOWN]
                )
        return None

    def _asked_column(self) -> int | None:
        """Return the column that "who" or "which X" asks for."""
        table, head = self.table, self.asked.head
        if head:
            found = [at for at in range(len(table.heads)) if stem(head) in table.words(at)]
            return found[0] if found else None
        return person_column(table) if self.asked.kind == q.PERSON else None

    def _of(self, rows: Sequence[Row]) -> str:
        """Return of how many rows something is said."""
        by = self.meant.by
        named = f" with “{'”, “'.join(by)}”" if by else ""
        every = "all " if self.meant.left and not by and len(rows) > 1 else ""
        return f"{every}{len(rows):,} row{'s' if len(rows) != 1 else ''}{named}"

    def _doubts(self, without: int = 0, at: int = 0) -> str:
        """Return what the reader has to know beside: rows that say nothing, words that no column holds."""
        said = list(self.meant.silent)
        if self.totals:
            said.append(f"without {self.totals:,} {'row' if self.totals == 1 else 'rows'} of totals")
        if without:
            said.append(f"{without:,} {'has' if without == 1 else 'have'} no number in “{self.table.heads[at]}”")
        if self.meant.left:
            said.append(f"nothing in the rows says “{' '.join(self.meant.left)}”")
        return f" ({'; '.join(said)})" if said else ""

    def _said(self, text: str, rule: str, rows: Sequence[Row], doubt: str = "") -> Put:
        by = self.meant.by
        rule = f"{rule}, in the rows with “{'”, “'.join(by)}”" if by else rule
        if self.meant.left:
            doubt = f"nothing in the rows says “{' '.join(self.meant.left)}”"
            rule = f"{rule}; {doubt}"
        return Put(text, rule, tuple(row.line for row in rows), settles=True, doubt=doubt)

    def _cell(self) -> Put | None:
        """Return the cell that is asked for in the row, or the few, that the question names."""
        rows, by = self.meant.rows, self.meant.by
        columns = self._columns() if self.asked.kind == q.NUMBER or q.lasts(self.asked) else []
        if len(columns) != 1 or len(rows) > _MOST_ALIKE or any(not row.cells[columns[0]] for row in rows):
            return None
        if len(rows) == 1:
            return self._value(rows[0], columns[0])
        head = self.table.heads[columns[0]]
        rule = f"a cell of a table: the row with “{'”, “'.join(by)}”, the column “{head}”"
        return Put(f"{head}, {', '.join(by)}:", rule, tuple(row.line for row in rows), settles=True, is_plain=True)

    def _value(self, row: Row, at: int) -> Put:
        """Return the cell of the one row that the question names."""
        head, by = self.table.heads[at], self.meant.by
        rule = f"a cell of a table: the row with “{'”, “'.join(by)}”, the column “{head}”"
        doubt = f"nothing in the rows says “{' '.join(self.meant.left)}”" if self.meant.left else ""
        text = f"{head}, {', '.join(by)}: {row.cells[at]}{self._doubts()}."
        return Put(text, rule, (row.line,), settles=True, is_plain=True, doubt=doubt)


def _after_many(text: str) -> str:
    """Return the word behind "how many"."""
    found = re.search(r"\bhow (?:many|much) (?P<word>[^\W\d]+)", text, re.IGNORECASE)
    return found["word"] if found else ""


def _best(places: Iterable[int], shares: dict[int, float]) -> list[int]:
    """Return the places with the highest share."""
    there = list(places)
    most = max((shares[at] for at in there), default=0.0)
    return [at for at in there if shares[at] == most]
