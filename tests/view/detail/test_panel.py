"""What the detail panel says of every kind of node: plain words, the record's own term, who says it, its triples."""

import json
import re

import pytest
from pyoxigraph import Literal, NamedNode, Quad, Triple

import explorer
from explorer import entities as e
from explorer import rdf
from explorer.dag import ProvenanceDag
from explorer.dag.nodes import kind_of
from explorer.events import Explain
from explorer.rdf import triples
from explorer.stores.link_graph import facts_of
from explorer.view.detail import not_kept
from explorer.view.detail.raw_triples import raw
from explorer.view.run import stages
from explorer.view.showing import Showing
from explorer.vocab import PROV, RDF, RETRIEVAL, TG, X, entity_iri, iri, local_name
from explorer.widgets import other_answers
from explorer.wording.graph_words import NodeWords, lines
from explorer.wording.kinds import kind
from explorer.wording.outcomes import line
from tests import agents
from tests.corpus import QUESTIONS, filled, shared
from tests.each import each
from tests.strategies import passage, step

IRI = re.compile(r"https?://|urn:|<[a-z]+:")
EDGE = Triple(NamedNode(entity_iri("tank")), NamedNode(entity_iri("holds")), Literal("oxygen", language="en"))
ASKED = iri("agent-question", "a")
UNDRAWN = [  # told of by what they belong to
    getattr(e, name) for name in (
        "RunActivity RunAgent Person StoredContent Candidate Citation End Activity Agent Influence Rating Evaluation "
        "Note Curation Deleted Verdict Remark JudgedSentence Quotation Position"
    ).split()
]  # fmt: skip
FIELDS = {
    "derived_from": (ASKED,), "label": "A label", "query": "Why?", "edge": EDGE, "contains": (EDGE,), "score": 0.5,
    "concept": "tank", "reasoning": "It fits.", "title": "A title", "goal": "g", "goals": ("g",), "steps": ("g",),
    "concepts": ("tank",), "model": "m", "document": "urn:chunk:1", "error": None, "number": 3, "index": 2,
}  # fmt: skip
PLACES = {
    e.EdgeSelection: iri("edge", "a", 0), e.ChunkSelection: iri("chunk-selection", "a", 0),
    e.Analysis: iri("analysis", "a", 1),
    e.Observation: iri("observation", "a", 1), e.Thought: iri("thought", "a", 1), e.Finding: iri("finding", "a", 0),
    e.StepResult: iri("step-result", "a", 0),
}  # fmt: skip


def entity(cls):
    """An entity of a class with something in each of the usual fields."""
    named = {column.name for column in e.columns(cls)}
    return cls(iri=PLACES.get(cls, f"urn:t:{cls.__name__}"), **{name: FIELDS[name] for name in named & FIELDS.keys()})


def told(made):
    """A node as the page gets it, also one of a kind that is drawn only where a passage leads to it."""
    asked = step(e.AgentQuestion(iri=ASKED, query="Why?"), 0)
    dag = ProvenanceDag().fold([asked, step(made, 1)])
    panel, node = NodeWords(dag), dag.node(made.iri)
    assert panel.say(node)
    detail = {"heading": panel.heading(node), "rows": panel.rows(node)}
    json.dumps(detail).encode()  # can be sent to the page
    return {"kind": node.kind, "name": panel.name(node), "detail": detail, "record": raw(node)}


def drawn(*events):
    """The nodes as the page gets them, with the record that it looks up."""
    showing = Showing()
    showing.begin()
    for event in events:
        showing.apply(event)
    showing.end("done", "Ended")
    page = showing.snapshot()
    json.dumps(page).encode()  # can be sent to the page
    return showing.dag, {node["id"]: {**node, "record": showing.record(node["id"])} for node in page["nodes"]}


def words(rows):
    """All that a person reads, outside of the raw record and of where a document came from."""
    shown = [row for row in rows if row["k"] != "raw" and row.get("label") != "Came from"]
    found = []
    for row in shown:
        found += [str(row.get("text", "")), str(row.get("label", "")), (row.get("author") or {}).get("text", "")]
        found += [
            str(value) for item in row.get("items", ()) for key, value in item.items() if key not in ("node", "iri")
        ]
        found += [f"{row[end]['text']} {row[end]['tip'] or ''}" for end in "spo" if end in row]
    return "\n".join(found)


