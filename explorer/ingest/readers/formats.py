"""The formats that are read, a line each: what their files begin with or hold, how they are named, and their reader."""

from __future__ import annotations

import codecs
import io
import re
import zipfile
import zlib
from collections.abc import Collection
from dataclasses import dataclass
from importlib import import_module
from pathlib import PurePath

from explorer.errors import DocumentError
from explorer.ingest.limits import Meter
from explorer.ingest.readers.document_text import Reading
from explorer.ingest.readers.office import schema_of
from explorer.ingest.readers.unlocking import HOW
from explorer.stores.attached import MARK

MARKDOWN = frozenset({".md", ".markdown", ".mdown", ".mkd"})
SAVE_AS = "save it as PDF, Markdown or text and try again"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
XLS = "application/vnd.ms-excel"
_BY_STEPS, _AS_TYPED, _FACTS = "pdf.read_pdf", "markdown.read_text", "rdf_files.read_facts"
_MARK_WITHIN = 1024  # bytes of other things that readers of PDF accept before its mark
_HTML = re.compile(
    rb"(?i)(?:\xef\xbb\xbf)?\s*+(?:<\?xml[^>]*>\s*+)?(?:<!--(?>.*?-->)\s*+){0,9}<(?:!doctype\s+html|html)[\s>]",
    re.DOTALL,
)
_SAVED = re.compile(rb"(?i)From: <Saved by |MIME-Version: 1\.0\r?\nContent-Type: multipart/related;")
_RTF = b"{\\rtf"
_ZIP = b"PK\x03\x04"
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # the container of older Office files, and of encrypted ones
TRIPLES = frozenset({".ttl", ".turtle", ".trig", ".nq", ".nquads", ".nt", ".ntriples", ".rdf", ".owl", ".jsonld"})
_RDF = re.compile(  # each blank is looked at once, however many there are
    rb"(?:\xef\xbb\xbf)?\s*+(?:(?:<[?!][^<>]*>\s*+){0,9}<rdf:RDF\s|[\[\s]*+\{\s*+\"@(?:context|graph)\"\s*:)"
)
_SUFFIX = re.compile(r"\.(?=\w*[a-z])[a-z0-9_+]{1,12}")
_BY_CUSTOM = re.compile(  # what texts are called that have no suffix, whatever stands behind a dot
    r"(?=[A-Z])(?i:read[ _-]?me|install|licen[cs]e|unlicen[cs]e|copying|copyright|notice|authors?|contribut|credits|"
    r"thanks|change|history|news|todo|faq|release[ _-]?notes)[\w -]*\."
)
_BOOK = re.compile(  # a stream in a container: its name in 64 bytes with its end marked, the length of that, its kind
    rb"(?is)(?:W\0o\0r\0k\0b\0o\0o\0k\0\0\0.{46}\x12\0|B\0o\0o\0k\0\0\0.{54}\x0a\0)\x02"
)
_OPEN = re.compile(rb"opendocument\.[a-z]+")
_ODF = {"content.xml", "meta-inf/manifest.xml"}  # parts of each
_FEWEST_LINES, _LOOKED_AT = 3, 20_000  # of a text that is a sheet; and the bytes of it that are looked at
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")


@dataclass(frozen=True, slots=True)
class Format:
    """A format. `mark` is what its files begin with, `part` a file in it where it is a zip archive, `stream` one where
    it is a container of older Office files, `schema` what the main part of a newer one holds.

    `reader` is `module.function` in this folder: it takes bytes and name, returns a Reading and raises DocumentError.
    `takes` names what else it is given: `place`, where the file stands, or `meter`, with the limits of the file.
    """

    name: str
    suffixes: Collection[str]
    reader: str
    mark: re.Pattern[bytes] | None = None
    part: str | None = None
    stream: re.Pattern[bytes] | None = None
    schema: str = ""
    takes: str = ""

    @property
    def is_typed(self) -> bool:
        """Whether its files are the text as it was typed."""
        return self.reader == _AS_TYPED

    @property
    def has_steps(self) -> bool:
        """Whether its reader tells each step that it takes, of which none should take long."""
        return self.reader == _BY_STEPS

    @property
    def is_rdf(self) -> bool:
        """Whether its files state facts."""
        return self.reader == _FACTS

    def read(self, data: bytes, name: str, **given: str | Meter) -> Reading:
        """Read a file of this format; raises DocumentError."""
        module, _, function = self.reader.partition(".")
        reader = getattr(import_module(f"explorer.ingest.readers.{module}"), function)
        reading: Reading = reader(data, name, *(given[self.takes] for _ in [0] if self.takes))
        return reading


