"""Runs are sealed: whatever of one is changed afterwards is found, and what was changed on purpose is not blamed."""

import hashlib
import json
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from pyoxigraph import BlankNode, CanonicalizationAlgorithm, Dataset, Literal, NamedNode, Quad, RdfFormat, Triple
from pyoxigraph import serialize as written

import explorer
from explorer.errors import RecordError, WorkspaceError
from explorer.events import Explain
from explorer.record.keys import is_signed, new_key
from explorer.record.sealing import canonical, sealable
from explorer.record.verification.evidence import Evidence
from explorer.record.verification.seals import Seals
from explorer.stores.ledger import FIRST, unsealed
from explorer.vocab import DC, FACTS, PROV, RETRIEVAL, TG, X, iri
from tests.corpus import QUESTIONS, Clock, filled, ids, still, with_corpus
from tests.opened import ON_SERVERS
from tests.tampering import changed, put, unlock

ENGINES = ("graph-rag", "document-rag", "agent")
ws = with_corpus()


@pytest.mark.parametrize("engine", ENGINES)
def test_each_triple_of_a_sealed_run_changed_removed_or_added_is_found(ws, engine):
    trace = ws.run(QUESTIONS[0], engine, by="Ada")
    assert ws.verify(trace).is_sound
    seals = found_by_seals(ws, trace.iri)
    assert not seals()
    found = sealable(ws.stores, trace.iri)
    of_sources = [*found.sources.values(), *found.how.values()]
    quads = [*found.record, *(quad for quads in of_sources for quad in quads)]
    quads += ws.graph.match(None, X.previous, None, RETRIEVAL)
    assert len(quads) > 200
    if ON_SERVERS:  # one of each predicate: each change is a request
        quads = {quad.predicate: quad for quad in quads}.values()
    for quad in dict.fromkeys(quads):
        other = changed(quad)
        more = [([], [other])] if quad.predicate != TG.contains else []  # other facts may be found in the same words
        for gone, come in (([quad], [other]), ([quad], []), *more):
            put(ws, gone, come)
            assert seals(), (quad, gone, come)
            put(ws, come, gone)
    assert not seals()


def found_by_seals(ws, run):
    """What the seals alone find: no rule, no shape."""
    quads = sealable(ws.stores, run).record  # so that it is not read again
    return lambda: [one for one in Seals(ws.stores).of(Evidence(ws.stores, run, quads=quads)) if one.is_fault]


def test_the_canonical_form_is_rdfc_1_0_and_blank_nodes_that_hang_together_do_not_take_forever():
    node, name = NamedNode("urn:a"), NamedNode("urn:p")
    texts = [
        Literal("".join(map(chr, range(256))) + "\u2028\U0001f600"),
        Literal("x", language="en"),
        Literal("1", datatype=NamedNode("urn:t")),
    ]
    objects = [*texts, Triple(node, name, texts[0]), BlankNode("b"), BlankNode("a")]
    quads = [Quad(node, name, one, graph) for one in objects for graph in (RETRIEVAL, FACTS)]
    dataset = Dataset(quads)
    dataset.canonicalize(CanonicalizationAlgorithm.RDFC_1_0)
    lines = sorted(written([quad], format=RdfFormat.N_QUADS) for quad in dataset)
    assert canonical(quads) == b"".join(lines) == canonical(reversed(quads))
    blanks = [BlankNode(f"b{n}") for n in range(30)]
    quads = [Quad(one, name, other) for one in blanks for other in blanks if one != other]
    assert canonical(quads) == canonical(quads[::-1])


