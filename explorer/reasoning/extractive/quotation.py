"""Quotation: answers made of the sentences that answer best, in their context, each cited; or what comes nearest."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from explorer.events import Passage, Support
from explorer.language import questions as q
from explorer.language.named_entities import MEASURED, named_entities
from explorer.language.sentences import TIME_COLUMN, cells, is_prose, is_row, list_end
from explorer.language.words import is_content, stem, tokens
from explorer.reasoning.extractive import ranking
from explorer.reasoning.extractive.comparing import Put, put_by_rule
from explorer.reasoning.extractive.features import OF_SENTENCES, Features, Line, features, is_nowhere
from explorer.reasoning.extractive.kinds import UNITS, says_what_is
from explorer.reasoning.extractive.scoring import Alone, Scoring, read_alone
from explorer.reasoning.extractive.support import (
    NONE,
    STRONG,
    UNCLEAR,
    Lacking,
    joined,
    lacks,
    listing,
    not_covered,
    support,
    weaker,
)
from explorer.reasoning.extractive.unsaid import unsaid
from explorer.reasoning.protocol import (
    Kept,
    ReachedPassage,
    ReadPassage,
    ScoredEdge,
    ScoredPassage,
    Sentence,
    SourceSentence,
    Verdict,
)
from explorer.reasoning.rules.clauses import parts as question_parts
from explorer.text import truncate, without_markup

if TYPE_CHECKING:
    from explorer.language.questions import Question
    from explorer.reasoning.extractive.features import Row

PASSAGES = 6  # that are read for an answer, best first; with 8 gold strings were as many, and R@5 on 2Wiki 88 for 89
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
_LAST = -1e6  # of the score of a sentence that only says the question again: it is quoted before another one
_NEAREST = 80  # code points
_LED_IN = r"\W*(?:(?:and|but|then|so)\b,? |\w+(?: \w+){0,2}, )?"
_PRONOUN = re.compile(
    rf"{_LED_IN}(?P<pronoun>he|she|his|her|it|its|they|their|this|these|those|such|both|there)\b", re.IGNORECASE
)
_FOLLOWS = re.compile(
    r"\W*(?:as a |the )?(?:result|consequence|outcome|thus|therefore|consequently|so)\b", re.IGNORECASE
)
_DEFINITE = re.compile(r"\W*(?:the|this|that|these|those) (?P<noun>[a-z][\w-]*)\b(?! of\b)", re.IGNORECASE)
_ANY_NAME = ("organisation", "work", "product", "name", "person", "place", "event", "group")
_NAMING = {q.PERSON: ("person", "name"), q.PLACE: ("place", "name", "organisation")}
_ASIDE = re.compile(r"\s*\([^()]*\)$")
_NUMBERED_ITEM = re.compile(r"^\d{1,2}[.)] (?=[A-Z])")
_OTHER = 6.0  # of the score of a sentence on tank 2 where tank 1 is asked about: more than lies between two sentences
_DEFINES = 4.0  # of the score of a sentence that says what an X is where that is asked
_OTHER_FIRST = 2.0  # the same, of one that speaks of tank 2 and then of tank 1
# Of the score of a sentence without the kind of thing asked for, and without a number in the unit asked for. With them
# evidence quoted in the sample, both wordings, 23 for 19 of 81; gold strings HotpotQA 57 for 55 %, SQuAD 80 for 79.
_WITHOUT_KIND, _WITHOUT_UNIT = 3.0, 5.0
# Of the score of a sentence where why is asked and the one before says what is asked about: of the sample's evidence 20
# for 18 of 43 is quoted, with 4.0 as well.
_AFTER_RESTATEMENT = 2.0
_TELLS_MORE = frozenset({q.CAUSE, q.MANNER, q.PERSON, q.NUMBER, q.PLACE})  # asked for: more than the question says
_BY_ENTITY = frozenset({q.PERSON, q.TIME, q.NUMBER, q.PLACE})  # asked for: entities of a kind tell
_WHY = frozenset({q.CAUSE, q.MANNER})  # asked for: what explains goes on over sentences
_READ = 5  # sentences that fit best, of which a rule may make an answer


@dataclass(frozen=True, slots=True)
class _Source:
    """A chunk that is read, and the numbers of the facts that lead to it, with their spans in it, and of itself."""

    passage: ReadPassage
    kept: list[tuple[int, int, int]]
    whole: list[int]

    def cites(self, sentence: SourceSentence) -> tuple[int, ...]:
        """Return the numbers of what a sentence of it rests on: the facts taken from it, else its passage, else what
        comes from the chunk.
        """
        return tuple(dict.fromkeys(self.facts_of(sentence) or self.whole or [number for number, _, _ in self.kept[:1]]))

    def facts_of(self, sentence: SourceSentence) -> list[int]:
        """Return the numbers of the facts that were taken from a sentence of it."""
        return [number for number, start, end in self.kept if start < sentence.end and sentence.start < end]


@dataclass(slots=True)
class _Part:
    """One part of a question: what answers it, how well, what that lacks, and what a rule puts before it."""

    question: Question
    found: Features | None
    support: Support
    lines: list[Line] = field(default_factory=list)
    missing: tuple[str, ...] = ()
    lacking: Lacking | None = None
    put: Put | None = None

    @property
    def spelt(self) -> Mapping[str, str]:
        """Words that are read as other ones."""
        return self.found.spelt if self.found is not None else {}


@dataclass(slots=True)
class Quotation(Scoring):
    """Answers in sentences of the sources."""

    _answered: dict[tuple[str, ...], list[_Part]] = field(default_factory=dict, init=False, repr=False)

    def synthesise(self, question: str, concepts: Sequence[str], kept: Sequence[Kept]) -> Iterator[Sentence | Verdict]:
        """Quote for each part of the question the sentences that answer it, and name the parts that are not answered.

        Where the support is weak, what is nearest is quoted and called that; where there is none, nothing is quoted.
        """
        del concepts
        sources = self._sources(kept)
        found = self._parts(question, sources)
        whole = joined(part.support for part in found) or Support(0.0, NONE)
        missing = tuple(dict.fromkeys(word for part in found for word in part.missing))
        if whole.level == NONE:
            yield Sentence(self._refusal(found, sources))
            yield Verdict("declined", missing, whole)
            return
        for word, read_as in {word: other for part in found for word, other in part.spelt.items()}.items():
            yield Sentence(f"“{word}” is read as “{read_as}”.")
        said: set[tuple[int, int]] = set()
        for part in found:
            lines = [line for line in part.lines if (line.passage, line.number) not in said]
            said |= {one for line in lines for one in _with_items(line, sources)}
            lines = [line for line in lines if not any(_is_item(line, other, sources) for other in lines)]
            if part.put is not None:
                yield Sentence(part.put.text)
            if (part.put is None or not part.put.settles) and (opening := _opening(part, alone=len(found) == 1)):
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
        # of Scoring itself: a class with slots is made anew, so that super() without arguments would not find it
        kept = Scoring.select(self, question, scored, limit, reached)
        sources = self._sources(kept)
        found = self._parts(question, sources)
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
                and any(_overlap(source.passage, one, sentence) for one in item.edge.passages)
            )
            item = next(facts, None) or wholes.get(source.passage.chunk)
            if item is not None and item not in more:
                more.append(item)
        return [*kept[: limit - len(more)], *more]

    def _parts(self, question: str, sources: Sequence[_Source]) -> list[_Part]:
        """Return what answers each part of a question; remembered, since selecting asks before answering does."""
        key = (question, *(one.passage.chunk or one.passage.text for one in sources))
        if key not in self._answered:
            goals = [step for part in question_parts(question) for step in part.steps]
            asked = [q.read(goal) for goal in dict.fromkeys(goals[:_MOST_PARTS])]
            self._answered[key] = [one for part in _in_context(asked) for one in self._steps(part, sources)]
        return self._answered[key]

    def _quoted(self, part: _Part, line: Line, sources: Sequence[_Source]) -> Sentence:
        """Return a line as a sentence of the answer; a time before it only where a time is asked for."""
        source = sources[line.passage]
        sentence = source.passage.sentences[line.number]
        text, start = self._resolved(source.passage, line.number), sentence.start
        if is_row(text):
            text = _read_row(source.passage, line.number)
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
        if part.put is not None and part.put.differ and (dated := _dated(source.passage)):
            said = f"{said} ({dated})"
        return Sentence(said, source.cites(sentence), (start, end))

    def _sources(self, kept: Sequence[Kept | ScoredEdge]) -> list[_Source]:
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
            whole = read.get(chunk) or _read_alone(passages[0][1])
            spans = [(number, *_span(whole, passage)) for number, passage in passages
                     if not isinstance(kept[number], ScoredPassage)]  # fmt: skip
            itself = [number for number, _ in passages if isinstance(kept[number], ScoredPassage)]
            sources.append(_Source(whole, spans, itself))
        return sources

    def _steps(self, asked: Question, sources: Sequence[_Source]) -> list[_Part]:
        """Return what answers a question; where another one stands inside it, what answers that first.

        It stands alone where the inner one names nothing, or nothing is found for the outer one with that name.
        """
        whole = self._part(asked, sources)
        inner = q.inner(asked.text)
        if inner is None or asked.context or (whole.put is not None and whole.put.settles):
            return [whole]
        first = self._part(q.read(inner.text), sources)
        name = self._name(inner, first, sources) if first.support.level != NONE else None
        if name is None:
            return [self._unless_covered(whole)]
        then = self._part(q.read(inner.outer(name)), sources)
        keys = {stem(word) for word in tokens(name) if is_content(word)}
        quoted = [f"{sources[line.passage].passage.title} {then.found.text(line)}"
                  for line in then.lines if then.found and line not in first.lines[:1]]  # fmt: skip
        is_found = then.support.level != NONE and any(keys <= set(map(stem, tokens(text))) for text in quoted)
        if not is_found and first.support.level != STRONG:
            return [self._unless_covered(whole)]
        rule = "the question inside the question first, then the outer one with the name found"
        first.lines, then.lines = first.lines[:1], then.lines[: SENTENCES - 1]
        first.put = Put(f"{inner.text} {name}:", rule)
        if is_found:
            then.put = then.put or Put(then.question.text, rule)
        elif then.support.level == STRONG:
            then.lacking = Lacking("names", f"what is nearest does not name “{name}”")
            then.support = weaker(then.support, then.lacking)
        return [first, then]

    def _unless_covered(self, part: _Part) -> _Part:
        """Return a part as it is where one sentence has all words of both questions, else not strong."""
        if part.found is None or part.support.level != STRONG or part.found.covers(part.lines[0]):
            return part
        lacking = Lacking("similarity", UNCLEAR)
        return replace(part, support=weaker(part.support, lacking), lacking=lacking)

    def _name(self, inner: q.Inner, part: _Part, sources: Sequence[_Source]) -> str | None:
        """Return the name that the best sentence for an inner question has for what it asks for."""
        line = part.lines[0]
        passage = sources[line.passage].passage
        if part.found is None or not part.found.covers(line, inner.noun):
            return None
        sentence = passage.sentences[line.number]
        if not inner.verbs & set(map(stem, tokens(sentence.text))):
            return None
        asked = {stem(word) for word in tokens(part.question.text)}
        title = _ASIDE.sub("", passage.title)
        about = {stem(word) for word in tokens(title) if is_content(word)}
        is_there = about <= set(map(stem, tokens(sentence.text))) or _PRONOUN.match(sentence.text)
        if about and not about <= asked and is_there:
            longer = [
                entity.text for entity in sentence.entities if about < {stem(word) for word in tokens(entity.text)}
            ]
            return next(iter(longer), title)
        wanted = _NAMING.get(q.kind_of(inner.noun), _ANY_NAME)
        wanted = ("organisation", "name") if inner.noun in q.ORGANISATIONS else wanted
        named = [entity for entity in sentence.entities
                 if entity.kind in wanted and not {stem(word) for word in tokens(entity.text)} <= asked]  # fmt: skip
        noun = stem(inner.noun)
        calls = [
            entity for entity in sentence.entities if noun in set(map(stem, tokens(entity.text)))
        ]  # "Space Center"
        best = min(calls or named, key=lambda entity: (_order(wanted, entity.kind), entity.start), default=None)
        return " ".join(best.text.split()) if best is not None else None

    def _part(self, asked: Question, sources: Sequence[_Source]) -> _Part:
        import numpy as np

        passages = [one.passage for one in sources]
        found = features(asked, passages, self.embedder, self.rarity)
        if found is None:
            return _Part(asked, None, support(None, None), [], asked.names)
        texts = [passages[line.passage].sentences[line.number].text for line in found.lines]
        scores = ranking.scores(found) - _OTHER * np.array([bool(found.others(text)) for text in texts], np.float32)
        scores = scores - _OTHER_FIRST * np.array([found.begins_with_other(text) for text in texts], np.float32)
        if asked.kind in _BY_ENTITY:
            has_kind = found.sentences[:, OF_SENTENCES.index("kind")] > 0
            scores = scores - np.where(has_kind, 0.0, _WITHOUT_UNIT if asked.head in UNITS else _WITHOUT_KIND)
        if noun := q.defines(asked):
            scores = scores + _DEFINES * np.array([says_what_is(noun, text) for text in texts], np.float32)
        is_quotable = [is_prose(text) and not text.rstrip().endswith("?") for text in texts]
        rows = [_is_read_row(passages[line.passage], line.number) for line in found.lines]
        is_read = [one or row for one, row in zip(is_quotable, rows, strict=True)]
        is_read = is_read if any(is_read) else [is_row(text) for text in texts]
        if asked.kind in _TELLS_MORE:
            tells = [one and _tells_more(asked, text) for one, text in zip(is_read, texts, strict=True)]
            if asked.kind in _WHY:
                said = [one and _says_it_again(asked, text) for one, text in zip(is_read, texts, strict=True)]
                after = [
                    False,
                    *(
                        one.passage == line.passage and there
                        for one, line, there in zip(found.lines, found.lines[1:], said, strict=False)
                    ),
                ]
                scores = scores + _AFTER_RESTATEMENT * np.array(after, np.float32)
            scores = scores + (np.where(tells, 0.0, _LAST) if any(tells) else 0.0)
        scores = np.where(is_read, scores, _NEVER)
        if scores.max() <= _NEVER / 2:
            return _Part(asked, None, support(None, None), [], asked.names)
        scores = scores.astype(np.float32)
        given = support(found, scores)
        if given.level == NONE:
            return self._judged(asked, found, given, [found.lines[int(scores.argmax())]], None)
        put = put_by_rule(asked, passages, [found.lines[int(i)] for i in np.argsort(-scores, kind="stable")[:_READ]])
        lines = self._chosen(asked, found, scores, sources)
        if put is not None:
            lines = [*put.lines, *(line for line in lines if line not in put.lines and not put.settles)]
        return self._judged(asked, found, given, lines, put)

    def _judged(self, asked: Question, found: Features, given: Support, lines: list[Line], put: Put | None) -> _Part:
        """Return a part with its support: what the quoted sentences lack keeps it from being strong, or sure."""
        lacking = None if put is not None and put.settles else lacks(asked, found, lines)
        is_said = not (put is not None and put.settles) and not is_row(found.text(lines[0]))  # a row has no grammar
        if (lacking is None or not lacking.firm) and given.level == STRONG and is_said:
            lacking = unsaid(asked, found.runs(lines), found.titles(lines)) or lacking
        given = given if lacking is None else weaker(given, lacking)
        is_whole = given.level == STRONG or put is not None or asked.kind in _WHY
        lines = lines[: SENTENCES if is_whole else SENTENCES - 1]
        evidence = found.coverage(sorted({line.passage for line in lines} | {0}))
        missing = [word for word, covered in zip(found.words, evidence, strict=True) if covered < _COVERED]
        if given.level == STRONG:  # other words may be said in other ways
            named = {stem(word) for name in (*asked.names, *asked.numbers) for word in tokens(name)}
            missing = [word for word in missing if stem(word) in named]
        return _Part(asked, found, given, lines, tuple(missing), lacking, put if given.level != NONE else None)

    def _chosen(self, asked: Question, found: Features, scores: Row, sources: Sequence[_Source]) -> list[Line]:
        """Choose the sentences that answer, the best first, each with what it can't be understood without."""
        import numpy as np

        order = [int(i) for i in np.argsort(-scores, kind="stable") if scores[i] > _LAST / 2]
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
            has_before = i > 0 and lines[i - 1].passage == lines[i].passage and scores[i - 1] > _NEVER / 2
            if has_before and (
                _says_it_again(asked, found.text(lines[i - 1])) or self._is_unclear(asked, sources, lines[i])
            ):
                group.insert(0, lines[i - 1])
            if i == best and asked.kind in {*_WHY, q.THING}:
                group += self._going_on(asked, found, scores, i)
            new = [line for line in group if line not in chosen]
            if not chosen or len(chosen) + len(new) <= SENTENCES:
                chosen += new
        return self._distinct(chosen, sources)

    def _going_on(self, asked: Question, found: Features, scores: Row, i: int) -> Iterator[Line]:
        """Yield the sentences after one that go on to explain, at most two.

        Why: the first where the one before has no word of why; any that refers back, or takes up what the one before
        names and the question does not. What: one that refers back.
        """
        known = {stem(word) for word in tokens(asked.text)}
        for at in range(i + 1, min(i + SENTENCES, len(found.lines))):
            before, text = found.text(found.lines[at - 1]), found.text(found.lines[at])
            if found.lines[at].passage != found.lines[i].passage or scores[at] <= _LAST / 2:
                return
            new = _content(before) & _content(text) - known
            is_open = at == i + 1 and not found.sentences[i, OF_SENTENCES.index("cue")]
            if not (_PRONOUN.match(text) or (asked.kind in _WHY and (new or is_open))):
                return
            yield found.lines[at]
            if asked.kind not in _WHY:
                return

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

    def _resolved(self, passage: ReadPassage, number: int) -> str:
        """Return a sentence in which the person that "he" or "she" at its beginning stands for is put in brackets."""
        text = passage.sentences[number].text
        opening = _PRONOUN.match(text)
        name = _person(passage, number, opening["pronoun"]) if opening else None
        if opening is None or name is None:
            return text
        at = opening.end("pronoun")
        return f"{text[:at]} [{name}]{text[at:]}"

    def _refusal(self, found: Sequence[_Part], sources: Sequence[_Source]) -> str:
        """Return that nothing close was found, which words stand nowhere or not there, and what came nearest."""
        missing = dict.fromkeys(word for part in found for word in part.missing)
        nowhere = [word for word in missing if is_nowhere(word, self.rarity)]
        elsewhere = [word for word in missing if word not in nowhere]
        about = f" Nowhere in these documents: {listing(nowhere)}." if nowhere else ""
        nearest = next((part.lines[0] for part in found if part.lines), None)
        if nearest is None:
            return f"Nothing close was found.{about}"
        about += f" Not in the nearest passages: {listing(elsewhere)}." if elsewhere else ""
        text = as_quoted(sources[nearest.passage].passage.sentences[nearest.number].text)
        return f"Nothing close was found.{about} Nearest was “{truncate(text, _NEAREST)}”."


