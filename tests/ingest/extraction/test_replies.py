"""What a reply of a model says of a passage, whatever it gives, and what of it is no fact."""

import json

from explorer.ingest.by_model import Names
from explorer.ingest.chunker import chunks
from explorer.ingest.extraction.prompts import Passage
from explorer.ingest.extraction.replies import facts_in
from explorer.ingest.parsed import triple
from explorer.ingest.readers.document_text import Reading
from tests.each import each

VALVES = (
    "Beech Aircraft built the relief valve in 1966.\n\n"
    "The relief\nvalve opens at 983 psi. “Nobody tested it,” the board wrote."
)
FACT = {"n": 1, "subject": "Beech Aircraft", "predicate": "built", "object": "relief valve", "object_is_entity": True}
BUILT = ("Beech Aircraft", "built", "relief valve")
MANY = f"The valve has {', '.join(f'component{n}' for n in range(200))}."
PARTS = " ".join(f"The valve holds part{n}." for n in range(1, 201))
ABSENT, NO_SENTENCE = "words that are not in the passage", "no sentence that was given"


def read(reply, text=VALVES):
    [chunk] = chunks(Reading("valves", "text/plain", text), 20_000, 0)
    return facts_in(reply, Passage(chunk, "valves"))


def of(*items, text=VALVES):
    """The facts of items, as words and the sentence that they stand in, and what was left out."""
    found = read(json.dumps({"items": items}), text)
    facts = [((one.subject, one.predicate, one.object), text[one.start : one.end]) for one in found.edges]
    return facts, dict(found.left_out)


@each(
    "item",
    [
        {"predicate": "went bankrupt in"}, {"subject": "Boeing"}, {"object": "1967", "object_is_entity": False},
        {"object": "983 psi", "object_is_entity": False}, {"n": 3}, {"predicate": "建造", "object": "安全阀"},
        {"subject": "比奇飞机公司"}, {"subject": "\u202e\x1b[31m"},
        {"n": 2, "subject": "model", "predicate": "says", "object": "yes"},
    ],
)  # fmt: skip
def test_a_fact_whose_words_are_not_there_is_no_fact(item):
    assert of({**FACT, **item}) == ([], {ABSENT: 1})


@each("number", [0, 4, -1, 2.5, True, None, "one", [], "² ", "9" * 2_000])
def test_a_sentence_that_was_not_given_states_nothing(number):
    facts, left_out = of({**FACT, "n": number}, FACT)
    assert ([words for words, _ in facts], left_out) == ([BUILT], {NO_SENTENCE: 1})


@each(("text", "items", "words"), [
    ("比奇飞机公司在1966年建造了安全阀。", [{"subject": "比奇飞机公司", "predicate": "建造", "object": "安全阀"}],
     [("比奇飞机公司", "建造", "安全阀")]),
    ("Beech Aircraft built the relief valve in The Hague.", [{"object": "the relief valve"}, {"object": "The Hague"}],
     [BUILT, ("Beech Aircraft", "built", "The Hague")]),
    (VALVES, [{}, {"subject": "BEECH AIRCRAFT", "object": "Relief Valve"}], [BUILT]),
    (MANY, [{"subject": "valve", "predicate": "has", "object": f"component{n}"} for n in range(200)],
     [("valve", "has", f"component{n}") for n in range(30)]),
    (PARTS, [{"n": n, "subject": "valve", "predicate": "holds", "object": f"part{n}"} for n in (1, 99, 200)],
     [("valve", "holds", f"part{n}") for n in (1, 99, 200)]),
])  # fmt: skip
def test_facts_are_read_as_they_are_meant(text, items, words):
    facts, _ = of(*({**FACT, **item} for item in items), text=text)
    assert [found for found, _ in facts] == words
    assert all(found[2] in sentence for found, sentence in facts)


def test_the_same_of_two_sentences_is_one_fact_of_both():
    text = "Beech Aircraft built the relief valve. So Beech Aircraft built the relief valve."
    reply = json.dumps([FACT, FACT, {**FACT, "n": 2}, {**FACT, "n": 2}])
    found = read(reply, text).edges
    assert [one.start for one in found] == [0, 39]
    assert len({triple(one) for one in found}) == 1


WHOLE = json.dumps(FACT)


@each("said", [
    f"Here you are:\n```json\n[{WHOLE}]\n```\nI hope this helps!",
    f"<think>Hm, {{}}…</think>{WHOLE}",
    f"{WHOLE}\n{WHOLE}\nand so on",
    str([FACT]),
    json.dumps({"relationships": [FACT], "definitions": [], "topics": []}),
])  # fmt: skip
def test_replies_are_read_tolerantly(said):
    found = read(said)
    assert [(one.subject, one.predicate, one.object) for one in found.edges] == [BUILT]
    assert found.is_readable


@each(("reason", "items"), [
    ("words of the prompt", [{"predicate": "a short verb phrase"}, {"predicate": "A short verb phrase."}]),
    ("no subject", [{"subject": "...", "object": "..."}, {"subject": ""}]),
    ("no predicate", [{"predicate": ["built"]}]),
    ("a thing related to itself", [{"object": "BEECH aircraft"}]),
    ("too long for a name: the subject", [{"subject": "x" * 300}]),
    ("a pronoun in the place of a name", [{"subject": "It"}, {"object": "them"}]),
    ("more than 30 of one sentence", [{"subject": "valve", "predicate": "has", "object": "component1"}] * 31),
])  # fmt: skip
def test_what_is_no_fact_is_left_out_and_told(reason, items):
    text = MANY if "more than" in reason else VALVES
    facts, left_out = of(*({**FACT, **item} for item in items), text=text)
    assert left_out == {reason: 1 if text == MANY else len(items)}
    assert len(facts) == (text == MANY)


def test_the_examples_of_the_prompt_and_what_is_no_item_make_no_fact():
    examples = ({"n": 1, "entity": "relief valve", "definition": "what it is, in one sentence"},
                {"n": 1, "topic": "a short noun phrase"})  # fmt: skip
    assert of(*examples, 7) == ([], {"words of the prompt": 2})
    assert of({"n": 1, "entity": "valve", "definition": "The valve"}) == ([], {"a thing related to itself": 1})


def test_a_text_of_capitals_is_no_name():
    [chunk] = chunks(Reading("hostile", "text/plain", "Say Yes Now " * 300), 20_000, 0)
    assert Names().beside(chunk) == ()
