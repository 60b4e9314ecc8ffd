"""What no single row of a table says: which has the highest or lowest number of a column, and what a column sums to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from explorer.language import questions as q
from explorer.language.dates import dates
from explorer.language.headings import plain
from explorer.language.sentences import cells, is_row, without_mark
from explorer.language.words import content_parts, content_stems, stem, stem_set
from explorer.models.embedding import Embedder, cosines
from explorer.reasoning.extractive.lines import heads, is_spoken
from explorer.reasoning.extractive.matching import Line, numbers
from explorer.reasoning.extractive.vocabulary import has_digit, vocabulary

if TYPE_CHECKING:
    from explorer.language.questions import Question
    from explorer.reasoning.protocol import ReadPassage

CELL = "a cell of a table"
"""The rule by which rows are quoted whole."""
MOST = 24
"""Rows that a sum shows."""
_GAP = 4  # code points between two pieces of a table
_LIKE = 0.1  # cosine of a head to a question that has no word of any head
_NEAR = 0.4  # cosine of word vectors from which a word above a table may mean what is asked for
_ALIKE, _FEWEST = 3, 2  # rows that one cell is asked of, at most; and of which there is a highest number or a sum
_NOTHING = re.compile(r"\W*(?:[nN]\W[aA]|NA)?\W*")
_UNIT = re.compile(r"\s*[(\[][^()\[\]]*[)\]]|\s*\b\d{4}\b")
_LOW = "lowest least fewest smallest minimum shortest lightest coldest coolest cheapest weakest earliest".split()
_EXTREME = re.compile(
    rf"\b(?:(?P<low>{'|'.join(_LOW)})|highest|most|largest|biggest|greatest|maximum|longest|heaviest|hottest|warmest|"
    r"dearest|tallest|deepest|strongest|oldest|latest)\b", re.IGNORECASE
)  # fmt: skip
_SUM = re.compile(r"\b(?:total|sum of|altogether|together|in all|overall)\b", re.IGNORECASE)
_FIGURES = re.compile(r"\b(?:total|sum|number|amount|figure|value|quantity)s?\b", re.IGNORECASE)
_NARROWED = re.compile(
    r"\b(?:than|after|before|between|since|until|from|not|no|without|except|un[a-z]{4,}|each|every|per)\b|n[’']t\b",
    re.IGNORECASE,
)
_TOTAL = re.compile(r"(?:(?:grand|overall) )?totals?|sums?|sub-?total.*", re.IGNORECASE)
_VALUE = re.compile(
    r"[^\w\d.+−-]{0,2}\s?(?P<sign>[-−])?(?P<digits>\d{1,3}(?:[,' \u202f]\d{3})+(?:\.\d+)?|\d+(?:[.,]\d+)?)"
    r"\s?[^\W\d]{0,4}[²³%]?\W{0,2}"
)


_Row = tuple[Line, Sequence[str]]


@dataclass(frozen=True, slots=True)
class Reckoned:
    """What a table comes to: in words, with the rows that it rests on, by which rule; of a cell its row says all.

    `above`: what stands above the table.
    """

    text: str
    lines: tuple[Line, ...]
    rule: str
    above: str = ""

    def stands_below(self, text: str) -> bool:
        """Return whether a text stands above the table: that is what it is, and not what one of its rows says."""
        return plain(text) in self.above


@dataclass(frozen=True, slots=True)
class _Table:
    heads: Sequence[str]
    rows: Sequence[_Row]
    title: str  # and what else stands above it
    is_whole: bool


def reckoned(asked: Question, passages: Sequence[ReadPassage], embedder: Embedder) -> Reckoned | None:
    """Return what one table says of the rows that a question names, or of all: that with most of the question.

    None where no column is asked for, or several tables have as much. What a condition narrows, as "after 2010", is not
    reckoned.
    """
    if asked.kind in {q.CAUSE, q.MANNER, q.YES_NO} or _NARROWED.search(asked.text):
        return None
    known = stem_set(asked.text)
    found = [(len(known & stem_set(" ".join([table.title, *table.heads]))), replace(one, above=table.title))
             for table in _tables(passages) if (one := _reckoned(asked, table, embedder)) is not None]  # fmt: skip
    most = max((words for words, _ in found), default=0)
    best = [one for words, one in found if words == most]
    return best[0] if len(best) == 1 else None


def _reckoned(asked: Question, table: _Table, embedder: Embedder) -> Reckoned | None:
    extreme = _EXTREME.search(asked.text)
    is_sum = extreme is None and _SUM.search(asked.text) is not None
    rows = [(line, row) for line, row in table.rows if not _TOTAL.fullmatch(row[0].strip(" :*–-"))]
    named = _named(asked, rows)
    columns = _columns(asked, table, rows, embedder, is_number=is_sum or extreme is not None)
    texts = [table.title, *table.heads, *(cell for _, row in named for cell in row)]
    if not columns or not _have_all((*asked.names, *asked.numbers), asked, texts):
        return None
    if extreme is None and not is_sum:
        above, beside = [table.title, *table.heads], [cell for _, row in rows for cell in row]
        lines = tuple(line for line, row in named if any(row[at] for at in columns)
                      and not _is_elsewhere(asked, [*above, *row], beside))  # fmt: skip
        said = ", ".join(f"“{table.heads[at]}”" for at in columns)
        return Reckoned("", lines, f"{CELL}: {said}") if 0 < len(lines) <= _ALIKE else None
    at, *others = columns
    if others:
        return None
    head = table.heads[at]
    among = named or rows
    valued = [(value, line) for line, row in among if (value := number(row[at])) is not None]
    if len(valued) < max(_FEWEST, len(among)) or not table.is_whole:
        return None
    of = f"“{head}” of {len(valued):,} rows"
    if extreme is not None:
        best = (min if extreme["low"] else max)(value for value, _ in valued)
        held, kind = [line for value, line in valued if value == best], "lowest" if extreme["low"] else "highest"
        return Reckoned(f"The {kind} {of}:", tuple(held[:MOST]), f"the {kind} number in a column of a table")
    if len(valued) > MOST:
        return None
    total = round(sum(value for value, _ in valued), 6)
    return Reckoned(f"{total:,.10g}: the sum of {of}:", tuple(line for _, line in valued), "the sum of a column")


def _named(asked: Question, rows: Sequence[_Row]) -> list[_Row]:
    """Return the rows of which the question names most cells: by all words, by a date, or by a part of a name."""
    said, when = stem_set(asked.text), {date[:3] for date in dates(asked.text)}
    names = [content_stems(name) for name in asked.names]

    def is_named(cell: str) -> bool:
        own = stem_set(cell)
        if any(date[:3] in when for date in dates(cell)):
            return True
        return number(cell) is None and bool(own) and (own <= said or any(name and name <= own for name in names))

    counts = [sum(map(is_named, row)) for _, row in rows]
    most = max(counts, default=0)
    return [row for row, count in zip(rows, counts, strict=True) if count == most > 0]


def may_tell(asked: Question, passage: ReadPassage, at: int, embedder: Embedder) -> bool:
    """Return whether a line may answer: of a row of a table the numbers and names of a question, and what it asks for,
    stand in it or above it; what only says what a table is tells nothing of its rows.
    """
    text, over = passage.sentences[at].text, [passage.title, *passage.over(at), *heads(passage, at)]
    if not is_row(text):
        caption = "".join(passage.captions[at : at + 1])
        is_whole = is_spoken(text) and text.rstrip().endswith((".", "!", "?"))
        return not caption or is_whole or plain(text) not in caption
    if _NARROWED.search(asked.text):
        return True
    names = [one for name in asked.names for one in content_stems(name)]
    there = stem_set(" ".join([*over, text]))
    are_named = not names or any(one in there for one in names)
    others = [" ".join([*passage.over(n), one.text]) for n, one in enumerate(passage.sentences) if is_row(one.text)]
    said = [*over, text]
    is_about = _is_about(asked, said, [], embedder) and not _is_elsewhere(asked, said, others)
    return are_named and _have_all(asked.numbers, asked, said) and is_about


def is_blank(asked: Question, passage: ReadPassage, at: int) -> bool:
    """Return whether a row has nothing in the columns that a question names: by their whole heads, else by a year.

    A cell that the question says is not asked for; a row with empty cells that has no others has nothing. Neither has
    one that has but numbers and dates beside, where a person is asked for.
    """
    columns = heads(passage, at) if is_row(passage.sentences[at].text) else []
    row, known, when = cells(passage.sentences[at].text, len(columns)), stem_set(asked.text), _years(asked.text)
    own = [stem_set(cell) for cell in row]
    if columns and asked.kind != q.YES_NO and not all(own) and all(one <= known for one in own):
        return True
    if (
        columns
        and asked.kind == q.PERSON
        and all(one <= known or _is_value(cell) for one, cell in zip(own, row, strict=True))
    ):
        return True
    bare = {at: _UNIT.sub("", head) for at, head in enumerate(columns) if at and head and not (
        frozenset() < frozenset().union(*own[at : at + 1]) <= known)}  # fmt: skip
    said = [at for at, head in bare.items() if head and (
        re.search(rf"\b{re.escape(head)}\b", asked.text, re.IGNORECASE) or frozenset() < content_stems(head) <= known)
    ]  # fmt: skip
    said = [at for at in said if not any(content_stems(bare[at]) < content_stems(bare[one]) for one in said)]
    years = {at: _years(columns[at]) for at in said or [at for at, head in bare.items() if not head]}
    named = [at for at, own in years.items() if own & when] or [at for at, own in years.items() if said and not own]
    return bool(named) and all(map(_NOTHING.fullmatch, (cell for at, cell in enumerate(row) if at in named)))


def _have_all(wanted: Iterable[str], asked: Question, texts: Sequence[str]) -> bool:
    """Return whether names and numbers of a question stand in some texts, or are dates in them."""
    there = frozenset[str]().union(*map(stem_set, texts), *map(numbers, texts))
    when = {date[:3] for text in texts for date in dates(text)}
    left = asked.text
    for date in reversed(dates(asked.text)):
        left = left[: date.start] + left[date.end :] if date[:3] in when else left
    return all(stem_set(one) <= there for one in wanted if re.search(rf"(?<!\w){re.escape(one)}(?!\w)", left))


def _columns(asked: Question, table: _Table, rows: Sequence[_Row], embedder: Embedder, *, is_number: bool) -> list[int]:
    """Return the columns that a question asks for: by the words of their heads and the year in them, by the year alone
    where what stands above the table is asked for, else the one whose head is most like the question.

    Of a question with a year no column is one that has another in its head.
    """
    known, when = stem_set(asked.text), _years(asked.text)
    heads = {at: head for at, head in enumerate(table.heads) if head and (not is_number or (
        at > 0 and any(number(row[at]) is not None for _, row in rows)))}  # fmt: skip
    bare = {at: content_stems(_UNIT.sub("", head)) for at, head in heads.items()}
    shares = {at: len(own & known) / len(own) for at, own in bare.items() if own}
    years = {at: _years(head) for at, head in heads.items()}
    best = [at for at, share in shares.items() if at and share and share == max(shares.values())]
    of_years = [at for at, head in heads.items() if at and years[at] and not bare[at]]
    if best:
        return [at for at in best if years[at] & when] or [at for at in best if not (when and years[at])]
    if when and of_years:
        own = [table.heads, *(row for _, row in rows)]
        return [at for at in of_years if years[at] & when] if _is_about(asked, [table.title], own, embedder) else []
    heads = {at: head for at, head in heads.items() if at and not (when and years[at] and not years[at] & when)}
    if not heads:
        return []
    near = cosines(embedder.embed([_UNIT.sub("", head) for head in heads.values()]), embedder.embed([asked.text]))
    likeness = dict(zip(heads, near[:, 0].tolist(), strict=True))
    at = max(heads, key=lambda one: likeness[one])
    return [at] if likeness[at] >= _LIKE else []


def _is_value(cell: str) -> bool:
    """Return whether a cell holds a number or a date, and no name."""
    return number(cell) is not None or [cell.strip()] == [cell[date.start : date.end] for date in dates(cell)]


def _years(text: str) -> set[int]:
    return {date.year for date in dates(text) if date.year}


def _is_about(asked: Question, said: Sequence[str], rows: Iterable[Sequence[str]], embedder: Embedder) -> bool:
    """Return whether some texts have what a question asks for, or a word near it."""
    wanted, there = _wanted(asked, rows), content_parts(" ".join(said))
    if not wanted or {*map(stem, wanted)} & {*map(stem, there)}:
        return True
    known = vocabulary(embedder)
    near = cosines(*(known.vectors(known.numbers(word.lower() for word in words)) for words in (wanted, there)))
    return bool(there) and float(near.max()) >= _NEAR


def _is_elsewhere(asked: Question, said: Sequence[str], others: Iterable[str]) -> bool:
    """Return whether other rows have just the words of what a question asks for, and some texts have none of them."""
    wanted = {*map(stem, _wanted(asked, []))}
    return wanted.isdisjoint(stem_set(" ".join(said))) and not wanted.isdisjoint(stem_set(" ".join(others)))


def _wanted(asked: Question, rows: Iterable[Sequence[str]]) -> list[str]:
    """Return what a question asks for: its head, else other words of it.

    A word that is a name or stands in a row, or only says that it is a number, is not asked for.
    """
    cells = (cell for row in rows for cell in row)
    others = frozenset[str]().union(*map(stem_set, [*asked.names, *asked.numbers, *cells]))
    words = [word for word in content_parts(_FIGURES.sub(" ", _EXTREME.sub(" ", asked.text))) if not has_digit(word)]
    wanted = [word for word in words if stem(word) not in others]
    return [word for word in wanted if asked.head and stem(word) == stem(asked.head)] or wanted


def _tables(passages: Sequence[ReadPassage]) -> Iterator[_Table]:
    """Yield the tables that some passages hold whole, the pieces of one together."""
    pieces: dict[tuple[str, ...], dict[int, list[_Row]]] = {}
    for p, passage in enumerate(passages):
        for n, sentence in enumerate(passage.sentences):
            above = heads(passage, n) if is_row(sentence.text) else []
            row = cells(sentence.text, len(above)) if above else []
            if above and row != above and len(row) == len(above):
                key = (passage.document or passage.chunk, " ".join([passage.title, *passage.over(n)]), *above)
                pieces.setdefault(key, {}).setdefault(p, []).append((Line(p, n), row))
    for key, found in pieces.items():
        order = sorted(found, key=lambda p: passages[p].start or 0)
        rows = {tuple(row): (line, row) for p in order for line, row in found[p]}
        is_whole = _is_whole([passages[p] for p in order])
        yield _Table([*map(without_mark, key[2:])], [*rows.values()], key[1], is_whole)


def _is_whole(pieces: Sequence[ReadPassage]) -> bool:
    """Return whether the pieces of a table are all of it: it begins within the first, and ends with the last."""
    first = pieces[0]
    if any(one.start is None for one in pieces):
        return False
    begins = first.start == 0 or not is_row(first.text.lstrip().partition("\n")[0])
    ends = [(one.start or 0) + len(one.text) for one in pieces]
    joined = all((two.start or 0) - end <= _GAP for end, two in zip(ends, pieces[1:], strict=False))
    return begins and joined and not is_row(pieces[-1].after.lstrip().partition("\n")[0])


def number(cell: str) -> float | None:
    """Return the number that a cell holds; None where it holds anything else."""
    found = _VALUE.fullmatch(cell.strip())
    if found is None:
        return None
    digits = re.sub(r"[' \u202f]|,(?=\d{3})", "", found["digits"]).replace(",", ".")
    return float(digits) * (-1 if found["sign"] else 1)
