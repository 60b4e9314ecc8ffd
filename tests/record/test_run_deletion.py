"""A run that is deleted: its IRI, the time and a hash stay, whatever happens in between."""

import hashlib
import json
from contextlib import suppress

import pytest
from pyoxigraph import NamedNode
from typer.testing import CliRunner

import explorer
from explorer import entities as e
from explorer.cli.commands import app
from explorer.errors import RecordError
from explorer.events import Explain
from explorer.record import run_deletion
from explorer.vocab import ANNOTATION, RETRIEVAL
from tests.corpus import QUESTIONS, filled, with_corpus
from tests.each import each
from tests.opened import at

ENGINES = ("graph-rag", "document-rag", "agent")
ws = with_corpus()


def about(ws, trace):
    """All that is on record of a run: triples in both graphs that its Question, or a node of it, stands in.

    Its engine and its model are those of other runs too.
    """
    nodes = {quad.subject for quad in trace.quads() if "/agent/" not in quad.subject.value}
    quads = [quad for graph in (RETRIEVAL, ANNOTATION) for quad in ws.graph.match(graph=graph)]
    return {quad for quad in quads if quad.subject in nodes or quad.object in nodes}


def contents(trace):
    return {content.iri for event in trace.events if isinstance(event, Explain) for content in event.contents}


def held(ws, iris):
    rows = ws.stores.database.rows("SELECT iri FROM contents")
    return {row["iri"] for row in rows} & set(iris)


@pytest.mark.parametrize("engine", ENGINES)
def test_iri_time_and_hash_are_left_of_a_run(ws, engine):
    other = ws.run(QUESTIONS[1], engine)
    rest = set(ws.graph.match()), held(ws, contents(other))
    trace = ws.run(QUESTIONS[0], engine)
    ws.traces.annotate(trace.iri, name="Baseline")
    if engine != "agent":
        ws.influence(trace, "documents", progress=False)
    assert held(ws, contents(trace)) == contents(trace)
    lines = ws.export(trace, "nq").splitlines(keepends=True)
    done = ws.traces.delete(trace.iri)
    assert done.sha256 == hashlib.sha256(b"".join(sorted(lines))).hexdigest()
    assert about(ws, trace) == set(ws.graph.match(NamedNode(trace.iri)))
    left = ws.node(trace.iri).entity
    assert isinstance(left, e.Deleted)
    assert (left.iri, left.invalidated_at, left.sha256) == (trace.iri, done.deleted_at, done.sha256)
    assert held(ws, contents(trace)) == set()
    assert trace.iri not in {one.iri for one in ws.traces.list()}
    assert (set(ws.graph.match()) - about(ws, trace), held(ws, contents(other))) == rest
    assert ws.traces.load(other.iri).answer == other.answer


def test_deletions_and_what_came_back_can_be_read(tmp_path):
    with filled(tmp_path / "ws") as ws:
        assert repr(ws.ledger.deletions) == "No run was deleted."
        runs = [ws.run(question) for question in QUESTIONS[:3]]
        export = ws.export(runs[1], "nq")
        gone = [ws.traces.delete(run.iri) for run in runs]
        ws.traces.restore(gone[0])
        (tmp_path / "run.nq").write_bytes(export)
        ws.import_record(tmp_path / "run.nq", progress=False)
        again = ws.traces.delete(runs[0].iri)
        found = ws.ledger.deletions
        told = [(one.iri, one.deleted_at, one.sha256, one.back) for one in found]
        backs = ("restored", "imported", None, None)
        assert told == [
            (one.iri, one.deleted_at, one.sha256, back) for one, back in zip((*gone, again), backs, strict=True)
        ]
        assert [one.back_at is None for one in found] == [False, False, True, True]
        assert found[0].deleted_at < found[0].back_at < again.deleted_at
        assert [one.iri for one in run_deletion.tombstones(ws.stores)] == [runs[2].iri, runs[0].iri]
        assert not any(run.question in str(found) for run in runs)
    done = CliRunner().invoke(app, ["ledger", "deleted", *at(tmp_path / "ws")])
    assert done.exit_code == 0
    lines = [line.split() for line in done.stdout.splitlines()[2:]]
    when = [one.deleted_at[:19].split("T") for one in found]
    assert [line[1:4] for line in lines] == [[one.iri, *at] for one, at in zip(found, when, strict=True)]
    assert [line[5] for line in lines] == ["restored", "imported", "no", "no"]


