"""What an engine asks of whoever reasons: concepts, scores, reasons, an answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from pyoxigraph import Triple

from explorer.events import Passage


@dataclass(frozen=True, slots=True)
class Edge:
    """A fact in question: its terms, as read by a person, the passages it comes from, and the text around the first."""

    triple: Triple
    subject: str
    predicate: str
    object: str
    passages: tuple[Passage, ...]
    context: str = ""

    @property
    def text(self) -> str:
        """Say the fact."""
        return f"{self.subject} {self.predicate} {self.object}"


@dataclass(frozen=True, slots=True)
class Scored:
    """An edge with how well it fits (0 to 1), and the concept it fits best."""

    edge: Edge
    score: float
    concept: str | None


@dataclass(frozen=True, slots=True)
class Selected:
    """A scored edge that was kept, and why."""

    edge: Edge
    score: float
    concept: str | None
    reasoning: str


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of an answer and the numbers of the selections (from 0) it rests on; none: it rests on nothing."""

    text: str
    cites: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    """How an answer came out: "done" or "declined"."""

    reason: str


class Reasoner(Protocol):
    """Who reasons. `name` says who it was, to stand in the record."""

    @property
    def name(self) -> str:
        """Say who reasons and in which version."""

    def concepts(self, question: str) -> list[str]:
        """Give the ideas to look for, most telling first; at least one."""

    def score_edges(self, question: str, concepts: Sequence[str], edges: Sequence[Edge]) -> list[Scored]:
        """Say how well each edge fits the question, best first."""

    def select(self, question: str, scored: Sequence[Scored], limit: int) -> list[Scored]:
        """Keep the edges that are worth answering from, at most `limit`."""

    def reason_edges(self, question: str, scored: Sequence[Scored]) -> list[Selected]:
        """Say for each kept edge why."""

    def synthesise(
        self, question: str, concepts: Sequence[str], selected: Sequence[Selected]
    ) -> Iterator[Sentence | Verdict]:
        """Answer from the kept edges only, sentence by sentence; ends with one Verdict."""
