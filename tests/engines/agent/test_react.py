"""How an agent works step by step, and what is on record of each step."""

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from explorer import entities as e
from explorer.dag import ProvenanceDag
from explorer.engines.agent.functions import Report
from explorer.engines.agent.react import PARSE_ERROR
from explorer.engines.agent.session import Session
from explorer.engines.agent.tools import Evidence, Quotation, Tool
from explorer.engines.setting import Setting
from explorer.events import Explain, Text
from explorer.reasoning.agent_protocol import ToolSpec
from explorer.vocab import TG, recognise
from tests.corpus import with_corpus
from tests.each import each
from tests.script import Script, answers, asked, calls, check, explained, found

BUILT = calls("knowledge-query", "Who was it?", question="Who built the relief valve?")
OPENED = calls("document-query", "And the pressure?", question="At what pressure did the relief valve open?")
ws = with_corpus("module")


@pytest.fixture(scope="module")
def run(ws):
    """A search of the graph, one of the passages, a function that rests on both, and an answer from the first."""

    def compare(one: str, other: str) -> str:
        return f"{one} and {other}"

    last = calls("compare", "I compare.", (1, 2), one="a", other="b")
    answer = answers("Beech Aircraft built it [1][3]. It opened at 983 psi [2].", "Now I know.")
    events, chat = asked(ws, {"agent-react": [BUILT, OPENED, last, answer]}, tools=[compare])
    check(ws, events)
    return events, chat


def place(events, iri, kind=Explain):
    return next(at for at, event in enumerate(events)
                if isinstance(event, kind) and (event.iri if kind is Explain else event.node) == iri)  # fmt: skip


def test_a_thought_is_streamed_to_the_node_that_is_recorded_with_its_analysis(run):
    events, _ = run
    session = events[0].iri
    for number, thought in enumerate(["Who was it?", "And the pressure?", "I compare."], 1):
        node = f"{session}/i{number}/thought"
        assert "".join(event.delta for event in events if isinstance(event, Text) and event.node == node) == thought
        analysis = events[place(events, f"{session}/i{number}")]
        assert place(events, node, Text) < events.index(analysis)
        assert [content.data.decode() for content in analysis.contents if content.iri == node] == [thought]
        [told] = found([analysis], e.Thought)
        assert (told.iri, told.derived_from, told.document) == (node, (analysis.iri,), node)
    *_, last = found(events, e.Thought)
    assert (last.iri, last.derived_from) == (f"{session}/i4/thought", (f"{session}/final",))
    [conclusion] = found(events, e.Conclusion)
    assert (conclusion.in_token, conclusion.out_token) == (11, 7)
    assert conclusion.termination_reason == "final-answer"


def test_each_step_says_what_was_called_among_what_with_its_number_tokens_and_time(run):
    events, chat = run
    steps = found(events, e.Analysis)
    assert [step.step_number for step in steps] == [1, 2, 3]
    assert [step.action for step in steps] == ["knowledge-query", "document-query", "compare"]
    assert json.loads(steps[2].arguments) == {"one": "a", "other": "b"}
    offered = ("knowledge-query", "document-query", "text-completion", "sparql-query", "compare")
    for step in steps:
        assert step.tool_candidates == offered
        assert (step.in_token, step.out_token, step.model) == (11, 7, chat.name)
        assert (step.llm_duration_ms, step.duration_ms) == (1000, None)
        assert len(step.prompt) == len(step.reply) == 1


def test_a_search_within_hangs_below_its_analysis_and_leads_to_its_observation(run):
    events, _ = run
    session = events[0].iri
    graph, passages = found(events, e.GraphRagQuestion)[0], found(events, e.DocRagQuestion)[0]
    assert graph.derived_from == (f"{session}/i1",)
    assert passages.derived_from == (f"{session}/i2",)
    assert place(events, f"{session}/i1") < place(events, graph.iri)
    first, second, third = found(events, e.Observation)
    synthesis = [one.iri for one in found(events, e.Synthesis)]
    assert (first.derived_from, second.derived_from) == ((synthesis[0],), (synthesis[1],))
    assert third.derived_from == (f"{session}/i3",)


def test_a_step_derives_from_the_result_before_it_and_from_those_it_says_it_uses(run):
    events, _ = run
    session = events[0].iri
    parents = [step.derived_from for step in found(events, e.Analysis)]
    seen = [f"{session}/i{number}/observation" for number in (1, 2, 3)]
    assert parents == [(f"{session}/pattern-decision",), (seen[0],), (seen[1], seen[0])]
    assert ProvenanceDag().fold(events).graph.in_degree(f"{session}/i3") == 2


