"""kill -9 at any moment: what was shown is found, and nothing is there by half without saying so."""

import json
import random
import signal
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from pyoxigraph import NamedNode, RdfFormat, parse

import explorer
from explorer import entities as e
from explorer.events import Done
from explorer.ingest.parsed import ExtractedDocument
from explorer.ingest.pipeline import Pipeline
from explorer.ingest.removal import holdings
from explorer.record.sealing import sealable
from explorer.stores.collection import open_collection
from explorer.stores.default_graph import facts
from explorer.stores.ledger import unsealed
from explorer.vocab import FACTS, PROV, RDF, RETRIEVAL, SOURCE, TG, X, recognise
from tests.corpus import QUESTIONS, filled, ids, still
from tests.forked import Forked
from tests.killed import NOTHING_DONE, change, club, correct, document, statements
from tests.links import lines
from tests.strategies import described

ENDS = {"done", "declined", "interrupted"}
HANGS = 100  # seconds: no child takes that long to what it is asked for

CRASHES = []
"""How children ended that nobody had killed, with what they wrote as they did."""


@pytest.fixture(autouse=True)
def no_child_ends_by_itself():
    """What a child left that crashed is checked like what one left that was killed; the crash is told after that."""
    CRASHES.clear()
    yield
    assert not CRASHES, f"{len(CRASHES)} ended by themselves:\n" + "\n".join(CRASHES)


def killed(what, folder, seed, least, longest):
    """What a child told until it was killed: at the soonest after `least` lines, at most `longest` seconds later."""
    chance = random.Random(seed)
    with child(what, folder, seed) as (process, errors):
        lines = [process.stdout.readline() for _ in range(least + chance.randrange(12))]
        time.sleep(chance.random() * longest)
        process.kill()
        rest = process.stdout.read()
        if process.wait() != -signal.SIGKILL:
            CRASHES.append(f"{what}, seed {seed}: {end_of(process, errors)}")
    told = "".join([*lines, rest]).splitlines(keepends=True)
    return [json.loads(line) for line in told if line.endswith("\n")]


@contextmanager
def child(*arguments):
    """A process of `tests.killed`, and the file of what it writes as an error; one that hangs ends with its stacks."""
    with tempfile.TemporaryFile("w+") as errors, Forked("-m", "tests.killed", *arguments, stderr=errors) as process:
        late = threading.Timer(HANGS, process.send_signal, [signal.SIGABRT])
        late.start()
        try:
            yield process, errors
        finally:
            late.cancel()
            process.kill()


def end_of(process, errors):
    errors.seek(0)
    code = process.returncode
    return f"{signal.Signals(-code).name if code < 0 else f'exit code {code}'}\n{errors.read()}"


def killed_by_itself(*arguments):
    """Whether a process of `tests.killed` was killed, as it does to itself, before it ended well."""
    with child(*arguments) as (process, errors):
        process.stdout.read()
        assert process.wait() in (0, -signal.SIGKILL), end_of(process, errors)
        return process.returncode != 0


def a_few_or_many(few, many):
    """Three kills, each at most `few` seconds after what it waits for; in `make soak` 200, `many` seconds."""
    marks = (pytest.mark.soak, pytest.mark.timeout(3000))
    return pytest.mark.parametrize(("kills", "longest"), [(3, few), pytest.param(200, many, marks=marks)])


def in_two_folders(kill, folder, kills, longest):
    """Kill so many times, in two folders side by side."""
    folders = [(folder / f"ws{first}", range(first, kills, 2), longest) for first in (0, 1)]
    with ThreadPoolExecutor() as pool:
        assert sum(map(len, pool.map(kill, *zip(*folders, strict=True)))) == kills
    return [place for place, *_ in folders]


def test_a_child_that_ends_by_itself_is_told_with_its_error(tmp_path):
    (tmp_path / "ws").write_text("no folder")
    assert killed("run", tmp_path / "ws", 1, 1, 0) == []
    [crash] = CRASHES
    assert crash.startswith("run, seed 1: exit code 1\nTraceback")
    CRASHES.clear()


def quads_of(told):
    text = "".join(f"{quad} .\n" for line in told if "triples" in line for quad in line["triples"])
    return set(parse(text, format=RdfFormat.N_QUADS))


