import time
from pathlib import PurePath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.errors import DocumentError
from explorer.ingest.readers.document_text import Reading
from explorer.ingest.readers.files import read
from tests.each import each

MARKDOWN = """---
title: "From the front"
author: R. Voss
date: 1970-06-15
---

Words before any heading.

# The *oxygen* tank `no. 2`

It was dropped.

```python
# not a heading
```

Setext [history](https://example.org)
=====================================

It was not moved.

- item
  # a heading inside a list

## Empty
"""


def test_markdown_is_kept_as_it_was_typed():
    reading = read(MARKDOWN.encode(), "notes/history.md")
    assert reading.text == MARKDOWN
    assert reading.mime == "text/markdown"


def test_sections_are_slices_one_after_the_other_under_their_headings():
    reading = read(MARKDOWN.encode(), "history.md")
    labels = [part.label for part in reading.parts]
    assert labels == ["The oxygen tank no. 2", "The oxygen tank no. 2", "Setext history", "Empty"]
    assert [part.number for part in reading.parts] == [1, 2, 3, 4]
    assert {part.kind for part in reading.parts} == {"section"}
    assert "".join(reading.text[part.start : part.end] for part in reading.parts) == MARKDOWN
    assert reading.text[reading.parts[2].start :].startswith("Setext [history]")


def test_a_heading_with_nothing_below_it_is_no_section_and_neither_are_names_of_authors():
    reading = read(b"# Tank\n\n## Built\n\n### 1966\n\nIt was built.\n\n## Moved\n", "a.md")
    assert [part.label for part in reading.parts] == ["1966", "Moved"]
    page = "<html><h1>Tank</h1><h3 class=AUTHOR>Ada Voss</h3><h3 class=author>Li Wei</h3><p>Free.</p><h2>Built</h2>"
    reading = read(f"{page}<p>In 1966.</p></html>".encode(), "a.html")
    assert [part.label for part in reading.parts] == ["Tank", "Built"]


def test_front_matter_gives_author_and_date_and_a_heading_gives_the_title():
    reading = read(MARKDOWN.encode(), "history.md")
    assert (reading.title, reading.author, reading.date) == ("The oxygen tank no. 2", "R. Voss", "1970-06-15")


def test_front_matter_gives_the_title_where_there_is_no_heading():
    reading = read(b"---\ntitle: From the front\n---\nWords.\n", "a.md")
    assert reading.title == "From the front"
    assert reading.parts == ()


@each(("text", "title"), [
    ("Tank history\n\nIt was dropped.\n", "Tank history"),
    ("It was dropped in 1968.\n\nThen moved.\n", "flight notes"),
    ("Tank history\nIt was dropped.\n", "flight notes"),
    ("The tank\n========\n\nIt was dropped.", "The tank"),
    ("The tank\nIt was dropped.\n\nAnd moved.", "flight notes"),
    (".. _tank:\n\nThe tank\n========\n", "flight notes"),
    ("#!/bin/sh\n\nls", "flight notes"),
    ("Only this line", "flight notes"),
    ("x" * 200 + "\n\nmore", "flight notes"),
    ("タンクは東京で検査された。\n\n圧力は正常だった。\n", "flight notes"),
    ("タンクは無事か？\n\n圧力は正常だった。\n", "flight notes"),
    ("タンクの歴史\n\n圧力は正常だった。\n", "タンクの歴史"),
    ("TAR(1)\t\tUser Commands   TAR(1)\n\nNAME\n", "TAR(1)"),
])  # fmt: skip
def test_a_text_is_titled_by_a_short_first_line_or_an_underlined_one_but_no_markup_or_by_its_name(text, title):
    reading = read(text.encode(), "some/flight_notes.txt")
    assert reading == Reading(title=title, mime="text/plain", text=text, language=reading.language)


def test_markup_in_text_and_headings_stays_text():
    hostile = "<img src=x onerror=alert(1)>"
    reading = read(f"# Tank {hostile}\n\n{hostile} was <script>here</script>.\n".encode(), f"{hostile}.md")
    assert reading.title == reading.parts[0].label == f"Tank {hostile}"
    assert hostile in reading.text
    assert read(b"words", f"{hostile}.txt").title == PurePath(f"{hostile}.txt").stem


@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), min_size=1).filter(str.strip))
def test_sections_cover_any_markdown(text):
    try:
        reading = read(f"# Title\n{text}\n\n## {text}\n".encode(), "a.md")
    except DocumentError:
        return
    assert "".join(reading.text[part.start : part.end] for part in reading.parts) == reading.text


def test_a_megabyte_of_markdown_is_read_in_seconds():
    data = b"# Head\n\nSome *words* and > more [of](them).\n\n" * 22_000
    begun = time.thread_time()
    assert len(read(data, "a.md").parts) == 22_000
    assert time.thread_time() - begun < 20


@each("unit", ["> ", "#", "- ", "[", "`", "*a ", "---\n", "|"])
def test_pathological_markdown_is_read_in_seconds(unit):
    begun = time.thread_time()
    read((unit * 20_000 + "words").encode(), "a.md")
    assert time.thread_time() - begun < 10


@pytest.mark.parametrize("name", ["a.md", "a.txt", "README"])
def test_a_text_that_speaks_of_the_mark_of_a_pdf_is_a_text(name):
    text = "# PDF files\n\nA file begins with %PDF-1.7 and ends with EOF.\n"
    assert read(text.encode(), name).text == text
