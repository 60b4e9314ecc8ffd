"""Words of a text as searches and scores compare them: without stop words, reduced to their stems."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection
from functools import lru_cache
from itertools import chain, pairwise

_ELIDED = (  # "l" of "l'eau", and no part of a name: "L'Amour"
    r"(?-i:\b(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|(?:de|ne|su|da|que)ll)(?=['’][^\W\d_]{2})|"
    r"\b(?:[CDJLMNST]|Qu|Lorsqu|Puisqu|(?:De|Ne|Su|Da|Que)ll)(?=['’][a-zà-ÿ]{2}))"
)
_TOKEN = re.compile(rf"{_ELIDED}|\bno\.\s?\d+|\d+(?:[.,:]\d+)+|\w+(?:[-’']\w+)*", re.IGNORECASE)
COUNTS = {word: str(number) for number, word in enumerate(
    "one two three four five six seven eight nine ten eleven twelve".split(), 1
)}  # fmt: skip
"""Number words and their digits."""
_WORD = re.compile(rf"{_ELIDED}|\w+(?:[-'’.&/]+\w+)*", re.IGNORECASE)
_ASIDE = re.compile(r"\s*\([^()]*\)$")
_JOINTS = re.compile("[-_]")
NUMBERED = re.compile(r"no\.\s?\d+", re.IGNORECASE)
_PARTS = 7  # a question of more parts keeps the rest in its last one
_ASKING = "how|what|when|where|who|whom|whose|why|which"
_PRONOUN = re.compile(r"\b(he|she|it|they|him|her|them|his|its|their|this|these)\b", re.IGNORECASE)
_ENDING = re.compile("'(?:s|ve|re|ll|d|m)$")
STOP = frozenset(
    """a about after again against all almost also although always am among an and another any anybody anyone
    anything are as ask at away be became because been before being below between both but by came can can't
    cause caused causes come could couldn't did didn't do does doesn't doing don't done down during each
    either else ever every everybody everyone explain far few find first for from further gave get give given
    go going got had happen happened happens has have having he her here hers him his how however i if in
    instead into is isn't it its itself just know let like list made make many may me might more most much
    must my name near need neither never no nobody nor not now of off often on once one only onto or other our
    out over own per please put quite rather really said same say see seem shall she should show since so some
    somebody someone something still such take tell than that the their them themselves then there these they
    thing this those though through thus to together too took toward towards under until up upon us use used
    using very via want was wasn't way we well went were weren't what when where whether which while who whom
    whose why will with within without won't would yes yet you your""".split()
)
ANTONYMS = [pair.split("/") for pair in (
    "first/last begin/end start/end start/finish begin/finish open/close increase/decrease increase/reduce "
    "rise/fall gain/lose win/lose north/south east/west northern/southern eastern/western upper/lower high/low "
    "large/small big/small long/short more/less most/least maximum/minimum major/minor early/late before/after "
    "above/below accept/reject accept/refuse allow/prevent allow/forbid support/oppose include/exclude "
    "enter/leave arrive/leave create/destroy build/destroy strong/weak rich/poor old/young old/new "
    "modern/ancient public/private male/female man/woman father/mother son/daughter brother/sister king/queen "
    "husband/wife import/export hot/cold warm/cold fast/slow easy/difficult easy/hard simple/complex "
    "same/different similar/different always/never often/rarely common/rare positive/negative success/failure "
    "succeed/fail victory/defeat friend/enemy ally/enemy love/hate buy/sell give/take push/pull attack/defend "
    "war/peace life/death birth/death born/die left/right inside/outside internal/external active/passive "
    "direct/indirect domestic/foreign local/global urban/rural day/night summer/winter best/worst good/bad "
    "better/worse true/false legal/illegal wide/narrow deep/shallow thick/thin full/empty heavy/light "
    "present/absent teacher/student offense/defense majority/minority advantage/disadvantage remain/leave "
    "choose/reject approve/reject adopt/reject choose/refuse allow/prohibit permit/prohibit permit/forbid allow/ban "
    "permit/ban legal/prohibited require/forbid enable/disable rise/drop rise/decline increase/drop increase/decline "
    "grow/shrink raise/lower expand/shrink install/remove add/remove fewer/more less/more agree/refuse agree/disagree "
    "grant/deny grant/refuse fail/pass lend/borrow hire/dismiss appoint/dismiss join/leave lock/unlock"
).split()]  # fmt: skip
_PREFIXES = ("un", "in", "im", "non", "dis", "ir", "il", "de")
_FEWEST_LETTERS, _MANY_LETTERS = 5, 8  # of a word that may be misspelt by one letter, and by two


