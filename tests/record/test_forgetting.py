"""A document that is forgotten is nowhere any more; runs of before say that their source was removed."""

import hashlib
import json
import random
import re
import shutil
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from pyoxigraph import NamedNode
from typer.testing import CliRunner

import explorer
from explorer.cli.commands import app
from explorer.dag.sentences import numbers
from explorer.errors import RecordError
from explorer.events import Explain
from explorer.ingest.extraction.rules import ExtractedEdge
from explorer.models.embedding import WordLlamaEmbedder
from explorer.rdf.validation import validate
from explorer.sample import corpus
from explorer.vocab import FACTS, PROV, RETRIEVAL, X
from tests.corpus import Clock, ids
from tests.each import each
from tests.ingest.test_removal import ASKED, FIRST, SECOND, facts, put, tables
from tests.opened import at

OTHER = "Beech Aircraft built the relief valve in 1966. The oxygen tank was tested in Boulder.\n"


def read_in(ws, folder):
    put(ws, folder / "motors.txt", FIRST)
    put(ws, folder / "tank.txt", OTHER)
    return ws


@pytest.fixture
def ws(tmp_path):
    with explorer.open(ids=ids(), clock=Clock()) as opened:
        yield read_in(opened, tmp_path)


def test_it_is_nowhere_any_more_and_what_others_hold_stays(ws, tmp_path):
    [motors, tank] = ws.documents
    whole, told = facts(ws), ws.impact("motors")
    assert "Without “motors” (1 passage), 1 fact would go and 2 would stay by other sources" in told.sentence
    assert told.sentence in told._repr_mimebundle_()["text/plain"]
    assert any("Globe" in line for line in told.lines())
    done = ws.forget("motors")
    assert (len(told.facts), len(told.kept), told.chunks) == (done.facts, done.kept, done.chunks)
    assert (done.iri, done.title) == (motors.iri, "motors")
    assert done.sha256 == hashlib.sha256(FIRST.encode()).hexdigest()
    assert done.facts > 0 < done.kept
    assert [one.iri for one in ws.documents] == [tank.iri]
    with explorer.open() as other:
        put(other, tmp_path / "tank.txt", OTHER)
        assert tables(ws) == tables(other)
        assert facts(ws) == facts(other) < whole
        assert ws.size == other.size
    assert "Globe" not in ws.run(ASKED).answer
    assert motors.iri not in {one.iri for one in ws.documents}
    with pytest.raises(RecordError):
        ws.data(motors.iri)
    with pytest.raises(RecordError, match="removed on 2026-01-15"):
        ws.forget(motors)
    said = {quad.predicate: quad.object.value for quad in ws.graph.match(NamedNode(motors.iri), None, None, FACTS)}
    assert said[X.sha256] == done.sha256
    assert said[PROV.invalidatedAtTime] == done.forgotten_at
    assert "motors" in said.values()
    assert validate(ws.graph.match()) == []


@pytest.mark.parametrize("engine", ["graph-rag", "document-rag", "agent"])
def test_runs_of_before_load_show_and_export_and_say_what_was_removed(ws, engine):
    trace = ws.run(ASKED, engine)
    before = [passage for passage in trace.sources() if "Globe" in passage.text]
    assert before
    done = ws.forget("motors")
    again = ws.traces.load(trace.iri)
    assert (again.question, again.answer, again.reason) == (trace.question, trace.answer, trace.reason)
    assert [one.iri for one in again.events if isinstance(one, Explain)] == [
        one.iri for one in trace.events if isinstance(one, Explain)
    ]
    gone = [passage for passage in again.sources() if passage.document == done.iri]
    assert {(one.text, one.locator) for one in gone} == {("", "source removed on 2026-01-15")}
    assert "source removed on 2026-01-15" in repr(again.sources())
    assert ws.export(again, format="trig")
    assert "source removed on 2026-01-15" in ws.report(again)
    assert "source removed on 2026-01-15" in "".join(map(str, [again, ws.node(trace.iri), again.sources()]))
    ws.rerun(again)
    ws.gaps()


def test_its_earlier_versions_go_too_and_read_again_it_is_back(ws, tmp_path):
    whole, held = facts(ws), tables(ws)
    first = ws.document("motors")
    put(ws, tmp_path / "motors.txt", SECOND)
    second = ws.document("motors")
    assert [one.iri for one in second.versions] == [one.iri for one in first.versions] == [first.iri, second.iri]
    done = ws.forget(second)
    assert done.versions == (first.iri,)
    for one in (first, second):
        with pytest.raises(RecordError):
            ws.text(one.iri)
    (tmp_path / "motors.txt").write_bytes(FIRST.encode())
    ws.ingest(tmp_path / "motors.txt", progress=False)
    assert tables(ws) == held
    assert facts(ws) == whole
    assert next(iter(ws.graph.match(None, PROV.invalidatedAtTime, None, FACTS))).subject.value == second.iri
    assert "Globe" in ws.run(ASKED).answer
    assert ws.document(first.iri).versions[-1].iri == first.iri


