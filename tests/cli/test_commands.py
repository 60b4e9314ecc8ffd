import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import typer

import explorer
from explorer import rdf
from explorer.vocab import iri, session_of
from tests.agents import react, search
from tests.corpus import FACTS, QUESTIONS, filled, written
from tests.each import each
from tests.forked import Forked, ran
from tests.ingest.readers.test_unlocking import shut_pdf
from tests.server import KEY, says, serving
from tests.stores.test_database import damage

ROOT = Path(__file__).parents[2]


def test_ask_prints_one_json_object_and_stages_beside_it(run, folder):
    code, out, err = run("ask", QUESTIONS[1], "-w", folder, "--json", "--explain")
    assert code == 0
    assert json.loads(out)["question"] == QUESTIONS[1]
    assert err.startswith("[question]")


def test_document_rag_is_asked_by_name_and_told_like_any_other_run(run, folder):
    code, out, err = run("ask", QUESTIONS[1], "-w", folder, "--engine", "document-rag", "--explain", "--usage")
    assert (code, err) == (0, "")
    places = [out.index(f"[{tag}]") for tag in ("question", "grounding", "exploration", "focus", "synthesis")]
    assert places == sorted(places)
    assert "    Passages looked at: 5\n      - Passage 1 → " in out
    assert "because the ground supply gave 65 V DC. [1]" in out
    assert "\nSources:\n  [1] Notes of the shift: “" in out
    assert re.search(r"^Tokens: none reported; time: [\d.]+ m?s; model: none$", out, re.MULTILINE)


@each(
    ("options", "parameter", "value"),
    [
        (["--engine", "document-rag", "--mode", "keyword"], "mode", "keyword"),
        (["--selector", "rerank"], "selector", "rerank"),
    ],
)
def test_what_a_search_is_told_is_on_record_with_its_sources(run, folder, options, parameter, value):
    code, out, _ = run("ask", QUESTIONS[1], "-w", folder, *options, "--json")
    told = json.loads(out)
    assert (code, told["reason"]) == (0, "done")
    assert "65 V DC" in "".join(source["text"] for source in told["sources"])
    assert bool(told["edges"]) == (parameter == "selector")
    with explorer.open(folder) as ws:
        assert ws.node(told["iri"]).entity.parameters[parameter] == value


def test_show_tells_who_asked_and_what_reviewers_found(run, folder):
    _, out, _ = run("ask", QUESTIONS[1], "-w", folder, "--by", "Ana", "--json")
    iri = json.loads(out)["iri"]
    _, out, _ = run("show", iri, "-w", folder)
    assert "\nAsked by: Ana\n" in out
    assert "Verdicts:" not in out
    assert "Database role" not in out, "a folder has none"
    run("judge", iri, "supported", "--sentence", "1", "--by", "Bo", "-w", folder)
    _, out, _ = run("show", iri, "-w", folder)
    verdicts = out.partition("\nVerdicts:\n")[2]
    assert "supported" in verdicts
    assert "Bo" in verdicts


def test_traces_of_the_workspace_in_the_environment_can_be_narrowed(run, folder, monkeypatch):
    monkeypatch.setenv("EXPLORER_WORKSPACE", folder)
    assert QUESTIONS[1] in run("traces", "--text", "heater")[1]
    assert "No runs on record" in run("traces", "--text", "nothing like it")[1]
    assert run("traces", "--limit", "0")[0] == 2


def test_show_tells_a_run_and_a_node(run, folder):
    with explorer.open(folder) as ws:
        trace = ws.traces.load(ws.traces.list(text="heater switches fail", engine="graph-rag")[0].iri)
        kept = ws.run(QUESTIONS[1], "document-rag").chunks[0]
    code, out, _ = run("show", trace.iri, "-w", folder)
    assert code == 0
    assert f"[question] {trace.iri}" in out
    assert trace.answer[:20] in out
    assert "\nEnd: done\n" in out
    for node, kind in ((trace.edges[0], "EdgeSelection"), (kept, "ChunkSelection")):
        code, out, _ = run("show", node.iri, "-w", folder)
        assert code == 0
        assert out.startswith(f"{kind} ")
        assert "  Source: Passage 1 → " in out


