"""How the graph lies on its canvas, in saved runs of all engines: what is in view, how large, where its lines go."""

import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import expect

import explorer
from explorer.dag import ProvenanceDag
from explorer.view.showing import Showing
from explorer.widgets.save import files as saving
from tests.agents import team
from tests.browser.conftest import poll, rest, screenshot
from tests.browser.test_explore import RECORD_LABELS, heading, painted
from tests.drawing.test_finishing import EDGE, KEPT, cited_by_team, fact, search

DOCUMENTS = Path(__file__).parents[2] / "sample_data" / "apollo13" / "documents"
QUESTION = "Why did oxygen tank no. 2 fail, and what voltage were the thermostatic switches rated for?"
RUNS = {
    "facts": {},
    "scored": {"selector": "rerank", "edge_limit": 16},  # keeps much that it does not use, which is folded
    "passages": {"engine": "document-rag"},
    "agent": {"engine": "agent", "pattern": "react"},
    "team": {"engine": "agent", "pattern": "supervisor"},
}
MANY = [fact(number) for number in range(40)]
ODD = {  # runs whose answers are odd, as they are told
    "cites nothing": search(KEPT, [[], []]),
    "cites 40 facts": search(MANY, [[one.iri for one in MANY[at::4]] for at in range(4)]),
    "30 sentences": search(KEPT, [[EDGE[number % 3]] for number in range(30)]),
    "one word": search(KEPT, None, "Yes"),
    "runs within": [*team(), *cited_by_team("t-1-search")],
}
PAIRS = {"Key ideas": "Grounding", "Looked at": "Exploration", "Kept": "Focus", "Answer": "Synthesis"}
LEAST, LARGE = 11, 14.2  # CSS pixels of text; the smallest is 12 at scale 1
SIZES = "() => window.labels.map(({ size }) => Math.round(size * 10) / 10)"
RECORD_BOXES = """
window.texts = new Map();  // where each text of the last frame lies, by the context that painted it
const { clearRect: cleared, fillText: written } = CanvasRenderingContext2D.prototype;
CanvasRenderingContext2D.prototype.clearRect = function () {
    window.texts.set(this, []);
    return cleared.apply(this, arguments);
};
CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
    const of = this.measureText(text), matrix = this.getTransform();
    const corner = (dx, dy) => new DOMPoint(x + dx, y + dy).matrixTransform(matrix);
    const first = corner(-of.actualBoundingBoxLeft, -of.actualBoundingBoxAscent);
    const last = corner(of.actualBoundingBoxRight, of.actualBoundingBoxDescent);
    const ratio = devicePixelRatio;
    window.texts.get(this)?.push({ text, left: first.x / ratio, top: first.y / ratio, right: last.x / ratio,
                                   bottom: last.y / ratio });
    return written.apply(this, arguments);
};
"""
CROSSED = """() => {  // boxes and texts on which a line lies that does not end there
    const { here, lines, outline } = document.querySelector(".pe").explorer;
    const boxes = here()
        .map(({ id, lines: [[, text]] }) => ({ id, text, ...outline(id) }));
    const graphs = [...window.texts].filter(([{ canvas }]) => canvas.closest(".pe-canvas"));
    const painted = graphs.flatMap(([, texts]) => texts);
    const words = painted.filter(({ text, left, right }) => text.trim() && right > left);
    const lies = (one, { left, top, right, bottom }) =>
        one.left < right && one.right > left && one.top < bottom && one.bottom > top;
    const found = [];
    for (const { from, to, points } of lines()) {
        const ends = boxes.filter(({ id }) => id === from || id === to);
        const foreign = words.filter((one) => !ends.some((end) => lies(one, end)));
        const others = [...boxes.filter((box) => !ends.includes(box)), ...foreign];
        points.slice(1).forEach((point, i) => {
            const [x, y] = [[points[i].x, point.x], [points[i].y, point.y]];
            const piece = { left: Math.min(...x), right: Math.max(...x), top: Math.min(...y), bottom: Math.max(...y) };
            for (const other of others) if (lies(other, piece)) found.push(`${from} → ${to}: ${other.text}`);
            if (x[0] !== x[1] && y[0] !== y[1]) found.push(`${from} → ${to} is slanted`);
        });
    }
    return [found, lines().length, words.length];
}"""
BROUGHT_IN = """async () => {  // the last node and the first by turns, on canvases of many sizes, nearer and further
    const { here, pointAt } = document.querySelector(".pe").explorer;
    const canvas = document.querySelector(".pe-canvas"), ids = here().map(({ id }) => id);
    for (let step = 0; step < 60; step += 1) {
        Object.assign(canvas.style, { width: `${900.3 - 3.7 * step}px`, height: `${380.7 - 1.3 * step}px` });
        canvas.dispatchEvent(new WheelEvent("wheel", { ctrlKey: true, deltaY: step % 12 < 6 ? -1 : 1 }));
        await pointAt(ids.at(step % 2 - 1));
    }
}"""
SCALE = """() => {  // of the graph on the screen, and whether it has words; one node's box tells it
    const { here, outline } = document.querySelector(".pe").explorer;
    const { id, h } = here().find(({ kind }) => kind === "Focus");
    const { top, bottom } = outline(id);
    return [(bottom - top) / h, window.labels.some(({ text }) => text.trim())];
}"""
LEVELS = """() => {  // a node in each drawing
    const nodes = [...document.querySelector(".pe").explorer.store.nodes.values()];
    const drawings = nodes.flatMap(({ spots }) => Object.keys(spots ?? { "": 0 }));
    return [...new Set(drawings)].map((level) => nodes.find((node) => (node.level ?? "") === level)?.id);
}"""
FAN = """() => {  // where the lines to what was kept branch off
    const fan = document.querySelector(".pe").explorer.lines().filter(({ kind }) => kind === "selected");
    return fan.map(({ points: [, turn] }) => turn.x);
}"""
NOT_LED_TO = """() => {  // sentences with a number to which no line is painted
    const { here, lines } = document.querySelector(".pe").explorer;
    const said = here().filter(({ kind, numbers }) => kind === "Sentence" && numbers);
    const led = new Set(lines().filter(({ kind, quiet }) => kind === "cites" && !quiet).map(({ to }) => to));
    return said.filter(({ id }) => !led.has(id)).map(({ id }) => id);
}"""
OUTSIDE = """() => {  // nodes of the drawing on show that are not wholly on the canvas, by their boxes
    const { here, outline } = document.querySelector(".pe").explorer;
    const { width, height } = document.querySelector(".pe-canvas").getBoundingClientRect();
    return here().filter(({ id }) => {
        const { left, top, right, bottom } = outline(id);
        return left < -1 || top < -1 || right > width + 1 || bottom > height + 1;
    }).length;
}"""
COVERED = """map => {  // nodes that lie below it
    const { here, outline } = document.querySelector(".pe").explorer;
    const { x, y } = document.querySelector(".pe-canvas").getBoundingClientRect();
    const below = ({ left, top, right, bottom }) =>
        left + x < map.x + map.width && right + x > map.x && top + y < map.y + map.height && bottom + y > map.y;
    return here().filter(({ id }) => below(outline(id))).map(({ id }) => id);
}"""
TOUCHED = """() => {  // words that end less than a pixel before the number beside them in a box, and how many of these
    const { here, outline } = document.querySelector(".pe").explorer;
    const graphs = [...window.texts].filter(([{ canvas }]) => canvas.closest(".pe-canvas"));
    const texts = graphs.flatMap(([, painted]) => painted);
    const within = (one, { left, top, right, bottom }) =>
        one.left > left && one.right < right && one.top > top && one.bottom < bottom;
    const found = here().filter(({ numbers }) => numbers).map(({ id, numbers, h }) => {
        const scale = (outline(id).bottom - outline(id).top) / h;
        const inside = texts.filter((one) => one.text.trim() && within(one, outline(id)));
        const [first] = inside.filter(({ text }) => text === String(numbers[0])).sort((a, b) => b.left - a.left);
        const before = inside.filter(({ right }) => right < first.left);
        const words = before.filter(({ top, bottom }) => top < first.bottom && bottom > first.top);
        const ring = (17 * scale - (first.right - first.left)) / 2;  // around a number of one digit
        return words.filter(({ right }) => right > first.left - ring - 1).map(({ text }) => text);
    });
    return [found.flat(), found.length];
}"""
TOPS = """() => {  // whether question and answer are in sight
    const { store, outline } = document.querySelector(".pe").explorer;
    const { height } = document.querySelector(".pe-canvas").getBoundingClientRect();
    return ["Question", "Synthesis"].map((kind) => {
        const { top, bottom } = outline([...store.nodes.values()].find((node) => node.kind === kind).id);
        return top >= -1 && bottom <= height + 1 ? "in" : "out";
    });
}"""
DETAIL = """() => {
    const body = document.querySelector(".pe-detail .pe-body");
    const steps = [...document.querySelectorAll(".pe-crumbs :is(button, b)")];
    const shown = steps.filter((one) => one.checkVisibility());  // a narrow panel shows the way up to what is selected
    return [body.scrollWidth <= body.clientWidth, shown.length > 1 && shown.every((one) => one.offsetWidth > 20)];
}"""
HIDES = """() => {  // the boxes and the texts below the button that leads on; null without it
    const button = document.querySelector(".pe-more"), { here, outline } = document.querySelector(".pe").explorer;
    if (button.hidden) return null;
    const canvas = document.querySelector(".pe-canvas").getBoundingClientRect();
    const { left, right, top, bottom } = button.getBoundingClientRect();
    const across = (one) => one.left + canvas.x < right && one.right + canvas.x > left;
    const below = (one) => across(one) && one.top + canvas.y < bottom && one.bottom + canvas.y > top;
    const graphs = [...window.texts].filter(([{ canvas: of }]) => of.closest(".pe-canvas"));
    const words = graphs.flatMap(([, texts]) => texts).filter(({ text }) => text.trim());
    const boxes = here().filter(({ id }) => below(outline(id)));
    return [...boxes.map(({ id }) => id), ...words.filter(below).map(({ text }) => text)];
}"""
FOLDED = "() => document.querySelector('.pe-map').classList.contains('folded')"
LAST = """kind => {
    const { store } = document.querySelector(".pe").explorer;
    const drawn = [...store.nodes.values()].filter(({ spots }) => Object.keys(spots ?? { "": 0 }).length);
    return drawn.findLast((node) => node.kind === kind)?.id;
}"""
CUT = """() => {  // a node in sight whose label is cut
    const { store, here, outline } = document.querySelector(".pe").explorer;
    const { height } = document.querySelector(".pe-canvas").getBoundingClientRect();
    const graphs = [...window.texts].filter(([{ canvas }]) => canvas.closest(".pe-canvas"));
    const cut = graphs.flatMap(([, texts]) => texts).filter(({ text, top, bottom }) =>
        text.endsWith("…") && top > 80 && bottom < height - 80);
    const holds = (box) => cut.some(({ left, right, top, bottom }) =>
        left > box.left && right < box.right && top > box.top && bottom < box.bottom);
    return here().find(({ id }) => id !== store.selected && holds(outline(id))).id;
}"""
LABELS = """() => {
    const { store } = document.querySelector(".pe").explorer;
    return store.nodes.get(store.selected).lines.map(([, text]) => text).join(" ");
}"""
PICTURE = "() => document.querySelector('.pe-canvas canvas').toDataURL()"
OVERLAPS = """() => {  // of what stands in the bar, what lies on something else or sticks out
    const bar = document.querySelector(".pe-graph .pe-head");
    const all = [...bar.querySelectorAll("h3, button, input, .pe-find-count")].filter((one) => one.checkVisibility());
    const boxes = all.map((one) => [one, one.getBoundingClientRect()]).filter(([, { width }]) => width);
    const { left, right } = bar.getBoundingClientRect();
    const on = (a, b) => a.left < b.right - 1 && a.right > b.left + 1 && a.top < b.bottom - 1 && a.bottom > b.top + 1;
    const lies = ([one, box], i) => boxes.some(([other, its], j) => i < j && !one.contains(other) && on(box, its));
    const wrong = boxes.filter((one, i) => one[1].left < left || one[1].right > right || lies(one, i));
    return wrong.map(([one]) => one.outerHTML);
}"""
LABEL = """() => {
    const { store } = document.querySelector(".pe").explorer;
    return store.nodes.get(store.selected).lines[0][1].slice(0, 8);
}"""
SELECT = """id => new Promise((done) => {  // and say what the next frame paints
    document.querySelector(".pe").explorer.select(id);
    requestAnimationFrame(() => done(window.labels.map(({ text }) => text)));
})"""


