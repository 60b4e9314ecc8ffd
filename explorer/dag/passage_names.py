"""What a passage is called: one name in every list, graph and report."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from explorer.dag.sentences import quotations
from explorer.text import in_quotes, opening, sentence_about, without_bars

if TYPE_CHECKING:
    from explorer.dag import ProvenanceDag
    from explorer.events import Passage, Resource

IN_LINE = 28  # letters


def passage_name(dag: ProvenanceDag, passage: Passage, most: int = IN_LINE) -> str:
    """Return what a passage is called in a run, as a quotation, or that its document was removed.

    It is the first words that an answer quotes of it; where none does, its sentence with most of the key ideas of the
    run, else its first below titles and headings.
    """
    return passage.locator if passage.is_removed else in_quotes(opening(named_from(passage, dag), most))


def unquoted_name(passage: Passage, most: int) -> str:
    """Return what a passage is called that no answer quotes, see `passage_name`."""
    return passage.locator if passage.is_removed else in_quotes(opening(named_from(passage), most))


def named_from(passage: Passage, *runs: ProvenanceDag) -> str:
    """Return the text of a passage from where its name begins, see `passage_name`: as the first run that quotes it."""
    found = (start for dag in runs for start, _ in quotations(dag, passage) if start < len(passage.text))
    start = next(found, None)
    if start is None and passage.subgraph == passage.chunk:  # else it is the words of a fact
        ideas = (node.text for dag in runs for node in dag.nodes("Concept"))
        start = sentence_about(passage.text, ideas, passage.title)
    return without_bars(passage.text[start or 0 :], passage.before + passage.text[: start or 0])


def resources_of(passage: Passage, dag: ProvenanceDag | None = None) -> tuple[Resource, ...]:
    """Return what the statements of an attached store in a passage are about: of a whole passage those first that the
    words name which answers of a run quote from it, then those that most of its statements are about.
    """
    found = quotations(dag, passage) if dag is not None and passage.resources[1:] else []
    said = [re.findall(r"\w+", passage.text[start:end].casefold()) for start, end in found]

    def is_named(one: Resource) -> bool:
        name = re.findall(r"\w+", one.name.casefold())
        ends = range(len(name), max(map(len, said), default=0) + 1)
        return bool(name) and any(words[end - len(name) : end] == name for words in said for end in ends)

    return tuple(sorted(passage.resources, key=lambda one: not is_named(one)))