def check(node):
    """Check what holds for each node, whatever its kind."""
    heading, rows = node["detail"]["heading"], node["detail"]["rows"]
    assert heading
    term = "".join(row["text"] for row in rows if row["k"] == "term")
    assert term not in heading.split() or not term
    assert any(row.get("author") for row in rows), node["kind"]
    assert rows[-1] == {"k": "raw"}
    record = node["record"]
    assert record[0][0] == "subgraph" or record[0] == ("", record[0][1])
    assert len(record) > 1 or node["kind"] == "Unknown"
    assert not IRI.search(f"{heading}\n{node['name']}\n{words(rows)}"), words(rows)
    return heading, term, rows


@each("cls", [cls for cls in e.CLASSES if cls not in UNDRAWN], ids=lambda cls: cls.__name__)
def test_every_class_has_a_heading_rows_an_author_and_its_triples(cls):
    made = entity(cls)
    check(told(cls(iri=made.iri)))  # of which only the type is told
    node = told(made)
    _, term, rows = check(node)
    assert term == kind(kind_of(made)).term
    assert len(rows) > (2 if term else 1)
    assert len(node["record"]) == 1 + len(triples(made)) + 1  # its IRI, and the number of the step


@each("cls", UNDRAWN, ids=lambda cls: cls.__name__)
def test_what_is_told_with_another_node_is_none_itself(cls):
    _, nodes = drawn(step(e.AgentQuestion(iri=ASKED, query="Why?"), 0), step(entity(cls), 1))
    assert nodes.keys() == {ASKED}


@each("engine", ["graph-rag", "document-rag", "agent"])
@each("asked", QUESTIONS)
def test_every_node_of_a_run_can_be_looked_at(asked, engine):
    dag, nodes = drawn(*shared().run(asked, engine).events)
    assert len(nodes) >= len(dag.nodes()) > 3
    for node in nodes.values():
        check(node)


@each("session", agents.SESSIONS)
def test_a_run_without_sources_says_so(session):
    dag, nodes = drawn(*agents.SESSIONS[session])
    for node in nodes.values():
        check(node)
    facts = [nodes[node.iri]["detail"]["rows"] for node in dag.nodes("EdgeSelection")]
    assert facts
    for rows in facts:
        assert [row["text"] for row in rows if row.get("label") == "Where it is from"] == ["No recorded source."]


def test_a_fact_says_what_was_done_with_it_by_hand():
    with filled() as ws:
        added = ws.add_fact("Sam Rivers", "leads", "Boulder", by="Ada")
        run = ws.run("Who leads Boulder, and who built the relief valve?")
        retracted = next(edge for edge in run.edges if edge.edge != added.triple)
        ws.retract(retracted, by="Grace")
        dag, nodes = drawn(*ws.traces.load(run.iri).events)
    told = {}
    for node in dag.nodes("EdgeSelection"):
        _, _, rows = check(nodes[node.iri])
        told[node.entity.edge] = {row.get("label"): row.get("text") for row in rows}
    own = told.pop(added.triple)
    assert own["Where it is from"] == "No document: nobody named a passage."
    assert own["By hand"] == "Added by hand on 2026-01-15 by Ada."
    assert told.pop(retracted.edge)["By hand"] == "Retracted on 2026-01-15 by Grace."
    assert {row.get("By hand") for row in told.values()} == {None}


def test_a_node_of_an_unknown_type_is_told_by_the_name_of_its_type():
    node = NamedNode("https://example.org/prov/thing-7")
    about = [
        (RDF.type, PROV.Entity),
        (RDF.type, NamedNode("https://example.org/ns#Audit")),
        (PROV.wasDerivedFrom, NamedNode(ASKED)),
    ]
    quads = tuple(Quad(node, link, end, RETRIEVAL) for link, end in about)
    _, nodes = drawn(step(e.AgentQuestion(iri=ASKED, query="Why?"), 0), Explain(node.value, quads))
    heading, term, rows = check(nodes[node.value])
    assert (heading, term) == ("Audit: a kind not known here", "")
    said = {row.get("label"): row.get("text") or [item["text"] for item in row.get("items", ())] for row in rows}
    assert said["Follows from"] == ["Question"]
    assert "Audit" in said["Its type"]


