"""Which extractors go through the documents of an ingest: by name, or as objects of the caller's."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol, runtime_checkable

from explorer.errors import DocumentError
from explorer.ingest.chunker import TextChunk
from explorer.ingest.extraction.extractor import ExtractedEdge, RuleExtractor
from explorer.language.detection import ENGLISH

RULES, NONE = "rules", "none"
_TAKEN = ("reader", "chunker", "curator", "import")  # other agents of the record


@runtime_checkable
class Extractor(Protocol):
    """Whatever finds facts in the chunks of a document; each is on record as `name`, with its `version`."""

    @property
    def name(self) -> str:
        """Its name on record."""

    @property
    def version(self) -> str:
        """The version of its rules, prompts or weights."""

    def edges(self, chunks: Iterable[TextChunk], title: str = "") -> Iterable[ExtractedEdge]:
        """Return the facts of one document's chunks, each with the chunk and the span that states it."""


def extractors_for(named: str | Sequence[str | Extractor]) -> tuple[Extractor, ...]:
    """Return extractors by their names, or given as objects; raises DocumentError for what is none.

    A text has names with commas between them; "none" and an empty one stand for none at all.
    """
    given = [one.strip() for one in named.split(",")] if isinstance(named, str) else list(named)
    chosen = tuple(_extractor(one) for one in given if one not in ("", NONE))
    names = [one.name for one in chosen]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise DocumentError(f"The extractor {twice!r} is named twice; name each once.")
    return chosen


def extracted(
    extractor: Extractor, documents: Iterable[tuple[Sequence[TextChunk], str]], seen: Callable[[int], None]
) -> Iterator[list[ExtractedEdge]]:
    """Yield the facts of each document, given as its chunks and its title; `seen` is told of chunks gone through.

    Raises DocumentError for a fact that does not stand in the chunk it names.
    """
    if isinstance(extractor, RuleExtractor):
        yield from extractor.documents(documents, seen)
        return
    for chunks, title in documents:
        edges = list(extractor.edges(chunks, title))
        for edge in edges:
            if edge.chunk not in chunks or not edge.chunk.start <= edge.start <= edge.end <= edge.chunk.end:
                raise DocumentError(
                    f"The extractor {extractor.name!r} gave a fact of characters {edge.start} to {edge.end} that its "
                    "chunk does not hold; count `start` and `end` from the beginning of the document."
                )
        yield edges
        seen(len(chunks))


def understands(extractor: Extractor, language: str | None) -> bool:
    """Return whether an extractor may find facts in a language: the rules know English alone."""
    return not isinstance(extractor, RuleExtractor) or language in {None, ENGLISH}


def _extractor(one: str | Extractor) -> Extractor:
    if one == RULES:
        return RuleExtractor()
    if isinstance(one, str) or not isinstance(one, Extractor):
        raise DocumentError(
            f"There is no extractor {one!r}; name {RULES!r}, or give an object with name, version and edges()."
        )
    if not one.name.isprintable() or not one.name.strip() or one.name in _TAKEN:
        raise DocumentError(f"An extractor can't be called {one.name!r}; give it a name of its own.")
    return one