def test_export_and_report_write_the_run(run, folder, tmp_path):
    with explorer.open(folder) as ws:
        iri = ws.traces.list(text="heater")[0].iri
    code, out, _ = run("export", iri, "-w", folder, "--format", "nq")
    assert code == 0
    assert iri in out
    code, out, _ = run("report", iri, "-o", tmp_path / "r.html", "-w", folder)
    assert code == 0
    assert (tmp_path / "r.html").read_text("utf-8").startswith("<!DOCTYPE html>")
    assert run("report", iri, "-o", tmp_path / "none" / "r.html", "-w", folder)[0] == 2
    code, _, err = run("export", iri, "-w", folder, "--format", "docx")
    assert (code, "Unknown format 'docx'" in err) == (2, True)


def test_ingest_says_what_was_added_and_again_that_nothing_was(run, tmp_path):
    facts = written(tmp_path)
    command = ("ingest", tmp_path / "documents", "-w", tmp_path / "ws", "--facts", facts)
    code, out, _ = run(*command)
    assert code == 0
    assert out.startswith("Added 3 documents, 2 PDF pages, ")
    code, out, _ = run(*command)
    assert code == 0
    assert out.startswith("Added 0 documents, 0 PDF pages, 0 passages, 0 facts.\nThe workspace holds 3 documents and ")
    assert re.search(r" and \d+ different facts\.", out), "what was added may say the same as others"
    assert len(FACTS) == 5


def test_ingest_takes_extractors_and_sizes_of_chunks(run, tmp_path):
    (tmp_path / "valve.txt").write_text("Beech Aircraft built the relief valve. " * 5)
    command = ("ingest", tmp_path / "valve.txt", "-w", tmp_path / "ws")
    code, out, _ = run(*command, "--extractors", "none", "--chunk-size", "80", "--chunk-overlap", "40")
    assert code == 0
    assert out.startswith("Added 1 document, 0 PDF pages, 4 passages, 0 facts.")
    code, out, _ = run(*command, "--extractors", "rules", "--chunk-size", "90")
    assert code == 0
    assert out.startswith("Added 0 documents, 0 PDF pages, 0 passages, 1 fact.")
    assert "valve.txt stays cut into passages of 80 characters with an overlap of 40" in " ".join(out.split())
    code, _, err = run(*command, "--extractors", "magic")
    assert code == 2
    assert "There is no extractor 'magic'; name 'rules'" in " ".join(err.split())


def test_ingest_asks_a_model_within_a_budget_and_goes_on(run, tmp_path, monkeypatch):
    (tmp_path / "valve.txt").write_text("Beech Aircraft built the relief valve. " * 5)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    reply = '{"items": [{"n": 1, "topic": "valves"}]}'
    with serving(says(reply, usage=(900, 100))) as server:
        command = ("ingest", tmp_path / "valve.txt", "-w", tmp_path / "ws", "--extractors", "model", "--parallel", "1",
                   "--base-url", server.url, "--model", "asked-1")  # fmt: skip
        code, out, _ = run(*command, "--chunk-size", "80", "--max-tokens", "1900")
        assert code == 0
        assert "are left, since max_tokens (1,900) leaves no room for more; the same call goes on there." in said(out)
        code, out, _ = run(*command)
        assert code == 0
        assert "left" not in out
        server.replies[:] = [says("no")]
        code, _, err = run(*command, "--ontology", ontology(tmp_path))
        assert code == 1
        assert "valve.txt, passage 1: no reply of asked-1 could be used (it holds no list of items)." in said(err)
        code, _, err = run(*command[:-1], "no model")
        assert code == 2
        assert "The extractor 'model' needs a model" in said(err)


def ontology(folder):
    (folder / "made.ttl").write_text("<a:made> a <http://www.w3.org/2002/07/owl#ObjectProperty> .")
    return folder / "made.ttl"


def said(text):
    return " ".join(text.split())


