"""What the answer of a run hangs on: rated by leaving it out, recorded once; and runs that vary another one."""

from dataclasses import replace
from string import ascii_lowercase

import numpy as np
import pytest
from pyoxigraph import Literal, NamedNode, Triple

import explorer
from explorer.entities import Citation
from explorer.errors import QuestionError
from explorer.events import Explain
from explorer.record.influence import HELPED, NEEDED, NO_DIFFERENCE, Item, change, items_of, rated, sparse_fit
from explorer.record.trace import Trace
from explorer.stores.left_out import LeftOut
from explorer.vocab import ANNOTATION, X
from tests.each import each

TEXT = """# Pump room

The red pump cools the reactor. The blue valve feeds the red pump. The grey drain empties the basin."""
QUESTION = "What cools the reactor?"


@pytest.fixture
def ws(tmp_path):
    (tmp_path / "pump.md").write_text(TEXT, "utf-8")
    with explorer.open() as ws:
        ws.ingest(tmp_path, progress=False)
        yield ws


def double(number: float) -> float:
    """Double a number."""
    return 2 * number


class Answers:
    """Stands in for a run with an answer."""

    def __init__(self, answer, reason="done"):
        self.answer, self.reason, self.model, self.citations = answer, reason, None, ()


def test_a_run_that_varies_another_says_which_and_what_it_left_out(ws):
    run = ws.run(QUESTION, edge_limit=3)
    facts = [edge.edge for edge in run.edges]
    other = ws.rerun(run, without=[run.edges[0]])
    question, first = other.dag.entities[other.iri], run.dag.entities[run.iri]
    assert (question.varies, question.without_facts) == (run.iri, tuple(facts[:1]))
    assert (question.query, question.parameters, question.reasoner) == (QUESTION, first.parameters, first.reasoner)
    assert facts[0] not in [edge.edge for edge in other.edges]
    both = ws.rerun(other.iri, without=facts[1:2])
    assert set(both.dag.entities[both.iri].without_facts) == set(facts[:2]), "what both leave out"


def test_a_run_is_asked_again_alike_and_what_the_record_lacks_for_it_is_named(ws):
    for engine in ("graph-rag", "document-rag", "agent"):
        run = ws.run(QUESTION, engine)
        again = ws.rerun(run)
        assert (again.answer, again.reason) == (run.answer, run.reason)
        assert again.dag.entities[again.iri].varies == run.iri
    run = ws.run(QUESTION, "agent", tools=[double])
    with pytest.raises(QuestionError, match=r"pass tools=\[double\]"):
        ws.rerun(run)
    assert ws.rerun(run, tools=[double]).answer == run.answer
    other = ws.run(QUESTION)
    question = replace(other.dag.entities[other.iri], engine=None)
    with pytest.raises(QuestionError, match="its engine and limits are not on record"):
        ws.rerun(Trace([Explain(other.iri, tuple(explorer.rdf.triples(question)))]))


def test_every_fact_is_rated_and_the_one_that_answers_matters_most(ws):
    run = ws.run(QUESTION)
    found = ws.influence(run)
    assert {one.what for one in found.ratings} == {edge.edge for edge in run.edges}
    assert [item.what for item in items_of(run, "facts")] == [edge.edge for edge in run.edges]
    best = found.ratings[0]
    assert "cools" in best.name
    assert best.cited
    assert best.verdict in {NEEDED, HELPED}
    assert [one.change for one in found.ratings] == sorted((one.change for one in found.ratings), reverse=True)
    assert (found.method, found.reruns) == ("leave-one-out", len(found.ratings) + 1)


def test_reruns_are_not_recorded_and_the_result_is_once(ws):
    run = ws.run(QUESTION)
    found = {over: ws.influence(run, over) for over in ("facts", "passages", "documents")}
    assert len(ws.traces.list()) == 1
    kinds = list(ws.graph.match(None, X.influenceOn, NamedNode(run.iri), ANNOTATION))
    assert len(kinds) == 3
    [one] = found["documents"].ratings
    assert (one.change, one.verdict, one.cited) == (1.0, NEEDED, True)
    before = len(list(ws.graph.match()))
    assert {over: ws.influence(run.iri, over, budget=2) for over in found} == found
    assert len(list(ws.graph.match())) == before
    assert ws.node(found["facts"].iri).entity.run == run.iri
    assert ws.traces.load(run.iri).events == ws.traces.load(run.iri).events


def test_a_run_without_an_answer_and_an_unknown_kind_are_refused(ws):
    run = ws.run(QUESTION)
    with pytest.raises(QuestionError, match="over must be"):
        ws.influence(run, "words")
    with pytest.raises(QuestionError, match="budget must be"):
        ws.influence(run, budget=1)
    nothing = ws.run(QUESTION, without=[document.iri for document in ws.stores.library.documents()])
    with pytest.raises(QuestionError, match="has no answer"):
        ws.influence(nothing)


