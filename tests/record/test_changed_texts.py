"""Texts are checked when they are read: one that was changed since is shown as that."""

import re
import sys

import pytest

from explorer import cli
from explorer.dag import ProvenanceDag
from explorer.events import CHANGED, Content
from explorer.view.run.answer import answer
from explorer.view.source.page import opened
from explorer.wording.nodes import NodeWords
from tests.corpus import QUESTIONS, filled
from tests.opened import at


@pytest.fixture
def ws(tmp_path):
    with filled(tmp_path / "ws") as workspace:
        yield workspace


def put(ws, content, text):
    old = ws.stores.library.get(content)
    ws.stores.library.put([Content(old.iri, old.title, old.mime, text.encode())])


def shown(ws, trace):
    return answer(NodeWords(ProvenanceDag().fold(ws.traces.replay(trace.iri))), running=False)


def printed(monkeypatch, capsys, place, iri):
    monkeypatch.setattr(sys, "argv", ["explorer", "show", iri, *at(place)])
    with pytest.raises(SystemExit, match="0"):
        cli.main()
    return capsys.readouterr().out


@pytest.mark.parametrize("engine", ["graph-rag", "document-rag", "agent"])
def test_an_answer_that_was_edited_is_shown_as_that(ws, engine, monkeypatch, capsys, tmp_path):
    trace = ws.run(QUESTIONS[0], engine)
    assert (trace.changed, ws.traces.load(trace.iri).changed) == ((), ())
    assert CHANGED not in str(shown(ws, trace))
    content = trace.dag.final.entity.document
    put(ws, content, ws.text(content).replace("1966", "1967"))
    read = ws.traces.load(trace.iri)
    assert read.changed == (content,)
    assert read.dag.is_changed(trace.dag.final.iri)
    assert shown(ws, trace)["badges"][0]["text"] == CHANGED
    rows = NodeWords(read.dag).rows(read.dag.final)
    assert {"k": "trouble", "text": f"A text of it was {CHANGED}."} in rows
    ws.close()
    out = printed(monkeypatch, capsys, tmp_path / "ws", trace.iri)
    assert re.search(rf"\(This answer was {CHANGED}: `explorer verify( -w .*)?` tells more\.\)", out)
    assert f"    {CHANGED}: {content}" in out


def test_a_passage_that_was_edited_is_shown_as_that(ws):
    trace = ws.run(QUESTIONS[0])
    passage = ws.passages(trace.edges[0])[0]
    assert not passage.is_changed
    assert "trouble" not in opened(ws.stores, passage)[0]
    with ws.stores.database.writing() as connection:
        connection.execute("UPDATE chunks SET text = replace(text, '1966', '1967') WHERE iri = ?", (passage.chunk,))
    ws.sources.forget()
    now = ws.passages(trace.edges[0])[0]
    assert now.is_changed
    assert (now.place, now.reference) == (f"{passage.place} ({CHANGED})", f"{passage.reference}, {CHANGED}")
    assert opened(ws.stores, now)[0]["trouble"] == f"This text was {CHANGED}."
    read = ws.traces.load(trace.iri)
    node = next(one for one in read.dag.nodes("Passage") if one.passages[0].chunk == passage.chunk)
    assert {"k": "trouble", "text": f"A text of it was {CHANGED}."} in NodeWords(read.dag).rows(node)


def test_a_document_whose_text_was_edited_is_shown_as_that(ws):
    trace = ws.run(QUESTIONS[0])
    passage = ws.passages(trace.edges[0])[0]
    with ws.stores.database.writing() as connection:
        connection.execute("UPDATE documents SET text = text || ' More.' WHERE iri = ?", (passage.document,))
    ws.sources.forget()
    assert opened(ws.stores, passage)[0]["trouble"] == f"This text was {CHANGED}."


def test_what_was_removed_on_purpose_is_not_called_changed(ws):
    trace = ws.run(QUESTIONS[0])
    ws.forget("notes.txt", words=True)
    assert ws.traces.load(trace.iri).changed == ()
