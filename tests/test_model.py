"""A workspace that reasons with a model: the whole path from open() and the command line to the record."""

import re

import pytest

import explorer
from explorer.errors import ModelError, QuestionError
from explorer.events import Explain
from explorer.models.chat import NO_MODEL
from explorer.models.choice import Models
from explorer.vocab import RETRIEVAL
from tests.each import each
from tests.opened import at
from tests.server import KEY, Reply, fails, offers, page, says, serving

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
        trace = ws.run(QUESTION, selector="reasoning")
        again = ws.traces.load(trace.iri)
        grounding = ws.node(trace.iri.replace("question", "prov:grounding")).entity
        prompt = ws.text(grounding.prompt[0])
    assert grounding.concepts == ("pump",)
    assert (grounding.in_token, grounding.out_token) == (11, 7)
    assert QUESTION in prompt
    assert [e for e in again.events if isinstance(e, Explain)] == [e for e in trace.events if isinstance(e, Explain)]


@pytest.fixture
def unset(monkeypatch):
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "EXPLORER_MODEL"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.usefixtures("key")
def test_another_model_behind_the_same_address_is_asked_for_one_run(files):
    with serving(fails(401, "no")) as server, explorer.open(model="m", base_url=server.url) as ws:
        ws.ingest(files, progress=False)
        other, own = ws.run(QUESTION, model="other"), ws.run(QUESTION)
        assert list(dict.fromkeys(asked["model"] for asked in server.asked)) == ["other", "m"]
        assert set(server.keys) == {f"Bearer {KEY}"}
        assert [trace.steps[0].reasoner for trace in (other, own)] == ["other", "m"]


@pytest.mark.usefixtures("unset")
def test_a_model_is_asked_for_one_run_at_the_address_of_a_workspace_without_one(files):
    with serving(fails(401, "no")) as server, explorer.open(base_url=server.url) as ws:
        ws.ingest(files, progress=False)
        ws.run(QUESTION)
        assert server.asked == []
        ws.run(QUESTION, model="m")
        assert {asked["model"] for asked in server.asked} == {"m"}


def test_no_model_can_be_chosen_where_one_is_configured(files, monkeypatch):
    monkeypatch.setenv("EXPLORER_MODEL", "m")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with explorer.open(model=NO_MODEL) as ws:
        assert ws.chat is None
        ws.ingest(files, progress=False)
        assert ws.run(QUESTION).steps[0].reasoner.startswith("extractive")


@pytest.mark.usefixtures("unset")
def test_models_to_choose_from_are_the_own_one_and_those_offered_but_none_of_past_runs(files):
    with serving(fails(401, "no")) as server, explorer.open(base_url=server.url) as ws:
        ws.ingest(files, progress=False)
        ws.run(QUESTION, model="past")
        server.replies = [offers("b", "a", "own", "a", "\x07bell", " ")]
        assert ws.models() == ["a", "b", "own"]
        assert server.asked[-1] == "/v1/models"
    with serving(offers("b", "a", "own", KEY)) as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_API_KEY", KEY)
        with explorer.open(model="own", base_url=server.url) as ws:
            assert ws.models() == ["own", "a", "b"]
            assert server.keys == [f"Bearer {KEY}"]


@each(("reply", "said"), [
    (fails(401, f"wrong key {KEY}"), "refused the key (401)"),
    (fails(404, "no such path"), "does not say which models it has (404); name one"),
    (fails(500, "oops"), "does not say which models it has (500); name one"),
    (page(), "sent what can't be read"),
    (Reply(body="{", kind="application/json"), "sent what can't be read"),
    (Reply(body='{"data": 3}', kind="application/json"), "sent what can't be read"),
])  # fmt: skip
@pytest.mark.usefixtures("key")
def test_an_address_that_does_not_say_which_models_it_has_is_no_failure(reply, said):
    with serving(reply) as server, explorer.open(model="own", base_url=server.url) as ws:
        assert ws.models() == ["own"]
        known = ws.known_models()
        assert said in known.trouble
        assert KEY not in known.trouble
        assert len(server.asked) == 2


@pytest.mark.usefixtures("unset")
def test_an_address_where_nobody_listens_is_told_of():
    with explorer.open(base_url="http://127.0.0.1:9/v1") as ws:
        assert ws.models() == []
        assert "No model can be reached at http://127.0.0.1:9/v1" in ws.known_models().trouble