def test_an_entry_holds_the_one_before_it_the_record_names_it_and_it_stays(ws):
    for question in QUESTIONS[:3]:
        ws.run(question)
    first, second, third = ws.ledger
    before = [FIRST, first.seal, second.seal]
    assert [one.previous for one in ws.ledger] == before
    assert [one.kind for one in ws.ledger] == ["run"] * 3
    ends = [NamedNode(iri("end", f"s{n}")) for n in (1, 2, 3)]
    assert [quad.object.value for end in ends for quad in ws.graph.match(end, X.previous)] == before
    assert ws.ledger.head == f"3:{third.seal}"
    assert ws.ledger.entry(third.about) == third
    assert str(ws.ledger).splitlines()[2].startswith("1      run   urn:trustgraph:question:s1")
    for sql in ("DELETE FROM ledger", "UPDATE ledger SET seal = ''"):
        with pytest.raises(WorkspaceError, match="entries of the ledger stay"), ws.stores.database.writing() as one:
            one.execute(sql)


@pytest.mark.parametrize("how", ["stopped", "declined", "failed"])
def test_however_a_run_ends_it_is_sealed(ws, how):
    if how == "stopped":
        events = ws.ask(QUESTIONS[0])
        next(events)
        events.close()
    elif how == "declined":
        assert ws.run(QUESTIONS[3]).reason == "declined"
    else:
        ws.run(QUESTIONS[0], "agent", tools=[broken], pattern="react")
    assert [one.kind for one in ws.ledger] == ["run"]
    assert ws.verify().is_sound
    assert not unsealed(ws.stores.database)


def broken(place: str) -> str:
    """Find the tank that is broken."""
    raise ValueError(place)


def test_runs_that_end_at_the_same_moment_keep_one_chain():
    with filled() as ws:
        ws._clock = ws.traces.clock = still
        barrier = threading.Barrier(4)

        def ask(question):
            events = list_until_last(ws.ask(question))
            barrier.wait()
            return [*events]

        with ThreadPoolExecutor(4) as pool:
            assert len([*pool.map(ask, [*QUESTIONS])]) == 4
        assert len(ws.ledger) == 4
        assert ws.verify().is_sound


def list_until_last(events):
    """Go on until the answer is there; what is returned has the rest."""
    for event in events:
        if isinstance(event, Explain) and "synthesis" in event.iri:
            break
    return events


def test_a_clock_that_goes_backwards_is_no_fault():
    times = iter(range(10_000, 0, -1))
    with filled() as ws:
        ws._clock = ws.traces.clock = lambda: still() + timedelta(seconds=next(times))
        for question in QUESTIONS[:2]:
            ws.run(question)
        first, second = ws.ledger
        assert second.at < first.at
        assert not [one for one in ws.verify() if "ledger" in one.node or "seal" in one.what]


def test_what_people_change_on_purpose_is_no_fault(ws, tmp_path):
    for engine in ENGINES:
        ws.run(QUESTIONS[0], engine)
    newer = tmp_path / "valves.md"
    newer.write_text("# Valves\n\nBeech Aircraft built the relief valve in 1967.\n")
    ws.ingest(newer, replaces="Valves of the tank", progress=False)
    assert ws.verify().is_sound
    ws.retract(ws.facts("relief valve opened")[0], by="Ada")
    added = ws.add_fact("relief valve", "was tested in", "Boulder")
    ws.merge("relief valve", "Beech Aircraft")
    ws.undo()
    ws.retract(added)
    ws.reindex(progress=False)
    ws.reextract(progress=False)
    ws.traces.annotate(ws.traces.list()[0].iri, name="First", note="Looked at.")
    assert ws.verify().is_sound
    ws.reextract("notes.txt", extractors=(), progress=False)
    assert ws.verify().is_sound


@pytest.mark.parametrize("words", [False, True])
def test_a_document_that_was_removed_is_told_as_that(ws, words, tmp_path):
    for engine in ENGINES:
        ws.run(QUESTIONS[0], engine)
    gone = ws.forget("notes.txt", words=words)
    found = ws.verify()
    assert found.is_sound
    assert any(one.node == gone.iri and one.what.startswith("it was removed on") for one in found)
    assert "forgotten" in [one.kind for one in ws.ledger]
    assert ("amended" in [one.kind for one in ws.ledger]) == words
    ws.restore(gone)
    assert ws.verify().is_sound


