from hypothesis import given
from hypothesis import strategies as st

from explorer.language.hyphens import is_word, splits_word
from tests.each import each


@each("word", ["tank", "downloading", "Frameworks", "neighboring", "straightforward"])
def test_a_word_and_its_forms_are_known(word):
    assert is_word(word)


@each("word", ["manip", "everchanging", "", "7", "dwelingf"])
def test_a_piece_of_a_word_is_none(word):
    assert not is_word(word)


@each(
    ("before", "after"), [("poten", "tially"), ("de", "limited"), ("frame", "works"), ("near", "est"), ("DOCU", "MENT")]
)
def test_a_hyphen_that_splits_a_word_goes(before, after):
    assert splits_word(f"It was {before}", f"{after} of it", "")


@each(
    ("before", "after"),
    [("forest", "dwelling"), ("chat", "optimized"), ("1960", "70"), ("Anglo", "Saxon"), ("x", "axis"), ("hh", "'mm")],
)
def test_a_hyphen_that_belongs_to_the_word_stays(before, after):
    assert not splits_word(f"It was {before}", f"{after} of it", "")


def test_other_languages_put_words_together():
    text = "Das ist die Geschichte einer Firma und ihrer Leute, die eine neue Wohnung auf dem Markt suchen."
    assert splits_word("die Hand", "lung", text)


@given(st.text(max_size=20), st.text(max_size=20))
def test_any_two_lines_are_told(before, after):
    assert splits_word(before, after, before) in {True, False}
