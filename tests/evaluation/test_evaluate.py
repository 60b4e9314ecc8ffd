"""`ws.evaluate`: questions asked in several ways, on record, restartable, compared."""

import csv
import io
import json

import pytest

from explorer import rdf
from explorer.errors import DocumentError, ModelError, QuestionError
from explorer.evaluation.ways import ways_of
from explorer.rdf import validate
from tests.corpus import QUESTIONS, with_corpus
from tests.script import Script

LINES = [
    {"question": QUESTIONS[0], "answerable": True, "gold": ["valves.md"], "answers": ["Beech Aircraft"]},
    {"question": QUESTIONS[2], "answerable": True,
     "evidence": [{"document": "notes.txt", "quote": "The relief valve opened at 983 psi."}]},
    {"question": QUESTIONS[3], "answerable": False},
]  # fmt: skip
ENGINES = ["graph-rag", "document-rag"]
ANSWERING = {"document-prompt": "Beech Aircraft built the relief valve."}


def written(folder, lines):
    path = folder / "questions.jsonl"
    path.write_text("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines), "utf-8")
    return path


ws = with_corpus()


@pytest.fixture
def path(tmp_path):
    return written(tmp_path, LINES)


def test_each_way_has_its_figures(ws, path):
    found = ws.evaluate(path, ENGINES, progress=False)
    assert [way.name for way in found.ways] == ENGINES
    assert len(found.outcomes) == 6
    figures = {(one.way.engine, one.measure.name): one.estimate for one in found.figures}
    assert figures["document-rag", "gold string"].value == 100
    assert figures["graph-rag", "recall@5"].n == 2
    assert figures["graph-rag", "declined rightly"].value == 100
    assert found.refused == ()
    assert repr(found).splitlines()[0] == "questions.jsonl: 3 questions, 2 ways"


def test_what_is_on_record_is_not_asked_again(ws, path):
    first = ws.evaluate(path, progress=False)
    second = ws.evaluate(path, ENGINES, progress=False)
    assert [one.run for one in second.of("graph-rag")] == [one.run for one in first.outcomes]
    assert [one.values for one in second.of(0)] == [one.values for one in first.outcomes]
    assert second.iri == first.iri
    assert ws.size.traces == 6
    third = ws.evaluate(path, progress=False, again=True)
    assert third.iri != first.iri
    assert ws.size.traces == 9
    assert ws.evaluate(path, progress=False).iri == third.iri


def test_an_evaluation_goes_on_where_it_was_cut_off(ws, path, monkeypatch):
    asked = ws.ask

    def interrupted(question, *given, **named):
        events = asked(question, *given, **named)
        if question != QUESTIONS[2]:
            return events
        return stop(events)

    def stop(events):
        yield next(events)
        events.close()
        raise KeyboardInterrupt

    monkeypatch.setattr(ws, "ask", interrupted)
    with pytest.raises(KeyboardInterrupt):
        ws.evaluate(path, progress=False)
    monkeypatch.setattr(ws, "ask", asked)
    [row] = ws.traces.list()
    assert row.runs == 2
    begun = {run.iri: run.reason for run in ws.traces.list(evaluation=row.iri)}
    assert sorted(begun.values()) == ["done", "stopped"]
    found = ws.evaluate(path, progress=False)
    assert ws.size.traces == 4
    assert begun[found.outcomes[0].run] == "done"
    assert found.outcomes[1].run not in begun


def test_new_documents_begin_a_new_evaluation(ws, path, tmp_path):
    first = ws.evaluate(path, progress=False)
    (tmp_path / "more.txt").write_text("The relief valve opened again at 990 psi.", "utf-8")
    ws.ingest(tmp_path / "more.txt", progress=False)
    second = ws.evaluate(path, progress=False)
    assert second.iri != first.iri
    assert not {one.run for one in first.outcomes} & {one.run for one in second.outcomes}


def test_other_limits_and_models_are_other_runs(ws, path):
    ws.chat = Script(ANSWERING)
    found = ws.evaluate(path, "graph-rag", [ws.chat.name, "no model"], [{}, {"edge_limit": 3}], progress=False)
    again = ws.evaluate(path, "graph-rag", [ws.chat.name, "no model"], [{}, {"edge_limit": 3}], progress=False)
    assert len({one.run for one in found.outcomes}) == 12
    assert [one.run for one in again.outcomes] == [one.run for one in found.outcomes]
    assert [way.name for way in found.ways] == [
        "graph-rag, stub-llm-1", "graph-rag, stub-llm-1, edge_limit=3", "graph-rag", "graph-rag, edge_limit=3",
    ]  # fmt: skip
    assert found.values(0, "tokens")
    assert found.values(2, "tokens") == []


def test_agents_are_evaluated_and_not_asked_again(ws, path):
    first = ws.evaluate(path, "agent", limits={"pattern": "react"}, progress=False)
    assert [one.run for one in ws.evaluate(path, "agent", limits={"pattern": "react"}, progress=False).outcomes] == [
        one.run for one in first.outcomes
    ]


def test_its_runs_are_on_record_and_open_but_folded_in_the_list(ws, path):
    own = ws.run(QUESTIONS[1])
    found = ws.evaluate(path, ENGINES, progress=False)
    folded, single = ws.traces.list()
    assert (folded.iri, folded.engine, folded.runs, folded.reason) == (found.iri, "evaluation", 6, "done")
    assert (folded.question, single.iri, single.runs) == ("questions.jsonl", own.iri, 0)
    inside = ws.traces.list(evaluation=found.iri)
    assert {run.iri for run in inside} == {one.run for one in found.outcomes}
    assert all(ws.traces.load(run.iri).answer == one.answer for run in inside for one in found.outcomes
               if one.run == run.iri)  # fmt: skip
    assert "evaluation, 6 runs" in repr_of(ws.traces.list())
    assert [run.runs for run in ws.traces.list("mayor")] == [2]
    assert ws.traces.list(evaluation="urn:nothing") == []


def repr_of(summaries):
    from IPython.lib.pretty import pretty

    return pretty(summaries)


def test_the_record_of_an_evaluation_is_valid_and_holds_the_file(ws, path):
    found = ws.evaluate(path, progress=False)
    described = ws.node(found.iri)
    assert set(described.children) == {one.run for one in found.outcomes}
    assert ws.data(described.entity.document) == path.read_bytes()
    quads = rdf.triples(described.entity)
    assert validate(quads) == []
    assert rdf.triples(described.entity, compat="trustgraph") == []
    trace = ws.traces.load(found.outcomes[0].run)
    assert validate(trace) == []
    assert not any("evaluation" in str(quad) for quad in trace.quads())
    assert ws.node(trace.iri).parents == (found.iri,)


def test_two_ways_are_compared_question_by_question(ws, path):
    found = ws.evaluate(path, "document-rag", limits=[{}, {"mode": "keyword", "doc_limit": 1}], progress=False)
    compared = found.compare()
    by_name = {one.measure.name: one for one in compared.differences}
    assert by_name["recall@5"].estimate.n == 2
    assert all(one.more + one.less <= one.estimate.n for one in compared.differences)
    same = found.compare(0, 0)
    assert same.questions == ()
    assert all(one.estimate.value == 0 and not one.is_clear for one in same.differences)
    assert "A  document-rag" in repr(same)
    with pytest.raises(QuestionError, match="no way 7"):
        found.compare(0, 7)
    with pytest.raises(QuestionError, match="no measure"):
        found.values(0, "beauty")


def test_questions_without_gold_give_what_can_be_had(ws, tmp_path):
    found = ws.evaluate(written(tmp_path, [{"question": QUESTIONS[0]}]), progress=False)
    assert {one.measure.name for one in found.figures} <= {"failed", "support", "words", "time"}
    assert repr(found).startswith("questions.jsonl: 1 question, none with gold, 1 way")
    assert "recall" not in repr(found)
    assert "failed" not in repr(found)


def test_lines_that_cannot_be_used_are_said_and_the_rest_is_asked(ws, tmp_path):
    path = written(tmp_path, [LINES[0], "{broken", LINES[0], {"question": QUESTIONS[1], "gold": ["nowhere"]}])
    found = ws.evaluate(path, progress=False)
    assert len(found.outcomes) == 2
    assert [sentence.split(":")[0] for sentence in found.refused] == ["line 2", "line 3", "line 4"]
    assert "Not used: line 3: it asks what line 1 asks, and was left out." in repr(found)
    assert found.outcomes[1].values["recall@5"] is None


def test_nothing_is_recorded_of_what_cannot_be_asked(ws, path, tmp_path):
    for given, error in [
        ((tmp_path / "none.jsonl",), DocumentError),
        ((written(tmp_path, ["{"]),), DocumentError),
        ((7,), QuestionError),
        ((path, "no-engine"), QuestionError),
        ((path, []), QuestionError),
        ((path, None, None, {"no_limit": 1}), QuestionError),
        ((path, None, None, {"edge_limit": -1}), QuestionError),
        ((path, None, None, ["edge_limit"]), QuestionError),
        ((path, None, [7]), QuestionError),
    ]:
        with pytest.raises(error):
            ws.evaluate(*given, progress=False)
    assert ws.size.traces == 0
    assert ws.traces.list() == []


def test_a_limit_goes_to_the_engines_that_have_it():
    ways = ways_of(ENGINES, None, [{}, {"edge_limit": 3}], None)
    assert [way.name for way in ways] == ["graph-rag", "graph-rag, edge_limit=3", "document-rag"]


def test_a_way_that_always_fails_is_given_up(ws, tmp_path):
    ws.chat = Script(dict.fromkeys(("passage-selection", "document-prompt"), ModelError("Gone.")))
    path = written(tmp_path, [{"question": f"{QUESTIONS[0]} {number}"} for number in range(8)])
    found = ws.evaluate(path, models=[ws.chat.name, "no model"], progress=False)
    assert [len(found.of(number)) for number in (0, 1)] == [5, 8]
    assert found.refused[-1].startswith("graph-rag, stub-llm-1: given up after 5 failed runs in a row")
    assert found.values(0, "failed") == [100] * 5
    assert "failed, %" in repr(found)


def test_csv_has_a_line_for_each_question_and_way(ws, tmp_path):
    path = written(tmp_path, [*LINES, {"question": "=1+1, who built the relief valve?"}])
    found = ws.evaluate(path, ENGINES, progress=False)
    text = found.to_csv(tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text("utf-8") == text
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == 8
    assert {row["engine"] for row in rows} == set(ENGINES)
    assert rows[0]["recall@5"] == "100"
    assert rows[3]["question"].startswith("'=")
    assert [row["run"] for row in rows] == [one.run for one in found.outcomes]


def test_html_shows_text_as_text(ws, tmp_path):
    found = ws.evaluate(written(tmp_path, [{"question": "Who <img src=x> built the relief valve?"}]), ENGINES,
                        progress=False)  # fmt: skip
    page = found.to_html(tmp_path / "out.html")
    assert (tmp_path / "out.html").read_text("utf-8") == page
    assert "<img" not in page
    assert "&lt;img" in page
    assert "<table" in found._repr_html_()
