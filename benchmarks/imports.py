"""How long it takes to import many runs: `python -m benchmarks.imports [RUNS]`, by default 10,000; about 15 minutes.

The runs are six of synthetic facts, each under as many sessions, so that their record is of the usual size.
"""

from __future__ import annotations

import argparse
import uuid
from functools import partial
from pathlib import Path
from time import perf_counter, process_time

import explorer
from benchmarks.apart import figures_of, printed, told
from benchmarks.synthetic_facts import knowledge
from benchmarks.table import Row
from explorer.ingest.pipeline import Pipeline
from explorer.vocab import session_of

RUNS, FACTS, QUESTIONS = 10_000, 2_000, 6


def write(file: Path, runs: int) -> int:
    """Write the record of many runs as N-Quads; returns how many quads there are."""
    made = knowledge(FACTS)
    with explorer.open() as ws:
        pipeline = Pipeline(ws.graph, ws.stores.library, ws.embedder, ws.traces.clock)
        pipeline.store_all(list(made.documents()))
        limits = {"edge_limit": 40, "edge_score_limit": 60}
        asked = [ws.run(question, **limits) for question in made.questions(QUESTIONS)]
        records = [(session_of(one.iri), ws.export(one, "nq").decode()) for one in asked]
    quads = 0
    with file.open("w", encoding="utf-8") as out:
        for number in range(runs):
            session, text = records[number % len(records)]
            out.write(text.replace(session, str(uuid.UUID(int=number + 1))))
            quads += text.count("\n")
    return quads


def take_in(folder: Path, file: Path) -> None:
    """Import a file, and print seconds, seconds of processor time, and the most memory held, in bytes."""
    with explorer.open(folder) as ws:
        begun, worked = perf_counter(), process_time()
        ws.import_record(file)
        took, busy = perf_counter() - begun, process_time() - worked
    told(took, busy)


def rows(runs: int, place: Path) -> list[Row]:
    """Write the file, and import it in a process of its own."""
    file = place / "runs.nq"
    quads = write(file, runs)
    took, busy, held = figures_of("benchmarks.imports", "--into", place / "ws", "--file", file)
    what = f"{runs:,} runs ({quads:,} quads, {file.stat().st_size / 1e6:,.0f} MB of N-Quads) imported"
    return [
        Row(what, f"{took:,.0f} s ({busy:,.0f} s of processor time)", "≤ 600 s"),
        Row("… held", f"{held / 1e9:.2f} GB", "≤ 1 GB"),
    ]


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.imports", description="Measure a large import.")
    parser.add_argument("runs", nargs="?", type=int, default=RUNS)
    parser.add_argument("--into", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--file", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.into:
        take_in(given.into, given.file)
    else:
        printed(partial(rows, given.runs))


if __name__ == "__main__":
    main()
