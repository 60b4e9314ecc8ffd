"""What is said of the steps of an agent: how it works, what it calls, and what comes back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import ClassVar

from explorer import entities as e
from explorer.dag import ProvenanceDag
from explorer.dag.nodes import Node
from explorer.dag.outcome import outcome_at
from explorer.events import Explain
from explorer.text import count, one_line, truncate, without_markup
from explorer.vocab import iri, local_name, recognise
from explorer.wording import panel_rows
from explorer.wording.authors import Author, by_model, by_rules
from explorer.wording.names import Names
from explorer.wording.node_words import Said, Styled, counted, entity_of, known, numbered, of_stage, words
from explorer.wording.outcomes import signed
from explorer.wording.panel_rows import Item, Row, Rows
from explorer.wording.retrieved import became_each
from explorer.wording.spent import lasted
from explorer.wording.ways import PATTERNS, pattern_word, tool

_LEVELS = {
    "basic": "the tool reported nothing of how it came to this",
    "enhanced": "the tool reported how it came to this",
}
_LONGEST = 300  # letters of what a tool was called with: more never fit into a label
_IN_LINE, _IN_LESSON = 90, 120  # letters of what came back


class PatternDecision(Said):
    """The choice of a strategy."""

    coming: ClassVar = {"agent": "The strategy is chosen: step by step, plan first, or as a team."}

    def held(self, dag: ProvenanceDag, node: Node) -> str:
        return pattern_word(entity_of(node, e.PatternDecision).pattern)

    def label(self, dag: ProvenanceDag, node: Node) -> Styled:
        return of_stage(numbered(node), self.held(dag, node))

    def name(self, names: Names, node: Node) -> str:
        return self.lines(names.dag, node)[-1].capitalize()

    def rows(self, names: Names, node: Node) -> Rows:
        step = entity_of(node, e.PatternDecision)
        return [
            panel_rows.text("Strategy", self.held(names.dag, node), _chooser("chosen", step)),
            panel_rows.text("Type of task", step.task_type),
            *_spent(names.dag, step),
        ]

    def came(self, dag: ProvenanceDag, node: Node) -> str:
        step = entity_of(node, e.PatternDecision)
        return f"Strategy: {self.held(dag, node) or 'not recorded'}{chosen_by(step)}"

    def lesson(self, dag: ProvenanceDag, node: Node) -> str:
        step = entity_of(node, e.PatternDecision)
        given = step.pattern or ""
        how = PATTERNS[given].about if given in PATTERNS else given or "in a way that is not recorded"
        by = "Whoever asked" if step.rule == e.GIVEN else "A rule" if step.rule else "The model"
        return f"{by} chose how to work: {how}."

    def why(self, dag: ProvenanceDag, node: Node) -> str:
        rule = entity_of(node, e.PatternDecision).rule
        given = "No rule and no language model had to decide it."
        return given if rule == e.GIVEN else panel_rows.by_rule(rule)

    def printed(self, entity: e.Entity, event: Explain) -> Iterator[str]:
        if isinstance(entity, e.PatternDecision):
            yield f"Strategy: {one_line(entity.pattern or '-')}  Task: {one_line(entity.task_type or '-')}"


class Plan(Said):
    """The steps that a question is split into."""

    noun, verb, head = "step", "planned", "In this order"
    did, means = "Planned", "each has a row, its result on the right"
    coming: ClassVar = {"agent": "The question is split into steps, which are then taken in order."}

    def goals(self, entity: e.Entity | None) -> tuple[str, ...]:
        """Return the steps, in their order."""
        return tuple(entity.ordered or entity.steps) if isinstance(entity, e.Plan) else ()

    def held(self, dag: ProvenanceDag, node: Node) -> str:
        return count(len(self.goals(node.entity)), self.noun)

    def label(self, dag: ProvenanceDag, node: Node) -> Styled:
        return of_stage(numbered(node), self.held(dag, node))

    def rows(self, names: Names, node: Node) -> Rows:
        step, goals = entity_of(node, e.Step), [*map(_item, self.goals(node.entity))]
        author = _chooser(self.verb, step)
        return [panel_rows.listing(self.head, goals, author, none=f"no {self.noun}"), *_spent(names.dag, step)]

    def came(self, dag: ProvenanceDag, node: Node) -> str:
        return f"{self.did} {self.held(dag, node)}"

    def lesson(self, dag: ProvenanceDag, node: Node) -> str:
        return f"The question was split into {self.held(dag, node)}; {self.means}."

    def why(self, dag: ProvenanceDag, node: Node) -> str:
        return panel_rows.by_rule(entity_of(node, e.Step).rule)

    def printed(self, entity: e.Entity, event: Explain) -> Iterator[str]:
        noun = "Step" if isinstance(entity, e.Plan) else "Part"
        yield from (f"{noun} {number}: {one_line(goal)}" for number, goal in enumerate(self.goals(entity), 1))


class Decomposition(Plan):
    """The parts that a question is split into, with an agent for each."""

    noun, verb, head = "part", "split", "One agent for each"
    did, means = "Split into", "an agent works on each"
    coming: ClassVar = {"agent": "The question is split into parts, one agent for each."}

    def goals(self, entity: e.Entity | None) -> tuple[str, ...]:
        return tuple(entity.ordered or entity.goals) if isinstance(entity, e.Decomposition) else ()


class Goal(Said):
    """A step of a plan or a part of a question that a drawing has a node for."""

    def lines(self, dag: ProvenanceDag, node: Node, *, ranked: bool = False) -> tuple[str, ...]:
        return (goal_name(node), node.text)

    def label(self, dag: ProvenanceDag, node: Node) -> Styled:
        return [*zip(("k", "n++"), self.lines(dag, node), strict=True)]

    def name(self, names: Names, node: Node) -> str:
        return goal_name(node)

    def rows(self, names: Names, node: Node) -> Rows:
        return [panel_rows.title(node.text), panel_rows.text("Place", goal_name(node))]


class Analysis(Said):
    """A step of an agent: the tool that it calls."""

    coming: ClassVar = {"agent": "It decides what to look up next; what it thinks, calls and gets back is one row."}

    def held(self, dag: ProvenanceDag, node: Node) -> str:
        action = entity_of(node, e.Analysis).action
        return tool(action) if action else "thinks"

    def label(self, dag: ProvenanceDag, node: Node) -> Styled:
        step = entity_of(node, e.Analysis)
        return [("k", numbered(node)), ("b", tool(step.action)), ("s+", called_with(step))]

    def say(self, names: Names, node: Node) -> str:
        step = entity_of(node, e.Analysis)
        return f"{numbered(node)}: {tool(step.action)}, asked for “{called_with(step)}”"

    def rows(self, names: Names, node: Node) -> Rows:
        step = entity_of(node, e.Analysis)
        return [
            panel_rows.text("Step", step.step_number),
            panel_rows.text("Thought", (step.thought and names.dag.text(step.thought)) or step.thought_text),
            panel_rows.text("Tool called", step.action, _chooser("chosen", step)),
            _arguments(step.arguments),
            panel_rows.listing("Chosen from", [*map(_item, sorted(step.tool_candidates))]),
            panel_rows.text("What came back", step.observation_text),
            panel_rows.text("The model took", lasted(step.llm_duration_ms)),
            *_spent(names.dag, step),
        ]

    def came(self, dag: ProvenanceDag, node: Node) -> str:
        step = entity_of(node, e.Analysis)
        return f"Step {step.step_number or '?'}: {tool(step.action)}"

    def progress(self, dag: ProvenanceDag, node: Node) -> str:
        return f"{count(entity_of(node, e.Analysis).step_number or 1, 'step')} taken"

    def lesson(self, dag: ProvenanceDag, node: Node) -> str:
        return f"The agent chose a tool for this step: {tool(entity_of(node, e.Analysis).action)}."

    def why(self, dag: ProvenanceDag, node: Node) -> str:
        return panel_rows.by_rule(entity_of(node, e.Analysis).rule)

    def printed(self, entity: e.Entity, event: Explain) -> Iterator[str]:
        if isinstance(entity, e.Analysis):
            yield from [] if entity.step_number is None else [f"Step: {entity.step_number}"]
            yield from counted("Chosen from", entity.tool_candidates) if entity.tool_candidates else ()
            yield f"Arguments: {one_line(entity.arguments)}" if entity.arguments else "No arguments recorded"
            yield from known("Model took", lasted(entity.llm_duration_ms))


class Reflection(Said):
    """What an agent noted on the way."""

    def label(self, dag: ProvenanceDag, node: Node) -> Styled:
        came_out = signed(outcome_at(dag, node))
        head = f"{numbered(node)} · {came_out}" if came_out else numbered(node)
        return [("k", head), ("n++", words(dag, node.iri) or wordless(node))]

    def rows(self, names: Names, node: Node) -> Rows:
        text = names.dag.text(node.iri) or "Its text is not on record."
        return [panel_rows.text("Thought", text), *_spent(names.dag, entity_of(node, e.Step))]

    def came(self, dag: ProvenanceDag, node: Node) -> str:
        return f"{numbered(node)}: {truncate(words(dag, node.iri), _IN_LINE) or wordless(node)}"


class Thought(Reflection):
    """What an agent thought before a step."""

    def held(self, dag: ProvenanceDag, node: Node) -> str:
        return "what it thought before this step"

    def say(self, names: Names, node: Node) -> str:
        return f"{numbered(node)}: {words(names.dag, node.iri) or self.lines(names.dag, node)[-1]}"


class _Result(Said):
    """What came back: of a call, of a step of a plan, or of a part."""

    def held(self, dag: ProvenanceDag, node: Node) -> str | None:
        error = _error_of(node.entity)
        return self.purpose(node) if error is None else f"failed: {error}"

    def purpose(self, node: Node) -> str | None:
        """Return what it was for."""
        return getattr(node.entity, "goal", None)

    def author(self, names: Names, node: Node) -> Author:
        return {"sign": "⚙", "text": "given back by the tool"}

    def lines(self, dag: ProvenanceDag, node: Node, *, ranked: bool = False) -> tuple[str, ...]:
        return (numbered(node), *filter(None, (self.held(dag, node),)))

    def label(self, dag: ProvenanceDag, node: Node) -> Styled:
        if (error := _error_of(node.entity)) is not None:
            return [("k", f"{numbered(node)} failed"), ("n++", error or "The reason was not recorded.")]
        return [("k", numbered(node)), ("n++", words(dag, node.iri) or wordless(node))]

    def say(self, names: Names, node: Node) -> str:
        own = self.lines(names.dag, node)
        if has_failed(node):
            return own[-1] if own[-1].startswith(own[0]) else f"{own[0]}: {own[-1]}"
        return f"{numbered(node)}: {words(names.dag, node.iri) or own[-1]}"

    def came(self, dag: ProvenanceDag, node: Node) -> str:
        if (error := _error_of(node.entity)) is not None:
            return f"{numbered(node)} failed: {truncate(error, _IN_LINE)}"
        return f"{numbered(node)}: {truncate(words(dag, node.iri), _IN_LINE) or wordless(node)}"

    def lesson(self, dag: ProvenanceDag, node: Node) -> str:
        if has_failed(node):
            reason = truncate(self.lines(dag, node)[-1], _IN_LINE)
            return f"{numbered(node)} failed, and the run goes on: {reason}."
        came = truncate(without_markup(words(dag, node.iri)), _IN_LESSON)
        said = f": “{came.rstrip('.')}”" if came else ", without words"
        return f"{numbered(node)} came back{said}."

    def why(self, dag: ProvenanceDag, node: Node) -> str:
        step = node.entity
        if not isinstance(step, e.Reported) or not step.consulted or has_failed(node):
            return ""
        read = count(len(step.consulted), "source")
        return f"It rests on {read}; the tool said which, so it can be checked."

    def printed(self, entity: e.Entity, event: Explain) -> Iterator[str]:
        goal = getattr(entity, "goal", None)
        yield from [f"Goal: {one_line(goal)}"] if goal else []


class Observation(_Result):
    """What a tool gave back."""

    coming: ClassVar = {"agent": "{tool} is at work; what it finds goes to the right, and is folded into one node."}

    def purpose(self, node: Node) -> str:
        return "what came back"

    def rows(self, names: Names, node: Node) -> Rows:
        step, called = entity_of(node, e.Observation), _called(names, node)
        return [
            _trouble(step.error),
            panel_rows.text("What came back", names.dag.text(node.iri)),
            *([panel_rows.text("Tool", called.action), _arguments(called.arguments)] if called else []),
            panel_rows.text("The tool took", lasted(step.tool_duration_ms)),
            *_reported(names, step),
            *_spent(names.dag, step),
        ]

    def printed(self, entity: e.Entity, event: Explain) -> Iterator[str]:
        if isinstance(entity, e.Observation):
            yield from known("Tool took", lasted(entity.tool_duration_ms))


class StepResult(_Result):
    """What came of a step of a plan."""

    coming: ClassVar = {"agent": "{done} of {steps} done. What comes back from each stands at the right of its row."}

    def rows(self, names: Names, node: Node) -> Rows:
        step = entity_of(node, e.StepResult)
        return [
            panel_rows.title(step.goal or "A step of the plan"),
            _trouble(step.error),
            panel_rows.text("Result", names.dag.text(node.iri)),
            panel_rows.text("Tool", step.tool),
            _arguments(step.arguments),
            *_reported(names, step),
            panel_rows.ended(step),
            *_spent(names.dag, step),
        ]


class Finding(_Result):
    """What came of a part of a question."""

    coming: ClassVar = {"agent": "{done} of {parts} finished. Each agent's own steps are folded into one node."}
    author = Said.author

    def rows(self, names: Names, node: Node) -> Rows:
        step = entity_of(node, e.Finding)
        return [
            panel_rows.title(step.goal or "A part of the question"),
            _trouble(step.error),
            panel_rows.text("Found", names.dag.text(node.iri)),
            panel_rows.ended(step),
            *_spent(names.dag, step),
        ]


def goal_name(goal: Node) -> str:
    """Return the name of what stands for a step of a plan or a part of a question: "Step 1", "Part 2"."""
    step, _, fragment = goal.iri.partition("#goal-")
    named = recognise(step)
    return f"{'Step' if named and named.kind == 'plan' else 'Part'} {fragment}"


def chosen_by(step: e.PatternDecision) -> str:
    """Return who chose a strategy, as it stands behind that: whoever asked, a rule, or a language model."""
    if step.rule == e.GIVEN:
        return ", as asked"
    return ", chosen by a rule" if step.rule else f", chosen by {step.model}" if step.model else ""


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
    return _error_of(node.entity) is not None


def _error_of(entity: e.Entity | None) -> str | None:
    return entity.error if isinstance(entity, e.Observation | e.StepResult | e.Finding) else None


def _item(text: str) -> Item:
    return {"text": text}


def _called(names: Names, node: Node) -> e.Analysis | None:
    """Return the step whose tool gave this back: the one of the same number in the same session, else a parent."""
    named = recognise(node.iri)
    own = iri("analysis", named.key, named.index) if named and named.kind == "observation" else ""
    above = [names.dag.entities.get(own), *(parent.entity for parent in names.parents(node))]
    return next((step for step in above if isinstance(step, e.Analysis)), None)


def _reported(names: Names, step: e.Reported) -> Rows:
    level = step.detail_level or ""
    became = became_each(names, names.dag.node(step.iri))
    consulted = [] if became else [_consulted(names, key) for key in step.consulted]
    return [
        panel_rows.text("How it came to this", _LEVELS.get(level, level)),
        panel_rows.text("What it did", step.transformation),
        panel_rows.text("How sure it was", None if step.confidence is None else f"{step.confidence:.2f} of 1"),
        panel_rows.listing(f"Read for it: {count(len(consulted), 'source')}", consulted),
        became,
        panel_rows.text("Given up on", step.leaked and f"its thread {step.leaked} never returned"),
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
        return panel_rows.text("Called with", written)
    items: list[Item] = [{"text": f"{_value(name)}: {_value(value)}"} for name, value in read.items()]
    return panel_rows.listing("Called with", items, none="no arguments" if written else "")


def _value(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text.encode("utf-8", "replace").decode()  # an escaped half of a pair could not be sent to the page


def _trouble(error: str | None) -> Row | None:
    return None if error is None else panel_rows.trouble(error)


def _chooser(verb: str, step: e.Step) -> Author | None:
    return by_model(verb, step.model) if step.model else by_rules(verb) if step.rule else None


def _spent(dag: ProvenanceDag, step: e.Step) -> Rows:
    return [panel_rows.text("Rule", step.rule), *panel_rows.spent(dag, step)]
