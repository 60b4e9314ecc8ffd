import numpy as np
import pytest

import explorer
from explorer.stores.vectors.codes import coded, decoded

TEXT = "James Lovell flew Odyssey in April 1970. The crew came home.\n"


@pytest.fixture
def ws(tmp_path):
    (tmp_path / "log.txt").write_text(TEXT, "utf-8")
    with explorer.open(tmp_path / "ws") as opened:
        opened.ingest(tmp_path / "log.txt", progress=False)
        yield opened


def chunks(ws):
    return {iri: text for iri, _, _, text in ws.stores.library.chunks()}


def test_ingest_keeps_the_sentences_of_each_chunk_with_their_names(ws):
    [(iri, text)] = chunks(ws).items()
    first, second = ws.stores.sentences.of([iri, iri, "urn:unknown"])[iri]
    assert (first.text, second.text) == ("James Lovell flew Odyssey in April 1970.", "The crew came home.")
    assert [(one.kind, one.text) for one in first.entities if one.kind in {"person", "time"}] == [
        ("person", "James Lovell"),
        ("time", "April 1970"),
    ]
    assert all(text[one.start : one.end] == one.text for one in (first, second))
    assert all(first.text[one.start : one.end] == one.text for one in first.entities)


def test_ingest_keeps_a_vector_of_each_sentence(ws):
    [sentences] = ws.stores.sentences.of(chunks(ws)).values()
    rows = decoded([one.code for one in sentences])
    assert (rows * ws.embedder.embed([one.text for one in sentences])).sum(axis=1) == pytest.approx([1, 1], abs=1e-3)


def test_a_vector_of_zeros_stays_one_and_none_are_none():
    assert not decoded(coded(np.zeros((1, 8), dtype=np.float32))).any()
    assert len(decoded([])) == 0


def test_reindex_finds_the_sentences_anew(ws):
    before = ws.stores.sentences.of(chunks(ws))
    with ws.stores.database.writing() as connection:
        connection.execute("DELETE FROM sentences")
    assert ws.stores.sentences.of(chunks(ws)) == {}
    ws.reindex(progress=False)
    assert ws.stores.sentences.of(chunks(ws)) == before
