"""`python -m benchmarks` measures and prints the tables; `--write` also writes them to docs/benchmarks.md."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import explorer
from benchmarks import (
    agents,
    alignment,
    attached,
    files,
    forgetting,
    importing,
    musique,
    observing,
    painting,
    quality,
    record,
    search,
    servers,
    speed,
    timings,
    trustgraph,
)
from benchmarks.table import INTRODUCTION, Row, load, machine, markdown

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks.md"
GIVEN = "given"
ELSEWHERE = "## Answers"
"""Where the part of the page begins that other benchmarks measure; it is kept."""


def main() -> None:
    """Measure in temporary folders, and print the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure speed and quality.")
    parser.add_argument("--write", action="store_true", help="also write the tables to docs/benchmarks.md")
    write = parser.parse_args().write
    before = load()
    with tempfile.TemporaryDirectory(prefix="explorer-bench-") as place:
        rows, browser = measured(Path(place))
        tables = f"{markdown(rows)}\n\n{musique.section(Path(place) / GIVEN)}"
    under = machine(browser, before)
    print(f"{tables}\n\n{under}")
    if write:
        PAGE.parent.mkdir(exist_ok=True)
        kept = PAGE.read_text("utf-8").partition(f"\n{ELSEWHERE}") if PAGE.exists() else ("", "", "")
        PAGE.write_text(f"{INTRODUCTION}\n{tables}\n\n{under}\n{''.join(kept[1:])}", "utf-8")


def measured(place: Path) -> tuple[list[Row], str | None]:
    """Measure everything but the multi-hop questions, whose passages stay in the workspace `GIVEN`.

    Returns the rows, and the browser's name and version if there was one.
    """
    demo = place / "demo"
    rows = [timings.importing(), *record.reading(), *record.reading_back(place / "record")]
    ws, built = timings.building(demo)
    with ws, explorer.open(place / "plain") as plain:
        quality.fill_without_facts(plain)
        rows += [built, *timings.asking(ws), timings.sealing(ws), *timings.sharing(ws, place / "runs.zip")]
        found = quality.rows(ws, plain)
        rows += timings.listing(ws)
    rows += [timings.command(demo), *importing.rows(place / GIVEN, place / "read")]
    rows += attached.rows(place / "attached")
    rows += forgetting.rows(place / "forgetting")
    rows += servers.rows(place / "servers", servers.FEWER)
    (place / "files").mkdir()
    rows += files.rows(files.SHORT, place / "files")
    rows += [*search.searching(place / "search"), *speed.rows(place / "speed"), *agents.rows()]
    rows += [*alignment.rows(), *observing.rows(place / "observing"), *trustgraph.rows()]
    painted = painting.painting(demo, timings.questions())
    rows += painting.rows(painted)
    return [*rows, *found], painted.browser if painted else None


if __name__ == "__main__":
    main()
