"""`python -m benchmarks.servers [FACTS …]`: GraphRAG over PostgreSQL and oxigraph against a folder on disk, in one run.

Both are filled with the same passages and facts and asked the same questions by turns, with a model that replies at
once. The servers come from wheels and run on the same machine; each has a process of its own.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from time import perf_counter, sleep

import explorer
from benchmarks.instant_model import Instant
from benchmarks.speed import asked, fill, gigabytes, profiled, resident
from benchmarks.synthetic_facts import Knowledge, knowledge
from benchmarks.table import Row, load, machine, markdown
from explorer.events import Usage
from explorer.models.chat import Message, Schema
from explorer.servers.local_servers import LocalServers
from explorer.servers.postgres.server import Address, Server
from explorer.workspace import Workspace

FACTS, FEWER = 100_000, 10_000
QUESTIONS, WARM = 20, 4
PROCESSES = 4
ASKED_BY_EACH = 10
WAIT = 50  # ms
_OF_LEDGER = re.compile(r"advisory lock \[\d+,\d+,1,2\]")
CALL = 0.5  # seconds that the slow model takes for a call
COLLECTION = "bench"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a workspace is: a folder, or two servers."""

    address: str
    endpoint: str | None = None

    def open(self) -> Workspace:
        """Open it."""
        given = {"endpoint": self.endpoint} if self.endpoint else {}
        return explorer.open(self.address, collection=COLLECTION, **given)


@dataclass(slots=True)
class Asked:
    """Seconds of warm questions until the first event and the end, and what each kept."""

    first: list[float] = field(default_factory=list)
    done: list[float] = field(default_factory=list)
    kept: list[tuple[object, ...]] = field(default_factory=list)


def main() -> None:
    """Measure the given sizes and print a table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.servers", description=main.__doc__)
    parser.add_argument("facts", nargs="*", type=int, default=[FACTS], help=f"how many facts; by default {FACTS:,}")
    parser.add_argument("--profile", action="store_true", help="also print what takes the time")
    parser.add_argument("--asking", nargs=4, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.asking:
        address, endpoint, seconds, questions = given.asking
        _ask_many(Place(address, endpoint), float(seconds), json.loads(Path(questions).read_text("utf-8")))
        return
    before, found = load(), []
    for facts in given.facts:
        with tempfile.TemporaryDirectory(prefix="explorer-bench-") as place:
            found += rows(Path(place), facts, profile=given.profile)
    print(f"{markdown(found)}\n\n{machine(None, before)}")


@contextmanager
def servers() -> Iterator[Place]:
    """Start both servers for as long as the block lasts; the triples are on disk."""
    with (
        tempfile.TemporaryDirectory(prefix="explorer-bench-", ignore_cleanup_errors=True) as place,
        LocalServers(place, 0) as running,
    ):
        yield Place(running.database, running.endpoint)


def rows(place: Path, facts: int = FACTS, *, profile: bool = False) -> list[Row]:
    """Fill a folder and the servers, and ask both."""
    place.mkdir(exist_ok=True)
    made = knowledge(facts)
    questions = made.questions(QUESTIONS + WARM)
    written = place / "questions.json"
    written.write_text(json.dumps(questions), "utf-8")
    folder = Place(str(place / "folder"))
    with servers() as served:
        (here, ready_here), (there, ready_there) = filled(made, folder), filled(made, served)
        with folder.open() as one, served.open() as other:
            both = _by_turns((one, other), questions)
            held = resident()
            if profile:
                profiled(other, questions[WARM:], perf_counter)
        rates = _together(served, written)
    local, remote = both
    same = sum(mine == theirs for mine, theirs in zip(local.kept, remote.kept, strict=True))
    ratio = median(theirs / mine for mine, theirs in zip(local.done, remote.done, strict=True))
    found = [
        Row(f"{facts:,} facts with passages stored on servers", f"{here / there:.2f} × the folder's rate "
            f"({facts / there:,.0f} facts/s)", "≥ 0.5 ×"),
        Row("… then the index of many vectors, once", f"{ready_there:.0f} s; {ready_here:.0f} s"),
        Row("GraphRAG by itself over them, warm", f"{ratio:.1f} × the folder ({_ms(remote.done)}; {_ms(local.done)})",
            "≤ 3 ×"),
        Row("… until the first event", _ms(remote.first), "≤ 100 ms"),
        Row("… questions that kept the same facts and answered alike", f"{same} of {len(local.kept)}", "all"),
    ]  # fmt: skip
    if held is not None:
        found.append(Row("… held by the process that asked both", gigabytes(held)))
    return [*found, *rates]


def filled(made: Knowledge, place: Place) -> tuple[float, float]:
    """Return the seconds that storing took, and those until all was ready for the first question."""
    with place.open() as ws:
        took = fill(ws, made)
        begun = perf_counter()
        ws.stores.vectors.make_ready()
        return took, perf_counter() - begun


def _by_turns(both: Sequence[Workspace], questions: Sequence[str]) -> list[Asked]:
    found = [Asked() for _ in both]
    for ws in both:
        ws.chat = Instant()
    for number, question in enumerate(questions):
        for ws, into in zip(both, found, strict=True):
            times = asked(ws, question)
            if number < WARM:
                continue
            into.first.append(times["question"])
            into.done.append(times["done"])
            [run] = ws.traces.list(limit=1)
            trace = ws.traces.load(run.iri)
            into.kept.append((trace.answer, *sorted(str(edge.edge) for edge in trace.edges)))
    return found


def _together(place: Place, questions: Path) -> list[Row]:
    """Measure questions a minute of several processes at once, without a model's time and with it."""
    found = []
    with _waits(place) as waits:
        for seconds, aim in ((0.0, 1.2), (CALL, 3.5)):
            alone = _rate(place, questions, 1, seconds)
            found.append((_rate(place, questions, PROCESSES, seconds) / alone, aim, alone))
    named = ("without a model", f"with a model that takes {1000 * CALL:.0f} ms a call")
    return [
        Row(f"{PROCESSES} processes asking at once, {name}",
            f"{times:.1f} × the questions of one ({60 * alone:.0f}/min)", f"≥ {aim} ×")
        for name, (times, aim, alone) in zip(named, found, strict=True)
    ] + [Row(f"… waits for a lock over {WAIT} ms, but for the ledger's", str(len(waits)), "0")]  # fmt: skip


