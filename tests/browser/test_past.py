"""Past runs in a real JupyterLab: shown again as they were, played, compared; and a run that is taught."""

import itertools
import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.axe import complaints
from tests.browser.conftest import (
    RUN,
    WIDE,
    poll,
    portrait,
    reload,
    rest,
    run_new_cell,
    screenshot,
    set_theme,
    wait_for_kernel,
    write_notebook,
)
from tests.browser.test_explore import RECORD_LABELS, ask, click_label, heading, marked, until_ended

DOCUMENTS = Path(__file__).parents[2] / "sample_data" / "apollo13" / "documents"
QUESTION = "What voltage were the thermostatic switches rated for?"
OTHER = "Who is the mayor of Lisbon?"
TEAM = "Why did oxygen tank no. 2 fail, and what voltage were the thermostatic switches rated for?"
HEATERS = "What voltage were the heater switches made for, and what did they get at the launch site?"  # keeps 5 facts
CELL = f"""\
import explorer
ws = explorer.open()
ws.ingest({str(DOCUMENTS / "investigation-report.pdf")!r}, {str(DOCUMENTS / "tank-history.md")!r}, progress=False)
app = explorer.app(ws, pace=0.01)
app"""
# What the graph looks like, and what the other panels say; ids stay, since it is the same run.
SHOWN = """() => {
    const { store } = document.querySelector(".pe").explorer;
    const text = (part) => document.querySelector(part).innerText.replace(/\\d+(\\.\\d+)? (s|ms)\\b/g, "…");
    return {
        nodes: [...store.nodes.values()].map((node) =>
            JSON.stringify([node.id, node.kind, node.lines, node.spots])).sort(),
        arcs: store.arcs.map(({ from, to, kind, width }) => [from, to, kind, width].join(" ")).sort(),
        answer: text(".pe-answer .pe-body"),
        stages: [...document.querySelectorAll(".pe-stage .pe-sub")].map((one) =>
            one.closest(".now, .waiting") ? "next" : one.innerText),  // at work, or not yet in a run that is played
    };
}"""
STORE = "document.querySelector('.pe').explorer.store"
WAITING = f"() => {STORE}.waiting"
FIRST_FACT = f"[...{STORE}.nodes.values()].find(({{ kind }}) => kind === 'EdgeSelection').id"
KEPT_FACTS = f"() => [...{STORE}.nodes.values()].filter(({{ kind }}) => kind === 'EdgeSelection').length"
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
    """Open the past runs, and wait for the list that is asked for with it."""
    page.evaluate(f"() => {{ window.listed = {STORE}.past.runs; }}")
    page.get_by_role("tab", name="Past runs").click()
    page.locator(".pe-past").wait_for()
    page.locator(".pe-controls").wait_for()
    poll(page, f"() => {STORE}.past.runs !== window.listed", True)
    newest = page.evaluate("() => document.querySelector('.pe-question input').value")
    page.locator(".pe-runs li").first.get_by_text(newest, exact=True).wait_for()
    rest(page)


POSITION = f"() => {STORE}.at"
TICKS = "() => [...document.querySelectorAll('.pe-runs li.pe-top input')].map((one) => [one.checked, one.disabled])"


CUT_IN_BOTH = """(compared) => {  // what is cut in the graph of two runs, but the words of passages
    const parts = [...compared.querySelectorAll(".pe-both g")].map((one) =>
        [...one.querySelectorAll("text.fact, text.quiet")].map(({ textContent }) => textContent));
    const isPassage = (lines) => lines.some((line) => line.startsWith("“"));
    return parts.filter((lines) => !isPassage(lines) && lines.some((line) => line.includes("…")));
}"""


def test_runs_are_found_opened_and_compared(app):
    ask(app, QUESTION)
    app.locator(".pe-how select").select_option("Passage search")
    ask(app, QUESTION)
    app.locator(".pe-how select").select_option("Graph search")
    ask(app, OTHER)
    look_back(app)
    expect(app.get_by_role("tab", name="Past runs 3")).to_have_count(1)
    runs = app.locator(".pe-runs li.pe-top")
    poll(app, "() => document.querySelectorAll('.pe-runs li.pe-top').length", 3)
    expect(runs.first).to_contain_text("declined", use_inner_text=True)
    app.get_by_label("Search questions, answers, names, tags, notes and reviews").fill("thermostatic")
    poll(app, "() => document.querySelectorAll('.pe-runs li.pe-top').length", 2)
    app.locator(".pe-past").get_by_label("Method").select_option("document-rag")
    poll(app, "() => document.querySelectorAll('.pe-runs li.pe-top').length", 1)
    runs.locator(".pe-share").click()
    expect(app.locator(".pe-title")).to_contain_text("Passage search", use_inner_text=True)
    expect(heading(app)).to_have_text(re.compile("^At event"))
    app.locator(".pe-past").get_by_label("Method").select_option("")
    poll(app, "() => document.querySelectorAll('.pe-runs li.pe-top').length", 2)
    expect(app.locator(".pe-asked")).to_contain_text("2 runs", use_inner_text=True)
    for at, words in enumerate(("Passage search", "Graph search")):
        expect(runs.nth(at)).to_contain_text(words, use_inner_text=True)
    screenshot(app, "past-runs")
    portrait(app, "app-past")

    for box in app.locator(".pe-runs input").all():
        box.check()
    app.locator(".pe-past").get_by_label("Search questions, answers, names, tags, notes and reviews").fill("")
    poll(app, "() => document.querySelectorAll('.pe-runs li.pe-top').length", 3)
    poll(app, TICKS, [[False, True], [True, False], [True, False]])
    app.get_by_role("button", name="Untick").click()
    poll(app, TICKS, [[False, False]] * 3)
    for box in runs.locator("input").all()[1:]:
        box.check()
    app.get_by_role("button", name="Compare the 2 ticked").click()
    compared = app.locator(".pe-compare")
    compared.get_by_text("Two runs side by side").wait_for()
    expect(compared).to_contain_text("same question", use_inner_text=True)
    summed = re.search(
        r"A: (.+), B: (.+); (\d+) of (?:each|A's and (\d+) of B's) quote the same words", compared.inner_text()
    )
    for counts, shared in ((summed[1], summed[3]), (summed[2], summed[4] or summed[3])):
        assert 0 < int(shared) <= sum(map(int, re.findall(r"(\d+) (?:used|close)", counts)))
    for width, height in ((1120, 900), (1280, 800), (1600, 1000)):
        app.set_viewport_size({"width": width, "height": height})
        compared.get_by_role("button", name="One graph").click()
        expect(compared.locator(".pe-both-arc").nth(5)).to_be_attached()
        poll(app, "() => { const one = document.querySelector('.pe-both-scroll');"
                  " return one.scrollWidth <= one.clientWidth && one.clientWidth < innerWidth; }", True)  # fmt: skip
        rest(app)
        assert compared.evaluate(CUT_IN_BOTH) == []
        drawn, kept = compared.locator(".pe-both-scroll"), compared.locator("rect.pe-both-box:is(.fact, .passage)")
        answers = compared.locator(".pe-halves.answers").bounding_box()
        assert drawn.bounding_box()["y"] < answers["y"], "what was asked for comes first"
        expect(kept.first).to_be_in_viewport(ratio=0.99)
        drawn.focus()
        app.keyboard.press("End")
        expect(kept.last, "the last that was kept is reached by keys").to_be_in_viewport(ratio=0.99)
        poll(app, "() => { const one = document.querySelector('.pe-both-scroll');"
                  " return one.scrollTop + one.clientHeight >= one.scrollHeight - 1; }", True)  # fmt: skip
        rest(app)
        app.keyboard.press("Home")
        poll(app, "() => document.querySelector('.pe-both-scroll').scrollTop", 0)
        expect(kept.first).to_be_in_viewport(ratio=0.99)
        rest(app)  # a wheel that turns while the keys still scroll is lost
        app.mouse.move(*middle_of(drawn))
        app.mouse.wheel(0, 20_000)
        expect(kept.last, "and with the wheel").to_be_in_viewport(ratio=0.99)
        screenshot(app, f"compare-graph-{width}")
    compared.get_by_role("button", name="Table").click()
    expect(compared.locator("tbody tr").nth(5)).to_be_attached()
    screenshot(app, "compare")
    portrait(app, "app-compare")
    app.get_by_role("tab", name="Ask").click()
    poll(app, "() => document.querySelector('.pe').dataset.state", "declined")
    expect(compared).to_be_hidden()
    app.get_by_role("tab", name="Past runs").click()
    compared.get_by_text("Two runs side by side").wait_for()
    compared.get_by_role("button", name="Swap A and B").click()
    set_theme(app, "JupyterLab Dark")
    rest(app)
    screenshot(app, "compare-dark")
    compared.get_by_role("button", name="Back to the list").click()
    app.locator(".pe-controls").wait_for()
    screenshot(app, "past-runs-dark")
    app.locator(".pe-past").get_by_label("Search questions, answers, names, tags, notes and reviews").fill("")
    app.get_by_role("tab", name="Ask").click()
    poll(app, "() => document.querySelector('.pe').dataset.state", "declined")


