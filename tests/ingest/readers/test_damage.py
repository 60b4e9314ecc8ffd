"""Whatever is raised while a file is read, here or in the process apart, is one sentence on that file that names it."""

import json

import pytest

import explorer
from explorer.errors import DocumentError
from explorer.ingest.limits import Limits, Meter
from explorer.ingest.readers import book, files, mail, slides, word, workbooks
from explorer.ingest.readers.damage import DamagedError, fault
from explorer.ingest.readers.files import places, read
from tests.each import each
from tests.ingest.readers.made import MADE, changed, workbook


def raised(function):
    try:
        function()
    except Exception as error:  # noqa: BLE001 - whatever it is
        return error


def fail(error):
    raise error


@each(("function", "says"), [
    (lambda: fail(DamagedError("no page")), r"'a\.x' is a damaged Word file \(no page\); "),
    (lambda: fail(RecursionError("depth")), r"'a\.x' is a damaged Word file \(it is nested too deeply\); "),
    (lambda: json.loads("{"), r"'a\.x' can't be read as Word \(JSONDecodeError: Expecting property name"),
    (lambda: fail(MemoryError()), r"'a\.x' takes more memory than there is; "),
    (lambda: places(None), r"'a\.x' meets a fault of explorer\.ingest\.readers\.files, line \d"),
])  # fmt: skip
def test_the_sentence_names_the_fault(function, says):
    with pytest.raises(DocumentError, match=f"^{says}[^\n]*\\.$"):
        raise fault(raised(function), "a.x", "Word")


FAULTS = {
    "a.docx": (word, "sections"), "a.pptx": (slides, "properties"), "a.epub": (book, "_labels"),
    "a.eml": (mail, "_bodies"), "a.xlsx": (workbooks, "_scanned"),
}  # fmt: skip
MAKERS = {**MADE, "a.xlsx": lambda blocks: workbook([words for _, words in blocks])}


@each("name", FAULTS)
def test_a_fault_of_our_own_in_a_reader_is_told_and_the_others_are_read(monkeypatch, tmp_path, name):
    module, function = FAULTS[name]
    monkeypatch.setattr(module, function, None)
    monkeypatch.setattr(
        files.READING, "call", lambda _, __, called, *given: called(*given)
    )  # else it is not seen there
    (tmp_path / name).write_bytes(MAKERS[name]([(False, "words")]))
    (tmp_path / "b.txt").write_text("The valve was built in 1966.")
    with explorer.open() as ws:
        told = ws.ingest(tmp_path, progress=False)
    assert told.documents == 1
    [refused] = told.refused
    assert f"meets a fault of {module.__name__}" in refused.reason
    assert "'NoneType' object is not callable" in refused.reason


@each(
    ("name", "part"), [("a.docx", "word__document_dot_xml"), ("a.pptx", "ppt__presentation_dot_xml"),
                       ("a.epub", "META-INF__container_dot_xml")]
)  # fmt: skip
def test_a_part_of_an_archive_that_is_no_markup_is_damage_here_and_apart(name, part):
    data = changed(MADE[name]([(False, "words")]), **{part: b"words"})
    for limits in (Limits(), Limits(seconds=60)):
        with pytest.raises(DocumentError, match=r"is a damaged \w+ file \(.*\); open it in the program"):
            read(data, name, meter=Meter(limits, name))
