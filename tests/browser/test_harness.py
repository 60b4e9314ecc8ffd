"""What the other browser tests lean on: a click reaches the kernel, and misconduct of a page is seen."""

import pytest

from tests.browser.conftest import execute, poll, run_all, set_theme, write_notebook

BUTTON = """
import ipywidgets
button, label = ipywidgets.Button(description="Press"), ipywidgets.Label("not yet")
button.on_click(lambda _: setattr(label, "value", "pressed"))
ipywidgets.HBox([button, label])
"""


def test_a_click_in_the_page_reaches_the_kernel_and_a_failing_cell_is_told(page, open_notebook, tmp_path):
    open_notebook(page, write_notebook(tmp_path / "harness.ipynb", BUTTON))
    run_all(page)
    page.get_by_role("button", name="Press").click()
    page.get_by_text("pressed", exact=True).wait_for()
    set_theme(page, "JupyterLab Dark")
    set_theme(page, "JupyterLab Light")
    open_notebook(page, write_notebook(tmp_path / "failing.ipynb", "fails and 1 / 0"))
    with pytest.raises(RuntimeError, match="NameError: name 'fails'"):
        run_all(page)


def test_a_failing_cell_is_told_without_a_notebook_too(stage):
    page = stage.show("import explorer\nexplorer.app(explorer.open())")
    execute(page, "one = 1")
    with pytest.raises(RuntimeError, match="NameError: name 'fails'"):
        execute(page, "fails and one / 0")


def test_errors_and_foreign_requests_are_seen(page, seen):
    page.goto("about:blank")
    page.evaluate("() => fetch('http://192.0.2.1/pixel').catch(() => new WebSocket('ws://192.0.2.1/socket'))")
    page.evaluate("() => { console.error('oh'); setTimeout(() => { throw new Error('ah') }) }")
    poll(page, "() => 0", lambda _: len(seen.foreign) > 1 and seen.errors)
    assert seen.foreign == ["http://192.0.2.1/pixel", "ws://192.0.2.1/socket"]
    assert any("oh" in line for line in seen.console)
    assert any("ah" in line for line in seen.errors)
    for findings in (seen.console, seen.errors, seen.foreign):
        findings.clear()
