"""What a model replied about a passage, as facts: read tolerantly, each with the sentence that states it.

What can't be used is left out and counted by its reason; nothing is put in its place.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from pyoxigraph import Literal, NamedNode, Triple

from explorer.ingest.extraction.ontology import Ontology, OntologyClass, OntologyProperty, is_value
from explorer.ingest.extraction.prompts import PLACEHOLDERS, Passage
from explorer.ingest.extraction.rules import ExtractedEdge
from explorer.ingest.parsed import triple
from explorer.language.sentences import is_row
from explorer.language.words import content_words, stem_set, stems, tokens
from explorer.reasoning.replies import json as loose_json
from explorer.reasoning.replies.parsing import unthought
from explorer.text import sound, truncate
from explorer.vocab import RDF, SKOS, XSD_STRING

ABOUT = "is about"
_MOST_OF_ONE = 30  # items of a sentence
_LONGEST_NAME, _LONGEST_TEXT = 200, 2_000
_ABSENT = "words that are not in the passage"
_IN_OTHER_WORDS = 0.5  # share of the words of a predicate, definition or topic that stand in the text; not measured
_PHRASE = 12  # words: a longer object is a clause, not a name
_VALUE = re.compile(r"^[\d$€£+\-.]|^\S+\s*%$")
_FIGURES = re.compile(r"\d+(?:[.,]\d+)*")
_WHOLE = re.compile(r"\[?(\d{1,5})(?:\.0)?\]?")
_SUBJECT, _OBJECT = ("subject", "entity", "term", "head", "s"), ("object", "definition", "tail", "o")
_PREDICATE = ("predicate", "relation", "relationship", "property", "p")
_NUMBER = ("n", "sentence", "id", "number")
_WRAPS = ("items", "facts", "relationships", "definitions", "topics", "triples")
_JOINERS = "\u200c\u200d"  # parts of words in some scripts
_PRONOUNS = frozenset(
    "i you he she it we they me him her us them this that these those his hers its their theirs who which what".split()
)
_ARTICLES = {"a", "an", "the"}
_AROUND = " \t\"'`*“”"


@dataclass(slots=True)
class Facts:
    """The facts of one reply: none, where nothing in it is an item; `left_out` counts items by why they were left out.

    `is_readable`: whether it holds what was asked for, were it an empty list.
    """

    edges: list[ExtractedEdge] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    is_readable: bool = False


class UnusableError(ValueError):
    """An item that is no fact; says why, in words that go on after "3 items: "."""


def facts_in(reply: str, passage: Passage, ontology: Ontology | None = None) -> Facts:
    """Read the facts of a reply about a passage of a document; each triple once of a sentence."""
    found = Facts()
    edges: dict[tuple[Triple, int], ExtractedEdge] = {}
    of_one: Counter[int] = Counter()
    for item in _items(reply, found):
        try:
            made = [*_Item(item, passage, ontology).edges()]
        except UnusableError as error:
            found.left_out[str(error)] += 1
            continue
        start = made[0].start
        of_one[start] += 1
        if of_one[start] > _MOST_OF_ONE:
            found.left_out[f"more than {_MOST_OF_ONE} of one sentence"] += 1
            continue
        for edge in made:
            edges.setdefault((triple(edge), start), edge)
    found.edges = list(edges.values())
    return found


def _items(reply: str, found: Facts) -> Iterator[Mapping[str, object]]:
    for value in loose_json.values(loose_json.unfenced(unthought(reply))):
        lists = [value] if isinstance(value, list) else []
        if isinstance(value, dict):
            lists = [value[name] for name in _WRAPS if isinstance(value.get(name), list)] or [[value]]
        for listed in lists:
            items = [item for item in listed if isinstance(item, dict)]
            found.is_readable |= bool(items) or not listed
            yield from items


class _Item:
    """An item with the sentence that it names; raises UnusableError where it names none."""

    def __init__(self, item: Mapping[str, object], passage: Passage, ontology: Ontology | None) -> None:
        self._item, self._passage, self._ontology = item, passage, ontology
        named = _WHOLE.fullmatch(_text(item, _NUMBER))
        if named is None or not 0 < int(named[1]) <= len(passage.sentences):
            raise UnusableError("no sentence that was given")
        self.start, self.end = passage.sentences[int(named[1]) - 1]
        self._sentence = passage.text(self.start, self.end)
        self._all = "\n".join([passage.title, passage.section, *passage.names, passage.chunk.text])

    def edges(self) -> Iterator[ExtractedEdge]:
        """Yield its facts; raises UnusableError."""
        item = self._item
        if self._ontology is not None:
            yield from self._within(self._ontology)
        elif "topic" in item and "subject" not in item:
            topic = _name(item, ("topic",), "topic")
            self._check(topic, self._passage.chunk.text, _IN_OTHER_WORDS)
            yield self._edge((self._passage.title, ABOUT, topic), is_thing=True)
        elif "definition" in item and "predicate" not in item:
            yield self._definition()
        else:
            yield self._relationship()

    def _edge(
        self, words: tuple[str, str, str], *, is_thing: bool,
        predicate: NamedNode | None = None, value: NamedNode | Literal | None = None,
    ) -> ExtractedEdge:  # fmt: skip
        return ExtractedEdge(
            *words, is_thing, self.start, self.end, None, self._passage.chunk,
            predicate_node=predicate, object_node=value,
        )  # fmt: skip

    def _check(self, words: str, text: str, least: float = 1.0) -> None:
        """Raise UnusableError where fewer of some words stand in a text."""
        if presence(words, text) < least:
            raise UnusableError(_ABSENT)

    def _definition(self) -> ExtractedEdge:
        entity, said = _name(self._item, _SUBJECT, "entity"), _value(self._item, _OBJECT, "definition")
        if entity.casefold() == without_article(said).casefold():
            raise UnusableError("a thing related to itself")
        self._check(entity, self._all)
        self._check(said, self._sentence, _IN_OTHER_WORDS)
        return self._edge((entity, "definition", said), is_thing=False, predicate=SKOS.definition)

    def _relationship(self) -> ExtractedEdge:
        subject, predicate, words = self._words()
        told = self._item.get("object_is_entity", self._item.get("object-entity"))
        is_thing = told if isinstance(told, bool) else not _VALUE.match(words) and len(words.split()) <= _PHRASE
        words = self._object(subject, words, is_thing=is_thing)
        if content_words(predicate) or not predicate.isascii():
            is_cell = is_row(self._sentence)  # what a cell is called stands in another row
            self._check(predicate, self._all if is_cell else self._sentence, _IN_OTHER_WORDS)
        return self._edge((subject, predicate, words), is_thing=is_thing)

    def _words(self) -> tuple[str, str, str]:
        item = self._item
        return _name(item, _SUBJECT, "subject"), _name(item, _PREDICATE, "predicate"), _value(item, _OBJECT, "object")

    def _object(self, subject: str, words: str, *, is_thing: bool) -> str:
        """Return an object as a name or value. Raises UnusableError where it is none, where a name is not in the
        passage, and where a value, or anything of both ends, is not in the sentence.
        """
        if is_thing:
            words = without_article(words)
            _check_thing(subject, words)
        self._check(subject, self._all)
        self._check(words, self._all if is_thing else self._sentence)
        if not presence(subject, self._sentence) and not presence(words, self._sentence):
            raise UnusableError(_ABSENT)
        return words

    def _within(self, ontology: Ontology) -> Iterator[ExtractedEdge]:
        """Yield what an item says in terms of an ontology: a fact, and of which classes its ends are."""
        subject, named, words = self._words()
        used = ontology.property_of(named)
        if used is None:
            raise UnusableError(f"the ontology has no property {_shown(named)}")
        ends = [_class(self._item, which, ontology) for which in ("subject_class", "object_class")]
        if used.datatype is not None:
            ends[1] = None  # a value is of no class
        for end, allowed, which in zip(ends, (used.domains, used.ranges), ("a subject", "an object"), strict=True):
            if end is not None and allowed and not end.above & allowed:
                raise UnusableError(f"{_shown(used.name)} does not take {which} of the class {_shown(end.name)}")
        if is_thing := used.datatype is None:
            words, value = self._object(subject, words, is_thing=True), None
        else:
            value = self._typed(subject, words, used)
        yield self._edge((subject, used.name, words), is_thing=is_thing, predicate=NamedNode(used.iri), value=value)
        for name, end in zip((subject, words), ends, strict=True):
            if end is not None:
                is_a, kind = NamedNode(RDF.type.value), NamedNode(end.iri)
                yield self._edge((name, "is a", end.name), is_thing=True, predicate=is_a, value=kind)

    def _typed(self, subject: str, words: str, used: OntologyProperty) -> Literal:
        """Return a value; of a date, or what else has another form there, the sentence has the greatest number."""
        datatype = used.datatype or XSD_STRING
        if not is_value(words, datatype):
            raise UnusableError(f"{_shown(used.name)} takes another kind of value than {_shown(words)}")
        if datatype == XSD_STRING:
            return Literal(self._object(subject, words, is_thing=False))
        self._check(subject, self._all)
        if (given := numbers(words)) and max(given) not in numbers(self._sentence):
            raise UnusableError(_ABSENT)
        return Literal(words, datatype=NamedNode(datatype))


def without_article(name: str) -> str:
    """Return a name as rules read it, without its article; one that is part of a name, as of The Hague, stays."""
    article, _, rest = name.partition(" ")
    is_part = article[:1].isupper() and not rest[:1].islower()
    return rest if rest and article.lower() in _ARTICLES and not is_part else name


def _check_thing(subject: str, words: str) -> None:
    """Raise UnusableError where the object of a relationship is no name of another thing."""
    if words.casefold() in _PRONOUNS:
        raise UnusableError("a pronoun in the place of a name")
    if subject.casefold() == words.casefold():
        raise UnusableError("a thing related to itself")
    if len(words) > _LONGEST_NAME:
        raise UnusableError("too long for a name: the object")


def _class(item: Mapping[str, object], which: str, ontology: Ontology) -> OntologyClass | None:
    named = _text(item, (which,))
    if not named:
        return None
    if (found := ontology.class_of(named)) is None:
        raise UnusableError(f"the ontology has no class {_shown(named)}")
    return found


def _name(item: Mapping[str, object], fields: tuple[str, ...], what: str) -> str:
    name = _text(item, fields).strip(_AROUND)
    if what != "predicate":
        name = without_article(name)
    if not any(map(str.isalnum, name)):
        raise UnusableError(f"no {what}")
    if len(name) > _LONGEST_NAME:
        raise UnusableError(f"too long for a name: the {what}")
    if name.casefold() in _PRONOUNS:
        raise UnusableError("a pronoun in the place of a name")
    return name


def _value(item: Mapping[str, object], fields: tuple[str, ...], what: str) -> str:
    value = _text(item, fields).strip(_AROUND)
    if not value:
        raise UnusableError(f"no {what}")
    if len(value) > _LONGEST_TEXT:
        raise UnusableError(f"too long: the {what}")
    return value


def _text(item: Mapping[str, object], fields: tuple[str, ...]) -> str:
    """Return the first of some fields that holds a text or a number, on one line and without what is not seen.

    Raises UnusableError for words of the prompt.
    """
    for name in fields:
        given = item.get(name)
        if isinstance(given, str) or (isinstance(given, int | float) and not isinstance(given, bool)):
            seen = "".join(
                one for one in sound(str(given))
                if one.isspace() or one in _JOINERS or not unicodedata.category(one).startswith("C")
            )  # fmt: skip
            found = " ".join(seen.split())
            if found.rstrip(".").casefold() in PLACEHOLDERS:
                raise UnusableError("words of the prompt")
            return found
    return ""


def _shown(text: str) -> str:
    return f"“{truncate(text, 40)}”"


def presence(words: str, text: str) -> float:
    """Return the share of the content words that a text has, by their stems; 0 where a number is not there.

    A word of small letters and blanks alone is looked for among its words, one of another script anywhere.
    """
    wanted = content_words(words) or tokens(words)
    if not wanted or not numbers(words) <= numbers(text):
        return 0.0
    there, plain = stem_set(text), text.casefold()
    is_there = [{*stems(word)} <= there if content_words(word) else word.casefold() in plain for word in wanted]
    others = [not word.isascii() and word.casefold() in plain for word in wanted]
    return sum(map(max, is_there, others)) / len(wanted)


def numbers(text: str) -> set[float]:
    """Return the numbers of a text: 1,300 and 1300 are one."""
    found = _FIGURES.findall(text)
    return {float(one.replace(",", "").replace(".", "", max(0, one.count(".") - 1))) for one in found}
