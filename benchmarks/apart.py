"""Measurements in processes of their own, so that each has its own memory, and the table of what they told."""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

from benchmarks.table import Row, load, machine, markdown


def told(*figures: float) -> None:
    """Print figures, and the most memory that this process held, in bytes, for `figures_of` to read."""
    held = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    sys.stdout.write(f"{' '.join(map(str, (*figures, held)))}\n")


def figures_of(module: str, *arguments: object) -> list[float]:
    """Run a module in a process of its own, and return the figures that it told."""
    command = [sys.executable, "-m", module, *map(str, arguments)]
    return [float(one) for one in subprocess.run(command, capture_output=True, check=True).stdout.split()]


def printed(rows: Callable[[Path], Iterable[Row]]) -> None:
    """Measure in a temporary folder, and print the rows as a table with the load beforehand."""
    before = load()
    with tempfile.TemporaryDirectory(prefix="explorer-bench-") as place:
        found = list(rows(Path(place)))
    print(f"{markdown(found)}\n\n{machine(None, before)}")
