"""The kinds of nodes: one line each with its word, its sign, its looks, the record's term, its place and its part.

Hue shows the role, outline and sign show the kind, and a word names it once more: colour never stands alone. Lengths
are CSS pixels at scale 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from explorer.drawing import colours as c
from explorer.drawing.colours import THEMES, Colours, Looks
from explorer.drawing.columns import SETS


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of node. `word` is the plain one, shown large; `term` the record's, shown small, where that is another.

    Nothing else names a kind. `styles` are those of its lines in the live graph: k kind, b bold, n normal, s small;
    each + is one more line. `column` is the one that it makes the heading of in the drawing of an agent; what has none
    of its own stands under "did". A `size` makes it a point.
    `verb` is what its author did. A `stage` is one of the steps of a search, which lead from one to the next; an `end`
    is the last node of a run. A `source` is what facts and passages rest on, and `read` what was read: a document or a
    part of it. `within` is the kind with which it shares an entry of the legend.
    """

    word: str
    sign: str
    looks: Looks
    term: str = ""
    width: int = 176
    column: str = ""
    styles: tuple[str, ...] = ("k", "n")
    shape: str = "box"
    radius: int = 3
    border: float = 1.3
    dashes: tuple[int, int] | None = None
    stacked: bool = False
    size: int = 0
    solid: bool = False
    verb: str = "done"
    stage: bool = False
    end: bool = False
    source: bool = False
    read: bool = False
    within: str = ""

    @property
    def light(self) -> Colours:
        """Its colours on a light ground."""
        return self.looks[0]

    @property
    def dark(self) -> Colours:
        """Its colours on a dark ground."""
        return self.looks[1]


