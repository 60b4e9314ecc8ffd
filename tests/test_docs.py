"""README.md and docs/ are true: what they name exists, and what exists is in them."""

import ast
import re

import pytest
import typer.main

import explorer
from explorer.cli.commands import app as program
from explorer.cli.options import GROUPS
from tests import reference
from tests.each import each
from tests.pages import CODE, COMMANDS, PAGES, README, ROOT, commands, fenced
from tests.test_imports import LAYERS

IN_EVERY_COMMAND = {"-w", "--workspace", "--endpoint", "-C", "--collection", "--help"}  # documented once, at the top
TABLES = [name for name in PAGES if name.startswith("docs/python")]


def sections(page):
    """The text below each heading, down to the next heading of any rank."""
    parts = re.split(r"^#+ (.+)\n", page, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


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


def test_every_command_stands_in_a_group_and_is_told_in_a_line():
    named = [name for names in GROUPS.values() for name in names.split()]
    assert sorted(named) == sorted(cli_commands())
    assert re.findall(r"\]\(#([\w-]+)\)", COMMANDS[: COMMANDS.index("The demo workspace")]) == named
    told = {name: one.help.partition("\n")[0] for name, one in cli_commands().items()}
    assert {name: line for name, line in told.items() if len(line.split()) > 10} == {}


def test_the_options_of_every_command_are_documented_once():
    listed = set(re.findall(r"(?<=`)--?[a-zA-Z-]+", sections(COMMANDS)["Commands"]))
    assert listed >= IN_EVERY_COMMAND - {"--help"}
    alone = {name for name in cli_commands() if not options(name) >= IN_EVERY_COMMAND - {"--help"}}
    assert alone == {"copy", "demo", "keys", "servers"}


@each("name", TABLES)
def test_the_tables_of_python_are_those_of_the_docstrings(name):
    assert PAGES[name] == reference.renewed(PAGES[name]), "renew it by `make docs`"


def test_every_public_class_has_its_table_once():
    assert sorted(found for name in TABLES for _, found in reference.MADE.findall(PAGES[name])) == sorted(
        ["explorer", *reference.CLASSES]
    )


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


def paragraphs(page):
    """The paragraphs, items of lists and cells of tables of a page; a span of code counts as a word."""
    page = re.sub(r"^```.*?^```|<!--.*?-->|^#.*?$", "\n\n", page, flags=re.MULTILINE | re.DOTALL)
    page = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", re.sub(r"`[^`]*`", "code", page))
    page = re.sub(r"^\|.*\|$", lambda row: row[0].replace("|", "\n\n"), page, flags=re.MULTILINE)
    return [one.strip() for one in re.split(r"\n\s*\n|\n(?=\s*(?:-|\d+\.) )", page)]


@each("name", [name for name in PAGES if name != "docs/benchmarks.md"])
def test_a_paragraph_and_a_sentence_are_short(name):
    found = paragraphs(PAGES[name])
    sentences = [one for text in found for one in re.split(r"(?<=[.!?])\s+", text)]
    assert [text for text in found if len(text.split()) > 80] == []
    assert [text for text in sentences if len(text.split()) > 30] == []


@each("name", PAGES)
def test_a_page_is_short(name):
    limit = {"README.md": 350, "docs/app.md": 60}.get(name, 400 if "/app/" in name else 100_000)
    assert len(PAGES[name].split()) <= limit


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


def test_the_words_are_few_and_told_in_short():
    meant = re.findall(r"^\| .*? \| (.*?) \|", PAGES["docs/words.md"], flags=re.MULTILINE)[1:]
    assert len(meant) <= 40
    assert [one for one in meant if len(one.split()) > 15] == []
