"""E-mails: who wrote to whom and when, the plain words or else those of the HTML, and the names of what was attached.

Mails that it passes on are read like it. What is attached is not: save it as a file of its own.
"""

from __future__ import annotations

import re
from email import policy
from email.message import EmailMessage
from email.parser import BytesParser
from itertools import groupby
from typing import TYPE_CHECKING, cast

from explorer.errors import DocumentError
from explorer.ingest.readers.document_text import Reading, named, title_from
from explorer.ingest.readers.encoding import decoded
from explorer.ingest.readers.markdown import sections
from explorer.ingest.readers.marked import Marked, joined, marked, parsed, plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_HEAD = ("From", "To", "Cc", "Date")
_LONGEST_FIELD, _LONGEST_KIND = 100_000, 4_000  # code points of a field, and of one that says what a part is
_LOWEST = 6  # level of a heading
_QUOTES = re.compile(r"^>(?:[ \t]?>)*[ \t]?")  # before a line of another mail, one for each that it was quoted in


class _Policy(policy.EmailPolicy):
    """Fields are read as far as a mail server would keep them: each time one is looked at, all of it is parsed."""

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        name, value = super().header_source_parse(sourcelines)
        return name, value[: _LONGEST_KIND if name.lower().startswith("content-") else _LONGEST_FIELD]


def read_mail(data: bytes, name: str) -> Reading:
    """Read an e-mail. Raises DocumentError when it is none, or has no words in it."""
    if b"\0" in data[:4]:  # all of it is in UTF-16, as no program sends it, but an editor may save it
        data = decoded(data, name).text.encode()
    mail = _mail(data)
    said = _head_fields(mail)
    if not (said["From"] or said["Subject"] or said["Date"]):
        raise DocumentError(f"{name!r} has no head of an e-mail; save it again as a file from your mail program.")
    title = named(said["Subject"]) or title_from(name)
    head, *blocks = _blocks(mail, 1, title, name)
    attached = [_line(part.get_filename()) for part in mail.walk() if part.get_filename()]
    day = mail["Date"].datetime.date().isoformat() if said["Date"] and mail["Date"].datetime else None
    blocks = [head, *blocks, *([Marked(f"Attachments: {', '.join(attached)}", ())] if attached else [])]
    if len(blocks) == 1:
        raise DocumentError(
            f"{name!r} is an e-mail without words in it; add what is attached to it as a file of its own."
        )
    whole = joined(blocks)
    parts = tuple(sections(whole.text, 0, whole.headings, title))
    return Reading(title, "message/rfc822", whole.text, parts, named(said["From"]), day)


def _mail(data: bytes) -> EmailMessage:
    return cast("EmailMessage", BytesParser(policy=_Policy()).parsebytes(data))  # as this policy makes them


def _head_fields(mail: EmailMessage) -> dict[str, str]:
    """The fields of its head that are read."""
    return {field: _line(mail.get(field)) for field in (*_HEAD, "Subject")}


def _blocks(mail: EmailMessage, level: int, title: str, name: str) -> Iterator[Marked]:
    """The head of a mail, what it says, and the same of the mails that it passes on."""
    said = _head_fields(mail)
    head = "\n".join(f"{field}: {said[field]}" for field in _HEAD if said[field])
    mark = f"{'#' * level} {title}"
    yield Marked(f"{mark}\n\n{head}".rstrip(), ((level, title, 0),))
    yield from _bodies(mail, name)
    for inner in _passed_on(mail):
        subject = named(_line(inner.get("Subject"))) or "Without a subject"
        yield from _blocks(inner, min(level + 1, _LOWEST), subject, name)


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


def _bodies(mail: EmailMessage, name: str) -> Iterator[Marked]:
    """The words of a mail: its body, and what stands between or below what is attached."""
    if mail.get_content_maintype() == "multipart" and not mail.is_multipart():  # its parts are not marked as it says
        mail.set_type("text/plain")
    body = mail.get_body(("plain", "html"))
    others = mail.iter_attachments() if mail.is_multipart() else ()
    between = [part for part in others if part.get_content_type() == "text/plain" and not part.is_attachment()]
    for part in [body, *(part for part in between if not part.get_filename())]:
        if isinstance(part, EmailMessage) and (found := _words(part, name)).text:
            yield found


def _words(part: EmailMessage, name: str) -> Marked:
    content = part.get_content()
    if not isinstance(content, str):
        return Marked("", ())
    if "\ufffd" in content and part.get_content_charset("us-ascii") == "us-ascii":  # it names no encoding, and has one
        content = _guessed(part, content)
    if part.get_content_subtype() == "html":
        page = parsed(content, name).body
        return marked(page) if page is not None else Marked("", ())
    lines = (plain(line).rstrip() for line in content.encode(errors="replace").decode().splitlines())
    return Marked("\n".join(_without_marks(lines)).strip("\n"), ())


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


def _guessed(part: EmailMessage, content: str) -> str:
    """The words of a part in the encoding that its bytes look like; as they came where that can't be told."""
    data = part.get_payload(decode=True)
    try:
        return decoded(data, "").text if isinstance(data, bytes) else content
    except DocumentError:
        return content


def _line(value: object) -> str:
    """A value of the head on one line."""
    return " ".join(plain("" if value is None else str(value)).encode(errors="replace").decode().split())
