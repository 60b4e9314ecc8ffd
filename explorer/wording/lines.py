"""What a node says to a person, in one to three short lines.

A step is called by its plain word, with the record's term small beside it, so that people learn the terms as they read.
Used by the graph, its list twin, the saved picture and the terminal alike.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from explorer import entities as e
from explorer.dag.passage_names import passage_name
from explorer.dag.sentences import sentences
from explorer.rdf.labels import edge_labels
from explorer.text import count, in_quotes, truncate
from explorer.vocab import recognise, session_of
from explorer.wording.endings import ENDINGS, of_failure
from explorer.wording.kinds import kind
from explorer.wording.outcomes import word
from explorer.wording.tally import tally
from explorer.wording.ways import pattern_word, search_word, tool

if TYPE_CHECKING:
    from explorer.dag import ProvenanceDag
    from explorer.dag.nodes import Node
    from explorer.events import Passage

_FROM_ONE = ("analysis", "thought", "observation")  # whose IRIs count so
_LONGEST = 300  # letters: more never fit into a label
_LONGEST_WORDS = 600  # letters of what a step came to, which its tooltip has
_CUTS = {"Concept": 32, "Document": 120, "Section": 22}  # letters that a label has room for


class Counts(NamedTuple):
    """How many facts or passages a search selected, and of how many; None where that is not on record."""

    selected: int
    explored: int | None
    noun: str


def counts(dag: ProvenanceDag, focus: e.Focus | None = None) -> Counts:
    """Return the counts of one search, or of the newest in the graph."""
    newest = next(
        (node.entity for node in dag.nodes("Exploration")[-1:] if isinstance(node.entity, e.Exploration)), None
    )
    noun = "passage" if newest is not None and newest.of_chunks else "fact"
    if focus is None:
        last = _newest_focus(dag)
        return Counts(len(last.selected) if last else 0, newest.count if newest else None, noun)
    stage = dag.exploration(focus)
    if stage is not None and not stage.of_chunks and focus.selected_chunks and not focus.selected_edges:
        return Counts(len(focus.selected), None, "passage")  # of the facts that were looked at none was kept
    if stage is None:
        is_of_chunks = focus.selected_chunks and not focus.selected_edges
        return Counts(len(focus.selected), None, "passage" if is_of_chunks else noun)
    return Counts(len(focus.selected), stage.count, "passage" if stage.of_chunks else "fact")


def _newest_focus(dag: ProvenanceDag) -> e.Focus | None:
    return next((node.entity for node in dag.nodes("Focus")[-1:] if isinstance(node.entity, e.Focus)), None)


def lines(dag: ProvenanceDag, node: Node, *, ranked: bool = False) -> tuple[str, ...]:
    """Return the lines of a node: of a step its name, then what it holds; what was kept with its rank, if so asked."""
    match node.kind:
        case "Concept":
            return (truncate(node.text, _CUTS["Concept"]),)
        case "NotKept":
            focus = dag.entities.get(node.iri.partition("#")[0])
            stage = dag.exploration(focus) if isinstance(focus, e.Focus) else None
            return (kind("NotKept").word, count(node.count, "passage" if stage and stage.of_chunks else "fact"))
        case "EdgeSelection" | "ChunkSelection":
            return _selection(dag, node, ranked=ranked)
        case "Goal":
            return (goal_name(node), node.text)
        case "Run":
            return (kind("Run").word, search_word(node.entity), node.text)
        case "Folded":
            return (kind("Folded").word, node.text)
        case "Rest":
            return (node.text,)
        case "Sentence":
            return (in_quotes(truncate(node.text, _LONGEST)),)
    if node.entity is None:
        return _source(dag, node.kind, node.passages[0])
    return _step(dag, node, node.entity)


def _step(dag: ProvenanceDag, node: Node, entity: e.Entity) -> tuple[str, ...]:
    if isinstance(entity, e.Failure):
        return (of_failure(entity).word.capitalize(), entity.error or "no reason recorded")
    if isinstance(entity, e.Focus) and was_not_enough(dag, entity):
        return (kind("Nearest").word, tally(dag, entity))
    held = _held(dag, entity) or _agent_line(entity)
    if held is None and isinstance(entity, e.Answer):
        return (numbered(node),)
    return (numbered(node), held or entity.label or entity.iri)


def was_not_enough(dag: ProvenanceDag, focus: e.Focus) -> bool:
    """Return whether what a search kept came nearest and was not enough: its answer is that there is none."""
    of_search = (node.entity for node in dag.within(session_of(focus.iri), "Synthesis"))
    return any(isinstance(one, e.Answer) and one.termination_reason == "declined" for one in of_search)


def goal_name(goal: Node) -> str:
    """Return the name of what stands for a step of a plan or a part of a question: "Step 1", "Part 2"."""
    step, _, fragment = goal.iri.partition("#goal-")
    named = recognise(step)
    return f"{'Step' if named and named.kind == 'plan' else 'Part'} {fragment}"


def _held(dag: ProvenanceDag, entity: e.Entity) -> str | None:
    match entity:
        case e.Question():
            return entity.query
        case e.Grounding():
            return f"{len(entity.ordered or entity.concepts):,} from the question"
        case e.Exploration():
            return count(entity.count, "passage" if entity.of_chunks else "fact")
        case e.Focus():
            return tally(dag, entity)
        case e.Synthesis() | e.Conclusion() if entity.termination_reason == "declined":
            return (
                "no sentence of it is supported" if sentences(dag, entity) else "declined: not found with these words"
            )
        case e.Synthesis() | e.Conclusion():
            told = len(sentences(dag, entity))
            return ", ".join(filter(None, (word(entity.outcome), count(told, "sentence") if told else ""))) or None
        case _:
            return None


def _agent_line(entity: e.Entity) -> str | None:
    match entity:
        case e.PatternDecision():
            return pattern_word(entity.pattern) or None
        case e.Plan():
            return count(len(entity.ordered or entity.steps), "step")
        case e.Decomposition():
            return count(len(entity.ordered or entity.goals), "part")
        case e.Analysis():
            return tool(entity.action) if entity.action else "thinks"
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


def number(dag: ProvenanceDag, chosen: Node) -> int | None:
    """Return the number of a fact among the facts kept with it, or of a passage among the passages, from 1.

    Where the step that kept it is not known the one in its IRI; None where that has none either.
    """
    above = (dag.entities.get(one) for one in dag.graph.predecessors(chosen.iri)) if chosen.iri in dag.graph else ()
    for focus in above:
        if isinstance(focus, e.Focus):
            own = focus.selected_edges if isinstance(chosen.entity, e.EdgeSelection) else focus.selected_chunks
            if (found := dag.numbers(own).get(chosen.iri)) is not None:
                return found
    named = recognise(chosen.iri)
    return None if named is None or named.index is None else named.index + 1


def _selection(dag: ProvenanceDag, node: Node, *, ranked: bool = False) -> tuple[str, ...]:
    found = number(dag, node) if ranked else None
    first = "" if found is None else f"{found} "
    match node.entity:
        case e.EdgeSelection(edge=None):
            return (f"{first}fact", "no edge recorded")
        case e.EdgeSelection(edge=edge) if edge is not None:
            subject, predicate, obj = edge_labels(edge, dag.labels)
            return (f"{first}{subject}", f"— {predicate} → {obj}")
        case e.ChunkSelection() if node.passages:
            return (f"{first}{passage_name(dag, node.passages[0])}", where(node.passages[0]))
        case e.ChunkSelection():
            return (f"{first}passage", "its words are not on record")
    return (node.kind,)


def _source(dag: ProvenanceDag, kind: str, passage: Passage) -> tuple[str, ...]:
    """Return the lines of a passage, of the page or section it stands on, or of its document."""
    if kind == "Passage":
        return (passage_name(dag, passage), where(passage))
    if kind == "Document":
        return (truncate(passage.title, _CUTS["Document"]),)
    section = truncate(passage.section or "section", _CUTS["Section"])
    return (f"p. {passage.page}" if passage.page is not None else section,)


def where(passage: Passage, most: int = 26) -> str:
    """Return page and document of a passage, the page first: what is cut is the title."""
    page = f"p. {passage.page} · " if passage.page is not None else ""
    return f"{page}{truncate(passage.title, most)}"


def progress(dag: ProvenanceDag, within: Node) -> str | None:
    """Return what the newest node of a folded run says of how far it is; None for one that says nothing of it."""
    match within.entity:
        case e.Exploration() | e.Focus():
            return lines(dag, within)[-1]
        case e.Analysis() as step:
            return f"{count(step.step_number or 1, 'step')} taken"
        case e.Failure() as failure:
            return of_failure(failure).word
        case e.Synthesis() | e.Conclusion() as answer if answer.termination_reason == "declined":
            return ENDINGS["declined"].word
        case e.Synthesis() as answer:
            found = [one.entity for one in dag.within(session_of(answer.iri), "Focus")]
            return tally(dag, found[-1]) if found and isinstance(found[-1], e.Focus) else None
        case _:
            return None


def numbered(node: Node) -> str:
    """Return the word for a node, of an agent's with its number, counted from 1: "Step 2", "Finding 1"."""
    named = recognise(node.iri)
    number = named.index if named else None
    word = kind(node.kind).word
    return word if number is None else f"{word} {number + (0 if named and named.kind in _FROM_ONE else 1)}"


def words(dag: ProvenanceDag, iri: str, most: int = _LONGEST_WORDS) -> str:
    """Return the beginning of a node's own text, on one line, with an ellipsis where it goes on."""
    return truncate(dag.text(iri)[: 4 * most], most)


def wordless(node: Node) -> str:
    """Return what stands for the words of a step without any: it has none, or they are not on record here."""
    recorded = isinstance(node.entity, e.Answer | e.Reflection) and node.entity.document
    return "Its words are not on record here." if recorded else "Nothing came back."


def called_with(step: e.Analysis) -> str:
    """Return what a tool was called with, the values alone."""
    written = step.arguments or ""
    try:
        read = json.loads(written or "{}")
        values = read.values() if isinstance(read, dict) else [read]
        text = ", ".join(value if isinstance(value, str) else json.dumps(value) for value in values)
    except (ValueError, RecursionError):  # not JSON, or nested beyond all reason: as it stands
        return " ".join(written[:_LONGEST].split())
    return " ".join(text[:_LONGEST].encode("utf-8", "replace").decode().split()) or "no arguments"


def has_failed(node: Node) -> bool:
    """Return whether a step's result is a failure."""
    return isinstance(node.entity, e.Observation | e.StepResult | e.Finding) and node.entity.error is not None
