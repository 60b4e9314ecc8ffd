"""A run of an agent as the page shows it: rows that never move or overlap, runs folded into a node, stages, answer."""

import json

import pytest

import explorer
from explorer import entities as e
from explorer.engines.agent.functions import tool
from explorer.errors import ModelError
from explorer.record.recovery import end_interrupted
from explorer.trustgraph import messages as trustgraph
from explorer.view.showing import Showing
from explorer.vocab import iri, recognise
from explorer.wording.graph_words import lines
from tests.agents import told
from tests.each import each
from tests.script import Script
from tests.widgets.pages import page_after, page_of, timeless

ASKED = "Why did oxygen tank no. 2 fail, and what voltage were the thermostatic switches rated for?"
PATTERNS = ("react", "plan-then-execute", "supervisor")
RECORDED = ("react", "plan", "supervisor")


@pytest.fixture(params=[*PATTERNS, *(f"recorded {name}" for name in RECORDED)])
def events(request, ws, conformance):
    if not request.param.startswith("recorded"):
        return list(ws.ask(ASKED, engine="agent", pattern=request.param))
    path = conformance / "golden" / "wire" / f"agent-{request.param.split()[1]}-stream.jsonl"
    return list(trustgraph.events([json.loads(line) for line in path.read_text("utf-8").splitlines()]))


def shown(events):
    showing = Showing()
    messages = [showing.begin(), *(told for event in events if (told := showing.apply(event)))]
    messages.append(showing.end("done", "Ended"))
    return showing, messages


def drawings(page):
    """The outlines in each drawing, in the widest columns, by node."""
    found = {}
    for node in page["nodes"]:
        for level, (*_, wide) in node["spots"].items():
            if wide:
                found.setdefault(level, {})[node["id"]] = (wide.left, wide.top, wide.right, wide.bottom)
    return found


def test_every_node_is_drawn_once_and_arcs_join_what_is_there(events):
    showing, messages = shown(events)
    page = showing.snapshot()
    ids = {node["id"] for node in page["nodes"]}
    assert {node.iri for node in showing.dag.nodes()} <= ids
    assert all({arc["from"], arc["to"]} <= ids for arc in page["arcs"])
    assert page_after(messages)["nodes"] == {node["id"]: node for node in page["nodes"]}
    json.dumps(page)


def test_a_way_leads_from_every_node_back_to_the_question(events):
    page = shown(events)[0].snapshot()
    parents = {arc["to"]: arc["from"] for arc in reversed(page["arcs"])}
    for node in page["nodes"]:
        at, seen = node["id"], set()
        while at in parents and at not in seen:
            seen.add(at)
            at = parents[at]
        assert recognise(at).kind == "agent-question", node["id"]


def test_each_run_within_is_one_folded_node_which_opens(events):
    page = shown(events)[0].snapshot()
    folds = [node for node in page["nodes"] if node["kind"] == "Run"]
    assert folds
    levels = drawings(page)
    rests = {node["id"] for node in page["nodes"] if node["id"].endswith("#rest")}
    assert {fold["opens"] for fold in folds} == levels.keys() - {"", *rests}
    for fold in folds:
        assert any(fold["id"] in boxes for boxes in levels.values())
        assert fold["detail"]["rows"]
        assert "at work" not in str(fold["lines"])


def test_an_agents_run_of_others_that_has_an_answer_waits_for_nothing():
    ask, looked, end = (iri(*of) for of in (("agent-question", "s"), ("analysis", "s", 1), ("conclusion", "s")))
    showing, messages = shown(
        [
            told(e.AgentQuestion(iri=ask, query="What glows?")),
            told(e.Analysis(iri=looked, derived_from=(ask,), action="knowledge-query")),
            told(e.Conclusion(iri=end, derived_from=(looked,))),
        ]
    )
    assert page_after(messages[:2])["note"]["word"] == "Strategy"
    assert showing.snapshot()["teaching"]["kind"] == "Conclusion"


def test_the_stages_of_an_agent_are_told_by_nodes_that_have_come(events):
    _, messages = shown(events)
    told = [(n, one) for n, message in enumerate(messages) if (one := message.get("teaching")) and not one["inside"]]
    assert {one["word"] for _, one in told[:2]} == {"Question", "Strategy"}
    assert told[-1][1]["kind"] in ("Conclusion", "Synthesis")
    for n, one in told:
        assert one["node"] in page_after(messages[: n + 1])["nodes"], one["kind"]


def test_the_answer_of_a_search_within_never_stands_in_the_answer_panel(events):
    showing, messages = shown(events)
    text = ""
    for message in messages:
        answer = message.get("answer", {})
        text = text + answer["append"] if "append" in answer else answer.get("text", text)
        assert showing.dag.answer.startswith(text)
    assert text == showing.dag.answer != ""
    runs = showing.snapshot()["answer"]["runs"]
    assert "".join(run["text"] for run in runs) == text