@dataclass
class Run:
    """A saved run: its file, how many nodes are in it, and its graph."""

    path: Path
    nodes: int
    dag: ProvenanceDag


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("canvas")
    with explorer.open() as ws:
        ws.ingest(DOCUMENTS / "investigation-report.pdf", DOCUMENTS / "tank-history.md", progress=False)
        asked = {name: save(ws, folder / f"{name}.html", **how) for name, how in RUNS.items()}
        return asked | {name: write(events, ws, folder / f"{name}.html") for name, events in ODD.items()}


def save(ws, path, **how):
    return write(ws.ask(QUESTION, **how), ws, path)


def write(events, ws, path):
    showing = Showing()
    showing.begin()
    for event in events:
        showing.apply(event)
    showing.end("done", "Ended")
    path.write_text(saving.saved(showing, ws, "html").text, "utf-8", newline="")
    return Run(path, len(showing.snapshot()["nodes"]), showing.dag)


@pytest.fixture
def opened(page, runs):
    """opened("agent"): the file in the browser, drawn."""
    page.add_init_script(RECORD_LABELS)
    page.add_init_script(RECORD_BOXES)

    def open_file(name, size=(1600, 1000)):
        page.set_viewport_size(dict(zip(("width", "height"), size, strict=True)))
        page.goto(runs[name].path.as_uri())
        poll(page, "() => document.querySelector('.pe')?.dataset.nodes", str(runs[name].nodes))
        painted(page)
        return page

    return open_file


