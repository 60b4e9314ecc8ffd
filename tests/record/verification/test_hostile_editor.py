"""Who may write to the folder, and knows how the ledger is made, adds to it what would hide a change: it is found.

The line that `explorer ledger head` printed is kept outside, so that what stands on the ledger up to there stays.
"""

from contextlib import nullcontext

import pytest
from pyoxigraph import Literal, NamedNode, Quad

from explorer.record.sealing import sealable
from explorer.stores import ledger as stored
from explorer.stores.ledger import AMENDED, DELETED, FORGOTTEN, IMPORTED, INTERRUPTED, RESTORED, RUN, Entry
from explorer.vocab import ANNOTATION, DC, FACTS, PROV, RDFS, RETRIEVAL, SOURCE, TG, iri
from tests.corpus import QUESTIONS, copy_of, filled, read
from tests.tampering import put, unlock

AT = "2026-01-15T11:00:00Z"
SESSION, UNKNOWN = "s1", "older"  # a kind of entry that there is not
RUN_IRI = iri("question", SESSION)
NOBODYS = f"urn:trustgraph:doc:{'0' * 32}"
OTHER = "Who paid for the relief valve?"


class Editor:
    """Somebody who writes to the files of a workspace by hand."""

    def __init__(self, ws):
        self.ws, self.graph = ws, ws.graph

    def set(self, node, term, value):
        """Give a node of the run another value."""
        gone = [*self.graph.match(NamedNode(node), term, None, RETRIEVAL)]
        put(self.ws, gone, [Quad(NamedNode(node), term, Literal(value), RETRIEVAL)])

    def ask_otherwise(self):
        """Have the run answer another question, on record and in the list."""
        self.set(RUN_IRI, TG.query, OTHER)
        self.write("UPDATE listing SET question = ? WHERE iri = ?", OTHER, RUN_IRI)

    def write(self, sql, *values):
        with self.ws.stores.database.writing() as connection:
            connection.execute(sql, values)

    def append(self, kind, about=RUN_IRI, **told):
        """Add an entry that says of a run what is on record of it now, and else what its last seal says."""
        now = sealable(self.ws.stores, RUN_IRI).record_hash
        last = next(one for one in reversed(self.ws.ledger.entries) if one.is_seal)
        if about == RUN_IRI and kind != DELETED:
            told = {"sources": last.sources, "calls": last.calls, "lasting": last.lasting, **told}
        with self.ws.stores.database.writing() as connection:
            stored.append(connection, Entry(0, kind, about, AT, now, "", **told), None)

    def wait(self, about, kind):
        with self.ws.stores.database.writing() as connection:
            stored.expect(connection, about, kind, AT, "0" * 64)


def two_runs(ws):
    read(ws)
    ws.run(QUESTIONS[0], by="Ada")
    ws.run(QUESTIONS[1])
    return ws


@pytest.fixture
def editor():
    with copy_of(two_runs) as ws:
        yield Editor(ws)


def seal_again(kind):
    def done(editor):
        editor.ask_otherwise()
        editor.append(kind)

    return done


def come_back(kind):
    def done(editor):
        editor.append(DELETED)
        editor.ask_otherwise()
        editor.append(kind)

    return done


def amended(editor):
    """Texts are said to be removed with a document that never was."""
    editor.ask_otherwise()
    reasoned = next(iter(editor.graph.match(None, TG.reasoning, None, RETRIEVAL)))
    editor.set(reasoned.subject.value, TG.reasoning, "Removed on 2026-01-15 with the document “Minutes”.")
    editor.append(FORGOTTEN, NOBODYS)
    editor.append(AMENDED)


def amended_deleted_and_restored(editor):
    amended(editor)
    editor.append(DELETED)
    editor.append(RESTORED)


def amended_to_come(editor):
    editor.ask_otherwise()
    editor.wait(RUN_IRI, AMENDED)


def amended_to_come_with_a_document(editor):
    amended_to_come(editor)
    editor.wait(NOBODYS, FORGOTTEN)


def another_answer_where_one_was_removed(editor):
    answer = iri("answer", SESSION)
    put(editor.ws, [], [Quad(NamedNode(answer), PROV.invalidatedAtTime, Literal(AT), RETRIEVAL)])
    editor.write("UPDATE contents SET data = ? WHERE iri = ?", b"Globe Industries built it.", answer)
    editor.append(FORGOTTEN, NOBODYS)
    editor.append(AMENDED)


def another_answer_among_the_documents(editor):
    editor.write("INSERT INTO enclosed VALUES (?, '', ?)", iri("answer", SESSION), "Globe Industries built it.")


def a_document_told_as_removed(editor):
    document = editor.ws.documents[0].iri
    put(editor.ws, [], [Quad(NamedNode(document), PROV.invalidatedAtTime, Literal(AT), FACTS)])


def named_elsewhere(graph):
    def done(editor):
        [named] = editor.graph.match(None, RDFS.label, Literal("Ada"))
        put(editor.ws, [], [Quad(named.subject, RDFS.label, Literal("Eve"), graph)])

    return done


def listed_otherwise(editor):
    editor.write("UPDATE listing SET kept = kept + 1 WHERE iri = ?", RUN_IRI)


