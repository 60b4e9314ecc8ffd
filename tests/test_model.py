"""A workspace that reasons with a model: the whole path from open() and the command line to the record."""

import os
import re
import subprocess
import sys

import pytest

import explorer
from explorer.errors import ModelError
from explorer.events import Explain
from explorer.vocab import RETRIEVAL
from tests.server import KEY, fails, says, serving

QUESTION = "Who built the pump?"


@pytest.fixture
def files(tmp_path):
    (tmp_path / "pump.md").write_text("# Pump\n\nBeech Aircraft built the pump. The pump moves water.\n")
    return tmp_path / "pump.md"


@pytest.fixture
def key(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def test_without_a_key_a_model_is_refused_at_once(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(ModelError, match="OPENAI_API_KEY"):
        explorer.open(model="gpt-x")


@pytest.mark.usefixtures("key")
def test_a_model_that_fails_ends_the_run_in_an_error_on_record(files):
    with serving(fails(401, "wrong key " + KEY)) as server, explorer.open(model="m", base_url=server.url) as ws:
        ws.ingest(files, progress=False)
        trace = ws.run(QUESTION)
        stored = " ".join(str(quad) for quad in ws.graph.match(graph=RETRIEVAL))
    assert trace.reason == "error"
    assert trace.answer == ""
    assert KEY not in stored
    assert KEY not in repr(trace.dag.done)


@pytest.mark.usefixtures("key")
def test_what_a_model_says_is_recorded_with_its_tokens_and_prompts(files):
    with serving(says("pump"), says("[]"), says("[]")) as server, explorer.open(model="m", base_url=server.url) as ws:
        ws.ingest(files, progress=False)
        trace = ws.run(QUESTION)
        again = ws.traces.load(trace.iri)
        grounding = ws.node(trace.iri.replace("question", "prov:grounding")).entity
        prompt = ws.text(grounding.prompt[0])
    assert grounding.concepts == ("pump",)
    assert (grounding.in_token, grounding.out_token) == (11, 7)
    assert QUESTION in prompt
    assert [e for e in again.events if isinstance(e, Explain)] == [e for e in trace.events if isinstance(e, Explain)]


def test_the_command_line_takes_a_model(files, tmp_path):
    folder = tmp_path / "ws"
    with explorer.open(folder) as ws:
        ws.ingest(files, progress=False)
    with serving(fails(401, "no")) as server:
        env = os.environ | {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": server.url}
        command = [sys.executable, "-m", "explorer", "ask", QUESTION, "--model", "m", "-w", str(folder)]
        done = subprocess.run(command, capture_output=True, text=True, env=env, check=False)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert KEY not in done.stderr + done.stdout


def test_tokens_are_printed_when_asked_for(files, tmp_path):
    folder = tmp_path / "ws"
    with explorer.open(folder) as ws:
        ws.ingest(files, progress=False)
    command = [sys.executable, "-m", "explorer", "ask", QUESTION, "--usage", "-w", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert re.search(r"^Tokens: none reported; time: [\d.]+ m?s; model: none$", done.stdout, re.MULTILINE)
