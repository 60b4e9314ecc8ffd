"""Every message between Python and the page, in both directions, as a typed value.

Python sends typed dicts, which are JSON as they are: `t` is the kind of a message, and mypy checks the fields. What the
page sends is parsed by `parse` into one of the `Request` types, which `app.App._dispatch` acts on; a request whose kind
ends with "?" gets a reply, made in `lookups`.
`tests/widgets/test_message_types.py` checks the scripts of the page against this module.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, NotRequired, Required, TypedDict, get_args, get_origin, get_type_hints

from explorer.errors import RecordError

State = Literal["start", "running", "done", "declined", "stopped", "error"]
Mode = Literal["ask", "past"]
Side = Literal["A", "B", "both"]
Form = Literal["svg", "html"]
Stride = Literal["stage", "step"]
MatterState = Literal["going", "done", "stopped", "error"]
ChipState = Literal["waiting", "now", "done", "failed"]
Span = tuple[int, int]
# Of a column: x, y, words, alignment and the drawing it stands in; of one drawn anew the number of the set of columns.
Head = tuple[float, float, str, str, str] | tuple[float, float, str, str, str, int]
# Where a node stands in a drawing: its middle; in one drawn anew, for each set of columns, middle, width and height.
Spot = tuple[float, float] | tuple[tuple[float, float, float, float] | None, ...]
Styled = tuple[str, str]  # a line of a label: its style and its words

Author = TypedDict("Author", {"sign": str, "text": str})  # who made a statement: a sign in a ring, and words


# Rows of the detail panel

# An item of a list; one that names a `node` is a link to it.
Item = TypedDict(
    "Item", {"text": Required[str], "node": str | None, "more": str | None, "why": str | None}, total=False
)


class _Row(TypedDict, total=False):
    label: str
    author: Author | None


class TextRow(_Row):
    """A text: a labelled line, the record's term, a quotation, or what went wrong; `strong` in larger type."""

    k: Literal["text", "term", "quote", "trouble"]
    text: str
    strong: NotRequired[bool]


class TimeRow(_Row):
    """A moment, which the page words in its own time zone."""

    k: Literal["time"]
    stamp: str


class ListRow(_Row):
    """A list: of items, of passages to open, or of links at the foot of the panel."""

    k: Literal["list", "passages", "links"]
    items: list[Item]


class MatchRow(_Row):
    """A score between 0 and 1, drawn as a bar of the parts that it is the sum of, where these are on record."""

    k: Literal["match"]
    value: float
    text: str
    parts: list[tuple[str, float]]


class SumRow(_Row):
    """The parts of the match above as a sum in digits, and below it its rank."""

    k: Literal["sum"]
    text: str


End = TypedDict("End", {"text": str, "tip": str | None})  # a term of a fact, with its language or type


class TripleRow(_Row):
    """A fact by its subject, predicate and object."""

    k: Literal["triple"]
    s: End
    p: End
    o: End


class NotKeptRow(_Row):
    """The facts or passages not kept, which are looked up when they are shown."""

    k: Literal["unkept"]


class RawRow(_Row):
    """The record: predicate and object of each triple."""

    k: Literal["raw"]
    rows: list[tuple[str, str]]


Row = TextRow | TimeRow | ListRow | MatchRow | SumRow | TripleRow | NotKeptRow | RawRow
Detail = TypedDict("Detail", {"heading": str, "rows": list[Row]})


# The run on show: nodes, arcs, stages, answer, what happens

PassageWords = TypedDict("PassageWords", {"text": str, "title": str, "where": str, "key": str, "note": str})


class Node(TypedDict):
    """A node as it is drawn, with all that a click on it shows; `vis` are its options for vis-network.

    `level` is the drawing it stands in first and `spots` its place in each drawing, of a run with more than one;
    `opens` the drawing that it stands for; `unfolds`, of one that opens in place, where that begins in the drawing
    around it and how far what is below moves down, for each set of columns; `also` what is lit with it; `passage` its
    words, shown before the page of that `key` has come.
    """

    id: str
    kind: str
    w: float
    h: float
    lines: list[Styled]
    name: str
    say: str
    vis: dict[str, object]
    detail: Detail
    level: NotRequired[str]
    spots: NotRequired[dict[str, Spot]]
    opens: NotRequired[str]
    unfolds: NotRequired[tuple[tuple[float, float], ...]]
    also: NotRequired[list[str]]
    unsourced: NotRequired[bool]
    passage: NotRequired[PassageWords]
    count: NotRequired[int]