def _with_items(line: Line, sources: Sequence[_Source]) -> Iterator[tuple[int, int]]:
    """Yield the numbers of a line and of the items of the list that it leads in."""
    passage = sources[line.passage].passage
    sentence = passage.sentences[line.number]
    end = list_end(passage.text, sentence.start, sentence.end)
    for number in range(line.number, len(passage.sentences)):
        if number == line.number or passage.sentences[number].end <= end:
            yield line.passage, number


def _is_item(line: Line, other: Line, sources: Sequence[_Source]) -> bool:
    """Return whether a line is an item of the list that another one leads in, and is quoted with."""
    return line != other and (line.passage, line.number) in _with_items(other, sources)


def _span(whole: ReadPassage, passage: Passage) -> tuple[int, int]:
    """Return where a passage stands in its chunk; nowhere where the chunk has other words."""
    start = whole.text.find(passage.text, max(0, len(passage.before) - 1)) if passage.text else -1
    start = start if start >= 0 else whole.text.find(passage.text)
    return max(0, start), max(0, start) + len(passage.text) if start >= 0 else 0


def _overlap(whole: ReadPassage, passage: Passage, sentence: SourceSentence) -> bool:
    """Return whether a passage of a chunk has words of a sentence of it."""
    if (passage.chunk or passage.subgraph) != whole.chunk:
        return False
    start, end = _span(whole, passage)
    return start < sentence.end and sentence.start < end


