"""Extractors: facts from sentences, each with the sentence it came from.

The default reads them off the dependency tree of spaCy's small English model: no key, no network, the same result every
time. What it finds is “extracted by rules” and carries a confidence; it never claims to have understood.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, groupby
from typing import TYPE_CHECKING

from pyoxigraph import Literal, NamedNode

from explorer.ingest.chunker import TextChunk
from explorer.ingest.extraction.grammar_statements import ParsedSentence, Statement
from explorer.ingest.extraction.tables import cells
from explorer.language.pipeline import model_version, parse
from explorer.language.references import Reference, References, references
from explorer.language.sentences import is_row
from explorer.version import RULES

if TYPE_CHECKING:
    from explorer.language.pipeline import Doc

_LEAST = 0.25  # certainty, 0 to 1, below which a fact is dropped; neither this nor the factors were measured by itself
_OF_A_TABLE = 0.7  # certainty of what a cell says
_BARE = 0.6  # factor for a subject or object of one common noun whose longer name is not known
_NAMED = 1.05  # factor for a proper name
_TRUST = {"byPronoun": 0.85, "byKind": 0.8, "byDocument": _BARE}  # factors for mentions read by these rules
_OPTION = re.compile(r"--?[A-Za-z][\w-]*(?:[= ,]|$)")  # “-t pattern --table=pattern Dump only …”
_SHOUTED = 0.6  # share of capitals among letters
_MARKUP = (
    (re.compile(r"!?\[([^\]\n]*)\]\([^)\s]*\)"), r"\1"),  # links: their words
    (
        re.compile(r"!?\[([^\]\n]*)\]\[[^\[\]\n]*\]|\[([A-Z][^\[\]\n]*)\](?![(\[])"),
        r"\1\2",
    ),  # whose place stands elsewhere
    (re.compile(r"(?<=\w)\(\)"), ""),  # of the name of a function
    (re.compile(r"(\*\*|__|\*|`|~~)(?=\S)(.+?)(?<=\S)\1"), r"\2"),
    (re.compile(r"(?<=\S)(?:\[(?:\d{1,3}|[a-z]|note \d+|citation needed|self-published source)\])+"), ""),  # of notes
    (re.compile(r"(?<!\w)_(?=\S)([^_]+?)(?<=\S)_(?!\w)"), r"\1"),
)
_LEAD = re.compile(
    r"""^(?:\s|>|(?:\[(?:\d{1,3}|[a-z]|citation\ needed)\])+\s|\#{1,6}\s|[-*+•‣◦–]\s|\[[ xX]\]\s|(?:\d{1,3}|[a-z])[.)]\s
      |\[?[+~]?\d{1,3}:\d{2}(?::\d{2})?\]?(?:\s*(?:GET|UTC|GMT|CST|EST|h))?\s*[-–—:.|]*\s+
      |[A-Z][A-Z0-9 ./&-]{1,30}:\s)+""",
    re.VERBOSE,
)
_COLUMN = re.compile(r"^(?=[^\n]{0,20}\d)\S(?:\S| (?! )){0,20}(?: {2,}|\t)(?=[A-Z\"“])")  # a time before a sentence
_BEGUN = re.compile(
    r"^([A-Z][^:.]{5,80}?\b(?:includes?|included|are|is|were|was|contains?|consists? of|has|have|needs?|requires?))"
    r"(?: (?:the|these) following(?: \w+)?| these)?:$"
)  # what begins a list: “The kit includes the following parts:”
_ITEM = re.compile(r"^(?:[-*+•‣◦–]|(?:\d{1,3}|[a-z])[.)])\s")
_SHORT_ITEM = 10  # words
_FULL_STOP = re.compile(r"""[.!…;:]["'”’)\]*_`]*$""")
_NUMBERED = re.compile(r"\b([Nn]os?\.)\s?(?=\d)")


_Placed = tuple[int, TextChunk, int, int, dict[int, str]]
"""A document's number, and of a sentence the chunk, the offsets in the document, and what was taken out before numbers.
"""


@dataclass(frozen=True, slots=True)
class ExtractedEdge:
    """A fact as words; `start` and `end` are the document offsets of the sentence that states it.

    `confidence` is None where the extractor states none. `predicate_node` and `object_node` are what the words stand
    for, where that is not the entity of that name, and so is `subject_node`. A fact that a file states as such has the
    `line` of the file, where that is known, and the IRIs of the `sources` that the file names for it.
    """

    subject: str
    predicate: str
    object: str
    object_is_entity: bool
    start: int
    end: int
    confidence: float | None
    chunk: TextChunk
    joined: tuple[Reference, ...] = ()  # the mentions that subject and object were read off
    predicate_node: NamedNode | None = None
    object_node: NamedNode | Literal | None = None
    subject_node: NamedNode | None = None
    line: int | None = None
    sources: tuple[str, ...] = ()