def middle_of(part):
    box = part.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + min(box["height"], 300) / 2


LANES = """() => [...document.querySelectorAll(".pe-together")].map((lane) => ({
    heads: [...lane.querySelectorAll("section > div b")].map((one) => one.innerText),
    came: [...lane.querySelectorAll("li.pe-came-one")].map((one) => one.innerText),
    text: lane.innerText,
    newest: [...lane.querySelectorAll(".on.pe-came-one")].every((one) => {
        const [box, room] = [one.getBoundingClientRect(), lane.getBoundingClientRect()];
        return box.top >= room.top - 1 && box.bottom <= room.bottom + 1;
    }),
}))"""


def test_two_runs_are_stepped_together_and_have_their_answers_at_the_same_time(app):
    for engine in ("Graph search", "Agent, step by step"):
        app.locator(".pe-how select").select_option(engine)
        ask(app, HEATERS)
    look_back(app)
    if app.get_by_role("button", name="Untick").count():  # of a test before
        app.get_by_role("button", name="Untick").click()
    for box in app.locator(".pe-runs input").all()[1::-1]:
        box.check()
    app.get_by_role("button", name="Compare the 2 ticked").click()
    app.get_by_role("button", name="Step by step", exact=True).click()
    slider = app.get_by_label("Step of both runs")
    expect(slider).to_have_attribute("aria-valuetext", re.compile(r"^Step 0 of \d+$"))
    assert [lane["heads"] for lane in app.evaluate(LANES)] == [[], []]
    last = int(slider.get_attribute("max"))
    slider.focus()
    seen = []
    for step in range(1, last + 1):
        app.keyboard.press("ArrowRight")
        expect(slider).to_have_attribute("aria-valuetext", re.compile(rf"^Step {step} of {last}, "))
        seen.append(app.evaluate(LANES))
        assert all(lane["newest"] for lane in seen[-1]), "what has just come is in sight"
    facts, agent = seen[-1]
    assert facts["heads"] == ["Key ideas", "Looked at", "Kept", "Answer"]
    assert agent["heads"][-1] == "Answer"
    assert len(facts["came"]) > 5, "each fact by itself"
    assert [len(lanes[0]["came"]) for lanes in seen] == sorted(len(lanes[0]["came"]) for lanes in seen)
    began = [next(at for at, lanes in enumerate(seen) if "Answer" in lanes[side]["heads"]) for side in (0, 1)]
    assert began[0] == began[1]
    assert not complaints(app)
    screenshot(app, "compare-steps")
    app.keyboard.press("ArrowLeft")
    expect(slider).to_have_attribute("aria-valuetext", re.compile(rf"^Step {last - 1} "))
    assert app.evaluate(LANES) == seen[-2]
    app.get_by_label("Speed").filter(visible=True).select_option("4")
    app.keyboard.press("Home")
    app.locator(".pe-compare").get_by_role("button", name="To the beginning (Home)").click()
    app.locator(".pe-compare").get_by_role("button", name="Play", exact=True).click()
    expect(slider).to_have_attribute("aria-valuetext", re.compile(rf"^Step {last} "))
    app.locator(".pe-compare").get_by_role("button", name="Play", exact=True).wait_for()
    app.get_by_role("button", name="Present", exact=True).filter(visible=True).click()
    for width, height in ((900, 1000), (1280, 800), (1920, 1080)):
        app.set_viewport_size({"width": width, "height": height})
        rest(app)
        boxes = [box.bounding_box() for box in app.locator(".pe.presents .pe-together").all()]
        assert all(height - 30 < box["y"] + box["height"] <= height for box in boxes), (width, boxes)
        assert all(lane["newest"] for lane in app.evaluate(LANES))
        screenshot(app, f"present-steps-{width}")
    app.keyboard.press("Escape")
    app.locator(".pe-together .pe-cite").first.click()
    app.locator("table.pe-versus tr.on").wait_for()
    app.get_by_role("button", name="Back to the list").click()


LONG = "x" * 10_000
RIGHT_TO_LEFT = "لماذا <b>فشل</b>"
DIRECTIONS = "all => all.map((one) => getComputedStyle(one).direction)"


def test_a_run_is_named_tagged_deleted_and_brought_back(app):
    ask(app, OTHER)
    look_back(app)
    runs = app.locator(".pe-runs li.pe-top")
    before, shown = runs.count(), app.evaluate(RUN)
    runs.first.locator("button.pe-share").click()
    poll(app, RUN, lambda run: run != shown)
    runs.first.get_by_role("button", name="Name, tags and note").click()
    expect(app.get_by_label("Name", exact=True)).to_be_focused()
    for width, height in ((900, 1000), (1280, 800), (WIDE["width"], WIDE["height"])):
        app.set_viewport_size({"width": width, "height": height})
        rest(app)
        expect(app.locator(".pe-note-form"), "all of it is seen").to_be_in_viewport(ratio=1)
    name, tags = app.get_by_label("Name", exact=True), app.get_by_label("Tags, with commas between")
    save = app.get_by_role("button", name="Save", exact=True)
    name.fill(LONG)
    tags.fill("audit, tank, AUDIT,")
    app.get_by_label("Note", exact=True).fill("Ask again.")
    screenshot(app, "past-note")
    for field, hostile in ((name, "<img src=x onerror=alert(1)> لماذا"), (tags, f"audit, {RIGHT_TO_LEFT}, AUDIT,")):
        save.click()
        expect(app.locator(".pe-trouble-line").filter(visible=True)).to_contain_text("at most 200 characters")
        expect(name, "what was refused is there to be written otherwise").to_be_focused()
        expect(app.get_by_label("Note", exact=True)).to_have_value("Ask again.")
        if field is name:
            tags.fill(f"audit, {LONG}")
        field.fill(hostile)
    save.click()
    expect(app.locator(".pe-tag")).to_have_text(["audit", RIGHT_TO_LEFT])
    assert app.locator(".pe-tag").evaluate_all(DIRECTIONS) == ["ltr", "rtl"]
    expect(runs.first).to_contain_text("<img", use_inner_text=True)
    expect(app.locator(".pe-runs b:not([class]), .pe-runs img, .pe-replay img"), "markup stays text").to_have_count(0)
    assert app.locator(".pe-past .pe-runs").evaluate("one => one.scrollWidth <= one.clientWidth")
    expect(app.locator(".pe-title h3")).to_contain_text("<img", use_inner_text=True)
    expect(app.locator(".pe-title-note")).to_have_text("Ask again.")
    app.locator(".pe-past").get_by_label("Tag", exact=True).select_option("audit")
    poll(app, "() => document.querySelectorAll('.pe-runs li.pe-top').length", 1)
    app.locator(".pe-past").get_by_label("Tag", exact=True).select_option("")
    poll(app, "() => document.querySelectorAll('.pe-runs li.pe-top').length", before)
    runs.first.get_by_role("button", name="Name, tags and note").click()
    app.get_by_role("button", name="Delete …").click()
    expect(app.locator(".pe-sure")).to_contain_text(
        "That there was a run, and when it was deleted, stays on record", use_inner_text=True
    )
    expect(app.get_by_role("button", name="Delete the run")).to_be_in_viewport(ratio=1)
    screenshot(app, "past-delete")
    app.get_by_role("button", name="Delete the run").click()
    poll(app, "() => document.querySelectorAll('.pe-runs li.pe-top').length", before - 1)
    expect(app.locator(".pe-undo")).to_have_text(re.compile(r"\w · today \d\d:\d\d:\d\d"), use_inner_text=True)
    app.get_by_role("button", name="Undo").click()
    poll(app, "() => document.querySelectorAll('.pe-tag').length", 2)
    expect(runs).to_have_count(before)
    expect(app.get_by_role("button", name="Undo")).to_have_count(0)


NOT_KEPT = """() => {
    const { store, select } = document.querySelector(".pe").explorer;
    const node = [...store.nodes.values()].find(({ kind }) => kind === "NotKept");
    select(node.id);
    return Number(node.lines.at(-1)[1].match(/\\d+/)[0]);
}"""


