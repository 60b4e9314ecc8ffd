"""Bundles go out of one workspace, check themselves, and show the same run in another; strange ones do no harm."""

import ast
import base64
import hashlib
import io
import json
import re
import stat
import subprocess
import sys
import zipfile
from dataclasses import replace
from importlib.metadata import distribution
from pathlib import Path

import pytest
import rdflib
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from prov.model import ProvDocument
from pyoxigraph import Literal, NamedNode, Quad, RdfFormat, Triple, parse
from typer.testing import CliRunner

import explorer
from explorer.cli.commands import app
from explorer.cli.lines import seal_lines
from explorer.entities import EdgeSelection
from explorer.errors import RecordError, WorkspaceError
from explorer.record import sealing
from explorer.record.bundles import verify as checker
from explorer.record.bundles.checking import fingerprint
from explorer.record.bundles.writing import _statement, bundle
from explorer.record.keys import Key
from explorer.record.verification.verify import verify_file
from explorer.stores.ledger import IMPORTED
from explorer.text import escape
from explorer.view.source.page import opened
from explorer.vocab import ANNOTATION, RETRIEVAL, SOURCE, TG
from explorer.widgets.audit import audited
from tests.corpus import QUESTIONS, filled, shared
from tests.each import each
from tests.opened import at

NEEDED = ("cryptography", "cffi", "pycparser")  # the package that a bundle's program needs, and what that needs
CRATE = "ro-crate-metadata.json"


def key(number):
    """A key made of a number."""
    private = Ed25519PrivateKey.from_private_bytes(bytes([number] * 32))
    return Key(private.public_key().public_bytes_raw().hex(), private)


KEY, OTHER = key(1), key(2)


def made(runs, by=None, **options):
    return bundle(replace(shared().ledger, key=by), runs, shared().report(*runs), **options)


@pytest.fixture(scope="module")
def runs():
    asked = ((QUESTIONS[1], "graph-rag"), (QUESTIONS[0], "document-rag"), (QUESTIONS[1], "agent"))
    return [shared().run(question, engine=engine, by="Ann") for question, engine in asked]


@pytest.fixture(scope="module")
def signed(runs):
    return made(runs, KEY)


def stored(tmp_path, data, name="runs.zip"):
    (tmp_path / name).write_bytes(data)
    return tmp_path / name


