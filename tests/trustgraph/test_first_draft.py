import json

import pytest
from pyoxigraph import Literal, NamedNode

from explorer import entities as e
from explorer import rdf
from explorer.errors import RecordError
from explorer.events import Done, Explain
from explorer.trustgraph.first_draft import is_draft, quads
from explorer.trustgraph.messages import events
from explorer.vocab import PROV, X
from tests.each import each
from tests.trustgraph.wire import final

SESSION = "urn:trustgraph:session:s1"
RETRIEVAL, TOOL, REASONING, ANSWER = (f"urn:trustgraph:prov:0000000{number}" for number in range(1, 5))
COMMON = {"session_id": SESSION, "timestamp": "2026-01-15T10:30:00Z"}
FACT = {"id": "urn:trustgraph:fact:f1", "content": "An unladen swallow flies at 8.5 m/s"}
NODES = [
    {
        "id": RETRIEVAL,
        **COMMON,
        "type": "retrieval",
        "derived_from": [],
        "facts": [FACT, "urn:trustgraph:fact:f2"],
        "source_refs": ["urn:trustgraph:extract:x1"],
    },
    {
        "id": TOOL,
        **COMMON,
        "type": "tool_invocation",
        "derived_from": [RETRIEVAL],
        "tool_name": "calculator",
        "input": {"expression": "8 + 5"},
        "output": "13",
        "detail_level": "basic",
    },
    {
        "id": REASONING,
        **COMMON,
        "type": "reasoning",
        "derived_from": [RETRIEVAL, TOOL],
        "prompt_summary": "How fast?",
        "conclusion": "8.5 m/s",
    },
    {"id": ANSWER, **COMMON, "type": "answer", "derived_from": [REASONING], "content": "It flies at 8.5 m/s."},
]


def described():
    return {entity.iri: entity for entity in rdf.entities(quad for node in NODES for quad in quads(node))}


def test_the_nodes_of_the_first_draft_become_the_entities_of_today():
    found = described()
    assert isinstance(found[SESSION], e.AgentQuestion)
    assert isinstance(found[RETRIEVAL], e.Exploration)
    assert isinstance(found[TOOL], e.Analysis)
    assert isinstance(found[f"{TOOL}/observation"], e.Observation)
    assert isinstance(found[REASONING], e.Reflection)
    assert isinstance(found[ANSWER], e.Conclusion)
    assert found[RETRIEVAL].edge_count == 2
    assert (found[TOOL].action, json.loads(found[TOOL].arguments)) == ("calculator", {"expression": "8 + 5"})
    assert found[f"{TOOL}/observation"].content == "13"
    assert found[REASONING].content == "8.5 m/s"
    assert found[ANSWER].content == "It flies at 8.5 m/s."
    assert found[FACT["id"]].label == FACT["content"]


def test_they_derive_as_they_said_and_the_first_of_a_session_from_the_session():
    parents = {entity.iri: entity.derived_from for entity in described().values()}
    assert parents[RETRIEVAL] == (SESSION,)
    assert parents[TOOL] == (RETRIEVAL,)
    assert parents[f"{TOOL}/observation"] == (TOOL,)
    assert parents[REASONING] == (RETRIEVAL, TOOL)
    assert parents[ANSWER] == (REASONING,)
    assert parents[FACT["id"]] == parents["urn:trustgraph:fact:f2"] == (RETRIEVAL,)


@each("node", NODES)
def test_no_value_is_lost(node):
    written = rdf.dump(quads(node), "nq").decode()
    values = [node["timestamp"], *(value for key, value in node.items() if key not in ("type", "session_id", "facts"))]
    for value in values:
        for word in value if isinstance(value, list) else value.values() if isinstance(value, dict) else [value]:
            assert word in written


def test_what_no_predicate_stands_for_is_kept_as_json():
    rest = next(quad.object for quad in quads(NODES[1]) if quad.predicate == X.parameters)
    assert json.loads(rest.value) == {"detail_level": "basic"}
    times = [quad.object for quad in quads(NODES[1]) if quad.predicate == PROV.startedAtTime]
    assert times == [Literal(COMMON["timestamp"])]


def test_they_are_read_from_a_stream_bare_in_envelopes_and_among_references():
    bare = list(events([*NODES, final()]))
    assert bare == [*(Explain(node["id"], tuple(quads(node))) for node in NODES), Done("done")]
    assert list(events([*({"id": "r", "response": node} for node in NODES), final()])) == bare
    assert list(events([{"chunk_type": "provenance", "provenance_refs": NODES}, final()])) == bare


def test_only_what_says_where_it_belongs_is_such_a_node():
    assert not is_draft({"id": "r1", "type": "answer"})
    assert not is_draft({"id": "r1", "type": "auth", "session_id": "s"})
    assert not is_draft("answer")
    assert not is_draft({"id": 1, "type": "answer", "derived_from": []})


@pytest.mark.parametrize("wrong", [{"id": "no iri"}, {"derived_from": ["no iri"]}, {"facts": [{"content": "x"}]}])
def test_a_node_that_can_not_be_read_is_refused(wrong):
    node = {**NODES[0], **wrong}
    with pytest.raises(RecordError, match="can't be read"):
        quads(node)
    with pytest.raises(RecordError, match="Message 1"):
        list(events([node]))
    refused = []
    assert list(events([node, final()], refused=refused)) == [Done("done")]
    assert len(refused) == 1


def test_text_that_is_no_string_is_kept_as_json():
    node = {**NODES[3], "content": {"speed": 8.5}}
    assert NamedNode(ANSWER) in {quad.subject for quad in quads(node)}
    assert json.loads(rdf.entities(quads(node))[0].content) == {"speed": 8.5}
