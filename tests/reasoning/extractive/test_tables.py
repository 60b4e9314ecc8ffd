import re

import pytest

import explorer

ENERGY = """Month,Electricity (kWh),Heat (kWh)
2025-07,61,230
2025-08,58,221
2025-09,97,402
2025-10,288,1010
2025-11,412,1660
"""
PRICES = "Item,Size,Price (EUR),In stock\nOak plank,2 m,24.5,40\nPine plank,2 m,9.8,212\nWood glue,750 ml,11.9,17\n"


@pytest.fixture(scope="module")
def ws(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    (folder / "energy.csv").write_text(ENERGY)
    (folder / "prices.csv").write_text(PRICES)
    with explorer.open() as opened:
        opened.ingest(folder, progress=False)
        yield opened


@pytest.mark.parametrize(
    ("question", "said", "row"),
    [
        ("How much electricity did we use in August 2025?", "58.", "Month: 2025-08; Electricity (kWh): 58"),
        ("In which month was the electricity highest?", "The highest “Electricity (kWh)” of 5 rows:", "Month: 2025-11"),
        ("How much does the wood glue cost?", "Price (EUR), Wood glue: 11.9.", "Item: Wood glue"),
        ("Which item is the cheapest?", "The lowest “Price (EUR)” of 3 rows:", "Item: Pine plank"),
        ("What is the most expensive item?", "The highest “Price (EUR)” of 3 rows:", "Item: Oak plank"),
    ],
)
@pytest.mark.parametrize("engine", ["graph-rag", "document-rag"])
def test_a_cell_and_the_highest_of_a_column_are_read_from_its_row(ws, engine, question, said, row):
    trace = ws.run(question, engine)
    assert said in trace.answer
    assert row in trace.answer
    assert trace.support.level == "strong"
    assert not trace.support.sure
    assert "of a table" in trace.dag.final.entity.rule
    assert [cited for citation in trace.dag.citations for cited in citation.cites]


def test_things_are_counted_by_a_column_of_quantities_and_the_most_valuable_is_the_highest(tmp_path):
    rows = "Room,Item,Quantity,Value (GBP)\nKitchen,Chair,4,160\nHall,Mirror,1,45\nHall,Chair,2,80\nHall,Sofa,1,500\n"
    (tmp_path / "rooms.csv").write_text(rows)
    with explorer.open() as ws:
        ws.ingest(tmp_path, progress=False)
        assert ws.run("How many chairs are there?").answer.startswith("6: the sum of “Quantity” in 2 rows")
        assert "Item: Sofa" in ws.run("What is the most valuable item?").answer
        assert "Item: Mirror" in ws.run("What is the least valuable item?").answer


def test_a_month_is_found_however_it_is_written(ws):
    for month in ("2025-08", "08/2025", "August 2025", "Aug 2025"):
        trace = ws.run(f"How much electricity did we use in {month}?")
        assert "Month: 2025-08; Electricity (kWh): 58;" in trace.answer
        assert "2025-07" not in trace.answer
        assert trace.support.level == "strong"


def test_a_sum_shows_the_rows_that_it_rests_on(ws):
    answer = ws.run("What was the total heat from July to September 2025?").answer
    assert answer.startswith("853: the sum of “Heat (kWh)” in 3 rows with “July to September 2025”:")
    assert all(f"Month: 2025-0{month};" in answer for month in (7, 8, 9))


@pytest.mark.parametrize(
    "question",
    [
        "How much electricity did we use in August 2024?",  # a month that no row has
        "How much electricity did Brighton use in August 2025?",  # a name that stands nowhere
        "How much electricity did we use?",  # no row is named
    ],
)
def test_a_table_says_nothing_of_what_no_row_has(ws, question):
    trace = ws.run(question)
    assert "of a table" not in (trace.dag.final.entity.rule or "")


def test_of_a_table_that_is_not_read_whole_no_row_is_called_the_highest(tmp_path):
    rows = "".join(f"2{year:03}-{month:02},{year * month}\n" for year in range(10, 26) for month in range(1, 13))
    (tmp_path / "long.csv").write_text(f"Month,Rainfall (mm)\n{rows}")
    with explorer.open() as ws:
        ws.ingest(tmp_path, progress=False)
        trace = ws.run("In which month was the rainfall highest?", doc_limit=1, engine="document-rag")
        assert "of a table" not in (trace.dag.final.entity.rule or "")


BOATS = """Boat,Owner,Length (m),Mooring fee (EUR),Built,Insured,Berth
Alba,Renshaw,7.2,410,1996,yes,jetty
Brisa,Samuel Okafor,9.5,560,2008,no,jetty
Corvo,Renshaw,5.4,250,2015,yes,buoy
Dorade,Lindahl,11.8,720,1974,yes,jetty
Egret,Tamm,6.1,250,2019,no,buoy
Fulmar,Baptiste,8.3,480,2011,,jetty
"""
OFFICES = "Office,From,To\nAngus Flett,1841,1862\nJames Flett,1862,1890\nRobert Linklater,1890,1921\n"


@pytest.fixture(scope="module")
def boats(tmp_path_factory):
    folder = tmp_path_factory.mktemp("boats")
    (folder / "boats.csv").write_text(BOATS)
    with explorer.open() as opened:
        opened.ingest(folder, progress=False)
        yield opened


@pytest.mark.parametrize(
    ("question", "said", "rows"),
    [
        ("What is the total mooring fee of the boats that are not insured?",
         "810: the sum of “Mooring fee (EUR)” in 2 rows with “Insured: no” (1 row has no “Insured”):", "Brisa Egret"),
        ("What is the total mooring fee of the insured boats?", "1,380: the sum", "Alba Corvo Dorade"),
        ("Which boats are not insured?", "Brisa, Egret: “Boat” of 2 rows with “Insured: no”", "Brisa Egret"),
        ("Which boats are uninsured?", "Brisa, Egret: “Boat” of 2 rows with “Insured: no”", "Brisa Egret"),
        ("How many boats are longer than 7 m?", "4: rows with “Length (m): over 7”, of 6 in all:",
         "Alba Brisa Dorade Fulmar"),
        ("How many boats are shorter than 5 m?", "0: rows with “Length (m): under 5”, of 6 in all; these are",
         "Alba Brisa Corvo Dorade Egret Fulmar"),
        ("Which boats were built after 2010?", "Corvo, Egret, Fulmar: “Boat” of 3 rows with “Built: after 2010”:",
         "Corvo Egret Fulmar"),
        ("Which boats were built between 2005 and 2015?", "Brisa, Corvo, Fulmar: “Boat” of 3 rows",
         "Brisa Corvo Fulmar"),
        ("Who owns the boats built since 2011?",
         "Renshaw, Tamm, Baptiste: “Owner” of 3 rows with “Built: from 2011 on”:",
         "Corvo Egret Fulmar"),
        ("Who pays at least 560 euros?", "Samuel Okafor, Lindahl: “Owner” of 2 rows", "Brisa Dorade"),
        ("What does Okafor pay as a mooring fee in total?", "Mooring fee (EUR), Samuel Okafor: 560", "Brisa"),
        ("What is the average length of the boats not on the jetty?", "5.75: the mean of “Length (m)” in 2 rows",
         "Corvo Egret"),
        ("How many boats has Renshaw?", "2: rows with “Renshaw”, of 6 in all:", "Alba Corvo"),
        ("Which boat at the buoy is the longest?", "The highest “Length (m)” of 2 rows with “buoy”:", "Egret"),
    ],
)  # fmt: skip
def test_what_a_question_says_of_rows_is_heeded_and_said(boats, question, said, rows):
    trace = boats.run(question)
    assert trace.answer.startswith(said)
    assert [name for name in "Alba Brisa Corvo Dorade Egret Fulmar".split() if f"Boat: {name};" in trace.answer] == (
        rows.split()
    )
    assert trace.support.level == "strong"
    assert re.search("in the rows with “|the row with “", trace.dag.final.entity.rule)


def test_a_condition_that_no_column_holds_is_told_and_the_answer_is_related_at_most(boats):
    trace = boats.run("What is the total mooring fee of the boats with a diesel engine?")
    said = "2,670: the sum of “Mooring fee (EUR)” in all 6 rows (nothing in the rows says “diesel engine”):"
    assert trace.answer.startswith(said)
    assert trace.support.level == "weak"
    assert "nothing in the rows says “diesel engine”" in trace.dag.final.entity.rule


@pytest.mark.parametrize(("owner", "said"), [("Lindahl", "Yes:"), ("Tamm", "No:")])
def test_yes_or_no_is_read_from_the_row_that_is_named(boats, owner, said):
    answer = boats.run(f"Is the boat of {owner} insured?").answer
    assert answer.startswith(said)
    assert f"Owner: {owner};" in answer


def test_an_empty_cell_is_neither_yes_nor_no(boats):
    assert not boats.run("Is the boat of Baptiste insured?").answer.startswith(("Yes", "No:"))


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("Who held the office in 1850?", "Angus Flett"),
        ("Who started before 1870?", "Angus Flett, James Flett"),
        ("Who left in 1921?", "Robert Linklater"),
    ],
)
def test_of_rows_with_a_beginning_and_an_end_those_are_meant_in_which_a_date_lies(tmp_path, question, names):
    (tmp_path / "keepers.csv").write_text(OFFICES.replace("Office", "Keeper"))
    with explorer.open() as ws:
        ws.ingest(tmp_path, progress=False)
        assert names in ws.run(question).answer.partition("Keeper: ")[0]


