"""The evidence for an answer made of several results: which results it rests on, and which words of which source."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from explorer import entities as e
from explorer.engines.agent.tools import Quotation
from explorer.engines.steps import AnswerText
from explorer.vocab import by_index


@dataclass(frozen=True, slots=True)
class Evidence:
    """A result that can be cited: its node on record, its words, and which of them come from where."""

    node: str
    text: str
    quoted: tuple[Quotation, ...] = ()

    @property
    def spans(self) -> tuple[tuple[int, int], ...]:
        """Which of its words are quotations."""
        return tuple((one.start, one.end) for one in self.quoted)

    def behind(self, words: str) -> tuple[str, ...]:
        """Return the sources of some words: those of that very quotation, else all, else the result itself."""
        start = self.text.find(words.strip())
        if start >= 0:
            end = start + len(words.strip())
            there = [quoted for quoted in self.quoted if quoted.start < end and start < quoted.end]
        else:
            there = list(self.quoted)
        return tuple(dict.fromkeys(key for quoted in there for key in quoted.cites)) or (self.node,)

    def source(self, words: str) -> tuple[int, int] | None:
        """Return where in its chunk the sentence stands that some words quote; None where that is not known."""
        start = self.text.find(words.strip())
        there = (one.source for one in self.quoted if one.start < start + len(words.strip()) and start < one.end)
        return next(there, None) if start >= 0 else None


def located(said: AnswerText, results: Sequence[Evidence]) -> AnswerText:
    """Return an answer whose citations say where the sentences stand that they quote of results."""
    spans = []
    for span in said.spans:
        words = said.text[span.start : span.end]
        found = (results[number].source(words) for number in span.cites if number < len(results))
        spans.append(replace(span, source=span.source or next(filter(None, found), None)))
    return replace(said, spans=tuple(spans))


def cited(said: AnswerText, results: Sequence[Evidence]) -> list[tuple[str, ...]]:
    """Return for each citing span of an answer the IRIs it rests on; its numbers are those of results."""
    return [
        by_index(
            key for number in span.cites if number < len(results)
            for key in results[number].behind(said.text[span.start : span.end])
        )
        for span in said.spans
    ]  # fmt: skip


def quotations(citations: Iterable[e.Citation]) -> tuple[Quotation, ...]:
    """Return what the spans of an answer quote by its record, for an answer that cites it in turn."""
    return tuple(
        Quotation(one.start or 0, one.end or 0, one.cites, _span(one.source_start, one.source_end))
        for one in citations
        if one.cites
    )


def _span(start: int | None, end: int | None) -> tuple[int, int] | None:
    return None if start is None or end is None else (start, end)


def used(said: AnswerText, numbers: Sequence[int] = ()) -> list[int]:
    """Return the numbers of the results that an answer cites, in order, each once."""
    return sorted({*numbers, *(number for span in said.spans for number in span.cites)})
