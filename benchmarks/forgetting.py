"""How long it takes to forget a document of 100 pages out of a million quads: `python -m benchmarks.forgetting`."""

from __future__ import annotations

import tempfile
from itertools import pairwise
from pathlib import Path
from time import perf_counter, process_time

import explorer
from benchmarks.synthetic_facts import Knowledge, knowledge
from benchmarks.table import Row, load, machine, markdown, seconds
from explorer.ingest.extraction.rules import ExtractedEdge
from explorer.ingest.parsed import ExtractedDocument, Extraction, parse
from explorer.ingest.pipeline import Pipeline
from explorer.ingest.provenance import IMPORT, VERSION
from explorer.ingest.readers.document_text import DocumentPart, Reading

FACTS, PAGES, ON_A_PAGE = 80_000, 100, 20  # with their passages, a million quads; facts on a page
_BATCH = 200
_NAME = "long.pdf"


def rows(place: Path) -> list[Row]:
    """Fill a workspace, store the document, look at what hangs on it, and forget it."""
    made = knowledge(FACTS)
    with explorer.open(place) as ws:
        pipeline = Pipeline(ws.graph, ws.stores.library, ws.embedder, ws.traces.clock)
        documents = list(made.documents())
        for first in range(0, len(documents), _BATCH):
            pipeline.store_all(documents[first : first + _BATCH])
        pipeline.store_all([_long(made)])
        quads = len(ws.graph.store)
    with explorer.open(place) as ws:
        marks = [_now()]
        told = ws.impact(_NAME)
        marks.append(_now())
        done = ws.forget(_NAME)
        marks.append(_now())
        ws.run(made.questions(1)[0])
        marks.append(_now())
    assert (done.facts, done.kept) == (len(told.facts), len(told.kept))  # noqa: S101 - else nothing was measured
    what = f"{PAGES} pages with {done.facts + done.kept:,} facts, of {quads:,} quads on disk"
    looked, forgot, asked = (
        f"{seconds([end[0] - begin[0]])}, {seconds([end[1] - begin[1]])} of processor time"
        for begin, end in pairwise(marks)
    )
    return [
        Row(f"{what}: what hangs on them (`ws.impact`)", looked),
        Row("… forgotten (`ws.forget`)", forgot, "≤ 5 s"),
        Row("… first answer after it", asked),
    ]


def _now() -> tuple[float, float]:
    """Return the time in seconds, by the clock and of processor time."""
    return perf_counter(), process_time()


def _long(made: Knowledge) -> ExtractedDocument:
    """Return a document of many pages that states facts which others state too, and as many of its own."""
    pages, parts, spans = list[str](), list[DocumentPart](), list[tuple[tuple[str, str, str], int, int]]()
    at = 0
    for page in range(PAGES):
        begun = at
        lines = list[str]()
        for row in range(page * ON_A_PAGE, (page + 1) * ON_A_PAGE):
            subject, predicate, obj = made.words(row)
            words = (f"{subject} of the report", predicate, obj) if row % 2 else (subject, predicate, obj)
            lines.append(f"{' '.join(words)}.")
            spans.append((words, at, at + len(lines[-1])))
            at += len(lines[-1]) + 1
        pages.append(" ".join(lines))
        parts.append(DocumentPart("page", page + 1, f"Page {page + 1}", begun, at - 1))
    text = " ".join(pages)
    document = parse(text.encode(), _NAME, Reading("Long report", "application/pdf", text, tuple(parts)))
    is_entity = True
    edges = [
        ExtractedEdge(*words, is_entity, start, end, None, chunk)
        for words, start, end in spans
        if (chunk := next((one for one in document.chunks if one.start <= start and end <= one.end), None)) is not None
    ]
    return ExtractedDocument(document, (Extraction(IMPORT, VERSION, tuple(edges)),))


def main() -> None:
    """Measure, and print a table."""
    before = load()
    with tempfile.TemporaryDirectory(prefix="explorer-bench-") as place:
        found = rows(Path(place) / "ws")
    print(f"{markdown(found)}\n\n{machine(None, before)}")


if __name__ == "__main__":
    main()
