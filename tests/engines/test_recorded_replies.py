"""A recorded session of TrustGraph 2.6.3, asked again: its knowledge in our stores, its replies from a server."""

import json
from dataclasses import replace

import pytest
from pyoxigraph import NamedNode

from explorer import entities as e
from explorer.engines.facts.graph_rag import GraphRag
from explorer.engines.limits import Limits
from explorer.engines.setting import Setting
from explorer.events import Content, Done, Explain, Text, Usage
from explorer.ingest.reindex import reindex
from explorer.models.chat import OpenAIChat
from explorer.models.embedding import WordLlamaEmbedder
from explorer.reasoning.prompted.reasoner import PromptedReasoner
from explorer.record import importing
from explorer.record.traces import Traces
from explorer.stores.chunks import StoredChunk, put_chunks
from explorer.stores.library import StoredDocument, finish_documents, put_documents
from explorer.trustgraph import messages as trustgraph
from explorer.vocab import PROV, SOURCE
from tests.corpus import Clock
from tests.opened import empty
from tests.server import KEY, lines, says, serving
from tests.strategies import described

NAME = "legacy263-graphrag-stream"
EMBEDDER = WordLlamaEmbedder()
# the record holds sums alone: of the two calls of Focus the first number is made up, the second is what remains
USED = ((25, 5), (334, 180), (300, 177), (354, 19))


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


def knowledge(wire):
    """The graph as it is and the librarian's texts."""
    stores = empty()
    path = wire / "_kg.rdf12.nq"
    stores.graph.add(importing.read(path.read_bytes(), path.name).quads)
    kept = json.loads((wire / "_librarian.json").read_text("utf-8"))
    stores.library.put(
        Content(iri, item["title"], "text/plain", item["content"].encode()) for iri, item in kept.items()
    )
    with stores.database.writing() as connection:
        for iri, item in kept.items():
            if item["type"] == "source":
                chunks = [StoredChunk(key, iri, part["content"]) for key, part in kept.items()
                          if part["type"] == "chunk" and document_of(stores, key) == iri]  # fmt: skip
                document = StoredDocument(iri, iri, item["title"], "text/plain", item["content"])
                put_documents(connection, [document])
                put_chunks(connection, chunks)
                finish_documents(connection, [iri])
    return stores


def document_of(stores, node):
    while above := [q.object for q in stores.graph.match(NamedNode(node), PROV.wasDerivedFrom, None, SOURCE)]:
        node = above[0].value
    return node


@pytest.fixture(scope="module")
def asked(wire, prompts):
    """The events of our run, the requests it made, and the stores."""
    question = prompts[0]["variables"]["query"]
    replies = [says(item["reply"], usage=used) if isinstance(item["reply"], str) else lines(item["reply"], usage=used)
               for item, used in zip(prompts, USED, strict=True)]  # fmt: skip
    stores = knowledge(wire)
    reindex(stores, EMBEDDER, progress=False)
    with serving(*replies) as server:
        reasoner = PromptedReasoner(OpenAIChat("stub-llm-1", server.url, KEY), EMBEDDER)
        setting = Setting(stores, EMBEDDER, "s", Clock(), check=False)
        engine = GraphRag(setting, reasoner, Limits(selector="reasoning"))
        events = list(Traces(stores, Clock()).record(engine.run(question), "s"))
    return events, server, stores


def rows(request):
    """The facts in a prompt."""
    _, _, data = request["messages"][1]["content"].partition("BEGIN DATA\n")
    return [json.loads(line) for line in data.partition("\nEND DATA")[0].splitlines()]


def useful(prompts):
    """The ids of the facts that were scored higher than 1."""
    return [item["id"] for item in prompts[1]["reply"] if item["score"] > 1]


def test_the_model_is_asked_the_recorded_four_things_in_the_recorded_order(asked, prompts):
    events, server, _ = asked
    assert events[-1].reason == "done"
    assert len(server.asked) == len(prompts) == 4
    question = prompts[0]["variables"]["query"]
    assert all(question in request["messages"][1]["content"] for request in server.asked)


