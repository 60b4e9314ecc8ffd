"""Questions that compare two named things: what the passages say of each, put side by side by a rule."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from explorer.language import questions as q
from explorer.language.words import is_content, stem, tokens
from explorer.reasoning.extractive.features import Line

if TYPE_CHECKING:
    from explorer.language.questions import Question
    from explorer.reasoning.protocol import ReadPassage, SourceSentence

_EARLIER = re.compile(r"\b(first|earlier|earliest|older|oldest|before|sooner)\b", re.IGNORECASE)
_LATER = re.compile(r"\b(later|latest|last|younger|youngest|newer|newest|after|more recent\w*)\b", re.IGNORECASE)
_YEAR = re.compile(r"\b(1[0-9]{3}|20[0-9]{2})\b")
_SAME = re.compile(r"\b(?:in|of|from|at|have|share|on|with) the same (?P<noun>[a-z]+)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Compared:
    """What was found of both sides: a sentence that puts them side by side, the rule, and the lines it rests on."""

    text: str
    rule: str
    lines: tuple[Line, ...]


def compared(question: Question, passages: Sequence[ReadPassage]) -> Compared | None:
    """Return the comparison of the two things that a question names; None where it compares none, or one lacks.

    Rules: of which came first (or last) the year that the passage on each names first, with the same verb where the
    question has one; of the same X the name that stands beside the X in the passage on each.
    """
    sides = _sides(question)
    if sides is None:
        return None
    if same := _SAME.search(question.text):
        return _same(sides, same["noun"], passages)
    earlier, later = _EARLIER.search(question.text), _LATER.search(question.text)
    if question.kind != q.CHOICE or not (earlier or later):
        return None
    verbs = {stem(word) for word in tokens(question.text) if is_content(word)} - _stems(" ".join(sides))
    found = [_year(side, verbs, passages) for side in sides]
    if found[0] is None or found[1] is None or found[0][0] == found[1][0]:
        return None
    years = [one[0] for one in found if one is not None]
    first = 0 if years[0] < years[1] else 1
    named = sides[first] if earlier else sides[1 - first]
    word = (earlier or later or [""])[0].lower()
    text = f"{sides[0]} {years[0]}, {sides[1]} {years[1]}: {named} {word}."
    rule = "a comparison of two things by the year that their passages name"
    return Compared(text, rule, tuple(one[1] for one in found if one))


def _sides(question: Question) -> tuple[str, str] | None:
    """Return the two names that a question sets side by side with "or" or "and"."""
    text = question.text.rstrip("?.! ")
    for one in question.names:
        for other in question.names:
            between = r"[\"”']*,? (?:or|and) (?:the |a )?[\"“']*"
            if one != other and re.search(f"{re.escape(one)}{between}{re.escape(other)}", text):
                return one, other
    return None


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in tokens(text) if is_content(word))


def _about(side: str, passages: Sequence[ReadPassage]) -> list[tuple[Line, SourceSentence]]:
    """Return the sentences of the passage on one side: the one whose title is its name, else that names it first."""
    wanted = _stems(side)
    titled = [p for p, one in enumerate(passages) if _stems(re.sub(r"\s*\([^()]*\)$", "", one.title)) == wanted]
    named = [p for p, one in enumerate(passages) if one.sentences and wanted <= _stems(one.sentences[0].text)]
    for p in [*titled, *named][:1]:
        return [(Line(p, n), sentence) for n, sentence in enumerate(passages[p].sentences)]
    return []


def _year(side: str, verbs: set[str], passages: Sequence[ReadPassage]) -> tuple[int, Line] | None:
    """Return the year that the passage on a side names, in the sentence that shares most with what is asked."""
    found = [(len(verbs & _stems(sentence.text)), line, year) for line, sentence in _about(side, passages)
             if (year := _YEAR.search(sentence.text))]  # fmt: skip
    if not found:
        return None
    _, line, year = max(found, key=lambda one: (one[0], -one[1].number))
    return int(year[1]), line


def _same(sides: tuple[str, str], noun: str, passages: Sequence[ReadPassage]) -> Compared | None:
    """Return whether the name beside a noun is the same for both sides."""
    beside = re.compile(rf"(?P<a>(?:[A-Z][\w-]+ )+){noun}\b|\b{noun} of (?P<b>[A-Z][\w-]+(?: [A-Z][\w-]+)*)")
    found = []
    for side in sides:
        match = next(((match, line) for line, sentence in _about(side, passages)
                      if (match := beside.search(sentence.text))), None)  # fmt: skip
        if match is None:
            return None
        found.append(((match[0]["a"] or match[0]["b"]).strip(), match[1]))
    is_same = stem(found[0][0]) == stem(found[1][0])
    said = "the same" if is_same else "not the same"
    text = f"{sides[0]} {found[0][0]} {noun}, {sides[1]} {found[1][0]} {noun}: {said}."
    rule = f"a comparison of two things by the {noun} that their passages name"
    return Compared(text, rule, tuple(line for _, line in found))
