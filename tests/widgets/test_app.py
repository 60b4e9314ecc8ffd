import re
import time

import pytest

import explorer
from explorer.errors import QuestionError, WorkspaceError
from explorer.models.embedding import WordLlamaEmbedder
from explorer.record.trace import Trace
from explorer.wording.graph_words import lines
from tests.drawing.test_growing import search
from tests.stores.test_database import damage
from tests.widgets.conftest import DOCUMENTS, QUESTION
from tests.widgets.pages import page_after, page_of, say


def test_a_run_grows_step_by_step_and_the_snapshot_is_what_the_messages_built(answered, told):
    deltas = told("delta")
    assert [message["seq"] for message in deltas] == list(range(1, len(deltas) + 1))
    pages = [page_after(deltas[: n + 1]) for n in range(len(deltas))]
    grown = [len(page["nodes"]) for page in pages]
    assert grown == sorted(grown)
    assert len(set(grown)) >= 5
    stages = [message["teaching"]["kind"] for message in deltas if "teaching" in message]
    assert stages == ["Question", "Grounding", "Exploration", "Focus", "Synthesis"]
    assert (deltas[0]["state"], deltas[-1]["state"]) == ("running", "done")
    placed = {}
    for node in (node for message in deltas for node in message.get("nodes", ()) if "spots" in node):
        assert placed.setdefault(node["id"], node["spots"]) == node["spots"], "no placed node moves"
    snapshot = answered.get_state("snapshot")["snapshot"]
    assert page_of(snapshot) == pages[-1]
    assert snapshot["answer"]["text"] == answered.dag.answer
    assert snapshot["seq"] == len(deltas)


def test_a_page_that_missed_something_gets_the_snapshot(answered, sent):
    sent.clear()
    say(answered, t="snapshot?")
    assert sent[0].data["state"]["snapshot"]["seq"] == answered.showing.seq


def test_what_led_to_the_drawing_of_a_large_run_comes_when_the_page_asks(app, sent):
    app.open(Trace(search(400)))
    assert "frames" not in app.whole()
    sent.clear()
    say(app, t="frames?", run=app.showing.run)
    [message] = sent
    assert len(message.data["state"]["snapshot"]["frames"]) == app.showing.seq
    say(app, t="frames?", run="another")
    assert [frame["seq"] for frame in app.whole()["frames"]] == [*range(1, app.showing.seq + 1)]


def test_the_answer_is_whole_each_node_tells_something_and_links_lead_to_nodes_that_are_there(answered, ws):
    shown = answered.showing.snapshot()
    runs = shown["answer"]["runs"]
    assert "".join(run["text"] for run in runs) == answered.dag.answer
    cited = [cite for run in runs for cite in run["cites"]]
    assert list(dict.fromkeys(cite["n"] for cite in cited)) == list(range(1, 1 + len({cite["node"] for cite in cited})))
    nodes = {node["id"]: node for node in shown["nodes"]}
    assert {node["kind"] for node in nodes.values()} >= {
        *("Question", "Grounding", "Concept", "Exploration", "NotKept", "Focus", "EdgeSelection"),
        *("ChunkSelection", "Passage", "Page", "Document", "Synthesis"),
    }
    for node in nodes.values():
        assert node["detail"]["heading"]
        assert node["detail"]["rows"]
        assert node["say"]
        items = [item for row in node["detail"]["rows"] for item in row.get("items", ())]
        assert all(item.get("node") is None or item["node"] in nodes for item in items)
    trace = ws.traces.load(answered.dag.nodes("Question")[0].iri)
    assert trace.reason == "done"
    assert [node.iri for node in trace.dag.nodes()] == [node.iri for node in answered.dag.nodes()]


def test_a_declined_question_says_so(app):
    app.ask("Who is the mayor of Lisbon?")
    assert app.wait(20)
    assert app.showing.state == "declined"
    assert app.showing.snapshot()["answer"]["badges"][-1]["level"] == "not-found"
    assert app.error is None


@pytest.mark.parametrize(("question", "says"), [("", "empty"), ("   ", "empty"), ("why? " * 200_001, "at most")])
def test_a_question_that_cannot_be_asked_is_refused_in_one_sentence(app, question, says):
    say(app, t="ask", question=question)
    assert says in app.error
    assert app.bar.state["trouble"] == app.ask_bar["trouble"] == app.error
    assert not app.is_running
    with pytest.raises(QuestionError):
        app.ask(question)


def test_asking_again_while_a_run_goes_on_is_refused(ws, sent):
    app = explorer.app(ws, pace=0.3)
    app.ask(QUESTION)
    say(app, t="ask", question="And another thing?")
    assert "press Stop" in app.error
    with pytest.raises(QuestionError, match="press Stop"):
        app.ask("And another thing?")
    app.stop()
    assert app.wait(20)


