"""Word documents, by mammoth: it knows styles, numbering, footnotes, text boxes and content controls, which python-docx
passes over, and gives HTML. Pictures, macros, templates elsewhere and style maps inside the file are not looked at.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence

from explorer.errors import DocumentError
from explorer.ingest.limits import Meter
from explorer.ingest.readers.archive import check_office, opened, properties
from explorer.ingest.readers.document_text import Reading, named, title_from
from explorer.ingest.readers.formats import format_of
from explorer.ingest.readers.html_as_markdown import Marked, joined, line_of, marked, parsed
from explorer.ingest.readers.markdown import sections
from explorer.ingest.readers.office import Package
from explorer.ingest.readers.word_markup import CHUNK, Markup
from explorer.text import count

_MIME = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
_MIME_MACROS = "application/vnd.ms-word.document.macroEnabled.12"
_STYLES = """
p[style-name='Title'] => h1.title:fresh
p[style-name='Subtitle'] => p:fresh
p[style-name='Quote'] => blockquote > p:fresh
p[style-name='Intense Quote'] => blockquote > p:fresh
p[style-name='Source Code'] => pre:separator('\\n')
p[style-name='Code'] => pre:separator('\\n')
p[style-name='HTML Preformatted'] => pre:separator('\\n')
p[style-name='Preformatted Text'] => pre:separator('\\n')
"""
_OPTIONAL = (
    "styles",
    "numbering",
    "footnotes",
    "endnotes",
    "comments",
    "settings",
    "header",
    "footer",
)  # kinds of parts
_ENCLOSED = frozenset({"HTML", "web archive", "text", "Markdown"})  # formats of pages in a document
_UNKNOWN_SIGN = "A w:sym element"  # as mammoth's message begins
_CHUNK = re.compile(f"<p>{CHUNK.format('(.*?)')}</p>")


def read_word(data: bytes, name: str, meter: Meter) -> Reading:
    """Read a Word document. Raises DocumentError when it is damaged, encrypted, too large, or has no text in it."""
    with opened(data, name, meter.limits) as archive:
        check_office(archive, name)
        title, author, date = properties(archive)
        package = Package(archive)
        html, told = _html(package)
        page = parsed(html, name)
        entitled = page.css_first("h1.title")
        styled = None if entitled is None else line_of(entitled)
        notes = list(told)
        pieces = _CHUNK.split(html)
        whole = [marked(page.body)] if page.body is not None else []
        blocks = whole if len(pieces) == 1 else _blocks(pieces, package, name, meter, notes)
        found = joined([one for one in blocks if one.text])
    if not found.text:
        raise DocumentError(
            f"{name!r} has no text in it; open it in Word and look whether it holds more than pictures."
        )
    firsts = [(words, start) for level, words, start in found.headings if level == 1]
    heading = firsts[0][0] if firsts and (len(firsts) == 1 or firsts[0][1] == 0) else None  # else that of a chapter
    title = title or named(styled) or named(heading) or title_from(name)
    parts = tuple(sections(found.text, 0, found.headings, title))
    mime = _MIME_MACROS if package.has_macros else _MIME
    return Reading(title, mime, found.text, parts, author, date, notes=tuple(notes))


def _html(package: Package) -> tuple[str, tuple[str, ...]]:
    """The HTML of a document, and notes; where a part that the words can do without can't be read, without that."""
    try:
        return _converted(package)
    except Exception as error:  # noqa: BLE001 - whatever mammoth raises, which is told where nothing helps
        first = error
    for without in (*((kind,) for kind in _OPTIONAL), _OPTIONAL):
        try:
            html, notes = _converted(package, without)
        except Exception:  # noqa: BLE001, S112 - the first is told
            continue
        what = without[0] if len(without) == 1 else "styles and notes"
        return html, (f"its {what} can't be read and are left out ({type(first).__name__}: {first})", *notes)
    raise first


def _converted(package: Package, without: tuple[str, ...] = ()) -> tuple[str, tuple[str, ...]]:
    import mammoth

    markup = Markup(package, without)
    made = mammoth.convert_to_html(
        io.BytesIO(package.canonical(markup.changed, without)),
        style_map=_STYLES,
        include_embedded_style_map=False,
        convert_image=lambda _: [],
        external_file_access=False,
    )
    if signs := sum(one.message.startswith(_UNKNOWN_SIGN) for one in made.messages):
        markup.left_out["unknown sign"] += signs
    return made.value, (*package.notes, *markup.notes)


def _enclosed(data: bytes, name: str, meter: Meter) -> Marked:
    """What a file says that is enclosed in a document; of a document in it without what is enclosed there."""
    form = format_of(data, name)
    if form.name == "Word":
        with opened(data, name, meter.limits) as archive:
            check_office(archive, name)
            html, _ = _html(Package(archive))
        body = parsed(_CHUNK.sub("", html), name).body
        return Marked("", ()) if body is None else marked(body)
    return Marked(form.read(data, name, place=name, meter=meter).text if form.name in _ENCLOSED else "", ())


def _blocks(pieces: Sequence[str], package: Package, name: str, meter: Meter, notes: list[str]) -> Iterator[Marked]:
    """What the pieces of a document say, and between them the enclosed files; `notes` tells of those left out."""
    relations = {one.id: one.target for one in package.relations(package.main) if one.is_there}
    unread = 0
    for at, piece in enumerate(pieces):
        if at % 2 == 0:
            body = parsed(piece, name).body
            if body is not None:
                yield marked(body)
            continue
        try:
            found = _enclosed(package.read(relations[piece]), relations[piece], meter)
        except Exception:  # noqa: BLE001 - it is told
            found = Marked("", ())
        unread += not found.text
        yield found
    if unread:
        notes.append(f"{count(unread, 'enclosed file')} left out")
