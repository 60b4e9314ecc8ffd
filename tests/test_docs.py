"""README.md is true: its examples run, what it names exists, and what exists is named there or in docs/."""

import ast
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import typer.main

import explorer
from explorer.cli.commands import app as program

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")
AGENTS = (ROOT / "docs" / "agents.md").read_text("utf-8")
APP = (ROOT / "docs" / "app.md").read_text("utf-8")
NOT_RUN = {"lab"}  # it would not come back
DOCS = README + "".join(path.read_text("utf-8") for path in sorted((ROOT / "docs").glob("**/*.md")))


def fenced(language, page=README):
    return re.findall(rf"^```(?:{language})\n(.*?)^```", page, flags=re.MULTILINE | re.DOTALL)


def commands(program):
    """Lines of the shell examples that call `program`, without prompt and comment, as lists of arguments."""
    for block in fenced("bash|console|sh|shell"):
        for line in block.replace("\\\n", " ").splitlines():
            words = shlex.split(line.removeprefix("$ "), comments=True)
            if words[:1] == [program]:
                yield words


def targets():
    return set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), flags=re.MULTILINE))


def cli_commands():
    return sorted(typer.main.get_command(program).commands)


def run(command, folder):
    tree = os.environ | {"PYTHONPATH": str(ROOT)}  # also where the package is not installed
    done = subprocess.run(command, check=False, cwd=folder, env=tree, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where a reader would be: the corpus is there, and a report and notes of their own."""
    there = tmp_path_factory.mktemp("readme")
    (there / "sample_data").symlink_to(ROOT / "sample_data")
    (there / "notes").mkdir()
    (there / "notes" / "valves.md").write_text("# Valves\n\nThe pipeline has two relief valves.\n", "utf-8")
    passage = {"id": "p1", "title": "Halden pipeline", "text": "The Halden pipeline has two relief valves."}
    (there / "corpus.jsonl").write_text(json.dumps(passage), "utf-8")
    triples = {"id": "p1", "triples": [["Halden pipeline", "has", "two relief valves"]]}
    (there / "triples.jsonl").write_text(json.dumps(triples), "utf-8")
    (there / "report.pdf").write_bytes(next((ROOT / "sample_data").rglob("*.pdf")).read_bytes())
    return there


def test_the_readme_has_examples():
    assert fenced("python")
    assert list(commands("explorer"))


@pytest.mark.parametrize("example", [*fenced("python"), *fenced("python", AGENTS), *fenced("python", APP)])
def test_a_python_example_runs(example, folder):
    run([sys.executable, "-c", example], folder)


def test_command_line_examples_name_commands():
    assert {words[1] for words in commands("explorer")} <= {*cli_commands(), "--help", "--version"}


def runnable():
    for words in commands("explorer"):
        placeholders = [word for word in words if re.fullmatch(r"[A-Z_]{2,}…?", word)]  # explorer show IRI
        if words[1] not in NOT_RUN and not placeholders:
            yield pytest.param(words, id=shlex.join(words))


@pytest.mark.parametrize("words", list(runnable()))
def test_a_command_line_example_runs(words, folder):
    assert run([sys.executable, "-m", *words], folder)


def test_make_targets_in_the_readme_exist():
    assert {word for words in commands("make") for word in words[1:] if "=" not in word} <= targets()


@pytest.mark.parametrize("command", cli_commands())
def test_every_command_is_in_the_readme(command):
    assert f"explorer {command}" in README


@pytest.mark.parametrize("name", sorted(explorer.__all__))
def test_every_public_name_is_documented(name):
    assert re.search(rf"\b{re.escape(name)}\b", DOCS)


def test_paths_that_the_readme_points_to_exist():
    linked = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", README)
    assert [path for path in linked if not (ROOT / path).exists()] == []


def test_a_public_name_is_a_name():
    assert explorer.__all__ == sorted(explorer.__all__)
    assert all(ast.parse(name, mode="eval") and hasattr(explorer, name) for name in explorer.__all__)
