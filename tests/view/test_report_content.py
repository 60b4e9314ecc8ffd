"""Reports of runs: a page that needs nothing else, Markdown, and CSV, with verdicts and checks."""

import csv
import io
import re

import pytest
from typer.testing import CliRunner

import explorer
from explorer.cli.commands import app
from explorer.entities import Candidate
from explorer.errors import RecordError
from explorer.text import escape
from explorer.view.report_content import reported
from explorer.view.report_paper import claims, paper
from explorer.vocab import RETRIEVAL, X
from tests.corpus import OPEN, QUESTIONS, filled, shared
from tests.drawing.test_picture import tags
from tests.opened import at

HOSTILE = '<script>alert(1)</script>| [x](javascript:alert(1)) `=cmd` "\n# head'


def said(page):
    """The words of a report outside of its script."""
    return tags(page[: page.index('<script type="application/json"')]).text


@pytest.fixture
def ws():
    """The workspace of all tests, to read from."""
    return shared()


@pytest.fixture
def own(tmp_path):
    """A workspace of its own, for what is judged, named, changed or closed."""
    with filled(tmp_path / "ws") as found:
        yield found


def test_a_table_leads_from_each_sentence_to_the_words_it_rests_on(ws):
    trace = ws.run(QUESTIONS[1], by="Ada")
    found = list(claims(trace.dag))
    assert found
    told = said(ws.report(trace))
    for one in found:
        assert one.words in " ".join(trace.answer.split())
        for cell in (one.fact, one.reason, one.quote, one.place):
            assert cell in told
    assert "Ada" in told
    assert ws.verify(trace).nothing in told
    assert f"{ws.ledger.entry(trace.iri).anchor}, not signed" in told


def test_the_quoted_page_of_a_pdf_is_there_with_boxes_and_nothing_is_fetched(ws):
    pages = [ws.report(ws.run(question)) for question in (*QUESTIONS, "What were the heater switches rated for?")]
    drawn = [page for page in pages if "data:image/png" in page]
    assert drawn, "an answer of the corpus quotes a PDF"
    assert all('class="pe-box" style="left:' in page for page in drawn)
    for page in pages:
        assert "default-src 'none'; script-src 'sha256-" in page
        assert not re.findall(r"(?:src|href)=\"(?!data:|#)", page)
        assert not {"iframe", "link", "object"} & set(tags(page).found)
        assert tags(page).found.count("script") == 2


def test_links_in_the_answer_lead_to_rows_that_are_there(ws):
    page = ws.report(*(ws.run(question) for question in QUESTIONS[:2]))
    wanted, there = re.findall(r'href="#([^"]+)"', page), re.findall(r' id="([^"]+)"', page)
    assert wanted
    assert set(wanted) <= set(there)
    assert len(there) == len(set(there))


def test_verdicts_and_the_agreement_of_reviewers_are_in_it(own):
    trace = own.run(QUESTIONS[0])
    own.traces.judge(trace, "supported", sentence=1, by="Ada", comment=HOSTILE)
    assert "Cohen" not in own.report(trace)
    own.traces.judge(trace, "unclear", sentence=1, by="Bob")
    page = own.report(trace)
    assert "Ada and Bob both judged 1 thing: the same verdict in 0%" in page
    assert "<script>" not in page[: page.index('<script type="module">')]
    assert "alert(1)" in said(page)


def test_a_verdict_that_was_changed_stands_below_the_one_that_took_its_place(own):
    trace = own.run(QUESTIONS[0])
    made = [own.traces.judge(trace, words, sentence=1, by=who) for words, who in FOUND]
    page = own.report(trace)
    body = page[page.index('<table class="pe-verdicts">') :].partition("</table>")[0]
    rows = [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in body.split("<tr")[2:]]
    told = [(on, verdict, who) for on, verdict, _, who, _ in rows]
    assert told == [
        (made[0].quote, "supported", "Ada"),
        ("the same, before", "unclear (changed later)", "Ada"),
        ("the same, before", "not supported (changed later)", "Ada"),
        (made[0].quote, "unclear", "Bob"),
    ]
    when = f'<time datetime="{made[3].made_at}">{made[3].made_at[:10]} {made[3].made_at[11:19]} UTC</time>'
    assert rows[0][4] == when
    assert not re.search(r">[^<]*\d:\d\d\.\d", body)
    listed = [row for row in own.report(trace, format="md").splitlines() if "the same, before" in row]
    assert ["unclear" in listed[0], "not supported" in listed[1]] == [True, True]


FOUND = (("not supported", "Ada"), ("unclear", "Bob"), ("unclear", "Ada"), ("supported", "Ada"))


