"""One's own documents in a real JupyterLab: a fact is corrected, a document is removed, brought back and replaced."""

import pytest
from playwright.sync_api import expect

from tests.browser.app import ask, unfold
from tests.browser.axe import complaints
from tests.browser.conftest import WIDE, rest
from tests.browser.test_documents import CELLS, DROP, WATCH

__all__ = ["CELLS"]

FACTS = """() => [...document.querySelector(".pe").explorer.store.nodes.values()]
    .map(({ id, detail }) => [id, detail.rows.find(({ k }) => k === "triple")])
    .filter(([, row]) => row).map(([id, { s, p, o }]) => [id, `${s.text} ${p.text} ${o.text}`])"""
SELECT_FACT = f"""words => document.querySelector(".pe").explorer.select(
    ({FACTS})().find(([, said]) => said === words)[0])"""
BEYOND = """() => {  // what the graph of an entity paints, and which of it ends beyond the canvas
    const { width } = document.querySelector(".pe-entity canvas");
    const words = window.labels.filter(({ text, canvas }) => text.trim() && canvas.closest(".pe-entity"));
    return [words.map(({ text }) => text), words.filter(({ at }) => at.x > width).map(({ text }) => text)];
}"""
GOING = """() => {  // what is said while a document is being removed
    window.going = null;
    new MutationObserver(() => {
        window.going ??= document.querySelector(".pe-removing[role=status]")?.textContent ?? null;
    }).observe(document.querySelector(".pe-document"), { childList: true, subtree: true });
}"""
MOTORS = """\
# Motors

Globe Industries made the fan motors in Dayton. Beech Aircraft built the relief valve in 1966.
"""
LONG = "\n\n".join(f"Pump no. {number} was tested in Boulder in {1950 + number % 20}." for number in range(400))


def drop(page, name, text):
    page.evaluate(DROP, [name, text])


def ask_of_all(page, question):
    page.get_by_role("tab", name="Ask").first.click()
    ask(page, question)


def kept(page):
    """The facts of the run on show, in words."""
    return [said for _, said in page.evaluate(FACTS)]


