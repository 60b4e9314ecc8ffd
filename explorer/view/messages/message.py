"""Whatever Python sends: the messages of the panels, a file to save, and what went wrong."""

from __future__ import annotations

from typing import Literal, TypedDict

from explorer.view.messages import audit, bar, comparison, detail, documents, past, run, source, what_if

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
    (bar.Asked | audit.Audited | audit.Reviewed | what_if.Mattered | source.Source | comparison.Comparison)
    | (documents.Corrected | documents.Corrections | documents.Curated | documents.Documents | documents.EntityGraph)
    | (documents.Files | documents.Gone | documents.Got | documents.Impact | documents.Nobody | documents.OpenDocument)
    | (documents.Suggested | run.Delta | run.Level | past.Runs | past.Derived | past.Ran)
    | (detail.Others | detail.NotKept | detail.Record | SavedFile | Trouble)
)
