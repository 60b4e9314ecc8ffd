"""What files cost: pages of PDF, a very long text, many documents: `python -m benchmarks.files [MEGABYTES]`.

By default the text has 137 MB and is read without facts, which takes some ten minutes; `make bench` takes 10 MB.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from statistics import median
from time import perf_counter, process_time

import explorer
from benchmarks.apart import figures_of, printed, told
from benchmarks.synthetic_facts import knowledge
from benchmarks.table import Row, milliseconds
from explorer.ingest.pipeline import Pipeline
from explorer.ingest.progress import Progress
from explorer.sample import corpus
from explorer.view.messages.requests import WantDocuments
from explorer.widgets.documents.listing import listed

MEGABYTES, SHORT = 137, 10
_DOCUMENTS, _OPENED = 5_000, 9
_EARLY = 0.05  # the share of a text after which the time it will take is looked at
_PDFS = 9
_WHOLE = 900  # seconds that 137 MB may take


def rows(megabytes: int, place: Path) -> Iterator[Row]:
    """Read pages and a long text, each in a process of its own, and list many documents."""
    page, held = figures_of("benchmarks.files", "--pages", place / "pages")
    yield Row("a page of PDF read", f"{page:.3f} s", "≤ 0.15 s")
    text = place / "long.txt"
    _write(text, megabytes * 1_000_000)
    took, busy, foreseen, held = figures_of("benchmarks.files", "--text", text)
    aim = f"≤ {_WHOLE * megabytes / MEGABYTES:,.0f} s"
    yield Row(f"{megabytes} MB of text read without facts", f"{took:,.0f} s ({busy:,.0f} s of processor time)", aim)
    yield Row("… as told once a twentieth was read", f"{foreseen:,.0f} s", "")
    yield Row("… held", f"{held / 1e6:,.0f} MB", "≤ 800 MB")
    yield Row(f"the list of {_DOCUMENTS:,} documents for the app, in Python", _listing(place / "many"), "≤ 500 ms")


def _write(file: Path, size: int) -> None:
    """Write a text of that many bytes, of paragraphs of the sample that are numbered, so that none is as another."""
    texts = [one.read_text("utf-8") for one in sorted((corpus() / "documents").glob("*.txt"))]
    paragraphs = cycle(part for text in texts for part in text.split("\n\n") if len(part) > 200)
    with file.open("w", encoding="utf-8") as out:
        written = number = 0
        while written < size:
            number += 1
            written += out.write(f"Entry {number}. {next(paragraphs)}\n\n")


def read_pages(folder: Path) -> None:
    """Read a PDF under several names, and print seconds for a page: text, chunks, vectors. They are by the clock, as a
    process of its own does the reading.
    """
    data = (corpus() / "documents" / "investigation-report.pdf").read_bytes()
    folder.mkdir()
    times = []
    with explorer.open(folder / "ws") as ws:
        for number in range(_PDFS):
            file = folder / f"{number}.pdf"
            file.write_bytes(data + b"%" * number)
            begun = perf_counter()
            done = ws.ingest(file, extractors=(), progress=False)
            times.append((perf_counter() - begun) / done.pages)
    told(median(times[1:]))  # the first one loads the models


def read_text(file: Path) -> None:
    """Read a text, and print seconds, seconds of processor time, and the seconds that were told early on."""
    begun, worked = perf_counter(), process_time()
    foreseen = list[float]()

    def tell(step: Progress) -> None:
        if step.total and step.done >= _EARLY * step.total and not foreseen:
            foreseen.append((perf_counter() - begun) * step.total / step.done)

    with explorer.open(file.with_suffix(".ws")) as ws:
        ws.ingest(file, extractors=(), progress=tell, max_bytes=2 * file.stat().st_size)
    told(perf_counter() - begun, process_time() - worked, *(foreseen or [0.0]))


def _listing(place: Path) -> str:
    """Return how long the list of many documents takes that the app shows."""
    times, busy = list[float](), list[float]()
    with explorer.open(place) as ws:
        pipeline = Pipeline(ws.graph, ws.stores.library, ws.embedder, ws.traces.clock)
        documents = knowledge(9 * _DOCUMENTS).documents()
        while batch := list(islice(documents, 1_000)):
            pipeline.store_all(batch)
    with explorer.open(place) as ws:
        for _ in range(_OPENED):
            begun, worked = perf_counter(), process_time()
            found = listed(ws, WantDocuments(n=1, text=None, limit=None))
            times.append(perf_counter() - begun)
            busy.append(process_time() - worked)
    if found["total"] != _DOCUMENTS:
        raise ValueError(f"there are {found['total']} documents, not {_DOCUMENTS}")
    return f"{milliseconds(times)}, {milliseconds(busy)} of processor time"


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.files", description="Measure files.")
    parser.add_argument("megabytes", nargs="?", type=int, default=MEGABYTES)
    parser.add_argument("--pages", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--text", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.pages:
        read_pages(given.pages)
    elif given.text:
        read_text(given.text)
    else:
        printed(partial(rows, given.megabytes))


if __name__ == "__main__":
    main()