def test_rows_are_counted_by_a_head_that_the_question_has_too_and_amounts_may_look_like_years(tmp_path):
    (tmp_path / "staff.csv").write_text("Name,Hours per week,Volume (l)\nAda Voss,38,2400\nBram Ilic,30,1800\n")
    with explorer.open() as ws:
        ws.ingest(tmp_path, progress=False)
        answer = ws.run("How many people work less than 35 hours per week?").answer
        assert answer.startswith("1: row with “Hours per week: under 35”, of 2 in all:")
        assert ws.run("Who has more than 2000 litres?").answer.startswith(
            "Ada Voss: “Name” of 1 row with “Volume (l): over"
        )


def test_the_highest_is_of_a_column_of_which_the_rows_are_no_numbers(tmp_path):
    (tmp_path / "batches.csv").write_text(
        "Batch,Beer,ABV %\n115,Pale ale,4.9\n116,Stout,6.1\n118,Lager,\n119,Wheat,5.2\n"
    )
    with explorer.open() as ws:
        ws.ingest(tmp_path, progress=False)
        answer = ws.run("Which batch had the highest ABV?").answer
        assert answer.startswith("The highest “ABV %” of 3 rows (1 has no number in “ABV %”):")
        assert "Batch: 116;" in answer
        assert "Batch: 115;" not in answer


