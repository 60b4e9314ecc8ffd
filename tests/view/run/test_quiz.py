"""What a class is asked before it sees what a run kept, and runs that decline or fail while it is taught."""

import re

import pytest

import explorer
from explorer.dag import ProvenanceDag
from explorer.view.run.quiz import quiz_of
from tests.corpus import QUESTIONS, shared
from tests.each import each
from tests.widgets.conftest import QUESTION
from tests.widgets.past.test_runs import until
from tests.widgets.test_app import Fragile


def asked(question, engine, **limits):
    """A run, and what is asked of its class, at most once."""
    return quizzed(shared(), question, engine, **limits)


def quizzed(ws, question, engine, **limits):
    trace, dag, found = ws.run(question, engine, **limits), ProvenanceDag(), []
    for event in trace.events:
        if (quiz := quiz_of(dag, event, lambda _, fact: ws.sources.passages(fact))) is not None:
            found.append(quiz)
        dag.apply(event)
    return trace, found


def written(tmp_path, *sentences):
    """A workspace with one document of these sentences."""
    (tmp_path / "abort.md").write_text("# The abort\n\n" + "\n\n".join(sentences) + "\n")
    ws = explorer.open()
    ws.ingest(tmp_path / "abort.md", progress=False)
    return ws


STATED = (
    "Mission Control rejected the direct abort.",
    "The controllers chose the path around the Moon.",
    "The crew switched off the heaters.",
    "The recovery ship carried two helicopters.",
    "The helicopters lifted the astronauts.",
)


def test_a_class_is_asked_of_facts_each_beside_its_own_sentence(tmp_path):
    with written(tmp_path, *STATED) as ws:
        _, [quiz] = quizzed(ws, "Why did Mission Control reject a direct abort?", "graph-rag", edge_limit=2)
    quotes = [one["quote"] for one in quiz["choices"]]
    assert set(quotes) <= set(STATED)
    assert len(set(quotes)) == len(quotes)
    assert STATED[0] in [one["quote"] for one in quiz["choices"] if one["kept"]]
    left = {one["quote"]: one["why"] for one in quiz["choices"] if not one["kept"]}
    assert {left.get(one, "It has no word of the question.") for one in STATED[3:]} == {
        "It has no word of the question."
    }
    assert quiz["basis"], "by what a run without a model goes"


@each(
    ("engine", "limits", "said"),
    [
        ("document-rag", {"doc_limit": 2}, "5 passages"),
        ("document-rag", {"doc_limit": 1, "fetch_limit": 3}, "3 passages"),
        ("graph-rag", {"edge_limit": 2, "edge_score_limit": 12}, "5 facts"),
        ("graph-rag", {"edge_limit": 1, "edge_score_limit": 2}, "2 facts"),
    ],
)
def test_some_that_were_kept_stand_among_some_that_were_not(engine, limits, said):
    trace, [quiz] = asked(QUESTIONS[1], engine, **limits)
    texts = [one["text"] for one in quiz["choices"]]
    assert texts == sorted(texts)
    kept = [one for one in quiz["choices"] if one["kept"]]
    many = len(kept) if len(kept) > 1 else "one"
    assert quiz["question"] == f"Tick the {many} of these {said} that you think the run kept"
    assert 0 < len(kept) < len(texts)
    scores = sorted((one.score for one in (*trace.edges, *trace.chunks)), reverse=True)
    if engine == "document-rag":
        assert {one["score"] for one in kept} == {f"{score:.2f} of 1" for score in scores[: len(kept)]}, "the best"
        assert any(re.match("(Best of .*|The only one) kept: it ", one["why"]) for one in kept)
    left = [one for one in quiz["choices"] if not one["kept"]]
    assert all(one["why"] for one in left)
    if engine == "document-rag":
        known = " ".join(" ".join(found.text.split()) for one in trace.chunks for found in trace.passages[one.iri])
        assert all(one["text"].split("”")[0].removeprefix("“").rstrip("…") in known for one in kept)


@pytest.mark.parametrize(
    ("engine", "limits"),
    [
        ("document-rag", {"doc_limit": 100}),
        ("document-rag", {"rerank": False}),
        ("agent", {"pattern": "react"}),
    ],
)
def test_where_there_is_nothing_to_choose_nothing_is_asked(engine, limits):
    assert asked(QUESTIONS[1], engine, **limits)[1] == []


def step_through(app):
    """Go on at each wait until the run is over; what was said at each, and at the end."""
    told = []
    while app.is_running:
        until(lambda: app.whole()["waiting"] or not app.is_running)
        page = app.whole()
        if page["waiting"]:
            told.append((page["seq"], page["quiz"] or page["teaching"]))
            app.next("step")
            until(lambda: app.whole()["seq"] != told[-1][0] or not app.is_running)
    assert app.wait(20)
    return [*(what for _, what in told), app.whole()["teaching"]]


@pytest.mark.parametrize("engine", ["document-rag"])
def test_a_class_sees_a_run_declined_and_why(app, engine):
    app.bar.teaches = True
    app.ask("Who is the mayor of Lisbon?", engine=engine)
    told = step_through(app)
    assert app.trace.reason == "declined"
    assert [one["question"] for one in told if "question" in one]
    assert "Nothing was made up" in told[-1]["text"]
    page = app.whole()
    assert (page["state"], page["waiting"], page["quiz"], app.bar.state["waiting"]) == ("declined", False, None, False)
    app.ask(QUESTION)
    assert step_through(app)[-1]["word"] == "Answer"


def test_a_class_sees_a_run_fail_and_what_is_on_record(sent, tmp_path):
    (tmp_path / "note.md").write_text("# Note\n\nThe tank was dropped at the factory.\n")
    embedder = Fragile()
    with explorer.open(embedder=embedder) as ws:
        ws.ingest(tmp_path / "note.md", progress=False)
        app = explorer.app(ws, pace=0)
        app.bar.teaches = embedder.broken = True
        app.ask("Where was the tank dropped?")
        told = step_through(app)
        assert told[-1]["text"].startswith("It failed; the run could not go on.")
        page = app.whole()
        assert (page["state"], page["waiting"], app.bar.state["waiting"], app.is_running) == (
            "error",
            False,
            False,
            False,
        )
        assert app.trace.reason == "error"
