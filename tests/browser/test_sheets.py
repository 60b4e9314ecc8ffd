"""What the style sheets promise, on bare pages without a kernel: what is read whole, and what says that it goes on."""

import io

import pytest
from PIL import Image

from explorer.view import assets
from tests.each import each

PAGE = "<!doctype html><html lang='en'><title>Sheets</title><main class='pe pe-app'></main>"
QUESTIONS = [
    "What voltage were the thermostatic switches of the oxygen tanks rated for when they were ordered?",
    "Who made them?",
    "Which of the two oxygen tanks had been dropped in the factory, and how far did it fall in that accident?",
    "When was the tank filled for the first time, and with what?",
]


@pytest.fixture
def sheet(page):
    page.set_content(PAGE)
    page.add_style_tag(content=assets.css())
    return page.locator("main")


@each("part", ["<section class='pe-detail'>{}</section>", "{}"])
def test_what_scrolls_has_a_shade_at_its_lower_edge_until_its_end_is_in_sight(page, sheet, part):
    name = "pe-body" if "detail" in part else "pe-list"
    lines = "<p style='margin: 0; height: 400px'></p>"
    panel = f"<div class='{name}' style='height: 120px; overflow: auto; padding: 0'>{lines}</div>"
    sheet.evaluate("(one, html) => one.innerHTML = html", part.format(panel))
    scrolled = sheet.locator(f".{name}")

    def darker():
        """How much darker the lower edge is than what is above it."""
        with Image.open(io.BytesIO(scrolled.screenshot())) as image:
            grey = image.convert("L")
            return grey.getpixel((20, 60)) - grey.getpixel((20, grey.height - 1))

    assert darker() > 15
    scrolled.evaluate("one => one.scrollTop = 100")
    assert darker() > 15, "still there"
    scrolled.evaluate("one => one.scrollTop = one.scrollHeight")
    assert darker() == 0
    scrolled.evaluate("one => one.firstElementChild.style.height = '40px'")
    assert darker() == 0, "there is no more"


@each(("width", "height"), [(320, 800), (640, 1000)])
def test_suggested_questions_are_read_whole_in_rows_that_scroll_in_a_low_window(page, sheet, width, height):
    page.set_viewport_size({"width": 1280, "height": height})
    tries = "".join(f"<button class='pe-btn small'>{question}</button>" for question in QUESTIONS)
    shown = f"<div class='pe-tried pe-row pe-wrap pe-slim pe-rigid pe-edged'>{tries}</div>"
    sheet.evaluate("(one, html) => one.innerHTML = html", f"<div style='width: {width}px'>{shown}</div>")
    bounds = sheet.locator(".pe-tried").bounding_box()
    buttons = page.get_by_role("button").all()
    is_high = height >= 960
    assert (bounds["height"] <= 66) != is_high
    for button in buttons:
        assert button.evaluate("one => one.scrollWidth <= one.clientWidth + 1")
        assert button.evaluate("one => one.scrollHeight <= one.clientHeight + 1"), "its lines have room"
        if not is_high:
            button.scroll_into_view_if_needed()
        box = button.bounding_box()
        assert bounds["x"] <= box["x"]
        assert box["x"] + box["width"] <= bounds["x"] + width + 1
        assert bounds["y"] - 1 <= box["y"]
        assert box["y"] + min(box["height"], 60) <= bounds["y"] + bounds["height"] + 1