def test_what_is_left_of_a_document_that_was_removed_is_sealed(ws):
    """Its title, its dates, its hash, and where each passage came from; also where no run has used it."""
    runs = [ws.run(QUESTIONS[0], engine).iri for engine in ENGINES]
    gone = [ws.forget("notes.txt"), ws.forget("report.pdf")]
    assert ws.verify().is_sound
    for document in gone:
        left = ws.ledger.entry(document.iri).sources
        assert document.iri in left
        quads = [quad for node in left for quad in ws.graph.match(NamedNode(node))]
        assert {DC.title, PROV.invalidatedAtTime, X.sha256} <= {quad.predicate for quad in quads}
        for quad in quads:
            for took, put_in in (([quad], [changed(quad)]), ([quad], []), ([], [changed(quad)])):
                put(ws, took, put_in)
                found = [one for one in Seals(ws.stores).others(runs) if one.is_fault]
                assert [one.what for one in found] == [
                    "what was left of it when its document was removed was changed since"
                ], quad
                put(ws, put_in, took)
    assert any(one.is_removal for one in ws.verify())
    assert ws.verify().is_sound


def test_what_is_done_after_a_document_was_removed_is_no_fault(ws, tmp_path):
    """Facts that people corrected, runs that are deleted, bundles that tell of it, a version that comes back."""
    ws.run(QUESTIONS[0])
    ws.bundle(ws.traces.list()[0].iri, path=tmp_path / "run.zip")
    [notes] = [row.iri for row in ws.documents if row.title == "Notes of the shift"]
    ws.add_fact("relief valve", "was tested in", "Boulder", ws.stores.library.chunks_of(notes)[0])
    ws.retract(ws.facts("relief valve opened")[0], by="Ada")
    ws.run(QUESTIONS[0])
    newer = tmp_path / "valves.md"
    newer.write_text("# Valves\n\nBeech Aircraft built the relief valve in 1967.\n")
    ws.ingest(newer, replaces="Valves of the tank", progress=False)
    gone = [ws.forget(name) for name in ("notes.txt", "valves.md")]
    assert ws.verify().is_sound
    with pytest.raises(RecordError, match="is not here any more"):
        ws.undo()
    ws.retract(ws.facts("heater switches")[0])
    ws.merge("Teflon insulation", "heater switches")
    gone.append(ws.forget("report.pdf"))
    assert ws.verify().is_sound
    ws.traces.delete(ws.traces.list()[0].iri)
    assert ws.verify().is_sound
    for _ in range(2):
        ws.import_record(tmp_path / "run.zip")
        assert ws.verify().is_sound
    for one in gone:
        ws.restore(one)
        assert ws.verify().is_sound
    ws.reextract(progress=False)
    ws.run(QUESTIONS[0])
    ws.forget("notes.txt", words=True)
    assert ws.verify().is_sound


def test_that_a_document_was_removed_is_believed_from_the_ledger_alone(ws):
    ws.run(QUESTIONS[0])
    [document] = [row.iri for row in ws.documents if row.title == "Notes of the shift"]
    quads = list(ws.graph.match(NamedNode(document), None, None, FACTS))
    tombstone = [Quad(NamedNode(document), PROV.invalidatedAtTime, Literal("2026-01-15T10:30:00Z"), FACTS)]
    put(ws, quads[1:], [*quads[:1], *tombstone])
    assert [one.what for one in ws.verify().faults] == [
        "it is told as removed on 2026-01-15, and the ledger does not say so",
        "what is on record of it and its passages was changed since",
    ]
    put(ws, [], quads[1:])
    assert [one.what for one in ws.verify().faults] == [
        "it is told as removed on 2026-01-15, and the ledger does not say so"
    ]