def check_runs(folder, told, known):
    """Everything told is on record; every trace says how it ended, and what ended well is whole."""
    shown = quads_of(told)
    assert shown
    with explorer.open(folder) as ws:
        assert shown <= set(ws.graph.match(graph=RETRIEVAL))
        summaries = {summary.iri: summary for summary in ws.traces.list(limit=100_000)}
        asked = {quad.subject.value for quad in ws.graph.match(None, TG.query, None, RETRIEVAL)}
        assert asked == summaries.keys()
        for node in summaries.keys() - known.keys():
            check_trace(ws, node, summaries[node])
        assert {node: summaries[node] for node in known} == known
        told_ends = sum("done" in line for line in told)
        assert sum(summary.reason != "interrupted" for summary in summaries.values()) >= told_ends
    return summaries


def check_trace(ws, node, summary):
    trace = ws.traces.load(node)
    assert trace.reason == summary.reason
    assert trace.reason in ENDS
    key = recognise(node).key
    assert len(list(ws.graph.match(NamedNode(f"urn:trustgraph:prov:end:{key}"), X.reason))) == 1
    done = [event for event in trace.events if isinstance(event, Done)]
    assert len(done) == (trace.reason != "interrupted")
    failures = [entity for entity in described(trace.events) if isinstance(entity, e.Failure)]
    assert [failure.error for failure in failures] == [e.CUT_OFF] * (trace.reason == "interrupted")
    if trace.reason != "interrupted":
        assert trace.answer
    for entity in described(trace.events):
        if isinstance(entity, e.Focus):
            assert set(entity.selected_edges) == {edge.iri for edge in trace.edges}


def kill_while_asking(folder, seeds, longest):
    with filled(folder):
        pass
    known = {}
    for seed in seeds:
        known = check_runs(folder, killed("run", folder, seed, 2, longest), known)
    return seeds


@a_few_or_many(0.05, 0.4)
def test_kills_while_asking_lose_nothing_that_was_shown(tmp_path, kills, longest):
    for folder in in_two_folders(kill_while_asking, tmp_path, kills, longest):
        with explorer.open(folder) as ws:
            ends = {run.reason for run in ws.traces.list(limit=100_000)}
            assert ends <= ENDS if kills == 3 else ends == ENDS


def records(folder):
    """Write runs of another workspace beside a folder, a file for each; gives what is on record of each."""
    found = {}
    with filled() as ws:
        ws._ids = ws.traces.ids = ids("other")
        for number, engine in enumerate(("graph-rag", "document-rag", "agent")):
            trace = ws.run(QUESTIONS[0], engine)
            folder.with_name(f"{folder.name}-{number}.nq").write_bytes(ws.export(trace, "nq", closed=True))
            found[trace.iri] = {*sealable(ws.stores, trace.iri).record}
    return found


def kill_while_sealing(folder, seeds, longest):
    """What is on the ledger stays, each run that has ended is sealed, what was removed is noted, imports are whole."""
    with filled(folder):
        pass
    others = records(folder)
    purged = set()
    for seed in seeds:
        lines = killed("sealing", folder, seed, 2, longest)
        shown = set()
        for line in lines:
            shown |= {*line.get("imported", ()), *filter(None, [line.get("ended")])}
            shown -= {*line.get("purged", ())}
            purged |= {*line.get("purged", ())}
        with explorer.open(folder) as ws:
            on_ledger = {one.about for one in ws.ledger}
            assert shown <= on_ledger
            for iri in others.keys() & {one.iri for one in ws.traces.list(limit=100_000)}:
                assert others[iri] <= {*sealable(ws.stores, iri).record}  # words may be told as removed
            heads = [line["head"] for line in lines if "head" in line]
            found = ws.verify(anchor=heads[-1] if heads else None)
            assert found.is_sound, found.faults
            assert not unsealed(ws.stores.database)
            seals = {one.seal for one in ws.ledger}
            assert {line["seal"] for line in lines if "seal" in line} <= seals
            last = {one.about: one for one in ws.ledger}
            here = {one.iri for one in ws.traces.list(limit=100_000)}
            assert here == {about for about, one in last.items() if one.is_seal}
            assert all(last[iri].kind == "deleted" for iri in purged - here)
            for iri in here:
                assert ws.traces.load(iri).reason in ENDS
            if not ws.documents:
                break
    return seeds


