"""A recorded Document RAG session of TrustGraph 2.11.1, asked again: its knowledge, its replies from a server.

Differences that are meant (trustgraph.md §16, and what its services lack): the score of a passage comes from a model
here, from a cross-encoder there, so that Focus has tokens and scores have four places; our own extension terms; a
title for the answer's content; the End.
"""

import json

import pytest
from pyoxigraph import NamedNode

from explorer import entities as e
from explorer.engines.limits import PassageLimits
from explorer.engines.passages.document_rag import DocumentRag
from explorer.engines.setting import Setting
from explorer.events import Explain, Text
from explorer.models.chat import OpenAIChat
from explorer.models.embedding import WordLlamaEmbedder
from explorer.reasoning.prompted.reasoner import PromptedReasoner
from explorer.record.traces import Traces
from explorer.stores.vectors.search import Entry, put_vectors
from explorer.trustgraph import messages as trustgraph
from explorer.vocab import PROV, RETRIEVAL, TG, X, recognise
from tests.corpus import Clock
from tests.engines.test_recorded_replies import knowledge
from tests.server import KEY, lines, says, serving
from tests.strategies import described

NAME = "docrag-rerank-stream"
SESSION = "00000000-0000-4000-8000-000000000001"
EMBEDDER = WordLlamaEmbedder()
USED = ((26, 5), (40, 12), (83, 17))  # as reported, but for the second call, which the record does not have


def of(cls, events):
    return [entity for entity in described(events) if isinstance(entity, cls)]


@pytest.fixture(scope="module")
def wire(conformance):
    return conformance / "golden" / "wire"


@pytest.fixture(scope="module")
def prompts(wire):
    return [json.loads(line) for line in (wire / f"{NAME}.prompts.jsonl").read_text("utf-8").splitlines()]


@pytest.fixture(scope="module")
def record(wire):
    told = [json.loads(line) for line in (wire / f"{NAME}.jsonl").read_text("utf-8").splitlines()]
    return list(trustgraph.events(told))


def rows(request):
    _, _, data = request["messages"][1]["content"].partition("BEGIN DATA\n")
    return [json.loads(line) for line in data.partition("\nEND DATA")[0].splitlines()]


@pytest.fixture(scope="module")
def asked(wire, prompts, record):
    """The events of our run and the requests it made."""
    stores = knowledge(wire)
    texts = {row["iri"]: row["text"] for row in stores.database.rows("SELECT iri, text FROM chunks")}
    with stores.database.writing() as connection:
        entries = [Entry(key, key, text) for key, text in texts.items()]
        put_vectors(connection, "chunk", "d", entries, EMBEDDER.embed(list(texts.values())))
    scores = {" ".join(texts[one.document].split()): one.score for one in of(e.ChunkSelection, record)}

    def scored(request):
        read = [{"id": row["id"], "score": scores[row["text"]] * 10} for row in rows(request) if row["text"] in scores]
        return lines(read, usage=USED[1])

    replies = (says(prompts[0]["reply"], usage=USED[0]), scored, says(prompts[1]["reply"], usage=USED[2]))
    limits = PassageLimits(mode="vector", doc_limit=3, fetch_limit=6)
    with serving(*replies) as server:
        reasoner = PromptedReasoner(OpenAIChat("stub-llm-1", server.url, KEY), EMBEDDER)
        engine = DocumentRag(Setting(stores, EMBEDDER, SESSION, Clock(), check=False), reasoner, limits)
        events = list(Traces(stores, Clock()).record(engine.run(prompts[0]["variables"]["query"]), SESSION))
    return events, server


OURS = ("end", "citation", "run", "agent")


def kind(term):
    return getattr(recognise(term.value), "kind", None) if isinstance(term, NamedNode) else None


def is_rest(quad):
    """Whether it leads from a Focus to what it selected, or from that to the chunk."""
    selections = (kind(quad.subject), kind(quad.object))
    return quad.predicate == PROV.wasDerivedFrom and "chunk-selection" in selections


def shared_quads(events):
    """What both records may have: none of our terms, no times, no scores, no tokens of Focus, no End."""
    kept = set()
    for event in events:
        for quad in event.triples if isinstance(event, Explain) else ():
            ours = quad.predicate in X or quad.object in X or kind(quad.subject) in OURS or is_rest(quad)
            focus = quad.subject.value.endswith("/focus") and quad.predicate in (TG.inToken, TG.outToken, TG.llmModel)
            if not ours and not focus and quad.predicate not in (TG.score, PROV.startedAtTime, PROV.endedAtTime):
                kept.add((str(quad.subject), str(quad.predicate), str(quad.object), str(quad.graph_name)))
    return kept


def test_nodes_links_and_literals_are_the_recorded_ones(asked, record):
    ours = {quad for quad in shared_quads(asked[0]) if ":end:" not in quad[0]}
    theirs = shared_quads(record)
    assert ours == theirs
    assert {quad[3] for quad in ours} == {str(RETRIEVAL)}


def test_the_steps_come_in_the_recorded_order(asked, record):
    ours, theirs = (
        [event.iri for event in told if isinstance(event, Explain) and ":end:" not in event.iri]
        for told in (asked[0], record)
    )
    assert ours == theirs


def test_scores_are_the_recorded_ones_to_four_places(asked, record):
    assert [one.score for one in of(e.ChunkSelection, asked[0])] == [
        round(one.score, 4) for one in of(e.ChunkSelection, record)
    ]


def test_the_model_is_given_the_recorded_documents_in_the_recorded_order(asked, prompts):
    _, server = asked
    given = ["".join(row["sentences"].values()) for row in rows(server.asked[2])]
    assert ["".join(one.split()) for one in given] == [
        "".join(one.split()) for one in prompts[1]["variables"]["documents"]
    ]
    assert prompts[1]["variables"]["query"] in server.prompt(2)


def test_the_answer_and_the_tokens_are_the_recorded_ones(asked, record):
    ours, theirs = ("".join(event.delta for event in told if isinstance(event, Text)) for told in (asked[0], record))
    assert ours == theirs
    for cls in (e.Grounding, e.Synthesis):
        [mine], [recorded] = of(cls, asked[0]), of(cls, record)
        assert (mine.in_token, mine.out_token, mine.model) == (recorded.in_token, recorded.out_token, recorded.model)


def test_every_kept_passage_leads_to_its_document(asked):
    sources = asked[0][-1].sources
    assert [source.title for source in sources] == ["Pioneers of Radioactivity"] * 3
    assert [source.page for source in sources] == [2, 2, 1]
