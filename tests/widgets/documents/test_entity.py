"""What is said of an entity, as a small graph, and another name for it."""

from itertools import pairwise

from tests.widgets.documents.test_correcting import page_of
from tests.widgets.documents.test_removal import do, filled  # noqa: F401 - a fixture
from tests.widgets.documents.test_tab import empty, last, put  # noqa: F401 - a fixture


def entity(app, told, name):
    found = next(one for one in page_of(app, told)["entities"] if one["name"] == name)
    do(app, t="entity?", iri=found["iri"])
    return last(told, "entity")


def test_an_entity_is_drawn_with_its_facts_and_neighbours(filled, told):  # noqa: F811
    graph = entity(filled, told, "Globe Industries")
    assert (graph["name"], graph["documents"], graph["neighbours"], graph["drawn"]) == ("Globe Industries", 1, 2, 2)
    kinds = {node["id"]: node["kind"] for node in graph["nodes"]}
    names = {node["name"] for node in graph["nodes"] if node["kind"] == "Concept"}
    assert names == {"Globe Industries", "fan motors", "Dayton"}
    assert graph["facts"] == list(kinds.values()).count("EdgeSelection") == len(graph["places"])
    assert all(arc["from"] in kinds and arc["to"] in kinds for arc in graph["arcs"])
    assert sum(arc["from"] == graph["iri"] for arc in graph["arcs"]) == graph["facts"]
    page = page_of(filled, told)
    assert {tuple(place.values()) for place in graph["places"].values()} == {(page["document"], page["part"])}
    assert set(graph["places"]) <= {fact["key"] for fact in page["facts"]["items"]}
    told = {node["lines"][-1][1] for node in graph["nodes"] if node["kind"] == "EdgeSelection"}
    assert told == {page["title"]}, "each fact says where it stands"


def test_arrows_go_from_the_subject_of_a_fact_to_its_object(filled, told):  # noqa: F811
    leads = set()
    for name in ("Globe Industries", "Dayton"):
        graph = entity(filled, told, name)
        subject = {node["id"]: node["lines"][0][1] for node in graph["nodes"] if node["kind"] == "EdgeSelection"}
        for arc in graph["arcs"]:
            fact = arc["to"] if arc["to"] in subject else arc["from"]
            assert arc["back"] == (subject[fact] != name)
            leads.add((name, arc["back"]))
    assert leads == {("Globe Industries", False), ("Dayton", True)}


def test_a_long_fact_is_read_whole_at_every_width_and_no_other_lies_over_it(filled, told):  # noqa: F811
    long = "the shelf that both oxygen tanks of the service module stand on"
    filled.ws.add_fact("Globe Industries", "has delivered to the factory", long)
    graph = entity(filled, told, "Globe Industries")
    facts = [node for node in graph["nodes"] if node["kind"] == "EdgeSelection"]
    for places in zip(*(node["spots"][""] for node in facts), strict=True):
        edges = [(y - high / 2, y + high / 2) for _, y, _, high in places]
        assert all(end < top for (_, end), (top, _) in pairwise(edges))
    said = next(node for node in facts if long in node["say"])
    assert all(high > 58 for _, _, _, high in said["spots"][""]), "it has the lines that it needs"
    end = next(node for node in graph["nodes"] if node["name"] == long)
    assert all(high > 28 for _, _, _, high in end["spots"][""]), "its name has two lines"


def test_what_is_too_much_for_the_graph_is_told(filled, told):  # noqa: F811
    lines = [f"The Globe Industries plant no. {number} supplies the town of Place{number}." for number in range(5)]
    put(filled, "plants.txt", "\n".join(lines).encode())
    for number in range(40):
        filled.ws.add_fact("Globe Industries", "supplies", f"customer {number}")
    graph = entity(filled, told, "Globe Industries")
    assert graph["neighbours"] > graph["drawn"] == 30
    assert len(graph["places"]) == 30
    assert {place["document"] for place in graph["places"].values()} > {""}, "some are by hand and stand nowhere"


def test_an_entity_gets_another_name_or_is_made_one_with_another(filled, told):  # noqa: F811
    graph = entity(filled, told, "Globe Industries")
    do(filled, t="merge", entity=graph["iri"], name="Globe Inc.", by="Ada")
    assert last(told, "corrected")["said"] == "“Globe Industries” was corrected to “Globe Inc.”."
    assert "Globe Inc." in {one["name"] for one in page_of(filled, told)["entities"]}
    do(filled, t="entity?", iri=graph["iri"])
    assert last(told, "entity")["names"][:2] == ["Globe Inc.", "Globe Industries"]
    do(filled, t="uncorrect", by="Ada")
    assert entity(filled, told, "Globe Industries")["names"] == ["Globe Industries"]
    do(filled, t="entity?", iri="https://example.org/nobody")
    assert last(told, "nobody") == {"t": "nobody", "asked": "https://example.org/nobody"}


def test_an_entity_is_split_by_what_passages_call_it_or_by_documents(filled, told):  # noqa: F811
    put(filled, "planet.txt", b"Mercury orbits the Sun. Planet Mercury has no moon.")
    put(filled, "metal.txt", b"Mercury was discovered in Almaden. Mercury was used by Torricelli.")

    def of(name):
        do(filled, t="entity?", iri=filled.ws.entity(name).iri)
        return last(told, "entity")

    graph = of("Mercury")
    metal = next(one for one in graph["named"] if one["iri"] == filled.ws.document("metal.txt").iri)
    facts = graph["facts"]
    split = {"t": "split", "entity": graph["iri"], "by": "Ada"}
    do(filled, **split, name="Mercury (metal)", documents=[metal["iri"]])
    assert last(told, "corrected")["said"] == "“Mercury (metal)” is another than “Mercury” now."
    other, left = of("Mercury (metal)"), of("Mercury")
    assert [one["iri"] for one in other["named"]] == [metal["iri"]]
    assert (other["facts"] > 0, other["facts"] + left["facts"]) == (True, facts)
    do(filled, t="uncorrect", by="Ada")
    assert of("Mercury")["facts"] == facts
    do(filled, **split, name="Quicksilver", documents=[])
    assert "say what belongs to it" in last(told, "trouble")["text"]


def test_an_entity_whose_documents_were_removed_is_nobody(filled, told):  # noqa: F811
    iri = entity(filled, told, "Dayton")["iri"]
    do(filled, t="remove", iri=filled.ws.document("motors.md").iri, words=False)
    do(filled, t="entity?", iri=iri)
    assert last(told, "nobody")["asked"] == iri