@pytest.mark.parametrize("settings", [
    {}, {"OPENAI_API_KEY": KEY}, {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": "https://models.example/v1"}
])  # fmt: skip
@pytest.mark.usefixtures("unset")
def test_no_address_elsewhere_is_asked_for_models_unless_a_model_was_configured(settings, monkeypatch, no_network):
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    with explorer.open() as ws:
        assert ws.known_models() == Models((), None)
    assert no_network == []


@pytest.fixture
def place(files, tmp_path):
    with explorer.open(tmp_path / "ws") as ws:
        ws.ingest(files, progress=False)
    return at(tmp_path / "ws")


@pytest.mark.usefixtures("key")
def test_the_command_line_can_do_without_the_model_that_is_configured(place, program, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("EXPLORER_MODEL", "m")
    _, out, _ = program("ask", QUESTION, "--model", NO_MODEL, "--usage", *place)
    assert re.search(r"^Tokens: none reported; time: [\d.]+ m?s; model: none$", out, re.MULTILINE)


@pytest.mark.usefixtures("key")
def test_the_command_line_takes_a_model(place, program, monkeypatch):
    with serving(fails(401, "no")) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        code, out, err = program("ask", QUESTION, "--model", "m", *place)
    assert (code, KEY in out + err) == (2, False)


@each(
    ("options", "said"),
    [
        (["--timeout", "0.3"], "0.3 s without a word"),
        (["--run-timeout", "0.3"], "raise run_timeout"),
        (["--context", "300"], "context is 300"),
    ],
)
@pytest.mark.usefixtures("key")
def test_reading_in_takes_the_limits_of_a_model(files, tmp_path, program, monkeypatch, *, options, said):
    with serving(Reply(pieces=("{",) * 99, wait=2 if "--timeout" in options else 0.05)) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        model = ["--extractors", "model", "--model", "m", *options, *at(tmp_path / "ws")]
        for command in (["ingest", files], ["reextract"]):
            assert said in "".join(program(*command, *model)[1:])
    assert "--context" not in options or not server.asked


@pytest.mark.usefixtures("unset")
def test_a_model_is_connected_at_its_own_address_with_its_own_key(files):
    with serving(fails(401, "no")) as own, serving(fails(401, "no")) as other, pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_API_KEY", KEY)
        with explorer.open(model="own", base_url=own.url) as ws:
            ws.ingest(files, progress=False)
            assert ws.connect(" far ", base_url=other.url, api_key="sk-far-away") == "far"
            assert ws.connect("keyless", base_url=other.url) == "keyless"
            assert ws.connect("near", api_key="sk-near-by") == "near"
            assert ws.connect("same") == "same"
            assert own.asked == other.asked == []
            for name in ("far", "keyless", "near", "same"):
                ws.run(QUESTION, model=name)
            assert list(dict.fromkeys(other.keys)) == ["Bearer sk-far-away", "Bearer none"], (
                "the key of one address goes to no other"
            )
            assert list(dict.fromkeys(own.keys)) == ["Bearer sk-near-by", f"Bearer {KEY}"]
            assert ws.known_models(here=False).names == ("own", "far", "keyless", "near", "same")
            ws.connect("own", base_url=other.url, api_key="sk-other")
            ws.run(QUESTION)
            assert other.keys[-1] == "Bearer sk-other"


@pytest.mark.parametrize("name", ["", NO_MODEL, "  "])
def test_without_a_name_no_model_is_connected(name):
    with explorer.open() as ws, pytest.raises(QuestionError, match="Give the name of the model"):
        ws.connect(name, base_url="http://127.0.0.1:9/v1")


@pytest.mark.parametrize(
    "given", [{"base_url": "nowhere"}, {"base_url": "https://me:secret@here/v1"}, {"api_key": "k\x00"}]
)
@pytest.mark.usefixtures("unset")
def test_an_address_or_key_that_cannot_be_right_is_refused_and_not_repeated(given):
    with explorer.open() as ws, pytest.raises(ModelError) as refused:
        ws.connect("m", **given)
    assert "secret" not in str(refused.value)
    assert "m" not in ws.known_models(here=False).names
