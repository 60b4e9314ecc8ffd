"""A run of another pipeline, told by hand: what is on record of it, in its own words and no more."""

import asyncio
import csv
import io
import json
import re
import threading
from itertools import count

import pytest

import explorer
from explorer import entities as e
from explorer.dag.retrieved import GIVEN, KEPT, LEFT, NOT_GIVEN, UNUSED, USED
from explorer.dag.sentences import quotations
from explorer.errors import QuestionError
from tests.each import each

SEAL = "Ada Smith replaced the seal of the second pump on 3 April, after it had leaked for a month."
NOTE = "The captain, Jo Berg, ordered a spare seal from Bergen on the first day of March."
LUNCH = "Lunch was served at noon on deck two, as on every other day."
QUESTION = "Who fixed the pump?"


@pytest.fixture
def ws():
    with explorer.open(ids=map(str, count()).__next__) as opened:
        yield opened


def told(ws, **asked):
    """A run that tells all there is to tell of a search."""
    with ws.record(QUESTION, pipeline="LangChain", by="Kim", **asked) as run:
        run.looked_at([{"text": SEAL, "id": "a"}, {"text": NOTE, "id": "b"}, {"text": LUNCH, "id": "c"}], [12.5, 7, -1])
        run.kept(
            [{"text": NOTE, "id": "b"}, {"text": SEAL, "id": "a"}], {"a": "names who"}, scores=[0.9, 0.8], left="far"
        )
        run.prompt(f"Say who.\n{SEAL}\n{NOTE}", "Ada", model="m", in_tokens=20, out_tokens=3)
        run.answer(f"{SEAL} Elephants own the moon and all its golden cheese.")
    return ws.traces.load(run.iri)


def test_a_search_is_on_record_as_ours_are(ws):
    trace = told(ws)
    assert (trace.question, trace.method, trace.model, trace.reason) == (QUESTION, "LangChain", "m", "done")
    kinds = [type(step).__name__ for step in trace.steps]
    assert kinds == ["DocRagQuestion", "Exploration", "Focus", "Synthesis"]
    assert [str(found) for found in ws.verify()] == []
    states = [(one.passage.text, one.state, one.moved, one.why) for one in trace.retrieved]
    assert states == [
        (SEAL, USED, "no. 1 found (12.5) → no. 2 kept (0.8)", "names who"),
        (NOTE, GIVEN, "no. 2 found (7) → no. 1 kept (0.9)", ""),
        (LUNCH, LEFT, "no. 3 found (-1)", "far"),
    ]
    said, foreign = trace.citations
    [key] = said.cites
    assert said.aligned == (key,)
    assert trace.answer[said.start : said.end] == SEAL
    start, end = said.places[key]
    assert SEAL[start:end].strip(".") == SEAL.strip(".")
    assert (foreign.cites, foreign.lexical_support) == ((), "none")
    again = [one.triples for one in ws.traces.replay(trace.iri) if hasattr(one, "triples")]
    assert [set(one) for one in again] == [set(one.triples) for one in trace.events if hasattr(one, "triples")]


def test_each_place_of_a_passage_is_on_record_marked_and_reported(ws):
    log = f"The pump stood still from noon on Tuesday. {LUNCH} Ice had formed in the fuel line at night."
    with ws.record(QUESTION, pipeline="mine") as run:
        run.looked_at([{"text": log, "title": "Log", "page": 2}, {"text": NOTE, "title": "Orders"}])
        run.answer(
            "The pump stood still at noon because ice had formed in the fuel line. The captain did not order a spare "
            "seal from Bergen. Elephants own the moon and all its golden cheese."
        )
    trace = ws.traces.load(run.iri)
    both, denied, _ = trace.citations
    [spans] = both.spans.values()
    assert [log[start:end] for start, end in spans] == ["pump stood still from noon", "Ice had formed in the fuel line"]
    [passage] = trace.passages[both.cites[0]]
    assert quotations(trace.dag, passage) == spans
    assert [str(found) for found in ws.verify()] == []
    assert (denied.not_in_source, denied.lexical_support) == (("this “not”",), "near")
    told = [tuple(row.values()) for row in csv.DictReader(io.StringIO(ws.report(trace, format="csv")))]
    assert [(row[1], row[6], row[7], row[8]) for row in told] == [
        ("1", "pump stood still from noon", "Log, page 2", "words found in the source"),
        ("1", "Ice had formed in the fuel line", "Log, page 2", "words found in the source"),
        ("2", "captain, Jo Berg, ordered a spare seal from Bergen", "Orders", "source is near; not there: this “not”"),
        ("3", "", "", "nothing that was retrieved says this; not there: Elephants"),
    ]
    shown = trace.citations._repr_html_()
    for words in (trace.answer[both.start : both.end], "4–30; ", "“Ice had formed in the fuel line”", "Log, page 2"):
        assert words in shown, words
    assert "fuel line." in str(trace.citations)