class RuleExtractor:
    """Dependency rules over spaCy's small English model; ModelError when that is not installed."""

    name = "rules"

    def __init__(self) -> None:
        self.version = f"{RULES} ({model_version()})"

    def edges(self, chunks: Iterable[TextChunk], title: str = "") -> list[ExtractedEdge]:
        """The facts of one document's chunks, in order."""
        return next(self.documents([(chunks, title)]))

    def documents(
        self, given: Iterable[tuple[Iterable[TextChunk], str]], seen: Callable[[int], None] = lambda _: None
    ) -> Iterator[list[ExtractedEdge]]:
        """Yield the facts of each document, given as its chunks and its title, in order.

        Each document is read from its beginning, so that a short name can lean on a longer one, or on the title. Short
        documents are parsed together, which is quicker. `seen` is told how many chunks of a document were gone through.
        """
        documents = [(list(chunks), title) for chunks, title in given]
        texts = ((text, (number, *place)) for number, (chunks, _) in enumerate(documents)
                 for text, place in _texts(_counted(chunks, seen)))  # fmt: skip
        first = next(texts, None)  # without any the model is not loaded
        trees = parse(chain([first], texts)) if first else iter(())
        parsed = groupby(trees, key=lambda one: one[1][0])
        ahead = next(parsed, None)
        for number, (chunks, title) in enumerate(documents):
            sentences = ahead[1] if ahead is not None and ahead[0] == number else ()
            found = list(_facts(title, sentences))
            found += [ExtractedEdge(*cell[:6], _OF_A_TABLE, cell.chunk) for cell in cells(chunks)]
            if sentences:
                ahead = next(parsed, None)
            yield found


def _facts(title: str, sentences: Iterable[tuple[Doc, _Placed]]) -> Iterator[ExtractedEdge]:
    """Yield the facts of a document's sentences, each once from a sentence that belongs to a chunk."""
    mentions = References(title)
    for doc, (_, chunk, start, end, printed) in sentences:
        # tokens that read otherwise in a label: numbers with their “no.”, a first word without its capital
        words = {token.i: f"{printed[token.idx]} {token.text}" for token in doc if token.idx in printed}
        first = next((token for token in doc if token.is_alpha), None)
        if first is not None and first.text.istitle() and first.pos_ not in {"PROPN", "X"}:
            words[first.i] = first.lower_
        names = mentions.read(doc, words)
        seen = set()
        for statement in ParsedSentence(doc, words, names).statements():
            edge = _edge(statement, names, chunk, start, end)
            key = (edge.subject.lower(), edge.predicate.lower(), edge.object.lower())
            if key not in seen and key[0] != key[2] and (edge.confidence or 0.0) >= _LEAST:
                seen.add(key)
                yield edge


def _counted(chunks: Iterable[TextChunk], seen: Callable[[int], None]) -> Iterator[TextChunk]:
    for number, chunk in enumerate(chunks, 1):
        yield chunk
        seen(number)


def _texts(chunks: Iterable[TextChunk]) -> Iterator[tuple[str, tuple[TextChunk, int, int, dict[int, str]]]]:
    """Yield what is parsed, with where it stands: sentences, and items of a list behind the words that begin it."""
    lead = ""
    for chunk in chunks:
        for start, end in chunk.sentences:
            text = chunk.text[start - chunk.start : end - chunk.start]
            if lead and _ITEM.match(text) and len(text.split()) <= _SHORT_ITEM:
                plain, printed = _plain(text.rstrip(" .;,"))
                moved = {place + len(lead) + 1: number for place, number in printed.items()}
                yield f"{lead} {plain}.", (chunk, start, end, moved)
                continue
            begun = _BEGUN.match(" ".join(text.split()))
            lead = begun[1] if begun else ""
            if _is_read(text) and not (lead and "following" in text):
                plain, printed = _plain(text)
                yield plain, (chunk, start, end, printed)


def _is_read(text: str) -> bool:
    """Whether a sentence can be parsed: no heading, no row of a table, no capitals all through.

    Only items and records may lack a full stop.
    """
    if text.startswith("#") or _OPTION.match(text) or is_row(_COLUMN.sub("", text)):
        return False
    shouted = sum(map(str.isupper, text)) > _SHOUTED * sum(map(str.isalpha, text))
    return not shouted and bool(_FULL_STOP.search(text) or (_LEAD.match(text) and not text.endswith("?")))


def _plain(text: str) -> tuple[str, dict[int, str]]:
    """The words without markup for the parser, and what was taken out before a number: offset and “no.”.

    “tank no. 2” is parsed as “tank 2”, for the parser takes the short form for the end of a sentence.
    """
    for pattern, words in _MARKUP:
        text = pattern.sub(words, text)
    text = " ".join(_LEAD.sub("", _COLUMN.sub("", text)).split())
    printed: dict[int, str] = {}
    pieces: list[str] = []
    last = length = 0
    for found in _NUMBERED.finditer(text):
        pieces.append(text[last : found.start()])
        length += found.start() - last
        printed[length] = found[1]
        last = found.end()
    return "".join([*pieces, text[last:]]), printed


def _edge(
    statement: Statement, names: Mapping[int, Reference], chunk: TextChunk, start: int, end: int
) -> ExtractedEdge:
    certainty = statement.certainty
    joined: list[Reference] = []
    for phrase in (statement.subject, statement.object):
        found = list(references(names, phrase))
        joined += found
        certainty *= min((_TRUST.get(reference.rule, 1.0) for reference in found), default=1.0)
        if phrase.is_bare and phrase.is_entity and not found:
            certainty *= _BARE
        elif phrase.is_capitalised:
            certainty *= _NAMED
    return ExtractedEdge(
        subject=statement.subject.label,
        predicate=statement.predicate,
        object=statement.object.label,
        object_is_entity=statement.object.is_entity,
        start=start,
        end=end,
        confidence=round(min(certainty, 0.95), 2),
        chunk=chunk,
        joined=tuple(dict.fromkeys(joined)),
    )
