"""Nothing that `make test-frameworks` installs comes under the GPL, LGPL or AGPL."""

import importlib.metadata
import re
from pathlib import Path

import pytest
from packaging.utils import canonicalize_name

from tests.test_licences import refusal, titles

pytestmark = pytest.mark.frameworks

FOLDER = Path(__file__).parents[2] / ".frameworks"


def test_no_library_of_others_is_copyleft():
    found = {canonicalize_name(one.name): one for one in importlib.metadata.distributions(path=[str(FOLDER)])}
    named = re.findall(r"^[\w-]+", Path(__file__).with_name("requirements.txt").read_text("utf-8"), flags=re.MULTILINE)
    assert found.keys() >= {*named}
    assert {name: why for name, one in found.items() if (why := refusal(one.metadata, titles(one)))} == {}
