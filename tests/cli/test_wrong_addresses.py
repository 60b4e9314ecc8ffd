"""What names no run, or none that is here, is refused in a sentence: exit code 2, RecordError, nothing written."""

import pytest

import explorer
from explorer.errors import QuestionError, RecordError
from explorer.vocab import iri
from tests.corpus import QUESTIONS, filled, ids
from tests.each import each

AGENT, WITHIN = iri("agent-question", "s1"), iri("question", "s2")
WRONG = {
    "unknown": iri("question", "nowhere"),
    "of another workspace": iri("question", "f1"),
    "foreign": "https://example.org/run/1",
    "cut short": AGENT[:-1],
    "in brackets": f"<{AGENT}>",
    "with a space behind it": f"{AGENT} ",
    "with a line break behind it": f"{AGENT}\n",
    "no IRI": "urn: a b",
    "nothing": "",
    "an end": iri("end", "s1"),
    "a text": iri("agent-answer", "s1"),
    "a search within a run": WITHIN,
}
COMMANDS = {
    "verify": ("verify", "IRI"), "report": ("report", "IRI", "-o", "made"), "bundle": ("bundle", "IRI", "-o", "made"),
    "annotate": ("annotate", "IRI", "--name", "First"), "influence": ("influence", "IRI"),
    "judge": ("judge", "IRI", "supported"), "verdicts": ("verdicts", "IRI"),
    "agreement": ("verdicts", "IRI", "--agreement"), "export": ("export", "IRI"), "show": ("show", "IRI"),
    "compare": ("compare", "IRI", AGENT), "compare as the second": ("compare", AGENT, "IRI"),
    "verify an anchor": ("verify", "--anchor", "IRI"), "hierarchy": ("hierarchy", "IRI"), "impact": ("impact", "IRI"),
    "forget": ("forget", "IRI", "--yes"), "query": ("query", "runs-citing", "--document", "IRI"),
}  # fmt: skip
READ = {"a search within a run"}  # such a question is looked at, and judged, as any other
RIGHT = {
    "judge": READ, "export": READ, "compare": READ, "compare as the second": READ, "show": READ | {"an end", "a text"},
}  # fmt: skip


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("places")
    with filled(folder / "ws") as ws:
        ws.run(QUESTIONS[0], "agent")
        assert {AGENT, WITHIN} <= {quad.subject.value for quad in ws.graph.match()}
    with filled(folder / "other") as other:
        other._ids = other.traces.ids = ids("f")
        other.run(QUESTIONS[0])
    return folder


def wrong(command):
    return [name for name in WRONG if name not in RIGHT.get(command, ())]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_refuses_what_names_no_run(program, place, command):
    @each("name", wrong(command))
    def is_refused(name):
        given = {"IRI": WRONG[name], "made": place / "made"}
        code, out, err = program(*(given.get(one, one) for one in COMMANDS[command]), "-w", place / "ws")
        assert (code, out) == (2, "")
        assert err.startswith("explorer: ")
        assert not (place / "made").exists()

    is_refused()


CALLS = {
    "verify": lambda ws, one: ws.verify(one),
    "report": lambda ws, one: ws.report(one),
    "bundle": lambda ws, one: ws.bundle(one, path="made.zip"),
    "annotate": lambda ws, one: ws.traces.annotate(one, name="First"),
    "delete": lambda ws, one: ws.traces.delete(one),
    "influence": lambda ws, one: ws.influence(one),
    "verdicts": lambda ws, one: ws.traces.verdicts(one),
    "agreement": lambda ws, one: ws.traces.agreement(one),
    "export": lambda ws, one: ws.export(one, "nq"),
}


@each("call", CALLS)
def test_a_call_refuses_what_names_no_run(place, tmp_path, monkeypatch, call):
    monkeypatch.chdir(tmp_path)
    with explorer.open(place / "ws") as ws:
        before = (set(ws.graph.match()), len(ws.ledger))

        @each("name", wrong(call))
        def is_refused(name):
            with pytest.raises((RecordError, QuestionError)) as said:
                CALLS[call](ws, WRONG[name])
            assert str(said.value).endswith(".") or "\n" in WRONG[name]
            assert (set(ws.graph.match()), len(ws.ledger)) == before
            assert not (tmp_path / "made.zip").exists()

        is_refused()


def test_one_that_names_no_run_beside_one_that_does_is_refused_whole(program, place):
    code, _, err = program("verify", AGENT, WRONG["unknown"], "-w", place / "ws")
    assert code == 2
    assert WRONG["unknown"] in err
    with explorer.open(place / "ws") as ws:
        for call in (ws.verify, ws.report):
            with pytest.raises(RecordError):
                call(AGENT, WRONG["unknown"])