def test_the_same_facts_are_given_to_be_scored_under_the_same_ids(asked, prompts):
    _, server, _ = asked
    ours = {row["id"]: (row["s"], row["p"], row["o"]) for row in rows(server.asked[1])}
    theirs = {row["id"]: (row["s"], row["p"], row["o"]) for row in prompts[1]["variables"]["knowledge"]}
    assert ours == theirs


def test_the_selected_edges_and_their_reasons_are_the_recorded_ones_but_those_scored_lowest(asked, record, prompts):
    ours = {selection.edge: selection.reasoning for selection in of(e.EdgeSelection, asked[0])}
    theirs = {selection.edge: selection.reasoning for selection in of(e.EdgeSelection, record)}
    assert len(ours) == len(useful(prompts)) == 14
    assert ours == {edge: theirs[edge] for edge in ours}


def test_selections_stand_by_score_and_those_of_equal_score_in_the_order_of_the_reply(asked, prompts):
    events, server, _ = asked
    named = {(row["s"], row["p"], row["o"]): row["id"] for row in rows(server.asked[1])}
    replied = {item["id"]: item["score"] for item in prompts[1]["reply"]}
    best = sorted(replied, key=lambda key: -replied[key])
    chosen = [row["id"] for row in rows(server.asked[2])]
    kept = useful(prompts)
    assert chosen == best[: len(kept)]
    selections = of(e.EdgeSelection, events)
    assert [selection.score for selection in selections] == [replied[key] / 10 for key in best[: len(kept)]]
    assert [one.score for one in of(e.Candidate, events)] == [replied[key] / 10 for key in best[len(kept) :]]
    assert [named[row["s"], row["p"], row["o"]] for row in rows(server.asked[3]) if "s" in row] == best[: len(kept)]


def test_stages_have_the_recorded_tokens_and_focus_the_sum_of_its_calls(asked, record):
    events, _, _ = asked
    for cls in (e.Grounding, e.Focus, e.Synthesis):
        [ours], [theirs] = of(cls, events), of(cls, record)
        assert (ours.in_token, ours.out_token, ours.model) == (theirs.in_token, theirs.out_token, theirs.model)
    [exploration] = of(e.Exploration, events)
    assert (exploration.in_token, exploration.model) == (None, None)
    [done] = [event for event in record if isinstance(event, Done)]
    assert done.usage == Usage(1013, 381, "stub-llm-1")
    assert events[-1].usage == replace(done.usage, calls=4)  # the wire does not count calls


def test_the_answer_and_the_concepts_are_the_recorded_ones(asked, record):
    ours, theirs = ("".join(event.delta for event in told if isinstance(event, Text)) for told in (asked[0], record))
    assert ours == theirs
    assert of(e.Grounding, asked[0])[0].ordered == ["radium", "half-life", "discovery"]
    assert of(e.Exploration, asked[0])[0].edge_count == of(e.Exploration, record)[0].edge_count == 30


def test_every_selected_edge_leads_to_its_words(asked):
    events, _, _ = asked
    [focus] = [event for event in events if isinstance(event, Explain) and event.passages]
    assert len(of(e.EdgeSelection, events)) == 14
    assert all(passages and passages[0].text for passages in focus.passages.values())


def test_prompts_and_replies_are_kept_as_they_were(asked, prompts):
    events, server, stores = asked
    steps = [entity for entity in of(e.Step, events) if entity.prompt]
    assert [len(step.prompt) for step in steps] == [1, 2, 1]
    kept = [stores.library.text(iri) for step in steps for iri in step.prompt]
    for text, request in zip(kept, server.asked, strict=True):
        assert all(message["content"] in text for message in request["messages"])
    assert stores.library.text(steps[0].reply[0]) == prompts[0]["reply"]
    assert [json.loads(line) for line in stores.library.text(steps[1].reply[0]).splitlines()] == prompts[1]["reply"]
