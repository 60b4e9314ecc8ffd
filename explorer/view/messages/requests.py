"""What the page sends.

`parse` makes one of the `Request` types of it, which `app.App._dispatch` acts on; a request whose kind ends with "?"
gets a reply, made in `widgets.lookups`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Literal, NamedTuple

from pydantic import AfterValidator, ConfigDict, Field, TypeAdapter, ValidationError

from explorer.errors import RecordError
from explorer.view.messages.bar import Typed
from explorer.view.messages.message import Form

_LONGEST = 10_000_000  # letters: more no message has, and who keeps the words has limits of its own


def _short(words: str) -> str:
    """Return words that are not too long; half of a surrogate pair is for those to refuse or mend who keep them."""
    if len(words) > _LONGEST:
        raise ValueError
    return words


Sign = Annotated[str, Field(max_length=20_000)]  # of a run, a node, a document, a file, or of what was asked for
Words = Annotated[str, AfterValidator(_short)]  # that a person wrote or picked
Number = Annotated[int, Field(ge=0, le=2**53)]  # a script counts no further
Stride = Literal["stage", "step"]
WantSnapshot = NamedTuple("WantSnapshot", [])  # the page has missed something
WantFrames = NamedTuple("WantFrames", [("run", Sign)])  # of a large stored run, whose last drawing came first
Ask = NamedTuple("Ask", [("question", Words)])
Stop = NamedTuple("Stop", [])


class Next(NamedTuple):
    """Go on with a run that waits: to the next stage of the run itself, or to the next step, also of a run within."""

    by: Stride = "stage"


OpenRun = NamedTuple("OpenRun", [("iri", Sign)])
PlayAgain = NamedTuple("PlayAgain", [])  # the run that was asked, in its place
Annotate = NamedTuple(  # what is None stays as it is
    "Annotate", [("iri", Sign), ("name", Words | None), ("tags", list[Words] | None), ("note", Words | None)]
)
Tag = NamedTuple("Tag", [("runs", list[Sign]), ("tag", Words)])  # beside the tags that they have
Delete = NamedTuple("Delete", [("runs", list[Sign])])


class Judge(NamedTuple):
    """Write a verdict on a node of the run on show, or on a sentence of its answer; `by` is empty for nobody named."""

    run: Sign
    node: Sign
    verdict: Words
    comment: Words
    by: Words


WantAudit = NamedTuple("WantAudit", [("run", Sign)])  # seal, checks and verdicts of the run on show
Undelete = NamedTuple("Undelete", [])  # bring back the runs that were deleted last
Compare = NamedTuple("Compare", [("a", Sign), ("b", Sign)])
CloseComparison = NamedTuple("CloseComparison", [])
PutBack = NamedTuple("PutBack", [("key", Sign | None)])  # what was left out, or all
AskAgain = NamedTuple("AskAgain", [])  # the run on show, without what is left out
Matter = NamedTuple("Matter", [("over", Sign)])  # find out what mattered in the run on show
Reopen = NamedTuple("Reopen", [])  # the workspace that was closed


class WantFile(NamedTuple):
    """A file of what is on show, or of some past runs."""

    format: Form
    runs: list[Sign] | None = None


class LeaveOut(NamedTuple):
    """What a node shows, when the run is asked again."""

    run: Sign
    node: Sign


LeaveDocument = NamedTuple("LeaveDocument", [("iri", Sign)])  # as LeaveOut, one that is open in the Documents tab


class WantSource(NamedTuple):
    """The page of a passage, of its document the one that was `turned` to; the reply has the same `key`.

    `said` is the sentence of the answer from which the passage was opened, whose words are marked. Or it is the passage
    as it was kept: then its sentence with most words of the question is marked.
    """

    run: Sign
    node: Sign
    key: Sign
    turned: Sign | None = None
    said: Sign | None = None


# All of a drawing, or of the one that a node stands in, as far as it had come by message `seq`.
WantLevel = NamedTuple("WantLevel", [("run", Sign), ("level", Sign), ("seq", Number)])
WantNode = NamedTuple("WantNode", [("run", Sign), ("node", Sign), ("seq", Number)])
WantOthers = NamedTuple("WantOthers", [("run", Sign), ("node", Sign)])  # the other runs that kept what a node shows
WantRecord = NamedTuple("WantRecord", [("run", Sign), ("node", Sign)])  # the triples of what a node shows
WantNotKept = NamedTuple("WantNotKept", [("run", Sign), ("node", Sign)])  # all that a search did not keep
WantFactSources = NamedTuple("WantFactSources", [("run", Sign), ("node", Sign)])  # of one of these


class ChangeBar(NamedTuple):
    """Something was changed in the ask bar; `limits` are the fields that were typed in or picked.

    `further`: what is left out is left out of further questions too. `look`: the list of models was opened. `within`:
    the documents that alone are searched, title by IRI; none: all. `by`: who asks, empty for nobody named.
    """

    question: Words | None = None
    how: Words | None = None
    model: Words | None = None
    limits: dict[Sign, Typed] | None = None
    teaches: bool | None = None
    quizzes: bool | None = None
    further: bool | None = None
    look: bool | None = None
    within: dict[Sign, Words] | None = None
    by: Words | None = None


class Connect(NamedTuple):
    """Use a model, at an address and with a key where they are not empty."""

    model: Words
    address: Words
    key: Words

    def __repr__(self) -> str:
        return f"Connect({self.model!r})"


class WantRuns(NamedTuple):
    """List past runs; `n` is the sign by which the page knows the reply, which says which of the `ticked` there are."""

    n: Number
    text: Words | None = None
    engine: Words | None = None
    model: Words | None = None
    since: Words | None = None
    problems: Literal["with", "without"] | None = None
    limit: Number | None = None
    evaluation: Words | None = None
    tag: Words | None = None
    by: Words | None = None
    order: Literal["newest", "oldest", "question", "outcome"] = "newest"
    ticked: list[Sign] | None = None


WantDerivation = NamedTuple("WantDerivation", [("iri", Sign)])  # of a record of others, which is no run


class SendPiece(NamedTuple):
    """A piece of a file that was dropped or chosen, with its bytes beside it; `at` counts from the file's start.

    `file` is the sign by which the page knows it, `size` how many bytes it has, `replaces` the document that it is to
    be a new version of, if any.
    """

    file: Sign
    name: Words
    size: Number
    at: Number
    replaces: Sign | None = None


DropFile = NamedTuple("DropFile", [("file", Sign)])  # off the list: it comes no longer, or was read or removed
ShowDocuments = NamedTuple("ShowDocuments", [])  # turn to the Documents tab
ShowAsk = NamedTuple("ShowAsk", [])  # turn to the Ask tab
ShowPast = NamedTuple("ShowPast", [])  # turn to the Past runs tab
# A file with the name of a document that is here, or all of them: read in its place, or beside it.
SettleFile = NamedTuple("SettleFile", [("file", Sign | None), ("replace", bool)])


class Unlock(NamedTuple):
    """Read an encrypted file with its password."""

    file: Sign
    password: Words

    def __repr__(self) -> str:
        return f"Unlock({self.file!r})"


WantFiles = NamedTuple("WantFiles", [])  # those that come and are read


class WantDocuments(NamedTuple):
    """List documents; `n` is the sign by which the page knows the reply."""

    n: Number
    text: Words | None = None
    limit: Number | None = None


class WantDocument(NamedTuple):
    """One document, of its pages the one that was `turned` to; the reply has the same `key`.

    Of one that was found by a `text` its first place is what opens, and all of them are marked.
    """

    iri: Sign
    key: Sign
    turned: Sign | None = None
    text: Words = ""


WantImpact = NamedTuple("WantImpact", [("iri", Sign)])  # what removing a document would change
Remove = NamedTuple("Remove", [("iri", Sign), ("words", bool)])  # a document, with the words that answers quote or not
ReadAgain = NamedTuple("ReadAgain", [("iri", Sign)])  # a document that was read of an attached store
BringBack = NamedTuple("BringBack", [("iri", Sign)])  # a document that was removed


class Retract(NamedTuple):
    """Retract a fact, by its key or its selection; `by` and `reason` are empty where nobody gave them."""

    fact: Words
    by: Words
    reason: Words = ""


class ChangeFact(NamedTuple):
    """Put a fact in the place of another, with its passage."""

    fact: Words
    s: Words
    p: Words
    o: Words
    by: Words
    reason: Words = ""


class AddFact(NamedTuple):
    """Add a fact with words of a document, or of its page `part`; without a passage where there are no words."""

    document: Sign
    part: Sign | None
    words: Words
    s: Words
    p: Words
    o: Words
    by: Words
    reason: Words = ""


class Merge(NamedTuple):
    """Have an entity be what is called so."""

    entity: Sign
    name: Words
    by: Words
    reason: Words = ""


class Split(NamedTuple):
    """Have a name stand for another entity than it does: with the facts whose passages have it, or of `documents`."""

    entity: Sign
    name: Words
    documents: list[Sign]
    by: Words
    reason: Words = ""


class Uncorrect(NamedTuple):
    """Undo the last correction, or that of a fact, by its key or its selection, or one of the list by its IRI."""

    by: Words
    fact: Words | None = None
    act: Sign | None = None


Correction = Retract | ChangeFact | AddFact | Merge | Split | Uncorrect
WantCorrections = NamedTuple("WantCorrections", [])  # what was corrected, the last first
WantEntity = NamedTuple("WantEntity", [("iri", Sign)])  # with its neighbours
Uploading = SendPiece | DropFile | SettleFile | Unlock | WantFiles | ReadAgain | BringBack
Filing = Correction | Uploading | WantCorrections | WantEntity | WantDocuments | WantDocument | WantImpact | Remove
OfNode = WantSource | WantLevel | WantNode | WantOthers | WantRecord | WantNotKept | WantFactSources
LookUp = OfNode | WantAudit | WantRuns | WantDerivation | WantFile
Change = Annotate | Tag | Judge | Delete | Undelete
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
    "tag": Tag,
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
    "corrections?": WantCorrections,
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
    "derivation?": WantDerivation,
}


def parse(content: object) -> Request:
    """Return the request that the page sent.

    Raises RecordError for a message of no known kind, and for a field that is missing, unknown, too long or of a wrong
    type.
    """
    sent = content if isinstance(content, Mapping) else {}
    kind = sent.get("t")
    if not isinstance(kind, str) or kind not in REQUESTS:
        raise RecordError(f"The page sent {_cut(repr(kind))}, which is not a known message; reload the page.")
    try:
        return _checker(kind).validate_python({str(name): value for name, value in sent.items() if name != "t"})
    except ValidationError as error:
        field = str(error.errors(include_url=False)[0]["loc"][0])
        raise RecordError(f"The page sent {kind!r} with a wrong {_cut(field)!r}; reload the page.") from None


@cache
def _checker(kind: str) -> TypeAdapter[Request]:
    """Return what checks and makes messages of a kind: a truth value is no number, and each field is known."""
    return TypeAdapter(REQUESTS[kind], config=ConfigDict(strict=True))


def _cut(words: str) -> str:
    return words if len(words) <= 60 else f"{words[:59]}…"
