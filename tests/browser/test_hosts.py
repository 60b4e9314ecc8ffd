"""The app in pages that are like those of VS Code and Colab: around it is a page of our own, all of it is the app's."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.app import FIRST_FACT, heading, press_ask
from tests.browser.axe import complaints
from tests.corpus import QUESTIONS

CELLS = ("import explorer\nfrom tests.corpus import filled_anew\napp = explorer.app(filled_anew(None), pace=0)\napp",)
BARE = """  // what a page may lack, or forbid: it throws when it is touched
const forbid = () => { throw new DOMException("not here", "SecurityError"); };
delete Navigator.prototype.clipboard;
Object.defineProperty(window, "localStorage", { get: forbid });
const { getContext } = HTMLCanvasElement.prototype;
HTMLCanvasElement.prototype.getContext = function (kind, ...more) {
    return kind === "2d" ? getContext.call(this, kind, ...more) : forbid();
};
"""
GROUND = "one => getComputedStyle(one).backgroundColor"


@pytest.fixture
def host(page, stage, fresh):
    """host(html, body, sandbox): a page with these attributes that shows the app."""
    stage.show(*CELLS)

    def shown(html="", body="", *, sandbox=False):
        page.goto(f"{stage.server.url}/empty")
        text = stage.server.page(html, body)
        if not sandbox:
            page.set_content(text)
            return page
        page.evaluate(
            """text => {
                const frame = document.createElement("iframe");
                frame.sandbox = "allow-scripts";
                frame.srcdoc = text;
                Object.assign(frame.style, { width: "1200px", height: "900px", border: 0 });
                document.body.append(frame);
            }""",
            text,
        )
        return page.frame_locator("iframe")

    return shown


def follow(place):
    """Ask, and follow the answer to its words."""
    press_ask(place, QUESTIONS[1])
    place.locator(".pe[data-state=done]").wait_for()
    place.locator(".pe-answer .pe-cite").first.click()
    place.get_by_role("button", name="more", exact=True).click()
    expect(heading(place)).to_have_text(FIRST_FACT)
    expect(place.locator(".pe-source mark.mine").first).to_be_in_viewport()


def is_dark(place):
    [red, green, blue] = map(int, re.findall(r"\d+", place.locator(".pe").evaluate(GROUND))[:3])
    return max(red, green, blue) < 80


def test_the_theme_is_that_of_vs_code_whatever_the_system_is(page, host):
    page.emulate_media(color_scheme="light")
    place = host(body="data-vscode-theme-kind='vscode-dark'")
    follow(place)
    assert is_dark(place)
    assert complaints(page) == []
    page.emulate_media(color_scheme="dark")
    for kind, theme in (("light", "light"), ("high-contrast", "dark"), ("high-contrast-light", "light")):
        page.evaluate("kind => (document.body.dataset.vscodeThemeKind = kind)", f"vscode-{kind}")
        expect(place.locator(".pe")).to_have_attribute("data-theme", theme)
    assert not is_dark(place)
    assert complaints(page) == []


def test_in_a_frame_that_may_only_run_scripts_the_app_is_whole(page, host):
    page.add_init_script(f"(() => {{ {BARE} }})()")
    place = host(html="theme='dark'", sandbox=True)
    follow(place)
    assert is_dark(place)
    place.get_by_role("button", name="Save, find").first.click()
    place.get_by_role("menu", name="Copy, save, find, zoom").get_by_text("Copy", exact=True).click()
    expect(place.locator(".pe")).to_contain_text("This page may not copy")
    place.get_by_role("tab", name="Documents 3").click()
    expect(place.locator(".pe-documents")).to_contain_text("Valves of the tank")
    place.get_by_role("tab", name="Past runs 1").click()
    place.locator(".pe-past .pe-runs button.pe-share").click()
    expect(place.locator(".pe-replay")).to_contain_text(QUESTIONS[1])
