"""What libraries raise for a damaged file is told as damage; a fault of our own is never hidden."""

import io
import json

import openpyxl
import pytest

from explorer.errors import DocumentError
from explorer.ingest.readers import book, mail, slides, word, workbooks
from explorer.ingest.readers.damage import DamagedError, damage
from explorer.ingest.readers.files import read
from tests.each import each
from tests.ingest.readers.made import MADE, changed

TOLD = DocumentError("It is damaged.")


def test_what_a_library_raises_is_damage():
    with pytest.raises(DocumentError, match="It is damaged") as raised, damage(TOLD):
        json.loads("{")
    assert isinstance(raised.value.__cause__, ValueError)


@pytest.mark.parametrize("error", [DamagedError("no page"), RecursionError()])
def test_what_is_not_as_its_format_wants_it_is_damage(error):
    with pytest.raises(DocumentError, match="It is damaged"), damage(TOLD):
        raise error


def test_what_a_reader_says_of_a_file_stays():
    with pytest.raises(DocumentError, match="It is shut"), damage(TOLD):
        raise DocumentError("It is shut.")


FAULTS = {
    "a.docx": (word, "sections"), "a.pptx": (slides, "properties"), "a.epub": (book, "_labels"),
    "a.eml": (mail, "_bodies"),
}  # fmt: skip


@each("name", FAULTS)
def test_a_fault_of_our_own_in_a_reader_surfaces(monkeypatch, name):
    module, function = FAULTS[name]
    monkeypatch.setattr(module, function, None)
    with pytest.raises(TypeError, match="'NoneType' object is not callable"):
        read(MADE[name]([(False, "words")]), name)


def test_a_fault_of_our_own_in_the_reader_of_workbooks_surfaces(monkeypatch):
    monkeypatch.setattr(workbooks, "_scanned", None)
    book, data = openpyxl.Workbook(), io.BytesIO()
    book.active.append(["words"])
    book.save(data)
    with pytest.raises(TypeError, match="'NoneType' object is not callable"):
        read(data.getvalue(), "a.xlsx")


@pytest.mark.parametrize(
    ("name", "part"), [("a.docx", "word__document_dot_xml"), ("a.pptx", "ppt__presentation_dot_xml"),
                       ("a.epub", "META-INF__container_dot_xml")]
)  # fmt: skip
def test_a_part_of_an_archive_that_is_no_markup_is_damage(name, part):
    with pytest.raises(DocumentError, match="is a damaged"):
        read(changed(MADE[name]([(False, "words")]), **{part: b"words"}), name)
