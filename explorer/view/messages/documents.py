"""The Documents tab: the list, files that are read, and one document."""

from __future__ import annotations

from typing import Literal, TypedDict

from explorer.view.messages.detail import Detail
from explorer.view.messages.run import AnswerState, Arc, CameOut, Node
from explorer.view.messages.source import SourcePage, Version

FileState = Literal["coming", "waiting", "asks", "locked", "reading", "read", "refused"]


class ReadFile(TypedDict):
    """A file that comes or is read: `share` of that is done, None where it is not known; `left` seconds of reading.

    One that is "locked" waits for its password. `document` came of it; of one that asks what it is to be, the one with
    its name. `replaces` is the document that it is a new version of. `plain`: its line in the list of
    documents says all.
    """

    file: str
    name: str
    state: FileState
    share: float | None
    said: str
    left: float | None
    document: str
    replaces: str
    plain: bool


# A document that was removed and can be brought back, with what that does not bring back.
RemovedDocument = TypedDict("RemovedDocument", {"iri": str, "title": str, "when": str, "lost": list[str]})


class Files(TypedDict):
    """The files that come and are read, and the documents that can be brought back, in place of those told before.

    `fresh`: documents were added, or what is here has changed.
    """

    t: Literal["files"]
    files: list[ReadFile]
    removed: list[RemovedDocument]
    fresh: Literal["", "added", "changed"]


# Of a file so many bytes have come; the page sends the next piece.
Got = TypedDict("Got", {"t": Literal["got"], "file": str, "bytes": int})
# A line of the list; `file` is the name of its file where that says more than the title, `found` are words of its text
# where these were searched for, and `times` in how many places they stand.
ListedDocument = TypedDict(
    "ListedDocument",
    {
        "iri": str,
        "title": str,
        "kind": str,
        "source": str,
        "file": str,
        "pages": int,
        "facts": int,
        "when": str,
        "found": str,
        "times": int,
    },
)


class Documents(TypedDict):
    """The documents that a search finds, `partly` where none has all the words together; `n` is that of the request.

    `shared` counts the facts that were taken from more than one document, of all there are. `being_read` says who else
    is reading documents in; empty where nobody is.
    """

    t: Literal["documents"]
    n: int
    documents: list[ListedDocument]
    total: int
    more: bool
    shared: int
    partly: bool
    being_read: str


# Questions about a document that are answered, in place of those that were told before.
Suggested = TypedDict("Suggested", {"t": Literal["suggested"], "iri": str, "questions": list[str]})
Use = TypedDict("Use", {"iri": str, "question": str, "when": str})  # an answer that quotes a document


class OpenDocument(TypedDict):
    """One document with one of its pages, whose picture comes beside the message; `uses` answers quote it, of which
    `used` are the newest, and `looked` runs kept something of it and do not. Its `versions`, itself among
    them, come oldest first; `newer` is the one that took its place. `sought` says how often what was searched for
    stands in it, and is marked on the page.
    """

    t: Literal["document"]
    iri: str
    key: str
    about: ListedDocument
    page: SourcePage
    sought: str
    used: list[Use]
    uses: int
    looked: int
    versions: list[Version]
    newer: Version | None


class Impact(TypedDict):
    """What removing a document would change: how many facts go, of which some are `named`, and how many stay.

    `versions` before it go too; `uses` answers quote it, `texts` of runs have words of it; `looked` runs kept something
    of it and do not quote it.
    """

    t: Literal["impact"]
    iri: str
    facts: int
    kept: int
    named: list[str]
    versions: int
    used: list[Use]
    uses: int
    looked: int
    texts: int


# A document that was asked for is not here; title and time are empty of one that never was.
Gone = TypedDict("Gone", {"t": Literal["gone"], "iri": str, "title": str, "when": str})


# What was corrected last and can be undone, in a sentence, empty where nothing is; what was `undone` just now.
Corrected = TypedDict("Corrected", {"t": Literal["corrected"], "said": str, "undone": str})


# What was corrected, by its IRI: what was done, when, by whom and why; `undone` when that was, empty where it stands.
ListedCorrection = TypedDict(
    "ListedCorrection", {"iri": str, "said": str, "when": str, "by": str, "reason": str, "undone": str}
)
Corrections = TypedDict("Corrections", {"t": Literal["corrections"], "items": list[ListedCorrection], "more": int})


class Curated(TypedDict):
    """What nodes of the run on show, and its answer, say once facts were corrected or documents came or went."""

    t: Literal["curated"]
    run: str
    details: dict[str, Detail]
    outcomes: dict[str, CameOut]
    answer: AnswerState


NamedDocument = TypedDict("NamedDocument", {"iri": str, "title": str})
Nobody = TypedDict("Nobody", {"t": Literal["nobody"], "asked": str})  # nothing speaks of an entity that was asked for
EntityFact = TypedDict("EntityFact", {"document": str, "part": str | None})  # the page with the words of a fact


class EntityGraph(TypedDict):
    """An entity with its neighbours, of which `drawn` are in the graph; `places` are those of its facts by their nodes.

    It was `asked` for by this IRI, its own or that of one that was merged with it. `names` are all that it is called,
    its own first; its facts were taken from so many `documents`, of which `named` are the first.
    """

    t: Literal["entity"]
    asked: str
    iri: str
    name: str
    names: list[str]
    facts: int
    neighbours: int
    drawn: int
    documents: int
    named: list[NamedDocument]
    nodes: list[Node]
    arcs: list[Arc]
    places: dict[str, EntityFact]