@pytest.fixture(params=["reduce", "no-preference"])
def motion(page, request):
    """Once for those who asked that nothing moves."""
    page.emulate_media(reduced_motion=request.param)
    return request.param


def smallest(page):
    """The size of the smallest text of the graph, once it rests."""
    painted(page)
    return min(page.evaluate(SIZES))


@pytest.mark.parametrize(("name", "size"), [("facts", (900, 1000)), ("team", (1280, 800)), ("facts", (1920, 1080))])
def test_text_is_readable_as_first_drawn_and_after_a_click_and_fit_shows_the_whole_graph(opened, motion, name, size):
    page = opened(name, size)
    assert smallest(page) >= (LARGE if size[0] == 1920 else LEAST)
    screenshot(page, f"canvas-{name}-{size[0]}")
    page.locator(".pe-canvas").focus()
    page.keyboard.press("f")
    painted(page)
    assert page.evaluate(OUTSIDE) == 0
    kind = "EdgeSelection" if name == "team" else "Passage"  # of a team: within a folded run, which opens
    at_once = page.evaluate(SELECT, page.evaluate(LAST, kind))
    assert smallest(page) >= LEAST
    begun = page.evaluate(LABEL)
    assert any(begun in text for text in painted(page)), "what is selected is painted"
    if motion == "reduce":
        assert any(begun in text for text in at_once), "there may be no other frame"


