"""One's own documents in two windows on one kernel: what is done in one is seen in the other."""

import io
import re

import pytest
from playwright.sync_api import expect
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

from tests.browser.axe import complaints
from tests.browser.conftest import (
    ENDED,
    Seen,
    browsing,
    poll,
    rest,
)
from tests.browser.test_documents import CELLS, DROP

MOTORS = """\
# Motors

Globe Industries made the fan motors in Dayton. Beech Aircraft built the relief valve in 1966.
"""
PASSWORD = "open-sesame-81"
DROP_NEWER = """([name, text]) => {  // a file on the field for a new version of the document that is open
    const data = new DataTransfer();
    data.items.add(new File([text], name, { type: "text/plain" }));
    const fire = (place, type) =>
        place.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }));
    fire(document.querySelector(".pe-documents"), "dragover");
    const field = document.querySelector(".pe-newer-drop");
    const seen = getComputedStyle(field).display !== "none" && field.textContent;
    for (const type of ["dragenter", "dragover", "drop"]) fire(field, type);
    return seen;
}"""


@pytest.fixture(scope="module")
def windows(browser, alone):
    """Two windows with the same app."""
    browser.clear()
    page, seen = alone.show(*CELLS), Seen()
    with browsing(browser, seen) as other:
        other.goto(alone.server.url)
        other.locator(".pe .pe-documents").wait_for()
        yield page, other
        assert (alone.seen.complaints(), seen.complaints()) == ([], [])


def shut_pdf():
    data = io.BytesIO()
    canvas = Canvas(data, encrypt=StandardEncryption(PASSWORD, strength=128))
    canvas.drawString(50, 700, "Parker Company built the pump in 1967.")
    canvas.save()
    return data.getvalue()


def rows_of(page):
    return page.locator(".pe-documents").get_by_role("list", name="Documents").get_by_role("button")


def document_of(page):
    return page.locator(".pe-documents").get_by_role("region", name="Document", exact=True)


def facts_of(page):
    return document_of(page).get_by_role("list", name="Facts from this section").get_by_role("listitem")


def test_both_windows_show_a_file_that_is_added_a_fact_that_is_corrected_and_a_removal(windows):
    page, other = windows
    page.evaluate(DROP, ["motors.md", MOTORS])
    for one in windows:
        expect(rows_of(one)).to_have_count(1)
        rows_of(one).first.click()
        expect(facts_of(one).filter(has_text="fan motors").first).to_be_visible()
    named = document_of(other).get_by_role("group", name="Named here")
    named.get_by_role("button", name="Globe Industries").click()
    entity = document_of(other).get_by_role("region", name="Entity", exact=True)
    expect(entity).to_contain_text("in 1 document")

    fact = facts_of(page).filter(has_text="Dayton").first
    fact.get_by_role("button").first.click()
    fact.get_by_role("button", name="Not right?").click()
    form = page.get_by_role("form", name="Correct this fact")
    form.get_by_label("Who or what").fill("Globe Inc.")
    form.get_by_role("button", name="Save the correction").click()
    for one in windows:
        expect(one.locator(".pe-corrected")).to_contain_text("Globe Inc.")
    named_so = facts_of(page).filter(has_text="Globe Inc.")
    expect(named_so.filter(has_not_text=re.compile("reworded on", re.IGNORECASE))).to_have_count(1)
    expect(named_so.filter(has_text="instead: Globe Inc.")).to_have_count(1)  # the one that it took the place of
    expect(document_of(page).get_by_role("region", name="Entity", exact=True)).to_be_hidden()

    entity.get_by_role("button", name="List view").click()
    twin = entity.get_by_role("region", name="The entity as a list")
    expect(twin).to_contain_text("Globe Industries")
    assert complaints(other) == []
    rest(other)
    other.keyboard.press("l")
    expect(twin).to_be_hidden()
    other.keyboard.press("l")
    twin.get_by_role("button").filter(has_text="made").first.focus()
    other.keyboard.press("Enter")
    expect(document_of(other).locator(".pe-facts .on")).to_contain_text("Globe Industries")
    named.get_by_role("button", name="Globe Industries").click()
    expect(entity).to_contain_text("in 1 document")

    document_of(page).get_by_role("button", name="Remove…").click()
    page.get_by_role("button", name="Remove it").click()
    for one in windows:
        expect(rows_of(one)).to_have_count(0)
        expect(one.locator(".pe-corrected")).to_be_hidden()
    expect(entity).to_contain_text("No document here speaks of")
    entity.get_by_role("button", name="‹ Back").click()
    expect(document_of(other)).to_contain_text("was removed")
    other.get_by_role("button", name="Undo: bring back Motors").first.click()
    for one in windows:
        expect(rows_of(one)).to_have_count(1)