@a_few_or_many(0.3, 0.6)
def test_kills_while_runs_are_sealed_purged_removed_and_imported_leave_the_ledger_right(tmp_path, kills, longest):
    in_two_folders(kill_while_sealing, tmp_path, kills, longest)


def expected(numbers):
    """The quads and rows that these documents give when nothing is killed."""
    return collection((number, 0) for number in numbers)


def collection(documents):
    """The stores that hold documents, each given by number and version."""
    stores = open_collection(None)
    pipeline = Pipeline(stores.graph, stores.library, explorer.open().embedder, still)
    for number, version in documents:
        parsed, extraction = document(number, version)
        pipeline.store_all([ExtractedDocument(parsed, (extraction,))])
    return stores


def rows(database, table, columns):
    return {tuple(row) for row in database.rows(f"SELECT {columns} FROM {table}")}


TABLES = {
    "documents": "iri, source, title, mime, text, state",
    "contents": "iri, title, mime, data",
    "chunks": "iri, document, text",
    "vectors": "kind, key, document, chunk, text",
    "terms": "iri",
}


def check_documents(folder, shown):
    """Each document is there whole or not at all, and all that were told are there."""
    with explorer.open(folder) as ws:
        stores = ws.stores
        stored = [int(doc.source.split("-")[1].split(".")[0]) for doc in stores.library.documents()]
        assert set(shown) <= set(stored)
        assert stores.library.unfinished() == []
        whole = expected(stored)
        for graph in (FACTS, SOURCE):
            assert set(stores.graph.match(graph=graph)) == set(whole.graph.match(graph=graph))
        for table, columns in TABLES.items():
            assert rows(stores.database, table, columns) == rows(whole.database, table, columns)
        assert lines(stores) == lines(whole)
        for word in ("valve", "station"):
            assert len(stores.library.search([word], 10_000)) == len(whole.library.search([word], 10_000))
    return stored


def kill_while_storing(folder, seeds, what, longest):
    shown = []
    for seed in seeds:
        shown += [line["document"] for line in killed(what, folder, seed, 2, longest) if "document" in line]
        stored = check_documents(folder, shown)
    assert len(stored) >= len(shown) > 0


@a_few_or_many(0.1, 0.4)
@pytest.mark.parametrize("what", ["ingest", "batches"])
def test_kills_while_storing_leave_each_document_whole_or_absent(tmp_path, what, kills, longest):
    """A folder for ten kills: after each one, all that its folder holds is stored anew elsewhere to compare."""
    given = [(tmp_path / f"ws{first}", range(first, min(first + 10, kills)), what, longest)
             for first in range(0, kills, 10)]  # fmt: skip
    with ThreadPoolExecutor(max_workers=2) as pool:
        assert len([*pool.map(kill_while_storing, *zip(*given, strict=True))]) == len(given)


@a_few_or_many(0.1, 0.1)
def test_kills_while_reindexing_leave_all_vectors_and_their_embedder(tmp_path, kills, longest):
    with filled(tmp_path / "ws") as ws:
        ws.reindex()
        before = rows(ws.stores.database, "vectors", "*")
    for seed in range(kills):
        told = killed("reindex", tmp_path / "ws", seed, 1, longest)
        assert told[0] == {"open": False}
        with explorer.open(tmp_path / "ws") as ws:
            assert rows(ws.stores.database, "vectors", "*") == before
            ws.stores.vectors.check_embedder(ws.embedder.name)
            assert ws.run("Who built the relief valve?").reason == "done"


@pytest.mark.parametrize("moment", ["before the quads", "after the quads"])
def test_documents_cut_off_are_mended_at_the_next_opening(tmp_path, moment):
    """The two states that a kill can leave, made on purpose."""
    batch = [ExtractedDocument(parsed, (extraction,)) for parsed, extraction in map(document, range(1, 4))]
    with explorer.open(tmp_path / "ws") as ws:
        stores = ws.stores
        pipeline = Pipeline(stores.graph, stores.library, ws.embedder, still)
        if moment == "before the quads":
            pipeline._write_library(batch, known=(), older={})
        else:
            pipeline.store_all(batch)
            with stores.database.writing() as connection:
                connection.execute("UPDATE documents SET state = 'writing'")
        assert stores.library.documents() == []
    stored = check_documents(tmp_path / "ws", [])
    assert stored == ([] if moment == "before the quads" else [1, 2, 3])


