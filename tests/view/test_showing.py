import json
import math
import re
import threading
from xml.etree import ElementTree as ET

import pytest

from explorer.drawing import picture
from explorer.entities import GraphRagQuestion
from explorer.events import Text
from explorer.view.pyvis_nodes import looks
from explorer.view.showing import Showing
from explorer.view.stored_run import shown as recalled
from explorer.vocab import iri
from explorer.wording.tally import tally
from tests.agents import team
from tests.corpus import QUESTIONS, shared
from tests.drawing.test_finishing import fact, search
from tests.each import each
from tests.strategies import step
from tests.widgets.pages import page_after, page_of, timeless


def test_a_snapshot_from_another_thread_never_shows_half_an_event():
    showing = Showing()
    showing.begin()
    showing.apply(step(GraphRagQuestion(iri=iri("question", "s"), query="Why?"), 0))
    threads, taken = [], []

    class Looked(str):
        """A text that grows; while what is new of it is told a page is loaded and asks for a snapshot."""

        __slots__ = ()

        def __add__(self, piece):
            return Looked(f"{self}{piece}")

        def __radd__(self, before):
            return Looked(f"{before}{self}")

        def __getitem__(self, part):
            if threading.current_thread() is threading.main_thread():
                threads.append(threading.Thread(target=lambda: taken.append(showing.snapshot())))
                threads[-1].start()
                threads[-1].join(0.1)
            return str(self)[part]

    for piece in "abc":
        showing.apply(Text(iri("synthesis", "s"), "answer", Looked(piece)))
    for thread in threads:
        thread.join()
    assert len(taken) >= 3
    assert all(len(snapshot["answer"]["text"]) == snapshot["seq"] - 2 for snapshot in taken)


def shown(**limits):
    trace = shared().run(QUESTIONS[1], "document-rag", **limits)
    showing = Showing()
    showing.begin()
    messages = [message for event in trace.events if (message := showing.apply(event))]
    showing.end("done", "Ended")
    return trace, showing.snapshot(), messages


@pytest.mark.parametrize("rerank", [True, False])
def test_a_passage_search_is_told_as_one(rerank):
    trace, page, messages = shown(rerank=rerank, doc_limit=2)
    stages = ["Question", "Grounding", "Exploration", *["Focus"] * rerank, "Synthesis"]
    assert [message["teaching"]["kind"] for message in messages if "teaching" in message] == stages
    assert page["note"]["word"] == "Answer"
    said = " ".join([page["note"]["text"], *(line["text"] for line in page["log"]), *map(str, page["heads"])])
    assert "passage" in said
    assert "fact" not in said.lower()
    [cited] = [cite for run in page["answer"]["runs"] for cite in run["cites"]]
    assert cited["n"] == 1
    assert cited["node"] in trace.citations[0].cites
    [answers] = page["answer"]["badges"]
    assert answers["level"] == trace.outcome
    assert f"{trace.support.value:.2f} of 1" in answers["tip"]
    assert answers["node"] == trace.dag.final.iri


def test_each_node_of_a_passage_search_has_words_of_its_own():
    trace, page, _ = shown(doc_limit=2)
    nodes = {node["kind"]: node for node in reversed(page["nodes"])}
    texts = {kind: str(node["detail"]["rows"]) for kind, node in nodes.items()}
    assert nodes["ChunkSelection"]["detail"]["heading"] == "Passage 1 of 2"
    rows = {row["k"]: row for row in nodes["ChunkSelection"]["detail"]["rows"]}
    [why] = [row for row in nodes["ChunkSelection"]["detail"]["rows"] if row.get("label") == "Why it was kept"]
    assert why["text"].startswith("Best of ")
    assert why["author"]["text"] == "reason worded by rules, no language model"
    kept = trace.chunks[0]
    assert (rows["match"]["value"], dict(rows["match"]["parts"])) == (kept.score, dict(kept.score_parts))
    assert round(sum(part for _, part in rows["match"]["parts"]), 4) == kept.score
    assert rows["match"]["text"] == f"{kept.score:.2f} of 1"
    assert "Notes of the shift" in texts["ChunkSelection"]
    assert "Passage search" in texts["Question"]
    assert "by meaning and by words" in texts["Question"]
    assert "5 passages" in texts["Exploration"]
    assert tally(trace.dag) in texts["Focus"]
    assert "3 passages" in texts["NotKept"]
    assert "[1] “The heater switches" in texts["Synthesis"]
    assert "Facts" not in texts["Passage"] + texts["Concept"]
    assert nodes["Passage"]["say"] == "this passage in Notes of the shift"


