"""The tables of docs/python.md and docs/python/, made from the docstrings: `make docs` writes them anew."""

import ast
import dataclasses
import inspect
import re
import textwrap
from pathlib import Path

import explorer
from explorer import events
from explorer.dag import ProvenanceDag
from explorer.dag.retrieved import RetrievedPassage
from explorer.documents.corrections import Correction
from explorer.documents.document import Document, Page
from explorer.documents.entities import KnownEntity, Neighbour
from explorer.documents.found_facts import Fact
from explorer.documents.impact import Impact
from explorer.drawing.picture import Picture
from explorer.entities import Citation
from explorer.evaluation.gaps import Gaps
from explorer.evaluation.results import Evaluation
from explorer.observing.recorder import RecordedRun, RecordedStep
from explorer.record.compare import Comparison
from explorer.record.forgetting import Forgotten
from explorer.record.influence import Influence, Rated
from explorer.record.listing import TraceSummary
from explorer.record.traces import Traces
from explorer.view.shown_trace import ShownTrace
from explorer.widgets.app import App
from explorer.workspace.trustgraph import TrustGraph

DOCS = Path(__file__).parents[1] / "docs"
CLASSES = {
    "Workspace": explorer.Workspace,
    "Traces": Traces,
    "TraceSummary": TraceSummary,
    "Document": Document,
    "Forgotten": Forgotten,
    "Impact": Impact,
    "Page": Page,
    "Fact": Fact,
    "KnownEntity": KnownEntity,
    "Neighbour": Neighbour,
    "Correction": Correction,
    "Trace": ShownTrace,
    "Citation": Citation,
    "Comparison": Comparison,
    "RecordedRun": RecordedRun,
    "TrustGraph": TrustGraph,
    "RecordedStep": RecordedStep,
    "RetrievedPassage": RetrievedPassage,
    "Influence": Influence,
    "Rated": Rated,
    "Evaluation": Evaluation,
    "Gaps": Gaps,
    "Passage": events.Passage,
    "Explain": events.Explain,
    "Text": events.Text,
    "Progress": events.Progress,
    "Done": events.Done,
    "Usage": events.Usage,
    "ProvenanceDag": ProvenanceDag,
    "Picture": Picture,
    "App": App,
}
INSIDE = {  # public for the package's other parts, not for its users
    "Traces": {"record", "interrupted", "reindex", "stores", "clock", "ledger", "cut_off", "prices"},
    "App": {
        *("ask_bar", "audit", "bar", "comparison", "heading", "looks", "mode", "options", "part"),
        *("redraw", "send", "set_state", "showing", "snapshot", "tabs", "told", "whole"),
    },
    "Citation": {"derived_from", "label", "original", "other", "types"},
    "Explain": {"read"},
    "RecordedRun": {"course"},
    "Trace": {"asked"},
}
MADE = re.compile(r"(<!-- made from the docstrings: (\w+) -->\n).*?(?=<!-- end -->)", flags=re.DOTALL)


def members(cls):
    """The public names of a class, also of those in its modules that it is made of, in the order of their source."""
    fields = [field.name for field in dataclasses.fields(cls)] if dataclasses.is_dataclass(cls) else []
    bases = [one for one in cls.__mro__ if one.__module__.startswith(("explorer.record.trace", cls.__module__))]
    own = next((vars(one)["__init__"] for one in bases if "__init__" in vars(one)), None)
    tree = ast.parse(textwrap.dedent(inspect.getsource(own))) if own and not fields else ast.Module([], [])
    stored = (one for one in ast.walk(tree) if isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Store))
    assigned = [one.attr for one in stored if isinstance(one.value, ast.Name) and one.value.id == "self"]
    named = (name for one in bases for name in vars(one))
    return [name for name in dict.fromkeys((*fields, *assigned, *named)) if not name.startswith("_")]


def made(name):
    """What a page says of a class, or of the names that the package exports."""
    if name == "explorer":
        return _table([(one, getattr(explorer, one)) for one in explorer.__all__])
    cls = CLASSES[name]
    found = [(one, inspect.getattr_static(cls, one, None)) for one in members(cls) if one not in INSIDE.get(name, ())]
    fields = [f"`{one}`" for one, value in found if not _described(value)]
    said = [inspect.getdoc(cls), f"Fields: {', '.join(fields)}." if fields else ""]
    return "\n\n".join(filter(None, [*said, _table([one for one in found if _described(one[1])])])).strip() + "\n"


def renewed(page):
    """A page with its tables as the docstrings are now."""
    return MADE.sub(lambda found: f"{found[1]}\n{made(found[2])}\n", page)


def _described(value):
    return inspect.isroutine(value) or isinstance(value, property) or hasattr(value, "func")


def _table(named):
    rows = [f"| `{name}{_arguments(value)}` | {_first(value)} |" for name, value in named]
    return "\n".join(["| name | what it is |", "|---|---|", *rows, ""]) if rows else ""


def _first(value):
    return " ".join(inspect.getdoc(value).partition("\n\n")[0].split()).replace("|", "\\|")


def _arguments(value):
    if not inspect.isroutine(value):
        return ""
    said, has_star = [], False
    for one in inspect.signature(getattr(value, "__func__", value)).parameters.values():
        star = {one.VAR_POSITIONAL: "*", one.VAR_KEYWORD: "**"}.get(one.kind, "")
        if one.kind is one.KEYWORD_ONLY and not has_star:
            said.append("*")
        has_star = has_star or one.kind in (one.VAR_POSITIONAL, one.KEYWORD_ONLY)
        said.append(star + one.name)
    return f"({', '.join(one for one in said if one != 'self')})"


if __name__ == "__main__":
    for path in (DOCS / "python.md", *sorted((DOCS / "python").glob("*.md"))):
        path.write_text(renewed(path.read_text("utf-8")), "utf-8")
