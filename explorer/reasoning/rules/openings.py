"""Openings: where in a sentence a clause with a question or order of its own begins, and the words that show it.

English only, and without a parser.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from explorer.language.words import STOP, is_name

_WORD = re.compile(
    r"“[^“”]{0,300}”|\"[^\"]{0,300}\"|«[^«»]{0,300}»|‘[^‘’]{1,300}’(?!\w)|(?<!\w)'[^']{1,300}'(?!\w)|\([^()]{0,300}\)"
    r"|\b[Nn][Oo]\.\s?\d+"
    r"|\b(?:[A-Z]|Dr|Mr|Mrs|Ms|St|Mt|Prof|Gen|Col|Lt|Capt)\.(?=\s[A-Z])|\b(?:Jr|Sr)\.|\b(?:[A-Z]\.){2,}"
    r"|\w+(?:(?:[-'’./&+]|[–—](?=[A-Z\d]))\w+)*(?:\+\+|[+#](?!\w))?|[^\w\s]"
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
_SUMMARIES = frozenset("summary overview list description explanation account outline".split())
_OPEN_EDGES = frozenset("and or but to then there here now off out up down when".split())
_COLLECTIVES = frozenset("crew people police team family men women children staff".split())
_BODIES = frozenset(
    "academy agency association bank battle board bridge center centre church city college committee company "
    "corporation council county court department institute journal library ministry mission module museum party "
    "program project river school society treaty union university war".split()
)
_ROLE = re.compile(r"(?:[eo]r|ist|ian|man|ess)$")
_ROLES = frozenset(
    "king queen president pilot captain scientist assistant spouse wife husband son friend child partner widow girl "
    "boy hero heroine bride groom person parent aunt nun saint pope engineer".split()
)
_NO_ROLES = frozenset(
    "adapter answer booster canister center chamber chapter character cluster color computer container converter "
    "corner counter cover cylinder danger darkness disaster door error factor fever filter fitness floor flower "
    "generator heater illness ladder lander layer letter liquor loss mass matter meter mirror monitor motor "
    "number order paper poster power pressure process progress radiator reactor receiver register river rotor "
    "rover rumor sensor shower stress success summer sweater temper theater thruster timer tower tractor trailer "
    "transistor transmitter tumor vapor vector wafer water weather winter year".split()
)
MAKING = frozenset(
    "wrote directed composed painted founded invented discovered built designed created produced published sang sings "
    "recorded made drew filmed edited".split()
)  # what is made so is no person
BASES = frozenset(
    "ask be become cause come do explain find get give go have keep know let like make need put say see seem show take "
    "tell use want".split()
)
LINKING = frozenset("became went felt grew fell kept stood ran came lay seemed remained turned stayed arrived".split())
ARTICLES = frozenset("the a an".split())
ATTRIBUTES = frozenset(
    "age amount area capacity color colour cost depth distance duration gdp half-life height length mass number "
    "population power pressure price rank shape size speed status temperature value voltage weight width".split()
)  # what has one is often what is meant
CLEAR = frozenset("of de van von la le du der den del della di da dos das el al bin ibn ter ten y und et &".split())
_JOINING = CLEAR | frozenset(", and the a an in for on at to with by from over under upon into".split())
_MONTHS = frozenset("January February March April May June July August September October November December".split())
_LONGEST_NOUN = 6
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


_UP_TO = frozenset({"by", "since", "until", "till"})


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
    """Return the words and signs of a text; what is quoted or in brackets is one word."""
    return [Word(m.start(), m.end(), m[0], m[0].lower()) for m in _WORD.finditer(text)]


def opening(found: list[Word], i: int, end: int, *, first: bool) -> Opening | None:
    """Return how a clause asks or orders that begins at a word; `first`: it begins its sentence.

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
    if asked in _UP_TO and i + 1 < end and found[i + 1].lower == "when":
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
    """Return whether an imperative has something to act on, and is no noun."""
    if i + 1 >= end or not _is_word(found[i + 1]):
        return False
    after = found[i + 1].lower
    if first:
        return after != "of" and not AUXILIARY.fullmatch(after)
    return after in _OBJECTS or is_named(found[i + 1]) or is_plural(after) or after.endswith("ly")


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


def content(goal: str) -> str:
    """Return what a goal asks for, without the words that order it: "tell me who …", "please list …"."""
    found = words(goal)
    k = begins = 0
    while k < len(found):
        order = opening(found, k, len(found), first=True)
        asks = found[-1].raw in "?？" and order is not None and order.at == k
        if order and order.kind == "order" and not (asks and found[k + 1].lower not in _OBJECTS):
            k = begins = _after_order(found, order.at)
        elif found[k].lower in FILLERS | {"and", ",", "then", "kindly"}:
            k += 1
        elif (asked := _after_knowing(found, k)) is not None:
            k = begins = asked
        else:
            break
    if not begins or begins >= len(found):
        return goal
    rest = goal[found[begins].start :].rstrip()
    return rest if found[begins].lower in ASKING and rest[-1] in "?!" else rest.rstrip("?!. ")


def _after_order(found: list[Word], k: int) -> int:
    """Return where what is ordered begins: after "me", "out", "about", "a summary of"."""
    k += 1
    while k < len(found) and found[k].lower in {"me", "us", "out", "about", ":"}:
        k += 1
    near = [word.lower for word in found[k : k + 4]]
    of = near.index("of") if "of" in near else 0
    return k + of + 1 if of and near[of - 1] in _SUMMARIES and near[0] in DETERMINERS else k


