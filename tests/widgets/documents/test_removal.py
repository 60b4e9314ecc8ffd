"""Removing a document in the app, bringing it back, and giving it a new version."""

import threading
from copy import deepcopy

import pytest

from explorer.widgets.audit import audited
from explorer.wording.outcomes import became, word
from tests.widgets.conftest import QUESTION
from tests.widgets.documents.test_tab import empty, last, listed, put, states  # noqa: F401 - a fixture
from tests.widgets.pages import say

MOTORS = b"# Motors\n\nGlobe Industries made the fan motors in Dayton. Beech Aircraft built the relief valve in 1966.\n"
NEWER = b"# Motors\n\nParker Company made the fan motors in Ohio. Beech Aircraft built the relief valve in 1966.\n"
VALVES = b"Beech Aircraft built the relief valve in 1966.\n"
ASKED = "Who made the fan motors?"


@pytest.fixture
def filled(empty):  # noqa: F811
    put(empty, "motors.md", MOTORS)
    put(empty, "valves.txt", VALVES)
    empty.ask(ASKED)
    assert empty.wait(20)
    assert "Globe" in empty.trace.answer
    return empty


def settled(app):
    assert app._documents.changing.wait(20)
    assert app._documents.reading.wait(20)


def do(app, **message):
    say(app, **message)
    settled(app)


def iri_of(app, name):
    return app.ws.document(name).iri


def removed(told):
    return last(told, "files")["removed"]


def test_what_a_removal_changes_is_told_before_it_is_done(filled, told):
    iri = iri_of(filled, "motors.md")
    do(filled, t="impact?", iri=iri)
    impact = last(told, "impact")
    assert (impact["iri"], impact["uses"], impact["versions"]) == (iri, 1, 0)
    assert impact["used"][0]["question"] == ASKED
    assert impact["facts"] == len(impact["named"]) > 0
    assert any("Globe Industries" in words for words in impact["named"])
    assert impact["kept"] == 2, "the other document says the same of the valve"
    assert impact["texts"] >= 1
    assert len(filled.ws.documents) == 2


def test_runs_without_an_answer_are_counted_apart(filled, told):
    iri = iri_of(filled, "motors.md")
    filled.ask("Why did the fan motors fail in 1970?")
    assert filled.wait(20)
    assert filled.trace.reason == "declined"
    assert iri in {one.iri for one in filled.ws.documents if filled.trace.iri in {run.iri for run in one.used_in}}
    say(filled, t="document?", iri=iri, key="k")
    opened = last(told, "document")
    assert (opened["uses"], opened["looked"]) == (1, 1)
    assert [run["question"] for run in opened["used"]] == [ASKED]
    do(filled, t="impact?", iri=iri)
    assert (last(told, "impact")["uses"], last(told, "impact")["looked"]) == (1, 1)
    impact = filled.ws.impact(iri)
    assert [run.question for run in impact.answers] == [ASKED]
    assert [run.iri for run in impact.looked] == [filled.trace.iri]
    assert "1 answer quotes it (1 more run looked at it and does not)" in impact.sentence
    assert "Runs that only looked at it:" in impact.lines()


def test_what_was_corrected_since_counts_as_quoted_in_the_header_and_in_the_notice(filled, told):
    iri, before = iri_of(filled, "motors.md"), filled.trace
    cited = {key for citation in before.dag.citations for key in citation.cites}
    [fact, *_] = [edge.edge for edge in before.edges if edge.iri in cited]
    filled.ws.retract(fact)
    for after in ("corrected", "replaced"):
        if after == "replaced":
            put(filled, "motors.md", NEWER, file="again")
            do(filled, t="settle", file="again", replace=True)
            iri = iri_of(filled, "motors.md")
        say(filled, t="document?", iri=iri, key="k")
        do(filled, t="impact?", iri=iri)
        header, notice = last(told, "document"), last(told, "impact")
        assert [header[key] for key in ("uses", "used", "looked")] == [
            notice[key] for key in ("uses", "used", "looked")
        ]
        assert [run["iri"] for run in header["used"]] == [before.iri]
        assert header["looked"] == 0


def test_what_was_refused_before_there_were_documents_is_said_no_longer(empty):  # noqa: F811
    say(empty, t="ask", question=ASKED)
    assert "No documents yet" in empty.bar.state["trouble"]
    put(empty, "motors.md", MOTORS)
    assert empty.bar.state["trouble"] is None


