"""`explorer watch`: a folder and a workspace are kept alike until Ctrl-C."""

import signal
import subprocess
import sys
from contextlib import contextmanager

import explorer
from explorer.cli.watching import Watch
from tests.ingest.test_removal import FIRST, SECOND


@contextmanager
def watching(folder, place, *more):
    """The lines that the command prints, one by one; it is ended by Ctrl-C."""
    command = [sys.executable, "-m", "explorer", "watch", str(folder), "-w", str(place), "--every", "0.1", *more]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline().startswith("Watching")
    yield child.stdout.readline
    child.send_signal(signal.SIGINT)
    rest, _ = child.communicate()
    assert child.returncode == 0
    assert rest.splitlines()[-1] == "Stopped."


def test_the_workspace_follows_the_folder_and_ends_by_ctrl_c(tmp_path):
    folder, place = tmp_path / "docs", tmp_path / "ws"
    folder.mkdir()
    file = folder / "motors.txt"
    file.write_text(FIRST)
    with watching(folder, place, "--forget") as line:
        assert line().startswith("Read motors.txt: added 1 document, 1 passage, ")
        file.write_text(SECOND)
        assert line().startswith("Read motors.txt: added 1 document")
        assert "took the place of the version that was here" in line()
        (folder / "empty.txt").touch()
        assert line().startswith("Refused: ")
        file.unlink()
        assert line().startswith("Removed “motors”")
    with explorer.open(place) as ws:
        assert not ws.documents


def test_a_file_that_moves_takes_its_document_along(tmp_path):
    file, moved = tmp_path / "docs" / "motors.txt", tmp_path / "docs" / "sub" / "fans.txt"
    moved.parent.mkdir(parents=True)
    file.write_text(FIRST)
    with explorer.open() as ws:
        watch = Watch(ws, file.parent, forgets=True)
        assert not list(watch.look())  # it may still be written
        assert len(list(watch.look())) == 1
        [before] = ws.documents
        file.rename(moved)
        for _ in range(3):
            assert not list(watch.look())
        assert [one.iri for one in ws.documents] == [before.iri]
        assert ws.stores.library.places(before.iri) == [str(moved)]
        moved.unlink()
        assert [line.partition(" with ")[0] for line in watch.look()] == ["Removed “motors”"]


def test_files_that_go_before_they_are_read_are_not_refused(tmp_path, monkeypatch):
    for name in ("motors.txt", "fans.txt"):
        (tmp_path / name).write_text(FIRST)
    (tmp_path / "empty.txt").touch()
    with explorer.open() as ws:
        watch = Watch(ws, tmp_path, forgets=False)
        assert not list(watch.look())
        read = ws.ingest

        def late(*files, **options):
            (tmp_path / "fans.txt").unlink()
            return read(*files, **options)

        monkeypatch.setattr(ws, "ingest", late)
        lines = list(watch.look())
        assert lines[0].startswith("Read 3 files: added 1 document")
        assert [line for line in lines if line.startswith("Refused")] == lines[1:]
        assert len(lines) == 2
        assert "empty.txt" in lines[1]


def test_a_corpus_stands_as_long_as_its_file_or_stays_without_it(tmp_path):
    corpus = tmp_path / "docs" / "corpus.jsonl"
    corpus.parent.mkdir()
    for forgets in (True, False):
        corpus.write_text('{"id": "p#1", "title": "Fan motors", "text": "Globe Industries made the fan motors."}')
        with explorer.open() as ws:
            watch = Watch(ws, corpus.parent, forgets=forgets)
            lines = [line for _ in range(3) for line in watch.look()]
            assert [line.partition(":")[0] for line in lines] == ["Read corpus.jsonl"]
            corpus.unlink()
            [said] = watch.look()
            assert ("is gone; its document stays" in said, len(ws.documents)) == (not forgets, not forgets)
