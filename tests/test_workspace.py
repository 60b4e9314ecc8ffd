import inspect
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from pyoxigraph import BlankNode, Literal, NamedNode, Quad

import explorer
from explorer.entities import Chunk, EdgeSelection, Focus, GraphRagQuestion, Page
from explorer.errors import DocumentError, ExplorerError, QuestionError, RecordError, WorkspaceError
from explorer.events import Done, Explain
from explorer.models.embedding import WordLlamaEmbedder
from explorer.record.recovery import rebuild_listing
from explorer.vocab import FACTS, SOURCE, entity_iri, iri, recognise
from tests.agents import planned, react, team
from tests.corpus import FACTS as CURATED
from tests.corpus import PAGES, QUESTIONS, filled, shared, written
from tests.each import each


def stored(ws):
    """All there is in a workspace, to be compared."""
    stores = ws.stores
    tables = ("contents", "documents", "chunks", "vectors", "listing")
    return set(ws.graph.match()), [set(map(tuple, stores.database.rows(f"SELECT * FROM {table}"))) for table in tables]


REFUSED = [
    *(({"question": blank}, r"The question is empty; type one, such as “.+\?”")
      for blank in ("", " ", "\n\t ", "\u00a0", "\u2003")),
    *(({"question": odd}, rf"A question is a text, not {type(odd).__name__} \(")
      for odd in (b"Who built it?", 12, ["Who built it?"], True, {"question": "Who?"})),
    ({"question": "x" * 1_000_001}, r"has 1,000,001 characters; ask in at most 1,000,000\."),
    ({"question": "Why \ud800?"}, r"has a character that is not text \('\\ud800'\)"),
    *(({"engine": name}, r"There is no engine .*; choose graph-rag") for name in ("graph_rag", "", "agent2", "<b>")),
    *(({name: 3}, r"graph-rag has no limit '.*'; choose among entity_limit, triple_limit")
      for name in ("edge_limits", "limit")),
    *(({"edge_limit": limit}, "edge_limit must be a whole number of at least 1, not")
      for limit in (0, -1, 2.5, "3", None, True)),
]  # fmt: skip


@each(("given", "said"), REFUSED)
def test_what_can_not_be_asked_is_refused_in_a_sentence_and_leaves_no_trace(given, said):
    before = stored(shared())
    with pytest.raises(QuestionError, match=said):
        shared().ask(**{"question": "Why?"} | given)
    assert stored(shared()) == before


def test_the_longest_question_is_asked():
    assert shared().run("valve " * 166_666).reason in ("done", "declined")


def test_a_question_is_recorded_without_the_blanks_around_it():
    assert shared().run(f"  {QUESTIONS[0]}\n").question == QUESTIONS[0]


def test_an_empty_workspace_says_what_to_do(ws):
    with pytest.raises(WorkspaceError, match=r'No documents yet. Add some with ws.ingest\("folder/"\)'):
        ws.ask(QUESTIONS[0])
    assert ws.traces.list() == []
    assert repr(ws) == "<Workspace in memory: 0 documents, 0 PDF pages, 0 facts, 0 past runs>"


def test_a_workspace_with_documents_but_without_facts_declines(ws, tmp_path):
    (tmp_path / "a.txt").write_text("Silence. More silence.")
    assert ws.ingest(tmp_path / "a.txt", progress=False).edges == 0
    trace = ws.run("Who built the valve?")
    assert (trace.reason, trace.outcome, trace.edges, trace.citations) == ("declined", "not found", (), ())
    [nearest] = trace.chunks
    assert [one.text for one in trace.passages[nearest.iri]] == ["Silence. More silence."], "nearest, not an answer"


def test_the_public_way_from_files_to_words(tmp_path):
    facts = written(tmp_path)
    with explorer.open(tmp_path / "ws") as ws:
        done = ws.ingest(tmp_path / "documents", facts=facts, progress=False)
        assert (done.documents, done.pages, done.refused) == (3, len(PAGES), ())
        assert done.edges >= len(CURATED)
        trace = ws.run(QUESTIONS[2])
        assert "983 psi" in trace.answer
        [passage, *_] = ws.passages(trace.edges[0])
        assert passage.text in ws.text(passage.document)
        assert passage.source.endswith("notes.txt")
        assert (ws.size.documents, ws.size.pages, ws.size.traces) == (3, len(PAGES), 1)
    with explorer.open(tmp_path / "ws") as again:
        assert again.traces.load(trace.iri).answer == trace.answer
        assert repr(again).startswith("<Workspace ws: 3 documents, 2 PDF pages, ")


