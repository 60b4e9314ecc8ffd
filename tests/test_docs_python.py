"""The Python of README.md and docs/ runs: the README's in processes of their own, that of the pages in this one."""

import runpy

import pytest

from explorer.workspace import Workspace
from tests.each import each
from tests.forked import ran
from tests.pages import PAGES, fenced, read_here


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return read_here(tmp_path_factory.mktemp("python"))


def examples(*names):
    return [pytest.param(text, id=f"{name}-{number}")
            for name in names for number, text in enumerate(fenced("python", PAGES[name]), 1)]  # fmt: skip


@pytest.mark.parametrize("example", examples("README.md"))
def test_an_example_of_the_readme_runs(example, folder):
    code, out, err = ran("-c", example, cwd=folder)
    assert code == 0, out + err


@each("example", examples(*(name for name in PAGES if name != "README.md")))
def test_an_example_of_the_docs_runs(example, folder, tmp_path, monkeypatch):
    monkeypatch.chdir(folder)
    script = tmp_path / "example.py"
    script.write_text(example, "utf-8")
    for left in runpy.run_path(str(script), run_name="__main__").values():
        if isinstance(left, Workspace):
            left.close()  # as the end of its process would
