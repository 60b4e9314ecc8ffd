"""Detail and Source in a real JupyterLab: a click is always seen, at the sizes of laptops and projectors."""

from pathlib import Path

import pytest

from tests.browser.conftest import poll, screenshot
from tests.browser.test_explore import QUESTION, STORE, ask, marked

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "01_explore.ipynb"
SIZES = [(1280, 800), (1366, 768), (1440, 900), (1920, 1080), (900, 1000)]
TO_TOP = "() => document.querySelector('.pe-app').scrollIntoView({ block: 'start' })"
LIT = """() => {
    const within = (box, { left, top, right, bottom }) =>
        box.left >= left - 1 && box.top >= top - 1 && box.right <= right + 1 && box.bottom <= bottom + 1;
    const of = (selector) => document.querySelector(selector).getBoundingClientRect();
    const whole = new DOMRect(0, 0, innerWidth, innerHeight);
    const bounds = [of(".jp-WindowedPanel-outer"), of(".pe-source .pe-desk"), whole];
    const marks = [...document.querySelectorAll(".pe-source mark.mine")];
    const boxes = marks.flatMap((mark) => [...mark.getClientRects()]).filter(({ width }) => width > 0);
    const shown = (box) => {
        const at = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
        return bounds.every((one) => within(box, one)) && marks.some((mark) => mark.contains(at));
    };
    return boxes.length ? boxes.filter(shown).length / boxes.length : -1;
}"""
FACTS = f"""() => {{
    const {{ nodes, outOf }} = {STORE};
    const facts = [...nodes.values()].filter(({{ kind, unsourced }}) => kind === "EdgeSelection" && !unsourced);
    const read = new Map(facts.map(({{ id }}) => [outOf.get(id).find(({{ kind }}) => kind === "source").to, id]));
    return [...read.values()].slice(0, 3);
}}"""
WIDTHS = """() => ({
    app: Math.round(document.querySelector(".pe-run").getBoundingClientRect().width),
    type: document.querySelector(".pe-source .pe-paper.picture") ? "picture" : "text",
    narrow: document.querySelector(".pe-run").classList.contains("narrow"),
})"""


@pytest.fixture(scope="module")
def notebook(shared):
    page, seen = shared(NOTEBOOK)
    ask(page, QUESTION)
    return page, seen


def browse_files(page, *, open):
    side = "expandLeft" if open else "collapseLeft"
    page.evaluate(f"() => window.jupyterapp.shell.{side}()")


def click_fact(page, fact):
    """Click a node of the graph where it is painted; only what is out of the window is scrolled to first."""
    x, y = page.evaluate("id => document.querySelector('.pe').explorer.pointAt(id)", fact)
    if not 0 < y < page.viewport_size["height"] - 30:
        page.locator(".pe-canvas").scroll_into_view_if_needed()
        x, y = page.evaluate("id => document.querySelector('.pe').explorer.pointAt(id)", fact)
    page.mouse.click(x, y)
    poll(page, f"() => {STORE}.selected", fact)


@pytest.mark.parametrize("files", [False, True], ids=["alone", "beside the files"])
@pytest.mark.parametrize(("width", "height"), SIZES)
def test_after_a_click_on_a_fact_its_words_are_in_sight(app, width, height, files):
    app.set_viewport_size({"width": width, "height": height})
    browse_files(app, open=files)
    app.wait_for_timeout(400)
    for fact in app.evaluate(FACTS):
        app.evaluate("() => document.querySelector('.pe').explorer.clear()")
        app.evaluate(TO_TOP)
        click_fact(app, fact)
        assert marked(app)
        poll(app, LIT, 1, seconds=10)
        app.wait_for_timeout(300)
        assert app.evaluate(LIT) == 1, "and they stay there"
    screenshot(app, f"panes-{width}{'-files' if files else ''}")
    assert app.evaluate(WIDTHS)["narrow"] == (width == 900)
