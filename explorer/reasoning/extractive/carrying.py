"""What a part of a question takes over from the parts before it: what these are about, and whom they found."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from explorer.language import questions as q
from explorer.language.parts import parts as question_parts
from explorer.language.words import is_content, stem, tokens
from explorer.language.words import labels as marks
from explorer.reasoning.extractive.lines import labels

if TYPE_CHECKING:
    from explorer.language.questions import Question
    from explorer.reasoning.protocol import ReadPassage

_FEW = 3  # content words of a part with fewer of which those of the first count too
_ROLE = re.compile(r"who (?:is|was) (?P<role>the [^?(]+)\?", re.IGNORECASE)
_IN_BRACKETS = re.compile(r" \([^()]*\)(?=\W*$)")  # the names of the part before
_PEOPLE = frozenset({"person", "name"})
_MOST_PARTS = 7


def asked_in(question: str) -> list[Question]:
    """Return what a question asks, part by part, each with what it takes over from those before."""
    goals = [step for part in question_parts(question) for step in part]
    return list(in_context([q.read(goal) for goal in dict.fromkeys(goals[:_MOST_PARTS])]))


def in_context(asked: Sequence[Question]) -> Iterator[Question]:
    """Yield the parts of a question, one of few words with the noun phrases of the first: it is about the same."""
    for part in asked:
        few = part is not asked[0] and sum(map(is_content, tokens(part.text))) < _FEW
        about = " ".join(asked[0].phrases) if few else ""
        yield replace(part, context=about) if about and not part.context else part


def with_name(asked: Question, before: Question, name: str) -> Question | None:
    """Return a part with the name that the part before found in place of a pronoun, or of the role asked for.

    "Which batch was dumped, and how many litres had it?" is about batch 118. None where it does not speak of that.
    """
    role = _ROLE.fullmatch(before.text.strip())
    if before.kind == q.PERSON:
        meant = rf"{re.escape(role['role'])}|he|she|his" if role else "he|she|his"
    elif before.head and before.kind == q.THING:
        meant = rf"it|they|(?:this|that) one|(?:the|this|that) {re.escape(before.head)}(?! that\b)"
    else:
        return None
    text = re.sub(
        rf"(?<!\w)(?:{meant})(?!\w)", lambda found: f"{name}'s" if found[0].lower() == "his" else name,
        asked.text, count=1, flags=re.IGNORECASE,
    )  # fmt: skip
    return None if text == asked.text else q.read(_IN_BRACKETS.sub("", text))


def marked_in(asked: Question, passage: ReadPassage, number: int) -> str | None:
    """Return the one thing of the kind a question asks for that a line marks, "batch 118", or has in that column.

    None where it names none, or several.
    """
    key, text = stem(asked.head), passage.sentences[number].text
    if not key:
        return None
    cells = [one.value for one in labels(passage, number) if key in {stem(word) for word in tokens(one.label)}]
    found = dict.fromkeys([*cells, *sorted(marks(key, text))])
    one = next(iter(found)) if len(found) == 1 else None
    return one and (f"{asked.head} {one}" if any(map(str.isdigit, one)) and " " not in one else one)


def person_in(asked: Question, passage: ReadPassage, number: int) -> str | None:
    """Return the person in a line that stands nearest to the words of a question for one; None where there is none."""
    text = passage.sentences[number].text
    known = {stem(word) for word in tokens(asked.text)}
    named = [(one.text, one.start) for one in passage.sentences[number].entities if one.kind in _PEOPLE]
    named += [(one.value, one.start) for one in labels(passage, number) if one.value.istitle()]
    people = [(name, start) for name, start in named if " " in name and not {*map(stem, tokens(name))} & known]
    places = [match.span() for match in re.finditer(r"\w+", text) if stem(match[0]) in known and is_content(match[0])]
    apart = {
        name: min((max(begin - start - len(name), start - end) for begin, end in places), default=0)
        for name, start in people
    }
    return min(apart, key=lambda name: apart[name], default=None)
