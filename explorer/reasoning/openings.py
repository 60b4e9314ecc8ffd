"""Openings: where in a sentence a clause begins that asks or orders for itself. English only, and without a parser."""

from __future__ import annotations

import re
from dataclasses import dataclass

from explorer.reasoning.words import is_name

_WORD = re.compile(
    r"“[^“”]{0,300}”|\"[^\"]{0,300}\"|«[^«»]{0,300}»|‘[^‘’]{1,300}’(?!\w)|(?<!\w)'[^']{1,300}'(?!\w)|\([^()]{0,300}\)"
    r"|\bno\.\s?\d+|\w+(?:[-'’./&+]\w+)*|[^\w\s]",
    re.IGNORECASE,
)
ADVERBIAL = frozenset("when where why how".split())
ASKING = ADVERBIAL | frozenset("who whom whose what which".split())
AUXILIARY = re.compile(
    r"(?:is|are|was|were|do|does|did|can|could|will|would|has|have|had|shall|should|may|might|must)(?:n['’]t)?|can['’]t|won['’]t"
)
BASE_AFTER = frozenset("do does did can could will would shall should may might must to".split())
PREPOSITIONS = frozenset(
    """in on at by from to for with of about under during since until into through after before against within over
    between among than""".split()
)
DETERMINERS = frozenset(
    "the a an this these those its his her their our my your each every any all both some no".split()
)
NOMINATIVES = frozenset("he she it they there we i you".split())
ORDERS = frozenset(
    """list name describe explain give find tell say summarise summarize identify state compare show outline define
    discuss mention enumerate quote cite determine calculate count contrast specify trace report""".split()
)
_OBJECTS = DETERMINERS | ASKING | frozenset("me us it them him whether if what's one two three out up".split())
_VERBS = frozenset(
    """became began begins bore bought broke brought built burst came cause causes come comes cost costs cut died does
    drew drove fell felt flew follows forms fought found gave goes got grew happens has held helps hit holds keeps kept
    knew lay leads led left lies live lives lost made make makes means meant met owns paid pays plays put ran rang reads
    rose runs said sang sank sat saw says sent set shot shut sits sold spent spoke stands stole stood struck swam takes
    taught told took understood went won works wore writes wrote""".split()
)
_CONTRACTED = re.compile(r"(?:who|what|where|when|how|why)['’](?:s|re|d|ll)")
_NO_VERBS = frozenset("hundred speed naked sacred indeed embed".split())
FILLERS = frozenset("also please finally lastly first firstly second secondly third thirdly next so".split())
KNOWING = frozenset("know wonder wondering understand learn".split())


@dataclass(frozen=True, slots=True)
class Word:
    """A word, a sign or something quoted or in brackets, with where it stands in its text; those last say nothing."""

    start: int
    end: int
    raw: str
    lower: str


@dataclass(frozen=True, slots=True)
class Opening:
    """What begins at a word: a "question", a "yesno", an "order", or an "indirect" one, which needs a head before it.

    `shared`: question words that one clause follows, as in "when and where was"; `at`: where that clause goes on.
    """

    kind: str
    at: int
    inverted: bool = False
    shared: tuple[str, ...] = ()


def words(text: str) -> list[Word]:
    """Give the words and signs of a text; what is quoted or in brackets is one word."""
    return [Word(m.start(), m.end(), m[0], m[0].lower()) for m in _WORD.finditer(text)]


def opening(found: list[Word], i: int, end: int, *, first: bool) -> Opening | None:
    """Give how a clause asks or orders that begins at a word; `first`: it begins its sentence.

    Elsewhere a capital is a title's, and what is not clearly a clause is none.
    """
    i += i < end and found[i].lower == "please"
    if i >= end or not (first or _is_plain(found, i)):
        return None
    asked = found[i].lower
    polite = asked in {"can", "could", "would", "will"} and i + 2 < end and found[i + 1].lower == "you"
    if polite:
        verb = i + 2 + (found[i + 2].lower == "please")
        if verb < end and found[verb].lower in ORDERS:
            return Opening("order", verb)
    if asked in PREPOSITIONS and i + 1 < end and found[i + 1].lower in {"what", "which", "whom", "whose", "how"}:
        return _interrogative(found, i + 1, end, preposed=True)
    if asked in ASKING or _CONTRACTED.fullmatch(asked):
        return _sharing(found, i, end) or _interrogative(found, i, end, preposed=False)
    if AUXILIARY.fullmatch(asked):
        return _inverted(found, i, end)
    return Opening("order", i) if asked in ORDERS and _has_object(found, i, end, first=first) else None


