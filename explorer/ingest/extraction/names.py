"""The names of several words in a document, which a model is given to use again."""

from __future__ import annotations

import re
from collections import defaultdict

from explorer.ingest.chunker import TextChunk
from explorer.language.named_entities import names_by_capitals

_MOST = 30  # names beside a passage
_LONGEST = 60  # characters of one
_WORD = re.compile(r"\w+")
_BETWEEN = re.compile(r" (?:and|in|at|for|of|on)(?: the)? ")
_DATE = re.compile(r"\b\d{4}$")


class Names:
    """The names that a document has had so far, by each of their words with a capital; it is read chunk by chunk."""

    def __init__(self) -> None:
        self._order: dict[str, int] = {}
        self._of: dict[str, list[str]] = defaultdict(list)

    def beside(self, chunk: TextChunk) -> tuple[str, ...]:
        """Return the names up to the end of the next chunk of which it has a word, none that is part of another."""
        for start, end in chunk.sentences:
            for one in names_by_capitals(chunk.text[start - chunk.start : end - chunk.start]):
                for name in _BETWEEN.split(one.text):
                    self._learn(name)
        words = set(_WORD.findall(chunk.text))
        there = {name for word in words for name in self._of.get(word, ())[:_MOST]}
        found = sorted(there, key=self._order.__getitem__)[:_MOST]
        return tuple(name for name in found if not any(name != one and f" {name} " in f" {one} " for one in found))

    def _learn(self, name: str) -> None:
        if " " in name and len(name) <= _LONGEST and name not in self._order and not _DATE.search(name):
            self._order[name] = len(self._order)
            for word in _WORD.findall(name):
                if word[0].isupper():
                    self._of[word].append(name)