def check_life(folder, possible):
    """The documents are those of one of some states (number: version), each whole, and nothing of others is found."""
    with explorer.open(folder) as ws:
        stores = ws.stores
        named = {document(number, version)[0].iri: (number, version) for number in range(1, 5) for version in range(4)}
        here = dict(named[one.iri] for one in stores.library.documents())
        assert here in possible
        assert stores.library.unfinished() == []
        assert not rows(stores.database, "acts", "*")
        whole = collection(here.items())
        for table, columns in TABLES.items():
            if table != "contents":
                assert rows(stores.database, table, columns) == rows(whole.database, table, columns)
        assert lines(stores) == lines(whole)
        assert {*facts(stores.graph.match(graph=FACTS))} == {*facts(whole.graph.match(graph=FACTS))}
        older = {row["iri"] for row in stores.database.rows("SELECT iri FROM replaced")}
        for iri, (number, version) in named.items():
            if here.get(number) == version:
                assert holdings(stores.graph, iri).facts.keys() == holdings(whole.graph, iri).facts.keys()
                assert {*holdings(stores.graph, iri).parts} == {*holdings(whole.graph, iri).parts}
                assert stores.library.get(iri) == whole.library.get(iri)
            elif iri in older:
                assert number in here
                assert stores.library.text(iri) == document(number, version)[0].reading.text
            else:  # it was never there, or is forgotten
                assert not stores.database.rows("SELECT 1 FROM contents WHERE iri = ?", (iri,))
                assert not holdings(stores.graph, iri).subgraphs
    return here


def after(here, changed):
    """The state that a change leads to."""
    number, version = changed
    return {n: v for n, v in {**here, number: version}.items() if v is not None}


def kill_while_living(folder, seeds, longest):
    here = {}
    for seed in seeds:
        possible = [here]
        for line in killed("life", folder, seed, 3, longest):
            if "changed" in line:
                possible = [after(possible[0], line["changed"])]
            elif "begun" in line:
                possible = [possible[0], after(possible[0], line["begun"])]
        here = check_life(folder, possible)
    return seeds


def kill_at_each_step(folder, number, version_after, steps):
    """Have a process change a document and be killed before each of its transactions in turn."""
    here = {}
    for step in range(steps):
        with explorer.open(folder) as ws:
            for one in {1, 2} - here.keys():
                change(ws, one, 0)
                here[one] = 0
        changed = number, version_after(here[number])
        assert killed_by_itself(step, folder, *map(json.dumps, changed))
        here = check_life(folder, [here, after(here, changed)])
    return steps


def test_a_kill_before_each_step_of_replacing_and_forgetting_leaves_all_of_it_or_nothing(tmp_path):
    with ThreadPoolExecutor() as pool:
        replaced = pool.submit(kill_at_each_step, tmp_path / "replaced", 1, lambda version: (version + 1) % 3, 6)
        forgotten = pool.submit(kill_at_each_step, tmp_path / "forgotten", 2, lambda _: None, 4)
        assert replaced.result() + forgotten.result() == 10


@a_few_or_many(0.1, 0.1)
def test_kills_while_storing_replacing_and_forgetting_leave_each_done_or_undone(tmp_path, kills, longest):
    in_two_folders(kill_while_living, tmp_path, kills, longest)


def as_corrected(ws):
    """All that is there of what was corrected, whatever was done before."""
    stores = ws.stores
    told = [(one.words, [(p.text, p.extracted_by) for p in one.passages]) for one in ws.facts(limit=None)]
    assert rows(stores.database, "acts", "kind") <= {("again",)}
    assert {*facts(stores.graph.match(graph=FACTS))} == {*stores.recorded(keys(stores)).values()}
    return (
        sorted(map(repr, told)), sorted((one.name, one.names) for one in ws.entities()), keys(stores), lines(stores),
        sorted((one.act, one.what) for one in ws.curations if not one.undone),
        *(rows(stores.database, table, columns) for table, columns in TABLES.items()),
    )  # fmt: skip


