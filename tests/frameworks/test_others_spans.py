"""What OpenInference, Langfuse and MLflow tell of a chain or an agent becomes the run that it was.

Each traces it as it does for its users. Its spans are watched as they come, and read from all that it exports.
"""

import subprocess
import sys
from pathlib import Path

import pytest

import explorer
from explorer.dag.retrieved import GIVEN, NOT_GIVEN, USED
from explorer.dag.sentences import narrowed, sentences
from tests.frameworks.traced import ANSWER, LUNCH, QUESTION, SAID, SEAL, SIGNED, SPARE, TEXTS, TRACED

pytestmark = pytest.mark.frameworks

PROGRAM = Path(__file__).with_name("traced.py")
WORDS = {SAID[0]: [SEAL.rstrip(".")], SAID[1]: ["captain, Jo Berg, then signed the repair"], SAID[2]: []}
RETRIEVED = [(SEAL, USED, 1), (LUNCH, GIVEN, 2), (SIGNED, USED, 3), (SPARE, NOT_GIVEN, 4)]
STEPS = ["DocRagQuestion", "Exploration", "Synthesis"], ["AgentQuestion", "Analysis", "Observation", "Conclusion"]
PRICED = ("langfuse-observe", "mlflow-trace")
FILES = {"openinference": {"sent.pb", "printed.json"}, "langfuse": {"sent.pb"},
         "mlflow": {"sent.pb", "to_json.json", "traces.json"}}  # fmt: skip


@pytest.fixture(scope="module", params=TRACED)
def traced(request, tmp_path_factory):
    """The name of what traced the pipeline, and the folder in which it left what it exports."""
    folder = tmp_path_factory.mktemp(request.param)
    subprocess.run([sys.executable, PROGRAM, request.param, folder], check=True, timeout=100)
    return request.param, folder


def is_that_run(ws, trace, name):
    """Check all that was told of a run, to the words that each of its sentences leads to."""
    assert (trace.question, trace.answer, trace.reason) == (QUESTION, ANSWER, "done")
    is_agent = name.endswith("langgraph")
    assert [type(step).__name__ for step in trace.steps] == STEPS[is_agent]
    calls = 2 if is_agent else 1
    assert (trace.model, trace.usage.in_token, trace.usage.out_token) == ("scripted", calls * 70, calls * 30)
    assert (trace.cost and trace.cost.amounts) == ({"USD": 0.25} if name in PRICED else None)
    found = {(one.passage.text, one.state, one.rank) for one in trace.retrieved}
    assert found == {*RETRIEVED}
    final = trace.dag.final.entity
    texts = {one.iri: one.data.decode() for event in trace.events for one in getattr(event, "contents", ())}
    prompt = texts[final.prompt[-1]]
    assert len(final.prompt) == calls
    assert [text in prompt for text in TEXTS] == [True, True, True, False]
    found = {}
    for said in sentences(trace.dag, final):
        led = [words for key in said.entity.cites for passage in trace.passages[key]
               for words in narrowed(trace.dag, said.iri, passage)]  # fmt: skip
        assert all(ws.text(words.document)[words.start : words.end] == words.text for words in led)
        found[said.text] = [words.text for words in led]
    assert found == WORDS
    assert [*ws.verify().faults] == []


def test_a_run_is_watched_as_it_goes(traced):
    name, folder = traced
    with explorer.open(folder / "watched") as ws:
        [summary] = ws.traces.list()
        is_that_run(ws, ws.traces.load(summary.iri), name)


def test_all_that_is_exported_becomes_the_same_run(traced):
    name, folder = traced
    files = [*folder.glob("sent.pb"), *folder.glob("*.json"), *folder.glob("mlruns/**/traces.json")]
    assert {file.name for file in files} == FILES[name.split("-")[0]]
    for file in files:
        with explorer.open() as ws:
            ws.ingest(folder / "log.md", progress=False)
            done = ws.import_record(file, progress=False)
            assert (done.read, done.refused, len(done.traces)) == (done.given, (), 1), file.name
            is_that_run(ws, ws.traces.load(done.traces[0]), name)
