"""Two runs side by side: what only one kept or said, what both did, and how near the other came."""

from dataclasses import replace

import pytest

from explorer import entities as e
from explorer import rdf
from explorer.dag import ProvenanceDag
from explorer.errors import RecordError
from explorer.events import Text
from explorer.record.compare import compare
from explorer.record.trace import Trace
from explorer.vocab import iri
from explorer.wording.reasons import reason_of
from tests.agents import told
from tests.corpus import OPEN, QUESTIONS, shared
from tests.each import each
from tests.strategies import passage, step


@pytest.fixture(scope="module")
def runs():
    ws = shared()
    return ws, ws.run(OPEN), ws.run(OPEN, edge_limit=1)


def test_a_run_against_itself_or_an_agent_that_searched_for_the_same_differs_in_nothing(runs):
    ws, one, _ = runs
    for other in (one.iri, ws.run(OPEN, "agent")):
        assert [row.side for row in ws.compare(one, other).rows] == ["both"] * len((*one.edges, *one.chunks))
    found = ws.compare(one, one.iri)
    assert found.same_question
    assert all(row.a == row.b for row in found.rows)
    assert all(part.shared for side in (found.a, found.b) for part in (*side.answer, *side.ideas, *side.sources))
    with pytest.raises(RecordError, match="There is no trace urn:trustgraph:question:none"):
        ws.compare(one, "urn:trustgraph:question:none")


def test_facts_stand_by_who_kept_them_with_why_the_other_run_left_them_out(runs):
    ws, one, other = runs
    found = ws.compare(one, other)
    assert {row.key for row in found.of("both")} >= {str(edge.edge) for edge in other.edges}
    assert {row.key for row in found.rows} >= {str(edge.edge) for edge in one.edges}
    left = found.of("A")
    assert [row.a.number for row in left] == sorted(row.a.number for row in left) != []
    assert all(row.b.number is None and ": close, but enough others were kept." in row.b.reason for row in left)
    assert all(row.a.lowest is None for row in left)
    assert found.of("B") == ()
    edge = next(edge.edge for edge in one.edges if str(edge.edge) == left[0].key)
    assert {*left[0].passages} <= {*ws.sources.passages(edge)}
    kept = (*one.edges, *one.chunks)
    assert {found.a.numbers[one.iri] for one in kept} == {*range(1, len(kept) + 1)}
    assert all(one.answer.startswith(said.text, said.start) for said in found.a.answer)
    assert found.a.looked == 15


def test_each_run_counts_what_it_kept_once_and_in_all_it_is_what_it_kept(runs):
    ws, *_ = runs
    few = ws.run(QUESTIONS[0], edge_limit=2)
    passages = ws.run(QUESTIONS[0], "document-rag", doc_limit=1)
    found = ws.compare(few, passages)
    assert sum(found.kept("A")) == len(few.edges) + len(few.chunks)
    assert sum(found.kept("B")) == len(passages.chunks) == 1
    assert found.counted("both") == f"{found.kept('A')[1]} of A match 1 of B"
    assert f"Both kept: {found.counted('both')}" in found.lines()
    assert found.counted("both") in repr(found)


def test_what_a_run_was_asked_without_is_said_to_be_left_out_of_it(runs):
    ws, one, _ = runs
    sources = one.passages[one.edges[0].iri]
    documents = {passage.document for passage in sources}
    for without in ([one.edges[0]], sources, documents, [one.edges[0].edge.subject.value]):
        found = ws.compare(one, ws.rerun(one, without=without))
        row = next(row for row in found.rows if row.key == str(one.edges[0].edge))
        assert (row.side, row.b.reason) == ("A", "left out of this run")
        there = [row for row in found.rows if row.b.reason == row.a.reason or row.b.has]
        assert all(row.b.reason != "left out of this run" for row in there)
    whole = ws.compare(one, ws.rerun(one, without=documents))
    gone = [row for row in whole.rows if {passage.document for passage in row.passages} <= documents]
    assert {row.b.reason for row in gone} == {"left out of this run"}


def test_of_a_fact_that_a_run_never_saw_it_is_told_among_how_many(runs):
    ws, one, _ = runs
    far = ws.run(OPEN, max_subgraph_size=1, edge_score_limit=1, edge_limit=1)
    unseen = [row.b.reason for row in ws.compare(one, far).of("A")]
    assert unseen
    assert set(unseen) == {"not among the 1 fact looked at"}


def test_sentences_ideas_and_places_of_one_side_are_marked(runs):
    ws, one, _ = runs
    found = ws.compare(one, ws.run(QUESTIONS[2]))
    assert not found.same_question
    assert any(not said.shared for said in found.a.answer)
    assert [said.text for said in found.b.ideas if not said.shared]
    assert " ".join(said.text for said in found.a.answer) == one.answer


def test_passages_are_compared_by_their_chunk(runs):
    ws, _, _ = runs
    one, other = ws.run(QUESTIONS[1], "document-rag"), ws.run(QUESTIONS[1], "document-rag", doc_limit=1)
    found = ws.compare(one, other)
    assert [row.key for row in found.of("both")] == [other.chunks[0].document]
    assert all("→" in row.label for row in found.rows)
    [best] = [row.a.reason for row in found.of("both")]
    assert best.startswith("Best of ")
    others = [row.a.reason for row in found.of("A")]
    assert not any(one.startswith("Best") or "cites it." in one for one in others)


