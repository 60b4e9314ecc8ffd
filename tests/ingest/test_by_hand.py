"""Facts that people added with words of a document, and a newer version of it."""

from dataclasses import replace

from explorer.rdf.validation import validate
from tests.ingest.test_removal import put
from tests.killed import made_short

FIRST = "Globe Industries made the fan motors in Dayton. Beech Aircraft built the relief valve in 1966.\n"
NEWER = "Edition two.\n\nBeech Aircraft built  the relief\nvalve in 1966. Parker Company made the fan motors in Ohio.\n"
QUOTE = "Beech Aircraft built the relief valve"


def supplied(ws):
    return [fact for fact in ws.facts("supplied", limit=None) if "supplied" in fact.words[1]]


def test_a_fact_goes_on_to_a_newer_version_that_has_its_words(ws, tmp_path):
    file = tmp_path / "motors.txt"
    put(ws, file, FIRST)
    ws.add_fact("Beech Aircraft", "supplied", "relief valves", ws.document("motors.txt").passage(QUOTE), by="Ada")
    ws.add_fact("Globe Industries", "supplied", "fans", ws.document("motors.txt").passage("Globe Industries"))
    done = put(ws, file, NEWER)
    carried, lost = done.notes[1:]
    assert carried == (
        "1 fact that people had added went on to the new version, which has the words of it: "
        "“Beech Aircraft — supplied → relief valves”."
    )
    assert lost.startswith("With it 1 fact went that people had added, as the words are not in the new version: “Globe")
    [fact] = supplied(ws)
    new = ws.document("motors.txt")
    [passage] = [one for one in fact.passages if one.until is None]
    assert (passage.document, passage.extracted_by) == (new.iri, "curator")
    assert passage.text == new.text[passage.start : passage.end] == "Beech Aircraft built  the relief\nvalve"
    assert "added" in fact.curated
    assert "by Ada" in fact.curated
    trace = ws.run("What did Beech Aircraft supply?")
    assert fact.triple in {one.edge for one in trace.edges}
    assert validate(ws.graph.match()) == []

    third = put(ws, file, NEWER + "More.\n")
    assert "went on" in third.notes[1]
    assert [one.document for one in supplied(ws)[0].passages if one.until is None] == [ws.document("motors.txt").iri]
    act = next(one for one in ws.curations if one.by == "Ada")
    ws.undo(act)
    assert supplied(ws) == []


def test_of_words_that_stand_several_times_those_among_the_same_words_are_meant(ws, tmp_path):
    file = tmp_path / "valves.txt"
    put(ws, file, "In May the valve held. In June the valve broke.\n")
    june = ws.document("valves.txt").passage("In June the valve")
    words = replace(june, start=june.end - len("the valve"), text="the valve", before=june.before + "In June ")
    ws.add_fact("June", "saw", "a failure", words)
    put(ws, file, "In May the valve held well. In April the valve was new. In June the valve broke.\n")
    [fact] = [one for one in ws.facts("June", limit=None) if one.words[1] == "saw"]
    [passage] = [one for one in fact.passages if one.until is None]
    assert passage.before.endswith("In June ")


def test_a_fact_goes_on_to_a_newer_version_that_is_read_a_stretch_at_a_time(ws, tmp_path, monkeypatch):
    file = tmp_path / "motors.txt"
    put(ws, file, FIRST)
    ws.add_fact("Beech Aircraft", "supplied", "relief valves", ws.document("motors.txt").passage(QUOTE))
    made_short(monkeypatch.setattr)
    done = put(ws, file, "The pump was tested.\n\n" * 300 + FIRST)
    assert any("went on to the new version" in note for note in done.notes), done.notes
    [fact] = supplied(ws)
    [passage] = [one for one in fact.passages if one.until is None]
    text = ws.document("motors.txt").text
    assert passage.text == text[passage.start : passage.end] == QUOTE


def test_a_correction_goes_on_and_what_it_corrected_stays_away(ws, tmp_path):
    file = tmp_path / "motors.txt"
    put(ws, file, FIRST)
    wrong = next(fact for fact in ws.facts(limit=None) if fact.words == ("Globe Industries", "made", "fan motors"))
    passage = next(iter(wrong.passages))
    ws.add_fact("Globe Industries", "made", "cooling fans", passage)
    ws.retract(wrong)
    put(ws, file, FIRST + "A line more.\n")
    words = {fact.words for fact in ws.facts(limit=None)}
    assert ("Globe Industries", "made", "cooling fans") in words
    assert ("Globe Industries", "made", "fan motors") not in words