def test_what_is_done_with_a_deleted_run_says_that_it_was_deleted(ws):
    trace, other = ws.run(QUESTIONS[0]), ws.run(QUESTIONS[1])
    ws.traces.delete(trace.iri)
    for use in (
        ws.traces.load, ws.traces.replay, ws.traces.delete, ws.rerun, ws.influence,
        lambda iri: ws.compare(iri, other), lambda iri: ws.traces.annotate(iri, name="n"),
        lambda iri: ws.export(ws.traces.load(iri)), lambda iri: ws.report(ws.traces.load(iri)),
    ):  # fmt: skip
        with pytest.raises(RecordError, match=rf"{trace.iri} was deleted on \d{{4}}-\d\d-\d\d"):
            use(trace.iri)
    assert ws.traces.using(trace.edges[0].edge) == []


def test_unknown_runs_running_ones_and_parts_of_others_are_not_deleted(ws):
    agent = ws.run(QUESTIONS[0], engine="agent")
    within = next(node.iri for node in agent.dag.nodes() if node.kind == "Question" and node.iri != agent.iri)
    running = ws.ask(QUESTIONS[0])
    asked = next(running).iri
    said = {"urn:unknown": "no trace", "no iri": "no trace", within: "part of another", asked: "still going on"}
    before = set(ws.graph.match())
    for iri, words in said.items():
        with pytest.raises(RecordError, match=words):
            ws.traces.delete(iri)
    assert set(ws.graph.match()) == before
    assert list(running)[-1].reason == "done"
    ws.traces.delete(asked)


def test_a_run_that_varies_a_deleted_one_stays_and_an_evaluation_asks_again(ws, tmp_path):
    trace = ws.run(QUESTIONS[1])
    varied = ws.rerun(trace, without=[trace.edges[0]])
    ws.traces.delete(trace.iri)
    again = ws.traces.load(varied.iri)
    assert (again.answer, again.reason) == (varied.answer, varied.reason)
    assert ws.rerun(again).answer == varied.answer
    file = tmp_path / "questions.jsonl"
    file.write_text('{"question": "Who built the relief valve?", "answerable": true}\n')
    [first] = ws.evaluate(file, progress=False).outcomes
    ws.traces.delete(first.run)
    [second] = ws.evaluate(file, progress=False).outcomes
    assert second.run != first.run
    assert second.answer == first.answer


@pytest.mark.parametrize("engine", ENGINES)
def test_a_deleted_run_is_restored_whole(ws, engine):
    trace = ws.run(QUESTIONS[0], engine)
    ws.traces.annotate(trace.iri, name="Baseline", tags=["a"])
    before = set(ws.graph.match()), held(ws, contents(trace)), ws.traces.list()
    done = ws.traces.delete(trace.iri)
    assert done.question == QUESTIONS[0]
    ws.traces.restore(done)
    assert (set(ws.graph.match()), held(ws, contents(trace)), ws.traces.list()) == before
    line = ws.traces.delete(trace.iri).to_json()
    assert "\n" not in line
    ws.traces.restore(run_deletion.Deletion.from_json(line))
    assert (set(ws.graph.match()), held(ws, contents(trace)), ws.traces.list()) == before
    again = ws.traces.load(trace.iri)
    assert (again.answer, again.explored, again.usage) == (trace.answer, trace.explored, trace.usage)
    with pytest.raises(RecordError, match="not deleted"):
        ws.traces.restore(done)


