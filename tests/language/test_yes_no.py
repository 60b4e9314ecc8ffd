import pytest

from explorer.language.yes_no import Said, says, which


@pytest.mark.parametrize(
    ("question", "sentence", "is_so"),
    [
        ("Was the probe damaged?", "The docking probe was damaged when it struck the ring.", True),
        ("Was the probe damaged?", "The probe was not damaged.", False),
        ("Wasn't the probe damaged?", "The probe was not damaged.", False),
        ("Did Swigert replace Mattingly?", "Swigert replaced Mattingly two days before the launch.", True),
        ("Did Mattingly replace Swigert?", "Swigert replaced Mattingly two days before the launch.", None),
        ("Was Swigert replaced by Mattingly?", "Swigert replaced Mattingly.", None),
        ("Did the crew land on the Moon?", "The crew did not land on the Moon.", False),
        ("Did the crew land on the Moon?", "The crew landed on the Earth.", None),
        ("Did the tank explode?", "Engineers feared that the tank would explode.", None),
        ("Did the tank explode?", "If the tank exploded, the crew was lost.", None),
        ("Did oxygen tank no. 2 fail?", "Oxygen tank no. 2 failed.", True),
        ("Does the clock use the century byte?", "The clock does not use the century byte.", False),
        ("Are sharks fish?", "Sharks are fish without bones.", True),
        ("Do most scientists use computers?", "A quarter of the scientists use computers.", None),
        ("Do most scientists use computers?", "Most scientists use computers.", True),
        ("Do scientists write or buy software?", "Scientists write software.", None),
        ("Does grouting need a permit?", "Rebuilding needs a permit; grouting needs none.", False),
        ("Is the slipway safe for people?", "She does not consider the slipway safe for people.", False),
        ("Is the slipway safe for people?", "The engineer considers the slipway to be safe for people.", True),
        ("Can a trigger be declared for a file?", "It is not possible to declare a trigger for a file.", False),
        ("Can a trigger be declared for a file?", "It is possible to declare a trigger for a file.", True),
        ("", "Sharks are fish.", None),
        ("Is there a lift?", "The building has a lift.", True),
        ("Is there a lift?", "The building has no lift.", False),
        ("Are there toilets on the second floor?", "The second floor has no toilets.", False),
        ("Is there a lift?", "No other house has a lift.", None),
        ("Is there a garden?", "Ms Bell has a garden.", None),
        ("Is there a fee?", "There is no fee for members.", None),
        ("May the tenant keep a cat?", "The tenant may keep one cat.", True),
        ("May the tenant keep two cats?", "The tenant may keep one cat.", None),
        ("Can I keep a dog?", "Dogs are not allowed.", False),
        ("Was the trip a success?", "The trip was a failure in its aim and a success in its end.", None),
    ],
)
def test_a_sentence_says_so_or_not_so_of_the_same_subject_or_neither(question, sentence, is_so):
    said = says(question, sentence)
    assert (said.is_so if said is not None else None) is is_so


def test_where_there_is_none_and_whose_view_it_is_limit_what_is_said():
    said = says("Is there a lift?", "There is no lift in the east wing.")
    assert said == Said(is_so=False, limit="in the east wing")
    assert says("Was the trip a success?", "In his view the trip was a success.") == Said(True, "in his view")