@each(
    ("model", "known", "said"),
    [
        (None, {}, "It has a score of 0.71 of 1; why is not on record."),
        ("m", {}, "m read it and gave it 0.71 of 1; why is not on record."),
        ("m", {"scored_by": "wordllama"}, "wordllama measured 0.71 of 1, as the model gave no score for it."),
        (None, {"score_parts": {"words covered": 0.41, "similarity": 0.3}},
         "The only one kept: it has “burned”."),
        (None, {"score_parts": {"words covered": 0.3}}, "It has a score of 0.71 of 1; why is not on record."),
        (None, {"score": None}, ""),
    ],
)  # fmt: skip
def test_why_a_passage_was_kept_says_only_what_is_on_record(model, known, said):
    key = "q"
    asked, found, kept = (iri(kind, key) for kind in ("question", "exploration", "focus"))
    source = replace(passage("d", 1, 0, 300), text="It burned.")
    chunk = e.ChunkSelection(iri=iri("chunk-selection", key, 0), document=source.chunk, **{"score": 0.71} | known)
    focus = e.Focus(iri=kept, derived_from=(found,), selected_chunks=(chunk.iri,), model=model)
    dag = ProvenanceDag().fold(
        [
            told(e.DocRagQuestion(iri=asked, query="What burned?")),
            told(e.Exploration(iri=found, derived_from=(asked,), chunk_count=1)),
            step(focus, 2, parts=[chunk], passages={chunk.iri: (source,)}),
        ]
    )
    assert reason_of(dag, chunk) == said


def test_a_search_of_facts_and_one_of_passages_have_in_common_the_words_that_both_rest_on(runs):
    ws, _, few = runs
    found = ws.compare(few, ws.run(QUESTIONS[0], "document-rag", doc_limit=1))
    facts = [row for row in found.rows if row.noun == "fact"]
    [whole] = [row for row in found.of("both") if row.noun == "passage" and row.b.number is not None]
    both = [row for row in facts if any(p.chunk == whole.key for p in row.passages)]
    assert {row.key for row in found.of("both")} == {row.key for row in (*both, whole)}
    assert {(row.b.number, row.b.within, row.b.reason) for row in both} <= {
        (None, 1, "kept a passage with these words")
    }


def test_the_same_sentence_quoted_by_two_engines_or_not_quoted_is_no_difference():
    """One cites the fact taken from a sentence, the other the chunk it stands in, each in words of its own."""
    spans = ((10, 40), (12, 44), (200, 230))
    said = ("It [the tank] burned.", "The tank burned in the fire.", "The tank burned again.", "Nobody knows why.")
    runs = [
        Trace(quoting(at, text, span)) for at, (text, span) in enumerate(zip(said, (*spans, spans[0]), strict=True))
    ]
    for other, same in zip(runs, (True, True, False, False), strict=True):
        assert [part.shared for part in compare(runs[0], other).a.answer] == [same]
    quoted, plain = (Trace(answered(number, text)) for number, text in enumerate(("“It burned.”", "It burned.")))
    assert [part.shared for part in compare(quoted, plain).a.answer] == [True]


def test_passages_that_an_answer_was_made_of_without_a_choice_count_as_kept():
    found = compare(Trace(straight("urn:c1", "urn:c2")), Trace(straight("urn:c2")))
    assert [(row.key, row.side, row.noun) for row in found.rows] == [
        ("urn:c1", "A", "passage"),
        ("urn:c2", "both", "passage"),
    ]
    assert found.a.numbers == {"urn:c1": 1, "urn:c2": 2}


def answered(session, text):
    """A run that tells its answer inline, as old records do."""
    asked, answer = iri("question", f"q{session}"), iri("synthesis", f"q{session}")
    yield told(e.GraphRagQuestion(iri=asked, query="What burned?"))
    yield Text(answer, "answer", text)
    yield told(e.Synthesis(iri=answer, derived_from=(asked,)))


def quoting(session, text, span):
    """A run whose answer quotes some words of a chunk that it kept."""
    key = f"q{session}"
    asked, found, kept, answer = (iri(kind, key) for kind in ("question", "exploration", "focus", "synthesis"))
    source = passage("d", 1, 0, 300)
    chunk = e.ChunkSelection(iri=iri("chunk-selection", key, 0), document=source.chunk)
    place = {"start": 0, "end": len(text), "source_start": span[0], "source_end": span[1]}
    cited = e.Citation(iri=iri("citation", key, 0), cites=(chunk.iri,), **place)
    yield told(e.GraphRagQuestion(iri=asked, query="What burned?"))
    yield told(e.Exploration(iri=found, derived_from=(asked,), edge_count=1))
    focus = e.Focus(iri=kept, derived_from=(found,), selected_chunks=(chunk.iri,))
    yield step(focus, 2, parts=[chunk], passages={chunk.iri: (source,)})
    yield Text(answer, "answer", text)
    yield step(e.Synthesis(iri=answer, derived_from=(kept,)), 3, more=rdf.triples(cited))


def straight(*chunks):
    """A search of passages that answers from all it found."""
    kinds = ("docrag-question", "docrag-exploration", "docrag-synthesis")
    asked, found, answer = (iri(kind, chunks[0]) for kind in kinds)
    held = {"chunk_count": len(chunks), "selected_chunks": chunks, "ordered": [*chunks]}
    yield told(e.DocRagQuestion(iri=asked, query="What burned?"))
    yield told(e.Exploration(iri=found, derived_from=(asked,), **held))
    yield told(e.Synthesis(iri=answer, derived_from=(found,)))
