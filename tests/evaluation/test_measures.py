"""What is measured of one answer."""

from types import SimpleNamespace

from explorer.evaluation.measures import has_one, holds, measured, normal, recall
from explorer.evaluation.questions import Evidence, GoldQuestion
from explorer.events import Passage, Support
from tests.corpus import QUESTIONS, shared
from tests.each import each

OPENED = Evidence("notes.txt", "The relief valve opened at 983 psi.")


def passage(source, text="Words.", chunk=None):
    document = f"urn:doc:{source}"
    return Passage(
        document, source, source, None, None, None, chunk or document, 0, 0, 1, None, text, document, "rules"
    )


def supported(trace, value, level):
    """A run whose record has a support."""
    parts = ("answer", "reason", "sources", "usage", "cost", "duration_ms", "citations", "passages")
    support = Support(value, level, {})
    return SimpleNamespace(support=support, outcome=support.outcome, **{k: getattr(trace, k) for k in parts})


def test_recall_counts_documents_once_and_in_order():
    sources = [passage("a"), passage("a"), passage("b"), passage("folder/c")]
    asked = GoldQuestion(1, "?", gold=("b", "c"))
    assert [recall(asked, sources, k) for k in (1, 2, 3)] == [0, 50, 100]


def test_recall_of_quotations_counts_passages_that_hold_them():
    sources = [passage("b", OPENED.quote), passage("x/notes.txt", "GUIDANCE: The relief valve\nopened at 983 psi. So.")]
    asked = GoldQuestion(1, "?", evidence=(OPENED, Evidence("notes.txt", "No such words.")))
    assert [recall(asked, sources, k) for k in (1, 2)] == [0, 50]


def test_recall_of_quotations_counts_a_passage_once_and_reads_it_whole():
    texts = {"urn:c:1": "A fact. Another fact.", "urn:c:2": f"GUIDANCE: {OPENED.quote}"}
    sources = [passage("notes.txt", *one) for one in (("A fact.", "urn:c:1"), ("Another fact.", "urn:c:1"),
                                                      ("GUIDANCE", "urn:c:2"))]  # fmt: skip
    asked = GoldQuestion(1, "?", evidence=(OPENED,))
    assert [recall(asked, sources, k, texts.get) for k in (1, 2)] == [0, 100]
    assert recall(asked, sources, 5) == 0


def test_without_gold_there_is_no_recall():
    assert recall(GoldQuestion(1, "?"), [passage("a")], 5) is None


def test_a_part_of_a_quotation_is_found_and_an_empty_passage_finds_nothing():
    assert holds(passage("notes.txt", "valve opened at 983 psi."), OPENED)
    assert not holds(passage("notes.txt", " "), OPENED)


@each(
    ("expected", "answer", "held"),
    [
        ("Beech Aircraft", "It was BEECH-AIRCRAFT, in 1966.", True),
        ("Zürich", "in Zu\u0308rich", True),
        ("19", "in 1966", False),
        ("C++", "C", True),
        ("the valve", "a relief valve", False),
    ],
)
def test_a_gold_string_is_found_whole_and_normalised(expected, answer, held):
    assert has_one([expected], answer) is held
    assert normal(" A_b—C ") == "a b c"


def test_a_run_is_measured_by_all_that_is_known():
    trace = shared().run(QUESTIONS[2])
    found = measured(GoldQuestion(1, QUESTIONS[2], True, evidence=(OPENED,), answers=("983 psi",)), trace)
    assert found["recall@5"] == found["gold string"] == found["evidence cited"] == 100
    assert found["declined wrongly"] == found["failed"] == 0
    assert found["declined rightly"] is None
    assert found["tokens"] is None
    assert found["words"] == len(trace.answer.split())
    assert found["time"] == trace.duration_ms


def test_a_declined_answer_holds_nothing():
    trace = shared().run(QUESTIONS[3])
    assert trace.reason == "declined"
    unable = measured(GoldQuestion(1, QUESTIONS[3], answerable=False), trace)
    assert (unable["declined rightly"], unable["declined wrongly"], unable["words"]) == (100, None, None)
    able = measured(GoldQuestion(1, QUESTIONS[3], answerable=True, answers=("Lisbon",)), trace)
    assert (able["declined rightly"], able["declined wrongly"], able["gold string"]) == (None, 100, 0)


def test_yes_and_no_are_no_gold_strings():
    found = measured(GoldQuestion(1, QUESTIONS[2], answers=("Yes", "no")), shared().run(QUESTIONS[2]))
    assert found["gold string"] is None


def test_support_judges_whether_a_question_can_be_answered():
    trace = shared().run(QUESTIONS[2])
    weak, strong = supported(trace, 0.4, "weak"), supported(trace, 0.9, "strong")
    asked = GoldQuestion(1, QUESTIONS[2], answerable=True, answers=("983 psi",))
    assert [measured(asked, one)["judged rightly"] for one in (weak, strong)] == [0, 100]
    assert measured(asked, weak)["support"] == 0.4
    assert measured(asked, weak)["gold string"] == 100
    assert measured(asked, supported(trace, 0.1, "none"))["gold string"] == 0
    assert measured(asked, supported(trace, 0.1, "none"))["declined wrongly"] == 100
