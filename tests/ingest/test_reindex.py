import numpy as np
import pytest
from pyoxigraph import Literal, NamedNode, Quad, Triple

import explorer
from explorer import entities as e
from explorer import rdf
from explorer.errors import ModelError, WorkspaceError
from explorer.events import Content
from explorer.ingest.reindex import unindexed
from explorer.vocab import FACTS, RDFS, SOURCE, entity_iri, iri
from tests.corpus import filled

TANK, FEEDS, STATION = (NamedNode(entity_iri(name)) for name in ("tank seven", "feeds", "polar station"))
FACT = Triple(TANK, FEEDS, STATION)
CHUNK = "Penguins live here. Tank seven feeds the polar station. The rest is snow."


class Letters:
    """Another embedder: how often each letter stands in a text."""

    name = "letters-26"

    def embed(self, texts):
        rows = [[text.lower().count(chr(97 + n)) for n in range(26)] for text in texts]
        return np.array(rows, dtype=np.float32).reshape(-1, 26)


class Failing(Letters):
    """Fails once it has been asked a few times."""

    name = "failing-26"

    def __init__(self):
        self.left = 2

    def embed(self, texts):
        self.left -= 1
        if self.left < 0:
            raise ModelError("The embedder is gone.")
        return super().embed(texts)


WHOLE = "kind, key, document, chunk, text, vector"  # all but their numbers, which on a server are never used again


def vectors(ws, columns="kind, key, document, chunk, text"):
    rows = ws.stores.database.rows(f"SELECT {columns} FROM vectors")
    return sorted(tuple(row) for row in rows)


def quads(*, source=True):
    yield Quad(TANK, FEEDS, STATION, FACTS)
    yield Quad(TANK, RDFS.label, Literal("Tank Seven"), FACTS)
    if source:
        yield from rdf.triples(e.Document(iri="urn:doc:1", title="Log", label="Log"))
        yield from rdf.triples(e.Chunk(iri="urn:chunk:1", derived_from=("urn:doc:1",), index=1, char_offset=0))
        yield from rdf.triples(e.Subgraph(iri=iri("subgraph", "1"), derived_from=("urn:chunk:1",), contains=(FACT,)))


def imported(ws, tmp_path, **options):
    (tmp_path / "knowledge.nq").write_bytes(rdf.dump(quads(**options), "nq"))
    return ws.import_record(tmp_path / "knowledge.nq")


def test_reindexing_gives_the_facts_and_chunks_that_reading_gave_and_again_changes_nothing():
    with filled() as ws:
        before = vectors(ws)
        done = ws.reindex()
        after, whole = vectors(ws), vectors(ws, WHOLE)
        assert [row for row in after if row[0] != "entity"] == [row for row in before if row[0] != "entity"]
        assert {row[1] for row in after} == {row[1] for row in before}
        assert done.facts == ws.size.facts
        assert repr(done) == f"<Reindexed {done.facts} facts, {done.entities} things, {done.chunks} passages>"
        ws.reindex()
        assert vectors(ws, WHOLE) == whole


def test_another_embedder_makes_all_vectors_anew_and_they_are_searched_at_once(tmp_path):
    with filled(tmp_path / "ws") as ws:
        ws.run("Who built the relief valve?")
    with explorer.open(tmp_path / "ws", embedder=Letters()) as ws:
        with pytest.raises(WorkspaceError, match=r"made by wordllama-256.*ws\.reindex\(\) or `explorer reindex`"):
            ws.run("Who built the relief valve?")
        ws.reindex()
        assert {row[0] for row in vectors(ws, "length(vector)")} == {26}
        assert ws.run("Who built the relief valve?").edges
    with explorer.open(tmp_path / "ws") as ws, pytest.raises(WorkspaceError, match="were made by letters-26"):
        ws.ask("Who built the relief valve?")


def test_what_was_searched_before_is_not_found_after():
    with filled() as ws:
        index = ws.stores.vectors
        ws.reindex()
        for embedder in (ws.embedder, Letters()):
            ws.embedder = embedder
            ws.reindex()
            [[hit]] = index.search("entity", embedder.embed(["relief valve"]), 1)
            assert (hit.text, round(hit.score, 3)) == ("relief valve", 1.0)


def test_an_embedder_that_fails_leaves_the_old_vectors():
    with filled() as ws:
        before, kept = vectors(ws, "*"), ws.embedder
        ws.embedder = Failing()
        with pytest.raises(ModelError, match="is gone"):
            ws.reindex()
        ws.embedder = kept
        assert vectors(ws, "*") == before
        assert ws.run("Who built the relief valve?").reason == "done"


def test_imported_facts_say_that_they_wait_and_are_found_after(ws, tmp_path):
    done = imported(ws, tmp_path)
    assert done.unindexed == 1
    assert "1 fact that questions find after ws.reindex()" in repr(done)
    with pytest.raises(WorkspaceError, match=r"The facts here are not indexed yet; .* ws\.reindex\(\)"):
        ws.ask("What does tank seven feed?")
    ws.reindex()
    assert [edge.edge for edge in ws.run("What does tank seven feed?").edges] == [FACT]
    assert imported(ws, tmp_path).unindexed == 0
    assert "reindex" not in repr(imported(ws, tmp_path))


def test_a_fact_without_a_source_is_embedded_alone_by_its_labels(ws, tmp_path):
    imported(ws, tmp_path, source=False)
    ws.reindex()
    assert vectors(ws) == [
        ("edge", str(FACT), "", "", "Tank Seven feeds polar station."),
        ("entity", STATION.value, "", "", "polar station"),
        ("entity", TANK.value, "", "", "Tank Seven"),
    ]
    [edge] = ws.run("What does tank seven feed?").edges
    assert ws.passages(edge) == []


def test_contents_under_the_iri_of_a_chunk_are_its_text(ws, tmp_path):
    ws.stores.library.add([Content("urn:chunk:1", "Chunk 1", "text/plain", CHUNK.encode())])
    imported(ws, tmp_path)
    assert [passage.text for passage in ws.passages(FACT)] == [CHUNK]
    ws.reindex()
    rows = {row[0]: row for row in vectors(ws)}
    assert rows["chunk"][1:] == ("urn:chunk:1", "urn:doc:1", "urn:chunk:1", f"Log\n{CHUNK}")
    sentence = "Tank seven feeds the polar station."
    assert rows["edge"][2:] == ("urn:doc:1", "urn:chunk:1", f"Tank Seven feeds polar station. {sentence}")


def test_labels_metadata_and_traces_are_no_facts(ws, tmp_path):
    given = [quad for quad in quads() if quad.predicate != FEEDS]
    (tmp_path / "rest.nq").write_bytes(rdf.dump(given, "nq"))
    assert ws.import_record(tmp_path / "rest.nq").unindexed == 0
    assert [*unindexed(ws.stores.database, [])] == []
    ws.reindex()
    assert vectors(ws) == []
    assert next(iter(ws.graph.match(graph=SOURCE)))


def test_the_whole_of_recorded_knowledge_can_be_asked(ws, conformance):
    done = ws.import_record(conformance / "golden" / "wire" / "_kg.rdf12.nq")
    assert done.unindexed > 0
    assert ws.reindex().facts == done.unindexed
    assert ws.run("What did Marie Curie discover?").edges
