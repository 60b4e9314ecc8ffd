import subprocess
import sys

from tests.each import each

ASKED_AFTERWARDS = """
from explorer.language.pipeline import parse
[(doc, _)] = parse([("The tank held oxygen.", None)])
assert [token.dep_ for token in doc] == ["det", "nsubj", "ROOT", "dobj", "punct"]
import sys
print("httpx" in sys.modules, "spacy.cli" in sys.modules)
import spacy
print(spacy.info(silent=True)["spacy_version"] == spacy.__version__)
import spacy.cli
print(callable(spacy.cli.convert))
"""
ASKED_BEFORE = """
import spacy
before = spacy.cli
from explorer.language.pipeline import parse
list(parse([("The tank held oxygen.", None)]))
print(spacy.cli is before, spacy.info is before.info)
"""


@each(("script", "printed"), [(ASKED_AFTERWARDS, "False False True True"), (ASKED_BEFORE, "True True")])
def test_the_command_line_of_spacy_is_imported_only_when_asked_for(script, printed):
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert done.stdout.split() == printed.split()


PARSED_AT_THE_END = """
import atexit, threading
from explorer.language.pipeline import parse
sentences = [(f"Engineer {n} measured the pump.", None) for n in range(100)]
begun = threading.Event()

def on_and_on():
    while True:
        for _ in parse(sentences):
            begun.set()

atexit.register(lambda: print(sum(1 for _ in parse(sentences))))
threading.Thread(target=on_and_on, daemon=True).start()
begun.wait()
"""


def test_a_program_can_end_while_a_thread_parses():
    """Also what is waited for at the end of a program may parse."""
    done = subprocess.run([sys.executable, "-c", PARSED_AT_THE_END], check=False, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "100\n", "")
