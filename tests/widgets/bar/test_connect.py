"""A model given in the app with its address and key: both stay in the kernel."""

import json

import pytest

import explorer
from tests.server import KEY, fails, offers, says, serving
from tests.widgets.conftest import DOCUMENTS, QUESTION
from tests.widgets.pages import say


@pytest.fixture
def alone(tmp_path, sent, monkeypatch):
    """An app over a workspace on disk, with no model, address or key."""
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "EXPLORER_MODEL"):
        monkeypatch.delenv(name, raising=False)
    with explorer.open(tmp_path / "ws") as ws:
        ws.ingest(DOCUMENTS / "tank-history.md", progress=False)
        app = explorer.app(ws, pace=0)
        yield app
        app.stop()
        assert app.wait(20)


def ask(app):
    say(app, t="ask", question=QUESTION)
    assert app.wait(30)
    return app.ws.traces.load(app.ws.traces.list(limit=1)[0].iri)


def test_address_and_key_are_on_no_record_no_disk_and_in_no_message_back(alone, sent, tmp_path, capture):
    replies = [says(f"voltage\n{KEY}"), fails(401, f"wrong key {KEY}")]
    with serving(*replies) as server, capture() as shown:
        where = server.url.removeprefix("http://")
        say(alone, t="connect", model="mine", address=server.url, key=KEY)
        assert alone.ask_bar["model"] == "mine"
        assert alone.ask_bar["trouble"] is None
        alone._ipython_display_()
        failed = ask(alone)
        assert {*server.keys} == {f"Bearer {KEY}"}
        assert server.asked[0]["model"] == "mine"
        say(alone, t="save?", format="html")
        say(alone, t="open", iri=failed.iri)
        alone._ipython_display_()
    assert failed.reason == "error"
    assert "[the address given] refused the key (401)" in failed.dag.done.error
    assert failed.steps[0].reasoner == "mine"
    outputs = [output.data for output in shown.outputs]
    messages = json.dumps([one.data for one in sent], default=str)
    said = [messages, json.dumps(outputs, default=str), str(alone.get_state()), str(alone.bar.state),
            str(alone.ws.export(failed)), alone.ws.report(failed), repr(alone.ws.chat), str(failed.events)]  # fmt: skip
    files = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) > 3
    for secret in (KEY, where):
        assert not any(secret in text for text in said)
        assert not any(secret.encode() in data for data in files)


def test_what_cannot_be_asked_is_refused_below_the_bar_and_the_model_before_stays(alone):
    say(alone, t="connect", model="mine", address="nowhere", key=KEY)
    state = alone.ask_bar
    assert "is not a web address" in state["trouble"]
    assert (state["model"], state["models"], state["connected"]) == ("no model", ["no model"], 0)
    say(alone, t="bar", model="gpt-x")
    say(alone, t="ask", question=QUESTION)
    assert "needs a key" in alone.error
    assert "choose another… under Model" in alone.error


def test_a_key_that_was_wrong_is_given_again(alone):
    with serving(fails(401, "no")) as server:
        for key in ("sk-of-before", KEY):
            say(alone, t="connect", model="mine", address=server.url, key=key)
            ask(alone)
        assert [*dict.fromkeys(server.keys)] == ["Bearer sk-of-before", f"Bearer {KEY}"]
        assert alone.ask_bar["connected"] == 2


def test_models_of_past_runs_are_not_offered(alone):
    with serving(fails(401, "no"), offers()) as server:
        say(alone, t="connect", model="dead", address=server.url, key=KEY)
        ask(alone)
    with explorer.open(alone.ws.path) as again:
        assert again.traces.models() == ["dead"]
        app = explorer.app(again)
        app.bar._look(lambda: again.known_models(here=False))
        assert app.bar.state["models"] == ["no model"]
