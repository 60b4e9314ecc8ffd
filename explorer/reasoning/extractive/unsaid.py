"""What a question takes for granted, or asks of somebody, and the quoted sentences do not say, by their grammar.

Only what is quoted is parsed, and the question. What is not said keeps an answer from being strong.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from explorer.language import questions as q
from explorer.language.claims import (
    Claim,
    asked_claims,
    belongings,
    circumstances,
    claims,
    classes_of_names,
    described,
    narrowed,
    topics,
)
from explorer.language.opposites import listed_opposites
from explorer.language.synonyms import synonyms
from explorer.language.words import is_content, stem, tokens
from explorer.reasoning.extractive.coverage import has_digit
from explorer.reasoning.extractive.kinds import tells
from explorer.reasoning.extractive.matching import is_nowhere
from explorer.reasoning.extractive.support import Lacking, listing
from explorer.reasoning.extractive.vocabulary import vocabulary

if TYPE_CHECKING:
    from explorer.language.questions import Question
    from explorer.language.sentences import Labelled
    from explorer.reasoning.extractive.matching import Line, Match

_UNCHECKED = frozenset(
    "be have do become happen come go get occur exist try want like start begin manage seem appear let cause "
    "can could may might must shall should will would tell explain describe mean achieve accomplish".split()
)
"""Verbs that a sentence need not have to answer: they say little, or are said in too many ways."""

_GOING_ON = frozenset("last take run stay remain continue keep wait serve hold spend work live reign".split())
"""Verbs of duration, which "from 1950 to 1960" answers without them."""
_PAYING = frozenset("pay cost charge spend owe".split())
"""Verbs of a price, which a sum answers without them."""
_LENGTH = re.compile(
    r"(?<!\bby )(?<!\bby about )\b(?:\d[\d.,]*|an?|half|[a-z]+)(?: (?:and a half|and a quarter|or \w+|to \w+))? "
    r"(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|decades?)\b(?! (?:after|before|later|earlier|ago)\b)"
    r"|-(?:second|minute|hour|day|week|month|year)\b|\d{4}\W+(?:to\W+|and\W+)?(?:\d{4}|\d\d\b)|overnight", re.IGNORECASE
)  # fmt: skip
"""How long something lasts, not by how much it is longer or when it is."""
_OF_ANY_TIME = frozenset(map(stem, "date time year month day since from until when".split()))
_LIKE = 0.3  # cosine from which the head of a column is about a word of the question: "earn" and "salary" have 0.33

# Of SQuAD's 1,299 answerable questions and 1,529 others, with this cosine, 232 and 306 lack the verb, most of them said
# in other words: so it keeps an answer from being sure, and no more.
_NEAR = 0.35
_COVERED = 0.55  # the same cosine for topics; of the answerable ones 1 lacks a topic, of the others 8
_REFERS = re.compile(r"\W*(?:that|this|these|it|they|he|she|such|as a result|therefore|thus|so)\b", re.IGNORECASE)
_PRONOUN = re.compile(r"\b(?:it|they|them|this|these|that|those|he|she|him|her)\b", re.IGNORECASE)
_REASON = re.compile(r"\b(?:reasons?|causes?|purposes?|motives?)\b", re.IGNORECASE)
_OPPOSING = frozenset(map(stem, "against oppose reject refuse object protest warn forbid avoid".split()))
_NOT_REAL = "this says only what would or might have been"
_SUPPOSED = re.compile(r"\W*(?:if|unless|had|were)\b[^.;]*\b(?:would|could|might) (?:\w+ )?have\b", re.IGNORECASE)
_KIN = 5  # first letters that a verb shares with a noun made of it
_AGAINST = {one: other for pair in ("for/against", "before/after", "with/without", "on/off")
            for one, other in (pair.split("/"), pair.split("/")[::-1])}  # fmt: skip


def unsaid(asked: Question, runs: Sequence[Sequence[str]], titles: Sequence[str] = ()) -> Lacking | None:
    """Return what the quoted sentences leave unsaid or say otherwise; None where nothing is seen to be so.

    `runs`: sentences that follow each other in their passage stand in one. Otherwise: the opposite, those who do it and
    those it is done to exchanged, or, of what is asked why, a number of the question with another verb.
    """
    if asked.kind in {q.YES_NO, q.CHOICE}:
        return None
    taken = asked_claims(asked.text)
    texts = [text for run in runs for text in run]
    is_cause = bool(taken) and asked.kind == q.CAUSE
    apart = _apart(asked, taken[-1], texts) or _of_nothing(asked, taken[-1], [*texts, *titles]) if is_cause else None
    others = (
        _another_act(asked, taken, runs)
        or _to_another(asked, taken, texts)
        or _not_of_subject(asked, taken, [*texts, *titles])
        or _only_unreal(taken, texts)
        or _by_nobody(asked, taken, texts)
    )
    if said := _not_against(asked, taken, texts) or _opposed(asked, taken, texts) or apart or others:
        return Lacking("similarity", said)
    word = _lost(asked, taken, runs)
    lost = f"it is not clear that this speaks of “{word}”" if word else None
    acts = {claim.verb for claim in taken} - _GOING_ON - _UNCHECKED
    if lost and (asked.kind == q.MANNER or (q.lasts(asked) and acts)):
        return Lacking("similarity", lost)
    said = (
        lost
        or _exchanged(taken, texts)
        or _off_topic(asked, [*texts, *titles])
        or (_of_another(asked, taken, runs) if is_cause else None)
    )
    return Lacking("similarity", said, firm=False, word=word or "") if said else None


def unheard(match: Match, lines: Sequence[Line], rarity: Callable[[str], float]) -> Lacking | None:
    """Return the verb of a question that no document has, nor the lines quoted in other words; None where none is so.

    "What did the astronauts eat?" is not answered where nothing speaks of eating.
    """
    asked = match.question
    if asked.kind in {q.YES_NO, q.CHOICE}:
        return None
    others = {stem(word) for word in tokens(asked.text)}
    texts = [text for run in match.runs(lines) for text in run]
    unchecked = _UNCHECKED | (_GOING_ON if q.lasts(asked) else _PAYING if asked.kind == q.NUMBER else frozenset())
    for claim in asked_claims(asked.text):
        if claim.verb in unchecked or not match.is_nowhere(claim.word) or not is_nowhere(claim.verb, rarity):
            continue
        told = frozenset().union(*(one.forms for one in _told(texts)))
        if claim.forms.isdisjoint(synonyms(told)) and not any(_speaks(claim, text, others) for text in texts):
            return Lacking("similarity", f"speaks of “{claim.word}”", declines=True, word=claim.word)
    return None


def unowned(match: Match, lines: Sequence[Line]) -> Lacking | None:
    """Return what somebody has by the question, where no document has its noun, nor the lines a word like it.

    "What was the name of Jim's dog?" and "Did Jim have a dog?" are not answered where nothing speaks of a dog.
    """
    texts = [text for run in match.runs(lines) for text in run]
    nouns = belongings(match.question.text)
    lost = next((noun for noun in nouns if match.is_nowhere(noun) and not _is_mentioned(noun, texts)), None)
    return Lacking("names", f"speaks of “{lost}”", declines=True, word=lost) if lost else None


def unmentioned(match: Match, lines: Sequence[Line]) -> Lacking | None:
    """Return the noun of a question for where something is, or for what a name is the name of, that is not there.

    "What was the temperature in the cabin?" is not answered by that of a tank: neither the lines, those before them nor
    what stands above them has the cabin. Where the same act is told its place may go without saying. What a name is the
    name of, "the film Alien", may stand in their passages. So with what a quality is asked of: "what colour are the
    walls"; and one thing is not another that has its noun: the lunar module is not the service module.
    """
    asked = match.question
    if asked.kind in {q.YES_NO, q.CHOICE}:
        return None
    titles = match.titles_of(lines)
    where = () if _tells_same_act(asked, map(match.text, lines)) else circumstances(asked.text)
    of = described(asked.text) if asked.kind == q.THING else ()
    for nouns, near in ((where, False), (of, False), (classes_of_names(asked.text), True)):
        texts = [*titles, *match.beside_in(lines, whole=near)]
        lost = next((noun for noun in nouns if stem(noun) != stem(asked.head) and not _is_mentioned(noun, texts)), None)
        if lost is not None:
            return Lacking("names", f"“{lost}” is not spoken of there", word=lost)
    return _another_of_its_noun(match, lines)


def _another_of_its_noun(match: Match, lines: Sequence[Line]) -> Lacking | None:
    """Return that sentences have a noun of the question only with other words before it, and nothing has its own."""
    asked = match.question
    texts = [*map(match.text, lines), *match.titles_of(lines)]
    told = [one for text in map(match.text, lines) for one in narrowed(text)]
    for noun, words in narrowed(asked.text):
        others = [of for other, of in told if stem(other) == stem(noun)]
        if not words or not others or not all(others) or stem(noun) == stem(asked.head):
            continue
        if not any(_is_mentioned(word, texts) for word in words):
            said = f"this speaks of the “{' '.join(others[0])} {noun}”, not of the “{' '.join(words)} {noun}”"
            return Lacking("names", said)
    return None


def _tells_same_act(asked: Question, texts: Iterable[str]) -> bool:
    """Return whether a sentence tells the act that a question asks about, of one of those in it or of "he"."""
    checked = [claim for claim in asked_claims(asked.text) if claim.verb not in _UNCHECKED]
    return any(
        one.forms & (claim.forms | synonyms(claim.forms)) and (not one.doer or one.parts & (claim.doer | claim.done_to))
        for one in _told([*texts])
        for claim in checked
    )


def _is_mentioned(noun: str, texts: Sequence[str]) -> bool:
    """Return whether some texts have a noun, another form of it, or a word that means nearly the same."""
    words = [word.lower() for text in texts for word in tokens(text)]
    keys, begun = {stem(word) for word in words}, noun.lower()[:_KIN]
    is_kin = len(begun) == _KIN and any(word.startswith(begun) for word in words)
    is_same = stem(noun) in keys or not synonyms([stem(noun)]).isdisjoint(keys)
    return is_same or is_kin or _nearest([noun], list(filter(is_content, words))) >= _COVERED


def unlabelled(asked: Question, said: Sequence[Labelled]) -> Lacking | None:
    """Return that no label of a row or line is about what a question asks when or how much of; None where one is.

    "Joined: 2015" does not say when somebody retired.
    """
    values = [one for one in said if any(map(str.isdigit, one.value))]
    if asked.kind not in {q.TIME, q.NUMBER} or not values:
        return None
    named = {stem(word) for one in said for word in tokens(one.value)}
    if asked.head and stem(asked.head) in named:  # "Property: Weight; Value: 9.8 kg"
        return None
    named |= {stem(word) for name in (*asked.names, *asked.numbers) for word in tokens(name)}
    left = [word for word in tokens(asked.text)
            if is_content(word) and stem(word) not in named and word.lower() not in _UNCHECKED]  # fmt: skip
    left += [asked.head] if asked.head else []
    keys = {stem(word) for word in left}
    for one in values:
        words = tokens(one.label)
        label = {stem(word) for word in words}
        if not label or label & keys or (asked.kind == q.TIME and label & _OF_ANY_TIME):
            return None
        if _nearest(left, words) >= _LIKE or {*map(stem, left)} & {*map(stem, words)}:
            return None
    lost = next((word for word in left if word != asked.head), "")
    return Lacking("asked-for kind", f"nothing there is labelled as “{lost}”") if lost else None


def _not_against(asked: Question, taken: Sequence[Claim], texts: Sequence[str]) -> str | None:
    """Return that nobody is against anything in what is quoted, where a question asks who or what is."""
    claim = next((one for one in taken if "against" in one.particles), None)
    keys = {stem(word) for text in texts for word in tokens(text)}
    is_said = claim is None or "against" in keys or not keys.isdisjoint(_OPPOSING)
    return None if claim is None or is_said or asked.kind == q.CAUSE else f"nothing there is “{claim.word} against”"


def _told(texts: Sequence[str]) -> list[Claim]:
    """Return what sentences claim; they are parsed here, once, about 6 ms each."""
    return [claim for text in texts for claim in claims(text)]


def _lost(asked: Question, taken: Sequence[Claim], runs: Sequence[Sequence[str]]) -> str | None:
    """Return the verb that no sentence speaks of, or of what is asked why that none speaks of with the next."""
    others = {stem(word) for word in tokens(asked.text)}
    checked = [claim for claim in taken if claim.verb not in _UNCHECKED]
    spoken = [[any(_speaks(claim, text, others) for text in run) for claim in checked] for run in runs]
    if any(all(run) for run in spoken) or (asked.kind != q.CAUSE and all(map(any, zip(*spoken, strict=True)))):
        return None
    fullest = max(spoken, key=sum, default=[False] * len(checked))
    lost = [claim.word for claim, is_there in zip(checked, fullest, strict=True) if not is_there]
    return lost[0]


def _speaks(claim: Claim, text: str, others: set[str]) -> bool:
    """Return whether a sentence has a verb, another form of it, or a word near it that the question has not as well."""
    found = [word.lower() for word in tokens(text)]
    if claim.particles & {"against"} and "against" not in found and _OPPOSING.isdisjoint(map(stem, found)):
        return False
    told = {form for one in claims(text) for form in one.forms}
    if claim.forms & ({stem(word) for word in found} | told):
        return True
    words = [word for word in found if stem(word) not in others]
    if synonyms(claim.forms) & ({stem(word) for word in words} | (told - others)):
        return True
    words = [word for word in words if is_content(word)]
    if any(claim.verb[:_KIN] in word for word in words if len(claim.verb) >= _KIN):  # also "reestablished"
        return True
    return _nearest([claim.verb], words) >= _NEAR


def _another_act(asked: Question, taken: Sequence[Claim], runs: Sequence[Sequence[str]]) -> str | None:
    """Return that the time that is told is one of another act of the same: a launch, not a landing."""
    if asked.kind != q.TIME or q.lasts(asked) or len(taken) != 1 or taken[0].verb in _UNCHECKED:
        return None
    [claim] = taken
    of = claim.doer | claim.done_to
    if not of or _lost(asked, taken, runs) is None:
        return None
    told = _told([text for run in runs for text in run])
    other = next((one for one in told if of <= one.doer | one.done_to and one.verb not in _UNCHECKED
                  and any(map(has_digit, one.rest))), None)  # fmt: skip
    return f"this says “{other.word}”, not “{claim.word}”" if other is not None else None


def _only_unreal(taken: Sequence[Claim], texts: Sequence[str]) -> str | None:
    """Return that all that is said of the verb is what would have been, where the question takes it as done."""
    claim = next((one for one in taken if one.verb not in _UNCHECKED), None)
    if claim is not None and not claim.is_unreal and all(map(_SUPPOSED.match, texts)):
        return _NOT_REAL
    same = [one for one in _told(texts) if claim is not None and one.forms & claim.forms]
    is_unreal = bool(same) and claim is not None and not claim.is_unreal and all(one.is_unreal for one in same)
    return _NOT_REAL if is_unreal else None


def _by_nobody(asked: Question, taken: Sequence[Claim], texts: Sequence[str]) -> str | None:
    """Return that it is said that something was done, and never by whom, where "who" asks that."""
    claim = next((one for one in taken if one.asked == "doer" and one.verb not in _UNCHECKED), None)
    same = [one for one in _told(texts) if claim is not None and one.forms & claim.forms]
    known = {stem(word) for word in tokens(asked.text)}
    if asked.kind != q.PERSON or claim is None or not same or any(one.doer - known for one in same):
        return None
    return "this does not say who"


def _not_of_subject(asked: Question, taken: Sequence[Claim], texts: Sequence[str]) -> str | None:
    """Return that nothing there is near in meaning to the person that a question is about.

    Of how long something takes: that no sentence which says how long anything takes is near to that thing.
    """
    subject = taken[0].doer - {stem(asked.head)} if taken and taken[0].asked != "doer" else frozenset()
    is_long = asked.head == "duration" and all(claim.verb in _GOING_ON for claim in taken)
    phrases = {word for phrase in asked.phrases for word in phrase.split()}
    thing = [word for word in tokens(asked.text) if stem(word) in subject and word.islower()
             and (word in phrases if is_long else q.kind_of(word) == q.PERSON)]  # fmt: skip
    words = [word.lower() for text in texts if not is_long or _LENGTH.search(text) for word in tokens(text)]
    if not thing or not {stem(word) for word in thing}.isdisjoint(map(stem, words)):
        return None
    if _nearest(thing, list(filter(is_content, words))) >= _COVERED:
        return None
    said = "it is not clear that this is the length of" if is_long else "this does not speak of"
    return f"{said} “{' '.join(thing)}”"


def _opposed(asked: Question, taken: Sequence[Claim], texts: Sequence[str]) -> str | None:
    """Return that the opposite is said of the same: another verb, or "against" for "for"."""
    words = {stem(word): word for word in tokens(asked.text) if is_content(word)}
    turned = words if asked.kind == q.CAUSE else {}  # the parser may take "premium fall" for a noun
    if not any(listed_opposites(one.forms) or one.particles & _AGAINST.keys() for one in taken) and not turned:
        return None
    told = _told(texts)
    keys = {stem(word) for text in texts for word in tokens(text)} | {form for one in told for form in one.forms}
    for key, word in turned.items():
        other = next((one for one in told if one.forms & listed_opposites([key]) and one.parts & words.keys()), None)
        if key not in keys and other is not None:
            return f"this says “{other.word}”, not “{word}”"
    for claim in taken:
        about = [one for one in told if one.parts & claim.parts]
        other = next((one for one in about if one.forms & listed_opposites(claim.forms)), None)
        if other is not None and not claim.forms & keys and claim.verb not in _UNCHECKED:
            return f"this says “{other.word}”, not “{claim.word}”"
        same = [one for one in about if one.forms & claim.forms]
        for particle in claim.particles & _AGAINST.keys():
            if same and all(_AGAINST[particle] in one.particles and particle not in one.particles for one in same):
                return f"this says “{_AGAINST[particle]}”, not “{particle}”"
    return None


def _off_topic(asked: Question, texts: Sequence[str]) -> str | None:
    """Return that no word of what a question is about stands in some texts, nor one near it in meaning."""
    keys = {stem(word) for text in texts for word in tokens(text)}
    words = [word.lower() for text in texts for word in tokens(text) if is_content(word)]
    for topic in topics(asked.text):
        begun = {word.lower()[:_KIN] for word in topic if len(word) >= _KIN}
        if not keys.isdisjoint(map(stem, topic)) or any(word.startswith(tuple(begun)) for word in words):
            continue
        if _nearest(topic, words) < _COVERED:
            return f"“{' '.join(topic)}” is not spoken of there"
    return None


def _of_nothing(asked: Question, claim: Claim, texts: Sequence[str]) -> str | None:
    """Return that what something is asked to have been done to stands nowhere, by name, in other words or as "it"."""
    thing = [word for word in tokens(asked.text) if stem(word) in claim.done_to]
    words = [word.lower() for text in texts for word in tokens(text)]
    if not thing or not claim.done_to.isdisjoint(map(stem, words)):
        return None
    others = {stem(word) for word in tokens(asked.text)}
    if any(_PRONOUN.search(text) for text in texts if _speaks(claim, text, others)):
        return None
    return (
        None
        if _nearest(thing, list(filter(is_content, words))) >= _COVERED
        else f"“{' '.join(thing)}” is not spoken of there"
    )


def _nearest(asked: Sequence[str], words: Sequence[str]) -> float:
    """Return the highest cosine of the vectors of some words and some others."""
    known = vocabulary()
    if not asked or not words:
        return 0.0
    vectors = known.vectors(known.numbers([word.lower() for word in [*asked, *words]]))
    return float((vectors[: len(asked)] @ vectors[len(asked) :].T).max())


def _exchanged(taken: Sequence[Claim], texts: Sequence[str]) -> str | None:
    """Return that who does it and whom it is done to have changed places in all that is said of the verb."""
    claim = next((one for one in taken if one.asked and one.verb not in _UNCHECKED), None)
    if claim is None:
        return None
    is_doer = claim.asked == "doer"
    given = claim.done_to if is_doer else claim.doer
    same = [one for one in (_told(texts) if given else ()) if one.forms & claim.forms and one.parts & given]
    turned = [one for one in same if given <= (one.doer if is_doer else one.done_to)
              and not given & (one.done_to if is_doer else one.doer)]  # fmt: skip
    is_turned = bool(same) and len(turned) == len(same)
    return f"this has another one in the place of what “{claim.word}” asks for" if is_turned else None


def _to_another(asked: Question, taken: Sequence[Claim], texts: Sequence[str]) -> str | None:
    """Return that all that is said to have been done so was done to something else than what the question names.

    "The company" of the same verb may be what it names: that says nothing.
    """
    claim = next((one for one in taken if one.asked == "doer" and one.verb not in _UNCHECKED), None)
    named = {stem(word) for name in asked.names for word in tokens(name)} & (claim.done_to if claim else frozenset())
    if claim is None or not named:
        return None
    same = [one for one in _told(texts) if one.forms & (claim.forms | synonyms(claim.forms))]
    capitals = {stem(word) for text in texts for word in tokens(text) if word[0].isupper()}
    is_other = all(one.done_to and named.isdisjoint(one.parts)
                   and (one.forms.isdisjoint(claim.forms) or one.done_to & capitals) for one in same)  # fmt: skip
    return f"this does not say who {claim.word} “{listing(asked.names)}”" if same and is_other else None


def _of_another(asked: Question, taken: Sequence[Claim], runs: Sequence[Sequence[str]]) -> str | None:
    """Return that the cause that is told is one of something else, or one against what is asked about."""
    others = {stem(word): word for word in tokens(asked.text)}
    checked = [claim for claim in taken if claim.verb not in _UNCHECKED]
    told = [(run, at) for run in runs for at, text in enumerate(run) if tells(asked, text, others)]
    if not told or not checked or others.keys() & _OPPOSING:
        return None
    for run, at in told:
        is_against = any("against" in claim.particles for claim in claims(run[at]))
        goes_on = at > 0 and _REFERS.match(run[at]) is not None
        if not is_against and (goes_on or _speaks(checked[-1], run[at], set(others)) or _REASON.search(run[at])):
            return None
    return f"it is not clear that the reason given is one for “{checked[-1].word}”"


def _apart(asked: Question, claim: Claim, texts: Sequence[str]) -> str | None:
    """Return that a number of the question stands with another verb than with its own."""
    told = _told(texts) if asked.numbers else []
    same = [one for one in told if one.forms & claim.forms]
    for number in asked.numbers:
        key = stem(number)
        others = [one for one in told if key in one.parts and not one.forms & claim.forms]
        if key in claim.parts and same and others and not any(key in one.parts for one in same):
            return f"this says “{others[-1].word}” of {number}, not “{claim.word}”"
    return None
