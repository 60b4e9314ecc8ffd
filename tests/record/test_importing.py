"""Records from elsewhere: what comes in is stored as it came, what can't be read is told, and the counts add up."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from pyoxigraph import BlankNode, Literal, NamedNode, Quad, Triple

import explorer
from explorer import entities as e
from explorer import rdf
from explorer.dag import ProvenanceDag
from explorer.errors import RecordError
from explorer.events import Explain
from explorer.record import importing, storing_imports
from explorer.trustgraph import messages as trustgraph
from explorer.vocab import FACTS, RETRIEVAL, SOURCE, TG, iri
from tests.agents import EDGE, SESSIONS, react, search
from tests.corpus import QUESTIONS, filled
from tests.each import each
from tests.trustgraph import wire
from tests.trustgraph.written import messages

LOSSLESS = ("nq", "trig", "json-ld")
GRAPHLESS = ("nt", "turtle", "rdfxml")
SUFFIXES = {"turtle": "ttl", "rdfxml": "rdf", "json-ld": "jsonld"}
STAR = """
<urn:sg:1> <https://trustgraph.ai/ns/contains> << <urn:e:a> <urn:e:is> "x << y >>"@en >> <urn:graph:source> .
<urn:sg:1> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <https://trustgraph.ai/ns/Subgraph> <urn:graph:source> .
<urn:s:1> <https://trustgraph.ai/ns/edge> <<( <urn:e:a> <urn:e:is> "x << y >>"@en )>> <urn:graph:retrieval> .
"""


def quads(events):
    return {quad for event in events if isinstance(event, Explain) for quad in event.triples}


def stored(ws):
    """All there is in a workspace, to be compared."""
    rows = ws.stores.database.rows
    return set(ws.graph.match()), [set(map(tuple, rows(f"SELECT * FROM {table}"))) for table in ("contents", "listing")]


@pytest.fixture
def imported(ws, tmp_path):
    """Write a file, and take it in."""

    def take(name, data, form=None):
        (tmp_path / name).write_bytes(data)
        return ws.import_record(tmp_path / name, form)

    return take


def named(form):
    return f"record.{SUFFIXES.get(form, form)}"


@each("form", [*LOSSLESS, *GRAPHLESS])
@each("session", SESSIONS)
def test_a_record_is_stored_as_it_came_or_without_graphs_where_its_classes_stand(tmp_path, form, session):
    given = quads(SESSIONS[session])
    (tmp_path / named(form)).write_bytes(rdf.dump(given, form))
    with explorer.open() as ws:
        done = ws.import_record(tmp_path / named(form))
        assert set(ws.graph.match()) == given
        assert (done.read, done.refused) == (done.given, ())
        [asked] = done.traces
        assert set(ws.traces.load(asked).quads()) == given


@each("form", GRAPHLESS)
def test_facts_sources_and_traces_of_one_file_are_told_apart(tmp_path, form):
    group = e.Subgraph(iri="https://trustgraph.ai/subgraph/1", contains=(EDGE,), derived_from=("urn:chunk:1",))
    paper = e.Document(iri="urn:doc:1", title="T", label="T")
    given = {Quad(*EDGE, FACTS), *rdf.triples(group), *rdf.triples(paper), *quads(search("q"))}
    (tmp_path / named(form)).write_bytes(rdf.dump(given, form))
    with explorer.open() as ws:
        ws.import_record(tmp_path / named(form))
        assert set(ws.graph.match()) == given
    assert {quad.graph_name for quad in given} == {FACTS, SOURCE, RETRIEVAL}


def test_quoted_triples_of_trustgraph_are_taken_for_what_they_mean(ws, imported):
    done = imported("kg.star.nq", STAR.encode())
    assert (done.given, done.read, done.refused) == (3, 3, ())
    [subgraph] = [quad.object for quad in ws.graph.match(None, TG.contains)]
    [edge] = [quad.object for quad in ws.graph.match(None, TG.edge)]
    assert subgraph == edge
    assert edge.object == Literal("x << y >>", language="en")


def test_a_record_imported_twice_is_there_once(ws, imported):
    imported("a.nq", rdf.dump(quads(react("a")), "nq"))
    before = stored(ws)
    again = imported("a.nq", rdf.dump(quads(react("a")), "nq"))
    assert stored(ws) == before
    assert again.traces == (iri("agent-question", "a"),)


UNNAMED = {
    "a.provn": "document\nprefix ex <http://e/>\nused(ex:a, ex:b, -, [ex:p='ex:1', ex:p=\"2\", ex:q=3])\n"
    'used(ex:a, ex:b, -, [ex:p="2"])\nwasGeneratedBy(ex:b, ex:a, 2011-11-16T16:00:00, [ex:q=3])\nendDocument\n',
    "a.ttl": '@prefix e: <http://e/> . e:a e:p [ e:q [ e:q "1" ] ], [ e:q "2" ], _:n . _:n e:p _:n, _:m .',
    "a.jsonld": '{"@context": {"p": "urn:p"}, "@id": "urn:a", "p": [{"p": {"p": "1"}}, {"p": "2"}]}',
}


@each("name", UNNAMED)
def test_what_has_no_name_is_the_same_when_it_is_imported_again_and_another_in_other_words(tmp_path, name):
    one, other = tmp_path / name, tmp_path / f"other-{name}"
    one.write_text(UNNAMED[name])
    other.write_text(UNNAMED[name].replace('"2"', '"4"'))
    with explorer.open() as ws:
        known = [storing_imports.KNOWN in ws.import_record(path).notes for path in (one, one, other, one)]
        unnamed = [quad for quad in ws.graph.match() if isinstance(quad.subject, BlankNode)]
    assert known == [False, True, False, True]
    assert len(unnamed) == 2 * len(
        [quad for quad in rdf.load(UNNAMED[name]).quads if isinstance(quad.subject, BlankNode)]
    )


def test_only_top_level_questions_are_traces(imported):
    done = imported("a.trig", rdf.dump(quads([*react("a"), *search("q")]), "trig"))
    assert set(done.traces) == {iri("agent-question", "a"), iri("question", "q")}
    assert imported("b.nq", rdf.dump(quads(search("r", parent="urn:a:1")), "nq")).traces == ()


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("a.trig", b"<urn:a> <urn:b> <urn:c> .\n<urn:a> <urn:b> oops .", r"line 2, column 17"),
        ("a.ttl", b"<urn:a> <urn:b> <urn:c> .\n\n  <urn:a> .", r"line 3"),
        ("a.jsonld", b'{"@id": "urn:a",\n "urn:b": ', r"line 2"),
        ("a.rdf", b"<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>\n<open>", r"line 2"),
        ("a.ttl", b'<urn:a> <urn:b> "\xff" .', r"line 1, column 18"),
    ],
)
def test_a_syntax_error_names_its_place_and_nothing_is_stored(ws, imported, name, data, said):
    before = stored(ws)
    with pytest.raises(RecordError) as refused:
        imported(name, data)
    assert said.lower() in str(refused.value).lower()
    assert stored(ws) == before


def test_a_statement_that_is_no_statement_is_refused_and_the_rest_is_read(ws, imported):
    for nothing in (b"", b"\n\n", b"# nothing\n"):
        done = imported("a.nq", nothing)
        assert (done.given, done.read, done.refused, done.traces) == (0, 0, (), ())
    assert set(ws.graph.match()) == set()
    lines = rdf.dump(quads(search("q")), "nq").splitlines()
    bad = [
        b"<urn:a> <urn:b> .",
        b"<not an iri> <urn:b> <urn:c> .",
        b'<urn:a> <urn:b> "\xff" .',
        b'"a" <urn:b> <urn:c> .',
    ]
    mixed = [line for pair in zip(lines, bad * 9, strict=False) for line in pair][: 2 * len(lines)]
    done = imported("a.nq", b"\n".join(mixed))
    assert done.given == len(mixed) == done.read + len(done.refused)
    assert set(ws.graph.match()) <= quads(search("q"))
    assert len(done.refused) == sum(line in bad for line in mixed)
    assert done.refused[0].startswith("Line 2, column ")


def test_a_file_that_is_not_there_and_an_unknown_format_are_refused(ws, imported, tmp_path):
    with pytest.raises(RecordError, match="format 'docx'"):
        imported("a.nq", b"", "docx")
    with pytest.raises(RecordError, match=r"none\.nq can't be read \(No such file or directory\); check the path\."):
        ws.import_record(tmp_path / "none.nq")
    with pytest.raises(RecordError, match="can't be read"):
        ws.import_record(tmp_path)


def lines(messages):
    return b"".join(json.dumps(message).encode() + b"\n" for message in messages)


TOLD = wire.typed(wire.SYNTHESIS, "Synthesis", "Answer", parent=wire.QUESTION)
TOLD.append(wire.triple(wire.SYNTHESIS, wire.TG + "document", wire.iri("urn:doc:1"), g=wire.GRAPH))
MESSAGES = [wire.question(), wire.explain(wire.SYNTHESIS, TOLD), wire.chunk("It is so."), wire.final()]


@each(("name", "form"), [("session.jsonl", None), ("session.txt", "wire")])
def test_a_recorded_session_is_stored_with_its_answer(tmp_path, name, form):
    (tmp_path / name).write_bytes(lines(MESSAGES))
    with explorer.open() as ws:
        done = ws.import_record(tmp_path / name, form)
        assert (done.given, done.read, done.refused, done.traces) == (4, 4, (), (wire.QUESTION,))
        assert set(ws.graph.match()) == quads(trustgraph.events(MESSAGES))
        assert ws.text("urn:doc:1") == "It is so."
        trace = ws.traces.load(wire.QUESTION)
        assert (trace.answer, trace.reason) == ("It is so.", "done")


def test_what_is_no_message_is_refused_with_its_line_and_the_rest_is_read(ws, imported):
    rows = lines(MESSAGES).splitlines()
    broken = [rows[0], b"{oops", rows[1], b"[1, 2]", b"\xff\xfe", b"7", *rows[2:]]
    done = imported("session.jsonl", b"\n".join(broken))
    assert (done.given, done.read) == (len(broken), 4)
    assert [said.split(":")[0] for said in done.refused] == ["Line 2", "Line 4", "Line 5", "Line 6"]
    assert ws.traces.load(wire.QUESTION).answer == "It is so."


def test_a_malformed_triple_costs_itself_alone(ws, imported):
    odd = wire.explain("urn:x:1", [*wire.typed("urn:x:1", "Focus"), {"s": wire.iri("no iri"), "p": 1, "o": None}])
    done = imported("session.jsonl", lines([*MESSAGES, odd]))
    [said] = done.refused
    assert "Message 5, triple 2" in said
    assert done.read + len(done.refused) == done.given
    assert ws.node("urn:x:1").entity.iri == "urn:x:1"


def test_a_session_written_by_us_comes_in_again(imported, ws):
    with filled() as own:
        trace = own.run(QUESTIONS[2])
    done = imported("own.jsonl", lines(messages(trace.events, "graph-rag")))
    loaded = ws.traces.load(done.traces[0])
    assert set(loaded.quads()) == set(trace.quads())
    assert loaded.answer == trace.answer


@pytest.mark.embedded("a folder has one writer")
def test_a_workspace_that_is_only_read_takes_nothing_in(tmp_path):
    (tmp_path / "a.nq").write_bytes(rdf.dump(quads(search("q")), "nq"))
    code = "import explorer, sys; explorer.open(sys.argv[1]).import_record(sys.argv[2])"
    with explorer.open(tmp_path / "ws"):
        done = subprocess.run([sys.executable, "-c", code, tmp_path / "ws", tmp_path / "a.nq"], capture_output=True,
                              text=True, check=False, cwd=Path(__file__).parents[2])  # fmt: skip
    assert "WorkspaceError" in done.stderr
    assert "is held by" in done.stderr


def test_sources_imported_after_a_trace_are_found(ws, imported):
    """What was looked up before, and not found, is looked up again."""
    given = quads(search("q"))
    imported("a.nq", rdf.dump(given, "nq"))
    [edge] = ws.traces.load(iri("question", "q")).edges
    assert ws.passages(edge) == []
    chunk = e.Chunk(iri="urn:chunk:1", label="Chunk 1", derived_from=("urn:doc:1",), index=1, char_offset=0)
    group = e.Subgraph(iri="https://trustgraph.ai/subgraph/1", contains=(edge.edge,), derived_from=(chunk.iri,),
                       source_text="The tank holds oxygen.")  # fmt: skip
    paper = e.Document(iri="urn:doc:1", title="Notes", label="Notes")
    more = [quad for entity in (chunk, group, paper) for quad in rdf.triples(entity)]
    more.append(Quad(NamedNode(edge.edge.subject.value), NamedNode("http://www.w3.org/2000/01/rdf-schema#label"),
                     Literal("oxygen tank"), FACTS))  # fmt: skip
    imported("b.nq", rdf.dump(more, "nq"))
    [passage] = ws.passages(edge)
    assert (passage.title, passage.text, passage.chunk) == ("Notes", "The tank holds oxygen.", "urn:chunk:1")
    trace = ws.traces.load(iri("question", "q"))
    assert trace.labels[edge.edge.subject.value] == "oxygen tank"
    assert trace.sources() == (passage,)


def test_a_fact_of_an_old_statement_node_has_its_source(ws, imported):
    edge = Triple(NamedNode("urn:e:a"), NamedNode("urn:e:is"), NamedNode("urn:e:b"))
    chunk = e.Chunk(iri="urn:chunk:1", label="Chunk 1")
    group = e.Subgraph(iri="https://trustgraph.ai/stmt/1", contains=(edge,), derived_from=(chunk.iri,))
    today = rdf.dump([*rdf.triples(chunk), *rdf.triples(group)], "nq")
    old = today.replace(b"ns/contains", b"ns/reifies").replace(b"<<(", b"<<").replace(b")>>", b">>")
    imported("a.nq", old)
    assert [quad.object for quad in ws.graph.match(None, TG.reifies)] == [edge]
    [passage] = ws.passages(edge)
    assert (passage.chunk, passage.subgraph) == ("urn:chunk:1", "https://trustgraph.ai/stmt/1")


FAILED = {"id": "r", "error": {"message": "the model is gone", "type": "agent-error"}, "complete": True}


def test_a_session_that_failed_says_so_and_why_also_once_it_was_exported(ws, imported, tmp_path):
    given = list(messages(react("a"), "agent", compat="trustgraph"))
    [asked] = imported("s.jsonl", lines([*given[:4], FAILED])).traces
    trace = ws.traces.load(asked)
    assert (trace.reason, trace.dag.done.error) == ("error", "the model is gone")
    assert [row.reason for row in ws.traces.list()] == ["error"]
    [failure] = [one for one in trace.dag.entities.values() if isinstance(one, e.Failure)]
    assert failure.derived_from == ("urn:trustgraph:question:a-search",)  # the last step of all
    assert ws.verify(asked).is_sound
    (tmp_path / "again.trig").write_bytes(ws.export(trace, closed=True))
    with explorer.open() as other:
        other.import_record(tmp_path / "again.trig")
        assert other.traces.load(asked).dag.done.error == "the model is gone"


def test_a_session_that_breaks_off_or_fails_without_a_question_says_so(ws, imported):
    given = list(messages(react("a"), "agent", compat="trustgraph"))
    [asked] = imported("s.jsonl", lines(given[:4])).traces
    assert ws.traces.load(asked).reason == "error"
    assert "ended before its final message" in ws.traces.load(asked).dag.done.error
    done = imported("t.jsonl", lines([FAILED]))
    assert (done.traces, done.refused) == (
        (), ("The session failed before its question was recorded: the model is gone",)
    )  # fmt: skip


@pytest.mark.parametrize("name", ["agent-react-stream", "agent-plan-stream", "agent-supervisor-stream"])
def test_every_text_of_a_stream_is_kept(ws, conformance, name):
    path = conformance / "golden" / "wire" / f"{name}.jsonl"
    messages = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    streamed = ProvenanceDag().fold(trustgraph.events(messages))
    [asked] = ws.import_record(path).traces
    kept = set(ws.traces.load(asked).dag.texts.values())
    assert set(streamed.texts.values()) <= kept
    assert ws.traces.load(asked).reason == "done"
    assert not ws.traces.load(asked).dag.cycles


def test_the_words_of_an_answer_that_was_cut_off_are_kept(ws, conformance):
    path = conformance / "golden" / "wire" / "graphrag-stream.jsonl"
    lines = path.read_text("utf-8").splitlines()
    at = next(i for i, line in enumerate(lines) if json.loads(line)["response"].get("message_type") == "chunk")
    with_words = ("\n".join([*lines[: at + 2], json.dumps(FAILED)])).encode()
    parsed = importing.read(with_words, "s.jsonl")
    done = importing.store(parsed, ws.stores)
    trace = ws.traces.load(done.traces[0])
    assert (trace.reason, trace.answer) == ("error", "")
    [partial] = [one for one in trace.dag.entities.values() if isinstance(one, e.Synthesis)]
    assert partial.termination_reason == "error"
    assert trace.dag.text(partial.iri)


SPELT = {
    '"1250.50"^^xsd:decimal': '"1250.5"^^xsd:decimal', '"007"^^xsd:integer': '"7"^^xsd:integer',
    '"1.10e1"^^xsd:double': '"11"^^xsd:double', '"1"^^xsd:boolean': '"true"^^xsd:boolean',
    '"2001-02-03T04:05:06.000Z"^^xsd:dateTime': '"2001-02-03T04:05:06Z"^^xsd:dateTime',
    '"P0Y12M"^^xsd:duration': '"P1Y"^^xsd:duration',
    '"02001"^^xsd:gYear': '"02001"^^xsd:gYear', '"1.50"^^xsd:string': '"1.50"^^xsd:string',
    '"1.50"^^<urn:euro>': '"1.50"^^<urn:euro>',
}  # fmt: skip


@pytest.mark.embedded("each server keeps values in its own way")
@each(("written", "kept"), SPELT.items())
def test_the_graph_has_one_spelling_of_each_value_and_the_text_that_of_the_file(tmp_path, written, kept):
    """As docs/commands.md says below `import`."""
    head = "@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .\n"
    file = tmp_path / "values.ttl"
    file.write_text(f"{head}<urn:crane> <urn:has> {written} .\n")
    [value] = [quad.object for quad in rdf.load(f"{head}<urn:a> <urn:b> {kept} .".encode(), "turtle").quads]
    with explorer.open() as ws:
        ws.import_record(file)
        ws.ingest(file, progress=False)
        assert {quad.object for quad in ws.graph.match(predicate=NamedNode("urn:has"))} == {value}
        assert [fact.words[2] for fact in ws.facts(limit=None)] == [written.split('"')[1]]
