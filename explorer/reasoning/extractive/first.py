"""Which of the best sentences goes before the others by its grammar, whatever their scores."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from explorer.language import questions as q
from explorer.language.amounts import says_amount_of
from explorer.language.claims import gives_name
from explorer.language.words import is_content, stem, tokens
from explorer.reasoning.extractive.kinds import UNITS, asks_count, counts, counts_just, introduces, named_person
from explorer.reasoning.extractive.roles import says_holder
from explorer.reasoning.extractive.stated import is_had, says_the_same, says_who
from explorer.reasoning.extractive.support import priced

if TYPE_CHECKING:
    from explorer.language.questions import Question
    from explorer.reasoning.extractive.features import Features

_ASKS_NAME = re.compile(
    r"\W*(?:what|which) (?:is|was|are|were) (?:the names? of (?P<of>[^?]+)|(?P<called>[^?]+?) (?:called|named)\b)",
    re.IGNORECASE,
)


def first_by_grammar(asked: Question, found: Features, texts: Sequence[str], near: Sequence[int]) -> int | None:
    """Return which of the best sentences goes before the others by its grammar: it gives a reason for just what is
    asked why, says who does just what is asked or has the role, what something costs, or how many there are, not to
    how many something is done.
    """
    match = found.match
    if asked.kind == q.CAUSE:
        near = [i for i in near if found.named("cue")[i] > 0]
        return next((i for i in near if says_the_same(asked, match, match.lines[i])), None)
    if name := named_person(asked):
        return next((i for i in near if introduces(name, texts[i])), None)
    if asked.kind == q.PERSON:
        if (line := says_holder(asked, match.read)) is not None:
            return next((i for i in near if match.lines[i] == line), None)
        return next((i for i in near if says_who(asked, match, [match.lines[i]])), None)
    if of := _of_name(asked):
        return next((i for i in near if gives_name(texts[i], of)), None)
    if (thing := priced(asked)) is not None:
        said = frozenset({stem(thing)})
        return next((i for i in near if says_amount_of(texts[i], said, UNITS["price"])), None)
    if asks_count(asked) and asked.head:
        had = [i for i in near if counts(asked, texts[i]) and is_had(asked, texts[i])]
        return next((i for i in had if counts_just(asked, texts[i])), had[0] if had else None)
    return None


def _of_name(asked: Question) -> frozenset[str]:
    """Return the stems of X in "what was the name of X" and "what was X called"; none in other questions."""
    found = _ASKS_NAME.match(asked.text)
    words = tokens(found["of"] or found["called"]) if found else ()
    return frozenset(stem(word) for word in words if is_content(word))
