"""Large traces: what is beyond the bound of a drawing stands on pages, and nothing placed ever moves."""

import itertools
import re
from functools import cache

import pytest
from pyoxigraph import Literal, NamedNode, Triple

from explorer import entities as e
from explorer.dag import ProvenanceDag
from explorer.drawing import picture
from explorer.drawing.columns import PICTURED, SETS, rows_of
from explorer.drawing.growing import BOUNDS, Lane, Pages, lines_in
from explorer.drawing.svg import sheets
from explorer.view.replay_frames import MOST_AT_ONCE, MOST_FRAMES
from explorer.view.report_paper import Reported, paper
from explorer.view.showing import Showing
from explorer.view.stored_run import shown as recalled
from explorer.vocab import by_index, entity_iri, iri
from tests.each import each
from tests.strategies import passage, step
from tests.widgets.pages import page_after

FIRST, MORE = BOUNDS["fact"]
STAGES = ("question", "grounding", "exploration", "focus", "synthesis")
NODE = {kind: iri(kind, "s") for kind in STAGES}


def fact(number):
    return Triple(NamedNode(entity_iri(f"tank {number}")), NamedNode(entity_iri("holds")), Literal(f"oxygen {number}"))


def kept(number):
    return e.EdgeSelection(iri=iri("edge", "s", number), edge=fact(number), concept="tank", score=0.5, reasoning="r")


