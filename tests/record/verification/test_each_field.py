"""Whatever is changed of a sealed run is found, one thing at a time: of every engine, pattern and ending."""

import json
import random
from collections import defaultdict
from contextlib import suppress
from functools import partial
from itertools import chain

import pytest
from pyoxigraph import Literal, NamedNode, Quad

from explorer.record.keys import new_key
from explorer.record.listing import questions
from explorer.record.sealing import sealable
from explorer.record.verification.evidence import Evidence
from explorer.record.verification.rules import listed
from explorer.record.verification.seals import Seals
from explorer.record.verification.texts import TEXT_RULES
from explorer.vocab import RDF, RETRIEVAL, TG, X, iri, recognise, session_of
from tests import endings
from tests.corpus import QUESTIONS, filled
from tests.each import each
from tests.record.test_sealing import found_by_seals
from tests.tampering import changed, put

pytestmark = pytest.mark.embedded("copies a folder where runs were cut off, and changes rows by SQLite's own SQL")
SHARE = 0.25
FULL = 5  # of a thousand changes how many are tried by all that `verify` does, and not by the seals alone


@pytest.fixture(scope="module")
def places(tmp_path_factory):
    """Each group of runs: the workspace that they are in, and their Questions by kind; made when asked for."""
    ws = filled()
    ended = endings.asked(ws)
    answered = {name: run for name, run in ended.items() if name.endswith("by a model")}
    made = {
        "ended": lambda _: (ws, ended),
        "interrupted": endings.interrupted,
        "imported": lambda folder: endings.imported(ws, answered, folder),
        "amended": lambda _: endings.amended(),
    }
    assert made.keys() == {*GROUPS}
    known = {}

    def place(group):
        if group not in known:
            known[group] = made[group](tmp_path_factory.mktemp(group))
            assert known[group][0].verify().is_sound
        return known[group]

    yield place
    for other, _ in known.values():
        other.close()
    ws.close()


GROUPS = ("ended", "interrupted", "imported", "amended")


def test_there_are_runs_of_each_engine_pattern_and_ending(places):
    ended = defaultdict(set)
    for group in GROUPS:
        ws, runs = places(group)
        for name, run in runs.items():
            ended[name.partition(",")[0]].add(ws.traces.load(run).reason)
    every = {"done", "declined", "error", "stopped", "interrupted"}
    assert ended == dict.fromkeys(("graph-rag", "document-rag", *endings.PATTERNS), every)


def changes(quad):
    """What may be done to a quad, as what goes and what comes: change it, take it out, put another beside it."""
    yield [quad], [changed(quad)]
    yield [quad], []
    if quad.predicate != TG.contains:  # other facts may be found in the same words
        yield [], [changed(quad)]


def quads_of(ws, run):
    """All quads of a run, and of the sources that it leads to, with what is left of those that were removed."""
    found = sealable(ws.stores, run)
    quads = [*found.record, *(quad for quads in found.sources.values() for quad in quads)]
    for document in found.sources:
        left = ws.ledger.entry(document)  # where it was removed
        quads += (quad for node in left.sources for quad in ws.graph.match(NamedNode(node))) if left else ()
    quads += ws.graph.match(NamedNode(iri("end", session_of(run))), X.previous, None, RETRIEVAL)
    return [*dict.fromkeys(quads)]


@each("group", GROUPS)
def test_all_that_is_on_record_of_a_run_is_sealed(places, group):
    """Its own nodes and those of the searches within it, each with all its triples."""
    ws, runs = places(group)
    for name, run in runs.items():
        sealed = {*quads_of(ws, run)}
        sessions = {session_of(quad.subject.value) for quad in sealed} - {""}
        own = {
            quad for quad in ws.graph.match(None, None, None, RETRIEVAL) if session_of(quad.subject.value) in sessions
        }
        assert own <= sealed, name


def tried(ws, run, quads, chance, each):
    """Try changes of quads, all three of each or one by chance; gives how many, and those that were not found."""
    seals = found_by_seals(ws, run)
    assert not seals()
    number, missed = 0, []
    for quad in quads:
        every = [*changes(quad)]
        for gone, come in every if each else [chance.choice(every)]:
            put(ws, gone, come)
            is_found = not ws.verify(run).is_sound if chance.random() < FULL / 1_000 else bool(seals())
            put(ws, come, gone)
            number += 1
            missed += [] if is_found else [(gone, come)]
    assert not seals()
    return number, missed


@each("group", GROUPS)
def test_each_predicate_of_each_kind_of_run_changed_removed_or_added_is_found(places, group):
    """One quad of each predicate, or of a share of those that were tried before, and one of the three changes of it."""
    ws, runs = places(group)
    chance, known, whole = random.Random(17), set(), 0
    for name, run in runs.items():
        by_predicate = defaultdict(list)
        for quad in quads_of(ws, run):
            by_predicate[quad.graph_name, quad.predicate].append(quad)
        some = [chance.choice(by_predicate[one]) for one in by_predicate if one not in known or chance.random() < SHARE]
        known |= by_predicate.keys()
        number, missed = tried(ws, run, some, chance, each=False)
        assert not missed, name
        whole += number
    assert whole > 5 * len(runs)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("group", GROUPS)
