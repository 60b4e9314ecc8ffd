"""All tests here are about servers: `make test` leaves them out, `make test-servers` runs them."""

from pathlib import Path

import pytest

from tests.widgets.conftest import sent, told  # noqa: F401 - fixtures of the page

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items):
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.servers)