def search(facts, *, sources=True, apart=0):
    """A search that kept so many facts; the last `apart` of them come in events of their own."""
    selections = [kept(number) for number in range(facts)]
    found = {one.iri: (passage("a", at // 8, at, 3),) if sources else () for at, one in enumerate(selections)}
    with_focus, later = selections[: facts - apart], selections[facts - apart :]
    stage = e.Focus(iri=NODE["focus"], derived_from=(NODE["exploration"],), selected_edges=tuple(found))
    cites = e.Citation(
        iri=iri("citation", "s", 0), start=0, end=4, cites=(selections[-1].iri,), derived_from=(NODE["synthesis"],)
    )
    answer = e.Synthesis(iri=NODE["synthesis"], derived_from=(NODE["focus"],), document=iri("answer", "s"))
    return [
        step(e.GraphRagQuestion(iri=NODE["question"], query="Why?", started_at="2026-01-15T10:30:00Z"), 0),
        step(e.Grounding(iri=NODE["grounding"], derived_from=(NODE["question"],), concepts=("tank",)), 1),
        step(e.Exploration(iri=NODE["exploration"], derived_from=(NODE["grounding"],), edge_count=facts + 9), 2),
        step(stage, 3, parts=with_focus, passages={one.iri: found[one.iri] for one in with_focus}),
        *(step(one, 4 + at, passages={one.iri: found[one.iri]}) for at, one in enumerate(later)),
        step(answer, 9000, parts=[cites]),
    ]


def shown(events):
    """The last message of each node, all arcs, and the drawings by name: what stands in each."""
    showing, spots = Showing(), {}
    messages = [showing.begin(), *(message for event in events if (message := showing.apply(event)))]
    for message in messages:
        for node in (node for node in message.get("nodes", ()) if "vis" in node):
            now = node["spots"]
            assert spots.get(node["id"], {}).items() <= now.items(), "a placed node moved"
            spots[node["id"]] = dict(now)
    page = showing.snapshot(whole=True)
    drawings = {}
    for node in page["nodes"]:
        assert spots.get(node["id"], {}).items() <= node["spots"].items(), "a placed node moved"
        for level, spot in node["spots"].items():
            drawings.setdefault(level, {})[node["id"]] = (node, spot)
    return {node["id"]: node for node in page["nodes"]}, page["arcs"], drawings


@cache
def paged():
    """What is shown of a search whose facts fill several pages: a page within a page."""
    return shown(search(700))


def way(node, arcs):
    """From a node to where it came from, by first parents."""
    parents = {arc["to"]: arc["from"] for arc in reversed(arcs)}
    up = [node]
    while up[-1] in parents and parents[up[-1]] not in up:
        up.append(parents[up[-1]])
    return up


def assert_apart(drawing):
    for columns in range(len(SETS)):
        places = sorted((place for _, spot in drawing.values() if (place := spot[columns])), key=lambda one: one.top)
        for at, one in enumerate(places):
            for other in itertools.takewhile(lambda below, one=one: below.top < one.bottom, places[at + 1 :]):
                assert other.right <= one.left or other.left >= one.right


def test_what_is_beyond_the_bound_is_one_node_below_the_last_fact():
    assert not [node for node in shown(search(FIRST))[0].values() if node["kind"] == "Folded"]
    nodes, _, drawings = shown(search(FIRST + 50))
    [folded] = [node for node in nodes.values() if node["kind"] == "Folded"]
    assert folded["lines"][-1][1] == "50 more facts"
    assert folded["name"] == "50 more facts"
    [row] = [row for row in folded["detail"]["rows"] if row["k"] == "list"]
    assert len(row["items"]) == 20
    assert {item["node"] for item in row["items"]} <= nodes.keys()
    facts = [spot for node, spot in drawings[""].values() if node["kind"] == "EdgeSelection"]
    assert len(facts) == FIRST
    assert drawings[""][folded["id"]][1][0].top > max(narrow.bottom for narrow, _ in facts)
    inside = [node["kind"] for node, _ in drawings[folded["opens"]].values()]
    assert inside.count("EdgeSelection") == 50
    assert {"Passage", "Page", "Document"} <= set(inside)


def test_very_many_facts_stand_on_pages_of_a_few_hundred():
    nodes, arcs, drawings = paged()
    counts = {level: sum(node["kind"] == "EdgeSelection" for node, _ in drawings[level].values()) for level in drawings}
    assert sum(counts.values()) == 700
    assert max(counts.values()) == MORE
    assert counts[""] == FIRST
    assert {len(drawing) <= 3 * MORE for drawing in drawings.values()} == {True}
    said = sorted(node["lines"][-1][1] for node in nodes.values() if node["kind"] == "Folded")
    assert "600 more facts" in said
    assert "facts 301 to 500" in said
    for drawing in drawings.values():
        assert_apart(drawing)
    assert {way(node, arcs)[-1] for node in nodes} == {NODE["question"]}


def test_a_fact_of_a_page_leads_back_through_what_stands_for_it():
    nodes, arcs, _ = paged()
    up = way(iri("edge", "s", 699), arcs)
    kinds = [nodes[one]["kind"] for one in up]
    assert kinds == ["EdgeSelection", "Folded", "Folded", "Focus", "Exploration", "Grounding", "Question"]
    levels = [nodes[one]["level"] for one in up]
    assert levels[0] == up[1]
    assert levels[1] == up[2]
    assert levels[2] == ""


def test_facts_that_come_one_by_one_stand_where_they_would_have_stood():
    _, _, at_once = shown(search(FIRST + MORE + 30, sources=False))
    nodes, arcs, apart = shown(search(FIRST + MORE + 30, sources=False, apart=MORE + 90))
    spots = [
        {name: spot for name, (_, spot) in drawing.items()}
        for both in zip(at_once.values(), apart.values(), strict=True)
        for drawing in both
    ]
    assert at_once.keys() == apart.keys()
    assert all(one == other for one, other in zip(spots[::2], spots[1::2], strict=True))
    assert {way(node, arcs)[-1] for node in nodes} == {NODE["question"]}


def test_a_citation_of_a_folded_fact_names_the_drawing_it_stands_in():
    nodes, _, _ = paged()
    cited = nodes[iri("edge", "s", 699)]
    assert cited["level"] in nodes
    assert nodes[cited["level"]]["opens"] == cited["level"]
    assert [*nodes[NODE["synthesis"]]["spots"]] == [""]


def chain(steps):
    yield e.AgentQuestion(iri="urn:t:0", query="Why?")
    yield from (e.Analysis(iri=f"urn:t:{n}", derived_from=(f"urn:t:{n - 1}",)) for n in range(1, steps))


def unknown(steps):
    yield e.Entity(iri="urn:u:0", label="0")
    yield from (e.Entity(iri=f"urn:u:{n}", label=str(n), derived_from=("urn:u:0",)) for n in range(1, steps))


def roots(steps):
    return (e.GraphRagQuestion(iri=iri("question", f"s{n}"), query=f"Why {n}?") for n in range(steps))


def circle(steps):
    return (e.Entity(iri=f"urn:c:{n}", label=str(n), derived_from=(f"urn:c:{(n + 1) % steps}",)) for n in range(steps))


def plan(steps):
    goals = tuple(f"goal {n}" for n in range(steps))
    yield e.AgentQuestion(iri=iri("agent-question", "a"), query="Why?")
    yield e.Plan(iri=iri("plan", "a"), derived_from=(iri("agent-question", "a"),), ordered=list(goals), steps=goals)
    for n in range(steps):
        yield e.StepResult(iri=iri("step-result", "a", n), goal=goals[n], derived_from=(iri("plan", "a"),))


def thoughts(steps):
    yield e.AgentQuestion(iri=iri("agent-question", "a"), query="Why?")
    yield e.Analysis(iri=iri("analysis", "a", 1), derived_from=(iri("agent-question", "a"),))
    yield from (e.Thought(iri=f"urn:th:{n}", derived_from=(iri("analysis", "a", 1),)) for n in range(steps))


@each("made", [chain, unknown, roots, circle, plan, thoughts])
def test_an_imported_trace_of_any_shape_opens_in_drawings_of_bounded_size(made):
    entities = list(made(500))
    nodes, _, drawings = shown(step(entity, number) for number, entity in enumerate(entities))
    assert {entity.iri for entity in entities} <= nodes.keys()
    for name, drawing in drawings.items():
        assert len(drawing) <= 450, name
        assert name == "" or name in nodes
        assert_apart(drawing)
    picture.svg(ProvenanceDag().fold(step(entity, number) for number, entity in enumerate(entities)))


def test_a_fact_of_very_many_passages_shows_the_first_and_folds_the_rest():
    bound, _ = BOUNDS["passage"]
    found = tuple(passage("a", None, at * 10, 3) for at in range(bound + 40))
    stage = e.Focus(iri=NODE["focus"], selected_edges=(iri("edge", "s", 0),))
    nodes, arcs, drawings = shown([step(stage, 0, parts=[kept(0)], passages={iri("edge", "s", 0): found})])
    [folded] = [node for node in nodes.values() if node["kind"] == "Folded"]
    assert folded["lines"][-1][1] == "40 more passages"
    assert sum(node["kind"] == "Passage" for node, _ in drawings[""].values()) == bound
    assert folded["id"] in {arc["to"] for arc in arcs if arc["from"] == iri("edge", "s", 0)}
    for drawing in drawings.values():
        assert_apart(drawing)


def test_two_runs_that_derive_from_each_other_can_both_be_reached():
    a, b = iri("agent-question", "a"), iri("agent-question", "b")
    events = [step(e.AgentQuestion(iri=iri("agent-question", "top"), query="Why?"), 0)]
    events += [
        step(e.AgentQuestion(iri=one, query="Why?", derived_from=(other,)), 1) for one, other in ((a, b), (b, a))
    ]
    nodes, _, drawings = shown(events)
    for name in drawings.keys() - {""}:
        at, seen = name, {name}
        while at:
            at = nodes[at]["level"]
            assert at not in seen
            seen.add(at)


def test_the_picture_draws_one_node_for_what_is_folded_and_the_list_a_line():
    dag = ProvenanceDag().fold(events := search(1200))
    growing = picture.svg(ProvenanceDag().fold(events[:-1]))
    assert "1,100 more facts" in growing
    assert len(re.findall("<rect", growing)) < 4 * FIRST
    assert "1,194 more kept" in picture.svg(dag)
    lines = picture.text(dag).splitlines()
    assert [line.strip() for line in lines if "more facts" in line] == ["… and 1,100 more facts"]
    assert len([line for line in lines if "◆" in line]) == FIRST
    assert "more facts" in picture.html(dag)
    page = paper(Reported(ProvenanceDag().fold(search(FIRST + 30))))
    assert "<summary>30 more facts</summary>" in page
    assert page.count("<blockquote>") == FIRST + 30


def test_a_picture_of_few_facts_has_the_places_of_the_graph():
    events = search(40)
    [growing] = sheets(ProvenanceDag().fold(events[:-1]))
    _, _, drawings = shown(events[:-1])
    assert growing.boxes == {name: spot[PICTURED] for name, (_, spot) in drawings[""].items()}
    showing, _ = recalled(events)
    [sheet] = sheets(ProvenanceDag().fold(events))
    last = {node["id"]: node["spots"].get("", [None] * len(SETS))[PICTURED]
            for node in showing.snapshot(whole=True)["nodes"]}  # fmt: skip
    assert sheet.boxes == {name: place for name, place in last.items() if place}


def test_pages_are_counted_from_the_bound():
    pages = Pages(2, 3)
    assert [pages.page(unit) for unit in "abcdefgb"] == [0, 0, 1, 1, 1, 2, 2, 0]
    assert pages.span(1) == (3, 7)
    assert pages.span(2) == (6, 7)


def test_a_lane_gives_the_nearest_free_row_below_first():
    lane = Lane()
    assert [lane.take(3) for _ in range(6)] == [3, 4, 2, 5, 1, 6]
    wide = Lane(spread=1)
    assert [wide.take(4) for _ in range(3)] == [4, 6, 2]


@pytest.mark.parametrize("stored", [False, True])
def test_what_is_not_on_show_waits_until_its_drawing_is_opened(stored):
    events = search(600)
    if stored:
        showing, _ = recalled(events)
        first = {node["id"] for node in showing.snapshot()["nodes"]}
        showing.tell()
        page = {node["id"] for frame in showing.snapshot()["frames"] for node in frame.get("nodes", ())}
        assert first < page
    else:
        showing = Showing()
        for event in events:
            showing.apply(event)
        page = {node["id"] for node in showing.snapshot()["nodes"]}
    assert showing.snapshot()["held"] is True
    assert len(page) <= MOST_AT_ONCE + 100
    nodes, joined, *_ = shown(events)
    everything = {node["id"]: node for node in nodes.values()}
    last = kept(599).iri
    assert last in everything
    assert last not in page
    late = [iri for iri, node in everything.items() if node["kind"] == "EdgeSelection" and iri not in page]
    assert tuple(late) == by_index(late), "what waited comes in the order of the run"
    opened = [
        showing.level(name, showing.seq) for name in {showing.holding(iri, showing.seq)["level"] for iri in everything}
    ]
    assert last in {node["id"] for node in showing.holding(last, showing.seq)["nodes"]}
    added = {node["id"] for node in showing.snapshot(whole=True)["nodes"]} - everything.keys() if stored else set()
    assert added == ({f"{NODE['focus']}#rest"} if stored else set())
    assert page | {node["id"] for message in opened for node in message["nodes"]} == everything.keys() | added
    arcs = {(arc["from"], arc["to"]) for message in opened for arc in message["arcs"]}
    assert {(arc["from"], arc["to"]) for arc in joined} == {arc for arc in arcs if not {*arc} & added}


def test_a_drawing_is_opened_as_far_as_the_run_had_come():
    events = search(900, apart=300)
    showing, _ = recalled(events)
    name = showing.holding(kept(899).iri, showing.seq)["level"]
    early, late = (showing.level(name, seq)["nodes"] for seq in (20, showing.seq))
    assert len(early) < len(late)
    assert kept(899).iri not in {node["id"] for node in early}


def test_a_large_stored_run_is_told_after_its_last_drawing():
    events = search(900)
    showing, trace = recalled(events)
    first = showing.snapshot()
    assert first["untold"]
    assert "frames" not in first
    drawn = {node["id"] for node in first["nodes"]}
    assert {node["id"] for node in first["nodes"] if "" in node["spots"]} == drawn
    best, folded = kept(0).iri, kept(60).iri
    assert {best, f"{NODE['focus']}#rest"} < drawn
    assert folded not in drawn
    assert showing.has(folded)
    sources = {one.iri for one in trace.dag.nodes("Passage")}
    assert len(sources & drawn) == 6
    late = {node["id"] for node in showing.holding(folded, showing.seq)["nodes"]}
    assert folded in late
    assert len(sources & late) > 6
    showing.tell()
    told = showing.snapshot()
    assert not told["untold"]
    assert [frame["seq"] for frame in told["frames"]] == [*range(1, showing.seq + 1)]
    last = page_after(told["frames"])
    for name in ("answer", "log", "note", "total", "teaching", "heads"):
        assert last[name] == page_after([first])[name], name
    for node in first["nodes"]:
        again = last["nodes"][node["id"]]
        assert [again[key] for key in ("lines", "detail", "spots")] == [
            node[key] for key in ("lines", "detail", "spots")
        ]
    assert not recalled(search(40))[0].snapshot()["untold"]


def test_very_long_runs_are_played_some_steps_at_a_time():
    parts = [e.Entity(iri=f"urn:x:{number}", label=f"part {number}") for number in range(MOST_FRAMES + 9)]
    events = [*search(3), *(step(part, 100 + at) for at, part in enumerate(parts))]
    showing, trace = recalled(events)
    showing.tell()
    frames = showing.snapshot()["frames"]
    assert len(frames) <= MOST_FRAMES + 2
    nodes = {node["id"] for node in showing.snapshot(whole=True)["nodes"]}
    assert nodes >= shown(events)[0].keys()
    assert len(trace.dag.nodes()) >= MOST_FRAMES + 9


def long_fact(number):
    words = ["valve", "thermostatic switch of the heater in oxygen tank"][number % 2]
    said = ["off", "shut", "open under load in no qualification or acceptance test of the tank"][number % 3]
    edge = Triple(NamedNode(entity_iri(f"{words} {number}")), NamedNode(entity_iri("had been found")), Literal(said))
    return e.EdgeSelection(iri=iri("edge", "s", number), edge=edge, concept="tank", score=0.5, reasoning="r")


def test_a_fact_has_the_lines_that_it_needs_on_any_canvas_and_lies_on_none_while_the_graph_grows():
    some = [long_fact(number) for number in range(12)]
    passages = {one.iri: (passage("a", at // 2, at, 3),) for at, one in enumerate(some)}
    stage = e.Focus(iri=NODE["focus"], derived_from=(NODE["exploration"],), selected_edges=tuple(passages))
    steps = [*search(1)[:3], step(stage, 3, parts=some[:6], passages={one.iri: passages[one.iri] for one in some[:6]})]
    nodes, _, drawings = shown([*steps, *(step(one, 4, passages={one.iri: passages[one.iri]}) for one in some[6:])])
    lane = [(nodes[one.iri], drawings[""][one.iri][1]) for one in some]
    assert max(narrow.height for _, (narrow, _) in lane) > 60
    for columns in range(len(SETS)):
        for (node, spot), below in itertools.zip_longest(lane, lane[1:]):
            place = spot[columns]
            assert below is None or place.bottom < below[1][columns].top
            needed = sum(min(len(style), rows_of(text, place.width)) for style, text in node["lines"])
            assert needed <= lines_in(place.height)
    stands = sorted((spot[0] for node, spot in drawings[""].values() if node["kind"] == "Passage"), key=lambda at: at.y)
    assert all(above.bottom < below.top for above, below in itertools.pairwise(stands))
    assert all(lines_in(place.height) == 4 for place in stands), "three of its words, and where it stands"
