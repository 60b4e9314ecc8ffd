"""What if and what mattered in the app: left out, asked again, side by side; rated, stopped, and refused."""

import re
import threading
from dataclasses import replace

import pytest

import explorer
from explorer.dag.sentences import numbers
from explorer.errors import QuestionError
from explorer.record.influence import LEAVE_ONE_OUT, NEEDED, NO_DIFFERENCE, Influence, Rated, items_of
from explorer.view.run.mattered import Mattering
from explorer.vocab import by_index
from tests.widgets.conftest import DOCUMENTS, QUESTION
from tests.widgets.pages import page_of, say, until


def node(app, kind):
    return next(iter(app.dag.nodes(kind))).iri


def run(app):
    return app.showing.run


def test_a_fact_is_left_out_and_the_run_asked_again_and_both_stand_side_by_side(answered, ws):
    first, fact = answered.trace, node(answered, "EdgeSelection")
    say(answered, t="without", run=run(answered), node=fact)
    [left] = answered.bar.state["left"]
    assert (left["noun"], left["nodes"]) == ("fact", [fact])
    say(answered, t="again")
    assert answered.wait(20)
    until(lambda: answered.comparison)
    compared = answered.whole()["compare"]
    assert compared["a"]["iri"] == first.iri
    assert (compared["a"]["left"], len(compared["b"]["left"])) == ([], 1)
    again = ws.traces.load(compared["b"]["iri"])
    asked = again.dag.entities[again.iri]
    assert (asked.varies, asked.without_facts) == (first.iri, (first.edges[0].edge,))
    rows = [row for group in compared["groups"] for row in group["rows"]]
    left = [row for row in rows if row["b"]["why"] == "left out of this run"]
    assert left[0]["a"]["number"] == 1 + by_index(one.iri for one in (*first.edges, *first.chunks)).index(fact)
    assert {row["side"] for row in left} == {"A"}
    assert any(row.get("label") == "Asked without" for row in detail(answered, again.iri))
    assert answered.bar.state["left"] == [], "it is there again for the next question"


def test_what_goes_with_a_fact_that_is_left_out_is_named_where_both_are_compared(answered):
    answered.ask("Who built the oxygen tanks?")
    assert answered.wait(20)
    also = {}
    for one in answered.dag.nodes("EdgeSelection"):
        say(answered, t="without", run=run(answered), node=one.iri)
        also |= {one.iri: tuple(answered.bar.state["left"][0]["also"])}
        say(answered, t="back", key=None)
    fact, went = next((iri, went) for iri, went in also.items() if went)
    say(answered, t="without", run=run(answered), node=fact)
    say(answered, t="again")
    assert answered.wait(20)
    until(lambda: answered.comparison)
    compared = answered.whole()["compare"]["b"]
    assert {*went} < {*compared["left"]}
    assert len(compared["left"]) == 1 + len(went), "the record names each, and so does what counts them"
    answered.open(compared["iri"])
    answer = page_of(answered.showing.snapshot())["answer"]
    assert (answer["how"], answer["limited"]) == (
        "Graph search",
        f"without “{compared['left'][0]}” and {len(went)} more",
    )
    assert answer["notes"] == [f"Without: {one}" for one in compared["left"]]


def test_before_it_is_asked_one_is_told_which_sentences_of_the_answer_go(answered):
    cited = answered.trace.citations[0].cites[0]
    ends = {cited: " these words: they are left out too.", answered.dag.nodes("Document")[0].iri: " it."}
    for node, end in ends.items():
        say(answered, t="without", run=run(answered), node=node)
        assert re.fullmatch(rf"Sentences? .* quotes?{end}", answered.bar.state["left"][0]["quoted"])
        say(answered, t="back", key=None)


