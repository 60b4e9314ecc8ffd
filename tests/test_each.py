import pytest

from tests.each import each


def test_each_case_runs_in_a_folder_of_its_own_and_those_that_fail_are_named(tmp_path):
    seen = []

    @each(("number", "word"), [(1, "one"), (2, "two"), pytest.param(3, "3", id="the third"), (0, "none")])
    def check(tmp_path, number, word):
        seen.append((number, [*tmp_path.iterdir()]))
        (tmp_path / word).touch()
        assert number != 2
        with pytest.raises(ValueError, match=word):
            int(word)

    with pytest.raises(BaseExceptionGroup, match=r"^2 of 4 cases: 1 \(2, two\), the third") as failed:
        check(tmp_path=tmp_path)
    assert seen == [(1, []), (2, []), (3, []), (0, [])]
    assert [type(one) for one in failed.value.exceptions] == [AssertionError, pytest.fail.Exception]


def test_cases_in_cases_are_all_tried():
    seen = []

    @each("one", "ab")
    @each("other", [1, 2], ids=lambda number: f"number {number}")
    def check(one, other):
        seen.append((one, other))
        assert (one, other) != ("b", 1)

    with pytest.raises(BaseExceptionGroup, match=r"^1 of 2 cases: 1 \(b\)"):
        check()
    assert seen == [("a", 1), ("a", 2), ("b", 1), ("b", 2)]
