"""How the graph lies on its canvas, in saved runs of all engines: what is in view, how large, where its lines go."""

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import expect

import explorer
from explorer.dag import ProvenanceDag
from explorer.view.showing import Showing
from explorer.vocab import session_of
from explorer.widgets.save import files as saving
from explorer.wording.kinds import kind
from tests.agents import team
from tests.browser.app import POINT, each_size, let_go, painted, point_at, present
from tests.browser.conftest import poll, rest
from tests.drawing.test_finishing import EDGE, KEPT, cited_by_team, fact, search
from tests.each import each

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
ODD = {  # runs whose answers are odd, as they are told, and how many sentences and numbers they have
    "cites nothing": (search(KEPT, [[], []]), 2, 0),
    "cites 40 facts": (search(MANY, [[one.iri for one in MANY[at::4]] for at in range(4)]), 4, 40),
    "30 sentences": (search(KEPT, [[EDGE[number % 3]] for number in range(30)]), 30, 30),
    "one word": (search(KEPT, None, "Yes"), 1, 0),
}
LEAST, LARGE = 11, 14.2  # CSS pixels of text; the smallest is 12 at scale 1
SIZES = "() => window.labels.map(({ size }) => Math.round(size * 10) / 10)"
FOLDED = "() => document.querySelector('.pe-map').classList.contains('folded')"
LEVEL = "() => document.querySelector('.pe').explorer.store.level"
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
CONFUSED = """apart => {  // where lines from different things to sentences run too close, or through another's head
    const { store, here, lines, outline } = document.querySelector(".pe").explorer;
    const { id, w } = here().find(({ kind }) => kind === "Question");
    const scale = (outline(id).right - outline(id).left) / w;
    const told = lines().filter(({ kind, quiet }) => kind === "cites" && !quiet);
    const nameOf = ({ from, to }) => `${store.nodes.get(from).lines[0][1]} → ${store.nodes.get(to).lines[0][1]}`;
    const pieces = told.map((line) => line.points.slice(1).map((to, i) => {
        const from = line.points[i], axis = Math.abs(from.x - to.x) < 0.1 ? "x" : "y", along = axis === "x" ? "y" : "x";
        return { axis, at: to[axis], from: Math.min(from[along], to[along]), to: Math.max(from[along], to[along]) };
    }));
    const found = [];
    told.forEach((one, i) => told.forEach((other, j) => {
        if (one.from === other.from) return;
        for (const a of pieces[i]) for (const b of i < j ? pieces[j] : []) {
            const beside = a.axis === b.axis && a.from < b.to && b.from < a.to;
            const space = Math.abs(a.at - b.at) / scale;
            if (beside && space < apart - 0.01) found.push(`${space} px: ${nameOf(one)} | ${nameOf(other)}`);
        }
        const { x, y } = one.points.at(-1);
        for (const { axis, at, from, to } of pieces[j]) {
            const [left, right] = axis === "x" ? [at, at] : [from, to];
            const [top, bottom] = axis === "x" ? [from, to] : [at, at];
            if (left < x + 5 * scale && right > x - 5 * scale && top < y && bottom > y - 7 * scale)
                found.push(`${nameOf(other)} through the head of ${nameOf(one)}`);
        }
    }));
    return [found, new Set(told.map(({ from }) => from)).size];
}"""
NOT_LED_TO = """() => {  // sentences with a number to which no line is painted
    const { here, lines } = document.querySelector(".pe").explorer;
    const said = here().filter(({ kind, numbers }) => kind === "Sentence" && numbers);
    const led = new Set(lines().filter(({ kind, quiet }) => kind === "cites" && !quiet).map(({ to }) => to));
    return said.filter(({ id }) => !led.has(id)).map(({ id }) => id);
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
BROUGHT_IN = """async () => {  // the last node and the first by turns, on canvases of many sizes, nearer and further
    const { here } = document.querySelector(".pe").explorer, pointAt = POINT;
    const canvas = document.querySelector(".pe-canvas"), ids = here().map(({ id }) => id);
    for (let step = 0; step < 60; step += 1) {
        Object.assign(canvas.style, { width: `${900.3 - 3.7 * step}px`, height: `${380.7 - 1.3 * step}px` });
        canvas.dispatchEvent(new WheelEvent("wheel", { ctrlKey: true, deltaY: step % 12 < 6 ? -1 : 1 }));
        await pointAt(ids.at(step % 2 - 1));
    }
}"""
LEVELS = """() => {  // a node in each drawing
    const nodes = [...document.querySelector(".pe").explorer.store.nodes.values()];
    const drawings = nodes.flatMap(({ spots }) => Object.keys(spots ?? { "": 0 }));
    return [...new Set(drawings)].map((level) => nodes.find((node) => (node.level ?? "") === level)?.id);
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
TOPS = """() => {  // whether question and answer are in sight
    const { store, outline } = document.querySelector(".pe").explorer;
    const { height } = document.querySelector(".pe-canvas").getBoundingClientRect();
    return ["Question", "Synthesis"].map((kind) => {
        const { top, bottom } = outline([...store.nodes.values()].find((node) => node.kind === kind).id);
        return top >= -1 && bottom <= height + 1 ? "in" : "out";
    });
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
LAST = """kind => {
    const { store } = document.querySelector(".pe").explorer;
    const drawn = [...store.nodes.values()].filter(({ spots }) => Object.keys(spots ?? { "": 0 }).length);
    return drawn.findLast((node) => node.kind === kind)?.id;
}"""
SELECT = """id => new Promise((done) => {  // and say what the next frame paints
    document.querySelector(".pe").explorer.select(id);
    requestAnimationFrame(() => done(window.labels.map(({ text }) => text)));
})"""
LABEL = """() => {
    const { store } = document.querySelector(".pe").explorer;
    return store.nodes.get(store.selected).lines[0][1].slice(0, 8);
}"""
LABELS = """() => {
    const { store } = document.querySelector(".pe").explorer;
    return store.nodes.get(store.selected).lines.map(([, text]) => text).join(" ");
}"""
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
KEPT_LIT = """() => {  // what is not lit with what was kept; and what is lit of sentences that rest on none of it
    const { store, select, lit, here } = document.querySelector(".pe").explorer;
    const focus = here().find(({ kind }) => kind === "Focus").id;
    select(focus);
    const from = (id, ...kinds) =>
        store.arcs.filter((arc) => arc.from === id && kinds.includes(arc.kind)).map(({ to }) => to);
    const kept = from(focus, "selected");
    const sources = kept.flatMap((fact) => from(fact, "source"));
    const said = [...kept, ...sources].flatMap((one) => from(one, "cites"));
    const bright = lit(), is = (id) => store.nodes.get(id)?.kind === "Sentence";
    const missing = [...kept, ...sources, ...said].filter((id) => store.nodes.has(id) && !bright.includes(id));
    return [missing, bright.filter((id) => is(id) && !said.includes(id)), said.length];
}"""
SENTENCES = """() => {
    const { here } = document.querySelector(".pe").explorer;
    return here().filter(({ kind }) => kind === "Sentence").length;
}"""
PLACED = """() => {  // where each node stands below the first, by its id
    const { here } = document.querySelector(".pe").explorer;
    const [{ vis: first }] = here();
    const below = ({ x, y }) => [Math.round(x - first.x), Math.round(y - first.y)];
    return Object.fromEntries(here().map(({ id, vis }) => [id, below(vis)]));
}"""
SCALE = """() => {  // of the graph on the screen, and whether it has words; one node's box tells it
    const { here, outline } = document.querySelector(".pe").explorer;
    const { id, h } = here().find(({ kind }) => kind === "Focus");
    const { top, bottom } = outline(id);
    return [(bottom - top) / h, window.labels.some(({ text }) => text.trim())];
}"""
FOUND = """() => {  // the kinds of what was found, and whether it says the word
    const { store } = document.querySelector(".pe").explorer;
    return [...store.found].map((id) => store.nodes.get(id)).map(({ kind, lines, passage }) =>
        [kind, `${lines.map(([, text]) => text)} ${passage?.text ?? ""}`.includes("probe")]);
}"""


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
        told = {name: ws.ask(QUESTION, **how) for name, how in RUNS.items()}
        told |= {name: events for name, (events, *_) in ODD.items()}
        told["runs within"] = [*team(), *cited_by_team("t-1-search")]
        return {name: write(events, ws, folder / f"{name}.html") for name, events in told.items()}


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
    page.add_init_script(RECORD_BOXES)

    def open_file(name, size=(1600, 1000)):
        page.set_viewport_size(dict(zip(("width", "height"), size, strict=True)))
        page.goto(runs[name].path.as_uri())
        poll(page, "() => document.querySelector('.pe')?.dataset.nodes", str(runs[name].nodes))
        rest(page)
        return page

    return open_file


def smallest(page):
    """The size of the smallest text of the graph, once it rests."""
    painted(page)
    return min(page.evaluate(SIZES))


def press(page, *keys):
    """Press keys on the canvas."""
    page.locator(".pe-canvas").focus()
    for key in keys:
        page.keyboard.press(key)
    rest(page)


@each(
    ("name", "size", "motion"),
    [
        ("facts", (900, 1000), "reduce"),
        ("team", (1280, 800), "reduce"),
        ("facts", (1920, 1080), "no-preference"),
    ],
)
def test_text_is_readable_as_first_drawn_and_after_a_click_and_fit_shows_the_whole_graph(
    opened, page, name, size, motion
):
    page.emulate_media(reduced_motion=motion)
    opened(name, size)
    assert smallest(page) >= (LARGE if size[0] == 1920 else LEAST)
    press(page, "f")
    assert page.evaluate(OUTSIDE) == 0
    kind = "EdgeSelection" if name == "team" else "Passage"  # of a team: within a folded run, which opens
    at_once = page.evaluate(SELECT, page.evaluate(LAST, kind))
    assert smallest(page) >= LEAST
    begun = page.evaluate(LABEL)
    assert any(begun in text for text in painted(page)), "what is selected is painted"
    if motion == "reduce":
        assert any(begun in text for text in at_once), "there may be no other frame"


def test_labels_are_there_down_to_a_scale_of_two_fifths_and_boxes_further_away_too(opened):
    page = opened("facts", (900, 1000))
    scales = []
    for _ in range(10):
        press(page, "-")
        scales.append(page.evaluate(SCALE))
        assert scales[-1][1] == (scales[-1][0] >= 0.4)
    assert {words for _, words in scales} == {True, False}
    assert page.evaluate(OUTSIDE) == 0
    press(page, *"+" * 24)
    assert max(page.evaluate(SIZES)) > 2 * 13


@pytest.mark.parametrize("name", RUNS)
def test_lines_lie_on_no_label_and_no_other_box_and_keep_apart(opened, name):
    page = opened(name)
    let_go(page)
    for width, _ in each_size(page, (900, 1600), (1600, 1600)):
        painted(page)
        touched, numbers = page.evaluate(TOUCHED)
        assert touched == [], "a number touches no word beside it"
        assert numbers >= 2
        confused, sources = page.evaluate(CONFUSED, 4 if (name, width) == ("scored", 900) else 7)  # half, without room
        assert confused == [], width
        assert sources >= {"facts": 3, "passages": 2}.get(name, 1)
        for node in page.evaluate(LEVELS):
            page.evaluate(SELECT, node)
            press(page, "f")
            crossed, lines, texts = page.evaluate(CROSSED)
            assert crossed == []
            assert page.evaluate(NOT_LED_TO) == []
            assert lines >= 4
            assert texts > lines / 2
        let_go(page)


@each(("name", "size"), [("scored", (900, 700)), ("passages", (600, 800)), ("team", (1280, 800))])
def test_the_small_map_lies_on_nothing_that_is_drawn(opened, name, size):
    page = opened(name, size)
    page.evaluate(SELECT, page.evaluate(LAST, "ChunkSelection" if name == "passages" else "EdgeSelection"))
    press(page, "Escape", "Escape")  # the drawer too
    overview = page.get_by_role("application", name="Overview of the graph")
    shown = 0
    for step in range(8):
        if name == "team" and step > 4:
            press(page, "+")
        else:
            box = page.locator(".pe-canvas").bounding_box()
            page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
            page.mouse.wheel(0, -47)
            rest(page)
        if overview.is_visible():
            shown += 1
            assert page.evaluate(COVERED, overview.bounding_box()) == [], "nor does its sign"
    assert shown or name != "team"


def test_a_small_map_shows_what_is_out_of_sight_and_leads_there(opened):
    page = opened("scored", (1920, 1080))
    page.evaluate(SELECT, page.evaluate(LAST, "Synthesis"))
    [*each_size(page, (1280, 900))]
    assert page.evaluate(OUTSIDE) == 0, "what nobody has moved is fitted anew"
    page = opened("scored", (1280, 800))
    page.evaluate(SELECT, page.evaluate(LAST, "EdgeSelection"))  # which is not used: what is folded opens
    press(page, "Escape")
    overview = page.get_by_role("application", name="Overview of the graph")
    assert page.evaluate(OUTSIDE)
    assert page.evaluate(COVERED, overview.bounding_box()) == []
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
    press(page, "f")
    expect(overview).to_be_hidden()


def test_the_graph_is_searched_for_what_says_a_word(opened):
    page = opened("facts", (468, 900))
    page.locator(".pe-canvas").focus()
    page.keyboard.press("/")
    box = page.get_by_role("searchbox", name="Find in graph")
    expect(box).to_be_focused()
    box.fill("tank")
    box.press("Enter")
    assert "tank" in page.evaluate(LABELS).lower(), "what says it itself comes before what tells of it"
    box.fill("probe")
    found = poll(page, FOUND, lambda found: any(says for _, says in found))
    assert {kind for kind, says in found if not says} <= {"Rest"}, "or what it is folded into"
    count = re.search(r"(\d+)( found)?$", page.locator(".pe-find-count").inner_text())[1]  # "3 found", "2 of 3"
    assert int(count) == sum(says for _, says in found) >= 3
    box.press("Escape")
    expect(box).to_be_hidden()


def test_under_the_mouse_a_label_that_is_cut_is_read_whole_beside_its_box(opened):
    page = opened("facts", (1600, 1000))
    page.evaluate(SELECT, page.evaluate(LAST, "EdgeSelection"))
    painted(page)
    node = page.evaluate(CUT)
    page.evaluate("() => document.querySelector('.pe-graph').scrollIntoView()")
    x, y = point_at(page, node)
    for step in (4, 0):
        page.mouse.move(x + step, y)
    tip = page.locator(".pe-canvas .vis-tooltip")
    tip.wait_for()
    assert node not in page.evaluate(COVERED, tip.bounding_box())


def test_what_is_brought_in_comes_to_rest_however_large_the_canvas(opened):
    opened("team").evaluate(BROUGHT_IN.replace("POINT", POINT))


def test_what_is_kept_and_each_fact_light_what_rests_on_them_and_lines_lead_there(opened):
    for name, least in (("facts", 3), ("passages", 2)):
        missing, more, said = opened(name, (1280, 800)).evaluate(KEPT_LIT)
        assert (missing, more) == ([], [])
        assert said >= least
    found = opened("facts", (1280, 800)).evaluate(BEARS)
    assert any(recorded for recorded, *_ in found)
    for recorded, lit, told, beside in found:
        assert lit == recorded
        assert sorted({*told}) == sorted({*beside}), "from the passage, for all facts that were read in it"
        assert {*recorded} <= {*told}


@each("name", ODD)
def test_an_odd_answer_is_whole_readable_and_followed_sentence_by_sentence(opened, name):
    page = opened(name, (1280, 800))
    assert smallest(page) >= LEAST
    _, sentences, numbers = ODD[name]
    assert page.evaluate(SENTENCES) == sentences
    answer = page.locator(".pe-answer")
    expect(answer.locator(".pe-claim")).to_have_count(sentences)
    expect(answer.locator(".pe-cite")).to_have_count(numbers)
    answer.locator(".pe-claim").last.click()
    expect(page.locator(".pe-detail")).to_contain_text(f"Sentence {sentences}")
    assert page.evaluate(CROSSED)[0] == []
    more = [text for text in painted(page) if re.fullmatch(r"\+\d+", text)]
    assert bool(more) == (name == "cites 40 facts"), "of ten numbers in a box it says how many are not shown"
    press(page, "f")
    assert page.evaluate(OUTSIDE) == 0


def test_a_run_within_a_run_within_a_run_unfolds_in_place_and_folds_again(opened):
    page = opened("runs within", (1280, 800))
    let_go(page)
    drawn = [page.evaluate(PLACED)]
    for fold in ("run:t-1", "run:t-1-search"):
        page.mouse.dblclick(*point_at(page, fold))
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
    page.locator(".pe-canvas").focus()
    for level, places in zip(("run:t-1", ""), drawn[1::-1], strict=True):
        while page.evaluate(LEVEL) != level:
            page.keyboard.press("Escape")
        assert page.evaluate(PLACED) == places


@each("name", ["agent", "team"])
def test_a_run_that_unfolds_fits_its_canvas_when_presented_and_the_slider_has_marks_of_its_own(opened, runs, name):
    page = opened(name, (1280, 800))
    present(page)
    page.evaluate(SELECT, page.evaluate(LAST, "EdgeSelection"))
    assert smallest(page) >= LEAST
    sideways = """() => {
        const { here, outline } = document.querySelector(".pe").explorer;
        const { width } = document.querySelector(".pe-canvas").getBoundingClientRect();
        return here().filter(({ id }) => outline(id).right > width + 1 || outline(id).left < -1).length;
    }"""
    assert page.evaluate(sideways) == 0
    page = opened(name)
    page.evaluate(SELECT, page.evaluate(LAST, "EdgeSelection"))
    ticks = page.locator(".pe-controls .pe-marks span").all_inner_texts()
    assert ticks[0] == "Question"
    dag = runs[name].dag
    own = Counter(kind(one.kind).word for one in dag.nodes() if session_of(one.iri) == session_of(dag.final.iri))
    assert len(ticks) > 1
    assert Counter(ticks) <= own, "no more often than the run itself has such a stage, and none of the search within"


def test_a_fold_opens_with_its_head_and_closes(opened):
    page = opened("scored")
    page.evaluate(SELECT, page.evaluate(LAST, "Rest"))
    assert "Close, not used" not in painted(page)
    page.locator(".pe-detail").get_by_role("button", name="Unfold", exact=True).click()
    assert "Close, not used" in painted(page), "its facts have a head of their own"
    page.locator(".pe-detail").get_by_role("button", name="Fold", exact=True).click()
    page.locator(".pe-detail").get_by_role("button", name="Unfold", exact=True).wait_for()