def test_numbers_of_one_passage_are_said_to_be_tested_as_one():
    with explorer.open() as ws:
        ws.ingest(DOCUMENTS / "investigation-report.pdf", progress=False)
        trace = ws.run("What did the heaters do?")
        assert [*numbers(trace.dag).values()][-1] == 2
        over = {name: Mattering("now", trace, name) for name in ("facts", "passages")}
        said = {}
        for name, mattering in over.items():
            rated = [Rated(one.what, one.name, 1.0, NEEDED, one.cited) for one in items_of(trace, name)]
            found = Influence("urn:influence", trace.iri, name, LEAVE_ONE_OUT, 9, tuple(rated))
            told = mattering.told(found)
            assert 0 < len(told["said"]) <= 2, "the rest is to be unfolded"
            assert "stand in one passage" not in " ".join(told["said"])
            said[name] = " ".join(told["more"])
    assert "[1] and [2] both stand in one passage, which Passages tests as one" in said["facts"]
    assert "[1] and [2] both stand in one passage, which was tested as one" in said["passages"]


def test_each_of_what_was_kept_can_be_left_out_where_it_is_listed(answered):
    [focus] = [one for one in answered.showing.snapshot(whole=True)["nodes"] if one["kind"] == "Focus"]
    [kept] = [row for row in focus["detail"]["rows"] if row.get("leaves")]
    assert len(kept["items"]) == len(answered.trace.edges) + len(answered.trace.chunks)
    say(answered, t="without", run=run(answered), node=kept["items"][0]["node"])
    assert len(answered.bar.state["left"]) == 1


def detail(app, iri):
    app.open(iri)
    return next(one for one in app.showing.snapshot(whole=True)["nodes"] if one["id"] == iri)["detail"]["rows"]


def test_what_is_left_out_holds_once_and_for_further_questions_only_where_one_says_so(answered, ws):
    def leave():
        for kind in ("Passage", "Document"):
            say(answered, t="without", run=run(answered), node=node(answered, kind))
        assert [one["noun"] for one in answered.bar.state["left"]] == ["passage", "document"]

    leave()
    say(answered, t="ask", question=QUESTION)
    assert answered.wait(20)
    assert answered.trace.dag.entities[answered.trace.iri].without == ()
    assert answered.bar.state["left"] == [], "it was of the run that was on show"
    leave()
    say(answered, t="bar", further=True)
    say(answered, t="ask", question=QUESTION)
    assert answered.wait(20)
    assert len(answered.trace.dag.entities[answered.trace.iri].without) == 2
    key = answered.bar.state["left"][1]["key"]
    assert answered.trace.dag.entities[answered.trace.iri].varies is None
    say(answered, t="back", key=key)
    assert [one["noun"] for one in answered.bar.state["left"]] == ["passage"]
    say(answered, t="back", key="unknown")
    assert len(answered.bar.state["left"]) == 1
    assert answered.bar.state["further"]
    say(answered, t="back", key=None)
    assert not answered.bar.state["further"], "who leaves out something again says so again"


def test_a_passage_that_is_left_out_is_named_by_the_words_that_are_quoted_of_it(ws, app):
    trace = ws.run(QUESTION, engine="document-rag")
    app.open(trace)
    [first, *_] = [one for one in trace.citations if one.cites and one.source_start is not None]
    say(app, t="without", run=app.showing.run, node=first.cites[0])
    [left] = app.bar.state["left"]
    quoted = trace.passages[first.cites[0]][0].text[first.source_start : first.source_end]
    assert left["text"].startswith(f"“{' '.join(quoted.split())[:60]}")


def test_a_document_is_left_out_where_it_is_open(app, ws):
    [document, *_] = ws.stores.library.documents()
    app.tabs.selected_index = 1
    say(app, t="without document", iri=document.iri)
    assert app.tabs.selected_index == 0, "where one asks"
    state = app.bar.state
    assert [(one["noun"], one["text"]) for one in state["left"]] == [("document", document.title)]
    assert state["further"], "there is no run yet that could be asked again"
    say(app, t="ask", question=QUESTION)
    assert app.wait(20)
    assert app.trace.dag.entities[app.trace.iri].without == (document.iri,)
    for showing in (app.showing, app.open(app.trace.iri) or app.showing):
        limited = page_of(showing.snapshot())["answer"]["limited"]
        assert limited == f"without “{document.title}”", "live, and from the record"
    app.tabs.selected_index = 0
    say(app, t="back", key=None)
    say(app, t="without document", iri=document.iri)
    assert not app.bar.state["further"]
    say(app, t="again")
    assert app.wait(20)
    until(lambda: app.comparison)
    say(app, t="without document", iri="urn:no:document")
    assert app.bar.state["left"] == []


