"""The stage strip, the log and the note for a run of an agent: how it works, what came of each step, the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer import entities as e
from explorer.drawing import labels
from explorer.drawing.kinds import term
from explorer.drawing.labels import has_failed, numbered, wordless, words
from explorer.drawing.ways import pattern_word, tool
from explorer.text import count, seconds, truncate
from explorer.vocab import recognise, session_of

if TYPE_CHECKING:
    from explorer.dag import ProvenanceDag
    from explorer.dag.nodes import Node
    from explorer.widgets.messages import Chip, Note

_LONGEST = 60
_MOST = 40  # steps or goals with chips of their own
_NOTES = {
    "Question": "Your question is put on record first, with the time and all settings.",
    "PatternDecision": "The way of working is chosen: step by step, plan first, or as a team.",
    "Analysis": "It decides what to look up next; what it thinks, calls and gets back becomes one row.",
    "Observation": "{tool} is at work; what it finds goes to the right, and is folded into one node.",
    "Plan": "The question is split into steps, which are then taken in order.",
    "StepResult": "{done} of {steps} done. What comes back from each stands at the right of its row.",
    "Decomposition": "The question is split into parts, one agent for each.",
    "Finding": "{done} of {parts} finished. Each agent's own steps are folded into one node.",
    "Synthesis": "The answer is made from these results and from nothing else.",
}


class Course:
    """How far an agent's run has come, by the nodes of its own session."""

    def __init__(self, dag: ProvenanceDag) -> None:
        """Read the graph as it stands."""
        self.dag = dag
        roots = [root for root in dag.roots if isinstance(root.entity, e.AgentQuestion)]
        named = roots or dag.nodes("PatternDecision")
        self.key = session_of(named[0].iri) if named else ""
        self.begun = bool(named)

    def all(self, kind: str) -> list[Node]:
        """Return the nodes of a kind, in the order they came."""
        return self.dag.within(self.key, kind)

    def first(self, *kinds: str) -> Node | None:
        """Return the first node of these kinds."""
        return next((node for kind in kinds for node in self.all(kind)), None)

    def results(self, kind: str, last: int | None = None) -> dict[int, Node]:
        """Return the nodes of a kind by their number; only the `last` so many that came, where that is given."""
        nodes = self.all(kind)
        return {named.index: node for node in (nodes if last is None else nodes[-last:])
                if (named := recognise(node.iri)) and named.index is not None}  # fmt: skip

    @property
    def goals(self) -> tuple[str, list[str], str] | None:
        """The kind of results, the goals in order, and the node that names them; None for a run without goals."""
        node = self.first("Plan", "Decomposition")
        match node.entity if node else None:
            case e.Plan() as plan:
                return "StepResult", list(plan.ordered or plan.steps), plan.iri
            case e.Decomposition() as parts:
                return "Finding", list(parts.ordered or parts.goals), parts.iri
        return None

    @property
    def pattern(self) -> str | None:
        """The pattern that was chosen, if that is known."""
        node = self.first("PatternDecision")
        return node.entity.pattern if node and isinstance(node.entity, e.PatternDecision) else None


def chips(dag: ProvenanceDag, *, running: bool, writing: bool) -> list[Chip]:
    """Return a chip for each stage: question, way of working, each step with what came back, answer."""
    course = Course(dag)
    made = [
        _chip(dag, "Question", course.first("Question"), "what was asked"),
        _chip(dag, "PatternDecision", course.first("PatternDecision"), "how to go about it"),
        *_goals(course),
        *_steps(course),
    ]
    answer = course.first("Conclusion") or _last(course)
    kind = "Conclusion" if course.pattern in (None, "react") else "Synthesis"
    made.append(_chip(dag, answer.kind if answer else kind, answer, "an answer with its sources"))
    failure = course.first("Failure")
    at = next((at for at, chip in enumerate(made) if chip["state"] == "waiting"), None)
    if failure is not None:
        _break(dag, made, failure, at)
    elif running and at is not None and course.begun:
        made[at] |= {"state": "now", "sub": _doing(made[at], course, writing=writing)}
    return made


def note(dag: ProvenanceDag) -> Note:
    """Explain in a sentence or two what is under way."""
    course = Course(dag)
    kind = _under_way(course)
    goals = course.goals
    done = len(course.results(goals[0])) if goals else 0
    total = len(goals[1]) if goals else 0
    called = [node.entity for node in course.all("Analysis")[-1:] if isinstance(node.entity, e.Analysis)]
    told = {
        "tool": tool(called[-1].action) if called else "A tool",
        "done": str(done), "steps": count(total, "step"), "parts": count(total, "part"),
    }  # fmt: skip
    return {"term": term(kind), "text": _NOTES[kind].format(**told)}


def line(dag: ProvenanceDag, node: Node) -> str | None:
    """Return in a line what an agent's node means; None for nodes of searches."""
    match node.entity:
        case e.PatternDecision() as step:
            return f"Way of working: {pattern_word(step.pattern) or 'not recorded'}"
        case e.Plan() as step:
            return f"Planned {count(len(step.ordered or step.steps), 'step')}"
        case e.Decomposition() as step:
            return f"Split into {count(len(step.ordered or step.goals), 'part')}"
        case e.Analysis() as step:
            return f"Step {step.step_number or '?'}: {tool(step.action)}"
        case e.Observation() | e.StepResult() | e.Finding() as step if step.error is not None:
            return f"{numbered(node)} failed: {truncate(step.error, 90)}"
        case e.Observation() | e.StepResult() | e.Finding():
            return f"{numbered(node)}: {truncate(words(dag, node.iri), 90) or wordless(node)}"
        case e.Thought():
            return f"{numbered(node)}: {truncate(words(dag, node.iri), 90) or wordless(node)}"
        case e.Conclusion():
            final = dag.final is not None and dag.final.iri == node.iri
            return "Answer on record" if final else "The agent for this part has its answer"
    return None


