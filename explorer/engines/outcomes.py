"""How the answer of a model came out, by what its sentences rest on; and what the documents say without it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from explorer import entities as e
from explorer.dag.outcome import outcome_of_citation
from explorer.engines.setting import Setting
from explorer.events import ANSWERED, NOT_FOUND, UNSURE
from explorer.reasoning.lexical_support import Source, beside
from explorer.reasoning.prompted.reasoner import PromptedReasoner
from explorer.reasoning.protocol import AnswerPart, Kept, Piece, Sentence, Verdict

if TYPE_CHECKING:
    from explorer.reasoning import Reasoner
    from explorer.reasoning.extractive.reasoner import ExtractiveReasoner

RESTS_ON_NOTHING = "The model's answer rests on nothing."
_SHOWN = 12_000  # characters of sources that a check shows in all
_NEAR, _LONGEST = 700, 2_000  # of one beside a sentence, and where words do not tell what of it is near


def by_sentences(sentences: Iterable[e.Citation]) -> str:
    """Return how a model's answer came out: answered where all its sentences are supported, not found where none is.

    The check by the model decides, and without one the words.
    """
    each = {outcome_of_citation(one) or UNSURE for one in sentences}
    return NOT_FOUND if each <= {NOT_FOUND} else ANSWERED if each == {ANSWERED} else UNSURE


def checked(
    setting: Setting,
    reasoner: Reasoner,
    question: str,
    text: str,
    written: Sequence[tuple[e.Citation, Sequence[Source]]],
) -> tuple[list[e.Citation], str | None]:
    """Have the sentences of a model's answer checked, each given with the texts that it cites; say whether they were.

    The answer of a search or an agent within a run is not checked: that of the run is.
    """
    citations = [one for one, _ in written]
    cited = [n for n, (one, sources) in enumerate(written) if sources and one.cites]
    if not setting.check or setting.parent or not cited or not isinstance(reasoner, PromptedReasoner):
        return citations, None
    compared = all(written[n][0].lexical_support != "not compared" for n in cited)
    each = min(_NEAR if compared else _LONGEST, _SHOWN // sum(len(written[n][1]) for n in cited))
    found = reasoner.check(question, [_row(*written[n], text, each) for n in cited])
    for number, verdict in found.verdicts.items():
        citations[cited[number]] = replace(citations[cited[number]], checked=verdict)
    return citations, "done" if found.wrong is None else f"not done: {found.wrong}"


def _row(citation: e.Citation, sources: Sequence[Source], text: str, most: int) -> tuple[str, list[str]]:
    sentence = text[citation.start or 0 : citation.end or 0]
    return sentence, [*dict.fromkeys(beside(sentence, source, most) for source in sources)]


def without_model(setting: Setting, question: str, kept: Sequence[Kept]) -> Iterator[AnswerPart]:
    """Yield what stands below an answer that rests on nothing: what is said without a model, if that is anything."""
    rules = by_rules(setting)
    parts = list(rules.synthesise(question, rules.concepts(question), kept)) if kept else []
    said = [part for part in parts if isinstance(part, Sentence)]
    declines = not said or any(isinstance(part, Verdict) and part.reason != "done" for part in parts)
    yield Piece(f"\n\n{RESTS_ON_NOTHING}" + ("" if declines else " Your documents say:"))
    yield from () if declines else said


def by_rules(setting: Setting) -> ExtractiveReasoner:
    """Return the reasoner that answers without a model."""
    from functools import cache

    from explorer.engines.chunks import Chunks
    from explorer.models.embedding import Remembered
    from explorer.reasoning.extractive.reasoner import ExtractiveReasoner

    embedder = setting.embedder if isinstance(setting.embedder, Remembered) else Remembered(setting.embedder)
    stores = setting.stores
    given = {"scope": setting.scope} if setting.scope else {}
    return ExtractiveReasoner(embedder, cache(stores.library.rarity), chunks=Chunks(stores, embedder), **given)