def test_what_if_nothing_is_left_is_declined_and_compared(answered, ws):
    answered.ask_again(without=[one.iri for one in ws.stores.library.documents()])
    assert answered.wait(20)
    until(lambda: answered.comparison)
    assert "Nothing is left to answer from" in str(answered.whole()["compare"]["b"])


def test_while_a_run_goes_on_and_without_one_nothing_is_asked_again(app, told):
    with pytest.raises(QuestionError, match="No run is shown"):
        app.ask_again()
    app.bar.teaches = True
    app.ask(QUESTION)
    until(lambda: app.whole()["waiting"])
    for message in ({"t": "again"}, {"t": "matter", "over": "facts"}):
        say(app, **message)
        assert "in progress" in told("trouble")[-1]["text"]
    app.stop()


def test_what_is_not_in_the_workspace_can_not_be_left_out(sent, told, answered, ws):
    record = answered.trace
    with explorer.open() as other:
        other.ingest(DOCUMENTS / "crew-debrief.txt", progress=False)
        app = explorer.app(other, pace=0)
        app.open(record)
        say(app, t="without", run=run(app), node=node(app, "EdgeSelection"))
        assert "its documents are gone" in told("trouble")[-1]["text"]
        assert app.bar.state["left"] == []
        say(app, t="without", run=run(app), node=record.iri)
        assert "Only a fact, a passage or a document" in told("trouble")[-1]["text"]
        for over in ("facts", "passages", "documents"):
            say(app, t="matter", over=over)
            assert told("trouble")[-1]["text"] == (
                f"None of the run's {over} is here, so what mattered can't be found out. It was made elsewhere, "
                "or its documents are gone."
            )
        assert not app.is_running
        assert not app.bar.state["running"]
        say(app, t="again")
        assert app.wait(20)
        until(lambda: app.comparison)
        compared = app.whole()["compare"]
        assert (compared["a"]["iri"], compared["b"]["ended"]) == (record.iri, "declined"), "its question can be asked"


def test_what_mattered_is_told_while_it_is_found_out_and_kept(answered, told, ws):
    say(answered, t="matter", over="documents")
    assert answered.wait(60)
    until(lambda: told("mattered") and told("mattered")[-1]["state"] == "done")
    first, *_, last = told("mattered")
    assert (first["state"], first["made"]) == ("going", 0)
    assert {one["verdict"] for one in first["items"]} == {"not tried"}
    assert "times: first as it was, then leaving out one at a time" in last["author"]["text"]
    assert {one["node"] for one in last["items"]} == {each.iri for each in answered.dag.nodes("Document")}
    idle = [one for one in last["items"] if one["cited"] and one["verdict"] == NO_DIFFERENCE]
    assert any("made no difference" in line for line in last["said"]) == bool(idle)
    assert last["said"]
    tested, held = len(last["items"]), len(ws.documents)
    titles = {one.title for one in ws.documents} - {one["text"] for one in last["items"]}
    [said] = [line for line in last["more"] if line.startswith("Tested: ")]
    assert (f"{tested} of {held} documents" in said) == (tested < held)
    assert all(f"“{title}”" in said for title in titles)
    assert answered.whole()["mattered"] == [last], "a page that is loaded later shows it"
    assert not answered.bar.state["running"]
    told("mattered").clear()
    answered.what_mattered("documents")
    assert answered.wait(20)
    assert told("mattered")[-1]["items"] == last["items"]
    answered.open(answered.trace.iri)
    [stored] = answered.whole()["mattered"]
    assert (stored["over"], stored["items"], stored["state"]) == ("documents", last["items"], "done")
    assert stored["run"] == run(answered), "a past run shows what is on record of it"
    answered.open(ws.run(QUESTION, "document-rag"))
    assert answered.whole()["mattered"] == []


