"""The endpoint of a model service: its address, its key (shown nowhere), timeouts and attempts, and what failures mean.

Nothing of an HTTP library is in here: a failed request comes as a `Problem` and leaves as one sentence.
"""

from __future__ import annotations

import ipaddress
import os
import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from math import ceil, inf
from queue import Empty, SimpleQueue
from typing import Generic, TypeVar
from urllib.parse import quote, urlsplit

from explorer.errors import ModelError
from explorer.text import sound, truncate

T = TypeVar("T")

OPENAI = "https://api.openai.com/v1"
NO_KEY = "none"  # servers on one's own machine ask for no key, the client insists on one
_LONGEST_WAIT = 0.05  # seconds until a caller who waits for its turn is looked at again
_TOO_LONG = re.compile(
    r"context.{0,60}(?:exceed|length|window|size|limit|long)|exceed.{0,60}(?:context|tokens)|"
    r"too (?:long|large|many tokens)"
)
_FILTER = ("content_filter", "content filter", "content management policy", "responsibleaipolicyviolation")
_TELLING = 6  # a shorter key is a placeholder such as "none", and would be found inside of words
_HIDDEN = "***"
_GIVEN = "[the address given]"
_ERRNO = re.compile(r"\[Errno -?\d+\] ?")
_BEARER = re.compile(r"(?i)(bearer\s+)[^\s\"']+")
_TURNS: dict[int | None, threading.Lock] = {}  # of each port on this machine
_TURNS_LOCK = threading.Lock()
_PASSING = frozenset((408, 409, 425, 429))


class TooLongError(ModelError):
    """The prompt is longer than the model takes."""


class ClosedError(ModelError):
    """There is no service, model or key to ask with: the next call would end the same way."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a request failed: the HTTP status (None: no response), the message, and the seconds to wait if named."""

    status: int | None
    said: str
    wait: float | None = None
    code: str | None = None

    @property
    def is_too_long(self) -> bool:
        """Whether the prompt is longer than the model takes."""
        told = self.status in (400, 413, 422, 500)
        return told and (self.code == "context_length_exceeded" or _TOO_LONG.search(self.said.lower()) is not None)

    @property
    def is_filtered(self) -> bool:
        """Whether a filter of contents refused the prompt."""
        said = f"{self.code} {self.said}".lower()
        return self.status in (400, 403, 422) and any(words in said for words in _FILTER)

    @property
    def passing(self) -> bool:
        """Whether trying again may help."""
        if self.code == "insufficient_quota" or self.is_too_long:
            return False
        return self.status is None or self.status in _PASSING or self.status >= 500


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An OpenAI-compatible address and its key; `timeout` is seconds for which it may be silent.

    A `private` address is told to nobody, as the key of any.
    """

    base_url: str = field(repr=False)
    key: str = field(repr=False)
    timeout: float
    attempts: int
    pause: float
    private: bool = False

    @property
    def shown(self) -> str:
        """The address without credentials, for people."""
        return _GIVEN if self.private else self.scrubbed(self.base_url)

    @property
    def is_here(self) -> bool:
        """Whether it is on this machine."""
        host = urlsplit(self.base_url).hostname or ""
        with suppress(ValueError):
            return ipaddress.ip_address(host).is_loopback
        return host == "localhost"

    def scrubbed(self, text: str) -> str:
        """Return a text without the key, and without a private address."""
        if self.private:
            for where in (self.base_url, urlsplit(self.base_url).netloc):
                text = text.replace(where, _GIVEN) if where else text
        for secret in dict.fromkeys((self.key, quote(self.key, safe=""))):
            text = text.replace(secret, _HIDDEN) if len(secret) >= _TELLING else text
        return _BEARER.sub(rf"\1{_HIDDEN}", text)

    def clean(self, pieces: Iterable[str]) -> Iterator[str]:
        """Yield a text that comes in pieces without the key, and with halves of characters joined."""
        held = ""
        for piece in pieces:
            held = _paired(held + piece)
            if len(self.key) >= _TELLING:
                held = held.replace(self.key, _HIDDEN)
            keep = self._unsure(held)
            if said := held[: len(held) - keep]:
                yield said
            held = held[len(held) - keep :]
        if held:
            yield sound(held)

    def _unsure(self, text: str) -> int:
        """Return the length of a text's end that the next piece may complete to a key or a character."""
        if len(self.key) >= _TELLING:
            longest = min(len(self.key) - 1, len(text))
            begun = next((n for n in range(longest, 0, -1) if self.key.startswith(text[-n:])), 0)
            if begun:
                return begun
        return int("\ud800" <= text[-1:] <= "\udbff")

    def pause_after(self, problem: Problem, attempt: int, left: float) -> float | None:
        """Return the seconds to wait before the next attempt (from 1), by the service or doubling; None: give up."""
        if not problem.passing or attempt >= self.attempts:
            return None
        wait = self.pause * 2 ** (attempt - 1) if problem.wait is None else problem.wait
        return wait if wait < left else None

    def error(self, problem: Problem, model: str) -> ModelError:
        """Return the error, which says in one sentence what happened and what to do."""
        said = truncate(_ERRNO.sub("", " ".join(self.scrubbed(problem.said).split())).rstrip("."), 200)
        told = f"{problem.status}: {said}" if said else f"{problem.status}"
        if problem.is_too_long:
            return TooLongError(
                f"The prompt is longer than {model} takes ({told}); lower context (EXPLORER_MODEL_CONTEXT), or "
                "score_batch, edge_limit or doc_limit."
            )
        if problem.is_filtered:
            return ModelError(f"{self.shown} refused by its filter of contents ({told}); ask in other words.")
        match problem.status:
            case None:
                return ClosedError(
                    f"No model can be reached at {self.shown} ({said}); check that the server runs, and its address "
                    "(base_url)."
                )
            case 403:
                return ClosedError(
                    f"{self.shown} does not allow this ({told}). Check what OPENAI_API_KEY or api_key may do."
                )
            case 401:
                return ClosedError(f"{self.shown} refused the key ({problem.status}); check OPENAI_API_KEY or api_key.")
            case 404:
                return ClosedError(
                    f"{self.shown} does not know the model {model} or is no such service ({told}). Check model and "
                    "base_url, which often ends in /v1."
                )
            case 429:
                if problem.code == "insufficient_quota":
                    return ClosedError(
                        f"{self.shown} has no quota left for this key ({told}); look at your plan there."
                    )
                wait = "later" if problem.wait is None else f"in {max(1, ceil(problem.wait))} s"
                return ModelError(f"{self.shown} limits the rate ({told}); ask again {wait}.")
            case status if status >= 500:
                return ModelError(f"{self.shown} failed ({told}); look at that server, or ask again later.")
            case _:
                return ModelError(f"{self.shown} refused the request for {model} ({told}). Check the model's settings.")


