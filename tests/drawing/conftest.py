import shutil

import pytest

from explorer import sample


@pytest.fixture(scope="session")
def demo(tmp_path_factory, demo_folder):
    ws = sample.demo(shutil.copytree(demo_folder, tmp_path_factory.mktemp("demo") / "ws"), progress=False)
    yield ws
    ws.close()
