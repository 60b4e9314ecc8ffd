"""What a class sees of a lesson: presented, stage by stage under one pointer, and in a page that was saved for home."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import poll, rest, screenshot, write_notebook
from tests.browser.test_explore import RECORD_LABELS, ask, click_label, heading, press_ask, until_ended
from tests.browser.test_past import CELL, QUESTION, QUIZ, STORE, WAITING

LONG = "Why could oxygen tank no. 2 not be emptied normally before the launch?"  # its answer has three sentences
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
READ_ON = """() => {  // whether the answer has gone on by what was in sight of it, but for a line
    const body = document.querySelector(".pe-answer .pe-body");
    return body.scrollTop + 1 >= body.clientHeight - parseFloat(getComputedStyle(body).lineHeight);
}"""
TIP = """() => {
    const tip = document.querySelector(".pe-canvas .vis-tooltip");
    return tip ? [getComputedStyle(tip).visibility, parseFloat(getComputedStyle(tip).fontSize)] : [];
}"""


@pytest.fixture(scope="module")
def notebook(shared, tmp_path_factory):
    return shared(write_notebook(tmp_path_factory.mktemp("lesson") / "lesson.ipynb", CELL), RECORD_LABELS)


def begin(page, width, height, *, presented=False, question=QUESTION):
    """Ask with Teach, and wait at the first stage; its button that leads on."""
    page.set_viewport_size({"width": width, "height": height})
    teach = page.locator(".pe-bar").get_by_role("button", name="Teach")
    if teach.get_attribute("aria-pressed") == "false":
        teach.click()
    if presented:
        page.get_by_role("button", name="Present", exact=True).click()
        page.locator(".pe.presents").wait_for()
    page.locator(".pe-question input").fill(question)
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


COMPARED = """() => {  // how many verdicts of a quiz one does not see whole, and whether a shade says so
    const [box, foot] = [".pe-asked-first", ".pe-quiz-foot"].map((one) => document.querySelector(one));
    const low = Math.min(box.getBoundingClientRect().bottom, foot.getBoundingClientRect().top);
    const told = [...box.querySelectorAll("li")].map((one) => one.getBoundingClientRect().bottom);
    return [told.filter((bottom) => bottom > low + 1).length, Boolean(box.querySelector(".pe-more-below"))];
}"""
WORDED = """() => {  // in pixels of the window: the letters of the answer, and those of what is explained
    const size = (one) => {
        const found = document.querySelector(one);
        return parseFloat(getComputedStyle(found).fontSize) * (found.currentCSSZoom ?? 1);
    };
    return [".pe-answer .pe-body", ".pe-lesson-words"].map(size);
}"""
PASSED = """() => {  // what is said from now on while nothing waits for who teaches
    const root = document.querySelector(".pe"), words = root.querySelector(".pe-lesson-words");
    window.passed = [];
    const look = () => {
        if (!root.explorer.store.waiting) window.passed.push(words.innerText);
    };
    new MutationObserver(look).observe(words, { subtree: true, childList: true, characterData: true });
}"""
TAUGHT = """() => {  // whether the boxes of the question and of what is explained are seen whole
    const { outline, taught, store } = document.querySelector(".pe").explorer;
    const { top, height } = document.querySelector(".pe-canvas").getBoundingClientRect();
    const covered = document.querySelector(".pe-lesson").getBoundingClientRect().bottom - top;
    const asked = [...store.nodes.values()].find(({ kind }) => kind === "Question").id;
    const sees = (id) => outline(id).top >= Math.max(0, covered) - 1 && outline(id).bottom <= height + 1;
    return [sees(asked), sees(taught())];
}"""
STAGES = """() => {  // whether they are no higher than a line needs, and whether each word is seen whole
    const { height } = document.querySelector(".pe-stages").getBoundingClientRect();
    const isWhole = (one) => {
        const [word, chip] = [one, one.closest(".pe-stage")].map((part) => part.getBoundingClientRect());
        return word.height < 40 && word.right <= chip.right;
    };
    return [height < 70, [...document.querySelectorAll(".pe-stage b")].every(isWhole)];
}"""
COVERED = """() => {  // whether an explained word's tip that is open lies over a way on
    const tip = [...document.querySelectorAll(".pe-gloss-tip")].find((one) => one.matches(":popover-open"));
    const a = tip.getBoundingClientRect();
    const ways = [...document.querySelectorAll(".pe-lesson-ways button")].filter((one) => one.checkVisibility());
    return ways.some((one) => {
        const b = one.getBoundingClientRect();
        return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
    });
}"""


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_presented_what_is_explained_and_asked_has_the_largest_letters_beside_the_graph(app, width, height):
    app.evaluate(PAINTED)
    begin(app, width, height, presented=True)
    for number in range(6):
        rest(app)
        least, painted = app.evaluate(LETTERS)
        assert least > painted > 10
        assert app.evaluate(APART)
        assert app.evaluate(STAGES) == [True, True], "the stages have one low row, with each plain word whole"
        lesson, main = (app.locator(one).bounding_box() for one in (".pe-lesson", ".pe-run"))
        assert lesson["width"] * lesson["height"] > 0.3 * main["width"] * main["height"], "the room is used"
        screenshot(app, f"lesson-present-{width}-{number}")
        if app.get_by_role("group", name=QUIZ).is_visible():
            app.get_by_role("button", name="Compare with the run").click(timeout=3000)
            rest(app)
            expect(app.get_by_role("group", name=QUIZ).get_by_role("status")).to_be_in_viewport(ratio=1)
            screenshot(app, f"lesson-present-{width}-compared")
            hidden, shaded = app.evaluate(COMPARED)
            assert not hidden or shaded, "what does not fit shows that it scrolls"
            assert not hidden or width < 1900, "with room for it each verdict is seen"
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
    for key, word in (("ArrowRight", "Key ideas"), ("ArrowLeft", "Question"), ("ArrowRight", "Key ideas")):
        app.keyboard.press(key)
        poll(app, told, word)
        poll(app, WAITING, True)
        rest(app)
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


def test_played_again_a_stage_is_explained_with_all_that_it_kept_and_facts_come_step_by_step(app):
    app.set_viewport_size({"width": 1280, "height": 800})
    ask(app, "Who chaired the Apollo 13 Review Board, and who appointed it?")
    app.locator(".pe-bar").get_by_role("button", name="Teach").click()
    lesson = app.locator(".pe-lesson")
    app.evaluate(PASSED)
    lesson.get_by_role("button", name="Play again").click()
    kept = f"() => [...{STORE}.nodes.values()].filter(({{ kind }}) => kind === 'EdgeSelection').length"
    for _ in range(10):
        poll(app, f"() => Boolean({STORE}.frames) && {WAITING[6:]}", True)
        if app.evaluate(f"() => {STORE}.teaching.word") == "Kept" and not app.evaluate(f"() => {STORE}.quiz"):
            break
        at = app.evaluate(f"() => [{STORE}.at, Boolean({STORE}.quiz)].join()")
        lesson.locator(".pe-lesson-ways .go").first.click()
        poll(app, f"() => [{STORE}.at, Boolean({STORE}.quiz)].join() !== {at!r} && {WAITING[6:]}", True)
    facts = app.evaluate(kept)
    assert facts > 2, "all that was kept is there"
    words = lesson.locator(".pe-lesson-words")
    expect(words).to_contain_text("comes out the same each time: what is quoted, and", use_inner_text=True)
    expect(words).not_to_contain_text("score", use_inner_text=True)  # which facts have not, without a model
    assert not [one for one in app.evaluate("() => window.passed") if one.startswith("Fact")]
    for number in (1, 2, 3):
        lesson.get_by_role("button", name="Next step").click()
        said = re.compile(rf"^Fact {number} of {facts}.*Why\?", re.DOTALL)
        expect(words).to_have_text(said, use_inner_text=True)
        app.wait_for_timeout(1200)  # longer than a step stays where a run is played
        expect(words).to_have_text(said, use_inner_text=True)
    screenshot(app, "lesson-fact-by-fact")
    back = lesson.get_by_role("button", name="Back")
    for _ in range(6):
        if app.evaluate(f"() => {STORE}.teaching.word") == "Key ideas":
            break
        told = app.evaluate("() => document.querySelector('.pe-lesson-words').innerText")
        back.click()
        poll(app, f"() => document.querySelector('.pe-lesson-words').innerText !== {told!r}", True)
    rest(app)
    assert app.evaluate(TAUGHT) == [True, True], "what is explained, with what led to it"
    screenshot(app, "lesson-back")
    app.locator(".pe-bar").get_by_role("button", name="Teach").click()


@pytest.mark.parametrize(("width", "height", "presented"), [(1280, 800, False), (1280, 800, True), (1920, 1080, True)])
def test_what_explains_a_word_leaves_the_ways_on_free(app, width, height, presented):
    begin(app, width, height, presented=presented)
    seq = app.evaluate(f"() => {STORE}.seq")
    app.locator(".pe-lesson-ways .go").first.click()
    poll(app, f"() => {STORE}.seq > {seq} && {WAITING[6:]}", True)
    rest(app)
    terms = app.locator(".pe-lesson-words .pe-glossed")
    for term in terms.all():
        term.hover()
        app.locator(".pe-gloss-tip:popover-open").wait_for()
        assert not app.evaluate(COVERED), term.inner_text()
        app.mouse.move(5, height - 5)
    screenshot(app, f"lesson-word-{width}-{presented}")
    over(app)


def to_the_answer(page, on):
    for _ in range(6):
        if page.evaluate(f"() => {STORE}.teaching?.word") == "Answer":
            break
        seq = page.evaluate(f"() => {STORE}.seq")
        on.click()
        poll(page, f"() => {STORE}.seq > {seq} && {WAITING[6:]}", True)
    rest(page)


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_presented_the_answer_is_as_large_as_what_is_explained_of_it(app, width, height):
    to_the_answer(app, begin(app, width, height, presented=True))
    answer, explained = app.evaluate(WORDED)
    assert answer >= explained
    screenshot(app, f"lesson-answer-{width}")
    over(app)


def test_presented_an_answer_that_was_out_of_sight_until_it_was_written_says_that_it_goes_on(app):
    on = begin(app, 1280, 800, presented=True, question=LONG)
    to_the_answer(app, on)
    goes_on = app.get_by_role("button", name="more ↓")
    expect(goes_on).to_be_visible()
    goes_on.click()
    poll(app, READ_ON, True)
    expect(goes_on).to_be_visible()
    goes_on.click()
    expect(goes_on).to_be_hidden()
    expect(app.locator(".pe-answer .pe-sentence").last).to_be_in_viewport()
    over(app)


def test_a_mark_says_under_the_mouse_what_is_counted_and_who_judged(app):
    app.set_viewport_size({"width": 1280, "height": 800})
    ask(app, QUESTION)
    marks = app.locator(".pe-answer .pe-badge")
    tip = app.locator(".pe-answer .pe-gloss-tip:popover-open")
    for mark, words in ((marks.first, "This program counted it"), (marks.nth(1), "not a person")):
        mark.hover()
        expect(tip).to_contain_text(words)
        app.mouse.move(5, 5)
        expect(tip).to_have_count(0)
        mark.focus()
        expect(tip).to_contain_text(words)
        mark.evaluate("one => one.blur()")
        expect(tip).to_have_count(0)


def test_presented_a_past_run_leads_back_to_the_question(app):
    app.set_viewport_size({"width": 1280, "height": 800})
    ask(app, QUESTION)
    app.get_by_role("tab", name="Past runs").click()
    replay = app.locator(".pe-replay")
    replay.get_by_role("button", name="Present", exact=True).click()
    app.locator(".pe.presents").wait_for()
    rest(app)
    screenshot(app, "present-past-ways")
    replay.get_by_role("button", name="‹ Ask").click()
    poll(app, f"() => {STORE}.mode", "ask")
    expect(app.locator(".pe.presents .pe-question input")).to_be_visible()
    ways = app.get_by_role("button", name="Past runs", exact=True).filter(visible=True)
    for width, height in ((1280, 800), (900, 1000), (1920, 1080)):
        app.set_viewport_size({"width": width, "height": height})
        rest(app)
        how = app.locator(":is(.pe-how, .pe-presented) select").filter(visible=True)
        if width < 1920:
            expect(how).to_have_count(0)
            app.locator(".pe-gear").click()
        expect(how).to_have_value("Graph search")
        how.select_option("Passage search")
        poll(app, f"() => {STORE}.bar.how", "Passage search")
        how.select_option("Graph search")
        poll(app, f"() => {STORE}.bar.how", "Graph search")
        expect(ways).to_have_count(1)
        expect(ways).to_be_in_viewport(ratio=1)
        screenshot(app, f"present-ways-{width}")
        ways.click()
        app.locator(".pe.presents .pe-runs:not(.pe-shelf) li.pe-top").first.wait_for()
        app.get_by_role("button", name="‹ Ask").filter(visible=True).click()
        poll(app, f"() => {STORE}.mode", "ask")
        if app.locator(".pe-settings").is_visible():
            app.locator(".pe-gear").click()
    app.keyboard.press("Escape")
    app.locator(".pe.presents").wait_for(state="detached")
    expect(app.get_by_role("button", name="‹ Ask").filter(visible=True)).to_have_count(0)


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
    expect(detail.locator(".pe-mattered [role=status]")).to_be_in_viewport(ratio=1)
    screenshot(app, "mattered-in-sight")
    tested = detail.get_by_text("A fact is left out together with")
    expect(tested, "what was found comes first").to_be_hidden()
    detail.get_by_text("More", exact=True).click()
    expect(tested).to_be_visible()
    click_label(app, "★ Answer")
    support = detail.locator(".pe-rows").first.locator(".pe-value").first
    expect(support).not_to_have_text(re.compile(r"\d\.\d\d"), use_inner_text=True)
    expect(detail.get_by_text("which makes a support of")).to_be_hidden()
    detail.get_by_text("In numbers").click()
    expect(detail.get_by_text("which makes a support of")).to_be_visible()
    app.locator(".pe-answer").evaluate("one => one.scrollIntoView({ block: 'start', behavior: 'instant' })")
    rest(app)
    press_ask(app, " ")
    trouble = app.locator(".pe-bar .pe-trouble-line")
    trouble.get_by_text("empty").wait_for()
    for part in (trouble, app.locator(".pe-stages"), app.locator(".pe-answer").get_by_role("heading", name="Answer")):
        expect(part).to_be_in_viewport(ratio=1)
    poll(app, """() => {
        const [said, stages] = [".pe-bar .pe-trouble-line", ".pe-stages"].map((one) => document.querySelector(one));
        return stages.getBoundingClientRect().top >= said.getBoundingClientRect().bottom - 1;
    }""", True)  # fmt: skip
