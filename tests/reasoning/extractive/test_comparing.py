from dataclasses import replace

import pytest

from explorer.engines.reading import sentences_of
from explorer.language.headings import headings_above
from explorer.language.questions import read
from explorer.reasoning.extractive.comparing import compared, put_by_rule
from explorer.reasoning.extractive.matching import Line
from explorer.reasoning.protocol import ReadPassage


def passages(*texts):
    return [ReadPassage(f"urn:chunk:{n}", title, text, sentences_of(text)) for n, (title, text) in enumerate(texts)]


BANDS = passages(
    ("Circus Diablo", "Circus Diablo is a rock group. It was formed in 2006 by Billy Morrison."),
    ("The Exies", "The Exies is an American band, formed in 1997. They released a record in 2001."),
)
TOWNS = passages(
    ("Nantong", "Nantong is a city in Jiangsu province, China."),
    ("Jingdezhen", "Jingdezhen is a city in northeastern Jiangxi province."),
)


def test_of_two_things_the_years_say_which_came_first():
    found = compared(read("Which band was formed first, The Exies or Circus Diablo?"), BANDS)
    assert found.text == "The Exies 1997, Circus Diablo 2006: The Exies first."
    assert [(line.passage, line.number) for line in found.lines] == [(1, 0), (0, 1)]
    assert "year" in found.rule


def test_a_film_has_no_year_of_birth():
    films = passages(
        ("Henry Goes", "Henry Goes is a 1939 film directed by Edwin Marin."),
        ("The Red Car", "The Red Car is a 1996 film directed by Max Hart."),
    )
    assert compared(read("Which film has the director who was born later, Henry Goes or The Red Car?"), films) is None
    assert compared(read("Which film came out later, Henry Goes or The Red Car?"), films) is not None
    people = passages(("Ann Webb", "Ann Webb (born 1950) is a pilot."), ("Max Hart", "Max Hart (1931 - 1990) was one."))
    found = compared(read("Who was born first, Ann Webb or Max Hart?"), people)
    assert found.text == "Ann Webb 1950, Max Hart 1931: Max Hart first."


def test_whether_two_things_share_one_is_read_beside_its_noun():
    found = compared(read("Are Nantong and Jingdezhen situated in the same province?"), TOWNS)
    assert found.text == "Nantong Jiangsu province, Jingdezhen Jiangxi province: not the same."


def test_nothing_is_compared_where_a_side_lacks_or_none_is_asked_for():
    assert compared(read("Which band was formed first, The Exies or The Beatles?"), BANDS) is None
    assert compared(read("Who formed Circus Diablo?"), BANDS) is None
    assert compared(read("Are Nantong and Lisbon situated in the same province?"), TOWNS) is None


def test_of_both_things_one_sentence_each_says_yes():
    fish = passages(("Eel", "The eel is a fish with a long body."), ("Shark", "The shark is a fish without bones."))
    found = put_by_rule(read("Are the Eel and the Shark both fish?"), fish, [Line(0, 0)])
    assert found is not None
    assert (found.text, found.lines, found.settles) == ("Yes, both:", (Line(0, 0), Line(1, 0)), True)
    assert put_by_rule(read("Are the Eel and the Shark both birds?"), fish, [Line(0, 0)]) is None


def test_a_date_that_says_more_does_not_contradict_one_that_says_less():
    dated = passages(("One", "The tank failed in April 1970."), ("Two", "The tank failed on 13 April 1970."))
    dated = [replace(passage, document=passage.title) for passage in dated]
    assert put_by_rule(read("When did the tank fail?"), dated, [Line(0, 0), Line(1, 0)]) is None
    other = replace(dated[1], text="", sentences=sentences_of("The tank failed in May 1971."))
    found = put_by_rule(read("When did the tank fail?"), [dated[0], other], [Line(0, 0), Line(1, 0)])
    assert found is not None
    assert found.text == "The documents differ: April 1970 against May 1971."


def put(question, text):
    given = passages(("Rules", text))
    found = put_by_rule(read(question), given, [Line(0, n) for n in range(len(given[0].sentences))])
    return found.text if found is not None else None


