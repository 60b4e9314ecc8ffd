"""Broken records: each is what somebody could have made of a good one, and each is found; good ones are not blamed."""

import hashlib
import json

import pytest
from pyoxigraph import Literal, NamedNode, Quad, Triple

from explorer.engines.facts.graph_rag import BELOW
from explorer.events import Content
from explorer.record.verification.evidence import Evidence
from explorer.record.verification.rules import cited, scored
from explorer.record.verification.texts import TEXT_RULES
from explorer.vocab import PROV, RDF, RDFS, RETRIEVAL, SOURCE, TG, X, iri, recognise, session_of
from tests.corpus import QUESTIONS, copy_of, filled, read
from tests.script import SEARCHED, Script
from tests.tampering import unlock

FACTS_RUN, PASSAGES_RUN, AGENT_RUN = "s1", "s2", "s3"
DECLINED_RUN = "s5"
JSON = RDF.JSON


def node(kind, session=FACTS_RUN, index=None):
    return NamedNode(iri(kind, session, index))


ASKED, EXPLORED, FOCUS, SAID, ANSWER, END = map(
    node, ("question", "exploration", "focus", "synthesis", "answer", "end")
)
EDGE, CITED = node("edge", index=0), node("citation", index=0)
CHUNK, OTHER = node("chunk-selection", PASSAGES_RUN, 0), node("answer", DECLINED_RUN)
OF_HTML = "UPDATE contents SET mime = 'text/html' WHERE iri"


def four_runs(ws):
    read(ws)
    ws.run(QUESTIONS[0], "graph-rag", by="Ada", selector="rerank")
    ws.run(QUESTIONS[0], "document-rag")
    ws.run(QUESTIONS[0], "agent")
    ws.run(QUESTIONS[3], "graph-rag")
    return ws


@pytest.fixture
def ws():
    with copy_of(four_runs) as workspace:
        yield workspace


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

    def of(self, subject):
        return list(self.graph.match(subject, None, None, RETRIEVAL))

    def sql(self, *statements):
        """Change the library by hand, the ledger too; a statement may name the first document."""
        with self.ws.stores.database.writing() as connection:
            unlock(connection)
            for statement in statements:
                connection.execute(statement.replace("{document}", self.document()))
        self.ws.sources.forget()

    def document(self):
        return self.ws.stores.database.rows("SELECT iri FROM documents ORDER BY title")[0]["iri"]

    def copied(self, session, other, day="", earlier=""):
        """Have a second run that says the same as the first, texts and all, and no seal, and maybe of another day."""
        for quad in list(self.graph.match(None, None, None, RETRIEVAL)):
            if (
                recognise(quad.subject.value)
                and recognise(quad.subject.value).key == session
                and quad.predicate != X.previous
            ):
                made = Quad(*(_renamed(term, session, other) for term in quad))
                if isinstance(made.object, Literal) and day in made.object.value and day:
                    when = Literal(made.object.value.replace(day, earlier), datatype=made.object.datatype)
                    made = Quad(made.subject, made.predicate, when, made.graph_name)
                self.graph.add([made])
        for row in self.ws.stores.database.rows("SELECT * FROM contents WHERE iri LIKE ?", (f"%:{session}",)):
            iri = row["iri"].replace(f":{session}", f":{other}")
            self.ws.stores.library.put([Content(iri, row["title"], row["mime"], row["data"])])

    def text(self, content, text):
        old = self.ws.stores.library.get(content.value)
        self.ws.stores.library.put([Content(old.iri, old.title, old.mime, text.encode())])


def _renamed(term, session, other):
    return NamedNode(term.value.replace(f":{session}", f":{other}")) if isinstance(term, NamedNode) else term


def swapped(b, one, other):
    """Give two contents each the words and the hash of the other."""
    words = [b.ws.stores.library.get(node.value).data.decode() for node in (one, other)]
    hashes = [b.value(node, X.sha256, RETRIEVAL) for node in (one, other)]
    for node, text, sha256 in zip((other, one), words, hashes, strict=True):
        b.text(node, text)
        b.put(node, X.sha256, sha256)


