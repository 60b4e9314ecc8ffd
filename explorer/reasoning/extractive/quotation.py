"""Quotation: answers made of the sentences that answer best, in their context, each cited; or what comes nearest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from explorer.events import Support
from explorer.language import questions as q
from explorer.language.sentences import TIME_COLUMN, is_row, labelled
from explorer.reasoning.extractive.carrying import asked_in
from explorer.reasoning.extractive.choosing import Choosing, Part
from explorer.reasoning.extractive.lines import context, is_heading, list_below
from explorer.reasoning.extractive.matching import Line
from explorer.reasoning.extractive.sources import Source, in_order, is_item, overlap, read_sources, span, with_items
from explorer.reasoning.extractive.statements import (
    RULE,
    Stated,
    are_statements,
    is_value,
    numbers,
    otherwise,
    says_only_class,
    stated,
    unanswered,
)
from explorer.reasoning.extractive.support import (
    NONE,
    STRONG,
    UNCLEAR,
    Lacking,
    joined,
    not_covered,
    outright,
    stronger,
    weaker,
)
from explorer.reasoning.extractive.wording import (
    DECLINED,
    NEAREST,
    WITHDRAWN,
    as_quoted,
    below,
    dated,
    nearest,
    nearest_line,
    not_found,
    opening_of,
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
from explorer.text import one_line, truncate

if TYPE_CHECKING:
    from explorer.language.questions import Question


@dataclass(slots=True)
class Quotation(Choosing):
    """Answers in sentences of the sources."""

    def synthesise(self, question: str, concepts: Sequence[str], kept: Sequence[Kept]) -> Iterator[Sentence | Verdict]:
        """Answer with the statements of stores and files that answer outright, or else with sentences."""
        del concepts
        told = self._stated(question, kept)
        if told is not None:
            yield from told
            return
        sources = read_sources(kept, self.chunks)
        found = self.parts(question, sources)
        if are_statements(kept):  # each says one thing, and none says what is asked
            if len(found) == 1 and found[0].put is None and (near := self._otherwise(found[0].question, kept)):
                yield from near
                return
            found = [part if part.put is not None else _doubtful(part) for part in found]
        yield from self._in_sentences(found, sources)

    def _in_sentences(self, found: Sequence[Part], sources: Sequence[Source]) -> Iterator[Sentence | Verdict]:
        """Quote for each part of the question the sentences that answer it, and name the parts that are not answered.

        Where the support is weak, what is nearest is quoted and called that; where there is none, nothing is quoted.
        """
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
        scored = [item for item in scored if not says_only_class(item.edge)] or scored
        # of Choosing itself: a class with slots is made anew, so that super() without arguments would not find it
        kept = Choosing.select(self, question, scored, limit, reached)
        if answering := _answering(question, scored)[:limit]:
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
        """Return the answer that statements of a store or file give, each quoted and cited; None where none does."""
        places = [number for number, item in enumerate(kept) if not isinstance(item, ScoredPassage)]
        edges = [item.edge for item in kept if not isinstance(item, ScoredPassage)]
        asked = asked_in(question) if any(edge.is_statement for edge in edges) else []
        found = [one for part in asked if (one := stated(part, edges)) is not None]
        if not asked or len(found) < len(asked):
            return self._unstated(asked[0], kept) if len(asked) == 1 else None
        said = list[Sentence]()
        for one in found:
            said += self._telling(one, edges, places)
        nothing = Support(0.0, NONE)
        given = stronger(nothing) if any(one.doubt for one in found) else outright(nothing)
        return [*said, Verdict("done", (), given, RULE)]

    def _telling(self, one: Stated, edges: Sequence[Edge], places: Sequence[int]) -> Iterator[Sentence]:
        """Yield what statements say, each quoted and cited by its place in what was kept."""
        yield from (Sentence(text) for text in (one.doubt and f"This is not sure: {one.doubt}.", one.lead) if text)
        for number in one.facts:
            text, place = self._quote(edges[number])
            yield Sentence(text, tuple(places[at] for at in (number, *one.beside.get(number, ()))), place)
        if one.more:
            yield Sentence(f"({one.more:,} more are stored, beyond what is kept or told.)")

    def _otherwise(self, asked: Question, kept: Sequence[Kept]) -> list[Sentence | Verdict]:
        """Return what statements say of a thing where none says what is asked; nothing where they say nothing near."""
        places = [number for number, item in enumerate(kept) if not isinstance(item, ScoredPassage)]
        edges = [item.edge for item in kept if not isinstance(item, ScoredPassage)]
        if (found := otherwise(asked, edges)) is None:
            return []
        given = weaker(outright(Support(0.0, NONE)), Lacking("asked-for kind", found.lead))
        return [*self._telling(found, edges, places), Verdict("done", (), given, RULE)]

    def _unstated(self, asked: Question, kept: Sequence[Kept]) -> list[Sentence | Verdict] | None:
        """Return that no statement of a thing has the time, number or place that is asked for; None where that is not
        so, or something else than statements was found.
        """
        edges = {number: item.edge for number, item in enumerate(kept) if not isinstance(item, ScoredPassage)}
        name = unanswered(asked, kept) if is_value(asked) else None
        if name is None:
            return None
        said = [Sentence(f"{DECLINED} Nothing that was found says this of “{name}”.")]
        near = next(number for number, edge in edges.items() if edge.is_statement and edge.subject == name)
        text, place = self._quote(edges[near])
        said.append(Sentence(f"What comes nearest: “{truncate(text, NEAREST)}”", (near,), place))
        return [*said, Verdict("declined", (), Support(0.0, NONE))]

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
        if part.put is not None and part.put.differ and (when := dated(passage)):
            said = f"{said} ({when})"
        return Sentence(said, source.cites(sentence), (start, end))


def _answering(question: str, scored: Sequence[ScoredEdge]) -> list[ScoredEdge]:
    """Return the statements that answer a question, all parts of it; none where they do not."""
    edges = [item.edge for item in scored]
    asked = asked_in(question) if any(edge.is_statement for edge in edges) else []
    found = [one for part in asked if (one := stated(part, edges)) is not None]
    if not found and len(asked) == 1 and all(edge.is_statement for edge in edges):
        found = [one for one in [otherwise(asked[0], edges)] if one is not None]
    used = dict.fromkeys(number for one in found for number in numbers(one))
    return [scored[number] for number in used] if len(found) == len(asked) else []


def _doubtful(part: Part) -> Part:
    """Return a part that is related at most."""
    lacking = Lacking("similarity", UNCLEAR)
    if part.support.level != STRONG:
        return part
    return replace(part, support=weaker(part.support, lacking), lacking=part.lacking or lacking)
