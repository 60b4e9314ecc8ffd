"""One screen: few controls, words and numbers; the source opens by itself, and few keys lead to its words."""

import re

from playwright.sync_api import expect

from tests.browser.app import QUESTION, TWOFOLD, ask, each_size, heading, marked, press_ask, select_kind, view
from tests.browser.conftest import RUN, poll, rest

CELLS = ("import explorer\napp = explorer.app(explorer.demo(), pace=0.02)\napp",)
SIZES = ((1280, 800), (1600, 1000), (1920, 1080), (900, 1000), (420, 900))
MOST = {"controls": 14, "words": 120, "numbers": 20}
# Of what is in the window; the words of answer and source, with the numbers in the answer, are what all is for.
COUNTED = """() => {
    const root = document.querySelector(".pe"), aside = ".pe-answer .pe-body, .pe-desk, option";
    const isSeen = (one) => {
        const { left, top, right, bottom } = one.getBoundingClientRect();
        return one.checkVisibility() && bottom > 0 && right > 0 && top < innerHeight && left < innerWidth;
    };
    const counts = (one) => isSeen(one) && !one.closest(aside);
    const controls = [...root.querySelectorAll("button, input, select, textarea, summary, a")].filter(counts);
    const walk = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    const said = controls.map(({ value }) => value ?? "");
    while (walk.nextNode()) {
        const { parentElement: by, data } = walk.currentNode;
        if (data.trim() && counts(by) && !by.closest(".pe-say")) said.push(data);
    }
    const words = said.join(" ");
    const numbers = words.match(/\\d[\\d.,]*/g)?.length ?? 0;
    return { controls: controls.length, words: words.match(/[\\p{L}\\p{N}]+/gu).length, numbers };
}"""
UNSEEN = """() => {  // what is there but can't be seen, and is not for those who hear the page
    const root = document.querySelector(".pe");
    const texts = [...root.querySelectorAll("*")].filter((one) => [...one.childNodes].some(
        ({ nodeType, data }) => nodeType === 3 && data.trim()));
    return texts.filter((one) => {
        const { fontSize, clipPath } = getComputedStyle(one);
        const small = parseFloat(fontSize) < 10 || clipPath !== "none" || Number(getComputedStyle(one).opacity) < 0.5;
        return one.checkVisibility() && small && !one.closest(".pe-say, .pe-sheet, .pe-away, .pe-unseen");
    }).map((one) => one.outerHTML);
}"""
SHARE = """() => {  // of the height of the right side
    const height = (part) => document.querySelector(part).getBoundingClientRect().height;
    return height(".pe-source") / height(".pe-pane");
}"""
LENGTHENED = """() => {  // 30 sentences with 40 citations
    const { store } = document.querySelector(".pe").explorer;
    store.unfolds = false;
    const [run] = store.answer.runs.filter(({ cites }) => cites.length);
    const cites = (at) => Array.from({ length: at < 10 ? 2 : 1 }, (_, more) => ({ ...run.cites[0], n: at + more + 1 }));
    const runs = Array.from({ length: 30 }, (_, at) => ({ ...run, text: `${at + 1}: ${run.text} `, cites: cites(at) }));
    store.answer = { ...store.answer, runs, text: runs.map(({ text }) => text).join("") };
    store.tell("curated");
}"""
SCROLLS = """() => {
    const { scrollHeight, clientHeight } = document.querySelector(".pe-answer .pe-body");
    return scrollHeight > 2 * clientHeight;
}"""
CLICKED_EARLY = """() => {
    const { store, select } = document.querySelector(".pe").explorer;
    const deaf = store.listen((what) => {
        if (what !== "grown" || store.answer.text || !store.nodes.size) return;
        window.early = [...store.nodes.keys()][0];
        select(window.early);
        deaf();
    });
}"""


def test_after_an_answer_few_controls_words_and_numbers_are_in_sight_at_every_size(app):
    ask(app, QUESTION)
    app.evaluate("() => { document.querySelector('.pe').explorer.store.unfolds = false; }")
    app.locator(".pe-cite").first.click()
    for width, height in each_size(app, *SIZES):
        found = app.evaluate(COUNTED)
        assert all(found[what] <= most for what, most in MOST.items()), (width, height, found)
        assert app.evaluate(UNSEEN) == []


def test_the_first_source_opens_by_itself_with_its_words_first(fresh, app):
    app.evaluate("() => { document.querySelector('.pe').explorer.store.unfolds = false; }")
    ask(app, TWOFOLD)
    assert marked(app)
    expect(app.locator(".pe-cite").first).to_have_attribute("aria-pressed", "true")
    assert app.evaluate(SHARE) > 0.6
    app.get_by_role("button", name="more", exact=True).click()
    expect(heading(app)).to_have_text(re.compile("^Fact 1 of "))
    app.get_by_role("button", name="less", exact=True).click()
    app.keyboard.press("Escape")
    ask(app, "Who is the mayor of Lisbon?")
    expect(app.locator(".pe-detail")).to_contain_text("nearest, not an answer")
    assert marked(app)


def test_a_long_answer_scrolls_within_itself_and_leaves_the_source_its_room(app):
    [*each_size(app, (1280, 800))]
    ask(app, QUESTION)
    app.evaluate(LENGTHENED)
    rest(app)
    assert app.evaluate(SCROLLS)
    assert app.evaluate(SHARE) > 0.6


def test_each_stage_is_in_the_graph_while_the_run_goes_on_and_can_be_clicked(app):
    app.evaluate(CLICKED_EARLY)
    ask(app, QUESTION)
    assert app.evaluate("() => window.early")
    expect(heading(app)).to_have_text("Question")
    select_kind(app, "Synthesis")
    app.locator(".pe-detail").get_by_text("Record", exact=True).click()
    expect(app.get_by_text(re.compile(r"^Log \(\d+\)$"))).to_be_visible()


def test_from_ask_to_the_highlighted_words_are_at_most_six_keys(app):
    field = app.get_by_label("Your question")
    field.fill(QUESTION)
    before = app.evaluate(RUN)
    field.press("Enter")
    poll(app, f"() => ({RUN})() !== {before!r}", True)
    app.locator(".pe-source mark.mine").wait_for()
    rest(app)
    for key in ("ArrowDown", "Enter"):  # to the first number, whose source is open already
        app.keyboard.press(key)
    assert marked(app)


def test_the_menu_of_views_says_what_is_on_and_explore_ends_it(app):
    ask(app, QUESTION)
    for name in ("Present", "Audit", "Teach"):
        view(app, name)
    rest(app)
    app.get_by_role("button", name="View ▾").click()
    on = app.locator("[role=menuitemcheckbox][aria-checked=true]").all_inner_texts()
    assert [line.split()[1] for line in on] == ["Teach", "Audit"]
    app.keyboard.press("Escape")
    view(app, "Explore")
    expect(app.locator(".pe-audit")).to_be_hidden()
    expect(app.locator(".pe-lesson")).to_be_hidden()
    expect(app.locator(".pe.presents")).to_have_count(1)  # who ends a lesson goes on presenting
    view(app, "Explore")
    expect(app.locator(".pe.presents")).to_have_count(0)


def test_what_is_too_much_for_the_screen_stays_on_it(app, showing):
    long = " ".join(["very"] * 500)
    press_ask(app, f"Why did oxygen tank no. 2 fail, {long}?")
    expect(app.locator(".pe-answer")).to_be_visible()
    poll(app, "() => document.querySelector('.pe').scrollWidth <= document.querySelector('.pe').clientWidth", True)
