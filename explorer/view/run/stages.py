"""The stage strip and the words for what is happening: the plain word first, with the record's own term."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer import entities as e
from explorer.dag.outcome import outcome_at
from explorer.models.chat import NO_LANGUAGE_MODEL
from explorer.text import count, truncate
from explorer.vocab import moment, recognise, session_of
from explorer.wording import kinds
from explorer.wording.agent import has_failed
from explorer.wording.authors import names_reasoner
from explorer.wording.names import counts, is_agent, is_of_passages, was_not_enough
from explorer.wording.nodes import lines, said_of
from explorer.wording.outcomes import level
from explorer.wording.phrases import found_in
from explorer.wording.said import numbered
from explorer.wording.spent import lasted, tokens
from explorer.wording.ways import tool

if TYPE_CHECKING:
    from collections.abc import Iterator

    from explorer.dag import ProvenanceDag
    from explorer.dag.nodes import Node
    from explorer.events import Passage
    from explorer.view.messages.run import Chip, Note

_SEARCH = ("Question", "Grounding", "Exploration", "Focus", "Synthesis")  # what every search will do, in order
_IN_PARTS = {"plan-then-execute": "Plan", "supervisor": "Decomposition"}
_LONGEST = 100
_MOST = 40  # steps or goals with chips of their own
_MOST_DOCUMENTS = 20  # with a line of their own


class _Course:
    """How far an agent's run has come, by the nodes of its own session."""

    def __init__(self, dag: ProvenanceDag) -> None:
        self.dag = dag
        roots = [root for root in dag.roots if isinstance(root.entity, e.AgentQuestion)]
        named = roots or dag.nodes("PatternDecision")
        self.key = session_of(named[0].iri) if named else ""
        self.begun = bool(named)
        decided = self.first("PatternDecision")
        self.pattern = decided.entity.pattern if decided and isinstance(decided.entity, e.PatternDecision) else None
        self.split = self.first("Plan", "Decomposition")
        self.goals: list[str] | None = None  # in order; None for a run without goals
        self.came = "Finding"  # what comes of a goal
        match self.split.entity if self.split else None:
            case e.Plan() as plan:
                self.came, self.goals = "StepResult", list(plan.ordered or plan.steps)
            case e.Decomposition() as parts:
                self.goals = list(parts.ordered or parts.goals)

    def all(self, kind: str) -> list[Node]:
        """Return the nodes of a kind, in the order they came."""
        return self.dag.within(self.key, kind)

    def first(self, *kinds: str) -> Node | None:
        """Return the first node of these kinds."""
        return next((node for kind in kinds for node in self.all(kind)), None)

    def results(self, kind: str, last: int = 0) -> dict[int, Node]:
        """Return the nodes of a kind by their number; only the `last` so many that came, where that is given."""
        return {named.index: node for node in self.all(kind)[-last:]
                if (named := recognise(node.iri)) and named.index is not None}  # fmt: skip


def chips(dag: ProvenanceDag, *, running: bool, writing: bool) -> list[Chip]:
    """Return a chip for each stage; the first that is not there yet is the one under way."""
    if is_agent(dag):
        return _agent_chips(_Course(dag), running=running, writing=writing)
    stages, way = ("Question", *kinds.STAGES), "passages" if is_of_passages(dag) else "facts"
    reached = {node.kind: node for node in dag.nodes() if node.kind in (*stages, "Failure")}
    made, current = [], running and len(reached) > 0
    for kind in stages:
        node = reached.get(kind)
        passed = kind == "Focus" and "Synthesis" in reached  # passages answered from as found
        if node is None and (passed or kind not in _SEARCH):
            continue
        chip = _chip(dag, kind, node or reached.get("Failure"), way)
        if node is None and (node := reached.pop("Failure", None)):
            chip["state"], current = "failed", False
        elif node is None and current:
            chip |= {"state": "now", "sub": "being written" if writing and kind == "Synthesis" else "at work"}
            current = False
        if node is not None:
            step = node.entity
            if isinstance(step, e.Focus) and was_not_enough(dag, step):
                chip |= {"word": kinds.kind("Nearest").word, "kind": "Nearest"}
            own, used = (step.model, tokens(step)) if isinstance(step, e.Step) else (None, "")
            model = own or (NO_LANGUAGE_MODEL if names_reasoner(dag) else None)
            if model and not used:
                chip["tip"] += f", {model}"
            if isinstance(step, e.Question) and step.started_at and moment(step.started_at):
                chip["asked"] = step.started_at
        made.append(chip)
    return made


