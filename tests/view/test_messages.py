"""The scripts of the page send and read the messages that `view/messages/` describes, and no others."""

import importlib
import pkgutil
import re
from pathlib import Path
from typing import get_args, get_type_hints, is_typeddict

import pytest

from explorer.errors import RecordError
from explorer.view import messages
from explorer.view.messages import comparison, detail, message, requests, run, source
from explorer.wording import authors, panel_rows
from tests.each import each
from tests.widgets.test_app import QUESTION

STATIC = Path(messages.__file__).parents[1] / "static"
FILES = {str(path.relative_to(STATIC)): path.read_text() for path in STATIC.rglob("*.js")}
SCRIPTS = "\n".join(FILES.values())
MODULES = [
    panel_rows, authors,
    *(importlib.import_module(f"explorer.view.messages.{one.name}") for one in pkgutil.iter_modules(messages.__path__)),
]  # fmt: skip
TYPES = {name: one for module in MODULES for name, one in vars(module).items() if is_typeddict(one)}
KINDS = {get_args(get_type_hints(one)["t"])[0]: one for one in get_args(message.Message)}
LITERAL = re.compile(r'\{ t: "([^"]+)"((?:, [^{}]*)?) \}')
# What the scripts add to a value; classes in the sheets; of an arc its looks.
PAGE_S_OWN = {"page": {"image"}, "delta": {"piece"}, "arc": {"dashes", "arrows"}}
READ = {  # by the name that the scripts have for a value everywhere
    "delta": [run.Delta],
    "snapshot": [run.Snapshot],
    "frame": [run.Delta],
    "answer": [run.AnswerState],
    "page": [source.Source],
    "passage": [run.PassageWords],
    "arc": [run.Arc],
    "author": [authors.Author],
    "teaching": [run.Teaching],
    "title": [run.Title],
    "group": [comparison.Group],
    "idea": [comparison.Idea],
    "row": [*get_args(detail.Row), comparison.ComparedFact],
}
BUILT_IN = {"append", "map", "sort", "length", "push", "on"}  # methods of lists and elements, and a class


def fields(*types):
    return {field for one in types for field in get_type_hints(one)}


def names(text):
    """The names in "a, b: c, d = 1, ...e" without those that are spread."""
    return {part.split(":")[0].split("=")[0].strip() for part in text.split(",") if part.strip() and "..." not in part}


def literals():
    """Kind and fields of each message that a script makes."""
    return [(kind, names(rest), "..." in rest) for kind, rest in LITERAL.findall(SCRIPTS)]


def test_every_kind_of_message_has_a_receiver():
    table = re.search(r"const RECEIVERS = \{(.*?)\n\};", FILES["main.js"], re.DOTALL)[1]
    receivers = dict(re.findall(r"(\w+): (\w+),", table))
    assert set(receivers) == set(KINDS)
    for kind, name in receivers.items():
        body = re.search(rf"function {name}\(store(, (\w+)[^)]*)?\) \{{(.*?)\n\}}", SCRIPTS, re.DOTALL)
        value = body[2]
        read = set(re.findall(rf"\b{value}\.(\w+)", body[3])) if value else set()
        read |= {name for part in re.findall(rf"const \{{([^}}]*)\}} = {value};", body[3]) for name in names(part)}
        assert read <= fields(KINDS[kind]), name


def test_what_the_scripts_send_are_the_requests_with_all_their_fields():
    sent = [(kind, given) for kind, given, _ in literals() if kind not in KINDS]
    assert {kind for kind, _ in sent} == set(requests.REQUESTS)
    for kind, given in sent:
        assert given == set(requests.REQUESTS[kind]._fields), kind
    assert SCRIPTS.count(".send(") == SCRIPTS.count(".send({ t:") + SCRIPTS.count(".send(message")


def test_a_page_without_a_kernel_answers_itself_with_the_same_messages():
    made = [(kind, given, spread) for kind, given, spread in literals() if kind in KINDS]
    assert {kind for kind, _, _ in made} == {"save", "source", "record", "notkept"}
    for kind, given, spread in made:
        assert spread
        assert given <= fields(KINDS[kind])
    wanted = re.search(r"const WANTED = new Set\(\[(.*?)\]\)", FILES["save/report_model.js"])[1]
    assert set(re.findall(r'"([^"]+)"', wanted)) <= set(requests.REQUESTS)


