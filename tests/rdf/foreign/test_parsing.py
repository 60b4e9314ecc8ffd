import io
import json
import re
import time
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import BlankNode, Literal, NamedNode, Quad, Triple

from explorer import rdf
from explorer.errors import RecordError
from explorer.rdf.foreign.quoted_triples import DEPTH
from explorer.vocab import PROV, RDF, RETRIEVAL, TG
from tests.each import each
from tests.rdf.strategies import quads

EDGE = TG.edge.value
S, P = NamedNode("urn:s"), NamedNode("urn:p")
GOOD = '<urn:s> <urn:p> "1" .\n'
PREFIXES = f"@prefix tg: <{TG.base}> .\n@prefix : <urn:> .\n"
RDF_XML = '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="urn:e:">{}</rdf:RDF>'


def nested(depth, opening="<<( ", closing=" )>>"):
    return f"<urn:s> <{EDGE}> " + f"{opening}<urn:s> <urn:p> " * depth + '"x"' + closing * depth + " .\n"


@each("form", ["nq", "nt"])
@each(("bad", "column", "reason"), [
    ("<urn:s> <urn:p> <a b> .", 17, "IRI"),
    ("<urn:s> <urn:p> <relative> .", 17, "scheme"),
    ("<urn:s> <urn:p> <http://[bad> .", 17, "host"),
    ('"x" <urn:p> <urn:o> .', 1, "subject"),
    ("<urn:s> <urn:p> << <urn:s> <urn:p> <urn:o> >> .", 17, "object"),
    (f"<< <urn:s> <urn:p> <urn:o> >> <{EDGE}> <urn:o> .", 1, "subject"),
    (f"<urn:s> <{EDGE}> << <urn:s> <urn:p> <a b> >> .", 60, "IRI"),
    (f"<urn:s> <{EDGE}> <<<urn:s><urn:p><urn:o>>> <<x .", 67, ""),
    ('<urn:s> <urn:p> "é" <a b> .', 21, "IRI"),
    ('<urn:s> <urn:p> "not closed .', 17, "end"),
    ('<urn:s> <urn:p> "\\uD800" .', 18, "unicode"),
    ('<urn:s> <urn:p> "x"', 20, "dot"),
    ('<urn:s> <urn:p> "x" . <urn:s> <urn:p> "y" .', 23, "single"),
    ("garbage", 1, ""),
])  # fmt: skip
def test_a_bad_statement_is_refused_with_its_place_and_the_rest_is_read(form, bad, column, reason):
    loaded = rdf.load(f"# head\n{GOOD}\n{bad}\n{GOOD}", form)
    assert [quad.object.value for quad in loaded.quads] == ["1", "1"]
    [refused] = loaded.refused
    assert (refused.line, refused.column, refused.statement) == (4, column, bad)
    assert reason in refused.reason
    assert "Parser error" not in refused.reason
    assert loaded.given == 3


@given(st.lists(st.sampled_from([GOOD, "garbage\n", "<urn:s> <a b> <urn:o> .\n", "\n", "# a comment\n"])))
def test_read_and_refused_add_up_to_what_was_given(lines):
    loaded = rdf.load("".join(lines), "nq")
    statements = [line for line in lines if line.strip() and not line.startswith("#")]
    assert loaded.given == len(statements) == len(loaded.quads) + len(loaded.refused)
    assert len(loaded.quads) == lines.count(GOOD)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_end_as_on_any_system(end):
    loaded = rdf.load(end.join([GOOD.strip(), "garbage", GOOD.strip()]), "nq")
    assert (len(loaded.quads), [refused.line for refused in loaded.refused]) == (2, [2])


def test_bytes_that_are_not_utf_8_cost_their_statement_alone():
    loaded = rdf.load(GOOD.encode() + b'<urn:s> <urn:p> "a\xc3\xa9\xff" .\n' + GOOD.encode(), "nq")
    [refused] = loaded.refused
    assert (refused.line, refused.column, len(loaded.quads)) == (2, 20, 2)
    assert "UTF-8" in refused.reason


