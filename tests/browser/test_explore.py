"""Asking in a real JupyterLab: the graph grows, clicks lead to the highlighted words, also by keys and in the dark."""

import re

import pytest
from playwright.sync_api import expect

import explorer
from explorer.dag.sentences import quotations
from tests.browser.app import (
    FIRST_FACT,
    QUESTION,
    STORE,
    TWOFOLD,
    WATCH_COUNTS,
    ask,
    click_label,
    each_size,
    heading,
    let_go,
    marked,
    painted,
    passages_of,
    recorded,
    select_kind,
    unfold,
    until_ended,
)
from tests.browser.conftest import (
    RUN,
    WIDE,
    held,
    poll,
    portrait,
    reload,
    rest,
    set_theme,
    wait_for_kernel,
)

CELLS = ("import explorer\napp = explorer.app(explorer.demo(), pace=0.02)\napp",)
FIRST, SECOND = "◆ oxygen tank no. 2", "◆ Thomas Paine"  # facts of two questions, as their labels begin
LOWEST = """() => {
    const { store, select } = document.querySelector(".pe").explorer;
    const facts = [...store.nodes.values()].filter(({ kind }) => kind === "EdgeSelection");
    const { id, lines } = facts.sort((a, b) => b.vis.y - a.vis.y)[0];
    select(id);
    return `◆ ${lines[0][1].split(" ").slice(0, 2).join(" ")}`;
}"""
FONTS = "() => [...new Set(window.labels.map(({ font }) => font))]"
BARS = """all => all.map((one) =>
    [parseFloat(one.style.left), parseFloat(one.style.width), one.getBoundingClientRect().width])"""
COMPLETED = """async () => {
    const { kernel } = window.jupyterapp.shell.currentWidget.sessionContext.session;
    return (await kernel.requestComplete({ code: "explorer.", cursor_pos: 9 })).content.matches;
}"""


@pytest.mark.notebook
def test_tab_offers_the_public_names_alone(app):
    offered = {name.rpartition(".")[2] for name in app.evaluate(COMPLETED)}
    assert offered == {name for name in dir(explorer) if not name.startswith("_")}


@pytest.mark.notebook
def test_ask_watch_and_click_through_to_the_highlighted_words(app):
    app.evaluate(WATCH_COUNTS)
    ask(app, QUESTION)
    counts = [int(count) for count in app.evaluate("() => window.counts")]
    assert len(set(counts)) >= 4
    assert counts == sorted(counts)
    detail = app.locator(".pe-detail")
    click_label(app, "◉ Kept")
    expect(heading(app)).to_have_text("Kept")
    expect(detail.locator(".pe-term-name")).to_have_text("Focus")
    click_label(app, FIRST)
    expect(heading(app)).to_have_text(FIRST_FACT)
    told = detail.inner_text()
    said = [told.index(one) for one in ("Why it was kept", "Where it is from", "Nearest key idea")]
    assert said == sorted(said)
    assert "In numbers" not in told, "nobody scored it"
    portrait(app, "app")
    run = recorded()
    passages = [passage for found in run.passages.values() for passage in found]
    texts = {one.text[start:end] for one in passages for start, end in quotations(run.dag, one)} | passages_of(run)
    for citation in app.locator(".pe-answer .pe-cite").all():
        citation.click()
        expect(detail.locator(".pe-kept-as")).to_have_text(citation.inner_text())
        assert marked(app) in texts
        assert app.locator(".pe-source h3").inner_text() in {passage.title for passage in passages}
    app.locator(".pe-crumbs").get_by_role("button", name="Question").click()
    expect(heading(app)).to_have_text("Question")


def test_the_reason_comes_first_and_a_score_unfolds_in_parts_that_add_up(app):
    detail = app.locator(".pe-detail")
    ask(app, QUESTION, "Passage search")
    select_kind(app, "ChunkSelection")
    expect(heading(app)).to_have_text(re.compile("^Passage 1 of "))
    told = detail.inner_text()
    said = [told.index(one) for one in ("Why it was kept", "Where it stands", "In numbers")]
    assert said == sorted(said)
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
    assert all(wide > 0 for _, _, wide in bars), "each part is seen"
    left, width, _ = bars[-1]
    assert left + (width if parts[-1] > 0 else 0) == pytest.approx(100 * score, abs=0.05), "and they end at the score"


def test_a_click_is_heard_though_a_run_begins_while_the_button_is_held(app):
    ask(app, QUESTION)
    before = app.evaluate(RUN)
    number = app.locator(".pe-answer .pe-cite").first
    number.hover()
    app.mouse.down()
    app.evaluate(f"question => {STORE}.send({{ t: 'ask', question }})", QUESTION)
    app.wait_for_timeout(1500)  # nothing is to come
    assert app.evaluate(RUN) == before
    app.evaluate(f"() => {STORE}.listen((what) => {{ window.heard ||= what === 'selected'; }})")
    app.mouse.up()
    poll(app, "() => window.heard === true", True)
    poll(app, f"() => ({RUN})() !== {before!r}", True)
    until_ended(app)


