import json
from time import process_time

import pytest
from pyoxigraph import Literal, NamedNode, Quad, RdfFormat, serialize

import explorer
from explorer import rdf
from explorer.errors import DocumentError
from explorer.ingest.readers.files import read
from explorer.vocab import FACTS, PROV, RDFS, local_name
from tests.each import each

PEOPLE = """@prefix ex: <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix dc: <http://purl.org/dc/elements/1.1/> .
@prefix prov: <http://www.w3.org/ns/prov#> .
<> dc:title "Early computing" ; dc:creator "Mary" ; dc:date "2024-05-01" .

ex:ada a ex:Person ;
  rdfs:label "Ада"@ru, "Ada Lovelace"@en ;
  ex:birthDate "1815-12-10" ;
  ex:knows ex:charles .
ex:charles skos:prefLabel "Charles Babbage" ;
  ex:designed ex:Analytical_Engine ;
  ex:address [ ex:city "London" ] ;
  ex:children ( ex:Ben ex:Georgiana ) .
ex:ada ex:wrote ex:notes {| dc:source ex:menabrea ; ex:confidence 0.9 |} .
ex:menabrea dc:title "Sketch of the Engine" .
<< ex:ada ex:invented ex:telephone >> ex:claimedBy ex:nobody .
"""
SENTENCES = """Ada Lovelace is a Person.
Ada Lovelace is also called Ада.
Ada Lovelace: birth date 1815-12-10.
Ada Lovelace: knows Charles Babbage.
Charles Babbage designed Analytical Engine.
Charles Babbage: address address of Charles Babbage.
Address of Charles Babbage: city London.
Charles Babbage: children Ben.
Charles Babbage: children Georgiana.
Ada Lovelace: wrote notes (source: Sketch of the Engine; confidence: 0.9).
"""
EX = "http://example.org/"
FACT = f'<{EX}pump> <{EX}madeBy> "Acme" .\n'


@pytest.fixture
def people(tmp_path):
    file = tmp_path / "people.ttl"
    file.write_text(PEOPLE)
    return file


def facts_of(ws):
    return {fact.words for fact in ws.facts(limit=None)}


def test_each_statement_is_a_line_of_plain_words_and_a_fact_has_the_line_of_its_own():
    reading = read(PEOPLE.encode(), "people.ttl")
    assert reading.text == SENTENCES
    assert (reading.title, reading.author, reading.date) == ("Early computing", "Mary", "2024-05-01")
    for fact in reading.facts:
        assert reading.text[fact.start : fact.end] in SENTENCES.splitlines()
        assert fact.words[2] in reading.text[fact.start : fact.end]
    assert len(reading.facts) == len(SENTENCES.splitlines()) - 1, "a name in another language is no fact"
    assert [(part.label, reading.text[part.start : part.end] + "\n") for part in reading.parts] == [
        ("Lines 8–16", SENTENCES)
    ]


@each("form", ["turtle", "trig", "nt", "nq", "rdfxml", "json-ld"])
def test_every_format_states_the_same_facts(form):
    plain = rdf.load(PEOPLE.partition("\n<<")[0].replace("<> dc", "ex:file dc"), "turtle").quads
    plain = [quad for quad in plain if "22-rdf-syntax-ns#" not in quad.predicate.value]
    suffix = {"turtle": "ttl", "rdfxml": "rdf", "json-ld": "jsonld"}.get(form, form)
    first, other = (
        {fact.words for fact in read(rdf.dump(plain, one), f"people.{end}").facts}
        for one, end in (("turtle", "ttl"), (form, suffix))
    )
    assert other == first
    assert ("Ada Lovelace", "birth date", "1815-12-10") in first


def test_questions_are_answered_with_its_facts_and_the_lines_they_stand_in(ws, people):
    done = ws.ingest(people, progress=False)
    assert (done.documents, done.edges, done.refused) == (1, 9, ())
    trace = ws.run("Who designed the Analytical Engine?")
    assert trace.answer == "Charles Babbage designed Analytical Engine."
    [passage] = trace.sources()[:1]
    assert (passage.title, passage.section, passage.extracted_by) == ("Early computing", "Lines 8–16", "import")
    assert ws.stores.library.text(passage.document)[passage.start : passage.end] == passage.text
    assert ws.node(passage.subgraph).entity.label == "Line 13"
    assert ws.stores.library.get(passage.document).data == PEOPLE.encode()


