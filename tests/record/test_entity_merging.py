"""Entities that people merge and split: one node, one row, one name, whatever is stored; and undone whole."""

import pytest
from pyoxigraph import NamedNode, Triple

import explorer
from explorer import rdf
from explorer.cli import lines
from explorer.errors import RecordError
from explorer.events import Explain
from explorer.stores import stored_corrections
from explorer.stores.merged_entities import stored_merged
from explorer.vocab import FACTS, RETRIEVAL, TG, entity_iri

CLUB = "Robert Smith founded the chess club. Robert Smith plays chess. Ada Byron leads the chess club."
RULES = "Bob Smith wrote the rules. Bob Smith plays chess. Carl Jung joined the chess club."
SELECTORS = ("reasoning", "rerank")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "club.md").write_text(CLUB)
    (tmp_path / "rules.md").write_text(RULES)
    return tmp_path


@pytest.fixture
def ws(folder, monkeypatch):
    monkeypatch.delenv("EXPLORER_USER", raising=False)
    with explorer.open() as opened:
        opened.ingest(folder, progress=False)
        yield opened


def told(ws):
    return [one.words for one in ws.facts(limit=None)]


def names(ws, text="smith"):
    return [one.name for one in ws.entities(text)]


def stored(ws):
    return set(ws.graph.match(graph=FACTS))


def test_merged_entities_are_one_in_tables_and_what_is_stored_stays_as_it_came(ws):
    before = stored(ws)
    one = ws.merge("Robert Smith", "Bob Smith", by="Ada")
    assert stored(ws) == before
    assert (one.name, one.names) == ("Robert Smith", ("Robert Smith", "Bob Smith"))
    assert names(ws) == ["Robert Smith"]
    assert names(ws, "bob") == ["Robert Smith"]
    assert sorted(told(ws)) == [
        ("Ada Byron", "leads", "chess club"), ("Carl Jung", "joined", "chess club"),
        ("Robert Smith", "founded", "chess club"), ("Robert Smith", "plays", "chess"),
        ("Robert Smith", "wrote", "rules"),
    ]  # fmt: skip
    assert ws.facts(entity="Bob Smith") == ws.facts(entity="Robert Smith") == one.facts
    [plays] = ws.facts("plays")
    assert [passage.text for passage in plays.passages] == ["Robert Smith plays chess.", "Bob Smith plays chess."]
    for passage in plays.passages:
        assert ws.text(passage.document)[passage.start : passage.end] == passage.text
    assert plays.curated.startswith("“Bob Smith” is read as “Robert Smith”, merged on ")
    assert plays.curated.endswith(" by Ada")
    assert plays.cells[3:] == ("club", "1 more place", "rules")
    assert {one.title for one in one.documents} == {"club", "rules"}
    assert rdf.validate(ws.graph.match()) == []


@pytest.mark.parametrize("selector", SELECTORS)
def test_a_question_by_either_name_leads_to_the_facts_of_both_once_each(ws, selector):
    ws.merge("Robert Smith", "Bob Smith")
    for name in ("Robert Smith", "Bob Smith"):
        run = ws.run(f"What did {name} do?", selector=selector, edge_limit=10)
        kept = [ws.sources.merged.reading(edge.edge) for edge in run.edges if hasattr(edge, "edge")]
        assert len(set(kept)) == len(kept)
        assert {entity_iri("robert smith")} == {one.subject.value for one in kept if "smith" in one.subject.value}
        assert kept
        read = [ws.sources.merged.reading(one.edge) for one in run.candidates if one.edge]  # beside what is quoted
        assert len({*kept, *read}) == len(kept) + len(read)
        led = kept if selector == "rerank" else [*kept, *read]
        assert {local.predicate.value.rsplit("/", 1)[-1] for local in led} >= {"founded", "wrote", "plays"}
        for edge in run.edges:
            assert ws.passages(edge)
            stored_edges = set(ws.graph.match(NamedNode(edge.iri), TG.edge, None, RETRIEVAL))
            assert all(quad.object == edge.edge for quad in stored_edges)
        again = list(ws.traces.replay(run.iri))
        assert [one for one in again if isinstance(one, Explain)] == [
            one for one in run.events if isinstance(one, Explain)
        ]


