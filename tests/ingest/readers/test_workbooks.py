import datetime as dt
import random
import re
import struct
import warnings
from contextlib import suppress

import openpyxl
import pytest

import explorer
from explorer.errors import DocumentError
from explorer.ingest.readers import formats, long_text, rdf_files
from explorer.ingest.readers.files import read
from tests.each import each
from tests.ingest.readers.made import edited, saved
from tests.ingest.readers.test_tables import rows_of


def stream(name):
    """What a container of older Office files says of a stream in it."""
    return (name.encode("utf-16-le") + b"\0\0").ljust(64, b"\xfd") + struct.pack("<HB", 2 * len(name) + 2, 2)


def xlsx(*sheets, change=None):
    """A workbook of sheets, each a name and its rows."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets:
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    if change:
        change(book)
    return saved(book)


OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
STOCK = [["Product", "Price", "Since", "Share"], ["Bolt", 3.5, dt.date(2024, 1, 5), 0.15],
         ["Nut", 0.1 + 0.2, dt.datetime(2024, 3, 1, 14, 30), 0.5]]  # fmt: skip # noqa: DTZ001


def test_each_sheet_is_a_section_with_its_name_and_cells_are_as_they_are_shown():
    def change(book):
        book.active["B2"].number_format = "€ #,##0.00"
        book.active["D2"].number_format = "0%"
        book.properties.title, book.properties.creator = "Stock list", "R. Voss"

    reading = read(xlsx(("Stock", STOCK), ("Empty", []), ("People", [["Name"], ["Anna"]]), change=change), "a.xlsx")
    assert [part.label for part in reading.parts] == ["Stock, rows 2–3", "People, row 2"]
    assert reading.text.startswith("# Stock\n\n| Product | Price | Since | Share |\n")
    assert rows_of(reading)[1:3] == [["Bolt", "€ 3.50", "2024-01-05", "15%"], ["Nut", "0.3", "2024-03-01 14:30", "0.5"]]
    assert (reading.title, reading.author, reading.mime) == ("Stock list", "R. Voss", formats.XLSX)
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", reading.date)


def test_a_sheet_that_is_not_shown_says_so():
    def hide(book):
        book["Codes"].sheet_state = "veryHidden"

    data = xlsx(("Stock", STOCK), ("Codes", [["Name", "Code"], ["Anna", "X-77"]]), change=hide)
    reading = read(data, "book.xlsx")
    assert "\n\n# Codes (hidden)\n\n| Name | Code |" in reading.text
    assert [part.label for part in reading.parts] == ["Stock, rows 2–3", "Codes (hidden), row 2"]


def test_a_formula_is_its_stored_value_or_none_and_never_computed():
    data = xlsx(
        ("A", [["Name", "Total", "Do"], ["Bolt", "=1+2", '=HYPERLINK("http://x.example")'], ["Nut", "=3+4", "x"]])
    )
    stored = edited(data, lambda _, part: part.replace(b"<f>3+4</f><v></v>", b"<f>3+4</f><v>99</v>")
                      .replace(b"<f>3+4</f><v />", b"<f>3+4</f><v>99</v>"))  # fmt: skip
    rows = rows_of(read(stored, "a.xlsx"))
    assert rows[1] == ["Bolt", "", ""]
    assert rows[2] == ["Nut", "99", "x"]


def test_a_cell_over_several_rows_is_said_in_each_and_over_columns_in_the_heads():
    def change(book):
        sheet = book.active
        sheet.merge_cells("B1:C1")
        sheet.merge_cells("A1:A2")
        sheet.merge_cells("A3:A4")

    rows = [["Region", "2024", None], [None, "Plan", "Real"], ["North", 5, 6], [None, 7, 8], ["South", 9, 10]]
    assert rows_of(read(xlsx(("A", rows), change=change), "a.xlsx")) == [
        ["Region", "2024 Plan", "2024 Real"], ["North", "5", "6"], ["North", "7", "8"], ["South", "9", "10"],
    ]  # fmt: skip


def test_cells_far_apart_are_read():
    def change(book):
        book.active["XFD1048576"] = "far"

    assert rows_of(read(xlsx(("A", [["near"]]), change=change), "a.xlsx")) == [["near", "Column XFD"], ["", "far"]]


def test_entities_in_a_workbook_are_not_expanded():
    bomb = b'<!DOCTYPE x [<!ENTITY a "' + b"a" * 1000 + b'">' + b"".join(
        b'<!ENTITY %c "%s">' % (98 + n, b"&%c;" % (97 + n) * 100) for n in range(6)) + b"]>"  # fmt: skip

    def change(name, part):
        if not name.startswith("xl/worksheets"):
            return part
        return part.replace(b"<worksheet", bomb + b"<worksheet", 1).replace(b"<sheetData>", b"<sheetData>&g;", 1)

    with pytest.raises(DocumentError, match="declares entities"):
        read(edited(xlsx(("A", STOCK)), change), "a.xlsx")


@each("seed", range(40))
def test_a_spoiled_workbook_is_read_or_refused(seed):
    chance = random.Random(seed)
    spoiled = bytearray(xlsx(("A", STOCK)) if seed % 2 else XLS)
    for _ in range(chance.randint(1, 6)):
        spoiled[chance.randrange(8, len(spoiled))] = chance.randrange(256)
    with suppress(DocumentError):
        assert read(bytes(spoiled), "a.xlsx" if seed % 2 else "a.xls").text


def record(kind, data):
    return struct.pack("<HH", kind, len(data)) + data


def words(text):
    if max(text, default="") < "\u0100":  # a byte a character
        return struct.pack("<HB", len(text), 0) + text.encode("latin-1")
    data = text.encode("utf-16-le")
    return struct.pack("<HB", len(data) // 2, 1) + data


def label(row, column, text):
    return record(0x0204, struct.pack("<HHH", row, column, 15) + words(text))


def number(row, column, value, xf=15):
    return record(0x0203, struct.pack("<HHHd", row, column, xf, value))


def biff(kind):
    return record(0x0809, struct.pack("<HHHHII", 0x0600, kind, 0, 1997, 0, 0))


def xls(cells):
    """A workbook of one sheet as Excel 97 wrote it, without the container that it may leave out."""
    fonts = record(0x0031, struct.pack("<HHHHHBBBB", 200, 0, 0x7FFF, 400, 0, 0, 0, 0, 0) + b"\x05\x00Arial") * 4
    formats = record(0x041E, struct.pack("<H", 164) + words('0.00" kg"'))
    styles = record(0x00E0, struct.pack("<HHHBBBBIIH", 0, 0, 0xFFF5, 32, 0, 0, 0, 0, 0, 0x20C0)) * 15
    cell_styles = b"".join(record(0x00E0, struct.pack("<HHHBBBBIIH", 0, kind, 1, 32, 0, 0, 0, 0, 0, 0x20C0))
                           for kind in (0, 14, 9, 164))  # fmt: skip # general, a date, a percentage, in kilograms
    head = biff(5) + record(0x0042, CODE_PAGE) + fonts + formats + styles + cell_styles
    sheet_name = b"\x05\x00Stock"
    place = len(head) + 4 + 6 + len(sheet_name) + 4
    book = head + record(0x0085, struct.pack("<IBB", place, 0, 0) + sheet_name) + record(0x000A, b"")
    return book + biff(16) + cells + record(0x000A, b"")


CODE_PAGE = struct.pack("<H", 1252)
HEADS = ("Product", "Price", "Since", "Share", "Weight")
XLS = xls(b"".join(label(0, column, head) for column, head in enumerate(HEADS))
          + label(1, 0, "Bolt") + number(1, 1, 0.1 + 0.2) + number(1, 2, 45296, 16) + number(1, 3, 0.15, 17)
          + number(1, 4, 2.5, 18))  # fmt: skip


@each("name", ["Workbook", "WORKBOOK", "Book"])
def test_the_workbook_in_a_container_is_told_by_its_name_in_any_case_also_that_of_excel_95(name):
    assert formats.format_of(OLE + bytes(500) + stream(name), "a").name == "XLS"
    with pytest.raises(DocumentError, match="of an older type of Office files"):
        formats.format_of(OLE + bytes(500) + stream(f"{name}s") + name.encode("utf-16-le"), "a")


def test_a_workbook_of_excel_97_is_read():
    reading = read(XLS, "stock.xls")
    assert rows_of(reading) == [["Product", "Price", "Since", "Share", "Weight"],
                                ["Bolt", "0.3", "2024-01-05", "15%", "2.50 kg"]]  # fmt: skip
    assert [part.label for part in reading.parts] == ["Stock, row 2"]
    assert reading.mime == formats.XLS


def contained(book):
    """A workbook in its container: a header, a table of sectors, a folder of two entries, and the stream."""
    book = book.ljust(max(4096, -(-len(book) // 512) * 512), b"\0")
    sectors = len(book) // 512
    chain = [*range(3, 2 + sectors), 0xFFFFFFFE]
    table = struct.pack(f"<{2 + sectors}I", 0xFFFFFFFD, 0xFFFFFFFE, *chain).ljust(512, b"\xff")
    entry = "<64sHBBIII16sIQQIQ"
    folder = b"".join(struct.pack(entry, name.encode("utf-16-le"), 2 * len(name) + 2, kind, 1, no, no, child, b"", 0,
                                  0, 0, at, size)
                      for no in [0xFFFFFFFF]
                      for name, kind, child, at, size in [("Root Entry", 5, 1, 0xFFFFFFFE, 0),
                                                          ("Workbook", 2, no, 2, len(book))])  # fmt: skip
    head = struct.pack("<8s16sHHHHH6sIIIIIIIII", OLE[:8], b"", 0x3E, 3, 0xFFFE, 9, 6, b"", 0, 1, 1, 0, 4096,
                       0xFFFFFFFE, 0, 0xFFFFFFFE, 0)  # fmt: skip
    return head + struct.pack("<109I", 0, *[0xFFFFFFFF] * 108) + table + folder.ljust(512, b"\0") + book


CELLS = label(0, 0, "Product") + label(0, 1, "Share") + label(1, 0, "Bolt") + number(1, 1, 0.15, 17)
FAILED_ON = {  # by xlrd
    "a comment that is longer than it says": record(
        0x001C, struct.pack("<HHHHHB", 1, 1, 0, 1, 1, 0) + b"Ada" + b"\0" * 9
    ),
    "a row that is cut": record(0x0208, b"\0"),
    "a format of cells that is cut": record(0x00BE, b"\0\0"),
}


@each("fault", FAILED_ON)
def test_a_workbook_that_one_reader_fails_on_is_read_by_another_and_a_note_says_what_is_unknown(fault):
    book = contained(xls(CELLS + FAILED_ON[fault]))
    with pytest.raises(DocumentError, match=r"(can't be read as|is a damaged) XLS"):  # its texts would be another's
        read(book, "stock.xls")
    reading = read(book.replace(record(0x0042, CODE_PAGE), record(0x0042, struct.pack("<H", 1200))), "stock.xls")
    assert rows_of(reading) == [["Product", "Share"], ["Bolt", "0.15"]]
    assert ["percent signs" in note for note in reading.notes] == [True]


@each("data", [XLS, contained(XLS), xlsx(("A", STOCK))])
def test_a_workbook_of_which_the_beginning_does_not_tell_what_it_is_is_read(data, monkeypatch, tmp_path):
    monkeypatch.setattr(long_text, "LONG", 1_000)
    monkeypatch.setattr(long_text, "_BLOCK", 600)
    monkeypatch.setattr(rdf_files, "LONG", 1_000)
    monkeypatch.setattr(rdf_files, "_HEAD", 600)
    (tmp_path / "a.xls").write_bytes(data)
    with explorer.open() as ws:
        assert ws.ingest(tmp_path / "a.xls", extractors=(), progress=False).documents == 1


def redated(data, dates):
    """A workbook with other dates in its properties."""
    found = re.compile(rb"<dcterms:created.*</dcterms:\w+>")
    for name in (b"created", b"modified"):
        space = b'<dcterms:%s xmlns:dcterms="http://purl.org/dc/terms/">' % name
        dates = dates.replace(b"<dcterms:%s>" % name, space)
    return edited(data, lambda name, part: found.sub(dates, part) if name == "docProps/core.xml" else part)


def test_a_workbook_without_a_date_has_none_and_one_with_dates_that_of_its_last_change():
    data = xlsx(("Stock", STOCK))
    assert read(redated(data, b""), "a.xlsx").date is None
    dates = b"<dcterms:created>2006-09-16T00:00:00Z</dcterms:created>"
    assert read(redated(data, dates), "a.xlsx").date == "2006-09-16"
    dates += b"<dcterms:modified>2024-05-06T07:08:09Z</dcterms:modified>"
    assert read(redated(data, dates), "a.xlsx").date == "2024-05-06"


def test_a_title_over_all_columns_is_said_once():
    def change(book):
        sheet = book.active
        sheet.insert_rows(1, 2)
        sheet["A1"] = "Stock of bolts"
        sheet.merge_cells("A1:D2")

    assert read(xlsx(("Stock", STOCK), change=change), "a.xlsx").text.startswith(
        "# Stock\n\nStock of bolts\n\n| Product |"
    )


def test_each_table_of_a_sheet_has_its_own_heads():
    rows = [
        ["Sales of 2023"], ["Zone", "Sold", "Left"], ["North", 3, 4], ["South", 5, 6], [],
        ["Sales of 2022"], [], ["Zone", "Sold in all", "Left"], ["North", 7, 8], [], ["East", 9, 10],
    ]  # fmt: skip
    reading = read(xlsx(("Sheet", rows)), "a.xlsx")
    assert reading.title == "Sales of 2023"
    assert [part.label for part in reading.parts] == ["Rows 3–4", "Rows 9–11"]
    assert reading.text.endswith(
        "Sales of 2022\n\n| Zone | Sold in all | Left |\n| --- | --- | --- |\n| North | 7 | 8 |\n| East | 9 | 10 |"
    )


@each(("last", "is_note"), [
    ("Source: surveyor R. Amsel", True),
    ("All depths are below ground.", True),
    ("Manor", False),
    ("St. Mary", False),
])  # fmt: skip
def test_a_note_below_a_table_is_no_row_of_it(last, is_note):
    reading = read(xlsx(("Wells", [["Well", "Spring"], ["Friar", 8.05], ["Cold Pump", 6.4], [last]])), "a.xlsx")
    assert reading.text.endswith(f"\n\n{last}" if is_note else f"\n| {last} |  |")
    assert reading.parts[-1].label == ("Wells, row 4" if is_note else "Wells, rows 2–4")


BESIDE = [["Goats", None, None, None, "Geese"], ["Pen", "Head", "Kids", None, "Pond", "Head"],
          ["Ash", 14, 9, None, "Long", 33], ["Birch", 21, None, None, "Round", 12]]  # fmt: skip
CONTACTS = [["Name", "Town", None, "Mail", "Page"], ["Ann", "Ulm", None, "a@x.org", "x.org"], ["Bo", "Bern"]]
GAP = [["Zone", "Town", None, "Plan", "Real"], ["North", "Ulm", None, 1, 2], ["South", "Bern", None, 3, 4]]


@each(("rows", "tables"), [
    (BESIDE, ["Goats\n\n| Pen | Head | Kids |", "Geese\n\n| Pond | Head |\n| --- | --- |\n| Long | 33 |"]),
    (CONTACTS, ["| Name | Town | Mail | Page |", "| Ann | Ulm | a@x.org | x.org |"]),
    (GAP, ["| Zone | Town | Plan | Real |", "| South | Bern | 3 | 4 |"]),
])  # fmt: skip
def test_tables_side_by_side_are_two_and_an_empty_column_alone_divides_none(rows, tables):
    text = read(xlsx(("Sheet", rows)), "a.xlsx").text
    assert [one for one in tables if one not in text] == []


def test_a_row_of_words_below_an_empty_row_begins_no_table_where_there_are_no_figures_above_it():
    rows = [["Name", "Place", "Trade"], ["Ann", "Rome", "Baker"], [], ["Bob", "Oslo", "Smith"], ["Cy", "Bern", 7]]
    assert [part.label for part in read(xlsx(("Sheet", rows)), "a.xlsx").parts] == ["Rows 2–5"]


def test_a_sign_may_be_the_head_of_a_column():
    assert "| # | Name |" in read(xlsx(("Sheet", [["#", "Name"], [1, "Bolt"], [2, "Nut"]])), "a.xlsx").text


@each("name", ["docProps/core.xml", "xl/styles.xml", "xl/workbook.xml", "[Content_Types].xml"])
def test_a_workbook_whose_parts_are_no_xml_is_read_or_refused_in_one_sentence(name):
    data = edited(xlsx(("Stock", STOCK)), lambda part, given: given[: len(given) // 2] if part == name else given)
    with suppress(DocumentError):
        assert "Bolt" in read(data, "a.xlsx").text


def test_nothing_is_said_of_what_is_in_a_workbook_besides_its_cells():
    extension = b'<extLst><ext uri="{78C0D931-6437-407d-A8EE-F0AAD7539E65}"/></extLst></worksheet>'
    data = edited(xlsx(("Stock", STOCK)), lambda _, part: part.replace(b"</worksheet>", extension))
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        assert "Bolt" in read(data, "a.xlsx").text
    assert said == []


def test_a_sheet_that_is_an_empty_chart_is_passed_over():
    data = xlsx(("Flights", [["Year", "Flights"], [1970, 3]]), change=lambda book: book.create_chartsheet("Empty"))
    assert "1970" in read(data, "a.xlsx").text
