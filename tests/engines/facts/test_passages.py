"""The selector `passages`: a model selects among the nearest passages by one call, and answers from them whole."""

import json
import re

from explorer import entities as e
from explorer.dag import sentences
from explorer.engines.facts.graph_rag import GraphRag
from explorer.engines.limits import Limits
from explorer.engines.setting import Setting
from explorer.errors import ModelError
from explorer.models.embedding import Remembered
from explorer.reasoning.prompted.reasoner import PromptedReasoner
from explorer.record.trace import Trace
from explorer.vocab import entity_iri
from tests.corpus import QUESTIONS, Clock, filled
from tests.each import each
from tests.script import Script
from tests.strategies import of

QUESTION = QUESTIONS[1]


def asked(script, **limits):
    with filled() as ws:
        ws.chat, ws.check = script, False
        trace = Trace(list(ws.ask(QUESTION, "graph-rag", selector="passages", **limits)))
        return trace, [str(one) for one in ws.verify().faults]


def rows(prompt):
    return [json.loads(line) for line in prompt.text.splitlines() if line.startswith('{"id": ')]


def lines(*numbers, reasoning="It says so."):
    return "\n".join(json.dumps({"id": number, "reasoning": reasoning}) for number in numbers)


def first_with_facts(prompt):
    return lines(next(one["id"] for one in rows(prompt) if "facts" in one), reasoning="Names the cause.")


def test_two_calls_answer_from_whole_passages_and_keep_the_facts_of_what_was_selected():
    script = Script({"passage-selection": first_with_facts, "document-prompt": "It was so [1]."})
    trace, faults = asked(script)
    assert script.tasks() == ["passage-selection", "document-prompt"]
    assert (faults, trace.answer) == ([], "It was so.")
    assert of(e.Citation, trace.events)
    kept = of(e.EdgeSelection, trace.events)
    assert any(one.reasoning == "Names the cause." for one in kept)
    assert all(one.score is None for one in kept)


@each("reply", [
    "", "I can't say.", '{"items": []}', lines(9_999, -1, 0), lines(1, 1, 1), lines(*range(1, 500)),
    lines(1, reasoning="<reason>"), lines("1", None, True, 1.5, "x"), "选择第一句。",
])  # fmt: skip
def test_any_selection_leads_to_an_answer_and_a_sound_record(reply):
    trace, faults = asked(Script({"passage-selection": reply, "document-prompt": "It was so [1]."}))
    assert trace.reason == "done"
    assert faults == []
    assert all(one.reasoning != "<reason>" for one in of(e.EdgeSelection, trace.events))


def test_a_call_that_fails_leaves_the_nearest_and_says_so_and_an_answer_that_is_not_found_is_declined():
    trace, faults = asked(Script({"passage-selection": ModelError("away"), "document-prompt": "It was so [1]."}))
    [focus] = of(e.Focus, trace.events)
    assert "the nearest" in focus.rule
    assert "away" in focus.rule
    assert (trace.reason, faults) == ("done", [])
    trace, faults = asked(Script({"passage-selection": lines(1), "document-prompt": "NO ANSWER: it is not said."}))
    assert (trace.reason, faults) == ("declined", [])


SEARCH = '{"items": [{"id": 1, "reasoning": "It says so."}, {"search": "Beech Aircraft"}, {"search": "<words>"}]}'


def with_less(monkeypatch, reply, question=QUESTION):
    """Ask where the model is shown a single passage before it selects."""
    monkeypatch.setattr("explorer.engines.facts.graph_rag.MOST", 1)
    script = Script({"passage-selection": reply, "document-prompt": "It was so [1]."})
    trace, faults = asked(script)
    return of(e.Focus, trace.events)[0], of(e.ChunkSelection, trace.events), script, faults


def test_words_that_the_question_lacks_start_one_more_search_which_is_on_record(monkeypatch):
    focus, kept, script, faults = with_less(monkeypatch, SEARCH)
    assert focus.rule.startswith("searched again for “Beech Aircraft”, which added ")
    assert 1 < len(kept) <= 6
    assert len(kept) == sum(line.startswith('{"title"') for line in script.asked[-1].text.splitlines())
    assert script.tasks() == ["passage-selection", "document-prompt"]
    assert faults == []


@each("words", ["heater", "Why", "", "...", "<words>", 7, None, ["tank"], "x" * 10_000])
def test_words_of_the_question_or_none_start_no_search(monkeypatch, words):
    focus, kept, _, faults = with_less(monkeypatch, json.dumps({"search": words}))
    assert focus.rule == "the nearest, as the reply of the model selects nothing"
    assert (len(kept), faults) == (1, [])


def test_words_that_are_found_nowhere_add_what_is_nearest_and_break_nothing(monkeypatch):
    focus, _, _, faults = with_less(monkeypatch, "\n".join(json.dumps({"search": f"选择{n} <b>"}) for n in range(99)))
    assert "searched again for “选择0 <b>”" in focus.rule
    assert "选择5" not in focus.rule
    assert faults == []


