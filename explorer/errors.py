"""Every failure that a caller can expect.

ExplorerError
├── QuestionError    a question that can't be asked: empty, too long, an unknown engine or limit
├── WorkspaceError   a folder that can't be opened, is held by another process, or has nothing in it
├── DocumentError    a file that can't be read into the workspace; nothing of it was stored
├── RecordError      a record that isn't there or can't be read or written
└── ModelError       a model or embedder that can't be used

Each message is one sentence that says what happened and what to do next.
"""

from __future__ import annotations

CLOSED = "This workspace is closed; open it again with explorer.open()."
MOVED = (
    "The folder {} was moved, replaced or deleted while it was open here, so nothing more is read or written. "
    "Close the workspace, and open it where it is now."
)


class ExplorerError(Exception):
    """Base of all expected failures; shown to users without a traceback."""


class QuestionError(ExplorerError):
    """A question or its arguments were refused before a run began."""


class WorkspaceError(ExplorerError):
    """A workspace can't be opened, or can't do what was asked."""


class DocumentError(ExplorerError):
    """A document can't be read; nothing of it was stored."""


class RecordError(ExplorerError):
    """A record is missing, unreadable or can't be stored."""


class ModelError(ExplorerError):
    """A model or embedder is missing or unreachable, or its replies can't be used."""


def message_of(error: Exception) -> str:
    """Return the message of an error as it is recorded: with its type unless it is one of this package's."""
    kind = "" if isinstance(error, ExplorerError) else type(error).__name__
    said = ": ".join(part for part in (kind, str(error)) if part)
    return "; ".join((said, *getattr(error, "__notes__", ())))