AGAIN = (RUN, INTERRUPTED, UNKNOWN, IMPORTED, RESTORED, AMENDED)
BY_NAME = (
    amended, amended_deleted_and_restored, amended_to_come, amended_to_come_with_a_document,
    another_answer_where_one_was_removed, another_answer_among_the_documents, a_document_told_as_removed,
    listed_otherwise,
)  # fmt: skip
ATTACKS = {
    **{f"sealed again as {kind}": seal_again(kind) for kind in AGAIN},
    **{f"deleted, and back as {kind}": come_back(kind) for kind in AGAIN if kind != INTERRUPTED},
    **{one.__name__: one for one in BY_NAME},
    **{f"who asked, in {graph}": named_elsewhere(graph) for graph in (FACTS, SOURCE, ANNOTATION)},
}


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS)
def test_what_is_added_to_hide_a_change_is_found(editor, attack):
    kept = editor.ws.ledger.head
    assert editor.ws.verify(anchor=kept).is_sound
    attack(editor)
    assert editor.ws.verify(anchor=kept).faults
    editor.ws.ledger.settle()
    assert editor.ws.verify(anchor=kept).faults


def test_texts_that_are_removed_with_a_document_are_no_fault_and_noted(editor):
    """Also where the entry that says so is not there yet, as after a kill."""
    ws, kept = editor.ws, editor.ws.ledger.head
    [before] = [one for one in ws.ledger if one.about == RUN_IRI]
    ws.forget("Valves of the tank", words=True)
    found = ws.verify(anchor=kept)
    assert found.is_sound
    assert any(one.is_note and "texts of it were removed on" in one.what for one in found)
    assert [one.lasting for one in ws.ledger if one.about == RUN_IRI] == [before.lasting] * 2
    amending = [one for one in ws.ledger if one.kind == AMENDED]
    with ws.stores.database.writing() as connection:
        unlock(connection)
        connection.execute("DELETE FROM ledger WHERE number >= ?", (amending[0].number,))
        for one in amending:
            stored.expect(connection, one.about, AMENDED, one.at)
    found = ws.verify(anchor=kept)
    assert found.is_sound
    assert any("opening the workspace adds it" in one.what for one in found)


@pytest.mark.parametrize("is_own", [True, False])
def test_a_run_that_comes_back_as_it_was_before_texts_of_it_were_removed_is_no_fault(editor, tmp_path, is_own):
    path = tmp_path / "run.nq"
    path.write_bytes(editor.ws.export(RUN_IRI, "nq", closed=True))
    with nullcontext(editor.ws) if is_own else filled() as ws:
        if not is_own:
            ws.import_record(path, progress=False)
        ws.forget("Valves of the tank", words=True)
        assert ws.ledger.entry(RUN_IRI).kind == AMENDED
        ws.traces.delete(RUN_IRI)
        ws.import_record(path, progress=False)
        assert ws.ledger.entry(RUN_IRI).kind == IMPORTED
        found = ws.verify(RUN_IRI)
        assert found.is_sound, found.faults
        assert any("as another record" in one.what for one in found)


def test_a_run_that_was_deleted_again_without_coming_back_is_no_fault(editor):
    ws = editor.ws
    deletion = ws.traces.delete(RUN_IRI)
    with ws.stores.database.writing() as connection:
        stored.expect(connection, RUN_IRI, DELETED, deletion.deleted_at, deletion.sha256)
    ws.ledger.settle()
    assert [one.kind for one in ws.ledger if one.about == RUN_IRI] == [RUN, DELETED, DELETED]
    assert ws.verify().is_sound
    ws.traces.restore(deletion)
    assert ws.verify().is_sound


def test_a_document_that_was_read_again_otherwise_is_noted(editor):
    document = next(one.iri for one in editor.ws.documents if one.title == "Valves of the tank")
    [title] = editor.graph.match(NamedNode(document), DC.title, None, FACTS)
    put(editor.ws, [title], [Quad(title.subject, title.predicate, Literal("Minutes"), FACTS)])
    editor.write("UPDATE documents SET title = 'Minutes' WHERE iri = ?", document)
    assert editor.ws.verify().faults
    editor.append(FORGOTTEN, document)
    assert any("and read again: what is here is not what was sealed" in one.what for one in editor.ws.verify())


def test_a_passage_in_which_a_cited_fact_was_found_later_is_none_that_the_run_rests_on(editor):
    """Nor one that somebody puts in by hand."""
    ws = editor.ws
    before = ws.traces.load(RUN_IRI).passages
    edge = ws.traces.load(RUN_IRI).edges[0].edge
    taken = next(iter(editor.graph.match(None, TG.contains, edge, SOURCE))).subject
    forged = NamedNode(f"{taken.value}0")
    told = [replace_subject(quad, forged) for quad in editor.graph.match(taken, None, None, SOURCE)]
    put(ws, [], told)
    assert len(ws.sources.passages(edge)) > len(before[ws.traces.load(RUN_IRI).edges[0].iri])
    assert ws.traces.load(RUN_IRI).passages == before


def replace_subject(quad, subject):
    words = Literal("It is well known.") if quad.predicate == TG.sourceText else quad.object
    return Quad(subject, quad.predicate, words, quad.graph_name)


def test_another_name_of_what_a_fact_is_about_is_noted(editor):
    [named] = editor.graph.match(None, RDFS.label, Literal("Beech Aircraft"), FACTS)
    for gone in ([named], []):
        other = Quad(named.subject, RDFS.label, Literal("A Globe Industries"), FACTS)
        put(editor.ws, gone, [other])
        [told] = {one.what for one in editor.ws.verify() if one.node == named.subject.value}
        assert told == "it is called 'A Globe Industries' here, and its IRI was made of another name"
        put(editor.ws, [other], gone)
    assert not [*editor.ws.verify()]
