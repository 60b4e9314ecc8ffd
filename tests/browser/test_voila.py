"""Voilà, started as the docs say: a class sees a run on a projector, follows it to the words, and it is presented."""

import contextlib
import re

import pytest
from playwright.sync_api import TimeoutError, expect

from tests.browser import jupyter
from tests.browser.app import QUESTION, leave_present, marked, present, press_ask
from tests.browser.conftest import ENDED, PATIENCE, boxes, poll, rest, write_notebook
from tests.browser.test_documents import LARGE
from tests.pages import PAGES, commands

# Voilà 0.5.13: its pages ask for icons of its own, and for what Notebook has added to JupyterLab.
ICONS = re.compile(r"https://cdn\.jsdelivr\.net/npm/(?:@fortawesome/fontawesome-free|font-awesome)@")
ITS_OWN = re.compile(rf"{ICONS.pattern}|@jupyter-notebook/lab-extension")
IN_SIGHT = """() => [...document.querySelectorAll(".pe-source mark.mine")].every((one) => {
    const { top, bottom } = one.getBoundingClientRect();
    return top >= 0 && bottom <= innerHeight;
})"""


@pytest.fixture
def documented(tmp_path):
    """documented(number): a Voilà started by this one of the commands that the docs give for it, on a free port."""
    running = []

    def started(number):
        _, *words = [*commands("voila", PAGES["docs/python/app.md"])][number]
        folder = tmp_path / str(number)
        folder.mkdir()
        while running:
            running.pop().stop()
        running.append(jupyter.start_voila(folder, [word for word in words if not word.startswith("--port=")]))
        return running[-1]

    yield started
    for one in running:
        one.stop()


def notebooks_listed(page, url):
    """The notebooks that Voilà's list names: it comes up empty now and then, and then a reader loads it again."""
    names = page.get_by_text(re.compile(r"^\w+\.ipynb$"))
    for _ in range(3):
        page.goto(url)
        with contextlib.suppress(TimeoutError):
            names.first.wait_for(timeout=PATIENCE * 1000 / 3)
            break
    return set(names.all_inner_texts())


def opened(page, seen, url):
    """Open a notebook: now and then Voilà asks for a widget before it has heard of it ("widget model not found") and
    shows nothing; then a reader loads it again.
    """
    for _ in range(3):
        page.goto(url, timeout=PATIENCE * 1000)
        with contextlib.suppress(TimeoutError):
            page.locator(".pe-app").first.wait_for(timeout=PATIENCE * 1000 / 3)
            return
        seen.console.clear()


def test_a_class_sees_a_run_on_a_projector_and_follows_it_to_the_words(page, seen, documented):
    page.set_viewport_size({"width": 1920, "height": 1080})
    assert notebooks_listed(page, documented(0).url) == {path.name for path in jupyter.NOTEBOOKS.glob("*.ipynb")}
    seen.console.clear()  # its list is not ours

    opened(page, seen, documented(1).url)
    page.locator(".pe .pe-canvas").wait_for()
    picture = "() => document.querySelector(\"img[alt^='The app: ']\")"
    poll(page, f"() => {{ const one = ({picture})(); return one?.complete && one.naturalWidth > 800; }}", True)
    expect(page.locator(".pe-copy"), "beside the app it is not needed").to_be_hidden()
    expect(page.get_by_text("import explorer"), "a class sees no code").to_be_hidden()
    page.locator(".pe-app").scroll_into_view_if_needed()
    press_ask(page, QUESTION)
    poll(page, ENDED, True)
    page.locator(".pe-answer .pe-cite").first.click()
    words = marked(page)
    assert words
    rest(page)
    graph, pane = boxes(page, ".pe .pe-graph", ".pe .pe-pane")
    assert pane["x"] >= graph["x"] + graph["width"], "on a projector they stand side by side"
    page.get_by_role("tab", name="Past runs").click()
    page.locator(".pe-past .pe-runs button.pe-share").first.click()
    page.locator(".pe-controls").wait_for()
    page.get_by_role("tab", name="Ask").click()

    present(page)
    [view] = boxes(page, ".pe.presents")
    assert (view["x"], view["y"], view["width"], view["height"]) == (0, 0, 1920, 1080)
    page.locator(".pe-answer .pe-cite").first.click()
    assert marked(page) == words
    poll(page, IN_SIGHT, True)
    leave_present(page)
    seen.console[:] = [line for line in seen.console if not ITS_OWN.search(line)]
    seen.foreign[:] = [url for url in seen.foreign if not ICONS.match(url)]


def test_a_large_file_comes_over_in_pieces(page, seen, tmp_path):
    notebook = write_notebook(tmp_path / "own.ipynb", "import explorer\nexplorer.app(explorer.open(), pace=0)")
    voila = jupyter.start_voila(tmp_path, [str(notebook)])
    try:
        opened(page, seen, voila.url)
        page.locator(".pe .pe-documents").wait_for()
        large = tmp_path / "large.bin"
        large.write_bytes(bytes(range(256)) * (LARGE // 256))
        note = tmp_path / "note.txt"
        note.write_text("Beech Aircraft built the relief valve of the tank in 1966.")
        page.get_by_label("Files to add").set_input_files([large, note])
        rows = page.locator(".pe-file")
        expect(rows.filter(has_text="large.bin")).to_contain_text("not added")
        expect(page.locator(".pe-read-before")).to_contain_text("1 file was read")
        expect(page.get_by_role("tab", name="Documents 1")).to_have_count(1)
    finally:
        voila.stop()
    seen.console[:] = [line for line in seen.console if not ITS_OWN.search(line)]
    seen.foreign[:] = [url for url in seen.foreign if not ICONS.match(url)]
