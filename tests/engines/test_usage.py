"""What a run counts of its calls to a model."""

import pytest

from explorer.engines.usage import Calls, summed
from explorer.events import Usage
from explorer.reasoning.protocol import ModelCall
from explorer.vocab import iri


class Scripted:
    """A reasoner of which only its calls are asked; each batch is handed out once."""

    def __init__(self, *batches):
        self.batches = list(batches)

    def take_calls(self):
        return self.batches.pop(0) if self.batches else []


def call(number, usage):
    return ModelCall(f"prompt {number}", f"reply {number}", usage)


def test_a_sum_of_calls_skips_what_counted_none():
    assert summed([]) == Usage()
    assert summed([Usage(1, 2, "m"), Usage(3, 4, "n")]) == Usage(4, 6, "m, n", None)
    assert summed([Usage(1, 2, "m", 2), Usage(3, None, "m"), Usage(3, 0, None, 1)]) == Usage(7, None, "m", 3)


def test_a_step_and_a_run_count_their_calls():
    reasoner = Scripted([call(0, Usage(1, 2, "m")), call(1, Usage(3, 4, "m"))], [], [call(2, Usage(5, 6, "m"))])
    calls = Calls(reasoner, "s", keep=False)
    assert calls.usage.calls is None
    assert [calls.take().usage.calls for _ in range(3)] == [2, None, 1]
    assert calls.usage == Usage(9, 12, "m", 3)


def test_a_run_within_counts_towards_the_totals_and_no_step():
    reasoner = Scripted([call(0, Usage(1, 2, "m"))], [call(1, Usage(1, 1, "m"))])
    calls = Calls(reasoner, "s", keep=True)
    calls.take()
    calls.add(Usage(10, 20, "n", 4))
    calls.add(Usage())  # a search that asked no model leaves the totals known
    told = calls.take()
    assert told.usage == Usage(1, 1, "m", 1)
    assert told.prompts == (iri("prompt", "s", 1),)
    assert calls.usage == Usage(12, 23, "m, n", 6)


@pytest.mark.parametrize("known", [Usage(calls=1), Usage(3, None, "m")])
def test_what_is_not_known_of_a_run_within_is_not_known_of_the_whole(known):
    calls = Calls(Scripted([call(0, Usage(1, 2, "m"))]), "s", keep=False)
    calls.take()
    calls.add(known)
    assert calls.usage.out_token is None
