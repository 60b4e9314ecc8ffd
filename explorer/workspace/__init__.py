"""A workspace: the open stores, and everything that can be done with them. `open` returns one."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from explorer import display
from explorer.errors import WorkspaceError
from explorer.models.choice import model_for
from explorer.models.embedding import Embedder, embedder_for
from explorer.models.endpoint import Bounds
from explorer.record.keys import Key, key_of
from explorer.stores.lock import hold
from explorer.stores.places import TIMEOUT, Served, is_served, served
from explorer.text import count, one_line
from explorer.workspace.asking import Asking
from explorer.workspace.documents import Documents
from explorer.workspace.facts import Facts
from explorer.workspace.observing import Observing
from explorer.workspace.opened import random_id
from explorer.workspace.record import Record


class Workspace(Asking, Observing, Documents, Facts, Record):
    """An open collection: ingest documents, ask, and read the record. Close it, or use it in a `with` block.

    Its methods stand by what they are about in `Asking`, `Observing`, `Documents`, `Facts` and `Record`; `Opened` has
    its stores, and closes it.
    """

    def __repr__(self) -> str:
        if self._closed:
            return f"<Workspace {one_line(self.name)}: closed>"
        size = self.size
        counts = (size.documents, "document"), (size.pages, "PDF page"), (size.facts, "fact"), (size.traces, "past run")
        contents = ", ".join(count(number, noun) for number, noun in counts)
        held = f"; read-only: {self.why_read_only}" if self.read_only else ""
        return f"<Workspace {one_line(self.name)}: {contents}{held}>"

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        if self._closed:
            return display.workspace(repr(self))
        runs = [(run.question, f"{run.engine}, {run.reason or 'running'}") for run in self.traces.list(limit=3)]
        empty = self.stores.library.is_empty() and not runs
        next_ = display.hints(runs, empty=empty, read_only=self.read_only)
        return display.workspace(repr(self), runs, next_)


def open(
    path: str | Path | None = None,
    *,
    collection: str = "default",
    model: str | None = None,
    base_url: str | None = None,
    record_prompts: bool = True,
    check: bool = True,
    embedder: Embedder | str | None = None,
    ids: Callable[[], str] | None = None,
    clock: Callable[[], datetime] | None = None,
    key: str | Path | Key | None = None,
    endpoint: str | None = None,
    timeout: float | None = None,
    run_timeout: float | None = None,
    context: int | None = None,
) -> Workspace:
    """Open a workspace folder, created if missing; without a path one in memory.

    A workspace that several write to at once is on servers: `path` is the address of a PostgreSQL database
    (postgresql://user@host/database) and `endpoint` that of a SPARQL 1.1 endpoint, by default EXPLORER_ENDPOINT, with
    those for updates and the graph store after it, with spaces between, where these are others. Passwords are read from
    the environment or from the addresses, and shown nowhere.
    `model` names a chat model behind any OpenAI-compatible address (`base_url`), by default EXPLORER_MODEL; without
    one, or with "no model", the extractive reasoner answers. The key is OPENAI_API_KEY and is never recorded; prompts
    and replies are, unless `record_prompts` is False: then only their hashes. A server or a model may be silent for
    `timeout` seconds (10; of models EXPLORER_MODEL_TIMEOUT, 300), all calls of a run to a model may take `run_timeout`
    (EXPLORER_MODEL_RUN_TIMEOUT, 3,600), and a prompt with its reply may have `context` tokens (EXPLORER_MODEL_CONTEXT,
    8,192). `embedder` is "wordllama", "minilm" (an extra: better and slower) or the name of an embedding model at that
    address. After an answer the model reads each of its sentences beside the words it cites, by one call more, unless
    `check` is False.
    `key` names a file with a private key that signs what is sealed, by default EXPLORER_KEY; without one nothing is
    signed. `ids` and `clock` replace random session ids and the time, for records that are the same each time. While
    another process writes, the workspace is read-only and `holder` names that process; so it is where its folder can't
    be written, as on a full disk (`why_read_only`). Raises WorkspaceError or ModelError.
    """
    place = _place(path, endpoint, timeout or TIMEOUT)
    vectors = embedder_for(embedder, base_url)
    bounds = Bounds(timeout, run_timeout, context)
    chat = model_for(model or os.environ.get("EXPLORER_MODEL"), None, base_url, bounds)
    signing = key_of(key)
    holding = hold(place, collection)
    try:
        return Workspace(
            holding,
            name="in memory" if place is None else place.name or str(place),
            place=place,
            embedder=vectors,
            ids=ids or random_id,
            clock=clock or (lambda: datetime.now(UTC)),
            chat=chat,
            base_url=base_url,
            bounds=bounds,
            record_prompts=record_prompts,
            check=check,
            collection=collection,
            key=signing,
        )
    except BaseException:  # whoever keeps the error would keep the lock
        holding.release()
        raise


def _place(path: str | Path | None, endpoint: str | None, timeout: float) -> Path | Served | None:
    if is_served(path):
        return served(str(path), endpoint or os.environ.get("EXPLORER_ENDPOINT"), timeout)
    if endpoint:
        raise WorkspaceError(
            "An endpoint is for the graph of a workspace on servers; name its database too, as postgresql://…"
        )
    return None if path is None else Path(path)