def test_passages_of_an_edge_are_the_same_by_record_and_by_triple():
    trace = shared().run(QUESTIONS[1])
    for edge in trace.edges:
        assert shared().passages(edge) == shared().passages(edge.edge) == list(trace.passages[edge.iri])


def test_a_node_is_given_with_what_it_comes_from_and_what_comes_from_it():
    ws = shared()
    trace = ws.run(QUESTIONS[1])
    session = trace.iri.rsplit(":", 1)[1]
    focus = ws.node(iri("focus", session))
    assert isinstance(focus.entity, Focus)
    assert focus.parents == (iri("exploration", session),)
    assert set(focus.children) >= {iri("synthesis", session), *(edge.iri for edge in trace.edges)}
    selection = ws.node(trace.edges[0].iri)
    assert isinstance(selection.entity, EdgeSelection)
    assert selection.parents == (trace.passages[trace.edges[0].iri][0].subgraph, focus.entity.iri)
    assert isinstance(ws.node(trace.iri).entity, GraphRagQuestion)
    rated = ws.run("What were the heater switches rated for?")
    passage = next(p for edge in rated.edges for p in rated.passages[edge.iri] if p.page)
    assert isinstance(ws.node(passage.part).entity, Page)
    chunk = ws.node(passage.chunk)
    assert isinstance(chunk.entity, Chunk)
    assert chunk.parents[0] == passage.part
    assert passage.subgraph in chunk.children


@each("wrong", ["", "nonsense", "a b", "<urn:x:y>", "Why?"])
def test_what_is_no_iri_is_refused(wrong):
    with pytest.raises(RecordError, match=r"is not an IRI|Nothing is on record"):
        shared().node(wrong)


def test_a_node_that_is_not_there_is_refused():
    with pytest.raises(RecordError, match="Nothing is on record about urn:x:y"):
        shared().node("urn:x:y")
    with pytest.raises(RecordError, match="holds nothing under urn:x:y"):
        shared().text("urn:x:y")
    with pytest.raises(RecordError):
        shared().data("urn:x:y")


@each("act", [
    lambda ws, _: ws.run("Why?"),
    lambda ws, _: ws.ingest("x.txt"),
    lambda ws, _: ws.traces.list(),
    lambda ws, trace: ws.traces.load(trace.iri),
    lambda ws, trace: ws.node(trace.iri),
    lambda ws, trace: ws.passages(trace.edges[0]),
    lambda ws, _: ws.graph.query("SELECT ?s { ?s ?p ?o }"),
    lambda ws, trace: ws.text(trace.iri),
    lambda ws, _: ws.size,
])  # fmt: skip
def test_a_closed_workspace_says_so(act):
    ws = filled()
    trace = ws.run(QUESTIONS[0])
    ws.close()
    ws.close()
    assert repr(ws) == "<Workspace in memory: closed>"
    with pytest.raises((WorkspaceError, DocumentError), match=r"closed; open it again|There is no file"):
        act(ws, trace)


AFTER = {
    "a question": lambda ws, _: ws.run(QUESTIONS[1]),
    "a past run": lambda ws, _: ws.traces.load(iri("question", "s1")),
    "a query": lambda ws, _: ws.query("ASK { ?s ?p ?o }"),
    "a search": lambda ws, _: ws.search("valve"),
    "documents": lambda ws, _: ws.documents,
    "a file that is read in": lambda ws, file: ws.ingest(file, progress=False),
    "a fact taken back": lambda ws, _: ws.retract("relief valve opened"),
    "a run deleted": lambda ws, _: ws.traces.delete(iri("question", "s1")),
    "a document removed": lambda ws, _: ws.forget("notes.txt"),
}


def answers_of(ws, file, **acts):
    """What each act is refused with; nothing where it was not."""
    said = dict.fromkeys(acts, "")
    for name, act in acts.items():
        try:
            act(ws, file)
        except WorkspaceError as error:
            said[name] = str(error)
    return said


@pytest.mark.embedded("a folder is moved")
def test_a_folder_that_was_moved_while_it_was_open_is_said_so_and_is_whole_where_it_is_now(tmp_path):
    file = tmp_path / "more.txt"
    file.write_text("Ada Byron leads the club.")
    with filled(tmp_path / "ws") as ws:
        ws.run(QUESTIONS[0])
        under_way = ws.ask(QUESTIONS[2])
        next(under_way)
        (tmp_path / "ws").rename(tmp_path / "moved")
        said = answers_of(ws, file, **AFTER, under_way=lambda *_: [*under_way])
    assert {
        name for name, one in said.items() if "was moved, replaced or deleted while it was open" not in one
    } == set()
    assert sorted(one.name for one in tmp_path.iterdir()) == ["more.txt", "moved"]
    with explorer.open(tmp_path / "moved") as ws:
        assert ws.verify().is_sound
        assert [run.reason for run in ws.traces.list()] == ["interrupted", "done"]
        assert ws.size.documents == 3


