import json
import re

import pytest
from pyoxigraph import Literal, NamedNode, Triple

from explorer import entities as e
from explorer.cli import common, lines
from explorer.cli.json import json_text, run_json
from explorer.cli.options import At
from explorer.cli.runs import listing_lines
from explorer.events import Done, Explain, Usage
from explorer.record.trace import Trace
from explorer.record.traces import TraceSummary
from explorer.vocab import entity_iri, iri
from explorer.wording import outcomes
from explorer.wording.tally import tally
from tests.corpus import QUESTIONS, shared
from tests.each import each
from tests.strategies import passage, step

HOSTILE = "\x1b]0;owned\x07<img src=x onerror=alert(1)>\u202e\nsecond\x9b31m"
EDGE = Triple(NamedNode(entity_iri("tank")), NamedNode(entity_iri("is")), Literal(HOSTILE))
OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@pytest.fixture(autouse=True)
def no_workspace_in_use():
    common.use(At())  # one that a command of another test was about


@pytest.fixture(scope="module")
def trace():
    return shared().run(QUESTIONS[1])


def staged(trace):
    return [line for event in trace.events if isinstance(event, Explain) for line in lines.step_lines(event)]


def test_each_stage_says_what_it_holds(trace):
    said = "\n".join(staged(trace))
    assert f"    Question: {QUESTIONS[1]}\n    Time: 2026-01-15T1" in said
    assert "    Key ideas: " in said
    assert re.search(r"    Facts looked at: \d+\n    Starting from: \d+\n      - ", said)
    assert f"    Kept: {len(trace.edges)} fact" in said
    assert re.search(r"      Fact: \(heater switches, .*\)\n.*  Reason: Its sentence is quoted\. ", said, re.DOTALL)
    source = trace.passages[trace.edges[0].iri][0]
    assert f"        Source: {source.place}" in said
    assert f"    Document: {iri('answer', trace.iri.rsplit(':', 1)[1])}" in said


def test_a_failure_says_its_error_and_an_edge_that_it_has_no_source():
    event = step(e.Failure(iri=iri("failure", "s"), error="no\nroom"), 1)
    assert list(lines.step_lines(event)) == [f"[failure] {iri('failure', 's')}", "    Error: no room"]
    stopped = e.Failure(iri=iri("failure", "s"), error=e.STOPPED, termination_reason="cancelled", duration_ms=40)
    assert list(lines.step_lines(step(stopped, 1)))[1:] == [
        "    Error: Stopped on request.", "    Ended: cancelled", "    Took: 40 ms",
    ]  # fmt: skip
    shown = list(lines.selection_lines(e.EdgeSelection(iri="urn:e:1", edge=EDGE), Explain("urn:e:1", ())))
    assert shown[-1] == "  Source: no recorded source"
    assert not any("Score" in line or "Reason" in line for line in shown)


def test_a_step_of_an_agent_says_what_it_called_out_of_what():
    analysis = e.Analysis(
        iri=iri("analysis", "a", 2), action="knowledge-query", arguments='{"question": "Why?"}', step_number=2,
        tool_candidates=("count", "knowledge-query"), llm_duration_ms=1234, rule="first that fits", duration_ms=1300,
    )  # fmt: skip
    assert list(lines.step_lines(step(analysis, 1))) == [
        f"[analysis: knowledge-query] {iri('analysis', 'a', 2)}",
        "    Step: 2",
        "    Chosen from: 2",
        "      - count",
        "      - knowledge-query",
        '    Arguments: {"question": "Why?"}',
        "    Model took: 1.2 s",
        "    Rule: first that fits",
        "    Took: 1.3 s",
    ]


REPORTED = {
    "detail_level": "enhanced", "consulted": ("urn:chunk:a", "urn:chunk:b"), "transformation": "counted\nthem",
    "confidence": 0.5, "leaked": "tool-count-1",
}  # fmt: skip
TOLD = [
    "    Detail: enhanced", "    Consulted: 2", "      - urn:chunk:a", "      - urn:chunk:b",
    "    Transformation: counted them", "    Confidence: 0.5000", "    Never came back: tool-count-1",
]  # fmt: skip


def test_the_result_of_a_tool_says_how_it_came_about():
    seen = e.Observation(iri=iri("observation", "a", 1), tool_duration_ms=8, error="no answer", **REPORTED)
    assert list(lines.step_lines(step(seen, 1)))[1:] == ["    Tool took: 8 ms", *TOLD, "    Error: no answer"]
    result = e.StepResult(iri=iri("step-result", "a", 0), goal="count", tool="count", arguments="{}", **REPORTED)
    assert list(lines.step_lines(step(result, 1)))[1:] == [
        "    Goal: count",
        "    Tool: count",
        "    Arguments: {}",
        *TOLD,
    ]
    bare = e.Observation(iri=iri("observation", "a", 1), detail_level="basic")
    assert list(lines.step_lines(step(bare, 1)))[1:] == ["    Detail: basic"]


@each(
    ("done", "said"),
    [
        (None, "Tokens: none reported; model: none"),
        (Done("done", Usage(1013, 381, "m", 9), duration_ms=1234),
         "Tokens: 1,013 in, 381 out; calls: 9; time: 1.2 s; model: m"),
        (Done("done", Usage(None, 3, "m")), "Tokens: 3 out; model: m"),
        (Done("error", Usage(model="\x1b[1mm\nn"), duration_ms=0), "Tokens: none reported; time: 1 ms; model: [1mm n"),
    ],
)  # fmt: skip
def test_the_totals_of_a_run_are_told_as_far_as_they_are_known(done, said):
    asked = step(e.GraphRagQuestion(iri=iri("question", "s"), query="Why?"), 0)
    trace = Trace([asked, done] if done else [asked])
    assert list(lines.usage_lines(trace)) == ["", said]
    known = {"in_token": 1013, "out_token": 381, "model": "m", "calls": 9, "duration_ms": 1234}
    if done and done.duration_ms == 1234:
        assert json.loads(run_json(trace))["usage"] == known


