from pyoxigraph import Literal

from explorer import rdf
from tests.each import each

HEAD = "@prefix e: <http://e/> .\n"
TURTLE = """e:ada a e:Person ;
  e:born 1815 ;
  e:knows e:charles ,
    e:mary
  ; e:said \"\"\"one
two\"\"\" .

# a comment
e:charles
  e:made
    e:engine

.
e:engine e:at [ e:city "London" ;
  e:zip 1 ] .
"""
WHERE = {"Person": 2, "1815": 3, "charles": 4, "mary": 5, "one\ntwo": 7, "engine": 12, "London": 15, "1": 16}
XML = """<r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://e/">
<r:Description r:about="http://e/ada">
  <e:born>1815</e:born>
  <e:knows r:resource="http://e/charles"/>
</r:Description>
</r:RDF>"""


def lines(data, form):
    loaded = rdf.load(data, form, with_lines=True)
    return {
        quad.object.value.removeprefix("http://e/"): loaded.lines.get(quad.triple)
        for quad in loaded.quads
        if quad.predicate.value != "http://e/at"
    }


@each("form", ["turtle", "trig"])
@each("end", ["\n", "\r\n"])
def test_the_lines_of_statements_in_turtle_are_found(form, end):
    text = (HEAD + TURTLE).replace("\n", end)
    found = lines(text, form)
    assert {key.replace("\r", ""): line for key, line in found.items()} == WHERE


@each("bad", ["", "nonsense\n"])
@each("form", ["nt", "nq"])
def test_each_line_of_triples_has_its_number_whether_others_are_refused_or_not(bad, form):
    text = f'<e:a> <e:p> "one" .\n# no\n\n<e:a> <e:p> "four" .\n{bad}<e:a> <e:p> "last" .'
    assert lines(text, form) == {"one": 1, "four": 4, "last": 6 if bad else 5}


def test_lines_are_counted_past_long_ones_refused_ones_and_repetitions_and_in_rdf_xml_but_not_in_json_ld():
    long = "x" * 300_000
    assert lines(f'<e:a> <e:p> "{long}" .\n<e:a> <e:p> "two" .\n', "nt") == {long: 1, "two": 2}
    assert lines(f'{HEAD}<e:a b> e:p "bad" .\ne:a e:p "good" .\n', "turtle") == {"good": 3}
    assert lines("<e:a> <e:p> <e:b> .\n<e:a> <e:p> <e:b> .\n", "nt") == {"e:b": 1}
    assert rdf.load('{"@id": "e:a",\n "e:p": 1}', "json-ld", with_lines=True).lines == {}
    assert lines(XML, "rdfxml") == {"1815": 3, "charles": 4}


def test_relative_iris_are_read_with_a_base():
    [quad] = rdf.load('<#me> <p> "x" .', "turtle", base="file:///1/card.ttl").quads
    assert (quad.subject.value, quad.object) == ("file:///1/card.ttl#me", Literal("x"))
