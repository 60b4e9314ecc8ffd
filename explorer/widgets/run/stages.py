"""The stage strip and the words for what is happening: the record's own term first, then what it means."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.drawing import labels
from explorer.drawing.endings import DECLINED, of_failure
from explorer.entities import Entity, Exploration, Failure, Focus, Grounding, Question, Step, Synthesis
from explorer.models.chat import NO_MODEL
from explorer.text import count, seconds, truncate
from explorer.vocab import moment
from explorer.widgets.detail.steps import is_agent
from explorer.widgets.run import agent_stages
from explorer.widgets.words.authors import names_reasoner
from explorer.widgets.words.names import is_of_passages
from explorer.widgets.words.phrases import found_in, listed

if TYPE_CHECKING:
    from explorer.dag import ProvenanceDag
    from explorer.dag.nodes import Node
    from explorer.widgets.messages import Chip, ChipState, Note

ORDER = ("Question", "Grounding", "Exploration", "Focus", "Synthesis")
_AHEAD = {
    "Question": "waiting for your question",
    "Grounding": "the key ideas to look for",
    "Exploration": "the facts around these ideas",
    "Focus": "the facts that fit, and why",
    "Synthesis": "an answer with its sources",
}
_MEANING = {
    "Question": "Your question is put on record first, with the time and all settings.",
    "Grounding": "The key ideas are taken from the question: the words to look for in your documents.",
    "Exploration": "Starting from the things that match {ideas}, the facts around them are looked at.",
    "Focus": "Of {looked}, those that fit the question best are kept; each is traced to the words it came from.",
    "Synthesis": "The answer is made from {kept} and nothing else. Each number in it leads to the {noun} it rests on.",
}
_OF_PASSAGES = {
    "Exploration": "The passages close in meaning to {ideas}, or with the same words, are looked at.",
    "Focus": "Of {looked}, those that fit the question best are kept.",
}
_MOST = 20  # places of which one event tells by itself
_AHEAD_OF_PASSAGES = {
    "Exploration": "the passages about these ideas",
    "Focus": "the passages that fit",
}


def chips(dag: ProvenanceDag, *, running: bool, writing: bool) -> list[Chip]:
    """Return a chip for each stage; the first that is not there yet is the one under way."""
    if is_agent(dag):
        return agent_stages.chips(dag, running=running, writing=writing)
    reached = {node.kind: node for node in dag.nodes() if node.kind in (*ORDER, "Failure")}
    made, current = [], running
    for kind in ORDER:
        if kind == "Focus" and kind not in reached and "Synthesis" in reached:  # passages answered from as found
            continue
        node = reached.get(kind)
        state: ChipState = "done" if node else "waiting"
        if not node and current and len(reached) > 0:
            state, current = "now", False
        if not node and "Failure" in reached:
            node, state = reached.pop("Failure"), "failed"
        made.append(_chip(dag, kind, node, state, writing=writing))
        if node is None and is_of_passages(dag) and state == "waiting":
            made[-1] |= {"sub": _AHEAD_OF_PASSAGES.get(kind, _AHEAD[kind])}
    return made


def note(dag: ProvenanceDag) -> Note:
    """Explain the stage under way in a sentence or two, with this run's numbers."""
    if is_agent(dag):
        return agent_stages.note(dag)
    reached = {node.kind for node in dag.nodes()}
    ahead = (kind for kind in ORDER if kind not in reached and "Synthesis" not in reached)
    kind = next(ahead, "Synthesis")
    found = labels.counts(dag)
    numbers = {
        "ideas": count(len(dag.nodes("Concept")), "key idea"),
        "looked": count(found.explored, found.noun),
        "kept": f"the {count(found.selected, f'kept {found.noun}')}",
        "noun": found.noun,
    }
    meaning = _MEANING | (_OF_PASSAGES if is_of_passages(dag) else {})
    return {"term": kind, "text": meaning[kind].format(**numbers)}


def lines(dag: ProvenanceDag, nodes: tuple[Node, ...]) -> list[tuple[str, str]]:
    """Return what has come, one line a thing: kind and words."""
    said = [(node.kind, line) for node in nodes if (line := _line(dag, node))]
    if is_agent(dag):  # where facts were found is told by the search that found them
        return said
    return said + [(kind, line) for kind, line in _sources(dag, nodes)]


def _chip(dag: ProvenanceDag, kind: str, node: Node | None, state: ChipState, *, writing: bool) -> Chip:
    chip: Chip = {"kind": kind, "term": kind, "time": None, "sub": _AHEAD[kind], "state": state, "node": None}
    if state == "now":
        return chip | {"sub": "being written" if writing and kind == "Synthesis" else "at work"}
    if node is None:
        return chip
    step = node.entity
    begun = (step.started_at or "") if isinstance(step, Question) else ""
    tip = ", ".join([*labels.lines(dag, node), *_tokens(dag, step)])
    return (
        chip
        | {"time": _took(step), "sub": labels.lines(dag, node)[-1], "node": node.iri, "tip": tip}
        | ({"asked": begun} if moment(begun) else {})
    )


def _took(step: Entity | None) -> str | None:
    return seconds(step.duration_ms / 1000) if isinstance(step, Step) and step.duration_ms is not None else None


def _tokens(dag: ProvenanceDag, step: Entity | None) -> list[str]:
    model = step.model if isinstance(step, Step) else None
    if not isinstance(step, Step) or step.in_token is None or step.out_token is None:
        return [model] if model else [NO_MODEL] if names_reasoner(dag) else []
    return [f"{step.in_token:,} tokens in, {step.out_token:,} out"]


def _line(dag: ProvenanceDag, node: Node) -> str | None:
    match node.entity:
        case Question() as step:
            return f"Asked within: {truncate(step.query, 90)}" if step.derived_from else "Question on record"
        case Grounding() as step:
            return f"Key ideas: {listed(list(step.ordered or step.concepts))}"
        case Exploration() as step:
            start = f" around {count(len(step.entities), 'starting point')}" if step.entities else ""
            return f"Looked at {count(step.count, labels.counts(dag).noun)}{start}"
        case Focus() as step:
            _, looked, noun = labels.counts(dag)
            kept = len(step.selected_edges or step.selected_chunks)
            return f"Kept {kept:,} of {count(looked, noun)}" if looked else f"Kept {count(kept, noun)}"
        case Synthesis() as step:
            declined = step.termination_reason == "declined"
            if dag.final is None or dag.final.iri != step.iri:  # of a search within an agent's run
                return f"Its search declined: {DECLINED}" if declined else "Its search has an answer"
            return f"Declined: {DECLINED}" if declined else "Answer on record"
        case Failure() as step:
            return agent_stages.broken_line(of_failure(step).word.capitalize(), step.error or "no reason recorded")
    return agent_stages.line(dag, node)


def _sources(dag: ProvenanceDag, nodes: tuple[Node, ...]) -> list[tuple[str, str]]:
    places: dict[str, list[str]] = {}
    for node in nodes:
        if node.kind == "EdgeSelection" and node.passages:
            first = node.passages[0]
            places.setdefault(found_in(first), []).append(labels.lines(dag, node)[0].split(" ")[0])
    said = [
        ("Passage", f"Fact{'s' if len(facts) > 1 else ''} {listed(facts)} found {where}")
        for where, facts in places.items()
    ]
    left = [fact for facts in list(places.values())[_MOST:] for fact in facts]
    more = f"{count(len(left), 'more fact')} found in {count(len(places) - _MOST, 'other place')}"
    return [*said[:_MOST], ("Passage", more)] if left else said
