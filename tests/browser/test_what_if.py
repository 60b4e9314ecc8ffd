"""Asking again without a fact, a passage or a document, and finding out what an answer hangs on."""

import re

from playwright.sync_api import expect

from tests.browser.app import (
    QUESTION,
    STORE,
    ask,
    click_label,
    each_size,
    leave_present,
    let_go,
    marked,
    point_at,
    press_ask,
    select_kind,
    tool,
    view,
)
from tests.browser.axe import complaints
from tests.browser.conftest import poll, press_if_there, rest, run_new_cell
from tests.browser.test_past import CELLS, HEATERS, VOLTAGE

__all__ = ["CELLS"]

STOP = """async () => {
    const button = () => [...document.querySelectorAll(".pe-detail button")].find((one) => one.textContent === "Stop");
    const late = performance.now() + 60000;
    while (!button() && performance.now() < late) await new Promise((done) => setTimeout(done, 5));
    button().click();
}"""
BARS = """() => {  // of each bar at a box how far above the box's lower edge it begins, and the words that it lies on
    const { bars, outline } = document.querySelector(".pe").explorer;
    return bars().map(({ node, left, top, right, bottom }) => {
        const lies = ({ at: { x, y }, size }) =>
            x > left - 40 && x < right && y + size * 0.4 > top && y - size * 0.4 < bottom;
        const words = window.labels.filter(({ text }) => text.trim()).filter(lies);
        return [outline(node).bottom - top, words.map(({ text }) => text)];
    });
}"""


def left_out(page):
    return page.get_by_role("group", name="Left out")


def ask_without(page):
    left_out(page).get_by_role("button", name="Ask this run again without these").click()


def put_back(page):
    return left_out(page).get_by_role("button", name=re.compile("^Put back: "))


def test_what_if_a_fact_were_not_there_also_presented(app):
    ask(app, VOLTAGE)
    select_kind(app, "EdgeSelection")
    marked(app)
    detail = app.locator(".pe-detail")
    detail.get_by_role("button", name="Ask without this").click()
    put_back(app).wait_for()
    expect(left_out(app).get_by_role("checkbox"), "for this run alone").not_to_be_checked()
    name, also = app.evaluate(f"() => [{STORE}.bar.left[0].text, {STORE}.bar.left[0].also]")
    for fact in also:
        expect(left_out(app)).to_contain_text(fact, use_inner_text=True)
    expect(detail.get_by_role("button", name="put it back")).to_have_count(1)
    rest(app)
    view(app, "Present")
    ask_without(app)
    compared = app.locator(".pe-compare")
    compared.get_by_text("Two runs side by side").wait_for()
    [(width, height)] = each_size(app, (1280, 800))
    boxes = [compared.get_by_role("group", name=f"Answer of run {side}").bounding_box() for side in "AB"]
    assert all(box["y"] >= 0 and box["y"] + box["height"] <= height for box in boxes)
    assert boxes[0]["x"] + boxes[0]["width"] <= boxes[1]["x"]
    assert boxes[1]["x"] + boxes[1]["width"] <= width
    assert not complaints(app)
    leave_present(app)
    expect(compared).to_contain_text(f"Asked without {name}", use_inner_text=True)
    expect(compared.locator("table")).to_contain_text("left out", use_inner_text=True)
    app.get_by_role("tab", name="Ask").click()
    poll(app, f"() => {STORE}.mode", "ask")
    expect(left_out(app), "and is there again for the next question").to_be_hidden()


