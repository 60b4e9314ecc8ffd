import pytest

from explorer.engines.limits import Limits, PassageLimits
from explorer.errors import QuestionError
from tests.each import each


@each(
    ("limits", "wrong", "said"),
    [
        *((Limits, wrong, "must be a whole number of at least 1") for wrong in (
            {"edge_limit": 0}, {"triple_limit": -5}, {"max_path_length": 1.5}, {"edge_limit": True},
        )),
        (PassageLimits, {"mode": "both"}, "mode must be vector, keyword or hybrid, not 'both'"),
        (PassageLimits, {"mode": None}, "mode must be"),
        (PassageLimits, {"doc_limit": 0}, "doc_limit must be a whole number of at least 1"),
        (PassageLimits, {"doc_limit": None}, "doc_limit must be a whole number"),
        (PassageLimits, {"fetch_limit": 2.5}, "fetch_limit must be a whole number"),
        (PassageLimits, {"rerank": 1}, "rerank must be True or False, not 1"),
        (PassageLimits, {"mmr": "yes"}, "mmr must be True or False"),
        (PassageLimits, {"mmr_lambda": 1.1}, "mmr_lambda must be a number from 0 to 1"),
        (PassageLimits, {"mmr_lambda": float("nan")}, "mmr_lambda must be a number from 0 to 1"),
        (PassageLimits, {"mmr_lambda": True}, "mmr_lambda must be a number from 0 to 1"),
        (PassageLimits, {"mmr": True, "rerank": False}, "leave rerank on"),
    ],
)  # fmt: skip
def test_what_can_not_be_meant_is_refused(limits, wrong, said):
    with pytest.raises(QuestionError, match=said):
        limits(**wrong)


@each(
    ("limits", "fetched"),
    [
        ({}, 30),
        ({"doc_limit": 4}, 12),
        ({"doc_limit": 4, "fetch_limit": 50}, 50),
        ({"doc_limit": 4, "fetch_limit": 2}, 4),
        ({"doc_limit": 4, "fetch_limit": 50, "rerank": False}, 4),
    ],
)
def test_more_is_looked_at_than_kept_only_when_it_is_reranked(limits, fetched):
    assert PassageLimits(**limits).fetched == fetched