def test_of_columns_in_one_unit_the_one_answers_that_the_question_names(tmp_path):
    file = tmp_path / "accounts.csv"
    file.write_text(
        "Item,Planned (EUR),Spent (EUR)\nHeating oil,31000,36450\nRepairs,18000,12720\nInsurance,9400,9810\n"
    )
    with explorer.open() as ws:
        ws.ingest(file)
        assert "36450" in ws.run("How much was spent on heating oil?").answer.partition(".")[0]
        assert "18000" in ws.run("How much was planned for repairs?").answer.partition(".")[0]


def test_rows_of_totals_are_left_out_of_sums_and_of_the_highest_and_that_is_told(tmp_path):
    (tmp_path / "sales.csv").write_text(
        "Region,Sales (EUR)\nNorth,120\nEast,75\nTotal coast,195\nHills,40\nTotal station,33\nTotal,268\n"
    )
    (tmp_path / "claims.md").write_text(
        "Claims\n\n| Kind | Claims in 2004 |\n| --- | --- |\n| Miners |  |\n| Approved | 539 |\n| Denied | 60 |\n"
        "| Others |  |\n| Approved | 99 |\n| Denied | 8 |\n| TOTAL |  |\n| Approved | 638 |\n| Denied | 68 |\n\nEnd.\n"
    )
    with explorer.open() as ws:
        ws.ingest(tmp_path, progress=False)
        assert ws.run("What were the sales in total?").answer == "Region: Total; Sales (EUR): 268"
        answer = ws.run("What is the sum of the sales of all regions?").answer
        assert answer.startswith("268: the sum of “Sales (EUR)” in 4 rows (without 2 rows of totals):")
        highest = ws.run("Which region had the highest sales?").answer
        assert "of 4 rows (without 2 rows of totals):" in highest
        assert "Region: North; Sales (EUR): 120" in highest
        assert "in 2 rows with “North”, “East”:" in ws.run("What were the total sales of North and East?").answer
        approved = ws.run("How many claims were approved in total?").answer
        assert approved.startswith("638: the sum of “Claims in 2004” in 2 rows with “Approved”")