def test_what_was_found_out_over_documents_stays_beside_what_is_found_out_over_passages(answered):
    for over in ("documents", "passages"):
        answered.what_mattered(over)
        assert answered.wait(60)
    assert [one["over"] for one in answered.whole()["mattered"]] == ["passages", "documents"]
    answered.open(answered.trace.iri)
    assert {one["over"] for one in answered.whole()["mattered"]} == {"passages", "documents"}


def test_what_mattered_can_be_stopped_halfway_and_leaves_nothing_on_record(answered, told, ws, monkeypatch):
    before = len(list(ws.graph.match()))
    seen = threading.Event()
    send = answered.send

    def hear(message, *more):
        send(message, *more)
        if message.get("t") == "mattered" and message["made"] == 2:
            answered.stop()
            seen.set()

    monkeypatch.setattr(answered, "send", hear)
    answered.what_mattered("facts")
    assert seen.wait(60)
    assert answered.wait(60)
    last = told("mattered")[-1]
    assert last["state"] == "stopped"
    assert last["said"] == [f"Stopped after 2 of {last['of']} runs. Nothing of it is on record."]
    assert sum(one["verdict"] != "not tried" for one in last["items"]) == 1, "one as it was, one without a fact"
    assert len(list(ws.graph.match())) == before


def test_nothing_mattered_for_what_was_declined(app, told):
    app.ask("Who is the mayor of Lisbon?")
    assert app.wait(20)
    say(app, t="matter", over="facts")
    assert "has no answer" in told("trouble")[-1]["text"]
    assert not app.is_running


def test_each_passage_that_is_cited_is_listed_with_its_numbers_and_all_nodes_that_show_it(ws):
    trace = ws.run(QUESTION)
    rated = {over: Mattering("now", trace, over).stopped()["items"] for over in ("facts", "passages")}
    given = set(numbers(trace.dag).values())
    assert {number for item in rated["passages"] for number in item["numbers"]} == given
    for items in rated.values():
        assert all(item["cited"] == bool(item["numbers"]) for item in items)
        assert all(item["node"] == item["nodes"][0] for item in items if item["nodes"])


def test_of_a_fact_that_goes_with_a_sentence_of_the_answer_that_is_said(tmp_path):
    opened, elsewhere = "The relief valve opened the vent line", "The heater opened the relief valve."
    texts = {"log": f"{opened}.", "report": f"{opened} because the heater overheated the tank.", "notes": elsewhere}
    for name, text in texts.items():
        (tmp_path / f"{name}.txt").write_text(text)

    def kept(*names):
        with explorer.open() as ws:
            ws.ingest(*(tmp_path / f"{name}.txt" for name in names), progress=False)
            trace = ws.run("What did the heater overheat when the relief valve opened?")
            facts = {" ".join(one.words): one.triple for one in ws.facts()}
        [fact] = items_of(trace, "facts")
        return trace, fact, facts

    def told(trace, fact, change, *, cited):
        rated = (Rated(fact.what, fact.name, change, NEEDED if change else NO_DIFFERENCE, cited),)
        found = Influence("urn:influence", trace.iri, "facts", LEAVE_ONE_OUT, 9, rated)
        return [one for one in Mattering("now", trace, "facts").told(found)["more"] if "that the answer quotes" in one]

    trace, fact, _ = kept("log", "report")
    [said] = told(trace, fact, 1.0, cited=False)
    assert said.startswith(f"With “{fact.name}” a sentence goes that the answer quotes")
    assert told(trace, fact, 0.0, cited=False) == told(trace, fact, 1.0, cited=True) == []
    trace, fact, facts = kept("log", "report", "notes")
    elsewhere = replace(fact, what=facts["heater opened relief valve"])
    assert told(trace, elsewhere, 1.0, cited=False) == [], "and of no fact that was found elsewhere alone"
