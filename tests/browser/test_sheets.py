"""What the style sheets promise, on bare pages without a kernel: what scrolls says that it goes on."""

import io

import pytest
from PIL import Image

from explorer.view import assets
from tests.each import each

PAGE = "<!doctype html><html lang='en'><title>Sheets</title><main class='pe pe-app'></main>"


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
