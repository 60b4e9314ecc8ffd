"""The app as somebody uses it: asking, clicking where a label is painted, and the words that a click leads to."""

import contextlib
import re

from explorer import sample
from tests.browser.conftest import ENDED, RUN, poll, rest

QUESTION = "Why did oxygen tank no. 2 fail?"
TWOFOLD = "Who chaired the Apollo 13 Review Board, and who appointed it?"  # in two sentences, which use several facts
FOLDS = "Why could oxygen tank no. 2 not be emptied normally before the launch?"  # keeps facts that it does not use
FIRST_FACT = re.compile("^Fact 1 of ")
STORE = "document.querySelector('.pe').explorer.store"
WAITING = f"() => {STORE}.waiting"
PLAYED = f"() => {STORE}.at"
LOOKED_UP = f"""() => {{
    const {{ sources, source, others }} = {STORE};
    return Boolean(source) && sources.has(source.key) && ![...others.values()].includes(null);
}}"""
COUNT_SELECTED = f"""() => {{
    window.selected = 0;
    window.uncounted?.();
    window.uncounted = {STORE}.listen((what) => {{ window.selected += what === "selected"; }});
}}"""
WHERE = """start => {
    const placed = window.labels.map(({ text, at, canvas }) => {
        const box = canvas.getBoundingClientRect();
        const scale = box.width / canvas.width;
        const [x, y] = [at.x * scale, at.y * scale];
        return { text, x: box.left + x + 4, y: box.top + y, seen: x > 0 && y > 0 && x < box.width && y < box.height };
    });
    const found = placed.find(({ text, seen }) => seen && text.startsWith(start));
    return found ? [found.x, found.y] : null;
}"""
SELECT_KIND = """kind => {
    const { store, select } = document.querySelector(".pe").explorer;
    select([...store.nodes.values()].find((node) => node.kind === kind).id);
}"""
LET_GO = """() => {
    const { store, clear } = document.querySelector(".pe").explorer;
    do clear();
    while (store.selected || store.level);
}"""
WATCH_COUNTS = """() => {
    const { dataset } = document.querySelector(".pe");
    window.counts = dataset.nodes ? [dataset.nodes] : [];
    const look = () => window.counts.at(-1) !== dataset.nodes && window.counts.push(dataset.nodes);
    new MutationObserver(look).observe(document.querySelector(".pe"), { attributeFilter: ["data-nodes"] });
}"""
POINT = """async (id) => {  // where in the window a node stands, once it is in sight and nothing moves any more
    const { graph, outline, reveal } = document.querySelector(".pe").explorer;
    for (let before, resting = 0, frames = 0; frames < 600; frames += 1) {
        reveal(id);
        await new Promise(requestAnimationFrame);
        const { left, top, right, bottom } = outline(id), box = graph.canvas.getBoundingClientRect();
        const now = [box.left + (left + right) / 2, box.top + (top + bottom) / 2];
        resting = before?.every((one, axis) => Math.abs(one - now[axis]) < 0.01) ? resting + 1 : 0;
        if (resting === 8) return now;
        before = now;
    }
    throw new Error(`${id} did not come to rest`);
}"""
UNCOVERED = """one => {  // whether all of it is seen, from corner to corner
    const { left, right, top, bottom } = one.getBoundingClientRect();
    const seen = (x, y) => one.contains(document.elementFromPoint(x, y));
    return seen(left + 3, top + 3) && seen(right - 3, bottom - 3);
}"""
SIDEWAYS = "() => document.querySelector('.pe').scrollWidth > document.querySelector('.pe').clientWidth"


def ask(page, question, engine=None):
    """Ask, and wait until the run that this begins has ended."""
    if engine:
        choose(page, "Strategy", engine)
    before = page.evaluate(RUN)
    press_ask(page, question)
    poll(page, f"() => ({RUN})() !== {before!r}", True)
    until_ended(page)


