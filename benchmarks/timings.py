"""How long things take in Python: importing, building the demo workspace, asking, reading a run back."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from time import perf_counter, process_time

import explorer
from benchmarks.table import Row, milliseconds, seconds
from explorer.events import Explain
from explorer.sample import corpus
from explorer.stores.ledger import AMENDED
from explorer.workspace import Workspace

IMPORT = "from time import perf_counter as t; a = t(); import explorer; print(t() - a)"
FRESH = 5
RUNS = 500


def importing() -> Row:
    """Measure `import explorer` in fresh processes."""
    printed = [subprocess.check_output([sys.executable, "-c", IMPORT], text=True) for _ in range(FRESH)]
    return Row("`import explorer`, fresh process", milliseconds([float(line) for line in printed]))


def building(folder: Path) -> tuple[Workspace, Row]:
    """Build the demo workspace, the first thing of its kind in this process."""
    begun = perf_counter()
    ws = explorer.demo(folder, progress=False)
    took = perf_counter() - begun
    return ws, Row(f"demo workspace built ({ws.size.facts:,} facts)", seconds([took]), "≤ 60 s")


def asking(ws: Workspace) -> list[Row]:
    """Measure each question, warm: the time to the first event, to the last one on record, and to read it back."""
    for _ in ws.ask(questions()[0]):
        pass
    first, whole = [], []
    for question in questions():
        begun = perf_counter()
        events = ws.ask(question)
        next(events)
        first.append(perf_counter() - begun)
        for _ in events:
            pass
        whole.append(perf_counter() - begun)
    return [
        Row("first event after `ask()`, warm", milliseconds(first), "≤ 50 ms"),
        Row("whole run on disk, warm", milliseconds(whole), "≤ 500 ms"),
        Row("a run read back from disk (`ws.traces.load`)", milliseconds(_loading(ws))),
    ]


def sealing(ws: Workspace) -> Row:
    """Measure sealing each run of a workspace on disk once more, with the hashes of all its texts."""
    times = []
    for summary in ws.traces.list():
        steps = [event for event in ws.traces.load(summary.iri).events if isinstance(event, Explain)]
        texts = [content.data for step in steps for content in step.contents]
        begun = perf_counter()
        for text in texts:
            sha256(text).hexdigest()
        ws.ledger.seal(summary.iri, AMENDED, summary.started_at or "")
        times.append(perf_counter() - begun)
    return Row("sealing a run on disk, with the hashes of its texts", milliseconds(times), "≤ 10 ms")


def sharing(ws: Workspace, place: Path) -> list[Row]:
    """Measure closed exports and bundles of the runs in a workspace, each by itself."""
    closed, bundled = [], []
    for summary in ws.traces.list():
        trace = ws.traces.load(summary.iri)
        begun = perf_counter()
        ws.export(trace, "nq", closed=True)
        closed.append(perf_counter() - begun)
        begun = perf_counter()
        ws.bundle(trace, path=place)
        bundled.append(perf_counter() - begun)
    return [
        Row("a run exported with all that it rests on, as N-Quads", milliseconds(closed), "≤ 200 ms"),
        Row("a run as a bundle, with report and documents", milliseconds(bundled), "≤ 1 s"),
    ]


def listing(ws: Workspace) -> list[Row]:
    """Measure the list of past runs, and a search that finds most of them by what they kept, in processor time."""
    asked = questions()
    for number in range(ws.size.traces, RUNS):
        ws.run(f"{asked[number % len(asked)]} ({number})")
    listed = [_processor(lambda: ws.traces.list(limit=RUNS)) for _ in range(FRESH)]
    sought = [_processor(lambda: ws.traces.list("oxygen", limit=RUNS)) for _ in range(FRESH)]
    return [
        Row(f"past runs of {RUNS} listed, processor time", milliseconds(listed), "≤ 300 ms"),
        Row("… searched in questions, answers, facts and sources", milliseconds(sought), "≤ 300 ms"),
    ]


def _processor(does: Callable[[], object]) -> float:
    begun = process_time()
    does()
    return process_time() - begun


def command(folder: Path) -> Row:
    """Measure `explorer ask` from pressing Enter until the prompt is back."""
    words = [sys.executable, "-m", "explorer", "ask", questions()[0], "-w", str(folder)]
    return Row('`explorer ask "…"`, whole process', seconds([_elapsed(words) for _ in range(FRESH)]))


def questions() -> list[str]:
    """Return the questions of the sample."""
    lines = (corpus() / "questions.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line)["question"] for line in lines]


def _loading(ws: Workspace) -> list[float]:
    times = []
    for summary in ws.traces.list():
        begun = perf_counter()
        ws.traces.load(summary.iri)
        times.append(perf_counter() - begun)
    return times


def _elapsed(words: Sequence[str]) -> float:
    begun = perf_counter()
    subprocess.run(words, check=True, capture_output=True)
    return perf_counter() - begun
