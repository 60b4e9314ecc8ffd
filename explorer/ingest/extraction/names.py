"""The names of several words in a document, which a model is given to use again."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from explorer.ingest.chunker import TextChunk
from explorer.language.words import STOP

_WORD = re.compile(r"[^\W\d_][\w’'&-]*")
_JOINING = frozenset("of the de la le du di da van von der".split())
_LONGEST = 6  # words
_MOST = 30  # names beside a passage


class Names:
    """Names as a document has them: runs of words with capitals, by each of their words."""

    def __init__(self, text: str) -> None:
        self._first: dict[str, int] = {}
        self._of: dict[str, list[str]] = defaultdict(list)
        small = {word for word in _WORD.findall(text) if word.islower()} | STOP
        for run, start in _runs(text):
            begin = next((n for n, word in enumerate(run) if word.lower() not in small), len(run))
            words = run[begin:]  # without a capital that only begins the sentence
            if 1 < len(words) <= _LONGEST and self._first.setdefault(" ".join(words), start) == start:
                for word in words:
                    self._of[word].append(" ".join(words))

    def beside(self, chunk: TextChunk) -> tuple[str, ...]:
        """Return the names up to the end of a passage of which it has a word, none that is part of another."""
        words = set(map(_bare, _WORD.findall(chunk.text)))
        there = {name for word in words for name in self._of.get(word, ())[:_MOST] if self._first[name] < chunk.end}
        found = sorted(there, key=self._first.__getitem__)[:_MOST]
        return tuple(name for name in found if not any(name != one and f" {name} " in f" {one} " for one in found))


def _runs(text: str) -> Iterator[tuple[list[str], int]]:
    run: list[str] = []
    start = end = 0
    for match in _WORD.finditer(text):
        word, gap = match[0], text[end : match.start()]
        is_joined = bool(run) and (gap == " " or (gap.isspace() and gap.count("\n") == 1))
        is_name = word[0].isupper()
        if not is_joined or not (is_name or word in _JOINING):
            yield _ended(run), start
            run, start = [], match.start()
        if is_name or run:
            run.append(_bare(word))
        if run and run[-1] != word:  # “the Trust's chair”
            yield _ended(run), start
            run = []
        end = match.end()
    yield _ended(run), start


def _ended(run: list[str]) -> list[str]:
    while run and run[-1] in _JOINING:
        run.pop()
    return run


def _bare(word: str) -> str:
    return re.sub(r"(?:['’]s?|-)$", "", word)
