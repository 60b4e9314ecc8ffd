"""Reasons for selected passages, each a sentence that a person would say: what of the question is in it."""

from __future__ import annotations

from collections.abc import Mapping

from explorer.events import Passage
from explorer.language.sentences import sentences
from explorer.language.words import content_stems, stem_set
from explorer.reasoning.extractive.scoring import LINKED, MEANT, MEANT_BY_SENTENCE, TITLED
from explorer.reasoning.shared import shared
from explorer.text import truncate

_LONGEST_TITLE, _LONGEST_SENTENCE = 60, 80
_CARRIES = 0.5  # share of a score from which one part is said to carry it
_ALIKE = {
    LINKED: "the graph links it to what you ask about",
    MEANT: "it is close to your question in meaning",
    MEANT_BY_SENTENCE: "its best sentence is close to your question in meaning",
}


def passage_reason(question: str, passage: Passage, score: float, parts: Mapping[str, float], *, is_best: bool) -> str:
    """Return why a passage was selected whose score is the sum of `parts`; `is_best`: no other has a higher one."""
    there, titled = stem_set(passage.text), stem_set(passage.title)
    words = content_stems(question) & there
    whole = (one.rstrip(".") for one in sentences(passage.text) if len(words) > 1 and words <= stem_set(one))
    where = next((f", all in the sentence “{truncate(one, _LONGEST_SENTENCE)}”" for one in whole), "")
    has = shared("it has", question, there)
    said = [one for one in (has and has + where, shared("its title has", question, titled - there)) if one]
    return _sentence(said, passage.title, score, parts, has_words=bool(said), is_best=is_best)


def _sentence(
    said: list[str], title: str, score: float, parts: Mapping[str, float], *, has_words: bool, is_best: bool
) -> str:
    """Return what is said of the words of a question as one sentence, with what else carries the score."""
    if TITLED in parts:
        said.append(f"your question names its document, “{truncate(title, _LONGEST_TITLE)}”")
    most = max(_ALIKE, key=lambda name: parts.get(name, 0.0))
    if parts.get(most, 0.0) > (_CARRIES * score if said else 0.0):
        said.append(_ALIKE[most])
    reason = "; ".join(said)
    if not has_words:
        reason = f"none of your words are in it{', but ' if said else ''}{reason}"
    return f"Best match: {reason}." if is_best else f"{reason[:1].upper()}{reason[1:]}."
