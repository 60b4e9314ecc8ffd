"""Which extractors go through the documents: by name or as objects, once each, also through what is here already."""

import pytest

import explorer
from explorer import entities as e
from explorer import rdf
from explorer.errors import DocumentError
from explorer.ingest.extraction.choice import extractors_for
from explorer.ingest.extraction.rules import ExtractedEdge
from explorer.vocab import SOURCE
from tests.corpus import Clock, ids
from tests.test_workspace import stored

TEXT = "Beech Aircraft built the relief valve in 1966. The valve opens at 983 psi."


class Builders:
    """Knows one verb."""

    name = "builders"
    version = "7"

    def __init__(self, shift=0):
        self.shift = shift
        self.read = []

    def edges(self, chunks, title=""):
        for chunk in chunks:
            self.read.append(title)
            at = chunk.text.find(" built ")
            if at >= 0:
                end = chunk.start + chunk.text.find(".", at) + 1
                yield ExtractedEdge(
                    "Beech Aircraft", "built", "relief valve", True, chunk.start + self.shift, end, None, chunk
                )


@pytest.fixture
def file(tmp_path):
    file = tmp_path / "valve.txt"
    file.write_text(TEXT)
    return file


def activities(ws):
    quads = ws.graph.match(None, None, None, SOURCE)
    found = [one for one in rdf.entities(quads) if isinstance(one, e.Activity)]
    return {one.associated_with.rpartition("/")[2]: one for one in found}


def test_without_an_extractor_a_document_is_text_that_is_searched_and_has_no_facts(ws, file):
    done = ws.ingest(file, extractors=(), progress=False)
    assert (done.documents, done.edges) == (1, 0)
    assert list(ws.facts()) == []
    assert [passage.text for passage in ws.search("relief valve")] == [TEXT]
    assert activities(ws).keys() == {"reader", "chunker"}


def test_a_document_that_is_here_is_gone_through_by_an_extractor_that_has_not_done_so(ws, file):
    ws.ingest(file, extractors="none", progress=False)
    done = ws.ingest(file, progress=False)
    assert done.documents == 0
    assert done.edges == len(ws.facts()) > 0
    whole = stored(ws)
    assert ws.ingest(file, extractors="rules", progress=False).edges == 0
    assert stored(ws) == whole
    with explorer.open(ids=ids(), clock=Clock()) as at_once:
        at_once.ingest(file, progress=False)
        assert [fact.triple for fact in at_once.facts()] == [fact.triple for fact in ws.facts()]


def test_what_an_extractor_found_nothing_in_is_not_gone_through_again(ws, tmp_path):
    (tmp_path / "none.txt").write_text("Nobody knows.")
    own = Builders()
    for _ in range(2):
        ws.ingest(tmp_path / "none.txt", extractors=[own], progress=False)
    assert own.read == ["none"]


def test_a_fact_found_by_two_has_both_as_sources_each_with_its_activity_and_version(ws, file):
    ws.ingest(file, extractors=["rules", Builders()], progress=False)
    by = activities(ws)
    assert by["builders"].version == "7"
    assert by["builders"].iri != by["rules"].iri
    [fact] = [one for one in ws.facts() if one.words == ("Beech Aircraft", "built", "relief valve")]
    assert [one.extracted_by for one in fact.passages] == ["builders", "rules"]
    assert len({one.subgraph for one in fact.passages}) == 2
    assert {one.text for one in fact.passages} == {"Beech Aircraft built the relief valve in 1966."}
    assert fact.cells[-1] == "builders, rules"


def test_a_fact_outside_of_its_chunk_is_refused(ws, file):
    with pytest.raises(DocumentError, match="'builders' gave a fact of characters -3 to 46 that its"):
        ws.ingest(file, extractors=[Builders(-3)], progress=False)
    assert list(ws.documents) == []


class Curator(Builders):
    name = "curator"


@pytest.mark.parametrize(("named", "said"), [
    ("rules, magic", "There is no extractor 'magic'; name 'rules'"),
    (["rules", "rules"], "The extractor 'rules' is named twice"),
    ([7], "There is no extractor 7"),
    ([Curator()], "An extractor can't be called 'curator'"),
])  # fmt: skip
def test_what_is_no_extractor_is_refused_before_anything_is_read(ws, file, named, said):
    with pytest.raises(DocumentError) as caught:
        ws.ingest(file, extractors=named, progress=False)
    assert str(caught.value).startswith(said)
    assert list(ws.documents) == []


def test_names_may_stand_in_one_text():
    assert [one.name for one in extractors_for("rules")] == ["rules"]
    assert extractors_for("none") == extractors_for("") == extractors_for(()) == ()
