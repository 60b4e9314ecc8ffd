"""`python -m benchmarks`: measure, print one table; with `--write` keep it as docs/benchmarks.md."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import explorer
from benchmarks import importing, painting, quality, record, search, timings
from benchmarks.table import INTRODUCTION, Row, load, machine, markdown

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks.md"


def main() -> None:
    """Measure in folders of their own, which are gone afterwards."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure speed and quality.")
    parser.add_argument("--write", action="store_true", help="keep the table as docs/benchmarks.md")
    write = parser.parse_args().write
    before = load()
    with tempfile.TemporaryDirectory(prefix="explorer-bench-") as place:
        rows, browser = measured(Path(place))
    table, under = markdown(rows), machine(browser, before)
    print(f"{table}\n\n{under}")
    if write:
        PAGE.parent.mkdir(exist_ok=True)
        PAGE.write_text(f"{INTRODUCTION}\n{table}\n\n{under}\n", "utf-8")


def measured(place: Path) -> tuple[list[Row], str | None]:
    """Measure everything; gives the rows, and the browser's name and version if there was one."""
    demo = place / "demo"
    rows = [timings.importing(), *record.reading(), *record.reading_back(place / "record")]
    ws, built = timings.building(demo)
    with ws, explorer.open(place / "plain") as plain:
        quality.fill_without_facts(plain)
        rows += [built, *timings.asking(ws)]
        found = quality.rows(ws, plain)
    rows += [timings.command(demo), *importing.rows(place), *search.searching(place / "search")]
    painted = painting.painting(demo, timings.questions())
    rows += painting.rows(painted)
    return [*rows, *found], painted.browser if painted else None


if __name__ == "__main__":
    main()
