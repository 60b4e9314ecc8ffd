"""Whatever Python sends: the messages of the panels, a file to save, and what went wrong."""

from __future__ import annotations

from typing import Literal, TypedDict

from explorer.widgets.messages.audit import Audited
from explorer.widgets.messages.comparison import Comparison
from explorer.widgets.messages.detail import NotKept, Others, Record
from explorer.widgets.messages.documents import (
    Corrected,
    Curated,
    Documents,
    EntityGraph,
    Files,
    Gone,
    Got,
    Impact,
    Nobody,
    OpenDocument,
    Suggested,
)
from explorer.widgets.messages.past import Ran, Runs
from explorer.widgets.messages.run import Delta, Level
from explorer.widgets.messages.source import Source
from explorer.widgets.messages.what_if import Mattered

Form = Literal["svg", "html", "report", "bundle"]
# A file made of what is on show, for the page to save.
SavedFile = TypedDict("SavedFile", {"t": Literal["save"], "format": Form, "name": str, "mime": str, "text": str})
# What went wrong, in words; `key` is that of the page that was asked for, `closed`: the workspace can be opened again.
Trouble = TypedDict(
    "Trouble", {"t": Literal["trouble"], "text": str, "details": str | None, "key": str | None, "closed": bool}
)
Message = (
    Audited
    | Corrected
    | Curated
    | Documents
    | EntityGraph
    | Files
    | Gone
    | Got
    | Impact
    | Nobody
    | OpenDocument
    | Suggested
    | Mattered
    | Delta
    | Level
    | Source
    | Runs
    | Ran
    | Comparison
    | Others
    | NotKept
    | Record
    | SavedFile
    | Trouble
)
