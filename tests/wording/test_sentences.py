"""What the app, the command line and errors say is short: a sentence has at most twenty words."""

import ast
import re

from tests.each import each
from tests.pages import ROOT

MOST = 20  # words
SAID = [
    path
    for name in ("wording", "cli", "drawing", "widgets", "view")
    for path in (ROOT / "explorer" / name).rglob("*.py")
]
SCRIPTS = sorted((ROOT / "explorer" / "view" / "static").rglob("*.js"))
NOT_SAID = re.compile(r"[<{}]|\bSELECT\b|^[\w ]+$")  # of a page, a query, or a list of words


def texts(tree):
    """The texts in a module, without its docstrings; what is put into one at work counts as a word."""
    docs = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    whole = [node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)]
    parts = {part for one in whole for part in ast.walk(one) if part is not one}
    for one in whole:
        yield "".join(part.value if isinstance(part, ast.Constant) else "…" for part in one.values)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in docs | parts:
            yield node.value


def texts_of_script(path):
    source = re.sub(r"^\s*//.*$", "", path.read_text("utf-8"), flags=re.MULTILINE)
    for quoted, filled in re.findall(r'"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`', source):
        yield quoted or re.sub(r"\$\{[^}]*\}", "…", filled)


def long(found):
    said = (sentence for text in found if not NOT_SAID.search(text) for sentence in re.split(r"(?<=[.!?])\s+", text))
    return [sentence for sentence in said if len(sentence.split()) > MOST]


@each("path", SAID, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_sentence_is_short(path):
    assert long(texts(ast.parse(path.read_text("utf-8")))) == []


@each("path", (ROOT / "explorer").rglob("*.py"), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_sentence_of_an_error_is_short(path):
    tree = ast.parse(path.read_text("utf-8"))
    assert [long(texts(node)) for node in ast.walk(tree) if isinstance(node, ast.Raise) and long(texts(node))] == []


@each("path", SCRIPTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_sentence_of_the_page_is_short(path):
    assert long(texts_of_script(path)) == []
