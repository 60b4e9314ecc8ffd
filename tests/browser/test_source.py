"""The source panel in a real browser, drawn from a page as Python sends it: cropped, zoomed, as text, enlarged."""

import base64
import io
import json
from pathlib import Path

import pytest
from PIL import Image, ImageDraw
from playwright.sync_api import expect

from explorer.drawing.looks import table
from explorer.view import assets
from tests.browser.axe import complaints
from tests.browser.conftest import rest
from tests.each import each

STATIC = Path(assets.__file__).parent / "static"
FILES = (*("dom", "words", "run_store", "source/lines", "source/source", "documents/correct", "documents/entity"),)
SCRIPT = "\n".join((STATIC / f"{name}.js").read_text("utf-8") for name in FILES)
DRAWN = """({ looks, page, png, width }) => {
    const image = png && URL.createObjectURL(new Blob([Uint8Array.from(atob(png), (one) => one.charCodeAt(0))]));
    const nodes = new Map([["p", { passage: { title: "T", where: "page 1", text: "Words\\nas recorded", note: "" } }]]);
    const sources = new Map(page ? [["p", { ...page, image }]] : []);
    const store = { looks, nodes, sources, source: { node: "p", key: "p" }, live: Boolean(page) };
    const root = document.createElement("div");
    root.className = "pe";
    root.tabIndex = -1;
    Object.assign(root.style, { width: `${width}px`, height: "420px", display: "flex", flexDirection: "column" });
    document.querySelector("main").replaceChildren(root);
    setColours(root, looks);
    const view = sourceView(store, { looking: false });
    root.append(view.root, view.enlarged.root);
    window.escaped = 0;
    root.addEventListener("keydown", ({ key }) => (window.escaped += key === "Escape"));
    view.draw();
}"""
SEEN = """(place) => {
    const desk = document.querySelector(place), room = desk.getBoundingClientRect();
    const boxes = [...desk.querySelectorAll("mark.mine")].flatMap((mark) => [...mark.getClientRects()]);
    const inside = ({ top, left, bottom, right }) =>
        top >= room.top - 1 && bottom <= room.bottom + 1 && left >= room.left - 1 && right <= room.right + 1;
    const paper = desk.querySelector(".pe-paper");
    const [sheet] = [desk.querySelector(".pe-sheet")?.getBoundingClientRect()];
    return {
        picture: paper.classList.contains("picture"),
        inside: boxes.map(inside),
        type: Math.round(boxes[0].height * 0.9),
        width: Math.round(sheet?.width ?? 0),
        cropped: sheet ? paper.getBoundingClientRect().width / sheet.width : 1,
    };
}"""
WHOLE = """(place) => {
    const desk = document.querySelector(place);
    return desk.scrollWidth <= desk.clientWidth;
}"""
SMALL, LARGE = ".pe-source .pe-desk", ".pe-large .pe-desk"


def sheet(width, height, left, boxes):
    """A page as a message, and its picture: grey words from `left` on, and a box for each of the marked lines."""
    picture = Image.new("L", (width, height), 255)
    drawn = ImageDraw.Draw(picture)
    for top in range(120, height - 120, 40):
        drawn.rectangle((left, top, width - left, top + 24), fill=120)
    png = io.BytesIO()
    picture.save(png, "PNG")
    marks = [{"x": x, "y": y, "w": w, "h": 24 / height, "text": "words ", "kind": "mine"} for x, y, w in boxes]
    ink = {"x": left / width, "y": 120 / height, "w": 1 - 2 * left / width, "h": 1 - 240 / height}
    text = [("before ", ""), ("words " * len(marks), "mine")] if marks else [("Nothing is marked.", "")]
    page = {
        "title": "A title", "sub": "PDF · page 1 of 2", "runs": text, "others": False, "note": "",
        "facts": {"from": "page", "items": [], "total": 0, "spans": []}, "neighbours": {"prev": None, "next": None},
        "page": {"width": width, "height": height, "boxes": marks, "facts": [], "ink": ink},
    }  # fmt: skip
    return page, base64.b64encode(png.getvalue()).decode()


PAGE = sheet(1100, 1556, 150, [(0.14, 0.6, 0.3)])
PAGE_WIDE = sheet(1100, 1556, 150, [(0.14, 0.6, 0.72), (0.14, 0.625, 0.72)])
FULL = sheet(1100, 1556, 150, [(0.14, 120 / 1556 + at * 40 / 1556, 0.72) for at in range(32)])
LONG = sheet(1100, 10_000, 150, [(0.14, 0.97, 0.72)])
UNMARKED = sheet(1100, 1556, 150, [])


