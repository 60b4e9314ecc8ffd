"""Which rows of a table a question means: those with a cell it names, a yes or no, a number or date as it compares.

"The plots that have not paid", "larger than 200 m²", "since 2014", "of Crick", "plots 7 and 19". What the question says
of the rows beyond that, and no column holds, is told too: without it an answer is one to another question.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from operator import ge, gt, le, lt
from typing import TYPE_CHECKING

from explorer.language import questions as q
from explorer.language.dates import Date, dates, spans_of_time
from explorer.language.pipeline import parsed
from explorer.language.words import is_content, labels, stem, stems, tokens
from explorer.reasoning.extractive.matching import Line
from explorer.reasoning.extractive.units import (
    BETWEEN,
    QUALITIES,
    UNIT,
    comparisons,
    measured,
    number,
    unit_of_head,
    units_of,
    value,
)

if TYPE_CHECKING:
    from explorer.language.pipeline import Token
    from explorer.language.questions import Question

_LATER = re.compile(
    r"\b(?:(?P<from>since|from|starting|beginning)|(?P<after>after|later than|past)|"
    r"(?P<before>before|earlier than|prior to)|(?P<until>until|till|up to|by))"
    r"(?: the)?(?: (?:start|beginning|end) of)?\s*$", re.IGNORECASE
)  # fmt: skip
_ONWARDS = re.compile(
    r"\s*(?:or (?P<later>later|after|since)|or (?P<earlier>earlier|before)|onwards?\b)", re.IGNORECASE
)
_YES = frozenset("yes y true x ✓ ✔ ☑ done ja oui".split())
_NO = frozenset("no n false ✗ ✘ ☐ none nein non".split())
_DENYING = frozenset("not n't n’t never no without neither nor except cannot lack lacks lacking missing other".split())
_UN = re.compile(r"(?:un(?!i|d|c)|non-?)[a-z]{3,}")  # "unpaid", "non-smoker", but not "union", "under", "uncle"
_CLAUSE = frozenset(", ; and but that who which whose where when if".split())
_FIRST, _LAST = Date(1, 1, 1), Date(9999, 12, 31)
_HOLDS: dict[str, Callable[[float, float], bool]] = {"over": gt, "under": lt, "at least": ge, "at most": le}
_BACK = 4  # words before one in which a negation of it stands
PEOPLE = re.compile(
    r"\b(?:names?|person|member|owner|holder|keeper|tenant|customer|client|teacher|author|contact|responsible|who|"
    r"player|student|employee|volunteer|guest|driver|speaker)\b", re.IGNORECASE
)  # fmt: skip
_BEGINNING = frozenset(
    map(stem, "from since start starts started begin began begun joined join became become appointed".split())
)
_ENDING = frozenset(map(stem, "to until till end ends ended leave left retire retired finish finished".split()))
_LITTLE = frozenset(map(stem, (
    "total sum average mean highest lowest most least many much number amount count row table list entry value figure "
    "altogether overall all each every have be do use make show name which what who whose how give tell say one people "
    "person money work live weigh currently now today yet already still only there altogether together "
    "get go come hold contain include belong receive need"
).split()))  # fmt: skip
"""Words of a question for rows that no column has to hold."""
_NARROWING = frozenset({"relcl", "acl", "amod", "compound", "poss", "prep", "agent", "nmod", "advcl", "npadvmod"})


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table: its line, and its cells; `is_total`: it holds what others of the table come to."""

    line: Line
    cells: list[str]
    is_total: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """The rows that were read of one table; `is_whole`: no others belong to it."""

    heads: list[str]
    rows: list[Row]
    title: str
    is_whole: bool

    def column(self, at: int) -> list[str]:
        """Return the cells of a column."""
        return [row.cells[at] for row in self.rows]

    def words(self, at: int) -> frozenset[str]:
        """Return the stems of a head, without its unit."""
        return stems_of(UNIT.sub("", self.heads[at]))

    def unit(self, at: int) -> frozenset[str]:
        """Return the unit of a column, in all its spellings."""
        return unit_of_head(self.heads[at])

    def is_dates(self, at: int) -> bool:
        """Return whether the cells of a column are dates."""
        column = list(filter(None, self.column(at)))
        whole = [any(one.start == 0 and one.end == len(cell) for one in dates(cell)) for cell in column]
        return bool(whole) and all(whole)

    def is_numbers(self, at: int) -> bool:
        """Return whether the cells of a column are numbers, and no dates."""
        column = list(filter(None, self.column(at)))
        return bool(column) and not self.is_dates(at) and all(number(cell) is not None for cell in column)

    def is_flag(self, at: int) -> bool:
        """Return whether the cells of a column say yes or no, or some of them nothing."""
        column = {cell.lower() for cell in self.column(at) if cell}
        return bool(column) and column <= _YES | _NO and (len(column) > 1 or "" in self.column(at))

    @property
    def numbers(self) -> list[int]:
        """The columns of numbers."""
        return [at for at in range(len(self.heads)) if self.is_numbers(at)]


