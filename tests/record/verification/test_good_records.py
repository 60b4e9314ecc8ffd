"""Good records are not blamed: runs of each engine, pattern and ending, and whatever is done to them on purpose."""

import random
from datetime import timedelta

import pytest
from pyoxigraph import NamedNode

import explorer
from explorer.vocab import X
from tests.corpus import QUESTIONS, Clock, filled, ids
from tests.endings import REPLIES, WAYS, gone
from tests.script import Script, calls

MODELS = {"rules": None, "model": REPLIES}
MODELS |= {f"gone at {task}": gone(task) for task in ("kg-synthesis", "document-prompt", "agent-react", "plan-create")}


def ask(ws, chance, engine, options, model):
    """Ask by a way; one of seven runs is stopped at some moment."""
    ws.chat = None if MODELS[model] is None else Script(MODELS[model])
    ws.record_prompts = chance.random() < 0.7
    stops = chance.randrange(9) if chance.random() < 0.15 else None
    events = ws.ask(chance.choice(QUESTIONS), engine, by=chance.choice([None, "Ada"]), **options)
    for number, _ in enumerate(events):
        if number == stops:
            events.close()
            break


def faults(ws):
    return [str(one) for one in ws.verify().faults]


def runs_of_all_kinds(ws, seed, number):
    """Ask so many times, each way and model in turn."""
    chance = random.Random(seed)
    every = [(way, model) for model in MODELS for way in WAYS.values()]
    chance.shuffle(every)
    for turn in range(number):
        (engine, options), model = every[turn % len(every)]
        ask(ws, chance, engine, options, model)
    return number


def check_what_is_done_to_them(ws, folder):
    """Correct, merge, replace, delete, restore, export, import and forget: nothing of it is blamed."""
    assert faults(ws) == []
    iris = [one.iri for one in ws.traces.list(limit=1000)]
    with explorer.open(folder / "elsewhere", ids=ids("e"), clock=Clock()) as other:
        for number, iri in enumerate(iris):
            file = folder / f"{number}.nq"
            file.write_bytes(ws.export(ws.traces.load(iri), "nq", closed=bool(number % 2)))
            assert explorer.verify_file(file).faults == (), iri
            other.import_record(file)
        blamed = [one for one in faults(other) if "its text is missing" not in one and "/subgraph/" not in one]
        assert blamed == []
    ws.retract(ws.facts("relief valve opened")[0], by="Ada")
    ws.merge("relief valve", "Beech Aircraft")
    newer = folder / "valves.md"
    newer.write_text("# Valves\n\nBeech Aircraft built the relief valve in 1967.\n")
    ws.ingest(newer, replaces="Valves of the tank", progress=False)
    ws.traces.restore(ws.traces.delete(iris[0]))
    ws.traces.delete(iris[1])
    assert faults(ws) == []
    ws.restore(ws.forget("notes.txt"))
    assert faults(ws) == []
    ws.forget("report.pdf", words=True)
    assert faults(ws) == []
    ws.purge(timedelta(seconds=60), progress=False)
    assert faults(ws) == []


def test_twenty_runs_of_all_kinds_are_not_blamed(tmp_path):
    with filled(tmp_path / "ws") as ws:
        assert runs_of_all_kinds(ws, 1, 20) == 20
        assert len({one.reason for one in ws.traces.list(limit=100)}) >= 3
        check_what_is_done_to_them(ws, tmp_path)


@pytest.mark.soak
@pytest.mark.timeout(3000)
@pytest.mark.parametrize("seed", range(5))
def test_two_hundred_runs_of_all_kinds_are_not_blamed(tmp_path, seed):
    with filled(tmp_path / "ws") as ws:
        assert runs_of_all_kinds(ws, seed, 40) == 40
        check_what_is_done_to_them(ws, tmp_path)


def test_a_sentence_that_a_model_gave_no_source_is_no_fault_and_one_whose_source_was_taken_away_is():
    with filled() as ws:
        ws.chat = Script({**REPLIES, "document-prompt": "Beech Aircraft built it [1]. It is a fine valve."})
        run = ws.run(QUESTIONS[0], "graph-rag")
        cited = [*run.citations]
        assert [bool(one.cites) for one in cited] == [True, False]
        assert faults(ws) == []
        named = NamedNode(cited[0].iri)
        ws.graph.replace((), (), list(ws.graph.match(named, X.cites)))
        assert any("it cites nothing" in one for one in faults(ws))


@pytest.mark.parametrize("pattern", ["react", "plan-then-execute", "supervisor"])
def test_an_agent_that_ends_at_its_limit_of_steps_is_no_fault(pattern):
    with filled() as ws:
        ws.chat = Script({**REPLIES, "agent-react": calls("knowledge-query", question=QUESTIONS[0])})
        list(ws.ask(QUESTIONS[0], "agent", pattern=pattern, max_iterations=2))
        assert faults(ws) == []
