"""Several writers of one collection on servers: what each does stands beside what others do, and nothing is lost."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest

from explorer.errors import WorkspaceError
from explorer.events import Done, Explain
from explorer.ingest.parsed import document_iri
from explorer.record.person import askers, role_of
from explorer.record.recovery import Upkeep
from explorer.stores.document_rows import put_documents, put_standing
from explorer.stores.library import StoredDocument
from explorer.vocab import X
from explorer.widgets.audit import audited
from explorer.wording.graph_words import NodeWords
from tests.corpus import NOTES, VALVES

QUESTION = "Who built the relief valve?"


@pytest.fixture
def notes(tmp_path):
    (tmp_path / "valves.md").write_text(VALVES, "utf-8")
    (tmp_path / "notes.txt").write_text(NOTES, "utf-8")
    return tmp_path


def together(*acts):
    """Do things at once, each in a thread of its own; what one raises is raised."""
    barrier = threading.Barrier(len(acts))

    def run(act):
        barrier.wait()
        act()

    with ThreadPoolExecutor(len(acts)) as pool:
        list(pool.map(run, acts))


def test_a_document_that_two_ingest_at_once_is_there_once(team, notes):
    one, other = team.open(), team.open(writer=1)
    together(*(lambda ws=ws: ws.ingest(notes, progress=False) for ws in (one, other)))
    with team.open(writer=2) as third:
        assert len(third.documents) == 2
        facts = [str(fact.triple) for fact in third.facts(limit=None)]
        assert len(facts) == len({*facts})
        assert third.run(QUESTION).reason == "done"
        assert third.verify().is_sound
        keys = team.sql(
            "SELECT kind, key, document, text, count(*) FROM vectors GROUP BY 1, 2, 3, 4 HAVING count(*) > 1"
        )
        assert keys == []


def test_what_one_ingests_the_other_finds_with_its_next_question(team, notes):
    one, other = team.open(), team.open(writer=1)
    one.ingest(notes / "notes.txt", progress=False)
    assert other.run("Who made the fan motors?").reason == "declined"
    one.ingest(notes / "valves.md", progress=False)
    assert "Globe Industries" in other.run("Who made the fan motors?").answer
    assert len(other.documents) == 2
    one.retract(next(fact for fact in one.facts("relief valve", limit=None) if "built" in str(fact.triple)))
    assert [act.act for act in other.curations] == ["retracted"]
    one.forget("notes.txt")
    assert len(other.documents) == 1


def test_four_writers_leave_one_chain_without_a_fork(team, notes):
    team.open().ingest(notes / "notes.txt", progress=False)
    writers = [team.open(writer=number) for number in range(4)]
    runs = []
    together(*(lambda ws=ws: runs.extend(ws.run(QUESTION).iri for _ in range(2)) for ws in writers))
    ws = writers[0]
    assert sorted(entry.about for entry in ws.ledger) == sorted(runs)
    assert [entry.number for entry in ws.ledger] == list(range(1, 9))
    assert ws.verify().is_sound
    assert {run.reason for run in ws.traces.list()} == {"done"}


def test_two_people_who_judge_and_note_at_once_lose_nothing(team, notes):
    one, other = team.open(), team.open(writer=1)
    one.ingest(notes / "notes.txt", progress=False)
    run = one.run(QUESTION)
    together(
        *(lambda ws=ws, by=by: [ws.traces.judge(run.iri, "supported", sentence=1, by=f"{by}{n}") for n in range(3)]
          for ws, by in ((one, "Ana"), (other, "Bo"))),
        lambda: one.traces.annotate(run.iri, name="A name"),
        lambda: other.traces.annotate(run.iri, tags=["a tag"]),
    )  # fmt: skip
    for ws in (one, other):
        assert {verdict.by for verdict in ws.traces.verdicts(run)} == {
            f"{by}{n}" for by in ("Ana", "Bo") for n in range(3)
        }
        [listed] = ws.traces.list()
        assert (listed.name, listed.tags) == ("A name", ("a tag",))


def test_the_role_that_wrote_is_on_record_beside_who_asked_and_never_on_the_question(team, notes):
    name = f"asker_{team.collection}"
    one, other = team.open(), team.open(writer=1, url=team.role(name))
    one.ingest(notes / "notes.txt", progress=False)
    own = team.sql("SELECT session_user")[0][0]
    for ws, by, role in ((one, "Ana", own), (other, "Bo", name)):
        run = ws.run(QUESTION, by=by)
        assert (askers(ws.graph, run.iri), role_of(ws.graph, run.iri)) == ([by], role)
        again = ws.traces.load(run.iri)
        assert {*again.quads()} == {*run.quads()}
        assert not any(quad.subject.value == run.iri for quad in again.quads() if quad.predicate == X.databaseRole)
        for dag in (run.dag, again.dag):
            rows = {row.get("label"): row.get("text") for row in NodeWords(dag, bool).rows(dag.nodes()[0])}
            assert (rows["Asked by"], rows["Database role"]) == (by, role)
        assert audited(ws, "page", run.iri)["by"] == f"by {by}, written as the database role {role}"
        assert f'<dt>Database role</dt><dd dir="auto">{role}</dd>' in ws.report(run)
    assert [found.iri for found in one.traces.list(by="Bo")] == [run.iri]
    assert one.verify().is_sound


def test_opening_leaves_what_another_is_at_alone(team, notes):
    one = team.open()
    one.ingest(notes / "notes.txt", progress=False)
    events = one.ask(QUESTION)
    seen = [next(events) for _ in range(3)]
    with team.open(writer=1) as other:
        assert [run.reason for run in other.traces.list()] == [None]
        assert len(other.ledger) == 0
    rest = list(events)
    assert rest[-1].reason == "done"
    assert seen
    with team.open(writer=2) as other:
        assert [run.reason for run in other.traces.list()] == ["done"]
        assert len(other.ledger) == 1
        assert other.verify().is_sound


def test_the_run_of_a_writer_that_is_gone_is_ended_by_another_while_that_one_is_open(team, notes):
    one, other = team.open(), team.open(writer=1)
    one.ingest(notes / "notes.txt", progress=False)
    events = one.ask(QUESTION)
    shown = [next(event.iri for event in events if isinstance(event, Explain)) for _ in range(2)]
    upkeep = Upkeep(other.traces.ledger, other.traces.cut_off)
    upkeep.look()
    assert [run.reason for run in other.traces.list()] == [None]
    team.run_out(one)
    upkeep.look()
    [run] = other.traces.list()
    assert run.reason == "interrupted"
    assert {step.iri for step in other.traces.load(run.iri).steps} >= {*shown}
    assert other.verify().is_sound
    before = len(list(other.graph.match()))
    with pytest.raises(WorkspaceError, match="Another process has taken over"):
        list(events)  # it was only paused
    assert len(list(other.graph.match())) == before
    with pytest.raises(WorkspaceError, match="close the workspace, open it again"):
        one.run(QUESTION)
    one.close()
    one.reopen()
    assert one.run(QUESTION).reason == "done"


def test_a_document_of_a_writer_that_is_gone_is_taken_back_and_read_by_who_waits_for_it(team, notes):
    one, other = team.open(), team.open(writer=1)
    iri = document_iri((notes / "notes.txt").read_bytes())
    with one.stores.database.writing() as connection:
        put_documents(connection, [StoredDocument(iri, "notes.txt", "Notes", "text/plain", NOTES)])
        put_standing(connection, [("notes.txt", iri)])
    done = []
    waiting = threading.Thread(target=lambda: done.append(other.ingest(notes / "notes.txt", progress=False)))
    waiting.start()
    time.sleep(3)
    assert done == []
    assert len(other.documents) == 0  # nothing of it is found
    team.run_out(one)
    waiting.join(60)
    assert [(one.documents, one.refused) for one in done] == [(1, ())]
    assert other.run(QUESTION).reason == "done"
    assert other.verify().is_sound


def test_who_corrects_waits_for_who_does_and_says_so_in_the_end(team, notes):
    one, other = team.open(timeout=1.5), team.open(writer=1)
    other.ingest(notes / "notes.txt", progress=False)
    with other.stores.database.correcting, pytest.raises(WorkspaceError, match=r"correcting facts .*try again"):
        one.add_fact("Ana", "knows", "Bo")
    one.add_fact("Ana", "knows", "Bo")
    assert other.facts("Ana")


@pytest.mark.parametrize("hours", [-1, 1])
def test_clocks_that_differ_by_an_hour_take_no_run_and_no_document_from_who_is_at_it(team, notes, hours):
    ahead = team.open(writer=1, clock=lambda: datetime.now(UTC) + timedelta(hours=hours))
    one = team.open()
    events = one.ask(QUESTION) if one.ingest(notes / "notes.txt", progress=False) else ()
    seen = [next(events) for _ in range(2)]
    Upkeep(ahead.traces.ledger, ahead.traces.cut_off).look()
    assert [run.reason for run in ahead.traces.list()] == [None]

    def ask(step):
        Upkeep(one.traces.ledger, one.traces.cut_off).look()
        assert one.run("Who made the fan motors?").reason == "declined"

    ahead.ingest(notes / "valves.md", progress=ask)
    assert [event.reason for event in (*seen, *events) if isinstance(event, Done)] == ["done"]
    assert "Globe Industries" in ahead.run("Who made the fan motors?").answer
    assert {run.reason for run in one.traces.list()} == {"done", "declined"}
    assert one.verify().is_sound


def test_a_writer_that_was_paused_for_too_long_writes_no_more_once_its_run_was_ended_by_another(team, notes):
    ws = team.open()
    ws.ingest(notes / "notes.txt", progress=False)
    bo = team.colleague("Bo")
    run = bo.do("ask", QUESTION)
    with bo.paused():
        team.sql(
            "UPDATE writers SET until = clock_timestamp() - interval '1 second' WHERE token <> :own",
            own=ws.stores.database.lease.token,
        )
        Upkeep(ws.traces.ledger, ws.traces.cut_off).look()
        assert [(one.iri, one.reason) for one in ws.traces.list()] == [(run, "interrupted")]
        steps = len(ws.traces.load(run).events)
    assert "has taken over what this one was writing" in bo.do("go on")
    assert "has taken over what this one was writing" in bo.do("ask", QUESTION)
    assert [(one.iri, one.reason) for one in ws.traces.list()] == [(run, "interrupted")]
    assert len(ws.traces.load(run).events) == steps
    assert ws.run(QUESTION).reason == "done"
    assert ws.verify().is_sound


def test_a_fact_that_is_retracted_while_another_reads_it_in_stays_retracted(team, notes):
    one, other = team.open(), team.open(writer=1)
    one.ingest(notes / "notes.txt", progress=False)
    fact = next(fact for fact in one.facts("relief valve", limit=None) if "built" in str(fact.triple))
    acts = []

    def retract(step):
        if step.stage == "storing" and not acts:
            acts.append(one.retract(fact))

    other.ingest(notes / "valves.md", progress=retract)
    assert len(acts) == 1
    for ws in (one, other):
        assert [act.act for act in ws.curations] == ["retracted"]
        assert str(fact.triple) not in {str(found.triple) for found in ws.facts(limit=None)}
        assert len(ws.documents) == 2
        assert "Globe Industries" in ws.run("Who made the fan motors?").answer
    assert one.verify().is_sound