@dataclass(slots=True)
class Conditions:
    """The rows of a table that a question means.

    `by`: what holds of them, in words: the cell named, "Paid: no", "Size (m2) over 200". `silent`: of how many of the
    other rows a cell that decides is empty, in words. `left`: words of the question that narrow the rows, and that no
    column holds. `rest`: all its words of content that stand nowhere in the table, `acts`: the verbs of its clauses
    among them. `is_plain`: the rows are those with a cell or a date that the question names, and no others. `flag`: the
    column of yes and no that a question asks about, where it asks yes or no.
    """

    rows: list[Row]
    by: list[str] = field(default_factory=list)
    columns: list[int] = field(default_factory=list)
    silent: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    rest: list[str] = field(default_factory=list)
    acts: list[str] = field(default_factory=list)
    is_plain: bool = True
    flag: int | None = None

    def keep(
        self, at: int, said: str, held: Callable[[str], bool], heads: Sequence[str], *, plain: bool = False
    ) -> None:
        """Keep the rows whose cell in a column is held; count those that have none there."""
        empty = sum(not row.cells[at] for row in self.rows)
        self.rows = [row for row in self.rows if held(row.cells[at])]
        empty -= sum(not row.cells[at] for row in self.rows)
        if empty and not plain:
            self.silent.append(f"{empty:,} {'row has' if empty == 1 else 'rows have'} no “{heads[at]}”")
        self.by.append(said)
        self.columns.append(at)
        self.is_plain &= plain


def stems_of(text: str) -> frozenset[str]:
    """Return the stems of the words of content and the numbers of a text."""
    return frozenset(stem(word) for word in tokens(text) if is_content(word) or word.isdigit())


def says_yes(cell: str) -> bool | None:
    """Return whether a cell says yes or no; None where it says neither."""
    return True if cell.lower() in _YES else False if cell.lower() in _NO else None


def person_column(table: Table) -> int | None:
    """Return the first column of people, by its head."""
    return next((at for at, head in enumerate(table.heads) if PEOPLE.search(head) and not table.is_numbers(at)), None)


def conditions(asked: Question, table: Table) -> Conditions | None:
    """Return the rows of a table that a question means; None where it names what no row has."""
    return _Conditions(asked, table).found()


