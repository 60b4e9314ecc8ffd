"""Text to vectors."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache, partial
from itertools import chain
from types import ModuleType
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from explorer.errors import ModelError
from explorer.models.chat import connect, problem_of
from explorer.models.endpoint import Exchange, Problem, endpoint

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_AT_ONCE = 50_000  # tokens: 50 MB
_WORDS = re.compile(r" +[^ ]*")
_SPECIAL = re.compile(r"<unk>|</?s>")
_BLANK = "▁"  # as the tokenizer writes it
_LONGEST_KNOWN, _MOST_KNOWN = 40, 200_000  # code points of a word that is remembered, and such words
_NO_THREADS = 262_144  # multiplications up to which OpenBLAS computes a product in one thread


class Embedder(Protocol):
    """Anything that turns n texts into an (n, d) array of float32 with rows of length 1."""

    @property
    def name(self) -> str:
        """The model's name, with the number of dimensions."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one row for each text; an empty text gives a row of zeros."""


@runtime_checkable
class Joining(Embedder, Protocol):
    """An embedder that takes so long that vectors of passages and facts are joined from those of their parts."""

    def joined(self, parts: NDArray[np.float32], weights: Sequence[float]) -> NDArray[np.float32]:
        """Return the vector of a text, of length 1, from those of its parts and how much each weighs."""


@runtime_checkable
class OfWords(Embedder, Protocol):
    """An embedder that words are compared by too: near ones have a cosine of 0.55 and more, as of static vectors."""

    def is_common(self, word: str) -> bool:
        """Return whether it knows a word as a whole: it is a common one, and not misspelt."""


class Remembered:
    """An embedder for the length of one run, that embeds no text twice."""

    def __init__(self, embedder: Embedder) -> None:
        self.embedder = embedder
        self._rows: dict[str, NDArray[np.float32]] = {}

    @classmethod
    def of(cls, embedder: Embedder) -> Remembered:
        """Return an embedder with a cache: this one if it has one already."""
        return embedder if isinstance(embedder, cls) else cls(embedder)

    @property
    def name(self) -> str:
        """The model's name."""
        return self.embedder.name

    def know(self, texts: Sequence[str], vectors: NDArray[np.float32]) -> None:
        """Add known vectors to the cache, one row of length 1 for each text."""
        self._rows.update(zip(texts, vectors, strict=True))

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return an (n, d) array of float32 with rows of length 1."""
        import numpy as np

        new = list(dict.fromkeys(text for text in texts if text not in self._rows))
        if new or not texts:
            rows = self.embedder.embed(new)
            self._rows.update(zip(new, rows, strict=True))
        return np.stack([self._rows[text] for text in texts]) if texts else rows


class WordLlamaEmbedder:
    """Static word vectors averaged over a text: 256 dimensions, weights in the wheel, no network."""

    name = "wordllama-256"

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return an (n, 256) array of float32 with rows of length 1."""
        import numpy as np

        sums = np.zeros((len(texts), 256), dtype=np.float32)
        for row, text in zip(sums, texts, strict=True):
            row[:] = _sum(_tokens(text))
        lengths = np.linalg.norm(sums, axis=1, keepdims=True)
        rows: NDArray[np.float32] = np.divide(sums, np.where(lengths == 0, 1, lengths), dtype=np.float32)
        return rows

    def is_common(self, word: str) -> bool:
        """Return whether the model knows a word as a whole."""
        return len(_wordllama().tokenizer.encode(word.lower(), add_special_tokens=False).ids) == 1


def _sum(tokens: Sequence[int]) -> NDArray[np.float32]:
    """Return the sum of the vectors of some tokens, which has the direction of WordLlama's mean."""
    vectors = _wordllama().embedding
    found: NDArray[np.float32] = vectors.take(tokens[:_AT_ONCE], axis=0, mode="clip").sum(axis=0)
    for start in range(_AT_ONCE, len(tokens), _AT_ONCE):
        found += vectors.take(tokens[start : start + _AT_ONCE], axis=0, mode="clip").sum(axis=0)
    return found


def _tokens(text: str) -> Sequence[int]:
    """Return the tokens of a text, at least one. No token goes on behind a blank, so each word is looked up once."""
    text = text or " "
    if _SPECIAL.search(text):
        found: list[int] = _wordllama().tokenizer.encode(text, add_special_tokens=False).ids
        return found
    return [*chain.from_iterable(map(_KNOWN.__getitem__, _WORDS.findall(f" {text}")))]


class _Words(dict[str, tuple[int, ...]]):
    """The tokens of words, each with the blanks before it."""

    def __missing__(self, word: str) -> tuple[int, ...]:
        tokenizer = _wordllama().tokenizer
        found = tokenizer.encode(word[1:], add_special_tokens=False).ids  # it puts one blank before what it is given
        tokens = tuple(found or (tokenizer.token_to_id(_BLANK),))
        if len(word) <= _LONGEST_KNOWN:
            if len(self) >= _MOST_KNOWN:
                self.clear()
            self[word] = tokens
        return tokens


_KNOWN = _Words()


