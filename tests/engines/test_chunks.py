import json
from dataclasses import replace

import numpy as np
import pytest

import explorer
from explorer.engines.chunks import Chunks
from explorer.models.embedding import Remembered, WordLlamaEmbedder

TEXT = "James Lovell flew Odyssey in April 1970. The crew came home after six days.\n"


class Counting(WordLlamaEmbedder):
    """The default embedder, which remembers what it was asked."""

    def __init__(self):
        self.asked = []

    def embed(self, texts):
        self.asked += texts
        return super().embed(texts)


@pytest.fixture
def ws(tmp_path):
    (tmp_path / "log.txt").write_text(TEXT, "utf-8")
    with explorer.open(embedder=Counting()) as opened:
        opened.ingest(tmp_path / "log.txt", progress=False)
        opened.embedder.asked.clear()
        yield opened


def test_a_chunk_is_read_once_and_its_vectors_are_known(ws):
    embedder = Remembered(ws.embedder)
    read = Chunks(ws.stores, embedder)
    [iri] = [iri for iri, *_ in ws.stores.library.chunks()]
    [passage] = read([iri, iri, "urn:unknown"]).values()
    assert read([iri])[iri] is passage
    rows = embedder.embed([passage.with_title, *(one.text for one in passage.sentences)])
    assert ws.embedder.asked == []
    told = WordLlamaEmbedder().embed([passage.with_title, *(one.text for one in passage.sentences)])
    assert np.abs(rows - told).max() < 0.01


def test_a_chunk_stored_without_sentences_is_not_read_again_for_the_next_question(ws):
    [iri] = [iri for iri, *_ in ws.stores.library.chunks()]
    stored = Chunks(ws.stores, Remembered(ws.embedder))([iri])[iri].sentences
    with ws.stores.database.writing() as connection:
        connection.execute("DELETE FROM sentences")
    first, second = (Chunks(ws.stores, Remembered(ws.embedder))([iri])[iri].sentences for _ in range(2))
    assert [replace(one, code=b"") for one in stored] == list(first)
    assert second is first


@pytest.mark.parametrize("engine", ["graph-rag", "document-rag"])
def test_a_question_embeds_nothing_but_itself_and_is_answered_alike_without_stored_vectors(ws, engine):
    question = "When did Lovell fly Odyssey?"
    before = ws.run(question, engine)
    assert "1970" in before.answer
    assert not [text for text in ws.embedder.asked if len(text) > len(question)]
    with ws.stores.database.writing() as connection:
        connection.execute("UPDATE sentences SET vector = NULL")
    after = ws.run(question, engine)
    assert after.answer == before.answer
    assert after.support.value == pytest.approx(before.support.value, abs=0.01)


def test_what_no_rules_went_through_is_read_for_names_when_it_is_asked_about_and_for_good(tmp_path):
    corpus, triples = tmp_path / "corpus.jsonl", tmp_path / "triples.jsonl"
    corpus.write_text(json.dumps({"id": "1", "title": "Apollo 13", "text": TEXT}), "utf-8")
    triples.write_text(json.dumps({"id": "1", "triples": [["James Lovell", "flew", "Odyssey"]]}), "utf-8")
    with explorer.open() as ws:
        ws.ingest(corpus, triples=triples, progress=False)
        [iri] = [iri for iri, *_ in ws.stores.library.chunks()]
        before = ws.stores.sentences.of([iri])[iri]
        assert not any(one.is_read for one in before)
        read = Chunks(ws.stores, Remembered(ws.embedder))([iri])[iri].sentences
        assert ("time", "April 1970") in {(entity.kind, entity.text) for one in read for entity in one.entities}
        after = ws.stores.sentences.of([iri])[iri]
        assert (list(after), all(one.is_read for one in after)) == (list(read), True)