@dataclass(slots=True)
class _Conditions:
    """A question being read for what it says of the rows of a table; `used`: spans of it that a column holds."""

    asked: Question
    table: Table
    used: list[tuple[int, int]] = field(default_factory=list)
    text: str = field(init=False)
    kept: Conditions = field(init=False)

    def __post_init__(self) -> None:
        self.text = " ".join(self.asked.text.split())
        self.kept = Conditions(list(self.table.rows))

    def found(self) -> Conditions | None:
        """Return the rows that are meant."""
        if not self._compared() or not self._dated():
            return None
        for at in range(len(self.table.heads)):
            if at not in self.kept.columns and not self.table.is_dates(at):
                self._marked(at) or self._flagged(at) or self._named(at)
        self._by_part_of_a_name()
        self._by_some_words()
        if self._names_another() or (len(set(self.kept.columns)) > 1 and re.search(r"\bor\b", self._unused())):
            return None
        self._left_over()
        return self.kept

    def _compared(self) -> bool:
        """Keep the rows whose number is as the question compares it; False where it has no column."""
        text = self.text
        for match in BETWEEN.finditer(text):
            if not _is_year(match["low"]) or not any(map(self.table.is_dates, range(len(self.table.heads)))):
                at = self._measured(match["unit"], match["amount"], match.start(), match.end())
                low, high = value(match["low"]), value(match["amount"])
                if at is None:
                    return False
                said = f"{self.table.heads[at]}: from {match['low']} to {match['amount']}"
                self._keep_number(at, said, partial(_is_between, low, high), match.span())
        for sign, match in comparisons(text):
            self._number_as(match, sign)
        return True

    def _number_as(self, match: re.Match[str], sign: str) -> None:
        """Keep the rows whose number is more or less than what the question says, where a column has such numbers."""
        is_time = _is_year(match["amount"]) and not match["unit"]
        is_date = any(one.start < match.end("amount") and match.start("amount") < one.end for one in dates(self.text))
        if self._is_used(match.start("amount"), match.end("amount")) or is_time or (is_date and not match["unit"]):
            return
        at = self._measured(match["unit"], match["amount"], match.start(), match.end())
        if at is None:
            return
        limit = value(match["amount"]) * (1000 if match["k"] else 1)
        said = f"{self.table.heads[at]}: {sign} {limit:,.10g}"
        self._keep_number(at, said, lambda one: _HOLDS[sign](one, limit), match.span())

    def _keep_number(self, at: int, said: str, held: Callable[[float], bool], span: tuple[int, int]) -> None:
        def is_held(cell: str) -> bool:
            found = number(cell)
            return found is not None and held(found)

        self.kept.keep(at, said, is_held, self.table.heads)
        self.used.append(span)

    def _measured(self, unit: str | None, amount: str, start: int, end: int) -> int | None:
        """Return the one column of numbers that a comparison speaks of: by unit, adjective, or words of its head."""
        there = self.table.numbers
        sign = amount[0] if amount[0] in "€£$" else ""
        unit_words = units_of(unit or sign)
        words = [word.lower() for word in tokens(self.text[max(0, start - 40) : end])]
        by = [measured(word) for word in words if word in QUALITIES]
        table = self.table
        of_quality = [
            at for at in there if any(table.words(at) & nouns or table.unit(at) & units for nouns, units in by)
        ]
        shared = [at for at in there if self.table.words(at) & stems_of(self.text)]
        if unit_words:
            there = [at for at in there if self.table.unit(at) & unit_words] or [
                at for at in there if not self.table.unit(at) and at in {*of_quality, *shared}
            ]
            if len(there) == 1:
                return there[0]
        else:
            there = [at for at in there if at in {*of_quality, *shared}]
        for narrowed in (_within(there, of_quality), _within(there, shared)):
            if len(narrowed) == 1:
                return narrowed[0]
        return None

    def _dated(self) -> bool:
        """Keep the rows of the time that the question names; False where no column has one."""
        heads = " ".join(self.table.heads)
        said = [one for one in dates(self.text) if not self._is_used(one.start, one.end)
                and self.text[one.start : one.end] not in heads]  # fmt: skip
        if not said:
            return True
        columns = [at for at in range(len(self.table.heads)) if self.table.is_dates(at)]
        by_head = self._timed(columns)
        there, text = by_head or columns, self.text
        if (between := next(spans_of_time(text), None)) is not None:
            first, last = between
            span = (first.start, last.end)
            return self._keep_time(there, lambda one: one.lies_between(first, last), text[slice(*span)], span)
        date = said[0]
        before, after = _LATER.search(text[: date.start]), _ONWARDS.match(text, date.end)
        span = (before.start() if before else date.start, after.end() if after else date.end)
        written = text[date.start : date.end]
        if (before and before["from"]) or (after and not after["earlier"]):
            return self._keep_time(there, lambda one: one.lies_between(date, _LAST), f"from {written} on", span)
        if (before and before["until"]) or (after and after["earlier"]):
            return self._keep_time(there, lambda one: one.lies_between(_FIRST, date), f"until {written}", span)
        if before:
            is_after = before["after"] is not None
            ends = (date, _LAST) if is_after else (_FIRST, date)
            words = f"{'after' if is_after else 'before'} {written}"
            return self._keep_time(there, lambda one: one.lies_between(*ends) and not one.is_in(date), words, span)
        ends_of = self._ends(columns)
        if ends_of is not None and not by_head:
            return self._keep_lasting(*ends_of, date, span)
        return self._keep_time(there, lambda one: one.is_in(date), "", span)

    def _timed(self, columns: Sequence[int]) -> list[int]:
        """Return the columns of dates that the question speaks of: by a word of a head, or by "began" for "From"."""
        said = {stem(word) for word in tokens(self.text)}
        ends = self._ends(columns)
        if ends is not None and bool(said & _BEGINNING) != bool(said & _ENDING):
            return [ends[0] if said & _BEGINNING else ends[1]]
        return [at for at in columns if self.table.words(at) & stems_of(self.text)]

    def _ends(self, columns: Sequence[int]) -> tuple[int, int] | None:
        """Return the columns of when something began and when it ended; None where there are no such two."""
        heads = {at: {stem(word) for word in tokens(self.table.heads[at])} for at in columns}
        begun = [at for at in columns if heads[at] & _BEGINNING]
        ended = [at for at in columns if heads[at] & _ENDING]
        return (begun[0], ended[0]) if len(begun) == len(ended) == 1 else None

    def _keep_lasting(self, begun: int, ended: int, date: Date, span: tuple[int, int]) -> bool:
        """Keep the rows that a date lies in, between the one in which each began and the one in which it ended."""

        def is_held(row: Row) -> bool:
            first, last = (next(iter(dates(row.cells[at])), None) for at in (begun, ended))
            return first is not None and date.lies_between(first, last or _LAST)

        heads = self.table.heads
        self.kept.rows = [row for row in self.kept.rows if is_held(row)]
        self.kept.by.append(f"{heads[begun]}–{heads[ended]}: {self.text[date.start : date.end]}")
        self.kept.columns += [begun, ended]
        self.kept.is_plain = False
        self.used.append(span)
        return True

    def _keep_time(self, columns: list[int], held: Callable[[Date], bool], words: str, span: tuple[int, int]) -> bool:
        there = [at for at in columns if any(map(held, self._dates(at)))]
        if len(there) != 1:
            return not columns and bool(self.used)
        at = there[0]
        plain = not words
        if plain:
            same = {cell for cell in self.table.column(at) if any(map(held, dates(cell)))}
            words = next(iter(same)) if len(same) == 1 else self.text[slice(*span)]
        is_range = not words.startswith(("from ", "until ", "after ", "before "))
        said = words if is_range else f"{self.table.heads[at]}: {words}"
        self.kept.keep(at, said, lambda cell: any(map(held, dates(cell))), self.table.heads, plain=plain)
        self.used.append(span)
        return True

    def _dates(self, at: int) -> Iterator[Date]:
        return (date for cell in self.table.column(at) for date in dates(cell))

    def _marked(self, at: int) -> bool:
        """Keep the rows of the numbers behind a head's noun: "plots 7 and 19"."""
        keys = self.table.words(at)
        if len(keys) != 1:
            return False
        marks = labels(next(iter(keys)), self.text)
        held = [row for row in self.kept.rows if row.cells[at].upper() in marks]
        if not held:
            return False
        named = list(dict.fromkeys(row.cells[at] for row in held))
        self._use(word for mark in marks for word in (mark, *keys))
        said = "”, “".join(f"{self.table.heads[at]} {cell}" for cell in named)
        self.kept.keep(at, said, lambda cell: cell.upper() in marks, self.table.heads, plain=True)
        return True

    def _flagged(self, at: int) -> bool:
        """Keep the rows that say yes, or no, to what a head says: "that have not paid"."""
        if not self.table.is_flag(at):
            return False
        column = {cell.lower() for cell in self.table.column(at)}
        keys = frozenset(stems(UNIT.sub("", self.table.heads[at])))
        doc = parsed(self.text)
        said = [token for token in doc if self._says(token, keys)]
        if not said or {key for token in said for key in keys if self._says(token, {key})} != keys:
            return False
        is_no = _is_denied(said[0]) or all(
            stem(token.text) not in keys and stem(token.lemma_) not in keys for token in said
        )
        wanted = _NO if is_no else _YES
        if not column & wanted:
            wanted = wanted | {""}  # a column of ticks alone: an empty cell says no
        if self.asked.kind == q.YES_NO:
            self.kept.flag = None if is_no else at
            self.used += [(token.idx, token.idx + len(token.text)) for token in said]
            return True
        shown = next((cell for cell in self.table.column(at) if cell.lower() in wanted), "")
        words = f"{self.table.heads[at]}: {shown or 'empty'}"
        self.kept.keep(at, words, lambda cell: cell.lower() in wanted, self.table.heads)
        self.used += [(token.idx, token.idx + len(token.text)) for token in said]
        return True

    def _says(self, token: Token, keys: Iterable[str]) -> bool:
        """Return whether a word says one of some stems: itself, with "un" before it, or its verb where denied."""
        key = stem(token.text)
        bare = key.removeprefix("un").removeprefix("non")
        parts = set(stems(token.text))
        of_verb = {stem(form) for form in keys} & {key, bare} or parts & set(keys)
        return bool(of_verb) or (
            token.pos_ == "VERB" and _is_denied(token) and any(_is_past_of(token, one) for one in keys)
        )

    def _named(self, at: int) -> bool:
        """Keep the rows whose cell in a column the question names, or those with another where it says "not"."""
        wanted = stems_of(self.text)
        column = {cell: keys for cell in self.table.column(at)
                  if (keys := stems_of(cell)) and keys <= wanted and number(cell) is None}  # fmt: skip
        most = max(map(len, column.values()), default=0)
        named = [cell for cell, keys in column.items() if len(keys) == most]
        parts = {row.cells[at] for row in self.table.rows if not row.is_total}
        named = [cell for cell in named if cell in parts] or named  # "the total of North" names no row of totals
        if not named or not any(row.cells[at] in named for row in self.kept.rows):
            return False
        keys = frozenset(key for cell in named for key in column[cell])
        if _is_named_denied(self.text, keys):
            self.kept.keep(at, f"{self.table.heads[at]}: not {', '.join(named)}",
                           lambda cell: bool(cell) and cell not in named, self.table.heads)  # fmt: skip
        else:
            self.kept.keep(at, "”, “".join(named), lambda cell: cell in named, self.table.heads, plain=True)
        self._use(keys)
        return True

    def _by_part_of_a_name(self) -> None:
        """Keep the rows that have all words of a name of the question among others: "Lambert" for "Piers Lambert"."""
        for name in self.asked.names:
            keys = stems_of(name)
            start = self.text.find(name)
            if not keys or self._is_used(start, start + len(name)):
                continue
            columns = [at for at in range(len(self.table.heads)) if at not in self.kept.columns
                       and any(keys <= stems_of(row.cells[at]) for row in self.kept.rows)]  # fmt: skip
            if len(columns) == 1:
                held = list(dict.fromkeys(cell for cell in self.table.column(columns[0]) if keys <= stems_of(cell)))
                self.kept.keep(columns[0], "”, “".join(held), partial(_has_words, keys),
                               self.table.heads, plain=True)  # fmt: skip
                self._use(keys)

    def _by_some_words(self) -> None:
        """Keep the rows whose cell in a column has words of the question among others: "hall rent", "nuts"."""
        there = self._there() | _LITTLE | {stem(self.asked.head)}
        wanted = {key for key in stems_of(self._unused()) if key.isalpha() and key not in there}
        for at in range(len(self.table.heads)):
            if self.table.is_numbers(at) or self.table.is_dates(at) or self.table.is_flag(at):
                continue
            keys = frozenset[str]().union(*(stems_of(row.cells[at]) & wanted for row in self.kept.rows))
            held = [row for row in self.kept.rows if keys <= stems_of(row.cells[at])]
            if keys and held and len(held) < len(self.kept.rows):
                said = " ".join(dict.fromkeys(word for word in tokens(self.text) if stem(word) in keys))
                self.kept.keep(at, said, partial(_has_words, keys), self.table.heads, plain=True)
                self._use(keys)
                wanted -= keys

    def _use(self, words: Iterable[str]) -> None:
        keys = {*map(stem, words)}
        self.used += [match.span() for match in re.finditer(r"\w+(?:[-’'.]\w+)*", self.text) if stem(match[0]) in keys]

    def _is_used(self, start: int, end: int) -> bool:
        return any(first < end and start < last for first, last in self.used)

    def _unused(self) -> str:
        text = self.text
        for first, last in self.used:
            text = text[:first] + "_" * (last - first) + text[last:]
        return text

    def _there(self) -> set[str]:
        """Return the stems of what the table says of itself: its heads with their units, and its title."""
        there = {key for text in (*self.table.heads, self.table.title) for key in stems(text)}
        return there | {stem(word) for at in range(len(self.table.heads)) for word in self.table.unit(at)}

    def _names_another(self) -> bool:
        """Return whether a name or a number of the question is in no row, nor in the heads or the title."""
        there = self._there()
        for name in (*self.asked.names, *self.asked.numbers):
            words = tokens(name)
            last = self.text.find(words[-1]) if words else 0
            if words and not words[-1][0].isdigit() and self._is_used(last, last + len(words[-1])):
                start = self.text.find(name)
                self.used.append((start, start + len(name)))  # a row has the last name alone
                continue
            for word in words:
                at = self.text.find(word)
                if is_content(word) and stem(word) not in there and not self._is_used(at, at + len(word)):
                    return True
        return not self.kept.rows and self.kept.is_plain

    def _left_over(self) -> None:
        """Find the words of the question that nothing in the table holds, and those among them that narrow the rows."""
        there = self._there() | _LITTLE
        nouns = frozenset().union(*(measured(word)[0] for word in [self.asked.head, *tokens(self.text.lower())]))
        doc = parsed(self.text)
        for token in doc:
            word = token.text
            key = stem(word)
            is_new = token.pos_ in {"NOUN", "PROPN", "VERB", "ADJ", "NUM"} and is_content(word) and len(word) > 1
            known = key in there or stem(token.lemma_) in there or key in nouns or word.lower() in QUALITIES
            known = known or any(_kin(key, other) for other in there) or token.tag_ in {"JJR", "JJS", "RBR", "RBS"}
            known = known or key in _BEGINNING | _ENDING
            if not is_new or known or self._is_used(token.idx, token.idx + len(word)):
                continue
            self.kept.rest.append(word)
            if token.pos_ == "VERB" and token.dep_ in {"ROOT", "ccomp"}:
                self.kept.acts.append(word)
            is_asked = key == stem(self.asked.head) and not (
                q.kind_of(self.asked.head) == q.PERSON and person_column(self.table) is not None
            )
            if is_asked or _narrows(token):
                self.kept.left.append(word)


