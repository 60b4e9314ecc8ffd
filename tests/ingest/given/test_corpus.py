import json

import pytest
from pyoxigraph import Literal, NamedNode

from explorer import entities as e
from explorer import rdf
from explorer.errors import DocumentError
from explorer.ingest.given.corpus import Fault, GivenPassage, parsed, passages
from explorer.ingest.ingested import Ingested
from explorer.ingest.readers import files
from explorer.ingest.readers.files import LONGEST_LINE, lines
from explorer.vocab import FACTS, PASSAGE, PROV, RDFS, SOURCE, TG, entity_iri
from tests.test_workspace import stored

HOSTILE = "<img src=x onerror=alert(1)>\x1b[31m \U0001f680 [red]"
PASSAGES = [
    {"id": "p0", "title": "Halden", "text": "Halden is a town.\r\n\r\nAnna Lund founded Halden Steel in 1901."},
    {"id": "p1", "title": "Lund", "text": "Anna Lund was born in Bergen. She moved to Halden."},
    {"id": "p2", "title": "Bergen", "text": "Bergen lies on the coast of Norway."},
]
TRIPLES = [
    {"id": "p0", "entities": ["Halden Steel", "Bergen"], "triples": [["Anna Lund", "founded", "halden  steel "],
                                                           ["Halden Steel", "founded in", "1901"]]},
    {"id": "p1", "triples": [[" anna lund", "was born in", "Bergen"], ["Anna Lund", "moved to", "Halden"]]},
    {"id": "p2", "triples": []},
]  # fmt: skip


def jsonl(*items):
    return b"".join(item if isinstance(item, bytes) else json.dumps(item).encode() + b"\n" for item in items)


def numbered(*items):
    return [(number, json.dumps(item).encode()) for number, item in enumerate(items, 1)]


@pytest.fixture
def taken(ws, tmp_path):
    """Read lines of a corpus, and of triples if given."""

    def take(items=PASSAGES, triples=TRIPLES, name="corpus.jsonl"):
        (tmp_path / name).write_bytes(jsonl(*items))
        given = None
        if triples is not None:
            given = tmp_path / "openie.jsonl"
            given.write_bytes(jsonl(*triples))
        return ws.ingest(tmp_path / name, triples=given, progress=False)

    return take


def described(ws, cls):
    return [node for node in rdf.entities(ws.graph.match(graph=cls.graph)) if type(node) is cls]


def reasons(done):
    return [refused.reason for refused in done.refused]


def test_each_line_is_a_document_of_one_page(ws, taken):
    assert taken() == Ingested(3, 0, 3, 4)
    documents = ws.stores.library.documents()
    assert [(one.source, one.title, one.text) for one in documents] == [tuple(p.values()) for p in PASSAGES]
    assert {(one.title, one.page_count, one.mime_type) for one in described(ws, e.Document)} == {
        (p["title"], 1, PASSAGE) for p in PASSAGES
    }
    assert sorted(page.char_length for page in described(ws, e.Page)) == sorted(len(p["text"]) for p in PASSAGES)
    assert [json.loads(ws.data(one.iri)) for one in documents] == PASSAGES


def test_triples_have_full_extraction_provenance_and_lead_to_the_words_of_their_passage(ws, taken):
    taken()
    groups = described(ws, e.Subgraph)
    assert sorted(group.source_text for group in groups) == [
        "Anna Lund founded Halden Steel in 1901.", "Anna Lund was born in Bergen.", "She moved to Halden.",
    ]  # fmt: skip
    assert {group.confidence for group in groups} == {None}
    assert [finding for finding in rdf.validate(ws.graph.match()) if finding.severity == "violation"] == []
    trace = ws.run("Where was Anna Lund born?")
    [born] = [passage for passage in trace.sources() if passage.text == "Anna Lund was born in Bergen."]
    assert (born.source, born.title, born.page, born.page_start) == ("p1", "Lund", 1, 0)
    assert born.extracted_by == "import"
    [by] = ws.graph.match(NamedNode(ws.node(born.subgraph).entity.generated_by), PROV.wasAssociatedWith)
    assert by.object == NamedNode("https://trustgraph.ai/agent/import")
    for passage in trace.sources():
        assert ws.text(passage.document)[passage.start : passage.end] == passage.text


def test_each_entity_has_one_vector_that_belongs_to_no_document(ws, taken):
    taken(PASSAGES[:1], TRIPLES[:1])
    taken()
    rows = ws.stores.database.rows("SELECT key, document, text FROM vectors WHERE kind = 'entity'")
    named = {row["key"]: (row["document"], row["text"]) for row in rows}
    assert len(rows) == len(named)
    assert named == {
        entity_iri("anna lund"): ("", "Anna Lund"),
        entity_iri("halden steel"): ("", "halden steel"),
        entity_iri("bergen"): ("", "Bergen"),
    }


