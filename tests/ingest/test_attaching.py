"""A store that others fill, as a document: read, read again, changed, forgotten."""

import time

import pytest
from pyoxigraph import NamedNode, Triple

import explorer
from explorer.errors import DocumentError, WorkspaceError
from explorer.wording.graph_words import NodeWords
from explorer.wording.phrases import found_in
from tests.attached import EX, LABEL, door, fill
from tests.forked import Forked
from tests.opened import at
from tests.stores.contract.graph_servers import oxigraph

TOWNS = f"""
<{EX}oslo> <{LABEL}> "Oslo"@en, "Christiania"@da ; <{EX}mayor> <{EX}ada> ; <{EX}twinned> <{EX}riga> .
<{EX}riga> <{LABEL}> "Riga" ; <{EX}mayor> <{EX}bo> .
<{EX}ada> <http://www.w3.org/2004/02/skos/core#prefLabel> "Ada Berg" .
<{EX}bo> <https://schema.org/name> "Bo Kalns" .
"""


@pytest.fixture(scope="module")
def server():
    with oxigraph() as addresses:
        yield addresses


@pytest.fixture
def store(server):
    fill(server[2], TOWNS)
    with door(server[0]) as one:
        yield one


def attached(ws, store, **given):
    return ws.attach(store.at, progress=False, **given)


def words(ws):
    return {" ".join(fact.words) for fact in ws.facts(limit=None)}


def test_a_store_is_a_document_whose_facts_answer_beside_those_of_files(store, tmp_path):
    (tmp_path / "own.md").write_text("Oslo is a city in Norway.")
    with explorer.open(tmp_path / "ws") as ws:
        ws.ingest(tmp_path / "own.md", progress=False)
        steps = []
        done = ws.attach(store.at, progress=steps.append)
        assert (done.facts, done.is_changed, done.refused) == (3, True, ())
        assert (8, 8) in {(step.done, step.total) for step in steps}
        assert {step.file for step in steps} == {store.at.removeprefix("http://")}
        document = ws.document(done.iri)
        assert (document.kind, document.source, document.title) == ("Store", store.at, store.at.removeprefix("http://"))
        assert words(ws) >= {"Oslo mayor Ada Berg", "Oslo twinned Riga", "Riga mayor Bo Kalns"}
        [known] = ws.attached
        assert (known.document, known.statements, known.attachment.address) == (done.iri, 7, store.at)
        assert "Ada Berg" in ws.run("Who is the mayor of Oslo?").answer
        assert not (tmp_path / "ws" / "default" / "attaching").exists()


def test_the_report_has_each_statement_in_one_line_and_adds_up(ws, store, server):
    fill(server[2], TOWNS + f"""
    PREFIX prov: <http://www.w3.org/ns/prov#>
    <{EX}oslo> <http://www.w3.org/2004/02/skos/core#altLabel> "Kristiania"@en, "Christiania"@de, "Christiana"@fr .
    <{EX}riga> <http://www.w3.org/2004/02/skos/core#note> "Bauwerke"@de .
    <{EX}oslo> <http://purl.org/dc/elements/1.1/creator> "Kim" ; prov:wasDerivedFrom <{EX}gazette> .
    <{EX}riga> <{EX}seat> [ <{EX}street> "Ratslaukums" ] ; <{EX}quarters> (<{EX}ada> <{EX}bo>) .
    """)  # fmt: skip
    done = attached(ws, store)
    read, *lines = done.notes
    assert read == "Of 21 statements:"
    told = [(int(number), words) for number, words in (line.split(maxsplit=1) for line in lines)]
    assert told == [
        (9, "made a fact each"),
        (4, "name things, by which these are called"),
        (1, "stand in the text alone"),
        (3, "hold lists together, whose members made a fact each"),
        (1, "say where facts come from, or are of a record, and made no fact"),
        (3, "are texts left out: the same is kept in en, or else in one other language"),
    ]
    assert done.facts == 9
    assert "Riga note Bauwerke" in words(ws)
    assert attached(ws, store).notes == done.notes, "nothing changed, and the report is the same"


