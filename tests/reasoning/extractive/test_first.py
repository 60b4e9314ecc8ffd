"""Which sentence goes first by its grammar, whatever the scores say."""

import pytest

import explorer

LEASE = """# Lease

The landlord repairs the boiler, the roof and the windows. The tenant replaces light bulbs and keeps the drains clear.
If the rent is more than seven days late, the landlord may charge a fee of £25.
The tenant has paid £64 for a dehumidifier.
Either side may end the lease by giving two months' written notice.
The boat was the first of its kind and carried the name Aquarius. The crew called the shed the refrigerator.
"""
CLUB = """# Club

Joan Crick commanded the lifeboat. The jetty fell 3 feet in March 1998. The tank of the boat is 92 percent full.
The new slipway shortened the haul by about 20 feet. Without it the members would have sold the boats.
The company had been founded in 1911. Arden Marine made the fuel and water tanks. The Severn Trust paid for the shed.
A crane of the harbour lifted the old engine.
"""
HARBOUR = """# Harbour

The old engine was dropped at the quay in 2004. The committee found much to praise after the fire.
If the pump had failed at sea, the crew would have had no refuge.
"""


@pytest.fixture(scope="module")
def ws(tmp_path_factory):
    file = tmp_path_factory.mktemp("first") / "lease.md"
    file.write_text(LEASE)
    with explorer.open() as opened:
        opened.ingest(file, progress=False)
        yield opened


@pytest.fixture(scope="module")
def club(tmp_path_factory):
    file = tmp_path_factory.mktemp("club") / "club.md"
    file.write_text(CLUB)
    with explorer.open() as opened:
        opened.ingest(file, progress=False)
        yield opened


@pytest.fixture(scope="module")
def harbour(tmp_path_factory):
    file = tmp_path_factory.mktemp("harbour") / "harbour.md"
    file.write_text(HARBOUR)
    with explorer.open() as opened:
        opened.ingest(file, progress=False)
        yield opened


def test_what_the_tank_cost_is_not_answered_by_how_full_it_is(club):
    trace = club.run("How much did the tank of the boat cost?")
    assert trace.support.level == "none"
    assert "Nothing that was found names a sum of money." in trace.answer


def test_who_did_it_is_not_answered_by_when(club):
    trace = club.run("How far did the jetty fall, and who dropped it?")
    assert trace.support.answered == (1, 2)
    assert "do not say: who dropped" in trace.answer


def test_who_had_a_role_is_told_by_its_verb(club):
    trace = club.run("Who was the commander of the lifeboat?")
    assert trace.answer == "Joan Crick commanded the lifeboat."
    assert trace.support.sure


@pytest.mark.parametrize("question", ["Which company made the water tanks?", "Who made the fuel tanks?"])
def test_which_company_did_it_is_told_by_its_name_alone(club, question):
    trace = club.run(question)
    assert trace.answer == "Arden Marine made the fuel and water tanks."
    assert trace.support.sure


def test_no_company_did_what_a_crane_did(club):
    assert not club.run("Which company lifted the old engine?").support.sure


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Who dropped the old engine?", "this does not say who"),
        ("What did the crew use as a refuge?", "this says only what would or might have been"),
    ],
)
def test_what_nobody_did_and_what_never_was_is_related_at_most(harbour, question, said):
    trace = harbour.run(question)
    assert trace.support.level == "weak"
    assert said in trace.answer


def test_who_found_a_cause_is_not_told_by_who_found_something(harbour):
    assert not harbour.run("Who found the cause of the fire?").support.sure


def test_what_it_stands_for_behind_a_preposition_is_quoted_too(club):
    answer = club.run("Why did the members sell the boats?").answer
    assert "shortened the haul by about 20 feet. Without it the members" in answer


def test_a_word_that_is_nowhere_may_be_said_in_others(club):
    assert "They do not mention “regatta”. They may say it in other words." in club.run("When is the regatta?").answer
    answer = club.run("Where is Lisbon?").answer
    assert "They do not mention “Lisbon”." in answer
    assert "other words" not in answer


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who repairs the boiler?", "The landlord repairs the boiler, the roof and the windows."),
        ("Who replaces light bulbs?", "The tenant replaces light bulbs and keeps the drains clear."),
        ("How much did the dehumidifier cost?", "The tenant has paid £64 for a dehumidifier."),
        ("How much notice must be given?", "Either side may end the lease by giving two months' written notice."),
        ("What was the boat called?", "The boat was the first of its kind and carried the name Aquarius."),
    ],
)
def test_what_says_it_goes_first(ws, question, answer):
    trace = ws.run(question)
    assert trace.answer.startswith(answer)
    assert trace.support.level == "strong"


MINUTES = """# Minutes of the allotment society

Present: Margaret Okafor (chair), Dilip Rao (treasurer), Susan Pell (secretary), Henrik Aas.

## Treasurer's report

Mr Rao reported that the society holds £4,312 in the current account. The premium rose from £310 to £365 a year.
"""


@pytest.fixture(scope="module")
def minutes(tmp_path_factory):
    file = tmp_path_factory.mktemp("minutes") / "minutes.md"
    file.write_text(MINUTES)
    with explorer.open() as opened:
        opened.ingest(file, progress=False)
        yield opened


@pytest.mark.parametrize("role", ["treasurer", "chair", "secretary"])
def test_who_has_a_role_is_told_by_the_line_that_names_who_has_it(minutes, role):
    trace = minutes.run(f"Who is the {role} of the allotment society?")
    assert trace.answer.startswith("Present: Margaret Okafor (chair), Dilip Rao (treasurer), Susan Pell (secretary)")
    assert trace.support.level == "strong"
    assert minutes.run("Who is the vice chair of the allotment society?").support.level == "weak"


def test_by_how_much_something_went_up_is_no_price_of_up(minutes):
    trace = minutes.run("How much did the premium go up?")
    assert trace.answer == "The premium rose from £310 to £365 a year."
    assert trace.support.level == "strong"


MANUAL = """# Wood stove

| Property | Value |
|---|---|
| Heat output | 7.5 kW |
| Weight | 128 kg |

Forklift no. 7 hit the stove in the depot while it was reversing. Nobody was hurt.
Check the door seal every two years; it costs about £18 and is available from dealers.
"""


@pytest.fixture(scope="module")
def manual(tmp_path_factory):
    file = tmp_path_factory.mktemp("manual") / "manual.md"
    file.write_text(MANUAL)
    with explorer.open() as opened:
        opened.ingest(file, progress=False)
        yield opened


def test_what_something_is_is_told_by_the_row_that_gives_it(manual):
    trace = manual.run("What is the heat output?")
    assert "Property: Heat output; Value: 7.5 kW" in trace.answer
    assert trace.support.level == "strong"


def test_the_number_in_a_name_counts_nothing(manual):
    trace = manual.run("How many forklifts does the depot have?")
    assert trace.support.level != "strong"


def test_nobody_is_no_to_whether_anybody_was(manual):
    trace = manual.run("Was anybody hurt?")
    assert trace.answer.startswith("No: ")
    assert "Nobody was hurt." in trace.answer


def test_the_price_of_what_a_sentence_names_is_none_of_something_else(manual):
    assert manual.run("How much does the stove cost?").support.level != "strong"
    trace = manual.run("How much does the door seal cost?")
    assert "it costs about £18" in trace.answer
    assert trace.support.level == "strong"
