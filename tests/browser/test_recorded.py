"""Runs of other pipelines in a real JupyterLab: they grow while they go on, and each sentence leads to its words."""

import re

from playwright.sync_api import expect

from tests.browser.app import STORE, click_label, heading, marked, select_kind, until_ended
from tests.browser.conftest import execute, poll

LOG = "# Log\n\nLunch was served at noon.\n\n# April\n\nAda Smith replaced the seal of the pump on 3 April.\n"
CELLS = (
    f"""\
import explorer, pathlib, tempfile, threading
folder = pathlib.Path(tempfile.mkdtemp())
(folder / "log.md").write_text({LOG!r})
ws = explorer.open()
ws.ingest(folder, progress=False)
app = explorer.app(ws, pace=0.01)
app""",
)
SEARCH = """
go = threading.Event()
SEAL = "Ada Smith replaced the seal of the pump on 3 April."
def pipeline():
    with ws.record("Who fixed the pump?", pipeline="LangChain", watch=app.watch) as run:
        run.looked_at([{"text": SEAL, "id": "a", "score": 12.5},
                       {"text": "The board met in Houston.", "source": "https://example.org/r.pdf", "page": 3},
                       "Cheese is made of milk."])
        run.kept([{"text": SEAL, "id": "a"}], scores=[0.9], why=["names who"], left="below 0.3")
        run.prompt("Use this: " + SEAL, model="my-model")
        go.wait(60)
        run.answer(SEAL + " Elephants own the moon and all its golden cheese.")
threading.Thread(target=pipeline).start()
"""
AGENT = """
with ws.record("Which pump failed, and who fixed it?", pipeline="LangGraph") as run:
    with run.step("tool", name="search", arguments={"query": "pump", "api_key": "x1y2"}) as step:
        step.looked_at([{"text": "The second pump failed in March since its seal had worn out.", "title": "Report"}])
        step.done("1 passage")
    run.looked_at([SEAL], query="who fixed it")
    run.answer("The second pump failed in March since its seal had worn out. " + SEAL)
app.open(run.iri)
"""
PLACES = """
with ws.record("Why did the pump stop?", pipeline="mine") as run:
    run.looked_at([{"text": "The pump stood still from noon. The crew had tea. Ice had formed in the fuel line."}])
    run.answer("The pump stood still at noon because ice had formed in the fuel line.")
app.open(run.iri)
"""
HAS_KEPT = f"() => [...{STORE}.nodes.values()].some(({{ kind }}) => kind === 'Focus')"


def test_a_run_of_another_pipeline_grows_and_leads_from_each_sentence_to_its_words(app):
    execute(app, SEARCH)
    poll(app, HAS_KEPT, True)  # while it goes on
    assert app.evaluate(f"() => {STORE}.state") == "running"
    select_kind(app, "Focus")
    expect(heading(app)).to_have_text("Kept")
    execute(app, "go.set()")
    until_ended(app)
    detail = app.locator(".pe-detail")
    click_label(app, "✓ “Ada Smith")
    expect(detail).to_contain_text("Explorer found its words there; the run named no source.")
    assert "replaced the seal of the pump on 3 April" in marked(app)
    dashed = f"() => {STORE}.arcs.filter(({{ kind }}) => kind === 'cites').map(({{ dashes }}) => dashes)"
    assert app.evaluate(dashed) == [True]
    click_label(app, "∅ “Elephants")
    expect(detail).to_contain_text("Nothing that was retrieved says this.")
    select_kind(app, "Exploration")
    expect(detail).to_contain_text(
        re.compile("used · no. 1 found \\(12.5\\) → no. 1 kept \\(0.9\\).*left out · no. 2 found · below 0.3")
    )
    select_kind(app, "Synthesis")
    expect(detail).to_contain_text("LangChain made this run, so it can't be asked again here.")

    execute(app, AGENT)
    until_ended(app)
    click_label(app, "✓ “The second")
    assert "pump failed in March since its seal had worn" in marked(app)
    select_kind(app, "Passage")
    expect(detail).to_contain_text(re.compile(r"What became of it\s*used"))
    select_kind(app, "Analysis")
    expect(detail).to_contain_text("[masked]")

    execute(app, PLACES)
    until_ended(app)
    click_label(app, "✓ “The pump stood still")
    assert re.search("pump stood still from noon.*Ice had formed in the fuel line", marked(app), re.DOTALL)
    assert "had tea" not in marked(app)
