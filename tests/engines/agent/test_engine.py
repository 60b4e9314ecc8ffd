"""Whole runs of agents: how they end whatever fails, what they add up to, and what can be done with their record."""

import json
from hashlib import sha256

import pytest

from explorer import entities as e
from explorer import rdf
from explorer.dag import ProvenanceDag
from explorer.engines.agent.functions import Report
from explorer.errors import ModelError
from explorer.events import Done, Usage
from explorer.record.trace import Trace
from explorer.trustgraph import messages as trustgraph
from explorer.vocab import TG, X, recognise
from tests.corpus import filled, with_corpus
from tests.each import each
from tests.script import SEARCHED, Script, answers, asked, calls, check, explained, found
from tests.trustgraph.written import messages

BUILT = calls("knowledge-query", question="Who built the relief valve?")
OPENED = calls("document-query", question="At what pressure did the relief valve open?")
STEPS = [BUILT, calls("double", number=4), OPENED, answers("Beech built it [1]. It opened at 983 psi [3].")]
REACT = {"agent-react": STEPS}
FAILED = {"agent-react": [BUILT, answers("So it is. [1]")]}


def double(number: int) -> int:
    return 2 * number


ws = with_corpus("module")


def quads(events):
    return [quad for event in explained(events) for quad in event.triples]


class Broken(Script):
    """Fails at one of its calls, before it says anything or after half of it."""

    def __init__(self, replies, at, error, begun=False):
        super().__init__({**SEARCHED, **replies})
        self.at, self.error, self.begun = at, error, begun

    def complete(self, messages, *, schema=None):
        fails = len(self.asked) + 1 == self.at
        for piece in super().complete(messages, schema=schema):
            if fails and (not self.begun or isinstance(piece, Usage)):
                raise self.error
            yield piece


TASKS = ("extract-concepts", "kg-edge-scoring", "kg-edge-reasoning")
CALLS = 7  # of the run above: four steps, the searches between


@each(
    ("error", "begun"),
    [
        (ModelError("The model is away."), False),
        (ModelError("It is away."), True),
        (RuntimeError("out of order"), True),
    ],
)
@each("at", range(1, CALLS + 1))
def test_a_run_ends_once_and_is_on_record_whichever_call_fails(ws, at, error, begun):
    events, chat = asked(ws, Broken(REACT, at, error, begun), tools=[double])
    task = chat.asked[at - 1].task
    own = task == "agent-react"
    if task in {*TASKS, "passage-scoring"} and isinstance(error, ModelError):  # without its reply there is another way
        assert found(events, e.Failure) == []
        check_ended(ws, events, own=False)
        return
    check_ended(ws, events, own)
    assert at % 2 or begun or rdf.validate(quads(events)) == []
    if task == "passage-selection" and isinstance(error, ModelError):  # the nearest passages answer instead
        assert [str(error) in one.rule for one in found(events, e.Focus) if one.rule][:1] == [True]
        return
    said = str(error) if isinstance(error, ModelError) else "RuntimeError: out of order"
    [failure] = found(events, e.Failure)
    assert (failure.error, failure.termination_reason) == (said, "error")
    assert own == (recognise(failure.iri).key == recognise(events[0].iri).key)
    if not own:
        [seen] = [one for one in found(events, e.Observation) if one.error]
        assert (seen.error, seen.derived_from) == (said, (failure.iri,))
        assert events[-1].usage.calls == len(chat.asked)


def check_ended(ws, events, own):
    assert (events[-1].reason, found(events, e.End)[-1].reason) == (("error",) * 2 if own else ("done",) * 2)
    assert [type(event) for event in events].count(Done) == 1
    dag = ProvenanceDag().fold(events)
    assert ([root.iri for root in dag.roots], dag.cycles) == ([events[0].iri], [])
    again = list(ws.traces.replay(events[0].iri))
    assert [event.iri for event in explained(again)] == [event.iri for event in explained(events)]
    assert set(quads(again)) == set(quads(events))
    assert (again[-1].reason, again[-1].error, again[-1].usage) == (
        events[-1].reason, events[-1].error, events[-1].usage)  # fmt: skip


WAYS = [*(("reasoning", task) for task in TASKS), ("passages", "document-prompt")]


@each("error", [ModelError("The model is away."), RuntimeError("out of order")])
@each(("selector", "task"), WAYS)
def test_a_call_that_fails_in_a_search_is_one_that_the_agent_goes_on_from(ws, selector, task, error):
    events, chat = asked(ws, {**FAILED, task: error}, selector=selector)
    check(ws, events)
    assert ProvenanceDag().fold(events).answer == "So it is."
    assert events[-1].usage == Usage(None, None, chat.name, len(chat.asked))
    assert rdf.validate(quads(events)) == []
    assert events[-1].sources == () or task != "document-prompt"


