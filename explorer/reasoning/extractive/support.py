"""The support for an answer: how likely it is that its best sentence answers, from named parts; and its level.

What is weighed are the features of the best sentence and of what was found. The weights and cut-offs stand in
`weights.json` with what they were fitted on; `benchmarks/calibrate.py` fits them again. Sure is only an answer that
states outright what was asked, which is asked of answers that are strong and lack nothing. One sentence, with the
headings and the title above it and the sentence before, must have every word of the question, in some form, and what is
asked for in the place that the question leaves open.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import combinations, islice
from typing import TYPE_CHECKING

from explorer.events import Support
from explorer.language import questions as q
from explorer.language.claims import Claim, asked_claims, claims
from explorer.language.words import stem, stem_set, tokens
from explorer.reasoning.extractive.matching import Line
from explorer.reasoning.extractive.sentence_ranking import NEGATION, OF_SUPPORT, tells_cause, weights
from explorer.text import truncate

if TYPE_CHECKING:
    from explorer.language.questions import Question
    from explorer.reasoning.extractive.matching import Match
    from explorer.reasoning.extractive.sentence_ranking import Features

STRONG, WEAK, NONE = "strong", "weak", "none"
_SHORT = 0.05  # log odds by which a support that is moved stays on its side of a cut
_LONGEST_WORD = 40
_NAMED = 8  # words that a sentence lists before it only counts them
_STEMS = (
    ("asked-for kind", ("time",)),
    ("names", ("name",)),
    ("numbers", ("number",)),
    ("negation", ("negat", "antonym")),
)
_BY_ENTITY = frozenset({q.TIME, q.NUMBER, q.PLACE})
_CERTAIN = 0.9  # of a named entity: of the kind that is asked for
_ASIDE = re.compile(r"\([^()]*\)")
_AUXILIARY = frozenset({"be", "have", "do"})
_EMPTY = frozenset("be have do become happen occur go get exist take cause make know mean call name".split())


@lru_cache
def part_of(feature: str) -> str:
    """Return the part of the support that a feature counts for."""
    return next((part for part, stems in _STEMS if feature.startswith(stems)), "similarity")


PARTS = ("base", *dict.fromkeys(map(part_of, OF_SUPPORT)))
"""What the value is made of: the log odds of an ordinary question, and what each part adds to them."""


def support(features: Features | None, best: int = 0) -> Support:
    """Return the support that the sentence at a place, the best, gives an answer; where there is none, none."""
    if features is None:
        return Support(0.0, NONE)
    known = weights()
    parts = dict.fromkeys(PARTS, 0.0)
    parts["base"] = known.base
    for name, value in zip(OF_SUPPORT, features.of_support(best).tolist(), strict=True):
        mean, weight = known.support.get(name, (0.0, 0.0))
        parts[part_of(name)] += weight * (value - mean)
    rounded = {part: round(odds, 2) for part, odds in parts.items()}
    return _of(rounded)


def at_most_strong(given: Support) -> Support:
    """Return a support that is not sure: what is quoted does not state just what was asked."""
    return _moved(given, high=weights().sure)


def at_most_weak(given: Support) -> Support:
    """Return a support that is not strong: it is not clear that this answers."""
    return _moved(given, high=weights().strong)


def stronger(given: Support) -> Support:
    """Return a support that is strong, and not sure: something was found where no sentence says it."""
    return _moved(given, weights().strong, weights().sure)


def outright(given: Support) -> Support:
    """Return a support that is sure: a statement says just what was asked."""
    return _moved(given, weights().sure)


def _moved(given: Support, low: float = 0.0, high: float = 1.0) -> Support:
    """Return a support between two values: what it takes counts for the kind of thing asked for."""
    parts = dict(given.parts) or dict.fromkeys(PARTS, 0.0)
    odds = sum(parts.values())
    moved = max(odds, _odds(low) + _SHORT) if low else odds
    moved = min(moved, _odds(high) - _SHORT) if high < 1 else moved
    parts["asked-for kind"] = round(parts["asked-for kind"] + moved - odds, 2)
    return _of(parts)


def _of(parts: Mapping[str, float]) -> Support:
    value = round(1 / (1 + math.exp(-sum(parts.values()))), 3)
    return Support(value, level(value), parts, value >= weights().sure)


def _odds(value: float) -> float:
    return math.log(value / (1 - value))


def level(value: float) -> str:
    """Return the level of a value."""
    known = weights()
    return STRONG if value >= known.strong else WEAK if value >= known.none else NONE


def joined(found: Iterable[Support], open_parts: int = 0) -> Support | None:
    """Return the support of an answer to several parts: that of the part with the least; None where none has any.

    Where some parts are answered and others are not, it is weak. `open_parts`: how many parts there are beside, for
    which nothing was found.
    """
    supports = list(found)
    if not supports:
        return None
    least = min(supports, key=lambda one: one.value)
    counts = [one.answered or (int(one.level == STRONG), 1) for one in supports]
    strong, total = sum(one for one, _ in counts), sum(all_ for _, all_ in counts) + open_parts
    is_mixed = open_parts > 0 or len({one.level for one in supports}) > 1
    answered = (strong, total) if 0 < strong < total else None
    return Support(least.value, WEAK if is_mixed else least.level, least.parts, least.sure and not is_mixed, answered)


def listing(words: Iterable[str], last: str = "", form: str = "{}") -> str:
    """Return words separated by commas, by `last` before the last one; of many the first few, and how many more.

    Each stands as `form` says, which may put quotation marks around it.
    """
    short = [form.format(truncate(word, _LONGEST_WORD)) for word in words]
    if len(short) > _NAMED + 1:
        return f"{', '.join(islice(short, _NAMED))} {last or 'and'} {len(short) - _NAMED:,} more words"
    head, tail = (short[:-1], short[-1:]) if last and len(short) > 1 else ([], short)
    return f"{', '.join(head)} {last} {tail[0]}" if head else ", ".join(tail)


def is_stated(asked: Question, found: Features, lines: Sequence[Line]) -> bool:
    """Return whether some of the lines state what was asked, none denies it, and no two of them say other things."""
    match = found.match
    whole = [line for line in lines if _says_all(asked, match, line)]
    said = [_new_words(asked, match, line) for line in whole if _has_answer(asked, found, line)]
    if len({NEGATION.search(match.text(line)) is None for line in whole}) > 1:
        return False
    return bool(said) and all(one & other or not (one and other) for one, other in combinations(said, 2))


def _new_words(asked: Question, match: Match, line: Line) -> frozenset[str]:
    """Return what a line says beside the words of a question: what it names of the kind asked for, or all of it."""
    named = (one.text for one in match.sentence(line).entities if one.kind in asked.entities)
    found = stem_set(" ".join(named)).difference(match.keys)
    return found or stem_set(match.text(line)).difference(match.keys)


def _says_all(asked: Question, match: Match, line: Line) -> bool:
    """Return whether a line, what stands above it, or the line before it has all words of a question."""
    if NEGATION.search(asked.text) and not NEGATION.search(match.text(line)):
        return False
    before = [match.text(one) for one in match.lines if one == Line(line.passage, line.number - 1)]
    said = [_ASIDE.sub(" ", match.text(line)), *before, *match.titles_of([line])]
    there = {key for text in said for key in stem_set(text)}
    there |= {form for claim in claims(match.text(line)) for form in claim.forms}
    there |= {stem(word) for word in _EMPTY} | ({stem(asked.head)} if asked.kind != q.THING else set())
    return all(key in there or stem(match.spelt.get(word, word)) in there
               for key, word in zip(match.keys, match.words, strict=True))  # fmt: skip


def _has_answer(asked: Question, found: Features, line: Line) -> bool:
    """Return whether a line has what is asked for where the question leaves it open."""
    match, text = found.match, found.match.text(line)
    if not says_the_same(asked, match, line):
        return False
    if asked.kind in _BY_ENTITY:
        return float(found.named("kind")[match.lines.index(line)]) >= _CERTAIN
    if asked.kind == q.CAUSE:
        return tells_cause(text)
    if asked.kind == q.MANNER:
        return False  # whether it names a way is not looked at
    taken = [claim for claim in asked_claims(asked.text) if claim.asked and claim.verb not in _AUXILIARY]
    known = set(match.keys)
    if not taken:
        return any(one.verb == "be" and stem(asked.head) in one.doer | one.done_to and one.parts - known
                   for one in claims(text))  # fmt: skip
    return any(_fills(claim, one, known) for claim in taken for one in claims(text))


def says_the_same(asked: Question, match: Match, line: Line) -> bool:
    """Return whether each verb of a question has in a line those who do it, and what it is done to, in their places."""
    text = match.text(line)
    above = {stem(word) for title in match.titles_of([line]) for word in tokens(title) if not word.isdigit()}
    open_ = {stem(asked.head)} if asked.head else set()
    checked = [claim for claim in claims(q.readable(asked.text)) if claim.verb not in _AUXILIARY]
    return all(any(_agrees(claim, one, open_ | above.difference(one.parts)) for one in claims(text))
               for claim in checked)  # fmt: skip


def _agrees(asked: Claim, said: Claim, but: Collection[str]) -> bool:
    """Return whether two claims have one verb, and what the first has in a place stands there in the second.

    `but`: parts that need not stand there, as they are asked for or a heading has them.
    """
    if said.is_denied != asked.is_denied or not said.forms & asked.forms:
        return False
    doer, done_to = asked.doer.difference(but), asked.done_to.difference(but)
    if asked.asked == "doer" and asked.done_to and said.done_to and said.parts.isdisjoint(asked.done_to):
        return False  # "John Young commanded the backup crew" below "Apollo 13"
    beside = {"doer": said.done_to | said.rest, "done_to": said.doer | said.rest}.get(asked.asked, said.parts)
    return doer <= said.doer and done_to <= said.done_to | said.rest and asked.rest.difference(but) <= beside


def _fills(asked: Claim, said: Claim, known: Collection[str]) -> bool:
    """Return whether a claim has, with the same verb, something new in the place that is asked for."""
    given = said.doer if asked.asked == "doer" else said.done_to | said.rest
    return not said.is_denied and bool(said.forms & asked.forms) and bool(given.difference(known))
