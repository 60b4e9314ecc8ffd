"""Answers that a rule puts: two things side by side, yes or no, and documents that say different things."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from explorer.language import questions as q
from explorer.language.words import content_stems, stem
from explorer.language.yes_no import Said, says, which
from explorer.reasoning.extractive.lines import is_heading
from explorer.reasoning.extractive.matching import Line

if TYPE_CHECKING:
    from explorer.language.questions import Question
    from explorer.reasoning.protocol import ReadPassage, SourceSentence

_EARLIER = re.compile(r"\b(first|earlier|earliest|older|oldest|before|sooner)\b", re.IGNORECASE)
_LATER = re.compile(r"\b(later|latest|last|younger|youngest|newer|newest|after|more recent\w*)\b", re.IGNORECASE)
_JOINED = re.compile(r" (?:or|and) ")
_YEAR = re.compile(r"\b(1[0-9]{3}|20[0-9]{2})\b")
_LIFE = frozenset(map(stem, "born birth die died death older oldest younger youngest".split()))
_LIVED = re.compile(r"\b(?:born|birth|b\.|died|death)(?!\w)|\([^()]*\d\s*[-–—][^()]*\d\)", re.IGNORECASE)
_BOLD = re.compile(
    r"\s*(?P<mark>\*\*|__)[^*\n]*[^*.!?\n](?P=mark)\s*"
)  # a title, as "I cannot open it" above the advice
_ALIKE = 0.6  # share of the words of two sentences that are in both, where they say different things of the same
_SAME = re.compile(r"\b(?:in|of|from|at|have|share|on|with) the same (?P<noun>[a-z]+)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Put:
    """A sentence that a rule puts before what is quoted, the rule, and the lines it rests on.

    `settles`: the rule answers the question. `differ`: the lines say different things, and their documents are named.
    `is_plain`: the lines say by themselves what the sentence does. `doubt`: what the question says and the rule could
    not heed, so that the answer is related at most.
    """

    text: str
    rule: str
    lines: tuple[Line, ...] = ()
    settles: bool = False
    differ: bool = False
    is_plain: bool = False
    doubt: str = ""


def put_by_rule(question: Question, passages: Sequence[ReadPassage], best: Sequence[Line]) -> Put | None:
    """Return what a rule makes of some passages and the lines that fit best; None where none applies."""
    return (
        compared(question, passages)
        or _yes_or_no(question, passages, best)
        or _one_of_two(question, passages, best)
        or _differing(question, passages, best)
    )


def compared(question: Question, passages: Sequence[ReadPassage]) -> Put | None:
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
    verbs = content_stems(question.text) - content_stems(" ".join(sides))
    found = [_year(side, verbs, passages) for side in sides]
    if found[0] is None or found[1] is None or found[0][0] == found[1][0]:
        return None
    years = [one[0] for one in found if one is not None]
    first = 0 if years[0] < years[1] else 1
    named = sides[first] if earlier else sides[1 - first]
    word = (earlier or later or [""])[0].lower()
    text = f"{sides[0]} {years[0]}, {sides[1]} {years[1]}: {named} {word}."
    rule = "a comparison of two things by the year that their passages name"
    return Put(text, rule, tuple(one[1] for one in found if one), settles=True)


def _yes_or_no(question: Question, passages: Sequence[ReadPassage], best: Sequence[Line]) -> Put | None:
    """Return "yes" or "no" where one sentence says what is asked, or for "both" one of each; else None."""
    if question.kind != q.YES_NO:
        return None
    if sides := _both(question):
        opening = question.text.split(maxsplit=1)[0]
        after = re.split(f"{re.escape(sides[1])}[\"”']*", question.text)[-1]
        rest = re.sub(r"^\s*both\b", "", after).strip()
        found = [_said(f"{opening} {side} {rest}", passages, [line for line, _ in _about(side, passages)])
                 for side in sides]  # fmt: skip
        said = [one for one in found if one is not None and not one[0].limit]
        if len(said) < len(sides) and all(one.is_so for one, _ in said):
            return None
        answer = "Yes, both:" if all(one.is_so for one, _ in said) else "No, not both:"
        rule = "yes or no, by a sentence on each of the two"
        return Put(answer, rule, tuple(line for _, line in said), settles=True)
    found_one = _said(question.text, passages, best)
    if found_one is None:
        return None
    one, line = found_one
    rule = "yes or no, by a sentence that says so of the same subject"
    return Put(f"{_spoken(one)}:", rule, (line,), settles=True)


def _spoken(said: Said) -> str:
    """Return yes or no with what limits it: "Not on Sundays", "Only with a badge"."""
    if not said.limit:
        return "Yes" if said.is_so else "No"
    if said.is_so:
        return f"{said.limit[0].upper()}{said.limit[1:]}" if said.limit.startswith("only ") else f"Yes, {said.limit}"
    return f"No, {said.limit}" if said.limit.startswith("except") else f"Not {said.limit}"


def _one_of_two(question: Question, passages: Sequence[ReadPassage], best: Sequence[Line]) -> Put | None:
    """Return which of the two that a question offers a sentence says is so; None where none says it, or of both."""
    if question.kind not in {q.YES_NO, q.CHOICE}:
        return None
    told = [(passages[line.passage].sentences[line.number].text, _subject(passages[line.passage], line.number))
            for line in best]  # fmt: skip
    found = which(question.text, told)
    if found is None:
        return None
    name, place, said = found
    text = " ".join(filter(None, [f"{name[0].upper()}{name[1:]}", said.limit]))
    return Put(f"{text}:", "one of two, by a sentence that says so of the same subject", (best[place],), settles=True)


def _both(question: Question) -> tuple[str, str] | None:
    return _sides(question) if re.search(r"\bboth\b", question.text, re.IGNORECASE) else None


def _said(question: str, passages: Sequence[ReadPassage], lines: Sequence[Line]) -> tuple[Said, Line] | None:
    """Return what the first of some sentences that says so, or not, says, and which that is; a heading says nothing."""
    for line in lines:
        passage = passages[line.passage]
        if is_heading(passage, line.number) or _BOLD.fullmatch(passage.sentences[line.number].text):
            continue
        said = says(question, passage.sentences[line.number].text, _subject(passage, line.number))
        if said is not None:
            return said, line
    return None


def _subject(passage: ReadPassage, number: int) -> str:
    """Return what a sentence is about that begins with "it": the heading above it, else the document's title."""
    headings = re.findall(r"^#{1,6}[ \t]+(.+)$", passage.text[: passage.sentences[number].start], re.MULTILINE)
    return headings[-1] if headings else passage.title


