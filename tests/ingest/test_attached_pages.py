"""What a SPARQL store holds comes into a file whole, whatever the server does with its replies."""

from contextlib import closing

import httpx
import pytest

from explorer.errors import DocumentError, WorkspaceError
from explorer.ingest import attached_queries
from explorer.ingest.attached_pages import Partial, read_store
from explorer.ingest.attached_queries import StoreQueries, address_of
from explorer.stores.attached import Attachment
from explorer.stores.sparql_client import Server
from tests.attached import EX, LABEL, door, fill
from tests.each import each
from tests.stores.contract.graph_servers import oxigraph, rdflib_endpoint

TAGS = (
    "en de fr es it pt nl sv da fi pl cs sk hu ro bg el ru uk tr ar he fa hi bn ta th vi ja ko zh-Hans zh-Hant".split()
)
ODD = ["caf%C3%A9", "Ångström", "中文", "a(b)", "it's", "x?y=1&z=2", "~tilde", "#part", "%22quoted%22", "emoji-🙂"]


def some_data(cities=8):
    lines = [f'<{EX}city/{n}> <{LABEL}> "City {n} {tag}"@{tag} .' for n in range(cities) for tag in TAGS]
    lines += [f"<{EX}city/{n}> <{EX}mayor> <{EX}person/{n}> ." for n in range(cities)]
    lines += [f"<{EX}hub> <{EX}linked> <{EX}city/{n}> ." for n in range(cities)]
    lines += [f'<{EX}{odd}> <{EX}says> "line\\nbreak \\"{odd}\\" \\\\ \\u2028" .' for odd in ODD]
    lines += [f'<{EX}p{n}> <{EX}rare/{n}> "{n}"^^<http://www.w3.org/2001/XMLSchema#integer> .' for n in range(30)]
    return "\n".join(lines)


@pytest.fixture(scope="module")
def server():
    with oxigraph() as addresses:
        yield addresses


@pytest.fixture
def store(server):
    fill(server[2], some_data())
    with door(server[0]) as one:
        yield one


def taken(at, folder, *, seconds=30, **wanted):
    attachment = Attachment(at, **wanted)
    with closing(Server(address_of(at), seconds)) as asked:
        return read_store(StoreQueries(attachment, asked), Partial(folder, attachment), lambda _: None)


def lines_of(snapshot):
    return [line for line in snapshot.path.read_text().split("\n") if line and not line.startswith("#")]


ALL = 8 * 2 + 8 + len(ODD) + 30  # one label a city


def test_all_of_a_store_is_read_by_queries_alone(store, tmp_path):
    found = taken(store.at, tmp_path)
    assert found.statements == len(lines_of(found)) == len({*lines_of(found)}) == ALL
    assert found.refused == ()
    assert {method for method, *_ in store.asked} == {"POST"}
    assert all("SELECT" in sparql and "INSERT" not in sparql for _, _, sparql, _ in store.asked)
    assert {headers["Content-Type"] for *_, headers in store.asked} == {"application/sparql-query"}


@pytest.mark.parametrize("cap", [7, 100])
def test_a_server_that_caps_its_rows_in_silence_loses_nothing(store, tmp_path, cap):
    whole = taken(store.at, tmp_path / "whole")
    store.cap = cap
    assert lines_of(taken(store.at, tmp_path / "capped")) == lines_of(whole)


def test_texts_in_several_languages_leave_the_best(store, tmp_path):
    found = taken(store.at, tmp_path, languages=("xx", "zh"))
    labels = [line for line in lines_of(found) if LABEL in line]
    assert len(labels) == 8
    assert all(line.lower().endswith("@zh-hans .") for line in labels)
    assert (found.other_languages, found.again) == (8 * 31, 0)
    assert found.read == found.statements + found.other_languages


def test_reading_goes_on_where_it_stopped(store, tmp_path):
    whole = taken(store.at, tmp_path / "whole")
    store.cap, store.asked = 20, []
    taken(store.at, tmp_path / "all")
    every = len(store.asked)
    store.asked, store.most = [], every * 3 // 4
    with pytest.raises(WorkspaceError, match="could not answer"):
        taken(store.at, tmp_path)
    store.asked, store.most = [], None
    assert lines_of(taken(store.at, tmp_path)) == lines_of(whole)
    assert len(store.asked) < every / 2


def test_it_begins_anew_where_the_store_has_changed_since(store, server, tmp_path):
    store.cap, store.most = 20, 12
    with pytest.raises(WorkspaceError):
        taken(store.at, tmp_path)
    fill(server[2], some_data(9))
    store.most = None
    assert len(lines_of(taken(store.at, tmp_path))) == ALL + 3


def test_a_line_that_was_half_written_is_written_again(store, tmp_path):
    store.cap, store.most = 20, 12
    with pytest.raises(WorkspaceError):
        taken(store.at, tmp_path)
    [half] = tmp_path.glob("*.nq")
    with half.open("ab") as file:
        file.write(b"<http://example.org/half> <http://exam")
    store.most = None
    found = lines_of(taken(store.at, tmp_path))
    assert len(found) == ALL
    assert not any("half" in line for line in found)


def test_rows_that_are_no_rdf_are_told_and_the_rest_is_read(store, tmp_path):
    def spoil(rows):
        for row in rows:
            if row.get("s", {}).get("value") == f"{EX}city/7":
                row["s"]["value"] = "http://example.org/no iri"
        return rows

    store.spoil = spoil
    found = taken(store.at, tmp_path)
    assert len(found.refused) == 21
    assert found.refused[0].startswith("a statement is no RDF (http://example.org/no iri: ")
    assert "more statements" in found.refused[-1]
    assert len(lines_of(found)) == ALL - 2


