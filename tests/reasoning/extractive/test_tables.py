"""What a table says: heads with years and units, heads over two rows, tables that a caption apart from them tells."""

import io

import docx
import openpyxl
import pytest

import explorer
from explorer import entities as e
from explorer.record.trace import Trace
from tests.each import each

TOWNS = "town,population 2010,population 2020,area km2\nArn,12400,15100,61\nVelle,8200,7900,22\nSund,20100,23800,40\n"
SPANNED = (
    ",Population,,Area\nMunicipality,2019,2021,km²\nBrekke,5100,5300,410\nDalen,8800,8650,95\nFossum,7900,9020,120\n"
)
ISLANDS = """# Islands of the sound

| Island | Population (2010) | Population (2020) | Area, km² |
|---|---|---|---|
| Hovde | 310 | 290 | 12.5 |
| Lygra | 455 | 512 | 3.1 |
| Tarva | 120 | 98 | 21.0 |
"""
MINES = """<!doctype html><title>Mines of the county</title><h1>Mines of the county</h1><table>
<tr><th rowspan=2>Mine<th colspan=2>Copper (kt)<th colspan=2>Zinc (kt)<tr><th>2018<th>2022<th>2018<th>2022
<tr><td>Falk<td>31<td>28<td>4<td>9<tr><td>Stordal<td>12<td>35<td>6<td>5<tr><td>Rute<td>20<td>22<td>11<td>3</table>"""
PROSE = "The harbour office was founded long ago and keeps its papers in the old tower by the quay. " * 14
NORDWERK = f"""# Report of Nordwerk

The following are the quarterly sales of Nordwerk of 2024, in million euros, which show growth.

{PROSE}

| Quarter | 2023 | 2024 |
|---|---|---|
| Q1 | 4.1 | 5.2 |
| Q2 | 4.4 | 5.9 |
| Q3 | 3.9 | 6.3 |
| Q4 | 4.8 | 7.0 |

{PROSE}
"""
TRADE = """# Trade of the port of Velle

Table 1: Exports of Velle, in tonnes

| Year | Timber | Grain |
|---|---|---|
| 2020 | 510 | 77 |
| 2021 | 530 | 81 |

Table 2: Imports of Velle, in tonnes

| Year | Timber | Grain |
|---|---|---|
| 2020 | 12 | 940 |
| 2021 | 15 | 965 |
"""
FERRIES = """# Fleet

The table below gives the fuel used by the ferries of Ostsund, in tonnes.

Figures were checked by the harbour master in May.

| Ferry | Diesel | | LNG | |
|---|---|---|---|---|
| | 2021 | 2022 | 2021 | 2022 |
| Alma | 120 | 98 | 0 | 40 |
| Bore | 210 | 205 | 12 | 15 |
"""
MILL = """Annual report of the mill

The following figures show the flour milled by the mill at Tveit, in sacks.

Month\t2021\t2022
January\t510\t620
February\t480\t600
March\t555\t590

Prices were as follows:

Sort\t2021\t2022
Rye\t12\t14
Wheat\t15\t19
"""

SHIPS = "Property,Ship Alma,Ship Bore,Ship Ceres\nLength (m),40,,62\nOwner,Lund,Berg,\n"
RAIN = """# Rain at the stations, in millimetres

| Station | 2021 | 2022 |
|---|---|---|
| Harsund | 812 | – |
| Tveit | n/a | 790 |
"""
KEPT = """<!doctype html><title>Animals of the farms</title><h1>Animals of the farms</h1><table>
<tr><th rowspan=2>Farm<th colspan=2>Sheep<th colspan=2>Goats<tr><th>2018<th>2022<th>2018<th>2022
<tr><td>Nes<td>31<td><td>4<td>9<tr><td>Lund<td>12<td>35<td><td>5<tr><td>All<td>43<td>35<td>4<td>14</table>"""


def sheet():
    made, data = openpyxl.Workbook(), io.BytesIO()
    for row in (["Turnover of Ostmar by quarter, thousand kroner"], [], ["Quarter", 2022, 2023], ["Q1", 810, 845],
                ["Q2", 790, 902], ["Q3", 815, 877]):  # fmt: skip
        made.active.append(row)
    made.save(data)
    return data.getvalue()