def test_objects_that_a_list_of_entities_leaves_out_are_values(ws, taken):
    taken()
    [quad] = ws.graph.match(None, NamedNode(entity_iri("moved to")), None, FACTS)
    assert quad.object == Literal("Halden")
    assert quad.triple in [edge.edge for edge in ws.run("Where did Anna Lund move to?").edges]


def test_passages_named_by_the_triples_are_not_run_through_the_rules(ws, taken):
    added = {"id": "p3", "title": "Oslo", "text": "Berg Mining built the port of Oslo."}
    taken([*PASSAGES, added])
    agents = {
        p.extracted_by for fact in ws.graph.match(None, TG.contains, None, SOURCE) for p in ws.passages(fact.object)
    }
    assert agents == {"import", "rules"}
    assert ws.run("Who built the port of Oslo?").edges
    assert not [q for q in ws.graph.match(None, None, None, FACTS) if "norway" in str(q.object).lower()]


def test_a_corpus_without_triples_is_read_by_rules(ws, taken):
    assert taken(triples=None).edges
    [edge, *_] = ws.run("Who founded Halden Steel?").edges
    assert ws.passages(edge)[0].source == "p0"
    assert ws.passages(edge)[0].extracted_by == "rules"


def test_the_same_file_again_changes_nothing(ws, taken):
    taken()
    before = stored(ws)
    assert taken() == Ingested(0, 0, 0, 0)
    assert stored(ws) == before


def test_a_changed_line_is_a_new_version(ws, taken):
    taken()
    changed = PASSAGES[2] | {"text": "Bergen lies on the west coast of Norway."}
    assert taken([*PASSAGES[:2], changed]).documents == 1
    assert [one.source for one in ws.stores.library.documents()] == ["p0", "p1", "p2"]


def test_triples_may_come_later(ws, taken):
    taken(triples=None)
    assert taken() == Ingested(0, 0, 0, 4)


def test_more_passages_than_a_batch_are_all_there(ws, taken):
    many = [{"id": f"p{n}", "title": f"T{n}", "text": f"Valve {n} feeds tank {n % 5}."} for n in range(450)]
    given = [{"id": f"p{n}", "triples": [[f"valve {n}", "feeds", f"tank {n % 5}"]]} for n in range(450)]
    assert taken(many, given) == Ingested(450, 0, 450, 450)
    assert ws.stores.vectors.count("edge") == 450
    assert len(list(ws.graph.match(None, RDFS.label, None, FACTS))) == 450 + 450 + 5 + 1


def test_markup_in_a_corpus_is_text(ws, taken):
    taken([{"id": HOSTILE, "title": HOSTILE, "text": f"{HOSTILE} Anna Lund founded Halden Steel."}],
          [{"id": HOSTILE, "triples": [["Anna Lund", "founded", HOSTILE]]}])  # fmt: skip
    trace = ws.run("Who founded Halden Steel?")
    assert [passage.source for passage in trace.sources()] == [HOSTILE]
    assert "<img src" not in ws.report(trace)


BAD = {
    "{broken": b"{broken\n",
    "it is not a JSON object": ["p9"],
    "it has no id": {"id": None, "text": "x"},
    "it has no id; ": {"id": " ", "text": "x"},
    "it has no id;": {"id": "x" * 1001, "text": "x"},
    "it has no text": {"id": "p9", "title": "t"},
    "it has no text, and others in this file are passages; ": {"name": "Bolt", "price": 3},
    "it has triples and no text; ": {"id": "p9", "triples": [["a", "b", "c"]]},
    "it is a message of a recorded session, and others": {"message_type": "chunk", "response": ""},
    "its text is empty": {"id": "p9", "text": " \n"},
    "its title is not text": {"id": "p9", "title": 3, "text": "x"},
    "it has a character that is not text": {"id": "p9", "text": "half \ud800"},
    "it has a NUL, which is no text": {"id": "p9", "text": "half\0"},
    "its id 'p0' is already in line 1": {"id": "p0", "title": "t", "text": "other words"},
    "it is longer than": b'{"id": "p9", "text": "' + b"x" * LONGEST_LINE + b'"}\n',
    "it is not JSON (it is nested too deeply": b"[" * 100_000 + b"\n",
}


@pytest.mark.parametrize("said", BAD)
def test_a_bad_line_is_refused_with_its_number_and_the_rest_goes_on(ws, taken, said):
    done = taken([PASSAGES[0], b"\n", BAD[said], PASSAGES[1]], triples=TRIPLES[:2])
    assert done.documents == 2
    [reason] = reasons(done)
    assert reason.startswith("corpus.jsonl, line 3: ")
    assert said.replace("{broken", "it is not JSON") in reason
    assert ";" in reason
    assert reason.endswith(".")
    assert "\n" not in reason
    assert len(reason) < 300


