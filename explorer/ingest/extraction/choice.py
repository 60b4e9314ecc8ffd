"""Which extractors go through the documents of an ingest: by name, or as objects of the caller's."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

from explorer.errors import DocumentError, ModelError
from explorer.ingest.chunker import TextChunk
from explorer.ingest.extraction.model import ModelExtractor
from explorer.ingest.extraction.ontology import Ontology
from explorer.ingest.extraction.rules import ExtractedEdge, RuleExtractor
from explorer.language.detection import ENGLISH
from explorer.models.chat import ChatModel

RULES, MODEL, NONE = "rules", "model", "none"
_TAKEN = ("reader", "chunker", "curator", "import", MODEL)  # other agents of the record


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


Chosen = Extractor | ModelExtractor
"""What goes through documents: a whole one at a time, or a chunk at a time."""


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """What an ingest is told of the extractor "model"; `chat` gives its model, None where there is none."""

    chat: Callable[[], ChatModel | None] = lambda: None
    ontology: str | Path | None = None
    parallel: int = 4
    max_tokens: int | None = None

    def extractor(self) -> ModelExtractor:
        """Return the extractor; raises ModelError without a model, DocumentError for an ontology that is none."""
        if (chat := self.chat()) is None:
            raise ModelError(
                f"The extractor {MODEL!r} needs a model; give ingest model=…, or open the workspace with model=…."
            )
        ontology = None if self.ontology is None else Ontology.read(self.ontology)
        return ModelExtractor(chat, ontology, self.parallel, self.max_tokens)


def extractors_for(named: str | Sequence[str | Chosen], options: ModelOptions = ModelOptions()) -> tuple[Chosen, ...]:
    """Return extractors by their names, or given as objects; raises DocumentError for what is none, and ModelError.

    A text has names with commas between them; "none" and an empty one stand for none at all.
    """
    given = [one.strip() for one in named.split(",")] if isinstance(named, str) else list(named)
    chosen = tuple(_extractor(one, options) for one in given if one not in ("", NONE))
    if (options.ontology or options.max_tokens) and not any(isinstance(one, ModelExtractor) for one in chosen):
        raise DocumentError(f"ontology and max_tokens are for the extractor {MODEL!r}; name it in extractors.")
    names = names_of(chosen)
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise DocumentError(f"The extractor {twice!r} is named twice; name each once.")
    return chosen


def names_of(chosen: Iterable[Chosen]) -> list[str]:
    """Return the names by which it is on record who has gone through a document."""
    return [one.key if isinstance(one, ModelExtractor) else one.name for one in chosen]


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
                    "chunk does not hold. Count `start` and `end` from the beginning of the document."
                )
        yield edges
        seen(len(chunks))


def understands(extractor: Extractor, language: str | None) -> bool:
    """Return whether an extractor may find facts in a language: the rules know English alone."""
    return not isinstance(extractor, RuleExtractor) or language in {None, ENGLISH}


def _extractor(one: str | Chosen, options: ModelOptions) -> Chosen:
    if one == RULES:
        return RuleExtractor()
    if one == MODEL:
        return options.extractor()
    if isinstance(one, ModelExtractor):
        return one
    if isinstance(one, str) or not isinstance(one, Extractor):
        raise DocumentError(
            f"There is no extractor {one!r}; name {RULES!r} or {MODEL!r}, or give an object with name, version and "
            "edges()."
        )
    if not one.name.isprintable() or not one.name.strip() or one.name in _TAKEN:
        raise DocumentError(f"An extractor can't be called {one.name!r}; give it a name of its own.")
    return one
