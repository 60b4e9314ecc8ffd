import re
from itertools import pairwise
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.errors import DocumentError
from explorer.ingest.chunker import chunks
from explorer.ingest.readers import files, tables
from explorer.ingest.readers.files import read
from explorer.language.sentences import cells
from tests.each import each

PRICES = """Part no.,Product,Unit,Price,Stock,Supplier,Since
A-100,Hex bolt M8,piece,0.35,1200,Brandt & Sons,2021-03-01
A-101,Hex bolt M10,piece,0.48,800,Brandt & Sons,2021-03-01
B-200,Relief valve RV-2,piece,84.50,14,Halden Steel,2019-06-30
B-201,Relief valve RV-3,piece,112.00,6,Halden Steel,2022-01-10
C-300,Copper pipe 22 mm,metre,7.90,340,Lund Copper,2018-05-05
D-400,Pressure gauge,piece,39.00,25,Meter Works,2023-09-12
"""
YEARS = "Year;Passengers;Flights\n2018;1204500;8210\n2019;1310200;8790\n2020;402100;3105\n"


def rows_of(reading):
    """The cells of every row that is written, without rules."""
    lines = [line for line in reading.text.split("\n") if line.startswith("| ") and not line.startswith("| ---")]
    return [cells(line) for line in lines]


def csv(text, name="a.csv"):
    return read(text.encode(), name)


def test_a_row_is_written_below_the_heads_of_its_columns():
    reading = csv(YEARS, "some/flights_by_year.csv")
    assert reading.text.split("\n") == [
        "| Year | Passengers | Flights |",
        "| --- | --- | --- |",
        "| 2018 | 1204500 | 8210 |",
        "| 2019 | 1310200 | 8790 |",
        "| 2020 | 402100 | 3105 |",
    ]
    assert (reading.title, reading.mime) == ("flights by year", "text/csv")
    assert [part.label for part in reading.parts] == ["Rows 2–4"]


def test_every_passage_of_a_long_table_begins_with_its_heads():
    lines = [f"Valve {n},tank {n % 5},{n}.5" for n in range(500)]
    reading = csv("\n".join(["Valve,Feeds,Pressure", *lines]))
    found = list(chunks(reading))
    assert len(found) == len(reading.parts) > 10
    assert all(chunk.text.startswith("| Valve | Feeds | Pressure |\n| --- |") for chunk in found)
    assert [row[2] for row in rows_of(reading) if row[0] != "Valve"] == [f"{n}.5" for n in range(500)]
    spans = [[int(number) for number in re.findall(r"\d+", part.label)] for part in reading.parts]
    assert all(above[-1] + 1 == below[0] for above, below in pairwise(spans))


def test_a_wide_table_is_divided_into_blocks_that_begin_with_its_first_column():
    heads = ["Name", *(f"c{n}" for n in range(1, 10_000))]
    reading = csv("\n".join([",".join(heads), ",".join(["Anna", *(f"v{n}" for n in range(1, 10_000))])]))
    rows = rows_of(reading)
    assert len(rows) == 2 * len(reading.parts)
    assert {row[0] for row in rows[::2]} == {"Name"}
    assert {row[0] for row in rows[1::2]} == {"Anna"}
    assert [cell for row in rows[1::2] for cell in row[1:]] == [f"v{n}" for n in range(1, 10_000)]
    assert reading.parts[0].label.startswith("Row 2, c1 to c")
    assert max(len(chunk.text) for chunk in chunks(reading)) <= 1000