def test_each_quad_of_each_kind_of_run_changed_removed_and_added_is_found(places, group, record_property):
    ws, runs = places(group)
    chance, whole = random.Random(17), 0
    for name, run in runs.items():
        number, missed = tried(ws, run, quads_of(ws, run), chance, each=True)
        assert not missed, name
        whole += number
    record_property("changes that were found", whole)


@each("group", GROUPS)
def test_whatever_is_put_into_a_run_is_found(places, group):
    """A term that nobody knows, a node of its own, a step that stands in another graph."""
    ws, runs = places(group)
    for name, run in runs.items():
        chance, seals = random.Random(name), found_by_seals(ws, run)
        node = chance.choice([quad.subject for quad in sealable(ws.stores, run).record])
        other = NamedNode(iri("candidate", session_of(run), 99))
        for come in (
            [Quad(node, NamedNode("urn:example:approvedBy"), Literal("the board"), RETRIEVAL)],
            [Quad(other, RDF.type, X.Candidate, RETRIEVAL), Quad(other, X.run, NamedNode(run), RETRIEVAL)],
        ):
            put(ws, [], come)
            found = ws.verify(run).faults if chance.random() < 0.1 else seals()
            put(ws, come, [])
            assert found, (name, come)
    assert ws.verify().is_sound


@each("group", GROUPS)
def test_a_run_whose_question_can_not_be_read_any_more_is_found(places, group):
    ws, runs = places(group)
    run = next(iter(runs.values()))
    all_of_it = [*ws.graph.match(NamedNode(run), None, None, RETRIEVAL)]
    for gone in ([quad for quad in all_of_it if quad.predicate in (RDF.type, TG.query)], all_of_it):
        put(ws, gone, [])
        found, every = ws.verify(run), ws.verify()
        put(ws, [], gone)
        assert found.faults
        assert "is not on record any more" in found[0].what or gone != all_of_it
        assert any(one.node == run for one in every.faults)
    assert ws.verify(run).is_sound


CHANGES = {  # what the library has, by table: what may be done to a row of it
    "contents": ("data = data || x'2e'", "data = x''", "mime = 'text/html'"),
    "chunks": ("text = text || '.'", "text = ''", "document = 'urn:another'"),
    "documents": ("text = text || '.'", "text = ''", "title = title || '1'", "mime = 'text/html'"),
    "enclosed": ("text = text || '.'",),
    "places": ("start = start + 1", "number = 99", "part = 'urn:another'", "page = 99", "part_start = part_start + 1"),
    "spans": (
        "start = start + 1",
        '"end" = "end" + 1',
        '"end" = start',
        "chunk = (SELECT min(number) FROM chunks WHERE number != chunk)",
    ),
}
KEYS = {"places": "chunk", "spans": "subgraph"}
BY_RECORD = ("places", "spans")  # without them the same is read from the record


class PutBackError(Exception):
    """Ends a transaction, of which nothing is left then."""


def with_change(ws, statement, key, look):
    """What is found while the library was changed so."""
    found = None
    with suppress(PutBackError), ws.stores.database.writing() as connection:
        for trigger in ("ledger_unchanged", "ledger_whole"):
            connection.execute(f"DROP TRIGGER IF EXISTS {trigger}")
        connection.execute(statement, (key,))
        ws.sources.forget()
        found = look()
        raise PutBackError
    ws.sources.forget()
    return found


def rests_on(record):
    """The sources, by IRI, that a run rests on."""
    return {quad.subject.value for quads in record.sealable.sources.values() for quad in quads}


@each("group", GROUPS)
def test_each_content_and_place_changed_or_removed_is_found(places, group):
    """Of the texts of runs, and of all that they rest on in the library; told as removed are those that went before."""
    ws, runs = places(group)
    records = [Evidence(ws.stores, run) for run in runs.values()]
    by_session = {session: [record] for record in records for session in map(session_of, record.nodes) if session}
    by_source = defaultdict(list)
    for record in records:
        for source in rests_on(record):
            by_source[source].append(record)
    removed = {one.node for one in ws.verify()}
    tables = {name for (name,) in ws.stores.database.rows("SELECT name FROM sqlite_master WHERE type = 'table'")}
    number, missed = 0, []
    for table in CHANGES.keys() & tables:
        key = KEYS.get(table, "iri")
        numbers = {row["number"]: row["iri"] for row in ws.stores.database.rows("SELECT number, iri FROM chunks")}
        for row in ws.stores.database.rows(f"SELECT {key} FROM {table}"):
            content = numbers.get(row[key], row[key]) if table == "places" else row[key]
            of = by_session.get(session_of(content)) or by_source[content]
            if not of or content in removed:
                continue

            def is_found(of=of):
                for record in of:
                    record.known.fits.clear()
                return any(one.is_fault for record in of[:1] for rule in TEXT_RULES for one in rule(record))

            every = [f"UPDATE {table} SET {change} WHERE {key} = ?" for change in CHANGES[table]]
            every += [] if table in BY_RECORD else [f"DELETE FROM {table} WHERE {key} = ?"]
            kind = recognise(content).kind
            if table == "contents" and not ws.stores.library.get(content).data:
                every.remove("UPDATE contents SET data = x'' WHERE iri = ?")  # as of a model that never replied
            if group == "imported" and kind in ("document", "page", "section"):
                every.remove(f"DELETE FROM {table} WHERE {key} = ?")  # nobody knows whether they came along
            if group == "imported" and kind in ("chunk", "page", "section"):
                every.remove("UPDATE contents SET mime = 'text/html' WHERE iri = ?")  # by which nothing is shown
            for statement in every:
                number += 1
                missed += [] if with_change(ws, statement, row[key], is_found) else [(statement, row[key])]
    assert not missed
    assert number > 50


