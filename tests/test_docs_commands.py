"""The command lines of README.md and docs/commands.md run.

The README's run as a reader types them, each in a process of its own; those of the page of commands run in this one.
"""

import shlex
import shutil

import pytest

import explorer
from explorer.sample import place
from tests.forked import ran
from tests.pages import COMMANDS, PAGES, README, commands, fenced, read_here

NOT_RUN = {"attach", "lab", "mcp", "servers", "watch"}  # the first asks a server, the others would not come back


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return read_here(tmp_path_factory.mktemp("commands"))


@pytest.fixture(scope="module")
def placeholders(folder, demo_folder):
    """What IRI, OTHER and OLD stand for in an example: runs in the demo workspace, the first in run.trig too."""
    if not place().exists():
        shutil.copytree(demo_folder, place())
    with explorer.demo(progress=False) as ws:
        one, other, old = (ws.run("Why did oxygen tank no. 2 fail?", edge_limit=limit) for limit in (25, 6, 7))
        (folder / "run.trig").write_bytes(ws.export(one))
        ws.bundle(one, path=folder / "runs.zip")
    return {"IRI": one.iri, "OTHER": other.iri, "OLD": old.iri}


def examples(page):
    return [pytest.param(words[1:], id=shlex.join(words)) for words in commands("explorer", page)
            if words[1] not in NOT_RUN]  # fmt: skip


@pytest.mark.parametrize("words", examples(README))
def test_a_command_of_the_readme_runs_as_a_reader_would_type_it(words, folder, placeholders):
    code, out, err = ran("-m", "explorer", *(placeholders.get(word, word) for word in words), cwd=folder)
    assert (code, bool(out)) == (0, True), out + err


@pytest.mark.parametrize("words", examples(COMMANDS))
def test_an_example_of_the_page_of_commands_runs(words, folder, placeholders, program, monkeypatch):
    monkeypatch.chdir(folder)
    code, out, err = program(*(placeholders.get(word, word) for word in words))
    assert (code, bool(out)) == (0, True), out + err


def test_the_commands_that_seal_check_and_sign_run_one_after_the_other(folder, program, monkeypatch):
    monkeypatch.chdir(folder)
    monkeypatch.setenv("EXPLORER_WORKSPACE", "my-workspace")
    _, anchor, _ = program("ledger", "head")
    told = {}
    lines = [line for block in fenced("bash", PAGES["docs/trust.md"]) for line in block.splitlines()]
    for line in ["explorer ingest notes -w signed-workspace", *lines]:
        *settings, words = line.partition("explorer ")[::2]
        for setting in filter(None, settings):
            monkeypatch.setenv(*setting.strip().split("="))
        words = shlex.split(words.replace("$(explorer ledger head)", anchor.strip()), comments=True)
        code, told[line], err = program(*words)
        assert code == 0, (line, err)
    assert "1 of 1 run sealed, signed by the key" in told[lines[-1]]
    assert told[lines[-1]].endswith("1 run checked, no fault found.\n")
