"""How much of what is said stands in a text: its words by their stems, its numbers by their value."""

from __future__ import annotations

import re

from explorer.language.words import content_words, stem_set, stems, tokens

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


def presence(words: str, text: str) -> float:
    """Return the share of the content words that a text has; 0 where a number is not there.

    A word of small letters and blanks alone is looked for among its words, one of another script anywhere.
    """
    wanted = content_words(words) or tokens(words)
    if not wanted or not numbers(words) <= numbers(text):
        return 0.0
    there, plain = stem_set(text), text.casefold()
    is_there = [{*stems(word)} <= there if content_words(word) else word.casefold() in plain for word in wanted]
    others = [not word.isascii() and word.casefold() in plain for word in wanted]
    return sum(map(max, is_there, others)) / len(wanted)


def numbers(text: str) -> set[float]:
    """Return the numbers of a text: 1,300 and 1300 are one."""
    return {float(one.replace(",", "").replace(".", "", max(0, one.count(".") - 1))) for one in _NUMBER.findall(text)}
