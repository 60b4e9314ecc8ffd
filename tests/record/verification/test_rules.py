"""Broken records: each is what somebody could have made of a good one, and each is found; good ones are not blamed."""

import hashlib

import pytest
from pyoxigraph import Literal, NamedNode, Quad, Triple

from explorer.events import Content
from explorer.vocab import PROV, RDF, RETRIEVAL, SOURCE, TG, X, iri
from tests.corpus import QUESTIONS, filled

FACTS_RUN, PASSAGES_RUN, AGENT_RUN = "s1", "s2", "s3"
DECLINED_RUN = "s4"
JSON = RDF.JSON


def node(kind, session=FACTS_RUN, index=None):
    return NamedNode(iri(kind, session, index))


@pytest.fixture
def ws():
    with filled() as workspace:
        workspace.run(QUESTIONS[0], "graph-rag", by="Ada")
        workspace.run(QUESTIONS[0], "document-rag")
        workspace.run(QUESTIONS[0], "agent")
        workspace.run(QUESTIONS[3], "graph-rag")
        yield workspace


def runs(ws):
    return [one.iri for one in ws.traces.list()]


class Breaking:
    """What somebody does to a record by hand."""

    def __init__(self, ws):
        self.ws, self.graph = ws, ws.graph

    def put(self, subject, link, *values, graph=RETRIEVAL):
        """Give a node these values of a term, in place of those it had."""
        gone = list(self.graph.match(subject, link, None, graph))
        terms = [one if not isinstance(one, str) else Literal(one) for one in values]
        self.graph.replace((), [Quad(subject, link, term, graph) for term in terms], gone)

    def add(self, subject, link, value, graph=RETRIEVAL):
        term = value if not isinstance(value, str) else Literal(value)
        self.graph.add([Quad(subject, link, term, graph)])

    def drop(self, subject, link=None, graph=RETRIEVAL):
        gone = list(self.graph.match(subject, link, None, graph))
        assert gone
        self.graph.replace((), (), gone)

    def value(self, subject, link, graph=None):
        return next(iter(self.graph.match(subject, link, None, graph))).object

    def text(self, content, text):
        old = self.ws.stores.library.get(content.value)
        self.ws.stores.library.put([Content(old.iri, old.title, old.mime, text.encode())])


def other_fact(fact):
    return Triple(fact.subject, fact.predicate, Literal("something else"))


def subgraph(b):
    return b.value(node("edge", index=0), PROV.wasDerivedFrom)


