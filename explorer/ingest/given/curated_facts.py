"""Facts written down by a person, each with the words of a document that it rests on."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from explorer.ingest.chunker import TextChunk
from explorer.ingest.extraction.rules import ExtractedEdge

_FIELDS = ("subject", "predicate", "object", "document", "quote")
_LINE_END = re.compile(r"\r\n|\n|\r")  # those of a file: str.splitlines would also cut inside JSON strings
_VALUE = re.compile(r"^[\d$€£(+\-.]|^(about|nearly|almost|roughly|over|under|at least|more than|less than) \d")


@dataclass(frozen=True, slots=True)
class CuratedFact:
    """One line of a facts file: the fact, the file name of its document, and the words quoted from it."""

    subject: str
    predicate: str
    object: str
    document: str
    quote: str


def read_facts(text: str) -> tuple[Mapping[str, list[CuratedFact]], list[str]]:
    """Read a facts file (one JSON object a line); returns the facts by the file name of their document, and a sentence
    for each line that is none.
    """
    facts: dict[str, list[CuratedFact]] = defaultdict(list)
    refused = []
    for number, line in enumerate(_LINE_END.split(text), 1):
        if not line.strip():
            continue
        try:
            fact = _fact(json.loads(line))
        except (ValueError, TypeError) as error:
            refused.append(f"Line {number} is not a fact ({error}); {', '.join(_FIELDS)} must be texts.")
            continue
        facts[fact.document].append(fact)
    return facts, refused


def aligned(
    facts: list[CuratedFact], text: str, chunks: list[TextChunk], offset: int = 0
) -> tuple[list[ExtractedEdge], list[CuratedFact]]:
    """Find each fact's quotation in the document; returns edges with exact spans, and the facts not found there.

    White space counts as equal whatever its kind. The edge belongs to the first chunk that holds the span whole. Of a
    long document `text` may be the part that begins at `offset`.
    """
    found, missing = [], []
    for fact in facts:
        place = next(places_of(fact.quote, text, chunks, offset), None)
        if place is None:
            missing.append(fact)
            continue
        start, end, chunk = place
        is_entity = not is_value(fact.object)
        found.append(ExtractedEdge(fact.subject, fact.predicate, fact.object, is_entity, start, end, 1.0, chunk))
    return found, missing


def places_of(
    quote: str, text: str, chunks: Sequence[TextChunk], offset: int = 0
) -> Iterator[tuple[int, int, TextChunk]]:
    """Yield where a quotation stands, whatever the white space in it, each in the first chunk that holds it whole."""
    words = r"\s+".join(map(re.escape, quote.split()))
    for match in re.finditer(words, text) if words else ():
        start, end = match.start() + offset, match.end() + offset
        held = (chunk for chunk in chunks if chunk.start <= start and end <= chunk.end)
        if (chunk := next(held, None)) is not None:
            yield start, end, chunk


def is_value(text: str) -> bool:
    """Return whether an object is a value, such as a number with its unit, and no entity."""
    return bool(_VALUE.match(text))


def _fact(item: object) -> CuratedFact:
    if not isinstance(item, dict):
        raise TypeError("not an object")
    values = [item.get(name) for name in _FIELDS]
    if not all(isinstance(value, str) and value.strip() for value in values):
        raise ValueError(f"missing {' or '.join(n for n, v in zip(_FIELDS, values, strict=True) if not v)}")
    "".join(map(str, values)).encode()  # half of a surrogate pair, which JSON can hold, is no text
    return CuratedFact(*(" ".join(str(value).split()) for value in values))