@each("form", ["trig", "turtle", "rdfxml", "json-ld"])
def test_a_document_that_is_not_utf_8_is_refused_with_the_byte(form):
    with pytest.raises(RecordError, match=r"line 2, column 2: byte 4 is 0xff, which is not UTF-8"):
        rdf.load(b"# \n \xff", form)


@each(("form", "text", "place"), [
    ("trig", "@prefix : <urn:> .\n:s :p <<( :a :b :c )> .", "line 2, column 20"),
    ("turtle", "@prefix : <urn:> .\n:s :p :o\n:s :p :o .", "line 3, column 1"),
    ("turtle", "x:s x:p x:o .", "line 1, column 1"),
    ("rdfxml", "<rdf:RDF>\n<a></b></rdf:RDF>", "line 2, column 6"),
    ("rdfxml", RDF_XML.format("\n<rdf:Description>"), "line 2, column 20"),
    ("rdfxml", RDF_XML.format("")[:-5], "line 1"),
    ("rdfxml", "", "line 1"),
    ("json-ld", '{"@id": "urn:s",\n "urn:p": }', "line 2, column 11"),
    ("json-ld", '{"@id": "urn:s"', "line 1, column 16"),
    ("json-ld", "", "line 1, column 1"),
])  # fmt: skip
def test_a_syntax_error_of_a_document_names_its_place_and_nothing_is_read(form, text, place):
    with pytest.raises(RecordError, match=rf"This {form} can't be read at {place}.*Nothing of it was stored"):
        rdf.load(text, form)


@each(("form", "text", "line"), [
    ("turtle", '<urn:s> <urn:p> "1" .\n<urn:s> <urn:p> <http://[bad> .', 2),
    ("trig", '<urn:g> { <urn:s> <urn:p> "1" .\n<urn:s> <urn:p> <relative> . }', 2),
    ("rdfxml", RDF_XML.format('<rdf:Description rdf:about="urn:s"><e:p>1</e:p>\n<e:p rdf:resource="http://[bad"/>'
                              "</rdf:Description>"), 2),
    ("json-ld", '{"@id": "urn:s", "urn:p": ["1",\n {"@id": "http://[bad"}]}', 2),
    ("json-ld", '{"@id": "urn:s", "urn:p": "1",\n "a b": "2"}', 2),
    ("json-ld", '[{"@id": "urn:s", "urn:p": "1"},\n {"@id": "a b", "urn:p": "2"}]', 2),
])  # fmt: skip
def test_an_invalid_iri_costs_its_statements_alone(form, text, line):
    loaded = rdf.load(text, form)
    assert [quad.object.value for quad in loaded.quads] == ["1"]
    [refused] = loaded.refused
    assert refused.line == line
    assert "is not valid" in refused.reason
    assert loaded.given == 2


@each(("form", "text"), [
    ("rdfxml", RDF_XML.format('<rdf:Description rdf:about="urn:s"><e:p xml:lang="">1</e:p></rdf:Description>')),
    ("rdfxml", RDF_XML.format('<rdf:Description rdf:about="urn:s" e:p="1" xml:lang=""/>')),
    ("json-ld", '{"@id": "urn:s", "urn:p": {"@value": "1", "@language": ""}}'),
])  # fmt: skip
def test_an_empty_language_is_none_and_the_statement_can_be_written(form, text):
    loaded = rdf.load(text, form)
    assert [quad.object for quad in loaded.quads] == [Literal("1")]
    assert rdf.load(rdf.dump(loaded.quads, "nq"), "nq").quads == loaded.quads
    streamed = rdf.blocks(io.BytesIO(text.encode()), form) if form in rdf.STREAMED else ()
    assert all(tuple(block.found) == loaded.quads for block in streamed)


@each("form", ["turtle", "trig"])
def test_a_name_that_makes_no_iri_though_it_may_be_written_costs_its_statement_alone(form):
    loaded = rdf.load('@prefix e: <urn:e:> .\ne:s e:p "1" .\n<urn:s> e:p e:a\U000e01ef .', form)
    assert [quad.object.value for quad in loaded.quads] == ["1"]
    assert "is not valid" in loaded.refused[0].reason