def files_of(data):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def packed(files, *more):
    """An archive of files, by name or by `ZipInfo`."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in (*files.items(), *more):
            archive.writestr(name, data)
    return made.getvalue()


def is_empty(ws):
    texts = ws.stores.database.rows("SELECT count(*) FROM contents")[0][0]
    return next(iter(ws.graph.match()), None) is None and not texts and not ws.traces.list()


# going out and coming in


@pytest.mark.parametrize("originals", [True, False])
def test_a_bundle_shows_the_same_runs_in_an_empty_workspace(runs, ws, tmp_path, originals):
    path = shared().bundle(*runs, path=tmp_path / "runs.zip", originals=originals)
    done = ws.import_record(path, progress=False)
    assert (done.refused, set(done.traces)) == ((), {run.iri for run in runs})
    for run in runs:
        there = ws.traces.load(run.iri)
        assert there.answer == run.answer
        assert there.citations == run.citations
        assert set(there.quads()) == set(run.quads())
        assert [p.text for p in there.sources()] == [p.text for p in run.sources()]
        for passage in run.sources():
            here, page = opened(shared().stores, passage), opened(ws.stores, passage)
            marked = [[words for words, kind in side[0]["runs"] if kind == "mine"] for side in (here, page)]
            assert marked[0] == marked[1] == [passage.text]
            assert page[0]["sub"] == here[0]["sub"]
            if originals:
                assert page[0]["runs"] == here[0]["runs"]
                assert page[0].get("page", {}).get("boxes") == here[0].get("page", {}).get("boxes")
    assert ws.verify().is_sound


def test_without_originals_no_document_goes_out(runs):
    given = files_of(made(runs, originals=False))
    assert not [name for name in given if name.startswith("documents/")]
    whole = {document.text for document in shared().stores.library.documents() if len(document.text) > 1_000}
    assert not whole & {data.decode() for name, data in given.items() if name.startswith("texts/")}
    assert "left out on request" in json.loads(given["contents.json"])["missing"].values()


def test_the_same_runs_give_the_same_bytes(runs, signed, tmp_path):
    assert made(runs, KEY) == signed
    one = shared().bundle(runs[0], path=tmp_path / "one.zip").read_bytes()
    assert shared().bundle(runs[0].iri, path=tmp_path / "two.zip").read_bytes() == one


def test_a_bundle_of_nothing_and_a_place_that_is_none_are_refused(runs, tmp_path):
    with pytest.raises(RecordError, match="needs a run"):
        shared().bundle(path=tmp_path / "a.zip")
    with pytest.raises(RecordError, match="can't be written"):
        shared().bundle(runs[0], path=tmp_path / "none" / "a.zip")
    with pytest.raises(RecordError, match="There is no trace"):
        shared().bundle("urn:x:1", path=tmp_path / "a.zip")
    assert list(tmp_path.iterdir()) == []


def test_others_read_the_record(signed, runs):
    given = files_of(signed)
    assert set(parse(given["record.nq"], RdfFormat.N_QUADS)) >= set(runs[0].quads())
    assert len(rdflib.Dataset().parse(data=given["record.jsonld"], format="json-ld")) > len(runs[0].quads())
    exported = shared().export(runs[0], "prov-json").decode()
    assert len(list(ProvDocument.deserialize(content=exported).get_records())) > len(runs[0].edges)
    assert b"http-equiv" in given["report.html"]


# its description


def described(data):
    graph = json.loads(files_of(data)[CRATE])["@graph"]
    assert len({node["@id"] for node in graph}) == len(graph)
    return {node["@id"]: node for node in graph}


def test_its_description_names_all_files_and_runs(signed, runs):  # that it has what is required the shapes say
    nodes = described(signed)
    root = nodes["./"]
    assert {part["@id"] for part in root["hasPart"]} == {*files_of(signed)} - {CRATE}
    assert all(nodes[part["@id"]]["@type"] == "File" for part in root["hasPart"])
    assert {one["@id"] for one in root["mentions"]} == {run.iri for run in runs}


def test_each_run_is_an_action_with_its_means_its_texts_and_its_results(signed, runs):
    nodes = described(signed)
    for run in runs:
        action = nodes[run.iri]
        assert action["@type"] == "CreateAction"
        assert action["name"] == run.question
        tools = [nodes[one["@id"]] for one in action["instrument"]]
        assert {tool["@type"] for tool in tools} == {"SoftwareApplication"}
        assert tools[0]["name"].partition("/")[0] in {"graph-rag", "document-rag", "agent"}
        assert {nodes[one["@id"]]["@type"] for one in (*action["object"], *action["result"])} == {"File"}
        assert "record.nq" in {one["@id"] for one in action["result"]}
        assert action["startTime"] <= action["endTime"]
        assert nodes[action["agent"]["@id"]] == {"@id": action["agent"]["@id"], "@type": "Person", "name": "Ann"}
        assert action["result"][-1] == {"@id": "report.html"}


# its own program


def unpacked(folder, data):
    for name, content in files_of(data).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


def ran(folder, *options, python=sys.executable):
    """Run the program of a bundle, as who has nothing but Python and cryptography."""
    command = [python, "-I", "verify.py", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder, timeout=60)
    return done.returncode, done.stdout


def checked_by_itself(tmp_path, data, *options, python=sys.executable):
    (tmp_path / "verify.py").write_bytes(files_of(data)["verify.py"])
    return ran(tmp_path, stored(tmp_path, data), *options, python=python)


def test_it_needs_nothing_but_python_and_cryptography():
    tree = ast.parse(Path(checker.__file__).read_text("utf-8"))
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert {name.partition(".")[0] for name in names} - sys.stdlib_module_names == {"cryptography"}


def test_what_was_unpacked_is_checked_and_the_archive_beside_it_is_said_not_to_be(tmp_path, signed):
    unpacked(tmp_path, signed)
    code, said = ran(tmp_path)
    assert (code, said.splitlines()[-1]) == (0, "No fault found.")
    assert f"signed by the key inside, {KEY.public}" in said
    stored(tmp_path, signed).rename(tmp_path / "runs (1).zip")
    (tmp_path / "other.zip").write_bytes(packed({"statement.json": b"[]"}))
    code, said = ran(tmp_path)
    told = said.splitlines()
    assert told[0] == "other.zip  it is in the bundle, and not in the statement"
    assert told[1].startswith("runs (1).zip is an archive with the same statement, and was not checked")
    assert (code, told[-1]) == (1, "It does not hold: 1 fault found.")
    assert len(verify_file(tmp_path)) == 1


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    """A Python of its own with the package cryptography, what that needs, and nothing else."""
    folder = tmp_path_factory.mktemp("bare")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True, timeout=120)
    [there] = folder.glob("[lL]ib/**/site-packages")
    for name in NEEDED:
        found = distribution(name)
        for part in {file.parts[0] for file in found.files or () if ".." not in file.parts}:
            if not part.endswith(".dist-info"):
                (there / part).symlink_to(found.locate_file(part))
    [program] = [*folder.glob("bin/python"), *folder.glob("Scripts/python.exe")]
    return program


def test_its_own_program_runs_in_an_environment_with_cryptography_alone(tmp_path, signed, bare):
    for name in ("explorer", "pyoxigraph"):
        assert subprocess.run([bare, "-I", "-c", f"import {name}"], capture_output=True, check=False).returncode == 1
    code, said = checked_by_itself(tmp_path, signed, "--key", KEY.public, python=bare)
    assert (code, said.splitlines()[-1]) == (0, "No fault found.")
    assert f"signed by the key given, {KEY.public}" in said
    files = files_of(signed)
    told = json.loads(files[checker.INDEX])["contents"]
    name = next(one["file"] for key, one in told.items() if key.startswith("urn:trustgraph:synthesis:"))
    code, said = checked_by_itself(tmp_path, packed({**files, name: b"other words"}), python=bare)
    assert code == 1
    assert f"{name}  it was changed" in said
    assert "the one that was recorded" in said


def test_the_key_is_compared_with_the_one_that_is_given(tmp_path, signed):
    (tmp_path / "key.pub").write_bytes(
        KEY._private.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        )
    )
    code, said = checked_by_itself(tmp_path, signed, "--key", tmp_path / "key.pub")
    assert (code, f"signed by the key given, {KEY.public}" in said) == (0, True)
    code, said = checked_by_itself(tmp_path, signed, "--key", OTHER.public)
    assert (code, f"it is signed by another key: {KEY.public}" in said) == (1, True)
    code, said = checked_by_itself(tmp_path, signed, "--key", "abc")
    assert code == 2


def restated(files, by=None, **changed):
    """The files of a bundle, some of them changed, with a new statement over all."""
    told = {name: data for name, data in {**files, **changed}.items() if name != checker.STATEMENT}
    return {**told, checker.STATEMENT: _statement(told, {}, by)}


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [("report.html", b"PC+2", b"PC+7"), ("verdicts.nq", b"", b""), ("README.txt", b"answers", b"answers here")],
)
def test_what_somebody_changes_together_with_the_statement_changes_the_fingerprint(
    signed, tmp_path, name, before, after
):
    files = files_of(signed)
    own = fingerprint(stored(tmp_path, signed, "sent.zip"))
    data = files[name].replace(before, after) if name in files else b""
    forged = packed(restated(files, **{name: data}))
    code, said = checked_by_itself(tmp_path, forged)
    assert code == 0
    assert said.splitlines()[-1] == "No fault found. To rule out a swap, compare the fingerprint with the sender's."
    code, said = checked_by_itself(tmp_path, forged, "--fingerprint", own)
    assert (code, "it has another fingerprint than the one given" in said) == (1, True)
    assert not verify_file(stored(tmp_path, forged, "forged.zip"), fingerprint=own).is_sound
    code, said = checked_by_itself(tmp_path, signed, "--fingerprint", own.upper())
    assert (code, said.splitlines()[-1]) == (0, "No fault found.")
    assert f"Its fingerprint is {own}, the one given." in said


@pytest.mark.parametrize("term", ["charOffset", "title", "contains"])
def test_what_the_record_says_of_sources_is_compared_with_the_seal(runs, signed, tmp_path, term):
    files = files_of(signed)
    passage = runs[0].sources()[0]
    node = {"charOffset": passage.chunk, "title": passage.document, "contains": passage.subgraph}[term]
    lines = files["record.nq"].split(b"\n")
    at = next(n for n, line in enumerate(lines) if line.startswith(f"<{node}> <".encode()) and term.encode() in line)
    lines[at] = re.sub(rb"(\d\"|\w\"|\w>\s\)>>)", rb"7\1", lines[at], count=1)
    code, said = checked_by_itself(tmp_path, packed(restated(files, **{"record.nq": b"\n".join(lines)})))
    assert (code, "what the record says of it and its passages is not what was sealed" in said) == (1, True)


def test_its_program_knows_what_is_sealed_of_sources():
    assert {term.value for term in sealing._DOCUMENT} == checker.DOCUMENT
    assert {term.value for term in sealing._PASSES} == checker.PASSES
    assert {term.value for term in sealing._LEADS} == checker.LEADS


# from a stranger: nothing is written


def test_every_file_that_is_changed_taken_out_or_added_is_found(signed, judged, tmp_path):
    of_verdicts = judged[0].bundle(judged[1], path=tmp_path / "judged.zip").read_bytes()
    for files in (files_of(signed), files_of(of_verdicts)):
        for name in files.keys() - {checker.STATEMENT, *LOADED}:
            assert name in {found for found, _ in checker.check({**files, name: files[name] + b" "})[0]}
            left = {key: data for key, data in files.items() if key != name}
            assert (name, "it is in the statement, and not in the bundle") in checker.check(left)[0]
        faults, _ = checker.check({**files, "more.txt": b""})
        assert ("more.txt", "it is in the bundle, and not in the statement") in faults
    assert checker.VERDICTS in files


LOADED = (checker.RECORD, checker.INDEX)  # without these it is no bundle


@each("name", [*LOADED, "report.html"])
def test_a_bundle_that_was_changed_is_not_imported(signed, ws, tmp_path, name):
    files = files_of(signed)
    changed = files[name].replace(b"valve", b"value", 1) if name != "report.html" else b"<p>other</p>"
    with pytest.raises(RecordError, match=rf"was not imported: {name}: it was changed"):
        ws.import_record(stored(tmp_path, packed({**files, name: changed + b"\n"})), progress=False)
    assert is_empty(ws)


LINK = zipfile.ZipInfo("link")
LINK.external_attr = (stat.S_IFLNK | 0o777) << 16


@pytest.mark.filterwarnings("ignore:Duplicate name")
@each(
    ("more", "said"),
    [
        (("../evil.py", b"x"), r"'\.\./evil\.py' leads out of the bundle"),
        (("texts/../../evil.py", b"x"), "leads out of the bundle"),
        (("/etc/evil", b"x"), "leads out of the bundle"),
        (("C:\\evil.exe", b"x"), "leads out of the bundle"),
        (("a\\..\\evil", b"x"), "leads out of the bundle"),
        ((LINK, b"/etc/passwd"), "link is a link"),
        (("REPORT.HTML", b"x"), "two files have one name: report.html and REPORT.HTML"),
        (("report.html", b"<p>another</p>"), r"two files have one name: report\.html and report\.html"),
        (("bomb.txt", b"0" * 100_000_000), "unpack to more than 100 times its size"),
    ],
)
def test_an_archive_that_could_do_harm_is_refused_before_anything_is_unpacked(signed, ws, tmp_path, more, said):
    path = stored(tmp_path, packed(files_of(signed), more))
    for read in (ws.import_record, verify_file):
        with pytest.raises(RecordError, match=rf"{said}.*Nothing of it was stored"):
            read(path)
    assert is_empty(ws)
    assert {one.name for one in tmp_path.iterdir()} == {"runs.zip"}


def test_an_archive_of_too_many_files_or_bytes_is_refused(signed, ws, tmp_path, monkeypatch):
    path = stored(tmp_path, signed)
    monkeypatch.setattr(checker, "MOST_FILES", 5)
    with pytest.raises(RecordError, match="more than 5 files"):
        ws.import_record(path, progress=False)
    monkeypatch.setattr(checker, "MOST_FILES", 100)
    monkeypatch.setattr(checker, "MOST_BYTES", 1_000)
    with pytest.raises(RecordError, match="or 1,000 bytes"):
        ws.import_record(path, progress=False)
    assert is_empty(ws)


def test_what_is_no_bundle_or_cut_off_anywhere_is_refused(signed, ws, tmp_path):
    another, empty = packed({"a.txt": b"a"}), packed({"statement.json": b"[]"})
    for data in (b"PK\x03\x04", b"PK\x03\x04" + b"\0" * 1000, another, empty):
        with pytest.raises(RecordError, match="can't be read: it is no"):
            ws.import_record(stored(tmp_path, data), progress=False)
    for part in range(1, 10):
        with pytest.raises(RecordError):
            ws.import_record(stored(tmp_path, signed[: len(signed) * part // 10]), progress=False)
    assert is_empty(ws)


# who signed


def test_a_bundle_that_is_not_signed_by_the_key_that_is_asked_for_is_refused(runs, signed, ws, tmp_path):
    path, other = shared().bundle(runs[0], path=tmp_path / "unsigned.zip"), stored(tmp_path, signed)
    for asked, file, said in ((KEY, path, "it is not signed by"), (OTHER, other, "it is signed by another key:")):
        with pytest.raises(RecordError, match=f"{said} {KEY.public}"):
            ws.import_record(file, signed_by=asked.public, progress=False)
        assert not verify_file(file, signed_by=asked.public).is_sound
        assert is_empty(ws)
    for said in (str(ws.import_record(path, progress=False).notes), verify_file(path).seals):
        assert "The bundle is not signed: anyone could have made it" in said
    notes = ws.import_record(other, signed_by=KEY.public).notes
    assert f"The bundle is signed by the key given, {KEY.public}." in notes


@each("what", ["payload", "keyid", "sig"])
def test_a_signature_that_is_not_right_is_found(signed, ws, tmp_path, what):
    files = files_of(signed)
    envelope = json.loads(files[checker.STATEMENT])
    told = base64.b64decode(envelope["payload"]).replace(b'"originals": true', b'"originals":  true')
    other = {"payload": base64.b64encode(told), "keyid": OTHER.public.encode(), "sig": base64.b64encode(b"\0" * 64)}
    (envelope if what == "payload" else envelope["signatures"][0])[what] = other[what].decode()
    data = packed({**files, checker.STATEMENT: json.dumps(envelope).encode()})
    with pytest.raises(RecordError, match="its signature is not right"):
        ws.import_record(stored(tmp_path, data), progress=False)
    assert is_empty(ws)


def test_what_is_no_key_and_what_is_no_bundle_say_so(runs, signed, ws, tmp_path):
    with pytest.raises(WorkspaceError, match="no public key"):
        ws.import_record(stored(tmp_path, signed), signed_by="abc", progress=False)
    path = stored(tmp_path, shared().export(runs[0], "nq"), "run.nq")
    with pytest.raises(RecordError, match="only a bundle is signed"):
        ws.import_record(path, signed_by=KEY.public, progress=False)


# what is sealed


def with_ledger(signed, change):
    """A bundle whose ledger was changed by who signs it, with what is found in it."""
    files = files_of(signed)
    entries = [json.loads(line) for line in files[checker.LEDGER].splitlines()]
    change(entries)
    ledger = "".join(f"{json.dumps(one)}\n" for one in entries).encode()
    return [what for _, what in checker.check(restated(files, KEY, **{checker.LEDGER: ledger}))[0]]


def test_the_entries_of_the_ledger_go_along_and_hold(signed, runs):
    entries = [json.loads(json.loads(line)["statement"]) for line in files_of(signed)[checker.LEDGER].splitlines()]
    assert [one["about"] for one in entries] == [run.iri for run in runs]
    assert with_ledger(signed, list) == []
    faults, said = checker.check(files_of(signed))
    assert (faults, said[2]) == ([], f"{len(runs)} entries of the ledger enclosed, not signed.")


def resealed(one, name, value):
    """Write an entry anew with another value, under the hash that it has then."""
    one["statement"] = json.dumps(json.loads(one["statement"]) | {name: value}, sort_keys=True, separators=(",", ":"))
    one["seal"] = hashlib.sha256(one["statement"].encode()).hexdigest()


@each(
    ("change", "said"),
    [
        (lambda entries: entries[0].update(seal="0" * 64), "its seal is not the hash of what it says"),
        (lambda entries: resealed(entries[0], "key", KEY.public), "its signature is not right"),
        (lambda entries: resealed(entries[0], "record", "0" * 64), "its record is not the one that was sealed"),
        (lambda entries: resealed(entries[1], "previous", "0" * 64), "it does not follow the entry before it"),
    ],
)
def test_an_entry_that_does_not_hold_is_found(signed, change, said):
    assert said in with_ledger(signed, change)


# the seal of the sender


@pytest.fixture
def came(tmp_path):
    """A run of a workspace with a key, and another workspace that it came to; the key and the entry of the sender."""
    with filled(tmp_path / "ws", key=KEY) as ws, explorer.open() as other:
        run = ws.run(QUESTIONS[0])
        other.import_record(ws.bundle(run, path=tmp_path / "runs.zip"), progress=False)
        yield other, run.iri, ws.ledger.entry(run.iri)


def test_an_import_keeps_the_seal_of_its_sender(came):
    ws, run, entry = came
    [sent] = ws.ledger.sender_seals(run)
    assert (sent.entry, sent.signers, sent.fits) == (entry, (KEY.public,), True)
    assert ws.ledger.entry(run).seal != entry.seal
    told = str(sent)
    parts = (f"Entry {entry.number} ", entry.at[:16].replace("T", " "), KEY.public[:16], "fits this record")
    assert [part for part in parts if part not in told] == []
    assert escape(told) in ws.report(run)
    assert told in audited(ws, "r1", run)["sender"]
    assert [f"Sender: {told}"] == [*seal_lines(ws.ledger, run)][1:]
    assert ws.verify().is_sound


def test_a_run_that_was_made_here_has_no_sender(came, tmp_path):
    ws, *_ = came
    with filled(tmp_path / "own", key=KEY) as own:
        run = own.run(QUESTIONS[0])
        assert own.ledger.sender_seals(run.iri) == ()
        own.import_record(own.bundle(run, path=tmp_path / "own.zip"), progress=False)
        assert own.ledger.sender_seals(run.iri) == ()
        assert audited(own, "r1", run.iri)["sender"] == []
        own.import_record(ws.bundle(ws.traces.list()[0].iri, path=tmp_path / "other.zip"), progress=False)
        assert own.verify().is_sound


def test_a_bundle_without_a_ledger_has_its_signers_alone(signed, runs, ws, tmp_path):
    files = files_of(signed)
    del files[checker.LEDGER]
    path = stored(tmp_path, packed(restated(files, OTHER)))
    for _ in range(2):
        ws.import_record(path, progress=False)
    [sent] = ws.ledger.sender_seals(runs[0].iri)
    assert (sent.entry, sent.signers, sent.fits) == (None, (OTHER.public,), None)
    assert str(sent).startswith("No seal came along; the bundle it came in was signed by ")
    assert ws.verify().is_sound


def test_who_writes_the_ledger_anew_is_found_by_the_seal_of_the_sender_also_where_it_is_passed_on(came, tmp_path, ws):
    second, run, _ = came
    [question] = second.graph.match(NamedNode(run), TG.query, None, RETRIEVAL)
    another = Quad(question.subject, question.predicate, Literal("Another?"), question.graph_name)
    second.graph.replace([], [another], [question])
    second.ledger.seal(run, IMPORTED, second.ledger.entry(run).at)
    assert [one.what for one in second.verify(run).faults] == [
        f"the list of runs has {question.object.value!r} as its question, the record 'Another?'",
        "its record is not the one that its sender sealed",
    ]
    assert "does NOT fit this record" in str(second.ledger.sender_seals(run)[0])
    path = second.bundle(run, path=tmp_path / "again.zip")
    assert (run, "its record is not the one that an earlier sender sealed") in checker.check(checker.files_of(path))[0]
    with pytest.raises(RecordError, match="earlier sender"):
        ws.import_record(path, progress=False)


@pytest.fixture
def passed_on(came, tmp_path):
    """A bundle by a second workspace of a run that came to it from a first; the run and the first one's entry."""
    second, run, entry = came
    return second.bundle(run, path=tmp_path / "again.zip"), run, entry