def test_a_passage_search_under_way_says_what_comes():
    showing = Showing()
    showing.begin()
    for event in list(shared().ask(QUESTIONS[1], "document-rag"))[:2]:
        showing.apply(event)
    note = showing.snapshot()["note"]
    assert note["word"] == "Looked at"
    assert "passages close in meaning" in note["text"]


def told(engine="graph-rag"):
    """A run as a live page is told of it: all messages, with the events and what had been sent before the last."""
    events = list(shared().ask(QUESTIONS[1], engine))
    showing = Showing()
    messages = [showing.begin(), *(message for event in events if (message := showing.apply(event)))]
    before = showing.snapshot()
    return showing, [*messages, showing.end("done", "Ended")], before, events


def test_nothing_moves_until_the_answer_is_on_record_and_then_all_is_drawn_anew_once():
    _, messages, before, _ = told()
    assert [("again" in message) for message in messages] == [False] * (len(messages) - 1) + [True]
    last = messages[-1]["again"]
    assert last["levels"] == [""]
    stood = {node["id"]: node["spots"] for node in before["nodes"]}
    assert page_after(messages[:-1])["nodes"].keys() == stood.keys()
    assert last["moved"].keys() <= stood.keys()
    kinds = {node["kind"] for node in messages[-1]["nodes"]}
    assert kinds <= {"Sentence", "Rest"}
    assert "Sentence" in kinds


@pytest.mark.parametrize("engine", ["graph-rag", "document-rag", "agent"])
def test_a_later_snapshot_has_what_the_messages_have_led_to(engine):
    showing, messages, _, events = told(engine)
    live, later = page_after(messages), page_of(showing.snapshot())
    for name, node in later["nodes"].items():
        assert {**live["nodes"][name], "vis": None} == {**node, "vis": None}
    assert live["nodes"].keys() == later["nodes"].keys()
    assert live["heads"] == later["heads"]
    ends = ("from", "to", "kind")
    assert {tuple(arc[end] for end in ends) for arc in live["arcs"]} == {
        tuple(arc[end] for end in ends) for arc in later["arcs"]
    }
    stored, _ = recalled(events)
    assert timeless(page_of(stored.snapshot()))["nodes"] == timeless(live)["nodes"]


def test_a_replay_opens_a_drawing_as_it_was_at_the_step_on_show():
    showing, _ = recalled(list(shared().ask(QUESTIONS[1], "graph-rag")))
    early, late = (showing.level("", seq) for seq in (showing.seq - 1, showing.seq))
    assert {node["kind"] for node in late["nodes"]} - {node["kind"] for node in early["nodes"]} >= {"Sentence"}
    stand = [{node["id"]: node["spots"] for node in one["nodes"]} for one in (early, late)]
    assert any(stand[1].get(iri) != spots for iri, spots in stand[0].items())
    sentence = next(node["id"] for node in late["nodes"] if node["kind"] == "Sentence")
    assert showing.has(sentence)
    assert showing.holding(sentence, showing.seq)["select"] == sentence


def test_a_run_within_that_has_no_answer_yet_is_said_to_be_asked_within_the_run():
    showing = Showing()
    showing.begin()
    first = {}
    for event in team():
        for node in (showing.apply(event) or {}).get("nodes", ()):
            if node.get("kind") == "Run":
                first.setdefault(node["id"], node["detail"]["rows"])
    said = {row["author"]["text"] for rows in first.values() for row in rows if "author" in row}
    assert said == {"asked in this run"}


def test_a_run_within_unfolds_below_its_row_while_the_run_goes_on():
    showing = Showing()
    messages = [showing.begin(), *(message for event in team() if (message := showing.apply(event)))]
    nodes = page_after(messages)["nodes"]
    runs = [node for node in nodes.values() if node["kind"] == "Run"]
    assert len(runs) > 2
    for node in runs:
        around = node["level"]
        row = node["spots"][around][0].y
        [(begins, high)] = set(node["unfolds"])
        beside = [one["spots"][around][0].y for one in nodes.values() if around in one["spots"]]
        assert row < begins < min((y for y in beside if y > row), default=math.inf)
        inside = [one["spots"][node["id"]][0].y for one in nodes.values() if node["id"] in one["spots"]]
        assert max(inside) < high
    deepest = runs[-1]["id"]
    level = showing.level(deepest, showing.seq)
    assert {"Question", "Run"} <= {one["kind"] for one in level["nodes"] if deepest not in one["spots"]}
    showing.end("done", "Ended")
    nodes = {node["id"]: node for node in showing.snapshot()["nodes"]}
    assert all(nodes[node["id"]]["unfolds"] not in (None, node["unfolds"]) for node in runs)


