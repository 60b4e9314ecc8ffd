"""What each kind of node says to a person, in one or two short lines.

The first line of a step is the record's own term, the second says it plainly, so that people learn the words as they
read. Used by the graph, its list twin, the saved picture and the terminal alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pyoxigraph import BlankNode, Literal, NamedNode, Triple

from explorer import entities as e
from explorer.events import Passage
from explorer.text import count, opening, truncate
from explorer.vocab import local_name, recognise

SIGNS = {
    "Question": "?",
    "Grounding": "○",
    "Exploration": "◎",
    "Focus": "◉",
    "Concept": "",
    "NotKept": "⊕",
    "EdgeSelection": "◆",
    "Passage": "❝",
    "Page": "▫",
    "Section": "▫",
    "Image": "▫",
    "Chunk": "❝",
    "Subgraph": "◇",
    "Document": "⬢",
    "ChunkSelection": "◆",
    "PatternDecision": "▷",
    "Plan": "☰",
    "Decomposition": "▽",
    "Analysis": "▶",
    "Thought": "…",
    "Reflection": "…",
    "Observation": "◀",
    "StepResult": "✓",
    "Finding": "◈",
    "Synthesis": "★",
    "Conclusion": "★",
    "Failure": "✕",
    "Unknown": "·",
}
WORDS = {
    "Question": "Question",
    "Grounding": "Key ideas",
    "Concept": "Key idea",
    "Exploration": "Looked at",
    "Focus": "Kept",
    "NotKept": "Not kept",
    "EdgeSelection": "Fact",
    "Passage": "Passage",
    "Page": "Page",
    "Section": "Section",
    "Image": "Picture",
    "Chunk": "Chunk",
    "Subgraph": "Facts of a passage",
    "Document": "Document",
    "ChunkSelection": "Passage kept",
    "PatternDecision": "Way of working",
    "Plan": "Plan",
    "Decomposition": "Split into parts",
    "Analysis": "Step",
    "Thought": "Thought",
    "Reflection": "Thought",
    "Observation": "Result",
    "StepResult": "Step result",
    "Finding": "Finding",
    "Synthesis": "Answer",
    "Conclusion": "Answer",
    "Failure": "Broken off",
    "Unknown": "Step",
}

NO_MODEL = "no model"
METHODS = {"graph-rag": "Graph search", "document-rag": "Passage search", "agent": "Agent"}
PATTERNS = {
    "react": "step by step",
    "plan-then-execute": "plan first",
    "supervisor": "as a team",
}


@dataclass(slots=True)
class Known:
    """What has been seen of a run so far, as far as captions need it."""

    labels: dict[str, str] = field(default_factory=dict)
    explored: int | None = None
    kept: int = 0
    noun: str = "fact"
    citations: list[e.Citation] = field(default_factory=list)
    declined: bool = False


def engine_of(question: e.Question) -> str:
    """Name the engine that ran: as recorded, else by the kind of question."""
    if question.engine:
        return question.engine.split("/")[0]
    return {e.DocRagQuestion: "document-rag", e.AgentQuestion: "agent"}.get(type(question), "graph-rag")


def method(engine: str, pattern: str | None = None) -> str:
    """Say how a question is worked at: "Graph search", "Agent, as a team"."""
    how = METHODS.get(engine, engine)
    return f"{how}, {PATTERNS.get(pattern, pattern)}" if pattern else how


def model_of(reasoner: str | None) -> str | None:
    """Name the model that reasoned, "no model" for the extractive reasoner; None where no reasoner was recorded."""
    return NO_MODEL if reasoner and reasoner.startswith("extractive") else reasoner or None


def ended(reason: str | None) -> str:
    """Say how a run ended where that is worth a word: "stopped", "declined". Empty of one that came to its end."""
    return "no end on record" if reason in (None, "running") else _ENDED.get(reason, "")


_FITS = 20  # letters beside each other in the box of a step
_ENDED = {"declined": "declined", "stopped": "stopped", "interrupted": "cut off", "error": "failed"}


def term_label(term: NamedNode | BlankNode | Literal | Triple, labels: Mapping[str, str]) -> str:
    """Give a term of a fact as a person reads it: its label, else its readable name, else its value."""
    if isinstance(term, NamedNode):
        return labels.get(term.value) or local_name(term.value)
    if isinstance(term, Triple):
        return " ".join(edge_labels(term, labels))
    return term.value


def edge_labels(edge: Triple, labels: Mapping[str, str]) -> tuple[str, str, str]:
    """Give subject, predicate and object of a fact as a person reads them."""
    return (
        term_label(edge.subject, labels),
        term_label(edge.predicate, labels),
        term_label(edge.object, labels),
    )


def entity_caption(entity: e.Entity, known: Known) -> tuple[str, ...]:
    """Give the lines of a record node: its class as the record says it, then what it holds."""
    if isinstance(entity, e.EdgeSelection):
        return _fact(entity, known)
    if isinstance(entity, e.Failure):
        return (broken_off(entity), entity.error or "no reason recorded")
    name = "Question" if isinstance(entity, e.Question) else type(entity).__name__
    return (
        "Unknown" if name == "Entity" else name,
        _search_line(entity, known) or _agent_line(entity) or _plainly(entity),
    )


def broken_off(failure: e.Failure) -> str:
    """Say in a word how a run broke off: it failed, was stopped, or was cut off with the program."""
    if failure.termination_reason == "cancelled":
        return "Stopped"
    return "Cut off" if failure.error == e.CUT_OFF else "Failed"


def _search_line(entity: e.Entity, known: Known) -> str | None:
    match entity:
        case e.Question():
            return entity.query
        case e.Grounding():
            return count(len(entity.ordered or entity.concepts), "key idea")
        case e.Exploration() if entity.edge_count is None and entity.chunk_count is not None:
            return f"{count(entity.chunk_count, 'passage')} looked at"
        case e.Exploration():
            return f"{count(entity.edge_count, 'fact')} looked at"
        case e.Focus():
            return _kept(entity, known)
        case e.ChunkSelection():
            return "a passage kept" if entity.score is None else f"a passage kept, match {entity.score:.2f}"
        case e.Synthesis() | e.Conclusion():
            return _answer(known)
        case _:
            return None


def _agent_line(entity: e.Entity) -> str | None:
    match entity:
        case e.PatternDecision():
            return PATTERNS.get(entity.pattern or "", entity.pattern)
        case e.Plan():
            return count(len(entity.ordered or entity.steps), "step")
        case e.Decomposition():
            return count(len(entity.ordered or entity.goals), "part")
        case e.Analysis():
            number = "" if entity.step_number is None else f"step {entity.step_number}: "
            return f"{number}calls {entity.action}" if entity.action else f"{number}thinks"
        case e.Observation() | e.Finding() | e.StepResult() if entity.error is not None:
            return f"failed: {entity.error}"
        case e.Finding() | e.StepResult():
            return entity.goal
        case e.Thought():
            return "what it thought before this step"
        case e.Observation():
            return "what came back"
        case _:
            return None


def _plainly(entity: e.Entity) -> str:
    return entity.label or entity.iri


def chunk_caption(selection: e.ChunkSelection, passage: Passage) -> tuple[str, ...]:
    """Give the lines of a passage that was kept: its number and place, and how well it fits."""
    named = recognise(selection.iri)
    number = f"{named.index + 1} " if named and named.index is not None else ""
    where = f", p. {passage.page}" if passage.page is not None else ""
    match = "a passage kept" if selection.score is None else f"a passage kept, match {selection.score:.2f}"
    return (f"{number}{truncate(passage.title, 26)}{where}", match)


def passage_caption(passage: Passage) -> tuple[str, ...]:
    """Give the lines of a passage: its first words, and where they stand."""
    return (f"“{opening(passage.text, 24)}”", truncate(passage.title, 26))


def part_caption(passage: Passage) -> tuple[str, ...]:
    """Give the line of the page or section that a passage stands on."""
    if passage.page is not None:
        return (f"p. {passage.page}",)
    return (truncate(passage.section or "section", 22),)


def _kept(focus: e.Focus, known: Known) -> str:
    kept = len(focus.selected_edges or focus.selected_chunks)
    noun = "passage" if focus.selected_chunks else known.noun
    if known.explored is None:
        return f"{count(kept, noun)} kept"
    said = f"{kept:,} of {count(known.explored, noun)} kept"
    return said if len(said) <= _FITS else f"{kept:,} of {known.explored:,} kept"


def _fact(selection: e.EdgeSelection, known: Known) -> tuple[str, ...]:
    named = recognise(selection.iri)
    number = f"{named.index + 1} " if named and named.index is not None else ""
    if selection.edge is None:
        return (f"{number}fact", "no edge recorded")
    subject, predicate, obj = edge_labels(selection.edge, known.labels)
    return (f"{number}{subject}", f"— {predicate} → {obj}")


def looked_at(stage: e.Exploration) -> tuple[int | None, str]:
    """Give how many facts, or else passages, were looked at."""
    of_chunks = stage.edge_count is None and stage.chunk_count is not None
    return (stage.chunk_count, "passage") if of_chunks else (stage.edge_count, "fact")


def selected(focus: e.Focus) -> tuple[str, ...]:
    """Give all that a step kept."""
    return (*focus.selected_edges, *focus.selected_chunks)


def _answer(known: Known) -> str:
    if known.declined:
        return "declined: not in your documents"
    return f"answer, {count(len(known.citations), 'sentence')}" if known.citations else "answer"
