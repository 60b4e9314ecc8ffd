"""Two runs as the page shows them side by side: words chosen, what is only on one side marked, numbers that lead on."""

import itertools
import json
import re
from dataclasses import replace

import pytest

import explorer
from explorer import entities as e
from explorer.dag.sentences import quotations
from explorer.errors import ModelError
from explorer.record.compare import Judgement
from explorer.record.notes import notes
from explorer.record.trace import Trace
from explorer.view.run import answer as answers
from explorer.widgets.past import comparison as comparing
from explorer.wording.graph_words import NodeWords, lines
from explorer.wording.outcomes import word
from explorer.wording.tally import tally
from tests.corpus import OPEN, QUESTIONS, filled, shared
from tests.script import SEARCHED, Script, calls
from tests.script import answers as says
from tests.widgets.conftest import DOCUMENTS


@pytest.fixture(scope="module")
def ws():
    return shared()


def all_fit(asked):
    return "\n".join(json.dumps({"id": row["id"], "reasoning": "It fits."}) for row in asked.data[""] if "id" in row)


@pytest.fixture(scope="module")
def modelled():
    """A workspace with a model that says what a script tells it to."""
    ws = filled()
    ws.chat = Script({**SEARCHED, "passage-selection": all_fit}, name="stub-llm-1")
    return ws


def shown(ws, a, b):
    message = comparing.message(ws.compare(a, b), notes(ws.stores))
    assert json.loads(json.dumps(message)) == message
    check_answers(message, a, b)
    return message


def check_answers(message, a, b):
    """The parts of an answer are the answer; each number in it is that of the app and leads to a row that has it."""
    rows = rows_of(message)
    for side, trace in (("a", a), ("b", b)):
        runs = [run for part in message[side]["answer"] for run in part["runs"]]
        assert "".join(run["text"] for run in runs) == trace.answer
        shown = [cite["n"] for run in runs for cite in run["cites"]]
        answered = answers.answer(NodeWords(trace.dag), running=False)["runs"] or []
        assert shown == [cite["n"] for run in answered for cite in run["cites"]]
        assert all(rows[cite["row"]][side]["cited"] == cite["n"] for run in runs for cite in run["cites"])
        assert {row[side]["cited"] for row in rows.values()} - {None} == set(shown)


def rows_of(message):
    return {row["row"]: row for group in message["groups"] for row in group["rows"]}


def test_facts_stand_in_groups_by_who_kept_them(ws):
    a, b = ws.run(OPEN), ws.run(OPEN, edge_limit=2)
    message = shown(ws, a, b)
    assert [group["title"].partition(":")[0] for group in message["groups"]] == ["Only in A", "In both runs"]
    assert message["summary"] == "Same question: 2 sentences in common, 7 facts or passages of A match 2 of B"
    assert message["looked"] == f"A {tally(a.dag)} · B {tally(b.dag)}"
    assert (message["question"], message["heading"], message["column"]) == (
        OPEN,
        "Facts and passages kept",
        "Fact or passage",
    )
    facts = (row for row in message["groups"][1]["rows"] if row["kind"] == "EdgeSelection")
    first = next(row for row in facts if row["b"]["number"])
    assert len(first["parts"]) == 3
    assert first["a"]["number"] == first["b"]["number"]
    assert first["sources"][0]["text"].startswith("“")


def test_of_a_fact_that_was_left_out_it_is_told_how_near_it_came(ws):
    message = shown(ws, ws.run(OPEN), ws.run(OPEN, edge_limit=1))
    left = [row["b"] for row in message["groups"][0]["rows"]]
    assert all("others were kept." in one["why"] for one in left)
    assert all((one["score"], one["author"], one["step"]) == (None, None, None) for one in left)


def test_a_fact_that_a_run_did_not_compare_is_not_said_to_have_been_out_of_its_sight(ws):
    near = ws.run(OPEN, edge_score_limit=1, edge_limit=1)
    message = shown(ws, ws.run(OPEN), near)
    assert "not among the 2 facts compared, of 15 looked at" in {
        row["b"]["why"] for row in message["groups"][0]["rows"]}  # fmt: skip


def test_a_run_has_the_name_that_a_person_gave_it(ws):
    a, b = ws.run(QUESTIONS[0]), ws.run(QUESTIONS[0])
    ws.traces.annotate(a.iri, name="The first one")
    message = shown(ws, a, b)
    assert (message["a"]["name"], message["b"]["name"]) == ("The first one", "")
    ws.traces.annotate(a.iri, name="")