def _tells_more(asked: Question, text: str) -> bool:
    """Return whether a sentence has a word of content, or a pronoun, that the question has not: else it repeats it."""
    if _PRONOUN.match(text):
        return True
    column = TIME_COLUMN.match(text)
    words = tokens(text[column.end() :] if column else text)
    known = {stem(word) for word in tokens(f"{asked.text} {asked.context}")}
    return any(is_content(word) and stem(word) not in known for word in words)


def _says_it_again(asked: Question, text: str) -> bool:
    """Return whether a sentence says what a question takes for granted, and no more: "Why was the order refused?"."""
    said, known = _content(text), _content(f"{asked.text} {asked.context}")
    return bool(said) and said <= known and 2 * len(said) >= len(known)


def _content(text: str) -> set[str]:
    """Return the stems of a text's words of content."""
    return {stem(word) for word in tokens(text) if is_content(word)}


def _in_context(asked: Sequence[Question]) -> Iterator[Question]:
    """Yield the parts of a question, one of few words with the noun phrases of the first: it is about the same."""
    for part in asked if len(asked) > 1 else q.halves(asked[0]):
        few = part is not asked[0] and sum(map(is_content, tokens(part.text))) < _FEW
        about = " ".join(asked[0].phrases) if few else ""
        yield replace(part, context=about) if about and not part.context else part


