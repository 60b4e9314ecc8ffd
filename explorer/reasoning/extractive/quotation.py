"""Quotation: answers made of the sentences that answer best, in their context, each cited; or what comes nearest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from explorer.events import Support
from explorer.language import questions as q
from explorer.language.sentences import TIME_COLUMN, is_row, labelled
from explorer.reasoning.extractive.choosing import Choosing, Part
from explorer.reasoning.extractive.lines import context, is_heading, list_below
from explorer.reasoning.extractive.matching import Line
from explorer.reasoning.extractive.sources import Source, in_order, is_item, overlap, read_sources, with_items
from explorer.reasoning.extractive.support import (
    NONE,
    STRONG,
    joined,
    not_covered,
)
from explorer.reasoning.extractive.wording import (
    WITHDRAWN,
    as_quoted,
    below,
    dated,
    nearest,
    not_found,
    opening_of,
    read_row,
    refusal,
    resolved,
    split_by,
)
from explorer.reasoning.protocol import (
    Kept,
    ReachedPassage,
    ScoredEdge,
    ScoredPassage,
    Sentence,
    Verdict,
)


@dataclass(slots=True)
class Quotation(Choosing):
    """Answers in sentences of the sources."""

    def synthesise(self, question: str, concepts: Sequence[str], kept: Sequence[Kept]) -> Iterator[Sentence | Verdict]:
        """Quote for each part of the question the sentences that answer it, and name the parts that are not answered.

        Where the support is weak, what is nearest is quoted and called that; where there is none, nothing is quoted.
        """
        del concepts
        sources = read_sources(kept, self.chunks)
        found = self.parts(question, sources)
        whole = joined(part.support for part in found) or Support(0.0, NONE)
        missing = tuple(dict.fromkeys(word for part in found for word in part.missing))
        if whole.level == NONE:
            yield Sentence(refusal(found, self.rarity))
            if (near := nearest(found, sources)) is not None:
                yield near
            yield Verdict("declined", missing, whole)
            return
        for word, read_as in {word: other for part in found for word, other in part.spelt.items()}.items():
            yield Sentence(f"“{word}” is read as “{read_as}”.")
        said: set[tuple[int, int]] = set()
        for part in found:
            lines = [line for line in part.lines if (line.passage, line.number) not in said]
            lines = lines if part.support.level != NONE else []
            said |= {one for line in lines for one in with_items(line, sources)}
            lines = in_order(line for line in lines if not any(is_item(line, other, sources) for other in lines))
            if part.support.level not in {STRONG, NONE} and part.put is None and not lines:
                yield Sentence(not_found(part, beyond=part.lines != []))  # what is nearest was quoted for a part before
                continue
            is_lead_in = part.put is not None and part.put.text.endswith(":") and not lines
            if part.put is not None and part.put.text and not is_lead_in:
                yield Sentence(part.put.text)
            if (part.put is None or not part.put.settles) and (opening := opening_of(part, alone=len(found) == 1)):
                yield Sentence(opening)
            shown: tuple[str, ...] = ()
            for line in lines:
                above = self._above(part, line, lines, sources)
                yield self._quoted(part, line, sources[line.passage], () if above == shown else above)
                shown = above
            if part.withdrawn and not part.support.sure:
                yield Sentence(f"({' '.join([WITHDRAWN, *part.withdrawn])})")
        if whole.level == STRONG:
            yield from map(Sentence, not_covered(missing))
        rules = [*split_by(found), *dict.fromkeys(part.put.rule for part in found if part.put is not None)]
        yield Verdict("done", missing, whole, "; ".join(rules) or None)

    def select(
        self, question: str, scored: Sequence[ScoredEdge], limit: int, reached: Sequence[ReachedPassage] = ()
    ) -> list[ScoredEdge | ScoredPassage]:
        """Return what carries most, and after it what the answer will quote besides: facts of these sentences.

        Where a sentence has no fact its passage is kept.
        """
        # of Choosing itself: a class with slots is made anew, so that super() without arguments would not find it
        kept = Choosing.select(self, question, scored, limit, reached)
        sources = read_sources(kept, self.chunks)
        found = self.parts(question, sources)
        if joined(part.support for part in found) is None:
            return kept
        known = {one.passage.chunk for one in sources}
        wholes = {one.passage.chunk: one for one in self.score_reached(question, reached)}
        more: list[ScoredEdge | ScoredPassage] = []
        for line in dict.fromkeys(line for part in found if part.support.level != NONE for line in part.lines):
            source = sources[line.passage]
            sentence = source.passage.sentences[line.number]
            if source.facts_of(sentence) or source.whole:
                continue
            facts = (
                item
                for item in scored
                if {one.chunk for one in item.edge.passages} <= known
                and any(overlap(source.passage, one, sentence) for one in item.edge.passages)
            )
            item = next(facts, None) or wholes.get(source.passage.chunk)
            if item is not None and item not in more:
                more.append(item)
        return [*kept[: limit - len(more)], *more]

    def _above(self, part: Part, line: Line, lines: Sequence[Line], sources: Sequence[Source]) -> tuple[str, ...]:
        """Return the headings that are shown before a quoted line."""
        passage = sources[line.passage].passage
        said = [sources[one.passage].passage.sentences[one.number].text for one in lines]
        return context(part.question, passage, line.number, said)

    def _quoted(self, part: Part, line: Line, source: Source, above: Sequence[str]) -> Sentence:
        """Return a line as a sentence of the answer; a time before it only where a time is asked for."""
        passage = source.passage
        if source.by_hand:
            return Sentence(f"{passage.text} ({source.by_hand})", source.cites(passage.sentences[0]))
        sentence, items = passage.sentences[line.number], list_below(passage, line.number)
        end = items.end if items else sentence.end
        text, start = resolved(passage, line.number), sentence.start
        if is_heading(passage, line.number):
            text = ""
            start = end - len(passage.text[sentence.end : end].lstrip())
        elif is_row(text):
            text = read_row(passage, line.number)
        elif (column := TIME_COLUMN.match(text)) and not (
            part.question.kind == q.TIME or column["time"] in part.question.text
        ):
            text = text[column.end() :]
            start += column.end()
        text += passage.text[sentence.end : end]
        is_line = labelled(sentence.text) is not None or passage.text[end:].lstrip(" ").startswith("\n")
        whole = end > sentence.end or is_line
        said = text if is_row(sentence.text) else as_quoted(text, whole=whole, is_list=items is not None)
        if items and items.more:
            said = f"{said} (and {items.more:,} more)"
        if above:
            said = f"{below(above)} {said}"
        if part.put is not None and part.put.differ and (when := dated(passage)):
            said = f"{said} ({when})"
        return Sentence(said, source.cites(sentence), (start, end))
