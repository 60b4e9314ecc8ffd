"""What is close to an answer: facts that share words with the question, or lie between two that do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice

from pyoxigraph import Triple

from explorer.language.words import clauses, share, stem_set, weighted
from explorer.reasoning.protocol import Edge
from explorer.reasoning.shared import shared

MOST = 5
"""Facts that are kept beside those that an answer is made from."""
RULE = f"what is quoted, and at most {MOST} more facts that share words with the question or link two that do"
# Shares of the words of a question, rare ones weighing more, of a fact that is close or that tells of it. Chosen
# on 125 facts kept for 40 questions, which a reader judged: 27 % had nothing to do with them at 0.5 and 0.15, 8 % so.
_SHARED, _LEAST = 0.65, 0.3
_LINKS = "It links two facts that share words with your question."


def telling(question: str, edges: Iterable[Edge], rarity: Callable[[str], float]) -> list[Edge]:
    """Return those of the facts of a sentence that tell of what a question is about."""
    parts = [weighted(part, rarity) for part in clauses(question)]
    return [edge for edge in edges if any(share(part, stem_set(edge.text)) >= _LEAST for part in parts)]


def close(
    question: str, edges: Sequence[Edge], kept: Iterable[Triple], rarity: Callable[[str], float], most: int = MOST
) -> dict[Edge, str]:
    """Return the nearest facts that are not kept and share words with the question, or link two that do; and why."""
    known, asked = {*kept}, weighted(question, rarity)
    near = {edge for edge in edges if share(asked, stem_set(edge.text)) >= _SHARED}
    left = [edge for edge in edges if edge.triple not in known]
    found = [*(edge for edge in left if edge in near), *(edge for edge in left if _links(edge, near))]
    return {edge: told(question, edge) if edge in near else _LINKS for edge in islice(dict.fromkeys(found), most)}


def likest(question: str, edges: Iterable[Edge], rarity: Callable[[str], float]) -> dict[Edge, str]:
    """Return the one fact that shares most words with a question, with why; none where none shares any."""
    asked = weighted(question, rarity)
    best = max(edges, key=lambda edge: share(asked, stem_set(edge.text)), default=None)
    return {} if best is None or not share(asked, stem_set(best.text)) else {best: told(question, best)}


def _links(fact: Edge, near: Iterable[Edge]) -> bool:
    """Return whether a fact leads from an end of one fact to an end of another."""
    ends = [{one.triple.subject, one.triple.object} for one in near if one is not fact]
    here, there = ([one for one in ends if end in one] for end in (fact.triple.subject, fact.triple.object))
    return any(one is not other for one in here for other in there)


def told(question: str, edge: Edge, first: str = "") -> str:
    """Return as a sentence what is known of a fact, and which words of the question it or its source has."""
    own = shared("it uses", question, stem_set(edge.text))
    said = "; ".join(filter(None, (first, own or shared("its source has", question, stem_set(edge.with_sentence)))))
    return f"{said[:1].upper()}{said[1:]}." if said else "None of your words are in it."
