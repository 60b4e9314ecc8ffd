"""Requests to a SPARQL server: queries that are read while they come, updates, and what to do when one fails.

A password is in no message, no repr and no log; the address is shown without it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, cast
from urllib.parse import unquote, urlsplit

from pyoxigraph import (
    QueryBoolean,
    QueryResultsFormat,
    QuerySolution,
    QuerySolutions,
    RdfFormat,
    Triple,
    Variable,
    parse,
    parse_query_results,
)

from explorer.errors import CLOSED, WorkspaceError
from explorer.stores.database import AwayError, how_to_start
from explorer.stores.places import plain
from explorer.text import one_line, truncate

if TYPE_CHECKING:
    import httpx

USER, PASSWORD, TOKEN = "EXPLORER_ENDPOINT_USER", "EXPLORER_ENDPOINT_PASSWORD", "EXPLORER_ENDPOINT_TOKEN"
_TRIES_AGAIN = frozenset((429, 502, 503, 504))
_PAUSE = 0.2  # seconds
_BYTES = 1_000_000  # of an update that a server is given a second for: what a batch of documents says has many of them
_FULL = "No space left on device"  # as the system says it, which servers pass on
_RESULTS, _TRIPLES = "application/sparql-results+json", "application/n-triples"


class DoubtfulError(AwayError):
    """An update of which it is not known whether the server made it: its reply was lost, unless it `was_late`."""

    was_late = False


class RefusedError(WorkspaceError):
    """What the server read and refused, with what it `replied`; nothing of it was done."""

    replied = ""


@dataclass(frozen=True, slots=True)
class Address:
    """Where a server is asked, changed, and filled (graph store protocol; None: by updates), without credentials."""

    query: str
    update: str
    store: str | None = None
    user: str | None = field(default=None, repr=False)
    password: str | None = field(default=None, repr=False)
    token: str | None = field(default=None, repr=False)
    variables: str = f"{USER} and {PASSWORD}, or {TOKEN}"
    unreached: str | None = None
    """What to do where it can't be reached; None: to start it."""

    @classmethod
    def of(cls, query: str, update: str | None = None, store: str | None = None) -> Address:
        """Read addresses and the environment; a user and password in the first address go before that one's.

        Raises WorkspaceError for what is no address on the web.
        """
        parts = urlsplit(query)
        user = unquote(parts.username) if parts.username else os.environ.get(USER)
        password = unquote(parts.password) if parts.password else os.environ.get(PASSWORD)
        shown = [plain(one) for one in (query, update or query)]
        return cls(shown[0], shown[1], store and plain(store), user, password, os.environ.get(TOKEN))

    @property
    def credentials(self) -> str | None:
        """What the server is told about who asks, in words without secrets; None where it is told nothing."""
        if self.user:
            return f"the user {self.user}"
        return "a token" if self.token else None


