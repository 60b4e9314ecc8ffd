"""Chat models: what a prompted reasoner talks to, and the client for all that speak OpenAI's chat completions.

OpenAI, Azure, Ollama, vLLM and llama.cpp differ in their base URL only. The key stands in no repr, message or record.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import islice
from math import inf
from time import monotonic
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Protocol

from explorer.errors import ModelError
from explorer.events import Sent, Usage
from explorer.models.endpoint import (
    AS_USUAL,
    NO_KEY,
    Bounds,
    Endpoint,
    Exchange,
    Problem,
    endpoint,
    seconds,
)
from explorer.models.local import address_in

if TYPE_CHECKING:
    import openai

NO_MODEL = "no model"  # the name under which a run without one is asked for and listed
NO_LANGUAGE_MODEL = "no language model"  # how that is said: what compares meanings is a small table of word vectors
_OPTIONAL = {  # what some services do not take, with the words by which they say so
    "response_format": ("response_format", "json_schema", "structured output", "grammar", "schema"),
    "stream_options": ("stream_options", "include_usage"),
    "temperature": ("temperature",),
    "system": ("system role", "system message", "'system'", "role", "alternate"),
    "stream": ("stream",),
}
_PLAIN = ("response_format", "stream_options", "temperature")  # left out at once where nobody says what is wrong
_MOST_OFFERED = 500
_THOUGHT_END = re.compile("</think(?:ing)?>")
_SPARE = 1.0  # seconds after which a thread ends by itself whose caller has left for silence
_LONGEST_MARK = 12  # characters of "</thinking>", which may come in pieces
_MOST_HELD = 50_000  # pieces of a thought whose end does not come
MOST = 64_000_000
"""Bytes of a reply: twice what 256 vectors of 4,096 numbers take as text."""


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a talk; `role` is system, user or assistant."""

    role: str
    text: str


@dataclass(frozen=True, slots=True)
class Schema:
    """The form a reply should have: JSON Schema with an object at its root, for services that hold a model to it."""

    name: str
    form: Mapping[str, object]


class CutShortError(ModelError):
    """The model stopped at a length limit: all pieces so far came, and more would have followed."""


class RefusedError(CutShortError):
    """The service said that the model refuses; its words came as pieces."""


class ChatModel(Protocol):
    """Anything that replies to messages."""

    @property
    def name(self) -> str:
        """The name of the model."""

    def complete(self, messages: Sequence[Message], *, schema: Schema | None = None) -> Iterator[str | Usage]:
        """Yield the reply in pieces as they come, then one Usage as reported; raises ModelError.

        Raises CutShortError after the Usage when the reply is not whole. Closing the iterator ends the call.
        """


