"""What the detail panel shows for nodes that are in no record: folded runs, goals, and what was too much to draw."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer import entities as e
from explorer.dag.sentences import citations
from explorer.view.detail import rows
from explorer.view.detail.steps import author_of, best_first, entity_of
from explorer.view.words.authors import names_reasoner
from explorer.vocab import session_of
from explorer.wording.lines import goal_name, lines, numbered
from explorer.wording.ways import tool

if TYPE_CHECKING:
    from explorer.dag.nodes import Node
    from explorer.view.detail.rows import Rows
    from explorer.view.messages.detail import Item
    from explorer.view.words.names import Names


def run(names: Names, node: Node) -> Rows:
    """A run within the run: what was asked in it, what it kept or did, and its answer; each a link into it."""
    question = entity_of(node, e.Question)
    key = session_of(question.iri)
    kept = sorted([*names.dag.within(key, "EdgeSelection"), *names.dag.within(key, "ChunkSelection")], key=names.number)
    answers = [*names.dag.within(key, "Synthesis"), *names.dag.within(key, "Conclusion")]
    nothing = "" if isinstance(node.entity, e.AgentQuestion) else "nothing was chosen"
    steps: list[Item] = [
        {"text": f"{numbered(step)}: {tool(entity_of(step, e.Analysis).action)}", "node": step.iri}
        for step in names.dag.within(key, "Analysis")
    ]
    return [
        rows.title(lines(names.dag, node)[1]),
        rows.listing("Asked within it", [{"text": question.query, "node": question.iri}]),
        *(rows.text("It answered", names.dag.text(one.iri), author_of(names.dag, one)) for one in answers[-1:]),
        rows.listing("Steps", steps),
        rows.listed("Kept", kept, names.fact_item, none=nothing),
    ]


def folded(names: Names, node: Node) -> Rows:
    """What was too much for a drawing: how much it is, and the first of it; each a link into it."""
    known = names.dag.graph
    held = [names.dag.node(one.iri) for one in node.members if one.iri in known]
    items: list[Item] = [{**names.fact_item(one), "text": " ".join(lines(names.dag, one))} for one in held]
    return [rows.title(node.text), rows.listing(f"The first {len(items)}", items)]


def rest(names: Names, node: Node) -> Rows:
    """What was kept and not used: how much it is, and each of it, best first."""
    known = names.dag.graph
    held = [names.dag.node(one.iri) for one in node.members if one.iri in known]
    held.sort(key=best_first)
    why = _why_unused(names, node)
    return [
        rows.title(node.text),
        rows.text("Why not used", why),
        rows.kept("Close to the question", held, names.fact_item),
    ]


def _why_unused(names: Names, node: Node) -> str:
    """Return why what was kept is not in the answer; empty where no answer of its search cites anything."""
    own = names.dag.within(session_of(node.iri), "Synthesis")
    if not any(citations(names.dag, one.iri) for one in own):
        return ""
    model = next((one.entity.model for one in own if isinstance(one.entity, e.Synthesis)), None)
    if model:
        return f"{model} was given them and does not cite them. Why is not on record."
    if not names_reasoner(names.dag):
        return "Why is not on record."
    return "They share words with the question, and are in none of the sentences that the answer quotes."


def goal(_: Names, node: Node) -> Rows:
    """A step of a plan or a part of a question, in its own words."""
    return [rows.title(node.text), rows.text("Place", goal_name(node))]


ROWS: rows.Table = {
    "Run": run,
    "Goal": goal,
    "Folded": folded,
    "Rest": rest,
}
