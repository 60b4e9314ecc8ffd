"""The app in a real marimo, in a shadow of its page: a document is added, asked, and followed to its words."""

import sys

from playwright.sync_api import expect

from tests.browser import jupyter
from tests.browser.app import FIRST_FACT, QUESTION, heading, press_ask
from tests.browser.test_documents import DOCUMENTS

NOTEBOOK = """\
import marimo

app = marimo.App(width="full")


@app.cell
def _():
    import explorer

    explorer.app(pace=0)
    return


if __name__ == "__main__":
    app.run()
"""


def test_a_document_is_added_asked_and_followed_to_its_words_and_the_run_is_there_again(page, tmp_path):
    (tmp_path / "notebook.py").write_text(NOTEBOOK)
    command = [sys.executable, "-m", "marimo", "run", "notebook.py", "--headless", "--no-token"]
    marimo = jupyter.serve(tmp_path, command, "marimo")
    try:
        page.goto(marimo.url)
        page.get_by_label("Files to add").set_input_files(DOCUMENTS / "investigation-report.pdf")
        expect(page.get_by_role("tab", name="Documents 1")).to_have_attribute("aria-selected", "true")
        page.get_by_role("tab", name="Documents 1").focus()
        page.keyboard.press("ArrowLeft")
        expect(page.get_by_role("tab", name="Ask")).to_be_focused()
        press_ask(page, QUESTION)
        page.locator(".pe[data-state=done]").wait_for()
        page.locator(".pe-answer .pe-cite").first.click()
        page.get_by_role("button", name="more", exact=True).click()
        expect(heading(page)).to_have_text(FIRST_FACT)
        expect(page.locator(".pe-source .pe-paper.picture mark.mine").first).to_be_in_viewport()

        page.get_by_role("tab", name="Past runs 1").click()
        page.locator(".pe-past .pe-runs button.pe-share").click()
        expect(page.locator(".pe-replay")).to_contain_text(QUESTION)
        page.evaluate("() => document.body.classList.replace('light', 'dark')")
        expect(page.locator(".pe")).to_have_attribute("data-theme", "dark")
    finally:
        marimo.stop()
