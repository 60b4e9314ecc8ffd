"""A file that has changed at its place is a new version: the old one answers no more, and old runs still show it."""

import json

import pytest
from pyoxigraph import Literal, NamedNode, Quad, Triple

import explorer
from explorer.errors import DocumentError, RecordError
from explorer.ingest.removal import unspoken_labels
from explorer.rdf.validation import validate
from explorer.stores.graph import OxigraphStore
from explorer.vocab import FACTS, PROV, RDFS

FIRST = "Beech Aircraft built the relief valve in 1966. Globe Industries made the fan motors.\n"
SECOND = "Beech Aircraft built the relief valve in 1966. Parker Company made the fan motors in Ohio.\n"
ASKED = "Who made the fan motors?"


def put(ws, file, text):
    file.write_text(text)
    return ws.ingest(file, progress=False)


def facts(ws):
    return {str(quad.triple) for quad in ws.graph.match(graph=FACTS) if "/e/" in str(quad.subject)}


def tables(ws):
    """What search reads, without the numbers of rows."""
    wanted = {"chunks": "iri, document, text", "vectors": "kind, key, document, text", "terms": "iri"}
    found = {t: set(map(tuple, ws.stores.database.rows(f"SELECT {c} FROM {t}"))) for t, c in wanted.items()}
    return found | {"sentences": ws.stores.database.rows("SELECT count(*) FROM sentences")[0][0],
                    "mentions": ws.stores.database.rows("SELECT count(*) FROM mentions")[0][0]}  # fmt: skip


def test_a_changed_file_is_a_new_version_and_the_old_one_answers_no_more(ws, tmp_path):
    file = tmp_path / "motors.txt"
    put(ws, file, FIRST)
    [old] = ws.stores.library.documents()
    trace = ws.run(ASKED)
    assert "Globe" in trace.answer
    [edge, *_] = trace.edges
    done = put(ws, file, SECOND)
    assert done.documents == 1
    assert done.notes == ("1 document took the place of the version that was here, which answers no more.",)
    [new] = ws.stores.library.documents()
    assert new.iri != old.iri
    assert list(ws.graph.match(NamedNode(new.iri), PROV.wasRevisionOf, NamedNode(old.iri), FACTS))
    with explorer.open() as other:
        put(other, file, SECOND)
        assert tables(ws) == tables(other)
        assert not any("globe" in one for one in facts(ws) if "label" not in one)
    assert "Parker" in ws.run(ASKED).answer
    again = ws.traces.load(trace.iri)
    assert (again.answer, again.reason) == (trace.answer, trace.reason)
    for passage in (again.sources()[0], ws.passages(edge)[0]):
        assert (passage.document, passage.newer) == (old.iri, new.iri)
        assert passage.text == ws.text(old.iri)[passage.start : passage.end]
        assert "a newer version is there" in passage.place
    assert ws.data(old.iri) == FIRST.encode()
    assert ws.text(passage.chunk) in FIRST
    assert validate(ws.graph.match()) == []


def test_a_version_that_is_back_answers_again_with_its_facts(ws, tmp_path):
    file = tmp_path / "motors.txt"
    put(ws, file, FIRST)
    whole = tables(ws), facts(ws)
    put(ws, file, SECOND)
    file.write_text(FIRST)
    ws.ingest(file, chunk_size=60, progress=False)  # it stays cut as it was
    assert [one.text for one in ws.stores.library.documents()] == [FIRST]
    assert tables(ws) == whole[0]
    assert whole[1] <= facts(ws)
    assert "Globe" in ws.run(ASKED).answer


def test_the_same_bytes_at_two_places_stay_while_one_of_them_has_them(ws, tmp_path):
    one, other = tmp_path / "a.txt", tmp_path / "b.txt"
    put(ws, one, FIRST)
    put(ws, other, FIRST)
    put(ws, one, SECOND)
    assert {doc.text.strip() for doc in ws.stores.library.documents()} == {FIRST.strip(), SECOND.strip()}
    put(ws, other, SECOND)
    assert {doc.text.strip() for doc in ws.stores.library.documents()} == {SECOND.strip()}


def test_a_relative_path_is_the_place_that_it_leads_to(ws, tmp_path, monkeypatch):
    put(ws, tmp_path / "motors.txt", FIRST)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "motors.txt").write_text(SECOND)
    ws.ingest("motors.txt", progress=False)
    assert len(ws.stores.library.documents()) == 1


