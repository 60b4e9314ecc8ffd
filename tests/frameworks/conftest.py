"""Libraries of others, which stand in a folder of their own, behind what the package runs with."""

import sys
from pathlib import Path

import pytest

import explorer

sys.path.append(str(Path(__file__).parents[2] / ".frameworks"))


@pytest.fixture
def ws():
    with explorer.open() as opened:
        yield opened
