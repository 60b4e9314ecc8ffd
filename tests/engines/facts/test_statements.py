"""All statements that a question asks for are kept, whichever name of a thing it has and whichever selector looks."""

import pytest

import explorer
from explorer.record.trace import Trace
from tests.each import each

RELATED = ["Cloud", "Delta", "Estuary", "Fjord", "Glacier", "Harbour", "Isthmus"]
STORE = """
@prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix : <http://example.org/> .
:flow skos:prefLabel "Hydrology" ; skos:altLabel "Water sciences", "Publicity"@en, "Basin"@en ; skos:broader :earth .
:earth skos:prefLabel "Earth sciences" ; skos:altLabel "Shared name" .
:sky skos:prefLabel "Sky" ; skos:altLabel "Shared name" .
:tank skos:prefLabel "Basin" ; skos:related :sky .
"""
NOISE = "".join(
    f':w{n} skos:prefLabel "Water {n:02}" ; skos:related :s{n} . :s{n} skos:prefLabel "Soil sciences {n:02}" ;'
    f' skos:related :w{n} . :p{n} skos:prefLabel "Public matter {n:02}" ; skos:narrower :w{n} .\n'
    for n in range(60)
)
LINKS = "".join(f':r{n} skos:prefLabel "{name}" . :flow skos:related :r{n} .\n' for n, name in enumerate(RELATED))
SELECTORS = each("selector", ["reasoning", "rerank"])


@pytest.fixture(scope="module")
def ws(tmp_path_factory):
    path = tmp_path_factory.mktemp("names") / "store.ttl"
    path.write_text(STORE + LINKS + NOISE, "utf-8")
    with explorer.open() as ws:
        ws.ingest(path, progress=False)
        yield ws


def asked(ws, question, **limits):
    return Trace(list(ws.ask(question, **limits)))


@SELECTORS
@each("name", ["Hydrology", "Water sciences", "water sciences", "publicity"])
def test_a_thing_is_found_by_each_of_its_names_and_all_that_is_asked_for_is_told(ws, name, selector):
    trace = asked(ws, f"Which concepts are related to {name}?", selector=selector)
    assert [one for one in RELATED if f"Hydrology related {one}." not in trace.answer] == []
    assert (f"Hydrology: alt label {name.capitalize()}." in trace.answer) == (name != "Hydrology")


def test_a_name_that_two_things_have_or_that_is_a_things_own_is_taken_as_it_is(ws):
    assert asked(ws, "Which concepts are related to Basin?").answer == "Basin related Sky."
    assert "related" not in asked(ws, "Which concepts are broader than Shared name?").answer.removeprefix("Related")


@SELECTORS
def test_all_statements_are_kept_however_few_are_scored(ws, selector):
    trace = asked(ws, "Which concepts are related to Hydrology?", selector=selector, edge_score_limit=3, edge_limit=8)
    assert trace.answer.count("Hydrology related") == len(RELATED)


def test_the_limit_of_facts_holds_with_the_statement_of_the_name(ws):
    trace = asked(ws, "Which concepts are related to Water sciences?", edge_limit=4)
    assert len(trace.edges) == 4
    assert trace.answer.count("Hydrology related") == 3
    assert not trace.support.sure