@pytest.mark.parametrize("pattern", PATTERNS)
def test_citations_of_an_agent_count_from_one_in_the_order_of_the_answer(ws, pattern):
    showing, _ = shown(ws.ask(ASKED, engine="agent", pattern=pattern))
    page = showing.snapshot()
    cites = [cite for run in page["answer"]["runs"] for cite in run["cites"]]
    assert list(dict.fromkeys(cite["n"] for cite in cites)) == list(range(1, len({one["node"] for one in cites}) + 1))
    nodes = {node["id"]: node for node in page["nodes"]}
    for cite in cites:
        assert nodes[cite["node"]]["kind"] in ("EdgeSelection", "ChunkSelection", "Passage")
    [badge] = page["answer"]["badges"]
    assert badge["level"], "how it came out, and nothing of sources where no sentence is without"


@tool
def valve(name: str) -> str:
    """Look up a valve.

    name: Which one
    """
    return name


def test_run_hands_on_what_ask_takes_and_a_stored_run_opens_as_it_was(app, ws, sent):
    app.ask(ASKED, engine="agent", pattern="supervisor", tools=[valve])
    assert app.wait(30)
    assert app.error is None
    live = page_of(app.showing.snapshot())
    app.open(app.dag.roots[0].iri)
    again = page_of(app.showing.snapshot())
    assert again["state"] == "done"
    assert again["log"].pop()["text"].startswith("Ended")
    live["log"].pop()
    assert timeless(again) == timeless(live)
    assert not app.is_running


@each("pattern", PATTERNS)
@each("steps", [1, 3, 5])
def test_a_run_that_was_stopped_shows_where(ws, pattern, steps):
    run = ws.ask(ASKED, engine="agent", pattern=pattern)
    for _ in range(steps):
        first = next(run)
    run.close()
    question = f"urn:trustgraph:agent:{recognise(first.iri).key}" if steps == 1 else None
    trace = ws.traces.load(question or ws.traces.list(text="thermostatic", engine="agent", limit=1)[0].iri)
    app = explorer.app(ws, pace=0)
    app.open(trace)
    page = page_of(app.showing.snapshot())
    assert page["state"] == "stopped"
    assert page["log"][-1]["text"].startswith("Stopped")
    assert page["teaching"]["kind"] == page["nodes"][page["teaching"]["node"]]["kind"] == "Failure"
    assert page["answer"]["runs"] is None


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_run_that_failed_shows_where(ws, pattern):
    down = ModelError("The model is down.")
    ws.chat = Script({
        "agent-react": down if pattern == "react" else "Final Answer: Yes.",
        "plan-create": [[{"goal": "Find out"}]], "plan-step-execute": {"tool": "missing", "arguments": {}},
        "plan-synthesise": down, "supervisor-decompose": [["Who?", "When?"]], "supervisor-synthesise": down,
    })  # fmt: skip
    try:
        trace = ws.run("Who and when?", engine="agent", pattern=pattern, parallel=1)
    finally:
        ws.chat = None
    page = opened(ws, trace.iri)
    assert page["state"] == "error"
    assert page["log"][-1]["text"].startswith("Failed")
    if pattern != "plan-then-execute":  # its only step failed, so that nobody was asked
        assert any(node["kind"] == "Failure" for node in page["nodes"].values())
        assert any("The model is down." in line["text"] for line in page["log"])


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_run_that_was_cut_off_shows_where(ws, pattern):
    run = ws.ask(ASKED, engine="agent", pattern=pattern)
    question = next(run).iri
    for _ in range(4):
        next(run)
    end_interrupted(ws.stores, ws.traces.clock)  # as the next opening does after a program has ended in the middle
    page = opened(ws, question)
    assert page["log"][-1]["text"].startswith("Cut off")
    [broken] = [node for node in page["nodes"].values() if node["kind"] == "Failure"]
    assert broken["lines"][0][1].endswith("Cut off")


def opened(ws, iri):
    app = explorer.app(ws, pace=0)
    app.open(iri)
    return page_of(app.showing.snapshot())


def test_stop_shows_where_it_was_stopped_without_moving_anything(ws, sent, told):
    app = explorer.app(ws, pace=30)
    app.ask(ASKED, engine="agent", pattern="react")
    while not app.dag.nodes():
        app.wait(0.01)
    app.stop()
    assert app.wait(20)
    [failure] = app.dag.nodes("Failure")
    assert lines(app.dag, failure) == ("Stopped", "Stopped on request.")
    placed = {}
    for message in told("delta"):
        for node in message.get("nodes", ()):
            assert placed.setdefault(node["id"], node["spots"]) == node["spots"]
    assert failure.iri in placed
    assert [message["seq"] for message in told("delta")] == list(range(1, len(told("delta")) + 1))
