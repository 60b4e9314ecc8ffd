import io
import sys
from functools import cache

import pytest
from msoffcrypto.format.ooxml import OOXMLFile
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

import explorer
from explorer.errors import DocumentError
from explorer.ingest.readers.files import read
from explorer.ingest.readers.unlocking import is_shut, unlocked
from explorer.view.source import page as source
from tests.corpus import pdf
from tests.each import each
from tests.ingest.readers.made import MADE
from tests.test_workspace import stored

SECRET = "sesame-7Ωpen"
WORDS = "Beech Aircraft built the relief valve in 1966."


@cache
def shut_pdf(password=SECRET):
    data = io.BytesIO()
    canvas = Canvas(data, encrypt=StandardEncryption(password, strength=128))
    canvas.drawString(50, 50, WORDS)
    canvas.save()
    return data.getvalue()


@cache
def shut_office(name="a.docx"):
    made = io.BytesIO()
    OOXMLFile(io.BytesIO(MADE[name]([(False, WORDS)]))).encrypt(SECRET, made)
    return made.getvalue()


SHUT = {
    "a.pdf": lambda: shut_pdf("sesame"),
    "a.docx": shut_office,
    "a.pptx": lambda: shut_office("a.pptx"),
}


def secret_of(name):
    return "sesame" if name == "a.pdf" else SECRET


@each("name", SHUT)
@each("password", ["wrong", "", None])
def test_without_it_or_with_another_nothing_is_read_and_the_password_is_not_said(name, password):
    with pytest.raises(DocumentError) as refused:
        read(SHUT[name](), name, password=password)
    said = str(refused.value)
    if password:
        assert said == f"The password that was given does not open '{name}'; check it and try again."
    else:
        assert "encrypted" in said
        assert "give its password with password= or --password" in said
    assert "wrong" not in repr(refused.value)


def test_one_password_for_a_batch_leaves_the_others_as_they_are(ws, tmp_path):
    (tmp_path / "shut.docx").write_bytes(shut_office())
    (tmp_path / "other.pdf").write_bytes(shut_pdf("another"))
    (tmp_path / "plain.pdf").write_bytes(pdf(("The pump was tested.",)))
    (tmp_path / "plain.txt").write_text("The fan was tested.")
    done = ws.ingest(tmp_path, password=SECRET, progress=False)
    assert done.documents == 3
    assert [one.path for one in done.refused] == [str(tmp_path / "other.pdf")]


def test_the_password_is_kept_nowhere(tmp_path, capsys):
    file = tmp_path / "a.docx"
    file.write_bytes(shut_office())
    with explorer.open(tmp_path / "w") as ws:
        ws.ingest(file, password=SECRET, progress=False)
        kept = ws.data(ws.document("a.docx").iri)
        assert kept == file.read_bytes(), "the file is kept as it came"
        told = [repr(ws), ws.report(ws.run("Who built the relief valve?")), *map(str, ws.graph.match())]
    assert not [text for text in told if SECRET in text]
    assert not [path for path in (tmp_path / "w").rglob("*") if path.is_file() and SECRET.encode() in path.read_bytes()]
    assert SECRET not in "".join(capsys.readouterr())


def test_the_same_encrypted_bytes_change_nothing_and_restoring_needs_no_password(ws, tmp_path):
    file = tmp_path / "a.docx"
    file.write_bytes(shut_office())
    ws.ingest(file, password=SECRET, progress=False)
    before = stored(ws)
    assert ws.ingest(file, password=SECRET, progress=False).documents == 0
    assert stored(ws) == before
    assert ws.restore(ws.forget("a.docx")).title
    assert stored(ws) == before
    assert ws.reextract("a.docx", password=SECRET, progress=False).documents == 1


def test_a_page_of_an_encrypted_pdf_is_shown_as_text(ws, take):
    take("a.pdf", shut_pdf("sesame"), password="sesame")
    [passage] = ws.run("Who built the relief valve?").sources()[:1]
    message, buffers = source.opened(ws.stores, passage, ())
    assert (buffers, "page" in message) == ([], False)
    assert message["trouble"].startswith("This PDF is encrypted, and its password is not kept")
    assert WORDS in "".join(text for text, _ in message["runs"])


def test_a_pdf_that_takes_a_password_is_told_from_others():
    assert is_shut(shut_pdf("sesame"))
    assert not is_shut(pdf(("Plain.",)))
    assert not is_shut(unlocked(shut_pdf("sesame"), "a.pdf", "sesame"))


def test_a_file_that_is_not_encrypted_is_read_as_it_is_whatever_the_password():
    for name in ("a.docx", "a.epub"):
        data = MADE[name]([(False, WORDS)])
        assert unlocked(data, name, "any") is data
    assert unlocked(b"%PDF-1.7 /Encrypt nothing", "a.pdf", "any") == b"%PDF-1.7 /Encrypt nothing"


@pytest.mark.parametrize("cut", [600, 2000, -500])
def test_a_damaged_encrypted_file_is_refused_in_one_sentence(cut):
    with pytest.raises(DocumentError, match=r"^[^\n]+\.$"):
        read(shut_office()[:cut], "a.docx", password=SECRET)


def test_a_key_that_would_take_hours_to_make_is_refused_at_once():
    data = shut_office()
    assert b'spinCount="100000"' in data
    with pytest.raises(DocumentError, match="take hours to open"):
        read(data.replace(b'spinCount="100000"', b'spinCount="99999999999"'), "a.docx", password=SECRET)


def test_without_the_library_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "msoffcrypto", None)
    with pytest.raises(DocumentError, match=r"pip install provenance-explorer\[passwords\]"):
        unlocked(shut_office(), "a.docx", SECRET)


@pytest.mark.parametrize("name", SHUT)
def test_an_encrypted_file_is_read_with_its_password_and_needs_none_when_its_folder_is_read_again(ws, tmp_path, name):
    (tmp_path / name).write_bytes(SHUT[name]())
    (tmp_path / "plain.txt").write_text("The fan was tested.")
    assert ws.ingest(tmp_path, password=secret_of(name), progress=False).documents == 2
    assert WORDS in ws.document(name).text
    before = stored(ws)
    again = ws.ingest(tmp_path, progress=False)
    assert (again.documents, again.refused, again.notes) == (0, (), ())
    assert stored(ws) == before
    moved = tmp_path / "in" / name
    moved.parent.mkdir()
    (tmp_path / name).rename(moved)
    assert ws.ingest(moved, progress=False).refused == ()
    assert str(moved) in ws.stores.library.places(ws.document(name).iri)


def test_an_encrypted_document_that_somebody_is_to_go_through_takes_its_password_again(ws, tmp_path):
    file = tmp_path / "a.pdf"
    file.write_bytes(SHUT["a.pdf"]())
    ws.ingest(file, password="sesame", extractors="none", progress=False)
    with pytest.raises(DocumentError, match="give its password"):
        ws.ingest(file, progress=False)
    assert ws.ingest(file, password="sesame", progress=False).edges > 0
    assert ws.ingest(file, progress=False).refused == ()
