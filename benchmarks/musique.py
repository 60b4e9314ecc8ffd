"""`python -m benchmarks.musique [QUESTIONS]`: which of the passages that answer multi-hop questions are found?

MuSiQue's passages with their given triples, the default embedder, no model, and the defaults of each engine.
Recall@k of a question is the share of its gold passages among the first k different ones that the trace's sources name.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median
from time import perf_counter, process_time

import explorer
from benchmarks.table import aligned, load, machine
from explorer.engines.registry import Limit
from explorer.events import Passage
from explorer.ingest.ingested import Ingested
from explorer.record.trace import Trace
from explorer.workspace import Workspace

NOT_THERE = "not measured: EXPLORER_CONFORMANCE_DATA names no folder with data/musique in it"
ENGINES: Mapping[str, tuple[str, Mapping[str, Limit]]] = {
    "graph-rag": ("graph-rag", {}),
    "document-rag": ("document-rag", {}),
    "keywords alone": ("document-rag", {"mode": "keyword", "rerank": False}),
}
AIMS = {
    "graph-rag": ("", "≥ 62", "≥ 74", "", "100 %", "", "≤ 50 ms", ""),
    "document-rag": ("", "≥ 53", "", "", "", "", "", ""),
}
FIRST = (2, 5, 10)
HEAD = (
    "Engine",
    *(f"R@{k}" for k in FIRST),
    "facts from gold",
    "with a passage",
    "declined",
    "a question",
    "processor",
)
HEADING = """\
## Questions over several hops

The 50 questions of the MuSiQue sample over its 1,890 passages with their given triples (`python -m benchmarks.musique`
asks others): the share of gold passages among the first 2, 5 and 10 sources, in percent, with the 95 % interval of a
bootstrap over the questions; the share of the selected facts that come from a gold passage, and of those that lead to
any passage; times with the record on disk. The settings were chosen on these questions and on those of the sample, so
expect less on others.
"""
_WARM = "Which river does the oldest bridge of the capital cross?"
_SAMPLES = 10_000


@dataclass(frozen=True, slots=True)
class Asked:
    """The result of one question: its gold passages, those found, in order, and those of each selected fact."""

    gold: frozenset[str]
    found: tuple[str, ...]
    facts: tuple[tuple[str, ...], ...]
    declined: bool
    ms: float
    processor_ms: float

    def recall(self, k: int) -> float:
        """Return the share of the gold passages among the first k, in percent."""
        return 100 * len(self.gold & set(self.found[:k])) / len(self.gold)


def main() -> None:
    """Ask the questions of a JSON-lines file, each with its gold passages, and print a table; default: the sample."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.musique", description=main.__doc__)
    parser.add_argument("questions", nargs="?", type=Path, help="lines of {question, gold: [passage id]}")
    parser.add_argument("-w", "--workspace", type=Path, help="a workspace with the passages; created if it is missing")
    given = parser.parse_args()
    data = folder()
    if data is None:
        parser.exit(2, f"{NOT_THERE}\n")
    before = load()
    with tempfile.TemporaryDirectory(prefix="explorer-bench-") as place, explorer.open(given.workspace or place) as ws:
        if not ws.size.documents:
            ingest(ws, data, progress=True)
        print(f"{table(ws, given.questions or data / 'questions.jsonl')}\n\n{machine(None, before)}")


def section(place: Path) -> str:
    """Return the section of the page on these questions; the workspace at `place` has the passages."""
    data = folder()
    if data is None:
        return f"{HEADING}\n{NOT_THERE[0].upper()}{NOT_THERE[1:]}."
    with explorer.open(place) as ws:
        return f"{HEADING}\n{table(ws, data / 'questions.jsonl')}"


def folder() -> Path | None:
    """Return the folder of the MuSiQue sample, None where the environment does not name it."""
    named = os.environ.get("EXPLORER_CONFORMANCE_DATA")
    place = Path(named) / "data" / "musique" if named else None
    return place if place is not None and place.is_dir() else None


def ingest(ws: Workspace, data: Path, *, progress: bool = False) -> Ingested:
    """Ingest the passages with their triples."""
    return ws.ingest(data / "corpus.jsonl", triples=data / "openie.jsonl", progress=progress)


def table(ws: Workspace, questions: Path) -> str:
    """Ask every engine all questions; returns a table with a line for each, and its aims below it.

    Recalls are means in percent with their 95 % interval; times of a question are medians and include recording.
    """
    lines: list[Sequence[str]] = [HEAD]
    for name, (engine, limits) in ENGINES.items():
        lines.append((name, *_figures(list(ask_all(ws, questions, engine, limits)))))
        lines += [("aim", *AIMS[name])] if name in AIMS else []
    return aligned(lines)


def ask_all(ws: Workspace, questions: Path, engine: str, limits: Mapping[str, Limit]) -> Iterator[Asked]:
    """Ask the questions of a file; caches are cleared before each."""
    ws.run(_WARM, engine, **limits)
    for line in questions.read_text("utf-8").splitlines():
        item = json.loads(line)
        ws.sources.forget()
        begun, worked = perf_counter(), process_time()
        events = list(ws.ask(item["question"], engine, **limits))
        ms, processor = 1000 * (perf_counter() - begun), 1000 * (process_time() - worked)
        trace = Trace(events)
        facts = tuple(_ids(ws.passages(edge)) for edge in trace.edges)
        yield Asked(frozenset(item["gold"]), _ids(trace.sources()), facts, trace.reason == "declined", ms, processor)


def _figures(asked: Sequence[Asked]) -> Iterator[str]:
    facts = [(fact, one.gold) for one in asked for fact in one.facts]
    times = [one.ms for one in asked]
    yield from (_recall([one.recall(k) for one in asked]) for k in FIRST)
    yield _share([bool(gold & set(fact)) for fact, gold in facts])
    yield _share([bool(fact) for fact, _ in facts])
    yield f"{sum(one.declined for one in asked)} of {len(asked)}"
    yield f"{median(times):.0f} ms ({max(times):.0f})"
    yield f"{median(one.processor_ms for one in asked):.0f} ms"


def _recall(recalls: Sequence[float]) -> str:
    """Return a mean with its 95 % interval (percentile bootstrap over the questions)."""
    import numpy as np

    chance = np.random.default_rng(7)
    means = chance.choice(np.array(recalls), (_SAMPLES, len(recalls))).mean(axis=1)
    low, high = np.percentile(means, (2.5, 97.5))
    return f"{mean(recalls):.1f} ({low:.0f}–{high:.0f})"


def _share(held: Sequence[bool]) -> str:
    return f"{100 * mean(held):.{0 if all(held) else 1}f} %" if held else "–"


def _ids(passages: Iterable[Passage]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(passage.source for passage in passages if passage.source))


if __name__ == "__main__":
    main()