class Server:
    """One server; `timeout` is how many seconds a request may take, an update a second more for each megabyte."""

    def __init__(self, address: Address, timeout: float = 10) -> None:
        self.address = address
        self.timeout = timeout
        self.closed: str | None = None
        self._client: httpx.Client | None = None

    def __repr__(self) -> str:
        """Return it by its address, without credentials."""
        return f"Server({self.address.query!r})"

    def close(self, why: str = CLOSED) -> None:
        """Close all connections; whatever is asked later raises WorkspaceError with `why`."""
        client, self._client, self.closed = self._client, None, why
        if client is not None:
            client.close()

    def disown(self, why: str) -> None:
        """Leave the connections to the process that this one was forked from."""
        self._client, self.closed = None, why

    @contextmanager
    def solutions(
        self, sparql: str, dataset: Sequence[tuple[str, str]] = (), seconds: float | None = None
    ) -> Iterator[Rows | QueryBoolean]:
        """Ask for rows or a truth value, which are read while they come; leaving the block cuts the request off.

        `dataset` holds pairs as the protocol names them. With `seconds` all of it has to be read by then.
        """
        with self._asked(sparql, _RESULTS, dataset, seconds) as (body, kind):
            with self._read(kind):
                if "json" not in kind and "xml" not in kind:
                    raise SyntaxError(f"{kind or 'no type'} instead of SPARQL results")
                form = QueryResultsFormat.JSON if "json" in kind else QueryResultsFormat.XML
                held = [parse_query_results(cast("IO[bytes]", body), form)]
            try:
                yield held[0] if isinstance(held[0], QueryBoolean) else Rows(held)
            finally:
                held.clear()

    def rows(self, sparql: str, seconds: float | None = None) -> list[QuerySolution]:
        """Ask for rows, and read all of them within the time of a request."""
        with self.solutions(sparql, seconds=seconds or self.timeout) as found, self.read():
            assert isinstance(found, Rows)  # noqa: S101 - SELECT gives rows
            return list(found)

    def triples(self, sparql: str, dataset: Sequence[tuple[str, str]], seconds: float) -> list[Triple]:
        """Ask for triples, and read all of them within so many seconds."""
        with self._asked(sparql, _TRIPLES, dataset, seconds) as (body, kind), self._read(kind):
            form = RdfFormat.from_media_type(kind.partition(";")[0].strip())
            if form is None:
                raise SyntaxError(f"{kind or 'no type'} instead of triples")
            return [quad.triple for quad in parse(cast("IO[bytes]", body), form)]

    def read(self, kind: str = "") -> _Reading:
        """Return a block in which what can't be read of a reply, of that media type, raises WorkspaceError."""
        return self._read(kind)

    def body(self, sparql: str, seconds: float, most: int) -> tuple[bytes, str]:
        """Ask for rows or a truth value, and return the whole reply as it came, with its media type.

        Raises WorkspaceError for one of more than `most` bytes, and where it was not read within so many seconds.
        """
        with self._asked(sparql, _RESULTS, (), seconds) as (body, kind):
            pieces, size = list[bytes](), 0
            while piece := body.read():
                pieces.append(piece)
                size += len(piece)
                if size > most:
                    raise WorkspaceError(f"{self.address.query} answered with more than {most // 10**6:,} MB at once.")
            return b"".join(pieces), kind

    def update(self, sparql: str) -> None:
        """Change what the server has; all of an update is one request.

        Raises RefusedError where the server says that it was not made, and DoubtfulError where that is not known.
        """
        self._sent(self.address.update, sparql.encode(), "application/sparql-update")

    def fill(self, graph: str, triples: str) -> None:
        """Add N-Triples to a graph by the graph store protocol; raises as `update`."""
        assert self.address.store is not None  # noqa: S101 - asked only where there is one
        self._sent(self.address.store, triples.encode(), _TRIPLES, {"graph": graph})

    def _sent(self, url: str, body: bytes, kind: str, params: dict[str, str] | None = None) -> None:
        import httpx

        allowed = self.timeout + len(body) / _BYTES
        for is_last in (False, True):
            try:
                reply = self._http().post(
                    url, content=body, params=params, headers={"Content-Type": kind},
                    timeout=httpx.Timeout(self.timeout, read=allowed),
                )  # fmt: skip
            except httpx.ConnectError as error:  # it was never sent
                if is_last:
                    raise AwayError(self._unreachable(error)) from None
                time.sleep(_PAUSE)
                continue
            except httpx.HTTPError as error:
                doubt = DoubtfulError(
                    f"{self._unreachable(error, allowed)} It is not known whether the last change was made."
                )
                doubt.was_late = isinstance(error, httpx.TimeoutException)
                raise doubt from None
            if reply.status_code >= 500:
                raise DoubtfulError(self._status(reply.status_code, reply.text, writing=True))
            if not reply.is_success:
                raise RefusedError(self._status(reply.status_code, reply.text, writing=True))
            return

    @contextmanager
    def _asked(
        self, sparql: str, accepted: str, dataset: Sequence[tuple[str, str]], seconds: float | None
    ) -> Iterator[tuple[_Body, str]]:
        import httpx

        until = time.monotonic() + seconds if seconds else None
        with self._reply(sparql, accepted, dataset, until) as reply:
            body = _Body(self, reply, until)
            try:
                yield body, reply.headers.get("Content-Type", "").lower()
            except httpx.HTTPError as error:
                raise AwayError(self._unreachable(error)) from None

    @contextmanager
    def _reply(
        self, sparql: str, accepted: str, dataset: Sequence[tuple[str, str]], until: float | None
    ) -> Iterator[httpx.Response]:
        """Yield the reply to a query; one that was not answered is asked again once, which changes nothing."""
        import httpx

        said = {"Accept": accepted, "Content-Type": "application/sparql-query"}
        asked = httpx.URL(self.address.query)
        for name, graph in dataset:
            asked = asked.copy_add_param(name, graph)
        for is_last in (False, True):
            left = self.timeout if until is None else max(0.01, until - time.monotonic())
            request = self._http().build_request(
                "POST", asked, content=sparql.encode(), headers=said, timeout=min(left, self.timeout)
            )
            try:
                reply = self._http().send(request, stream=True)
            except httpx.TimeoutException as error:
                raise AwayError(self._unreachable(error)) from None
            except httpx.HTTPError as error:
                if is_last:
                    raise AwayError(self._unreachable(error)) from None
                time.sleep(_PAUSE)
                continue
            try:
                if reply.status_code in _TRIES_AGAIN and not is_last:
                    time.sleep(_PAUSE)
                    continue
                if not reply.is_success:
                    reply.read()
                    why = self._status(reply.status_code, reply.text, writing=False)
                    if reply.status_code == 400:
                        refused = RefusedError(why)
                        refused.replied = f"400: {self._scrubbed(truncate(one_line(reply.text), 300))}"
                        raise refused
                    raise (AwayError if reply.status_code in _TRIES_AGAIN else WorkspaceError)(why)
                yield reply
                return
            finally:
                reply.close()

    def _http(self) -> httpx.Client:
        import httpx

        if self.closed is not None:
            raise WorkspaceError(self.closed)
        if self._client is None:
            at, headers = self.address, {"User-Agent": "provenance-explorer"}
            auth = httpx.BasicAuth(at.user, at.password or "") if at.user else None
            if at.token and not at.user:
                headers["Authorization"] = f"Bearer {at.token}"
            is_plain = all(one.startswith("http:") for one in (at.query, at.update, at.store or at.query))
            self._client = httpx.Client(
                auth=auth, headers=headers, timeout=self.timeout, trust_env=False, verify=not is_plain
            )
        return self._client

    def _read(self, kind: str) -> _Reading:
        return _Reading(self, kind)

    def _unreachable(self, error: Exception, seconds: float | None = None) -> str:
        import httpx

        at = self.address.query
        if isinstance(error, httpx.ConnectTimeout | httpx.ReadTimeout | httpx.WriteTimeout | httpx.PoolTimeout):
            allowed = f"{seconds or self.timeout:.3g} s"
            return f"{at} did not answer within {allowed}; see whether it is busy, or give it more by timeout=."
        if isinstance(error, httpx.ConnectError):
            start = f"start it{how_to_start(urlsplit(at).hostname)}, or see whether the address is right."
            return f"{at} can't be reached ({one_line(str(error))}); {self.address.unreached or start}"
        return f"The connection to {at} was lost ({one_line(str(error))}); see whether it still runs, and try again."

    def _status(self, status: int, text: str, *, writing: bool) -> str:
        at = self.address.update if writing else self.address.query
        said = self._scrubbed(truncate(one_line(text), 300))
        if status in (401, 403):
            who = self.address.credentials
            told = f"{at} does not let {who or 'anybody without a password'} {'write' if writing else 'read'}"
            return f"{told} ({status}); set {self.address.variables}."
        if 300 <= status < 400:
            return f"{at} sends elsewhere ({status}); give the address that it names."
        if status in (404, 405, 415):
            what = "updates" if writing else "queries"
            more = " and give it after the one for queries, with a space between them" if writing else ""
            return f"{at} takes no {what} ({status}); see what its address for {what} is{more}."
        if _FULL in said:
            return f"{at} can't write ({status}: {said}); make room on its disk, then try again."
        if writing:
            return f"{at} refused an update ({status}: {said}); see its log, and whether it lets you write."
        return f"{at} could not answer ({status}: {said}); see its log."

    def _scrubbed(self, text: str) -> str:
        for secret in (self.address.password, self.address.token):
            text = text.replace(secret, "***") if secret else text
        return text


