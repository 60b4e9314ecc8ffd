"""A long text is read and stored a stretch at a time, and is then what it would be if it had been held whole."""

import codecs
import json
import signal

import pytest

import explorer
from explorer.errors import DocumentError, ModelError
from explorer.ingest.limits import Limits
from explorer.ingest.parsed import ExtractedDocument, parse
from explorer.ingest.pipeline import Pipeline
from explorer.ingest.progress import time_left
from explorer.ingest.readers.files import Source, read
from explorer.ingest.readers.long_text import long_text
from explorer.ingest.recovery import undo
from explorer.models.embedding import WordLlamaEmbedder
from explorer.vocab import SOURCE
from tests.corpus import Clock
from tests.each import each
from tests.forked import ended
from tests.killed import LONG_TEXT, made_short
from tests.opened import empty, left_by_the_dead


@pytest.fixture(autouse=True)
def short(monkeypatch):
    made_short(monkeypatch.setattr)


def written(folder, text=LONG_TEXT, name="long.txt"):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def rows(stores, sql):
    return [tuple(row) for row in stores.database.rows(sql)]


QUESTION = "Who built the Osprey pump?"
CHUNKS = "SELECT iri, chunks.text, places.number, start FROM chunks JOIN places ON places.chunk = chunks.number"
SENTENCES = 'SELECT chunks.iri, start, "end", vector FROM sentences JOIN chunks ON chunks.number = chunk ORDER BY 1, 2'
EMOJI = LONG_TEXT.replace("river", "river \U0001f600")
TEXTS = {
    "plain": LONG_TEXT.encode(),
    "with signs beyond 16 bits": EMOJI.encode(),
    "with the line ends of Windows": EMOJI.replace("\n", "\r\n").encode(),
    "with the line ends of old Macs": EMOJI.replace("\n", "\r").encode(),
    "with a mark": codecs.BOM_UTF8 + EMOJI.replace("\n", "\r\n").encode(),
    "without a line end": LONG_TEXT.replace("\n", " ").encode(),
    "without a blank": ("x" * 7_000).encode(),
    "with front matter in the middle": LONG_TEXT.replace("\n\n", "\n\n---\n\n").encode(),
}


@pytest.mark.parametrize("kind", TEXTS)
def test_a_text_stored_in_stretches_is_what_it_is_when_it_is_held_whole(ws, tmp_path, kind):
    data = TEXTS[kind]
    path = written(tmp_path, data)
    assert ws.ingest(path, extractors=(), progress=False).documents == 1
    assert len(rows(ws.stores, "SELECT * FROM stretches")) > 3
    whole = empty()
    document = parse(data, str(path), read(data, str(path)))
    Pipeline(whole.graph, whole.library, WordLlamaEmbedder(), Clock()).store_all([ExtractedDocument(document)])
    assert ws.text(document.iri) == document.reading.text == whole.library.text(document.iri)
    assert ws.stores.library.get(document.iri).data == data
    assert ws.stores.library.hash(document.iri) == whole.library.hash(document.iri)
    for sql in (CHUNKS, SENTENCES, "SELECT iri, title, source, mime FROM documents"):
        assert rows(ws.stores, sql) == rows(whole, sql)
    told = {quad for quad in ws.graph.match(graph=SOURCE) if "Time" not in quad.predicate.value}
    assert told == {quad for quad in whole.graph.match(graph=SOURCE) if "Time" not in quad.predicate.value}
    for iri, text, _, start in rows(ws.stores, CHUNKS):
        assert document.reading.text[start : start + len(text)] == text, iri