QUOTED = [
    Quad(S, TG.edge, Triple(S, P, Literal('a << b >> "', language="en")), RETRIEVAL),
    Quad(S, TG.contains, Triple(S, P, Triple(S, P, NamedNode("urn:o"))), RETRIEVAL),
    Quad(S, TG.reifies, Triple(BlankNode("b"), P, NamedNode("urn:o")), RETRIEVAL),
    Quad(S, P, Literal("<< this >> and <<( that )>> are text # as is this"), RETRIEVAL),
]


def test_quoted_triples_of_trustgraph_become_triple_terms_in_n_quads():
    text = "".join(
        line.replace("<<( ", "<<").replace(" )>>", ">>") if "this" not in line else line
        for line in rdf.dump(QUOTED, "nq").decode().splitlines(keepends=True)
    )
    assert "<<<urn:s>" in text
    loaded = rdf.load(text + "# << <urn:s> <urn:p> <urn:o> >>\n", "nq")
    assert set(loaded.quads) == set(QUOTED)
    assert loaded.refused == ()


@pytest.mark.parametrize("form", ["turtle", "trig"])
def test_quoted_triples_of_trustgraph_become_triple_terms_in_turtle(form):
    text = PREFIXES + ":s tg:edge << :s :p << :s :p 'x' >> >>, << :s :p 'y' >> ; tg:contains <<( :s :p 'z' )>> ."
    loaded = rdf.load(text, form)
    y, z = (Triple(S, P, Literal(text)) for text in "yz")
    x = Triple(S, P, Triple(S, P, Literal("x")))
    assert set(loaded.quads) == {Quad(S, TG.edge, x), Quad(S, TG.edge, y), Quad(S, TG.contains, z)}


@each("text", [
    ":s :other << :s :p :o >> .",
    ":s tg:edge << :s :p :o ~ _:r >> . _:r :certainty 1 .",
    ":s tg:edge << :s :p :o ~ _:r >> ; :other _:r .",
    "<< :s :p :o >> tg:edge :x .",
    ":s tg:edge << :s :p :o ~ :named >> .",
])  # fmt: skip
def test_a_reifier_that_is_more_than_a_quoted_triple_stays(text):
    assert [quad for quad in rdf.load(PREFIXES + text, "turtle").quads if quad.predicate == RDF.reifies]


@pytest.mark.parametrize("depth", [DEPTH + 1, 20_000, 200_000])
def test_triples_nested_deeply_are_refused_and_the_rest_is_read(depth):
    for opening, closing in (("<<( ", " )>>"), ("<< ", " >>"), ("<<", ">>")):
        loaded = rdf.load(GOOD + nested(depth, opening, closing) + GOOD, "nq")
        assert (len(loaded.quads), [refused.line for refused in loaded.refused]) == (2, [2])
        assert "nested deeper than 100" in loaded.refused[0].reason
        assert len(loaded.refused[0].statement) < 300


@each("depth", [DEPTH + 1, 20_000])
@each(("form", "text"), [
    ("trig", nested),
    ("turtle", lambda depth: nested(depth, "<< ", " >>")),
    ("turtle", lambda depth: nested(depth, "<<( # )>>\n", " )>>")),
    ("turtle", lambda depth: "<urn:s> <urn:p> ':a\\'' , <urn:a#b> .\n" + nested(depth)),
    ("json-ld", lambda depth: '{"urn:p":' * depth + '"]}"' + "}" * depth),
    ("json-ld", lambda depth: "[" * depth + "]" * depth),
    ("rdfxml", lambda depth: RDF_XML.format("<rdf:Description><e:p>" * depth + "</e:p></rdf:Description>" * depth)),
])  # fmt: skip
def test_documents_nested_deeply_are_refused(form, text, depth):
    with pytest.raises(RecordError, match=r"at line \d+, column \d+: it is nested deeper than 100"):
        rdf.load(text(depth), form)


def test_as_deep_as_is_allowed_is_read_and_written_in_every_format(roundtrip):
    [quad] = rdf.load(nested(DEPTH), "nq").quads
    for form in ("nq", "trig", "json-ld", "nt", "turtle"):
        roundtrip([quad], form)


