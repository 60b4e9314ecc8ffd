"""The list of runs and its filters: text, engine, model, time, problems."""

import re

import pytest

import explorer
from explorer.errors import RecordError
from explorer.models.chat import NO_MODEL
from explorer.record.recovery import rebuild_listing
from explorer.vocab import session_of
from tests.corpus import QUESTIONS, filled
from tests.script import Script


@pytest.fixture(scope="module")
def ws():
    with filled() as opened:
        opened.run(QUESTIONS[1])
        opened.run(QUESTIONS[3], "document-rag")
        opened.chat = Script({"document-prompt": "Globe Industries did [1]."})
        opened.run("Who made the motors?")
        opened.chat = Script({"agent-react": ["Action: missing\nArgs: {}", "Final Answer: Never mind."]})
        opened.run("What is wrong?", "agent", pattern="react")
        opened.chat = None
        events = opened.ask(QUESTIONS[2])
        next(events)
        events.close()
        yield opened


def asked(found):
    return [summary.question for summary in found]


def test_a_row_says_what_became_of_the_run(ws):
    stopped, agent, motors, declined, done = ws.traces.list()
    assert (done.engine, done.model, done.reason, done.failed) == ("graph-rag", NO_MODEL, "done", 0)
    assert done.kept == len(ws.traces.load(done.iri).edges)
    assert (declined.engine, declined.reason) == ("document-rag", "declined")
    assert (motors.model, motors.reason) == ("stub-llm-1", "done")
    assert (agent.engine, agent.failed, agent.reason, agent.outcome) == ("agent", 1, "declined", "not found")
    assert agent.kept is None
    assert (agent.pattern, done.pattern) == ("react", None)
    assert (stopped.reason, stopped.kept) == ("stopped", None)


def test_text_is_found_in_answers_too_and_is_text_alone(ws):
    assert asked(ws.traces.list("globe industries did")) == ["Who made the motors?"]
    assert asked(ws.traces.list("MAYOR")) == [QUESTIONS[3]]
    texts = ("globe industries did", "who made", "")
    assert [one.found for text in texts for one in ws.traces.list(text, limit=1)] == ["its answer", "", ""]
    assert ws.traces.list("%") == ws.traces.list("'; DROP TABLE traces; --") == []


def test_text_is_found_in_what_was_kept_or_only_read_and_in_its_sources_and_is_shown_there():
    with filled() as ws:
        fact, within = ws.run(QUESTIONS[1]), ws.run(QUESTIONS[1], "agent", pattern="react")
        passage, other = ws.run(QUESTIONS[1], "document-rag"), ws.run("What is it?")
        title = fact.passages[fact.edges[0].iri][0].title
        words = "switches failed because of Ground"
        for text, runs in ((words, {fact, within}), (title, {fact, within, passage})):
            found = {one.iri: one for one in ws.traces.list(text)}
            for run in runs:
                where = found[run.iri].found
                known = (
                    "(a fact|a passage|the (source of a fact|title of a source)) it kept|.* beside the cited sentence"
                )
                assert re.fullmatch(known, where), (run, where)
            marked = [re.findall(r"\w+", one.snippet.words.casefold()) for one in found.values()]
            assert marked == [text.casefold().split()] * len(found)
            assert re.search("(passage it read|it only read)$", found[other.iri].found)
        assert ws.traces.list("welded xylophone") == []


@pytest.mark.parametrize("engine", ["graph-rag", "document-rag"])
def test_words_beside_a_cited_sentence_are_said_to_stand_there(tmp_path, engine):
    (tmp_path / "a.txt").write_text("Ann Webb founded the mill. A xylophone stood by the wheel.\n")
    (tmp_path / "b.txt").write_text("Nobody wrote of the mill. Trombones were played on Sundays.\n")
    with explorer.open() as ws:
        ws.ingest(tmp_path, progress=False)
        ws.run("Who founded the mill?", engine)
        for words, where in (
            ("xylophone", "a passage it cites, beside the cited sentence"),
            ("Ann Webb", "its answer"),
            ("Trombones", f"a passage it {'read' if engine == 'graph-rag' else 'kept'}"),
        ):
            assert [one.found for one in ws.traces.list(words)] == [where], words


def test_runs_are_listed_in_an_order(ws):
    newest = asked(ws.traces.list())
    assert asked(ws.traces.list(order="oldest")) == newest[::-1]
    assert asked(ws.traces.list(order="oldest", limit=1)) == newest[-1:]
    assert asked(ws.traces.list(order="question", limit=3)) == sorted(newest, key=str.casefold)[:3]
    assert [one.outcome for one in ws.traces.list(order="outcome")][-1] is None
    with pytest.raises(RecordError, match="newest, oldest, question, outcome"):
        ws.traces.list(order="size")


