"""Which tools are offered, and what comes of calling one, whatever it does."""

import threading

import pytest

from explorer import entities as e
from explorer.dag import ProvenanceDag
from explorer.engines.agent.tools import HANGS, Call, Tool, Toolbox, ToolResult, failed
from explorer.errors import RecordError
from explorer.reasoning.agent_protocol import ToolSpec
from explorer.stores.database import AwayError
from tests.corpus import with_corpus
from tests.each import each
from tests.script import answers, asked, calls, check, explained, found

CALL = Call({}, "urn:x:node", 1.0)
SHORT = 0.2
ws = with_corpus("module")


@pytest.fixture
def gate():
    """What tools wait at that hang; open in the end, so that no thread is left."""
    event = threading.Event()
    yield event
    event.set()


def gives(text, error=None):
    def run(call):
        yield from ()
        if isinstance(error, BaseException):
            raise error
        return failed(error) if error else ToolResult(text=text)

    return run


def made(name, error=None, **options):
    return Tool(spec=ToolSpec(name, f"Gives {name}"), run=gives(name, error), **options)


def called(box, name):
    """The result of a call, drained."""
    work = box.call(name, CALL)
    while True:
        try:
            next(work)
        except StopIteration as end:
            return end.value


def names(box):
    return [tool.name for tool in box.offered()]


GROUPED = [made("a"), made("b", groups=("numbers",)), made("c", groups=("default", "numbers")), made("d", groups=())]


@each(
    ("groups", "expected"),
    [(("default",), "ac"), (("default", "numbers"), "abc"), ((), ""), (("*",), "abcd"), (("d",), "d"),
     (("numbers", "a"), "abc")],
)  # fmt: skip
def test_tools_of_the_groups_asked_for_are_offered_in_the_order_given(groups, expected):
    assert "".join(names(Toolbox(GROUPED, groups))) == expected
    assert names(Toolbox(GROUPED)) == ["a", "c"]


STATED = [
    made("begin", applicable_states=("undefined",), state="b"),
    made("go", applicable_states=("b",)),
    made("fail", "no luck", applicable_states=("b",), state="c"),
    made("raise", ValueError("no luck"), applicable_states=("b",), state="c"),
    made("end", applicable_states=("b",), state="c"),
    made("rest", applicable_states=("*",)),
]


def test_a_tool_sets_the_state_in_which_others_are_offered():
    box = Toolbox(STATED)
    assert names(box) == ["begin", "rest"]
    assert called(box, "go").error.startswith("tool 'go' not found; there are: begin, rest")
    within = ["go", "fail", "raise", "end", "rest"]
    for name, offered in (("rest", ["begin", "rest"]), ("begin", within), ("go", within), ("end", ["rest"])):
        called(box, name)
        assert names(box) == offered
    assert names(Toolbox(STATED, state="none")) == ["rest"]


def test_a_tool_that_fails_leaves_the_state_and_a_sub_agent_has_its_own_and_shares_what_hangs():
    box = Toolbox(STATED, state="b")
    for name in ("fail", "raise"):
        assert called(box, name).error
        assert box.state == "b"
    other = box.copy()
    called(other, "end")
    assert (box.state, other.state) == ("b", "c")
    other.hangs["rest"] = HANGS
    assert "rest" not in names(box)


@each(
    ("error", "said"),
    [(ValueError("no luck"), "ValueError: no luck"), (KeyError(), "KeyError"), (RecordError("Look."), "Look.")],
)
def test_whatever_a_tool_raises_is_its_result(error, said):
    result = called(Toolbox([made("a", error)]), "a")
    assert (result.error, result.text) == (said, f"Error: {said}")


def test_an_interrupt_and_a_server_that_is_away_are_no_result_from_which_an_agent_goes_on():
    with pytest.raises(KeyboardInterrupt):
        called(Toolbox([made("a", KeyboardInterrupt())]), "a")
    with pytest.raises(AwayError, match="see whether it runs"):
        called(Toolbox([made("away", AwayError("db can't be reached; see whether it runs."))]), "away")


# what an agent sees of it


def one_call(ws, function, reply=None, more=(), **options):
    """The Observation of one call of a function, checked with all of its run; and all events."""
    name = function.__name__
    replies = {"agent-react": [reply or calls(name), *more, answers("So it is. [1]")]}
    events, chat = asked(ws, replies, tools=[function], **options)
    check(ws, events)
    assert events[-1].reason == "done"
    return found(events, e.Observation)[0], events, chat


def observed(events, observation):
    return ProvenanceDag().fold(events).text(observation.iri)


def test_a_tool_that_raises_is_an_error_that_the_agent_goes_on_from(ws):
    def broken() -> str:
        raise ValueError("no luck")

    seen, events, chat = one_call(ws, broken)
    assert seen.error == "no luck"
    assert observed(events, seen) == "Error: no luck"
    assert '"failed": true' in chat.asked[-1].text
    triples = {str(quad.object) for event in explained(events) if event.iri == seen.iri for quad in event.triples}
    assert "<https://trustgraph.ai/ns/Error>" in triples


def test_a_tool_that_hangs_twice_is_no_longer_offered(ws, gate):
    def hang(turn: int) -> str:
        gate.wait(10)
        return "late"

    more = [calls("hang", turn=number) for number in (2, 3)]
    seen, events, chat = one_call(ws, hang, calls("hang", turn=1), more, tool_timeout=SHORT)
    assert "did not come back within 0.2 s" in seen.error
    assert seen.leaked == "tool hang"
    assert "late" not in observed(events, seen)
    offered = ["hang" in analysis.tool_candidates for analysis in found(events, e.Analysis)]
    assert offered == [True, True, False]
    errors = [observation.error for observation in found(events, e.Observation)]
    assert "switched off for this run, as it did not come back 2 times" in errors[2]
    assert [one["name"] == "hang" for asked in chat.asked[1:3] for one in asked.data["Tools"]].count(True) == 1
    assert not any(one["name"] == "hang" for one in chat.asked[3].data["Tools"])


def test_an_unknown_tool_is_told_with_those_there_are(ws):
    def known() -> str:
        return "x"

    seen, events, _ = one_call(ws, known, calls("unknown", x=1))
    assert seen.error.startswith("tool 'unknown' not found; there are: knowledge-query, document-query, ")
    [analysis] = found(events, e.Analysis)
    assert (analysis.action, analysis.arguments) == ("unknown", '{"x": 1}')


def test_only_tools_of_the_groups_asked_for_are_told_to_the_model(ws):
    def known() -> str:
        return "x"

    for groups, expected in ((("known", "document-query"), ["document-query", "known"]), ((), [])):
        events, chat = asked(ws, {"agent-react": answers("So.")}, tools=[known], groups=groups)
        check(ws, events)
        assert [one["name"] for one in chat.asked[0].data.get("Tools", [])] == expected
        told = found(events, e.AgentQuestion)[0].parameters
        assert (told["tools"][-1], told["groups"]) == ("known", list(groups))
