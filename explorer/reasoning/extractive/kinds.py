"""Whether a sentence has what a question asks for: a person, a time, a number with its unit, a cause."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING

from explorer.language import questions as q
from explorer.language.sentences import Labelled
from explorer.language.words import LABELLED, content_stems, is_content, stem, tokens

if TYPE_CHECKING:
    from explorer.language.questions import Question
    from explorer.reasoning.protocol import SourceEntity

_BEFORE_CAUSE = re.compile(
    r"\b(?:because|since|due to|owing to|thanks to|caused by|as a (?:result|consequence) of|result(?:s|ed|ing)? from|"
    r"for fear|reasons?|in order to|in response to|to (?:avoid|protect|keep|make|allow|prevent|ensure)|so as to)\b",
    re.IGNORECASE,
)
_AFTER_CAUSE = re.compile(
    r"\b(?:so that|(?<=, )so(?! (?:far|much|many|long|on)\b)|therefore|thus|hence|consequently|"
    r"as a (?:result|consequence)(?! of)|caus(?:e|es|ed|ing)(?! by)|"
    r"led to|lead(?:s|ing)? to|result(?:s|ed|ing)? in|prevent(?:s|ed|ing)?|forc(?:es|ed|ing)|made it|which is why|"
    r"which was why)\b",
    re.IGNORECASE,
)
_LIKELY_CAUSE = re.compile(r"\b(?:could not|couldn[’']t|would have|would not|was not|were not|had no)\b", re.IGNORECASE)
_UNREAL = re.compile(r"\W*(?:had|were|should|if|unless)\b", re.IGNORECASE)  # "Had it failed later, … would have …"
_MANNER = re.compile(
    r"\b(by|through|using|via|with|means|method|process|technique|first|then|so that|\w+ly)\b", re.IGNORECASE
)
_AMOUNT = re.compile(
    r"\d+(?:[.,:]\d+)*|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|twenty|thirty|forty|"
    r"fifty|sixty|seventy|eighty|ninety|dozens?|hundreds?|thousands?|[mb]illions?|half|once|twice|no|none|several)\b",
    re.IGNORECASE,
)
_LASTING = re.compile(
    r"\b(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|decades?|centur(?:y|ies)|overnight)\b|-year",
    re.IGNORECASE,
)
_OFTEN = re.compile(
    r"\b(?:every|each|per|once|twice|times|hourly|daily|nightly|weekly|monthly|quarterly|yearly|annually|regularly|"
    r"continuously|constantly|always|frequently|occasionally|rarely|seldom|never|an hour|"
    r"a (?:second|minute|day|week|month|year))\b", re.IGNORECASE
)  # fmt: skip
_SITUATED = re.compile(
    r"\b(?:located|situated|positioned|placed|mounted|fitted|installed|fixed|attached|stored|kept|found|hidden|lies|"
    r"lay|stands|stood|sits|sat) (?:\w+ly )?(?:at|in|inside|on|under|underneath|above|below|behind|beside|between|"
    r"near|next to|against|within|outside|beneath|along|around) (?!(?:good |the )?(?:favou?r|case|fact|order)\b)"
    r"(?:\w+ ){0,3}\w{3,}", re.IGNORECASE
)  # fmt: skip
_DONE_AT = re.compile(
    r"(?P<verb>\w+) (?:only )?(?P<at>(?:at|in|inside|on|under|above|below|behind|beside|near|outside|along) "
    r"(?:the|a|an|its|his|her|their|our) (?!(?:first|last|same|next|case|fact|order|end|time|year|month|week|day|"
    r"morning|evening|afternoon|night|spring|summer|autumn|winter|event|course|beginning)\b)\w{3,})", re.IGNORECASE
)  # fmt: skip
_ONLY_LASTING = re.compile(
    r"\W*(?:(?:about|around|some|nearly|almost|only|just|over|under|roughly|approximately|at|least|most|than|more|less|"
    r"the|a|an|and|half|few|several|[\d.,]+|[a-z]+(?:-[a-z]+)?) ){1,5}(?:seconds?|minutes?|hours?|days?|weeks?|months?|"
    r"years?|decades?)\W*", re.IGNORECASE
)  # fmt: skip
_REPEATED = re.compile(r"(?:the )?(?:annual|yearly|quarterly|monthly|weekly|daily|nightly|hourly)", re.IGNORECASE)
_SPELT = {
    "temperature": r"° ?[CFK]?|degrees?|celsius|fahrenheit|kelvins?|[\d ][CFK]",
    "voltage": r"volts?|[mk]?V",
    "pressure": r"psia?|[kM]?Pa|pascals?|m?bars?|mmHg|atm\w*|torr|millimet\w+|pounds?|kg/cm\S*|inches of",
    "speed": r"mph|km/h|kph|kmh|knots?|m/s|ft/s|mach|(?:\w+) (?:per|an?) (?:second|minute|hour)",
    "weight": r"kg|kilograms?|kilos?|g|grams?|mg|milligrams?|pounds?|lbs?|t|tons?|tonnes?|ounces?|oz|stones?",
    "distance": r"[kcmn]?m|ft|mi|met(?:er|re)s?|\w+met(?:er|re)s?|miles?|f(?:ee|oo)t|inch(?:es)?|yards?",
    "price": r"dollars?|euros?|pounds?(?! (?:of|per|heav|light|force))|cents?|francs?|marks?|yen|rupees?|[mb]illions?|"
             r"USD|EUR|GBP",
    "percent": r"%|per ?cent\w*|proportion|fraction|half|third|quarter",
}  # fmt: skip
_SPELT |= {
    "mass": _SPELT["weight"],
    "percentage": _SPELT["percent"],
}
_MONEY = "cost money revenue income profit salary wage budget fee debt turnover rent refund donation balance".split()
_SPELT |= dict.fromkeys(_MONEY, _SPELT["price"])
_SPELT |= dict.fromkeys(("height", "depth", "length", "width"), _SPELT["distance"])
_SUMS = r"|[$€£¥]|(?<![\d.,])\d+[.,]\d\d(?=\)?(?:[.;,]?\s*$|[.;,]\s|\s(?:a|an|per|each)\b))"  # "the rye is 17.80"
UNITS = {
    noun: re.compile(rf"(?<![A-Za-z])(?:{unit})(?!\w){_SUMS if noun in {'price', *_MONEY} else ''}")
    for noun, unit in _SPELT.items()
}  # fmt: skip
_SHARE = re.compile(
    r"\b(?:half|(?:one|two) thirds?|a third of|a quarter of|three quarters|double|all|most|none|nothing|everything|"
    r"enough|hardly any|too much|as much)\b", re.IGNORECASE
)  # fmt: skip
_NAMED = re.compile(r"\b(?:nos?|nr)\.\s?\d+(?:[./-]\d+)*|\bnumber \d+", re.IGNORECASE)
_COUNTED_AFTER, _COUNTED_WORDS = 60, 4  # code points and words behind a number, in which stands what it counts
_SAID_OF = re.compile(r"(?P<noun>\w+)(?: (?:is|are|was|were|of|to|at)|[:;|])? (?:about |around |over |nearly |some )?$")
_PICKED = re.compile(
    r"\b(?:the other|the last|the first|no|every|any|some|each|this|that|another|which) $", re.IGNORECASE
)
_PICKING = re.compile(r" of (?:the|them|these|those|its|his|her|their|our|us|whom|which)\b", re.IGNORECASE)
_WHAT = r"\b(?:what|which|give|tell)\b[^?]*"
_LOOKS = [(name, re.compile(_WHAT + asks, re.IGNORECASE), re.compile(look)) for name, asks, look in (
    ("an e-mail address", r"\be-?mail(?:[ -]address)?\b", r"[\w.+-]+@\w[\w-]*\.\w"),
    ("a telephone number", r"\b(?:(?:tele)?phone|mobile|fax|cell)(?:[ -]number)?\b",
     r"(?<![\w.,])[+(]?\d(?:[ ()/.-]?\d){5,}"),
    ("a web address", r"\b(?:website|web (?:site|page|address)|url|homepage)\b",
     r"https?://|\bwww\.|\w\.(?:com|org|net|info|eu|io|example|[a-z]{2}/)\b"),
)]  # fmt: skip
_DEGREE = re.compile(
    r"\s?(?:° ?[CFK]?|degrees?|celsius|fahrenheit|kelvins?|mph|km/h|kph|kmh|knots?|m/s|volts?|[mk]?V)(?!\w)",
    re.IGNORECASE,
)
_DEGREES = re.compile(rf"\d{_DEGREE.pattern}", re.IGNORECASE)
_MANY, _MONEY_SIGNS = re.compile(r"\bmany\b", re.IGNORECASE), frozenset("$€£¥")
_LARGE = frozenset("dozen dozens hundred hundreds thousand thousands million millions billion billions".split())
_UNIT_AFTER = 25  # code points after a number in which its unit stands
_DATE = re.compile(
    r"\d:\d\d|\b(?:1[0-9]|20)\d\d\b|\b(?:\d{1,2}(?:st|nd|rd|th)? )?(?:January|February|March|April|June|July|August|"
    r"September|October|November|December)\b(?: \d{1,2}\b)?|\b\d{1,2} May\b|\bMay \d{1,2}\b|"
    r"\b(?:\d{1,2}(?:st|nd|rd|th)|[a-z]+(?:th|st|nd|rd)) century\b|"
    r"\b\w+(?= (?:o'clock|o’clock|in the (?:morning|afternoon|evening))\b)"
)
_SOMEONE = re.compile(r"(?<![A-Z][a-z] )\b(?!The\b|An?\b|In\b|On\b|At\b)[A-Z][a-z]+ (?:[A-Z]\. )?[A-Z][a-z]+")
_DOING = (
    "(?:(?:is|was|are|were)(?! not)|became|becomes|led|leads|runs?|ran|commanded|chair\\w*|heads?|headed|"
    "works?|worked|served?|serves|owns?|founded)"
)
_APART = "(?:was|were|is|are|had|has|have|by|to|of|in|on|at|near|for|with|and|from)"  # ends a noun phrase
_NUMBER_OF = frozenset(map(stem, "number total of".split()))
_UNSURE = 0.6  # of a person where a name, an organisation or a group stands, of a place likewise
_NATIONS = frozenset({"country", "nation", "state"})


def tells(question: Question, text: str, asked: Mapping[str, str]) -> bool:
    """Return whether a sentence tells why or how, where a question asks that; `asked` are the question's stems."""
    if question.kind == q.MANNER:
        return _MANNER.search(text) is not None
    if question.kind != q.CAUSE:
        return False
    likely = None if _UNREAL.match(text) else _LIKELY_CAUSE.search(text)
    is_asked = _LIKELY_CAUSE.search(question.text) is not None or " not " in question.text
    return _explains(text, asked, fewest=0) or (likely is not None and not is_asked)


