"""The evidence for an answer made of several results: which results it rests on, and which words of which source."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from explorer import entities as e
from explorer.engines.agent.tools import Quotation, ToolResult
from explorer.engines.steps import AnswerText


@dataclass(frozen=True, slots=True)
class Evidence:
    """A result that can be cited: its node on record, its words, and which of them come from where.

    `is_source`: its words are a tool's, which can bear out an answer where none of them is quoted; a model's can't.
    """

    node: str
    text: str
    quoted: tuple[Quotation, ...] = ()
    is_source: bool = True

    @classmethod
    def of(cls, node: str, result: ToolResult) -> Evidence:
        """Return what a tool's result is as evidence."""
        return cls(node, result.text, result.quoted, result.above is None and result.calls is None)

    @property
    def spans(self) -> tuple[tuple[int, int], ...]:
        """Which of its words are quotations."""
        return tuple((one.start, one.end) for one in self.quoted)

    def behind(self, words: str) -> dict[str, tuple[int, int] | None]:
        """Return the sources of some words, each with where in its chunk the quoted words stand, if that is told: those
        of that very quotation, else all, else the result itself.
        """
        start = self.text.find(words.strip())
        end = start + len(words.strip())
        there = [one for one in self.quoted if start < 0 or (one.start < end and start < one.end)]
        found: dict[str, tuple[int, int] | None] = {}
        for key, place in ((key, one.places.get(key)) for one in there for key in one.cites):
            before = found.get(key)
            found[key] = (min(before[0], place[0]), max(before[1], place[1])) if before and place else before or place
        return found or {self.node: None}


def quotations(citations: Iterable[e.Citation]) -> tuple[Quotation, ...]:
    """Return what the spans of an answer quote by its record, for an answer that cites it in turn."""
    return tuple(Quotation(one.start or 0, one.end or 0, one.cites, one.places) for one in citations if one.cites)


def used(said: AnswerText, numbers: Sequence[int] = ()) -> list[int]:
    """Return the numbers of the results that an answer cites, in order, each once."""
    return sorted({*numbers, *(number for span in said.spans for number in span.cites)})