Arc = TypedDict(
    "Arc", {"from": str, "to": str, "kind": str, "width": float, "dashes": bool, "arrows": NotRequired[str]}
)


class Chip(TypedDict):
    """A stage of the run: its word, and the record's term for it; `asked` is the moment of a question."""

    kind: str
    word: str
    term: str
    time: str | None
    sub: str
    state: ChipState
    node: str | None
    tip: NotRequired[str]
    asked: NotRequired[str]


Quote = TypedDict("Quote", {"text": str, "where": str})  # words of a source, and where they stand
# The number of a passage, the node it leads to, that in words, and what a sentence cites of the passage.
Citation = TypedDict("Citation", {"n": int, "node": str, "tip": str, "of": list[str], "quote": Quote | None})
Badge = TypedDict(
    "Badge", {"text": str, "level": str, "node": str, "tip": str}
)  # level: sure, strong, weak, none or ""
Mark = TypedDict("Mark", {"level": str, "text": str})  # found, near or none: how far words stand in their source


class AnswerRun(TypedDict):
    """A piece of text and what it rests on; `node` stands for a sentence, `mark` on what a model wrote."""

    text: str
    cites: list[Citation]
    node: NotRequired[str]
    mark: NotRequired[Mark]


class AnswerState(TypedDict, total=False):
    """The answer to `question`, or with `append` the next piece of its text; `runs` come once it is on record."""

    question: str
    text: str
    append: str
    live: bool
    author: Author | None
    runs: list[AnswerRun] | None
    badges: list[Badge]


class Moved(TypedDict):
    """A node that stands elsewhere once a drawing was drawn anew; what it does not say stays as it was."""

    level: NotRequired[str]
    spots: dict[str, Spot]
    unfolds: NotRequired[tuple[tuple[float, float], ...]]
    lines: NotRequired[list[Styled]]
    kind: NotRequired[str]


class Again(TypedDict):
    """The drawings that are drawn anew, once the answer is on record: what is not in `moved` has no place in them."""

    levels: list[str]
    moved: dict[str, Moved]


Note = TypedDict("Note", {"word": str, "term": str, "text": str})  # what the stage under way is for
# What a stage that has ended was for, and why it came out so. `node` is what is explained; it may stand `inside` a run
# within the run.
Teaching = TypedDict(
    "Teaching", {"kind": str, "word": str, "term": str, "text": str, "why": str, "node": str, "inside": bool}
)
# A fact to choose or not: whether the run kept it, and what the record says why or why not.
Choice = TypedDict("Choice", {"text": str, "kept": bool, "why": str})
Quiz = TypedDict("Quiz", {"question": str, "choices": list[Choice]})  # asked before it is shown what a run kept
LogLine = TypedDict("LogLine", {"kind": str, "text": str, "at": str})  # what happened, and how far into the run
# So far or in all, and what of it the steps took; empty if not on record.
Total = TypedDict("Total", {"time": str, "text": str, "tip": str}, total=False)
Title = TypedDict("Title", {"iri": str, "question": str, "how": str, "model": str, "when": str})  # of a stored run


class Shown(TypedDict, total=False):
    """What a run has put on the screen, or what a message adds to it; `chips` are the stages that changed."""

    nodes: list[Node]
    arcs: list[Arc]
    stages: list[Chip]
    chips: dict[int, Chip]
    answer: AnswerState | None
    log: list[LogLine]
    heads: list[Head]
    note: Note | None
    total: Total | None
    teaching: Teaching | None
    waiting: bool
    quiz: Quiz | None
    held: bool
    again: Again


class Delta(Shown):
    """What one event changed. `seq` counts the messages of a run from 1."""

    t: Literal["delta"]
    run: str
    seq: int
    state: State


class Snapshot(Shown):
    """All that is on show, for a page that knows nothing yet; `frames` are the messages of a stored run instead."""

    run: str
    seq: int
    state: State
    title: Title | None
    frames: NotRequired[list[Delta]]
    mattered: NotRequired[Mattered | None]
    examples: NotRequired[list[str]]
    mode: NotRequired[Mode]
    compare: NotRequired[Comparison | None]


