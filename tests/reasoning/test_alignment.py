"""Sentences of any answer rest on words of what was retrieved, or nothing there says them; offsets are exact."""

from time import process_time

from explorer.reasoning.alignment import align
from tests.each import each

NORMANS = (
    "The Normans were descended from Norse raiders and pirates from Denmark. Under their leader Rollo they agreed to "
    "swear fealty to King Charles III in 911. Their language was forged from the local Romance tongue."
)
OIL = (
    "The embargo began in October 1973 and raised the price of oil from 3 dollars to nearly 12 dollars a barrel. "
    "The Netherlands imposed prison sentences on those who used more than their ration of electricity."
)
PAPER = (
    "Paper money was issued by Kublai. Some 1,200 officials took part, and the mint in Dadu was closed on 3 May 1290."
)
PASSAGES = [OIL, NORMANS, PAPER]


def words(passages, one):
    return [passages[source.passage][source.start : source.end] for source in one.sources]


@each(
    ("sentence", "sources", "said"),
    [
        ("Under their leader Rollo they agreed to swear fealty to King Charles III in 911.", [1],
         "leader Rollo they agreed to swear fealty to King Charles III in 911"),
        ("For exceeding a ration of electricity people of the Netherlands were sent to jail.", [0],
         "Netherlands imposed prison sentences on those who used more than their ration of electricity"),
        ("Pirates from Denmark were the ancestors of the Normans, and Kublai issued paper money.", [1, 2],
         "Paper money was issued by Kublai"),
    ],
)  # fmt: skip
def test_a_supported_sentence_rests_on_its_words(sentence, sources, said):
    [one] = align(sentence, PASSAGES)
    assert sorted(source.passage for source in one.sources) == sources
    assert said in " ".join(words(PASSAGES, one))
    assert (one.foreign, one.absent, one.false) == (False, (), ())
    assert 0 < one.score <= 1
    assert all(0 < source.share <= 1 for source in one.sources)


def test_all_places_of_a_passage_that_bear_out_a_part_are_found():
    log = (
        "The pump stood still from noon on Tuesday. The crew had tea on deck two. "
        "Ice had formed in the fuel line during the night. Lunch was late."
    )
    passages = [*PASSAGES, log]
    [one] = align("The pump stood still at noon because ice had formed in the fuel line.", passages)
    assert [source.passage for source in one.sources] == [3, 3]
    assert {*words(passages, one)} == {"pump stood still from noon", "Ice had formed in the fuel line"}
    assert one.share == 1


def test_what_shares_the_names_and_says_something_else_is_foreign_and_other_words_for_the_same_are_not():
    answer = (
        "Kublai's officials in Dadu sold oil by the barrel. "
        "Households in the Netherlands that went over their quota of power risked jail."
    )
    foreign, said = align(answer, PASSAGES)
    assert (foreign.foreign, said.foreign) == (True, False)


@each("sentence", [
    "Rollo later had his library moved to a monastery in Burgundy.",
    "Motorists in Sweden sold their cars to buy bicycles.",
    "Elephants drink up to two hundred litres of water.",
])  # fmt: skip
def test_a_foreign_sentence_rests_on_nothing(sentence):
    [one] = align(sentence, PASSAGES)
    assert (one.foreign, one.sources) == (True, ())


def test_a_number_is_false_beside_its_source_and_absent_where_no_passage_has_it_as_names_are():
    answer = (
        "Under their leader Rollo they swore fealty to King Charles III in 1973. Kublai issued paper money in 1999. "
        "Under their leader Rollo the Normans swore fealty to King Philip of Anjou."
    )
    first, second, third = align(answer, PASSAGES)
    marked = (first.absent, first.false, second.absent, second.false, third.absent)
    found = [[answer[slice(*place)] for place in places] for places in marked]
    assert found == [[], ["1973"], ["1999"], ["1999"], ["Philip", "Anjou"]]
    assert [source.passage for source in first.sources] == [1]


@each("said", [
    "Some 1200 officials took part", "Some 1.200 officials took part", "Some 1.2 thousand officials took part",
    "Some ١٢٠٠ officials took part", "The mint in Dadu was closed on May 3, 1290",
    "The mint in Dadu was closed on 1290-05-03",
])  # fmt: skip
def test_numbers_and_dates_compare_by_value(said):
    [one] = align(f"{said}.", PASSAGES)
    assert [source.passage for source in one.sources] == [2]
    assert (one.absent, one.false) == ((), ())


