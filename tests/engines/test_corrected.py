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


@pytest.mark.parametrize("engine", ["graph-rag", "document-rag"])
def test_an_answer_says_that_a_fact_of_what_it_quotes_was_corrected(ws, engine):
    before = made(ws)
    ws.add_fact("Acme Works", before.triple.predicate, before.triple.object, before.passages[0], by="Ada")
    ws.retract(before, by="Ada")
    trace = ws.run(QUESTION, engine)
    assert "Globe Industries made the fan motors. (Corrected by hand on " in trace.answer
    assert "by Ada: “Globe Industries made fan motors” is “Acme Works made fan motors” now.)" in trace.answer
    assert ws.traces.load(trace.iri).answer == trace.answer


def test_what_was_taken_back_is_said_and_no_more_once_that_is_undone(ws):
    ws.retract(made(ws))
    answer = ws.run(QUESTION).answer
    assert "(Retracted by hand on " in answer
    assert "“Globe Industries made fan motors”.)" in answer
    ws.undo(ws.curations[0])
    assert "by hand" not in ws.run(QUESTION).answer


def test_a_sentence_without_a_corrected_fact_is_quoted_alone(ws):
    ws.retract(made(ws))
    assert "by hand" not in ws.run("At what voltage did the fan motors run?").answer