def test_a_run_that_was_deleted_restored_or_taken_out_by_hand(ws):
    first, second = (ws.run(question).iri for question in QUESTIONS[:2])
    deletion = ws.traces.delete(first)
    assert ws.verify().is_sound
    assert ws.verify(first).is_sound
    assert ws.ledger.entry(first).kind == "deleted"
    ws.traces.restore(deletion)
    assert ws.ledger.entry(first).kind == "restored"
    assert ws.verify().is_sound
    [told] = ws.verify(first)
    assert told.is_note
    assert "it was deleted on 2026-01-15 10:30 and restored on 2026-01-15 10:30" in told.what
    assert "first sealed on 2026-01-15 10:30 as entry 1 of the ledger, and is the same now" in told.what
    nodes = [
        (quad.subject, RETRIEVAL) for quad in sealable(ws.stores, second).record if "agent/" not in str(quad.subject)
    ]
    ws.graph.replace(dict.fromkeys(nodes), ())
    assert [one.node for one in ws.verify().faults] == [second]
    assert "is not on record any more" in ws.verify().faults[0].what


def test_a_tombstone_that_nobody_has_made_by_deleting_is_found(ws):
    run = ws.run(QUESTIONS[0]).iri
    deletion = ws.traces.delete(run)
    [tombstone] = ws.graph.match(NamedNode(run), X.sha256)
    put(ws, [tombstone], [changed(tombstone)])
    assert not ws.verify(run).is_sound
    put(ws, [changed(tombstone)], [tombstone])
    ws.traces.restore(deletion)
    ws.graph.replace([(NamedNode(run), RETRIEVAL)], [])
    left = [Quad(NamedNode(run), link, value, RETRIEVAL) for link, value in (
        (NamedNode("http://www.w3.org/1999/02/22-rdf-syntax-ns#type"), X.Deleted), (X.sha256, Literal("0" * 64)),
        (PROV.invalidatedAtTime, Literal("2026-01-15T10:30:00Z")),
    )]  # fmt: skip
    ws.graph.add(left)
    assert "the ledger does not" in " ".join(one.what for one in ws.verify(run))


def test_an_imported_run_is_sealed_as_one(ws, tmp_path):
    trace = ws.run(QUESTIONS[0])
    (tmp_path / "run.nq").write_bytes(ws.export(trace, "nq"))
    with explorer.open(ids=ids(), clock=Clock()) as other:
        for _ in range(2):
            other.import_record(tmp_path / "run.nq")
            assert [one.kind for one in other.ledger] == ["imported"]
        put(other, other.graph.match(None, X.previous), [])
        assert found_by_seals(other, trace.iri)()
    text = (tmp_path / "run.nq").read_text().replace('ns:reason> "done"', 'ns:reason> "declined"')
    (tmp_path / "run.nq").write_text(text)
    ws.import_record(tmp_path / "run.nq")  # it is no way to change what was sealed here
    assert [one.kind for one in ws.ledger] == ["run"]
    assert any("not the one that was sealed" in one.what for one in ws.verify())


def rewritten(ws, change):
    """Change the rows of the ledger by hand."""
    with ws.stores.database.writing() as connection:
        unlock(connection)
        change(connection)


def again(connection):
    """Calculate the whole chain anew, as somebody would who knows how."""
    before = FIRST
    rows = connection.rows("SELECT number, statement FROM ledger ORDER BY number")
    for number, row in enumerate(rows, 1):
        told = json.loads(row["statement"]) | {"number": number, "previous": before}
        text = json.dumps(told, sort_keys=True, separators=(",", ":"))
        before = hashlib.sha256(text.encode()).hexdigest()
        connection.execute(
            "UPDATE ledger SET number = ?, statement = ?, seal = ? WHERE number = ?",
            (number, text, before, row["number"]),
        )


