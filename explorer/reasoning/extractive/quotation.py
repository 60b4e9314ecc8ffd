"""Quotation: answers made of the sentences that answer best, in their context, each cited; or what comes nearest."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from explorer.events import Passage, Support
from explorer.language import questions as q
from explorer.language.named_entities import MEASURED
from explorer.language.sentences import is_prose
from explorer.language.words import is_content, stem, tokens
from explorer.reasoning.extractive import ranking
from explorer.reasoning.extractive.comparing import compared
from explorer.reasoning.extractive.features import OF_SENTENCES, Features, Line, features
from explorer.reasoning.extractive.scoring import Scoring, read_alone
from explorer.reasoning.extractive.support import NONE, STRONG, joined, listing, not_covered, support
from explorer.reasoning.protocol import Kept, ReadPassage, ScoredPassage, Sentence, SourceSentence, Verdict
from explorer.reasoning.rules.clauses import parts as question_parts
from explorer.text import truncate

if TYPE_CHECKING:
    from explorer.language.questions import Question
    from explorer.reasoning.extractive.features import Row

PASSAGES = 8  # that are read for an answer, best first
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
_MOST_PARTS = 7
_FEW = 3  # content words of a part with fewer of which those of the first count too
_BACK = 2  # sentences before one in which the person is looked for that "he" stands for
_NEVER = -1e9
_NEAREST = 80  # code points
_LED_IN = r"\W*(?:(?:and|but|then|so)\b,? |\w+(?: \w+){0,2}, )?"
_PRONOUN = re.compile(
    rf"{_LED_IN}(?P<pronoun>he|she|his|her|it|its|they|their|this|these|those|such|both|there)\b", re.IGNORECASE
)
_FOLLOWS = re.compile(
    r"\W*(?:as a |the )?(?:result|consequence|outcome|thus|therefore|consequently|so)\b", re.IGNORECASE
)
_DEFINITE = re.compile(r"\W*(?:the|this|that|these|those) (?P<noun>[a-z][\w-]*)\b(?! of\b)", re.IGNORECASE)
_LACKS = {
    q.CAUSE: "this does not say why",
    q.MANNER: "this does not say how",
    q.TIME: "this names no time",
    q.NUMBER: "this names no number",
    q.PERSON: "this names no one else",
    q.PLACE: "this names no place",
}


@dataclass(frozen=True, slots=True)
class _Source:
    """A chunk that is read, and the numbers of what was kept that leads to it, with their spans in it."""

    passage: ReadPassage
    kept: list[tuple[int, int, int]]

    def cites(self, sentence: SourceSentence) -> tuple[int, ...]:
        """Return the numbers of what a sentence of it rests on: what overlaps it, else what comes from the chunk."""
        over = [number for number, start, end in self.kept if start < sentence.end and sentence.start < end]
        return tuple(dict.fromkeys(over or [self.kept[0][0]]))


@dataclass(slots=True)
class _Part:
    """One part of a question: what of the passages answers it, and how well."""

    question: Question
    found: Features | None
    scores: Row | None
    support: Support
    lines: list[Line] = field(default_factory=list)
    missing: tuple[str, ...] = ()


@dataclass(slots=True)
class Quotation(Scoring):
    """Answers in sentences of the sources."""

    def synthesise(self, question: str, concepts: Sequence[str], kept: Sequence[Kept]) -> Iterator[Sentence | Verdict]:
        """Quote for each part of the question the sentences that answer it, and name the parts that are not answered.

        Where the support is weak, what is nearest is quoted and called that; where there is none, nothing is quoted.
        """
        del concepts
        sources = self._sources(kept)
        goals = [step for part in question_parts(question) for step in part.steps]
        asked = [q.read(goal) for goal in dict.fromkeys(goals[:_MOST_PARTS])]
        found = [self._part(part, sources) for part in _in_context(asked)]
        whole = joined(part.support for part in found) or Support(0.0, NONE)
        missing = tuple(dict.fromkeys(word for part in found for word in part.missing))
        if whole.level == NONE:
            yield Sentence(self._refusal(found, sources))
            yield Verdict("declined", missing, whole)
            return
        said: set[tuple[int, int]] = set()
        rule = None
        for part in found:
            together = compared(part.question, [one.passage for one in sources]) if part.support.level != NONE else None
            if together is not None:
                rule = together.rule
                yield Sentence(together.text)
                part.lines = [*together.lines, *[line for line in part.lines if line not in together.lines]][:SENTENCES]
            lines = [line for line in part.lines if (line.passage, line.number) not in said]
            said |= {(line.passage, line.number) for line in lines}
            if together is None and (opening := _opening(part, alone=len(found) == 1)):
                yield Sentence(opening)
            for line in lines if part.support.level != NONE else ():
                source = sources[line.passage]
                sentence = source.passage.sentences[line.number]
                text = as_quoted(self._resolved(source.passage, line.number, lines))
                yield Sentence(text, source.cites(sentence), (sentence.start, sentence.end))
        if whole.level == STRONG:
            yield from map(Sentence, not_covered(missing))
        yield Verdict("done", missing, whole, rule)

    def _sources(self, kept: Sequence[Kept]) -> list[_Source]:
        """Return the chunks that what was kept comes from, best first."""
        places: dict[str, list[tuple[int, Passage]]] = {}
        for number, item in enumerate(kept):
            for passage in [item.passage] if isinstance(item, ScoredPassage) else item.edge.passages:
                places.setdefault(passage.chunk or passage.subgraph, []).append((number, passage))
        first = list(places)[:PASSAGES]
        read = self.chunks([chunk for chunk in first if places[chunk][0][1].chunk])
        sources = []
        for chunk in first:
            passages = places[chunk]
            whole = read.get(chunk) or read_alone(passages[0][1])
            spans = []
            for number, passage in passages:
                start = whole.text.find(passage.text, max(0, len(passage.before) - 1)) if passage.text else -1
                start = start if start >= 0 else whole.text.find(passage.text)
                spans.append((number, max(0, start), max(0, start) + len(passage.text) if start >= 0 else 0))
            sources.append(_Source(whole, spans))
        return sources

    def _part(self, asked: Question, sources: Sequence[_Source]) -> _Part:
        import numpy as np

        found = features(asked, [one.passage for one in sources], self.embedder, self.rarity)
        if found is None:
            return _Part(asked, None, None, support(None, None), [], asked.names)
        texts = [sources[line.passage].passage.sentences[line.number].text for line in found.lines]
        bars = np.array([0.0 if is_prose(text) and not text.rstrip().endswith("?") else _NEVER for text in texts])
        scores = ranking.scores(found) + bars.astype(np.float32)
        if scores.max() <= _NEVER / 2:
            return _Part(asked, None, None, support(None, None), [], asked.names)
        given = support(found, scores)
        lines = self._chosen(asked, found, scores, sources)
        lines = lines[: SENTENCES if given.level == STRONG else SENTENCES - 1]
        evidence = found.coverage(sorted({line.passage for line in lines} | {0}))
        missing = [word for word, covered in zip(found.words, evidence, strict=True) if covered < _COVERED]
        if given.level == STRONG:  # other words may be said in other ways
            named = {stem(word) for name in (*asked.names, *asked.numbers) for word in tokens(name)}
            missing = [word for word in missing if stem(word) in named]
        return _Part(asked, found, scores, given, lines, tuple(missing))

    def _chosen(self, asked: Question, found: Features, scores: Row, sources: Sequence[_Source]) -> list[Line]:
        """Choose the sentences that answer, the best first, each with what it can't be understood without."""
        import numpy as np

        order = [int(i) for i in np.argsort(-scores, kind="stable") if scores[i] > _NEVER / 2]
        best = order[0]
        lines = found.lines
        picks = [best]
        length = len(found.words)
        if length >= _LONG or (length >= _HOP and found.lacks_name(lines[best].passage)):
            passages = {lines[best].passage}
            for i in order:
                if len(picks) < SENTENCES and lines[i].passage not in passages:
                    picks.append(i)
                    passages.add(lines[i].passage)
        elif len(order) > 1 and scores[best] - scores[order[1]] < _MARGIN:
            meaning = found.sentences[:, OF_SENTENCES.index("meaning")]
            picks += [order[1]] if meaning[order[1]] >= _SHARE * meaning[best] else []
        chosen: list[Line] = []
        for i in picks:
            group = [lines[i]]
            if i > 0 and lines[i - 1].passage == lines[i].passage and self._is_unclear(asked, sources, lines[i]):
                group.insert(0, lines[i - 1])
            if i == best and asked.kind in {q.CAUSE, q.MANNER} and self._goes_on(found, scores, i, sources):
                group.append(lines[i + 1])
            new = [line for line in group if line not in chosen]
            if not chosen or len(chosen) + len(new) <= SENTENCES:
                chosen += new
        return self._distinct(chosen, sources)

    def _goes_on(self, found: Features, scores: Row, i: int, sources: Sequence[_Source]) -> bool:
        """Return whether the sentence after one goes on to explain: it refers back, or the first has no word of why."""
        line, after = found.lines[i], found.lines[i + 1 : i + 2]
        if not after or after[0].passage != line.passage or scores[i + 1] <= _NEVER / 2:
            return False
        text = sources[line.passage].passage.sentences[after[0].number].text
        return not found.sentences[i, OF_SENTENCES.index("cue")] or _PRONOUN.match(text) is not None

    def _distinct(self, lines: Sequence[Line], sources: Sequence[_Source]) -> list[Line]:
        texts = [sources[line.passage].passage.sentences[line.number].text for line in lines]
        return [lines[place] for place in distinct(self, texts, len(texts))]

    def _is_unclear(self, asked: Question, sources: Sequence[_Source], line: Line) -> bool:
        """Return whether a sentence begins with "it" or "the company", and nothing in it says what that is."""
        passage = sources[line.passage].passage
        sentence = passage.sentences[line.number]
        if asked.kind == q.CAUSE and _FOLLOWS.match(sentence.text):
            return True
        opening = _PRONOUN.match(sentence.text)
        if opening:
            return _person(passage, line.number, opening["pronoun"]) is None
        definite = _DEFINITE.match(sentence.text)
        if definite is None:
            return False
        known = {stem(word) for word in tokens(f"{asked.text} {passage.title}")}
        is_named = any(entity.kind not in MEASURED for entity in sentence.entities)
        noun = stem(definite["noun"])
        return noun == stem(asked.head) or (noun not in known and not is_named)

    def _resolved(self, passage: ReadPassage, number: int, quoted: Sequence[Line]) -> str:
        """Return a sentence in which the person that "he" or "she" at its beginning stands for is put in brackets."""
        text = passage.sentences[number].text
        opening = _PRONOUN.match(text)
        name = _person(passage, number, opening["pronoun"]) if opening else None
        del quoted
        if opening is None or name is None:
            return text
        at = opening.end("pronoun")
        return f"{text[:at]} [{name}]{text[at:]}"

    def _refusal(self, found: Sequence[_Part], sources: Sequence[_Source]) -> str:
        """Return that nothing close was found, what nothing was found about, and what came nearest."""
        missing = dict.fromkeys(word for part in found for word in part.missing)
        about = f" Nothing was found about {listing(missing)}." if missing else ""
        nearest = next((part.lines[0] for part in found if part.lines), None)
        if nearest is None:
            return f"Nothing close was found.{about}"
        text = sources[nearest.passage].passage.sentences[nearest.number].text
        return f"Nothing close was found.{about} Nearest was “{truncate(text, _NEAREST)}”."