def test_a_file_on_the_field_for_a_new_version_takes_the_place_of_the_document_that_is_open(windows):
    page, other = windows
    rows_of(page).first.click()
    expect(document_of(page)).to_contain_text("fan motors")
    seen = page.evaluate(DROP_NEWER, ["of-any-name.md", MOTORS.replace("Globe Industries", "Parker Company")])
    assert seen == "Drop here for a new version of “Motors”; anywhere else to add it"
    expect(document_of(page)).to_contain_text("2 versions")
    expect(document_of(page)).to_contain_text("Parker Company")
    for one in windows:
        expect(rows_of(one)).to_have_count(1)
        expect(one.locator(".pe-documents.over")).to_have_count(0)
    rows_of(other).first.click()
    expect(document_of(other)).to_contain_text("of-any-name.md")


def test_an_encrypted_file_is_opened_with_its_password_in_either_window(windows):
    page, other = windows
    page.get_by_label("Files to add").set_input_files(
        {"name": "locked.pdf", "mimeType": "application/pdf", "buffer": shut_pdf()}
    )
    for one in windows:
        expect(one.locator(".pe-file.locked")).to_contain_text("It is encrypted")
    line = other.locator(".pe-file.locked")
    line.get_by_label("Password of locked.pdf").fill("another")
    other.keyboard.press("Enter")
    expect(line).to_contain_text("This password does not open it")
    assert complaints(other) == []
    rest(other)
    line.get_by_label("Password of locked.pdf").fill(PASSWORD)
    line.get_by_role("button", name="Open it").click()
    for one in windows:
        expect(one.locator(".pe-file.locked")).to_have_count(0)
        expect(rows_of(one).filter(has_text="PDF")).to_have_count(1)
        assert PASSWORD not in one.content()
    rows_of(page).first.click()
    expect(document_of(page)).to_contain_text("page 1 of 1")
    expect(page.get_by_text("files were read")).to_be_visible()
    expect(page.locator(".pe-files > .pe-file.read:not(.pe-read-before)")).to_have_count(0)


PUMP = ["pump.md", "# The pump\n\nParker Company built the pump in Ohio."]


def runs_of(page):
    return page.locator(".pe-past .pe-runs li.pe-top")


def written_at(page, **fields):
    """Write into the form of the only run, and save it."""
    runs_of(page).get_by_role("button", name="Name, tags and note").click()
    for label, text in fields.items():
        page.locator(".pe-note-form").get_by_label(label).fill(text)


def test_two_windows_write_at_one_run_delete_it_and_bring_it_back(windows):
    page, other = windows
    page.evaluate(DROP, PUMP)
    expect(rows_of(page).filter(has_text="The pump")).to_have_count(1)
    page.get_by_role("tab", name="Ask").first.click()
    page.locator(".pe-question input").fill("Who built the pump?")
    page.get_by_role("button", name="Ask", exact=True).click()
    poll(page, ENDED, True)
    page.get_by_role("tab", name="Past runs").click()
    for one in windows:
        expect(runs_of(one)).to_have_count(1)
    written_at(page, Name="Made of")
    written_at(other, Tags="audit, <b>motors</b>")
    for one in windows:  # each saves what it has written, on what it knew before the other did
        one.get_by_role("button", name="Save", exact=True).click()
    for one in windows:
        expect(runs_of(one).locator("b").first).to_have_text("Made of")
        expect(one.locator(".pe-tag")).to_have_text(["<b>motors</b>", "audit"])
    written_at(other, Note="What the other is about to delete.")
    written_at(page)
    page.get_by_role("button", name="Delete", exact=True).click()
    for one in windows:
        expect(runs_of(one)).to_have_count(0)
        expect(one.get_by_role("button", name="Save", exact=True)).to_have_count(0)
    other.get_by_role("button", name="Undo", exact=True).click()
    for one in windows:
        expect(runs_of(one).locator("b").first).to_have_text("Made of")
        expect(one.get_by_role("button", name="Undo", exact=True)).to_have_count(0)
