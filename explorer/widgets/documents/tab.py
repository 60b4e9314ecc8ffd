"""What the Documents tab does: it takes files, reads them, lists documents and opens one."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Literal

from explorer.errors import DocumentError, RecordError
from explorer.sample import is_demo
from explorer.view.messages import requests
from explorer.widgets.documents import entity, listing
from explorer.widgets.documents.correcting import Correcting, listed
from explorer.widgets.documents.reading_in import Reading
from explorer.widgets.documents.removal import Removal
from explorer.widgets.documents.suggested_questions import Suggesting
from explorer.widgets.documents.uploads import Uploads, plain_name
from explorer.widgets.documents.worker import Changing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from explorer.stores.database import ReadingIn
    from explorer.view.messages.message import Message
    from explorer.workspace import Workspace


_MANY = 5_000  # facts of a document that takes long to open


class DocumentsTab:
    """The Documents tab of one app. `send` sends the page a message, with bytes beside it.

    From other threads `changed` is called whenever the workspace holds other documents, `suggested` with questions to
    begin with, once those that came are read, and `failed` with what went wrong.
    """

    def __init__(
        self,
        ws: Workspace,
        send: Callable[[Message, list[bytes]], None],
        changed: Callable[[], None],
        suggested: Callable[[list[str]], None],
        failed: Callable[[Exception], None],
    ) -> None:
        """Begin without files."""
        self._ws = ws
        self._send = send
        self._after = changed
        self._offer = suggested
        self._uploads = Uploads()
        self.reading = Reading(ws, self._tell, lambda only_more: self._changed(only_more=only_more))
        self.suggesting = Suggesting(ws, self._suggested, failed)
        self.changing = Changing(failed)
        self._opening = Changing(failed)
        self._removal = Removal(ws)
        self._correcting = Correcting(ws)
        self._has_suggested = False

    def act(self, request: requests.Filing, buffers: Sequence[memoryview | bytes]) -> None:  # noqa: C901, PLR0912 - a case for each
        """Do what the page asks for, what takes long beside it."""
        if isinstance(request, requests.Correction):
            self.changing.do(partial(self._correct, request))
            return
        match request:
            case requests.SendPiece():
                self._take(request, bytes(buffers[0]) if buffers else b"")
            case requests.DropFile(file):
                self._uploads.drop(file)
                self.reading.drop(file)
                self._removal.drop(file)
                self._tell()
            case requests.SettleFile(file, replace):
                self.reading.settle(file, replace=replace)
            case requests.Unlock(file, password):
                self.reading.unlock(file, password)
            case requests.WantFiles():
                self._tell()
            case requests.ReadAgain(iri):
                self.reading.read_again(iri)
            case requests.BringBack(iri):
                if (forgotten := self._removal.kept(iri)) is not None:
                    self.reading.bring_back(forgotten)
            case requests.WantCorrections():
                self.changing.do(lambda: self._send(listed(self._ws), []))
            case requests.WantEntity(iri):
                self.changing.do(lambda: self._send(entity.known(self._ws, iri), []))
            case requests.WantDocuments():
                self._send(listing.listed(self._ws, request, self._being_read()), [])
                self._suggest_at_first()
            case requests.WantDocument(iri) if self._ws.stores.library.fact_counts().get(iri, 0) > _MANY:
                self._opening.do(partial(self._open, request))
            case requests.WantDocument():
                self._open(request)
            case requests.WantImpact(iri):
                self.changing.do(lambda: self._send(self._removal.impact(iri), []))
            case requests.Remove():
                self.changing.do(partial(self._remove, request))

    def read_elsewhere(self) -> None:
        """Have the page list the documents anew, as somebody else has begun or ended to read some in."""
        if not self.reading.is_busy:
            self._tell("changed")
            self._after()

    def _being_read(self) -> list[ReadingIn]:
        """Return who is reading documents in, but for this app alone, whose files stand above the list."""
        found = self._ws.being_read
        return [] if self.reading.is_busy and len(found) == 1 else found

    def asked(self, question: str) -> None:
        """Offer other questions than one that was asked."""
        self.suggesting.asked(question)

    def _suggest_at_first(self) -> None:
        """Look for questions about what the workspace held before; the sample has its own."""
        if not self._has_suggested and self._ws.size.documents and not is_demo(self._ws):
            self._has_suggested = True
            self.suggesting.want(None)

    def _open(self, request: requests.WantDocument) -> None:
        try:
            message = listing.opened(self._ws, request)
        except RecordError:
            self._send(listing.gone(self._ws, request.iri), [])
            return
        self._send(*message)
        if request.turned is None:
            self.suggesting.want(request.iri)

    def _correct(self, request: requests.Correction) -> None:
        match request:
            case requests.Retract():
                self._correcting.retract(request)
            case requests.ChangeFact():
                self._correcting.change(request)
            case requests.AddFact():
                self._correcting.add(request)
            case requests.Merge():
                self._correcting.merge(request)
            case requests.Split():
                self._correcting.split(request)
            case requests.Uncorrect(by, None, None):
                self._correcting.undo(by)
            case requests.Uncorrect(by, None, str(act)):
                self._correcting.undo_of([act], by)
            case requests.Uncorrect(by, str(fact)):
                self._correcting.undo_at(fact, by)
        self._send(self._correcting.told(), [])
        self._changed()

    def _remove(self, request: requests.Remove) -> None:
        try:
            self._removal.remove(request.iri, words=request.words)
            self.reading.put_away(request.iri)
            self._send({"t": "corrected", "said": "", "undone": ""}, [])  # another thing was done since
        finally:
            self._changed()

    def _take(self, piece: requests.SendPiece, data: bytes) -> None:
        name = plain_name(piece.name)
        try:
            path = self._uploads.take(piece, data)
        except DocumentError as error:
            self.reading.refuse(piece.file, name, str(error))
            return
        except OSError as error:
            reason = f"It can't be kept on this machine's disk ({error.strerror or error}); make room and try again."
            self.reading.refuse(piece.file, name, reason)
            return
        self.reading.coming(piece.file, name, (piece.at + len(data)) / max(1, piece.size))
        if path is not None:
            self.reading.add(piece.file, path, piece.replaces or "")
        self._send({"t": "got", "file": piece.file, "bytes": piece.at + len(data)}, [])

    def _tell(self, fresh: Literal["", "added", "changed"] = "") -> None:
        files, removed = self.reading.files(), self._removal.removed()
        self._send({"t": "files", "files": files, "removed": removed, "fresh": fresh}, [])

    def _changed(self, *, only_more: bool = False) -> None:
        self._tell("added" if only_more else "changed")
        self._after()
        self.suggesting.forget()
        if not self.reading.is_busy:
            self.suggesting.want(None)

    def _suggested(self, document: str | None, questions: list[str]) -> None:
        if document is None:
            self._offer(questions)
        else:
            self._send({"t": "suggested", "iri": document, "questions": questions}, [])
