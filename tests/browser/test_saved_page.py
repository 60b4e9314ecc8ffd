"""Reports opened with no server and no kernel: looked at, walked, played, found in, printed, and saved again."""

import re
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

import pypdfium2
import pytest
from playwright.sync_api import expect

import explorer
from explorer.dag.sentences import quotations
from explorer.view.showing import Showing
from explorer.widgets.save import files as saving
from explorer.wording.graph_words import lines
from tests.browser.app import let_go, tool, unfold
from tests.browser.conftest import poll
from tests.each import each

DOCUMENTS = Path(__file__).parents[2] / "sample_data" / "apollo13" / "documents"
QUESTION = "What voltage were the thermostatic switches rated for?"
BAD = "</script><script>window.hacked=1</script> <img src=x onerror=window.hacked=1>"
HOSTILE = f"Why did the tank fail {BAD} \u2028 \u202eabc שלום 🚀 " + "tank and heaters " * 580
TEXT = f"The tank {BAD} was rated for 28 volts \u2028 here. The tank failed as \u202ethe heaters welded shut 🚀.\n"
MARKED = "() => [...document.querySelectorAll('.pe-desk mark.mine')].map((mark) => mark.textContent).join('')"
# Each button that is in sight, with each of these on show, is pressed once: by what it says, those after which nothing
# was drawn, moved or told.
IDLE = """async (kinds) => {
    const root = document.querySelector(".pe"), { explorer } = root, { store } = explorer;
    const frame = () => new Promise(requestAnimationFrame);
    const nodes = [...store.nodes.values()], first = kinds.map((kind) => nodes.find((node) => node.kind === kind).id);
    const press = (one) => one.click();
    const reset = async (id) => {
        for (const open of root.querySelectorAll("dialog[open]")) open.close();
        root.querySelector(".pe-menu-button > [aria-expanded='true']")?.click();
        press(root.querySelector("[title^='To the end']"));
        explorer.clear();
        if (id) explorer.select(id);
        for (let i = 0; i < 4; i++) await frame();
    };
    const shown = () => [...document.querySelectorAll(".pe-app :is(button, [role='button'], summary)")].filter((one) =>
        !one.disabled && one.checkVisibility() && one.offsetParent && !one.closest(".pe-menu, .pe-keys"));
    const named = (one) => `${one.className} ${one.ariaLabel ?? one.textContent}`.trim();
    const idle = [], seen = new Set();
    for (const id of [null, ...first]) {
        await reset(id);
        for (const name of new Set(shown().map(named))) {
            if (seen.has(name)) continue;
            seen.add(name);
            await reset(id);
            const one = shown().find((each) => named(each) === name);
            if (!one) continue;
            let changes = 0;
            const watch = new MutationObserver((all) => (changes += all.length));
            watch.observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
            const deaf = store.listen(() => (changes += 1));
            const scrolled = () => [...root.querySelectorAll(".pe-body")].map(({ scrollTop }) => scrollTop);
            const place = () => JSON.stringify([explorer.outline(nodes[0].id), ...scrolled()]);
            const before = place();
            press(one);
            for (let i = 0; i < 20 && !changes && place() === before; i++) await frame();
            if (!changes && place() === before) idle.push(name);
            watch.disconnect();
            deaf();
        }
    }
    return [idle, [...seen]];
}"""
STORE = "document.querySelector('.pe').explorer.store"


@dataclass
class Run:
    """A saved run, and what it should show."""

    showing: Showing
    path: Path

    def passages(self):
        return {node.iri: node.passages[0].text for node in self.showing.dag.nodes("Passage")}

    def marked(self):
        """Return what is marked of each passage: the sentences that are quoted from it, else all of it."""
        spans = {iri: quotations(self.showing.dag, self.showing.dag.node(iri).passages[0]) for iri in self.passages()}
        return {
            iri: "".join(text[start:end] for start, end in spans[iri]) or text for iri, text in self.passages().items()
        }

    def first_fact(self):
        return self.showing.dag.nodes("EdgeSelection")[0]


def save(ws, question, path):
    showing = Showing()
    showing.begin()
    for event in ws.ask(question):
        showing.apply(event)
    showing.end("done", "Ended")
    path.write_text(saving.saved(showing, ws, "html").text, "utf-8", newline="")
    return Run(showing, path)


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """A plain run, and one with markup in its question and in a document."""
    folder = tmp_path_factory.mktemp("saved")
    bad = folder / "hostile.txt"
    bad.write_text(TEXT + "The tank holds oxygen. " * 450, "utf-8")
    with explorer.open() as ws:
        ws.ingest(DOCUMENTS / "investigation-report.pdf", DOCUMENTS / "tank-history.md", bad, progress=False)
        runs = {
            "plain": save(ws, QUESTION, folder / "plain.html"),
            "hostile": save(ws, HOSTILE, folder / "hostile.html"),
        }
        several = folder / "several.html"
        several.write_text(ws.report(*(one.iri for one in ws.traces.list())), "utf-8", newline="")
        return {**runs, "several": Run(runs["hostile"].showing, several)}


