import re
import threading
from collections import Counter
from pathlib import Path

import pytest

import explorer
from explorer.view.messages.requests import parse
from explorer.widgets.documents.listing import _around
from explorer.widgets.documents.uploads import PIECE
from tests.ingest.readers.test_unlocking import SECRET, WORDS, shut_office, shut_pdf
from tests.test_workspace import stored
from tests.widgets.conftest import DOCUMENTS, QUESTION
from tests.widgets.pages import say

PASSWORD = "open-sesame-81"
HOSTILE = "<img src=x onerror=alert(1)>.md"


@pytest.fixture
def empty(sent):
    with explorer.open() as ws:
        app = explorer.app(ws, pace=0)
        yield app
        assert app._documents.reading.wait(60)
        assert app._documents.suggesting.wait(60)


def put(app, name, data, file=None):
    for at in range(0, max(1, len(data)), PIECE):
        piece = memoryview(data[at : at + PIECE])
        say(app, piece, t="piece", file=file or name, name=name, size=len(data), at=at)
    assert app._documents.reading.wait(60)


def last(told, kind):
    return told(kind)[-1]


def states(told):
    return {one["name"]: (one["state"], one["said"]) for one in last(told, "files")["files"]}


def listed(app, told, **asked):
    say(app, t="documents?", n=7, **asked)
    return last(told, "documents")


def test_a_new_workspace_starts_where_files_are_added_and_then_asks(empty, told):
    assert (empty.mode, empty.tabs.selected_index) == ("documents", 1)
    assert empty.get_state("snapshot")["snapshot"]["mode"] == "documents"
    put(empty, "tank-history.md", (DOCUMENTS / "tank-history.md").read_bytes())
    assert empty.tabs.titles == ("Ask", "Documents 1", "Past runs")
    empty.ask(QUESTION)
    assert empty.wait(20)
    assert (empty.mode, empty.showing.state) == ("ask", "done")


def test_files_are_read_one_after_the_other_and_each_says_what_it_brought(empty, told, monkeypatch):
    for name in ("_EVERY", "_SURE"):
        monkeypatch.setattr(f"explorer.widgets.documents.reading_in.{name}", 0.0)
    put(empty, "report.pdf", (DOCUMENTS / "investigation-report.pdf").read_bytes())
    put(empty, HOSTILE, b"# Valves\n\nBeech Aircraft built the relief valve in 1966.\n")
    put(empty, "again.pdf", (DOCUMENTS / "investigation-report.pdf").read_bytes())
    put(empty, "picture.png", b"\x89PNG\r\n\x1a\n" + bytes(60))
    put(empty, "none.txt", b"")
    told_of = states(told)
    assert told_of["report.pdf"][0] == "read"
    assert told_of["report.pdf"][1].startswith("8 pages, ")
    assert told_of[HOSTILE] == ("read", "2 facts")
    assert told_of["again.pdf"] == ("read", "known already: nothing new")
    assert {told_of[name][0] for name in ("picture.png", "none.txt")} == {"refused"}
    assert "'none.txt' is empty" in told_of["none.txt"][1]
    shares = [file["share"] for one in told("files") for file in one["files"] if file["state"] == "reading"]
    assert None in shares
    going_on = [
        file for one in told("files") for file in one["files"] if file["name"] == "report.pdf" and file["share"]
    ]
    assert {"page 1 of 8", "page 8 of 8"} <= {file["said"] for file in going_on}
    assert any(file["left"] is not None and file["left"] > 0 for file in going_on)
    assert [got["bytes"] for got in told("got")][:1] == [
        min(PIECE, (DOCUMENTS / "investigation-report.pdf").stat().st_size)
    ]
    say(empty, t="drop", file="none.txt")
    assert "none.txt" not in states(told)
    assert [one["title"] for one in listed(empty, told)["documents"]] == [
        "Valves",
        *(one.title for one in empty.ws.documents if one.source == "report.pdf"),
    ]
    assert not any(path.exists() for path in empty._documents._uploads.kept())


