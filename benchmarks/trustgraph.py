"""How long a run that TrustGraph has stored takes to be opened, and its sources, as its gateway was recorded."""

from __future__ import annotations

from statistics import median
from time import perf_counter

import explorer
from benchmarks.table import Row
from tests.trustgraph.played import TOKEN, Played


def rows() -> list[Row]:
    """Open a run of graph-rag with all labels, then look at its sources."""
    with Played() as gateway:
        _opened(gateway)  # what is imported once
        opened, sourced, asked = zip(*(_opened(gateway) for _ in range(5)), strict=True)
    return [
        Row("a run stored in TrustGraph, opened with all labels", f"{1000 * median(opened):.0f} ms", "≤ 300 ms"),
        Row("requests for that", f"{max(asked)}", "≤ 12"),
        Row("its sources, once one is looked at", f"{1000 * median(sourced):.0f} ms"),
    ]


def _opened(gateway: Played) -> tuple[float, float, int]:
    with explorer.connect_trustgraph(gateway.address, token=TOKEN) as tg:
        run = next(one.iri for one in tg.stored() if one.engine == "graph-rag")
        before, begun = len(gateway.asked), perf_counter()
        tg.traces.load(run)
        opened, asked = perf_counter() - begun, len(gateway.asked) - before
        begun = perf_counter()
        tg.fetch_sources(run)
        return opened, perf_counter() - begun, asked


if __name__ == "__main__":
    for row in rows():
        print(row)
