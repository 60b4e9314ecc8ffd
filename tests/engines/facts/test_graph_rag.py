import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict

import pytest
from pyoxigraph import Literal, NamedNode, Quad, Triple

from explorer import entities as e
from explorer import rdf
from explorer.engines.facts.graph_rag import GraphRag
from explorer.engines.limits import Limits
from explorer.engines.setting import Setting
from explorer.events import Done, Explain, Text
from explorer.ingest.reindex import reindex
from explorer.models.embedding import WordLlamaEmbedder
from explorer.reasoning.extractive.reasoner import ExtractiveReasoner
from explorer.reasoning.protocol import Sentence, Verdict
from explorer.record.traces import Traces
from explorer.vocab import FACTS, RDFS, RETRIEVAL, SOURCE, TG, X, entity_iri, iri
from tests.corpus import QUESTIONS, Clock, shared
from tests.each import each
from tests.opened import empty
from tests.strategies import of

EMBEDDER = WordLlamaEmbedder()
TANK, HELD = NamedNode(entity_iri("oxygen tank")), NamedNode(entity_iri("held"))
VALUES = [Literal("oxygen", language="en"), Literal("oxygen", language="fr"), Literal("oxygen"), Literal("a rare gas")]
SENTENCE = "The oxygen tank held oxygen in batch {}."


def imported():
    """Facts that read the same but differ in language, each with its own source; the last one has none."""
    stores = empty()
    labels = [Quad(TANK, RDFS.label, Literal("oxygen tank"), FACTS), Quad(HELD, RDFS.label, Literal("held"), FACTS)]
    stores.graph.add([*labels, *(Quad(TANK, HELD, value, FACTS) for value in VALUES)])
    for number, value in enumerate(VALUES[:-1]):
        chunk, document = f"urn:chunk:{number}", f"https://example.org/{number}"
        told = {"source_text": SENTENCE.format(number), "source_offset": 0, "derived_from": (chunk,)}
        for entity in (
            e.Document(iri=document, title=f"Document {number}"),
            e.Chunk(iri=chunk, derived_from=(document,), char_offset=0, index=1),
            e.Subgraph(iri=iri("subgraph", str(number)), contains=(Triple(TANK, HELD, value),), **told),
        ):
            stores.graph.add(rdf.triples(entity))
    reindex(stores, EMBEDDER, progress=False)
    return stores


def engine(stores, session="s", limits=None, reasoner=None):
    reasoner = reasoner or ExtractiveReasoner(EMBEDDER, stores.library.rarity)
    return GraphRag(Setting(stores, EMBEDDER, session, Clock()), reasoner, limits or Limits())


def recorded(stores, session="s", **what):
    asked = engine(stores, session, **what).run("What did the oxygen tank hold?")
    return list(Traces(stores, Clock()).record(asked, session))


@pytest.fixture(scope="module")
def run():
    return list(shared().ask(QUESTIONS[1]))


def test_the_steps_come_in_order_each_once_with_the_answer_before_its_node(run):
    told = [type(event).__name__ if not isinstance(event, Explain) else event.iri.split(":")[-2] for event in run]
    texts = told.count("Text")
    assert told == [
        "question", "grounding", "Progress", "exploration", "Progress", "focus", "Progress",
        *["Text"] * texts, "synthesis", "end", "Done",
    ]  # fmt: skip
    assert texts > 0
    steps = [event.iri for event in run if isinstance(event, Explain)][:-1]
    assert [entity.above for entity in of(e.Step, run)][:-1] == [(), *((step,) for step in steps[:-1])]
    [grounding] = of(e.Grounding, run)
    assert grounding.ordered == ["heater switches", "fail"]
    assert set(grounding.concepts) == {"heater switches", "fail"}