def _is_plain(found: list[Word], i: int) -> bool:
    raw = found[i].raw
    return not raw[0].isupper() or (raw.isupper() and i + 1 < len(found) and found[i + 1].raw.isupper())


def _inverted(found: list[Word], i: int, end: int) -> Opening | None:
    """Read "did the tank explode": an auxiliary with a subject and more after it."""
    if i + 2 >= end or not _is_word(found[i + 1]) or not _is_word(found[i + 2]):
        return None
    holds = found[i].lower in {"have", "has", "had"} and found[i + 1].lower in {"it", "you"}
    return None if holds else Opening("yesno", i, inverted=True)


def _has_object(found: list[Word], i: int, end: int, *, first: bool) -> bool:
    """Say whether an imperative has something to act on, and is no noun."""
    if i + 1 >= end or not _is_word(found[i + 1]):
        return False
    after = found[i + 1].lower
    if first:
        return after != "of" and not AUXILIARY.fullmatch(after)
    plural = after.endswith("s") and not after.endswith(("ss", "us", "is"))
    return after in _OBJECTS or is_named(found[i + 1]) or plural or after.endswith("ly")


def _sharing(found: list[Word], i: int, end: int) -> Opening | None:
    """Read "when and where was": question words that one inverted clause follows."""
    asked: list[str] = []
    k = i
    while k < end and len(asked) < 4 and found[k].lower in ADVERBIAL:
        asked.append(found[k].lower)
        k += 1
        if k < end and AUXILIARY.fullmatch(found[k].lower):
            return Opening("question", k - 1, inverted=True, shared=tuple(asked)) if len(asked) > 1 else None
        k += k < end and found[k].raw == ","
        k += k < end and found[k].lower in {"and", "or"}
    return None


def _interrogative(found: list[Word], i: int, end: int, *, preposed: bool) -> Opening | None:
    """Read a clause that begins with an interrogative; without a verb of its own it is none."""
    asked, k = found[i].lower, i + 1
    if _CONTRACTED.fullmatch(asked):
        return Opening("question", i, inverted=True) if k < end and _is_word(found[k]) else None
    k += k < end and found[k].lower in {"exactly", "else", "precisely", "ever"}
    if k >= end or not _is_word(found[k]) or found[k].lower in {"to", "and", "or", "but"}:
        return None
    after = found[k].lower
    if AUXILIARY.fullmatch(after) or (asked, after) == ("how", "come"):
        held = preposed and asked in {"which", "whose"}  # "on which was" is relative
        return None if held or k + 1 >= end or not _is_word(found[k + 1]) else Opening("question", i, inverted=True)
    named = is_named(found[k]) and asked not in {"which", "whose"}
    if after in DETERMINERS or after in NOMINATIVES or named:
        return Opening("indirect", i)
    if asked in ADVERBIAL - {"how"}:
        return Opening("indirect", i) if k + 1 < end and _is_word(found[k + 1]) else None
    if asked in {"who", "whom"}:
        return Opening("question", i) if asked == "who" and after not in PREPOSITIONS else None
    return _with_noun(found, i, k, end, preposed=preposed)


def _with_noun(found: list[Word], i: int, k: int, end: int, *, preposed: bool) -> Opening | None:
    """Read "which tank exploded", "how cold did": a clause whose interrogative takes more words with it."""
    takes_verb = not preposed and (found[i].lower != "how" or found[k].lower in {"many", "much", "few", "little"})
    for m in range(k, min(k + 9, end)):
        word, before = found[m].lower, found[m - 1].lower
        if not _is_word(found[m]) or word in {"to", "and", "or"} or word in ASKING:
            return None
        if m > k and AUXILIARY.fullmatch(word):
            return Opening("question", i, inverted=True)
        if word in NOMINATIVES or (word in DETERMINERS and before not in PREPOSITIONS):
            return Opening("indirect", i)
        if takes_verb and is_verb(found[m]) and (m > k or found[i].lower != "how"):
            return Opening("question", i)
    return None


def is_verb(word: Word) -> bool:
    """Say whether a word looks like a verb that has its subject before it."""
    past = word.lower.endswith("ed") and len(word.lower) > 4 and word.lower not in _NO_VERBS
    return word.lower in _VERBS or (past and not word.raw[0].isupper())


def is_named(word: Word) -> bool:
    """Say whether a word is or begins a name, or is quoted."""
    return is_name(word.raw) or word.raw[0] in "“\"«‘'"


def _is_word(word: Word) -> bool:
    return word.raw[0].isalnum() or len(word.raw) > 2