def test_the_entry_of_the_first_sender_is_passed_on(passed_on, ws):
    path, run, entry = passed_on
    faults, said = checker.check(checker.files_of(path))
    assert faults == []
    assert said[-1] == f"Entry {entry.number} of an earlier sender, signed by {KEY.public}: it fits the record."
    for _ in range(2):
        ws.import_record(path, progress=False)
    first, second = ws.ledger.sender_seals(run)
    assert (first.entry, first.signers, first.fits) == (entry, None, True)
    assert (second.entry.kind, second.signers, second.fits) == (IMPORTED, (), True)
    assert str(first).endswith(f"signed by {KEY.public[:16]}…: it fits this record; passed on by a later sender.")
    assert ws.verify().is_sound
    again = ws.bundle(run, path=path.with_name("third.zip"))
    assert len(checker.files_of(again)[checker.SENDERS].splitlines()) == 2
    assert explorer.verify_file(again).is_sound


def test_it_does_not_go_back_to_where_it_was_sealed(tmp_path):
    with filled(tmp_path / "ws") as ws, explorer.open() as other:
        run = ws.run(QUESTIONS[0]).iri
        other.import_record(ws.bundle(run, path=tmp_path / "there.zip"), progress=False)
        ws.import_record(other.bundle(run, path=tmp_path / "back.zip"), progress=False)
        assert [one.entry.kind for one in ws.ledger.sender_seals(run)] == [IMPORTED]
        assert ws.verify().is_sound


