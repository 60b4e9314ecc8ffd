"""A file that takes more than its limits is refused, with the argument that allows more, and nothing of it stored."""

import io
import mmap
import struct
import time
import zipfile
from contextlib import nullcontext
from pathlib import Path

import pytest
from typer.testing import CliRunner

from explorer.cli.commands import app
from explorer.errors import DocumentError
from explorer.ingest import limits
from explorer.ingest.limits import Limits, Meter
from explorer.ingest.readers.archive import check_sizes, opened
from explorer.ingest.readers.damage import DamagedError
from tests.corpus import pdf
from tests.each import each
from tests.ingest.readers.made import MADE, archived, book, page
from tests.ingest.readers.test_workbooks import STOCK, xlsx
from tests.opened import at
from tests.test_workspace import stored

WORDS = [(True, "One"), (False, "Beech Aircraft built the relief valve in 1966."), (True, "Two"), (False, "More.")]
FILES = {
    "a.pdf": pdf(*[("Beech Aircraft built the relief valve in 1966.",)] * 3),
    "a.docx": MADE["a.docx"](WORDS),
    "a.pptx": MADE["a.pptx"](WORDS),
    "a.epub": book([page(WORDS).replace(b"<meta charset=utf-8>", b'<meta charset="utf-8"/><title/>')] * 3),
    "a.xlsx": xlsx(("A", STOCK)),
    "a.txt": b"Beech Aircraft built the relief valve in 1966. " * 200,
    "a.nt": b"<urn:a> <urn:p> <urn:b> .\n" * 200,
}


def refused(ws, folder, name, **given):
    (folder / name).write_bytes(FILES[name])
    before = stored(ws)
    with pytest.raises(DocumentError) as raised:
        ws.ingest(folder / name, progress=False, **given)
    assert stored(ws) == before
    return str(raised.value)


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_more_bytes_is_refused_and_read_when_it_is_allowed(ws, tmp_path, name):
    said = refused(ws, tmp_path, name, max_bytes=len(FILES[name]) - 1)
    assert f"has {len(FILES[name]):,} bytes, more than" in said
    assert said.endswith("divide it, or allow more with max_bytes= or --max-bytes.")
    assert ws.ingest(tmp_path / name, max_bytes=len(FILES[name]), progress=False).documents == 1


@pytest.mark.parametrize("name", ["a.docx", "a.pptx", "a.epub", "a.xlsx"])
def test_an_archive_that_unpacks_to_more_is_refused_and_read_when_it_is_allowed(ws, tmp_path, name):
    said = refused(ws, tmp_path, name, max_unpacked=2_000)
    assert f"'{tmp_path / name}' is too large unpacked (" in said
    assert said.endswith("divide it into several documents, or allow more with max_unpacked= or --max-unpacked.")
    assert ws.ingest(tmp_path / name, max_unpacked=10**7, progress=False).documents == 1


def test_what_looks_like_a_bomb_is_opened_only_when_its_size_is_allowed():
    data = archived({"a.xhtml": b" " * 25_000_000})
    with (
        pytest.raises(DocumentError, match=r"is too large unpacked \(25 MB, its largest text 25 MB\)"),
        opened(data, "a.epub", Limits()),
    ):
        pass
    with opened(data, "a.epub", Limits(unpacked=250_000_000)) as archive:
        assert archive.namelist() == ["a.xhtml"]