class OpenAIChat:
    """A chat model behind an OpenAI-compatible address.

    `base_url` and `api_key` are OPENAI_BASE_URL and OPENAI_API_KEY by default; `timeout`, `run_timeout` and `context`
    are as `Bounds` has them. In up to `attempts` tries it waits as the service says, else `pause` seconds, doubling. A
    `private` address stands in no message.
    """

    def __init__(
        self,
        model: str,
        base_url: str | None = None,
        api_key: str | None = None,
        *,
        timeout: float | None = None,
        run_timeout: float | None = None,
        context: int | None = None,
        attempts: int = 4,
        pause: float = 0.5,
        temperature: float | None = 0.0,
        private: bool = False,
    ) -> None:
        """Store address and options; raises ModelError for an address or key that can't be right."""
        self.name = model
        self.model = model
        self.temperature = temperature
        silence, self.run_timeout, self.context = Bounds(timeout, run_timeout, context).settled()
        self.endpoint = endpoint(
            model, base_url, api_key, timeout=silence, attempts=attempts, pause=pause, private=private
        )
        self.refused: set[str] = set()  # what the service was found not to take, shared by the runs that use this
        self._until = inf  # when the run that this is for has had its time, by the monotonic clock
        self._thinking: set[str] = set()  # models whose thought the template begins, as their replies showed

    def __repr__(self) -> str:
        return f"<OpenAIChat {self.name} at {self.endpoint.shown}>"

    @classmethod
    def found_here(cls, name: str, bounds: Bounds) -> OpenAIChat | None:
        """Return the model behind a name that ends in an address on this machine, which gets no key; else None."""
        found = address_in(name)
        if found is None:
            return None
        chat = cls(*found, NO_KEY, **asdict(bounds))
        chat.name = name
        return chat

    def named(self, model: str) -> OpenAIChat:
        """Return another model behind the same address, with the same key, bounds and temperature."""
        at = self.endpoint
        return OpenAIChat(
            *(model, at.base_url, at.key), timeout=at.timeout, run_timeout=self.run_timeout, context=self.context,
            attempts=at.attempts, pause=at.pause, temperature=self.temperature, private=at.private,
        )  # fmt: skip

    def for_run(self) -> OpenAIChat:
        """Return the same model for one run, whose time begins now; what is learnt of the service stays.

        All runs ask a service on this machine by one call at a time.
        """
        run = copy(self)
        run._until = monotonic() + self.run_timeout  # noqa: SLF001 - its own copy
        return run

    def complete(self, messages: Sequence[Message], *, schema: Schema | None = None) -> Iterator[str | Usage]:
        """Yield the reply in pieces, then one Usage as reported; raises ModelError, last CutShortError."""
        until = min(self._until, monotonic() + self.run_timeout)
        exchange: Exchange[str | Usage] = Exchange(
            self.endpoint, lambda ours: self._talk(ours, messages, schema), until, in_turn=self._until < inf
        )
        ending: list[Usage | ModelError] = []

        def texts() -> Iterator[str]:
            try:
                for item in exchange.items():
                    if isinstance(item, str):
                        yield item
                    else:
                        ending.append(item)
            except ModelError as error:
                ending.append(error)

        yield from self._balanced(self.endpoint.clean(texts()))
        for last in ending:
            if isinstance(last, ModelError):
                raise last
            yield last

    def _talk(
        self, exchange: Exchange[str | Usage], messages: Sequence[Message], schema: Schema | None
    ) -> ModelError | None:
        """Ask until it works or there is no use; runs in the thread of the exchange."""
        attempt, left_out = 1, set(self.refused)
        while not exchange.left.is_set():
            form = None if schema is None or "response_format" in left_out else schema.name
            heat = None if "temperature" in left_out else self.temperature
            reply = _Reply(exchange, self, Sent(heat, form, tuple(sorted(left_out))))
            problem = reply.read(self._options(messages, schema, left_out))
            if problem is None or reply.begun:
                self.refused |= left_out
                return reply.end(problem)
            if (less := self._takes_less(problem, schema, left_out)) is not None:
                left_out |= less
                continue
            pause = self.endpoint.pause_after(problem, attempt, exchange.remaining)
            if pause is None:
                return self.endpoint.error(problem, self.name)
            exchange.left.wait(pause)
            attempt += 1
            if problem.status is not None:  # it did say something
                exchange.alive()
        return None

    def _balanced(self, pieces: Iterable[str]) -> Iterator[str]:
        """Yield a reply with the mark that begins its thought, where the template of the model has taken that.

        That it does is learnt from a reply; the next ones are held until their thought ends.
        """
        held: list[str] = []
        recent, is_begun, holds = "", False, self.model in self._thinking
        for piece in pieces:
            recent = recent[-_LONGEST_MARK:] + piece
            is_begun |= "<think" in recent
            held.append(piece)
            if holds and not is_begun and len(held) < _MOST_HELD and _THOUGHT_END.search(recent) is None:
                continue
            if end := None if is_begun else _THOUGHT_END.search(recent):
                self._thinking.add(self.model)
                is_begun = True
                held[:0] = [end[0].replace("/", "")] if holds else []
            holds = False
            yield from held
            held.clear()
        yield from held

    def _options(self, messages: Sequence[Message], schema: Schema | None, left_out: Collection[str]) -> dict[str, Any]:
        options: dict[str, Any] = {"stream": True, "stream_options": {"include_usage": True}}
        if self.temperature is not None:
            options["temperature"] = self.temperature
        if schema is not None:
            form = {"name": schema.name, "schema": schema.form, "strict": True}
            options["response_format"] = {"type": "json_schema", "json_schema": form}
        if "stream" in left_out:
            del options["stream_options"]
        talk = _without_system(messages) if "system" in left_out else messages
        kept = {name: value for name, value in options.items() if name not in left_out}
        told = [{"role": message.role, "content": message.text} for message in talk]
        return {"model": self.model, "messages": told, **kept}

    def _takes_less(self, problem: Problem, schema: Schema | None, left_out: Collection[str]) -> set[str] | None:
        """Return what else to leave out of a request that a service rejects; None: there is nothing.

        What the service names, else all that is optional, once.
        """
        if problem.status not in (400, 422) or problem.is_too_long or problem.is_filtered:
            return None
        sent = {*self._options((), schema, left_out), *({"system"} - {*left_out})}
        said = problem.said.lower()
        for name, words in _OPTIONAL.items():
            if name in sent and any(word in said for word in words):
                return {name}
        return ({*_PLAIN} & sent) or None