def _read_alone(passage: Passage) -> ReadPassage:
    """Read a passage by itself, where its chunk is not at hand, with what is named in its sentences."""
    alone = read_alone(passage)
    named = named_entities([sentence.text for sentence in alone.sentences])
    sentences = [Alone(one.start, one.end, one.text, tuple(entities))
                 for one, entities in zip(alone.sentences, named, strict=True)]  # fmt: skip
    return replace(alone, sentences=sentences, document=passage.document)


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
    if part.lacking is not None:
        lacking = part.lacking.said
    else:
        verbs = {key for key, name in asked.classes if name == "verb"}  # another form or another word may say it
        missing = [word for word in part.missing if stem(word) not in verbs]
        lacking = (
            f"“{listing(missing)}” {'does' if len(missing) == 1 else 'do'} not stand there" if missing else UNCLEAR
        )
    return f"{about}{'R' if alone else 'r'}elated, but {lacking}:"


def _read_row(passage: ReadPassage, number: int) -> str:
    """Return a row of a table with the heads of its columns, where its table has them."""
    first = number
    while first > 0 and is_row(passage.sentences[first - 1].text):
        first -= 1
    heads, row = (cells(passage.sentences[at].text) for at in (first, number))
    if first == number or len(heads) != len(row):
        return "; ".join(filter(None, row))
    return "; ".join(f"{head}: {cell}" if head else cell for head, cell in zip(heads, row, strict=True) if cell)


def _is_read_row(passage: ReadPassage, number: int) -> bool:
    """Return whether a line is a row of a Markdown table below its heads, with words in two cells."""
    texts = [passage.sentences[at].text for at in (number - 1, number) if at >= 0]
    is_below = len(texts) == 2 and all(is_row(text) and text.lstrip().startswith("|") for text in texts)
    return is_below and sum(any(map(str.isalpha, cell)) for cell in cells(texts[1])) > 1


def _order(wanted: Sequence[str], kind: str) -> int:
    return wanted.index(kind) if kind in wanted else len(wanted)


def _dated(passage: ReadPassage) -> str:
    """Return the title and date of a passage's document."""
    return ", ".join(filter(None, [passage.title, passage.date]))


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


def as_quoted(text: str, *, whole: bool = False) -> str:
    """Return a source sentence on one line, without list marks and markup.

    Where it is only a part of one, dots say so; `whole`: it fills its line, as an item of a list does.
    """
    line = without_markup(" ".join(text.split()).lstrip("-*•#> "))
    line = _NUMBERED_ITEM.sub("", line)
    begun = f"… {line}" if line[:1].islower() else line
    return begun if whole or line.endswith((".", "!", "?", "”", '"')) else f"{begun} …"