def test_every_selection_has_a_concept_of_the_grounding_or_none_and_a_reason_in_a_sentence(run):
    [grounding] = of(e.Grounding, run)
    passages = {key: found for event in run if isinstance(event, Explain) for key, found in event.passages.items()}
    for selection in of(e.EdgeSelection, run):
        assert selection.concept in (*grounding.ordered, None)  # none where a fact is far from each of them
        assert selection.score is None
        assert selection.reasoning[0].isupper()
        assert selection.reasoning.endswith(".")
        assert passages[selection.iri]
        assert not {"I ", "think", "believe"} & set(selection.reasoning.split("“")[0].split())
        assert all(len(said.split()) <= 20 for said in re.split(r"[.:] ", selection.reasoning))


def test_candidates_are_the_nearest_that_were_not_selected(run):
    selected, left = of(e.EdgeSelection, run), of(e.Candidate, run)
    [exploration] = of(e.Exploration, run)
    assert len(selected) + len(left) <= min(exploration.edge_count, Limits().edge_score_limit)
    assert [candidate.rank for candidate in left] == list(range(len(selected) + 1, len(selected) + len(left) + 1))
    assert {one.score for one in left} == {None}
    why = re.compile(
        r"The fact has (none of your words|“.+”): "
        r"(not close enough to your question|close, but enough others were kept)\."
        r" Not quoted(: (other sentences answer better|its passage fits less well than others))?\."
        r"|Its sentence is quoted already\."
    )
    told = [why.fullmatch(one.not_selected) for one in left]
    assert all(told), [one.not_selected for one, found in zip(left, told, strict=True) if not found]
    assert not {candidate.edge for candidate in left} & {selection.edge for selection in selected}
    quads = [quad for event in run if isinstance(event, Explain) for quad in event.triples]
    assert not [quad for quad in quads if quad.predicate == TG.edge and "candidate" in quad.subject.value]
    assert len([quad for quad in quads if quad.predicate == X.edge]) == len(left)


def test_the_answer_is_in_the_library_and_only_named_in_the_triples(run):
    [synthesis] = of(e.Synthesis, run)
    answer = "".join(event.delta for event in run if isinstance(event, Text))
    assert shared().text(synthesis.document) == answer
    quads = [quad for event in run if isinstance(event, Explain) for quad in event.triples]
    assert not [quad for quad in quads if isinstance(quad.object, Literal) and quad.object.value == answer]


def test_edges_are_keyed_by_their_terms_not_by_their_labels_and_told_without_a_source_too():
    events = recorded(imported(), limits=Limits(edge_limit=25))
    facts = {entity.edge.object: entity for entity in of(e.EdgeSelection | e.Candidate, events)}
    [focus] = [event for event in events if isinstance(event, Explain) and event.passages]
    for number, value in enumerate(VALUES[:3]):
        [found] = focus.passages[facts[value].iri]
        assert found.text == SENTENCE.format(number)
    assert focus.passages.get(facts[VALUES[3]].iri, ()) == ()


@each("name", [name for name, default in asdict(Limits()).items() if isinstance(default, int)])
def test_limits_bound_what_is_looked_at_scored_and_kept(name):
    events = list(shared().ask(QUESTIONS[1], **{name: 1}))
    [exploration] = of(e.Exploration, events)
    kept, left = len(of(e.EdgeSelection, events)), len(of(e.Candidate, events))
    bound = {"max_subgraph_size": exploration.edge_count, "edge_score_limit": kept + left, "edge_limit": kept}
    assert bound.get(name, 0) <= 1
    assert events[-1].error is None
    [question] = of(e.Question, events)
    assert question.parameters == asdict(Limits(**{name: 1}))


def test_an_engine_only_reads():
    stores = imported()
    before = set(stores.graph.match())
    assert isinstance(list(engine(stores).run("What did the oxygen tank hold?"))[-1], Done)
    assert set(stores.graph.match()) == before


