"""A corpus: a file of passages, one JSON object a line, each a document of one page. Values in, values out.

A line is `{"id": …, "title": …, "text": …}`; `title` may be missing, and so may `id`: then the line is called by the
file and its number. The document's text is the given text, unchanged,
and its source is the given id. An id names one passage of a file, since triples are given by id: a line that repeats
one is refused, whatever its text. In a file read later the same id with other words is a new version, as it is with
any path.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from explorer.errors import DocumentError
from explorer.ingest.chunker import USUAL, ChunkSizes
from explorer.ingest.parsed import Parsed, parse
from explorer.ingest.readers.document_text import DocumentPart, Reading
from explorer.ingest.readers.files import LONGEST_LINE, Line
from explorer.language.detection import language_of
from explorer.text import json_fault
from explorer.vocab import PASSAGE

SUFFIXES = (".jsonl", ".ndjson")
_LOOKED_AT = 100  # lines
_LONGEST_ID = 1_000  # code points


@dataclass(frozen=True, slots=True)
class GivenPassage:
    """One line of a corpus."""

    id: str
    title: str
    text: str
    has_triples: bool = False


@dataclass(frozen=True, slots=True)
class Fault:
    """A line, or a part of one, that was refused, and why in words that go on after "line 3: "."""

    line: int
    reason: str


def record(line: Line) -> tuple[str, Mapping[str, object]]:
    """Read a line as a JSON object that has an id; raises DocumentError in words that go on after "line 3: "."""
    item = json_object(line[1], "an id")
    return _id(item), item


def json_object(data: bytes | None, needed: str) -> Mapping[str, object]:
    """Read a line as a JSON object with what is needed; raises DocumentError in words that go on after "line 3: "."""
    if data is None:
        raise DocumentError(f"it is longer than {LONGEST_LINE:,} bytes; divide it")
    try:
        item = json.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise DocumentError("it is not UTF-8; save the file in that encoding") from error
    except (ValueError, RecursionError) as error:
        raise DocumentError(f"it is not JSON ({json_fault(error)}); write one JSON object") from error
    if not isinstance(item, dict):
        raise DocumentError(f"it is not a JSON object; write one with {needed}")
    return item


def _id(item: Mapping[str, object]) -> str:
    named = item.get("id")
    named = str(named) if isinstance(named, int) and not isinstance(named, bool) else named
    if not isinstance(named, str) or not named.strip() or len(named) > _LONGEST_ID:
        raise DocumentError(f"it has no id; give it one, a text of at most {_LONGEST_ID:,} characters")
    check_text(named)
    return named


def check_text(text: str) -> None:
    """Make sure that a text is one: half of a surrogate pair, or a NUL, which JSON can hold, is none.

    Raises DocumentError.
    """
    if "\0" in text:
        raise DocumentError("it has a NUL, which is no text; leave it out")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise DocumentError(f"it has a character that is not text ({text[error.start]!r}); leave it out") from error


def holds_passages(given: Iterable[Line], name: str) -> bool:
    """Return whether lines are passages, by the first of them that tells; else they may be rows, with keys as heads, or
    there are none.

    Raises DocumentError for a recorded session.
    """
    are_none, are_rows = True, False
    for _, data in islice(given, _LOOKED_AT):
        are_none = False
        try:
            item = json.loads(data or b"")
        except (ValueError, RecursionError):
            continue
        if not isinstance(item, dict) or not item:
            continue
        if "text" in item or "triples" in item:
            return True
        if _is_message(item):
            raise DocumentError(f"{name!r} is a recorded session, not a document; use `explorer import` for it.")
        are_rows = True
    return not (are_rows or are_none)


def _is_message(item: Mapping[str, object]) -> bool:
    """Return whether a line is a message of a recorded session, as it is today or was before."""
    reply = item.get("response")
    bodies = (item, reply) if isinstance(reply, dict) else (item,)
    return any(key in body for body in bodies for key in ("message_type", "chunk_type"))


def passages(given: Iterable[Line], name: str = "") -> Iterator[GivenPassage | Fault]:
    """Read the passages of a corpus one by one; a line that is none, or repeats an id, is a fault.

    `name` is what the file is called, by which a line without an id is known.
    """
    seen: dict[str, int] = {}
    for line in given:
        try:
            passage = _passage(line, name)
        except DocumentError as error:
            yield Fault(line[0], str(error))
            continue
        first = seen.setdefault(passage.id, line[0])
        if first == line[0]:
            yield passage
        else:
            problem = f"its id {shown(passage.id)} is already in line {first}, which was kept"
            yield Fault(line[0], f"{problem}; give each passage an id of its own")


def parsed(passage: GivenPassage, sizes: ChunkSizes = USUAL, place: str | None = None) -> Parsed:
    """Return a passage as a document of one page; it is known by its id, title and text together."""
    page = DocumentPart("page", 1, "Page 1", 0, len(passage.text))
    reading = Reading(passage.title, PASSAGE, passage.text, (page,), language=language_of(passage.text))
    line = {"id": passage.id, "title": passage.title, "text": passage.text}
    data = json.dumps(line, ensure_ascii=False).encode()
    return parse(data, passage.id, reading, (place or passage.id,), sizes=sizes)


def shown(text: str) -> str:
    """Return a text from a file quoted for a message: on one line, truncated."""
    return repr(text if len(text) <= 60 else f"{text[:59]}…")


def _passage(line: Line, name: str) -> GivenPassage:
    item = json_object(line[1], "an id")
    text, title = item.get("text"), item.get("title")
    if text is None and "triples" in item:
        raise DocumentError("it has triples and no text; read the texts as documents, and name this file with triples=")
    if not isinstance(text, str):
        what = "is a message of a recorded session" if _is_message(item) else "has no text"
        raise DocumentError(f"it {what}, and others in this file are passages; give it a text, or a file of its own")
    named = _id(item) if "id" in item else f"{name or 'passage'}, line {line[0]}"
    if not text.strip():
        raise DocumentError("its text is empty; give it some words or leave the line out")
    if not isinstance(title, str | None):
        raise DocumentError("its title is not text; write it in quotation marks")
    title = " ".join((title or "").split()) or named
    check_text(title + text)
    return GivenPassage(named, title, text, bool(item.get("triples")))