def test_what_is_taken_may_be_a_named_graph_and_a_pattern(server, tmp_path):
    fill(server[2], some_data(5), graph=f"{EX}g")
    try:
        found = taken(server[0], tmp_path, named_graph=f"{EX}g", pattern=f"PREFIX ex: <{EX}>\n?s ex:mayor ?x")
        assert found.statements == 10
        assert all(line.endswith(f" <{EX}g> .") for line in lines_of(found))
        with pytest.raises(DocumentError, match=f"holds nothing in a graph {EX}other; .* It has the graphs {EX}g"):
            taken(server[0], tmp_path, named_graph=f"{EX}other")
        with pytest.raises(DocumentError, match="nothing that fits pattern="):
            taken(server[0], tmp_path, pattern=f"?s <{EX}nobody> ?x")
    finally:
        httpx.delete(server[2], params={"graph": f"{EX}g"}, trust_env=False)


@each("pattern", ["?s", "} ; DROP ALL #", "SERVICE <http://other.example/sparql> { ?s ?p ?o }", "?s a <not closed"])
def test_a_pattern_that_is_none_is_refused_before_anything_is_asked(tmp_path, pattern):
    with pytest.raises(WorkspaceError, match="pattern= can't be used"):
        taken("http://127.0.0.1:9/sparql", tmp_path, pattern=pattern)


def test_blank_nodes_are_read_where_they_come_at_once_and_counted_where_not(store, server, tmp_path):
    people = [f'<{EX}p{n}> <{EX}address> [ <{EX}street> "Street {n}" ] .' for n in range(6)]
    fill(server[2], "\n".join(people))
    found = taken(store.at, tmp_path / "a")
    assert found.statements == 12
    assert lines_of(found) == lines_of(taken(store.at, tmp_path / "b"))
    store.cap = 5
    left = taken(store.at, tmp_path / "c")
    assert (left.statements, left.blank, left.read) == (0, 12, 12)


def test_what_a_server_does_not_do_is_one_sentence(store, tmp_path):
    store.cap, store.refuses = 20, ("ORDER BY STR",)
    with pytest.raises(WorkspaceError, match="refuses to give its statements in order, which is needed"):
        taken(store.at, tmp_path)
    store.refuses = ("COUNT",)
    with pytest.raises(WorkspaceError, match="refuses to count what it holds, which is needed"):
        taken(store.at, tmp_path)


@pytest.mark.parametrize(("answer", "said"), [
    ((200, {"Content-Type": "text/html"}, b"<html>Welcome</html>"), "answered with a web page"),
    ((200, {"Content-Type": "application/sparql-results+json"}, b'{"head": {"vars": ["n"'), "can't be read"),
    ((401, {}, b""), "EXPLORER_ATTACHED_HOST"),
])  # fmt: skip
def test_an_address_that_is_none_is_one_sentence(store, tmp_path, answer, said):
    store.answer = answer
    with pytest.raises(WorkspaceError, match=said) as caught:
        taken(store.at, tmp_path)
    assert store.at in str(caught.value)


def test_a_server_that_is_too_slow_or_away_is_one_sentence(store, tmp_path):
    store.pause = 1.5
    with pytest.raises(WorkspaceError, match="did not answer within 1 s"):
        taken(store.at, tmp_path, seconds=1)
    with pytest.raises(WorkspaceError, match="can't be reached"):
        taken("http://127.0.0.1:9/sparql", tmp_path)


def test_a_reply_that_is_too_long_is_one_sentence(store, tmp_path, monkeypatch):
    monkeypatch.setattr(attached_queries, "MOST_BYTES", 1_000_000)
    fill(store.behind.replace("query", "store"), f'<{EX}long> <{EX}says> "{"x" * 1_000_000}" .')
    with pytest.raises(WorkspaceError, match="answered with more than 1 MB at once"):
        taken(store.at, tmp_path)


def test_credentials_go_to_the_host_that_they_are_for_alone(store, tmp_path, monkeypatch):
    monkeypatch.setenv("EXPLORER_ATTACHED_USER", "ada")
    monkeypatch.setenv("EXPLORER_ATTACHED_PASSWORD", "s3cret")
    monkeypatch.setenv("EXPLORER_ATTACHED_HOST", "elsewhere.example")
    taken(store.at, tmp_path)
    assert not any("Authorization" in headers for *_, headers in store.asked)
    store.asked.clear()
    monkeypatch.setenv("EXPLORER_ATTACHED_HOST", store.at.split("/")[2])
    taken(store.at, tmp_path)
    assert all(headers["Authorization"].startswith("Basic ") for *_, headers in store.asked)


def test_a_server_of_rdf_1_1_is_read(tmp_path):
    with rdflib_endpoint() as (query, _, _):
        lines = [line for line in some_data(3).split("\n") if "says" not in line]
        update = f"INSERT DATA {{ GRAPH <{EX}g> {{ {' '.join(lines)} }} }}"
        headers = {"Content-Type": "application/sparql-update"}
        httpx.post(query, content=update.encode(), headers=headers, timeout=60, trust_env=False).raise_for_status()
        with door(query) as one:
            whole = taken(one.at, tmp_path / "whole", named_graph=f"{EX}g")
            one.cap = 20
            assert lines_of(taken(one.at, tmp_path / "capped", named_graph=f"{EX}g")) == lines_of(whole)
            assert whole.statements == 3 * 3 + 30
