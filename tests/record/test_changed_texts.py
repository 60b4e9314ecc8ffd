"""Texts are checked when they are read: one that was changed since is shown as that."""

import re
from dataclasses import replace

import pytest

from explorer.dag import ProvenanceDag
from explorer.events import CHANGED
from explorer.view.run.answer import answer
from explorer.view.source.page import opened
from explorer.wording.graph_words import NodeWords
from tests.corpus import QUESTIONS, filled
from tests.opened import at


@pytest.fixture
def ws(tmp_path):
    with filled(tmp_path / "ws") as workspace:
        yield workspace


def shown(ws, trace):
    return answer(NodeWords(ProvenanceDag().fold(ws.traces.replay(trace.iri))), running=False)


@pytest.mark.parametrize("engine", ["graph-rag", "document-rag", "agent"])
def test_an_answer_that_was_edited_is_shown_as_that(ws, engine, program, tmp_path):
    trace = ws.run(QUESTIONS[0], engine)
    assert (trace.changed, ws.traces.load(trace.iri).changed) == ((), ())
    assert CHANGED not in str(shown(ws, trace))
    old = ws.stores.library.get(trace.dag.final.entity.document)
    ws.stores.library.put([replace(old, data=old.data.replace(b"1966", b"1967"))])
    read = ws.traces.load(trace.iri)
    assert read.changed == (old.iri,)
    assert read.dag.is_changed(trace.dag.final.iri)
    assert shown(ws, trace)["badges"][0]["text"] == CHANGED
    rows = NodeWords(read.dag).rows(read.dag.final)
    assert {"k": "trouble", "text": f"A text of it was {CHANGED}."} in rows
    ws.close()
    code, out, _ = program("show", trace.iri, *at(tmp_path / "ws"))
    assert code == 0
    assert re.search(rf"\(This answer was {CHANGED}: `explorer verify( -w .*)?` tells more\.\)", out)
    assert f"    {CHANGED}: {old.iri}" in out


def test_a_passage_or_a_document_that_was_edited_is_shown_as_that(ws):
    trace = ws.run(QUESTIONS[0])
    passage = ws.passages(trace.edges[0])[0]
    assert not passage.is_changed
    assert "trouble" not in opened(ws.stores, passage)[0]

    def change(sql, iri):
        with ws.stores.database.writing() as connection:
            connection.execute(sql, (iri,))
        ws.sources.forget()
        return opened(ws.stores, ws.passages(trace.edges[0])[0])[0]["trouble"]

    said = f"This text was {CHANGED}."
    assert change("UPDATE chunks SET text = replace(text, '1966', '1967') WHERE iri = ?", passage.chunk) == said
    now = ws.passages(trace.edges[0])[0]
    assert now.is_changed
    assert (now.place, now.reference) == (f"{passage.place} ({CHANGED})", f"{passage.reference}, {CHANGED}")
    read = ws.traces.load(trace.iri)
    node = next(one for one in read.dag.nodes("Passage") if one.passages[0].chunk == passage.chunk)
    assert {"k": "trouble", "text": f"A text of it was {CHANGED}."} in NodeWords(read.dag).rows(node)
    with ws.stores.database.writing() as connection:
        connection.execute("UPDATE chunks SET text = replace(text, '1967', '1966') WHERE iri = ?", (passage.chunk,))
    assert change("UPDATE documents SET text = text || ' More.' WHERE iri = ?", passage.document) == said


def test_what_was_removed_on_purpose_is_not_called_changed(ws):
    trace = ws.run(QUESTIONS[0])
    ws.forget("notes.txt", words=True)
    assert ws.traces.load(trace.iri).changed == ()
