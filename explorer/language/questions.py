"""Questions read by one parse: what kind of thing each asks for, of what noun, and its names, numbers and negation."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile
from typing import TYPE_CHECKING

from explorer.language.pipeline import parsed
from explorer.language.words import NUMBERED, is_content, stem, tokens

if TYPE_CHECKING:
    from explorer.language.pipeline import Doc, Token

PERSON, TIME, NUMBER, PLACE, CAUSE, MANNER = "person", "time", "number", "place", "cause", "manner"
YES_NO, THING = "yes or no", "thing"
ENTITIES = {
    PERSON: frozenset({"person", "group", "organisation", "name"}),
    TIME: frozenset({"time"}),
    NUMBER: frozenset({"number", "quantity", "money", "percent"}),
    PLACE: frozenset({"place", "organisation", "name", "group"}),
}
"""By the kind that is asked for the kinds of named entities that answer it; the others none can answer."""

ASKING = frozenset({"WDT", "WP", "WP$", "WRB"})
"""The tags of question words."""
_TIMES = frozenset("year date month day time century decade era period season hour week age".split())
_PLACES = frozenset(
    "place country city state region continent county town village river island location province district "
    "area capital nation territory municipality borough street sea ocean mountain valley".split()
)
_PEOPLE = frozenset(
    "person man woman president king queen author director actor actress leader writer singer founder emperor pope "
    "scientist artist painter poet mayor governor general captain commander husband wife father mother son daughter "
    "brother sister chairman minister people name engineer manager ceo cto cfo coo treasurer secretary chair "
    "chairperson chairwoman facilitator moderator editor developer employee worker member owner operator "
    "administrator maintainer contributor reviewer speaker host guest winner victim driver pilot researcher student "
    "teacher professor doctor nurse lawyer judge officer inspector supervisor coordinator organiser organizer founder "
    "creator inventor designer architect composer producer consultant delegate representative witness translator "
    "presenter master investigator".split()
)
_NUMBERS = frozenset(
    "number amount percentage percent voltage temperature pressure speed price cost weight distance population height "
    "length rate size width depth fraction total score frequency mass volume capacity duration money revenue income "
    "profit salary wage budget fee debt turnover rent refund donation balance".split()
)
_CAUSES = frozenset({"reason", "cause", "motive", "purpose"})
_MANNERS = frozenset({"way", "method", "means", "manner"})
_EMPTY = frozenset({"name", "kind", "type", "sort", "term", "word", "example", "thing", "one", "part"})
_MEASURED = frozenset(
    "many much far long cold hot high old fast big large deep heavy often tall wide warm thick strong loud "
    "common frequently quickly likely small low short late early close".split()
)
NOUNS = {
    "cold": "temperature", "hot": "temperature", "warm": "temperature", "far": "distance", "fast": "speed",
    "quickly": "speed", "heavy": "weight", "high": "height", "tall": "height", "deep": "depth", "wide": "width",
    "large": "size", "big": "size", "small": "size", "long": "duration", "old": "age", "often": "frequency",
}  # fmt: skip
"""What is asked by "how cold": the nouns of adjectives."""
_UNITS_OF_TIME = frozenset("second minute hour day week month year decade century".split())
_TIMED = frozenset({"long", "old", "often", "late", "early", "frequently", "soon"})
_CLASSES = {"NOUN": "noun", "PROPN": "noun", "VERB": "verb", "ADJ": "adjective", "ADV": "adjective"}
_NUMBERING = frozenset({"no", "no.", "."})
_NEGATIONS = frozenset({"not", "n't", "n’t", "never"})
_BEGINNING = frozenset({"do", "does", "did", "is", "are", "was", "were", "has", "have", "had", "can", "could"})
DOING = frozenset({"do", "does", "did"})
_MEASURES = frozenset({"DATE", "TIME", "QUANTITY", "PERCENT", "MONEY", "CARDINAL", "ORDINAL"})
_LINKING = frozenset({"of", "the", "de", "von", "van", "and", "for", "in", "&", "la", "du", "del", "bin", "al"})


@dataclass(frozen=True, slots=True)
class Question:
    """One question that asks one thing.

    `kind`: what kind of thing it asks for, of those above. `head`: the noun of "what X" or "what is the X of …", in its
    base form; empty where there is none. `names` and `numbers` as they stand in it; `phrases`: its noun phrases and
    names, without articles.
    `is_negated`: it asks what is not so; one that asks why something is not so takes that for granted.
    `classes`: the stems of its content words, each with "noun", "verb" or "adjective".
    `context`: what a question before it was about, for one that says little by itself.
    """

    text: str
    kind: str
    head: str = ""
    names: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()
    is_negated: bool = False
    classes: tuple[tuple[str, str], ...] = ()
    context: str = ""

    @property
    def entities(self) -> frozenset[str]:
        """The kinds of named entities that can answer it; none where it does not ask for such."""
        return ENTITIES.get(self.kind, frozenset())


@lru_cache(maxsize=256)
def read(text: str) -> Question:
    """Read a question."""
    text = readable(text)
    doc = parsed(text)
    asks = [token for token in doc if token.tag_ in ASKING and token.lower_ != "that"]
    if len(doc) > 0 and doc[0].pos_ == "AUX":  # "Is there a pump whose valve leaks?" asks yes or no
        asks = []
    asked = next(filter(_asks, asks), next(iter(asks), None))  # of "After he died, who led it?" the only one
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
        tuple((stem(token.text), _CLASSES[token.pos_]) for token in doc
              if token.pos_ in _CLASSES and is_content(token.text)),
    )  # fmt: skip


def readable(text: str) -> str:
    """Return a question on one line; one in capitals alone in small letters."""
    line = " ".join(text.split())
    return line.lower() if line.isupper() else line


def _denies(token: Token) -> bool:
    """Return whether a word negates the clause that asks: "what was not tested", but not "no warning" or "no. 2"."""
    return token.dep_ == "neg" and token.lower_ in _NEGATIONS and token.head.dep_ in {"ROOT", "aux", "auxpass", "ccomp"}


def _asks(token: Token) -> bool:
    return not any(above.dep_ in {"relcl", "advcl"} and above.i > token.i for above in token.ancestors) or token.i == 0


def _kind(doc: Doc, asked: Token | None) -> tuple[str, str]:
    """Return the kind of thing that is asked for, and the noun that names it."""
    if asked is None:
        first = next((token for token in doc if not token.is_space and not token.is_punct), None)
        if first is None:
            return THING, ""
        if first.pos_ == "AUX" or first.lower_ in _BEGINNING:
            return YES_NO, ""
        root = next((token for token in doc if token.dep_ == "ROOT"), first)
        named = root.pos_ == "NOUN" and len(doc) > 1  # "launch date of Apollo 13"
        lemma = root.lemma_.lower()
        return (kind_of(lemma), lemma) if named else (THING, "")
    word = asked.lower_
    if word == "why":
        return CAUSE, ""
    if word == "when":
        return TIME, ""
    if word in {"who", "whom", "whose"}:
        role = _head(doc, asked) if word == "who" else None
        return PERSON, role.lemma_.lower() if role is not None else ""
    if word == "where":
        return PLACE, ""
    if word == "how":
        return _kind_of_how(doc, asked)
    noun = _head(doc, asked)
    if noun is None:
        return THING, ""
    lemma = noun.lemma_.lower()
    is_bare = asked.lower_ == "what" and noun.head.lemma_ == "be" and not any(map(_narrows, noun.children))
    return THING if is_bare else kind_of(lemma), "" if lemma in _EMPTY or is_bare else lemma


def _narrows(word: Token) -> bool:
    """Return whether a word tells which one is meant: "time" of "what is time off in lieu" is asked to be defined."""
    return word.dep_ in {"det", "amod", "compound", "poss", "nummod", "relcl", "acl"} or word.lower_ == "of"


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
        return TIME, NOUNS.get(after.lower_, "")
    noun = after.head if after.lower_ in {"many", "much"} and after.head.pos_ == "NOUN" else None
    if noun is not None and noun.lemma_.lower() in _UNITS_OF_TIME:
        return TIME, "duration"
    return NUMBER, noun.lemma_.lower() if noun is not None else NOUNS.get(after.lower_, "")


def _head(doc: Doc, asked: Token) -> Token | None:
    """Return the noun of "what X", of "what is the X", or None."""
    if asked.dep_ in {"det", "poss"} or (asked.head.pos_ in {"NOUN", "PROPN"} and asked.head.i > asked.i):
        return _inner(asked.head)
    above = asked.head
    if above.lemma_ == "be" and not any(map(_completes, above.children)):
        subject = next((c for c in above.children if c.dep_ in {"nsubj", "attr", "nsubjpass"} and c.i != asked.i), None)
        if subject is not None and subject.pos_ == "NOUN":
            return _inner(subject)
    following = doc[asked.i + 1] if asked.i + 1 < len(doc) else None
    if following is not None and following.pos_ == "NOUN" and asked.lower_ in {"what", "which"}:
        return _inner(following)
    return None


def _completes(word: Token) -> bool:
    """Return whether a word completes "is": "it is about" does, "in 2023" does not."""
    has_object = any(child.dep_ in {"pobj", "pcomp"} for child in word.children)
    return word.dep_ in {"acomp", "xcomp"} or (word.dep_ == "prep" and not has_object)


def _inner(noun: Token) -> Token:
    """Return the noun in place of an empty one: "pressure" of "type of pressure", "number of X" stays."""
    while noun.dep_ == "compound" and noun.head.i > noun.i:
        noun = noun.head
    if noun.lemma_.lower() not in _EMPTY - {"name"}:
        return noun
    of = next((c for c in noun.children if c.dep_ == "prep" and c.lower_ == "of"), None)
    return next((c for c in of.children if c.dep_ == "pobj"), noun) if of is not None else noun


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
            marked[token.i] = marked[token.i] or token.tag_ not in ASKING
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


def _marked(last: Token) -> int:
    """Return where a phrase ends: behind the number that marks its last word, as "tank no. 2"."""
    after = [*takewhile(lambda one: one.lower_ in _NUMBERING or one.like_num, last.doc[last.i + 1 : last.i + 4])]
    is_marked = last.lower_ == "no" or (after and after[0].lower_ in {"no", "no."})
    return after[-1].i if is_marked and after and after[-1].like_num else last.i


def _verb(doc: Doc) -> int:
    """Return where the verb of a question with "do" stands that the parser took for a noun: "did the burn achieve?"."""
    first = next((t.i for t in doc if t.lower_ in DOING), len(doc))
    if any(t.pos_ == "VERB" or t.lower_ == "do" for t in doc[first + 1 :]):
        return -1
    for chunk in doc.noun_chunks:
        last, after = chunk.end - 1, doc[chunk.end] if chunk.end < len(doc) else None
        ends = after is None or after.pos_ == "PUNCT" or (after.pos_ == "ADP" and after.lower_ != "of")
        if chunk.start > first and len(chunk) > 1 and doc[last].tag_ == "NN" and doc[last - 1].pos_ != "DET" and ends:
            return last
    return -1


def _phrases(doc: Doc, named: tuple[str, ...]) -> tuple[str, ...]:
    """Return noun phrases without what asks and without articles; a name within one stands for itself as well."""
    found: list[str] = []
    end, verb = -1, _verb(doc)
    torn = [one.span() for one in NUMBERED.finditer(doc.text)]
    for chunk in doc.noun_chunks:
        if any(start <= chunk.start_char < past for start, past in torn):
            continue  # of "tank no. 2 fail" the parser makes "2 fail"
        own = (t for t in chunk if t.i > end and t.i != verb)
        words = [t for t in own if (t.tag_ not in ASKING and t.dep_ != "poss") or t.pos_ == "PROPN"]
        while words and not (is_content(words[0].text) and words[0].pos_ not in {"DET", "PRON"}):
            words.pop(0)
        if words and words[-1].pos_ in {"NOUN", "PROPN", "NUM", "X"}:
            end = _marked(words[-1])
            found.append(doc[words[0].i : end + 1].text)
    known = {stem(word) for phrase in found for word in tokens(phrase)}
    found += [name for name in named if not {stem(word) for word in tokens(name)} <= known]
    return tuple(dict.fromkeys(found))
