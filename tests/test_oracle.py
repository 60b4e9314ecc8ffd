"""A perfect model finds the evidence of the sample's questions in the prompt that it answers from."""

import shutil

import pytest

from benchmarks import oracle
from explorer.sample import demo


@pytest.fixture(scope="module")
def ws(tmp_path_factory, demo_folder):
    with demo(shutil.copytree(demo_folder, tmp_path_factory.mktemp("oracle") / "demo"), progress=False) as ws:
        yield ws


def test_the_last_prompt_holds_the_evidence_in_few_characters_and_calls(ws):
    measured = oracle.sample(ws, 32_768)
    assert sum(one.held for one in measured) >= 39
    assert sum(one.held == one.of for one in measured) >= 14
    assert max(one.characters for one in measured) <= 24_000
    assert {one.calls for one in measured} == {3}, "with the check"
    assert sum(one.tokens_out for one in measured) / len(measured) <= 500


def test_a_model_on_this_machine_is_called_as_often_as_any(ws):
    measured = oracle.sample(ws, 8_192, here=True)
    assert {one.calls for one in measured} == {3}, "with the check"
    assert sum(one.held for one in measured) >= 35


@pytest.mark.parametrize("context", [2_048, 4_096])
def test_a_small_context_holds_what_fits(ws, context):
    measured = oracle.sample(ws, context)
    assert max(one.characters for one in measured) <= 3 * context
    assert sum(one.held for one in measured) >= 10
