from itertools import pairwise

import pytest
from pyoxigraph import Literal, NamedNode, Quad, Triple

from explorer.engines.facts.graph_rag import GraphRag
from explorer.engines.facts.hops import Hops
from explorer.engines.limits import Limits
from explorer.engines.setting import Setting
from explorer.entities import Candidate, EdgeSelection, Exploration, Focus, Question
from explorer.errors import QuestionError
from explorer.events import Done, Explain, Progress
from explorer.models.chat import OpenAIChat
from explorer.models.embedding import WordLlamaEmbedder
from explorer.reasoning.extractive.reasoner import ExtractiveReasoner
from explorer.reasoning.prompted.reasoner import PromptedReasoner
from explorer.record.traces import Traces
from explorer.stores.vectors.search import Entry, put_vectors
from explorer.vocab import FACTS, RDFS, RETRIEVAL, SOURCE, entity_iri
from tests.agent_runs import drained
from tests.corpus import QUESTIONS, Clock, shared
from tests.each import each
from tests.opened import empty
from tests.server import KEY, lines, page, rows, says, serving
from tests.strategies import of

EMBEDDER = WordLlamaEmbedder()
NAMES = ["valve", "tank", "station", "harbour", "island"]
FEEDS = NamedNode(entity_iri("feeds"))
EDGES = [*pairwise(NAMES), *(("tank", f"leaf {n:02}") for n in range(40))]


def node(name):
    return NamedNode(entity_iri(name))


def fact(one, other):
    return Triple(node(one), FEEDS, other if isinstance(other, Literal) else node(other))


def stored(facts, number="d"):
    """Facts in the graph and indexed as if each had been found in a chunk of its own."""
    stores = empty()
    texts = [f"{s} feeds {getattr(o, 'value', o)}" for s, o in facts]
    stores.graph.add(Quad(*fact(s, o), FACTS) for s, o in facts)
    index(stores, [str(fact(s, o)) for s, o in facts], texts, number)
    names = sorted({name for pair in facts for name in pair if isinstance(name, str)})
    with stores.database.writing() as connection:
        entries = [Entry(entity_iri(name), "", name) for name in names]
        put_vectors(connection, "entity", number, entries, EMBEDDER.embed(names))
    return stores


def index(stores, keys, texts, document):
    with stores.database.writing() as connection:
        entries = [Entry(key, "", text) for key, text in zip(keys, texts, strict=True)]
        put_vectors(connection, "edge", document, entries, EMBEDDER.embed(texts))


@pytest.fixture(scope="module")
def chain():
    """valve → tank → station → harbour → island, and many leaves on the tank."""
    return stored(EDGES)


def hopped(stores, question="valve", reasoner=None, **limits):
    reasoner = reasoner or ExtractiveReasoner(EMBEDDER, stores.library.rarity)
    return drained(
        Hops(Setting(stores, EMBEDDER, "s", Clock()), reasoner, Limits(**limits)).look(question, [question])
    )[1]


def ends(scored):
    return {item.edge.triple.object.value.rsplit("/", 1)[1] for item in scored}


def looked(found):
    chosen = found.choose()
    return [*chosen.selected, *chosen.left]


class Picky(ExtractiveReasoner):
    """Finds only facts about one name worth keeping."""

    only = ""

    def select(self, question, scored, limit, reached=()):
        return [item for item in scored if type(self).only in item.edge.text][:limit]


def picky(stores, only):
    return type("Picky", (Picky,), {"only": only})(EMBEDDER, stores.library.rarity)


# hops


@each(("hops", "reached"), [(1, {"tank"}), (2, {"tank", "station"}), (4, set(NAMES[1:]))])
def test_no_further_than_the_hops_allowed_and_within_the_limits_of_each(chain, hops, reached):
    found = hopped(chain, entity_limit=1, triple_limit=100, max_path_length=hops, edge_score_limit=100, edge_limit=100)
    assert found.seeds == (entity_iri("valve"),)
    assert ends(looked(found)) & set(NAMES) == reached
    found = hopped(chain, max_path_length=hops, max_subgraph_size=7, entity_limit=1, edge_score_limit=4, edge_limit=2)
    chosen = found.choose()
    assert len(found.edges) <= 7 * hops
    assert len(chosen.selected) + len(chosen.left) <= 4 * hops
    assert 0 < len(chosen.selected) <= 2 * hops
    [only] = looked(hopped(chain, "leaf 17", max_path_length=1, edge_score_limit=1, max_subgraph_size=100))
    assert only.edge.text == "tank feeds leaf 17", "the nearest of many"


