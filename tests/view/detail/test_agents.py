"""What the detail panel says of an agent's nodes, from records made here."""

import json

from explorer import entities as e
from explorer.dag import ProvenanceDag
from explorer.events import Text
from explorer.view.run import stages
from explorer.vocab import iri
from explorer.wording.graph_words import NodeWords
from tests.each import each
from tests.strategies import step

ASKED, DECIDED, ANALYSIS, SEEN = (
    iri("agent-question", "a"), iri("pattern-decision", "a"), iri("analysis", "a", 1), iri("observation", "a", 1),
)  # fmt: skip


def told(node, *events):
    """The heading of a node's panel and its rows by label, in words."""
    dag = ProvenanceDag().fold(events)
    panel = NodeWords(dag)
    rows = panel.rows(dag.node(node))
    json.dumps(rows).encode()  # can be sent to the page
    return panel.heading(dag.node(node)), {
        row.get("label", row["k"]): [item["text"] for item in row["items"]] if "items" in row else row.get("text")
        for row in rows
    }


def asked(**more):
    return step(e.AgentQuestion(iri=ASKED, query="Why?", engine="agent/1", **more), 0)


def called(**more):
    given = {"action": "count", "arguments": '{"word": "valve", "at_most": [3]}', "step_number": 1} | more
    return step(e.Analysis(iri=ANALYSIS, derived_from=(ASKED,), **given), 1)


def test_a_step_says_what_it_called_out_of_what_and_why():
    thought = iri("thought", "a", 1)
    event = called(
        tool_candidates=("count", "search"), thought=thought, llm_duration_ms=1234, rule="the first that fits"
    )
    reflection = step(e.Thought(iri=thought, derived_from=(ANALYSIS,), document=thought), 2)
    heading, said = told(ANALYSIS, asked(), Text(thought, "thought", "Let me count."), event, reflection)
    assert heading == "Step 1"
    assert said["Step"] == "1"
    assert said["Thought"] == "Let me count."
    assert said["Tool called"] == "count"
    assert said["Called with"] == ["word: valve", "at_most: [3]"]
    assert said["Chosen from"] == ["count", "search"]
    assert said["The model took"] == "1.2 s"
    assert said["Rule"] == "the first that fits"


@each(
    ("arguments", "said"),
    [("{}", "no arguments"), (None, None), ("[1]", "[1]"), ("not JSON", "not JSON"), ("[" * 100_000, "[" * 100_000),
     ('{"a": "\\ud800"}', ["a: ?"]), ('{"a": ' + "9" * 5000 + "}", '{"a": ' + "9" * 5000 + "}")],
)  # fmt: skip
def test_arguments_of_any_form_are_told(arguments, said):
    _, rows = told(ANALYSIS, asked(), called(arguments=arguments))
    assert rows.get("Called with") == said


def test_a_result_says_how_it_came_about_and_of_which_call():
    seen = e.Observation(
        iri=SEEN, derived_from=(iri("synthesis", "inner"),), document=SEEN, tool_duration_ms=8,
        detail_level="enhanced", consulted=(ASKED, "urn:chunk:c7", "https://example.org/book"),
        transformation="counted the words", confidence=0.5, leaked="tool-count-1",
    )  # fmt: skip
    heading, said = told(SEEN, asked(), called(), Text(SEEN, "observation", "Three."), step(seen, 2))
    assert heading == "Result 1"
    assert said["What came back"] == "Three."
    assert (said["Tool"], said["Called with"]) == ("count", ["word: valve", "at_most: [3]"])
    assert said["The tool took"] == "8 ms"
    assert said["How it came to this"] == "the tool reported how it came to this"
    assert said["Read for it: 3 sources"] == ["Question", "chunk c7", "book"]
    assert said["What it did"] == "counted the words"
    assert said["How sure it was"] == "0.50 of 1"
    assert said["Given up on"] == "its thread tool-count-1 never returned"


def test_a_tool_that_tells_nothing_is_said_to_tell_nothing():
    seen = e.Observation(iri=SEEN, derived_from=(ANALYSIS,), detail_level="basic", error="division by zero")
    _, said = told(SEEN, asked(), called(), step(seen, 2))
    assert said["How it came to this"] == "the tool reported nothing of how it came to this"
    assert said["trouble"] == "division by zero"
    assert "How sure it was" not in said


def test_a_plan_its_results_and_the_parts_of_a_team_have_words_of_their_own():
    plan, done, split, found = (
        iri("plan", "a"), iri("step-result", "a", 0), iri("decomposition", "a"), iri("finding", "a", 0),
    )  # fmt: skip
    events = [
        asked(),
        step(e.PatternDecision(iri=DECIDED, derived_from=(ASKED,), pattern="plan-then-execute", task_type="how"), 1),
        step(e.Plan(iri=plan, derived_from=(DECIDED,), steps=("x", "y"), ordered=["y", "x", "y"], rule="r"), 2),
        step(e.StepResult(iri=done, derived_from=(plan,), goal="y", tool="count", arguments='{"n": 1}'), 3),
        step(e.Decomposition(iri=split, derived_from=(ASKED,), goals=("p",)), 4),
        step(e.Finding(iri=found, derived_from=(split,), goal="p", termination_reason="declined"), 5),
    ]
    assert told(DECIDED, *events)[1]["Strategy"] == "plan first"
    assert told(plan, *events)[1]["In this order"] == ["y", "x", "y"]
    heading, said = told(done, *events)
    assert (heading, said["Tool"], said["Called with"]) == ("Step result 1", "count", ["n: 1"])
    assert told(split, *events)[1]["One agent for each"] == ["p"]
    assert told(found, *events)[1]["Ended because"] == "declined: no answer was found"


def test_an_agent_concludes_in_its_own_name():
    end = iri("conclusion", "a")
    concluded = e.Conclusion(iri=end, derived_from=(ASKED,), termination_reason="final-answer", model="m")
    heading, said = told(end, asked(), Text(end, "answer", "Because."), step(concluded, 1))
    assert (heading, said["text"], said["Ended because"]) == ("Answer", "Because.", "it had its answer")


@each(
    ("error", "why", "heading", "ended", "line"),
    [
        ("no room", "error", "What went wrong", "It failed; the run could not go on.", "Failed: no room"),
        (e.STOPPED, "cancelled", "Where it was stopped", None, e.STOPPED),
        ("Stopped by hand.", "cancelled", "Where it was stopped", "Stopped on request.", "Stopped by hand."),
        (e.CUT_OFF, None, "Where it was cut off",
         "The program ended before the run did.", e.CUT_OFF),
    ],
)  # fmt: skip
def test_where_a_run_broke_off_is_told_in_its_own_words(error, why, heading, ended, line):
    node = iri("failure", "a")
    failure = step(e.Failure(iri=node, derived_from=(ASKED,), error=error, termination_reason=why), 1)
    found, said = told(node, asked(), failure)
    assert (found, said["trouble"], said.get("How it ended")) == (heading, error, ended)
    assert "on record" in said["What there is"]
    assert said["What to do"].startswith("Ask again")
    dag = ProvenanceDag().fold([asked(), failure])
    assert stages.log_lines(dag, (dag.node(node),)) == [("Failure", line)]
