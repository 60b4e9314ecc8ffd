"""Files too large to be held come in as small ones do, all or none, also where the process is killed in between."""

import re
import signal

import pytest
from pyoxigraph import BlankNode, Literal, NamedNode, Quad

import explorer
from explorer import rdf
from explorer.errors import RecordError
from explorer.rdf.foreign import streams
from explorer.record import storing_imports
from explorer.vocab import FACTS, RDFS, SOURCE
from tests.agents import SESSIONS
from tests.each import each
from tests.forked import ended
from tests.opened import ON_SERVERS
from tests.record.test_importing import STAR, named, quads

IS = NamedNode("http://trustgraph.ai/e/is")
KILLED = """
import os, signal, sys
import explorer
from explorer.record import storing_imports
from explorer.stores.graph import OxigraphStore
from tests.record.test_storing_imports import made_small
made_small(lambda owner, name, value: setattr(owner, name, value))
step, folder, file = sys.argv[1:]
def killing(owner, name, nth, after=False):
    kept, calls = getattr(owner, name), []
    def called(*values, **named):
        calls.append(1)
        if len(calls) == nth and not after:
            os.kill(os.getpid(), signal.SIGKILL)
        found = kept(*values, **named)
        if len(calls) == nth:
            os.kill(os.getpid(), signal.SIGKILL)
        return found
    setattr(owner, name, called)
ws = explorer.open(folder)
{
    "checking": lambda: killing(storing_imports._Survey, "add", 3),
    "first batch": lambda: killing(storing_imports._Survey, "_placed", 1),
    "later batch": lambda: killing(storing_imports._Survey, "_placed", 350),
    "all written": lambda: killing(OxigraphStore, "_take_place", 1),
    "in place": lambda: killing(OxigraphStore, "_take_place", 1, after=True),
    "listing": lambda: killing(sys.modules["explorer.workspace.record"], "rebuild_listing", 1),
}[step]()
ws.import_record(file)
"""


def made_small(put):
    """Have files count as large that are small, and go through them in small pieces."""
    put(storing_imports, "LARGE", 1)
    put(storing_imports, "_BATCH", 100)
    put(storing_imports, "MANY", 1)
    put(streams, "_BLOCK", 4_000)
    put(streams, "_MANY", 30)


@pytest.fixture
def small(monkeypatch):
    made_small(monkeypatch.setattr)


@pytest.fixture
def ws(tmp_path):
    with explorer.open(tmp_path / "ws") as opened:
        yield opened


def plain(found):
    """Statements with all blank nodes alike."""
    return sorted(" ".join("_:" if word.startswith("_:") else word for word in str(quad).split()) for quad in found)


@each("form", ["nq", "nt", "trig", "turtle", "rdfxml"])
@each("session", SESSIONS)
@pytest.mark.usefixtures("small")
def test_a_large_file_is_stored_as_a_small_one_is(tmp_path, form, session):
    given = quads(SESSIONS[session])
    (tmp_path / named(form)).write_bytes(rdf.dump(given, form))
    with explorer.open() as ws:
        done = ws.import_record(tmp_path / named(form))
        assert set(ws.graph.match()) == given
        assert (done.given, done.read, done.refused) == (len(given), len(given), ())
        [asked] = done.traces
        assert set(ws.traces.load(asked).quads()) == given
        assert [one.iri for one in ws.traces.list()] == [asked]


@pytest.mark.parametrize("in_memory", [True, False])
def test_what_is_odd_comes_in_alike(tmp_path, monkeypatch, in_memory):
    many = "".join(f'<urn:v:{n}> <urn:p> "value {n}\\r" .\n' for n in range(400))
    odd = (
        f"\ufeff{many}# a comment\n\n_:a <urn:p> _:b .\n<urn:bad iri> <urn:p> <urn:o> .\n{STAR}"
        f"{many}_:b <urn:p> <<( _:a <urn:p> _:b )>> _:g .\n<urn:e:x> <urn:e:is> <urn:e:y> .\n"
        "no statement\n<urn:s> <urn:p> <urn:o> .\r\n<urn:last> <urn:p> <urn:o> ."
    )
    (tmp_path / "odd.nq").write_text(odd, "utf-8", newline="")
    found = []
    for large in (False, True):
        if large:
            made_small(monkeypatch.setattr)
        with explorer.open(None if in_memory else tmp_path / f"ws-{large}") as ws:
            done = ws.import_record(tmp_path / "odd.nq")
            found.append((done.given, done.read, done.refused, done.unindexed, plain(ws.graph.match())))
            spoken = [str(one) for one in ws.graph.match(None, NamedNode("urn:p")) if "_:" in str(one)]
            assert len(set(re.findall(r"_:\w+", " ".join(spoken)))) == 3
    assert found[0] == found[1]


