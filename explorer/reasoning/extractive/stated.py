"""Whether a quotation states outright what was asked: only such an answer is sure.

Asked of answers that are strong and lack nothing. One sentence, with the headings and the title above it and the
sentence before, must have every word of the question, in some form, and what is asked for: a person, a time, a place, a
number that counts its noun, a cause or a way that is named as one.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from explorer.language import questions as q
from explorer.language import spelling
from explorer.language.pipeline import parsed
from explorer.language.words import stem, stem_set, tokens
from explorer.reasoning.extractive.features import NEGATION
from explorer.reasoning.extractive.kinds import asks_count, counts_just, tells
from explorer.reasoning.extractive.lines import PRONOUN
from explorer.reasoning.extractive.matching import Line

if TYPE_CHECKING:
    from explorer.language.questions import Question
    from explorer.reasoning.extractive.features import Features
    from explorer.reasoning.extractive.matching import Match

_BY_ENTITY = frozenset({q.PERSON, q.TIME, q.NUMBER, q.PLACE})
_KIN = 5  # first letters that two forms of a word share
_CERTAIN = 0.9  # of a named entity: of the kind that is asked for
_LIKELY = 0.6  # of a person: a firm or a group may have done it
_WAY = re.compile(
    r"\b(?:by (?:means|way) of|by (?:\w+ly )?\w+ing|using|via|through|with the (?:help|aid) of)\b", re.IGNORECASE
)
_ADVICE = re.compile(
    r"\b(?:you|we|users?|one) (?:can|could|may|should|must|need to|have to|will need to)\b", re.IGNORECASE
)
_COMPARED = re.compile(r"\b(?:than|compared (?:with|to)|as against|as opposed to|unlike)\b[^.;]*", re.IGNORECASE)
_ASIDE = re.compile(r"\([^()]*\)")
_EMPTY = frozenset("be have do become happen occur go get exist take cause make know mean call name".split())


def is_stated(asked: Question, found: Features, lines: Sequence[Line]) -> bool:
    """Return whether one of the lines states what was asked, and no other one states another number for it."""
    match = found.match
    stating = [line for line in lines if _says_all(asked, match, line) and _has_answer(asked, found, line)]
    told = {match.numbers_there[match.lines.index(line)] - match.numbers for line in stating}
    return bool(stating) and (asked.kind not in {q.NUMBER, q.TIME} or len(told) == 1)


def _says_all(asked: Question, match: Match, line: Line) -> bool:
    """Return whether a line, what stands above it, or the line before it has all words of a question."""
    if NEGATION.search(asked.text) and not NEGATION.search(match.text(line)):
        return False
    goes_on = PRONOUN.match(match.text(line)) is not None
    before = [match.text(one) for one in match.lines if goes_on and one == Line(line.passage, line.number - 1)]
    said = [_ASIDE.sub(" ", match.text(line)), *before, *match.titles_of([line])]
    there = {key for text in said for key in stem_set(text)} | {stem(one.lemma_) for one in parsed(said[0])}
    left_open = {stem(word) for word in (asked.head, *_EMPTY, *q.NOUNS) if word} if asked.kind != q.THING else {
        stem(word) for word in _EMPTY}  # fmt: skip
    return all(key in left_open or _is_said(key, there, match) for key in match.keys)


def _is_said(key: str, there: Collection[str], match: Match) -> bool:
    word = match.written(key)
    return (key in there or stem(match.spelt.get(word, word)) in there or any(_is_form(key, other) for other in there)
            or spelling.meant(key, there) is not None)  # fmt: skip


def _is_form(key: str, other: str) -> bool:
    """Return whether two stems are likely of one root, as "investig" and "investigator"."""
    return len(key) >= _KIN and key[:_KIN] == other[:_KIN] and (key.startswith(other) or other.startswith(key))


def _has_answer(asked: Question, found: Features, line: Line) -> bool:
    """Return whether a line has what is asked for."""
    match, text = found.match, found.match.text(line)
    at = match.lines.index(line)
    if asks_count(asked) and asked.head and not counts_just(asked, text):
        return False
    if any(number in text and number not in _COMPARED.sub(" ", text) for number in asked.numbers):
        return False
    if asked.kind in _BY_ENTITY:
        return float(found.named("kind")[at]) >= (_LIKELY if asked.kind == q.PERSON else _CERTAIN)
    if asked.kind == q.CAUSE:
        return tells(asked, text, {stem(word): word for word in tokens(asked.text)}) and bool(found.named("cue")[at])
    return asked.kind == q.MANNER and bool(_WAY.search(text) or _ADVICE.search(text))