def _explains(text: str, asked: Mapping[str, str], fewest: int) -> bool:
    """Return whether a text explains what is asked: before "because", or behind "so that", in one sentence."""
    for pattern, is_before in ((_BEFORE_CAUSE, True), (_AFTER_CAUSE, False)):
        for match in pattern.finditer(text):
            start = text.rfind(". ", 0, match.start()) + 1
            sentence = text[start : end if (end := text.find(". ", match.end())) >= 0 else len(text)]
            places = [start + word.start() for word in re.finditer(r"\w+", sentence)
                      if stem(word[0]) in asked and is_content(word[0])]  # fmt: skip
            found = sum((place < match.start()) == is_before for place in places)
            is_why = match[0].lower().endswith(" why") and found > 0  # what stands before it may name the place
            opens = is_why or (is_before and not text[start : match.start()].strip())
            if len(places) >= fewest and (opens or 2 * found >= len(places)):
                return True
    return False


def counts(question: Question, text: str) -> bool:
    """Return whether a text says how many there are of what "how many X" asks: a number stands close before the X.

    Or behind it, in a row or after "is".
    """
    head = stem(question.head)
    for match in _numbers(text):
        behind = list(takewhile(_is_counted, tokens(text[match.end() : match.end() + _COUNTED_AFTER])))
        before = _SAID_OF.search(text[: match.start()]) if match[0].lower() != "no" else None  # "a team no later"
        if head in map(stem, behind[:_COUNTED_WORDS]) or (before and stem(before["noun"]) == head):
            return True
    return False


