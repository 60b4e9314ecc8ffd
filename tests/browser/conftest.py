"""A JupyterLab for all browser tests, and for each a page that tells what went wrong in it."""

import contextlib
import os
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

import nbformat
import pytest
from playwright.sync_api import BrowserContext, Page, expect, sync_playwright
from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from tests.browser import bare, jupyter

SCREENSHOTS = Path(__file__).parent / "screenshots"
BROWSERS = (
    *("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge"),
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
QUIET = [  # no sandbox, as root has none; the rest keeps the browser itself from calling home
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync", "--disable-dev-shm-usage"),
    "--proxy-server=127.0.0.1:9",  # where nobody listens: all that is not on this machine fails
]
PATIENCE = 60  # seconds: what a page has to do in the end, on however slow a machine
expect.set_options(timeout=PATIENCE * 1000)
WIDE = {"width": 1600, "height": 1000}
# Outside of notebooks nothing glides or fades, which takes long, but in `make soak`.
MOTION = os.environ.get("EXPLORER_MOTION", "reduce")
# A picture of a test's end, in tests/browser/screenshots: of those that fail, and with EXPLORER_PICTURES=1 of all.
TAKES_PICTURES = "EXPLORER_PICTURES" in os.environ
KERNEL = """() => {
    if (window.cell) return cell("").then(() => "connected idle");
    const kernel = window.jupyterapp?.shell?.currentWidget?.sessionContext?.session?.kernel;
    return kernel ? `${kernel.connectionStatus} ${kernel.status}` : "none";
}"""
HOLD = """
import pathlib, time
began, ended = pathlib.Path({began!r}), pathlib.Path({ended!r})
began.touch()
limit = time.monotonic() + 120
while not ended.exists() and time.monotonic() < limit:
    time.sleep(0.05)
began.unlink()
"""
FAILED = """() => {
    const outputs = [...window.jupyterapp.shell.currentWidget.content.model.cells].flatMap((cell) =>
        cell.outputs?.toJSON() ?? []);
    const errors = outputs.filter(({ output_type, name }) => output_type === "error" || name === "stderr");
    return errors.flatMap(({ ename, evalue, traceback, text }) => text ?? [`${ename}: ${evalue}`, ...traceback]);
}"""
# Nothing was drawn, moved, scrolled or faded for so long, in whatever time the machine takes for a frame.
RESTED = """(seconds) => new Promise((done, failed) => {
    const roots = [...document.querySelectorAll(".pe")], begun = performance.now();
    let before, last, frames = 0, since = begun;
    const again = (why) => {
        [last, frames] = [why, 0];
        since = performance.now();
    };
    const watch = new MutationObserver(([{ type, target }]) => again(`${type} of ${target.className ?? "a text"}`));
    const deep = { subtree: true, childList: true, attributes: true, characterData: true };
    for (const root of roots) watch.observe(root, deep);
    const place = (one) => {
        const { x, y, width, height } = one.getBoundingClientRect();
        return [x, y, width, height, one.scrollLeft, one.scrollTop];
    };
    const fades = ({ playState, effect }) =>
        playState === "running" && effect.getTiming().iterations < Infinity && effect.target?.closest(".pe");
    const look = () => {
        const parts = roots.flatMap((root) => [root, ...root.querySelectorAll(".pe-panel, .pe-scroll")]);
        const now = String(parts.map(place));
        const fresh = roots.some((root) => root.explorer?.fresh());
        if (now !== before || fresh || document.getAnimations().some(fades)) again(fresh ? "fresh" : "places");
        before = now;
        frames += 1;
        const late = performance.now() - begun > 1000 * seconds;
        if ((frames < 8 || performance.now() - since < 200) && !late) return requestAnimationFrame(look);
        watch.disconnect();
        return late ? failed(new Error(`the app did not rest within ${seconds} s: ${last}`)) : done();
    };
    look();
})"""
STAGE = "stage.ipynb"
REPLACE_CELLS = """(sources) => {
    const { sharedModel } = window.jupyterapp.shell.currentWidget.content.model, before = sharedModel.cells.length;
    const cells = sources.map((source) => ({ cell_type: "code", source, metadata: {}, outputs: [] }));
    sharedModel.insertCells(before, cells);
    sharedModel.deleteCellRange(0, before);
}"""
EXECUTE = """async (code) => {  // beside the cells; gives what went wrong
    if (window.cell) return cell(code);
    const { kernel } = window.jupyterapp.shell.currentWidget.sessionContext.session;
    const { status, traceback } = (await kernel.requestExecute({ code }).done).content;
    return status === "ok" ? null : traceback.join("\\n");
}"""
CLEAR = """
import gc, ipywidgets
from explorer.workspace import Workspace
ipywidgets.Widget.close_all()
for one in [one for one in gc.get_objects() if type(one) is Workspace]:
    one.close()
"""
FORGET = {"notebook": "get_ipython().run_line_magic('reset', '-f')", "bare": "kernel.forget()"}
RECORD_LABELS = """
window.labels = [];  // what the last frame of the graph has painted
const { clearRect, fillText } = CanvasRenderingContext2D.prototype;
CanvasRenderingContext2D.prototype.clearRect = function () {
    window.labels = window.labels.filter(({ canvas }) => canvas !== this.canvas && canvas.isConnected);
    return clearRect.apply(this, arguments);
};
CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
    const at = new DOMPoint(x, y).matrixTransform(this.getTransform());
    const size = parseFloat(/([\\d.]+)px/.exec(this.font)[1]) * this.getTransform().a / devicePixelRatio;
    const shown = String(text).replaceAll("\\u200b", "");
    window.labels.push({ text: shown, at, size, font: this.font, canvas: this.canvas });
    return fillText.apply(this, arguments);
};
"""
CANVASES = "() => document.querySelectorAll('.pe .pe-canvas').length"
RUN = "() => document.querySelector('.pe').explorer.store.run"
ENDED = """() => {
    const root = document.querySelector(".pe"), { store } = root.explorer;
    const ended = ["done", "declined", "stopped", "error"].includes(store.state);
    const painted = root.dataset.state === store.state && root.dataset.seq === String(store.seq);
    return ended && painted && !store.bar?.running;  // which is told a moment after the end
}"""


# The files that take longest begin first: else a worker would be left with one of them while the other is idle.
LONGEST = (
    *("canvas", "panes", "past", "kinds", "saved_page", "kernel", "notebooks", "explore", "saved_notebook", "voila"),
    *("hostile", "documents", "teach", "notebook7", "marimo", "what_if", "failing", "access"),
)


def pytest_collection_modifyitems(items):
    """Mark what is here, and put the files that take longest first."""
    own = [item for item in items if Path(__file__).parent in item.path.parents]
    for item in own:
        item.add_marker(pytest.mark.browser)
    place = {Path(__file__).with_name(f"test_{name}.py"): at for at, name in enumerate(LONGEST)}
    if len(own) == len(items):
        items.sort(key=lambda item: place.get(item.path, len(place)))


@dataclass
class Seen:
    """What a page did that it should not: a test that means it clears the list before it ends."""

    console: list[str] = field(default_factory=list)  # console errors
    errors: list[str] = field(default_factory=list)  # uncaught exceptions
    foreign: list[str] = field(default_factory=list)  # requests to other hosts; all have failed
    over: bool = False  # once a test is over, what the end of its kernels brings is no complaint

    def complaints(self):
        return [*self.console, *self.errors, *(f"asked for {url}" for url in self.foreign)]


@dataclass
class Browser:
    """A running browser: its pages have a profile in common, so that each loads JupyterLab from the cache."""

    context: BrowserContext
    watching: list[Seen] = field(default_factory=list)  # of the pages that are open
    stages: list["Stage"] = field(default_factory=list)

    def asked(self, url):
        if not is_loopback(url):
            for seen in self.watching:
                seen.foreign.append(url)

    def clear(self):
        """No kernel that tests share holds a workspace any more."""
        for stage in self.stages:
            stage.clear()


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    """A browser of the Chromium family for all tests. Where there is none: skipped, and under CI a failure."""
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if not found and os.environ.get("CI"):
        pytest.fail("no Chromium was found, and under CI the browser tests have to run")
    if not found:
        pytest.skip("needs a browser: install Chromium or Chrome")
    with sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            tmp_path_factory.mktemp("profile"),
            executable_path=found,
            headless=True,
            args=QUIET,
            viewport=WIDE,
            reduced_motion=MOTION,
        )
        running = Browser(context)
        context.add_init_script(f"(() => {{ {RECORD_LABELS} }})()")
        context.on("request", lambda request: running.asked(request.url))
        context.route_web_socket(lambda url: not is_loopback(url), lambda ws: refuse_socket(ws, running))
        yield running
        context.close()


