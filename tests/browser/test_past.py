"""Past runs in a real JupyterLab: shown again as they were, played, compared; and a run that is taught."""

import re
from pathlib import Path

import pytest

from tests.browser.axe import complaints
from tests.browser.conftest import RUN, poll, portrait, run_new_cell, screenshot, set_theme, write_notebook
from tests.browser.test_explore import RECORD_LABELS, ask, click_label, heading, until_ended

DOCUMENTS = Path(__file__).parents[2] / "sample_data" / "apollo13" / "documents"
QUESTION = "What voltage were the thermostatic switches rated for?"
OTHER = "Who is the mayor of Lisbon?"
TEAM = "Why did oxygen tank no. 2 fail, and what voltage were the thermostatic switches rated for?"
CELL = f"""\
import explorer
ws = explorer.open()
ws.ingest({str(DOCUMENTS / "investigation-report.pdf")!r}, {str(DOCUMENTS / "tank-history.md")!r}, progress=False)
app = explorer.app(ws, pace=0.01)
app"""
# What the graph looks like, and what the other panels say; ids stay, since it is the same run. A node that was drawn
# anew has a place for each width of the canvas, which is narrower beside the list of runs.
SHOWN = """() => {
    const { store } = document.querySelector(".pe").explorer;
    const text = (part) => document.querySelector(part).innerText.replace(/\\d+(\\.\\d+)? (s|ms)\\b/g, "…");
    const isAnew = (spots) => Object.values(spots ?? {}).some((spot) => typeof spot[0] !== "number");
    return {
        nodes: [...store.nodes.values()].map(({ id, kind, lines, vis, spots }) =>
            JSON.stringify([id, kind, lines, ...(isAnew(spots) ? [] : [vis.x, vis.y, vis.label]), spots])).sort(),
        arcs: store.arcs.map(({ from, to, kind, width }) => [from, to, kind, width].join(" ")).sort(),
        answer: text(".pe-answer .pe-body"),
        stages: [...document.querySelectorAll(".pe-stage .pe-sub")].map((one) => one.innerText),
    };
}"""
STORE = "document.querySelector('.pe').explorer.store"
WAITING = f"() => {STORE}.waiting"
FIRST_FACT = f"[...{STORE}.nodes.values()].find(({{ kind }}) => kind === 'EdgeSelection').id"
LIT = "() => document.querySelector('.pe').explorer.taught()"
WATCH = f"""() => {{
    const shown = {SHOWN};
    window.deaf?.();
    window.steps = [];
    const {{ store }} = document.querySelector(".pe").explorer;
    window.deaf = store.listen((what, detail) => {{
        if (what === "grown" && detail.nodes?.length && !detail.whole) window.steps.push(shown());
    }});
}}"""


@pytest.fixture(scope="module")
def notebook(shared, tmp_path_factory):
    return shared(write_notebook(tmp_path_factory.mktemp("past") / "past.ipynb", CELL), RECORD_LABELS)


def look_back(page):
    page.get_by_role("tab", name="Past runs").click()
    page.locator(".pe-past").wait_for()
    page.locator(".pe-controls").wait_for()
    newest = page.evaluate("() => document.querySelector('.pe-question input').value")
    page.locator(".pe-runs li").first.get_by_text(newest, exact=True).wait_for()


def said(page):
    return page.locator(".pe-controls").inner_text()


def position(page):
    return page.evaluate("() => document.querySelector('.pe').explorer.store.at")