@pytest.mark.parametrize(
    ("question", "sentence", "answer"),
    [
        ("Can I park on the bridge?", "Parking on the bridge is prohibited.", "No:"),
        ("Can the lid be opened by hand?", "The lid can not be opened by hand.", "No:"),
        ("Are dogs allowed in the hall?", "Dogs are not permitted in the hall.", "No:"),
        ("Is the pump licensed for drinking water?", "The pump is not licensed for drinking water.", "No:"),
        ("Can users export the map?", "The map can be exported by users.", "Yes:"),
        ("Is it possible to change the seat after booking?", "The seat cannot be changed after booking.", "No:"),
        (
            "Can apprentices open the switch box?",
            "Only licensed electricians may open the switch box.",
            "Only licensed electricians:",
        ),
        (
            "Can licensed electricians open the switch box?",
            "Only licensed electricians may open the switch box.",
            "Yes:",
        ),
        (
            "Can I enter the tunnel?",
            "You must not enter the tunnel until the lamp is green.",
            "Not until the lamp is green:",
        ),
        (
            "May tenants paint the walls?",
            "Tenants may not paint the walls unless the owner has agreed.",
            "Not unless the owner has agreed:",
        ),
        ("Can I borrow a tent?", "You can borrow a tent if you are a member.", "Yes, if you are a member:"),
        ("Are bicycles allowed?", "Bicycles are not allowed on the upper deck.", "Not on the upper deck:"),
        ("Can I open the hatch?", "Never open the hatch.", "No:"),
        ("Do I have to register?", "You do not have to register.", "No:"),
        ("Do drivers need a badge?", "Drivers need not carry a badge.", "No:"),
        ("Is insurance mandatory?", "Insurance is optional.", "No:"),
        ("Does the factory make bricks?", "The factory has stopped making bricks.", "No:"),
        ("Is the path dangerous for walkers?", "The ranger does not consider the path dangerous for walkers.", "No:"),
        ("Is the library open on Sundays?", "The library is open on Sundays.", "Yes:"),
        ("Can I bring my dog?", "Dogs are not allowed.", "No:"),
        ("Can I bring a dog into the garden?", "Dogs are allowed in the garden on a lead.", "Yes, on a lead:"),
        ("Do I need a permit to fish?", "A permit is required to fish.", "Yes:"),
        ("Do I need a licence?", "No licence is needed.", "No:"),
        ("Can I smoke in the room?", "Smoking is not permitted in the rooms.", "No:"),
        ("Can I smoke in the lobby?", "No smoking in the lobby.", "No:"),
        ("Should I oil the chain?", "Do not oil the chain.", "No:"),
        ("Should I oil the chain?", "You should oil the chain once a week.", "Yes, once a week:"),
        ("Does the warranty cover batteries?", "The warranty does not cover batteries.", "No:"),
        ("Does the warranty cover batteries?", "Batteries are not covered by the warranty.", "No:"),
        ("Is the app free?", "The app is free for students.", "Yes, for students:"),
        ("Is it allowed to barbecue on the balcony?", "Barbecuing on the balcony is not allowed.", "No:"),
        (
            "May the tenant sublet the flat?",
            "The tenant shall not sublet the flat without the landlord's written consent.",
            "Not without the landlord's written consent:",
        ),
        (
            "May the tenant sublet the flat?",
            "Without the landlord's written consent, the tenant may not sublet the flat.",
            "Not without the landlord's written consent:",
        ),
        ("Can the tenant keep pets?", "The tenant is prohibited from keeping pets.", "No:"),
        ("Does the lease allow pets?", "The lease does not allow pets.", "No:"),
        ("Are pets allowed?", "The lease does not allow pets.", "No:"),
        ("Are visitors allowed to touch the animals?", "Visitors are not allowed to touch the animals.", "No:"),
        (
            "Are visitors allowed to touch the animals?",
            "Visitors are allowed to touch the animals under supervision.",
            "Yes, under supervision:",
        ),
        ("Can I pay by card?", "You can pay by card or in cash.", "Yes:"),
        ("Is the road open?", "The road is not open until May.", "Not until May:"),
        ("Is the road still open?", "The road is no longer open.", "No:"),
        ("Is there a lift?", "There is no lift.", "No:"),
        ("Is there a fee for parking?", "There is no fee for parking.", "No:"),
        ("Has the bridge been repaired?", "The bridge has not yet been repaired.", "No:"),
        ("Can the device be used under water?", "The device must not be used under water.", "No:"),
        ("Can the device be used?", "The device must not be used by children.", "Not by children:"),
        ("Can trainees operate the saw?", "Only trained adults may operate the saw.", "Only trained adults:"),
        ("Can the valve be opened by hand?", "The valve can only be opened by hand.", "Yes:"),
        ("Can the valve be opened?", "The valve can only be opened with a key.", "Only with a key:"),
        ("Must I wear gloves?", "Gloves must be worn.", "Yes:"),
        ("Is it mandatory to wear gloves?", "Wearing gloves is mandatory.", "Yes:"),
        ("Is training required?", "Training is required before using the saw.", "Yes, before using the saw:"),
        ("Do staff have to sign in?", "Staff do not need to sign in.", "No:"),
        ("Should I sign in?", "You must sign in.", "Yes:"),
        ("Did Marie Curie win two Nobel Prizes?", "Marie Curie won two Nobel Prizes.", "Yes:"),
        ("Are guests allowed in the kitchen?", "Guests are not allowed in the kitchen after ten.", "Not after ten:"),
        (
            "Does the system store passwords?",
            "The system does not store passwords in plain text.",
            "Not in plain text:",
        ),
        ("Are passwords stored?", "Passwords are never stored.", "No:"),
        ("Do bees sleep?", "Bees sleep.", "Yes:"),
        ("Can I claim the cost of meals?", "The cost of meals cannot be claimed.", "No:"),
        (
            "Can I claim the cost of meals?",
            "You may not claim the cost of meals unless you travel overnight.",
            "Not unless you travel overnight:",
        ),
        (
            "Can I claim the cost of meals without receipts?",
            "You may not claim the cost of meals without receipts.",
            "No:",
        ),
        ("Can employees work from home?", "Employees may work from home two days a week.", "Yes, two days a week:"),
        (
            "Can employees work from home?",
            "Employees may work from home if their manager agrees.",
            "Yes, if their manager agrees:",
        ),
        ("Is overtime paid?", "Overtime is paid at 150 per cent.", "Yes, at 150 per cent:"),
        ("Is smoking allowed in the cellar?", "Smoking is prohibited in the stairwell and in the cellar.", "No:"),
        (
            "Do I need a strainer to use the pump in the sea?",
            "Without a strainer you cannot use the pump in the sea.",
            "Yes:",
        ),
        ("Can I service the boiler?", "The boiler can only be serviced by the landlord.", "Only the landlord:"),
        ("Can the boiler be serviced?", "The boiler can only be serviced by the landlord.", "Only the landlord:"),
        ("Are visitors required to pay?", "Visitors shall be required to pay.", "Yes:"),
        ("Can the battery be replaced by the owner?", "The battery cannot be replaced by the owner.", "No:"),
        ("May pupils leave the grounds at noon?", "No pupil may leave the grounds at noon.", "No:"),
        ("Is the software licensed for commercial use?", "The software is not licensed for commercial use.", "No:"),
        ("Can I swim in the reservoir?", "It is not permitted to swim in the reservoir.", "No:"),
        ("Can volunteers drive the van?", "Only trained staff may drive the van.", "Only trained staff:"),
        ("May I enter the vault?", "You may enter the vault only with a guard.", "Only with a guard:"),
        (
            "Can I cancel the order?",
            "Orders cannot be cancelled once they have been shipped.",
            "Not once they have been shipped:",
        ),
        ("Can passengers board?", "Passengers cannot board without a ticket.", "Not without a ticket:"),
        (
            "Am I allowed to sublet the flat?",
            "You are not allowed to sublet the flat unless the landlord agrees.",
            "Not unless the landlord agrees:",
        ),
        ("Can the app run offline?", "The app is able to run offline.", "Yes:"),
        ("Are the residents permitted to keep hens?", "The residents are permitted to keep hens.", "Yes:"),
        ("Must the filter be cleaned daily?", "The filter must be cleaned daily.", "Yes:"),
        ("Do I need to book a table?", "You need not book a table.", "No:"),
        ("Is a reservation needed?", "Reservations are optional.", "No:"),
        ("Does the ferry still stop at Dunmore?", "The ferry no longer stops at Dunmore.", "No:"),
        ("Did the jury award the prize?", "The jury did not award the prize.", "No:"),
        ("Is the mushroom poisonous?", "Experts do not consider the mushroom poisonous.", "No:"),
        ("Has the treaty been ratified?", "The treaty has not been ratified.", "No:"),
    ],
)
def test_yes_and_no_are_said_with_what_limits_them(question, sentence, answer):
    assert put(question, sentence) == answer


