"""A real JupyterLab in a real Chromium: cells are run, and what is painted is logged with its time."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import nbformat

from tests.browser import jupyter
from tests.browser.conftest import BROWSERS, QUIET, wait_for_kernel

if TYPE_CHECKING:
    from playwright.sync_api import Page

# Wraps `send`: logs in a file when each message left. `app` is the app of the cell above.
TIMED = """
import json, time
send = app.send

def timed(message, buffers=None):
    if message["t"] == "delta":
        with open("sent.jsonl", "a") as file:
            told = [message["run"], message["seq"], time.time_ns() / 1e6, "again" in message]
            print(json.dumps(told), file=file)
    send(message, buffers)

app.send = timed
"""
# What is on the canvas is logged once the frame that drew it is over; Date.now() is the clock that Python reads too.
# Then the place of each node is compared with its place before.
WATCH = """() => {
    const root = document.querySelector(".pe"), { store } = root.explorer;
    const stood = new Map();
    window.seen = { painted: [], pressed: [], moved: 0, looks: 0 };
    const compare = () => {
        if (store.state !== "running") return;  // once the answer is on record the graph is drawn anew
        window.seen.looks += 1;
        for (const node of store.nodes.values()) {
            const at = JSON.stringify(node.spots ?? [node.vis.x, node.vis.y]), key = `${store.run} ${node.id}`;
            if ((stood.get(key) ?? at) !== at) window.seen.moved += 1;
            stood.set(key, at);
        }
    };
    const note = (...what) => setTimeout(() => {
        window.seen.painted.push([...what, Date.now()]);
        compare();
    });
    let last = "";  // every frame writes the attributes anew, also when nothing came
    const looked = () => {
        const what = [store.run, Number(root.dataset.seq), Number(root.dataset.nodes)];
        if (last !== String(what)) note(...what);
        last = String(what);
    };
    new MutationObserver(looked)
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
RUN_CELL = """place => {
    const { content } = window.jupyterapp.shell.currentWidget;
    content.activeCellIndex = place;
    window.jupyterapp.commands.execute("notebook:run-cell");
}"""
DONE = """place => window.jupyterapp.shell.currentWidget.content.widgets[place].model.executionState === "idle"
    && window.jupyterapp.shell.currentWidget.content.widgets[place].model.executionCount !== null"""
_PATIENCE = 180_000  # ms; the largest graphs on a slow machine


@dataclass
class Bench:
    """A notebook in the browser. `sent` is the file in which the kernel logs what it sends.

    `received` holds the size in bytes of each frame that came over the page's web sockets.
    """

    page: Page
    sent: Path
    browser: str
    received: list[int]

    def run(self, place: int) -> None:
        """Run the cell at this place and wait until the kernel has finished."""
        self.start(place)
        self.page.wait_for_function(DONE, arg=place, polling=50)
        wait_for_kernel(self.page, seconds=_PATIENCE / 1000)

    def start(self, place: int) -> None:
        """Run the cell at this place without waiting."""
        self.page.evaluate(RUN_CELL, place)

    def ended(self, before: str) -> None:
        """Wait until a run other than `before` is over and painted."""
        self.page.wait_for_function(ENDED, arg=before, polling=50, timeout=_PATIENCE)
        self.page.wait_for_timeout(200)

    def nodes(self) -> int:
        """Return how many nodes the page has of the run on show."""
        return int(self.page.evaluate("() => document.querySelector('.pe').explorer.store.nodes.size"))

    def run_on_show(self) -> str:
        """Return the id of the run on show; "" when there is none."""
        return str(self.page.evaluate(RUN))


def chromium() -> str | None:
    """Return the path of a browser; None when there is none."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


@contextmanager
def notebook(*cells: str) -> Iterator[Bench]:
    """Open a notebook of these cells. Needs `chromium()`."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as place, sync_playwright() as playwright:
        lab = jupyter.start(Path(place) / "lab")
        try:
            _write(lab.root / "bench.ipynb", cells)
            context = playwright.chromium.launch_persistent_context(
                Path(place) / "profile",
                executable_path=chromium(),
                headless=True,
                args=QUIET,
                viewport={"width": 1600, "height": 1000},
            )
            page = context.pages[0]
            page.set_default_timeout(_PATIENCE)
            received: list[int] = []
            page.on("websocket", lambda line: line.on("framereceived", lambda frame: received.append(len(frame))))
            page.goto(lab.address("bench.ipynb"))
            wait_for_kernel(page)
            named = context.browser.version if context.browser else page.evaluate("() => navigator.userAgent")
            yield Bench(page, lab.root / "sent.jsonl", f"Chromium {named}", received)
            context.close()
        finally:
            lab.stop()


def _write(path: Path, cells: tuple[str, ...]) -> None:
    written = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell.strip()) for cell in cells])
    written.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(written, path)
