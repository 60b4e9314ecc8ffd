import base64
import itertools
import json
import re
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer import entities as e
from explorer.dag import ProvenanceDag
from explorer.drawing import picture
from explorer.drawing.colours import OUTCOMES
from explorer.drawing.svg import wrapped
from explorer.events import ANSWERED, NOT_FOUND, UNSURE, Text
from explorer.text import one_line, strip_controls
from explorer.trustgraph import messages as trustgraph
from explorer.view.report_paper import Reported, paper
from explorer.vocab import iri
from explorer.wording.outcomes import signed
from tests.agents import SESSIONS, TIME, search, told
from tests.corpus import QUESTIONS, shared
from tests.each import each
from tests.strategies import step, streams

HOSTILE = "<img src=x onerror=alert(1)> & \"quoted\" 'too' </text><script>alert(2)</script> \x1b[31m\x00\u202e ]]>"


def paged(dag):
    """What a report says of a run."""
    return paper(Reported(dag))


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.found, self.attributes, self.text = [], [], ""

    def handle_starttag(self, tag, attrs):
        self.found.append(tag)
        self.attributes += attrs

    def handle_data(self, data):
        self.text += data


def tags(page):
    parser = Tags()
    parser.feed(page)
    return parser


def asked(question):
    return ProvenanceDag().fold([step(e.GraphRagQuestion(iri=iri("question", "s"), query=question), 0)])


def drawing(page):
    data, *_ = re.findall(r"data:image/svg\+xml;base64,([^\"]+)", page)  # first the run, then what ran within it
    return base64.b64decode(data).decode()


def test_nothing_asked_is_said():
    assert picture.text(ProvenanceDag()) == "Nothing has been asked yet."
    assert picture.html(ProvenanceDag()) == "<p>Nothing has been asked yet.</p>"
    ET.fromstring(picture.svg(ProvenanceDag()))


def test_the_drawing_of_a_run_without_an_answer_has_a_place_for_each_node_and_a_line_for_each_arc():
    trace = shared().run(QUESTIONS[0])
    dag = ProvenanceDag().fold(itertools.takewhile(lambda event: not isinstance(event, Text), trace.events))
    root = ET.fromstring(picture.svg(dag))
    shapes = [part for part in root if part.tag.endswith(("rect", "polygon"))]
    assert len(shapes) == len(dag.nodes()) + 1  # the canvas
    kept = [arc for arc in dag.arcs() if arc.kind == "selected"]
    ways = [part.get("d") for part in root if part.tag.endswith("path")]
    assert len(ways) == len(dag.arcs()) + len(kept), "a branch of its own for each score"
    bracket = [way for way in ways if re.fullmatch(r"M\d+ \d+H(\d+)V\d+H\d+", way)]
    assert len(kept) > 1
    assert len(bracket) >= len(kept) - 1, "one upright line, and no bundle of curves"


WHY = "Why did oxygen tank no. 2 fail?"
BOTH = "Why did oxygen tank no. 2 fail, and what voltage were the thermostatic switches rated for?"


@each("engine", ["graph-rag", "document-rag"])
@each("question", [WHY, BOTH])
def test_in_a_picture_read_from_its_answer_each_head_stands_above_its_column_and_no_line_lies_on_a_box(
    demo, engine, question
):
    drawn = picture.svg(demo.run(question, engine=engine).dag)
    root, boxes = ET.fromstring(drawn), [*outlines(drawn)]
    heads = {part.text: part for part in root if part.tag.endswith("text") and part.get("font-size") == "11"}
    heads = {
        words: (float(part.get("x")), float(part.get("y")), part.get("text-anchor")) for words, part in heads.items()
    }
    known = ("Found in passage", "On page", "Document")
    named = {words: where for words, where in heads.items() if words in known or words.endswith(("used", "Used"))}
    assert len(named) == (4 if engine == "graph-rag" else 3)
    for words, (x, y, anchor) in named.items():
        at = [(left + right) / 2 if anchor else left + 3 for left, top, right, _ in boxes if top > y]
        assert min(abs(x - one) for one in at) <= 1, words
        assert x < float(root.get("width")) - 20, words
    ways = [part.get("d") for part in root if part.tag.endswith("path") and part.get("marker-end")]
    turning = [way for way in ways if "V" in way]
    assert len(turning) > 4
    for way in turning:
        for (x, y), (to_x, to_y) in itertools.pairwise(points_of(way)):
            low, high = sorted((y, to_y))
            near, far = sorted((x, to_x))
            on = [
                box
                for box in boxes
                if box[0] + 2 < far and near < box[2] - 2 and box[1] + 2 < high and low < box[3] - 2
            ]
            assert not on, (way, on)


