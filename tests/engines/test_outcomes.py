"""What a check says is on record; an answer that rests on nothing is not found; no such run is blamed."""

import json

from explorer import entities as e
from explorer.cli.lines import answer_lines
from explorer.dag import ProvenanceDag
from explorer.dag.outcome import outcome
from explorer.drawing.picture import html, text
from explorer.engines.outcomes import RESTS_ON_NOTHING
from explorer.events import Done
from explorer.view.run.answer import answer
from explorer.wording.graph_words import NodeWords
from explorer.wording.outcomes import line
from tests.agents import react
from tests.corpus import filled
from tests.each import each
from tests.script import SEARCHED, Script, answers, calls
from tests.server import KEY, fails, says, serving

QUESTION = "Who built the relief valve?"
BUILT = calls("document-query", question=QUESTION)
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


@each(("word", "outcome"), [("supported", "answered"), ("partly", "unsure"), ("not", "not found")])
def test_the_check_decides_how_an_answer_came_out(word, outcome):
    trace, said, faults = asked(verdict(word))
    assert (said.check, said.outcome, trace.outcome, faults) == ("done", outcome, outcome, ())
    assert trace.answer.startswith("Beech Aircraft built the relief valve.")
    assert (RESTS_ON_NOTHING in trace.answer) == (word == "not")
    assert said.termination_reason == ("declined" if word == "not" else None)
    assert trace.reason == ("declined" if word == "not" else "done")


def test_a_sentence_without_a_source_is_no_fault():
    _, said, faults = asked(verdict("supported"), f"{TRUE} Everybody knows that Paris is in France.")
    assert (said.outcome, faults) == ("unsure", ())


def test_by_words_alone_the_answer_stays_as_it_came_and_no_call_is_made():
    trace, said, faults = asked(verdict("not"), "Paris is the capital of France.", checked=False)
    assert (said.check, said.outcome, trace.reason) == (None, "not found", "done")
    assert trace.answer == "Paris is the capital of France."
    assert faults == ()


def test_an_answer_that_cites_nothing_is_not_found_and_nothing_is_checked():
    trace, said, faults = asked(verdict("supported"), "Paris is the capital of France.")
    assert (said.check, trace.outcome, faults) == (None, "not found", ())
    assert "Your documents say: Beech Aircraft built the relief valve" in trace.answer
    quoted = [one for one in trace.citations if one.cites]
    assert quoted
    assert all(one.lexical_support is None for one in quoted), "what is quoted without the model is its own evidence"


def test_another_language_is_not_compared_and_the_check_decides():
    german = "Das Überdruckventil wurde von der Firma Beech Aircraft gebaut und nicht von einer anderen Firma [1]."
    trace, _, faults = asked(verdict("supported"), german)
    assert [one.lexical_support for one in trace.citations] == ["not compared"]
    assert (trace.outcome, faults) == ("answered", ())
    assert "the model has checked them" in line(trace.dag)


GOAL = {"goal": QUESTION, "tool_hint": "", "depends_on": []}
WORK = {
    "react": {"agent-react": [BUILT, answers("Grumman built it [1].")]},
    "plan-then-execute": {
        "plan-create": [[GOAL]],
        "plan-step-execute": {"tool": "document-query", "arguments": {"question": QUESTION}},
        "plan-synthesise": "Grumman built it [1].",
    },
    "supervisor": {
        "supervisor-decompose": [[QUESTION]],
        "agent-react": [BUILT, answers("Grumman built it [1].")],
        "supervisor-synthesise": "Grumman built it [1].",
    },
}


@each("pattern", WORK)
def test_of_an_agent_the_last_answer_is_checked_by_one_call_and_what_it_found_is_quoted(pattern):
    with filled() as ws:
        ws.chat = script = Script({**SEARCHED, **WORK[pattern], "check": verdict("not")})
        trace = ws.run(QUESTION, "agent", pattern=pattern)
        assert script.tasks().count("check") == 1
        assert (trace.outcome, trace.reason) == ("not found", "declined")
        assert "Your documents say: Beech Aircraft built the relief valve" in trace.answer
        assert ws.verify().faults == ()
        loaded = ws.traces.load(trace.iri)
        assert loaded.outcome == ws.traces.list()[0].outcome == "not found"
        assert loaded.sources() == trace.events[-1].sources


def test_what_the_documents_say_below_an_answer_that_cites_nothing_is_its_first_source():
    with filled() as ws:
        replies = {"agent-react": [BUILT, answers("Grumman.")], "supervisor-synthesise": "Grumman."}
        ws.chat = Script({**SEARCHED, **WORK["supervisor"], **replies, "document-prompt": "Grumman."})
        trace = ws.run(QUESTION, "agent", pattern="supervisor")
        assert "Your documents say: Beech Aircraft built the relief valve" in trace.answer
        assert ws.traces.load(trace.iri).sources() == trace.events[-1].sources


def test_what_was_searched_stands_with_the_outcome_wherever_it_is_told():
    with filled() as ws:
        title = ws.documents[0].title
        trace = ws.run(QUESTION, documents=[title])
        said = line(trace.dag)
        assert said.endswith(f"searched in “{title}” (1 of {len(ws.documents)} documents)")
        assert f"({said})" in list(answer_lines(trace))
        assert said in text(trace.dag)
        assert said in html(trace.dag).replace("&quot;", '"')
        assert answer(NodeWords(trace.dag), running=False)["outcome"] == said


def test_the_borders_stand_beside_the_support_and_runs_of_others_have_no_outcome():
    with filled() as ws:
        trace = ws.run(QUESTION)
        cut = trace.dag.final.entity.support_cut
        assert 0 < cut["unsure"] < cut["answered"] < 1
        assert [event.outcome for event in trace.events if isinstance(event, Done)] == [trace.outcome]
    other = ProvenanceDag().fold(react())
    assert (outcome(other), line(other)) == (None, "")


@each(
    ("reply", "told"),
    [
        (says(verdict("supported")), "done"),
        (says("I can't say."), "not done: the reply had no verdict"),
        (fails(403, "no verdicts in your country"), "not done: "),
    ],
)
def test_a_service_is_asked_for_verdicts_in_a_form_and_a_failing_check_ends_no_run(reply, told):
    with filled() as ws, serving(says(TRUE), reply) as server:
        ws.connect("asked-1", base_url=server.url, api_key=KEY)
        trace = ws.run(QUESTION, "document-rag", model="asked-1", rerank=False)
        said = trace.dag.final.entity
        assert server.asked[1]["response_format"]["type"] == "json_schema"
        assert said.check.startswith(told)
        assert trace.answer == "Beech Aircraft built the relief valve."
        assert (trace.outcome, ws.verify().faults) == ("answered", ())
        assert trace.usage.calls == 2