class Level(TypedDict):
    """All of one drawing, for a page that opens it; `select` is the node that was asked for."""

    t: Literal["level"]
    run: str
    level: str
    nodes: list[Node]
    arcs: list[Arc]
    select: NotRequired[str]


# The source panel

# The place of some words on the picture of a page, in parts of its width and height.
Box = TypedDict("Box", {"x": float, "y": float, "w": float, "h": float, "text": str, "mine": NotRequired[bool]})
Ink = TypedDict("Ink", {"x": float, "y": float, "w": float, "h": float})  # what is printed on a page, as shares of it
# The picture of a page, whose bytes come beside the message, with the boxes of the words on it.
Picture = TypedDict("Picture", {"width": int, "height": int, "boxes": list[Box], "facts": list[list[Box]], "ink": Ink})
# A fact taken from a page: its ends, the numbers of its spans, and number and node if it was kept.
PageFact = TypedDict(
    "PageFact", {"words": tuple[str, str, str], "at": list[int], "n": NotRequired[int], "node": NotRequired[str]}
)
PageFacts = TypedDict("PageFacts", {"from": str, "items": list[PageFact], "total": int, "spans": list[Span]})
Neighbours = TypedDict("Neighbours", {"prev": str | None, "next": str | None})


class SourcePage(TypedDict):
    """A page, section or text with the passage marked; `trouble` says why it can't be shown.

    `runs` are its text in pieces of one kind: "mine" for the passage, "other" for other words used, or neither.
    """

    title: str
    sub: str
    runs: list[tuple[str, str]]
    note: str
    trouble: NotRequired[str]
    others: NotRequired[bool]
    facts: NotRequired[PageFacts]
    neighbours: NotRequired[Neighbours]
    page: NotRequired[Picture]


class Source(SourcePage):
    """The page that was asked for by this key."""

    t: Literal["source"]
    run: str
    key: str


# Past runs and comparison

# A line of the list of past runs; `differs` says what tells it apart from other runs of its question, if there are any.
PastRun = TypedDict(
    "PastRun",
    {
        "name": str,
        "tags": list[str],
        "note": str,
        "differs": str,
        "iri": str,
        "runs": int,
        "question": str,
        "how": str,
        "model": str,
        "when": str,
        "result": str,
        "trouble": str,
        "bad": bool,
    },
)


class Runs(TypedDict):
    """The past runs that a search and filters find; `n` is the sign of the request, `engines` are names and words."""

    t: Literal["runs"]
    n: int
    runs: list[PastRun]
    more: bool
    total: int
    engines: list[tuple[str, str]]
    models: list[str]
    tags: list[str]


# The list of past runs has changed; `deleted` is the question of the run that was deleted last and can be brought back.
Ran = TypedDict("Ran", {"t": Literal["ran"], "deleted": str | None})
# What only one of two runs has is marked by `only`; `row` is the place of a fact among all rows.
ComparedCitation = TypedDict("ComparedCitation", {"n": int, "row": int, "tip": str})
ComparedRun = TypedDict("ComparedRun", {"text": str, "cites": list[ComparedCitation]})
ComparedSentence = TypedDict("ComparedSentence", {"only": bool, "runs": list[ComparedRun]})
Idea = TypedDict("Idea", {"text": str, "only": bool})
Place = TypedDict("Place", {"lead": str, "text": str, "only": bool})  # `lead` says what it is, at the first of its kind
ComparedDocument = TypedDict("ComparedDocument", {"title": str, "only": bool, "places": list[Place]})
ComparedStep = TypedDict("ComparedStep", {"kind": str, "name": str, "text": str})


class ComparedSide(TypedDict):
    """One of the two runs; `none` says why there is no answer, `left` what it left out."""

    iri: str
    title: str
    question: str
    when: str
    spent: list[str]
    ended: str
    answer: list[ComparedSentence]
    none: str | None
    author: Author | None
    ideas: list[Idea]
    left: list[str]
    sources: list[ComparedDocument]
    steps: list[ComparedStep]


