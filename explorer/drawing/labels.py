"""The labels of the boxes in a drawing: the lines of a node with their styles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer import entities as e
from explorer.dag.passage_names import IN_LINE, passage_name
from explorer.dag.sentences import sentences
from explorer.drawing.looks import look
from explorer.wording.agent import called_with, wordless
from explorer.wording.kinds import kind
from explorer.wording.names import where
from explorer.wording.nodes import lines
from explorer.wording.said import numbered, words
from explorer.wording.tally import tally
from explorer.wording.ways import pattern_word, tool

if TYPE_CHECKING:
    from explorer.dag import ProvenanceDag
    from explorer.dag.nodes import Node

Styled = list[tuple[str, str]]
_IN_WIDE = 160  # beside the answer, where a passage may have the width of facts too
_OF_FACT = ("b+", "n++")  # the styles of who or what it is about, and of what it says


def brief(dag: ProvenanceDag, node: Node) -> Styled:
    """Return the styled lines of a node beside an answer."""
    if node.kind in ("ChunkSelection", "Passage") and node.passages:
        style = "b" if node.kind == "ChunkSelection" else "n"
        words = passage_name(dag, node.passages[0], _IN_WIDE)
        whole = "kept whole · " if node.kind == "ChunkSelection" and _is_beside_facts(dag, node) else ""
        return [(style, words), ("s", f"{whole}{where(node.passages[0], _IN_WIDE)}")]
    if isinstance(node.entity, e.Question):
        return [("k", lines(dag, node)[0]), ("n++", node.entity.query)]
    if isinstance(node.entity, e.EdgeSelection):
        return [*zip(look(node.kind).styles, lines(dag, node), strict=False)]
    return styled(dag, node)


def _is_beside_facts(dag: ProvenanceDag, chosen: Node) -> bool:
    """Return whether the search that kept a passage kept facts, too."""
    kept = (dag.entities.get(one) for one in dag.graph.predecessors(chosen.iri))
    return any(isinstance(one, e.Focus) and one.selected_edges for one in kept)


def passage_lines(dag: ProvenanceDag, passage: Node, most: int) -> Styled:
    """Return the styled lines of a passage with so many of its own words."""
    found = passage.passages[0]
    return [("n" + "+" * (most - 1), passage_name(dag, found, IN_LINE * most)), ("s", where(found))]


def styled(dag: ProvenanceDag, node: Node) -> Styled:
    """Return the lines of a label with their styles: k kind, b bold, n normal, s small; each + is one more line."""
    if node.kind == "EdgeSelection":
        return list(zip(_OF_FACT, lines(dag, node), strict=False))
    if (of_step := step_lines(dag, node)) is not None:
        return of_step
    made = list(zip(look(node.kind).styles, lines(dag, node), strict=False))
    if node.kind == "NotKept":
        made[-1] = ("n", f"{made[-1][1]} – why?")
    return made


def paired(node: Node) -> str:
    """Return the word for a node with the record's term behind it: "Step 2 · Analysis"."""
    return " · ".join(filter(None, (numbered(node), kind(node.kind).term)))


def step_lines(dag: ProvenanceDag, node: Node) -> Styled | None:
    """Return the lines of a step with their styles, see `styled`; None for any other node."""
    return None if node.kind == "Sentence" else _stage_lines(dag, node) or _agent_lines(dag, node)


def _stage_lines(dag: ProvenanceDag, node: Node) -> Styled | None:
    """Return the lines of a stage of a search, or of an answer: its word, and small how much it holds and the term."""
    match node.entity:
        case e.Grounding() as step:
            held = f"{len(step.ordered or step.concepts):,}"
        case e.Exploration() as step:
            held = "" if step.count is None else f"{step.count:,}"
        case e.Focus() as step:
            first, comma, read = tally(dag, step).rpartition(", ")
            return [("k", paired(node)), *(("s", one) for one in (first + comma.strip(), read) if one)]
        case e.Synthesis() | e.Conclusion() as answer:
            declined = answer.termination_reason == "declined"
            held = lines(dag, node)[-1] if declined else f"{len(sentences(dag, answer)) or ''}"
        case e.PatternDecision() as step:
            held = pattern_word(step.pattern)
        case e.Plan() | e.Decomposition() as step:
            held = lines(dag, node)[1]
        case _:
            return None
    return [("b", lines(dag, node)[0]), ("s", " · ".join(filter(None, (held, kind(node.kind).term))))]


def _agent_lines(dag: ProvenanceDag, node: Node) -> Styled | None:
    own, head = lines(dag, node), ("k", paired(node))
    match node.entity:
        case e.Observation() | e.StepResult() | e.Finding() as result if result.error is not None:
            return [("k", f"{numbered(node)} failed"), ("n++", result.error or "The reason was not recorded.")]
        case e.Observation() | e.StepResult() | e.Finding() | e.Reflection():
            return [head, ("n++", words(dag, node.iri) or wordless(node))]
        case e.Analysis() as step:
            return [head, ("b", tool(step.action)), ("s+", called_with(step))]
        case e.AgentQuestion() if node.kind == "Question":
            return [("k", own[0]), ("n+++", own[-1])]
        case e.Question() if node.kind == "Run":
            return [("k", own[0]), ("b", own[1]), ("s", own[2])]
    return [("k", own[0]), ("n++", own[1])] if node.kind == "Goal" else None
