import json

import pytest

import explorer
from explorer.errors import DocumentError
from explorer.ingest.limits import Limits, Meter
from explorer.ingest.readers.files import read
from explorer.ingest.readers.separated import read_json_lines, read_separated
from tests.each import each
from tests.ingest.readers.test_tables import rows_of


@each("divider", [",", ";", "\t", "|"])
def test_what_divides_the_cells_is_found(divider):
    text = divider.join(["Name", "Says"]) + "\n" + divider.join(["Anna", '"yes, no; or | more"']) + "\n"
    assert rows_of(read(text.encode(), "a.csv")) == [["Name", "Says"], ["Anna", "yes, no; or | more"]]


@each(("text", "rows"), [
    ("Name,,Price,\n,,,\nBolt,,3,\n\n,,,\nNut,,4,\n", [["Name", "Price"], ["Bolt", "3"], ["Nut", "4"]]),
    ("Name,,Price\nBolt,,3\nSubtotal,,\nNut,,4\n", [["Name", "Price"], ["Bolt", "3"], ["Subtotal", ""], ["Nut", "4"]]),
    ("sep=;\nName;Price\nBolt;3,5\n", [["Name", "Price"], ["Bolt", "3,5"]]),
    ("Name,Price\r\nBolt,3\rNut,4\n", [["Name", "Price"], ["Bolt", "3"], ["Nut", "4"]]),
    ('Name,Note\nBolt,"two\nlines"\n', [["Name", "Note"], ["Bolt", "two lines"]]),
    ('Name,Size\nPipe,5" wide\nBolt,"3"" long"\n', [["Name", "Size"], ["Pipe", '5" wide'], ["Bolt", '3" long']]),
    ('Name,Note\n"Bolt,never closed\nNut,4\n', [["Name", "Note"], ['"Bolt', "never closed"], ["Nut", "4"]]),
    ("Name,Do\nBolt,=cmd|' /C calc'!A0\n", [["Name", "Do"], ["Bolt", "=cmd|' /C calc'!A0"]]),
    ("Name,Price\nBolt,3,4,5\nNut\n",
     [["Name", "Price", "Column C", "Column D"], ["Bolt", "3", "4", "5"], ["Nut", "", "", ""]]),
    ("file_name,max_size\n__init__,3_000\n", [["file_name", "max_size"], ["__init__", "3_000"]]),
])  # fmt: skip
def test_rows_are_read_as_they_are_meant(text, rows):
    assert rows_of(read(text.encode(), "a.csv")) == rows


@each(("data", "name", "row", "mime", "encoding"), [
    (b"Name\tSays\nAnna\tyes, no\n", "a.tsv", ["Anna", "yes, no"], "text/tab-separated-values", None),
    ('Name\tSays\r\nAnna\t"a ""b"""\r\nOle\t\r\n'.encode("utf-16"), "a.txt", ["Anna", 'a "b"'],
     "text/tab-separated-values", None),
    ("Name\tSays\nÅse\tyes\nOle\tno\n".encode("cp1252"), "a.txt", ["Åse", "yes"], "text/tab-separated-values",
     "Windows-1252"),
    ("Name;Preis\nBürste;3,50 €\n".encode("cp1252"), "a.csv", ["Bürste", "3,50 €"], "text/csv", "Windows-1252"),
])  # fmt: skip
def test_a_file_with_tabs_alone_and_one_of_excel_in_an_older_encoding_are_read(data, name, row, mime, encoding):
    reading = read(data, name)
    assert (rows_of(reading)[1], reading.mime, reading.encoding) == (row, mime, encoding)


@each("text", [
    "A heading\twith a tab\n\nWords.\n",
    "2024-06-01\tINFO\tbegun\n2024-06-02\tINFO\tover\n2024-06-03\tINFO\tend\n",
    "Name\tSays\nAnna\tyes\nThe end of the list.\n",
    "Name\tSays\nAnna\tyes",
])  # fmt: skip
def test_a_text_with_tabs_that_is_no_sheet_stays_as_it_was_typed(text):
    reading = read(text.encode(), "a.txt")
    assert (reading.text, reading.mime) == (text, "text/plain")