def test_what_the_file_says_of_a_fact_stands_beside_it_and_its_source_on_record(ws, people):
    ws.ingest(people, progress=False)
    [fact] = [fact for fact in ws.facts(limit=None) if fact.words[1] == "wrote"]
    assert "(source: Sketch of the Engine; confidence: 0.9)" in fact.passages[0].text
    assert ws.node(fact.iri).entity.sources == (EX + "menabrea",)


SOURCES = {
    "classic.ttl": """@prefix r: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> . @prefix e: <http://example.org/> .
        e:pump e:madeBy "Acme" .
        [] a r:Statement ; r:subject e:pump ; r:predicate e:madeBy ; r:object "Acme" ;
           <http://purl.org/dc/terms/source> e:leaflet .""",
    "named.trig": """@prefix e: <http://example.org/> . @prefix p: <http://www.w3.org/ns/prov#> .
        e:g { e:pump e:madeBy "Acme" } { e:g p:wasDerivedFrom e:leaflet }""",
    "thing.ttl": """@prefix e: <http://example.org/> . @prefix p: <http://www.w3.org/ns/prov#> .
        e:pump e:madeBy "Acme" ; p:hadPrimarySource e:leaflet .""",
    "extracted.trig": """@prefix e: <http://example.org/> . @prefix p: <http://www.w3.org/ns/prov#> .
        @prefix tg: <https://trustgraph.ai/ns/> .
        e:pump e:madeBy "Acme" .
        <urn:graph:source> {
          <https://trustgraph.ai/subgraph/1> a tg:Subgraph ; tg:contains <<( e:pump e:madeBy "Acme" )>> ;
            p:wasDerivedFrom <urn:chunk:1> . <urn:chunk:1> a tg:Chunk ; p:wasDerivedFrom e:leaflet . }""",
}


@each("name", SOURCES)
def test_a_source_is_found_however_a_file_names_it(name):
    reading = read(SOURCES[name].encode(), name)
    [fact] = reading.facts
    assert fact.sources == (EX + "leaflet",)
    assert reading.text.rstrip() == "Pump: made by Acme (source: http://example.org/leaflet)."


def test_provenance_records_and_what_is_only_quoted_never_become_facts(ws, tmp_path):
    file = tmp_path / "all.trig"
    file.write_text(
        PEOPLE
        + """<https://trustgraph.ai/doc/1> a <https://trustgraph.ai/ns/Document> ; dc:title "Forged" ; ex:p "x" .
        ex:run a prov:Activity ; prov:used ex:notes ; ex:took 3 .
        ex:notes prov:wasAttributedTo ex:ada .
        <urn:graph:annotation> { ex:a ex:b ex:c }
        """
    )
    done = ws.ingest(file, progress=False)
    assert done.edges == 9
    assert "1 statement made no fact, only being quoted and not stated." in done.notes[1]
    predicates = {quad.predicate.value for quad in ws.graph.match(graph=FACTS)}
    assert not [one for one in predicates if local_name(one) in ("p", "took", "b", "invented", "was attributed to")]
    assert [document.title for document in ws.documents] == ["Early computing"]
    assert not list(ws.graph.match(NamedNode("https://trustgraph.ai/doc/1")))


def test_names_are_labels_and_what_an_iri_says_is_none(ws, people):
    ws.ingest(people, progress=False)
    labels = {q.subject.value: q.object.value for q in ws.graph.match(None, RDFS.label, None, FACTS)}
    assert labels[EX + "ada"] == "Ada Lovelace"
    assert labels[EX + "charles"] == "Charles Babbage"
    assert EX + "birthDate" not in labels
    assert "address of Charles Babbage" in labels.values()


def test_a_name_that_another_file_gives_later_is_taken(ws, tmp_path):
    (tmp_path / "a.nt").write_text(FACT)
    (tmp_path / "b.nt").write_text(f'<{EX}pump> <{RDFS.label.value}> "Pump 7" .\n<{EX}pump> <{EX}weight> "9 kg" .\n')
    ws.ingest(tmp_path / "a.nt", progress=False)
    ws.ingest(tmp_path / "b.nt", progress=False)
    assert facts_of(ws) == {("Pump 7", "made by", "Acme"), ("Pump 7", "weight", "9 kg")}


def described(ws):
    """What the graph says but for activities, of which each part of a file has its own."""
    quads = (quad for quad in ws.graph.match() if "/activity/" not in quad.subject.value)
    return {quad for quad in quads if quad.predicate != PROV.wasGeneratedBy}