@pytest.fixture
def opened(page, runs):
    """opened("plain"): the file in the browser, drawn."""

    def open_file(name):
        asked = []
        page.on("request", lambda request: asked.append(request.url))
        page.goto(runs[name].path.as_uri())
        nodes = str(len(runs[name].showing.snapshot(whole=True)["nodes"]))
        poll(page, "() => document.querySelector('.pe')?.dataset.nodes", nodes)
        assert [url for url in asked if not url.startswith(("blob:", "data:"))] == [runs[name].path.as_uri()]
        return runs[name]

    return open_file


def select(page, iri):
    page.evaluate("(id) => document.querySelector('.pe').explorer.select(id)", iri)


def test_a_fact_and_a_citation_lead_to_their_words_and_the_record_is_in_the_file(page, opened):
    run = opened("plain")
    tool(page, "List")
    subject = lines(run.showing.dag, run.first_fact())[0].lstrip("1 ")
    page.locator(".pe-list button", has_text=f"Fact: {subject}").first.click()
    expect(page.locator(".pe-desk mark.mine")).to_have_count(1)
    assert page.evaluate(MARKED) == run.first_fact().passages[0].text
    page.locator(".pe-answer .pe-cite").first.click()
    assert page.evaluate(MARKED) in run.passages().values()
    assert "28 V DC" in page.evaluate(MARKED)
    boxes = page.locator(".pe-paper .pe-box")
    expect(boxes.first).to_be_visible()
    inside = """box => {
        const [own, picture] = [box, box.parentElement.querySelector("img")].map((one) => one.getBoundingClientRect());
        return own.left >= picture.left && own.right <= picture.right && own.bottom <= picture.bottom;
    }"""
    assert all(one.evaluate(inside) for one in boxes.all()), "framed where they stand on the picture of their page"
    select(page, run.first_fact().iri)
    unfold(page)
    page.locator("summary", has_text="Record").click()
    expect(page.locator(".pe-raw td", has_text="tg:EdgeSelection")).to_be_visible()
    expect(page.locator(".pe-about")).to_contain_text("new questions are asked in the app", use_inner_text=True)
    page.evaluate(f"{STORE}.send({{ t: 'ask', question: 'More?' }})")
    expect(page.locator(".pe-about")).to_contain_text("open the run in the app", use_inner_text=True)


IN_SIGHT = """async () => {
    const { explorer } = document.querySelector(".pe"), { store } = explorer;
    const before = new Set(store.frames.slice(0, store.at).flatMap(({ nodes = [] }) => nodes.map(({ id }) => id)));
    const came = (store.frames[store.at].nodes ?? []).find(({ id }) => !before.has(id));
    if (!came || !explorer.here().some(({ id }) => id === came.id)) return null;
    await new Promise((done) => setTimeout(done, 400));
    const { top, bottom } = explorer.outline(came.id);
    return top >= 0 && bottom <= document.querySelector(".pe-canvas").clientHeight + 1;
}"""


def test_the_run_is_played_and_the_view_follows_what_each_event_brings_forwards_and_back(page, opened):
    page.set_viewport_size({"width": 1280, "height": 700})
    opened("plain")
    expect(page.locator(".pe-controls b")).to_have_text(re.compile(r"^Event (\d+) of \1$"))
    nodes, last = page.evaluate(f"() => [{STORE}.nodes.size, {STORE}.frames.length - 1]")
    page.get_by_role("button", name="To the beginning").click()
    poll(page, f"() => {STORE}.nodes.size", 0)
    seen = []
    for name, times in (("One event on", last - 1), ("One event back", last - 2)):
        for _ in range(times):
            page.get_by_role("button", name=name).click()
            seen.append(page.evaluate(IN_SIGHT))
    assert seen.count(True) > 10
    assert False not in seen
    page.get_by_role("button", name="To the beginning").click()
    page.get_by_label("Speed").select_option("4×")
    page.get_by_role("button", name="Play", exact=True).click()
    poll(page, f"() => {STORE}.nodes.size", nodes)
    expect(page.locator(".pe-answer .pe-cite").first).to_be_visible()


