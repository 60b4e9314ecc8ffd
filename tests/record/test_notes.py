"""Names, tags and notes of runs: beside the record, and never in it."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from explorer.errors import RecordError, WorkspaceError
from explorer.vocab import ANNOTATION, RETRIEVAL
from tests.corpus import QUESTIONS, filled

HOSTILE = "<img src=x onerror=alert(1)> \"quoted\" 'single' \\ } ; DELETE WHERE { ?s ?p ?o }"
ARABIC = "\u202eلماذا فشل \U0001f680"


@pytest.fixture
def ws(tmp_path):
    with filled(tmp_path / "ws") as found:
        yield found


def listed(ws, **how):
    return {one.iri: one for one in ws.traces.list(**how)}


def told(row):
    return row.name, row.tags, row.note


def test_a_name_tags_and_a_note_stand_at_a_run_which_stays_as_it_was(ws):
    trace = ws.run(QUESTIONS[0])
    before = set(ws.graph.match(graph=RETRIEVAL)), ws.export(trace, "nq")
    ws.traces.annotate(trace.iri, name="Baseline", tags=["audit", "valves"], note="Ask again\nnext week.")
    assert told(listed(ws)[trace.iri]) == ("Baseline", ("audit", "valves"), "Ask again\nnext week.")
    assert (set(ws.graph.match(graph=RETRIEVAL)), ws.export(ws.traces.load(trace.iri), "nq")) == before
    ws.traces.annotate(trace.iri, name="Base")
    assert listed(ws)[trace.iri].tags == ("audit", "valves")
    ws.traces.annotate(trace.iri, name="", tags=[], note=" \n ")
    assert told(listed(ws)[trace.iri]) == (None, (), None)
    assert not list(ws.graph.match(graph=ANNOTATION))


def test_runs_are_found_by_name_note_and_tag(ws):
    one, other = (ws.run(question) for question in QUESTIONS[:2])
    ws.traces.annotate(one.iri, name="First look", tags=["Audit"], note="kept for the board")
    ws.traces.annotate(other.iri, tags=["audit", "late"])
    assert listed(ws, text="FIRST").keys() == listed(ws, text="board").keys() == {one.iri}
    assert listed(ws, text="LATE").keys() == {other.iri}
    assert listed(ws, text="none") == {}
    assert listed(ws, tag="AUDIT").keys() == {one.iri, other.iri}
    assert listed(ws, tag="late").keys() == {other.iri}
    assert listed(ws, tag="lat") == {}
    assert listed(ws, tag="audit", engine="agent") == {}
    assert ws.traces.tags() == ["Audit", "late"]
    shown = repr(ws.traces.list()) and ws.traces.list()._repr_html_()
    assert all(word in shown for word in ("First look", "Audit", "Name", "Tags"))


@pytest.mark.parametrize("text", [HOSTILE, ARABIC, "x" * 200, "a\x00b\ud800c\x1b[31m"])
def test_any_text_is_kept_as_text(ws, text):
    trace = ws.run(QUESTIONS[0])
    quads = len(list(ws.graph.match(graph=RETRIEVAL)))
    ws.traces.annotate(trace.iri, name=text, tags=[text, text.upper(), "", "  ", text], note=text * 50)
    row = listed(ws)[trace.iri]
    assert row.tags == (row.name,)
    assert not {"\x00", "\x1b", "\ud800", "\u202e"} & {*row.name, *row.note}
    assert len(list(ws.graph.match(graph=RETRIEVAL))) == quads
    assert "<img" not in ws.traces.list()._repr_html_()
    assert listed(ws, tag=row.name).keys() == listed(ws, text=row.name).keys() == {trace.iri}


def test_what_is_too_long_is_refused_and_nothing_changes(ws):
    trace = ws.run(QUESTIONS[0])
    ws.traces.annotate(trace.iri, name="Baseline")
    many = [str(number) for number in range(51)]
    for given in ({"name": "x" * 10_000}, {"tags": ["y" * 201]}, {"tags": many}, {"note": "z" * 100_001}):
        with pytest.raises(RecordError, match="at most"):
            ws.traces.annotate(trace.iri, **{"name": "Other", **given})
    with pytest.raises(RecordError, match="Tags are a list"):
        ws.traces.annotate(trace.iri, tags="audit")
    assert listed(ws)[trace.iri].name == "Baseline"


@pytest.mark.embedded("a folder has one writer")
def test_a_workspace_that_another_writes_to_takes_none(ws, tmp_path, monkeypatch):
    trace = ws.run(QUESTIONS[0])
    monkeypatch.setattr(ws.stores.database, "read_only", True)
    for change in (lambda: ws.traces.annotate(trace.iri, name="n"), lambda: ws.traces.delete(trace.iri)):
        with pytest.raises(WorkspaceError, match="another process"):
            change()


def test_two_who_write_at_once_both_find_what_they_wrote(ws):
    trace = ws.run(QUESTIONS[0])
    given = [{"name": "n"}, {"tags": ["t"]}, {"note": "text"}]
    with ThreadPoolExecutor(3) as pool:
        for _ in range(5):
            ws.traces.annotate(trace.iri, name="", tags=(), note="")
            [*pool.map(lambda one: ws.traces.annotate(trace.iri, **one), given)]
            assert told(listed(ws)[trace.iri]) == ("n", ("t",), "text")


def test_runs_of_one_question_say_what_they_were_asked_with_where_that_differs(ws):
    asked = [ws.run(QUESTIONS[0]), ws.run(f" {QUESTIONS[0].upper()}"), ws.run(QUESTIONS[0], edge_limit=2)]
    asked += [ws.run(QUESTIONS[0], "document-rag"), ws.run(QUESTIONS[1])]
    rows = listed(ws)
    told = [dict(rows[trace.iri].differs) for trace in asked]
    assert told[0] == told[1] != told[2]
    assert (told[0]["edge_limit"], told[2]["edge_limit"]) == ("25", "2")
    assert (told[2]["method"], told[3]["method"]) == ("Graph search", "Passage search")
    assert "model" not in told[0]
    assert told[4] == {}
    varied = ws.rerun(asked[4], without=[asked[4].edges[0]])
    assert dict(listed(ws)[varied.iri].differs) == {"without": "1 fact"}
    assert dict(listed(ws)[asked[4].iri].differs) == {"without": "nothing"}
    assert "edge_limit=2" in ws.traces.list()._repr_html_()
