"""A notebook that was saved with a run in it: opened again, trusted and not, without its kernel, and by nbconvert."""

import re
import shutil
import subprocess
import sys
from urllib.parse import urlsplit

import nbformat
import pytest
from playwright.sync_api import expect

from explorer.dag import ProvenanceDag
from explorer.wording.graph_words import lines
from tests.browser.app import QUESTION, recorded
from tests.browser.conftest import STAGE, poll, run_all, wait_for_kernel

CELL = f"""\
import explorer
app = explorer.app(explorer.demo(), pace=0)
app.ask({QUESTION!r})
app"""
WAITED = "app.wait()"
DRAWING_WIDTH = """() => {
    const [one] = document.querySelectorAll("details img[alt^='How the answer came about']");
    return one.complete ? one.naturalWidth : 0;
}"""
UNSAVED = "() => window.jupyterapp.shell.currentWidget.context.model.dirty"
LIBRARIES = {"cdnjs.cloudflare.com", "cdn.jsdelivr.net", "unpkg.com"}  # of nbconvert's own page, for what we need not


@pytest.fixture(scope="module")
def saved(browser, notebook, lab):
    """The notebook as JupyterLab has written it once its run had ended, and what was on record then."""
    page = notebook.show(CELL, WAITED)
    poll(page, "() => document.querySelector('.pe')?.dataset.state", "done")
    page.locator(".pe-copy").get_by_text("The same as a list").wait_for(state="attached")
    expect(page.locator(".pe-copy"), "beside the app it is not needed").to_be_hidden()
    page.evaluate("() => window.jupyterapp.commands.execute('docmanager:save')")
    poll(page, UNSAVED, False)
    trace = recorded()
    assert notebook.seen.complaints() == []
    browser.clear()  # no other kernel holds the demo workspace
    return shutil.copyfile(lab.root / STAGE, lab.root / "saved.ipynb"), trace


def check_copy(page, trace):
    """In place of the app, open: the drawing, and all that is in it as a list of words."""
    copy = page.locator("details", has_text="Saved copy of this run")
    expect(page.get_by_text(re.compile("Error displaying widget|Loading widget")).filter(visible=True)).to_have_count(0)
    drawing = copy.locator("img[alt^='How the answer came about']")
    drawing.scroll_into_view_if_needed()
    poll(page, DRAWING_WIDTH, lambda width: width > 300)
    copy.get_by_text("The same as a list").click()
    expect(copy).to_contain_text(QUESTION, use_inner_text=True)
    text = copy.inner_text()
    dag = ProvenanceDag().fold(trace.events)
    for fact in dag.nodes("EdgeSelection"):
        assert all(line in text for line in lines(dag, fact)), lines(dag, fact)


def test_opened_again_it_shows_the_graph_and_its_words_until_its_cell_is_run(page, seen, saved, lab):
    path, trace = saved
    page.goto(lab.address(path.name))
    wait_for_kernel(page)
    page.get_by_text("Saved copy of this run").wait_for()
    check_copy(page, trace)
    run_all(page)
    page.locator(".pe .pe-canvas").wait_for()
    expect(page.locator(".pe-copy")).to_be_hidden()
    seen.console[:] = [line for line in seen.console if "model not found" not in line]  # what ipywidgets says to itself


def test_opened_untrusted_it_still_shows_the_graph_and_its_words(page, saved, lab):
    path, trace = saved
    notebook = nbformat.read(path, as_version=4)
    notebook.metadata["from"] = "somebody else"  # so what JupyterLab signed is no longer what stands there
    nbformat.write(notebook, path.with_name("untrusted.ipynb"))
    page.goto(lab.address("untrusted.ipynb"))
    poll(page, "() => window.jupyterapp?.shell?.currentWidget?.content?.model?.cells?.length ?? 0", 2)
    page.get_by_text("Saved copy of this run").wait_for()
    trusted = "() => window.jupyterapp.shell.currentWidget.content.widgets.map((cell) => cell.model.trusted)"
    assert page.evaluate(trusted) == [False, False]
    check_copy(page, trace)


def test_nbconvert_shows_the_graph_and_its_words_offline(page, seen, saved, tmp_path):
    path, trace = saved
    made = tmp_path / "saved.html"
    command = [sys.executable, "-m", "nbconvert", "--to", "html", "--output", str(made), str(path)]
    subprocess.run(command, check=True, capture_output=True)
    page.goto(made.as_uri())
    check_copy(page, trace)
    assert {urlsplit(url).hostname for url in seen.foreign} <= LIBRARIES
    for said in (seen.foreign, seen.console, seen.errors):  # nbconvert's page can't do without what it asks for
        said.clear()
