"""README.md and docs/ are true: examples run, what they name exists, and what exists is in them."""

import ast
import dataclasses
import inspect
import json
import os
import re
import shlex
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
import typer.main

import explorer
from explorer import events
from explorer.cli.commands import app as program
from explorer.dag import ProvenanceDag
from explorer.documents.corrections import Correction
from explorer.documents.document import Document, Page
from explorer.documents.entities import KnownEntity, Neighbour
from explorer.documents.facts import Fact
from explorer.documents.impact import Impact
from explorer.drawing.picture import Picture
from explorer.evaluation.gaps import Gaps
from explorer.evaluation.results import Evaluation
from explorer.record.compare import Comparison
from explorer.record.forgetting import Forgotten
from explorer.record.influence import Influence, Rated
from explorer.record.listing import TraceSummary
from explorer.record.trace import Trace
from explorer.record.traces import Traces
from explorer.widgets.app import App
from tests.test_imports import LAYERS

ROOT = Path(__file__).parents[1]
PAGES = {path.relative_to(ROOT).as_posix(): path.read_text("utf-8")
         for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))}  # fmt: skip
README, COMMANDS, PYTHON, CODE = (
    PAGES[name] for name in ("README.md", "docs/commands.md", "docs/python.md", "docs/code.md")
)
NOT_RUN = {"attach", "lab", "servers", "watch"}  # the first asks a server, the others would not come back
IN_EVERY_COMMAND = {"-w", "--workspace", "--endpoint", "-C", "--collection", "--help"}  # documented once, at the top
CLASSES = {
    "Workspace": explorer.Workspace,
    "Traces": Traces,
    "TraceSummary": TraceSummary,
    "Document": Document,
    "Forgotten": Forgotten,
    "Impact": Impact,
    "Page": Page,
    "Fact": Fact,
    "KnownEntity": KnownEntity,
    "Neighbour": Neighbour,
    "Correction": Correction,
    "Trace": Trace,
    "Comparison": Comparison,
    "Influence": Influence,
    "Rated": Rated,
    "Evaluation": Evaluation,
    "Gaps": Gaps,
    "Passage": events.Passage,
    "Explain": events.Explain,
    "Text": events.Text,
    "Progress": events.Progress,
    "Done": events.Done,
    "Usage": events.Usage,
    "ProvenanceDag": ProvenanceDag,
    "Picture": Picture,
    "App": App,
}
INSIDE = {  # public for the package's other parts, not for its users
    "Traces": {"record", "interrupted", "reindex", "stores", "clock", "ledger", "cut_off"},
    "App": {"bar", "view", "tabs", "size"},
    "Explain": {"read"},
}


def fenced(language, page):
    return re.findall(rf"^```(?:{language})\n(.*?)^```", page, flags=re.MULTILINE | re.DOTALL)


def commands(program, page):
    """Lines of a page's shell examples that call `program`, without prompt and comment, as lists of arguments."""
    for block in fenced("bash|console|sh|shell", page):
        for line in block.replace("\\\n", " ").splitlines():
            words = shlex.split(line.removeprefix("$ "), comments=True)
            if words[:1] == [program]:
                yield words


def sections(page):
    """The text below each heading, down to the next heading of any rank."""
    parts = re.split(r"^#+ (.+)\n", page, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def documented(section):
    """The names in the first column of a table: each word that begins a span of code there."""
    rows = re.findall(r"^\| (`.*?) \|", section, flags=re.MULTILINE)
    return [re.match(r"\w+", span)[0] for row in rows for span in re.findall(r"`([^`]+)`", row)]


def members(cls):
    """The public attributes of a class, with its bases in the package of its own: methods, properties, fields, and what
    its constructor assigns.
    """
    fields = [field.name for field in dataclasses.fields(cls)] if dataclasses.is_dataclass(cls) else []
    bases = [one for one in cls.__mro__ if one.__module__.startswith(cls.__module__)]
    own = next((vars(one)["__init__"] for one in bases if "__init__" in vars(one)), None)
    tree = ast.parse(textwrap.dedent(inspect.getsource(own))) if own and not fields else ast.Module([], [])
    stored = (one for one in ast.walk(tree) if isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Store))
    assigned = [one.attr for one in stored if isinstance(one.value, ast.Name) and one.value.id == "self"]
    named = (name for one in bases for name in vars(one))
    return {name for name in (*named, *fields, *assigned) if not name.startswith("_")}


def targets():
    return set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), flags=re.MULTILINE))


def cli_commands():
    return typer.main.get_command(program).commands


def options(command):
    return {name for option in cli_commands()[command].params for name in (*option.opts, *option.secondary_opts)
            if name.startswith("-")}  # fmt: skip


