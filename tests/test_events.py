import dataclasses

import pytest
from pyoxigraph import NamedNode, Quad

from explorer.events import Content, Done, Explain, Progress, Text, Usage
from explorer.vocab import RDF, TG
from tests.each import each
from tests.strategies import passage

QUAD = Quad(NamedNode("urn:x:1"), RDF.type, TG.Focus)
VALUES = [
    Content("urn:x:1", "t", "text/plain", b""),
    Usage(),
    Explain("urn:x:1", (QUAD,)),
    Text("urn:x:1", "answer", "a"),
    Progress("focus", 0, 0),
    Done("done"),
    passage("a", 1, 0, 3),
]


@each("value", VALUES, ids=lambda value: type(value).__name__)
def test_an_event_can_not_be_changed(value):
    name = dataclasses.fields(value)[0].name
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(value, name, "other")


def test_a_step_without_passages_has_none_that_could_be_added():
    event = Explain("urn:x:1", (QUAD,))
    assert dict(event.passages) == dict(event.labels) == {}
    with pytest.raises(TypeError):
        event.passages["urn:x:2"] = ()


@each(
    ("changes", "place"),
    [
        ({}, "Passage 1 → Page 2 → Title a"),
        ({"page": None, "section": "Heading"}, "Passage 1 → Heading → Title a"),
        ({"page": None, "section": None}, "Passage 1 → Title a"),
        ({"chunk_index": None}, "Passage → Page 2 → Title a"),
    ],
)
def test_a_passage_says_its_way_to_the_document(changes, place):
    assert dataclasses.replace(passage("a", 2, 0, 3), **changes).place == place
