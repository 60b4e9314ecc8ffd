"""What the detail panel shows for the steps of an agent: how it worked, what it called, and what came back."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from explorer.drawing.endings import TERMINATIONS
from explorer.drawing.ways import pattern_word
from explorer.entities import (
    Analysis,
    Conclusion,
    Decomposition,
    Finding,
    Observation,
    PatternDecision,
    Plan,
    Reflection,
    Reported,
    Step,
    StepResult,
)
from explorer.text import count, seconds
from explorer.vocab import iri, local_name, recognise
from explorer.widgets.detail import rows
from explorer.widgets.detail.steps import author_of, citations, cited_items, entity_of
from explorer.widgets.messages import Author
from explorer.widgets.words.authors import by_model, by_rules

if TYPE_CHECKING:
    from explorer.dag.nodes import Node
    from explorer.widgets.detail.rows import Rows
    from explorer.widgets.messages import Item, Row
    from explorer.widgets.words.names import Names

_LEVELS = {
    "basic": "the tool reported nothing of how it came to this",
    "enhanced": "the tool reported how it came to this",
}


def decision(_: Names, node: Node) -> Rows:
    """Which way of working was chosen, and for which type of task."""
    step = entity_of(node, PatternDecision)
    pattern = step.pattern or ""
    return [
        rows.text("Works", pattern_word(pattern), _author("chosen", step)),
        rows.text("Type of task", step.task_type),
        *_spent(step),
    ]


def analysis(names: Names, node: Node) -> Rows:
    """One step of an agent: what it thought, and which tool it called with which arguments."""
    step = entity_of(node, Analysis)
    thought = names.dag.text(step.thought) if step.thought else ""
    offered: list[Item] = [{"text": tool} for tool in sorted(step.tool_candidates)]
    return [
        rows.text("Step", step.step_number),
        rows.text("Thought", thought or step.thought_text),
        rows.text("Tool called", step.action, _author("chosen", step)),
        _arguments(step.arguments),
        rows.listing("Chosen from", offered),
        rows.text("What came back", step.observation_text),
        rows.text("The model took", _milliseconds(step.llm_duration_ms)),
        *_spent(step),
    ]


def reflection(names: Names, node: Node) -> Rows:
    """What an agent said to itself."""
    step = entity_of(node, Reflection)
    return [rows.text("Thought", names.dag.text(node.iri) or "Its text is not on record."), *_spent(step)]


def observation(names: Names, node: Node) -> Rows:
    """What a tool gave back, of which call, and how it came to it."""
    step = entity_of(node, Observation)
    called = _called(names, node)
    asked = [rows.text("Tool", called.action), _arguments(called.arguments)] if called else []
    return [
        _trouble(step.error),
        rows.text("What came back", names.dag.text(node.iri)),
        *asked,
        rows.text("The tool took", _milliseconds(step.tool_duration_ms)),
        *_reported(names, step),
        *_spent(step),
    ]


def plan(_: Names, node: Node) -> Rows:
    """The steps planned, in order."""
    step = entity_of(node, Plan)
    items: list[Item] = [{"text": goal} for goal in step.ordered or step.steps]
    return [rows.listing("In this order", items, _author("planned", step), none="no step"), *_spent(step)]


def step_result(names: Names, node: Node) -> Rows:
    """What came of one step of a plan: its goal, the tool called for it, and the result."""
    step = entity_of(node, StepResult)
    return [
        rows.title(step.goal or "A step of the plan"),
        _trouble(step.error),
        rows.text("Result", names.dag.text(node.iri)),
        rows.text("Tool", step.tool),
        _arguments(step.arguments),
        *_reported(names, step),
        _ended(step.termination_reason),
        *_spent(step),
    ]


def decomposition(_: Names, node: Node) -> Rows:
    """The parts a question was split into, in order."""
    step = entity_of(node, Decomposition)
    items: list[Item] = [{"text": goal} for goal in step.ordered or step.goals]
    return [rows.listing("One agent for each", items, _author("split", step), none="no part"), *_spent(step)]


def finding(names: Names, node: Node) -> Rows:
    """What a sub-agent found for its part."""
    step = entity_of(node, Finding)
    return [
        rows.title(step.goal or "A part of the question"),
        _trouble(step.error),
        rows.text("Found", names.dag.text(node.iri)),
        _ended(step.termination_reason),
        *_spent(step),
    ]


def conclusion(names: Names, node: Node) -> Rows:
    """The answer of an agent, and why it ended there."""
    step = entity_of(node, Conclusion)
    cites = citations(names.dag, node.iri)
    return [
        {"k": "text", "text": names.dag.text(node.iri), "author": author_of(names.dag, node)},
        rows.listing("Rests on", cited_items(names, cites)),
        _ended(step.termination_reason),
        *_spent(step),
    ]


def _called(names: Names, node: Node) -> Analysis | None:
    """Return the step whose tool gave this back: the one of the same number in the same session, else a parent."""
    named = recognise(node.iri)
    own = iri("analysis", named.key, named.index) if named and named.kind == "observation" else ""
    above = [names.dag.entities.get(own), *(parent.entity for parent in names.parents(node))]
    return next((step for step in above if isinstance(step, Analysis)), None)


def _reported(names: Names, step: Reported) -> Rows:
    level = step.detail_level or ""
    consulted = [_consulted(names, key) for key in step.consulted]
    return [
        rows.text("How it came to this", _LEVELS.get(level, level)),
        rows.text("What it did", step.transformation),
        rows.text("How sure it was", None if step.confidence is None else f"{step.confidence:.2f} of 1"),
        rows.listing(f"Read for it: {count(len(consulted), 'source')}", consulted),
        rows.text("Given up on", step.leaked and f"its thread {step.leaked} never returned"),
    ]


def _consulted(names: Names, key: str) -> Item:
    """Return a link to what was read where the graph shows it, else its name."""
    node = names.dag.graph.nodes[key].get("node") if key in names.dag.graph else None
    if node is not None:
        return names.item(node)
    named = recognise(key)
    return {"text": f"{named.kind} {named.key}" if named else local_name(key)}


def _arguments(written: str | None) -> Row | None:
    """Return what a tool was called with, one line an argument; a text that is no JSON object as it stands."""
    try:
        read = json.loads(written or "{}")
    except (ValueError, RecursionError):  # not JSON, or nested beyond all reason
        read = None
    if not isinstance(read, dict):
        return rows.text("Called with", written)
    items: list[Item] = [{"text": f"{_value(name)}: {_value(value)}"} for name, value in read.items()]
    return rows.listing("Called with", items, none="no arguments" if written else "")


def _value(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text.encode("utf-8", "replace").decode()  # an escaped half of a pair could not be sent to the page


def _trouble(error: str | None) -> Row | None:
    return None if error is None else rows.trouble(error)


def _ended(reason: str | None) -> Row | None:
    return rows.text("Ended because", TERMINATIONS.get(reason or "", reason))


def _author(verb: str, step: Step) -> Author | None:
    return by_model(verb, step.model) if step.model else by_rules(verb) if step.rule else None


def _spent(step: Step) -> Rows:
    return [rows.text("Rule", step.rule), rows.took(step), rows.tokens(step)]


def _milliseconds(spent: int | None) -> str | None:
    return None if spent is None else seconds(spent / 1000)
