"""Who says what a node tells: each statement carries its author, a sign and words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer import entities as e
from explorer.widgets.words import Author, by_extractor, by_measure, by_model, by_rules

if TYPE_CHECKING:
    from explorer.nodes import Node
    from explorer.widgets.names import Names

_SOURCES = ("Document", "Page", "Section", "Image", "Chunk")
_VERBS: dict[type[e.Entity], str] = {
    e.Grounding: "picked out", e.PatternDecision: "chosen", e.Plan: "planned", e.Decomposition: "split",
    e.Analysis: "chosen", e.Exploration: "looked up", e.Reflection: "said",
}  # fmt: skip


def author(names: Names, node: Node) -> Author:
    """Say who says what a node tells, as far as the record does."""
    match node.entity:
        case e.Question() as asked if node.kind == "Question":
            return {"sign": "✎", "text": "asked within the run" if asked.derived_from else "as it was asked"}
        case e.Failure():
            return {"sign": "⚙", "text": "recorded by the program that ran"}
        case e.Observation() | e.StepResult():
            return {"sign": "⚙", "text": "given back by the tool"}
        case e.Subgraph() as group:
            return _extractor(names, group)
        case e.Step() as step:
            return _of_step(step)
    if node.kind in _SOURCES:
        return {"sign": "”", "text": "as it was read"}
    if node.kind == "NotKept":
        return scored(names.dag.entities.get(node.iri.partition("#")[0]))
    above = names.dag.entities.get(node.iri.partition("#")[0])
    return _of_step(above) if isinstance(above, e.Step) and node.entity is None else _nobody()


def scored(focus: e.Entity | None) -> Author:
    """Say who scored facts or passages: a model, if the step they were kept in names one."""
    return by_model("scored", focus.model) if isinstance(focus, e.Focus) and focus.model else by_measure()


def _of_step(step: e.Step) -> Author:
    verb = next((verb for cls, verb in _VERBS.items() if isinstance(step, cls)), "done")
    if step.model:
        return by_model(verb, step.model)
    if isinstance(step, e.Grounding):
        return by_rules("taken from the question")
    if isinstance(step, e.Exploration):
        return {"sign": "≈", "text": "looked up by similarity, words and links, no model"}
    return by_rules(verb) if step.rule else _nobody()


def _extractor(names: Names, group: e.Subgraph) -> Author:
    activity = names.dag.entities.get(group.generated_by or "")
    agent = activity.associated_with if isinstance(activity, e.Activity) else None
    return by_extractor(agent.rpartition("/")[2]) if agent else _nobody()


def _nobody() -> Author:
    return {"sign": "·", "text": "by whom is not on record"}
