"""Questions read by one parse: what kind of thing each asks for, of what noun, and its names, numbers and negation."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from explorer.language.pipeline import parse
from explorer.language.words import is_content, stem, tokens

if TYPE_CHECKING:
    from explorer.language.pipeline import Doc, Token

PERSON, TIME, NUMBER, PLACE, CAUSE, MANNER = "person", "time", "number", "place", "cause", "manner"
YES_NO, CHOICE, THING = "yes or no", "one of two", "thing"
KINDS = (PERSON, TIME, NUMBER, PLACE, CAUSE, MANNER, YES_NO, CHOICE, THING)
"""The kinds of thing that a question asks for."""

ENTITIES = {
    PERSON: frozenset({"person", "group", "organisation", "name"}),
    TIME: frozenset({"time"}),
    NUMBER: frozenset({"number", "quantity", "money", "percent"}),
    PLACE: frozenset({"place", "organisation", "name"}),
}
"""By the kind that is asked for the kinds of named entities that answer it; the others none can answer."""

_ASKING = {"WDT", "WP", "WP$", "WRB"}
_TIMES = frozenset("year date month day time century decade era period season hour week age".split())
_PLACES = frozenset(
    "place country city state region continent county town village river island location province district "
    "area capital nation territory municipality borough street sea ocean mountain valley".split()
)
_PEOPLE = frozenset(
    "person man woman president king queen author director actor actress leader writer singer founder emperor pope "
    "scientist artist painter poet mayor governor general captain commander husband wife father mother son daughter "
    "brother sister chairman minister people name".split()
)
_NUMBERS = frozenset(
    "number amount percentage percent voltage temperature pressure speed price cost weight distance population height "
    "length rate size width depth fraction share total score frequency mass volume capacity duration value".split()
)
_CAUSES = frozenset({"reason", "cause", "motive", "purpose"})
_MANNERS = frozenset({"way", "method", "means", "manner"})
_CAUSING = frozenset({"cause", "prompt", "trigger"})
_EMPTY = frozenset({"name", "kind", "type", "sort", "term", "word", "example", "thing", "one", "part"})
_MEASURED = frozenset(
    "many much far long cold hot high old fast big large deep heavy often tall wide warm thick strong loud "
    "common frequently quickly likely small low short late early close".split()
)
_NOUNS = {
    "cold": "temperature", "hot": "temperature", "warm": "temperature", "far": "distance", "fast": "speed",
    "quickly": "speed", "heavy": "weight", "high": "height", "tall": "height", "deep": "depth", "wide": "width",
    "large": "size", "big": "size", "small": "size", "long": "duration", "old": "age", "often": "frequency",
}  # fmt: skip
_TIMED = frozenset({"long", "old", "often", "late", "early", "frequently", "soon"})
_NEGATIONS = frozenset({"not", "n't", "n’t", "never"})
_MEASURES = frozenset({"DATE", "TIME", "QUANTITY", "PERCENT", "MONEY", "CARDINAL", "ORDINAL"})
_LINKING = frozenset({"of", "the", "de", "von", "van", "and", "for", "in", "&", "la", "du", "del", "bin", "al"})


@dataclass(frozen=True, slots=True)
class Question:
    """One question that asks one thing.

    `kind` is one of `KINDS`. `head`: the noun of "what X" or "what is the X of …", in its base form; empty where there
    is none. `names` and `numbers` as they stand in it; `phrases`: its noun phrases and names, without articles.
    `is_negated`: it asks what is not so; one that asks why something is not so takes that for granted.
    `context`: what a question before it was about, for one that says little by itself.
    """

    text: str
    kind: str
    head: str = ""
    names: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()
    is_negated: bool = False
    context: str = ""

    @property
    def entities(self) -> frozenset[str]:
        """The kinds of named entities that can answer it; none where it does not ask for such."""
        return ENTITIES.get(self.kind, frozenset())


@lru_cache(maxsize=256)
def read(text: str) -> Question:
    """Read a question."""
    [(doc, _)] = parse([(_readable(text), None)])
    asked = next((token for token in doc if _asks(token)), None)
    kind, head = _kind(doc, asked)
    named = _names(doc)
    return Question(
        text,
        kind,
        head,
        named,
        tuple(token.text for token in doc if any(map(str.isdigit, token.text))),
        _phrases(doc, named),
        kind != CAUSE and any(map(_denies, doc)),
    )


def _readable(text: str) -> str:
    """Return a question on one line; one in capitals alone in small letters."""
    line = " ".join(text.split())
    return line.lower() if line.isupper() else line


def _denies(token: Token) -> bool:
    """Return whether a word negates the clause that asks: "what was not tested", but not "no warning" or "no. 2"."""
    return token.dep_ == "neg" and token.lower_ in _NEGATIONS and token.head.dep_ in {"ROOT", "aux", "auxpass", "ccomp"}


def _asks(token: Token) -> bool:
    """Return whether a word asks, and does not begin a relative clause."""
    if token.tag_ not in _ASKING or token.lower_ == "that":
        return False
    return not any(above.dep_ in {"relcl", "advcl"} and above.i > token.i for above in token.ancestors) or token.i == 0


def _kind(doc: Doc, asked: Token | None) -> tuple[str, str]:
    """Return the kind of thing that is asked for, and the noun that names it."""
    if asked is None:
        first = next((token for token in doc if not token.is_space and not token.is_punct), None)
        if first is None:
            return THING, ""
        if first.pos_ == "AUX" or first.lower_ in {"do", "does", "did", "is", "are", "was", "were", "has", "have"}:
            return (CHOICE if _is_choice(doc) else YES_NO), ""
        return THING, ""
    word = asked.lower_
    if word == "why":
        return CAUSE, ""
    if word == "when":
        return TIME, ""
    if word in {"who", "whom", "whose"}:
        return (CHOICE if _is_choice(doc) else PERSON), ""
    if word == "where":
        return PLACE, ""
    if word == "how":
        return _kind_of_how(doc, asked)
    noun = _head(doc, asked)
    if _is_choice(doc):
        return CHOICE, noun.lemma_.lower() if noun is not None else ""
    if noun is None:
        verb = asked.head
        causes = verb.lemma_.lower() in _CAUSING or (verb.lemma_ == "lead" and asked.dep_ == "nsubj")
        return (CAUSE if causes and asked.dep_ == "nsubj" else THING), ""
    lemma = noun.lemma_.lower()
    return kind_of(lemma), "" if lemma in _EMPTY else lemma


def kind_of(noun: str) -> str:
    """Return the kind of thing that a noun in its base form names."""
    kinds = [(_TIMES, TIME), (_PLACES, PLACE), (_NUMBERS, NUMBER), (_CAUSES, CAUSE), (_MANNERS, MANNER)]
    found = next((kind for nouns, kind in kinds if noun in nouns), None)
    if found is None and (noun in _PEOPLE - {"name"} or noun.endswith(("ist", "ician", "ographer"))):
        return PERSON
    return found or THING


def _kind_of_how(doc: Doc, asked: Token) -> tuple[str, str]:
    after = doc[asked.i + 1] if asked.i + 1 < len(doc) else None
    if after is None or after.lower_ not in _MEASURED:
        return MANNER, ""
    if after.lower_ in _TIMED:
        return TIME, _NOUNS.get(after.lower_, "")
    noun = after.head if after.lower_ in {"many", "much"} and after.head.pos_ == "NOUN" else None
    return NUMBER, noun.lemma_.lower() if noun is not None else _NOUNS.get(after.lower_, "")


def _head(doc: Doc, asked: Token) -> Token | None:
    """Return the noun of "what X", of "what is the X", or None."""
    if asked.dep_ in {"det", "poss"} or (asked.head.pos_ in {"NOUN", "PROPN"} and asked.head.i > asked.i):
        return _inner(asked.head)
    above = asked.head
    if above.lemma_ == "be":
        subject = next((c for c in above.children if c.dep_ in {"nsubj", "attr", "nsubjpass"} and c.i != asked.i), None)
        if subject is not None and subject.pos_ == "NOUN":
            return _inner(subject)
    following = doc[asked.i + 1] if asked.i + 1 < len(doc) else None
    if following is not None and following.pos_ == "NOUN" and asked.lower_ in {"what", "which"}:
        return following
    return None


def _inner(noun: Token) -> Token:
    """Return the noun in place of an empty one: "pressure" of "type of pressure", "number of X" stays."""
    if noun.lemma_.lower() not in _EMPTY - {"name"}:
        return noun
    of = next((c for c in noun.children if c.dep_ == "prep" and c.lower_ == "of"), None)
    return next((c for c in of.children if c.dep_ == "pobj"), noun) if of is not None else noun


def _is_choice(doc: Doc) -> bool:
    """Return whether two names or nouns are offered to choose from."""
    joints = [token for token in doc if token.lower_ == "or" and 0 < token.i < len(doc) - 1]
    return any(
        doc[joint.i - 1].text[0].isupper() and any(word.text[0].isupper() for word in doc[joint.i + 1 : joint.i + 3])
        for joint in joints
    )


def _names(doc: Doc) -> tuple[str, ...]:
    """Return the names in a question: runs of words with a capital of their own, and what the parser takes for one."""
    marked = [False] * len(doc)
    for entity in doc.ents:
        if entity.label_ not in _MEASURES:
            for token in entity:
                marked[token.i] = token.lower_ not in {"the", "a", "an", "'s", "’s", "and", "or", '"', "“", "”"}
    for token in doc:
        capital = token.text[:1].isupper() and token.is_alpha
        if capital and (token.i > 0 or (token.pos_ == "PROPN" and not token.tag_.startswith("W"))):
            marked[token.i] = marked[token.i] or token.tag_ not in _ASKING
    found: list[str] = []
    i = 0
    while i < len(doc):
        if not marked[i]:
            i += 1
            continue
        end = i
        while end + 1 < len(doc) and (
            marked[end + 1]
            or (doc[end + 1].lower_ in _LINKING - {"and", "&", "in", "for"} and end + 2 < len(doc) and marked[end + 2])
            or (doc[end + 1].text in {"-", "–", "'", "."} and end + 2 < len(doc) and marked[end + 2])
        ):
            end += 1
        while end + 1 < len(doc) and doc[end + 1].like_num and doc[end + 1].text.isdigit():
            end += 1
        if any(map(is_content, tokens(doc[i : end + 1].text))):
            found.append(doc[i : end + 1].text)
        i = end + 1
    return tuple(dict.fromkeys(found))


def _phrases(doc: Doc, named: tuple[str, ...]) -> tuple[str, ...]:
    """Return noun phrases without what asks and without articles; a name within one stands for itself as well."""
    found: list[str] = []
    for chunk in doc.noun_chunks:
        words = [t for t in chunk if (t.tag_ not in _ASKING and t.dep_ != "poss") or t.pos_ == "PROPN"]
        while words and not (is_content(words[0].text) and words[0].pos_ not in {"DET", "PRON"}):
            words.pop(0)
        if words and words[-1].pos_ in {"NOUN", "PROPN", "NUM", "X"}:
            found.append(doc[words[0].i : words[-1].i + 1].text)
    known = {stem(word) for phrase in found for word in tokens(phrase)}
    found += [name for name in named if not {stem(word) for word in tokens(name)} <= known]
    return tuple(dict.fromkeys(found))
