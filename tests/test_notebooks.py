"""What holds for every notebook that is shipped; that its outputs are what its cells give, nbval tests."""

from pathlib import Path

import nbformat
from nbclient import NotebookClient

from tests.each import each

NOTEBOOKS = sorted((Path(__file__).parents[1] / "notebooks").glob("*.ipynb"))
LARGEST = 400_000  # bytes with outputs: so much a diff and a page of a repository can show
READ = """
import explorer
ws = explorer.open()
ws.ingest("notes.md")
"""


def code(path):
    return [cell for cell in nbformat.read(path, 4).cells if cell.cell_type == "code"]


def test_the_first_begins_with_a_picture_of_the_app():
    first = nbformat.read(NOTEBOOKS[0], 4).cells[0].source
    assert "](app.png)" in first, "beside the notebook: Voilà shows no page with a picture from another folder"


@each("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_leaves_its_reader_at_a_living_app(path):
    cells = code(path)
    assert not any("ws.close(" in cell.source for cell in cells)
    shows = [at for at, cell in enumerate(cells) if "explorer.app(" in cell.source]
    assert shows in ([], [len(cells) - 1])


@each("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_holds_nothing_for_tools_and_is_small(path):
    assert not any("NBVAL" in cell.source for cell in code(path))
    assert path.stat().st_size < LARGEST


def test_progress_in_a_notebook_is_one_line_that_needs_no_kernel(tmp_path):
    (tmp_path / "notes.md").write_text("# Notes\n\nBeech Aircraft built the tank.\n")
    made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(READ)])
    NotebookClient(made, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}).execute()
    bar, result = made.cells[0].outputs
    assert "1/1" in bar.data["text/plain"]
    assert "\n" not in bar.data["text/plain"]
    assert "<Ingested 1 document" in result.data["text/plain"]
