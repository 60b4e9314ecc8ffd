"""Facts are corrected on a page and in a run: retracted, changed, added, and all of it undone."""

import pytest

from tests.widgets.documents.test_removal import ASKED, do, filled, iri_of  # noqa: F401 - a fixture
from tests.widgets.documents.test_tab import empty, last  # noqa: F401 - a fixture
from tests.widgets.pages import say


def page_of(app, told, name="motors.md"):
    say(app, t="document?", iri=iri_of(app, name), key="k")
    return last(told, "document")["page"]


def fact_of(app, told, *words):
    return next(one for one in page_of(app, told)["facts"]["items"] if set(words) <= set(one["words"]))


def test_what_was_corrected_is_listed_and_undone_there_and_the_answer_that_it_touched_says_so(filled, told):  # noqa: F811
    key = fact_of(filled, told, "Globe Industries", "fan motors")["key"]

    def touched():
        return filled.showing.snapshot(whole=True)["answer"]["corrected"]

    assert not touched()
    do(filled, t="retract", fact=key, by="Ada", reason="not so")
    assert touched()
    assert last(told, "curated")["answer"]["corrected"]
    assert answer(filled).answer.count("Retracted by hand") == 1
    assert touched(), "it tells of what is not quoted"
    do(filled, t="corrections?")
    [listed] = last(told, "corrections")["items"]
    assert listed["said"] == "Retracted: Globe Industries — made — fan motors"
    assert (listed["by"], listed["reason"], listed["undone"]) == ("Ada", "not so", "")
    do(filled, t="uncorrect", act=listed["iri"], by="Grace")
    assert last(told, "corrected")["undone"] == "Undone: retracted, Globe Industries — made — fan motors."
    assert "by" not in fact_of(filled, told, "Globe Industries", "fan motors")
    do(filled, t="corrections?")
    [listed] = last(told, "corrections")["items"]
    assert listed["undone"].startswith("undone on ")
    assert listed["undone"].endswith(" by Grace")
    do(filled, t="uncorrect", act=listed["iri"], by="")
    assert "undone already" in last(told, "trouble")["text"]


def said_of_fans(app):
    return [fact for fact in app.ws.facts("cooling fans") if fact.words[2] == "cooling fans"]


def answer(app):
    app.ask(ASKED)
    assert app.wait(20)
    return app.trace


def test_a_fact_is_retracted_by_somebody_and_that_is_undone_where_it_stands(filled, told):  # noqa: F811
    run = filled.showing.run
    selected = next(one for one in filled.trace.edges if "Globe" in filled.trace.labels.get(one.edge.subject.value, ""))
    key = fact_of(filled, told, "Globe Industries", "fan motors")["key"]
    do(filled, t="retract", fact=key, by=" Ada ")
    assert last(told, "corrected")["said"] == "Retracted: Globe Industries — made — fan motors."
    assert last(told, "files")["fresh"] == "changed"
    now = fact_of(filled, told, "Globe Industries", "fan motors")
    assert now["gone"]
    assert now["by"].startswith("retracted on ")
    assert now["by"].endswith(" by Ada")
    curated = last(told, "curated")
    assert curated["run"] == run
    assert any(row.get("text", "").endswith("by Ada.") for row in curated["details"][selected.iri]["rows"])
    assert curated["outcomes"].pop(selected.iri) == {"by_hand": "retracted"}
    assert {one["outcome"] for one in curated["outcomes"].values()} == {"unsure"}, "answer and sentence stand no more"
    assert filled.showing.snapshot()["nodes"]
    assert str(selected.edge) == key
    do(filled, t="uncorrect", fact=key, by="")
    assert last(told, "corrected")["said"] == "", "what was undone there is not offered again"
    assert "by" not in fact_of(filled, told, "Globe Industries", "fan motors")
    rows = last(told, "curated")["details"][selected.iri]["rows"]
    assert not any(row.get("undoes") for row in rows)
    do(filled, t="retract", fact=key, by="", reason="made by others; see page 3")
    now = fact_of(filled, told, "Globe Industries", "fan motors")
    assert now["by"].endswith(": “made by others; see page 3”")
    assert filled.ws.curations[0].reason == "made by others; see page 3"
    assert key not in {str(one.edge) for one in answer(filled).edges}
    do(filled, t="uncorrect", fact=key, by="")
    assert key in {str(one.edge) for one in answer(filled).edges}
    do(filled, t="uncorrect", fact=key, by="")
    assert "could be undone" in last(told, "trouble")["text"]


