from contextlib import contextmanager

import pytest

import explorer
from explorer.dag.outcome import taken_back
from explorer.dag.sentences import sentences
from explorer.entities import Candidate, EdgeSelection
from explorer.rdf.labels import edge_labels
from explorer.wording.outcomes import stands
from tests.each import each
from tests.server import KEY, lines, rows, says, serving

TEXT = "Globe Industries made the fan motors. The fan motors ran at 28 volts.\n"
MILL = "Ann Webb founded the mill, and Tom Wilk ran the ferry.\n"
QUESTION = "Who made the fan motors?"


@contextmanager
def holding(folder, *texts):
    """A workspace with a document of each text."""
    for number, text in enumerate(texts):
        (folder / f"{number}.txt").write_text(text)
    with explorer.open() as opened:
        opened.ingest(folder, progress=False)
        yield opened


@pytest.fixture
def ws(tmp_path):
    with holding(tmp_path, TEXT) as opened:
        yield opened


def made(ws):
    return next(fact for fact in ws.facts() if "made" in fact.words[1])


def correct(ws):
    """Have a person put down another maker."""
    wrong = made(ws)
    ws.add_fact("Acme Works", wrong.triple.predicate, wrong.triple.object, wrong.passages[0], by="Ada")
    ws.retract(wrong, by="Ada")


def founded(ws):
    return next(fact for fact in ws.facts() if "founded" in fact.words[1])


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
    assert ws.run(QUESTION).support.sure
    correct(ws)
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
    texts = (
        "The pump was made by Acme Works in Lund. Nobody dusts the hall.\n",
        "Ann Webb made the pump. It is red.\n",
    )
    with holding(tmp_path, *texts) as ws:
        assert "Ann Webb made the pump." in ws.run("Who made the pump?").answer
        ws.retract(next(fact for fact in ws.facts() if fact.words[0] == "Ann Webb"))
        answer = ws.run("Who made the pump?").answer
        assert answer.startswith("The pump was made by Acme Works in Lund.")
        assert "Ann Webb made the pump." not in answer


@each("engine", ["graph-rag", "document-rag"])
def test_what_was_taken_back_does_not_answer_though_it_says_just_what_is_asked_nor_is_another_possible(
    tmp_path, engine
):
    text = "Ann Webb founded the mill. Tom Wilk bought the mill in 1990. It has two wheels.\n"
    with holding(tmp_path, text) as ws:
        assert ws.run("Who founded the mill?", engine).support.sure
        ws.retract(founded(ws))
        trace = ws.run("Who founded the mill?", engine)
        assert "Ann Webb founded the mill." not in trace.answer
        assert trace.support.level == "weak"


def test_what_else_a_sentence_says_is_quoted_with_what_was_taken_back_of_it(tmp_path):
    with holding(tmp_path, MILL) as ws:
        ws.retract(founded(ws))
        answer = ws.run("Who ran the ferry?").answer
        assert answer.startswith("Ann Webb founded the mill, and Tom Wilk ran the ferry. (Retracted by hand on ")
        assert "Tom Wilk ran" not in ws.run("Who founded the mill?").answer


@pytest.mark.parametrize("engine", ["graph-rag", "document-rag"])
def test_a_past_answer_is_not_sure_any_more_once_its_fact_was_retracted(ws, engine):
    trace = ws.run(QUESTION, engine)
    assert ws.traces.list()[0].support.sure
    ws.retract(made(ws))
    assert ws.traces.list()[0].support.level == "strong"
    ws.undo(ws.curations[0])
    assert ws.traces.list()[0].support.sure
    ws.retract(made(ws))
    again = ws.traces.load(trace.iri)
    assert trace.support.sure
    assert not again.support.sure


def test_where_passages_alone_are_read_the_corrected_fact_answers_too_and_cites_what_it_corrects(ws):
    correct(ws)
    trace = ws.run(QUESTION, "document-rag")
    assert trace.answer.startswith("Acme Works made fan motors. (Corrected by hand on ")
    assert "by Ada: “Globe Industries made fan motors” is “Acme Works made fan motors” now)" in trace.answer
    assert "Globe Industries made the fan motors." not in trace.answer
    (cited,) = trace.citations[0].cites
    assert TEXT.strip() in trace.dag.node(cited).passages[0].text
    again = ws.traces.load(trace.iri)
    assert again.answer == trace.answer
    assert not again.dag.curated
    assert "no fault found" in str(ws.verify(trace.iri))


