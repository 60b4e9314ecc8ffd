"""`python -m benchmarks.growth [FACTS …]`: what a recorded GraphRAG question over servers costs, the more there is.

A process that does nothing else asks, so that what it holds is what asking takes. Rows are those that the database
sends. At the end another process stores a document, and the first question after it is compared with a warm one.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any
from unittest import mock

from benchmarks.instant_model import Instant
from benchmarks.servers import COLLECTION, QUESTIONS, WARM, Place, filled, servers
from benchmarks.speed import asked, gigabytes, resident
from benchmarks.synthetic_facts import knowledge
from benchmarks.table import Row, load, machine, markdown
from explorer.servers.postgres.server import Address, Packed, Session
from tests.servers.relay import relayed_http, relayed_postgres

FACTS = (10_000, 100_000)
_PACKED = 40  # bytes of a row that comes packed
OTHERS = 5
"""Documents that another process stores, a question after each."""


def main() -> None:
    """Fill servers with each number of facts, and ask."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.growth", description=main.__doc__)
    parser.add_argument(
        "facts", nargs="*", type=int, default=list(FACTS), help="how many; by default 10,000 and 100,000"
    )
    parser.add_argument("--asking", nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.asking:
        address, endpoint, questions = given.asking
        print(json.dumps(_cost(Place(address, endpoint), json.loads(Path(questions).read_text("utf-8")))))
        return
    before, found = load(), []
    for facts in given.facts:
        made = knowledge(facts)
        with servers() as served:
            filled(made, served)
            found += rows(served, facts, made.questions(QUESTIONS + WARM))
    print(f"{markdown(found)}\n\n{machine(None, before)}")


def rows(served: Place, facts: int, questions: Sequence[str]) -> Iterator[Row]:
    """Yield what questions cost a process of its own."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as written:
        json.dump(questions, written)
        written.flush()
        command = [
            sys.executable,
            "-m",
            "benchmarks.growth",
            "--asking",
            served.address,
            served.endpoint or "",
            written.name,
        ]
        cost = json.loads(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout)
    yield Row(f"GraphRAG over {facts:,} facts on servers, warm", f"{cost['ms']:.0f} ms ({cost['most_ms']:.0f})")
    yield Row("… until the first event", f"{cost['first_ms']:.0f} ms", "≤ 100 ms")
    reads, updates = (
        f"{cost['statements']:.1f}; {cost['queries']:.1f}",
        f"{cost['transactions']:.1f}; {cost['updates']:.1f}",
    )
    yield Row("… reads of the database; of the endpoint", reads, "≤ 20; ≤ 12")
    yield Row("… transactions; updates", updates)
    yield Row("… rows from the database", f"{cost['rows']:,.0f}")
    yield Row("… held by the process that asked", gigabytes(cost["held"]), "≤ 0.5 GB")
    yield Row("… the first one after another process has stored a document",
              f"{cost['after'] / cost['ms']:.1f} × ({cost['after']:.0f} ms)", "≤ 2 ×")  # fmt: skip


def _cost(place: Place, questions: Sequence[str]) -> dict[str, float]:
    with place.open() as ws:
        ws.chat = Instant()
        for question in questions[:WARM]:
            asked(ws, question)
        timed = [asked(ws, question) for question in questions[WARM:]]
        held = resident() or 0
        after = list[float]()
        for number, question in zip(range(OTHERS), questions[WARM:], strict=False):
            _another_stores(place, number)
            after.append(asked(ws, question)["done"])
            asked(ws, question)
    return {
        "ms": 1000 * median(times["done"] for times in timed),
        "most_ms": 1000 * max(times["done"] for times in timed),
        "first_ms": 1000 * median(times["question"] for times in timed),
        **_requests(place, questions),
        "held": held,
        "after": 1000 * median(after),
    }


def _another_stores(place: Place, number: int) -> None:
    """Have another process store a document."""
    with tempfile.TemporaryDirectory(prefix="explorer-bench-") as folder:
        document = Path(folder) / f"another-{number}.txt"
        document.write_text(f"The pump number {number} of the plant feeds the boiler.", "utf-8")
        where = ["-w", place.address, "--endpoint", place.endpoint or "", "-C", COLLECTION]
        command = [sys.executable, "-m", "explorer", "ingest", str(document), *where]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def _requests(place: Place, questions: Sequence[str]) -> dict[str, float]:
    """Return how much a question reads and writes, counted before both servers, and the rows that come back."""
    queries, updates, store = (place.endpoint or "").split()
    begin = queries.removesuffix("/query")
    with relayed_postgres(Address.read(place.address)) as (url, database), relayed_http(begin) as (at, graph):
        there = Place(url, " ".join(one.replace(begin, at) for one in (queries, updates, store)))
        with there.open() as ws:
            ws.chat = Instant()
            for question in questions[:WARM]:
                asked(ws, question)
            database.clear()
            graph.clear()
            with _rows_counted() as rows:
                for question in questions[WARM:]:
                    asked(ws, question)
            counts = {
                "statements": len(database.reads), "transactions": len(database.transactions),
                "queries": graph["/query"], "updates": graph["/update"], "rows": sum(rows),
            }  # fmt: skip
    return {name: count / len(questions[WARM:]) for name, count in counts.items()}


@contextmanager
def _rows_counted() -> Iterator[list[int]]:
    """Count the rows that come from a database, also those that come together."""
    rows, together = Session.rows, Session.together
    counts = list[int]()

    def size(sql: str, found: Sequence[Any]) -> int:
        return len(found[0][0] or b"") // _PACKED if isinstance(sql, Packed) else len(found)

    def counted_rows(self: Session, sql: str, values: tuple[Any, ...] = ()) -> list[Any]:
        found = rows(self, sql, values)
        counts.append(size(sql, found))
        return found

    def counted_together(self: Session, asked: Sequence[tuple[str, tuple[Any, ...]]]) -> list[list[Any]]:
        found = together(self, asked)
        counts.append(sum(size(sql, told) for (sql, _), told in zip(asked, found, strict=True)) - 1)
        return found

    with mock.patch.multiple(Session, rows=counted_rows, together=counted_together):
        yield counts


if __name__ == "__main__":
    main()
