"""What came of an ingest, and what is said of it to who began it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from explorer.ingest.chunker import ChunkSizes
from explorer.ingest.pipeline import Pipeline
from explorer.ingest.readers.document_text import NoFacts
from explorer.language.detection import name_of
from explorer.text import count, one_line, truncate

_NAMED = 5  # of the facts that people had added


@dataclass(frozen=True, slots=True)
class RefusedFile:
    """A file or line that was not taken in, and why, in one sentence."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Ingested:
    """What a batch added; documents known already count as nothing new.

    `notes`: sentences on files that were read, but not as a matter of course, and on what a folder holds that was not.
    `left`: chunks that a model has still to go through; `tokens`: what it used, as reported, else as judged.
    `no_facts`: how many statements of the last file of facts made none.
    """

    documents: int
    pages: int
    chunks: int
    edges: int
    refused: tuple[RefusedFile, ...] = ()
    notes: tuple[str, ...] = ()
    left: int = 0
    tokens: int = 0
    no_facts: NoFacts | None = None

    def __repr__(self) -> str:
        counts = (self.documents, "document"), (self.pages, "PDF page"), (self.chunks, "passage"), (self.edges, "fact")
        sentence = ", ".join(count(number, noun) for number, noun in counts)
        return f"<Ingested {sentence}, {len(self.refused)} refused>"


def newer(pipeline: Pipeline) -> Iterator[str]:
    """Yield a sentence on the documents that newer versions took the place of."""
    if many := pipeline.replaced:
        yield f"{count(many, 'document')} took the place of the version that was here, which answers no more."
    if on := pipeline.carried:
        went = f"{count(len(on), 'fact')} that people had added went on"
        yield f"{went} to the new version, which has the words of {_them(len(on))}: {_named(on)}."
    if lost := pipeline.by_hand:
        went = f"With {_them(many)} {count(len(lost), 'fact')} went that people had added"
        yield f"{went}, as the words are not in the new version: {_named(lost)}; add {_them(len(lost))} again."


def foreign(documents: Mapping[tuple[str, str], int], passages: Mapping[tuple[str, str], int]) -> Iterator[str]:
    """Yield a sentence for each file in a language that the rules do not know, by its name and that: "" for passages of
    a corpus; and for files with passages in another language than their own.
    """
    for (name, language), often in documents.items():
        what = name or count(often, "passage")
        yield f"No facts were made by rules from {what}: {_they_are(often)} in {name_of(language)}."
    for (name, language), often in passages.items():
        said = f"{_they_are(often)} in {name_of(language)}"
        yield f"From {count(often, 'passage')} of {name} rules made facts of tables alone: {said}."


def kept(sizes: Mapping[ChunkSizes, Sequence[str]]) -> Iterator[str]:
    """Yield a sentence on documents, by the sizes of the chunks that they are cut into, where others were asked for."""
    for size, names in sizes.items():
        what = f"{names[0]} stays" if len(names) == 1 else f"{count(len(names), 'document')} stay"
        yield (
            f"{what} cut into passages of {size.size:,} characters with an overlap of {size.overlap:,}, as when read "
            "first. To cut again, forget and read again."
        )


def older(number: int, name: str) -> str:
    """Say that an extractor left out documents, since their chunks here are other ones than would be cut today."""
    return (
        f"{count(number, 'document')} got no facts by {name}: they would be cut otherwise today; "
        "forget them and read them again."
    )


def _they_are(number: int) -> str:
    return "it is" if number == 1 else "they are"


def _them(number: int) -> str:
    return "it" if number == 1 else "them"


def _named(facts: Sequence[str]) -> str:
    more = f" and {len(facts) - _NAMED:,} more" if len(facts) > _NAMED else ""
    return "; ".join(f"“{truncate(one_line(one), 80)}”" for one in facts[:_NAMED]) + more
