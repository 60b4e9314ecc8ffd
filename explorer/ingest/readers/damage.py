"""What goes wrong while a file is read, whatever it is, as a sentence about that file: the others are read."""

from __future__ import annotations

import lzma
import struct
import traceback
import zipfile
import zlib
from xml.parsers.expat import ExpatError

from explorer.errors import DocumentError
from explorer.text import one_line, truncate

_OURS = __name__.partition(".")[0]
_LONGEST = 120  # code points of what a library says


class DamagedError(Exception):
    """A file is not as its format wants it."""


_DAMAGED = (DamagedError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError, ExpatError,
            RecursionError)  # fmt: skip


def fault(error: Exception, name: str, kind: str) -> DocumentError:
    """Return the sentence on a file of some kind that could not be read, for what was raised meanwhile.

    What libraries raise for odd files is no closed set. It is told by who raised it whether the fault is of the file.
    """
    if isinstance(error, MemoryError):
        return DocumentError(f"{name!r} takes more memory than there is; divide it.")
    said = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
    why = truncate(one_line(said if isinstance(error, _DAMAGED) else f"{type(error).__name__}: {said}"), _LONGEST)
    again = "open it in the program that made it and save it again"
    if isinstance(error, _DAMAGED) or type(error).__name__ == "XMLSyntaxError":
        return DocumentError(f"{name!r} is a damaged {f'{kind} file'.strip()} ({why}); {again}, or get another copy.")
    frame, line = list(traceback.walk_tb(error.__traceback__))[-1]
    module = str(frame.f_globals.get("__name__", ""))
    if module.partition(".")[0] == _OURS:
        return DocumentError(f"{name!r} meets a fault of {module}, line {line} ({why}); {again}, as PDF or text.")
    return DocumentError(f"{name!r} can't be read{f' as {kind}' if kind else ''} ({why}); {again}, or save it as PDF.")
