"""The audit of an answer in a real JupyterLab: seal and checks, verdicts by keys, report and bundle."""

import zipfile
from pathlib import Path

from playwright.sync_api import expect

from tests.browser.app import ask
from tests.browser.axe import complaints
from tests.browser.conftest import poll, rest, run_new_cell, screenshot

DOCUMENTS = Path(__file__).parents[2] / "sample_data" / "apollo13" / "documents"
QUESTION = "What voltage were the thermostatic switches rated for?"
CELLS = (
    f"""\
import explorer
ws = explorer.open()
ws.ingest({str(DOCUMENTS / "investigation-report.pdf")!r}, progress=False)
app = explorer.app(ws, pace=0.01)
app""",
)


def test_an_answer_is_reviewed_sentence_by_sentence_and_taken_along(app, tmp_path):
    page = app
    page.set_viewport_size({"width": 1280, "height": 800})
    ask(page, QUESTION)
    audit = page.get_by_role("region", name="Audit")
    expect(audit).to_be_hidden()
    page.get_by_role("button", name="Audit", exact=True).click()
    line = audit.get_by_role("button")
    expect(line, "in a low window one line says what was found").to_contain_text("no fault found")
    expect(line).to_contain_text("Entry 1 of the ledger")
    rest(page)
    for part in (page.locator(".pe-question input"), page.locator(".pe-answer .pe-body"), line):
        expect(part).to_be_in_viewport(ratio=1)
    for kind in ("Synthesis", "Sentence"):
        assert page.evaluate(IN_SIGHT, kind), f"{kind} is in sight"
    line.click()
    rest(page)
    high, seen = page.evaluate(LEFT)
    assert seen > 0.55 * high, "an opened audit leaves most of the graph in sight"
    audit.get_by_role("button", name="Seal and checks").click()
    expect(audit).to_contain_text("no fault found")
    expect(audit).to_contain_text("Entry 1 of the ledger")
    expect(audit).to_contain_text("no name was given")
    expect(audit).to_contain_text("Checked are the record's form")
    audit.get_by_label("Your name").fill("Ada")
    audit.get_by_label("Comment").fill("<b>page 4</b>")
    audit.get_by_role("button", name="Supported", exact=True).click()
    expect(audit.get_by_role("button", name="Supported", exact=True)).to_have_attribute("aria-pressed", "true")
    expect(audit).to_contain_text("Ada: supported · <b>page 4</b>")
    since = audit.locator("details").filter(has_text="history (2)")
    since.locator("summary").click()
    expect(since).to_contain_text("ended and was sealed: entry 1 of the ledger, not signed")
    expect(since).to_contain_text("sentence 1 was judged supported · by Ada")
    since.locator("summary").click()
    audit.focus()
    page.keyboard.press("3")
    expect(audit).to_contain_text("Ada: unclear")
    expect(audit.locator(".pe-quiet").filter(has_text="before: Ada: supported · <b>page 4</b>")).to_be_visible()
    expect(page.locator(".pe-answer .pe-verdict").first).to_have_text("?")
    reviewed = page.locator(".pe-answer .pe-reviewed")
    expect(reviewed).to_have_text("~ 1 of 1 sentence: unclear, by Ada")
    page.keyboard.press("2")
    expect(reviewed).to_have_text("✗ 1 of 1 sentence: not supported, by Ada")
    page.keyboard.press("3")
    expect(reviewed).to_have_text("~ 1 of 1 sentence: unclear, by Ada")
    rest(page)
    screenshot(page, "app-audit")
    assert not complaints(page)
    for name, ending in (("Report", ".html"), ("Bundle", ".zip")):
        with page.expect_download() as download:
            audit.get_by_role("button", name=name).click()
        file = tmp_path / f"taken{ending}"
        download.value.save_as(file)
        assert download.value.suggested_filename.endswith(ending)
    assert zipfile.ZipFile(tmp_path / "taken.zip").testzip() is None
    assert "Ada" in (tmp_path / "taken.html").read_text("utf-8")
    page.get_by_role("button", name="Audit", exact=True).click()
    expect(audit).to_be_hidden()
    expect(reviewed, "also without the audit").to_be_in_viewport(ratio=1)
    for width in (900, 1280, 1600):
        page.set_viewport_size({"width": width, "height": 900})
        rest(page)
        top, bottom = page.evaluate(FIRST_ROW)
        assert bottom - top < 12, "the buttons of the head stand in its first row"
    poll(page, "() => document.querySelectorAll('.pe-verdict').length", 0)
    page.get_by_role("tab", name="Past runs").click()
    page.get_by_role("searchbox", name="Search questions").fill("ada")
    expect(page.locator(".pe-runs li.pe-top")).to_contain_text("Reviewed: 1 unclear")