def points_of(way):
    """The corners of a path of upright and level pieces."""
    x = y = 0.0
    for kind, first, second in re.findall(r"([MHV])(-?[\d.]+)(?: (-?[\d.]+))?", way):
        x, y = {"M": (first, second), "H": (first, y), "V": (x, first)}[kind]
        x, y = float(x), float(y)
        yield x, y


def test_a_page_is_a_square_a_document_a_hexagon_and_an_arc_has_a_head_as_in_the_app():
    trace = shared().run(QUESTIONS[0])
    dag = ProvenanceDag().fold(itertools.takewhile(lambda event: not isinstance(event, Text), trace.events))
    root = ET.fromstring(picture.svg(dag))
    assert len([part for part in root if part.tag.endswith("polygon")]) == len(dag.nodes("Document"))
    assert not [part for part in root if part.tag.endswith("circle")]
    [marker] = root.iter("{http://www.w3.org/2000/svg}marker")
    ends = [part.get("marker-end") for part in root if part.tag.endswith("path")]
    assert f"url(#{marker.get('id')})" in ends


def test_a_notebook_shows_the_run_whole_and_what_ran_within_it_opens_below(run):
    within = headings(picture.svg(run))
    page = picture.html(run)
    opens = re.findall(r"<details><summary>(Inside.*?)</summary><p><img", page)
    assert opens == within
    first, *more = re.findall(r"data:image/svg\+xml;base64,([^\"]+)", page)
    assert len(more) == len(within)
    assert not [one for one in (first, *more) if headings(base64.b64decode(one).decode())]


def test_the_text_leads_from_the_question_to_the_words():
    trace = shared().run(QUESTIONS[2])
    said = picture.text(trace.dag)
    assert said.startswith(f"? Question · {QUESTIONS[2]}")
    assert "relief valve" in said
    assert "“The relief valve opened at 983 psi.”" in said
    assert said.endswith("\nGUIDANCE: The relief valve opened at 983 psi. [1]")


def test_what_a_page_says_needs_nothing_else():
    page = paged(shared().run(QUESTIONS[1]).dag)
    found = tags(page)
    assert not {"script", "iframe", "link", "object"} & set(found.found)
    assert not re.findall(r"(?:src|href)=\"(?!data:|#)", page)
    assert not [value for _, value in found.attributes if value and "://" in value]


def test_a_page_says_each_fact_its_reason_and_its_words():
    trace = shared().run(QUESTIONS[1])
    said = tags(paged(trace.dag)).text
    for edge in trace.edges:
        assert edge.reasoning in said
        for passage in trace.passages[edge.iri]:
            assert passage.text in said
            assert passage.place in said


def test_markup_in_a_question_is_text():
    dag = asked(HOSTILE)
    page = paged(dag)
    found = tags(page)
    assert "script" not in found.found
    assert found.found.count("img") == 1
    assert "onerror" not in dict(found.attributes)
    assert "<img src=x onerror=alert(1)>" in found.text
    ET.fromstring(drawing(page))


@settings(max_examples=40)
@given(streams())
def test_any_graph_is_drawn_well_formed(events):
    dag = ProvenanceDag().fold(events)
    ET.fromstring(picture.svg(dag))
    ET.fromstring(drawing(picture.html(dag)))
    nested = picture.html(dag)
    assert nested.count("<ul>") == nested.count("</ul>")
    assert nested.count("<li>") == nested.count("</li>")


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=40))
def test_any_text_is_safe_in_a_drawing_and_in_a_terminal(question):
    ET.fromstring(picture.svg(asked(question)).encode())
    paged(asked(question)).encode()
    assert not re.findall("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", picture.text(asked(question)))