def test_a_record_that_goes_in_a_circle_can_be_looked_at():
    events = agents.search("q")
    ring = Quad(NamedNode(iri("grounding", "q")), PROV.wasDerivedFrom, NamedNode(iri("focus", "q")), RETRIEVAL)
    dag, nodes = drawn(*events, Explain(iri("grounding", "q"), (*events[1].triples, ring)))
    assert dag.cycles
    for node in nodes.values():
        check(node)


def test_a_document_that_is_described_as_well_keeps_both():
    found = passage("d", 2, 40, 12)
    fact = e.EdgeSelection(iri=iri("edge", "q", 0), edge=EDGE)
    focus = e.Focus(iri=iri("focus", "q"), selected_edges=(fact.iri,))
    chosen = step(focus, 0, parts=[fact], passages={fact.iri: (found,)})
    described = Explain(
        found.document, tuple(rdf.triples(e.Document(iri=found.document, title="Report", page_count=2)))
    )
    for events in ((chosen, described), (described, chosen)):
        _, nodes = drawn(*events)
        check(nodes[found.document])
        assert nodes[found.document]["name"] == "Report"
        rows = nodes[found.document]["detail"]["rows"]
        assert {"k": "text", "label": "Length", "text": "2 pages"} in rows


def test_the_parts_of_a_document_stand_in_its_own_order():
    places = {8: 800, 3: 300, 11: 1100}
    facts = [e.EdgeSelection(iri=iri("edge", "q", at), edge=EDGE) for at in range(len(places))]
    found = [passage("d", page, start, 12) for page, start in places.items()]
    focus = e.Focus(iri=iri("focus", "q"), selected_edges=tuple(fact.iri for fact in facts))
    sources = {fact.iri: (one,) for fact, one in zip(facts, found, strict=True)}
    _, nodes = drawn(step(focus, 0, parts=facts, passages=sources))
    [read] = [row for row in nodes[found[0].document]["detail"]["rows"] if row.get("label") == "Read for this answer"]
    assert [item["text"] for item in read["items"]] == ["Page 3", "Page 8", "Page 11"]


def test_the_raw_record_has_a_fact_as_a_triple_term_and_a_value_with_its_type():
    asked = e.GraphRagQuestion(iri=iri("question", "q"), query="Why?", parameters={"a": 1})
    fact = e.EdgeSelection(iri=iri("edge", "q", 0), edge=EDGE)
    _, nodes = drawn(step(asked, 0), step(fact, 1))
    said = dict(nodes[asked.iri]["record"]) | dict(nodes[fact.iri]["record"])
    assert said["tg:edge"] == '<<( e:tank\n  e:holds\n  "oxygen"@en )>>'
    assert said["rdf:type"] == "tg:EdgeSelection"
    assert said["x:parameters"].endswith("^^rdf:JSON")
    assert said["tg:query"] == '"Why?"'


# from a fact to what was not kept, and why


def search(kept=(0.8, 0.48), left=(0.47, 0.2, 0.6, None), reasons=("below limit",) * 4, reasoner=None):
    node = {kind: iri(kind, "q") for kind in ("question", "grounding", "exploration", "focus")}
    chosen = [e.EdgeSelection(iri=iri("edge", "q", n), edge=EDGE, score=score) for n, score in enumerate(kept)]
    candidates = [
        e.Candidate(iri=iri("candidate", "q", n), edge=EDGE, score=score, concept="tank", not_selected=why)
        for n, (score, why) in enumerate(zip(left, reasons, strict=True))
    ]
    focus = e.Focus(
        iri=node["focus"], derived_from=(node["exploration"],), model=None,
        selected_edges=tuple(one.iri for one in chosen), candidates=tuple(one.iri for one in candidates),
    )  # fmt: skip
    return [
        step(e.GraphRagQuestion(iri=node["question"], query="Why?", reasoner=reasoner), 0),
        step(e.Grounding(iri=node["grounding"], derived_from=(node["question"],), concepts=("tank",)), 1),
        step(e.Exploration(iri=node["exploration"], derived_from=(node["grounding"],), edge_count=40), 2),
        step(focus, 3, parts=[*chosen, *candidates]),
    ]


