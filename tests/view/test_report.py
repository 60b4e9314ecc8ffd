"""A page of runs that stands alone: what of its sources is marked there, and what was found out about an answer."""

import json
import re

import pytest

import explorer
from explorer.dag.sentences import cited, quotations
from explorer.view.report import page
from tests.corpus import filled


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """The data of a saved page, and the trace: an answer that quotes two sentences of a whole passage."""
    text = (
        "The tank failed because a fire burned inside it. A report was written later.\n\n"
        "The fire began because the wires were damaged. The wires had been overheated. Nobody saw it.\n"
    )
    path = tmp_path_factory.mktemp("saved") / "tank.txt"
    path.write_text(text)
    with explorer.open() as ws:
        ws.ingest(path, progress=False)
        trace = ws.run("Why did the tank fail?", engine="document-rag")
        ws.influence(trace, over="passages", progress=False)
        html = page(ws.stores, [trace])
    data = re.search(r'id="pe-data">(.*?)</script>', html, re.DOTALL)[1]
    return json.loads(data)["runs"][0], trace


def test_of_a_page_only_what_the_answer_cites_is_underlined(saved):
    run, trace = saved
    words = {one.text for one in cited(trace.dag)}
    underlined = {sheet["text"][start:end] for sheet in run["sheets"] for start, end in sheet["spans"]}
    assert underlined == words
    assert any(len(text) < len(sheet["text"].strip()) for text in words for sheet in run["sheets"])


def test_of_a_passage_that_is_quoted_the_sentences_are_marked_and_their_place_is_said(saved):
    run, trace = saved
    node = next(node for node in trace.dag.nodes("Passage") if quotations(trace.dag, node.passages[0]))
    passage = node.passages[0]
    number, mine, note = run["spots"][node.iri]
    text = run["sheets"][number]["text"]
    quoted = quotations(trace.dag, passage)
    assert [text[start:end] for start, end in mine] == [passage.text[start:end] for start, end in quoted]
    assert note == f"characters {text.index(passage.text) + 1:,} to {text.index(passage.text) + len(passage.text):,}"
    said = next(spot for key, spot in run["spots"].items() if " " in key and "#sentence-" in key)
    assert said[2] != note


def test_what_was_found_to_matter_is_in_the_file(saved):
    run, _ = saved
    assert [(one["over"], one["state"]) for one in run["snapshot"]["mattered"]] == [("passages", "done")]


def test_on_paper_the_answer_stands_before_how_it_came_about():
    with filled() as ws:
        told = page(ws.stores, [ws.run("Who built the relief valve?")])
    assert 0 < told.index('class="pe-print"') < told.index("pe-told", told.index("<article"))
