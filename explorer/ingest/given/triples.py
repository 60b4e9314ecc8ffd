"""Triples that were extracted elsewhere, given for the passages of a corpus by their ids. Values in, values out.

A line is `{"id": …, "triples": [[subject, predicate, object], …]}`, with `"entities": [name, …]` if there is such a
list. Only words are given, so where a triple stands in its passage is looked up here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from explorer.errors import DocumentError
from explorer.ingest.chunker import TextChunk
from explorer.ingest.extraction.rules import ExtractedEdge
from explorer.ingest.given.corpus import Fault, check_text, record, shown
from explorer.ingest.readers.files import Line
from explorer.language.sentences import spans
from explorer.language.words import is_content, tokens
from explorer.vocab import entity_iri

_LONGEST = 1_000  # code points of an end: more is no name and no value
_PHRASE = 12  # words: a longer object is a clause, not a name
_MONTH = r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
_VALUE = re.compile(
    rf"^(?:[\d$€£+\-.]|(?:about|nearly|almost|roughly|over|under|at least|at most|more than|less than|up to)\s\S*\d"
    rf"|{_MONTH}\s(?:\d|of\s\d))",
    re.IGNORECASE,
)

Words = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Given:
    """What a file gives: triples by the id of their passage, and the IRIs of all that is named as a thing in it.

    `lines`: the line that each id stands in; `lists`: whether the file lists its entities.
    """

    triples: Mapping[str, tuple[Words, ...]]
    things: frozenset[str]
    lines: Mapping[str, int]
    lists: bool = False

    def is_thing(self, name: str) -> bool:
        """Return whether an object is an entity: named elsewhere, or where none are listed a short phrase."""
        if self.lists or entity_iri(name) in self.things:
            return entity_iri(name) in self.things
        return not _VALUE.match(name) and len(name.split()) <= _PHRASE


def read_triples(given: Iterable[Line]) -> tuple[Given, list[Fault]]:
    """Read a file of triples; returns them, stripped, and a fault for each line or triple that is none.

    Lines with the same id belong together.
    """
    triples: dict[str, dict[Words, None]] = {}
    where: dict[str, int] = {}
    things: set[str] = set()
    faults: list[Fault] = []
    for line in given:
        try:
            named, item = record(line)
            found = _array(item, "triples")
            entities = _array(item, "entities")
        except DocumentError as error:
            faults.append(Fault(line[0], str(error)))
            continue
        known = triples.setdefault(named, {})
        where.setdefault(named, line[0])
        for number, one in enumerate(found, 1):
            try:
                known.setdefault(_triple(one))
            except DocumentError as error:
                faults.append(Fault(line[0], f"triple {number} {error}"))
        named_here = [name for name in entities if isinstance(name, str) and len(name) <= _LONGEST]
        # without characters that are no text, which no triple has
        things |= {entity_iri(" ".join(name.encode(errors="ignore").decode().split())) for name in named_here}
    listed = bool(things)
    things |= {entity_iri(subject) for known in triples.values() for subject, _, _ in known}
    return Given({named: tuple(known) for named, known in triples.items()}, frozenset(things), where, listed), faults


def placed(triples: Iterable[Words], given: Given, chunks: Iterable[TextChunk]) -> Iterator[ExtractedEdge]:
    """Find the sentence of each triple: with most of the words of its ends, then of its predicate, then the first.

    Where no word of the ends is found, the whole first chunk stands for it.
    """
    parts = [sentence for chunk in chunks for sentence in _sentences(chunk)]
    for words in triples:
        is_thing = given.is_thing(words[2])
        if best := _nearest(words, parts):
            yield ExtractedEdge(*words, is_thing, best.start, best.end, None, best.chunk)
        else:
            chunk = parts[0].chunk
            yield ExtractedEdge(*words, is_thing, chunk.start, chunk.end, None, chunk)


def sentence_of(words: Words, text: str) -> str:
    """Return the sentence of a text that states a triple, found as `placed` does; else the whole text."""
    best = _nearest(words, _sentences_of(text))
    return text[best.start : best.end] if best else text


@dataclass(frozen=True, slots=True)
class _SourceSentence:
    chunk: TextChunk
    start: int
    end: int
    words: frozenset[str]


def _nearest(words: Words, among: Iterable[_SourceSentence]) -> _SourceSentence | None:
    """Return the first sentence with the most words of both ends, then of the predicate; None when no end is found.

    Each end counts by the share of its words, so that a long name does not outweigh a short one.
    """
    bags = [frozenset(_words(text)) for text in words]
    subject, verb, obj = (frozenset(filter(is_content, bag)) or bag for bag in bags)  # all words where none is content

    def held(one: _SourceSentence) -> tuple[float, float]:
        return round(_share(subject, one) + _share(obj, one), 6), _share(verb, one)

    best = max(among, key=held, default=None)
    return best if best and held(best)[0] else None


def _share(words: frozenset[str], sentence: _SourceSentence) -> float:
    return len(words & sentence.words) / len(words) if words else 0.0


@lru_cache(maxsize=100)
def _sentences_of(text: str) -> list[_SourceSentence]:
    return _sentences(TextChunk(1, 0, len(text), text, None, tuple(spans(text))))


def _sentences(chunk: TextChunk) -> list[_SourceSentence]:
    """Return the sentences of a chunk; one without any counts as a whole."""
    spans = chunk.sentences or ((chunk.start, chunk.end),)
    texts = ((start, end, chunk.text[start - chunk.start : end - chunk.start]) for start, end in spans)
    return [_SourceSentence(chunk, start, end, frozenset(_words(text))) for start, end, text in texts]


def _words(text: str) -> list[str]:
    """Return the words of a text as they compare: in small letters, without a possessive ending, at hyphens apart."""
    words = (word.lower().removesuffix("'s").removesuffix("’s") for word in tokens(text))
    return [part for word in words for part in word.split("-")]


def _array(item: Mapping[str, object], name: str) -> list[object]:
    found = item.get(name, [] if name == "entities" else None)
    if not isinstance(found, list):
        raise DocumentError(f"its {name} are not an array; write {name} as [ … ]")
    return found


def _triple(one: object) -> Words:
    if not isinstance(one, list) or len(one) != 3 or not all(isinstance(word, str) for word in one):
        raise DocumentError(f"is not three texts ({shown(str(one))}); give subject, predicate and object")
    for word in one:
        check_text(word)
    subject, predicate, obj = (" ".join(word.split()) for word in one)
    if not (subject and predicate and obj):
        raise DocumentError(f"has an empty end ({shown(str(one))}); give subject, predicate and object")
    if max(map(len, (subject, predicate, obj))) > _LONGEST:
        raise DocumentError(f"is longer than {_LONGEST:,} characters at one end; give a name or a value")
    return subject, predicate, obj
