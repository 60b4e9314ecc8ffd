"""A run shows itself: at the end of a cell as a picture, and as a network of pyvis to style and save."""

import pytest

from explorer.drawing.looks import look
from explorer.record.trace import Trace
from explorer.view.shown_trace import ShownTrace
from tests.corpus import QUESTIONS, shared

AGENT = {"engine": "agent", "pattern": "react"}
HOSTILE = "Why did the </script><script>alert(1)</script> href <img src=x> heater fail?"


def test_all_that_gives_a_run_gives_one_that_shows_itself():
    run = shared().run(QUESTIONS[0])
    for one in (run, shared().traces.load(run.iri), shared().rerun(run)):
        assert isinstance(one, ShownTrace)
        assert one._repr_mimebundle_().keys() == {"text/plain", "text/html"}
    assert not hasattr(Trace(run.events), "to_pyvis")


@pytest.mark.parametrize("limits", [{}, {"engine": "document-rag"}, AGENT], ids=["facts", "passages", "agent"])
def test_a_run_is_a_network_of_pyvis_with_the_nodes_places_and_colours_of_its_picture(limits):
    trace = shared().run(QUESTIONS[0], **limits)
    made = trace.to_pyvis()
    nodes = {node["id"]: node for node in made.nodes}
    assert len(nodes) == len(made.nodes) == len({(node["x"], node["y"]) for node in made.nodes})
    assert nodes[trace.iri]["color"]["background"] == look("Question").light[0]
    assert nodes[trace.iri]["label"].split("\n")[0] == "? Question"
    assert {end for edge in made.edges for end in (edge["from"], edge["to"])} <= nodes.keys()
    answered = trace.dag.final.iri
    assert any(edge["to"] == answered or edge["from"] == answered for edge in made.edges)


def test_a_run_is_a_dataset_of_rdflib_that_sparql_asks():
    trace = shared().run(QUESTIONS[0])
    made = trace.to_rdflib()
    assert len(made) >= len(trace.quads())
    asked = f"SELECT ?q {{ GRAPH ?g {{ <{trace.iri}> <https://trustgraph.ai/ns/query> ?q }} }}"
    assert [str(row.q) for row in made.query(asked)] == [trace.question]


def test_a_network_takes_the_options_of_pyvis_and_is_saved(tmp_path):
    made = shared().run(QUESTIONS[0]).to_pyvis()
    made.toggle_physics(status=True)
    made.set_options('{"nodes": {"font": {"size": 20}}}')
    made.save_graph(str(tmp_path / "run.html"))
    page = (tmp_path / "run.html").read_text("utf-8")
    assert '"size": 20' in page
    assert "vis.Network" in page


def test_no_text_of_a_run_is_markup_in_a_page_of_pyvis():
    trace = shared().run(HOSTILE)
    page = trace.to_pyvis().generate_html()
    assert not any("title" in node for node in trace.to_pyvis().nodes)
    assert "<script>alert" not in page
    assert "popup.innerHTML" not in page, "which pyvis has where a title holds href"