def test_an_earlier_version_alone_is_named_by_its_iri(ws, tmp_path):
    first = ws.document("motors")
    put(ws, tmp_path / "motors.txt", SECOND)
    whole, held = facts(ws), tables(ws)
    ws.forget(first.iri)
    assert tables(ws) == held
    assert {one for one in whole - facts(ws) if "#label" not in one} == set() == facts(ws) - whole
    with pytest.raises(RecordError):
        ws.text(first.iri)
    assert [one.iri for one in ws.document("motors").versions] == [ws.document("motors").iri]


def test_the_texts_that_quote_it_go_where_that_is_asked(ws):
    trace, other = ws.run(ASKED), ws.run("Where was the oxygen tank tested?")
    assert ws.impact("motors").texts >= 1
    done = ws.forget("motors", words=True)
    assert done.texts >= 1
    again = ws.traces.load(trace.iri)
    assert again.question == ASKED
    assert again.answer == "Removed on 2026-01-15 with the document “motors”, whose words it had."
    assert ws.traces.load(other.iri).answer == other.answer
    left = [quad.subject for quad in ws.graph.match(None, PROV.invalidatedAtTime, None, RETRIEVAL)]
    assert left
    assert all(len(list(ws.graph.match(node, X.sha256, None, RETRIEVAL))) == 1 for node in left)
    assert not any("Globe Industries made the fan" in str(quad) for quad in ws.graph.match())
    assert not any(
        "Globe Industries made" in str(one["answer"]) for one in ws.stores.database.rows("SELECT * FROM listing")
    )
    assert trace.iri not in {one.iri for one in ws.traces.list(text="Globe Industries made")}
    rows = ws.stores.database.rows("SELECT data FROM contents")
    assert not any(b"Globe Industries made the fan" in bytes(row["data"]) for row in rows)
    assert ws.report(again)
    assert validate(ws.graph.match()) == []


SECRET = "Quentin Xylander founded the Zanzibar club.\n\nNobody should be told how quietly the ledger moved, or why.\n"


def holding(place, *words):
    files = [file for file in place.rglob("*") if file.is_file()]
    return {word for word in words for file in files if word.encode() in file.read_bytes()}


@pytest.mark.embedded("reads the folder's files")
def test_no_file_of_the_workspace_has_the_words_any_more(tmp_path):
    words = ("quietly", "how quietly the ledger", "Xylander founded the", "founded the Zanzibar club.")
    with explorer.open(tmp_path / "ws") as ws:
        put(ws, tmp_path / "secret.txt", SECRET)
        put(ws, tmp_path / "tank.txt", OTHER)
        trace, quoted = ws.run("Who founded the Zanzibar club?"), ws.run("How was the ledger moved?", "document-rag")
        assert "Xylander" in trace.answer
        assert "quietly" in quoted.answer
    assert holding(tmp_path / "ws", *words) == {*words}
    with explorer.open(tmp_path / "ws") as ws:
        kept = ws.facts("valve", limit=None)
        ws.forget("secret", words=True)
        assert holding(tmp_path / "ws", *words) == set()
        assert ws.facts("valve", limit=None) == kept
        assert ws.run("Who built the relief valve?").answer.startswith("Beech Aircraft")
        again = ws.traces.load(trace.iri)
        assert again.explored == ()
        assert ws.report(again)
    with explorer.open(tmp_path / "ws") as ws:
        assert validate(ws.graph.match()) == []
        assert len(ws.traces.list()) == 3


def test_words_that_a_kill_left_in_files_go_when_it_is_next_opened(tmp_path, monkeypatch):
    with explorer.open(tmp_path / "ws") as ws:
        put(ws, tmp_path / "secret.txt", SECRET)
        with monkeypatch.context() as patched:
            patched.setattr("explorer.stores.collection.Collection.finish_removal", lambda _: None)
            ws.forget("secret", words=True)
        assert ws.stores.database.rows("SELECT 1 FROM settings WHERE name = 'write anew'")
    with explorer.open(tmp_path / "ws") as ws:
        assert not ws.stores.database.rows("SELECT 1 FROM settings WHERE name = 'write anew'")
        assert not holding(tmp_path / "ws", "quietly", "Xylander")