def test_runs_are_found_opened_and_compared(app):
    ask(app, QUESTION)
    app.locator(".pe-how select").select_option("Passage search")
    ask(app, QUESTION)
    app.locator(".pe-how select").select_option("Graph search")
    ask(app, OTHER)
    look_back(app)
    assert app.get_by_role("tab", name="Past runs 3").count() == 1
    runs = app.locator(".pe-runs li.pe-top")
    poll(app, "() => document.querySelectorAll('.pe-runs li.pe-top').length", 3)
    assert "declined" in runs.first.inner_text()
    app.get_by_label("Search questions, answers, names, tags and notes").fill("thermostatic")
    poll(app, "() => document.querySelectorAll('.pe-runs li.pe-top').length", 2)
    app.locator(".pe-past").get_by_label("Method").select_option("document-rag")
    poll(app, "() => document.querySelectorAll('.pe-runs li.pe-top').length", 1)
    runs.locator(".pe-share").click()
    poll(app, "() => document.querySelector('.pe-title').innerText.includes('Passage search')", True)
    assert heading(app).startswith("At event")
    app.locator(".pe-past").get_by_label("Method").select_option("")
    poll(app, "() => document.querySelectorAll('.pe-runs li.pe-top').length", 2)
    assert "2 runs" in app.locator(".pe-asked").inner_text()
    assert [words in runs.nth(at).inner_text() for at, words in enumerate(("Passage search", "Graph search"))] == [
        True,
        True,
    ]
    screenshot(app, "past-runs")
    portrait(app, "app-past")

    for box in app.locator(".pe-runs input").all():
        box.check()
    app.locator(".pe-past").get_by_label("Search questions, answers, names, tags and notes").fill("")
    poll(app, "() => document.querySelectorAll('.pe-runs li.pe-top').length", 3)
    assert [box.is_disabled() for box in runs.locator("input").all()] == [True, False, False]
    app.get_by_role("button", name="Untick").click()
    assert not any(box.is_disabled() or box.is_checked() for box in runs.locator("input").all())
    for box in runs.locator("input").all()[1:]:
        box.check()
    app.get_by_role("button", name="Compare the 2 ticked").click()
    compared = app.locator(".pe-compare")
    compared.get_by_text("Two runs side by side").wait_for()
    assert "same question" in compared.inner_text()
    summed = [
        list(map(int, at)) for at in re.findall(r"kept (\d+) \((\d+) only in ., (\d+) in both", compared.inner_text())
    ]
    assert len(summed) == 2
    assert all(kept == only + both and both > 0 for kept, only, both in summed)
    compared.get_by_role("button", name="One graph").click()
    assert compared.locator(".pe-both-arc").count() > 5
    screenshot(app, "compare-graph")
    compared.get_by_role("button", name="Table").click()
    assert compared.locator("tbody tr").count() > 5
    screenshot(app, "compare")
    portrait(app, "app-compare")
    app.get_by_role("tab", name="Ask").click()
    poll(app, "() => document.querySelector('.pe').dataset.state", "declined")
    assert not compared.is_visible()
    app.get_by_role("tab", name="Past runs").click()
    compared.get_by_text("Two runs side by side").wait_for()
    compared.get_by_role("button", name="Swap A and B").click()
    set_theme(app, "JupyterLab Dark")
    app.wait_for_timeout(500)
    screenshot(app, "compare-dark")
    compared.get_by_role("button", name="Back to the list").click()
    app.locator(".pe-controls").wait_for()
    screenshot(app, "past-runs-dark")
    app.locator(".pe-past").get_by_label("Search questions, answers, names, tags and notes").fill("")
    app.get_by_role("tab", name="Ask").click()
    poll(app, "() => document.querySelector('.pe').dataset.state", "declined")


