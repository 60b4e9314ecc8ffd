"""What stands at the end of a cell: useful plain text, the same each time, and HTML in which no text is markup."""

import copy
import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st
from IPython.core.formatters import DisplayFormatter

import explorer
from explorer import display
from explorer.dag import ProvenanceDag
from explorer.drawing.picture import TALLEST, Picture
from explorer.events import Explain
from explorer.stores import fact_passages
from explorer.text import one_line
from tests.corpus import QUESTIONS, filled, shared
from tests.drawing.test_picture import HOSTILE, tags
from tests.server import fails, serving

CONTROLS = "\x1b\x00\u202e"


def shown(value):
    """What a notebook is sent for a value."""
    made, _ = DisplayFormatter().format(value)
    return made


def harmless(value):
    made = shown(value)
    found = tags(made["text/html"])
    assert not {"script", "img"} & {*found.found}
    assert "onerror" not in dict(found.attributes)
    assert not {*CONTROLS} & {*made["text/plain"]}
    return made, found


@pytest.fixture
def hostile(tmp_path):
    """A workspace with a document whose title and words are markup and control characters."""
    with explorer.open() as ws:
        file = tmp_path / "evil.md"
        odd = HOSTILE.replace("\x00", "")  # which no text file may hold
        file.write_text(f"# {odd}\n\nBeech Aircraft built the relief valve. {odd} It held.\n", "utf-8")
        ws.ingest(file, progress=False)
        yield ws


def test_a_passage_shows_its_words_marked_in_what_stands_around_them():
    ws = shared()
    edge = ws.run(QUESTIONS[1]).edges[0]
    found = ws.passages(edge)[0]
    made = shown(found)
    place, words = made["text/plain"].splitlines()
    assert place == found.place
    assert found.before or found.after
    assert f"⟦{one_line(found.text)}⟧" in words
    assert one_line(found.before + found.text + found.after) == words.replace("⟦", "").replace("⟧", "").removeprefix(
        "… "
    ).removesuffix(" …")
    assert tags(made["text/html"]).found.count("mark") == 1


def test_what_stands_around_a_passage_is_the_text_of_its_document():
    ws = shared()
    for edge in ws.run(QUESTIONS[1]).edges:
        for found in ws.passages(edge):
            start = found.start - len(found.before)
            whole = found.before + found.text + found.after
            assert ws.text(found.document)[start : start + len(whole)] == whole
            assert dataclasses.replace(found, before="x", after="y") == found
            assert "\n" not in repr(dataclasses.replace(found, text="a\nb\x1b"))
    assert fact_passages._around(f"{found.text}!", 0, ws.text(found.chunk)) == ("", ""), (
        "a chunk that holds other words"
    )


def test_a_hostile_document_is_shown_as_text(hostile):
    trace = hostile.run("Who built the relief valve?")
    passages = [found for edge in trace.edges for found in hostile.passages(edge)]
    assert passages
    read = hostile.run("Who built the relief valve?", "document-rag")
    tables = (trace.edges, trace.sources(), read.chunks)
    for value in (*passages, *tables, hostile.traces.list(), hostile.compare(trace, trace), hostile):
        made, found = harmless(value)
        assert made["text/plain"]
        assert found.text


def test_a_hostile_question_is_shown_as_text(hostile):
    hostile.run(HOSTILE.replace("\x00", ""))  # which is refused
    for value in (hostile, hostile.traces.list()):
        _, found = harmless(value)
        assert "<img src=x" in found.text


@given(st.text(max_size=50), st.text(max_size=50), st.text(max_size=50), st.text(max_size=50))
def test_any_excerpt_is_safe(place, before, words, after):
    made = display.excerpt(place, before, words, after)
    assert {*tags(made["text/html"]).found} == {"p", "b", "blockquote", "mark"}
    assert len(made["text/plain"].splitlines()) <= 2
    made["text/html"].encode()


def test_an_empty_workspace_says_how_to_fill_it():
    with explorer.open() as ws:
        said = shown(ws)["text/plain"]
    assert said.startswith(repr(explorer.open()))
    assert "ws.ingest(" in said
    assert "explorer.demo()" in said
    assert "ws.run(" not in said


def test_a_workspace_names_its_last_runs_and_what_to_type_next():
    with filled() as ws:
        assert "Last runs" not in shown(ws)["text/plain"]
        for question in QUESTIONS:
            ws.run(question)
        made = shown(ws)
        assert f"  {QUESTIONS[3]} · graph-rag, declined" in made["text/plain"].splitlines()
        assert QUESTIONS[0] not in made["text/plain"]  # the last three are named
        assert "ws.traces.list()" in made["text/plain"]
        assert made == shown(ws)
    assert shown(ws)["text/plain"] == repr(ws)


def test_a_workspace_that_is_read_only_does_not_say_to_ask():
    said = display.workspace("w", [("Why?", "done")], display.hints([("", "")], empty=False, read_only=True))
    assert "ws.run(" not in said["text/plain"]
    assert "explorer.app(ws)" in said["text/plain"]