@pytest.mark.embedded("reads the folder's files")
@pytest.mark.parametrize("steps", ["anew", "both"])
def test_a_graph_that_was_being_written_anew_is_found(tmp_path, steps):
    place = tmp_path / "ws" / "default"
    with explorer.open(tmp_path / "ws") as ws:
        put(ws, tmp_path / "tank.txt", OTHER)
        whole = set(ws.graph.match())
    if steps == "anew":  # not yet whole
        (place / "graph.anew").mkdir()
    else:
        shutil.copytree(place / "graph", place / "graph.anew1")
        (place / "graph.taken").write_text("graph.anew1")
    with explorer.open(tmp_path / "ws") as ws:
        assert set(ws.graph.match()) == whole
    left = {path.name for path in place.iterdir() if path.stem != "reading"}  # who read documents in
    assert left == {"graph", "library.sqlite"}


def test_threads_that_ask_meanwhile_end_well(tmp_path):
    with explorer.open(tmp_path / "ws") as ws, ThreadPoolExecutor(2) as pool:
        read_in(ws, tmp_path)
        ended, stop = [], threading.Event()

        def ask():
            while not stop.is_set():
                ended.append(ws.run(ASKED).reason)

        asking = [pool.submit(ask) for _ in range(2)]
        try:
            for _ in range(3):
                ws.forget("motors")
                put(ws, tmp_path / "motors.txt", FIRST)
        finally:
            stop.set()
        assert [one.result() for one in asking] == [None, None]
        assert set(ended) <= {"done", "declined"}
        assert len(ended) >= 2
        for run in ws.traces.list(limit=1000):
            ws.traces.load(run.iri)


def test_the_commands_tell_ask_and_remove(tmp_path):
    place = at(tmp_path / "ws")
    (tmp_path / "motors.txt").write_text(FIRST)

    def said(*words, answer=None):
        return CliRunner().invoke(app, [*words, *place], input=answer)

    said("ingest", str(tmp_path / "motors.txt"))
    said("ask", ASKED)
    told = said("impact", "motors").stdout
    assert "Facts that would go:" in told
    assert ASKED in told
    assert said("forget", "motors", answer="n\n").exit_code == 0
    assert "motors" in said("documents").stdout
    assert "No former documents." in said("documents", "--former").stdout
    (tmp_path / "motors.txt").write_text(SECOND)
    assert "took the place of the version that was here" in said("ingest", str(tmp_path / "motors.txt")).stdout
    assert "newer version since" in said("documents", "--former").stdout
    assert "Removed “motors” with 1 passage" in said("forget", "motors", "--words", answer="y\n").stdout
    assert "motors" not in said("documents").stdout
    assert said("documents", "--former").stdout.count("removed on") == 2
    missing = said("forget", "motors", "--yes")
    assert missing.exit_code != 0


def test_a_document_that_was_removed_is_brought_back_where_it_stood_and_as_it_was_cut(ws, tmp_path):
    (tmp_path / "long.txt").write_text(FIRST * 3)
    ws.ingest(tmp_path / "long.txt", extractors=(), chunk_size=100, progress=False)
    whole, held = facts(ws), tables(ws)
    for named in ("long", "motors"):
        done = ws.forget(named)
        assert ws.restore(done).iri == done.iri
    assert tables(ws) == held
    assert facts(ws) == whole
    put(ws, tmp_path / "motors.txt", SECOND)
    assert [one.source for one in ws.documents].count(str(tmp_path / "motors.txt")) == 1, "it stood there again"


def test_of_a_corpus_one_passage_is_forgotten_and_brought_back(ws, tmp_path):
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text("\n".join(json.dumps({"id": f"p{n}", "text": f"Pump {n} feeds tank {n}."}) for n in range(2)))
    ws.ingest(corpus, progress=False)
    held = tables(ws)
    done = ws.forget("p1")
    assert [one.source for one in ws.documents][2:] == ["p0"]
    assert ws.size.pages == 0
    assert ws.restore(done).iri == done.iri
    assert tables(ws) == held


class InWords:
    """Finds one fact in each sentence of at least three words."""

    name, version = "words", "1"

    def edges(self, chunks, title=""):
        for chunk in chunks:
            for start, end in chunk.sentences:
                *subject, predicate, obj = chunk.text[start - chunk.start : end - chunk.start].rstrip(".").split()
                if subject:
                    yield ExtractedEdge(" ".join(subject), predicate, obj, True, start, end, 0.9, chunk)


