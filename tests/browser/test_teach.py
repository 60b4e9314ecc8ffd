"""Runs that are taught: live stage by stage, quizzed, played again as the same lesson, and presented to a class."""

import re

from playwright.sync_api import expect

from tests.browser.app import (
    FOLDS,
    STORE,
    TWOFOLD,
    WAITING,
    ask,
    choose,
    each_size,
    leave_present,
    marked,
    point_at,
    present,
    view,
)
from tests.browser.conftest import RUN, poll, reload, rest
from tests.browser.test_past import CELLS, VOLTAGE
from tests.each import each

__all__ = ["CELLS"]

QUIZ = re.compile(r"Tick the \d of these \d facts that you think the run kept")
STEP = re.compile("Next (?:step|fact|passage)")
LIT = "() => document.querySelector('.pe').explorer.taught()"
TOLD_WORD = f"() => {STORE}.teaching?.word"
SCROLLED_BACK = """() => {  // as somebody would with the wheel, so that the app holds nothing in its place
    const app = document.querySelector(".pe");
    app.dispatchEvent(new WheelEvent("wheel", { bubbles: true }));
    app.scrollIntoView({ block: "start" });
}"""
IN_SIGHT = """() => {  // of the lesson, and of the box of what is explained
    const { outline, taught } = document.querySelector(".pe").explorer, box = outline(taught());
    const of = (one) => document.querySelector(one).getBoundingClientRect();
    const [lesson, words, canvas] = [".pe-lesson-in", ".pe-lesson-words", ".pe-canvas"].map(of);
    const port = of(document.querySelector(".pe.presents") ? ".pe.presents" : ".jp-WindowedPanel-outer");
    const { scrollHeight, clientHeight } = document.querySelector(".pe-lesson-words");
    return {
        third: lesson.height <= innerHeight / 3,
        read: scrollHeight <= clientHeight + 1 && lesson.top >= port.top - 1 && words.bottom <= port.bottom,
        below: canvas.top + box.top >= lesson.bottom - 1,
        seen: box.top >= 0 && canvas.top + box.bottom <= Math.min(canvas.bottom, port.bottom),
    };
}"""
KEPT_SEEN = """() => {  // how much was kept, and how much of it is in view
    const { here, outline } = document.querySelector(".pe").explorer;
    const { height } = document.querySelector(".pe-canvas").getBoundingClientRect();
    const kept = here().filter(({ kind }) => /^(Edge|Chunk)Selection$/.test(kind)).map(({ id }) => outline(id));
    return [kept.length, kept.filter(({ top, bottom }) => top >= 0 && bottom <= height).length];
}"""
MARKED = """() => {  // how many marks there are that are not seen, and whether those that are cover an empty line
    const marks = [...document.querySelectorAll(".pe-source mark.mine")];
    const seen = marks.filter((one) => getComputedStyle(one).backgroundColor !== "rgba(0, 0, 0, 0)");
    return [marks.length - seen.length, seen.some(({ textContent: words }) => /\\n\\s*\\n|^\\s|\\s$/.test(words))];
}"""
ASKED = """() => {  // whether a quiz has half of the window at most, presented two thirds, and is in sight
    const [lesson, words] = [".pe-lesson-in", ".pe-asked-first"].map((one) => document.querySelector(one));
    const share = document.querySelector(".pe").classList.contains("presents") ? 2 / 3 : 1 / 2;
    return [lesson.getBoundingClientRect().height <= share * innerHeight, words.scrollHeight <= words.clientHeight + 1];
}"""
UNDERLINED = """() => [...document.querySelectorAll(".pe-lesson .pe-glossed")].every((word) => {
    const { textDecorationLine, borderBottomStyle } = getComputedStyle(word);
    const before = document.createRange();
    before.setStart(word.closest("p, li, label, div"), 0);
    before.setEndBefore(word);
    const said = before.toString();
    const isQuoted = said.lastIndexOf("“") > said.lastIndexOf("”"); // a word of a document
    return textDecorationLine === "none" && borderBottomStyle === "dotted" && !isQuoted;
})"""
TOLD = """() => {  // what is explained, live and looked back at, what is lit, and all that was there by then
    const root = document.querySelector(".pe"), { store, taught } = root.explorer;
    const again = root.querySelector(".pe-lesson-ways .go:not([hidden])");
    const said = [".pe-lesson-title", ".pe-lesson-words", ".pe-asked-first"].map((one) => root.querySelector(one));
    const read = said.filter((one) => !one.hidden).map((one) => one.innerText).join(" ")
        .replace(/ The answer (?:cites|does not cite) it\\./, ""); // which is said once there is one
    if (store.waiting) return [read, taught(), store.nodes.size, store.answer.text];
    return again?.innerText === "From the start" ? "over" : null;
}"""
WRITTEN_IN_SIGHT = """() => {  // whether all of the answer is seen, clear of the lesson, and how much of the canvas
    const of = (one) => document.querySelector(one).getBoundingClientRect();
    const [answer, body, lesson, canvas, port] =
        [".pe-answer", ".pe-answer .pe-body", ".pe-lesson", ".pe-canvas", ".jp-WindowedPanel-outer"].map(of);
    const { scrollHeight, clientHeight } = document.querySelector(".pe-answer .pe-body");
    const whole = answer.top >= lesson.bottom - 1 && body.bottom <= port.bottom && scrollHeight <= clientHeight + 1;
    return [whole, Math.min(canvas.bottom, port.bottom) - Math.max(canvas.top, lesson.bottom)];
}"""
LETTERS = """() => {
    const size = (one) => parseFloat(getComputedStyle(one).fontSize) * (one.currentCSSZoom ?? 1);
    const lesson = document.querySelector(".pe-lesson");
    const said = ".pe-lesson-title, .pe-lesson-words p:not(.pe-lesson-figures)";
    const read = [...lesson.querySelectorAll(said)].filter((one) => one.checkVisibility());
    return [Math.min(...read.map(size)), Math.max(...window.labels.map(({ size }) => size))];
}"""
APART = """() => {  // whether the lesson covers neither the graph nor the answer
    const of = (one) => document.querySelector(one).getBoundingClientRect();
    const lesson = of(".pe-lesson");
    return [".pe-canvas", ".pe-answer"].map(of).every((one) =>
        one.width === 0 || one.right <= lesson.left + 1 || one.top >= lesson.bottom - 1);
}"""
WORDED = """() => {  // in pixels of the window: the letters of the answer, of what is explained, and of the source
    const size = (one) => {
        const found = document.querySelector(one);
        return parseFloat(getComputedStyle(found).fontSize) * (found.currentCSSZoom ?? 1);
    };
    return [".pe-answer .pe-body", ".pe-lesson-words", ".pe-source .pe-paper.words"].map(size);
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
PASSED = """() => {  // what is said from now on while nothing waits for who teaches
    const root = document.querySelector(".pe"), words = root.querySelector(".pe-lesson-title");
    window.passed = [];
    const look = () => {
        if (!root.explorer.store.waiting) window.passed.push(words.innerText);
    };
    new MutationObserver(look).observe(words, { subtree: true, childList: true, characterData: true });
}"""


def teach(page):
    """Begin to teach, or end it."""
    view(page, "Teach")


def begin(page, question=VOLTAGE, size=(1280, 800)):
    """Ask with Teach, and wait at the first stage; gives the lesson, and its button that leads on."""
    [*each_size(page, size)]
    if not page.evaluate(f"() => {STORE}.bar.teaches"):
        teach(page)
    page.locator(".pe-question input").fill(question)
    page.get_by_role("button", name="Ask", exact=True).click()
    poll(page, f"() => !{STORE}.frames && {WAITING[6:]}", True)
    rest(page)
    lesson = page.locator(".pe-lesson")
    return lesson, lesson.locator(".pe-lesson-ways .go").first


def go_on(page, press):
    """Do what leads on, and wait for the next stage."""
    seq = page.evaluate(f"() => {STORE}.seq")
    press()
    poll(page, f"() => {STORE}.seq > {seq} && {WAITING[6:]}", True)
    rest(page)


def to_the_end(page, on):
    """Go on until nothing waits."""
    state = f"() => {STORE}.waiting || {STORE}.state !== 'running' ? {STORE}.state : ''"
    while poll(page, state, bool) == "running":
        seq = page.evaluate(f"() => {STORE}.seq")
        on.click()
        poll(page, f"() => {STORE}.seq > {seq}", True)


def answer_quiz(page):
    """Tick the first of what is offered and compare; each choice then has what the record says of it."""
    quiz, lesson = page.get_by_role("group", name=QUIZ), page.locator(".pe-lesson")
    offered = quiz.get_by_role("listitem").count()
    assert offered > 2
    expect(quiz.locator("q"), "each with the sentence that it was taken from").to_have_count(offered)
    quiz.get_by_role("checkbox").first.check()
    page.keyboard.press("ArrowRight")  # which leads on compares first
    expect(lesson).to_have_text(re.compile(r"\d were kept; you ticked [01] of them"), use_inner_text=True)
    assert len(re.findall(r"\b(?:Not kept|Kept)\b", quiz.inner_text())) == offered
    for number in range(offered):
        expect(quiz.locator("q").nth(number), "beside what was ticked").to_be_visible()
    rest(page)
    assert page.evaluate(ASKED) == [True, True]
    assert page.evaluate(APART), "and over nothing"
    expect(lesson.get_by_role("status")).to_be_in_viewport(ratio=1)


def compare(lesson):
    lesson.get_by_role("button", name="Compare with the run").click()


def test_a_live_run_is_taught_stage_by_stage_and_step_by_step(app, stage):
    app.evaluate(SCROLLED_BACK)
    lesson, on = begin(app)
    place, terms = on.bounding_box(), []
    expect(on).to_have_attribute("aria-keyshortcuts", "ArrowRight")
    for number in range(1, 6):
        if number == 4:  # a page that is loaded while the run waits goes on waiting
            reload(app, stage.seen)
            poll(app, "() => Boolean(document.querySelector('.pe')?.explorer?.store.waiting)", True)
            answer_quiz(app)
        else:
            terms.append(app.evaluate(TOLD_WORD))
            expect(lesson).to_contain_text(terms[-1], use_inner_text=True)
            assert app.evaluate(LIT) == app.evaluate(f"() => {STORE}.teaching.node"), "its node of the graph is lit"
            assert all(app.evaluate(IN_SIGHT).values()), (terms[-1], app.evaluate(IN_SIGHT))
            assert app.evaluate(UNDERLINED), "what explains a word is marked within its box"
        if number == 2:
            assert on.bounding_box() == place, "pressed on and on it stays under the pointer"
            for term in lesson.locator(".pe-lesson-words .pe-glossed").all():
                term.hover()
                app.locator(".pe-gloss-tip:popover-open").wait_for()
                assert not app.evaluate(COVERED), term.inner_text()
                app.mouse.move(5, 795)
            app.mouse.wheel(0, 400)
            rest(app)
            expect(on).to_be_in_viewport(ratio=1)
        if number == 3:
            lesson.get_by_role("button", name="Back").click()
            expect(lesson).to_contain_text("Key ideas", use_inner_text=True)
            assert app.evaluate(f"() => {STORE}.nodes.get({LIT[6:]}).kind") == "Grounding"
            on.click()
        if number == 5:
            lesson.get_by_role("button", name=STEP).click()
            expect(lesson).to_have_text(re.compile(r"^\s*Fact"), use_inner_text=True)
            assert app.evaluate(f"() => {STORE}.nodes.get({LIT[6:]}).kind") == "EdgeSelection"
            expect(app.locator(".pe-source mark.mine").first, "beside its words").to_be_visible()
            lesson.get_by_role("button", name="Back").click()
            expect(lesson.get_by_role("button", name=STEP), "who went back may go on so again").to_be_visible()
        on.focus()
        if number < 5:
            go_on(app, lambda key="ArrowRight" if number == 2 else "Enter": app.keyboard.press(key))
            expect(on, "Next keeps the focus").to_be_focused()
    assert terms == ["Question", "Key ideas", "Looked at", "Kept"]
    app.keyboard.press("ArrowRight")
    poll(app, f"() => {STORE}.state", "done")
    expect(lesson, "with the answer it is over").to_contain_text("Answer", use_inner_text=True)
    poll(app, f"() => {STORE}.byItself && {STORE}.path.includes({STORE}.source?.node)", True)
    expect(app.locator(".pe-source mark.mine").first, "whose source is open").to_be_visible()
    expect(lesson.get_by_role("button", name="From the start")).to_be_visible()
    expect(on, "Next goes away after the end").to_be_hidden()


def test_within_an_agent_steps_are_taught_too_and_a_run_can_be_stopped(app):
    choose(app, "Strategy", "Agent, step by step")
    lesson, on = begin(app)
    expect(lesson.get_by_role("button", name=STEP), "nothing is between the question and the way").to_be_hidden()
    go_on(app, on.click)
    while not app.evaluate(f"() => {STORE}.teaching?.inside && {WAITING[6:]}"):
        go_on(app, lesson.get_by_role("button", name=STEP).click)
    assert app.evaluate(LIT) == app.evaluate(f"() => {STORE}.teaching.node")
    assert app.evaluate(f"() => document.querySelector('.pe').explorer.here().some(({{ id }}) => id === ({LIT})())")
    app.get_by_role("button", name="■ Stop").click()
    expect(lesson).to_contain_text("The run was stopped here", use_inner_text=True)
    teach(app)
    expect(lesson).to_be_hidden()


def test_a_quiz_is_as_it_was_left_and_can_be_turned_off(app):
    lesson, on = begin(app, TWOFOLD)
    for _ in range(3):
        go_on(app, on.click)
    quiz, back = app.get_by_role("group", name=QUIZ), lesson.get_by_role("button", name="Back")
    on.focus()
    app.keyboard.press("Tab")
    expect(quiz.get_by_role("checkbox").first, "on from there one ticks").to_be_focused()
    quiz.get_by_role("checkbox").first.check()
    compare(lesson)
    back.click()
    expect(lesson).to_contain_text("Looked at", use_inner_text=True)
    on.click()
    expect(quiz.get_by_role("checkbox").first, "it is as it was left").to_be_checked()
    expect(lesson.get_by_role("status")).to_contain_text("you ticked")
    lesson.get_by_role("switch").click()
    expect(quiz, "turned off, it goes").to_be_hidden()
    expect(lesson).to_contain_text("Kept", use_inner_text=True)
    back.click()
    expect(lesson, "nobody comes back to it").to_contain_text("Looked at", use_inner_text=True)
    on.click()
    expect(lesson.get_by_role("button", name=STEP)).to_be_visible()
    rest(app)
    kept, seen = app.evaluate(KEPT_SEEN)
    assert seen == kept > 2
    lesson.get_by_role("switch").click()
    to_the_end(app, on)


def told_to_the_end(page, by):
    """What a class is told from here on, one lesson after the other: `by` step where there is one, else by stage."""
    lesson, told = page.locator(".pe-lesson"), []
    now = poll(page, TOLD, bool)
    while now != "over":
        told.append(now)
        on = lesson.get_by_role("button", name=by)
        if not on.is_visible():
            on = lesson.locator(".pe-lesson-ways .go").first
        on.click()
        now = poll(page, TOLD, lambda new: new not in (None, told[-1]))
    return told


def told_back(page):
    """What was explained before, back to the first lesson, in the order in which it was told."""
    back, told = page.locator(".pe-lesson").get_by_role("button", name="Back"), ["over"]
    while back.get_attribute("aria-disabled") == "false":
        back.click()
        told.append(poll(page, TOLD, lambda new: new not in (None, told[-1])))
    return told[:0:-1]


@each(("by", "engine"), [(STEP, "Graph search"), ("Next stage", "Agent, step by step")])
def test_a_replay_with_teach_is_the_live_lesson_also_presented(app, by, engine):
    choose(app, "Strategy", engine)
    lesson, _ = begin(app)
    present(app)
    live = told_to_the_end(app, by)
    assert len(live) >= 4
    run, nodes = app.evaluate(RUN), app.evaluate(f"() => {STORE}.nodes.size")
    assert told_back(app) == live
    assert told_to_the_end(app, by) == live
    lesson.get_by_role("button", name="From the start").click()
    poll(app, f"() => {STORE}.mode === 'ask' && {STORE}.run !== {run!r} && {WAITING[6:]}", True)
    assert told_to_the_end(app, by) == live
    assert app.evaluate(f"() => {STORE}.nodes.size") == nodes
    leave_present(app)
    lesson.get_by_role("button", name="Back").click()
    teach(app)
    expect(lesson, "also of who looked back").to_be_hidden()


def test_a_kept_passage_is_drawn_once_and_opens_at_the_sentence_that_the_lesson_quotes(app):
    choose(app, "Strategy", "Passage search")
    lesson, on = begin(app, "Why did oxygen tank no. 2 fail?", (1920, 1080))
    present(app)
    for _ in range(4):
        go_on(app, on.click)
    kept, seen = app.evaluate(KEPT_SEEN)
    assert seen == kept == 10
    assert not app.evaluate(
        "() => document.querySelector('.pe').explorer.here().some(({ kind }) => kind === 'Passage')"
    )
    for _ in range(2):
        lesson.get_by_role("button", name=STEP).click()
        assert " ".join(marked(app).split()) in lesson.inner_text()
        rest(app)
        expect(app.locator(".pe-source mark.mine").first).to_be_in_viewport(ratio=1)
    whole = app.evaluate(f"() => [...{STORE}.nodes.values()].findLast(({{ kind }}) => kind === 'Passage').id")
    app.evaluate("id => document.querySelector('.pe').explorer.select(id)", whole)
    marked(app)
    gaps, covers = app.evaluate(MARKED)
    assert gaps > 0
    assert not covers


def test_play_again_stays_where_one_asks_with_text_and_graph_in_sight_and_facts_wait(app):
    ask(app, TWOFOLD)
    [*each_size(app, (1280, 800))]
    teach(app)
    lesson = app.locator(".pe-lesson")
    on = lesson.locator(".pe-lesson-ways .go").first
    expect(lesson, "also of one not told here").to_contain_text("or the key →, explains", use_inner_text=True)
    rest(app)
    whole, seen = app.evaluate(WRITTEN_IN_SIGHT)
    assert whole, "what was written is not behind the lesson"
    assert seen > 300
    app.evaluate(PASSED)
    app.keyboard.press("ArrowRight")  # as the button says, which has the focus
    for _ in range(10):
        poll(app, f"() => Boolean({STORE}.frames) && {WAITING[6:]}", True)
        if app.evaluate(TOLD_WORD) == "Kept" and not app.evaluate(f"() => {STORE}.quiz"):
            break
        at = app.evaluate(f"() => [{STORE}.at, Boolean({STORE}.quiz)].join()")
        on.click()
        poll(app, f"() => [{STORE}.at, Boolean({STORE}.quiz)].join() !== {at!r} && {WAITING[6:]}", True)
    facts = app.evaluate(f"() => [...{STORE}.nodes.values()].filter(({{ kind }}) => kind === 'EdgeSelection').length")
    assert facts > 2, "all that was kept is there"
    assert not [one for one in app.evaluate("() => window.passed") if one.startswith("Fact")]
    quiz = app.get_by_role("group", name=QUIZ)
    lesson.get_by_role("button", name="Back").click()
    expect(quiz, "who missed what was asked sees it again").to_be_visible()
    on.click()
    expect(quiz).to_be_hidden()
    for number in (1, 2):
        lesson.get_by_role("button", name=STEP).click()
        said = re.compile(rf"^\s*Fact {number} of {facts}.*Why\?", re.DOTALL)
        expect(lesson).to_have_text(said, use_inner_text=True)
        app.wait_for_timeout(1200)  # longer than a step stays where a run is played
        expect(lesson).to_have_text(said, use_inner_text=True)
    told_to_the_end(app, "Next stage")
    expect(app.get_by_role("tab", name="Ask")).to_have_attribute("aria-selected", "true")
    expect(app.locator(".pe-replay"), "the lesson has its own ways").to_be_hidden()
    lesson.get_by_role("button", name="Back").click()
    rest(app)
    assert app.evaluate(WRITTEN_IN_SIGHT)[0]
    assert all(app.evaluate(IN_SIGHT).values())
    teach(app)
    play = app.locator(".pe-replay").get_by_role("button", name="Play", exact=True)
    expect(play, "and who ends it goes on").to_be_visible()


def test_presented_what_is_explained_and_asked_has_the_largest_letters_above_the_graph(app):
    begin(app, FOLDS)  # an answer of three sentences
    present(app)
    for number in range(5):
        assert app.evaluate(APART)
        if number == 1:
            app.keyboard.press("ArrowLeft")
            poll(app, TOLD_WORD, "Question")
            app.keyboard.press("ArrowRight")
            poll(app, TOLD_WORD, "Key ideas")
            expect(app.locator(".pe-bar"), "what is taught has its room").to_be_hidden()
        if number == 3:
            answer_quiz(app)
        else:
            least, painted = app.evaluate(LETTERS)
            assert least > painted >= 14
            assert all(app.evaluate(IN_SIGHT).values()), (number, app.evaluate(IN_SIGHT))
        if number < 4:
            go_on(app, lambda: app.keyboard.press("ArrowRight"))
    app.keyboard.press("PageDown")
    poll(app, f"() => {STORE}.state", "done")
    rest(app)
    expect(app.locator(".pe-bar"), "the next question can be asked").to_be_visible()
    app.locator(".pe-question input").focus()
    app.keyboard.press("ArrowLeft")
    assert app.evaluate(TOLD_WORD) == "Answer", "in a text they move in the text"
    answer, explained, source = app.evaluate(WORDED)
    assert answer >= explained
    assert min(answer, source) >= 20
    leave_present(app)


def test_presented_hover_text_is_large_and_goes_with_a_click_and_past_runs_are_there_too(app):
    ask(app, VOLTAGE)
    app.keyboard.press("Escape")  # of what is selected nothing more is told
    [*each_size(app, (1280, 800))]
    present(app)
    cited = f"{STORE}.answer.runs[0].cites[0].node"
    x, y = point_at(app, app.evaluate(f"() => {cited}"))
    tip = """() => {
        const tip = document.querySelector(".pe-canvas .vis-tooltip");
        return tip && [getComputedStyle(tip).visibility, parseFloat(getComputedStyle(tip).fontSize)];
    }"""
    if app.evaluate("id => document.querySelector('.pe').explorer.drawn(id).title", app.evaluate(f"() => {cited}")):
        app.mouse.move(x + 3, y + 3)
        poll(app, tip, ["visible", 18])
    app.mouse.click(x + 3, y + 3)
    app.wait_for_timeout(600)  # longer than it takes to come
    assert app.evaluate(tip) is None or app.evaluate(tip)[0] == "hidden"
    expect(app.get_by_text("Esc leaves Present")).to_be_visible()
    app.get_by_role("tab", name="Past runs").click()
    app.locator(".pe.presents .pe-past .pe-runs button.pe-share").first.click()
    app.locator(".pe.presents .pe-replay").get_by_role("button", name="All runs").click()
    app.get_by_role("tab", name="Ask").click()
    poll(app, f"() => {STORE}.mode", "ask")
    expect(app.locator(".pe.presents .pe-question input")).to_be_visible()
    leave_present(app)


def test_what_explains_a_part_is_gone_once_that_is_clicked_and_comes_again_with_the_mouse(app):
    ask(app, VOLTAGE)
    part = ".pe-answer .pe-badge >> nth=0"
    tip = app.locator(".pe-gloss-tip:popover-open")
    app.locator(part).hover()
    expect(tip).to_contain_text("Rules of this program judged it")
    app.locator(part).click()
    poll(app, f"() => {STORE}.selected !== null", True)
    rest(app)
    expect(tip).to_have_count(0)
    app.mouse.move(2, 2)
    app.locator(part).hover()
    tip.wait_for()
    app.mouse.move(2, 2)
    expect(tip).to_have_count(0)
