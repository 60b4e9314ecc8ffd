"""The script and style sheet of the view: a file for each part, joined to one, as a page loads one module a widget."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from pathlib import Path

_STATIC = Path(__file__).parent / "static"
SCRIPTS = (
    *("dom", "words", "graph/labels", "graph/paint", "run_store", "graph/places", "graph/zoom", "graph/routes"),
    *("graph/map", "graph/graph", "graph/list", "graph/legend", "graph/find"),
    *("run/tips", "run/answer", "run/audit", "run/lesson", "menu"),
    *("detail/detail", "detail/looked_up", "what_if/left_out", "what_if/mattered"),
    *("source/lines", "source/source", "kernel", "save/save", "save/mcp_host", "save/report_model"),
    *("past/imported", "past/past", "past/replay", "past/compare", "past/compare_graph"),
    *("documents/files", "documents/correct", "documents/entity", "documents/document", "documents/documents"),
    *("bar/bar", "bar/limits", "tabs", "scrolling", "actions", "pane", "present", "view", "panel", "main"),
)
SHEETS = (
    *("app", "tabs", "bar/bar", "run/run", "graph/graph", "detail/detail", "source/source", "narrow"),
    *("run/lesson", "save/save"),
    *("past/past", "past/compare", "what_if/what_if", "documents/documents", "panel"),
)


@cache
def esm() -> str:
    """Join pyvis's own vis-network and the scripts; the library gets `exports` and `define` of its own to fill."""
    library = files("pyvis").joinpath("lib/vis-9.1.2/vis-network.min.js").read_text("utf-8")
    wrapped = (
        f"const vis = {{}};\n(function (exports, module, define) {{\n{library}\n}}).call(globalThis, vis, {{}});\n"
    )
    return wrapped + "\n".join((_STATIC / f"{name}.js").read_text("utf-8") for name in SCRIPTS)


@cache
def css() -> str:
    """Join the style sheets."""
    return "\n".join((_STATIC / f"{name}.css").read_text("utf-8") for name in SHEETS)
