import pytest

from explorer import entities as e
from explorer.engines.limits import PassageLimits
from explorer.engines.passages.document_rag import UNSCORED, DocumentRag
from explorer.engines.setting import Setting
from explorer.errors import QuestionError
from explorer.events import Done, Explain, Progress, Text
from explorer.models.chat import OpenAIChat
from explorer.models.embedding import WordLlamaEmbedder
from explorer.rdf import validation as shapes
from explorer.reasoning.extractive.reasoner import ExtractiveReasoner
from explorer.reasoning.prompted.reasoner import PromptedReasoner
from explorer.record.traces import Traces
from explorer.vocab import TG, iri
from tests.corpus import QUESTIONS, Clock, shared, with_corpus
from tests.each import each
from tests.opened import empty
from tests.server import KEY, lines, rows, says, serving
from tests.strategies import of

EMBEDDER = WordLlamaEmbedder()
ENGINE = "document-rag"


def recorded(stores, session, question=QUESTIONS[0], *, reasoner=None, **limits):
    reasoner = reasoner or ExtractiveReasoner(EMBEDDER, stores.library.rarity)
    setting = Setting(stores, EMBEDDER, session, Clock(), check=False)
    run = DocumentRag(setting, reasoner, PassageLimits(**limits))
    return list(Traces(stores, Clock()).record(run.run(question), session))


def prompted(server, **options):
    return PromptedReasoner(OpenAIChat("asked-1", server.url, KEY, pause=0.01, timeout=10, attempts=2), EMBEDDER,
                            **options)  # fmt: skip


def all_scored(request):
    return lines([{"id": row["id"], "score": 9 - number} for number, row in enumerate(rows(request))], usage=(30, 9))


ws = with_corpus("module")


@pytest.fixture(scope="module")
def stores(ws):
    return ws.stores


@pytest.fixture(scope="module", params=[True, False], ids=["reranked", "as found"])
def run(request):
    return list(shared().ask(QUESTIONS[1], ENGINE, rerank=request.param))


def test_the_steps_come_in_order_each_once_with_the_answer_before_its_node(run):
    told = [type(event).__name__ if not isinstance(event, Explain) else event.iri.replace(":", "/").split("/")[-1]
            for event in run]  # fmt: skip
    focus = ["Progress", "focus"] if "focus" in told else []
    texts = told.count("Text")
    assert texts > 0
    assert told[1:-2] == ["grounding", "Progress", "exploration", *focus, "Progress", *["Text"] * texts, "synthesis"]
    assert isinstance(run[-1], Done)
    assert {event.stage for event in run if isinstance(event, Progress)} >= {"exploration", "synthesis"}
    steps = of(e.Step, run)[:-1]
    assert [step.above for step in steps] == [(), *((step.iri,) for step in steps[:-1])]
    assert type(steps[0]) is e.DocRagQuestion
    assert all(step.iri.startswith(steps[0].iri) for step in steps)
    [exploration] = of(e.Exploration, run)
    assert exploration.ordered == list(exploration.selected_chunks)
    assert exploration.chunk_count == len(exploration.ordered)
    quads = [quad for event in run if isinstance(event, Explain) for quad in event.triples]
    assert [finding for finding in shapes.validate(quads) if finding.severity == "violation"] == []
    assert not [quad for quad in quads if quad.predicate in (TG.edge, TG.selectedEdge, TG.edgeCount)]


def test_the_citations_lead_to_the_chunks_that_were_quoted(run):
    passages = {key: found for event in run if isinstance(event, Explain) for key, found in event.passages.items()}
    answer = "".join(event.delta for event in run if isinstance(event, Text))
    citations = of(e.Citation, run)
    assert citations
    for citation in citations:
        [cited] = citation.cites
        assert cited in [*of(e.Exploration, run)[0].selected_chunks, *(one.iri for one in of(e.ChunkSelection, run))]
        quoted = answer[citation.start : citation.end].rstrip(".")
        assert quoted in " ".join(passages[cited][0].text.split())
    if of(e.Focus, run):
        assert all(cited.startswith("urn:trustgraph:prov:chunk:") for one in citations for cited in one.cites)


def test_sources_are_whole_chunks_with_what_was_cited_first_and_replay_gives_the_same(run):
    sources = run[-1].sources
    assert sources[0].title == "Notes of the shift"
    assert len({source.chunk for source in sources}) == len(sources)
    for source in sources:
        assert shared().text(source.document)[source.start : source.end] == source.text == shared().text(source.chunk)
    again = list(shared().traces.replay(of(e.Question, run)[0].iri))
    steps = [[event for event in events if isinstance(event, Explain)] for events in (again, run)]
    said = ["".join(event.delta for event in events if isinstance(event, Text)) for events in (again, run)]
    assert (steps[0], said[0], again[-1]) == (steps[1], said[1], run[-1])


@each("mode", ["vector", "keyword", "hybrid"])
@each("rerank", [True, False])
def test_limits_bound_what_is_looked_at_and_kept(mode, rerank):
    events = list(shared().ask(QUESTIONS[1], ENGINE, mode=mode, doc_limit=2, fetch_limit=3, rerank=rerank))
    [exploration] = of(e.Exploration, events)
    assert 0 < exploration.chunk_count <= (3 if rerank else 2)
    assert len(of(e.ChunkSelection, events)) <= 2
    assert len(events[-1].sources) <= 2
    [question], [grounding] = of(e.Question, events), of(e.Grounding, events)
    assert (question.parameters["mode"], question.parameters["doc_limit"]) == (mode, 2)
    assert (grounding.ordered == [QUESTIONS[1]]) == (mode == "keyword"), "nobody is asked for concepts"


