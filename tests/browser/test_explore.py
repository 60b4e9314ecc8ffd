"""The app in a real JupyterLab: asking, watching the graph grow, and clicking through to the highlighted words."""

import contextlib
import re
from pathlib import Path

import pytest

from explorer import sample
from explorer.drawing.sentences import quotations
from tests.browser.conftest import ENDED, RUN, WIDE, held, poll, portrait, screenshot, set_theme, wait_for_kernel

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "01_explore.ipynb"
QUESTION = "Why did oxygen tank no. 2 fail?"
FIRST, SECOND = "◆ oxygen tank no. 2", "◆ fire"  # facts, as their labels begin
HOSTILE = "<img src=x onerror=window.hacked=1>"
STORE = "document.querySelector('.pe').explorer.store"
RECORD_LABELS = """
window.labels = [];  // what the last frame of the graph has painted
const { clearRect, fillText } = CanvasRenderingContext2D.prototype;
CanvasRenderingContext2D.prototype.clearRect = function () {
    window.labels = window.labels.filter(({ canvas }) => canvas !== this.canvas && canvas.isConnected);
    return clearRect.apply(this, arguments);
};
CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
    const at = new DOMPoint(x, y).matrixTransform(this.getTransform());
    const size = parseFloat(/([\\d.]+)px/.exec(this.font)[1]) * this.getTransform().a / devicePixelRatio;
    const shown = String(text).replaceAll("\\u200b", "");
    window.labels.push({ text: shown, at, size, font: this.font, canvas: this.canvas });
    return fillText.apply(this, arguments);
};
"""
WATCH_COUNTS = """() => {
    window.counts = [];
    const look = () => {
        const count = document.querySelector(".pe")?.dataset.nodes;
        if (count !== undefined && window.counts.at(-1) !== count) window.counts.push(count);
        requestAnimationFrame(look);
    };
    look();
}"""
LOWEST = """() => {
    const { store, select } = document.querySelector(".pe").explorer;
    const facts = [...store.nodes.values()].filter(({ kind }) => kind === "EdgeSelection");
    const { id, lines } = facts.sort((a, b) => b.vis.y - a.vis.y)[0];
    select(id);
    return `◆ ${lines[0][1].split(" ")[0]} `;
}"""
NUMBERS = """() => {
    const { store } = document.querySelector(".pe").explorer;
    return store.nodes.get(store.selected).numbers;
}"""
FONTS = "() => [...new Set(window.labels.map(({ font }) => font))]"
WHERE = """([start, beside]) => {
    const placed = window.labels.map(({ text, at, canvas }) => {
        const box = canvas.getBoundingClientRect();
        const scale = box.width / canvas.width;
        const [x, y] = [at.x * scale, at.y * scale];
        return { text, x: box.left + x + 4, y: box.top + y, seen: x > 0 && y > 0 && x < box.width && y < box.height };
    });
    const row = placed.find(({ text }) => beside && text.startsWith(beside))?.y ?? 0;
    const found = placed.filter(({ text, seen }) => seen && text.startsWith(start));
    found.sort((a, b) => Math.abs(a.y - row) - Math.abs(b.y - row));
    return found.length ? [found[0].x, found[0].y] : null;
}"""


@pytest.fixture(scope="module")
def notebook(shared):
    return shared(NOTEBOOK, RECORD_LABELS)


@pytest.fixture
def answered(app):
    ask(app, QUESTION)
    return app


def ask(page, question):
    """Ask, and wait until the run that this begins has ended."""
    before = page.evaluate(RUN)
    press_ask(page, question)
    poll(page, f"() => ({RUN})() !== {before!r}", True)
    until_ended(page)


def press_ask(page, question):
    page.locator(".pe-question input").fill(question)
    page.get_by_role("button", name="Ask", exact=True).click()


def until_ended(page):
    """Until the run on show has ended and its end is painted; the element itself lags behind by a frame."""
    poll(page, ENDED, True)
    page.wait_for_timeout(1200)  # the lit borders of what has just arrived fade within a second


def click_label(page, start, beside=None):
    """Click a node by the label that is painted on it; of several the one nearest to the row of another label."""
    page.locator(".pe-canvas").scroll_into_view_if_needed()
    page.wait_for_timeout(100)
    at = page.evaluate(WHERE, [start, beside])
    assert at, f"no painted label begins with {start!r}"
    page.mouse.click(*at)
    page.wait_for_timeout(350)  # vis-network waits for a second click


def heading(page):
    return page.locator(".pe-detail h3").inner_text()


