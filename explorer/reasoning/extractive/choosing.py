"""Which sentences answer each part of a question, by fitted weights, and how well they do."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from explorer.events import Support
from explorer.language import questions as q
from explorer.language.sentences import is_row
from explorer.language.words import content_stems, stem, tokens
from explorer.reasoning.extractive import ranking
from explorer.reasoning.extractive.antecedents import is_unclear, makes_clear
from explorer.reasoning.extractive.carrying import asked_in, marked_in, person_in, with_name
from explorer.reasoning.extractive.features import Features, features
from explorer.reasoning.extractive.lines import PRONOUN, is_read, with_lists
from explorer.reasoning.extractive.matching import Line, match, numbers
from explorer.reasoning.extractive.scoring import Scoring
from explorer.reasoning.extractive.sources import Source
from explorer.reasoning.extractive.stated import is_stated
from explorer.reasoning.extractive.support import NONE, STRONG, at_most_strong, at_most_weak, stronger, support
from explorer.reasoning.extractive.tables import reckoned
from explorer.reasoning.extractive.withdrawn import is_mostly_about, withdrawn

if TYPE_CHECKING:
    from explorer.language.questions import Question
    from explorer.reasoning.extractive.matching import Row
    from explorer.reasoning.protocol import ReadPassage

SENTENCES = 3  # of an answer to one part of a question, at most
LIKENESS = 0.92  # cosine from which a sentence repeats another; not measured by itself
# Chosen on SQuAD's 1,299 answerable questions (weights fitted on them): gold string in the answer 80.2 % at 31 median
# words; with a margin of 0.9 79.4 % at 30, with 2.0 81.2 % at 35; without the share 80.7 % at 32.
_MARGIN = 1.2  # difference of scores below which the second sentence is quoted too
_SHARE = 0.65  # of what the best sentence covers of the question, which a second one must cover
# Chosen on 47 of HotpotQA's: gold string in 55 % at 61 words; with 9 words 53 %, with 10 51 %.
_LONG = 8  # content words from which a question may take several passages: from each one sentence
_HOP = 5  # content words from which it may, where the best passage lacks a name of it
_COVERED = 0.55  # cosine of word vectors from which a word of the question is covered by another
_NEVER = -1e9
_ANY_NAME = ("organisation", "work", "product", "name", "person", "place", "event", "group")
_NAMING = {q.PERSON: ("person", "name"), q.PLACE: ("place", "name", "organisation")}
_ASIDE = re.compile(r"\s*\([^()]*\)$")
_CARRIED = "with the name found for the part before"
_INSIDE = "the question inside the question first, then the outer one with the name found"


@dataclass(slots=True)
class Part:
    """One part of a question: what answers it, how well, and by which rule it was come to, if by one.

    `withdrawn`: what sentences say about it that are not quoted, and was taken back by hand. `missing`: words of the
    question that are not found there. `lead`: what a table comes to, said before its rows.
    """

    question: Question
    found: Features | None
    support: Support
    lines: list[Line] = field(default_factory=list)
    missing: tuple[str, ...] = ()
    withdrawn: tuple[str, ...] = ()
    rule: str = ""
    lead: str = ""

    @property
    def spelt(self) -> Mapping[str, str]:
        """Words that are read as other ones."""
        return self.found.match.spelt if self.found is not None else {}


@dataclass(slots=True)
class Choosing(Scoring):
    """Scores, and the sentences chosen by them for each part of a question."""

    _answered: dict[tuple[str, ...], list[Part]] = field(default_factory=dict, init=False, repr=False)

    def parts(self, question: str, sources: Sequence[Source]) -> list[Part]:
        """Return what answers each part of a question; remembered, since selecting asks before answering does."""
        key = (question, *(one.passage.chunk or one.passage.text for one in sources))
        if key not in self._answered:
            found: list[Part] = []
            for part in asked_in(question):
                known = {one.question.text for one in found}
                then = self._carried(part, found[-1:], sources) or self._steps(part, sources)
                found += [one for one in then if one.question.text not in known]
            self._answered[key] = found
        return self._answered[key]

    def _carried(self, asked: Question, before: Sequence[Part], sources: Sequence[Source]) -> list[Part]:
        """Return what answers a part with the name that the part before found for "who"; none where that is not so."""
        known = next((one for one in before if one.support.level == STRONG and one.lines), None)
        if known is None:
            return []
        line = known.lines[0]
        naming = person_in if known.question.kind == q.PERSON else marked_in
        name = naming(known.question, sources[line.passage].passage, line.number)
        named = with_name(asked, known.question, name) if name is not None else None
        found = self._part(named, sources) if named is not None else None
        return [replace(found, rule=_CARRIED)] if found is not None and found.support.level == STRONG else []

    def _steps(self, asked: Question, sources: Sequence[Source]) -> list[Part]:
        """Return what answers a question; where another one stands inside it, what answers that first.

        It stands alone where the inner one names nothing, or nothing is found for the outer one with that name.
        """
        whole = self._part(asked, sources)
        inner = None if asked.context else q.inner(asked.text)
        if inner is None or (inner.is_slight and whole.support.level == STRONG):
            return [whole]
        first = self._part(q.read(inner.text), sources)
        name = self._name(inner, first, sources) if first.support.level != NONE else None
        if name is None:
            return [whole]
        then = self._part(q.read(inner.outer(name)), sources)
        keys = content_stems(name)
        quoted = [f"{sources[line.passage].passage.title} {then.found.match.text(line)}"
                  for line in then.lines if then.found and line not in first.lines[:1]]  # fmt: skip
        is_found = then.support.level != NONE and any(keys <= set(map(stem, tokens(text))) for text in quoted)
        if not is_found or (inner.is_slight and then.support.level != STRONG):
            return [whole]
        return [replace(first, lines=first.lines[:1], rule=_INSIDE),
                replace(then, lines=then.lines[: SENTENCES - 1], rule=_INSIDE)]  # fmt: skip

    def _name(self, inner: q.Inner, part: Part, sources: Sequence[Source]) -> str | None:
        """Return the name that the best sentence for an inner question has for what it asks for."""
        line = part.lines[0]
        passage = sources[line.passage].passage
        if part.found is None or not part.found.match.covers(line, inner.noun):
            return None
        sentence = passage.sentences[line.number]
        if not inner.verbs & set(map(stem, tokens(sentence.text))):
            return None
        if inner.is_slight:
            return marked_in(part.question, passage, line.number)
        asked = {stem(word) for word in tokens(part.question.text)}
        title = _ASIDE.sub("", passage.title)
        about = content_stems(title)
        is_there = about <= set(map(stem, tokens(sentence.text))) or PRONOUN.match(sentence.text)
        if about and not about <= asked and is_there:
            longer = [
                entity.text for entity in sentence.entities if about < {stem(word) for word in tokens(entity.text)}
            ]
            return next(iter(longer), title)
        wanted = _NAMING.get(q.kind_of(inner.noun), _ANY_NAME)
        is_person = q.kind_of(inner.noun) == q.PERSON
        named = [entity for entity in sentence.entities
                 if (entity.kind in wanted[:1] or (entity.kind in wanted and (" " in entity.text or not is_person)))
                 and not {stem(word) for word in tokens(entity.text)} <= asked]  # fmt: skip
        noun = stem(inner.noun)
        calls = [
            entity for entity in sentence.entities if noun in set(map(stem, tokens(entity.text)))
        ]  # "Space Center"
        best = min(calls or named, key=lambda entity: (_order(wanted, entity.kind), entity.start), default=None)
        return " ".join(best.text.split()) if best is not None else marked_in(part.question, passage, line.number)

    def _part(self, asked: Question, sources: Sequence[Source]) -> Part:
        """Return what answers a question, without the sentences that are not to be quoted."""
        sources = [replace(one, passage=with_lists(asked, one.passage)) for one in sources]
        gone = {Line(p, n): one for p, source in enumerate(sources) if source.passage.corrected
                for n in range(len(source.passage.sentences))
                if (one := withdrawn(asked, source.passage, n)) is not None}  # fmt: skip
        part = self._part_of(asked, sources, frozenset(gone))
        said = [one.said for line, one in gone.items()
                if is_mostly_about(asked, sources[line.passage].passage, line.number)]  # fmt: skip
        if not said:
            return part
        given = part.support if part.support.sure else at_most_weak(part.support)  # what is left may name another one
        return replace(part, support=given, withdrawn=tuple(dict.fromkeys(said)))

    def _part_of(self, asked: Question, sources: Sequence[Source], but: frozenset[Line]) -> Part:
        """Return what answers a question, without some lines: sentences, or what a table comes to."""
        part = self._of_sentences(asked, sources, but)
        table = reckoned(asked, [one.passage for one in sources], self.embedder)
        if table is None or not but.isdisjoint(table.lines):
            return part
        is_said = part.support.level == STRONG and part.found is not None and not is_row(
            part.found.match.text(part.lines[0]))  # fmt: skip
        if is_said and not table.text:
            return part
        lines, given = [*table.lines], stronger(part.support)
        return replace(part, support=given, lines=lines, missing=(), rule=table.rule, lead=table.text)

    def _of_sentences(self, asked: Question, sources: Sequence[Source], but: frozenset[Line]) -> Part:
        """Return the sentences that answer a question, without some lines."""
        import numpy as np

        passages = [one.passage for one in sources]
        matched = match(asked, passages, self.embedder, self.rarity)
        lines = matched.lines if matched is not None else ()
        may_answer = [one not in but and is_read(asked, passages[one.passage], one.number) for one in lines]
        if matched is None or not any(may_answer):
            return Part(asked, None, support(None, None), [], asked.names)
        found = features(matched)
        scores = np.where(may_answer, ranking.scores(found), _NEVER).astype(np.float32)
        given = support(found, scores)
        chosen = [lines[int(scores.argmax())]] if given.level == NONE else self._chosen(asked, found, scores, sources)
        is_open = any(_is_corrected(passages[one.passage], one.number) for one in chosen)
        if given.sure and (is_open or not is_stated(asked, found, chosen)):
            given = at_most_strong(given)
        return Part(asked, found, given, chosen, _missing(asked, found, given, chosen))

    def _chosen(self, asked: Question, found: Features, scores: Row, sources: Sequence[Source]) -> list[Line]:
        """Choose the sentences that answer, the best first, each with what it can't be understood without."""
        import numpy as np

        order = [int(i) for i in np.argsort(-scores, kind="stable") if scores[i] > _NEVER / 2]
        best, match = order[0], found.match
        lines, picks, length = match.lines, [best], len(match.words)
        if length >= _LONG or (length >= _HOP and match.names_in(match.stems_of_passages[lines[best].passage]) < 1):
            first_of = {lines[i].passage: i for i in reversed(order)}
            picks = sorted(first_of.values(), key=order.index)[:SENTENCES]
        elif len(order) > 1 and scores[best] - scores[order[1]] < _MARGIN:
            meaning = found.named("meaning")
            picks += [order[1]] if meaning[order[1]] >= _SHARE * meaning[best] else []
        chosen: list[Line] = []
        for i in picks:
            group = [lines[i]]
            for at in range(i - 1, max(-1, i - SENTENCES), -1):  # what "it" stands for may stand two sentences before
                here = sources[lines[i].passage].passage
                if lines[at].passage != lines[i].passage or scores[at] <= _NEVER / 2:
                    break
                number = group[0].number
                if not (is_unclear(asked, here, number) and makes_clear(asked, here, lines[at].number, number)):
                    break
                group.insert(0, lines[at])
            new = [line for line in group if line not in chosen]
            if not chosen or len(chosen) + len(new) <= SENTENCES:
                chosen += new
        return self._distinct(chosen, sources)

    def _distinct(self, lines: Sequence[Line], sources: Sequence[Source]) -> list[Line]:
        texts = [sources[line.passage].passage.sentences[line.number].text for line in lines]
        return [lines[place] for place in distinct(self, texts, len(texts))]


