"""Questions of everyday documents: sheets with what is written about their rows, recipes, letters."""

import pytest

import explorer
from explorer.dag.sentences import quotation

FILES = {
    "batches.csv": "Batch,Beer,Volume (l)\n115,Pale ale,1800\n117,Lager,2400\n118,Lager,2300\n",
    "incident.md": "# Cold room\n\nThe beer of batch 118 was dumped because it had become warm.\n",
    "ledger.csv": "Date,Item,Category,Expense (GBP)\n2025-09-02,Hall rent September,Hall,152\n"
    "2025-09-22,Piano tuning,Instruments,75\n2025-10-01,Hall rent October,Hall,190\n",
    "members.csv": "Name,Voice,Subscription paid\n"
    "Kate Farrow,Soprano,no\nPaul Brannigan,Tenor,yes\nRuth Tanner,Alto,no\n",
    "plots.csv": "Plot,Holder,Rent (GBP),Paid\n1,Adeyemi,62,yes\n12,Nowak,35,no\n",
    "recipes.md": "# Croissants\n\n- Flour: 3 kg\n- Butter for the dough: 200 g\n- Butter for laminating: 1.5 kg\n\n"
    "The butter must be at 13 °C when it is laminated.\n\nA levain is a leaven that is fed daily.\n\n"
    "# Sourdough\n\n- Levain: 2 kg\n- Salt: 210 g\n",
    "letter.txt": "The driver will send an e-mail before he comes.\n\nThe white flour stays at 19.50 pounds a bag. "
    "The rye is 17.80.\n\nThe museum had 14,820 visitors in 2025, 1,310 fewer than in 2024.\n\n"
    "The association has no junior members at present.\n",
    "hives.csv": "Hive,Place,Queen born,Honey 2025 (kg)\nA1,Heath,2025,12\nA2,Heath,2024,8\nB1,Orchard,2025,30\n",
}


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    folder = tmp_path_factory.mktemp("own")
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    with explorer.open() as ws:
        ws.ingest(folder, progress=False)
        yield ws


@pytest.mark.parametrize("engine", ["graph-rag", "document-rag"])
@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Which batch was dumped, and how many litres had it?", "Volume (l), Batch 118: 2300"),
        ("How many litres had the batch that was dumped?", "Volume (l), Batch 118: 2300"),
        ("How many litres did the dumped batch hold?", "Volume (l), Batch 118: 2300"),
        ("How much was spent on hall rent?", "342: the sum of “Expense (GBP)” in 2 rows"),
        ("How much rent do all plots pay together?", "97: the sum of “Rent (GBP)” in 2 rows"),
        ("Which members have not paid their subscription?", "2 rows with “Subscription paid: no”"),
        ("How much honey did the hives on the heath give in 2025?", "20: the sum of “Honey 2025 (kg)” in 2 rows"),
        ("How much butter do the croissants need?", "Butter for the dough: 200 g Butter for laminating: 1.5 kg"),
        ("What is a levain?", "A levain is a leaven that is fed daily."),
        ("How much does the rye cost?", "The rye is 17.80."),
    ],
)
def test_what_is_asked_for_is_found(own, engine, question, said):
    trace = own.run(question, engine=engine)
    assert said in trace.answer
    assert trace.support.level == "strong"
    assert "13 °C" not in trace.answer


def test_each_row_of_an_answer_rests_on_its_own_words(own):
    trace = own.run("Which members have not paid their subscription?", engine="graph-rag")
    quoted = []
    for one in trace.dag.citations:
        passage = trace.dag.node(one.cites[0]).passages[0]
        quoted.append(quotation(trace.dag, one, passage).text)
    assert [name for text in quoted for name in ("Farrow", "Brannigan", "Tanner") if name in text] == [
        "Farrow",
        "Tanner",
    ]


@pytest.mark.parametrize(
    "question",
    ["What is the e-mail address of the driver?", "What is the telephone number of the museum?",
     "Who was the first man on the Moon?"],
)  # fmt: skip
def test_what_nothing_there_gives_is_declined(own, question):
    trace = own.run(question)
    assert trace.support.level == "none"
    assert "What comes nearest" not in trace.answer


def test_a_number_of_something_narrower_or_of_another_year_is_not_sure(own):
    assert not own.run("How many members does the association have?").support.sure
    assert own.run("How many visitors did the museum have in 2025?").support.sure
    assert not own.run("How many visitors did the museum have in 2024?").support.sure
