"""Runs of agents in a real JupyterLab: steps and folded runs, from the answer to the very words, and a stopped run."""

import re

from playwright.sync_api import expect

from tests.browser.app import FIRST_FACT, click_label, heading, let_go, marked, select_kind
from tests.browser.conftest import poll, rest
from tests.browser.test_past import CELLS, TEAM

__all__ = ["CELLS"]

STOPPED = f"""\
run = ws.ask({TEAM!r}, engine="agent", pattern="react")
for _ in range(5):
    next(run)
run.close()
app.open(ws.traces.list(limit=1)[0].iri)"""


def test_a_team_leads_from_its_answer_to_the_very_words_and_a_stopped_run_says_where(app, showing):
    showing(f"app.ask({TEAM!r}, engine='agent', pattern='supervisor')")
    let_go(app)
    click_label(app, "◈ Finding 1")
    expect(heading(app)).to_have_text("Finding 1")
    app.locator(".pe-cite").first.click()
    expect(heading(app)).to_have_text(FIRST_FACT)
    assert "oxygen tank no. 2" in marked(app).lower()
    app.locator(".pe-cite").last.click()
    expect(heading(app)).to_have_text(re.compile(r"^(Fact|Passage) \d+ of "))
    assert "28 V DC" in marked(app)
    way = re.compile("Agent for this part › Graph search$")
    expect(app.locator(".pe-trail")).to_have_text(way, use_inner_text=True)
    for _ in range(2):
        app.get_by_role("button", name="‹ Back").click()
    poll(app, "() => document.querySelector('.pe').explorer.store.level", "")
    expect(heading(app)).to_have_text("Sub-run")

    showing(STOPPED)
    rest(app)  # that nothing is selected any more comes a moment after the run
    select_kind(app, "Failure")
    expect(heading(app)).to_have_text("Where it was stopped")
    expect(app.locator(".pe-detail .pe-trouble")).to_contain_text("Stopped on request.")
