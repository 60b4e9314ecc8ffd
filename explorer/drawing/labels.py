"""What a node says to a person, in one to three short lines.

The first line of a step is the record's own term, the second says it plainly, so that people learn the words as they
read. Used by the graph, its list twin, the saved picture and the terminal alike.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from explorer import entities as e
from explorer.drawing.endings import ENDINGS, of_failure
from explorer.drawing.kinds import kind, term
from explorer.drawing.ways import pattern_word, search_word, tool
from explorer.rdf.labels import edge_labels
from explorer.text import count, opening, truncate
from explorer.vocab import recognise, session_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from explorer.dag import ProvenanceDag
    from explorer.dag.nodes import Node
    from explorer.events import Passage

Styled = list[tuple[str, str]]
LEXICAL = {"found": "words found in the source", "near": "source is near", "none": "no source"}
_FROM_ONE = ("analysis", "thought", "observation")  # whose IRIs count so
_LONGEST = 300  # letters: more never fit into a label
_CUTS = {"Concept": 32, "Document": 30, "Section": 22}  # letters that a label has room for
_FITS = 20  # letters beside each other in the box of a step


class Counts(NamedTuple):
    """How many facts or passages a search selected, and of how many; None where that is not on record."""

    selected: int
    explored: int | None
    noun: str


def counts(dag: ProvenanceDag, focus: e.Focus | None = None) -> Counts:
    """Return the counts of one search, or of the newest in the graph."""
    stages, focuses = dag.nodes("Exploration")[-1:], dag.nodes("Focus")[-1:]
    newest = next((node.entity for node in stages if isinstance(node.entity, e.Exploration)), None)
    noun = "passage" if newest is not None and newest.of_chunks else "fact"
    if focus is None:
        last = next((node.entity for node in focuses if isinstance(node.entity, e.Focus)), None)
        return Counts(len(last.selected) if last else 0, newest.count if newest else None, noun)
    stage = dag.exploration(focus)
    if stage is None:
        return Counts(len(focus.selected), None, noun)
    return Counts(len(focus.selected), stage.count, "passage" if stage.of_chunks else "fact")


def lines(dag: ProvenanceDag, node: Node) -> tuple[str, ...]:
    """Return the lines of a node: of a step its class as the record says it, then what it holds."""
    match node.kind:
        case "Concept":
            return (truncate(node.text, _CUTS["Concept"]),)
        case "NotKept":
            focus = dag.entities.get(node.iri.partition("#")[0])
            stage = dag.exploration(focus) if isinstance(focus, e.Focus) else None
            return (kind("NotKept").word, count(node.count, "passage" if stage and stage.of_chunks else "fact"))
        case "EdgeSelection" | "ChunkSelection":
            return _selection(dag, node)
        case "Goal":
            return (goal_name(node), node.text)
        case "Run":
            return (kind("Run").word, search_word(node.entity), node.text)
        case "Folded":
            return (kind("Folded").word, node.text)
        case "Rest":
            return (node.text,)
        case "Sentence":
            return (f"{node.iri.rpartition('-')[2]} “{truncate(node.text, _LONGEST)}”",)
    if node.entity is None:
        return _source(node.kind, node.passages[0])
    if isinstance(node.entity, e.Failure):
        return (of_failure(node.entity).word.capitalize(), node.entity.error or "no reason recorded")
    return (node.kind, _search_line(dag, node.entity) or _agent_line(node.entity) or node.entity.label or node.iri)


def goal_name(goal: Node) -> str:
    """Return the name of what stands for a step of a plan or a part of a question: "Step 1", "Part 2"."""
    step, _, fragment = goal.iri.partition("#goal-")
    named = recognise(step)
    return f"{'Step' if named and named.kind == 'plan' else 'Part'} {fragment}"


def _search_line(dag: ProvenanceDag, entity: e.Entity) -> str | None:
    match entity:
        case e.Question():
            return entity.query
        case e.Grounding():
            return count(len(entity.ordered or entity.concepts), "key idea")
        case e.Exploration():
            return f"{count(entity.count, 'passage' if entity.of_chunks else 'fact')} looked at"
        case e.Focus():
            return _selected(dag, entity)
        case e.Synthesis() | e.Conclusion() if entity.termination_reason == "declined":
            return "declined: not in your documents"
        case e.Synthesis() | e.Conclusion():
            session = session_of(entity.iri)
            spans = [one for one in dag.citations if not session or session_of(one.iri) == session]
            cited = [one for one in spans if one.cites]
            return f"answer, {count(len(cited), 'sentence')}" if cited else "answer"
        case _:
            return None


def _agent_line(entity: e.Entity) -> str | None:
    match entity:
        case e.PatternDecision():
            return pattern_word(entity.pattern) or None
        case e.Plan():
            return count(len(entity.ordered or entity.steps), "step")
        case e.Decomposition():
            return count(len(entity.ordered or entity.goals), "part")
        case e.Analysis():
            number = "" if entity.step_number is None else f"step {entity.step_number}: "
            return f"{number}calls {entity.action}" if entity.action else f"{number}thinks"
        case e.Observation() | e.Finding() | e.StepResult() if entity.error is not None:
            return f"failed: {entity.error}"
        case e.Finding() | e.StepResult():
            return entity.goal
        case e.Thought():
            return "what it thought before this step"
        case e.Observation():
            return "what came back"
        case _:
            return None


def _selected(dag: ProvenanceDag, focus: e.Focus) -> str:
    stage, number = dag.exploration(focus), len(focus.selected)
    if focus.selected_edges and focus.selected_chunks:
        facts, passages = count(len(focus.selected_edges), "fact"), count(len(focus.selected_chunks), "passage")
        return f"{facts}, {passages} kept"
    noun = "passage" if focus.selected_chunks or (stage is not None and stage.of_chunks) else "fact"
    if stage is None or stage.count is None:
        return f"{count(number, noun)} kept"
    line = f"{number:,} of {count(stage.count, noun)} kept"
    return line if len(line) <= _FITS else f"{number:,} of {stage.count:,} kept"


def _selection(dag: ProvenanceDag, node: Node) -> tuple[str, ...]:
    named = recognise(node.iri)
    number = f"{named.index + 1} " if named and named.index is not None else ""
    match node.entity:
        case e.EdgeSelection(edge=None):
            return (f"{number}fact", "no edge recorded")
        case e.EdgeSelection(edge=edge) if edge is not None:
            subject, predicate, obj = edge_labels(edge, dag.labels)
            return (f"{number}{subject}", f"— {predicate} → {obj}")
        case e.ChunkSelection(score=score):
            match_line = "a passage kept" if score is None else f"a passage kept, match {score:.2f}"
            if not node.passages:
                return (node.kind, match_line)
            passage = node.passages[0]
            where = f", p. {passage.page}" if passage.page is not None else ""
            return (f"{number}{truncate(passage.title, 26)}{where}", match_line)
    return (node.kind,)


def _source(kind: str, passage: Passage) -> tuple[str, ...]:
    """Return the lines of a passage, of the page or section it stands on, or of its document."""
    if kind == "Passage":
        return (f"“{opening(passage.text, 24)}”", _where(passage))
    if kind == "Document":
        return (truncate(passage.title, _CUTS["Document"]),)
    section = truncate(passage.section or "section", _CUTS["Section"])
    return (f"p. {passage.page}" if passage.page is not None else section,)


def _where(passage: Passage) -> str:
    """Return page and document of a passage, the page first: what is cut is the title."""
    page = f"p. {passage.page} · " if passage.page is not None else ""
    return f"{page}{truncate(passage.title, 26)}"


def brief(dag: ProvenanceDag, node: Node, told: Sequence[Node]) -> Styled:
    """Return the styled lines of a node beside an answer of these sentences: the plain word, and how much it holds.

    A passage that is cited begins with the words that are quoted from it.
    """
    word = kind(node.kind).word
    match node.entity:
        case e.Question() as asked:
            return [("k", lines(dag, node)[0]), ("n", asked.query)]
        case e.Grounding() as step:
            return [("b", word), ("s", f"{len(step.ordered or step.concepts):,} · {term(node.kind)}")]
        case e.Exploration() as step:
            counted = "" if step.count is None else f"{step.count:,} · "
            return [("b", word), ("s", f"{counted}{term(node.kind)}")]
        case e.Focus() as step:
            found = counts(dag, step)
            of = (
                ""
                if found.explored is None or (step.selected_edges and step.selected_chunks)
                else f" of {found.explored:,}"
            )
            return [("b", word), ("s", f"{found.selected:,}{of} · {term(node.kind)}")]
        case e.Synthesis() as answer:
            if answer.termination_reason == "declined":
                return [("b", word), ("s", f"{ENDINGS['declined'].word} · {term(node.kind)}")]
            return [("b", word), ("s", f"{len(told):,} · {term(node.kind)}" if told else term(node.kind))]
    if node.kind in ("ChunkSelection", "Passage") and node.passages:
        own = lines(dag, node)[0].split(" ")[0] if node.kind == "ChunkSelection" else ""
        words = f"{own} “{opening(_quoted(node, told), 60)}”".strip()
        return [("b" if own else "n", words), ("s", _where(node.passages[0]))]
    return styled(dag, node)


def _quoted(chosen: Node, told: Sequence[Node]) -> str:
    """Return the text of a passage from the first words on that an answer quotes from it."""
    text = chosen.passages[0].text
    cites = (one.entity for one in told if isinstance(one.entity, e.Citation))
    starts = (cited.source_start for cited in cites if cited.cites[:1] == (chosen.iri,))
    start = next((start for start in starts if start is not None and 0 <= start < len(text)), 0)
    return text[start:]


def styled(dag: ProvenanceDag, node: Node) -> Styled:
    """Return the lines of a label with their styles: k kind, b bold, n normal, s small; each + is one more line."""
    if (of_agent := agent_lines(dag, node)) is not None:
        return of_agent
    made = list(zip(kind(node.kind).styles, lines(dag, node), strict=False))
    if node.kind == "NotKept":
        made[-1] = ("n", f"{made[-1][1]} – see why")
    return made


def progress(dag: ProvenanceDag, within: Node) -> str | None:
    """Return what the newest node of a folded run says of how far it is; None for one that says nothing of it."""
    match within.entity:
        case e.Exploration() | e.Focus():
            return lines(dag, within)[-1]
        case e.Analysis() as step:
            return f"{count(step.step_number or 1, 'step')} taken"
        case e.Failure() as failure:
            return of_failure(failure).word
        case e.Synthesis() | e.Conclusion() as answer if answer.termination_reason == "declined":
            return ENDINGS["declined"].word
        case _:
            return None


def numbered(node: Node) -> str:
    """Return the record's term for an agent's node with its number, counted from 1: "Analysis 2", "Finding 1"."""
    named = recognise(node.iri)
    number = named.index if named else None
    if number is None:
        return term(node.kind)
    return f"{term(node.kind)} {number + (0 if named and named.kind in _FROM_ONE else 1)}"


def words(dag: ProvenanceDag, iri: str) -> str:
    """Return the beginning of a node's own text, on one line."""
    return " ".join(dag.text(iri)[:_LONGEST].split())


