from dataclasses import replace

from explorer.language.headings import headings_above
from explorer.models.embedding import WordLlamaEmbedder
from explorer.reasoning.extractive.fit import sentences_of
from explorer.reasoning.extractive.lines import list_below
from explorer.reasoning.extractive.quotation import Quotation
from explorer.reasoning.protocol import ReadPassage, ScoredPassage
from tests.each import each
from tests.strategies import passage

BORROWING = "Under “Borrowing a boat”:"
MINUTES = """# Minutes of the boat club

## Meeting of May 3, 2024

The meeting was led by Anna Berg. Nine members came.

### Roles

- Facilitator: TC
- Treasurer: Ryan Hill
- **Labels:** I-club-nominated

### Balance

USD $4,498.00

### Postponed questions

- Painting of the shed
- Who takes over the keys?

### New slipway

Rejected unanimously (too much work for one summer).

## Meeting of June 7, 2024

The meeting was led by Carl Dorn. Ten members came.

### Balance

USD $1,200.00

### Borrowing a boat

1. Ask the harbour master.
2. Sign the book.
   It lies on the desk.
3. Bring oars back.
"""


def told(question, text, title="Minutes of the boat club"):
    """The sentences of the answer from a document as one chunk, each with the words that its source has."""
    sentences = sentences_of(text)
    read = ReadPassage("urn:c", title, text, sentences, "urn:d", None,
                       headings_above(text, [one.start for one in sentences], title))  # fmt: skip
    whole = replace(passage("d", None, 0, len(text)), title=title, chunk="urn:c", text=text)
    quotation = Quotation(WordLlamaEmbedder(), lambda word: 1.0 + len(word) / 8, chunks=lambda _: {"urn:c": read})
    *said, verdict = quotation.synthesise(question, [], [ScoredPassage(whole, 0.5)])
    return [(one.text, text[slice(*one.source)] if one.source else "") for one in said], verdict


@each(
    ("question", "answer", "source"),
    [
        ("Who was the facilitator?", "Under “Roles”: Facilitator: TC", "- Facilitator: TC"),
        ("Who is the treasurer?", "Under “Roles”: Treasurer: Ryan Hill", "- Treasurer: Ryan Hill"),
        ("What was the balance in June 2024?", "Under “Meeting of June 7, 2024”, “Balance”: USD $1,200.00",
         "USD $1,200.00"),
        ("Which questions were postponed?",
         "Under “Postponed questions”: • Painting of the shed • Who takes over the keys?",
         "- Painting of the shed\n- Who takes over the keys?"),
        ("What are the steps for borrowing a boat?",
         f"{BORROWING} 1. Ask the harbour master. 2. Sign the book. It lies on the desk. 3. Bring oars back.",
         "1. Ask the harbour master.\n2. Sign the book.\n   It lies on the desk.\n3. Bring oars back."),
    ],
)  # fmt: skip
def test_what_stands_below_a_heading_is_found_by_it_and_quoted_with_it(question, answer, source):
    said, verdict = told(question, MINUTES)
    assert verdict.support.level != "none"
    assert (answer, source) in said


def test_a_manual_s_values_are_found_by_their_number():
    manual = "EXIT VALUES\n    0\n        success\n\n    3\n        drum is stuck\n\n    7\n        no key\n"
    said, _ = told("What is exit value 3?", manual, "wind")
    assert ("Under “EXIT VALUES”, “3”: … drum is stuck", "drum is stuck") in said


def test_a_row_of_a_page_is_quoted_with_the_heads_of_its_columns():
    page = (
        "Checks of the boats:\n\nPart\tHow often\tBy whom\n\nHull\tEvery month\tAnna\n\nDeck lamps\tEvery week\tCarl\n"
    )
    said, _ = told("How often are deck lamps checked?", page, "Boats")
    assert any(text == "Part: Deck lamps; How often: Every week; By whom: Carl" for text, _ in said)


def test_of_a_long_list_it_is_said_how_many_items_are_left_out():
    text = "# Club\n\n## Boats to be painted\n\n" + "".join(f"- Dinghy {number}\n" for number in range(20))
    [(said, source)], _ = told("Which boats are to be painted?", text, "Club")
    assert said.startswith("Under “Boats to be painted”: • Dinghy 0 • Dinghy 1")
    assert said.endswith("• Dinghy 11 (and 8 more)")
    assert source.endswith("- Dinghy 11")


def test_sentences_of_one_passage_come_in_its_order():
    text = "Set your status to away. Do this when you finish on the last day before a holiday.\n"
    said, _ = told("When do you set your status to away before a holiday?", text, "Guide")
    assert [one for one, _ in said] == sorted((one for one, _ in said), key=text.find)


def test_a_picture_answers_nothing_and_a_link_is_its_words():
    text = (
        "![Downloads of the drum](../downloads_of_the_drum_9.png)\n\n[Downloads of the drum](drum.png)\n\n"
        "The drum was downloaded [about 40 times](https://a.b/c?d=77) by the club.\n"
    )
    said, _ = told("How many times was the drum downloaded?", text, "Drum")
    assert said == [
        (
            "The drum was downloaded about 40 times by the club.",
            "The drum was downloaded [about 40 times](https://a.b/c?d=77) by the club.",
        )
    ]


def test_items_that_the_next_chunk_has_count_as_left_out():
    text = "These are the steps:\n\n- Stop it.\n- Turn it."
    read = ReadPassage("urn:c", "A", text, sentences_of(text), after="\n- Clean it.\n- Start it.\n\nThat is all.")
    assert list_below(read, 0) == (len(text), 2, 2)


def test_a_passage_is_found_by_the_headings_above_its_lines():
    def read(chunk, text, *headings):
        return ReadPassage(chunk, "Club", text, sentences_of(text), headings=[headings])

    found = {
        "urn:1": read("urn:1", "- Painting of the shed", "Meeting of May", "Postponed questions"),
        "urn:2": read("urn:2", "- Painting of the boat", "Meeting of June", "Accounts"),
    }
    whole = replace(passage("d", None, 0, 22), title="Club")
    given = [replace(whole, chunk=chunk, text=one.text) for chunk, one in reversed(found.items())]
    reader = Quotation(WordLlamaEmbedder(), lambda word: 1.0 + len(word) / 8, chunks=lambda _: found)
    first, second = reader.score_passages("Which questions were postponed in May?", given)
    assert first.passage.chunk == "urn:1"
    assert first.score > second.score + 0.2