def counts_just(question: Question, text: str) -> bool:
    """Return whether a text counts what "how many X" asks, and no others: "no junior members" are not the members."""
    head, known = stem(question.head), {stem(word) for word in tokens(question.text)}
    for match in _numbers(text):
        behind = [*map(stem, takewhile(_is_counted, tokens(text[match.end() : match.end() + _COUNTED_AFTER])))]
        if head in behind and all(key in known or not is_content(key) for key in behind[: behind.index(head)]):
            return True
        before = _SAID_OF.search(text[: match.start()])
        if before and stem(before["noun"]) == head:
            return True
    return False


def asks_count(question: Question) -> bool:
    """Return whether a question asks how many there are."""
    return question.kind == q.NUMBER and re.search(r"\bhow many\b", question.text, re.IGNORECASE) is not None


def is_of_substance(question: Question) -> bool:
    """Return whether a question asks how much there is of something: an amount, which degrees and speeds are not."""
    return bool(question.head) and question.head not in UNITS and re.search(
        r"\bhow much\b", question.text, re.IGNORECASE) is not None  # fmt: skip


def _marks(text: str) -> set[int]:
    """Return where the numbers stand that mark a thing: "Apollo 13", "tank no. 2"."""
    return {match.start("label") for match in LABELLED.finditer(text)
            if match["mark"] or (match["noun"][0].isupper() and is_content(match["noun"]))}  # fmt: skip


