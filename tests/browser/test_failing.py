"""Runs that fail at each call of the model there is, in each way of asking: the page says where, and keeps the rest."""

import re
from pathlib import Path

from playwright.sync_api import expect

from tests.browser.app import QUESTION
from tests.each import each

ROOT = Path(__file__).parents[2]
CELLS = (
    f"""\
import re
import sys
sys.path.insert(0, {str(ROOT)!r})
import explorer
from explorer.errors import ModelError
from tests.script import SEARCHED, Script, answers, calls

SAID = "The shelf was removed from the service module of Apollo 10. [1]"  # as its source does: without a check too

def read(asked):
    told = re.findall(r'"(\\d+)": "([^"]*)"', asked.text)
    return SAID.replace("1]", next(number for number, text in told if "service module of Apollo 10" in text) + "]")

LOOKED = calls("knowledge-query", question="Why did the tank fail?")
REPLIES = {{
    **SEARCHED,
    "document-prompt": read,
    "agent-react": [LOOKED, answers(SAID)],
    "plan-create": [[{{"goal": "Find out"}}]],
    "plan-step-execute": {{"tool": "knowledge-query", "arguments": {{"question": "Why did the tank fail?"}}}},
    "plan-synthesise": SAID,
    "supervisor-decompose": [["Why did the tank fail?", "When did the tank fail?"]],
    "supervisor-synthesise": SAID,
}}

class Failing(Script):
    at = 0

    def complete(self, messages, *, schema=None):
        if len(self.asked) + 1 == self.at:
            raise ModelError("The model is away.")
        yield from super().complete(messages, schema=schema)

def ask(at, engine, **how):
    ws.chat = Failing(REPLIES)
    ws.chat.at = at
    app.ask({QUESTION!r}, engine, **how)

ws = explorer.open()
ws.ingest({str(ROOT / "sample_data" / "apollo13" / "documents" / "tank-history.md")!r}, progress=False)
app = explorer.app(ws, pace=0)
app""",
)
WAYS = {  # how it is asked: at least so many calls of the model are made
    "'graph-rag'": 2,
    "'document-rag'": 2,
    "'agent', pattern='react'": 4,
    "'agent', pattern='plan-then-execute'": 4,
    "'agent', pattern='supervisor', parallel=1": 4,
}
SHOWN = """() => {
    const { store } = document.querySelector(".pe").explorer;
    const kinds = [...store.nodes.values()].map(({ kind }) => kind);
    return {
        state: store.state,
        nodes: kinds.length,
        failures: kinds.filter((kind) => kind === "Failure").length,
    };
}"""
SELECT_FAILURE = """() => {  // of the run itself, which comes after that of a step
    const { store, select } = document.querySelector(".pe").explorer;
    select([...store.nodes.values()].findLast(({ kind, level }) => kind === "Failure" && !level).id);
}"""


@each("way", WAYS)
def test_the_page_says_where_a_run_failed(app, showing, way):
    number = 1
    while (shown := showing(f"ask({number}, {way})").evaluate(SHOWN))["failures"]:
        assert shown["nodes"] >= 2
        if shown["state"] == "error":
            expect(app.locator(".pe-bar .pe-trouble-line")).to_contain_text("The model is away")
            app.evaluate(SELECT_FAILURE)
            expect(app.locator(".pe-detail .pe-trouble")).to_contain_text("The model is away")
        number += 1
    assert shown["state"] == "done", "nothing failed, but the run did not answer"
    # The call that fails last is the check of the answer, which stands without it, and says so.
    app.locator(".pe-answer .pe-badge").filter(has_text=re.compile("Answered|Unsure")).click()
    expect(app.locator(".pe-detail")).to_contain_text("check not done: The model is away")
    assert number > WAYS[way]