def test_what_was_measured_says_so_and_why_it_fits(ws):
    trace = ws.run(QUESTIONS[0])
    message = shown(ws, trace, trace)
    kept = next(row["a"] for row in message["groups"][0]["rows"] if row["kind"] == "EdgeSelection")
    assert kept["why"].startswith("Its sentence is quoted. The fact has “")
    assert "relief valve" in kept["why"]
    assert kept["author"] == {"sign": "≈", "text": "measured by similarity and shared words, no language model"}
    assert message["authors"] == [kept["author"]]
    assert message["a"]["title"] == "Graph search, no language model"
    assert (message["a"]["says"], message["a"]["level"]) == (word(trace.outcome), trace.outcome)
    [took] = message["a"]["spent"]  # who has no model spends no tokens
    assert took.endswith(" for the whole run")
    assert message["a"]["steps"][kept["step"]]["name"] == "Kept"


def test_two_runs_that_differ_in_nothing_are_identical(ws):
    trace = ws.run(QUESTIONS[1])
    message = shown(ws, trace, ws.run(QUESTIONS[1]))
    assert message["summary"] == "Identical: same question, steps, sources and answer"
    assert message["identical"]
    assert f"{message['summary']}." in ws.compare(trace, trace).lines()
    assert not shown(ws, trace, ws.run(QUESTIONS[1], "document-rag"))["identical"]
    assert not any(part["only"] for part in message["a"]["answer"])
    assert not any(said["only"] for said in (*message["a"]["ideas"], *message["a"]["sources"]))


def test_a_model_is_named_with_its_reasons_and_its_tokens(ws, modelled):
    a, b = modelled.run(QUESTIONS[0]), ws.run(QUESTIONS[0])
    message = shown(ws, a, b)
    assert message["a"]["title"] == "Graph search with stub-llm-1"
    assert message["a"]["spent"][-1] == f"{a.usage.in_token + a.usage.out_token} tokens"
    assert message["a"]["author"]["text"].startswith("written by stub-llm-1 from ")
    assert [author["text"] for author in message["authors"]] == [
        "reasoned by stub-llm-1",
        "chosen by stub-llm-1",
        "measured by similarity and shared words, no language model",
    ]
    assert "It fits." in {row["a"]["why"] for row in rows_of(message).values()}


def test_sources_are_grouped_by_document_with_pages_before_sections(ws):
    message = shown(ws, ws.run(QUESTIONS[0], "document-rag"), ws.run(QUESTIONS[0]))
    a, b = message["a"]["sources"], message["b"]["sources"]
    report = next(one for one in a if one["title"] == "Report on the switches")
    assert [(one["lead"], one["text"]) for one in report["places"]] == [("pages", "1"), ("", "2")]
    valves = next(one for one in b if one["title"] == "Valves of the tank")
    assert valves["places"][0]["text"] == "“Relief valve”"
    assert not valves["only"]
    assert not valves["places"][0]["only"]


def test_what_a_run_only_read_is_no_source_of_what_it_kept(ws):
    one, other = ws.run(QUESTIONS[0], edge_limit=1), ws.run(QUESTIONS[0])
    kept = {passage.title for selection in (*one.edges, *one.chunks)
            for passage in one.passages[selection.iri]}  # fmt: skip
    assert kept < {passage.title for passage in one.sources()}
    assert {told["title"] for told in shown(ws, one, other)["a"]["sources"]} == kept


def test_an_agent_that_asks_the_same_search_is_no_second_witness(ws):
    search, agent = ws.run(QUESTIONS[0]), ws.run(QUESTIONS[0], "agent", pattern="react")
    witness = "Both answers cite the same sources: neither confirms the other"
    assert shown(ws, search, agent)["summary"].endswith(f". {witness}")
    assert witness not in shown(ws, search, ws.run(QUESTIONS[0]))["summary"], "two runs of one search seem no two"
    told = NodeWords(agent.dag).rows(agent.dag.final)
    row = next(row for row in told if row.get("label") == "Found by sub-runs")
    assert row["items"][0]["text"] == f"Graph search: {QUESTIONS[0]}"
    assert "no second witness" in row["items"][-1]["why"]


def test_different_questions_are_told_on_both_sides(ws):
    message = shown(ws, ws.run(QUESTIONS[0]), ws.run(QUESTIONS[2]))
    assert message["question"] is None
    assert message["summary"].startswith("Different questions: ")
    assert (message["a"]["question"], message["b"]["question"]) == (QUESTIONS[0], QUESTIONS[2])