def run(command, folder):
    tree = os.environ | {"PYTHONPATH": str(ROOT)}  # also where the package is not installed
    done = subprocess.run(command, check=False, cwd=folder, env=tree, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where a reader would be: the corpus is there, a report and notes of their own, and a workspace of these notes."""
    there = tmp_path_factory.mktemp("readme")
    (there / "sample_data").symlink_to(ROOT / "sample_data")
    (there / "notes").mkdir()
    (there / "notes" / "valves.md").write_text("# Valves\n\nThe pipeline has two relief valves.\n", "utf-8")
    passage = {"id": "p1", "title": "Halden pipeline", "text": "The Halden pipeline has two relief valves."}
    (there / "corpus.jsonl").write_text(json.dumps(passage), "utf-8")
    triples = {"id": "p1", "triples": [["Halden pipeline", "has", "two relief valves"]]}
    (there / "triples.jsonl").write_text(json.dumps(triples), "utf-8")
    (there / "report.pdf").write_bytes(next((ROOT / "sample_data").rglob("*.pdf")).read_bytes())
    with explorer.open(there / "my-workspace") as ws:
        ws.ingest(there / "notes", progress=False)
    return there


@pytest.fixture(scope="module")
def placeholders(folder):
    """What IRI, OTHER and OLD stand for in an example: runs in the demo workspace, the first in run.trig too."""
    with explorer.demo(progress=False) as ws:
        one, other, old = (ws.run("Why did oxygen tank no. 2 fail?", edge_limit=limit) for limit in (25, 6, 7))
        (folder / "run.trig").write_bytes(ws.export(one))
        ws.bundle(one, path=folder / "runs.zip")
    return {"IRI": one.iri, "OTHER": other.iri, "OLD": old.iri}


@pytest.mark.parametrize(
    "example",
    [pytest.param(text, id=f"{name}-{number}")
     for name, page in PAGES.items() for number, text in enumerate(fenced("python", page), 1)],
)  # fmt: skip
def test_a_python_example_runs(example, folder):
    run([sys.executable, "-c", example], folder)


@pytest.mark.parametrize("page", [README, COMMANDS], ids=["README.md", "docs/commands.md"])
def test_command_line_examples_name_commands(page):
    assert {words[1] for words in commands("explorer", page)} <= {*cli_commands(), "--help", "--version"}


@pytest.mark.parametrize(
    "words",
    [pytest.param(words, id=shlex.join(words)) for page in (README, COMMANDS) for words in commands("explorer", page)
     if words[1] not in NOT_RUN],
)  # fmt: skip
def test_a_command_line_example_runs(words, folder, placeholders):
    assert run([sys.executable, "-m", *(placeholders.get(word, word) for word in words)], folder)


def test_the_commands_that_seal_check_and_sign_run_as_a_reader_would_type_them(folder):
    program = f'explorer() {{ "{sys.executable}" -m explorer "$@"; }}'
    shell = [program, "export EXPLORER_WORKSPACE=my-workspace", "explorer ingest notes -w signed-workspace"]
    told = run(["bash", "-euc", "\n".join([*shell, *fenced("bash", PAGES["docs/trust.md"])])], folder)
    assert "1 of 1 run sealed, signed by the key" in told
    assert told.endswith("1 run checked, no fault found.\n")


def test_make_targets_in_the_readme_exist():
    assert {word for words in commands("make", README) for word in words[1:] if "=" not in word} <= targets()


def test_the_page_of_commands_has_a_section_for_each_command_and_no_more():
    assert sorted(sections(COMMANDS)) == sorted(["Commands", *cli_commands()])


@pytest.mark.parametrize("command", cli_commands())
def test_every_option_of_a_command_is_documented_with_an_example_that_runs(command):
    section = sections(COMMANDS)[command]
    rows = "\n".join(re.findall(r"^\| (`.*?) \|", section, flags=re.MULTILINE))
    assert set(re.findall(r"(?<![\w-])--?[a-zA-Z-]+", rows)) == options(command) - IN_EVERY_COMMAND
    assert [words for words in commands("explorer", section) if words[1] == command]


def test_the_options_of_every_command_are_documented_once():
    listed = set(re.findall(r"(?<=`)--?[a-zA-Z-]+", sections(COMMANDS)["Commands"]))
    assert listed >= IN_EVERY_COMMAND - {"--help"}
    alone = {name for name in cli_commands() if not options(name) >= IN_EVERY_COMMAND - {"--help"}}
    assert alone == {"copy", "demo", "keys", "servers"}


def test_the_page_of_python_lists_what_the_package_exports():
    assert sorted(documented(sections(PYTHON)["explorer"])) == explorer.__all__


@pytest.mark.parametrize("name", CLASSES)
def test_every_public_member_is_documented_and_what_is_documented_exists(name):
    assert sorted(documented(sections(PYTHON)[name])) == sorted(members(CLASSES[name]) - INSIDE.get(name, set()))


def test_a_public_name_is_a_name():
    assert explorer.__all__ == sorted(explorer.__all__)
    assert dir(explorer) == sorted([*explorer.__all__, "__version__"])
    assert all(ast.parse(name, mode="eval") and hasattr(explorer, name) for name in explorer.__all__)


@pytest.mark.parametrize("name", PAGES)
def test_what_a_page_links_to_exists(name):
    place = (ROOT / name).parent
    for path, anchor in re.findall(r"\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)", PAGES[name]):
        found = (place / path).resolve() if path else ROOT / name
        assert found.exists(), path
        if anchor:
            headings = sections(found.read_text("utf-8"))
            assert anchor in {re.sub(r"[^\w -]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


def test_the_readme_is_short():
    assert len(README.splitlines()) < 150


def test_every_path_on_the_page_of_the_code_exists():
    paths = re.findall(r"`([\w./-]*(?:/|\.(?:py|js|css|ttl|md)))`", CODE)
    assert len(paths) > 40
    assert [path for path in paths if not any((top / path).exists() for top in (ROOT, ROOT / "explorer"))] == []


def test_every_folder_of_the_package_has_its_line_on_the_page_of_the_code():
    folders = {
        path.parent.relative_to(ROOT / "explorer").parts[0] for path in (ROOT / "explorer").glob("*/__init__.py")
    }
    assert {name.rstrip("/") for name in re.findall(r"^\| `(\w+/)`", CODE, flags=re.MULTILINE)} == folders


def test_the_page_of_the_code_has_the_order_of_imports():
    [order] = fenced("text", sections(CODE)["Who imports whom"])
    listed = [set(line.split("#")[0].split()) for line in order.splitlines()]
    assert listed == [layer for layer in LAYERS if "" not in layer]
