"""`python -m benchmarks.speed [FACTS …]`: how long GraphRAG takes by itself, with a model that replies at once.

Only the model's calls are replaced: search, embedding of the question, sources and recording are as always. Caches are
cleared before each question, and each size is measured in a process of its own.
"""

from __future__ import annotations

import argparse
import cProfile
import gc
import json
import pstats
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from itertools import islice
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import TypeVar

from pyoxigraph import RdfFormat, serialize

import explorer
from benchmarks.instant_model import Instant
from benchmarks.synthetic_facts import Knowledge, knowledge
from benchmarks.table import Row, load, machine, markdown
from explorer.events import Done, Explain
from explorer.ingest.pipeline import Pipeline
from explorer.stores.vectors.index import FEW
from explorer.vocab import recognise
from explorer.workspace import Workspace

SIZES = (1_000, 10_000, 100_000, 1_000_000)
AIMS = {10_000: "≤ 10 ms", 100_000: "≤ 15 ms", 1_000_000: "≤ 40 ms"}
SOURCED = 100_000  # in a minute or two; a million take a quarter of an hour
QUESTIONS = 30
WARM = 4
STEPS = ("question", "grounding", "exploration", "focus", "synthesis", "done")
_BATCH = 200  # passages, as in an import
_TOP = 40
_QUANTISED = 16  # the index has half a byte for two numbers of four bytes each,
_NUMBER = 8  # and the bytes of its row number for each vector

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Measured:
    """What one process measured: seconds from `ask()` to each step of each question, to fill, and to get ready.

    The step "processor" is the processor time of the whole run, to which other work on the machine adds little.
    `memory` is what the process then held in bytes, `vectors` the part of it for vectors and their quantised index.
    """

    facts: int
    filled: float
    ready: float = 0.0
    steps: dict[str, list[float]] = field(default_factory=dict)
    memory: int | None = None
    vectors: int = 0