def test_further_away_labels_go_and_boxes_stay(opened):
    page = opened("team", (900, 700))
    page.locator(".pe-canvas").focus()
    shown = len(painted(page))
    for _ in range(12):
        page.keyboard.press("-")
    assert painted(page) == {}
    assert page.evaluate(OUTSIDE) == 0
    screenshot(page, "canvas-far")
    for _ in range(24):
        page.keyboard.press("+")
    assert shown
    painted(page)
    assert max(page.evaluate(SIZES)) > 2 * 13


def test_one_pair_of_words_names_each_stage_in_graph_legend_and_log(opened):
    page = opened("facts")
    nodes = " ".join(painted(page))
    legend, log = (" ".join(page.locator(one).all_inner_texts()) for one in (".pe-legend .pe-entry", ".pe-log li"))
    for word, term in PAIRS.items():
        assert all(word in said for said in (nodes, legend, log)), word
        assert f"· {term}" in nodes, "small beside it"
        assert term not in legend + log, "the plain word alone, where there is one name"


def test_labels_are_there_down_to_a_scale_of_two_fifths(opened):
    page = opened("facts", (900, 1000))
    page.locator(".pe-canvas").focus()
    scales = []
    for key in "-" * 10:
        page.keyboard.press(key)
        painted(page)
        scales.append(page.evaluate(SCALE))
        assert scales[-1][1] == (scales[-1][0] >= 0.4)
    assert {words for _, words in scales} == {True, False}


