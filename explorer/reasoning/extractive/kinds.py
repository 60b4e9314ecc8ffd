"""Whether a sentence has what a question asks for: a person, a time, a place, a number, a cause."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from explorer.language import questions as q
from explorer.language.words import content_stems, stem, tokens

if TYPE_CHECKING:
    from explorer.language.questions import Question
    from explorer.stores.sentences import StoredEntity

_FIRMLY = {
    q.PERSON: frozenset({"person"}),
    q.TIME: frozenset({"time"}),
    q.NUMBER: frozenset({"number", "quantity", "money", "percent"}),
    q.PLACE: frozenset({"place"}),
}
_UNSURE = 0.6  # of a person where a name, an organisation or a group stands, of a place likewise
_WRITTEN = {q.TIME: re.compile(r"\b(?:1\d|20)\d\d\b"), q.NUMBER: re.compile(r"\d+(?:[.,:]\d+)*")}
_CAUSE = re.compile(
    r"\b(?:because|since|due to|owing to|thanks to|caus(?:e|es|ed|ing)|as a (?:result|consequence)|result(?:s|ed|ing)?|"
    r"reasons?|therefore|thus|so that|which (?:is|was) why|le(?:a?d|ads) to|"
    r"in order to|to (?:avoid|protect|keep|prevent|ensure))\b", re.IGNORECASE
)  # fmt: skip
_DEFINED = re.compile(
    r"\W*(?:(?:an?|the|by|each|every|in \w+,)\s+)?(?:[\w*“”\"'’-]+\s+){1,5}?(?:\([^()]*\)\s+)?\W*"
    r"(?:is|are|was|were|means?|meant|refers?|denotes?|stands? for|describes?|concerns?|consists? of|"
    r"comprises?)\b", re.IGNORECASE
)  # fmt: skip


def kind_in(asked: Question, entities: Sequence[StoredEntity], known: frozenset[str], text: str) -> float:
    """Return how surely a sentence has what is asked for beside the words of the question, of which `known` are stems.

    1 where it has a person, a time and so on, less where that is only a name, 0 where it has none.
    """
    wanted = asked.entities
    found = {one.kind for one in entities if one.kind in wanted and not content_stems(one.text) <= known}
    if found:
        return 1.0 if found & _FIRMLY.get(asked.kind, wanted) else _UNSURE
    written = _WRITTEN.get(asked.kind)
    return float(written is not None and any(one not in asked.text for one in written.findall(text)))


def tells_cause(text: str) -> bool:
    """Return whether a sentence has a word that names a cause."""
    return _CAUSE.search(text) is not None


def says_what_is(noun: str, text: str) -> bool:
    """Return whether a sentence says what something is: it begins with that, and a verb of being follows."""
    keys = content_stems(noun)
    match = _DEFINED.match(text)
    return bool(keys) and match is not None and keys <= {stem(word) for word in tokens(match[0])}
