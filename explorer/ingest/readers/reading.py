"""A reading of a file: its text, and where its pages or sections are in that text.

A document has one text. Pages and sections are slices of it and lie one after the other; together they hold everything
in it that can be seen.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath
from typing import Literal


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
    """What a file says. Plain text, and Markdown without headings, has no parts."""

    title: str
    mime: str
    text: str
    parts: tuple[DocumentPart, ...] = ()
    author: str | None = None
    date: str | None = None


def title_from(name: str) -> str:
    """Return a title made of a file's name, for documents that carry none."""
    path = PurePath(name)
    return path.stem.replace("_", " ").strip() or path.name or name