def captioned_below():
    """A document of Word with two tables, each above its caption."""
    made, data = docx.Document(), io.BytesIO()
    made.add_heading("Weather of the coast", 1)
    made.add_paragraph("The stations are read each morning by the keepers of the lights.")
    for caption, values in (("Table 1. Rainfall at Harsund station, in millimetres", (212, 304, 188)),
                            ("Table 2. Sunshine at Harsund station, in hours", (410, 95, 133))):  # fmt: skip
        table = made.add_table(rows=4, cols=2)
        rows = [("Period", "Value"), *zip(("Q2 2024", "Q3 2024", "Q4 2024"), map(str, values), strict=True)]
        for row, said in zip(table.rows, rows, strict=True):
            for cell, words in zip(row.cells, said, strict=True):
                cell.text = words
        made.add_paragraph(caption)
    made.save(data)
    return data.getvalue()


GUARDS = "day,shift,guard\nMonday,early,Ottis\nTuesday,early,Keir\nTuesday,late,\nWednesday,,\n"
HERDS = "Measure\tFarm Aldby\tFarm Keld\nCows 2015\t41\t12\nCows 2022\t58\t15\nHay (t) 2022\t120.5\t33\n"
LEVELS = (
    "# exported by a logger\ntime,site,level_cm\n2024-06-01T06:00,Brekke,131\n2024-06-01T12:00,Brekke,128\n"
    "2024-06-02T12:00,Brekke,140\n"
)
OATS = "variety,yield (kg),yield (kg) watered\nDun oat,410,505\nBlack rye,366,\nSpelt,290,344\n"
FILES = {
    "towns.csv": TOWNS, "spanned.csv": SPANNED, "islands.md": ISLANDS, "mines.html": MINES, "nordwerk.md": NORDWERK,
    "trade.md": TRADE, "ostmar.xlsx": sheet(), "weather.docx": captioned_below(),
    "ferries.md": FERRIES, "mill.txt": MILL, "ships.csv": SHIPS, "rain.md": RAIN, "kept.html": KEPT,
    "guards.csv": GUARDS, "oats.csv": OATS, "herds.txt": HERDS, "levels.csv": LEVELS,
    "sown.csv": "variety,sown,harvested,kg\nDun oat,3 April,2016-08-20,410\nBlack rye,28 March,2016-08-02,366\n",
}  # fmt: skip

