"""Libraries of others, which stand in a folder of their own, behind what the package runs with."""

import sys
from pathlib import Path

import pytest

import explorer
from tests.browser.conftest import app, browser, cells, lab, notebook, pytest_runtest_makereport, seen, stage

__all__ = ["app", "browser", "cells", "lab", "notebook", "pytest_runtest_makereport", "seen", "stage", "ws"]
sys.path.append(str(Path(__file__).parents[2] / ".frameworks"))


@pytest.fixture
def ws():
    with explorer.open() as opened:
        yield opened
