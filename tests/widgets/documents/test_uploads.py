import pytest

from explorer.errors import DocumentError
from explorer.ingest.limits import MOST_BYTES
from explorer.view.messages.requests import SendPiece
from explorer.widgets.documents.uploads import PIECE, Uploads, plain_name
from tests.each import each

DATA = bytes(range(256)) * 10_000


def send(uploads, data=DATA, file="1", name="a.bin"):
    begins = range(0, max(1, len(data)), PIECE)
    paths = [uploads.take(SendPiece(file, name, len(data), at), data[at : at + PIECE]) for at in begins]
    assert paths[:-1] == [None] * (len(paths) - 1)
    return paths[-1]


def test_a_file_comes_in_pieces_and_is_whole_with_the_last():
    uploads = Uploads()
    first, second = send(uploads), send(uploads, b"other", file="2")
    assert (first.read_bytes(), second.read_bytes()) == (DATA, b"other")
    assert send(uploads, b"", file="3").read_bytes() == b""


@each(
    ("at", "size", "data"),
    [
        (PIECE, len(DATA), DATA[PIECE : 2 * PIECE]),  # once more
        (2 * PIECE + 1, len(DATA), DATA[2 * PIECE + 1 :]),
        (2 * PIECE, len(DATA), DATA[2 * PIECE : -1]),
        (2 * PIECE, len(DATA), DATA[2 * PIECE :] + b"x"),
        (2 * PIECE, len(DATA) + 1, DATA[2 * PIECE :]),
    ],
)
def test_what_does_not_come_whole_is_refused_and_nothing_of_it_kept(at, size, data):
    uploads = Uploads()
    for begin in (0, PIECE):
        assert uploads.take(SendPiece("1", "a", len(DATA), begin), DATA[begin : begin + PIECE]) is None
    [kept] = uploads.kept()
    with pytest.raises(DocumentError, match="choose it again"):
        uploads.take(SendPiece("1", "a", size, at), data)
    assert not kept.exists()
    with pytest.raises(DocumentError, match="choose it again"):
        uploads.take(SendPiece("1", "a", len(DATA), 2 * PIECE), DATA[2 * PIECE :])
    assert send(uploads).read_bytes() == DATA


@pytest.mark.parametrize("size", [MOST_BYTES + 1, -1])
def test_a_file_that_is_too_large_is_refused_with_its_first_piece(size):
    with pytest.raises(DocumentError, match="at most 200,000,000"):
        Uploads().take(SendPiece("1", "a", size, 0), b"x" * PIECE)


def test_a_file_that_is_dropped_or_begins_again_leaves_nothing():
    uploads = Uploads()
    for _ in range(2):
        uploads.take(SendPiece("1", "a", len(DATA), 0), DATA[:PIECE])
    [kept] = uploads.kept()
    assert len(list(kept.parent.iterdir())) == 1
    uploads.drop("1")
    uploads.drop("never there")
    assert list(kept.parent.iterdir()) == []


@each(
    ("name", "plain"),
    [
        ("report.pdf", "report.pdf"),
        ("notes/may/a.md", "notes/may/a.md"),
        ("../../etc/passwd", "etc/passwd"),
        ("/etc/passwd", "etc/passwd"),
        ("C:\\files\\a.txt", "C:/files/a.txt"),
        ("a\x1b[31m\n\u202eb.txt", "a[31m b.txt"),
        ("..", "file"),
        ("", "file"),
        ("ä" * 500 + ".txt", "ä" * 396 + ".txt"),
    ],
)
def test_a_name_is_what_was_chosen_and_leads_nowhere_else(name, plain):
    assert plain_name(name) == plain
