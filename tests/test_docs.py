"""README.md and docs/ are true: what they name exists, and what exists is in them."""

import ast
import dataclasses
import inspect
import re
import textwrap

import pytest
import typer.main

import explorer
from explorer import events
from explorer.cli.commands import app as program
from explorer.dag import ProvenanceDag
from explorer.documents.corrections import Correction
from explorer.documents.document import Document, Page
from explorer.documents.entities import KnownEntity, Neighbour
from explorer.documents.found_facts import Fact
from explorer.documents.impact import Impact
from explorer.drawing.picture import Picture
from explorer.evaluation.gaps import Gaps
from explorer.evaluation.results import Evaluation
from explorer.record.compare import Comparison
from explorer.record.forgetting import Forgotten
from explorer.record.influence import Influence, Rated
from explorer.record.listing import TraceSummary
from explorer.record.traces import Traces
from explorer.view.trace import ShownTrace
from explorer.widgets.app import App
from tests.each import each
from tests.pages import CODE, COMMANDS, PAGES, PYTHON, README, ROOT, commands, fenced
from tests.test_imports import LAYERS

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
    "Trace": ShownTrace,
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
    bases = [one for one in cls.__mro__ if one.__module__.startswith(("explorer.record.trace", cls.__module__))]
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


@pytest.mark.parametrize("page", [README, COMMANDS], ids=["README.md", "docs/commands.md"])
def test_command_line_examples_name_commands(page):
    assert {words[1] for words in commands("explorer", page)} <= {*cli_commands(), "--help", "--version"}


def test_make_targets_in_the_readme_exist():
    assert {word for words in commands("make", README) for word in words[1:] if "=" not in word} <= targets()


def test_the_page_of_commands_has_a_section_for_each_command_and_no_more():
    assert sorted(sections(COMMANDS)) == sorted(["Commands", *cli_commands()])


@each("command", cli_commands())
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


@each("name", CLASSES)
def test_every_public_member_is_documented_and_what_is_documented_exists(name):
    assert sorted(documented(sections(PYTHON)[name])) == sorted(members(CLASSES[name]) - INSIDE.get(name, set()))


def test_a_public_name_is_a_name():
    assert explorer.__all__ == sorted(explorer.__all__)
    assert dir(explorer) == sorted([*explorer.__all__, "__version__"])
    assert all(ast.parse(name, mode="eval") and hasattr(explorer, name) for name in explorer.__all__)


@each("name", PAGES)
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


def test_the_page_of_the_code_can_be_read_through():
    assert len(CODE.splitlines()) <= 130
    prose = re.sub(r"^```.*?^```|^\|.*?$", "", CODE, flags=re.MULTILINE | re.DOTALL)
    assert [one for one in re.split(r"[.;:]\s|\n\n|\n(?=- |\d)", prose) if len(one.split()) > 25] == []


def test_what_is_said_to_be_in_a_file_is_there():
    rows = re.findall(r"^\| [^|]+ \| `([\w/]+\.py)` \| `(\w+)` \|$", CODE, flags=re.MULTILINE)
    assert len(rows) >= 50
    assert [
        row for row in rows if not re.search(rf"\b{row[1]}\b", (ROOT / "explorer" / row[0]).read_text("utf-8"))
    ] == []


def test_every_folder_of_the_package_has_its_line_on_the_page_of_the_code():
    folders = {
        path.parent.relative_to(ROOT / "explorer").parts[0] for path in (ROOT / "explorer").glob("*/__init__.py")
    }
    assert {name.rstrip("/") for name in re.findall(r"^\| `(\w+/)`", CODE, flags=re.MULTILINE)} == folders


def test_the_page_of_the_code_has_the_picture_of_who_imports_whom():
    assert fenced("text", sections(CODE)["Who imports whom"]) == [drawn(LAYERS)]


def drawn(layers):
    """The order of imports, which `test_imports.py` holds, as a picture: a row may import from those below it."""
    rows = [" · ".join(sorted(layer - {""})) for layer in reversed(layers)]
    wide = max(map(len, rows))
    return "\n".join([f"┌─{'─' * wide}─┐", *(f"│ {row:{wide}} │" for row in rows if row), f"└─{'─' * wide}─┘", ""])
