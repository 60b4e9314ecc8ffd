"""What a workspace says that an earlier version filled, and how it is brought up to date."""

from pyoxigraph import Literal, NamedNode, Quad
from typer.testing import CliRunner

import explorer
from explorer.cli.commands import app
from explorer.ingest.extraction.extractor import RULES
from explorer.ingest.outdated import Outdated
from explorer.vocab import SOURCE, TG
from tests.opened import at

TEXT = "Beech Aircraft built the tank. The tank held oxygen."


def filled(folder):
    """A workspace with one document, as this version fills it."""
    file = folder / "tank.md"
    file.write_text(f"# The tank\n\n{TEXT}\n", "utf-8")
    ws = explorer.open(folder / "ws")
    ws.ingest(file, progress=False)
    return ws


def forget_sentences(ws):
    with ws.stores.database.writing() as connection:
        connection.execute("DELETE FROM sentences")


def by_earlier_rules(ws):
    """Let the facts be made by rules of version 1."""
    made = [quad for quad in ws.graph.match(None, TG.componentVersion, None, SOURCE) if "(" in quad.object.value]
    assert [quad.object.value.split()[0] for quad in made] == [RULES]
    for quad in made:
        older = Quad(NamedNode(quad.subject.value), TG.componentVersion, Literal("1 (older)"), SOURCE)
        ws.graph.replace([], [older], [quad])


def test_what_this_version_filled_is_up_to_date(tmp_path):
    with filled(tmp_path) as ws:
        assert ws.outdated() == Outdated(0, 0)
        assert not ws.outdated()
        assert repr(ws.outdated()) == "<Outdated nothing>"
        assert "earlier" not in str(ws._repr_mimebundle_())


def test_passages_without_sentences_wait_for_reindex(tmp_path):
    with filled(tmp_path) as ws:
        forget_sentences(ws)
        assert ws.outdated() == Outdated(passages=1)
        shown = ws._repr_mimebundle_()
        assert all("ws.reindex()" in text for text in shown.values())
        assert ws.run("Who built the tank?").answer
        ws.reindex(progress=False)
        assert not ws.outdated()


def test_facts_by_earlier_rules_are_counted_by_their_documents(tmp_path):
    with filled(tmp_path) as ws:
        by_earlier_rules(ws)
        assert ws.outdated() == Outdated(documents=1)
        [line] = ws.outdated().advice
        assert line.startswith("The facts of 1 document were made by earlier rules")
        ws.reindex(progress=False)
        assert ws.outdated() == Outdated(documents=1)


def test_the_command_line_and_the_app_say_so(tmp_path):
    with filled(tmp_path) as ws:
        forget_sentences(ws)
        assert "filled by an earlier version" in explorer.app(ws).size.value
    done = CliRunner().invoke(app, ["ask", "Who built the tank?", *at(tmp_path / "ws")])
    assert done.exit_code == 0
    assert "explorer reindex" in done.stderr
    assert "reindex" not in done.stdout
