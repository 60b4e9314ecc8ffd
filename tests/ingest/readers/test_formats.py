from time import process_time

import pytest

from explorer.errors import DocumentError
from explorer.ingest.readers.document_text import named, title_from
from explorer.ingest.readers.files import read
from explorer.ingest.readers.formats import FORMATS, format_of
from tests.each import each


def test_no_two_formats_have_a_suffix_in_common():
    suffixes = [suffix for each in FORMATS for suffix in each.suffixes]
    assert len(suffixes) == len(set(suffixes))


@each("each", FORMATS, ids=lambda each: each.name)
def test_each_format_refuses_what_is_not_of_it_in_one_sentence(each):
    for suffix in each.suffixes:
        for data in (b"\x00\x01\x02\xff" * 50, b"PK\x03\x04damaged"):
            with pytest.raises(DocumentError, match=r"^[^\n]+\.$"):
                read(data, f"a{suffix}")
        with pytest.raises(DocumentError, match=f"^'a{suffix}' is empty; save some text in it and try again"):
            read(b"", f"a{suffix}")


@each("begins", [" " * 200_000, "<!-- -->" * 300, " [" * 50_000, "<!-- x" * 50_000, "<?x?>" * 5_000])
def test_what_a_file_begins_with_is_looked_at_once(begins):
    begun = process_time()
    assert format_of(f"{begins}The valve was built in 1966.".encode(), "a.txt").name == "text"
    assert process_time() - begun < 2


@each(
    "title",
    [
        None, "", " \t", "(anonymous)", "Untitled", "[untitled]", "untitled document", "notes.docx", "Slide 1",
        "Microsoft Word - notes.doc",
        "PowerPoint Presentation", "PowerPoint-Präsentation", "Microsoft PowerPoint Presentation", "Word Document",
        "Document1", "Presentation1", "none", "python-docx",
    ],
)  # fmt: skip
def test_a_name_that_a_program_gave_is_distrusted(title):
    assert named(title) is None


@each("title", ["Slide rules", "The Document", "Untitled (Rape)", "O", "7", "Node.js", "Word formation"])
def test_a_name_that_somebody_gave_is_kept_on_one_line(title):
    assert named(f" {title}\r\n") == title


def test_a_title_is_made_of_a_file_name():
    assert title_from("a/flight_notes.docx") == "flight notes"
