"""Bundles have all that RO-Crate 1.1 and the profile Process Run Crate 0.5 require, by published shapes.

The shapes in profile/ say what a crate must have, and are those of roc-validator 0.13.0 (Apache-2.0,
github.com/crs4/rocrate-validator). The program itself is no dependency: it needs a library under the LGPL, and asks
the network for the context.
"""

import json
from pathlib import Path

import pyshacl
import pytest
import rdflib

from tests.corpus import QUESTIONS, filled
from tests.each import each
from tests.record.bundles.test_bundles import CRATE, KEY, files_of

SHAPES = Path(__file__).with_name("profile")
PLACE = "file:///crate/"
TERMS = {  # what the context of RO-Crate 1.1 makes of what stands in a bundle
    "@vocab": "http://schema.org/",
    "File": "http://schema.org/MediaObject",
    "conformsTo": {"@id": "http://purl.org/dc/terms/conformsTo"},
}


@pytest.fixture(scope="module")
def crate(tmp_path_factory):
    folder = tmp_path_factory.mktemp("crate")
    with filled(folder / "ws", key=KEY) as ws:
        runs = [ws.run(QUESTIONS[1], by="Ann"), ws.run(QUESTIONS[0], engine="agent")]
        path = ws.bundle(*runs, path=folder / "runs.zip")
    return json.loads(files_of(path.read_bytes())[CRATE])


@pytest.fixture(scope="module")
def shapes():
    files = [path for path in sorted(SHAPES.glob("*.ttl")) if path.name != "ro-crate_ontology.ttl"]
    made = rdflib.Graph()
    for path in files:
        made.parse(path, format="turtle", publicID=PLACE)
    return made


def missing(crate, shapes):
    """What a crate lacks of what is required, in the words of the shapes."""
    data = rdflib.Graph().parse(data=json.dumps(crate | {"@context": TERMS}), format="json-ld", publicID=PLACE)
    terms = rdflib.Graph().parse(SHAPES / "ro-crate_ontology.ttl", format="turtle", publicID=PLACE)
    _, found, _ = pyshacl.validate(
        data, shacl_graph=shapes, ont_graph=terms, inference="owlrl", advanced=True, inplace=True
    )
    return sorted({str(one) for one in found.objects(None, rdflib.SH.resultMessage)})


def changed(crate, node, **values):
    """The crate with other values at a node; None: without it."""
    told = json.loads(json.dumps(crate))
    for one in told["@graph"]:
        if node in (one["@id"], one["@type"]):
            one.update(values)
            for name in [name for name, value in values.items() if value is None]:
                del one[name]
    return told


def test_a_bundle_lacks_nothing_that_is_required(crate, shapes):
    assert missing(crate, shapes) == []


@each(
    ("node", "values", "said"),
    [
        ("CreateAction", {"instrument": None}, "MUST have an instrument property"),
        ("./", {"conformsTo": None}, "consistent with the versioned permalink of the profile"),
        ("./", {"license": None}, "`license`"),
        ("./", {"datePublished": "yesterday"}, "`datePublished`"),
        (CRATE, {"conformsTo": None}, "MUST have a `conformsTo` property"),
    ],
    ids=["instrument", "profile", "licence", "date", "version"],
)
def test_what_is_taken_out_is_missed(crate, shapes, node, values, said):
    assert said in " ".join(missing(changed(crate, node, **values), shapes))
