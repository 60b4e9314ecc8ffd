"""The lines of an evaluation file: what is read of them, what is left out, and how that is said."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.errors import DocumentError
from explorer.evaluation.questions import Evidence, GoldQuestion, parse_questions, place_gold, read_questions
from tests.corpus import shared
from tests.each import each


def read(*lines):
    given = [line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines]
    questions, faults = parse_questions(enumerate(given, 1))
    return questions, [(fault.line, fault.reason) for fault in faults]


def test_both_forms_of_a_line_are_read():
    evidence = [{"document": "notes.txt", "quote": "It  opened\nat 983 psi."}]
    questions, faults = read(
        {"id": "q1", "question": " Who? ", "answerable": True, "evidence": evidence},
        {"question": "When?", "gold": ["p1", 7 and "p2", "p1"], "answers": ["1966"]},
        {"question": "Where?", "answer": "Boulder", "type": "bridge"},
    )
    assert faults == []
    assert questions == [
        GoldQuestion(1, "Who?", True, evidence=(Evidence("notes.txt", "It opened at 983 psi."),)),
        GoldQuestion(2, "When?", None, gold=("p1", "p2"), answers=("1966",)),
        GoldQuestion(3, "Where?", None, answers=("Boulder",)),
    ]


def test_what_cannot_be_answered_has_no_gold():
    [question], _ = read({"question": "Who?", "answerable": False, "gold": ["p1"], "evidence": []})
    assert (question.answerable, question.gold) == (False, ())


@each(
    ("line", "reason"),
    [
        (b"{", "it is not JSON (Expecting property name enclosed in double quotes, at character 2)"),
        (b'{"question": "\xff"}', "it is not UTF-8"),
        (b"[1]", "it is not a JSON object"),
        (b"{}", "it has no question"),
        (b'{"question": "  "}', "it has no question"),
        (b'{"question": 7}', "it has no question"),
        (b'{"question": "\\ud800"}', "it has a character that is not text"),
        (None, "it is longer than"),
    ],
)
def test_a_line_that_is_no_question_is_left_out_and_the_rest_is_read(line, reason):
    questions, [fault] = parse_questions([(1, line), (2, b'{"question": "Who?"}')])
    assert [one.text for one in questions] == ["Who?"]
    assert (fault.line, fault.reason.startswith(reason)) == (1, True)


@each(
    ("part", "reason"),
    [
        ({"answerable": "yes"}, "its answerable is neither true nor false; asked without it"),
        ({"gold": "p1"}, "its gold is not a list of texts; asked without it"),
        ({"gold": ["p1", 2]}, "its gold is not a list of texts; asked without it"),
        ({"answers": [""]}, "its answers is not a list of texts; asked without it"),
        ({"evidence": [{"document": "a"}]}, "its evidence is not a list of {document, quote}; asked without it"),
        ({"evidence": "words"}, "its evidence is not a list of {document, quote}; asked without it"),
    ],
)
def test_a_part_that_cannot_be_used_is_left_out_and_the_question_asked(part, reason):
    assert read({"question": "Who?"} | part) == ([GoldQuestion(1, "Who?")], [(1, reason)])


def test_a_question_is_asked_once():
    questions, faults = read({"question": "Who is it?"}, {"question": "  who IS it? ", "gold": ["p1"]})
    assert len(questions) == 1
    assert faults == [(2, "it asks what line 1 asks, and was left out")]


@each("data", [b"", b"\n\n", b"no question\n", "{}".encode("utf-16"), bytes(range(256))])
def test_a_file_without_a_question_is_refused_in_one_sentence(tmp_path, data):
    path = tmp_path / "questions.jsonl"
    path.write_bytes(data)
    with pytest.raises(DocumentError, match="no question"):
        read_questions(path)


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(DocumentError, match="none"):
        read_questions(tmp_path / "none.jsonl")


def test_a_mark_of_the_byte_order_does_no_harm(tmp_path):
    path = tmp_path / "questions.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"question": "Who?"}\r\n')
    assert [one.text for one in read_questions(path).questions] == ["Who?"]


def test_gold_that_no_document_has_is_said_and_not_measured():
    here = Evidence("notes.txt", "The relief valve opened at 983 psi.")
    asked = [
        GoldQuestion(1, "A?", gold=("notes.txt", "p99")),
        GoldQuestion(2, "B?", evidence=(here, Evidence("notes.txt", "It never opened."))),
        GoldQuestion(3, "C?", evidence=(Evidence("other.txt", "Words."),)),
        GoldQuestion(4, "D?", gold=("notes.txt",), evidence=(here,)),
    ]
    placed, faults = place_gold(asked, shared().stores.library)
    assert [(one.gold, one.evidence) for one in placed] == [((), ()), ((), ()), ((), ()), (("notes.txt",), (here,))]
    assert [(fault.line, fault.reason) for fault in faults] == [
        (1, "no document here is called 'p99'; asked without gold passages"),
        (2, "'notes.txt' does not hold the quotation 'It never opened.'; asked without evidence"),
        (3, "no document here is called 'other.txt'; asked without evidence"),
    ]


@given(st.lists(st.binary(max_size=40)))
def test_any_lines_are_read_or_said(lines):
    questions, faults = parse_questions(enumerate(lines, 1))
    assert {one.line for one in questions} | {fault.line for fault in faults} == set(range(1, len(lines) + 1))