def test_an_encrypted_file_asks_for_its_password_which_is_nowhere_afterwards(empty, told, sent):
    data = shut_pdf(PASSWORD)
    put(empty, "locked.pdf", data)
    assert states(told)["locked.pdf"][0] == "locked"
    assert "is encrypted" in states(told)["locked.pdf"][1]
    say(empty, t="unlock", file="locked.pdf", password="another")
    assert empty._documents.reading.wait(60)
    assert states(told)["locked.pdf"] == ("locked", "This password does not open it. Try another.")
    say(empty, t="unlock", file="locked.pdf", password=PASSWORD)
    assert empty._documents.reading.wait(60)
    assert states(told)["locked.pdf"][0] == "read"
    [one] = empty.ws.documents
    assert WORDS in one.text
    put(empty, "again.pdf", data)
    assert states(told)["again.pdf"] == ("read", "known already: nothing new"), "what is here needs no password"

    say(empty, t="remove", iri=one.iri, words=False)
    assert empty._documents.changing.wait(60)
    say(empty, t="restore", iri=one.iri)
    assert empty._documents.reading.wait(60)
    assert states(told)[one.title][0] == "read", "what comes back is not read anew, and needs no password"
    assert [each.iri for each in empty.ws.documents] == [one.iri]
    assert PASSWORD not in repr(parse({"t": "unlock", "file": "f", "password": PASSWORD}))
    assert PASSWORD not in repr([message.data for message in sent])
    assert PASSWORD not in repr(empty._documents.reading._files)
    assert not any(PASSWORD in one for one in stored(empty.ws))


def test_an_encrypted_office_file_is_read_with_its_password(empty, told):
    put(empty, "locked.docx", shut_office())
    assert states(told)["locked.docx"][0] == "locked"
    say(empty, t="unlock", file="locked.docx", password=SECRET)
    assert empty._documents.reading.wait(60)
    assert states(told)["locked.docx"][0] == "read"
    assert WORDS in empty.ws.documents[0].text


def test_a_piece_out_of_turn_is_said_beside_its_file(empty, told):
    say(empty, memoryview(b"later"), t="piece", file="1", name="a.txt", size=2 * PIECE, at=PIECE)
    assert states(told)["a.txt"] == ("refused", "A piece of the file did not come whole; choose it again.")
    assert told("got") == []
    say(empty, t="files?")
    assert states(told)["a.txt"][0] == "refused"


def test_documents_are_found_by_title_and_by_words_and_opened_page_by_page(app, ws, told):
    found = listed(app, told)
    assert [one["title"] for one in found["documents"]] == [one.title for one in reversed(ws.documents)]
    assert (found["total"], found["more"], found["n"]) == (3, False, 7)
    assert {one["kind"]: one["pages"] for one in found["documents"]} == {"PDF": 8, "Markdown": 0, "Text": 0}
    assert all(one["facts"] > 0 and one["when"] for one in found["documents"])
    assert listed(app, told, limit=1)["more"]
    [report] = [one for one in found["documents"] if one["kind"] == "PDF"]
    by_title = listed(app, told, text="investigation")
    assert by_title["documents"][0]["iri"] == report["iri"]
    by_words = listed(app, told, text="thermostatic switches")
    assert all(
        "thermostat" in one["found"].lower() or "switch" in one["found"].lower() for one in by_words["documents"]
    )
    assert listed(app, told, text="zebra")["documents"] == []
    words = "By the railway fence a ditch was dug, which Network Rail had asked for."
    assert _around(words, "Network Rail") == "… a ditch was dug, which Network Rail had asked for."

    say(app, t="document?", iri=report["iri"], key="k")
    opened = last(told, "document")
    assert (opened["iri"], opened["key"], opened["about"]) == (report["iri"], "k", report)
    assert opened["page"]["sub"] == "PDF · page 1 of 8"
    assert opened["page"]["facts"]["total"] > 0
    assert "".join(text for text, _ in opened["page"]["runs"]).startswith("The Loss of Oxygen Tank")
    say(app, t="document?", iri=report["iri"], key="l", turned=opened["page"]["neighbours"]["next"])
    assert last(told, "document")["page"]["sub"] == "PDF · page 2 of 8"


def test_facts_that_stand_in_several_documents_are_told(app, ws, told):
    found = listed(app, told)
    every = Counter(fact.triple for one in ws.documents for fact in ws.facts(document=one.iri, limit=10_000))
    assert found["shared"] == sum(number > 1 for number in every.values()) > 0
    assert sum(one["facts"] for one in found["documents"]) == every.total()
    assert len(every) == ws.size.facts