def test_undoing_what_rests_on_a_document_that_was_removed_says_why_it_can_not_be(filled, told):
    key = str(filled.ws.facts("fan motors", limit=1)[0].triple)
    do(filled, t="retract", fact=key, by="")
    assert last(told, "corrected")["said"]
    do(filled, t="remove", iri=iri_of(filled, "motors.md"), words=False)
    assert last(told, "corrected")["said"] == "", "another thing was done since"
    do(filled, t="uncorrect", by="", fact=None)
    assert "is not here any more" in last(told, "trouble")["text"]


def test_a_document_is_removed_and_brought_back(filled, told):
    iri, before = iri_of(filled, "motors.md"), {fact.triple for fact in filled.ws.facts(limit=None)}
    do(filled, t="remove", iri=iri, words=False)
    assert [one.source for one in filled.ws.documents] == ["valves.txt"]
    assert last(told, "files")["fresh"] == "changed"
    assert [(one["iri"], one["title"], one["lost"]) for one in removed(told)] == [(iri, "Motors", [])]
    assert filled.tabs.titles[1] == "Documents 1"
    say(filled, t="document?", iri=iri, key="k")
    gone = last(told, "gone")
    assert (gone["iri"], gone["title"], bool(gone["when"])) == (iri, "Motors", True)
    filled.open(filled.trace.iri)
    [passage] = [node for node in filled.dag.nodes("Passage") if node.passages[0].document == iri][:1]
    say(filled, t="source?", run=filled.showing.run, node=passage.iri, key="s")
    assert last(told, "source")["trouble"].startswith("Source removed on ")

    do(filled, t="restore", iri=iri)
    assert removed(told) == []
    assert states(told)["Motors"] == ("read", "back again, 4 facts")
    assert last(told, "files")["fresh"] == "changed"
    assert {fact.triple for fact in filled.ws.facts(limit=None)} == before
    say(filled, t="document?", iri=iri, key="l")
    assert last(told, "document")["iri"] == iri
    say(filled, t="source?", run=filled.showing.run, node=passage.iri, key="t")
    assert "trouble" not in last(told, "source")


def test_the_graph_of_a_past_run_says_that_its_source_was_removed_only_while_it_is(filled):
    def drawn():
        nodes = filled.showing.snapshot(whole=True)["nodes"]
        return sorted(words for node in nodes if node["kind"] == "Passage" for _, words in node["lines"])

    iri = iri_of(filled, "motors.md")
    filled.open(filled.trace.iri)
    before = drawn()
    for opened_while_removed in (False, True):
        do(filled, t="remove", iri=iri, words=False)
        if opened_while_removed:
            filled.open(filled.trace.iri)
        assert any(words.startswith("source removed on ") for words in drawn())
        filled.tabs.selected_index = 1
        do(filled, t="restore", iri=iri)
        filled.tabs.selected_index = 2
        assert drawn() == before


def test_what_is_selected_in_a_past_run_stays_so_when_a_document_is_removed(filled):
    filled.open(filled.trace.iri)
    shown, filled.selected = filled.showing.run, next(one.iri for one in filled.dag.nodes("EdgeSelection"))
    kept = filled.selected
    do(filled, t="remove", iri=iri_of(filled, "motors.md"), words=False)
    assert filled.showing.run != shown, "it was drawn anew"
    assert (filled.selected, filled.selected) == (kept, kept)


def test_a_past_run_on_show_that_another_process_deleted_is_said_to_be(filled, told):
    run = filled.trace.iri
    filled.ws.run(ASKED)  # its words of the document are kept on record, so passages say that it was removed
    filled.open(run)
    filled.ws.traces.delete(run)  # no window is told
    before = len(told("ran"))
    do(filled, t="remove", iri=iri_of(filled, "motors.md"), words=False)
    assert last(told, "trouble")["text"].startswith(f"The run {run} was deleted on ")
    assert filled.trace.iri == run, "what is on show stays"
    assert len(told("ran")) > before, "and the windows list the runs"