SELECT_KIND = """kind => {
    const { store, select } = document.querySelector(".pe").explorer;
    select([...store.nodes.values()].find((node) => node.kind === kind).id);
}"""
LISTED = """() => [...document.querySelectorAll(".pe-unkept > li > button")].map((line) =>
    [...line.children].map((part) => part.innerText.trim()))"""


def test_all_that_was_not_kept_is_listed_and_searched(app):
    ask(app, QUESTION)
    for kind in ("Question", "Concept", "Exploration", "NotKept"):
        app.locator(".pe-answer .pe-cite").first.click()
        assert marked(app)
        app.evaluate(SELECT_KIND, kind)
        rest(app)
        expect(app.locator(".pe-source mark.mine"), f"of what was open before {kind}").to_have_count(0)
    number = app.evaluate(NOT_KEPT)
    poll(app, "() => document.querySelectorAll('.pe-unkept > li').length", number)
    listed = app.evaluate(LISTED)
    assert all(why and where for _, why, where in listed), "each with why it was not kept, and its source"
    ranks = [int(found[1]) for _, why, _ in listed if (found := re.search(r"the (\d+)\w\w nearest", why))]
    assert ranks
    assert ranks == sorted(ranks), "of those that were not compared the nearest first"
    screenshot(app, "not-kept")
    app.get_by_label("Search what was not kept").fill("relief no such words")
    poll(app, "() => document.querySelectorAll('.pe-unkept > li').length", 0)
    app.get_by_label("Search what was not kept").fill("TANK history")
    lines = app.locator(".pe-unkept > li")
    poll(app, "() => document.querySelectorAll('.pe-unkept > li').length", lambda found: 0 < found < number)
    assert all("Tank" in line or "tank" in line for line in lines.all_inner_texts())
    lines.first.locator("button").click()
    app.locator(".pe-found .pe-quote").wait_for()
    expect(app.get_by_label("Search what was not kept")).to_have_value("TANK history")


def test_one_search_says_what_was_kept_what_not_and_which_documents_have_it(app):
    ask(app, "Why did oxygen tank no. 2 fail?")
    box, found = app.get_by_role("searchbox", name="Find in graph"), app.get_by_role("group", name="Found in")
    box.fill("dropped")
    expect(found).to_have_text(re.compile(r"^in the graph: 0·not kept: [1-9]\d*·in documents: 2$"))
    expect(app.locator(".pe-find-count")).to_have_text("none")
    rest(app)
    screenshot(app, "found-in")
    number = int(re.search(r"not kept: (\d+)", found.inner_text())[1])
    found.get_by_role("button", name="not kept").click()
    unkept = app.get_by_label("Search what was not kept")
    expect(unkept).to_have_value("dropped")
    poll(app, "() => document.querySelectorAll('.pe-unkept > li').length", number)
    unkept.fill("heater")
    onward = app.locator(".pe-unkept-said").get_by_role("button", name="in documents: 2")
    onward.click()
    shelf = app.locator(".pe-documents")
    expect(shelf.get_by_label("Search titles and texts")).to_have_value("heater")
    rows = shelf.get_by_role("list", name="Documents").get_by_role("button")
    expect(rows).to_have_count(2)
    report = rows.filter(has_text="investigation-report.pdf")
    expect(report).to_contain_text(re.compile(r"\d+ places: "))
    report.click()
    document = shelf.get_by_role("region", name="Document", exact=True)
    expect(document).to_contain_text(re.compile(r"“heater”: \d+ places in this document"))
    expect(document.locator("mark.mine, .mine").first).to_be_in_viewport()
    rest(app)
    screenshot(app, "found-in-document")
    shelf.get_by_label("Search titles and texts").fill("")
    app.get_by_role("tab", name="Ask").click()
    box.fill("tank")
    expect(found).to_contain_text(re.compile(r"in the graph: [1-9]"))
    box.fill("")
    expect(found).to_be_hidden()


def test_who_asks_is_typed_beside_the_limits_and_stands_in_past_runs(app):
    app.locator(".pe-gear").click()
    name = app.locator(".pe-settings").get_by_label("Asked by")
    name.fill("Ada Auditor")
    name.press("Tab")
    poll(app, f"() => {STORE}.by", "Ada Auditor")
    rest(app)
    assert complaints(app) == []
    screenshot(app, "asked-by")
    ask(app, QUESTION)
    look_back(app)
    expect(app.locator(".pe-runs li.pe-top").first).to_contain_text("Asked by Ada Auditor")
    app.get_by_role("tab", name="Ask").click()
    poll(app, f"() => {STORE}.bar.by", "Ada Auditor")


def place_of(node):
    """A node as SHOWN has it: its IRI, and where it stands."""
    iri, _, _, *place, _ = json.loads(node)
    return iri, tuple(place[:2])


@pytest.mark.parametrize("engine", ["Graph search", "Agent, as a team"])
def test_a_run_is_played_again_as_it_was_live(app, engine):
    app.locator(".pe-how select").select_option(engine)
    app.evaluate(WATCH)
    ask(app, QUESTION if engine == "Graph search" else TEAM)
    live, end = app.evaluate("() => window.steps"), app.evaluate(SHOWN)
    placed = [dict(map(place_of, step["nodes"])) for step in live]
    for before, after in itertools.pairwise(placed[:-1]):
        assert after.items() >= before.items(), "while a run goes on nothing that has its place moves"
    look_back(app)
    app.locator(".pe-runs li button").first.click()
    poll(app, "() => document.querySelector('.pe').explorer.store.past.opening", None)
    poll(app, SHOWN, end)
    slider = app.locator(".pe-slide input")
    slider.focus()
    app.keyboard.press("Home")
    poll(app, POSITION, 0)
    assert app.evaluate("() => document.querySelector('.pe').explorer.store.nodes.size") == 0
    app.evaluate(WATCH)
    last = int(slider.get_attribute("max"))
    for step in range(1, last + 1):
        app.keyboard.press("ArrowRight")
        poll(app, POSITION, step)
        if new := app.evaluate(f"() => {STORE}.nodes.get({STORE}.piece)?.say"):
            expect(app.locator(".pe-say"), "the line below says what has come").to_have_text(f"New: {new}")
    again = app.evaluate("() => window.steps")
    left = iter(again)
    assert len(again) > len(live) >= 4, "what was kept comes one by one"
    assert all(step in left for step in live), "all that was shown live is shown again, in that order"
    poll(app, SHOWN, end)


WATCH_BEATS = """() => {  // when each of the first steps is shown
    const { store } = document.querySelector(".pe").explorer;
    window.beats = [];
    const deaf = store.listen((what) => {
        if (what !== "grown") return;
        window.beats.push(performance.now());
        if (window.beats.length === 3) deaf();
    });
}"""


BEYOND = """() => {  // what reaches beyond the canvas at its right, and how wide that is
    const { here, outline } = document.querySelector(".pe").explorer;
    const { width } = document.querySelector(".pe-canvas").getBoundingClientRect();
    return [here().filter(({ id }) => outline(id).right > width + 1).map(({ kind }) => kind), width];
}"""


IDEAS = """() => {  // how many key ideas are not drawn, and how many lie on what else is
    const { store, here, outline } = document.querySelector(".pe").explorer;
    const all = [...store.nodes.values()].filter(({ kind }) => kind === "Concept");
    const drawn = here();
    const over = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
    const ideas = drawn.filter(({ kind }) => kind === "Concept");
    const lie = ideas.filter((one) => drawn.some((two) => two !== one && over(outline(one.id), outline(two.id))));
    return [all.length - ideas.length, lie.length];
}"""


@pytest.mark.parametrize("engine", ["Graph search", "Agent, as a team"])
def test_a_run_that_is_played_again_fits_beside_the_list(app, engine):
    app.locator(".pe-how select").select_option(engine)
    ask(app, TEAM)
    end = app.evaluate(SHOWN)
    look_back(app)
    app.set_viewport_size({"width": 1100, "height": 800})
    app.locator(".pe-runs li button").first.click()
    poll(app, f"() => {STORE}.past.opening", None)
    poll(app, SHOWN, end)
    slider = app.locator(".pe-slide input")
    slider.focus()
    app.keyboard.press("Home")
    poll(app, POSITION, 0)
    for step in range(1, int(slider.get_attribute("max"))):
        app.keyboard.press("ArrowRight")
        poll(app, POSITION, step)
        beyond, width = app.evaluate(BEYOND)
        assert beyond == []
        assert engine != "Graph search" or app.evaluate(IDEAS) == [0, 0], "all key ideas are drawn, and lie on nothing"
    assert 420 < width < 850, "less than the drawing has while it grows"


