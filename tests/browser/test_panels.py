"""The parts of the app as widgets among others: what is asked and clicked in one is seen in all."""

import pytest
from playwright.sync_api import expect

from tests.browser.app import FIRST_FACT, QUESTION, heading, press_ask, unfold
from tests.browser.conftest import poll, run_new_cell

pytestmark = pytest.mark.notebook
CELLS = (
    """
import explorer, ipywidgets as ipw
app = explorer.app(explorer.demo(), pace=0)
question, answer, graph, source = app.panels
number = ipw.IntSlider(min=1, max=2)
number.observe(lambda change: graph.set_trait("selected", app.trace.edges[change["new"] - 1].iri), "value")
ipw.VBox([question, ipw.HBox([graph, source]), answer, number])
""",
)
LIT = "() => document.querySelector('.pe:has(> .pe-stage-area)').explorer.store.path.length"


def test_what_is_asked_and_clicked_in_one_part_is_seen_in_the_others(stage):
    page = stage.show(*CELLS)
    press_ask(page, QUESTION)
    page.locator(".pe-answer .pe-cite").first.click()
    page.locator(".pe-source mark.mine").first.wait_for()
    unfold(page)
    expect(heading(page)).to_have_text(FIRST_FACT)
    expect(page.locator(".pe-source mark.mine").first).to_be_visible()
    poll(page, LIT, lambda lit: lit > 4)
    run_new_cell(page, "number.value = 2")
    expect(heading(page)).to_contain_text("Fact 2 of")
    assert stage.seen.complaints() == []
