"""A SPARQL store that others fill: it is asked over HTTP, and never sent an update.

Only SELECT goes there. A password is in no message and no repr; the address is shown without it.
"""

from __future__ import annotations

import json
import os
import time
from typing import TYPE_CHECKING, Any, NamedTuple, Self, cast
from urllib.parse import unquote, urlsplit

from pyoxigraph import QueryResultsFormat, QuerySolutions, parse_query_results

from explorer.errors import WorkspaceError
from explorer.stores.places import plain
from explorer.text import one_line, truncate

if TYPE_CHECKING:
    import httpx

    from explorer.stores.graph import Object

HOST, USER, PASSWORD, TOKEN = (f"EXPLORER_ATTACHED_{name}" for name in ("HOST", "USER", "PASSWORD", "TOKEN"))
MOST_BYTES = 200_000_000
"""Bytes of one reply."""
_PAUSE = 0.2  # seconds until what was not answered is asked once more
_MAY_PASS = frozenset((429, 502, 503, 504))
_HEADERS = {
    "User-Agent": "provenance-explorer",
    "Accept": "application/sparql-results+json",
    "Content-Type": "application/sparql-query",
}


class NoTerm(NamedTuple):
    """What stands in a reply where a term should, and why it is none."""

    value: str
    why: str


Cells = dict[str, "Object | NoTerm"]
"""A row of a reply by the names of its columns."""


class Endpoint:
    """The address that a store is asked at; `timeout` is how many seconds a request may take.

    A user and password that stand in it are sent, else those of the environment that are for its host. Raises
    WorkspaceError for what is no address on the web.
    """

    def __init__(self, url: str, timeout: float) -> None:
        """Keep who asks; connections are made within a `with` block."""
        self.address = plain(url)
        self.timeout = timeout
        parts = urlsplit(url)
        self._host = urlsplit(self.address).netloc.lower()
        is_meant = os.environ.get(HOST, "").lower() == self._host
        self._user, self._password, self._token = (
            os.environ.get(name) if is_meant else None for name in (USER, PASSWORD, TOKEN)
        )
        if parts.username:
            self._user, self._password, self._token = unquote(parts.username), unquote(parts.password or ""), None
        self._client: httpx.Client | None = None

    def __enter__(self) -> Self:
        """Begin to ask."""
        import httpx

        auth = httpx.BasicAuth(self._user, self._password or "") if self._user else None
        token = {"Authorization": f"Bearer {self._token}"} if self._token and not self._user else {}
        self._client = httpx.Client(auth=auth, headers=_HEADERS | token, trust_env=False)
        return self

    def __exit__(self, *_: object) -> None:
        """Close the connections."""
        if self._client is not None:
            self._client.close()

    def rows(self, sparql: str, to_do: str) -> list[Cells]:
        """Return all rows of a reply; `to_do` says what for it is asked.

        Raises WorkspaceError, in one sentence, where the store is away, refuses, or gives what can't be read.
        """
        body, kind = self._reply(sparql, to_do)
        try:
            return _parsed(body, kind)
        except (SyntaxError, ValueError) as error:
            if "html" in kind:
                message = f"{self.address} answered with a web page; give the address of its SPARQL endpoint."
            else:
                said = truncate(one_line(str(error)), 200)
                message = f"What {self.address} answered can't be read ({said}); see whether it speaks SPARQL 1.1."
            raise WorkspaceError(message) from None

    def _reply(self, sparql: str, to_do: str) -> tuple[bytes, str]:
        """Return a whole reply with its media type; what was not answered is asked once more, which changes nothing."""
        import httpx

        assert self._client is not None  # noqa: S101 - it is asked within a `with` block
        until, why = time.monotonic() + self.timeout, ""
        for pause in (0.0, _PAUSE):
            time.sleep(pause)
            left = max(0.01, until - time.monotonic())
            try:
                with self._client.stream("POST", self.address, content=sparql.encode(), timeout=left) as reply:
                    body = self._body(reply, until)
                if reply.is_success:
                    return body, reply.headers.get("Content-Type", "").lower()
                why = self._refusal(reply.status_code, body, to_do)
                if reply.status_code not in _MAY_PASS:
                    break
            except httpx.TimeoutException:
                late = f"{self.address} did not answer within {self.timeout:.3g} s"
                why = f"{late}; see whether it is busy, or give it more by timeout=."
                break
            except httpx.ConnectError as error:
                said = one_line(str(error))
                why = f"{self.address} can't be reached ({said}); see whether it runs and the address is right."
            except httpx.HTTPError as error:
                said = one_line(str(error))
                why = f"The connection to {self.address} was lost ({said}); see whether it still runs, and try again."
        raise WorkspaceError(why)

    def _body(self, reply: httpx.Response, until: float) -> bytes:
        import httpx

        body = bytearray()
        for piece in reply.iter_bytes():
            body += piece
            if len(body) > MOST_BYTES:
                raise WorkspaceError(f"{self.address} answered with more than {MOST_BYTES // 10**6:,} MB at once.")
            if time.monotonic() > until:
                raise httpx.ReadTimeout("")
        return bytes(body)

    def _refusal(self, status: int, body: bytes, to_do: str) -> str:
        """Return what a status other than of success means."""
        at, said = self.address, truncate(one_line(body.decode(errors="replace")), 300)
        for secret in (self._password, self._token):
            said = said.replace(secret, "***") if secret else said
        if status == 400:
            return f"{at} refuses to {to_do}, which is needed to read all of it ({status}: {said}); see its log."
        if status in (401, 403):
            who = f"the user {self._user}" if self._user else "a token" if self._token else "anybody without a password"
            variables = f"{HOST}={self._host} with {USER} and {PASSWORD}, or {TOKEN}"
            return f"{at} does not let {who} read ({status}); set {variables}."
        if 300 <= status < 400:
            return f"{at} sends elsewhere ({status}); give the address that it names."
        if status in (404, 405, 415):
            return f"{at} takes no queries ({status}); see what its address for queries is."
        return f"{at} could not answer ({status}: {said}); see its log."


def _parsed(body: bytes, kind: str) -> list[Cells]:
    """Return the rows of a reply; where a term is none, it is read term by term. Raises SyntaxError or ValueError."""
    is_json = "json" in kind
    if not is_json and "xml" not in kind:
        raise SyntaxError(f"{kind or 'no type'} instead of SPARQL results")
    try:
        found = parse_query_results(body, QueryResultsFormat.JSON if is_json else QueryResultsFormat.XML)
        if isinstance(found, QuerySolutions):
            names = [one.value for one in found.variables]
            return [{name: term for name in names if (term := row[name]) is not None} for row in found]
    except SyntaxError:
        if not is_json:
            raise
    try:
        rows = json.loads(body)["results"]["bindings"]
        return [{name: _term(told) for name, told in row.items()} for row in rows]
    except (KeyError, TypeError, AttributeError) as error:
        raise SyntaxError("no SPARQL results") from error


def _term(told: Any) -> Object | NoTerm:  # noqa: ANN401 - as it stands in JSON
    """Return a term of a row; why not, where it is none."""
    alone = json.dumps({"head": {"vars": ["x"]}, "results": {"bindings": [{"x": told}]}})
    try:
        [row] = cast("QuerySolutions", parse_query_results(alone, QueryResultsFormat.JSON))
        return cast("Object", row["x"])
    except SyntaxError as error:
        value = str(told.get("value") if isinstance(told, dict) else told)
        return NoTerm(value, f"{truncate(one_line(value), 80)}: {one_line(str(error))}")