def test_the_answer_numbers_its_sources(trace):
    said = list(lines.answer_lines(trace))
    assert re.sub(r" \[\d+\]", "", said[0]) == trace.answer
    numbers = {int(number) for number in re.findall(r"\[(\d+)\]", said[0])}
    assert numbers == set(range(1, max(numbers) + 1))
    assert said.pop(1) == f"({outcomes.line(trace.dag)})"
    assert said[1:3] == ["", "Sources:"]
    assert said[3 + max(numbers) :] == [f"  {tally(trace.dag)}: explorer show {trace.iri}"]
    for number, (line, source) in enumerate(zip(said[3:-1], trace.sources(), strict=False), 1):
        assert line.startswith(f"  [{number}] {source.title}")
        assert " ".join(source.text.split()) in line
    assert any(" “" in line for line in said)


def test_what_a_terminal_obeys_is_never_printed():
    selection = e.EdgeSelection(iri=iri("edge", "s", 0), edge=EDGE, score=0.5, concept=HOSTILE, reasoning=HOSTILE)
    focus = e.Focus(iri=iri("focus", "s"), selected_edges=(selection.iri,))
    found = passage("a", 1, 0, 3)
    odd = found.__class__(**{name: HOSTILE if name in ("title", "text") else getattr(found, name)
                             for name in found.__slots__})  # fmt: skip
    events = [
        step(e.GraphRagQuestion(iri=iri("question", "s"), query=HOSTILE), 0),
        step(e.Grounding(iri=iri("grounding", "s"), ordered=[HOSTILE]), 1),
        step(e.Exploration(iri=iri("exploration", "s"), entities=("urn:e:x",)), 2, labels={"urn:e:x": HOSTILE}),
        step(focus, 3, parts=[selection], passages={selection.iri: (odd,)}),
        step(e.Failure(iri=iri("failure", "s"), error=HOSTILE), 4),
    ]
    trace = Trace(events)
    summary = TraceSummary("urn:x:1", "graph-rag", HOSTILE, "2026-01-15T10:30:00Z", None)
    shown = [*staged(trace), *lines.answer_lines(trace), *listing_lines([summary]), run_json(trace)]
    assert "<img src=x onerror=alert(1)>" in "".join(shown)
    assert [line for line in shown if OBEYED.search(line)] == []


def test_of_a_trace_the_question_comes_first_and_whole_and_below_it_a_short_name():
    time = "2026-01-15T10:30:00.123Z"
    rows = [
        TraceSummary(
            "urn:trustgraph:question:3f2a91c0-ffff", "graph-rag", "Why? " * 60, time, "done", outcome="unsure"
        ),
        TraceSummary("urn:x:1", "document-rag", "Why?", time, None, model="stub", failed=2, by="Ada", tags=("a", "b")),
    ]
    assert [*listing_lines(rows)] == [
        " ".join(["Why?"] * 60),
        "  Unsure · Graph search · 2026-01-15 10:30 · 3f2a91c0",
        "Why?",
        "  running · 2 failed steps · Passage search · stub · 2026-01-15 10:30 · urn:x:1 · by Ada · a, b",
    ]
    assert list(listing_lines([])) == ['No runs on record yet; ask something with `explorer ask "…"`.']


def test_a_node_is_told_with_its_values_and_its_neighbours(trace):
    ws = shared()
    said = list(lines.node_lines(ws.node(trace.edges[0].iri), trace.labels))
    assert said[0] == f"EdgeSelection {trace.edges[0].iri}"
    assert any(line.startswith("    edge: (heater switches ") for line in said)
    assert f"    reasoning: {trace.edges[0].reasoning}" in said
    assert f"  from {iri('focus', trace.iri.rsplit(':', 1)[1])}" in said


def test_json_holds_the_whole_trace(trace):
    told = json.loads(run_json(trace))
    assert list(told) == ["iri", "question", "answer", "reason", "outcome", "usage", "citations", "edges", "sources"]
    assert (told["iri"], told["question"], told["answer"]) == (trace.iri, QUESTIONS[1], trace.answer)
    assert told["usage"] == {"duration_ms": trace.dag.done.duration_ms}
    for edge, selection in zip(told["edges"], trace.edges, strict=True):
        assert {"s", "p", "o", "labels", "reasoning", "score", "concept", "passages"} <= edge.keys()
        assert edge["s"] == selection.edge.subject.value
        assert edge["score"] == selection.score
        for found in edge["passages"]:
            assert shared().text(found["document"])[found["start"] : found["end"]] == found["text"]
    assert {"document", "title", "page", "start", "end", "text"} <= told["sources"][0].keys()


@each("text", [HOSTILE, "soft\u00adhyphen", "क्\u200dष", "\ud800", "é “漢” 🚀", '\\u0041 "x"'])
def test_json_gives_back_every_character_and_prints_none_that_is_obeyed(text):
    written = json_text({"a": [text]})
    assert json.loads(written) == {"a": [text]}
    assert not OBEYED.search(written)
