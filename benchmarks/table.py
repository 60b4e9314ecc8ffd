"""The table that is printed and written: rows of figures, and the machine they were measured on."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from statistics import median, quantiles

PACKAGES = ("pyoxigraph", "numpy", "faiss-cpu", "spacy", "wordllama", "pypdfium2", "anywidget", "jupyterlab")
INTRODUCTION = """\
# Benchmarks

Measured by `make bench`; `python -m benchmarks --write` also writes this page. No test asserts these figures: they
depend on the machine. Times are medians, with the slowest in brackets. Aims are for two cores, the reasoner without a
model, and records on disk. What takes long has commands of its own: `python -m benchmarks.large` (300,000 and 1,000,000
facts), `python -m benchmarks.imports` (10,000 runs), `python -m benchmarks.files` (137 MB of text) and
`python -m benchmarks.servers` and `python -m benchmarks.growth` (100,000 facts over servers).
"""


@dataclass(frozen=True, slots=True)
class Row:
    """One figure, as text with its unit; `aim` is what it should be, where there is a goal."""

    what: str
    figure: str
    aim: str = ""


def milliseconds(times: Sequence[float]) -> str:
    """Return times, given in seconds, as "8 ms (12)": the median, and the slowest."""
    return f"{1000 * median(times):.0f} ms ({1000 * max(times):.0f})"


def seconds(times: Sequence[float]) -> str:
    """Return times, given in seconds, as "5.2 s", with the slowest if there are several."""
    slowest = f" ({max(times):.1f})" if len(times) > 1 else ""
    return f"{median(times):.1f} s{slowest}"


def percentile_95(times: Sequence[float]) -> float:
    """Return the 95th percentile."""
    return quantiles(times, n=20, method="inclusive")[-1]


def markdown(rows: Sequence[Row]) -> str:
    """Return the rows as a Markdown table."""
    return aligned([("Measured", "Figure", "Aim"), *((row.what, row.figure, row.aim) for row in rows)])


def aligned(lines: Sequence[Sequence[str]]) -> str:
    """Return lines of cells, the first line being the heads, as a Markdown table with aligned columns."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    written = ["| " + " | ".join(map(str.ljust, line, widths)) + " |" for line in lines]
    written.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(written)


def load() -> float | None:
    """Return how many processes wanted a core in the last minute; None where the system doesn't report it."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else None


def machine(browser: str | None, before: float | None) -> str:
    """Return a line on the machine, the versions, and the load beforehand; without host names and paths."""
    versions = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    shown = f", {browser}" if browser else ""
    busy = "" if before is None else f" Load average beforehand: {before:.1f}."
    return (
        f"Measured on {_processor()}, {os.cpu_count()} cores, {platform.system()}, "
        f"Python {platform.python_version()}, {versions}{shown}.{busy}"
    )


def _processor() -> str:
    """Return the name of the processor; on Linux a file has more detail than Python's platform module."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text("utf-8").splitlines() if info.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()
