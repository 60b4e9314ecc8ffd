"""Whatever Python sends: the messages of the panels, a file to save, and what went wrong."""

from __future__ import annotations

from typing import Literal, TypedDict

from explorer.view.messages.audit import Audited, Reviewed
from explorer.view.messages.bar import Asked
from explorer.view.messages.comparison import Comparison
from explorer.view.messages.detail import NotKept, Others, Record
from explorer.view.messages.documents import (
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
from explorer.view.messages.past import Derived, Ran, Runs
from explorer.view.messages.run import Delta, Level
from explorer.view.messages.source import Source
from explorer.view.messages.what_if import Mattered

Form = Literal["svg", "html", "bundle"]
# A file made of what is on show, for the page to save.
SavedFile = TypedDict(
    "SavedFile", {"t": Literal["save"], "format": Form, "name": str, "mime": str, "text": str, "said": str}
)
# What went wrong, in words; `key` is that of the page that was asked for, `closed`: the workspace can be opened again.
Trouble = TypedDict(
    "Trouble", {"t": Literal["trouble"], "text": str, "details": str | None, "key": str | None, "closed": bool}
)
Message = (
    Asked
    | Audited
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
    | Derived
    | Ran
    | Comparison
    | Others
    | NotKept
    | Record
    | Reviewed
    | SavedFile
    | Trouble
)
