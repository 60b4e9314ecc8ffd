"""What a click opens beside past runs comes into sight, and nothing of the run before stays over the next one."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import poll, rest, write_notebook
from tests.browser.test_explore import RECORD_LABELS, ask, until_ended
from tests.browser.test_past import CELL, WAITING


@pytest.fixture(scope="module")
def notebook(shared, tmp_path_factory):
    return shared(write_notebook(tmp_path_factory.mktemp("in_sight") / "past.ipynb", CELL), RECORD_LABELS)


SEEN = """(part) => {  // whether it begins below the tabs, and ends above the end of the window
    const { bottom: tabs } = document.querySelector(".pe-tabs").getBoundingClientRect();
    const found = [...document.querySelectorAll(part)].filter((one) => one.getClientRects().length);
    return found.length > 0 && found.every((one) => {
        const { top, bottom } = one.getBoundingClientRect();
        return top >= tabs - 1 && bottom <= innerHeight;
    });
}"""


def sees(page, part):
    poll(page, f"() => ({SEEN})({part!r})", True)


def test_what_a_click_opens_in_past_runs_is_in_sight_and_what_led_to_it_stays(app):
    page = app
    page.set_viewport_size({"width": 1280, "height": 800})
    ask(page, "Why did oxygen tank no. 2 fail?")
    page.mouse.move(640, 600)
    page.mouse.wheel(0, 200)
    page.get_by_role("tab", name="Past runs").click()
    sees(page, ".pe-past .pe-search")
    page.locator(".pe-answer .pe-cite").last.click()
    expect(page.locator(".pe-source mark.mine").first).to_be_visible()
    sees(page, ".pe-answer .pe-sentence.on")
    sees(page, ".pe-source mark.mine")
    page.locator(".pe-answer .pe-cite").first.click()
    for opens, part in (("… its document?", ".pe-settings"), ("Not right?", ".pe-correct")):
        page.mouse.move(640, 600)
        page.mouse.wheel(0, 250)
        page.wait_for_timeout(200)
        page.locator(".pe-detail").get_by_role("button", name=opens).click()
        sees(page, part)
        if part == ".pe-settings":
            page.get_by_role("button", name="Put all back").click()
            expect(page.locator(part)).to_be_hidden()


def test_the_words_at_a_node_of_the_run_before_do_not_stay_over_the_next_one(app):
    page = app
    page.get_by_role("tab", name="Ask").click()
    ask(page, "Why did oxygen tank no. 2 fail?")
    page.evaluate("() => document.querySelector('.pe-graph').scrollIntoView()")
    rest(page)
    tip = page.locator(".pe-canvas .vis-tooltip")
    for node in page.evaluate("() => document.querySelector('.pe').explorer.here().map(({ id }) => id)"):
        x, y = page.evaluate("id => document.querySelector('.pe').explorer.pointAt(id)", node)
        for step in (4, 0):
            page.mouse.move(x + step, y)
        page.wait_for_timeout(500)
        if tip.count() and tip.is_visible():  # its words are cut
            break
    expect(tip).to_be_visible()
    page.locator(".pe-question input").focus()
    page.keyboard.press("Control+a")
    page.keyboard.type("When was the oxygen tank dropped?")
    page.keyboard.press("Enter")
    expect(tip).to_be_hidden()


def test_who_scrolled_past_what_is_to_be_seen_and_asks_is_brought_back_to_it(app):
    page = app
    teach = page.locator(".pe-bar").get_by_role("button", name="Teach")
    for taught, stays in ((False, ".pe-canvas"), (True, ".pe-stage-row")):
        ask(page, "When was the oxygen tank dropped?")
        if taught:
            teach.click()
            rest(page)
        box = page.locator(stays).bounding_box()
        page.mouse.move(640, 600)
        page.mouse.wheel(0, box["y"] - page.locator(".pe-bar").bounding_box()["y"] + 0.5 * box["height"])
        poll(page, f"() => document.querySelector({stays!r}).getBoundingClientRect().top < {box['y']}", True)
        page.wait_for_timeout(300)
        page.evaluate("() => document.querySelector('.pe-question input').focus({ preventScroll: true })")
        page.keyboard.press("Enter")
        if taught:
            poll(page, WAITING, True)
            rest(page)
            sees(page, stays)
            page.get_by_role("button", name="Stop").click()
            teach.click()
        else:
            until_ended(page)
            sees(page, stays)