def marked(page):
    """The highlighted words in the source panel, once the page has come."""
    page.locator(".pe-source .pe-paper.picture, .pe-source .pe-paper.words").wait_for()
    poll(page, f"() => {STORE}.sources.has({STORE}.source.key)", True)
    return "".join(page.locator(".pe-source mark.mine").all_text_contents())


def recorded():
    """The run as it stands on record, read by another process."""
    with contextlib.closing(sample.demos()) as demos:
        ws = next(demos)
        return ws.traces.load(ws.traces.list(limit=1)[0].iri)


def passage_label(page, number):
    """The painted beginning of the passage that a fact is read in."""
    return page.evaluate(
        """number => {
            const { store } = document.querySelector(".pe").explorer;
            const fact = [...store.nodes.values()].find(node => node.name === `Fact ${number}`);
            const arc = store.arcs.find(arc => arc.from === fact.id && arc.kind === "source");
            return store.nodes.get(arc.to).lines[0][1].slice(0, 12);
        }""",
        number,
    )


def test_ask_watch_and_click_through_to_the_highlighted_words(app):
    app.evaluate(WATCH_COUNTS)
    screenshot(app, "explore-start")
    ask(app, QUESTION)
    counts = [int(count) for count in app.evaluate("() => window.counts")]
    assert len(set(counts)) >= 4
    assert counts == sorted(counts)
    screenshot(app, "explore-answered")

    click_label(app, "? Question")
    assert heading(app) == "Question"
    detail = app.locator(".pe-detail")
    assert QUESTION in detail.inner_text()
    click_label(app, "◉ Kept")
    assert heading(app) == "Kept"
    assert detail.locator(".pe-term-name").inner_text() == "Focus"
    click_label(app, FIRST)
    assert heading(app).startswith("Fact 1 of ")
    for said in ("Why it was kept", "Match", "Key idea it fits", "Where it is from"):
        assert said in detail.inner_text()
    shown = detail.locator(".pe-sum").inner_text()
    parts = [
        float(part.replace("−", "-").replace(" ", "")) for part in re.findall(r"(?<!= )(?:[−+] )?\d\.\d{4}", shown)
    ]
    assert round(sum(parts), 4) == float(shown.rpartition("= ")[2])
    screenshot(app, "explore-fact")
    portrait(app, "app")
    click_label(app, passage_label(app, 1), beside=FIRST)
    assert heading(app) == "Passage"

    passages = next(iter(recorded().passages.values()))
    assert marked(app) in {passage.text for passage in passages}
    assert app.locator(".pe-source h3").inner_text() in {passage.title for passage in passages}
    screenshot(app, "explore-passage")
    app.locator(".pe-crumbs").get_by_role("button", name="Question").click()
    assert heading(app) == "Question"


def test_a_citation_leads_to_the_boxes_on_the_page(answered):
    run = recorded()
    passages = [passage for found in run.passages.values() for passage in found]
    spans = [(one, quotations(run.dag, one)) for one in passages]
    quoted = {one.text[start:end] for one, found in spans for start, end in found}
    texts = {passage.text for passage in passages} | quoted
    pictured = 0
    for citation in answered.locator(".pe-answer .pe-cite").all():
        citation.click()
        assert answered.evaluate(NUMBERS) == [int(citation.inner_text())]
        assert answered.locator(".pe-detail .pe-kept-as").inner_text() == citation.inner_text()
        assert marked(answered) in texts
        if answered.locator(".pe-source").get_by_role("button", name="Text", exact=True).count():
            pictured += 1
            on_picture = marked(answered)
            answered.locator(".pe-source").get_by_role("button", name="Text", exact=True).click()
            assert marked(answered) == on_picture
            answered.locator(".pe-source").get_by_role("button", name="Page", exact=True).click()
    assert pictured


def test_a_sentence_shows_what_it_quotes_and_lights_what_it_rests_on(answered):
    card = answered.locator(".pe-card")
    sentences = answered.locator(".pe-answer .pe-claim")
    words = sentences.nth(1).inner_text()
    sentences.nth(1).hover()
    card.wait_for()
    assert words.strip(" .…") in " ".join(card.inner_text().split())
    screenshot(answered, "explore-card")
    sentences.nth(1).click()
    card.wait_for(state="hidden")
    assert heading(answered) == "Sentence 2"
    assert answered.locator(".pe-sentence.on").inner_text().startswith(words)
    assert marked(answered)
    answered.keyboard.press("Escape")
    answered.mouse.move(0, 0)
    sentences.first.focus()
    answered.keyboard.press("Tab")  # from the words to their number
    answered.keyboard.press("Shift+Tab")
    card.wait_for()
    answered.keyboard.press("Enter")
    assert heading(answered) == "Sentence 1"


