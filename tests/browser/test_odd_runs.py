"""Runs with something amiss: a circle in the record, no sources, a document that is gone, thousands of nodes."""

import re
from pathlib import Path

from playwright.sync_api import expect

from tests.browser.app import heading, marked
from tests.browser.conftest import poll, run_new_cell

REPORT = Path(__file__).parents[2] / "sample_data" / "apollo13" / "documents" / "tank-history.md"
OPENED = f"""\
import explorer
ws = explorer.open()
ws.ingest({str(REPORT)!r}, progress=False)
app = explorer.app(ws, pace=0)
app"""
RECORDS = """\
from pyoxigraph import Literal, NamedNode, Triple
from explorer import entities as e, rdf
from explorer.record.trace import Trace
from explorer.events import Explain
from explorer.stores.document_rows import drop_document
from explorer.vocab import entity_iri, iri

def told(one, *parts):
    return Explain(one.iri, tuple(rdf.triples(one, parts=parts)))

def facts(session, count):
    about = Triple(NamedNode(entity_iri("tank")), NamedNode(entity_iri("holds")), Literal("oxygen"))
    return [e.EdgeSelection(iri=iri("edge", session, number), score=0.5, reasoning="It fits.", edge=about)
            for number in range(count)]

def run(session, count, circle=False):
    ask, ground, focus, tell = (iri(kind, session) for kind in ("question", "grounding", "focus", "synthesis"))
    kept = facts(session, count)
    above = (ask, focus) if circle else (ask,)
    return Trace([
        told(e.GraphRagQuestion(iri=ask, query="What does the tank hold?")),
        told(e.Grounding(iri=ground, derived_from=above, concepts=("tank",))),
        told(e.Focus(iri=focus, derived_from=(ground,), selected_edges=tuple(one.iri for one in kept)), *kept),
        told(e.Synthesis(iri=tell, derived_from=(focus,))),
    ])"""
TAKEN_OUT = """\
with ws.traces.stores.database.writing() as connection:
    for one in {passage.document for passages in app.trace.passages.values() for passage in passages}:
        drop_document(connection, one)
ws.sources.forget()"""
CELLS = (OPENED, RECORDS)
KINDS = "() => [...document.querySelector('.pe').explorer.store.nodes.values()].map(({ kind }) => kind)"
DEPTH = """() => {  // how many folds lie above the drawing on show
    const { store } = document.querySelector(".pe").explorer;
    let depth = 0;
    for (let level = store.level; level; level = store.nodes.get(level).level) depth += 1;
    return depth;
}"""
HERE = """kind => {  // the first node of a kind in the drawing on show
    return document.querySelector(".pe").explorer.here().find((node) => node.kind === kind)?.id;
}"""
UNFOLD = """kind => {  // the drawing in which the first node of a kind stands
    const { select, store } = document.querySelector(".pe").explorer;
    select([...store.nodes.values()].find((node) => node.kind === kind).id);
}"""
SELECT = "id => document.querySelector('.pe').explorer.select(id)"


def look(page, kind):
    """Select the first node of a kind in the drawing on show; gives what its detail says."""
    poll(page, f"() => Boolean(({HERE})({kind!r}))", True)
    page.evaluate(SELECT, page.evaluate(HERE, kind))
    expect(heading(page)).to_have_text(re.compile(".{4}"))
    return page.locator(".pe-detail").inner_text()


def test_a_record_in_a_circle_is_drawn_and_looked_at(showing):
    page = showing("app.open(run('ring', 2, circle=True))")
    assert sorted(page.evaluate(KINDS))[:4] == ["Concept", "EdgeSelection", "EdgeSelection", "Focus"]
    for kind in ("Question", "Grounding", "Focus", "EdgeSelection", "Synthesis"):
        look(page, kind)
        expect(page.locator(".pe-crumbs [aria-current]")).to_have_count(1)


def test_a_run_without_sources_says_so(showing):
    page = showing("app.open(run('bare', 1))")
    assert "No recorded source." in look(page, "EdgeSelection")


