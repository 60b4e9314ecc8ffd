"""The drawing of a search once its answer is on record: read from the answer, whole in one view, nothing in the way."""

import itertools
import re
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from pyoxigraph import Literal, NamedNode, Triple

from explorer import entities as e
from explorer import rdf
from explorer.dag import ProvenanceDag
from explorer.dag.nodes import Change
from explorer.dag.sentences import sentences
from explorer.drawing import picture
from explorer.drawing.column_heads import part_head
from explorer.drawing.columns import SETS, rows_of
from explorer.drawing.final_search import FIRST, MOST_ROWS
from explorer.drawing.finishing import read
from explorer.drawing.folding import Drawings
from explorer.drawing.growing import BOUNDS, lines_in
from explorer.drawing.looks import look
from explorer.events import Text
from explorer.text import count
from explorer.vocab import entity_iri, iri, session_of
from explorer.wording.graph_words import lines
from explorer.wording.kinds import kind
from explorer.wording.tally import tally
from tests.agents import SESSIONS, team
from tests.each import each
from tests.strategies import passage, step, streams

NODE = {one: iri(one, "s") for one in ("question", "grounding", "exploration", "focus", "synthesis")}
SHORT = "Who chaired the Apollo 13 Review Board?"
MARGIN, CANVAS, READABLE = 8, 420, 11 / 12  # the last is the scale at which the smallest text has 11 px
QUESTION = "Why did oxygen tank no. 2 fail?"
WHOLE = "What did the Board recommend?"  # a sentence of its answer rests on a passage, not on a fact


def fact(number):
    edge = Triple(NamedNode(entity_iri(f"tank {number}")), NamedNode(entity_iri("holds")), Literal(f"oxygen {number}"))
    return e.EdgeSelection(iri=iri("edge", "s", number), edge=edge, concept="tank", score=0.5, reasoning="r")


def chunk(number):
    return e.ChunkSelection(iri=iri("chunk-selection", "s", number), document=f"urn:chunk:{number}", score=0.5)