@pytest.mark.embedded("a folder is deleted")
def test_a_folder_that_was_deleted_while_it_was_open_is_not_made_again(tmp_path):
    with filled(tmp_path / "ws") as ws:
        (tmp_path / "ws").rename(tmp_path / "gone")  # a file that comes meanwhile is in the way of deleting
        shutil.rmtree(tmp_path / "gone", ignore_errors=True)
        said = answers_of(ws, Path(__file__), **AFTER)
    assert {name for name, one in said.items() if "deleted while it was open" not in one} == set()
    assert not (tmp_path / "ws").exists()


def test_a_hostile_folder_name_is_shown_without_what_a_terminal_obeys(tmp_path):
    with explorer.open(tmp_path / "\x1b[31m<img src=x>\n") as ws:
        assert repr(ws).startswith("<Workspace [31m<img src=x>: 0 documents")


def test_provenance_is_never_traversed_as_knowledge():
    """Many runs on record, and facts in other graphs that would fit: neither is ever looked at."""
    with filled() as ws:
        first = ws.run(QUESTIONS[0])
        secret = Quad(NamedNode(entity_iri("relief valve")), NamedNode(entity_iri("was built by")),
                      NamedNode(entity_iri("Nobody")), SOURCE)  # fmt: skip
        ws.graph.add([secret])
        for question in QUESTIONS * 2:
            ws.run(question)
        again = ws.run(QUESTIONS[0])
        assert [edge.edge for edge in again.edges] == [edge.edge for edge in first.edges]
        assert [edge.score for edge in again.edges] == [edge.score for edge in first.edges]
        facts = {quad.triple for quad in ws.graph.match(graph=FACTS)}
        for trace in map(ws.traces.load, (summary.iri for summary in ws.traces.list())):
            for event in trace.events:
                if isinstance(event, Explain):
                    edges = [quad.object for quad in event.triples if quad.predicate.value.endswith("edge")]
                    assert set(edges) <= facts


def test_odd_triples_in_the_facts_do_no_harm():
    with filled() as ws:
        ws.graph.add([
            Quad(NamedNode(entity_iri("relief valve")), NamedNode("urn:p"), BlankNode("b"), FACTS),
            Quad(BlankNode("c"), NamedNode("urn:p"), NamedNode(entity_iri("relief valve")), FACTS),
            Quad(NamedNode(entity_iri("relief valve")), NamedNode("urn:p"), Literal("\x00<b>", language="en"), FACTS),
        ])  # fmt: skip
        assert ws.run(QUESTIONS[0]).reason == "done"


def test_every_public_name_is_there():
    for name in explorer.__all__:
        assert getattr(explorer, name).__doc__
    with pytest.raises(AttributeError, match="has no attribute 'openn'"):
        _ = explorer.openn
    assert {"collection", "embedder", "ids", "clock"} <= inspect.signature(explorer.open).parameters.keys()


def test_asking_ends_with_the_sources_of_the_answer():
    *_, done = shared().ask(QUESTIONS[2])
    assert isinstance(done, Done)
    assert "The relief valve opened at 983 psi." in done.sources[0].text


KIN = {  # kind of node: kinds of what it comes from, and of what comes from it
    "agent-question": ((), ("pattern-decision",)),
    "pattern-decision": (("agent-question",), ("analysis",)),
    "analysis": (("pattern-decision",), ("thought", "question")),
    "thought": (("analysis",), ()),
    "observation": (("synthesis",), ("analysis",)),
    "conclusion": (("observation",), ()),
    "question": (("analysis",), ("grounding",)),
    "grounding": (("question",), ("exploration",)),
    "exploration": (("grounding",), ("focus",)),
    "focus": (("exploration",), ("edge", "synthesis")),
    "edge": (("focus",), ()),
    "synthesis": (("focus",), ("observation",)),
    "plan": (("agent-question",), ("step-result", "step-result", "step-result")),
    "step-result": (("plan",), ("question",)),
    "agent-synthesis": (("step-result",), ()),
    "decomposition": (("agent-question",), ("agent-question", "agent-question")),
    "finding": (("conclusion",), ("agent-synthesis",)),
}


