"""Runs of other pipelines in a real JupyterLab: they grow while they go on, and each sentence leads to its words."""

from playwright.sync_api import expect

from tests.browser.app import heading, marked, select_kind
from tests.browser.conftest import EXECUTE, poll, portrait as screenshot
from tests.browser.test_past import DOCUMENTS

CELLS = (
    f"""\
import explorer, threading
ws = explorer.open()
ws.ingest({str(DOCUMENTS / "tank-history.md")!r}, progress=False)
app = explorer.app(ws, pace=0.01)
app""",
)
HERE = "The heater thermostatic switches were rated for 28 volts"
SEARCH = """
words = next(one.text for one in ws.documents[0].passages if "volts" in one.text) if False else None
from explorer.stores.documents import documents
chunk = ws.stores.library.holding("tank")[0]
text = ws.stores.sources.chunk(chunk)[0].text
go = threading.Event()
def pipeline():
    with ws.record("What became of the tank?", pipeline="LangChain", watch=app.watch) as run:
        run.looked_at([{"text": text, "id": "a", "score": 12.5},
            {"page_content": "The review board met in Houston. It wrote a long report.", "metadata": {"source": "https://example.org/r.pdf", "page": 3}},
            "Cheese is made of milk, as everybody knows."])
        run.kept([{"text": text, "id": "a"}], scores=[0.9], why=["speaks of the tank"], left="below 0.3")
        run.prompt("Use this: " + text, model="gpt-x")
        go.wait(60)
        run.answer(text.strip().splitlines()[-1].split(". ")[0] + ". Elephants own the moon.")
threading.Thread(target=pipeline).start()
"""
AGENT = """
with ws.record("Which pump failed, and who fixed it?", pipeline="LangGraph") as run:
    with run.step("tool", name="search", arguments={"query": "pump", "api_key": "sk-1234567890abcdefghijkl"}) as step:
        step.looked_at([{"text": "The second pump failed in March because its seal had worn out.", "id": "d1", "title": "Log book", "score": 0.8},
                        {"text": "Lunch was served at noon on deck two.", "id": "d2"}])
        step.done("The second pump failed in March because its seal had worn out.")
    run.step("tool", name="calculator", arguments="2+2", result=4)
    run.looked_at(["Ada Smith replaced the seal of the pump on 3 April."], scores=[3.4], query="who fixed it")
    run.answer("The second pump failed in March because its seal had worn out. Ada Smith replaced the seal on 3 April. The captain was furious.")
app.open(run.iri)
"""


def run(page, code):
    assert page.evaluate(EXECUTE, code) == "ok"


def test_a_search_grows_and_each_sentence_leads_to_its_words(app, showing):
    run(app, SEARCH)
    poll(app, "() => [...document.querySelector('.pe').explorer.store.nodes.values()].some(({kind}) => kind === 'Focus')", True)
    screenshot(app, "recorded-growing")
    run(app, "go.set()")
    poll(app, "() => document.querySelector('.pe').explorer.store.state", "done")
    app.wait_for_timeout(1500)
    screenshot(app, "recorded-search")
    for kind in ("Exploration", "Focus", "ChunkSelection", "Sentence", "NotKept", "Synthesis", "Document"):
        select_kind(app, kind)
        app.wait_for_timeout(800)
        screenshot(app, f"recorded-{kind}")


def test_an_agent(app, showing):
    run(app, AGENT)
    poll(app, "() => document.querySelector('.pe').explorer.store.state", "done")
    app.wait_for_timeout(1500)
    screenshot(app, "recorded-agent")
    for kind in ("Observation", "Passage", "Conclusion", "Analysis"):
        select_kind(app, kind)
        app.wait_for_timeout(800)
        screenshot(app, f"recorded-agent-{kind}")