def test_a_fact_of_a_run_is_put_in_other_words_and_the_next_question_follows(filled, told):  # noqa: F811
    selected = next(one for one in filled.trace.edges if "Globe" in filled.trace.labels.get(one.edge.subject.value, ""))
    words = {"s": "Globe Industries", "p": "made", "o": "cooling fans"}
    do(filled, t="change", fact=selected.iri, **words, by="", reason="page 2; instead: no")
    assert {one.reason for one in filled.ws.curations} == {"page 2; instead: no"}, "of what came and what went"
    assert last(told, "corrected")["said"] == "Corrected: Globe Industries — made — cooling fans."
    [new] = said_of_fans(filled)
    assert new.passages[0].text == filled.trace.passages[selected.iri][0].text
    assert new.curated.startswith("added by hand on ")
    assert str(new.triple.subject) == str(selected.edge.subject)
    assert str(new.triple) in {str(one.edge) for one in answer(filled).edges}
    rows = last(told, "curated")["details"][selected.iri]["rows"]
    assert rows[0] == {
        "k": "text",
        "label": "Right is",
        "text": "Globe Industries — made — cooling fans",
        "strong": True,
    }
    assert next(row for row in rows if row["k"] == "triple")["gone"]
    by_hand = next(row["text"] for row in rows if row.get("label") == "By hand")
    assert by_hand.endswith(": “page 2; instead: no”."), "as it was written"
    do(filled, t="corrections?")
    [listed] = last(told, "corrections")["items"]
    before, after = (f"Globe Industries — made — {one}" for one in ("fan motors", "cooling fans"))
    assert listed["said"] == f"Reworded: {before}; now {after}", "one step, one line"
    assert (listed["by"], listed["reason"], listed["undone"]) == ("", "page 2; instead: no", "")
    do(filled, t="merge", entity=str(new.triple.subject.value), name="Globe", by="", reason="so it signs")
    assert filled.ws.curations[0].sentence.endswith(" (“so it signs”): “Globe Industries” is read as “Globe”.")
    do(filled, t="uncorrect", by="")
    do(filled, t="uncorrect", fact=str(new.triple), by="Ada")  # both acts that it was made of
    assert last(told, "corrected")["said"] == ""
    assert not said_of_fans(filled)
    assert "Globe" in answer(filled).answer


def test_a_fact_is_added_with_words_of_its_page(filled, told):  # noqa: F811
    page = page_of(filled, told)
    where = {"document": page["document"], "part": page["part"]}
    do(filled, t="fact", **where, words="in\n Dayton", s="fan motors", p="come from", o="Dayton", by="Ada")
    added = fact_of(filled, told, "fan motors", "come from")
    assert added["by"].endswith(" by Ada")
    text = "".join(words for words, _ in page["runs"])
    [start, end] = last(told, "document")["page"]["facts"]["spans"][added["at"][0]]
    assert text[start:end] == "in Dayton"
    do(filled, t="fact", **where, words="", s="Dayton", p="is in", o="Ohio", by="")
    assert [one.passages for one in filled.ws.facts("Dayton Ohio") if one.words[2] == "Ohio"] == [()]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (
            {"t": "fact", "words": "in Berlin", "s": "a", "p": "b", "o": "c"},
            "“in Berlin” does not stand in one passage",
        ),
        ({"t": "fact", "words": "", "s": "", "p": "b", "o": "c"}, "A fact has a name"),
        ({"t": "retract", "fact": "<<no>>"}, "There is no fact <<no>>."),
        ({"t": "retract", "fact": "https://example.org/x"}, "There is no fact"),
        ({"t": "change", "fact": "", "s": "Globe Industries", "p": "made", "o": "fan motors"}, "it has already"),
    ],
)
def test_what_is_no_correction_is_refused_in_a_sentence(filled, told, wrong, said):  # noqa: F811
    page = page_of(filled, told)
    given = {"fact": {"document": page["document"], "part": page["part"]},
             "change": {"fact": fact_of(filled, told, "Globe Industries", "fan motors")["key"]}}  # fmt: skip
    before = len(filled.ws.facts(limit=None))
    do(filled, **wrong | given.get(wrong["t"], {}), by="")
    assert said in last(told, "trouble")["text"]
    assert last(told, "trouble")["details"] is None
    assert told("corrected") == []
    assert len(filled.ws.facts(limit=None)) == before
