"""Every kind of node there is, looked at with the mouse and then without: in runs of each engine, and in records."""

import re
from collections import deque
from pathlib import Path

import pytest
from playwright.sync_api import expect

from explorer.wording import kinds
from tests.browser.app import heading, point_at
from tests.browser.conftest import poll, rest
from tests.each import each

DOCUMENTS = Path(__file__).parents[2] / "sample_data" / "apollo13" / "documents"
QUESTION = "Why did oxygen tank no. 2 fail, and what voltage were the thermostatic switches rated for?"
OPENED = f"""\
import explorer
ws = explorer.open()
ws.ingest({str(DOCUMENTS / "investigation-report.pdf")!r}, {str(DOCUMENTS / "tank-history.md")!r}, progress=False)
question = {QUESTION!r}
app = explorer.app(ws, pace=0)
app"""
RECORDS = """\
from pyoxigraph import Literal, NamedNode, Triple
from explorer import entities as e, rdf
from explorer.record.trace import Trace
from explorer.events import Explain
from explorer.vocab import entity_iri, iri

def told(one, *parts):
    return Explain(one.iri, tuple(rdf.triples(one, parts=parts)))

asked = iri("agent-question", "a")
rare = Trace([
    told(e.AgentQuestion(iri=asked, query="Why?")),
    *(told(cls(iri=f"urn:rare:{cls.__name__}", label="Rare", derived_from=(asked,)))
      for cls in (e.Thought, e.Reflection, e.Failure, e.Image, e.Chunk, e.Subgraph, e.Entity)),
])
first, focus = iri("question", "m"), iri("focus", "m")
kept = [
    e.EdgeSelection(iri=iri("edge", "m", number), score=0.5, reasoning="It fits.", concept="tank",
        edge=Triple(NamedNode(entity_iri(f"tank {number}")), NamedNode(entity_iri("holds")), Literal("oxygen")))
    for number in range(120)
]
many = Trace([
    told(e.GraphRagQuestion(iri=first, query="Which tanks?")),
    told(e.Focus(iri=focus, derived_from=(first,), selected_edges=tuple(one.iri for one in kept)), *kept),
    told(e.Synthesis(iri=iri("synthesis", "m"), derived_from=(focus,))),
])"""
CELLS = (OPENED, RECORDS)
RUNS = {  # what shows it in the app: the kinds that are looked at there
    "searches": {
        "app.ask('Why could oxygen tank no. 2 not be emptied normally before the launch?')": {
            *("Question", "Grounding", "Concept", "Exploration", "NotKept", "Focus", "EdgeSelection"),
            *("ChunkSelection", "Passage", "Page", "Section", "Document", "Sentence"),
        },
        "app.ask('Why did oxygen tank no. 2 fail?')": {"Rest"},
        "app.ask('Who is the mayor of Lisbon?', selector='rerank')": {"Nearest", "Near", "Synthesis"},
    },
    "agents": {
        "app.ask(question, 'agent', pattern='react')": {
            *("PatternDecision", "Analysis", "Run", "Observation", "Conclusion"),
        },
        "app.ask(question, 'agent', pattern='plan-then-execute')": {"Plan", "Goal", "StepResult"},
        "app.ask(question, 'agent', pattern='supervisor')": {"Decomposition", "Finding"},
    },
    "records": {
        "app.open(rare)": {"Thought", "Reflection", "Failure", "Unknown", "Image", "Chunk", "Subgraph"},
        "app.open(many)": {"Folded", "More"},
    },
}
WALKED = {  # the kinds that keys lead to, within folded runs too
    "app.ask(question, 'agent', pattern='react')": {"Run", "Observation", "Conclusion", "EdgeSelection", "Passage"},
    "app.open(many)": {"EdgeSelection", "Folded", "More"},
}
FIRSTS = """() => {  // of each kind the first node; one that no folded run hides goes before all others
    const { store } = document.querySelector(".pe").explorer;
    const firsts = {};
    const drawn = [...store.nodes.values()].filter(({ spots }) => Object.keys(spots ?? { "": 0 }).length);
    for (const node of drawn) {
        const known = firsts[node.kind];
        if (!known || (known.level && !node.level)) firsts[node.kind] = node;
    }
    return Object.fromEntries(Object.entries(firsts).map(([kind, { id }]) => [kind, id]));
}"""
AT = """() => {
    const { store } = document.querySelector(".pe").explorer;
    const node = store.nodes.get(store.selected);
    return { id: node?.id, kind: node?.kind, opens: node?.opens, level: store.level,
             within: node?.level ?? "" };
}"""
NOTHING_PENDING = """() => {
    const { live, source, sources, others } = document.querySelector(".pe").explorer.store;
    return !live || ((!source || sources.has(source.key)) && ![...others.values()].includes(null));
}"""
UNFOLDED = """() => {  // the drawing on show, once what is in it has come
    const { level, nodes } = document.querySelector(".pe").explorer.store;
    const isIn = ({ spots, level: own = "" }) => (spots ? level in spots : own === level);
    return [...nodes.values()].some(isIn) ? level : null;
}"""
ARROWS = ("ArrowDown", "ArrowRight", "ArrowLeft", "ArrowUp")