def main() -> None:
    """Measure the given sizes, by default all of them and facts with sources, and print a table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed", description=main.__doc__)
    parser.add_argument("facts", nargs="*", type=int, help=f"how many facts; by default {SIZES}")
    parser.add_argument("--sourced", type=int, metavar="FACTS", help="measure this many facts with sources on disk")
    parser.add_argument("--profile", action="store_true", help="also print what takes the time")
    parser.add_argument("--alone", choices=("making", "memory", "filling", "disk"), help=argparse.SUPPRESS)
    parser.add_argument("--place", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.alone:
        print(json.dumps(asdict(_alone(given.alone, given.facts[0], given.place, profile=given.profile))))
        return
    before = load()
    all_of_it = not given.facts and given.sourced is None
    with tempfile.TemporaryDirectory(prefix="explorer-bench-") as place:
        sourced = SOURCED if all_of_it else given.sourced
        found = rows(Path(place), SIZES if all_of_it else given.facts, sourced, profile=given.profile)
    print(f"{markdown(found)}\n\n{machine(None, before)}")


def rows(
    place: Path, sizes: Sequence[int] = SIZES, sourced: int | None = SOURCED, *, profile: bool = False
) -> list[Row]:
    """Measure facts in memory without sources, and some with passages on disk."""
    found: list[Row] = []
    for facts in sizes:
        _process("making", facts, place)
        found += _in_memory(_process("memory", facts, place, profile=profile))
    if sourced:
        filled = _process("filling", sourced, place)
        rate = f"{sourced / filled.filled:,.0f} facts/s"
        found.append(Row(f"{sourced:,} facts with their passages written to disk", rate))
        found += _on_disk(_process("disk", sourced, place, profile=profile))
    return found


def _process(stage: str, facts: int, place: Path, *, profile: bool = False) -> Measured:
    """Measure in a new process, so that nothing else is in its memory; a profile goes to the terminal."""
    words = [sys.executable, "-m", "benchmarks.speed", str(facts), "--alone", stage, "--place", str(place)]
    words += ["--profile"] if profile else []
    done = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[1])
    return Measured(**json.loads(done.stdout.splitlines()[-1]))


def _alone(stage: str, facts: int, place: Path, *, profile: bool) -> Measured:
    """Write facts and questions, or fill a workspace with them; or ask the questions, in memory or on disk."""
    place.mkdir(parents=True, exist_ok=True)
    quads, workspace = place / "facts.nq", place / "sourced"
    if stage in ("making", "filling"):
        made = knowledge(facts)
        (place / "questions.json").write_text(json.dumps(made.questions(QUESTIONS + WARM)), "utf-8")
        if stage == "making":
            return Measured(facts, _write(made, quads))
        with explorer.open(workspace) as ws:
            return Measured(facts, fill(ws, made))
    questions = json.loads((place / "questions.json").read_text("utf-8"))
    begun = perf_counter()
    with explorer.open(workspace if stage == "disk" else None) as ws:
        if stage == "memory":
            ws.graph.store.bulk_load(path=str(quads))
            ws.reindex(progress=False)
        return _measured(ws, facts, perf_counter() - begun, questions, profile=profile)


def _write(made: Knowledge, quads: Path) -> float:
    begun = perf_counter()
    with quads.open("wb") as file:
        serialize(made.quads(), output=file, format=RdfFormat.N_QUADS)
    return perf_counter() - begun


def fill(ws: Workspace, made: Knowledge) -> float:
    """Store passages with their facts as an import does, many at once; return the seconds."""
    ws.embedder.embed(["warm"])
    begun = perf_counter()
    pipeline = Pipeline(ws.graph, ws.traces.stores.library, ws.embedder, ws.traces.clock)
    for batch in _batches(made.documents()):
        with ws.traces.stores.database.storing:
            pipeline.store_all(batch)
    took = perf_counter() - begun
    ws.graph.flush()  # as after an import
    return took


def _measured(ws: Workspace, facts: int, filled: float, questions: Sequence[str], *, profile: bool) -> Measured:
    ws.chat = Instant()
    begun = perf_counter()
    asked(ws, questions[0])
    ready = perf_counter() - begun
    for question in questions[1:WARM]:
        asked(ws, question)
    timed = [asked(ws, question) for question in questions[WARM:]]
    steps = {step: [times[step] for times in timed] for step in (*STEPS, "processor")}
    gc.collect()
    found = Measured(facts, filled, ready, steps, resident(), _vectors(ws))
    if profile:
        profiled(ws, questions[WARM:])
    return found


def asked(ws: Workspace, question: str) -> dict[str, float]:
    """Ask, and return the seconds from then to each step."""
    ws.sources.forget()
    times: dict[str, float] = {}
    begun, worked = perf_counter(), process_time()
    for event in ws.ask(question):
        if isinstance(event, Explain) and (named := recognise(event.iri)):
            times[named.kind] = perf_counter() - begun
        if isinstance(event, Done):
            times["done"] = perf_counter() - begun
            if event.reason != "done":
                raise ValueError(f"what is measured is a whole run; this one ended as {event.reason}: {event.error}")
    times["processor"] = process_time() - worked
    return times


def profiled(ws: Workspace, questions: Iterable[str], timer: Callable[[], float] = process_time) -> None:
    """Print what takes the time of questions, by default the processor's: of what else runs on the machine it tells
    nothing.
    """
    profile = cProfile.Profile(timer)
    for question in questions:
        with profile:
            asked(ws, question)
    stats = pstats.Stats(profile, stream=sys.stderr)
    stats.sort_stats("tottime").print_stats(_TOP)
    stats.sort_stats("cumtime").print_stats("/explorer/", _TOP)


def _timed(found: Measured, where: str, aim: str = "") -> Iterator[Row]:
    """Yield what a process measured as rows."""
    steps = ", ".join(f"{1000 * median(found.steps[step]):.1f}" for step in STEPS)
    yield Row(f"GraphRAG by itself, {found.facts:,} facts {where}", _tenths(found.steps["done"]), aim)
    yield Row("… processor time", _tenths(found.steps["processor"]))
    yield Row(f"… until {', '.join(step.title() for step in STEPS)}", f"{steps} ms")


def _in_memory(found: Measured) -> Iterator[Row]:
    yield from _timed(found, "in memory", AIMS.get(found.facts, ""))
    yield Row("… filled and vectors made, first answer", f"{found.filled:.0f} s, {found.ready:.1f} s")
    if found.memory is not None:
        size = f"{gigabytes(found.memory - found.vectors)} ({gigabytes(found.memory)})"
        yield Row("… held without vectors (with them)", size, "≤ 1.5 GB" if found.facts == max(SIZES) else "")


def _on_disk(found: Measured) -> Iterator[Row]:
    yield from _timed(found, "with passages, on disk")
    yield Row("… opened, first answer", f"{found.filled:.1f} s, {found.ready:.1f} s")
    if found.memory is not None:
        yield Row("… held with vectors", gigabytes(found.memory), "≤ 1.5 GB for a million")


def resident() -> int | None:
    """Return the bytes of memory that this process holds; None where the system doesn't report it as Linux does."""
    status = Path("/proc/self/status")
    lines = status.read_text("utf-8").splitlines() if status.exists() else []
    return next((1024 * int(line.split()[1]) for line in lines if line.startswith("VmRSS:")), None)


def _vectors(ws: Workspace) -> int:
    """Return the bytes of the stored vectors, and of what is held to search them: the vectors, or a quantised index."""
    size = 0
    for kind in ("edge", "entity", "chunk"):
        [row] = ws.traces.stores.database.rows(
            "SELECT count(*) AS held, coalesce(sum(length(vector)), 0) AS size FROM vectors WHERE kind = ?", (kind,)
        )
        searched = row["size"] if row["held"] <= FEW else row["size"] // _QUANTISED
        size += row["size"] + searched + _NUMBER * row["held"]
    return size


def gigabytes(size: int) -> str:
    """Return bytes as "0.83 GB"."""
    return f"{size / 1e9:.2f} GB"


def _tenths(times: Sequence[float]) -> str:
    return f"{1000 * median(times):.1f} ms ({1000 * max(times):.1f})"


def _batches(items: Iterator[T]) -> Iterator[list[T]]:
    while batch := list(islice(items, _BATCH)):
        yield batch


if __name__ == "__main__":
    main()