@pytest.fixture(scope="session")
def lab(browser, tmp_path_factory):
    running = jupyter.start(tmp_path_factory.mktemp("lab"))
    yield running
    running.stop()


@pytest.fixture
def seen():
    return Seen()


@pytest.fixture
def page(browser, seen):
    """A Playwright page; what `seen` holds at the end fails the test."""
    with browsing(browser, seen) as page:
        yield page
    assert seen.complaints() == []


@dataclass
class Stage:
    """A page that tests share, whose kernel lives on, with the app of a file: bare, or a notebook in JupyterLab."""

    browser: Browser
    server: bare.Kernel | jupyter.Lab
    cells: tuple[str, ...] = ()  # what is on show
    broken: bool = False  # once a test has failed on it
    page: Page | None = None
    seen: Seen = field(default_factory=Seen)
    _open: contextlib.ExitStack = field(default_factory=contextlib.ExitStack)

    def show(self, *cells):
        """Put these cells in the place of all others and run them, unless they are there; gives the page."""
        if self.broken or self.page is None:
            self.begin()
        self.page.bring_to_front()  # of two that are open the other one is painted
        self.seen.foreign.clear()  # which other pages asked for meanwhile
        if self.cells != cells:
            self.browser.clear()
            self.run(cells)
            self.page.locator(".pe :is(.pe-canvas, .pe-documents, .pe-past)").filter(visible=True).first.wait_for()
            self.cells = cells
        return self.page

    def begin(self):
        """Open the page."""
        self.end()
        self.seen = Seen()
        self.page = self._open.enter_context(browsing(self.browser, self.seen))
        if self.is_bare:
            self.page.goto(self.server.url)
            self.cells = ("what a page before it has left",)
            return self.clear()
        open_in(self.server, self.page, write_notebook(self.server.root.parent / STAGE, "import explorer"))
        return run_all(self.page)

    @property
    def is_bare(self):
        return isinstance(self.server, bare.Kernel)

    def run(self, cells):
        """Run these cells alone."""
        if self.is_bare:
            for cell in cells:
                execute(self.page, cell)
        else:
            self.page.evaluate(REPLACE_CELLS, cells)
            run_all(self.page)

    def clear(self):
        """Close the apps and workspaces of the kernel, and forget all but what it has loaded."""
        if self.cells:
            self.page.set_viewport_size(WIDE)
            execute(self.page, CLEAR + FORGET["bare" if self.is_bare else "notebook"])
        if self.cells and self.is_bare:
            self.page.reload()
            self.page.wait_for_function("() => window.ready")
        self.cells = ()

    def end(self):
        self._open.close()
        self.cells, self.broken, self.page = (), False, None