def test_what_is_made_anew_and_counted_is_of_what_is_there(ws, tmp_path):
    file, corpus = tmp_path / "motors.txt", tmp_path / "corpus.jsonl"
    for text in (FIRST, SECOND):
        put(ws, file, text)
        put(ws, corpus, json.dumps({"id": "p", "title": "Motors", "text": text}))
    before = tables(ws)
    ws.reindex(progress=False)
    assert tables(ws) == before
    assert (ws.size.documents, ws.size.pages) == (2, 0)


def test_a_file_of_any_name_replaces_the_document_that_is_named(ws, tmp_path):
    put(ws, tmp_path / "motors.txt", FIRST)
    old = ws.document("motors")
    other = tmp_path / "motors of the second series.md"
    other.write_text(SECOND)
    done = ws.ingest(other, replaces="motors.txt", progress=False)
    assert done.notes == ("1 document took the place of the version that was here, which answers no more.",)
    new = ws.document("second series")
    assert [one.iri for one in ws.documents] == [new.iri]
    assert [one.iri for one in new.versions] == [old.iri, new.iri]
    assert list(ws.graph.match(NamedNode(new.iri), PROV.wasRevisionOf, NamedNode(old.iri), FACTS))
    assert len(ws.stores.library.places(new.iri)) == 2, "it stands where the first one stood, and at its own place"
    put(ws, other, SECOND + "It is red.")
    put(ws, tmp_path / "motors.txt", SECOND + "It is red.")
    assert [len(one.versions) for one in ws.documents] == [3]


def test_what_can_not_replace_a_document_is_refused_and_it_stays(ws, tmp_path):
    put(ws, tmp_path / "motors.txt", FIRST)
    [old] = ws.documents
    corpus, empty = tmp_path / "corpus.jsonl", tmp_path / "empty.txt"
    corpus.write_text('{"id": "p", "text": "Pump 1 feeds tank 1."}')
    empty.touch()
    for paths, said in (([corpus], "each a document of its own"), ([empty], "is empty"), ([tmp_path], "3 files can't")):
        with pytest.raises(DocumentError, match=said):
            ws.ingest(*paths, replaces=old, progress=False)
    with pytest.raises(RecordError, match="No document"):
        ws.ingest(tmp_path / "motors.txt", replaces="pumps", progress=False)
    assert ws.ingest(tmp_path / "motors.txt", replaces=old, progress=False).documents == 0
    assert [one.iri for one in ws.documents] == [old.iri]


class Counting(OxigraphStore):
    """A graph that counts what would be a request over a network, bundled or not."""

    def __init__(self):
        super().__init__(None)
        self.bundles = self.single = 0

    def match(self, *pattern):
        self.single += 1
        return super().match(*pattern)

    def matches(self, patterns, limit=None):
        self.bundles += 1
        before = self.single
        found = super().matches(patterns, limit)
        self.single = before
        return found


def test_the_labels_of_what_is_lost_are_found_in_few_requests_however_many_terms():
    graph = Counting()
    graph.open()
    node = {name: NamedNode(f"http://example.org/{name}") for name in ("hub", "stays", "about", "rare")}
    things = [NamedNode(f"http://example.org/t{n}") for n in range(400)]
    lost = [Triple(one, node["rare"], node["hub"]) for one in things]
    kept = [Triple(things[0], node["about"], node["stays"]), Triple(node["stays"], node["about"], things[1])]
    labels = [Quad(one, RDFS.label, Literal(one.value), FACTS) for one in (*things, *node.values())]
    graph.add([*labels, *(Quad(one.subject, one.predicate, one.object, FACTS) for one in (*lost, *kept))])
    found = [*unspoken_labels(graph, lost, {*lost})]
    assert {quad.subject for quad in found} == {*things[2:], node["hub"], node["rare"]}
    assert len(found) == 400
    assert (graph.bundles, graph.single) == (3, 0)


def test_runs_show_the_version_that_they_read_after_the_former_bytes_are_back(ws, tmp_path):
    file, asked = tmp_path / "motors.txt", "Who built the relief valve?"
    runs = []
    for text in (FIRST, SECOND, FIRST):
        put(ws, file, text)
        [now] = ws.stores.library.documents()
        runs.append((ws.run(asked), now.iri))
    shared = set.intersection(*({edge.edge for edge in trace.edges} for trace, _ in runs))
    for trace, document in runs:
        edge = next(edge for edge in trace.edges if edge.edge in shared)
        assert {one.document for one in ws.passages(edge)} == {document}
        assert {one.document for one in ws.traces.load(trace.iri).sources()} == {document}