def test_only_the_ends_of_facts_that_were_kept_lead_on(chain):
    wide = {"entity_limit": 1, "triple_limit": 100, "max_path_length": 4, "edge_score_limit": 100, "edge_limit": 100}
    found = hopped(chain, reasoner=picky(chain, "tank"), **wide)
    assert ends(found.choose().selected) >= {"tank", "station"}
    assert "station feeds harbour" in {item.edge.text for item in found.choose().left}
    assert "island" not in ends(looked(found))


def test_no_entity_crowds_out_another_one(chain):
    found = hopped(chain, "valve tank island", entity_limit=5, max_path_length=1, max_subgraph_size=5)
    triples = [item.edge.triple for item in looked(found)]
    there = {end.value for triple in triples for end in (triple.subject, triple.object)}
    assert len(found.seeds) == 5
    assert set(found.seeds) <= there


def test_a_fact_is_scored_once_though_it_stands_in_several_documents():
    stores = stored(EDGES)
    index(stores, [str(fact("tank", "station"))], ["From the tank the station is fed."], "other")
    found = hopped(stores, max_path_length=4, edge_score_limit=100, triple_limit=100)
    triples = [item.edge.triple for item in looked(found)]
    assert len(triples) == len(set(triples))
    assert len(found.edges) >= len(triples)


def test_what_is_kept_and_left_stands_best_first_and_is_always_the_same(chain):
    one, other = hopped(chain, edge_limit=3), hopped(chain, edge_limit=3)
    for scored in (one.choose().selected, one.choose().left):
        assert [item.score for item in scored] == sorted((item.score for item in scored), reverse=True)
    assert (one.seeds, one.edges, one.choose()) == (other.seeds, other.edges, other.choose())


def test_values_lead_nowhere_and_a_vector_whose_fact_is_not_in_the_graph_is_passed_over():
    stores = stored([("valve", Literal("983 psi")), ("valve", "tank"), ("tank", Literal("983 psi"))])
    found = hopped(stores, entity_limit=1, max_path_length=3)
    assert {item.edge.triple.object for item in looked(found)} == {Literal("983 psi"), node("tank")}
    assert len(found.edges) == 3
    stores = stored(EDGES[:3])
    index(stores, [str(fact("valve", "nowhere"))], ["valve feeds nowhere"], "gone")
    assert "nowhere" not in ends(looked(hopped(stores)))


def test_only_facts_are_walked():
    stores = stored(EDGES[:3])
    before = {item.edge.triple for item in looked(hopped(stores))}
    lure = Triple(node("valve"), FEEDS, node("a lure"))
    for graph in (SOURCE, RETRIEVAL):
        stores.graph.add([Quad(lure.subject, lure.predicate, lure.object, graph)])
    stores.graph.add([Quad(node("valve"), RDFS.label, Literal("valve"), FACTS)])
    assert {item.edge.triple for item in looked(hopped(stores))} == before


def test_nothing_is_found_in_an_empty_collection_and_each_hop_is_told_of(chain):
    def told(stores, reasoner, question, **limits):
        return drained(Hops(Setting(stores, EMBEDDER, "s", Clock()), reasoner, Limits(**limits)).look(*question))

    events, found = told(empty(), ExtractiveReasoner(EMBEDDER, lambda _: 1.0), ("Who?", ["Who"]))
    assert events == [Progress("exploration", 0, 2)]
    assert (found.seeds, found.edges, looked(found)) == ((), (), [])
    events, _ = told(chain, picky(chain, ""), ("valve", ["valve"]), max_path_length=3, entity_limit=1)
    assert events == [Progress("exploration", hop, 3) for hop in range(3)]


# whole runs, on record


@pytest.fixture(scope="module")
def run():
    return list(shared().ask(QUESTIONS[1], selector="rerank"))