def test_only_facts_are_traversed():
    stores = imported()
    lure = Triple(TANK, HELD, Literal("a lure"))
    for graph in (SOURCE, RETRIEVAL):
        stores.graph.add([Quad(lure.subject, lure.predicate, lure.object, graph)])
    looked = {entity.edge for entity in of(e.EdgeSelection | e.Candidate, recorded(stores))}
    assert lure not in looked
    assert not [edge for edge in looked if edge.predicate in (RDFS.label, TG.contains)]


class Broken(ExtractiveReasoner):
    """Fails in one of its methods."""

    at = ""

    def __getattribute__(self, name):
        if name == type(self).at:
            raise ZeroDivisionError(name)
        return super().__getattribute__(name)


@each(
    ("selector", "at", "last"),
    [
        (None, "concepts", "question"),
        (None, "quote", "exploration"),
        (None, "synthesise", "focus"),
        ("rerank", "score_edges", "grounding"),
        ("rerank", "select", "grounding"),
        ("rerank", "reason_edges", "exploration"),
    ],
)
def test_a_failing_reasoner_is_recorded_after_the_last_stage(selector, at, last):
    stores = imported()
    broken = type("Broken", (Broken,), {"at": at})(EMBEDDER, stores.library.rarity)
    events = recorded(stores, reasoner=broken, limits=Limits(**({"selector": selector} if selector else {})))
    said = f"ZeroDivisionError: {at}"
    assert [event for event in events if isinstance(event, Done)] == [Done("error", error=said, duration_ms=0)]
    assert events[-1].reason == "error"
    [failure] = of(e.Failure, events)
    assert (failure.derived_from, failure.termination_reason) == ((iri(last, "s"),), "error")
    assert of(e.End, events)[0].reason == "error"


def saying(stores, *parts):
    """A reasoner that answers with these, and fails at an error among them."""

    class Saying(ExtractiveReasoner):
        def synthesise(self, *_):
            for part in parts:
                if isinstance(part, Exception):
                    raise part
                yield part

    return Saying(EMBEDDER, stores.library.rarity)


def test_an_answer_that_fails_half_way_leaves_no_synthesis_and_an_empty_one_is_recorded_and_replayed():
    stores = imported()
    events = recorded(stores, reasoner=saying(stores, Sentence("It began well.", (0,)), ValueError("lost")))
    assert of(e.Synthesis, events) == []
    assert of(e.Failure, events)[0].derived_from == (iri("focus", "s"),)
    assert "".join(event.delta for event in events if isinstance(event, Text)) == "It began well."
    trace = Traces(stores, Clock()).load(iri("question", "s"))
    assert (trace.answer, trace.reason) == ("", "error")
    events = recorded(stores, "s2", reasoner=saying(stores, Verdict("done")))
    assert events[-1] == Done("done", sources=events[-1].sources, duration_ms=0)
    trace = Traces(stores, Clock()).load(iri("question", "s2"))
    assert (trace.answer, trace.reason, trace.citations) == ("", "done", ())


def test_several_engines_read_the_same_stores_at_once():
    stores = imported()
    with ThreadPoolExecutor(4) as pool:
        found = [of(e.EdgeSelection, told) for told in pool.map(lambda n: recorded(stores, f"t{n}"), range(4))]
    assert [[edge.edge for edge in one] for one in found] == [[edge.edge for edge in found[0]]] * 4


def test_what_is_kept_rests_under_the_quotations_or_is_close_and_what_was_read_is_on_record(run):
    [focus], cited = of(e.Focus, run), {key for one in of(e.Citation, run) for key in one.cites}
    edges = {one.iri: one for one in of(e.EdgeSelection, run)}
    assert cited
    assert cited <= {*focus.selected}
    assert len(edges.keys() - cited) <= 5
    assert all(one.reasoning.startswith("Its sentence is quoted") is (key in cited) for key, one in edges.items())
    assert 0 < len(focus.read) <= 10
    assert {one.chunk for one in run[-1].sources} >= {*focus.read}
