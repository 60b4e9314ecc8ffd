"""Properties that statements give things, such as "birth date", and which of them a question asks for, of which thing.

A store names its predicates by nouns where questions have verbs: "When was X born?" asks for a birth date. What is told
here is general English and the words of common vocabularies (SKOS, RDFS, Dublin Core, schema.org).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

from explorer.language import questions as q
from explorer.language.dates import dates
from explorer.language.pipeline import parsed
from explorer.language.questions import Question
from explorer.language.words import is_content, stem, tokens

Key = TypeVar("Key")

_ALIKE = [frozenset(map(stem, group.split())) for group in (
    "born birth birthday", "die died death dead deceased", "marry married marriage spouse husband wife",
    "award awarded prize win won winner receive received recipient honour honor",
    "write wrote written writer author", "create created creator maker made make",
    "found founded founder foundation established inception",
    "locate located location situated", "work worked employer employed employee workplace",
    "study studied educated education alma", "nationality citizenship citizen", "parent father mother",
    "child children son daughter", "succeed succeeded successor", "precede preceded predecessor",
    "replace replaced replacement", "speak spoken language", "inhabitants population", "cost price",
    "start started begin began beginning", "end ended finish finished",
    "contain contains contained include includes included", "belong belongs member membership",
    "direct directed director", "publish published publisher publication", "invent invented inventor",
    "discover discovered discoverer discovery", "paint painted painter", "compose composed composer",
    "lead led leader head", "own owned owner", "broader wider general superordinate parent",
    "narrower specific subordinate", "gender sex", "surname family", "change changed modify modified updated",
    "field category subject discipline topic", "headquarters headquartered seat",
)]  # fmt: skip
"""Words by which the same is asked for and told."""

_BY_DEFINING = {
    **dict.fromkeys(("explanation", "meaning", "scope note", "summary"), 2), "abstract": 3, "comment": 1,
    "definition": 4, "description": 3,
}  # fmt: skip
"""Properties whose value says what a thing is, the better the higher."""
_NAMED_ITSELF = 5  # more than any of these
_ASKS_DEFINING = re.compile(
    r"\b(?:defin(?:e|es|ed|ition|itions)|describe|description|explain|scope(?: note)?|meaning|meant|means?)\b",
    re.IGNORECASE,
)
_NAMING = re.compile(
    r"alt(?:ernative|ernate)? (?:label|name|title)s?|alias(?:es)?|also known as|synonyms?|nick ?names?|"
    r"other (?:name|label)s?|pseudonyms?|hidden label|abbreviation|acronym"
)
_ASKS_NAMING = re.compile(
    r"\b(?:(?:other|alternative|alternate|different|further) (?:names?|labels?|terms?|words?)|synonyms?|alias(?:es)?|"
    r"nicknames?|(?:also|otherwise|else) (?:called|known(?: as)?|named)|(?:called|known as|named) (?:else|otherwise))\b"
    r"|\b(?:what|how) else\b.*\b(?:called|known as|named)\b",
    re.IGNORECASE,
)
_GIVING_REASON = re.compile(r"motivation|reason|rationale|citation|justification|purpose|cause")
_ASKS_REASON = re.compile(
    r"\b(?:motivations?|reasons?|rationale|justification|citation|what for|for what)\b|^\W*what\b.*\bfor\W*$",
    re.IGNORECASE,
)
_REASON = re.compile(r"\W*(?:for|because|in recognition of|due to|owing to|in order to)\b", re.IGNORECASE)
_ANY = frozenset(map(stem, (
    "term terms concept thing entity item entry name names label called known tell show give list value values exact "
    "exactly full please store thesaurus data"
).split()))  # fmt: skip
"""Words of a question that ask for nothing of their own."""
_PLACES = frozenset({"place"})
_BARE = frozenset("date time day year place location number count person people".split())  # of what a question asks for
_PICKING = frozenset("first last only most least next previous initially finally".split())
_HOW_MANY = re.compile(r"\bhow many\b", re.IGNORECASE)
_LOOSE, _FEWEST_LOOSE = 2, 2  # words that may stand between those of a name; and how many words that must have
_ASIDE, _BEHIND = re.compile(r"\s*\([^()]*\)$"), re.compile(r",.*")
_IN_BRACKETS = re.compile(r"\(([^()]*)\)$")
_STATE = 2  # letters
_DATE, _DAY = re.compile(r"\d{4}(?:-\d\d){0,2}(?:[T ].*)?"), len("2000-01-01")
_SHORTEST_KIN, _SHORTEST_SURNAME, _LONGEST_NAME = 6, 4, 5
_IS = re.compile(
    r"\W*(?:what(?:['’]s| is| are| was| were| does)|who(?:['’]s| is| was| are| were)|define|explain)\b", re.IGNORECASE
)
_TIME = re.compile(r"\d{4}|\d{1,2}[:.]\d\d")

_ONLY_CLASS = re.compile(
    r"\s*\S.*? is an? (?:Concept(?: [Ss]cheme| [Gg]roup)?|Class|Thing|Resource|Property|Ontology|Literal|Datatype|"
    r"Descriptor|Named [Ii]ndividual|Ordered [Cc]ollection|"
    r"(?:Object|Datatype|Annotation|Functional|Transitive|Symmetric) [Pp]roperty)\.?\s*"
)
_ASKS_CLASS = re.compile(r"\b(?:types?|kinds?|class(?:es)?|sorts?|concepts?|categor(?:y|ies))\b", re.IGNORECASE)


def says_only_class(question: str, text: str) -> bool:
    """Return whether a line says no more of a thing than its class in a modelling vocabulary, as "Talent is a Concept",
    and a question asks for no class.
    """
    return _ONLY_CLASS.fullmatch(text) is not None and _ASKS_CLASS.search(question) is None


@dataclass(frozen=True, slots=True)
class Span:
    """Where a question names a thing: the numbers of its first token and of the one behind its last.

    `is_whole`: by all words of its name, and not by first and last name, or the last one, alone.
    """

    start: int
    end: int
    is_whole: bool = True

    def overlaps(self, other: Span) -> bool:
        """Return whether both have a token."""
        return self.start < other.end and other.start < self.end


def named(question: str, name: str) -> Span | None:
    """Return where a question has the words of a name: in a row, or of a longer name near one another; else None."""
    there = [_plain(word) for word in tokens(question)]
    words = [_plain(word) for word in tokens(_ASIDE.sub("", name))]
    if not words or (len(words) == 1 and not is_content(words[0])):
        return None
    for start in range(len(there) - len(words) + 1):
        if there[start : start + len(words)] == words:
            return Span(start, start + len(words))
    telling = [word for word in words if is_content(word)]
    if len(telling) < _FEWEST_LOOSE:
        return None
    if all(word[:1].isupper() for word in tokens(name)):  # "Max Born" is not in "Where was Max Planck born?"
        there = [plain if word[:1].isupper() else "" for plain, word in zip(there, tokens(question), strict=True)]
    at = [there.index(word) for word in telling if word in there]
    between = [word for word in there[min(at) : max(at) + 1] if is_content(word)] if at else []
    if len(at) == len(telling) == len(set(at)) and len(between) <= len(telling) + _LOOSE:
        return Span(min(at), max(at) + 1)
    return _as_person(tokens(question), tokens(_BEHIND.sub("", _ASIDE.sub("", name))))


def _as_person(written: Sequence[str], name: Sequence[str]) -> Span | None:
    """Return where somebody is named by first and last name alone, or by the last one."""
    first, last = name[0], name[-1]
    if not (2 <= len(name) <= _LONGEST_NAME and all(word[:1].isupper() for word in name) and last.isalpha()):
        return None
    pairs = [place for place in range(len(written) - 1) if [*written[place : place + 2]] == [first, last]]
    if pairs:
        return Span(pairs[0], pairs[0] + 2, is_whole=False)
    if len(last) >= _SHORTEST_SURNAME and last in written[1:]:
        place = written.index(last, 1)
        is_others = place > 0 and written[place - 1][:1].isupper() and place > 1  # "Pierre Curie" is not Marie
        return None if is_others else Span(place, place + 1, is_whole=False)
    return None


def things(question: str, names: Iterable[str]) -> dict[str, Span]:
    """Return those of some names that a question has, longest first; none within a longer one.

    A part of somebody's name counts where it is of one name alone, and of no whole name that is there.
    """
    found = {name: span for name in dict.fromkeys(names) if (span := named(question, name)) is not None}
    whole = {name: span for name, span in found.items() if span.is_whole}
    parts = {name: span for name, span in found.items() if not span.is_whole
             and not any(one.overlaps(span) for one in whole.values())}  # fmt: skip
    if len({_plain(name) for name in parts}) == 1:
        whole |= parts
    kept: dict[str, Span] = {}
    for name, span in sorted(whole.items(), key=lambda one: one[1].start - one[1].end):
        if not any(one.start <= span.start and span.end <= one.end and
                   one.end - one.start > span.end - span.start for one in kept.values()):  # fmt: skip
            kept[name] = span
    return kept


def renamed(text: str, names: Mapping[str, str]) -> str:
    """Return a text with other names in place of those that it has."""
    text = unicodedata.normalize("NFC", text)
    written, places, place = tokens(text), list[tuple[int, int]](), 0
    for word in written:
        start = text.index(word, place)
        place = start + len(word)
        places.append((start, place))
    for name, span in sorted(things(text, names).items(), key=lambda one: -one[1].start):
        text = f"{text[: places[span.start][0]]}{names[name]}{text[places[span.end - 1][1] :]}"
    return text


@dataclass(frozen=True, slots=True)
class Asks:
    """What a question asks of a thing that it names: its other words of content, and those by which it only says what
    it takes the answer for, as "chemists" of "Which chemists were born in X?".
    """

    question: Question
    words: tuple[str, ...]
    spoken: str
    kinds: tuple[str, ...] = ()
    span: Span = Span(0, 0)

    @property
    def defines(self) -> bool:
        """Whether it asks what the thing is, or means."""
        text = self.question.text
        is_bare = not self.words and self.question.kind in {q.THING, q.PERSON} and bool(_IS.match(text))
        is_other = _ASKS_NAMING.search(self.spoken) is not None
        return not is_other and (is_bare or _ASKS_DEFINING.search(self.spoken) is not None)

    @property
    def asks_person(self) -> bool:
        """Whether it asks who."""
        return self.question.kind == q.PERSON

    @property
    def picks(self) -> str:
        """The word by which it asks for one of several, as "first"; nothing in other questions."""
        return next((word.lower() for word in tokens(self.spoken) if word.lower() in _PICKING), "")

    @property
    def counts(self) -> bool:
        """Whether it asks how many there are."""
        return _HOW_MANY.search(self.question.text) is not None

    @property
    def seeks_reason(self) -> bool:
        """Whether it asks why."""
        return self.question.kind == q.CAUSE or _ASKS_REASON.search(self.spoken) is not None


def asks(asked: Question, span: Span) -> Asks:
    """Return what a question asks of the thing that it names in some place."""
    written = tokens(asked.text)
    before = written[: span.start]
    if before[-2:-1] in (["the"], ["The"]) and is_content(before[-1]):  # what the thing is: "the group Education"
        before = before[:-1]
    others = [*before, *written[span.end :]]
    words = tuple(word for word in others if is_content(word) and stem(word) not in _ANY)
    nouns = {key for key, name in asked.classes if name == "noun"}
    heads = tuple(word for word in words if stem(word) == stem(asked.head)) if asked.head else tuple(
        word for word in words if stem(word) in nouns)[:1]  # fmt: skip
    return Asks(asked, words, without_accents(" ".join(others)), heads, span)


DOER, DONE_TO = "doer", "done to"
_DEPENDENCIES = {"nsubj": DOER, "dobj": DONE_TO, "obj": DONE_TO, "nsubjpass": DONE_TO}
_AS, _HAVING = re.compile(r"\W*as\b", re.IGNORECASE), re.compile(r".*\b(?:have|has|had|having|with)\W*", re.IGNORECASE)
_WHOSE = re.compile(r".*\bwhose\b.*\b(?:is|are|was|were)\W*", re.IGNORECASE)
_THAN = re.compile(r".*\bthan\W*", re.IGNORECASE)
_BY = re.compile(r".*\b(?:by|in)\b.*", re.IGNORECASE)
_AGENTS = frozenset(
    "author creator maker founder writer director publisher inventor discoverer painter composer leader owner editor "
    "successor predecessor translator developer manufacturer producer designer architect employer".split()
)
_NO_ACT = frozenset({"be", "have"})
_COMPARED = re.compile(r"(?:broad|narrow|wid|low|high)er")


def is_turned(wanted: Asks, span: Span) -> bool:
    """Return whether a question asks what has the thing that it names as the value of a property: "whose X is …"."""
    written = tokens(wanted.question.text)
    before, after = " ".join(written[: span.start]), " ".join(written[span.end :])
    return bool(
        (_AS.match(after) and _HAVING.fullmatch(before)) or _WHOSE.fullmatch(before) or _THAN.fullmatch(after)
    )  # fmt: skip


def role(wanted: Asks, span: Span) -> str:
    """Return whether the thing that a question names does what its verb says, or has it done to it; else nothing."""
    doc = parsed(q.readable(wanted.question.text))
    words = {word.lower() for word in tokens(wanted.question.text)[span.start : span.end]}
    inside = {token.i for token in doc if token.lower_ in words}
    top = next((token for token in doc if token.i in inside and token.head.i not in inside), None)
    if top is None or top.head.lemma_ in _NO_ACT:
        return ""
    if top.dep_ == "pobj" and top.head.lower_ == "by":
        return DOER
    if top.head.pos_ != "VERB":
        return ""
    is_turned_round = top.i > top.head.i or any(child.dep_ == "auxpass" for child in top.head.children)
    return DONE_TO if is_turned_round and top.dep_ == "nsubj" else _DEPENDENCIES.get(top.dep_, "")


@lru_cache(maxsize=5_000)
def role_of_subject(predicate: str) -> str:
    """Return whether a predicate says what its subject does, or what is done to it or by whom; else nothing."""
    words = tokens(predicate.lower())
    words = words[1:] if words[:1] in (["is"], ["has"], ["was"]) else words
    if not words or _COMPARED.fullmatch(words[-1]):
        return ""
    if words[-1] in _AGENTS or _BY.fullmatch(" ".join(words)):
        return DONE_TO
    doc = parsed(f"It {' '.join(words)} it.")
    return DOER if doc[1].tag_ == "VBZ" and words[0].endswith("s") else ""


@dataclass(frozen=True, slots=True)
class Fit:
    """How a predicate fits what is asked: the words of the question that it has not; `by` how many it has."""

    left: tuple[str, ...]
    by: int = 0


def fit(wanted: Asks, predicate: str, value: str = "") -> Fit | None:
    """Return how a predicate, which has a value, fits what is asked; None where it has another word, or none of it."""
    label = " ".join(_plain(word) for word in tokens(predicate))
    if label in _BY_DEFINING and wanted.defines:
        is_itself = f" {label} " in f" {' '.join(_plain(word) for word in tokens(wanted.spoken))} "
        left = (word for word in wanted.words if not (_ASKS_DEFINING.fullmatch(word) or alike_any(word, label.split())))
        return Fit(tuple(left), _BY_DEFINING[label] + _NAMED_ITSELF * is_itself)
    if _NAMING.fullmatch(label) and (found := _ASKS_NAMING.search(wanted.spoken)) is not None:
        said = {*map(stem, tokens(found[0]))}
        return Fit(tuple(word for word in wanted.words if stem(word) not in said), 1)
    if wanted.seeks_reason:
        if not (_GIVING_REASON.fullmatch(label) or (label in _BY_DEFINING and _REASON.match(value))):
            return None
        return Fit(tuple(word for word in wanted.words if not _ASKS_REASON.fullmatch(word)), 1)
    return _by_words(wanted, [word for word in tokens(label) if is_content(word)], value)


def fitting(wanted: Asks, facts: Iterable[tuple[Key, str, str, str]], *, as_value: bool) -> dict[Key, tuple[str, ...]]:
    """Return the facts whose predicate fits best what is asked, each with the words of the question that it has not.

    A fact is given by a key, its predicate, its value, and what would be the answer. `as_value`: the thing that the
    question names is the value of them, and not their subject. What is left can only be of what kind the answer is.
    """
    if not as_value and is_turned(wanted, wanted.span):
        return {}
    found: dict[Key, tuple[tuple[str, ...], int]] = {}
    for key, predicate, value, answer in facts:
        one = fit(wanted, predicate, answer if as_value else value)
        if one is not None and _is_in_place(wanted, predicate, as_value=as_value):
            found[key] = tuple(word for word in one.left if not alike_any(word, tokens(answer))), one.by
    least = min((len(left) - by for left, by in found.values()), default=0)
    best = {key: left for key, (left, by) in found.items() if len(left) - by == least}
    return {key: left for key, left in best.items() if {*left} <= {*wanted.kinds}}


def _is_in_place(wanted: Asks, predicate: str, *, as_value: bool) -> bool:
    """Return whether a thing does by a predicate what it does by the question, as far as both say it."""
    asked, said = role(wanted, wanted.span), role_of_subject(predicate)
    return not asked or not said or (asked == said) != as_value


def _by_words(wanted: Asks, words: Sequence[str], value: str) -> Fit | None:
    kind = wanted.question.kind
    said = {word: [other for other in wanted.words if alike(other, word)] for word in words}
    bare = [word for word in words if not said[word]]
    is_dated = kind == q.YES_NO and bool(dates(value)) and bool(dates(wanted.question.text))
    kinds = {kind, q.TIME} if is_dated else {kind}
    if not words or any(q.kind_of(_lemma(word)) not in kinds for word in bare if word not in _PLACES):
        return None
    if kind not in {q.PLACE, q.THING, q.PERSON, q.YES_NO} and not wanted.counts and _PLACES & set(bare):
        return None
    by = [other for others in said.values() for other in others]
    if not by or (kind == q.TIME and not _TIME.search(value)):
        return None
    if kind == q.NUMBER and not wanted.counts and not any(map(str.isdigit, value)):
        return None
    if any(q.kind_of(_lemma(word)) == q.TIME for word in words) and kind in {q.PLACE, q.PERSON}:
        return None
    known = {stem(word) for word in by}
    left = (word for word in wanted.words if stem(word) not in known and not alike_any(word, words))
    return Fit(tuple(word for word in left if not (kind != q.THING and _lemma(word) in _BARE)), len(set(by)))


def says_value(wanted: Asks, value: str, left: Iterable[str]) -> bool:
    """Return whether a question names a value, by all its words or those beside or in its brackets, or a time that it
    is in; and nothing else: `left` is what it has beyond the thing and the property.
    """
    if _DATE.fullmatch(value) and (asked := dates(wanted.question.text)):
        said = dates(value[:_DAY])
        return bool(said) and all(said[0].is_in(one) for one in asked) and all(map(_is_of_date, left))
    spoken, words = tokens(wanted.spoken), tokens(value)
    if any(not alike_any(word, words) for word in left):
        return False
    forms = [value, _ASIDE.sub("", value), *_IN_BRACKETS.findall(value)]
    told = ([word for word in tokens(form) if not _is_mark(word)] for form in forms)
    return any(form and all(alike_any(word, spoken) or not is_content(word) for word in form) for form in told)


def _is_of_date(word: str) -> bool:
    return any(map(str.isdigit, word)) or any(one.month for one in dates(f"{word} 2000"))


def _is_mark(word: str) -> bool:
    """Return whether a word of a name need not be said: "HI" of "Honolulu HI"."""
    return len(word) == 1 or (len(word) == _STATE and word.isupper())


def says_so(wanted: Asks, predicate: str, value: str) -> bool:
    """Return whether a predicate says of a thing and its value what a question says, and not the other way round.

    "Is A the parent of B?" and "Is A broader than B?" ask for the parent of B, and for what is broader; "member of" is
    said of A.
    """
    if not _is_in_place(wanted, predicate, as_value=False):
        return False
    written, other = tokens(wanted.question.text), named(wanted.question.text, value)
    if other is None:
        return True
    is_first = wanted.span.start < other.start
    later = other if is_first else wanted.span
    if written[later.start - 1].lower() not in {"of", "than"}:
        return is_first or role(wanted, wanted.span) != ""
    return is_first == (tokens(predicate)[-1].lower() in {"of", "in", "by"})


@lru_cache(maxsize=10_000)
def alike(word: str, other: str) -> bool:
    """Return whether two words ask for the same: of one root, or by what is known of words for properties."""
    one, two = _stem(word), _stem(other)
    if one == two:
        return True
    if min(len(one), len(two)) >= _SHORTEST_KIN and (one.startswith(two) or two.startswith(one)):
        return True
    return any(one in group and two in group for group in _ALIKE)


def alike_any(word: str, others: Iterable[str]) -> bool:
    """Return whether a word asks for the same as one of some others."""
    return any(alike(word, other) for other in others)


def is_naming(predicate: str) -> bool:
    """Return whether a predicate gives a thing another name."""
    return _NAMING.fullmatch(" ".join(_plain(word) for word in tokens(predicate))) is not None


def is_broader(predicate: str) -> bool:
    """Return whether a predicate gives what a thing belongs to, as a broader term or a category."""
    return alike_any("broader", tokens(predicate)) or alike_any("category", tokens(predicate))


def is_reason(value: str) -> bool:
    """Return whether a text says what for or why by its first word."""
    return _REASON.match(value) is not None


@lru_cache(maxsize=10_000)
def _lemma(word: str) -> str:
    doc = parsed(word)
    return doc[0].lemma_.lower() if len(doc) else word


def _stem(word: str) -> str:
    return stem(_plain(word))


def without_accents(text: str) -> str:
    """Return a text without marks on its letters."""
    return "".join(one for one in unicodedata.normalize("NFD", text) if not unicodedata.combining(one))


@lru_cache(maxsize=50_000)
def _plain(word: str) -> str:
    """Return a word in small letters, without marks on letters, a possessive or plural ending."""
    bare = re.sub(r"['’]s$", "", without_accents(word.lower()))
    return bare.removesuffix("s") if len(bare) > _SHORTEST_SURNAME and not bare.endswith("ss") else bare