def test_what_was_kept_is_unticked_where_it_is_listed_and_the_run_asked_again(app):
    ask(app, HEATERS)
    select_kind(app, "Focus")
    detail = app.locator(".pe-detail")
    boxes = detail.get_by_role("checkbox", name=re.compile("^Ask with .+ → "))  # facts, below the passages
    for number in (0, 1):
        boxes.nth(number).click()
        expect(put_back(app)).to_have_count(number + 1)
        expect(boxes.nth(number)).not_to_be_checked()
    assert not complaints(app)
    boxes.nth(1).click()
    expect(put_back(app)).to_have_count(1)
    expect(boxes.nth(1)).to_be_checked()
    ask_without(app)
    compared = app.locator(".pe-compare")
    expect(compared).to_contain_text("Asked without", use_inner_text=True)
    expect(compared.get_by_text("Two runs side by side"), "opened at its head").to_be_in_viewport(ratio=1)
    app.get_by_role("tab", name="Ask").click()
    poll(app, f"() => {STORE}.mode", "ask")
    expect(app.locator(".pe-outcome .pe-weakly")).to_have_text(re.compile(r"^without “.* → .*”$"))
    for number, kind in enumerate(("Passage", "Document"), 1):
        select_kind(app, kind)
        detail.get_by_role("button", name="Ask without this").click()
        expect(put_back(app)).to_have_count(number)
    app.get_by_role("button", name="Put all back").click()
    expect(left_out(app)).to_be_hidden()


def test_what_mattered_is_found_out_stopped_and_told_beside_the_answer(app, showing):
    showing(f"app.ask({VOLTAGE!r}, selector='rerank')")  # keeps enough that there is time to stop
    run_new_cell(app, "app.bar.limits.set_values({})")
    view(app, "What if")
    detail = app.locator(".pe-detail")
    detail.get_by_role("button", name="Facts", exact=True).click()
    app.evaluate(STOP)
    detail.get_by_text("Nothing of it is on record").wait_for()
    detail.get_by_role("button", name="Documents", exact=True).click()
    poll(app, f"() => {STORE}.mattered[0]?.state", "done")
    facts = detail.get_by_role("group", name="What mattered: Facts")
    expect(facts, "what was found out before stays").to_contain_text("Stopped after", use_inner_text=True)
    needed = detail.locator(".pe-matter li").first
    needed.scroll_into_view_if_needed()
    cited = re.compile(r"(needed|helped|made no difference), (not )?cited")
    expect(needed).to_have_text(cited, use_inner_text=True)
    assert detail.locator(".pe-body").evaluate("one => one.scrollWidth <= one.clientWidth")
    assert not complaints(app)
    tool(app, "List")
    rated = re.compile(r"(needed|helped|made no difference): without it")
    expect(app.get_by_label("The graph as a list", exact=True)).to_have_text(rated, use_inner_text=True)
    tool(app, "List")
    needed.get_by_role("button").click()
    expect(detail).to_contain_text("Without it", use_inner_text=True)


def test_bars_of_what_mattered_lie_on_no_word_and_come_only_with_the_answer(app):
    ask(app, QUESTION)
    [*each_size(app, (1280, 800))]
    detail = app.locator(".pe-detail")
    view(app, "What if")
    expect(detail.locator("h3")).to_have_text("What if")
    detail.get_by_role("button", name="Facts").click()
    poll(app, f"() => {STORE}.mattered[0]?.state", "done")
    rest(app)
    for line in (*detail.locator(".pe-matter > li").all()[:2], detail.locator(".pe-mattered [role=status]")):
        expect(line).to_be_in_viewport(ratio=1)
    support = detail.get_by_text(": a support of")
    click_label(app, "★ Answer")
    expect(support, "figures are folded").to_be_hidden()
    detail.get_by_text("In numbers").click()
    expect(support).to_be_visible()
    let_go(app)
    rest(app)
    bars = app.evaluate(BARS)
    assert bars
    assert all(0 < above < 3 and words == [] for above, words in bars), "at its lower edge, below its words"
    app.get_by_role("tab", name="Past runs").click()
    expect(app.locator(".pe-runs > li").first).to_contain_text(QUESTION)  # the list is of now
    app.locator(".pe-past .pe-runs li.pe-top button.pe-share").first.click()
    poll(app, f"() => {STORE}.title?.question", QUESTION)
    poll(app, f"() => Boolean({STORE}.frames)", True)
    tool(app, "Signs")
    app.locator(".pe-slide input").focus()
    for key, shown in (("End", True), ("ArrowLeft", False), ("Home", False), ("End", True)):
        app.keyboard.press(key)
        rest(app)
        assert bool(app.evaluate(BARS)) == shown, key
        assert ("loses without it" in app.locator(".pe-legend").inner_text()) == shown, "its key comes with the bars"
    app.get_by_role("button", name="Close the legend").click()


