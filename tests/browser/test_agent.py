"""Runs of agents in a real JupyterLab: steps and folded runs, from the answer to the very words, and a stopped run."""

import re
from pathlib import Path

import nbformat
import pytest
from playwright.sync_api import expect

from tests.browser.conftest import poll, run_all
from tests.browser.test_explore import FIRST_FACT, RECORD_LABELS, click_label, heading, marked, screenshot, until_ended

DOCUMENTS = Path(__file__).parents[2] / "sample_data" / "apollo13" / "documents"
KERNEL = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
ASKED = "Why did oxygen tank no. 2 fail, and what voltage were the thermostatic switches rated for?"
OPENED = f"""\
import explorer
ws = explorer.open()
ws.ingest({str(DOCUMENTS / "investigation-report.pdf")!r}, progress=False)
app = explorer.app(ws, pace=0.01)
app"""
STOPPED = f"""\
run = ws.ask({ASKED!r}, engine="agent", pattern="react")
for _ in range(5):
    next(run)
run.close()
app.open(ws.traces.list(limit=1)[0].iri)"""


@pytest.fixture
def asked(page, open_notebook, tmp_path):
    """asked(code): a page whose notebook has opened the app on one document and then run this code."""
    page.add_init_script(RECORD_LABELS)

    def run(code):
        path = tmp_path / "agent.ipynb"
        cells = [nbformat.v4.new_code_cell(source) for source in (OPENED, code)]
        nbformat.write(nbformat.v4.new_notebook(metadata=KERNEL, cells=cells), path)
        open_notebook(page, path)
        run_all(page)
        page.locator(".pe .pe-canvas").wait_for()
        until_ended(page)
        return page

    return run


def chips(page):
    return page.eval_on_selector_all(".pe-stage", "all => all.map(({ dataset }) => [dataset.kind, dataset.state])")


def test_a_team_leads_from_its_answer_to_the_very_words_and_a_stopped_run_says_where(asked):
    page = asked(f"app.ask({ASKED!r}, engine='agent', pattern='supervisor'); app.wait()")
    stages = ("Question", "PatternDecision", "Decomposition", "Finding", "Finding", "Synthesis")
    assert chips(page) == [[stage, "done"] for stage in stages]
    click_label(page, "◈ Finding 1")
    expect(heading(page)).to_have_text("Finding 1")
    assert "Oxygen tank no. 2 failed because a fire" in page.locator(".pe-answer .pe-body").inner_text()

    page.locator(".pe-cite").first.click()
    expect(heading(page)).to_have_text(FIRST_FACT)
    expect(page.locator(".pe-triple")).to_contain_text("oxygen tank no. 2")
    assert "oxygen tank no. 2" in marked(page).lower()
    page.locator(".pe-cite").last.click()
    expect(heading(page)).to_have_text(re.compile(r"^(Fact|Passage) \d+ of "))
    assert "28 V DC" in marked(page)
    expect(page.locator(".pe-trail")).to_have_text(
        re.compile("Agent for this part › Graph search$"), use_inner_text=True
    )
    screenshot(page, "agent-team")
    for _ in range(2):
        page.get_by_role("button", name="‹ Back").click()
    poll(page, "() => document.querySelector('.pe').explorer.store.level", "")
    expect(heading(page)).to_have_text("Run within")

    replace_last_cell(page, STOPPED)
    poll(page, "() => document.querySelector('.pe').dataset.state", "stopped")
    until_ended(page)
    assert ["Failure", "failed"] in chips(page)
    page.locator(".pe-stage.failed").click()
    expect(heading(page)).to_have_text("Where it was stopped")
    expect(page.locator(".pe-detail .pe-trouble")).to_contain_text("Stopped on request.")
    screenshot(page, "agent-stopped")


def replace_last_cell(page, code):
    page.evaluate(
        """code => {
            const { content } = window.jupyterapp.shell.currentWidget;
            content.activeCellIndex = content.widgets.length - 1;
            content.activeCell.model.sharedModel.setSource(code);
            window.jupyterapp.commands.execute("notebook:run-cell");
        }""",
        code,
    )