def test_past_runs_show_the_merge_and_keep_the_passages_that_they_read(ws):
    old = ws.run("Who plays chess?")
    before = {edge.iri: ws.passages(edge) for edge in old.edges}
    ws.merge("Robert Smith", "Bob Smith", by="Ada")
    past = ws.traces.load(old.iri)
    assert past.edges == old.edges
    assert past.answer == old.answer
    assert {edge.iri: ws.passages(edge) for edge in past.edges} == before
    said = [line for event in past.events if isinstance(event, Explain) for line in lines.step_lines(event)]
    assert any("By hand: “Bob Smith” is read as “Robert Smith”, merged on" in line for line in said)


def test_what_is_read_later_follows_and_so_does_what_is_added(ws, folder):
    ws.merge("Robert Smith", "Bob Smith")
    (folder / "later.md").write_text("Bob Smith sold the board.")
    ws.ingest(folder / "later.md", progress=False)
    ws.add_fact("Bob Smith", "lives in", "Lisbon")
    assert {("Robert Smith", "lives in", "Lisbon")} <= set(told(ws))
    assert any(words[:2] == ("Robert Smith", "sold") for words in told(ws))
    assert len(ws.entity("Robert Smith").facts) == 5
    ws.reindex(progress=False)
    assert names(ws) == ["Robert Smith"]
    ws.undo(ws.curations[-1])
    assert sorted(names(ws)) == ["Bob Smith", "Robert Smith"]
    assert ws.facts("Lisbon")[0].words[0] == "Bob Smith"


def test_an_entity_gets_a_new_name_and_others_are_merged_with_it_one_after_the_other(ws):
    ws.merge("Bobby Smith", "Bob Smith")
    ws.merge("Bobby Smith", "Robert Smith")
    assert names(ws) == ["Bobby Smith"]
    assert ws.entity("bobby smith").names == ("Bobby Smith", "Bob Smith", "Robert Smith")
    ws.reindex(progress=False)
    assert names(ws) == names(ws, "bobby") == ["Bobby Smith"]
    [alone] = ws.split("Bobby Smith", ["Robert Smith"])
    assert (alone.name, len(alone.facts)) == ("Robert Smith", 2)
    assert sorted(names(ws)) == ["Bobby Smith", "Robert Smith"]
    ws.undo()
    assert names(ws) == ["Bobby Smith"]


def test_the_name_that_was_given_outlives_the_facts_of_the_entity(ws):
    ws.merge("Robert Smith", "Bob Smith")
    ws.forget("club")
    assert names(ws) == ["Robert Smith"]
    assert ("Robert Smith", "wrote", "rules") in told(ws)
    ws.undo()
    assert names(ws) == ["Bob Smith"]


def test_a_merged_fact_is_retracted_whole_by_either_name_and_left_out_whole(ws):
    ws.merge("Robert Smith", "Bob Smith")
    run = ws.run("Who plays chess?", without=[ws.entity("Bob Smith")])
    assert not any("Smith" in str(edge.edge) for edge in run.edges)
    [plays] = ws.facts("plays")
    ws.retract(plays)
    assert not any(words[1] == "plays" for words in told(ws))
    assert len(ws.curations) == 2
    ws.undo()
    assert ws.facts("plays") == (plays,)
    assert len(ws.facts("plays")[0].passages) == 2
    for name in ("Bob", "Robert"):
        assert ws.retract(f"{name} Smith wrote rules").words == ("Robert Smith", "wrote", "rules")
        ws.undo()


def test_a_name_in_passages_alone_is_listed_as_it_was_given(ws, folder):
    (folder / "more.md").write_text("Smithers was there. Everybody saw Smithers, and Smithers saw them.")
    ws.ingest(folder / "more.md", extractors=(), progress=False)
    ws.merge("Robert Smith", "Smithers")
    assert ws.curations[0].what == "“Smithers” is read as “Robert Smith”"


@pytest.mark.parametrize(
    ("pair", "said"),
    [
        (("Robert Smith", "Nobody"), "Nothing here speaks of “Nobody”"),
        (("Robert Smith", "robert smith"), "are one already"),
        ((NamedNode("urn:none"), "Bob Smith"), "Nothing here speaks of"),
        (("", "Bob Smith"), "has a name"),
    ],
)
def test_what_can_not_be_merged_is_refused(ws, pair, said):
    before = set(ws.graph.match())
    with pytest.raises(RecordError, match=said):
        ws.merge(*pair)
    assert set(ws.graph.match()) == before