def test_what_was_not_told_is_not_guessed(ws):
    with ws.record(QUESTION) as run:
        run.looked_at([SEAL, NOTE])
        run.answer(SEAL)
    assert [one.state for one in ws.traces.load(run.iri).retrieved] == [USED, UNUSED]
    with ws.record(QUESTION) as run:
        run.looked_at([SEAL, NOTE, LUNCH])
        run.kept([SEAL, NOTE])
        run.answer(SEAL)
    assert [one.state for one in ws.traces.load(run.iri).retrieved] == [USED, KEPT, LEFT]
    with ws.record(QUESTION) as run:
        run.looked_at([SEAL, NOTE])
        run.prompt(SEAL)
        run.answer(SEAL)
    trace = ws.traces.load(run.iri)
    assert [one.state for one in trace.retrieved] == [USED, NOT_GIVEN]
    assert [one.model for one in trace.steps] == [None] * 3
    assert trace.outcome is None


def test_an_agent_with_tools_searches_and_runs_within(ws):
    with ws.record(QUESTION, pipeline="LangGraph") as run:
        with run.step("tool", name="search", arguments='{"q": "pump", "api_key": "x1y2z3"}') as step:
            step.looked_at([(SEAL, 0.8), (LUNCH, 0.1)])
            step.done({"found": 2})
        with pytest.raises(ValueError, match="no network"), run.step("tool", name="weather"):
            raise ValueError("no network")
        run.looked_at([NOTE], query="seals")
        with run.nested("Who is Jo Berg?") as inner:
            inner.looked_at([NOTE])
            inner.answer("Jo Berg is the captain.")
        run.answer(SEAL)
    trace = ws.traces.load(run.iri)
    assert ws.verify().nothing.startswith("1 run checked, no fault found.")
    steps = [one for one in trace.dag.entities.values() if isinstance(one, e.Analysis)]
    assert [(one.action, json.loads(one.arguments)) for one in steps] == [
        ("search", {"q": "pump", "api_key": "[masked]"}),
        ("weather", {}),
    ]
    failed = [one.error for one in trace.dag.entities.values() if isinstance(one, e.Observation)]
    assert failed == [None, "ValueError: no network"]
    asked = [one.query for one in trace.dag.entities.values() if isinstance(one, e.Question)]
    assert asked == [QUESTION, "seals", "Who is Jo Berg?"]
    assert [one.state for one in trace.retrieved if one.passage.text == SEAL] == [USED]
    assert isinstance(trace.dag.final.entity, e.Conclusion)


def test_a_passage_stands_in_the_document_here_that_has_its_words(ws, tmp_path):
    (tmp_path / "log.md").write_text(f"# Log\n\n{LUNCH}\n\n# April\n\nOn  that\nday {SEAL}\n")
    ws.ingest(tmp_path, progress=False)
    with ws.record(QUESTION) as run:
        run.looked_at(
            [" ".join(f"that day {SEAL}".split()), {"text": NOTE, "source": "https://example.org/n.pdf", "page": "4"}]
        )
        run.answer(SEAL)
    here, own = (one.passage for one in ws.traces.load(run.iri).retrieved)
    assert ws.text(here.document)[here.start : here.end] == here.text == f"that\nday {SEAL}"
    assert (here.title, here.section) == ("Log", "April")
    assert (own.title, own.page, own.source, own.extracted_by) == (
        "https://example.org/n.pdf",
        4,
        "https://example.org/n.pdf",
        "pipeline",
    )
    assert [str(found) for found in ws.verify()] == []
    assert ws.size.documents == 1
    assert "Bergen" not in ws.run("Where was the spare seal ordered?").answer  # a run is no knowledge


def test_a_provider_is_taken_at_its_word_and_compared(ws):
    def cited(quoted, index):
        block = {"type": "char_location", "cited_text": quoted, "document_index": index, "document_title": None,
                 "start_char_index": 0, "end_char_index": len(quoted)}  # fmt: skip
        return {"role": "assistant", "content": [{"type": "text", "text": SEAL, "citations": [block]}]}

    def agreement(reply):
        with ws.record(QUESTION) as run:
            run.looked_at([SEAL, LUNCH])
            run.answer(reply)
        [one] = ws.traces.load(run.iri).citations
        return one.said_by, one.agreement, len(one.cites), len(one.aligned)

    assert agreement(cited(SEAL[:40], 0)) == ("Anthropic", "agrees", 1, 0)
    assert agreement(cited(LUNCH[:20], 1)) == ("Anthropic", "points elsewhere", 2, 1)
    assert agreement(cited("words that stand nowhere", 0)) == ("Anthropic", "no such words", 1, 0)


