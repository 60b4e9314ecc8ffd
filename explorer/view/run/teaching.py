"""Lessons: two sentences on what a stage that has just ended was for, with this run's numbers, and why (`why.py`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer import entities as e
from explorer.dag.sentences import sentences
from explorer.engines.agent.router import GIVEN
from explorer.record.differences import NOTHING, left_out
from explorer.text import count, truncate, without_markup
from explorer.view.run.why import figures, why
from explorer.view.words.authors import names_reasoner
from explorer.view.words.names import is_of_passages
from explorer.view.words.phrases import listed
from explorer.vocab import session_of
from explorer.wording.endings import ENDINGS, of_failure
from explorer.wording.kinds import kind
from explorer.wording.lines import has_failed, lines, numbered, words
from explorer.wording.tally import tally
from explorer.wording.ways import PATTERNS, search_word, tool

if TYPE_CHECKING:
    from explorer.dag import ProvenanceDag
    from explorer.dag.nodes import Node
    from explorer.view.messages.run import Teaching

    Sentences = tuple[str, str]

_LISTED = 6  # ideas named in a sentence
_LONGEST = 120  # characters of what came back


def teaching(dag: ProvenanceDag, node: Node, *, inside: bool = False) -> Teaching | None:
    """Explain a stage that has ended: two sentences on what it did, and why it came out so.

    None for a node that ends no stage; `inside` says that it belongs to a run within the run.
    """
    sentences = _of_search(dag, node) or _of_agent(dag, node)
    if not sentences:
        return None
    looks = kind(node.kind)
    return {
        "kind": node.kind, "word": looks.word, "term": looks.term, "text": " ".join(sentences),
        "why": why(dag, node), "figures": figures(dag, node), "node": node.iri, "inside": inside,
    }  # fmt: skip


def _of_search(dag: ProvenanceDag, node: Node) -> Sentences | None:
    match node.entity:
        case e.Question() as asked if asked.derived_from:
            word = search_word(asked).lower()
            article = "An" if word.startswith(("a", "e", "i", "o")) else "A"
            return f"{article} {word} begins: “{truncate(asked.query, 90)}”.", "Its steps are folded into one node."
        case e.Question() as asked:
            by = f"The model {asked.reasoner} works on it." if asked.reasoner else "Who works on it is not on record."
            if (asked.reasoner or "").startswith("extractive"):
                by = "No language model is used: the answer is found by rules and quoted."
            left = left_out(asked)
            without = "" if left == NOTHING else f" It is asked without {left}."
            return f"The question is on record, with the time and all settings.{without}", by
        case e.Grounding() as step:
            return _grounding(list(step.ordered or step.concepts), _noun(dag, node))
        case e.Exploration() as step:
            return _exploration(step, _noun(dag, node))
        case e.Focus() as step:
            return _focus(dag, step, _noun(dag, node))
        case e.Synthesis() | e.Conclusion() as step:
            return _answer(dag, step)
    return None


def _grounding(ideas: list[str], noun: str) -> Sentences:
    if not ideas:
        return "No key idea was found in the question.", "So there is nothing to look for, and the run ends here."
    named = [f"“{truncate(idea, 40)}”" for idea in ideas[:_LISTED]] + (["others"] if len(ideas) > _LISTED else [])
    means = f"Next, {noun}s with the same words or a similar meaning are looked up."
    return f"{count(len(ideas), 'key idea')} from the question: {listed(named)}.", means


def _exploration(step: e.Exploration, noun: str) -> Sentences:
    if noun == "passage":
        did = f"{count(step.chunk_count, noun)} came near to the key ideas."
        return did, "Looking at many costs little; which of them answer the question is decided next."
    looked = f"{count(step.edge_count, noun)} {'was' if step.edge_count == 1 else 'were'} looked at."
    if step.entities:
        begins = f"{count(len(step.entities), 'thing')} that {'matches' if len(step.entities) == 1 else 'match'}"
        looked = f"Starting from {begins} the key ideas, {looked}"
    return looked[:1].upper() + looked[1:], (
        "The nearest are compared with the question next, and only the best are kept."
    )


def _focus(dag: ProvenanceDag, step: e.Focus, noun: str) -> Sentences:
    if not step.selected:
        return (
            f"Not one {noun} was kept.",
            "Nothing came near enough to the question, so there is nothing to answer from.",
        )
    told = "Each leads to the words it came from; “Read” has all the others."
    return (
        f"{kind('Focus').word}: {tally(dag, step)}.",
        told if noun == "fact" else "The answer is made from these alone.",
    )


def _answer(dag: ProvenanceDag, step: e.Synthesis | e.Conclusion) -> Sentences:
    if step.termination_reason == "declined":
        return "What was found does not answer the question, and the record says so.", (
            "Declining is a result too: nothing was made up."
        )
    ruled = "The answer was put together by rules, without a language model,"
    by = ruled if names_reasoner(dag) else "The answer was written"
    by = f"A model, {step.model}, wrote the answer" if step.model else by
    own = session_of(step.iri)
    number = sum(
        isinstance(one, e.Citation) and bool(one.cites) and session_of(one.iri) == own for one in dag.entities.values()
    )
    told = max(number, len(sentences(dag, step)))
    all_of = "Both" if told == 2 else f"All {told}"
    every = "Its one sentence cites its source." if told == 1 else f"{all_of} sentences cite their sources."
    some = f"{number} of {told} sentences {'cites its source' if number == 1 else 'cite their sources'}."
    rest = (every if number == told else some) if number else "No sentence of it cites a source."
    return f"{by} from what was kept and nothing else.", rest


def _of_agent(dag: ProvenanceDag, node: Node) -> Sentences | None:
    match node.entity:
        case e.PatternDecision(pattern=pattern) as step:
            how = PATTERNS[pattern].about if pattern in PATTERNS else pattern or "in a way that is not recorded"
            by = "Whoever asked" if step.rule == GIVEN else "A rule" if step.rule else "The model"
            return f"{by} chose how to work: {how}.", "The choice is on record before anything else is done."
        case e.Analysis() as step:
            did = f"In this step the agent chose a tool: {tool(step.action)}."
            return did, "The reason is on the left of the row, what the tool found on the right."
        case e.Plan() as step:
            steps = count(len(step.ordered or step.steps), "step")
            return f"The question was split into {steps}.", "Each has a row, with its result on the right."
        case e.Decomposition() as step:
            parts = count(len(step.ordered or step.goals), "part")
            means = "An agent works on each, as if it were the only question."
            return f"The question was split into {parts}.", means
        case e.Observation() | e.StepResult() | e.Finding() if has_failed(node):
            reason = truncate(lines(dag, node)[-1], 90)
            return f"{numbered(node)} failed: {reason}.", "The failure is on record; the run goes on."
        case e.Observation() | e.StepResult() | e.Finding():
            came = truncate(without_markup(words(dag, node.iri)), _LONGEST)
            said = f": “{came.rstrip('.')}”" if came else ", without words"
            means = "What the answer takes from it can be followed through it to the documents."
            return f"{numbered(node)} came back{said}.", means
        case e.Failure() as step:
            said = f" {step.error.rstrip('.')}." if step.error and of_failure(step) is ENDINGS["error"] else ""
            return f"{of_failure(step).about}{said}", "All that came before is on record."
    return None


def _noun(dag: ProvenanceDag, node: Node) -> str:
    return "passage" if is_of_passages(dag, session_of(node.iri)) else "fact"
