"""Past runs in the app: the list, a run shown again step by step, two compared, and waiting at each stage."""

import re
import time

import pytest

import explorer
from explorer.errors import RecordError
from explorer.events import Done, Explain
from explorer.rdf.labels import edge_labels
from explorer.view import stored_run
from explorer.wording.limits import OTHER
from tests.each import each
from tests.widgets.conftest import QUESTION
from tests.widgets.pages import page_after, page_of, say, timeless, until

PATTERNS = ("react", "plan-then-execute", "supervisor")
RUNS = [
    (QUESTION, {}),
    ("Who is the mayor of Lisbon?", {}),
    (QUESTION, {"engine": "document-rag"}),
    *(("Why did it fail, and when was it dropped?", {"engine": "agent", "pattern": one}) for one in PATTERNS),
]


@pytest.mark.parametrize(("question", "asked"), RUNS)
def test_replay_shows_what_the_live_run_showed_at_every_step(app, ws, told, question, asked):
    app.ask(question, **asked)
    assert app.wait(30)
    live = told("delta")
    frames = stored_run.shown(ws.traces.replay(app.trace.iri))[0].snapshot()["frames"]
    grown = [n for n, message in enumerate(live) if "nodes" in message and n < len(live) - 1]
    again = [n for n, message in enumerate(frames) if "nodes" in message and n < len(frames) - 1]
    assert len(grown) == len(again) >= 3
    for one, other in zip(grown, again, strict=True):
        assert timeless(page_after(live[: one + 1])) == timeless(page_after(frames[: other + 1]))
    times = [line["at"] for frame in frames for line in frame.get("log", ())]
    assert all(times) or asked.get("engine") == "agent", "the time that had passed, where it is on record"
    ended, told_again = page_after(live), page_after(frames)
    assert ended["log"].pop()["text"].startswith("Ended")
    assert told_again["log"].pop()["text"].startswith("Ended")
    assert timeless(ended) == timeless(told_again)
    assert ended["state"] == told_again["state"]


def test_a_replay_without_an_end_tells_no_time(ws):
    run = ws.ask(QUESTION)
    events = [event for event in run if not isinstance(event, Done)]
    frames = stored_run.shown(events[:-1])[0].snapshot()["frames"]
    assert frames[-1]["state"] == "stopped"
    assert all(frame.get("total", "") == "" for frame in frames)


def test_the_list_of_past_runs_is_searched_and_filtered(answered, told):
    say(answered, t="runs?", n=1)
    say(answered, t="runs?", n=2, text="thermostatic", engine="graph-rag", model="no model", problems="without")
    say(answered, t="runs?", n=3, text="nothing has ever been asked like this")
    everything, some, none = told("runs")
    assert everything["n"] == 1
    assert everything["total"] >= len(everything["runs"]) >= 1
    [newest, *_] = some["runs"]
    assert newest["question"] == QUESTION
    assert newest["how"] == "Graph search"
    assert newest["model"] == ""
    assert newest["bad"] is False
    assert none["runs"] == []
    say(answered, t="runs?", n=1, since="yesterday")
    [trouble] = told("trouble")
    assert "is not a time" in trouble["text"]
    assert trouble["details"] is None


def test_the_tab_counts_the_runs_of_the_list_also_those_asked_elsewhere(answered, ws, told):
    run = ws.ask(QUESTION)
    next(run)
    run.close()
    say(answered, t="runs?", n=1)
    [message] = told("runs")
    assert answered.tabs.titles[2] == f"Past runs {message['total']}"
    assert message["total"] == ws.size.traces


def test_agents_are_told_apart_by_their_way_of_working(app, told):
    app.ask(RUNS[-1][0], engine="agent", pattern="supervisor")
    assert app.wait(30)
    say(app, t="runs?", n=1)
    [message] = told("runs")
    assert message["runs"][0]["how"] == "Agent, as a team"
    app.open(app.trace.iri)
    assert app.showing.title["how"] == "Agent, as a team"


