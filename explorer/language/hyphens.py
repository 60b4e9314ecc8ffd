"""Hyphens at the ends of lines: which ones only split a word, and which belong to it."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources

from explorer.language.detection import ENGLISH, language_of
from explorer.language.words import stem

_LAST, _FIRST = re.compile(r"[^\W\d_]*$"), re.compile(r"[^\W\d_]*")
_PREFIXES = frozenset("co com con de dis ex im in inter mis non pre pro re sub trans un".split())


def splits_word(before: str, after: str, text: str) -> bool:
    """Return whether a hyphen between two lines only splits a word; `text` is what stands around, for its language.

    In English it belongs to the word where there is none without it, but both halves are words: "ever-changing". Other
    languages put many words together: there it belongs to the word only before a capital, a figure or a sign.
    """
    found, following = _LAST.search(before), _FIRST.match(after)
    one, other = found[0] if found else "", following[0] if following else ""
    if len(one) < 2 or not other or (other[0].isupper() and not one.isupper()):
        return False
    if is_word(one + other) or one.lower() in _PREFIXES or not (is_word(one) and is_word(other)):
        return True
    return language_of(text) not in {ENGLISH, None}


def is_word(written: str) -> bool:
    """Return whether a word is a common one of English, or a form of one."""
    return written.lower() in _words() or stem(written) in _stems()


@cache
def _words() -> frozenset[str]:
    """The whole words among those of the small embedding model, which were the most frequent in English texts."""
    lines = resources.files("explorer.models").joinpath("minilm_words.txt").read_text("utf-8").split()
    return frozenset(line for line in lines if line.isalpha() and len(line) > 1)


@cache
def _stems() -> frozenset[str]:
    return frozenset(map(stem, _words()))
