"""Spans as real packages send them, of a run with a scripted model: each becomes the run that it was.

OpenInference's instrumentors 0.1.80 (LangChain), 4.6.1 (LlamaIndex) and 2.6.0 (OpenAI Agents) as OTLP, what Langfuse's
SDK 5.0.4 sent to a receiver, and `to_json()` of a trace of mlflow-tracing 3.17.2.
"""

from pathlib import Path

import pytest

import explorer

PAGE = Path(__file__).parents[2] / "docs/your-runs.md"
PLACE = Path(__file__).with_name("recorded")
SEAL = "Ada Smith replaced the seal of the pump on 3 April."
LUNCH = "Lunch was served at noon on deck two."
FOUND = ["Exploration", "Synthesis"]
FILES = {  # by name: how many spans it has, the steps of its run, and what was looked at
    "openinference-langchain": (8, ["DocRagQuestion", *FOUND], [SEAL, LUNCH]),
    "openinference-llamaindex": (14, ["DocRagQuestion", *FOUND], [SEAL, LUNCH]),
    "openinference-openai-agents": (8, ["AgentQuestion", "Analysis", "Observation", "Conclusion"], None),
    "langfuse": (3, ["DocRagQuestion", *FOUND], [SEAL, LUNCH]),
    "mlflow": (3, ["DocRagQuestion", *FOUND], [SEAL, LUNCH]),
}


@pytest.mark.parametrize("name", FILES)
def test_spans_of_a_real_package_become_the_run_that_it_was(name):
    spans, steps, texts = FILES[name]
    with explorer.open() as ws:
        done = ws.import_record(PLACE / f"{name}.json", progress=False)
        assert (done.given, done.read, done.refused) == (spans, spans, ())
        assert not [note for note in done.notes if "no text" in note or "no passages" in note]
        [trace] = map(ws.traces.load, done.traces)
        assert (trace.question, trace.answer, trace.reason) == ("Who fixed the pump?", SEAL, "done")
        assert [type(step).__name__ for step in trace.steps] == steps
        assert [one.passage.text for one in trace.retrieved] == (texts or [f"{SEAL} So says the log."])
        [said] = trace.citations
        assert [trace.dag.node(key).passages[0].text[slice(*at)].rstrip(".") for key, at in said.places.items()] == [
            SEAL.rstrip(".")
        ]
        assert [*ws.verify().faults] == []


def test_the_spans_that_the_docs_show_become_a_run(tmp_path):
    shown = PAGE.read_text("utf-8").partition("```json\n")[2].partition("```")[0]
    (tmp_path / "spans.json").write_text(shown)
    with explorer.open() as ws:
        [trace] = map(ws.traces.load, ws.import_record(tmp_path / "spans.json", progress=False).traces)
        assert (trace.question, trace.answer) == ("Who fixed the pump?", "Ada Smith fixed it.")
        assert [one.passage.text for one in trace.retrieved] == ["Ada Smith fixed it on 3 April."]