def test_a_number_may_end_a_sentence_and_a_small_letter_goes_on():
    answer = "The raiders came in 911. Rollo led approx. fifty men in no. 12. The Normans spoke a Romance tongue."
    assert [answer[one.start : one.end].rsplit(" ", 1)[-1] for one in align(answer, PASSAGES)] == [
        "911.",
        "12.",
        "tongue.",
    ]


def test_what_claims_nothing_or_is_in_another_language_is_not_called_foreign():
    answer = (
        "## The Normans\nSure!\n\n**Origin of Rollo**\n\nHere is what was found:\n\nLet me know if you have questions."
    )
    assert [(one.foreign, one.sources) for one in align(answer, PASSAGES)] == [(False, ())] * 5
    answer = "Die Normannen stammten von nordischen Räubern ab und lernten die Sprache der Leute des Landes."
    assert not any(one.foreign for one in align(answer, PASSAGES))


def test_marks_and_code_are_no_words():
    items = ["- The **Normans** came from Denmark [1][27].", "- Kublai issued paper money ([source](http://x.org/77))."]
    answer = "\n".join([*items, "", "```", "x = 5", "```", ""])
    said = align(answer, PASSAGES)
    assert [[source.passage for source in one.sources] for one in said] == [[1], [2]]
    assert not any(one.absent or one.false for one in said)
    assert answer[said[0].start : said[0].end] == items[0]


@each(
    ("answer", "passages", "said"),
    [
        ("诺曼人来自丹麦。大象喜欢吃香蕉和苹果！",
         ["石油价格在一九七三年上涨。", "诺曼人是来自丹麦的海盗的后代，罗洛是他们的领袖。"], "诺曼人是来自丹麦"),
        ("هل وصل النورمان من الدنمارك؟ الفيلة تأكل الموز والتفاح كل صباح.",
         ["ارتفع سعر النفط.", "وصل النورمان من الدنمارك إلى فرنسا."], "وصل النورمان من الدنمارك"),
        ("Am 3. Mai 1820 gründete der Graf z.B. eine Schule. Elefanten fressen gerne reife Bananen.",
         ["Der Ölpreis stieg stark.", "Die Schule wurde vom Grafen am 3. Mai 1820 gegründet."],
         "Schule wurde vom Grafen am 3. Mai 1820"),
    ],
)  # fmt: skip
def test_other_languages_are_cut_and_aligned(answer, passages, said):
    first, second = align(answer, passages)
    assert [source.passage for source in first.sources] == [1]
    assert said in words(passages, first)[0]
    assert (first.foreign, second.foreign) == (False, True)


def test_the_same_is_found_each_time_and_nothing_is_needed():
    answer = "Rollo was a leader. Kublai issued paper money."
    assert align(answer, PASSAGES) == align(answer, PASSAGES)
    assert [one.foreign for one in align("Rollo was a great leader of men.", [])] == [True]
    assert [one.foreign for one in align("Rollo was a great leader of men.", ["", " \n"])] == [True]
    assert align("", PASSAGES) == align(" \n", PASSAGES) == []


HOSTILE = ["1" * 9_000, "1:" * 9_000, "](" * 30_000, "<" * 60_000, "a" * 60_000, "汉" * 30_000, "\u0301" * 60_000,
           "May 3, 1820 " * 5_000, "1 hundred and " * 5_000, "\ud800\x00\u202e" * 9_000, "9999-99-99 "]  # fmt: skip


@each("text", HOSTILE, ids=lambda text: ascii(text[:12]))
def test_hostile_text_is_read_in_bounded_time_with_offsets_inside(text):
    begun = process_time()
    answer = f"Rollo led 111 men of Denmark. {text[:20_000]}"
    passages = [text, f"{text} Rollo led 111 men of Denmark."]
    for one in align(answer, passages):
        assert 0 <= one.start < one.end <= len(answer)
        assert all(one.start <= start < end <= one.end for start, end in (*one.absent, *one.false))
        assert all(0 <= source.start < source.end <= len(passages[source.passage]) for source in one.sources)
    assert process_time() - begun < 5


def test_long_answers_and_many_passages_are_bounded():
    passages = [f"In {year} the town of Aville{year} had {year * 7} people. {NORMANS}" for year in range(1000, 2000)]
    answer = " ".join(f"The town of Aville{year} had {year * 7} people in {year}." for year in range(1000, 1200))
    begun = process_time()
    said = align(answer, passages)
    assert [one.sources[0].passage for one in said] == list(range(200))
    assert align("The town of Aville1999 had 13993 people.", [" ".join(passages)])[0].sources
    assert process_time() - begun < 15
