"""What many facts cost: `python -m benchmarks.large [FACTS]`, by default 300,000, each with its passage, on disk.

300,000 take some ten minutes, 1,000,000 three quarters of an hour. They are stored in one process and asked in another.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from functools import partial
from itertools import chain, islice
from pathlib import Path
from time import perf_counter, process_time

import explorer
from benchmarks.apart import figures_of, printed, told
from benchmarks.synthetic_facts import knowledge
from benchmarks.table import Row
from explorer.ingest.batch import TOGETHER
from explorer.ingest.parsed import ExtractedDocument
from explorer.ingest.pipeline import Pipeline

FACTS = 300_000
_BATCH = 1_000  # passages, as `ingest` stores them
_ASKED = 20


def fill(folder: Path, facts: int) -> None:
    """Store the facts, and print seconds, seconds of processor time, and the most memory held, in bytes."""
    documents = knowledge(facts).documents()
    making = [0.0, 0.0]  # seconds, and of processor time, that are not counted

    def batches() -> Iterator[list[ExtractedDocument]]:
        while True:
            begun, worked = perf_counter(), process_time()
            batch = list(islice(documents, _BATCH))
            making[:] = making[0] + perf_counter() - begun, making[1] + process_time() - worked
            if not batch:
                return
            yield batch

    with explorer.open(folder) as ws:
        pipeline = Pipeline(ws.graph, ws.stores.library, ws.embedder, ws.traces.clock)
        begun, worked = perf_counter(), process_time()
        made = batches()
        for first in made:
            with ws.stores.database.storing, pipeline.together():
                for batch in chain([first], islice(made, TOGETHER - 1)):
                    pipeline.store_all(batch)
        ready = process_time()
        ws.stores.vectors.make_ready()
        took, busy = perf_counter() - begun - making[0], process_time() - worked - making[1]
        ready = process_time() - ready
    told(took, busy, ready)


def ask(folder: Path, facts: int) -> None:
    """Ask in a process of its own, and print seconds to open, of the first answer and of the median one, and memory."""
    questions = knowledge(facts).questions(_ASKED)
    begun = perf_counter()
    with explorer.open(folder) as ws:
        opened = perf_counter() - begun
        times = [_time(ws, question) for question in questions]
    told(opened, *times[0], *sorted(times[1:])[len(times) // 2])


def _time(ws: explorer.Workspace, question: str) -> tuple[float, float]:
    begun, worked = perf_counter(), process_time()
    ws.run(question)
    return perf_counter() - begun, process_time() - worked


def rows(facts: int, place: Path) -> Iterator[Row]:
    """Store the facts and ask about them, each in a process of its own."""

    def figures(what: str) -> list[float]:
        return figures_of("benchmarks.large", facts, f"--{what}", place)

    small = facts <= FACTS
    took, busy, ready, held = figures("fill")
    size = sum(file.stat().st_size for file in place.rglob("*") if file.is_file())
    rate = f"{busy:,.0f} s of processor time ({took:,.0f} s), {facts / busy:,.0f} facts/s of it"
    yield Row(f"{facts:,} facts with their passages stored on disk", rate, "≤ 150 s" if small else "")
    yield Row("… of that, the search among their vectors made ready", f"{ready:,.0f} s")
    yield Row("… held while they are stored", f"{held / 1e9:.2f} GB", "≤ 1.5 GB")
    yield Row("… on disk", f"{size / 1e9:.2f} GB", "≤ 1.5 GB" if small else "")
    for first, aim in ((True, "≤ 3 s" if small else "≤ 10 s"), (False, "")):
        opened, wall, cpu, later, later_cpu, held = figures("ask")
        again = "first question" if first else "first question of the next process"
        yield Row(f"… {again}, by processor time", f"{wall:.1f} s, {cpu:.1f} s", aim)
    yield Row("… opened; a later question, by processor time", f"{opened:.1f} s; {later:.2f} s, {later_cpu:.2f} s")
    yield Row("… held with all questions", f"{held / 1e9:.2f} GB", "≤ 1.5 GB")


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.large", description="Measure many facts.")
    parser.add_argument("facts", nargs="?", type=int, default=FACTS)
    parser.add_argument("--fill", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--ask", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.fill:
        fill(given.fill, given.facts)
    elif given.ask:
        ask(given.ask, given.facts)
    else:
        printed(partial(rows, given.facts))


if __name__ == "__main__":
    main()
