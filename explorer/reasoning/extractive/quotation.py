"""Quotation: answers made of the sentences that answer best, in their context, each cited; or what comes nearest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from explorer.events import Support
from explorer.language import questions as q
from explorer.language.sentences import TIME_COLUMN, is_row, labelled
from explorer.reasoning.extractive.carrying import asked_in
from explorer.reasoning.extractive.choosing import Choosing, Part
from explorer.reasoning.extractive.lines import context, is_heading, list_below
from explorer.reasoning.extractive.matching import Line
from explorer.reasoning.extractive.sources import Source, in_order, is_item, overlap, read_sources, span, with_items
from explorer.reasoning.extractive.statements import (
    MOST,
    NEAR,
    RULE,
    Said,
    Told,
    are_statements,
    says_only_class,
    told,
)
from explorer.reasoning.extractive.support import NONE, at_most_weak, joined, outright, stronger
from explorer.reasoning.extractive.wording import (
    DECLINED,
    WITHDRAWN,
    as_quoted,
    below,
    nearest,
    nearest_line,
    not_found,
    read_row,
    refusal,
    resolved,
    split_by,
)
from explorer.reasoning.protocol import (
    Edge,
    Kept,
    ReachedPassage,
    ScoredEdge,
    ScoredPassage,
    Sentence,
    Verdict,
)
from explorer.text import one_line


@dataclass(slots=True)
class Quotation(Choosing):
    """Answers in sentences of the sources."""

    def synthesise(self, question: str, concepts: Sequence[str], kept: Sequence[Kept]) -> Iterator[Sentence | Verdict]:
        """Answer with the statements of stores and files that answer outright, or else with sentences."""
        del concepts
        stated = self._stated(question, kept)
        if stated is not None:
            yield from stated
            return
        sources = read_sources(kept, self.chunks)
        found = self.parts(question, sources)
        if are_statements(kept):  # each says one thing, and none says what is asked
            found = [replace(part, support=at_most_weak(part.support)) for part in found]
        yield from self._in_sentences(found, sources)

    def _in_sentences(self, found: Sequence[Part], sources: Sequence[Source]) -> Iterator[Sentence | Verdict]:
        """Quote for each part of the question the sentences that answer it, and name the parts without an answer."""
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
            if part.support.level == NONE:
                yield Sentence(not_found(part))
                continue
            lines = [line for line in part.lines if (line.passage, line.number) not in said]
            said |= {one for line in lines for one in with_items(line, sources)}
            lines = in_order(line for line in lines if not any(is_item(line, other, sources) for other in lines))
            if part.lead:
                yield Sentence(part.lead)
            shown: tuple[str, ...] = ()
            for line in lines:
                above = self._above(part, line, lines, sources)
                yield self._quoted(part, line, sources[line.passage], () if above == shown else above)
                shown = above
            if part.withdrawn and not part.support.sure:
                yield Sentence(f"({' '.join([WITHDRAWN, *part.withdrawn])})")
        rules = [*split_by(found), *filter(None, dict.fromkeys(part.rule for part in found))]
        yield Verdict("done", missing, whole, "; ".join(rules) or None)

    def select(
        self, question: str, scored: Sequence[ScoredEdge], limit: int, reached: Sequence[ReachedPassage] = ()
    ) -> list[ScoredEdge | ScoredPassage]:
        """Return what carries most, and after it what the answer will quote besides: facts of these sentences.

        Where a sentence has no fact its passage is kept.
        """
        scored = [item for item in scored if not says_only_class(item.edge)] or scored
        # of Choosing itself: a class with slots is made anew, so that super() without arguments would not find it
        kept = Choosing.select(self, question, scored, limit, reached)
        if answering := self._answering(question, scored)[:limit]:
            others = [item for item in kept if item not in answering][: limit - len(answering)]
            there = [item for item in kept if item in answering or item in others]
            return [*there, *(item for item in answering if item not in there)]
        sources = read_sources(kept, self.chunks)
        found = self.parts(question, sources)
        if joined(part.support for part in found) is None:
            return kept
        known = {one.passage.chunk for one in sources}
        wholes = {one.passage.chunk: one for one in self.score_reached(question, reached)}
        more: list[ScoredEdge | ScoredPassage] = []
        near = nearest_line(found) if all(part.support.level == NONE for part in found) else None
        lines = [line for part in found if part.support.level != NONE for line in part.lines]
        for line in dict.fromkeys([near] if near is not None else lines):
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

    def _stated(self, question: str, kept: Sequence[Kept]) -> list[Sentence | Verdict] | None:
        """Return what statements of a store or file say, each quoted and cited; None where sentences are to be read.

        Where no predicate is near what comes nearest is quoted, and no answer was found.
        """
        edges = {number: item.edge for number, item in enumerate(kept) if not isinstance(item, ScoredPassage)}
        found = self._told(question, edges)
        near = [one for one in found if one.likeness >= NEAR]
        if not found or (len(near) < len(found) and not are_statements(kept)):
            return None
        said = [sentence for one in found for sentence in self._telling(one, edges, len(kept))]
        given = Support(0.0, NONE)
        if near:
            given = outright(given) if all(_is_whole(one, len(kept)) for one in found) else stronger(given)
            if any(one.is_unsettled or one.likeness < NEAR for one in found):
                given = at_most_weak(given)
        return [*said, Verdict("done" if near else "declined", (), given, RULE if near else None)]

    def _told(self, question: str, edges: Mapping[int, Edge]) -> list[Told]:
        """Return what statements tell of each part of a question; nothing where they don't of one."""
        facts = {n: Said.of(edge) for n, edge in edges.items() if edge.is_statement and not says_only_class(edge)}
        asked = asked_in(question) if facts else []
        found = [one for part in asked if (one := told(part, facts, self.embedder)) is not None]
        return found if len(found) == len(asked) else []

    def _telling(self, one: Told, edges: Mapping[int, Edge], kept: int) -> Iterator[Sentence]:
        """Yield statements, each quoted and cited by its place in what was kept."""
        numbers = [*one.naming, *one.facts[:MOST]]
        if one.likeness < NEAR:
            yield Sentence(f"{DECLINED} Nothing that was found says this of “{one.name}”. What comes nearest:")
            numbers = [*one.facts[:1]]
        elif one.is_unsettled:
            yield Sentence(f"What is stated of “{one.name}”:")
        for number in numbers:
            text, place = self._quote(edges[number])
            yield Sentence(text, (number,), place)
        if one.likeness >= NEAR and len(one.facts) == kept > 1:
            yield Sentence("(More may be stored: all that was kept says this.)")

    def _answering(self, question: str, scored: Sequence[ScoredEdge]) -> list[ScoredEdge]:
        """Return the statements of which the answer will be made, if it will be of statements."""
        found = self._told(question, {number: item.edge for number, item in enumerate(scored)})
        if any(one.likeness < NEAR for one in found) and not all(item.edge.is_statement for item in scored):
            return []
        used = dict.fromkeys(number for one in found for number in (*one.naming, *one.facts))
        return [scored[number] for number in used]

    def _quote(self, edge: Edge) -> tuple[str, tuple[int, int] | None]:
        """Return the words of a statement on one line, and where they stand in their chunk, if that is at hand."""
        passage = edge.passages[0]
        whole = self.chunks([passage.chunk]).get(passage.chunk)
        start, end = span(whole, passage) if whole is not None else (0, 0)
        return one_line(passage.text), (start, end) if end else None

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
        return Sentence(said, source.cites(sentence), (start, end))


def _is_whole(one: Told, kept: int) -> bool:
    """Return whether statements are sure, and not all that was kept, of which more may be stored."""
    return one.is_sure and (len(one.facts) == 1 or len(one.facts) < kept)
