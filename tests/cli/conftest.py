"""Workspaces that tests of commands share."""

import shutil

import pytest

from tests.corpus import QUESTIONS, filled


@pytest.fixture
def run(program):
    return program


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A workspace with the corpus and one run in it."""
    place = tmp_path_factory.mktemp("cli") / "ws"
    with filled(place) as ws:
        ws.run(QUESTIONS[1])
    return str(place)


@pytest.fixture(scope="module")
def two_runs(tmp_path_factory):
    place = tmp_path_factory.mktemp("two-runs")
    with filled(place / "ws") as ws:
        trace = ws.run(QUESTIONS[0])
        ws.run(QUESTIONS[1], "agent")
        (place / "run.nq").write_bytes(ws.export(trace, "nq"))
    return place


@pytest.fixture
def place(two_runs, tmp_path):
    """A folder of the test's own, with a workspace of two runs and a file of the first."""
    return shutil.copytree(two_runs, tmp_path, dirs_exist_ok=True)
