"""A store that others fill, in the app of a real JupyterLab: what is cited leads to its resource, also while the kernel
is busy a press shows, and the store is read again.
"""

import pytest
from playwright.sync_api import expect

from tests.attached import EX, LABEL, door, fill
from tests.browser.app import ask, choose
from tests.browser.conftest import held, poll, rest
from tests.stores.contract.graph_servers import oxigraph

CELL = """\
import explorer
ws = explorer.open()
ws.attach({at!r}, progress=False)
app = explorer.app(ws, pace=0)
app"""
OSLO = f'<{EX}oslo> <{LABEL}> "Oslo" ; <{EX}mayor> "Ada Berg" ; <{EX}river> "Aker" .\n'
FAR = "\n".join(f'<{EX}town{n}> <{LABEL}> "Town {n}" ; <{EX}mayor> "Mayor {n}" .' for n in range(60))
SMALL = {"width": 1280, "height": 800}
PRESSED = """() => new Promise((done) => {
    const button = document.querySelector(".pe .pe-go"), at = performance.now();
    new MutationObserver(() => done([button.innerText, performance.now() - at]))
        .observe(button, { childList: true, characterData: true, subtree: true });
    button.click();
})"""

OPENED = """() => {  // what stands where the document will be, as soon as it is picked
    document.querySelector(".pe-shelf button").click();
    return document.querySelector(".pe-document [role=status]").innerText;
}"""


@pytest.fixture(scope="module")
def attached():
    with oxigraph() as addresses:
        fill(addresses[2], OSLO + FAR)
        with door(addresses[0]) as store:
            store.filled = addresses[2]
            yield store


@pytest.fixture(scope="module")
def cells(attached):
    return (CELL.format(at=attached.at),)


def resource(page):
    """The link in Detail to what a fact or passage is about, within what is in sight of it."""
    link = page.get_by_role("region", name="Detail").get_by_role("link", name=f"{EX}oslo", exact=True)
    expect(link).to_have_attribute("href", f"{EX}oslo")
    inside = link.evaluate("""one => {
        const { top, bottom } = one.getBoundingClientRect(), body = one.closest(".pe-body").getBoundingClientRect();
        return top >= body.top && bottom <= Math.min(body.bottom, innerHeight);
    }""")
    return link, inside


def test_the_resource_of_a_fact_stands_in_sight_right_below_it(app):
    app.set_viewport_size(SMALL)
    ask(app, "Who is the mayor of Oslo?")
    app.locator(".pe-answer .pe-cite").first.click()
    rest(app)
    _, inside = resource(app)
    assert inside
    rows = app.get_by_role("region", name="Detail").locator(".pe-rows > *")
    assert rows.nth(0).locator(".pe-triple").count() == 1
    assert rows.nth(1).inner_text() == "Resource"


def test_a_cited_whole_passage_of_a_store_leads_to_its_resource(app):
    app.set_viewport_size(SMALL)
    choose(app, "Strategy", "Passage search")
    ask(app, "Who is the mayor of Oslo?")
    app.locator(".pe-answer .pe-cite").first.click()
    rest(app)
    link, _ = resource(app)
    link.scroll_into_view_if_needed()
    assert resource(app)[1]


def test_a_pressed_ask_shows_at_once_while_the_kernel_is_busy(app, tmp_path):
    app.get_by_label("Your question").fill("Who is the mayor of Town 3?")
    app.get_by_label("Your question").blur()
    rest(app)
    with held(app, tmp_path):
        words, after = app.evaluate(PRESSED)
        assert (words, after < 100) == ("Asking …", True), f"{after:.0f} ms"
    expect(app.locator(".pe-answer")).to_contain_text("Mayor 3")
    expect(app.locator(".pe-go")).to_have_text("Ask")


def test_a_store_says_that_it_opens_and_is_read_again_and_not_replaced_by_a_file(app, attached):
    app.set_viewport_size(SMALL)
    app.get_by_role("tab", name="Documents 1").click()
    app.locator(".pe-shelf button").wait_for()
    assert app.evaluate(OPENED) == f"Opening {attached.at.removeprefix('http://')} …"
    document = app.get_by_role("region", name="Document", exact=True)
    again = document.get_by_role("button", name="Read 127.0.0.1")
    expect(again).to_have_text("Read again")
    expect(document.get_by_role("button", name="Replace…")).to_have_count(0)
    rest(app)
    fill(attached.filled, OSLO.replace("Ada Berg", "Bo Lund") + FAR)
    again.click()
    poll(app, "() => document.querySelector('.pe').explorer.store.documents.files.map(({ state }) => state)", ["read"])
    expect(app.get_by_role("list", name="Files that are read")).to_contain_text("read again: 62 facts")
    expect(document).to_contain_text("2 versions")