LEAVE = "Ask without this"
ELSEWHERE = f"""\
elsewhere = explorer.open()
elsewhere.ingest({str(REPORT.with_name("crew-debrief.txt"))!r}, progress=False)
app.open(elsewhere.run("Who fell ill?"))"""


def test_where_what_if_leaves_nothing_the_run_is_declined_beside_the_one_that_answered(showing):
    page = showing("app.ask('Who built the tank?')")
    look(page, "Document")
    page.get_by_role("button", name=LEAVE).filter(visible=True).click()
    page.get_by_role("group", name="Left out").get_by_role("button", name="Ask this run again").click()
    compared = page.locator(".pe-compare")
    compared.get_by_text("Two runs side by side").wait_for()
    expect(compared).to_contain_text("Asked without Oxygen Tank No. 2", use_inner_text=True)
    expect(compared.get_by_role("group", name="Answer of run B")).to_contain_text("Nothing is left to answer from")
    page.get_by_role("button", name="Back to the list").click()
    page.get_by_role("tab", name="Ask").first.click()


def test_of_a_run_whose_documents_are_not_here_nothing_can_be_left_out_which_is_said(showing):
    page = showing(ELSEWHERE)
    page.evaluate(UNFOLD, "EdgeSelection")
    look(page, "EdgeSelection")
    page.locator(".pe-detail").get_by_role("button", name=LEAVE).click()
    expect(page.locator(".pe-trouble-line").filter(visible=True)).to_contain_text("its documents are gone")
    expect(page.get_by_role("group", name="Left out")).to_be_hidden()


def test_of_a_document_that_is_gone_the_quoted_words_are_left(showing):
    page = showing("app.ask('Who built the tank?')")
    page.evaluate(UNFOLD, "EdgeSelection")
    text = look(page, "EdgeSelection")
    assert "No recorded source." not in text
    words = marked(page)
    page = showing(f"{TAKEN_OUT}\napp.open(run('other', 1))")
    page = showing("app.open(ws.traces.list(limit=1)[0].iri)")
    page.evaluate(UNFOLD, "EdgeSelection")
    look(page, "EdgeSelection")
    panel = page.locator(".pe-pane .pe-source")
    panel.get_by_text("is not in the library").wait_for()
    assert " ".join(words.split()) in " ".join(panel.inner_text().split())  # a row has its cells apart


def test_a_run_of_5000_facts_is_opened_folded_and_each_fold_opens(showing):
    page = showing("app.open(run('large', 5000))")
    shown = page.evaluate(KINDS)
    assert len(shown) < 1_000
    assert "Folded" in shown
    for depth, kind in enumerate(("More", "Folded", "Folded"), 1):  # in the first page of what is left lie the others
        look(page, kind)
        page.locator(".pe-canvas").focus()
        page.keyboard.press("Enter")
        poll(page, DEPTH, depth)
    look(page, "EdgeSelection")
    page.locator(".pe-canvas").focus()
    for _ in range(6):  # out of the selection, if there is one, and then out of the fold
        page.keyboard.press("Escape")
    assert page.evaluate(DEPTH) == 0


OTHERS = """\
import pathlib, tempfile
given = pathlib.Path(tempfile.mkdtemp(), "others.provn")
given.write_text('document\\nprefix o <http://other.org/>\\nentity(o:b)\\nentity(o:a, [prov:label="<b>A</b>"])\\n'
                 'wasGeneratedBy(o:a, o:act, -)\\nused(o:act, o:b, -, [prov:role="raw"])\\nendDocument')
ws.import_record(given, progress=False).refused"""


def test_what_was_imported_and_is_no_run_is_drawn_and_says_its_statements(app):
    run_new_cell(app, OTHERS)
    app.get_by_role("tab", name="Past runs").click()
    records = app.get_by_role("region", name="Imported, and no runs")
    records.get_by_role("button", name="<b>A</b> 2 entities, 1 activity").click()
    expect(records.locator(".pe-derived-node")).to_have_count(3)
    records.get_by_role("button", name="Activity act").press("Enter")
    expect(records.locator(".pe-said li")).to_have_text(["used b (role raw)", "<b>A</b> generated by this"])
    expect(records.locator("li b")).to_have_count(0)  # markup stays text