@each(
    ("change", "said"),
    [
        (lambda line: line.replace(b'"seal": "', b'"seal": "0'), "is not the hash of what it says"),
        (lambda line: re.sub(rb'"signature": "..', b'"signature": "00', line), "an earlier sender's signature"),
    ],
)
def test_an_entry_that_was_changed_on_the_way_is_found(passed_on, change, said):
    files = checker.files_of(passed_on[0])
    forged = restated(files, **{checker.SENDERS: change(files[checker.SENDERS])})
    assert any(said in what for _, what in checker.check(forged)[0])


def test_what_was_removed_on_the_way_is_told_and_no_fault_by_the_seal_of_the_sender(runs, tmp_path, ws):
    run = runs[0].iri
    with filled(tmp_path / "second") as second:
        second.import_record(stored(tmp_path, made(runs[:1], KEY)), progress=False)
        for document in second.documents:
            second.forget(document, words=True)
        assert not second.ledger.sender_seals(run)[0].fits
        assert second.verify(run).is_sound
        path = second.bundle(run, path=tmp_path / "again.zip")
    faults, said = checker.check(checker.files_of(path))
    assert faults == []
    assert said[-1].endswith("it does not fit the record, of which texts were removed since.")
    ws.import_record(path, progress=False)
    assert ws.verify(run).is_sound