@pytest.fixture
def opened(page):
    """opened(sheet, width): the panel so wide, with this page in it; with None the page has not come."""
    page.set_content("<!doctype html><html lang='en'><title>Source</title><body class='pe-file'><main></main>")
    page.add_style_tag(content=assets.css())
    page.add_script_tag(content=SCRIPT)

    def draw(sheet, width):
        shown, png = sheet or (None, None)
        looks = json.loads(json.dumps(table()))
        page.evaluate(DRAWN, {"looks": looks, "page": shown, "png": png, "width": width})
        rest(page)  # the panel is measured after it is drawn
        return page

    return draw


def test_a_page_is_cropped_and_its_text_comes_first_where_it_could_not_be_read(opened):
    page = opened(PAGE, 560)
    seen = page.evaluate(SEEN, SMALL)
    assert (seen["picture"], seen["inside"]) == (True, [True])
    assert seen["cropped"] < 0.8, "without its margins"
    assert seen["type"] >= 10
    page = opened(PAGE_WIDE, 560)
    assert page.evaluate(SEEN, SMALL)["inside"] == [True, True]
    assert page.evaluate(WHOLE, SMALL), "no side of it is cut off"
    page = opened(PAGE, 340)
    assert not page.evaluate(SEEN, SMALL)["picture"]
    page.get_by_role("button", name="Enlarge").click()
    rest(page)
    page.get_by_role("button", name="Text", exact=True).click()
    page.set_viewport_size({"width": 1000, "height": 600})
    rest(page)
    assert not page.evaluate(SEEN, LARGE)["picture"], "who chose the text keeps it"
    scanned = {**PAGE[0], "page": {**PAGE[0]["page"], "boxes": []}}
    page = opened((scanned, PAGE[1]), 560)
    seen = page.evaluate(SEEN, SMALL)
    assert (seen["picture"], seen["inside"]) == (False, [True]), "of a scanned page nothing can be marked"


def test_words_are_seen_on_pages_of_any_length_and_without_a_picture(opened):
    page = opened(FULL, 560)
    inside = page.evaluate(SEEN, SMALL)["inside"]
    assert inside[0], "words that fill the page begin in sight"
    assert not inside[-1]
    page = opened(LONG, 560)
    assert page.evaluate(SEEN, SMALL)["inside"] == [True]
    page.get_by_role("button", name="Enlarge").click()
    rest(page)
    assert page.evaluate(SEEN, LARGE)["inside"] == [True]
    page.keyboard.press("Escape")
    page = opened(UNMARKED, 340)
    assert page.locator(".pe-paper.picture").count() == 1, "without marked words nobody knows how small its type is"
    page = opened((PAGE[0] | {"trouble": "It could not be drawn."}, None), 560)
    assert page.evaluate(SEEN, SMALL)["inside"] == [True]
    assert page.get_by_role("button", name="Page", exact=True).count() == 0
    assert "It could not be drawn." in page.locator(".pe-source").inner_text()
    runs = [("Of sailing.\n\n", ""), ("מפליגים בישראל.", "mine"), ("\n\nThe end.", "")]
    page = opened(({**PAGE[0], "runs": runs}, None), 560)
    paper = page.locator(f"{SMALL} .words").bounding_box()
    mark = page.locator(f"{SMALL} mark.mine").bounding_box()
    assert paper["x"] + paper["width"] - (mark["x"] + mark["width"]) < 40 < mark["x"] - paper["x"], "from the right"