def test_a_line_with_a_text_alone_is_a_document_called_by_its_file_and_number(ws, take):
    done = take(
        "corpus.jsonl",
        jsonl({"text": "Anna Lund founded Halden Steel."}, {"text": "Bergen is old.", "title": "Bergen"}),
    )
    assert (done.documents, done.refused) == (2, ())
    assert [(one.source, one.title) for one in ws.documents] == [
        ("corpus.jsonl, line 1", "corpus.jsonl, line 1"), ("corpus.jsonl, line 2", "Bergen"),
    ]  # fmt: skip
    assert ws.run("Who founded Halden Steel?").sources()[0].source == "corpus.jsonl, line 1"


@pytest.mark.parametrize("key", ["message_type", "chunk_type"])
@pytest.mark.parametrize("is_wrapped", [False, True])
def test_a_recorded_session_is_refused_with_the_way_to_import_it(ws, tmp_path, key, is_wrapped):
    message = {key: "explain", "explain_id": "urn:x"}
    (tmp_path / "run.jsonl").write_bytes(jsonl({"id": "1", "response": message} if is_wrapped else message))
    before = stored(ws)
    with pytest.raises(DocumentError, match=r"run\.jsonl' is a recorded session, .*; use `explorer import` for it\."):
        ws.ingest(tmp_path / "run.jsonl", progress=False)
    assert stored(ws) == before


@pytest.mark.parametrize("content", [b"", b"\n\n", b"{}\n", b"nonsense\n" * 5000, jsonl(*TRIPLES), b"\xff\xfe\x00"])
def test_a_file_that_is_no_corpus_is_refused_in_one_sentence(ws, taken, content):
    before = stored(ws)
    said = "holds no passage.*; a corpus has one JSON object a line" if content.strip() else "is empty|has nothing but"
    with pytest.raises(DocumentError, match=rf"corpus\.jsonl'? (?:{said})"):
        taken([content])
    assert stored(ws) == before


def test_the_file_of_triples_is_no_document_of_its_folder(ws, tmp_path):
    (tmp_path / "corpus.jsonl").write_bytes(jsonl(*PASSAGES))
    (tmp_path / "openie.jsonl").write_bytes(jsonl(*TRIPLES))
    done = ws.ingest(tmp_path, triples=tmp_path / "openie.jsonl", progress=False)
    assert (done.documents, done.refused) == (3, ())


def test_a_file_of_triples_that_is_not_there_stops_before_anything_is_read(ws, tmp_path):
    (tmp_path / "corpus.jsonl").write_bytes(jsonl(*PASSAGES))
    with pytest.raises(DocumentError, match=r"There is no file .*none\.jsonl; check the path\."):
        ws.ingest(tmp_path / "corpus.jsonl", triples=tmp_path / "none.jsonl", progress=False)
    assert ws.size.documents == 0


def test_triples_for_passages_that_are_not_there_are_told_with_their_line(ws, taken):
    done = taken(PASSAGES[:1])
    assert done.edges == 2
    assert reasons(done) == [
        f"openie.jsonl, line {n}: no passage has the id '{name}'; check the id, or add the passage to the corpus."
        for n, name in ((2, "p1"), (3, "p2"))
    ]


def test_triples_need_a_corpus(ws, tmp_path):
    (tmp_path / "good.txt").write_text("Beech Aircraft built the relief valve in 1966.")
    (tmp_path / "openie.jsonl").write_bytes(jsonl(*TRIPLES))
    done = ws.ingest(tmp_path / "good.txt", triples=tmp_path / "openie.jsonl", progress=False)
    assert done.documents == 1
    assert len(done.refused) == 3


def test_ids_may_be_numbers_and_a_title_may_be_missing():
    given = numbered({"id": 7, "text": "x"}, {"id": True, "text": "x"}, {"id": 7.5, "text": "x"})
    first, *others = passages(given)
    assert first == GivenPassage("7", "7", "x")
    assert all(isinstance(other, Fault) for other in others)


def test_two_lines_with_the_same_words_are_two_documents():
    first, second = passages(numbered({"id": "a", "text": "Same."}, {"id": "b", "text": "Same."}))
    assert parsed(first).iri != parsed(second).iri


def test_lines_are_counted_with_blank_ones_and_a_long_one_is_skipped(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "LONGEST_LINE", 10)
    (tmp_path / "a").write_bytes(b"one\n\n" + b"x" * 9 + b"\n" + b"y" * 35 + b"\n" + b"z" * 10 + b"\nlast")
    with (tmp_path / "a").open("rb") as file:
        assert list(lines(file)) == [(1, b"one\n"), (3, b"x" * 9 + b"\n"), (4, None), (5, None), (6, b"last")]
