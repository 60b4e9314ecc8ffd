import io
import os
import sys
from pathlib import Path

import pytest

from explorer.errors import DocumentError
from explorer.ingest.limits import Limits, Meter
from explorer.ingest.readers import files, reader_process
from explorer.ingest.readers.files import read
from explorer.ingest.readers.page_image import page_image
from explorer.ingest.readers.reader_process import Reader
from tests.ingest.readers.made import MADE
from tests.ingest.readers.test_workbooks import XLS, xlsx
from tests.test_child_process import crash, cut_off, grow, stop


def obj(entries, stream=None):
    body = f"<<{entries}" + (f"/Length {len(stream)}>>stream\n{stream}\nendstream" if stream is not None else ">>")
    return body.encode()


def written(objects):
    """A PDF of objects, counted from 1."""
    out, offsets = io.BytesIO(b"%PDF-1.7\n"), []
    out.seek(0, io.SEEK_END)
    for number, one in enumerate(objects, 1):
        offsets.append(out.tell())
        out.write(b"%d 0 obj\n%s\nendobj\n" % (number, one))
    table = out.tell()
    out.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1))
    out.write(b"".join(b"%010d 00000 n \n" % offset for offset in offsets))
    out.write(b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, table))
    return out.getvalue()


def drawn_by_forms(forms, times):
    """A page with a sentence and a form, which draws the next form some times, and so on; the last one draws itself."""
    font = "/Font<</A 5 0 R>>"
    page = [
        obj("/Type/Catalog/Pages 2 0 R"),
        obj("/Type/Pages/Kids[3 0 R]/Count 1"),
        obj(f"/Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/Resources<</XObject<</F 6 0 R>>{font}>>/Contents 4 0 R"),
        obj("", "BT /A 12 Tf 20 200 Td (The tank failed in flight.) Tj ET /F Do"),
        obj("/Type/Font/Subtype/Type1/BaseFont/Helvetica"),
    ]
    for number in range(6, 6 + forms):
        within = f"/Resources<</XObject<</F {min(number + 1, 5 + forms)} 0 R>>>>"
        page.append(obj(f"/Type/XObject/Subtype/Form/BBox[0 0 300 300]{within}", "/F Do " * times))
    return written(page)


LINUX = pytest.mark.skipif(sys.platform != "linux", reason="only there a process is held to its memory")
ENDLESS = drawn_by_forms(10, 10)
LIBRARIES = {"a.docx": "mammoth", "a.epub": "selectolax", "a.html": "selectolax", "a.pptx": "pptx", "a.xls": "xlrd",
             "a.xlsx": "openpyxl"}  # fmt: skip
ENDS = {
    "import os; os.kill(os.getpid(), 11)": "it brings down what reads it",
    "import os; os._exit(1)": "it brings down what reads it",
    "bytearray(8 << 30)": "more than 4,295 MB of memory",
}


def test_a_form_that_draws_itself_once_is_read():
    assert read(drawn_by_forms(1, 1), "a.pdf").text == "The tank failed in flight."


def test_a_page_without_end_is_refused_and_the_other_files_go_in(ws, tmp_path, monkeypatch):
    monkeypatch.setattr(reader_process, "STEP", 2.0)
    (tmp_path / "endless.pdf").write_bytes(ENDLESS)
    (tmp_path / "good.pdf").write_bytes(drawn_by_forms(1, 1))
    told = ws.ingest(tmp_path, progress=False)
    assert [Path(one.path).name for one in told.refused] == ["endless.pdf"]
    assert "takes more than 2 s" in told.refused[0].reason
    assert "--max-seconds" in told.refused[0].reason
    assert [one.title for one in ws.documents] == ["good"]


def test_a_picture_without_end_is_given_up(monkeypatch):
    monkeypatch.setattr(reader_process, "STEP", 1.0)
    with pytest.raises(DocumentError, match="takes more than 1 s"):
        page_image(ENDLESS, 1, [])
    assert page_image(drawn_by_forms(1, 1), 1, []).png


@LINUX
@pytest.mark.parametrize("end", ENDS)
def test_whatever_ends_a_library_is_told_of_its_file_and_the_others_are_read(ws, end, tmp_path, monkeypatch):
    (tmp_path / "lib").mkdir()
    for name in {*LIBRARIES.values()}:
        (tmp_path / "lib" / f"{name}.py").write_text(end)
    monkeypatch.syspath_prepend(tmp_path / "lib")  # for the other process: here they are imported already
    monkeypatch.setattr(files, "READING", Reader())
    folder = tmp_path / "files"
    folder.mkdir()
    made = {**MADE, "a.xls": lambda _: XLS, "a.xlsx": lambda _: xlsx(("A", [("Part", "Maker"), ("valve", "Beech")]))}
    for name in LIBRARIES:
        (folder / name).write_bytes(made[name]([(False, "Beech built the valve in 1966.")]))
    (folder / "b.txt").write_text("Beech built the valve in 1966.")
    told = ws.ingest(folder, extractors=(), progress=False)
    assert [one.title for one in ws.documents] == ["b"]
    assert {Path(one.path).name for one in told.refused} == {*LIBRARIES}
    for one in told.refused:
        assert ENDS[end] in one.reason


@pytest.fixture
def hostile(tmp_path, monkeypatch):
    """Read an HTML file with a library that does something as it is loaded, after which it is none."""

    def load(does, **limits):
        lib = tmp_path / f"lib{len([*tmp_path.iterdir()])}"  # its own: of one file's name and size bytecode is kept
        lib.mkdir()
        (lib / "selectolax.py").write_text(does)
        monkeypatch.syspath_prepend(lib)
        monkeypatch.setattr(files, "READING", Reader())
        with pytest.raises(DocumentError) as told:
            read(b"<p>Beech built the valve.</p>", "a.html", meter=Meter(Limits(**limits), "a.html"))
        return str(told.value)

    return load


def test_a_reader_that_hangs_is_ended_by_itself(hostile, monkeypatch):
    monkeypatch.setattr(reader_process, "STEP", 0.5)
    told = hostile("import time; time.sleep(60)")
    assert "it takes more than 1 s; save" in told
    assert "allow more with max_seconds=" in told


@pytest.mark.parametrize(
    ("size", "is_packed", "seconds"), [(1, False, 120), (1_000_001, False, 180), (100_000, True, 120), (1, True, 120)]
)
def test_the_time_of_a_file_is_by_its_size(size, is_packed, seconds):
    assert reader_process.seconds_for(bytes(size), is_packed=is_packed) == seconds


def test_more_memory_is_given_where_it_is_allowed(hostile):
    takes = "import numpy; numpy.empty({} << 30, 'u1')"
    assert "memory" in hostile(takes.format(5))
    assert "allow more with max_memory= or --max-memory." in hostile(takes.format(9), memory=8 << 30)
    assert "memory" not in hostile(takes.format(5), memory=8 << 30)


@pytest.mark.parametrize(("function", "said"), [
    (crash, "brings down what reads it"), (stop, "brings down what reads it"), (cut_off, "brings down what reads it"),
    pytest.param(grow, "takes more than 4 GB of memory", marks=LINUX),
])  # fmt: skip
def test_what_brings_its_process_down_is_told_and_the_next_call_works(function, said):
    other = Reader()
    with pytest.raises(DocumentError, match=rf"^'a.pdf' can't be read, it {said}; save or print it"):
        other.call("a.pdf", 60.0, function)
    assert other.call("a.pdf", None, os.getpid) != os.getpid()