def test_a_run_is_named_in_short_and_runs_are_tagged_together():
    with filled() as ws:
        runs = [ws.run(question) for question in QUESTIONS[:3]]
        ws.traces.annotate(runs[0].iri, name="First", tags=["old"])
        ws.traces.tag("seen", *runs[:2])
        ws.traces.tag("SEEN", runs[0])
        assert [(one.name, one.tags) for one in ws.traces.list(order="oldest")] == [
            ("First", ("old", "seen")), (None, ("seen",)), (None, ())]  # fmt: skip
        with pytest.raises(RecordError, match="no trace"):
            ws.traces.tag("other", runs[2], "urn:none")
        assert ws.traces.tags() == ["old", "seen"]
        session = session_of(runs[1].iri)
        assert {ws.traces.named(part) for part in (session[:8], session[-6:], runs[1].iri)} == {runs[1].iri}
        for short, said in (("", "No run"), ("zz", "No run")):
            with pytest.raises(RecordError, match=said):
                ws.traces.named(short)


def test_runs_are_told_apart_by_model(ws):
    assert asked(ws.traces.list(model="stub-llm-1")) == ["What is wrong?", "Who made the motors?"]
    assert asked(ws.traces.list(model=NO_MODEL)) == [QUESTIONS[2], QUESTIONS[3], QUESTIONS[1]]
    assert ws.traces.models() == ["stub-llm-1"]


def test_runs_with_problems_are_those_that_broke_off_or_had_a_failed_step(ws):
    assert asked(ws.traces.list(problems=True)) == [QUESTIONS[2], "What is wrong?"]
    assert asked(ws.traces.list(problems=False)) == ["Who made the motors?", QUESTIONS[3], QUESTIONS[1]]


def test_runs_are_found_by_the_verdicts_that_stand():
    with filled() as ws:
        one, other = (ws.run(question) for question in QUESTIONS[:2])
        ws.traces.judge(one, "unclear", sentence=1, by="Ada")
        ws.traces.judge(one, "not supported", sentence=1, by="Ada")
        ws.traces.judge(other, "supported", sentence=1, by="Ada")
        found = [[run.iri for run in ws.traces.list(text)] for text in ("Not supported", "supported", "unclear")]
        assert found == [[one.iri], [other.iri], []]
        assert ws.traces.list("not supported")[0].found == "what people wrote at it"


def test_runs_are_told_apart_by_who_asked(monkeypatch):
    monkeypatch.delenv("EXPLORER_USER", raising=False)
    with filled() as ws:
        ws.run(QUESTIONS[0], by="Ada")
        ws.run(QUESTIONS[1])
        ws.run(QUESTIONS[2], "agent", by="Åsa Ö/é")
        ws.run(QUESTIONS[0], "document-rag", by="Ada")
        ws.traces.annotate(ws.traces.list(by="Ada")[0].iri, tags=["seen"])
        assert [one.by for one in ws.traces.list()] == ["Ada", "Åsa Ö/é", None, "Ada"]
        assert ws.traces.people() == ["Ada", "Åsa Ö/é"]
        assert asked(ws.traces.list(by="Åsa Ö/é")) == [QUESTIONS[2]]
        assert [one.engine for one in ws.traces.list(by="ada")] == ["document-rag", "graph-rag"]
        assert asked(ws.traces.list(by="Ada", tag="seen", engine="document-rag")) == [QUESTIONS[0]]
        assert ws.traces.list(by="Ada", text="nobody asked this") == []
        assert ws.traces.list(by="Somebody") == []
        assert "Asked by" in ws.traces.list()._repr_html_()


def test_a_date_as_the_end_stands_for_its_whole_day(ws):
    assert len(ws.traces.list(until="2026-01-15")) == len(ws.traces.list(since="2026-01-15")) == 5
    assert ws.traces.list(until="2026-01-14") == ws.traces.list(since="2026-01-16") == []
    middle = ws.traces.list()[2].started_at
    assert len(ws.traces.list(until=middle)) == 3
    assert asked(ws.traces.list(since=middle, until=middle)) == ["Who made the motors?"]
    with pytest.raises(RecordError, match="'soon' is not a time"):
        ws.traces.list(until="soon")


def test_the_rows_are_rebuilt_from_the_record_as_they_were(ws):
    before = ws.traces.list()
    for damage in (
        "DELETE FROM listing",
        f"DELETE FROM listing WHERE iri = '{before[1].iri}'",
        f"UPDATE listing SET reason = NULL WHERE iri = '{before[2].iri}'",
        "INSERT INTO listing VALUES ('urn:trustgraph:question:gone', 'x', 'x', 'x', '', NULL, '', NULL, 0, NULL)",
    ):
        with ws.traces.stores.database.writing() as connection:
            connection.execute(damage)
        rebuild_listing(ws.stores)
        assert ws.traces.list() == before, damage
    assert asked(ws.traces.list("globe industries did")) == ["Who made the motors?"]
