"""Which of two amounts is less, and whose an amount is."""

import pytest

import explorer
from explorer.language.amounts import gives_amount_of
from explorer.language.words import stem

LETTER = (
    "# Letter\n\nWe looked at two printers. The Kyo 300 costs $1,290 and weighs 41 kg; the Brix P2 costs $1,720 and "
    "weighs 28 kg.\n\nThe fee for members rises from $20 to $25, since the insurance premium went up by a fifth.\n"
)
QUOTES = (
    "# Water\n\nTheir quote for laying the pipe is £2,310 plus VAT. They need two days.\n\n"
    "Dobson sent a second quote: £1,960, but they can not start before May.\n"
)


@pytest.fixture(scope="module")
def ws(tmp_path_factory):
    folder = tmp_path_factory.mktemp("amounts")
    (folder / "letter.md").write_text(LETTER)
    (folder / "water.md").write_text(QUOTES)
    with explorer.open() as opened:
        opened.ingest(folder, progress=False)
        yield opened


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Which printer is cheaper?", "$1,290 is less than $1,720: The Kyo 300 costs"),
        ("Which printer is more expensive?", "$1,720 is more than $1,290: The Kyo 300 costs"),
        ("Which printer is lighter?", "28 kg is less than 41 kg: The Kyo 300 costs"),
        ("Which quote for the pipe is cheaper?", "£1,960 is less than £2,310: Dobson sent a second quote: £1,960"),
    ],
)
def test_of_two_amounts_of_one_kind_it_is_said_which_is_less(ws, question, said):
    trace = ws.run(question)
    assert trace.answer.startswith(said) or (
        said.partition(": ")[0] in trace.answer and "£2,310 plus VAT" in trace.answer
    )
    assert trace.support.level == "strong"
    assert "two amounts" in trace.dag.final.entity.rule


def test_of_three_amounts_none_is_said_to_be_less(tmp_path):
    (tmp_path / "offers.md").write_text(
        "# Lamps\n\nFor the lamps Alba asks €900, Brisa asks €950 and Corvo asks €980.\n"
    )
    with explorer.open() as ws:
        ws.ingest(tmp_path, progress=False)
        assert "less than" not in ws.run("Which offer for the lamps is cheaper?").answer


def test_the_amount_of_something_else_is_no_answer(ws):
    trace = ws.run("How much is the insurance premium?")
    assert trace.support.level in {"weak", "none"}
    assert "no amount of “premium”" in trace.answer or trace.answer.startswith("I did not find")


@pytest.mark.parametrize(
    ("text", "thing", "gives"),
    [
        ("The fee rises from $20 to $25, since the premium went up by a fifth.", "premium", False),
        ("The premium is $300, and the fee rises to $25.", "premium", True),
        ("Ann ordered a new cable on 15 April; it cost €340.", "cable", True),
        ("Piers replaced the housing on 9 March; the part cost £184.", "housing", True),
        ("The largest expense was the repair, £46,500, of which the fund paid £30,000.", "repair", True),
        ("He left in a hurry.", "premium", True),  # it does not speak of it
    ],
)
def test_an_amount_belongs_to_the_clause_it_stands_in_or_to_what_that_takes_up(text, thing, gives):
    assert gives_amount_of(text, frozenset({stem(thing)})) is gives
