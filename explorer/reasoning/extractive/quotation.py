"""Quotation: answers made of the sentences that answer best, each cited and worded by itself; or what comes nearest."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, zip_longest
from typing import TYPE_CHECKING

from explorer.events import NOT_FOUND, Passage, Support
from explorer.language import questions as q
from explorer.language.questions import readable
from explorer.language.sentences import TIME_COLUMN, cells, is_row, labelled
from explorer.language.words import STOP, content_stems, is_content, is_name, stem, stem_set, tokens
from explorer.reasoning.close_facts import MOST as MOST_CLOSE
from explorer.reasoning.close_facts import Fit, told
from explorer.reasoning.extractive import rdf_statements
from explorer.reasoning.extractive.choosing import Choosing, Part, asked_in
from explorer.reasoning.extractive.lines import PRONOUN, context, heads, is_heading, list_below
from explorer.reasoning.extractive.matching import NEAR as NEAR_WORD
from explorer.reasoning.extractive.matching import Line, is_nowhere
from explorer.reasoning.extractive.rdf_statements import (
    MOST,
    NEAR,
    RULE,
    Said,
    Told,
    are_statements,
    says_only_class,
)
from explorer.reasoning.extractive.sources import Source, in_order, is_item, read_sources, span, with_items
from explorer.reasoning.extractive.support import NONE, at_most_weak, joined, listing, outright, stronger
from explorer.reasoning.protocol import Edge, Kept, Reached, ScoredEdge, ScoredPassage, SelectedEdge, Sentence, Verdict
from explorer.text import one_line, truncate, without_markup

if TYPE_CHECKING:
    from explorer.reasoning.protocol import ReadPassage

READ = 10  # passages that are named as read, best first; a quotation comes from the first six
_BACK = 2  # sentences before one in which the person is looked for that "he" stands for
NEAREST = 200
"""Code points of what comes nearest that are quoted."""
_QUOTED = "“{}”"
DECLINED = "I did not find an answer to this {}."
EVERYWHERE = "in your documents"
_NOTHING_NAMED = "The question names nothing to look for."
WITHDRAWN = "A sentence on this is not quoted, since a person corrected a fact that was read from it."
_CARRIED = re.compile(r" \([^()]*\)(?=\?$)")  # what a part takes over from the one before
_EMPTY = frozenset(map(stem, STOP))
_MARKS = re.compile(r"^(?:[*•#>\s]|-(?=\s))+")
_SINGLE = str.maketrans("“”\n", "‘’ ")  # inside of what is quoted
_HEADING = re.compile(r"^[ \t]*#{1,6}[ \t]+|[ \t]+#+[ \t]*$", re.MULTILINE)
_ITEM = re.compile(r"^[ \t]*[-*+•‣◦–][ \t]+(?:\[[ xX]\][ \t]+)?", re.MULTILINE)
_NUMBERED_ITEM = re.compile(r"^\d{1,2}[.)] (?=[A-Z])")


@dataclass(slots=True)
class Quotation(Choosing):
    """Answers in sentences of the sources.

    It remembers for a question what it has kept, and the answer that rests on it. `scope` says what is searched.
    """

    scope: str = field(default=EVERYWHERE, kw_only=True)

    _ready: dict[str, tuple[Sequence[Kept], Sequence[Sentence | Verdict]]] = field(
        default_factory=dict, init=False, repr=False)  # fmt: skip
    _read: dict[str, tuple[Sequence[Part], Sequence[Source]]] = field(default_factory=dict, init=False, repr=False)

    def synthesise(self, question: str, concepts: Sequence[str], kept: Sequence[Kept]) -> Iterator[Sentence | Verdict]:
        """Answer with what was chosen for what is kept, or else with the best of it."""
        del concepts
        known, said = self._ready.get(question, ((), ()))
        yield from said if said and [*known] == [*kept] else self._composed(question, kept, len(kept))

    def quote(
        self, question: str, concepts: Sequence[str], edges: Sequence[Edge], reached: Reached, limit: int
    ) -> tuple[Sequence[Kept], Sequence[Passage], Mapping[Edge, str]]:
        """Choose what to quote; keep what that rests on, at most `limit`, and the facts close to it; say why not more.

        Where nothing is quoted the nearest passage is kept, so that one sees what was read.
        """
        ranked = self.score_reached(question, reached)
        pool: list[ScoredEdge | ScoredPassage] = [*ranked, *(ScoredEdge(edge, 0.0, None) for edge in edges)]
        composed = [*self._composed(question, pool, limit)]
        said = [self._resting(question, part, pool) for part in composed]
        places = _cited(said, limit)
        is_found = all(part.reason == "done" for part in said if isinstance(part, Verdict))
        first = "Its sentence is quoted" if is_found else "Its sentence comes nearest"
        kept = [one if isinstance(one, ScoredPassage)
                else _selected(one.edge, concepts, told(question, one.edge, f"{first}."))
                for one in (pool[number] for number in places)]  # fmt: skip
        chosen = [one.edge for one in kept if isinstance(one, SelectedEdge)]
        quoted = {passage.subgraph for edge in chosen for passage in edge.passages}  # which the answer says already
        others = [edge for edge in edges if quoted.isdisjoint(passage.subgraph for passage in edge.passages)]
        fit, most = Fit(question, self.coverage(question)), min(MOST_CLOSE, limit - len(kept))
        near = fit.close(others, [edge.triple for edge in chosen], most)
        came = dict(zip(edges, self._unquoted(question, edges, len(ranked)), strict=True))
        kept += [_selected(edge, concepts, f"{why}{came[edge]}") for edge, why in near.items()]
        held = {edge.triple for edge in (*chosen, *near)}
        left = [edge for edge in edges if edge.triple not in held]
        whole = {n for part, own in zip(composed, said, strict=True) if not isinstance(own, Verdict)
                 for n in getattr(part, "cites", ()) if not places.keys().isdisjoint(own.cites)}  # fmt: skip
        there = quoted | {place.subgraph for n in whole if isinstance(one := pool[n], ScoredEdge)
                          for place in one.edge.passages}  # fmt: skip
        unfit = fit.left(left)
        why = {edge: f"{unfit[edge]}{came[edge]}" if there.isdisjoint(passage.subgraph for passage in edge.passages)
               else "Its sentence is quoted already." for edge in left}  # fmt: skip
        kept = kept or [*ranked[:1]]
        self._ready[question] = kept, [*_renumbered(said, places)]
        return kept, [one.passage for one in ranked[:READ]], why

    def _unquoted(self, question: str, edges: Sequence[Edge], first: int) -> Iterator[str]:
        """Yield for each fact, `first` is the number of the first, why its sentence was not quoted."""
        found, sources = self._read.get(question, ((), ()))
        gone = {number: one.said for part in found for line, one in part.gone.items()
                for number in sources[line.passage].facts_of(
                    sources[line.passage].passage.sentences[line.number])}  # fmt: skip
        compared = {number for part in found for line in part.order
                    for number in sources[line.passage].facts_of(
                        sources[line.passage].passage.sentences[line.number])}  # fmt: skip
        read = {one.passage.chunk for one in sources}
        for number, edge in enumerate(edges, first):
            if number in gone:
                yield f" Not quoted, since another fact of its sentence was corrected. {gone[number]}"
            elif number in compared:
                yield " Not quoted: other sentences answer better."
            else:
                is_read = not read or not read.isdisjoint(one.chunk for one in edge.passages)
                yield " Not quoted." if is_read else " Not quoted: its passage fits less well than others."

    def _resting(
        self, question: str, part: Sentence | Verdict, pool: Sequence[ScoredEdge | ScoredPassage]
    ) -> Sentence | Verdict:
        """Rest a sentence on those of its facts that tell of what is asked, else on its passage; a statement on it."""
        edges = {n: one.edge for n in getattr(part, "cites", ()) if isinstance(one := pool[n], ScoredEdge)}
        if isinstance(part, Verdict) or not edges or any(one.by_hand or one.is_statement for one in edges.values()):
            return part
        told_of = Fit(question, self.coverage(question)).telling([*edges.values()])
        cites = [n for n in part.cites if n not in edges or edges[n] in told_of]
        chunk = edges[next(iter(edges))].passages[0].chunk
        whole = (n for n, one in enumerate(pool) if isinstance(one, ScoredPassage) and one.passage.chunk == chunk)
        return replace(part, cites=tuple(cites or [*islice(whole, 1)] or part.cites))

    def _composed(self, question: str, kept: Sequence[Kept | ScoredEdge], limit: int) -> Iterator[Sentence | Verdict]:
        """Answer with the statements of stores and files that answer outright, or else with sentences."""
        stated = self._stated(question, kept, limit)
        if stated is not None:
            yield from stated
            return
        sources = read_sources(kept, self.chunks)
        found = self.parts(question, sources)
        self._read[question] = found, sources
        if are_statements(kept):  # each says one thing, and none says what is asked
            found = [replace(part, support=at_most_weak(part.support)) for part in found]
        yield from self._in_sentences(question, found, sources)

    def _in_sentences(
        self, question: str, found: Sequence[Part], sources: Sequence[Source]
    ) -> Iterator[Sentence | Verdict]:
        """Quote for each part of the question the sentences that answer it, and name the parts without an answer."""
        whole = joined(part.support for part in found) or Support(0.0, NONE)
        missing = tuple(dict.fromkeys(word for part in found for word in part.missing))
        if whole.level == NONE:
            yield Sentence(refusal(found, self.rarity, self.scope))
            if (near := nearest(found, sources)) is not None:
                yield near
            yield Verdict("declined", missing, whole)
            return
        for word, read_as in {word: other for part in found for word, other in part.spelt.items()}.items():
            yield Sentence(f"“{word}” is read as “{read_as}”.")
        said: set[tuple[int, int]] = set()
        differ = len({part.support.outcome for part in found}) > 1
        for part in found:
            if part.support.level == NONE:
                yield Sentence(not_found(part, self.scope), outcome=NOT_FOUND)
                continue
            lines = [line for line in part.lines if (line.passage, line.number) not in said]
            said |= {one for line in lines for one in with_items(line, sources)}
            lines = in_order(line for line in lines if not any(is_item(line, other, sources) for other in lines))
            if part.lead:
                yield Sentence(part.lead)
            shown: tuple[str, ...] = ()
            for line in lines:
                above = self._above(part, line, lines, sources)
                quoted = self._quoted(part, line, sources[line.passage], () if above == shown else above)
                yield replace(quoted, outcome=part.support.outcome if differ else None)
                shown = above
            if part.withdrawn and not part.support.sure:
                yield Sentence(f"({' '.join([WITHDRAWN, *part.withdrawn])})")
        rules = [*split_by(question, found), *filter(None, dict.fromkeys(part.rule for part in found))]
        yield Verdict("done", missing, whole, "; ".join(rules) or None)

    def _stated(self, question: str, kept: Sequence[Kept | ScoredEdge], limit: int) -> list[Sentence | Verdict] | None:
        """Return what statements of a store or file say, each quoted and cited; None where sentences are to be read.

        Where no predicate is near what comes nearest is quoted, and no answer was found.
        """
        edges = {number: item.edge for number, item in enumerate(kept) if not isinstance(item, ScoredPassage)}
        found = self._statements(question, edges)
        near = [one for one in found if one.likeness >= NEAR]
        if not found or (len(near) < len(found) and not are_statements(kept)):
            return None
        said = [sentence for one in found for sentence in self._telling(one, edges, limit)]
        given = Support(0.0, NONE)
        if near:
            is_whole = all(one.is_sure and (len(one.facts) == 1 or len(one.facts) < limit) for one in found)
            given = outright(given) if is_whole else stronger(given)  # more than are kept at most may be stored
            if any(one.is_unsettled or one.likeness < NEAR for one in found):
                given = at_most_weak(given)
        return [*said, Verdict("done" if near else "declined", (), given, RULE if near else None)]

    def _statements(self, question: str, edges: Mapping[int, Edge]) -> list[Told]:
        """Return what statements tell of each part of a question; nothing where they don't of one."""
        facts = {n: Said.of(edge) for n, edge in edges.items() if edge.is_statement and not says_only_class(edge)}
        asked = asked_in(question) if facts else []
        found = [one for part in asked if (one := rdf_statements.told(part, facts, self.embedder)) is not None]
        return found if len(found) == len(asked) else []

    def _telling(self, one: Told, edges: Mapping[int, Edge], limit: int) -> Iterator[Sentence]:
        """Yield statements, each quoted and cited by its place in what was kept."""
        numbers = [*one.naming, *one.facts[:MOST]]
        if one.likeness < NEAR:
            none = DECLINED.format(self.scope)
            yield Sentence(f"{none} Nothing that was found says this of “{one.name}”. What comes nearest:")
            numbers = [*one.facts[:1]]
        elif one.is_unsettled:
            yield Sentence(f"What is stated of “{one.name}”:")
        for number in numbers:
            text, place = self._quote(edges[number])
            yield Sentence(text, (number,), place)
        if one.likeness >= NEAR and len(one.facts) >= limit > 1:
            yield Sentence("(More may be stored: all that was kept says this.)")

    def _quote(self, edge: Edge) -> tuple[str, tuple[int, int] | None]:
        """Return the words of a statement on one line, and where they stand in their chunk, if that is at hand."""
        passage = edge.passages[0]
        whole = self.chunks([passage.chunk]).get(passage.chunk)
        start, end = span(whole, passage) if whole is not None else (0, 0)
        return one_line(passage.text), (start, end) if end else None

    def _above(self, part: Part, line: Line, lines: Sequence[Line], sources: Sequence[Source]) -> tuple[str, ...]:
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


