"""Kernels that die, start anew or are busy, and pages that are loaded in the middle of a run."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.app import FIRST_FACT, QUESTION, ask, heading, marked, passages_of, press_ask, recorded, until_ended
from tests.browser.conftest import (
    ENDED,
    RUN,
    held,
    poll,
    reload,
    run_all,
    run_new_cell,
    wait_for_kernel,
    write_notebook,
)

SLOW = """
import explorer
app = explorer.app(explorer.demo(), pace={pace})
app
"""
WORDS = "Not connected: you can look around, but not ask. Run the cell again."
SELECTED_SEEN = """() => {  // whether what is selected is wholly on the canvas
    const { store, outline } = document.querySelector(".pe").explorer;
    const { width, height } = document.querySelector(".pe-canvas").getBoundingClientRect();
    const { left, top, right, bottom } = outline(store.selected);
    return left >= -1 && top >= -1 && right <= width + 1 && bottom <= height + 1;
}"""
NODES = "() => document.querySelector('.pe')?.explorer?.store.nodes.size ?? 0"
STATE = "() => document.querySelector('.pe').explorer.store.state"
KERNEL = "window.jupyterapp.shell.currentWidget.sessionContext.session.kernel"
# Whatever Lab had asked a kernel that starts anew: nobody catches its own error (jupyterlab/jupyterlab#9521).
LABS_OWN = re.compile(r"Canceled future for \w+_request message before replies were done")
WATCH_LINE = """() => {
    const told = document.querySelector(".pe-offline");
    window.line = [];
    new MutationObserver(() => window.line.push(told.hidden)).observe(told, { attributes: true });
}"""


@pytest.fixture
def opened(page, seen, open_notebook, tmp_path):
    """opened(pace): an app in which each step stays for so many seconds."""

    def open_app(pace):
        open_notebook(page, write_notebook(tmp_path / "kernel.ipynb", SLOW.format(pace=pace)))
        run_all(page)
        page.locator(".pe .pe-canvas").wait_for()
        return page

    yield open_app
    for said in (seen.errors, seen.console):
        said[:] = [line for line in said if not LABS_OWN.search(line)]


@pytest.fixture
def shared(stage):
    """shared(pace): such an app in the page that tests share."""
    yield lambda pace: stage.show(SLOW.format(pace=pace))
    assert stage.seen.complaints() == []


def begin(page, nodes=6):
    """Ask, and wait until the run has come so far."""
    before = page.evaluate(RUN)
    press_ask(page, QUESTION)
    poll(page, f"() => ({RUN})() !== {before!r} && ({NODES})() >= {nodes}", True)
    assert page.evaluate(STATE) == "running"


def execute(page, code):
    """Run code beside the cells, without waiting for its end."""
    page.evaluate(f"code => void {KERNEL}.requestExecute({{ code }})", code)


def first_fact(page):
    """Open the first fact that has come, and give the words it was taken from."""
    page.evaluate(
        """() => {
            const { store, select } = document.querySelector(".pe").explorer;
            store.unfolds = true;
            select([...store.nodes.values()].find(({ kind }) => kind === "EdgeSelection").id);
        }"""
    )
    expect(heading(page)).to_have_text(FIRST_FACT)
    expect(page.locator(".pe-source mark.mine").first).to_be_attached()
    return "".join(page.locator(".pe-source mark.mine").all_text_contents())


def lost(page):
    page.locator(".pe-offline").get_by_text(WORDS).wait_for()
    expect(page.locator(".pe-go")).to_be_hidden()


def test_a_lost_line_is_told_until_it_is_back_and_a_lost_kernel_and_looking_goes_on(opened):
    slow = opened(0.4)
    slow.evaluate(WATCH_LINE)
    slow.evaluate(f"() => void {KERNEL}.reconnect()")
    poll(slow, "() => window.line.includes(false)", True)
    poll(slow, "() => window.line.at(-1)", True)
    expect(slow.locator(".pe-offline")).to_be_hidden()
    expect(slow.locator(".pe-go")).to_be_visible()

    begin(slow, nodes=14)
    seen = slow.evaluate(NODES)
    execute(slow, "import os, signal; os.kill(os.getpid(), signal.SIGTERM if os.name == 'nt' else signal.SIGKILL)")
    lost(slow)
    assert slow.evaluate(NODES) >= seen
    assert first_fact(slow)
    slow.locator(".jp-Dialog .jp-mod-accept").click()  # Lab's own word about the kernel
    wait_for_kernel(slow)
    expect(slow.locator(".pe-offline"), "the new kernel knows nothing of this app").to_be_visible()
    slow.get_by_role("button", name="Enlarge").click()
    enlarged = slow.get_by_role("dialog", name="Source, enlarged")
    expect(enlarged.locator("mark.mine").first).not_to_be_empty()
    expect(enlarged).to_contain_text("Not connected")
    slow.keyboard.press("Escape")
    expect(enlarged).to_be_hidden()

    run_all(slow)
    expect(slow.locator(".pe")).to_have_count(1)
    slow.locator(".pe .pe-canvas").wait_for()
    expect(slow.locator(".pe-offline")).to_be_hidden()
    ask(slow, QUESTION)
    expect(slow.locator(".pe")).to_have_attribute("data-state", "done")

    assert first_fact(slow)
    marked(slow)
    slow.get_by_role("button", name="Enlarge").click()
    expect(enlarged).to_be_visible()
    page = enlarged.inner_text()
    assert len(page) > 250
    slow.evaluate(f"() => void {KERNEL}.restart()")
    lost(slow)
    assert enlarged.inner_text() == page
    slow.keyboard.press("Escape")
    expect(enlarged).to_be_hidden()
    wait_for_kernel(slow)
    expect(slow.locator(".pe-offline")).to_be_visible()
    assert first_fact(slow) in passages_of(recorded())


def test_a_busy_kernel_keeps_nobody_from_looking(shared, tmp_path):
    slow = shared(0.4)
    begin(slow, nodes=14)
    with held(slow, tmp_path):
        words = first_fact(slow)
        assert words
    until_ended(slow)
    poll(slow, SELECTED_SEEN, True)  # all was drawn anew
    trace = recorded()
    assert words in passages_of(trace)
    wait_for_kernel(slow)
    assert marked(slow) == words


@pytest.mark.notebook
def test_a_reload_in_the_middle_of_a_run_shows_it_go_on(shared, stage):
    page = shared(1)
    begin(page)
    run_new_cell(page, "app._live.pace = 15")  # the steps that are left take as long as a page may take to load
    before = page.evaluate(NODES)
    reload(page, stage.seen)
    poll(page, f"() => ({NODES})() >= {before}", True)
    assert page.evaluate(STATE) == "running"
    expect(page.locator(".pe-question input")).to_have_value(QUESTION)
    expect(page.locator(".pe-go")).to_have_text("■ Stop")
    expect(page.locator(".pe-way")).to_be_disabled()
    run_new_cell(page, "app._live.pace = 0")
    poll(page, ENDED, True)
    page.get_by_role("button", name="Ask", exact=True).wait_for()
    assert page.evaluate(NODES) > before
    sentences = page.evaluate("() => document.querySelector('.pe').explorer.store.answer.text")
    assert sentences == recorded().answer