def _agent_chips(course: _Course, *, running: bool, writing: bool) -> list[Chip]:
    """Return a chip for each stage: question, way of working, each step with what came back, answer."""
    dag, failure, decided = course.dag, course.first("Failure"), course.first("PatternDecision")
    answer = course.first("Conclusion") or next(reversed(course.all("Synthesis")), None)
    made = [_chip(dag, "Question", course.first("Question"))]
    if decided or answer is None:  # what others record may have an answer and no way of working
        made.append(_chip(dag, "PatternDecision", decided))
    made += [*_goals(course), *_steps(course, ended=answer is not None)]
    if made[0]["node"]:
        made[0]["sub"] = f"“{truncate(made[0]['sub'], _LONGEST)}”"
    kind = "Conclusion" if course.pattern in (None, "react") else "Synthesis"
    made.append(_chip(dag, answer.kind if answer else kind, answer))
    at = next((at for at, chip in enumerate(made) if chip["state"] == "waiting"), None)
    if failure is not None:
        broken = made[-1 if at is None else at]
        broken |= _chip(dag, "Failure", failure) | {"state": "failed", "word": broken["word"]}
        broken |= {"sub": said_of("Failure").came(dag, failure) or "", "tip": lines(dag, failure)[-1]}
    elif running and at is not None and course.begun:
        now = made[at]
        if now["kind"] in ("Conclusion", "Synthesis") and (writing or course.goals is None):
            now["sub"] = "being written" if writing else "the next step, or the answer"
        elif now["kind"] not in ("Analysis", "StepResult", "Finding"):
            now["sub"] = "at work"
        now["state"] = "now"
    return made


def _steps(course: _Course, *, ended: bool) -> list[Chip]:
    """Return a chip for each step, joined with what came back of it; once `ended` none waits for that."""
    dag, seen = course.dag, course.results("Observation", _MOST + 1)
    made: list[Chip] = []
    before = len(course.all("Analysis")) - _MOST
    if before > 0:
        first = course.all("Analysis")[0]
        made.append(_chip(dag, "Analysis", first) | {"word": "Earlier", "sub": count(before, "step"), "time": None})
    for number, node in course.results("Analysis", _MOST).items():
        result = seen.get(number)
        name = tool(node.entity.action) if isinstance(node.entity, e.Analysis) else ""
        chip: Chip = {**_chip(dag, "Analysis", node), "word": numbered(node), "sub": name}
        if result is None:
            chip["state"] = "done" if ended else "waiting"
        else:
            chip["time"] = _took(result)
            if has_failed(result):
                chip |= {"state": "failed", "sub": f"{name}: failed", "kind": "Failure"}
                chip["tip"] = lines(dag, result)[-1]
        made.append(chip)
    return made


def _goals(course: _Course) -> list[Chip]:
    """Return a chip for the plan or the parts, and one for each goal with what came of it."""
    dag, node, goals, kind = course.dag, course.split, course.goals, course.came
    if node is None or goals is None:
        planned = _IN_PARTS.get(course.pattern or "")
        return [_chip(dag, planned, None)] if planned else []
    done, made = course.results(kind), [_chip(dag, node.kind, node)]
    for index, goal in enumerate(goals[:_MOST]):
        result = done.get(index)
        words = truncate(goal, _LONGEST)
        made.append(_chip(dag, kind, result) | {"word": f"{kinds.kind(kind).word} {index + 1}", "sub": words})
        if result is not None and has_failed(result):
            made[-1] |= {"state": "failed", "kind": "Failure", "sub": f"failed: {words}"}
    if len(goals) > _MOST:
        rest = _chip(dag, kind, None)
        left = count(len(goals) - _MOST, "more goal")
        made.append({**rest, "word": "Further", "sub": left, "state": "done" if len(done) >= len(goals) else "waiting"})
    return made