def _numbers(text: str) -> Iterator[re.Match[str]]:
    """Yield the numbers of a text that are no part of a date or a time of day, nor of a name: "forklift no. 7"."""
    times = [match.span() for of in (_DATE, _NAMED) for match in of.finditer(text)]
    return (match for match in _AMOUNT.finditer(text)
            if not any(start < match.end() and match.start() < end for start, end in times))  # fmt: skip


def _is_counted(word: str) -> bool:
    """Return whether a word may stand between a number and what it counts: "five (5) of our strong teams"."""
    return is_content(word) or word.isdigit() or word.lower() in {"of", "the", "our", "other", "more", "different"}


def names_kind(question: Question, text: str) -> bool:
    """Return whether a text has the kind of thing asked for, by its words alone: its entities are not known."""
    asked = {stem(word): word for word in tokens(question.text)}
    if question.kind == q.CAUSE:
        return _explains(text, asked, fewest=1)
    if question.kind == q.TIME:
        pattern = _OFTEN if question.head in q.REPEATING else _LASTING if q.lasts(question) else _DATE
        return pattern.search(text) is not None
    if question.kind == q.NUMBER:
        times = [match.span() for match in _DATE.finditer(text)]
        return any(not any(first <= start < last for first, last in times)
                   for _, start, _ in _amounts(question, (), asked, text))  # fmt: skip
    if question.kind == q.PERSON:
        return any(not {stem(word) for word in tokens(name)} <= asked.keys() for name in _SOMEONE.findall(text))
    return False


