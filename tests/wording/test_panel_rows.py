from explorer.dag import ProvenanceDag
from explorer.entities import Grounding
from explorer.events import Done, Passage, Resource
from explorer.prices import Prices
from explorer.wording import panel_rows


def test_only_an_address_of_the_web_is_a_link():
    addresses = {"https://example.org/a": True, "javascript:alert(1)": False, "data:text/html,x": False}
    for iri, is_link in addresses.items():
        passage = Passage(
            "urn:d", "Store", None, None, None, None, "urn:c", 0, 0, 5, 0, "words", "urn:s", "import",
            resources=(Resource("A", iri),),
        )  # fmt: skip
        [row] = panel_rows.resources([passage], ProvenanceDag())
        assert ("href" in row) is is_link


def test_what_a_step_took_used_and_cost_is_told_in_before_out():
    dag, step = ProvenanceDag(), Grounding(iri="urn:g", in_token=1200, out_token=7, duration_ms=612, model="m")
    told = [("Time of this stage", "0.6 s"), ("Tokens", "1,200 in, 7 out")]
    assert [(row["label"], row["text"]) for row in panel_rows.spent(dag, step) if row] == told
    assert not any(panel_rows.spent(dag, Grounding(iri="urn:g")))
    dag.apply(Done("done", prices=Prices({"m": (2.0, 10.0)}, "EUR")))
    told.append(("Cost", "0.0025 EUR"))
    assert [(row["label"], row["text"]) for row in panel_rows.spent(dag, step) if row] == told
