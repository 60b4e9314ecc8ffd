"""The audit of an answer in a real JupyterLab: seal and checks, verdicts by keys, report and bundle."""

import re
import zipfile
from pathlib import Path

from playwright.sync_api import expect

from tests.browser.app import STORE, ask, marked, view
from tests.browser.axe import complaints
from tests.browser.conftest import boxes, poll, rest, run_new_cell

DOCUMENTS = Path(__file__).parents[2] / "sample_data" / "apollo13" / "documents"
QUESTION = "When did the crew stir the tanks, and who chaired the Review Board?"
CELLS = (
    f"""\
import explorer
ws = explorer.open()
ws.ingest({str(DOCUMENTS / "investigation-report.pdf")!r}, progress=False)
app = explorer.app(ws, pace=0.01)
app""",
)


SENTENCES = f"() => {STORE}.answer.runs.filter(({{ node }}) => node).length"


def opened(page):
    """The audit of the run on show."""
    view(page, "Audit")
    audit = page.get_by_role("region", name="Audit")
    expect(audit).to_contain_text("Sentence 1 of")
    return audit


def closed(page):
    view(page, "Audit")
    expect(page.get_by_role("region", name="Audit")).to_be_hidden()


def test_an_audit_begins_at_sentence_1_and_a_verdict_goes_on_with_the_source(app):
    app.set_viewport_size({"width": 1280, "height": 800})
    ask(app, QUESTION)
    assert app.evaluate(SENTENCES) == 2
    audit = opened(app)
    expect(app.locator(".pe-answer .pe-sentence.on")).to_have_count(1)
    sealed = re.compile(r"Record unchanged since \d+ \w+ \d{4}, \d\d:\d\d: sealed")
    expect(audit.locator(".pe-seal")).to_contain_text(sealed)
    assert audit.get_by_label("Comment").bounding_box()["width"] > 240
    first = " ".join(marked(app).split())
    assert first in app.locator(".pe-answer .pe-sentence").first.inner_text()
    expect(audit).to_contain_text(": sealed, unsigned (entry 1) · no fault found")
    audit.get_by_label("Your name").fill("Ada")
    audit.get_by_label("Comment").fill("<b>page 4</b>")
    audit.get_by_role("button", name="Supported", exact=True).click()
    expect(audit).to_contain_text("Sentence 2 of 2")
    expect(audit).to_contain_text("1 of 2 sentences reviewed: supported · by Ada")
    assert " ".join(marked(app).split()) != first
    app.keyboard.press("2")
    expect(audit).to_contain_text("2 of 2 sentences reviewed: 1 supported, 1 not · by Ada")
    expect(audit, "after the last it stays").to_contain_text("Sentence 2 of 2")
    rest(app)
    assert not complaints(app)
    app.keyboard.press("ArrowLeft")
    expect(audit).to_contain_text("✓ Ada: supported · <b>page 4</b>")
    app.keyboard.press("3")
    expect(audit).to_contain_text("before: Ada: supported · <b>page 4</b>")
    expect(app.locator(".pe-answer .pe-verdict").first).to_have_text("?")
    closed(app)
    expect(app.locator(".pe-answer .pe-reviewed")).to_have_text(
        "✗ 2 of 2 sentences reviewed: 1 unclear, 1 not supported · by Ada"
    )
    expect(app.locator(".pe-answer .pe-verdict")).to_have_count(0)
    app.get_by_role("tab", name="Past runs").click()
    app.get_by_role("searchbox", name="Search questions").fill("ada")
    expect(app.locator(".pe-runs li.pe-top")).to_contain_text("1 unclear")


def test_seal_and_checks_move_nothing_and_report_and_bundle_are_taken_along(app, tmp_path):
    ask(app, QUESTION)
    audit = opened(app)
    marked(app)
    rest(app)
    places = boxes(app, ".pe-source mark.mine", ".pe-canvas", ".pe-answer")
    audit.locator(".pe-seal").click()
    for words in (
        "Unsigned: it does not say who made it",
        "no name was given",
        "Checked: format, links, texts",
        "Hash",
    ):
        expect(audit).to_contain_text(words)
    rest(app)
    assert boxes(app, ".pe-source mark.mine", ".pe-canvas", ".pe-answer") == places
    expect(audit.locator(".pe-checks")).to_be_in_viewport(ratio=1)
    assert not complaints(app)
    app.keyboard.press("Escape")
    expect(audit.locator(".pe-checks")).to_have_count(0)
    for name, ending in (("Report", ".html"), ("Bundle", ".zip")):
        with app.expect_download() as download:
            audit.get_by_role("button", name=name).click()
        download.value.save_as(tmp_path / f"taken{ending}")
        assert download.value.suggested_filename.endswith(ending)
    assert zipfile.ZipFile(tmp_path / "taken.zip").testzip() is None
    expect(audit).to_contain_text("Saved as")
    expect(audit).to_contain_text("by python verify.py --fingerprint")
    ask(app, "When was the oxygen tank dropped?")
    expect(audit, "of another run it is not said").not_to_contain_text("Saved as")
    expect(audit).to_contain_text("Sentence 1 of")
    expect(app.locator(".pe-answer .pe-sentence.on").first, "and that begins at its sentence 1 too").to_be_visible()
    closed(app)


def test_the_sentence_that_is_selected_is_judged(app):
    ask(app, QUESTION)
    audit, said = opened(app), app.locator(".pe-answer .pe-claim")
    said.nth(1).click()
    expect(audit).to_contain_text("Sentence 2 of 2")
    audit.get_by_role("button", name="Not supported").click()
    expect(audit, "it goes on to what has none").to_contain_text("Sentence 1 of 2")
    sign = app.locator(".pe-sentence").nth(1).locator(".pe-verdict")
    expect(sign).to_have_text("✗")
    sign.click()
    expect(audit).to_contain_text("Sentence 2 of 2")
    closed(app)


BUNDLE = Path(__file__).parents[2] / "sample_data" / "audit" / "first.zip"


def test_the_audit_of_a_bundle_names_its_sender(app):
    run_new_cell(app, f"app.open(ws.traces.load(ws.import_record({str(BUNDLE)!r}, progress=False).traces[0]))")
    poll(app, f"() => {STORE}.mode", "past")
    audit = opened(app)
    audit.locator(".pe-seal").click()
    expect(audit).to_contain_text("of the sender's ledger, 2026-03-02 09:00, signed by")
    expect(audit).to_contain_text(": sealed when imported, unsigned (entry")
    closed(app)