# what people found


@pytest.fixture
def judged(tmp_path):
    """A workspace with a run that two people judged, one of them twice."""
    with filled(tmp_path / "judged", key=KEY) as ws:
        run = ws.run(QUESTIONS[0])
        ws.traces.judge(run, "not supported", sentence=1, comment="It says\u2028otherwise.", by="Ada")
        ws.traces.judge(run, "unclear", sentence=1, by="Bob")
        ws.traces.judge(run, "supported", sentence=1, comment="I read it again.", by="Ada")
        edges = [one for one in run.dag.entities.values() if isinstance(one, EdgeSelection)]
        ws.traces.judge(edges[0].iri, "supported")
        yield ws, run.iri


def everything(ws, run):
    return list(ws.traces.verdicts(run, superseded=True))


def test_all_verdicts_go_along_and_come_back_once(judged, ws, tmp_path):
    there, run = judged
    path = there.bundle(run, path=tmp_path / "runs.zip")
    assert explorer.verify_file(path).is_sound
    for _ in range(2):
        notes = ws.import_record(path, progress=False).notes
        assert everything(ws, run) == everything(there, run)
    assert notes[-1] == "4 verdicts of people enclosed, as they were when it was made."
    assert [one.standing for one in everything(ws, run)] == [False, True, True, True]
    there.import_record(ws.bundle(run, path=tmp_path / "back.zip"), progress=False)
    assert everything(ws, run) == everything(there, run)
    graph = set(there.graph.match(graph=ANNOTATION))
    assert set(ws.graph.match(graph=ANNOTATION)) == graph
    code, said = checked_by_itself(tmp_path, path.read_bytes())
    assert (code, "4 verdicts of people enclosed" in said) == (0, True)
    assert checker.VERDICTS not in files_of(made([shared().run(QUESTIONS[0])]))


