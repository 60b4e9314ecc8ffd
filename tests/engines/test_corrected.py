import pytest

import explorer

TEXT = "Globe Industries made the fan motors. The fan motors ran at 28 volts.\n"
QUESTION = "Who made the fan motors?"


@pytest.fixture
def ws(tmp_path):
    (tmp_path / "motors.txt").write_text(TEXT)
    with explorer.open() as opened:
        opened.ingest(tmp_path, progress=False)
        yield opened


def made(ws):
    return next(fact for fact in ws.facts() if "made" in fact.words[1])


def test_what_people_put_down_answers(ws):
    assert "Acme" not in ws.run("Who paid for the fan motors?").answer
    fact = ws.add_fact("Acme Works", "paid for", "fan motors", by="Ada")
    trace = ws.run("Who paid for the fan motors?")
    assert trace.answer.startswith("Acme Works paid for fan motors. (added by hand on ")
    assert "by Ada)" in trace.answer
    assert trace.support.sure
    (cited,) = trace.citations[0].cites
    assert trace.dag.entities[cited].edge == fact.triple
    assert ws.traces.load(trace.iri).answer == trace.answer
    assert "no fault found" in str(ws.verify(trace.iri))
    ws.retract(fact)
    assert "Acme" not in ws.run("Who paid for the fan motors?").answer


def test_a_fact_without_a_verb_answers_as_a_sentence(ws):
    ws.add_fact("Globe Industries", "telephone number", "0800 555 0172")
    answer = ws.run("What is the telephone number of Globe Industries?").answer
    assert answer.startswith("The telephone number of Globe Industries is 0800 555 0172. (added by hand on ")


def test_the_corrected_fact_answers_in_place_of_the_words_that_were_wrong(ws):
    before = made(ws)
    assert ws.run(QUESTION).support.sure
    ws.add_fact("Acme Works", before.triple.predicate, before.triple.object, before.passages[0], by="Ada")
    ws.retract(before, by="Ada")
    trace = ws.run(QUESTION)
    assert trace.answer.startswith("Acme Works made fan motors. (added by hand on ")
    assert trace.support.sure


@pytest.mark.parametrize("engine", ["graph-rag", "document-rag"])
def test_words_of_a_retracted_fact_do_not_answer_until_that_is_undone(ws, engine):
    before = ws.run(QUESTION, engine)
    assert before.support.sure
    ws.retract(made(ws))
    trace = ws.run(QUESTION, engine)
    assert "Globe Industries made the fan motors." not in trace.answer
    assert trace.support.level != "strong"
    assert ws.traces.load(before.iri).answer == before.answer
    ws.undo(ws.curations[0])
    assert ws.run(QUESTION, engine).answer == before.answer


def test_another_sentence_answers_in_place_of_the_one_that_was_taken_back(tmp_path):
    (tmp_path / "a.txt").write_text("The pump was made by Acme Works in Lund. Nobody dusts the hall.\n")
    (tmp_path / "b.txt").write_text("Ann Webb made the pump. It is red.\n")
    with explorer.open() as ws:
        ws.ingest(tmp_path, progress=False)
        assert "Ann Webb made the pump." in ws.run("Who made the pump?").answer
        ws.retract(next(fact for fact in ws.facts() if fact.words[0] == "Ann Webb"))
        answer = ws.run("Who made the pump?").answer
        assert answer.startswith("The pump was made by Acme Works in Lund.")
        assert "Ann Webb made the pump." not in answer


def test_what_else_a_sentence_says_is_quoted_with_what_was_taken_back_of_it(tmp_path):
    (tmp_path / "a.txt").write_text("Ann Webb founded the mill, and Tom Wilk ran the ferry.\n")
    with explorer.open() as ws:
        ws.ingest(tmp_path, progress=False)
        ws.retract(next(fact for fact in ws.facts() if "founded" in fact.words[1]))
        answer = ws.run("Who ran the ferry?").answer
        assert answer.startswith("Ann Webb founded the mill, and Tom Wilk ran the ferry. (Retracted by hand on ")
        assert "Tom Wilk ran" not in ws.run("Who founded the mill?").answer


@pytest.mark.parametrize("engine", ["graph-rag", "document-rag"])
def test_a_past_answer_is_not_sure_any_more_once_its_fact_was_retracted(ws, engine):
    trace = ws.run(QUESTION, engine)
    assert ws.traces.list()[0].support.sure
    ws.retract(made(ws))
    assert ws.traces.list()[0].support.mark == "possible"
    ws.undo(ws.curations[0])
    assert ws.traces.list()[0].support.sure
    ws.retract(made(ws))
    again = ws.traces.load(trace.iri)
    assert trace.support.sure
    assert not again.support.sure


def test_an_answer_says_that_a_fact_of_what_it_quotes_was_corrected(ws):
    before = made(ws)
    ws.add_fact("Acme Works", before.triple.predicate, before.triple.object, before.passages[0], by="Ada")
    ws.retract(before, by="Ada")
    trace = ws.run(QUESTION, "document-rag")
    assert "Globe Industries made the fan motors. (Corrected by hand on " in trace.answer
    assert "by Ada: “Globe Industries made fan motors” is “Acme Works made fan motors” now.)" in trace.answer
    assert ws.traces.load(trace.iri).answer == trace.answer


def test_what_was_taken_back_is_said_and_no_more_once_that_is_undone(ws):
    ws.retract(made(ws))
    answer = ws.run(QUESTION).answer
    assert "(A sentence on this is not quoted, since what it says was taken back. Retracted by hand on " in answer
    assert "“Globe Industries made fan motors”.)" in answer
    ws.undo(ws.curations[0])
    assert "by hand" not in ws.run(QUESTION).answer


def test_a_sentence_without_a_corrected_fact_is_quoted_alone(ws):
    ws.retract(made(ws))
    assert "by hand" not in ws.run("At what voltage did the fan motors run?").answer