def test_marks_in_an_answer_give_parents_each_once_and_citations_down_to_the_words(run):
    events, _ = run
    session = events[0].iri
    [conclusion] = found(events, e.Conclusion)
    seen = [f"{session}/i{number}/observation" for number in (1, 2, 3)]
    assert sorted(conclusion.derived_from) == sorted(seen)
    assert conclusion.derived_from[0] == seen[2]
    dag = ProvenanceDag().fold(events)
    own = [one for one in found(events, e.Citation) if recognise(one.iri).key == recognise(session).key]
    text = dag.text(conclusion.iri)
    assert text == "Beech Aircraft built it. It opened at 983 psi."
    assert [text[one.start : one.end] for one in own] == ["Beech Aircraft built it.", "It opened at 983 psi."]
    passages = {key for event in explained(events) for key in event.passages}
    assert seen[2] in own[0].cites  # of a function nothing finer is known
    finer = [key for key in own[0].cites if key != seen[2]]
    assert {*finer, *own[1].cites} <= passages
    assert all(one.cites for one in own)
    assert events[-1].sources[0] in [p for event in explained(events) for p in event.passages.get(finer[0], ())]


def test_numbers_of_no_result_are_left_out(ws):
    replies = [calls("sparql-query", "x", (1, 7), query="ASK {}"), answers("So. [1][9] And [0].", "x", (5, 1))]
    events, _ = asked(ws, {"agent-react": replies})
    check(ws, events)
    assert found(events, e.Analysis)[0].derived_from == (f"{events[0].iri}/pattern-decision",)
    assert found(events, e.Conclusion)[0].derived_from == (f"{events[0].iri}/i1/observation",)


@each(("words", "expected"), [("Two.", ("b",)), ("One. Two", ("a", "b")), ("else", ("a", "b"))])
def test_behind_words_stand_the_sources_of_that_quotation_else_all(words, expected):
    result = Evidence("node", "One. Two.", (Quotation(0, 4, ("a",)), Quotation(5, 9, ("b",))))
    assert (*result.behind(words),) == expected
    assert (*Evidence("node", "One. Two.").behind(words),) == ("node",)


def test_a_text_of_the_bare_model_is_told_as_such_with_its_tokens_and_a_step_needs_no_thought(ws):
    replies = {"agent-react": ["Action: hello", calls("text-completion", prompt="Rephrase"), answers("So. [2]", "")],
               "text-completion": "Hm"}  # fmt: skip

    def hello() -> str:
        return "hello"

    events, _ = asked(ws, replies, tools=[hello])
    check(ws, events)
    first, seen = found(events, e.Observation)
    assert (first.error, found(events, e.Analysis)[0].thought) == (None, None)
    assert (seen.in_token, seen.out_token, seen.consulted) == (11, 7, ())
    assert seen.transformation == "completed by the model from the prompt alone"
    assert len(seen.prompt) == 1
    assert [one.iri for one in found(events, e.Thought)] == [f"{events[0].iri}/i2/thought"]


def test_a_run_that_is_killed_in_a_tool_has_the_analysis_on_record(ws):
    def killed(call):
        yield from ()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        asked(ws, {"agent-react": calls("stop", "I stop.")}, tools=[Tool(spec=ToolSpec("stop", "Stops"), run=killed)])
    trace = ws.traces.load(ws.traces.list(limit=1)[0].iri)
    assert trace.reason == "stopped"
    kinds = [type(step) for step in found(trace.events, e.Step)]
    assert kinds == [e.AgentQuestion, e.PatternDecision, e.Analysis, e.Thought, e.Failure, e.End]
    [failure] = found(trace.events, e.Failure)
    assert (failure.derived_from, failure.termination_reason) == ((f"{trace.iri}/i1",), "cancelled")


def test_what_a_tool_reports_is_on_its_observation_and_joined_to_the_passages(ws):
    chunk = next(quad.subject.value for quad in ws.graph.match(None, TG.chunkIndex))

    def weigh() -> Report:
        return Report(983, sources=[chunk, chunk], transformation="weighed", confidence=0.5)

    events, _ = asked(ws, {"agent-react": [BUILT, calls("weigh"), answers("983. [2]")]}, tools=[weigh])
    check(ws, events)
    seen = found(events, e.Observation)[1]
    assert (seen.consulted, seen.transformation, seen.confidence) == ((chunk,), "weighed", 0.5)
    assert seen.detail_level == "enhanced"
    told = next(event for event in explained(events) if event.iri == seen.iri)
    assert [passage.chunk for passage in told.passages[chunk]] == [chunk]
    assert any(passage.chunk == chunk for passage in events[-1].sources)


