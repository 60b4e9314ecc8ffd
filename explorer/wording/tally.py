"""How much of what a search read its answer uses: one count for the whole of the program."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from explorer import entities as e
from explorer.dag.retrieved import retrieved
from explorer.dag.sentences import citations
from explorer.vocab import session_of

if TYPE_CHECKING:
    from explorer.dag import ProvenanceDag


def tally(dag: ProvenanceDag, focus: e.Focus | None = None) -> str:
    """Return how much a search, or all of a run, used and kept beside, and all else: "2 used, 5 close, 140 more read".

    Where no answer cites anything, or there is none yet, "7 kept, 140 more read"; "140 read" where nothing was
    kept. A passage that was only given to a model beside facts was read.
    """
    session = None if focus is None else session_of(focus.iri)
    if became := Counter(one.state for one in retrieved(dag, session)):
        return ", ".join(f"{number:,} {state}" for state, number in became.items())
    among = (node.entity for node in dag.nodes("Focus")) if focus is None else (focus,)
    counts: Counter[str] = Counter()
    for one in among:
        if isinstance(one, e.Focus):
            counts.update(_counts(dag, one))
    told = [f"{counts[word]:,} {word}" for word in ("kept", "used", "close") if counts[word]]
    read = f"{counts['read']:,} {'more ' if told else ''}read"  # which were not kept
    return ", ".join([*told, *([read] if counts["read"] else [])]) or "nothing kept"


def _counts(dag: ProvenanceDag, focus: e.Focus) -> dict[str, int]:
    used, kept, stage = used_of(dag, focus), {*kept_of(focus)}, dag.exploration(focus)
    alike = focus.selected if stage is not None and stage.of_chunks else focus.selected_edges
    left = (stage.count or 0) - len(alike) if stage else 0
    read = max(left, len(focus.candidates))
    if used is None:
        return {"kept": len({*focus.selected}), "read": read}
    read += len({*focus.selected} - kept - used)
    return {"used": len(used), "close": len(kept - used), "read": read}


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