def test_flat_reifiers_in_a_long_chain_are_read_as_they_are():
    chain = "".join(f"_:r{i} rdf:reifies <<( :s :p _:r{i + 1} )>> .\n" for i in range(20_000))
    text = f"{PREFIXES}@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .\n:s tg:edge _:r0 .\n{chain}"
    assert rdf.load(text, "turtle").given == 20_001


BOMB = "<!DOCTYPE b [<!ENTITY a0 'x'>" + "".join(f"<!ENTITY a{i} '{f'&a{i - 1};' * 10}'>" for i in range(1, 10)) + "]>"


def test_an_entity_bomb_is_refused_at_once():
    begun = time.thread_time()
    with pytest.raises(RecordError, match=r"line 1, column \d+: a DOCTYPE with entities that multiply"):
        rdf.load(BOMB + RDF_XML.format("<rdf:Description><e:p>&a9;</e:p></rdf:Description>"))
    assert time.thread_time() - begun < 1


@pytest.mark.parametrize(
    "declared",
    ['SYSTEM "http://example.org/dtd"', '[<!ENTITY o SYSTEM "file:///etc/passwd">]', '[<!ENTITY % o "x">]',
     f'[<!ENTITY o "{"x" * 1000}">]'],
)  # fmt: skip
def test_a_document_type_that_stands_elsewhere_or_grows_is_refused(declared, no_network):
    told = "&o;" * 100_001
    with pytest.raises(RecordError, match="a DOCTYPE"):
        rdf.load(f"<!DOCTYPE r {declared}>" + RDF_XML.format(f"<rdf:Description><e:p>{told}</e:p></rdf:Description>"))
    assert no_network == []


@each(("declared", "told", "said"), [
    ('<!ENTITY o "http://example.org/">', "&o;a", "http://example.org/a"),
    ("<!ENTITY o 'http://example.org/'>", "&o;a", "http://example.org/a"),
    ("<!-- o's --><!ENTITY o\n  'http://example.org/'\n><!ENTITY b \"b's\">", "&o;&b;", "http://example.org/b's"),
    ("<!ENTITY o 'http://example.org/'><!ENTITY s 'a\"b'>", "&o;&s;", 'http://example.org/a"b'),
])  # fmt: skip
def test_short_names_that_a_document_type_declares_are_read(declared, told, said):
    """In quotes of both kinds, also where a file is read piece by piece."""
    text = f"<!DOCTYPE rdf:RDF [{declared}]>" + RDF_XML.format(
        f'<rdf:Description rdf:about="&o;x"><e:p>{told}</e:p></rdf:Description>'
    )
    streamed = [one for block in rdf.blocks(io.BytesIO(text.encode()), "rdfxml") for one in block.found]
    for [quad] in (rdf.load(text, "rdfxml").quads, streamed):
        assert quad.subject == NamedNode("http://example.org/x")
        assert quad.object == Literal(said)


def test_a_context_on_the_network_is_never_fetched(no_network):
    with pytest.raises(RecordError, match=r"its @context http://example\.org/context is elsewhere"):
        rdf.load('{"@context": "http://example.org/context", "name": "x"}', "json-ld")
    assert no_network == []


@each("form", rdf.FORMATS)
def test_a_long_literal_of_10_megabytes_too_is_read_with_its_language_and_datatype(form):
    long = [Quad(S, P, Literal("x\n" * 600_000, language="pl")), Quad(S, P, Literal('"' * 1_100_000, datatype=S)),
            Quad(S, P, Literal("xé " * 2_500_000))]  # fmt: skip
    assert set(rdf.load(rdf.dump(long, form), form).quads) == set(long)


def test_a_long_text_in_the_place_of_an_iri_is_refused_in_json_ld():
    loaded = rdf.load('{"@id": "' + "x" * 1_500_000 + '", "urn:p": 1}', "json-ld")
    assert (len(loaded.quads), len(loaded.refused)) == (0, 1)