def tokens(text: str) -> list[str]:
    """Return the words and numbers of a text as they stand; "no. 2" is one word, "l'eau" are two."""
    return _TOKEN.findall(unicodedata.normalize("NFC", text))


@lru_cache(maxsize=50_000)
def is_content(word: str) -> bool:
    """Return whether a word is a content word: not a stop word, not a single letter."""
    bare = _bare(word.lower())
    return bare not in STOP and (len(bare) > 1 or bare.isdigit())


def content_words(text: str) -> list[str]:
    """Return the content words of a text as they stand."""
    return [word for word in tokens(text) if is_content(word)]


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """Reduce a word to its stem (Snowball English), without a possessive ending."""
    import Stemmer

    return str(Stemmer.Stemmer("english", 0).stemWord(_bare(word.lower())))  # a new one: two threads must not share


def content_stems(text: str) -> frozenset[str]:
    """Return the different stems of the content words of a text, hyphenated ones whole."""
    return frozenset(map(stem, content_words(text)))


def content_parts(text: str) -> list[str]:
    """Return the content words of a text, with the parts of hyphenated ones and of names as programs write them."""
    return list(chain.from_iterable(map(_parts, tokens(text))))


@lru_cache(maxsize=100_000)
def _parts(word: str) -> tuple[str, ...]:
    parts = [word, *_JOINTS.split(word)] if _JOINTS.search(word) else [word]
    return tuple(filter(is_content, parts))


def stems(text: str) -> list[str]:
    """Return the stems of the content words of a text, in order, with the parts of hyphenated words as well."""
    return list(map(stem, content_parts(text)))


@lru_cache(maxsize=5_000)
def stem_set(text: str) -> frozenset[str]:
    """Return the different stems of a text; remembered, as the texts of a collection come again."""
    return frozenset(stems(text))


def weighted(text: str, rarity: Callable[[str], float]) -> dict[str, float]:
    """Return the stems of a text's content words, each with its rarity."""
    words = {stem(word): word for word in tokens(text) if is_content(word)}
    return {key: max(0.1, rarity(word)) for key, word in words.items()}


def spans(text: str) -> list[str]:
    """Return runs of up to six words that may be names, one only if it is a content word; with and without "'s"."""
    found: dict[str, None] = {}
    written = _WORD.findall(unicodedata.normalize("NFC", text))
    for words in (written, [_bare(word) for word in written]):
        runs = (words[i : i + length] for length in range(6, 0, -1) for i in range(len(words) - length + 1))
        found |= dict.fromkeys(" ".join(run) for run in runs if len(run) > 1 or is_content(run[0]))
    return list(found)


@lru_cache(maxsize=5_000)
def names(question: str, title: str) -> bool:
    """Return whether a question names a title: its words stand there in a row, without what is in brackets at its end.

    A title of one word must be written with a capital there, unlike a common word.
    """
    asked = _WORD.findall(question)
    title_words = [word.lower() for word in _WORD.findall(_ASIDE.sub("", title))]
    if len(title_words) == 1:
        asked = [word if is_name(word) else "" for word in asked]
    bare = [_bare(word).lower() for word in asked]
    places = range(len(bare) - len(title_words) + 1)
    return bool(title_words) and any(bare[i : i + len(title_words)] == title_words for i in places)