def test_a_name_of_two_things_is_split_by_documents_and_a_newer_version_follows(ws, folder):
    before, old = stored(ws), ws.run("Who plays chess?")
    game, sport = ws.split("chess", {"chess (game)": ["club"], "chess (sport)": ws.document("rules")}, by="Ada")
    assert [one.words for one in game.facts] == [("Robert Smith", "plays", "chess (game)")]
    assert [one.words for one in sport.facts] == [("Bob Smith", "plays", "chess (sport)")]
    [passage] = sport.facts[0].passages
    assert (passage.text, passage.extracted_by) == ("Bob Smith plays chess.", "curator")
    assert sport.facts[0].curated.startswith("split off “chess” on ")
    assert sorted(names(ws, "chess")) == ["chess (game)", "chess (sport)", "chess club"]
    past = ws.traces.load(old.iri)
    kept = [edge for edge in past.edges if str(edge.edge.object).endswith("/chess>")]
    assert len(kept) == 2
    for edge in kept:
        assert past.dag.curated[edge.iri].startswith(
            "given to “chess (game)” and “chess (sport)” when “chess” was split"
        )
    (folder / "rules.md").write_text(RULES + " Nobody lost.")
    ws.ingest(folder, progress=False)
    assert ("Bob Smith", "plays", "chess (sport)") in told(ws)
    assert ("Bob Smith", "plays", "chess") not in told(ws)
    assert rdf.validate(ws.graph.match()) == []
    ws.undo()
    assert {quad.triple for quad in before if "chess" in str(quad.object)} <= {quad.triple for quad in stored(ws)}
    assert sorted(names(ws, "chess")) == ["chess", "chess club"]
    assert not any("(" in words[2] for words in told(ws))


def test_a_name_that_stands_in_the_words_takes_its_facts(ws, folder):
    (folder / "two.md").write_text("Mercury moves fast. The planet Mercury moves slowly.")
    ws.ingest(folder / "two.md", extractors=(), progress=False)
    document = ws.document("two")
    ws.add_fact("Mercury", "moves", "fast", document.passage("Mercury moves fast."))
    ws.add_fact("Mercury", "moves", "slowly", document.passage("The planet Mercury moves slowly."))
    [planet] = ws.split("Mercury", ["planet Mercury"])
    assert [one.words for one in planet.facts] == [("planet Mercury", "moves", "slowly")]
    assert [one.words for one in ws.entity("Mercury").facts] == [("Mercury", "moves", "fast")]
    with pytest.raises(RecordError, match="has the words “God Mercury”; say what belongs to it"):
        ws.split("Mercury", ["God Mercury"])
    with pytest.raises(RecordError, match="is its name already"):
        ws.split("Mercury", ["mercury"])


def test_a_fact_is_read_as_one_whatever_end_was_merged():
    fact = Triple(*(NamedNode(entity_iri(name)) for name in ("a", "knows", "b")))
    held = stored_corrections.Merged().joined(entity_iri("a"), [entity_iri("b")])
    assert held.reading(fact) == Triple(fact.subject, fact.predicate, fact.subject)
    assert fact in held.variants(held.reading(fact))
    assert len(held.variants(fact)) == 4


def test_a_workspace_knows_what_was_merged_when_it_is_opened_again_and_by_an_import(folder, tmp_path):
    with explorer.open(tmp_path / "ws") as ws:
        ws.ingest(folder, progress=False)
        ws.merge("Robert Smith", "Bob Smith")
        data = tmp_path / "all.nq"
        data.write_text("".join(f"{quad} .\n" for quad in ws.graph.match()))
    with explorer.open(tmp_path / "ws") as ws:
        assert names(ws) == ["Robert Smith"]
        with ws.stores.database.writing() as connection:
            connection.execute("DELETE FROM merged")
    with explorer.open(tmp_path / "ws") as ws:
        assert names(ws) == ["Robert Smith"]
    with explorer.open() as other:
        other.import_record(data)
        assert stored_merged(other.stores.database).entities == {entity_iri("bob smith"): entity_iri("robert smith")}
        other.reindex(progress=False)
        assert names(other) == ["Robert Smith"]