def test_a_run_is_named_tagged_deleted_and_brought_back(app):
    ask(app, OTHER)
    look_back(app)
    runs = app.locator(".pe-runs li.pe-top")
    before = runs.count()
    runs.first.get_by_role("button", name="Name, tags and note").click()
    app.get_by_label("Name", exact=True).fill("<img src=x onerror=alert(1)> لماذا")
    app.get_by_label("Tags, with commas between").fill("audit, tank, AUDIT,")
    app.get_by_label("Note", exact=True).fill("Ask again.")
    screenshot(app, "past-note")
    app.get_by_role("button", name="Save", exact=True).click()
    app.locator(".pe-tag").first.wait_for()
    assert app.locator(".pe-tag").all_inner_texts() == ["audit", "tank"]
    assert "<img" in runs.first.inner_text()
    app.locator(".pe-past").get_by_label("Tag", exact=True).select_option("audit")
    poll(app, "() => document.querySelectorAll('.pe-runs li.pe-top').length", 1)
    app.locator(".pe-past").get_by_label("Tag", exact=True).select_option("")
    poll(app, "() => document.querySelectorAll('.pe-runs li.pe-top').length", before)
    runs.first.get_by_role("button", name="Name, tags and note").click()
    app.get_by_role("button", name="Delete …").click()
    assert "That there was a run, and when it was deleted, stays on record" in app.locator(".pe-sure").inner_text()
    screenshot(app, "past-delete")
    app.get_by_role("button", name="Delete the run").click()
    poll(app, "() => document.querySelectorAll('.pe-runs li.pe-top').length", before - 1)
    app.get_by_role("button", name="Undo").click()
    poll(app, "() => document.querySelectorAll('.pe-tag').length", 2)
    assert runs.count() == before
    assert not app.get_by_role("button", name="Undo").count()


NOT_KEPT = """() => {
    const { store, select } = document.querySelector(".pe").explorer;
    const node = [...store.nodes.values()].find(({ kind }) => kind === "NotKept");
    select(node.id);
    return Number(node.lines.at(-1)[1].match(/\\d+/)[0]);
}"""


def test_all_that_was_not_kept_is_listed_and_searched(app):
    ask(app, QUESTION)
    number = app.evaluate(NOT_KEPT)
    poll(app, "() => document.querySelectorAll('.pe-unkept > li').length", number)
    screenshot(app, "not-kept")
    app.get_by_label("Search what was not kept").fill("relief no such words")
    poll(app, "() => document.querySelectorAll('.pe-unkept > li').length", 0)
    app.get_by_label("Search what was not kept").fill("TANK history")
    lines = app.locator(".pe-unkept > li")
    assert 0 < lines.count() < number
    assert all("Tank" in line or "tank" in line for line in lines.all_inner_texts())
    lines.first.locator("button").click()
    app.locator(".pe-found .pe-quote").wait_for()
    assert app.get_by_label("Search what was not kept").input_value() == "TANK history"


@pytest.mark.parametrize("engine", ["Graph search", "Agent, as a team"])
def test_a_run_is_played_again_as_it_was_live(app, engine):
    app.locator(".pe-how select").select_option(engine)
    app.evaluate(WATCH)
    ask(app, QUESTION if engine == "Graph search" else TEAM)
    live, end = app.evaluate("() => window.steps"), app.evaluate(SHOWN)
    look_back(app)
    app.locator(".pe-runs li button").first.click()
    poll(app, "() => document.querySelector('.pe').explorer.store.past.opening", None)
    assert app.evaluate(SHOWN) == end
    slider = app.locator(".pe-slide input")
    slider.focus()
    app.keyboard.press("Home")
    assert position(app) == 0
    assert app.evaluate("() => document.querySelector('.pe').explorer.store.nodes.size") == 0
    app.evaluate(WATCH)
    last = int(slider.get_attribute("max"))
    for step in range(1, last + 1):
        app.keyboard.press("ArrowRight")
        assert position(app) == step
    again = app.evaluate("() => window.steps")
    left = iter(again)
    assert len(again) > len(live) >= 4, "what was kept comes one by one"
    assert all(step in left for step in live), "all that was shown live is shown again, in that order"
    assert app.evaluate(SHOWN) == end


