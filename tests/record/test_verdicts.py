"""Verdicts of reviewers: W3C Web Annotations beside the record, none of which is lost."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest
from typer.testing import CliRunner

from explorer.cli.commands import app
from explorer.errors import RecordError, WorkspaceError
from explorer.record.verdicts import NOBODY, Judged, agreement
from explorer.vocab import ANNOTATION, RETRIEVAL
from tests.corpus import QUESTIONS, filled
from tests.each import each
from tests.opened import at

HOSTILE = "<img src=x onerror=alert(1)> \u202eلماذا a\x00b\ud800c\x1b[31m ; DELETE WHERE { ?s ?p ?o }"


@pytest.fixture
def ws(tmp_path):
    with filled(tmp_path / "ws") as found:
        yield found


@pytest.fixture
def trace(ws):
    return ws.run(QUESTIONS[0])


def test_a_verdict_stands_beside_the_run_which_stays_as_it_was(ws, trace):
    before = set(ws.graph.match(graph=RETRIEVAL)), ws.export(trace, "nq")
    made = ws.traces.judge(trace, "supported", sentence=1, comment="It says so.", by="Ada")
    assert (made.sentence, made.verdict, made.comment, made.by) == (1, "supported", "It says so.", "Ada")
    assert made.quote
    assert made.quote in " ".join(trace.answer.split())
    assert list(ws.traces.verdicts(trace)) == [made]
    assert (set(ws.graph.match(graph=RETRIEVAL)), ws.export(ws.traces.load(trace.iri), "nq")) == before
    assert ws.verify(trace).is_sound


def test_a_verdict_is_a_web_annotation_whose_selectors_find_the_sentence(ws, trace):
    made = ws.traces.judge(trace, "unclear", sentence=1, comment="Hm.", by="Ada")
    found = ws.query(
        "SELECT ?exact ?start ?end ?source ?value ?purpose WHERE {"
        f" <{made.iri}> a oa:Annotation ; oa:motivatedBy oa:assessing ; oa:hasTarget ?target ; oa:hasBody ?body ."
        " ?target a oa:SpecificResource ; oa:hasSource ?source ; oa:hasSelector ?words, ?place ."
        " ?words a oa:TextQuoteSelector ; oa:exact ?exact ."
        " ?place a oa:TextPositionSelector ; oa:start ?start ; oa:end ?end ."
        " ?body a oa:TextualBody ; rdf:value ?value ; oa:hasPurpose ?purpose } ORDER BY ?value"
    )
    assert [(row["value"], row["purpose"].rpartition("#")[2]) for row in found] == [
        ("Hm.", "commenting"),
        ("unclear", "assessing"),
    ]
    row = found[0]
    assert ws.text(row["source"])[int(row["start"]) : int(row["end"])] == row["exact"] == made.quote


def test_a_later_verdict_takes_the_place_of_the_same_persons_and_none_is_lost(ws, trace):
    first = ws.traces.judge(trace, "Not-Supported", sentence=1, by="Ada")
    others = [ws.traces.judge(trace, "unclear", sentence=1, by=who) for who in ("Bob", None)]
    last = ws.traces.judge(trace, "supported", sentence=1, by="Ada")
    assert [one.iri for one in ws.traces.verdicts(trace)] == [*(one.iri for one in others), last.iri]
    every = {one.iri: one for one in ws.traces.verdicts(trace, superseded=True)}
    assert len(every) == 4
    assert not every[first.iri].standing
    assert every[first.iri].verdict == "not supported"
    assert "changed later" in str(ws.traces.verdicts(trace, superseded=True))
    for form in ("html", "md"):
        assert "not supported (changed later)" in ws.report(trace, format=form).replace("\\", "")
    assert NOBODY in str(ws.traces.verdicts(trace))
    [listed] = ws.traces.list("bob")
    assert dict(listed.reviewed) == {"supported": 1, "unclear": 2}
    assert ws.traces.list("cecilia") == []


def test_nodes_of_a_run_and_of_a_search_within_it_are_judged(ws):
    trace = ws.run(QUESTIONS[0], engine="agent")
    edges = [one for one in trace.dag.entities.values() if type(one).__name__ == "EdgeSelection"]
    for node in (edges[0].iri, trace.steps[1].iri, f"{trace.dag.final.iri}#sentence-1"):
        made = ws.traces.judge(node, "supported")
        assert (made.run, made.target) == (trace.iri, node)
    assert edges[0].iri.split(":")[-2] not in trace.iri  # of a search with a session of its own
    assert len(ws.traces.verdicts(trace)) == 3


@each(
    ("change", "says"),
    [
        ({"verdict": "good"}, "one of supported, not supported, unclear"),
        ({"sentence": 99}, "no sentence 99"),
        ({"sentence": 0}, "no sentence 0"),
        ({"sentence": None}, "on a sentence of the answer"),
        ({"target": "urn:foreign:node"}, "no node urn:foreign:node"),
        ({"target": "no iri"}, "no node no iri"),
        ({"comment": "x" * 10_001}, "at most 10,000 characters"),
    ],
)
def test_what_can_not_be_judged_is_refused_with_a_reason(ws, trace, change, says):
    with pytest.raises(RecordError, match=says):
        ws.traces.judge(**{"target": trace.iri, "verdict": "supported", "sentence": 1} | change)
    assert not list(ws.graph.match(graph=ANNOTATION))


def test_any_comment_and_name_is_kept_as_text(ws, trace):
    quads = len(list(ws.graph.match(graph=RETRIEVAL)))
    made = ws.traces.judge(trace, "unclear", sentence=1, comment=HOSTILE, by=HOSTILE)
    (again,) = ws.traces.verdicts()
    assert again == made
    assert "<img" not in ws.traces.verdicts()._repr_html_()
    assert "\x1b" not in repr(ws.traces.verdicts())
    assert len(list(ws.graph.match(graph=RETRIEVAL))) == quads


def test_reviewers_at_the_same_moment_lose_no_verdict(ws, trace):
    people = [f"Reviewer {number}" for number in range(8)]
    with ThreadPoolExecutor(8) as pool:
        [*pool.map(lambda who: ws.traces.judge(trace.iri, "supported", sentence=1, by=who), people)]
    assert sorted(one.by for one in ws.traces.verdicts(trace)) == people


def test_verdicts_go_and_come_back_with_their_run(ws, trace):
    made = ws.traces.judge(trace, "supported", sentence=1, comment="Yes.")
    gone = ws.traces.delete(trace.iri)
    assert not ws.traces.verdicts()
    assert not list(ws.graph.match(graph=ANNOTATION))
    ws.traces.restore(gone)
    assert list(ws.traces.verdicts()) == [made]


@pytest.mark.embedded("a folder has one writer")
def test_a_workspace_that_is_read_only_takes_no_verdict(ws, trace, monkeypatch):
    monkeypatch.setattr(ws.stores.database, "read_only", True)
    with pytest.raises(WorkspaceError, match="read-only"):
        ws.traces.judge(trace.iri, "supported", sentence=1)


def judged(by, *words):
    """Verdicts of one person on things 0, 1, 2 …; an empty word is none."""
    return [Judged(f"{by}{n}", "r", f"t{n}", "", word, "", by, "") for n, word in enumerate(words) if word]


def test_agreement_is_the_share_of_equal_verdicts_and_cohens_kappa():
    yes, no = "supported", "not supported"
    twenty = ([yes, yes]) * 20 + ([no, no]) * 15 + ([yes, no]) * 5 + ([no, yes]) * 10  # the usual example: 0.4
    one = agreement([*judged("A", *twenty[::2]), *judged("B", *twenty[1::2])])
    assert (one.pairs[0].items, round(one.raw, 3), round(one.kappa, 3)) == (50, 0.7, 0.4)
    same = agreement([*judged("A", yes, yes), *judged("B", yes, yes)])
    assert (same.raw, same.kappa) == (1.0, None)
    three = agreement([*judged("A", yes, no), *judged("B", yes, no, no), *judged("C", "", "", no)])
    assert [(pair.one, pair.other, pair.items, pair.kappa) for pair in three.pairs] == [
        ("A", "B", 2, 1.0),
        ("B", "C", 1, None),
    ]
    assert agreement([]).raw is None
    assert "No two reviewers" in repr(agreement(judged("A", yes)))


def test_the_commands_judge_list_and_compare_reviewers(ws, trace, tmp_path):
    place = at(tmp_path / "ws")
    ws.close()

    def run(*args):
        return CliRunner().invoke(app, [*args, *place], catch_exceptions=False)

    for who, word in (("Ada", "supported"), ("Bob", "not-supported")):
        assert run("judge", trace.iri, word, "--sentence", "1", "--by", who).exit_code == 0
    assert "Ada" in run("verdicts", trace.iri).stdout
    assert [one["verdict"] for one in json.loads(run("verdicts", "--json").stdout)] == ["supported", "not supported"]
    assert json.loads(run("verdicts", "--agreement", "--json").stdout)["raw"] == 0.0
    assert "Cohen" in run("verdicts", "--agreement").stdout
