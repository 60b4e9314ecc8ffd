"""Damaged and hostile files of each format: read as far as they have words, or refused in one sentence, and soon."""

import io
import json
import random
import re
import socket
import struct
import zipfile
from itertools import pairwise
from pathlib import Path
from time import process_time

import pytest

import explorer
from explorer.errors import DocumentError
from tests.corpus import Clock, ids, pdf
from tests.ingest.readers.made import CONTAINER, MADE, OPF, archived, changed, workbook
from tests.ingest.readers.test_reader_process import written
from tests.ingest.readers.test_unlocking import shut_pdf
from tests.ingest.readers.test_workbooks import OLE
from tests.ingest.readers.test_workbooks import stream as stream_of
from tests.ingest.test_bad_input import OUTSIDE, WORDS, with_relation
from tests.opened import ON_SERVERS

BLOCKS = [(True, "Valves"), (False, WORDS)]
DOCX, PPTX, EPUB = (MADE[name](BLOCKS) for name in ("a.docx", "a.pptx", "a.epub"))
MAIL = "From: a@example.org\nSubject: Valves\nMIME-Version: 1.0\n"
SHEET = '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">{}</worksheet>'
CELL = f'<row r="1"><c r="A1" t="inlineStr"><is><t>{WORDS}</t></is></c></row>'
W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
PARAGRAPH = f"<w:p><w:r><w:t>{WORDS}</w:t></w:r></w:p>"
ENTRY = DOCX.index(b"PK\x01\x02") + 8  # what the archive says of its first part: whether it is encrypted
PDF = pdf((WORDS,))
NO_TEXT = "is (binary, not text|not UTF-8 text, and its encoding can't be told); "


XLSX = workbook(("Part", "Maker"), ("relief valve", WORDS))


def cut(data, name):
    """An archive of which a part lacks its first half."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        part = archive.getinfo(name)
    start = part.header_offset + 30 + len(part.filename) + 10
    return data[:start] + bytes(part.compress_size // 2) + data[start + part.compress_size // 2 :]


def mistaken(data, name):
    """An archive of which a part has another checksum than it says."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        crc = archive.getinfo(name).CRC
    return data.replace(struct.pack("<L", crc), struct.pack("<L", crc ^ 1))


def sheet(rows):
    return changed(XLSX, xl__worksheets__sheet1_dot_xml=SHEET.format(rows))


def of_word(words):
    return changed(DOCX, word__document_dot_xml=f"<w:document {W}><w:body>{words}</w:body></w:document>".encode())


def open_document(kind):
    mime = f"application/vnd.oasis.opendocument.{kind}"
    return archived({"mimetype": mime, "content.xml": "<a/>", "META-INF/manifest.xml": "<a/>"})


def nested(data, times):
    for number in range(times):
        data = archived({f"inner{number}.docx": data})
    return data


def drawn(content, *more, kids="3 0 R", count=1):
    """A PDF of one page with this content, and more objects from number 6 on."""
    fonts = b"/Resources << /Font << /F1 5 0 R >> >>"
    return written([
        b"<< /Type /Catalog /Pages 2 0 R /OpenAction << /S /JavaScript /JS (app.alert\\(1\\)) >> >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {count} >>".encode(),
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 200] /Contents 4 0 R %s >>" % fonts, content,
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>", *more,
    ])  # fmt: skip


def stream(words):
    return b"<< /Length %d >>\nstream\n%s\nendstream" % (len(words), words)


SHOWN = stream(b"BT /F1 12 Tf 10 100 Td (%s) Tj ET" % WORDS.encode())
SPINE = OPF.format(
    title="Valves",
    items="".join(f'<item id="i{n}" href="{href}" media-type="application/xhtml+xml"/>' for n, href in enumerate(
        ("../../../../etc/passwd", "file:///etc/passwd", OUTSIDE, "c%200.xhtml"))),
    spine="".join(f'<itemref idref="i{n}"/>' for n in (0, 1, 2, 3, 9)),
)  # fmt: skip

SPINE_TWICE = OPF.format(
    title="Valves",
    items='<item id="i" href="c%200.xhtml" media-type="application/xhtml+xml"/>',
    spine='<itemref idref="i"/>' * 20_000,
)