def keys(stores):
    return sorted(row["key"] for row in stores.database.rows("SELECT DISTINCT key FROM vectors WHERE kind = 'edge'"))


def kill_while_correcting(folder, seeds, longest):
    state, wanted = NOTHING_DONE, {}

    def whole(state):
        if (named := tuple(state.items())) not in wanted:
            with explorer.open() as ws:
                club(ws, folder)
                for what, done in named:
                    if done:
                        correct(ws, what, done)
                wanted[named] = as_corrected(ws)
        return wanted[named]

    folder.mkdir()
    with explorer.open(folder / "ws") as ws:
        club(ws, folder)
    for seed in seeds:
        begun = None
        for line in killed("corrections", folder / "ws", seed, 3, longest):
            if "changed" in line:
                state, begun = {**state, **dict([line["changed"]])}, None
            elif "begun" in line:
                begun = line["begun"]
        with explorer.open(folder / "ws") as ws:
            here = as_corrected(ws)
            possible = [state, {**state, **dict([begun])}] if begun else [state]
            assert here in [whole(one) for one in possible]
            state = next(one for one in possible if whole(one) == here)
    return seeds


@a_few_or_many(0.1, 0.4)
def test_kills_while_correcting_leave_each_act_done_or_undone(tmp_path, kills, longest):
    in_two_folders(kill_while_correcting, tmp_path, kills, longest)


@pytest.mark.parametrize("to", [True, False])
def test_a_kill_before_each_step_of_finding_anew_leaves_the_facts_of_before_or_the_new_ones(tmp_path, to):
    whole, ends, folder = {}, [], tmp_path / "ws"
    for state in (False, True):
        with explorer.open() as ws:
            club(ws, tmp_path)
            correct(ws, "anew", state)
            whole[state] = as_corrected(ws)
    assert whole[False] != whole[True]
    with explorer.open(folder) as ws:
        club(ws, tmp_path)
    for step in range(20):
        with explorer.open(folder) as ws:
            correct(ws, "anew", not to)
        was_killed = killed_by_itself(step, folder, 0, json.dumps(["anew", to]))
        with explorer.open(folder) as ws:
            ends.append((was_killed, as_corrected(ws) == whole[to]))
            assert as_corrected(ws) in whole.values()
            correct(ws, "anew", to)
            assert as_corrected(ws) == whole[to]
            assert not rows(ws.stores.database, "acts", "*")
        if not was_killed:
            break
    assert ends[0] == (True, False)
    assert ends[-1] == (False, True)
    assert (True, True) in ends


def kill_while_reading(folder, seeds, longest):
    """Files of RDF are there whole or not at all, and nobody is on record for one that is not."""
    folder.mkdir()
    read = set()
    for seed in seeds:
        told = killed("reading", folder / "ws", seed, 3, longest)
        read |= {line["read"] for line in told if "read" in line}
        with explorer.open(folder / "ws") as ws:
            stored = {int(one.source.split("-")[-1].split(".")[0]) for one in ws.documents}
            assert read <= stored <= {line["begun"] for line in told if "begun" in line} | read
            assert {str(fact) for fact in facts(ws.graph.match(graph=FACTS))} == {
                f"<http://example.org/pump-{number}-{n}> <http://example.org/feeds> <http://example.org/tank-{n}>"
                for number in stored for n in range(60)
            }  # fmt: skip
            for document in ws.documents:
                assert len(holdings(ws.graph, document.iri).subgraphs) == 60
            assert ws.stores.library.unfinished() == []
            agents = {quad.object.value for quad in ws.graph.match(None, PROV.wasAssociatedWith, None, SOURCE)}
            assert agents == {quad.subject.value for quad in ws.graph.match(None, RDF.type, PROV.Agent, SOURCE)}
            begun = [line["begun"] for line in told if "begun" in line]
            done = ws.ingest(statements(folder, begun[-1]), progress=False)
            assert done.edges == (0 if begun[-1] in stored else 60)
            read.add(begun[-1])
    return seeds


@a_few_or_many(0.3, 1.0)
def test_kills_while_reading_rdf_leave_each_file_whole_or_absent(tmp_path, kills, longest):
    in_two_folders(kill_while_reading, tmp_path, kills, longest)
