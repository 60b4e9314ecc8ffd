"""Runs side by side: in order of who waits for whom, in one stream, stopped together."""

import contextvars
import itertools
import threading
import time
from itertools import islice

import pytest

import explorer
from explorer import entities as e
from explorer import rdf
from explorer.dag import ProvenanceDag
from explorer.engines.agent.parallel import run_parallel
from explorer.errors import message_of
from explorer.events import Explain, Progress
from explorer.record.recovery import end_interrupted
from explorer.vocab import recognise
from tests.agent_runs import SEARCHED, described, drained, explains, leaves, note
from tests.corpus import QUESTIONS, filled
from tests.each import each
from tests.script import Script

SETTING = contextvars.ContextVar("SETTING", default="none")


def told(stage, number=0):
    return Progress(stage, number, 0)


@each("parallel", [1, 3])
def test_each_run_gives_its_value_under_its_number_with_what_the_caller_has_set(parallel):
    SETTING.set("chosen")

    def asking():
        yield told("b")
        return SETTING.get()

    seen, values = drained(run_parallel({0: run("a"), 2: asking, 1: run("c")}, {}, parallel))
    assert values == {0: "a", 1: "c", 2: "chosen"}
    assert sorted(event.stage for event in seen) == ["a", "a", "b", "c", "c"]
    assert parallel > 1 or [event.stage for event in seen] == ["a", "a", "c", "c", "b"]
    assert drained(run_parallel({}, {}, parallel)) == ([], {})


def run(stage):
    def events():
        for number in range(2):
            yield told(stage, number)
        return stage

    return events


@each("parallel", [1, 2, 5])
def test_a_run_begins_when_those_it_waits_for_have_ended(parallel):
    after = {0: frozenset({2}), 1: frozenset(), 2: frozenset({1}), 3: frozenset()}
    seen, _ = drained(run_parallel({key: run(str(key)) for key in range(4)}, after, parallel))
    order = [event.stage for event in seen]
    assert max(i for i, s in enumerate(order) if s == "1") < order.index("2")
    assert max(i for i, s in enumerate(order) if s == "2") < order.index("0")


def test_a_run_goes_on_only_when_its_event_was_taken():
    reached = []

    def careful():
        yield told("first")
        reached.append("second")
        yield told("second")

    events = run_parallel({0: careful, 1: careful}, {}, 2)
    next(events)
    time.sleep(0.15)
    assert reached == []
    drained(events)
    assert reached == ["second", "second"]


@each("parallel", [1, 3])
def test_what_a_run_raises_comes_out_and_ends_the_others(parallel):
    closed = []

    def failing():
        yield told("before")
        raise ValueError("this one failed")

    def endless():
        try:
            while True:
                yield told("on")
        finally:
            closed.append(True)

    with pytest.raises(ValueError, match="this one failed"):
        drained(run_parallel({0: failing, 1: endless, 2: endless}, {}, parallel))
    assert len(closed) == (0 if parallel == 1 else 2)


def test_closing_the_stream_closes_each_run():
    closed = []

    def endless():
        try:
            while True:
                yield told("on")
        finally:
            closed.append(threading.current_thread().name)

    events = run_parallel({0: endless, 1: endless}, {}, 2)
    next(events)
    next(events)
    events.close()
    assert len(closed) == 2


def stubborn():
    try:
        while True:
            yield told("on")
    finally:
        raise OSError("this one would not close")


def test_what_a_run_raises_when_it_is_stopped_is_a_note_to_what_stopped_it():
    def failing():
        yield told("before")
        yield told("after")
        raise ValueError("this one failed")

    with pytest.raises(ValueError, match="this one failed") as raised:
        drained(run_parallel({0: stubborn, 1: failing}, {}, 2))
    assert message_of(raised.value).startswith("ValueError: this one failed; while another run was stopped: OSError")


@each("parallel", [1, 2])
def test_what_a_run_raises_when_the_stream_is_closed_comes_out(parallel):
    events = run_parallel({0: stubborn, 1: stubborn}, {}, parallel)
    next(events)
    with pytest.raises(OSError, match="would not close"):
        events.close()


def test_closing_waits_for_runs_that_hang_no_longer_in_all_than_for_one():
    free = threading.Event()

    def hanging():
        yield told("on")
        free.wait(10)

    events = run_parallel(dict.fromkeys(range(5), hanging), {}, 5)
    for _ in range(5):
        next(events)
    begun = time.monotonic()
    events.close()
    assert time.monotonic() - begun < 2
    free.set()


GOALS = ("Who built the relief valve?", "b", "c")


def acting(asked):
    """A search for the first goal, a note for the others, and then an answer."""
    if asked.data["Steps"]:
        return f"Thought: enough\nFinal Answer: {asked.question} [1]."
    name, argument = called(asked.question)
    return f'Thought: look\nAction: {name}\nArgs: {{"{argument}": "{asked.question}"}}'