def test_what_undo_does_not_bring_back_is_said(filled, told):
    put(filled, "motors.md", NEWER, file="again")
    do(filled, t="settle", file="again", replace=True)
    iri = iri_of(filled, "motors.md")
    assert filled.ws.document(iri).text.count("Parker")
    filled.ws.add_fact("fan motors", "are made in", "Ohio", filled.ws.document(iri).passage("in Ohio"))
    filled.ask(ASKED)
    assert filled.wait(20)
    do(filled, t="remove", iri=iri, words=True)
    [one] = removed(told)
    [lost] = one["lost"]
    assert lost.endswith("of answers")
    say(filled, t="drop", file=iri)
    assert removed(told) == []
    do(filled, t="restore", iri=iri)
    assert len(filled.ws.documents) == 1


def test_what_was_added_by_hand_is_back_with_its_document(filled, told):
    iri = iri_of(filled, "motors.md")
    words = filled.ws.document(iri).text.split(".")[0].split("\n")[-1]
    added = filled.ws.add_fact("fan motors", "are made in", "Ohio", filled.ws.document(iri).passage(words))
    do(filled, t="remove", iri=iri, words=False)
    assert added.triple not in {fact.triple for fact in filled.ws.facts(limit=None)}
    assert removed(told)[0]["lost"] == []
    do(filled, t="restore", iri=iri)
    assert [fact.words for fact in filled.ws.facts(limit=None) if fact.triple == added.triple] == [added.words]


def test_a_file_with_the_name_of_a_document_asks_what_it_is_to_be(filled, told):
    old = iri_of(filled, "motors.md")
    put(filled, "motors.md", MOTORS, file="same")
    assert states(told)["motors.md"] == ("read", "known already: nothing new")
    put(filled, "series/motors.md", NEWER, file="newer")
    assert states(told)["series/motors.md"] == ("asks", "A document with this name is here: “Motors”.")
    put(filled, "else.txt", b"The pump was tested in Boulder.", file="else")
    assert states(told)["else.txt"][0] == "read", "it does not wait"
    do(filled, t="settle", file=None, replace=True)
    assert states(told)["series/motors.md"][1].startswith("a new version: ")
    new = filled.ws.document("Motors")
    assert [one.iri for one in new.versions] == [old, new.iri]
    shown = next(one for one in last(told, "files")["files"] if one["file"] == "newer")
    assert (shown["document"], shown["replaces"]) == (new.iri, old)
    say(filled, t="document?", iri=old, key="k")
    opened = last(told, "document")
    assert opened["newer"]["iri"] == new.iri
    assert [one["iri"] for one in opened["versions"]] == [old, new.iri]
    [passage] = [node for node in filled.dag.nodes("Passage") if node.passages[0].document == old][:1]
    say(filled, t="source?", run=filled.showing.run, node=passage.iri, key="s")
    assert last(told, "source")["newer"]["iri"] == new.iri
    assert "Globe" in "".join(text for text, _ in last(told, "source")["runs"])


def test_both_are_kept_under_names_that_tell_them_apart(filled, told):
    put(filled, "motors.md", NEWER, file="newer")
    do(filled, t="settle", file="newer", replace=False)
    assert sorted(one.source for one in filled.ws.documents) == ["motors (2).md", "motors.md", "valves.txt"]
    put(filled, "motors.md", NEWER + b"And Ohio.", file="third")
    assert states(told)["motors.md"][0] == "asks"
    do(filled, t="settle", file="third", replace=False)
    assert "motors (3).md" in [one.source for one in filled.ws.documents]


def test_a_file_of_any_name_is_a_new_version_of_the_document_that_is_open(filled, told):
    old = iri_of(filled, "motors.md")
    data = NEWER + b"See valves."
    say(filled, memoryview(data), t="piece", file="v", name="valves.txt", size=len(data), at=0, replaces=old)
    settled(filled)
    assert {one.source: len(one.versions) for one in filled.ws.documents} == {"valves.txt": 1, "valves (2).txt": 2}
    say(filled, memoryview(b""), t="piece", file="e", name="empty.txt", size=0, at=0, replaces=old)
    settled(filled)
    assert states(told)["empty.txt"][0] == "refused"
    assert len(filled.ws.documents) == 2


