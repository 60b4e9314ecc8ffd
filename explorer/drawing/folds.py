"""How drawings label what an agent did: its steps with their own words, and the runs that are folded into one node."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from explorer import entities as e
from explorer.drawing.endings import ENDINGS, of_failure
from explorer.drawing.kinds import term
from explorer.drawing.labels import lines
from explorer.drawing.ways import tool
from explorer.text import count
from explorer.vocab import recognise

if TYPE_CHECKING:
    from explorer.dag import ProvenanceDag
    from explorer.dag.nodes import Node

Styled = list[tuple[str, str]]
_LONGEST = 300  # letters: more never fit into a label


def progressed(dag: ProvenanceDag, fold: Node, within: Node) -> Node:
    """Return a folded run with what its newest node says of how far it is."""
    text = _progress(dag, within)
    return fold if text is None else replace(fold, text=text)


def _progress(dag: ProvenanceDag, within: Node) -> str | None:
    match within.entity:
        case e.Exploration() | e.Focus():
            return lines(dag, within)[-1]
        case e.Analysis() as step:
            return f"{count(step.step_number or 1, 'step')} taken"
        case e.Failure() as failure:
            return of_failure(failure).word
        case e.Synthesis() | e.Conclusion() as answer if answer.termination_reason == "declined":
            return ENDINGS["declined"].word
        case _:
            return None


def numbered(node: Node) -> str:
    """Say the record's term for an agent's node with its number, counted from 1: "Analysis 2", "Finding 1"."""
    named = recognise(node.iri)
    number = named.index if named else None
    if number is None:
        return term(node.kind)
    return f"{term(node.kind)} {number + (0 if named and named.kind in _FROM_ONE else 1)}"


_FROM_ONE = ("analysis", "thought", "observation")


def words(dag: ProvenanceDag, iri: str) -> str:
    """Give the beginning of a node's own text, on one line."""
    return " ".join(dag.text(iri)[:_LONGEST].split())


def agent_lines(dag: ProvenanceDag, node: Node) -> Styled | None:
    """Give the styled lines of an agent's node, see `drawing.styled`; None for any other."""
    own = lines(dag, node)
    head = ("k", node.kind if node.kind == "PatternDecision" else numbered(node))
    match node.entity:
        case e.Observation() | e.StepResult() | e.Finding() as result if result.error is not None:
            return [("k", f"{head[1]} failed"), ("n++", result.error or "The reason was not recorded.")]
        case e.Observation() | e.StepResult() | e.Finding():
            return [head, ("n++", words(dag, node.iri) or wordless(node))]
        case e.Reflection():
            return [head, ("n++", words(dag, node.iri) or wordless(node))]
        case e.Analysis() as step:
            return [head, ("b", tool(step.action)), ("s+", called_with(step))]
        case e.PatternDecision() | e.Plan() | e.Decomposition() | e.Conclusion():
            return [head, ("b", own[-1])]
        case e.AgentQuestion() if node.kind == "Question":
            return [("k", own[0]), ("n++", own[-1])]
        case e.Question() if node.kind == "Run":
            return [("k", own[0]), ("b", own[1]), ("s", own[2])]
    return [("k", own[0]), ("n++", own[1])] if node.kind == "Goal" else None


def wordless(node: Node) -> str:
    """Say of a step without words whether it has none, or whether they are not here."""
    kept = isinstance(node.entity, e.Answer | e.Reflection) and node.entity.document
    return "Its words are not on record here." if kept else "Nothing came back."


def called_with(step: e.Analysis) -> str:
    """Say what a tool was called with, the values alone."""
    written = step.arguments or ""
    try:
        read = json.loads(written or "{}")
        values = read.values() if isinstance(read, dict) else [read]
        said = ", ".join(value if isinstance(value, str) else json.dumps(value) for value in values)
    except (ValueError, RecursionError):  # not JSON, or nested beyond all reason: as it stands
        return " ".join(written[:_LONGEST].split())
    return " ".join(said[:_LONGEST].encode("utf-8", "replace").decode().split()) or "no arguments"


def has_failed(node: Node) -> bool:
    """Say whether a step's result is a failure."""
    return isinstance(node.entity, e.Observation | e.StepResult | e.Finding) and node.entity.error is not None
