"""Capitals in a document: whether a word has one of its own, or only because it begins a sentence."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from explorer.language.pipeline import Token

_SMALL = re.compile(r"\b[a-z]+\b")
_GREAT = re.compile(r"(?<=[a-z,] )[A-Z][a-z]+\b")  # inside a sentence


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