def called(goal):
    return ("knowledge-query", "question") if goal == GOALS[0] else ("note", "text")


def stepping(asked):
    goal = asked.data["Step"][0]["goal"]
    name, argument = called(goal)
    return {"tool": name, "arguments": {argument: goal}}


def working():
    """A model for both ways of working side by side."""
    plan = [{"goal": goal, "depends_on": [0] if goal == "c" else []} for goal in GOALS]
    return Script({
        **SEARCHED, "plan-create": [plan], "plan-step-execute": stepping, "plan-synthesise": "So it was [1].",
        "supervisor-decompose": [[*GOALS[:2]]], "agent-react": acting, "supervisor-synthesise": "So it was [1].",
    })  # fmt: skip


WAYS = ("plan-then-execute", "supervisor")
PATTERNS = each("pattern", WAYS)


@pytest.fixture(scope="module")
def ws():
    with filled() as made:
        made.chat = working()
        yield made


def asked(ws, pattern, parallel, tools=(note,)):
    return ws.ask(QUESTIONS[0], engine="agent", pattern=pattern, parallel=parallel, tools=[*tools])


def at_work():
    return [thread for thread in threading.enumerate() if thread.name == "agent"]


@each(("pattern", "parallel"), [("react", 1), *itertools.product(WAYS, (1, 4))])
def test_a_run_that_is_stopped_after_any_event_is_on_record_up_to_there(ws, pattern, parallel):
    whole = len(list(asked(ws, pattern, parallel)))
    assert whole > 20
    for taken in range(1 if parallel == 1 else 2, whole - 1, 2):
        stream = asked(ws, pattern, parallel)
        seen = list(islice(stream, taken))
        stream.close()
        assert at_work() == []
        failure = check_stopped(ws, seen, "stopped", thorough=taken % 20 < 2)
        assert pattern != "react" or failure.derived_from == (explains(seen)[-1].iri,)


def check_stopped(ws, seen, reason, *, thorough=True):
    """The record holds what was seen, is whole as far as it goes, and says where it was cut off; gives its failure."""
    trace = ws.traces.load(seen[0].iri)
    assert trace.reason == reason
    kept = [event.iri for event in explains(trace.events)]
    shown = [event.iri for event in seen if isinstance(event, Explain)]
    assert kept[: len(shown)] == shown
    assert [root.iri for root in trace.dag.roots] == [seen[0].iri]
    assert trace.dag.cycles == []
    [failure] = [one for one in described(trace.events, e.Failure) if one.iri.endswith(recognise(seen[0].iri).key)]
    assert failure.termination_reason == ("cancelled" if reason == "stopped" else None)
    assert failure.iri in leaves(ProvenanceDag().fold(trace.events))
    assert not thorough or rdf.validate(trace) == []
    return failure


def test_a_stopped_run_with_a_tool_that_hangs_lets_its_workspace_go(tmp_path):
    free = threading.Event()

    def hang(text: str) -> str:
        """Never come back."""
        free.wait(20)
        return text

    plan = [{"goal": goal, "depends_on": []} for goal in ("hang", "note")]
    with filled(tmp_path / "ws") as ws:
        ws.chat = Script({
            "plan-create": [plan],
            "plan-step-execute": lambda one: {"tool": one.data["Step"][0]["goal"], "arguments": {"text": "t"}},
        })  # fmt: skip
        stream = asked(ws, "plan-then-execute", 2, (note, hang))
        seen = []
        for event in stream:
            seen.append(event)
            if isinstance(event, Explain) and recognise(event.iri).kind == "step-result":
                break
        begun = time.monotonic()
        stream.close()
        assert time.monotonic() - begun < 2
    try:
        with explorer.open(tmp_path / "ws") as again:
            assert not again.read_only
            check_stopped(again, seen, "stopped")
            again.chat = working()
            assert again.run(QUESTIONS[0], engine="agent", pattern="supervisor", tools=[note]).reason == "done"
    finally:
        free.set()
        for thread in at_work():
            thread.join(5)
    assert at_work() == []


@pytest.mark.embedded("on servers opening ends no run, only the end of a lease does")
@PATTERNS
@each("parallel", [1, 4])
def test_a_run_that_no_one_goes_on_with_is_interrupted_at_the_next_opening(ws, pattern, parallel):
    stream = asked(ws, pattern, parallel)
    seen = list(islice(stream, 20))
    end_interrupted(ws.stores, ws.traces.clock)  # as each opening does
    check_stopped(ws, seen, "interrupted")
    stream.close()


@PATTERNS
def test_a_stream_that_is_dropped_is_stopped(ws, pattern):
    stream = asked(ws, pattern, 4)
    seen = list(islice(stream, 12))
    del stream
    assert at_work() == []
    check_stopped(ws, seen, "stopped")
