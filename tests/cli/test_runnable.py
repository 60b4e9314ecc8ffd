"""Commands that are printed run as they stand: they name the workspace and the collection in use."""

import re
import shlex

import pytest
import typer

from explorer.cli.commands import app
from explorer.cli.common import WITHOUT, command, runnable, use
from explorer.cli.options import At
from tests.corpus import QUESTIONS, filled

SERVED = "postgresql://ann:s3cret@db.example/team"
ENDPOINT = "https://ann:s3cret@graph.example/query https://graph.example:8080/update@v1"


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    where = tmp_path_factory.mktemp("a folder")
    with filled(where / "ws", collection="pumps") as ws:
        ws.run(QUESTIONS[1])
    return where


@pytest.fixture
def no_workspace():
    yield
    use(At())


def printed(text):
    """The commands in a text: in backticks, or up to the end of their line."""
    return re.findall(r"`(explorer [^`]+)`|(?<=: )(explorer .+)$", text, re.MULTILINE)


def test_each_command_that_a_shown_run_prints_runs_as_it_stands(program, place):
    here = "-w", str(place / "ws"), "-C", "pumps"
    listed = program("traces", *here)[1]
    run = listed.split()[-1]
    code, out, _ = program("show", run, *here)
    assert code == 0
    words = [plain for quoted, plain in printed(out) if plain]
    assert words
    for said in words:
        code, out, err = program(*shlex.split(said)[1:])
        assert (code, err) == (0, "")
        assert "  Source: " in out


def test_a_message_names_a_command_for_the_workspace_in_use_or_the_one_that_makes_it(program, place, tmp_path):
    code, _, err = program("show", "not an iri", "-w", str(place / "ws"), "-C", "pumps")
    assert code == 2
    [(said, _)] = printed(err)
    assert program(*shlex.split(said)[1:])[:2] == program("traces", "-w", str(place / "ws"), "-C", "pumps")[:2]
    missing = tmp_path / "not there"
    err = program("ask", "x", "-w", str(missing), "-C", "other")[2]
    assert f"`explorer ingest PATH -w '{missing}' -C other`" in err


def test_commands_for_the_demo_and_of_no_workspace_stay_as_they_are(no_workspace):
    use(At())
    assert command("explorer show x") == "explorer show x"
    use(At("ws", "http://unused.example/"))
    assert runnable("`explorer servers FOLDER`, `explorer show x -w other` or `explorer reindex`") == (
        "`explorer servers FOLDER`, `explorer show x -w other` or `explorer reindex -w ws`"
    )


def test_a_command_for_servers_names_both_without_a_password(no_workspace):
    use(At(SERVED, ENDPOINT))
    said = command("explorer reindex")
    assert "s3cret" not in said
    assert shlex.split(said)[2:] == [
        "-w", "postgresql://ann@db.example/team",
        "--endpoint", "https://ann@graph.example/query https://graph.example:8080/update@v1",
    ]  # fmt: skip


def test_the_commands_without_a_workspace_are_those_that_have_no_option_for_it():
    group = typer.main.get_command(app)
    lacking = {
        name for name, one in group.commands.items()
        if not any("--workspace" in param.opts for param in one.params)
    }  # fmt: skip
    assert lacking == WITHOUT