def test_its_facts_quote_its_words_and_answer(ws, tmp_path):
    path = written(tmp_path)
    curated = tmp_path / "facts.jsonl"
    quotes = (
        "Engineer 3 measured pump 3 at noon.",
        "Miriam Okafor built the Osprey pump in Trondheim.",
        "Nobody said so.",
    )
    lines = [{"subject": "a", "predicate": "b", "object": "c", "document": "long.txt", "quote": q} for q in quotes]
    curated.write_text("\n".join(map(json.dumps, lines)))
    done = ws.ingest(path, facts=curated, progress=False)
    assert [one.reason for one in done.refused] == ["“Nobody said so.” is not in long.txt."]
    text = ws.document("long.txt").text
    passages = [passage for fact in ws.facts(document="long.txt", limit=10_000) for passage in ws.passages(fact.triple)]
    assert len({passage.chunk for passage in passages}) > 5
    assert all(text[one.start : one.end] == one.text for one in passages)
    assert {quotes[0], quotes[1]} <= {passage.text for passage in passages}
    assert "Miriam Okafor" in ws.run(QUESTION).answer


def test_without_rules_its_names_are_told_by_capitals_and_read_when_it_is_asked(ws, tmp_path):
    ws.ingest(written(tmp_path), extractors=(), progress=False)
    stored = [one for found in ws.stores.sentences.of(ws.document("long.txt").chunks).values() for one in found]
    assert not any(one.is_read for one in stored)
    assert {entity.kind for one in stored for entity in one.entities} == {"name"}
    assert "Miriam Okafor" in ws.run(QUESTION).answer
    before = ws.stores.sentences.of(ws.document("long.txt").chunks)
    ws.reindex(progress=False)
    assert ws.stores.sentences.of(ws.document("long.txt").chunks) == before


def test_what_can_not_be_stored_to_its_end_leaves_nothing(ws, tmp_path):
    ws.ingest(written(tmp_path, "Miriam Okafor lives in Rome.", "a.txt"), progress=False)
    before = set(ws.graph.match())
    tables = ("documents", "contents", "chunks", "vectors", "stretches", "sentences", "terms",
              "mentions", "links", "spans")  # fmt: skip
    held = {table: rows(ws.stores, f"SELECT * FROM {table}") for table in tables}

    class Failing(WordLlamaEmbedder):
        calls = 0

        def embed(self, texts):
            self.calls += 1
            if self.calls > 4:
                raise ModelError("The service is gone.")
            return super().embed(texts)

    ws.embedder = Failing()
    with pytest.raises(ModelError, match="gone"):
        ws.ingest(written(tmp_path), progress=False)
    assert set(ws.graph.match()) == before
    assert {table: rows(ws.stores, f"SELECT * FROM {table}") for table in tables} == held
    ws.embedder = WordLlamaEmbedder()
    assert ws.ingest(written(tmp_path), progress=False).documents == 1


def test_no_fact_and_no_passage_of_it_is_found_before_it_is_whole(ws, tmp_path):
    seen = []

    def look(step):
        if step.stage == "facts":
            seen.append((len(ws.documents), len(ws.search("pump")), ws.run(QUESTION).reason))

    ws.ingest(written(tmp_path), progress=look)
    assert {one[:2] for one in seen[:-1]} == {(0, 0)}
    assert {one[2] for one in seen} == {"declined"}
    assert ws.run(QUESTION).reason == "done"


def test_how_far_it_is_and_how_long_it_takes_is_told(ws, tmp_path):
    told = []
    done = ws.ingest(written(tmp_path), extractors=(), progress=told.append)
    shares = [step.done / step.total for step in told if step.stage == "storing"]
    assert shares == sorted(shares)
    assert len(shares) > 3
    assert told[-1].done == told[-1].total == done.chunks
    assert [time_left(s) for s in (20, 90, 5_000, 36_000)] == [
        "less than a minute left", "about 2 min left", "about 83 min left", "about 10.0 hours left",
    ]  # fmt: skip


def test_a_newer_version_takes_its_place_and_what_is_forgotten_leaves_no_words(ws, tmp_path):
    first = ws.ingest(path := written(tmp_path), progress=False)
    old = ws.document("long.txt")
    text = old.text
    done = ws.ingest(written(tmp_path, LONG_TEXT.replace("Miriam Okafor", "Jane Miller")), progress=False)
    assert (first.documents, done.documents) == (1, 1)
    assert "took the place of the version" in done.notes[0]
    assert old.text == text
    assert [one.iri for one in ws.documents] != [old.iri]
    assert "Miller" in ws.run(QUESTION).answer
    assert ws.ingest(written(tmp_path), progress=False).documents == 1  # the first one is back
    assert ws.text(old.iri) == text
    ws.forget(str(path))
    assert not rows(ws.stores, "SELECT number FROM chunks UNION SELECT number FROM sentences")
    assert old.iri not in {document for (document,) in rows(ws.stores, "SELECT document FROM stretches")}


