"""Records that lack what a person would look for: nothing of them is a blank, which can be neither read nor clicked."""

from pyoxigraph import Literal, NamedNode, Quad, RdfFormat, Triple, serialize

import explorer
from explorer import entities as e
from explorer import rdf
from explorer.text import EMPTY
from explorer.view.messages.requests import WantRuns
from explorer.view.stored_run import shown, titled
from explorer.vocab import RDFS, entity_iri, iri
from explorer.widgets.past import runs
from tests.drawing.test_finishing import NODE, search
from tests.each import each
from tests.strategies import step

TANK, HOLDS = NamedNode(entity_iri("tank")), NamedNode(entity_iri("holds"))
BARE = e.GraphRagQuestion(iri=NODE["question"])  # without a text


def kept(edge):
    """A run that kept this fact; of its question there is no text, and its key ideas and their labels are empty."""
    fact = e.EdgeSelection(iri=iri("edge", "s", 0), edge=edge)
    [_, _, *rest] = search([fact], [[fact.iri]])
    ideas = e.Grounding(iri=NODE["grounding"], derived_from=(BARE.iri,), concepts=("", " "))
    labels = [Quad(TANK, RDFS.label, Literal(" "))]
    return [step(BARE, 0, more=labels), step(ideas, 1), *rest]


@each(
    "edge",
    [
        None,
        Triple(TANK, HOLDS, Literal("")),
        Triple(TANK, HOLDS, Literal(" \n")),
        Triple(TANK, NamedNode("urn:"), TANK),
    ],
    ids=["no fact", "no object", "white space", "no name"],
)
def test_what_a_record_leaves_empty_has_a_sign_wherever_it_is_shown(edge):
    showing, trace = shown(kept(edge))
    told = {node["id"]: node for node in showing.snapshot(whole=True)["nodes"]}
    blank = [(node["id"], line) for node in told.values() for line in node["lines"] if not line[1].strip("◆?○ →—")]
    assert blank == []
    rows = [(one["kind"], row) for one in told.values() for row in one["detail"]["rows"] if row["k"] == "text"]
    assert [row for row in rows if not row[1]["text"].strip()] == []
    ends = [row[end] for one in told.values() for row in one["detail"]["rows"] if row["k"] == "triple" for end in "spo"]
    assert all(end["text"].strip() for end in ends)
    assert titled(trace)["question"] == EMPTY


def test_a_run_without_the_text_of_its_question_can_be_clicked_in_the_list(tmp_path):
    (tmp_path / "run.nq").write_bytes(serialize(rdf.triples(BARE), format=RdfFormat.N_QUADS))
    with explorer.open() as ws:
        ws.import_record(tmp_path / "run.nq", progress=False)
        [row] = runs.listed(ws, WantRuns(1))["runs"]
    assert row["question"] == EMPTY
