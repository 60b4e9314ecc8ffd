"""What statements of a file of RDF answer, asked of a workspace that holds it."""

import pytest

import explorer
from explorer.record.trace import Trace

PREFIXES = """
@prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix : <http://example.org/> . @prefix o: <http://example.org/terms/> . @prefix s: <http://schema.org/> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""
THESAURUS = """
:eco a skos:Concept ; skos:prefLabel "Ecohydrology" ; skos:broader :hydro ; skos:related :water ;
  skos:definition "Science of the mutual interaction between the hydrological cycle and ecosystems." .
:hydro a skos:Concept ; skos:prefLabel "Hydrology" .
:water a skos:Concept ; skos:prefLabel "Water cycle" .
:flow a skos:Concept ; skos:prefLabel "Flow metering" ; skos:inScheme :all .
:all a skos:ConceptScheme ; skos:prefLabel "All terms" .
:rights a skos:Concept ; skos:prefLabel "Rights" ; skos:altLabel "Claims", "Titles", "Entitlements", "Dues" .
"""
PEOPLE = """
:camus a o:Laureate ; s:name "Albert Camus" ; o:birthDate "1913-11-07"^^xsd:date ; o:deathDate "1960-01-04"^^xsd:date ;
  o:birthPlace :mondovi ; o:awarded :n57 .
:kroemer a o:Laureate ; s:name "Herbert Kroemer" ; o:birthDate "1928-08-25"^^xsd:date ; o:birthPlace :weimar .
:n57 a o:Prize ; s:name "Nobel 1957 literature" ; o:award :camus ; o:comment "for his important literary production" .
:mondovi a o:City ; s:name "Mondovi" . :weimar a o:City ; s:name "Weimar" . :budapest a o:City ; s:name "Budapest" .
:hungary a o:Country ; s:name "Hungary" ; o:containsPlace :budapest .
"""
BORN = [
    "Dennis Gabor", "Imre Kertesz", "George Hevesy", "John Harsanyi", "Albert Szent", "George Olah", "Eugene Wigner",
    "Georg Bekesy",
]  # fmt: skip
MORE = """
:france s:name "France" . :algeria s:name "French Algeria (now Algeria)" .
:louis s:name "Louis Althusser" ; o:birthPlace :algeria ; o:birthDate "1918-10-16"^^xsd:date .
:curie a o:Laureate ; s:name "Marie Curie, née Sklodowska" ; o:birthPlace :warsaw . :warsaw s:name "Warsaw" .
:pierre a o:Laureate ; s:name "Pierre Curie" ; o:birthPlace :paris . :paris s:name "Paris" .
:born a o:Laureate ; s:name "Max Born" ; o:birthPlace :weimar .
:planck a o:Laureate ; s:name "Max Karl Ernst Ludwig Planck" ; o:birthPlace :kiel . :kiel s:name "Kiel" .
:groups a o:Group ; s:name "Education" ; o:subGroup :sub ; skos:member :eco . :sub s:name "Curriculum" .
:ethn a skos:Concept ; skos:prefLabel "Ethnology" ; skos:altLabel "Ethnography" ; skos:broader :social ;
  skos:related :eco, :water .