def test_a_file_that_changes_while_it_is_read_is_refused_and_leaves_nothing(ws, tmp_path):
    path = written(tmp_path)

    def change(step):
        if step.stage == "storing" and step.done < step.total:
            path.write_text(LONG_TEXT.replace("river", "RIVER"))

    with pytest.raises(DocumentError, match="was changed while it was read"):
        ws.ingest(path, extractors=(), progress=change)
    assert not list(ws.graph.match())
    assert not rows(ws.stores, "SELECT iri FROM documents UNION SELECT iri FROM chunks")


@each(
    ("data", "name"),
    [
        (LONG_TEXT.encode("utf-16"), "a.txt"), (LONG_TEXT.replace("river", "fl\xfcsse").encode("latin-1"), "a.txt"),
        (b"\0" + LONG_TEXT.encode(), "a.txt"), (b" \n" * 9_000, "a.txt"), (b"\x01" * 9_000, "a.txt"),
        (LONG_TEXT[:1_000].encode(), "a.txt"), (LONG_TEXT.encode(), "a.csv"), (("\xe4" * 2_000).encode(), "a.txt"),
    ],
)  # fmt: skip
def test_what_is_no_long_text_in_utf_8_is_read_whole(tmp_path, data, name):
    path = written(tmp_path, data, name)
    assert long_text(Source(path, name), Limits()) is None


def test_a_long_text_may_begin_with_very_many_blanks(ws, tmp_path):
    assert ws.ingest(written(tmp_path, "\n" * 25_000 + LONG_TEXT), extractors=(), progress=False).documents == 1
    assert ws.documents[0].text.endswith(LONG_TEXT)


def test_markdown_that_is_long_has_its_title_and_no_sections(ws, tmp_path):
    path = written(tmp_path, f"# Pumps\n\nauthor: x\n\n{LONG_TEXT}", "long.md")
    ws.ingest(path, extractors=(), progress=False)
    [one] = ws.documents
    assert (one.title, one.kind, len(one.pages)) == ("Pumps", "Markdown", 0)


def test_a_long_text_over_the_limit_is_refused_unread(ws, tmp_path):
    with pytest.raises(DocumentError, match="more than the 4,000 that are read"):
        ws.ingest(written(tmp_path), max_bytes=4_000, progress=False)


@pytest.mark.parametrize("step", [1, 4, 11])
def test_a_kill_before_any_transaction_leaves_all_of_it_or_nothing(tmp_path, step):
    path = written(tmp_path)
    assert ended("-m", "tests.killed", step, tmp_path / "ws", 0, json.dumps(str(path))) == -signal.SIGKILL
    with explorer.open(tmp_path / "ws") as ws:
        left_by_the_dead(ws)
        here = len(ws.documents)
        if not here:
            assert all("/agent/" in quad.subject.value for quad in ws.graph.match())
            held = "SELECT iri FROM chunks UNION SELECT key FROM vectors UNION SELECT iri FROM terms"
            assert not rows(ws.stores, f"{held} UNION SELECT document FROM stretches UNION SELECT iri FROM contents")
        assert ws.ingest(path, progress=False).documents == 1 - here
        assert ws.document("long.txt").text == LONG_TEXT


def test_undoing_a_second_time_changes_nothing(ws, tmp_path):
    ws.ingest(written(tmp_path, "Miriam Okafor lives in Rome.", "a.txt"), progress=False)
    before = set(ws.graph.match())
    undo(ws.graph, ws.stores.library, "https://trustgraph.ai/doc/none")
    assert set(ws.graph.match()) == before