def test_stop_keeps_what_was_shown(ws, sent):
    app = explorer.app(ws, pace=30)
    say(app, t="ask", question=QUESTION)
    deadline = time.monotonic() + 20
    while not app.dag.nodes() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert app.ask_bar["running"]
    say(app, t="stop")
    assert app.wait(20)
    assert not app.ask_bar["running"]
    log = app.showing.snapshot()["log"]
    assert re.fullmatch(r"Stopped after .*s\. Everything up to here is on record\.", log[-1]["text"])
    trace = ws.traces.load(app.dag.nodes("Question")[0].iri)
    assert trace.reason == "stopped"
    *before, stopped = trace.dag.nodes()
    assert [node.iri for node in before] == [node.iri for node in app.dag.nodes() if node.kind != "Failure"]
    assert lines(trace.dag, stopped) == ("Stopped", "Stopped on request.")


def test_a_question_is_asked_from_the_page_and_again(app):
    for _ in range(2):
        say(app, t="ask", question=QUESTION)
        assert app.wait(20)
        assert app.dag.nodes("Question")[0].entity.query == QUESTION
    assert app.bar.question == QUESTION
    assert QUESTION in app.bar.questions


def test_a_page_that_is_loaded_in_the_middle_of_a_run_gets_the_bar_as_it_is(ws, sent):
    app = explorer.app(ws, pace=30)
    say(app, t="bar", how="Passage search", limits={"doc_limit": "3"})
    say(app, t="ask", question=QUESTION)
    say(app, t="bar", question="And another thing?")
    bar = app.get_state("ask_bar")["ask_bar"]
    assert bar == app.bar.state
    assert (bar["running"], bar["how"]) == (True, "Passage search")
    assert (bar["question"], bar["earlier"][0]) == ("And another thing?", QUESTION)
    assert {"doc_limit": "3"}.items() <= {limit["name"]: limit["value"] for limit in bar["limits"]}.items()
    app.stop()
    assert app.wait(20)


def test_how_it_was_asked_from_python_shows_in_the_bar(app):
    app.ask(QUESTION, "document-rag", doc_limit=2)
    assert (app.ask_bar["how"], app.ask_bar["changed"]) == ("Passage search", 1)
    assert app.ask_bar["question"] == QUESTION
    assert app.wait(20)
    assert app.bar.chosen == {"engine": "document-rag", "doc_limit": 2}


def test_what_the_page_sends_in_error_is_told_and_changes_nothing(app, told):
    say(app, t="bar", how="By magic")
    [trouble] = told("trouble")
    assert "By magic" in trouble["text"]
    assert app.bar.chosen == {"engine": "graph-rag"}


def test_a_workspace_with_nothing_in_it_says_what_to_do(sent):
    with explorer.open() as ws:
        app = explorer.app(ws)
        assert "ws.ingest" in app.showing.snapshot()["note"]["text"]
        say(app, t="ask", question=QUESTION)
        assert "No documents yet" in app.error
        with pytest.raises(WorkspaceError):
            app.ask(QUESTION)


def test_where_there_are_runs_and_no_documents_they_are_listed(sent, tmp_path):
    (tmp_path / "note.md").write_text("# Note\n\nThe tank was dropped at the factory.\n")
    with explorer.open() as ws:
        ws.ingest(tmp_path / "note.md", progress=False)
        asked = ws.run("Where was the tank dropped?")
        record = tmp_path / "run.trig"
        record.write_bytes(ws.export(asked, format="trig"))
    with explorer.open() as archive:
        archive.import_record(record)
        app = explorer.app(archive)
        assert (archive.size.documents, archive.size.traces) == (0, 1)
        assert (app.tabs.selected_index, app.mode) == (2, "past")
        assert app.error is None


class Fragile(WordLlamaEmbedder):
    """An embedder whose power can be cut."""

    broken = False

    def embed(self, texts):
        if self.broken:
            raise ConnectionError("the <b>embedder</b> is gone")
        return super().embed(texts)


def test_a_failure_in_a_run_is_shown_and_kept(sent, tmp_path):
    (tmp_path / "note.md").write_text("# Note\n\nThe tank was dropped at the factory.\n")
    embedder = Fragile()
    with explorer.open(embedder=embedder) as ws:
        ws.ingest(tmp_path / "note.md", progress=False)
        app = explorer.app(ws, pace=0)
        embedder.broken = True
        app.ask("Where was the tank dropped?")
        assert app.wait(20)
        assert "is gone" in app.error
        assert app.ask_bar["trouble"] == app.error
        assert app.showing.state == "error"
        assert app.showing.snapshot()["teaching"]["kind"] == "Failure"
        assert not app.ask_bar["running"]