@pytest.fixture(scope="session")
def notebook(browser, lab):
    """A notebook in JupyterLab that tests share."""
    yield from staged(browser, lab)


@pytest.fixture(scope="session")
def alone(browser, tmp_path_factory):
    """The app without a notebook around it."""
    kernel = bare.start(tmp_path_factory.mktemp("bare"))
    yield from staged(browser, kernel)
    kernel.stop()


def staged(browser, server):
    stage = Stage(browser, server)
    browser.stages.append(stage)
    yield stage
    stage.end()


@pytest.fixture
def stage(request):
    """The page of a test: bare, or JupyterLab where it is marked so."""
    return request.getfixturevalue("notebook" if request.node.get_closest_marker("notebook") else "alone")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    given = getattr(item, "funcargs", {})
    if report.failed and (on := given.get("stage")):
        on.broken = True
    page = given.get("app") or given.get("page")
    if report.when == "call" and (report.failed or TAKES_PICTURES) and isinstance(page, Page):
        with contextlib.suppress(PlaywrightError):  # it may hang, or be gone
            page.screenshot(path=SCREENSHOTS / f"{item.name}.png", timeout=5000)
    return report


@pytest.fixture(scope="module")
def cells(request):
    """What shows the app of a file: its `CELLS`."""
    return request.module.CELLS


