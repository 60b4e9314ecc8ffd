"""How long many runs take to import, and to look at: `python -m benchmarks.imports [RUNS]`, by default 10,000; about
a quarter of an hour. `--without-whole` leaves out what goes through all of them: checking every run.

The runs are six of synthetic facts, each under as many sessions, so that their record is of the usual size.
"""

from __future__ import annotations

import argparse
import uuid
from collections.abc import Callable
from functools import partial
from itertools import zip_longest
from pathlib import Path
from statistics import median
from time import perf_counter, process_time

import explorer
from benchmarks.apart import figures_of, printed, told
from benchmarks.synthetic_facts import knowledge
from benchmarks.table import Row
from explorer.evaluation.named_queries import QUERIES
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


def look_at(folder: Path, *, whole: bool) -> None:
    """Look at what was imported, and print the medians in seconds, and the most memory held, in bytes."""
    begun = perf_counter()
    with explorer.open(folder) as ws:
        opened = perf_counter() - begun
        made = knowledge(FACTS)
        Pipeline(ws.graph, ws.stores.library, ws.embedder, ws.traces.clock).store_all(list(made.documents()))
        own = ws.run(made.questions(1)[0])
        far = ws.traces.list(limit=1_000)[-1].iri
        cited = next(at.document for one in own.citations for key in one.cites for at in own.passages[key])
        some = ws.documents[0].title.split()[0]
        steps: list[Callable[[], object]] = [
            ws.traces.list,
            lambda: ws.traces.list(text=some),
            lambda: ws.node(far),
            lambda: ws.verify(far),
            lambda: ws.export(own, "nq", closed=True),
            lambda: ws.bundle(own, path=folder.with_suffix(".zip")),
            lambda: ws.report(own),
            *(partial(ws.named_query, name, document=cited if name == "runs-citing" else None) for name in QUERIES),
        ]
        figures = [median(_times(step)) for step in steps]
        begun = perf_counter()
        if whole:
            ws.verify()
        checked = perf_counter() - begun
    told(opened, *figures, checked)


def _times(step: Callable[[], object]) -> list[float]:
    """Return how long a step takes, in seconds: three times, after a first one that does not count."""
    step()
    times = []
    for _ in range(3):
        begun = perf_counter()
        step()
        times.append(perf_counter() - begun)
    return times


def looking(runs: int, folder: Path, *, whole: bool) -> list[Row]:
    """Measure looking at the runs in a process of its own."""
    opened, *figures, checked, held = figures_of(
        "benchmarks.imports", "--look-at", folder, *([] if whole else ["--without-whole"])
    )
    aims = ("50 ms", "100 ms", "50 ms", "100 ms", "200 ms", "1 s", "1 s")
    names = (
        *(
            "listed",
            "searched by text",
            "one shown",
            "one checked",
            "one exported closed",
            "one bundled",
            "one reported",
        ),
        *(f"query {name}" for name in QUERIES),
    )
    rows = [Row(f"a workspace of {runs:,} runs opened", f"{1000 * opened:.0f} ms", "≤ 1 s")]
    for name, figure, aim in zip_longest(names, figures, aims, fillvalue="1 s"):
        rows.append(Row(f"… {name}", f"{1000 * float(figure):.0f} ms", f"≤ {aim}"))
    if whole:
        rows.append(Row("… all checked", f"{checked:,.0f} s", "≤ 600 s"))
    return [*rows, Row("… held meanwhile", f"{held / 1e9:.2f} GB", "≤ 0.7 GB")]


def rows(runs: int, place: Path, *, whole: bool) -> list[Row]:
    """Write the file, import it and look at it, each in a process of its own."""
    file = place / "runs.nq"
    quads = write(file, runs)
    took, busy, held = figures_of("benchmarks.imports", "--into", place / "ws", "--file", file)
    what = f"{runs:,} runs ({quads:,} quads, {file.stat().st_size / 1e6:,.0f} MB of N-Quads) imported"
    return [
        Row(what, f"{took:,.0f} s ({busy:,.0f} s of processor time)", "≤ 600 s"),
        Row("… held", f"{held / 1e9:.2f} GB", "≤ 1 GB"),
        *looking(runs, place / "ws", whole=whole),
    ]


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.imports", description="Measure a large import.")
    parser.add_argument("runs", nargs="?", type=int, default=RUNS)
    parser.add_argument("--into", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--file", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--look-at", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--without-whole", action="store_true", help="leave out checking every run")
    given = parser.parse_args()
    if given.into:
        take_in(given.into, given.file)
    elif given.look_at:
        look_at(given.look_at, whole=not given.without_whole)
    else:
        printed(partial(rows, given.runs, whole=not given.without_whole))


if __name__ == "__main__":
    main()