def test_passages_stand_in_place_of_facts(ws):
    a, b = ws.run(QUESTIONS[1], "document-rag"), ws.run(QUESTIONS[1], "document-rag", doc_limit=1)
    message = shown(ws, a, b)
    assert (message["heading"], message["column"]) == ("Passages kept", "Passage")
    rows = rows_of(message)
    both = message["groups"][-1]["rows"][0]
    assert both["label"].startswith("“")
    assert both["a"]["why"] == "best of 5 passages"
    assert rows[0]["a"]["why"] == "2nd best of 5 passages"
    assert rows[0]["b"]["why"] == "looked at, not kept"
    assert message["a"]["title"] == "Passage search, no language model"


def test_a_search_of_facts_beside_one_of_passages_says_what_each_looked_for(ws):
    message = shown(ws, ws.run("Who tested the pump?"), ws.run("Who tested the pump?", "document-rag"))
    assert (message["heading"], message["column"]) == ("Facts and passages kept", "Fact or passage")
    assert message["summary"].startswith("Same question: 1 sentence in common, ")
    rows = {group["side"]: group["rows"] for group in message["groups"]}
    assert {row["a"]["why"] for row in rows["B"]} == {"not kept, nor any fact from it"}
    facts = [row for row in rows["both"] if row["kind"] == "EdgeSelection"]
    passages = [row for row in rows["both"] if row["kind"] == "ChunkSelection"]
    assert {row["b"]["why"] for row in facts} == {"kept a passage with these words"}
    assert {row["b"]["within"] for row in facts} <= {row["b"]["number"] for row in passages}
    assert {row["a"]["number"] for row in facts} >= {row["a"]["within"] for row in passages}
    assert all("kept" in row["a"]["why"] and "from it" in row["a"]["why"] for row in passages)
    assert all(row["b"]["step"] is not None and row["b"]["number"] is None for row in facts)
    kept = {side: len({row[side]["number"] for row in facts + passages} - {None}) for side in "ab"}
    assert message["groups"][-1]["title"] == f"In both runs: {kept['a']} of A match {kept['b']} of B"
    few = shown(ws, ws.run(OPEN), ws.run(OPEN, "document-rag", doc_limit=1))
    [alone] = [group["rows"] for group in few["groups"] if group["side"] == "A"]
    assert {row["b"]["why"] for row in alone} == {"this run looked for passages only"}


def test_a_thing_bears_the_sides_that_kept_it_and_not_those_that_kept_its_words_in_another_form(ws):
    a, b = ws.run("Who tested the pump?"), ws.run("Who tested the pump?", "document-rag")
    for one, other in ((a, b), (b, a)):
        rows = rows_of(shown(ws, one, other)).values()
        for letter, run in (("A", one), ("B", other)):
            bear = [row for row in rows if row["kept"] in (letter, "both")]
            assert len(bear) == len((*run.edges, *run.chunks))
            assert all(row[letter.lower()]["number"] is not None for row in bear)
        assert any(row["side"] == "both" != row["kept"] for row in rows), "words that the other kept in another form"


def test_a_fact_of_both_has_of_each_run_the_sources_that_it_has_there():
    """Asked without one of the two documents that a fact was read in, a run has it from the other one alone."""
    documents = [DOCUMENTS / name for name in ("investigation-report.pdf", "mission-timeline.txt")]
    with explorer.open() as ws:
        ws.ingest(*documents, facts=DOCUMENTS.parent / "facts.jsonl", progress=False)
        a = ws.run("Why did oxygen tank no. 2 fail?")
        twice = next(one for one in a.edges if len({p.document for p in a.passages[one.iri]}) == 2)
        for gone, left in itertools.permutations(p.document for p in a.passages[twice.iri]):
            b = ws.rerun(a, without=[gone])
            for one, other, side in ((a, b, "A"), (b, a, "B")):
                at = next(at for at, row in enumerate(ws.compare(one, other).rows) if row.key == str(twice.edge))
                row = rows_of(shown(ws, one, other))[at]
                assert row["kept"] == "both"
                assert {source["document"]: source["side"] for source in row["sources"]} == {gone: side, left: "both"}


def test_a_passage_has_one_name_in_the_graph_in_lists_and_in_a_comparison(ws):
    facts, passages = ws.run(QUESTIONS[1]), ws.run(QUESTIONS[1], engine="document-rag")
    for a, b in ((facts, passages), (passages, facts), (passages, passages)):
        named = {
            row.passages[0]: comparing._label(row, ws.compare(a, b)) for row in ws.compare(a, b).rows if not row.parts
        }
        assert named
        dag = a.dag
        kept = {node.passages[0]: node for node in dag.nodes("ChunkSelection")}
        for passage, name in named.items():
            if passage not in kept or not quotations(dag, passage):
                continue
            start, end = quotations(dag, passage)[0]
            assert name.startswith(f"“{' '.join(passage.text[start:end].split())[:40]}")
            selected, source = kept[passage], dag.node(next(iter(dag.graph.adj[kept[passage].iri])))
            short = lines(dag, selected, ranked=False)[0].strip("“”…")
            assert lines(dag, source)[0].strip("“”…").startswith(short)
            assert short == name[1 : len(short) + 1]
            assert NodeWords(dag).item(source)["text"][1 : len(short) + 1] == short