def _after_knowing(found: list[Word], i: int) -> int | None:
    """Return where the question begins of "do you know who …", "I would like to know why …"."""
    near = [word.lower for word in found[i : i + 7]]
    verb = next((k for k, word in enumerate(near) if word in KNOWING), 0)
    asks = 0 < verb < len(near) - 1 and near[verb + 1] in ASKING
    return i + verb + 1 if asks and {*near[:verb]} & {"i", "you", "we"} else None


def is_noun_phrase(text: str) -> bool:
    """Return whether a text can name a thing: no clause, and nothing that begins or ends in a preposition."""
    found = words(text)
    if not found or found[0].lower in ASKING | {"if", "whether"} or any(word.raw in ";:?!" for word in found):
        return False
    if {found[0].lower, found[-1].lower} & (PREPOSITIONS | _OPEN_EDGES) or found[-1].raw in ARTICLES:
        return False
    verbs = any(k and is_verb(word) and found[k - 1].lower not in DETERMINERS for k, word in enumerate(found))
    return not verbs and not any(AUXILIARY.fullmatch(word.lower) for word in found) and found[0].lower not in ORDERS


def is_verb(word: Word) -> bool:
    """Return whether a word looks like a verb that has its subject before it."""
    past = word.lower.endswith("ed") and len(word.lower) > 4 and word.lower not in _NO_VERBS
    return word.lower in _VERBS or (past and not word.raw[0].isupper())


def is_plural(noun: str) -> bool:
    """Return whether a noun looks like a plural."""
    return noun.endswith("s") and not noun.endswith(("ss", "us", "is", "'s", "’s"))


def kind_of(head: str) -> str:
    """Return whether a noun means a "person", a "thing", or "several"."""
    if head in _COLLECTIVES or (is_plural(head) and not head[0].isdigit()):
        return "several"
    is_role = head in _ROLES or (_ROLE.search(head) is not None and head not in _NO_ROLES)
    return "person" if is_role else "thing"


def kind_of_name(run: list[Word], joints: set[str], *, begun: bool) -> str:
    """Return what a name may mean, joined by small words, and `begun` by "the": by a "name" a person or a thing."""
    if any("and" in joint.split() for joint in joints):
        return "several"
    if begun and len(run) == 1 and kind_of(run[0].lower) == "person":
        return "person"
    if not all(joint.split()[0] in CLEAR | {","} for joint in joints):
        return "name"
    numbered = any(word.raw[0].isdigit() or word.raw[-1] in "+#" for word in run)
    body = any(word.lower in _BODIES for word in run) or (
        len(run) == 1 and len(run[0].raw) > 1 and run[0].raw.isupper()
    )
    joined = any(joint.split()[0] in {"of", ","} for joint in joints)
    return "thing" if begun or run[0].lower == "the" or numbered or body or joined else "name"


def is_named(word: Word) -> bool:
    """Return whether a word is or begins a name, or is quoted."""
    return is_name(word.raw) or word.raw[0] in "“\"«‘'"


def _is_word(word: Word) -> bool:
    return word.raw[0].isalnum() or len(word.raw) > 2


def noun_end(found: list[Word], first: int) -> int:
    """Return where the common words end that begin at a word."""
    k = first
    while k < len(found) and k - first < _LONGEST_NOUN:
        lower = found[k].lower
        leads = lower in {"first", "last"} or (lower.endswith("ed") and _is_common(found, k + 1))
        if not (k == first and leads) and (not _is_common(found, k) or is_verb(found[k])):
            break
        k += 1
        if lower.endswith(("'s", "’s")) or lower.startswith("no."):
            break
    return k


def _is_common(found: list[Word], k: int) -> bool:
    if k >= len(found) or not found[k].raw[0].isalnum() or found[k].raw[0].isupper():
        return False
    is_adverb = found[k].lower.endswith("ly") and found[k].lower not in {"family", "assembly", "supply"}
    return found[k].lower not in STOP and not is_adverb


def is_quoted(found: list[Word], k: int) -> bool:
    """Return whether a word is something quoted."""
    return found[k].raw[0] in "“\"«‘'" and len(found[k].raw) > 2


def begins_name(found: list[Word], k: int) -> bool:
    """Return whether a name begins at a word, as its capital is not its sentence's."""
    word = found[k]
    if not word.raw[0].isupper() or word.raw in _MONTHS or word.raw == "I":
        return False
    if k == 0 or found[k - 1].raw in ".?!:":
        return word.lower not in STOP | ORDERS | PREPOSITIONS and not word.lower.endswith(("ing", "ly"))
    if word.lower in ARTICLES:
        return k + 1 < len(found) and found[k + 1].raw[0].isupper()
    return not (word.raw.isupper() and word.lower in STOP)


def name_end(found: list[Word], first: int) -> tuple[int, set[str]]:
    """Return where a name ends, and the small words that join its words."""
    end, joints = first + 1, set[str]()
    while end < len(found):
        if is_name(found[end].raw) and found[end].raw not in _MONTHS:
            end += 1
            continue
        k = end
        while k < min(len(found), end + 3) and found[k].raw in _JOINING:
            k += 1
        joint = " ".join(word.raw for word in found[end:k])
        joins = k < len(found) and begins_name(found, k) and found[k].lower not in ASKING
        owner = found[end - 1].lower.endswith(("'s", "’s"))
        if owner or not joint or not joins or (joint[0] == "," and joint not in {",", ", and"}):
            break
        joints.add(joint)
        end = k + 1
    return end, joints
