"""How each kind of node looks: one line each with its colours, its outline and its column.

An answer, its sentences and results have the colours of how they came out, where that is known. Lengths are CSS pixels
at scale 1. What a kind is called, and its sign, is in `wording.kinds`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from explorer.drawing import colours as c
from explorer.drawing.colours import THEMES, Colours, Looks
from explorer.drawing.columns import SETS
from explorer.events import NOT_FOUND
from explorer.wording.kinds import KINDS, STAGES
from explorer.wording.outcomes import level


@dataclass(frozen=True, slots=True)
class Look:
    """How one kind of node looks. `column` is the one that it makes the heading of in the drawing of an agent; what has
    none of its own stands under "did". A `size` makes it a point.
    """

    colours: Looks
    column: str = ""
    shape: str = "box"
    radius: int = 3
    border: float = 1.3
    dashes: tuple[int, int] | None = None
    stacked: bool = False
    size: int = 0
    solid: bool = False

    @property
    def light(self) -> Colours:
        """Its colours on a light ground."""
        return self.colours[0]

    @property
    def dark(self) -> Colours:
        """Its colours on a dark ground."""
        return self.colours[1]


LOOKS: dict[str, Look] = {  # in the order of `wording.kinds`
    "Question": Look(c.ASKED, radius=18, solid=True),
    "PatternDecision": Look(c.AGENT),
    "Grounding": Look(c.STEP),
    "Concept": Look(c.IDEA, radius=12),
    "Exploration": Look(c.STEP),
    "NotKept": Look(c.GREY, dashes=(4, 3), stacked=True),
    "Focus": Look(c.STEP, border=2.5),
    "Nearest": Look(c.STEP, border=2.5, dashes=(4, 3)),
    "EdgeSelection": Look(c.FACT, radius=12),
    "Passage": Look(c.WORDS, radius=0),
    "Page": Look(c.PAGE, shape="square", size=9),
    "Section": Look(c.PAGE, shape="square", size=9),
    "Image": Look(c.PAGE, shape="square", size=9),
    "Chunk": Look(c.WORDS, radius=0),
    "Subgraph": Look(c.WORDS, radius=0),
    "Document": Look(c.FILE, shape="hexagon", size=11, solid=True),
    "ChunkSelection": Look(c.WORDS, radius=0, border=2),
    "Plan": Look(c.AGENT, column="why", radius=0),
    "Decomposition": Look(c.AGENT, column="why", radius=0),
    "Analysis": Look(c.AGENT, column="did", border=2),
    "Thought": Look(c.THOUGHT, column="why", radius=12, dashes=(2, 3)),
    "Reflection": Look(c.THOUGHT, column="why", radius=12, dashes=(2, 3)),
    "Observation": Look(c.STEP, column="came"),
    "StepResult": Look(c.STEP, column="came"),
    "Finding": Look(c.STEP, column="came", radius=12),
    "Synthesis": Look(c.STEP, border=2, solid=True),
    "Sentence": Look(c.STEP),
    "Conclusion": Look(c.STEP, border=2, solid=True),
    "Failure": Look(c.BROKEN, border=2.5, dashes=(7, 3)),
    "Unknown": Look(c.GREY, radius=0),
    # what a drawing adds: nodes that stand for a goal, a run within a run, and what is too much for one drawing
    "Goal": Look(c.AGENT, column="did", radius=0),
    "Run": Look(c.STEP, column="ran", stacked=True),
    "Folded": Look(c.STEP, stacked=True),
    "Rest": Look(c.FACT, radius=12, dashes=(4, 3), stacked=True),
    "Near": Look(c.FACT, radius=12, dashes=(4, 3), stacked=True),
    "More": Look(c.FACT, radius=12, dashes=(4, 3), stacked=True),
}

_NAMED = ("word", "sign", "end", "source", "within")
_LOOKS = ("light", "dark", "shape", "radius", "border", "dashes", "stacked", "size", "solid")


_DASHED = {NOT_FOUND: (4, 3)}


def look(name: str, came_out: str | None = None) -> Look:
    """Return how a kind looks, and one of its nodes that came out so; that of "Unknown" for one that is not named."""
    looks = LOOKS.get(name, LOOKS["Unknown"])
    if came_out not in c.OUTCOMES:
        return looks
    whole, part = c.OUTCOMES[came_out]
    return replace(looks, colours=whole if looks.solid else part, dashes=_DASHED.get(came_out))


def table() -> dict[str, Any]:
    """Return the names and looks of all kinds and outcomes, and the sets of columns, as plain data for the page."""
    kinds = {
        name: {**{key: getattr(it, key) for key in _NAMED}, **{key: getattr(LOOKS[name], key) for key in _LOOKS},
               "stage": name in STAGES}
        for name, it in KINDS.items()
    }  # fmt: skip
    columns = [{"width": one.width, "rooms": one.rooms} for one in SETS]
    outcomes = {
        f"{level(name)}{rest}": {"light": light, "dark": dark, "dashes": _DASHED.get(name)}
        for name, looks in c.OUTCOMES.items()
        for rest, (light, dark) in zip(("", "-part"), looks, strict=True)
    }
    return {"kinds": kinds, "outcomes": outcomes, "themes": THEMES, "columns": columns}