@each(
    ("given", "kept"),
    [
        ("a\x1b[31mb", "a[31mb"),
        ("\x9b31m", "31m"),
        ("a\x00b\x07", "ab"),
        ("a\u202eb", "ab"),
        ("a\n\tb", "a\n\tb"),
        ("\ud800x", "x"),
        ("Skłodowska 28 °C “x” 漢字 🚀", "Skłodowska 28 °C “x” 漢字 🚀"),
    ],
)
def test_a_terminal_gets_only_what_it_shows(given, kept):
    assert strip_controls(given) == kept
    assert one_line(f" {given}\r\n ") == " ".join(kept.split())


def test_a_chain_of_thousands_of_steps_is_drawn_and_told():
    steps = [e.AgentQuestion(iri="urn:t:0", query="Why?")]
    steps += [e.Analysis(iri=f"urn:t:{n}", derived_from=(f"urn:t:{n - 1}",)) for n in range(1, 1501)]
    dag = ProvenanceDag().fold(step(entity, number) for number, entity in enumerate(steps))
    lines = picture.text(dag).splitlines()
    assert len(lines) == 1501
    assert [len(line) - len(line.lstrip()) for line in lines[:4]] == [0, 2, 4, 6]
    assert max(map(len, lines)) < 300
    for drawn in (picture.html(dag), paged(dag)):
        assert drawn.count("<li>") == drawn.count("</li>") >= 1501
        assert drawn.count("<ul>") == drawn.count("</ul>")
    shown = drawing(drawn)  # that of the page
    assert len(re.findall("<rect", shown)) == 103  # with the canvas, and the shadow of what is folded
    assert "1,401 more steps" in shown


PATTERNS = ("react", "plan-then-execute", "supervisor")
RECORDED = ("react", "plan", "supervisor")


@pytest.fixture(params=[*PATTERNS, *(f"recorded {name}" for name in RECORDED), *SESSIONS])
def run(request, conformance):
    if request.param in PATTERNS:
        return shared().run(QUESTIONS[0], engine="agent", pattern=request.param).dag
    if request.param in SESSIONS:
        return ProvenanceDag().fold(SESSIONS[request.param])
    path = conformance / "golden" / "wire" / f"agent-{request.param.split()[1]}-stream.jsonl"
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return ProvenanceDag().fold(trustgraph.events(lines))


def stepping(question="Why?", thought="It may be cold.", edges=25, found="It was cold.", **failure):
    """An agent's step with a search in it; what came back, or else how the run broke off."""
    asked, step_, seen = iri("agent-question", "a"), iri("analysis", "a", 1), iri("observation", "a", 1)
    thinks = e.Thought(iri=iri("thought", "a", 1), derived_from=(step_,))
    last = iri("synthesis", "s")
    ended = e.Failure(iri=iri("failure", "a"), derived_from=(last,), **failure)
    return [
        told(e.AgentQuestion(iri=asked, query=question, started_at=TIME)),
        told(
            e.Analysis(
                iri=step_, action="knowledge-query", derived_from=(asked,), thought=thinks.iri,
                arguments=json.dumps({"question": question}), step_number=1,
            ),
            thinks,
        ),
        *search("s", step_, edges),
        told(ended if failure else e.Observation(iri=seen, derived_from=(last,))),
        Text(thinks.iri, "thought", thought),
        Text(seen, "observation", found),
    ]  # fmt: skip


def outlines(drawn):
    """The outlines of all boxes, squares and hexagons but the canvas."""
    for part in ET.fromstring(drawn):
        sizes = {name: float(value) for name, value in part.items() if re.fullmatch(r"-?[\d.]+", value)}
        if part.tag.endswith("polygon"):
            across, down = zip(*(map(float, one.split(",")) for one in part.get("points").split()), strict=True)
            yield min(across), min(down), max(across), max(down)
        elif part.tag.endswith("rect") and "x" in sizes:
            yield sizes["x"], sizes["y"], sizes["x"] + sizes["width"], sizes["y"] + sizes["height"]


