"""Which of the concepts that a model names are some: short, no sentence, and a part of the question."""

from __future__ import annotations

import re
from collections.abc import Sequence

from explorer.language.words import content_words, stem, stems
from explorer.models.embedding import Embedder

_MOST_WORDS = 8
_NEAR = 0.62  # cosine from which a word stands for one of the question, as in reasoning/extractive/support.py
_SENTENCE = re.compile(
    r"[.!?:;][\"'”’)]*$|[:;]\s|\b(?:is|are|was|were|am|has|have|had|does|did|will|would|can|could|should|must|cannot)\b|n['’]t\b",
    re.IGNORECASE,
)


def usable_concepts(named: Sequence[str], question: str, embedder: Embedder) -> list[str]:
    """Return the concepts that are words of the question, or share one with it, or mean nearly the same as one.

    A sentence is none, and neither is what has more than eight words.
    """
    asked, words = _spaced(question), content_words(question)
    kept: list[str] = []
    for concept in dict.fromkeys(named):
        if len(concept.split()) > _MOST_WORDS or _spaced(concept) == asked:
            continue
        if f" {_spaced(concept)} " in f" {asked} " or (
            _SENTENCE.search(concept) is None and _is_about(concept, words, embedder)
        ):
            kept.append(concept)
    return kept


def _is_about(concept: str, words: Sequence[str], embedder: Embedder) -> bool:
    own = content_words(concept)
    if not own or not words:
        return False
    if {*stems(concept)} & {stem(word) for word in words}:
        return True
    near = embedder.embed([word.lower() for word in own]) @ embedder.embed([word.lower() for word in words]).T
    return float(near.max()) >= _NEAR


def _spaced(text: str) -> str:
    """Return the words of a text alone, in lower case, one space between them."""
    return " ".join(re.findall(r"\w+", text.lower()))
