import pytest

from tests.corpus import filled


@pytest.fixture(scope="module")
def ws():
    with filled() as ws:
        yield ws