def _chip(dag: ProvenanceDag, kind: str, node: Node | None, way: str = "agent") -> Chip:
    looks = kinds.kind(kind)
    chip: Chip = {
        "kind": kind, "word": looks.word, "time": None,
        "sub": said_of(kind).before(way).ahead, "state": "waiting",
        "node": None,
    }  # fmt: skip
    if node is None:
        return chip
    own = lines(dag, node)
    took = _took(node)
    used = tokens(node.entity, "tokens") if isinstance(node.entity, e.Step) else ""
    tip = ", ".join(filter(None, (": ".join(own), took, used)))
    if came_out := outcome_at(dag, node):
        chip["outcome"] = level(came_out)
    return chip | {
        "state": "done",
        "time": took,
        "sub": said_of(node.kind).chip(dag, node),
        "node": node.iri,
        "tip": tip,
    }


def _took(node: Node) -> str | None:
    step = node.entity
    spent = step.duration_ms if isinstance(step, e.Step) else None
    if isinstance(step, e.Observation):
        spent = step.tool_duration_ms
    return lasted(spent) or None


def note(dag: ProvenanceDag) -> Note:
    """Explain the stage under way in a sentence or two, with this run's numbers."""
    if is_agent(dag):
        course = _Course(dag)
        kind, total = _under_way(course), len(course.goals or ())
        called = [node.entity for node in course.all("Analysis")[-1:] if isinstance(node.entity, e.Analysis)]
        text = said_of(kind).before("agent").note.format(
            tool=tool(called[-1].action) if called else "A tool", done=len(course.results(course.came)),
            steps=count(total, "step"), parts=count(total, "part"),
        )  # fmt: skip
    else:
        reached = {node.kind for node in dag.nodes()}
        ahead = (kind for kind in _SEARCH if kind not in reached and "Synthesis" not in reached)
        kind, found = next(ahead, "Synthesis"), counts(dag)
        text = said_of(kind).before("passages" if is_of_passages(dag) else "facts").note.format(
            ideas=count(len(dag.nodes("Concept")), "key idea"), looked=count(found.explored, found.noun),
            noun=found.noun,
        )  # fmt: skip
    return {"word": kinds.kind(kind).word, "text": text}


def _under_way(course: _Course) -> str:
    if not course.begun:
        return "Question"
    if course.pattern is None:
        return "PatternDecision"
    if course.goals is not None:
        return course.came if len(course.results(course.came)) < len(course.goals) else "Synthesis"
    if course.pattern in _IN_PARTS:
        return _IN_PARTS[course.pattern]
    if course.first("Synthesis", "Conclusion"):
        return "Synthesis"
    return "Observation" if len(course.all("Analysis")) > len(course.all("Observation")) else "Analysis"


def log_lines(dag: ProvenanceDag, nodes: tuple[Node, ...]) -> list[tuple[str, str]]:
    """Return what has come, one line a thing: kind and words."""
    made = [(node.kind, line) for node in nodes if (line := said_of(node.kind).came(dag, node))]
    if is_agent(dag):  # where facts were found is told by the search that found them
        return made
    facts = [node for node in nodes if node.kind == "EdgeSelection" and node.passages]
    wholes = [node for node in nodes if node.kind == "ChunkSelection" and node.passages] if facts else []
    for kept, noun in ((facts, "fact"), (wholes, "passage")):
        made += [("Passage", line) for line in _found_lines(kept, noun)]
    return made


def _found_lines(kept: list[Node], noun: str) -> Iterator[str]:
    """Yield how many facts or passages were found in each document, and the place, if it is one."""
    found: dict[str, list[Passage]] = {}
    for node in kept:
        found.setdefault(node.passages[0].document, []).append(node.passages[0])
    for passages in list(found.values())[:_MOST_DOCUMENTS]:
        places = {passage.locator for passage in passages}
        where = found_in(passages[0]) if len(places) == 1 else f"in {len(places)} places of {passages[0].title}"
        yield f"{count(len(passages), noun)} found {where}"
    if left := sum(map(len, list(found.values())[_MOST_DOCUMENTS:])):
        yield f"{count(left, f'more {noun}')} found in {count(len(found) - _MOST_DOCUMENTS, 'other document')}"
