"""What a part of a question takes over from the parts before it, and which sentences answer it no more.

A part takes over what those before it are about, and whom they found. A sentence is no answer where a person took back
the fact that it says about a question.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from explorer.language import questions as q
from explorer.language.named_entities import MEASURED
from explorer.language.parts import parts as question_parts
from explorer.language.words import content_stems, is_content, stem, tokens
from explorer.reasoning.extractive.lines import PRONOUN

if TYPE_CHECKING:
    from explorer.language.questions import Question
    from explorer.reasoning.protocol import ReadPassage
    from explorer.stores.corrected import Correction
    from explorer.stores.sentences import StoredEntity

_FEW = 3  # content words of a part with fewer of which those of the first count too
_ROLE = re.compile(r"who (?:is|was) (?P<role>the [^?(]+)\?", re.IGNORECASE)
_IN_BRACKETS = re.compile(r" \([^()]*\)(?=\W*$)")  # the names of the part before
_ASIDE = re.compile(r"\s*\([^()]*\)$")
_MOST_PARTS = 7
_OF_VALUES = frozenset({q.TIME, q.NUMBER, q.PLACE})


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


def name_in(asked: Question, passage: ReadPassage, number: int) -> str | None:
    """Return what a line names that a question asks for; None where it names nothing new.

    What its passage is about, if the line says so; else the name of that kind nearest to the words of the question.
    """
    sentence, known = passage.sentences[number], {stem(word) for word in tokens(asked.text)}
    there, title = {stem(word) for word in tokens(sentence.text)}, _ASIDE.sub("", passage.title)
    about = content_stems(title)
    if about and not about <= known and (about <= there or PRONOUN.match(sentence.text)):
        return title
    named = [one for one in sentence.entities if one.kind not in MEASURED and not content_stems(one.text) <= known
             and (not asked.entities or one.kind in asked.entities)]  # fmt: skip
    words = re.finditer(r"[\w-]+", sentence.text)
    places = [match.start() for match in words if stem(match[0]) in known and is_content(match[0])]
    best = min(named, key=lambda one: _apart(one, places), default=None)
    return " ".join(best.text.split()) if best is not None else None


def _apart(name: StoredEntity, places: Iterable[int]) -> int:
    return min((max(place - name.end, name.start - place) for place in places), default=0)


def withdrawn(asked: Question, passage: ReadPassage, number: int) -> Correction | None:
    """Return the retraction by which a sentence does not answer a question; None where it may.

    All that the sentence has of the question is in the fact that was taken back; and no other time, number or place
    stands in it, where one is asked for. What was put right is read by itself.
    """
    sentence = passage.sentences[number]
    asks = content_stems(f"{asked.text} {asked.context}")
    for one in passage.corrected:
        if not (one.start < sentence.end and sentence.start < one.end):
            continue
        fact, shared = content_stems(one.fact), asks & content_stems(sentence.text)
        values = [content_stems(entity.text) for entity in sentence.entities if entity.kind in asked.entities]
        stands = asked.kind in _OF_VALUES and any(value and not value <= fact | asks for value in values)
        if shared and shared <= fact and not stands:
            return one
    return None


def is_mostly_about(asked: Question, passage: ReadPassage, number: int) -> bool:
    """Return whether a sentence has half of a question's content words or more."""
    asks = content_stems(asked.text)
    return 2 * len(asks & content_stems(passage.sentences[number].text)) >= len(asks)
