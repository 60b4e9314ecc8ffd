"""What passes between a search and its reasoner: facts, passages, scores, reasons and an answer.

Values name the rule where no model chose.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pyoxigraph import Triple

from explorer.events import Passage, Support, Usage
from explorer.text import without_markup

if TYPE_CHECKING:
    from explorer.stores.fact_sources import Correction
    from explorer.stores.sentences import StoredSentence


IMPORT = "import"
"""The agent of the record that reads statements, of which `Passage.extracted_by` tells."""
_COMPARED = 100  # code points of a value


@dataclass(frozen=True, slots=True)
class Edge:
    """A fact in question: its terms, as read by a person, and the passages it comes from.

    `by_hand`: that a person has put it down, in words; else nothing.
    """

    triple: Triple
    subject: str
    predicate: str
    object: str
    passages: tuple[Passage, ...]
    by_hand: str = ""

    @property
    def text(self) -> str:
        """The fact."""
        return f"{self.subject} {self.predicate} {self.object}"

    @property
    def is_statement(self) -> bool:
        """Whether it was read as a statement of a file or store: its passage is its own words, and nothing else."""
        return any(one.extracted_by == IMPORT and _states(one.text, self) for one in self.passages[:1])

    @property
    def with_sentence(self) -> str:
        """The fact with its source sentence, as it is embedded."""
        return fact_with_sentence(
            self.subject, self.predicate, self.object, self.passages[0].text if self.passages else ""
        )


def _states(text: str, edge: Edge) -> bool:
    """Return whether a text begins with the subject of a fact, and has its value behind that."""
    said, subject, value = (" ".join(one.split()).lower() for one in (text, edge.subject, edge.object))
    return said.startswith(subject) and value[:_COMPARED].rstrip(".") in said[len(subject) :]


def passage_with_title(title: str, text: str, headings: Sequence[str] = ()) -> str:
    """Return a passage below its document's title and headings, as it is embedded: its subject may be named there."""
    return "\n".join((title, *headings, text))


def fact_with_sentence(subject: str, predicate: str, obj: str, sentence: str) -> str:
    """Return a fact together with its source sentence, as it is embedded; without a source the fact alone."""
    return f"{subject} {predicate} {obj}. {' '.join(sentence.split())}".rstrip()


@dataclass(frozen=True, slots=True)
class ScoredEdge:
    """An edge with how well it fits (0 to 1), the concept it fits best, and the parts that the score is the sum of.

    `by` names what scored it where that was not the reasoner itself.
    """

    edge: Edge
    score: float
    concept: str | None
    parts: Mapping[str, float] = field(default_factory=dict, kw_only=True, compare=False)
    by: str | None = field(default=None, kw_only=True)


@dataclass(frozen=True, slots=True)
class SelectedEdge(ScoredEdge):
    """A scored edge that was selected, with the reason."""

    reasoning: str


@dataclass(frozen=True, slots=True)
class ReadPassage:
    """A whole chunk with its document's title and date, and its sentences in order.

    `headings`: of each sentence the headings above it in its document, but for the title, outermost first, where known.
    `after`: what the document says next, some of it; `start`: where it begins in its document; where known. `columns`:
    the heads of the table in whose midst it begins. `captions`: of each sentence what the table is that it is a row of,
    or that it tells of. `corrected`: what was taken back of the facts in it, by hand.
    """

    chunk: str
    title: str
    text: str
    sentences: Sequence[StoredSentence]
    document: str = ""
    date: str | None = None
    headings: Sequence[tuple[str, ...]] = ()
    after: str = ""
    start: int | None = None
    columns: tuple[str, ...] = ()
    captions: Sequence[str] = ()
    corrected: tuple[Correction, ...] = ()

    def above(self, number: int) -> tuple[str, ...]:
        """Return the headings above a sentence."""
        return self.headings[number] if number < len(self.headings) else ()

    def over(self, number: int) -> tuple[str, ...]:
        """Return the headings above a sentence, and what the table is that it is a row of."""
        caption = self.captions[number] if number < len(self.captions) else ""
        path = self.above(number)
        if not caption or caption in path or " ".join(without_markup(self.sentences[number].text).split()) in caption:
            return path
        return (*path, caption)

    @property
    def with_title(self) -> str:
        """The chunk below its title and what stands above it, as it is embedded."""
        return passage_with_title(self.title, self.text, self.over(0))


