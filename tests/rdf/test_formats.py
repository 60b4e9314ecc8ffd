import json
import os
import random
import subprocess
import sys

import pytest
import rdflib
from hypothesis import given, settings
from hypothesis import strategies as st
from pyoxigraph import Literal, NamedNode, Quad, Triple

from explorer import rdf
from explorer.entities import EdgeSelection, Focus
from explorer.errors import RecordError
from explorer.vocab import RETRIEVAL, SOURCE, TG
from tests.each import each
from tests.rdf.conftest import GRAPHLESS, LOSSLESS, from_rdflib
from tests.rdf.strategies import quads, records

NODE = NamedNode("urn:x:1")
EDGE = Triple(NamedNode("urn:s"), NamedNode("urn:p"), Literal("x", language="fr"))
DEEP = Quad(NODE, TG.edge, Triple(NODE, TG.edge, Triple(NODE, TG.edge, EDGE)), RETRIEVAL)


def holds(form, quad):
    """Whether a format can write a quad at all."""
    try:
        return rdf.dump([quad], form) is not None
    except RecordError:
        return False


@pytest.mark.parametrize("form", [*LOSSLESS, *GRAPHLESS])
@given(described=st.lists(quads, max_size=6))
def test_any_quads_survive_a_file_but_for_the_graphs_that_a_format_has_not(roundtrip, form, described):
    roundtrip([quad for quad in described if form != "rdfxml" or holds(form, quad)], form)


def test_rdf_xml_keeps_text_that_looks_like_markup(roundtrip):
    focus = Focus(iri="urn:f:1", label="<&>", selected_edges=("urn:e:0",))
    selection = EdgeSelection(iri="urn:e:0", edge=EDGE, reasoning="“a” & <b>\r\n é")
    roundtrip(rdf.triples(focus, parts=[selection]), "rdfxml")


@each("char", ["\0", "\x0b", "\x1f", "\uffff"])
def test_rdf_xml_refuses_what_xml_can_not_hold(char):
    with pytest.raises(RecordError, match=rf"can't hold the character U\+{ord(char):04X}; choose another format"):
        rdf.dump([Quad(NODE, TG.query, Literal(f"a{char}b"))], "rdfxml")


@pytest.mark.parametrize("form", rdf.WRITTEN)
@given(records, st.randoms())
@settings(max_examples=20)
def test_equal_sets_give_equal_bytes(form, described, shuffle):
    described = [quad for quad in described if holds(form, quad)]
    mixed = [*described, *described[:2]]
    shuffle.shuffle(mixed)
    assert rdf.dump(described, form) == rdf.dump(mixed, form)


def test_equal_sets_give_equal_bytes_in_another_process():
    code = (
        "import sys; from explorer import rdf; quads = rdf.load(sys.stdin.buffer.read(), 'nq').quads;"
        "[sys.stdout.buffer.write(rdf.dump(quads, form)) for form in rdf.WRITTEN]"
    )
    selection = EdgeSelection(iri="urn:e:0", edge=EDGE)
    described = [DEEP, Quad(NODE, TG.query, Literal("q"), SOURCE), *rdf.triples(selection)]
    text = rdf.dump(random.Random(1).sample(described, len(described)), "nq")
    runs = {
        subprocess.run(
            [sys.executable, "-c", code],
            input=text,
            capture_output=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    }
    assert len(runs) == 1


def test_trig_begins_with_its_prefixes_in_order():
    lines = rdf.dump([DEEP], "trig").decode().splitlines()
    heads = [line.split()[1] for line in lines if line.startswith("@prefix")]
    assert heads == ["dc:", "e:", "prov:", "rdf:", "rdfs:", "tg:", "x:"]
    assert lines[: len(heads)] == [line for line in lines if line.startswith("@prefix")]


def test_only_triple_terms_are_written():
    for form in ("nq", "nt", "trig", "turtle"):
        text = rdf.dump([DEEP], form).decode()
        assert text.count("<<") == text.count("<<(") == 3


def test_json_ld_stands_for_itself_and_rdflib_reads_it():
    text = rdf.dump([DEEP, Quad(NODE, TG.query, Literal("é"))], "json-ld")
    assert "@context" not in json.dumps(json.loads(text))
    read = rdflib.Dataset().parse(data=text, format="json-ld")
    assert set(from_rdflib(read)) == {DEEP, Quad(NODE, TG.query, Literal("é"))}


def test_an_unknown_format_is_refused_with_those_there_are():
    with pytest.raises(RecordError, match=r"'docx'; choose one of nq, trig, .*json-ld, prov-json, prov-n\."):
        rdf.dump([], "docx")


@each("form", rdf.FORMATS)
def test_nothing_is_written_and_read_as_nothing(roundtrip, form):
    assert roundtrip([], form) == ()