def test_past_runs_are_a_table():
    with filled() as ws:
        assert shown(ws.traces.list())["text/plain"] == "No runs on record yet."
        ws.run(QUESTIONS[0])
        ws.run(QUESTIONS[3])
        made = shown(ws.traces.list())
        assert str(ws.traces.list()) == made["text/plain"]
    heads, _, last, first = made["text/plain"].splitlines()
    assert heads.split() == ["Question", "Strategy", "Model", "Started", "End"]
    assert last.startswith(f"0  {QUESTIONS[3]}")
    assert last.endswith("declined")
    assert first.split()[-1] == "done"
    assert tags(made["text/html"]).found.count("tr") == 3


def test_a_long_cell_is_cut_in_text_and_whole_in_html():
    said = display.grid(("a", "b"), [("x" * 100, "y")])
    assert said[-1] == "x" * 59 + "…  y"
    assert "x" * 100 in display.table(("a",), [("x" * 100,)])
    assert display.grid(("a", "b"), []) == ["a  b", "-  -"]


def test_a_comparison_says_what_differs():
    ws = shared()
    one, other = ws.run(QUESTIONS[0]), ws.run(QUESTIONS[0], edge_limit=2)
    found = ws.compare(one, other)
    made = shown(found)
    assert repr(found).startswith(f"<Comparison: {found.counted('A')} kept by A alone, 0 by B alone, ")
    assert f"Only A kept: {len(found.of('A'))}" in made["text/plain"].splitlines()
    assert one.iri not in made["text/plain"]
    assert made == shown(ws.compare(*(ws.traces.load(run.iri) for run in (one, other))))
    said = tags(made["text/html"])
    assert said.found.count("table") == 2
    assert f"Only A kept: {len(found.of('A'))}" in said.text


def test_a_comparison_names_the_model_of_a_run_that_failed():
    with serving(fails(404)) as server, filled(model="stub-9", base_url=server.url) as ws:
        found = ws.compare(ws.run(QUESTIONS[0]), shared().run(QUESTIONS[0]))
    assert {"   stub-9, error", "   no model, done"} <= {*shown(found)["text/plain"].splitlines()}


def test_a_derivation_is_shown_as_far_as_it_has_come():
    ws = shared()
    dag = ProvenanceDag()
    assert shown(Picture(dag))["text/plain"] == "Nothing has been asked yet."
    sizes, last = [], ""
    for event in ws.ask(QUESTIONS[0]):
        dag.apply(event)
        if isinstance(event, Explain):
            made = shown(Picture(dag))
            assert made["text/plain"].startswith(f"? Question · {QUESTIONS[0]}")
            assert repr(Picture(dag)) == made["text/plain"]
            assert f"max-height:{TALLEST}px" in made["text/html"]
            last = made["text/html"]
            if dag.final is None:
                sizes.append(len(last))
    assert sizes == sorted(sizes)
    assert sizes[0] < sizes[-1]
    assert "★ Answer" in last  # with its answer it is drawn anew, which may be smaller


def test_facts_passages_and_sources_of_a_run_are_tables_and_tuples_still():
    ws = shared()
    trace = ws.run(QUESTIONS[0])
    made = shown(trace.edges)
    heads, _, first, *_ = made["text/plain"].splitlines()
    assert heads.split()[-2:] == ["Source", "Where"]
    assert first.startswith("0  ")
    assert trace.passages[trace.edges[0].iri][0].title in tags(made["text/html"]).text
    assert tags(made["text/html"]).found.count("tr") == len(trace.edges) + 1
    assert repr(trace.edges) == made["text/plain"]
    some = trace.edges[:2]
    assert shown(some)["text/plain"].splitlines()[2].split("  ")[:2] == first.split("  ")[:2]
    assert len(repr(some).splitlines()) == 4
    assert [*some] == [trace.edges[0], trace.edges[1]]
    assert isinstance(trace.edges, tuple)
    assert trace.edges == tuple(trace.edges)
    assert type(copy.deepcopy(trace.edges)) is tuple
    found = shown(trace.sources())["text/plain"]
    assert trace.sources()[0].title in found
    read = ws.run(QUESTIONS[0], "document-rag")
    assert shown(read.edges)["text/plain"] == "No facts were kept."
    table = shown(read.chunks)["text/plain"]
    assert read.passages[read.chunks[0].iri][0].title in table


def test_a_long_table_says_how_much_more_there_is():
    made = display.Table(range(1_234), ["Square"], lambda one: [str(one * one)], "nothing")
    assert repr(made).splitlines()[-2:] == ["99  9801", "and 1,134 more"]
    assert tags(made._repr_html_()).found.count("tr") == 101
    assert tags(made._repr_html_()).text.endswith("and 1,134 more")
    assert repr(made[:0]) == "nothing"
