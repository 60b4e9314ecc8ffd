import numpy as np

import explorer
from explorer.ingest.indexed_rows import chunk_entry, fact_entry
from explorer.ingest.vectors import Vectors
from explorer.stores.sentences import StoredSentence

FIRST, SECOND = "The valve opened.", "Then it closed again."
TEXT = f"{FIRST} {SECOND}"
SENTENCES = [StoredSentence(0, len(FIRST), FIRST), StoredSentence(len(FIRST) + 1, len(TEXT), SECOND)]
PASSAGE = chunk_entry("urn:c", "Log", TEXT, SENTENCES)
FACT = fact_entry("<a> <b> <c>", "urn:c", ("valve", "opened", "hatch"), FIRST)


class Counting:
    """Another embedder, which remembers what it was asked."""

    name = "letters-26"

    def __init__(self):
        self.asked = []

    def embed(self, texts):
        self.asked += texts
        rows = [[text.lower().count(chr(97 + n)) + 0.5 for n in range(26)] for text in texts]
        made = np.array(rows, dtype=np.float32).reshape(-1, 26)
        return made / np.linalg.norm(made, axis=1, keepdims=True)


class Slow(Counting):
    """One that joins."""

    def joined(self, parts, weights):
        row = np.array(weights, dtype=np.float32) @ parts
        return row / np.linalg.norm(row)


def test_usually_facts_and_passages_are_embedded_as_they_are():
    embedder = Counting()
    rows = Vectors(embedder).of_entries([FACT, PASSAGE])
    assert sorted(embedder.asked) == sorted([FACT.text, PASSAGE.text])
    assert np.allclose(rows, Counting().embed([FACT.text, PASSAGE.text]))


def test_an_embedder_that_takes_long_embeds_only_sentences_and_titles():
    embedder = Slow()
    vectors = Vectors(embedder)
    vectors.of([one.text for one in SENTENCES])
    fact, passage = vectors.of_entries([FACT, PASSAGE])
    assert sorted(embedder.asked) == sorted([FIRST, SECOND, "Log"])
    title, first, second = Counting().embed(["Log", FIRST, SECOND])
    mean = len("Log") * title + len(FIRST) * first + len(SECOND) * second
    assert np.allclose(passage, mean / np.linalg.norm(mean), atol=1e-6)
    assert np.allclose(fact, first, atol=1e-6)


def test_a_passage_without_sentences_and_a_fact_without_one_are_embedded_whole():
    embedder = Slow()
    alone = fact_entry("<a> <b> <c>", "", ("valve", "opened", "hatch"), "")
    Vectors(embedder).of_entries([chunk_entry("urn:c", "Log", "1 2 3"), alone])
    assert sorted(embedder.asked) == ["Log\n1 2 3", alone.text]


def test_ingest_and_reindex_embed_no_text_twice(tmp_path):
    (tmp_path / "log.txt").write_text(f"{TEXT} The valve supplied oxygen to the tank. It supplied water.\n", "utf-8")
    embedder = Slow()
    with explorer.open(embedder=embedder) as ws:
        ws.ingest(tmp_path / "log.txt", progress=False)
        assert len(embedder.asked) == len(set(embedder.asked))
        assert max(map(len, embedder.asked)) < len(TEXT)
        embedder.asked.clear()
        ws.reindex(progress=False)
        assert len(embedder.asked) == len(set(embedder.asked))