def test_a_sentence_shows_what_it_quotes_and_lights_what_it_rests_on(app):
    ask(app, TWOFOLD)
    card, sentences = app.locator(".pe-card"), app.locator(".pe-answer .pe-claim")
    words = sentences.nth(1).inner_text()
    sentences.nth(1).hover()
    expect(card).to_contain_text(words.strip(" .…"), use_inner_text=True)
    sentences.nth(1).click()
    card.wait_for(state="hidden")
    expect(heading(app)).to_have_text("Sentence 2")
    assert app.locator(".pe-sentence.on").inner_text().startswith(words)
    assert marked(app)
    app.keyboard.press("Escape")
    app.mouse.move(0, 0)
    sentences.first.focus()
    app.keyboard.press("Tab")  # from the words to their number
    app.keyboard.press("Shift+Tab")
    card.wait_for()
    app.keyboard.press("Enter")
    expect(heading(app)).to_have_text("Sentence 1")


def test_a_click_that_leaves_a_question_that_was_typed_is_not_lost(app):
    ask(app, QUESTION)
    let_go(app)
    number = app.locator(".pe-answer .pe-cite").first
    app.get_by_label("Your question").click()
    app.get_by_label("Your question").fill("Something else that is typed and not asked")
    number.click()
    expect(number).to_have_attribute("aria-pressed", "true")
    expect(app.locator(".pe-asked")).to_be_visible()  # what was typed is told after the click


@pytest.mark.notebook
def test_clicks_and_keys_work_while_the_kernel_is_busy(app, tmp_path):
    ask(app, TWOFOLD)
    cells = app.locator(".jp-Cell").count()
    with held(app, tmp_path):
        click_label(app, SECOND)
        expect(heading(app)).to_have_text(re.compile("^Fact [2-9] of "))
        expect(app.locator(".pe-source mark.mine").first).to_be_attached()
        app.locator(".pe-canvas").focus()
        app.keyboard.press("l")
        app.locator(".pe-list").get_by_role("button", name=re.compile(r"^Fact \[1\]: ")).first.click()
        expect(heading(app)).to_have_text(FIRST_FACT)
        app.keyboard.press("b")  # would insert a cell if the notebook heard it
        rest(app)
        expect(app.locator(".jp-Cell")).to_have_count(cells + 1)
    wait_for_kernel(app)


# Lab shows the notebook from its first cell, and nothing of what is out of sight.
SEEN_ANSWER = """() => {
    const answer = document.querySelector(".pe-answer .pe-body");
    answer.scrollIntoView();
    return answer.innerText;
}"""


@pytest.mark.notebook
def test_a_reloaded_page_shows_the_run_again(app, stage):
    ask(app, QUESTION)
    nodes = app.evaluate("() => document.querySelector('.pe').dataset.nodes")
    text = app.locator(".pe-answer .pe-body").inner_text()
    fonts = app.evaluate(FONTS)
    reload(app, stage.seen)
    wait_for_kernel(app)
    poll(app, "() => document.querySelector('.pe')?.dataset.nodes", nodes)
    poll(app, SEEN_ANSWER, text)
    click_label(app, FIRST)
    unfold(app)
    expect(heading(app)).to_have_text(FIRST_FACT)
    assert set(app.evaluate(FONTS)) <= set(fonts)


def test_the_graph_is_painted_again_when_the_theme_or_the_height_of_the_window_changes(app):
    ask(app, QUESTION)
    before = painted(app)
    assert before
    for theme in ("Dark", "Light"):  # without another size of the window, which would paint it again
        set_theme(app, f"JupyterLab {theme}")
        poll(app, "() => document.querySelector('.pe').dataset.theme", theme.lower())
        assert painted(app) == before
    name = app.evaluate(LOWEST)
    before = painted(app)
    app.set_viewport_size(WIDE | {"height": 1150})
    higher = painted(app)
    moved = {(x - before[text][0], y - before[text][1]) for text, (x, y) in higher.items() if text in before}
    for ways in zip(*moved, strict=True):  # between two looks that are rounded each
        assert max(ways) - min(ways) <= 1, "all that is painted moves alike: the scale is the same"
    for _ in each_size(app, (WIDE["width"], 860)):
        heights = [y for text, (_, y) in painted(app).items() if text.startswith(name)]
        assert any(0 < y < app.locator(".pe-canvas").bounding_box()["height"] for y in heights)