@each("seed", range(4))
def test_what_is_told_before_is_what_goes(tmp_path, seed):
    said = ["Beech built valves.", "Grumman built the lander.", "The pump moves water.", "Rockwell shipped the tank.",
            "The tank holds oxygen.", "Parker sold the thermostat."]  # fmt: skip
    chance = random.Random(seed)
    with explorer.open(ids=ids(), clock=Clock()) as ws:
        for _ in range(chance.randint(2, 3)):  # versions
            for number in range(3):
                told = chance.sample(said, chance.randint(1, 4))
                (tmp_path / f"d{number}.txt").write_text("\n\n".join([f"Paper no {number}.", *told]))
            ws.ingest(tmp_path, extractors=[InWords()], progress=False)
        ws.run("Who built the lander?")
        for number in chance.sample(range(3), 3):
            [document] = [one for one in ws.documents if one.source.endswith(f"d{number}.txt")]
            words = chance.random() < 0.5
            told, before = ws.impact(document.iri), {one.triple for one in ws.facts(limit=None)}
            done = ws.forget(document.iri, words=words)
            assert {one.triple for one in told.facts} == before - {one.triple for one in ws.facts(limit=None)}
            assert (done.facts, done.kept) == (len(told.facts), len(told.kept))
            assert done.texts == (told.texts if words else 0)
        assert not ws.documents
        assert not ws.facts()
        assert validate(ws.graph.match()) == []


def test_what_people_corrected_is_as_it_was_once_the_document_is_back(ws):
    """A fact put right has its words and its act, the one in its place stays retracted, and what is one stays one."""
    motors = ws.document("motors")
    wrong = next(fact for fact in motors.facts if fact.passages)
    right = ws.add_fact("fan motors", "come from", "Ohio", wrong.passages[0], by="Ada", instead_of=wrong)
    alone = ws.add_fact("fan motors", "are", "loud")
    ws.merge("the state of Ohio", "Ohio")
    facts_before = {str(fact.triple): fact.curated for fact in ws.facts(limit=None)}
    where = [(one.text, one.start, one.chunk, one.extracted_by) for one in right.passages]
    acts = [one.iri for one in ws.curations]
    gone = ws.forget(motors)
    assert right.triple not in {fact.triple for fact in ws.facts(limit=None)}
    assert alone.triple in {fact.triple for fact in ws.facts(limit=None)}
    ws.restore(gone)
    assert {str(fact.triple): fact.curated for fact in ws.facts(limit=None)} == facts_before
    [back] = [fact for fact in ws.facts(limit=None) if fact.triple == right.triple]
    assert [(one.text, one.start, one.chunk, one.extracted_by) for one in back.passages] == where
    assert [one.iri for one in ws.curations] == acts
    assert validate(ws.graph.match()) == []


@pytest.mark.parametrize("act", ["retracted", "undone"])
def test_what_was_corrected_while_the_document_was_away_stays_so(ws, act):
    motors = ws.document("motors")
    words = next(fact for fact in motors.facts if fact.passages).passages[0]
    added = ws.add_fact("fan motors", "come from", "Ohio", words)
    gone = ws.forget(motors)
    if act == "undone":
        ws.undo()
    else:
        ws.add_fact("fan motors", "come from", "Ohio")
        ws.retract(added.triple)
    ws.restore(gone)
    assert added.triple not in {fact.triple for fact in ws.facts(limit=None)}
    assert ws.verify().is_sound


TABLES = (
    "contents", "documents", "stretches", "chunks", "sentences", "places", "spans", "vectors", "terms", "mentions",
    "links", "tallies", "extracted", "standing", "replaced",
)  # fmt: skip


def everything(ws):
    """All that is stored, but the ledger and what tells readers that rows have changed."""
    rows = {table: sorted(map(tuple, ws.stores.database.rows(f"SELECT * FROM {table}"))) for table in TABLES}
    rows["tallies"] = [(name, held) for name, held, *_ in rows["tallies"] if held]
    return rows | {"graph": {str(quad) for quad in ws.graph.match()}}


@pytest.fixture
def sample(tmp_path):
    """The sample's report and two more of its documents, with the facts that a person wrote down."""
    folder = tmp_path / "sample"
    folder.mkdir()
    for name in ("investigation-report.pdf", "tank-history.md", "mission-timeline.txt"):
        shutil.copy(corpus() / "documents" / name, folder / name)
    with explorer.open(ids=ids(), clock=Clock()) as opened:
        opened.ingest(folder, facts=corpus() / "facts.jsonl", progress=False)
        yield opened


