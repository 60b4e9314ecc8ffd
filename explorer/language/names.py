"""Names in a document: which longer name a short mention stands for, and whether a word's capital is its own."""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from explorer.language.noun_phrases import Phrase
    from explorer.language.pipeline import Token

_NEAR = 8  # sentences: a short mention refers to a longer one no further back
_MASSES = frozenset(
    "pressure temperature voltage energy power heat current level rate amount quantity oxygen water air "
    "fuel gas hydrogen speed weight mass time fire light failure loss rise change use work result "
    "decision".split()
)  # never short for a longer name
_SMALL = re.compile(r"\b[a-z]+\b")
_GREAT = re.compile(r"(?<=[a-z,] )[A-Z][a-z]+\b")  # inside a sentence


class Name(NamedTuple):
    """A short mention and the longer name that it stands for."""

    short: str
    full: str


class Mentions:
    """The longer names of the last few sentences, for short mentions that end like one of them."""

    def __init__(self) -> None:
        self._seen: Counter[str] = Counter()
        self._recent: deque[list[str]] = deque(maxlen=_NEAR)

    def names(self, phrases: Iterable[Phrase]) -> dict[int, Name]:
        """Return the full name of each definite short mention among a sentence's phrases, by the place of its head."""
        names: dict[int, Name] = {}
        self._recent.append([])
        for phrase in phrases:
            if not phrase.is_entity:
                continue
            full = self._full_name(phrase) if phrase.is_definite else None
            if full:
                names[phrase.head] = Name(phrase.label, full)
            self._seen[phrase.label.lower()] += 1
            repeated = not phrase.is_bare and self._seen[phrase.label.lower()] > 1
            if name := full or (phrase.label if repeated and not phrase.is_counted else phrase.name):
                self._recent[-1].append(name)
        return names

    def _full_name(self, phrase: Phrase) -> str | None:
        """Return the one longer name that ends with this mention; None when there are several."""
        short = phrase.label.lower()
        if short in _MASSES or (phrase.is_capitalised and not phrase.is_definite):
            return None
        found = {
            name.lower(): name
            for names in self._recent
            for name in names
            if (phrase.is_bare and _base(name).endswith(f" {short}")) or _base(name) == short != name.lower()
        }
        return next(iter(found.values())) if len(found) == 1 else None


class Capitals:
    """Whether a word's capital is its own, as far as the document shows."""

    def __init__(self, text: str) -> None:
        self._small = frozenset(_SMALL.findall(text))
        self._great = frozenset(_GREAT.findall(text))

    def is_own(self, token: Token) -> bool:
        """Return False when the word has a capital only because it begins the sentence."""
        following = token.doc[token.i + 1] if token.i + 1 < len(token.doc) else None
        proper = token.pos_ in {"PROPN", "X"}
        if following is not None and following.text.istitle() and (proper or token.text in self._great):
            return True
        if token.lower_ in self._small or not token.text.istitle():
            return not token.text.istitle()
        return proper or token.text in self._great or (following is not None and following.text.istitle())


def _base(label: str) -> str:
    """Return a name without the number that ends it: “oxygen tank” of “oxygen tank no. 2”."""
    return re.sub(r"(?:\s+no\.)?\s+\d+$", "", label.lower())
