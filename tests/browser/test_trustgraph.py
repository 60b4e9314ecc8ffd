"""TrustGraph in the app: watched as it answers through a cut, read down to the words, and opened from its store."""

from pathlib import Path

from playwright.sync_api import expect

from tests.browser.app import STORE, choose, heading, marked, press_ask, select_kind, until_ended
from tests.browser.conftest import EXECUTE, poll, portrait
from tests.trustgraph.played import HALF_LIFE, QUESTION

CELLS = (
    f"""\
import sys, threading
sys.path.insert(0, {str(Path(__file__).parents[2])!r})
import explorer
from tests.trustgraph.played import CUT, TOKEN, Played
go, cuts = threading.Event(), [CUT]
def change(messages):
    for number, message in enumerate(messages):
        if cuts and number == 5:
            yield cuts.pop()
        if number == 4:
            go.wait(60)
        yield message
gateway = Played(change).__enter__()
app = explorer.app(explorer.connect_trustgraph(gateway.address, token=TOKEN), pace=0.01)
app""",
)
KINDS = f"() => [...{STORE}.nodes.values()].map(({{ kind }}) => kind)"
HAS_PASSAGES = f"() => [...{STORE}.nodes.values()].some(({{ kind }}) => kind === 'Passage')"


def run(page, code):
    assert page.evaluate(EXECUTE, code) is None


def test_an_answer_of_trustgraph_grows_through_a_cut_and_leads_to_its_words(app):
    press_ask(app, QUESTION)
    poll(app, f"() => [...{STORE}.nodes.values()].some(({{ kind }}) => kind === 'Focus')", True)  # while it goes on
    assert app.evaluate(f"() => {STORE}.state") == "running"
    run(app, "go.set()")
    until_ended(app)
    expect(app.locator(".pe-trouble-line:visible")).to_contain_text(
        "The rest was read from what TrustGraph has stored."
    )
    assert app.evaluate(f"() => {STORE}.state") == "done"
    assert "Passage" not in app.evaluate(KINDS), "nobody has asked for it yet"
    expect(app.locator(".pe-answer")).to_contain_text("Marie Curie discovered radium in 1898")
    select_kind(app, "EdgeSelection")
    poll(app, HAS_PASSAGES, True)
    assert "adium" in marked(app)
    portrait(app, "trustgraph-source")

    app.get_by_role("tab", name="Past runs").click()
    stored = app.locator(".pe-past .pe-runs li").filter(has_text="Passage search")
    stored.locator("button.pe-share").first.click()
    until_ended(app)
    select_kind(app, "ChunkSelection")
    poll(app, HAS_PASSAGES, True)
    assert "Marie Curie" in marked(app)

    app.get_by_role("tab", name="Ask").click()
    choose(app, "Strategy", "Agent")
    press_ask(app, HALF_LIFE)
    expect(app.locator(".pe-answer")).to_contain_text("which is 16 centuries")
    until_ended(app)
    select_kind(app, "Conclusion")
    expect(heading(app)).to_have_text("Answer")
