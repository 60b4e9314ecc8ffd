"""One path through the app in a folder, in memory and on servers: documents, a question down to its words, past runs, a
review.
"""

import pytest
from playwright.sync_api import expect

from tests.browser.app import ask, marked, view
from tests.browser.conftest import poll, rest, run_new_cell
from tests.browser.test_audit import opened as audit_of
from tests.corpus import VALVES

CELL = """\
import explorer
ws = explorer.open({place})
app = explorer.app(ws, pace=0)
app"""
QUESTION = "Who built the relief valve?"
WORDS = "Beech Aircraft built the relief valve in 1966."
ROWS = ".pe-past .pe-runs li.pe-top"
OPENING = "() => document.querySelector('.pe').explorer.store.past.opening"
HELD = "() => document.querySelector('.pe').explorer.store.documents.files.map(({ state }) => state)"


@pytest.fixture(params=["folder", "memory", pytest.param("servers", marks=pytest.mark.servers)])
def place(request, tmp_path):
    """The arguments that open a workspace, as code."""
    if request.param != "servers":
        return repr(str(tmp_path / "workspace")) if request.param == "folder" else ""
    team = request.getfixturevalue("team")
    return f"{team.url!r}, endpoint={team.endpoint!r}, collection={team.collection!r}"


@pytest.fixture
def start(stage, tmp_path):
    """start(place): the page, once the app of a workspace has a document."""

    def started(place):
        stage.clear()
        page = stage.show(CELL.format(place=place))
        (tmp_path / "valves.md").write_text(VALVES, "utf-8")
        expect(page.locator(".pe-documents")).to_be_visible()
        page.get_by_label("Files to add").set_input_files([tmp_path / "valves.md"])
        poll(page, HELD, ["read"])
        page.get_by_role("tab", name="Ask").click()
        return page

    return started


def test_from_a_document_to_a_reviewed_answer(place, start, stage):
    page = start(place)
    ask(page, QUESTION)
    expect(page.locator(".pe-answer")).to_contain_text("Beech Aircraft")
    page.locator(".pe-answer .pe-cite").first.click()
    assert WORDS in marked(page)
    assert page.locator(".pe-source h3").inner_text() == "Valves of the tank"

    audit = audit_of(page)
    expect(audit).to_contain_text("no fault found")
    audit.get_by_label("Your name").fill("Bo")
    audit.get_by_role("button", name="Supported", exact=True).click()
    expect(audit).to_contain_text("Bo: supported")
    view(page, "Audit")
    page.get_by_role("tab", name="Past runs 1").click()
    expect(page.locator(ROWS)).to_have_count(1)
    expect(page.locator(ROWS)).to_contain_text("Reviewed: 1 supported")
    page.locator(ROWS).get_by_role("button").first.click()
    poll(page, OPENING, None)
    expect(page.locator(".pe-replay")).to_contain_text(QUESTION)
    rest(page)
    page.locator(".pe-answer .pe-cite").first.click()
    assert WORDS in marked(page), "of a run that is read again too"

    page.get_by_role("tab", name="Documents 1").click()
    page.get_by_role("list", name="Documents").get_by_role("button").first.click()
    document = page.get_by_role("region", name="Document", exact=True)
    expect(document).to_contain_text("Quoted in 1 answer")
    document.get_by_role("list", name="Facts from this").get_by_role("button").first.click()
    expect(document.locator(".chosen").first).to_be_visible()

    run_new_cell(page, "ws.close()")
    if not place:  # what was in memory is gone
        assert stage.seen.complaints() == []
        return
    page.get_by_role("tab", name="Past runs").click()
    page.get_by_role("button", name="All runs").click()
    page.locator(ROWS).get_by_role("button", name="Name, tags and note").wait_for()
    page.get_by_role("searchbox", name="Search questions").fill("relief")
    page.get_by_role("button", name="Open it again").click()
    expect(page.get_by_role("button", name="Open it again")).to_be_hidden()
    page.get_by_role("searchbox", name="Search questions").fill("valve")
    expect(page.locator(ROWS)).to_have_count(1)
    assert stage.seen.complaints() == []


@pytest.mark.servers
def test_what_another_asks_and_judges_is_seen_without_a_reload(team, start, stage):
    page = start(f"{team.url!r}, endpoint={team.endpoint!r}, collection={team.collection!r}")
    ask(page, QUESTION)
    audit = audit_of(page)
    expect(audit).to_contain_text("no fault found")
    ana = team.colleague("Ana")
    with team.open() as ws:
        run = ws.traces.list()[0].iri
    comment = audit.get_by_label("Comment")
    comment.press_sequentially("I think ")
    ana.do("judge", run, "unclear")
    expect(audit).to_contain_text("Ana: unclear", timeout=5000)
    expect(audit).to_contain_text("unclear · by Ana")
    page.keyboard.type("so too")
    expect(comment, "what one was typing goes on").to_have_value("I think so too")
    audit.get_by_role("button", name="Supported", exact=True).click()
    expect(audit).to_contain_text("supported (no name given) · I think so too")
    expect(audit).to_contain_text("Ana: unclear")

    page.get_by_role("tab", name="Past runs 1").click()
    expect(page.locator(ROWS)).to_have_count(1)
    ana.do("ask", "Who made the fan motors?")
    asked = page.locator(ROWS).filter(has_text="fan motors")
    expect(asked).to_contain_text("running", timeout=2000)
    expect(asked).to_contain_text("by Ana")
    ana.do("go on")
    expect(asked).not_to_contain_text("running", timeout=5000)
    page.get_by_role("button", name="Filters").click()
    page.get_by_role("combobox", name="Asked by").select_option("Ana")
    expect(page.locator(ROWS)).to_have_count(1)
    rest(page)
    assert stage.seen.complaints() == []
