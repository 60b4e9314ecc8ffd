"""Workspaces of earlier versions get what can be derived: links, hashes and seals."""

import pytest

import explorer
from explorer.events import Explain
from explorer.record.ledger import Ledger
from explorer.record.upgrading import upgrade
from explorer.vocab import PROV, RDF, X
from tests.corpus import QUESTIONS, filled
from tests.older import as_before

ENGINES = ("graph-rag", "document-rag", "agent")


@pytest.fixture
def ws(tmp_path):
    with filled(tmp_path / "ws") as workspace:
        for engine in ENGINES:
            workspace.run(QUESTIONS[0], engine)
        yield workspace


def recorded(ws):
    """All that is on record but what can't be derived: when steps began, a database's role, and the seals before."""
    return {quad for quad in ws.graph.match() if quad.predicate not in (X.startedAt, X.databaseRole, X.previous)}


def test_what_an_earlier_version_did_not_record_is_derived(ws):
    whole = recorded(ws)
    as_before(ws)
    assert len(recorded(ws)) < len(whole) - 150
    assert "explorer upgrade" in ws.outdated().advice[0]
    assert (ws.outdated().runs, ws.outdated().texts) == (3, 3)
    assert "3 not sealed" in ws.verify().seals
    done = ws.upgrade(progress=False)
    assert (done.documents, done.runs, repr(done)) == (
        3, 3, "<Upgraded 3 documents with hashes, 3 runs linked and sealed>"
    )  # fmt: skip
    assert recorded(ws) == whole
    assert [one.kind for one in ws.ledger] == ["older"] * 3
    found = ws.verify()
    assert found.is_sound
    assert found.seals == "3 of 3 runs sealed, not signed."
    assert not ws.outdated()
    assert ws.upgrade(progress=False).text == "0 documents with hashes, 0 runs linked and sealed"


def test_opening_changes_nothing_and_says_what_waits(ws, tmp_path):
    as_before(ws)
    before = {*ws.graph.match()}
    ws.close()
    with explorer.open(tmp_path / "ws") as again:
        assert {*again.graph.match()} == before
        assert "`explorer upgrade`" in again._repr_mimebundle_()["text/plain"]
        assert not len(again.ledger)
        assert again.run(QUESTIONS[1]).iri == again.ledger[0].about  # what is new is sealed all the same
        again.upgrade(progress=False)
        assert [one.kind for one in again.ledger] == ["run", "older", "older", "older"]
        assert again.verify().is_sound  # the hashes of its sources came later


def test_what_was_cut_off_goes_on(ws):
    whole = recorded(ws)
    as_before(ws)

    class CutError(Exception):
        pass

    for step in (0, 1, 1, 1, 0, 1):
        steps = iter(range(step))

        def add(quads, steps=steps):
            if next(steps, None) is None:
                raise CutError
            type(ws.graph).add(ws.graph, quads)

        ws.graph.add = add
        with pytest.raises(CutError):
            upgrade(ws.stores, ws.ledger, progress=False)
        del ws.graph.add
    ws.upgrade(progress=False)
    assert recorded(ws) == whole
    assert ws.verify().is_sound


def test_a_run_whose_upgrade_was_cut_off_before_its_seal_is_no_fault(ws):
    class CutError(Exception):
        pass

    class Cut(Ledger):
        def seal(self, *_):
            raise CutError

    as_before(ws)
    with pytest.raises(CutError):
        upgrade(ws.stores, Cut(ws.stores, ws.ledger.clock), progress=False)
    assert any(ws.graph.match(None, X.run))
    assert ws.verify().is_sound
    assert ws.upgrade(progress=False).runs == 3
    assert "3 of 3 runs sealed" in ws.verify().seals


def test_texts_that_were_removed_keep_their_hash(ws):
    ws.forget("notes.txt", words=True)
    kept = {quad for quad in recorded(ws) if quad.predicate in (X.sha256, PROV.invalidatedAtTime)}
    removed = {quad.subject for quad in kept if quad.predicate == PROV.invalidatedAtTime}
    as_before(ws)
    ws.graph.add(quad for quad in kept if quad.subject in removed)  # as was recorded before, too
    ws.upgrade(progress=False)
    assert {quad for quad in recorded(ws) if quad.predicate in (X.sha256, PROV.invalidatedAtTime)} == kept
    assert ws.verify().is_sound


def test_a_record_of_another_stays_as_it_came(ws, tmp_path):
    trace = ws.run(QUESTIONS[1])
    (tmp_path / "run.nq").write_bytes(ws.export(trace, "nq", compat="trustgraph"))
    with explorer.open() as other:
        other.import_record(tmp_path / "run.nq")
        as_before(other)
        before = {*other.graph.match()}
        other.upgrade(progress=False)
        assert {quad for quad in other.graph.match() if quad.predicate != X.previous} == before
        assert [one.kind for one in other.ledger] == ["older"]
        assert other.verify().is_sound


def test_runs_that_were_upgraded_replay_as_they_are_stored(ws):
    as_before(ws)
    ws.upgrade(progress=False)
    for one in ws.traces.list():
        told = {quad for event in ws.traces.replay(one.iri) if isinstance(event, Explain) for quad in event.triples}
        assert {quad.subject for quad in ws.graph.match(None, X.run) if quad.object.value == one.iri} <= {
            q.subject for q in told
        }
        assert any(quad.predicate == RDF.type and quad.object == X.Run for quad in told)
