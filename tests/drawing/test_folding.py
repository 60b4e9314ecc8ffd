"""Where nodes stand in the drawings: nothing moves, nothing covers anything else, whatever a stream holds."""

import itertools

from hypothesis import given, settings

from explorer import entities as e
from explorer.dag import ProvenanceDag
from explorer.dag.nodes import Change
from explorer.drawing.columns import SETS
from explorer.drawing.finishing import is_over, read
from explorer.drawing.folding import Drawings
from explorer.drawing.svg import sheets
from explorer.vocab import iri
from tests.agents import SESSIONS
from tests.corpus import QUESTIONS, shared
from tests.each import each
from tests.strategies import step, streams


def spots(levels):
    """The places given out so far, by node and drawing."""
    return {(node, level): spot for node, found in levels.spots.items() for level, spot in found.items()}


def overlaps(dag):
    levels = Drawings(dag)
    levels.apply(Change(tuple(dag.nodes()), tuple(dag.arcs())))
    for columns in range(len(SETS)):
        for level in levels.kinds:
            places = {name: found[level][columns] for name, found in levels.spots.items() if level in found}
            drawn = [(name, place) for name, place in places.items() if place]
            for (a, p), (b, q) in itertools.combinations(drawn, 2):
                if p.left < q.right and q.left < p.right and p.top < q.bottom and q.top < p.bottom:
                    yield level, columns, a, b


@settings(max_examples=60)
@given(streams())
def test_nodes_of_any_stream_stay_where_they_are(events):
    dag, before = ProvenanceDag(), {}
    levels = Drawings(dag)
    for event in events:
        change = dag.apply(event)
        drawn, _ = levels.apply(change)
        now = spots(levels)
        assert before.items() <= now.items()
        assert {node.iri for node in drawn} >= {node for node, _ in now.keys() - before.keys()}
        before = now
    left = {node.iri for node in dag.nodes()} - levels.spots.keys()
    assert {dag.node(node).kind for node in left} <= {"Concept"}


@settings(max_examples=60)
@given(streams())
def test_nothing_covers_anything_else(events):
    assert list(overlaps(ProvenanceDag().fold(events))) == []


@each("question", QUESTIONS)
def test_nothing_covers_anything_else_in_a_search(question):
    assert list(overlaps(shared().run(question).dag)) == []


@each("session", SESSIONS)
def test_nodes_of_a_session_stay_where_they_are_also_when_it_is_told_twice(session):
    dag, before = ProvenanceDag(), {}
    levels = Drawings(dag)
    for event in SESSIONS[session] * 2:
        levels.apply(dag.apply(event))
        assert before.items() <= spots(levels).items()
        before = spots(levels)
    assert {node.iri for node in dag.nodes()} <= levels.spots.keys()


def drawn_last(levels):
    """What stands in the picture once the answer is on record: of what was read from it, all that is not folded."""
    reading = read(levels)
    read_anew = {name for name, places in reading.places.items() if reading.levels & places.keys()
                 if any(places[level][-1] for level in reading.levels & places.keys())}  # fmt: skip
    return read_anew | {name for name, places in levels.spots.items() if places.keys() - reading.levels}


@settings(max_examples=20)
@given(streams())
def test_a_stream_drawn_event_by_event_has_the_nodes_that_it_has_at_once(events):
    dag = ProvenanceDag()
    levels = Drawings(dag)
    for event in events:
        levels.apply(dag.apply(event))
    drawn = {name for sheet in sheets(dag) for name in sheet.boxes}
    assert drawn == (drawn_last(levels) if is_over(dag) else levels.spots.keys())


def test_key_ideas_without_room_are_left_to_the_panel_of_grounding():
    ideas = [f"idea {number} of very many" for number in range(40)]
    dag = ProvenanceDag().fold([step(e.Grounding(iri=iri("grounding", "s"), ordered=ideas, concepts=tuple(ideas)), 1)])
    levels = Drawings(dag)
    drawn, _ = levels.apply(Change(tuple(dag.nodes()), tuple(dag.arcs())))
    shown = [node.text for node in drawn if node.kind == "Concept"]
    assert 0 < len(shown) < len(ideas)
    assert shown == ideas[: len(shown)]