@each("group", GROUPS)
def test_what_the_list_of_runs_says_otherwise_than_the_record_is_found(places, group):
    ws, runs = places(group)
    for name, run in runs.items():
        record = Evidence(ws.stores, run)
        assert not [*listed(record)], name
        for column in ("engine", "reasoner", "question", "started_at", "reason"):
            change = f"UPDATE listing SET {column} = {column} || '1' WHERE iri = ?"
            [found] = with_change(ws, change, run, lambda record=record: [*listed(record)])
            assert f"as its {column}, the record" in found.what
    change = "UPDATE listing SET question = 'Who paid for it?' WHERE iri = ?"
    assert with_change(ws, change, run, partial(ws.verify, run)).faults


def test_a_text_kept_as_another_type_is_found_and_no_error(places):
    ws, runs = places("ended")
    run = runs["graph-rag, answered by rules"]
    answer, look = iri("answer", session_of(run)), partial(ws.verify, run)
    assert with_change(ws, "UPDATE contents SET data = 'It was so.' WHERE iri = ?", answer, look).faults


COLUMNS = (
    "number = number + 1000", "number = -1", "about = about || '1'", "statement = statement || ' '", "statement = ''",
    "seal = replace(seal, substr(seal, 1, 1), 'x')", "seal = ''", "signature = 'ab'",
)  # fmt: skip


def statements(told):
    """What an entry could say instead: each of its fields in turn changed, left out, and one more."""
    for name, value in told.items():
        other = {"sources": {"urn:another": "0" * 64}}.get(name, f"{value}1" if isinstance(value, str) else 99)
        yield told | {name: other}
        yield {key: value for key, value in told.items() if key != name}
    yield told | {"by": "Eve"}


@each("group", GROUPS)
def test_each_field_of_each_entry_of_the_ledger_changed_is_found(places, group):
    ws, runs = places(group)
    records = {run: Evidence(ws.stores, run) for run in runs.values()}
    known = questions(ws.stores)
    for record in records.values():
        assert record.sealable
    entries = ws.stores.database.rows("SELECT number, about, statement FROM ledger")

    def is_found(about):
        seals = Seals(ws.stores)
        own = seals.of(records[about]) if about in records else ()
        return next(chain(seals.chain(), own, seals.missing(known), seals.others(known)), None) is not None

    for entry in entries:
        changes = [f"UPDATE ledger SET {change} WHERE number = ?" for change in COLUMNS]
        for told in statements(json.loads(entry["statement"])):
            text = json.dumps(told, sort_keys=True, separators=(",", ":")).replace("'", "''")
            changes.append(f"UPDATE ledger SET statement = '{text}' WHERE number = ?")
        changes.append("DELETE FROM ledger WHERE number = ?")
        changes.append("INSERT INTO ledger SELECT 9999, about, statement, seal, signature FROM ledger WHERE number = ?")
        for change in changes:
            found = with_change(ws, change, entry["number"], partial(is_found, entry["about"]))
            if "DELETE" in change and entry["about"] not in records and entry is entries[-1]:
                continue  # a tail that is cut off is found by what was kept outside
            assert found, (change, entry["about"])


def test_each_signature_changed_is_found(tmp_path):
    """Also of entries about documents that were removed, and runs that were deleted."""
    new_key(tmp_path / "key.pem")
    with filled(key=tmp_path / "key.pem") as ws:
        ws.traces.delete(ws.run(QUESTIONS[0]).iri)
        ws.run(QUESTIONS[1])
        ws.forget("report.pdf")
        assert ws.verify(signed_by=tmp_path / "key.pem.pub").is_sound
        assert {one.kind for one in ws.ledger} == {"run", "deleted", "forgotten"}
        for entry in ws.ledger:
            for change in ("signature = ''", "signature = replace(signature, substr(signature, 1, 1), '0') || '0'"):
                found = with_change(ws, f"UPDATE ledger SET {change} WHERE number = ?", entry.number, ws.verify)
                assert "its signature is not by the key" in found.faults[0].what