def test_printed_a_picture_and_lists_stand_in_the_place_of_the_view_on_pages_of_a4(page, opened):
    run = opened("plain")
    fact = page.locator(".pe-print > ul > li", has_text=run.first_fact().passages[0].text)
    expect(fact.first).to_be_hidden()
    rows = page.locator(".pe-print > ul > li").all_text_contents()
    with pypdfium2.PdfDocument(page.pdf(prefer_css_page_size=True)) as printed:
        assert {(round(one.get_width()), round(one.get_height())) for one in printed} == {(595, 842)}  # points of A4
        words = "".join("".join(one.get_textpage().get_text_bounded().split()) for one in printed)
    assert len(rows) > 3
    for text in (QUESTION, run.first_fact().passages[0].text, *rows):
        assert "".join(text.split()) in words
    page.emulate_media(media="print", color_scheme="dark")
    expect(page.locator(".pe-place")).to_be_hidden()
    expect(fact.first).to_be_visible()
    expect(page.locator(".pe-print img").first).to_be_visible()


def test_each_of_several_runs_is_opened_as_one_comes_near_it(page, opened):
    opened("several")
    expect(page.locator(".pe-about h1")).to_have_count(2)
    page.locator("#run-2 .pe-about").scroll_into_view_if_needed()
    page.locator("#run-2 .pe-answer .pe-cite").first.click()
    words = page.locator("#run-2 .pe-desk mark.mine").first.text_content()
    assert words in page.locator("#run-2 .pe-answer").inner_text()


@each("name", ["plain", "hostile"])
def test_every_passage_opens_at_its_words(page, opened, name):
    run = opened(name)
    shown = {}
    for iri in run.passages():
        select(page, iri)
        shown[iri] = page.evaluate(MARKED)
    assert shown == run.marked()
    expect(page.locator(".pe-trouble")).to_have_count(0)


def test_markup_in_question_and_documents_stays_text(page, opened):
    run = opened("hostile")
    assert any("</script>" in text for text in run.passages().values())
    assert page.locator(".pe-about h1").text_content() == HOSTILE.strip()
    assert page.evaluate("window.hacked ?? null") is None
    expect(page.locator("img[src=x]")).to_have_count(0)
    expect(page.locator("script")).to_have_count(2)


IN_WINDOW = """all => all.every((one) =>
    one.scrollWidth <= one.clientWidth + 1 && one.getBoundingClientRect().right <= innerWidth)"""


def test_at_home_on_a_phone_question_answer_and_graph_come_first_and_all_can_be_read(page, opened):
    page.set_viewport_size({"width": 844, "height": 390})
    opened("plain")
    page.set_viewport_size({"width": 390, "height": 844})  # turned, nothing is lost
    expect(page.locator(".pe-controls")).to_be_visible()
    tops = [
        page.locator(one).bounding_box()["y"]
        for one in ("h1", ".pe-answer p", ".pe-controls", ".pe-canvas", ".pe-told")
    ]
    assert tops == sorted(tops)
    assert tops[3] < 700
    player, graph = (page.locator(one).bounding_box() for one in (".pe-replay", ".pe-graph"))
    assert abs(player["y"] + player["height"] - graph["y"]) <= 1, "what plays the graph stands right above it"
    expect(page.locator(".pe-about dt", has_text="Record")).to_be_hidden()
    page.get_by_text("How it was made").click()
    expect(page.locator(".pe-about dt", has_text="Record")).to_be_visible()
    answer = page.locator(".pe-answer .pe-body")
    assert answer.evaluate("one => one.scrollHeight <= one.clientHeight"), "it is not cut"
    told = page.locator(".pe-told")
    for stage in ("Question", "Key ideas", "Looked at", "Kept", "Answer", "Why?"):
        expect(told).to_contain_text(stage)
    cells = page.locator(".pe-claims td:not(:empty)")
    assert cells.evaluate_all("all => all.every((one) => one.clientWidth > 300)")
    assert page.locator(".pe-claims td, .pe-told dd").evaluate_all(IN_WINDOW)
    page.emulate_media(media="print")
    expect(page.locator(".pe-about dt", has_text="Record")).to_be_visible()


def test_every_button_does_something(page, opened):
    opened("plain")
    idle, pressed = page.evaluate(IDLE, ["Synthesis", "Sentence", "EdgeSelection", "NotKept", "Passage"])
    assert len(pressed) > 40, pressed
    assert idle == []