def test_play_pause_step_back_and_wait_at_each_stage(app):
    app.locator(".pe-how select").select_option("Graph search")
    ask(app, QUESTION)
    look_back(app)
    app.locator(".pe-runs li button").first.click()
    poll(app, "() => document.querySelector('.pe-title').innerText.includes('Graph search')", True)
    last = int(app.locator(".pe-slide input").get_attribute("max"))
    assert f"Event {last} of {last}" in said(app)
    app.get_by_label("Speed").select_option("4")
    app.get_by_role("button", name="To the beginning (Home)").click()
    app.get_by_role("button", name="Play").click()
    poll(app, "() => document.querySelector('.pe').explorer.store.at", last)
    poll(app, "() => document.querySelector('.pe-play').innerText", "Play")
    app.get_by_role("button", name="One event back (←)").click()
    assert position(app) == last - 1
    assert app.locator(".pe-detail .pe-foot").evaluate("one => one.scrollWidth <= one.clientWidth")

    app.get_by_role("button", name="Backwards").click()
    poll(app, f"() => {STORE}.at", 0)

    app.locator(".pe-controls").get_by_role("button", name="Teach").click()
    app.get_by_role("button", name="Play", exact=True).click()
    lesson, terms = app.locator(".pe-lesson"), []
    for _ in range(5):
        poll(app, WAITING, True)
        terms.append(app.evaluate(f"() => {STORE}.teaching.word"))
        assert terms[-1] in lesson.locator("p").first.inner_text()
        if terms[-1] == "Looked at":
            assert "It went 2 hops" in lesson.inner_text()
            assert app.evaluate(LIT) == app.evaluate(f"() => {STORE}.teaching.node")
            lesson.get_by_role("button", name="Next stage").click()
            answer_quiz(app)
            screenshot(app, "past-quiz")
        lesson.get_by_role("button", name="Next stage").click()
    assert terms == ["Question", "Key ideas", "Looked at", "Kept", "Answer"]
    poll(app, f"() => {STORE}.at", last)
    assert not lesson.get_by_role("button", name="Next stage").is_visible()
    app.locator(".pe-controls").get_by_role("button", name="Teach").click()
    assert not lesson.is_visible()


def answer_quiz(page):
    """Tick the first of what is offered and compare; each choice then has what the record says of it."""
    quiz = page.get_by_role("group", name="Which of these five facts would you keep?")
    quiz.get_by_role("checkbox").first.check()
    quiz.get_by_role("button", name="Compare with the run").click()
    assert re.search(r"agree on \d of 5", quiz.inner_text())
    assert {"agrees", "differs"} >= set(quiz.locator("li").evaluate_all("all => all.map(({ className }) => className)"))
    assert len(re.findall(r"[✓✕] (?:not )?kept, \d\.\d\d of 1", quiz.inner_text())) == 5