@pytest.fixture
def fresh(browser):
    """For a test that needs its app as it is before all use, or has a kernel of its own for the demo workspace."""
    browser.clear()


@pytest.fixture
def app(stage, cells):
    """The page with the app of the test's file, put back to how it was at first."""
    page = stage.show(*cells)
    as_at_first(page)
    yield page
    found, stage.seen.console, stage.seen.errors, stage.seen.foreign = stage.seen.complaints(), [], [], []
    assert found == []


@pytest.fixture
def showing(app):
    """showing(code): the page, once what this code asks or opens is on show."""

    def show(code):
        before = app.evaluate(RUN)
        run_new_cell(app, code)
        poll(app, f"() => ({RUN})() !== {before!r} && ({ENDED})()", True, seconds=90)
        return app

    return show


@contextlib.contextmanager
def browsing(browser, seen):
    """A new page; `seen` is told what it does that it should not."""
    page = browser.context.new_page()
    page.set_default_timeout(PATIENCE * 1000)
    page.on("console", lambda message: note(message, seen))
    page.on("pageerror", lambda error: seen.over or seen.errors.append(f"{error.message}\n{error.stack}"))
    browser.watching.append(seen)
    try:
        yield page
    finally:
        seen.over = True
        end_kernels(page)
        browser.watching.remove(seen)
        page.close()


def end_kernels(page):
    """End the kernels of the page's notebooks; the one that tests share ends with its own page."""
    page.evaluate(
        """async (shared) => {
            const { sessions } = window.jupyterapp?.serviceManager ?? {};
            await sessions?.refreshRunning();
            const own = window.jupyterapp?.shell.currentWidget?.context?.path;
            const ended = [...(sessions?.running() ?? [])].filter(({ path }) => path !== shared || path === own);
            await Promise.all(ended.map(({ id }) => sessions.shutdown(id)));
        }""",
        STAGE,
    )


AS_IT_IS = """() => {
    const root = document.querySelector(".pe"), { store } = root.explorer;
    return { presents: root.classList.contains("presents"), theme: document.body.dataset.jpThemeName,
             mode: store.mode, teaches: store.bar?.teaches, how: store.bar?.how };
}"""


UNFOLDED = """() => {
    const { store, clear } = document.querySelector(".pe").explorer;
    window.jupyterapp?.shell.collapseLeft();
    store.unfolds = true;
    store.past.ticked.clear();
    clear();
}"""
AS_FIRST_ASKED = """() =>
    document.querySelector(".pe").explorer.store.send({ t: "bar", teaches: false, how: "Graph search" })"""