def test_read_again_it_stays_as_it_is_or_is_a_new_version(store, server, tmp_path):
    with explorer.open(tmp_path / "ws") as ws:
        first = attached(ws, store, languages=("da", "en"))
        assert "Christiania mayor Ada Berg" in words(ws)
        quads = len(list(ws.graph.match()))
        [again] = ws.reindex(progress=False).attached
        assert (again.iri, again.is_changed, len(list(ws.graph.match()))) == (first.iri, False, quads)
        fill(server[2], TOWNS.replace(f"<{EX}mayor> <{EX}bo>", f"<{EX}mayor> <{EX}cy>"))
        [changed] = ws.reindex(progress=False).attached
        assert changed.is_changed
        assert words(ws) == {"Christiania mayor Ada Berg", "Christiania twinned Riga", "Riga mayor cy"}
        assert [one.iri for one in ws.document(changed.iri).versions] == [first.iri, changed.iri]
        forgotten = ws.forget(changed.iri)
        assert (forgotten.facts, words(ws), ws.attached) == (3, set(), [])
        ws.restore(forgotten)
        assert [one.document for one in ws.attached] == [changed.iri]
    assert all("SELECT" in sparql for _, _, sparql, _ in store.asked)


@pytest.mark.parametrize("engine", ["graph-rag", "document-rag", "agent"])
def test_a_question_asks_no_store_and_what_changed_there_is_seen_once_it_is_read_again(ws, store, server, engine):
    attached(ws, store)
    store.asked.clear()
    fill(server[2], TOWNS.replace('"Ada Berg"', '"Ida Lund"'))
    store.answer = (503, {}, b"closed for today")
    before = ws.run("Who is the mayor of Oslo?", engine)
    assert ("Ada Berg" in before.answer, store.asked) == (True, [])
    store.answer = None
    ws.reindex(progress=False)
    after = ws.run("Who is the mayor of Oslo?", engine)
    assert "Ida Lund" in after.answer
    assert not any("Ada Berg" in passage.text for passage in after.sources())
    assert "Ada Berg" in ws.traces.load(before.iri).answer


def test_a_store_of_more_statements_than_are_allowed_is_refused_before_anything_is_read(store, server, tmp_path):
    with explorer.open(tmp_path / "ws") as ws:
        with pytest.raises(DocumentError, match="holds 8 statements, and at most 7 are read; allow more by max_stat"):
            attached(ws, store, max_statements=7)
        assert (len(store.asked), len(ws.documents), ws.attached) == (1, 0, [])
        assert not (tmp_path / "ws" / "default" / "attaching").exists()
        attached(ws, store, max_statements=8)
        [known] = ws.attached
        assert known.attachment.max_statements == 8
        fill(server[2], f"{TOWNS} <{EX}riga> <{EX}twinned> <{EX}oslo> .")
        with pytest.raises(DocumentError, match="holds 9 statements"):
            ws.reindex(progress=False)
        assert (ws.attached, len(words(ws))) == ([known], 3)


def test_what_was_killed_goes_on_where_it_was(ws, store, tmp_path):
    done, found = attached(ws, store), words(ws)
    store.cap, store.pause = 1, 0.05
    store.asked.clear()
    place = str(tmp_path / "ws")
    code = "import sys, explorer; explorer.open(sys.argv[1]).attach(sys.argv[2], progress=False)"
    with Forked("-c", code, place, store.at) as reading:
        while not (asked := [sparql for _, _, sparql, _ in store.asked if "ORDER BY STR" in sparql])[4:]:
            assert reading.returncode is None
            time.sleep(0.01)
        reading.kill()
    time.sleep(0.2)  # until the last request has been answered
    store.asked.clear()
    with explorer.open(place) as killed:
        assert (killed.attached, len(killed.documents)) == ([], 0)
        assert attached(killed, store).notes == done.notes
        assert words(killed) == found
    assert not {sparql for _, _, sparql, _ in store.asked} & {*asked[:4]}


def test_each_graph_of_a_store_is_a_document_of_its_own(ws, store, server):
    fill(server[2], f"<{EX}oslo> <{EX}river> <{EX}aker> .", graph=f"{EX}rivers")
    attached(ws, store)
    rivers = attached(ws, store, named_graph=f"{EX}rivers")
    assert (rivers.facts, len(ws.documents), len(ws.attached)) == (1, 2, 2)