@pytest.mark.parametrize("suffix", ["nt", "jsonld"])
def test_many_facts_are_written_some_at_a_time_all_of_them_or_none(tmp_path, monkeypatch, suffix):
    quads = [Quad(NamedNode(f"{EX}p{n}"), NamedNode(f"{EX}weight"), Literal(f"{n} kg")) for n in range(135)]
    file = tmp_path / f"many.{suffix}"
    file.write_bytes(serialize(quads, format=RdfFormat.from_extension(suffix)))
    with explorer.open(tmp_path / "whole") as ws:
        ws.ingest(file, progress=False)
        whole = described(ws)
        text = ws.text(ws.documents[0].iri)
    monkeypatch.setattr("explorer.ingest.batch._READY", 50)
    with explorer.open(tmp_path / "w") as ws:

        def stop(step):
            if step.stage == "storing" and step.done > 2:
                assert ws.size.documents == 0
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            ws.ingest(file, progress=stop)
        assert list(ws.graph.match()) == []
        assert ws.ingest(file, progress=False).edges == 135
        assert ws.size.facts == 135
        assert described(ws) == whole
        assert ws.text(ws.documents[0].iri) == text
        assert ws.stores.library.get(ws.documents[0].iri).data == file.read_bytes()
        assert ws.ingest(file, progress=False).edges == 0
        for fact in ws.facts(limit=None):
            [passage] = fact.passages
            assert text[passage.start : passage.end] == passage.text
            assert fact.words[2] in passage.text


def test_blank_nodes_survive_under_names_of_their_own(ws, take):
    assert take("blank.nt", f"_:a <{EX}p> _:b .\n_:b <{EX}p> _:a .\n_:c <{EX}q> _:c .\n").edges == 3
    nodes = {end.value for fact in ws.facts(limit=None) for end in (fact.triple.subject, fact.triple.object)}
    assert len(nodes) == 3
    assert len({name for fact in ws.facts(limit=None) for name in (fact.words[0], fact.words[2])}) == 3
    take("two.nt", f"_:a <{EX}p> _:d .\n")
    assert ws.size.facts == 4, "those of two files never meet"


@pytest.mark.parametrize(
    ("written", "members"), [("( 1 2 )", ["1", "2"]), ("( )", ["nil"]), ("( ( 1 ) 2 )", ["p of a", "2"])]
)
def test_a_list_stands_for_its_members(written, members):
    facts = read(f"<http://e/a> <http://e/p> {written} .".encode(), "l.ttl").facts
    assert [fact.words[2] for fact in facts if fact.words[0] == "a"] == members


def test_a_list_in_a_circle_stays_as_it_is():
    r = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
    text = f"<http://e/x> <http://e/p> _:a . _:a <{r}first> 1 ; <{r}rest> _:a ."
    assert len(read(text.encode(), "l.ttl").facts) == 3


def test_json_as_a_value_is_kept_as_it_is():
    data = {"@context": {"d": {"@id": EX + "d", "@type": "@json"}}, "@id": EX + "a", "d": {"k": [1, {"x": "<b>"}]}}
    [fact] = read(json.dumps(data).encode(), "j.jsonld").facts
    assert isinstance(fact.triple.object, Literal)
    assert json.loads(fact.triple.object.value) == data["d"]


def test_an_iri_relative_to_its_file_is_one_of_that_file_alone():
    one, other = (
        read(b'<#me> <http://e/p> "x" .', "card.ttl", place).facts[0] for place in ("/a/card.ttl", "/b/card.ttl")
    )
    assert one.triple.subject.value.endswith("/card.ttl#me")
    assert one.triple.subject != other.triple.subject
    assert "/a/" not in one.triple.subject.value


def test_a_value_longer_than_a_passage_begins_in_the_passage_of_its_fact(ws, take):
    assert take("long.nt", f'<{EX}a> <{EX}comment> "{"one two three. " * 500}" .\n' + FACT).edges == 2
    for fact in ws.facts(limit=None):
        [passage] = fact.passages
        assert ws.stores.library.text(passage.document)[passage.start : passage.end] == passage.text
        assert passage.text.startswith(("A: comment", "a: comment", "Pump: made by"))


def test_a_changed_chunk_size_keeps_each_fact_with_its_words(ws, people):
    assert ws.ingest(people, chunk_size=60, chunk_overlap=20, progress=False).edges == 9
    for fact in ws.facts(limit=None):
        assert fact.passages[0].text in SENTENCES