def as_at_first(page):
    """Put a page that others have used back: size, theme, tab, all told in Detail, no run that goes on or is taught."""
    page.set_viewport_size(WIDE)
    page.evaluate(UNFOLDED)
    now = page.evaluate(AS_IT_IS)
    if now["presents"]:
        page.keyboard.press("Escape")
        page.locator(".pe.presents").wait_for(state="detached")
    if now["theme"] != "JupyterLab Light":
        set_theme(page, "JupyterLab Light")
    if now["mode"] == "past":
        press_if_there(page, "Back to the list", "Untick all")
    page.get_by_role("tab", name="Ask").first.click()
    poll(page, "() => document.querySelector('.pe').explorer.store.mode", "ask")
    press_if_there(page, "■ Stop", "Put all back")
    poll(page, "() => Boolean(document.querySelector('.pe').explorer.store.bar?.running)", False)
    if now["teaches"] or now["how"] not in (None, "Graph search"):
        page.evaluate(AS_FIRST_ASKED)
        poll(page, AS_IT_IS, at_least(teaches=False, how="Graph search"))


def press_if_there(page, *names):
    """Press each of these buttons of the app that is in sight."""
    for name in names:
        button = page.locator(".pe").first.get_by_role("button", name=name, exact=True).filter(visible=True)
        if button.count():
            button.first.click()


def note(message, seen):
    if message.type == "error" and not seen.over:
        seen.console.append(f"{message.text} ({message.location['url']}:{message.location['lineNumber']})")


def is_loopback(url):
    host = urlsplit(url).hostname
    if host in (None, "localhost"):  # data:, blob: and about: have no host
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def refuse_socket(web_socket, browser):
    browser.asked(web_socket.url)
    web_socket.close()


@pytest.fixture
def open_notebook(lab, fresh) -> Callable:
    """open_notebook(page, path): a copy of the notebook in JupyterLab, its kernel connected and idle."""
    return lambda page, path: open_in(lab, page, path)


def open_in(lab, page, path):
    page.emulate_media(reduced_motion="no-preference")
    copy = lab.root / Path(path).name
    shutil.copyfile(path, copy)
    page.goto(lab.address(copy.name))
    wait_for_kernel(page)


def write_notebook(path, *cells):
    """Write a notebook of these code cells; gives its path."""
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    code = [nbformat.v4.new_code_cell(cell.strip()) for cell in cells]
    nbformat.write(nbformat.v4.new_notebook(metadata={"kernelspec": kernel}, cells=code), path)
    return path


def run_new_cell(page, code):
    """Put code into a cell below all others and start it; whoever needs its end waits for it."""
    page.evaluate(
        """async code => {
            if (window.cell) return void cell(code).then((wrong) => wrong && console.error(wrong));
            const { content } = window.jupyterapp.shell.currentWidget;
            content.activeCellIndex = content.widgets.length - 1;
            await window.jupyterapp.commands.execute("notebook:insert-cell-below");
            content.activeCell.model.sharedModel.setSource(code);
            window.jupyterapp.commands.execute("notebook:run-cell");
        }""",
        code,
    )


def execute(page, code):
    """Run code beside the cells, to its end."""
    if wrong := page.evaluate(EXECUTE, code):
        raise RuntimeError(wrong)


@contextlib.contextmanager
def held(page, folder):
    """Keep the kernel of the open notebook busy with a cell of its own for as long as the block lasts.

    The kernel's own word won't do: what answers on its control channel ends with "idle" while a cell still runs.
    """
    began, ended = folder / "began", folder / "ended"
    run_new_cell(page, HOLD.format(began=str(began), ended=str(ended)))
    deadline = time.monotonic() + PATIENCE
    while not began.exists():
        assert time.monotonic() < deadline, "the cell that keeps the kernel busy did not begin"
        page.wait_for_timeout(50)
    yield
    assert began.exists(), "the kernel was not kept busy for so long"
    ended.touch()


def wait_for_kernel(page, seconds=PATIENCE):
    """Until the kernel of the open notebook is connected and idle, by its own word: the status bar lies."""
    poll(page, KERNEL, "connected idle", seconds)