def _cited(said: Iterable[Sentence | Verdict], limit: int) -> dict[int, int]:
    """Return the places of the numbers that an answer cites, at most `limit`: the first of each sentence first."""
    turns = zip_longest(*(part.cites for part in said if isinstance(part, Sentence)))
    cited = dict.fromkeys(number for turn in turns for number in turn if number is not None)
    return {number: place for place, number in enumerate(islice(cited, limit))}


def _renumbered(said: Iterable[Sentence | Verdict], places: Mapping[int, int]) -> Iterator[Sentence | Verdict]:
    """Yield an answer that cites places, without the sentences of which no source has one."""
    for part in said:
        if isinstance(part, Verdict) or not part.cites:
            yield part
        elif cites := tuple(places[number] for number in part.cites if number in places):
            yield replace(part, cites=cites)


def _selected(edge: Edge, concepts: Iterable[str], why: str) -> SelectedEdge:
    """Return a fact that is kept, for the first of the concepts that it or its source has a word of."""
    there = stem_set(edge.with_sentence)
    return SelectedEdge(edge, 0.0, next((one for one in concepts if content_stems(one) & there), None), why)


def resolved(passage: ReadPassage, number: int) -> str:
    """Return a sentence that begins with "he" or "she" with the one person in brackets whom those before it name."""
    text = passage.sentences[number].text
    opening = PRONOUN.match(text)
    if opening is None or opening["pronoun"].lower() not in {"he", "she", "his", "her"}:
        return text
    for before in reversed(passage.sentences[max(0, number - _BACK) : number]):
        if people := [one.text for one in before.entities if one.kind == "person"]:
            at, last = opening.end("pronoun"), {stem(tokens(name)[-1]) for name in people if tokens(name)}
            return f"{text[:at]} [{max(people, key=len)}]{text[at:]}" if len(last) == 1 else text
    return text


