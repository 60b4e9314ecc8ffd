from explorer.language.synonyms import synonyms
from explorer.language.words import stem


def test_other_verbs_and_nouns_say_the_same():
    assert {stem("maker"), stem("built")} - synonyms([stem("make")]) == {stem("built")}
    assert stem("establish") in synonyms([stem("found")])
    assert stem("release") not in synonyms([stem("found")])
    assert synonyms(["tank"]) == frozenset()
