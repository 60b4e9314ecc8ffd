"""Word documents, by mammoth: it knows styles, numbering, footnotes, text boxes and content controls, which python-docx
passes over, and gives HTML. Pictures, macros, templates elsewhere and style maps inside the file are not looked at.
"""

from __future__ import annotations

import io
import zipfile
from typing import TYPE_CHECKING

from explorer.errors import DocumentError
from explorer.ingest.limits import Meter
from explorer.ingest.readers.archive import check_office, opened, properties, xml
from explorer.ingest.readers.document_text import Reading, named, title_from
from explorer.ingest.readers.equations import write_equations
from explorer.ingest.readers.markdown import sections
from explorer.ingest.readers.marked import line_of, marked, parsed

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_MIME = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
_BEFORE = b"gridBefore"
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


def read_word(data: bytes, name: str, meter: Meter) -> Reading:
    """Read a Word document. Raises DocumentError when it is damaged, encrypted, too large, or has no text in it."""
    import mammoth

    with opened(data, name, "Word document", meter.limits) as archive:
        check_office(archive, name)
        title, author, date = properties(archive)
        is_macro = b"macroEnabled" in archive.read("[Content_Types].xml")
        html = mammoth.convert_to_html(
            io.BytesIO(_completed(data)),
            style_map=_STYLES,
            include_embedded_style_map=False,
            convert_image=lambda _: [],
            external_file_access=False,
        ).value
        body = parsed(html, name).body
        found = marked(body) if body is not None else None
        entitled = body.css_first("h1.title") if body is not None else None
        styled = None if entitled is None else line_of(entitled)
    if found is None or not found.text:
        raise DocumentError(
            f"{name!r} has no text in it; open it in Word and look whether it holds more than pictures."
        )
    firsts = [(words, start) for level, words, start in found.headings if level == 1]
    heading = firsts[0][0] if firsts and (len(firsts) == 1 or firsts[0][1] == 0) else None  # else that of a chapter
    title = title or named(styled) or named(heading) or title_from(name)
    parts = tuple(sections(found.text, 0, found.headings, title))
    return Reading(title, _MIME_MACROS if is_macro else _MIME, found.text, parts, author, date)


def _completed(data: bytes) -> bytes:
    """Return a document with what mammoth passes over: equations, and the columns before the first cell of a row."""
    from lxml import etree

    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    lacking = [name for name, part in parts.items() if name.endswith(".xml") and (b"oMath" in part or _BEFORE in part)]
    if not lacking:
        return data
    for name in lacking:
        root = xml(parts[name])
        write_equations(root)
        _fill_rows(root)
        parts[name] = etree.tostring(root, xml_declaration=True, encoding="UTF-8")
    changed = io.BytesIO()
    with zipfile.ZipFile(changed, "w") as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    return changed.getvalue()


def _fill_rows(root: Element) -> None:
    """Begin each row that begins with a later column by an empty cell, so that each value stands in its column."""
    from lxml import etree

    for before in root.iter(f"{_WORD}gridBefore"):
        row = next(before.iterancestors(f"{_WORD}tr"), None)
        first = None if row is None else row.find(f"{_WORD}tc")
        if first is not None:
            cell = etree.Element(f"{_WORD}tc")
            properties = etree.SubElement(cell, f"{_WORD}tcPr")
            etree.SubElement(properties, f"{_WORD}gridSpan", dict(before.attrib))
            etree.SubElement(cell, f"{_WORD}p")
            first.addprevious(cell)