# What one run made of a fact: its number if it was kept, or that of what was kept `within` which its words are, and the
# place of the step that kept it.
Verdict = TypedDict(
    "Verdict",
    {
        "number": int | None,
        "within": int | None,
        "score": float | None,
        "why": str,
        "author": Author | None,
        "step": int | None,
    },
)
# A source of a fact: its words, and where they stand, document first in `where` and last in `found`.
ComparedSource = TypedDict("ComparedSource", {"document": str, "title": str, "where": str, "found": str, "text": str})


class ComparedFact(TypedDict):
    """A fact or passage that one of the runs kept; `parts` are subject, predicate and object, or its words."""

    row: int
    kind: str
    side: Side
    parts: list[str]
    label: str
    a: Verdict
    b: Verdict
    sources: list[ComparedSource]


Group = TypedDict("Group", {"side": Side, "title": str, "rows": list[ComparedFact]})


class Comparison(TypedDict):
    """Two runs side by side; `question` is that of both, if it is the same; `file` begins the names of saved files."""

    t: Literal["compare"]
    file: str
    heading: str
    column: str
    summary: str
    question: str | None
    a: ComparedSide
    b: ComparedSide
    looked: str
    authors: list[Author]
    groups: list[Group]


# The ask bar, a synced value of its own

Typed = str | bool  # a limit as it was typed, picked or ticked
LimitKind = Literal["number", "text", "choice", "tick"]


class LimitState(TypedDict):
    """A limit as the page draws it: `value` as it was typed, `usual` in grey or set back to, `tip` its tooltip."""

    name: str
    kind: LimitKind
    words: str
    tip: str
    usual: Typed
    value: Typed
    choices: list[tuple[str, str]]
    wrong: bool


# Something that the next question is asked without; `nodes` of the runs on show are those that show it.
LeftOutItem = TypedDict("LeftOutItem", {"key": str, "noun": str, "text": str, "nodes": list[str]})


class BarState(TypedDict):
    """The bar as the page draws it; `changed` counts limits that differ from their defaults, `trouble` is said below.

    `examples` and `earlier` are questions to pick from, `about` is the tooltip of the model, `left` is left out,
    `connected` counts the models that were given an address or a key here.
    """

    question: str
    examples: list[str]
    earlier: list[str]
    ways: list[str]
    how: str
    models: list[str]
    model: str
    about: str
    connected: int
    limits: list[LimitState]
    changed: int
    left: list[LeftOutItem]
    open: bool
    teaches: bool
    quizzes: bool
    running: bool
    waiting: bool
    trouble: str | None
    details: str | None


# What is looked up for a node, saved, or went wrong

# Another run that kept the same; one without an IRI says how many more there are.
OtherRun = TypedDict("OtherRun", {"iri": str | None, "question": str, "how": str, "when": str})
# Where a fact that was not kept comes from, and who took it down; `node` if that is in the graph.
FactSource = TypedDict("FactSource", {"text": str, "where": str, "hand": str, "node": str | None})
# What was looked up for a node: other runs, or the sources of a fact that was not kept.
Others = TypedDict(
    "Others", {"t": Literal["others"], "run": str, "node": str, "items": list[OtherRun] | list[FactSource]}
)
# A fact or passage that was looked at and not kept, with the reason in words and where it is from; `iri` is that of its
# Candidate or of the passage, or the fact itself where it was not scored; `node` is that of its key idea.
NotKeptItem = TypedDict(
    "NotKeptItem",
    {
        "iri": str,
        "text": str,
        "score": float | None,
        "why": str,
        "where": str,
        "idea": str | None,
        "node": str | None,
    },
)


class NotKept(TypedDict):
    """All that a search looked at and did not keep: by score, what was not scored nearest first.

    `lowest` is the lowest score that was kept, `rest` says how many more there were of which the record is silent.
    """

    t: Literal["notkept"]
    run: str
    node: str
    lowest: float | None
    items: list[NotKeptItem]
    rest: str


# A file made of what is on show, for the page to save.
SavedFile = TypedDict("SavedFile", {"t": Literal["save"], "format": Form, "name": str, "mime": str, "text": str})
# What went wrong, in words; `key` is that of the page that was asked for, `closed`: the workspace can be opened again.
Trouble = TypedDict(
    "Trouble", {"t": Literal["trouble"], "text": str, "details": str | None, "key": str | None, "closed": bool}
)
# A fact, passage or document: the share of the answer's sentences that are lost without it, None if it was not tried.
MatteredItem = TypedDict(
    "MatteredItem", {"text": str, "node": str | None, "change": float | None, "verdict": str, "cited": bool}
)


