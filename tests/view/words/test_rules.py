"""Rules in words."""

from __future__ import annotations

from explorer.models.embedding import WordLlamaEmbedder
from explorer.reasoning.extractive.scoring import Scoring
from explorer.view.words.rules import keeping

TODAY = Scoring(WordLlamaEmbedder(), lambda _: 1.0).keeps


def test_the_rule_of_today_is_read_in_words():
    rule = keeping(TODAY)
    assert rule is not None
    kept = "The best facts are kept, at most 2 from a passage, until 10 passages are represented"
    assert rule.short == f"{kept}: so no single passage decides alone."
    assert "at least 80 % of the best score" in rule.whole
    assert "less than 50 % of it" in rule.whole


def test_the_rule_of_older_runs_is_read_in_the_same_words():
    older = keeping(
        "kept: the best up to 10 different passages with at most 2 facts each, more only from 0.8 of the best score "
        "on, nothing below 0.5 of it; and what the quoted sentences rest on"
    )
    assert older == keeping(TODAY)


def test_another_rule_is_no_such_rule():
    assert keeping("by hand") is None
    assert keeping(None) is None