def test_a_tail_that_was_cut_off_or_rewritten_is_found_by_what_was_kept_outside(ws):
    heads = []
    for question in QUESTIONS[:3]:
        ws.run(question)
        heads.append(ws.ledger.head)
    ws.traces.delete(iri("question", "s3"))
    assert all(ws.verify(anchor=head).is_sound for head in ("0:" + FIRST, *heads))
    rewritten(ws, lambda connection: connection.execute("DELETE FROM ledger WHERE number >= 3"))
    assert ws.verify(iri("question", "s1")).is_sound
    assert [one.what for one in ws.verify(iri("question", "s1"), anchor=heads[2])] == [
        "it is not there any more: the ledger was cut off"
    ]

    def forge(connection):
        connection.execute("UPDATE ledger SET statement = replace(statement, '2026', '2025') WHERE number = 2")
        again(connection)

    rewritten(ws, forge)
    assert not [one for one in ws.verify(iri("question", "s1")) if "ledger" in one.node]
    assert "it has another seal: the ledger was rewritten" in [one.what for one in ws.verify(anchor=heads[1])]
    for bad in ("", "x", "3", "three:" + FIRST, "3:" + FIRST[:-1]):
        with pytest.raises(RecordError, match="no anchor"):
            ws.verify(anchor=bad)


def test_a_key_signs_what_is_sealed(tmp_path, monkeypatch):
    file, public = tmp_path / "key.pem", tmp_path / "key.pem.pub"
    key = new_key(file)
    assert file.stat().st_mode & 0o777 == 0o600
    monkeypatch.setenv("EXPLORER_KEY", str(file))
    with explorer.open() as ws:
        assert ws.ledger.key.public == key.public
    with filled(key=file) as ws:
        ws.run(QUESTIONS[0])
        [entry] = ws.ledger
        assert entry.key == key.public
        assert is_signed(key.public, entry.signature, entry.statement)
        assert ws.verify(signed_by=public).is_sound
        assert ws.verify(signed_by=key.public).seals == f"1 of 1 run sealed, signed by the key {key.public[:16]}…."
        other = new_key(tmp_path / "other.pem").public
        assert [one.what for one in ws.verify(signed_by=other)] == [f"it is signed by another key, {key.public[:16]}…"]
        rewritten(ws, lambda connection: connection.execute("UPDATE ledger SET signature = ''"))
        assert "its signature is not by the key" in ws.verify()[0].what


def test_without_a_key_each_check_says_that_nothing_is_signed(ws, tmp_path):
    ws.run(QUESTIONS[0])
    assert ws.verify().seals == "1 of 1 run sealed, not signed."
    assert str(ws.verify()) == "1 run checked, no fault found. 1 of 1 run sealed, not signed."
    assert [one.what for one in ws.verify(signed_by="a" * 64)] == ["it is not signed"]


@pytest.mark.embedded("looks for the key in the folder")
def test_keys_that_are_refused(tmp_path):
    key, text = tmp_path / "key.pem", tmp_path / "text.pem"
    new_key(key)
    explorer.open(tmp_path / "ws").close()
    (tmp_path / "link").symlink_to(tmp_path / "ws")
    inside = (tmp_path / place / "key.pem" for place in ("ws", "ws/default", "link"))
    for place, said in ((key, "is there already"), *((one, "is in the workspace") for one in inside)):
        with pytest.raises(WorkspaceError, match=said):
            new_key(place)
    key.chmod(0o640)
    text.write_text("no key")
    text.chmod(0o600)
    for place, said in (
        (key, "Others can read the key"),
        (text, "is no key that can be used"),
        (tmp_path / "nowhere.pem", "can't be read"),
    ):
        with pytest.raises(WorkspaceError, match=said):
            explorer.open(key=place)
    with explorer.open() as ws, pytest.raises(WorkspaceError, match="no public key"):
        ws.verify(signed_by="nowhere")


def test_a_run_that_was_put_in_by_hand_is_not_sealed_which_is_a_fault(ws):
    run = ws.run(QUESTIONS[0]).iri
    ws.graph.replace((), (), list(ws.graph.match(None, X.previous)))
    with ws.stores.database.writing() as connection:
        unlock(connection)
        connection.execute("DELETE FROM ledger")
    found = ws.verify(run)
    assert [one.what for one in found.faults] == ["it is not sealed, and each run is sealed when it ends"]
    assert "1 not sealed" in found.seals