def test_diverse_passages_are_preferred_when_asked_for():
    plain = list(shared().ask(QUESTIONS[0], ENGINE, doc_limit=3))
    diverse = list(shared().ask(QUESTIONS[0], ENGINE, doc_limit=3, mmr=True, mmr_lambda=0.0))
    first = [events[-1].sources[0].chunk for events in (plain, diverse)]
    assert first[0] == first[1]
    assert {one.document for one in of(e.ChunkSelection, plain)} != {
        one.document for one in of(e.ChunkSelection, diverse)
    }


def test_an_argument_of_another_engine_is_refused_with_those_there_are():
    with pytest.raises(QuestionError, match=r"document-rag has no limit '.*'; choose among mode, doc_limit, fetch"):
        shared().ask("Why?", ENGINE, edge_limit=3)


# what may be asked of it, and of what


def test_an_empty_collection_declines_with_a_trace_that_shows_why():
    stores = empty()
    for number, options in enumerate(({}, {"rerank": False}, {"mode": "keyword"}, {"mmr": True})):
        events = recorded(stores, f"e{number}", **options)
        assert [event.reason for event in events if isinstance(event, Done)] == ["declined"]
        assert of(e.Exploration, events)[0].chunk_count == 0
        assert of(e.Synthesis, events)[0].termination_reason == "declined"
        replayed = list(Traces(stores, Clock()).replay(iri("docrag-question", f"e{number}")))
        assert replayed[-1] == events[-1]


@each("engine", ["graph-rag", ENGINE])
def test_of_a_long_question_the_record_keeps_all_and_says_what_was_read(engine):
    asked = f"{'Some words before it. ' * 5_000}Who built the relief valve?"
    trace = shared().run(asked, engine)
    [grounding] = of(e.Grounding, trace.events)
    assert grounding.rule == "of 110,027 characters the first and last 2,000 were read"
    assert len(grounding.ordered) <= 20
    assert trace.question == asked
    [short] = of(e.Grounding, list(shared().ask("Who built the relief valve?", engine)))
    assert short.rule is None


# with a model


def test_without_reranking_a_model_cites_the_chunks_themselves(stores):
    with serving(says("It was Beech Aircraft [1].")) as server:
        events = recorded(stores, "p2", reasoner=prompted(server), rerank=False)
    [citation], [exploration] = of(e.Citation, events), of(e.Exploration, events)
    assert citation.cites == (exploration.ordered[0],)
    assert of(e.Synthesis, events)[0].derived_from == (exploration.iri,)
    assert list(Traces(stores, Clock()).replay(iri("docrag-question", "p2")))[-1] == events[-1]


def test_passages_that_the_model_does_not_score_are_not_kept(stores):
    def some(request):
        scores = [{"id": "p2", "score": "7"}, {"id": "p77", "score": 10}, {"id": "p1", "score": "lots"}]
        return lines([*scores, {"id": "p3", "score": 6}, {"id": "p4", "score": 5}])

    with serving(some, says("Beech Aircraft [1] and [9].")) as server:
        events = recorded(stores, "s1", reasoner=prompted(server), doc_limit=3, fetch_limit=9)
    selections = of(e.ChunkSelection, events)
    ordered = of(e.Exploration, events)[0].ordered
    scored = zip(ordered[1:4], (0.7, 0.6, 0.5), strict=True)
    assert [(one.document, one.score) for one in selections] == list(scored)


@each("reply", [says("I am well."), lines([{"id": "p999", "score": 9}])])
def test_a_reply_without_a_usable_score_gives_way_to_similarity_and_the_record_says_so(stores, reply):
    with serving(reply, reply, says("Beech Aircraft [1].")) as server:
        events = recorded(stores, "w1", reasoner=prompted(server), doc_limit=2)
    selections = of(e.ChunkSelection, events)
    assert selections
    assert all(one.scored_by for one in selections)
    assert events[-1].reason == "done"


def test_a_model_that_reads_all_that_was_found_scores_nothing(stores):
    with serving(says("Beech Aircraft [1].")) as server:
        events = recorded(stores, "u1", reasoner=prompted(server), doc_limit=1, fetch_limit=1)
    [focus], [selection] = of(e.Focus, events), of(e.ChunkSelection, events)
    assert (focus.rule, selection.score, events[-1].usage.calls) == (UNSCORED, None, 1)
    assert list(Traces(stores, Clock()).replay(iri("docrag-question", "u1")))[-1] == events[-1]


def test_a_model_is_given_what_fits_of_the_best(stores):
    with serving(all_scored, says("Beech Aircraft [1].")) as server:
        events = recorded(stores, "u2", reasoner=prompted(server, context=1_500))
    [exploration] = of(e.Exploration, events)
    assert 0 < len(of(e.ChunkSelection, events)) == len(rows(server.asked[-1])) < exploration.chunk_count
    assert len(server.prompt(1)) < 3 * 1_500