class Rows:
    """The rows of a reply, read while they come.

    pyoxigraph's own object has to go in the thread that made it, so it goes when the block that reads it ends, and not
    with the traceback of an error that came in it.
    """

    def __init__(self, held: Sequence[QuerySolutions | QueryBoolean]) -> None:
        """Read what is held, until it is let go."""
        self._held = held

    @property
    def variables(self) -> list[Variable]:
        """The names of the columns."""
        [found] = self._held
        assert isinstance(found, QuerySolutions)  # noqa: S101 - a truth value has no rows
        return found.variables

    def __iter__(self) -> Iterator[QuerySolution]:
        while self._held and (row := next(cast("QuerySolutions", self._held[0]), None)) is not None:
            yield row


class _Reading:
    """A block in which a reply is read: one that is cut off, or nothing like results, raises WorkspaceError."""

    def __init__(self, server: Server, kind: str) -> None:
        self._server, self._kind = server, kind

    def __enter__(self) -> None:
        """Begin to read."""

    def __exit__(self, kind: object, error: BaseException | None, _: object) -> None:
        """Say of what can't be read whose it is."""
        if isinstance(error, SyntaxError | ValueError):
            at, said = self._server.address.query, one_line(str(error))
            if "html" in self._kind:
                message = f"{at} answered with a web page; give the address of its SPARQL endpoint."
            else:
                message = f"What {at} answered can't be read ({truncate(said, 200)}); see whether it speaks SPARQL 1.1."
            raise WorkspaceError(message) from None


class _Body:
    """The body of a reply as a file, read while it comes, until a time."""

    def __init__(self, server: Server, reply: httpx.Response, until: float | None) -> None:
        self._server, self._chunks, self._until, self._left = server, reply.iter_bytes(1 << 16), until, b""

    def read(self, size: int = 1 << 16) -> bytes:
        """Return what comes next, at most so many bytes; none at the end."""
        import httpx

        try:
            while not self._left:
                if self._until is not None and time.monotonic() > self._until:
                    raise WorkspaceError(self._server._unreachable(httpx.ReadTimeout("")))  # noqa: SLF001
                self._left = next(self._chunks, b"")
                if not self._left:
                    return b""
        except httpx.HTTPError as error:
            raise WorkspaceError(self._server._unreachable(error)) from None  # noqa: SLF001
        taken, self._left = self._left[:size], self._left[size:]
        return taken