@pytest.mark.parametrize(
    ("question", "text", "answer"),
    [
        ("Is the tank made of steel or aluminium?", "The tank is made of aluminium.", "Aluminium:"),
        ("Is the pool open or closed on Mondays?", "The pool is closed on Mondays.", "Closed:"),
        ("Did Beech or Grumman build the tank?", "Beech built the tank.", "Beech:"),
        ("Does the lever open or close the gate?", "The lever closes the gate.", "Close:"),
        ("Is the tank made of steel or aluminium?", "The lid is made of aluminium.", None),
        ("Is the fee monthly or yearly?", "The fee is not monthly. The fee is yearly.", "Yearly:"),
        ("Can I pay by card or by cheque?", "You can pay by card or by cheque.", None),
        ("Is the pool heated or cold?", "The pool may be heated.", None),
        ("Was the treaty signed in Paris or in London?", "The treaty was signed in London.", "In London:"),
        ("Is the alarm silent or loud?", "The alarm is loud.", "Loud:"),
        (
            "Must the form be signed by the tenant or the landlord?",
            "The form must be signed by the landlord.",
            "The landlord:",
        ),
        ("Are dogs or cats allowed?", "Dogs are allowed. Cats are not allowed.", "Dogs:"),
        ("Is the service daily or weekly?", "The service is daily in summer.", "Daily in summer:"),
        ("Is it red or green?", "The lamp is red.", None),
        ("Is the engine diesel or electric?", "The engine is electric.", "Electric:"),
        ("Was the house built in 1890 or 1980?", "The house was built in 1890.", "1890:"),
        ("Is the museum free or paid?", "The museum is free on Fridays.", "Free on Fridays:"),
        ("Did Ada or Rosa win the race?", "Rosa won the race.", "Rosa:"),
        ("Should I use bleach or vinegar?", "You should use vinegar. You should not use bleach.", "Vinegar:"),
        ("Is the lamp red or green?", "The lamp is neither red nor green.", "Neither:"),
        ("Is the lamp red or green?", "The lamp is expected to be green.", None),
        ("Does the ferry leave from Cork or Rosslare?", "The ferry leaves from Dublin.", None),
    ],
)
def test_of_two_that_are_offered_the_one_is_named_that_is_so(question, text, answer):
    assert put(question, text) == answer


def test_which_of_two_is_on_record_as_a_rule_with_the_sentence_that_says_it():
    text = "The tank is cleaned daily. The tank is made of aluminium."
    asked, best = read("Is the tank made of steel or aluminium?"), [Line(0, 0), Line(0, 1)]
    found = put_by_rule(asked, passages(("Tank", text)), best)
    assert found is not None
    assert (found.lines, found.settles) == ((Line(0, 1),), True)
    assert found.rule == "one of two, by a sentence that says so of the same subject"


def test_a_heading_says_neither_yes_nor_no():
    text = "**I cannot change the font type of a file**\n\nThe file is shown as it was made, with its own fonts.\n"
    lines = sentences_of(text)
    above = headings_above(text, [line.start for line in lines], "Manual")
    said = [Line(0, number) for number in range(len(lines))]
    question = read("Can I change the font type of a file?")
    assert put_by_rule(question, [ReadPassage("urn:1", "Manual", text, lines, headings=above)], said) is None
    plain = "I cannot change the font type of a file. The file is shown as it was made.\n"
    assert put_by_rule(question, [ReadPassage("urn:1", "Manual", plain, sentences_of(plain))], said) is not None
