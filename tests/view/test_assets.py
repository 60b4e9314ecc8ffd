import re
from pathlib import Path

import pytest

from explorer.drawing.colours import THEMES
from explorer.drawing.looks import LOOKS, look
from explorer.view import assets as page
from explorer.view import pyvis_nodes as drawing
from tests.each import each

PACKAGE = Path(page.__file__).parents[1]
STATIC = Path(page.__file__).parent / "static"


def test_every_file_is_part_of_the_page():
    assert {f"{name}.js" for name in page.SCRIPTS} == {str(path.relative_to(STATIC)) for path in STATIC.rglob("*.js")}
    assert {f"{name}.css" for name in page.SHEETS} == {str(path.relative_to(STATIC)) for path in STATIC.rglob("*.css")}


def test_no_name_is_declared_twice_as_all_scripts_share_one_scope():
    scripts = "".join(path.read_text() for path in STATIC.rglob("*.js"))
    declared = re.findall(r"^(?:const|let|(?:async )?function) (\w+)", scripts, re.MULTILINE)
    assert {name for name in declared if declared.count(name) > 1} == set()


@each("path", sorted(STATIC.rglob("*.js")), ids=lambda path: path.name)
def test_text_never_becomes_markup(path):
    script = path.read_text()
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function", script)


@pytest.mark.parametrize("path", sorted(STATIC.rglob("*.*")), ids=lambda path: path.name)
def test_nothing_is_packed_into_long_lines(path):
    assert [line for line in path.read_text().splitlines() if len(line) > 140] == []


def test_nothing_is_loaded_from_anywhere():
    ours = "\n".join(path.read_text() for path in STATIC.rglob("*.*"))
    assert re.findall(r"https?://[^\s\"']+", ours) == ["http://www.w3.org/2000/svg"]
    assert "url(" not in ours
    assert "import(" not in ours


def test_the_module_has_one_default_export():
    assert page.esm().count("export default") == 1
    assert "vis-network" in page.esm()


def test_the_graph_has_no_physics():
    options = drawing.options()
    assert options["physics"] is False
    assert options["layout"]["hierarchical"] is False


def luminance(colour):
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a, b):
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@each("kind", LOOKS)
@each("theme", THEMES)
def test_labels_can_be_read(kind, theme):
    shown = look(kind)
    fill, text, border = getattr(shown, theme)
    ground = THEMES[theme]["canvas"] if shown.shape != "box" else fill
    assert contrast(ground, text) >= 4.5
    assert contrast(THEMES[theme]["canvas"], border) >= 3


GIVEN = r"""(?<=["'`\s])(pe-[a-z][a-z-]*)(?=["'`\s$])"""  # a whole word of a string: a class that an element gets
SELECTED = r"\.(pe-[a-z][a-z-]*)"
SCRIPTS = "\n".join(re.sub(r"//.*", "", path.read_text()) for path in STATIC.rglob("*.js"))
PARTS = [PACKAGE / part for part in ("drawing", "view", "widgets")]
PYTHON = "\n".join(path.read_text() for part in PARTS for path in part.rglob("*.py"))


def classes_of_the_sheets():
    sheets = "\n".join(re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.DOTALL) for path in STATIC.rglob("*.css"))
    selectors = re.findall(r"([^{};]+)\{", sheets)
    return {name for selector in selectors for name in re.findall(SELECTED, selector)}


def test_every_class_of_the_sheets_is_used():
    given = set(re.findall(GIVEN, SCRIPTS)) | set(re.findall(GIVEN, PYTHON))
    assert classes_of_the_sheets() - given == set()


def test_every_class_that_an_element_gets_is_in_the_sheets_or_a_hook():
    tests = "\n".join(path.read_text() for path in Path(__file__).parents[1].rglob("*.py"))
    hooks = {name for text in (SCRIPTS, tests) for name in re.findall(SELECTED, text)}
    assert set(re.findall(GIVEN, SCRIPTS)) - classes_of_the_sheets() - hooks == set()


def test_no_class_of_the_sheets_stands_for_two_things():
    utilities = re.search(r"/\* utility classes.*?\n(.*?)\.pe-grow", (STATIC / "app.css").read_text(), re.DOTALL)[1]
    shared = set(re.findall(SELECTED, utilities))
    assert len(shared) > 8
    elsewhere = "\n".join(path.read_text() for path in STATIC.rglob("*.css")).replace(utilities, "")
    assert [name for name in sorted(shared) if re.search(rf"\.{name}(?![\w-])", elsewhere)] == []
