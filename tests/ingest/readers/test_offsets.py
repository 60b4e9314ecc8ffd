"""Offsets are exact to the character in every format, over documents that are made of odd characters."""

import csv
import io
import json
import unicodedata

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyoxigraph import Literal, NamedNode, Quad

from explorer import rdf
from explorer.ingest.chunker import chunks
from explorer.ingest.readers.files import read
from explorer.ingest.readers.page_image import page_image
from tests.ingest.readers.made import MADE
from tests.ingest.readers.test_pdf import mapped
from tests.ingest.readers.test_workbooks import label, xls, xlsx

ODD = (
    "\U0001f680\U00010348"  # outside the basic plane
    "\ufb01\ufb03\u00df"  # ligatures
    "\u0301\u0323\u200d\u00ad\u200b\ufeff\u2060"  # marks on letters, joiners, hints and marks without width
    "\u05d0\u05d1\u0627\u0644\u202b\u202c\u200f"  # from right to left
    "\u00a0\u2028\u2029\u0085\u3000\t"  # blanks and ends of lines
    "\u4e2d\u3002\u0e01\u0e33"  # words without blanks
)
PLAIN = "abcXYZ 09 .,;:!?|<>&\"'#*_-=`~()[]\\"
LONG = "word" * 2_000
BLOCK = st.text(PLAIN + ODD, min_size=1, max_size=40).filter(lambda text: any(map(str.isalnum, text)))
BLOCKS = st.lists(st.tuples(st.booleans(), BLOCK | st.just(LONG)), min_size=1, max_size=5)
ENDS = st.sampled_from(["\n", "\r\n", "\r"])


def lines(blocks, ends):
    text = "\n\n".join(f"# {words}" if is_head else words for is_head, words in blocks)
    return text.replace("\n", ends).encode()


def rows(blocks):
    return [["Part", "Words"], *([f"row {number}", words] for number, (_, words) in enumerate(blocks))]


def separated(blocks, ends):
    file = io.StringIO()
    csv.writer(file, lineterminator=ends).writerows(rows(blocks))
    return file.getvalue().encode()


def json_lines(blocks, ends):
    return ends.join(json.dumps(dict(zip(("Part", "Words"), row, strict=True))) for row in rows(blocks)[1:]).encode()


def workbook(blocks, _ends):
    table = [[clean(cell) for cell in row] for row in rows(blocks)]
    return xls(b"".join(label(row, column, cell) for row, line in enumerate(table) for column, cell in enumerate(line)))


def stated(form):
    """Makes RDF in which a thing says the words of each block."""

    def make(blocks, _ends):
        says = NamedNode("urn:says")
        quads = [Quad(NamedNode(f"urn:{number}"), says, Literal(words)) for number, (_, words) in enumerate(blocks)]
        return rdf.dump(quads, form)

    return make


def printed(blocks, _ends):
    """A PDF with a line for each block; its font has up to 255 characters."""
    codes = {
        character: chr(number) for number, character in enumerate(sorted({c for _, words in blocks for c in words}), 33)
    }
    content = b"BT /F1 9 Tf 20 280 Td %s ET" % b" ".join(
        b"<%s> Tj 0 -30 Td" % "".join(f"{ord(codes[c]):02x}" for c in words[:60]).encode() for _, words in blocks
    )
    return mapped(content, **{code: character for character, code in codes.items()})


MAKERS = {
    **{name: lambda blocks, _ends, make=make: make(blocks) for name, make in MADE.items()},
    "a.md": lines,
    "a.txt": lines,
    "a.csv": separated,
    "a.jsonl": lambda blocks, ends: json_lines(blocks, ends.replace("\r", "\n") if ends == "\r" else ends),
    "a.xlsx": lambda blocks, _ends: xlsx(("Sheet A", [[clean(cell) for cell in row] for row in rows(blocks)])),
    "a.xls": workbook,
    "a.ttl": stated("turtle"),
    "a.trig": stated("trig"),
    "a.nt": stated("nt"),
    "a.nq": stated("nq"),
    "a.rdf": stated("rdfxml"),
    "a.jsonld": stated("json-ld"),
    "a.pdf": printed,
}


def clean(cell):
    """A cell that a workbook can hold."""
    return cell.lstrip("=")


MIRRORED = str.maketrans("])>", "[(<")  # as they are where one writes from right to left


def seen(text):
    """What can be seen of a text, but for what a reader adds, resolves or may leave out."""
    text = unicodedata.normalize("NFKC", text).translate(MIRRORED)
    return [c for c in text if not c.isspace() and unicodedata.category(c) not in {"Cf", "Cc"} and c not in "\\|#-="]


def check(name, blocks, ends):
    data = MAKERS[name](blocks, ends)
    reading = read(data, name)
    covered = set()
    for chunk in chunks(reading, 60, 10):
        assert reading.text[chunk.start : chunk.end] == chunk.text
        if chunk.part is not None:
            assert chunk.part.start <= chunk.start <= chunk.end <= chunk.part.end
        assert all(chunk.start <= start < end <= chunk.end for start, end in chunk.sentences)
        covered |= set(range(chunk.start, chunk.end))
    assert not "".join(c for place, c in enumerate(reading.text) if place not in covered).strip()
    ordered = zip(reading.parts, reading.parts[1:], strict=False)
    assert all(before.end <= after.start for before, after in ordered)
    assert reading.text.encode().decode() == reading.text
    assert "\r" not in reading.text
    if name == "a.pdf":  # which sorts out by itself what is written from right to left
        assert sorted(seen(reading.text)) == sorted(seen("".join(words[:60] for _, words in blocks)))
        (boxes,) = page_image(data, 1, [(0, len(reading.text))], width=40).boxes
        assert "".join(box.text for box in boxes) == reading.text
        return
    for fact in reading.facts or ():
        assert "".join(seen(fact.words[2])) in "".join(seen(reading.text[fact.start : fact.end]))
    left = iter(seen(reading.text))
    for _, words in blocks:
        wanted = seen(clean(words) if name in ("a.xlsx", "a.xls") else words)
        assert all(character in left for character in wanted), words


@pytest.mark.parametrize("name", MAKERS)
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(blocks=BLOCKS, ends=ENDS)
def test_every_passage_is_a_slice_and_every_word_is_there_in_order(name, blocks, ends):
    check(name, blocks, ends)


@pytest.mark.soak
@pytest.mark.parametrize("name", MAKERS)
@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(blocks=BLOCKS, ends=ENDS)
def test_every_passage_of_many_documents_is_a_slice(name, blocks, ends):
    check(name, blocks, ends)


@pytest.mark.parametrize("name", ["a.html", "a.eml"])
def test_a_nul_in_a_page_or_a_mail_moves_no_offset(name):
    data = MAKERS[name]([(False, f"It was dropped by {'somebody ' * 20}in 1968.")], "\n")
    reading = read(data.replace(b"dropped", b"drop\0ped"), name)
    assert "\0" not in reading.text
    assert all(reading.text[chunk.start : chunk.end] == chunk.text for chunk in chunks(reading, 60, 10))
