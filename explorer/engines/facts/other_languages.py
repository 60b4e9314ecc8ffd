"""What an answer over statements says of a question that is not in English: how it was read, or what to do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from explorer.language.detection import name_of
from explorer.language.foreign import languages_of
from explorer.reasoning.extractive.statements import are_statements
from explorer.reasoning.protocol import AnswerPart, Kept, Sentence, Verdict


def noted(said: Iterable[AnswerPart], question: str, kept: Sequence[Kept], read_as: str) -> Iterator[AnswerPart]:
    """Yield an answer, with how its question was read before it.

    Where statements alone were kept, and do not bear it, it is said that they are compared in English. `read_as`: the
    question in English, if it was read so.
    """
    languages = languages_of(question) if are_statements(kept) else ()
    if read_as or not languages:
        yield from [Sentence(f"The question is read as “{read_as}”.")] if read_as else []
        yield from said
        return
    whole = list(said)
    if not any(isinstance(one, Verdict) and one.support is not None and one.support.level == "strong" for one in whole):
        named = " or ".join(map(name_of, languages))
        yield Sentence(f"Statements are compared with questions in English, and this one is in {named}: "
                       "ask it in English, or with a model.")  # fmt: skip
    yield from whole
