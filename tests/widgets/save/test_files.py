import base64
import hashlib
import html
import json
import re
from xml.etree import ElementTree as ET

import pytest
from pyoxigraph import NamedNode

import explorer
from explorer.errors import ExplorerError, QuestionError, RecordError
from explorer.text import file_for
from explorer.view import report
from explorer.view.showing import Showing
from explorer.view.stored_run import shown as recalled
from explorer.widgets.save import files as saving
from tests.each import each
from tests.widgets.conftest import QUESTION

HOSTILE = "Was </script><script>window.hacked=1</script> <img src=x onerror=y> & \u2028\u2029 \u202eabc 🚀 rated?"


@pytest.fixture
def page(ws, answered):
    return saving.saved(answered.showing, ws, "html")


def shown(ws, question, events=None):
    showing = Showing()
    showing.begin()
    for number, event in enumerate(ws.ask(question)):
        if events is not None and number >= events:
            break
        showing.apply(event)
    return showing


def stored(page):
    """What the view is given of the run of a report."""
    data = json.loads(re.search(r'id="pe-data">(.*?)</script>', page.text, re.DOTALL)[1])
    return {"looks": data["looks"], **data["runs"][0]}


def head(page):
    """The question and the rows at the top of a report."""
    about = re.search(r'<header class="pe-about">(.*?)</header>', page.text, re.DOTALL)[1]
    rows = re.findall(r'<dt>(.*?)</dt><dd dir="auto">(.*?)</dd>', about, re.DOTALL)
    plain = [(label, html.unescape(re.sub(r"<[^>]*>", "", words))) for label, words in rows]
    return html.unescape(re.search(r"<h1[^>]*>(.*?)</h1>", about, re.DOTALL)[1]), plain


def words(data, iri):
    number, [(start, end)], _ = data["spots"][iri]
    return data["sheets"][number]["text"][start:end]


def assert_marked(data, passages, answer):
    """Of each passage all is marked, or the sentence that the answer quotes."""
    marked = {node.iri: (words(data, node.iri), node.passages[0].text) for node in passages}
    part = {iri for iri, (words, text) in marked.items() if words != text}
    assert len(part) < len(marked)
    assert all(words in text and words in answer for words, text in (marked[iri] for iri in part))


def test_the_drawing_is_saved_as_svg(ws, answered):
    saved = saving.saved(answered.showing, ws, "svg")
    assert saved.name == "What-voltage-were-the-thermostatic-switches-rated-for.svg"
    assert saved.mime == "image/svg+xml"
    assert ET.fromstring(saved.text).tag == "{http://www.w3.org/2000/svg}svg"


def test_the_record_is_saved_as_python_exports_it(ws, answered):
    saved = saving.saved(answered.showing, ws, "trig")
    assert saved.name == "What-voltage-were-the-thermostatic-switches-rated-for.trig"
    assert saved.text.encode() == ws.export(answered.trace)


def test_what_was_written_at_a_run_stands_in_the_head_of_its_page(ws, answered):
    assert not {"Name", "Tags", "Note"} & {row[0] for row in head_of(ws, answered)}
    written = {"name": "For <b>audit</b>", "tags": ["board", "tank"], "note": "Two lines\nof a note"}
    ws.traces.annotate(answered.trace.iri, **written)
    first = head_of(ws, answered)[:3]
    assert first == [("Name", "For <b>audit</b>"), ("Tags", "board, tank"), ("Note", "Two lines\nof a note")]
    ws.traces.annotate(answered.trace.iri, name="", tags=[], note="")


def head_of(ws, answered):
    return head(saving.saved(answered.showing, ws, "html"))[1]


def test_the_page_holds_all_that_is_on_show(page, answered):
    data = stored(page)
    snapshot = recalled(
        answered.ws.traces.replay(answered.trace.iri), sources=lambda _, fact: answered.ws.sources.passages(fact)
    )[0].snapshot()
    assert page.name == "What-voltage-were-the-thermostatic-switches-rated-for.html"
    assert page.mime == "text/html"
    assert data["snapshot"]["state"] == "done"
    (*frames, _), (*before, _) = data["snapshot"]["frames"], snapshot["frames"]
    assert [{**one, "run": ""} for one in frames] == [{**one, "run": ""} for one in json.loads(json.dumps(before))]
    assert data["looks"] == json.loads(json.dumps(answered.looks))
    assert ET.fromstring(data["svg"]["text"]) is not None


def test_the_words_of_each_passage_stand_on_its_page(page, answered):
    data = stored(page)
    passages = answered.dag.nodes("Passage")
    assert {key for key in data["spots"] if " " not in key} == {node.iri for node in passages}
    assert_marked(data, passages, answered.dag.answer)


def test_a_sentence_that_quotes_a_part_of_a_passage_has_its_own_words_marked(page, answered):
    data, dag = stored(page), answered.dag
    said = {key.split()[1]: spot for key, spot in data["spots"].items() if " " in key}
    assert said
    for number, spans, _ in said.values():
        assert spans
        assert all(data["sheets"][number]["text"][start:end] in dag.answer for start, end in spans)


def test_a_page_is_stored_once_however_many_passages_stand_on_it(page, answered):
    sheets = stored(page)["sheets"]
    used = {(node.passages[0].document, node.passages[0].part) for node in answered.dag.nodes("Passage")}
    assert len(sheets) == len(used) < len(answered.dag.nodes("Passage"))
    assert all(set(sheet) <= {"title", "sub", "facts", "text", "spans"} for sheet in sheets)
    assert all(0 <= start < len(sheet["text"]) for sheet in sheets for start, _ in sheet["spans"])


