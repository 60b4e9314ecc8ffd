"""Files that are read one after the other, beside whatever else the app does, and how far each has come."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from explorer.errors import ExplorerError, RecordError
from explorer.ingest.parsed import document_iri
from explorer.ingest.readers.files import Source
from explorer.ingest.readers.unlocking import is_shut
from explorer.stores.document_names import documents
from explorer.text import count
from explorer.widgets.documents.worker import Worker

if TYPE_CHECKING:
    from explorer.ingest.ingested import Ingested
    from explorer.ingest.progress import Progress
    from explorer.record.forgetting import Forgotten
    from explorer.stores.attached import Attachment
    from explorer.stores.document_names import DocumentRow
    from explorer.view.messages.documents import FileState, ReadFile
    from explorer.workspace import Workspace

_EVERY = 0.2  # seconds between two messages on the same file
_SURE = 2.0  # seconds of work before the time left is told
_LOCKED = "It is encrypted. Its password opens it; it is used once and not kept."
_NO_FACTS = "no facts were found, its text can be asked all the same"
_KNOWN = "known already: nothing new"
_WRONG = "This password does not open it. Try another."


@dataclass(slots=True)
class _File:
    """`replaces` is the document that it takes the place of, empty for none, None before that is known; `document` the
    one that came of it, and whether that was `removed` since. `plain`: it was added, and nothing is to be said of it.
    """

    file: str
    name: str
    state: FileState = "coming"
    share: float | None = None  # of what is going on
    said: str = ""
    began: float = 0.0
    path: Path | None = None
    forgotten: Forgotten | None = None
    attached: Attachment | None = None
    replaces: str | None = None
    document: str = ""
    removed: bool = False
    plain: bool = False
    password: str = field(default="", repr=False)  # until it is read


class Reading:
    """The files of one app, in the order they came. `changed` is called, from any thread, when the page has to know.

    `read` is called after each file that added something to the workspace, and whether it did nothing else: it took the
    place of nothing, and nothing is back.
    """

    def __init__(self, ws: Workspace, changed: Callable[[], None], read: Callable[[bool], None]) -> None:
        """Begin without files."""
        self._ws = ws
        self._changed = changed
        self._read = read
        self._files: dict[str, _File] = {}
        self._lock = threading.Lock()
        self._worker = Worker("explorer-reading", self._next)
        self.wait = self._worker.wait
        self._told = 0.0

    def coming(self, file: str, name: str, share: float) -> None:
        """Take note that so much of a file has come."""
        with self._lock:
            one = self._files.setdefault(file, _File(file, name))
            one.state, one.share = "coming", share
        self._tell_now_and_then()

    def refuse(self, file: str, name: str, reason: str) -> None:
        """Say beside a file why it is not read."""
        with self._lock:
            one = self._files.setdefault(file, _File(file, name))
            one.state, one.share, one.said = "refused", None, reason
        self._changed()

    def add(self, file: str, path: Path, replaces: str = "") -> None:
        """Read a file that has come, as a new version of the document that it `replaces`; it is deleted afterwards.

        One with the name of a document that is here is not read before `settle` says what it is to be.
        """
        with self._lock:
            one = self._files[file]
            one.path, one.replaces = path, replaces or None
            self._wait_its_turn(one)
        self._go_on()

    def bring_back(self, forgotten: Forgotten) -> None:
        """Bring back a document that was removed."""
        with self._lock:
            for one in [one for one in self._files.values() if one.removed and one.document == forgotten.iri]:
                del self._files[one.file]
            one = _File(forgotten.iri, forgotten.title, forgotten=forgotten)
            self._files[one.file] = one
            self._wait_its_turn(one)
        self._go_on()

    def read_again(self, document: str) -> None:
        """Read an attached store again by its document; raises RecordError for a document of no store."""
        found = next((one for one in self._ws.attached if one.document == document), None)
        if found is None:
            raise RecordError("This is not what a store holds now; load the page again.")
        title = self._ws.document(document).title
        with self._lock:
            if any(one.file == document and one.state in ("waiting", "reading") for one in self._files.values()):
                return
            one = _File(document, title, attached=found.attachment, replaces=document)
            self._files[document] = one
            self._wait_its_turn(one)
        self._go_on()

    def settle(self, file: str | None, *, replace: bool) -> None:
        """Read a file, or all, with the name of a document that is here: in its place, or beside it."""
        with self._lock:
            for one in [one for one in self._files.values() if one.state == "asks" and file in (None, one.file)]:
                one.replaces = one.document if replace else ""
                self._wait_its_turn(one)
        self._go_on()

    def unlock(self, file: str, password: str) -> None:
        """Read an encrypted file with its password, which is forgotten once it is read; nothing without one."""
        with self._lock:
            one = self._files.get(file)
            if one is None or one.state != "locked" or not password:
                return
            one.password = password
            self._wait_its_turn(one)
        self._go_on()

    def _go_on(self) -> None:
        self._worker.wake()
        self._changed()

    def drop(self, file: str) -> None:
        """Take a file off the list, unless it is being read just now."""
        with self._lock:
            one = self._files.get(file)
            if one is None or one.state == "reading":
                return
            del self._files[file]
            if one.path is not None:
                one.path.unlink(missing_ok=True)
        self._changed()

    def put_away(self, document: str) -> None:
        """Say of the files that a document came of that it was removed."""
        with self._lock:
            for one in [one for one in self._files.values() if one.state == "read" and one.document == document]:
                one.removed, one.plain, one.said = True, True, "removed since"

    @property
    def is_busy(self) -> bool:
        """Whether a file still waits to be read."""
        with self._lock:
            return any(one.state == "waiting" for one in self._files.values())

    def files(self) -> list[ReadFile]:
        """Return all files with how far each has come."""
        now = time.monotonic()
        with self._lock:
            return [
                {"file": one.file, "name": one.name, "state": one.state, "share": one.share, "said": one.said,
                 "left": _left(one, now), "document": "" if one.removed else one.document,
                 "replaces": one.replaces or "", "plain": one.plain}
                for one in self._files.values()
            ]  # fmt: skip

    def _wait_its_turn(self, one: _File) -> None:
        one.state, one.share, one.said, one.plain = "waiting", None, "", False

    def _next(self) -> Callable[[], None] | None:
        with self._lock:
            one = next((one for one in self._files.values() if one.state == "waiting"), None)
            return partial(self._read_one, one) if one is not None else None

    def _read_one(self, one: _File) -> None:
        with self._lock:
            if one.file not in self._files:  # it was dropped meanwhile
                return
            one.state, one.began = "reading", time.monotonic()
        self._changed()
        added, only_more = False, one.forgotten is None and not one.replaces
        try:
            ways = ((one.forgotten, self._restore), (one.attached, self._again))
            added = next((way for given, way in ways if given is not None), self._take)(one)
        except ExplorerError as error:
            self._end(one, "refused", str(error))
        except Exception as error:  # noqa: BLE001 - the end of a worker thread: shown beside the file
            self._end(one, "refused", f"Something went wrong: {error}")
        self._changed()
        if added:
            self._read(only_more)

    def _take(self, one: _File) -> bool:
        """Read a file, unless it is to be asked first what it is to be; returns whether it added anything."""
        if one.path is None:
            return False
        data = one.path.read_bytes()
        iri = document_iri(data)
        known = self._ws.stores.library.document(iri) is not None
        if known and is_shut(data):  # what is here needs no password
            self._end(one, "read", _KNOWN)
            return False
        if self._is_locked(one, data):
            return False
        twin = None if known or one.replaces is not None else twin_of(self._ws, one.name)
        if twin is not None:
            with self._lock:
                one.state, one.share, one.document = "asks", None, twin.iri
                one.said = f"A document with this name is here: “{twin.title}”."
            return False
        name = one.name if one.replaces is None else free_name(self._ws, one.name, one.replaces)
        tell = partial(self._step, one)
        ingested = self._ws.ingest(
            Source(one.path, name), replaces=one.replaces or None, password=one.password or None, progress=tell
        )
        one.document = iri if self._ws.stores.library.document(iri) is not None else ""
        newer = "a new version: " if one.replaces and ingested.documents else ""
        one.plain = ingested.documents > 0 and ingested.edges > 0 and not (newer or ingested.refused or ingested.notes)
        self._end(one, "read" if ingested.documents or not ingested.refused else "refused", newer + _said(ingested))
        return ingested.documents > 0

    def _restore(self, one: _File) -> bool:
        if one.forgotten is None:
            return False
        found = self._ws.restore(one.forgotten)
        one.document = found.iri
        pages = [count(found.page_count, "page")] if found.page_count else []
        self._end(one, "read", ", ".join(["back again", *pages, count(found.fact_count, "fact")]))
        return True

    def _again(self, one: _File) -> bool:
        if one.attached is None:
            return False
        tell = partial(self._step, one)
        done = self._ws.attach(one.attached.address, named_graph=one.attached.named_graph, progress=tell)
        one.document = done.iri
        self._end(one, "read", f"read again: {done.changes}")
        return done.is_changed

    def _is_locked(self, one: _File, data: bytes) -> bool:
        """Return whether a file is encrypted and does not open by what is known; then it asks for its password."""
        if not is_shut(data, one.password):
            return False
        with self._lock:
            one.state, one.share, one.said = "locked", None, _WRONG if one.password else _LOCKED
            one.password = ""
        return True

    def _step(self, one: _File, step: Progress) -> None:
        with self._lock:
            if step.stage == "reading" and one.attached is not None:
                one.said, one.share = f"{step.done:,} of {count(step.total, 'statement')}", None
            elif step.stage == "reading":
                one.said, one.share = "reading", None
            elif step.total:
                one.share = step.done / step.total
                page = f"page {step.page} of {step.pages}" if step.page else ""
                one.said = page or ("looking for facts" if step.stage == "facts" else "storing")
            else:
                one.said = count(step.done, "passage")
        self._tell_now_and_then()

    def _end(self, one: _File, state: FileState, said: str) -> None:
        with self._lock:
            one.state, one.share, one.said = state, None, said
            path, one.path, one.forgotten, one.password = one.path, None, None, ""
        if path is not None:
            path.unlink(missing_ok=True)

    def _tell_now_and_then(self) -> None:
        now = time.monotonic()
        if now - self._told >= _EVERY:
            self._told = now
            self._changed()


def _left(one: _File, now: float) -> float | None:
    spent = now - one.began
    if one.state != "reading" or not one.share or spent < _SURE:
        return None
    return spent / one.share - spent


def _said(ingested: Ingested) -> str:
    if ingested.refused:
        first = ingested.refused[0].reason
        more = len(ingested.refused) - 1
        return first if not more else f"{first} And {count(more, 'more line')} left out."
    if not ingested.documents:
        return _KNOWN
    pages = [count(ingested.pages, "page")] if ingested.pages else []
    many = [count(ingested.documents, "passage")] if ingested.documents > 1 else []
    said = ", ".join([*many, *pages, count(ingested.edges, "fact") if ingested.edges else _NO_FACTS])
    return f"{said}. {' '.join(ingested.notes)}" if ingested.notes else said


def twin_of(ws: Workspace, name: str) -> DocumentRow | None:
    """Return the document with the name of a file, the last of several, or None.

    Where both are told with folders these are the same, as far as both are told.
    """
    wanted = _parts(name)
    found = (one for one in reversed(documents(ws.stores.database)) if _are_same(_parts(one.source), wanted))
    return next(found, None)


def free_name(ws: Workspace, name: str, replaced: str = "") -> str:
    """Return the name of a file, with a number if another document than the `replaced` one has it: "notes (2).txt"."""
    others = {one.source for one in documents(ws.stores.database) if one.iri != replaced}
    path = PurePosixPath(name)
    numbered = (str(path.with_name(f"{path.stem} ({number}){path.suffix}")) for number in itertools.count(2))
    free = (
        one
        for one in itertools.chain([name], numbered)
        if not any(_are_same(_parts(one), _parts(each)) for each in others)
    )
    return next(one for one in free if ws.stores.library.at(one) in (None, replaced))


def _parts(name: str) -> tuple[str, ...]:
    return PurePosixPath(name.replace("\\", "/")).parts


def _are_same(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    shared = min(len(one), len(other))
    return shared > 0 and one[-shared:] == other[-shared:]
