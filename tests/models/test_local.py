"""Model servers on this machine: real little servers on ports of their own."""

import time

from explorer.models import local
from explorer.models.chat import Message, OpenAIChat
from explorer.models.choice import known_models, model_for
from tests.each import each
from tests.server import answering, says, serving

LISTED = {"object": "list", "data": [{"id": "small:1b"}, {"id": "other"}]}


def looking_at(monkeypatch, *ports):
    monkeypatch.setattr(local, "SERVERS", dict.fromkeys(ports, "a server"))


def test_the_usual_ports_are_those_of_four_servers(no_model_servers):
    assert set(no_model_servers) == {11434, 8080, 1234, 8000}


def test_models_of_servers_on_this_machine_are_listed_with_their_address(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-key")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    with answering(LISTED) as (port, asked), answering({"data": [{"id": "third"}]}) as (second, _):
        looking_at(monkeypatch, port, second)
        known = known_models(None, None)
    assert known.names == (
        f"other at localhost:{port}", f"small:1b at localhost:{port}", f"third at localhost:{second}",
    )  # fmt: skip
    assert known.trouble is None
    [(path, headers)] = asked
    assert path == "/v1/models"
    assert "sk-secret-key" not in str(headers)


@each("body", [b"<html>", b"", b"[]", b'{"data": 3}', b'{"data": [3, {"id": 7}, {"id": ""}, {"id": "a\\nb"}]}'])
def test_what_is_no_list_of_models_is_none(monkeypatch, body):
    with answering(body) as (port, _):
        looking_at(monkeypatch, port)
        assert local.found_models() == []


def test_a_redirect_is_not_followed(monkeypatch):
    with answering(LISTED) as (target, asked):
        where = ("Location", f"http://127.0.0.1:{target}/v1/models")
        with answering(b"", status=302, headers=(where,)) as (port, _):
            looking_at(monkeypatch, port)
            assert local.found_models() == []
    assert asked == []


def test_a_slow_server_and_a_closed_port_cost_little_time(monkeypatch):
    with answering(LISTED) as (port, _), answering(LISTED, wait=5) as (slow, _):
        with answering(LISTED) as (closed, _):
            pass
        looking_at(monkeypatch, slow, closed, port)
        began = time.monotonic()
        found = local.found_models()
        assert time.monotonic() - began < 3
    assert found == [f"other at localhost:{port}", f"small:1b at localhost:{port}"]


def test_the_address_goes_with_the_model_and_the_key_does_not(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-key")
    monkeypatch.setenv("OPENAI_BASE_URL", "https://elsewhere.example/v1")
    with serving(says("Hello.")) as server:
        port = server.url.rpartition(":")[2].partition("/")[0]
        chat = model_for(f"small:1b at localhost:{port}", None, "https://elsewhere.example/v1")
        assert isinstance(chat, OpenAIChat)
        *pieces, _ = chat.complete([Message("user", "Hi")])
    assert "".join(pieces) == "Hello."
    assert server.asked[0]["model"] == "small:1b"
    assert chat.name == f"small:1b at localhost:{port}"
    assert (chat.endpoint.is_here, chat.endpoint.key) == (True, "none")


@each("name", ["gpt-x", "gpt-x at elsewhere.example:80", "a at localhost:0", "a at localhost:99999"])
def test_other_names_have_no_address(name):
    assert local.address_in(name) is None