@pytest.mark.parametrize("engine", ["graph-rag", "document-rag"])
def test_a_sentence_of_which_a_fact_was_misread_is_quoted_as_before_and_its_other_facts_keep_their_reasons(
    tmp_path, engine
):
    text = "Ann Webb founded the mill in Lund, and Tom Wilk ran the ferry. It has two wheels.\n"
    with holding(tmp_path, text) as ws:
        before = ws.run("Who founded the mill?", engine)
        wrong = founded(ws)
        right = ws.add_fact("Ann Webb", wrong.triple.predicate, "mill in Lund", wrong.passages[0], instead_of=wrong)
        trace = ws.run("Who founded the mill?", engine)
        quoted, _, note = trace.answer.partition(" (")
        assert quoted == before.answer
        assert note.startswith("Corrected by hand on ")
        assert note.endswith(": “Ann Webb founded mill” is “Ann Webb founded mill in Lund” now.)")
        assert before.outcome == trace.outcome == ws.traces.load(trace.iri).outcome == "answered"
        assert trace.citations[0].places
        assert stands(trace.dag, trace.dag.final) == "Answered: a quoted sentence states it"
        if engine == "graph-rag":
            assert {trace.dag.entities[one].edge for one in trace.citations[0].cites} == {right.triple}
            assert "corrected" not in " ".join(reasons(trace).values())


def reasons(trace):
    """Why each fact that was kept or left was, by its words."""
    told = {}
    for one in trace.dag.entities.values():
        if isinstance(one, EdgeSelection | Candidate):
            told[" ".join(edge_labels(one.edge, trace.dag.labels))] = (
                getattr(one, "not_selected", None) or one.reasoning
            )
    return told


def test_a_fact_beside_one_that_was_retracted_says_why_its_sentence_is_not_quoted(tmp_path):
    with holding(tmp_path, MILL) as ws:
        ws.retract(founded(ws), by="Ada")
        why = reasons(ws.run("Who founded the mill?"))["Tom Wilk ran ferry"]
        assert "Not quoted, since another fact of its sentence was corrected. Retracted by hand on " in why
        assert why.endswith(" by Ada: “Ann Webb founded mill”.")


@pytest.mark.parametrize(("of", "is_said"), [("Kim Lund", True), ("Leo Falk", False)])
def test_a_sentence_is_said_not_to_be_quoted_only_where_it_would_have_been(tmp_path, of, is_said):
    text = (
        "Ann Webb sold the pump. Tom Wilk liked the pump very much. Kim Lund saw the pump. "
        "The pump was painted red by Ida Berg. Leo Falk cleaned the pump once.\n"
    )
    with holding(tmp_path, text) as ws:
        fact = next(fact for fact in ws.facts() if fact.words[0] == of)
        assert (fact.passages[0].text in ws.run("Who made the pump?").answer) == is_said
        ws.retract(fact)
        assert ("is not quoted" in ws.run("Who made the pump?").answer) == is_said


def test_a_fact_put_in_quite_other_words_is_said_to_be_corrected_wherever_it_stands_however_often_that_was(tmp_path):
    with holding(tmp_path, "Globe made the pump.\n", "Globe made the pump.\n\nNobody was there.\n") as ws:
        wrong = made(ws)
        for words in (("Acme", "sold", "the big valve"), ("Beech Works", "owns", "a mill")):
            wrong = ws.add_fact(*words, instead_of=wrong)
        said = [one.said for found in ws.sources.corrections.values() for one in found]
        assert len(said) == 2
        for one in said:
            assert one.startswith("Corrected by hand on "), one
            assert one.endswith(": “Globe made pump” is “Beech Works owns a mill” now."), one


def test_what_was_taken_back_is_said_of_its_sentence_alone_and_no_more_once_that_is_undone(ws):
    ws.retract(made(ws))
    answer = ws.run(QUESTION).answer
    assert (
        "(A sentence on this is not quoted, since a person corrected a fact that was read from it. Retracted by hand"
        in answer
    )
    assert "“Globe Industries made fan motors”.)" in answer
    ws.undo(ws.curations[0])
    assert "by hand" not in ws.run(QUESTION).answer
    ws.retract(made(ws))
    assert "by hand" not in ws.run("At what voltage did the fan motors run?").answer


@pytest.mark.parametrize(
    ("text", "outcome"), [(TEXT, "unsure"), ("Globe Industries made the fan motors.\n", "not found")]
)
def test_an_answer_that_tells_of_a_correction_says_so_once_that_is_undone(tmp_path, text, outcome):
    with holding(tmp_path, text) as ws:
        act = ws.retract(made(ws), by="Ada")
        trace = ws.run(QUESTION)
        assert trace.outcome == outcome
        assert "Retracted by hand on " in trace.answer
        since, before, report = told(ws, trace)
        assert since == ""
        assert "undone" not in before + report
        ws.undo()
        since, *now = told(ws, trace)
        assert since == "undone"
        for one in now:
            assert "correction undone since" in one, one
        ws.retract(act, by="Ada")
        assert told(ws, trace) == ("", before, report)


def told(ws, trace):
    """What became of a run, as the list, its answer and its report say it."""
    again = ws.traces.load(trace.iri)
    [row] = ws.traces.list(QUESTION, limit=1)
    return row.since, stands(again.dag, again.dag.final), ws.report(trace, format="md")