@each(
    ("reply", "said"),
    [
        ("", "it is empty"),
        ("I don't know.", "neither an action nor a final answer"),
        ("Thought: x\nAction: knowledge-query\nArgs: {broken", "can't be read"),
    ],
)
def test_a_reply_that_can_not_be_read_is_an_error_and_the_next_step_follows(ws, reply, said):
    """TrustGraph ends the session instead, where replies are streamed."""
    events, _ = asked(ws, {"agent-react": [reply, answers("Now.")]})
    check(ws, events)
    [step], [seen] = found(events, e.Analysis), found(events, e.Observation)
    assert (step.action, step.arguments) == (PARSE_ERROR, "{}")
    assert seen.error.startswith("LLM parse error: ")
    assert said in seen.error
    assert ProvenanceDag().fold(events).answer == "Now."


@each("size", [1, 50])
def test_white_space_lists_and_blank_lines_of_an_answer_are_kept_however_it_is_cut(ws, size):
    text = "It must be purely this:\n\n- one  two\n- three\n\n1. a\n\n   b}"
    events, _ = asked(ws, Script({"agent-react": answers(text)}, size=size))
    check(ws, events)
    assert ProvenanceDag().fold(events).answer == text


@each("question", ["  \n", 7, "<question>"])
def test_a_search_for_nothing_is_refused_and_makes_no_trace(ws, question):
    for name in ("knowledge-query", "document-query"):
        events, _ = asked(ws, {"agent-react": [calls(name, question=question), answers("So.")]})
        check(ws, events)
        assert found(events, e.Observation)[0].error == "the argument 'question' must be a text that asks something"
        assert len(found(events, e.Question)) == 1


def test_a_model_whose_replies_are_never_an_action_is_asked_three_times_or_until_steps_run_out(ws):
    """TrustGraph raises an error when steps run out, and has no terminal node."""
    events, chat = asked(ws, {"agent-react": "no form"})
    check(ws, events)
    assert chat.tasks() == ["agent-react"] * 3
    assert (events[-1].reason, found(events, e.Conclusion)[0].termination_reason) == ("error", "error")
    assert events[-1].error.startswith("3 replies in a row held neither an action nor an answer")
    assert ws.verify().faults == ()
    events, _ = asked(ws, {"agent-react": "no form"}, max_iterations=2)
    check(ws, events)
    [conclusion] = found(events, e.Conclusion)
    assert conclusion.termination_reason == "max-iterations"
    assert conclusion.derived_from == (f"{events[0].iri}/i2/observation",)
    assert (events[-1].reason, events[-1].sources) == ("error", ())
    assert events[-1].error.startswith("No answer within 2 steps")
    assert ProvenanceDag().fold(events).text(conclusion.iri) == events[-1].error


def test_the_same_call_over_and_over_is_not_made_again_where_its_result_is_the_same_and_the_steps_run_out(ws):
    events, chat = asked(ws, {"agent-react": BUILT}, max_iterations=6)
    check(ws, events)
    assert chat.tasks().count("agent-react") == 6
    assert chat.tasks().count("document-prompt") == 3
    errors = [seen.error for seen in found(events, e.Observation)]
    assert [bool(error) for error in errors] == [False, False, False, True, True, True]
    assert "was made 3 times in a row" in errors[-1]
    pages = iter(range(20))

    def turn() -> str:
        return f"page {next(pages)}"

    events, _ = asked(ws, {"agent-react": [*[calls("turn")] * 6, answers("Six. [6]")]}, tools=[turn])
    check(ws, events)
    assert [seen.error for seen in found(events, e.Observation)] == [None] * 6


def test_a_clock_that_is_put_back_makes_no_time_below_zero():
    early, late = datetime(2026, 1, 15, tzinfo=UTC), datetime(2026, 1, 16, tzinfo=UTC)
    setting = Setting(None, None, "s", lambda: early)
    assert Session(setting, calls=None).steps.since(late) == 0
    assert Session(replace(setting, clock=lambda: late), calls=None).steps.since(early) == 86_400_000