def test_the_steps_are_those_of_the_default_selector_and_the_answer_is_found(run):
    default = list(shared().ask(QUESTIONS[1]))
    told = [[event.iri.split(":")[-2] for event in events if isinstance(event, Explain)] for events in (run, default)]
    assert told[0] == told[1]
    assert [event for event in run if isinstance(event, Done)] == run[-1:]
    assert run[-1].reason == "done"
    [question] = of(Question, run)
    assert question.parameters["selector"] == "rerank"
    assert "65 V DC" in shared().traces.load(run[0].iri).answer


def test_what_was_scored_is_on_record_as_selected_with_reason_and_passage_or_as_a_candidate():
    events = list(shared().ask(QUESTIONS[1], selector="rerank", edge_limit=2))
    passages = {key: found for event in events if isinstance(event, Explain) for key, found in event.passages.items()}
    selected, left, [focus] = of(EdgeSelection, events), of(Candidate, events), of(Focus, events)
    [exploration] = of(Exploration, events)
    assert 0 < len(selected) <= 4
    assert any(selection.concept for selection in selected)
    for selection in selected:
        assert 0 < selection.score <= 1
        assert selection.reasoning.endswith(".")
        assert shared().passages(selection) == list(passages[selection.iri])
    assert left
    assert focus.candidates == tuple(candidate.iri for candidate in left)
    assert [one.rank for one in left] == list(range(len(selected) + 1, len(selected) + len(left) + 1))
    assert not {one.edge for one in left} & {one.edge for one in selected}
    assert len(selected) + len(left) <= exploration.edge_count


def test_a_selector_that_is_not_known_is_refused_before_a_run_begins():
    before = len(shared().traces.list(limit=1000))
    for wrong in ("walk", "", None, 1):
        with pytest.raises(QuestionError, match="selector must be passages, reasoning or rerank"):
            shared().ask(QUESTIONS[0], selector=wrong)
    assert len(shared().traces.list(limit=1000)) == before


# with a model


def scores(request):
    given = [
        {"id": row["id"], "score": (9 if "heater" in row["s"] else 3) - n % 2} for n, row in enumerate(rows(request))
    ]
    return lines(given, usage=(5, 6))


def reasons(request):
    return lines([{"id": row["id"], "reasoning": f"Because of {row['s']}."} for row in rows(request)], usage=(7, 8))


def asked(server, session, **limits):
    stores = shared().stores
    reasoner = PromptedReasoner(OpenAIChat("m", server.url, KEY), EMBEDDER)
    setting = Setting(stores, EMBEDDER, session, Clock(), check=False)
    run = GraphRag(setting, reasoner, Limits(selector="rerank", **limits))
    return list(Traces(stores, Clock()).record(run.run(QUESTIONS[1]), session))


def test_a_model_scores_each_hop_or_similarity_where_its_call_fails_and_is_asked_once_for_the_reasons():
    limits = {"entity_limit": 1, "edge_score_limit": 4, "edge_limit": 2}
    with serving(says("heater switches"), scores, scores, reasons, says("They failed [1].")) as server:
        events = asked(server, "hops-model", **limits)
        assert len(server.asked) == 5
    hops = [[row["id"] for row in rows(request)] for request in server.asked[1:3]]
    assert [len(hop) <= 4 for hop in hops] == [True, True]
    selected, left, [focus] = of(EdgeSelection, events), of(Candidate, events), of(Focus, events)
    assert len(selected) + len(left) == sum(map(len, hops))
    assert all(selection.reasoning.startswith("Because of") for selection in selected)
    assert {selection.score for selection in selected} <= {0.9, 0.8, 0.3, 0.2}
    assert (focus.in_token, focus.out_token, len(focus.prompt)) == (5 + 5 + 7, 6 + 6 + 8, 3)
    assert [event.reason for event in events if isinstance(event, Done)] == ["done"]
    with serving(says("heater switches"), scores, page(), reasons, says("They failed [1].")) as server:
        events = asked(server, "hops-fails", **limits)
    assert [event.reason for event in events if isinstance(event, Done)] == ["done"]
    assert {one.scored_by for one in of(EdgeSelection, events) + of(Candidate, events)} == {None, EMBEDDER.name}