def row_of(nodes, node, kind):
    return next(row for row in nodes[node]["detail"]["rows"] if row["k"] == kind)


def left_out(dag):
    return not_kept.listed(shared().stores, NodeWords(dag), f"{iri('focus', 'q')}#not-kept")


def test_each_fact_that_was_not_kept_says_why_best_first():
    dag, nodes = drawn(*search())
    assert row_of(nodes, f"{iri('focus', 'q')}#not-kept", "unkept") == {"k": "unkept"}
    left = left_out(dag)
    assert [item["why"] for item in left["items"]] == [
        "0.60, but enough others were kept",
        "0.47, just below the lowest kept, 0.48",
        "0.20, below the lowest kept, 0.48",
        "no match recorded",
    ]
    assert left["lowest"] == 0.48
    assert left["rest"] == "34 more were looked at; which ones is not on record."
    [idea] = dag.nodes("Concept")
    assert {(item["idea"], item["node"]) for item in left["items"]} == {("tank", idea.iri)}
    assert {item["text"] for item in left["items"]} == {"tank — holds → oxygen"}
    assert {item["where"] for item in left["items"]} == {"no recorded source"}


@each(
    ("kept", "reason", "why"),
    [((0.8, 0.48), "says the same as fact 1", "says the same as fact 1"), ((), "below limit", "and none was kept")],
)
def test_a_reason_is_told_in_its_words_and_where_nothing_was_kept_that_is_why(kept, reason, why):
    dag, _ = drawn(*search(kept=kept, left=(0.3,), reasons=(reason,)))
    assert left_out(dag)["items"][0]["why"] == f"0.30, {why}"


@pytest.mark.parametrize("engine", ["graph-rag", "document-rag"])
def test_all_that_was_looked_at_is_listed_kept_or_not_each_with_its_source(engine):
    ws = shared()
    limits = {"edge_limit": 2, "edge_score_limit": 4} if engine == "graph-rag" else {"doc_limit": 1}
    trace = ws.run(QUESTIONS[1], engine, **limits)
    [node] = trace.dag.nodes("NotKept")
    left = not_kept.listed(ws.stores, NodeWords(trace.dag), node.iri)
    assert (len(left["items"]), left["rest"]) == (node.count, "")
    scores = [item["score"] for item in left["items"] if item["score"] is not None]
    assert scores == sorted(scores, reverse=True)
    assert [item["score"] for item in left["items"][: len(scores)]] == scores
    if engine == "graph-rag":
        assert scores == []
        order = [str(fact) for fact in trace.explored]
        places = [order.index(item["iri"]) for item in left["items"] if item["iri"] in order]
        assert places
        assert places == sorted(places)
    for item in left["items"]:
        assert item["where"]
        [first, *_] = other_answers.sources(ws, trace.dag, item["iri"])
        assert item["where"].startswith(first["where"])
    assert not_kept.listed(ws.stores, NodeWords(trace.dag), trace.iri) is None
    assert other_answers.sources(ws, trace.dag, "no fact at all") == []


@pytest.mark.parametrize("limit", ["without", "documents"])
def test_what_a_run_left_out_is_no_source_of_what_it_read(tmp_path, limit):
    for name in ("left", "other"):
        (tmp_path / f"{name}.txt").write_text(
            f"Ann saw the pump. The pump of Ann has a red boat. The {name} pump is old.\n"
        )
    with explorer.open() as ws:
        ws.ingest(tmp_path, progress=False)
        given = {one.title.lower(): one.iri for one in ws.documents}
        out = {"without": [given["left"]]} if limit == "without" else {"documents": [given["other"]]}
        trace = ws.traces.load(ws.run("Who saw the pump?", edge_limit=1, **out).iri)
        [node] = trace.dag.nodes("NotKept")
        left = not_kept.listed(ws.stores, NodeWords(trace.dag), node.iri)["items"]
        sources = [one["where"] for item in left for one in other_answers.sources(ws, trace.dag, item["iri"])]
        assert left
        assert sources
        for place in [*(item["where"] for item in left), *sources]:
            assert place.lower().startswith("other"), place
            assert "more" not in place, place
        asked = next(iter(trace.dag.roots)).entity
        assert asked.without or asked.within
        assert re.search(r'"where":"left', ws.report(trace), re.IGNORECASE) is None