def test_a_cell_of_a_megabyte_is_read():
    reading = read(b"Name,Note\nBolt," + b"long " * 200_000 + b"\nNut,4\n", "a.csv")
    assert [row[0] for row in rows_of(reading)] == ["Name", "Bolt", "Name", "Nut"]


def jsonl(*items):
    return "".join(f"{json.dumps(item)}\n" for item in items).encode()


def test_objects_are_rows_with_their_keys_as_heads():
    items = [{"name": "Bolt", "price": 3.5, "of": {"steel": True}, "sizes": ["M8", "M10"]}, {"name": None, "stock": 0}]
    reading = read(jsonl(*items), "a.jsonl")
    assert rows_of(reading) == [
        ["name", "price", "of.steel", "sizes", "stock"],
        ["Bolt", "3.5", "true", "M8, M10", ""],
        ["", "", "", "", "0"],
    ]


def test_lines_of_a_session_are_refused_and_rows_are_one_document(ws, tmp_path):
    (tmp_path / "rows.jsonl").write_bytes(
        jsonl({"city": "Bergen", "mayor": "Anna Lund"}, {"city": "Oslo", "mayor": "Ivar Dahl"})
    )
    (tmp_path / "run.jsonl").write_bytes(jsonl({"id": "r1", "response": {"message_type": "explain"}}))
    (tmp_path / "own.jsonl").write_bytes(jsonl({"message_type": "chunk", "response": "x"}))
    (tmp_path / "broken.jsonl").write_bytes(jsonl({"city": "Bergen"}) + b"{oops\n")
    (tmp_path / "texts.jsonl").write_bytes(jsonl({"id": "p1", "text": "The tank was moved to Lund."}))
    done = ws.ingest(tmp_path, progress=False)
    assert done.documents == 2
    assert [refused.reason.partition(" (")[0].replace(f"{tmp_path}/", "") for refused in done.refused] == [
        "'broken.jsonl', line 2: it is not JSON",
        "'own.jsonl' is a recorded session, not a document; use `explorer import` for it.",
        "'run.jsonl' is a recorded session, not a document; use `explorer import` for it.",
    ]
    assert ws.run("Who is the mayor of Oslo?").answer == "city: Oslo; mayor: Ivar Dahl"


def test_a_key_that_stands_twice_in_an_object_is_refused_for_one_value_would_be_lost():
    with pytest.raises(DocumentError, match="line 2: the key 'name' stands there more than once"):
        read_json_lines(b'{"name": "Tern"}\n{"name": "Tern", "name": "Fulmar"}\n', "a.jsonl")
    with pytest.raises(DocumentError, match="the key 'b'"):
        read_json_lines(b'{"a": {"b": 1, "b": 2}}\n', "a.jsonl")


def test_a_cell_without_end_is_refused_unless_it_is_allowed(tmp_path):
    file = tmp_path / "a.csv"
    file.write_bytes(b"name,note\nTern," + 300_000 * b"x" + b"\n")
    with explorer.open(tmp_path / "ws", embedder=None) as ws:
        with pytest.raises(DocumentError, match=r"has a cell of more than 200,000 characters; .* --max-cell\."):
            ws.ingest(file, max_cell=200_000)
        assert ws.ingest(file).documents == 1
    wide = b"name,note\nTern," + 10_000_001 * b"x" + b"\n"
    with pytest.raises(DocumentError, match=r"more than 10,000,000 characters"):
        read_separated(wide, "a.csv")
    assert "x" in read_separated(wide, "a.csv", Meter(Limits(cell=10_000_001))).text


def test_rows_of_json_lines_have_the_numbers_of_their_lines():
    data = b'{"name": "Tern"}\n{"name": "Fulmar"}\n'
    assert [part.label for part in read_json_lines(data, "a.jsonl").parts] == ["Rows 1\u20132"]


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_objects_in_utf_16_without_a_mark_are_read(codec):
    data = '{"name": "Kittiwake", "year": 1987}\n{"name": "Fulmar", "year": 1992}\n'.encode(codec)
    assert "| Fulmar | 1992 |" in read_json_lines(data, "a.jsonl").text
