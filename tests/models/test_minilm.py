"""The embedder of the extra `minilm`; what it needs is installed wherever this is developed."""

import tomllib
from pathlib import Path

import numpy as np
import pytest

import explorer
from explorer.errors import ModelError, WorkspaceError
from explorer.models import minilm
from explorer.models.embedding import OpenAIEmbedder, WordLlamaEmbedder, embedder_for
from explorer.models.minilm import MiniLMEmbedder
from tests.each import each

ROOT = Path(__file__).parents[2]
PUBLISHED = [0.06766, 0.06350, 0.04871, 0.07930, 0.03745]  # the float model's for the sentence in its description
TEXT = "# Pump\n\nBeech Aircraft built the pump. The pump moves water.\n"


@pytest.fixture(scope="module")
def embedder():
    return MiniLMEmbedder()


@pytest.fixture
def bare(monkeypatch):
    """A place where the extra is not installed."""
    found = minilm.find_spec
    monkeypatch.setattr(minilm, "find_spec", lambda name: None if name == "onnxruntime" else found(name))


def test_rows_are_float32_of_length_one(embedder):
    rows = embedder.embed(["The relief valve opened.", "x", "漢字 🚀", "word " * 5000])
    assert (rows.shape, rows.dtype) == ((4, 384), np.float32)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)


def test_nothing_gives_no_rows(embedder):
    assert embedder.embed([]).shape == (0, 384)


@each("text", ["", " ", "\n", "\x00"])
def test_a_text_without_words_gives_zeros(embedder, text):
    assert not embedder.embed(["valve", text])[1].any()


def test_the_same_text_gives_the_same_row_alone_and_among_others(embedder):
    texts = ["the valve opened", "a much longer text about other things and about pumps", "a pump", *["more"] * 40]
    assert np.allclose(embedder.embed(texts)[0], embedder.embed(texts[:1])[0], atol=1e-5)


def test_other_words_for_the_same_are_nearer_than_the_same_words_for_another_thing(embedder):
    asked, meant, worded = embedder.embed(
        ["How did the car crash happen?", "The automobile accident was caused by ice.", "The car park has a roof."]
    )
    assert asked @ meant > asked @ worded + 0.2


def test_vectors_are_those_of_the_published_model(embedder):
    row = embedder.embed(["This is an example sentence"])[0]
    assert row[:5].tolist() == pytest.approx(PUBLISHED, abs=0.005)


def test_names_lead_to_embedders(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert isinstance(embedder_for(None), WordLlamaEmbedder)
    for embedder in (WordLlamaEmbedder(), MiniLMEmbedder()):
        assert embedder_for(embedder) is embedder
        assert type(embedder_for(embedder.name)) is type(embedder)
    assert isinstance(embedder_for("minilm"), MiniLMEmbedder)
    assert isinstance(embedder_for("wordllama"), WordLlamaEmbedder)
    assert isinstance(embedder_for("nomic-embed-text", "http://127.0.0.1:1/v1"), OpenAIEmbedder)


@pytest.mark.usefixtures("bare")
def test_without_the_extra_its_name_is_told():
    with pytest.raises(ModelError, match=r"needs onnxruntime; .* 'provenance-explorer\[minilm\]'"):
        explorer.open(embedder="minilm")


def test_other_weights_are_refused(monkeypatch):
    monkeypatch.setattr(minilm, "_SHA256", "0" * 64)
    minilm._loaded.cache_clear()
    with pytest.raises(ModelError, match="not those expected"):
        MiniLMEmbedder().embed(["a"])


def test_a_workspace_is_made_and_asked_with_it_and_says_so(tmp_path):
    (tmp_path / "pump.md").write_text(TEXT, "utf-8")
    with explorer.open(tmp_path / "ws", embedder="minilm") as ws:
        ws.ingest(tmp_path / "pump.md", progress=False)
        trace = ws.run("Who built the pump?")
        assert trace.reason == "done"
        assert ws.node(trace.iri).entity.embedder == "minilm-l6-v2-int8"
    with explorer.open(tmp_path / "ws") as ws:
        with pytest.raises(WorkspaceError, match="made by minilm-l6-v2-int8"):
            ws.run("Who built the pump?")
        ws.reindex(progress=False)
        assert ws.run("Who built the pump?").reason == "done"


def test_what_the_extra_needs_is_installed_to_develop():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    assert set(project["project"]["optional-dependencies"]["minilm"]) <= set(project["dependency-groups"]["dev"])


def test_a_batch_has_no_more_tokens_than_fill_it(monkeypatch):
    monkeypatch.setattr(minilm, "_BATCH", 12)
    tokens = [[0] * length for length in (3, 3, 3, 4, 5, 6, 20)]
    assert list(minilm._batches(range(7), tokens)) == [[0, 1, 2], [3, 4], [5], [6]]
    assert list(minilm._batches([], tokens)) == []


def test_a_text_joined_from_its_parts_is_near_what_it_is_as_a_whole(embedder):
    parts = ["The relief valve opened.", "Oxygen escaped into the bay."]
    whole, other, *rows = embedder.embed([" ".join(parts), "A mayor was elected in Lisbon.", *parts])
    joined = embedder.joined(np.stack(rows), [24, 29])
    assert np.isclose(np.linalg.norm(joined), 1, atol=1e-6)
    assert joined @ whole > 0.85
    assert joined @ other < 0.4