def agent_lines(dag: ProvenanceDag, node: Node) -> Styled | None:
    """Return the lines of an agent's node with their styles, see `styled`; None for any other node."""
    if node.kind == "Sentence":
        return None
    own = lines(dag, node)
    head = ("k", node.kind if node.kind == "PatternDecision" else numbered(node))
    match node.entity:
        case e.Observation() | e.StepResult() | e.Finding() as result if result.error is not None:
            return [("k", f"{head[1]} failed"), ("n++", result.error or "The reason was not recorded.")]
        case e.Observation() | e.StepResult() | e.Finding():
            return [head, ("n++", words(dag, node.iri) or wordless(node))]
        case e.Reflection():
            return [head, ("n++", words(dag, node.iri) or wordless(node))]
        case e.Analysis() as step:
            return [head, ("b", tool(step.action)), ("s+", called_with(step))]
        case e.PatternDecision() | e.Plan() | e.Decomposition() | e.Conclusion():
            return [head, ("b", own[-1])]
        case e.AgentQuestion() if node.kind == "Question":
            return [("k", own[0]), ("n++", own[-1])]
        case e.Question() if node.kind == "Run":
            return [("k", own[0]), ("b", own[1]), ("s", own[2])]
    return [("k", own[0]), ("n++", own[1])] if node.kind == "Goal" else None


def wordless(node: Node) -> str:
    """Return what stands for the words of a step without any: it has none, or they are not on record here."""
    recorded = isinstance(node.entity, e.Answer | e.Reflection) and node.entity.document
    return "Its words are not on record here." if recorded else "Nothing came back."


def called_with(step: e.Analysis) -> str:
    """Return what a tool was called with, the values alone."""
    written = step.arguments or ""
    try:
        read = json.loads(written or "{}")
        values = read.values() if isinstance(read, dict) else [read]
        text = ", ".join(value if isinstance(value, str) else json.dumps(value) for value in values)
    except (ValueError, RecursionError):  # not JSON, or nested beyond all reason: as it stands
        return " ".join(written[:_LONGEST].split())
    return " ".join(text[:_LONGEST].encode("utf-8", "replace").decode().split()) or "no arguments"


def has_failed(node: Node) -> bool:
    """Return whether a step's result is a failure."""
    return isinstance(node.entity, e.Observation | e.StepResult | e.Finding) and node.entity.error is not None