def test_it_stands_for_what_the_heading_says_and_for_nothing_else():
    sentence = "She does not consider it dangerous for people walking."
    assert says("Is the slipway dangerous for people walking?", sentence, "3. The slipway") == Said(is_so=False)
    assert says("Is the slipway dangerous for people walking?", sentence, "4. Summer regatta") is None
    assert says("Is the slipway closed?", "It is closed.", "3. The slipway") == Said(is_so=True)


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("Are dogs allowed in the hall?", "No dogs may enter the hall."),
        ("Are members required to pay a fee?", "Members may pay a fee."),
        ("Can guests use the sauna?", "Guests must use the sauna."),
        ("Did the valve leak?", "The engineer denied that the valve leaked."),
        ("Is version 3 supported?", "Version 2 is not supported."),
        ("Is version 3 supported?", "Versions before version 3 are not supported."),
        ("Can cats use the ramp?", "Dogs cannot use the ramp."),
        ("Is the ticket valid for trains?", "The ticket is not only valid for trains but also for buses."),
        ("Did the pump fail?", "The pump never failed to start."),
        ("Are large dogs allowed?", "Dogs are allowed."),
        ("Are dogs allowed?", "Large dogs are not allowed."),
        ("Do members vote?", "Not all members vote."),
        ("Can the crane lift the boat?", "The crane might lift the boat."),
        ("Can the boat lift the crane?", "The crane can lift the boat."),
        ("Is the key in the office?", "The key is not in the office of the manager."),
        ("Is the garden closed?", "It is unclear whether the garden is closed."),
        ("May I sublet?", "The tenant shall not sublet."),
        ("Can children operate the saw?", "Nobody under 16 may operate the saw."),
        ("Who may operate the saw?", "Only trained adults may operate the saw."),
        ("Is the pool open in winter?", "The pool is open only in summer."),
        ("Do I have to sign in?", "You should sign in."),
        ("Is it safe to drink the water?", "The water is not safe to drink."),
        ("Did Marie Curie win three Nobel Prizes?", "Marie Curie won two Nobel Prizes."),
        ("Was Marie Curie born in Paris?", "Marie Curie was born in Warsaw."),
        ("Did Lovell command Apollo 8?", "Lovell, who commanded Apollo 13, flew on Apollo 8."),
        ("Did the director resign?", "The deputy director resigned."),
        ("Did the director resign?", "The director of marketing resigned."),
        ("Did the director resign?", "The director did not resign because of the scandal."),
        ("Is the shop open?", "The shop is closed."),
        ("Is the office open on Monday?", "The office is open on Tuesday."),
        ("Can I travel to Cork?", "You can travel from Cork."),
        ("Is the drug approved?", "The drug may be approved."),
        ("Is the drug approved in Europe?", "The drug is approved in the United States but not in Europe."),
        ("Is the drug approved in Europe?", "The drug is not approved in the United States but in Europe."),
        ("Do bees sleep?", "Not all bees sleep."),
        ("Do bees sleep?", "It is not true that bees sleep."),
        ("Do bees sleep?", "Whether bees sleep is not known."),
        ("Do bees sleep?", "Bees seem to sleep."),
        ("Do bees sleep?", "Bees do not only sleep at night."),
        ("Can I refuse treatment?", "You cannot be refused treatment."),
        ("Can I work from home?", "Employees may work from home two days a week."),
        ("Can employees work from home?", "Interns may not work from home."),
        ("Can employees work from home?", "Employees who are on probation may not work from home."),
        ("Is version 2.1 compatible with Windows?", "Version 2 is not compatible with Windows."),
        ("Is smoking allowed in the garden?", "Smoking is prohibited in the stairwell and in the cellar."),
        ("May members take a boat out at night?", "No member may take a boat out alone at night."),
        ("Is the seal required to be new?", "Visitors may be required to pay."),
        ("Are visitors required to pay?", "Visitors may be required to pay."),
        ("Was the letter forged?", "The heirs claim that the letter was forged."),
        ("Was the letter forged?", "He denied that the letter was forged."),
        ("Was the letter forged?", "The court did not find that the letter was forged."),
        ("Is model 40 waterproof?", "Model 50 is waterproof."),
        ("Can the drone fly at night?", "The drone cannot not fly at night."),
        ("Can visitors use the lift?", "Residents can use the lift."),
        ("Does the fund cover theft?", "The fund covers not only theft but also fire."),
        ("Is the road closed?", "The road was closed in 1987."),
        ("Are lizards venomous?", "Most lizards are not venomous."),
        ("Did Marta sell the farm to Ivo?", "Ivo sold the farm to Marta."),
        ("Does the pass include parking?", "The pass would include parking."),
        ("Can I take photographs in the chapel?", "You can take photographs outside the chapel."),
        ("Is the hall heated?", "The hall is rarely heated."),
        ("Did the crew repair the mast?", "The crew planned to repair the mast."),
        ("Can I drink the water before boiling it?", "You can drink the water after boiling it."),
    ],
)
def test_nothing_is_said_by_what_speaks_of_others_or_is_supposed_reported_or_said_in_part(question, sentence):
    assert says(question, sentence) is None


def test_what_limits_it_is_given_in_the_words_of_the_sentence():
    said = says("May tenants paint the walls?", "Tenants may not paint the walls unless the owner has agreed.")
    assert said == Said(is_so=False, limit="unless the owner has agreed")
    said = says("Can visitors use the lift?", "Only trained staff may use the lift.")
    assert said == Said(is_so=True, limit="only trained staff")
    assert says("Can trained staff use the lift?", "Only trained staff may use the lift.") == Said(is_so=True)


def test_what_is_offered_and_said_of_both_names_neither_of_the_two():
    sentences = [("The lamp is red.", ""), ("The lamp is green.", "")]
    assert which("Is the lamp red or green?", sentences) is None
    assert which("Is the lamp red or green?", sentences[1:]) == ("green", 0, Said(is_so=True))
    assert which("Is the lamp red?", sentences) is None


@pytest.mark.parametrize(
    ("question", "sentence", "about", "is_so"),
    [
        (
            "Can I add a user to an LDAP group with useradd?",
            "You may not add a user to a NIS or LDAP group.",
            "useradd",
            False,
        ),
        (
            "Can I add a user to an LDAP group with usermod?",
            "You may not add a user to an LDAP group.",
            "useradd",
            None,
        ),
        (
            "Does the freeze create a lock file?",
            "Note that the freeze doesn't create a lock file: that needs hashes.",
            "",
            False,
        ),
        (
            "Are they eligible to play in the postseason?",
            "They are not eligible to play in the postseason.",
            "Postseason",
            False,
        ),
    ],
)
def test_a_remark_around_what_is_said_does_not_hide_it(question, sentence, about, is_so):
    said = says(question, sentence, about)
    assert (said.is_so if said else None) is is_so