@each(
    ("before", "after", "expected"),
    [
        ("One is red. Two is blue.", "One is red. Two is blue.", 0.0),
        ("One is red. Two is blue.", "Two is blue. One is red.", 0.0),
        ("One is red. Two is blue.", "One is red.", 0.5),
        ("One is red.", "One is red. Two is blue.", 0.0),
        ("One is red.", "Two is blue.", 1.0),
        ("The pump in hall four was shut at noon by Lind.", "At noon, the pump in hall four was shut by Lind.", 0.0),
    ],
)
def test_the_change_of_an_answer_is_the_share_of_its_sentences_that_are_lost(before, after, expected):
    assert change(Answers(before), Answers(after)) == expected
    assert change(Answers(before), Answers(after, "declined")) == 1.0


def test_without_a_model_the_sentences_of_an_answer_are_those_quoted():
    one, other = Answers("Related: One is red."), Answers("Not found: blue. Related: One is red. Ask again.")
    assert change(other, one) > 0
    for answer in (one, other):
        answer.model, start = "no model", answer.answer.index("One")
        answer.citations = (Citation(iri="urn:c", start=start, end=start + len("One is red."), cites=("urn:e",)),)
    assert change(one, other) == change(other, one) == 0


def needing(*facts):
    """A run that says a sentence for each of some facts that is not left out."""
    said = {fact: f"It rests on {fact.subject.value[-1] * 4}." for fact in facts}
    return lambda left: Answers(" ".join(text for fact, text in said.items() if fact not in left.facts))


def test_of_many_facts_sampled_halves_find_those_that_matter_in_the_budget(ws):
    facts = [Triple(NamedNode(f"urn:{name}"), NamedNode("urn:is"), Literal("there")) for name in ascii_lowercase]
    items = [Item(fact, str(fact), cited=False) for fact in facts]
    rerun = needing(facts[3], facts[17])
    told = []

    def found():
        ratings, method = yield from rated(rerun(LeftOut()), items, rerun, 20)
        told.append((ratings, method))

    made = [(attempt.made, attempt.of) for attempt in found()]
    [(ratings, method)] = told
    assert method == "sampled"
    assert {one.what for one in ratings[:2]} == {facts[3], facts[17]}
    assert {one.verdict for one in ratings[:2]} == {NEEDED}
    assert sum(one.verdict == NO_DIFFERENCE for one in ratings) >= 20
    assert made == [(number, 20) for number in range(20)]
    list(found())
    assert told[1] == told[0], "the halves are the same each time"


def test_a_fit_sets_what_does_not_matter_to_zero():
    inputs = (np.random.default_rng(1).random((40, 10)) < 0.5).astype(float)
    weights = sparse_fit(inputs, 0.5 * inputs[:, 2] + 0.2 * inputs[:, 7])
    assert weights[2] == pytest.approx(0.5, abs=0.1)
    assert weights[7] == pytest.approx(0.2, abs=0.1)
    assert np.count_nonzero(weights) <= 3


def test_what_is_cited_for_nothing_and_what_matters_unseen_are_both_said(ws):
    found = ws.influence(ws.run(QUESTION))
    one = found.ratings[0]
    idle = replace(one, change=0.0, verdict=NO_DIFFERENCE)
    silent = replace(one, cited=False)
    told = replace(found, ratings=(one, silent, idle))
    assert (told.idle, told.silent) == ((idle,), (silent,))
    lines = "\n".join(told.lines())
    assert "1 cited fact made no difference" in lines
    assert "1 fact mattered without being cited" in lines
    assert repr(told) == "<Influence of 3 facts: 2 needed, 0 helped, 1 made no difference>"
    assert "<table" in told._repr_mimebundle_()["text/html"]


def test_what_is_no_longer_here_is_not_rated_and_where_nothing_is_that_is_refused(ws, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    (other / "drain.md").write_text("# Drain\n\nThe red drain cools the reactor. The reactor is old.", "utf-8")
    with explorer.open() as both, explorer.open() as left, explorer.open() as none:
        both.ingest(tmp_path / "pump.md", other, progress=False)
        run = both.run(QUESTION)
        assert len(items_of(run, "documents")) == 2
        left.ingest(other, progress=False)
        found = left.influence(run, "documents", progress=False)
        assert [one.name for one in found.ratings] == ["Drain"]
        assert (found.reruns, found.ratings[0].verdict) == (2, NEEDED)
        (other / "drain.md").write_text("# Crew\n\nTwo people were asleep.", "utf-8")
        none.ingest(other, progress=False)
        for over in ("facts", "passages", "documents"):
            with pytest.raises(QuestionError, match=f"None of the run's {over} is here"):
                none.influence(run, over, progress=False)
        assert none.rerun(run).reason == "declined"


def test_a_passage_is_named_by_its_first_sentence_below_its_heading(tmp_path):
    path = tmp_path / "tank.md"
    path.write_text("## Time\n\nThe tank failed because a fire burned inside it.\n")
    with explorer.open() as ws:
        ws.ingest(path, progress=False)
        trace = ws.run("Why did the tank fail?", engine="document-rag")
        quoted = [one.name.rsplit("“", 1)[1] for one in items_of(trace, "passages")]
    assert quoted == ["The tank failed because a fire burned inside it.”"]
