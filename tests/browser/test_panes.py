"""Detail and Source in a real JupyterLab: a click is always seen, at the sizes of laptops and projectors."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.axe import complaints
from tests.browser.conftest import at_least, boxes, poll, rest, run_all, screenshot
from tests.browser.test_explore import QUESTION, STORE, ask, marked

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "01_explore.ipynb"
SIZES = [(1280, 800), (1366, 768), (1440, 900), (1920, 1080), (900, 1000)]
TO_TOP = "() => document.querySelector('.pe-app').scrollIntoView({ block: 'start' })"
LIT = """() => {
    const within = (box, { left, top, right, bottom }) =>
        box.left >= left - 1 && box.top >= top - 1 && box.right <= right + 1 && box.bottom <= bottom + 1;
    const of = (selector) => document.querySelector(selector).getBoundingClientRect();
    const whole = new DOMRect(0, 0, innerWidth, innerHeight);
    const presents = document.querySelector(".pe.presents");
    const bounds = [presents ? whole : of(".jp-WindowedPanel-outer"), of(".pe-source .pe-desk"), whole];
    const marks = [...document.querySelectorAll(".pe-source mark.mine")];
    const boxes = marks.flatMap((mark) => [...mark.getClientRects()]).filter(({ width }) => width > 0);
    const shown = (box) => {
        const at = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
        return bounds.every((one) => within(box, one)) && marks.some((mark) => mark.contains(at));
    };
    return boxes.length ? boxes.filter(shown).length / boxes.length : -1;
}"""
FACTS = f"""() => {{
    const {{ nodes, outOf }} = {STORE};
    const facts = [...nodes.values()].filter(({{ kind, unsourced }}) => kind === "EdgeSelection" && !unsourced);
    const read = new Map(facts.map(({{ id }}) => [outOf.get(id).find(({{ kind }}) => kind === "source").to, id]));
    return [...read.values()].slice(0, 3);
}}"""
WHERE = """() => {
    const body = document.querySelector(".pe-detail .pe-body").getBoundingClientRect();
    const first = document.querySelector(".pe-detail .pe-sources li").getBoundingClientRect();
    return body.top <= first.top && first.bottom <= body.bottom + 1;
}"""
WIDTHS = """() => ({
    app: Math.round(document.querySelector(".pe-run").getBoundingClientRect().width),
    type: document.querySelector(".pe-source .pe-paper.picture") ? "picture" : "text",
    narrow: document.querySelector(".pe-run").classList.contains("narrow"),
})"""


@pytest.fixture(scope="module")
def notebook(shared):
    page, seen = shared(NOTEBOOK)
    ask(page, QUESTION)
    return page, seen


def browse_files(page, *, open):
    side = "expandLeft" if open else "collapseLeft"
    page.evaluate(f"() => window.jupyterapp.shell.{side}()")


def click_fact(page, fact):
    """Click a node of the graph where it is painted; only what is out of the window is scrolled to first."""
    x, y = page.evaluate("id => document.querySelector('.pe').explorer.pointAt(id)", fact)
    if not 0 < y < page.viewport_size["height"] - 30:
        page.locator(".pe-canvas").scroll_into_view_if_needed()
        x, y = page.evaluate("id => document.querySelector('.pe').explorer.pointAt(id)", fact)
    page.mouse.click(x, y)
    poll(page, f"() => {STORE}.selected", fact)


# A node of one line of the smallest type: how high it is on the screen tells the scale of the graph.
SMALLEST_TEXT = """() => {
    const { store, outline } = document.querySelector(".pe").explorer;
    const { id, h } = [...store.nodes.values()].find(({ kind }) => kind === "Concept");
    const { top, bottom } = outline(id);
    return (12 * (bottom - top)) / h;
}"""


ENDS = """() => {  // where the graph begins and ends
    const { here, outline } = document.querySelector(".pe").explorer;
    const all = here().map(({ id }) => outline(id));
    return [Math.min(...all.map(({ left }) => left)), Math.max(...all.map(({ right }) => right))];
}"""


BESIDE = """() => {  // whether the drawer covers nothing, and what is selected is seen with its passage
    const of = (one) => document.querySelector(one).getBoundingClientRect();
    const [pane, answer, canvas] = [".pe-pane", ".pe-answer", ".pe-canvas"].map(of);
    const { outline, store } = document.querySelector(".pe").explorer;
    const boxes = [store.selected, store.source.node].map(outline);
    const seen = boxes.every(({ left, right, top, bottom }) =>
        left >= 0 && top >= 0 && canvas.left + right <= pane.left + 1 && canvas.top + bottom <= innerHeight);
    return [[answer, canvas].every(({ right }) => right <= pane.left + 1), seen];
}"""

WHY_WHOLE = """() => {
    const body = document.querySelector(".pe-detail .pe-body"), { bottom } = body.getBoundingClientRect();
    const label = [...body.querySelectorAll(".pe-rows > div")].find((one) => one.innerText === "Why it was kept");
    return body.scrollTop === 0 && label.nextElementSibling.firstElementChild.getBoundingClientRect().bottom <= bottom;
}"""


@pytest.mark.parametrize(("width", "height"), [(900, 1000), (1280, 800), (1920, 1080)])
def test_presented_all_is_larger_and_a_click_opens_the_drawer(app, width, height):
    app.set_viewport_size({"width": width, "height": height})
    ask(app, FOLDS)
    if app.evaluate(f"() => {STORE}.level"):  # what was unfolded at another size
        app.get_by_role("button", name="‹ Back").click()
    app.evaluate("() => document.querySelector('.pe').explorer.clear()")
    answer = app.locator(".pe-answer .pe-sentence").first
    type_at = "one => parseFloat(getComputedStyle(one).fontSize) * (one.currentCSSZoom ?? 1)"
    rest(app)
    before = answer.evaluate(type_at)
    app.get_by_role("button", name="Present", exact=True).click()
    app.locator(".pe.presents").wait_for()
    rest(app)
    assert answer.evaluate(type_at) >= 1.5 * before, "the answer, which is as large as a lesson beside it"
    view, over, under = boxes(app, ".pe.presents", ".pe-answer", ".pe-graph")
    assert (view["x"], view["y"], view["width"], view["height"]) == (0, 0, width, height)
    expect(app.locator(".pe-legend")).to_be_hidden()
    for tab in app.get_by_role("tab", name=re.compile("^(Ask|Documents|Past runs)")).all():
        assert not tab.evaluate(UNCOVERED), "the tabs are not for a class"
    assert over["y"] + over["height"] <= under["y"] + 1
    assert over["width"] == under["width"] == width
    assert app.evaluate("() => document.querySelector('.pe').scrollWidth <= document.querySelector('.pe').clientWidth")
    screenshot(app, f"panes-present-{width}")
    left, right = app.evaluate(ENDS)
    assert right - left > 0.75 * width, "the graph has the room, up and down too"
    assert right <= width
    assert app.evaluate(SMALLEST_TEXT) >= 11, "all of it, if that can be read"
    canvas, fit, more = (
        app.locator(one) for one in (".pe-canvas", ".pe-graph [title='Show everything (F)']", ".pe-more")
    )
    expect(more).to_be_hidden()
    for part in (canvas, fit):
        box = part.bounding_box()
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= height + 1
    assert canvas.bounding_box()["height"] > 250
    fit.click()
    rest(app)
    expect(more).to_be_hidden()
    fact = app.evaluate(FACTS)[-1]
    app.mouse.click(*app.evaluate("id => document.querySelector('.pe').explorer.pointAt(id)", fact))
    poll(app, f"() => {STORE}.selected", fact)
    assert app.evaluate(f"() => {STORE}.level"), "what is unfolded for it keeps nobody in Present"
    poll(app, PANE, at_least(open=True, presents=True))
    assert marked(app)
    poll(app, LIT, 1)
    assert app.evaluate(SMALLEST_TEXT) >= 11
    if width > 900:
        rest(app)
        clear, whole = app.evaluate(BESIDE)
        assert whole, "all that was clicked, and its passage, stand beside the drawer"
        assert clear, "and nothing of the answer lies under it"
        assert app.evaluate(WHY_WHOLE), "why it was kept is read without scrolling"
    screenshot(app, f"panes-present-fact-{width}")
    app.get_by_role("button", name="Enlarge").click()
    enlarged = app.get_by_role("dialog", name="Source, enlarged")
    enlarged.wait_for()
    assert complaints(app) == []
    app.keyboard.press("Escape")
    enlarged.wait_for(state="hidden")
    poll(app, PANE, at_least(open=True, presents=True))
    for state in ({"open": False, "presents": True}, {"presents": False}):
        app.keyboard.press("Escape")
        poll(app, PANE, at_least(**state))
    poll(app, "() => document.activeElement.innerText", "Present")
    ask(app, QUESTION)


@pytest.mark.parametrize("files", [False, True], ids=["alone", "beside the files"])
@pytest.mark.parametrize(("width", "height"), SIZES)
def test_after_a_click_on_a_fact_its_words_are_in_sight(app, width, height, files):
    app.set_viewport_size({"width": width, "height": height})
    browse_files(app, open=files)
    rest(app)
    for fact in app.evaluate(FACTS):
        app.evaluate("() => document.querySelector('.pe').explorer.clear()")
        app.evaluate(TO_TOP)
        click_fact(app, fact)
        assert marked(app)
        poll(app, LIT, 1)
        rest(app)
        assert app.evaluate(LIT) == 1, "and they stay there"
        assert width > 900 or app.evaluate(WHERE), "and where they are from is in sight above them"
    screenshot(app, f"panes-{width}{'-files' if files else ''}")
    assert app.evaluate(WIDTHS)["narrow"] == (width == 900)


def test_the_list_of_past_runs_stands_beside_the_run_wherever_there_is_room(app):
    app.get_by_role("tab", name="Past runs").click()
    app.locator(".pe-runs li.pe-top").first.wait_for()
    stands = set()
    for width, height in SIZES:
        app.set_viewport_size({"width": width, "height": height})
        for files in (False, True):
            browse_files(app, open=files)
            rest(app)
            whole, beside, run, graph = boxes(app, ".pe", ".pe-past", ".pe-run", ".pe-graph")
            stands.add(whole["width"] >= 800)
            if whole["width"] >= 800:
                assert beside["x"] + beside["width"] <= run["x"] + 1, "at its left"
                assert abs(beside["y"] - run["y"]) < 1, "and from its top on"
                assert graph["width"] >= 420, "which leaves it room"
            else:
                assert beside["y"] + beside["height"] <= run["y"] + 1, "above it"
            assert app.evaluate(
                "() => document.querySelector('.pe').scrollWidth <= document.querySelector('.pe').clientWidth"
            )
    assert stands == {True, False}


SOURCES = """() => {  // the kinds of sources that are drawn, and what the boxes of passages say
    const { here, drawn } = document.querySelector(".pe").explorer;
    const read = here().filter(({ kind }) => ["Passage", "Page", "Section", "Document"].includes(kind));
    const passages = read.filter(({ kind }) => kind === "Passage");
    return [[...new Set(read.map(({ kind }) => kind))].sort(), passages.map(({ id }) => drawn(id).label)];
}"""


def test_page_and_document_stand_in_the_line_of_a_passage_where_there_is_no_room_for_them(app):
    if app.evaluate(f"() => {STORE}.level"):  # what was unfolded before
        app.get_by_role("button", name="‹ Back").click()
    app.evaluate("() => document.querySelector('.pe').explorer.clear()")
    seen = {}
    for width, height in ((1280, 800), (1600, 1000), (2200, 1000)):
        app.set_viewport_size({"width": width, "height": height})
        browse_files(app, open=width == 1280)
        rest(app)
        seen[width] = app.evaluate(SOURCES)
        if width == 1280:
            assert 800 <= app.evaluate(WIDTHS)["app"] < 1100
    kinds, labels = seen[1280]
    assert kinds == ["Passage"]
    assert labels
    bare = [label for label in labels if not re.search(r"<i>(p\. \d+ · )?\w", label)]
    assert bare == [], "each names its document, and its page where it has one"
    assert any("<i>p. " in label for label in labels)
    assert seen[1600][0][0] == "Document", "with more room documents have their column"
    assert {"Document", "Page"} <= {*seen[2200][0]}, "and with still more pages"


STAGES = """() => [...document.querySelectorAll(".pe-stage")].map((chip) => {
    const cut = (one) => one.scrollWidth > one.clientWidth + 1;
    const [word, term] = [chip.querySelector(".pe-name b"), chip.querySelector(".pe-term-name")];
    const { right } = chip.getBoundingClientRect();
    const seen = right <= chip.parentElement.getBoundingClientRect().right + 1;
    const told = term && getComputedStyle(term).display !== "none" ? term.innerText : null;
    return [word.innerText, told, seen, cut(word) || Boolean(term && cut(term))];
})"""
CHIPS = [
    ["Question", None],
    ["Key ideas", "Grounding"],
    ["Looked at", "Exploration"],
    ["Kept", "Focus"],
    ["Answer", "Synthesis"],
]


@pytest.mark.parametrize(("width", "files"), [(900, True), (900, False), (1280, True), (1280, False), (1600, True)])
def test_each_stage_has_its_plain_word_and_the_term_of_the_record(app, width, files):
    app.set_viewport_size({"width": width, "height": 900})
    browse_files(app, open=files)
    rest(app)
    stages = app.evaluate(STAGES)
    assert [stage[:2] for stage in stages] == CHIPS
    assert all(seen and not cut for _, _, seen, cut in stages)


PANE = """() => {
    const pane = document.querySelector(".pe-pane");
    return {
        open: !pane.hidden,
        role: pane.getAttribute("role"),
        label: pane.getAttribute("aria-label"),
        focus: pane.contains(document.activeElement),
        selected: document.querySelector(".pe").explorer.store.selected !== null,
        presents: document.querySelector(".pe").classList.contains("presents"),
    };
}"""


def test_a_drawer_opens_with_a_click_and_escape_closes_it(app):
    app.set_viewport_size({"width": 900, "height": 1000})
    browse_files(app, open=False)
    app.evaluate("() => document.querySelector('.pe').explorer.clear()")
    app.locator(".pe-run.narrow").wait_for()
    shut = {"open": False, "role": "dialog", "label": "Detail and source", "focus": False}
    poll(app, PANE, at_least(**shut, selected=False))
    app.locator(".pe-answer .pe-cite").first.click()
    poll(app, PANE, at_least(open=True, focus=False, selected=True))
    app.locator(".pe-detail .pe-crumbs").wait_for()
    graph, pane, crumbs, head = boxes(app, ".pe-graph", ".pe-pane", ".pe-detail .pe-crumbs", ".pe-detail .pe-head")
    assert (pane["x"], pane["width"]) == (graph["x"], graph["width"])
    assert pane["y"] >= graph["y"] + graph["height"] - 1, "below the graph, of which it covers nothing"
    assert crumbs["y"] < head["y"], "where one is stands on top"
    assert complaints(app) == []
    screenshot(app, "panes-drawer")
    app.keyboard.press("Escape")
    poll(app, PANE, at_least(**shut, selected=True))  # what is selected stays lit
    opener = app.locator(".pe-graph").get_by_role("button", name="Detail", exact=True)
    opener.click()
    poll(app, PANE, at_least(open=True, focus=True))
    app.keyboard.press("Escape")
    expect(opener).to_be_focused()
    app.evaluate("() => document.querySelector('.pe').explorer.clear()")
    app.locator(".pe-canvas").focus()
    app.keyboard.press("Home")
    poll(app, PANE, at_least(open=True, focus=False))  # arrows go on in the graph
    expect(app.locator(".pe-source mark"), "the Question rests on no page").to_have_count(0)
    app.keyboard.press("Enter")
    poll(app, PANE, at_least(focus=True))
    app.keyboard.press("Escape")
    expect(app.locator(".pe-canvas")).to_be_focused()


SELECTED = """() => {  // whether what is selected is in sight, whole, with nothing over it
    const { store, outline } = document.querySelector(".pe").explorer;
    const { left, right, top, bottom } = outline(store.selected);
    const canvas = document.querySelector(".pe-canvas"), of = canvas.getBoundingClientRect();
    const inside = left >= 0 && top >= 0 && right <= of.width + 1 && bottom <= of.height + 1;
    const corners = [[left + 3, top + 3], [right - 3, bottom - 3]].map(([x, y]) => [of.left + x, of.top + y]);
    return inside && corners.every((at) => canvas.contains(document.elementFromPoint(...at)));
}"""


@pytest.mark.parametrize("presents", [False, True], ids=["in a notebook", "presented"])
def test_beside_an_open_drawer_what_is_selected_and_what_one_needs_for_it_are_in_reach(app, presents):
    app.set_viewport_size({"width": 900, "height": 1000})
    browse_files(app, open=False)
    app.evaluate("() => document.querySelector('.pe').explorer.clear()")
    app.evaluate(TO_TOP)
    if presents:
        app.get_by_role("button", name="Present", exact=True).click()
        app.locator(".pe.presents").wait_for()
    audit = app.get_by_role("button", name="Audit", exact=True)
    for audits in (False, True):
        if audits:
            audit.click()
        numbers = app.locator(".pe-answer .pe-cite")
        for at in range(numbers.count()):
            app.evaluate("() => document.querySelector('.pe').explorer.clear()")
            rest(app)
            numbers.nth(at).click()
            poll(app, PANE, at_least(open=True))
            rest(app)
            assert app.evaluate(SELECTED)
            for name in ("Fit", "List view"):
                assert app.locator(".pe-graph").get_by_role("button", name=name, exact=True).evaluate(UNCOVERED)
    screenshot(app, f"panes-drawer-audit-{presents}")
    audit.click()
    if presents:
        app.get_by_role("button", name="Leave Present").click()


@pytest.mark.parametrize(("width", "height"), [(900, 1000), (1280, 800), (1600, 1000), (1920, 1080)])
def test_presented_the_stages_and_the_limits_are_in_reach(app, width, height):
    app.set_viewport_size({"width": width, "height": height})
    app.get_by_role("button", name="Present", exact=True).click()
    app.locator(".pe.presents").wait_for()
    rest(app)
    assert [stage[0] for stage in app.evaluate(STAGES)] == [word for word, _ in CHIPS]
    for word in app.locator(".pe-stage .pe-name b").all():
        assert word.evaluate(UNCOVERED)
    gear = app.locator(".pe-gear")
    gear.click()
    for limit in app.get_by_role("group", name="Limits").get_by_role("textbox").all():
        assert limit.evaluate(UNCOVERED)
    gear.click()
    app.get_by_role("button", name="Leave Present").click()


LATE = """() => {
    const { store } = document.querySelector(".pe").explorer;
    const send = store.send;
    store.sources.clear();
    store.send = (message) => message.t === "source?" ? (window.held = () => send(message)) : send(message);
    window.release = () => { store.send = send; window.held(); };
}"""


def test_a_drawer_that_was_closed_stays_so_when_its_page_arrives(app):
    app.set_viewport_size({"width": 900, "height": 1000})
    browse_files(app, open=False)
    app.evaluate("() => document.querySelector('.pe').explorer.clear()")
    app.locator(".pe-run.narrow").wait_for()
    app.evaluate(LATE)
    app.locator(".pe-answer .pe-cite").first.click()
    poll(app, PANE, at_least(open=True, selected=True))
    app.keyboard.press("Escape")
    app.evaluate("() => window.release()")
    poll(app, "() => document.querySelector('.pe').explorer.store.sources.size > 0", True)
    rest(app)
    assert app.evaluate(PANE)["open"] is False
    app.locator(".pe-graph").get_by_role("button", name="Detail", exact=True).click()
    app.locator(".pe-source mark").first.wait_for()


LINES = """() => {
    const body = document.querySelector(".pe-answer .pe-body");
    const { top, bottom } = body.getBoundingClientRect();
    const text = [...body.querySelectorAll(".pe-sentence, .pe-asked")].flatMap((one) => [...one.getClientRects()]);
    return { spare: bottom - Math.max(...text.map((box) => box.bottom)), cut: text.filter((box) =>
        box.top < bottom - 1 && box.bottom > bottom + 3).length };
}"""


def test_the_answer_takes_the_lines_it_has_and_says_what_it_answers(app):
    for width in (900, 1366, 1920):
        app.set_viewport_size({"width": width, "height": 900})
        rest(app)
        lines = app.evaluate(LINES)
        assert lines["cut"] == 0
        assert lines["spare"] < 8
    asked = app.locator(".pe-answer .pe-asked")
    expect(asked).to_have_count(0)
    field = app.locator(".pe-question input")
    field.fill("Another question?")
    field.blur()
    expect(asked).to_have_text(QUESTION)
    field.fill(QUESTION)
    field.blur()
    asked.wait_for(state="detached")


def test_an_answer_that_is_longer_than_its_room_says_that_it_goes_on_and_leads_there(app):
    ask(app, f"{QUESTION[:-1]}, what voltage were the switches rated for, and which company made the oxygen tanks?")
    body, more = app.locator(".pe-answer .pe-body"), app.get_by_role("button", name="more ↓")
    end = body.locator(".pe-sentence").last
    expect(more).to_be_hidden()
    expect(end).to_be_in_viewport(ratio=1)
    app.set_viewport_size({"width": 1280, "height": 800})
    browse_files(app, open=True)
    more.wait_for()
    more.click()
    expect(more).to_be_hidden()
    rest(app)
    low = body.evaluate("one => one.getBoundingClientRect().bottom")
    assert end.evaluate("one => one.getBoundingClientRect().bottom") <= low + 1
    browse_files(app, open=False)
    ask(app, QUESTION)


HEAD = """() => {
    const head = document.querySelector(".pe-answer .pe-head");
    const { left, right } = head.getBoundingClientRect();
    const boxes = [...head.querySelectorAll("h3, .pe-ring, button")].map((one) => one.getBoundingClientRect());
    const chips = [...document.querySelectorAll(".pe-stage b")];
    const isApart = (one, next) => one.right <= next.left + 1 || one.bottom <= next.top + 1; // or in the next row
    return {
        within: boxes.every((box) => box.width > 0 && box.left >= left && box.right <= right + 1),
        apart: boxes.every((box, at) => at === 0 || isApart(boxes[at - 1], box)),
        cut: chips.filter((one) => one.scrollWidth > one.clientWidth + 1).length,
    };
}"""


@pytest.mark.parametrize("question", ["Who painted the ceiling?", "Why did nobody notice the overheating?", QUESTION])
def test_the_head_of_an_answer_and_its_stages_fit_whatever_they_say(app, question):
    ask(app, question)
    for width in (900, 1280, 1600):
        app.set_viewport_size({"width": width, "height": 900})
        browse_files(app, open=True)
        rest(app)
        assert app.evaluate(HEAD) == {"within": True, "apart": True, "cut": 0}


SHORT = "Who chaired the Apollo 13 Review Board?"
FOLDS = "Why could oxygen tank no. 2 not be emptied normally before the launch?"  # keeps facts that it does not use
DECLINES = "Who directed the 1995 film about Apollo 13?"
KEPT = """() => {  // the kinds of all but cited facts; whether what stands for what was kept is dashed, and its words
    const { here, drawn } = document.querySelector(".pe").explorer;
    const kinds = here().filter(({ numbers }) => !numbers).map(({ kind }) => kind);
    const near = here().filter(({ kind }) => ["Nearest", "Near"].includes(kind)).map(({ id }) => drawn(id));
    return [kinds, near.map(({ label, shapeProperties }) => [Boolean(shapeProperties.borderDashes), label])];
}"""


SAID_DASHED = """() => {  // whether there are sentences, and whether they are drawn as those of no answer
    const { here, drawn } = document.querySelector(".pe").explorer;
    const said = here().filter(({ kind }) => kind === "Sentence").map(({ id }) => drawn(id));
    return [said.length > 0, said.every(({ shapeProperties }) => Boolean(shapeProperties.borderDashes))];
}"""


def test_what_declines_says_what_is_missing_and_what_comes_nearest_and_keeps_its_graph(app):
    app.set_viewport_size({"width": 1280, "height": 800})
    ask(app, DECLINES)
    expect(app.locator(".pe")).to_have_attribute("data-state", "declined")
    said = app.locator(".pe-answer .pe-body").inner_text()
    assert "They do not mention “1995” or “film”." in said
    assert "What comes nearest: “Robert Gilruth directed the Manned Spacecraft Center" in said
    kinds, near = app.evaluate(KEPT)
    assert {"Question", "Grounding", "Exploration", "Nearest", "Declined"} <= {*kinds}
    assert "EdgeSelection" not in kinds, "none but what is quoted as nearest"
    assert all(dashed for dashed, _ in near)
    assert "Nearest, not enough" in " ".join(re.sub("<[^>]+>", "", near[0][1]).split())
    heads = app.evaluate(f"() => {STORE}.heads.map(([, , words]) => words)")
    assert any(head.startswith("Nearest") for head in heads)
    assert not any("cited" in head for head in heads)
    expect(app.locator(".pe-stages")).to_contain_text("Nearest, not enough", use_inner_text=True)
    screenshot(app, "panes-declined")
    assert app.evaluate(SAID_DASHED) == [True, True], "its sentences look as the answer does"
    app.locator(".pe-how select").select_option("Passage search")  # which keeps more than it quotes
    ask(app, DECLINES)
    kinds, near = app.evaluate(KEPT)
    assert {"Nearest", "Near", "Declined"} <= {*kinds}
    assert "ChunkSelection" not in kinds, "folded, but for what is quoted as nearest"
    assert [dashed for dashed, _ in near] == [True, True]
    app.locator(".pe-how select").select_option("Graph search")
    ask(app, QUESTION)
    assert app.evaluate(SAID_DASHED) == [True, False]


SEEN = """() => {
    const { top, bottom, height } = document.querySelector(".pe-graph .pe-canvas").getBoundingClientRect();
    return (Math.min(bottom, innerHeight) - Math.max(top, 0)) / height;
}"""


def test_run_all_ends_at_the_app_and_asking_brings_its_graph_into_sight(app):
    app.set_viewport_size({"width": 1280, "height": 800})
    app.evaluate("() => document.querySelector('.jp-Cell').scrollIntoView({ block: 'start' })")
    run_all(app)
    expect(app.locator(".pe-question input")).to_be_in_viewport()
    assert "explorer.app" in app.evaluate(
        "() => jupyterapp.shell.currentWidget.content.activeCell.model.sharedModel.source"
    )
    ask(app, QUESTION)
    poll(app, f"() => ({SEEN})() > 0.99", True)
    rest(app)
    for part in (app.locator(".pe-question"), app.get_by_role("button", name="Ask", exact=True)):
        assert part.evaluate(UNCOVERED), "what was asked, and Stop, stay in sight"
    for question in (QUESTION, DECLINES, "Why did oxygen tank no. 2 fail?", QUESTION):
        ask(app, question)
        rest(app)
        for part in (app.get_by_role("tab", name="Past runs"), app.locator(".pe-answer .pe-head h3")):
            assert part.evaluate(UNCOVERED), "and so do the tabs; what is below begins where the question ends"


ENDS_IN_SIGHT = """() => {  // by how many pixels question and answer are out of what one sees of the canvas
    const { store, outline } = document.querySelector(".pe").explorer;
    const { top, bottom } = document.querySelector(".pe-graph .pe-canvas").getBoundingClientRect();
    const sees = document.querySelector(".jp-WindowedPanel-outer").getBoundingClientRect();
    const [high, low] = [Math.max(top, sees.top), Math.min(bottom, sees.bottom)];
    return ["Question", "Synthesis"].map((kind) => {
        const box = outline([...store.nodes.values()].find((node) => node.kind === kind).id);
        return Math.ceil(Math.max(0, high - top - box.top - 1, top + box.bottom - 1 - low));
    });
}"""


@pytest.mark.parametrize("files", [False, True], ids=["alone", "beside the files"])
@pytest.mark.parametrize(
    ("width", "height"), [(1280, 800), (1366, 768), (1440, 900), (1600, 1000), (1920, 1080), (900, 1000)]
)
def test_after_asking_question_and_answer_are_both_in_sight(app, width, height, files):
    app.set_viewport_size({"width": width, "height": height})
    browse_files(app, open=files)
    app.evaluate("() => document.querySelector('.jp-Cell').scrollIntoView({ block: 'start' })")
    rest(app)
    ask(app, SHORT)
    poll(app, ENDS_IN_SIGHT, [0, 0])
    rest(app)
    assert app.evaluate(ENDS_IN_SIGHT) == [0, 0], "and they stay there"
    for part in app.locator(".pe-answer .pe-head :is(h3, .pe-badge)").all():
        assert part.evaluate(UNCOVERED), "and how well it is answered"
    assert app.evaluate(SMALLEST_TEXT) >= 11
    ask(app, QUESTION)


UNCOVERED = """one => {  // whether all of it is seen, from corner to corner
    const { left, right, top, bottom } = one.getBoundingClientRect();
    const seen = (x, y) => one.contains(document.elementFromPoint(x, y));
    return seen(left + 3, top + 3) && seen(right - 3, bottom - 3);
}"""
SCROLLED = "() => document.querySelector('.jp-WindowedPanel-outer').scrollTop"


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (1600, 1000)])
def test_a_number_in_the_answer_moves_nothing_of_the_page_when_its_words_are_in_sight_without(app, width, height):
    app.set_viewport_size({"width": width, "height": height})
    browse_files(app, open=True)
    app.evaluate(TO_TOP)
    ask(app, f"{QUESTION[:-1]}, and what voltage were the thermostatic switches rated for?")
    rest(app)
    numbers = app.locator(".pe-answer .pe-cite")
    assert numbers.count() == 3
    for at in range(3):
        app.evaluate("() => document.querySelector('.pe').explorer.clear()")
        rest(app)
        before = app.evaluate(SCROLLED)
        numbers.nth(at).click()
        assert marked(app)
        poll(app, LIT, 1)
        rest(app)
        assert app.evaluate(SCROLLED) == before
    ask(app, QUESTION)


# Where the nodes above a fold stand to it, and those below; all of the view, to see that it is as it was.
AROUND = """id => {
    const { here, outline } = document.querySelector(".pe").explorer;
    const of = outline(id), round = (box) => Object.values(box).map((at) => Math.round(at));
    const to = ({ left, top }) => [Math.round(left - of.left), Math.round(top - of.top)];
    const all = here().map((node) => [node.id, outline(node.id)]);
    const at = (keep) => Object.fromEntries(all.filter(([, box]) => keep(box)).map(([one, box]) => [one, to(box)]));
    return {
        above: at((box) => box.bottom <= of.bottom + 1),
        below: at((box) => box.top > of.bottom + 1),
        view: all.map(([one, box]) => [one, ...round(box)]),
    };
}"""
FOLD = f"() => [...{STORE}.nodes.values()].find(({{ unfolds }}) => unfolds).id"


def test_what_unfolds_moves_only_what_is_below_and_once_folded_again_the_graph_is_as_untouched(app):
    app.set_viewport_size({"width": 1600, "height": 1000})
    browse_files(app, open=False)
    ask(app, FOLDS)
    app.evaluate("() => document.querySelector('.pe').explorer.clear()")
    rest(app)
    fold = app.evaluate(FOLD)
    before = app.evaluate(AROUND, fold)
    assert len(before["above"]) > 6
    assert before["below"]
    app.locator(".pe-canvas").scroll_into_view_if_needed()
    app.mouse.dblclick(*app.evaluate("id => document.querySelector('.pe').explorer.pointAt(id)", fold))
    poll(app, f"() => {STORE}.level", fold)
    rest(app)
    opened = app.evaluate(AROUND, fold)
    assert {one: opened["above"].get(one) for one in before["above"]} == before["above"]
    down = {opened["below"][one][1] - y for one, (_, y) in before["below"].items()}
    assert len(down) == 1, "all of it, by as much"
    assert min(down) > 100
    assert {opened["below"][one][0] - x for one, (x, _) in before["below"].items()} == {0}
    app.locator(".pe-canvas").focus()
    for _ in range(3):  # the selection, the fold, and what it leaves selected
        app.keyboard.press("Escape")
    poll(app, f"() => {STORE}.level === '' && !{STORE}.selected", True)
    rest(app)
    assert app.evaluate(AROUND, fold)["view"] == before["view"]
    app.set_viewport_size({"width": 1280, "height": 800})
    rest(app)
    assert app.evaluate(AROUND, fold)["view"] != before["view"]
    app.set_viewport_size({"width": 1600, "height": 1000})
    rest(app)
    assert app.evaluate(AROUND, fold)["view"] == before["view"], "fitted anew, as what nobody has moved"