def test_verdicts_under_one_name_are_both_kept(judged, ws, tmp_path):
    there, run = judged
    ws.import_record(
        stored(tmp_path, signed_anew(there, run, lambda files: files.pop(checker.VERDICTS))), progress=False
    )
    ws.traces.judge(run, "unclear", sentence=1, comment="I can't say.", by="Ada")
    ws.traces.judge(run, "not supported", sentence=1, by="Cleo")
    own = everything(ws, run)
    path = there.bundle(run, path=tmp_path / "judged.zip")
    for _ in range(2):
        ws.import_record(path, progress=False)
    found = everything(ws, run)
    assert len({one.iri for one in found}) == len(found) == 6
    assert [one for one in found if one in own] == own
    told = sorted((one.by or "", one.verdict, one.comment, one.standing) for one in found if one not in own)
    assert told == sorted((one.by or "", one.verdict, one.comment, one.standing) for one in everything(there, run))
    last = ws.traces.judge(run, "supported", sentence=1, by="Ada")
    assert [one for one in ws.traces.verdicts(run) if one.by == "Ada"] == [last]


def signed_anew(ws, run, change):
    files = files_of(bundle(ws.ledger, [ws.traces.load(run)], ws.report(run)))
    change(files)
    return packed(restated(files))


ONE = b"_:a <urn:x:y> <urn:x:z> <urn:graph:annotation> .\n"
FACT = b"<urn:x:a> <urn:x:b> <urn:x:c> .\n"
NOTE = b'<urn:trustgraph:note:1> <http://purl.org/dc/terms/title> "Mine" <urn:graph:annotation> .\n'


