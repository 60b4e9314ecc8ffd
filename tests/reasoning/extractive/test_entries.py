import pytest

from tests.reasoning.extractive.test_bad_input import asked

MANUAL = (
    "Manual",
    (
        "When the pressure falls below 1.0 bar the pump stops and error E14 is shown.\n\n"
        "E07: The outdoor sensor is broken.\n"
        "E14: Low brine pressure. Refill the loop with a mixture of water and ethanol.\n"
        "E21: The gas was too hot.\n\n"
        "Brine: A mixture of water and ethanol that takes heat from the ground.\n"
    ),
)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        (
            "What does error E14 mean?",
            "E14: Low brine pressure. Refill the loop with a mixture of water and ethanol.",
        ),
        ("What does E21 mean?", "E21: The gas was too hot."),
        ("What is brine?", "Brine: A mixture of water and ethanol that takes heat from the ground."),
        (
            "What should I do when E14 is shown?",
            "E14: Low brine pressure. Refill the loop with a mixture of water and ethanol.",
        ),
    ],
)
def test_a_line_with_a_label_says_what_its_label_means(question, answer):
    said, verdict = asked(question, MANUAL)
    assert " ".join(said) == answer
    assert verdict.support.level == "strong"
    assert "an entry that begins with what is asked about" in verdict.rule


def test_what_it_means_and_what_to_do_are_answered_by_one_entry_said_once():
    said, verdict = asked("What does error E14 mean and what should I do?", MANUAL)
    assert said == ["E14: Low brine pressure.", "Refill the loop with a mixture of water and ethanol."]
    assert verdict.support.level == "strong"


@pytest.mark.parametrize("question", ["What does error E99 mean?", "What should I do when E21 is shown?"])
def test_an_entry_of_another_label_or_without_an_order_is_no_answer(question):
    _, verdict = asked(question, MANUAL)
    assert "entry" not in (verdict.rule or "")
    assert not verdict.support.sure


def test_a_price_is_answered_by_a_sum_of_money_alone():
    recipe = ("Recipes", "Mix 600 g of rye flour with 480 g of water for a rye loaf. Bake it for 55 minutes.")
    _, verdict = asked("What does a rye loaf cost?", recipe)
    assert verdict.reason == "declined"
    said, verdict = asked("What does a rye loaf cost?", recipe, ("Prices", "A rye loaf costs 4.20 euros at the shop."))
    assert said[0] == "A rye loaf costs 4.20 euros at the shop."
    assert verdict.reason == "done"


def test_of_several_things_those_that_are_not_there_are_named():
    recipe = ("Recipes", "Mix 600 g of rye flour with 480 g of water and 120 g of sourdough.")
    said, verdict = asked("How much flour, water and salt does each bread need?", recipe)
    assert said[0] == "Related, but “salt” does not stand there:"
    assert verdict.support.level == "weak"


def test_each_half_of_a_question_is_answered_or_named():
    report = ("Inspection", "The drain must be cleared by 3 October 2025. The seal of the door is torn.")
    said, _ = asked("Who has to pay for the drain, and by when must it be cleared?", report)
    assert said == [
        "Your documents do not say: who has to pay for the drain?",
        "The drain must be cleared by 3 October 2025.",
    ]


def test_a_sentence_of_what_somebody_did_is_not_put_before_a_measure():
    letter = ("Letter", "I tightened it and added 14 litres of mixture. The pressure was 1.6 bar when I left.")
    said, _ = asked("What pressure was measured?", letter)
    assert not [text for text in said if "14 litres" in text]


@pytest.mark.parametrize(
    ("question", "nearest"),
    [
        ("How much do I have to pay for the visit?", "The bill is 236.50 euros."),
        ("How much is the rent in 2026?", "The rent is 1,450 euros a month."),
    ],
)
def test_a_sum_that_is_said_of_the_same_is_related(question, nearest):
    letter = ("Your heat pump, visit of 3 November", "I cleaned the filter in the garage. The bill is 236.50 euros.")
    said, verdict = asked(question, letter, ("Lease", "The rent is 1,450 euros a month. It rises every May."))
    assert nearest in said
    assert said[0].startswith("Related, but ")
    assert verdict.support.level == "weak"


def test_a_sum_for_something_else_is_not_related():
    lease = ("Lease", "The rent is 1,450 euros a month. It rises every May.")
    _, verdict = asked("How much is the parking in Ghent?", lease)
    assert verdict.reason == "declined"
