import pytest

from explorer.engines.reading import sentences_of
from explorer.language.questions import read
from explorer.language.sentences import Labelled
from explorer.models.embedding import WordLlamaEmbedder
from explorer.reasoning.extractive.matching import match
from explorer.reasoning.extractive.unsaid import unlabelled, unmentioned, unsaid
from explorer.reasoning.protocol import ReadPassage


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Who founded the tool?", "Digital Creations released the tool in 1998."),
        ("Who founded Hale Pumps?", "Webb created leaflets targeting a rival, Hale Pumps."),
        ("Who bought Hale Pumps?", "Webb bought Lund Valves, and Hale Pumps lent the money."),
        ("Who took the photographs?", "The photographs had been used by a newspaper."),
        ("Why did the committee decide to rebuild the slipway?", "Rebuilding the slipway would cost £38,000."),
        ("Why did the premium fall?", "The premium rose by 12 per cent because of the claim."),
        ("Why did Luca vote for grouting?", "Luca voted against because he regards grouting as waste."),
        ("Why are cycles in the graph allowed?", "Cycles in the graph are prohibited because dpkg would hang."),
        ("Which language did ABC succeed?", "Python succeeds ABC."),
        ("Who voted against renaming the team?", "Ann thought it was important to rename the team."),
        ("How long do ducks live?", "The partnership of ducks usually lasts one year."),
        ("How long do owls sleep?", "Owls hunt for three hours each night."),
        ("Why did Lovell remove the fans?", "The center engine shut down because of vibrations."),
        ("Why did the crew land on the Moon?", "Without it the crew would have landed late, because it was dark."),
        ("Why was the race moved to 17 August?", "It had been planned for 17 August but was moved for a centenary."),
    ],
)
def test_what_is_not_said_is_seen(question, text):
    assert unsaid(read(question), [[text]]) is not None


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Who founded the tool?", "The tool was established in 1995 by Jim Fulton."),
        ("Who founded Hale Pumps?", "Hale Pumps is a maker of valves. Webb founded the company in 1970."),
        ("Who built the tank?", "Beech Aircraft of Boulder was the maker of the tank."),
        ("Who made Ahai governor?", "The khan appointed Ahai governor."),
        ("Why did they remove the fans?", "They were taken out because the wires were at risk."),
        ("Why did they remove the fans?", "Motors and blades were removed since they could ignite."),
        ("Why did the premium rise?", "The premium rose by 12 per cent because of the claim."),
        ("Which language succeeded ABC?", "Python succeeds ABC."),
        ("Why was the race moved from 17 August?", "It was moved from 17 August because of a centenary."),
        ("How long do ducks live?", "The lifespan of a duck is about ten years."),
        ("How long did the strike last?", "Workers were on strike from 3 May to 9 June."),
        ("When was the tank built?", "Construction ended in 1965."),
        ("Is the tank full?", "The tank is empty."),
        ("Why would the crew land there?", "The crew would land there because it was flat."),
        ("Who voted against renaming the team?", "Ann voted against the new name of the team."),
    ],
)
def test_what_is_said_in_other_words_is_not_missed(question, text):
    assert unsaid(read(question), [[text]]) is None


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Why did a lorry hit the bridge?", "The warden suspected that a lorry had hit the bridge, because of a dent."),
        ("Why did the ferry sink?", "Some believed that the ferry sank because it was old."),
    ],
)
def test_what_somebody_only_thought_is_not_told_as_done(question, text):
    assert "might have been" in unsaid(read(question), [[text]]).said


def test_the_verb_at_the_end_of_a_question_is_missed_too():
    lacking = unsaid(read("How long did the fire in the old mill burn?"), [["The flood cut the road for two hours."]])
    assert lacking.firm
    assert "burn" in lacking.said