def test_the_tab_of_past_runs_opens_with_the_list_and_ask_comes_back_as_it_was(answered):
    asked = answered.showing
    answered.tabs.selected_index = 2
    assert answered.mode == "past"
    assert answered.trace is None
    answered.tabs.selected_index = 0
    assert answered.mode == "ask"
    assert answered.showing is asked


def test_a_run_that_is_picked_is_shown_among_the_past_ones(answered, told):
    say(answered, t="open", iri=answered.trace.iri)
    assert answered.tabs.selected_index == 2
    assert page_of(answered.whole())["state"] == "done"
    say(answered, t="open", iri="urn:trustgraph:question:none")
    [trouble] = told("trouble")
    assert "There is no trace" in trouble["text"]


def test_a_past_run_is_looked_at_while_another_goes_on(ws, sent, told):
    first = ws.run(QUESTION)
    app = explorer.app(ws, pace=0.2)
    app.ask(QUESTION)
    app.open(first)
    sent.clear()
    until(lambda: not app.bar.running)
    assert told("delta") == []  # the page shows the other run
    assert app.trace is first
    app.tabs.selected_index = 0
    assert page_of(app.whole())["state"] == "done"
    assert app.trace.iri != first.iri


def test_two_runs_are_laid_side_by_side(answered, ws, told):
    other = ws.run(QUESTION, engine="document-rag")
    first = answered.trace
    say(answered, t="compare?", a=first.iri, b=other.iri)
    assert answered.whole()["compare"]["t"] == "compare"
    assert answered.tabs.selected_index == 2
    say(answered, t="compared")
    assert answered.whole()["compare"] is None
    compared = answered.compare(other, first)
    assert compared.a.trace is other
    with pytest.raises(RecordError):
        answered.compare(other, "urn:trustgraph:question:none")
    answered.ask(QUESTION)
    until(lambda: not answered.is_running)
    answered.tabs.selected_index = 2
    assert answered.whole()["compare"] is None, "the list has the new run, so it is seen"


def test_what_is_selected_is_the_same_in_python_and_in_the_page(answered):
    heard = []
    answered.observe(lambda change: heard.append(change["new"]), "selected")
    fact = answered.trace.edges[0].iri
    answered.set_state({"selected": fact})
    assert answered.selected == fact
    answered.selected = answered.trace.edges[1].iri
    assert answered.selected == answered.trace.edges[1].iri
    assert heard == [fact, answered.trace.edges[1].iri]
    with pytest.raises(RecordError, match="not in the run that is shown"):
        answered.selected = "urn:nothing"
    answered.set_state({"selected": "urn:of:another:run"})
    assert answered.selected == answered.selected == heard[-1], "a node of another run is not taken"
    answered.ask(QUESTION)
    assert answered.selected is None
    assert answered.wait(20)


def test_an_observer_hears_of_the_trace_and_may_fail_or_ask_the_next_question_when_a_run_ends(app, told):
    asked, heard = [], []
    app.observe(lambda change: heard.append(change["new"]), "trace")

    def ask_again(change):
        if change["new"] is not None and not asked:
            asked.append(change["new"])
            app.ask(QUESTION)

    app.observe(ask_again, "trace")
    app.ask(QUESTION)
    until(lambda: asked and not app.is_running and app.trace is not None and app.trace is not asked[0])
    assert app.error is None
    assert heard == [asked[0], None, app.trace]
    assert app.trace.answer == app.dag.answer
    app.unobserve(ask_again, "trace")
    app.observe(lambda change: change["new"] and 1 / 0, "trace")
    app.ask(QUESTION)
    assert app.wait(20)
    assert app.error is None
    assert app.whole()["state"] == app.trace.reason == "done"
    [trouble] = told("trouble")
    assert "division by zero" in trouble["text"]
    app.unobserve_all("trace")


def test_a_run_that_is_no_longer_to_be_explained_goes_on_to_its_end(app, told):
    app.bar.teaches = True
    app.ask(QUESTION)
    until(lambda: told("delta") and told("delta")[-1].get("waiting"))
    say(app, t="bar", teaches=False)
    assert app.wait(20)
    assert app.trace.reason == "done"