def at(page):
    return page.evaluate(AT)


def check_detail(page, kind):
    """What is selected is told in words, beside the record's own term, with the raw triples one click away."""
    expect(heading(page)).to_have_text(re.compile(".{4}"))
    detail = page.locator(".pe-detail")
    expect(detail.locator(".pe-rows > *").first, kind).to_be_attached()
    expect(page.locator(".pe-crumbs [aria-current]")).to_have_count(1)
    raw = detail.locator(".pe-raw")
    expect(raw).to_have_count(0 if kind == "Folded" else 1)  # which is of the drawing alone
    if raw.count():
        poll(page, NOTHING_PENDING, True)  # what is drawn anew between press and release of the button hears no click
        expect(raw.locator("> table")).to_be_hidden()
        raw.locator("> summary").click()
        expect(raw.locator("tr").first, kind).to_be_visible()
        raw.locator("> summary").click()


def click_node(page, node):
    """Click a node where it is drawn, in whatever drawing that is."""
    page.locator(".pe-canvas").evaluate("one => one.scrollIntoView({ block: 'end' })")  # clear of the bar above
    rest(page)
    page.mouse.click(*point_at(page, node))
    poll(page, f"() => ({AT})().id", node)
    page.wait_for_timeout(350)  # a second click any sooner would be a double click


class Walk:
    """Goes through drawings by keys alone until every wanted kind was met, and looks at the detail of each kind.

    From each node all arrows are tried; then the way to the nearest that has some left is the shortest that is known.
    When a drawing is exhausted, what is folded in it is opened with Enter, and left again with Escape.
    """

    def __init__(self, page, wanted):
        self.page, self.wanted, self.met = page, set(wanted), set()
        self.at = at(page)

    def key(self, key):
        self.page.keyboard.press(key)
        self.at = at(self.page)

    def through(self):
        """The drawing on show, and what is folded in it."""
        ways, folded = {}, {}
        self.key("ArrowDown")
        self.explore(ways, folded)
        for fold, above in folded.items():
            if self.wanted <= self.met:
                return
            self.travel(ways, fold)
            self.page.keyboard.press("Enter")
            poll(self.page, UNFOLDED, fold)
            self.through()
            while self.at["level"] != above:
                self.key("Escape")

    def explore(self, ways, folded):
        """Everything that arrows reach in this drawing, until all kinds are met."""
        for _ in range(1000):
            here = self.look(ways, folded)
            if self.wanted <= self.met:
                return
            untried = [key for key in ARROWS if key not in ways[here]]
            key = untried[0] if untried else first_key(ways, here, lambda node: len(ways.get(node, {})) < len(ARROWS))
            if key is None:
                return
            self.press(ways, key)
        raise AssertionError(f"after 1000 keys only {sorted(self.met)} were met, not {sorted(self.wanted - self.met)}")

    def travel(self, ways, goal):
        for _ in range(100):
            here = self.at["id"]
            if here == goal:
                return
            self.press(ways, first_key(ways, here, lambda node: node == goal))
        raise AssertionError(f"100 keys did not lead to {goal}")

    def press(self, ways, key):
        here = self.at["id"]
        self.key(key)
        ways[here][key] = self.at["id"]

    def look(self, ways, folded):
        here = self.at
        ways.setdefault(here["id"], {})
        if here["opens"] and here["within"] == here["level"]:  # those beside a fold that is open wait until it is left
            folded[here["id"]] = here["level"]
        if here["kind"] not in self.met:
            self.met.add(here["kind"])
            expect(heading(self.page)).to_have_text(re.compile(".{4}"))
        return here["id"]


def first_key(ways, start, there):
    """The first key of the shortest known way to a node of which `there` holds."""
    queue, seen = deque([(start, None)]), {start}
    while queue:
        node, first = queue.popleft()
        if node != start and there(node):
            return first
        for key, beside in ways.get(node, {}).items():
            if beside not in seen:
                seen.add(beside)
                queue.append((beside, first or key))
    return None


def test_no_kind_is_left_out():
    looked_at = [kind for runs in RUNS.values() for kinds_there in runs.values() for kind in kinds_there]
    assert sorted(looked_at) == sorted(kinds.KINDS)


@pytest.mark.parametrize("runs", RUNS)
def test_every_kind_is_looked_at_with_the_mouse(app, showing, runs):
    for code, wanted in RUNS[runs].items():
        showing(code)
        app.set_viewport_size({"width": 2200, "height": 1000})  # with room for the column of pages
        firsts = app.evaluate(FIRSTS)
        for kind in sorted(wanted):
            click_node(app, firsts[kind])
            check_detail(app, kind)
        app.evaluate("() => document.querySelector('.pe').explorer.clear()")


@each("code", WALKED)
def test_keys_alone_lead_everywhere(app, showing, code):
    showing(code)
    app.locator(".pe-canvas").focus()
    while at(app)["id"] or at(app)["level"]:
        app.keyboard.press("Escape")
    walk = Walk(app, WALKED[code])
    walk.through()
    assert walk.met >= WALKED[code]