@pytest.mark.usefixtures("small")
def test_facts_that_were_retracted_are_left_out_and_those_without_vectors_counted(ws, tmp_path):
    ws.add_fact("b", "is", "x")
    [untrue] = ws.graph.match(None, IS, None, FACTS)
    kept = Quad(NamedNode("http://trustgraph.ai/e/a"), IS, untrue.object, FACTS)
    (tmp_path / "facts.nq").write_bytes(rdf.dump([kept, untrue], "nq") * 2)
    ws.retract(untrue.triple)
    done = ws.import_record(tmp_path / "facts.nq")
    assert (kept in set(ws.graph.match()), untrue in set(ws.graph.match())) == (True, False)
    assert (done.given, done.unindexed) == (4, 1)
    assert done.refused[0].startswith("1 fact left out: retracted here")


@pytest.mark.usefixtures("small")
def test_how_far_an_import_has_come_is_told_and_a_syntax_error_names_its_place_and_nothing_is_stored(ws, tmp_path):
    lines = [f"<urn:s:{n}> <urn:p> <urn:o> .\n" for n in range(400)]
    (tmp_path / "bad.trig").write_text("".join([*lines, "<urn:s> <urn:p> .\n"]), "utf-8")
    with pytest.raises(RecordError, match="can't be read at line 401, column 17"):
        ws.import_record(tmp_path / "bad.trig")
    assert list(ws.graph.match()) == []
    (tmp_path / "some.ttl").write_text("".join(lines), "utf-8")
    steps = []
    ws.import_record(tmp_path / "some.ttl", progress=steps.append)
    assert [one.stage for one in steps] == sorted(one.stage for one in steps)
    assert {one.stage for one in steps} == {"reading", "storing"}
    stored = [(one.done, one.total) for one in steps if one.stage == "storing"]
    assert (stored[-1], stored) == ((400, 400), sorted(stored))
    assert all(one.done <= one.total for one in steps)


@pytest.mark.usefixtures("small")
def test_many_statements_that_are_none_are_counted_and_the_first_are_named(ws, tmp_path, monkeypatch):
    monkeypatch.setattr(storing_imports, "_TOLD", 3)
    (tmp_path / "bad.nq").write_text("<urn:a> <urn:p> <urn:o> .\n" + "bad\n" * 500, "utf-8")
    done = ws.import_record(tmp_path / "bad.nq")
    assert (done.given, done.read) == (501, 1)
    assert [one.split(":")[0] for one in done.refused[:3]] == [f"Line {n}, column 1" for n in (2, 3, 4)]
    assert done.refused[3:] == ("497 more statements can't be read.",)


@pytest.mark.usefixtures("small")
def test_a_line_without_end_is_refused_by_its_number_and_the_rest_is_read(ws, tmp_path, monkeypatch):
    monkeypatch.setattr(streams, "LONGEST_LINE", 10_000)
    lines = ["<urn:a> <urn:p> <urn:o> .", f'<urn:a> <urn:p> "{"x" * 50_000}" .', "<urn:b> <urn:p> <urn:o> .", "bad"]
    (tmp_path / "long.nq").write_text("\n".join(lines), "utf-8")
    done = ws.import_record(tmp_path / "long.nq")
    assert (done.given, done.read, len([*ws.graph.match()])) == (4, 2, 2)
    assert sorted(one.split(",")[0] for one in done.refused) == ["Line 2", "Line 4"]


@pytest.mark.usefixtures("small")
def test_a_file_that_changes_while_it_is_read_leaves_nothing(ws, tmp_path, monkeypatch):
    file = tmp_path / "changing.nq"
    file.write_text("".join(f"<urn:s:{n}> <urn:p> <urn:o> .\n" for n in range(400)), "utf-8")
    placed = storing_imports._Survey._placed

    def changing(self, quad):
        if quad.subject.value == "urn:s:300":
            file.write_text("<urn:other> <urn:p> <urn:o> .\n", "utf-8")
        return placed(self, quad)

    monkeypatch.setattr(storing_imports._Survey, "_placed", changing)
    file.write_text(file.read_text("utf-8").replace("<urn:o>", "_:o"), "utf-8")
    with pytest.raises(RecordError, match=r"changing\.nq changed while it was read; nothing of it was stored"):
        ws.import_record(file)
    assert list(ws.graph.match()) == []
    assert ON_SERVERS or [one.name for one in (tmp_path / "ws" / "default").glob("graph*")] == ["graph"]


