"""Input that nobody wishes for: odd titles and questions, records with holes, windows of any size."""

from pathlib import Path

from playwright.sync_api import expect

from tests.browser.app import press_ask, until_ended, view
from tests.browser.conftest import RUN, poll, rest, run_new_cell
from tests.each import each

ROOT = Path(__file__).parents[2]
CELLS = (
    f"""\
import sys
sys.path.insert(0, {str(ROOT)!r})
import pathlib
from dataclasses import replace
import explorer
from explorer.record.trace import Trace
from tests.drawing.test_finishing import fact, search
from tests.strategies import passage
from tests.view.test_odd_records import HOLDS, TANK, Literal, Triple, kept

TITLES = {{"long": "A history of the oxygen tank and of all that held it. " * 6, "unbroken": "Tank" * 75,
          "arabic": "خزان الأكسجين في وحدة الخدمة", "hebrew": "מיכל החמצן של מודול השירות",
          "chinese": "服务舱氧气罐的历史与爆炸原因调查报告", "markup": "<img src=x onerror=window.hacked=1>"}}
folder = pathlib.Path("odd")
folder.mkdir(exist_ok=True)
for name, title in TITLES.items():
    told = f"# {{title}}\\n\\nBeech built the {{name}} valve. The {{name}} valve holds oxygen of the {{title}}.\\n"
    (folder / f"{{name}}.md").write_text(told, "utf-8")
(folder / "<img src=x onerror=window.hacked=2>.txt").write_text("Globe Industries made the fan motors.")
ws = explorer.open()
ws.ingest(folder, progress=False)

def circle():
    found = replace(passage("a", 1, 0, 9), part="urn:circle", document="urn:circle")
    one = fact(1)
    return search([one], [[one.iri]], sources={{one.iri: (found,)}})

RECORDS = {{
    "no question": lambda: kept(Triple(TANK, HOLDS, Literal(""))),
    "no fact": lambda: kept(None),
    "a circle of sources": circle,
}}
app = explorer.app(ws, pace=0)
app""",
)
ASKED = [  # what is asked or opened
    *(f"app.ask('Who built the {name} valve?')" for name in ("long", "unbroken", "hebrew", "markup")),
    "app.ask('Why did the tank fail, ' + 'very ' * 500 + '?')",
    *(f"app.open(Trace(RECORDS[{name!r}]()))" for name in ("no question", "no fact", "a circle of sources")),
]
LOST = """() => [...document.querySelectorAll(".pe")].flatMap((root) => {
    // what reaches beyond the app, or is cut where nothing scrolls to it and no tooltip or detail has it whole
    const { right } = root.getBoundingClientRect();
    const aside = ".pe-hear, .pe-sheet, .pe-paper, .pe-canvas, .pe-map, .pe-one-line, option, svg, svg *";
    const clips = (one) => getComputedStyle(one).overflowX;
    const scrolls = (one) => one !== root && (/auto|scroll/.test(clips(one)) || scrolls(one.parentElement));
    const isCut = (one) => clips(one) === "hidden" && one.scrollWidth > one.clientWidth + 1 && !one.closest("[title]");
    const isOut = (one) => one.getBoundingClientRect().right > right + 1 && !scrolls(one);
    const seen = [...root.querySelectorAll("*")].filter((one) => one.checkVisibility() && !one.closest(aside));
    const lost = seen.filter((one) => isOut(one) || isCut(one));
    return lost.map((one) => `${one.className}: ${one.textContent.slice(0, 60)}`);
})"""
SIDEWAYS = "() => document.scrollingElement.scrollWidth > innerWidth"
READ_EACH = """async () => {  // each node is looked at
    const { store, select } = document.querySelector(".pe").explorer;
    store.unfolds = true;
    for (const id of [...store.nodes.keys()]) {
        select(id);
        await new Promise(requestAnimationFrame);
        if (!document.querySelector(".pe-detail").innerText.trim()) return id;
    }
    return null;
}"""


def whole(page):
    """Nothing of the app is out of reach, and nothing was run that is text."""
    rest(page)
    assert page.evaluate(LOST) == []
    assert not page.evaluate(SIDEWAYS)
    assert page.evaluate("() => window.hacked") is None


@each("code", ASKED)
def test_odd_titles_questions_and_records_are_read_whole(showing, code):
    page = showing(code)
    assert page.evaluate(READ_EACH) is None
    expect(page.locator(".pe-trouble-line").filter(visible=True)).to_have_count(0)
    whole(page)


def test_documents_with_odd_titles_are_opened_and_read_whole(app):
    app.set_viewport_size({"width": 1280, "height": 800})
    app.get_by_role("tab", name="Documents").click()
    for title in ("TankTank", "A history", "<img src"):
        app.locator(".pe-documents .pe-runs").get_by_text(title).first.click()
        expect(app.locator(".pe-document-title")).to_contain_text(title)
        whole(app)


def test_two_views_of_a_run_grow_while_the_window_changes_and_all_is_in_reach_enlarged(app, stage):
    stage.cells = ("two views",)  # the next test has one of its own
    before = app.evaluate(RUN)
    run_new_cell(app, "app._live.pace = 0.1\napp")
    poll(app, "() => document.querySelectorAll('.pe .pe-canvas').length", 2)
    press_ask(app, "Who built the long valve?")
    poll(app, f"() => ({RUN})() !== {before!r}", True)
    for width, height in ((640, 400), (1600, 1000), (420, 900)):
        app.set_viewport_size({"width": width, "height": height})
    until_ended(app)
    counts = "() => [...document.querySelectorAll('.pe')].map(({ dataset }) => [dataset.state, dataset.nodes])"
    [first, second] = app.evaluate(counts)
    assert first == second
    whole(app)  # in a window as narrow as a telephone
    app.set_viewport_size({"width": 640, "height": 400})  # as 1280 x 800 is at 200 %
    whole(app)
    app.locator(".pe-answer .pe-cite").nth(1).click()
    for detail in app.locator(".pe-detail h3").all():
        expect(detail).to_contain_text("Fact 1")
    view(app, "Audit")
    expect(app.locator(".pe-audit").first).to_be_visible()
    view(app, "Audit")
