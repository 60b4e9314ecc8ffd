"""Quotation: answers made of the sentences that answer best, in their context, each cited; or what comes nearest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from explorer.events import Support
from explorer.language import questions as q
from explorer.language.sentences import TIME_COLUMN, is_row, list_end
from explorer.reasoning.extractive.choosing import Choosing, Part
from explorer.reasoning.extractive.matching import Line
from explorer.reasoning.extractive.sources import Source, is_item, overlap, read_sources, with_items
from explorer.reasoning.extractive.support import (
    NONE,
    STRONG,
    joined,
    not_covered,
)
from explorer.reasoning.extractive.wording import as_quoted, dated, opening_of, read_row, refusal, resolved
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
            yield Sentence(refusal(found, sources, self.rarity))
            yield Verdict("declined", missing, whole)
            return
        for word, read_as in {word: other for part in found for word, other in part.spelt.items()}.items():
            yield Sentence(f"“{word}” is read as “{read_as}”.")
        said: set[tuple[int, int]] = set()
        for part in found:
            lines = [line for line in part.lines if (line.passage, line.number) not in said]
            said |= {one for line in lines for one in with_items(line, sources)}
            lines = [line for line in lines if not any(is_item(line, other, sources) for other in lines)]
            if part.put is not None:
                yield Sentence(part.put.text)
            if (part.put is None or not part.put.settles) and (opening := opening_of(part, alone=len(found) == 1)):
                yield Sentence(opening)
            for line in lines if part.support.level != NONE else ():
                yield self._quoted(part, line, sources)
        if whole.level == STRONG:
            yield from map(Sentence, not_covered(missing))
        rules = dict.fromkeys(part.put.rule for part in found if part.put is not None)
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

    def _quoted(self, part: Part, line: Line, sources: Sequence[Source]) -> Sentence:
        """Return a line as a sentence of the answer; a time before it only where a time is asked for."""
        source = sources[line.passage]
        sentence = source.passage.sentences[line.number]
        text, start = resolved(source.passage, line.number), sentence.start
        if is_row(text):
            text = read_row(source.passage, line.number)
        elif column := TIME_COLUMN.match(text):
            text = text[column.end() :]
            if part.question.kind == q.TIME or column["time"] in part.question.text:
                text = f"[{column['time']}] {text}"
            else:
                start += column.end()
        chunk, end = source.passage.text, list_end(source.passage.text, sentence.start, sentence.end)
        text += chunk[sentence.end : end]
        whole = end > sentence.end or chunk[end:].lstrip(" ").startswith("\n")
        said = text if is_row(sentence.text) else as_quoted(text, whole=whole)
        if part.put is not None and part.put.differ and (when := dated(source.passage)):
            said = f"{said} ({when})"
        return Sentence(said, source.cites(sentence), (start, end))
