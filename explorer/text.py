"""Texts for people: truncated, counted, timed, and made harmless for a terminal or for markup."""

from __future__ import annotations

import re
import unicodedata
from html import escape as escape_markup

_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_MARKS = re.compile(r"^\s*(?:(?:#{1,6}|[>*+-])\s+)+")


def count(number: int | None, noun: str) -> str:
    """Say a number with its unit: "1 fact", "1,204 facts"; the noun alone when the number is not known."""
    if number is None:
        return f"{noun}s"
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def seconds(duration: float) -> str:
    """Say a duration given in seconds: "8 ms", "0.6 s", "12 s"."""
    if duration < 0.1:
        return f"{max(1, round(duration * 1000))} ms"
    return f"{duration:.1f} s" if duration < 10 else f"{duration:.0f} s"


def truncate(text: str, length: int = 40) -> str:
    """Cut a text to `length` characters at a word's end, with an ellipsis; white space is folded."""
    folded = " ".join(text.split())
    if len(folded) <= length:
        return folded
    cut = folded[: length - 1]
    return (cut.rsplit(" ", 1)[0] if " " in cut[length // 2 :] else cut).rstrip(" ,.;:–-") + "…"


def opening(text: str, length: int = 40) -> str:
    """Cut a passage to its first words, without the marks that Markdown puts before a heading or an item."""
    return truncate(_MARKS.sub("", text), length) or truncate(text, length)


def plain(text: str) -> str:
    """Drop what a terminal would obey: control and direction marks, but for newline and tab."""
    return "".join(char for char in text if char in "\n\t" or unicodedata.category(char) not in ("Cc", "Cf", "Cs"))


def folded(text: str) -> str:
    """Give a text on one line, for a terminal."""
    return plain(" ".join(text.split()))


def escape(text: str) -> str:
    """Make a text safe in markup, without the characters that no markup may hold."""
    return escape_markup(_NO_XML.sub("", text))
