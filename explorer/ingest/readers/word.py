"""Word documents, by mammoth: it knows styles, numbering, footnotes, text boxes and content controls, which python-docx
passes over, and gives HTML. Pictures, macros, templates elsewhere and style maps inside the file are not looked at.
"""

from __future__ import annotations

import io

from explorer.errors import DocumentError
from explorer.ingest.limits import Meter
from explorer.ingest.readers.archive import check_office, opened, properties
from explorer.ingest.readers.equations import written
from explorer.ingest.readers.markdown import sections
from explorer.ingest.readers.marked import marked, parsed
from explorer.ingest.readers.reading import Reading, named, title_from

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


def read_word(data: bytes, name: str, meter: Meter) -> Reading:
    """Read a Word document. Raises DocumentError when it is damaged, encrypted, too large, or has no text in it."""
    import mammoth

    with opened(data, name, "Word document", meter.limits) as archive:
        check_office(archive, name)
        title, author, date = properties(archive)
        is_macro = b"macroEnabled" in archive.read("[Content_Types].xml")
        html = mammoth.convert_to_html(
            io.BytesIO(written(data)),
            style_map=_STYLES,
            include_embedded_style_map=False,
            convert_image=lambda _: [],
            external_file_access=False,
        ).value
        body = parsed(html, name).body
        found = marked(body) if body is not None else None
    if found is None or not found.text:
        raise DocumentError(
            f"{name!r} has no text in it; open it in Word and look whether it holds more than pictures."
        )
    firsts = [(words, start) for level, words, start in found.headings if level == 1]
    heading = firsts[0][0] if firsts and (len(firsts) == 1 or firsts[0][1] == 0) else None  # else that of a chapter
    title = title or named(heading) or title_from(name)
    parts = tuple(sections(found.text, 0, found.headings, title))
    return Reading(title, _MIME_MACROS if is_macro else _MIME, found.text, parts, author, date)