def test_a_live_run_is_taught_stage_by_stage_and_step_by_step(app):
    app.locator(".pe-how select").select_option("Graph search")
    teach = app.locator(".pe-bar").get_by_role("button", name="Teach")
    teach.click()
    app.locator(".pe-question input").fill(QUESTION)
    app.get_by_role("button", name="Ask", exact=True).click()
    lesson, terms = app.locator(".pe-lesson"), []
    on = lesson.get_by_role("button", name="Next stage")
    for number in range(1, 7):
        poll(app, WAITING, True)
        seq = app.evaluate(f"() => {STORE}.seq")
        if number == 4:  # a page that is loaded while the run waits goes on waiting
            app.evaluate("() => window.jupyterapp.commands.execute('docmanager:save')")
            app.reload()
            poll(app, "() => Boolean(document.querySelector('.pe')?.explorer?.store.waiting)", True)
            answer_quiz(app)
            screenshot(app, "teaching-quiz")
        else:
            terms.append(app.evaluate(f"() => {STORE}.teaching.word"))
            assert terms[-1] in lesson.locator("p").first.inner_text()
            assert app.evaluate(LIT) == app.evaluate(f"() => {STORE}.teaching.node")
            screenshot(app, f"teaching-{number}")
        if number == 2:
            gloss = lesson.get_by_role("button", name="Grounding")
            gloss.focus()
            assert "key ideas" in app.get_by_role("tooltip").filter(visible=True).inner_text()
            app.keyboard.press("Escape")
            assert not app.get_by_role("tooltip").filter(visible=True).count()
        if number == 5:
            lesson.get_by_role("button", name="Next step").click()
            assert lesson.inner_text().startswith("Fact")
            assert app.evaluate(f"() => {STORE}.nodes.get({LIT[6:]}).kind") == "EdgeSelection"
            screenshot(app, "teaching-fact")
            click_label(app, "⊕ Not kept")
            assert "not kept" in heading(app).lower()
        on.focus()
        app.keyboard.press("Enter")
        poll(app, f"() => {STORE}.seq > {seq}", True)
        if number < 6:
            poll(app, WAITING, True)
            assert on.evaluate("one => one === document.activeElement"), "Next keeps the focus"
    assert terms == ["Question", "Key ideas", "Looked at", "Kept", "Answer"]
    until_ended(app)
    assert not lesson.is_visible(), "Next goes away after the end"
    assert "of waiting" in app.locator(".pe-log").inner_text()

    app.locator(".pe-how select").select_option("Agent, step by step")
    app.get_by_role("button", name="Ask", exact=True).click()
    inside = f"() => {STORE}.teaching?.inside && {WAITING[6:]}"
    while not app.evaluate(inside):
        poll(app, WAITING, True)
        seq = app.evaluate(f"() => {STORE}.seq")
        lesson.get_by_role("button", name="Next step").click()
        poll(app, f"() => {STORE}.seq > {seq} && {WAITING[6:]}", True)
    assert app.evaluate(LIT) == app.evaluate(f"() => {STORE}.teaching.node")
    assert app.evaluate(f"() => document.querySelector('.pe').explorer.here().some(({{ id }}) => id === ({LIT})())")
    screenshot(app, "teaching-within")
    app.get_by_role("button", name="■ Stop").click()
    until_ended(app)
    assert not lesson.is_visible()
    teach.click()


# The button is drawn anew with each step, so the mouse may come too late.
STOP = """async () => {
    const button = () => [...document.querySelectorAll(".pe-detail button")].find((one) => one.textContent === "Stop");
    while (!button()) await new Promise(requestAnimationFrame);
    button().click();
}"""


