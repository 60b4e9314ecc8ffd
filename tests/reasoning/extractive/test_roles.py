"""Who has a role: what is asked of "the treasurer" is answered of the person."""

import pytest

import explorer

MINUTES = (
    "# Minutes, 4 May\n\nPresent: Greta Tamm (harbour master), Samuel Okafor (secretary), Ines Baptiste.\n\n"
    "The boat crane broke down on 12 April because its cable had frayed. Every boat is moved by hand.\n"
)
BOATS = "Boat,Owner,Length (m)\nBrisa,Okafor,9.5\nDorade,Lindahl,11.8\nEgret,Tamm,6.1\n"


@pytest.mark.parametrize("engine", ["graph-rag", "document-rag"])
@pytest.mark.parametrize(("role", "boat"), [("secretary", "Brisa"), ("harbour master", "Egret")])
def test_a_role_is_joined_with_the_name_and_its_row(tmp_path, role, boat, engine):
    (tmp_path / "minutes.md").write_text(MINUTES)
    (tmp_path / "boats.csv").write_text(BOATS)
    with explorer.open() as ws:
        ws.ingest(tmp_path, progress=False)
        trace = ws.run(f"Which boat does the {role} own?", engine)
    assert f"({role})" in trace.answer
    assert f"Boat: {boat};" in trace.answer
    assert trace.support.level == "strong"
    assert "who has the role that the question names" in trace.dag.final.entity.rule


def test_what_speaks_neither_of_the_role_nor_of_the_person_is_related_at_most(tmp_path):
    (tmp_path / "minutes.md").write_text(MINUTES)
    with explorer.open() as ws:
        ws.ingest(tmp_path, progress=False)
        trace = ws.run("Which boat does the secretary own?")
    assert trace.support.level in {"weak", "none"} or "Okafor" in trace.answer