def _bare(word: str) -> str:
    """Return a word without "'s", one joined with a verb without that: "I've" is a stop word as "I" is."""
    return _ENDING.sub("", word.replace("’", "'"))


def phrases(text: str) -> list[str]:
    """Return the runs between stop words and punctuation; a capitalised run stands as a phrase of its own."""
    found: list[str] = []
    for clause in re.split(r"(?<!\bno)[.,;:?!()\"“”]+(?=\s|$)", text):
        run: list[str] = []
        for word in [*tokens(clause), "the"]:
            if is_content(word) or (run and NUMBERED.fullmatch(word)):
                run.append(word)
            elif run:
                found += _named_apart(run)
                run = []
    return list(dict.fromkeys(found))


@lru_cache(maxsize=1_000)
def clauses(question: str) -> tuple[str, ...]:
    """Split a question that asks several things; a part that only says "he" or "it" gets the name from the first."""
    first, *others = re.split(
        rf",?\s+and\s+(?=(?:\w+\s+)?(?:{_ASKING})\b)", question, maxsplit=_PARTS, flags=re.IGNORECASE
    )
    found = phrases(first)
    names = [phrase for phrase in found if any(is_name(word) for word in phrase.split())] or found[:1]
    return first, *(f"{part} {' '.join(names)}" if _PRONOUN.search(part) else part for part in others)


def _named_apart(run: list[str]) -> list[str]:
    """Split a run where a name (capitalised words and numbers) meets common words."""
    groups: list[list[str]] = [[run[0]]]
    for before, word in pairwise(run):
        numbered = NUMBERED.fullmatch(before) is not None
        if (is_name(before) == is_name(word) and not numbered) or word[0].isdigit() or NUMBERED.fullmatch(word):
            groups[-1].append(word)
        else:
            groups.append([word])
    return [_bare(" ".join(group)) for group in groups]


def is_name(word: str) -> bool:
    """Return whether a word looks like a name or a number: a capital or a digit in front."""
    return word[0].isupper() or word[0].isdigit()


def opposites(key: str) -> frozenset[str]:
    """Return the stems of words that mean the opposite: listed ones, and the word with "un" or without it."""
    with_prefix = {f"{prefix}{key}" for prefix in _PREFIXES}
    without = {key.removeprefix(prefix) for prefix in _PREFIXES if len(key) > len(prefix) + 3} - {key}
    return _listed().get(key, frozenset()) | with_prefix | without


@lru_cache(maxsize=1)
def _listed() -> dict[str, frozenset[str]]:
    pairs: dict[str, set[str]] = {}
    for one, other in ANTONYMS:
        pairs.setdefault(stem(one), set()).add(stem(other))
        pairs.setdefault(stem(other), set()).add(stem(one))
    return {key: frozenset(found) for key, found in pairs.items()}


def meant(key: str, known: Collection[str]) -> str | None:
    """Return the known word that another likely is: the same but for accents, or one letter, or two of many."""
    from rapidfuzz.distance import OSA  # letters put in, left out, replaced, or exchanged with the next

    key = unaccented(key)
    if len(key) < _FEWEST_LETTERS or not key.isalpha():
        return None
    most = 1 if len(key) < _MANY_LETTERS else 2
    alike = [(other, bare) for other in known if (bare := unaccented(other))[:1] == key[:1] and not _ends(key, bare)]
    near = [(edits, other) for other, bare in alike if (edits := OSA.distance(key, bare, score_cutoff=most)) <= most]
    return min(near)[1] if near else None


def _ends(key: str, other: str) -> bool:
    """Return whether a word is another one with letters of its own at its end: "systemd" is no slip for "system"."""
    rest = key.removeprefix(other)
    return rest not in {key, "", other[-1]}


def unaccented(word: str) -> str:
    """Return a word without its accents."""
    return word if word.isascii() else "".join(c for c in unicodedata.normalize("NFKD", word) if c.isalnum())