def _differing(question: Question, passages: Sequence[ReadPassage], best: Sequence[Line]) -> Put | None:
    """Return the sentences of two documents that say the same but for a number, a time or a person asked for."""
    if question.kind not in {q.NUMBER, q.TIME, q.PERSON} or not best:
        return None
    first = best[0]
    of, asked = passages[first.passage], content_stems(question.text)
    here = of.sentences[first.number]
    for line in best[1:]:
        other = passages[line.passage]
        there = other.sentences[line.number]
        one, two = _asked_for(question, here), _asked_for(question, there)
        if other.document == of.document or not _is_other(one, two):
            continue
        left, right = (
            content_stems(here.text) - content_stems(" ".join(one)),
            content_stems(there.text) - content_stems(" ".join(two)),
        )
        if len(left & right) >= _ALIKE * len(left | right) and left & asked == right & asked:
            said = f"The documents differ: {', '.join(one)} against {', '.join(two)}."
            return Put(said, "documents that say different things are both quoted", (first, line), differ=True)
    return None


def _asked_for(question: Question, sentence: SourceSentence) -> list[str]:
    """Return what a sentence names of the kind that is asked for, and the question does not."""
    asked = content_stems(question.text)
    kinds = frozenset({"person"}) if question.kind == q.PERSON else question.entities
    return [
        entity.text for entity in sentence.entities if entity.kind in kinds and not content_stems(entity.text) <= asked
    ]


def _is_other(one: Sequence[str], other: Sequence[str]) -> bool:
    """Return whether two lists name different things: no word or number is in both."""
    left, right = content_stems(" ".join(one)), content_stems(" ".join(other))
    values = [{word for word in words if any(map(str.isdigit, word))} or words for words in (left, right)]
    return bool(left and right) and not values[0] & values[1]


def _sides(question: Question) -> tuple[str, str] | None:
    """Return the two names that a question sets side by side with "or" or "and"."""
    text = question.text.rstrip("?.! ")
    if not _JOINED.search(text):
        return None
    for one in question.names:
        for other in question.names:
            between = r"[\"”']*,? (?:or|and) (?:the |a )?[\"“']*"
            if one != other and re.search(f"{re.escape(one)}{between}{re.escape(other)}", text):
                return one, other
    return None


def _about(side: str, passages: Sequence[ReadPassage]) -> list[tuple[Line, SourceSentence]]:
    """Return the sentences of the passage on one side: the one whose title is its name, else that names it first."""
    wanted = content_stems(side)
    titled = [p for p, one in enumerate(passages) if content_stems(re.sub(r"\s*\([^()]*\)$", "", one.title)) == wanted]
    named = [p for p, one in enumerate(passages) if one.sentences and wanted <= content_stems(one.sentences[0].text)]
    for p in [*titled, *named][:1]:
        return [(Line(p, n), sentence) for n, sentence in enumerate(passages[p].sentences)]
    return []


def _year(side: str, verbs: frozenset[str], passages: Sequence[ReadPassage]) -> tuple[int, Line] | None:
    """Return the year that the passage on a side names, in the sentence that shares most with what is asked.

    Of a life only in a sentence that tells when it began or ended: a film has no year of birth.
    """
    is_of_life = not verbs.isdisjoint(_LIFE)
    found = [(len(verbs & content_stems(sentence.text)), line, year) for line, sentence in _about(side, passages)
             if (year := _YEAR.search(sentence.text)) and (not is_of_life or _LIVED.search(sentence.text))]  # fmt: skip
    if not found:
        return None
    _, line, year = max(found, key=lambda one: (one[0], -one[1].number))
    return int(year[1]), line


def _same(sides: tuple[str, str], noun: str, passages: Sequence[ReadPassage]) -> Put | None:
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
    return Put(text, rule, tuple(line for _, line in found), settles=True)
