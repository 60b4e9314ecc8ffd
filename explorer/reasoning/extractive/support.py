"""The support for an answer: how likely it is that its best sentence answers, from named parts; and its level.

What is weighed is what `features.py` knows of the best sentence, its neighbours and its passage. The weights and
cut-offs stand in `weights.json` with what they were fitted on; `benchmarks/calibrate.py` fits them again.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import compress, islice
from typing import TYPE_CHECKING

from explorer.events import Support
from explorer.language import questions as q
from explorer.language.amounts import gives_amount_of, gives_amount_of_own
from explorer.language.claims import asked_claims
from explorer.language.named_entities import MEASURED
from explorer.language.synonyms import synonyms
from explorer.language.words import is_content, stem, tokens
from explorer.reasoning.extractive.features import OF_SUPPORT
from explorer.reasoning.extractive.kinds import (
    PRICES,
    UNITS,
    asks_amount,
    counts,
    has_amount,
    has_count,
    introduces,
    named_person,
    says_what_is,
    written_as,
)
from explorer.reasoning.extractive.lines import heads, is_spoken, labels, list_below
from explorer.reasoning.extractive.lost import lost
from explorer.reasoning.extractive.ranking import weights
from explorer.reasoning.extractive.stated import acts_as, says_who
from explorer.text import truncate

if TYPE_CHECKING:
    from explorer.language.questions import Question
    from explorer.reasoning.extractive.features import Features
    from explorer.reasoning.extractive.lost import Lost
    from explorer.reasoning.extractive.matching import Line, Match, Row

STRONG, WEAK, NONE = "strong", "weak", "none"
_SHORT = 0.05  # log odds by which an answer that lacks something stays below a strong one
_LONGEST_WORD = 40
UNCLEAR = "it is not clear that this answers it"
_HOW_MANY = re.compile(r"\bhow many\b", re.IGNORECASE)
_ORDER = frozenset("first last initially originally finally only".split())  # without which a sentence says another one
_CAPITAL, _DIGIT = re.compile(r"\b(?:[A-Z][a-z]\w*|[A-Z]{2,5}\b)"), re.compile(r"\d[\d.,:]*")
_PERSON = re.compile(r"(?<!^)\b(?:[A-Z][a-z]+|[A-Z]{2,3})\b(?![\w.-])|^[A-Z][a-z]+(?= [A-Z(])")  # not "GitLab"
_ASIDE = re.compile(r"\W*\([^()]*\)\W*")
_TERM = re.compile(r"\w[\d_./]|\d[a-z]|[a-z][A-Z]")  # "x86", "systemd-timesyncd", "file_name"
_OF_ACTS = frozenset({q.MANNER, q.CAUSE, q.PERSON})  # asked for: what an act is done to is no matter of wording
_ANYONE = frozenset("people person member employee man woman worker colleague".split())  # whom a name alone names
_SUPERLATIVE = re.compile(r"\b(?:[a-z]{3,}est|most [a-z]+|least [a-z]+)\b(?<!\binterest)(?<!\brequest)(?<!\bforest)")
_LONGEST_ROLE = 3  # words
_MOSTLY = 0.5  # of the question's words that stand nowhere
_LACKS = {
    q.CAUSE: "it is not clear that this says why",
    q.MANNER: "it is not clear that this says how",
    q.TIME: "this names no time",
    q.NUMBER: "this names no number",
    q.PERSON: "this does not say who",
    q.PLACE: "this names no place",
}
_CHARGES = frozenset(map(stem, "bill invoice fee price charge cost total sum amount rent".split()))
_HOW_MUCH = re.compile(r"\W*how much\b", re.IGNORECASE)
_OF_WHAT = re.compile(
    r"(?:how much (?:is|are|was|were|will|would|did|does|do)|what (?:did|does|do|will|would)) "
    r"(?P<thing>\w[\w'’-]*(?: \w[\w'’-]*)*?)(?: (?:cost|be|pay|charge|weigh))?"
    r"(?: (?:in|on|at|for|by|per|of)\b.*)?\?*", re.IGNORECASE
)  # fmt: skip
_FREE = re.compile(
    r"\b(?:free|no (?:charge|fee|cost)|(?:costs?|pays?|paid|charge[sd]?) (?:\w+ )?nothing)\b", re.IGNORECASE
)
_PART_OF_PRICE = re.compile(r"%|\b(?:percent|per cent|half)(?!\w)", re.IGNORECASE)
_PAID = _CHARGES | frozenset(map(stem, "pay salary wage tax discount reduction refund deposit".split()))
_NAMED = 8  # words that a sentence lists before it only counts them
_STEMS = (
    ("asked-for kind", ("kind", "cue", "asks")),
    ("head noun", ("head",)),
    ("names", ("name", "has names")),
    ("numbers", ("number", "has numbers")),
    ("negation", ("negat", "antonym")),
)


@lru_cache
def part_of(feature: str) -> str:
    """Return the part of the support that a feature counts for."""
    return next((part for part, stems in _STEMS if feature.startswith(stems)), "similarity")


PARTS = ("base", *dict.fromkeys(map(part_of, OF_SUPPORT)))
"""What the value is made of: the log odds of an ordinary question, and what each part adds to them."""


def support(features: Features | None, scores: Row | None) -> Support:
    """Return the support that the best sentence gives an answer; where there is no sentence, none."""
    if features is None or scores is None:
        return Support(0.0, NONE)
    known = weights()
    parts = dict.fromkeys(PARTS, 0.0)
    parts["base"] = known.base
    for name, value in zip(OF_SUPPORT, features.of_support(scores).tolist(), strict=True):
        mean, weight = known.support.get(name, (0.0, 0.0))
        parts[part_of(name)] += weight * (value - mean)
    rounded = {part: round(odds, 2) for part, odds in parts.items()}
    return _of(rounded)


def weaker(given: Support, lacking: Lacking) -> Support:
    """Return a support that is not strong, not sure, or none: a part takes as much away as it needs."""
    known = weights()
    most = known.none if lacking.declines else known.strong if lacking.firm else known.sure
    over = sum(given.parts.values()) - _odds(most) + _SHORT
    part = lacking.part
    return _of({**given.parts, part: round(given.parts[part] - over, 2)}) if over > 0 else given


def related(given: Support, match: Match, line: Line) -> Support:
    """Return a support that is weak, where a price is asked for and a sentence with a sum speaks of the same."""
    asked, text = match.question, match.text(line)
    is_price = asked.kind == q.NUMBER and (asked.head in PRICES or (not asked.head and _HOW_MUCH.match(asked.text)))
    if not is_price or not UNITS["price"].search(text):
        return given
    said = {stem(word) for word in tokens(text)}
    above = {stem(word) for title in match.titles_of([line]) for word in tokens(title)}
    nouns = {key for key, name in asked.classes if name == "noun"} - {stem(asked.head)}
    named = frozenset().union(*match.names.values())
    is_same = nouns & said or (said & _CHARGES and nouns & above)
    return _raised(given, weights().none) if is_same and named <= said | above else given


def _raised(given: Support, least: float) -> Support:
    parts = dict(given.parts) or dict.fromkeys(PARTS, 0.0)
    short = _odds(least) - sum(parts.values()) + _SHORT
    parts["asked-for kind"] = round(parts["asked-for kind"] + max(0.0, short), 2)
    return _of(parts)


def stronger(given: Support) -> Support:
    """Return a support that is strong, and not sure: a rule found what is asked for where no sentence says it."""
    known = weights()
    parts = dict(given.parts) or dict.fromkeys(PARTS, 0.0)
    short = _odds(known.strong) - sum(parts.values()) + _SHORT
    over = sum(parts.values()) - _odds(known.sure) + _SHORT
    parts["asked-for kind"] = round(parts["asked-for kind"] + max(0.0, short) - max(0.0, over), 2)
    return _of(parts)


def outright(given: Support) -> Support:
    """Return a support that is sure: a statement says just what was asked."""
    known = weights()
    parts = dict(given.parts) or dict.fromkeys(PARTS, 0.0)
    short = _odds(known.sure) - sum(parts.values()) + _SHORT
    parts["asked-for kind"] = round(parts["asked-for kind"] + max(0.0, short), 2)
    return _of(parts)


def _of(parts: Mapping[str, float]) -> Support:
    value = round(1 / (1 + math.exp(-sum(parts.values()))), 3)
    return Support(value, level(value), parts, value >= weights().sure)


def _odds(value: float) -> float:
    return math.log(value / (1 - value))


@dataclass(frozen=True, slots=True)
class Lacking:
    """What keeps an answer from being strong: the part of the support that it counts for, and what is said of it.

    One that is not `firm` may be said in other words: it keeps an answer from being sure. One that `declines` leaves no
    answer at all; it says what no sentence does, or has the `word` of the question that is not spoken of.
    """

    part: str
    said: str
    firm: bool = True
    declines: bool = False
    word: str = ""


_ACTOR = re.compile(r"[a-z]{3,}(?:er|or)")
_UNCLEAR_KIND = Lacking("asked-for kind", UNCLEAR, firm=False)


def lacks(asked: Question, found: Features, lines: Sequence[Line]) -> Lacking | None:
    """Return what the question asks for or names, and the quoted sentences or their passages lack; None: nothing.

    What share of SQuAD's answerable questions lacks something in its best sentence stands in `weights.json`. What they
    lack more than half as often as the others is not firm, but for a cause.
    """
    lacked, match = lost(found, lines), found.match
    nothing = (
        _not_written(match, lines)
        or _no_amount(match, lines)
        or _no_price(match, lines)
        or _not_named(asked, found, lacked)
    )
    nothing = nothing or _of_nothing_asked(match, lines)
    nothing = nothing or _not_counted(match, lines) or _of_another_thing(match, lines)
    if nothing := nothing or _not_introduced(match, lines):
        return nothing
    if not asked.asks and asked.kind == q.THING:
        return Lacking("asked-for kind", "nothing is asked that a document could answer")
    if match.unknown > _MOSTLY:
        return Lacking("similarity", "most words of the question are nowhere in these documents")
    if strange := _strange(asked, match.strangers(lines)):
        is_of_entity = asked.kind in {q.PERSON, q.PLACE, q.TIME, q.NUMBER}
        said = f"“{strange}” is nowhere in these documents"
        return Lacking("similarity", said, declines=is_of_entity, word=strange)
    if asked.kind == q.YES_NO:
        return Lacking("asked-for kind", "no clear yes or no")
    if asked.kind == q.CHOICE:
        return Lacking("asked-for kind", "it is not clear which of the two")
    noun = q.defines(asked)
    texts = [match.text(line) for line in lines]
    if noun is not None and not any(says_what_is(noun, match.text(one)) or _gives(noun, match, one) for one in lines):
        return Lacking("asked-for kind", f"it is not clear that this says what “{noun}” is")
    named = [one.label for line in lines for one in labels(match.read[line.passage], line.number)]
    if without_role := _without_role(match, lines, [*texts, *named]):
        return without_role
    may_name = _may_name(asked, [_unmeasured(match, line) for line in lines])
    is_head = stem(asked.head) in {stem(word) for head in named for word in tokens(head)}  # "Host: batch-01" names one
    if lacked.kind and (is_head or (asked.kind == q.PERSON and (named_person(asked) or says_who(asked, match, lines)))):
        return _beside(match, lacked, lines)
    if lacked.kind and asked.kind == q.THING:
        return _UNCLEAR_KIND if may_name else Lacking("asked-for kind", f"this names no {asked.head}")
    if lacked.kind and asked.kind in _LACKS and not (asked.kind == q.MANNER and asked.head):
        of = asked.head if q.kind_of(asked.head) == asked.kind else ""
        said = f"this names no {of}" if of else _LACKS[asked.kind]
        is_sure = of in UNITS or asked.kind in {q.CAUSE, q.MANNER} or not may_name
        return Lacking("asked-for kind", said, firm=asked.kind != q.MANNER) if is_sure else _UNCLEAR_KIND
    return _beside(match, lacked, lines)


def _gives(noun: str, match: Match, line: Line) -> bool:
    """Return whether a row or a line with a label gives the value of something: "Property: Weight; Value: 9.8 kg"."""
    found = labels(match.read[line.passage], line.number)
    keys = _run(noun)
    return any(_run(one.label) == keys for one in found) or (len(found) > 1 and _run(found[0].value) == keys)


def _not_written(match: Match, lines: Sequence[Line]) -> Lacking | None:
    """Return that sentences have nothing that looks as what is asked for does: an e-mail address."""
    wanted = written_as(match.question)
    if wanted is None or any(wanted[1].search(match.text(line)) for line in lines):
        return None
    return Lacking("asked-for kind", f"gives {wanted[0]}", declines=True)


def _no_amount(match: Match, lines: Sequence[Line]) -> Lacking | None:
    """Return that sentences have no amount where one is asked for, nor a list or rows that can be counted."""
    asked = match.question
    if not asks_amount(asked):
        return None
    for line in lines:
        passage, text = match.read[line.passage], match.text(line)
        if list_below(passage, line.number) or has_amount(asked, text, is_line=not is_spoken(text)):
            return None
    if asked.head in UNITS:
        return Lacking("asked-for kind", f"gives a figure for the {asked.head}", declines=True)
    amount = "a number" if _HOW_MANY.search(asked.text) else "an amount"
    of = f" of “{match.written(stem(asked.head))}”" if asked.head else ""
    return Lacking("asked-for kind", f"gives {amount}{of}", declines=True)


def _no_price(match: Match, lines: Sequence[Line]) -> Lacking | None:
    """Return that sentences have no sum of money, nor say that something is free, where a price is asked for."""
    asked = match.question
    if asked.kind != q.NUMBER or asked.head not in PRICES:
        return None
    texts = [f"{match.text(line)} {' '.join(heads(match.read[line.passage], line.number))}" for line in lines]
    if any(UNITS["price"].search(text) or _FREE.search(text) or _is_part_of_price(text) for text in texts):
        return None
    return Lacking("asked-for kind", "names a sum of money", declines=True)


def _is_part_of_price(text: str) -> bool:
    """Return whether a text has a share of what is paid: "half the fee", not "92 percent full"."""
    return _PART_OF_PRICE.search(text) is not None and not _PAID.isdisjoint(map(stem, tokens(text)))


def _of_another_thing(match: Match, lines: Sequence[Line]) -> Lacking | None:
    """Return that the amounts of sentences are those of other things than "how much is X" asks for.

    Only of sentences that speak of X: others may take it up from those before.
    """
    asked = match.question
    thing = priced(asked)
    if thing is None or any(not is_spoken(match.text(line)) for line in lines):
        return None
    keys = frozenset({stem(thing)})
    lines = [line for line in lines if UNITS["price"].search(match.text(line))] or lines
    spoken = [text for text in map(match.text, lines) if keys & set(map(stem, tokens(text)))]
    if not spoken and not match.speaks_of(keys, lines):
        return Lacking("asked-for kind", f"this does not speak of “{thing}”")
    if not spoken and all(gives_amount_of_own(match.text(line)) for line in lines):
        return Lacking("asked-for kind", f"this gives no amount of “{thing}”")
    if not spoken or any(gives_amount_of(text, keys) for text in spoken):
        return None
    return Lacking("asked-for kind", f"this gives no amount of “{thing}”")


def priced(asked: Question) -> str | None:
    """Return the noun of X in "how much is X" and "what does X cost"; None where a noun of number is asked for."""
    found = _OF_WHAT.fullmatch(asked.text.strip())
    words = tokens(found["thing"]) if found is not None else []
    if words and any(words[-1].lower() in claim.particles for claim in asked_claims(asked.text)):
        return None  # "how much did the premium go up"
    if len(words) > 1 and words[0].lower() == "the" and words[-1].islower():
        return words[-1]  # "show" of "the honey show" is read as a verb
    nouns = {key for key, name in asked.classes if name == "noun"}
    return next((word for word in reversed(words) if stem(word) in nouns), None)


def _of_nothing_asked(match: Match, lines: Sequence[Line]) -> Lacking | None:
    """Return that sentences, with what stands above and before them, have no word of a question that names something.

    "Man" in "Who was the first man on the Moon?" asks for any name.
    """
    asked = match.question
    keys = set(match.keys) - ({stem(asked.head)} if asked.head in _ANYONE else set())
    around = [line for line in match.lines if any(line.passage == one.passage and 0 <= one.number - line.number <= 1
                                                  for one in lines)]  # fmt: skip
    said = [*map(match.text, around), *match.titles_of(lines)]
    there = {stem(word) for text in said for word in tokens(text)}
    if not asked.names or not keys or not keys.isdisjoint(there) or synonyms(keys) & there:
        return None
    return Lacking("names", f"says this of “{listing(asked.names)}”", declines=True)


def _not_counted(match: Match, lines: Sequence[Line]) -> Lacking | None:
    """Return which of several things are not spoken of where it is asked how much there is of each."""
    said = {key for line in lines for key in map(stem, tokens(match.text(line)))}
    not_there = [noun for noun in match.question.counted if stem(noun) not in said]
    verb = "does" if len(not_there) == 1 else "do"
    return Lacking("head noun", f"“{listing(not_there)}” {verb} not stand there") if not_there else None


def _beside(match: Match, lacked: Lost, lines: Sequence[Line]) -> Lacking | None:
    """Return what makes sentences that have what is asked for doubtful: they may speak of something else."""
    asked = match.question
    if asked.main and not any(compress(match.beside(asked.main), [line in lines for line in match.lines])):
        return Lacking("similarity", f"this does not speak of “{listing(match.written(key) for key in asked.main)}”")
    texts = [match.text(line) for line in lines]
    is_count = asked.kind == q.NUMBER and asked.head and _HOW_MANY.search(asked.text)
    if is_count and not any(counts(asked, text) for text in texts):
        is_firm = match.is_nowhere(asked.head) or not any(map(has_count, texts))
        return Lacking("asked-for kind", f"it is not clear that this counts “{asked.head}”", is_firm)
    words = [word.lower() for word in tokens(asked.text)]
    if q.lasts(asked) and words[-1:] == ["last"]:  # "how long did it last?" asks for no last one
        words.pop()
    if order := {*words} & _ORDER - {w.lower() for t in texts for w in tokens(t)}:
        return Lacking("similarity", f"it is not clear that this is the “{min(order)}” one", firm=False)
    said = " ".join(texts).lower()
    if best := next((one for one in superlatives(asked.text) if one not in said), None):
        return Lacking("similarity", f"it is not clear that this is the “{best}” one", firm=False)
    if lacked.apart:
        return Lacking("names", f"it is not clear that this speaks of “{listing(lacked.apart)}”", firm=False)
    if not lacked.adds:
        return Lacking("similarity", "this says no more than the question")
    is_remark = all(_ASIDE.fullmatch(match.text(line)) for line in lines)  # in brackets alone: beside something else
    return Lacking("similarity", UNCLEAR, firm=False) if is_remark or match.uncovered(lines) else None


def superlatives(question: str) -> list[str]:
    """Return the words of a question such as "cheapest" and "most expensive"."""
    return _SUPERLATIVE.findall(question)


def _not_named(asked: Question, found: Features, lost: Lost) -> Lacking | None:
    """Return the names and numbers of the question that the passages quoted from lack."""
    if lost.others:
        key, mark = asked.labelled[0]
        other = next(filter(None, lost.others), "")
        said = f"this speaks of {other}" if other else f"this does not name {found.match.written(key)} {mark}"
        return Lacking("numbers", said)
    if lost.names:
        return Lacking("names", f"this does not name “{listing(lost.names)}”")
    return Lacking("numbers", f"this does not name {listing(lost.numbers)}") if lost.numbers else None


def _strange(asked: Question, unknown: Sequence[str]) -> str | None:
    """Return an unknown word without which a question is another one: an adjective, what is done to, a term.

    Of 432 strong answers to SQuAD's answerable questions and 302 to others 2 and 7 lack such an adjective. Other words
    may be said in other ways.
    """
    classes = dict(asked.classes)
    taken = asked_claims(asked.text) if unknown and asked.kind in _OF_ACTS else ()
    objects = frozenset[str]().union(*(claim.done_to for claim in taken))
    return next((word for word in unknown if stem(word) in objects or _TERM.search(word)
                 or (classes.get(stem(word)) == "adjective" and not word.endswith("ly"))), None)  # fmt: skip


def _role(asked: Question) -> str:
    """Return the whole of the role that "who was the flight director" asks for; none where it is long or not one."""
    if asked.kind != q.PERSON or not asked.head or asked.head in _ANYONE:
        return ""
    found = [phrase for phrase in asked.phrases if f" {stem(asked.head)} " in _run(phrase)]
    return found[0] if found and len(found[0].split()) <= _LONGEST_ROLE else ""


def _without_role(match: Match, lines: Sequence[Line], texts: Sequence[str]) -> Lacking | None:
    """Return that texts do not have the role that is asked for; or, where they have its verb, that this is unclear."""
    asked = match.question
    role = _role(asked)
    if not role or any(_as_written(role) in _as_written(text) for text in texts):
        return None
    verb = rf"\b{re.escape(asked.head[:-2])}(?:e?s|e?d|ing)\b"  # who commanded is a commander
    does = role == asked.head and _ACTOR.fullmatch(role) and any(re.search(verb, text) for text in texts)
    if does:
        return None if any(acts_as(asked, match, line) for line in lines) else _UNCLEAR_KIND
    return Lacking("head noun", f"this names no {role}")


def _run(text: str) -> str:
    """Return the stems of the words of a text in a row."""
    return f" {' '.join(map(stem, tokens(text)))} "


def _as_written(text: str) -> str:
    """Return the words of a text in a row, in small letters and without a plural's end."""
    return f" {' '.join(word.lower().removesuffix('s') for word in tokens(text))} "


