"""What runs cost: by prices that somebody wrote down, or as spans told; nothing is fetched and nothing is guessed."""

import json

import pytest

import explorer
from explorer import entities as e
from explorer.cli.lines import usage_lines
from explorer.errors import WorkspaceError
from explorer.evaluation.measures import measured
from explorer.evaluation.questions import GoldQuestion
from explorer.prices import FILE, Prices

PRICED = 'currency = "EUR"\n["my-model"]\ninput = 2\noutput = 10.0\n'
QUESTION = "Who fixed the pump?"
WORDS = "Ada Smith replaced the seal of the pump on 3 April."


@pytest.fixture
def priced(tmp_path):
    """Opens a workspace whose folder has prices."""

    def open_with(text=PRICED):
        explorer.open(tmp_path / "ws").close()
        (tmp_path / "ws" / FILE).write_text(text)
        return explorer.open(tmp_path / "ws")

    return open_with


def asked(ws, model="my-model", cost=None, tokens=(1_000, 100)):
    with ws.record(QUESTION, pipeline="mine") as run:
        run.looked_at([WORDS])
        run.prompt(f"Answer from {WORDS}", WORDS, model=model, in_tokens=tokens[0], out_tokens=tokens[1], cost=cost)
        run.answer(WORDS)
    return run.iri


def test_a_run_costs_what_the_prices_in_its_folder_say_and_each_stage_its_part(priced):
    with priced() as ws:
        trace = ws.traces.load(asked(ws))
        assert str(trace.cost) == "0.0030 EUR"
        assert {kind: str(money) for kind, money in trace.costs.items()} == {"Synthesis": "0.0030 EUR"}
        assert [*usage_lines(trace)][-1] == "Cost: 0.0030 EUR (answer 0.0030 EUR)"
        assert measured(GoldQuestion(1, QUESTION), trace)["cost"] == pytest.approx(0.003)
        app = explorer.app(ws)
        app.open(trace.iri)
        assert " · 0.0030 EUR" in json.dumps(app.showing.snapshot(), ensure_ascii=False), "in how it ended"


def test_a_model_without_a_price_is_named_and_no_price_is_no_cost(priced):
    with priced() as ws:
        assert ws.traces.load(asked(ws, "other")).cost is None
    known, other = (e.Synthesis(iri=f"urn:{name}", model=name, in_token=500_000) for name in ("my-model", "other"))
    assert str(Prices({"my-model": (2.0, 10.0)}).cost([known, other])) == "1.0000 USD, without other"
    assert Prices({"m-5": (2.0, 0.0)}).of("m-5-2025-08-07", 500_000, 1) == 1
    assert Prices({"m": (2.0, 0.0)}).of("m-mini", 500_000, 1) is None
    with explorer.open() as ws:
        assert ws.traces.load(asked(ws)).cost is None


def test_prices_of_another_file_are_taken_where_it_is_named(tmp_path, monkeypatch):
    (tmp_path / "mine.toml").write_text('["my-model"]\ninput = 1\n')
    monkeypatch.setenv("EXPLORER_PRICES", str(tmp_path / "mine.toml"))
    with explorer.open() as ws:
        assert str(ws.traces.load(asked(ws)).cost) == "0.0010 USD"


@pytest.mark.parametrize(
    "text", ["[", '["m"]\ninput = -1', '["m"]\ninput = "2"', '["m"]\noutput = nan', "m = 3", '["m"]\ninput = true']
)
def test_prices_that_can_not_be_meant_are_refused_with_their_file(priced, text):
    with pytest.raises(WorkspaceError, match=r"The prices in .*prices\.toml can't be read"):
        priced(text)


def test_what_a_call_cost_is_on_record_and_comes_before_any_price(priced):
    with priced() as ws:
        trace = ws.traces.load(asked(ws, cost=0.5))
        assert str(trace.cost) == "0.5000 USD"
        assert ws.verify(trace).is_sound


@pytest.mark.parametrize(
    ("told", "cost"),
    [
        ({"total": 0.25}, "0.2500 USD"),
        ({"total": "0.25", "prompt": 9}, "0.2500 USD"),
        ({"prompt": 0.1, "completion": 0.2}, "0.3000 USD"),
        ({"total": "much"}, None),
        ({"total": -1}, None),
    ],
)
def test_costs_in_spans_are_read(tmp_path, told, cost):
    attributes = {
        "openinference.span.kind": "LLM", "input.value": QUESTION, "output.value": WORDS, "llm.model_name": "m",
        **{f"llm.cost.{name}": value for name, value in told.items()},
    }  # fmt: skip
    typed = [
        {"key": key, "value": {"stringValue": value} if isinstance(value, str) else {"doubleValue": value}}
        for key, value in attributes.items()
    ]
    span = {"traceId": "1" * 32, "spanId": "2" * 16, "name": "call", "attributes": typed,
            "startTimeUnixNano": str(10**18), "endTimeUnixNano": str(10**18 + 10)}  # fmt: skip
    path = tmp_path / "spans.json"
    path.write_text(json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}))
    with explorer.open() as ws:
        [run] = ws.import_record(path, progress=False).traces
        trace = ws.traces.load(run)
        assert (str(trace.cost) if trace.cost else None) == cost


def test_a_question_is_estimated_by_the_runs_before_it(priced):
    with priced() as ws:
        assert ws.estimate("mine", "my-model") is None
        for tokens in ((1_000, 100), (3_000, 300), (2_000, 200)):
            asked(ws, tokens=tokens)
        assert str(ws.estimate("mine", "my-model")) == "about 2,000 tokens in, 200 out, 0.0060 EUR, by 3 past runs"
        assert ws.estimate("mine", "another") is None
