"""Misspelt words: which known one an unknown one likely is."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection

_FEWEST_LETTERS, _MANY_LETTERS = 5, 8  # of a word that may be misspelt by one letter, and by two


def meant(key: str, known: Collection[str]) -> str | None:
    """Return the known word that another likely is: the same but for accents, or one letter, or two of many."""
    from rapidfuzz.distance import OSA  # letters put in, left out, replaced, or exchanged with the next

    key = _bare(key)
    if len(key) < _FEWEST_LETTERS or not key.isalpha():
        return None
    most = 1 if len(key) < _MANY_LETTERS else 2
    alike = [(other, bare) for other in known if (bare := _bare(other))[:1] == key[:1] and not _ends(key, bare)]
    near = [(edits, other) for other, bare in alike if (edits := OSA.distance(key, bare, score_cutoff=most)) <= most]
    return min(near)[1] if near else None


def _ends(key: str, other: str) -> bool:
    """Return whether a word is another one with letters of its own at its end: "systemd" is no slip for "system"."""
    rest = key.removeprefix(other)
    return rest not in {key, "", other[-1]}


def _bare(word: str) -> str:
    return word if word.isascii() else "".join(c for c in unicodedata.normalize("NFKD", word) if c.isalnum())