:ethn2 skos:prefLabel "Ethnology" ; skos:altLabel "Ethnography" . :social skos:prefLabel "Social science" .
:n75 s:name "Nobel 1975 physics" ; o:award :univ, :bohr, :mott . :univ a o:Organisation ; s:name "Great University" .
:bohr a o:Person ; s:name "Aage Bohr" . :mott a o:Person ; s:name "Ben Mottelson" .
"""
CROWD = ':town s:name "Bigtown" .\n' + "".join(
    f':c{n} a o:Laureate ; s:name "Citizen Number{n:02}" ; o:birthPlace :town .\n' for n in range(40)
)
LAUREATES = "".join(f':p{n} a o:Laureate ; s:name "{name}" ; o:birthPlace :budapest .\n' for n, name in enumerate(BORN))
NARROWER = ':tech a skos:Concept ; skos:prefLabel "Technology" .\n' + "".join(
    f':t{n} a skos:Concept ; skos:prefLabel "Craft {n:02}" . :tech skos:narrower :t{n} .\n' for n in range(40)
)


@pytest.fixture(scope="module")
def ws(tmp_path_factory):
    path = tmp_path_factory.mktemp("statements") / "things.ttl"
    path.write_text(PREFIXES + THESAURUS + PEOPLE + MORE + CROWD + LAUREATES + NARROWER, "utf-8")
    with explorer.open() as ws:
        ws.ingest(path, progress=False)
        yield ws


def asked(ws, question):
    return Trace(list(ws.ask(question)))


def test_a_definition_answers_what_a_thing_is_and_its_class_does_not(ws):
    for question in ("What is ecohydrology?", "Define ecohydrology.", "What is the definition of ecohydrology?"):
        trace = asked(ws, question)
        assert trace.answer == (
            "Ecohydrology: definition Science of the mutual interaction between the hydrological cycle and ecosystems."
        )
        assert trace.support.sure


def test_a_class_of_the_modelling_vocabulary_alone_is_never_an_answer(ws):
    trace = asked(ws, "What is flow metering?")
    assert "is a Concept" not in trace.answer
    assert not trace.support.sure
    assert trace.support.level != "strong"


def test_all_values_of_a_set_are_told_each_with_its_fact(ws):
    trace = asked(ws, "Which laureates were born in Budapest?")
    assert trace.answer.startswith("8 statements say this: ")
    assert all(f"{name}: birth place Budapest." in trace.answer for name in BORN)
    cited = [one.cites for one in trace.citations]
    assert len(cited) == len(BORN) == len(set(cited))
    assert trace.support.sure


def test_all_other_names_are_told(ws):
    trace = asked(ws, "What are the other names of Rights?")
    assert [name for name in ("Claims", "Titles", "Entitlements", "Dues") if name not in trace.answer] == []
    assert len(trace.citations) == 4


def test_what_does_not_fit_in_what_is_kept_is_counted(ws):
    trace = asked(ws, "What are the narrower terms of Technology?")
    assert trace.answer.startswith("25 statements say this: ")
    assert trace.answer.endswith("(15 more are stored, beyond what is kept or told.)")


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("When was Albert Camus born?", "Albert Camus: birth date 1913-11-07."),
        ("When did Albert Camus die?", "Albert Camus: death date 1960-01-04."),
        ("Where was Albert Camus born?", "Albert Camus: birth place Mondovi."),
        ("Why was Albert Camus awarded the Nobel prize?",
         "Nobel 1957 literature: comment for his important literary production."),
        ("Was Albert Camus born in Mondovi?", "Yes: Albert Camus: birth place Mondovi."),
        ("Who won the Nobel Prize in Literature in 1957?", "Nobel 1957 literature: award Albert Camus."),
        ("Wo wurde Albert Camus geboren?",
         "The question is read as “Where was Albert Camus born?”. Albert Camus: birth place Mondovi."),
    ],
)  # fmt: skip
def test_words_of_questions_find_the_predicate(ws, question, answer):
    trace = asked(ws, question)
    assert (trace.answer, trace.support.sure) == (answer, True)


def test_two_properties_are_answered_side_by_side(ws):
    trace = asked(ws, "Where and when was Albert Camus born?")
    assert trace.answer == "Albert Camus: birth place Mondovi. Albert Camus: birth date 1913-11-07."


@pytest.mark.parametrize(
    "question", ["When did Herbert Kroemer die?", "When did Kroemer die?", "Where did Herbert Kroemer die?"]
)
def test_what_is_not_stated_is_declined(ws, question):
    trace = asked(ws, question)
    assert trace.reason == "declined"
    assert "Nothing that was found says this of “Herbert Kroemer”." in trace.answer
    quoted = trace.answer.partition("What comes nearest: “")[2].removesuffix("”")
    assert [passage.text for passage in trace.sources()[:1]] == [quoted]
    assert quoted.startswith("Herbert Kroemer")


def test_of_what_kind_they_are_must_be_stated(ws):
    trace = asked(ws, "Which chemists were born in Budapest?")
    assert trace.answer.startswith("This is not sure: nothing that was kept says which of these are “chemists”.")
    assert not trace.support.sure


def test_what_is_not_so_and_which_is_the_first_are_not_answered_by_what_is(ws):
    assert asked(ws, "Which laureates were not born in Budapest?").support.level != "strong"
    first = asked(ws, "Who was the first person born in Budapest?")
    assert first.answer.startswith("This is not sure: which is the “first” is not stated.")
    assert not first.support.sure


def test_a_statement_is_not_turned_round(ws):
    assert asked(ws, "What contains Hungary?").support.level != "strong"
    assert asked(ws, "What does Hungary contain?").answer == "Hungary: contains place Budapest."


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Is Hydrology broader than Ecohydrology?", "Yes: Ecohydrology: broader Hydrology."),
        ("Is Hydrology the broader term of Ecohydrology?", "Yes: Ecohydrology: broader Hydrology."),
        ("Does Hungary contain Budapest?", "Yes: Hungary: contains place Budapest."),
    ],
)
def test_yes_is_said_where_it_is_stated_this_way_round(ws, question, answer):
    assert asked(ws, question).answer == answer


@pytest.mark.parametrize(
    "question",
    [
        "Is Ecohydrology broader than Hydrology?",
        "Is Ecohydrology the broader term of Hydrology?",
        "Does Budapest contain Hungary?",
    ],
)
def test_yes_is_not_said_the_other_way_round(ws, question):
    trace = asked(ws, question)
    assert not trace.answer.startswith("Yes")
    assert not trace.support.sure


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Was Louis Althusser born in Algeria?", "Yes: Louis Althusser: birth place French Algeria (now Algeria)."),
        (
            "Was Louis Althusser born in French Algeria?",
            "Yes: Louis Althusser: birth place French Algeria (now Algeria).",
        ),
        ("Was Albert Camus born in 1913?", "Yes: Albert Camus: birth date 1913-11-07."),
        ("Was Albert Camus born on 7 November 1913?", "Yes: Albert Camus: birth date 1913-11-07."),
    ],
)
def test_yes_is_said_of_a_place_in_brackets_and_of_a_time_that_a_date_lies_in(ws, question, answer):
    trace = asked(ws, question)
    assert (trace.answer, trace.support.sure) == (answer, True)


@pytest.mark.parametrize(
    ("question", "stated"),
    [
        ("Was Louis Althusser born in France?", "Louis Althusser: birth place French Algeria (now Algeria)."),
        ("Was Albert Camus born in 1920?", "Albert Camus: birth date 1913-11-07."),
        ("Was Albert Camus born on 8 November 1913?", "Albert Camus: birth date 1913-11-07."),
        ("Was Marie Curie born in Paris?", "Marie Curie, née Sklodowska: birth place Warsaw."),
        ("Is Ethnology related to Weimar?", "Ethnology related Ecohydrology."),
        ("Did Albert Camus win the Nobel Prize in Chemistry in 1957?", "Albert Camus awarded Nobel 1957 literature."),
        ("Is Weimar broader than Ethnology?", "Ethnology: broader Social science."),
    ],
)
def test_where_no_statement_says_so_what_is_stated_instead_is_told_and_not_taken_for_an_answer(ws, question, stated):
    trace = asked(ws, question)
    assert trace.answer.startswith("No statement that was found says just this. What is stated: ")
    assert stated in trace.answer
    assert "Pierre" not in trace.answer
    assert (trace.support.level, trace.support.sure) == ("weak", False)


def test_a_surname_that_is_a_word_is_not_found_in_small_letters(ws):
    trace = asked(ws, "Where was Max Planck born?")
    assert trace.answer.endswith("Max Karl Ernst Ludwig Planck: birth place Kiel.")
    assert asked(ws, "Where was Max Born born?").answer == "Max Born: birth place Weimar."


def test_what_something_was_done_for_is_its_reason_and_not_the_thing(ws):
    trace = asked(ws, "What did Albert Camus win the Nobel Prize for?")
    assert trace.answer == "Nobel 1957 literature: comment for his important literary production."


def test_what_a_thing_is_called_before_its_name_is_no_property_that_is_asked_for(ws):
    assert asked(ws, "List the concepts in the group Education.").support.level != "strong"
    assert asked(ws, "What are the sub groups of Education?").answer == "Education: sub group Curriculum."


def test_what_a_thing_without_a_definition_belongs_to_is_told_and_that_none_is_stated(ws):
    trace = asked(ws, "What is Ethnology?")
    assert trace.answer == (
        "Nothing that was found says what “Ethnology” is. What is stated of it: Ethnology: broader Social science. "
        "Ethnology: alt label Ethnography."
    )
    assert trace.support.level == "weak"


def test_of_what_is_no_person_it_is_said_where_who_is_asked(ws):
    trace = asked(ws, "Who won the Nobel Prize in Physics in 1975?")
    lead, told = trace.answer.split(" 3 statements say this: ")
    assert lead == "This is not sure: 1 of these is not said to be a person."
    assert told.endswith("Nobel 1975 physics: award Great University.")
    assert not trace.support.sure
    assert asked(ws, "Who was born in Mondovi?").support.sure


def test_how_many_counts_all_that_are_stored_and_says_how_many_of_them_are_told(ws):
    trace = asked(ws, "How many laureates were born in Bigtown?")
    assert "40 statements say this, of which are told: " in trace.answer
    assert not trace.support.sure


@pytest.mark.parametrize(
    ("question", "english", "answer"),
    [
        ("Quand est né Albert Camus ?", "When was Albert Camus born?", "Albert Camus: birth date 1913-11-07."),
        ("Wann wurde Albert Camus geboren?", "When was Albert Camus born?", "Albert Camus: birth date 1913-11-07."),
        ("Louis Althusser est-il né en Algérie ?", "Was Louis Althusser born in Algeria?",
         "Yes: Louis Althusser: birth place French Algeria (now Algeria)."),
        ("Was ist der Oberbegriff von Ethnology?", "What is the broader concept of Ethnology?",
         "Ethnology: broader Social science."),
        ("Quelle est la définition de l'Ecohydrology ?", "What is the definition of Ecohydrology?",
         "Ecohydrology: definition Science of the mutual interaction between the hydrological cycle and ecosystems."),
    ],
)  # fmt: skip
@pytest.mark.parametrize("selector", ["reasoning", "rerank"])
def test_a_question_in_french_or_german_is_read_in_english_as_the_answer_says(ws, question, english, answer, selector):
    trace = Trace(list(ws.ask(question, selector=selector)))
    assert trace.answer == f"The question is read as “{english}”. {answer}"
    assert trace.support.sure
    assert trace.question == question


def test_what_is_not_understood_of_a_question_in_another_language_is_said_with_what_to_do(ws):
    for question, name in (("Quelle est la hauteur de la ville de Weimar ?", "French"),
                           ("Wie groß ist die Stadt Weimar?", "German")):  # fmt: skip
        trace = asked(ws, question)
        assert trace.answer.startswith(
            f"Statements are compared with questions in English, and this one is in {name}: ask it in English, or with "
            "a model."
        )
        assert trace.support.level != "strong"


def test_a_document_is_read_as_before_beside_statements(ws, tmp_path):
    (tmp_path / "pump.md").write_text("# Pump\n\nThe feed pump failed because its bearing had run dry.\n", "utf-8")
    (tmp_path / "things.ttl").write_text(PREFIXES + PEOPLE, "utf-8")
    with explorer.open() as both:
        both.ingest(tmp_path / "pump.md", tmp_path / "things.ttl", progress=False)
        assert asked(both, "Why did the feed pump fail?").answer.startswith("The feed pump failed because")


def test_what_is_left_out_of_a_what_if_is_not_told(ws):
    whole = asked(ws, "Which laureates were born in Budapest?")
    gone = next(one.edge for one in whole.edges if one.edge.subject.value.endswith("/p0"))
    left = Trace(list(ws.ask("Which laureates were born in Budapest?", without=[gone])))
    assert left.answer.startswith("7 statements say this: ")
    assert "Dennis Gabor" not in left.answer
