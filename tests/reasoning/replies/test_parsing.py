import json
import time

from hypothesis import given
from hypothesis import strategies as st

from explorer.models.chat import CutShortError
from explorer.reasoning.protocol import Cited, Piece, Verdict
from explorer.reasoning.replies import parsing as replies
from explorer.reasoning.replies.parsing import CUT_OFF, unthought
from tests.each import each

KNOWN = ("aaaa1111", "bbbb2222", "bbbb2222-2", "12345678")
TWO = '{"id": "aaaa1111", "score": 7}\n{"id": "bbbb2222", "score": 3}'


@each(
    "reply",
    [
        TWO,
        f"```json\n{TWO}\n```",
        f"Sure! Here are the scores:\n\n{TWO}\n\nLet me know if you need more.",
        f"[{TWO.replace(chr(10), ', ')}]",
        f'{{"edges": [{TWO.replace(chr(10), ", ")}]}}',
        f'{{"edges": [{TWO.replace(chr(10), ", ")}, {{"id": "12345678", "sc',  # cut off inside of the third
        f'{TWO}\n{{"id": "12345678", "score": ',
        f'<think>aaaa1111 may be a 2: {{"id": "aaaa1111", "score": 2}}</think>\n{TWO}',
        TWO.replace("7", '"7"').replace("3", '" 3.0 "'),
        TWO.replace("aaaa1111", "[AAAA1111]"),
        f'{{"id": "cccc3333", "score": 9}}\n{TWO}\n{{"id": "aaaa1111", "score": 1}}',  # unknown; said twice
        f'{{"score": 9}}\n{{"id": null, "score": 9}}\n{{"id": ["aaaa1111"], "score": 9}}\n{TWO}',
        f"{{broken\n{TWO}\n}}}}",
        f"{TWO}\n" + '{"a":' * 50_000,  # nested deeper than any reader goes
    ],
)
def test_scores_are_read_in_the_order_of_the_reply_whatever_stands_around_them(reply):
    assert list(replies.scores(reply, KNOWN).items()) == [("aaaa1111", 7.0), ("bbbb2222", 3.0)]


@each("score", ["11", "-1", '"high"', '"11 of 10"', "null", "true", "NaN", "1e999", '"8/9"', "[7]", '""', "9" * 5000])
def test_what_is_no_number_on_the_scale_is_no_score(score):
    assert replies.scores(f'{{"id": "aaaa1111", "score": {score}}}', KNOWN) == {}


def test_reasons_are_kept_as_they_were_said_unless_they_repeat_the_example():
    reply = '{"id": "aaaa1111", "reasoning": "Names  who built it. "}\n{"id": "bbbb2222", "reasoning": " "}'
    assert replies.reasons(reply, KNOWN) == {"aaaa1111": "Names  who built it. "}
    halves = '{"id": "aaaa1111", "reasoning": "a \\ud83d b"}'
    replies.reasons(halves, KNOWN)["aaaa1111"].encode()
    assert replies.reasons('{"id": "aaaa1111", "reasoning": 5}', KNOWN) == {}
    assert replies.reasons('{"id": 1, "reasoning": "<reason>"}\n{"id": 2, "reasoning": "So."}', ["1", "2"]) == {
        "2": "So."
    }


@each("reply", ["", "no", "{", "[]", "{}", '{"edges": []}', "null", "<think>hm", '{"id": "aaaa1111"}'])
def test_a_reply_without_scores_has_none(reply):
    assert replies.scores(reply, KNOWN) == {}


@given(st.text())
def test_any_reply_can_be_read(reply):
    replies.concepts(reply)
    assert replies.scores(reply, KNOWN) == replies.reasons(reply, KNOWN) == {}


@given(st.dictionaries(st.sampled_from(KNOWN), st.integers(0, 10)), st.text(), st.integers(0, 200))
def test_what_is_read_of_a_cut_off_reply_is_what_was_said(said, around, cut):
    whole = f"{around}\n" + "\n".join(json.dumps({"id": key, "score": score}) for key, score in said.items())
    assert replies.scores(whole[:cut], KNOWN).items() <= said.items()


@each(
    ("reply", "found"),
    [
        ("radium\nhalf-life\ndiscovery", ["radium", "half-life", "discovery"]),
        ('- radium\n* "half-life"\n\n3. 1903 Nobel Prize\n2) **radon**',
         ["radium", "half-life", "1903 Nobel Prize", "radon"]),
        ("Here are the concepts:\n```\nradium\n```", ["radium"]),
        ("<think>\nhm\n</think>\nradium\nradium", ["radium", "radium"]),
        ("1898", ["1898"]),
        (" \n\t\n", []),
        ("word\n" * 1000, ["word"] * 20),
        ("x" * 10_000, []),
    ],
)  # fmt: skip
def test_concepts_stand_one_on_a_line(reply, found):
    assert replies.concepts(reply) == found


def heard(pieces, count=4):
    parts = list(replies.answer(pieces, count))
    text = "".join(part.text for part in parts if isinstance(part, Piece))
    cited = [(text[part.start : part.end], part.cites) for part in parts if isinstance(part, Cited)]
    [verdict] = [part.reason for part in parts if isinstance(part, Verdict)]
    assert parts[-1] == Verdict(verdict)
    return text, cited, verdict


