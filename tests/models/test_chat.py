import logging
import subprocess
import sys
import threading
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from explorer.errors import ModelError
from explorer.events import Sent, Usage
from explorer.models.chat import CutShortError, Message, OpenAIChat, RefusedError, Schema, connect
from explorer.models.endpoint import Endpoint, Exchange, Problem, seconds
from tests.each import each
from tests.server import KEY, MODEL, Reply, fails, page, says, serving, whole

TALK = (Message("system", "Be brief."), Message("user", "Hello?"))
FORM = Schema("words", {"type": "object"})


def chat(server, **options):
    return OpenAIChat("asked-1", server.url, KEY, **{"pause": 0.01, "timeout": 10, **options})


def failing(*replies, **options):
    """What came before the error, and the error."""
    said = []
    with serving(*replies) as server, pytest.raises(ModelError) as caught:
        said.extend(chat(server, **options).complete(TALK))
    assert caught.value.__context__ is None
    assert caught.value.__cause__ is None
    return said, caught.value, server


def test_a_reply_comes_in_pieces_and_then_what_it_used_as_reported():
    with serving(says("Hello, you there.", size=6, usage=(12, 5))) as server:
        assert list(chat(server).complete(TALK)) == ["Hello,", " you t", "here.", Usage(12, 5, MODEL)]
        [request] = server.asked
    assert request["messages"] == [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hello?"}]
    assert (request["model"], request["stream"], request["temperature"]) == ("asked-1", True, 0.0)
    assert request["stream_options"] == {"include_usage": True}
    assert "response_format" not in request
    assert server.keys == [f"Bearer {KEY}"]


def test_pieces_come_while_the_model_still_talks():
    with serving(says("abcdef", size=1, wait=0.3)) as server:
        began = time.monotonic()
        reply = chat(server).complete(TALK)
        assert next(reply) == "a"
        assert time.monotonic() - began < 1.5
        reply.close()
        assert server.gone.wait(5)  # the service was told that nobody listens


def test_what_a_service_does_not_take_is_left_out_and_not_tried_again():
    refusals = (fails(400, "response_format of type json_schema is not supported"), fails(422, "temperature: only 1"),
                fails(400, "Unknown field stream_options"))  # fmt: skip
    with serving(*refusals, says("{}", usage=None)) as server:
        asking = chat(server, attempts=1)
        for _ in range(2):
            assert list(asking.complete(TALK, schema=FORM)) == ["{}", Usage(None, None, MODEL)]
    assert len(server.asked) == 5
    assert not {"response_format", "temperature", "stream_options"} & set(server.asked[4])


@each("status", [408, 429, 500, 502, 503])
def test_what_may_pass_is_tried_again(status):
    with serving(fails(status), fails(status), says("Hi")) as server:
        assert next(chat(server).complete(TALK)) == "Hi"
    assert len(server.asked) == 3


def test_waits_as_long_as_the_service_says():
    with serving(fails(429, retry_after="0.3"), says("Hi")) as server:
        assert next(chat(server).complete(TALK)) == "Hi"
    assert server.times[1] - server.times[0] >= 0.3


@each("wait", ["0", "0.2", "1"])
def test_it_never_says_to_ask_again_in_no_time(wait):
    _, error, _ = failing(fails(429, "slow down", retry_after=wait), attempts=1)
    assert str(error).endswith("ask again in 1 s.")


def test_a_reply_without_an_end_is_bounded():
    piece = "x" * 1_000_000
    said, error, server = failing(Reply(raw=("data: {", *[piece] * 70)), timeout=60)
    assert said == []
    assert f"{server.url} sent more than 64 MB in one reply; ask for less" in str(error)
    assert len(server.asked) == 1


def test_a_packed_reply_is_refused_unopened():
    _, error, server = failing(Reply(body="x", headers={"content-encoding": "gzip"}))
    assert str(error) == f"{server.url} sent a reply packed by 'gzip', not asked for; check that service."
    assert len(server.asked) == 1


def test_without_a_word_from_the_service_the_pauses_double():
    _, _, server = failing(fails(500), attempts=3, pause=0.1)
    server_at = chat(server, attempts=3, pause=0.1).endpoint
    first, second = (later - sooner for sooner, later in zip(server.times, server.times[1:], strict=False))
    assert first >= 0.1  # no upper bound: the machine may be busy
    assert second >= 0.2
    pauses = [server_at.pause_after(Problem(500, "down"), attempt, 60.0) for attempt in (1, 2, 3)]
    assert pauses == [0.1, 0.2, None]


def test_does_not_wait_for_longer_than_there_is_time():
    began = time.monotonic()
    _, error, server = failing(fails(429, "slow down", retry_after="60"), timeout=5)
    assert time.monotonic() - began < 3
    assert len(server.asked) == 1
    assert str(error) == f"{server.url} limits the rate (429: slow down); ask again in 60 s."


@each(
    ("reply", "words", "tries"),
    [
        (fails(401, f"Incorrect API key provided: {KEY}"), "refused the key (401); check OPENAI_API_KEY", 1),
        (fails(403, f"Bearer {KEY} may not"), "does not allow this (403: Bearer *** may not)", 1),
        (fails(404, "no such model"), "does not know the model asked-1 or is no such service (404: no such model)", 1),
        (fails(400, f"context of 4096 exceeded by {KEY}"), "The prompt is longer than asked-1 takes (400: context", 1),
        (fails(400, "It was filtered", code="content_filter"), "by its filter of contents (400: It was filtered)", 1),
        (fails(403, "Country or territory not supported"), "(403: Country or territory not supported)", 1),
        (fails(429, "pay", code="insufficient_quota"), "no quota left for this key (429: pay); look at your plan", 1),
        (fails(429), "limits the rate (429: no); ask again later.", 2),
        (fails(500, f"key={KEY}"), "failed (500: key=***)", 2),
        (page(status=502), "failed (502", 2),
        (page(), "answered with text/html instead of a stream", 1),
        (Reply(body='{"choices": []}', kind="application/json"), "answered with application/json", 1),
        (Reply(body="", kind=""), "answered with nothing", 1),
        (Reply(finish=None), "broke off before its end", 1),
        (Reply(raw=("data: {not json\n\n",)), "sent what can't be read (JSONDecodeError", 1),
        (Reply(raw=('data: {"error": {"message": "overloaded"}}\n\n',)), "broke off (overloaded)", 1),
        (says("", finish="content_filter"), "by its filter of contents", 1),
    ],
)  # fmt: skip
def test_a_failure_is_one_sentence_without_the_key(reply, words, tries):
    said, error, server = failing(reply, attempts=2)
    assert words in str(error)
    assert KEY not in repr(error) + repr(said)
    assert not [piece for piece in said if isinstance(piece, str)]
    assert len(server.asked) == tries
    assert str(error).endswith(".")


def test_no_server_is_told_apart():
    with serving(says("")) as server:
        pass
    with pytest.raises(
        ModelError, match=rf"No model can be reached at {server.url} \([^\[]*refused\); check that the server runs"
    ):
        list(chat(server, attempts=2).complete(TALK))


@each("cut", [{"finish": None}, {"finish": None, "cut": True, "usage": None}])
def test_a_reply_that_breaks_off_is_no_reply(cut):
    said, error, server = failing(says("All is", **cut))
    assert "".join(piece for piece in said if isinstance(piece, str)) == "All is"
    assert "broke off" in str(error)
    assert len(server.asked) == 1  # what was shown can't be taken back


def test_a_reply_cut_at_a_limit_is_told_after_what_it_used():
    said, error, _ = failing(says("All in", finish="length", usage=(3, 4)))
    assert said == ["All in", Usage(3, 4, MODEL)]
    assert isinstance(error, CutShortError)


@each(
    "reply",
    [
        says("x" * 100, size=1, wait=0.05),
        Reply(raw=(": still here\n\n",) * 100, wait=0.05),
        Reply(raw=('data: {"id": "', *["x"] * 100), wait=0.05),
        Reply(pieces=("late",), wait=5),
    ],
)
def test_a_run_ends_in_time_however_it_drips(reply):
    began = time.monotonic()
    _, error, _ = failing(reply, run_timeout=0.6)
    assert time.monotonic() - began < 2.5
    assert "raise run_timeout (EXPLORER_MODEL_RUN_TIMEOUT)" in str(error)


def test_no_thread_stays_behind():
    failing(says("x" * 100, size=1, wait=0.05), run_timeout=0.3)
    until = time.monotonic() + 3
    while any(thread.name == "model call" for thread in threading.enumerate()):
        assert time.monotonic() < until
        time.sleep(0.02)


@each(
    "chunk",
    [
        "5",
        "[]",
        '{"choices": null}',
        '{"choices": [{"delta": null}]}',
        '{"choices": [7]}',
        '{"choices": [{"delta": {"content": 5}}], "model": 5}',
        '{"usage": {"prompt_tokens": "x"}}',
        '{"usage": {"prompt_tokens": -1, "completion_tokens": true}}',
    ],
)
def test_what_a_chunk_has_in_another_form_is_not_there(chunk):
    with serving(Reply(raw=(f"data: {chunk}\n\n",), usage=None)) as server:
        assert list(chat(server).complete(TALK)) == [Usage(None, None, MODEL)]


def test_a_key_in_a_reply_is_taken_out_also_when_it_comes_in_pieces():
    text = f"Your key {KEY}, or {KEY[:8]}: all of it."
    with serving(says(text, size=5, model=f"m-{KEY}")) as server:
        *pieces, usage = chat(server).complete(TALK)
    assert "".join(pieces) == f"Your key ***, or {KEY[:8]}: all of it."
    assert usage.model == "m-***"


def test_characters_that_were_cut_in_two_are_joined():
    with serving(Reply(("a \ud83d", "\ude00 b \ud83d"))) as server:
        *pieces, _ = chat(server).complete(TALK)
    assert "".join(pieces) == "a 😀 b \ufffd"


def test_the_key_stands_in_no_repr_and_no_log(caplog):
    with caplog.at_level(logging.DEBUG), serving(fails(401, f"{KEY} is wrong")) as server:
        asking = chat(server)
        with pytest.raises(ModelError) as caught:
            list(asking.complete(TALK))
    seen = [repr(asking), str(asking), repr(asking.endpoint), repr(caught.value), caplog.text]
    assert not [text for text in seen if KEY in text]
    assert repr(asking) == f"<OpenAIChat asked-1 at {server.url}>"


@each("url", ["http://me:letmein@127.0.0.1:9/v1", "http://127.0.0.1:9/v1?key=letmein"])
def test_a_secret_in_the_address_is_refused_since_addresses_are_shown(url):
    with pytest.raises(ModelError, match="holds more than an address") as caught:
        OpenAIChat("m", url)
    assert "letmein" not in str(caught.value)
    assert "/openai/v1 of Azure needs no api-version" in str(caught.value)


def test_loading_the_embedder_leaves_logging_as_it_is():
    code = (
        "import logging; from explorer.models.embedding import WordLlamaEmbedder as W; W().embed(['a']);"
        "print(logging.getLogger().handlers, logging.getLogger().level)"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout == f"[] {logging.WARNING}\n"


def test_a_server_of_ones_own_needs_no_key_and_address_and_key_come_from_the_environment(monkeypatch):
    with serving(says("none of it")) as server:
        assert next(OpenAIChat("m", server.url).complete(TALK)) == "none of it"
    with serving(says("Hi")) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        assert next(OpenAIChat("m").complete(TALK)) == "Hi"
    assert server.keys == [f"Bearer {KEY}"]


@each(
    ("base_url", "key", "words"),
    [
        (None, None, "needs a key; set OPENAI_API_KEY"),
        ("localhost:11434/v1", None, "is not a web address"),
        ("ftp://example.org", KEY, "is not a web address"),
        ("http://", KEY, "is not a web address"),
        ("http://127.0.0.1:1", "sk-töst-1234", "has characters that no key has"),
        ("http://127.0.0.1:1", "sk-a\nb-1234", "has characters that no key has"),
    ],
)
def test_what_can_not_be_asked_is_refused_at_once(base_url, key, words):
    with pytest.raises(ModelError, match=words) as caught:
        OpenAIChat("m", base_url, key)
    assert key is None or key not in str(caught.value)


def test_the_time_to_wait_is_read_in_seconds_milliseconds_or_as_a_date():
    now = datetime(2026, 1, 15, 10, 30, tzinfo=UTC)
    date = format_datetime(now + timedelta(seconds=7), usegmt=True)
    told = [{"retry-after": "3"}, {"retry-after-ms": "250", "retry-after": "9"}, {"retry-after": date}, {},
            {"retry-after": "soon"}, {"retry-after": "-3"}, {"retry-after": "inf"}]  # fmt: skip
    assert [seconds(headers, now.timestamp()) for headers in told] == [3, 0.25, 7, None, None, None, None]
    assert seconds({"retry-after": date}, now.timestamp() + 60) == 0


@each("url", ["http://localhost:1/v1", "https://localhost:1/v1", "HTTPS://127.0.0.1/v1", "http://a.example/v1"])
def test_certificates_are_checked_wherever_there_may_be_one(url):
    with connect(Exchange(Endpoint(url, KEY, 1, 1, 0), print)) as client:
        checks = client._client._transport._pool._ssl_context.check_hostname
        assert checks == (url != "http://localhost:1/v1")


def test_a_placeholder_for_a_key_is_not_looked_for_in_words():
    where = Endpoint("http://127.0.0.1:1/v1", "none", 1, 1, 0)
    assert where.scrubbed("none of it, nonetheless") == "none of it, nonetheless"
    assert list(where.clean(["no", "ne of", " it"])) == ["no", "ne of", " it"]


def test_a_whole_reply_in_spite_of_stream_is_a_reply_and_a_refusal_an_error_of_its_own():
    with serving(whole("Hi")) as server:
        assert list(chat(server).complete(TALK)) == ["Hi", Usage(3, 2, MODEL)]
    with serving(whole(None, refusal="I can't assist.")) as server, pytest.raises(RefusedError):
        list(chat(server).complete(TALK))


def test_a_service_that_does_not_stream_is_asked_without_and_remembered():
    refusal = fails(400, "Your organization must be verified to stream this model.")
    with serving(refusal, whole("Hi")) as server:
        asking = chat(server)
        for _ in range(2):
            assert list(asking.for_run().complete(TALK)) == ["Hi", Usage(3, 2, MODEL)]
    assert ["stream" in request for request in server.asked] == [True, False, False]
    assert "stream_options" not in server.asked[1]


@each(
    ("refuses", "left_out"),
    [
        (lambda asked: "temperature" in asked and "Unsupported value: 'temperature'", "temperature"),
        (lambda asked: "response_format" in asked and "json_schema is not supported", "response_format"),
        (lambda asked: "stream_options" in asked and "unknown field stream_options", "stream_options"),
        (lambda asked: asked.get("stream") and "must be verified to stream", "stream"),
        (lambda asked: asked["messages"][0]["role"] == "system" and "system role not supported", "system"),
    ],
)
def test_how_a_model_was_asked_is_told_with_what_its_service_rejected(refuses, left_out):
    def reply(asked):
        said = refuses(asked)
        return fails(400, said) if said else says("{}") if "stream" in asked else whole("{}")

    with serving(reply) as server:
        *_, used = chat(server).complete(TALK, schema=FORM)
    temperature = None if left_out == "temperature" else 0.0
    assert used.sent == Sent(temperature, None if left_out == "response_format" else FORM.name, (left_out,))
    first, second = server.asked
    schema = {"name": FORM.name, "schema": {"type": "object"}, "strict": True}
    assert first["response_format"] == {"type": "json_schema", "json_schema": schema}
    talk = [{"role": "user", "content": "Be brief.\n\nHello?"}]
    assert (second["messages"] == talk) == (left_out == "system")


def test_a_bare_refusal_is_tried_once_without_all_that_is_optional():
    with serving(fails(400, "Bad Request"), says("{}")) as server:
        list(chat(server).complete(TALK, schema=FORM))
    assert not {"response_format", "temperature", "stream_options"} & set(server.asked[1])
    _, error, server = failing(fails(400, "Bad Request"))
    assert len(server.asked) == 2
    assert "refused the request" in str(error)


def test_a_thought_that_the_template_began_gets_its_beginning_back_once_that_is_known():
    with serving(says("I look at [2].</think>It burned.", size=3)) as server:
        asking = chat(server)
        replies = ["".join(list(asking.for_run().complete(TALK))[:-1]) for _ in range(3)]
    learnt = "<think>I look at [2].</think>It burned."
    assert replies == [learnt.removeprefix("<think>"), learnt, learnt]


def test_a_service_that_is_silent_for_too_long_since_its_last_piece_is_left():
    with serving(says("abcdefgh", size=1, wait=0.2)) as server:
        *pieces, _ = chat(server, timeout=0.9).complete(TALK)
    assert "".join(pieces) == "abcdefgh"
    _, error, server = failing(Reply(pieces=("late",), wait=5), timeout=0.6)
    assert str(error).startswith(f"The model at {server.url} took longer than 0.6 s without a word. Raise timeout")


def test_one_run_has_one_limit_for_all_its_calls():
    with serving(says("abcd", size=1, wait=0.1)) as server:
        run = chat(server, run_timeout=1.5).for_run()
        with pytest.raises(ModelError, match="raise run_timeout"):
            _ = [list(run.complete(TALK)) for _ in range(9)]  # each alone ends in time


def test_a_service_on_this_machine_is_asked_one_at_a_time_and_waiting_is_no_silence():
    with serving(says("abcd", size=1, wait=0.15)) as server:
        threads = [
            threading.Thread(target=lambda: list(chat(server, timeout=0.8).for_run().complete(TALK))) for _ in range(3)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert all(later - sooner >= 0.5 for sooner, later in zip(server.times, server.times[1:], strict=False))


@each("told", ["0", "soon", "-3", "nan"])
def test_a_limit_that_is_none_is_refused(monkeypatch, told):
    monkeypatch.setenv("EXPLORER_MODEL_TIMEOUT", told)
    with pytest.raises(ModelError, match="EXPLORER_MODEL_TIMEOUT must be a number above 0"):
        OpenAIChat("m", "http://127.0.0.1:1/v1")
