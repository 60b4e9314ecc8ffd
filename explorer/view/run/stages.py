"""The words for what is happening: what the stage under way is for, what has come, and lessons on what has ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer import entities as e
from explorer.text import count
from explorer.vocab import session_of
from explorer.wording import kinds
from explorer.wording.graph_words import said_of
from explorer.wording.names import counts, is_agent, is_of_passages
from explorer.wording.phrases import found_in
from explorer.wording.ways import tool

if TYPE_CHECKING:
    from collections.abc import Iterator

    from explorer.dag import ProvenanceDag
    from explorer.dag.nodes import Node
    from explorer.events import Passage
    from explorer.view.messages.run import Note, Teaching

_SEARCH = ("Question", "Grounding", "Exploration", "Focus", "Synthesis")  # what every search will do, in order
_IN_PARTS = {"plan-then-execute": "Plan", "supervisor": "Decomposition"}
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
        self.goals: int | None = None  # how many; None for a run without goals
        self.came = "Finding"  # what comes of a goal
        match split.entity if (split := self.first("Plan", "Decomposition")) else None:
            case e.Plan() as plan:
                self.came, self.goals = "StepResult", len(plan.ordered or plan.steps)
            case e.Decomposition() as parts:
                self.goals = len(parts.ordered or parts.goals)
        self.done = len(self.all(self.came))

    def all(self, kind: str) -> list[Node]:
        """Return the nodes of a kind, in the order they came."""
        return self.dag.within(self.key, kind)

    def first(self, *kinds: str) -> Node | None:
        """Return the first node of these kinds."""
        return next((node for kind in kinds for node in self.all(kind)), None)


def note(dag: ProvenanceDag) -> Note:
    """Explain the stage under way in a sentence or two, with this run's numbers."""
    if is_agent(dag):
        course = _Course(dag)
        kind, total = _under_way(course), course.goals or 0
        called = [node.entity for node in course.all("Analysis")[-1:] if isinstance(node.entity, e.Analysis)]
        text = said_of(kind).before("agent").format(
            tool=tool(called[-1].action) if called else "A tool", done=course.done,
            steps=count(total, "step"), parts=count(total, "part"),
        )  # fmt: skip
    else:
        reached = {node.kind for node in dag.nodes()}
        ahead = (kind for kind in _SEARCH if kind not in reached and "Synthesis" not in reached)
        kind, found = next(ahead, "Synthesis"), counts(dag)
        text = said_of(kind).before("passages" if is_of_passages(dag) else "facts").format(
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
        return course.came if course.done < course.goals else "Synthesis"
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


def teaching(dag: ProvenanceDag, node: Node, *, inside: bool = False) -> Teaching | None:
    """Explain a stage that has ended: a sentence on what it did, and one on why it came out so.

    None for a node that ends no stage; `inside` says that it belongs to a run within the run.
    """
    said, looks = said_of(node.kind), kinds.kind(node.kind)
    lesson = said.lesson(dag, node)
    if lesson is None:
        return None
    return {
        "kind": node.kind, "word": looks.word, "text": lesson,
        "why": said.why(dag, node), "figures": said.figures(dag, node), "node": node.iri, "inside": inside,
    }  # fmt: skip