@pytest.mark.parametrize(("name", "width"), [*((name, 1600) for name in RUNS), ("facts", 900), ("team", 900)])
def test_no_line_lies_on_a_label_or_on_a_box_in_which_it_does_not_end(opened, name, width):
    page = opened(name, (width, 1600))
    for node in page.evaluate(LEVELS):
        page.evaluate(SELECT, node)
        page.locator(".pe-canvas").focus()
        page.keyboard.press("f")
        painted(page)
        crossed, lines, texts = page.evaluate(CROSSED)
        assert crossed == []
        assert page.evaluate(NOT_LED_TO) == []
        assert lines >= 4
        assert texts > lines / 2
        if fan := page.evaluate(FAN):
            assert max(fan) - min(fan) < 1, "one upright line"
    screenshot(page, f"canvas-lines-{name}-{width}")


@pytest.mark.parametrize("name", RUNS)
def test_a_number_touches_no_word_beside_it(opened, name):
    page = opened(name)
    for width, height in ((900, 1000), (1280, 800), (1600, 1000), (1920, 1080)):
        page.set_viewport_size({"width": width, "height": height})
        rest(page)
        painted(page)
        touched, numbers = page.evaluate(TOUCHED)
        assert touched == []
        assert numbers >= 2


@pytest.mark.parametrize(("name", "size"), [("scored", (900, 700)), ("team", (900, 700)), ("passages", (600, 800))])
def test_the_button_that_leads_on_below_lies_on_no_box_and_on_no_word(opened, name, size):
    page = opened(name, size)
    page.evaluate(SELECT, page.evaluate(LAST, "ChunkSelection" if name == "passages" else "EdgeSelection"))
    page.locator(".pe-canvas").focus()
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")  # the drawer too
    hides, overview = [], page.locator(".pe-map")
    for _ in range(12):
        page.mouse.move(*canvas_middle(page))
        page.mouse.wheel(0, -47)
        painted(page)
        hides.append(page.evaluate(HIDES))
        assert not hides[-1]
        if overview.is_visible():
            assert page.evaluate(COVERED, overview.bounding_box()) == [], "nor does the map, or its sign"
    assert [] in hides, "it was there"
    screenshot(page, f"canvas-more-{name}-{size[0]}")


def canvas_middle(page):
    box = page.locator(".pe-canvas").bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


@pytest.mark.parametrize(("name", "size"), [("team", (1280, 800)), ("team", (900, 1000)), ("agent", (1600, 1000))])
def test_the_small_map_lies_on_no_box_but_while_it_is_wanted(opened, name, size):
    page = opened(name, size)
    page.evaluate(SELECT, page.evaluate(LAST, "EdgeSelection"))  # within a folded run, which opens
    assert page.evaluate(DETAIL) == [True, True], "its rows are not cut, and each step of the way is named"
    overview = page.get_by_role("application", name="Overview of the graph")
    page.locator(".pe-canvas").focus()
    folded = 0
    for _ in range(8):
        page.keyboard.press(
            "Escape" if page.evaluate("() => document.querySelector('.pe').explorer.store.selected") else "+"
        )
        painted(page)
        assert page.evaluate(OUTSIDE)
        if overview.evaluate("one => one.classList.contains('folded')"):
            folded += 1
            assert overview.bounding_box()["width"] < 40
            assert page.evaluate(OVERLAPS) == []
        else:
            assert page.evaluate(COVERED, overview.bounding_box()) == []
    assert folded
    for _ in range(8):
        if page.evaluate(FOLDED):
            break
        page.keyboard.press("-")
        painted(page)
    screenshot(page, f"canvas-map-folded-{name}-{size[0]}")
    overview.hover()
    poll(page, FOLDED, False)
    page.mouse.move(2, 2)
    poll(page, FOLDED, True)
    overview.focus()
    poll(page, FOLDED, False)


