"""Who has a bundle and no key changes it, and makes its index and statement anew, so that all files fit each other.

What the sender's ledger sealed is found all the same, by the program of the bundle and by `explorer verify`.
"""

import hashlib
import io
import json
import re
import zipfile

import pytest

import explorer
from explorer.errors import RecordError
from explorer.record.bundles import verify as checker
from explorer.record.keys import new_key
from explorer.vocab import iri
from tests.corpus import QUESTIONS, filled
from tests.each import each
from tests.record.bundles.test_bundles import packed, restated

SESSION = "s1"
RUN, ANSWER = iri("question", SESSION), iri("answer", SESSION)
FORGED = b"Globe Industries built the relief valve."
X, TG, PROV = (text.encode() for text in (checker.X, checker.TG, checker.PROV))


@pytest.fixture(scope="module")
def sent(tmp_path_factory):
    """The files of a bundle whose ledger and statement are signed, and the archive."""
    folder = tmp_path_factory.mktemp("sent")
    new_key(folder / "key.pem")
    with filled(key=folder / "key.pem") as ws:
        path = ws.bundle(ws.run(QUESTIONS[0]), path=folder / "runs.zip")
        return checker.files_of(path), path.read_bytes()


def indexed(files, change):
    """Change the index of contents."""
    index = json.loads(files[checker.INDEX])
    change(index)
    files[checker.INDEX] = json.dumps(index).encode()


def put_text(files, content, data, kind="file"):
    """Have another text in place of one, under the name that its hash gives it."""
    name = f"texts/{hashlib.sha256(data).hexdigest()}.txt"
    files[name] = data
    indexed(files, lambda index: index["contents"][content].update({kind: name}))


def record(files, pattern, other):
    """Change the record where it has a pattern."""
    made, times = re.subn(pattern, other, files[checker.RECORD])
    assert times, pattern
    files[checker.RECORD] = made


def asked_otherwise(files):
    record(files, rb"Who built the relief valve\?", b"Who paid for the relief valve?")


def sealed_again(files, kind, **told):
    """Add an entry that seals the record as it is now, signed by nobody."""
    [line] = files[checker.LEDGER].splitlines()
    last = json.loads(line)
    now, _ = checker._hashes(RUN, checker._record(files[checker.RECORD]))
    said = json.loads(last["statement"]) | {"kind": kind, "record": now, "previous": last["seal"], **told}
    said = {name: value for name, value in said.items() if name != "key"} | {"number": said["number"] + 1}
    statement = json.dumps(said, sort_keys=True, separators=(",", ":"))
    entry = {"statement": statement, "seal": hashlib.sha256(statement.encode()).hexdigest(), "signature": ""}
    files[checker.LEDGER] += json.dumps(entry).encode() + b"\n"


def an_answer_said_to_be_missing(files):
    put_text(files, ANSWER, FORGED)
    indexed(files, lambda index: index["missing"].update({ANSWER: "removed on 2026-01-15"}))


def an_answer_said_to_be_removed(files):
    put_text(files, ANSWER, FORGED)
    files[checker.RECORD] += b'<%s> <%sinvalidatedAtTime> "2026-01-15" <urn:graph:retrieval> .\n' % (
        ANSWER.encode(),
        PROV,
    )


def an_answer_without_its_words(files):
    indexed(files, lambda index: index["contents"].pop(ANSWER))


def a_run_that_no_node_names(files):
    record(files, rb"<[^>]*> <%srun> <[^>]*> <[^>]*> \.\n" % X, b"")
    asked_otherwise(files)


def a_passage_of_another_document(files):
    record(files, rb"(<%swasDerivedFrom> <https://trustgraph\.ai/doc/)[0-9a-f]{4}" % PROV, rb"\g<1>0000")


def a_passage_beside_a_blank_node(files):
    document = re.search(rb"<https://trustgraph\.ai/doc/[0-9a-f]+>", files[checker.RECORD])[0]
    record(files, rb'(<%scharOffset> ")' % TG, rb"\g<1>7")
    files[checker.RECORD] += document + b" <http://purl.org/dc/elements/1.1/source> _:b .\n"


def documents_said_to_be_removed(files):
    record(files, rb'(<%scharOffset> ")' % TG, rb"\g<1>7")
    for document in {*re.findall(rb"<https://trustgraph\.ai/doc/[0-9a-f]+>", files[checker.RECORD])}:
        files[checker.RECORD] += document + b' <%sinvalidatedAtTime> "2026-01-15" .\n' % PROV


