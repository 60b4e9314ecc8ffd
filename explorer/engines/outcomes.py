"""How the answer of a model came out, by what its sentences rest on; and what the documents say without it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from explorer import entities as e
from explorer.engines.setting import Setting
from explorer.events import Done, Event, Explain
from explorer.reasoning.protocol import AnswerPart, Checking, Piece, Reasoner, Verdict
from explorer.reasoning.wording import beside
from explorer.vocab import session_of

if TYPE_CHECKING:
    from explorer.reasoning.extractive.reasoner import ExtractiveReasoner

ANSWERED, UNSURE, NOT_FOUND = "answered", "unsure", "not found"
RESTS_ON_NOTHING = "The model's answer rests on nothing."
_BY_WORDS = {"found": "supported", "none": "not"}


@dataclass(frozen=True, slots=True)
class Told:
    """The citations of an answer; of a model's also how it came out, and whether its sentences were checked."""

    citations: Sequence[e.Citation]
    outcome: str | None = None
    check: str | None = None


def outcome_of(sentences: Iterable[e.Citation]) -> str:
    """Return how an answer came out: "answered" where all its sentences are supported, "not found" where none is.

    The check by the model decides, and without one the words.
    """
    each = {one.checked or _BY_WORDS.get(one.lexical_support or "", "partly") for one in sentences}
    return NOT_FOUND if each <= {"not"} else ANSWERED if each == {"supported"} else UNSURE


def told(
    setting: Setting, reasoner: Reasoner, question: str, text: str, written: Sequence[tuple[e.Citation, Sequence[str]]]
) -> Told:
    """Have the sentences of a model's answer checked, each given with the texts that it cites."""
    citations = [one for one, _ in written]
    cited = [n for n, (one, sources) in enumerate(written) if sources and one.cites]
    check = None
    if setting.check and not setting.parent and cited and isinstance(reasoner, Checking):
        rows = [_row(*written[n], text) for n in cited]
        found = reasoner.check(question, rows)
        check = "done" if found.wrong is None else f"not done: {found.wrong}"
        for number, verdict in found.verdicts.items():
            citations[cited[number]] = replace(citations[cited[number]], checked=verdict)
    return Told(citations, outcome_of(citations), check)


def _row(citation: e.Citation, sources: Sequence[str], text: str) -> tuple[str, list[str]]:
    sentence = text[citation.start or 0 : citation.end or 0]
    return sentence, [beside(sentence, source) for source in sources]


def without_model(said: Iterable[AnswerPart]) -> Iterator[AnswerPart]:
    """Yield what stands below an answer that rests on nothing: what is said without a model, if that is anything."""
    parts = list(said)
    declines = any(isinstance(part, Verdict) and part.reason != "done" for part in parts)
    yield Piece(f"\n\n{RESTS_ON_NOTHING}" + ("" if declines else " Your documents say:"))
    yield from () if declines else (part for part in parts if not isinstance(part, Verdict))


def by_rules(setting: Setting) -> ExtractiveReasoner:
    """Return the reasoner that answers without a model."""
    from functools import cache

    from explorer.engines.reading import Chunks
    from explorer.models.embedding import Remembered
    from explorer.reasoning.extractive.reasoner import ExtractiveReasoner

    embedder = setting.embedder if isinstance(setting.embedder, Remembered) else Remembered(setting.embedder)
    stores = setting.stores
    return ExtractiveReasoner(embedder, cache(stores.library.rarity), chunks=Chunks(stores, embedder))


def ending(events: Iterable[Event], session: str) -> Iterator[Event]:
    """Yield the events of a run; its end says how its answer came out, and declines where nothing was found."""
    outcome = None
    for event in events:
        if isinstance(event, Explain):
            own = (
                one.outcome for one in event.entities if isinstance(one, e.Answer) and session_of(one.iri) == session
            )
            outcome = next(filter(None, own), outcome)
        if isinstance(event, Done) and outcome:
            reason = "declined" if outcome == NOT_FOUND and event.reason == "done" else event.reason
            event = replace(event, outcome=outcome, reason=reason)  # noqa: PLW2901
        yield event
