"""Question, answer, graph and source as widgets of their own, which share what the app shows."""

import pytest

from explorer.errors import RecordError
from tests.widgets.conftest import QUESTION
from tests.widgets.pages import say


def test_panels_show_the_run_of_the_app_and_are_linked_with_it(app, sent):
    question, _, graph, source = app.panels
    say(question, t="ask", question=QUESTION)
    assert app.wait(20)
    assert graph.run == source.run == app.run == app.trace.iri
    assert graph.status == app.status == "done"
    fact = app.trace.edges[0].iri
    graph.selected = fact
    assert source.selected == app.selected == fact
    for one in (app, graph):
        with pytest.raises(RecordError, match="is not in the run"):
            one.selected = "urn:nothing"
    say(source, t="source?", run=app.showing.run, node=fact, key=fact)
    assert [one.data["content"]["t"] for one in sent if one.data.get("method") == "custom"].count("source") == 1


def test_a_run_that_is_set_is_opened_in_all_of_them(answered):
    earlier = answered.trace.iri
    answered.ask("What was the voltage of the heaters?")
    assert answered.wait(20)
    graph = answered.panels.graph
    graph.run = earlier
    assert answered.tabs.selected_index == 2
    assert graph.whole()["run"] == answered.showing.run
    assert graph.whole()["mode"] == "ask"
    assert (answered.run, answered.trace.iri) == (earlier, earlier)
    with pytest.raises(RecordError):
        answered.run = "urn:nothing"
    assert answered.run == earlier


def test_a_page_that_has_selected_a_node_of_an_earlier_run_is_told_what_is(answered, sent):
    before = answered.trace.edges[0].iri
    answered.ask("What was the voltage of the heaters?")
    assert answered.wait(20)
    answered.set_state({"selected": before})
    assert answered.selected is None
    assert sent[-1].data["state"] == {"selected": None}
