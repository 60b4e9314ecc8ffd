"""What a server does wrong, and what is said of it: errors name the server, say what to do, and show no secret."""

import json
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
import pytest
from pyoxigraph import Literal, NamedNode, Quad, Triple

from explorer.errors import WorkspaceError
from explorer.servers.endpoint.store import EndpointStore
from explorer.servers.endpoint.terms import Dialect, Terms
from explorer.stores.sparql_client import PASSWORD, TOKEN, USER, Address
from explorer.vocab import FACTS, SOURCE, TG
from tests.stores.contract.graph_servers import free_port, oxigraph, rdflib_endpoint

A, IS = NamedNode("http://trustgraph.ai/e/a"), NamedNode("http://trustgraph.ai/e/is")
OLD, NEW = Quad(A, IS, Literal("old")), Quad(A, IS, Literal("new"))


class Front(BaseHTTPRequestHandler):
    """Stands before a real server, and does with the next requests what `faults` says, then as that one does."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with self.server.lock:
            self.server.seen.append((self.path, self.headers.get("Authorization")))
            fault = self.server.faults.pop(0) if self.server.faults else None
        if fault == "nothing":
            self.close_connection = True
            return
        if fault == "slow":
            self.server.over.wait(30)
            return
        if fault in ("500", "403", "302"):
            self._reply(int(fault), b"broken " + self.headers.get("Authorization", "").encode(), "text/plain")
            return
        if fault == "html":
            self._reply(200, b"<!doctype html><title>Welcome</title>", "text/html")
            return
        kinds = {name: self.headers[name] for name in ("Accept", "Content-Type") if name in self.headers}
        real = httpx.post(f"{self.server.behind}{self.path}", content=body, headers=kinds, trust_env=False)
        if fault == "lost":  # after the change was made
            self.close_connection = True
            return
        content, kind = real.content, real.headers.get("Content-Type", "text/plain")
        if self.server.cap and "json" in kind:
            told = json.loads(content)
            told.get("results", {}).get("bindings", [])[self.server.cap :] = []
            content = json.dumps(told).encode()
        if fault == "half":
            content = content[: len(content) // 2]
        self._reply(real.status_code, content, kind)

    def _reply(self, status, content, kind):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def behind():
    with oxigraph() as (query, *_):
        yield query.removesuffix("/query")


@pytest.fixture
def front(behind):
    server = ThreadingHTTPServer(("127.0.0.1", 0), Front)
    server.behind, server.faults, server.seen, server.lock = behind, [], [], threading.Lock()
    server.cap = None
    server.over = threading.Event()
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.over.set()
    server.shutdown()
    thread.join()
    server.server_close()


@contextmanager
def opened(front, name="faults", **options):
    at = f"http://127.0.0.1:{front.server_port}"
    graph = EndpointStore(Address.of(f"{at}/query", f"{at}/update", f"{at}/store"), name, **options).open()
    try:
        yield graph
    finally:
        graph.close()


@pytest.mark.parametrize(
    ("faults", "said"),
    [
        (["500"], "could not answer .500.*see its log"),
        (["403"], "does not let anybody without a password read.*EXPLORER_ENDPOINT_USER"),
        (["302"], "sends elsewhere .302.*give the address"),
        (["html"], "answered with a web page; give the address of its SPARQL endpoint"),
        (["half"], "can't be read.*see whether it speaks SPARQL"),
        (["nothing", "nothing"], "connection to .* was lost.*try again"),
        (["slow"], "did not answer within 0.5 s.*timeout="),
    ],
)
def test_a_reply_that_is_none_is_said_to_be_so(front, faults, said):
    with opened(front, f"reading {faults}") as graph:
        graph.add([OLD])
        graph.server.timeout = 0.5 if faults == ["slow"] else 10
        front.faults[:] = faults
        with pytest.raises(WorkspaceError, match=said) as caught:
            list(graph.match(A))
        assert str(front.server_port) in str(caught.value)
        graph.server.timeout = 10
        assert list(graph.match(A)) == [OLD]


def test_a_large_change_may_take_longer_than_a_small_one(front):
    with opened(front, "slow change") as graph:
        graph.server.timeout = 0.2
        for size, least in ((1, 0.2), (600_000, 0.8)):
            front.faults[:] = ["slow"]
            began = time.monotonic()
            with pytest.raises(WorkspaceError, match=f"did not answer within {least} s"):
                graph.add([Quad(A, IS, Literal("x" * size))])
            assert least <= time.monotonic() - began < least + 5
        graph.server.timeout = 10


def test_a_query_that_was_not_answered_is_asked_once_more(front):
    with opened(front, "again") as graph:
        graph.add([OLD])
        front.faults[:] = ["nothing"]
        assert list(graph.match(A)) == [OLD]


@pytest.mark.parametrize("fault", ["lost", "nothing", "500"])
@pytest.mark.parametrize("change", ["add", "replace", "take_in"])
def test_a_change_whose_reply_was_lost_is_looked_up_and_made_once(front, fault, change):
    with opened(front, f"{fault} {change}") as graph:
        graph.add([OLD, Quad(A, IS, Literal("source"), SOURCE)])
        front.faults[:] = [fault]
        if change == "add":
            graph.add([NEW])
        elif change == "replace":
            graph.replace([(A, FACTS)], [NEW])
        else:
            graph.take_in([[NEW]], [(A, FACTS)])
        kept = {OLD, NEW} if change == "add" else {NEW}
        assert set(graph.match(graph=FACTS)) == kept
        assert len(list(graph.match())) == len(kept) + 1


def test_the_last_step_of_many_batches_is_looked_up_too(front):
    for fault in ("lost", "nothing"):
        with opened(front, f"last {fault}") as graph:
            graph.add([OLD])
            front.faults[:] = ["", fault]
            graph.take_in([[NEW]], [(A, FACTS)])
            assert list(graph.match()) == [NEW]


def test_what_is_refused_is_not_tried_again_and_leaves_nothing(front):
    with opened(front, "refused") as graph:
        front.faults[:] = ["403"]
        front.seen.clear()
        with pytest.raises(WorkspaceError, match="does not let anybody without a password write"):
            graph.add([NEW])
        assert len(front.seen) == 1
        assert list(graph.match()) == []


def test_a_server_that_is_not_there_is_named():
    at = f"http://127.0.0.1:{free_port()}/sparql"
    with pytest.raises(WorkspaceError, match=f"{at} can't be reached"):
        EndpointStore(Address.of(at), "nobody").open()
    with pytest.raises(WorkspaceError, match="give an http or https address"):
        Address.of("ftp://example.org/sparql")


def test_a_password_is_sent_and_shown_nowhere(front, monkeypatch):
    at = f"127.0.0.1:{front.server_port}"
    monkeypatch.setenv(USER, "ada")
    monkeypatch.setenv(PASSWORD, "s3cret!")
    for address in (Address.of(f"http://{at}/query"), Address.of(f"http://ada:s3cret%21@{at}/query")):
        graph = EndpointStore(address, "secret", dialect=Dialect("1.2", scoped=True, lexical=True))
        front.faults[:], front.seen[:] = ["500"], []
        with pytest.raises(WorkspaceError) as caught:
            list(graph.match(A))
        assert front.seen[0][1] == httpx.BasicAuth("ada", "s3cret!")._auth_header
        for shown in (str(caught.value), repr(graph), repr(graph.server), repr(address)):
            assert "s3cret" not in shown
        front.faults[:] = ["403"]
        with pytest.raises(WorkspaceError, match="does not let the user ada read"):
            list(graph.match(A))
        graph.close()
    monkeypatch.delenv(USER)
    monkeypatch.setenv(TOKEN, "t0ken")
    graph = EndpointStore(Address.of(f"http://{at}/query"), "token", dialect=Dialect("1.2"))
    front.faults[:], front.seen[:] = ["500"], []
    with pytest.raises(WorkspaceError) as caught:
        list(graph.match(A))
    assert front.seen[0][1] == "Bearer t0ken"
    assert "t0ken" not in f"{caught.value} {graph!r} {graph.server.address!r}"
    graph.close()


def test_a_server_that_refuses_updates_says_whose_key_it_wants(monkeypatch):
    with rdflib_endpoint(key="k3y") as (at, *_):
        monkeypatch.setenv(TOKEN, "wrong")
        with pytest.raises(WorkspaceError, match="does not let a token write"):
            EndpointStore(Address.of(at), "key").open()
        monkeypatch.setenv(TOKEN, "k3y")
        graph = EndpointStore(Address.of(at), "key").open()
        graph.add([OLD])
        assert list(graph.match()) == [OLD]
        graph.close()


def test_what_a_server_understands_is_asked_once(front):
    with opened(front, "dialect") as graph:
        assert graph.dialect.form == "1.2"
        assert graph.dialect.scoped
        kept = graph.dialect
    front.seen.clear()
    with opened(front, "dialect", dialect=kept) as graph:
        assert len(front.seen) == 1
        assert graph.dialect == kept


@pytest.mark.parametrize("cap", [1_000, 10_000])
def test_a_server_that_leaves_out_rows_in_silence_is_refused(front, cap):
    front.cap = cap
    with pytest.raises(WorkspaceError, match=rf"/query gives no more than {cap:,} rows .*raised"), opened(front, "cap"):
        pass


def test_what_a_killed_writer_left_is_swept_and_read_by_nobody(front):
    with opened(front, "swept") as graph:
        graph.add([OLD])
        graph._stage([NEW], "0", {})
        assert list(graph.match()) == [OLD]
        assert [row["o"].value for row in graph.solutions("SELECT ?o { ?s ?p ?o }")] == ["old"]
        graph.sweep()
        everything = "SELECT ?g { GRAPH ?g { ?s ?p 'new' } }"
        assert [row for row in graph.server.rows(everything) if "swept" in row["g"].value] == []


def test_a_bundle_is_one_request_and_an_event_one_update(front):
    with opened(front, "requests") as graph:
        front.seen.clear()
        fact = Triple(A, IS, Literal("x"))
        graph.add([OLD, Quad(A, TG.contains, fact, SOURCE), Quad(A, IS, A, NamedNode("urn:of:others"))])
        assert [path for path, _ in front.seen] == ["/update"]
        front.seen.clear()
        found = graph.matches(
            [(A, None, None, None), (None, TG.contains, fact, SOURCE), *[(None, None, A, None)] * 300]
        )
        assert [len(one) for one in found] == [3, 1, *[1] * 300]
        assert len(front.seen) == 1


def test_the_star_form_is_written_as_servers_before_rdf_1_2_read_it():
    fact = Triple(A, IS, Triple(A, IS, Literal("x")))
    inner = '<http://trustgraph.ai/e/a> <http://trustgraph.ai/e/is> "x"'
    terms = Terms(Dialect("star", scoped=True, lexical=True))
    assert terms.write(fact) == f"<< <http://trustgraph.ai/e/a> <http://trustgraph.ai/e/is> << {inner} >> >>"
    assert len([*terms.lines([Quad(A, TG.contains, fact, SOURCE)])]) == 1


def test_an_error_that_is_kept_holds_nothing_that_has_to_go_in_its_own_thread(front, monkeypatch):
    unraisable = []
    monkeypatch.setattr("sys.unraisablehook", unraisable.append)
    with opened(front, "kept") as graph:
        graph.add(Quad(A, IS, Literal(str(number))) for number in range(50))
        front.faults[:] = ["half"]
        kept = []
        try:
            list(graph.match(A))
        except WorkspaceError as error:
            kept.append(error)
        assert kept
        thread = threading.Thread(target=kept.clear)
        thread.start()
        thread.join()
    assert unraisable == []
