"""Reasons for selected facts and passages, each a sentence that a person would say: what of the question is in it."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from explorer.events import Passage
from explorer.language.sentences import sentences
from explorer.language.words import content_stems, phrases, stem, stem_set, tokens
from explorer.reasoning.extractive.scoring import (
    CUES,
    LINKED,
    MEANT,
    MEANT_AROUND,
    MEANT_BY_SENTENCE,
    TITLED,
    Scoring,
    kind_named,
)
from explorer.reasoning.protocol import ScoredEdge, ScoredPassage, SelectedEdge
from explorer.text import truncate

_NUMBERED = re.compile(r"\bno\. (?=\d)")  # whose full stop ends no sentence
_MOST_WORDS = 8  # of the question that a reason lists
_LONGEST_WORD, _LONGEST_TITLE, _LONGEST_SENTENCE = 40, 60, 80
_CARRIES = 0.5  # share of a score from which one part is said to carry it
_ALIKE = {
    LINKED: "the graph links it to what you ask about",
    MEANT: "it is close to your question in meaning",
    MEANT_AROUND: "the text around it is close to your question in meaning",
    MEANT_BY_SENTENCE: "its best sentence is close to your question in meaning",
}


@dataclass(slots=True)
class Reasons(Scoring):
    """States the reason for each selected fact."""

    def reason_edges(self, question: str, selected: Sequence[ScoredEdge | ScoredPassage]) -> list[SelectedEdge]:
        """State what of the question each edge has; the best of all that was selected is called the best match."""
        best = max(selected, key=lambda item: item.score or 0.0, default=None)
        return [
            SelectedEdge(
                item.edge, item.score, item.concept, _reason(question, item, is_best=item is best), parts=item.parts
            )
            for item in selected
            if isinstance(item, ScoredEdge)
        ]


def _reason(question: str, item: ScoredEdge, *, is_best: bool) -> str:
    edge = item.edge
    own, quoted, around = map(stem_set, (edge.text, edge.with_sentence, edge.context))
    cue = next((name for name in CUES if name in item.parts), None)
    cued = [cue] if cue else []
    is_own = cue is not None and kind_named(question, _NUMBERED.sub("no.", edge.text)) == cue
    said = [
        f"{where} {' and '.join(has)}"
        for where, has in (
            ("it", [*(cued if is_own else []), *_has("uses", question, own)]),
            ("its source", [*([] if is_own else cued), *_has("has", question, quoted - own)]),
            ("the text around it", _has("has", question, around - quoted)),
        )
        if has
    ]
    title = edge.passages[0].title if edge.passages else ""
    has_words = bool(_has("uses", question, quoted))
    reason = _sentence(said, title, item.score, item.parts, has_words=has_words, is_best=is_best)
    return f"{reason}{'' if edge.passages else ' It has no recorded source.'}"


def passage_reason(question: str, passage: Passage, score: float, parts: Mapping[str, float], *, is_best: bool) -> str:
    """Return why a passage was selected whose score is the sum of `parts`; `is_best`: no other has a higher one."""
    there, titled = stem_set(passage.text), stem_set(passage.title)
    shared = content_stems(question) & there
    told = (one.rstrip(".") for one in sentences(passage.text) if len(shared) > 1 and shared <= stem_set(one))
    where = next((f", all in the sentence “{truncate(one, _LONGEST_SENTENCE)}”" for one in told), "")
    said = [f"it {has}{where}" for has in _has("has", question, there)]
    said += [f"its title {has}" for has in _has("has", question, titled - there)]
    return _sentence(said, passage.title, score, parts, has_words=bool(said), is_best=is_best)


def _sentence(
    said: list[str], title: str, score: float, parts: Mapping[str, float], *, has_words: bool, is_best: bool
) -> str:
    """Return what is said of the words of a question as one sentence, with what else carries the score."""
    if TITLED in parts:
        said.append(f"your question names its document, “{truncate(title, _LONGEST_TITLE)}”")
    most = max(_ALIKE, key=lambda name: parts.get(name, 0.0))
    if parts.get(most, 0.0) > (_CARRIES * score if said else 0.0):
        said.append(_ALIKE[most])
    reason = "; ".join(said)
    if not has_words:
        reason = f"none of your words are in it{', but ' if said else ''}{reason}"
    return f"Best match: {reason}." if is_best else f"{reason[:1].upper()}{reason[1:]}."


def _has(verb: str, question: str, there: Collection[str]) -> list[str]:
    """Return which words of a question are there, as one phrase; those that it has as one phrase are kept together."""
    runs: list[list[str]] = []
    told: set[str] = set()
    for phrase in phrases(question):
        shared = dict.fromkeys(word for word in tokens(phrase) if stem(word) in there and stem(word) not in told)
        runs.append(list(shared)[: max(0, _MOST_WORDS - len(told))])
        told |= {stem(word) for word in shared}
    listed = ", ".join(" ".join(truncate(word, _LONGEST_WORD) for word in run) for run in runs if run)
    if not listed:
        return []
    more = f" and {len(told) - _MOST_WORDS:,} more" if len(told) > _MOST_WORDS else ""
    return [f"{verb} your {'word' if len(told) == 1 else 'words'} {listed}{more}"]
