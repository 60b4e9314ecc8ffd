"""The sentences of an answer, each with what it cites; what stands between them is a remark that cites nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from explorer.dag.nodes import Node
from explorer.entities import Answer, Citation, EdgeSelection
from explorer.text import without_markup
from explorer.vocab import session_of

if TYPE_CHECKING:
    from explorer.dag import ProvenanceDag
    from explorer.events import Passage


CHOSEN = ("EdgeSelection", "ChunkSelection")
ADDED = re.compile(  # the headings above it, its time, whom a word stands for, how much of a list is left out
    r"^Under “[^”]*”(?:, “[^”]*”)*: |^\S+ – |\s*\[[^\]]*\]|\s*\(and [\d,]+ more\)$"
)
"""What the rules add to a sentence that they quote."""
_MARKS = re.compile(r"(?<!\S)(?:[-*+•‣◦–]|#{1,6}|\[[ xX]\])(?!\S)")
_NOTE = re.compile(
    r"\((?:Retracted by hand|Corrected by hand|A sentence on this is not quoted|More may be stored).*\)"
    r"|(?:“[^”]*” is read as “[^”]*”\.\s?)+"
)

TELLS = re.compile(r"\((?:Retracted|Corrected|added) by hand|A sentence on this is not quoted, since")
"""How an answer begins to tell of what people corrected."""


def citations(dag: ProvenanceDag, answer: str) -> list[Citation]:
    """Return the citations of one answer, in the order of its text; a run may hold answers of others within it."""
    key = session_of(answer)
    own = [one for one in dag.citations if not key or session_of(one.iri) in ("", key)]
    return sorted(own, key=lambda one: one.end or 0)


def quotations(dag: ProvenanceDag, passage: Passage) -> list[tuple[int, int]]:
    """Return where in a chunk the sentences stand that answers quote from it as a whole; none for a fact's words."""
    if passage.subgraph != passage.chunk:
        return []
    known = dag.graph.nodes
    own = {place for one in dag.citations for iri, spans in one.spans.items()
           if "node" in known.get(iri, {}) and passage in dag.node(iri).passages for place in spans}  # fmt: skip
    found = list[tuple[int, int]]()
    for start, end in sorted(own):
        if found and not passage.text[found[-1][1] : start].strip():  # they overlap, or follow one another
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((start, end))
    return found


def numbers(dag: ProvenanceDag) -> dict[str, int]:
    """Return the number of all that the final answer cites: one a passage, from 1 in the order of its text."""
    if dag.final is None:
        return {}
    known = dag.graph.nodes
    cited = (iri for one in citations(dag, dag.final.iri) for iri in one.cites)
    found: dict[str, int] = {}
    of_place: dict[object, int] = {}
    for iri in dict.fromkeys(iri for iri in cited if iri in known and "node" in known[iri]):
        found[iri] = of_place.setdefault(_place(dag.node(iri)), len(of_place) + 1)
    return found


def first_source(dag: ProvenanceDag, iri: str) -> str | None:
    """Return the first passage that a fact or passage was taken from; None where none is on record."""
    arcs = dag.graph.adj[iri].items() if dag.graph.nodes[iri]["kind"] in CHOSEN else ()
    return next((child for child, arc in arcs if arc["kind"] == "source" and "node" in dag.graph.nodes[child]), None)


def _place(node: Node) -> object:
    """Return where a fact or passage was found first; without a source the fact itself."""
    if node.passages:
        first = node.passages[0]
        return first.document, first.start, first.end
    return node.entity.edge if isinstance(node.entity, EdgeSelection) and node.entity.edge else node.iri


