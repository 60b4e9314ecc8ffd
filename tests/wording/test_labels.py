from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import BlankNode, Literal, NamedNode, Triple

from explorer.dag import ProvenanceDag, nodes
from explorer.dag.nodes import Node
from explorer.drawing.columns import SETS, rows_of
from explorer.drawing.growing import of_cell
from explorer.drawing.looks import LOOKS
from explorer.entities import (
    CLASSES,
    CUT_OFF,
    ORDER,
    STOPPED,
    ChunkSelection,
    Citation,
    EdgeSelection,
    Entity,
    Exploration,
    Failure,
    Focus,
    GraphRagQuestion,
    Grounding,
    Observation,
    Step,
    Synthesis,
)
from explorer.events import Text
from explorer.rdf.labels import term_label
from explorer.text import count, opening, truncate
from explorer.vocab import entity_iri, iri
from explorer.wording import kinds as table
from explorer.wording.graph_words import label, lines
from explorer.wording.node_words import words
from tests.corpus import shared
from tests.each import each
from tests.strategies import passage, step
from tests.view.detail.test_panel import UNDRAWN

STAND_INS = ("Goal", "Run", "Folded", "Nearest", "Sentence", "Rest", "Near", "More")  # in words alone
TANK, HOLDS = NamedNode(entity_iri("Oxygen Tank")), NamedNode(entity_iri("holds"))


def test_a_number_stands_with_its_unit():
    assert [count(n, "fact") for n in (0, 1, 2, 1204, None)] == ["0 facts", "1 fact", "2 facts", "1,204 facts", "facts"]


@given(st.text(), st.integers(2, 60))
def test_a_short_text_is_never_longer_than_asked_and_on_one_line(text, length):
    cut = truncate(text, length)
    assert len(cut) <= length
    assert cut == " ".join(cut.split())


def test_a_text_is_cut_at_the_end_of_a_word():
    assert truncate("The relief valve opened at 983 psi", 20) == "The relief valve…"
    assert truncate("fits  as\nit is", 20) == "fits as it is"
    assert truncate("x" * 30, 10) == "x" * 9 + "…"


def test_a_term_is_read_by_its_label_or_else_by_its_name():
    labels = {TANK.value: "oxygen tank no. 2"}
    assert term_label(TANK, labels) == "oxygen tank no. 2"
    assert term_label(TANK, {}) == "oxygen tank"
    assert term_label(Literal("28 V", language="en"), {}) == "28 V"
    assert term_label(BlankNode("b"), {}) == "b"
    assert term_label(Triple(TANK, HOLDS, Literal("oxygen")), labels) == "oxygen tank no. 2 holds oxygen"


EXPLORED, FOCUS = iri("exploration", "s"), iri("focus", "s")


def explored(number):
    return Exploration(iri=EXPLORED, edge_count=number)


def focus(*chosen):
    return Focus(iri=FOCUS, selected_edges=chosen, derived_from=(EXPLORED,))


@each(
    ("entity", "others", "said"),
    [
        (GraphRagQuestion(iri="urn:x:1", query="Why?"), [], ("Question", "Why?")),
        (Grounding(iri="urn:x:1", ordered=["a", "a"], concepts=("a",)), [], ("Key ideas", "2 from the question")),
        (Grounding(iri="urn:x:1", concepts=("a",)), [], ("Key ideas", "1 from the question")),
        (Exploration(iri="urn:x:1", edge_count=1204), [], ("Looked at", "1,204 facts")),
        (Exploration(iri="urn:x:1", chunk_count=1), [], ("Looked at", "1 passage")),
        (Exploration(iri="urn:x:1"), [], ("Looked at", "facts")),
        (focus("urn:e:1"), [explored(12)], ("Kept", "1 kept, 11 more read")),
        (Focus(iri="urn:x:1"), [], ("Kept", "nothing kept")),
        (focus("urn:e:1"), [explored(123_456)], ("Kept", "1 kept, 123,455 more read")),
        (Focus(iri="urn:x:1", selected_edges=("urn:e:1",), selected_chunks=("urn:c:1", "urn:c:2")), [],
         ("Kept", "1 fact, 2 passages kept")),
        (ChunkSelection(iri=iri("chunk-selection", "s", 2)), [], ("passage", "its words are not on record")),
        (EdgeSelection(iri=iri("edge", "s", 1), edge=Triple(TANK, HOLDS, Literal("oxygen"))), [],
         ("oxygen tank", "— holds → oxygen")),
        (EdgeSelection(iri="urn:x:1"), [], ("fact", "not on record")),
        (Synthesis(iri="urn:x:1"), [Citation(iri="urn:c:1", cites=("urn:e:1",))], ("Answer", "1 sentence")),
        (Synthesis(iri=iri("synthesis", "s")), [Citation(iri=iri("citation", "t", 0))], ("Answer",)),
        (
            Synthesis(iri="urn:x:1", termination_reason="declined"),
            [],
            ("Answer", "∅ Not found"),
        ),
        (Failure(iri="urn:x:1", error="no room"), [], ("Failed", "no room")),
        (Failure(iri="urn:x:1"), [], ("Failed", "no reason recorded")),
        (Failure(iri="urn:x:1", error="x", termination_reason="error"), [], ("Failed", "x")),
        (Failure(iri="urn:x:1", error=STOPPED, termination_reason="cancelled"), [], ("Stopped", STOPPED)),
        (Failure(iri="urn:x:1", error=CUT_OFF), [], ("Cut off", CUT_OFF)),
        (Entity(iri="urn:x:1", label="Plan with 3 steps"), [], ("Other step", "Plan with 3 steps")),
        (Entity(iri="urn:x:1"), [], ("Other step", "urn:x:1")),
    ],
)  # fmt: skip
def test_a_node_says_what_it_is(entity, others, said):
    dag = ProvenanceDag().fold(step(one, at) for at, one in enumerate([*others, entity]))
    assert lines(dag, dag.node(entity.iri)) == said


