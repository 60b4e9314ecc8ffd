"""Reasons for selected facts in words: the parts of the score that can be checked, and the source sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from explorer.language.words import is_content, stem, stem_set, tokens
from explorer.reasoning.extractive.scoring import DIGITS, Scoring
from explorer.reasoning.protocol import ScoredEdge, SelectedEdge
from explorer.text import truncate


@dataclass(slots=True)
class Reasons(Scoring):
    """States the reason for each selected fact."""

    def reason_edges(self, question: str, scored: Sequence[ScoredEdge]) -> list[SelectedEdge]:
        """State by what each edge was matched, and quote its sentence."""
        selected = []
        for item in scored:
            text, passages = item.edge.with_sentence, item.edge.passages
            there = stem_set(text)
            shared = dict.fromkeys(word for word in tokens(question) if is_content(word) and stem(word) in there)
            words = f"Shared words: {', '.join(shared)}." if shared else "No word is shared."
            source = f"Source: “{truncate(passages[0].text, 300)}”" if passages else "No recorded source."
            reason = f"{item.score:.{DIGITS}f} = {summed(item.parts)}. {words} {source}"
            selected.append(SelectedEdge(item.edge, item.score, item.concept, reason, parts=item.parts))
        return selected


def summed(parts: Mapping[str, float]) -> str:
    """Return the parts of a score as a sum in words."""
    terms = [f"{'−' if part < 0 else '+'} {abs(part):.{DIGITS}f} {name}" for name, part in parts.items()]
    return " ".join(terms).removeprefix("+ ") or "0, as nothing fits"
