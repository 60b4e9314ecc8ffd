"""What a class sees of a lesson: presented, stage by stage under one pointer, and in a page that was saved for home."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import poll, rest, screenshot, write_notebook
from tests.browser.test_explore import RECORD_LABELS, ask, click_label, heading, until_ended
from tests.browser.test_past import CELL, QUESTION, QUIZ, STORE, WAITING

SIZES = ((1280, 800), (1920, 1080))
# In pixels of the window: the letters of what is explained, and those that the graph is painted with.
LETTERS = """() => {
    const size = (one) => parseFloat(getComputedStyle(one).fontSize) * (one.currentCSSZoom ?? 1);
    const lesson = document.querySelector(".pe-lesson");
    const said = ".pe-lesson-words p:not(.pe-figures), .pe-quiz label > span, .pe-quizzed legend";
    const read = [...lesson.querySelectorAll(said)].filter((one) => one.checkVisibility());
    return [Math.min(...read.map(size)), Math.max(...window.painted)];
}"""
PAINTED = """() => {  // how large the letters are that any canvas paints from now on
    window.painted = [0];
    const { fillText } = CanvasRenderingContext2D.prototype;
    CanvasRenderingContext2D.prototype.fillText = function (...args) {
        const size = parseFloat(/([\\d.]+)px/.exec(this.font)[1]) * this.getTransform().a;
        window.painted.push(size / devicePixelRatio);
        return fillText.apply(this, args);
    };
}"""
APART = """() => {  // whether the lesson covers neither the graph nor the answer
    const of = (one) => document.querySelector(one).getBoundingClientRect();
    const lesson = of(".pe-lesson");
    return [".pe-canvas", ".pe-answer"].map(of).every((one) =>
        one.width === 0 || one.right <= lesson.left + 1 || one.top >= lesson.bottom - 1);
}"""
TIP = """() => {
    const tip = document.querySelector(".pe-canvas .vis-tooltip");
    return tip ? [getComputedStyle(tip).visibility, parseFloat(getComputedStyle(tip).fontSize)] : [];
}"""


@pytest.fixture(scope="module")
def notebook(shared, tmp_path_factory):
    return shared(write_notebook(tmp_path_factory.mktemp("lesson") / "lesson.ipynb", CELL), RECORD_LABELS)


def begin(page, width, height, *, presented=False):
    """Ask with Teach, and wait at the first stage; its button that leads on."""
    page.set_viewport_size({"width": width, "height": height})
    teach = page.locator(".pe-bar").get_by_role("button", name="Teach")
    if teach.get_attribute("aria-pressed") == "false":
        teach.click()
    if presented:
        page.get_by_role("button", name="Present", exact=True).click()
        page.locator(".pe.presents").wait_for()
    page.locator(".pe-question input").fill(QUESTION)
    page.get_by_role("button", name="Ask", exact=True).click()
    poll(page, f"() => !{STORE}.frames && {WAITING[6:]}", True)
    rest(page)
    return page.locator(".pe-lesson-ways .go").first


def over(page):
    """Go on to the end, and leave all as it was."""
    go = page.locator(".pe-lesson-ways .go").first
    while poll(page, f"() => {STORE}.waiting || {STORE}.state !== 'running' ? {STORE}.state : ''", bool) == "running":
        seq = page.evaluate(f"() => {STORE}.seq")
        go.click()
        poll(page, f"() => {STORE}.seq > {seq}", True)
    until_ended(page)
    if page.locator(".pe.presents").count():
        page.keyboard.press("Escape")
        page.locator(".pe.presents").wait_for(state="detached")
    page.locator(".pe-bar").get_by_role("button", name="Teach").click()


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_presented_what_is_explained_and_asked_has_the_largest_letters_beside_the_graph(app, width, height):
    app.evaluate(PAINTED)
    begin(app, width, height, presented=True)
    for number in range(6):
        rest(app)
        least, painted = app.evaluate(LETTERS)
        assert least > painted > 10
        assert app.evaluate(APART)
        lesson, main = (app.locator(one).bounding_box() for one in (".pe-lesson", ".pe-run"))
        assert lesson["width"] * lesson["height"] > 0.3 * main["width"] * main["height"], "the room is used"
        screenshot(app, f"lesson-present-{width}-{number}")
        if app.get_by_role("group", name=QUIZ).is_visible():
            app.get_by_role("button", name="Compare with the run").click(timeout=3000)
            expect(app.get_by_role("group", name=QUIZ).get_by_role("status")).to_be_in_viewport(ratio=1)
        if number == 4:  # what was kept: what is clicked stands where the lesson was, and its ways on stay
            ways = app.locator(".pe-lesson-ways .go").first.bounding_box()
            app.evaluate(
                f"() => document.querySelector('.pe').explorer.select([...{STORE}.nodes.values()]"
                ".find(({ kind }) => kind === 'EdgeSelection').id)"
            )
            expect(heading(app)).to_have_text(re.compile("^Fact 1 of"))
            rest(app)
            assert app.locator(".pe-lesson-ways .go").first.bounding_box() == ways
            expect(app.locator(".pe-source .pe-desk")).to_be_in_viewport()
            screenshot(app, f"lesson-present-{width}-fact")
        if number < 5:
            seq = app.evaluate(f"() => {STORE}.seq")
            app.keyboard.press("ArrowRight" if number != 4 else "PageDown")
            poll(app, f"() => {STORE}.seq > {seq} && {STORE}.waiting && !{STORE}.selected", True)
    over(app)


def test_presented_the_arrow_keys_lead_on_and_back(app):
    on = begin(app, 1280, 800, presented=True)
    back = app.locator(".pe-lesson-ways").get_by_role("button", name="Back")
    assert on.get_attribute("title").endswith("(→)")
    assert back.get_attribute("title").endswith("(←)")
    told = f"() => {STORE}.teaching.word"
    app.keyboard.press("ArrowRight")
    poll(app, told, "Key ideas")
    app.keyboard.press("ArrowLeft")
    poll(app, told, "Question")
    app.keyboard.press("ArrowRight")
    poll(app, told, "Key ideas")
    field = app.locator(".pe-question input")
    field.focus()
    app.keyboard.press("ArrowLeft")
    assert app.evaluate(told) == "Key ideas", "in a text they move in the text"
    on.focus()
    over(app)
    assert "→" not in on.get_attribute("title"), "elsewhere the keys are the notebook's"


def test_pressed_on_and_on_the_button_stays_under_the_pointer(app):
    on = begin(app, 1280, 800)
    place = on.bounding_box()
    x, y = place["x"] + place["width"] / 2, place["y"] + place["height"] / 2
    for _ in range(5):
        seq = app.evaluate(f"() => {STORE}.seq")
        app.mouse.click(x, y)
        poll(app, f"() => {STORE}.seq > {seq} && {WAITING[6:]}", True)
        rest(app)
        now = on.bounding_box()
        assert (now["x"], now["y"]) == (place["x"], place["y"])
        assert app.evaluate(APART) or app.get_by_role("group", name=QUIZ).is_visible()
    expect(on).to_have_text("Finish")
    screenshot(app, "lesson-under-one-pointer")
    over(app)


def test_presented_hover_text_is_as_large_and_goes_with_a_click(app):
    app.set_viewport_size({"width": 1280, "height": 800})
    ask(app, QUESTION)
    app.get_by_role("button", name="Present", exact=True).click()
    app.locator(".pe.presents").wait_for()
    rest(app)
    cited = f"{STORE}.answer.runs[0].cites[0].node"
    x, y = app.evaluate(f"() => document.querySelector('.pe').explorer.pointAt({cited})")
    app.mouse.move(x + 3, y + 3)
    poll(app, TIP, ["visible", 18])
    app.mouse.click(x + 3, y + 3)
    rest(app)
    assert app.evaluate(TIP)[0] == "hidden"
    app.wait_for_timeout(600)  # longer than it takes to come
    assert app.evaluate(TIP)[0] == "hidden"
    app.keyboard.press("Escape")
    app.keyboard.press("Escape")
    app.locator(".pe.presents").wait_for(state="detached")


def test_what_mattered_comes_into_sight_and_figures_are_folded(app):
    app.set_viewport_size({"width": 1280, "height": 800})
    ask(app, QUESTION)
    app.get_by_role("button", name="What mattered for the answer?").click()
    detail = app.locator(".pe-detail")
    detail.get_by_role("button", name="Facts").click()
    poll(app, f"() => {STORE}.mattered[0]?.state", "done")
    rest(app)
    for line in detail.locator(".pe-matter > li").all()[:2]:
        expect(line).to_be_in_viewport(ratio=1)
    screenshot(app, "mattered-in-sight")
    click_label(app, "★ Answer")
    support = detail.locator(".pe-rows").first.locator(".pe-value").first
    expect(support).not_to_have_text(re.compile(r"\d\.\d\d"), use_inner_text=True)
    expect(detail.get_by_text("which makes a support of")).to_be_hidden()
    detail.get_by_text("In numbers").click()
    expect(detail.get_by_text("which makes a support of")).to_be_visible()
