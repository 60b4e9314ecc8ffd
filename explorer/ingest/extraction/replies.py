"""What a model replied about a passage, as facts: read tolerantly, each with the place of the words it quotes.

What can't be used is left out and counted by its reason; nothing is put in its place.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from pyoxigraph import Literal, NamedNode, Triple

from explorer.ingest.chunker import TextChunk
from explorer.ingest.extraction.alignment import aligned
from explorer.ingest.extraction.extractor import ExtractedEdge
from explorer.ingest.extraction.ontology import Ontology, OntologyClass, is_value
from explorer.ingest.extraction.prompts import INSTRUCTIONS, PLACEHOLDERS
from explorer.ingest.parsed import triple
from explorer.reasoning.replies import json as loose_json
from explorer.reasoning.replies.answer import sound, unthought
from explorer.text import truncate
from explorer.vocab import RDF, SKOS, XSD_STRING

ABOUT = "is about"
_MOST = 500  # items of a reply
_LONGEST_NAME, _LONGEST_TEXT, _LONGEST_QUOTE = 200, 2_000, 2_000
_PHRASE = 12  # words: a longer object is a clause, not a name
_VALUE = re.compile(r"^[\d$€£+\-.]|^\S+\s*%$")
_SUBJECT, _OBJECT = ("subject", "entity", "term", "head", "s"), ("object", "definition", "tail", "o")
_PREDICATE, _QUOTE = ("predicate", "relation", "relationship", "property", "p"), ("quote", "quotation", "evidence")
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

    @property
    def unaligned(self) -> int:
        """How many facts quote words that do not stand in the passage."""
        return sum(bool(edge.quoted) for edge in self.edges)


class UnusableError(ValueError):
    """An item that is no fact; says why, in words that go on after "3 items: "."""


def facts_in(reply: str, chunk: TextChunk, title: str, ontology: Ontology | None = None) -> Facts:
    """Read the facts of a reply about a chunk of a document; each triple once, rather with words that are there."""
    found = Facts()
    edges: dict[Triple, ExtractedEdge] = {}
    for number, item in enumerate(_items(reply, found)):
        if number >= _MOST:
            found.left_out[f"more than {_MOST} in one reply"] += 1
            continue
        try:
            for edge in _edges(item, chunk, title, ontology):
                known = edges.get(triple(edge))
                if known is None or (known.quoted and not edge.quoted):
                    edges[triple(edge)] = edge
        except UnusableError as error:
            found.left_out[str(error)] += 1
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


def _edges(
    item: Mapping[str, object], chunk: TextChunk, title: str, ontology: Ontology | None
) -> Iterator[ExtractedEdge]:
    """Yield the facts of one item; raises UnusableError."""
    quote = _text(item, _QUOTE)[:_LONGEST_QUOTE]
    place = aligned(quote, chunk.text)
    if place is None and aligned(quote, INSTRUCTIONS):
        raise UnusableError("words of the prompt")
    start, end = (chunk.start + place[0], chunk.start + place[1]) if place else (chunk.start, chunk.end)
    missing = "" if place else quote or "(nothing)"

    def edge(
        words: tuple[str, str, str], *, is_thing: bool,
        predicate: NamedNode | None = None, value: NamedNode | Literal | None = None,
    ) -> ExtractedEdge:  # fmt: skip
        return ExtractedEdge(
            *words, is_thing, start, end, None, chunk, predicate_node=predicate, object_node=value, quoted=missing
        )  # fmt: skip

    if ontology is not None:
        yield from _within(item, ontology, edge)
        return
    kind = str(item.get("type", item.get("kind", ""))).strip().lower()
    if kind == "topic" or ("topic" in item and "subject" not in item):
        topic = _name(item, ("topic", *_SUBJECT), "topic")
        yield edge((title, ABOUT, topic), is_thing=True)
    elif kind == "definition" or ("definition" in item and "predicate" not in item):
        entity, said = _name(item, _SUBJECT, "entity"), _value(item, _OBJECT, "definition")
        if entity.casefold() == without_article(said).casefold():
            raise UnusableError("a thing related to itself")
        yield edge((entity, "definition", said), is_thing=False, predicate=SKOS.definition)
    else:
        subject, predicate = _name(item, _SUBJECT, "subject"), _name(item, _PREDICATE, "predicate")
        words = _value(item, _OBJECT, "object")
        told = item.get("object_is_entity", item.get("object-entity"))
        is_thing = told if isinstance(told, bool) else not _VALUE.match(words) and len(words.split()) <= _PHRASE
        if is_thing:
            words = without_article(words)
            _check_thing(subject, words)
        yield edge((subject, predicate, words), is_thing=is_thing)


def _within(
    item: Mapping[str, object], ontology: Ontology, edge: Callable[..., ExtractedEdge]
) -> Iterator[ExtractedEdge]:
    """Yield what an item says in terms of an ontology: a fact, and of which classes its ends are."""
    subject, named = _name(item, _SUBJECT, "subject"), _name(item, _PREDICATE, "predicate")
    words = _value(item, _OBJECT, "object")
    used = ontology.property_of(named)
    if used is None:
        raise UnusableError(f"the ontology has no property {_shown(named)}")
    ends = [_class(item, which, ontology) for which in ("subject_class", "object_class")]
    if used.datatype is not None:
        ends[1] = None  # a value is of no class
    for end, allowed, which in zip(ends, (used.domains, used.ranges), ("a subject", "an object"), strict=True):
        if end is not None and allowed and not end.above & allowed:
            raise UnusableError(f"{_shown(used.name)} does not take {which} of the class {_shown(end.name)}")
    node = NamedNode(used.iri)
    if used.datatype is None:
        words = without_article(words)
        _check_thing(subject, words)
        yield edge((subject, used.name, words), is_thing=True, predicate=node)
    else:
        if not is_value(words, used.datatype):
            raise UnusableError(f"{_shown(used.name)} takes another kind of value than {_shown(words)}")
        typed = Literal(words) if used.datatype == XSD_STRING else Literal(words, datatype=NamedNode(used.datatype))
        yield edge((subject, used.name, words), is_thing=False, predicate=node, value=typed)
    for name, end in zip((subject, words), ends, strict=True):
        if end is not None:
            is_a, kind = NamedNode(RDF.type.value), NamedNode(end.iri)
            yield edge((name, "is a", end.name), is_thing=True, predicate=is_a, value=kind)


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
            seen = "".join(one for one in sound(str(given)) if one.isspace() or one in _JOINERS or not _is_hidden(one))
            found = " ".join(seen.split())
            if found.rstrip(".").casefold() in PLACEHOLDERS:
                raise UnusableError("words of the prompt")
            return found
    return ""


def _is_hidden(character: str) -> bool:
    return unicodedata.category(character).startswith("C")


def _shown(text: str) -> str:
    return f"“{truncate(text, 40)}”"
