"""The Documents tab: the list, files that are read, and one document."""

from __future__ import annotations

from typing import Literal, TypedDict

from explorer.widgets.messages.source import SourcePage

FileState = Literal["coming", "waiting", "reading", "read", "refused"]
# A file that comes or is read: `share` of that is done, None where it is not known; `left` seconds of reading.
ReadFile = TypedDict(
    "ReadFile",
    {"file": str, "name": str, "state": FileState, "share": float | None, "said": str, "left": float | None},
)
# The files that come and are read, in place of those that were told before; `fresh`: there are other documents now.
Files = TypedDict("Files", {"t": Literal["files"], "files": list[ReadFile], "fresh": bool})
# Of a file so many bytes have come; the page sends the next piece.
Got = TypedDict("Got", {"t": Literal["got"], "file": str, "bytes": int})
# A line of the list; `found` are words of its text where these were searched for.
ListedDocument = TypedDict(
    "ListedDocument",
    {"iri": str, "title": str, "kind": str, "source": str, "pages": int, "facts": int, "when": str, "found": str},
)


class Documents(TypedDict):
    """The documents that a search finds; `n` is the sign of the request."""

    t: Literal["documents"]
    n: int
    documents: list[ListedDocument]
    total: int
    more: bool


# Questions about a document that have a strong answer, in place of those that were told before.
Suggested = TypedDict("Suggested", {"t": Literal["suggested"], "iri": str, "questions": list[str]})
Use = TypedDict("Use", {"iri": str, "question": str, "when": str})  # an answer that used a document


class OpenDocument(TypedDict):
    """One document with one of its pages, whose picture comes beside the message; `uses` answers used it, of which
    `used` are the newest.
    """

    t: Literal["document"]
    iri: str
    key: str
    about: ListedDocument
    page: SourcePage
    used: list[Use]
    uses: int
