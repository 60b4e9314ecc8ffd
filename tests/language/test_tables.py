from explorer.language.tables import captions, columns_above, joined_heads
from tests.each import each

TABLE = "| Quarter | Sales |\n|---|---|\n| Q1 | 4.1 |\n| Q2 | 4.4 |\n"


@each(("rows", "heads"), [
    ([["", "Catch", ""], ["Port", "2019", "2020"], ["Arn", "12", "15"]], ["Port", "Catch 2019", "Catch 2020"]),
    ([["Port", "Sold", "Sold"], ["", "cod", "ling"], ["Arn", "1", "2"]], ["Port", "Sold cod", "Sold ling"]),
    ([["Catch of 2020", "", ""], ["Port", "cod", "herring"], ["Arn", "1", "2"]], []),
    ([["Name", "Role", ""], ["Ann", "Chair", "new"], ["Tom", "Treasurer", "old"]], []),
    ([["Port", "Cod", "Herring"], ["Arn", "1", "2"], ["Velle", "3", "4"]], []),
    ([["Club", "Founded", ""], ["Arn", "1920", "1930"], ["Velle", "1921", "1950"]], []),
    ([["Port", "Cod"], ["Arn", "1"]], []),
])  # fmt: skip
def test_two_rows_are_heads_together_only_where_the_first_stands_over_several_of_the_second(rows, heads):
    assert joined_heads(rows) == heads


@each(("above", "below", "said"), [
    ("Sales of Nordwerk, in million euros", "", "Sales of Nordwerk, in million euros"),
    ("It was cold.\nWe closed early. Sales were as follows:", "", "Sales were as follows:"),
    ("The table below shows the sales. It is new.\n\nAll went well that year.\nNobody left. It was good.", "",
     "The table below shows the sales."),
    ("It fell below zero.\nThe periodic table hung there. It was cold.", "", ""),
    ("It was cold.\nWe closed early. It snowed.", "Table 3: Sales of Nordwerk", "Table 3: Sales of Nordwerk"),
    ("# Sales\n\n- a list", "", ""),
    ("The following are the sales. So it was.\n\n# Costs\n\nIt was cold. It snowed.", "", ""),
])  # fmt: skip
def test_a_table_is_what_a_line_beside_it_or_a_sentence_before_it_says(above, below, said):
    text = f"{above}\n\n{TABLE}\n{below}\n"
    assert captions(text, [text.index("| Q2"), len(text) - 1])[0] == said


def test_further_pieces_of_a_table_have_its_caption_and_another_table_has_its_own():
    text = f"Sales:\n\n{TABLE}\n{TABLE.replace('Q1', 'K1')}\nCosts:\n\n{TABLE}"
    places = [text.index("| Q1"), text.index("| K1"), text.rindex("| Q1")]
    assert captions(text, places) == ["Sales:", "Sales:", "Costs:"]


@each("mark", ["| {} | {} |", "{}\t{}"])
def test_what_begins_in_the_midst_of_a_table_has_its_heads(mark):
    lines = [mark.format(*cells) for cells in (("Port", "Catch"), ("Arn", "12"), ("Velle", "15"))]
    assert columns_above("Text.\n\n" + "\n".join(lines[:2]) + "\n", lines[2]) == ("Port", "Catch")
    assert columns_above("Text.\n\n", lines[2]) == ()