def test_a_node_that_is_not_on_show_is_answered_with_nothing(answered, told):
    question = answered.dag.nodes("Question")[0].iri
    for node in ("urn:nothing", question):
        say(answered, t="source?", run=answered.showing.run, node=node, key=node)
    assert told("source") == []
    assert answered.error is None
    assert answered.bar.state["trouble"] is None


def test_a_page_comes_with_the_run_that_it_was_asked_for(answered, told):
    node, run = answered.dag.nodes("Passage")[0].iri, answered.showing.run
    for asked in ("gone", run):
        say(answered, t="source?", run=asked, node=node, key=node)
    [message] = told("source")
    assert (message["run"], message["key"]) == (run, node)
    assert message["runs"]


def test_opened_from_a_sentence_a_page_has_the_words_marked_that_it_quotes(answered, told):
    dag, run = answered.dag, answered.showing.run
    cited = next(one for one in dag.citations if one.source_end is not None and "chunk" in one.cites[0])
    [node] = [one.iri for one in dag.nodes("Passage") if one.passages == dag.node(cited.cites[0]).passages[:1]]
    said = next(one["id"] for one in answered.showing.snapshot()["nodes"] if one["kind"] == "Sentence")
    say(answered, t="source?", run=run, node=node, key="k", said=said)
    [message] = told("source")
    marked = "".join(text for text, kind in message["runs"] if kind == "mine")
    assert marked == dag.node(node).passages[0].text[cited.source_start : cited.source_end]
    assert message["key"] == "k"


def test_what_cannot_be_looked_up_is_told_where_it_was_wanted(sent, told, tmp_path):
    (tmp_path / "note.md").write_text("# Note\n\nThe tank was dropped at the factory.\n")
    with explorer.open() as ws:
        ws.ingest(tmp_path / "note.md", progress=False)
        app = explorer.app(ws, pace=0)
        app.ask("Where was the tank dropped?")
        assert app.wait(20)
    node = app.dag.nodes("Passage")[0].iri
    say(app, t="source?", run=app.showing.run, node=node, key=node)
    say(app, t="runs?", n=1)
    page, past = told("trouble")
    assert page["key"] == node
    assert past["key"] is None
    assert page["text"] == past["text"]
    assert page["text"].startswith("This workspace was closed in Python")


def test_a_damaged_library_is_told_in_a_sentence(sent, tmp_path):
    (tmp_path / "note.md").write_text("# Note\n\nThe tank was dropped at the factory.\n")
    with explorer.open(tmp_path / "ws") as ws:
        ws.ingest(tmp_path / "note.md", progress=False)
    damage(tmp_path / "ws" / "default" / "library.sqlite", "vectors")
    with explorer.open(tmp_path / "ws") as ws:
        app = explorer.app(ws, pace=0)
        app.ask("Where was the tank dropped?")
        assert app.wait(20)
        assert "library.sqlite can't be used (database disk image is malformed); " in app.error
        assert app.ask_bar["details"] is None
        assert app.showing.state == "error"


def test_the_tabs_say_how_much_there_is_and_beside_them_stands_the_workspace(ws, sent):
    app = explorer.app(ws)
    assert app.heading["titles"][1] == f"Documents {ws.size.documents}"
    assert app.heading["size"] == ws.name
    assert app.showing.snapshot()["note"] is None, "words that hold for any documents"
    for widget in (app, app.bar):
        assert "0x" not in repr(widget), "the same on every machine"


def test_a_saved_notebook_has_the_app_and_below_it_an_open_copy_of_what_it_shows(answered, capture):
    with capture() as shown:
        answered._ipython_display_()
    app, copy = (output.data for output in shown.outputs)
    assert app["text/plain"] == repr(answered)
    assert app["text/html"] == ""
    assert "application/vnd.jupyter.widget-view+json" in app
    assert "<details open" in copy["text/html"]
    assert "data:image/svg+xml;base64," in copy["text/html"]
    assert "<ul>" in copy["text/html"]
    assert "<script" not in copy["text/html"]
    assert copy["text/plain"].startswith(f"? Question · {QUESTION}")


def test_where_nothing_was_asked_the_copy_says_what_stood_there(app, capture):
    with capture() as shown:
        app._ipython_display_()
    assert "This was the app: run the cell to use it." in shown.outputs[1].data["text/html"]
    assert shown.outputs[1].data["text/plain"] == ""


