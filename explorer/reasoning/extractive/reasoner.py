"""The reasoner without a model: it compares words and vectors, quotes, and declines when the evidence is not there.

Concepts are the runs between stop words. An edge is scored together with its source sentence. The answer is made of
source sentences, each cited. The same input always has the same output. It never claims to have understood.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from explorer.language.words import asked_kind, is_content, phrases, stem, tokens
from explorer.reasoning.extractive.agent import Rules
from explorer.reasoning.extractive.quotation import Quotation
from explorer.reasoning.protocol import ScoredEdge, SelectedEdge
from explorer.text import truncate


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
        """Return the question's phrases; the whole question when it has none."""
        return phrases(question) or [question]

    def reason_edges(self, question: str, scored: Sequence[ScoredEdge]) -> list[SelectedEdge]:
        """State by what each edge was matched, and quote its sentence."""
        near = self.similarities([question], [item.edge.with_sentence for item in scored])[:, 0]
        wide = self.similarities([question], [item.edge.context for item in scored])[:, 0]
        selected = []
        for item, here, around in zip(scored, near, wide, strict=True):
            text, passages = item.edge.with_sentence, item.edge.passages
            there = self.stems(text)
            shared = dict.fromkeys(word for word in tokens(question) if is_content(word) and stem(word) in there)
            words = f"shares the words {', '.join(shared)}" if shared else "shares no word with it"
            kind = asked_kind(question, text)
            asked = f"; names {kind}, which was asked for" if kind else ""
            source = f"Source: “{truncate(passages[0].text, 300)}”" if passages else "No recorded source."
            reason = (
                f"Nearness through the graph {item.edge.reach:.2f}, similarity to the question {here:.2f}, "
                f"of the text around it {around:.2f}; {words}{asked}. {source}"
            )
            selected.append(SelectedEdge(item.edge, item.score, item.concept, reason))
        return selected