def test_ingest_takes_a_corpus_with_triples(run, tmp_path):
    (tmp_path / "corpus.jsonl").write_text('{"id": "p0", "title": "T", "text": "Anna Lund founded Halden Steel."}\n')
    (tmp_path / "openie.jsonl").write_text(
        '{"id": "p0", "triples": [["Anna Lund", "founded", "Halden Steel"]]}\n{"id": "\x1b[31m", "triples": []}\n'
    )
    command = ("ingest", tmp_path / "corpus.jsonl", "--triples", tmp_path / "openie.jsonl", "-w", tmp_path / "ws")
    code, out, err = run(*command)
    assert (code, out.splitlines()[0]) == (1, "Added 1 document, 0 PDF pages, 1 passage, 1 fact.")
    assert "openie.jsonl, line 2: it is not JSON" in err
    assert "\x1b" not in err


def test_part_of_a_batch_refused_is_code_1_with_a_sentence_for_each(run, tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "good.txt").write_text("Beech Aircraft built the valve.")
    (folder / "\x1b[31m<b>.txt").write_bytes(b"")
    (folder / "sound.mp3").write_bytes(b"ID3" + bytes(90))
    code, out, err = run("ingest", folder, "-w", tmp_path / "ws")
    assert code == 1
    assert out.startswith("Added 1 document,")
    [empty, sound] = err.split("Refused: ")[1:]
    assert "[31m<b>.txt' is empty" in empty
    assert "sound.mp3' is of a type that can't be read" in said(sound)
    assert "\x1b" not in err


@each(
    ("arguments", "said"),
    [
        (["ask", "", "-w", "{ws}"], "The question is empty"),
        (["ask", "x", "-w", "{ws}", "--mode", "vector"], "graph-rag has no limit 'mode'"),
        (["ask", "x", "-w", "{ws}", "--engine", "document-rag", "--mode", "x"], "mode must be vector, keyword or"),
        (["ask", "x", "-w", "{ws}", "--selector", "x"], "selector must be passages, reasoning or rerank, not 'x'"),
        (["ask", "x" * 1_000_001, "-w", "{ws}"], "1,000,001 characters"),
        (["ask", os.fsdecode(b"\xff why"), "-w", "{ws}"], "has a character that is not text"),
        (["ask", "Why?", "-w", "{ws}", "--engine", "oracle"], "There is no engine 'oracle'"),
        (["ask", "Why?", "-w", "{tmp}/none"], "There is no workspace"),
        (["ask", "Why?", "-w", "{tmp}"], "is not a workspace but holds other files"),
        (["ask", "Why?", "-w", "{tmp}/a.txt"], "is a file, not a workspace folder"),
        (["ask", "Why?", "-w", "{tmp}/" + "x" * 300], "can't be used"),
        (["ask", "Why?", "-w", "{ws}", "-C", "../up"], "can't name a collection"),
        (["ask", "Why?", "-w", "{ws}", "-C", "empty"], "No documents yet"),
        (["ingest", "{tmp}/none.txt", "-w", "{tmp}/ws"], "There is no file"),
        (["ingest", "{tmp}/empty.txt", "-w", "{tmp}/ws"], "is empty"),
        (["ingest", "{tmp}/a.txt", "-w", "{tmp}/ws", "--facts", "{tmp}/none.jsonl"], "can't be read"),
    ],
)
def test_wrong_use_is_code_2_with_one_sentence(run, folder, tmp_path, arguments, said):
    (tmp_path / "a.txt").write_text("Beech Aircraft built the valve.")
    (tmp_path / "empty.txt").write_text("")
    code, out, err = run(*(word.replace("{ws}", folder).replace("{tmp}", str(tmp_path)) for word in arguments))
    assert (code, out) == (2, "")
    assert err.startswith("explorer: ")
    assert said in err
    assert err.count("\n") == 1


@each("arguments", [[], ["nosuch"], ["ask"], ["ingest"], ["ask", "Why?", "--nosuch"]])
def test_a_command_that_is_not_there_is_code_2(run, arguments):
    assert run(*arguments)[0] == 2


def test_a_hostile_question_is_printed_as_text(run, folder):
    question = "Who built the \x1b[31mrelief valve\x07 <img src=x onerror=alert(1)>?"
    for extra in (["--explain"], ["--json"]):
        code, out, _ = run("ask", question, "-w", folder, *extra)
        assert code == 0
        assert "\x1b" not in out
        assert "\x07" not in out
        assert "<img src=x onerror=alert(1)>" in out