def test_the_questions_of_the_sample_come_before_earlier_ones(tmp_path, sent):
    with explorer.open(tmp_path / "demo") as ws:
        assert explorer.app(ws).bar.questions == []
        (tmp_path / "demo" / "built").touch()
        ws.ingest(DOCUMENTS / "mission-timeline.txt", progress=False)
        ws.run("Which question was asked earlier?")
        offered = explorer.app(ws).bar.questions
        tries = explorer.app(ws).showing.snapshot()["examples"]
    assert offered[0] == "Why did oxygen tank no. 2 fail?"
    assert "Which question was asked earlier?" in offered[1:]
    assert "Who played Jim Lovell in the 1995 film?" not in offered
    assert len(tries) == 3
    assert max(map(len, tries)) <= 55


@pytest.mark.parametrize(("how", "engine", "pattern"), [
    ("Graph search", "graph-rag", None),
    ("Passage search", "document-rag", None),
    ("Agent, as a team", "agent", "supervisor"),
])  # fmt: skip
def test_the_bar_asks_in_the_way_that_is_picked(app, ws, how, engine, pattern):
    say(app, t="bar", how=how)
    say(app, t="ask", question="Which switches were rated for 28 V DC?")
    assert app.wait(30)
    summary = ws.traces.list("rated for 28", limit=1)[0]
    assert summary.engine == engine
    assert [step.pattern for step in ws.traces.load(summary.iri).steps if hasattr(step, "pattern")] == (
        [pattern] if pattern else []
    )


def test_an_app_whose_workspace_was_closed_opens_it_again(tmp_path, sent, told):
    ws = explorer.open(tmp_path / "ws", collection="other")
    ws.ingest(DOCUMENTS / "mission-timeline.txt", progress=False)
    app = explorer.app(ws, pace=0)
    ws.close()
    for message in ({"t": "ask", "question": QUESTION}, {"t": "runs?", "n": 1}):
        say(app, **message)
        assert told("trouble")[-1]["closed"]
        assert "was closed in Python" in told("trouble")[-1]["text"]
    app.tabs.selected_index = 2
    assert told("trouble")[-1]["closed"]
    say(app, t="reopen")
    assert not ws.closed
    say(app, t="ask", question=QUESTION)
    assert app.wait(20)
    assert ws.traces.list()[0].question == QUESTION
    ws.close()


def test_a_workspace_in_memory_is_gone_once_it_is_closed(sent, told):
    ws = explorer.open()
    app = explorer.app(ws)
    ws.close()
    say(app, t="ask", question=QUESTION)
    assert not told("trouble")[-1]["closed"]
    with pytest.raises(WorkspaceError, match="in memory"):
        ws.reopen()


def test_without_a_workspace_it_is_one_in_memory_to_drop_files_into():
    app = explorer.app()
    assert app.ws.path is None
    assert app.tabs.selected_index == 1
    app.ws.close()


def test_the_run_that_was_asked_is_played_again_in_its_place(answered):
    run, trace = answered.showing.run, answered.trace
    say(answered, t="replay")
    assert answered.mode == "ask"
    assert answered.tabs.selected_index == 0
    assert answered.showing.run != run
    assert answered.trace is trace
    shown = answered.whole()
    assert shown["title"]["iri"] == trace.iri
    assert page_after(shown["frames"])["answer"]["text"] == trace.answer


def test_nothing_is_played_again_before_it_was_asked(app):
    with pytest.raises(QuestionError, match="Nothing was asked yet"):
        app.play_again()


def test_who_asks_is_said_in_the_settings_and_stands_with_the_past_run(ws, told):
    app = explorer.app(ws, pace=0)
    for number, name in enumerate(("Ada Auditor", "")):
        say(app, t="bar", by=f" {name} ")
        assert app.bar.state["by"] == name
        say(app, t="ask", question=QUESTION)
        assert app.wait(20)
        say(app, t="runs?", n=number)
        assert told("runs")[-1]["runs"][0]["by"] == name
    say(app, t="bar", by="Ada Auditor")
    app.ask_again()
    assert app.wait(20)
    say(app, t="runs?", n=9)
    assert told("runs")[-1]["runs"][0]["by"] == "Ada Auditor"


def test_a_search_within_an_agent_counts_what_it_kept_as_its_own_step_does(app):
    app.ask(QUESTION, "agent", pattern="react")
    assert app.wait(20)
    [focus] = app.dag.nodes("Focus")
    [run] = [one for one in app.showing.snapshot()["nodes"] if one["kind"] == "Run"]
    assert lines(app.dag, focus)[1] in run["say"]
    assert " used, " in run["say"]
