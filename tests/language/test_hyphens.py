from hypothesis import given
from hypothesis import strategies as st

from explorer.language.hyphens import is_word, splits_word
from tests.each import each


@each(("word", "is_known"), [
    *((word, True) for word in ("tank", "downloading", "Frameworks", "neighboring", "straightforward")),
    *((piece, False) for piece in ("manip", "everchanging", "", "7", "dwelingf")),
])  # fmt: skip
def test_a_word_and_its_forms_are_known_and_a_piece_is_none(word, is_known):
    assert is_word(word) is is_known


SPLITS = [("poten", "tially"), ("de", "limited"), ("frame", "works"), ("near", "est"), ("DOCU", "MENT")]
BELONGS = [
    ("forest", "dwelling"),
    ("chat", "optimized"),
    ("1960", "70"),
    ("Anglo", "Saxon"),
    ("x", "axis"),
    ("hh", "'mm"),
]


@each(("before", "after"), SPLITS + BELONGS)
def test_a_hyphen_that_splits_a_word_goes_and_one_that_belongs_to_it_stays(before, after):
    assert splits_word(f"It was {before}", f"{after} of it", "") is ((before, after) in SPLITS)


def test_other_languages_put_words_together():
    text = "Das ist die Geschichte einer Firma und ihrer Leute, die eine neue Wohnung auf dem Markt suchen."
    assert splits_word("die Hand", "lung", text)


@given(st.text(max_size=20), st.text(max_size=20))
def test_any_two_lines_are_told(before, after):
    assert splits_word(before, after, before) in {True, False}
