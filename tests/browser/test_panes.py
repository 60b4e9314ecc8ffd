"""Where things stand in a real JupyterLab, at the sizes of laptops and projectors: a click is always seen."""

import pytest
from playwright.sync_api import expect

from tests.browser.app import (
    FOLDS,
    QUESTION,
    SIDEWAYS,
    STORE,
    TWOFOLD,
    UNCOVERED,
    ask,
    each_size,
    let_go,
    marked,
    point_at,
    present,
    view,
)
from tests.browser.axe import complaints
from tests.browser.conftest import at_least, boxes, poll, rest
from tests.each import each

CELLS = (
    "import explorer\nws = explorer.demo()\nws",
    f"trace = ws.run({QUESTION!r})\ntrace",
    "app = explorer.app(ws, pace=0.02)\napp",
)
SHORT = "Who chaired the Apollo 13 Review Board?"
LIT = """() => {  // how much of what is marked is seen, -1 if nothing is marked
    const within = (box, { left, top, right, bottom }) =>
        box.left >= left - 1 && box.top >= top - 1 && box.right <= right + 1 && box.bottom <= bottom + 1;
    const of = (selector) => document.querySelector(selector).getBoundingClientRect();
    const whole = new DOMRect(0, 0, innerWidth, innerHeight);
    const presents = document.querySelector(".pe.presents");
    const bounds = [presents ? whole : of(".jp-WindowedPanel-outer"), of(".pe-source .pe-desk"), whole];
    const marks = [...document.querySelectorAll(".pe-source mark.mine")];
    const boxes = marks.flatMap((mark) => [...mark.getClientRects()]).filter(({ width }) => width > 0);
    const shown = (box) => {
        const at = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
        return bounds.every((one) => within(box, one)) && marks.some((mark) => mark.contains(at));
    };
    return boxes.length ? boxes.filter(shown).length / boxes.length : -1;
}"""
FACTS = f"""() => {{  // facts of up to three passages
    const {{ nodes, outOf }} = {STORE};
    const facts = [...nodes.values()].filter(({{ kind, unsourced }}) => kind === "EdgeSelection" && !unsourced);
    const read = new Map(facts.map(({{ id }}) => [outOf.get(id).find(({{ kind }}) => kind === "source").to, id]));
    return [...read.values()].slice(0, 3);
}}"""
TO_TOP = "() => document.querySelector('.pe-app').scrollIntoView({ block: 'start' })"
SCROLLED = "() => document.querySelector('.jp-WindowedPanel-outer').scrollTop"
# A node of one line of the smallest type: how high it is on the screen tells the scale of the graph.
SMALLEST_TEXT = """() => {
    const { store, outline } = document.querySelector(".pe").explorer;
    const { id, h } = [...store.nodes.values()].find(({ kind }) => kind === "Concept");
    const { top, bottom } = outline(id);
    return Math.round((1200 * (bottom - top)) / h) / 100;
}"""
PANE = """() => {
    const pane = document.querySelector(".pe-pane");
    return {
        open: !pane.hidden, role: pane.getAttribute("role"), label: pane.getAttribute("aria-label"),
        focus: pane.contains(document.activeElement),
        selected: document.querySelector(".pe").explorer.store.selected !== null,
        presents: document.querySelector(".pe").classList.contains("presents"),
    };
}"""
SELECTED = """() => {  // whether what is selected is in sight, whole, with nothing over it
    const { store, outline } = document.querySelector(".pe").explorer;
    const { left, right, top, bottom } = outline(store.selected);
    const canvas = document.querySelector(".pe-canvas"), of = canvas.getBoundingClientRect();
    const inside = left >= 0 && top >= 0 && right <= of.width + 1 && bottom <= of.height + 1;
    const corners = [[left + 3, top + 3], [right - 3, bottom - 3]].map(([x, y]) => [of.left + x, of.top + y]);
    return inside && corners.every((at) => canvas.contains(document.elementFromPoint(...at)));
}"""
ENDS_IN_SIGHT = """() => {  // by how many pixels question and answer are out of what one sees of the canvas
    const { store, outline } = document.querySelector(".pe").explorer;
    const { top, bottom } = document.querySelector(".pe-graph .pe-canvas").getBoundingClientRect();
    const sees = document.querySelector(".jp-WindowedPanel-outer").getBoundingClientRect();
    const [high, low] = [Math.max(top, sees.top), Math.min(bottom, sees.bottom)];
    return ["Question", "Synthesis"].map((kind) => {
        const box = outline([...store.nodes.values()].find((node) => node.kind === kind).id);
        return Math.ceil(Math.max(0, high - top - box.top - 1, top + box.bottom - 1 - low));
    });
}"""
FITS = """() => {  // of the answer what overlaps or is cut
    const head = document.querySelector(".pe-outcome"), body = document.querySelector(".pe-answer .pe-body");
    const { left, right } = head.getBoundingClientRect(), { bottom } = body.getBoundingClientRect();
    const boxes = [...head.children].map((one) => one.getBoundingClientRect());
    const text = [...body.querySelectorAll(".pe-sentence, .pe-asked")].flatMap((one) => [...one.getClientRects()]);
    const isApart = (one, next) => one.right <= next.left + 1 || one.bottom <= next.top + 1; // or in the next row
    return {
        within: boxes.every((box) => box.width > 0 && box.left >= left && box.right <= right + 1),
        apart: boxes.every((box, at) => at === 0 || isApart(boxes[at - 1], box)),
        halved: text.filter((box) => box.top < bottom - 1 && box.bottom > bottom + 3).length,
    };
}"""
NAMED = """() => {  // passages that name their document neither in their line nor in a box beside them
    const { here, drawn } = document.querySelector(".pe").explorer;
    if (here().some(({ kind }) => kind === "Document")) return [];
    const passages = here().filter(({ kind }) => kind === "Passage");
    return passages.map(({ id }) => drawn(id).label).filter((label) => !/<i>(p\\. \\d+ · )?\\w/.test(label));
}"""
LATE = """() => {
    const { store } = document.querySelector(".pe").explorer;
    const send = store.send;
    store.sources.clear();
    store.send = (message) => message.t === "source?" ? (window.held = () => send(message)) : send(message);
    window.release = () => { store.send = send; window.held(); };
}"""


