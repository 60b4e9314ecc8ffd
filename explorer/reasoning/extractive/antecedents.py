"""Whether a sentence can be understood by itself, or takes up something before it, and what may say what that is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from explorer.language import questions as q
from explorer.language.named_entities import MEASURED
from explorer.language.words import content_stems, stem, tokens
from explorer.reasoning.extractive.lines import PRONOUN
from explorer.reasoning.extractive.wording import person

if TYPE_CHECKING:
    from explorer.language.questions import Question
    from explorer.reasoning.protocol import ReadPassage

_FOLLOWS = re.compile(
    r"\W*(?:as a |the )?(?:result|consequence|outcome|thus|therefore|consequently|so)\b", re.IGNORECASE
)
_DEFINITE = re.compile(
    r"\W*(?:the|this|that|these|those) (?P<noun>[a-z][\w-]*)\b"
    r"(?! of\b| (?:in|on|at|for|to|from|with|between) (?:the|an?|our|its)\b)", re.IGNORECASE
)  # fmt: skip
_BEHIND_PREPOSITION = re.compile(  # "Without it the crew would have …"
    r"\W*(?:after|at|because of|before|behind|beside|besides|by|despite|during|for|from|in|instead of|like|of|on|"
    r"over|since|through|to|under|unlike|until|with|within|without) "
    r"(?:(?:it|them)\b|(?:this|that|these|those)(?:,| (?=(?:the|an?|he|she|it|they|we|[A-Z]\w*) )))", re.IGNORECASE
)  # fmt: skip
_REPORTING = re.compile(  # "They found that …": what follows is clear by itself
    r"\W*(?:he|she|they|it|this|these) (?:\w+ ){0,2}?(?:found|said|says?|reported|reports|showed|shows|noticed|noted|"
    r"explained|explains|concluded|confirmed|discovered|thinks?|thought|believe[ds]?|told \w+) that\b"
    r"(?! (?:it|they|he|she|this)\b)",
    re.IGNORECASE,
)
_SPEAKER = re.compile(r"\W*(?:I|we|you)\b", re.IGNORECASE)


def is_unclear(asked: Question, passage: ReadPassage, number: int) -> bool:
    """Return whether a sentence begins with "it" or "the company", and nothing in it says what that is."""
    sentence = passage.sentences[number]
    if asked.kind == q.CAUSE and _FOLLOWS.match(sentence.text):
        return True
    opening = PRONOUN.match(sentence.text)
    if _BEHIND_PREPOSITION.match(sentence.text):
        return True
    if _REPORTING.match(sentence.text):
        return False
    if opening:
        return person(passage, number, opening["pronoun"]) is None
    definite = _DEFINITE.match(sentence.text)
    if definite is None:
        return False
    known = {stem(word) for word in tokens(f"{asked.text} {passage.title}")}
    is_named = any(entity.kind not in MEASURED for entity in sentence.entities)
    noun = stem(definite["noun"])
    return noun == stem(asked.head) or (noun not in known and not is_named)


def makes_clear(asked: Question, passage: ReadPassage, number: int, after: int) -> bool:
    """Return whether a sentence may say what the one after it speaks of: it has a word of the question, or names.

    One that itself begins with a pronoun of nobody, as "I tightened it", says nothing of that; nor does one say who
    "the tenant" is that has neither a name nor a tenant.
    """
    sentence, text = passage.sentences[number], passage.sentences[after].text
    is_named = any(entity.kind not in MEASURED for entity in sentence.entities)
    definite = None if PRONOUN.match(text) else _DEFINITE.match(text)
    if definite is not None and not is_named and stem(definite["noun"]) not in content_stems(sentence.text):
        return False
    return (
        is_named
        or not _SPEAKER.match(sentence.text)
        or not content_stems(asked.text).isdisjoint(content_stems(sentence.text))
    )
