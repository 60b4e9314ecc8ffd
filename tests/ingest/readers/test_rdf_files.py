"""A long file of RDF is read and stored a stretch at a time, and states then what it does when it is held whole."""

import json
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from pyoxigraph import NamedNode

import explorer
from explorer.errors import DocumentError
from explorer.ingest.readers import rdf_files
from explorer.ingest.removal import holdings
from explorer.vocab import FACTS, PROV
from tests.corpus import Clock, ids
from tests.forked import ended
from tests.ingest.readers.test_rdf import PEOPLE
from tests.killed import facts_made_short
from tests.opened import left_by_the_dead
from tests.test_workspace import stored

ROOT = Path(__file__).parents[3]
EX = "http://example.org/"
NAMES = "".join(f'<{EX}pump/{n}> <http://www.w3.org/2000/01/rdf-schema#label> "Pump {n}" .\n' for n in range(60))
PUMPS = "".join(f"<{EX}pump/{n}> <{EX}feeds> <{EX}pump/{n + 1}> .\n" for n in range(59)) + NAMES
MANY = {
    "pumps.nt": PUMPS,
    "people.ttl": PEOPLE + "".join(f"ex:p{n} ex:knows ex:p{n + 1} .\n" for n in range(80)),
    "graphs.trig": f"@prefix ex: <{EX}> .\n"
    + "".join(f"ex:g{n} {{ ex:p{n} ex:knows ex:p{n + 1} }}\nex:g{n} <http://purl.org/dc/terms/source> ex:book .\n"
              for n in range(60)),
    "one-line.ttl": f"@prefix ex: <{EX}> . ex:a ex:knows " + ", ".join(f"ex:p{n}" for n in range(400)) + " .",
    "nodes.ttl": f"@prefix ex: <{EX}> .\n"
    + "".join(f"ex:p{n} ex:lives [ ex:city ex:c{n % 7} ; ex:in ( ex:a ( ex:b ex:c ) ) ] .\n" for n in range(60)),
    "things.rdf": f'<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:ex="{EX}">'
    + "".join(f'\n<rdf:Description rdf:about="{EX}p{n}"><ex:knows rdf:resource="{EX}p{n + 1}"/></rdf:Description>'
              for n in range(80)) + "</rdf:RDF>",
}  # fmt: skip


@pytest.fixture(autouse=True)
def short(monkeypatch):
    facts_made_short(monkeypatch.setattr)


def written(folder, name, text=None):
    file = folder / name
    file.write_bytes((MANY[name] if text is None else text).encode())
    return file


def told(ws):
    """What is stated, in words, with its line and its source; names of blank nodes without their numbers."""
    sections = {re.sub(r" \((?:no\. )?[\d,]+\)", "", line) for line in ws.documents[0].text.splitlines() if line}
    labels = {(one.words[1], len(one.passages)) for one in ws.facts(limit=None)}
    return sections, labels, len(ws.facts(limit=None))


@pytest.mark.parametrize("name", MANY)
def test_a_long_file_states_what_it_does_when_it_is_held_whole(ws, tmp_path, monkeypatch, name):
    file = written(tmp_path, name)
    done = ws.ingest(file, progress=False)
    assert (done.documents, done.refused) == (1, ())
    [document] = ws.documents
    assert ws.stores.library.get(document.iri).data == file.read_bytes()
    assert len(ws.stores.database.rows("SELECT 1 FROM stretches")) > 1
    text = document.text
    for fact in ws.facts(limit=None):
        for passage in fact.passages:
            assert text[passage.start : passage.end] == passage.text
    with explorer.open(ids=ids(), clock=Clock()) as other:
        monkeypatch.setattr(rdf_files, "LONG", 10**9)
        whole = other.ingest(file, progress=False)
        assert (whole.edges, whole.notes) == (done.edges, done.notes)
        assert told(other) == told(ws)
        assert (other.documents[0].title, other.documents[0].iri) == (document.title, document.iri)


def test_the_same_bytes_again_change_nothing_and_are_not_read(ws, tmp_path, monkeypatch):
    file = written(tmp_path, "pumps.nt")
    ws.ingest(file, progress=False)
    before = stored(ws)
    monkeypatch.setattr(rdf_files.Survey, "look", None)
    done = ws.ingest(file, extractors=("rules",), progress=False)
    assert (done.documents, done.edges, done.refused) == (0, 0, ())
    assert stored(ws) == before
    moved = file.rename(tmp_path / "moved.nt")
    assert ws.ingest(moved, progress=False).documents == 0
    assert str(moved) in ws.stores.library.places(ws.documents[0].iri)


def test_what_is_forgotten_is_gone_and_can_come_back(ws, tmp_path):
    file = written(tmp_path, "pumps.nt")
    ws.ingest(file, progress=False)
    facts, [document] = len(ws.facts(limit=None)), ws.documents
    ws.forget(document)
    assert (len(ws.facts(limit=None)), ws.stores.database.rows("SELECT 1 FROM stretches")) == (0, [])
    assert ws.ingest(file, progress=False).documents == 1
    assert len(ws.facts(limit=None)) == facts
    assert not list(ws.graph.match(NamedNode(document.iri), PROV.invalidatedAtTime, None, FACTS))