def test_the_limit_of_facts_holds_and_without_a_model_it_selects_as_usual():
    with filled() as ws, filled() as other:
        said = Trace(list(ws.ask(QUESTION, "graph-rag", selector="passages"))).answer
        assert said == Trace(list(other.ask(QUESTION, "graph-rag"))).answer
    trace, _ = asked(Script({"passage-selection": lines(*range(1, 200)), "document-prompt": "So [1]."}), edge_limit=3)
    assert len(of(e.EdgeSelection, trace.events)) <= 3 + 5


def test_what_was_taken_back_is_told_in_both_prompts():
    with filled() as ws:
        ws.chat = script = Script({"passage-selection": lines(1), "document-prompt": "It was so [1]."})
        ws.check = False
        ws.retract(ws.facts("relief valve opened")[0], by="Ada")
        trace = Trace(list(ws.ask("Did the relief valve open?", "graph-rag", selector="passages")))
        assert trace.reason == "done"
        assert all('"taken_back": [' in prompt.text for prompt in script.asked)


def test_only_what_fits_into_the_last_prompt_is_kept():
    with filled() as ws:
        script = Script({"passage-selection": lines(1), "document-prompt": "It was so [1]."})
        setting = Setting(ws.stores, Remembered(ws.embedder), "s", Clock(), check=False)
        engine = GraphRag(setting, PromptedReasoner(script, ws.embedder, context=1_500), Limits(selector="passages"))
        events = [*engine.run(QUESTION)]
        kept = of(e.ChunkSelection, events)
        shown = [line for line in script.asked[-1].text.splitlines() if line.startswith('{"title"')]
        assert 0 < len(kept) == len(shown)


def test_a_fact_that_a_person_wrote_down_is_told_and_cited():
    with filled() as ws:
        ws.add_fact("relief valve", "was painted", "bright orange", by="Ada")
        ws.chat = script = Script({"passage-selection": lines(1), "document-prompt": "It was orange [1]."})
        trace = Trace(list(ws.ask("Which colour was the relief valve painted?", "graph-rag", selector="passages")))
        assert "bright orange" in script.asked[-1].text
        cited = {one.iri: one for one in of(e.EdgeSelection, trace.events)}
        assert [cited[key].edge.object.value for one in trace.citations for key in one.cites] == [
            entity_iri("bright orange")
        ]
        assert [str(one) for one in ws.verify().faults] == []


def test_a_citation_leads_through_the_facts_that_were_kept_of_its_sentence():
    def cites_it(prompt):
        kept = next(one for one in rows(script.asked[0]) if "facts" in one)["text"]
        number = next(n for n, text in re.findall(r'"(\d+)": "([^"]*)"', prompt.text) if text == kept)
        return f"It was so [{number}]."

    script = Script({"passage-selection": first_with_facts, "document-prompt": cites_it})
    trace, faults = asked(script)
    [citation] = of(e.Citation, trace.events)
    kinds = [type(trace.dag.entities[key]) for key in citation.cites]
    assert {*kinds} == {e.EdgeSelection}
    assert faults == []


def numbered(prompt, *beginnings):
    """The numbers of the sentences in an answer prompt that begin so."""
    told = {text: number for line in prompt.text.splitlines() if line.startswith('{"title"')
            for number, text in json.loads(line)["sentences"].items()}  # fmt: skip
    return [next(number for text, number in told.items() if text.startswith(one)) for one in beginnings]


@each("engine", ["graph-rag", "document-rag"])
def test_all_sentences_that_are_cited_are_told_of_each_passage(engine):
    """Two of one passage and one of another: both places are on record, and every word is in them."""
    beginnings = ("The relief valve protects", "Beech Aircraft tested", "The heater switches were")
    script = Script({
        "passage-selection": lines(1),
        "document-prompt": lambda prompt: "So it was {}.".format(
            "".join(f"[{one}]" for one in numbered(prompt, *beginnings))),
        "check": json.dumps({"items": [{"n": 1, "verdict": "supported"}]}),
    })  # fmt: skip
    with filled() as ws:
        ws.chat = script
        trace = ws.run("Who built the relief valve, and what were the heater switches rated for?", engine)
        [said] = [one for one in trace.citations if one.cites]
        quoted = {passages[0].text[slice(*said.places.get(key, (None,)))]
                  for key in said.cites for passages in [trace.passages[key]]}  # fmt: skip
        cited = " ".join(one.text for one in sentences.cited(trace.dag))
        loaded = ws.traces.load(trace.iri)
        assert [one.places for one in loaded.citations] == [one.places for one in trace.citations]
        assert ws.verify().faults == ()
    assert len({trace.passages[key][0].document for key in said.cites}) == 2
    assert all(any(one in text for text in quoted) for one in beginnings)
    assert all(one in cited for one in beginnings)
    check = next(one for one in script.asked if one.task == "check").text
    assert all(one in check for one in beginnings)