@pytest.mark.usefixtures("small")
def test_what_is_added_meanwhile_is_kept_and_a_reader_reads_on(ws, tmp_path, monkeypatch):
    first, meanwhile = (Quad(NamedNode(f"urn:{name}"), IS, Literal("x"), SOURCE) for name in ("first", "meanwhile"))
    gone = Quad(NamedNode("urn:gone"), IS, Literal("x"), SOURCE)
    ws.graph.add([first, gone])
    reader = ws.graph.match(None, IS)
    read = [next(reader)]
    batches = storing_imports._Survey.batches

    def adding(self, blocks):
        for batch in batches(self, blocks):
            yield batch
            if len(batch) == storing_imports._BATCH or meanwhile not in ws.graph:
                ws.graph.replace([], [meanwhile], [gone])
                assert meanwhile in ws.graph
                assert not list(ws.graph.match(NamedNode("urn:s:1")))

    monkeypatch.setattr(storing_imports._Survey, "batches", adding)
    (tmp_path / "some.nq").write_text("".join(f"<urn:s:{n}> <urn:p> <urn:o> .\n" for n in range(400)), "utf-8")
    ws.import_record(tmp_path / "some.nq")
    assert set(ws.graph.match(None, IS)) == {first, meanwhile}
    query = "SELECT (count(*) AS ?n) WHERE { GRAPH ?g { ?s <http://trustgraph.ai/e/is> ?o } }"
    [told] = ws.graph.answered(query, 60).lines
    assert "2" in told
    assert len([*ws.graph.match()]) == 402
    assert {*read, *reader} == {first, gone}
    del reader
    ws.graph.add([Quad(NamedNode("urn:after"), IS, Literal("x"), SOURCE)])
    ws.close()
    with explorer.open(tmp_path / "ws") as again:
        assert len([*again.graph.match()]) == 403


@pytest.mark.embedded("kills while the folder's graph takes the place of another")
@each("step", ["checking", "first batch", "later batch", "all written", "in place", "listing"])
def test_a_kill_leaves_all_or_nothing_and_a_second_run_finishes(tmp_path, step, monkeypatch):
    before = Quad(NamedNode("urn:before"), RDFS.label, Literal("x"), SOURCE)
    with explorer.open(tmp_path / "ws") as ws:
        ws.graph.add([before])
    runs = {quad for session in SESSIONS.values() for quad in quads(session)}
    more = [Quad(BlankNode(), IS, Literal(str(number)), SOURCE) for number in range(500)]
    (tmp_path / "runs.nq").write_bytes(rdf.dump([*more, *runs], "nq"))
    assert ended("-c", KILLED, step, tmp_path / "ws", tmp_path / "runs.nq") == -signal.SIGKILL
    made_small(monkeypatch.setattr)
    with explorer.open(tmp_path / "ws") as ws:
        is_there = step in {"in place", "listing"}
        assert len(ws.graph.store) == 1 + (len(runs) + len(more) if is_there else 0)
        assert len(ws.traces.list()) == (len(SESSIONS) if is_there else 0)
        assert [one.name for one in (tmp_path / "ws" / "default").glob("graph*")] == ["graph"]
        ws.import_record(tmp_path / "runs.nq")
        assert set(ws.graph.match()) >= {before, *runs}
        assert len(ws.traces.list()) == len(SESSIONS)


@pytest.mark.embedded("kills while the folder's graph takes the place of another")
def test_files_that_a_kill_left_beside_the_graph_go_when_it_is_opened(tmp_path):
    with explorer.open(tmp_path / "ws"):
        pass
    left = tmp_path / "ws" / "default" / "graph" / "bulk-123.sst"
    left.write_bytes(b"half")
    with explorer.open(tmp_path / "ws"):
        assert not left.exists()


NAMELESS = {
    "a.ttl": "".join(f'<urn:{n}> <urn:p> [ <urn:q> [ <urn:q> "{n}" ] ], [] .\n' for n in range(200)),
    "a.nq": "".join(f'_:a{n} <urn:p> _:b{n} .\n_:b{n} <urn:q> "{n}" _:g .\n' for n in range(200)),
}


@each("name", NAMELESS)
@pytest.mark.usefixtures("small")
def test_a_large_file_that_comes_in_again_adds_no_node_without_a_name(tmp_path, name):
    sizes, many = [], len(rdf.load(NAMELESS[name]).quads)
    with explorer.open() as ws:
        for text in (NAMELESS[name], NAMELESS[name], NAMELESS[name].replace('"199"', '"other"')):
            (tmp_path / name).write_text(text, "utf-8")
            ws.import_record(tmp_path / name, progress=False)
            sizes.append(len(set(ws.graph.match())))
    assert sizes == [many, many, 2 * many]
