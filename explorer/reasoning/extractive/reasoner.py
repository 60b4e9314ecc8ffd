"""The reasoner without a model: it compares words and vectors, quotes, and declines when the evidence is not there.

Concepts are the runs between stop words. An edge is scored together with its source sentence. The answer is made of
source sentences, each cited. The same input always has the same output. It never claims to have understood.
"""

from __future__ import annotations

from dataclasses import dataclass

from explorer.language.questions import read
from explorer.language.words import clauses, phrases, stem, tokens
from explorer.reasoning.extractive.agent import Rules
from explorer.reasoning.extractive.quotation import Quotation


@dataclass(slots=True)
class ExtractiveReasoner(Quotation, Rules):
    """Scores and quotes by embedding similarity and shared words, and works as an agent by rules.

    `rarity` returns a word's inverse document frequency. For one run: it remembers the texts that it has compared.
    """

    @property
    def name(self) -> str:
        """The reasoner and its version."""
        return "extractive/1"

    def concepts(self, question: str) -> list[str]:
        """Return the noun phrases and names of the question, and what else it says; without any the whole question."""
        found = [phrase for part in clauses(question) for phrase in read(part).phrases]
        if not found:
            return phrases(question) or [question]
        known = {stem(word) for phrase in found for word in tokens(phrase)}
        said = {key for part in clauses(question) for key, _ in read(part).classes}
        found += [word for word in tokens(question) if stem(word) in said - known]
        return list(dict.fromkeys(found))