@each(
    ("change", "said"),
    [
        (lambda data: data + ONE, "has a line that can't be read"),
        (lambda data: data + FACT, "urn:x:a  it is no verdict on a run"),
        (lambda data: data + NOTE, "it is no verdict on a run"),
        (lambda data: re.sub(rb"ns:run> <[^>]*>", b"ns:run> <urn:x:1>", data),
         "a run that is not in the bundle"),
        (lambda data: b"".join(line for line in data.splitlines(True) if b":1>" not in line.split(b" ")[0]
                               and b":1#" not in line.split(b" ")[0]), "the verdict that it changed is not in"),
        (lambda data: data + data.split(b" ", 1)[0] + b" <http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
         b" <urn:provenance-explorer:ns:Curation> <urn:graph:annotation> .\n", "is no part of a verdict"),
        (lambda data: data + data.splitlines()[0].split(b" ")[0] + b" <urn:x:y> <urn:x:z> <urn:graph:annotation> .\n",
         "is no part of a verdict"),
    ],
)  # fmt: skip
def test_what_is_no_verdict_on_these_runs_is_found_and_not_stored(judged, ws, tmp_path, change, said):
    there, run = judged

    def changed(files):
        files[checker.VERDICTS] = change(files[checker.VERDICTS])

    path = stored(tmp_path, signed_anew(there, run, changed))
    assert any(said in str(one) for one in explorer.verify_file(path))
    with pytest.raises(RecordError, match="was not imported"):
        ws.import_record(path, progress=False)
    assert is_empty(ws)