@pytest.mark.usefixtures("fresh")
def test_a_fact_is_corrected_and_a_document_removed_brought_back_and_replaced(stage, cells):
    page = stage.show(*cells)
    tab = page.locator(".pe-documents")
    page.evaluate(WATCH)
    for name, text in (
        ("pumps.txt", LONG),
        ("motors.md", MOTORS),
        ("valves.txt", "The valve is red. It opens at 6 bar."),
    ):
        drop(page, name, text)
    rows = tab.get_by_role("list", name="Documents").get_by_role("button")
    expect(rows).to_have_count(3)
    shares = page.evaluate("() => window.shares")
    assert any(name == "pumps.txt" and share and 0 < share < 1 for name, share in shares)

    ask_of_all(page, "Who made the fan motors?")
    expect(page.locator(".pe-answer")).to_contain_text("Globe Industries made the fan motors")
    page.locator(".pe-answer .pe-cite").first.click()
    expect(page.locator(".pe-run .pe-source mark.mine").first).to_contain_text("Globe Industries made the fan motors")
    wrong = "Globe Industries made fan motors"
    assert wrong in kept(page)
    page.evaluate(SELECT_FACT, wrong)
    detail = page.locator(".pe-detail")
    unfold(page)
    detail.get_by_role("button", name="Not right?").click()
    form = page.get_by_role("form", name="Correct this fact")
    assert complaints(page) == []
    page.set_viewport_size({"width": 1280, "height": 800})
    rest(page)
    assert form.evaluate("one => one.scrollHeight - one.clientHeight") <= 1, "all of it is seen"
    page.set_viewport_size(WIDE)
    form.get_by_label("to whom or what").fill("cooling fans")
    form.get_by_label("Your name").fill("Ada")
    form.get_by_label("Why").fill("so says page 2")
    before = detail.bounding_box()
    form.get_by_role("button", name="Save the correction").click()
    done = page.locator(".pe-corrected")
    expect(done).to_contain_text("Globe Industries — made — cooling fans")
    expect(done).to_be_in_viewport(ratio=1)
    after = detail.bounding_box()  # which may be higher, as more stands in it
    assert [after[side] for side in "xy"] == [before[side] for side in "xy"], (
        "the notice moved what was under the mouse"
    )
    expect(detail).to_contain_text("Right isGlobe Industries — made — cooling fans")
    expect(detail.locator(".pe-triple.gone")).to_contain_text("fan motors")
    expect(detail).to_contain_text("by Ada: “so says page 2”")
    expect(detail.get_by_role("button", name="Undo", exact=True)).to_be_visible()
    expect(detail).to_contain_text("Reworded on")
    assert any("✎ reworded, was:" in text for text in page.evaluate("() => window.labels.map(({ text }) => text)"))
    expect(detail).to_contain_text("by Ada")
    ask_of_all(page, "Who made the fan motors?")
    assert wrong not in kept(page)
    ask_of_all(page, "Who made the cooling fans?")
    assert "Globe Industries made cooling fans" in kept(page)

    page.locator(".pe-answer").get_by_role("button", name="Corrections").click()  # which an answer that one touched has
    listed = tab.get_by_role("list", name="Corrections")
    before, after = (f"Globe Industries — made — {thing}" for thing in ("fan motors", "cooling fans"))
    expect(listed).to_contain_text(f"Reworded: {before}; now {after}")
    expect(listed).to_contain_text("by Ada · “so says page 2”")
    expect(listed.get_by_role("button", name="Undo")).to_have_count(1)
    rest(page)
    assert complaints(page) == []
    tab.get_by_role("button", name="‹ Documents").click()
    rows.filter(has_text="Motors").click()
    document = tab.get_by_role("region", name="Document", exact=True)
    expect(document.get_by_role("button", name="facts from this section, 1 reworded")).to_be_visible()
    facts = document.get_by_role("list", name="Facts from this section").get_by_role("listitem")
    expect(facts.filter(has_text="reworded on")).to_contain_text("by Ada")
    rest(page)
    page.get_by_role("tab", name="Ask").first.click()
    page.get_by_role("tab", name="Documents 3").click()  # two clicks from anywhere
    tab.get_by_role("button", name="Corrections").click()
    listed.get_by_role("button", name="Undo").click()  # with what came in its place
    expect(listed).to_contain_text("undone on")
    expect(listed.get_by_role("button", name="Undo")).to_have_count(0)
    tab.get_by_role("button", name="‹ Documents").click()
    expect(facts.filter(has_text="reworded on")).to_have_count(0)
    expect(facts.filter(has_text="fan motors").first).not_to_contain_text("reworded")

    document.get_by_role("group", name="Named here").get_by_role("button", name="Globe Industries").click()
    entity = document.get_by_role("region", name="Entity", exact=True)
    expect(entity).to_contain_text("1 document")
    entity.locator(".pe-canvas").focus()
    rest(page)
    assert complaints(page) == []
    for width in (1280, 900, WIDE["width"]):
        page.set_viewport_size({"width": width, "height": WIDE["height"]})
        rest(page)
        painted, beyond = page.evaluate(BEYOND)
        assert "— made → fan motors" in painted, "a fact is read whole"
        assert beyond == [], "it stands as wide as there is room"
    for key in ("ArrowRight", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    expect(document.locator(".pe-facts .on")).to_contain_text("Globe Industries")
    expect(document.locator(".chosen").first).to_be_visible()

    document.get_by_role("group", name="Named here").get_by_role("button", name="Globe Industries").click()
    expect(entity).to_be_visible()
    document.get_by_role("button", name="Remove…").click()
    sure = document.get_by_role("group", name="What removing it changes")
    expect(sure).to_contain_text("quote it")
    assert complaints(page) == []
    page.evaluate(GOING)
    sure.get_by_role("button", name="Remove it").click()
    page.wait_for_function("() => window.going === 'Removing “Motors” …'")
    expect(sure).to_have_count(0)
    expect(document.locator(".pe-removing")).to_have_count(0)
    expect(entity).to_contain_text("No document here speaks of “Globe Industries” any more.")
    expect(entity).to_contain_text("“Motors” was removed today")
    expect(entity.get_by_role("button", name="Undo: bring back Motors")).to_be_visible()
    entity.get_by_role("button", name="‹ Back").click()
    expect(document).to_contain_text("was removed")
    expect(rows).to_have_count(2)
    page.get_by_role("tab", name="Ask").first.click()
    page.locator(".pe-answer .pe-cite").first.click()
    expect(page.locator(".pe-run .pe-source")).to_contain_text("Source removed on")
    page.get_by_role("tab", name="Documents 2").click()
    tab.get_by_role("button", name="Undo: bring back Motors").first.click()
    expect(rows).to_have_count(3)
    page.get_by_role("tab", name="Ask").first.click()
    expect(page.locator(".pe-run .pe-source mark.mine").first).to_contain_text("Globe Industries")

    page.get_by_role("tab", name="Documents 3").click()
    drop(page, "motors.md", MOTORS.replace("Globe Industries", "Parker Company"))
    tab.get_by_role("button", name="Replace it").click()
    expect(document).to_contain_text("2 versions")
    page.get_by_role("tab", name="Ask").first.click()
    page.locator(".pe-answer .pe-cite").first.click()
    newer = page.get_by_role("button", name="Open the newer one").filter(visible=True)
    expect(newer).to_have_count(1)
    newer.click()
    expect(document).to_contain_text("Parker Company")
    ask_of_all(page, "Who made the fan motors?")
    expect(page.locator(".pe-answer")).to_contain_text("Parker Company")

    page.get_by_role("tab", name="Documents 3").click()
    newest = MOTORS.replace("Globe Industries", "Lear Company").encode()
    with page.expect_file_chooser() as chooser:
        document.get_by_role("button", name="Replace…").click()
    chooser.value.set_files({"name": "engines.md", "mimeType": "text/markdown", "buffer": newest})
    expect(document).to_contain_text("3 versions")
    assert stage.seen.complaints() == []
