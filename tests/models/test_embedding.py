import numpy as np

from explorer.models import embedding
from explorer.models.embedding import WordLlamaEmbedder, cosines
from tests.each import each

EMBEDDER = WordLlamaEmbedder()


def test_rows_are_float32_of_length_one_and_nearer_where_they_mean_the_same():
    rows = EMBEDDER.embed(["The relief valve opened.", "x", "漢字 🚀", "word " * 5000])
    assert (rows.shape, rows.dtype) == ((4, 256), np.float32)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-4)
    assert EMBEDDER.embed([]).shape == (0, 256)
    near, far, query = EMBEDDER.embed(["the valve opened", "a mayor in Lisbon", "the relief valve was open"])
    assert query @ near > query @ far


@each("text", ["", " ", "\n", "\x00"])
def test_a_text_without_words_gives_numbers_all_the_same(text):
    assert np.isfinite(EMBEDDER.embed([text])).all()


def test_cosines_of_many_rows_are_those_of_each():
    rows = EMBEDDER.embed([f"valve {number}" for number in range(600)])
    others = EMBEDDER.embed(["hatch", "tank", "valve 7"])
    found = cosines(rows, others)
    assert found.shape == (600, 3)
    assert np.allclose(found, [[row @ other for other in others] for row in rows], atol=1e-6)
    assert cosines(rows[:0], others).shape == (0, 3)
    assert cosines(rows, others[:0]).shape == (600, 0)


def test_a_few_texts_have_the_vectors_that_they_have_among_many():
    texts = ["The relief valve opened.", "", "x", "漢字 🚀", "word " * 500]
    many = EMBEDDER.embed([*texts, *map(str, range(300))])
    assert np.allclose(EMBEDDER.embed(texts), many[: len(texts)], atol=1e-6)


@each("text", [
    "The tank exploded at 55:55:20.", "", " ", "two  blanks   and more ", "\n lines\n\tand tabs", "▁ a▁b ▁▁",
    "日本語 and 🙂  🙂", "a <s> b</s>c <unk>", "x" * 5_000, "ends with a blank ",
])  # fmt: skip
def test_word_by_word_a_text_has_the_tokens_and_the_vector_that_the_model_gives_it(text):
    model = embedding._wordllama()
    assert list(embedding._tokens(text)) == model.tokenizer.encode(text or " ", add_special_tokens=False).ids
    [row] = model.embed([text or " "], norm=True)
    assert np.allclose(WordLlamaEmbedder().embed([text])[0], np.nan_to_num(row), atol=1e-6)
