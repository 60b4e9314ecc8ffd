"""How the answer on show was reviewed, as a badge beside what the rules say of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.dag.sentences import sentences
from explorer.entities import Answer
from explorer.record.reviewed import reviewed, worst
from explorer.record.verdicts import IRRELEVANT, NOBODY, NOT_SUPPORTED, SUPPORTED, UNCLEAR, verdicts

if TYPE_CHECKING:
    from explorer.dag import ProvenanceDag
    from explorer.stores.collection import Collection
    from explorer.view.messages.badge import Badge

_LEVELS = {NOT_SUPPORTED: "bad", IRRELEVANT: "related", UNCLEAR: "related", SUPPORTED: "sure"}


def review(stores: Collection, dag: ProvenanceDag) -> Badge | None:
    """Return what reviewers found of a run in words, at the level of the worst of it; None for nothing."""
    judged = verdicts(stores, [root.iri for root in dag.roots], superseded=True)
    final = dag.final.entity if dag.final is not None else None
    told = len(sentences(dag, final)) if isinstance(final, Answer) else 0
    words = reviewed(judged, told)
    if not words:
        return None
    first = worst(judged)
    before = (f"Before: {one.verdict} ({one.by or NOBODY})." for one in judged if not one.standing)
    tip = [*(f"{said}." for said in words), *before]
    return {"text": words[0], "level": _LEVELS[first.verdict], "node": first.target, "tip": " ".join(tip)}