@pytest.mark.parametrize("packing", [zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_a_part_that_unpacks_to_more_than_its_archive_says_is_found_before_it_is_held(packing):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", packing) as archive:
        archive.writestr("word/document.xml", b" " * 30_000_007)
        archive.writestr("cut.png", b"picture" * 1_000_000)
    honest = data.getvalue()
    damaged = honest.replace(honest[-600:-500], bytes(100))  # within a picture that nobody reads
    lying = honest.replace(struct.pack("<L", 30_000_007), struct.pack("<L", 256))
    for made, is_sound in ((honest, True), (damaged, True), (lying, False)):
        with zipfile.ZipFile(io.BytesIO(made)) as archive, nullcontext() if is_sound else pytest.raises(DamagedError):
            check_sizes(archive)


def test_an_archive_of_very_many_parts_is_refused(ws, tmp_path):
    parts = {"word/document.xml": "<a/>", **{f"{n}.bin": "" for n in range(20_001)}}
    (tmp_path / "a.docx").write_bytes(archived(parts))
    with pytest.raises(DocumentError, match="has 20,002 parts, as no document has; save it again"):
        ws.ingest(tmp_path / "a.docx", max_unpacked=10**9, progress=False)


@pytest.mark.parametrize("name", ["a.pdf", "a.pptx"])
def test_a_file_of_more_pages_is_refused_and_read_when_it_is_allowed(ws, tmp_path, name):
    said = refused(ws, tmp_path, name, max_pages=2)
    assert f"{name} has 3 pages, more than the 2 that are read of a file" in said
    assert said.endswith("divide it, or allow more with max_pages= or --max-pages.")
    assert ws.ingest(tmp_path / name, max_pages=5, progress=False).documents == 1


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_takes_longer_is_refused(ws, tmp_path, monkeypatch, name):
    monkeypatch.setattr("explorer.ingest.readers.rdf_files.LONG", 1_000)
    said = refused(ws, tmp_path, name, max_seconds=1e-9)
    assert " takes more than 1e-09 s" in said  # the file, or a part of it that its process gave up first
    assert "allow more with max_seconds= or --max-seconds." in said
    assert ws.ingest(tmp_path / name, max_seconds=300, progress=False).documents == 1


SLOW = {
    "a.html": b"<html><body>" + b"<table><tr><td>valve<td>pump</table>" * 300_000,
    "a.jsonld": b'{"@context": {"b": "urn:b"}, "@graph": [%s]}'
    % b",".join(b'{"@id": "urn:a%d", "b": {"@id": "urn:c%d"}}' % (n, n) for n in range(150_000)),
}


@pytest.mark.parametrize("name", SLOW)
def test_a_step_of_a_library_is_ended_when_its_time_is_over(ws, tmp_path, name, take):
    (tmp_path / name).write_bytes(SLOW[name])
    worked = time.process_time()  # of this process: another one reads
    with pytest.raises(DocumentError, match=r"takes more than 0\.5 s.* or allow more with max_seconds= or --max-sec"):
        ws.ingest(tmp_path / name, max_seconds=0.5, progress=False)
    assert time.process_time() - worked < 2
    assert not ws.documents
    assert take("b.html", b"<p>Beech Aircraft built the relief valve.</p>", max_seconds=300).documents == 1


def test_a_file_that_takes_more_memory_is_refused(ws, tmp_path, monkeypatch):
    held = iter(range(0, 10**9, 3_000_000))
    monkeypatch.setattr(limits, "_memory", lambda: next(held))
    meter = Meter(Limits(memory=5_000_000), "a.pdf", _held=0)
    meter.check()
    meter.check()
    with pytest.raises(DocumentError, match=r"a\.pdf takes more than 5 MB of memory, .* max_memory= or --max-memory\."):
        meter.check()


def test_the_memory_of_this_process_is_known(monkeypatch):
    before = limits._memory()
    with mmap.mmap(-1, 60_000_000) as block:  # pages of its own, not some that the allocator had left
        block[::1_000] = bytes(range(1, 61)) * 1_000
        assert before + 50_000_000 < limits._memory() < before + 200_000_000
        monkeypatch.setattr(limits, "Path", lambda _: Path("/none"))  # as where the system does not say it
        assert limits._memory() >= len(block)


@each("given", [0, -1, True, "5", 1.5])
@each("name", ["bytes", "unpacked", "pages", "memory"])
def test_what_can_not_be_meant_is_refused(name, given):
    with pytest.raises(DocumentError, match=rf"^max_{name} must be a whole number greater than 0, not {given!r}\.$"):
        Limits(**{name: given})


def test_seconds_may_be_a_fraction():
    assert Limits(seconds=0.5).seconds == 0.5
    with pytest.raises(DocumentError, match="max_seconds must be a number greater than 0, not 0"):
        Limits(seconds=0)


def test_a_document_read_with_raised_limits_comes_back_and_is_gone_through_again(ws, take, monkeypatch):
    take("a.pdf", FILES["a.pdf"], max_pages=3)
    monkeypatch.setattr(limits, "MOST_PAGES", 2)
    monkeypatch.setattr(limits, "MOST_BYTES", 10)
    assert ws.reextract("a.pdf", progress=False).documents == 1
    assert ws.restore(ws.forget("a.pdf")).page_count == 3


def test_the_command_line_takes_each_limit(tmp_path):
    (tmp_path / "a.pdf").write_bytes(FILES["a.pdf"])
    command = ["ingest", str(tmp_path / "a.pdf"), *at(tmp_path / "ws")]
    for name in ("bytes", "unpacked", "pages", "seconds", "memory"):
        done = CliRunner().invoke(app, [*command, f"--max-{name}", "0"])
        assert f"max_{name} must be a" in str(done.exception)
    done = CliRunner().invoke(app, [*command, "--max-pages", "2"])
    assert "has 3 pages, more than the 2" in str(done.exception)
    assert CliRunner().invoke(app, [*command, "--max-pages", "3"]).exit_code == 0
