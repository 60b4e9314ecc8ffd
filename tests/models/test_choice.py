"""The model of a run is the workspace's own unless another one, or none, is named."""

import pytest
from typer.testing import CliRunner

import explorer
from explorer.cli.commands import app
from explorer.errors import ModelError, QuestionError
from explorer.models.chat import NO_MODEL, OpenAIChat
from tests.corpus import QUESTIONS, filled, with_corpus
from tests.each import each
from tests.script import Script
from tests.server import says, serving

ws = with_corpus("module")


@pytest.fixture
def nowhere(monkeypatch):
    """Neither an address nor a key."""
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "EXPLORER_MODEL"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def scripted(ws):
    ws.chat = Script({"document-prompt": "Beech Aircraft built it. [1]"})
    yield ws.chat
    ws.chat = None


@pytest.mark.usefixtures("nowhere")
def test_a_model_that_can_not_be_asked_is_refused_before_anything_is_recorded(ws):
    before = len(ws.traces.list())
    with pytest.raises(ModelError, match="The model gpt-x needs a key; set OPENAI_API_KEY, or base_url"):
        ws.ask(QUESTIONS[0], model="gpt-x")
    assert len(ws.traces.list()) == before


@each("model", [3, ["gpt-x"], "gpt\nx", "\ud800"])
def test_what_is_no_name_of_a_model_is_refused(ws, model):
    with pytest.raises(QuestionError, match=r"must be the name of a model|characters that no model name has"):
        ws.ask(QUESTIONS[0], model=model)


@pytest.mark.parametrize("given", [{}, {"model": None}, {"model": "stub-llm-1"}, {"model": " stub-llm-1 "}])
@pytest.mark.usefixtures("nowhere")
def test_a_run_uses_the_model_of_the_workspace_if_no_other_is_named(ws, scripted, given):
    trace = ws.run(QUESTIONS[0], **given)
    assert trace.steps[0].reasoner == "stub-llm-1"
    assert "document-prompt" in scripted.tasks()


@each(("engine", "model"), [("graph-rag", NO_MODEL), ("document-rag", ""), ("agent", NO_MODEL)])
def test_a_run_can_do_without_the_model_of_the_workspace(ws, scripted, engine, model):
    trace = ws.run(QUESTIONS[0], engine, model=model)
    assert trace.steps[0].reasoner.startswith("extractive")
    assert scripted.asked == []
    assert "Beech Aircraft" in trace.answer


def test_a_workspace_gives_its_bounds_to_each_of_its_models(monkeypatch):
    monkeypatch.setenv("EXPLORER_MODEL_TIMEOUT", "7")
    monkeypatch.setenv("EXPLORER_MODEL_RUN_TIMEOUT", "70")
    with explorer.open(model="m", base_url="http://127.0.0.1:1/v1", run_timeout=60, context=4_096) as ws:
        ws.connect("other", base_url="http://127.0.0.1:2/v1")
        models = [ws.chat, ws.chat.named("next"), ws._model("other"), ws._model("small at localhost:3")]
    assert {(chat.endpoint.timeout, chat.run_timeout, chat.context) for chat in models} == {(7, 60, 4_096)}


def test_a_small_context_makes_small_prompts(monkeypatch):
    monkeypatch.setenv("EXPLORER_MODEL_CONTEXT", "2048")
    with serving(says("oxygen tank")) as server, filled() as ws:
        ws.chat = OpenAIChat("m", server.url)
        ws.run(QUESTIONS[0], selector="reasoning")
    assert max(len(str(asked["messages"])) for asked in server.asked) < 3 * 2_048


@pytest.mark.parametrize("command", ["ask", "evaluate"])
def test_the_commands_take_bounds(command):
    told = CliRunner().invoke(app, [command, "--help"], env={"COLUMNS": "200"}).output
    assert all(option in told for option in ("--timeout", "--run-timeout", "--context"))
