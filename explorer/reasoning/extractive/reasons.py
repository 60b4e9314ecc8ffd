"""Reasons for selected facts in words: the parts of the score that can be checked, and the source sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from explorer.language.words import asked_kind, is_content, stem, tokens
from explorer.reasoning.extractive.scoring import Scoring
from explorer.reasoning.protocol import ScoredEdge, SelectedEdge
from explorer.text import truncate


@dataclass(slots=True)
class Reasons(Scoring):
    """States the reason for each selected fact."""

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