@pytest.mark.parametrize(
    ("question", "text", "lost"),
    [
        ("What was the temperature in the greenhouse?", "The boiler had a temperature of 80 °C.", "greenhouse"),
        ("How many lamps are there in the hall?", "The engine has 12 lamps.", "hall"),
        ("Who directed the film Kestrel?", "Ann Webb directed the Kestrel boatyard.", "film"),
        ("What colour are the walls of the hall?", "The hall is finished by 14 March.", "walls"),
    ],
)
def test_a_place_or_what_a_name_is_of_that_is_nowhere_is_seen(question, text, lost):
    lacking = place_of(question, text)
    assert lacking.firm
    assert lacking.said == f"“{lost}” is not spoken of there"


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("What was the temperature in the greenhouse?", "The greenhouse is old. It had a temperature of 8 °C."),
        ("How far was the crate dropped at the depot?", "The crate was dropped about 2 inches."),
        ("Who directed the film Kestrel?", "Kestrel is a film. Ann Webb directed it. It is long."),
        ("How long is the life of a bill?", "A bill lasts two years."),
        ("Who sells tea in the Alsace region?", "Ann Webb sells tea in Alsace."),
        ("In which year did the mill close?", "The mill closed in 1950."),
        ("What colour are the walls of the hall?", "The hall has grey walls."),
        ("Which company built the lunar module?", "Grumman built the lunar module."),
        ("Which company built the lunar module?", "The lunar module is light. Grumman built the module."),
        ("Which company built the lunar module?", "Grumman built the module, Rockwell the service module."),
        ("Which company insured the big ship?", "Lund Mutual insured the large ship."),
    ],
)
def test_one_that_is_there_or_goes_without_saying_is_not_missed(question, text):
    assert place_of(question, text) is None


def test_a_thing_is_not_another_one_that_has_its_noun():
    lacking = place_of("Which company built the lunar module?", "Rockwell built the service module.")
    assert lacking.said == "this speaks of the “service module”, not of the “lunar module”"
    assert lacking.firm


def place_of(question, text):
    passage = ReadPassage("urn:chunk:1", "Report", text, sentences_of(text))
    matched = match(read(question), [passage], WordLlamaEmbedder(), lambda word: 1.0 + len(word) / 10)
    return unmentioned(matched, matched.lines[-1:])


def test_a_time_or_number_below_another_label_is_not_what_was_asked():
    row = [Labelled("Name", "Maria Lopez", 0), Labelled("Joined", "2015", 12), Labelled("Salary", "61000", 17)]
    assert unlabelled(read("When did Maria Lopez retire?"), row).said == "nothing there is labelled as “retire”"
    assert unlabelled(read("When did Maria Lopez join?"), row) is None
    assert unlabelled(read("How much does Maria Lopez earn?"), row) is None
    assert unlabelled(read("Who is Maria Lopez?"), row) is None
    row = [Labelled("Property", "Weight", 0), Labelled("Value", "9.8 kg", 10)]
    assert unlabelled(read("What is the weight of the Kestrel 300?"), row) is None


def test_what_is_asked_why_stands_in_one_sentence_or_the_next():
    question = read("Why did the committee decide to rebuild the slipway?")
    rebuild, decide = "Rebuilding the slipway would cost £38,000.", "The committee decided so, since this is cheap."
    assert "decide" in unsaid(question, [[rebuild], [decide]]).said
    assert "decide" not in str(unsaid(question, [[rebuild, decide]]))


@pytest.mark.parametrize(
    ("question", "text"),
    [
        (
            "What did Helen Zhou report about the defibrillator battery?",
            "Helen Zhou presented her inspection of 2 May.",
        ),
        ("Why did the committee choose grouting?", "Luca voted against it because it is waste."),
    ],
)
def test_a_topic_or_a_cause_of_something_else_is_seen(question, text):
    assert unsaid(read(question), [[text]]) is not None


def test_how_something_was_done_is_not_told_where_nobody_speaks_of_it():
    lacking = unsaid(
        read("How did the data get deleted?"), [["We lost data with all comments that were made quickly."]]
    )
    assert lacking is not None
    assert lacking.firm


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("When did Apollo 13 land on the Moon?", "Apollo 13 was launched from Florida on 11 April 1970."),
        ("How long did the trip home take?", "The engine burned for four minutes. It shortened the trip by ten hours."),
        ("Which voice does the treasurer sing?", "Warm up before you sing high, and spare your voice."),
    ],
)
def test_a_time_of_another_act_a_length_of_another_thing_and_what_speaks_of_no_such_person_are_no_answers(
    question, text
):
    assert unsaid(read(question), [text.split(". ")]).firm


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("When did Apollo 13 land on the Moon?", "Apollo 13 touched down on 11 April 1970, which was its landing."),
        ("How long did the trip home take?", "The voyage home lasted four days, and the trip was cold."),
        ("Which voice does the treasurer sing?", "Gareth Pugh, the treasurer, sings bass."),
    ],
)
def test_of_the_same_act_thing_or_person_they_are(question, text):
    lacking = unsaid(read(question), [[text]])
    assert lacking is None or not lacking.firm