def refusal(found: Sequence[Part], rarity: Callable[[str], float], scope: str) -> str:
    """Return that no answer was found, and which words the documents, or the nearest of them, do not have."""
    none = DECLINED.format(scope)
    gone = dict.fromkeys(said for part in found for said in part.withdrawn)
    missing = dict.fromkeys(word for part in found for word in part.missing if _tells(part, word))
    nowhere = [word for word in missing if is_nowhere(word, rarity)]
    elsewhere = [word for word in missing if word not in nowhere]
    if not any(is_content(word) for part in found for word in tokens(part.question.text)):
        return f"{none} {_NOTHING_NAMED}"
    who = "They" if scope == EVERYWHERE else "Your documents"
    about = f" {who} do not mention {listing(nowhere, 'or', _QUOTED)}." if nowhere else ""
    if not all(map(is_name, nowhere)):
        about += " They may say it in other words."
    if elsewhere and any(part.lines for part in found):
        about += f" The passages nearest to the question do not mention {listing(elsewhere, 'or', _QUOTED)}."
    return " ".join([f"{none}{about}", *([WITHDRAWN, *gone] if gone else [])])


def nearest(found: Sequence[Part], sources: Sequence[Source]) -> Sentence | None:
    """Return the sentence that comes nearest to a question without an answer, with where it stands.

    None where `nearest_line` has none. Where nothing that was kept leads to that sentence, one to which it does is
    quoted in its place.
    """
    line = nearest_line(found)
    if line is None:
        return None
    source = sources[line.passage]
    sentence = source.passage.sentences[line.number]
    if not (source.whole or source.facts_of(sentence)):
        led = (one for one in source.passage.sentences if source.facts_of(one))
        sentence = next(led, sentence)
    number = list(source.passage.sentences).index(sentence)
    text = read_row(source.passage, number) if is_row(sentence.text) else as_quoted(sentence.text)
    said = f"What comes nearest: “{truncate(text, NEAREST)}”"
    return Sentence(said, source.cites(sentence), (sentence.start, sentence.end))


