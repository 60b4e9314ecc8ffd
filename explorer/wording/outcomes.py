"""The words for how an answer came out: one word, and one plain line for what it means."""

from __future__ import annotations

from explorer import entities as e
from explorer.dag import ProvenanceDag
from explorer.dag.nodes import Node
from explorer.dag.outcome import outcome_at, outcome_of, put_down, since, support_of
from explorer.dag.outcome import told as pieces
from explorer.dag.retrieved import is_recorded
from explorer.dag.sentences import citations
from explorer.events import ANSWERED, NOT_FOUND, UNSURE
from explorer.reasoning.lexical_support import SAYS
from explorer.text import count, one_line

WORDS = {ANSWERED: "Answered", UNSURE: "Unsure", NOT_FOUND: "Not found"}
SIGNS = {ANSWERED: "✓", UNSURE: "?", NOT_FOUND: "∅"}
MEANS = {  # of an answer that is made of quotations
    ANSWERED: "a quoted sentence states it",
    UNSURE: "the nearest found; it may not answer your question",
    NOT_FOUND: "nothing in the searched documents fits well enough",
}
_PUT_DOWN = {  # of one that is made of what a person put down
    "all": "a fact that a person put down states it",
    "some": "a quoted sentence or a fact that a person put down states it",
}
_OF_MODEL = {
    ANSWERED: "the words that each sentence cites bear it out",
    UNSURE: "the words that are cited do not bear out every sentence",
    NOT_FOUND: "the words that are cited bear out no sentence",
}
SINCE = {  # what became of an answer, and what that means
    "corrected": (
        "fact changed since",
        "a fact that it rests on was changed by hand; ask again",
    ),
    "undone": ("correction undone since", "a correction that it tells of does not stand any more; ask again"),
    "removed": ("source removed", "a document that it rests on was removed since; its quotations stay on record"),
}
_LEXICAL = {
    "found": "words found in the source",
    "near": "source is near",
    "none": "no source",
    "not compared": "another language, not compared",
}
NOTHING = "nothing that was retrieved says this"
_CHECKED = {
    "supported": ("found", "supported"),
    "partly": ("near", "partly supported"),
    "not": ("none", "not supported"),
}


def word(came_out: str | None, became: str = "") -> str:
    """Return the word for an outcome, and behind it what became of it since; nothing without an outcome."""
    return ", ".join(filter(None, (WORDS.get(came_out or "", ""), SINCE.get(became, ("",))[0])))


def became(since: str) -> str:
    """Return in a line what became of what an answer rests on, or tells of; nothing where nothing did."""
    said = SINCE.get(since, ("", ""))[1].partition(";")[0]
    return f"{said[:1].upper()}{said[1:]}"


def signed(came_out: str | None, became: str = "") -> str:
    """Return the word for an outcome behind its sign, and what became of it since; nothing without one."""
    return f"{SIGNS[came_out]} {word(came_out, became)}" if came_out in WORDS else ""


def told(dag: ProvenanceDag) -> str:
    """Return the answer of a run with the numbers of what it cites, and how a part of it came out otherwise."""
    said = ""
    for text, cites, came_out in pieces(dag):
        words = text.rstrip()
        said += words + "".join(f" [{number}]" for number in cites)
        said += f" ({signed(came_out).lower()})" if came_out else ""
        said += text[len(words) :]
    return said


def level(came_out: str | None) -> str:
    """Return an outcome as the page names it; nothing without one."""
    return (came_out or "").replace(" ", "-")


def at_level(level: str | None) -> str:
    """Return the word for a support of which the level alone is known; nothing without a level."""
    return WORDS[NOT_FOUND if level == "none" else UNSURE] if level else ""


def means(dag: ProvenanceDag, answer: Node, came_out: str, became: str = "") -> str:
    """Return in a line what the outcome of an answer means and by whom it was judged; or how it came out when it was
    asked, and what became of it since.
    """
    entity, cites = answer.entity, citations(dag, answer.iri)
    if became:
        return f"{WORDS.get(outcome_of(entity) or '', '').lower()} when asked; {SINCE[became][1]}"
    if not isinstance(entity, e.Answer):
        return ""
    if any(one.lexical_support for one in cites):
        by = {None: "by their words alone", "done": "the model has checked them"}
        return f"{_OF_MODEL[came_out]} ({by.get(entity.check, f'by their words; check {entity.check}')})"
    support = support_of(entity)
    parts = f" ({support.answered[0]} of {support.answered[1]} parts answered)" if support and support.answered else ""
    stated = _PUT_DOWN.get(put_down(dag, cites)) if came_out == ANSWERED else None
    return f"{stated or MEANS[came_out]}{parts}"


def stands(dag: ProvenanceDag, answer: Node) -> str:
    """Return how an answer came out, as it stands now, and what that means: "Unsure: …"; nothing where unknown."""
    found, became = outcome_at(dag, answer), since(dag, answer)
    return f"{word(found, became)}: {means(dag, answer, found, became)}" if found in WORDS else ""


def mark(dag: ProvenanceDag, sentence: e.Citation) -> tuple[str, str] | None:
    """Return how far a model's sentence rests on what it cites, as a level and in words, else how its part of the
    question came out where others did so differently; None where nobody looked.
    """
    words = _LEXICAL.get(sentence.lexical_support or "", "")
    if words and not sentence.cites and is_recorded(dag):
        words = NOTHING
    if not words:
        return (level(sentence.outcome), signed(sentence.outcome).lower()) if sentence.outcome else None
    found, checked = _CHECKED.get(sentence.checked or "", (sentence.lexical_support or "", ""))
    return level(found), "; ".join([f"checked: {checked}" if checked else words, *missing(sentence)])


def missing(sentence: e.Citation) -> list[str]:
    """Return what a sentence has that its source has not, and what the source alone denies."""
    told = [one_line(word) for word in sorted(sentence.not_in_source)]
    absent = ", ".join(word for word in told if not word.startswith(SAYS))
    return [*([f"not there: {absent}"] if absent else []), *(word for word in told if word.startswith(SAYS))]


def how_far(dag: ProvenanceDag, sentence: e.Citation) -> str:
    """Return in words how far a sentence rests on what it cites; nothing where nobody looked."""
    rests = mark(dag, sentence)
    return rests[1] if rests else "quoted" if sentence.places else ""


def scope(dag: ProvenanceDag) -> str:
    """Return what was searched where that was not all: 'in “Tank history” (1 of 8 documents)'."""
    asked = next((root.entity for root in dag.roots if isinstance(root.entity, e.Question)), None)
    return "" if asked is None else searched(asked)


def searched(asked: e.Question) -> str:
    """Return the same of a question; nothing where all was searched."""
    return (asked.scope or f"in {count(len(asked.within), 'document')} alone") if asked.within else ""


def line(dag: ProvenanceDag) -> str:
    """Return how a run came out in one line: "Unsure: …", with what was searched; nothing where neither is known."""
    where, said = scope(dag), "" if dag.final is None else stands(dag, dag.final)
    return " · ".join(filter(None, (said, where and f"searched {where}")))