def test_a_document_is_removed_while_it_is_asked_about_and_while_another_file_is_read(filled, told, monkeypatch):
    iri = iri_of(filled, "motors.md")
    going_on, go_on = threading.Event(), threading.Event()
    ingest = filled.ws.ingest

    def slow(*paths, **how):
        going_on.set()
        assert go_on.wait(60)
        return ingest(*paths, **how)

    monkeypatch.setattr(filled.ws, "ingest", slow)
    data = b"The pump was tested in Boulder in 1967."
    say(filled, memoryview(data), t="piece", file="p", name="pump.txt", size=len(data), at=0)
    assert going_on.wait(60)
    for _ in range(2):
        filled.ask(ASKED)
        say(filled, t="remove", iri=iri, words=False)
        assert filled._documents.changing.wait(60)
        assert filled.wait(60)
        assert filled.showing.state in ("done", "declined")
    assert "No document" in last(told, "trouble")["text"] or "was removed" in last(told, "trouble")["text"]
    go_on.set()
    assert filled._documents.reading.wait(60)
    assert sorted(one.source for one in filled.ws.documents) == ["pump.txt", "valves.txt"]
    filled.ask(QUESTION)
    assert filled.wait(20)


def test_the_documents_are_turned_to_from_a_run(filled):
    filled.tabs.selected_index = 2
    say(filled, t="shelf")
    assert (filled.tabs.selected_index, filled.mode) == (1, "documents")


def standing(app, told):
    """What the answer on show, its sentence, the list of past runs and the audit say of it."""
    answer = app.showing.snapshot(whole=True)["answer"]
    say(app, t="runs?", n=1, limit=50)
    [row] = [one for one in last(told, "runs")["runs"] if one["iri"] == app.trace.iri]
    marks = [run["mark"]["text"] for run in answer["runs"] if "mark" in run]
    told_there = audited(app.ws, "r", app.trace.iri)["stands"]
    badge = answer["badges"][-1]
    assert (badge["text"], badge["level"]) == (row["mark"]["text"], row["mark"]["level"])
    node = next(one for one in app.showing.snapshot(whole=True)["nodes"] if one["id"] == app.trace.dag.final.iri)
    in_panel = next(one["text"] for one in node["detail"]["rows"] if one.get("label") == "Outcome")
    assert in_panel.startswith(f"{badge['text']}: ")
    assert node["lines"][1][1].endswith(badge["text"])
    trace = app.ws.traces.load(app.trace.iri)
    assert word(trace.outcome, trace.support.since) == row["mark"]["text"]
    assert row["became"] == became(trace.support.since)
    played = [frame["answer"] for frame in app.showing.snapshot().get("frames", []) if frame.get("answer")]
    assert not played or played[-1].get("badges", answer["badges"]) == answer["badges"]
    return badge["text"], marks, told_there


def test_all_places_say_at_once_what_became_of_what_an_answer_rests_on(filled, told):
    filled.open(filled.trace.iri)
    before = standing(filled, told)
    assert before[1:] == ([], "")
    shown = deepcopy(filled.showing.snapshot(whole=True))
    cited = filled.trace.dag.citations[0].cites[0]
    do(filled, t="retract", fact=str(filled.trace.dag.entities[cited].edge), by="Ana")
    curated = last(told, "curated")
    assert curated["answer"]["badges"][-1]["text"] == "Unsure, fact changed since"
    text, [mark], audit = standing(filled, told)
    assert (text, audit) == ("Unsure, fact changed since", "The answer: fact changed since")
    assert last(told, "runs")["runs"][0]["became"] == "A fact that it rests on was changed by hand"
    assert mark.startswith("It rests on a fact that was retracted on ")
    assert mark.endswith(" by Ana.")
    do(filled, t="uncorrect", by="", fact=None)
    assert standing(filled, told) == before

    iri = iri_of(filled, "motors.md")
    do(filled, t="remove", iri=iri, words=False)
    text, marks, audit = standing(filled, told)
    assert (text, audit) == ("Unsure, source removed", "The answer: source removed")
    assert marks == ["Its source was removed since."]
    checked = audited(filled.ws, "r", filled.trace.iri)["checked"]
    assert any(one.startswith("“Motors”: it was removed on ") for one in checked)
    assert not [one for one in checked if "/doc/" in one]
    do(filled, t="restore", iri=iri)
    assert standing(filled, told) == before
    unnamed = {"run": "", "seq": 0}
    assert filled.showing.snapshot(whole=True) | unnamed == shown | unnamed
