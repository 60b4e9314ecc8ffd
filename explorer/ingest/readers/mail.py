"""E-mails: who wrote to whom and when, the plain words or else those of the HTML, and the names of what was attached.

Mails that it passes on, and those that stand in the same file, are read like it. What is attached is not: save it as a
file of its own. A page that a browser saved with what belongs to it is such a mail too.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from email import policy
from email.message import EmailMessage
from email.parser import BytesParser
from itertools import groupby
from typing import cast

from explorer.errors import DocumentError
from explorer.ingest.readers.document_text import Reading, named, title_from
from explorer.ingest.readers.encoding import decoded
from explorer.ingest.readers.html import decoded as decoded_page
from explorer.ingest.readers.html import read_page
from explorer.ingest.readers.html_as_markdown import Marked, joined, marked, parsed, plain
from explorer.ingest.readers.markdown import sections
from explorer.text import count, one_line

_HEAD = ("From", "To", "Cc", "Date")
_LONGEST_FIELD, _LONGEST_KIND = 100_000, 4_000  # code points of a field, and of one that says what a part is
_LOWEST = 6  # level of a heading
_NEXT = re.compile(  # before each of several mails but the first
    rb"(?:(?<=\n\n)|(?<=\r\n\r\n))From \S+ +[A-Z][a-z]{2} +[A-Z][a-z]{2} +\d{1,2} +\d\d:[^\r\n]*\r?\n(?=[!-9;-~]+:)"
)
_BEGINS = re.compile(r"\s*(?:[!-9;-~]+:[^\n]*\n(?:[ \t][^\n]*\n)*)+\r?\n")  # with a head
_STUB = 2  # so many times the words of the plain alternative another has, where that only says so
_QUOTES = re.compile(r"^>(?:[ \t]?>)*[ \t]?")  # before a line of another mail, one for each that it was quoted in
_GUESSED = frozenset({"us-ascii", "ascii", "utf-8"})  # encodings that are named where another was used
_DIRECTION = re.compile(r"(?<=\d)-[ie]$")  # which way lines run, as "iso-8859-8-i" says it
_FOLDED = re.compile(r"\r?\n[ \t]")  # in a calendar
_ESCAPED = re.compile(r"\\(.)")
_MOMENT = re.compile(r"(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)\d\d(Z?))?")
_TOLD = {"DTSTART": "Begins", "DTEND": "Ends", "LOCATION": "Place", "ORGANIZER": "Organizer", "ATTENDEE": "Attendee"}


class _Policy(policy.EmailPolicy):
    """Fields are read as far as a mail server would keep them: each time one is looked at, all of it is parsed."""

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        name, value = super().header_source_parse(sourcelines)
        return name, value[: _LONGEST_KIND if name.lower().startswith("content-") else _LONGEST_FIELD]


def read_mail(data: bytes, name: str) -> Reading:
    """Read an e-mail, or several in one file. Raises DocumentError when it is none, or has no words in it."""
    if b"\0" in data[:4]:  # all of it is in UTF-16, as no program sends it, but an editor may save it
        data = decoded(data, name).text.encode()
    mail, *others = map(_mail, _NEXT.split(data.removeprefix(b"\xef\xbb\xbf").lstrip(b"\r\n")))
    said = _head_fields(mail)
    if not (said["From"] or said["Subject"] or said["Date"]):
        raise DocumentError(f"{name!r} has no head of an e-mail; save it again as a file from your mail program.")
    title = named(said["Subject"]) or title_from(name)
    notes: Counter[str] = Counter()
    blocks, is_worded = [], False
    for number, one in enumerate([mail, *others]):
        subject = title if number == 0 else _subject(one)
        head, *words = _blocks(one, 1, subject, name, notes)
        attached = [_line(part.get_filename()) for part in one.walk() if part.get_filename()]
        is_worded = is_worded or bool(words or attached)
        blocks += [head, *words, *([Marked(f"Attachments: {', '.join(attached)}", ())] if attached else [])]
    if not is_worded:
        raise DocumentError(
            f"{name!r} is an e-mail without words in it; add what is attached to it as a file of its own."
        )
    whole = joined(blocks)
    parts = tuple(sections(whole.text, 0, whole.headings, title))
    day = mail["Date"].datetime.date().isoformat() if said["Date"] and mail["Date"].datetime else None
    told = tuple(what if often == 1 else f"{what} ({often:,} times)" for what, often in notes.items())
    return Reading(title, "message/rfc822", whole.text, parts, named(said["From"]), day, notes=told)


def read_archive(data: bytes, name: str) -> Reading:
    """Read a page that a browser saved with what belongs to it. Raises DocumentError when it has no text in it."""
    mail = _mail(data)
    pages = [part for part in mail.walk() if part.get_content_type() in {"text/html", "application/xhtml+xml"}]
    start = str(mail.get_param("start") or "")
    pages.sort(key=lambda part: part.get("Content-ID") != start)
    readings: list[Reading] = []
    for page in pages:
        content = page.get_payload(decode=True)
        if isinstance(content, bytes):
            try:
                readings.append(read_page(decoded_page(content, name, page.get_content_charset() or ""), name))
            except DocumentError:  # a frame of nothing but other ones
                continue
    if not readings:
        raise DocumentError(f"{name!r} has no page with text in it; open it in a browser and save it again.")
    first, *others = readings
    notes = (f"{count(len(others), 'page')} in its frames left out",) if others else ()
    return replace(first, title=named(_line(mail.get("Subject"))) or first.title, notes=notes)


def _mail(data: bytes) -> EmailMessage:
    return cast("EmailMessage", BytesParser(policy=_Policy()).parsebytes(data))  # as this policy makes them


def _head_fields(mail: EmailMessage) -> dict[str, str]:
    return {field: _line(mail.get(field)) for field in (*_HEAD, "Subject")}


def _subject(mail: EmailMessage) -> str:
    return named(_line(mail.get("Subject"))) or "Without a subject"


def _blocks(mail: EmailMessage, level: int, title: str, name: str, notes: Counter[str]) -> Iterator[Marked]:
    """The head of a mail, what it says, and the same of the mails that it passes on or that stand below it."""
    said = _head_fields(mail)
    head = "\n".join(f"{field}: {said[field]}" for field in _HEAD if said[field])
    mark = f"{'#' * level} {title}"
    yield Marked(f"{mark}\n\n{head}".rstrip(), ((level, title, 0),))
    if mail.get_content_maintype() == "multipart" and not mail.is_multipart():  # its parts are not marked as it says
        mail.set_type("text/plain")
    yield from _bodies(mail, name, notes, is_first=True)
    below = mail.epilogue or ""
    next_one = [_mail(below.lstrip().encode(errors="surrogateescape"))] if _BEGINS.match(below) else []
    next_one = [one for one in next_one if one.get("From") or one.get("Subject")]
    if below.strip() and not next_one:
        yield Marked("\n".join(plain(line).rstrip() for line in below.strip().splitlines()), ())
    for inner in [*_passed_on(mail), *next_one]:
        yield from _blocks(inner, min(level + 1, _LOWEST), _subject(inner), name, notes)


def _passed_on(mail: EmailMessage) -> Iterator[EmailMessage]:
    """The mails in a mail, as of a digest or what was forwarded, but not those in them."""
    todo = [mail]
    while todo:
        part = todo.pop()
        parts = (
            [inner for inner in part.get_payload() if isinstance(inner, EmailMessage)] if part.is_multipart() else []
        )
        if part.get_content_type() == "message/rfc822":
            yield from (_opened(inner, part.get("Content-Transfer-Encoding", "")) for inner in parts)
        else:
            todo += reversed(parts)


def _opened(inner: EmailMessage, encoding: str) -> EmailMessage:
    """A mail that was passed on in an encoding: no standard has that, but there are programs that do it."""
    if inner.keys() or encoding.lower().strip() not in {"base64", "quoted-printable"}:
        return inner
    inner["Content-Transfer-Encoding"] = encoding
    data = inner.get_payload(decode=True)
    return _mail(data) if isinstance(data, bytes) else inner


def _bodies(part: EmailMessage, name: str, notes: Counter[str], *, is_first: bool) -> Iterator[Marked]:
    """The words of a part of a mail: of alternatives the best, of others each that is no attachment.

    `is_first`: whether no other part stands before it; such a one may be called like a file.
    """
    kind, form = part.get_content_maintype(), part.get_content_type()
    inner = [one for one in part.get_payload() if isinstance(one, EmailMessage)] if part.is_multipart() else []
    if form == "multipart/alternative":
        yield from _best([(one, list(_bodies(one, name, notes, is_first=True))) for one in inner])
    elif form == "multipart/related":  # to the first, or the one that is named
        start = part.get_param("start")
        root = next((one for one in inner if start and one.get("Content-ID") == start), inner[0] if inner else None)
        yield from _bodies(root, name, notes, is_first=is_first) if root is not None else ()
    elif kind == "multipart":
        for number, one in enumerate(inner):
            yield from _bodies(one, name, notes, is_first=is_first and number == 0)
    elif part.is_attachment() or (part.get_filename() and not is_first):
        return  # it is named
    elif kind == "text":
        if (found := words_of(part, name, notes)).text:
            yield found
    elif form != "message/rfc822" and not part.get_filename():
        notes[f"a part of the kind {form} left out"] += 1


def _best(ways: list[tuple[EmailMessage, list[Marked]]]) -> Iterator[Marked]:
    """Of alternatives the plain one, unless another says much more; what another of its kind says, invitations, and
    what says something else.
    """
    told = [(one.get_content_type(), found, " ".join(block.text for block in found)) for one, found in ways if found]
    worded = [way for way in told if way[0] != "text/calendar"]
    plain_one = next((way for way in worded if way[0] == "text/plain"), None)
    chosen = max(worded, key=lambda way: len(way[2].split()), default=None)
    if chosen is not None and plain_one is not None and len(chosen[2].split()) <= _STUB * len(plain_one[2].split()):
        chosen = plain_one
    said = ""
    for kind, found, words in filter(None, (chosen, *told)):
        if chosen is not None and kind not in {chosen[0], "text/calendar"} and _is_said(words, chosen[2]):
            continue
        if words not in said:
            said += words
            yield from found


def _is_said(words: str, other: str) -> bool:
    """Return whether half of some words stand in others, which then say the same."""
    own = {*words.split()}
    return 2 * len(own & {*other.split()}) >= len(own)


def _line(value: object) -> str:
    return " ".join(plain("" if value is None else str(value)).encode(errors="replace").decode().split())


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