def test_words_with_other_line_ends_are_checked(tmp_path):
    with filled(tmp_path / "ws") as there:
        run = there.run("Which\u2028valve\x85failed?")
        assert explorer.verify_file(there.bundle(run, path=tmp_path / "runs.zip")).is_sound


def test_it_says_in_three_lines_what_it_is_and_how_it_is_checked(signed):
    first, opens, checks = files_of(signed)["README.txt"].decode().splitlines()
    assert "their sources" in first
    assert opens.startswith("Open report.html")
    assert all(part in checks for part in ("python verify.py", "cryptography", "can't prove", "fingerprint"))


def test_the_command_says_the_same(judged, tmp_path):
    there, run = judged
    folder = tmp_path / "judged"
    there.close()
    done = CliRunner().invoke(app, ["bundle", run, "-o", str(tmp_path / "a.zip"), *at(folder)])
    assert (done.exit_code, done.stdout.splitlines()[0]) == (0, f"Written: {tmp_path / 'a.zip'}")
    assert "python verify.py" in done.stdout
    done = CliRunner().invoke(app, ["verify", str(tmp_path / "a.zip")])
    assert (done.exit_code, "4 verdicts of people enclosed" in done.stdout) == (0, True)


def test_a_passage_that_was_read_here_by_other_rules_is_no_fault_of_a_run_that_came(runs, tmp_path):
    with filled(tmp_path / "ws") as ws:
        fact = runs[0].edges[0].edge
        ws.graph.replace([], [], [*ws.graph.match(None, TG.contains, fact, SOURCE)])
        ws.import_record(stored(tmp_path, made(runs[:1], KEY)), progress=False)
        found = ws.verify(runs[0].iri)
        assert found.is_sound
        assert [one.what for one in found if one.is_note] == [
            "here its passage was read by other rules, which found another fact"
        ]
        kept = NamedNode(runs[0].edges[0].iri)
        [quad] = ws.graph.match(kept, TG.edge, fact)
        other = Quad(kept, TG.edge, Triple(fact.subject, TG.edge, fact.object), RETRIEVAL)
        ws.graph.replace([], [other], [quad])
        assert not ws.verify(runs[0].iri).is_sound, "a fact that was changed since is one"
