"""Why a stage came out as it did, in a sentence or two, and its figures; each says only what is on record."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from explorer import entities as e
from explorer.dag.outcome import outcome_of, support_of
from explorer.engines.agent.router import GIVEN
from explorer.events import ANSWERED
from explorer.language.words import is_content
from explorer.text import count
from explorer.view.words.names import is_of_passages
from explorer.view.words.phrases import listed
from explorer.vocab import session_of
from explorer.wording.outcomes import WORDS, means
from explorer.wording.tally import kept_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from explorer.dag import ProvenanceDag
    from explorer.dag.nodes import Node

_WORD = re.compile(r"\w+")
LIMIT = "below limit"  # as the record says that enough others were kept
_LISTED = 4  # words named in a sentence
_BY = {
    "vector": "by meaning alone, since a passage may say the same in other words",
    "keyword": "by words alone, since a name or a number has no other words",
    "hybrid": "by meaning and by words, since each finds what the other misses: a paraphrase, a name",
}
_COUNTED = (
    "What shares words and meaning with the question most likely answers it: so a score counts how many of its words a "
    "passage and its best sentence have, and how near they are to it in meaning."
)
_FURTHER = " Each further hop also finds more that has nothing to do with the question."


def why(dag: ProvenanceDag, node: Node) -> str:
    """Return why a stage came out so; empty where the record does not say."""
    match node.entity:
        case e.Question() as step if not step.derived_from:
            return _settings(step.parameters or {})
        case e.Grounding() as step:
            return _ideas(dag, node, list(step.ordered or step.concepts))
        case e.Exploration() as step:
            return _reach(step, _asked(dag, node))
        case e.Focus() as step:
            return _selection(dag, node, step)
        case e.Synthesis() | e.Conclusion() as step:
            found = outcome_of(step)
            return f"{WORDS[found]}: {means(dag, node, found)}." if found in WORDS else ""
        case e.Observation() | e.StepResult() as step if step.consulted and step.error is None:
            read = count(len(step.consulted), "source")
            return f"It rests on {read}; the tool said which, so that what it returned can be checked."
        case e.PatternDecision(rule=rule) if rule == GIVEN:
            return "So no rule and no language model had to decide it."
        case e.PatternDecision() | e.Plan() | e.Decomposition() | e.Analysis() as step:
            return _by_rule(step.rule)
    return ""


def figures(dag: ProvenanceDag, node: Node) -> str:
    """Return the figures by which a stage came out so; empty where there are none."""
    match node.entity:
        case e.Focus() as step:
            return _scores(dag, node, step)
        case e.Synthesis() | e.Conclusion() as step:
            support, cut = support_of(step), step.support_cut or {}
            match cut.get(ANSWERED):
                case int() | float() as least if support is not None:
                    return f"Its support is {support.value:.2f} of 1; Answered needs {least:.2f}."
    return ""


def _asked(dag: ProvenanceDag, node: Node) -> e.Question | None:
    """Return the question of the search that a node belongs to."""
    key = session_of(node.iri)
    questions = (one for one in dag.entities.values() if isinstance(one, e.Question))
    return next((one for one in questions if session_of(one.iri) == key), None)


def _settings(given: Mapping[str, Any]) -> str:
    kept = given.get("edge_limit") or given.get("doc_limit")
    most = f" (at most {kept:,} {'facts' if 'edge_limit' in given else 'passages'} kept)" if kept else ""
    return f"It comes first, so that anyone can ask the same again with the same settings{most} and compare."


def _ideas(dag: ProvenanceDag, node: Node, ideas: list[str]) -> str:
    question = _asked(dag, node)
    if question is None or not ideas:
        return ""
    words = list(dict.fromkeys(_WORD.findall(question.query.lower())))
    taken = {word for idea in ideas for word in _WORD.findall(idea.lower())}
    left = [word for word in words if word not in taken]
    if not left:
        return "Each word of the question is in them, as each may stand beside the answer."
    named = [f"“{word}”" for word in left[:_LISTED]] + (["others"] if len(left) > _LISTED else [])
    is_one = len(named) == 1
    out = f"{listed(named)} {'is' if is_one else 'are'} left out"
    if any(map(is_content, left)):
        return f"The search keeps to what the question is about: so {out}."
    stand = "it stands in so many texts that it leads" if is_one else "they stand in so many texts that they lead"
    return f"They name what to look for. {out}, as {stand} nowhere."


def _reach(step: e.Exploration, question: e.Question | None) -> str:
    given = (question.parameters if question else None) or {}
    if step.of_chunks:
        by = _BY.get(str(given.get("mode")))
        return f"It looked {by}." if by else ""
    hops, most = given.get("max_path_length"), given.get("max_subgraph_size")
    if not isinstance(hops, int) or not isinstance(most, int):
        return ""
    if given.get("selector") == "rerank":
        went = f"It went {count(hops, 'hop')} at most, and compared at each: only a fact that fits leads on"
        return f"{went}, so that it does not stray from the question."
    further = (
        "the second reaches what is linked to it only through something in between, such as the cause of a cause."
        if hops > 1
        else "what is linked to it only through something in between is out of reach."
    )
    stopped = f" It stopped at {most:,}, the limit, so that it does not take long."
    full = stopped if (step.edge_count or 0) >= most else ""
    return (
        f"It went {count(hops, 'hop')}: the first leads from a thing to all that shares a fact or a passage with it; "
        f"{further}{_FURTHER if hops > 1 else ''}{full}"
    )


def _selection(dag: ProvenanceDag, node: Node, step: e.Focus) -> str:
    found = (dag.entities.get(one) for one in step.selected)
    is_counted = any(isinstance(one, e.ChunkSelection) and one.score_parts for one in found)
    counted = _COUNTED if is_counted and is_of_passages(dag, session_of(node.iri)) else ""
    return " ".join(filter(None, (counted, _by_rule(step.rule))))


def _scores(dag: ProvenanceDag, node: Node, step: e.Focus) -> str:
    """Return the best score and the lowest that were kept, and the best that was not."""
    noun = "passage" if is_of_passages(dag, session_of(node.iri)) else "fact"
    found = (dag.entities.get(one) for one in kept_of(step))
    kept = [one.score for one in found if isinstance(one, e.EdgeSelection | e.ChunkSelection) and one.score is not None]
    left = [(one.score, one.not_selected) for iri in step.candidates
            if isinstance(one := dag.entities.get(iri), e.Candidate) and one.score is not None]  # fmt: skip
    if not kept:
        return ""
    lowest = f", the lowest {min(kept):.2f}" if len(kept) > 1 else ""
    if not left:
        return f"The best that was kept has a score of {max(kept):.2f} of 1{lowest}."
    best, reason = max(left, key=lambda one: one[0])
    since = f": {reason}" if best >= min(kept) and reason and reason != LIMIT else ""
    beyond = f"the best {noun} left out has {best:.2f}{since}"
    return f"The best that was kept has a score of {max(kept):.2f} of 1{lowest}; {beyond}."


def _by_rule(rule: str | None) -> str:
    """Return the rule that decided, and why by a rule."""
    return f"A rule decided it, so that it comes out the same each time: {rule.rstrip('.')}." if rule else ""