FAULTS = {
    "at its end.ttl": (MANY["people.ttl"] + "ex:a ex:b .\n", r"can't be read at line 99, column 11: .*; correct it"),
    "no text.ttl": (MANY["people.ttl"] + "ex:a ex:b \ud800 .\n", r"line 99, column 11: byte \d+ is 0xed, .* not UTF-8"),
    "broken.rdf": (MANY["things.rdf"].replace("</rdf:RDF>", "</rdf:rdf>"), r"line 81, column \d+: mismatched tag"),
    "runs.nt": (PUMPS + f'<{EX}q> <https://trustgraph.ai/ns/query> "Why?" .\n', "has recorded runs in it"),
    "none.nt": ("# nothing\n" * 500, "states no fact; check that it is the right file"),
    "bad.nt": ("not a statement\n" * 500, r"states no fact \(line 1, column 1: "),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_nothing_of_a_file_that_is_refused_is_stored(ws, tmp_path, name):
    text, said = FAULTS[name]
    (tmp_path / name).write_bytes(text.encode("utf-8", "surrogatepass"))
    before = stored(ws)
    with pytest.raises(DocumentError, match=said):
        ws.ingest(tmp_path / name, progress=False)
    assert stored(ws) == before


def test_lines_that_are_no_statements_are_told_and_the_others_read(ws, tmp_path):
    lines = PUMPS.splitlines(keepends=True)
    lines[40:40] = ["not a statement\n"] * 3
    done = ws.ingest(written(tmp_path, "pumps.nt", "".join(lines)), progress=False)
    assert done.edges == 59
    assert [one.reason.split(":")[0] for one in done.refused] == [f"pumps.nt, line {n}, column 1" for n in (41, 42, 43)]


def test_a_file_that_changes_while_it_is_read_is_refused_and_leaves_nothing(ws, tmp_path, monkeypatch):
    file = written(tmp_path, "pumps.nt")
    look = rdf_files.Survey.look

    def changing(survey):
        yield from look(survey)
        file.write_text(PUMPS.replace("Pump 3", "Pump 4"))

    monkeypatch.setattr(rdf_files.Survey, "look", changing)
    with pytest.raises(DocumentError, match=r"pumps\.nt was changed while it was read"):
        ws.ingest(file, progress=False)
    assert left(ws) == []


def left(ws):
    """All that is stored."""
    tables = ("documents", "contents", "chunks", "stretches", "vectors", "standing", "extracted")
    rows = [row for table in tables for row in ws.stores.database.rows(f"SELECT * FROM {table}")]
    return rows + list(ws.graph.match())


def test_how_far_it_is_is_told(ws, tmp_path):
    steps = []
    ws.ingest(written(tmp_path, "pumps.nt"), progress=steps.append)
    assert {one.stage for one in steps} == {"reading", "storing"}
    shares = [one.done / one.total for one in steps if one.total]
    assert (shares == sorted(shares), shares[-1]) == (True, 1.0)


def test_a_kill_before_any_transaction_leaves_all_of_it_or_nothing(tmp_path):
    file = written(tmp_path, "pumps.nt")
    found, step = [], 0
    while not found or found[-1] == -signal.SIGKILL:
        folder = tmp_path / f"ws{step}"
        found.append(ended("-m", "tests.killed", step, folder, 0, json.dumps(str(file))))
        with explorer.open(folder) as ws:
            left_by_the_dead(ws)
            documents = ws.stores.library.documents()
            assert documents or left(ws) == []
            ws.ingest(file, progress=False)
            assert len(ws.facts(limit=None)) == 59
            assert len(holdings(ws.graph, ws.documents[0].iri).subgraphs) == 59
        step += 4
    assert found[-1] == 0
    assert len(found) > 3


READING = """
import resource, sys
import explorer
with explorer.open(sys.argv[1]) as ws:
    done = ws.ingest(sys.argv[2], progress=False, max_bytes=2_000_000_000)
print(done.edges, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)
"""


def held(folder, size, times):
    """The most bytes that a process holds that reads a file of so many bytes, whose values have a sentence so often."""
    file = folder / f"{size}.nq"
    with file.open("w") as out:
        number = 0
        while out.tell() < size:
            words = f"Pump {number} was measured at noon and lifts {number} litres. " * times
            out.write(f'<{EX}pump-{number}> <{EX}note> "{words}" <{EX}graph> .\n')
            number += 1
    command = [sys.executable, "-c", READING, str(folder / f"of{size}"), str(file)]
    found = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout.split()
    assert int(found[0]) == number
    return int(found[1])


@pytest.mark.soak
@pytest.mark.timeout(9000)
@pytest.mark.parametrize(("size", "times"), [(30_000_000, 20), (1_000_000_000, 800)])
def test_a_very_long_file_is_read_within_the_memory_of_any_file(tmp_path, size, times):
    assert held(tmp_path, size, times) < 800_000_000


def test_a_changed_file_is_a_new_version_and_facts_that_it_lacks_answer_no_more(ws, tmp_path):
    file = written(tmp_path, "pumps.nt")
    ws.ingest(file, progress=False)
    written(tmp_path, "pumps.nt", PUMPS.replace(f"pump/7> <{EX}feeds", f"pump/7> <{EX}cools"))
    done = ws.ingest(file, progress=False)
    assert done.documents == 1
    assert [one.words for one in ws.facts(limit=None) if one.words[0] == "Pump 7"] == [("Pump 7", "cools", "Pump 8")]
    assert len(ws.documents) == 1
