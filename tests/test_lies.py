"""What is false of a passage reaches the check beside the words that it is false of; what is true is not blamed."""

import pytest

from benchmarks import lies


@pytest.fixture(scope="module", params=["one long passage", "short passages"])
def told(request, tmp_path_factory):
    return lies.measured(tmp_path_factory.mktemp("lies"), request.param)


def test_the_check_sees_every_false_sentence_beside_its_words(told):
    assert [one.sentence for one in told if not one.is_true and not one.seen] == []


def test_words_alone_blame_at_most_one_true_sentence_of_twenty(told):
    true = [one for one in told if one.is_true]
    assert 20 * sum(one.level == "none" or bool(one.missing) for one in true) <= len(true)