def nearest_line(found: Sequence[Part]) -> Line | None:
    """Return the line that comes nearest to a question without an answer; None where that has no word of it, nor one
    that means nearly the same.
    """
    return next((part.lines[0] for part in found if part.lines and _is_near(part, part.lines[0])), None)


def _is_near(part: Part, line: Line) -> bool:
    """Return whether a line has a word of a question that tells what that is about, or one that is near it."""
    if part.found is None:
        return False
    match = part.found.match
    there = match.found[match.lines.index(line)].tolist()
    return any(most >= NEAR_WORD and _tells(part, word) for word, most in zip(match.words, there, strict=True))


def _tells(part: Part, word: str) -> bool:
    """Return whether a missing word says what a question is about: a name, a number, a noun or a verb of content."""
    if stem(word) in _EMPTY or not any(map(str.isalnum, word)):
        return False
    of = dict(part.question.classes).get(stem(word), "noun")
    return of in {"noun", "verb"} or is_name(word)


def not_found(part: Part, scope: str) -> str:
    """Return that a part of a question was not found, and where it was looked for if not everywhere."""
    asked = bare(part.question.text).rstrip(" ?")
    first = asked.split(maxsplit=1)[0] if asked else ""
    asked = asked if first.isupper() and len(first) > 1 else f"{asked[:1].lower()}{asked[1:]}"
    return f"{'Your documents do not say' if scope == EVERYWHERE else f'Not found {scope}'}: {asked}?"