def _in_context(asked: Sequence[Question]) -> Iterator[Question]:
    """Yield the parts of a question, one of few words with the noun phrases of the first: it is about the same."""
    for part in asked:
        few = part is not asked[0] and sum(map(is_content, tokens(part.text))) < _FEW
        about = " ".join(asked[0].phrases) if few else ""
        yield replace(part, context=about) if about else part


def _person(passage: ReadPassage, number: int, pronoun: str) -> str | None:
    """Return the one person that the sentences before name, where a pronoun stands for a person."""
    if pronoun.lower() not in {"he", "she", "his", "her"}:
        return None
    for before in range(number - 1, max(-1, number - 1 - _BACK), -1):
        people = [entity.text for entity in passage.sentences[before].entities if entity.kind == "person"]
        last = {stem(tokens(name)[-1]) for name in people if tokens(name)}
        if len(last) == 1:
            return max(people, key=len)
        if people:
            return None
    return None


def _opening(part: _Part, *, alone: bool) -> str | None:
    """Return what is said before the quotations of a part that is not answered; None before an answer."""
    asked = part.question
    about = "" if alone else f"“{truncate(asked.text, 120)}”: "
    if part.support.level == NONE:
        return f"Not found: “{truncate(asked.text, 120)}”."
    if part.support.level == STRONG:
        return None
    lacking = "it is not clear that this answers it"
    if part.found is not None and part.scores is not None:
        best = part.found.of_best(part.scores)
        names = [word for name in asked.names for word in tokens(name) if word in part.missing]
        if names:
            lacking = f"nothing was found on “{listing(dict.fromkeys(names))}”"
        elif asked.numbers and not best["numbers"]:
            lacking = f"this does not name {listing(asked.numbers)}"
        elif asked.kind in _LACKS and not (best["kind"] or best["cue"]):
            lacking = _LACKS[asked.kind]
        elif part.missing:
            lacking = f"nothing was found on “{listing(part.missing)}”"
    return f"{about}{'R' if alone else 'r'}elated, but {lacking}:"


def distinct(scoring: Scoring, texts: Sequence[str], limit: int) -> list[int]:
    """Return the places of the first texts that don't repeat one before them, at most `limit`."""
    if not texts:
        return []
    vectors = scoring.embedder.embed(texts)
    places: list[int] = []
    for i in range(len(texts)):
        if len(places) < limit and all(float(vectors[i] @ vectors[j]) < LIKENESS for j in places):
            places.append(i)
    return places


def as_quoted(text: str) -> str:
    """Return a source sentence on one line, without list marks; where it is only a part of one, dots say so."""
    line = " ".join(text.split()).lstrip("-*•#> ").replace("**", "").replace("`", "")
    begun = f"… {line}" if line[:1].islower() else line
    return begun if line.endswith((".", "!", "?", "”", '"')) else f"{begun} …"