def _chip(dag: ProvenanceDag, kind: str, node: Node | None, ahead: str) -> Chip:
    chip: Chip = {"kind": kind, "term": term(kind), "time": None, "sub": ahead, "state": "waiting", "node": None}
    if node is None:
        return chip
    said = labels.lines(dag, node)[-1]
    said = f"“{truncate(said, _LONGEST)}”" if kind == "Question" else said
    return chip | {"state": "done", "time": _took(node), "sub": said, "node": node.iri, "tip": _tip(dag, node)}


def _steps(course: Course) -> list[Chip]:
    """Return a chip for each step, joined with what came back of it."""
    dag, seen = course.dag, course.results("Observation", _MOST + 1)
    made: list[Chip] = []
    before = len(course.all("Analysis")) - _MOST
    if before > 0:
        first = course.all("Analysis")[0]
        made.append(_chip(dag, "Analysis", first, "") | {"term": "Earlier", "sub": count(before, "step"), "time": None})
    for number, node in course.results("Analysis", _MOST).items():
        result = seen.get(number)
        name = tool(node.entity.action) if isinstance(node.entity, e.Analysis) else ""
        chip: Chip = {**_chip(dag, "Analysis", node, ""), "term": numbered(node), "sub": name}
        if result is None:
            chip |= {"state": "waiting"}
        elif has_failed(result):
            chip |= {"state": "failed", "sub": f"{name}: failed", "kind": "Failure"}
            chip["tip"] = labels.lines(dag, result)[-1]
        if result is not None:
            chip["time"] = _took(result)
        made.append(chip)
    return made


def _goals(course: Course) -> list[Chip]:
    """Return a chip for the plan or the parts, and one for each goal with what came of it."""
    dag, node, goals = course.dag, course.first("Plan", "Decomposition"), course.goals
    if goals is None:
        kind = {"plan-then-execute": "Plan", "supervisor": "Decomposition"}.get(course.pattern or "")
        return [_chip(dag, kind, None, "what to do, in parts")] if kind else []
    kind, wanted, _ = goals
    done, made = course.results(kind), [_chip(dag, node.kind if node else kind, node, "")]
    for index, goal in enumerate(wanted[:_MOST]):
        result = done.get(index)
        chip = _chip(dag, kind, result, "") | {
            "term": f"{term(kind)} {index + 1}",
            "sub": truncate(goal, _LONGEST),
        }
        if result is not None and has_failed(result):
            chip |= {"state": "failed", "kind": "Failure", "sub": f"failed: {truncate(goal, _LONGEST)}"}
        made.append(chip)
    if len(wanted) > _MOST:
        rest = _chip(dag, kind, None, count(len(wanted) - _MOST, "more goal"))
        made.append({**rest, "term": "Further", "state": "done" if len(done) >= len(wanted) else "waiting"})
    return made


def _break(dag: ProvenanceDag, made: list[Chip], failure: Node, at: int | None) -> None:
    """Make the chip under way the one that broke off, in the words of the failure."""
    at = len(made) - 1 if at is None else at
    said, words = labels.lines(dag, failure)
    made[at] |= {"kind": "Failure", "state": "failed", "sub": broken_line(said, words), "node": failure.iri}
    made[at] |= {"tip": words, "time": _took(failure)}


def broken_line(said: str, words: str) -> str:
    """Return in a line how something broke off; the words alone where they begin so."""
    return words if words.startswith(said) else f"{said}: {words}"


def _doing(chip: Chip, course: Course, *, writing: bool) -> str:
    if chip["kind"] in ("Conclusion", "Synthesis"):
        return "being written" if writing else "the next step, or the answer" if course.goals is None else "at work"
    return chip["sub"] if chip["kind"] in ("Analysis", "StepResult", "Finding") else "at work"


def _under_way(course: Course) -> str:
    goals = course.goals
    if not course.begun:
        return "Question"
    if course.pattern is None:
        return "PatternDecision"
    if goals is not None:
        return goals[0] if len(course.results(goals[0])) < len(goals[1]) else "Synthesis"
    if course.pattern in ("plan-then-execute", "supervisor"):
        return "Plan" if course.pattern == "plan-then-execute" else "Decomposition"
    if _last(course) is not None or course.first("Conclusion"):
        return "Synthesis"
    return "Observation" if len(course.all("Analysis")) > len(course.all("Observation")) else "Analysis"


def _last(course: Course) -> Node | None:
    return next(iter(reversed(course.all("Synthesis"))), None)


def _took(node: Node) -> str | None:
    step = node.entity
    spent = step.duration_ms if isinstance(step, e.Step) else None
    if isinstance(step, e.Observation):
        spent = step.tool_duration_ms
    return None if spent is None else seconds(spent / 1000)


def _tip(dag: ProvenanceDag, node: Node) -> str:
    step = node.entity
    said = ", ".join(labels.lines(dag, node))
    if isinstance(step, e.Step) and step.in_token is not None and step.out_token is not None:
        return f"{said}, {step.in_token:,} tokens in, {step.out_token:,} out"
    return said
