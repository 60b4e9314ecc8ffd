"""The words of a part of an e-mail: in its encoding, lines joined as they flow, quotations without their marks."""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING

from explorer.errors import DocumentError
from explorer.ingest.readers.encoding import decoded
from explorer.ingest.readers.marked import Marked, marked, parsed, plain
from explorer.text import one_line

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterable, Iterator
    from email.message import EmailMessage

_QUOTES = re.compile(r"^>(?:[ \t]?>)*[ \t]?")  # before a line of another mail, one for each that it was quoted in
_GUESSED = frozenset({"us-ascii", "ascii", "utf-8"})  # encodings that are named where another was used
_DIRECTION = re.compile(r"(?<=\d)-[ie]$")  # which way lines run, as "iso-8859-8-i" says it
_FOLDED = re.compile(r"\r?\n[ \t]")  # in a calendar
_ESCAPED = re.compile(r"\\(.)")
_MOMENT = re.compile(r"(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)\d\d(Z?))?")
_TOLD = {"DTSTART": "Begins", "DTEND": "Ends", "LOCATION": "Place", "ORGANIZER": "Organizer", "ATTENDEE": "Attendee"}


def words_of(part: EmailMessage, name: str, notes: Counter[str]) -> Marked:
    """Return what a part of text says; `notes` counts what there is to know of it."""
    content = _content(part, notes)
    kind = part.get_content_subtype()
    if kind == "html":
        page = parsed(content, name).body
        return marked(page) if page is not None else Marked("", ())
    if kind == "calendar":
        return Marked("\n".join(_events(content)), ())
    lines: Iterable[str] = content.encode(errors="replace").decode().splitlines()
    if str(part.get_param("format")).lower() == "flowed":
        lines = _flowed(lines, joins_words=str(part.get_param("delsp")).lower() == "yes")
    lines = (plain(line).rstrip() for line in lines)
    return Marked("\n".join(_without_marks(lines)).strip("\n"), ())


def _content(part: EmailMessage, notes: Counter[str]) -> str:
    """The text of a part; in the encoding that its bytes look like where its own is not known, or another one."""
    data = part.get_payload(decode=True)
    if not isinstance(data, bytes):
        return ""
    encoding = _DIRECTION.sub("", part.get_content_charset("us-ascii"))
    try:
        return data.decode(encoding)
    except LookupError:
        notes[f"an encoding that is not known, {one_line(encoding)}, was judged by the bytes"] += 1
    except ValueError:
        if encoding not in _GUESSED:
            return data.decode(encoding, "replace")
    try:
        return decoded(data, "").text
    except DocumentError:
        return data.decode("utf-8", "replace")


def _flowed(lines: Iterable[str], *, joins_words: bool) -> list[str]:
    """Return lines that were broken to be sent as they were before: one that ends with a blank goes on in the next."""
    made: list[tuple[int, str]] = []
    flows = False
    for line in lines:
        depth = len(line) - len(line.lstrip(">"))
        text = line[depth:].removeprefix(" ")
        goes_on = flows and made[-1][0] == depth and text != "-- "
        flows = text.endswith(" ") and text != "-- "
        words = text[:-1] if flows and joins_words else text
        if goes_on:
            is_new = joins_words and made[-1][1][-1:] in {".", "!", "?"} and text[:1].isupper()
            made[-1] = depth, f"{made[-1][1]}{' ' * is_new}{words}"
        else:
            made.append((depth, words))
    return [f"{'>' * depth}{' ' * bool(depth)}{words}" for depth, words in made]


def _without_marks(lines: Iterable[str]) -> Iterator[str]:
    """Yield lines without the marks of what they quote of other mails; each quotation is a paragraph of its own.

    A single line with a mark may be no quotation, and stays.
    """
    was_quoted = False
    for depth, run in groupby(lines, _depth):
        found = [*run]
        is_quoted = depth > 0 and len(found) > 1
        yield from [""] if is_quoted or was_quoted else ()
        yield from (_QUOTES.sub("", line, 1) for line in found) if is_quoted else found
        was_quoted = is_quoted


def _depth(line: str) -> int:
    marks = _QUOTES.match(line)
    return marks[0].count(">") if marks else 0


def _events(calendar: str) -> Iterator[str]:
    """What an invitation says, a line for each thing."""
    inside = False
    for line in _FOLDED.sub("", calendar).splitlines():
        field, _, value = line.partition(":")
        field, *given = field.split(";")
        if field in {"BEGIN", "END"} and value == "VEVENT":
            inside = field == "BEGIN"
        value = plain(_ESCAPED.sub(lambda found: "\n" if found[1] in "nN" else found[1], value)).strip()
        if not inside or not value:
            continue
        if field == "SUMMARY":
            yield f"Invitation: {value}"
        elif field == "DESCRIPTION":
            yield value
        elif field in _TOLD:
            person = next((one[3:].strip('"') for one in given if one.startswith("CN=")), "")
            moment = _MOMENT.match(value)
            if moment:
                year, month, day, hour, minute, is_utc = moment.groups()
                clock = f" {hour}:{minute}{' UTC' * bool(is_utc)}" if hour else ""
                value = f"{year}-{month}-{day}{clock}"
            yield f"{_TOLD[field]}: {person or value}"
