import json

import numpy as np
import pytest

from explorer.errors import ModelError
from explorer.models.embedding import OpenAIEmbedder
from tests.each import each
from tests.server import KEY, Reply, fails, page, serving


def vectors(made, order=None):
    data = [{"object": "embedding", "index": number, "embedding": vector} for number, vector in enumerate(made)]
    body = {"object": "list", "model": "e", "data": [data[i] for i in order or range(len(data))]}
    return Reply(body=json.dumps(body), kind="application/json")


def measured(request):
    """Vectors that tell the length of each text."""
    return vectors([[len(text), 0.0, 1.0] for text in request["input"]])


def embedder(server, **options):
    return OpenAIEmbedder("embed-1", server.url, KEY, **{"pause": 0.01, "timeout": 5, **options})


def test_each_text_gets_a_row_of_length_one_in_its_place():
    with serving(vectors([[3.0, 4.0], [0.0, 2.0]], order=[1, 0])) as server:
        found = embedder(server).embed(["first", "", "second"])
    assert found.dtype == np.float32
    assert found.tolist() == [[pytest.approx(0.6), pytest.approx(0.8)], [0, 0], [0, 1]]
    [request] = server.asked
    assert (request["input"], request["encoding_format"], request["model"]) == (["first", "second"], "float", "embed-1")
    assert "dimensions" not in request


def test_many_texts_go_in_several_requests_and_none_still_have_dimensions():
    texts = ["x" * (number % 50 + 1) for number in range(600)]
    with serving(measured) as server:
        found = embedder(server).embed(texts)
    assert [len(request["input"]) for request in server.asked] == [256, 256, 88]
    assert (found[:, 0] / found[:, 2]).round().tolist() == [len(text) for text in texts]
    with serving(measured) as server:
        assert embedder(server).embed([]).shape == (0, 3)
        assert embedder(server).embed([" "]).tolist() == [[0, 0, 0]]


def test_the_name_tells_the_dimensions_that_were_chosen():
    with serving(measured) as server:
        shorter = embedder(server, dimensions=64)
        shorter.embed(["a"])
    assert (embedder(server).name, shorter.name) == ("embed-1", "embed-1-64")
    assert server.asked[0]["dimensions"] == 64
    assert KEY not in repr(shorter) + repr(vars(shorter))


@each(
    ("reply", "words"),
    [
        (vectors([[1.0]]), "sent 1 vectors for 2 texts"),
        (vectors([[1.0], [1.0, 2.0]]), "vectors of different lengths"),
        (vectors([[1.0], [float("nan")]]), "hold no numbers"),
        (vectors([["a"], ["b"]]), "sent what can't be read"),
        (page(), "sent what can't be read"),
        (fails(401, KEY), "refused the key"),
        (fails(404), "does not know the model embed-1"),
        (fails(503), "failed (503"),
    ],
)
def test_nonsense_and_failures_are_one_sentence(reply, words):
    with serving(reply) as server, pytest.raises(ModelError) as caught:
        embedder(server, attempts=2).embed(["a", "b"])
    assert words in str(caught.value)
    assert KEY not in str(caught.value)


def test_what_may_pass_is_tried_again():
    with serving(fails(429, retry_after="0.1"), measured) as server:
        assert embedder(server).embed(["a"]).shape == (1, 3)
    assert server.times[1] - server.times[0] >= 0.1