def test_who_scored_a_fact_is_who_scored_its_search():
    measured = "measured by similarity and shared words, no language model"
    for reasoner, model, said in (("extractive/1", None, measured), ("m", None, measured), (None, "m", "scored by m")):
        *before, _ = search(reasoner=reasoner)
        fact = e.EdgeSelection(iri=iri("edge", "q", 0), edge=EDGE, score=0.5)
        focus = e.Focus(
            iri=iri("focus", "q"), derived_from=(iri("exploration", "q"),), selected_edges=(fact.iri,), model=model
        )
        dag = ProvenanceDag().fold([*before, step(focus, 3, parts=[fact])])
        rows = NodeWords(dag).rows(dag.node(fact.iri))
        assert [row["author"]["text"] for row in rows if row["k"] == "sum"] == [said]


def test_a_record_that_names_no_reasoner_is_not_said_to_have_used_no_model():
    answer = e.Synthesis(iri=iri("synthesis", "q"), derived_from=(iri("focus", "q"),), document=iri("answer", "q"))
    events = [*search(), step(answer, 4)]
    dag, nodes = drawn(*events)
    taught = [stages.teaching(dag, node)["text"] for node in dag.nodes() if stages.teaching(dag, node)]
    told = json.dumps([list(nodes.values()), taught])
    assert "no language model" not in told
    assert "author not on record" in told
    dag, nodes = drawn(*search(reasoner="extractive/1"))
    assert "no language model" in json.dumps([*nodes.values()])


def test_types_of_the_record_are_told_by_its_own_terms():
    known = {local_name(term.value) for term in (*TG, *X)}
    named = {cls.__name__ for cls in e.CLASSES if cls not in (*UNDRAWN, e.Failure)}
    assert named <= known


def test_facts_by_a_model_name_it():
    made = e.Activity(
        iri=iri("activity", "1"), associated_with=iri("agent", "model"), model="stub-llm-1", used=("urn:chunk:1",)
    )
    group = e.Subgraph(
        iri=iri("subgraph", "1"),
        contains=(EDGE,),
        derived_from=("urn:chunk:1",),
        generated_by=made.iri,
    )
    dag = ProvenanceDag().fold([step(e.AgentQuestion(iri=ASKED, query="Why?"), 0), step(made, 1), step(group, 2)])
    rows = NodeWords(dag).rows(dag.node(group.iri))
    assert "taken from the passage by stub-llm-1" in words(rows)


def test_a_fact_that_was_not_compared_says_how_near_it_was_and_how_many_were_nearer():
    ws = shared()
    trace = ws.run(QUESTIONS[1], edge_limit=2, edge_score_limit=4)
    [node] = trace.dag.nodes("NotKept")
    last = not_kept.listed(ws.stores, NodeWords(trace.dag), node.iri)["items"][-1]
    place = [str(fact) for fact in trace.explored].index(last["iri"]) + 1
    assert re.fullmatch(
        rf"The fact has (none of your words|“.+”)\. The {place}(st|nd|rd|th) nearest by links in the graph: "
        r"only 4 nearer ones were compared\.",
        last["why"],
    )


def test_of_what_several_hands_took_from_a_passage_each_fact_says_whose_it_is():
    by_hand, by_rules = (passage("1", 3, 0, 16, agent) for agent in ("curator", "rules"))
    focus = e.Focus(iri=iri("focus", "q"), derived_from=(iri("exploration", "q"),),
                    selected_edges=(iri("edge", "q", 0), iri("edge", "q", 1)))  # fmt: skip
    parts = [e.EdgeSelection(iri=iri("edge", "q", at), edge=EDGE, score=0.9) for at in (0, 1)]
    found = {parts[0].iri: (by_hand,), parts[1].iri: (by_rules,)}
    _, nodes = drawn(*search()[:3], step(focus, 3, parts=parts, passages=found))
    place = next(key for key, node in nodes.items() if node["kind"] == "Passage")
    row = row_of(nodes, place, "list")
    assert [item["more"] for item in row["items"]] == ["score 0.90, ✎ by a person", "score 0.90, ⚙ by rules"]
    assert row.get("author") is None