def shifted(b):
    """Have everything begin and end an hour later."""
    for term in (PROV.startedAtTime, PROV.endedAtTime, X.startedAt):
        for quad in list(b.graph.match(None, term, None, RETRIEVAL)):
            b.put(quad.subject, term, quad.object.value.replace("T10", "T11"))


def passage(b):
    return b.value(subgraph(b), PROV.wasDerivedFrom)


def pages(b, number):
    for quad in list(b.graph.match(None, TG.pageNumber, None, SOURCE)):
        b.put(quad.subject, TG.pageNumber, Literal(number, datatype=quad.object.datatype), graph=SOURCE)


def waiting(b, about, kind):
    b.sql(f"INSERT INTO unsealed VALUES ('{about}', '{kind}', '2026-01-15T12:00:00Z', '')")


def second_question(b):
    asked = node("question", "zz")
    for quad in list(b.graph.match(ASKED, None, None, RETRIEVAL)):
        b.add(asked, quad.predicate, quad.object)
    b.add(asked, X.run, ASKED)


def other_fact(fact):
    return Triple(fact.subject, fact.predicate, Literal("something else"))


def subgraph(b):
    return b.value(EDGE, PROV.wasDerivedFrom)


BROKEN = {
    "the question is gone from its node": lambda b: b.drop(ASKED, TG.query),
    "an End without a reason": lambda b: b.drop(END, X.reason),
    "an End that says declined": lambda b: b.put(END, X.reason, "declined"),
    "an End that says done, of a run that declined": lambda b: b.put(node("end", DECLINED_RUN), X.reason, "done"),
    "an End with a reason of its own": lambda b: b.put(END, X.reason, "finished"),
    "an End that says error, without a failure": lambda b: b.put(END, X.reason, "error"),
    "an End before the beginning": lambda b: b.put(END, PROV.endedAtTime, "2020-01-01T00:00:00Z"),
    "a time that is none": lambda b: b.put(END, PROV.endedAtTime, "yesterday"),
    "two ends": lambda b: b.add(END, X.reason, "error"),
    "no answer": lambda b: b.drop(SAID),
    "an answer that declined": lambda b: b.put(SAID, TG.terminationReason, "declined"),
    "a failure beside an answer": lambda b: [
        b.add(node("failure"), RDF.type, TG.Error), b.add(node("failure"), TG.toolError, "It broke."),
        b.add(node("failure"), X.run, ASKED), b.add(node("failure"), PROV.wasDerivedFrom, FOCUS),
    ],
    "a step that derives from itself": lambda b: b.add(node("grounding"), PROV.wasDerivedFrom, FOCUS),
    "a step that derives from nothing": lambda b: b.drop(EXPLORED, PROV.wasDerivedFrom),
    "a step that derives from what is not there": lambda b: b.add(
        FOCUS, PROV.wasDerivedFrom, NamedNode("urn:trustgraph:prov:exploration:other")
    ),
    "a selection that is not there": lambda b: b.add(FOCUS, TG.selectedEdge, node("edge", index=99)),
    "a selection without its fact": lambda b: b.drop(EDGE, TG.edge),
    "a selection that no step selected": lambda b: b.graph.replace(
        (), (), list(b.graph.match(FOCUS, TG.selectedEdge, EDGE, RETRIEVAL))
    ),
    "another fact": lambda b: b.put(EDGE, TG.edge, other_fact(b.value(EDGE, TG.edge, RETRIEVAL))),
    "a score above 1": lambda b: b.put(EDGE, TG.score, "1.7"),
    "a score that is no number": lambda b: b.put(EDGE, TG.score, "high"),
    "a score that is not the sum of its parts": lambda b: b.put(CHUNK, TG.score, "0.0001"),
    "a fact both kept and not kept": lambda b: [
        b.add(node("candidate", index=77), RDF.type, X.Candidate),
        b.add(node("candidate", index=77), X.run, ASKED),
        b.add(node("candidate", index=77), X.edge, b.value(EDGE, TG.edge, RETRIEVAL)),
        b.add(FOCUS, X.candidate, node("candidate", index=77)),
    ],
    "more kept than looked at": lambda b: b.put(EXPLORED, TG.edgeCount, "1"),
    "a count that the list does not have": lambda b: b.put(EXPLORED, TG.edgeCount, "999"),
    "a list of facts with another in it": lambda b: b.text(node("explored"), "<urn:a> <urn:b> <urn:c> ."),
    "a passage that was not found": lambda b: b.put(CHUNK, TG.document, NamedNode("urn:chunk:elsewhere")),
    "a count of passages that is not theirs": lambda b: b.put(
        node("docrag-exploration", PASSAGES_RUN), TG.chunkCount, "1"
    ),
    "a citation of what was not kept": lambda b: b.put(CITED, X.cites, node("candidate", index=0)),
    "a citation of another run": lambda b: b.put(CITED, X.cites, CHUNK),
    "a citation behind the end of the answer": lambda b: b.put(CITED, X.end, "99999"),
    "a citation that ends before it begins": lambda b: [b.put(CITED, X.start, "9"), b.put(CITED, X.end, "3")],
    "a citation of words behind the passage": lambda b: b.put(CITED, X.sourceEnd, "99999"),
    "a citation that is gone": lambda b: b.drop(CITED),
    "an answer in other words": lambda b: b.text(ANSWER, "The valve was never built by anybody."),
    "an answer whose hash was changed too": lambda b: b.put(
        ANSWER, X.sha256, hashlib.sha256(b"something else").hexdigest()
    ),
    "key ideas that are not those in order": lambda b: b.add(node("grounding"), TG.concept, "something else"),
    "parameters that are no JSON": lambda b: b.put(ASKED, X.parameters, Literal("{limit: 3", datatype=JSON)),
    "key ideas that are no list": lambda b: b.put(node("grounding"), X.concepts, Literal('{"a": 1}', datatype=JSON)),
    "a term that nobody knows": lambda b: b.add(FOCUS, NamedNode(X.base + "approvedBy"), "the board"),
    "a step in another graph": lambda b: b.add(FOCUS, TG.selectedEdge, EDGE, SOURCE),
    "a number twice": lambda b: b.put(FOCUS, X.sequence, "1"),
    "a number left out": lambda b: b.put(END, X.sequence, "42"),
    "steps in another order": lambda b: [b.put(FOCUS, X.sequence, "2"), b.put(EXPLORED, X.sequence, "3")],
    "a step that began before its run": lambda b: b.put(FOCUS, X.startedAt, "2020-01-01T00:00:00Z"),
    "a step longer than its run": lambda b: b.put(FOCUS, X.durationMs, "86400000"),
    "a step of another run": lambda b: b.put(FOCUS, X.run, node("docrag-question", PASSAGES_RUN)),
    "a step of no run": lambda b: b.drop(FOCUS, X.run),
    "a step of another kind": lambda b: b.put(FOCUS, RDF.type, TG.Grounding, PROV.Entity),
    "another engine": lambda b: b.put(ASKED, X.engine, "graph-rag/9.9"),
    "another model": lambda b: b.put(ASKED, X.reasoner, "gpt-9"),
    "a run of another question": lambda b: b.put(node("run"), PROV.used, node("docrag-question", PASSAGES_RUN)),
    "a run that began at another time": lambda b: b.put(node("run"), PROV.startedAtTime, "2020-01-01T00:00:00Z"),
    "a support above 1": lambda b: b.put(
        SAID, X.support, Literal('{"value": 7, "level": "strong", "parts": {}}', datatype=JSON)
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
    "two answers in each other's place, hashes too": lambda b: swapped(b, ANSWER, OTHER),
    "an answer without a text": lambda b: b.drop(SAID, TG.document),
    "an answer with a text that is nowhere": lambda b: b.put(
        SAID, TG.document, NamedNode("urn:trustgraph:synthesis:elsewhere")
    ),
    "an answer with the text of another run": lambda b: b.put(SAID, TG.document, OTHER),
    "a citation of nothing": lambda b: b.drop(CITED, X.cites),
    "a citation of another fact that was kept": lambda b: b.put(CITED, X.cites, node("edge", index=6)),
    "a second Question": second_question,
    "a passage selected twice": lambda b: b.put(
        CHUNK, TG.document,
        b.value(node("chunk-selection", PASSAGES_RUN, 4), TG.document),
    ),
    "a page behind the last": lambda b: pages(b, "9"),
    "a passage that leads to no document": lambda b: b.drop(passage(b), PROV.wasDerivedFrom, graph=SOURCE),
    "a passage that the library has of another document": lambda b: b.sql("UPDATE chunks SET document = '{document}'"),
    "a document under another title": lambda b: b.sql("UPDATE documents SET title = 'Another'"),
    "a document of another kind": lambda b: b.sql("UPDATE documents SET mime = 'text/html'"),
    "a document that is gone from the library": lambda b: b.sql("DELETE FROM documents WHERE iri = '{document}'"),
    "a document whose bytes are gone": lambda b: b.sql("DELETE FROM contents WHERE iri = '{document}'"),
    "an activity that is gone": lambda b: [
        b.drop(node("run")), b.graph.replace((), (), list(b.graph.match(None, None, node("run")))),
    ],
    "another person who asked": lambda b: [
        b.put(quad.subject, RDFS.label, "Eve") for quad in list(b.graph.match(None, RDFS.label, Literal("Ada")))
    ],
    "a step under another name": lambda b: b.put(FOCUS, RDFS.label, "The best facts"),
    "a stored text of another kind": lambda b: b.sql(f"{OF_HTML} = '{ANSWER.value}'"),
    "a document whose bytes are kept as another kind": lambda b: b.sql(f"{OF_HTML} = '{{document}}'"),
    "a document whose bytes are kept under another title": lambda b: b.sql(
        "UPDATE contents SET title = 'Another' WHERE iri = '{document}'"
    ),
    "all times an hour later": shifted,
    "a run copied in beside the others": lambda b: b.copied(DECLINED_RUN, "s9"),
    "a run copied in that began before all others": lambda b: b.copied(DECLINED_RUN, "s9", "2026-01-15", "2020-01-15"),
    "a run copied in without the times of its steps": lambda b: [
        b.copied(DECLINED_RUN, "s9"), *(b.drop(one.subject, X.startedAt) for one in [*b.graph.match(None, X.startedAt)]
                                        if session_of(one.subject.value) == "s9"),
    ],
    "the last entry of the ledger cut off": lambda b: b.sql("DELETE FROM ledger WHERE number = 4"),
    "all of the ledger gone": lambda b: b.sql("DELETE FROM ledger"),
    "a text that is said to have been removed": lambda b: [
        b.add(ANSWER, PROV.invalidatedAtTime, "2026-01-15T12:00:00Z"), b.text(ANSWER, "Removed."),
    ],
    "a change that is passed off as a text removed": lambda b: [
        b.put(FOCUS, RDFS.label, "Another"), waiting(b, ANSWER.value, "amended"),
        b.ws.traces.ledger.settle(),
    ],
}  # fmt: skip
BY_A_SEAL_ALONE = {
    "two answers in each other's place, hashes too",
    "another person who asked", "a step under another name", "a run copied in beside the others",
    "a run copied in that began before all others", "a run copied in without the times of its steps",
    "the last entry of the ledger cut off", "all of the ledger gone", "a change that is passed off as a text removed",
}  # fmt: skip


def test_good_runs_are_not_blamed(ws):
    found = ws.verify()
    assert [*found] == []
    assert set(found.runs) == {one.iri for one in ws.traces.list()}
    assert found.is_sound


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_record_is_found(ws, name):
    before = set(ws.graph.match())
    BROKEN[name](Breaking(ws))
    found = ws.verify()
    assert found.faults
    assert not found.is_sound
    by_rules = [one.what for one in found.faults if "seal" not in one.what]
    assert bool(by_rules) == (name not in BY_A_SEAL_ALONE)  # records of others, and imported ones, have no seal of ours
    if before != set(ws.graph.match()):
        assert all(one.node and one.what for one in found.faults)


BY_RULES = {
    "a citation of no characters": (lambda b: b.put(CITED, X.end, b.value(CITED, X.start).value), "its span begins at"),
    "a citation that begins before the answer": (lambda b: b.put(CITED, X.start, "-4"), "its span begins at -4"),
    "a citation that quotes from before its passage": (
        lambda b: b.put(CITED, X.sourceStart, "-4"), "a span that it quotes"
    ),
    "a citation that quotes no characters": (
        lambda b: b.put(CITED, X.sourceEnd, b.value(CITED, X.sourceStart).value), "a span that it quotes"
    ),
    "a citation that quotes a second place behind its passage": (
        lambda b: b.put(CITED, X.quotes, json.dumps({b.value(CITED, X.cites).value: [0, 4, 5, 99_999]})),
        "ends after the passage",
    ),
    "a citation that quotes a place without an end": (
        lambda b: b.put(CITED, X.quotes, json.dumps({b.value(CITED, X.cites).value: [0, 4, 5]})),
        "a span that it quotes",
    ),
    "two citations of one span": (
        lambda b: [
            *(b.add(node("citation", index=9), one.predicate, one.object) for one in b.of(CITED)),
            b.add(SAID, X.citation, node("citation", index=9)),
        ],
        "another citation has the same span",
    ),
    "a selection without a score": (lambda b: b.drop(EDGE, TG.score), "it has no score"),
    "a fact that was not kept and is the best": (lambda b: left(b, "0.99", "99"), "better than that of every fact"),
    "a fact that was not kept, without a score": (lambda b: left(b, None, "99"), "it has no score"),
    "a fact that was not kept, in the place of one that was": (lambda b: left(b, "0.01", "1"), "its rank is 1"),
    "two facts that were not kept in one place": (
        lambda b: [left(b, "0.01", "99"), left(b, "0.01", "99", 8)], "two of those not kept have one rank"
    ),
}  # fmt: skip


def left(b, score, rank, number=7):
    """Have a fact be scored and not kept."""
    other = NamedNode(f"urn:{number}")
    told = {RDF.type: X.Candidate, X.run: ASKED, X.edge: Triple(other, other, other), X.rank: Literal(rank),
            X.notSelected: Literal(BELOW), TG.score: score and Literal(score)}  # fmt: skip
    for term, value in told.items():
        if value is not None:
            b.add(node("candidate", index=number), term, value)
    b.add(FOCUS, X.candidate, node("candidate", index=number))


def by_rules(ws):
    """What is found without seals, as in a file."""
    record = Evidence(ws.stores, iri("question", FACTS_RUN))
    return [one.what for rule in (scored, cited, *TEXT_RULES) for one in rule(record) if one.is_fault]


@pytest.mark.parametrize("name", BY_RULES)
def test_what_is_broken_is_found_by_a_rule_also_without_a_seal(ws, name):
    change, said = BY_RULES[name]
    assert by_rules(ws) == []
    change(Breaking(ws))
    assert any(said in what for what in by_rules(ws)), by_rules(ws)


def test_one_prompt_that_is_gone_is_told_from_prompts_that_were_never_kept():
    with filled() as ws:
        ws.chat = Script(SEARCHED)
        run = ws.run(QUESTIONS[0], "graph-rag")
        assert ws.verify(run).is_sound
        [first, *_] = ws.stores.database.rows("SELECT iri FROM contents WHERE iri LIKE '%:prompt:%'")
        Breaking(ws).sql(f"DELETE FROM contents WHERE iri = '{first['iri']}'")
        assert [one.what for one in ws.verify(run).faults] == ["its text is missing"]
        Breaking(ws).sql("DELETE FROM contents WHERE iri LIKE '%:prompt:%' OR iri LIKE '%:reply:%'")
        assert {one.what for one in ws.verify(run).faults} == {"its text is missing"}
        assert ws.ledger.entry(run.iri).calls > 1
        ws.record_prompts = False
        assert ws.verify(ws.run(QUESTIONS[1], "graph-rag")).is_sound
