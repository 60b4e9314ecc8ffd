from explorer.language.words import opposites, stem


def test_words_that_mean_the_opposite_are_known_in_both_directions():
    assert "last" in opposites("first")
    assert "first" in opposites("last")
    assert stem("unhappy") in opposites(stem("happy"))
    assert stem("happy") in opposites(stem("unhappy"))
