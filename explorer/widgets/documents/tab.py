"""What the Documents tab does: it takes files, reads them, lists documents and opens one."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from explorer.errors import DocumentError
from explorer.widgets.documents import listing
from explorer.widgets.documents.reading import Reading
from explorer.widgets.documents.suggesting import Suggesting
from explorer.widgets.documents.uploads import Uploads, plain_name
from explorer.widgets.messages import requests

if TYPE_CHECKING:
    from collections.abc import Sequence

    from explorer.widgets.messages.message import Message
    from explorer.workspace import Workspace


class DocumentsTab:
    """The Documents tab of one app. `send` sends the page a message, with bytes beside it.

    From other threads `read` is called after each file that added something to the workspace, and `suggested` with
    questions to begin with, once those that came are read.
    """

    def __init__(
        self,
        ws: Workspace,
        send: Callable[[Message, list[bytes]], None],
        read: Callable[[], None],
        suggested: Callable[[list[str]], None],
    ) -> None:
        """Begin without files."""
        self._ws = ws
        self._send = send
        self._after = read
        self._offer = suggested
        self._uploads = Uploads()
        self.reading = Reading(ws, self._tell, self._read)
        self.suggesting = Suggesting(ws, self._suggested)

    def act(self, request: requests.Filing, buffers: Sequence[memoryview | bytes]) -> None:
        """Do what the page asks for; raises RecordError for a document that is no longer here."""
        match request:
            case requests.SendPiece():
                self._take(request, bytes(buffers[0]) if buffers else b"")
            case requests.DropFile(file):
                self._uploads.drop(file)
                self.reading.drop(file)
            case requests.WantFiles():
                self._tell()
            case requests.WantDocuments():
                self._send(listing.listed(self._ws, request), [])
            case requests.WantDocument():
                self._send(*listing.opened(self._ws, request))
                if request.turned is None:
                    self.suggesting.want(request.iri)

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
            self.reading.add(piece.file, path)
        self._send({"t": "got", "file": piece.file, "bytes": piece.at + len(data)}, [])

    def _tell(self, *, fresh: bool = False) -> None:
        self._send({"t": "files", "files": self.reading.files(), "fresh": fresh}, [])

    def _read(self) -> None:
        self._tell(fresh=True)
        self._after()
        self.suggesting.forget()
        if not self.reading.is_busy:
            self.suggesting.want(None)

    def _suggested(self, document: str | None, questions: list[str]) -> None:
        if document is None:
            self._offer(questions)
        else:
            self._send({"t": "suggested", "iri": document, "questions": questions}, [])
