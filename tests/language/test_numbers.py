from explorer.reasoning.lexical_support import by_value, numbers
from tests.each import each


@each(("one", "other"), [
    ("55 hours, 54 minutes and 53 seconds", "55:54:53"),
    ("37.0 volts", "37 volts"),
    ("eight hours", "8 hours"),
    ("1,000 dollars", "1000 dollars"),
    ("twenty-five men", "25 men"),
    ("two hundred and six bones", "206 bones"),
    ("1.2 million people", "1,200,000 people"),
    ("007", "7"),
])  # fmt: skip
def test_a_number_is_the_same_however_it_is_written(one, other):
    assert set(numbers(one)) == set(numbers(other))


@each("text", ["1.2.3 million", "9/10 thousand", "5:30 million", "1,00,0", "٣ million", "²"])
def test_odd_numbers_are_read_as_they_stand(text):
    assert by_value(text)


def test_a_pronoun_is_no_number():
    assert numbers("One of them was there.") == {}
