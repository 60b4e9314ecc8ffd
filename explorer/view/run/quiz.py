"""A question to a class before it sees what a run kept: which of these five would you keep?

Its choices, and what is right, are those of the run's record.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from explorer import entities as e
from explorer.events import Explain
from explorer.language.sentences import quotable
from explorer.language.words import stem_set
from explorer.rdf.labels import edge_labels
from explorer.record.reasons import passage_kept
from explorer.text import count, opening, truncate
from explorer.vocab import recognise, session_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from explorer.dag import ProvenanceDag
    from explorer.events import Event, Passage
    from explorer.view.messages.run import Choice, Quiz

T = TypeVar("T")
U = TypeVar("U")

CHOICES = 5
BELOW_LIMIT = "below limit"  # as the record says that others were kept instead
_NUMBERS = {2: "two", 3: "three", 4: "four", 5: "five"}
_KEPT = 2  # of the choices; more where fewer were left out
_LONGEST = 160
_LONGEST_PASSAGE = 240
_ENDS = (".", "!", "?", "”")  # of a sentence; the head of a page has none
_ENOUGH = "enough others were kept"


def quiz_of(dag: ProvenanceDag, event: Event) -> Quiz | None:
    """Return what to ask before an event is shown; None unless it is the Focus of the run itself.

    Also None where nothing was kept, or nothing left out: then there is nothing to choose. Of facts and passages that
    were kept together only the facts are asked for, as passages were not compared with what was left out.
    """
    if not isinstance(event, Explain):
        return None
    named = recognise(event.iri)
    if named is None or named.kind not in ("focus", "docrag-focus"):
        return None
    if named.key not in {session_of(root.iri) for root in dag.roots}:
        return None
    is_facts = named.kind == "focus"
    choices = _facts(dag, event) if is_facts else _passages(dag, event)
    if not choices:
        return None
    choices.sort(key=lambda one: one["text"])  # in an order that tells nothing
    noun = "facts" if is_facts else "passages"
    return {"question": f"Which of these {_NUMBERS[len(choices)]} {noun} would you keep?", "choices": choices}


def _facts(dag: ProvenanceDag, event: Explain) -> list[Choice]:
    described = event.entities
    kept = [one for one in described if isinstance(one, e.EdgeSelection) and one.edge is not None]
    left = [one for one in described if isinstance(one, e.Candidate) and one.edge is not None]
    lowest = min((one.score for one in kept if one.score is not None), default=None)
    names = {**dag.labels, **event.labels}
    some, others = _some(kept, left)
    return [
        *(_kept(_words(one, names), one.score, one.reasoning) for one in some),
        *(_left(_words(one, names), one.score, _why_left(one, lowest), odd=_is_odd(one, lowest)) for one in others),
    ]


def _words(one: e.EdgeSelection | e.Candidate, names: dict[str, str]) -> str:
    return " – ".join(edge_labels(one.edge, names)) if one.edge else ""


def _is_odd(one: e.Candidate, lowest: float | None) -> bool:
    """Return whether something was not kept although it fits better than something that was."""
    return one.score is not None and lowest is not None and one.score > lowest


def _why_left(one: e.Candidate, lowest: float | None) -> str:
    if one.score is not None and lowest is not None and one.score < lowest:
        return f"the lowest kept has {lowest:.2f}"
    said = one.not_selected if one.not_selected and one.not_selected != BELOW_LIMIT else _ENOUGH
    return f"it fits better than some that were kept, but {said}" if _is_odd(one, lowest) else said


def _passages(dag: ProvenanceDag, event: Explain) -> list[Choice]:
    described = event.entities
    focus = next((one for one in described if isinstance(one, e.Focus)), None)
    stage = dag.exploration(focus) if focus else None
    chosen = [one for one in described if isinstance(one, e.ChunkSelection)]
    known = {one.document for one in chosen}
    asked = next((root.entity.query for root in dag.roots if isinstance(root.entity, e.Question)), "")
    looked = (stage.ordered or stage.selected_chunks) if stage else ()
    kept = [(one, found) for one in chosen if (found := event.passages.get(one.iri))]
    left = [found for key in looked if key not in known and (found := dag.found(key))]
    some, others = _some(kept, left)
    return [
        *(
            _kept(_quoted(asked, found[0]), one.score, passage_kept(dag, one, focus, chosen, found), found[0].reference)
            for one, found in some
        ),
        *(
            _left(_quoted(asked, found[0]), None, f"the run kept {count(len(chosen), 'other')}", found[0].reference)
            for found in others
        ),
    ]


def _quoted(asked: str, passage: Passage) -> str:
    """Return the sentence of a passage that has most of the words of a question, the first of these."""
    words = stem_set(asked)
    whole = [line for _, line in quotable(passage.text) if line.endswith(_ENDS)]
    told = max(whole, key=lambda line: len(words & stem_set(line)), default="")
    return f"“{truncate(told, _LONGEST_PASSAGE) or opening(passage.text, _LONGEST_PASSAGE)}”"


def _some(kept: Sequence[T], left: Sequence[U]) -> tuple[list[T], list[U]]:
    """Return five of both, or as many as there are; none where one of them is empty."""
    if not kept or not left:
        return [], []
    number = min(len(kept), max(_KEPT, CHOICES - len(left)))
    return _spread(kept, number), _spread(left, CHOICES - number)


def _spread(found: Sequence[T], number: int) -> list[T]:
    """Return some of those found, from the first to the last."""
    if number >= len(found):
        return list(found)
    return [found[at * len(found) // number] for at in range(number)]


def _kept(text: str, score: float | None, reason: str | None, where: str = "") -> Choice:
    why = truncate(reason or "", _LONGEST)
    return {"text": text, "where": where, "kept": True, "did": f"Kept{_scored(score)}", "why": why, "odd": False}


def _left(text: str, score: float | None, reason: str, where: str = "", *, odd: bool = False) -> Choice:
    why = f"{reason[:1].upper()}{reason[1:]}."
    return {"text": text, "where": where, "kept": False, "did": f"Not kept{_scored(score)}", "why": why, "odd": odd}


def _scored(score: float | None) -> str:
    return "" if score is None else f", {score:.2f} of 1"
