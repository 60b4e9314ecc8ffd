"""Purging: old runs go as one that is deleted, and the ledger notes each."""

from datetime import timedelta

import pytest

from explorer.errors import RecordError
from explorer.record.times import age
from tests.corpus import QUESTIONS, filled, still
from tests.each import each


@pytest.fixture
def ws():
    with filled() as workspace:
        for number, question in enumerate(QUESTIONS):
            later(workspace, 10 * number)
            workspace.run(question)
        yield workspace


def later(ws, days):
    """Have it be so many days later, and stay so."""
    ws._clock = ws.traces.clock = lambda: still() + timedelta(days=days)


def test_old_runs_are_deleted_and_noted(ws):
    iris = [one.iri for one in ws.traces.list()][::-1]
    would = ws.purge("15d", dry_run=True)
    assert [one.iri for one in would.runs] == iris[:2]
    assert len(ws.traces.list()) == 4
    done = ws.purge("15d", progress=False)
    assert (done.runs, repr(done)) == (would.runs, "<Purged 2 runs deleted.>")
    assert [one.iri for one in ws.traces.list()][::-1] == iris[2:]
    assert [(one.kind, one.about) for one in ws.ledger][4:] == [("deleted", iri) for iri in iris[:2]]
    assert ws.verify().is_sound
    assert ws.verify(*iris).is_sound
    assert ws.purge("15d", progress=False).runs == ()
    assert would.lines()[-1] == "2 runs would be deleted."


def test_reviewed_runs_are_kept_where_that_is_wanted(ws):
    first = ws.traces.list()[-1].iri
    ws.traces.judge(first, "supported", sentence=1, by="Ada")
    done = ws.purge(timedelta(days=15), keep_reviewed=True, progress=False)
    assert (len(done.runs), done.kept, done.text) == (1, 1, "1 run deleted; 1 reviewed run as old kept.")
    assert first in [one.iri for one in ws.traces.list()]
    assert len(ws.purge("15d", progress=False).runs) == 1


def test_a_run_that_goes_on_stays(ws):
    later(ws, 0)
    events = ws.ask(QUESTIONS[0])
    next(events)
    later(ws, 1000)
    assert len(ws.purge("1d", progress=False).runs) == 4
    assert len(ws.traces.list()) == 1
    assert len([*events]) > 1


@each(("text", "hours"), [("12h", 12), ("90d", 90 * 24), (" 6 w", 6 * 168), ("2Y", 2 * 8760)])
def test_lengths_of_time(text, hours):
    assert age(text) == timedelta(hours=hours)


def test_what_is_no_length_of_time_and_one_before_all_time_delete_nothing(ws):
    for text in ("", "90", "d", "-1d", "1.5d", "90 days", "9999999d"):
        with pytest.raises(RecordError, match="no length of time"):
            ws.purge(text)
    assert ws.purge("999999y", progress=False).runs == ()