@pytest.fixture(scope="module")
def agents():
    """A workspace with a session of each kind, as they come in from elsewhere."""
    with explorer.open() as opened:
        for events in (react("a"), planned("p"), team("t")):
            opened.graph.add([quad for event in events for quad in event.triples])
        rebuild_listing(opened.stores)
        yield opened


@each("kind", KIN)
def test_a_node_of_any_kind_is_given_with_its_parents_and_children(agents, kind):
    session = {"plan": "p", "step-result": "p", "agent-synthesis": "p", "decomposition": "t", "finding": "t"}.get(
        kind, "a"
    )
    inner = kind in ("question", "grounding", "exploration", "focus", "edge", "synthesis")
    index = {"analysis": 1, "thought": 1, "observation": 1, "edge": 0, "step-result": 0, "finding": 0}.get(kind)
    found = agents.node(iri(kind, f"{session}-search" if inner else session, index))
    kin = tuple(tuple(sorted(recognise(node).kind for node in nodes)) for nodes in (found.parents, found.children))
    assert kin == tuple(tuple(sorted(nodes)) for nodes in KIN[kind])
    for parent in found.parents:
        assert found.entity.iri in agents.node(parent).children
    for child in found.children:
        assert found.entity.iri in agents.node(child).parents


def test_activities_and_agents_are_nodes_too():
    ws = shared()
    passage = ws.passages(ws.run(QUESTIONS[1]).edges[0])[0]
    group = ws.node(passage.subgraph)
    activity = ws.node(group.entity.generated_by)
    assert activity.entity.iri in group.parents
    assert group.entity.iri in activity.children
    agent = ws.node(activity.entity.associated_with)
    assert agent.entity.label == passage.extracted_by
    assert activity.entity.iri in agent.children
    assert passage.document in activity.parents


def test_ends_candidates_and_citations_are_nodes_too():
    ws = shared()
    trace = ws.run(QUESTIONS[1], edge_limit=4)
    session = trace.iri.rsplit(":", 1)[1]
    assert ws.node(iri("end", session)).entity.reason == "done"
    assert ws.node(iri("candidate", session, 0)).parents == (iri("focus", session),)
    citation = ws.node(iri("citation", session, 0))
    assert set(citation.parents) == set(trace.citations[0].cites)
    assert iri("citation", session, 0) in ws.node(trace.citations[0].cites[0]).children


class Other(WordLlamaEmbedder):
    """The same vectors under another name: nothing but the name tells that they may not be compared."""

    name = "other-256"


def test_another_embedder_than_the_one_that_made_the_vectors_is_refused_before_a_question_is_recorded(tmp_path):
    filled(tmp_path / "ws").close()
    with explorer.open(tmp_path / "ws", embedder=Other()) as ws:
        with pytest.raises(WorkspaceError, match=r"were made by wordllama.*, not other-256. Open it with that"):
            ws.ask(QUESTIONS[0])
        assert ws.traces.list() == []


def test_a_time_is_compared_as_a_time_however_it_is_written():
    moments = [datetime(2025, 1, 1, 10, tzinfo=UTC) + timedelta(seconds=half / 2) for half in range(3)]
    with filled() as ws:
        for moment in moments:
            ws._clock = ws.traces.clock = lambda moment=moment: moment
            ws.run(QUESTIONS[0])
        newest_first = ["2025-01-01T10:00:01Z", "2025-01-01T10:00:00.500000Z", "2025-01-01T10:00:00Z"]
        assert [found.started_at for found in ws.traces.list()] == newest_first
        for since, expected in {
            "2025-01-01T10:00:00Z": 3,
            "2025-01-01T10:00:00.000001Z": 2,
            "2025-01-01T10:30:00+01:00": 3,
            "2025-01-01T11:00:00.5+01:00": 2,
            "2025-01-01 10:00:01": 1,
            "20250101T100001Z": 1,
            "2025-01-02": 0,
        }.items():
            assert len(ws.traces.list(since=since)) == expected, since
        with pytest.raises(RecordError, match=r"'last week' is not a time; give one such as 2026-01-15"):
            ws.traces.list(since="last week")


def test_the_formats_of_an_export_are_named():
    trace = shared().run(QUESTIONS[0])
    named = shared().export.__doc__.split("Formats: ")[1].split(".")[0].split(", ")
    assert len(named) == 8
    assert all(shared().export(trace, form) for form in named)


def test_every_expected_failure_is_an_explorer_error():
    for name in explorer.__all__:
        if name.endswith("Error"):
            assert issubclass(getattr(explorer, name), ExplorerError)
