"""Which language a text is in, by py3langid (BSD): offline, the same each time, and unsure where a text is short.

lingua tells short texts apart better, but is 96 MB. A long text is looked at in pieces: as a whole it is in none.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

ENGLISH = "en"
_PIECES, _LENGTH = 9, 1000  # pieces of a text, and code points of each
_FEWEST = 60  # bytes of letters in UTF-8: of fewer no language is told
_SURE = 0.7  # confidence in a piece: of prose in 20 languages at least 0.81, of tables, names and code at most 0.47
_MOSTLY = 0.6  # of the pieces in one language


def language_of(text: str) -> str | None:
    """Return the language of a text by its code in ISO 639-1, None where that is not clear."""
    pieces = [piece for piece in _pieces(text) if len("".join(filter(str.isalpha, piece)).encode()) >= _FEWEST]
    if not pieces:
        return None
    told = [code for code, confidence in map(_identifier().classify, pieces) if confidence >= _SURE]
    [(code, often)] = Counter(told).most_common(1) or [("", 0)]
    return code if often >= _MOSTLY * len(pieces) and len(code) == 2 else None


def share_alphabet(one: str, other: str) -> bool:
    """Return whether most letters of two texts are of one alphabet, as far as they have letters."""
    return (one + other).isascii() or len({_alphabet(one), _alphabet(other), None}) <= 2


def name_of(code: str) -> str:
    """Return what a language is called in English."""
    from babel import Locale

    return str(Locale(ENGLISH).languages.get(code, code))


def _alphabet(text: str) -> str | None:
    """Return the alphabet of most letters in a text, by the first word of their names in Unicode: "LATIN", "CJK"."""
    letters = (unicodedata.name(one, "").partition(" ")[0] for one in text[:_LENGTH] if one.isalpha())
    return next((name for name, _ in Counter(letters).most_common(1)), None)


def _pieces(text: str) -> list[str]:
    step = max(_LENGTH, len(text) // _PIECES)
    return [text[start : start + _LENGTH] for start in range(0, len(text), step)]


@lru_cache(maxsize=1)
def _identifier() -> LanguageIdentifier:
    """Load the weights, once: a third of a second."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