def words_of(drawn):
    return [part.text for part in ET.fromstring(drawn) if part.tag.endswith("text")]


def headings(drawn):
    return [line for line in words_of(drawn) if line.startswith("Inside")]


@pytest.mark.parametrize("pattern", [None, "react", "plan-then-execute"])
def test_an_answer_and_its_sentences_have_the_colour_and_the_sign_of_how_it_came_out(pattern):
    how = {"engine": "agent", "pattern": pattern} if pattern else {}
    for question, came_out in (("Who is the mayor of Lisbon?", NOT_FOUND), (QUESTIONS[0], ANSWERED)):
        trace = shared().run(question, **how)
        assert trace.outcome == came_out
        drawn = picture.svg(trace.dag)
        assert signed(came_out) in drawn
        assert (OUTCOMES[ANSWERED][0][0][0] in drawn) == (came_out == ANSWERED)
        assert OUTCOMES[UNSURE][0][0][0] not in drawn


def test_no_two_boxes_of_an_agents_picture_overlap(run):
    drawn = picture.svg(run)
    shapes = sorted(outlines(drawn), key=lambda shape: shape[1])
    folded = ("EdgeSelection", "ChunkSelection", "Passage", "Page", "Section", "Document")  # as far as nothing cites it
    assert len(shapes) >= len([node for node in run.nodes() if node.kind not in folded])
    for at, one in enumerate(shapes):
        for other in itertools.takewhile(lambda below, one=one: below[1] < one[3], shapes[at + 1 :]):
            assert not (one[0] < other[2] and other[0] < one[2]), (one, other)
    width, height = (float(ET.fromstring(drawn).get(side)) for side in ("width", "height"))
    assert all(left >= -4 and right <= width and top >= 0 and low <= height for left, top, right, low in shapes)


def test_an_agents_picture_is_the_same_each_time_and_well_formed(run):
    assert paged(run) == paged(run)  # with its picture
    ET.fromstring(drawing(picture.html(run)))


def test_each_run_within_an_agents_run_has_its_drawing_below():
    assert headings(picture.svg(ProvenanceDag().fold(SESSIONS["react"]))) == ["Inside step 1: Graph search"]
    assert headings(picture.svg(ProvenanceDag().fold(SESSIONS["planned"]))) == ["Inside step 1: Graph search"]
    assert headings(picture.svg(ProvenanceDag().fold(SESSIONS["team"]))) == [
        "Inside part 1: agent",
        "Inside part 1, step 1: Graph search",
        "Inside part 2: agent",
        "Inside part 2, step 1: Graph search",
    ]
    assert headings(picture.svg(ProvenanceDag().fold(SESSIONS["search"]))) == []


def test_a_second_search_for_a_step_of_a_plan_is_told_as_that_of_this_step():
    asked, plan = iri("agent-question", "p"), iri("plan", "p")
    result = e.StepResult(iri=iri("step-result", "p", 0), derived_from=(iri("synthesis", "s2"),), goal="What?")
    dag = ProvenanceDag().fold([
        told(e.AgentQuestion(iri=asked, query="Why?", started_at=TIME)),
        told(e.Plan(iri=plan, derived_from=(asked,), ordered=("What?", "Tell it"), steps=("What?", "Tell it"))),
        *search("s1", plan),
        *search("s2", plan),
        told(result),
        *search("s3", plan),
    ])  # fmt: skip
    steps = [line[:13] for line in headings(picture.svg(dag))]
    assert steps == ["Inside step 1", "Inside step 1", "Inside step 2"]