def search(kept, cites, text=None, *, declined=False, question=e.GraphRagQuestion, sources=None):
    """A search that kept these, with an answer whose sentences cite what stands in `cites`, None for a remark."""
    said = [f"Sentence {number} says so." for number in range(len(cites or ()))]
    whole = " ".join(said) if text is None else text
    spans, at = [], 0
    for number, (words, cited) in enumerate(zip(said, cites or (), strict=True)):
        if cited is not None:
            spans.append(
                e.Citation(iri=iri("citation", "s", number), start=at, end=at + len(words), cites=tuple(cited))
            )
        at += len(words) + 1
    found = {one.iri: (passage("ab"[at % 2], at // 8 + 1, at, 3),) for at, one in enumerate(kept)} | (sources or {})
    edges = tuple(one.iri for one in kept if isinstance(one, e.EdgeSelection))
    chunks = tuple(one.iri for one in kept if isinstance(one, e.ChunkSelection))
    focus = e.Focus(
        iri=NODE["focus"], derived_from=(NODE["exploration"],), selected_edges=edges, selected_chunks=chunks
    )
    answer = e.Synthesis(
        iri=NODE["synthesis"], derived_from=(NODE["focus"],), termination_reason="declined" if declined else None
    )
    return [
        step(question(iri=NODE["question"], query="Why?", started_at="2026-01-15T10:30:00Z"), 0),
        step(e.Grounding(iri=NODE["grounding"], derived_from=(NODE["question"],), concepts=("tank", "valve")), 1),
        step(e.Exploration(iri=NODE["exploration"], derived_from=(NODE["grounding"],), edge_count=len(kept) + 9), 2),
        step(focus, 3, parts=kept, passages=found),
        Text(NODE["synthesis"], "answer", whole),
        step(answer, 4, more=[triple for one in spans for triple in rdf.triples(one)]),
    ]


def reading(events):
    dag = ProvenanceDag().fold(events)
    return dag, reading_of(dag)


def reading_of(dag):
    drawings = Drawings(dag)
    drawings.apply(Change(tuple(dag.nodes()), tuple(dag.arcs())))
    return read(drawings)


def named(dag, found, node):
    """The kind of a node that is drawn."""
    stands_for = {"run:": "Run", "more": "Folded"}.get(node[:4]) or ("Goal" if "#goal-" in node else None)
    return stands_for or (found.nodes.get(node) or dag.node(node)).kind


def opened(found, level, columns):
    """The drawings on show once one is opened, the innermost first: each with where a height of it is on show."""
    chain = [level]
    while chain[0] in found.unfolds:
        chain.insert(0, next(iter(found.places[chain[0]])))
    folds = [found.unfolds[one][columns] for one in chain[1:]]
    tops = [sum(y for y, _ in folds[:at]) for at in range(len(chain))]
    room = [sum(high for _, high in folds[at:]) for at in range(len(chain))]
    begins = [*(y for y, _ in folds), float("inf")]
    for at in reversed(range(len(chain))):
        yield chain[at], lambda y, at=at: tops[at] + y + (room[at] if y > begins[at] else 0)


def on_show(found, level, columns):
    """Where each node stands once a drawing is opened: with those around it, whose nodes below it have moved down."""
    places = {}
    for one, lowered in opened(found, level, columns):
        for node, levels in found.places.items():
            place = levels.get(one, (None,) * len(SETS))[columns]
            if place is not None and node not in places:
                places[node] = (place[0], lowered(place[1]), *place[2:])
    return places


def kinds(dag, found, level=""):
    """What is on show once a drawing is opened: IRIs by kind, in the order of their places in the widest columns."""
    drawn = sorted((place[1], place[0], node) for node, place in on_show(found, level, -1).items())
    by = {}
    for _, _, node in drawn:
        by.setdefault(named(dag, found, node), []).append(node)
    return by


def boxes(dag, found, level, columns):
    """What each node covers with the name below it, and the outer height of all."""
    for node, (x, y, w, h) in on_show(found, level, columns).items():
        name = named(dag, found, node)
        below = {"Page": 14, "Section": 14, "Document": 27}.get(name, 0) if SETS[columns].rooms.get(name) else 0
        room = SETS[columns].rooms.get(name) or w
        yield node, (x - max(w, room) / 2, y - h / 2, x + max(w, room) / 2, y + h / 2 + below)


def height(dag, found, level="", columns=0):
    return max(box[3] for _, box in boxes(dag, found, level, columns)) + 2 * MARGIN


def assert_apart(dag, found):
    for level, columns in itertools.product(found.levels | found.folds.keys(), range(len(SETS))):
        covered = list(boxes(dag, found, level, columns))
        for (a, p), (b, q) in itertools.combinations(covered, 2):
            assert not (p[0] < q[2] and q[0] < p[2] and p[1] < q[3] and q[1] < p[3]), (level, columns, a, b)
        for node, box in covered:
            assert box[0] >= 0, node
            assert box[2] <= SETS[columns].width, node
        heads = [(x, lowered(y), words, align) for one, lowered in opened(found, level, columns)
                 for x, y, words, align, of, number in found.heads if (of, number) == (one, columns)]  # fmt: skip
        for x, y, words, align in heads:
            left = x - 40 if align == "center" else x
            for node, box in covered:
                assert not (left < box[2] and box[0] < left + 6 * len(words) and y - 9 < box[3] and box[1] < y), node


def cited(found):
    return {(arc.parent, arc.child) for arc in found.arcs if arc.kind == "cites"}


KEPT = [fact(number) for number in range(8)]
EDGE = [one.iri for one in KEPT]


def test_facts_stand_in_the_order_in_which_the_answer_cites_them_and_the_rest_is_one_node():
    dag, found = reading(search(KEPT, [[EDGE[5]], [EDGE[1], EDGE[5]], []]))
    drawn = kinds(dag, found)
    assert drawn["EdgeSelection"] == [EDGE[5], EDGE[1]]
    [rest] = drawn["Rest"]
    assert found.nodes[rest].text == "6 close, not used"
    assert [len(drawn[one]) for one in ("Sentence", "Passage", "Synthesis")] == [3, 2, 1]
    first, second, third = drawn["Sentence"]
    assert cited(found) == {(EDGE[5], first), (EDGE[1], second), (EDGE[5], second)}
    assert found.nodes[third].text == "Sentence 2 says so."
    assert_apart(dag, found)


def test_facts_of_one_passage_stand_beside_it_and_have_its_number():
    one, other, third = (passage("a", 1, start, 3) for start in (0, 10, 20))
    sources = {EDGE[0]: (one,), EDGE[1]: (other,), EDGE[2]: (one,), EDGE[3]: (third, one), EDGE[4]: (), EDGE[5]: ()}
    cites = [[EDGE[3]], [EDGE[0], EDGE[1], EDGE[4]], [EDGE[2], EDGE[3]], []]
    dag, found = reading(search(KEPT[:5], cites, sources=sources))
    drawn = kinds(dag, found)
    assert drawn["EdgeSelection"] == [EDGE[3], EDGE[0], EDGE[2], EDGE[1], EDGE[4]]
    assert {fact: found.numbers[fact] for fact in EDGE[:5]} == dict(zip(EDGE, ([2], [3], [2], [1], [4]), strict=False))
    assert [found.numbers.get(told) for told in drawn["Sentence"]] == [[1], [2, 3, 4], [2, 1], None]
    for columns in range(len(SETS)):
        places = on_show(found, "", columns)
        for passage_iri in drawn["Passage"]:
            _, y, _, high = places[passage_iri]
            of = [fact for fact in EDGE[:5] if [*dag.graph.successors(fact)][:1] == [passage_iri]]
            assert all(y - high / 2 < places[fact][1] < y + high / 2 for fact in of)
            assert [found.numbers[fact] for fact in of] == [found.numbers[passage_iri]] * len(of)
    assert_apart(dag, found)


def test_many_facts_of_one_passage_stand_beside_it_and_below():
    kept = [fact(number) for number in range(9)]
    sources = {one.iri: (passage("a", 1, 0, 3),) for one in kept}
    dag, found = reading(search(kept, [[one.iri for one in kept]], sources=sources))
    [place] = kinds(dag, found)["Passage"]
    places = on_show(found, "", 0)
    beside = [one.iri for one in kept if abs(places[one.iri][1] - places[place][1]) < places[place][3] / 2]
    assert beside == [one.iri for one in kept][:MOST_ROWS]
    assert found.lines[place][0][0].count("+") > 1
    assert_apart(dag, found)


def test_the_rest_opens_in_place():
    dag, found = reading(search(KEPT, [[EDGE[5]], [EDGE[1]]]))
    [rest] = kinds(dag, found)["Rest"]
    unfolded = kinds(dag, found, rest)
    assert unfolded["EdgeSelection"] == [EDGE[5], EDGE[1], *(one for one in EDGE if one not in (EDGE[5], EDGE[1]))]
    below = {"Synthesis", "Sentence"}
    for columns in range(len(SETS)):
        before, after = (on_show(found, level, columns) for level in ("", rest))
        for node, place in before.items():
            if named(dag, found, node) in below:
                assert after[node][1] > place[1]
            else:
                assert after[node] == place, "what stands above the rest moved when it was opened"
    assert_apart(dag, found)


def test_of_a_declined_question_what_comes_nearest_is_drawn_and_the_rest_is_folded():
    dag, found = reading(search(KEPT, None, "Your documents do not say.", declined=True))
    drawn = kinds(dag, found)
    assert drawn["EdgeSelection"] == EDGE[:1]
    assert "Sentence" not in drawn
    assert found.kinds == {NODE["focus"]: "Nearest", drawn["Rest"][0]: "Near"}
    assert kind("Near").word == kind("Nearest").word != kind("Rest").word
    assert found.lines[NODE["focus"]] == [("b+", "Nearest, not enough")]
    assert look("Nearest").dashes
    assert found.nodes[drawn["Rest"][0]].text == "7 close, not used"
    assert_apart(dag, found)


def test_a_run_whose_record_does_not_say_what_was_used_shows_the_best():
    dag, found = reading(search(KEPT, None, "An answer of a run of before."))
    drawn = kinds(dag, found)
    assert drawn["EdgeSelection"] == EDGE[:FIRST]
    assert found.nodes[drawn["Rest"][0]].text == "2 more kept"
    assert found.kinds == {drawn["Rest"][0]: "More"}
    assert found.heads[0][2] == "Facts kept"
    assert all(len(style) > 2 for fact in EDGE[:FIRST] for style, _ in found.lines[fact]), "with room for all words"
    assert_apart(dag, found)


@each(
    ("facts", "cites", "sentences"),
    [*((many, [range(many)], 1) for many in (1, 40, 130)), (8, [[at % 3] for at in range(30)], 30), (8, [[], []], 2)],
)
def test_all_that_is_cited_is_shown_up_to_the_bound_and_each_sentence(facts, cites, sentences):
    kept = [fact(number) for number in range(facts)]
    dag, found = reading(search(kept, [[kept[at].iri for at in one] for one in cites]))
    drawn = kinds(dag, found)
    shown = [one.iri for one in kept][: min(BOUNDS["fact"][0], len({at for one in cites for at in one}))]
    assert drawn.get("EdgeSelection", []) == shown
    assert len(drawn["Sentence"]) == sentences
    assert_apart(dag, found)


def test_what_stands_between_citations_is_a_remark_that_cites_nothing():
    events = search(KEPT, [[EDGE[0]], None, [EDGE[1]]])
    dag, found = reading(events)
    first, remark, last = (found.nodes[one] for one in kinds(dag, found)["Sentence"])
    assert (first.text, remark.text, last.text) == tuple(f"Sentence {number} says so." for number in range(3))
    assert not isinstance(remark.entity, e.Citation)
    assert cited(found) == {(EDGE[0], first.iri), (EDGE[1], last.iri)}


def test_words_that_lead_to_a_sentence_are_none_of_their_own():
    said = ("Related, but it does not say why:", "Sentence 0 says so.", "So far:")
    spans = ((len(said[0]) + 1, len(said[0]) + 1 + len(said[1])),)
    cites = e.Citation(iri=iri("citation", "s", 0), start=spans[0][0], end=spans[0][1], cites=(EDGE[0],))
    dag, found = reading([*search(KEPT, None, " ".join(said)), step(cites, 9)])
    assert [found.nodes[one].text for one in kinds(dag, found)["Sentence"]] == [*said[1:]]
    assert lines(dag, dag.node(NODE["synthesis"])) == ("Answer", "2 sentences")


def test_what_is_used_close_and_read_is_counted_one_way():
    kept = [*KEPT[:3], *(chunk(number) for number in range(3, 5))]
    dag, found = reading(search(kept, [[EDGE[0]]]))
    assert tally(dag).startswith("1 used, 2 close, ")
    assert lines(dag, dag.node(NODE["focus"]))[-1] == tally(dag)
    assert found.lines[NODE["focus"]] == [("b", "Kept"), ("s", "1 used, 2 close")], "what was read stands beside it"
    [rest] = kinds(dag, found)["Rest"]
    assert found.nodes[rest].text == "2 close, not used, 2 passages read"
    assert_apart(dag, found)


@each(
    ("cited", "said"),
    [
        ([0, 1, 3], "2 facts, 1 passage used, 1 close, 12 more read"),
        ([3, 4], "2 passages used, 3 close, 11 more read"),
        ([0, 2], "2 used, 1 close, 13 more read"),
        ([], "3 facts, 2 passages kept, 11 more read"),
    ],
)
def test_passages_that_a_search_of_facts_kept_are_named_where_it_is_counted(cited, said):
    kept = [*KEPT[:3], *(chunk(number) for number in range(3, 5))]
    dag, found = reading(search(kept, [[kept[at].iri for at in cited]] if cited else None, "Sentence 0 says so."))
    assert lines(dag, dag.node(NODE["focus"]))[-1] == said
    if cited:
        held = said.rpartition(", ")[0]
        apart = held.split(", ") if "passage" in held else [held]
        assert found.lines[NODE["focus"]] == [("b", "Kept"), *(("s", one) for one in apart)], "each whole"
        assert_apart(dag, found)


@each("span", [(-5, 3), (3, 1), (90, 99), (None, None)])
def test_citations_with_bad_offsets_are_sentences_all_the_same(span):
    events = search(KEPT, None, "Some words.")
    cites = e.Citation(iri=iri("citation", "s", 0), start=span[0], end=span[1], cites=(EDGE[3], "urn:x:unknown"))
    dag, found = reading([*events, step(cites, 9)])
    assert kinds(dag, found)["EdgeSelection"] == [EDGE[3]]
    assert cited(found)
    assert_apart(dag, found)


@pytest.mark.parametrize("mixed", [False, True])
def test_a_passage_that_was_kept_stands_once(mixed):
    kept = [chunk(number) for number in range(4)] + (KEPT[:2] if mixed else [])
    order = [kept[2].iri, kept[0].iri, *(EDGE[:1] if mixed else ())]
    dag, found = reading(search(kept, [[one] for one in order]))
    drawn = kinds(dag, found)
    assert drawn["ChunkSelection"] == order[:2]
    assert len(drawn.get("Passage", ())) == mixed
    left = {found.places[one][""][-1][0] for one in order[:2]}
    assert left == {SETS[-1].passages.middle}, "as wide as facts with their passages: no fact stands before it"
    assert_apart(dag, found)


def test_pages_of_what_was_too_much_stay_below_the_rest():
    kept = [fact(number) for number in range(250)]
    dag, found = reading(search(kept, [[kept[180].iri], [kept[3].iri]]))
    assert kinds(dag, found)["EdgeSelection"] == [kept[180].iri, kept[3].iri]
    [rest] = kinds(dag, found)["Rest"]
    unfolded = kinds(dag, found, rest)
    assert len(unfolded["EdgeSelection"]) == BOUNDS["fact"][0] + 1
    assert len(unfolded["Folded"]) == 1
    assert found.folds[unfolded["Folded"][0]].parent == rest
    assert_apart(dag, found)


def test_a_search_that_goes_on_or_is_of_another_shape_keeps_its_drawing():
    whole = search(KEPT, [[EDGE[0]]])
    assert reading(whole[:-1])[1].levels == set()
    twice = [step(e.Grounding(iri=iri("grounding", "t"), derived_from=(NODE["question"],)), 7)]
    assert reading([*whole, *twice])[1].levels == set()


@each("begun", range(1, 5))
def test_a_search_that_broke_off_and_one_with_two_answers_are_drawn_anew(begun):
    whole = search(KEPT, [[EDGE[0]]])
    broken = step(e.Failure(iri=iri("failure", "s"), derived_from=(whole[begun - 1].iri,), error="no more"), 7)
    for events in ([*whole[:begun], broken], [*whole, broken]):
        dag, found = reading(events)
        assert kinds(dag, found)["Failure"] == [broken.iri]
        assert_apart(dag, found)
        places = on_show(found, "", 0)
        assert max(places, key=lambda node: places[node][1]) == broken.iri
    twice = [Text(iri("synthesis", "t"), "answer", "Another answer."),
             step(e.Synthesis(iri=iri("synthesis", "t"), derived_from=(NODE["focus"],)), 7)]  # fmt: skip
    dag, found = reading([*whole, *twice])
    drawn = kinds(dag, found)
    assert drawn["Synthesis"] == [NODE["synthesis"], iri("synthesis", "t")]
    assert [found.nodes[one].text for one in drawn["Sentence"]] == ["Sentence 0 says so.", "Another answer."]
    assert_apart(dag, found)


@settings(max_examples=60, deadline=None)
@given(streams())
def test_nothing_covers_anything_else_in_any_stream(events):
    dag, found = reading(events)
    assert_apart(dag, found)


@each("session", SESSIONS)
def test_each_search_within_an_agents_run_is_read_from_its_own_answer(session):
    dag, found = reading(SESSIONS[session])
    assert {node.iri for node in dag.answers if node.kind not in ("StepResult", "Finding")} <= found.places.keys()
    assert found.levels == {level for levels in found.places.values() for level in levels}
    assert found.unfolds.keys() == found.levels - {""}
    assert_apart(dag, found)


def test_runs_within_runs_within_runs_unfold_in_place_and_sentences_are_joined_to_what_is_folded():
    dag, found = reading([*team(), *cited_by_team("t-1-search")])
    [member] = (level for level in found.levels if level == "run:t-1")
    inner = "run:t-1-search"
    before, within, deepest = (on_show(found, level, -1) for level in ("", member, inner))
    assert before.keys() < within.keys() < deepest.keys()
    asked, split, answer = (node.iri for kind in ("Question", "Decomposition", "Synthesis") for node in dag.nodes(kind)
                            if session_of(node.iri) == "t")  # fmt: skip
    assert before[asked] == within[asked] == deepest[asked]
    assert before[split] == within[split] == deepest[split]
    assert before[answer][1] < within[answer][1] < deepest[answer][1]
    for around, unfolded, places in (("", member, within), (member, inner, deepest)):
        assert around in found.places[unfolded]
        assert all(place[1] > places[unfolded][1] for node, place in places.items() if unfolded in found.places[node])
    sentence = next(node for node in found.nodes if node.startswith(answer))
    assert {one for one, other in cited(found) if other == sentence} == {iri("edge", "t-1-search", 0), inner, member}


def cited_by_team(session):
    """A sentence of the team's answer that cites what one of its searches kept."""
    answer = iri("agent-synthesis", "t")
    cites = e.Citation(iri=iri("citation", "t", 0), start=0, end=9, cites=(iri("edge", session, 0),))
    return [Text(answer, "answer", "It leaked."), step(cites, 99)]


@pytest.mark.parametrize("engine", ["graph-rag", "document-rag"])
def test_a_question_of_the_sample_fits_a_canvas_of_420_pixels(demo, engine):
    trace = demo.run(SHORT, engine=engine)
    found = reading_of(trace.dag)
    for columns in range(len(SETS)):
        assert height(trace.dag, found, columns=columns) * READABLE <= CANVAS
    assert_apart(trace.dag, found)
    assert len(sentences(trace.dag, trace.dag.final.entity)) == len(trace.citations)
    shown = kinds(trace.dag, found)
    used = dict.fromkeys(one for citation in trace.citations for one in citation.cites)
    assert {*shown.get("EdgeSelection", ()), *shown.get("ChunkSelection", ())} == set(used)


def test_a_box_has_as_many_lines_as_a_fact_needs_where_there_are_few(demo):
    trace = demo.run(SHORT, engine="graph-rag")
    found = reading_of(trace.dag)
    shown = kinds(trace.dag, found)["EdgeSelection"]
    assert shown
    for (style, words), place in ((found.lines[one][0], place) for one in shown for place in found.places[one][""]):
        assert rows_of(words, place.width, taken=26) <= min(len(style), lines_in(place.height))


def test_a_passage_by_itself_has_its_words_in_a_row_above_what_is_folded(demo):
    trace = demo.run(WHOLE, engine="graph-rag")
    found = reading_of(trace.dag)
    [alone] = kinds(trace.dag, found)["ChunkSelection"]
    [rest] = [name for name in found.places if name.endswith("#rest")]
    for columns, place, below in zip(SETS, found.places[alone][""], found.places[rest][""], strict=True):
        assert place.bottom <= below.top
        assert place.width == columns.passages.width
        assert lines_in(place.height) > 1


def test_what_is_kept_adds_up(demo):
    dag = demo.run(WHOLE, engine="graph-rag").dag
    found = reading_of(dag)
    [focus] = [node.entity for node in dag.nodes("Focus")]
    cited = {key for one in dag.citations for key in one.cites}
    [rest] = [node for node in found.nodes.values() if node.kind == "Rest"]
    assert len(cited) + rest.count == len(focus.selected)
    facts = len(cited) - 1  # the other one is a passage
    assert tally(dag).startswith(f"{count(facts, 'fact')}, 1 passage used, {rest.count} close, ")
    assert found.lines[rest.iri] == [("s+", rest.text)]
    [whole] = [iri for iri in cited if dag.node(iri).kind == "ChunkSelection"]
    assert found.lines[whole][-1][1].startswith("passage · p. 8 · ")


def assert_no_arc_crosses_a_label(svg):
    """Of the picture: no line of an arc runs over a text, but below a box that is painted over it."""
    root = ET.fromstring(svg)
    name = "{http://www.w3.org/2000/svg}"
    filled = [tuple(float(one.get(key)) for key in ("x", "y", "width", "height"))
              for one in root.iter(f"{name}rect") if one.get("x")]  # fmt: skip
    words = []
    for one in root.iter(f"{name}text"):
        wide, x = 5.5 * len(one.text or ""), float(one.get("x"))
        x -= wide / 2 if one.get("text-anchor") == "middle" else 0
        words.append((x, float(one.get("y")) - 9, x + wide, float(one.get("y"))))
    free = [one for one in words if not any(x <= one[0] and y <= one[1] and one[0] <= x + w and one[1] <= y + h
                                            for x, y, w, h in filled)]  # fmt: skip
    assert free
    for one in root.iter(f"{name}path"):
        at, corners = (0.0, 0.0), []
        for turn, numbers in re.findall(r"([MHV])([-\d. ]+)", one.get("d")):
            values = [float(value) for value in numbers.split()]
            at = (values[0], values[1]) if turn == "M" else (values[0], at[1]) if turn == "H" else (at[0], values[0])
            corners.append(at)
        for (ax, ay), (bx, by) in itertools.pairwise(corners):
            for left, top, right, bottom in free:
                apart = max(ax, bx) < left or min(ax, bx) > right or max(ay, by) < top or min(ay, by) > bottom
                assert apart, (one.get("d"), (left, top))


@pytest.mark.parametrize("engine", ["graph-rag", "document-rag"])
def test_arcs_of_the_picture_cross_no_label_that_stands_free(demo, engine):
    assert_no_arc_crosses_a_label(picture.svg(demo.run(QUESTION, engine=engine).dag))


def test_the_column_of_the_parts_of_documents_is_called_what_stands_in_it():
    some = ({"Page"}, {"Section"}, {"Page", "Section"})
    assert [part_head(kinds) for kinds in some] == ["On page", "In section", "Page, section"]


def test_a_fact_that_was_not_used_has_the_lines_that_it_needs():
    said = "open under load in no qualification or acceptance test of the tank"
    edge = Triple(NamedNode(entity_iri("thermostatic switch")), NamedNode(entity_iri("had been found")), Literal(said))
    long = e.EdgeSelection(iri=EDGE[3], edge=edge, concept="tank", score=0.5, reasoning="r")
    dag, found = reading(search([*KEPT[:3], long, *KEPT[4:]], [[EDGE[0]]]))
    [rest] = kinds(dag, found)["Rest"]
    [(style, words)] = found.lines[long.iri]
    assert words == f"thermostatic switch — had been found → {said}"
    for columns, place in zip(SETS, found.places[long.iri][rest], strict=True):
        needed = rows_of(words, columns.fact.width)
        assert place[3] > 36 or needed <= 2
        assert min(needed, len(style)) <= lines_in(place[3])
    assert_apart(dag, found)
