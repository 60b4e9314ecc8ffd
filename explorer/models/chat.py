"""Chat models: what a prompted reasoner talks to, and the client for all that speak OpenAI's chat completions.

OpenAI, Azure, Ollama, vLLM and llama.cpp differ in their base URL only. The key stands in no repr, message or record.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, Protocol

from explorer.errors import ModelError
from explorer.events import Usage
from explorer.models.endpoint import NO_KEY, Endpoint, Exchange, Problem, endpoint, seconds
from explorer.models.local import address_in

if TYPE_CHECKING:
    import openai
    from openai.types.chat import ChatCompletionChunk

NO_MODEL = "no model"  # the name under which a run without one is asked for and listed
NO_LANGUAGE_MODEL = "no language model"  # how that is said: what compares meanings is a small table of word vectors
_OPTIONAL = {  # what some services do not take, with the words by which they say so
    "response_format": ("response_format", "json_schema", "structured output", "grammar", "schema"),
    "stream_options": ("stream_options", "include_usage"),
    "temperature": ("temperature",),
}
_MOST_OFFERED = 500


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


class TooLongError(ModelError):
    """The prompt is longer than the model takes."""


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

    `base_url` and `api_key` are OPENAI_BASE_URL and OPENAI_API_KEY by default. `timeout` is seconds for one reply to
    its last word, in up to `attempts` tries; between them it waits as the service says, else `pause` seconds, doubling.
    A `private` address stands in no message.
    """

    def __init__(
        self,
        model: str,
        base_url: str | None = None,
        api_key: str | None = None,
        *,
        timeout: float = 300.0,
        attempts: int = 4,
        pause: float = 0.5,
        temperature: float | None = 0.0,
        private: bool = False,
    ) -> None:
        """Store address and options; raises ModelError for an address or key that can't be right."""
        self.name = model
        self.model = model
        self.temperature = temperature
        self.endpoint = endpoint(
            model, base_url, api_key, timeout=timeout, attempts=attempts, pause=pause, private=private
        )
        self._refused: set[str] = set()  # options the service was found not to take

    def __repr__(self) -> str:
        return f"<OpenAIChat {self.name} at {self.endpoint.shown}>"

    @classmethod
    def found_here(cls, name: str) -> OpenAIChat | None:
        """Return the model behind a name that ends in an address on this machine, which gets no key; else None."""
        found = address_in(name)
        if found is None:
            return None
        chat = cls(*found, NO_KEY)
        chat.name = name
        return chat

    def named(self, model: str) -> OpenAIChat:
        """Return another model behind the same address, with the same key, timeouts and temperature."""
        at = self.endpoint
        return OpenAIChat(
            *(model, at.base_url, at.key),
            timeout=at.timeout, attempts=at.attempts, pause=at.pause, temperature=self.temperature, private=at.private,
        )  # fmt: skip

    def complete(self, messages: Sequence[Message], *, schema: Schema | None = None) -> Iterator[str | Usage]:
        """Yield the reply in pieces, then one Usage as reported; raises ModelError, last CutShortError."""
        exchange: Exchange[str | Usage] = Exchange(self.endpoint, lambda ours: self._talk(ours, messages, schema))
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

        yield from self.endpoint.clean(texts())
        for last in ending:
            if isinstance(last, ModelError):
                raise last
            yield last

    def _talk(
        self, exchange: Exchange[str | Usage], messages: Sequence[Message], schema: Schema | None
    ) -> ModelError | None:
        """Ask until it works or there is no use; runs in the thread of the exchange."""
        attempt = 1
        while not exchange.left.is_set():
            reply = _Reply(exchange, self)
            problem = reply.read(self._options(messages, schema))
            if problem is None or reply.begun:
                return reply.end(problem)
            if refused := self._takes_less(problem, schema):
                self._refused.add(refused)
                continue
            pause = self.endpoint.pause_after(problem, attempt, exchange.remaining)
            if pause is None:
                return self.endpoint.error(problem, self.name)
            exchange.left.wait(pause)
            attempt += 1
        return None

    def _options(self, messages: Sequence[Message], schema: Schema | None) -> dict[str, Any]:
        options: dict[str, Any] = {"stream_options": {"include_usage": True}}
        if self.temperature is not None:
            options["temperature"] = self.temperature
        if schema is not None:
            form = {"name": schema.name, "schema": schema.form, "strict": True}
            options["response_format"] = {"type": "json_schema", "json_schema": form}
        kept = {name: value for name, value in options.items() if name not in self._refused}
        talk = [{"role": message.role, "content": message.text} for message in messages]
        return {"model": self.model, "messages": talk, "stream": True, **kept}

    def _takes_less(self, problem: Problem, schema: Schema | None) -> str | None:
        """Return the option that a service rejects, if the request can do without."""
        if problem.status not in (400, 422):
            return None
        sent = self._options((), schema)
        said = problem.said.lower()
        return next((name for name, words in _OPTIONAL.items() if name in sent and any(w in said for w in words)), None)


class _Reply:
    """One attempt: what came of the stream."""

    def __init__(self, exchange: Exchange[str | Usage], chat: OpenAIChat) -> None:
        self.exchange = exchange
        self.chat = chat
        self.begun = False
        self.finish: str | None = None
        self.kind = ""
        self.usage = Usage()

    def read(self, options: dict[str, Any]) -> Problem | None:
        """Put the pieces of the reply into the exchange; returns what went wrong with the request, if anything."""
        import openai

        client = connect(self.exchange)
        try:
            with client.chat.completions.create(**options) as stream:
                self.kind = stream.response.headers.get("content-type", "").partition(";")[0].strip()
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

    def _take(self, chunk: ChatCompletionChunk) -> None:
        """Put the text of a chunk and keep its usage; fields that are missing or malformed count as absent."""
        choices: object = getattr(chunk, "choices", None)
        for choice in choices[:1] if isinstance(choices, list) else []:
            delta = getattr(choice, "delta", None)
            text = getattr(delta, "content", None) or getattr(delta, "refusal", None)
            if isinstance(text, str) and text:
                self.begun = True
                self.exchange.put(text)
            self.finish = getattr(choice, "finish_reason", None) or self.finish
        told = getattr(chunk, "usage", None)
        model = getattr(chunk, "model", None)
        self.usage = Usage(
            _count(getattr(told, "prompt_tokens", None), self.usage.in_token),
            _count(getattr(told, "completion_tokens", None), self.usage.out_token),
            self.chat.endpoint.scrubbed(model) if isinstance(model, str) and model else self.usage.model,
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
    """Ask once; runs in the thread of the exchange."""
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

    from explorer.models.bounded import bound

    where = exchange.endpoint
    abroad = not where.is_here  # what is asked on this machine stays there: by no proxy, to no other address
    hooks: dict[str, list[Callable[..., object]]] = {"response": [partial(bound, shown=where.shown)]}
    client = openai.OpenAI(
        base_url=where.base_url, api_key=where.key, timeout=exchange.remaining, max_retries=0,
        default_headers={"Accept-Encoding": "identity"},
        http_client=openai.DefaultHttpxClient(event_hooks=hooks, trust_env=abroad, follow_redirects=abroad),
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
    """Read a number of tokens; anything else counts as not reported."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else known