def poll(page, script, expected, seconds=PATIENCE):
    """Until `script` gives `expected`, or what `expected` holds of; raises TimeoutError with what it gave last."""
    deadline = time.monotonic() + seconds
    if expected is True:  # the page looks by itself, which is cheaper
        with contextlib.suppress(PlaywrightTimeout):
            page.wait_for_function(f"() => ({script})() === true", polling=50, timeout=1000 * seconds)
            return True
    holds = expected if callable(expected) else lambda given: given == expected
    while not holds(given := page.evaluate(script)):
        if time.monotonic() > deadline:
            raise TimeoutError(f"after {seconds} s the page gave {given!r}, not {expected!r}")
        page.wait_for_timeout(50)
    return given


def at_least(**wanted):
    """For `poll`: whether an object has these values, whatever else is in it."""
    return lambda given: given.items() >= wanted.items()


def boxes(page, *selectors):
    """Where the first of each stands, in one look: between two of Playwright it may be drawn anew."""
    look = "all => all.map((one) => document.querySelector(one).getBoundingClientRect().toJSON())"
    return page.evaluate(look, selectors)


def reload(page, seen):
    """Save the notebook and load its page again, until it shows the app.

    ipywidgets looks for a widget for two seconds, and once more when all are restored. On a slow machine it can miss
    one that is restored as those seconds end: it says so in the console, and the saved copy stands where the app would.
    Who sees that loads the page again.
    """
    page.evaluate("() => window.jupyterapp?.commands.execute('docmanager:save')")
    app = page.locator(".pe .pe-canvas")
    for _ in range(3):
        page.reload()
        poll(page, CANVASES, lambda canvases: canvases or any(map(is_lost, seen.console)))
        with contextlib.suppress(TimeoutError):  # it may come yet, when all are restored
            poll(page, CANVASES, bool, seconds=10)
        seen.console[:] = [line for line in seen.console if not is_lost(line)]
        if app.count():
            app.first.scroll_into_view_if_needed()  # what is out of sight may not be painted
            return
    raise RuntimeError("the page was loaded three times, and never showed the app")


def is_lost(line):
    """Return whether a line of the console says that a widget was not found."""
    return "widget model not found" in line


def rest(page):
    """Until the app has come to rest: what follows an action by an observer, a timer or an animation has happened."""
    page.evaluate(RESTED, PATIENCE)


def run_all(page):
    """Run every cell and wait for the last; raises RuntimeError with the text of a cell that failed."""
    page.evaluate("() => window.jupyterapp.commands.execute('notebook:run-all-cells')")
    wait_for_kernel(page)
    if texts := page.evaluate(FAILED):
        raise RuntimeError("\n".join(texts))


def set_theme(page, name):
    """Change the theme to "JupyterLab Light" or "JupyterLab Dark", and wait until the page has it."""
    change = "name => window.theme?.(name) ?? jupyterapp.commands.execute('apputils:change-theme', { theme: name })"
    page.evaluate(change, name)
    poll(page, "() => document.body.dataset.jpThemeName", name)


def portrait(page, name):
    """With EXPLORER_PICTURES=1 write tests/browser/screenshots/NAME.png of the app alone, as `make pictures` does."""
    page.set_viewport_size(WIDE)
    if not TAKES_PICTURES:
        return
    SCREENSHOTS.mkdir(exist_ok=True)
    page.set_viewport_size({"width": WIDE["width"], "height": 1500})
    page.mouse.move(2, 2)  # no tooltip
    app = page.locator(".pe-app").first
    app.evaluate("one => one.scrollIntoView({ block: 'start' })")
    rest(page)
    box = app.bounding_box()
    page.screenshot(path=SCREENSHOTS / f"{name}.png", clip=box | {"height": min(box["height"], 1060)})
    page.set_viewport_size(WIDE)
    rest(page)
