import json
import os
import shutil
from pathlib import Path

import pytest

import explorer
from explorer import sample
from explorer.errors import RecordError, WorkspaceError
from explorer.evaluation.measures import normal
from explorer.vocab import SOURCE, TG
from tests.forked import Forked, ran


@pytest.fixture(scope="module")
def demo(tmp_path_factory, demo_folder):
    with explorer.demo(shutil.copytree(demo_folder, tmp_path_factory.mktemp("demo") / "ws"), progress=False) as ws:
        yield ws


def facts():
    return [json.loads(line) for line in (sample.corpus() / "facts.jsonl").read_text("utf-8").splitlines() if line]


def test_the_demo_holds_every_document_and_every_curated_fact(demo):
    documents = sorted(path.name for path in (sample.corpus() / "documents").iterdir())
    stored = demo.stores.library.documents()
    assert sorted(document.source for document in stored) == [f"apollo13/{name}" for name in documents]
    spans = {(str(p.text), p.source) for fact in every_fact(demo) for p in demo.passages(fact)
             if p.extracted_by == "curator"}  # fmt: skip
    quoted = {(" ".join(text.split()), source) for text, source in spans}
    assert {(" ".join(fact["quote"].split()), f"apollo13/{fact['document']}") for fact in facts()} == quoted


def every_fact(ws):
    return {quad.object for quad in ws.graph.match(None, TG.contains, None, SOURCE)}


def test_curated_facts_and_those_of_the_rules_are_told_apart(demo):
    agents = {passage.extracted_by for fact in every_fact(demo) for passage in demo.passages(fact)}
    assert agents == {"rules", "curator"}


def test_the_text_of_every_passage_stands_in_its_document(demo):
    texts = {document.iri: document.text for document in demo.stores.library.documents()}
    wrong = [
        passage
        for fact in every_fact(demo)
        for passage in demo.passages(fact)
        if texts[passage.document][passage.start : passage.end] != passage.text
    ]
    assert wrong == []


def test_the_figures_of_the_sample_are_as_measured(demo):
    questions = [json.loads(line) for line in (sample.corpus() / "questions.jsonl").read_text("utf-8").splitlines()]
    quoted, strong = [], []
    for item in questions:
        trace = demo.run(item["question"])
        if item["answerable"]:
            quoted.append([normal(one["quote"]) in normal(trace.answer) for one in item["evidence"]])
        else:
            strong.append(trace.support.level == "strong")
    said = (
        f"The sample has {len(questions)} questions of its own. {len(quoted)} have an answer in it: without a model "
        f"{sum(map(all, quoted))} are answered whole, and {sum(map(sum, quoted))} of the {sum(map(len, quoted))} "
        f"sentences that make up the answers are quoted. The other {len(strong)} have no answer in it, "
        f"and get {sum(strong) or 'none'}."
    )
    assert said in " ".join((Path(__file__).parents[1] / "docs" / "benchmarks.md").read_text("utf-8").split())


def test_a_built_demo_is_opened_as_it_is(demo):
    size = demo.size
    path = demo.path
    with explorer.demo(path, progress=False) as again:
        assert again.size == size
        assert repr(again).startswith("<Workspace demo workspace: ")


def test_by_default_it_lives_in_the_users_data_folder_one_for_each_corpus(tmp_path, monkeypatch):
    here = sample.place()
    assert here.name.startswith("demo-")
    shutil.copytree(sample.corpus(), tmp_path / "corpus")
    (tmp_path / "corpus" / "facts.jsonl").write_text("")
    monkeypatch.setattr(sample, "corpus", lambda: tmp_path / "corpus")
    assert sample.place() != here


def test_a_missing_corpus_is_said(monkeypatch, tmp_path):
    monkeypatch.setattr(sample, "files", lambda _: tmp_path)
    with pytest.raises(WorkspaceError, match="The sample documents are missing from this installation"):
        sample.corpus()