def test_where_a_search_broke_off_says_at_which_stage_and_what_to_do():
    stopped = e.Failure(
        iri=iri("failure", "q"),
        derived_from=(iri("exploration", "q"),),
        error=e.STOPPED,
        termination_reason="cancelled",
    )
    _, nodes = drawn(*search()[:3], step(stopped, 3))
    said = {row.get("label"): row for row in nodes[stopped.iri]["detail"]["rows"]}
    assert said["Was at work on"]["text"] == "Kept (Focus)"
    assert [item["node"] for item in said["Last step before"]["items"]] == [iri("exploration", "q")]
    assert said["What to do"]["text"].startswith("Ask again")


def test_facts_and_passages_that_were_kept_together_are_numbered_apart():
    focus = e.Focus(
        iri=iri("focus", "q"), derived_from=(iri("exploration", "q"),),
        selected_edges=(iri("edge", "q", 0), iri("edge", "q", 2)), selected_chunks=(iri("chunk-selection", "q", 1),),
    )  # fmt: skip
    parts = [
        e.EdgeSelection(iri=iri("edge", "q", 0), edge=EDGE, score=0.9),
        e.EdgeSelection(iri=iri("edge", "q", 2), edge=Triple(EDGE.subject, EDGE.predicate, Literal("x")), score=0.5),
        e.ChunkSelection(iri=iri("chunk-selection", "q", 1), document="urn:chunk:1", score=0.7),
    ]
    _, nodes = drawn(*search()[:3], step(focus, 3, parts=parts))
    heads = [nodes[part.iri]["detail"]["heading"] for part in parts]
    assert heads == ["Fact 1 of 2", "Fact 2 of 2", "Passage 1 of 1"]
    first = [nodes[part.iri]["lines"][0][1] for part in parts]
    assert not any(char.isdigit() for words in first for char in words), "a number is that of the answer alone"
    assert row_of(nodes, parts[1].iri, "sum")["text"] == "2nd best of 2 facts kept"
    assert row_of(nodes, parts[2].iri, "sum")["text"] == "best of 1 passage"
    listed = row_of(nodes, focus.iri, "list")["items"]
    assert [item["more"] for item in listed] == ["score 0.90", "score 0.70", "score 0.50"]


def test_the_log_places_whole_passages_as_it_places_facts():
    kept = (iri("edge", "q", 0), iri("chunk-selection", "q", 1), iri("chunk-selection", "q", 2))
    focus = e.Focus(
        iri=iri("focus", "q"), derived_from=(iri("exploration", "q"),), selected_edges=kept[:1],
        selected_chunks=kept[1:],
    )  # fmt: skip
    parts = [
        e.EdgeSelection(iri=kept[0], edge=EDGE, score=0.9),
        *(e.ChunkSelection(iri=one, document="urn:chunk:1", score=0.7) for one in kept[1:]),
    ]
    found = {one: (passage(name, page, 0, 5),) for one, name, page in zip(kept, "aab", (1, 2, 3), strict=True)}
    dag, _ = drawn(*search()[:3], step(focus, 3, parts=parts, passages=found))
    assert stages.log_lines(dag, tuple(dag.nodes()))[-4:] == [
        ("Focus", "Kept: 1 fact, 2 passages kept, 39 more read"),
        ("Passage", "1 fact found on page 1 of Title a"),
        ("Passage", "1 passage found on page 2 of Title a"),
        ("Passage", "1 passage found on page 3 of Title b"),
    ]


def test_an_answer_is_not_told_twice():
    dag, nodes = drawn(*shared().run(QUESTIONS[0]).events)
    rows = nodes[dag.final.iri]["detail"]["rows"]
    assert dag.answer
    assert not any(row.get("text") == dag.answer for row in rows)
    assert any(row.get("label") == "Rests on" for row in rows)