LEFT = """() => {  // how high the graph is by itself, and how much of its canvas one sees
    const { here, outline } = document.querySelector(".pe").explorer;
    const all = here().map(({ id }) => outline(id));
    const { top, bottom } = document.querySelector(".pe-canvas").getBoundingClientRect();
    const port = document.querySelector(".jp-WindowedPanel-outer").getBoundingClientRect();
    const high = Math.max(...all.map((one) => one.bottom)) - Math.min(...all.map((one) => one.top));
    return [high, Math.min(bottom, port.bottom, innerHeight) - Math.max(top, port.top)];
}"""
IN_SIGHT = """async kind => {
    const { store, outline } = document.querySelector(".pe").explorer;
    const { id } = [...store.nodes.values()].find((node) => node.kind === kind);
    const { top, bottom } = document.querySelector(".pe-canvas").getBoundingClientRect();
    const panel = document.querySelector(".jp-WindowedPanel-outer").getBoundingClientRect();
    const box = outline(id);
    return box.top >= 0 && top + box.bottom <= Math.min(bottom, panel.bottom, innerHeight) + 1;
}"""
FIRST_ROW = """() => {  // where the middles of what stands in the head lie, but for what reviewers found
    const parts = document.querySelectorAll(".pe-answer .pe-head :is(h3, button:not(.pe-reviewed))");
    const middles = [...parts].map((one) => one.getBoundingClientRect()).map(({ top, height }) => top + height / 2);
    return [Math.min(...middles), Math.max(...middles)];
}"""


def opened(page):
    """The audit, with all that it says."""
    page.get_by_role("button", name="Audit", exact=True).click()
    audit = page.get_by_role("region", name="Audit")
    line = audit.locator(".pe-audit-line")
    if line.get_attribute("aria-expanded") == "false":
        line.click()
    return audit


def test_the_sentence_that_is_selected_is_judged(app):
    ask(app, "When did the crew stir the tanks, and who chaired the Review Board?")
    audit = opened(app)
    expect(audit).to_contain_text("Sentence 1 of 2")
    said = app.locator(".pe-answer .pe-claim")
    for at in (1, 0):
        said.nth(at).click()
        expect(audit).to_contain_text(f"Sentence {at + 1} of 2")
        marked = app.locator(".pe-answer .pe-sentence.on")
        expect(marked, "in the answer one reads what is judged").to_contain_text(said.nth(at).inner_text().strip())
    rest(app)
    forth = audit.get_by_role("button", name="Next sentence")
    place = forth.bounding_box()
    forth.click()
    expect(audit).to_contain_text("Sentence 2 of 2")
    rest(app)
    assert forth.bounding_box() == place, "what one presses stays where it is"
    audit.get_by_role("button", name="Previous sentence").click()
    forth.click()
    audit.get_by_role("button", name="Not supported").click()
    said.nth(0).click()
    expect(audit).to_contain_text("Sentence 1 of 2")
    sign = app.locator(".pe-sentence").nth(1).locator(".pe-verdict")
    expect(sign).to_have_text("✗")
    high, line = app.locator(".pe-answer .pe-body p").last.evaluate(
        "one => [one.getBoundingClientRect().height, parseFloat(getComputedStyle(one).lineHeight)]"
    )
    assert abs(high / line - round(high / line)) < 0.01, "a sign makes no line higher: six lines have room and no more"
    sign.click()
    expect(audit).to_contain_text("Sentence 2 of 2")
    expect(audit.locator("p").first).to_contain_text("not supported")
    app.get_by_role("button", name="Audit", exact=True).click()


def test_what_was_saved_of_one_run_is_not_said_of_another(app):
    ask(app, QUESTION)
    audit = opened(app)
    with app.expect_download():
        audit.get_by_role("button", name="Bundle").click()
    expect(audit).to_contain_text("Saved as")
    ask(app, "When was the oxygen tank dropped?")
    expect(audit).not_to_contain_text("Saved as")
    app.get_by_role("button", name="Audit", exact=True).click()


BUNDLE = Path(__file__).parents[2] / "sample_data" / "audit" / "first.zip"
WHOLE = """() => {  // lines of the audit that do not end within it, and whether the graph ends within the app
    const [audit, main, graph] = [".pe-audit", ".pe-main", ".pe-graph"].map((one) => document.querySelector(one));
    const end = audit.getBoundingClientRect().bottom;
    const out = [...audit.querySelectorAll("dd, p, button")].filter((one) => one.getBoundingClientRect().bottom > end);
    const over = graph.getBoundingClientRect().bottom - main.getBoundingClientRect().bottom;
    return [out.map((one) => one.textContent), over <= 1];
}"""


def test_all_of_the_audit_of_a_bundle_is_in_sight_also_after_a_verdict(app):
    page = app
    page.set_viewport_size({"width": 1280, "height": 800})
    page.evaluate("() => window.jupyterapp.shell.expandLeft()")
    run_new_cell(page, f"app.open(ws.traces.load(ws.import_record({str(BUNDLE)!r}, progress=False).traces[0]))")
    audit = opened(page)
    expect(audit).to_contain_text("of the sender's ledger, 2026-03-02 09:00, signed by")
    expect(audit).to_contain_text("Checked")
    rest(page)
    assert page.evaluate(WHOLE) == [[], True]
    audit.get_by_label("Your name").fill("")
    audit.get_by_role("button", name="Supported", exact=True).click()
    expect(audit).to_contain_text("✓ supported · no name given")
    rest(page)
    assert page.evaluate(WHOLE) == [[], True]
