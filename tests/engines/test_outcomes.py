"""What a check says is on record; an answer that rests on nothing is not found; no such run is blamed."""

import json

import pytest

from explorer import entities as e
from explorer.engines.outcomes import RESTS_ON_NOTHING
from explorer.errors import ModelError
from tests.corpus import filled
from tests.script import Script

QUESTION = "Who built the relief valve?"
TRUE = "Beech Aircraft built the relief valve [1]."


def asked(check, answer=TRUE, **options):
    with filled() as ws:
        ws.chat = Script({"document-prompt": answer, "check": check})
        ws.check = options.get("checked", True)
        trace = ws.run(QUESTION, "document-rag")
        [said] = [one for one in trace.dag.entities.values() if isinstance(one, e.Synthesis)]
        return trace, said, ws.verify().faults


def verdict(word):
    return json.dumps({"items": [{"n": 1, "verdict": word}]})


@pytest.mark.parametrize(("word", "outcome"), [("supported", "answered"), ("partly", "unsure"), ("not", "not found")])
def test_the_check_decides_how_an_answer_came_out(word, outcome):
    _, said, faults = asked(verdict(word))
    assert (said.check, said.outcome, faults) == ("done", outcome, ())


def test_an_answer_that_rests_on_nothing_stands_beside_what_the_documents_say():
    trace, said, faults = asked(verdict("not"))
    assert trace.outcome == "not found"
    assert said.termination_reason == trace.reason == "declined"
    assert trace.answer.startswith("Beech Aircraft built the relief valve.")
    assert RESTS_ON_NOTHING in trace.answer
    assert faults == ()


@pytest.mark.parametrize(
    "check", ["no verdict", '{"n": 1, "verdict": "<supported, partly or not>"}', ModelError("away")]
)
def test_a_check_that_fails_is_not_done_and_says_so(check):
    _, said, faults = asked(check)
    assert said.check.startswith("not done: ")
    assert faults == ()


def test_a_sentence_without_a_source_is_no_fault():
    _, said, faults = asked(verdict("supported"), f"{TRUE} Everybody knows that Paris is in France.")
    assert (said.outcome, faults) == ("unsure", ())
