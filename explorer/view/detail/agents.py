"""What the detail panel shows for the steps of an agent: how it worked, what it called, and what came back."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from explorer import entities as e
from explorer.dag.sentences import citations
from explorer.text import count, seconds
from explorer.view.detail import rows
from explorer.view.detail.steps import author_of, cited_items, in_words, supported
from explorer.view.messages.authors import Author
from explorer.view.words.authors import by_model, by_rules
from explorer.view.words.phrases import listed
from explorer.vocab import iri, local_name, recognise, session_of
from explorer.wording.endings import TERMINATIONS
from explorer.wording.ways import pattern_word, search_word

if TYPE_CHECKING:
    from explorer.dag.nodes import Node
    from explorer.view.detail.rows import Rows
    from explorer.view.messages.detail import Item, Row
    from explorer.view.words.names import Names

_LEVELS = {
    "basic": "the tool reported nothing of how it came to this",
    "enhanced": "the tool reported how it came to this",
}


def decided(names: Names, node: Node) -> Rows:
    """What an agent thought and decided: its way of working, its plan or parts, which tool it called with what."""
    own: Rows = []
    match node.entity:
        case e.PatternDecision() as step:
            own = [
                rows.text("Way of working", pattern_word(step.pattern), _author("chosen", step)),
                rows.text("Type of task", step.task_type),
            ]
        case e.Analysis() as step:
            offered: list[Item] = [{"text": tool} for tool in sorted(step.tool_candidates)]
            own = [
                rows.text("Step", step.step_number),
                rows.text("Thought", (step.thought and names.dag.text(step.thought)) or step.thought_text),
                rows.text("Tool called", step.action, _author("chosen", step)),
                _arguments(step.arguments),
                rows.listing("Chosen from", offered),
                rows.text("What came back", step.observation_text),
                rows.text("The model took", _milliseconds(step.llm_duration_ms)),
            ]
        case e.Plan() as step:
            steps: list[Item] = [{"text": goal} for goal in step.ordered or step.steps]
            own = [rows.listing("In this order", steps, _author("planned", step), none="no step")]
        case e.Decomposition() as step:
            parts: list[Item] = [{"text": goal} for goal in step.ordered or step.goals]
            own = [rows.listing("One agent for each", parts, _author("split", step), none="no part")]
        case e.Reflection():
            own = [rows.text("Thought", names.dag.text(node.iri) or "Its text is not on record.")]
    return [*own, *_spent(node)]


def came(names: Names, node: Node) -> Rows:
    """What came back of a call, a step of a plan or a part, and of the whole; why it ended there."""
    own: Rows = []
    text = names.dag.text(node.iri)
    match node.entity:
        case e.Observation() as step:
            called = _called(names, node)
            own = [
                _trouble(step.error),
                rows.text("What came back", text),
                *([rows.text("Tool", called.action), _arguments(called.arguments)] if called else []),
                rows.text("The tool took", _milliseconds(step.tool_duration_ms)),
                *_reported(names, step),
            ]
        case e.StepResult() as step:
            own = [
                rows.title(step.goal or "A step of the plan"),
                _trouble(step.error),
                rows.text("Result", text),
                rows.text("Tool", step.tool),
                _arguments(step.arguments),
                *_reported(names, step),
                _ended(step),
            ]
        case e.Finding() as step:
            title = rows.title(step.goal or "A part of the question")
            own = [title, _trouble(step.error), rows.text("Found", text), _ended(step)]
        case e.Conclusion() as step:
            cited = cited_items(names, citations(names.dag, node.iri))
            own = [
                in_words(names, node),
                {"k": "text", "text": text, "author": author_of(names.dag, node)},
                rows.listing("Rests on", cited),
                _found_by(names, node),
                *supported(names, node),
                _ended(step),
            ]
    return [*own, *_spent(node)]


def _found_by(names: Names, node: Node) -> Row | None:
    """Return which searches within found what an answer cites: such a search by itself is no second witness."""
    cited = [key for one in citations(names.dag, node.iri) for key in one.cites]
    found = dict.fromkeys(key for one in cited if (key := session_of(one)) not in ("", session_of(node.iri)))
    asked = [(one, one.entity) for key in found for one in names.dag.within(key, "Question")]
    words = dict.fromkeys(search_word(entity) for _, entity in asked)
    if not words:
        return None
    named = listed([*words])
    items: list[Item] = [{"text": f"{search_word(entity)}: {entity.query}", "node": one.iri}
                         for one, entity in asked if isinstance(entity, e.Question)]  # fmt: skip
    if items:
        items[-1]["why"] = f"The same search, the same sources: a {named} that says the same is no second witness."
    return rows.listing("Found by the searches within", items)


def _called(names: Names, node: Node) -> e.Analysis | None:
    """Return the step whose tool gave this back: the one of the same number in the same session, else a parent."""
    named = recognise(node.iri)
    own = iri("analysis", named.key, named.index) if named and named.kind == "observation" else ""
    above = [names.dag.entities.get(own), *(parent.entity for parent in names.parents(node))]
    return next((step for step in above if isinstance(step, e.Analysis)), None)


def _reported(names: Names, step: e.Reported) -> Rows:
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


def _ended(step: e.Answer) -> Row | None:
    reason = step.termination_reason
    return rows.text("Ended because", TERMINATIONS.get(reason or "", reason))


def _author(verb: str, step: e.Step) -> Author | None:
    return by_model(verb, step.model) if step.model else by_rules(verb) if step.rule else None


def _spent(node: Node) -> Rows:
    step = node.entity
    return [rows.text("Rule", step.rule), rows.took(step), *rows.calls(step)] if isinstance(step, e.Step) else []


def _milliseconds(spent: int | None) -> str | None:
    return None if spent is None else seconds(spent / 1000)


ROWS: rows.Table = {
    "PatternDecision": decided,
    "Plan": decided,
    "Decomposition": decided,
    "Analysis": decided,
    "Thought": decided,
    "Reflection": decided,
    "Observation": came,
    "StepResult": came,
    "Finding": came,
    "Conclusion": came,
}
