"""Many files at once: which they are, how far it has come, what was refused."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from explorer.captions import count
from explorer.errors import DocumentError
from explorer.ingest.curation import CuratedFact, aligned, by_document, read_facts
from explorer.ingest.pipeline import CURATOR, VERSION, Extraction, Pipeline, file_name, parse
from explorer.ingest.readers import read

if TYPE_CHECKING:
    from collections.abc import Callable

    from explorer.ingest.extractors import EdgeExtractor


@dataclass(frozen=True, slots=True)
class Source:
    """A file to read; `name` is what the record calls its place."""

    path: Path
    name: str


@dataclass(frozen=True, slots=True)
class Refused:
    """A file or line that was not taken in, and why, in one sentence."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Ingested:
    """What a batch added; documents known already count as nothing new."""

    documents: int
    pages: int
    chunks: int
    edges: int
    refused: tuple[Refused, ...] = ()

    def __repr__(self) -> str:
        """Say the counts in a line."""
        counts = (self.documents, "document"), (self.pages, "page"), (self.chunks, "chunk"), (self.edges, "fact")
        said = ", ".join(count(number, noun) for number, noun in counts)
        return f"<Ingested {said}, {len(self.refused)} refused>"


def sources_of(paths: Sequence[str | Path | Source]) -> list[Source]:
    """Give the files that some paths name: a folder stands for all in it that is not hidden, in order of name."""
    found: list[Source] = []
    for path in paths:
        if isinstance(path, Source):
            found.append(path)
            continue
        found += [Source(file, _name(file)) for file in _files(Path(path))]
    if not found:
        message = f"There is no file in {', '.join(str(path) for path in paths) or 'an empty list'}; name some files."
        raise DocumentError(message)
    return found


def ingest(pipeline: Pipeline, sources: Sequence[Source], facts: Path | None, *, progress: bool) -> Ingested:
    """Read and store files one by one; what can't be read is refused and the rest goes on.

    Raises DocumentError when no file could be read.
    """
    from explorer.ingest.extractors import RuleExtractor

    curated, refused = _facts(facts) if facts else ({}, [])
    extractor = RuleExtractor()
    total = Ingested(0, 0, 0, 0)
    unread: list[str] = []
    with _shown(len(sources), progress=progress) as tell:
        for source in sources:
            tell(source.name)
            try:
                added, missing = _one(pipeline, source, extractor, curated.get(file_name(source.name), []))
            except DocumentError as error:
                unread.append(str(error))
                refused.append(Refused(source.name, str(error)))
                continue
            total = _sum(total, added)
            refused += [Refused(str(facts), f"“{fact.quote[:80]}” is not in {fact.document}.") for fact in missing]
        tell("")
    read_names = {file_name(source.name) for source in sources}
    refused += [
        Refused(str(facts), f"{count(len(lines), 'fact')} of {name} left out: that file is not among those given.")
        for name, lines in curated.items()
        if name not in read_names
    ]
    if len(unread) == len(sources):
        raise DocumentError(unread[0])
    return Ingested(total.documents, total.pages, total.chunks, total.edges, tuple(refused))


def _one(
    pipeline: Pipeline, source: Source, extractor: EdgeExtractor, curated: list[CuratedFact]
) -> tuple[Ingested, list[CuratedFact]]:
    data = _bytes(source)
    parsed = parse(data, source.name, read(data, source.name))
    known = pipeline.library.document(parsed.iri) is not None
    edges, missing = aligned(curated, parsed.reading.text, list(parsed.chunks))
    extractions = [] if known else [pipeline.extract(parsed, extractor)]
    if edges:
        extractions.append(Extraction(CURATOR, VERSION, tuple(edges)))
    stored = pipeline.store(parsed, extractions)
    if known:
        return Ingested(0, 0, 0, stored), missing
    pages = sum(part.kind == "page" for part in parsed.reading.parts)
    return Ingested(1, pages, len(parsed.chunks), stored), missing


def _files(place: Path) -> list[Path]:
    try:
        if place.is_dir():
            return sorted(f for f in place.rglob("*") if f.is_file() and not _hidden(f.relative_to(place)))
    except OSError as error:
        message = f"{_name(place)} can't be read ({error.strerror or error}); check the path."
        raise DocumentError(message) from error
    return [place]


def _name(path: Path) -> str:
    """Give a path as text, where its bytes are none with a mark in their place."""
    return os.fsencode(path).decode(errors="replace")


def _bytes(source: Source) -> bytes:
    try:
        return source.path.read_bytes()
    except FileNotFoundError as error:
        message = f"There is no file {source.name}; check the path."
        raise DocumentError(message) from error
    except PermissionError as error:
        message = f"No permission to read {source.name}; change its permissions or copy it."
        raise DocumentError(message) from error
    except (OSError, ValueError) as error:
        said = error.strerror if isinstance(error, OSError) and error.strerror else error
        message = f"{source.name} can't be read ({said}); check the path."
        raise DocumentError(message) from error


def _facts(path: Path) -> tuple[dict[str, list[CuratedFact]], list[Refused]]:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        message = f"The facts in {path} can't be read ({error}); give a JSON-lines file in UTF-8."
        raise DocumentError(message) from error
    facts, refused = read_facts(text)
    return dict(by_document(facts)), [Refused(str(path), reason) for reason in refused]


def _hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


def _sum(a: Ingested, b: Ingested) -> Ingested:
    return Ingested(a.documents + b.documents, a.pages + b.pages, a.chunks + b.chunks, a.edges + b.edges)


@contextmanager
def _shown(total: int, *, progress: bool) -> Iterator[Callable[[str], None]]:
    """Show a bar in terminal or notebook; gives a function that tells which file is being read."""
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns: Iterable[TextColumn | BarColumn | MofNCompleteColumn] = (
        TextColumn("Reading"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}")
    )  # fmt: skip
    console = Console(stderr=True)
    shown = progress and (console.is_terminal or console.is_jupyter)
    with Progress(*columns, console=console, disable=not shown, transient=console.is_jupyter) as bar:
        task = bar.add_task("", total=total)
        begun = False

        def tell(name: str) -> None:
            nonlocal begun
            bar.update(task, description=escape(file_name(name)), advance=1 if begun else 0)
            begun = True

        yield tell
