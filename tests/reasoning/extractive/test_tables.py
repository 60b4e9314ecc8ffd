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
