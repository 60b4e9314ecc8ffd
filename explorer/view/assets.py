"""The script and style sheet of the view: small files joined to one, since the page loads one module a widget."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from pathlib import Path

_STATIC = Path(__file__).parent / "static"
SCRIPTS = (
    *("dom", "graph/emphasis", "graph/labels", "graph/numbers", "store", "path", "graph/columns"),
    *(
        "graph/folds",
        "graph/camera",
        "graph/routes",
        "graph/citing",
        "graph/side_by_side",
        "graph/room",
        "graph/arcs",
        "graph/map",
        "graph/graph",
        "graph/keys",
    ),
    *(
        "run/stages",
        "run/card",
        "run/answer",
        "run/audit",
        "run/copying",
        "run/happening",
        "run/lesson",
        "run/in_sight",
        "run/quiz",
        "run/glossary",
    ),
    *("detail/detail", "detail/figures", "detail/other_answers"),
    *("what_if/left_out", "what_if/mattered", "what_if/bars"),
    *(
        "source/lines",
        "source/picture",
        "source/enlarged",
        "source/source",
        "source/facts",
        "graph/list",
        "graph/legend",
        "kernel",
        "graph/find",
        "save/save",
        "save/saved",
    ),
    *(
        "past/times",
        "past/past",
        "past/note",
        "past/play_parts",
        "past/replay",
        "past/compare",
        "past/compare_export",
        "past/compare_table",
        "past/compare_plan",
    ),
    *("past/compare_graph", "past/compare_replay", "documents/files", "documents/file_rows", "documents/versions"),
    *("documents/removal", "documents/correct", "documents/entity", "documents/document", "documents/documents"),
    *("bar/bar", "bar/go", "bar/connect", "bar/limits", "actions", "pane", "present", "view", "main"),
)
SHEETS = (
    *("app", "bar/bar", "run/run", "run/audit", "graph/graph", "detail/detail", "source/source", "narrow"),
    *("run/lesson", "save/save"),
    *("past/past", "past/compare", "past/compare_table", "what_if/what_if", "documents/documents"),
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