def cosines(rows: NDArray[np.float32], others: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the product of each row with each of some others, which for rows of length 1 is their cosine.

    In pieces for which BLAS begins no threads: these wait in a loop for more to do, and cost more than they save.
    """
    import numpy as np

    step = max(1, _NO_THREADS // max(1, others.size))
    if len(rows) <= step:
        found: NDArray[np.float32] = rows @ others.T
        return found
    made = np.empty((len(rows), len(others)), dtype=np.float32)
    for start in range(0, len(rows), step):
        np.matmul(rows[start : start + step], others.T, out=made[start : start + step])
    return made


def of_words(embedder: Embedder | None) -> OfWords:
    """Return by what words are compared: by an embedder that knows words, else by the static model.

    A model of sentences compares words too well, and one at an address would be asked for each of them.
    """
    inner = embedder.embedder if isinstance(embedder, Remembered) else embedder
    return inner if isinstance(inner, OfWords) else WordLlamaEmbedder()


class OpenAIEmbedder:
    """An embedding model behind an OpenAI-compatible address; arguments as for `OpenAIChat`.

    `dimensions` asks for shorter vectors, of models that can give them. `timeout` is seconds for `BATCH` texts.
    """

    BATCH = 256

    def __init__(
        self,
        model: str,
        base_url: str | None = None,
        api_key: str | None = None,
        *,
        dimensions: int | None = None,
        timeout: float = 120.0,
        attempts: int = 4,
        pause: float = 0.5,
    ) -> None:
        """Store address and options; raises ModelError for an address or key that can't be right."""
        self.model = model
        self.dimensions = dimensions
        self.endpoint = endpoint(model, base_url, api_key, timeout=timeout, attempts=attempts, pause=pause)

    @property
    def name(self) -> str:
        """The model's name, with the number of dimensions if that was chosen."""
        return self.model if self.dimensions is None else f"{self.model}-{self.dimensions}"

    def __repr__(self) -> str:
        return f"<OpenAIEmbedder {self.name} at {self.endpoint.shown}>"

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return an (n, d) array of float32 with rows of length 1, of zeros for empty texts; raises ModelError."""
        import numpy as np

        asked = [text for text in texts if text.strip()] or ["empty"]  # that tells how many dimensions there are
        found: list[Sequence[float]] = []
        for start in range(0, len(asked), self.BATCH):
            batch = asked[start : start + self.BATCH]
            exchange: Exchange[list[Sequence[float]]] = Exchange(self.endpoint, partial(self._work, texts=batch))
            found += [vector for vectors in exchange.items() for vector in vectors]
        if len({len(vector) for vector in found}) != 1:
            raise ModelError(f"{self.model} gave vectors of different lengths; take another embedding model.")
        rows = np.asarray(found, dtype=np.float32)
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        if not np.isfinite(lengths).all():
            raise ModelError(f"{self.model} gave vectors that hold no numbers; take another embedding model.")
        made = np.zeros((len(texts), rows.shape[1]), dtype=np.float32)
        where = [number for number, text in enumerate(texts) if text.strip()]
        if where:
            made[where] = np.divide(rows, np.where(lengths == 0, 1, lengths))
        return made

    def _work(self, exchange: Exchange[list[Sequence[float]]], texts: list[str]) -> ModelError | None:
        """Ask until it works or there is no use; runs in the thread of the exchange."""
        attempt = 1
        while (problem := self._attempt(exchange, texts)) is not None:
            pause = self.endpoint.pause_after(problem, attempt, exchange.remaining)
            if pause is None or exchange.left.wait(pause):
                return self.endpoint.error(problem, self.model)
            attempt += 1
        return None

    def _attempt(self, exchange: Exchange[list[Sequence[float]]], texts: list[str]) -> Problem | None:
        import openai

        client = connect(exchange)
        fewer: dict[str, Any] = {} if self.dimensions is None else {"dimensions": self.dimensions}
        try:
            # by default the client asks for base64, which other services do not know
            reply = client.embeddings.create(model=self.model, input=texts, encoding_format="float", **fewer)
        except openai.APIError as error:
            return problem_of(error)
        finally:
            client.close()
        vectors = [list(map(float, item.embedding)) for item in sorted(reply.data, key=lambda item: item.index)]
        if len(vectors) != len(texts):
            told = f"{len(vectors)} vectors for {len(texts)} texts"
            raise ModelError(f"{self.endpoint.shown} sent {told}; check that it serves embeddings.")
        exchange.put([*vectors])
        return None


def embedder_for(chosen: Embedder | str | None, base_url: str | None = None) -> Embedder:
    """Return an embedder by name: "wordllama" (also for None), "minilm", or a model at an OpenAI-compatible address.

    The longer names that collections remember do as well; an embedder is given back as it is. Raises ModelError, for
    "minilm" when its extra is not installed.
    """
    from explorer.models.minilm import MiniLMEmbedder

    match chosen:
        case None | "wordllama" | WordLlamaEmbedder.name:
            return WordLlamaEmbedder()
        case "minilm" | MiniLMEmbedder.name:
            return MiniLMEmbedder()
        case str():
            return OpenAIEmbedder(chosen, base_url)
        case _:
            return chosen


def load(embedder: Embedder) -> None:
    """Load the model of an embedder of this process, so that nobody waits for it later."""
    from explorer.models.minilm import MiniLMEmbedder

    match embedder:
        case Remembered():
            load(embedder.embedder)
        case WordLlamaEmbedder() | MiniLMEmbedder():
            embedder.embed(["word"])


@cache
def _wordllama() -> Any:  # noqa: ANN401 - wordllama has no type hints
    """Load the model once; the folder is named since it does not find its own tokenizer without a network."""
    import logging
    from pathlib import Path

    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    with without("requests"):  # its weights are here
        import wordllama

    root.handlers[:] = handlers  # the import sets up logging for everyone, down to each request that is made
    root.setLevel(level)
    folder = Path(wordllama.__file__).parent
    return wordllama.WordLlama.load(cache_dir=folder, disable_download=True)


@contextmanager
def without(*names: str) -> Iterator[dict[str, ModuleType]]:
    """Keep a library from importing modules that take long and that it does not need here: empty ones stand in."""
    stood_in = {name: ModuleType(name) for name in names if name not in sys.modules}
    sys.modules.update(stood_in)
    try:
        yield stood_in
    finally:
        for name, module in stood_in.items():
            if sys.modules.get(name) is module:
                del sys.modules[name]
