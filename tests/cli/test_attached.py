"""What the terminal says of facts of a store that others fill: each leads to its resource there, and to its words."""

import pytest

import explorer
from explorer.cli import common, lines, main
from explorer.dag.passage_names import resources_of
from explorer.errors import RecordError
from tests.attached import EX, LABEL, door, fill
from tests.each import each
from tests.stores.contract.graph_servers import oxigraph

FAR = f"{EX}a/very/long/way/to/the/resource/that/stands/for/the/town/of/{'o' * 60}slo"
TOWNS = f"""
<{FAR}> <{LABEL}> "Oslo" ; <{EX}mayor> "Ada Berg" ; <{EX}twinned> <{EX}riga> .
<{EX}riga> <{LABEL}> "Riga" ; <{EX}seat> [ <{EX}street> "Ratslaukums" ; <{EX}number> "1" ] .
[] <{EX}street> "Brivibas" .
<{FAR}> <http://www.w3.org/2004/02/skos/core#altLabel> "Kristiania" .
<{EX}twin/1> <{LABEL}> "Twin" ; <{EX}seat> "left" .
<{EX}twin/2> <{LABEL}> "Twin" ; <{EX}seat> "right" .
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    where = tmp_path_factory.mktemp("attached") / "ws"
    with oxigraph() as addresses:
        fill(addresses[2], TOWNS)
        with door(addresses[0]) as store, explorer.open(where) as ws:
            ws.attach(store.at, progress=False)
            streets = (f"What is the street {name}?" for name in ("Ratslaukums", "Brivibas"))
            for question in ("Who is the mayor of Oslo?", *streets):
                ws.run(question)
                ws.run(question, "document-rag")
    return where


@pytest.fixture
def told(place, capsys, monkeypatch):
    def run(*arguments):
        monkeypatch.setattr("sys.argv", ["explorer", *arguments, "-w", str(place)])
        with pytest.raises(SystemExit) as ended:
            main()
        assert not ended.value.code
        return capsys.readouterr().out

    return run


def runs(place, engine):
    with explorer.open(place) as ws:
        return [ws.traces.load(one.iri) for one in ws.traces.list(engine=engine)]


def test_each_kept_fact_of_a_store_is_shown_with_its_whole_resource_and_the_way_to_its_words(told, place):
    [run] = [one for one in runs(place, "graph-rag") if "Oslo" in one.question]
    shown = told("show", run.iri)
    facts = shown.split("Fact: ")[1:]
    assert len(facts) == len(run.edges)
    for fact, selection in zip(facts, run.edges, strict=True):
        assert "  Resource: " in fact
        assert f"Its words: explorer show {selection.iri} -w {place}\n" in fact
    [mayor] = [one for one in facts if one.startswith("(Oslo, mayor, Ada Berg)")]
    assert f"  Resource: {FAR}\n" in mayor
    words = told("show", run.edges[0].iri)
    assert f"“{run.passages[run.edges[0].iri][0].text}”" in words
    assert "\n  Resource: " in words


def test_a_fact_of_a_blank_node_says_that_it_has_no_address_and_leads_to_what_has_it(told, place):
    asked = {run.question.split()[-1]: told("show", run.iri) for run in runs(place, "graph-rag")}
    [seat] = [one for one in asked["Ratslaukums?"].split("Fact: ") if "street, Ratslaukums" in one.partition("\n")[0]]
    assert f"Resource: the store gives it no address\n        It belongs to: {EX}riga\n" in seat
    [lone] = [one for one in asked["Brivibas?"].split("Fact: ") if "street, Brivibas" in one.partition("\n")[0]]
    assert "Resource: the store gives it no address\n" in lone
    assert "It belongs to" not in lone.partition("Its words")[0]


def test_a_cited_passage_of_a_store_names_all_resources_that_it_is_about(told, place):
    [run] = [one for one in runs(place, "document-rag") if "Oslo" in one.question]
    assert f"Resource: {FAR}" in "\n".join(lines.answer_lines(run))
    assert f"Resource: {FAR}\n" in told("show", run.chunks[0].iri)


def test_a_passage_names_first_what_most_is_about_and_a_quoted_one_what_the_words_name():
    farm = f'<{EX}a> <{LABEL}> "Ant" ; <{EX}eats> "leaves" . <{EX}b> <{LABEL}> "Bee" ; <{EX}eats> "nectar", "pollen" .'
    with oxigraph() as addresses:
        fill(addresses[2], farm)
        with door(addresses[0]) as store, explorer.open() as ws:
            ws.attach(store.at, progress=False)
            ant, bee = (ws.run(f"What does the {name} eat?", "document-rag") for name in ("ant", "bee"))
    for run, first in ((ant, "Ant"), (bee, "Bee")):
        [passage] = {one for found in run.passages.values() for one in found}
        assert [one.name for one in passage.resources] == ["Bee", "Ant"]
        assert next(one.name for one in resources_of(passage, run.dag)) == first, run.answer
        shown = [line for line in lines.answer_lines(run) if "Resource: " in line]
        assert shown[0].endswith(f"{EX}{first[0].lower()}")


def test_what_the_record_holds_of_a_fact_has_whole_iris_and_its_names(told, place):
    [run] = [one for one in runs(place, "graph-rag") if "Oslo" in one.question]
    [passage] = next(found for found in run.passages.values() if "Ada Berg" in found[0].text)
    shown = told("show", passage.subgraph)
    assert "contains: (Oslo mayor Ada Berg)\n" in shown
    assert f'<{FAR}> <{EX}mayor> "Ada Berg"\n' in shown
    assert f"Resource: {FAR}\n" in shown


@each("name", ["Oslo", "oslo", "kristiania", FAR])
def test_facts_are_listed_by_any_name_of_an_entity_as_by_its_iri(told, name):
    listed = told("facts", "--entity", name)
    assert "Ada Berg" in listed
    assert "Ratslaukums" not in listed


def test_a_name_that_several_entities_have_says_which_and_how_to_choose(place, told):
    said = f"“twin” names 2 entities: Twin <{EX}twin/1>; Twin <{EX}twin/2>. Give the IRI of one."
    with explorer.open(place) as ws:
        for look in (lambda: ws.facts(entity="twin"), lambda: ws.entity("twin")):
            with pytest.raises(RecordError) as error:
                look()
            assert str(error.value) == said
    assert "right" in told("facts", "--entity", f"{EX}twin/2")
    assert told("facts", "--entity", "nobody") == "No facts.\n"


def test_no_address_makes_a_terminal_obey(capsys):
    common.print_lines([f"  Resource: {FAR}", "Edge: https://evil.example\x1b]8;;x"])
    assert capsys.readouterr().out == f"  Resource: {FAR}\nEdge: https://evil.example]8;;x\n"