def kind_in(
    question: Question,
    entities: Sequence[SourceEntity],
    asked: Mapping[str, str],
    text: str,
    said: Sequence[Labelled] = (),
) -> tuple[float, float]:
    """Return whether a sentence has an entity of the kind that is asked for, which the question does not name.

    Or says such a thing under a label. And how near that stands to the question's words (1: beside one).
    """
    wanted = question.entities
    if not wanted:
        return 0.0, 0.0
    found = []
    if question.head in q.REPEATING:
        wanted, found = frozenset(), [(1.0, *match.span()) for match in _OFTEN.finditer(text)]
    for line in said:
        if sure := _says_of_label(question, line, asked):
            found.append((sure, line.start, line.start + len(line.value)))
    for entity in entities:
        named = content_stems(entity.text) <= set(asked)
        if entity.kind in wanted and not named and (weight := _weight(question, entity, text)):
            found.append((weight, entity.start, entity.end))
    if question.kind == q.TIME and not q.lasts(question):
        found += [(1.0, match.start(), match.end()) for match in _DATE.finditer(text)
                  if not all(stem(word) in asked for word in tokens(match[0]))]  # fmt: skip
    if question.kind == q.PLACE and not found:
        found = [(_UNSURE, *match.span()) for match in _SITUATED.finditer(text)]
        found += [(_UNSURE, *match.span("at")) for match in _DONE_AT.finditer(text) if stem(match["verb"]) in asked]
    if question.kind == q.NUMBER and not found:
        found = list(_amounts(question, entities, asked, text))
    if question.kind == q.NUMBER and not found and question.head and counts(question, text):  # "two months' notice"
        found = [(1.0, *match.span()) for match in _numbers(text)]
    places = [match.start() for match in re.finditer(r"\w+", text) if stem(match[0]) in asked] if found else []
    near = 0.0
    for weight, start, end in found:
        apart = [min(abs(place - start), abs(place - end)) for place in places if not start <= place < end]
        near = max(near, weight / (1 + min(apart, default=200) / 30))
    return max((weight for weight, _, _ in found), default=0.0), near


def _says_of_label(question: Question, line: Labelled, asked: Mapping[str, str]) -> float:
    """Return how surely a label's value is what is asked for: a label that is named, and a value that may be such."""
    words = [stem(word) for word in tokens(line.label)]
    label = [word for word in words if word not in _NUMBER_OF] or words  # "Number of employees" has employees
    may_be = line.value[0].isupper() if question.kind == q.PERSON else any(map(str.isdigit, line.value))
    unit = UNITS.get(question.head) if question.kind == q.NUMBER else None
    if unit is not None and stem(question.head) not in label and not unit.search(line.value):
        return 0.0
    if not label or label[-1] not in asked or not (may_be or question.kind == q.PLACE):
        return 0.0
    return 1.0 if asked.keys() >= set(label) else _UNSURE


def _weight(question: Question, entity: SourceEntity, text: str) -> float:
    """Return how surely an entity is of the kind asked for: 1, less where it may be, 0 where it is not."""
    if question.kind == q.PERSON:
        is_role = bool(question.head)
        if entity.kind == "person":
            return 1.0
        is_code = "_" in entity.text or any(map(str.isdigit, entity.text))
        if is_code or (is_role and (entity.kind != "name" or " " not in entity.text)):
            return 0.0
        return _UNSURE
    if question.kind == q.TIME:
        if question.head == "period":  # "a four hour period", "from 1950 to 1960"
            return 1.0
        is_no_date = _ONLY_LASTING.fullmatch(entity.text) or _REPEATED.fullmatch(entity.text)
        return float(_LASTING.search(entity.text) is not None if q.lasts(question) else not is_no_date)
    if question.kind == q.PLACE and entity.kind != "place":
        return _UNSURE if entity.kind != "group" or question.head in _NATIONS else 0.0
    if question.kind == q.NUMBER and question.head in UNITS:
        after = text[max(0, entity.start - 1) : entity.end + _UNIT_AFTER]  # a sign of money stands before
        return float(UNITS[question.head].search(after) is not None)
    if is_of_substance(question):
        return float(_DEGREES.search(text[entity.start : entity.end + _UNIT_AFTER // 5]) is None)
    return 1.0


def _amounts(
    question: Question, entities: Sequence[SourceEntity], asked: Mapping[str, str], text: str
) -> Iterator[tuple[float, int, int]]:
    """Yield numbers that no entity was found for: none of a time or a name, and none that marks a noun."""
    marks = _marks(text)
    for match in _AMOUNT.finditer(text):
        inside = any(one.start <= match.start() < one.end and one.kind not in q.ENTITIES[q.NUMBER] for one in entities)
        unit = UNITS.get(question.head)
        is_one = (
            unit.search(text, max(0, match.start() - 1), match.end() + _UNIT_AFTER) if unit is not None else not inside
        )
        is_one = is_one and not (is_of_substance(question) and _DEGREE.match(text, match.end()))
        if is_one and match.start() not in marks and stem(match[0]) not in asked:
            yield 1.0, match.start(), match.end()