@dataclass(frozen=True, slots=True)
class ScoredPassage:
    """A whole passage that was found, with how well it fits (0 to 1); None: as it was found, not scored.

    `parts`: what the score is the sum of, by name. `by` names what scored it where that was not the reasoner itself.
    """

    passage: Passage
    score: float | None = None
    parts: Mapping[str, float] = field(default_factory=dict, kw_only=True, compare=False)
    by: str | None = field(default=None, kw_only=True)


Reached = Mapping[Passage, float]
"""Whole passages that a search through the graph came to, nearest first, and how near, as a share of the nearest.

0: it is no choice by itself, as only a fact of it was looked at or it has no sentence; a line of it may be quoted.
"""


@dataclass(frozen=True, slots=True)
class ShownSentence:
    """A sentence of a passage: its span there in code points, its text, and the facts taken from it."""

    start: int
    end: int
    text: str
    edges: tuple[Edge, ...] = ()


@dataclass(frozen=True, slots=True)
class ShownPassage:
    """A whole passage as a model is shown it, with the date of its document."""

    passage: Passage
    date: str | None
    sentences: tuple[ShownSentence, ...]


@dataclass(frozen=True, slots=True)
class Picked:
    """A sentence that was selected, or one fact of it, by the numbers of passage and sentence (from 0); and why."""

    passage: int
    sentence: int
    edge: Edge | None
    reasoning: str


@dataclass(frozen=True, slots=True)
class Picks:
    """What was selected, and the rule by which the nearest stand in its place where nothing was.

    `search`: words that the question lacks and its answer may be written with, for a second search.
    """

    found: tuple[Picked, ...] = ()
    rule: str | None = None
    search: tuple[str, ...] = ()


Kept = SelectedEdge | ScoredPassage
"""What an answer is made from: a fact with the reason for it, or a whole passage."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of an answer and the numbers of the selections (from 0) it rests on; none: it rests on nothing.

    `source`: where the sentence that it quotes begins and ends in the chunk of the first of them, in code points.
    `outcome`: how the part of the question came out that it is about, where its parts did so differently.
    """

    text: str
    cites: tuple[int, ...] = ()
    source: tuple[int, int] | None = None
    outcome: str | None = None


@dataclass(frozen=True, slots=True)
class Piece:
    """Some text of an answer as it comes from a model, with its own white space."""

    text: str


@dataclass(frozen=True, slots=True)
class Cited:
    """A span of the pieces so far, in code points of the answer, and the numbers of selections it rests on.

    `source`: where the words that it quotes begin and end in the chunk of the first of them; `further`: a number, a
    start and an end for each other one. `through`: in the place of a passage the facts that were kept of all sentences
    which it cites. `outcome`: as of a sentence.
    """

    start: int
    end: int
    cites: tuple[int, ...]
    source: tuple[int, int] | None = None
    further: tuple[tuple[int, int, int], ...] = ()
    through: tuple[tuple[int, tuple[int, ...]], ...] = ()
    outcome: str | None = None

    @property
    def behind(self) -> tuple[int, ...]:
        """The numbers that stand on record."""
        instead = dict(self.through)
        return tuple(dict.fromkeys(n for number in self.cites for n in instead.get(number, (number,))))

    @property
    def places(self) -> dict[int, tuple[int, int]]:
        """Where the words that it quotes stand in the chunk of each, by number."""
        first = {self.cites[0]: self.source} if self.cites and self.source else {}
        return first | {number: (start, end) for number, start, end in self.further}


@dataclass(frozen=True, slots=True)
class Verdict:
    """How an answer came out: "done" or "declined", and the words of the question that its evidence does not cover.

    `support`: how well its evidence bears it, None where that was not judged. `rule`: by which rule it was put, where
    one did.
    """

    reason: str
    missing: tuple[str, ...] = ()
    support: Support | None = None
    rule: str | None = None


@dataclass(frozen=True, slots=True)
class ModelCall:
    """A call to a model: its prompt, its reply, the tokens and model as reported, and the error that it ended with."""

    prompt: str
    reply: str
    usage: Usage
    error: str | None = None


AnswerPart = Sentence | Piece | Cited | Verdict
"""A part of an answer as it comes; the numbers it cites count selections or results, from 0."""


@dataclass(frozen=True, slots=True)
class Checked:
    """What came of a check: by the number of a sentence "supported", "partly" or "not"; and why it was not done."""

    verdicts: Mapping[int, str]
    wrong: str | None = None
