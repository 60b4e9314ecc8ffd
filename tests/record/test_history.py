"""What happened to a run since it was asked: seals, verdicts, what was corrected and removed, also where undone."""

import pytest

from explorer.errors import RecordError
from explorer.widgets.audit import audited
from tests.corpus import QUESTIONS, with_corpus

ws = with_corpus()


def said(ws, run):
    return [(one.what, one.by) for one in ws.traces.history(run)]


def cited_fact(run):
    cited = (run.dag.entities[key] for one in run.citations for key in one.cites)
    return next(one.edge for one in cited if hasattr(one, "edge"))


def test_what_was_done_to_it_is_told_in_order_also_where_it_was_undone(ws):
    run = ws.run(QUESTIONS[0])
    sealed = ws.ledger.entry(run.iri)
    assert said(ws, run) == [(f"ended and was sealed: entry {sealed.number} of the ledger, not signed", "")]
    assert ws.traces.history(run.iri)[0].at == sealed.at
    assert "ended and was sealed" in str(ws.traces.history(run))
    fact = cited_fact(run)
    ws.traces.judge(run, "unclear", sentence=1, by="Ada")
    ws.traces.judge(run, "supported", sentence=1, by="Ada")
    ws.retract(fact, by="Grace")
    ws.undo(by="Edsger")
    document = run.sources()[0].document
    gone = ws.forget(document)
    away = said(ws, run)
    assert [by for _, by in away][:5] == ["", "Ada", "Ada", "Grace", "Edsger"]
    words = [what for what, _ in away]
    assert words[1] == "sentence 1 was judged unclear, changed later"
    assert words[2] == "sentence 1 was judged supported"
    assert words[3].endswith("”, which it cites, was retracted")
    assert words[4].endswith("”, which it cites, is as before: that was undone")
    assert words[5].endswith(f"”, a source of it, was removed: entry {ws.ledger.entry(document).number} of the ledger")
    ws.restore(gone)
    assert "was removed and is back: entry" in said(ws, run)[5][0]
    told = audited(ws, "r", run.iri)["history"]
    assert [(one["what"], one["by"]) for one in told] == said(ws, run)


def test_a_fact_that_was_put_down_and_went_again_is_not_as_before(ws):
    run = ws.run(QUESTIONS[0])
    fact = cited_fact(run)
    ws.add_fact("Acme Works", fact.predicate, fact.object, instead_of=fact, by="Grace")
    again = ws.run(QUESTIONS[0])
    assert "Acme Works" in again.answer
    ws.undo(ws.curations, by="Edsger")
    assert said(ws, run)[-1][0].endswith("”, which it cites, is as before: that was undone")
    assert said(ws, again)[-1][0].endswith("”, which it cites, went: its adding was undone")
    with pytest.raises(RecordError):
        ws.traces.history("urn:trustgraph:question:none")
