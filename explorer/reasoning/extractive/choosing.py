"""Which sentences answer each part of a question, how well, and what they lack."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from explorer.events import Support
from explorer.language import questions as q
from explorer.language.sentences import TIME_COLUMN, is_row
from explorer.language.words import content_stems, is_content, stem, tokens
from explorer.reasoning.extractive import ranking
from explorer.reasoning.extractive.amounts import is_about, put_by_amounts
from explorer.reasoning.extractive.antecedents import is_unclear, makes_clear
from explorer.reasoning.extractive.carrying import asked_in, marked_in, person_in, with_name
from explorer.reasoning.extractive.comparing import Put, put_by_rule
from explorer.reasoning.extractive.coverage import has_digit
from explorer.reasoning.extractive.entries import put_by_entry
from explorer.reasoning.extractive.features import Features, features
from explorer.reasoning.extractive.first import first_by_grammar
from explorer.reasoning.extractive.kinds import (
    UNITS,
    says_what_is,
    written_as,
)
from explorer.reasoning.extractive.lines import PRONOUN, is_read, is_spoken, labels, lists_both, points_on, with_lists
from explorer.reasoning.extractive.matching import Line, match
from explorer.reasoning.extractive.roles import holder
from explorer.reasoning.extractive.scoring import Scoring
from explorer.reasoning.extractive.sources import Source
from explorer.reasoning.extractive.stated import is_done_by_firm, is_stated
from explorer.reasoning.extractive.support import (
    NONE,
    STRONG,
    UNCLEAR,
    Lacking,
    lacks,
    priced,
    related,
    stronger,
    superlatives,
    support,
    weaker,
)
from explorer.reasoning.extractive.tables import put_by_table
from explorer.reasoning.extractive.unsaid import unheard, unlabelled, unmentioned, unowned, unsaid
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
_LAST = -1e6  # of the score of a sentence that only says the question again: it is quoted before another one
_ANY_NAME = ("organisation", "work", "product", "name", "person", "place", "event", "group")
_NAMING = {q.PERSON: ("person", "name"), q.PLACE: ("place", "name", "organisation")}
_ASIDE = re.compile(r"\s*\([^()]*\)$")
_OTHER = 6.0  # of the score of a sentence on tank 2 where tank 1 is asked about: more than lies between two sentences
_BESIDE_MAIN = 3.0  # the same, of one that speaks only of what another clause of the question says, as "when it failed"
_WITHOUT_BEST = 2.0  # the same, of one without the "cheapest" that is asked for
_WITHOUT_THING = 4.0  # the same, of one that does not name what "how much is X" asks of, where others do
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


@dataclass(slots=True)
class Part:
    """One part of a question: what answers it, how well, what that lacks, and what a rule puts before it.

    `withdrawn`: what sentences say about it that are not quoted, and was taken back by hand.
    """

    question: Question
    found: Features | None
    support: Support
    lines: list[Line] = field(default_factory=list)
    missing: tuple[str, ...] = ()
    lacking: Lacking | None = None
    put: Put | None = None
    withdrawn: tuple[str, ...] = ()

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
            self._answered[key] = list(map(_without_unrelated, found)) if len(found) > 1 else found
        return self._answered[key]

    def _carried(self, asked: Question, before: Sequence[Part], sources: Sequence[Source]) -> list[Part]:
        """Return what answers a part with the name that the part before found for "who"; none where that is not so."""
        known = next((one for one in before if one.support.level == STRONG), None)
        if known is None or not known.lines:
            return []
        line = known.lines[0]
        passage = sources[line.passage].passage
        is_person = known.question.kind == q.PERSON
        name = (person_in if is_person else marked_in)(known.question, passage, line.number)
        named = with_name(asked, known.question, name) if name is not None else None
        if named is None:
            return []
        found = self._part(named, sources)
        if found.lines and found.lines[0] in known.lines:  # it has the name, and was quoted already
            found = self._part(named, sources, known.lines)
        if found.support.level != STRONG:
            return []
        found.put = found.put or Put(found.question.text, "with the name found for the part before")
        return [found]

    def _steps(self, asked: Question, sources: Sequence[Source]) -> list[Part]:
        """Return what answers a question; where another one stands inside it, what answers that first.

        It stands alone where the inner one names nothing, or nothing is found for the outer one with that name.
        """
        whole = self._part(asked, sources)
        if not whole.support.sure and (who := q.as_who(asked.text)) is not None:
            named = self._part(q.read(who), sources)
            if named.found is not None and named.support.sure and is_done_by_firm(named.found.match, named.lines[0]):
                return [replace(named, question=asked)]
        if asked.context and whole.support.level != STRONG and "noun" in dict(asked.classes).values():
            alone = self._part(replace(asked, context=""), sources)
            whole = alone if alone.support.level == STRONG else whole
        inner = q.inner(asked.text)
        if inner is None and (of_role := self._by_role(asked, whole, sources)):
            return of_role
        if inner is None or asked.context or (whole.put is not None and whole.put.settles):
            return [whole]
        first = self._part(q.read(inner.text), sources)
        name = self._name(inner, first, sources) if first.support.level != NONE else None
        if name is None:
            return [whole if inner.is_slight else self._unless_covered(whole)]
        then = self._part(q.read(inner.outer(name)), sources)
        keys = content_stems(name)
        quoted = [f"{sources[line.passage].passage.title} {then.found.match.text(line)}"
                  for line in then.lines if then.found and line not in first.lines[:1]]  # fmt: skip
        is_found = then.support.level != NONE and any(keys <= set(map(stem, tokens(text))) for text in quoted)
        if inner.is_slight and (whole.support.level == STRONG or not is_found or then.support.level != STRONG):
            return [whole]
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

    def _by_role(self, asked: Question, whole: Part, sources: Sequence[Source]) -> list[Part]:
        """Return who has the role that a question names, and what answers it of that person; nothing where none does.

        What speaks neither of the role nor of the person is related at most.
        """
        has = holder(asked, [one.passage for one in sources])
        if has is None or whole.found is None or whole.support.sure:
            return []
        if withdrawn(q.read(f"Who is {has.role}?"), sources[has.line.passage].passage, has.line.number) is not None:
            return []
        match = whole.found.match
        keys = content_stems(has.role) | content_stems(has.name)
        is_other = all(keys.isdisjoint(content_stems(match.text(line))) for line in whole.lines)
        then = self._part(q.read(asked.text.replace(has.role, has.name)), sources)
        last, rule = stem(tokens(has.name)[-1]), f"who has the role that the question names, by a sentence: {has.name}"
        is_read = then.put is not None and then.put.settles
        if (
            then.found is not None
            and then.support.level == STRONG
            and (is_other or is_read or whole.support.level != STRONG)
            and any(last in content_stems(then.found.match.text(line)) for line in then.lines if line != has.line)
        ):
            put = Put("", rule, (has.line,), settles=True)
            first = self._judged(q.read(f"Who is {has.role}?"), whole.found, stronger(then.support), [has.line], put)
            then.put = then.put or Put(then.question.text, rule)
            then.lines = [line for line in then.lines if line != has.line]
            return [first, then]
        if not is_other or whole.support.level == NONE:
            return []
        lacking = Lacking("names", f"this speaks neither of {has.role} nor of {has.name}")
        return [replace(whole, support=weaker(whole.support, lacking), lacking=lacking)]

    def _unless_covered(self, part: Part) -> Part:
        """Return a part as it is where one sentence has all words of both questions, else not strong."""
        if part.found is None or part.support.level != STRONG or part.found.match.covers(part.lines[0]):
            return part
        lacking = Lacking("similarity", UNCLEAR)
        return replace(part, support=weaker(part.support, lacking), lacking=lacking)

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
        wanted = ("organisation", "name") if inner.noun in q.ORGANISATIONS else wanted
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

    def _part(self, asked: Question, sources: Sequence[Source], quoted: Collection[Line] = ()) -> Part:
        """Return what answers a question, other lines than some that were quoted before and those not to be quoted."""
        sources = [replace(one, passage=with_lists(asked, one.passage)) for one in sources]
        gone = {Line(p, n): one for p, source in enumerate(sources) if source.passage.corrected
                for n in range(len(source.passage.sentences))
                if (one := withdrawn(asked, source.passage, n)) is not None}  # fmt: skip
        part = self._part_of(asked, sources, {*quoted, *gone})
        said = [one.said for line, one in gone.items()
                if is_mostly_about(asked, sources[line.passage].passage, line.number)]  # fmt: skip
        if said and part.lacking is not None and not part.support.sure:
            doubt = replace(part.lacking, firm=True)  # what is left may name another one
            part = replace(part, lacking=doubt, support=weaker(part.support, doubt))
        return replace(part, withdrawn=tuple(dict.fromkeys(said))) if said else part

    def _part_of(self, asked: Question, sources: Sequence[Source], but: Collection[Line]) -> Part:
        """Return what answers a question, without some lines."""
        import numpy as np

        passages = [one.passage for one in sources]
        matched = match(asked, passages, self.embedder, self.rarity)
        if matched is None:
            return Part(asked, None, support(None, None), [], asked.names)
        found = features(matched)
        scores = self._scored(asked, found, passages, but)
        if scores.max() <= _NEVER / 2:
            return Part(asked, None, support(None, None), [], asked.names)
        given = support(found, scores)
        read = _without(put_by_table(asked, passages) or put_by_entry(asked, passages), but)
        best = [
            matched.lines[int(i)] for i in np.argsort(-scores, kind="stable")[:_READ] if scores[int(i)] > _NEVER / 2
        ]
        between = _without(put_by_amounts(asked, passages, best), but)
        if between is not None and (read is None or read.doubt) and is_about(asked, passages, between):
            return self._judged(asked, found, stronger(given), list(between.lines), between)
        if read is not None and read.doubt and given.level == STRONG and not is_row(matched.text(best[0])):
            read = None
        if read is not None and not (read.is_plain and given.level == STRONG):
            return self._judged(asked, found, stronger(given), list(read.lines), read)
        if given.level == NONE:
            nearest = matched.lines[int(scores.argmax())]
            return self._judged(asked, found, related(given, matched, nearest), [nearest], None)
        put = _without(put_by_rule(asked, passages, best), but) or between
        lines = self._chosen(asked, found, scores, sources)
        if put is not None:
            lines = [*put.lines, *(line for line in lines if line not in put.lines and not put.settles)]
        judged = self._judged(asked, found, given, lines, put)
        if read is None or (
            judged.support.level == STRONG and (lines == [*read.lines] or not is_row(matched.text(lines[0])))
        ):
            return judged
        return self._judged(asked, found, stronger(given), list(read.lines), read)

    def _scored(self, asked: Question, found: Features, passages: Sequence[ReadPassage], but: Collection[Line]) -> Row:
        """Return the score of each sentence as an answer; of one that is not read as such, or of those left out, less
        than any other has.
        """
        import numpy as np

        matched = found.match
        texts = [passages[line.passage].sentences[line.number].text for line in matched.lines]
        scores = ranking.scores(found) - _OTHER * np.array([bool(matched.others(text)) for text in texts], np.float32)
        scores = scores - _OTHER_FIRST * np.array([matched.begins_with_other(text) for text in texts], np.float32)
        if asked.kind in _BY_ENTITY:
            has_kind = found.named("kind") > 0
            scores = scores - np.where(has_kind, 0.0, _WITHOUT_UNIT if asked.head in UNITS else _WITHOUT_KIND)
        if best := superlatives(asked.text):
            has_best = [any(one in text.lower() for one in best) for text in texts]
            scores = scores - (np.where(has_best, 0.0, _WITHOUT_BEST) if any(has_best) else 0.0)
        if (wanted := written_as(asked)) is not None:
            scores = scores - np.where([wanted[1].search(text) is not None for text in texts], 0.0, _WITHOUT_UNIT)
        if (thing := priced(asked)) is not None:
            speaks = [stem(thing) in map(stem, tokens(text)) for text in texts]
            scores = scores - (np.where(speaks, 0.0, _WITHOUT_THING) if any(speaks) else 0.0)
        if asked.main:
            scores = scores - np.where(matched.beside(asked.main), 0.0, _BESIDE_MAIN)
        if noun := q.defines(asked):
            scores = scores + _DEFINES * np.array([says_what_is(noun, text) for text in texts], np.float32)
        may_answer = [line not in but and is_read(asked, passages[line.passage], line.number) for line in matched.lines]
        may_answer = may_answer if any(may_answer) else [is_row(text) for text in texts]
        rows = _rows_named(asked, texts)
        may_answer = [one and (row is not False) for one, row in zip(may_answer, rows, strict=True)]
        if asked.kind in _TELLS_MORE:
            tells = [one and _tells_more(asked, text) for one, text in zip(may_answer, texts, strict=True)]
            if asked.kind in _WHY:
                said = [one and _says_it_again(asked, text) for one, text in zip(may_answer, texts, strict=True)]
                after = [
                    False,
                    *(
                        one.passage == line.passage and there
                        for one, line, there in zip(matched.lines, matched.lines[1:], said, strict=False)
                    ),
                ]
                scores = scores + _AFTER_RESTATEMENT * np.array(after, np.float32)
            scores = scores + (np.where(tells, 0.0, _LAST) if any(tells) else 0.0)
        scores = np.where(may_answer, scores, _NEVER)
        near = [int(i) for i in np.argsort(-scores, kind="stable")[: 2 * _READ] if may_answer[i]]
        first = first_by_grammar(asked, found, texts, near)
        if first is not None and (scores[first] < scores.max() or asked.kind == q.PERSON):
            scores[first] = max(scores[first], np.delete(scores, first).max(initial=_NEVER) + _MARGIN)
        return scores.astype(np.float32)

    def _judged(self, asked: Question, found: Features, given: Support, lines: list[Line], put: Put | None) -> Part:
        """Return a part with its support: what the quoted sentences lack keeps it from being strong, or sure."""
        match = found.match
        lacking = None if put is not None and put.settles else lacks(asked, found, lines)
        if put is not None and put.doubt:
            lacking = Lacking("similarity", put.doubt)
        is_said = not (put is not None and put.settles) and is_spoken(match.text(lines[0]))
        if (lacking is None or not lacking.firm) and given.level == STRONG and is_said:
            lacking = unsaid(asked, match.runs(lines), match.titles_of(lines)) or lacking
            if lacking is None or not lacking.firm:
                lacking = unmentioned(match, lines) or lacking
            if lacking is not None and asked.kind == q.PERSON and match.is_mostly_unsaid(lines):
                lacking = replace(lacking, firm=True, declines=lacking.word != "")
        elif (lacking is None or not lacking.firm) and not is_said and not (put is not None and put.settles):
            lacking = unlabelled(asked, labels(match.read[lines[0].passage], lines[0].number)) or lacking
        if put is None and is_said and (lacking is None or not lacking.declines):
            lacking = unheard(match, lines, self.rarity) or lacking
        if not (put is not None and put.settles) and (lacking is None or not lacking.declines):
            lacking = unowned(match, lines) or lacking
        if lacking is None and any(points_on(match.read[line.passage], line.number) for line in lines):
            lacking = Lacking("similarity", UNCLEAR, firm=False)
        if lacking is None and given.sure and not (put is not None and put.settles):
            lacking = None if is_stated(asked, found, lines) else Lacking("similarity", UNCLEAR, firm=False)
        if lacking is None and given.sure and any(_is_corrected(match.read[one.passage], one.number) for one in lines):
            lacking = Lacking("similarity", UNCLEAR, firm=False)
        given = given if lacking is None else weaker(given, lacking)
        is_whole = given.level == STRONG or put is not None or asked.kind in _WHY
        is_settled = put is not None and put.settles
        lines = lines[: len(put.lines) if put is not None and is_settled else SENTENCES if is_whole else SENTENCES - 1]
        evidence = match.coverage(sorted({line.passage for line in lines} | {0}))
        missing = [word for word, covered in zip(match.words, evidence, strict=True) if covered < _COVERED]
        if given.level == STRONG:  # other words may be said in other ways
            named = {stem(word) for name in (*asked.names, *asked.numbers) for word in tokens(name)}
            missing = [word for word in missing if stem(word) in named]
        missing = [] if is_settled else missing
        return Part(asked, found, given, lines, tuple(missing), lacking, put if given.level != NONE else None)

    def _chosen(self, asked: Question, found: Features, scores: Row, sources: Sequence[Source]) -> list[Line]:
        """Choose the sentences that answer, the best first, each with what it can't be understood without."""
        import numpy as np

        order = [int(i) for i in np.argsort(-scores, kind="stable") if scores[i] > _LAST / 2]
        best = order[0]
        match = found.match
        lines = match.lines
        picks = [best]
        length = len(match.words)
        text, titles = match.text(lines[best]), match.titles_of([lines[best]])
        rows = [i for i in order[1:] if lists_both(asked, text, match.text(lines[i]))
                and (is_row(text) or match.titles_of([lines[i]]) == titles)]  # fmt: skip
        if rows:
            picks += sorted(rows, key=lambda i: (lines[i].passage, lines[i].number))[: SENTENCES - 1]
        elif length >= _LONG or (length >= _HOP and match.names_in(match.stems_of_passages[lines[best].passage]) < 1):
            passages = {lines[best].passage}
            for i in order:
                if len(picks) < SENTENCES and lines[i].passage not in passages:
                    picks.append(i)
                    passages.add(lines[i].passage)
        elif len(order) > 1 and scores[best] - scores[order[1]] < _MARGIN:
            meaning = found.named("meaning")
            picks += [order[1]] if meaning[order[1]] >= _SHARE * meaning[best] else []
        chosen: list[Line] = []
        for i in picks:
            group = [lines[i]]
            for at in range(i - 1, max(-1, i - SENTENCES), -1):  # what "it" stands for may stand two sentences before
                if lines[at].passage != lines[i].passage or scores[at] <= _NEVER / 2:
                    break
                is_again = at == i - 1 and _says_it_again(asked, match.text(lines[at]))
                here = sources[lines[at].passage].passage
                needs = is_unclear(asked, here, group[0].number)
                if not is_again and not (needs and makes_clear(asked, here, lines[at].number, group[0].number)):
                    break
                group.insert(0, lines[at])
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
        match = found.match
        known = {stem(word) for word in tokens(asked.text)}
        for at in range(i + 1, min(i + SENTENCES, len(match.lines))):
            before, text = match.text(match.lines[at - 1]), match.text(match.lines[at])
            if match.lines[at].passage != match.lines[i].passage or scores[at] <= _LAST / 2:
                return
            new = content_stems(before) & content_stems(text) - known
            is_open = at == i + 1 and not found.named("cue")[i]
            if asked.kind == q.CAUSE and found.named("cue")[i] and not found.named("cue")[at]:
                return  # the reason is said, and this gives none
            if not (PRONOUN.match(text) or (asked.kind in _WHY and (new or is_open))):
                return
            yield match.lines[at]
            if asked.kind not in _WHY:
                return

    def _distinct(self, lines: Sequence[Line], sources: Sequence[Source]) -> list[Line]:
        texts = [sources[line.passage].passage.sentences[line.number].text for line in lines]
        found = {*distinct(self, texts, len(texts))}
        return [line for place, line in enumerate(lines) if place in found or _is_new_row(texts, place)]