def _missing(asked: Question, found: Features, given: Support, lines: Sequence[Line]) -> tuple[str, ...]:
    """Return the words of a question that nothing in the passages quoted from means; of an answer names alone."""
    match = found.match
    evidence = match.coverage(sorted({line.passage for line in lines} | {0}))
    missing = [word for word, covered in zip(match.words, evidence, strict=True) if covered < _COVERED]
    if given.level == STRONG:  # other words may be said in other ways
        named = {stem(word) for name in (*asked.names, *asked.numbers) for word in tokens(name)}
        missing = [word for word in missing if stem(word) in named]
    return tuple(missing)


def _is_corrected(passage: ReadPassage, number: int) -> bool:
    """Return whether a fact taken from a sentence was taken back by hand."""
    sentence = passage.sentences[number]
    return any(one.start < sentence.end and sentence.start < one.end for one in passage.corrected)


def _order(wanted: Sequence[str], kind: str) -> int:
    return wanted.index(kind) if kind in wanted else len(wanted)


def distinct(scoring: Scoring, texts: Sequence[str], limit: int) -> list[int]:
    """Return the places of the first texts that don't repeat one before them, at most `limit`; with another number a
    text says something else.
    """
    if not texts:
        return []
    vectors, numbered = scoring.embedder.embed(texts), [*map(numbers, texts)]
    places: list[int] = []
    for i in range(len(texts)):
        repeats = (float(vectors[i] @ vectors[j]) >= LIKENESS and numbered[i] == numbered[j] for j in places)
        if len(places) < limit and not any(repeats):
            places.append(i)
    return places