ANSWERS = [
    ("It is radium.", "It is radium.", []),
    ("Curie found it [1]. It glows [2][3].", "Curie found it. It glows.",
     [("Curie found it.", (0,)), ("It glows.", (1, 2))]),
    ("Curie found it. [1] It glows.[2, 3]\n", "Curie found it. It glows.",
     [("Curie found it.", (0,)), ("It glows.", (1, 2))]),
    ("First. Second [2]. Third.", "First. Second. Third.", [("Second.", (1,))]),
    ("Tank no. 2 burst [1], then it burned [1] [1].", "Tank no. 2 burst, then it burned.",
     [("Tank no. 2 burst,", (0,)), ("then it burned.", (0,))]),
    ("See [9] and [x] and [1898] [4]", "See [9] and [x] and [1898]", [("See [9] and [x] and [1898]", (3,))]),
    ("- One [1]\n- Two [2]\n", "- One\n- Two", [("- One", (0,)), ("- Two", (1,))]),
    ("It is [1]so.", "It is so.", [("It is", (0,))]),
    ("[1] It is.", "It is.", []),
    ("<think>So [1]: NO ANSWER?</think>\n\nRadium [1].", "Radium.", [("Radium.", (0,))]),
    ("It has [", "It has [", []),
    ("No one knows.", "No one knows.", []),
    ("NO", "NO", []),
    ("It burned [1-3].", "It burned.", [("It burned.", (0, 1, 2))]),
    ("It burned [1–2, 3].", "It burned.", [("It burned.", (0, 1, 2))]),
    ("I'm sorry, but I can't help [1].", "I'm sorry, but I can't help.", [("I'm sorry, but I can't help.", (0,))]),
]  # fmt: skip


@each(("reply", "text", "cited"), ANSWERS)
@each("size", [1, 2, 3, 7, 1000])
def test_an_answer_is_told_without_its_marks_and_with_what_they_cite(reply, text, cited, size):
    pieces = [reply[i : i + size] for i in range(0, len(reply), size)]
    assert heard(pieces) == (text, cited, "done")


@each(
    ("reply", "text"),
    [
        ("NO ANSWER: the date is missing.", "the date is missing."),
        ("**NO ANSWER**: The date is missing [1].", "The date is missing."),
        ("no answer", "The model found no answer in what was kept."),
        ("NO ANSWER.", "The model found no answer in what was kept."),
        ("I'm sorry, but I can't assist with that.", "I'm sorry, but I can't assist with that."),
        ("", "The model gave no answer."),
        (" \n", "The model gave no answer."),
        ("<think>and so on", "The model gave no answer."),
    ],
)
@each("size", [1, 3, 1000])
def test_a_model_that_declines_or_says_nothing_declines(reply, text, size):
    said, _, verdict = heard([reply[i : i + size] for i in range(0, len(reply), size)])
    assert (said, verdict) == (text, "declined")


def test_pieces_are_told_as_soon_as_they_are_clear():
    told = []

    def pieces():
        for piece in ("It is ", "radium ", "[1]", ". And ", "so on"):
            yield piece
            told.append(piece)

    parts = replies.answer(pieces(), 1)
    assert next(parts) == Piece("It is")
    assert told == []
    assert next(parts) == Piece(" radium")
    assert told == ["It is "]


@given(st.text(alphabet="ab [1]2,.\n!<", max_size=60), st.lists(st.integers(1, 9), max_size=30))
def test_how_an_answer_is_cut_into_pieces_changes_nothing(reply, sizes):
    pieces, rest = [], reply
    for size in sizes:
        pieces.append(rest[:size])
        rest = rest[size:]
    assert heard([*pieces, rest]) == heard([reply])


@each(("said", "score"), [("7", 7), (" 7.5 ", 7.5), ("7/10", 7), ("7 out of 10", 7), ("Seven", 7), ("ten of ten", 10)])
def test_a_score_may_come_as_a_text_and_the_first_that_can_be_used_counts(said, score):
    assert replies.scores(f'{{"id": "aaaa1111", "score": "{said}"}}', KNOWN) == {"aaaa1111": score}
    several = "".join(f'{{"id": 12345678, "score": "{one}"}}' for one in (11, said, 9))
    assert replies.scores(several, KNOWN) == {"12345678": score}


@each(
    "text",
    [
        "<think>1 [2]</think>It burned [1].",
        "<thinking>hm [2]\n</thinking>\n\nIt burned [1].",
        (
            "<|channel|>analysis<|message|>We need [2].<|end|>"
            "<|start|>assistant<|channel|>final<|message|>It burned [1].<|return|>"
        ),
        "<|channel|>final<|message|>It burned [1].<|return|>",
        "It burned [1].<|im_end|>",
        "It burned【1】.",
        "It burned【1†source】.",
        "```\nIt burned [1].\n```",
        "```markdown\nIt burned [1].\n```\nLet me know if you need more.",
    ],
)
def test_what_stands_around_an_answer_is_none_of_it(text):
    for size in (1, 2, 5, 1000):
        pieces = [text[at : at + size] for at in range(0, len(text), size)]
        assert heard(pieces) == ("It burned.", [("It burned.", (0,))], "done")


@each("end", ["</think>", "</thinking>"])
def test_what_stands_before_a_lone_end_of_a_thought_is_none_of_a_whole_reply(end):
    assert unthought(f"I look at [2] first.\n{end}\n\nIt burned [1].") == "It burned [1]."


def test_an_answer_that_was_cut_off_is_kept_and_says_so():
    def cut():
        yield "It burned [1]. It was"
        raise CutShortError("cut")

    parts = list(replies.answer(cut(), 1))
    assert "".join(part.text for part in parts if isinstance(part, Piece)) == "It burned. It was"
    assert parts[-1] == Verdict("done", rule=CUT_OFF)


def test_a_reply_of_nothing_but_brackets_is_soon_done_with():
    began = time.thread_time()
    assert replies.scores('{"id": [' * 40_000, KNOWN) == {}
    assert time.thread_time() - began < 2
