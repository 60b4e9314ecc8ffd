"""What a stage that has just ended was for: two sentences with this run's numbers, for a class."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer import entities as e
from explorer.drawing import labels
from explorer.drawing.endings import ENDINGS, of_failure
from explorer.drawing.kinds import term
from explorer.drawing.labels import has_failed, numbered
from explorer.drawing.ways import PATTERNS, search_word, tool
from explorer.text import count, truncate
from explorer.vocab import session_of
from explorer.widgets.detail.steps import entity_of
from explorer.widgets.words.authors import names_reasoner
from explorer.widgets.words.names import is_of_passages
from explorer.widgets.words.phrases import listed

if TYPE_CHECKING:
    from collections.abc import Callable

    from explorer.dag import ProvenanceDag
    from explorer.dag.nodes import Node
    from explorer.widgets.messages import Teaching

    Sentences = tuple[str, str]

_LISTED = 6  # ideas named in a sentence


def teaching(dag: ProvenanceDag, node: Node) -> Teaching | None:
    """Explain a stage that has ended, in two sentences; None for a node that ends no stage."""
    tell = next((told for cls, told in _TEACHINGS.items() if isinstance(node.entity, cls)), None)
    if tell is None:
        return None
    did, means = tell(dag, node)
    return {"kind": node.kind, "term": term(node.kind), "text": f"{did} {means}"}


def _question(dag: ProvenanceDag, node: Node) -> Sentences:
    asked = entity_of(node, e.Question)
    if asked.derived_from:
        search = search_word(asked).lower()
        return (
            f"Inside the run, a {search} begins for “{truncate(asked.query, 90)}”.",
            "Its steps are folded into one node.",
        )
    del dag
    said = "What was asked is on record, with the time and all settings."
    return said, f"All that follows derives from it. Who reasons is on record too: {_reasoner(asked)}."


def _grounding(dag: ProvenanceDag, node: Node) -> Sentences:
    step = entity_of(node, e.Grounding)
    ideas = list(step.ordered or step.concepts)
    named = [f"“{truncate(idea, 40)}”" for idea in ideas[:_LISTED]] + (["others"] if len(ideas) > _LISTED else [])
    if not ideas:
        return "No key idea was found in the question.", "So there is nothing to look for, and the run ends here."
    noun = "passages" if _of_passages(dag, node) else "facts"
    means = f"{noun.capitalize()} are looked for that are near to them in meaning, or hold the same words."
    return f"{count(len(ideas), 'key idea')} from the question: {listed(named)}.", means


def _exploration(dag: ProvenanceDag, node: Node) -> Sentences:
    step = entity_of(node, e.Exploration)
    if _of_passages(dag, node):
        did = f"{count(step.chunk_count, 'passage')} came near to the key ideas."
        return did, "Looking at many costs little; which of them answer the question is decided next."
    start = f"Starting from {count(len(step.entities), 'thing')} that match the key ideas, " if step.entities else ""
    looked = f"{start}{count(step.edge_count, 'fact')} {'was' if step.edge_count == 1 else 'were'} looked at."
    return looked[0].upper() + looked[
        1:
    ], "The nearest are compared with the question next, and only the best are kept."


def _focus(dag: ProvenanceDag, node: Node) -> Sentences:
    step = entity_of(node, e.Focus)
    noun = "passage" if _of_passages(dag, node) else "fact"
    kept = len(step.selected_edges) + len(step.selected_chunks)
    above = (dag.entities.get(one) for one in step.derived_from)
    looked = next(
        (one.count for one in above if isinstance(one, e.Exploration)),
        labels.counts(dag).explored,
    )
    of = f" of {count(looked, noun)}" if looked else f" {noun}s"
    best = max((score for one in _kept(dag, step) if (score := one.score) is not None), default=None)
    match = "" if best is None else f"; the best matches by {best:.2f} of 1"
    if kept == 0:
        return f"None{of} was kept.", "Nothing came near enough to the question, so there is nothing to answer from."
    return f"{kept}{of} {'was' if kept == 1 else 'were'} kept{match}.", (
        "Each leads to the words it came from; “Not kept” says why the others were left out."
    )


def _kept(dag: ProvenanceDag, step: e.Focus) -> list[e.EdgeSelection | e.ChunkSelection]:
    found = (dag.entities.get(one) for one in (*step.selected_edges, *step.selected_chunks))
    return [one for one in found if isinstance(one, e.EdgeSelection | e.ChunkSelection)]


def _synthesis(dag: ProvenanceDag, node: Node) -> Sentences:
    step = entity_of(node, e.Answer)
    if step.termination_reason == "declined":
        return "What was found does not answer the question, and the record says so.", (
            "Declining is a result too: nothing was made up."
        )
    own = session_of(node.iri)
    cites = [one for one in dag.entities.values() if isinstance(one, e.Citation) and session_of(one.iri) == own]
    ruled = "The answer was put together by rules, no model," if names_reasoner(dag) else "The answer was written"
    by = f"A model, {step.model}, wrote the answer" if step.model else ruled
    rests = f"{count(len(cites), 'place')} of it {'names' if len(cites) == 1 else 'name'} what {_it(cites)} on."
    return f"{by} from what was kept and nothing else.", rests if cites else "No part of it names what it rests on."


def _it(cites: list[e.Citation]) -> str:
    return "it rests" if len(cites) == 1 else "they rest"


def _pattern(_: ProvenanceDag, node: Node) -> Sentences:
    step = entity_of(node, e.PatternDecision)
    how = PATTERNS[step.pattern].about if step.pattern in PATTERNS else step.pattern or "in a way that is not recorded"
    by = "A rule" if step.rule else "The model"
    return f"{by} chose how to work: {how}.", "The choice is on record before anything else is done."


def _analysis(_: ProvenanceDag, node: Node) -> Sentences:
    step = entity_of(node, e.Analysis)
    did = f"In this step it chose a tool: {tool(step.action)}."
    return did, "The reason is on the left of the row, what the tool found on the right."


def _result(dag: ProvenanceDag, node: Node) -> Sentences:
    if has_failed(node):
        reason = truncate(labels.lines(dag, node)[-1], 90)
        return f"{numbered(node)} failed: {reason}.", "The failure is on record; the run goes on."
    return f"{numbered(node)} came back.", "The sentences of the answer that rest on it lead through it to the words."


def _plan(_: ProvenanceDag, node: Node) -> Sentences:
    step = entity_of(node, e.Plan)
    number = len(step.ordered or step.steps)
    return f"The question was split into {count(number, 'step')}.", "Each has a row, with its result on the right."


def _decomposition(_: ProvenanceDag, node: Node) -> Sentences:
    step = entity_of(node, e.Decomposition)
    number = len(step.ordered or step.goals)
    return (
        f"The question was split into {count(number, 'part')}.",
        "An agent works on each, as if it were the only question.",
    )


def _failure(_: ProvenanceDag, node: Node) -> Sentences:
    step = entity_of(node, e.Failure)
    said = f" {step.error.rstrip('.')}." if step.error and of_failure(step) is ENDINGS["error"] else ""
    return f"{of_failure(step).about}{said}", "All that came before is on record."


_TEACHINGS: dict[type[e.Entity], Callable[[ProvenanceDag, Node], Sentences]] = {
    e.Question: _question,
    e.Grounding: _grounding,
    e.Exploration: _exploration,
    e.Focus: _focus,
    e.PatternDecision: _pattern,
    e.Analysis: _analysis,
    e.Observation: _result,
    e.Plan: _plan,
    e.StepResult: _result,
    e.Decomposition: _decomposition,
    e.Finding: _result,
    e.Failure: _failure,
    e.Synthesis: _synthesis,
    e.Conclusion: _synthesis,
}


def _of_passages(dag: ProvenanceDag, node: Node) -> bool:
    return is_of_passages(dag, session_of(node.iri))


def _reasoner(asked: e.Question) -> str:
    reasoner = asked.reasoner or ""
    if not reasoner:
        return "not recorded"
    return "rules and measures, no model" if reasoner.startswith("extractive") else f"the model {reasoner}"