def test_what_was_changed_since_it_was_kept_is_not_restored(ws):
    trace = ws.run(QUESTIONS[0])
    kept = json.loads(ws.traces.delete(trace.iri).to_json())
    fact = "<urn:a> <urn:b> <urn:c> .\n"
    text = {"iri": ws.stores.library.documents()[0].iri, "title": "", "mime": "text/plain", "data": ""}
    changed = (
        {"nquads": kept["nquads"].replace("tank", "pump")}, {"nquads": kept["nquads"] + fact},
        {"contents": [*kept["contents"], text]}, {"sha256": "0" * 64}, {"nquads": "no triples"}, {"contents": [{}]},
    )  # fmt: skip
    for line in (*(json.dumps(kept | change) for change in changed), "", "[]", "null", "no JSON"):
        with pytest.raises(RecordError, match=r"was changed|no run that was kept"):
            run_deletion.Deletion.from_json(line)
    with pytest.raises(RecordError, match="their hashes differ"):
        ws.traces.restore(run_deletion.Deletion(trace.iri, "", "0" * 64, (), ()))
    ws.traces.restore(run_deletion.Deletion.from_json(json.dumps(kept)))


class KilledError(Exception):
    """Stands for the end of the process."""


@each("step", range(4))
@each("change", ["delete", "restore"])
def test_a_kill_between_the_steps_leaves_a_run_whole_or_deleted(tmp_path, monkeypatch, change, step):
    """Each step is a write to one of the two stores: what happens after the kill never comes about."""
    with filled(tmp_path / "ws") as ws:
        trace = ws.run(QUESTIONS[0])
        ws.traces.annotate(trace.iri, name="Baseline")
        whole = set(ws.graph.match(graph=RETRIEVAL)), set(ws.graph.match(graph=ANNOTATION))
        done = ws.traces.delete(trace.iri) if change == "restore" else None
        steps = iter(range(step))

        def counted(write):
            def count(*given):
                if next(steps, None) is None:
                    raise KilledError
                return write(*given)

            return count

        with monkeypatch.context() as patch, suppress(KilledError):
            for store, write in ((type(ws.stores.database), "writing"), (type(ws.stores.graph), "replace")):
                patch.setattr(store, write, counted(getattr(store, write)))
            ws.traces.delete(trace.iri) if done is None else ws.traces.restore(done)
    with explorer.open(tmp_path / "ws") as ws:
        found = set(ws.graph.match(graph=RETRIEVAL)), set(ws.graph.match(graph=ANNOTATION))
        assert not ws.stores.database.rows("SELECT * FROM acts")
        if found == whole:
            assert held(ws, contents(trace)) == contents(trace)
            assert ws.traces.load(trace.iri).answer == trace.answer
            assert [one.name for one in ws.traces.list()] == ["Baseline"]
        else:
            assert run_deletion.deleted(ws.stores, trace.iri) is not None
            assert {quad.subject.value for quad in found[0]} == {trace.iri}
            assert (found[1], held(ws, contents(trace)), ws.traces.list()) == (set(), set(), [])


def test_a_bad_import_does_not_take_another_run_s_text_or_a_document_with_it(ws, tmp_path):
    trace = ws.run(QUESTIONS[0])
    document = trace.sources()[0].document
    [content] = [one for one in contents(trace) if "synthesis" in one]
    for number, named in enumerate((content, document)):
        question, answer = f"urn:trustgraph:question:bad{number}", f"urn:trustgraph:prov:synthesis:bad{number}"
        file = tmp_path / f"bad{number}.ttl"
        file.write_text(
            "@prefix tg: <https://trustgraph.ai/ns/> . @prefix prov: <http://www.w3.org/ns/prov#> .\n"
            f'<{question}> a prov:Entity, tg:Question, tg:GraphRagQuestion ; tg:query "Why?" .\n'
            f"<{answer}> a prov:Entity, tg:Synthesis, tg:Answer ; prov:wasDerivedFrom <{question}> ;\n"
            f"  tg:document <{named}> .\n"
        )
        ws.import_record(file)
        ws.traces.delete(question)
    assert ws.traces.load(trace.iri).answer == trace.answer
    assert ws.data(document)
