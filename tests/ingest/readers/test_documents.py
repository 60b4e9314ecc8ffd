from __future__ import annotations

import io
import zipfile
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from explorer.errors import DocumentError
from explorer.ingest.chunker import chunks
from explorer.ingest.readers.files import read
from tests.ingest.readers.made import MADE, archived, changed, page, word

CHARACTERS = "abcXYZ09 .,;|<>&\"'#*_-\u00ad\u0301\u00df\ufb01\u4e2d\U0001f680\U00010348\u2028\u00a0\u200d\t"
BLOCKS = st.lists(
    st.tuples(st.booleans(), st.text(CHARACTERS, min_size=1, max_size=40).filter(lambda text: text.strip("\u00ad \t"))),
    min_size=1,
    max_size=6,
)


def seen(text):
    """The characters of a text that can be seen, but for what a reader adds or may leave out."""
    return "".join(text.split()).replace("\u00ad", "").replace("\\|", "|")


@pytest.mark.parametrize("name", MADE)
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(blocks=BLOCKS, crlf=st.booleans())
def test_every_word_is_there_in_order_at_its_exact_offset(name, blocks, crlf):
    data = MADE[name](blocks)
    reading = read(
        data.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n") if crlf and name in {"a.html", "a.eml"} else data, name
    )
    place, text = 0, seen(reading.text)
    for _, words in blocks:
        place = text.index(seen(words), place) + len(seen(words))
    covered = set()
    for chunk in chunks(reading, 60, 10):
        assert reading.text[chunk.start : chunk.end] == chunk.text
        covered |= set(range(chunk.start, chunk.end))
    assert not "".join(c for place, c in enumerate(reading.text) if place not in covered).strip()
    assert all(before.end <= after.start for before, after in zip(reading.parts, reading.parts[1:], strict=False))
    assert "\u00ad" not in reading.text
    assert "\r" not in reading.text


@pytest.mark.parametrize(
    ("name", "other"), [("a.docx", "b.txt"), ("a.pptx", "b.docx"), ("a.epub", "b.zip"), ("a.html", "b.txt")]
)
def test_what_a_file_holds_tells_its_format_whatever_its_name(name, other):
    data = MADE[name]([(True, "Loss of a tank"), (False, "It was dropped.")])
    right, wrong = read(data, name), read(data, other)
    assert (right.mime, right.text) == (wrong.mime, wrong.text)


@pytest.mark.parametrize("name", [name for name in MADE if not name.endswith("eml")])
@pytest.mark.parametrize("damage", ["cut", "words", "blank"])
def test_a_damaged_file_is_refused_in_one_sentence(name, damage):
    data = MADE[name]([(False, "words")])
    is_page = name == "a.html"
    given = {"cut": b"<html>" if is_page else data[: len(data) // 2], "words": b"\0\1 only words", "blank": b""}[damage]
    with pytest.raises(DocumentError, match=rf"^'{name}' [^\n]+\.$"):
        read(given, name)


@settings(max_examples=30, deadline=None)
@given(
    name=st.sampled_from(sorted(MADE)), place=st.floats(0, 1, exclude_max=True), junk=st.binary(min_size=1, max_size=40)
)
def test_damaged_bytes_raise_nothing_but_a_document_error(name, place, junk):
    data = bytearray(MADE[name]([(True, "Loss"), (False, "of a tank")]))
    start = int(place * len(data))
    data[start : start + len(junk)] = junk
    with suppress(DocumentError):
        assert read(bytes(data), name).text.strip()


@pytest.mark.parametrize("name", ["a.docx", "a.pptx", "a.epub"])
def test_a_zip_bomb_is_refused_before_it_is_unpacked(name):
    data = changed(MADE[name]([(False, "words")]), filler_dot_bin=bytes(30_000_000))
    assert len(data) < 300_000
    with pytest.raises(DocumentError, match=r"is too large unpacked .*; divide it into several documents\.$"):
        read(data, name)


def test_an_encrypted_archive_is_refused():
    data = bytearray(MADE["a.docx"]([(False, "words")]))
    entry = data.index(b"PK\x01\x02")
    data[entry + 8] |= 1
    with pytest.raises(DocumentError, match="is encrypted"):
        read(bytes(data), "a.docx")


@pytest.mark.parametrize(
    ("name", "part"), [("a.docx", "word__document_dot_xml"), ("a.pptx", "ppt__presentation_dot_xml")]
)
def test_entities_are_never_expanded(name, part, tmp_path):
    (tmp_path / "secret").write_text("secret words")
    lines = "".join(f'<!ENTITY b{n} "{f"&b{n - 1};" * 10}">' for n in range(1, 9))
    bomb = (
        f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY b0 "boom">{lines}<!ENTITY f SYSTEM "file://{tmp_path}/secret">]>'
    )
    with zipfile.ZipFile(io.BytesIO(MADE[name]([(False, "words")]))) as archive:
        xml = archive.read(part.replace("__", "/").replace("_dot_", ".")).decode()
    for encoding in ("utf-8", "utf-16"):
        hostile = (bomb + xml.partition("?>")[2]).replace("words", "&b8; &f;").encode(encoding)
        with pytest.raises(DocumentError, match="declares entities"):
            read(changed(MADE[name]([(False, "words")]), **{part: hostile}), name)


def test_a_page_nested_by_thousands_is_read():
    for tag in ("div", "ul><li", "blockquote", "b", "table><tr><td"):
        reading = read(b"<html>" + f"<{tag}>".encode() * 3_000 + b"Words at the bottom.", "a.html")
        assert reading.text.endswith("Words at the bottom.")


def test_an_archive_of_something_else_is_no_document():
    with pytest.raises(DocumentError, match="is an archive, not a document; unpack it"):
        read(archived({"a.txt": "words"}), "a.docx")


def test_the_title_is_that_of_the_properties_unless_a_program_made_it():
    heads = [(True, "Loss of a tank"), (False, "It was dropped.")]
    assert read(word(heads, "What happened"), "a.docx").title == "What happened"
    assert read(word(heads, "Microsoft Word - a.docx"), "notes/tank_loss.docx").title == "tank loss"
    titled = page(heads).replace(b"<head>", b"<head><title>Untitled Document</title>")
    assert read(titled.replace(b"h2>", b"h1>"), "a.html").title == "Loss of a tank"
