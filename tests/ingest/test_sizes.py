"""How large chunks are, as an argument: checked, on record, and kept for what is here."""

import pytest

from explorer.errors import DocumentError
from explorer.ingest.provenance import sizes_of
from explorer.vocab import RDF, SOURCE, TG
from tests.corpus import PAGES, pdf
from tests.each import each
from tests.test_workspace import stored

TEXT = " ".join(f"Beech Aircraft built relief valve {number}." for number in range(60))


@pytest.fixture
def file(tmp_path):
    (tmp_path / "valves.txt").write_text(TEXT)
    return tmp_path / "valves.txt"


def chunks(ws):
    return [ws.text(chunk) for chunk in ws.documents[0].chunks]


def test_chunks_are_as_large_as_asked_and_the_record_says_so(ws, file):
    ws.ingest(file, chunk_size=200, chunk_overlap=60, progress=False)
    document = ws.documents[0]
    assert len(chunks(ws)) > 12
    assert all(len(chunk) <= 200 for chunk in chunks(ws))
    assert chunks(ws)[1].startswith("Beech Aircraft built relief valve 4.")
    sizes = sizes_of(ws.graph, document.iri)
    assert (sizes.size, sizes.overlap) == (200, 60)
    assert len(ws.facts(limit=None)) > 50
    for fact in ws.facts(limit=None):
        for passage in fact.passages:
            assert ws.text(document.iri)[passage.start : passage.end] == passage.text


def test_the_overlap_is_a_tenth_unless_it_is_given(ws, file, take):
    ws.ingest(file, chunk_size=300, progress=False)
    assert sizes_of(ws.graph, ws.documents[0].iri).overlap == 30
    take("pages.pdf", pdf(*PAGES), chunk_overlap=0)
    sizes = sizes_of(ws.graph, ws.documents[1].iri)
    assert (sizes.size, sizes.overlap) == (1000, 0)


def test_what_is_here_stays_as_it_is_cut_and_a_note_says_so(ws, file, tmp_path):
    ws.ingest(file, chunk_size=200, extractors=(), progress=False)
    before = stored(ws)
    done = ws.ingest(file, extractors=(), chunk_size=400, progress=False)
    [note] = done.notes
    assert note.startswith("valves.txt stays cut into passages of 200 characters with an overlap of 20, as when read ")
    assert stored(ws) == before
    assert ws.ingest(file, extractors=(), chunk_size=200, progress=False).notes == ()
    done = ws.ingest(file, progress=False)  # facts found later stand in the chunks that there are
    assert done.notes == ()
    assert done.edges > 0
    assert {one.chunk for fact in ws.facts(limit=None) for one in fact.passages} <= {*ws.documents[0].chunks}


@each(("size", "overlap", "said"), [
    (10, None, "chunk_size must be a whole number from 50 to 20,000 characters, not 10."),
    (1e9, None, "chunk_size must be a whole number from 50 to 20,000 characters, not 1000000000.0."),
    (True, None, "chunk_size must be a whole number from 50 to 20,000 characters, not True."),
    ("500", None, "chunk_size must be a whole number from 50 to 20,000 characters, not '500'."),
    (400, 300, "chunk_overlap must be a whole number from 0 to 200, half of chunk_size, not 300."),
    (None, -1, "chunk_overlap must be a whole number from 0 to 500, half of chunk_size, not -1."),
])  # fmt: skip
def test_sizes_that_can_not_be_are_refused(ws, file, size, overlap, said):
    with pytest.raises(DocumentError) as caught:
        ws.ingest(file, chunk_size=size, chunk_overlap=overlap, progress=False)
    assert str(caught.value) == said
    assert list(ws.documents) == []


def test_a_document_that_was_forgotten_is_cut_anew_and_a_version_that_is_back_as_it_was(ws, file):
    def sizes():
        found = sizes_of(ws.graph, ws.documents[0].iri)
        held = {quad.subject.value for quad in ws.graph.match(None, RDF.type, TG.Chunk, SOURCE)}
        assert {*ws.documents[0].chunks} <= held
        return found.size, found.overlap

    ws.ingest(file, chunk_size=200, progress=False)
    ws.forget(ws.documents[0].iri)
    ws.ingest(file, chunk_size=400, progress=False)
    assert sizes() == (400, 40)
    file.write_text("Another version stands here now.")
    ws.ingest(file, progress=False)
    file.write_text(TEXT)
    replaced, note = ws.ingest(file, chunk_size=300, progress=False).notes
    assert replaced == "1 document took the place of the version that was here, which answers no more."
    assert note.startswith("valves.txt stays cut into passages of 400 characters with an overlap of 40,")
    assert sizes() == (400, 40)
    assert len(ws.facts(limit=None)) > 50
    for fact in ws.facts(limit=None):
        for passage in fact.passages:
            assert ws.text(passage.document)[passage.start : passage.end] == passage.text
