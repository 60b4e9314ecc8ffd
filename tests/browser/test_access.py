"""The app for those who see little, use no mouse, hear the page, or want nothing to move."""

import re

from playwright.sync_api import expect

from tests.browser.app import (
    FIRST_FACT,
    QUESTION,
    ask,
    heading,
    marked,
    passages_of,
    press_ask,
    recorded,
    tool,
    until_ended,
)
from tests.browser.axe import complaints
from tests.browser.conftest import RUN, poll, rest, set_theme

DECLINED = "Who painted the ceiling of the Sistine Chapel?"
CELLS = ("import explorer\napp = explorer.app(explorer.demo(), pace=0.03)\napp",)
AGENT = f"app.ask({QUESTION!r}, engine='agent', pattern='react')"
STOP = """() => {
    const at = document.activeElement;
    const ring = (of) => {
        const { outlineStyle, outlineWidth } = getComputedStyle(of);
        return outlineStyle === "none" ? 0 : parseFloat(outlineWidth);
    };
    const { backgroundColor, outlineColor, outlineOffset } = getComputedStyle(at);
    const around = [];
    for (let of = at; of?.closest(".pe-app") && around.length < 4; of = of.parentElement) around.push(of);
    const label = at.labels?.[0]?.textContent ?? at.getAttribute("aria-label") ?? at.title ?? "";
    return {
        inside: Boolean(at.closest(".pe-app")),
        tag: at.tagName,
        of: at.closest(".pe-go, .pe-question, .pe-canvas, .pe-desk")?.className ?? "",
        name: (at.textContent.trim() || label || at.placeholder || "").slice(0, 60),
        outline: Math.max(0, ...around.map(ring)),  // a field and its label may have one ring together
        buried: ring(at) > 0 && parseFloat(outlineOffset) < 1 && outlineColor === backgroundColor,
        shown: at.getClientRects().length > 0,
    };
}"""
CARET = """() => {  // what moves where an answer is being written
    const caret = document.createElement("span");
    caret.className = "pe-caret";
    document.querySelector(".pe-answer .pe-body").append(caret);
    const { animationName } = getComputedStyle(caret);
    caret.remove();
    return animationName;
}"""
WATCH_MOTION = """() => {
    window.moved = new Set();
    for (const name of ["transitionrun", "animationstart"])  // shorter than a frame may be on a slow machine
        document.addEventListener(name, ({ target, pseudoElement }) =>
            target.closest(".pe-app") && window.moved.add(`${target.className} ${pseudoElement}`));
    const look = () => {
        for (const { effect, playState } of document.getAnimations())
            if (playState === "running" && effect.target?.closest(".pe-app"))
                window.moved.add(`${effect.target.className} ${effect.pseudoElement ?? ""}`);
        requestAnimationFrame(look);
    };
    look();
}"""


def in_both_themes(page, state):
    """What axe complains of, with the state and the theme before each line."""
    found = []
    for theme in ("Light", "Dark"):
        set_theme(page, f"JupyterLab {theme}")
        poll(page, "() => document.querySelector('.pe').dataset.theme", theme.lower())
        rest(page)
        found += [f"{state}, {theme.lower()}: {line}" for line in complaints(page)]
    return found


def show_fact(page):
    page.locator(".pe-answer .pe-cite").first.click()
    marked(page)


def test_nothing_serious_is_found_in_any_state(app, showing):
    found = in_both_themes(app, "start")
    ask(app, QUESTION)
    show_fact(app)
    found += in_both_themes(app, "fact and source")
    tool(app, "List")
    found += in_both_themes(app, "list")
    tool(app, "List")
    ask(app, DECLINED)
    expect(app.locator(".pe")).to_have_attribute("data-state", "declined")
    found += in_both_themes(app, "declined")
    showing(AGENT)
    show_fact(app)
    found += in_both_themes(app, "agent")
    press_ask(app, " ")
    app.locator(".pe-trouble-line").get_by_text("empty").wait_for()
    found += in_both_themes(app, "refused")
    assert not found, "\n" + "\n".join(found)


def tab_to(page, of, most=40):
    """Press Tab until the focus is there; every stop on the way has to be seen and named."""
    for _ in range(most):
        page.keyboard.press("Tab")
        at = check_stop(page)
        if of in at["of"].split():
            return at
    raise AssertionError(f"{of} was not reached with {most} presses of Tab; the last stop was {at}")


def check_stop(page):
    at = page.evaluate(STOP)
    assert at["inside"], f"the focus has left the app: {at}"
    assert at["shown"], f"the focus is on something that is not shown: {at}"
    assert at["name"], f"the focus is on something without a name: {at}"
    assert at["outline"] >= 2, f"the focus is not seen: {at}"
    assert not at["buried"], f"the focus has the colour of what it lies on: {at}"
    return at


def said(page):
    return page.locator(".pe-say[aria-live]")


def test_a_question_is_asked_and_followed_to_its_words_without_a_mouse(app):
    before = app.evaluate(RUN)
    app.locator(".pe-question input").fill("")
    app.locator(".pe-question input").focus()
    app.keyboard.type(QUESTION)
    tab_to(app, "pe-go")
    app.keyboard.press("Enter")
    poll(app, f"() => ({RUN})() !== {before!r}", True)
    until_ended(app)
    expect(said(app)).to_have_text(re.compile("^fits the idea .{21}"))
    tab_to(app, "pe-canvas")
    for key in ("Home", "ArrowDown", "ArrowDown", "ArrowDown", "ArrowRight"):
        app.keyboard.press(key)
        check_stop(app)
    expect(heading(app)).to_have_text(FIRST_FACT)
    expect(said(app)).to_have_text(re.compile("^fits the idea .{21}"))

    app.keyboard.press("ArrowRight")
    expect(heading(app)).to_have_text("Passage")
    app.keyboard.press("Enter")
    expect(app.locator(".pe-source .pe-desk")).to_be_focused()
    at = check_stop(app)
    assert "pe-desk" in at["of"]
    assert marked(app) in passages_of(recorded())
    app.keyboard.press("Escape")
    poll(app, "() => document.querySelector('.pe').explorer.store.selected", None)
    assert check_stop(app)["inside"]


def test_nothing_moves_for_those_who_ask_for_it(app):
    for motion, moves in (("no-preference", "pe-blink"), ("reduce", "none")):
        app.emulate_media(reduced_motion=motion)
        assert app.evaluate(CARET) == moves
    app.evaluate(WATCH_MOTION)
    ask(app, "Who built the command module?")
    show_fact(app)
    assert app.evaluate("() => [...window.moved]") == []


def test_axe_sees_what_is_wrong(page):
    page.set_content("<div class='pe-app'><button></button><p style='color: #aaa; background: #fff'>faint</p></div>")
    assert [line.partition(" ")[0] for line in complaints(page)] == ["button-name", "color-contrast"]
