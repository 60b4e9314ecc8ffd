"""Which sentences answer each part of a question, by fitted weights, and how well they do.

A part takes over from those before it what these are about, and whom they found. A sentence is no answer where a person
took back the fact that it says about a question.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from explorer.events import Support
from explorer.language import questions as q
from explorer.language.named_entities import MEASURED
from explorer.language.parts import parts as question_parts
from explorer.language.sentences import is_row
from explorer.language.words import content_stems, is_content, stem, tokens
from explorer.reasoning.extractive import ranking
from explorer.reasoning.extractive.lines import PRONOUN, is_read, with_lists
from explorer.reasoning.extractive.matching import Line, match
from explorer.reasoning.extractive.ranking import NEVER, Features, features
from explorer.reasoning.extractive.scoring import Scoring
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
    from explorer.stores.corrected import Correction
    from explorer.stores.sentences import StoredEntity

_FEW = 3  # content words of a part with fewer of which those of the first count too
_ROLE = re.compile(r"who (?:is|was) (?P<role>the [^?(]+)\?", re.IGNORECASE)
_IN_BRACKETS = re.compile(r" \([^()]*\)(?=\W*$)")  # the names of the part before
_ASIDE = re.compile(r"\s*\([^()]*\)$")
_MOST_PARTS = 7
_OF_VALUES = frozenset({q.TIME, q.NUMBER, q.PLACE})
_COVERED = 0.55  # cosine of word vectors from which a word of the question is covered by another
_CARRIED = "with the name found for the part before"


def asked_in(question: str) -> list[Question]:
    """Return what a question asks, part by part, each with what it takes over from those before."""
    goals = [step for part in question_parts(question) for step in part]
    return list(in_context([q.read(goal) for goal in dict.fromkeys(goals[:_MOST_PARTS])]))


def in_context(asked: Sequence[Question]) -> Iterator[Question]:
    """Yield the parts of a question, one of few words with the noun phrases of the first: it is about the same."""
    for part in asked:
        few = part is not asked[0] and sum(map(is_content, tokens(part.text))) < _FEW
        about = " ".join(asked[0].phrases) if few else ""
        yield replace(part, context=about) if about and not part.context else part


def with_name(asked: Question, before: Question, name: str) -> Question | None:
    """Return a part with the name that the part before found in place of a pronoun, or of the role asked for.

    "Which batch was dumped, and how many litres had it?" is about batch 118. None where it does not speak of that.
    """
    role = _ROLE.fullmatch(before.text.strip())
    if before.kind == q.PERSON:
        meant = rf"{re.escape(role['role'])}|he|she|his" if role else "he|she|his"
    elif before.head and before.kind == q.THING:
        meant = rf"it|they|(?:this|that) one|(?:the|this|that) {re.escape(before.head)}(?! that\b)"
    else:
        return None
    text = re.sub(
        rf"(?<!\w)(?:{meant})(?!\w)", lambda found: f"{name}'s" if found[0].lower() == "his" else name,
        asked.text, count=1, flags=re.IGNORECASE,
    )  # fmt: skip
    return None if text == asked.text else q.read(_IN_BRACKETS.sub("", text))


def name_in(asked: Question, passage: ReadPassage, number: int) -> str | None:
    """Return what a line names that a question asks for; None where it names nothing new.

    What its passage is about, if the line says so; else the name of that kind nearest to the words of the question.
    """
    sentence, known = passage.sentences[number], {stem(word) for word in tokens(asked.text)}
    there, title = {stem(word) for word in tokens(sentence.text)}, _ASIDE.sub("", passage.title)
    about = content_stems(title)
    if about and not about <= known and (about <= there or PRONOUN.match(sentence.text)):
        return title
    named = [one for one in sentence.entities if one.kind not in MEASURED and not content_stems(one.text) <= known
             and (not asked.entities or one.kind in asked.entities)]  # fmt: skip
    words = re.finditer(r"[\w-]+", sentence.text)
    places = [match.start() for match in words if stem(match[0]) in known and is_content(match[0])]
    best = min(named, key=lambda one: _apart(one, places), default=None)
    return " ".join(best.text.split()) if best is not None else None


def _apart(name: StoredEntity, places: Iterable[int]) -> int:
    return min((max(place - name.end, name.start - place) for place in places), default=0)


def withdrawn(asked: Question, passage: ReadPassage, number: int) -> Correction | None:
    """Return the retraction by which a sentence does not answer a question; None where it may.

    All that the sentence has of the question is in the fact that was taken back; and no other time, number or place
    stands in it, where one is asked for. What was put right is read by itself.
    """
    sentence = passage.sentences[number]
    asks = content_stems(f"{asked.text} {asked.context}")
    for one in passage.corrected:
        if not (one.start < sentence.end and sentence.start < one.end):
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

    `withdrawn`: what sentences say about it that are not quoted, and was taken back by hand. `missing`: words of the
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
                then = self._carried(part, found[-1:], sources) or [self._part(part, sources)]
                found += [one for one in then if one.question.text not in known]
            self._answered[key] = found
        return self._answered[key]

    def _carried(self, asked: Question, before: Sequence[Part], sources: Sequence[Source]) -> list[Part]:
        """Return what answers a part with the name that the part before found for "who"; none where that is not so."""
        known = next((one for one in before if one.support.level == STRONG and one.lines), None)
        if known is None:
            return []
        line = known.lines[0]
        name = name_in(known.question, sources[line.passage].passage, line.number)
        named = with_name(asked, known.question, name) if name is not None else None
        found = self._part(named, sources) if named is not None else None
        return [replace(found, rule=_CARRIED)] if found is not None and found.support.level == STRONG else []

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
        """Return what answers a question, without some lines: sentences, or what a table comes to.

        Where that is a row with nothing in the column that is asked for, nothing answers it: no other row will.
        """
        part = self._of_table(asked, sources, but)
        if not part.lines or not is_blank(asked, sources[part.lines[0].passage].passage, part.lines[0].number):
            return part
        return replace(part, support=support(None), lines=part.lines[:1], missing=(), rule="", lead="")

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
        """Return the sentences that answer a question, without some lines."""
        import numpy as np

        passages = [one.passage for one in sources]
        matched = match(asked, passages, self.embedder, self.rarity)
        lines = matched.lines if matched is not None else ()
        may_answer = [one not in but and is_read(passages[one.passage], one.number)
                      and may_tell(asked, passages[one.passage], one.number) for one in lines]  # fmt: skip
        if matched is None or not any(may_answer):
            return Part(asked, None, support(None), [], asked.names)
        found = features(matched)
        scores = np.where(may_answer, ranking.scores(found), NEVER).astype(np.float32)
        places = ranking.quoted(matched, scores)
        given = support(found, places[0])
        chosen = [lines[place] for place in (places[:1] if given.level == NONE else places)]
        is_open = any(_is_corrected(passages[one.passage], one.number) for one in chosen)
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


def _is_corrected(passage: ReadPassage, number: int) -> bool:
    """Return whether a fact taken from a sentence was taken back by hand."""
    sentence = passage.sentences[number]
    return any(one.start < sentence.end and sentence.start < one.end for one in passage.corrected)
