from dataclasses import replace

import pytest
from pyoxigraph import Literal, NamedNode, Quad

from explorer.dag.sentences import quotations
from explorer.entities import Chunk, Subgraph
from explorer.stores.document_rows import drop_document
from explorer.view.source import page as source
from explorer.view.source import page_facts
from explorer.vocab import FACTS, PROV
from explorer.wording.graph_words import NodeWords
from tests.corpus import QUESTIONS, filled
from tests.widgets.conftest import QUESTION

PNG = b"\x89PNG"


@pytest.fixture(scope="module")
def trace(ws):
    return ws.run(QUESTION)


@pytest.fixture(scope="module")
def passages(trace):
    return [passage for node in trace.dag.nodes("Passage") for passage in node.passages]


def marked(message, kind="mine"):
    return "".join(text for text, one in message["runs"] if one == kind)


@pytest.fixture(scope="module")
def paged(passages):
    return next(passage for passage in passages if passage.page)


def test_a_page_marks_the_passage_and_others_of_the_answer_in_its_text_and_on_its_picture(ws, passages):
    pictured = 0
    for passage in passages:
        message, buffers = source.opened(ws.stores, passage, passages)
        assert marked(message) == passage.text
        assert message["others"] == bool(marked(message, "other"))
        whole = "".join(text for text, _ in message["runs"])
        assert whole in ws.text(passage.document)
        if passage.page is None:
            assert buffers == []
            continue
        pictured += 1
        assert whole[passage.page_start : passage.page_start + len(passage.text)] == passage.text
        assert buffers[0].startswith(PNG)
        assert "".join(box["text"] for box in message["page"]["boxes"] if box["kind"] == "mine") == passage.text
        assert all(0 <= box[side] <= 1 for box in message["page"]["boxes"] for side in "xywh")
    assert pictured


def test_the_rest_of_the_passage_that_words_are_from_is_marked_lightly(ws):
    asked = ws.run(QUESTION, engine="document-rag")
    cited = asked.dag.node(asked.citations[0].cites[0]).passages[0]
    quoted, whole = quotations(asked.dag, cited), (cited.start, cited.end)
    message, _ = source.opened(ws.stores, cited, [cited], quoted=quoted, whole=whole)
    assert message["whole"]
    kinds = {kind for _, kind in message["runs"]} - {""}
    assert kinds == {"mine", "other whole"}
    assert "".join(text for text, kind in message["runs"] if kind) == cited.text
    alone, _ = source.opened(ws.stores, cited, quoted=quoted, whole=whole)
    assert marked(alone, "whole") + marked(alone) == marked(message, "other whole") + marked(message)
    all_of_it, _ = source.opened(ws.stores, cited, whole=whole)
    assert not all_of_it["whole"], "marked as such already"
    assert marked(all_of_it) == cited.text


def test_of_a_passage_that_is_cited_the_quoted_sentences_stand_out(ws):
    asked = ws.run(QUESTION, engine="document-rag")
    cited = asked.dag.node(asked.citations[0].cites[0]).passages[0]
    quoted = quotations(asked.dag, cited)
    assert quoted
    message, buffers = source.opened(ws.stores, cited, [cited], quoted=quoted)
    assert marked(message) == "".join(cited.text[start:end] for start, end in quoted)
    assert len(marked(message)) + len(marked(message, "other")) == len(cited.text)
    if buffers:
        assert {box["kind"] for box in message["page"]["boxes"]} == {"mine", "other"}
    last = asked.dag.node(asked.chunks[-1].iri).passages[0]
    assert quotations(asked.dag, last) == []
    detail = NodeWords(asked.dag)
    rows = detail.rows(asked.dag.node(asked.citations[0].cites[0]))
    words = next(row["text"] for row in rows if row["k"] == "quote")
    assert words.startswith(" ".join(cited.text[quoted[0][0] :].split())[:40])


def test_pages_can_be_turned_to_the_end_and_another_page_marks_nothing_as_the_passage(ws, paged):
    seen, turned = [], None
    while True:
        message, _ = source.opened(ws.stores, paged, (), turned)
        seen.append(message["sub"])
        assert bool(marked(message)) == (turned is None)
        turned = message["neighbours"]["next"]
        if turned is None:
            break
    assert seen == [f"PDF · page {number} of 8" for number in range(paged.page, 9)]


def test_a_text_without_parts_is_shown_around_the_passage(ws):
    dag = ws.run("When did main bus B lose its voltage?").dag
    found = [passage for node in dag.nodes("Passage") for passage in node.passages if not passage.part]
    assert found
    for passage in found:
        message, buffers = source.opened(ws.stores, passage)
        assert marked(message) == passage.text
        assert message["sub"] == "text"
        assert buffers == []


# the facts from a page


def in_browser(message, place):
    """The words at a place as a browser cuts them, in UTF-16."""
    whole = "".join(text for text, _ in message["runs"]).encode("utf-16-le")
    start, end = message["facts"]["spans"][place]
    return whole[2 * start : 2 * end].decode("utf-16-le")


def on_record(ws, part):
    """The facts of a page by what its chunks' subgraphs say, with their words."""
    found = {}
    for chunk in page_facts.derived(ws, part):
        for group in page_facts.derived(ws, chunk.iri) if isinstance(chunk, Chunk) else ():
            for edge in group.contains if isinstance(group, Subgraph) else ():
                found.setdefault(edge, set()).add(group.source_text)
    return found