READ = {
    "inside.docx": changed(DOCX, word__inner_dot_zip=archived({"a": bytes(3_000_000)})),
    "both.docx": changed(DOCX, **{"META-INF__container_dot_xml": CONTAINER.encode()}),
    "up.docx": changed(DOCX, **{"..__..__evil_dot_txt": b"evil"}),
    "absolute.docx": changed(DOCX, **{"__etc__evil": b"x", "C:\\evil": b"x", "a\nb": b"x", "\u202egnp": b"x"}),
    "tables.docx": of_word(f"{'<w:tbl><w:tr><w:tc>' * 20}{PARAGRAPH}{'</w:tc></w:tr></w:tbl>' * 20}"),
    "span.docx": of_word(
        f'<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="2000000000"/></w:tcPr>{PARAGRAPH}</w:tc></w:tr></w:tbl>'
    ),
    "field.docx": of_word(f'<w:p><w:r><w:instrText>INCLUDETEXT "/etc/passwd"</w:instrText></w:r></w:p>{PARAGRAPH}'),
    "file.pptx": with_relation(PPTX, "ppt/_rels/presentation.xml.rels", "slide", "file:///etc/passwd"),
    "up.epub": changed(EPUB, OEBPS__content_dot_opf=SPINE),
    "spine.epub": changed(EPUB, OEBPS__content_dot_opf=SPINE_TWICE),
    "mimetype.epub": changed(EPUB, mimetype=b"text/plain"),
    "broken-xref.pdf": pdf((WORDS,)).replace(b"startxref", b"startxref\n99999999 %"),
    "script.pdf": drawn(SHOWN, b"<< /Type /Filespec /F (a.exe) /EF << /F 7 0 R >> >>", stream(b"MZ")),
    "page-twice.pdf": drawn(SHOWN, kids="3 0 R 3 0 R", count=2),
    "choices-few.html": f"<select>{'<option>x' * 5_000}</select><p>{WORDS}",
    "spans.html": f"<table><tr>{'<td colspan=1000000 rowspan=1000000>x</td>' * 50}</tr><tr><td>{WORDS}</table>",
    "comment.html": f"<p>{WORDS}</p><!-- {WORDS * 1_000}",
    "marks.html": f"<p><b><i>{WORDS}" + "<p>More words that are bold." * 1_000,
    "open-quote.csv": f'a,b\n"{WORDS}\n' + "x,y\n" * 1_000,
    "ragged.csv": f"a,b\n{','.join('x' * 1_000)}\n{WORDS}\n",
    "far.xlsx": sheet(
        '<dimension ref="A1:XFD1048576"/><sheetData>' + CELL + '<row r="1048576"><c r="XFD1048576" t="inlineStr"><is>'
        "<t>far away</t></is></c></row></sheetData>"
    ),
    "empty-rows.xlsx": sheet(
        f"<sheetData>{CELL}" + "".join(f'<row r="{n}"/>' for n in range(2, 50_000)) + "</sheetData>"
    ),
    "merged.xlsx": sheet(f'<sheetData>{CELL}</sheetData><mergeCells><mergeCell ref="A1:XFD1048576"/></mergeCells>'),
    "external.xlsx": workbook((WORDS, "=[1]Other!A1", f'=WEBSERVICE("{OUTSIDE}")')),
    "field.csv": f'a,b\n"{"lorem ipsum " * 50_000}",x\n{WORDS},y\n',
    "multiparts.eml": MAIL
    + "".join(f"Content-Type: multipart/mixed; boundary=b{n}\n\n--b{n}\n" for n in range(90))
    + f"Content-Type: text/plain\n\n{WORDS}\n",
    "fields.eml": f"{MAIL}Content-Type: text/plain; charset=utf-8; "
    + "; ".join(f"name*{n}*=utf-8''x" for n in range(30_000))
    + f"\n\n{WORDS}\n",
    "headers.eml": "".join(f"X-H{n}: v\n" for n in range(20_000)) + f"{MAIL}\n{WORDS}\n",
    "boundary.eml": MAIL
    + "Content-Type: multipart/mixed; boundary=b\n\n--b\n" * 50
    + f"Content-Type: text/plain\n\n{WORDS}\n--b--\n",
    "half-pair.jsonl": f'{{"name": "lone \\ud800 here", "maker": "x"}}\n{{"name": "{WORDS}", "maker": "y"}}\n',
    "utf16.txt": (f"{WORDS}\n" * 20).encode("utf-16-le"),
    "utf16-be.txt": (f"{WORDS}\n" * 20).encode("utf-16-be"),
    "half-pairs.txt": WORDS.encode() + b" \xed\xa0\x80 \xed\xb0\x80",
    "overlong.txt": WORDS.encode() + b" \xc0\xaf\xe0\x80\xaf",
    "combining.txt": "a" + "\u0301" * 50_000 + f" {WORDS}",
    "emphasis.md": f"{'*a_' * 20_000}\n\n{WORDS}",
    "brackets.md": f"{'[' * 20_000}\n\n{WORDS}",
    "links.md": "".join(f"[a{n}](x:{n}) " for n in range(2_000)) + f"\n\n{WORDS}",
    "line.md": f"# T\n\n{'word ' * 50_000}\n\n{WORDS}",
    "fences.md": "```\n" * 10_001 + WORDS,
    "quoted.md": ">" * 20_000 + WORDS,
    "front.md": f"---\na: &a [{'*a,' * 1_000}]\n---\n{WORDS}",
}
"""Files that have words to be read, whatever else is in them."""