QUOTED = "❝"  # the sign of words of a document
KINDS: dict[str, Kind] = {  # in the order in which they come in a run
    "Question": Kind("Question", "?", c.ASKED, styles=("k", "n+"), radius=18, solid=True),
    "PatternDecision": Kind("Way of working", "▷", c.AGENT, "Pattern", width=182, verb="chosen"),
    "Grounding": Kind("Key ideas", "○", c.STEP, "Grounding", verb="picked out", stage=True),
    "Concept": Kind("Key idea", "", c.IDEA, "Concept", styles=("s",), radius=12, within="Grounding"),
    "Exploration": Kind("Looked at", "◎", c.STEP, "Exploration", verb="looked up", stage=True),
    "NotKept": Kind("Read", "⊕", c.GREY, "Candidates", width=196, dashes=(4, 3), stacked=True),
    "Focus": Kind("Kept", "◉", c.STEP, "Focus", border=2.5, stage=True),
    "Nearest": Kind("Nearest, not enough", "◉", c.STEP, "Focus", border=2.5, dashes=(4, 3)),
    "EdgeSelection": Kind("Fact", "◆", c.FACT, width=278, styles=("b", "n"), radius=12),
    "Passage": Kind("Passage", QUOTED, c.WORDS, width=184, styles=("n", "s"), radius=0, source=True),
    "Page": Kind("Page", "▫", c.PAGE, styles=("s",), shape="square", size=9, source=True, read=True),
    "Section": Kind("Section", "▫", c.PAGE, styles=("s",), shape="square", size=9, source=True, read=True),
    "Image": Kind("Picture", "▫", c.PAGE, "Image", shape="square", size=9, read=True),
    "Chunk": Kind("Piece of text", QUOTED, c.WORDS, "Chunk", radius=0, read=True),
    "Subgraph": Kind("Facts of a passage", "◇", c.WORDS, radius=0),
    "Document": Kind("Document", "⬢", c.FILE, styles=("s",), shape="hexagon", size=11, solid=True, source=True,
                     read=True),
    "ChunkSelection": Kind("Passage kept whole", QUOTED, c.WORDS, width=278, styles=("b", "s"), radius=0, border=2),
    "Plan": Kind("Plan", "☰", c.AGENT, width=216, column="why", radius=0, verb="planned"),
    "Decomposition": Kind("Parts", "▽", c.AGENT, "Decomposition", width=216, column="why", radius=0, verb="split"),
    "Analysis": Kind("Step", "▶", c.AGENT, "Analysis", width=182, column="did", border=2, verb="chosen"),
    "Thought": Kind("Thought", "…", c.THOUGHT, width=216, column="why", radius=12, dashes=(2, 3), verb="said"),
    "Reflection": Kind("Thought", "…", c.THOUGHT, "Reflection", width=216, column="why", radius=12, dashes=(2, 3),
                       verb="said"),
    "Observation": Kind("Result", "◀", c.RESULT, "Observation", width=236, column="came"),
    "StepResult": Kind("Step result", "✓", c.RESULT, width=236, column="came"),
    "Finding": Kind("Finding", "◈", c.RESULT, width=236, column="came", radius=12),
    "Synthesis": Kind("Answer", "★", c.ANSWER, "Synthesis", border=2, solid=True, stage=True, end=True),
    "Sentence": Kind("Sentence", "", c.RESULT, styles=("s++++",), width=250),
    "Conclusion": Kind("Answer", "★", c.ANSWER, "Conclusion", width=182, border=2, solid=True, end=True),
    "Failure": Kind("Broken off", "✕", c.BROKEN, styles=("k", "n+"), border=2.5, dashes=(7, 3), end=True),
    "Unknown": Kind("Other step", "·", c.GREY, styles=("k", "n+"), radius=0),
    # what a drawing adds: nodes that stand for a goal, a run within a run, and what is too much for one drawing
    "Goal": Kind("To do", "▹", c.AGENT, width=182, column="did", radius=0),
    "Run": Kind("Run within", "⊞", c.STEP, width=164, column="ran", stacked=True),
    "Folded": Kind("Folded", "⊞", c.STEP, width=216, stacked=True),
    "Rest": Kind("Close, not used", "⊕", c.FACT, width=240, styles=("n",), radius=12, dashes=(4, 3), stacked=True),
    "Declined": Kind("No answer", "∅", c.GREY, "Synthesis", border=2, dashes=(4, 3), end=True),
    "Unsure": Kind("Answer", "★", c.GREY, "Synthesis", border=2, end=True),
    "Near": Kind("Nearest, not enough", "⊕", c.FACT, radius=12, dashes=(4, 3), stacked=True, within="Nearest"),
    "More": Kind("More kept", "⊕", c.FACT, radius=12, dashes=(4, 3), stacked=True),
}  # fmt: skip
STAND_INS = ("Goal", "Run", "Folded", "Nearest", "Sentence", "Rest", "Declined", "Unsure", "Near", "More")
STAGES = tuple(name for name, it in KINDS.items() if it.stage)
SOURCES = tuple(name for name, it in KINDS.items() if it.source)
ASKED_OF_AGENT = 216  # the width of an agent's question

_IN_PAGE = ("word", "term", "sign", "light", "dark", "shape", "radius", "border", "dashes", "stacked", "size", "solid",
            "stage", "end", "source", "within")  # fmt: skip


def kind(name: str) -> Kind:
    """Return a kind; that of "Unknown" for one the table does not name."""
    return KINDS.get(name, KINDS["Unknown"])


def signed(name: str, words: str) -> str:
    """Return words behind the sign of their kind; of those in quotation marks these are sign enough."""
    sign = kind(name).sign
    return words if sign == QUOTED and words.startswith("“") else f"{sign} {words}".strip()


def table(width: float) -> dict[str, Any]:
    """Return the looks of all kinds as plain data, for the page; `width` is that of all columns while a run goes on."""
    kinds = {name: {key: getattr(it, key) for key in _IN_PAGE} for name, it in KINDS.items()}
    columns = [{"width": one.width, "rooms": one.rooms} for one in SETS]
    return {"kinds": kinds, "themes": THEMES, "width": width, "columns": columns}
