"""`explorer show` of records that nobody meant to write: a circle, and a node with 100,000 children."""

import sys
import time

import pytest
from pyoxigraph import Literal, NamedNode, Quad

import explorer
from explorer import cli
from explorer.vocab import PROV, RDF, RETRIEVAL, TG, iri

STAGES = {"grounding": TG.Grounding, "exploration": TG.Exploration, "focus": TG.Focus, "synthesis": TG.Synthesis}


def node(kind):
    return NamedNode(iri(kind, "s"))


@pytest.fixture
def show(tmp_path, monkeypatch, capsys):
    def command(quads, shown):
        with explorer.open(tmp_path / "ws") as ws:
            ws.graph.add(quads)
        monkeypatch.setattr(sys, "argv", ["explorer", "show", shown.value, "-w", str(tmp_path / "ws")])
        begun = time.process_time()
        with pytest.raises(SystemExit, match="0"):
            cli.main()
        return capsys.readouterr().out, time.process_time() - begun

    return command


def test_what_derives_from_itself_is_shown(show):
    names = [node(kind) for kind in STAGES]
    quads = [Quad(name, RDF.type, cls, RETRIEVAL) for name, cls in zip(names, STAGES.values(), strict=True)]
    quads += [Quad(name, PROV.wasDerivedFrom, names[at - 1], RETRIEVAL) for at, name in enumerate(names)]
    asked = node("question")
    quads += [Quad(asked, RDF.type, cls, RETRIEVAL) for cls in (TG.Question, TG.GraphRagQuestion)]
    quads += [Quad(asked, TG.query, Literal("Why?"), RETRIEVAL), Quad(names[0], PROV.wasDerivedFrom, asked, RETRIEVAL)]
    out, _ = show(quads, asked)
    assert all(name.value in out for name in names)
    out, _ = show([Quad(asked, PROV.wasDerivedFrom, names[3], RETRIEVAL)], names[1])
    assert f"from {names[0].value}" in out


def test_a_node_with_100_000_children_is_shown_in_time(show):
    parent = node("grounding")
    children = (NamedNode(f"urn:child:{number}") for number in range(100_000))
    quads = [Quad(child, PROV.wasDerivedFrom, parent, RETRIEVAL) for child in children]
    out, took = show([Quad(parent, RDF.type, TG.Grounding, RETRIEVAL), *quads], parent)
    assert out.count("  to   urn:child:") == 100_000
    assert took < 5
