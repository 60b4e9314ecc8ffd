import pytest

import explorer
from explorer import entities as e
from explorer.dag import ProvenanceDag
from explorer.dag.sentences import numbers
from explorer.events import Text
from explorer.rdf import triples
from explorer.view.run.answer import answer
from explorer.view.showing import Showing
from explorer.vocab import iri
from explorer.wording.graph_words import NodeWords, lines
from tests.corpus import QUESTIONS, shared
from tests.each import each
from tests.strategies import passage, step

TEXT = "It failed. It burned. It rained."
EDGE = [iri("edge", "s", number) for number in range(4)]


def badge_of(support):
    final = e.Synthesis(iri=iri("synthesis", "s"), support=support)
    dag = ProvenanceDag().fold([
        step(e.GraphRagQuestion(iri=iri("question", "s"), query="Why?"), 0),
        Text(final.iri, "answer", "So."),
        step(final, 1),
    ])  # fmt: skip
    return next((one for one in answer(NodeWords(dag), running=False)["badges"]), None)


@each(
    ("support", "level", "words"),
    [
        ({"level": "strong", "sure": True}, "answered", "Answered"),
        ({"level": "strong"}, "unsure", "Unsure"),
        ({"level": "strong", "sure": 1}, "unsure", "Unsure"),
        ({"level": "weak"}, "unsure", "Unsure"),
        ({"level": "none"}, "not-found", "Not found"),
    ],
)
def test_the_badge_is_one_word_for_how_the_answer_came_out(support, level, words):
    badge = badge_of({"value": 0.25, "parts": {"base": -0.5}, **support})
    assert (badge["text"], badge["level"]) == (words, level)
    assert badge["tip"].startswith("Rules of this program judged it, not a person and not a language model: ")


def test_parts_that_are_answered_are_counted():
    badge = badge_of({"value": 0.25, "level": "weak", "parts": {}, "answered": [1, 2]})
    assert badge["beside"] == "The nearest found; it may not answer your question (1 of 2 parts answered)."
    assert "may not answer your question (1 of 2 parts answered)." in badge["tip"]


@each("support", [None, {}, {"value": "high", "level": "strong"}, {"value": 1, "level": "x", "parts": {}}])
def test_an_answer_without_a_support_on_record_has_no_such_badge(support):
    assert badge_of(support) is None


def test_passages_are_numbered_as_the_text_goes_each_once():
    one, other = passage("a", 1, 0, 5), passage("a", 2, 50, 5)
    kept = [e.EdgeSelection(iri=edge, score=0.5) for edge in EDGE]
    focus = e.Focus(iri=iri("focus", "s"), selected_edges=tuple(EDGE))
    sources = dict(zip(EDGE, ((one,), (one,), (other,), ()), strict=True))
    final = e.Synthesis(iri=iri("synthesis", "s"), derived_from=(focus.iri,))
    spans = ((0, 10, (EDGE[1], EDGE[0])), (11, 21, (EDGE[0], EDGE[2])), (22, 32, (EDGE[3],)))
    cites = [e.Citation(iri=iri("citation", "s", number), start=start, end=end, cites=of)
             for number, (start, end, of) in enumerate(spans)]  # fmt: skip
    dag = ProvenanceDag().fold([
        step(e.GraphRagQuestion(iri=iri("question", "s"), query="Why?"), 0),
        step(focus, 1, parts=kept, passages=sources),
        Text(final.iri, "answer", TEXT),
        step(final, 2, more=[quad for one in cites for quad in triples(one)]),
    ])  # fmt: skip
    runs = [run for run in answer(NodeWords(dag), running=False)["runs"] if run["cites"]]
    assert [[(cite["n"], cite["node"], cite["of"]) for cite in run["cites"]] for run in runs] == [
        [(1, EDGE[1], [EDGE[1], EDGE[0]])],
        [(1, EDGE[1], [EDGE[0]]), (2, EDGE[2], [EDGE[2]])],
        [(3, EDGE[3], [EDGE[3]])],
    ]
    assert runs[0]["cites"][0]["quote"] == {"text": one.text, "where": one.reference}
    assert runs[2]["cites"][0]["quote"] is None


@each(("told", "badges"), [("wwwww", []), ("wwwww It burned.", ["1 of 2 sentences quoted exactly"])])
def test_sentences_with_a_source_are_counted_where_not_all_have_one(told, badges):
    focus = e.Focus(iri=iri("focus", "s"), selected_edges=(EDGE[0],))
    final = e.Synthesis(iri=iri("synthesis", "s"), derived_from=(focus.iri,))
    cite = e.Citation(iri=iri("citation", "s", 0), start=0, end=5, cites=(EDGE[0],))
    dag = ProvenanceDag().fold([
        step(e.GraphRagQuestion(iri=iri("question", "s"), query="Why?"), 0),
        step(focus, 1, parts=[e.EdgeSelection(iri=EDGE[0])], passages={EDGE[0]: (passage("a", 1, 0, 5),)}),
        Text(final.iri, "answer", told),
        step(final, 2, more=triples(cite)),
    ])  # fmt: skip
    assert [one["text"] for one in answer(NodeWords(dag), running=False)["badges"]] == badges


def test_what_a_declined_question_kept_is_called_nearest_and_not_enough():
    showing = Showing()
    showing.begin()
    for event in shared().ask(QUESTIONS[3]):
        showing.apply(event)
    showing.end("declined", "Ended")
    page = showing.snapshot()
    [nearest] = [node for node in page["nodes"] if node["kind"] == "Nearest"]
    assert nearest["detail"]["heading"] == nearest["name"] == "Nearest, not enough"
    said = page["answer"]["text"]
    assert said.startswith("I did not find an answer to this in your documents. They do not mention ")
    assert "What comes nearest" not in said, "no sentence has a word of the question"


@pytest.mark.parametrize(
    "how", [{}, {"engine": "agent", "pattern": "react"}, {"engine": "agent", "pattern": "supervisor"}]
)
def test_an_answer_that_none_was_found_says_so_whoever_looked(how):
    trace = shared().run("Who is the mayor of Lisbon?", **how)
    assert trace.reason == "declined"
    [badge] = answer(NodeWords(trace.dag), running=False)["badges"]
    assert (badge["text"], badge["level"]) == ("Not found", "not-found")


@pytest.mark.parametrize("engine", ["graph-rag", "document-rag"])
def test_of_a_source_that_was_removed_the_answer_says_so_and_keeps_its_numbers(tmp_path, engine):
    (tmp_path / "motors.txt").write_text("Globe Industries made the fan motors. The fan motors ran at 28 volts.\n")
    with explorer.open() as ws:
        ws.ingest(tmp_path, progress=False)
        trace = ws.run("Who made the fan motors, and at what voltage did the fan motors run?", engine)
        before = numbers(trace.dag)
        ws.forget("motors")
        again = ws.traces.load(trace.iri)
        shown = answer(NodeWords(again.dag), running=False)
        assert numbers(again.dag) == before
        assert shown["badges"][0]["text"] == "2 of 2 sentences from a removed source"
        [cited, *_] = [again.dag.node(iri) for iri in before]
        named = cited if engine == "document-rag" else next(iter(again.dag.nodes("Passage")))
        assert "source removed on 20" in lines(again.dag, named)[0]