def test_the_page_says_what_was_asked_and_how_it_was_made(page, ws, answered):
    question, rows = head(page)
    told = dict(rows)
    assert len(told) == len(rows)
    assert question == QUESTION
    assert told["Strategy"] == "Graph search"
    assert told["Record"] == answered.trace.iri
    assert told["Seal"] == f"{ws.ledger.entry(answered.trace.iri).anchor}, not signed"
    assert told["Reasoned by"] == "rules, without a language model"
    assert told["Embedder"] == "wordllama, offline"
    assert re.fullmatch(r"[\d.,]+ (ms|s) in all", told["Took"])
    assert told["Saved by"] == f"provenance-explorer {explorer.__version__}"


def test_only_the_script_of_the_view_may_run_and_nothing_may_be_fetched(page):
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', page.text)[1]
    script = re.search(r'<script type="module">(.*?)</script>', page.text, re.DOTALL)[1]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    assert rules["script-src"] == f"'sha256-{digest}'"
    assert rules["img-src"] == "data: blob:"
    assert not re.search(r"https?:", policy)
    assert "sourceMappingURL" not in script
    assert page.text.index("Content-Security-Policy") < page.text.index("<style>")


def test_no_text_can_end_the_block_of_data(ws):
    page = saving.saved(shown(ws, HOSTILE), ws, "html")
    block = re.search(r'id="pe-data">(.*?)</script>', page.text, re.DOTALL)[1]
    assert not re.search("[<>&\u2028\u2029]", block)
    assert page.text.lower().count("</script>") == 2
    assert head(page)[0].split() == HOSTILE.split()
    title = re.search(r"<title>(.*?)</title>", page.text, re.DOTALL)[1]
    assert "&lt;/script&gt;" in title
    assert "<" not in title
    assert "\u202e" not in title


@each("text", [HOSTILE, "\ud800 alone", "\x00\x1b", "]]>", "{script}"])
def test_embedded_data_comes_back_as_it_was(text):
    block = report.embedded({"text": text})
    assert block.isascii()
    assert json.loads(block) == {"text": text}


def test_a_hostile_question_makes_a_drawing_that_is_xml(ws):
    saved = saving.saved(shown(ws, HOSTILE), ws, "svg")
    assert "script" not in {node.tag.rpartition("}")[2] for node in ET.fromstring(saved.text).iter()}


def test_a_run_saved_while_it_goes_on_says_that_it_is_cut_off_here(ws):
    page = saving.saved(shown(ws, QUESTION, events=3), ws, "html")
    data = stored(page)
    assert data["snapshot"]["state"] == "stopped"
    assert data["snapshot"]["log"][-1]["text"].startswith("Saved while the run went on")
    assert "live" not in data["snapshot"]["answer"]
    assert dict(head(page)[1])["Took"].endswith("so far")


def test_a_page_without_checks_says_why(ws):
    running = saving.saved(shown(ws, QUESTION, events=3), ws, "html")
    assert dict(head(running)[1])["Checked"] == "not checked: the run was still going on"
    deleted = shown(ws, QUESTION)
    deleted.end("done", "Answered.")
    ws.traces.delete(next(iter(deleted.dag.roots)).iri)
    page = saving.saved(deleted, ws, "html")
    assert dict(head(page)[1])["Checked"] == "not checked: the run is not on record here any more"
    assert stored(page)["snapshot"]["state"] == "done"


def test_a_record_that_can_not_be_read_is_told_and_not_saved_unchecked(tmp_path):
    ws = explorer.open()
    (tmp_path / "tank.txt").write_text("The tank failed because its heater burned.")
    ws.ingest(tmp_path / "tank.txt", progress=False)
    broken = shown(ws, "Why did the tank fail?")
    broken.end("done", "Answered.")
    asked = next(iter(broken.dag.roots)).iri
    for quad in ws.graph.match(NamedNode(asked)):
        ws.graph.store.remove(quad)
    with pytest.raises(RecordError, match=re.escape(asked)):
        saving.saved(broken, ws, "html")
    ws.close()


def test_a_document_that_is_gone_is_said_and_the_words_stay(answered):
    with explorer.open() as without:
        data = stored(saving.saved(answered.showing, without, "html"))
    assert_marked(data, answered.dag.nodes("Passage"), answered.dag.answer)
    assert all(sheet["trouble"] for sheet in data["sheets"])


@pytest.mark.parametrize("form", ["svg", "html"])
def test_nothing_asked_is_nothing_to_save(ws, form):
    with pytest.raises(QuestionError, match="ask a question"):
        saving.saved(Showing(), ws, form)


def test_an_unknown_form_is_refused(ws, answered):
    with pytest.raises(RecordError, match="choose svg, html, bundle or trig"):
        saving.saved(answered.showing, ws, "docx")
    assert issubclass(RecordError, ExplorerError)


@each(
    ("question", "name"),
    [
        ("Why did it fail?", "Why-did-it-fail.svg"),
        ('../../etc/passwd\\CON:*?"<>|\x00\n', "etc-passwd-CON.svg"),
        ("Warum fiel „Öl“ aus?", "Warum-fiel-Öl-aus.svg"),
        ("למה הטנק נכשל?", "למה-הטנק-נכשל.svg"),
        ("🚀 … ?", "answer.svg"),
        ("a" * 500, "a" * 56 + ".svg"),
        ("tank " * 500, "-".join(["tank"] * 11) + ".svg"),
    ],
)
def test_a_file_is_named_by_its_question(question, name):
    assert file_for(question, "svg") == name
    assert len(name) <= 60
