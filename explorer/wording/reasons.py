"""Why a fact or passage was selected, in a sentence: as recorded, or as what the record holds of its score says it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from explorer import entities as e
from explorer.dag import ProvenanceDag
from explorer.events import Passage
from explorer.reasoning.extractive.fit import passage_reason
from explorer.vocab import session_of
from explorer.wording.phrases import ordinal
from explorer.wording.scores import Selection, parts_of
from explorer.wording.tally import standing

_NOT_GIVEN = "why is not on record"
_CITED = {"used": " The answer cites it.", "close, not used": " The answer does not cite it."}


def reason_of(dag: ProvenanceDag, selection: Selection) -> str:
    """Return why something was selected; empty for a fact without a reason on record, and a passage without a score."""
    if selection.reasoning or isinstance(selection, e.EdgeSelection) or selection.score is None:
        return selection.reasoning or ""
    stages = (node.entity for node in dag.within(session_of(selection.iri), "Focus"))
    focus = next((one for one in stages if isinstance(one, e.Focus) and selection.iri in one.selected), None)
    beside = (dag.entities.get(key) for key in (focus.selected if focus else ()))
    return passage_kept(dag, selection, focus, beside, dag.node(selection.iri).passages)


def passage_kept(
    dag: ProvenanceDag, chosen: e.ChunkSelection, focus: e.Focus | None, beside: Iterable[e.Entity | None],
    passages: Sequence[Passage],
) -> str:  # fmt: skip
    """Return why a passage was selected by a Focus, `beside` what else was; empty for one that was not scored.

    There is no reason on record: without a model the sentence is made from its words and the parts of its score. A
    model gives a passage a score alone, and that is said.
    """
    if chosen.reasoning or chosen.score is None:
        return chosen.reasoning or ""
    score = f"{chosen.score:.2f} of 1"
    if chosen.scored_by:
        return f"{chosen.scored_by} measured {score}, as the model gave no score for it."
    if focus is not None and focus.model:
        return f"{focus.model} read it and gave it {score}; {_NOT_GIVEN}."
    questions = (node.entity for node in dag.within(session_of(chosen.iri), "Question"))
    asked = next((one.query for one in questions if isinstance(one, e.Question)), "")
    parts, passage = parts_of(chosen), next(iter(passages), None)
    if passage is None or not parts or not asked:
        return f"It has a score of {score}; {_NOT_GIVEN}."
    scores = [one.score for one in beside if isinstance(one, Selection) and one.score is not None]
    number = 1 + sum(one > chosen.score for one in scores)
    best = "Best" if number == 1 else f"{ordinal(number)} best"
    place = f"{best} of {len(scores):,} kept" if len(scores) > 1 else "The only one kept"
    cited = _CITED.get(standing(dag, focus, chosen.iri), "") if focus else ""
    return f"{place}: {passage_reason(asked, passage, chosen.score, parts)}.{cited}"