REFUSED = {
    "nul.csv": (f"a,b\n{WORDS},\0\0x\n".encode(), "is binary, not text"),
    "nothing.txt": (b"", "is empty; save some text in it"),
    "nothing.pdf": (b"", "is empty"),
    "nothing.docx": (b"", "is empty"),
    "nothing.ttl": (b"", "is empty"),
    "nothing.jsonl": (b"", "is empty"),
    "half.docx": (DOCX[: len(DOCX) // 2], "is a damaged Word file"),
    "half.xlsx": (XLSX[: len(XLSX) // 2], "is a damaged XLSX file"),
    "part.docx": (cut(DOCX, "word/document.xml"), "is a damaged Word file"),
    "part.pptx": (cut(PPTX, "ppt/slides/slide1.xml"), "is a damaged "),
    "part.epub": (cut(EPUB, "OEBPS/c 0.xhtml"), "is a damaged EPUB file"),
    "part.xlsx": (cut(XLSX, "xl/worksheets/sheet1.xml"), "is a damaged XLSX file"),
    "checksum.docx": (mistaken(DOCX, "word/document.xml"), "is a damaged Word file"),
    "checksum.epub": (mistaken(EPUB, "OEBPS/c 0.xhtml"), "is a damaged EPUB file"),
    "checksum.xlsx": (mistaken(XLSX, "xl/worksheets/sheet1.xml"), "is a damaged XLSX file"),
    "tables-deep.docx": (of_word("<w:tbl><w:tr><w:tc>" * 100_000), "is a damaged Word file"),
    "claims.xlsx": (sheet('<dimension ref="A1:XFD1048576"/><sheetData/>'), "has no row with anything in it"),
    "nested.docx": (nested(DOCX, 5), "is an archive, not a document; unpack it"),
    "deep.docx": (
        changed(DOCX, word__document_dot_xml=f"<w:document {W}><w:body>{'<w:tbl><w:tr><w:tc>' * 3_000}".encode()),
        "is a damaged Word file",
    ),
    "no-part.docx": (changed(DOCX, word__document_dot_xml=b""), "is a damaged Word file"),
    "itself.epub": (
        changed(
            EPUB,
            **{"META-INF__container_dot_xml": CONTAINER.replace("OEBPS/content.opf", "META-INF/container.xml")},
        ),
        "no text in it",
    ),
    "circle.pdf": (drawn(SHOWN, kids="2 0 R 2 0 R", count=100_000), "100,000 pages, more than"),
    "many-pages.pdf": (drawn(b"<< >>", count=2_000_000_000), "no text in it"),
    "deep.html": (f"{'<div>' * 200_000}{WORDS}".encode(), "stand in each other more than 5,000 deep"),
    "tables.html": (f"{'<table><tr><td>' * 20_000}{WORDS}".encode(), "more than 5,000 deep"),
    "attributes.html": (f"<p {' '.join(f'a{n}=1' for n in range(300_000))}>{WORDS}".encode(),
                        "more than 2,000 attributes"),
    "choices.html": (f"<select>{'<option>x' * 100_000}</select><p>{WORDS}".encode(),
                     "more than 30,000 choices in its lists"),
    "fonts.html": ("".join(f"<p><font size={n}>x" for n in range(5_000)).encode(), "marks that are never closed"),
    "fonts.eml": (f"{MAIL}Content-Type: text/html\n\n{''.join(f'<p><font size={n}>x' for n in range(5_000))}".encode(),
                  "marks that are never closed"),
    "parts.eml": (
        (MAIL + "".join(f"Content-Type: multipart/mixed; boundary=b{n}\n\n--b{n}\n" for n in range(3_000))).encode(),
        "is a damaged e-mail file",
    ),
    "charset.eml": (
        f"{MAIL}Content-Type: text/plain; charset=none-such\nContent-Transfer-Encoding: base64\n\n@@@@\n".encode(),
        "without words in it",
    ),
    "deep.jsonl": (b'{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", r"line 1: .*nested too deeply"),
    "number.jsonl": (b'{"a": %s}\n' % (b"9" * 10_000), r"line 1: .*a number in it is too long"),
    "keys.jsonl": (b"".join(json.dumps({f"k{n}": "v"}).encode() + b"\n" for n in range(5_000)),
                   "more than 2,000,000 cells"),
    "controls.txt": (bytes(range(1, 32)) + WORDS.encode(), "is binary, not text"),
    "deep.jsonld": (b'{"@id":"x:a","x:b":' * 3_000 + b'"v"' + b"}" * 3_000, "nested deeper than 100"),
    "within.jsonld": (b'{"@context":{"a":{"@id":"x:a","@context":"file:///etc/passwd"}},"a":{"x:b":"c"}}',
                      "put the context itself"),
    "blank.ttl": (b"<x:a> <x:b> " + b"[" * 50_000, "line 1, column 14"),
    "context.jsonld": (b'{"@context":{"@import":"%s"},"@id":"x:a","x:b":"c"}' % OUTSIDE.encode(),
                       "put the context itself"),
    "entity.rdf": (
        (
            b'<?xml version="1.0"?><!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><rdf:RDF '
            b'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://example.org/"><rdf:Description '
            b'rdf:about="http://example.org/a"><e:b>&x;</e:b></rdf:Description></rdf:RDF>'
        ),
        "DOCTYPE",
    ),
    "binary.txt": (bytes(range(256)) * 20, "is binary, not text"),
    "cut.pdf": (PDF[:200], "is a damaged PDF"),
    "blank.md": (b" \n\t\n", "has nothing but blanks in it"),
    "blanks.csv": (b",,\n,,\n", "has no row with anything in it"),
    "picture.txt": (b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20, "is binary, not text"),
    "picture.png": (b"\x89PNG\r\n\x1a\n" + bytes(50), "is of a type that can't be read; save it as PDF,"),
    "program.md": (b"\x7fELF" + bytes(5000), "is binary, not text"),
    "program.so": (b"\x7fELF", "is of a type that can't be read; save it as PDF,"),
    "short.dat": (b"\x01\x02", "is of a type that can't be read; save it as PDF, Markdown or text"),
    "sound.csv": (b"RIFF\x24\x08\x00\x00WAVE" + bytes(range(256)) * 9, "is binary, not text"),
    "bytes.ttl": (bytes(range(256)) * 20, "line 2, column 118: byte 128 is 0x80, which is not UTF-8"),
    "zeros.nt": (bytes(1000), "states no fact"),
    "bytes.jsonl": (bytes(range(256)) * 20, "line 1: it is not JSON"),
    "bytes.eml": (b"\x00\x01" * 5000, "is binary"),
    "database.txt": (b"SQLite format 3\x00" + bytes(4000), "is binary"),
    "nul.txt": (b"word\0words", "is binary, not text"),
    "nul.md": (b"words\0words", "is binary, not text"),
    "nul.jsonl": (b'{"Part": "drop\0ped"}\n', r"line 1: it is not JSON \(Invalid control"),
    "marks.txt": (b"\x01\x02words" * 9, "is binary, not text"),
    "wide.txt": (b"ab\0\0" * 40, "is binary, not text"),
    "zeros.txt": (bytes(100), "is binary, not text"),
    "each.txt": (bytes(range(1, 256)) * 4, "is binary, not text"),
    "chance.txt": (random.Random(1).randbytes(3000), NO_TEXT),
    "signed.txt": (b"\x89PNG\r\n\x1a\n\0\0" + random.Random(2).randbytes(501), NO_TEXT),
    "bad.txt": (b"\xff\xfea", "is not UTF-8 text, and its encoding can't be told; save it as UTF-8"),
    "codes.txt": (b"\x80\x90\xff\xfe\x81" * 20, NO_TEXT),
    "half-pair.txt": (b"\xff\xfe\x00\xd8", NO_TEXT),
    "pieces.txt": (archived({"one.txt": "words", "two.txt": "words"}), "is an archive, not a document; unpack it"),
    "open.odt": (open_document("text"), "is a damaged"),
    "open.ods": (open_document("spreadsheet"), "is a damaged"),
    "open.odp": (open_document("presentation"), "is an OpenDocument file of a kind that can't be read; save it as PDF"),
    "rich.docx": (rb"{\rtf1\ansi The slip.}", r"is a rich text file \(RTF\), which can't be read; save it as"),
    "old.doc": (OLE + bytes(504), "is of an older type of Office files; save it as PDF,"),
    "encrypted.docx": (OLE + bytes(504) + "EncryptedPackage".encode("utf-16-le"),
                       "is encrypted; give its password with password= or --password, or save a copy"),
    "encrypted.xlsx": (OLE + "EncryptedPackage".encode("utf-16-le"), "is encrypted"),
    "entry.docx": (DOCX[:ENTRY] + b"\1" + DOCX[ENTRY + 1 :], "is encrypted"),
    "words.docx": (b"\0\1 only words", "is a damaged Word file"),
    "words.pptx": (b"\0\1 only words", "is a damaged "),
    "words.epub": (b"\0\1 only words", "is a damaged EPUB file"),
    "words.html": (b"\0\1 only words", ""),
    "words.xlsx": (b"Name,Price\n", r"is a damaged XLSX file \(File is not a zip file\); open it in"),
    "words.xls": (b"Name,Price\n", r"can't be read as XLS \(XLRDError: "),
    "words.pdf": (b"not a PDF at all", "is a damaged PDF"),
    "begun.docx": (b"PK\x03\x04", "is a damaged Word file"),
    "half.pptx": (PPTX[: len(PPTX) // 2], "is a damaged "),
    "half.epub": (EPUB[: len(EPUB) // 2], "is a damaged EPUB file"),
    "end.xlsx": (XLSX[:-40], "is a damaged XLSX file"),
    "stream.xls": (OLE + stream_of("Workbook"), r"can't be read as XLS \(CompDocError: "),
    "empty.xlsx": (workbook(), "has no row with anything in it"),
    "empty.html": (b"<html>", "has no text in it"),
    "end.pdf": (PDF[:-300], "is a damaged PDF, its end is missing; get a complete copy of it"),
    "later.pdf": (PDF + b"\n9 0 obj\n<</Type/Catalog", "is a damaged PDF, its end is missing"),
    "nothing-in.pdf": (b"%PDF-1.7 nothing %%EOF", "is a damaged PDF; open it in a viewer and save it again"),
    "encrypted.pdf": (shut_pdf(),
                      "is an encrypted PDF; give its password with password= or --password, or save a copy"),
    "scanned.pdf": (drawn(stream(b"50 50 90 90 re S")),
                    "has no text in it, only pictures; and no words could be recognised in them"),
    "syntax.ttl": (b"@prefix e: <http://e/> .\ne:a e:p e:b .\ne:a e:p .\n", "at line 3, column 9: "),
    "open.trig": (b"@prefix e: <http://e/> .\n{e:a e:p e:b .\n", "at line 3, column 1: "),
    "syntax.jsonld": (b'{"@id":"http://e/a",\n "http://e/p" 1}', "at line 2, column 15: "),
    "open.rdf": (b'<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">', "at line 1, column 66: no elem"),
    "none.nt": (b"nonsense\n", r"states no fact \(line 1, column 1: "),
    "none.nq": (b"# x\n<e:a> <e:p> e:b .\n", r"states no fact \(line 2, column 13: "),
    "latin.ttl": ('<http://e/a> <http://e/p> "é" .'.encode("latin-1"), "byte 27 is 0xe9, which is not UTF-8; "),
    "empty.ttl": (b"# nothing\n", "states no fact; check that it is the right file"),
    "deep.nt": (b"<e:a> <e:p> " + b"<<( <e:a> <e:p> " * 20_000 + b"<e:b>" + b" )>>" * 20_000 + b" .\n",
                "nested deeper"),
    "deeper.jsonld": (b'{"@id":"e:a","e:p":' * 6000 + b"1" + b"}" * 6000, "nested deeper than 100"),
    "remote.jsonld": (b'{"@context":"https://e.org/c","@id":"e:a","name":"x"}', "put the context itself into the file"),
    "runs.trig": (b"<urn:trustgraph:question:1> a <https://trustgraph.ai/ns/Question> .",
                  "use `explorer import` for it"),
    "provenance.ttl": (
        b"@prefix p: <http://www.w3.org/ns/prov#> .\n<> a p:Bundle ; p:wasAttributedTo <#ann> .\n<#ann> a p:Person .",
        r"states no fact but \d+ statements? of provenance or a record; use `explorer import` for it",
    ),
    "runs.nq": (b"<urn:a> <urn:b> <urn:c> <urn:graph:retrieval> .\n", "use `explorer import` for it"),
    "asked.nt": (b'<urn:a> <https://trustgraph.ai/ns/query> "Who?" .\n', "use `explorer import` for it"),
}  # fmt: skip
"""Files of which nothing is stored, with what their sentence says."""


def saved(folder, name, data):
    (folder / name).write_bytes(data if isinstance(data, bytes) else data.encode())
    return folder / name


def read_at_once(ws, folder, **how):
    """Read a folder in one call; no file of it may take long."""
    begun = [("", process_time())]
    done = ws.ingest(folder, progress=lambda step: begun.append((step.file, process_time())), **how)
    begun.append(("", process_time()))
    took = {file: after - before for (file, before), (_, after) in pairwise(begun)}
    assert {file: seconds for file, seconds in took.items() if seconds > 20} == {}
    return done


OF_SERVERS = {"writers", "begun", "changes", "reading", "settings"}  # who writes, what is under way, where the graph is


def all_of(ws):
    """Every triple, and every row of every table: of the words of keywords too."""
    database = ws.stores.database
    if ON_SERVERS:
        tables = {*database.tables()} - OF_SERVERS
    else:
        tables = [one["name"] for one in database.rows("SELECT name FROM sqlite_master WHERE type = 'table'")]
    rows = {name: sorted(repr(tuple(row)) for row in database.rows(f'SELECT * FROM "{name}"')) for name in tables}
    return set(ws.graph.match()), rows


def test_what_has_words_is_read_whatever_else_is_in_it(ws, tmp_path, no_network):
    for name, data in READ.items():
        saved(tmp_path, name, data)
    done = read_at_once(ws, tmp_path, extractors=())
    assert (done.documents, done.refused) == (len(READ), ())
    for document in ws.documents:
        name = Path(document.source).name
        assert WORDS in " ".join(document.text.split()), name
        assert "root:" not in document.text, name
        for page in document.pages:
            assert document.text[page.start : page.end] == page.text, name
    assert no_network == []


def test_what_is_damaged_or_harmful_is_refused_in_a_sentence_and_leaves_nothing_beside_the_good(tmp_path, no_network):
    for name, (data, _) in REFUSED.items():
        saved(tmp_path, name, data)
    good = saved(tmp_path, "good.txt", WORDS)
    with explorer.open(ids=ids(), clock=Clock()) as ws, explorer.open(ids=ids(), clock=Clock()) as other:
        done = read_at_once(ws, tmp_path)
        said = {Path(one.path).name: one.reason for one in done.refused}
        assert said.keys() == REFUSED.keys()
        wrong = {name: said[name] for name, (_, why) in REFUSED.items()
                 if not re.fullmatch(rf".*{re.escape(name)}\b.*{why}.*\.", said[name])}  # fmt: skip
        assert wrong == {}
        other.ingest(good, progress=False)
        assert all_of(ws) == all_of(other)
        with pytest.raises(DocumentError, match="is empty"):
            ws.ingest(tmp_path / "nothing.txt", progress=False)
    assert no_network == []


def test_sockets_and_devices_are_no_files(tmp_path):
    with socket.socket(socket.AF_UNIX) as listening, explorer.open() as ws:
        listening.bind(str(tmp_path / "s.txt"))
        for place, kind in ((tmp_path / "s.txt", "a socket"), ("/dev/zero", "a device"), ("/dev/stdin", "")):
            with pytest.raises(DocumentError, match=rf"{kind}.*name a file|can't be read|is empty"):
                ws.ingest(place, progress=False)
        saved(tmp_path, "good.txt", WORDS)
        done = ws.ingest(tmp_path, progress=False)
        assert done.documents == 1
        assert any("as it is no file: s.txt" in note for note in done.notes)
        assert len(ws.documents) == 1