def test_where_only_passages_were_kept_no_fact_is_said_to_be():
    focus = e.Focus(
        iri=iri("focus", "q"),
        derived_from=(iri("exploration", "q"),),
        selected_chunks=(iri("chunk-selection", "q", 0),),
    )
    part = e.ChunkSelection(iri=iri("chunk-selection", "q", 0), document="urn:chunk:1", score=0.7)
    dag, _ = drawn(*search()[:3], step(focus, 3, parts=[part]))
    assert lines(dag, dag.node(focus.iri)) == ("Kept", "1 passage kept, 40 more read")
    told = stages.teaching(dag, dag.node(focus.iri))
    assert told["text"] == "1 kept; each one kept leads to its words."
    assert told["figures"] == "Best score 0.70 of 1."
    assert ("Focus", "Kept: 1 passage kept, 40 more read") in stages.log_lines(dag, (dag.node(focus.iri),))


def test_the_support_is_told_in_words_with_what_is_enough():
    ws = shared()
    trace = ws.run(QUESTIONS[0])
    final = trace.dag.final
    [row] = [row for row in NodeWords(trace.dag).rows(final) if row.get("label") == "What raises (+) and lowers (−) it"]
    assert row["items"][0]["text"].startswith("an average answer ")
    assert f": a support of {trace.support.value:.2f} of 1" in row["items"][-1]["text"]
    assert "log odds" not in json.dumps(row)
    rows = NodeWords(trace.dag).rows(final)
    first = next(row for row in rows if row["k"] == "text")
    assert (first["label"], first["text"]) == ("Outcome", f"{line(trace.dag)}.")
    assert {row["label"] for row in rows if row.get("folded")} == {"Support", "What raises (+) and lowers (−) it"}
    told = stages.teaching(trace.dag, final)
    assert not re.search(r"\d", told["why"]), "in words alone"
    assert told["why"] == first["text"]
    assert not told["figures"]


def test_a_support_says_nothing_of_names_and_numbers_that_a_question_does_not_have():
    told = {}
    for asked in ("Why did oxygen tank no. 2 fail?", "Why did the fire start?"):
        trace = shared().run(asked)
        rows = NodeWords(trace.dag).rows(trace.dag.final)
        [row] = [row for row in rows if row.get("label") == "What raises (+) and lowers (−) it"]
        told[asked] = [item["text"] for item in row["items"]]
        parts = [float(re.search(r"[+−]\d\.\d\d$", one)[0].replace("−", "-")) for one in told[asked][:-1]]
        together = re.search(r"sum ([+−]\d\.\d\d)", told[asked][-1])[1]
        assert sum(parts) == pytest.approx(float(together.replace("−", "-")), abs=0.021)
    assert any("numbers of the question" in line for line in told["Why did oxygen tank no. 2 fail?"])
    assert not any("numbers" in line or "names" in line for line in told["Why did the fire start?"])


def test_a_fact_that_was_only_read_can_be_corrected_and_says_so_then():
    with filled() as ws:
        trace = ws.run(QUESTIONS[1], edge_limit=2, edge_score_limit=4)
        [node] = trace.dag.nodes("NotKept")

        def facts():
            items = not_kept.listed(ws.stores, NodeWords(trace.dag), node.iri)["items"]
            return {one["fact"]["key"]: one["fact"] for one in items}

        before = facts()
        keys = [*before]
        reworded, retracted = facts_of([keys[0], keys[-1]]).values()
        assert {(one["by"], one["gone"]) for one in before.values()} == {("", False)}
        subject, predicate, _ = before[keys[0]]["words"]
        ws.add_fact(subject, predicate, "another thing", by="Ada", instead_of=reworded)
        ws.retract(retracted, by="Grace")
        after = facts()
        assert after[keys[0]]["by"].startswith(f"reworded on 2026-01-15 by Ada{e.INSTEAD}")
        assert after[keys[-1]]["by"] == "retracted on 2026-01-15 by Grace"
        assert [key for key, one in after.items() if one["gone"]] == [keys[0], keys[-1]]
