"""What others ask and write on the same servers is seen in an app that is open, without a reload."""

import threading
import time

import pytest

import explorer
from tests.corpus import VALVES
from tests.widgets.past.test_runs import say

QUESTION = "Who built the relief valve?"


@pytest.fixture
def shared(team, tmp_path, sent):
    """A workspace with a document, and an app of it that lists past runs."""
    (tmp_path / "valves.md").write_text(VALVES, "utf-8")
    ws = team.open()
    ws.ingest(tmp_path / "valves.md", progress=False)
    app = explorer.app(ws, pace=0)
    yield app
    app.stop()
    assert app.wait(20)
    app.close()


def listing(app, told):
    """The runs that the page lists when it is told to: it asks with each "ran", as the page does."""
    heard = len(told("ran"))

    def until(holds, seconds):
        nonlocal heard
        begun = time.monotonic()
        while time.monotonic() - begun < seconds:
            if len(told("ran")) > heard:
                heard = len(told("ran"))
                say(app, t="runs?", n=1)
                if holds(told("runs")[-1]["runs"]):
                    return
            time.sleep(0.02)
        raise AssertionError(f"not within {seconds} s: {told('runs')[-1:]}")

    return until


def test_the_run_of_another_process_is_listed_as_running_and_as_ended(shared, team, told):
    ana = team.colleague("Ana")
    until = listing(shared, told)
    run = ana.do("ask", QUESTION)
    until(lambda runs: [(one["iri"], one["by"], one["trouble"]) for one in runs] == [(run, "Ana", "running")], 2)
    assert shared.tabs.titles[2] == "Past runs 1"
    shared.open(run)
    assert shared.trace.dag.done is None
    assert ana.do("go on") == ["done"]
    until(lambda runs: [(one["iri"], one["trouble"]) for one in runs] == [(run, "")], 5)
    ended = time.monotonic() + 5
    while shared.trace.dag.done is None:  # it was open, and is shown to its end
        assert time.monotonic() < ended
        time.sleep(0.02)
    assert "Beech Aircraft" in shared.trace.answer
    assert shared.ws.traces.list(by="Ana")[0].iri == run
    assert shared.ws.verify().is_sound


def test_two_who_review_one_answer_at_once_lose_no_verdict_and_see_each_others(shared, team, told):
    run = shared.ws.run(QUESTION, by="Bo").iri
    shared.open(run)
    page = shared.showing.run
    say(shared, t="audit?", run=page)
    assert told("audited")[-1]["rows"] == []
    node = f"{shared.trace.dag.final.iri}#sentence-1"
    ana, barrier = team.colleague("Ana"), threading.Barrier(2)

    def judge():
        barrier.wait()
        ana.do("judge", run, "not supported")

    other = threading.Thread(target=judge)
    other.start()
    barrier.wait()
    say(shared, t="judge", run=page, node=node, verdict="supported", comment="", by="Bo")
    other.join()
    until = time.monotonic() + 5
    while not ({row["by"] for row in told("audited")[-1]["rows"]} == {"Ana", "Bo"}
               and "Ana" in told("reviewed")[-1]["badge"]["text"]):  # fmt: skip
        assert time.monotonic() < until, (told("audited")[-1]["rows"], told("reviewed")[-1])
        time.sleep(0.02)
    assert {(one.by, one.verdict) for one in shared.ws.traces.verdicts(run)} == {
        ("Ana", "not supported"), ("Bo", "supported"),
    }  # fmt: skip


def watches():
    return [one for one in threading.enumerate() if one.name == "watch"]


def test_the_watch_ends_with_the_app_and_a_folder_has_none(shared, told, tmp_path):
    assert len(watches()) == 1
    with explorer.open(tmp_path / "folder") as ws:
        alone = explorer.app(ws)
        assert len(watches()) == 1
        alone.close()
    shared.ws.close()
    heard = len(told("ran"))
    time.sleep(1)
    assert len(told("ran")) == heard
    assert told("trouble") == []
    shared.ws.reopen()
    until = listing(shared, told)
    shared.ws.run(QUESTION)
    until(bool, 5)
    shared.close()
    [watch] = watches() or [None]
    if watch is not None:
        watch.join(5)
    assert watches() == []


def test_a_closed_workspace_on_servers_can_be_opened_again_in_the_page(shared, told):
    shared.ws.close()
    say(shared, t="runs?", n=1)
    assert told("trouble")[-1]["closed"] is True
    say(shared, t="reopen")
    say(shared, t="runs?", n=2)
    assert told("runs")[-1]["n"] == 2


def test_the_list_of_documents_says_that_another_is_reading_some_in(shared, team, told):
    def list_of():
        say(shared, t="documents?", n=1, text=None, limit=50)
        return told("documents")[-1]["being_read"]

    def until(fresh):
        end = time.monotonic() + 5
        while len([one for one in told("files") if one["fresh"] == "changed"]) < fresh:
            assert time.monotonic() < end
            time.sleep(0.02)

    other = team.open(writer=1)
    assert list_of() == ""
    with other.stores.database.reading_in("Ana"):
        until(1)
        assert list_of().startswith("Documents are being read in by Ana since ")
    until(2)
    assert list_of() == ""