def test_a_file_of_two_runs_is_named_by_what_was_compared(ws):
    asked = ws.run(QUESTIONS[0])
    named = shown(ws, asked, ws.run(QUESTIONS[0], "document-rag"))["file"]
    assert named == "Who-built-the-relief-valve-Graph-search-no-model-vs-Passage-search-no-model"
    same = shown(ws, asked, ws.run("Who built the relief valve, " + "and who else" * 30))["file"]
    assert same.startswith("Who-built-the-relief-valve-2026")
    assert " " not in same
    assert len(same) < 110


@pytest.mark.parametrize(("pattern", "kind"), [("supervisor", "Finding"), ("plan-then-execute", "StepResult")])
def test_what_was_kept_for_a_part_stands_at_what_came_of_that_part(ws, pattern, kind):
    asked = f"{QUESTIONS[0].rstrip('?')}, and {QUESTIONS[1][0].lower()}{QUESTIONS[1][1:]}"
    message = shown(ws, ws.run(asked, "agent", pattern=pattern), ws.run(QUESTIONS[0]))
    steps = message["a"]["steps"]
    keepers = {row["a"]["step"] for row in rows_of(message).values() if row["a"]["number"]}
    assert {steps[at]["kind"] for at in keepers} == {kind}
    came = [step["text"] for step in steps if step["kind"] == kind]
    said = "".join(run["text"] for part in message["a"]["answer"] for run in part["runs"])
    assert all(text in " ".join(said.split()) for text in came), "whole, as the answer has it"
    assert len(keepers) == 2


@pytest.mark.parametrize("pattern", ["react", "plan-then-execute", "supervisor"])
def test_an_agents_citations_have_the_numbers_of_its_answer(ws, pattern):
    asked = f"{QUESTIONS[1].rstrip('?')}, and {QUESTIONS[0][0].lower()}{QUESTIONS[0][1:]}"
    trace = ws.run(asked, "agent", pattern=pattern)
    message = shown(ws, trace, ws.run(QUESTIONS[0]))
    compared = [cite["n"] for part in message["a"]["answer"] for run in part["runs"] for cite in run["cites"]]
    assert compared == [*range(1, len(compared) + 1)]
    assert len(compared) > 1


def test_an_agent_has_what_all_its_searches_kept_at_the_step_that_called_them(ws):
    modelled = filled()
    replies = [
        calls("knowledge-query", question=QUESTIONS[0]),
        calls("document-query", question=QUESTIONS[2]),
        says("Beech Aircraft built it. [1]", uses=(1,)),
    ]
    modelled.chat = Script({**SEARCHED, "agent-react": replies}, name="stub-llm-1")
    message = shown(
        ws, modelled.run(QUESTIONS[0], "agent", pattern="react", selector="reasoning"), ws.run(QUESTIONS[0])
    )
    assert message["a"]["title"] == "Agent, step by step with stub-llm-1"
    assert message["looked"].startswith("A 1 fact, 1 passage used, ")
    steps = message["a"]["steps"]
    assert next(step["text"] for step in steps if step["kind"] == "Observation").endswith(".")
    keepers = {row["kind"]: steps[row["a"]["step"]] for row in rows_of(message).values() if row["a"]["number"]}
    assert keepers["EdgeSelection"]["text"] == f"Graph search: {QUESTIONS[0]}"
    assert keepers["ChunkSelection"]["text"] == f"Passage search: {QUESTIONS[2]}"
    assert not any(step["kind"] == "Thought" for step in steps)
    chosen = next(row["a"] for row in rows_of(message).values() if row["kind"] == "ChunkSelection")
    assert chosen["why"] == "measured by similarity and shared words, no language model"


def test_a_declined_run_says_so(ws):
    message = shown(ws, ws.run(QUESTIONS[3]), ws.run(QUESTIONS[0]))
    assert message["a"]["ended"] == "declined"
    said = "".join(run["text"] for part in message["a"]["answer"] for run in part["runs"])
    assert said.startswith("I did not find an answer to this in your documents. They do not mention ")
    assert message["a"]["author"]["text"] == "declined by rules, no language model"


