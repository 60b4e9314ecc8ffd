"""Means and medians with their 95 % intervals."""

import numpy as np
import pytest

from explorer.evaluation.measures import estimate


def test_without_values_there_is_nothing_to_say():
    assert estimate([]) is None


def test_an_interval_holds_the_mean_and_is_the_same_each_time():
    values = [float(value) for value in np.random.default_rng(1).normal(50, 10, 200)]
    found = estimate(values)
    assert found == estimate(values)
    assert found.value == pytest.approx(np.mean(values))
    assert found.high - found.low == pytest.approx(2 * 1.96 * np.std(values) / np.sqrt(200), rel=0.1)


def test_the_interval_holds_the_truth_in_about_95_of_100_samples():
    chance = np.random.default_rng(3)
    found = [estimate([*100.0 * (chance.random(60) < 0.7)], top=100) for _ in range(200)]
    assert 0.90 <= np.mean([one.low <= 70 <= one.high for one in found]) <= 0.99


def test_of_a_share_without_exception_the_interval_is_exact():
    assert estimate([100.0] * 20, top=100).low == pytest.approx(83.2, abs=0.1)
    assert estimate([0.0] * 20, top=100).high == pytest.approx(16.8, abs=0.1)
    assert estimate([100.0] * 20, top=100).high == 100


def test_a_median_is_no_mean():
    found = estimate([1.0, 2.0, 3.0, 4.0, 1000.0], median=True)
    assert found.value == 3
    assert found.low <= 3 <= found.high