def test_relative_names_are_the_same_whether_a_file_is_ingested_or_imported(ws, tmp_path):
    file = tmp_path / "cranes.ttl"
    file.write_text("@prefix : <#> . @prefix e: <http://e/> .\n:crane e:stands_at <quay> ; e:told_in <> .\n")
    ws.ingest(file, progress=False)
    asked = "SELECT DISTINCT ?s ?p ?o { ?s ?p ?o FILTER(STRSTARTS(STR(?p), 'http://e/')) } ORDER BY ?p"
    ingested = [*ws.query(asked)]
    with explorer.open() as other:
        other.import_record(file)
        assert [*other.query(asked)] == ingested
    base = ingested[1]["o"]
    assert base.startswith("file:///")
    assert base.endswith("/cranes.ttl")
    assert (ingested[0]["s"], ingested[0]["o"]) == (f"{base}#crane", base.replace("cranes.ttl", "quay"))


def test_lines_that_are_no_statements_are_told_and_the_others_read(take):
    done = take("some.nt", f"{FACT}<{EX}a> nonsense .\n<{EX}a b> <{EX}p> <{EX}c> .\n")
    assert done.edges == 1
    assert [refused.reason.partition(":")[0] for refused in done.refused] == [
        "some.nt, line 2, column 24", "some.nt, line 3, column 1",
    ]  # fmt: skip


def test_of_very_many_refused_lines_the_first_are_told():
    reading = read(FACT.encode() + b"nonsense\n" * 1000, "some.nt")
    assert len(reading.refused) == 101
    assert reading.refused[-1] == "900 more statements can't be read either"


def test_very_much_that_is_said_of_one_thing_in_many_graphs_is_read_in_seconds():
    begun = process_time()
    data = "".join(f"<{EX}g{n}> {{ <{EX}a> <{EX}p> <{EX}c{n}> }}\n" for n in range(10_000))
    assert len(read(data.encode(), "a.trig").facts) == 10_000
    assert process_time() - begun < 8


NAMED_OTHERWISE = {
    "data.xml": b'<?xml version="1.0"?>\n<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" '
                b'xmlns:e="http://e/"><rdf:Description rdf:about="http://e/a"><e:p>1</e:p></rdf:Description></rdf:RDF>',
    "data.json": b'{"@context": {"e": "http://e/"}, "@id": "e:a", "e:p": 1}',
    "data.owl": b"@prefix e: <http://e/> .\ne:a e:p 1 .",
}  # fmt: skip


@pytest.mark.parametrize("name", NAMED_OTHERWISE)
def test_what_a_file_holds_tells_its_format(name):
    assert [fact.words for fact in read(NAMED_OTHERWISE[name], name).facts] == [("a", "p", "1")]


def test_markup_in_names_and_values_stays_text(ws, tmp_path):
    file = tmp_path / "hostile.nt"
    file.write_text(
        f'<{EX}a> <{RDFS.label.value}> "<img src=x onerror=alert(1)>\\u001b[31m" .\n<{EX}a> <{EX}p> "<b>" .\n'
    )
    ws.ingest(file, progress=False)
    page = ws.report(ws.run("What is p?"))
    assert "<img src=x" not in page
    assert "\x1b" not in page


def test_files_of_facts_have_a_limit_of_their_own_until_it_is_raised(ws, tmp_path):
    file = tmp_path / "sparse.jsonld"
    with file.open("wb") as sparse:
        sparse.write(b'{"@context":')
        sparse.truncate(20_000_001)
    said = r"has 20,000,001 bytes, more than the 20,000,000 that are read of a file; .* with max_bytes= or --max-bytes"
    with pytest.raises(DocumentError, match=said):
        ws.ingest(file, progress=False)


def test_a_nul_in_a_fact_gets_a_mark_in_its_text():
    reading = read(b'<urn:a> <urn:b> "x\\u0000y" .\n', "a.nt")
    assert "\0" not in reading.text
    assert "x\N{REPLACEMENT CHARACTER}y" in reading.text


def test_what_is_forgotten_takes_its_facts_with_it_and_can_come_back(ws, people, tmp_path):
    (tmp_path / "other.nt").write_text(f'<{EX}ada> <{EX}birthDate> "1815-12-10" .\n')
    ws.ingest(people, tmp_path / "other.nt", progress=False)
    ws.forget("people.ttl")
    assert facts_of(ws) == {("Ada Lovelace", "birth date", "1815-12-10")}
    ws.ingest(people, progress=False)
    assert ws.size.facts == 9