def _narrows(token: Token) -> bool:
    """Return whether a word stands in what narrows a noun: "with a diesel engine", "that smoke"."""
    return any(one.dep_ in _NARROWING for one in (token, *token.ancestors))


def _kin(key: str, other: str) -> bool:
    """Return whether two stems are likely of one root, as "keeper" and "keep"."""
    return min(len(key), len(other)) >= 4 and (key.startswith(other) or other.startswith(key))


def _is_denied(token: Token) -> bool:
    """Return whether a word is negated: by "un" before it, or by "not" or "without" close before, in its clause."""
    if _UN.match(token.lower_):
        return True
    for i in range(token.i - 1, max(-1, token.i - 1 - _BACK), -1):
        before = token.doc[i].lower_
        if before in _DENYING:
            return True
        if before in _CLAUSE:
            return False
    return False


def _is_past_of(token: Token, key: str) -> bool:
    """Return whether a head is the past form of a verb: "paid" of "pay", "signed" of "sign"."""
    past = parsed(f"It was {key}.")[2]
    return past.lemma_.lower() == token.lemma_.lower()


def _is_named_denied(text: str, keys: Collection[str]) -> bool:
    doc = parsed(text)
    first = next((token for token in doc if stem(token.text) in keys), None)
    return first is not None and _is_denied(first) and not _UN.match(first.lower_)


def _has_words(keys: frozenset[str], cell: str) -> bool:
    return keys <= stems_of(cell)


def _is_between(low: float, high: float, one: float) -> bool:
    return low <= one <= high


def _within(there: Iterable[int], others: Iterable[int]) -> list[int]:
    known = set(others)
    return [at for at in there if at in known]


def _is_year(text: str) -> bool:
    return re.fullmatch(r"1[5-9]\d\d|20\d\d", text) is not None