def test_the_corpus_can_be_read_from_an_installed_package(monkeypatch, tmp_path):
    shutil.copytree(sample.corpus(), tmp_path / "explorer" / "sample_data" / "apollo13")
    there = tmp_path / "explorer"
    monkeypatch.setattr(sample, "files", lambda _: there)
    assert sample.corpus() == there / "sample_data" / "apollo13"


def at_home(demo_folder, data):
    """Put a demo workspace where it is by default, with the user's data in this folder."""
    shutil.copytree(demo_folder, data / sample.place().relative_to(os.environ["XDG_DATA_HOME"]))


def test_while_another_process_writes_to_the_demo_a_second_one_is_used(tmp_path, demo_folder):
    at_home(demo_folder, tmp_path)
    code = (
        "import explorer; ws = explorer.demo(progress=False); print(ws.path.name, ws, flush=True);"
        "print(explorer.app(ws).heading['size'], flush=True); input()"
    )
    home = {"XDG_DATA_HOME": str(tmp_path), "HOME": str(tmp_path)}
    with Forked("-c", code, **home) as first:
        assert first.stdout.readline().startswith(f"{sample.place().name} <Workspace demo workspace: 8 documents")
        ended, second, said = ran("-c", code, said="\n", **home)
        first.communicate("\n")
    assert (ended, first.returncode) == (0, 0), said
    assert second.startswith(f"{sample.place().name}-2 <Workspace demo workspace (copy 2): 8 documents")
    assert "demo workspace (copy 2)" in second.splitlines()[-1], "at the head of its app too"
    assert len(list(tmp_path.rglob("built"))) == 2


def test_what_is_on_record_in_any_of_them_is_found(tmp_path, demo_folder):
    at_home(demo_folder, tmp_path)
    code = (
        "import explorer; ws = explorer.demo(progress=False); "
        "print(ws.run('Why did the tank explode?').iri, flush=True); input()"
    )
    home = {"XDG_DATA_HOME": str(tmp_path), "HOME": str(tmp_path)}
    with Forked("-c", code, **home) as first:
        trace = first.stdout.readline().strip()
        _, found, _ = ran("-m", "explorer", "traces", **home)
        _, shown, _ = ran("-m", "explorer", "show", trace, **home)
        first.communicate("\n")
    assert trace.rpartition(":")[2][:8] in found
    assert "End: done" in shown


def test_each_further_citation_of_a_sentence_leads_to_the_passage_that_the_first_leads_to(demo):
    trace = demo.run("What did the PC+2 burn achieve?")
    further = [(span.cites[0], key) for span in trace.citations for key in span.cites[1:]]
    assert further
    assert all(trace.passages[key][0].chunk == trace.passages[first][0].chunk for first, key in further)


def test_of_the_bundles_for_the_audit_one_does_not_hold_and_is_refused(tmp_path):
    audit = Path(__file__).parents[1] / "sample_data" / "audit"
    bundles = sorted(audit.glob("*.zip"))
    with explorer.open() as ws:
        found = {one.name: explorer.verify_file(one, signed_by=audit / "analyst.pub") for one in bundles}
        assert [found[name].is_sound for name in sorted(found)].count(False) == 1
        notes = {name: [note.what for note in one if note.is_note] for name, one in found.items()}
        told = ["its sentence has “65”; the passage that it quotes has not"]
        assert notes == {name: [] if one.is_sound else told for name, one in found.items()}
        for one in bundles:
            if found[one.name].is_sound:
                run = ws.import_record(one, signed_by=audit / "analyst.pub", progress=False).traces[0]
                trace = ws.traces.load(run)
                assert trace.answer
                assert all(passage.text for cited in trace.citations for iri in cited.cites
                           for passage in trace.passages[iri])  # fmt: skip
                assert ws.verify(run).is_sound
            else:
                with pytest.raises(RecordError, match="was not imported"):
                    ws.import_record(one, progress=False)