def test_a_failed_run_says_what_failed_and_shows_what_it_kept(ws):
    failing = filled()
    failing.chat = Script({"document-prompt": ModelError("The model did not answer in 30 s.")}, name="stub-llm-1")
    message = shown(ws, failing.run(QUESTIONS[0]), ws.run(QUESTIONS[0]))
    assert message["a"]["ended"] == "failed"
    assert message["a"]["none"].startswith("No answer: the run failed. ")
    assert "The model did not answer in 30 s." in message["a"]["none"]
    assert (message["a"]["answer"], message["a"]["author"]) == ([], None)
    assert message["a"]["steps"][-1]["kind"] == "Failure"
    assert message["groups"][-1]["title"].startswith("In both runs: ")


def test_a_run_that_was_stopped_early_has_nothing_and_says_that_it_ended(ws):
    events = ws.ask(QUESTIONS[0])
    iri = next(events).iri
    events.close()
    message = shown(ws, ws.traces.load(iri), ws.run(QUESTIONS[0]))
    assert message["a"]["ended"] == "stopped"
    assert message["a"]["none"] == "No answer: the run was stopped before there was one."
    assert message["a"]["sources"] == message["a"]["ideas"] == []
    assert [group["side"] for group in message["groups"]] == ["B"]
    assert {row["a"]["why"] for row in rows_of(message).values()} == {"not looked at"}
    alone = shown(ws, ws.traces.load(iri), ws.traces.load(iri))
    assert (alone["groups"], alone["heading"]) == ([], "Facts kept")


def test_a_run_without_what_this_program_adds_is_compared_without_guessing_who_reasoned(ws):
    from tests.agents import search

    bare = Trace(search("elsewhere", edges=2))
    message = shown(ws, bare, ws.run(QUESTIONS[0]))
    assert message["a"]["title"] == "Graph search"
    assert message["a"]["spent"] == []
    kept = rows_of(message)[0]["a"]
    assert (kept["why"], kept["author"]) == ("It fits.", None)
    assert rows_of(message)[0]["sources"] == []
    assert isinstance(bare.dag.entities[bare.iri], e.GraphRagQuestion)


def test_a_passage_whose_words_were_removed_says_so(ws):
    found = ws.compare(ws.run(QUESTIONS[0], "document-rag"), ws.run(QUESTIONS[1], "document-rag"))
    bare = [replace(row, passages=tuple(replace(one, text="") for one in row.passages)) for row in found.rows]
    labels = [
        row["label"]
        for group in comparing.message(replace(found, rows=tuple(bare)), {})["groups"]
        for row in group["rows"]
    ]
    assert labels
    assert all(label.endswith("whose words are not on record here") for label in labels)


def test_markup_and_long_words_come_through_as_they_are(ws):
    question = '<img src=x onerror="alert(1)"> ' + "a" * 10_000 + " مرحبا 👩‍🚀"
    trace = ws.run(question)
    assert shown(ws, trace, trace)["question"] == question


def test_a_fact_that_fits_better_than_the_lowest_kept_says_why_it_was_left_out(ws):
    found = ws.compare(ws.run(OPEN), ws.run(OPEN, edge_limit=2))
    left = Judgement(None, 0.69, "scored", lowest=0.68, why_not="its passage has 2 better facts that were kept")
    rows = tuple(replace(row, b=left) if row.side == "A" else row for row in found.rows)
    group = comparing.message(replace(found, rows=rows), {})["groups"][0]
    assert {row["b"]["why"] for row in group["rows"]} == {"0.69, its passage has 2 better facts that were kept"}


def test_a_run_that_was_told_to_leave_something_out_says_what_came_of_its_places(ws):
    asked = ws.run(QUESTIONS[0])
    again = ws.rerun(asked, without=[asked.edges[0]])
    compared = shown(ws, asked, again)
    groups = compared["groups"]
    gone, came = ([row for group in groups if group["side"] == side for row in group["rows"]] for side in "AB")
    left = sum(row["b"]["why"] == "left out of this run" for row in gone)
    assert 0 < left <= len(gone) > len(came)
    assert compared["looked"].endswith(" fewer kept, 1 fact left out by you")
    assert shown(ws, again, asked)["looked"].count("left out by you") == 1, "also where it is the first of the two"
    few = ws.run("Who built the relief valve, and why did the heater switches fail?", edge_limit=4)
    filled = shown(ws, few, ws.rerun(few, without=[few.edges[0]]))
    assert re.search(r", 1 fact left out by you, \d new$", filled["looked"])
