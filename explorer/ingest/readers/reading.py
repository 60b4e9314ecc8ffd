"""A reading of a file: its text, and where its pages or sections are in that text.

A document has one text. Pages and sections are slices of it and lie one after the other; together they hold everything
in it that can be seen.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePath
from typing import Literal, NamedTuple


class Decoded(NamedTuple):
    """The text of a file, and the encoding it was in where that had to be told."""

    text: str
    encoding: str | None


_NO_NAME = frozenset(
    "untitled anonymous unspecified unknown none null title document doc presentation slide author user admin".split()
)
_MADE_NAME = re.compile(  # by a program, not by who wrote it
    r"""(?ix)
    ^microsoft\ \w+\ -\ | \.(?:docx?|dotx?|pptx?|xlsx?|pdf|tex|dvi|indd|odt|rtf|txt|html?|md|eml|epub)$
    | ^(?:microsoft\ )?(?:office\ )?(?:power\ ?point|word|excel)(?:[ -]?(?:presentation|document|pr(?:ä|ae)sentation))?$
    | ^(?:untitled|document|dokument|pr[eäé]sentation|slide|folie|page)[ -]?(?:document|presentation|\d+)$
    | ^python-(?:docx|pptx)$ | ^openpyxl$ | ^xlsxwriter$
    """
)


@dataclass(frozen=True, slots=True)
class DocumentPart:
    """A page or a section: a slice of the document's text, counted from 1."""

    kind: Literal["page", "section"]
    number: int
    label: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Reading:
    """What a file says. Plain text, and Markdown without headings, has no parts.

    `encoding`: what a text that is not Unicode was read as. `language`: its code in ISO 639-1, where that is clear.
    """

    title: str
    mime: str
    text: str
    parts: tuple[DocumentPart, ...] = ()
    author: str | None = None
    date: str | None = None
    encoding: str | None = None
    language: str | None = None


def title_from(name: str) -> str:
    """Return a title made of a file's name, for documents that carry none."""
    path = PurePath(name)
    return path.stem.replace("_", " ").strip() or path.name or name


def named(value: str | None) -> str | None:
    """Return a title or author that a file carries, on one line; None where a program has put it there."""
    line = " ".join("".join(c if c.isprintable() else " " for c in value or "").split())
    bare = line.strip("()[]<>{}-–—_.*\"' ")
    return None if not bare or bare.lower() in _NO_NAME or _MADE_NAME.search(bare) else line