@each(("text", "heads"), [
    ("Report 2024\n\nName,Price\nBolt,3\nNut,4\n", ["Name", "Price"]),
    ("Report 2024,,\nall prices in euros,,\nName,Price,\nBolt,3,\nNut,4,\n", ["Name", "Price"]),
    ("Bolt,3\nNut,4\nPipe,5\n", ["Column A", "Column B"]),
    ("Region,2019,2020\nNorth,5,6\nSouth,7,8\n", ["Region", "2019", "2020"]),
    ("Anna,2019\nBen,2020\nCleo,2021\n", ["Column A", "Column B"]),
    ("Name,Name,Price,\nBolt,a,3,x\nNut,b,4,y\n", ["Name", "Name", "Price", "Column D"]),
    ("Region,Q1,Q1\nRegion,Plan,Real\nNorth,5,6\n", ["Region", "Q1 Plan", "Q1 Real"]),
    (",2019,2019,2020,2020\nRegion,Sales,Cost,Sales,Cost\nNorth,10,5,12,6\n",
     ["Region", "2019 Sales", "2019 Cost", "2020 Sales", "2020 Cost"]),
    ("Report\n,2019,,2020,\nRegion,Sales,Cost,Sales,Cost\nNorth,10,5,12,6\nSouth,2,3,4,5\n",
     ["Region", "2019 Sales", "2019 Cost", "2020 Sales", "2020 Cost"]),
    ("Report,Draft,,,\nRegion,Sales,Sales,Cost,Cost\nNorth,10,5,12,6\nSouth,2,3,4,5\n",
     ["Region", "Sales", "Sales", "Cost", "Cost"]),
    ("Word\napple\npear\n", ["Word"]),
    ("only,heads\n", ["only", "heads"]),
])  # fmt: skip
def test_the_heads_are_found(text, heads):
    assert rows_of(csv(text))[0] == heads


def test_what_stands_above_the_heads_is_title_and_text():
    reading = csv("Acme price list 2024,,\nall prices in euros,,\nName,Price,\nBolt,3,\nNut,4,\n")
    assert reading.title == "Acme price list 2024"
    assert reading.text.startswith("Acme price list 2024\n\nall prices in euros\n\n| Name | Price |\n")
    assert reading.parts[0].label == "Rows 4–5"


WORD = st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]), max_size=12)
TABLES = st.integers(1, 12).flatmap(
    lambda width: st.lists(st.lists(WORD, min_size=width, max_size=width), min_size=1, max_size=40)
)


@given(TABLES)
def test_passages_are_exact_slices_and_every_cell_is_there(rows):
    try:
        reading = tables.reading_of([tables.Sheet("Sheet A", rows)], "text/csv", "a.csv")
    except DocumentError:
        assert not any(cell.split() for row in rows for cell in row)
        return
    assert all(not reading.text[one.end : other.start].strip() for one, other in pairwise(reading.parts))
    for chunk in chunks(reading):
        assert reading.text[chunk.start : chunk.end] == chunk.text
    said = reading.text.replace("\\|", "|")
    for row in rows:
        for cell in row:
            assert " ".join(cell.split()) in said


def test_more_cells_than_are_read_are_refused(monkeypatch):
    monkeypatch.setattr(tables, "MOST_CELLS", 20)
    monkeypatch.setattr(files.READING, "call", lambda _, __, called, *given: called(*given))  # in this process
    with pytest.raises(DocumentError, match=r"^'a.csv' has more than 20 cells .*; divide it into several files\.$"):
        csv("a,b,c,d\n" * 6)


def test_very_many_columns_are_read_in_seconds():
    begun = process_time()
    text = csv(",".join(f"head {n}" for n in range(40_000)) + "\n" + ",".join("v" for _ in range(40_000))).text
    assert "head 39999" in text
    assert process_time() - begun < 10


def test_answers_come_from_the_right_row_with_the_heads_of_its_columns(ws, tmp_path):
    (tmp_path / "prices.csv").write_text(PRICES, encoding="utf-8")
    (tmp_path / "flights.csv").write_text(YEARS, encoding="utf-8")
    ws.ingest(tmp_path, progress=False)
    for engine in ("graph-rag", "document-rag"):
        trace = ws.run("What is the price of the pressure gauge?", engine=engine)
        assert "Product: Pressure gauge; Unit: piece; Price: 39.00" in trace.answer
        assert trace.support.level == "strong"
        answer = ws.run("Who supplies the relief valve RV-3?", engine=engine).answer
        assert "Supplier: Halden Steel; Since: 2022-01-10" in answer
        assert "2019-06-30" not in answer
        answer = ws.run("How many passengers were there in 2019?", engine=engine).answer
        assert answer == "Year: 2019; Passengers: 1310200; Flights: 8790"
        answer = ws.run("What is the price of the steam whistle?", engine=engine).answer
        assert answer.startswith("I did not find an answer to this in your documents.")
        assert "| " not in answer
