"""What an engine asks of whoever reasons: concepts, scores, reasons, an answer; and what it is told of how."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from pyoxigraph import Triple

from explorer.events import Passage, Usage


@dataclass(frozen=True, slots=True)
class Edge:
    """A fact in question: its terms, as read by a person, the passages it comes from, and the text around the first.

    `reach`: how near the search came to it through the graph, as a share of the nearest (0 to 1). `embedded`: the text
    that its vector was made of, where that is known.
    """

    triple: Triple
    subject: str
    predicate: str
    object: str
    passages: tuple[Passage, ...]
    context: str = ""
    reach: float = 0.0
    embedded: str = ""

    @property
    def text(self) -> str:
        """Say the fact."""
        return f"{self.subject} {self.predicate} {self.object}"

    @property
    def spoken(self) -> str:
        """Say the fact with the sentence it comes from."""
        return spoken(self.subject, self.predicate, self.object, self.passages[0].text if self.passages else "")


def spoken(subject: str, predicate: str, obj: str, sentence: str) -> str:
    """Give a fact together with its source sentence, as it is embedded; without a source the fact alone."""
    return f"{subject} {predicate} {obj}. {' '.join(sentence.split())}".rstrip()


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
class Read:
    """A whole passage that was found, with how well it fits (0 to 1); None: as it was found, nobody scored it."""

    passage: Passage
    score: float | None = None


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of an answer and the numbers of the selections (from 0) it rests on; none: it rests on nothing."""

    text: str
    cites: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Piece:
    """Some text of an answer as it comes from a model, with its own white space."""

    text: str


@dataclass(frozen=True, slots=True)
class Cited:
    """A span of the pieces so far, in code points of the answer, and the numbers of selections it rests on."""

    start: int
    end: int
    cites: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """How an answer came out: "done" or "declined"."""

    reason: str


@dataclass(frozen=True, slots=True)
class Call:
    """A call to a model: what it was given, what it replied, and the tokens and model as reported."""

    prompt: str
    reply: str
    usage: Usage


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
    ) -> Iterator[Sentence | Piece | Cited | Verdict]:
        """Answer from the kept edges only, as sentences or as pieces with what they cite; ends with one Verdict."""

    def score_passages(self, question: str, passages: Sequence[Passage]) -> list[Read]:
        """Say how well each passage fits the question, best first."""

    def answer_from(
        self, question: str, concepts: Sequence[str], kept: Sequence[Read]
    ) -> Iterator[Sentence | Piece | Cited | Verdict]:
        """Answer from these passages only, citing their numbers; otherwise as `synthesise`."""


@runtime_checkable
class Caller(Protocol):
    """A reasoner that calls a model, and tells of it so that it can be recorded."""

    def take_calls(self) -> list[Call]:
        """Give the calls since this was last asked, in the order they were made; failed ones too."""
