"""Which sentences answer each part of a question, by fitted weights, and how well they do.

A part of few words is about what the first is about. A sentence is no answer where a person took back the fact that it
says about a question.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from explorer.events import Support
from explorer.language import questions as q
from explorer.language.question_parts import parts as question_parts
from explorer.language.sentences import is_row
from explorer.language.words import content_stems, is_content, stem, tokens
from explorer.reasoning.corrected_facts import is_misread
from explorer.reasoning.extractive import sentence_ranking
from explorer.reasoning.extractive.fit import Scoring
from explorer.reasoning.extractive.lines import is_read, with_lists
from explorer.reasoning.extractive.matching import Line, match
from explorer.reasoning.extractive.sentence_ranking import NEVER, Features, features
from explorer.reasoning.extractive.sources import Source
from explorer.reasoning.extractive.support import (
    NONE,
    STRONG,
    at_most_strong,
    at_most_weak,
    is_stated,
    stronger,
    support,
)
from explorer.reasoning.extractive.tables import is_blank, may_tell, reckoned

if TYPE_CHECKING:
    from explorer.language.questions import Question
    from explorer.reasoning.protocol import ReadPassage
    from explorer.stores.fact_sources import Correction

_FEW = 3  # content words of a part with fewer of which those of the first count too
_MOST_PARTS = 7
_OF_VALUES = frozenset({q.TIME, q.NUMBER, q.PLACE})
_COVERED = 0.55  # cosine of word vectors from which a word of the question is covered by another


def asked_in(question: str) -> list[Question]:
    """Return what a question asks, part by part; one of few words is about the noun phrases of the first too."""
    goals = [step for part in question_parts(question) for step in part]
    first, *others = [q.read(goal) for goal in dict.fromkeys(goals[:_MOST_PARTS])]
    about = " ".join(first.phrases)
    few = [sum(map(is_content, tokens(part.text))) < _FEW for part in others]
    return [first, *(replace(part, context=about) if is_few else part
                     for part, is_few in zip(others, few, strict=True))]  # fmt: skip


def withdrawn(asked: Question, passage: ReadPassage, number: int) -> Correction | None:
    """Return the correction by which a sentence does not answer a question; None where it may.

    All that the sentence has of the question is in the fact that was taken back; and no other time, number or place
    stands in it, where one is asked for. What was put right is read by itself. A fact that was misread is no reason.
    """
    sentence = passage.sentences[number]
    asks = content_stems(f"{asked.text} {asked.context}")
    for one in passage.corrected:
        if not (one.start < sentence.end and sentence.start < one.end) or is_misread(one):
            continue
        fact, shared = content_stems(one.fact), asks & content_stems(sentence.text)
        values = [content_stems(entity.text) for entity in sentence.entities if entity.kind in asked.entities]
        stands = asked.kind in _OF_VALUES and any(value and not value <= fact | asks for value in values)
        if shared and shared <= fact and not stands:
            return one
    return None


def is_mostly_about(asked: Question, passage: ReadPassage, number: int) -> bool:
    """Return whether a sentence has half of a question's content words or more."""
    asks = content_stems(asked.text)
    return 2 * len(asks & content_stems(passage.sentences[number].text)) >= len(asks)