CODE = "```python\n# no heading\nfor each in all_of_them_and_of_all_the_others:\n    print(each)\n```"
TEXTS = {  # what is seen of a text: its runs, and for some parts what they hold
    "words that were broken to a width are one highlight": (
        [
            ("The board found out in the end what had happened to it. ", ""),
            ("Oxygen tank no.\n2 failed because of a fire that burned inside it,", "mine"),
            ("\nand for no other reason that anybody could find afterwards.\n1. An item\n12 34 a row\nTo: Dana", ""),
        ],
        {".pe-soft": ["\n", "\n"]},  # before an item and a row the line is meant
    ),
    "the indent of a line that goes on is one blank, and lines of code stay": (
        [
            ("* The report is received and is assigned to one person. This\n  person will coordinate the fix\n", ""),
            (f"{CODE}\n# Heading\n", ""),
        ],
        {".pe-soft": ["\n  "], ".pe-code": CODE.split("\n"), ".pe-bold": ["Heading"]},
    ),
    "marks of Markdown are not seen": (
        [
            ("## The ", ""),
            ("tank\nIt was **full", "mine"),
            (" of** oxygen.\n\n| Valve | psi |\n|---|---|\n| relief | 983 |\n# no\n#5 stays, 2 ** 3 too", ""),
        ],
        {
            ".pe-unseen:not(table *)": ["## ", "**", "**", "# "],
            ".pe-bold": ["The ", "tank", "full", " of", "no"],
        },
    ),
    "lines of a table are one": (
        [
            ("Readings:\n| Valve | psi |\n| --- | --- |\n", ""),
            ("| relief | 983 |", "mine"),
            ("\n| a \\| b |  |\nEnd.", ""),
        ],
        {"th": ["| Valve ", "| psi |\n| --- | --- |\n"], "td": ["| relief ", "| 983 |\n", "| a \\| b ", "|  |\n"]},
    ),
}


@each("told", TEXTS)
def test_what_is_copied_is_what_the_document_holds_however_it_is_shown(opened, told):
    runs, seen = TEXTS[told]
    page = opened((PAGE[0] | {"runs": runs}, None), 900)
    assert page.locator(".pe-paper").text_content() == "".join(text for text, _ in runs)
    marked = "".join(text for text, mark in runs if mark)
    assert "".join(page.locator("mark.mine").all_text_contents()) == marked
    for part, texts in seen.items():
        assert page.locator(part).all_text_contents() == texts
    for one in page.locator(".pe-unseen").all():
        assert one.evaluate("one => one.getBoundingClientRect().width") == 0


def test_no_column_is_narrower_than_its_words_and_a_cell_begins_at_its_top(opened):
    heads = [
        "Zone",
        "Sales",
        "Underlying",
        "Depreciation",
        "Restructuring",
        "Amortization",
        "Subscription",
        "Telephone",
    ]
    rows = [heads, ["-"] * 0, ["North America", "12,553", "2,713", "337", "44", "81", "2023-06-30", "x" * 60]]
    text = "\n".join(f"| {' | '.join(row)} |" if row else "|" + "---|" * len(heads) for row in rows)
    page = opened((PAGE[0] | {"runs": [(text, "")]}, None), 420)
    lines = """one => { const range = document.createRange(); range.selectNodeContents(one);
        return new Set([...range.getClientRects()].filter((r) => r.width > 1).map((r) => Math.round(r.top))).size }"""
    cells = page.locator(".pe-rows-read :is(th, td)")
    assert [one.evaluate(lines) for one in cells.all()][:-1] == [1] * 8 + [2] + [1] * 6
    first = """one => { const range = document.createRange(); range.selectNodeContents(one);
        return [...range.getClientRects()].find((r) => r.width > 1).top - one.getBoundingClientRect().top }"""
    assert all(one.evaluate(first) < 12 for one in cells.all())
    assert page.locator(".pe-desk").first.evaluate("one => one.scrollWidth <= one.clientWidth + 1"), "the paper scrolls"


def test_the_source_is_enlarged_over_the_window_and_escape_goes_back(opened):
    page = opened(PAGE, 560)
    small = page.evaluate(SEEN, SMALL)["type"]
    page.get_by_role("button", name="Enlarge").click()
    rest(page)
    dialog = page.get_by_role("dialog", name="Source, enlarged")
    expect(dialog.locator(".pe-desk")).to_be_focused()
    large = page.evaluate(SEEN, LARGE)
    assert large["inside"] == [True]
    assert large["type"] > 1.5 * small
    assert complaints(page, ".pe") == []
    dialog.get_by_role("button", name="Text", exact=True).click()
    assert dialog.locator("mark.mine").inner_text().strip() == "words"
    assert page.locator(".pe-source .pe-paper.picture").count() == 1, "the panel keeps its own"
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(page.locator(".pe-enlarge")).to_be_focused()
    assert page.evaluate("() => window.escaped") == 0, "what is selected stays so"
    page.locator(".pe-paper.picture").click()
    expect(dialog).to_be_visible()
    page.mouse.click(4, 4)
    expect(dialog).to_be_hidden()
    page = opened(None, 560)  # without a kernel: the words as recorded
    page.get_by_role("button", name="Enlarge").click()
    assert dialog.locator("mark.mine").text_content() == "Words\nas recorded"
    assert "Not connected: the page can't be fetched." in dialog.inner_text()
