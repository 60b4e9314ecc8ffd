"""The Documents tab in a real JupyterLab: files are dropped and chosen, read, found, opened, and asked about."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.app import view
from tests.browser.axe import complaints
from tests.browser.conftest import ENDED, PATIENCE, WIDE, poll, rest

DOCUMENTS = Path(__file__).parents[2] / "sample_data" / "apollo13" / "documents"
CELLS = ("import explorer\nws = explorer.open()\napp = explorer.app(ws, pace=0)\napp",)
LARGE = 12_000_000  # bytes; a message of 10 MB would end the line
OPEN = "document.querySelector('.pe').explorer.store.documents.one"
STATES = "() => document.querySelector('.pe').explorer.store.documents.files.map(({ name, state }) => [name, state])"
DROP = """([name, text]) => {  // a file on the list, as if from the desktop
    const data = new DataTransfer();
    data.items.add(new File([text], name, { type: "text/plain" }));
    const place = document.querySelector(".pe-documents");
    for (const type of ["dragover", "drop"])
        place.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }));
}"""
WATCH = """() => {  // what is written beside files while they are read
    window.shares = [];
    const look = () => {
        for (const bar of document.querySelectorAll(".pe-file progress"))
            window.shares.push([bar.getAttribute("aria-label"), bar.hasAttribute("value") ? bar.value : null]);
    };
    new MutationObserver(look).observe(document.querySelector(".pe-files"), { subtree: true, childList: true });
}"""
TURNED = """() => {
    const shown = document.querySelector(".pe-document");
    shown.querySelector("button[aria-label='Next page']").click();
    return shown.querySelector(".pe-where").innerText;
}"""


@pytest.mark.usefixtures("fresh")
def test_files_are_added_found_opened_and_asked_about(stage, cells, tmp_path):
    page = stage.show(*cells)
    tab = page.locator(".pe-documents")
    expect(tab).to_be_visible()  # where a new workspace starts
    expect(tab.get_by_text("No documents yet")).to_be_visible()
    page.get_by_role("tab", name="Ask").first.click()
    view(page, "Present")
    page.get_by_role("button", name="Add documents…").click()
    expect(tab).to_be_visible()
    expect(page.locator(".pe.presents")).to_have_count(0)
    assert complaints(page) == []
    page.evaluate(WATCH)
    large, empty = tmp_path / "large.bin", tmp_path / "empty.txt"
    large.write_bytes(bytes(range(256)) * (LARGE // 256))
    empty.touch()
    chosen = [DOCUMENTS / "investigation-report.pdf", large, empty, DOCUMENTS / "tank-history.md"]
    page.get_by_label("Files to add").set_input_files(chosen)
    page.evaluate(DROP, ["note.txt", "Beech Aircraft built the relief valve of the tank in 1966."])
    read = {"investigation-report.pdf", "tank-history.md", "note.txt"}
    ends = sorted([*([name, "read"] for name in read), ["large.bin", "refused"], ["empty.txt", "refused"]])
    poll(page, STATES, lambda states: sorted(states) == ends, seconds=2 * PATIENCE)
    shares = page.evaluate("() => window.shares")
    assert any(name == "large.bin" and share and 0 < share < 1 for name, share in shares), "it came in pieces"
    assert any(name == "investigation-report.pdf" and share and 0 < share < 1 for name, share in shares)
    expect(tab.locator(".pe-file.refused")).to_have_count(2)
    expect(tab.locator(".pe-file.refused").last).to_contain_text("'empty.txt' is empty")
    expect(page.get_by_role("tab", name="Documents 3")).to_have_count(1)
    rows = tab.get_by_role("list", name="Documents").get_by_role("button")
    expect(rows).to_have_count(3)
    expect(tab.locator(".pe-read-before")).to_contain_text("files were read")  # each stands once: in the list
    expect(tab.locator(".pe-files > .pe-file.read")).to_have_count(1)
    expect(rows.filter(has_text="investigation-report.pdf")).to_have_count(1)
    rest(page)

    tab.get_by_label("Search titles and texts").fill("thermostatic")
    page.evaluate("() => document.querySelector('.pe').explorer.store.tell('documents')")  # something comes meanwhile
    expect(rows).to_have_count(2)
    report = rows.filter(has_text="investigation-report.pdf")
    expect(report).to_contain_text("thermostat")
    report.click()
    document = tab.get_by_role("region", name="Document", exact=True)
    expect(document.locator(".pe-about-document")).to_contain_text("8 pages")
    expect(document, "the first page that has the word").to_contain_text("page 2 of 8")
    page.set_viewport_size({"width": 1280, "height": 800})
    rest(page)
    ways = document.locator(".pe-about-document .pe-document-ways button").filter(visible=True).all()
    assert len({way.bounding_box()["y"] for way in ways}) == 1, "what can be done with it stands in one row"
    assert document.locator(".pe-desk").bounding_box()["height"] > 180, "of its page more than a line is seen"
    page.set_viewport_size(WIDE)
    fact = document.get_by_role("list", name="Facts from this page").get_by_role("button").first
    fact.click()
    expect(document.locator(".chosen").first).to_be_visible()
    assert "page 2 of 8" in page.evaluate(TURNED), "it stays on show until the next one is there"
    expect(document).to_contain_text("page 3 of 8")
    assert complaints(page) == []
    rest(page)

    document.get_by_label("Page or section").select_option("page 4")
    expect(document.locator(".pe-where")).to_contain_text("page 4 of 8")
    document.get_by_role("button", name="Ask about it").click()
    way = page.locator(".pe-way")
    expect(way).to_contain_text("in Investigation Report")
    question = page.get_by_label("Your question")
    expect(question).to_be_focused()
    page.keyboard.type("What voltage were the thermostatic switches rated for?")
    page.keyboard.press("Enter")
    poll(page, ENDED, True)
    expect(page.locator(".pe-answer")).to_contain_text("28 V")
    question.click()
    page.keyboard.type("Who made them?")
    expect(question).to_have_value("Who made them?")  # what was asked is replaced
    page.keyboard.press("Escape")
    expect(question).to_have_value("Who made them?")  # who closes something else keeps what is typed
    way.click()
    page.get_by_role("button", name="Search all", exact=True).click()
    expect(way).to_contain_text("in all documents")
    page.get_by_role("button", name="Choose documents…").click()
    choice = page.get_by_role("list", name="Documents to choose from").get_by_role("listitem")
    expect(choice).to_have_count(3)
    for row in (0, 1):
        choice.nth(row).get_by_role("checkbox").check()
    expect(way, "of two the number").to_contain_text("in 2 ")
    for row in (0, 1):
        choice.nth(row).get_by_role("checkbox").uncheck()
    expect(way).to_contain_text("in all documents")
    page.keyboard.press("Escape")
    page.get_by_role("tab", name="Documents 3").click()
    tab.get_by_label("Search titles and texts").fill("")
    for row in range(2):
        rows.nth(row).click()
    rows.filter(has_text="investigation-report.pdf").click()
    document.get_by_text("Quoted in 1 answer").click()
    page.evaluate(f"() => {{ {OPEN}.before = true; }}")
    rows.filter(has_text="investigation-report.pdf").click()
    poll(page, f"() => {OPEN}.before === undefined", True)  # it came anew
    document.get_by_role("button", name="What voltage").click()
    expect(page.locator(".pe-replay")).to_contain_text("What voltage")  # among the past runs
    assert stage.seen.complaints() == []
