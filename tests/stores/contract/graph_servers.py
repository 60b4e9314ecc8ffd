"""Real SPARQL servers for the tests: `oxigraph` (with triple terms of RDF 1.2) and `rdflib-endpoint` (RDF 1.1)."""

import os
import shutil
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import httpx

_RDFLIB = """
import sys, uvicorn
from rdflib import Dataset
from rdflib_endpoint import SparqlEndpoint
graph = Dataset(default_union=sys.argv[2] == "union")
app = SparqlEndpoint(graph=graph, path="/sparql", enable_update=True)
uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="error")
"""


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


@contextmanager
def oxigraph(*, union=False, place=None, port=None):
    """The addresses for queries, updates and the graph store of a server that runs until the block ends."""
    port = port or free_port()
    beside = Path(sys.executable).with_name("oxigraph")
    command = [str(beside if beside.exists() else shutil.which("oxigraph")), "serve", "--bind", f"127.0.0.1:{port}"]
    command += ["--union-default-graph"] if union else []
    command += ["--location", str(place)] if place else []
    at = f"http://127.0.0.1:{port}"
    with _running(command, f"{at}/query"):
        yield f"{at}/query", f"{at}/update", f"{at}/store"


@contextmanager
def rdflib_endpoint(*, union=False, key=None):
    """The addresses of a server that knows no triple terms, and whose updates ask for a key if one is given."""
    port = free_port()
    at = f"http://127.0.0.1:{port}/sparql"
    environment = os.environ | ({"RDFLIB_APIKEY": key} if key else {})
    with _running([sys.executable, "-c", _RDFLIB, str(port), "union" if union else "apart"], at, environment):
        yield at, at, None


@contextmanager
def _running(command, address, environment=None):
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _wait(process, address)
        yield process
    finally:
        process.kill()
        process.wait()


def _wait(process, address):
    end = time.monotonic() + 60
    while time.monotonic() < end:
        assert process.poll() is None, "the server ended at once"
        try:
            if httpx.get(address, params={"query": "ASK {}"}, timeout=5, trust_env=False).is_success:
                return
        except httpx.HTTPError:
            time.sleep(0.05)
    raise AssertionError(f"no server at {address} after a minute")