def test_a_run_waits_at_each_stage_and_explains_it(app, told):
    app.bar.teaches, app.bar.quizzes = True, False
    app.ask(QUESTION)
    terms = []
    while len(terms) < 4:
        until(lambda: len([one for one in told("delta") if one.get("waiting")]) > len(terms) or not app.is_running)
        if not app.is_running:
            break
        terms.append(page_after(told("delta"))["teaching"]["word"])
        assert app.whole()["waiting"] is True
        app.next()
    assert app.wait(20)
    assert terms == ["Question", "Key ideas", "Looked at", "Kept"], "and with the answer it is over"
    assert app.whole()["waiting"] is False
    lessons = [one["teaching"]["text"] for one in told("delta") if "teaching" in one]
    assert any("key ideas from the question" in text for text in lessons)
    assert any("each one kept leads" in text for text in lessons)


def test_a_class_is_asked_what_it_would_keep_before_that_is_shown(app, told):
    app.bar.teaches = True
    app.ask(QUESTION)
    for number in range(1, 4):
        until(lambda number=number: sum(one.get("waiting", False) for one in told("delta")) == number)
        app.next()
    until(lambda: any("quiz" in one for one in told("delta")))
    [quiz] = [one["quiz"] for one in told("delta") if "quiz" in one]
    until(lambda: app.whole()["waiting"])
    assert app.whole()["quiz"] == quiz, "a page that is loaded now is asked too"
    assert not app.dag.nodes("Focus")
    kept = [one["text"] for one in quiz["choices"] if one["kept"]]
    assert len(quiz["choices"]) == 5
    assert 0 < len(kept) < 5
    assert [one["text"] for one in quiz["choices"]] == sorted(one["text"] for one in quiz["choices"])
    app.next()
    until(lambda: app.dag.nodes("Focus"))
    assert app.whole()["quiz"] is None
    app.bar.teaches = False
    app.next()
    assert app.wait(20)
    facts = {"{} — {} → {}".format(*edge_labels(one.edge, app.trace.labels)) for one in app.trace.edges}
    assert [one["text"] for one in quiz["choices"] if one["text"] in facts] == kept


def test_a_step_waits_within_a_run_and_a_stage_does_not(app, told):
    app.bar.teaches = True

    def lessons(by):
        told("delta").clear()
        app.ask(QUESTION, engine="agent", pattern="react")
        seen = []
        while app.is_running:
            until(lambda: app.whole()["waiting"] or not app.is_running)
            if app.is_running:
                seen.append(app.whole()["teaching"])
                app.next(by)
                until(lambda: not app.whole()["waiting"] or app.whole()["teaching"] != seen[-1])
        return seen

    stages, steps = lessons("stage"), lessons("step")
    assert not any(one["inside"] for one in stages)
    assert [one["kind"] for one in steps if not one["inside"]] == [one["kind"] for one in stages]
    assert {"Grounding", "Exploration", "Focus"} <= {one["kind"] for one in steps if one["inside"]}


def test_a_run_that_waits_can_be_stopped(app, told):
    app.bar.teaches = True
    app.ask(QUESTION)
    until(lambda: any(one.get("waiting") for one in told("delta")))
    time.sleep(1.1)
    told("delta").clear()
    app.stop()
    assert app.wait(20)
    assert app.trace.reason == "stopped"
    assert [one["waiting"] for one in told("delta") if "waiting" in one] == [True, False]
    said = re.search(r"^Stopped after ([\d.]+) (m?s), and [\d.]+ s of waiting\.", told("delta")[-1]["log"][0]["text"])
    took, unit = re.fullmatch(r"([\d.]+) (m?s)", told("delta")[-1]["total"]).groups()
    for number, of in (said.groups(), (took, unit)):
        assert float(number) / (1000 if of == "ms" else 1) < 1, "the total does not include the waiting"


