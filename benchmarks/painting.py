"""How long from an event leaving Python until it is painted, in a real JupyterLab in a real Chromium."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import nbformat

from benchmarks.table import Row, percentile_95
from tests.browser import jupyter
from tests.browser.conftest import BROWSERS, QUIET, run_all, wait_for_kernel

if TYPE_CHECKING:
    from playwright.sync_api import Page

CELL = """
import json, time
import explorer

app = explorer.app(explorer.demo({folder!r}))
send = app.view.send

def timed(message, buffers=None):
    if message["t"] == "delta":
        with open("sent.jsonl", "a") as file:
            print(json.dumps([message["run"], message["seq"], time.time_ns() / 1e6]), file=file)
    send(message, buffers)

app.view.send = timed
app
"""
# What is on the canvas is noted once the frame that drew it is over; Date.now() is the clock that Python reads too.
WATCH = """() => {
    const root = document.querySelector(".pe");
    window.seen = { painted: [], pressed: [] };
    const note = (...what) => setTimeout(() => window.seen.painted.push([...what, Date.now()]));
    new MutationObserver(() => note(root.explorer.store.run, Number(root.dataset.seq), Number(root.dataset.nodes)))
        .observe(root, { attributes: true, attributeFilter: ["data-seq"] });
    document.querySelector(".pe-go").addEventListener("click", () => window.seen.pressed.push(Date.now()), true);
}"""
RUN = '() => document.querySelector(".pe").explorer.store.run'
ENDED = """before => {
    const root = document.querySelector(".pe");
    const { run, seq, state } = root.explorer.store;
    const idle = document.querySelector(".pe-go").textContent.trim() === "Ask";
    return run !== before && state !== "running" && Number(root.dataset.seq) === seq && idle;
}"""


@dataclass
class Painted:
    """Milliseconds: from sent to painted for each event, from pressing Ask to the first node for each run."""

    events: list[float] = field(default_factory=list)
    first_nodes: list[float] = field(default_factory=list)
    browser: str = ""


def painting(folder: Path, questions: Sequence[str]) -> Painted | None:
    """Ask in the page, one question after the other; None when there is no browser. `folder`: a demo workspace."""
    chromium = next(filter(None, map(shutil.which, BROWSERS)), None)
    if chromium is None:
        return None
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as place:
        lab = jupyter.start(Path(place) / "lab")
        try:
            _write(lab.root / "painting.ipynb", CELL.format(folder=str(folder)))
            return _watched(lab, chromium, Path(place) / "profile", questions)
        finally:
            lab.stop()


def rows(found: Painted | None) -> list[Row]:
    """Give the figures, or say that there are none."""
    if found is None:
        return [Row("event sent → painted, 95th percentile", "no Chromium found", "≤ 100 ms")]
    middle = sorted(found.events)[len(found.events) // 2]
    first = sorted(found.first_nodes)[len(found.first_nodes) // 2]
    return [
        Row(f"event sent → painted, median of {len(found.events)}", f"{middle:.0f} ms"),
        Row("event sent → painted, 95th percentile", f"{percentile_95(found.events):.0f} ms", "≤ 100 ms"),
        Row("Ask pressed → first node painted", f"{first:.0f} ms ({max(found.first_nodes):.0f})"),
    ]


def _write(path: Path, cell: str) -> None:
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell.strip())])
    notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(notebook, path)


def _watched(lab: jupyter.Lab, chromium: str, profile: Path, questions: Sequence[str]) -> Painted:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            profile, executable_path=chromium, headless=True, args=QUIET, viewport={"width": 1600, "height": 1000}
        )
        page = context.pages[0]
        page.goto(f"{lab.url}/lab/tree/painting.ipynb?reset")
        wait_for_kernel(page)
        run_all(page)
        page.locator(".pe-canvas").wait_for()
        page.evaluate(WATCH)
        for question in questions:
            _ask(page, question)
        seen = page.evaluate("() => window.seen")
        browser = context.browser.version if context.browser else page.evaluate("() => navigator.userAgent")
        context.close()
    sent = [json.loads(line) for line in (lab.root / "sent.jsonl").read_text("utf-8").splitlines()]
    return _matched(sent, seen["painted"], seen["pressed"], f"Chromium {browser}")


def _ask(page: Page, question: str) -> None:
    page.locator(".pe-question input").fill(question)
    before = page.evaluate(RUN)
    page.locator(".pe-go").click()
    page.wait_for_function(ENDED, arg=before, polling=100)
    page.wait_for_timeout(200)


def _matched(
    sent: list[tuple[str, int, float]],
    painted: list[tuple[str, int, int, float]],
    pressed: list[float],
    browser: str,
) -> Painted:
    """Find for each message the first frame of its run that shows it or a later one."""
    frames = defaultdict(list)
    for run, seq, nodes, at in painted:
        frames[run].append((seq, nodes, at))
    found = Painted(browser=browser)
    for run, seq, at in sent:
        found.events.append(next(frame[2] for frame in frames[run] if frame[0] >= seq) - at)
    runs = list(dict.fromkeys(run for run, _, _ in sent))
    for run, click in zip(runs, pressed, strict=True):
        found.first_nodes.append(next(frame[2] for frame in frames[run] if frame[1]) - click)
    return found