def _not_introduced(match: Match, lines: Sequence[Line]) -> Lacking | None:
    """Return that no sentence says who somebody is, where that is asked."""
    name = named_person(match.question)
    if not name or any(introduces(name, match.text(line)) for line in lines):
        return None
    return Lacking("asked-for kind", f"it is not clear that this says who {name} is")


def _may_name(asked: Question, texts: Iterable[str]) -> bool:
    """Return whether sentences have a capital or a number of their own, which may be what is asked for."""
    pattern = _DIGIT if asked.kind in {q.NUMBER, q.TIME} else _PERSON if asked.kind == q.PERSON else _CAPITAL
    there = {stem(word) for word in tokens(asked.text)}
    return any(is_content(word) and stem(word) not in there for text in texts for word in pattern.findall(text))


def _unmeasured(match: Match, line: Line) -> str:
    """Return a line without its times and amounts, where no time or number is asked for: "October 1968" names none."""
    text = match.text(line)
    if match.question.kind not in {q.NUMBER, q.TIME}:
        for entity in match.sentence(line).entities:
            text = text.replace(entity.text, " ") if entity.kind in MEASURED else text
    return text


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


def not_covered(missing: Collection[str]) -> list[str]:
    """Return the sentence that names the words no evidence covers; none where there is no such word."""
    return [f"Not found in these passages: {listing(missing)}."] if missing else []


def listing(words: Iterable[str], last: str = "", form: str = "{}") -> str:
    """Return words separated by commas, by `last` before the last one; of many the first few, and how many more.

    Each stands as `form` says, which may put quotation marks around it.
    """
    short = [form.format(truncate(word, _LONGEST_WORD)) for word in words]
    if len(short) > _NAMED + 1:
        return f"{', '.join(islice(short, _NAMED))} {last or 'and'} {len(short) - _NAMED:,} more words"
    head, tail = (short[:-1], short[-1:]) if last and len(short) > 1 else ([], short)
    return f"{', '.join(head)} {last} {tail[0]}" if head else ", ".join(tail)