NEWEST = """() => {  // whether what the event on show brought is in sight
    const { store, outline } = document.querySelector(".pe").explorer;
    const { frames, at } = store;
    const before = new Set(frames.slice(0, at).flatMap(({ nodes = [] }) => nodes.map(({ id }) => id)));
    const { id } = frames[at].nodes.find((node) => !before.has(node.id));
    const { top, bottom } = outline(id);
    return top >= -1 && bottom <= document.querySelector(".pe-run .pe-canvas").clientHeight + 1;
}"""


def test_what_an_event_brought_stays_in_sight_in_another_size_in_the_dark_and_presented(app):
    ask(app, QUESTION)
    look_back(app)
    app.locator(".pe-runs li button.pe-share").first.click()
    poll(app, "() => document.querySelector('.pe').explorer.store.past.opening", None)
    slider = app.locator(".pe-slide input")
    slider.fill(str(int(slider.get_attribute("max")) - 3))
    rest(app)
    for width, height in ((1280, 800), (900, 1000), (1600, 900)):
        app.set_viewport_size({"width": width, "height": height})
        rest(app)
        poll(app, NEWEST, True)
        app.get_by_role("button", name="Present", exact=True).filter(visible=True).click()
        rest(app)
        poll(app, NEWEST, True)
        app.get_by_role("button", name="Leave Present").filter(visible=True).click()
        rest(app)
    set_theme(app, "JupyterLab Dark")
    rest(app)
    poll(app, NEWEST, True)
    set_theme(app, "JupyterLab Light")
    app.set_viewport_size(WIDE)
    app.get_by_role("tab", name="Ask").click()