def context_of(chat: ChatModel) -> int:
    """Return the tokens that a prompt with its reply may have."""
    return chat.context if isinstance(chat, OpenAIChat) else AS_USUAL.settled()[2]


def _without_system(messages: Sequence[Message]) -> list[Message]:
    """Return the same talk for a model that knows no system: its words stand before the user's first."""
    told = [message.text for message in messages if message.role == "system"]
    rest = [message for message in messages if message.role != "system"]
    if told and rest:
        rest[0] = Message(rest[0].role, "\n\n".join([*told, rest[0].text]))
    return rest


class _Reply:
    def __init__(self, exchange: Exchange[str | Usage], chat: OpenAIChat, sent: Sent) -> None:
        self.exchange = exchange
        self.chat = chat
        self.begun = False
        self.finish: str | None = None
        self.kind = ""
        self.usage = Usage(sent=sent)
        self.refuses = False

    def read(self, options: dict[str, Any]) -> Problem | None:
        """Put the pieces of the reply into the exchange; returns what went wrong with the request, if anything."""
        import openai

        client = connect(self.exchange)
        try:
            if "stream" not in options:
                self.kind = "application/json"
                self._take(client.chat.completions.create(**options))
                return None
            with client.chat.completions.create(**options) as stream:
                self.kind = stream.response.headers.get("content-type", "").partition(";")[0].strip()
                if self.kind == "application/json":  # a whole reply in spite of what was asked for
                    whole = stream.response.read()
                    self._take(json.loads(whole, object_hook=lambda fields: SimpleNamespace(**fields)))
                    return None
                for chunk in stream:
                    if self.exchange.left.is_set():
                        return None
                    self._take(chunk)
        except openai.APIError as error:
            # an error that is neither of the connection nor of a status was told inside of the stream
            self.begun |= not isinstance(error, openai.APIConnectionError | openai.APIStatusError)
            return problem_of(error)
        finally:
            client.close()
        return None

    def _take(self, chunk: object) -> None:
        """Put the text of a chunk or a whole reply, and keep its usage; what is missing or malformed is absent."""
        choices: object = getattr(chunk, "choices", None)
        for choice in choices[:1] if isinstance(choices, list) else []:
            delta = getattr(choice, "delta", None) or getattr(choice, "message", None)
            refusal = getattr(delta, "refusal", None)
            self.refuses |= bool(refusal)
            text = getattr(delta, "content", None) or refusal
            if isinstance(text, str) and text:
                self.begun = True
                self.exchange.put(text)
            self.finish = getattr(choice, "finish_reason", None) or self.finish
        told = getattr(chunk, "usage", None)
        model = getattr(chunk, "model", None)
        self.usage = replace(
            self.usage,
            in_token=_count(getattr(told, "prompt_tokens", None), self.usage.in_token),
            out_token=_count(getattr(told, "completion_tokens", None), self.usage.out_token),
            model=self.chat.endpoint.scrubbed(model) if isinstance(model, str) and model else self.usage.model,
        )

    def end(self, problem: Problem | None) -> ModelError | None:
        """Put the usage, and return the error that the reply ended with: an incomplete reply is an error."""
        self.exchange.put(self.usage)
        where = self.chat.endpoint.shown
        if problem is not None:
            said = self.chat.endpoint.scrubbed(problem.said).rstrip(".")
            return ModelError(f"The reply of {self.chat.name} broke off ({said}); ask again.")
        match self.finish:
            case "length":
                return CutShortError(
                    f"The reply of {self.chat.name} was cut off at its length limit; raise that limit."
                )
            case "content_filter":
                return ModelError(f"{where} withheld the reply by its filter of contents; ask in other words.")
            case _ if self.refuses:
                return RefusedError(f"{self.chat.name} refused to answer.")
            case None if self.begun or self.kind == "text/event-stream":
                return ModelError(f"The reply of {self.chat.name} broke off before its end; ask again.")
            case None:
                kind = self.kind or "nothing"
                told = f"{where} answered with {kind} instead of a stream of text"
                return ModelError(f"{told}; check that base_url leads to an OpenAI-compatible service.")
            case _:
                return None


