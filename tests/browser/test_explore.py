"""The app in a real JupyterLab: asking, watching the graph grow, and clicking through to the highlighted words."""

import contextlib
import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

import explorer
from explorer import sample
from explorer.dag.sentences import quotations
from tests.browser.conftest import (
    ENDED,
    RUN,
    WIDE,
    held,
    poll,
    portrait,
    reload,
    rest,
    screenshot,
    set_theme,
    wait_for_kernel,
)

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "01_explore.ipynb"
QUESTION = "Why did oxygen tank no. 2 fail?"
TWOFOLD = "Who chaired the Apollo 13 Review Board, and who appointed it?"  # in two sentences, which use several facts
FIRST, SECOND = "◆ oxygen tank no. 2", "◆ Thomas Paine"  # facts of the one and of the other, as their labels begin
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
    const { dataset } = document.querySelector(".pe");
    window.counts = dataset.nodes ? [dataset.nodes] : [];
    const look = () => window.counts.at(-1) !== dataset.nodes && window.counts.push(dataset.nodes);
    new MutationObserver(look).observe(document.querySelector(".pe"), { attributeFilter: ["data-nodes"] });
}"""
LOWEST = """() => {
    const { store, select } = document.querySelector(".pe").explorer;
    const facts = [...store.nodes.values()].filter(({ kind }) => kind === "EdgeSelection");
    const { id, lines } = facts.sort((a, b) => b.vis.y - a.vis.y)[0];
    select(id);
    return `◆ ${lines[0][1].split(" ").slice(0, 2).join(" ")}`;
}"""
FIRST_KEPT_PASSAGE = """() => {
    const { store, select } = document.querySelector(".pe").explorer;
    select([...store.nodes.values()].find(({ kind }) => kind === "ChunkSelection").id);
}"""
NUMBERS = """() => {
    const { store } = document.querySelector(".pe").explorer;
    return store.nodes.get(store.selected).numbers;
}"""
COUNT_SELECTED = f"""() => {{
    window.selected = 0;
    window.uncounted?.();
    window.uncounted = {STORE}.listen((what) => {{ window.selected += what === "selected"; }});
}}"""
LOOKED_UP = f"""() => {{
    const {{ sources, source, others }} = {STORE};
    return Boolean(source) && sources.has(source.key) && ![...others.values()].includes(null);
}}"""
FIRST_FACT = re.compile("^Fact 1 of ")
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


@pytest.fixture
def twofold(app):
    ask(app, TWOFOLD)
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
    """Until the run on show has ended, its end is painted, and the lit borders of what has just arrived have faded."""
    poll(page, ENDED, True)
    rest(page)


def click_label(page, start, beside=None):
    """Click a node by the label that is painted on it; of several the one nearest to the row of another label."""
    page.locator(".pe-canvas").scroll_into_view_if_needed()
    rest(page)
    at = page.evaluate(WHERE, [start, beside])
    assert at, f"no painted label begins with {start!r}"
    page.evaluate(COUNT_SELECTED)
    page.mouse.click(*at)
    poll(page, "() => window.selected > 0", True)
    page.wait_for_timeout(350)  # a second click any sooner would be a double click


def heading(page):
    """What the detail is headed with: a locator to `expect` something of."""
    return page.locator(".pe-detail h3")


def marked(page):
    """The highlighted words in the source panel, once the page has come, and what is looked up for the detail."""
    page.locator(".pe-source .pe-paper.picture, .pe-source .pe-paper.words").wait_for()
    poll(page, LOOKED_UP, True)
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


BARS = """all => all.map((one) =>
    [parseFloat(one.style.left), parseFloat(one.style.width), one.getBoundingClientRect().width])"""
COMPLETED = """async () => {
    const { kernel } = window.jupyterapp.shell.currentWidget.sessionContext.session;
    return (await kernel.requestComplete({ code: "explorer.", cursor_pos: 9 })).content.matches;
}"""


def test_tab_offers_the_public_names_alone(app):
    offered = {name.rpartition(".")[2] for name in app.evaluate(COMPLETED)}
    assert offered == {name for name in dir(explorer) if not name.startswith("_")}


def test_ask_watch_and_click_through_to_the_highlighted_words(app):
    app.evaluate(WATCH_COUNTS)
    screenshot(app, "explore-start")
    ask(app, QUESTION)
    counts = [int(count) for count in app.evaluate("() => window.counts")]
    assert len(set(counts)) >= 4
    assert counts == sorted(counts)
    screenshot(app, "explore-answered")

    click_label(app, "? Question")
    expect(heading(app)).to_have_text("Question")
    detail = app.locator(".pe-detail")
    expect(detail).to_contain_text(QUESTION, use_inner_text=True)
    click_label(app, "◉ Kept")
    expect(heading(app)).to_have_text("Kept")
    expect(detail.locator(".pe-term-name")).to_have_text("Focus")
    click_label(app, FIRST)
    expect(heading(app)).to_have_text(FIRST_FACT)
    told = detail.inner_text()
    said = [told.index(one) for one in ("Why it was kept", "Where it is from", "Key idea it fits")]
    assert said == sorted(said)
    assert "Score" not in told
    assert "In numbers" not in told, "nobody scored it"
    detail.locator(".pe-body").evaluate("one => one.scrollTo(0, 0)")
    portrait(app, "app")
    click_label(app, passage_label(app, 1), beside=FIRST)
    expect(heading(app)).to_have_text("Passage")

    passages = next(iter(recorded().passages.values()))
    assert marked(app) in {passage.text for passage in passages}
    assert app.locator(".pe-source h3").inner_text() in {passage.title for passage in passages}
    screenshot(app, "explore-passage")
    app.locator(".pe-crumbs").get_by_role("button", name="Question").click()
    expect(heading(app)).to_have_text("Question")


@pytest.fixture
def scored(app):
    """The page, with a run on show that scored what it kept, in parts."""
    app.locator(".pe-how select").select_option("Passage search")
    ask(app, QUESTION)
    yield app
    app.locator(".pe-how select").select_option("Graph search")


def test_the_reason_comes_first_and_a_score_unfolds_in_parts_that_add_up(scored):
    app, detail = scored, scored.locator(".pe-detail")
    app.evaluate(FIRST_KEPT_PASSAGE)
    expect(heading(app)).to_have_text(re.compile("^Passage 1 of "))
    told = detail.inner_text()
    said = [told.index(one) for one in ("Why it was kept", "Where it stands", "In numbers")]
    assert said == sorted(said)
    assert "Score" not in told
    expect(detail.locator(".pe-sum"), "the reason first, the figures folded").to_be_hidden()
    detail.get_by_text("In numbers").click()
    shown = detail.locator(".pe-sum").inner_text()
    parts = [
        float(part.replace("−", "-").replace(" ", "")) for part in re.findall(r"(?<!= )(?:[−+] )?\d\.\d{4}", shown)
    ]
    score = float(shown.rpartition("= ")[2])
    assert round(sum(parts), 4) == score
    bars = detail.locator(".pe-meter.wide i").evaluate_all(BARS)
    assert len(bars) == len(parts) > 1
    tints = detail.locator(".pe-sum .pe-tint").evaluate_all("all => all.map((one) => getComputedStyle(one).background)")
    assert len({*tints}) == len(parts), "each part has a colour of its own"
    assert all(wide > 0 for _, _, wide in bars), "each part is seen"
    left, width, _ = bars[-1]
    assert left + (width if parts[-1] > 0 else 0) == pytest.approx(100 * score, abs=0.05), "and they end at the score"
    for width, height in ((1280, 800), (WIDE["width"], WIDE["height"])):
        app.set_viewport_size({"width": width, "height": height})
        rest(app)
        expect(detail.locator(".pe-sum .pe-tint").first, "what was opened stays in sight").to_be_in_viewport()
    screenshot(app, "explore-score")


def test_a_click_is_heard_though_a_run_begins_while_the_button_is_held(answered):
    before = answered.evaluate(RUN)
    answered.evaluate(COUNT_SELECTED)
    answered.locator(".pe-answer .pe-cite").first.hover()
    answered.mouse.down()
    answered.evaluate(f"question => {STORE}.send({{ t: 'ask', question }})", QUESTION)
    answered.wait_for_timeout(2000)  # nothing is to come
    assert answered.evaluate(RUN) == before
    answered.mouse.up()
    poll(answered, "() => window.selected > 0", True)
    poll(answered, f"() => ({RUN})() !== {before!r}", True)
    until_ended(answered)


def test_a_citation_leads_to_the_boxes_on_the_page(answered):
    run = recorded()
    passages = [passage for found in run.passages.values() for passage in found]
    spans = [(one, quotations(run.dag, one)) for one in passages]
    quoted = {one.text[start:end] for one, found in spans for start, end in found}
    texts = {passage.text for passage in passages} | quoted
    pictured = 0
    for citation in answered.locator(".pe-answer .pe-cite").all():
        citation.click()
        poll(answered, NUMBERS, [int(citation.inner_text())])
        expect(answered.locator(".pe-detail .pe-kept-as")).to_have_text(citation.inner_text())
        assert marked(answered) in texts
        if answered.locator(".pe-source").get_by_role("button", name="Text", exact=True).count():
            pictured += 1
            on_picture = marked(answered)
            answered.locator(".pe-source").get_by_role("button", name="Text", exact=True).click()
            assert marked(answered) == on_picture
            answered.locator(".pe-source").get_by_role("button", name="Page", exact=True).click()
    assert pictured


def test_a_sentence_shows_what_it_quotes_and_lights_what_it_rests_on(twofold):
    card = twofold.locator(".pe-card")
    sentences = twofold.locator(".pe-answer .pe-claim")
    words = sentences.nth(1).inner_text()
    sentences.nth(1).hover()
    card.wait_for()
    expect(card).to_contain_text(words.strip(" .…"), use_inner_text=True)
    screenshot(twofold, "explore-card")
    sentences.nth(1).click()
    card.wait_for(state="hidden")
    expect(heading(twofold)).to_have_text("Sentence 2")
    assert twofold.locator(".pe-sentence.on").inner_text().startswith(words)
    assert marked(twofold)
    twofold.keyboard.press("Escape")
    twofold.mouse.move(0, 0)
    sentences.first.focus()
    twofold.keyboard.press("Tab")  # from the words to their number
    twofold.keyboard.press("Shift+Tab")
    card.wait_for()
    twofold.keyboard.press("Enter")
    expect(heading(twofold)).to_have_text("Sentence 1")


def test_a_click_that_leaves_the_question_is_not_lost_and_no_card_opens_under_a_pointer_that_rests(answered):
    field = answered.get_by_label("Your question")
    before = field.input_value()
    number = answered.locator(".pe-answer .pe-cite").first
    answered.keyboard.press("Escape")
    place = number.bounding_box()
    field.click()
    field.fill("Something else that is typed and not asked")
    number.click()
    expect(answered.locator(".pe-answer .pe-cite").first).to_have_attribute("aria-pressed", "true")
    expect(answered.locator(".pe-asked")).to_be_visible()  # what was typed is told after the click
    field.fill(before)
    answered.keyboard.press("Escape")
    rest(answered)
    answered.mouse.move(place["x"] - 200, place["y"] + 500)
    claim = answered.locator(".pe-answer .pe-claim").first
    move = "one.style.translate = `${%d - at.x - 5}px ${%d - at.y - 5}px`"
    slide = f"one => {{ const at = one.getBoundingClientRect(); {move}; }}"
    claim.evaluate(slide % (place["x"] - 200, place["y"] + 500))
    answered.wait_for_timeout(600)  # longer than a card waits
    expect(answered.locator(".pe-card")).to_be_hidden()
    claim.evaluate("one => { one.style.translate = ''; }")


def test_everything_is_reached_by_keyboard(answered):
    cells = answered.locator(".jp-Cell").count()
    answered.locator(".pe-canvas").focus()
    for key in ("Home", "ArrowDown", "ArrowDown", "ArrowDown"):
        answered.keyboard.press(key)
    expect(heading(answered)).to_have_text("Kept")
    answered.keyboard.press("ArrowRight")
    expect(heading(answered)).to_have_text(FIRST_FACT)
    answered.keyboard.press("ArrowRight")
    expect(heading(answered)).to_have_text("Passage")
    answered.keyboard.press("Enter")
    expect(answered.locator(".pe-source .pe-desk")).to_be_focused()
    texts = {passage.text for passages in recorded().passages.values() for passage in passages}
    assert marked(answered) in texts
    answered.keyboard.press("Escape")
    expect(heading(answered)).to_have_text("What happened")
    answered.locator(".pe-canvas").focus()
    answered.keyboard.press("l")
    listed = answered.locator(".pe-list")
    listed.get_by_role("button", name=re.compile(r"^Fact \[1\]: ")).first.click()
    expect(heading(answered)).to_have_text(FIRST_FACT)
    answered.keyboard.press("b")  # would insert a cell if the notebook heard it
    rest(answered)
    expect(answered.locator(".jp-Cell")).to_have_count(cells)


def test_clicks_work_while_the_kernel_is_busy(twofold, tmp_path):
    with held(twofold, tmp_path):
        click_label(twofold, SECOND)
        expect(heading(twofold)).to_have_text(re.compile("^Fact [2-9] of "))
        expect(twofold.locator(".pe-source mark.mine").first).to_be_attached()
    wait_for_kernel(twofold)


# Lab shows the notebook from its first cell, and nothing of what is out of sight.
SEEN_ANSWER = """() => {
    const answer = document.querySelector(".pe-answer .pe-body");
    answer.scrollIntoView();
    return answer.innerText;
}"""


def test_a_reloaded_page_shows_the_run_again(answered, notebook):
    nodes = answered.evaluate("() => document.querySelector('.pe').dataset.nodes")
    text = answered.locator(".pe-answer .pe-body").inner_text()
    fonts = answered.evaluate(FONTS)
    reload(answered, notebook[1])
    wait_for_kernel(answered)
    poll(answered, "() => document.querySelector('.pe')?.dataset.nodes", nodes)
    poll(answered, SEEN_ANSWER, text)
    click_label(answered, FIRST)
    expect(heading(answered)).to_have_text(FIRST_FACT)
    assert set(answered.evaluate(FONTS)) <= set(fonts)


def painted(page):
    """The labels of the graph and where they are painted, once it has come to rest."""
    rest(page)
    look = "() => window.labels.map(({ text, at }) => [text, Math.round(at.x), Math.round(at.y)])"
    return {text: (x, y) for text, x, y in page.evaluate(look)}


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
    for ways in zip(*moved, strict=True):  # between two looks that are rounded each
        assert max(ways) - min(ways) <= 1, "all that is painted moves alike: the scale is the same"
    answered.set_viewport_size(WIDE | {"height": 860})
    heights = [y for text, (_, y) in painted(answered).items() if text.startswith(name)]
    assert any(0 < y < answered.locator(".pe-canvas").bounding_box()["height"] for y in heights)


def test_dark_and_narrow(twofold):
    click_label(twofold, SECOND)
    set_theme(twofold, "JupyterLab Dark")
    poll(twofold, "() => document.querySelector('.pe').dataset.theme", "dark")
    rest(twofold)
    screenshot(twofold, "explore-dark")
    twofold.set_viewport_size({"width": 1000, "height": 1700})
    rest(twofold)
    screenshot(twofold, "explore-narrow-dark")
    set_theme(twofold, "JupyterLab Light")
    rest(twofold)
    screenshot(twofold, "explore-narrow")
    assert twofold.evaluate(
        "() => document.querySelector('.pe').scrollWidth <= document.querySelector('.pe').clientWidth"
    )
