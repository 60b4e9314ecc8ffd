"""What people bring by mistake or by malice: a file is told with its reason, the others go in; nothing is fetched."""

import os
import sys
from contextlib import contextmanager

import pytest

import explorer
from explorer.errors import WorkspaceError
from explorer.ingest.readers import files
from tests.corpus import pdf
from tests.ingest.readers.made import MADE, changed, part_of
from tests.test_workspace import stored

WORDS = "Beech Aircraft built the relief valve in 1966."
OUTSIDE = "http://evil.example.org/x"


def with_relation(data, part, kind, target=OUTSIDE):
    """An Office file with one more relation, to something outside of it."""
    own = part_of(data, part)
    base = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    more = f'<Relationship Id="rIdX" Type="{base}/{kind}" Target="{target}" TargetMode="External"/></Relationships>'
    return changed(data, **{part.replace("/", "__").replace(".", "_dot_"): own.replace("</Relationships>", more)})


PAGE = f"""<!doctype html><html><head><title>Valves</title><link rel=stylesheet href={OUTSIDE}.css>
<script src={OUTSIDE}.js></script><script>document.write("scripted words")</script>
<meta http-equiv=refresh content="0;url={OUTSIDE}"></head>
<body onload="alert(1)"><p>{WORDS}</p><img src={OUTSIDE}.png onerror="alert(2)" alt=""><iframe src={OUTSIDE}></iframe>
<object data={OUTSIDE}></object><svg><image href={OUTSIDE} /></svg><noscript><img src={OUTSIDE}></noscript>
</body></html>"""
MAIL = f"""From: a@example.org\nSubject: Valves\nMIME-Version: 1.0\nContent-Type: text/html; charset=utf-8\n
{PAGE}"""
REMOTE = {
    "template.docx": with_relation(
        MADE["a.docx"]([(False, WORDS)]), "word/_rels/document.xml.rels", "attachedTemplate"
    ),
    "picture.docx": with_relation(MADE["a.docx"]([(False, WORDS)]), "word/_rels/document.xml.rels", "image"),
    "object.pptx": with_relation(MADE["a.pptx"]([(False, WORDS)]), "ppt/_rels/presentation.xml.rels", "oleObject"),
    "page.html": PAGE.encode(),
    "mail.eml": MAIL.encode(),
}


def test_remote_parts_and_scripts_are_neither_fetched_nor_run_nor_text(ws, tmp_path, no_network):
    for name, data in REMOTE.items():
        (tmp_path / name).write_bytes(data)
    assert ws.ingest(tmp_path, progress=False).documents == len(REMOTE)
    for document in ws.documents:
        assert WORDS in document.text, document.source
        found = [other for other in ("scripted words", "alert", "evil.example.org") if other in document.text]
        assert found == [], document.source
        run = ws.run("Who built the relief valve?", documents=[document])
        assert [one.document for one in run.sources()][:1] == [document.iri]
        assert "evil.example.org" not in ws.report(run), document.source
    assert no_network == []


def test_macros_are_kept_with_the_file_and_never_text(ws, tmp_path):
    macro = b'Attribute VB_Name = "ThisDocument"\r\nSub AutoOpen()\r\nShell "calc"\r\nEnd Sub'
    types = "application/vnd.ms-word.document.macroEnabled.main+xml"
    data = MADE["a.docx"]([(False, WORDS)])
    kinds = part_of(data, "[Content_Types].xml")
    plain = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    (tmp_path / "a.docm").write_bytes(
        changed(data, **{"word__vbaProject_dot_bin": macro, "[Content_Types]_dot_xml": kinds.replace(plain, types)})
    )
    assert ws.ingest(tmp_path / "a.docm", progress=False).documents == 1
    text = ws.document("a.docm").text
    assert WORDS in text
    assert "AutoOpen" not in text


WRONGLY_NAMED = {
    "report.txt": pdf((WORDS,)),
    "report.pdf": MADE["a.docx"]([(False, WORDS)]),
    "report.docx": PAGE.encode(),
    "report.csv": MADE["a.epub"]([(True, "One"), (False, WORDS)]),
    "report": pdf((WORDS,)),
    "report.ttl": pdf((WORDS,)),
    "report.jpg": pdf((WORDS,)),
}


def test_a_wrongly_named_file_is_read_as_what_it_is(ws, tmp_path):
    for number, (name, data) in enumerate(WRONGLY_NAMED.items()):
        ends = b"\n" * number * data.startswith(b"%PDF")  # no two of the same bytes
        (tmp_path / name).write_bytes(data + ends)
    done = ws.ingest(tmp_path, progress=False)
    assert (done.documents, done.refused) == (len(WRONGLY_NAMED), ())
    assert [one.source for one in ws.documents if WORDS not in " ".join(one.text.split())] == []