def a_document_that_is_not_there(files):
    document = re.search(rb"<%swasDerivedFrom> (<https://trustgraph\.ai/doc/[0-9a-f]+>)" % PROV, files[checker.RECORD])[
        1
    ]
    kept = (line for line in files[checker.RECORD].splitlines(keepends=True) if not line.startswith(document))
    files[checker.RECORD] = b"".join(kept)


def sealed_again_by_nobody(files):
    asked_otherwise(files)
    sealed_again(files, "run")


def amended_by_nobody(files):
    asked_otherwise(files)
    sealed_again(files, "amended")


def another_time(files):
    record(files, rb'(<%sstartedAtTime> ")2026-01-15' % PROV, rb"\g<1>2025-01-15")


def another_score(files):
    record(files, rb'(<%sscore> ")0\.' % TG, rb"\g<1>1.")


def another_page_text(files):
    record(files, rb"Beech Aircraft built", b"Globe Aircraft built")


ATTACKS = (
    an_answer_said_to_be_missing, an_answer_said_to_be_removed, an_answer_without_its_words, a_run_that_no_node_names,
    a_passage_of_another_document, a_passage_beside_a_blank_node, documents_said_to_be_removed,
    a_document_that_is_not_there, sealed_again_by_nobody, amended_by_nobody, another_time, another_score,
    another_page_text,
)  # fmt: skip


@each("attack", ATTACKS, ids=lambda one: one.__name__)
def test_what_was_sealed_is_found_changed_in_a_bundle_that_was_made_anew(sent, tmp_path, attack):
    files = dict(sent[0])
    attack(files)
    files = restated(files)
    faults, said = checker.check(files)
    assert faults
    assert not [one for one in faults if one[0] in files], "all files fit the statement"
    assert "signed by" in said[2]
    (tmp_path / "forged.zip").write_bytes(packed(files))
    assert explorer.verify_file(tmp_path / "forged.zip").faults


def test_a_run_that_is_not_on_the_ledger_is_told(sent):
    files = dict(sent[0])
    own = [line for line in files[checker.RECORD].splitlines(keepends=True) if f":{SESSION}".encode() in line]
    files[checker.RECORD] += b"".join(own).replace(f":{SESSION}".encode(), b":s9")
    assert f"No entry of it is about {iri('question', 's9')}." in checker.check(files)[1]


def test_reasons_that_are_not_sealed_any_more_are_told(sent):
    """Texts may be removed with a document: the hash of the rest stays, and what is said then is told."""
    files = dict(sent[0])
    record(files, rb'(<%sreasoning> ")' % TG, rb"\g<1>Not so: ")
    sealed_again(files, "amended")
    faults, said = checker.check(files)
    assert {name for name, _ in faults} <= {*files}
    assert f"Texts of {RUN} were removed after it was sealed; its reasons are those that it had then." in said


def repacked(data, between):
    """The archive with other bytes before each of its files."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as given, zipfile.ZipFile(made, "w") as archive:
        for name in given.namelist():
            made.write(between)
            archive.start_dir = made.tell()
            archive.writestr(name, given.read(name))
    return made.getvalue()


def test_what_another_program_may_unpack_and_this_one_does_not_see_is_refused(sent, tmp_path):
    path = tmp_path / "runs.zip"
    path.write_bytes(repacked(sent[1], b""))
    assert checker.files_of(path) == sent[0]
    hidden = packed({"report.html": b"<p>another</p>"})
    for data in (repacked(sent[1], hidden), hidden + sent[1], b"PK\x03\x04" + sent[1]):
        path.write_bytes(data)
        for read in (checker.files_of, explorer.verify_file):
            with pytest.raises((checker.UnreadableError, RecordError), match="something stands between its files"):
                read(path)


def test_a_damaged_archive_is_refused(sent, tmp_path):
    with zipfile.ZipFile(io.BytesIO(sent[1])) as archive:
        infos = [info for info in archive.infolist() if info.compress_size > 100]
    for info in infos[:8]:
        at = info.header_offset + 30 + len(info.filename)
        (tmp_path / "runs.zip").write_bytes(sent[1][:at] + b"\xff" * 60 + sent[1][at + 60 :])
        with pytest.raises(RecordError, match="no archive that can be read"):
            explorer.verify_file(tmp_path / "runs.zip")