def test_a_record_that_was_changed_is_told(own):
    trace = own.run(QUESTIONS[0])
    (score, *_) = own.graph.match(None, X.reason, None, RETRIEVAL)
    own.graph.replace([], [], [score])
    told = said(own.report(trace.iri))
    assert "no fault found" not in told
    assert all(one.what in told for one in own.verify(trace))


def test_markdown_takes_no_text_for_markup_and_csv_none_for_a_formula(own):
    trace = own.run(QUESTIONS[0])
    own.traces.judge(trace, "supported", sentence=1, comment=HOSTILE, by="=Ada|")
    own.traces.annotate(trace.iri, name=HOSTILE)
    text = own.report(trace, format="md")
    assert r"\<script\>" in text
    assert r"\[x\]\(javascript:alert\(1\)\)" in text
    assert not re.search(r"(?<!\\)<", text)
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {8, 6}  # claims, and verdicts
    read = list(csv.reader(io.StringIO(own.report(trace, format="csv"))))
    assert [row[2] for row in read[1:]] == [one.words for one in claims(trace.dag)]
    assert not any(cell.startswith(("=", "+", "@")) for row in read for cell in row)


def test_declined_failed_and_agents_runs_have_reports(ws):
    for question, engine in (("What colour is the moon of Zanzibar?", "graph-rag"), (QUESTIONS[0], "agent")):
        trace = ws.run(question, engine=engine)
        assert question in said(ws.report(trace))
        assert ws.report(trace, format="md")
        assert ws.report(trace, format="csv").startswith("Question,")


def test_the_same_record_gives_the_same_bytes(own, tmp_path):
    trace = own.run(QUESTIONS[0])
    first = own.report(trace)
    own.close()
    with explorer.open(tmp_path / "ws") as again:
        assert again.report(trace.iri) == first


def test_no_runs_unknown_runs_and_other_forms_are_refused(ws):
    with pytest.raises(RecordError, match="at least one run"):
        ws.report()
    with pytest.raises(RecordError, match="There is no trace"):
        ws.report("urn:x:none")
    with pytest.raises(RecordError, match="html, md, csv"):
        ws.report(ws.run(QUESTIONS[0]), format="docx")


def test_the_command_writes_by_the_ending_of_the_file(own, tmp_path):
    runs = [own.run(question).iri for question in QUESTIONS[:2]]
    own.close()
    place = at(tmp_path / "ws")
    for ending, begin in (("html", "<!DOCTYPE html>"), ("md", "# "), ("csv", "Question,")):
        out = tmp_path / f"report.{ending}"
        done = CliRunner().invoke(app, ["report", *runs, "-o", str(out), *place])
        assert done.exit_code == 0, done.output
        assert out.read_text("utf-8").startswith(begin)
    assert CliRunner().invoke(app, ["report", *runs, "-o", "x.docx", *place]).exit_code != 0


def test_a_whole_passage_says_why_it_was_kept_and_what_was_not_kept_is_printed(ws):
    trace = ws.run(QUESTIONS[0], engine="document-rag")
    said = reported(ws.stores, trace, pictures=False)
    why = [one.reason for one in claims(trace.dag, said.reasons) if one.number is not None]
    assert why
    assert all(why)
    facts = reported(ws.stores, ws.run(QUESTIONS[0], edge_limit=2), pictures=False)
    scored = reported(ws.stores, ws.run(QUESTIONS[0], edge_limit=2, selector="rerank"), pictures=False)
    for run in (facts, scored):
        left = [one for one in run.dag.entities.values() if isinstance(one, Candidate)]
        assert left
        printed = paper(run).partition("<h2>Read, and not kept</h2>")[2].partition("</ul>")[0]
        assert printed.count("<li>") == len(left)
        assert ("score 0." in printed) == (run is scored)
        assert (": not close enough to your question." in printed) == (run is facts)
    assert ("Model", "no language model") in facts.asked


def test_a_number_is_one_passage_everywhere(ws):
    """The facts kept and the list have the numbers of the answer and of the table, and no others."""
    trace = ws.run(OPEN)
    told = {(one.fact, one.number) for one in claims(trace.dag) if one.fact != "a passage"}
    page = paper(reported(ws.stores, trace))
    facts = re.findall(r"<li><b>(?:\[(\d+)\] )?([^<]+)</b>", page)
    assert told
    assert {(escape(fact), number) for fact, number in told} == {
        (fact, int(number)) for number, fact in facts if number
    }
    listed = re.findall(r"<li>◆ (?:\[(\d+)\] )?([^<(]+)</li>", page)
    assert len(listed) == len(facts) > len(told)
    assert {(fact, int(number)) for number, fact in listed if number} <= {(escape(fact), at) for fact, at in told}
    assert not [fact for _, fact in (*facts, *listed) if re.match(r"\d+ ", fact)], "no rank that reads as a number"