def replies(answer):
    """Reply to each prompt of a search: concepts, scores, reasons, and this answer."""

    def reply(request):
        asked = request["messages"][0]["content"]
        if "what to look up" in asked:
            return says("fan motors")
        if "Score it from 1" in asked:
            return lines([{"id": row["id"], "score": 9 - n % 2} for n, row in enumerate(rows(request))])
        if "say why facts" in asked:
            return lines([{"id": row["id"], "reasoning": "It is about them."} for row in rows(request)])
        return says(answer)

    return reply


@pytest.fixture
def asked(ws):
    """Ask a model that gives an answer; return the run and the last prompt."""

    def ask(answer, engine="document-rag", question=QUESTION):
        with serving(replies(answer)) as server:
            ws.connect("asked-1", base_url=server.url, api_key=KEY)
            ws.check = False
            trace = ws.run(question, engine, model="asked-1")
            return trace, server.asked[-1]

    return ask


def test_a_model_is_told_what_was_taken_back_and_keeps_the_rest_of_the_passage(ws, asked):
    _, before = asked("The fan motors ran at 28 volts [1].")
    assert "taken_back" not in str(before)
    ws.retract(made(ws), by="Ada")
    trace, prompt = asked("The fan motors ran at 28 volts [1].")
    (row,) = rows(prompt)
    (told,) = row["taken_back"]
    assert told["words"] == "Globe Industries made the fan motors."
    assert told["done"].startswith("Retracted by hand on ")
    assert told["done"].endswith(" by Ada: “Globe Industries made fan motors”.")
    assert " ".join(row["sentences"].values()) == TEXT.strip()
    assert "Do not state as so what was taken back" in prompt["messages"][0]["content"]
    written = [ws.text(key) for key in trace.dag.final.entity.prompt]
    assert any('"taken_back": [{"words": "Globe Industries made the fan motors."' in text for text in written)
    assert trace.answer == "The fan motors ran at 28 volts."
    assert not any(taken_back(trace.dag, one) for one in trace.citations)


def test_a_note_on_a_correction_is_no_sentence_to_judge_and_those_after_it_keep_their_iris(tmp_path):
    with holding(tmp_path, f"{MILL.strip()} The mill has two wheels.\n") as ws:
        ws.retract(founded(ws))
        trace = ws.run("Who ran the ferry, and how many wheels has the mill?")
        assert ". (Retracted by hand on " in trace.answer
        told = sentences(trace.dag, trace.dag.final.entity)
        assert [one.text for one in told] == [MILL.strip(), "The mill has two wheels."]
        assert [one.iri.rpartition("-")[2] for one in told] == ["1", "3"]
        assert ws.traces.judge(told[1].iri, "supported").quote == "The mill has two wheels."
        assert ws.traces.judge(trace, "unclear", sentence=2).target == told[1].iri


def test_a_model_is_told_with_a_fact_what_was_taken_back_of_its_sentence(tmp_path):
    with holding(tmp_path, MILL) as ws, serving(replies("Ann Webb founded the mill [1].")) as server:
        ws.connect("asked-1", base_url=server.url, api_key=KEY)
        ws.check = False
        ws.retract(founded(ws))
        trace = ws.run("Who founded the mill?", model="asked-1", selector="reasoning")
        row = next(row for row in rows(server.asked[-1]) if row.get("p") == "ran")
        assert row["text"] == MILL.strip()
        assert row["taken_back"][0]["done"].endswith(": “Ann Webb founded mill”.")
        assert "(Retracted by hand on " in trace.answer
        assert taken_back(trace.dag, trace.citations[0]).startswith("Retracted by hand on ")


def test_a_model_that_says_what_was_taken_back_is_contradicted_in_its_answer_and_at_its_sentence(ws, asked):
    ws.retract(made(ws), by="Ada")
    trace, _ = asked("Globe Industries made them [1]. The fan motors ran at 28 volts [1].")
    assert "volts. (Retracted by hand on " in trace.answer
    assert trace.answer.endswith(" by Ada: “Globe Industries made fan motors”.)")
    again = ws.traces.load(trace.iri)
    for run in (trace, again):
        marked = [taken_back(run.dag, one) for one in run.citations]
        assert marked[0].startswith("Retracted by hand on ")
        assert not any(marked[1:])
    assert len(trace.citations) == 2
    ws.undo(ws.curations[0])
    assert not any(taken_back(ws.traces.load(trace.iri).dag, one) for one in again.citations)


def test_a_model_is_told_what_holds_in_the_place_of_what_was_corrected(ws, asked):
    correct(ws)
    trace, prompt = asked("Acme Works made them [1].")
    (row,) = (row for row in rows(prompt) if "taken_back" in row)
    assert row["taken_back"][0]["done"].endswith(
        "“Globe Industries made fan motors” is “Acme Works made fan motors” now."
    )
    assert trace.answer == "Acme Works made them."
    assert not any(taken_back(trace.dag, one) for one in trace.citations)