def test_what_a_function_consulted_is_a_source_also_without_any_search(ws):
    chunk = next(quad.subject.value for quad in ws.graph.match(None, TG.chunkIndex))

    def weigh() -> Report:
        return Report(983, sources=[chunk])

    events, _ = asked(ws, {"agent-react": [calls("weigh"), answers("983. [1]")]}, tools=[weigh])
    assert [passage.chunk for passage in events[-1].sources] == [chunk]
    check(ws, events)


@each("reply", ["", ModelError("The model is away."), RuntimeError("out of order")])
def test_a_text_that_the_bare_model_does_not_give_is_an_error_of_that_step(ws, reply):
    replies = {"agent-react": [calls("text-completion", prompt="Go"), answers("So.")], "text-completion": reply}
    events, chat = asked(ws, replies)
    check(ws, events)
    assert found(events, e.Observation)[0].error in ("the model gave an empty reply", "The model is away.",
                                                     "RuntimeError: out of order")  # fmt: skip
    assert events[-1].usage.calls == len(chat.asked) == 3


# totals


def test_the_totals_are_those_of_all_calls_also_of_the_searches_within(ws):
    """TrustGraph tells the tokens of the last step alone."""
    events, chat = asked(ws, Script({**SEARCHED, **REACT}, usage=lambda asked: (len(asked.task), 3)), tools=[double])
    check(ws, events)
    expected = sum(len(one.task) for one in chat.asked)
    used = events[-1].usage
    assert used == Usage(expected, 3 * CALLS, chat.name, CALLS)
    assert ws.traces.load(events[0].iri).usage == Trace(events).usage == used
    steps = [step for step in found(events, e.Step) if step.prompt and not isinstance(step, e.End)]
    assert sum(step.in_token for step in steps) == expected
    assert sum(len(step.prompt) for step in steps) == CALLS


def test_without_a_model_there_are_no_tokens_and_no_calls(ws):
    ws.chat = None
    for pattern in (None, "react"):
        events = list(ws.ask("Who built the relief valve?", "agent", pattern=pattern))
        check(ws, events)
        assert events[-1].usage == Usage()
        assert events[-1].reason == "done"
        assert rdf.validate(quads(events)) == []


# the record


def test_prompts_and_replies_are_kept_as_hashes_alone_when_asked_to():
    with filled(record_prompts=False) as ws:
        replies = {"agent-react": [BUILT, calls("text-completion", prompt="Go"), *STEPS[1:]], "text-completion": "Hm"}
        events, chat = asked(ws, replies, tools=[double])
        check(ws, events)
        steps = [step for step in found(events, e.Step) if step.prompt]
        named = [iri for step in steps for iri in (*step.prompt, *step.reply)]
        assert len(named) == len(set(named)) == 2 * len(chat.asked)
        hashed = {quad.subject.value: quad.object.value for quad in quads(events) if quad.predicate == X.sha256}
        assert hashed.keys() >= set(named)
        assert sha256(b"Hm").hexdigest() in {hashed[iri] for step in steps for iri in step.reply}
        stored = {content.iri for event in explained(events) for content in event.contents}
        assert not stored & set(named)


@pytest.mark.parametrize("compat", [None, "trustgraph"])
def test_a_run_written_as_messages_is_read_again(ws, compat):
    events, _ = asked(ws, REACT, tools=[double])
    written = json.loads(json.dumps(list(messages(events, "agent", compat))))
    again = list(trustgraph.events(written))
    assert [type(event) for event in again].count(Done) == 1
    assert again[-1].reason == "done"
    assert (again[-1].usage.in_token, again[-1].error) == (events[-1].usage.in_token, None)
    before, after = ProvenanceDag().fold(events), ProvenanceDag().fold(again)
    assert after.answer == before.answer
    assert [root.iri for root in after.roots] == [events[0].iri]
    if compat is None:
        assert set(quads(again)) == set(quads(events))
        assert after.texts == before.texts


def test_the_same_run_leaves_the_same_bytes():
    def record():
        with filled() as ws:
            return ws.export(Trace(asked(ws, REACT, tools=[double])[0]), "nq")

    assert record() == record()


def test_a_search_within_an_agent_looks_at_facts_alone_however_much_is_on_record():
    """TrustGraph 2.11.1 walks over the records of earlier runs too."""
    with filled() as ws:
        kept = []
        for _ in range(2):
            events, _ = asked(ws, FAILED)
            check(ws, events)
            kept.append([str(one.edge) for one in found(events, e.EdgeSelection)])
        assert kept[0] == kept[1]
        assert kept[0]
