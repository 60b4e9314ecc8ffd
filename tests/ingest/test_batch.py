import json
import os
import stat
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import explorer
from explorer.errors import DocumentError, WorkspaceError
from explorer.ingest.ingested import Ingested, RefusedFile
from explorer.ingest.readers.files import Source, sources_of
from tests.corpus import PAGES, fact_lines, pdf, written
from tests.test_workspace import stored

HOSTILE = "<img src=x onerror=alert(1)>\x1b[31m.md"


@pytest.fixture
def good(tmp_path):
    file = tmp_path / "good.txt"
    file.write_text("Beech Aircraft built the relief valve in 1966.")
    return file


@pytest.mark.parametrize("name", ["x" * 300 + ".txt", "a\0b.txt", "good.txt/below.txt"])
def test_a_path_that_can_not_be_is_refused(ws, tmp_path, good, name):
    with pytest.raises(DocumentError, match=r"can't be read|There is no file"):
        ws.ingest(tmp_path / name, progress=False)


def test_nothing_to_read_is_refused(ws, tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(DocumentError, match=r"There is no file in .*empty; name some files\."):
        ws.ingest(tmp_path / "empty", progress=False)
    with pytest.raises(DocumentError, match="There is no file in an empty list"):
        ws.ingest(progress=False)
    with pytest.raises(DocumentError, match=r"is no path; give files and folders one after another, a list as \*paths"):
        ws.ingest([tmp_path / "empty"], progress=False)


def test_a_file_without_permission_is_refused(ws, good, tmp_path):
    steps_down = os.name == "posix" and os.geteuid() == 0
    tmp_path.chmod(0o700)
    good.chmod(0)
    if steps_down:
        os.seteuid(65534)
    try:
        with pytest.raises(DocumentError, match=r"No permission to read .*; change its permissions|can't be read"):
            ws.ingest(good, progress=False)
    finally:
        if steps_down:
            os.seteuid(0)
        good.chmod(stat.S_IRUSR | stat.S_IWUSR)


def test_the_same_bytes_again_change_nothing(ws, tmp_path):
    facts = written(tmp_path)
    first = ws.ingest(tmp_path / "documents", facts=facts, progress=False)
    assert first.documents == 3
    before = stored(ws)
    again = ws.ingest(tmp_path / "documents", facts=facts, progress=False)
    assert again == Ingested(0, 0, 0, 0)
    assert stored(ws) == before


def test_a_folder_stands_for_its_files_in_order_without_hidden_ones(tmp_path):
    for name in ("b.txt", "a.txt", ".hidden", "sub/c.txt", ".git/d.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    found = [source.path.relative_to(tmp_path).as_posix() for source in sources_of([tmp_path]).sources]
    assert found == ["a.txt", "b.txt", "sub/c.txt"]


def test_what_a_folder_holds_that_is_left_out_is_said_and_no_link_leads_out_of_it(ws, tmp_path, good):
    folder = tmp_path / "in"
    for name in ("a.txt", ".hidden", ".git/d.txt", "sub/c.txt"):
        (folder / name).parent.mkdir(exist_ok=True, parents=True)
        (folder / name).write_text(f"Beech Aircraft built {name} in 1966.")
    os.mkfifo(folder / "pipe")
    (folder / "out.txt").symlink_to(good)
    (folder / "up").symlink_to(tmp_path)
    (folder / "again.txt").symlink_to(folder / "a.txt")
    (folder / "there").symlink_to(folder / "sub")
    (folder / "nothing.txt").symlink_to(folder / "gone")
    (folder / "circle").symlink_to(folder / "circle")
    done = ws.ingest(folder, progress=False)
    assert (done.documents, done.refused) == (2, ())
    link = "as it is a link"
    assert set(done.notes) == {
        f"Left out of {folder}, as it is hidden: .git, .hidden.",
        f"Left out of {folder}, as it is no file: pipe.",
        f"Left out of {folder}, {link} to nothing: circle, nothing.txt.",
        f"Left out of {folder}, {link} to a folder in it: there.",
        f"Left out of {folder}, {link} out of that folder (name what it leads to, to have that read): out.txt, up.",
    }
    assert ws.ingest(folder / "out.txt", progress=False).documents == 1


def test_what_is_no_file_is_refused_at_once_and_never_waited_for(ws, tmp_path, good):
    os.mkfifo(tmp_path / "pipe.txt")
    (tmp_path / "endless.txt").symlink_to("/dev/zero")
    for name, kind in (("pipe.txt", "a pipe"), ("endless.txt", "a device")):
        with pytest.raises(DocumentError, match=rf"{name} is {kind}, not a file; name a file\."):
            ws.ingest(tmp_path / name, progress=False)
        with pytest.raises(DocumentError, match=rf"{name} is {kind}, not a file"):
            ws.ingest(good, facts=tmp_path / name, progress=False)
    assert ws.size.documents == 0


def test_a_file_over_the_limit_is_refused_unread_and_the_limit_can_be_raised(ws, tmp_path, good):
    (tmp_path / "big.txt").touch()
    os.truncate(tmp_path / "big.txt", 10_000_000_000)
    with pytest.raises(DocumentError, match=r"has 10,000,000,000 bytes, more than the 200,000,000 .* max_bytes= or --"):
        ws.ingest(tmp_path / "big.txt", progress=False)
    size = good.stat().st_size
    with pytest.raises(DocumentError, match=rf"has {size} bytes, more than the {size - 1} that are read"):
        ws.ingest(good, max_bytes=size - 1, progress=False)
    assert ws.ingest(good, max_bytes=size, progress=False).documents == 1


def test_a_source_may_have_a_name_of_its_own(ws, good):
    ws.ingest(Source(good, "https://example.org/good.txt"), progress=False)
    [edge, *_] = ws.run("Who built the relief valve?").edges
    assert ws.passages(edge)[0].source == "https://example.org/good.txt"


def test_markup_in_names_titles_and_text_is_text(ws, tmp_path):
    (tmp_path / HOSTILE.replace("/", "")).write_text(
        "# <script>alert(1)</script>\n\nBeech Aircraft built the <b onclick=x>relief valve</b> in 1966.\n"
    )
    assert ws.ingest(tmp_path, progress=False).documents == 1
    trace = ws.run("Who built the <i>relief valve</i>?")
    page = ws.report(trace)
    assert "<script>alert" not in page
    assert "<b onclick" not in page
    for found in trace.passages.values():
        for passage in found:
            assert ws.text(passage.document)[passage.start : passage.end] == passage.text


def test_a_file_name_that_is_no_text_is_read_all_the_same(ws, tmp_path):
    name = os.fsdecode(b"caf\xe9.txt")
    try:
        (tmp_path / name).write_text("Beech Aircraft built the relief valve in 1966.")
    except OSError:
        pytest.skip("this file system takes only names that are text")
    assert ws.ingest(tmp_path, progress=False).documents == 1
    [edge, *_] = ws.run("Who built the relief valve?").edges
    assert ws.passages(edge)[0].source.endswith("caf\ufffd.txt")
    with pytest.raises(DocumentError, match="caf\ufffd"):
        ws.ingest(tmp_path / os.fsdecode(b"no-caf\xe9.txt"), progress=False)


@pytest.mark.parametrize("content", [None, b"\xff\xfe\x00", b""])
def test_a_facts_file_that_can_not_be_read_is_refused_or_empty(ws, tmp_path, good, content):
    facts = tmp_path / "facts.jsonl"
    if content is not None:
        facts.write_bytes(content)
    if content == b"":
        assert ws.ingest(good, facts=facts, progress=False).documents == 1
        return
    with pytest.raises(DocumentError, match=r"The facts in .*facts\.jsonl can't be read"):
        ws.ingest(good, facts=facts, progress=False)
    assert ws.size.documents == 0


def test_a_line_that_is_no_fact_and_a_quote_that_is_not_there_are_refused_and_the_rest_goes_on(ws, tmp_path, good):
    lines = fact_lines([
        ("relief valve", "was built by", "Beech", "good.txt", "Beech Aircraft built the relief valve in 1966."),
        ("relief valve", "was built by", "Boeing", "good.txt", "Boeing built it."),
    ])  # fmt: skip
    facts = tmp_path / "facts.jsonl"
    facts.write_text(lines + "nonsense\n")
    done = ws.ingest(good, facts=facts, progress=False)
    assert done.documents == 1
    assert [refused.path for refused in done.refused] == [str(facts)] * 2
    assert "Line 3 is not a fact" in done.refused[0].reason
    assert done.refused[1].reason == "“Boeing built it.” is not in good.txt."


def test_facts_added_later_stand_beside_those_that_were_there(ws, tmp_path):
    facts = written(tmp_path)
    ws.ingest(tmp_path / "documents", progress=False)
    before = stored(ws)
    added = ws.ingest(tmp_path / "documents", facts=facts, progress=False)
    assert (added.documents, added.edges) == (0, 5)
    assert before[0] < stored(ws)[0]


def test_a_batch_says_its_counts_in_a_line():
    done = Ingested(2, 8, 30, 120, (RefusedFile("x", "y"),))
    assert repr(done) == "<Ingested 2 documents, 8 PDF pages, 30 passages, 120 facts, 1 refused>"


def test_progress_is_shown_only_to_a_person(ws, good, capsys):
    ws.ingest(good)
    assert capsys.readouterr() == ("", "")


def test_a_function_is_told_how_far_each_file_has_come(ws, good, tmp_path):
    (tmp_path / "pages.pdf").write_bytes(pdf(*PAGES))
    told = []
    ws.ingest(tmp_path / "pages.pdf", good, progress=told.append)
    [paged, plain] = [[one for one in told if one.file == name] for name in ("pages.pdf", "good.txt")]
    assert [one.stage for one in (paged[0], paged[-1])] == ["reading", "storing"]
    assert [one.done for one in paged] == list(range(len(paged)))
    assert {one.total for one in paged[1:]} == {len(paged) - 1}
    assert (paged[-1].page, paged[-1].pages) == (len(PAGES), len(PAGES))
    assert (plain[-1].page, plain[-1].pages) == (0, 0)


def test_threads_that_read_the_same_file_store_it_once(tmp_path, good):
    with explorer.open(tmp_path / "ws") as ws, ThreadPoolExecutor(6) as pool:
        done = list(pool.map(lambda _: ws.ingest(good, progress=False), range(12)))
        assert sum(one.documents for one in done) == 1
        assert [one.refused for one in done] == [()] * 12
        assert ws.size.documents == 1


class Changing:
    """An embedder behind an address that serves another model from one day to the next."""

    name = "changing"
    size = 384

    def embed(self, texts):
        return np.ones((len(texts), self.size), dtype=np.float32)


def test_an_embedder_whose_vectors_have_another_length_is_refused_and_nothing_is_stored(tmp_path, good):
    (tmp_path / "other.txt").write_text("Globe Industries built the fans in 1964.")
    embedder = Changing()
    with explorer.open(embedder=embedder) as ws:
        ws.ingest(good, progress=False)
        embedder.size = 256
        says = r"The embedder gives vectors of 256 numbers, those of this collection have 384. .*reindex"
        with pytest.raises(WorkspaceError, match=says):
            ws.ingest(tmp_path / "other.txt", progress=False)
        assert ws.size.documents == 1
        assert "vectors of 256 numbers" in ws.run("Who built the relief valve?").dag.done.error
        embedder.size = 384
        assert ws.ingest(tmp_path / "other.txt", progress=False).documents == 1
        assert ws.run("Who built the fans?").reason in ("done", "declined")


def test_triples_in_the_lines_of_a_corpus_are_told_and_can_be_read(tmp_path):
    line = {"id": "p1", "title": "Valve", "text": "Beech Aircraft built the relief valve.",
            "triples": [["relief valve", "was made by", "Beech Aircraft"]]}  # fmt: skip
    (tmp_path / "c.jsonl").write_text(json.dumps(line) + "\n")
    with explorer.open() as ws:
        done = ws.ingest(tmp_path / "c.jsonl", progress=False)
        [note] = done.notes
        assert note.startswith("c.jsonl has triples in 1 line, which were not read. To have them")
        assert (done.documents, done.pages) == (1, 0)
    with explorer.open() as ws:
        done = ws.ingest(tmp_path / "c.jsonl", triples=tmp_path / "c.jsonl", progress=False)
        assert (done.notes, done.edges) == ((), 1)


def test_the_rest_of_a_batch_goes_on(ws, tmp_path, good):
    (tmp_path / "empty.txt").touch()
    done = ws.ingest(tmp_path, tmp_path / "missing.txt", progress=False)
    assert done.documents == 1
    assert [refused.path for refused in done.refused] == [str(tmp_path / name) for name in ("empty.txt", "missing.txt")]
    assert ws.run("Who built the relief valve?").reason == "done"
