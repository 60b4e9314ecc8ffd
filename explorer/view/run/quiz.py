"""A question to a class before it sees what a run kept: which of these five would you keep?

Its choices, and what is right, are those of the run's record: the best that it kept, and what fits least of what it
looked at, so that who reads them can tell.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeVar

from explorer import entities as e
from explorer.dag.passage_names import unquoted_name
from explorer.events import Explain
from explorer.language.sentences import quotable
from explorer.language.words import stem, stem_set
from explorer.rdf.labels import edge_labels
from explorer.record.reasons import passage_kept
from explorer.text import truncate
from explorer.view.words.phrases import listed, ordinal
from explorer.vocab import recognise, session_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

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
_WORD = re.compile(r"\w+")
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
    names, asked = {**dag.labels, **event.labels}, _asked(dag)
    some, others = _some(kept, left, lambda one: _of(one.score), lambda one: _of(one.score))
    return [
        *(_kept(_words(one, names), one.score, one.reasoning) for one in some),
        *(_left(text, one.score, _why_left(one, lowest, _shared(asked, text)))
          for one in others if (text := _words(one, names))),
    ]  # fmt: skip


def _asked(dag: ProvenanceDag) -> str:
    return next((root.entity.query for root in dag.roots if isinstance(root.entity, e.Question)), "")


def _words(one: e.EdgeSelection | e.Candidate, names: dict[str, str]) -> str:
    return " – ".join(edge_labels(one.edge, names)) if one.edge else ""


def _why_left(one: e.Candidate, lowest: float | None, shared: str) -> str:
    """Return why a fact was not kept; of one that fits better than one that was, the reason on record."""
    if one.score is None or lowest is None:
        return f"{shared}."
    if one.score < lowest:
        return f"{shared}; the lowest score that was kept is {lowest:.2f}."
    said = one.not_selected if one.not_selected and one.not_selected != BELOW_LIMIT else _ENOUGH
    return f"It fits as well as some that were kept, but {said}."


def _shared(asked: str, text: str) -> str:
    """Return which words of a question a text has, and which it has not."""
    own, words = stem_set(text), stem_set(asked)
    content = [word for word in dict.fromkeys(_WORD.findall(asked)) if stem(word.lower()) in words]
    found, missing = ([f"“{one}”" for one in content if (stem(one.lower()) in own) is has] for has in (True, False))
    if not found:
        return "It has no word of the question"
    return f"It has {listed(found)}{f', but not {listed(missing)}' if missing else ''}"


def _passages(dag: ProvenanceDag, event: Explain) -> list[Choice]:
    described = event.entities
    focus = next((one for one in described if isinstance(one, e.Focus)), None)
    stage = dag.exploration(focus) if focus else None
    chosen = [one for one in described if isinstance(one, e.ChunkSelection)]
    known = {one.document for one in chosen}
    asked = _asked(dag)
    looked = (stage.ordered or stage.selected_chunks) if stage else ()
    kept = [(one, found) for one in chosen if (found := event.passages.get(one.iri))]
    left = [(at, found) for at, key in enumerate(looked, 1) if key not in known and (found := dag.found(key))]
    some, others = _some(kept, left, lambda one: _of(one[0].score), lambda one: -one[0])
    why = f"of the {len(looked):,} that were looked at; {len(chosen):,} {'was' if len(chosen) == 1 else 'were'} kept."
    return [
        *(
            _kept(_quoted(asked, found[0]), one.score, passage_kept(dag, one, focus, chosen, found), found[0].reference)
            for one, found in some
        ),
        *(
            _left(_quoted(asked, found[0]), None, f"It was {ordinal(at)} {why}", found[0].reference)
            for at, found in others
        ),
    ]


def _quoted(asked: str, passage: Passage) -> str:
    """Return the sentence of a passage that has most of the words of a question, the first of these."""
    words = stem_set(asked)
    whole = [line for _, line in quotable(passage.text) if line.endswith(_ENDS)]
    told = max(whole, key=lambda line: len(words & stem_set(line)), default="")
    return f"“{truncate(told, _LONGEST_PASSAGE)}”" if told else unquoted_name(passage, _LONGEST_PASSAGE)


def _of(score: float | None) -> float:
    return 0.0 if score is None else score


def _some(
    kept: Sequence[T], left: Sequence[U], fits: Callable[[T], float], fits_too: Callable[[U], float]
) -> tuple[list[T], list[U]]:
    """Return five of both, or as many as there are: the best of those kept, and of the others those that fit least.

    None where one of them is empty.
    """
    if not kept or not left:
        return [], []
    number = min(len(kept), max(_KEPT, CHOICES - len(left)))
    return sorted(kept, key=fits, reverse=True)[:number], sorted(left, key=fits_too)[: CHOICES - number]


def _kept(text: str, score: float | None, reason: str | None, where: str = "") -> Choice:
    why = truncate(reason or "", _LONGEST)
    return {"text": text, "where": where, "kept": True, "score": _scored(score), "why": why}


def _left(text: str, score: float | None, reason: str, where: str = "") -> Choice:
    return {"text": text, "where": where, "kept": False, "score": _scored(score), "why": reason}


def _scored(score: float | None) -> str:
    return "" if score is None else f"{score:.2f} of 1"