def sentences(dag: ProvenanceDag, answer: Answer, *, notes: bool = False) -> list[Node]:
    """Return a node for each sentence of an answer; its entity is the citation, of a remark the answer itself.

    An answer that was declined and cites nothing has no sentences; words that lead to one, with a colon, are none, nor
    are `notes` of this program, unless asked for. An IRI counts them: verdicts may name those after them.
    """
    cites = citations(dag, answer.iri)
    if answer.termination_reason == "declined" and not any(one.cites for one in cites):
        return []
    text, at = dag.text(answer.iri), 0
    found: list[tuple[str, Citation | None]] = []
    for cited in cites:
        start = max(at, cited.start or 0)
        end = max(start, cited.end or 0)
        found += [(text[at:start], None), (text[start:end], cited)]
        at = end
    found.append((text[at:], None))
    said = [(" ".join(words.split()), cited) for words, cited in found]
    told = [(words, cited) for number, (words, cited) in enumerate(said)
            if (cited and cited.cites) or _is_told(words, leads=cited is None and number < len(said) - 1)]  # fmt: skip
    made = [Node(f"{answer.iri}#sentence-{number}", "Sentence", cited or answer, text=words or "…")
            for number, (words, cited) in enumerate(told, 1)]  # fmt: skip
    return [one for one in made if notes or one.entity is not answer or not _NOTE.fullmatch(one.text)]


def _is_told(words: str, *, leads: bool) -> bool:
    """Return whether words that cite nothing say something of their own, also where they lead to a sentence."""
    return any(map(str.isalnum, words)) and not (leads and words.endswith(":"))


def narrowed(dag: ProvenanceDag, sentence: str, passage: Passage) -> list[Passage]:
    """Return what a sentence, by its IRI, quotes of a passage; the passage alone where it quotes no part of it."""
    finals = (one.entity for one in dag.nodes() if isinstance(one.entity, Answer) and sentence.startswith(one.iri))
    told = (one for final in finals for one in sentences(dag, final))
    found = next((one.entity for one in told if one.iri == sentence), None)
    return quoted(dag, found, passage) if isinstance(found, Citation) else [passage]


def quoted(dag: ProvenanceDag, citation: Citation, passage: Passage) -> list[Passage]:
    """Return what a citation quotes of a whole chunk, in order; the passage alone where it quotes no part of it."""
    told = (spans for iri, spans in citation.spans.items() if iri in dag.graph
            and any(one.chunk == passage.chunk for one in dag.node(iri).passages[:1]))  # fmt: skip
    spans = next(told, []) if passage.subgraph == passage.chunk else []
    return [cut(passage, start, end) for start, end in spans] or [passage]


def is_quoted(dag: ProvenanceDag, answer: str, citation: Citation) -> bool:
    """Return whether a sentence of an answer stands word for word in what it cites, or beside it in its chunk.

    The row of a table does not: it is told with the heads of its columns.
    """
    sentence = dag.text(answer)[citation.start or 0 : citation.end or 0]
    words = _bare(ADDED.sub("", sentence)).strip("… ")
    nodes = (dag.node(iri) for iri in citation.cites if iri in dag.graph.nodes)
    texts = (f"{one.before}{one.text}{one.after}" for node in nodes for one in node.passages)
    return bool(words) and any(words in _bare(without_markup(text)) for text in texts)


def _bare(text: str) -> str:
    """Return a text in a line without the marks of headings and items, which no quotation has."""
    return " ".join(_MARKS.sub(" ", text).split())


def within(words: Sequence[Passage]) -> list[tuple[int, int]]:
    """Return where words of a passage stand, counted from the first of them."""
    return [(one.start - words[0].start, one.end - words[0].start) for one in words]


def cut(passage: Passage, start: int, end: int) -> Passage:
    """Return some words of a passage."""
    page_start = None if passage.page_start is None else passage.page_start + start
    return replace(
        passage, start=passage.start + start, end=passage.start + end, page_start=page_start,
        text=passage.text[start:end], before=passage.text[:start], after=passage.text[end:],
    )  # fmt: skip


def cited(dag: ProvenanceDag) -> list[Passage]:
    """Return the words that the final answer cites, of a whole passage those that it quotes."""
    if dag.final is None:
        return []
    known = dag.graph.nodes
    spans = [(one, iri) for one in citations(dag, dag.final.iri) for iri in one.cites if "node" in known.get(iri, {})]
    passages = [(one, dag.node(iri).passages[:1]) for one, iri in spans]
    return [words for one, found in passages for passage in found for words in quoted(dag, one, passage)]
