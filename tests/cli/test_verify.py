"""`explorer verify`: one line each thing that does not hold, and the exit codes."""

import sys
import zipfile

import pytest
from pyoxigraph import Literal, NamedNode, Quad

import explorer
from explorer import cli
from explorer.vocab import RETRIEVAL, TG, iri
from tests.corpus import QUESTIONS
from tests.each import each


@pytest.fixture
def run(program):
    return lambda *arguments: program("verify", *arguments)


def test_a_workspace_is_checked_whole(run, place):
    told = "2 of 2 runs sealed, not signed.\n2 runs checked, no fault found.\n"
    assert run("--all", "-w", place / "ws") == (0, told, "")


def test_runs_are_named_in_short_each_checked_once(run, place):
    named = ("s1", "s2", iri("question", "s1"))
    code, out, _ = run(*named, "-w", place / "ws")
    assert (code, out.splitlines()[-1]) == (0, "2 runs checked, no fault found.")
    code, _, said = run("s", "-w", place / "ws")
    assert code == 2
    assert "2 runs are called s; give more of it, as urn:trustgraph:agent:s2." in said


def test_what_was_changed_is_told_in_a_line_with_exit_code_1(run, place):
    with explorer.open(place / "ws") as ws:
        passage = NamedNode(iri("chunk-selection", "s1", 0))  # what is quoted of facts has no score
        gone = list(ws.graph.match(passage, TG.score, None, RETRIEVAL))
        assert gone
        ws.graph.replace((), [Quad(passage, TG.score, Literal("0.0001"), RETRIEVAL)], gone)
    code, out, _ = run(iri("question", "s1"), "-w", place / "ws")
    assert code == 1
    assert f"{passage.value}  the parts of its score do not add up to it (since " in out
    assert f"{iri('question', 's1')}  its record is not the one that was sealed: it was changed since (since " in out
    assert out.endswith("1 run checked, 2 faults found.\n")


def test_a_file_is_checked_without_its_texts(run, place):
    assert run(place / "run.nq") == (0, "1 run checked, no fault found.\n", "")
    text = (place / "run.nq").read_text()
    (place / "run.nq").write_text(text.replace('ns:reason> "done"', 'ns:reason> "declined"'))
    code, out, _ = run(place / "run.nq")
    assert code == 1
    assert "it says declined, the answer says done" in out


def test_nothing_is_written_where_a_run_was_cut_off(run, place):
    with explorer.open(place / "ws") as ws:
        cut = ws.ask(QUESTIONS[2])
        next(cut)
        before = {one.name: one.read_bytes() for one in (place / "ws").rglob("*.sqlite") if one.is_file()}
        quads = len(list(ws.graph.match()))
        assert run("--all", "-w", place / "ws")[0] == 0
        assert len(list(ws.graph.match())) == quads
        assert before == {one.name: one.read_bytes() for one in (place / "ws").rglob("*.sqlite") if one.is_file()}
        cut.close()


@each(
    ("arguments", "message"),
    [
        ((), "Name runs or files to verify"),
        (("--all", "urn:x:1"), "Name runs or files to verify"),
        (("nowhere.nq",), "There is no file 'nowhere.nq', and no run is called so"),
        (("facts.nt",), "holds no run to verify"),
        (("--all", "-C", "other"), "There is no collection other"),
    ],
)
def test_wrong_use_is_exit_code_2(run, place, arguments, message, monkeypatch):
    monkeypatch.chdir(place)
    (place / "facts.nt").write_text("<urn:a> <urn:b> <urn:c> .")
    code, _, err = run(*arguments, "-w", place / "ws")
    assert (code, message in err) == (2, True), err


def test_a_run_that_was_deleted_is_no_fault(run, place):
    with explorer.open(place / "ws") as ws:
        ws.traces.delete(iri("question", "s1"))
    assert run("--all", "-w", place / "ws")[0] == 0
    code, out, _ = run(iri("question", "s1"), "-w", place / "ws")
    assert code == 0
    assert "it was deleted on" in out


# bundles


def test_a_bundle_goes_out_is_checked_and_comes_in(program, place):
    one, bundle = iri("question", "s1"), place / "runs.zip"
    assert program("bundle", one, "-o", bundle, "-w", place / "ws")[0] == 0
    code, out, _ = program("verify", bundle)
    assert code == 0
    assert "The bundle is not signed: anyone could have made it" in out
    code, out, _ = program("import", bundle, "-w", place / "other")
    assert code == 0
    assert "The bundle is not signed: anyone could have made it" in out
    assert one in out
    shown = {name: program("show", one, "-w", place / name)[1] for name in ("ws", "other")}
    here, there = (text.replace(str(place / name), "").splitlines() for name, text in shown.items())
    assert here[:-1] == there[:-2]
    assert here[-1].startswith("Seal: 1:")
    assert there[-2].startswith("Seal: 1:")
    assert there[-1].startswith("Sender: Entry 1 of the sender's ledger, ")
    assert "it fits this record" in there[-1]
    code, _, said = program("import", bundle, "-w", place / "third", "--signed-by", "0" * 64)
    assert (code, "it is not signed by" in said) == (2, True)


def test_a_bundle_that_was_changed_is_found_with_exit_code_1_and_not_imported(program, place):
    bundle = place / "runs.zip"
    program("bundle", iri("question", "s1"), "-o", bundle, "-w", place / "ws")
    with zipfile.ZipFile(bundle) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(bundle, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data + b" " if name == "report.html" else data)
    code, out, _ = program("verify", bundle)
    assert (code, "report.html  it was changed" in out) == (1, True)
    code, _, said = program("import", bundle, "-w", place / "other")
    assert (code, "was not imported: report.html: it was changed" in said) == (2, True)


def test_of_several_bundles_each_has_its_name_and_who_sent_one_is_not_taken_for_checked(program, place):
    one, two = place / "one.zip", place / "two.zip"
    program("bundle", iri("question", "s1"), "-o", one, "-w", place / "ws")
    two.write_bytes(one.read_bytes())
    only = "That nobody changed a bundle on its way only its sender's key or fingerprint can show.\n"
    code, out, _ = program("verify", one, two)
    assert (code, out.endswith(f"2 runs checked, no fault found.\n{only}")) == (0, True)
    assert f"{one}: no fault found.\n" in out
    assert f"{two}: no fault found.\n" in out
    own = out.partition("Its fingerprint is ")[2].partition(".")[0]
    assert only not in program("verify", one, "--fingerprint", own)[1]
    code, _, said = program("verify", one, two, "--fingerprint", own)
    assert (code, "A fingerprint is that of one bundle" in said) == (2, True)


def test_an_export_on_the_command_line_has_its_versions(monkeypatch, capfdbinary, place):
    def exported(*options):
        words = ["explorer", "export", iri("question", "s1"), "-w", str(place / "ws"), *options]
        monkeypatch.setattr(sys, "argv", words)
        with pytest.raises(SystemExit, match="0"):
            cli.main()
        return capfdbinary.readouterr().out

    with explorer.open(place / "ws") as ws:
        trace = ws.traces.load(iri("question", "s1"))
        given = {"--rdf": ws.export(trace, rdf="1.1"), "--compat": ws.export(trace, compat="trustgraph")}
        closed = ws.export(trace, closed=True)
    assert exported("--rdf", "1.1") == given["--rdf"]
    assert exported("--compat", "trustgraph") == given["--compat"]
    assert exported("--closed") == closed