def test_what_if_a_fact_were_not_there_and_what_mattered(app):
    app.locator(".pe-how select").select_option("Graph search")
    ask(app, QUESTION)
    app.evaluate(f"() => document.querySelector('.pe').explorer.select({FIRST_FACT})")
    app.locator(".pe-detail").get_by_role("button", name="What if it were not there?").click()
    gear, left = app.locator(".pe-gear"), app.get_by_role("group", name="Left out")
    left.get_by_role("checkbox").wait_for()
    assert "without 1 fact" in gear.inner_text()
    assert app.locator(".pe-detail").get_by_role("button", name="put it back").count() == 1
    screenshot(app, "what-if-left-out")
    app.get_by_role("button", name="Present", exact=True).click()
    left.get_by_role("button", name="Ask this run again").click()
    compared = app.locator(".pe.presents .pe-compare")
    compared.get_by_text("Two runs side by side").wait_for()
    for width, height in ((900, 1000), (1280, 800), (1600, 900), (1920, 1080)):
        app.set_viewport_size({"width": width, "height": height})
        app.wait_for_timeout(300)
        boxes = [compared.get_by_role("group", name=f"Answer of run {side}").bounding_box() for side in "AB"]
        assert all(box["y"] >= 0 and box["y"] + box["height"] <= height for box in boxes)
        assert boxes[0]["x"] + boxes[0]["width"] <= boxes[1]["x"]
        assert boxes[1]["x"] + boxes[1]["width"] <= width
        screenshot(app, f"present-compared-{width}")
    compared.get_by_role("button", name="Back to the list").click()
    runs = app.locator(".pe.presents .pe-runs")
    runs.locator("li.pe-top").nth(1).wait_for()
    assert not app.locator(".pe-run").is_visible()
    screenshot(app, "present-list")
    runs.locator("li.pe-top > .pe-share").nth(1).click()
    replay = app.locator(".pe.presents .pe-replay")
    replay.get_by_role("button", name="Leave").wait_for()
    assert not runs.is_visible()
    for width, height in ((900, 1000), (1280, 800), (1600, 900), (1920, 1080)):
        app.set_viewport_size({"width": width, "height": height})
        app.wait_for_timeout(600)
        screenshot(app, f"present-replay-{width}")
    replay.get_by_role("button", name="All runs").click()
    runs.wait_for()
    assert not complaints(app)
    app.keyboard.press("Escape")
    app.locator(".pe.presents").wait_for(state="detached")
    assert app.locator(".pe-replay").get_by_role("button", name="Present").is_visible()
    for box in app.locator(".pe-runs input").all()[1::-1]:
        box.check()
    app.get_by_role("button", name="Compare the 2 ticked").click()
    compared = app.locator(".pe-compare")
    compared.get_by_text("Two runs side by side").wait_for()
    assert "Asked without thermostatic switches" in compared.inner_text()
    assert "left out" in compared.locator("table").inner_text()
    screenshot(app, "what-if-compared")
    assert not complaints(app)

    app.get_by_role("tab", name="Ask").click()
    poll(app, f"() => {STORE}.mode", "ask")
    assert not app.locator(".pe-settings").is_visible(), "what is left out closes when it is asked"
    gear.click()
    left.get_by_role("checkbox").uncheck()
    poll(app, f"() => {STORE}.bar.left.length", 0)
    app.locator(".pe-settings").wait_for(state="hidden")
    app.locator(".pe-stage").last.click()
    mattered = app.locator(".pe-detail")
    mattered.get_by_role("button", name="Facts").click()
    app.evaluate(STOP)
    mattered.get_by_text("Nothing of it is on record").wait_for()
    mattered.get_by_role("button", name="Documents").click()
    poll(app, f"() => {STORE}.mattered?.state", "done")
    assert "found out by asking again" in mattered.inner_text()
    needed = mattered.locator(".pe-matter li").first
    needed.scroll_into_view_if_needed()
    assert re.search(r"(needed|helped|made no difference), (not )?cited", needed.inner_text())
    assert "what the answer loses without it" in app.locator(".pe-legend").inner_text()
    screenshot(app, "mattered")
    assert not complaints(app)
    app.get_by_role("button", name="List view").click()
    assert re.search(r"(needed|helped|made no difference): without it", app.locator(".pe-list").inner_text())
    app.get_by_role("button", name="Graph view").click()
    needed.get_by_role("button").click()
    assert "Without it" in app.locator(".pe-detail").inner_text()


def test_two_apps_in_one_notebook_and_python_says_and_hears_what_is_selected(app):
    first = app.evaluate(RUN)
    run_new_cell(app, "second = explorer.app(ws, pace=0)\nsecond")
    poll(app, "() => document.querySelectorAll('.pe').length", 2)
    run_new_cell(app, f"second.ask({QUESTION!r}); second.wait(); second.selected = second.trace.edges[0].iri")
    poll(app, "() => document.querySelectorAll('.pe')[1].dataset.state", "done")
    poll(app, "() => document.querySelectorAll('.pe-detail h3')[1].innerText.startsWith('Fact 1 of ')", True)
    assert app.evaluate(RUN) == first
    assert not app.locator(".pe-detail h3").first.inner_text().startswith("Fact")
    assert app.locator(".pe-question input").nth(1).input_value() == QUESTION
    app.locator(".pe-stage").nth(5).click()  # the Question of the second app
    run_new_cell(app, "assert ws.node(second.selected).entity.query == second.trace.question; print('heard')")
    app.locator(".jp-OutputArea-output").get_by_text("heard").wait_for()