@each(("question", "asked"), RUNS)
def test_every_stage_is_explained_in_two_short_sentences(ws, question, asked):
    trace = ws.run(question, **asked)
    frames = stored_run.shown(trace.events)[0].snapshot()["frames"]
    lessons = [frame["teaching"] for frame in frames if "teaching" in frame]
    assert len(lessons) >= 4
    for one in lessons:
        assert one["word"]
        for said in (re.sub("“.*?”", "", one[part]) for part in ("text", "why", "figures")):
            assert len(said.split()) <= 20, said
            assert not re.search(r"[.!?] [A-Z]", said), "one sentence each"
        assert "None" not in one["text"].replace("None of ", "")
        assert one["text"].endswith(".")
        assert not one["why"] or one["why"].endswith(".")
        assert "None" not in one["why"]
    assert sum(bool(one["why"]) for one in lessons) >= 2
    explains = [event for event in trace.events if isinstance(event, Explain)]
    assert len(explains) >= len(lessons)


def test_two_windows_name_tag_delete_and_bring_back_the_same_run(answered, ws, told):
    """Each window of a kernel hears what the other did, and lists the runs anew."""
    iri = answered.trace.iri
    other = explorer.app(ws, pace=0)
    for app, name in ((answered, "One"), (other, " Two <b> ")):
        say(app, t="annotate", iri=iri, name=name, tags=[" audit", "AUDIT", ""], note="why?")
    say(answered, t="runs?", n=1, tag="audit")
    [row] = told("runs")[-1]["runs"]
    assert (row["name"], row["tags"], row["note"]) == ("Two <b>", ["audit"], "why?")
    assert told("runs")[-1]["tags"] == ["audit"]
    badge = answered.showing.snapshot()["answer"]["badges"][-1]
    assert row["mark"] == {"text": badge["text"], "level": badge["level"]}
    say(answered, t="annotate", iri=iri, name="x" * 10_000, tags=[], note="")
    assert "at most 200 characters" in told("trouble")[-1]["text"]
    answered.open(iri)
    second = ws.run("Who is the mayor of Lisbon?").iri
    say(answered, t="tag", runs=[iri, second], tag="both")
    say(answered, t="runs?", n=1, tag="both", limit=1, ticked=[iri, "urn:none"])
    assert told("runs")[-1]["ticked"] == [iri]
    say(answered, t="save?", format="html", runs=[iri, second])
    assert told("save")[-1]["name"] == "2-runs.html"
    ws.traces.delete(second)
    say(answered, t="delete", runs=[second, iri])
    assert told("ran")[-1]["deleted"] == 1
    assert "was deleted on" in told("trouble")[-1]["text"]
    assert answered.trace is None
    assert answered.showing.snapshot()["nodes"] == []
    say(other, t="delete", runs=[iri])
    assert "was deleted on" in told("trouble")[-1]["text"]
    say(answered, t="open", iri=iri)
    assert "was deleted on" in told("trouble")[-1]["text"]
    say(answered, t="runs?", n=2)
    assert told("runs")[-1]["gone"] == {"count": 2, "last": ws.ledger.deletions[-1].deleted_at}
    say(other, t="undelete")  # nothing was deleted there
    assert iri not in [one.iri for one in ws.traces.list()]
    say(answered, t="undelete")
    assert told("ran")[-1]["deleted"] == 0
    say(answered, t="runs?", n=3)
    assert told("runs")[-1]["gone"]["count"] == 1
    assert [(one.name, one.tags) for one in ws.traces.list(tag="audit")] == [("Two <b>", ("audit", "both"))]
    say(answered, t="open", iri=iri)
    assert answered.trace.answer == ws.traces.load(iri).answer
    say(answered, t="compare?", a=iri, b=iri)
    say(answered, t="delete", runs=[iri])
    assert answered.comparison is None


def test_a_run_that_goes_on_is_not_deleted_from_the_page(app, ws, told):
    app.bar.teaches = True
    app.ask(QUESTION)
    until(lambda: app.dag.roots)
    say(app, t="delete", runs=[app.dag.roots[0].iri])
    assert "still going on" in told("trouble")[-1]["text"]
    app.stop()
    assert app.wait(20)
    app.bar.teaches = False


