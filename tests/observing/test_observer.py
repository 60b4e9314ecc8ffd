"""What libraries call back for their parts, told by hand: each kind of run ends as what it was."""

import signal
import warnings
from types import SimpleNamespace

import pytest

import explorer
from explorer.dag.retrieved import LEFT, UNUSED, USED
from explorer.observing.observer import Observer
from explorer.observing.run_parts import Call
from tests.forked import Forked

SEAL = "Ada Smith replaced the seal of the pump on 3 April."
LUNCH = "Lunch was served at noon on deck two."


@pytest.fixture
def observer(ws):
    return Observer(lambda question: ws.record(question, pipeline="test"))


def only(ws):
    [summary] = ws.traces.list()
    assert [str(one) for one in ws.verify()] == []
    return ws.traces.load(summary.iri)


def test_a_search_whose_retriever_chooses_among_what_another_found(ws, observer):
    observer.begin("run", None, "chain", {"messages": [("user", "Who fixed it?")]})
    observer.begin("outer", "run", "retriever", "fixed")
    observer.begin("inner", "outer", "retriever", "fixed")
    observer.end("inner", [SEAL, LUNCH])
    observer.end("outer", [SEAL])
    observer.begin("model", "run", "model", "…")
    observer.end("model", Call(f"Use {SEAL}", SEAL, "m", 3, 4))
    observer.end("run", {"output": SEAL})
    trace = only(ws)
    assert (trace.question, trace.answer, trace.reason, trace.model) == ("Who fixed it?", SEAL, "done", "m")
    assert [(one.passage.text, one.state) for one in trace.retrieved] == [(SEAL, USED), (LUNCH, LEFT)]


def test_a_model_asked_by_itself_has_its_reply_for_an_answer(ws, observer):
    observer.begin("model", None, "model", "Who fixed it?")
    observer.end("model", Call("Who fixed it?", "Ada did."))
    trace = only(ws)
    assert (trace.question, trace.answer, trace.reason) == ("Who fixed it?", "Ada did.", "done")


def test_a_retriever_asked_by_itself_answers_nothing(ws, observer):
    observer.begin("find", None, "retriever", "Who fixed it?")
    observer.end("find", [SEAL])
    trace = only(ws)
    assert (trace.answer, trace.reason, [one.passage.text for one in trace.retrieved]) == ("", "stopped", [SEAL])


def test_documents_that_a_tool_leaves_beside_its_text_are_the_passages(ws, observer):
    observer.begin("run", None, "chain", "Who fixed it?")
    observer.begin("tool", "run", "tool", {"query": "fixed"}, "search")
    documents = [SimpleNamespace(page_content=one, metadata={"source": "log"}) for one in (LUNCH, SEAL)]
    observer.end("tool", SimpleNamespace(content=f"{LUNCH}\n\n{SEAL}", artifact=documents))
    observer.end("run", SEAL)
    trace = only(ws)
    assert {one.passage.text: one.state for one in trace.retrieved} == {LUNCH: "not used", SEAL: USED}
    assert [(one.rank, one.passage.text) for one in trace.retrieved] == [(1, LUNCH), (2, SEAL)], "as they were returned"


def test_a_run_that_failed_is_on_record_as_that(ws, observer):
    observer.begin("run", None, "chain", "Who fixed it?")
    observer.begin("tool", "run", "tool", {"q": 1}, "search")
    observer.end("tool", error=ValueError("no network"))
    observer.end("run", error=ValueError("no network"))
    assert (only(ws).reason, only(ws).dag.done.error) == ("error", "ValueError: no network")


def test_what_goes_wrong_here_is_told_once(ws, observer):
    ws.close()
    with pytest.warns(RuntimeWarning, match="closed"):
        observer.begin("a", None, "chain", "Who?")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        observer.begin("b", None, "chain", "Who?")
        observer.end("b", "Ada.")


def test_a_passage_that_was_kept_and_never_looked_at_is_told(ws, observer):
    observer.begin("run", None, "chain", "Who fixed it?")
    observer.begin("find", "run", "retriever", "fixed")
    observer.end("find", [SEAL, LUNCH])
    observer.begin("choose", "run", "reranker", "fixed")
    with pytest.warns(RuntimeWarning, match="a passage was kept that is none of those looked at"):
        observer.end("choose", [SEAL, "Cheese is made of milk."])
    observer.end("run", SEAL)
    assert [(one.passage.text, one.state) for one in only(ws).retrieved] == [(SEAL, USED), (LUNCH, LEFT)]


def test_parts_of_two_runs_that_come_by_turns_are_each_its_own(ws, observer):
    runs = {"a": ("Who fixed it?", SEAL), "b": ("What was served?", LUNCH)}
    for kind in ("run", "find"):
        for run, (question, _) in runs.items():
            observer.begin((run, kind), (run, "run") if kind == "find" else None,
                           "retriever" if kind == "find" else "chain", question)  # fmt: skip
    for kind in ("find", "run"):
        for run, (_, text) in reversed(runs.items()):
            observer.end((run, kind), [text] if kind == "find" else text)
    told = [ws.traces.load(one.iri) for one in ws.traces.list()]
    answers = {(one.question, one.answer, *(found.passage.text for found in one.retrieved)) for one in told}
    assert answers == {(question, text, text) for question, text in runs.values()}
    assert [str(one) for one in ws.verify()] == []


KILLED = f"""
import os, signal, sys, explorer
from explorer.observing.observer import Observer
ws = explorer.open(sys.argv[1])
made = []
def record(question):
    made.append(ws.record(question, pipeline="test"))
    return made[0]
observer = Observer(record)
observer.begin("run", None, "chain", "Who fixed it?")
observer.begin("find", "run", "retriever", "fixed")
observer.end("find", [{SEAL!r}, {LUNCH!r}])
observer.begin("model", "run", "model", "...")
made[0].write("Ada Smith ")
print("written", flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_a_process_that_was_killed_has_told_is_whole_and_unfinished(tmp_path):
    explorer.open(tmp_path / "ws").close()
    with Forked("-c", KILLED, tmp_path / "ws") as process:
        assert process.stdout.read() == "written\n"
        assert process.wait() == -signal.SIGKILL
    with explorer.open(tmp_path / "ws") as ws:
        trace = only(ws)
        assert (trace.question, trace.answer, trace.reason) == ("Who fixed it?", "", "interrupted")
        assert [(one.passage.text, one.state) for one in trace.retrieved] == [(SEAL, UNUSED), (LUNCH, UNUSED)]


def test_an_answer_that_is_no_longer_read_ends_its_run_as_stopped(ws):
    def streamed():
        with ws.record("Who fixed it?") as run:
            run.looked_at([SEAL])
            for piece in ("Ada Smith ", "fixed it."):
                run.write(piece)
                yield piece
            run.answer("Ada Smith fixed it.")

    assert "".join(streamed()) == only(ws).answer == "Ada Smith fixed it."
    pieces = streamed()
    next(pieces)
    pieces.close()
    [summary] = [one for one in ws.traces.list() if one.reason != "done"]
    trace = ws.traces.load(summary.iri)
    assert (trace.reason, trace.answer, [one.passage.text for one in trace.retrieved]) == ("stopped", "", [SEAL])
    assert [str(one) for one in ws.verify()] == []