SEEN = """(part) => {  // whether it begins below the tabs, and ends above the end of the window
    const { bottom: tabs } = document.querySelector(".pe-stuck").getBoundingClientRect();
    const found = [...document.querySelectorAll(part)].filter((one) => one.getClientRects().length);
    return found.length > 0 && found.every((one) => {
        const { top, bottom } = one.getBoundingClientRect();
        return top >= tabs - 1 && bottom <= innerHeight;
    });
}"""


def sees(page, part):
    poll(page, f"() => ({SEEN})({part!r})", True)


def test_what_a_click_opens_in_past_runs_is_in_sight_and_what_led_to_it_stays(app):
    ask(app, QUESTION)
    [*each_size(app, (1000, 800))]
    app.mouse.move(640, 600)
    app.mouse.wheel(0, 200)
    app.get_by_role("tab", name="Past runs").click()
    sees(app, ".pe-past .pe-search")
    app.locator(".pe-past .pe-runs button.pe-share").first.click()
    app.locator(".pe-controls").wait_for()
    app.locator(".pe-answer .pe-cite").last.click()
    expect(app.locator(".pe-source mark.mine").first).to_be_visible()
    sees(app, ".pe-answer .pe-sentence.on")
    sees(app, ".pe-source mark.mine")
    app.locator(".pe-answer .pe-cite").first.click()
    for opens, part in (("Without this document", ".pe-left-out"), ("Not right?", ".pe-correct")):
        app.mouse.move(640, 600)
        app.mouse.wheel(0, 250)
        app.wait_for_timeout(200)  # a wheel that still turns would end what is scrolled for the click
        app.locator(".pe-detail").get_by_role("button", name=opens).click()
        sees(app, part)
        press_if_there(app, "Put all back")


def test_who_scrolled_down_and_asks_or_is_refused_is_brought_back_and_no_old_words_stay_over_the_graph(app):
    ask(app, QUESTION)
    [*each_size(app, (1280, 800))]
    tip = app.locator(".pe-canvas .vis-tooltip")
    for node in app.evaluate("() => document.querySelector('.pe').explorer.here().map(({ id }) => id)"):
        x, y = point_at(app, node)
        for step in (4, 0):
            app.mouse.move(x + step, y)
        app.wait_for_timeout(400)
        if tip.count() and tip.is_visible():  # its words are cut
            break
    expect(tip).to_be_visible()
    app.locator(".pe-question input").focus()
    app.keyboard.press("Enter")
    expect(tip).to_be_hidden()
    poll(app, f"() => {STORE}.state", "done")
    rest(app)
    box = app.locator(".pe-canvas").bounding_box()
    app.mouse.move(640, 600)
    app.mouse.wheel(0, box["y"] - app.locator(".pe-bar").bounding_box()["y"] + 0.5 * box["height"])
    poll(app, f"() => document.querySelector('.pe-canvas').getBoundingClientRect().top < {box['y']}", True)
    rest(app)
    app.evaluate("() => document.querySelector('.pe-question input').focus({ preventScroll: true })")
    app.keyboard.press("Enter")
    sees(app, ".pe-canvas")
    poll(app, f"() => {STORE}.state", "done")
    app.locator(".pe-answer").evaluate("one => one.scrollIntoView({ block: 'start', behavior: 'instant' })")
    rest(app)
    press_ask(app, " ")
    trouble = app.locator(".pe-bar .pe-trouble-line")
    trouble.get_by_text("empty").wait_for()
    for part in (trouble, app.locator(".pe-outcome")):
        expect(part).to_be_in_viewport(ratio=1)