def test_play_pause_step_back_and_wait_at_each_stage(app):
    app.locator(".pe-how select").select_option("Graph search")
    ask(app, QUESTION)
    look_back(app)
    shown = app.evaluate(RUN)
    app.locator(".pe-runs li button").first.click()
    poll(app, RUN, lambda run: run != shown)
    expect(app.locator(".pe-title")).to_contain_text("Graph search", use_inner_text=True)
    in_all = app.evaluate(KEPT_FACTS)
    last = int(app.locator(".pe-slide input").get_attribute("max"))
    expect(app.locator(".pe-controls")).to_contain_text(f"Event {last} of {last}", use_inner_text=True)
    speed = app.get_by_label("Speed").filter(visible=True)
    expect(speed).to_have_value("1")
    assert speed.locator("option").all_inner_texts() == ["0.25×", "0.5×", "1×", "2×", "4×"]
    ticks = app.locator(".pe-controls .pe-marks span").all_inner_texts()
    assert "Question" in ticks
    assert {*ticks} <= {*app.locator(".pe-stage b").all_inner_texts()}, "named as the stages are"
    app.get_by_role("button", name="To the beginning (Home)").click()
    app.evaluate(WATCH_BEATS)
    app.get_by_role("button", name="Play", exact=True).click()
    beats = poll(app, "() => window.beats", lambda beats: len(beats) == 3)
    assert all(900 < after - before < 2500 for before, after in itertools.pairwise(beats)), "a step a second"
    speed.select_option("4")
    poll(app, "() => document.querySelector('.pe').explorer.store.at", last)
    poll(app, "() => document.querySelector('.pe-play').innerText", "Play again")
    app.get_by_role("button", name="One event back (←)").click()
    poll(app, POSITION, last - 1)
    rest(app)
    for at in (0, last // 3, last - 1):
        app.locator(".pe-slide input").fill(str(at))
        poll(app, POSITION, at)
        expect(app.locator(".pe-stage[data-state='now']"), "nothing is at work while it is paused").to_have_count(0)
        expect(app.locator(".pe-stages")).not_to_contain_text("at work", use_inner_text=True)
    assert app.locator(".pe-detail .pe-foot").evaluate("one => one.scrollWidth <= one.clientWidth")

    app.get_by_role("button", name="Play backwards").click()
    poll(app, f"() => {STORE}.at", 0)
    app.evaluate(f"() => {STORE}.tell('runs')")  # the list is drawn anew
    expect(app.get_by_role("button", name="Present", exact=True).filter(visible=True)).to_have_count(1)

    app.set_viewport_size({"width": 1280, "height": 800})
    app.locator(".pe-controls").get_by_role("button", name="Teach").click()
    app.locator(".pe-lesson").get_by_role("button", name="Next stage").click()
    expect(app.locator(".pe-play"), "the lesson has its own ways on").to_be_hidden()
    lesson, terms = app.locator(".pe-lesson"), []
    for _ in range(5):
        poll(app, WAITING, True)
        terms.append(app.evaluate(f"() => {STORE}.teaching.word"))
        expect(lesson.locator("p").first).to_contain_text(terms[-1], use_inner_text=True)
        if terms[-1] == "Looked at":
            expect(lesson).to_contain_text("It went 2 hops", use_inner_text=True)
            assert app.evaluate(LIT) == app.evaluate(f"() => {STORE}.teaching.node")
            lesson.get_by_role("button", name="Next stage").click()
            answer_quiz(app)
            screenshot(app, "past-quiz")
        rest(app)
        if terms[-1] != "Looked at":
            assert app.evaluate(BELOW)
            assert app.evaluate(EXPLAINED_IN_SIGHT), terms[-1]
            assert app.evaluate(UNDERLINED), "what explains a word is marked within its box"
        if terms[-1] == "Kept":
            assert app.evaluate(KEPT_FACTS) == in_all > 1, "what was kept is shown before it goes on"
            lesson.get_by_role("button", name="Next step").click()
            expect(lesson).to_contain_text("Fact 1 of", use_inner_text=True)
            rest(app)
            assert app.evaluate(EXPLAINED_IN_SIGHT)
            lesson.get_by_role("button", name="Back").click()
            expect(lesson.locator("p").first).to_contain_text("Kept", use_inner_text=True)
        if terms[-1] == "Answer":
            what_if_before_the_end(app)
        lesson.get_by_role("button", name="Finish" if terms[-1] == "Answer" else "Next stage").click()
    assert terms == ["Question", "Key ideas", "Looked at", "Kept", "Answer"]
    poll(app, f"() => {STORE}.at", last)
    expect(lesson.get_by_role("button", name="Next stage")).to_be_hidden()
    expect(lesson).to_contain_text("The end", use_inner_text=True)
    app.locator(".pe-controls").get_by_role("button", name="Teach").click()
    expect(lesson).to_be_hidden()


UNDERLINED = """() => [...document.querySelectorAll(".pe-lesson .pe-glossed")].every((word) => {
    const { textDecorationLine, borderBottomStyle } = getComputedStyle(word);
    const before = document.createRange();
    before.setStart(word.closest("p, li, legend, label, div"), 0);
    before.setEndBefore(word);
    const said = before.toString();
    const isQuoted = said.lastIndexOf("“") > said.lastIndexOf("”"); // a word of a document
    return textDecorationLine === "none" && borderBottomStyle === "dotted" && !isQuoted;
})"""


def what_if_before_the_end(page):
    """A run that is played and not at its end can be asked again without a fact, and be asked what mattered."""
    page.evaluate(f"() => document.querySelector('.pe').explorer.select({FIRST_FACT})")
    page.get_by_role("button", name="What if it were not there?").click()
    left = page.get_by_role("group", name="Left out")
    expect(left.get_by_role("button", name="Ask this run again")).to_be_enabled()
    expect(left).not_to_contain_text("No run is shown")
    left.get_by_role("button", name="Put all back").click()
    page.evaluate("() => document.querySelector('.pe').explorer.clear()")


QUIZ = re.compile(r"Which of these \w+ facts would you keep\?")


def answer_quiz(page):
    """Tick the first of what is offered and compare; each choice then has what the record says of it."""
    quiz = page.get_by_role("group", name=QUIZ)
    offered = quiz.get_by_role("listitem").count()
    assert offered > 2
    expect(quiz.locator("q"), "each with the sentence that it was taken from").to_have_count(offered)
    quiz.get_by_role("checkbox").first.check()
    quiz.get_by_role("button", name="Compare with the run").click()
    expect(quiz).to_have_text(re.compile(rf"agree on \d of {offered}"), use_inner_text=True)
    assert {"agrees", "differs"} >= set(quiz.locator("li").evaluate_all("all => all.map(({ className }) => className)"))
    said = (
        r"(?:✓ You ticked it, and|✕ You ticked it, but|✕ You did not tick it, but|✓ You did not tick it, and) the run "
    )
    assert len(re.findall(rf"{said}(?:kept it|did not keep it)\.", quiz.inner_text())) == offered, "no model scored it"
    rest(page)
    for part in (quiz.locator("legend"), quiz.get_by_role("status"), page.locator(".pe-lesson-ways .go").first):
        expect(part).to_be_in_viewport(ratio=1)


SCROLLED_BACK = """() => {  // as somebody would with the wheel, so that the app holds nothing in its place
    const app = document.querySelector(".pe-app");
    app.querySelector(".pe").dispatchEvent(new WheelEvent("wheel", { bubbles: true }));
    app.scrollIntoView({ block: "start" });
}"""


def test_a_live_run_is_taught_stage_by_stage_and_step_by_step(app, notebook):
    app.evaluate(SCROLLED_BACK)
    app.locator(".pe-how select").select_option("Graph search")
    teach = app.locator(".pe-bar").get_by_role("button", name="Teach")
    teach.click()
    app.locator(".pe-question input").fill(QUESTION)
    app.get_by_role("button", name="Ask", exact=True).click()
    lesson, terms = app.locator(".pe-lesson"), []
    on = lesson.locator(".pe-lesson-ways .go").first
    poll(app, WAITING, True)
    rest(app)
    for stays in (teach, app.locator(".pe-stage").first):
        expect(stays, "to ask does not take them away").to_be_in_viewport(ratio=1)
    for number in range(1, 7):
        poll(app, WAITING, True)
        seq = app.evaluate(f"() => {STORE}.seq")
        if number == 4:  # a page that is loaded while the run waits goes on waiting
            reload(app, notebook[1])
            poll(app, "() => Boolean(document.querySelector('.pe')?.explorer?.store.waiting)", True)
            answer_quiz(app)
            screenshot(app, "teaching-quiz")
        else:
            terms.append(app.evaluate(f"() => {STORE}.teaching.word"))
            expect(lesson.locator("p").first).to_contain_text(terms[-1], use_inner_text=True)
            assert app.evaluate(LIT) == app.evaluate(f"() => {STORE}.teaching.node")
            screenshot(app, f"teaching-{number}")
        if number == 2:
            gloss = lesson.get_by_role("button", name="Grounding")
            gloss.focus()
            tip = app.get_by_role("tooltip").filter(visible=True)
            expect(tip).to_contain_text("key ideas", use_inner_text=True)
            text, box = lesson.locator("p").first.bounding_box(), tip.bounding_box()
            gap = text["y"] - box["y"] - box["height"]
            assert 0 <= gap < 10, "it is beside what it explains, and covers nothing of it"
            app.keyboard.press("Escape")
            expect(app.get_by_role("tooltip").filter(visible=True)).to_have_count(0)
        if number == 3:
            lesson.get_by_role("button", name="Back").click()
            expect(lesson.locator("p").first).to_contain_text("Key ideas", use_inner_text=True)
            expect(app.locator(".pe-stage.lit")).to_contain_text("Key ideas", use_inner_text=True)
            expect(app.locator(".pe-log .new")).to_contain_text("Key ideas", use_inner_text=True)
            on.click()
        if number == 5:
            lesson.get_by_role("button", name="Next step").click()
            expect(lesson).to_have_text(re.compile(r"^\s*Fact"), use_inner_text=True)
            assert app.evaluate(f"() => {STORE}.nodes.get({LIT[6:]}).kind") == "EdgeSelection"
            screenshot(app, "teaching-fact")
            click_label(app, "⊕ Read")
            expect(heading(app)).to_have_text(re.compile("read", re.IGNORECASE))
        on.focus()
        app.keyboard.press("Enter")
        poll(app, f"() => {STORE}.seq > {seq}", True)
        if number < 6:
            poll(app, WAITING, True)
            expect(on, "Next keeps the focus").to_be_focused()
    assert terms == ["Question", "Key ideas", "Looked at", "Kept", "Answer"]
    until_ended(app)
    expect(lesson).to_contain_text("The end", use_inner_text=True)
    expect(lesson.get_by_role("button", name="Play again")).to_be_visible()
    expect(on, "Next goes away after the end").to_be_hidden()
    expect(app.locator(".pe-log")).to_contain_text("of waiting", use_inner_text=True)

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
    expect(lesson).to_contain_text("The run was stopped here", use_inner_text=True)
    teach.click()
    expect(lesson).to_be_hidden()


BELOW = """() => {  // whether the box of what is explained begins below the lesson
    const { outline, taught } = document.querySelector(".pe").explorer;
    const [lesson, canvas] = [".pe-lesson", ".pe-canvas"].map((one) =>
        document.querySelector(one).getBoundingClientRect());
    return canvas.top + outline(taught()).top >= lesson.bottom;
}"""


EXPLAINED_IN_SIGHT = """() => {  // whether all of the explanation, and of the box of what is explained, is in sight
    const { outline, taught } = document.querySelector(".pe").explorer;
    const words = document.querySelector(".pe-lesson-words");
    const { top, bottom } = document.querySelector(".pe-canvas").getBoundingClientRect(), box = outline(taught());
    const port = document.querySelector(".pe.presents") ?? document.querySelector(".jp-WindowedPanel-outer");
    const low = Math.min(bottom, port.getBoundingClientRect().bottom);
    return words.scrollHeight <= words.clientHeight + 1 && box.top >= 0 && top + box.bottom <= low;
}"""


def test_the_lesson_stays_in_sight_says_who_waits_and_its_quiz_can_be_turned_off(app):
    app.set_viewport_size({"width": 1280, "height": 800})
    app.locator(".pe-how select").select_option("Graph search")
    app.locator(".pe-bar").get_by_role("button", name="Teach").click()
    app.locator(".pe-question input").fill(QUESTION)
    app.get_by_role("button", name="Ask", exact=True).click()
    poll(app, WAITING, True)
    lesson = app.locator(".pe-lesson")
    words, on = lesson.locator(".pe-lesson-words"), lesson.locator(".pe-lesson-ways .go").first
    for down in (0, 120, 400):
        app.mouse.wheel(0, down)
        rest(app)
        for part in (words, on):
            expect(part).to_be_in_viewport(ratio=1)
    screenshot(app, "teaching-in-sight")
    on.click()
    poll(app, f"() => {STORE}.waiting && {STORE}.teaching.word", "Key ideas")
    rest(app)
    assert app.evaluate(EXPLAINED_IN_SIGHT)
    assert app.evaluate(BELOW), "what is explained is not below the lesson"
    lesson.get_by_role("button", name="Back").click()
    for pill in (app.locator(".pe-detail .pe-head .pe-pill"), app.locator(".pe-stage[data-kind=Exploration] .pe-sub")):
        expect(pill).to_have_text("waiting for you")
    expect(lesson.get_by_role("button", name="Next step"), "where there is none").to_be_hidden()
    on.click()
    for _ in range(2):
        seq = app.evaluate(f"() => {STORE}.seq")
        on.click()
        poll(app, f"() => {STORE}.seq > {seq + 1} && {WAITING[6:]}", True)
    quiz = app.get_by_role("group", name=QUIZ)
    quiz.wait_for()
    back = lesson.get_by_role("button", name="Back")
    quiz.get_by_role("checkbox").first.check()
    quiz.get_by_role("button", name="Compare with the run").click()
    back.click()
    expect(lesson.locator("p").first).to_contain_text("Looked at", use_inner_text=True)
    on.click()
    expect(quiz.get_by_role("checkbox").first, "it is as it was left").to_be_checked()
    expect(quiz.get_by_role("status")).to_contain_text("agree on")
    switch = lesson.get_by_role("switch")
    switch.click()
    expect(quiz, "turned off, it goes").to_be_hidden()
    expect(lesson.locator("p").first).to_contain_text("Kept", use_inner_text=True)
    back.click()
    expect(quiz, "nobody comes back to it").to_be_hidden()
    expect(lesson.locator("p").first).to_contain_text("Looked at", use_inner_text=True)
    on.click()
    expect(lesson.locator("p").first).to_contain_text("Kept", use_inner_text=True)
    expect(lesson.get_by_role("button", name="Next step")).to_be_visible()
    switch.click()
    on.click()
    expect(on, "there is no stage after the answer").to_have_text("Finish")
    rest(app)
    assert app.evaluate(BELOW)
    assert app.evaluate(EXPLAINED_IN_SIGHT), "the answer's box too"
    expect(app.locator(".pe-go"), "there is one Finish").to_be_disabled()
    on.click()
    until_ended(app)
    poll(app, f"() => {STORE}.state", "done")
    app.locator(".pe-bar").get_by_role("button", name="Teach").click()


RESIZED = """async () => {  // whether anything is painted on the canvas, frame by frame, while it gets another height
    const canvas = document.querySelector(".pe-canvas canvas"), main = document.querySelector(".pe-main");
    const painted = () =>
        canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.some((byte) => byte > 0);
    const seen = [], before = canvas.height;
    main.style.height = "560px";
    for (let frame = 0; frame < 5; frame += 1) {
        await new Promise(requestAnimationFrame);
        seen.push(painted());
    }
    main.style.height = "";
    return [canvas.height < before, ...seen];
}"""


def test_a_canvas_that_gets_another_size_as_the_answer_comes_is_never_empty(app):
    app.locator(".pe-how select").select_option("Graph search")
    ask(app, QUESTION)
    rest(app)
    assert app.evaluate(RESIZED) == [True] * 6
    rest(app)


OPENED = """() => {  // of each document: whether it opened at a passage that the answer cites, or has none
    const { store, select } = document.querySelector(".pe").explorer;
    const all = [...store.nodes.values()];
    return all.filter(({ kind }) => kind === "Document").map(({ id, name }) => {
        select(id);
        const cited = all.filter((one) => one.passage?.title === name && one.kind === "Passage" && one.numbers);
        const opened = store.nodes.get(store.source.node);
        return [cited.length > 0, Boolean(opened.numbers)];
    });
}"""


def test_a_document_opens_at_a_passage_that_the_answer_cites(app):
    app.locator(".pe-how select").select_option("Graph search")
    ask(app, "Why did oxygen tank no. 2 fail?")
    opened = app.evaluate(OPENED)
    assert [True, True] in opened
    assert all(cited == found for cited, found in opened)


def test_the_terms_of_the_record_say_what_they_mean_where_they_stand(app):
    app.locator(".pe-how select").select_option("Graph search")
    ask(app, QUESTION)
    tip = app.get_by_role("tooltip").filter(visible=True)
    app.locator(".pe-stage[data-kind=Focus] .pe-term-name").hover()
    expect(tip).to_contain_text("Keeping what fits the question best")
    app.mouse.move(2, 2)
    expect(tip).to_have_count(0)
    app.locator(".pe-stage[data-kind=Focus]").click()
    app.locator(".pe-detail .pe-head .pe-term-name").focus()
    expect(tip).to_contain_text("Keeping what fits the question best")
    app.keyboard.press("Escape")
    expect(tip).to_have_count(0)


@pytest.mark.parametrize("part", [".pe-stage[data-kind=Focus] .pe-term-name", ".pe-answer .pe-badge >> nth=0"])
def test_what_explains_a_part_is_gone_once_that_is_clicked_and_comes_again_with_the_mouse(app, part):
    ask(app, QUESTION)
    tip = app.locator(".pe-gloss-tip:popover-open")
    app.locator(part).hover()
    tip.wait_for()
    app.locator(part).click()
    poll(app, f"() => {STORE}.selected !== null", True)
    rest(app)
    expect(tip).to_have_count(0)
    app.mouse.move(2, 2)
    app.locator(part).hover()
    tip.wait_for()
    app.mouse.move(2, 2)
    expect(tip).to_have_count(0)


# The button is drawn anew with each step, so the mouse may come too late.
STOP = """async () => {
    const button = () => [...document.querySelectorAll(".pe-detail button")].find((one) => one.textContent === "Stop");
    const late = performance.now() + 60000;
    while (!button() && performance.now() < late) await new Promise((done) => setTimeout(done, 5));
    button().click();
}"""


HEAD_ROWS = """() => {  // where the rows of the head of a comparison begin: what leads on, and the summary
    const parts = document.querySelectorAll(".pe-versus-bar :is(h3, button, span.pe-quiet)");
    const seen = [...parts].map((one) => one.getBoundingClientRect()).filter(({ width }) => width > 2);
    return [...new Set(seen.map(({ top, height }) => Math.round((top + height / 2) / 10)))];
}"""


def test_what_if_a_fact_were_not_there_and_what_mattered(app, showing):
    app.locator(".pe-how select").select_option("Graph search")
    ask(app, QUESTION)
    app.evaluate(f"() => document.querySelector('.pe').explorer.select({FIRST_FACT})")
    marked(app)
    app.locator(".pe-detail").get_by_role("button", name="What if it were not there?").click()
    gear, left = app.locator(".pe-gear"), app.get_by_role("group", name="Left out")
    left.get_by_role("button", name=re.compile("^Put back: ")).wait_for()
    expect(left.get_by_role("checkbox"), "what is ticked elsewhere is there").not_to_be_checked()
    more = app.evaluate(f"() => {STORE}.bar.left[0].also.length")
    expect(gear).to_contain_text(f"without {1 + more} fact", use_inner_text=True)
    expect(app.locator(".pe-detail").get_by_role("button", name="put it back")).to_have_count(1)
    expect(app.locator(".pe-detail").get_by_role("button", name="… its document?")).to_have_attribute(
        "title", re.compile("^Ask as if “.+” were not there$")
    )
    name, also = app.evaluate(f"() => [{STORE}.bar.left[0].text, {STORE}.bar.left[0].also]")
    for fact in also:
        expect(left).to_contain_text(fact, use_inner_text=True)
    expect(app.get_by_role("group", name="Limits"), "they are folded beside what is left out").to_be_hidden()
    expect(left.get_by_role("button", name="Ask this run again")).to_be_in_viewport(ratio=1)
    expect(app.locator(".pe-made")).to_have_text("Graph search")
    screenshot(app, "what-if-left-out")
    app.get_by_role("button", name="Present", exact=True).click()
    for aside in ("Zoom in", "Save as ▾", "Copy"):
        expect(app.get_by_role("button", name=aside, exact=True), "not for a class").to_have_count(0)
    left.get_by_role("button", name="Ask this run again").click()
    compared = app.locator(".pe.presents .pe-compare")
    compared.get_by_text("Two runs side by side").wait_for()
    expect(compared.get_by_text("underlined = said only on this side")).to_be_visible()
    for width, height in ((900, 1000), (1280, 800), (1600, 900), (1920, 1080)):
        app.set_viewport_size({"width": width, "height": height})
        rest(app)
        boxes = [compared.get_by_role("group", name=f"Answer of run {side}").bounding_box() for side in "AB"]
        assert all(box["y"] >= 0 and box["y"] + box["height"] <= height for box in boxes)
        assert boxes[0]["x"] + boxes[0]["width"] <= boxes[1]["x"]
        assert boxes[1]["x"] + boxes[1]["width"] <= width
        assert len(app.evaluate(HEAD_ROWS)) == 2
        for words in ("same question", "underlined = said only on this side"):
            expect(compared.get_by_text(words)).to_be_in_viewport(ratio=1)
        screenshot(app, f"present-compared-{width}")
    compared.get_by_role("button", name="One graph").click()
    for width, height in ((900, 1000), (1280, 800)):
        app.set_viewport_size({"width": width, "height": height})
        poll(app, "() => { const one = document.querySelector('.pe-both-scroll');"
                  " return one.scrollWidth <= one.clientWidth; }", True)  # fmt: skip
    compared.get_by_role("button", name="Table").click()
    compared.get_by_role("button", name="One graph").click()
    rest(app)
    head, drawn = (compared.locator(one).bounding_box() for one in (".pe-versus-bar", ".pe-both-scroll"))
    assert abs(head["y"] + head["height"] - drawn["y"]) < 2, "its top is in sight"
    app.mouse.move(640, 500)
    for down in (400, 3000, 6000):
        app.mouse.wheel(0, down)
        rest(app)
        expect(compared.get_by_role("button", name="Leave Present")).to_be_in_viewport(ratio=1)
    compared.get_by_role("button", name="Table").click()
    app.set_viewport_size({"width": 1920, "height": 1080})
    compared.get_by_role("button", name="Back to the list").click()
    runs = app.locator(".pe.presents .pe-runs:not(.pe-shelf)")
    runs.locator("li.pe-top").nth(1).wait_for()
    expect(app.locator(".pe-run")).to_be_hidden()
    rest(app)
    screenshot(app, "present-list")
    runs.locator("li.pe-top > .pe-share").nth(1).click()
    replay = app.locator(".pe.presents .pe-replay")
    replay.get_by_role("button", name="Leave").wait_for()
    expect(runs).to_be_hidden()
    for width, height in ((900, 1000), (1280, 800), (1600, 900), (1920, 1080)):
        app.set_viewport_size({"width": width, "height": height})
        rest(app)
        screenshot(app, f"present-replay-{width}")
    replay.get_by_role("button", name="All runs").click()
    runs.wait_for()
    assert not complaints(app)
    app.keyboard.press("Escape")
    app.locator(".pe.presents").wait_for(state="detached")
    expect(app.locator(".pe-replay").get_by_role("button", name="Present")).to_be_visible()
    rest(app)
    for box in app.locator(".pe-runs input").all()[1::-1]:
        box.check()
    app.get_by_role("button", name="Compare the 2 ticked").click()
    compared = app.locator(".pe-compare")
    compared.get_by_text("Two runs side by side").wait_for()
    expect(compared).to_contain_text(f"Asked without {name}", use_inner_text=True)
    expect(compared.get_by_text("Two runs side by side")).to_be_in_viewport(ratio=1)
    expect(compared.locator("table")).to_contain_text("left out", use_inner_text=True)
    screenshot(app, "what-if-compared")
    assert not complaints(app)

    app.get_by_role("tab", name="Ask").click()
    poll(app, f"() => {STORE}.mode", "ask")
    expect(app.locator(".pe-settings"), "what is left out closes when it is asked").to_be_hidden()
    assert app.evaluate(f"() => {STORE}.bar.left") == [], "and is there again for the next question"
    showing(f"app.ask({QUESTION!r}, selector='rerank')")  # keeps enough that there is time to stop
    run_new_cell(app, "app.bar.limits.set_values({})")
    app.locator(".pe-stage").last.click()
    mattered = app.locator(".pe-detail")
    mattered.get_by_role("button", name="Facts", exact=True).click()
    app.evaluate(STOP)
    mattered.get_by_text("Nothing of it is on record").wait_for()
    mattered.get_by_role("button", name="Documents", exact=True).click()
    poll(app, f"() => {STORE}.mattered[0]?.state", "done")
    expect(mattered).to_contain_text("then leaving out one at a time", use_inner_text=True)
    facts = mattered.get_by_role("group", name="What mattered: Facts")
    expect(facts, "what was found out before stays").to_contain_text("Stopped after", use_inner_text=True)
    needed = mattered.locator(".pe-matter li").first
    needed.scroll_into_view_if_needed()
    cited = re.compile(r"(needed|helped|made no difference), (not )?cited")
    expect(needed).to_have_text(cited, use_inner_text=True)
    expect(app.locator(".pe-legend")).to_contain_text("what the answer loses without it", use_inner_text=True)
    assert mattered.locator(".pe-body").evaluate("one => one.scrollWidth <= one.clientWidth")
    screenshot(app, "mattered")
    assert not complaints(app)
    app.get_by_role("button", name="List view").click()
    rated = re.compile(r"(needed|helped|made no difference): without it")
    expect(app.get_by_label("The graph as a list", exact=True)).to_have_text(rated, use_inner_text=True)
    app.get_by_role("button", name="Graph view").click()
    needed.get_by_role("button").click()
    expect(app.locator(".pe-detail")).to_contain_text("Without it", use_inner_text=True)


BARS = """() => {  // of each bar at a box how far above the box's lower edge it begins, and the words that it lies on
    const { bars, outline } = document.querySelector(".pe").explorer;
    return bars().map(({ node, left, top, right, bottom }) => {
        const lies = ({ at: { x, y }, size }) =>
            x > left - 40 && x < right && y + size * 0.4 > top && y - size * 0.4 < bottom;
        const words = window.labels.filter(({ text }) => text.trim()).filter(lies);
        return [outline(node).bottom - top, words.map(({ text }) => text)];
    });
}"""


def test_bars_of_what_mattered_lie_on_no_word_and_come_only_with_the_answer(app):
    app.locator(".pe-how select").select_option("Graph search")
    ask(app, "Why did oxygen tank no. 2 fail?")
    detail = app.locator(".pe-detail")
    detail.get_by_role("button", name="What mattered for the answer?").click()
    expect(detail.locator("h3"), "without a click on the answer").to_have_text("Answer")
    expect(detail.get_by_role("button", name="Facts")).to_be_in_viewport(ratio=1)
    detail.get_by_role("button", name="Facts").click()
    poll(app, f"() => {STORE}.mattered[0]?.state", "done")
    app.evaluate("() => document.querySelector('.pe').explorer.clear()")
    rest(app)
    bars = app.evaluate(BARS)
    assert bars
    assert all(0 < above < 3 and words == [] for above, words in bars), "at its lower edge, below its words"
    screenshot(app, "mattered-bars")
    app.get_by_role("tab", name="Past runs").click()
    poll(app, f"() => {STORE}.mode", "past")
    rest(app)
    back = app.get_by_role("button", name="Back to the list")
    if back.is_visible():  # two runs were compared before
        back.click()
    expect(app.locator(".pe-runs > li").first).to_contain_text("Why did oxygen tank no. 2 fail?")  # the list is of now
    newest = app.locator(".pe-runs li.pe-top button.pe-share").first
    newest.click()
    poll(app, f"() => {STORE}.title?.question", "Why did oxygen tank no. 2 fail?")
    poll(app, f"() => Boolean({STORE}.frames)", True)
    slider = app.locator(".pe-slide input")
    slider.focus()
    for key, shown in (("End", True), ("ArrowLeft", False), ("Home", False), ("End", True)):
        app.keyboard.press(key)
        rest(app)
        assert bool(app.evaluate(BARS)) == shown, key
        assert ("loses without it" in app.locator(".pe-legend").inner_text()) == shown, "its key comes with the bars"
    app.get_by_role("tab", name="Ask").click()


def test_what_was_kept_is_unticked_where_it_is_listed_and_the_run_asked_again(app):
    app.locator(".pe-how select").select_option("Graph search")
    ask(app, HEATERS)
    app.locator(".pe-stage[data-kind=Focus]").click()
    detail = app.locator(".pe-detail")
    again = detail.get_by_role("button", name="Ask this run again without")
    expect(again).to_have_count(0)
    expect(detail.get_by_role("checkbox", name="Ask with ").nth(6)).to_be_attached()
    boxes = detail.get_by_role("checkbox", name=re.compile("^Ask with .+ → "))  # facts, below the passages
    for number in (0, 1):
        boxes.nth(number).click()
        poll(app, f"() => {STORE}.bar.left.length", number + 1)
        expect(boxes.nth(number)).not_to_be_checked()
    expect(app.locator(".pe-settings")).to_be_hidden()
    screenshot(app, "what-if-unticked")
    assert not complaints(app)
    boxes.nth(1).click()
    poll(app, f"() => {STORE}.bar.left.length", 1)
    expect(boxes.nth(1)).to_be_checked()
    assert detail.locator(".pe-body").evaluate("one => one.scrollWidth <= one.clientWidth")
    expect(again).to_have_text("Ask this run again without 1 fact", use_inner_text=True)
    again.click()
    compared = app.locator(".pe-compare")
    compared.get_by_text("Two runs side by side").wait_for()
    expect(compared).to_contain_text("Asked without", use_inner_text=True)
    expect(compared.get_by_text("Two runs side by side"), "opened at its head").to_be_in_viewport(ratio=1)
    app.get_by_role("tab", name="Ask").click()
    poll(app, f"() => {STORE}.mode", "ask")
    assert app.evaluate(f"() => {STORE}.bar.left") == []
    app.locator(".pe-how select").select_option("Passage search")
    expect(app.locator(".pe-made"), "as the answer was made, whatever is asked next").to_have_text(
        re.compile(r"^Graph search, without \d facts?$")
    )
    app.locator(".pe-how select").select_option("Graph search")
    for kind, words in (("Passage", "without 1 passage"), ("Document", "without 1 passage, 1 document")):
        app.evaluate(SELECT_KIND, kind)
        detail.get_by_role("button", name="What if it were not there?").click()
        expect(app.locator(".pe-gear")).to_contain_text(words, use_inner_text=True)
    app.get_by_role("button", name="Put all back").click()
    poll(app, f"() => {STORE}.bar.left.length", 0)


TOLD = """() => {  // what is explained while a run waits or by looking back, and what is lit by it; "over" at the end
    const root = document.querySelector(".pe"), { store, taught } = root.explorer;
    const [words, quiz, again] = [".pe-lesson-words", ".pe-quizzed", ".pe-lesson-ways .go:not([hidden])"].map((one) =>
        root.querySelector(one));
    if (store.waiting || store.back) return [(store.quiz ? quiz : words).innerText, taught()];
    return again?.innerText === "Play again" ? "over" : null;
}"""


def told_to_the_end(page, by):
    """What a class is told from here on, one lesson after the other: `by` step where there is one, else by stage."""
    lesson, told = page.locator(".pe-lesson"), []
    now = poll(page, TOLD, bool)
    while now != "over":
        told.append(now)
        on = lesson.get_by_role("button", name=by)
        if not on.is_visible():
            on = lesson.locator(".pe-lesson-ways .go").first
        on.click()
        now = poll(page, TOLD, lambda new: new not in (None, told[-1]))
    return told


def told_back(page):
    """What was explained before, back to the first lesson, in the order in which it was told."""
    back, told = page.locator(".pe-lesson").get_by_role("button", name="Back"), ["over"]
    while back.get_attribute("aria-disabled") == "false":
        back.click()
        told.append(poll(page, TOLD, lambda new: new not in (None, told[-1])))
    return told[:0:-1]


@pytest.mark.parametrize(
    ("by", "engine"),
    [("Next stage", "Graph search"), ("Next step", "Graph search"), ("Next stage", "Agent, step by step")],
)
def test_a_replay_with_teach_is_the_live_lesson_also_presented(app, by, engine):
    app.locator(".pe-how select").select_option(engine)
    app.locator(".pe-bar").get_by_role("button", name="Teach").click()
    app.get_by_role("button", name="Present", exact=True).click()
    lesson = app.locator(".pe.presents .pe-lesson")
    app.locator(".pe-question input").fill(QUESTION)
    app.get_by_role("button", name="Ask", exact=True).click()
    poll(app, f"() => !{STORE}.frames && {WAITING[6:]}", True)
    live = told_to_the_end(app, by)
    assert len(live) > 4
    run, nodes = app.evaluate(RUN), app.evaluate(f"() => {STORE}.nodes.size")
    screenshot(app, "present-lesson-over")
    assert told_back(app) == live
    assert told_to_the_end(app, by) == live
    lesson.get_by_role("button", name="Play again").click()
    poll(app, f"() => {STORE}.mode === 'ask' && {STORE}.run !== {run!r} && {WAITING[6:]}", True)
    assert told_to_the_end(app, by) == live
    assert app.evaluate(f"() => {STORE}.nodes.size") == nodes
    lesson.get_by_role("button", name="Play again").click()
    poll(app, TOLD, live[0])
    app.keyboard.press("Escape")
    app.locator(".pe.presents").wait_for(state="detached")
    app.locator(".pe-bar").get_by_role("button", name="Teach").click()
    expect(app.locator(".pe-lesson")).to_be_hidden()
    app.locator(".pe-how select").select_option("Graph search")


WRITTEN_IN_SIGHT = """() => {  // whether all of the answer is seen, clear of the lesson, and how much of the canvas
    const of = (one) => document.querySelector(one).getBoundingClientRect();
    const [answer, body, lesson, canvas, port] =
        [".pe-answer", ".pe-answer .pe-body", ".pe-lesson", ".pe-canvas", ".jp-WindowedPanel-outer"].map(of);
    const { scrollHeight, clientHeight } = document.querySelector(".pe-answer .pe-body");
    const whole = answer.top >= lesson.bottom - 1 && body.bottom <= port.bottom && scrollHeight <= clientHeight + 1;
    return [whole, Math.min(canvas.bottom, port.bottom) - Math.max(canvas.top, lesson.bottom)];
}"""


PLACES = """() => {  // of the lines in the list, of what stands above them, and how far it is scrolled
    const [list, ...all] = [".pe-runs", ".pe-runs li", ".pe-past .pe-foot .go"].flatMap((one) =>
        [...document.querySelectorAll(one)]).filter((one) => one.checkVisibility());
    return [list.scrollTop, ...all.map((one) => JSON.stringify(one.getBoundingClientRect()))];
}"""


def test_ticking_runs_far_down_leaves_the_list_in_its_place_and_compare_in_sight(app):
    run_new_cell(app, f"for at in range(10): ws.run(f'{OTHER[:-1]}, no. {{at}}?')\nprint('all asked')")
    app.locator(".jp-OutputArea-output").get_by_text("all asked").wait_for()
    ask(app, QUESTION)
    look_back(app)
    poll(app, "() => document.querySelectorAll('.pe-runs li.pe-top').length", lambda runs: runs > 10)
    app.locator(".pe-runs li.pe-top button.pe-share").last.click()
    poll(app, "() => document.querySelector('.pe').explorer.store.past.opening", None)
    for width, height in ((900, 1000), (1280, 800)):
        app.set_viewport_size({"width": width, "height": height})
        rest(app)
        app.locator(".pe-past").scroll_into_view_if_needed()
        expect(app.locator(".pe-runs li.on"), "the run on view").to_be_in_viewport(ratio=0.9)
    boxes = app.locator(".pe-runs li.pe-top input")
    compare = app.locator(".pe-past .pe-foot .go")
    poll(app, "() => document.querySelectorAll('.pe-runs li.pe-top').length", lambda runs: runs > 10)
    for width, height in ((900, 1000), (1280, 800), (1600, 1000)):
        app.set_viewport_size({"width": width, "height": height})
        if app.get_by_role("button", name="Untick").count():
            app.get_by_role("button", name="Untick").click()
        compare.scroll_into_view_if_needed()
        boxes.nth(9).evaluate("one => { one.closest('.pe-runs').scrollTop = one.closest('li').offsetTop - 200; }")
        rest(app)
        before = app.evaluate(PLACES)
        assert before[0] > 0
        for at, ticked in ((8, True), (9, True), (8, False), (8, True)):
            boxes.nth(at).evaluate("one => one.click()")  # the mouse would first be brought there by scrolling
            expect(boxes.nth(at)).to_be_checked(checked=ticked)
            rest(app)
            assert app.evaluate(PLACES) == before
        screenshot(app, f"past-ticked-{width}")
        expect(compare).to_have_text("Compare the 2 ticked")
        expect(compare).to_be_in_viewport(ratio=1)
    compare.click()
    app.locator(".pe-compare").get_by_text("Two runs side by side").wait_for()
    app.get_by_role("button", name="Back to the list").click()
    app.get_by_role("button", name="Untick").click()
    app.get_by_role("tab", name="Ask").click()


def test_play_again_stays_where_one_asks_with_text_and_graph_in_sight(app):
    app.set_viewport_size({"width": 1280, "height": 800})
    ask(app, "Why did oxygen tank no. 2 fail?")
    app.locator(".pe-bar").get_by_role("button", name="Teach").click()
    lesson = app.locator(".pe-lesson")
    expect(lesson, "also of a run that was not told here").to_contain_text("This run is over", use_inner_text=True)
    for _ in range(2):
        rest(app)
        whole, seen = app.evaluate(WRITTEN_IN_SIGHT)
        assert whole, "what was written is not behind the lesson"
        assert seen > 300
        lesson.get_by_role("button", name="Play again").click()
        poll(app, f"() => Boolean({STORE}.frames) && {WAITING[6:]}", True)
        told = told_to_the_end(app, "Next stage")
        assert len(told) == 6
        expect(app.get_by_role("tab", name="Ask")).to_have_attribute("aria-selected", "true")
        expect(app.locator(".pe-replay"), "the lesson has its own ways").to_be_hidden()
    lesson.get_by_role("button", name="Back").click()
    rest(app)
    whole, seen = app.evaluate(WRITTEN_IN_SIGHT)
    assert whole
    assert seen > 200
    assert app.evaluate(EXPLAINED_IN_SIGHT)
    screenshot(app, "teaching-again")
    app.locator(".pe-bar").get_by_role("button", name="Teach").click()
    expect(lesson).to_be_hidden()
    play = app.locator(".pe-replay").get_by_role("button", name="Play", exact=True)
    expect(play, "and who ends it goes on").to_be_visible()
    ask(app, QUESTION)
    expect(app.locator(".pe-replay")).to_be_hidden()


def test_two_apps_in_one_notebook_and_python_says_and_hears_what_is_selected(app):
    first = app.evaluate(RUN)
    run_new_cell(app, "second = explorer.app(ws, pace=0)\nsecond")
    poll(app, "() => document.querySelectorAll('.pe').length", 2)
    run_new_cell(app, f"second.ask({QUESTION!r}); second.wait(); second.selected = second.trace.edges[0].iri")
    poll(app, "() => document.querySelectorAll('.pe')[1].dataset.state", "done")
    expect(heading(app).nth(1)).to_have_text(re.compile("^Fact 1 of "))
    assert app.evaluate(RUN) == first
    expect(heading(app).first).not_to_have_text(re.compile("^Fact"))
    expect(app.locator(".pe-question input").nth(1)).to_have_value(QUESTION)
    app.locator(".pe-stage").nth(5).click()  # the Question of the second app
    wait_for_kernel(app)
    run_new_cell(app, "assert ws.node(second.selected).entity.query == second.trace.question; print('heard')")
    app.locator(".jp-OutputArea-output").get_by_text("heard").wait_for()