def bare(question: str) -> str:
    """Return a part of a question in its own words, shortened."""
    return truncate(_CARRIED.sub("", question), 120)


def split_by(question: str, found: Sequence[Part]) -> list[str]:
    """Return the rule by which a question was answered in parts, or apart from a long text around it."""
    listed = "; ".join(f"“{truncate(part.question.text, 120)}”" for part in found)
    if len(found) > 1:
        return [f"{len(found)} parts, each answered by itself: {listed}"]
    is_apart = any(2 * len(part.question.text) < len(readable(question)) for part in found)
    return [f"only {listed} asks, the text around it does not"] if is_apart else []


def read_row(passage: ReadPassage, number: int) -> str:
    """Return a row of a table with the heads of its columns, where its table has them."""
    row, columns = cells(passage.sentences[number].text), heads(passage, number)
    if columns[: len(row)] == row:
        columns = []
    return "; ".join(
        f"{head}: {cell}" if head else cell for head, cell in zip_longest(columns, row, fillvalue="") if cell
    )


def below(headings: Sequence[str]) -> str:
    """Return where a line is quoted from, to be said before it: the headings above it, the outermost first."""
    return f"Under {', '.join(_QUOTED.format(one.translate(_SINGLE)) for one in headings)}:"


def as_quoted(text: str, *, whole: bool = False, is_list: bool = False) -> str:
    """Return a source sentence on one line, without list marks and markup.

    Where it is only a part of one, dots say so; `whole`: it fills its line, as an item of a list does. `is_list`: its
    items keep their numbers, or have dots for marks.
    """
    text = _HEADING.sub("", text)
    line = " ".join((_ITEM.sub("• ", text) if is_list else text).split())
    line = without_markup(line if is_list else _NUMBERED_ITEM.sub("", _MARKS.sub("", line)))
    begun = f"… {line}" if line[:1].islower() else line
    return begun if whole or line.endswith((".", "!", "?", "”", '"')) else f"{begun} …"