@each("value", READ)
def test_a_script_reads_only_fields_that_exist(value):
    known = fields(*READ[value]) | PAGE_S_OWN.get(value, set()) | BUILT_IN
    read = set(re.findall(rf"(?<![.\w-]){value}\??\.(\w+)", SCRIPTS))
    assert read, f"no script reads {value}"
    assert read <= known


def test_every_field_is_read_by_a_script():
    assert len(TYPES) > 40
    unread = [
        f"{name}.{field}"
        for name, one in TYPES.items()
        for field in get_type_hints(one)
        if not re.search(rf"(\.|\{{ |, |\"){field}\b", SCRIPTS)
    ]
    assert unread == []


@each("content", [None, [], "ask", {}, {"t": None}, {"t": ["ask"]}, {"t": "tell"}, {"t": "x" * 500}])
def test_a_message_of_no_known_kind_is_refused_in_a_line(content):
    with pytest.raises(RecordError, match="not a known message") as refused:
        requests.parse(content)
    assert len(str(refused.value)) < 150


@each(
    ("content", "wrong"),
    [
        ({"t": "ask"}, "question"),
        ({"t": "ask", "question": 7}, "question"),
        ({"t": "ask", "question": "Why?", "engine": "graph-rag"}, "engine"),
        ({"t": "runs?"}, "n"),
        ({"t": "runs?", "n": True}, "n"),
        ({"t": "runs?", "n": 1, "limit": "all"}, "limit"),
        ({"t": "runs?", "n": 1, "problems": "some"}, "problems"),
        ({"t": "save?", "format": "exe"}, "format"),
        ({"t": "source?", "run": "r", "node": "n", "key": {}}, "key"),
        ({"t": "next", 7: "seven"}, "7"),
        ({"t": "next", "x" * 500: 1}, "x"),
        ({"t": "next", "by": "leap"}, "by"),
        ({"t": "stop", "by": "step"}, "by"),
        ({"t": "runs?", "n": -1}, "n"),
        ({"t": "runs?", "n": 1.0}, "n"),
        ({"t": "runs?", "n": 10**30}, "n"),
        ({"t": "level?", "run": "r" * 20_001, "level": "l", "seq": 1}, "run"),
        ({"t": "ask", "question": "x" * 10_000_001}, "question"),
        ({"t": "ask", "question": b"Why?"}, "question"),
        ({"t": "bar", "limits": {"max_hops": 3}}, "limits"),
        ({"t": "bar", "limits": {"max_hops": None}}, "limits"),
        ({"t": "bar", "within": ["a"]}, "within"),
        ({"t": "annotate", "iri": "r", "name": None, "tags": ["a", 7], "note": None}, "tags"),
        ({"t": "annotate", "iri": "r", "name": None, "tags": "ab", "note": None}, "tags"),
        ({"t": "settle", "file": None, "replace": 1}, "replace"),
    ],
)
def test_a_field_that_is_missing_unknown_or_of_a_wrong_type_is_named(content, wrong):
    with pytest.raises(RecordError, match=f"wrong '{wrong}.*reload the page") as refused:
        requests.parse(content)
    assert len(str(refused.value)) < 150


def test_a_request_is_parsed_with_what_it_leaves_out():
    assert requests.parse({"t": "ask", "question": QUESTION}) == requests.Ask(QUESTION)
    assert requests.parse({"t": "next"}) == requests.Next()
    asked = requests.parse({"t": "runs?", "n": 3, "problems": "with", "text": None})
    assert asked == requests.WantRuns(3, problems="with")
    changed = requests.parse({"t": "bar", "limits": {"max_hops": "3", "teaches": True}, "within": {}})
    assert changed == requests.ChangeBar(limits={"max_hops": "3", "teaches": True}, within={})


def test_half_a_letter_is_for_those_who_keep_the_words():
    assert requests.parse({"t": "ask", "question": "Who \ud800?"}) == requests.Ask("Who \ud800?")


@pytest.mark.parametrize("content", [None, ["ask"], {"t": "ask"}, {"t": "level?", "run": {}}])
def test_what_is_malformed_is_shown_as_trouble_and_the_app_goes_on(app, told, content):
    app._handle_custom_msg(content, [])
    [trouble] = told("trouble")
    assert "reload the page" in trouble["text"]
    assert trouble["details"] is None
    app._handle_custom_msg({"t": "runs?", "n": 1}, [])
    assert told("runs")
