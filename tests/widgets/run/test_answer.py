import pytest

from explorer import entities as e
from explorer.widgets.run.answer import _supported


class Final:
    def __init__(self, support):
        self.iri = "urn:trustgraph:question:1/synthesis"
        self.entity = e.Synthesis(iri=self.iri, support=support)


@pytest.mark.parametrize(
    ("level", "words"),
    [
        ("strong", "may answer the question"),
        ("weak", "related, but may not answer"),
        ("none", "nothing close was found"),
    ],
)
def test_the_badge_says_whether_what_was_asked_is_answered(level, words):
    badge = _supported(Final({"value": 0.25, "level": level, "parts": {"base": -0.5, "names": 1.25}}))
    assert (badge["text"], badge["level"]) == (words, level)
    assert badge["tip"] == f"Support 0.25 of 1 ({level}): base -0.50, names +1.25"


def test_the_mark_is_green_only_where_it_is_sure():
    badge = _supported(Final({"value": 0.8, "level": "strong", "parts": {}, "sure": True}))
    assert (badge["text"], badge["level"]) == ("answers the question", "sure")
    assert _supported(Final({"value": 0.8, "level": "strong", "parts": {}, "sure": 1}))["level"] == "strong"


@pytest.mark.parametrize(
    "support", [None, {}, {"value": "high", "level": "strong"}, {"value": 1, "level": "x", "parts": {}}]
)
def test_an_answer_without_a_support_on_record_has_no_such_badge(support):
    assert _supported(Final(support)) is None
