"""The app in Notebook 7, by the command of the docs: the same walk as in JupyterLab, shorter."""

import re

import pytest

from tests.browser import jupyter
from tests.browser.app import QUESTION, WATCH_COUNTS, ask, marked, passages_of, recorded
from tests.browser.conftest import open_in, run_all
from tests.pages import PAGES, commands

NOTEBOOK = jupyter.NOTEBOOKS / "01_explore.ipynb"
# Notebook 7.6.5 throws this once with every notebook, also with one that was never run: a plugin's settings are told of
# while they are still being loaded, and the listener for keyboard shortcuts looks for them among those that are there.
ITS_OWN = re.compile(r"Cannot read properties of undefined \(reading 'schema'\)\n.*/static/notebook/", re.DOTALL)


@pytest.fixture(scope="module")
def notebook7(tmp_path_factory):
    """The server that the docs name; the notebook of their command is the one of the test."""
    [(_, app, path)] = commands("jupyter", PAGES["docs/python/app.md"])
    assert NOTEBOOK.as_posix().endswith(path)
    running = jupyter.start(tmp_path_factory.mktemp("notebook7"), app=app)
    yield running
    running.stop()


@pytest.mark.usefixtures("fresh")
def test_ask_watch_and_click_to_the_words(page, notebook7, seen):
    open_in(notebook7, page, NOTEBOOK)
    run_all(page)
    page.locator(".pe .pe-canvas").wait_for()
    page.evaluate(WATCH_COUNTS)
    ask(page, QUESTION)
    counts = [int(count) for count in page.evaluate("() => window.counts")]
    assert len(set(counts)) >= 4
    assert counts == sorted(counts)

    page.locator(".pe-answer .pe-cite").last.click()
    assert marked(page) in passages_of(recorded())
    own = [error for error in seen.errors if ITS_OWN.match(error)]
    assert len(own) <= 1
    for error in own:
        seen.errors.remove(error)
