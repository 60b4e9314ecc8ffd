"""The audit of the run on show: its seal, what checking it finds, verdicts, and the files to take along."""

import io
import zipfile

import explorer
from explorer import __version__
from explorer.dag.sentences import sentences
from explorer.record.verdicts import VERDICTS
from explorer.text import count
from explorer.vocab import RETRIEVAL, X
from explorer.widgets.audit import UNSIGNED
from tests.widgets.pages import say


def sentence(app, number=1):
    return f"{app.trace.dag.final.iri}#sentence-{number}"


def audit_of(app, told):
    say(app, t="audit?", run=app.showing.run)
    return told("audited")[-1]


def test_an_audit_tells_seal_checks_and_verdicts(answered, ws, told):
    audit = audit_of(answered, told)
    entry = ws.ledger.entry(answered.trace.iri)
    assert audit["anchor"] == entry.anchor
    assert audit["seal"] == f"Sealed, unsigned (entry {entry.number})"
    assert audit["signed"] == UNSIGNED
    assert audit["sound"]
    assert "no fault found" in audit["checked"][0]
    assert audit["rows"] == []
    assert audit["made"] == f"Graph search, provenance-explorer {__version__}, no language model"


def test_a_verdict_that_was_changed_stands_below_what_it_was_changed_to(answered, ws, told):
    run, node = answered.showing.run, sentence(answered)
    for verdict, comment in (("not supported", "a slip"), ("supported", "")):
        say(answered, t="judge", run=run, node=node, verdict=verdict, comment=comment, by="Ada")
    rows = [(row["verdict"], row["comment"], row["before"]) for row in told("audited")[-1]["rows"]]
    assert rows == [("supported", "", False), ("not supported", "a slip", True)]


def test_a_verdict_is_written_and_told_at_once(answered, ws, told):
    run, node = answered.showing.run, sentence(answered)
    say(answered, t="judge", run=run, node=node, verdict="supported", comment="<b>", by="Ada")
    say(answered, t="judge", run=run, node=node, verdict="unclear", comment="", by="Bob")
    rows = told("audited")[-1]["rows"]
    assert [(row["node"], row["verdict"], row["comment"], row["by"]) for row in rows] == [
        (node, "supported", "<b>", "Ada"),
        (node, "unclear", "", "Bob"),
    ]
    assert "Ada and Bob" in told("audited")[-1]["agreement"][0]
    assert [one.iri for one in ws.traces.verdicts(answered.trace)]


def test_what_reviewers_found_stands_beside_the_answer_and_follows_what_they_change(answered, ws, told):
    run, node = answered.showing.run, sentence(answered)
    said = len(list(sentences(answered.dag, answered.dag.final.entity)))

    def judge(verdict, by):
        say(answered, t="judge", run=run, node=node, verdict=verdict, comment="", by=by)
        badge = told("reviewed")[-1]["badge"]
        assert answered.whole()["reviewed"] == badge
        return badge

    assert answered.whole()["reviewed"] is None
    badge = judge("not supported", "Dana")
    assert badge["text"] == f"1 of {count(said, 'sentence')} reviewed: not supported · by Dana"
    assert (badge["level"], badge["node"]) == ("bad", node)
    assert "1 of 1 sentence reviewed: 1 supported, 1 not · by Dana, Eve" in judge("supported", "Eve")["tip"]
    report = ws.report(answered.trace)
    assert "Reviewed</dt>" in report
    assert report.count("1 supported, 1 not") >= 2, "in the head, and beside the answer"
    changed = judge("supported", "Dana")
    assert changed["text"] == f"1 of {count(said, 'sentence')} reviewed: supported · by Eve, Dana"
    assert changed["level"] == "sure"
    assert "Before: not supported (Dana)." in changed["tip"]
    answered.open(answered.trace.iri)
    assert answered.whole()["reviewed"] == changed, "also of a stored run"
    answered.compare(answered.trace, answered.trace)
    assert answered.comparison["a"]["reviewed"] == changed, "and compared"


def test_each_verdict_counts_among_what_was_reviewed(answered, ws, told):
    run, node = answered.showing.run, sentence(answered)
    for verdict in VERDICTS:
        say(answered, t="judge", run=run, node=node, verdict=verdict, comment="", by="Ada")
        badge = told("reviewed")[-1]["badge"]
        assert badge is not None, verdict
        assert f" reviewed: {verdict} · by Ada" in badge["text"], verdict
    for who, verdict in zip("BCD", VERDICTS, strict=False):
        say(answered, t="judge", run=run, node=node, verdict=verdict, comment="", by=who)
    assert "reviewed: 1 supported, 1 unclear, 1 irrelevant, 1 not ·" in told("reviewed")[-1]["badge"]["text"]


def test_two_windows_on_one_kernel_judge_and_none_is_lost(answered, ws, told):
    other = explorer.app(ws, pace=0)
    other.open(answered.trace.iri)
    for app, who in ((answered, "One"), (other, "Other")):
        say(app, t="judge", run=app.showing.run, node=sentence(answered), verdict="supported", comment="", by=who)
    assert {one.by for one in ws.traces.verdicts(answered.trace)} == {"One", "Other"}


def test_what_can_not_be_judged_is_said_in_words(answered, told):
    run = answered.showing.run
    say(answered, t="judge", run=run, node="urn:x", verdict="supported", comment="", by="")
    assert "no node urn:x" in told("trouble")[-1]["text"]
    say(answered, t="judge", run=run, node=sentence(answered), verdict="fine", comment="", by="")
    assert "A verdict is one of" in told("trouble")[-1]["text"]


def test_a_record_that_was_changed_is_told(app, ws, told):
    app.ask("When was the tank dropped?")
    assert app.wait(20)
    (end, *_) = ws.graph.match(None, X.run, None, RETRIEVAL)
    run = next(quad for quad in ws.graph.match(None, X.engine, None, RETRIEVAL) if quad.subject.value == app.trace.iri)
    assert end
    ws.graph.store.remove(run)
    audit = audit_of(app, told)
    assert not audit["sound"]
    ws.graph.store.add(run)
    assert audit_of(app, told)["sound"]


def test_report_and_bundle_are_files_to_take_along(answered, sent, told):
    say(answered, t="save?", format="html")
    report = told("save")[-1]
    assert report["name"].endswith(".html")
    assert report["text"].startswith("<!DOCTYPE html>")
    say(answered, t="save?", format="bundle")
    assert told("save")[-1]["name"].endswith(".zip")
    data = bytes(sent[-1].buffers[0])
    assert "record.nq" in {name.rpartition("/")[2] for name in zipfile.ZipFile(io.BytesIO(data)).namelist()}


def test_an_app_opens_with_the_audit_if_asked(ws, sent):
    assert explorer.app(ws, audit=True).audit is True
    assert explorer.app(ws).audit is False
