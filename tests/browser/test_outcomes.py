"""How an answer came out is one colour, with a sign or a word, wherever it is shown."""

import re

from playwright.sync_api import expect

from explorer import sample
from tests.browser.app import ask, let_go, tool, until_ended
from tests.browser.conftest import poll, rest, set_theme

REPORT = sample.corpus() / "documents" / "investigation-report.pdf"
CELLS = (
    f"import explorer\nws = explorer.open()\nws.ingest({str(REPORT)!r}, progress=False)\napp = explorer.app(ws)\napp",
)
HALF = "Who chaired the Apollo 13 Review Board, and what is the capital of France?"
WHOLE = "Why did oxygen tank no. 2 fail?"
NODES = """() => {
    const { dataset, explorer: { here, drawn, store } } = document.querySelector(".pe");
    return here().filter(({ outcome }) => outcome).map(({ id, kind, outcome, lines }) => {
        const { color, shapeProperties } = drawn(id), name = kind === "Sentence" ? `${outcome}-part` : outcome;
        const isOwn = color.background === store.looks.outcomes[name][dataset.theme][0];
        return [kind, outcome, lines.at(-1)[1].slice(0, 3).trim(), isOwn, Boolean(shapeProperties.borderDashes)];
    });
}"""
SAME = """(badge, kind) => {  // whether a badge has the colour of the answer's node
    const { here, drawn } = document.querySelector(".pe").explorer;
    const ctx = document.createElement("canvas").getContext("2d");
    const plain = (colour) => ((ctx.fillStyle = colour), ctx.fillStyle);
    const { background } = drawn(here().find((one) => one.kind === kind).id).color;
    return plain(getComputedStyle(badge).backgroundColor) === plain(background);
}"""
COPY = "() => { navigator.clipboard.writeText = async (text) => { window.copied = text; }; }"


def test_an_answer_of_two_parts_shows_at_each_place_how_each_came_out(app):
    ask(app, WHOLE)
    assert app.locator(".pe-answer .pe-badge.answered").evaluate(SAME, "Synthesis")
    for theme in ("JupyterLab Dark", "JupyterLab Light"):
        set_theme(app, theme)
        ask(app, HALF)
        let_go(app)  # else what is not on the way to the first citation is dim
        rest(app)
        assert app.evaluate(NODES) == [
            ["Synthesis", "unsure", "? U", True, False],
            ["Sentence", "answered", "✓ “", True, False],
            ["Sentence", "not-found", "∅ “", True, True],
        ]
        badge = app.locator(".pe-answer .pe-badge.unsure")
        expect(badge).to_have_text("? Unsure")
        assert badge.evaluate(SAME, "Synthesis")
    marks = app.locator(".pe-answer .pe-mark")
    assert [one.get_attribute("aria-label") for one in marks.all()] == ["✓ answered", "∅ not found"]
    app.evaluate(COPY)
    tool(app, "Copy")
    poll(app, "() => /^Unsure: .*\\(✓ answered\\).*\\(∅ not found\\)/s.test(window.copied)", True)
    tool(app, "List")
    expect(app.get_by_role("region", name="The graph as a list")).to_contain_text("∅ “Your documents do not say")
    tool(app, "List")
    app.get_by_role("tab", name=re.compile("Past runs")).click()
    signs = app.locator(".pe-past .pe-badge")
    expect(signs.nth(2)).to_be_visible()
    assert [one.inner_text() for one in signs.all()[:3]] == ["? Unsure", "? Unsure", "✓ Answered"]


def test_a_ring_stands_around_the_stage_at_work_while_a_run_goes_on(app, showing):
    ring = app.locator(".pe-at-work")
    expect(ring).to_be_hidden()
    showing(f"app.open(ws.run({WHOLE!r}))")
    app.get_by_role("button", name="Play", exact=True).click()
    expect(ring).to_be_visible()
    assert ring.get_attribute("data-node")
    until_ended(app)
    expect(ring).to_be_hidden()
