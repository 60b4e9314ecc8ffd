"""Files that are damaged: what the libraries raise for them, told from a fault of our own, which is never hidden."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager

from explorer.errors import DocumentError

_OURS = __name__.partition(".")[0]


class DamagedError(Exception):
    """A file is not as its format wants it."""


@contextmanager
def damage(told: DocumentError) -> Iterator[None]:
    """Raise `told` for what a library raises while it reads a file, for a DamagedError and what is nested too deeply.

    What libraries raise for damaged files is no closed set; so it is told by who raised it. A fault in this package
    stays what it is.
    """
    try:
        yield
    except DocumentError:
        raise
    except (DamagedError, RecursionError) as error:
        raise told from error
    except Exception as error:
        if _is_ours(error):
            raise
        raise told from error


def _is_ours(error: Exception) -> bool:
    """Return whether it was raised by a line of this package and not by a library that it had called."""
    *_, (frame, _) = traceback.walk_tb(error.__traceback__)
    return str(frame.f_globals.get("__name__", "")).partition(".")[0] == _OURS
