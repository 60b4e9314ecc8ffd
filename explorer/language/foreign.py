"""Questions in other languages than English: without the words of theirs that say nothing, by spaCy's lists.

The grammar that reads questions is English. Of a question in another language what it is about can be looked for, once
its articles and question words do not count.
"""

from __future__ import annotations

import importlib
import re
import runpy
import unicodedata
from functools import lru_cache

from explorer.language.words import STOP, tokens

LANGUAGES = ("fr", "de", "es", "it", "pt", "nl", "sv", "da", "nb", "fi", "pl", "ro", "cs", "hu", "tr", "ru", "uk", "el")
"""The languages whose words are known, by ISO 639-1."""
_FEWEST = 2  # words of a question that tell its language
_MORE = {"fr": frozenset("qu est une quel quelle quels quelles".split())}
_LESS = {"de": frozenset({"a"})}  # in spaCy's list, and no word of the language: "Was Marie Curie a man?" is English
_ASKED = re.compile(r"[\s\W]*\?\W*$")


def languages_of(question: str) -> tuple[str, ...]:
    """Return the languages by whose stop words a question may be written, where that is not English: mostly one."""
    written = [word for word in tokens(question) if any(map(str.isalpha, word))]
    english = sum(word.lower() in STOP for word in written)
    if not written or 2 * english >= len(written):
        return ()
    found = {code: sum(_is_stop(word, _stop(code)) and (word != "a" or word in _stop(code)) for word in written)
             for code in LANGUAGES}  # fmt: skip
    most = max(found.values())
    if most < _FEWEST or most <= english:
        return ()
    return tuple(code for code, many in found.items() if many == most)


def without_stop_words(question: str) -> str:
    """Return a question without the stop words of its language, where that is not English; else as it is.

    Names keep theirs: a word with a capital within the question stays, as "La" of "… à La Paz ?". What is nothing but
    stop words stays as it is. Where one word is left that is asked about, it is asked what that is.
    """
    stop = frozenset[str]().union(*map(_stop, languages_of(question)))
    kept = [word for place, word in enumerate(tokens(question))
            if not (_is_stop(word, stop) and (place == 0 or word[0].islower()))]  # fmt: skip
    if not stop or not kept:
        return question
    if not _ASKED.search(question):
        return " ".join(kept)
    return f"What is {kept[0]}?" if len(kept) == 1 else f"{' '.join(kept)}?"


def is_stop_word(word: str, code: str) -> bool:
    """Return whether a word says nothing in one of the languages."""
    return _is_stop(word, _stop(code))


def _is_stop(word: str, stop: frozenset[str]) -> bool:
    """Return whether a word, or each part of one with hyphens, is a stop word or a letter alone, as "l" of "l'eau"."""
    parts = unicodedata.normalize("NFC", word.lower()).split("-")
    return all(part in stop or (len(part) == 1 and part.isalpha()) for part in parts)


@lru_cache
def _stop(code: str) -> frozenset[str]:
    """Return the stop words of a language; of those with an apostrophe what stands before it.

    Their file is run alone: to import it would make the language's tokenizer, which takes two seconds for French.
    """
    (languages,) = importlib.import_module("spacy.lang").__path__
    words: set[str] = runpy.run_path(f"{languages}/{code}/stop_words.py")["STOP_WORDS"]
    known = frozenset(word.lower().rstrip("'’") for word in words) | _MORE.get(code, frozenset())
    return known - _LESS.get(code, frozenset())
