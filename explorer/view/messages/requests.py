"""What the page sends.

`parse` makes one of the `Request` types of it, which `app.App._dispatch` acts on; a request whose kind ends with "?"
gets a reply, made in `lookups`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

from explorer.errors import RecordError
from explorer.view.messages.bar import Typed
from explorer.view.messages.message import Form

Stride = Literal["stage", "step"]
WantSnapshot = NamedTuple("WantSnapshot", [])  # the page has missed something
WantFrames = NamedTuple("WantFrames", [("run", str)])  # of a large stored run, whose last drawing came first
Ask = NamedTuple("Ask", [("question", str)])
Stop = NamedTuple("Stop", [])


class Next(NamedTuple):
    """Go on with a run that waits: to the next stage of the run itself, or to the next step, also of a run within."""

    by: Stride = "stage"


OpenRun = NamedTuple("OpenRun", [("iri", str)])
PlayAgain = NamedTuple("PlayAgain", [])  # the run that was asked, in its place
Annotate = NamedTuple(  # what is None stays as it is
    "Annotate", [("iri", str), ("name", str | None), ("tags", list[str] | None), ("note", str | None)]
)
Delete = NamedTuple("Delete", [("iri", str)])


class Judge(NamedTuple):
    """Write a verdict on a node of the run on show, or on a sentence of its answer; `by` is empty for nobody named."""

    run: str
    node: str
    verdict: str
    comment: str
    by: str


WantAudit = NamedTuple("WantAudit", [("run", str)])  # seal, checks and verdicts of the run on show
Undelete = NamedTuple("Undelete", [])  # bring back the run that was deleted last
Compare = NamedTuple("Compare", [("a", str), ("b", str)])
CloseComparison = NamedTuple("CloseComparison", [])
PutBack = NamedTuple("PutBack", [("key", str | None)])  # what was left out, or all
AskAgain = NamedTuple("AskAgain", [])  # the run on show, without what is left out
Matter = NamedTuple("Matter", [("over", str)])  # find out what mattered in the run on show
Reopen = NamedTuple("Reopen", [])  # the workspace that was closed
WantFile = NamedTuple("WantFile", [("format", Form)])  # of what is on show


class LeaveOut(NamedTuple):
    """What a node shows, when the run is asked again; with `listed` the list of what is left out opens."""

    run: str
    node: str
    listed: bool = True


LeaveDocument = NamedTuple("LeaveDocument", [("iri", str)])  # as LeaveOut, one that is open in the Documents tab


class WantSource(NamedTuple):
    """The page of a passage, of its document the one that was `turned` to; the reply has the same `key`.

    `said` is the sentence of the answer from which the passage was opened, whose words are marked.
    """

    run: str
    node: str
    key: str
    turned: str | None = None
    said: str | None = None


# All of a drawing, or of the one that a node stands in, as far as it had come by message `seq`.
WantLevel = NamedTuple("WantLevel", [("run", str), ("level", str), ("seq", int)])
WantNode = NamedTuple("WantNode", [("run", str), ("node", str), ("seq", int)])
WantOthers = NamedTuple("WantOthers", [("run", str), ("node", str)])  # the other runs that kept what a node shows
WantRecord = NamedTuple("WantRecord", [("run", str), ("node", str)])  # the triples of what a node shows
WantNotKept = NamedTuple("WantNotKept", [("run", str), ("node", str)])  # all that a search did not keep
WantFactSources = NamedTuple("WantFactSources", [("run", str), ("node", str)])  # of one of these


class ChangeBar(NamedTuple):
    """Something was changed in the ask bar; `limits` are the fields that were typed in or picked.

    `further`: what is left out is left out of further questions too. `look`: the list of models was opened. `within`:
    the documents that alone are searched, title by IRI; none: all. `by`: who asks, empty for nobody named.
    """

    question: str | None = None
    how: str | None = None
    model: str | None = None
    limits: dict[str, Typed] | None = None
    open: bool | None = None
    teaches: bool | None = None
    quizzes: bool | None = None
    further: bool | None = None
    look: bool | None = None
    within: dict[str, str] | None = None
    by: str | None = None


class Connect(NamedTuple):
    """Use a model, at an address and with a key where they are not empty."""

    model: str
    address: str
    key: str

    def __repr__(self) -> str:
        return f"Connect({self.model!r})"


class WantRuns(NamedTuple):
    """List past runs; `n` is the sign by which the page knows the reply."""

    n: int
    text: str | None = None
    engine: str | None = None
    model: str | None = None
    since: str | None = None
    problems: Literal["with", "without"] | None = None
    limit: int | None = None
    evaluation: str | None = None
    tag: str | None = None
    by: str | None = None


class SendPiece(NamedTuple):
    """A piece of a file that was dropped or chosen, with its bytes beside it; `at` counts from the file's start.

    `file` is the sign by which the page knows it, `size` how many bytes it has, `replaces` the document that it is to
    be a new version of, if any.
    """

    file: str
    name: str
    size: int
    at: int
    replaces: str | None = None


DropFile = NamedTuple("DropFile", [("file", str)])  # off the list: it comes no longer, or was read or removed
ShowDocuments = NamedTuple("ShowDocuments", [])  # turn to the Documents tab
ShowAsk = NamedTuple("ShowAsk", [])  # turn to the Ask tab
ShowPast = NamedTuple("ShowPast", [])  # turn to the Past runs tab
# A file with the name of a document that is here, or all of them: read in its place, or beside it.
SettleFile = NamedTuple("SettleFile", [("file", str | None), ("replace", bool)])


class Unlock(NamedTuple):
    """Read an encrypted file with its password."""

    file: str
    password: str

    def __repr__(self) -> str:
        return f"Unlock({self.file!r})"


WantFiles = NamedTuple("WantFiles", [])  # those that come and are read


class WantDocuments(NamedTuple):
    """List documents; `n` is the sign by which the page knows the reply."""

    n: int
    text: str | None = None
    limit: int | None = None


class WantDocument(NamedTuple):
    """One document, of its pages the one that was `turned` to; the reply has the same `key`.

    Of one that was found by a `text` its first place is what opens, and all of them are marked.
    """

    iri: str
    key: str
    turned: str | None = None
    text: str = ""


WantImpact = NamedTuple("WantImpact", [("iri", str)])  # what removing a document would change
Remove = NamedTuple("Remove", [("iri", str), ("words", bool)])  # a document, with the words that answers quote or not
ReadAgain = NamedTuple("ReadAgain", [("iri", str)])  # a document that was read of an attached store
BringBack = NamedTuple("BringBack", [("iri", str)])  # a document that was removed


class Retract(NamedTuple):
    """Retract a fact, by its key or its selection; `by` and `reason` are empty where nobody gave them."""

    fact: str
    by: str
    reason: str = ""


class ChangeFact(NamedTuple):
    """Put a fact in the place of another, with its passage."""

    fact: str
    s: str
    p: str
    o: str
    by: str
    reason: str = ""


class AddFact(NamedTuple):
    """Add a fact with words of a document, or of its page `part`; without a passage where there are no words."""

    document: str
    part: str | None
    words: str
    s: str
    p: str
    o: str
    by: str
    reason: str = ""


class Merge(NamedTuple):
    """Have an entity be what is called so."""

    entity: str
    name: str
    by: str
    reason: str = ""


class Split(NamedTuple):
    """Have a name stand for another entity than it does: with the facts whose passages have it, or of `documents`."""

    entity: str
    name: str
    documents: list[str]
    by: str
    reason: str = ""


class Uncorrect(NamedTuple):
    """Undo the last correction, or that of a fact, by its key or its selection."""

    by: str
    fact: str | None = None


Correction = Retract | ChangeFact | AddFact | Merge | Split | Uncorrect
WantEntity = NamedTuple("WantEntity", [("iri", str)])  # with its neighbours
Filing = (
    WantEntity
    | Correction
    | SendPiece
    | DropFile
    | SettleFile
    | Unlock
    | WantFiles
    | WantDocuments
    | WantDocument
    | WantImpact
    | Remove
    | ReadAgain
    | BringBack
)
LookUp = (
    WantSource
    | WantAudit
    | WantLevel
    | WantNode
    | WantOthers
    | WantRecord
    | WantNotKept
    | WantFactSources
    | WantRuns
    | WantFile
)
Change = Annotate | Judge | Delete | Undelete
WhatIf = LeaveOut | LeaveDocument | PutBack | AskAgain | Matter
Shown = ShowDocuments | ShowAsk | ShowPast | OpenRun | PlayAgain | Compare | CloseComparison
Wish = Shown | WhatIf | ChangeBar | Connect | Ask | Stop | Next | Reopen
OfRuns = LookUp | Change | WantSnapshot | WantFrames | Wish
Request = OfRuns | Filing
REQUESTS: dict[str, type[Request]] = {
    "snapshot?": WantSnapshot,
    "frames?": WantFrames,
    "bar": ChangeBar,
    "connect": Connect,
    "ask": Ask,
    "stop": Stop,
    "next": Next,
    "without": LeaveOut,
    "without document": LeaveDocument,
    "back": PutBack,
    "again": AskAgain,
    "matter": Matter,
    "open": OpenRun,
    "replay": PlayAgain,
    "annotate": Annotate,
    "judge": Judge,
    "audit?": WantAudit,
    "delete": Delete,
    "undelete": Undelete,
    "compare?": Compare,
    "compared": CloseComparison,
    "reopen": Reopen,
    "shelf": ShowDocuments,
    "asking": ShowAsk,
    "past": ShowPast,
    "piece": SendPiece,
    "drop": DropFile,
    "retract": Retract,
    "change": ChangeFact,
    "fact": AddFact,
    "merge": Merge,
    "split": Split,
    "uncorrect": Uncorrect,
    "entity?": WantEntity,
    "settle": SettleFile,
    "unlock": Unlock,
    "impact?": WantImpact,
    "remove": Remove,
    "read again": ReadAgain,
    "restore": BringBack,
    "files?": WantFiles,
    "documents?": WantDocuments,
    "document?": WantDocument,
    "save?": WantFile,
    "source?": WantSource,
    "level?": WantLevel,
    "node?": WantNode,
    "others?": WantOthers,
    "record?": WantRecord,
    "notkept?": WantNotKept,
    "unkept?": WantFactSources,
    "runs?": WantRuns,
}


def parse(content: object) -> Request:
    """Return the request that the page sent.

    Raises RecordError for a message of no known kind, and for a field that is missing, unknown or of a wrong type.
    """
    sent = content if isinstance(content, Mapping) else {}
    kind = sent.get("t")
    cls = REQUESTS.get(kind) if isinstance(kind, str) else None
    if cls is None:
        raise RecordError(f"The page sent {_cut(repr(kind))}, which is not a known message; reload the page.")
    given = {str(name): value for name, value in sent.items() if name != "t"}
    types: dict[str, Any] = get_type_hints(cls)
    wrong = [name for name in given if name not in types or not _fits(given[name], types[name])]
    wrong += [name for name in types if name not in given and name not in cls._field_defaults]
    if wrong:
        raise RecordError(f"The page sent {kind!r} with a wrong {_cut(wrong[0])!r}; reload the page.")
    return cls(**given)


def _fits(value: object, kind: Any) -> bool:  # noqa: ANN401 - a type as `get_type_hints` gives it
    """Return whether a value is of a type; a truth value is no number, and a whole number is a real one."""
    origin, args = get_origin(kind), get_args(kind)
    if origin is Literal:
        return any(type(value) is type(one) and value == one for one in args)
    if origin is list:
        return isinstance(value, list) and all(_fits(one, args[0]) for one in value)
    if origin is dict:
        return isinstance(value, dict) and all(_fits(a, args[0]) and _fits(b, args[1]) for a, b in value.items())
    if args:  # a union
        return any(_fits(value, one) for one in args)
    if isinstance(value, bool):
        return kind is bool
    return isinstance(value, int | float if kind is float else kind)


def _cut(words: str) -> str:
    return words if len(words) <= 60 else f"{words[:59]}…"
