import pytest

from explorer import sample


@pytest.fixture(scope="session")
def demo(tmp_path_factory):
    ws = sample.demo(tmp_path_factory.mktemp("demo") / "ws", progress=False)
    yield ws
    ws.close()
