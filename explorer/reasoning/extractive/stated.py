"""Whether a quotation states outright what was asked: only such an answer is sure.

Asked of answers that are strong and lack nothing. One sentence, with the headings and the title above it and the
sentence before, must have every word of the question, in some form, and what is asked for in the place that the
question leaves open: the doer of its verb, a number that counts its noun, a cause or a way that is named as one.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from explorer.language import questions as q
from explorer.language import spelling
from explorer.language.claims import Claim, asked_claims, claims, is_instruction
from explorer.language.synonyms import synonyms
from explorer.language.words import stem, stem_set, tokens
from explorer.reasoning.extractive.features import NEGATION
from explorer.reasoning.extractive.kinds import asks_count, counts_just, says_what_is, tells_cause
from explorer.reasoning.extractive.lines import PRONOUN
from explorer.reasoning.extractive.matching import Line

if TYPE_CHECKING:
    from explorer.language.questions import Question
    from explorer.reasoning.extractive.features import Features
    from explorer.reasoning.extractive.matching import Match

_BY_ENTITY = frozenset({q.TIME, q.NUMBER, q.PLACE})
_KIN = 5  # first letters that two forms of a word share
_CERTAIN = 0.9  # of a named entity: of the kind that is asked for
_WAY = re.compile(
    r"\b(?:by (?:means|way) of|by (?:\w+ly )?\w+ing|using|via|through|with the (?:help|aid) of)\b", re.IGNORECASE
)
_ADVICE = re.compile(
    r"\b(?:you|we|users?|one) (?:can|could|may|should|must|need to|have to|will need to)\b", re.IGNORECASE
)
_IS = re.compile(
    r"\W*(?:(?:is|was|are|were|will be|named|called|being)\W*)?(?:the |an? |our |its |their )?", re.IGNORECASE
)
_COMPARED = re.compile(r"\b(?:than|compared (?:with|to)|as against|as opposed to|unlike)\b[^.;]*", re.IGNORECASE)
_ASIDE = re.compile(r"\([^()]*\)")
_EMPTY = frozenset("be have do become happen occur go get exist take cause make know mean call name".split())
_HAVING = frozenset(
    "have be employ include contain comprise number total consist hold own count feature house carry list".split()
)
_WITH_OBJECT = frozenset({"take", "make", "do"})  # which say little but of what is taken or made
_FROM, _TO = ("from", "off", "out"), ("to", "into", "onto", "toward", "towards")
_TURNED = {  # prepositions, each with those that turn it round
    **dict.fromkeys(_FROM, _TO), **dict.fromkeys(_TO, _FROM), "before": ("after", "since"), "after": ("before",),
    "with": ("without",), "without": ("with",), "for": ("against",), "against": ("for",),
}  # fmt: skip
_WHEN = frozenset({"after", "before", "during", "since", "until"})
_OPEN = frozenset("someone somebody anyone everyone one nobody it they he she we you which that who".split())


def is_stated(asked: Question, found: Features, lines: Sequence[Line]) -> bool:
    """Return whether one of the lines states what was asked."""
    match = found.match
    return any(_says_all(asked, match, line) and _has_answer(asked, found, line) for line in lines)


def _says_all(asked: Question, match: Match, line: Line) -> bool:
    """Return whether a line, what stands above it, or the line before it has all words of a question."""
    if NEGATION.search(asked.text) and not NEGATION.search(match.text(line)):
        return False
    before = [match.text(one) for one in match.lines if one == Line(line.passage, line.number - 1)]
    said = [_ASIDE.sub(" ", match.text(line)), *before, *match.titles_of([line])]
    there = {key for text in said for key in stem_set(text)}
    there |= {form for claim in claims(match.text(line)) for form in claim.forms}
    left_open = {stem(word) for word in (asked.head, *_EMPTY, *q.NOUNS) if word} if asked.kind != q.THING else {
        stem(word) for word in _EMPTY}  # fmt: skip
    return all(key in left_open or _is_said(key, there, match) for key in match.keys)


def _is_said(key: str, there: Collection[str], match: Match) -> bool:
    word = match.written(key)
    return (key in there or stem(match.spelt.get(word, word)) in there or any(_is_form(key, other) for other in there)
            or not synonyms([key]).isdisjoint(there) or spelling.meant(key, there) is not None)  # fmt: skip


def _is_form(key: str, other: str) -> bool:
    """Return whether two stems are likely of one root, as "investig" and "investigator"."""
    return len(key) >= _KIN and key[:_KIN] == other[:_KIN] and (key.startswith(other) or other.startswith(key))


def _has_answer(asked: Question, found: Features, line: Line) -> bool:
    """Return whether a line has what is asked for where the question leaves it open."""
    match, text = found.match, found.match.text(line)
    at = match.lines.index(line)
    if (noun := q.defines(asked)) is not None:
        return says_what_is(noun, text)
    if not says_the_same(asked, match, line):
        return False
    if asks_count(asked) and asked.head and not (counts_just(asked, text) and is_had(asked, text)):
        return False
    if any(number in text and number not in _COMPARED.sub(" ", text) for number in asked.numbers):
        return False
    if asked.kind in _BY_ENTITY:
        return float(found.named("kind")[at]) >= _CERTAIN
    if asked.kind == q.CAUSE:
        return _has_state(asked, text) and tells_cause(text)
    if asked.kind == q.MANNER:
        return bool(_WAY.search(text) or _ADVICE.search(text)) or is_instruction(text)
    taken = [claim for claim in asked_claims(asked.text) if claim.asked and claim.verb not in _EMPTY]
    known = set(match.keys)
    light = [claim for claim in asked_claims(asked.text)
             if claim.asked == "doer" and claim.verb in _WITH_OBJECT and claim.done_to]  # fmt: skip
    if not taken and light:
        said = claims(text)
        return any(
            _fills(claim, one, known) and _agrees(claim, one, _taken_up(asked, claim, one, said[:at]), goes_on=False)
            for claim in light
            for at, one in enumerate(said)
        )
    if not taken and asked.kind == q.PERSON:
        return _names_beside(asked, match, line) or acts_as(asked, match, line)
    if not taken:
        return any(one.verb == "be" and stem(asked.head) in one.doer | one.done_to and one.parts - known
                   for one in claims(text))  # fmt: skip
    return any(_fills(claim, one, known) for claim in taken for one in claims(text))


def _has_state(asked: Question, text: str) -> bool:
    """Return whether a sentence speaks of what "why were they short of power" asks the cause of."""
    there = {form for key in stem_set(text) for form in (key, *synonyms([key]))}
    of = [claim.done_to | claim.rest for claim in asked_claims(asked.text) if claim.verb == "be"]
    return all(any(_is_form(part, one) or part == one for one in there) for parts in of for part in parts)


def acts_as(asked: Question, match: Match, line: Line) -> bool:
    """Return whether a line says of a person the verb of a role that is asked for, of just what that is of.

    "Jim Lovell commanded Apollo 13" says who was the commander of Apollo 13; who is it now is said in the present.
    """
    being = next((claim for claim in asked_claims(asked.text) if claim.verb == "be" and claim.asked), None)
    of = being.parts - {stem(asked.head)} if being is not None else frozenset[str]()
    if being is None or not of or not asked.head or asked.kind != q.PERSON:
        return False
    verbs = {stem(f"{asked.head[:-cut]}{end}") for cut, end in ((2, ""), (1, ""), (2, "e"), (3, ""))}
    people = {stem(word) for one in match.sentence(line).entities if one.kind == "person" for word in tokens(one.text)}
    is_now = being.word.lower() in {"is", "are"}
    return any(
        bool(one.forms & verbs) and of <= one.done_to and bool(one.doer & people) and one.doer.isdisjoint(of)
        and not one.is_denied and not one.is_unreal and not (is_now and not one.word.endswith("s"))
        for one in claims(match.text(line))
    )  # fmt: skip


def is_had(asked: Question, text: str) -> bool:
    """Return whether a sentence says that so many there are, where "how many X has Y" asks it, and not what was done to
    so many: "lay off 18,000 employees".
    """
    said = claims(text)
    if not said or any(claim.verb not in {"have", "be"} for claim in asked_claims(asked.text)):
        return True
    key = stem(asked.head)
    is_done = any(key in one.done_to for one in said if one.verb not in _HAVING)
    return not is_done and any(one.verb in _HAVING and key in one.parts for one in said)


def says_the_same(asked: Question, match: Match, line: Line) -> bool:
    """Return whether each verb of a question has in a line those who do it, and what it is done to, in their places."""
    text = match.text(line)
    above = {stem(word) for title in match.titles_of([line]) for word in tokens(title)}
    open_ = {stem(asked.head)} if asked.head else set()
    goes_on = PRONOUN.match(text) is not None
    checked = [claim for claim in claims(q.readable(asked.text)) if claim.verb not in _EMPTY]
    said = claims(text)
    beside = {part for one in said for preposition, part in one.behind if preposition in _WHEN}
    beside = beside.difference(*(one.doer | one.done_to for one in said))  # "The board found much after the fire"
    if any(claim.asked == "doer" and claim.done_to & beside for claim in asked_claims(asked.text)):
        return False
    return all(
        any(_agrees(claim, one, open_ | above.difference(one.parts) | _taken_up(asked, claim, one, said[:at]),
                    goes_on=goes_on) for at, one in enumerate(said))
        for claim in checked
    )  # fmt: skip


def _taken_up(asked: Question, claim: Claim, one: Claim, before: Sequence[Claim]) -> set[str]:
    """Return what a clause need not say again, as one before it in its sentence has said it.

    What "the minutes" belong to, where nothing else stands with them: "The next meeting is on 16 May, and Joan Crick
    will take the minutes." And where it is, of what is asked why: "The pipe to the terrace is narrow, which is why …".
    """
    if one.is_denied:
        return set()
    said = {part for other in before if not other.is_denied for part in other.doer}
    bare = len(one.done_to) == 1 and one.done_to <= claim.done_to and not one.rest
    of_object = claim.done_to - one.done_to if bare else frozenset[str]()
    is_reason = (
        asked.kind == q.CAUSE and bool(one.doer) and one.doer <= claim.parts and not claim.done_to and not one.rest
    )
    of_place = claim.rest - one.parts if is_reason else frozenset[str]()
    return {part for part in of_object | of_place if part in said}


def _agrees(asked: Claim, said: Claim, but: Collection[str], *, goes_on: bool) -> bool:
    """Return whether two claims have one verb, and what the first has in a place stands there in the second.

    `but`: parts that need not stand there, as they are asked for or a heading has them.
    """
    if said.is_denied != asked.is_denied or not said.forms & (asked.forms | synonyms(asked.forms)):
        return False
    if any(_is_turned(preposition, part, said) for preposition, part in asked.behind):
        return False
    doer, done_to = asked.doer.difference(but), asked.done_to.difference(but)
    if asked.asked == "doer" and asked.done_to and said.done_to and said.parts.isdisjoint(asked.done_to):
        return False  # "John Young commanded the backup crew" below "Apollo 13"
    has_doer = doer <= said.doer or (goes_on and not said.doer)
    beside = {"doer": said.done_to | said.rest, "done_to": said.doer | said.rest}.get(asked.asked, said.parts)
    return has_doer and done_to <= said.done_to | said.rest and asked.rest.difference(but) <= beside


def _is_turned(preposition: str, part: str, said: Claim) -> bool:
    """Return whether a part stands in a claim only behind what turns a preposition round, as "to" for "from"."""
    found = {one for one, other in said.behind if other == part}
    return not found.isdisjoint(_TURNED.get(preposition, ())) and preposition not in found


def _fills(asked: Claim, said: Claim, known: Collection[str]) -> bool:
    """Return whether a claim has, with the same verb, something new in the place that is asked for."""
    forms = asked.forms | synonyms(asked.forms)
    given = said.doer if asked.asked == "doer" else said.done_to | said.rest
    return not said.is_denied and bool(said.forms & forms) and bool(given.difference(known, _OPEN))


def _names_beside(asked: Question, match: Match, line: Line) -> bool:
    """Return whether a person's name stands beside the role that is asked for: "Kranz, the flight director"."""
    text = match.text(line)
    role = stem(asked.head)
    roles = [one.span() for one in re.finditer(r"[\w-]+", text) if stem(one[0]) == role]
    names = [(text.find(one.text), one.text) for one in match.sentence(line).entities if one.kind == "person"]
    spans = [(start, start + len(name)) for start, name in names if start >= 0]
    return any(_IS.fullmatch(text[min(one[1], two[1]) : max(one[0], two[0])].strip(" ,:()–—")) is not None
               for one in roles for two in spans)  # fmt: skip