def offered(where: Endpoint) -> list[str]:
    """Return the names of the models that an address says it has, sorted; raises ModelError."""
    exchange: Exchange[str] = Exchange(where, _list_models)
    return sorted(dict.fromkeys(exchange.items()))


def _list_models(exchange: Exchange[str]) -> ModelError | None:
    import openai

    client, where = connect(exchange), exchange.endpoint
    try:
        for model in islice(client.models.list(), _MOST_OFFERED):
            name = getattr(model, "id", None)
            if isinstance(name, str) and name.strip() and name.isprintable() and name == where.scrubbed(name):
                exchange.put(name)
    except openai.APIError as error:
        problem = problem_of(error)
        if problem.status in (None, 401, 403):
            return where.error(problem, "")
        return ModelError(f"{where.shown} does not say which models it has ({problem.status}); name one.")
    finally:
        client.close()
    return None


def connect(exchange: Exchange[Any]) -> openai.OpenAI:
    """Return a client for one attempt, which is closed when the waiting caller leaves."""
    import openai

    where = exchange.endpoint
    abroad = not where.is_here  # what is asked on this machine stays there: by no proxy, to no other address
    hooks: dict[str, list[Callable[..., object]]] = {
        "response": [partial(bound, shown=where.shown, alive=exchange.alive)]
    }
    is_plain = where.is_here and where.base_url.startswith("http:")  # to read all certificates takes 30 ms a call
    client = openai.OpenAI(
        base_url=where.base_url, api_key=where.key, timeout=exchange.remaining + _SPARE, max_retries=0,
        default_headers={"Accept-Encoding": "identity"},
        http_client=openai.DefaultHttpxClient(
            event_hooks=hooks, trust_env=abroad, follow_redirects=abroad, verify=not is_plain
        ),
    )  # fmt: skip
    exchange.closing = client.close
    return client


def problem_of(error: openai.APIError) -> Problem:
    """Return the problem that an exception of the client stands for; raises what the reply itself raised."""
    if isinstance(error.__cause__, ModelError):
        raise error.__cause__ from None
    response = getattr(error, "response", None)  # only errors with a status have one
    if response is None:
        return Problem(None, str(error.__cause__ or error.message), code=error.code)
    said = str(error.body) if isinstance(error.body, Mapping) else error.message
    told = error.body.get("message") if isinstance(error.body, Mapping) else None
    wait = seconds(response.headers, time.time())  # noqa: TID251 - a date in a header is compared with the world's clock
    return Problem(response.status_code, told if isinstance(told, str) else said, wait, error.code or error.type)


def _count(value: object, known: int | None) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else known


def bound(response: Any, shown: str, alive: Callable[[], None] = lambda: None) -> None:  # noqa: ANN401 - of httpx or httpx2, as the version of openai has it
    """Have a response raise ModelError beyond `MOST` bytes, and at once where it is packed, which was not asked for.

    `shown` is the address as messages show it; `alive` is told of each piece.
    """
    packed = response.headers.get("content-encoding", "identity")
    if packed != "identity":
        raise ModelError(f"{shown} sent a reply packed by {packed[:20]!r}, not asked for; check that service.")
    pieces = response.iter_raw

    def counted(chunk_size: int | None = None) -> Iterator[bytes]:
        size = 0
        for piece in pieces(chunk_size):
            alive()
            size += len(piece)
            if size > MOST:
                told = f"{shown} sent more than {MOST // 1_000_000} MB in one reply"
                raise ModelError(f"{told}; ask for less, or check that base_url leads to an OpenAI-compatible service.")
            yield piece

    response.iter_raw = counted