@pytest.mark.parametrize("form", ["nq", "trig", "turtle"])
def test_a_literal_too_long_for_the_parser_is_refused(form):
    text = f'<urn:s> <urn:p> "{"x" * 17_000_000}" .\n{GOOD}'
    if form == "nq":
        loaded = rdf.load(text, form)
        assert [refused.reason for refused in loaded.refused] == ["it is longer than the 16 MB that one term may have"]
        assert len(loaded.quads) == 1
    else:
        with pytest.raises(RecordError, match="longer than the 16 MB"):
            rdf.load(text, form)


def test_100_000_children_of_one_node_are_read():
    text = "".join(f"<urn:c{i}> <{PROV.wasDerivedFrom.value}> <urn:s> .\n" for i in range(100_000))
    begun = time.thread_time()
    assert rdf.load(text, "nq").given == 100_000
    assert time.thread_time() - begun < 3


def test_100_000_bad_statements_are_refused_in_time():
    begun = time.thread_time()
    loaded = rdf.load("<urn:s> <a b> <urn:o> .\n" * 100_000, "nq")
    assert time.thread_time() - begun < 10
    assert (loaded.given, len(loaded.refused)) == (100_000, 100_000)


def test_statements_without_a_graph_go_where_they_are_told():
    in_graph = Quad(S, P, Literal("1"), RETRIEVAL)
    for form in ("nt", "turtle", "rdfxml"):
        assert rdf.load(rdf.dump([in_graph], form), form, graph=RETRIEVAL).quads == (in_graph,)
    mixed = [in_graph, Quad(S, P, Literal("2"), NamedNode("urn:g"))]
    assert set(rdf.load(rdf.dump(mixed, "nq"), graph=RETRIEVAL).quads) == set(mixed)


def test_a_byte_order_mark_is_passed_over():
    for form in rdf.FORMATS:
        assert rdf.load(b"\xef\xbb\xbf" + rdf.dump([Quad(S, P, S)], form), form).given == 1


@pytest.mark.parametrize("form", ["prov-json", "prov-n"])
def test_prov_is_read_as_it_was_written(form):
    given = {Quad(S, RDF.type, PROV.Entity), Quad(S, P, S), Quad(S, PROV.wasDerivedFrom, P)}
    assert set(rdf.load(rdf.dump(given, form), form).quads) == given


FOREIGN = {
    "prefix": {"ex": "http://e/"},
    "entity": {"ex:a": {"prov:label": "A", "ex:n": 3, "ex:d": {"$": "2020-01-01", "type": "xsd:date"}}, "ex:b": {}},
    "activity": {"ex:x": {"prov:startTime": "2020-01-01T00:00:00Z"}},
    "agent": {"ex:me": {"prov:type": {"$": "prov:Person", "type": "prov:QUALIFIED_NAME"}}},
    "wasDerivedFrom": {"_:1": {"prov:generatedEntity": "ex:a", "prov:usedEntity": "ex:b"}},
    "wasGeneratedBy": {"_:2": {"prov:entity": "ex:a", "prov:activity": "ex:x", "prov:time": "2020-01-02T00:00:00Z"}},
    "wasAssociatedWith": {"_:3": {"prov:activity": "ex:x", "prov:agent": "ex:me"},
                          "_:5": {"prov:activity": "ex:x", "prov:plan": "ex:b"}},
    "hadMember": {"_:4": {"prov:collection": "ex:a", "prov:entity": "ex:b"}},
    "bundle": {"ex:g": {"entity": {"ex:c": {}}}},
}  # fmt: skip


