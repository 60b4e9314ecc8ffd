"""The notebooks with an app in them, all of their cells run, and the app used after."""

import re
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import run_all
from tests.browser.test_explore import ask, marked, until_ended

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
CLICK_FACT = """() => {
    const { store, select } = document.querySelector(".pe").explorer;
    select([...store.nodes.values()].find(({ kind }) => kind === "EdgeSelection").id);
}"""


@pytest.fixture
def running(page, lab, open_notebook):
    """running(name): the page of a notebook beside the sample data, after Run All."""
    shutil.copytree(NOTEBOOKS.parent / "sample_data", lab.root.parent / "sample_data", dirs_exist_ok=True)

    def run(name):
        open_notebook(page, NOTEBOOKS / name)
        run_all(page)
        page.locator(".pe").first.scroll_into_view_if_needed()
        return page

    return run


@pytest.mark.parametrize(
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
    page.evaluate(CLICK_FACT)
    assert words in marked(page)


def test_the_app_of_the_audit_opens_an_imported_run_and_says_what_checking_found(running):
    page = running("08_audit.ipynb")
    page.locator(".pe-runs button").first.click()
    until_ended(page)
    expect(page.locator(".pe-answer .pe-body")).to_contain_text(re.compile(r"\w+ \w+"))
    expect(page.locator(".pe-audit")).to_contain_text("Checked")
    page.evaluate(CLICK_FACT)
    assert marked(page)
