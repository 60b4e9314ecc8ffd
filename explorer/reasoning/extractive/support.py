"""The support for an answer: which words of the question its evidence covers, whether that is enough, and the refusal.

Chosen on the sample's 20 questions (docs/benchmarks.md: answerable, yet declined, 0 of 16; unanswerable, declined,
4 of 4); on MuSiQue's 50 answerable ones graph-rag declines 17, document-rag 10. None was measured by itself.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from itertools import islice

from explorer.language.words import is_content, is_name, stem, tokens
from explorer.reasoning.extractive.scoring import Scoring
from explorer.text import truncate

NEAR_WORD = 0.62  # cosine from which a word of the evidence covers another one of the question
RAREST = 2.5  # an unknown word may be another word for a known thing: it must not outweigh all others
CUT_OFF = 0.47  # the support that an answer takes, 0 to 1
NAMED_CUT_OFF = 0.6  # the same while a name or number of the question is not covered
_LONGEST_WORD = 40
_NAMED = 8  # words that a sentence lists before it only counts them


@dataclass(frozen=True, slots=True)
class Support:
    """How well evidence bears an answer, 0 to 1, and the words of the question that it does not cover."""

    value: float
    missing: tuple[str, ...] = ()

    @property
    def needed(self) -> float:
        """The support that an answer takes: more while a name or number is not covered."""
        return NAMED_CUT_OFF if any(map(is_name, self.missing)) else CUT_OFF

    @property
    def is_enough(self) -> bool:
        """Whether the question is answered; otherwise it is declined."""
        return self.value >= self.needed

    def refusal(self, nearest: str | None) -> str:
        """Return why a question is declined: what was not found, what came nearest, and by how much it fails.

        How well the nearest fits by itself is left out: it is measured in another way, and may be the higher number.
        """
        about = f" Nothing was found about {listing(self.missing)}." if self.missing else ""
        near = f" Nearest was “{nearest}”." if nearest else ""
        return (
            f"Your documents don't answer this.{about}{near} Support for an answer, by all that was kept, is "
            f"{self.value:.2f} of 1; it takes {self.needed:.2f}."
        )


def support(scoring: Scoring, question: str, evidence: str, best: float) -> Support:
    """Return the mean of the best match, 0 to 1, and of the share of the question's words that evidence covers.

    A content word is covered when it stands in the evidence, or something near in meaning does.
    """
    words = {stem(word): word for word in tokens(question) if is_content(word)}
    there = scoring.stems(evidence)
    missing = {key: word for key, word in words.items() if key not in there}
    vocabulary = sorted({token.lower() for token in tokens(evidence) if is_content(token)})
    if missing and vocabulary:
        near = scoring.similarities(vocabulary, list(missing.values())).max(axis=1)
        missing = {key: word for (key, word), score in zip(missing.items(), near, strict=True) if score < NEAR_WORD}
    weights = {word: min(RAREST, weight) for word, weight in scoring.weights(question).items()}
    total = sum(weights.values())
    lost = sum(weight for word, weight in weights.items() if word in missing)
    covered = 1 - lost / total if total else 0.0
    return Support(0.5 * covered + 0.5 * best, tuple(missing.values()))


def not_covered(missing: Collection[str]) -> list[str]:
    """Return the sentence that names the words no evidence covers; none where there is no such word."""
    return [f"Not found in these passages: {listing(missing)}."] if missing else []


def listing(words: Iterable[str]) -> str:
    """Return words separated by commas; of many the first few, and how many more there are."""
    short = [truncate(word, _LONGEST_WORD) for word in words]
    more = f" and {len(short) - _NAMED:,} more words" if len(short) > _NAMED + 1 else ""
    return ", ".join(islice(short, _NAMED if more else None)) + more