def endpoint(
    model: str,
    base_url: str | None,
    api_key: str | None,
    *,
    timeout: float,
    attempts: int,
    pause: float,
    private: bool = False,
) -> Endpoint:
    """Fill in OPENAI_BASE_URL and OPENAI_API_KEY; raises ModelError for what can't be asked."""
    url = (base_url or os.environ.get("OPENAI_BASE_URL") or OPENAI).strip()
    key = (api_key or os.environ.get("OPENAI_API_KEY") or "").strip()
    made = Endpoint(url, key or NO_KEY, timeout, max(1, attempts), pause, private)
    wrong = f"{made.shown!r} is not a web address; give base_url like http://localhost:11434/v1."
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise ModelError(wrong) from error
    if "@" in parts.netloc or parts.query or parts.fragment:  # addresses are shown and logged, keys are not
        raise ModelError(
            "base_url holds more than an address; leave out what is before @ or after ? (/openai/v1 of Azure needs no "
            "api-version), and use api_key."
        )
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise ModelError(wrong)
    if not key and url == OPENAI:
        raise ModelError(f"The model {model} needs a key; set OPENAI_API_KEY, or base_url for a server of your own.")
    if not key.isascii() or not key.isprintable():
        raise ModelError("The key has characters that no key has; copy it again.")
    return made


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a model is given; what is None is as the environment says, else as usual.

    `timeout` is seconds for which its service may be silent (EXPLORER_MODEL_TIMEOUT, 300), `run_timeout` those for all
    calls of a run (EXPLORER_MODEL_RUN_TIMEOUT, 3,600), `context` the tokens that a prompt with its reply may have
    (EXPLORER_MODEL_CONTEXT, 8,192).
    """

    timeout: float | None = None
    run_timeout: float | None = None
    context: int | None = None

    def settled(self) -> tuple[float, float, int]:
        """Return all three; raises ModelError for one that is no number above 0."""
        return (
            _setting("EXPLORER_MODEL_TIMEOUT", self.timeout, 300.0),
            _setting("EXPLORER_MODEL_RUN_TIMEOUT", self.run_timeout, 3_600.0),
            ceil(_setting("EXPLORER_MODEL_CONTEXT", self.context, 8_192)),
        )


AS_USUAL = Bounds()


def _setting(variable: str, given: float | None, usual: float) -> float:
    """Return a number as given, else from the environment, else the usual one; raises ModelError for none above 0."""
    told = os.environ.get(variable, "").strip()
    try:
        number = given if given is not None else float(told) if told else usual
    except ValueError:
        number = 0.0
    if not 0 < number < inf:
        raise ModelError(f"{variable} must be a number above 0, not {told if given is None else given!r}.")
    return number


def seconds(headers: Mapping[str, str], now: float) -> float | None:
    """Read how long to wait from the headers of a response; `now` is in seconds since 1970."""
    from email.utils import parsedate_to_datetime

    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        told = headers.get(name, "")
        if re.fullmatch(r"\d{1,9}(\.\d+)?", told):
            return float(told) * unit
    try:
        return max(0.0, parsedate_to_datetime(headers.get("retry-after", "")).timestamp() - now)
    except (ValueError, TypeError):
        return None


class Exchange(Generic[T]):
    """One call in a thread of its own: the waiting caller can leave at the deadline or at any time."""

    def __init__(
        self,
        endpoint: Endpoint,
        work: Callable[[Exchange[T]], ModelError | None],
        until: float = inf,
        *,
        in_turn: bool = False,
    ) -> None:
        """Store the work: it puts what it gets, checks `left`, and returns the error it ended with.

        `until` is when all has to end, by the monotonic clock, however much comes. What is `in_turn` waits until no
        other such call goes to a service on this machine, which works at one request after the other.
        """
        self.endpoint = endpoint
        self.left = threading.Event()
        self.closing: Callable[[], None] | None = None
        self._work = work
        self._items: SimpleQueue[T | ModelError | None] = SimpleQueue()
        self._until = until
        self._silent_at = inf  # while it waits for its turn nobody is silent
        self._in_turn = in_turn and endpoint.is_here
        self._turn: list[threading.Lock] = []

    @property
    def remaining(self) -> float:
        """The seconds until the deadline, at least a thousandth."""
        return max(0.001, min(self._silent_at, self._until) - time.monotonic())

    def alive(self) -> None:
        """Note that the service has sent something, or was asked."""
        self._silent_at = time.monotonic() + self.endpoint.timeout

    def put(self, item: T) -> None:
        """Hand over a piece."""
        self.alive()
        self._items.put(item)

    def items(self) -> Iterator[T]:
        """Yield what the work puts, as it comes; raises ModelError. Closing the iterator closes the connection."""
        threading.Thread(target=self._run, name="model call", daemon=True).start()
        try:
            while (item := self._next()) is not None:
                if isinstance(item, ModelError):
                    raise item
                yield item
        finally:
            self.left.set()
            if self.closing is not None:
                self.closing()
            self._give_back()

    def _next(self) -> T | ModelError | None:
        while True:
            with suppress(Empty):
                return self._items.get(timeout=min(self.remaining, _LONGEST_WAIT * 20))
            now = time.monotonic()
            if now >= self._until:
                return ModelError(
                    "The run took longer than its models may take; raise run_timeout (EXPLORER_MODEL_RUN_TIMEOUT), ask "
                    "for less, or choose a faster model."
                )
            if now >= self._silent_at:
                return ModelError(
                    f"The model at {self.endpoint.shown} took longer than {self.endpoint.timeout:g} s without a "
                    "word. Raise timeout (EXPLORER_MODEL_TIMEOUT), ask for less, or choose a faster model."
                )

    def _take_turn(self) -> None:
        if not self._in_turn:
            return
        with _TURNS_LOCK:
            turn = _TURNS.setdefault(urlsplit(self.endpoint.base_url).port, threading.Lock())
        while not self.left.is_set():
            if turn.acquire(timeout=_LONGEST_WAIT):
                self._turn.append(turn)
                break
        if self.left.is_set():
            self._give_back()

    def _give_back(self) -> None:
        """Let the next one ask; whoever comes first does it, the work or the caller that leaves."""
        with suppress(IndexError):
            self._turn.pop().release()

    def _run(self) -> None:
        self._take_turn()
        self.alive()
        try:
            end = self._work(self)
        except ModelError as error:
            end = error
        except Exception as error:  # noqa: BLE001 - the end of a thread; whoever waits must hear of it
            said = truncate(self.endpoint.scrubbed(str(error)), 120)
            told = f"{self.endpoint.shown} sent what can't be read ({type(error).__name__}: {said})"
            end = ModelError(f"{told}; check that base_url leads to an OpenAI-compatible service.")
        self._give_back()
        self._items.put(end)


def _paired(text: str) -> str:
    """Join the halves of characters that were cut in two; a first half at the end may find its other one later."""
    half = text[-1:] if "\ud800" <= text[-1:] <= "\udbff" else ""
    return sound(text[: len(text) - len(half)]) + half