def test_prov_of_others_is_read_by_the_terms_of_prov_o():
    loaded = rdf.load(json.dumps(FOREIGN), "prov-json")
    assert loaded.refused == ()
    assert {
        re.sub("(?<=_:relation)[0-9a-f]+", "", str(quad).replace(PROV.base, "").replace("http://e/", ""))
        for quad in loaded.quads
    } == {
        "<a> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <Entity>",
        "<b> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <Entity>",
        "<c> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <Entity> <g>",
        "<x> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <Activity>",
        "<me> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <Agent>",
        "<me> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <Person>",
        '<a> <http://www.w3.org/2000/01/rdf-schema#label> "A"',
        '<a> <n> "3"^^<http://www.w3.org/2001/XMLSchema#int>',
        '<a> <d> "2020-01-01"^^<http://www.w3.org/2001/XMLSchema#date>',
        "<a> <wasDerivedFrom> <b>",
        "<a> <wasGeneratedBy> <x>",
        "<a> <hadMember> <b>",
        "<x> <wasAssociatedWith> <me>",
        '<x> <startedAtTime> "2020-01-01T00:00:00+00:00"^^<http://www.w3.org/2001/XMLSchema#dateTime>',
        '<a> <generatedAtTime> "2020-01-02T00:00:00+00:00"^^<http://www.w3.org/2001/XMLSchema#dateTime>',
        "<x> <qualifiedAssociation> _:relation",
        "_:relation <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <Association>",
        "_:relation <hadPlan> <b>",
    }


@each(("form", "data", "said"), [
    ("prov-json", "{", "Expecting property name"),
    ("prov-json", "[]", "must be a JSON object"),
    ("prov-json", '{"entity": {"zz:a": {}}}', "valid identifier"),
    ("prov-json", '{"entity":' * 200, "nested deeper than 100"),
    ("prov-n", "document", "expected 'endDocument'"),
    ("prov-n", "document\nentity(", "line 2, column 8"),
    ("prov-n", "entity(a)", "expected 'document'"),
])  # fmt: skip
def test_prov_that_can_not_be_read_is_refused_whole(form, data, said):
    with pytest.raises(RecordError, match=said):
        rdf.load(data, form)


def test_a_name_that_is_no_iri_in_prov_refuses_its_statement_alone():
    loaded = rdf.load('{"prefix": {"ex": "no iri "}, "entity": {"ex:b": {}}}', "prov-json")
    assert (len(loaded.quads), len(loaded.refused)) == (0, 1)


def test_prov_that_is_too_large_is_refused(monkeypatch):
    monkeypatch.setattr("explorer.rdf.foreign.prov.LARGEST", 10)
    with pytest.raises(RecordError, match="has 18 bytes, and at most 10"):
        rdf.load('{"entity": {     }}'[:18], "prov-json")


def test_half_a_surrogate_pair_is_no_text():
    with pytest.raises(RecordError, match="not UTF-8"):
        rdf.load("<urn:s> <urn:p> '\ud800' .", "turtle")


@each(("name", "data", "form"), [
    ("trace.nq", "", "nq"),
    ("/a/b/TRACE.TTL", "", "turtle"),
    ("a.nt", "", "nt"),
    ("a.rdf", "", "rdfxml"),
    ("a.jsonld", "", "json-ld"),
    ("a.json", '{"@id": "urn:s"}', "json-ld"),
    ("a.json", '{"prefix": {}}', "prov-json"),
    (None, GOOD, "nq"),
    (None, "# x\n" + nested(2, "<< ", " >>"), "nq"),
    (None, GOOD.strip(), "nq"),
    (None, PREFIXES, "trig"),
    (None, "<urn:g> { <urn:s> <urn:p> 1 }", "trig"),
    (None, " <?xml version='1.0'?>", "rdfxml"),
    (None, '\ufeff{\n "@id": "urn:s"}', "json-ld"),
    (None, '[{"@id": "urn:s"}]', "json-ld"),
    (None, "[] <urn:p> 1 .", "trig"),
    ("notes.txt", "", "trig"),
])  # fmt: skip
def test_a_format_is_guessed_by_name_then_by_content(name, data, form):
    assert rdf.guess(name, data) == form


@given(st.lists(quads, min_size=1, max_size=4))
def test_what_was_written_is_read_without_being_told_the_format(described):
    for form in ("nq", "trig", "json-ld"):
        assert set(rdf.load(rdf.dump(described, form)).quads) == set(described)


@given(st.text(alphabet="<>\"'()[]{}@:.;,_#\\ \nabu\u00e9^", max_size=60))
def test_nonsense_is_refused_in_words(text):
    for form in rdf.FORMATS:
        with suppress(RecordError):
            loaded = rdf.load(text, form)
            assert loaded.given == len(loaded.quads) + len(loaded.refused)