@contextmanager
def _waits(place: Place) -> Iterator[list[str]]:
    """Give the lines by which the server logs who waits long for a lock, but for the ledger's, until the block ends."""
    server, waits = Server(Address.read(place.address), "public"), list[str]()
    with server.lent() as session:
        session.run("ALTER SYSTEM SET log_lock_waits = on")
        session.run(f"ALTER SYSTEM SET deadlock_timeout = '{WAIT}ms'")
        [[_, begin]] = session.rows("SELECT pg_reload_conf(), (pg_stat_file('log')).size")
    yield waits
    with server.lent() as session:
        [[told]] = session.rows("SELECT pg_read_file('log', ?, 100000000)", (begin,))
    waits += [line for line in told.splitlines() if "still waiting for" in line and not _OF_LEDGER.search(line)]
    server.close()


def _rate(place: Place, questions: Path, processes: int, seconds: float) -> float:
    """Return how many questions a second so many processes ask, once all are warm."""
    given = (place.address, place.endpoint or "", str(seconds), str(questions))
    command = [sys.executable, "-m", "benchmarks.servers", "--asking", *given]
    running = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(processes)
    ]
    for one in running:
        if one.stdout is None or one.stdout.readline() != "warm\n":
            raise RuntimeError("a process that asks did not start; its error is above")
    begun = perf_counter()
    with ThreadPoolExecutor() as pool:
        list(pool.map(lambda one: one.communicate("go\n"), running))
    if any(one.returncode for one in running):
        raise RuntimeError("a process that asks failed; its error is above")
    return processes * ASKED_BY_EACH / (perf_counter() - begun)


class _Slow(Instant):
    """A model that takes its time for each call."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def complete(self, messages: Sequence[Message], *, schema: Schema | None = None) -> Iterator[str | Usage]:
        """Wait, then reply."""
        sleep(self.seconds)
        yield from super().complete(messages, schema=schema)


def _ask_many(place: Place, seconds: float, questions: Sequence[str]) -> None:
    """Ask once, say so, wait for a line, and ask the rest."""
    with place.open() as ws:
        ws.chat = _Slow(seconds)
        asked(ws, questions[0])
        print("warm", flush=True)
        sys.stdin.readline()
        for question in questions[1 : ASKED_BY_EACH + 1]:
            asked(ws, question)


def _ms(times: Sequence[float]) -> str:
    return f"{1000 * median(times):.0f} ms"


if __name__ == "__main__":
    main()
