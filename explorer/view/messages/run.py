"""The run on show: nodes, arcs, stages, answer, what happens."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from explorer.drawing.column_heads import Head
from explorer.drawing.columns import Spot
from explorer.view.messages.badge import Badge
from explorer.view.messages.comparison import Comparison
from explorer.view.messages.detail import Detail
from explorer.view.messages.what_if import Mattered
from explorer.wording.authors import Author

State = Literal["start", "running", "done", "declined", "stopped", "error"]
Mode = Literal["ask", "documents", "past"]
Styled = tuple[str, str]  # a line of a label: its style and its words
PassageWords = TypedDict("PassageWords", {"text": str, "title": str, "where": str, "note": str})


class Vis(TypedDict):
    """What vis-network is told of one node alone: a tooltip."""

    title: NotRequired[str]


class Node(TypedDict):
    """A node as it is drawn, with all that a click on it shows.

    `level` is the drawing it stands in first and `spots` its places in each drawing, one for each set of columns;
    `opens` the drawing that it stands for; `numbers` those that it has in the answer's text; `unfolds`, of one that
    opens in place, where that begins in the drawing around it and how far what is below moves down, for each set of
    columns; `also` what is lit with it; `passage` its words, shown before its page has come; `outcome` how an answer or
    a sentence of it came out; `by_hand` what a person did with a fact since; `pipeline`, of a question, who answered it
    where that is none of explorer's engines.
    """

    id: str
    kind: str
    outcome: NotRequired[str]
    by_hand: NotRequired[str]
    lines: list[Styled]
    name: str
    say: str
    vis: Vis
    detail: Detail
    level: str
    spots: dict[str, Spot]
    opens: NotRequired[str]
    numbers: NotRequired[list[int]]
    unfolds: NotRequired[tuple[tuple[float, float], ...] | None]
    also: NotRequired[list[str]]
    unsourced: NotRequired[bool]
    passage: NotRequired[PassageWords]
    pipeline: NotRequired[str]
    count: NotRequired[int | str]


class CameOut(TypedDict, total=False):
    """How an answer or a sentence came out, and the lines of its box, which say so; or what was done with a fact."""

    by_hand: str
    outcome: str
    lines: list[Styled]


# From one node to another; `width` is that of its line, where a score says so; `dashes`: found by the words alone.
Arc = TypedDict(
    "Arc",
    {
        "from": str,
        "to": str,
        "kind": str,
        "width": NotRequired[float],
        "back": NotRequired[bool],
        "dashes": NotRequired[bool],
    },
)


Quote = TypedDict("Quote", {"text": str, "where": str})  # words of a source, and where they stand
# The number of a passage, the node it leads to, that in words, and what a sentence cites of the passage.
Citation = TypedDict("Citation", {"n": int, "node": str, "tip": str, "of": list[str], "quote": Quote | None})
Mark = TypedDict("Mark", {"level": str, "text": str})  # found, near or none: how far words stand in their source


class AnswerRun(TypedDict):
    """A piece of text and what it rests on; `node` stands for a sentence, `mark` on what a model wrote."""

    text: str
    cites: list[Citation]
    node: NotRequired[str]
    mark: NotRequired[Mark]


class AnswerState(TypedDict, total=False):
    """The answer to `question`, or with `append` the next piece of its text; `runs` come once it is on record.

    `how` says by which method it was made, `limited` what was left out and where alone was searched; `notes` who chose
    it, and what that was. `outcome` says in a line how it came out and what was searched; `corrected`, that it rests
    on a fact that was corrected, or tells of one.
    """

    question: str
    how: str
    limited: str
    notes: list[str]
    text: str
    append: str
    live: bool
    author: Author | None
    runs: list[AnswerRun] | None
    outcome: str
    badges: list[Badge]
    corrected: bool


class Moved(TypedDict):
    """A node that stands elsewhere once a drawing was drawn anew; what it does not say stays as it was."""

    level: NotRequired[str]
    spots: dict[str, Spot]
    numbers: NotRequired[list[int]]
    unfolds: NotRequired[tuple[tuple[float, float], ...] | None]
    lines: NotRequired[list[Styled]]
    kind: NotRequired[str]
    outcome: NotRequired[str]
    by_hand: NotRequired[str]


class Again(TypedDict):
    """The drawings that are drawn anew, once the answer is on record: what is not in `moved` has no place in them."""

    levels: list[str]
    moved: dict[str, Moved]


# What the stage under way is for; before there is anything, what to do: `leads` names the tab where.
Note = TypedDict("Note", {"word": str, "text": str, "leads": NotRequired[Literal["documents"]]})
# What a stage that has ended was for, why it came out so, and by which `figures`, which may be none. `node` is what is
# explained; it may stand `inside` a run within the run.
Teaching = TypedDict(
    "Teaching", {"kind": str, "word": str, "text": str, "why": str, "figures": str, "node": str, "inside": bool}
)
# A fact or passage to choose or not, the sentence a fact was taken from, and `where` a passage stands: whether the run
# kept it, that in words, and why. A fact that is not `stated` outright there is neither right nor wrong to choose. Any
# of the texts but the first may be empty.
Choice = TypedDict("Choice", {"text": str, "quote": str, "where": str, "kept": bool, "score": str, "why": str})
Quiz = TypedDict(  # asked before it is shown what a run kept, by which it went as it says on its `basis`
    "Quiz", {"question": str, "choices": list[Choice], "basis": str}
)
LogLine = TypedDict("LogLine", {"kind": str, "text": str, "at": str})  # what happened, and how far into the run
Title = TypedDict(  # of a stored run, with the name and the note that people gave it
    "Title", {"iri": str, "question": str, "how": str, "model": str, "when": str, "name": str, "note": str}
)


class Shown(TypedDict, total=False):
    """What a run has put on the screen, or what a message adds to it; `total` is its time, "" if not on record.

    Of a node that the page has, and that stays where it is, a message has only what is new, as it has of the answer.
    """

    nodes: list[Node]
    arcs: list[Arc]
    answer: AnswerState | None
    log: list[LogLine]
    heads: list[Head]
    note: Note | None
    total: str | None
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
    """All that is on show, for a page that knows nothing yet; `frames` are the messages of a stored run instead.

    `untold`: those of this run are made when the page asks for them.
    """

    run: str
    seq: int
    state: State
    title: Title | None
    frames: NotRequired[list[Delta]]
    untold: NotRequired[bool]
    mattered: NotRequired[list[Mattered]]
    reviewed: NotRequired[Badge | None]
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