def test_what_the_store_says_of_a_source_stands_with_the_fact(ws, store, server):
    fill(server[2], f"""
    PREFIX prov: <http://www.w3.org/ns/prov#> PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>
    <{EX}oslo> <{EX}mayor> <{EX}ada> .
    <{EX}r> rdf:reifies <<( <{EX}oslo> <{EX}mayor> <{EX}ada> )>> ; prov:wasDerivedFrom <{EX}gazette> .
    <{EX}gazette> <{LABEL}> "Gazette of 1999" .
    """)  # fmt: skip
    attached(ws, store)
    [fact] = ws.facts(limit=None)
    [passage] = fact.passages
    assert passage.text == "Oslo: mayor ada (source: Gazette of 1999)."
    assert passage.origins == (f"{EX}gazette",)
    assert passage.locator == f"from {EX}gazette, as {store.at} has it"


def test_a_fact_without_a_source_in_the_store_says_so_everywhere(ws, store):
    attached(ws, store)
    said = f"no recorded source in {store.at}"
    assert all(said in fact.cells for fact in ws.facts(limit=None))
    run = ws.run("Who is the mayor of Oslo?")
    assert said in run.sources()[0].reference
    [whole] = ws.sources.chunk(run.sources()[0].chunk)
    title = store.at.removeprefix("http://")
    assert (found_in(run.sources()[0]), found_in(whole)) == (f"in {title}, no recorded source there", f"in {title}")
    assert said in ws.report(run, format="md")
    panel = NodeWords(run.dag)
    [fact] = [node for node in run.dag.nodes("EdgeSelection") if "Ada Berg" in panel.sentence(node.entity.edge)]
    assert {"k": "text", "label": "Resource", "text": f"{EX}oslo", "href": f"{EX}oslo"} in panel.rows(fact)
    assert ws.documents[0].read_at > ws.documents[0].added_at


def test_only_well_formed_questions_are_suggested_for_a_store(ws, store, server):
    fill(server[2], TOWNS + f"""
    <{EX}hasRelated> <{LABEL}> "has related" .
    <{EX}oslo> <{EX}hasRelated> <{EX}riga> ; <{EX}gvkppn> "091346932" ; <http://www.w3.org/2002/07/owl#sameAs> <{EX}b> .
    """)  # fmt: skip
    done = attached(ws, store)
    assert "Oslo is the same as b." in ws.text(done.iri)
    questions = ws.suggest(limit=10)
    assert any(one.startswith("Who is the mayor of ") for one in questions)
    assert all(one.startswith("Who is the mayor of ") for one in questions), questions


def test_a_password_is_kept_nowhere(store, tmp_path):
    with explorer.open(tmp_path / "ws") as ws:
        done = ws.attach(store.at.replace("//", "//ada:s3cretword@"), progress=False)
        assert all("Authorization" in headers for *_, headers in store.asked)
        assert "s3cretword" not in repr([done, ws.attached, ws.documents])
    assert not any(b"s3cretword" in one.read_bytes() for one in (tmp_path / "ws").rglob("*") if one.is_file())


def test_a_store_that_is_away_leaves_what_was_read(store, tmp_path):
    with explorer.open(tmp_path / "ws") as ws:
        attached(ws, store)
        store.answer = (503, {}, b"")
        with pytest.raises(WorkspaceError, match="could not answer"):
            ws.reindex(progress=False)
        store.answer = None
        fill(store.behind.replace("query", "store"), "")
        with pytest.raises(DocumentError, match="holds nothing"):
            ws.reindex(progress=False)
        fact = Triple(NamedNode(f"{EX}oslo"), NamedNode(f"{EX}mayor"), NamedNode(f"{EX}ada"))
        assert fact in {one.triple for one in ws.facts(limit=None)}


def test_what_can_not_be_read_has_lines_of_its_own(ws, store, server):
    people = [f'<{EX}p{n}> <{EX}address> [ <{EX}street> "Street {n}" ] .' for n in range(6)]
    fill(server[2], TOWNS + "\n".join(people))
    store.cap = 11
    done = attached(ws, store)
    numbers = [int(line.split()[0]) for line in done.notes[1:]]
    assert done.notes[0] == f"Of {sum(numbers)} statements:"
    assert "have blank nodes and were left out: too many to be read at once" in done.notes[-1]
    assert numbers[-1] == 12


def test_the_command_reads_a_store_and_reindex_reads_it_again(store, tmp_path, program):
    place = at(tmp_path / "ws")
    code, out, _ = program("attach", store.at, "--language", "da", *place)
    assert (code, f"{store.at.removeprefix('http://')}: 3 facts." in out) == (0, True)
    for command, said in (("reindex", "nothing changed."), ("facts", "Christiania")):
        code, out, _ = program(command, *place)
        assert (code, said in out) == (0, True)