def browse_files(page, *, open):
    side = "expandLeft" if open else "collapseLeft"
    page.evaluate(f"() => window.jupyterapp.shell.{side}()")
    rest(page)


def click_fact(page, fact):
    """Click a node of the graph where it is painted; only what is out of the window is scrolled to first."""
    x, y = point_at(page, fact)
    if not 0 < y < page.viewport_size["height"] - 30:
        page.locator(".pe-canvas").scroll_into_view_if_needed()
        x, y = point_at(page, fact)
    page.mouse.click(x, y)
    poll(page, f"() => {STORE}.selected", fact)


@pytest.mark.notebook
@each(("size", "files"), [((900, 1000), False), ((1280, 800), True), ((1920, 1080), False)])
def test_asking_brings_question_and_answer_into_sight(app, size, files):
    browse_files(app, open=files)
    [*each_size(app, size)]
    app.evaluate("() => document.querySelector('.jp-Cell').scrollIntoView({ block: 'start' })")
    rest(app)
    ask(app, SHORT)
    poll(app, ENDS_IN_SIGHT, [0, 0])
    rest(app)
    assert app.evaluate(ENDS_IN_SIGHT) == [0, 0], "and they stay there"
    tab, question, press = (
        *(app.get_by_role("tab", name="Past runs"), app.locator(".pe-question input")),
        app.get_by_role("button", name="Ask", exact=True),
    )
    for part in (tab, question, press, *app.locator(".pe-outcome .pe-badge").all()):
        assert part.evaluate(UNCOVERED)
    assert app.evaluate(SMALLEST_TEXT) >= 11


@pytest.mark.notebook
@each(("size", "files"), [((900, 1000), False), ((1280, 800), True), ((1920, 1080), False)])
def test_after_a_click_on_a_fact_or_a_number_its_words_are_in_sight(app, size, files):
    ask(app, FOLDS)
    browse_files(app, open=files)
    [*each_size(app, size)]
    for fact in app.evaluate(FACTS):
        let_go(app)
        app.evaluate(TO_TOP)
        click_fact(app, fact)
        assert marked(app)
        poll(app, LIT, 1)
        rest(app)
        assert app.evaluate(LIT) == 1, "and they stay there"
    if size[0] == 900:
        return
    app.evaluate(TO_TOP)
    ask(app, f"{QUESTION[:-1]}, and what voltage were the thermostatic switches rated for?")
    for number in app.locator(".pe-answer .pe-cite").all():
        let_go(app)
        rest(app)
        before = app.evaluate(SCROLLED)
        number.click()
        assert marked(app)
        poll(app, LIT, 1)
        rest(app)
        assert app.evaluate(SCROLLED) == before, "nothing of the page moves: they are in sight without"


@each("size", [(900, 1000), (1280, 800), (1920, 1080)])
def test_presented_all_is_larger_and_a_click_leads_to_the_words(app, size):
    width, height = size
    [*each_size(app, size)]
    ask(app, FOLDS)
    answer = app.locator(".pe-answer .pe-sentence").first
    type_at = "one => parseFloat(getComputedStyle(one).fontSize) * (one.currentCSSZoom ?? 1)"
    before = answer.evaluate(type_at)
    present(app)
    assert answer.evaluate(type_at) >= 1.5 * before, "the answer is as large as a lesson beside it"
    [whole] = boxes(app, ".pe.presents")
    assert (whole["x"], whole["y"], whole["width"], whole["height"]) == (0, 0, width, height)
    assert not app.evaluate(SIDEWAYS)
    fact = app.evaluate(FACTS)[-1]
    app.mouse.click(*point_at(app, fact))
    poll(app, f"() => {STORE}.selected", fact)
    poll(app, PANE, at_least(open=True, presents=True))
    assert marked(app)
    poll(app, LIT, 1)
    rest(app)
    assert app.evaluate(SELECTED)
    assert app.evaluate(SMALLEST_TEXT) >= 11
    app.get_by_role("button", name="Enlarge").click()
    enlarged = app.get_by_role("dialog", name="Source, enlarged")
    enlarged.wait_for()
    assert complaints(app) == []
    app.keyboard.press("Escape")
    enlarged.wait_for(state="hidden")
    poll(app, PANE, at_least(open=True, presents=True))
    if width == 900:
        app.keyboard.press("Escape")
        poll(app, PANE, at_least(open=False, presents=True))
    app.keyboard.press("Escape")
    poll(app, PANE, at_least(presents=False))


