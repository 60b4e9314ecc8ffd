"""What must hold across the nodes of a run; each rule yields what does not."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise

from pyoxigraph import NamedNode, Quad

from explorer import entities as e
from explorer.engines.facts.graph_rag import BELOW
from explorer.entities import Kind, columns
from explorer.events import NOT_FOUND
from explorer.rdf.older import BY_IRI
from explorer.record.listing import STEPS
from explorer.record.trace import explored_facts
from explorer.record.verification.evidence import Evidence, Finding, is_of_runs
from explorer.vocab import PROV, RDF, RETRIEVAL, TG, X, milliseconds, moment, prefixed, recognise, session_of
from explorer.wording.scores import parts_of
from explorer.wording.ways import engine_of

_NAMED = (
    PROV.wasDerivedFrom, PROV.used, PROV.wasAssociatedWith, TG.selectedEdge, TG.selectedChunk, TG.thought,
    X.candidate, X.cites, X.citation, X.run,
)  # fmt: skip
_TERMS = frozenset(X)
_TERMINATED = {"error": ("error",), "stopped": ("cancelled", "error"), "interrupted": (None, "error")}
"""What a failure says, by how its run ended: one that failed may be stopped or cut off before its end is recorded."""
_QUESTION_AND_END = 2
_LEVELS = ("strong", "weak", "none")
_WITHIN_ROUNDING = 0.0006


def shaped(record: Evidence) -> Iterator[Finding]:
    """Each node has the fields of its class, in their form."""
    for result in record.shape_results:
        if result.severity == "violation":
            yield record.fault(result.node, result.message)


def known_terms(record: Evidence) -> Iterator[Finding]:
    """No term of the vocabulary is unknown, and nothing of the run stands in another graph."""
    for quad in record.quads:
        for term in (quad.predicate, quad.object):
            if isinstance(term, NamedNode) and term.value.startswith(X.base) and term not in _TERMS:
                yield record.fault(_name(quad), f"{prefixed(term.value)} is no term of the vocabulary")
        if quad.graph_name != RETRIEVAL and is_of_runs(_name(quad)):
            short = prefixed(quad.predicate.value) or quad.predicate.value
            yield record.fault(_name(quad), f"{short} stands in another graph than the run: {quad.graph_name}")


def named_as_it_is(record: Evidence) -> Iterator[Finding]:
    """A node is of the kind that its IRI says."""
    for one in record.nodes.values():
        named = recognise(one.iri)
        wanted = _KINDS.get(named.kind) if named else None
        if wanted and not isinstance(one, wanted):
            yield record.fault(one.iri, f"its IRI says {wanted.__name__}, its types {type(one).__name__}")


def readable(record: Evidence) -> Iterator[Finding]:
    """What is JSON can be parsed, and has the form that its field needs."""
    for one in record.nodes.values():
        told = {column.predicate for column in columns(type(one)) if column.kind in (Kind.JSON, Kind.LIST)}
        for triple in one.other:
            if triple.predicate in told:
                yield record.fault(one.iri, f"{prefixed(triple.predicate.value)} is not the JSON that it should be")
        arguments = one.arguments if isinstance(one, e.Analysis | e.StepResult) else None
        if arguments is not None and not _is_object(arguments):
            yield record.fault(one.iri, "tg:arguments is not a JSON object")


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def described(record: Evidence) -> Iterator[Finding]:
    """Everything that is named is there."""
    for quad in record.quads:
        if quad.predicate not in _NAMED or not isinstance(quad.object, NamedNode):
            continue
        named = quad.object.value
        if not (record.with_contents and record.is_own) and not session_of(named):
            continue  # sources are no part of the file, nor of a record that another program made
        if named in record.nodes or record.source(named) is not None:
            continue
        if any(record.stores.graph.match(quad.object)):
            continue  # a node of a run that this one was a part of, which may have its own record
        if record.went(named):
            yield Finding(_name(quad), f"{named} went with a source that was removed", is_removal=True)
        else:
            yield record.fault(_name(quad), f"{prefixed(quad.predicate.value)} names {named}, which is not on record")


def without_circles(record: Evidence) -> Iterator[Finding]:
    """Nothing derives from itself."""
    parents = {one.iri: [p for p in one.derived_from if p in record.nodes] for one in record.nodes.values()}
    try:
        TopologicalSorter(parents).prepare()
    except CycleError as error:
        yield record.fault(error.args[1][0], "it derives from itself, by a circle of prov:wasDerivedFrom")


def ended(record: Evidence) -> Iterator[Finding]:
    """A run has one End, as its last step, that fits what is there."""
    if not record.is_own:
        return
    for other in record.of(e.End):
        if session_of(other.iri) != session_of(record.run):
            yield record.fault(other.iri, "it ends another run")
    end = record.end
    if end is None:
        return  # it goes on
    failures = [one for one in record.of(e.Failure) if session_of(one.iri) == session_of(record.run)]
    if end.reason in ("done", "declined"):
        yield from _answered(record, end, failures)
    elif end.reason in _TERMINATED:
        yield from _cut_off(record, end, failures)
    else:
        yield record.fault(end.iri, f"a run does not end with {end.reason!r}")


def _answered(record: Evidence, end: e.End, failures: list[e.Failure]) -> Iterator[Finding]:
    finals = [one for one in record.of(e.Answer) if _is_final(record, one)]
    declined = any(one.termination_reason == "declined" for one in finals)
    if failures:
        yield record.fault(end.iri, f"it says {end.reason}, but a failure is on record: {failures[0].iri}")
    if not finals:
        yield record.fault(end.iri, f"it says {end.reason}, but no answer is on record")
    elif declined != (end.reason == "declined") and not isinstance(record.question, e.AgentQuestion):
        yield record.fault(end.iri, f"it says {end.reason}, the answer says {'declined' if declined else 'done'}")


def _cut_off(record: Evidence, end: e.End, failures: list[e.Failure]) -> Iterator[Finding]:
    for failure in failures:
        if failure.termination_reason not in _TERMINATED[end.reason or ""]:
            yield record.fault(failure.iri, f"it says {failure.termination_reason}, the end says {end.reason}")
    finals = [one for one in record.of(e.Answer) if _is_final(record, one)]  # of an agent whose every part has failed
    ran_out = any(one.termination_reason == "max-iterations" for one in record.of(e.Answer))
    ran_out |= any(one.termination_reason == "error" for one in finals)  # nothing was readable, or no part succeeded
    is_told = bool(failures) or (end.reason == "error" and bool(finals) and (ran_out or bool(record.of(e.Failure))))
    if not is_told and len(record.of(e.Step)) > _QUESTION_AND_END:
        yield record.fault(end.iri, f"it says {end.reason}, but not where")


def _is_final(record: Evidence, one: e.Answer) -> bool:
    own = session_of(one.iri) == session_of(record.run)
    return own and isinstance(one, e.Synthesis | e.Conclusion)


def in_order(record: Evidence) -> Iterator[Finding]:
    """Steps are numbered without gaps, and each comes after what it derives from, as do their times."""
    if not record.is_own:
        return
    steps = {one.iri: one.sequence for one in record.of(e.Step) if one.sequence is not None}
    numbers = Counter(steps.values())
    for key, number in steps.items():
        if numbers[number] > 1:
            yield record.fault(key, f"x:sequence is {number}, as of another step")
        for parent in record.nodes[key].above:
            if steps.get(parent, -1) > number:
                yield record.fault(key, f"it is numbered before what it derives from: {parent}")
    if steps and sorted(numbers) != list(range(len(numbers))):
        yield record.fault(record.run, "the steps are not numbered from 0 without a gap")
    for node, what in _timed(record):
        if record.stands:
            yield Finding(node, f"{what}: the clock was set back while it ran, or before it was ended", is_note=True)
        else:
            yield record.fault(node, what)


def _timed(record: Evidence) -> Iterator[tuple[str, str]]:
    question, end = record.question, record.end
    first = moment(question.started_at or "") if question else None
    last = moment(end.ended_at or "") if end else None
    if first is None or (end is not None and last is None):
        return  # the shapes say so
    if last is not None and last < first and not record.of(e.Failure):
        yield end.iri if end else record.run, "it ended before it began"
        return
    whole = milliseconds(question.started_at if question else None, end.ended_at if end else None)
    for step in record.of(e.Step):
        begun = moment(step.begun_at or "")
        if begun is not None and (begun < first or (last is not None and begun > last)):
            yield step.iri, "it began outside the time of its run"
        if whole is not None and (step.duration_ms or 0) > whole + 1_000:
            yield step.iri, "it took longer than its run"


def counted(record: Evidence) -> Iterator[Finding]:
    """What was looked at is as much as is counted, and no less than what was kept."""
    for stage in record.of(e.Exploration):
        named = len(stage.selected_chunks)
        if stage.chunk_count is not None and named and stage.chunk_count != named:
            yield record.fault(stage.iri, f"tg:chunkCount is {stage.chunk_count}, {named} are named")
        if stage.ordered is not None and {*stage.ordered} != {*stage.selected_chunks}:
            yield record.fault(stage.iri, "x:chunks and tg:selectedChunk name different passages")
        data = record.data(stage.explored) if stage.explored else None
        if data is not None and not record.removed(stage.explored or "") and stage.edge_count is not None:
            try:
                found = len(explored_facts(data))
            except SyntaxError:
                yield record.fault(stage.iri, "the list of facts that were looked at can't be read")
                continue
            if data.startswith(b"<") and found != stage.edge_count:
                yield record.fault(stage.iri, f"tg:edgeCount is {stage.edge_count}, the list has {found}")
    for grounding in record.of(e.Grounding):
        if grounding.ordered is not None and {*grounding.ordered} != {*grounding.concepts}:
            yield record.fault(grounding.iri, "x:concepts and tg:concept name different key ideas")


def chosen(record: Evidence) -> Iterator[Finding]:
    """A Focus selects what its Exploration found, and nothing that it says it did not keep."""
    selected = Counter(key for focus in record.of(e.Focus) for key in focus.selected)
    for focus in record.of(e.Focus):
        stage = next((one for key in focus.above if isinstance(one := record.nodes.get(key), e.Exploration)), None)
        if stage is None and record.is_own:
            yield record.fault(focus.iri, "it derives from no Exploration")
        kept = [one for key in focus.selected if (one := record.nodes.get(key)) is not None]
        edges = {one.edge for one in kept if isinstance(one, e.EdgeSelection)}
        if stage is not None and stage.edge_count is not None and len(edges) > stage.edge_count:
            yield record.fault(focus.iri, f"it selected {len(edges)} of {stage.edge_count} facts")
        for key in focus.candidates:
            candidate = record.nodes.get(key)
            if isinstance(candidate, e.Candidate) and candidate.edge is not None and candidate.edge in edges:
                yield record.fault(key, "the fact is both kept and not kept")
        if stage is not None and stage.of_chunks:
            for one in kept:
                if isinstance(one, e.ChunkSelection) and one.document not in stage.selected_chunks:
                    yield record.fault(one.iri, "its passage is none of those that were found")
        yield from _twice(record, focus, kept)
        yield from _of_explored(record, stage, kept)
        if record.has_links and {*focus.derived_from} - {*focus.above} != {*focus.selected}:
            yield record.fault(focus.iri, "what it derives from are not all its selections")
    for one in (*record.of(e.EdgeSelection), *record.of(e.ChunkSelection)):
        if selected[one.iri] != 1:
            yield record.fault(one.iri, "no step selected it" if not selected[one.iri] else "two steps selected it")


def _twice(record: Evidence, focus: e.Focus, kept: list[e.Entity]) -> Iterator[Finding]:
    passages = Counter(one.document for one in kept if isinstance(one, e.ChunkSelection))
    for passage, number in passages.items():
        if number > 1:
            yield record.fault(focus.iri, f"it selected the passage {passage} {number} times")


def _of_explored(record: Evidence, stage: e.Exploration | None, kept: list[e.Entity]) -> Iterator[Finding]:
    data = record.data(stage.explored) if stage is not None and stage.explored else None
    if data is None or not data.startswith(b"<"):
        return
    try:
        looked = {*explored_facts(data)}
    except SyntaxError:
        return
    for one in kept:
        if isinstance(one, e.EdgeSelection) and one.edge is not None and one.edge not in looked:
            yield record.fault(one.iri, "its fact is none of those that were looked at")


def scored(record: Evidence) -> Iterator[Finding]:
    """Scores are from 0 to 1 and the sum of their parts; candidates are ranked from the best on."""
    selections: list[e.EdgeSelection | e.ChunkSelection] = [*record.of(e.EdgeSelection), *record.of(e.ChunkSelection)]
    every: list[e.EdgeSelection | e.ChunkSelection | e.Candidate] = [*selections, *record.of(e.Candidate)]
    for one in every:
        if one.score is not None and not (math.isfinite(one.score) and 0 <= one.score <= 1):
            yield record.fault(one.iri, f"tg:score is {one.score}, not from 0 to 1")
    for selection in selections:
        if selection.score_parts and selection.score is not None and not parts_of(selection):
            yield record.fault(selection.iri, "the parts of its score do not add up to it")
    for focus in record.of(e.Focus):
        ranked = [found for key in focus.candidates if isinstance(found := record.nodes.get(key), e.Candidate)]
        ranks = sorted((found for found in ranked if found.rank is not None), key=lambda found: found.rank or 0)
        if len({found.rank for found in ranks}) != len(ranks):
            yield record.fault(focus.iri, "two of those not kept have one rank")
        for better, worse in pairwise(ranks):
            if (better.score or 0) + _WITHIN_ROUNDING < (worse.score or 0):
                yield record.fault(worse.iri, "its score is better than that of the rank before it")
        if record.is_own:
            yield from _by_score(record, focus, ranked)
    for answer in record.of(e.Answer):
        support = answer.support
        value = support.get("value") if support else None
        if support and not (isinstance(value, int | float) and 0 <= value <= 1 and support.get("level") in _LEVELS):
            yield record.fault(answer.iri, "x:support is no value from 0 to 1 with a level")


def _by_score(record: Evidence, focus: e.Focus, left: list[e.Candidate]) -> Iterator[Finding]:
    """Of the facts of a Focus all have a score or none has, and those that were kept are the best."""
    kept = [one for key in focus.selected_edges if isinstance(one := record.nodes.get(key), e.EdgeSelection)]
    every: list[e.EdgeSelection | e.Candidate] = [*kept, *left]
    told, untold = ([one for one in every if (one.score is not None) == has] for has in (True, False))
    for one in min(told, untold, key=len):
        yield record.fault(one.iri, f"it has {'no' if one.score is None else 'a'} score, unlike others of its Focus")
    best = max((one.score for one in kept if one.score is not None), default=1.0)
    for candidate in left:
        if candidate.not_selected == BELOW and (candidate.score or 0) > best + _WITHIN_ROUNDING:
            yield record.fault(candidate.iri, "its score is better than that of every fact that was kept")
        if candidate.rank is not None and candidate.rank <= len(kept):
            yield record.fault(
                candidate.iri, f"its rank is {candidate.rank}, and {len(kept)} facts were kept before it"
            )


def cited(record: Evidence) -> Iterator[Finding]:
    """Nothing cites what was not kept, and an answer names its citations."""
    kept = {key for focus in record.of(e.Focus) for key in focus.selected}
    kept |= {chunk for stage in record.of(e.Exploration) for chunk in stage.selected_chunks}
    reports = [*record.of(e.Observation), *record.of(e.StepResult), *record.of(e.Finding)]
    kept |= {one.iri for one in reports}
    kept |= {key for one in reports if isinstance(one, e.Observation | e.StepResult) for key in one.consulted}
    for citation in record.of(e.Citation):
        may_cite_none = citation.lexical_support == "none" or citation.outcome == NOT_FOUND  # by a model; of a part
        if not citation.cites and not may_cite_none:
            yield record.fault(citation.iri, "it cites nothing")
        for key in citation.cites:
            if key not in kept:
                yield record.fault(citation.iri, f"it cites {key}, which was not kept")
        start, end = citation.start, citation.end
        if start is not None and end is not None and not 0 <= start < end:
            yield record.fault(citation.iri, f"its span begins at {start} and ends at {end}")
    spans = Counter((session_of(one.iri), one.start, one.end) for one in record.of(e.Citation))
    for citation in record.of(e.Citation) if record.is_own else ():
        if spans[session_of(citation.iri), citation.start, citation.end] > 1:
            yield record.fault(citation.iri, "another citation has the same span of the answer")
    told = {_name(quad) for quad in record.quads}
    for answer in record.of(e.Answer) if record.has_links else ():
        if isinstance(answer, e.Synthesis | e.Conclusion) and answer.document not in told:
            yield record.fault(answer.iri, "its text is not on record")
        own = {one.iri for one in record.of(e.Citation) if session_of(one.iri) == session_of(answer.iri)}
        if isinstance(answer, e.Synthesis | e.Conclusion) and {*answer.citations} != own:
            yield record.fault(answer.iri, "x:citation does not name the citations that are on record")


def joined(record: Evidence) -> Iterator[Finding]:
    """Every node leads to the Question of its run, and the run to it, its engine and its model."""
    if not record.has_links:
        return
    agents = {key for run in record.of(e.RunActivity) for key in run.agents}
    for one in record.nodes.values():
        if one.iri == record.run or one.iri in agents:
            continue
        if isinstance(one, e.Recorded) and one.run != record.run:
            yield record.fault(one.iri, f"x:run leads to {one.run}, not to the run" if one.run else "x:run is missing")
        if isinstance(one, e.Question) and not one.above:
            yield record.fault(one.iri, "a run has one Question, and this one was asked by no step of it")
    if not record.of(e.RunActivity):
        yield record.fault(record.run, "the activity that it was is not on record")
        return
    question, [run, *others] = record.question, record.of(e.RunActivity)
    for other in others:
        yield record.fault(other.iri, "a run is one activity")
    if run.used != (record.run,):
        yield record.fault(run.iri, "prov:used is not the Question")
    named = {found.label for key in run.agents if isinstance(found := record.nodes.get(key), e.RunAgent)}
    if question is not None and named != {name for name in (question.engine, question.reasoner) if name}:
        yield record.fault(run.iri, "its engine or model is not the one that the Question names")
    if question is not None and run.started_at != question.started_at:
        yield record.fault(run.iri, "it began at another time than the Question says")


def listed(record: Evidence) -> Iterator[Finding]:
    """The list of runs says the same of a sealed run as its record, as far as its row is written."""
    question, end = record.question, record.end
    if record.seal is None or question is None or end is None or not record.is_own:
        return
    told = {
        "engine": engine_of(question), "reasoner": question.reasoner or "", "question": question.query,
        "started_at": question.started_at or "", "reason": end.reason, **_counts(record),
    }  # fmt: skip
    for row in record.stores.runs.among([record.run]):
        for name, recorded in told.items():
            said = getattr(row, name)
            if said not in (None, recorded):  # how it ended, and what became of it, is written last
                yield record.fault(record.run, f"the list of runs has {said!r} as its {name}, the record {recorded!r}")


def _counts(record: Evidence) -> dict[str, int | str | None]:
    """Return what the list says became of a run: how much it kept, how many steps failed, and an agent's pattern."""
    focuses = record.of(e.Focus)
    failed = {_name(quad) for quad in record.quads if quad.predicate == RDF.type and quad.object == TG.Error}
    patterns = [one.pattern for one in record.of(e.PatternDecision) if session_of(one.iri) == session_of(record.run)]
    return {
        "kept": sum(len(one.selected) for one in focuses) if focuses else None,
        "failed": sum(1 for node in failed if (named := recognise(node)) and named.kind in STEPS),
        "pattern": patterns[0] if patterns else None,
    }


def _name(quad: Quad) -> str:
    return quad.subject.value if isinstance(quad.subject, NamedNode) else str(quad.subject)


_KINDS: dict[str, type[e.Entity]] = {
    **{kind: cls for kind, cls in BY_IRI.items() if issubclass(cls, e.Recorded) and not issubclass(cls, e.Reflection)},
    "candidate": e.Candidate, "citation": e.Citation, "failure": e.Failure, "end": e.End, "run": e.RunActivity,
    "prompt": e.StoredContent, "reply": e.StoredContent,
}  # fmt: skip
RULES = (
    shaped, known_terms, named_as_it_is, readable, described, without_circles, ended, in_order, counted, chosen,
    scored, cited, joined, listed,
)  # fmt: skip
