"""The chunks that what was kept comes from: what is read for an answer, and what each sentence of it rests on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from explorer.events import Passage
from explorer.language.named_entities import named_entities
from explorer.language.pipeline import parsed
from explorer.reasoning.corrected_facts import is_misread
from explorer.reasoning.extractive.fit import read_alone
from explorer.reasoning.extractive.lines import list_below
from explorer.reasoning.extractive.matching import Line
from explorer.reasoning.protocol import Edge, Kept, ReadPassage, ScoredEdge, ScoredPassage
from explorer.stores.sentences import StoredEntity, StoredSentence

PASSAGES = 6  # that are read for an answer, best first; with 8 gold strings were as many, and R@5 on 2Wiki 88 for 89

_BESIDE = 2  # lines: with one between them, they are read in the order of their passage


@dataclass(frozen=True, slots=True)
class Source:
    """A chunk that is read, and the numbers of the facts that lead to it, with their spans in it, and of itself.

    `firsts` are those of these facts that were first found in this chunk: a citation of them leads here. Where it is no
    chunk, but a fact that a person has put down, or in the place of one in a passage, `by_hand` says so.
    """

    passage: ReadPassage
    kept: list[tuple[int, int, int]]
    whole: list[int]
    firsts: list[tuple[int, int, int]]
    by_hand: str = ""

    def cites(self, sentence: StoredSentence) -> tuple[int, ...]:
        """Return the numbers of what a sentence of it rests on: the facts taken from it, else its passage, else what
        comes from the chunk.

        A fact that was first taken from other words leads to those, which may say a part of the sentence alone: it
        stands behind the passage.
        """
        found = _within(self.firsts, sentence) or [*self.whole, *self.facts_of(sentence)]
        return tuple(dict.fromkeys(found or [number for number, _, _ in self.kept[:1]]))

    def facts_of(self, sentence: StoredSentence) -> list[int]:
        """Return the numbers of the facts that were taken from a sentence of it."""
        return _within(self.kept, sentence)


def _within(spans: Iterable[tuple[int, int, int]], sentence: StoredSentence) -> list[int]:
    return [number for number, start, end in spans if start < sentence.end and sentence.start < end]


def read_sources(
    kept: Sequence[Kept | ScoredEdge], chunks: Callable[[Sequence[str]], Mapping[str, ReadPassage]]
) -> list[Source]:
    """Return the chunks that what was kept comes from, best first, and before them the facts that people put down."""
    places: dict[str, list[tuple[int, Passage]]] = {}
    for number, item in enumerate(kept):
        for passage in [item.passage] if isinstance(item, ScoredPassage) else item.edge.passages:
            places.setdefault(passage.chunk or passage.subgraph, []).append((number, passage))
    first = list(places)[:PASSAGES]
    read = chunks([chunk for chunk in first if places[chunk][0][1].chunk])
    own = [(number, item.edge) for number, item in enumerate(kept)
           if not isinstance(item, ScoredPassage) and item.edge.by_hand]  # fmt: skip
    sources = [_put_down(_terms(edge), edge.by_hand, facts=[number]) for number, edge in own]
    said = {_terms(edge) for _, edge in own}
    for chunk in first:
        itself = [number for number, _ in places[chunk] if isinstance(kept[number], ScoredPassage)]
        for one in read[chunk].corrected if itself and chunk in read else ():
            if is_misread(one):
                continue
            new = [terms for terms in one.instead if terms not in said]
            said.update(new)
            sources += [_put_down(terms, one.said.rstrip("."), whole=itself) for terms in new]
    for chunk in first:
        passages = places[chunk]
        whole = read.get(chunk) or read_alone(passages[0][1])
        of_facts = [one for one in passages if not isinstance(kept[one[0]], ScoredPassage)]
        spans = [(number, *span(whole, passage)) for number, passage in of_facts]
        itself = [number for number, _ in passages if isinstance(kept[number], ScoredPassage)]
        firsts = [
            one for one, (number, passage) in zip(spans, of_facts, strict=True) if _is_first(kept[number], passage)
        ]
        sources.append(Source(whole, spans, itself, firsts))
    return sources


def _put_down(
    terms: tuple[str, str, str], by_hand: str, *, facts: Sequence[int] = (), whole: Sequence[int] = ()
) -> Source:
    """Read a fact that a person has put down as a sentence, which rests on it or on the passages that it puts right."""
    text = _sentence(*terms)
    entities = tuple(StoredEntity(*one) for one in next(iter(named_entities([text]))))
    passage = ReadPassage("", "", text, [StoredSentence(0, len(text), text, entities)])
    spans = [(number, 0, len(text)) for number in facts]
    return Source(passage, spans, [*whole], spans, by_hand)


def _terms(edge: Edge) -> tuple[str, str, str]:
    return edge.subject, edge.predicate, edge.object


def _sentence(subject: str, predicate: str, thing: str) -> str:
    """Return the words of a fact as a sentence: "Kim telephone number 77" as "The telephone number of Kim is 77."."""
    words = f"{subject} {predicate} {thing}"
    is_said = any(token.pos_ in {"VERB", "AUX"} for token in parsed(words))
    text = words if is_said else f"The {predicate} of {subject} is {thing}"
    return f"{text[0].upper()}{text[1:]}{'' if text.endswith(('.', '!', '?')) else '.'}"


def _is_first(item: Kept | ScoredEdge, passage: Passage) -> bool:
    return not isinstance(item, ScoredPassage) and item.edge.passages[0] == passage


def with_items(line: Line, sources: Sequence[Source]) -> Iterator[tuple[int, int]]:
    """Yield the numbers of a line and of the items of the list that it leads in."""
    passage = sources[line.passage].passage
    sentence = passage.sentences[line.number]
    found = list_below(passage, line.number)
    end = found.end if found else sentence.end
    for number in range(line.number, len(passage.sentences)):
        if number == line.number or passage.sentences[number].end <= end:
            yield line.passage, number


def is_item(line: Line, other: Line, sources: Sequence[Source]) -> bool:
    """Return whether a line is an item of the list that another one leads in, and is quoted with."""
    return line != other and (line.passage, line.number) in with_items(other, sources)


def in_order(lines: Iterable[Line]) -> list[Line]:
    """Return lines with those that stand side by side in a passage in the order they have there."""
    groups: list[list[Line]] = []
    for line in lines:
        near = [(line.passage, line.number + apart) for apart in range(-_BESIDE, _BESIDE + 1)]
        beside = (group for group in groups if any((one.passage, one.number) in near for one in group))
        if (found := next(beside, None)) is not None:
            found.append(line)
        else:
            groups.append([line])
    return [line for group in groups for line in sorted(group, key=lambda one: one.number)]


def span(whole: ReadPassage, passage: Passage) -> tuple[int, int]:
    """Return where a passage stands in its chunk; nowhere where the chunk has other words."""
    start = whole.text.find(passage.text, max(0, len(passage.before) - 1)) if passage.text else -1
    start = start if start >= 0 else whole.text.find(passage.text)
    return max(0, start), max(0, start) + len(passage.text) if start >= 0 else 0
