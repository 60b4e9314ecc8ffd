"""Files that come over from a page in pieces, kept on disk until they are read.

A message of more than 10 MB would end the line to the page, so each piece is at most 1 MB, and the next is sent once it
is acknowledged.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from explorer.errors import DocumentError
from explorer.ingest.limits import MOST_BYTES
from explorer.text import one_line

if TYPE_CHECKING:
    from explorer.view.messages.requests import SendPiece

PIECE = 1 << 20  # bytes
_LONGEST_NAME = 400  # letters


@dataclass(slots=True)
class _Coming:
    path: Path
    name: str
    size: int
    got: int = 0


class Uploads:
    """The files that are coming; each is known by the sign that its page gave it."""

    def __init__(self) -> None:
        """Begin with none; the folder is made with the first and goes with this object."""
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._coming: dict[str, _Coming] = {}
        self._made = 0

    def take(self, piece: SendPiece, data: bytes) -> Path | None:
        """Write a piece to the end of its file; returns the path of the file once it is whole.

        Raises DocumentError for a piece out of turn, of a wrong length, or of a file that is too large, and OSError
        where it can't be written; of that file nothing is kept.
        """
        if piece.at == 0:
            self.drop(piece.file)
            self._coming[piece.file] = self._begun(piece)
        one = self._coming.get(piece.file)
        if one is None or (piece.at, piece.size) != (one.got, one.size) or len(data) != min(PIECE, one.size - one.got):
            self.drop(piece.file)
            raise DocumentError("A piece of the file did not come whole; choose it again.")
        try:
            with one.path.open("ab") as file:
                file.write(data)
        except OSError:
            self.drop(piece.file)
            raise
        one.got += len(data)
        if one.got < one.size:
            return None
        del self._coming[piece.file]
        return one.path

    def kept(self) -> list[Path]:
        """Return where the files are that are still coming."""
        return [one.path for one in self._coming.values()]

    def drop(self, file: str) -> None:
        """Forget a file that was still coming; nothing happens where it was not."""
        one = self._coming.pop(file, None)
        if one is not None:
            one.path.unlink(missing_ok=True)

    def _begun(self, piece: SendPiece) -> _Coming:
        if not 0 <= piece.size <= MOST_BYTES:
            raise DocumentError(
                f"It has {piece.size:,} bytes, and at most {MOST_BYTES:,} are read here; give its path to "
                "ws.ingest, with max_bytes=."
            )
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="explorer-", ignore_cleanup_errors=True)
        self._made += 1
        path = Path(self._folder.name) / str(self._made)  # the name that it has is for the record alone
        path.touch(mode=0o600)
        return _Coming(path, piece.name, piece.size)


def plain_name(name: str) -> str:
    """Return the name of a file as it was chosen, with the folders above it that were chosen with it, and no others."""
    parts = [part for part in PurePosixPath(one_line(name).replace("\\", "/")).parts if part not in ("/", "..", ".")]
    return "/".join(parts)[-_LONGEST_NAME:] or "file"
