"""Why a fact or passage was selected, in a sentence: as recorded, or as what the record holds of its score says it."""

from __future__ import annotations

from explorer import entities as e
from explorer.dag import ProvenanceDag
from explorer.reasoning.extractive.reasons import passage_reason
from explorer.record.trace import Selection, parts_of
from explorer.vocab import session_of

_NOT_GIVEN = "why is not on record"


def reason_of(dag: ProvenanceDag, selection: Selection) -> str:
    """Return why something was selected; empty for a fact without a reason on record.

    A passage has none there: without a model the sentence is made from its words and the parts of its score. A model
    gives a passage a score alone, and that is said.
    """
    if isinstance(selection, e.EdgeSelection):
        return selection.reasoning or ""
    if selection.score is None:
        return ""
    session, score = session_of(selection.iri), f"{selection.score:.2f} of 1"
    focus = next((one for node in dag.within(session, "Focus") if isinstance(one := node.entity, e.Focus)
                  and selection.iri in one.selected), None)  # fmt: skip
    if selection.scored_by:
        return f"{selection.scored_by} measured {score}, as the model gave no score for it."
    if focus is not None and focus.model:
        return f"{focus.model} read it and gave it {score}; {_NOT_GIVEN}."
    asked = next(
        (one.query for node in dag.within(session, "Question") if isinstance(one := node.entity, e.Question)), ""
    )
    parts, passage = parts_of(selection), next(iter(dag.node(selection.iri).passages), None)
    if passage is None or not parts or not asked:
        return f"It has a score of {score}; {_NOT_GIVEN}."
    kept = (dag.entities.get(key) for key in (focus.selected if focus else ()))
    best = max((one.score for one in kept if isinstance(one, Selection) and one.score is not None), default=None)
    return passage_reason(asked, passage, selection.score, parts, is_best=selection.score == best)