def test_all_facts_of_a_page_are_listed_with_their_words(ws, passages):
    for passage in (passage for passage in passages if passage.part):
        message, _ = source.opened(ws.stores, passage)
        expected = on_record(ws, passage.part)
        told = page_facts.told(ws, passage.part, (0, 10**6))
        assert {one.edge for one in told} == expected.keys()
        assert message["facts"]["total"] == len(expected) > 1
        for fact, one in zip(message["facts"]["items"], told, strict=True):
            assert {in_browser(message, place) for place in fact["at"]} == expected[one.edge]


def test_facts_stand_in_the_order_of_their_words_and_their_boxes_hold_these(ws, passages, paged):
    for passage in passages:
        facts = source.opened(ws.stores, passage)[0]["facts"]
        begins = [min(facts["spans"][place][0] for place in fact["at"]) for fact in facts["items"]]
        assert begins == sorted(begins)
    message, _ = source.opened(ws.stores, paged, passages)
    boxes = message["page"]["facts"]
    assert len(boxes) == len(message["facts"]["spans"])
    for place, found in enumerate(boxes):
        assert "".join(box["text"] for box in found) == in_browser(message, place)


def test_facts_kept_in_the_run_carry_their_number(ws, trace, passages):
    kept = page_facts.kept(NodeWords(trace.dag))
    numbers = [number for number, _ in kept.values()]  # facts and passages are numbered in one order
    assert len(set(numbers)) == len(numbers) == len(trace.edges)
    assert set(numbers) <= set(range(1, len(trace.edges) + len(trace.chunks) + 1))
    numbers = set()
    for passage in passages:
        message, _ = source.opened(ws.stores, passage, passages, None, kept)
        numbers |= {(fact["n"], fact["node"]) for fact in message["facts"]["items"] if "n" in fact}
        assert any("n" not in fact for fact in message["facts"]["items"])
    assert numbers == set(kept.values())


def test_a_long_page_lists_so_many_facts_and_counts_them_all(ws, paged, monkeypatch):
    monkeypatch.setattr(page_facts, "MOST", 3)
    message, _ = source.opened(ws.stores, paged)
    assert len(message["facts"]["items"]) == 3 < message["facts"]["total"]
    assert len(message["page"]["facts"]) == len(message["facts"]["spans"]) <= 3


@pytest.fixture
def own():
    """A workspace of its own, in which things may be lost."""
    with filled() as opened:
        yield opened


def test_places_are_counted_as_a_browser_does(own, tmp_path):
    path = tmp_path / "wide.txt"
    path.write_text("🚀🚀 It flew.\n\nBeech Aircraft built the big tank in Boulder.\n", "utf-8")
    own.ingest(path, progress=False)
    found = [passage for one in own.run("Who built the big tank?").edges for passage in own.passages(one)]
    passage = next(passage for passage in found if "big tank" in passage.text)
    message, _ = source.opened(own.stores, passage)
    assert message["facts"]["from"] == "text"
    said = {in_browser(message, place) for place in range(len(message["facts"]["spans"]))}
    assert "Beech Aircraft built the big tank in Boulder." in said


def test_of_a_long_text_only_the_facts_in_sight_are_listed(own, tmp_path, monkeypatch):
    monkeypatch.setattr(source, "WINDOW", 200)
    path = tmp_path / "long.txt"
    path.write_text("\n\n".join(f"Beech Aircraft built tank number {n} in Boulder." for n in range(100)), "utf-8")
    own.ingest(path, progress=False)
    found = [passage for one in own.run("Who built tank number 50?").edges for passage in own.passages(one)]
    passage = next(passage for passage in found if "number 50" in passage.text)
    message, _ = source.opened(own.stores, passage)
    assert message["facts"]["from"] == "part of the text"
    assert 1 < message["facts"]["total"] < 20
    shown = "".join(text for text, _ in message["runs"])
    said = [in_browser(message, place) for place in range(len(message["facts"]["spans"]))]
    assert all(words and words in shown for words in said)
    assert passage.text in said


# a source that is gone


def lost(ws, trace):
    """The passages of a run, all of whose documents were taken out of the library."""
    found = [passage for node in trace.dag.nodes("Passage") for passage in node.passages]
    with ws.traces.stores.database.writing() as connection:
        for document in {passage.document for passage in found}:
            drop_document(connection, document)
    return found


@pytest.mark.parametrize(
    ("time", "said"),
    [
        ("2026-11-03T12:00:00Z", "Source removed on 3 Nov 2026."),
        ("9999-12-31T23:59:59-12:00", "Source removed on 31 Dec 9999."),
        ("0001-01-01T00:00:00+12:00", "Source removed on 1 Jan 1."),
        (None, source._MISSING),
    ],
)
def test_a_source_that_is_gone_leaves_its_words(own, time, said):
    found = lost(own, own.run(QUESTIONS[1]))
    assert found
    for passage in found:
        if time:
            own.graph.add([Quad(NamedNode(passage.document), PROV.invalidatedAtTime, Literal(time), FACTS)])
        message, buffers = source.opened(own.stores, passage, found)
        assert message["trouble"] == said
        assert message["runs"] == [(passage.text, "mine")]
        assert message["title"] == passage.title
        assert "neighbours" not in message
        assert buffers == []


def test_a_time_of_removal_that_is_none_and_words_that_nobody_kept_are_told(own):
    passage = lost(own, own.run(QUESTIONS[1]))[0]
    own.graph.add([Quad(NamedNode(passage.document), PROV.invalidatedAtTime, Literal("some day"), FACTS)])
    assert "ws.ingest" in source.opened(own.stores, passage)[0]["trouble"]
    empty = replace(passage, text="")
    assert source.opened(own.stores, empty)[0]["runs"] == [("The words themselves are not on record.", "")]
    removed = replace(empty, until="2026-11-03T12:00:00Z")
    assert source.opened(own.stores, removed)[0]["runs"] == [(source._REMOVED, "")]
