import pytest

from explorer.language.in_english import in_english


@pytest.mark.parametrize(
    ("question", "english"),
    [
        ("Quand est né Albert Camus ?", "When was Albert Camus born?"),
        ("Où est mort Albert Camus ?", "Where did Albert Camus die?"),
        ("Qui a reçu le prix Nobel de littérature en 1957 ?", "Who won Nobel Prize Literature in 1957?"),
        ("Combien de prix Nobel Marie Curie a-t-elle reçus ?", "How many Nobel Prize did Marie Curie win?"),
        ("Pourquoi Barack Obama a-t-il reçu le prix Nobel ?", "Why did Barack Obama win Nobel Prize?"),
        ("Est-ce qu'Albert Camus est né à Mondovi ?", "Was Albert Camus born in Mondovi?"),
        ("Quelle est la date de naissance d'Albert Camus ?", "What is the birth date of Albert Camus?"),
        ("Quels sont les termes spécifiques de Hydrology ?", "What are the narrower concepts of Hydrology?"),
        ("Wo wurde Max Planck geboren?", "Where was Max Planck born?"),
        ("Wer gewann 1975 den Nobelpreis für Physik?", "Who won Nobel Prize 1975 Physics?"),
        ("Welche Preise hat Marie Curie gewonnen?", "Which prizes did Marie Curie win?"),
        ("Wie viele Preisträger wurden in Budapest geboren?", "How many laureates were born in Budapest?"),
        ("Wurde Albert Camus in Frankreich geboren?", "Was Albert Camus born in France?"),
        ("Was ist Ethnologie?", "What is Ethnologie?"),
    ],
)
def test_question_words_names_and_common_properties_are_put_in_english(question, english):
    assert in_english(question) == english


@pytest.mark.parametrize(
    "question",
    ["When was Albert Camus born?", "Who wrote Die Zeit?", "¿Cuándo nació Albert Camus?", "Albert Camus", "", "?"],
)
def test_a_question_in_english_or_in_a_language_that_is_not_known_is_left(question):
    assert in_english(question) is None