def test_the_words_of_a_step_that_go_on_end_with_a_sign():
    seen = iri("observation", "s", 0)
    dag = ProvenanceDag().fold([step(Observation(iri=seen), 0), Text(seen, "observation", "The tank was full. " * 40)])
    assert words(dag, seen).endswith("…")
    assert len(words(dag, seen)) <= 600
    assert words(dag, seen, 1_000) == ("The tank was full. " * 40).strip()


def test_sources_say_where_they_are():
    dag, found = ProvenanceDag(), passage("a", 2, 0, 3)
    assert lines(dag, Node("urn:p:1", "Passage", passages=(found,))) == ("“www”", "p. 2 · Title a")
    assert lines(dag, Node("urn:p:2", "Page", passages=(found,))) == ("p. 2",)
    assert lines(dag, Node("urn:p:3", "Section", passages=(passage("a", None, 0, 3),))) == ("Heading",)
    assert lines(dag, Node("urn:p:4", "Document", passages=(found,))) == ("Title a",)


def test_a_long_key_idea_is_cut_in_its_label_alone():
    dag, idea = ProvenanceDag(), "a relief valve that opened at 983 psi and closed again"
    dag.apply(step(Grounding(iri=iri("grounding", "s"), concepts=(idea,)), 0))
    [node] = dag.nodes("Concept")
    assert (node.text, lines(dag, node)) == (idea, ("a relief valve that opened at…",))


def test_every_kind_of_node_has_a_sign_and_a_word():
    never_drawn = {cls.__name__ for cls in UNDRAWN}
    kinds = {nodes.kind_of(cls(iri="urn:x:1")) for cls in CLASSES} - never_drawn
    kinds |= {"Concept", "NotKept", "Passage", "Unknown"}
    assert kinds == table.KINDS.keys() - {*STAND_INS}
    assert [*LOOKS] == [*table.KINDS]


def test_kinds_stand_in_the_order_in_which_they_come_in_a_run():
    ordered = [one.__name__ for one in ORDER]
    assert [name for name in table.KINDS if name in ordered] == ordered
    questions = {"AgentQuestion", "DocRagQuestion", "GraphRagQuestion"}
    assert {one.__name__ for one in CLASSES if issubclass(one, Step)} - {*ordered} == {*questions, "End"}


@each(
    ("text", "said"),
    [
        ("## What it did\n\nIt failed.", "What it did It failed."),
        ("> - one\n- two", "one - two"),
        ("#2 was moved.", "#2 was moved."),
        ("-40 °C was read.", "-40 °C was read."),
        ("#", "#"),
        ("a " * 30, "a a a a a a a a a a a a a a a a a a a…"),
    ],
)
def test_the_opening_of_a_passage_has_no_marks_of_markdown(text, said):
    assert opening(text) == said


def test_passages_have_a_sign_of_their_own_which_their_quotation_marks_stand_for():
    signs = {name: one.sign for name, one in table.KINDS.items()}
    assert signs["ChunkSelection"] == signs["Passage"] == signs["Chunk"]
    assert [name for name, sign in signs.items() if sign == signs["EdgeSelection"]] == ["EdgeSelection"]
    assert table.signed("ChunkSelection", "“The fire began”") == "“The fire began”"
    assert table.signed("ChunkSelection", "2 “The fire began”") == "❝ 2 “The fire began”"
    assert table.signed("EdgeSelection", "“Odyssey”") == "◆ “Odyssey”"


def test_a_question_of_two_parts_stands_whole_in_the_box_of_an_agent_at_work():
    asked = "Why did oxygen tank no. 2 fail, and what voltage were the thermostatic switches rated for?"
    dag = shared().run(asked, engine="agent", pattern="react").dag
    style, words = label(dag, dag.roots[0])[-1]
    assert words == asked
    assert len(style) >= rows_of(words, of_cell(SETS[0], "asked").width)