class Mattered(TypedDict):
    """What mattered for the answer of a run; while it is found out `made` runs of `of` are over, `now` is left out."""

    t: Literal["mattered"]
    run: str
    over: str
    state: MatterState
    made: int
    of: int
    now: str
    items: list[MatteredItem]
    said: list[str]
    author: Author | None


Message = Mattered | Delta | Level | Source | Runs | Ran | Comparison | Others | NotKept | SavedFile | Trouble


# What the page sends

WantSnapshot = NamedTuple("WantSnapshot", [])  # the page has missed something
Ask = NamedTuple("Ask", [("question", str)])
Stop = NamedTuple("Stop", [])


class Next(NamedTuple):
    """Go on with a run that waits: to the next stage of the run itself, or to the next step, also of a run within."""

    by: Stride = "stage"


OpenRun = NamedTuple("OpenRun", [("iri", str)])
Annotate = NamedTuple("Annotate", [("iri", str), ("name", str), ("tags", list[str]), ("note", str)])
Delete = NamedTuple("Delete", [("iri", str)])
Undelete = NamedTuple("Undelete", [])  # bring back the run that was deleted last
Compare = NamedTuple("Compare", [("a", str), ("b", str)])
CloseComparison = NamedTuple("CloseComparison", [])
LeaveOut = NamedTuple("LeaveOut", [("run", str), ("node", str)])  # what a node shows, of the next question
PutBack = NamedTuple("PutBack", [("key", str | None)])  # what was left out, or all
AskAgain = NamedTuple("AskAgain", [])  # the run on show, without what is left out
Matter = NamedTuple("Matter", [("over", str)])  # find out what mattered in the run on show
Reopen = NamedTuple("Reopen", [])  # the workspace that was closed
WantFile = NamedTuple("WantFile", [("format", Form)])  # of what is on show
# The page of a passage; `key` is its node, and after a space the IRI of another page if one was turned to.
WantSource = NamedTuple("WantSource", [("run", str), ("node", str), ("key", str)])
# All of a drawing, or of the one that a node stands in, as far as it had come by message `seq`.
WantLevel = NamedTuple("WantLevel", [("run", str), ("level", str), ("seq", int)])
WantNode = NamedTuple("WantNode", [("run", str), ("node", str), ("seq", int)])
WantOthers = NamedTuple("WantOthers", [("run", str), ("node", str)])  # the other runs that kept what a node shows
WantNotKept = NamedTuple("WantNotKept", [("run", str), ("node", str)])  # all that a search did not keep
WantFactSources = NamedTuple("WantFactSources", [("run", str), ("node", str)])  # of one of these


class ChangeBar(NamedTuple):
    """Something was changed in the ask bar; `limits` are the fields that were typed in or picked.

    `look`: the list of models was opened.
    """

    question: str | None = None
    how: str | None = None
    model: str | None = None
    limits: dict[str, Typed] | None = None
    open: bool | None = None
    teaches: bool | None = None
    quizzes: bool | None = None
    look: bool | None = None


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


LookUp = WantSource | WantLevel | WantNode | WantOthers | WantNotKept | WantFactSources | WantRuns | WantFile
Change = Annotate | Delete | Undelete
WhatIf = LeaveOut | PutBack | AskAgain | Matter
Wish = WhatIf | ChangeBar | Connect | Ask | Stop | Next | OpenRun | Compare | CloseComparison | Reopen
Request = LookUp | Change | WantSnapshot | Wish
REQUESTS: dict[str, type[Request]] = {
    "snapshot?": WantSnapshot,
    "bar": ChangeBar,
    "connect": Connect,
    "ask": Ask,
    "stop": Stop,
    "next": Next,
    "without": LeaveOut,
    "back": PutBack,
    "again": AskAgain,
    "matter": Matter,
    "open": OpenRun,
    "annotate": Annotate,
    "delete": Delete,
    "undelete": Undelete,
    "compare?": Compare,
    "compared": CloseComparison,
    "reopen": Reopen,
    "save?": WantFile,
    "source?": WantSource,
    "level?": WantLevel,
    "node?": WantNode,
    "others?": WantOthers,
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