@pytest.mark.parametrize("engine", ["graph-rag", "document-rag", "agent"])
def test_no_node_is_told_twice_alike_and_what_all_of_a_kind_have_in_common_not_at_all(engine):
    _, messages, _, _ = told(engine)
    known = {}
    for message in messages:
        moved = message["again"]["moved"] if "again" in message else {}
        for name, now in moved.items():
            same = {part for part in now if known[name].get(part) == now[part]}
            assert same <= {"spots", "unfolds"}
        for node in message.get("nodes", ()):
            before = known.get(node["id"], {})
            is_placed = "vis" in node
            assert before != node
            assert is_placed or all(before.get(part) != now for part, now in node.items() if part != "id")
            assert node.get("vis", {}).keys() <= {"title"}
            known[node["id"]] = node if is_placed else before | node
        widths = [arc["width"] for arc in message.get("arcs", ()) if "width" in arc]
        assert looks()["arc"]["width"] not in widths
    assert len(known) > 10


def test_a_run_of_few_nodes_is_told_in_a_hundred_kilobytes():
    showing, messages, _, _ = told()
    assert 10 <= len(showing.dag.nodes()) <= 40
    assert sum(len(json.dumps(message)) for message in messages) <= 100_000


CLASS = re.compile(r"\b(?:[A-Z][a-z]+){2,}\b")


def said(message, key=""):
    """All that a message says in words, but for the rows of the record."""
    if isinstance(message, dict) and message.get("k") != "raw":
        for name, value in message.items():
            yield from said(value, name)
    elif isinstance(message, list | tuple):
        for value in message:
            yield from said(value, key)
    elif isinstance(message, str) and key != "kind":
        yield message


SLIP = re.compile(r"\ba (?=agent|answer|idea|entity)|\bat first$|by itself steps|it name what they rest on")


@pytest.mark.parametrize("engine", ["graph-rag", "document-rag", "agent"])
def test_names_of_classes_stand_in_the_record_alone(engine):
    showing, messages, *_ = told(engine)
    page = [*messages, showing.snapshot(whole=True)]
    assert [words for words in said(page) if CLASS.search(words)] == []
    assert CLASS.search(json.dumps(page))
    assert [words for words in said(page) if SLIP.search(words)] == []


def test_a_sentence_says_what_it_rests_on():
    showing, messages, _, _ = told()
    sentences = [node for node in messages[-1]["nodes"] if node["kind"] == "Sentence"]
    assert [node["name"] for node in sentences] == [f"Sentence {number}" for number in range(1, len(sentences) + 1)]
    [said, rests, *_] = [row for row in sentences[0]["detail"]["rows"] if row["k"] in ("text", "list")]
    assert said["text"] in showing.dag.answer
    assert {item["node"] for item in rests["items"]} == set(showing.dag.citations[0].cites)
    assert {arc["to"] for arc in messages[-1]["arcs"] if arc["kind"] == "cites"} <= {one["id"] for one in sentences}


@each(
    ("facts", "cites", "text"),
    [(8, [[], []], None), (40, [range(40)], None), (8, [[number % 3] for number in range(30)], None), (8, None, "Yes")],
    ids=["cites nothing", "cites 40 facts", "has 30 sentences", "is one word"],
)
def test_any_answer_is_shown_whole_with_a_number_for_each_passage(facts, cites, text):
    kept = [fact(number) for number in range(facts)]
    events = search(kept, cites and [[kept[at].iri for at in one] for one in cites], text)
    showing = Showing()
    showing.begin()
    for event in events:
        showing.apply(event)
    showing.end("done", "Ended")
    page = showing.snapshot(whole=True)
    assert "".join(run["text"] for run in page["answer"]["runs"]) == showing.dag.answer
    cited = {at for one in cites or () for at in one}
    numbers = [cite["n"] for run in page["answer"]["runs"] for cite in run["cites"]]
    assert sorted(set(numbers)) == [*range(1, len(cited) + 1)]
    told = [node for node in page["nodes"] if node["kind"] == "Sentence"]
    assert len(told) == len(cites or [text])
    assert [run["node"] for run in page["answer"]["runs"] if "node" in run] == [node["id"] for node in told]
    assert all(node["detail"]["rows"] for node in told)
    assert len(json.dumps(page)) < 400_000
    drawn, words = picture.svg(showing.dag), picture.text(showing.dag)
    assert len([*ET.fromstring(drawn).iter()]) > len(told)
    assert showing.dag.answer[:20] in words


def test_a_run_tells_the_same_times_live_and_played_again():
    trace, _, _ = shown()
    live, again = Showing(), recalled(trace.events)[0]
    live.begin()
    for event in trace.events:
        live.apply(event)
    live.end("done", "Ended")
    played = [line["at"] for frame in again.snapshot()["frames"] for line in frame.get("log", ())]
    page = live.snapshot()
    assert [line["at"] for line in page["log"]] == played
    assert page["total"] == again.snapshot(whole=True)["total"]