def test_undone_a_removal_leaves_all_as_it_was(sample):
    """Facts by whoever found them with their sources, rows with their numbers, dates, runs with what they rest on."""
    runs = [sample.run("Why did oxygen tank no. 2 fail?", engine) for engine in ("graph-rag", "document-rag", "agent")]
    report = next(one for one in sample.documents if "eport" in one.title)
    before, checked = everything(sample), [repr(sample.verify(run)) for run in runs]
    shown = [(sample.report(run), sample.export(run, "nq", closed=True)) for run in runs]
    counted, added = len(report.facts), report.added_at
    gone = sample.forget(report)
    assert "source removed on" in sample.report(runs[0])
    assert everything(sample) != before
    back = sample.restore(gone)
    assert (len(back.facts), back.added_at) == (counted, added)
    assert everything(sample) == before
    loaded = [sample.traces.load(run.iri) for run in runs]
    assert [(sample.report(run), sample.export(run, "nq", closed=True)) for run in loaded] == shown
    assert [repr(sample.verify(run)) for run in loaded] == checked
    assert sample.verify().is_sound
    assert sample.run(runs[0].question).answer == runs[0].answer


def test_undone_a_removal_gives_back_what_a_model_found_and_earlier_versions(ws, tmp_path):
    put(ws, tmp_path / "motors.txt", SECOND)
    ws.reextract("motors", extractors=[InWords()], progress=False)
    before = everything(ws)
    ws.restore(ws.forget("motors"))
    assert everything(ws) == before
    assert len(ws.document("motors").versions) == 2


def test_numbers_that_others_have_taken_meanwhile_are_theirs(ws, tmp_path):
    held = facts(ws)
    gone = ws.forget("tank")  # it came last: the next one has its numbers
    put(ws, tmp_path / "pump.txt", "Rockwell shipped the pump in 1967. The pump moves water.\n")
    ws.restore(gone)
    assert held <= facts(ws)
    answered = [ws.run(asked).answer for asked in ("Who shipped the pump?", "Where was the oxygen tank tested?")]
    assert ["Rockwell" in answered[0], "Boulder" in answered[1]] == [True, True]
    with explorer.open() as other:
        for name in ("motors", "pump", "tank"):
            other.ingest(tmp_path / f"{name}.txt", progress=False)
        assert tables(ws) == tables(other)
    assert ws.verify().is_sound


def test_what_came_to_its_place_meanwhile_stays_there(ws, tmp_path):
    gone = ws.forget("motors")
    put(ws, tmp_path / "motors.txt", SECOND)
    ws.restore(gone)
    assert sorted(ws.text(one.iri) for one in ws.documents if one.title == "motors") == sorted([FIRST, SECOND])
    assert ws.restore(gone).iri == gone.iri, "it is here already"


def test_another_embedder_meanwhile_makes_its_vectors_too(tmp_path):
    class Other(WordLlamaEmbedder):
        name = "another"

    with explorer.open(tmp_path / "ws") as ws:
        gone = read_in(ws, tmp_path).forget("motors")
    with explorer.open(tmp_path / "ws", embedder=Other()) as ws:
        ws.reindex(progress=False)
        ws.restore(gone)
        assert "Globe" in ws.run(ASKED).answer


def test_a_kill_before_it_is_all_back_brings_back_the_rest_when_it_is_next_opened(tmp_path, monkeypatch):
    with explorer.open(tmp_path / "ws") as ws:
        before = {str(quad) for quad in read_in(ws, tmp_path).graph.match()}
        gone = ws.forget("motors")

        def killed(*_):
            raise KeyboardInterrupt

        with monkeypatch.context() as patched:
            patched.setattr(ws.graph, "replace", killed)
            with pytest.raises(KeyboardInterrupt):
                ws.restore(gone)
    with explorer.open(tmp_path / "ws") as ws:
        assert {str(quad) for quad in ws.graph.match()} == before
        assert "Globe" in ws.run(ASKED).answer


def test_the_numbers_of_what_is_cited_stay_when_their_source_is_removed(sample):
    asked = "Who chaired the Apollo 13 Review Board, and who appointed it?"
    runs = [sample.run(asked, engine) for engine in ("graph-rag", "document-rag", "agent")]
    told = [numbers(run.dag) for run in runs]
    assert any(len(set(one.values())) < len(one) for one in told), "some are cited twice"
    shown = [re.findall(r"\[\d+\]", sample.report(run, format="md")) for run in runs]
    for document in list(sample.documents):
        sample.forget(document)
        loaded = [sample.traces.load(run.iri) for run in runs]
        assert [numbers(run.dag) for run in loaded] == told
        assert [re.findall(r"\[\d+\]", sample.report(run, format="md")) for run in loaded] == shown
    assert sample.verify().is_sound
