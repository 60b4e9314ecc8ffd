import base64
import re
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer import entities as e
from explorer import picture
from explorer.dag import ProvenanceDag
from explorer.vocab import iri
from tests.corpus import QUESTIONS, shared
from tests.strategies import step, streams

HOSTILE = "<img src=x onerror=alert(1)> & \"quoted\" 'too' </text><script>alert(2)</script> \x1b[31m\x00\u202e ]]>"


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.found, self.attributes, self.text = [], [], ""

    def handle_starttag(self, tag, attrs):
        self.found.append(tag)
        self.attributes += attrs

    def handle_data(self, data):
        self.text += data


def tags(page):
    parser = Tags()
    parser.feed(page)
    return parser


def asked(question):
    return ProvenanceDag().fold([step(e.GraphRagQuestion(iri=iri("question", "s"), query=question), 0)])


def drawing(page):
    [data] = re.findall(r"data:image/svg\+xml;base64,([^\"]+)", page)
    return base64.b64decode(data).decode()


def test_nothing_asked_is_said():
    assert picture.text(ProvenanceDag()) == "Nothing has been asked yet."
    assert picture.html(ProvenanceDag()) == "<p>Nothing has been asked yet.</p>"
    ET.fromstring(picture.svg(ProvenanceDag()))


def test_the_same_graph_gives_the_same_bytes():
    trace = shared().run(QUESTIONS[0])
    again = shared().traces.load(trace.iri)
    assert picture.svg(trace.dag) == picture.svg(again.dag)
    assert picture.page(trace.dag) == picture.page(again.dag)


def test_the_drawing_has_a_place_for_each_node_and_a_line_for_each_arc():
    dag = shared().run(QUESTIONS[1]).dag
    root = ET.fromstring(picture.svg(dag))
    shapes = [part for part in root if part.tag.endswith(("rect", "circle"))]
    assert len(shapes) == len(dag.nodes()) + 1  # the canvas
    assert len([part for part in root if part.tag.endswith("path")]) == len(dag.arcs())


def test_the_text_leads_from_the_question_to_the_words():
    trace = shared().run(QUESTIONS[2])
    said = picture.text(trace.dag)
    assert said.startswith(f"? Question · {QUESTIONS[2]}")
    assert "relief valve" in said
    assert "“The relief valve opened at 983 psi.”" in said
    assert said.endswith(trace.answer)


def test_a_page_needs_nothing_else_and_may_load_nothing():
    page = picture.page(shared().run(QUESTIONS[1]).dag)
    found = tags(page)
    assert not {"script", "iframe", "link", "object"} & set(found.found)
    assert "default-src 'none'" in dict(found.attributes)["content"]
    assert not re.findall(r"(?:src|href)=\"(?!data:)", page)
    assert not [value for _, value in found.attributes if value and "://" in value]


def test_a_page_says_each_fact_its_reason_and_its_words():
    trace = shared().run(QUESTIONS[1])
    said = tags(picture.page(trace.dag)).text
    for edge in trace.edges:
        assert edge.reasoning in said
        for passage in trace.passages[edge.iri]:
            assert passage.text in said
            assert passage.place in said


def test_a_page_says_when_a_fact_has_no_source():
    focus = e.Focus(iri=iri("focus", "s"), selected_edges=(iri("edge", "s", 0),))
    dag = ProvenanceDag().fold([step(focus, 3, parts=[e.EdgeSelection(iri=iri("edge", "s", 0))])])
    assert "No recorded source." in picture.page(dag)


def test_markup_in_a_question_is_text():
    dag = asked(HOSTILE)
    page = picture.page(dag)
    found = tags(page)
    assert "script" not in found.found
    assert found.found.count("img") == 1
    assert "onerror" not in dict(found.attributes)
    assert "<img src=x onerror=alert(1)>" in found.text
    ET.fromstring(drawing(page))


@settings(max_examples=40)
@given(streams())
def test_any_graph_is_drawn_well_formed(events):
    dag = ProvenanceDag().fold(events)
    ET.fromstring(picture.svg(dag))
    ET.fromstring(drawing(picture.html(dag)))
    nested = picture.html(dag)
    assert nested.count("<ul>") == nested.count("</ul>")
    assert nested.count("<li>") == nested.count("</li>")


@given(st.text(st.characters(), max_size=40))
def test_any_text_is_safe_in_a_drawing_and_in_a_terminal(question):
    ET.fromstring(picture.svg(asked(question)).encode())
    picture.page(asked(question)).encode()
    assert not re.findall("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", picture.text(asked(question)))


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("a\x1b[31mb", "a[31mb"),
        ("\x9b31m", "31m"),
        ("a\x00b\x07", "ab"),
        ("a\u202eb", "ab"),
        ("a\n\tb", "a\n\tb"),
        ("\ud800x", "x"),
        ("Skłodowska 28 °C “x” 漢字 🚀", "Skłodowska 28 °C “x” 漢字 🚀"),
    ],
)
def test_a_terminal_gets_only_what_it_shows(given, kept):
    assert picture.plain(given) == kept
    assert picture.folded(f" {given}\r\n ") == " ".join(kept.split())


def test_a_chain_of_thousands_of_steps_is_drawn_and_told():
    steps = [e.AgentQuestion(iri="urn:t:0", query="Why?")]
    steps += [e.Analysis(iri=f"urn:t:{n}", derived_from=(f"urn:t:{n - 1}",)) for n in range(1, 5001)]
    dag = ProvenanceDag().fold(step(entity, number) for number, entity in enumerate(steps))
    lines = picture.text(dag).splitlines()
    assert len(lines) == 5001
    assert [len(line) - len(line.lstrip()) for line in lines[:4]] == [0, 2, 4, 6]
    assert max(map(len, lines)) < 300
    for drawn in (picture.html(dag), picture.page(dag)):
        assert drawn.count("<li>") == drawn.count("</li>") >= 5001
        assert drawn.count("<ul>") == drawn.count("</ul>")
    assert len(re.findall("<rect", picture.svg(dag))) == 5002