@dataclass(slots=True)
class Part:
    """One part of a question: what answers it, how well, and by which rule it was come to, if by one.

    `gone`: what was corrected of sentences that may not answer it, by hand; `withdrawn`: of those of them that would
    have been quoted, in sentences. `missing`: words of the
    question that are not found there. `lead`: what a table comes to, said before its rows. `order`: all lines that may
    answer it, best first.
    """

    question: Question
    found: Features | None
    support: Support
    lines: list[Line] = field(default_factory=list)
    missing: tuple[str, ...] = ()
    withdrawn: tuple[str, ...] = ()
    rule: str = ""
    lead: str = ""
    order: tuple[Line, ...] = ()
    gone: Mapping[Line, Correction] = field(default_factory=dict)

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
            self._answered[key] = [self._part(part, sources) for part in asked_in(question)]
        return self._answered[key]

    def _part(self, asked: Question, sources: Sequence[Source]) -> Part:
        """Return what answers a question, without the sentences that are not to be quoted."""
        sources = [replace(one, passage=with_lists(asked, one.passage)) for one in sources]
        gone = {Line(p, n): one for p, source in enumerate(sources) if source.passage.corrected
                for n in range(len(source.passage.sentences))
                if (one := withdrawn(asked, source.passage, n)) is not None}  # fmt: skip
        part = self._of_table(asked, sources, frozenset(gone))
        if part.lines and is_blank(asked, sources[part.lines[0].passage].passage, part.lines[0].number):
            # a row with nothing in the column that is asked for: no other row will answer
            part = replace(part, support=support(None), lines=part.lines[:1], missing=(), rule="", lead="")
        quoted = self._of_table(asked, sources, frozenset()).lines if gone else ()  # if nothing had been corrected
        said = [gone[line].said for line in quoted
                if line in gone and is_mostly_about(asked, sources[line.passage].passage, line.number)]  # fmt: skip
        part = replace(part, gone=gone)
        if not said:
            return part
        is_other = part.support.level != NONE and not part.support.sure  # what is left may name another one
        given = at_most_weak(part.support) if is_other else part.support
        return replace(part, support=given, withdrawn=tuple(dict.fromkeys(said)))

    def _of_table(self, asked: Question, sources: Sequence[Source], but: frozenset[Line]) -> Part:
        """Return what sentences say, or what a table comes to."""
        part = self._of_sentences(asked, sources, but)
        table = reckoned(asked, [one.passage for one in sources], self.embedder)
        if table is None or not but.isdisjoint(table.lines):
            return part
        is_said = (
            part.support.level == STRONG
            and part.found is not None
            and not (is_row(text := part.found.match.text(part.lines[0])) or table.stands_below(text))
        )
        if is_said and not table.text:
            return part
        lines, given = [*table.lines], stronger(part.support)
        return replace(part, support=given, lines=lines, missing=(), rule=table.rule, lead=table.text)

    def _of_sentences(self, asked: Question, sources: Sequence[Source], but: frozenset[Line]) -> Part:
        import numpy as np

        passages = [one.passage for one in sources]
        matched = match(asked, passages, self.embedder, self.rarity)
        lines = matched.lines if matched is not None else ()
        may_answer = [one not in but and is_read(passages[one.passage], one.number)
                      and may_tell(asked, passages[one.passage], one.number, self.embedder)
                      for one in lines]  # fmt: skip
        if matched is None or not any(may_answer):
            return Part(asked, None, support(None), [], asked.names)
        found = features(matched, sum(bool(one.by_hand) for one in sources))
        scores = np.where(may_answer, sentence_ranking.scores(found), NEVER).astype(np.float32)
        places = sentence_ranking.quoted(matched, scores)
        given = support(found, places[0])
        chosen = [lines[place] for place in (places[:1] if given.level == NONE else places)]
        said = ((passages[one.passage], passages[one.passage].sentences[one.number]) for one in chosen)
        is_open = any(one.start < sentence.end and sentence.start < one.end
                      for passage, sentence in said for one in passage.corrected if not is_misread(one))  # fmt: skip
        if given.sure and (is_open or not is_stated(asked, found, chosen)):
            given = at_most_strong(given)
        order = tuple(lines[place] for place in np.argsort(-scores, kind="stable") if may_answer[place])
        return Part(asked, found, given, chosen, _missing(asked, found, given, chosen), order=order)


def _missing(asked: Question, found: Features, given: Support, lines: Sequence[Line]) -> tuple[str, ...]:
    """Return the words of a question that nothing in the passages quoted from means; of an answer names alone."""
    match = found.match
    evidence = match.coverage(sorted({line.passage for line in lines} | {0}))
    missing = [word for word, covered in zip(match.words, evidence, strict=True) if covered < _COVERED]
    if given.level == STRONG:  # other words may be said in other ways
        named = {stem(word) for name in (*asked.names, *asked.numbers) for word in tokens(name)}
        missing = [word for word in missing if stem(word) in named]
    return tuple(missing)
