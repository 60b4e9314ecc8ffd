"""Where the words that a model quotes stand: as they are, but for spaces and signs, or nearly; else nowhere."""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

_LEAST = 6  # letters and digits: fewer stand anywhere
_NEAR = 88.0  # of 100, by rapidfuzz: one letter in eight may differ; not measured
_BLOCK = 3  # letters in a row that count as found
_NEAR_LEAST = 20  # letters and digits of what is looked for by likeness
_SIGNS = {
    **dict.fromkeys("‘’‚‛′`´", "'"),
    **dict.fromkeys("“”„‟″«»", '"'),
    **dict.fromkeys("‐‑‒–—―−", "-"),
    **dict.fromkeys("*_\u00ad\u200b\u200c\u200d\u2060\ufeff", ""),
}
_LEFT_OUT = re.compile(r"\s*(?:\[\s*)?(?:…|\.{3,})(?:\s*\])?\s*")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


class _Folded(NamedTuple):
    """A text as it compares, and for each of its characters the offset of the one that it stands for."""

    text: str
    at: list[int]


def aligned(quote: str, text: str) -> tuple[int, int] | None:
    """Return where a quotation stands in a text, in code points; None where it doesn't.

    Tried in turn: the words as they are; without regard to white space, capitals, accents, marks of quotation and
    Markdown; in pieces around an ellipsis; by likeness, where no number may differ.
    """
    quote = quote.strip().strip("\"'“”‘’«» ")
    if _letters(quote) < _LEAST:
        return None
    if (start := text.find(quote)) >= 0:
        return start, _with_accents(text, start + len(quote))
    whole = _folded(text)
    return _same(quote, text, whole) or _pieces(quote, text, whole) or _near(quote, text, whole)


def _same(quote: str, text: str, whole: _Folded, begin: int = 0) -> tuple[int, int] | None:
    wanted = _folded(quote).text.strip()
    start = whole.text.find(wanted, begin) if wanted else -1
    return None if start < 0 else _span(text, whole, start, start + len(wanted))


def _pieces(quote: str, text: str, whole: _Folded) -> tuple[int, int] | None:
    """Return the span from the first to the last piece of a quotation that leaves some words out."""
    pieces = [piece for piece in _LEFT_OUT.split(quote) if piece]
    if len(pieces) < 2 or any(_letters(piece) < _LEAST for piece in pieces):
        return None
    begin, first, last = 0, -1, -1
    for piece in pieces:
        wanted = _folded(piece).text.strip()
        start = whole.text.find(wanted, begin)
        if start < 0:
            return None
        first = start if first < 0 else first
        begin = last = start + len(wanted)
    return _span(text, whole, first, last)


def _near(quote: str, text: str, whole: _Folded) -> tuple[int, int] | None:
    from rapidfuzz.distance import Indel
    from rapidfuzz.fuzz import partial_ratio_alignment

    wanted = _folded(quote).text.strip()
    if _letters(wanted) < _NEAR_LEAST or len(wanted) > len(whole.text):
        return None
    found = partial_ratio_alignment(wanted, whole.text, score_cutoff=_NEAR)
    if found is None:
        return None
    room = len(wanted) // 5  # what is found is as long as what was wanted: words may stand on both sides of it
    begin = max(0, found.dest_start - room)
    blocks = Indel.opcodes(wanted, whole.text[begin : found.dest_end + room])
    same = [one for one in blocks if one.tag == "equal" and one.dest_end - one.dest_start >= _BLOCK]
    if not same:
        return None
    start, end = begin + same[0].dest_start, begin + same[-1].dest_end
    while start > 0 and whole.text[start - 1].isalnum() and whole.text[start].isalnum():
        start -= 1
    while end < len(whole.text) and whole.text[end - 1].isalnum() and whole.text[end].isalnum():
        end += 1
    there = _NUMBER.findall(whole.text[start:end])
    if any(number not in there for number in _NUMBER.findall(wanted)):
        return None
    while start < end and whole.text[start] == " ":
        start += 1
    while end > start and whole.text[end - 1] == " ":
        end -= 1
    return _span(text, whole, start, end)


def _span(text: str, whole: _Folded, start: int, end: int) -> tuple[int, int]:
    """Return the span that characters of a folded text stand for."""
    return whole.at[start], _with_accents(text, whole.at[end - 1] + 1)


def _with_accents(text: str, end: int) -> int:
    while end < len(text) and unicodedata.combining(text[end]):
        end += 1
    return end


def _folded(text: str) -> _Folded:
    made: list[str] = []
    at: list[int] = []
    for offset, character in enumerate(text):
        sign = " " if character.isspace() else _SIGNS.get(character)
        if sign is None:
            parts = unicodedata.normalize("NFKD", character).casefold()
            sign = "".join(part for part in parts if not unicodedata.combining(part))
        if sign == " " and made[-1:] == [" "]:
            continue
        made += sign
        at += [offset] * len(sign)
    return _Folded("".join(made), at)


def _letters(text: str) -> int:
    return sum(map(str.isalnum, text))
