from explorer.language.words import meant
from tests.each import each

KNOWN = ["apollo", "review", "commanded", "céloron", "valve"]


@each(
    ("word", "known"),
    [("apolo", "apollo"), ("reveiw", "review"), ("comanded", "commanded"), ("celoron", "céloron"), ("vale", None),
     ("apollon13", None), ("pollo", None), ("oxygen", None)],
)  # fmt: skip
def test_an_unknown_word_is_read_as_a_known_one_of_nearly_the_same_letters(word, known):
    assert meant(word, KNOWN) == known


def test_another_word_with_letters_at_its_end_is_no_slip():
    assert meant("systemd", {"system"}) is None
    assert meant("submitt", {"submit"}) == "submit"
    assert meant("significan", {"significant"}) == "significant"