FORMATS = (
    Format("PDF", {".pdf"}, _BY_STEPS, mark=re.compile(rb"%PDF-"), takes="meter"),
    Format("Markdown", MARKDOWN, _AS_TYPED),
    Format("HTML", {".html", ".htm", ".xhtml"}, "html.read_html", mark=_HTML),
    Format("Word", {".docx", ".docm", ".dotx", ".dotm"}, "word.read_word", schema="wordprocessingml", takes="meter"),
    Format(
        "PowerPoint",
        {".pptx", ".pptm", ".ppsx", ".ppsm", ".potx", ".potm"},
        "slides.read_slides",
        schema="presentationml",
        takes="meter",
    ),
    Format("EPUB", {".epub"}, "book.read_book", part="META-INF/container.xml", takes="meter"),
    Format("e-mail", {".eml", ".mbox"}, "mail.read_mail"),
    Format("web archive", {".mht", ".mhtml"}, "mail.read_archive", mark=_SAVED),
    Format("CSV", {".csv", ".tsv", ".tab"}, "separated.read_separated", takes="meter"),
    Format("JSON lines", {".jsonl", ".ndjson"}, "separated.read_json_lines"),
    Format("XLSX", {".xlsx", ".xlsm", ".xltx", ".xltm"}, "workbooks.read_xlsx", schema="spreadsheetml", takes="meter"),
    Format("XLS", {".xls"}, "workbooks.read_xls", stream=_BOOK),
    Format("OpenDocument text", {".odt", ".ott"}, "opendocument.read_text", schema="opendocument.text", takes="meter"),
    Format(
        "OpenDocument sheets",
        {".ods", ".ots"},
        "opendocument.read_sheets",
        schema="opendocument.spreadsheet",
        takes="meter",
    ),
    Format("SPARQL store", set(), _FACTS, mark=re.compile(re.escape(MARK)), takes="place"),
    Format("RDF", TRIPLES, _FACTS, mark=_RDF, takes="place"),
    Format("text", {"", ".txt", ".text", ".log", ".rst", ".adoc", ".asciidoc", ".org"}, _AS_TYPED),
)


def is_archive(data: bytes) -> bool:
    """Whether only what is in a file tells its format, which takes a library in C."""
    return data.startswith((_ZIP, _OLE))


def format_of(data: bytes, name: str) -> Format:
    """Return the format that the first bytes of a file tell, else that of its suffix; raises DocumentError."""
    if data.startswith(_RTF):
        raise DocumentError(f"{name!r} is a rich text file (RTF), which can't be read; {SAVE_AS}.")
    suffix = PurePath(name).suffix.lower()
    named = next((each for each in FORMATS if suffix in each.suffixes), None)
    if named is None and (not _SUFFIX.fullmatch(suffix) or _BY_CUSTOM.match(PurePath(name).name)):
        named = next(each for each in FORMATS if "" in each.suffixes)  # "MPL-2.0", "LICENSE.MIT", "Mr. Smith on tanks"
    told = next((each for each in FORMATS if each.mark and each.mark.match(data)), None) or _archived(data, name)
    if told is None and named is None:
        told = next((each for each in FORMATS if each.mark and each.mark.search(data, 0, _MARK_WITHIN)), None)
    found = told or named
    if found is None:
        raise DocumentError(f"{name!r} is of a type that can't be read; {SAVE_AS}.")
    is_sheet = suffix == ".txt" and found.is_typed and _is_sheet(data[:_LOOKED_AT])
    return next(each for each in FORMATS if ".tsv" in each.suffixes) if is_sheet else found


def _is_sheet(data: bytes) -> bool:
    """Whether the lines of a text have as many tabs each, below heads, as a sheet has that was saved as text."""
    from explorer.language.tables import are_heads

    is_wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    text = data.decode("utf-16" if is_wide else "latin-1", errors="replace")
    first, *lines = text.rpartition("\n")[0].splitlines() or [""]
    heads = first.split("\t")
    return len(lines) + 1 >= _FEWEST_LINES and len(heads) > 1 and all(heads) and are_heads(heads) and all(
        line.count("\t") == len(heads) - 1 for line in lines)  # fmt: skip


def _archived(data: bytes, name: str) -> Format | None:
    if data.startswith(_OLE):
        if _ENCRYPTED in data:
            raise DocumentError(f"{name!r} is encrypted; {HOW}.")
        older = next((each for each in FORMATS if each.stream and each.stream.search(data)), None)
        if older is not None:
            return older
        raise DocumentError(f"{name!r} is of an older type of Office files; {SAVE_AS}.")
    if not data.startswith(_ZIP):
        return None
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            inside = {name.lower() for name in archive.namelist()}
            schema = _open_schema(archive) if inside >= _ODF else schema_of(archive)
    except (zipfile.BadZipFile, ValueError, NotImplementedError, EOFError, OSError, zlib.error):
        return None
    told = next((each for each in FORMATS if (each.part or "").lower() in inside or each.schema == schema != ""), None)
    if told is None and inside >= _ODF:
        raise DocumentError(f"{name!r} is an OpenDocument file of a kind that can't be read; {SAVE_AS}.")
    if told is None:
        raise DocumentError(f"{name!r} is an archive, not a document; unpack it and add what is in it.")
    return told


def _open_schema(archive: zipfile.ZipFile) -> str:
    """What an OpenDocument file says that it holds, in its own file or in the list of them."""
    own = next((one for one in ("mimetype", "META-INF/manifest.xml") if one in archive.namelist()), None)
    if own is None:
        return ""
    with archive.open(own) as part:
        found = _OPEN.search(part.read(_LOOKED_AT))
    return found[0].decode() if found else ""