BROKEN = {
    "the question is gone from its node": lambda b: b.drop(node("question"), TG.query),
    "an End without a reason": lambda b: b.drop(node("end"), X.reason),
    "an End that says declined": lambda b: b.put(node("end"), X.reason, "declined"),
    "an End that says done, of a run that declined": lambda b: b.put(node("end", DECLINED_RUN), X.reason, "done"),
    "an End with a reason of its own": lambda b: b.put(node("end"), X.reason, "finished"),
    "an End that says error, without a failure": lambda b: b.put(node("end"), X.reason, "error"),
    "an End before the beginning": lambda b: b.put(node("end"), PROV.endedAtTime, "2020-01-01T00:00:00Z"),
    "a time that is none": lambda b: b.put(node("end"), PROV.endedAtTime, "yesterday"),
    "two ends": lambda b: b.add(node("end"), X.reason, "error"),
    "no answer": lambda b: b.drop(node("synthesis")),
    "an answer that declined": lambda b: b.put(node("synthesis"), TG.terminationReason, "declined"),
    "a failure beside an answer": lambda b: [
        b.add(node("failure"), RDF.type, TG.Error), b.add(node("failure"), TG.toolError, "It broke."),
        b.add(node("failure"), X.run, node("question")), b.add(node("failure"), PROV.wasDerivedFrom, node("focus")),
    ],
    "a step that derives from itself": lambda b: b.add(node("grounding"), PROV.wasDerivedFrom, node("focus")),
    "a step that derives from nothing": lambda b: b.drop(node("exploration"), PROV.wasDerivedFrom),
    "a step that derives from what is not there": lambda b: b.add(
        node("focus"), PROV.wasDerivedFrom, NamedNode("urn:trustgraph:prov:exploration:other")
    ),
    "a selection that is not there": lambda b: b.add(node("focus"), TG.selectedEdge, node("edge", index=99)),
    "a selection without its fact": lambda b: b.drop(node("edge", index=0), TG.edge),
    "a selection that no step selected": lambda b: b.graph.replace(
        (), (), list(b.graph.match(node("focus"), TG.selectedEdge, node("edge", index=0), RETRIEVAL))
    ),
    "another fact": lambda b: b.put(
        node("edge", index=0), TG.edge, other_fact(b.value(node("edge", index=0), TG.edge, RETRIEVAL))
    ),
    "a score above 1": lambda b: b.put(node("edge", index=0), TG.score, "1.7"),
    "a score that is no number": lambda b: b.put(node("edge", index=0), TG.score, "high"),
    "a score that is not the sum of its parts": lambda b: b.put(node("edge", index=0), TG.score, "0.0001"),
    "a fact both kept and not kept": lambda b: [
        b.add(node("candidate", index=77), RDF.type, X.Candidate),
        b.add(node("candidate", index=77), X.run, node("question")),
        b.add(node("candidate", index=77), X.edge, b.value(node("edge", index=0), TG.edge, RETRIEVAL)),
        b.add(node("focus"), X.candidate, node("candidate", index=77)),
    ],
    "more kept than looked at": lambda b: b.put(node("exploration"), TG.edgeCount, "1"),
    "a count that the list does not have": lambda b: b.put(node("exploration"), TG.edgeCount, "999"),
    "a list of facts with another in it": lambda b: b.text(node("explored"), "<urn:a> <urn:b> <urn:c> ."),
    "a passage that was not found": lambda b: b.put(
        node("chunk-selection", PASSAGES_RUN, 0), TG.document, NamedNode("urn:chunk:elsewhere")
    ),
    "a count of passages that is not theirs": lambda b: b.put(
        node("docrag-exploration", PASSAGES_RUN), TG.chunkCount, "1"
    ),
    "a citation of what was not kept": lambda b: b.put(node("citation", index=0), X.cites, node("candidate", index=0)),
    "a citation of another run": lambda b: b.put(
        node("citation", index=0), X.cites, node("chunk-selection", PASSAGES_RUN, 0)
    ),
    "a citation behind the end of the answer": lambda b: b.put(node("citation", index=0), X.end, "99999"),
    "a citation that ends before it begins": lambda b: [
        b.put(node("citation", index=0), X.start, "9"), b.put(node("citation", index=0), X.end, "3"),
    ],
    "a citation of words behind the passage": lambda b: b.put(node("citation", index=0), X.sourceEnd, "99999"),
    "a citation that is gone": lambda b: b.drop(node("citation", index=0)),
    "an answer in other words": lambda b: b.text(node("answer"), "The valve was never built by anybody."),
    "an answer whose hash was changed too": lambda b: b.put(
        node("answer"), X.sha256, hashlib.sha256(b"something else").hexdigest()
    ),
    "key ideas that are not those in order": lambda b: b.add(node("grounding"), TG.concept, "something else"),
    "parameters that are no JSON": lambda b: b.put(node("question"), X.parameters, Literal("{limit: 3", datatype=JSON)),
    "key ideas that are no list": lambda b: b.put(node("grounding"), X.concepts, Literal('{"a": 1}', datatype=JSON)),
    "a term that nobody knows": lambda b: b.add(node("focus"), NamedNode(X.base + "approvedBy"), "the board"),
    "a step in another graph": lambda b: b.add(node("focus"), TG.selectedEdge, node("edge", index=0), SOURCE),
    "a number twice": lambda b: b.put(node("focus"), X.sequence, "1"),
    "a number left out": lambda b: b.put(node("end"), X.sequence, "42"),
    "steps in another order": lambda b: [
        b.put(node("focus"), X.sequence, "2"), b.put(node("exploration"), X.sequence, "3"),
    ],
    "a step that began before its run": lambda b: b.put(node("focus"), X.startedAt, "2020-01-01T00:00:00Z"),
    "a step longer than its run": lambda b: b.put(node("focus"), X.durationMs, "86400000"),
    "a step of another run": lambda b: b.put(node("focus"), X.run, node("docrag-question", PASSAGES_RUN)),
    "a step of no run": lambda b: b.drop(node("focus"), X.run),
    "a step of another kind": lambda b: b.put(node("focus"), RDF.type, TG.Grounding, PROV.Entity),
    "another engine": lambda b: b.put(node("question"), X.engine, "graph-rag/9.9"),
    "another model": lambda b: b.put(node("question"), X.reasoner, "gpt-9"),
    "a run of another question": lambda b: b.put(node("run"), PROV.used, node("docrag-question", PASSAGES_RUN)),
    "a run that began at another time": lambda b: b.put(node("run"), PROV.startedAtTime, "2020-01-01T00:00:00Z"),
    "a support above 1": lambda b: b.put(
        node("synthesis"), X.support, Literal('{"value": 7, "level": "strong", "parts": {}}', datatype=JSON)
    ),
    "words that do not stand in their passage": lambda b: b.put(
        subgraph(b), TG.sourceText, "The valve was built on the moon.", graph=SOURCE
    ),
    "words at another offset": lambda b: b.put(subgraph(b), TG.sourceCharOffset, "7", graph=SOURCE),
    "a passage without the fact": lambda b: b.drop(subgraph(b), TG.contains, graph=SOURCE),
    "an agent's answer in other words": lambda b: b.text(node("agent-answer", AGENT_RUN), "I have no idea."),
    "an agent's result in other words": lambda b: b.text(node("observation", AGENT_RUN, 1), "Nothing found."),
    "an agent's arguments that are no JSON": lambda b: b.put(node("analysis", AGENT_RUN, 1), TG.arguments, "{question"),
    "a step of an agent that is gone": lambda b: b.drop(node("analysis", AGENT_RUN, 1)),
}  # fmt: skip


def test_good_runs_are_not_blamed(ws):
    found = ws.verify()
    assert [*found] == []
    assert set(found.runs) == set(runs(ws))
    assert found.is_sound


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_record_is_found(ws, name):
    before = set(ws.graph.match())
    BROKEN[name](Breaking(ws))
    found = ws.verify()
    assert found.faults, name
    assert not found.is_sound
    if before != set(ws.graph.match()):
        assert all(one.node and one.what for one in found.faults)
