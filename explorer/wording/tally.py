"""How much of what a search read its answer uses: one count for the whole of the program."""

from __future__ import annotations

from collections import Counter

from explorer import entities as e
from explorer.dag import ProvenanceDag
from explorer.dag.retrieved import retrieved
from explorer.dag.sentences import citations
from explorer.text import count
from explorer.vocab import session_of


def tally(dag: ProvenanceDag, focus: e.Focus | None = None) -> str:
    """Return how much a search, or all of a run, used and kept beside, and all else: "2 used, 5 close, 140 more read".

    Where no answer cites anything, or there is none yet, "7 kept, 140 more read". A passage that was only given to a
    model beside facts was read. Passages that a search of facts kept are named: "2 facts, 1 passage used".
    """
    session = None if focus is None else session_of(focus.iri)
    if became := Counter(one.state for one in retrieved(dag, session)):
        return ", ".join(f"{number:,} {state}" for state, number in became.items())
    among = [node.entity for node in dag.nodes("Focus")] if focus is None else [focus]
    steps = [one for one in among if isinstance(one, e.Focus)]
    of_facts = any(not _is_of_passages(dag, one) for one in steps)
    counts: Counter[tuple[str, str]] = Counter()
    for one in steps:
        counts.update(_counts(dag, one))
    told: list[str] = []
    for word in ("kept", "used", "close", "read"):
        held = {noun: counts[word, noun] for noun in ("fact", "passage") if counts[word, noun]}
        if word in ("kept", "used") and of_facts and "passage" in held:
            told.append(f"{', '.join(count(number, noun) for noun, number in held.items())} {word}")
        elif held:
            more = "more " if word == "read" and told else ""  # which were not kept
            told.append(f"{sum(held.values()):,} {more}{word}")
    return ", ".join(told) or "nothing kept"


def _is_of_passages(dag: ProvenanceDag, focus: e.Focus) -> bool:
    stage = dag.exploration(focus)
    return stage is not None and stage.of_chunks


def _counts(dag: ProvenanceDag, focus: e.Focus) -> Counter[tuple[str, str]]:
    """Return how many facts and passages each word is true of, by word and noun."""
    used, kept, stage = used_of(dag, focus), {*kept_of(focus)}, dag.exploration(focus)
    alike = focus.selected if _is_of_passages(dag, focus) else focus.selected_edges
    left = (stage.count or 0) - len(alike) if stage else 0
    nouns = dict.fromkeys(focus.selected_chunks, "passage") | dict.fromkeys(focus.selected_edges, "fact")
    became = {
        one: "kept" if used is None else "used" if one in used else "close" if one in kept else "read" for one in nouns
    }
    counts = Counter((word, nouns[one]) for one, word in became.items())
    counts["read", "fact"] += max(left, len(focus.candidates))
    return counts


def kept_of(focus: e.Focus) -> tuple[str, ...]:
    """Return what was kept: the facts, or where none was the passages; those beside facts are used, or were read."""
    return focus.selected_edges or focus.selected_chunks


def used_of(dag: ProvenanceDag, focus: e.Focus) -> set[str] | None:
    """Return what an answer uses of what its search selected; nothing where it declines, None where nobody says."""
    own = [one.entity for one in dag.within(session_of(focus.iri), "Synthesis")]
    final = dag.final.entity if dag.final is not None else None
    answers = [one for one in own or [final] if isinstance(one, e.Answer)]
    if answers and all(one.termination_reason == "declined" for one in answers):
        return set()
    cites = [one for answer in answers for one in citations(dag, answer.iri)]
    return {*focus.selected} & {key for one in cites for key in one.cites} if cites else None


def standing(dag: ProvenanceDag, focus: e.Focus, iri: str) -> str:
    """Return what became of one thing that was selected: "used", "close, not used", "read"; or "kept" so far."""
    used = used_of(dag, focus)
    if used is None:
        return "kept"
    return "used" if iri in used else "close, not used" if iri in kept_of(focus) else "read"
