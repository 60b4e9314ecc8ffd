"""How long the page takes to show what was clicked, and to open a stored run."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from benchmarks import browser
from benchmarks.browser import Bench
from benchmarks.table import Row
from tests.browser.app import POINT

DEMO = "import explorer\nws = explorer.demo({folder!r})"
APP = "app = explorer.app(ws, pace=0)\napp"
BIG = "import explorer, time\nws = explorer.open({folder!r})"
OPEN = """
begun = time.time_ns() / 1e6
app.open({iri!r})
with open("sent.jsonl", "a") as file:
    print([begun, time.time_ns() / 1e6, len(app.dag.graph)], file=file)
"""
PAINTED_APP = """async place => {
    const old = document.querySelector(".pe"), begun = performance.now();
    const { content } = window.jupyterapp.shell.currentWidget;
    content.activeCellIndex = place;
    window.jupyterapp.commands.execute("notebook:run-cell");
    const frame = () => new Promise(requestAnimationFrame);
    const there = () => {
        const root = document.querySelector(".pe");
        return root && root !== old && root.dataset.state === "start" && root.querySelector("canvas");
    };
    while (!there()) await frame();
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    return performance.now() - begun;
}"""
# From the mouse button going up until the frame is over that shows the fact, and the picture of its page.
CLICKS = """() => {
    window.clicks = [];
    const detail = document.querySelector(".pe-detail"), source = document.querySelector(".pe-source");
    const over = (note) => requestAnimationFrame(() => setTimeout(() => note(performance.now())));
    let click = null;
    document.querySelector(".pe-canvas").addEventListener("pointerup", () => {
        window.clicks.push((click = { at: performance.now() }));
    }, true);
    const watch = (root, name, is) => new MutationObserver(() => {
        const mine = click;
        if (mine && !mine[name] && is()) {
            mine[name] = 1;
            over((now) => { mine[name] = now - mine.at; });
        }
    }).observe(root, { childList: true, subtree: true });
    watch(detail, "detail", () => detail.querySelector(".pe-picked-words"));
    watch(source, "picture", () => source.querySelector(".pe-paper.picture img"));
    watch(source, "page", () => source.querySelector(".pe-paper.picture, .pe-paper.words:not(:has(p))"));
}"""
# From the press of the button until the frame is over that shows the page in the whole window, its picture decoded.
ENLARGED = """async () => {
    const begun = performance.now();
    document.querySelector(".pe-source .pe-enlarge").click();
    await Promise.all([...document.querySelectorAll(".pe-large img")].map((image) => image.decode()));
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    const took = performance.now() - begun, shown = document.querySelector(".pe-large[open] .pe-paper");
    document.querySelector(".pe-large").close();
    return shown ? took : null;
}"""
# Opened: the run is another than before, it is not running, and the frame is over that drew what the store has.
OPENED = """() => {
    const root = document.querySelector(".pe"), { store } = root.explorer, before = store.run;
    window.opened = null;
    const watch = new MutationObserver(() => {
        const ready = store.run !== before && store.state !== "running";
        if (!ready || Number(root.dataset.nodes) !== store.nodes.size) return;
        watch.disconnect();
        setTimeout(() => { window.opened = Date.now(); });
    });
    watch.observe(root, { attributes: true });
}"""
# From the press of the tab until the frame is over that shows the list.
PAST = """async () => {
    const begun = performance.now();
    [...document.querySelectorAll("[role=tab]")].find((tab) => tab.textContent.startsWith("Past runs")).click();
    while (!document.querySelector(".pe-past .pe-runs button.pe-share")) await new Promise(requestAnimationFrame);
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    return performance.now() - begun;
}"""
FACTS = """() => document.querySelector(".pe").explorer.here()
    .filter(({ kind }) => kind === "EdgeSelection").map(({ id }) => id)"""
LISTED = '() => document.querySelector(".pe").explorer.store.past.total'
TIMES = 5


@dataclass
class Opened:
    """A stored run that was opened: its nodes, those in the page, bytes, milliseconds in Python and until painted."""

    nodes: int
    in_page: int
    size: int
    in_python: float
    painted: float


@dataclass
class Clicked:
    """Milliseconds of each action, the stored runs that were opened, and how many were listed in how long."""

    first_paint: list[float] = field(default_factory=list)
    detail: list[float] = field(default_factory=list)
    page: list[float] = field(default_factory=list)
    picture: list[float] = field(default_factory=list)
    enlarged: list[float] = field(default_factory=list)
    opened: list[Opened] = field(default_factory=list)
    runs: int = 0
    past: float = 0


def clicking(demo: Path, question: str, big: Path, stored: Mapping[int, str]) -> Clicked:
    """Paint the app, click facts of one run in a demo workspace, and open runs stored in another."""
    found = Clicked()
    with browser.notebook(DEMO.format(folder=str(demo)), APP) as bench:
        bench.run(0)
        for _ in range(TIMES):
            found.first_paint.append(bench.page.evaluate(PAINTED_APP, 1))
        _click(bench, question, found)
    with browser.notebook(
        BIG.format(folder=str(big)), APP, *(OPEN.format(iri=iri) for iri in stored.values())
    ) as bench:
        bench.run(0)
        bench.run(1)
        bench.page.locator(".pe-canvas").wait_for()
        bench.page.wait_for_timeout(3000)  # while the kernel loads what a question needs
        found.past, found.runs = bench.page.evaluate(PAST), bench.page.evaluate(LISTED)
        found.opened = [_open(bench, place) for place, _ in enumerate(stored, 2)]
    return found


def rows(found: Clicked) -> list[Row]:
    """Return the figures as rows."""
    given = [
        Row("cell run → app painted", _of(found.first_paint), "≤ 800 ms"),
        Row(f"fact clicked → detail painted, of {len(found.detail)}", _of(found.detail), "≤ 50 ms"),
        Row(f"fact clicked → its page shown, of {len(found.page)}", _of(found.page), "≤ 150 ms"),
    ]
    if found.picture:
        given.append(Row(f"… pages with a picture, of {len(found.picture)}", _of(found.picture), "≤ 150 ms"))
    given.append(Row(f"page enlarged, of {len(found.enlarged)}", _of(found.enlarged), "≤ 200 ms"))
    given.append(Row(f"{found.runs} past runs listed", f"{found.past:.0f} ms", "≤ 300 ms"))
    for one, aim in zip(found.opened, ("", "≤ 500 ms", "≤ 1.2 s"), strict=False):
        nodes = f"{one.nodes:,} nodes, {one.in_page} of them in the page,"
        given.append(Row(f"stored run of {nodes} opened → painted", f"{one.painted:.0f} ms", aim))
        given.append(Row("… of that in Python", f"{one.in_python:.0f} ms"))
        most = "≤ 100 kB" if one.nodes < 30 else "≤ 300 kB" if one.nodes > 1_000 else ""
        given.append(Row("… bytes of that to the page", f"{one.size / 1000:.0f} kB", most))
    return given


def _click(bench: Bench, question: str, found: Clicked) -> None:
    """Ask, and click each fact in the drawing of the answer, one after the other and again."""
    page, before = bench.page, bench.run_on_show()
    page.locator(".pe-question input").fill(question)
    page.locator(".pe-go").click()
    bench.ended(before)
    page.evaluate(CLICKS)
    page.locator(".pe-canvas").scroll_into_view_if_needed()
    for fact in page.evaluate(FACTS) * TIMES:
        page.keyboard.press("Escape")  # nothing is selected
        page.wait_for_timeout(300)
        page.mouse.click(*page.evaluate(POINT, fact))
        page.wait_for_timeout(1200)
    page.wait_for_timeout(3000)
    for _ in range(TIMES):
        if (took := page.evaluate(ENLARGED)) is not None:
            found.enlarged.append(took)
    for click in page.evaluate("() => window.clicks"):
        for name, times in (("detail", found.detail), ("page", found.page), ("picture", found.picture)):
            if name in click:
                times.append(click[name])


def _open(bench: Bench, place: int) -> Opened:
    bench.page.evaluate(OPENED)
    received = len(bench.received)
    bench.start(place)
    painted = bench.page.wait_for_function("() => window.opened", polling=50).json_value()
    bench.page.wait_for_timeout(1000)
    begun, returned, nodes = json.loads(bench.sent.read_text("utf-8").splitlines()[-1])
    return Opened(nodes, bench.nodes(), sum(bench.received[received:]), returned - begun, painted - begun)


def _of(times: Sequence[float]) -> str:
    return f"{median(times):.0f} ms ({max(times):.0f})" if times else "none seen"
