"""The kinds of nodes: one line each with its word, its sign, the record's term, and its part in a run.

Hue shows the role, outline and sign show the kind, and a word names it once more: colour never stands alone.
"""

from __future__ import annotations

from dataclasses import dataclass

from explorer import entities as e


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of node. `word` is the plain one, shown large; `term` the record's, shown small, where that is another.

    Nothing else names a kind. `verb` is what its author did. An `end` is the last node of a run. A `source` is what
    facts and passages rest on, and `read` what was read: a document or a part of it. `within` is the kind with which it
    shares an entry of the legend.
    """

    word: str
    sign: str
    term: str = ""
    verb: str = "done"
    end: bool = False
    source: bool = False
    read: bool = False
    within: str = ""


QUOTED = "❝"  # the sign of words of a document
KINDS: dict[str, Kind] = {  # in the order in which they come in a run, see `entities.ORDER`
    "Question": Kind("Question", "?"),
    "PatternDecision": Kind("Strategy", "▷", "Pattern", verb="chosen"),
    "Grounding": Kind("Key ideas", "○", "Grounding", verb="picked out"),
    "Concept": Kind("Key idea", "", "Concept", within="Grounding"),
    "Exploration": Kind("Looked at", "◎", "Exploration", verb="looked up"),
    "NotKept": Kind("Not kept", "⊕", "Candidates"),
    "Focus": Kind("Kept", "◉", "Focus"),
    "Nearest": Kind("Nearest, not enough", "◉", "Focus"),
    "EdgeSelection": Kind("Fact", "◆"),
    "Passage": Kind("Passage", QUOTED, source=True),
    "Page": Kind("Page", "▫", source=True, read=True),
    "Section": Kind("Section", "▫", source=True, read=True),
    "Image": Kind("Picture", "▫", "Image", read=True),
    "Chunk": Kind("Passage", QUOTED, "Chunk", read=True, within="Passage"),
    "Subgraph": Kind("Facts of a passage", "◇"),
    "Document": Kind("Document", "⬢", source=True, read=True),
    "ChunkSelection": Kind("Whole passage", QUOTED),
    "Plan": Kind("Plan", "☰", verb="planned"),
    "Decomposition": Kind("Parts", "▽", "Decomposition", verb="split"),
    "Analysis": Kind("Step", "▶", "Analysis", verb="chosen"),
    "Thought": Kind("Thought", "…", verb="said"),
    "Reflection": Kind("Thought", "…", "Reflection", verb="said"),
    "Observation": Kind("Result", "◀", "Observation"),
    "StepResult": Kind("Step result", "◁"),
    "Finding": Kind("Finding", "◈"),
    "Synthesis": Kind("Answer", "★", "Synthesis", end=True),
    "Sentence": Kind("Sentence", ""),
    "Conclusion": Kind("Answer", "★", "Conclusion", end=True),
    "Failure": Kind("Broken off", "✕", end=True),
    "Unknown": Kind("Other step", "·"),
    # what a drawing adds: nodes that stand for a goal, a run within a run, and what is too much for one drawing
    "Goal": Kind("To do", "▹"),
    "Run": Kind("Sub-run", "⊞"),
    "Folded": Kind("Folded", "⊞"),
    "Rest": Kind("Close, not used", "⊕"),
    "Near": Kind("Nearest, not enough", "⊕", within="Nearest"),
    "More": Kind("More kept", "⊕"),
}

STAGES = tuple(stage.__name__ for stage in e.STAGES)
SOURCES = tuple(name for name, it in KINDS.items() if it.source)


def kind(name: str) -> Kind:
    """Return a kind; that of "Unknown" for one the table does not name."""
    return KINDS.get(name, KINDS["Unknown"])


def signed(name: str, words: str) -> str:
    """Return words behind the sign of their kind; of those in quotation marks these are sign enough."""
    sign = kind(name).sign
    return words if sign == QUOTED and words.startswith("“") else f"{sign} {words}".strip()