def _without(put: Put | None, lines: Collection[Line]) -> Put | None:
    """Return what a rule says where it rests on none of some lines."""
    return None if put is None or any(line in lines for line in put.lines) else put


def _without_unrelated(part: Part) -> Part:
    """Return a part of several without the lines of another matter: none has a word of it and what it asks for.

    Beside a part that is answered they would be read as its answer.
    """
    if part.found is None or part.support.level == STRONG or part.put is not None:
        return part
    match, kind = part.found.match, part.found.named("kind")
    at = [match.lines.index(line) for line in part.lines]
    is_about = any(
        not match.stems[i].isdisjoint(match.keys) and (not part.question.entities or kind[i] > 0) for i in at
    )
    return part if is_about else replace(part, lines=[])


def _is_corrected(passage: ReadPassage, number: int) -> bool:
    """Return whether a fact taken from a sentence was taken back by hand."""
    sentence = passage.sentences[number]
    return any(one.start < sentence.end and sentence.start < one.end for one in passage.corrected)


def _is_new_row(texts: Sequence[str], place: int) -> bool:
    """Return whether a text is a row unlike those before it: rows of one table are alike, and each says its own."""
    return is_row(texts[place]) and texts[place] not in texts[:place]


def _rows_named(asked: Question, texts: Sequence[str]) -> list[bool | None]:
    """Return of each row whether it has a number or code of the question; of other lines, or where none has, None."""
    numbers = {stem(word) for word in tokens(f"{asked.text} {asked.context}") if has_digit(word)}
    named = [not numbers.isdisjoint(map(stem, tokens(text))) if is_row(text) else None for text in texts]
    return named if any(named) else [None] * len(texts)


def _tells_more(asked: Question, text: str) -> bool:
    """Return whether a sentence has a word of content, or a pronoun, that the question has not: else it repeats it."""
    if PRONOUN.match(text):
        return True
    column = TIME_COLUMN.match(text)
    words = tokens(text[column.end() :] if column else text)
    known = {stem(word) for word in tokens(f"{asked.text} {asked.context}")}
    return any(is_content(word) and stem(word) not in known for word in words)


def _says_it_again(asked: Question, text: str) -> bool:
    """Return whether a sentence says what a question takes for granted, and no more: "Why was the order refused?"."""
    said, known = content_stems(text), content_stems(f"{asked.text} {asked.context}")
    return bool(said) and said <= known and 2 * len(said) >= len(known)


def _order(wanted: Sequence[str], kind: str) -> int:
    return wanted.index(kind) if kind in wanted else len(wanted)


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
