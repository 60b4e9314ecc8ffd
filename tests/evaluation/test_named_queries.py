"""Questions to the record that have a name, and its tables."""

import json

import pytest
from pyoxigraph import Literal
from typer.testing import CliRunner

import explorer
from explorer.cli.commands import app
from explorer.entities import ChunkSelection, EdgeSelection
from explorer.errors import RecordError
from explorer.evaluation.named_queries import QUERIES, TABLES
from explorer.vocab import session_of
from tests.corpus import QUESTIONS, filled
from tests.each import each

UNKNOWN = "What colour is the moon cheese of Zanzibar?"


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A workspace with three runs of one question, one of an agent, and one that is declined."""
    folder = tmp_path_factory.mktemp("named") / "ws"
    with filled(folder) as ws:
        for _ in range(3):
            ws.run(QUESTIONS[0], by="Ada")
        ws.run(QUESTIONS[1], engine="agent")
        ws.run(UNKNOWN, engine="document-rag")
    return folder


@pytest.fixture
def ws(place):
    with explorer.open(place) as found:
        yield found


def cited_documents(ws, trace):
    return {one.document for iri in {key for c in trace.citations for key in c.cites} for one in trace.passages[iri]}


def test_runs_that_cite_a_document_are_those_whose_citations_lead_there(ws):
    runs = [ws.traces.load(one.iri) for one in ws.traces.list()]
    for document in ws.documents:
        found = {row["run"] for row in ws.named_query("runs-citing", document=document.iri)}
        assert found == {run.iri for run in runs if document.iri in cited_documents(ws, run)}


def test_facts_in_more_than_two_answers_are_counted_by_answers(ws):
    runs = [ws.traces.load(one.iri) for one in ws.traces.list()]
    told = {}
    for run in runs:
        keys = {key for one in run.citations for key in one.cites}
        for edge in {one.edge for one in run.dag.entities.values() if one.iri in keys and hasattr(one, "edge")}:
            told[edge] = told.get(edge, 0) + 1
    found = ws.named_query("facts-cited-often")
    assert sorted(row["answers"] for row in found) == sorted(number for number in told.values() if number > 2)
    assert len(found) > 0
    assert all(isinstance(row["answers"], int) and row["subject"] for row in found)


def test_answers_that_rest_on_one_document(ws):
    runs = [ws.traces.load(one.iri) for one in ws.traces.list()]
    alone = {run.iri for run in runs if len(cited_documents(ws, run)) == 1}
    assert {row["run"] for row in ws.named_query("answers-on-one-document")} == alone


LEADS = (
    "?citation a x:Citation ; x:run ?run ; x:cites ?selection . "
    "?selection prov:wasDerivedFrom/prov:wasDerivedFrom* ?document . ?document a tg:Document . ?run tg:query ?question "
)
PLAIN = {  # as they are said most simply, which takes several times as long over many runs
    "runs-citing": "SELECT ?question (COUNT(DISTINCT ?citation) AS ?citations) ?run { "
    f"{LEADS} FILTER(?document = $document) }} GROUP BY ?run ?question ORDER BY DESC(?citations) ?question ?run",
    "answers-on-one-document": "SELECT ?question (SAMPLE(?title) AS ?document_title) "
    f"(COUNT(DISTINCT ?citation) AS ?citations) ?run {{ {LEADS} OPTIONAL {{ ?document dc:title ?title }} }} "
    "GROUP BY ?run ?question HAVING(COUNT(DISTINCT ?document) = 1) ORDER BY ?question ?run",
    "kept-and-not-kept": "SELECT ?question ?looked_at ?kept ?cited ?run { "
    "{ SELECT ?run (SUM(xsd:integer(?number)) AS ?looked_at) { ?stage a tg:Exploration ; x:run ?run "
    "OPTIONAL { ?stage tg:edgeCount ?edges } OPTIONAL { ?stage tg:chunkCount ?chunks } "
    "BIND(COALESCE(?edges, ?chunks) AS ?number) } GROUP BY ?run } "
    "{ SELECT ?run (COUNT(?one) AS ?kept) { ?focus a tg:Focus ; x:run ?run "
    "OPTIONAL { ?focus tg:selectedEdge|tg:selectedChunk ?one } } GROUP BY ?run } "
    "OPTIONAL { SELECT ?run (COUNT(DISTINCT ?selection) AS ?cited) { "
    "?citation a x:Citation ; x:run ?run ; x:cites ?selection } GROUP BY ?run } ?run tg:query ?question } "
    "ORDER BY ?question ?run",
}


@pytest.mark.parametrize("name", PLAIN)
def test_a_query_finds_what_its_plainest_form_finds_in_the_same_order(name):
    found = 0
    with filled() as ws:
        for question in (QUESTIONS[0], f"{QUESTIONS[0]} Really?", QUESTIONS[0]):
            for engine in ("graph-rag", "document-rag", "agent"):
                ws.run(question, engine)
                ws.run(question, engine, documents=[ws.documents[0]])
        for document in ws.documents if QUERIES[name].of_document else (None,):
            plain = ws.query(PLAIN[name].replace("$document", f"<{document and document.iri}>"))
            rows = ws.named_query(name, document=document)
            assert [*map(dict, rows)] == [*map(dict, plain)]
            found += len(rows)
    assert found > 2


def test_runs_without_an_answer_and_without_an_end(ws):
    rows = ws.named_query("runs-without-answer")
    assert [(row["question"], row["reason"]) for row in rows] == [(UNKNOWN, "declined")]
    assert len(ws.named_query("runs-without-end")) == 0


def test_what_reasoned_is_counted_over_top_level_runs(ws):
    rows = ws.named_query("models")
    assert sum(row["runs"] for row in rows) == 5
    assert {row["engine"].partition("/")[0] for row in rows} == {"graph-rag", "agent", "document-rag"}


def test_kept_against_not_kept_adds_up(ws):
    rows = {row["run"]: row for row in ws.named_query("kept-and-not-kept")}
    assert len(rows) == 5
    for one in ws.traces.list(engine="graph-rag"):
        trace = ws.traces.load(one.iri)
        row = rows[one.iri]
        assert row["kept"] == len(trace.edges) + len(trace.chunks)
        assert row["looked_at"] >= row["kept"] >= row["cited"]


def test_gaps_are_found_by_the_same_code(ws):
    gaps = ws.gaps()
    assert [row["document"] for row in ws.named_query("documents-never-cited")] == [one.iri for one in gaps.documents]
    assert [row["question"] for row in ws.named_query("questions-not-answered")] == [
        one.question for one in gaps.questions
    ]
    assert [row["name"] for row in ws.named_query("names-without-facts")] == [one.name for one in gaps.names]
    assert ws.named_query("questions-not-answered", rows=1).more == ""


def test_tables_hold_what_is_on_record_with_numbers_as_numbers(ws):
    listed = {one.iri: one for one in ws.traces.list()}
    runs = ws.frame("runs")
    assert {row["run"]: (row["question"], row["reason"]) for row in runs} == {
        iri: (one.question, one.reason) for iri, one in listed.items()
    }
    assert len(runs) == 5
    assert [row["by"] for row in runs].count("Ada") == 3
    assert {row["run"]: row["level"] for row in runs} == {
        iri: one.support.level if one.support else None for iri, one in listed.items()
    }
    run = ws.traces.load(next(iri for iri, one in listed.items() if one.engine.startswith("graph-rag")))
    kept = [row for row in ws.frame("facts") if row["run"] == run.iri]
    assert sorted(row["selection"] for row in kept) == sorted(edge.iri for edge in run.edges)
    assert all(isinstance(row["cited"], bool) for row in kept)
    assert {row["selection"]: row["score"] for row in kept} == {edge.iri: edge.score for edge in run.edges}
    cited = [row for row in ws.frame("citations") if row["run"] == run.iri]
    assert {row["citation"] for row in cited} == {one.iri for one in run.citations}
    assert all(isinstance(row["start"], int) for row in cited)
    own = [row for row in cited if session_of(row["citation"]) == session_of(run.iri)]
    assert all(row["sentence"] == run.answer[row["start"] : row["end"]].strip() for row in own)
    steps = [row for row in ws.frame("steps") if row["run"] == run.iri]
    assert [row["sequence"] for row in steps] == sorted(row["sequence"] for row in steps)
    assert {row["step"] for row in steps} >= {step.iri for step in run.steps}
    assert {row["document"] for row in ws.frame("documents")} == {one.iri for one in ws.documents}
    passages = [row for row in ws.frame("passages") if row["run"] == run.iri]
    assert {row["selection"]: row["score"] for row in passages} == {chunk.iri: chunk.score for chunk in run.chunks}
    assert all(ws.text(row["chunk"]).startswith(row["passage"][:20].split()[0]) for row in passages)
    assert ws.frame("runs").to_csv().count("\n") == 6


def test_what_was_scored_has_its_score_as_a_number(tmp_path):
    with filled(tmp_path / "ws") as ws:
        run = ws.run(QUESTIONS[0], selector="rerank")
        found = {row["selection"]: row["score"] for row in ws.frame("facts")}
        assert found == {edge.iri: edge.score for edge in run.edges}
        assert found
        assert all(isinstance(score, float) for score in found.values())


def test_the_table_of_citations_has_the_words_before_the_iris(tmp_path):
    with filled(tmp_path / "ws") as ws:
        runs = [ws.run(QUESTIONS[0]), ws.run(QUESTIONS[1], engine="document-rag")]
        found = ws.frame("citations")
        assert found.names[:5] == ("question", "sentence", "fact", "quoted", "document")
        assert {(row["citation"], row["cites"]) for row in found} == {
            (one.iri, cited) for run in runs for one in run.citations for cited in one.cites
        }
        kinds = set()
        for row in found:
            selection = ws.node(row["cites"]).entity
            kinds.add(type(selection))
            passages = ws.passages(selection)
            assert any(row["document"] == one.title and row["quoted"] in one.text for one in passages)
            edge = selection.edge if isinstance(selection, EdgeSelection) else ()
            names = [term.value if isinstance(term, Literal) else ws.sources.label(term.value) for term in edge]
            assert row["fact"] == ("{} — {} → {}".format(*names) if names else None)
        assert kinds == {EdgeSelection, ChunkSelection}


def test_a_text_that_was_removed_leaves_its_cell_empty(tmp_path):
    with filled(tmp_path / "ws") as ws:
        ws.run(QUESTIONS[0])
        for document in ws.documents:
            ws.forget(document, words=True)
        assert {row["sentence"] for row in ws.frame("citations")} == {None}


@each("name", TABLES)
def test_in_each_table_words_stand_before_iris(ws, name):
    row = next(iter(ws.frame(name)))
    iris = [":" in str(value) and str(value).startswith(("urn:", "http")) for value in row.values()]
    assert iris == sorted(iris)


@each("name", TABLES)
def test_a_workspace_without_anything_has_empty_tables(name):
    with explorer.open() as ws:
        assert len(ws.frame(name)) == 0


@each("name", [name for name, one in QUERIES.items() if not one.of_document])
def test_a_workspace_without_anything_answers_each_query_with_no_rows(name):
    with explorer.open() as ws:
        assert len(ws.named_query(name)) == 0


def test_another_name_and_a_document_too_many_or_too_few_are_refused(ws):
    with pytest.raises(RecordError, match="No table is called"):
        ws.frame("people")
    with pytest.raises(RecordError, match="needs a document"):
        ws.named_query("runs-citing")
    with pytest.raises(RecordError, match="is not about a document"):
        ws.named_query("models", document=ws.documents[0].iri)
    with pytest.raises(RecordError, match="No query is called"):
        ws.named_query("SELECT * { ?s ?p ?o }")


def test_the_command_lists_names_and_prints_queries_and_tables(place):
    def run(*args):
        return CliRunner().invoke(app, ["query", *args, "-w", str(place)])

    listed = run("--list").stdout
    assert all(name in listed for name in (*QUERIES, *TABLES))
    assert {row["reason"] for row in json.loads(run("runs-without-answer", "--json").stdout)} == {"declined"}
    assert run("--table", "runs", "--csv").stdout.count("\n") == 6
    assert run().exit_code == 2
    assert run("models", "--table", "runs").exit_code == 2