def test_a_held_workspace_can_be_listed_but_not_asked(folder):
    with explorer.open(folder):
        listed, asked = (ran("-m", "explorer", *words, "-w", folder) for words in (["traces"], ["ask", "Why?"]))
    code, out, _ = listed
    assert (code, QUESTIONS[1] in out) == (0, True)
    code, out, err = asked
    assert (code, out) == (2, "")
    assert f"is held by process {os.getpid()} (" in err
    assert "Traceback" not in err


def test_ctrl_c_ends_with_a_sentence_and_a_record_that_says_stopped(folder):
    program = """if True:
        import os, signal, sys
        from explorer import cli
        from explorer.reasoning.extractive.reasoner import ExtractiveReasoner
        quote = ExtractiveReasoner.quote
        def interrupted(*arguments):
            os.kill(os.getpid(), signal.SIGINT)
            return quote(*arguments)
        ExtractiveReasoner.quote = interrupted
        signal.signal(signal.SIGINT, signal.default_int_handler)  # what runs in the background is begun without
        cli.main()
    """
    code, out, err = ran("-c", program, "ask", "Who stopped the valve?", "-w", folder, "--explain")
    assert code == 2
    assert err.endswith("Stopped. What was shown is on record.\n")
    assert "Traceback" not in err
    assert "[exploration]" in out
    assert "[focus]" not in out
    with explorer.open(folder) as ws:
        assert ws.traces.list(text="Who stopped")[0].reason == "stopped"


def test_a_run_whose_steps_nobody_reads_comes_to_its_end(folder):
    with Forked("-m", "explorer", "ask", "Who read the valve?", "-w", folder, "--explain") as asking:
        asking.stdout.readline()
        asking.stdout.close()
    with explorer.open(folder) as ws:
        assert ws.traces.list(text="Who read")[0].reason in ("done", "declined")


def test_a_failed_run_is_code_2_and_on_record(run, folder, monkeypatch):
    from explorer.reasoning.extractive.reasoner import ExtractiveReasoner

    def broken(*_):
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr(ExtractiveReasoner, "quote", broken)
    code, out, err = run("ask", "Why did it break?", "-w", folder)
    assert (code, out) == (2, "")
    assert "The run failed: ZeroDivisionError: division by zero" in err
    iri = re.search(rf"on record: explorer show (\S+) -w {re.escape(folder)}\n", err)[1]
    monkeypatch.undo()
    with explorer.open(folder) as ws:
        assert ws.traces.load(iri).reason == "error"


