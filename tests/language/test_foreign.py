import subprocess
import sys

import pytest

from explorer.language.foreign import without_stop_words
from explorer.language.words import spans, tokens


@pytest.mark.parametrize(
    ("question", "left"),
    [
        ("Quelle est la définition de l'ergonomie ?", "définition ergonomie?"),
        ("Quels sont les prix d’un laboratoire à La Paz ?", "prix laboratoire La Paz?"),
        ("Qu'est-ce que l'écohydrologie ?", "What is écohydrologie?"),
        ("Was ist die Definition von Ergonomie?", "Definition Ergonomie?"),
        ("¿Cuál es la definición de ergonomía?", "definición ergonomía?"),
        ("Что такое эргономика?", "What is эргономика?"),
    ],
)
def test_articles_and_question_words_of_a_language_do_not_count(question, left):
    assert without_stop_words(question) == left


@pytest.mark.parametrize(
    "question",
    [
        "When was D'Arcy in La Paz?",
        "Who wrote Die Zeit?",
        "Les Misérables author",
        "Apollo 13 crew",
        "Was Marie Curie a man?",
        "",
        "?",
        "Was ist das?",
    ],
)
def test_english_questions_and_names_stay(question):
    assert without_stop_words(question) == question


def test_an_apostrophe_parts_an_article_from_its_word():
    assert tokens("l'ergonomie d’un atelier, qu'elle") == ["l", "ergonomie", "d", "un", "atelier", "qu", "elle"]
    assert tokens("L'eau de L'Amour et d'Arcy") == ["L", "eau", "de", "L'Amour", "et", "d", "Arcy"]
    assert "ergonomie" in spans("de l'ergonomie")
    assert tokens("O'Neil's tank isn't aujourd'hui") == ["O'Neil's", "tank", "isn't", "aujourd'hui"]


def test_the_words_of_a_language_are_had_without_making_its_tokenizer():
    code = """
import sys
from explorer.language.foreign import without_stop_words
print(without_stop_words("Quelle est la définition de l'ergonomie ?"))
print("spacy" in sys.modules, "spacy.lang.fr" in sys.modules)
"""
    done = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", code], capture_output=True, text=True, encoding="utf-8", check=True
    )
    assert done.stdout.splitlines() == ["définition ergonomie?", "True False"]
