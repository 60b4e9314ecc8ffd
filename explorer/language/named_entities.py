"""Named entities of a text: people, places, times, numbers and other names, with where they stand.

spaCy's small English model finds them; runs of capitalised words that it misses are names of no kind. Its nineteen
labels are mapped to fewer kinds, as questions ask for them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from explorer.language.pipeline import entities
from explorer.language.words import STOP

KINDS = {
    "PERSON": "person",
    "NORP": "group",
    "ORG": "organisation",
    "GPE": "place",
    "LOC": "place",
    "FAC": "place",
    "PRODUCT": "product",
    "EVENT": "event",
    "WORK_OF_ART": "work",
    "LAW": "law",
    "LANGUAGE": "language",
    "DATE": "time",
    "TIME": "time",
    "CARDINAL": "number",
    "ORDINAL": "number",
    "QUANTITY": "quantity",
    "MONEY": "money",
    "PERCENT": "percent",
}
"""The kind of each label of spaCy's English models; a run of capitals without a label is a "name"."""
MEASURED = frozenset({"time", "number", "quantity", "money", "percent"})
"""The kinds that are no names."""

_WORD = r"[A-ZÀ-ÖØ-Þ][\w’'&.-]*"
_RUN = re.compile(
    rf"\b{_WORD}(?:\s+(?:(?:of|the|de|la|le|von|van|der|den|du|del|and|for|in|no\.)\s+){{0,2}}(?:{_WORD}|\d+\b))*"
)
_BLANK = re.compile(r"\s")
_OPENING = re.compile(r"[\"“‘'(\s]*(?:(?:the|a|an)\s+)?", re.IGNORECASE)
_CLOSING = re.compile(r"(?:['’]s?|[\"”’')\s])+$")


class NamedEntity(NamedTuple):
    """A name, time or number in a text: its kind, its span in code points, and its words."""

    kind: str
    start: int
    end: int
    text: str


def named_entities(texts: Iterable[str]) -> Iterator[list[NamedEntity]]:
    """Yield the named entities of each text, in order, none inside another; raises ModelError without a model."""
    # a line break inside a sentence is a blank to the model, and no offset changes
    plain = [_BLANK.sub(" ", text) for text in texts]
    for text, labelled in zip(plain, entities(plain), strict=True):
        found = [_trimmed(KINDS[label], start, end, text) for label, start, end in labelled if label in KINDS]
        yield sorted([*found, *_unlabelled(text, found)], key=lambda one: one.start)


def names_by_capitals(text: str) -> list[NamedEntity]:
    """Return the runs of capitalised words in a text as names, which takes no model."""
    return list(_unlabelled(_BLANK.sub(" ", text), ()))


def _trimmed(kind: str, start: int, end: int, text: str) -> NamedEntity:
    """Return an entity without the article and quotation marks before a name, and without marks and "'s" after it."""
    if kind not in MEASURED:
        opening = _OPENING.match(text, start, end)
        start = opening.end() if opening and opening.end() < end else start
        closing = _CLOSING.search(text[start:end])
        end = start + closing.start() if closing and closing.start() else end
    return NamedEntity(kind, start, end, text[start:end])


def _unlabelled(text: str, found: Sequence[NamedEntity]) -> Iterator[NamedEntity]:
    """Yield runs of capitalised words that no entity overlaps; a stop word that begins one is no part of it."""
    for run in _RUN.finditer(text):
        start, end = run.span()
        first = run[0].split(maxsplit=1)
        while first and first[0].lower().rstrip(".’'") in STOP:
            start = end - len(first[1]) if len(first) > 1 else end
            first = text[start:end].split(maxsplit=1)
        name = _trimmed("name", start, end, text) if start < end else None
        opens = name is not None and not any(map(str.isalnum, text[:start])) and " " not in name.text
        if name is None or opens or not name.text[0].isupper():
            continue  # the first word of a sentence has its capital from there
        if not any(one.start < name.end and name.start < one.end for one in found):
            stop = len(name.text.rstrip(".&-’'"))
            yield NamedEntity("name", name.start, name.start + stop, name.text[:stop])
