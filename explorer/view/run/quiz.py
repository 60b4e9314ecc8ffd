"""A question to a class before it sees what a run kept: which 2 of these 5 did it keep?

Its choices are those of the run's record: the best that it kept, and what fits least of what it looked at, so that who
reads them can tell. A fact is shown with the sentence that it was taken from. Nobody is said to be wrong: a guess is
compared with what the run did, and by what it went.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from explorer import entities as e
from explorer.dag.passage_names import unquoted_name
from explorer.events import Explain
from explorer.language.words import stem, stem_set
from explorer.rdf.labels import edge_labels
from explorer.text import truncate, without_bars
from explorer.vocab import recognise, session_of
from explorer.wording.kept import LIMIT
from explorer.wording.phrases import closest, listed, ordinal
from explorer.wording.reasons import passage_kept

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from pyoxigraph import Triple

    from explorer.dag import ProvenanceDag
    from explorer.events import Event, Passage
    from explorer.view.messages.run import Choice, Quiz

    SourcesOf = Callable[[ProvenanceDag, Triple], Sequence[Passage]]
    """Gives the passages of a fact that the run of a graph has read."""

T = TypeVar("T")
U = TypeVar("U")

CHOICES = 5
_KEPT = 2  # of the choices; more where fewer were left out
_LONGEST = 160
_LONGEST_PASSAGE = 240
_WORD = re.compile(r"\w+")
_SOUGHT = 12  # of the facts that fit least: so many have their sentences looked up
_ENOUGH = "enough others were kept"
_BASIS = "The run goes by words and meaning in common with the question; it does not reason."


class _Fact(NamedTuple):
    """A fact that was kept or not, in words and in those of a sentence."""

    of: e.EdgeSelection | e.Candidate
    text: str
    quote: str


def quiz_of(dag: ProvenanceDag, event: Event, sources: SourcesOf = lambda *_: ()) -> Quiz | None:
    """Return what to ask before an event is shown; None unless it is the Focus of the run itself.

    `sources` gives the passages of a fact that the run has read: those of what was not kept do not come with the event.

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
    focus = next((one for one in event.entities if isinstance(one, e.Focus)), None)
    by = focus.model if focus else None
    choices = _facts(dag, event, sources) if is_facts else _passages(dag, event)
    if not choices:
        return None
    choices.sort(key=lambda one: one["text"])  # in an order that tells nothing
    noun = "facts" if is_facts else "passages"
    number = sum(one["kept"] for one in choices)
    kept = "one" if number == 1 else number
    return {
        "question": f"Tick the {kept} of these {len(choices)} {noun} that you think {by or 'the run'} kept",
        "choices": choices,
        "basis": "" if by else _BASIS,
    }


def _facts(dag: ProvenanceDag, event: Explain, sources: SourcesOf) -> list[Choice]:
    described = event.entities
    kept = [one for one in described if isinstance(one, e.EdgeSelection) and one.edge is not None]
    left = [one for one in described if isinstance(one, e.Candidate) and one.edge is not None]
    lowest = min((one.score for one in kept if one.score is not None), default=None)
    names, asked = {**dag.labels, **event.labels}, _asked(dag)
    below = [one for one in left if lowest is None or (one.score or 0.0) < lowest] or left
    least = sorted(below, key=lambda one: (one.score or 0.0, -(one.rank or 0)))[:_SOUGHT]
    held = _each_once(_read(one, names, event.passages.get(one.iri, ())) for one in kept)
    told = {one.quote for one in held}
    others = _each_once(
        (_read(one, names, sources(dag, one.edge) if one.edge is not None else ()) for one in least), told
    )
    some, rest = _some(held, others, lambda one: one.of.score or 0.0, lambda one: len(one.quote))
    return [
        *(_choice(one.text, one.of.score, truncate(getattr(one.of, "reasoning", None) or "", _LONGEST),
                  kept=True, quote=one.quote) for one in some),
        *(_choice(one.text, one.of.score, _why_left(one.of, lowest, _lacks(asked, f"{one.text} {one.quote}")),
                  kept=False, quote=one.quote) for one in rest),
    ]  # fmt: skip


def _read(one: e.EdgeSelection | e.Candidate, names: dict[str, str], passages: Iterable[Passage]) -> _Fact:
    """Return a fact with the shortest of its sentences."""
    text = "{} — {} → {}".format(*edge_labels(one.edge, names)) if one.edge else ""
    found = [" ".join(without_bars(passage.text, passage.before).split()) for passage in passages]
    return _Fact(one, text, truncate(min(found, key=len, default=""), _LONGEST_PASSAGE))


def _each_once(facts: Iterable[_Fact], but: Iterable[str] = ()) -> list[_Fact]:
    first: dict[str, _Fact] = {}
    for one in facts:
        first.setdefault(one.quote or one.text, one)
    return [one for quote, one in first.items() if quote not in {*but}]


def _asked(dag: ProvenanceDag) -> str:
    return next((root.entity.query for root in dag.roots if isinstance(root.entity, e.Question)), "")


def _why_left(one: e.EdgeSelection | e.Candidate, lowest: float | None, lacks: str) -> str:
    """Return why a fact was not kept; of one that fits better than one that was, the reason on record."""
    if one.score is None or lowest is None:
        return f"{lacks}."
    if one.score < lowest:
        return f"{lacks}; the lowest score that was kept is {lowest:.2f}."
    why = one.not_selected if isinstance(one, e.Candidate) else None
    said = why if why and why != LIMIT else _ENOUGH
    return f"It fits as well as some that were kept, but {said}."


def _lacks(asked: str, text: str) -> str:
    """Return which words of a question a text lacks."""
    own, words = stem_set(text), stem_set(asked)
    content = [word for word in dict.fromkeys(_WORD.findall(asked)) if stem(word.lower()) in words]
    lacks = [f"“{word}”" for word in content if stem(word.lower()) not in own]
    if len(lacks) == len(content):
        return "It has no word of the question"
    return f"It lacks {listed(lacks)}" if lacks else "What was kept is nearer to the question"


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
    some, others = _some(kept, left, lambda one: one[0].score or 0.0, lambda one: -one[0])
    why = f"of the {len(looked):,} that were looked at; {len(chosen):,} {'was' if len(chosen) == 1 else 'were'} kept."
    return [
        *(_choice(_quoted(asked, found[0]), one.score,
                  truncate(passage_kept(dag, one, focus, chosen, found) or "", _LONGEST), kept=True,
                  where=found[0].reference) for one, found in some),
        *(_choice(_quoted(asked, found[0]), None, f"It was {ordinal(at)} {why}", kept=False,
                  where=found[0].reference) for at, found in others),
    ]  # fmt: skip


def _quoted(asked: str, passage: Passage) -> str:
    """Return the sentence of a passage that has most of the words of a question, the first of these."""
    told = closest(asked, passage.text)
    return f"“{truncate(told, _LONGEST_PASSAGE)}”" if told else unquoted_name(passage, _LONGEST_PASSAGE)


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


def _choice(text: str, score: float | None, why: str, *, kept: bool, where: str = "", quote: str = "") -> Choice:
    scored = "" if score is None else f"{score:.2f} of 1"
    return {"text": text, "quote": quote, "where": where, "kept": kept, "score": scored, "why": why}