def test_how_a_run_ends(ws):
    async def cancelled():
        async with ws.record(QUESTION) as run:
            run.looked_at([SEAL])
            raise asyncio.CancelledError

    def failing():
        with ws.record(QUESTION) as run:
            run.looked_at([SEAL])
            raise ZeroDivisionError("sk-abcdefghijklmnopqrst")

    with pytest.raises(ZeroDivisionError):
        failing()
    assert ws.traces.load(ws.traces.list()[0].iri).dag.done.error == "ZeroDivisionError: [masked]"
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(cancelled())
    with ws.record(QUESTION) as run:
        run.write("Ada Sm")
    with ws.record(QUESTION):
        pass
    assert [one.reason for one in ws.traces.list()] == ["stopped", "stopped", "stopped", "error"]
    assert [str(found) for found in ws.verify()] == []


@each(("words", "tell"), [
    ("as a list", lambda ws: ws.record(QUESTION).looked_at(SEAL)),
    ("no text", lambda ws: ws.record(QUESTION).answer({"foo": 1})),
    ("has none", lambda ws: ws.record(QUESTION).looked_at([{"title": "x"}])),
    ("2 passages and 1 score: give", lambda ws: ws.record(QUESTION).looked_at([SEAL, NOTE], scores=[1])),
    ("`looked_at` before `kept`", lambda ws: ws.record(QUESTION).kept([SEAL])),
    ("no words", lambda ws: ws.record("  ")),
    ("name of a pipeline", lambda ws: ws.record(QUESTION, pipeline="graph-rag")),
])  # fmt: skip
def test_what_is_told_wrongly_is_refused_before_anything_is_written(ws, words, tell):
    with pytest.raises(QuestionError, match=re.escape(words)):
        tell(ws)
    assert ws.traces.list() == []


def test_what_comes_out_of_order_is_refused_in_a_sentence(ws):
    run = ws.record(QUESTION)
    run.looked_at([SEAL])
    with pytest.raises(QuestionError, match="none of the passages looked at"):
        run.kept([NOTE])
    run.answer(SEAL)
    with pytest.raises(QuestionError, match="has its answer"):
        run.answer(SEAL)
    run.end()
    run.end()
    with pytest.raises(QuestionError, match="can't ask it again"):
        ws.rerun(run.iri)
    with pytest.raises(QuestionError, match="can't ask it again"):
        ws.influence(run.iri, "passages", progress=False)


def test_many_threads_and_much_text(ws):
    with ws.record(QUESTION, pipeline="threads") as run:
        run.step("tool", name="begin", result="on")
        threads = [threading.Thread(target=lambda n=n: run.step("tool", name=f"t{n}", result=n)) for n in range(8)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        run.looked_at(
            ["word " * 200_000, *(f"Passage number {n} of a thousand is about pump {n}." for n in range(1_000))]
        )
        run.answer("Passage number 77 of a thousand is about pump 77.")
    trace = ws.traces.load(run.iri)
    assert sum(isinstance(one, e.Observation) for one in trace.dag.entities.values()) == 9
    assert [one.passage.text for one in trace.retrieved if one.state == USED] == [trace.answer]
    assert [str(found) for found in ws.verify()] == []


def test_the_passages_that_a_run_brought_go_with_it_and_come_back(ws):
    first, second = told(ws), told(ws)
    ws.traces.delete(first.iri)
    assert len(ws.traces.load(second.iri).retrieved) == 3
    gone = ws.traces.delete(second.iri)
    left = [row["iri"] for row in ws.stores.database.rows("SELECT iri FROM contents")]
    assert left == []
    ws.traces.restore(type(gone).from_json(gone.to_json()))
    assert [one.state for one in ws.traces.load(second.iri).retrieved] == [USED, GIVEN, LEFT]


def test_those_who_watch_see_it_from_the_beginning_to_the_end(ws):
    seen = []

    def watch(question, events):
        thread = threading.Thread(target=lambda: seen.extend((question, event) for event in events))
        thread.start()
        seen.append(thread)

    trace = told(ws, watch=watch)
    seen.pop(0).join()
    assert {question for question, _ in seen} == {QUESTION}
    assert [event.iri for _, event in seen if hasattr(event, "triples")] == [
        event.iri for event in trace.events if hasattr(event, "triples")
    ]
    assert seen[-1][1].reason == "done"
