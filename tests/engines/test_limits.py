import pytest

from explorer.engines.limits import PassageLimits
from explorer.errors import QuestionError
from tests.each import each


@each(
    ("wrong", "said"),
    [
        ({"mode": "both"}, "mode must be vector, keyword or hybrid, not 'both'"),
        ({"mode": None}, "mode must be"),
        ({"doc_limit": 0}, "doc_limit must be a whole number of at least 1"),
        ({"doc_limit": None}, "doc_limit must be a whole number"),
        ({"fetch_limit": 2.5}, "fetch_limit must be a whole number"),
        ({"rerank": 1}, "rerank must be True or False, not 1"),
        ({"mmr": "yes"}, "mmr must be True or False"),
        ({"mmr_lambda": 1.1}, "mmr_lambda must be a number from 0 to 1"),
        ({"mmr_lambda": float("nan")}, "mmr_lambda must be a number from 0 to 1"),
        ({"mmr_lambda": True}, "mmr_lambda must be a number from 0 to 1"),
        ({"mmr": True, "rerank": False}, "leave rerank on"),
    ],
)
def test_what_can_not_be_meant_is_refused(wrong, said):
    with pytest.raises(QuestionError, match=said):
        PassageLimits(**wrong)


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