def test_any_beginning_of_an_agents_run_is_drawn_and_told(run):
    events = [step(entity, number) for number, entity in enumerate(run.entities.values())]
    for end in range(0, len(events), max(1, len(events) // 12)):
        for told_ in (events[:end], events[end:], events[end::-1]):
            dag = ProvenanceDag().fold(told_)
            drawn = picture.svg(dag)
            ET.fromstring(drawn)
            paper(Reported(dag), svg=drawn)
            picture.text(dag)


def test_a_step_of_an_agent_shows_its_words_in_three_lines_at_most():
    drawn = picture.svg(ProvenanceDag().fold(stepping(thought="the tank is cold and " * 40)))
    words = words_of(drawn)
    at = words.index("… Thought 1")
    assert words[at + 1].startswith("the tank is cold")
    assert words[at + 3].endswith("…")
    assert [line for line in words if "tank is" in line] == words[at + 1 : at + 4]
    assert "It was cold." in words


@pytest.mark.parametrize(
    ("reason", "error", "word", "beside"),
    [
        ("error", "no answer in time", "Failed", "no answer in time"),
        ("cancelled", "no answer in time", "Stopped", "no answer in time"),
        (None, e.CUT_OFF, "Cut off", "Cut off here: the program ended"),
    ],
)
def test_a_run_that_broke_off_shows_where(reason, error, word, beside):
    dag = ProvenanceDag().fold(stepping(error=error, termination_reason=reason))
    words = words_of(picture.svg(dag))
    assert [line for line in words if line.startswith("✕")] == [f"✕ {word}"]
    assert words[words.index(f"✕ {word}") + 1] == beside
    lines = [line.strip() for line in picture.text(dag).splitlines()]
    assert [line for line in lines if line.startswith("✕")] == [f"✕ {word} · {error}"]


def test_markup_in_what_an_agent_said_is_text():
    dag = ProvenanceDag().fold(stepping(HOSTILE, HOSTILE, 2, HOSTILE, error=HOSTILE))
    page = paged(dag)
    found = tags(page)
    assert "script" not in found.found
    assert found.found.count("img") == 1
    assert "onerror" not in dict(found.attributes)
    ET.fromstring(drawing(page))
    assert "<img src=x" in " ".join(words_of(drawing(page)))


@given(st.text(st.characters(), max_size=400), st.integers(60, 240), st.integers(1, 3))
def test_any_text_is_wrapped_into_its_box(given_, width, most):
    lines = wrapped(given_, width, most)
    assert len(lines) <= most
    assert all(len(line) <= max(2, (width - 16) / (0.7 * 6.6) + 1) for line in lines), "of the narrowest letters"
    told_ = "".join(given_.split())
    assert told_.startswith("".join("".join(lines[:-1]).split()))
    assert lines or not told_


def test_a_search_within_an_agents_run_is_told_in_short():
    lines = picture.text(ProvenanceDag().fold(stepping())).splitlines()
    assert len([line for line in lines if "◆" in line]) == 5
    assert [line.strip() for line in lines if "more facts" in line] == ["… and 20 more facts"]
    assert len(lines) < 25
    alone = picture.text(ProvenanceDag().fold(search("s", edges=25))).splitlines()
    assert len([line for line in alone if "◆" in line]) == 25
    assert "more facts" not in " ".join(alone)


def test_a_step_that_is_reached_twice_is_told_once(run):
    lines = picture.text(run).splitlines()
    for sign, *kinds in (
        ("◁", "StepResult"),
        ("◈", "Finding"),
        ("◀", "Observation"),
        ("★ Answer", "Conclusion", "Synthesis"),
    ):
        shown = [line for line in lines if line.strip().startswith(sign)]
        assert len(shown) == sum(len(run.nodes(kind)) for kind in kinds), kinds


def test_a_page_of_an_agents_run_lists_what_its_answers_cite_or_else_the_best_facts_of_each_search():
    page = paged(ProvenanceDag().fold(stepping()))
    assert "<h2>Inside step 1: Graph search</h2>" in page
    assert "5 of 25 kept: the best matches" in page
    assert page.count("No recorded source.") == 5
    cited = (iri("edge", "s", 2), iri("edge", "s", 20))
    citation = e.Citation(iri=f"{iri('synthesis', 's')}#citation-1", cites=cited)
    page = paged(ProvenanceDag().fold([*stepping(), step(citation, 9)]))
    assert "2 of 25 kept: cited by answers" in page
    assert page.count("<blockquote>") == 2