def test_words_that_were_searched_for_are_counted_and_open_where_they_stand_first(app, ws, told):
    library = ws.stores.library
    found = listed(app, told, text="heater")
    assert not found["partly"]
    texts = {one.iri: one.text for one in ws.documents}
    forms = re.compile(r"\bheaters?\b", re.IGNORECASE)
    assert {one["iri"]: one["times"] for one in found["documents"]} == {
        iri: len(forms.findall(text)) for iri, text in texts.items() if forms.search(text)
    }
    for iri, places in library.spots("heater", texts).items():
        assert [texts[iri][one.start : one.end] for one in places] == forms.findall(texts[iri])
    assert listed(app, told, text="fan motors", limit=1)["total"] == len(library.documents_holding("fan motors"))

    [report] = [one for one in found["documents"] if one["kind"] == "PDF"]
    first = forms.search(texts[report["iri"]])
    page = next(one for one in ws.document(report["iri"]).pages if first.group() in one.text)
    say(app, t="document?", iri=report["iri"], key="k", text="heater")
    opened = last(told, "document")
    assert opened["page"]["part"] == page.iri
    assert opened["page"]["sub"] != "PDF · page 1 of 8"
    marked = [words for words, kind in opened["page"]["runs"] if kind == "mine"]
    assert marked == forms.findall(page.text)
    assert opened["page"]["page"]["boxes"]
    assert opened["sought"] == f"“heater”: {report['times']} places in this document"

    partly = listed(app, told, text="heater zebra")
    assert partly["partly"]
    assert {one["iri"] for one in partly["documents"]} == {one["iri"] for one in found["documents"]}
    assert listed(app, told, text='heater" AND NOT (*')["partly"], "marks of the query language are text"


def test_questions_to_begin_with_are_offered_for_what_was_added_and_for_the_document_that_is_open(empty, told):
    put(empty, "tank-history.md", (DOCUMENTS / "tank-history.md").read_bytes())
    assert empty._documents.suggesting.wait(60)
    questions = empty.ws.suggest()
    assert questions
    assert empty.bar.state["examples"] == questions
    empty.tabs.selected_index = 0
    assert empty.showing.snapshot()["examples"] == questions
    [one] = empty.ws.documents
    for _ in range(2):
        say(empty, t="document?", iri=one.iri, key="k")
        assert empty._documents.suggesting.wait(60)
        assert last(told, "suggested") == {"t": "suggested", "iri": one.iri, "questions": questions}
    assert len(told("suggested")) == 2
    assert empty.ws.size.traces == 0
    empty.ask(questions[0])
    assert empty.wait(20)
    assert empty._documents.suggesting.wait(60)
    assert questions[0] not in last(told, "suggested")["questions"], "what was asked is offered no more"


def test_a_document_names_the_answers_that_used_it(answered, ws, told):
    kept = (*answered.trace.edges, *answered.trace.chunks)
    used = {source.document for one in kept for source in answered.trace.passages[one.iri]}
    quoted = set()
    for iri in used:
        say(answered, t="document?", iri=iri, key=iri)
        message = last(told, "document")
        assert message["uses"] + message["looked"] >= 1
        quoted |= {iri} if answered.trace.iri in {run["iri"] for run in message["used"]} else set()
    assert (
        quoted == {one.iri for one in ws.documents if answered.trace.iri in {run.iri for run in one.quoted_in}} != set()
    )
    say(answered, t="document?", iri="https://example.org/none", key="k")
    assert last(told, "gone") == {"t": "gone", "iri": "https://example.org/none", "title": "", "when": ""}


def test_a_question_is_answered_while_a_file_is_read(empty, told, monkeypatch):
    put(empty, "tank-history.md", (DOCUMENTS / "tank-history.md").read_bytes())
    going_on, asked = threading.Event(), threading.Event()
    ingest = empty.ws.ingest

    def slow(*paths, **how):
        going_on.set()
        assert asked.wait(60)
        return ingest(*paths, **how)

    monkeypatch.setattr(empty.ws, "ingest", slow)
    data = Path(DOCUMENTS / "mission-timeline.txt").read_bytes()
    say(empty, memoryview(data), t="piece", file="t", name="timeline.txt", size=len(data), at=0)
    assert going_on.wait(60)
    empty.ask(QUESTION)
    assert empty.wait(20)
    assert empty.showing.state == "done"
    asked.set()
    assert empty._documents.reading.wait(60)
    assert states(told)["timeline.txt"][0] == "read"
    assert empty.showing.state == "done"


def test_a_question_about_one_document_is_answered_from_it_alone(app, ws, told):
    [timeline] = [one for one in ws.documents if one.source.endswith("timeline.txt")]
    app.tabs.selected_index = 1
    say(app, t="bar", within={timeline.iri: timeline.title})
    assert app.tabs.selected_index == 0
    assert app.ask_bar["within"] == {timeline.iri: timeline.title}
    say(app, t="ask", question="Who turned on the fans?")
    assert app.wait(20)
    assert app.trace.edges
    assert {source.document for source in app.trace.sources()} == {timeline.iri}
    say(app, t="bar", within={"https://example.org/gone": "Gone"})
    say(app, t="ask", question="When did the fans start?")
    assert "Gone" in app.error or "example.org/gone" in app.error
    say(app, t="bar", within={})
    say(app, t="ask", question="When did the fans start?")
    assert app.wait(20)
    assert app.error is None