def test_at_any_width_the_answer_and_its_passages_are_read_whole(app):
    ask(app, FOLDS)
    for _ in each_size(app, (900, 900), (2200, 1000)):
        assert app.evaluate(FITS) == {"within": True, "apart": True, "halved": 0}
        assert app.evaluate(NAMED) == []
    asked, field = app.locator(".pe-answer .pe-asked"), app.locator(".pe-question input")
    expect(asked).to_have_count(0)
    field.fill("Another question?")
    field.blur()
    expect(asked).to_have_text(FOLDS)
    field.fill(FOLDS)
    field.blur()
    asked.wait_for(state="detached")


@pytest.mark.notebook
def test_an_answer_that_is_longer_than_its_room_says_that_it_goes_on_and_leads_there(app):
    ask(app, f"{QUESTION[:-1]}, what voltage were the switches rated for, and which company made the oxygen tanks?")
    body, more = app.locator(".pe-answer .pe-body"), app.get_by_role("button", name="more ↓")
    end = body.locator(".pe-sentence").last
    expect(more).to_be_hidden()
    expect(end).to_be_in_viewport(ratio=1)
    app.set_viewport_size({"width": 1280, "height": 800})
    browse_files(app, open=True)
    more.wait_for()
    more.click()
    expect(more).to_be_hidden()
    rest(app)
    low = body.evaluate("one => one.getBoundingClientRect().bottom")
    assert end.evaluate("one => one.getBoundingClientRect().bottom") <= low + 1


def test_a_drawer_opens_with_a_click_and_escape_closes_it(app):
    ask(app, QUESTION)
    [*each_size(app, (900, 1000))]
    let_go(app)
    app.locator(".pe-run.narrow").wait_for()
    shut = {"open": False, "role": "dialog", "label": "Detail and source", "focus": False}
    poll(app, PANE, at_least(**shut, selected=False))
    app.locator(".pe-answer .pe-cite").first.click()
    poll(app, PANE, at_least(open=True, focus=False, selected=True))
    app.locator(".pe-detail .pe-crumbs").wait_for()
    graph, pane = boxes(app, ".pe-graph", ".pe-pane")
    assert (pane["x"], pane["width"]) == (graph["x"], graph["width"])
    assert pane["y"] >= graph["y"] + graph["height"] - 1, "below the graph, of which it covers nothing"
    assert complaints(app) == []
    app.keyboard.press("Escape")
    poll(app, PANE, at_least(**shut, selected=True))  # what is selected stays lit
    opener = app.locator(".pe-run").get_by_role("button", name="Source", exact=True)
    opener.click()
    poll(app, PANE, at_least(open=True, focus=True))
    app.keyboard.press("Escape")
    expect(opener).to_be_focused()
    let_go(app)
    app.locator(".pe-canvas").focus()
    app.keyboard.press("Home")
    poll(app, PANE, at_least(open=True, focus=False))  # arrows go on in the graph
    expect(app.locator(".pe-source mark"), "the Question rests on no page").to_have_count(0)
    app.keyboard.press("Enter")
    poll(app, PANE, at_least(focus=True))
    app.keyboard.press("Escape")
    expect(app.locator(".pe-canvas")).to_be_focused()
    app.evaluate(LATE)
    app.locator(".pe-answer .pe-cite").first.click()
    poll(app, PANE, at_least(open=True, selected=True))
    app.keyboard.press("Escape")
    app.evaluate("() => window.release()")
    poll(app, f"() => {STORE}.sources.size > 0", True)
    rest(app)
    assert app.evaluate(PANE)["open"] is False, "the page that arrives does not open it"
    opener.click()
    app.locator(".pe-source mark").first.wait_for()


def test_beside_an_open_drawer_what_is_selected_and_what_one_needs_for_it_are_in_reach(app):
    ask(app, TWOFOLD)
    [*each_size(app, (900, 1000))]
    app.evaluate(TO_TOP)
    view(app, "Audit")
    for number in app.locator(".pe-answer .pe-cite").all():
        let_go(app)
        rest(app)
        number.click()
        poll(app, PANE, at_least(open=True))
        rest(app)
        assert app.evaluate(SELECTED)
        assert app.get_by_role("button", name="Save, find").evaluate(UNCOVERED)
    view(app, "Audit")