@pytest.mark.usefixtures("motion")
def test_a_small_map_shows_what_is_out_of_sight_and_leads_there(opened):
    page = opened("scored", (1920, 1080))
    page.evaluate(SELECT, page.evaluate(LAST, "Synthesis"))
    page.set_viewport_size({"width": 1280, "height": 900})
    painted(page)
    assert page.evaluate(OUTSIDE) == 0, "what nobody has moved is fitted anew"
    page = opened("scored", (1280, 800))
    page.evaluate(SELECT, page.evaluate(LAST, "EdgeSelection"))  # which is not used: what is folded opens
    page.locator(".pe-canvas").focus()
    page.keyboard.press("Escape")
    painted(page)
    overview = page.get_by_role("application", name="Overview of the graph")
    assert page.evaluate(OUTSIDE)
    assert page.evaluate(COVERED, overview.bounding_box()) == []
    screenshot(page, "canvas-map")
    overview.hover()
    poll(page, FOLDED, False)
    box = overview.bounding_box()
    page.mouse.click(box["x"] + 20, box["y"] + box["height"] - 4)
    poll(page, TOPS, ["out", "in"])  # the question is out of sight, and the answer in
    rest(page)
    box = overview.bounding_box()
    page.mouse.move(box["x"] + 20, box["y"] + box["height"] - 4)
    page.mouse.down()
    page.mouse.move(box["x"] + 20, box["y"] + 4, steps=5)
    page.mouse.up()
    poll(page, TOPS, ["in", "out"])
    overview.focus()
    for _ in range(20):
        page.keyboard.press("ArrowDown")
    poll(page, TOPS, lambda tops: tops[0] == "out")
    page.emulate_media(color_scheme="dark")
    painted(page)
    screenshot(page, "canvas-map-dark")
    page.locator(".pe-canvas").focus()
    page.keyboard.press("f")
    painted(page)
    expect(overview).to_be_hidden()
    page = opened("scored", (400, 700))
    assert page.evaluate(OUTSIDE)
    expect(overview).to_be_hidden()


def test_the_bar_above_the_graph_fits_and_what_it_does_is_seen(opened):
    page = opened("facts", (468, 900))
    for sought in ("", "tank"):
        page.get_by_role("searchbox", name="Find in graph").fill(sought)
        rest(page)
        assert page.evaluate(OVERLAPS) == []
    page.get_by_role("button", name="List view").click()
    for name in ("Zoom in", "Zoom out", "Fit"):
        expect(page.get_by_role("button", name=name, exact=True), "of a list nothing is zoomed").to_have_count(0)
    assert page.evaluate(OVERLAPS) == []
    page.keyboard.press("/")
    expect(page.locator(".pe-find-input")).to_be_focused()
    page.get_by_role("button", name="Graph view").click()
    for name in ("Zoom in", "Zoom out"):
        expect(page.get_by_role("button", name=name)).to_have_count(1)
    page.get_by_role("searchbox", name="Find in graph").press("Enter")
    assert "tank" in page.evaluate(LABELS).lower(), "what says it itself comes before what tells of it"

    page = opened("facts", (1600, 1000))
    page.evaluate(SELECT, page.evaluate(LAST, "EdgeSelection"))
    painted(page)
    before = page.evaluate(PICTURE)
    page.get_by_role("checkbox", name=re.compile(r"^Passage(?! kept)")).click()
    painted(page)
    assert page.evaluate(PICTURE) != before, "a kind that is switched off is told from what is dimmed"
    node = page.evaluate(CUT)
    page.evaluate("() => document.querySelector('.pe-graph').scrollIntoView()")
    x, y = page.evaluate("id => document.querySelector('.pe').explorer.pointAt(id)", node)
    for step in (4, 0):
        page.mouse.move(x + step, y)
    tip = page.locator(".pe-canvas .vis-tooltip")
    tip.wait_for()
    screenshot(page, "canvas-tip")
    assert node not in page.evaluate(COVERED, tip.bounding_box())


def test_what_is_brought_in_comes_to_rest_however_large_the_canvas(opened):
    page = opened("team", (1600, 1000))
    page.evaluate(BROUGHT_IN)


BEARS = """() => {  // of each fact on show: the sentences that cite it, are lit with it, and its lines lead to
    const { store, select, lit, lines, here } = document.querySelector(".pe").explorer;
    const is = (kind) => (id) => store.nodes.get(id)?.kind === kind;
    const cited = store.arcs.filter(({ kind }) => kind === "cites");
    const facts = here().map(({ id }) => id).filter(is("EdgeSelection"));
    return facts.map((fact) => {
        select(fact);
        const [passage] = store.arcs.filter(({ kind, from }) => kind === "source" && from === fact).map(({ to }) => to);
        const ways = lines().filter(({ kind, from }) => kind === "cites" && [fact, passage].includes(from));
        const told = ways.filter(({ points }) => points.length > 1).map(({ to }) => to);
        const recorded = cited.filter(({ from }) => from === fact).map(({ to }) => to);
        const beside = cited.filter(({ from }) => store.arcs.some(
            (arc) => arc.from === from && arc.kind === "source" && arc.to === passage));
        return [recorded, lit().filter(is("Sentence")), told, beside.map(({ to }) => to)].map((all) => all.sort());
    });
}"""