def test_the_module_is_the_command():
    done = subprocess.run(
        [sys.executable, "-m", "explorer", "--help"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert "Ask a question; print the answer" in done.stdout


@pytest.fixture(scope="module")
def taken(tmp_path_factory):
    """A workspace with an agent's session in it that came from elsewhere."""
    place = tmp_path_factory.mktemp("taken")
    (place / "a.nq").write_bytes(rdf.dump([quad for event in react("a") for quad in event.triples], "nq"))
    with explorer.open(place / "ws") as ws:
        ws.import_record(place / "a.nq")
    return str(place / "ws")


def test_import_says_what_came_in_and_makes_the_workspace(run, tmp_path):
    quads = [quad for event in search("q") for quad in event.triples]
    (tmp_path / "a.ttl").write_bytes(rdf.dump(quads, "turtle"))
    code, out, err = run("import", tmp_path / "a.ttl", "-w", tmp_path / "ws")
    assert (code, err) == (0, "")
    assert out == f"Read {len(quads)} of {len(quads)}; 1 run among them.\n{iri('question', 'q')}\n"
    assert "What?" in run("traces", "-w", tmp_path / "ws")[1]


def test_statements_that_can_not_be_read_are_code_1_with_a_sentence_for_each(run, tmp_path):
    (tmp_path / "a.nq").write_text("<urn:a> <urn:b> <urn:c> .\n<urn:a> <urn:b> \x1b[31m .\n<urn:a> .\n")
    code, out, err = run("import", tmp_path / "a.nq", "-w", tmp_path / "ws")
    assert code == 1
    assert out.splitlines()[0] == "Read 1 of 3; 0 runs among them."
    assert [line.split(":")[0] for line in err.splitlines()] == ["Refused"] * 2
    assert "Line 2, column 17" in err
    assert "\x1b" not in err


def test_show_tells_a_whole_agent_run_the_search_within_it_and_any_node(run, taken):
    code, out, _ = run("show", iri("agent-question", "a"), "-w", taken)
    assert code == 0
    told = [line.split("]")[0][1:] for line in out.splitlines() if line.startswith("[")]
    assert told[0] == "question"
    assert told.count("question") == 2
    for node in (iri("analysis", "a", 1), iri("observation", "a", 2), iri("conclusion", "a"), iri("focus", "a-search")):
        assert f"] {node}" in out
    assert "\nEnd: done\n" in out
    assert "Question: What?" in run("show", iri("question", "a-search"), "-w", taken)[1]
    for node, said in (
        (iri("pattern-decision", "a"), "pattern: react"),
        (iri("thought", "a", 1), "document: urn:trustgraph:agent:a/i1/thought"),
        (iri("edge", "a-search", 0), "score: 0.5"),
    ):
        code, out, err = run("show", node, "-w", taken)
        assert (code, err) == (0, "")
        assert out.splitlines()[0].endswith(f" {node}")
        assert f"    {said}" in out
        assert "\n  from urn:" in out


@each("form", rdf.WRITTEN)
def test_every_format_is_written_and_what_can_be_read_comes_back(run, taken, tmp_path, form):
    code, out, err = run("export", iri("agent-question", "a"), "-w", taken, "--format", form)
    assert (code, err) == (0, "")
    assert "knowledge-query" in out
    if form not in rdf.FORMATS:
        return
    (tmp_path / "record").write_text(out, "utf-8")
    code, said, _ = run("import", tmp_path / "record", "-w", tmp_path / "ws", "--format", form)
    assert (code, iri("agent-question", "a") in said) == (0, True)


@pytest.mark.parametrize("command", [("traces",), ("ask", QUESTIONS[0])])
def test_a_damaged_library_ends_with_a_sentence(run, tmp_path, command):
    filled(tmp_path / "ws").close()
    damage(tmp_path / "ws" / "default" / "library.sqlite", "listing")
    code, out, err = run(*command, "-w", tmp_path / "ws")
    assert (code, out) == (2, "")
    assert "library.sqlite can't be used (database disk image is malformed); " in err


def test_imported_facts_are_found_after_reindex(run, tmp_path):
    (tmp_path / "a.nt").write_text("<urn:tank> <urn:feeds> <urn:station> .\n")
    code, out, _ = run("import", tmp_path / "a.nt", "-w", tmp_path / "ws")
    told = f"1 fact among them: questions find them after `explorer reindex -w {tmp_path / 'ws'}`."
    assert (code, out.splitlines()[-1]) == (0, told)
    code, out, _ = run("reindex", "-w", tmp_path / "ws")
    assert (code, out) == (0, "Indexed 1 fact, 2 things, 0 passages.\n")
    assert run("ask", "What does the tank feed?", "-w", tmp_path / "ws")[0] == 0


def test_a_workspace_made_with_another_embedder_is_asked_with_it_or_reindexed_and_the_demo_takes_none(run, tmp_path):
    (tmp_path / "pump.md").write_text("# Pump\n\nBeech Aircraft built the pump.\n")
    there, question = ("-w", tmp_path / "ws"), "Who built the pump?"
    assert run("ingest", tmp_path / "pump.md", *there, "--embedder", "minilm")[0] == 0
    code, _, err = run("ask", question, *there)
    assert (code, "made by minilm-l6-v2-int8" in err) == (2, True)
    for name in ("minilm", "minilm-l6-v2-int8"):
        assert run("ask", question, *there, "--embedder", name)[0] == 0
    assert run("reindex", *there, "--embedder", "wordllama")[0] == 0
    assert run("ask", question, *there)[0] == 0
    code, _, err = run("ask", "Why?", "--embedder", "minilm")
    assert (code, "-w DIR" in err) == (2, True)


def test_a_run_gets_a_name_and_tags_and_is_deleted_after_a_question(run, folder, monkeypatch):
    with explorer.open(folder) as ws:
        iri = ws.run("Who tested the relief valve?").iri
    assert run("annotate", iri, "-w", folder, "--name", "First\x1b[31m", "--tag", "audit", "--tag", "<b>")[0] == 0
    out = run("traces", "-w", folder, "--tag", "AUDIT")[1]
    short = session_of(iri)[:8]
    assert short in out
    assert run("show", short, "-w", folder) == run("show", iri, "-w", folder)
    assert "First[31m" in out
    assert "<b>, audit" in out
    assert run("annotate", iri, "-w", folder, "--name", "x" * 10_000)[0] == 2
    assert run("annotate", iri, "-w", folder, "--name", "", "--tag", "")[0] == 0
    assert "audit" not in run("traces", "-w", folder)[1]
    for answer, left in ((False, True), (True, False)):
        monkeypatch.setattr(typer, "confirm", lambda _, answer=answer: answer)
        code, out, _ = run("delete", short, "-w", folder)
        assert (code, "the hash of its record is" in out) == (0, answer)
        assert (short in run("traces", "-w", folder)[1]) == left
    code, _, err = run("delete", iri, "-w", folder, "--yes")
    assert (code, "was deleted on" in err) == (1, True)
    for command in ("export", "compare", "influence"):
        code, _, err = run(command, iri, *([iri] if command == "compare" else []), "-w", folder)
        assert (code, "was deleted on" in err) == (2, True)
    assert "Deleted" in run("show", iri, "-w", folder)[1]
    assert run("delete", "urn:none", "-w", folder, "--yes")[0] == 2


def test_a_deleted_run_that_was_kept_in_a_file_is_brought_back(run, folder, tmp_path):
    file = tmp_path / "deleted.jsonl"
    with explorer.open(folder) as ws:
        iris = [ws.run(question).iri for question in ("Who tested the relief valve?", "What is \x1b[31m it?")]
    assert run("delete", iris[0], "-w", folder, "--yes", "--keep", tmp_path / "none" / "file")[0] == 2
    short = {session_of(iri)[:8] for iri in iris}
    assert short <= {*run("traces", "-w", folder)[1].split()}, "what can't be kept stays"
    code, out, _ = run("delete", *iris, "-w", folder, "--yes", "--keep", file)
    assert (code, out.count("brings it back")) == (0, 2)
    assert not short & {*run("traces", "-w", folder)[1].split()}
    code, out, _ = run("restore", file, "-w", folder)
    assert (code, "\x1b" in out) == (0, False)
    assert [line.split()[2] for line in out.splitlines()] == iris
    assert short <= {*run("traces", "-w", folder)[1].split()}
    code, _, err = run("restore", file, "-w", folder)
    assert (code, err.count("is not deleted here")) == (1, 2)
    file.write_text("{}\n")
    code, _, err = run("restore", file, "-w", folder)
    assert (code, f"line 1 of {file}" in err) == (1, True)


def test_what_a_workspace_holds_is_listed_as_tables_and_as_json(run, folder):
    listed = {}
    for words in (["documents"], ["facts", "relief valve"], ["entities", "valve"], ["search", "relief valve"]):
        code, out, err = run(*words, "-w", folder)
        assert (code, err) == (0, "")
        assert "valve" in out
        listed[words[0]] = json.loads(run(*words, "-w", folder, "--json")[1])
    assert {one["source"].rpartition("/")[2] for one in listed["documents"]} == {"valves.md", "notes.txt", "report.pdf"}
    assert all(one["labels"] and one["iri"] for one in listed["facts"])
    assert listed["entities"][0]["name"] == "relief valve"
    assert "valve" in listed["search"][0]["text"]
    code, out, _ = run("facts", "-w", folder, "--entity", "relief valve", "--document", "notes.txt", "--limit", 1)
    assert code == 0
    assert "There are more than these 1." in out or out.count("\n") == 3


def test_a_document_is_printed_as_a_tree_and_an_unknown_one_refused(run, folder):
    code, out, _ = run("hierarchy", "report.pdf", "-w", folder)
    assert code == 0
    assert [line for line in out.splitlines() if line.startswith("  Page ")] == ["  Page 1", "  Page 2"]
    tree = json.loads(run("hierarchy", "report.pdf", "-w", folder, "--json")[1])
    assert [part["kind"] for part in tree["children"]] == ["page", "page"]
    code, _, err = run("hierarchy", "nowhere", "-w", folder)
    assert code == 2
    assert "No document is called “nowhere”" in err


def test_a_fact_is_added_and_taken_back_by_whoever_says_so(run, tmp_path, monkeypatch):
    monkeypatch.delenv("EXPLORER_USER", raising=False)
    place = tmp_path / "ws"
    filled(place).close()
    words = ("Crew", "heard", "a bang", "-w", place)
    code, out, _ = run("add-fact", *words, "--document", "notes.txt", "--quote", "heard a loud bang", "--by", "Ada")
    assert code == 0
    assert out.startswith("Crew — heard — a bang: added by hand on ")
    assert out.endswith(" by Ada.\n")
    assert "Notes of the shift" in run("facts", "crew bang", "-w", place)[1]
    monkeypatch.setenv("EXPLORER_USER", "Grace")
    code, out, _ = run("retract", "crew heard a bang", "-w", place, "--reason", "it was a relief valve")
    assert code == 0
    assert out.startswith("Crew — heard — a bang: retracted on ")
    assert out.endswith(" by Grace (it was added by hand): “it was a relief valve”.\n")
    assert "it was a relief valve" in run("curations", "-w", place)[1]
    code, _, err = run("retract", "crew", "-w", place, "--reason", "a" * 1001)
    assert (code, "at most 1,000 characters" in err) == (2, True)
    code, _, err = run("retract", "crew heard a bang", "-w", place)
    assert (code, "No fact is called" in err) == (2, True)
    code, _, err = run("add-fact", *words, "--quote", "heard")
    assert (code, "--document" in err) == (2, True)


def test_the_password_of_a_file_may_be_in_the_environment_and_is_never_said(run, tmp_path, monkeypatch):
    file = tmp_path / "shut.pdf"
    file.write_bytes(shut_pdf("secret"))
    monkeypatch.setenv("EXPLORER_PASSWORD", "not this")
    code, out, err = run("ingest", file, "-w", tmp_path / "w", "--extractors", "none")
    assert code == 2
    assert "The password that was given does not open" in err
    assert "not this" not in out + err
    monkeypatch.setenv("EXPLORER_PASSWORD", "secret")
    code, out, err = run("ingest", file, "-w", tmp_path / "w", "--extractors", "none")
    assert (code, err) == (0, "")
    assert out.startswith("Added 1 document, 1 PDF page")
    assert "secret" not in out


def test_the_record_is_asked_in_sparql(run, folder, tmp_path, monkeypatch):
    asked = "SELECT ?title { ?d a tg:Document ; dc:title ?title } ORDER BY ?title"
    code, out, err = run("query", asked, "-w", folder)
    assert (code, err) == (0, "")
    titles = [one["title"] for one in json.loads(run("query", asked, "-w", folder, "--json")[1])]
    assert len(titles) == 3
    assert all(title in out for title in titles)
    assert run("query", asked, "-w", folder, "--csv")[1].splitlines()[0] == "title"
    (tmp_path / "titles.rq").write_text(asked.replace("ORDER BY ?title", "LIMIT 2"))
    assert len(json.loads(run("query", tmp_path / "titles.rq", "-w", folder, "--json")[1])) == 2
    monkeypatch.setattr("sys.stdin", io.StringIO("ASK { ?d a tg:Document }"))
    assert run("query", "-", "-w", folder)[1] == "yes\n"
    code, out, err = run("query", asked, "-w", folder, "--rows", 1, "--json")
    assert (code, len(json.loads(out)), "There are more" in err) == (0, 1, True)
    for wrong, why in (("SELECT {", "can't be read"), ("SELECT * { SERVICE <http://x/> { ?s ?p ?o } }", "SERVICE")):
        code, out, err = run("query", wrong, "-w", folder)
        assert (code, out, why in err) == (2, "", True)
    assert run("query", asked, "-w", folder, "--json", "--csv")[0] == 2
