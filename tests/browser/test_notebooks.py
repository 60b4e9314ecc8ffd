"""The notebooks with an app in them, all of their cells run, and the app used after."""

import shutil

import nbformat
import pytest
from playwright.sync_api import expect

from tests.browser import jupyter
from tests.browser.app import ask, marked, select_kind, until_ended
from tests.browser.conftest import run_all
from tests.each import each

pytestmark = pytest.mark.notebook


@pytest.fixture
def running(stage):
    """running(name): the page, once all cells of a notebook have run beside the sample data."""
    sample = jupyter.NOTEBOOKS.parent / "sample_data"
    shutil.copytree(sample, stage.server.root.parent / "sample_data", dirs_exist_ok=True)

    def run(name):
        cells = nbformat.read(jupyter.NOTEBOOKS / name, as_version=4).cells
        page = stage.show(*(cell.source for cell in cells if cell.cell_type == "code"))
        page.locator(".pe").first.scroll_into_view_if_needed()
        return page

    yield run
    assert stage.seen.complaints() == []


@each(
    ("name", "question", "answer", "words"),
    [
        (
            "03_your_documents.ipynb",
            "Who founded the chess club?",
            "Robert Smith",
            "Robert Smith founded the chess club",
        ),
        ("05_agents.ipynb", "Who appointed the Review Board?", "Paine", "Review Board"),
    ],
)
def test_the_app_below_the_other_cells_answers_and_leads_to_the_words(running, name, question, answer, words):
    page = running(name)
    page.get_by_role("tab", name="Ask").click()
    ask(page, question)
    expect(page.locator(".pe-answer .pe-body")).to_contain_text(answer)
    select_kind(page, "EdgeSelection")
    assert words in marked(page)


def test_the_app_of_the_audit_opens_an_imported_run_and_says_what_checking_found(running):
    page = running("08_audit.ipynb")
    page.locator(".pe-runs button").first.click()
    until_ended(page)
    expect(page.locator(".pe-audit")).to_contain_text("no fault found")
    select_kind(page, "EdgeSelection")
    assert marked(page)


def test_run_all_of_the_first_notebook_ends_at_the_app(page, open_notebook):
    page.set_viewport_size({"width": 1280, "height": 800})
    open_notebook(page, jupyter.NOTEBOOKS / "01_explore.ipynb")
    run_all(page)
    expect(page.locator(".pe-question input")).to_be_in_viewport()
    active = "() => jupyterapp.shell.currentWidget.content.activeCell.model.sharedModel.source"
    assert "explorer.app" in page.evaluate(active)
