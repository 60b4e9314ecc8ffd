"""Recorded sessions that are asked again: what was told, and what the model was asked; a module names one by NAME."""

import json

import pytest

from explorer.trustgraph import messages


@pytest.fixture(scope="module")
def wire(conformance):
    return conformance / "golden" / "wire"


def read(path):
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


@pytest.fixture(scope="module")
def prompts(wire, request):
    return read(wire / f"{request.module.NAME}.prompts.jsonl")


@pytest.fixture(scope="module")
def record(wire, request):
    return list(messages.events(read(wire / f"{request.module.NAME}.jsonl")))