def test_everything_is_reached_by_keyboard(answered):
    cells = answered.locator(".jp-Cell").count()
    answered.locator(".pe-canvas").focus()
    for key in ("Home", "ArrowDown", "ArrowDown", "ArrowDown"):
        answered.keyboard.press(key)
    assert heading(answered) == "Kept"
    answered.keyboard.press("ArrowRight")
    assert heading(answered).startswith("Fact 1 of ")
    answered.keyboard.press("ArrowRight")
    assert heading(answered) == "Passage"
    answered.keyboard.press("Enter")
    assert "pe-desk" in answered.evaluate("() => document.activeElement.className")
    texts = {passage.text for passages in recorded().passages.values() for passage in passages}
    assert marked(answered) in texts
    answered.keyboard.press("Escape")
    assert answered.locator(".pe-detail h3").inner_text() == "What happened"
    answered.locator(".pe-canvas").focus()
    answered.keyboard.press("l")
    listed = answered.locator(".pe-list")
    listed.get_by_role("button", name=re.compile(r"^Fact \[1\]: ")).first.click()
    assert heading(answered).startswith("Fact 1 of ")
    answered.keyboard.press("b")  # would insert a cell if the notebook heard it
    assert answered.locator(".jp-Cell").count() == cells


def test_clicks_work_while_the_kernel_is_busy(answered, tmp_path):
    with held(answered, tmp_path):
        click_label(answered, SECOND)
        assert heading(answered).startswith("Fact 2 of ")
        assert answered.locator(".pe-source mark.mine").count()
    wait_for_kernel(answered)


# Lab shows the notebook from its first cell, and nothing of what is out of sight.
SEEN_ANSWER = """() => {
    const answer = document.querySelector(".pe-answer .pe-body");
    answer.scrollIntoView();
    return answer.innerText;
}"""


def test_a_reloaded_page_shows_the_run_again(answered):
    nodes = answered.evaluate("() => document.querySelector('.pe').dataset.nodes")
    text = answered.locator(".pe-answer .pe-body").inner_text()
    fonts = answered.evaluate(FONTS)
    answered.evaluate("() => window.jupyterapp.commands.execute('docmanager:save')")
    answered.reload()
    wait_for_kernel(answered)
    poll(answered, "() => document.querySelector('.pe')?.dataset.nodes", nodes)
    poll(answered, SEEN_ANSWER, text)
    click_label(answered, FIRST)
    assert heading(answered).startswith("Fact 1 of ")
    assert set(answered.evaluate(FONTS)) <= set(fonts)


def painted(page):
    """The labels of the graph and where they are painted, once two looks at them are the same."""
    look = "() => window.labels.map(({ text, at }) => [text, Math.round(at.x), Math.round(at.y)])"
    last, now = None, page.evaluate(look)
    while now != last:
        page.wait_for_timeout(400)
        last, now = now, page.evaluate(look)
    return {text: (x, y) for text, x, y in now}


def test_the_graph_is_painted_again_when_the_theme_changes(answered):
    before = painted(answered)
    assert before
    for theme in ("Dark", "Light"):  # without another size of the window, which would paint it again
        set_theme(answered, f"JupyterLab {theme}")
        poll(answered, "() => document.querySelector('.pe').dataset.theme", theme.lower())
        assert painted(answered) == before


def test_another_height_of_the_window_leaves_scale_and_selection_as_they_are(answered):
    name = answered.evaluate(LOWEST)
    before = painted(answered)
    answered.set_viewport_size(WIDE | {"height": 1150})
    higher = painted(answered)
    moved = {(x - before[text][0], y - before[text][1]) for text, (x, y) in higher.items() if text in before}
    assert len(moved) == 1, "all that is painted moves alike: the scale is the same"
    answered.set_viewport_size(WIDE | {"height": 860})
    [(_, y)] = [at for text, at in painted(answered).items() if text.startswith(name)]
    assert 0 < y < answered.locator(".pe-canvas").bounding_box()["height"]


def test_dark_and_narrow(answered):
    click_label(answered, SECOND)
    set_theme(answered, "JupyterLab Dark")
    poll(answered, "() => document.querySelector('.pe').dataset.theme", "dark")
    answered.wait_for_timeout(300)
    screenshot(answered, "explore-dark")
    answered.set_viewport_size({"width": 1000, "height": 1700})
    answered.wait_for_timeout(600)
    screenshot(answered, "explore-narrow-dark")
    set_theme(answered, "JupyterLab Light")
    answered.wait_for_timeout(600)
    screenshot(answered, "explore-narrow")
    assert answered.evaluate(
        "() => document.querySelector('.pe').scrollWidth <= document.querySelector('.pe').clientWidth"
    )