def test_runs_of_one_question_are_told_apart_in_words(ws, app, told):
    asked = "Which switches were welded shut?"
    passages = {"engine": "document-rag"}
    for given in ({}, {"edge_limit": 6}, passages, {**passages, "rerank": False}):
        ws.run(asked, **given)
    say(app, t="runs?", n=1, text=asked)
    differs = [row["differs"] for row in told("runs")[-1]["runs"]]
    assert differs == [
        f"{OTHER['rerank']}: no",
        f"{OTHER['rerank']}: yes",
        "at most 6 facts kept",
        "at most 25 facts kept",
    ]


def test_the_tools_of_an_agent_have_their_plain_names_in_the_list(ws, app, told):
    asked = "Which switches were welded?"

    def weather(town: str) -> str:
        """Return the weather of a town."""
        return town

    for tools in ([], [weather]):
        ws.run(asked, "agent", tools=tools)
    say(app, t="runs?", n=1, text=asked)
    known = "tools: Graph search, Passage search"
    differs = [row["differs"] for row in told("runs")[-1]["runs"]]
    assert differs == [f"{known}, Query of the graph and weather", f"{known} and Query of the graph"]


def test_the_record_of_a_node_comes_when_it_is_looked_at(answered, told):
    [node] = answered.dag.nodes("NotKept")
    snapshot = answered.showing.snapshot()
    say(answered, t="record?", run=snapshot["run"], node=node.iri)
    [record] = told("record")
    assert ["rdf:type", "x:Candidate"] in [list(line) for line in record["rows"]]
    say(answered, t="record?", run=snapshot["run"], node="urn:nowhere")
    assert len(told("record")) == 1


def test_what_was_not_kept_comes_when_it_is_looked_at(answered, told):
    [node] = answered.dag.nodes("NotKept")
    snapshot = answered.showing.snapshot()
    assert "iri" not in str(next(one for one in snapshot["nodes"] if one["id"] == node.iri)["detail"]["rows"][:-1])
    say(answered, t="notkept?", run=snapshot["run"], node=node.iri)
    [left] = told("notkept")
    assert len(left["items"]) == node.count
    assert left["rest"] == ""
    last = left["items"][-1]
    say(answered, t="unkept?", run=snapshot["run"], node=last["iri"])
    assert last["where"].startswith(told("others")[-1]["items"][0]["where"])
    say(answered, t="notkept?", run=snapshot["run"], node=answered.trace.iri)
    assert len(told("notkept")) == 1


def test_a_record_of_others_is_listed_and_drawn(ws, answered, told, tmp_path):
    (tmp_path / "others.provn").write_text(
        'document\nprefix o <http://other.org/>\nentity(o:b)\nentity(o:a, [prov:label="<b>A</b>"])\nagent(o:me)\n'
        'wasGeneratedBy(o:a, o:act, -)\nused(o:act, o:b, -, [prov:role="raw"])\nwasAssociatedWith(o:act, o:me, -)\n'
        "endDocument"
    )
    ws.import_record(tmp_path / "others.provn", progress=False)
    say(answered, t="runs?", n=1)
    [listed] = told("runs")
    assert listed["records"] == [
        {"iri": "http://other.org/a", "label": "<b>A</b>", "holds": "2 entities, 1 activity, 1 agent"}
    ]
    say(answered, t="derivation?", iri="http://other.org/b")
    [drawn] = told("derivation")
    places = {node["label"]: node["x"] for node in drawn["nodes"]}
    assert places["b"] == places["me"] < places["act"] < places["<b>A</b>"]
    assert {(arc["verb"], *map(tuple, arc["told"])) for arc in drawn["arcs"]} == {
        ("generated by",), ("used", ("role", "raw")), ("carried out by",)
    }  # fmt: skip
    say(answered, t="derivation?", iri="urn:nothing")
    [trouble] = told("trouble")
    assert "is of no record of others" in trouble["text"]
