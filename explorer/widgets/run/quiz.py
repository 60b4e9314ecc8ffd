"""A question to a class before it sees what a run kept: which of these five would you keep?

Its choices, and what is right, are those of the run's record.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer import entities as e
from explorer import rdf
from explorer.events import Explain
from explorer.rdf.labels import edge_labels
from explorer.text import truncate
from explorer.vocab import recognise, session_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from explorer.dag import ProvenanceDag
    from explorer.events import Event
    from explorer.widgets.messages.run import Choice, Quiz

CHOICES = 5
BELOW_LIMIT = "below limit"  # as the record says that others were kept instead
_NUMBERS = {2: "two", 3: "three", 4: "four", 5: "five"}
_KEPT = 2  # of the choices; more where fewer were left out
_LONGEST = 160


def quiz_of(dag: ProvenanceDag, event: Event) -> Quiz | None:
    """Return what to ask before an event is shown; None unless it is the Focus of the run itself, on facts.

    Also None where nothing was kept, or nothing left out: then there is nothing to choose.
    """
    if not isinstance(event, Explain):
        return None
    named = recognise(event.iri)
    if named is None or named.kind != "focus" or named.key not in {session_of(root.iri) for root in dag.roots}:
        return None
    described = rdf.entities(event.triples)
    kept = [one for one in described if isinstance(one, e.EdgeSelection) and one.edge is not None]
    left = [one for one in described if isinstance(one, e.Candidate) and one.edge is not None]
    if not kept or not left:
        return None
    some = min(len(kept), max(_KEPT, CHOICES - len(left)))
    lowest = min((one.score for one in kept if one.score is not None), default=None)
    found = (*_spread(kept, some), *_spread(left, CHOICES - some))
    choices = [_choice(one, {**dag.labels, **event.labels}, lowest) for one in found]
    choices.sort(key=lambda one: one["text"])  # in an order that tells nothing
    return {"question": f"Which of these {_NUMBERS[len(choices)]} facts would you keep?", "choices": choices}


def _spread(found: Sequence[e.EdgeSelection | e.Candidate], number: int) -> list[e.EdgeSelection | e.Candidate]:
    """Return some of those found, from the first to the last."""
    if number >= len(found):
        return list(found)
    return [found[at * len(found) // number] for at in range(number)]


def _choice(one: e.EdgeSelection | e.Candidate, labels: dict[str, str], lowest: float | None) -> Choice:
    score = "" if one.score is None else f", {one.score:.2f} of 1"
    text = " – ".join(edge_labels(one.edge, labels)) if one.edge else ""
    if isinstance(one, e.EdgeSelection):
        why = truncate(one.reasoning or "", _LONGEST)
        return {"text": text, "kept": True, "why": f"kept{score}. {why}".strip()}
    reason = one.not_selected if one.not_selected and one.not_selected != BELOW_LIMIT else "enough others were kept"
    if one.score is not None and lowest is not None and one.score < lowest:
        reason = f"the lowest kept has {lowest:.2f}"
    return {"text": text, "kept": False, "why": f"not kept{score}: {reason}."}