TOLD = [
    ("towns.csv", "Which town had the largest population in 2020?", "highest",
     ["The highest “population 2020” of 3 rows", "Sund", "23800"]),
    ("towns.csv", "Which town had the smallest population in 2010?", "lowest", ["Velle", "8200"]),
    ("towns.csv", "What was the population of Arn in 2020?", "“population 2020”", ["Arn", "15100"]),
    ("towns.csv", "Which town has the largest area?", "highest", ["Arn", "area km2: 61"]),
    ("spanned.csv", "Which municipality had the largest population in 2021?", "highest", ["Fossum",
     "Population 2021: 9020"]),
    ("spanned.csv", "Which municipality had the largest population in 2019?", "highest", ["Dalen",
     "Population 2019: 8800"]),
    ("spanned.csv", "What was the population of Dalen in 2019?", "“Population 2019”", ["8800"]),
    ("spanned.csv", "Which municipality has the largest area?", "highest", ["Brekke", "Area km²: 410"]),
    ("islands.md", "Which island had the smallest population in 2020?", "lowest", ["Tarva", "98"]),
    ("islands.md", "What was the population of Lygra in 2010?", "“Population (2010)”", ["455"]),
    ("islands.md", "Which island has the largest area?", "highest", ["Tarva", "21.0"]),
    ("mines.html", "Which mine produced the most copper in 2022?", "highest", ["Stordal", "Copper (kt) 2022: 35"]),
    ("mines.html", "Which mine produced the most zinc in 2018?", "highest", ["Rute", "Zinc (kt) 2018: 11"]),
    ("nordwerk.md", "What were the sales of Nordwerk in Q3 of 2024?", "“2024”", ["2024: 6.3",
     "quarterly sales of Nordwerk", "million euros"]),
    ("nordwerk.md", "In which quarter of 2023 did Nordwerk have the lowest sales?", "lowest", ["Quarter: Q3",
     "2023: 3.9", "quarterly sales"]),
    ("trade.md", "How many tonnes of grain did Velle import in 2021?", "“Grain”", ["Imports of Velle, in tonnes",
     "Grain: 965"]),
    ("trade.md", "What were the exports of timber of Velle in 2020?", "“Timber”", ["Exports of Velle, in tonnes",
     "Timber: 510"]),
    ("ostmar.xlsx", "What was the turnover of Ostmar in Q2 of 2023?", "“2023”", ["2023: 902", "thousand kroner"]),
    ("weather.docx", "What was the rainfall at Harsund in Q3 2024?", "", ["Value: 304", "millimetres"]),
    ("weather.docx", "What was the sunshine at Harsund in Q4 2024?", "", ["Value: 133", "in hours"]),
    ("ferries.md", "Which ferry used the most diesel in 2022?", "highest", ["Diesel 2022: 205", "in tonnes"]),
    ("ferries.md", "How much LNG did Alma use in 2022?", "“LNG 2022”", ["LNG 2022: 40"]),
    ("mill.txt", "How much flour was milled in March 2022?", "“2022”", ["2022: 590", "in sacks"]),
    ("mill.txt", "In which month of 2021 was the most flour milled?", "highest", ["Month: March", "2021: 555"]),
    ("mill.txt", "What was the price of rye in 2021?", "“2021”", ["Prices were as follows:", "2021: 12"]),
    ("ships.csv", "Who is the owner of Ship Bore?", "", ["Owner", "Ship Bore: Berg"]),
    ("rain.md", "How much rain fell at Harsund in 2021?", "“2021”", ["Harsund", "2021: 812"]),
    ("kept.html", "How many goats were kept at Nes in 2022?", "“Goats 2022”", ["Nes", "Goats 2022: 9"]),
    ("herds.txt", "How much hay did Farm Keld have in 2022?", "“Farm Keld”", ["Hay (t) 2022", "Farm Keld: 33"]),
    ("levels.csv", "What was the level at Brekke at 12:00 on 1 June 2024?", "“level_cm”", ["12:00", "level_cm: 128"]),
    ("sown.csv", "When was the Dun oat sown?", "“sown”", ["sown: 3 April"]),
]  # fmt: skip
UNTOLD = [
    ("towns.csv", "Which town had the largest population in 2015?"),
    ("towns.csv", "What was the population of Arn in 2015?"),
    ("spanned.csv", "What was the population of Dalen in 2020?"),
    ("islands.md", "Which island had the largest population in 2015?"),
    ("nordwerk.md", "What were the sales of Nordwerk in Q3 of 2022?"),
    ("nordwerk.md", "What were the sales of Nordwerk in Q5 of 2024?"),
    ("nordwerk.md", "How many employees had Nordwerk in Q3 of 2024?"),
    ("trade.md", "What were the exports of timber of Velle in 2019?"),
    ("ostmar.xlsx", "What was the turnover of Ostmar in Q2 of 2021?"),
    ("weather.docx", "What was the snowfall at Harsund in Q1 2024?"),
    ("ferries.md", "How much coal did Alma use in 2022?"),
    ("mill.txt", "What was the price of oats in 2021?"),
    ("ships.csv", "What is the length of Ship Bore?"),
    ("ships.csv", "Who is the owner of Ship Ceres?"),
    ("rain.md", "How much rain fell at Harsund in 2022?"),
    ("rain.md", "How much rain fell at Tveit in 2021?"),
    ("kept.html", "How many sheep were kept at Nes in 2022?"),
    ("kept.html", "How many goats were kept at Lund in 2018?"),
    ("guards.csv", "Who is the guard on Tuesday on the late shift?"),
    ("guards.csv", "What is Wednesday?"),
    ("oats.csv", "What was the watered yield of Black rye?"),
    ("herds.txt", "How much hay did Farm Keld have in 2015?"),
    ("levels.csv", "What was the level at Brekke at 18:00 on 1 June 2024?"),
    ("levels.csv", "What was the level at Brekke at 12:00 on 3 June 2024?"),
    ("sown.csv", "Who sowed the Dun oat?"),
    ("sown.csv", "Who harvested the Black rye?"),
]


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    """Ask a question of one of the files."""
    folder, opened = tmp_path_factory.mktemp("tables"), {}

    def ask(name, question):
        if name not in opened:
            content = FILES[name]
            (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
            opened[name] = explorer.open()
            opened[name].ingest(folder / name)
        return Trace(list(opened[name].ask(question)))

    yield ask
    for one in opened.values():
        one.close()


@each(("name", "question", "rule", "said"), TOLD)
def test_a_table_answers_by_its_heads_and_its_caption(asked, name, question, rule, said):
    trace = asked(name, question)
    rules = [one.rule or "" for one in trace.dag.entities.values() if isinstance(one, e.Synthesis)]
    assert trace.reason == "done"
    assert [rule in one for one in rules] == [True]
    assert [words for words in said if words not in trace.answer] == []
    assert trace.support.level == "strong"


@each(("name", "question"), UNTOLD)
def test_what_no_table_tells_is_not_answered(asked, name, question):
    assert asked(name, question).reason == "declined"
