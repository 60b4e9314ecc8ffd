"""A reading of a file: its text, and where its pages or sections are in that text.

A document has one text. Pages and sections are slices of it and lie one after the other; together they hold everything
in it that can be seen.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from pyoxigraph import Triple


class Decoded(NamedTuple):
    """The text of a file, and the encoding it was in where that had to be told."""

    text: str
    encoding: str | None


_NO_NAME = frozenset(
    "untitled anonymous unspecified unknown none null title document doc presentation slide author user admin calc "
    "un-named".split()
)
_MADE_NAME = re.compile(  # by a program, not by who wrote it
    r"""(?ix)
    ^microsoft\ \w+\ -\ | \.(?:docx?|dotx?|pptx?|xlsx?|pdf|tex|dvi|ps|indd|qxd
        |pmd|fm|wpd|exe|odt|rtf|txt|html?|md|eml|epub)$
    | ^(?:microsoft\ )?(?:office\ )?(?:power\ ?point|word|excel)(?:[ -]?(?:presentation|document|pr(?:ä|ae)sentation))?$
    | ^(?:untitled|document|dokument|pr[eäé]sentation|slide|folie|page)[ -]?(?:document|presentation|\d+)$
    | ^python-(?:docx|pptx)$ | ^openpyxl$ | ^xlsxwriter$ | ^apache\ poi$ | ^(?:libre|open)office(?:\.org)?$
    | ^(?:microsoft\ office|windows)\ user$ | ^(?:https?://|www\.)\S+$
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
class ReadyFact:
    """A fact that a file states as such: where the text says it, and the names of subject, predicate and object.

    `line` is the one of the file that it stands in, where that is known; `sources` are IRIs of what it is taken from,
    as the file has it.
    """

    start: int
    end: int
    triple: Triple
    words: tuple[str, str, str]
    line: int | None = None
    sources: tuple[str, ...] = ()


@dataclass(slots=True)
class NoFacts:
    """How many statements made no fact: `names` of things, what stands in the `texts` alone, what is `beside` them,
    which is provenance, or of a record, and what only holds `lists` together, each of whose members makes a fact.
    """

    names: int = 0
    texts: int = 0
    beside: int = 0
    lists: int = 0


@dataclass(frozen=True, slots=True)
class Reading:
    """What a file says. Plain text, and Markdown without headings, has no parts.

    `encoding`: what a text that is not Unicode was read as. `language`: its code in ISO 639-1, where that is clear.
    `facts` are those that a file of facts states; None for a text, in which they are still to be found. `refused` says
    what of the file was not read, `notes` what there is to know of the rest, and `no_facts` how much of what a file of
    facts states is none.
    """

    title: str
    mime: str
    text: str
    parts: tuple[DocumentPart, ...] = ()
    author: str | None = None
    date: str | None = None
    encoding: str | None = None
    language: str | None = None
    facts: tuple[ReadyFact, ...] | None = None
    refused: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    no_facts: NoFacts | None = None


def title_from(name: str) -> str:
    """Return a title made of a file's name, for documents that carry none."""
    path = PurePath(name)
    return path.stem.replace("_", " ").strip() or path.name or name


def named(value: str | None) -> str | None:
    """Return a title or author that a file carries, on one line; None where a program has put it there."""
    line = " ".join("".join(c if c.isprintable() else " " for c in value or "").split())
    bare = line.strip("()[]<>{}-–—_.*\"' ")
    return None if not bare or bare.lower() in _NO_NAME or _MADE_NAME.search(bare) else line