def test_a_fact_lights_the_sentences_it_bears_and_a_line_leads_into_each(opened):
    page = opened("facts", (1280, 800))
    found = page.evaluate(BEARS)
    assert any(recorded for recorded, *_ in found)
    for recorded, lit, told, beside in found:
        assert lit == recorded
        assert sorted({*told}) == sorted({*beside}), "from the passage, for all facts that were read in it"
        assert {*recorded} <= {*told}


ODD_ANSWERS = {"cites nothing": (2, 0), "cites 40 facts": (4, 40), "30 sentences": (30, 30), "one word": (1, 0)}
SENTENCES = """() => {
    const { here } = document.querySelector(".pe").explorer;
    return here().filter(({ kind }) => kind === "Sentence").length;
}"""


@pytest.mark.parametrize("name", ODD_ANSWERS)
def test_an_odd_answer_is_whole_readable_and_followed_sentence_by_sentence(opened, name):
    page = opened(name, (1280, 800))
    assert smallest(page) >= LEAST
    sentences, numbers = ODD_ANSWERS[name]
    assert page.evaluate(SENTENCES) == sentences
    answer = page.locator(".pe-answer")
    expect(answer.locator(".pe-claim")).to_have_count(sentences)
    expect(answer.locator(".pe-cite")).to_have_count(numbers)
    answer.locator(".pe-claim").last.click()
    expect(heading(page)).to_have_text(f"Sentence {sentences}")
    assert heading(page).evaluate("one => one.scrollWidth <= one.clientWidth"), "whatever numbers stand beside it"
    assert page.evaluate(CROSSED)[0] == []
    more = [text for text in painted(page) if re.fullmatch(r"\+\d+", text)]
    assert bool(more) == (name == "cites 40 facts"), "of ten numbers in a box it says how many are not shown"
    screenshot(page, f"canvas-odd-{name.replace(' ', '-')}")
    page.locator(".pe-canvas").focus()
    page.keyboard.press("f")
    painted(page)
    assert page.evaluate(OUTSIDE) == 0
    assert page.evaluate(CROSSED)[0] == []


PLACED = """() => {  // where each node stands below the first, by its id
    const { here } = document.querySelector(".pe").explorer;
    const [{ vis: first }] = here();
    const below = ({ x, y }) => [Math.round(x - first.x), Math.round(y - first.y)];
    return Object.fromEntries(here().map(({ id, vis }) => [id, below(vis)]));
}"""
LEVEL = "() => document.querySelector('.pe').explorer.store.level"


def test_a_run_within_a_run_within_a_run_unfolds_in_place_and_folds_again(opened):
    page = opened("runs within", (1280, 800))
    drawn = [page.evaluate(PLACED)]
    for fold in ("run:t-1", "run:t-1-search"):
        page.mouse.dblclick(*page.evaluate("id => document.querySelector('.pe').explorer.pointAt(id)", fold))
        poll(page, LEVEL, fold)
        assert smallest(page) >= LEAST
        assert page.evaluate(CROSSED)[0] == []
        before, now = drawn[-1], page.evaluate(PLACED)
        drawn.append(now)
        assert now.keys() > before.keys(), "all that was there before is there with it"
        above = [one for one, (_, y) in before.items() if y <= before[fold][1]]
        below = [one for one, (_, y) in before.items() if y > before[fold][1] + 30]
        assert {one: now[one] for one in above} == {one: before[one] for one in above}
        assert below
        assert all(now[one][1] > before[one][1] for one in below)
    screenshot(page, "canvas-runs-within")
    page.locator(".pe-canvas").focus()
    for level, places in zip(("run:t-1", ""), drawn[1::-1], strict=True):
        while page.evaluate(LEVEL) != level:
            page.keyboard.press("Escape")
        assert page.evaluate(PLACED) == places