def press_ask(page, question):
    page.locator(".pe-question input").first.fill(question)
    page.get_by_role("button", name="Ask", exact=True).first.click()


def until_ended(page):
    """Until the run on show has ended, its end is painted, and the lit borders of what has just arrived have faded."""
    poll(page, ENDED, True)
    rest(page)


def click_label(page, start):
    """Click a node by the label that is painted on it."""
    page.locator(".pe-canvas").scroll_into_view_if_needed()
    rest(page)
    at = page.evaluate(WHERE, start)
    assert at, f"no painted label begins with {start!r}"
    page.evaluate(COUNT_SELECTED)
    page.mouse.click(*at)
    poll(page, "() => window.selected > 0", True)
    page.wait_for_timeout(350)  # a second click any sooner would be a double click


def point_at(page, node):
    """Where a node is drawn, once it is in sight."""
    return page.evaluate(POINT, node)


def let_go(page):
    """Select nothing, and fold what has opened with it."""
    page.evaluate(LET_GO)


def select_kind(page, kind):
    """Select the first node of a kind."""
    page.evaluate(SELECT_KIND, kind)


def choose(page, what, one):
    """Choose a "Strategy" or a "Model" in what the second line of the question opens."""
    page.locator(".pe-way").first.click()
    group = page.get_by_role("group", name="How it is answered")
    group.get_by_role("combobox", name=what, exact=True).select_option(one)
    page.keyboard.press("Escape")


def view(page, name):
    """Choose one of the menu View, such as "Audit"."""
    page.get_by_role("button", name="View ▾").first.click()
    page.get_by_role("menu", name="How it is shown").get_by_text(name, exact=False).first.click()


def tool(page, name):
    """Choose one of the graph's menu, such as "Fit"."""
    page.get_by_role("button", name="Save, find").first.click()
    menu = page.get_by_role("menu", name="Copy, save, find, zoom")
    menu.get_by_text(re.compile(f"^(✓ )?{name}$")).click()  # with a tick where it is on


def unfold(page):
    """Show all that is on record of what is selected."""
    more = page.locator(".pe-detail").get_by_role("button", name="more", exact=True)
    if more.count():
        more.click()


def present(page):
    """Present what is on show; `leave_present` ends it."""
    view(page, "Present")
    page.locator(".pe.presents").wait_for()
    rest(page)


def leave_present(page):
    """Press Escape until nothing is presented."""
    for _ in range(4):
        if not page.locator(".pe.presents").count():
            break
        page.keyboard.press("Escape")
        rest(page)
    page.locator(".pe.presents").wait_for(state="detached")


def each_size(page, *sizes):
    """The page in one size of the window after the other, at rest."""
    for width, height in sizes:
        page.set_viewport_size({"width": width, "height": height})
        rest(page)
        yield width, height


def heading(page):
    """What the detail is headed with: a locator to `expect` something of."""
    return page.locator(".pe-detail h3")


def marked(page):
    """The highlighted words in the source panel, once the page has come, and what is looked up for the detail."""
    page.locator(".pe-source .pe-paper.picture, .pe-source .pe-paper.words").wait_for()
    poll(page, LOOKED_UP, True)
    return "".join(page.locator(".pe-source mark.mine").all_text_contents())


def recorded():
    """The run as it stands on record in the demo workspace, read by another process."""
    with contextlib.closing(sample.demos()) as demos:
        ws = next(demos)
        return ws.traces.load(ws.traces.list(limit=1)[0].iri)


def passages_of(trace):
    """The texts of all passages of a run."""
    return {passage.text for passages in trace.passages.values() for passage in passages}


def painted(page):
    """The labels of the graph and where they are painted, once it has come to rest."""
    rest(page)
    look = "() => window.labels.map(({ text, at }) => [text, Math.round(at.x), Math.round(at.y)])"
    return {text: (x, y) for text, x, y in page.evaluate(look)}