CHANGES = {
    "grows": lambda file: file.write_text(WORDS * 200),
    "shrinks": lambda file: os.truncate(file, 10),
    "is written anew": lambda file: os.utime(file, ns=(1, 1)),
}


class Changing:
    """A file that changes as it is read."""

    def __init__(self, inner, change):
        self.inner, self.change = inner, change

    def __getattr__(self, name):
        return getattr(self.inner, name)

    def read(self, size):
        data = self.inner.read(size)
        self.change()
        return data


@pytest.mark.parametrize("change", CHANGES)
def test_a_file_that_changes_while_it_is_read_is_refused_and_nothing_of_it_stored(ws, tmp_path, monkeypatch, change):
    file, opened = tmp_path / "log.txt", files.opened
    file.write_text(WORDS * 100)
    (tmp_path / "good.txt").write_text("The fan was tested.")

    @contextmanager
    def changing(source):
        with opened(source) as inner:
            yield Changing(inner, lambda: CHANGES[change](file)) if source.path == file else inner

    monkeypatch.setattr(files, "opened", changing)
    done = ws.ingest(tmp_path, progress=False)
    assert done.documents == 1
    [refused] = done.refused
    assert refused.reason.endswith("log.txt was changed while it was read; try again when nobody writes to it.")
    monkeypatch.undo()
    assert ws.ingest(file, progress=False).documents == 1


@pytest.mark.embedded("it is this process's disk that is full")
@pytest.mark.skipif(sys.platform == "win32", reason="no limits of files there")
def test_on_a_full_disk_nothing_is_stored_and_once_there_is_room_it_is(tmp_path):
    import resource

    file = tmp_path / "long.txt"
    file.write_text("\n\n".join(f"Pump no. {n} was tested in Boulder." for n in range(3_000)))
    with explorer.open(tmp_path / "ws") as ws:
        before, usual = stored(ws), resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, usual[1]))
        try:
            with pytest.raises(WorkspaceError, match=r"can't be (?:used|written) \(.*[Mm]ake room on its disk") as told:
                ws.ingest(file, extractors=(), progress=False)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, usual)
        assert "None" not in str(told.value)
        assert stored(ws) == before
        assert ws.ingest(file, extractors=(), progress=False).documents == 1


def test_the_same_file_twice_in_a_call_is_one_document(ws, tmp_path):
    file = tmp_path / "a.txt"
    file.write_text(WORDS)
    done = ws.ingest(file, tmp_path, file, str(file), progress=False)
    assert (done.documents, done.refused) == (1, ())
    before = stored(ws)
    ws.ingest(file, file, progress=False)
    assert stored(ws) == before


@pytest.mark.parametrize("link", ["hard", "soft"])
def test_two_names_for_the_same_bytes_are_one_document(ws, tmp_path, link, take):
    file = tmp_path / "a.txt"
    file.write_text(WORDS)
    if link == "hard":
        (tmp_path / "b.txt").hardlink_to(file)
    else:
        (tmp_path / "b.txt").symlink_to(file)
    assert ws.ingest(tmp_path, progress=False).documents == 1
    assert len(ws.documents) == 1
    file.unlink()
    (tmp_path / "b.txt").unlink()
    assert take("b.txt", WORDS.replace("1966", "1967")).documents == 1


ODD = [
    "x" * 251 + ".txt", "é" * 125 + ".txt", "line\nbreak.txt", "-rf.txt", "--help.txt", "a'b\"c`d$(e).txt", "🚀.txt",
    "\u202egnp.txt", "tab\there.txt", " leading and trailing .txt", "CON.txt", "a#b?c%20d.txt", "a\x1b[31m.txt",
]  # fmt: skip


@pytest.mark.parametrize("name", ODD)
def test_odd_names_are_names_like_others(ws, tmp_path, name):
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / name).write_text(WORDS)
    done = ws.ingest(folder, progress=False)
    assert (done.documents, done.refused) == (1, ())
    [document] = ws.documents
    assert WORDS in document.text
    assert "\x1b" not in repr(ws.documents)
    assert "\n" not in repr(document)
    assert ws.ingest(folder, progress=False).documents == 0
    assert ws.run("Who built the relief valve?").reason == "done"


def test_formulas_stay_text(ws, take, no_network):
    cells = ['=HYPERLINK("http://evil.example.org")', '=cmd|"/c calc"!A1', "@SUM(1+1)", "+1+cmd", "-2+3"]
    quoted = ["".join(('"', cell.replace('"', '""'), '"')) for cell in cells]
    take("a.csv", "Name,Formula\n" + "".join(f"row {n},{cell}\n" for n, cell in enumerate(quoted)))
    text = ws.document("a.csv").text
    assert all(cell.replace("|", "\\|") in text for cell in cells)
    assert no_network == []
