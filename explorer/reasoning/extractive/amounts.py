"""Which of two amounts is the lower: "Which quote is cheaper?" where one says £2,310 and another £1,960."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from explorer.language import questions as q
from explorer.language.words import is_content, stem, tokens
from explorer.reasoning.extractive.comparing import Put
from explorer.reasoning.extractive.lines import is_spoken
from explorer.reasoning.extractive.units import units_of, value

if TYPE_CHECKING:
    from explorer.language.questions import Question
    from explorer.reasoning.extractive.matching import Line
    from explorer.reasoning.protocol import ReadPassage

_LOW = "cheaper lighter smaller shorter lower less slower colder cooler thinner narrower shallower quieter cheapest"
_HIGH = (
    "dearer pricier heavier larger bigger longer higher more faster hotter warmer thicker wider deeper taller stronger"
)
_WHICH = re.compile(
    rf"\b(?:(?P<low>(?:less|least) expensive|less|{_LOW.replace(' ', '|')})|(?P<high>(?:more|most) expensive|"
    rf"{_HIGH.replace(' ', '|')}))\b", re.IGNORECASE
)  # fmt: skip
_MONEY = frozenset("cheaper cheapest expensive dearer pricier".split())
_MEASURES = {  # units that a word compares, the first of each kind
    **dict.fromkeys(("lighter", "heavier"), "kg g t lb"),
    **dict.fromkeys(("longer", "shorter"), "m cm mm km ft min h days"),
    **dict.fromkeys(("faster", "slower"), "km/h mph"),
    **dict.fromkeys(("warmer", "colder", "hotter", "cooler"), "°c °f"),
    **dict.fromkeys(("thicker", "thinner", "wider", "narrower", "deeper", "shallower", "taller"), "mm cm m ft"),
}  # fmt: skip
_AMOUNT = re.compile(
    r"(?P<sign>[€£$])\s?(?P<money>\d+(?:,\d{3})*(?:\.\d+)?)|(?<![\w.,])(?P<number>\d+(?:,\d{3})*(?:\.\d+)?)\s?"
    r"(?P<unit>[a-z°][\w/]*)", re.IGNORECASE
)  # fmt: skip
_TWO = 2


@dataclass(frozen=True, slots=True)
class _Amount:
    line: Line
    text: str
    value: float
    unit: frozenset[str]


def put_by_amounts(asked: Question, passages: Sequence[ReadPassage], best: Sequence[Line]) -> Put | None:
    """Return which of the only two amounts of one kind in the best lines is the lower, or higher, as is asked.

    None where there are more or fewer, or both are the same.
    """
    which = _WHICH.search(asked.text)
    if which is None or asked.kind not in {q.THING, q.CHOICE, q.PERSON}:
        return None
    word = which[0].lower().split()[-1]
    found = list(_amounts(asked, passages, best, word))
    kinds = {one.unit for one in found}
    if len({one.value for one in found}) != _TWO or len(found) != _TWO or len(kinds) != 1:
        return None
    low, high = sorted(found, key=lambda one: one.value)
    is_low = which["low"] is not None
    one, other = (low, high) if is_low else (high, low)
    said = f"{one.text} is {'less' if is_low else 'more'} than {other.text}:"
    lines = tuple(dict.fromkeys((one.line, other.line)))
    return Put(said, "a comparison of the two amounts of one kind that the lines give", lines, settles=True)


def is_about(asked: Question, passages: Sequence[ReadPassage], put: Put) -> bool:
    """Return whether each line of a comparison, or the one before it, has half of what the question speaks of."""
    keys = {stem(one) for one in tokens(_WHICH.sub(" ", asked.text)) if is_content(one)}
    near = [{stem(word) for one in passages[line.passage].sentences[max(0, line.number - 1) : line.number + 1]
             for word in tokens(one.text)} for line in put.lines]  # fmt: skip
    return all(2 * len(keys & there) >= len(keys) for there in near)


def _amounts(asked: Question, passages: Sequence[ReadPassage], best: Sequence[Line], word: str) -> Iterator[_Amount]:
    """Yield the amounts that a word compares in lines with a word of the question, or beside such a line."""
    units = [units_of(one) for one in _MEASURES.get(word, "").split()]
    keys = {stem(one) for one in tokens(asked.text) if is_content(one) and stem(one) != stem(word)}
    for line in best:
        passage = passages[line.passage]
        text = passage.sentences[line.number].text
        near = " ".join(one.text for one in passage.sentences[max(0, line.number - 1) : line.number + 1])
        if not is_spoken(text) or keys.isdisjoint(map(stem, tokens(near))):
            continue
        for match in _AMOUNT.finditer(text):
            unit = units_of(match["sign"] or match["unit"])
            if (word in _MONEY and match["sign"]) or (unit and unit in units):
                amount = match["money"] or match["number"]
                yield _Amount(line, match[0].strip(), value(amount), unit)
