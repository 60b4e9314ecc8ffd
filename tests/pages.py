"""README.md and docs/ as the tests of them read them: their examples, and a folder in which these run."""

import json
import re
import shlex
from pathlib import Path

import explorer

ROOT = Path(__file__).parents[1]
PAGES = {path.relative_to(ROOT).as_posix(): path.read_text("utf-8")
         for path in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))}  # fmt: skip
README, COMMANDS, CODE = (PAGES[name] for name in ("README.md", "docs/commands.md", "docs/code.md"))


def fenced(language, page):
    return re.findall(rf"^```(?:{language})\n(.*?)^```", page, flags=re.MULTILINE | re.DOTALL)


def commands(program, page):
    """Lines of a page's shell examples that call `program`, without prompt and comment, as lists of arguments."""
    for block in fenced("bash|console|sh|shell", page):
        for line in block.replace("\\\n", " ").splitlines():
            words = shlex.split(line.removeprefix("$ "), comments=True)
            if words[:1] == [program]:
                yield words


def read_here(folder):
    """Where a reader would be: the corpus is there, a report and notes of their own, and a workspace of these notes."""
    (folder / "sample_data").symlink_to(ROOT / "sample_data")
    (folder / "notes").mkdir()
    (folder / "notes" / "valves.md").write_text("# Valves\n\nThe pipeline has two relief valves.\n", "utf-8")
    passage = {"id": "p1", "title": "Halden pipeline", "text": "The Halden pipeline has two relief valves."}
    (folder / "corpus.jsonl").write_text(json.dumps(passage), "utf-8")
    triples = {"id": "p1", "triples": [["Halden pipeline", "has", "two relief valves"]]}
    (folder / "triples.jsonl").write_text(json.dumps(triples), "utf-8")
    (folder / "report.pdf").write_bytes(next((ROOT / "sample_data").rglob("*.pdf")).read_bytes())
    with explorer.open(folder / "my-workspace") as ws:
        ws.ingest(folder / "notes", progress=False)
    return folder