def test_matches_are_counted_walked_and_cleared_also_those_that_arrive(page, opened):
    opened("plain")
    let_go(page)
    tool(page, "Find")
    box = page.get_by_role("searchbox", name="Find in graph")
    count = page.locator(".pe-find-count")
    box.fill("THERMOSTATIC  switches")
    expect(count).to_have_text(re.compile(r"^\d+ found$"))
    number = int(count.inner_text().split()[0])
    found = page.evaluate(f"[...{STORE}.found].filter((id) => {STORE}.nodes.get(id).kind !== 'Rest')")
    assert len(found) == number > 2, "and what some of them are folded into is framed with them"
    for key, at in (("Enter", 1), ("ArrowDown", 2), ("ArrowUp", 1), ("Shift+Enter", number)):
        box.press(key)
        expect(count).to_have_text(f"{at} of {number}", use_inner_text=True)
        assert page.evaluate(f"{STORE}.selected") in found
    box.fill("no such words")
    expect(count).to_have_text("none", use_inner_text=True)
    assert page.evaluate(f"{STORE}.found") is None
    selected = page.evaluate(f"{STORE}.selected")
    box.press("Escape")
    expect(box).to_be_hidden()
    expect(page.locator(".pe-canvas")).to_be_focused()
    assert page.evaluate(f"{STORE}.selected") == selected
    page.keyboard.press("/")
    expect(box).to_have_value("")
    box.fill("newcomer")
    expect(page.locator(".pe-find-count")).to_have_text("none", use_inner_text=True)
    page.evaluate(f"""() => {{
        const store = {STORE};
        const [like] = store.nodes.values();
        const vis = {{ ...like.vis, y: like.vis.y + 100 }};
        const node = {{ ...like, id: "urn:new", vis, lines: [["k", "Question"], ["n", "A Newcomer"]] }};
        store.nodes.set(node.id, node);
        store.tell("grown", {{ nodes: [node], arcs: [] }});
    }}""")
    expect(page.locator(".pe-find-count")).to_have_text("1 found", use_inner_text=True)
    assert page.evaluate(f"[...{STORE}.found]") == ["urn:new"]
    box.press("Enter")
    expect(page.locator(".pe-find-count")).to_have_text("1 of 1", use_inner_text=True)
    assert page.evaluate(f"{STORE}.selected") == "urn:new"


def test_a_menu_walked_by_keys_saves_the_whole_drawing_in_the_theme_of_the_machine(page, opened, tmp_path):
    opened("plain")
    let_go(page)
    opener = page.get_by_role("button", name="Save, find")
    menu = page.get_by_role("menu", name="Copy, save, find, zoom")
    opener.press("ArrowDown")
    expect(opener).to_have_attribute("aria-expanded", "true")
    focused = "() => document.activeElement.querySelector('b').textContent"
    poll(page, focused, "Copy")
    page.keyboard.press("ArrowUp")
    poll(page, focused, "Signs")
    page.keyboard.press("Escape")
    expect(menu).to_be_hidden()
    expect(opener).to_have_attribute("aria-expanded", "false")
    expect(opener).to_be_focused()
    opener.click()
    expect(menu).to_be_visible()
    page.locator(".pe-about h1").click()
    expect(menu).to_be_hidden()
    for theme, ground in (("dark", "rgb(33, 33, 33)"), ("light", "rgb(255, 255, 255)")):
        page.emulate_media(color_scheme=theme)
        poll(page, "() => document.querySelector('.pe').dataset.theme", theme)
        assert page.locator(".pe").evaluate("(pe) => getComputedStyle(pe).backgroundColor") == ground
    size = page.evaluate("""() => {
        const nodes = document.querySelector(".pe").explorer.here();
        return [Math.max(...nodes.map((node) => node.vis.x)), Math.max(...nodes.map((node) => node.vis.y))];
    }""")
    with page.expect_download() as download:
        tool(page, "Save as PNG")
    download.value.save_as(tmp_path / "drawing.png")
    assert download.value.suggested_filename == "What-voltage-were-the-thermostatic-switches-rated-for.png"
    expect(page.locator(".pe-saved")).to_contain_text("Saved as What-voltage", use_inner_text=True)
    colours = colours_of(tmp_path / "drawing.png")
    assert colours["size"][0] > 2 * size[0]
    assert colours["size"][1] > 2 * size[1]
    assert colours["corner"] == (255, 255, 255, 255)
    assert {(11, 90, 143), (253, 238, 203), (11, 107, 75)} <= colours["all"]  # Question, facts and the answer below
    with page.expect_download() as download:
        tool(page, "Save as SVG")
    download.value.save_as(tmp_path / "drawing.svg")
    assert ET.parse(tmp_path / "drawing.svg").getroot().tag.endswith("svg")


def colours_of(path):
    from PIL import Image

    with Image.open(path) as image:
        whole = image.convert("RGBA")
        seen = {colour[:3] for _, colour in whole.getcolors(1 << 24)}
        return {"size": whole.size, "corner": whole.getpixel((0, 0)), "all": seen}
