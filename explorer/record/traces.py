"""Traces on record: recording runs, listing, loading and replaying them (those cut off: see `recovery`)."""

from __future__ import annotations

import builtins
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import partial

from pyoxigraph import NamedNode, Quad, Triple

from explorer import entities as e
from explorer import rdf
from explorer.dag.outcome import are_removed, outcome_of, support_of
from explorer.display import Table
from explorer.errors import RecordError, WorkspaceError
from explorer.events import ANSWERED, NOT_FOUND, UNSURE, Done, Event, Pauses, Support
from explorer.prices import UNKNOWN
from explorer.reasoning.corrected_facts import passages_of, withdrawn
from explorer.record import evaluations
from explorer.record.finding import Sought
from explorer.record.history import Happened, history
from explorer.record.how_asked import differences
from explorer.record.keys import Key
from explorer.record.ledger import Ledger
from explorer.record.listing import FINALS, Listing, RunProgress, Summaries, TraceSummary, called
from explorer.record.node_lookup import about, citations_of, read
from explorer.record.notes import annotate, notes, put_tag
from explorer.record.person import activity, asked_by, askers, people
from explorer.record.recording import CutOff, Recording
from explorer.record.recovery import rebuild_listing
from explorer.record.replay import Replay, begun, citing, users
from explorer.record.run_deletion import Deletion, delete, gone, restore
from explorer.record.times import earliest, latest
from explorer.record.trace import Trace
from explorer.record.verdicts import Agreement, Judged, agreement, judge, verdicts
from explorer.stores.collection import Collection
from explorer.stores.left_out import read_by
from explorer.stores.reading_ahead import Lookups
from explorer.text import folded
from explorer.vocab import X, session_of, timestamp
from explorer.vocab import iri as made

ORDERS = ("newest", "oldest", "question", "outcome")
_LISTS = "`ws.traces.list()`, or `explorer traces` in a terminal, lists"
_OUTCOMES = (ANSWERED, UNSURE, NOT_FOUND, None)


class Traces:
    """The traces of one collection."""

    def __init__(self, stores: Collection, clock: Callable[[], datetime], key: Key | None = None) -> None:
        self.stores = stores
        self.clock = clock
        self.ledger = Ledger(stores, clock, key)
        self.cut_off: list[CutOff] = []  # runs whose end could not be written
        self.prices = UNKNOWN
        self._listing = Listing(stores.runs)

    def record(
        self,
        events: Iterator[Event],
        session: str,
        pauses: Pauses | None = None,
        by: str | None = None,
        clock: Callable[[], datetime] | None = None,
    ) -> Iterator[Event]:
        """Store each step of a run before passing it on; every run that is not cut off ends with one Done.

        A failure becomes a Failure node and Done(reason="error"). Closing the iterator records "stopped", and where.
        What the reader waits before asking for the next step is on record as `pauses`, and who asked as `by`. `clock`
        gives the times of a run that was earlier; it is sealed at the time of now.
        """
        now = self.clock if clock else None
        clock = clock or self.clock
        pauses, run = pauses or Pauses(clock), RunProgress(session)
        made = Recording(self.stores, self.ledger, clock, run, pauses, by, self.cut_off, now, self.prices)
        return made.events(events)

    def list(
        self,
        text: str | None = None,
        engine: str | None = None,
        since: str | None = None,
        limit: int = 50,
        *,
        until: str | None = None,
        model: str | None = None,
        problems: bool | None = None,
        evaluation: str | None = None,
        tag: str | None = None,
        by: str | None = None,
        order: str = "newest",
    ) -> builtins.list[TraceSummary]:
        """Return traces that ran on `engine` and hold `text`.

        It is looked for in question, answer, name, tags and note, in names and comments of reviewers, and in the facts
        and passages that a run kept or read, with their sources; a verdict is found by its whole words, as "not
        supported". `found` and `snippet` of each say where it stands.
        `since` and `until` are ISO 8601 dates or times, in UTC unless they name an offset; raises RecordError for
        anything else. `model` is the name of one, or "no model". `problems`: only those that failed, were stopped or
        cut off, or of which a step failed (True), or none of these (False). `tag`: only those with this tag. `by`:
        only those that this person asked. The runs of an evaluation are folded under one row with its IRI; `evaluation`
        is such an IRI, to list these runs.
        """
        if order not in ORDERS:
            raise RecordError(f"Runs are listed by {', '.join(ORDERS)}, not by {order!r}.")
        written, wanted = notes(self.stores), (text or "").casefold()
        judged = defaultdict[str, list[Judged]](list)
        for one in verdicts(self.stores):
            judged[one.run].append(one)
        said = [(run, part) for run, note in written.items() for part in (note.title, note.text, *note.tags)]
        said += [(one.run, part) for of_run in judged.values() for one in of_run for part in (one.by, one.comment)]
        said += [(run, one.verdict) for run, of_run in judged.items() for one in of_run if one.verdict == wanted]
        people_wrote = defaultdict[str, list[str]](list)
        for run, part in said:
            if part and wanted in part.casefold():
                people_wrote[run].append(part)
        sought = Sought.of(self.stores, wanted, people_wrote)
        among = None
        if tag is not None:
            among = {run for run, note in written.items() if tag.casefold() in map(str.casefold, note.tags)}
        if by:
            theirs = asked_by(self.stores.graph, by)
            among = theirs if among is None else among & theirs
        find = partial(
            self._listing.find, text=text, engine=engine, named=sought.runs, begin=earliest(since), end=latest(until),
            model=model, problems=problems,
        )  # fmt: skip
        first = partial(find, oldest=order == "oldest", limit=limit if order in ORDERS[:2] else None)
        of = evaluations.members(self.stores)
        if evaluation is None:
            members = of.keys() if among is None else of.keys() & among
            rows = evaluations.fold(self.stores, of, find(only=members) if members else ())
            ordered = [*first(only=among, apart=of.keys()), *rows]
            ordered.sort(key=lambda one: one.begun, reverse=order != "oldest")
        else:
            members = {run for run, node in of.items() if node == evaluation and (among is None or run in among)}
            ordered = first(only=members)
        graph = Lookups(self.stores.graph)
        if order == "question":
            ordered.sort(key=lambda one: folded(one.question))
        if order == "outcome":
            ordered = sorted(self._completed(ordered, graph), key=lambda one: _OUTCOMES.index(one.outcome))
        counted = ordered[:limit] if order == "outcome" else [*self._completed(ordered[:limit], graph)]
        differ = differences(graph, counted)
        nothing = e.Note(iri="")
        answers = self._listing.rows.answers(one.iri for one in counted) if wanted else {}
        places = {
            one.iri: sought.place(one.iri, one.question, answers.get(one.iri, ""))
            for one in counted if wanted and not one.runs
        }  # fmt: skip
        return Summaries(
            replace(
                one,
                name=note.title,
                tags=note.tags,
                note=note.text,
                differs=differ.get(one.iri, ()),
                found=places[one.iri][0] if one.iri in places else "",
                snippet=places[one.iri][1] if one.iri in places else None,
                reviewed=tuple(Counter(each.verdict for each in judged.get(one.iri, ())).items()),
                reviewers=tuple(dict.fromkeys(each.by for each in judged.get(one.iri, ()) if each.by)),
            )
            for one in counted
            for note in [written.get(one.iri, nothing)]
        )

    def people(self) -> builtins.list[str]:
        """Return who asked any run here, in the order of the alphabet."""
        return [*people(self.stores.graph)]

    def tags(self) -> builtins.list[str]:
        """Return all tags of runs here, in the order of the alphabet."""
        known = {tag.casefold(): tag for note in notes(self.stores).values() for tag in reversed(note.tags)}
        return [known[key] for key in sorted(known)]

    def annotate(
        self, iri: str, *, name: str | None = None, tags: Iterable[str] | None = None, note: str | None = None
    ) -> None:
        """Give a run a name, tags and a note, in place of those it had; what is not given stays, an empty one goes.

        They stand in the graph of annotations, beside the run, which stays as it was recorded. Names and tags have one
        line. Raises RecordError where there is no such run, or a text is too long; WorkspaceError when read-only.
        """
        self._check_writable()
        self.check_own(iri)
        annotate(self.stores, iri, timestamp(self.clock()), name=name, tags=tags, text=note)

    def tag(self, tag: str, *runs: Trace | str) -> None:
        """Give runs a tag beside those they have; raises RecordError and WorkspaceError as `annotate` does."""
        self._check_writable()
        named = [run.iri if isinstance(run, Trace) else run for run in runs]
        for run in named:
            self.check_own(run)
        put_tag(self.stores, named, timestamp(self.clock()), tag)

    def judge(
        self,
        target: Trace | str,
        verdict: str,
        *,
        sentence: int | None = None,
        comment: str = "",
        by: str | None = None,
    ) -> Judged:
        """Write what a person finds: `verdict` is "supported", "not supported", "unclear" or "irrelevant".

        It is on a sentence of the answer of a run (`sentence`, from 1), or on a node of one, by its IRI. `by` says who,
        by default EXPLORER_USER. It stands in the graph of annotations, as a W3C Web Annotation; one that the same
        person gives later takes its place, and both stay on record. Raises RecordError for another word or target;
        WorkspaceError when read-only.
        """
        self._check_writable()
        self.stores.refresh()
        moment = timestamp(self.clock())
        return judge(self.stores, target, verdict, moment, sentence=sentence, comment=comment, by=by)

    def verdicts(self, *runs: Trace | str, superseded: bool = False) -> Table[Judged]:
        """Return the verdicts on these runs, or on all, oldest first; with `superseded` those changed later too.

        Raises RecordError for what is no run of its own on record.
        """
        self.stores.refresh()
        named = [run.iri if isinstance(run, Trace) else run for run in runs]
        for run in named:
            self.check_own(run)
        return verdicts(self.stores, named or None, superseded=superseded)

    def agreement(self, *runs: Trace | str) -> Agreement:
        """Return how far reviewers agree on these runs, or on all: the share of equal verdicts, and Cohen's κ."""
        return agreement(self.verdicts(*runs))

    def history(self, run: Trace | str) -> Table[Happened]:
        """Return what happened to a run since it was asked, with when and by whom.

        It was sealed and judged; facts that it cites were corrected, sources removed. Raises RecordError where there is
        no such run.
        """
        self.stores.refresh()
        return history(self.stores, run if isinstance(run, Trace) else self.load(run))

    def delete(self, iri: str) -> Deletion:
        """Delete a run with its texts and what was written at it; its IRI, the time and a hash stay on record.

        The hash is that of its triples as N-Quads, the lines sorted. What is returned can restore it. Raises
        RecordError where there is no such run, while it goes on, and for one that is part of another; WorkspaceError
        when read-only.
        """
        self._check_writable()
        self.check_own(iri)
        with self.stores.database.noting:
            if any(one.reason is None for one in self._listing.among([iri])):
                raise RecordError(f"The run {iri} is still going on; stop it or wait for its end, then delete it.")
            done = delete(self.stores, iri, timestamp(self.clock()))
            self.ledger.settle()
        return done

    def restore(self, *deletions: Deletion) -> None:
        """Bring back runs that were deleted, with all that was written at them; raises RecordError where one is not."""
        self._check_writable()
        with self.stores.database.noting:
            for deletion in deletions:
                restore(self.stores, deletion, timestamp(self.clock()))
            rebuild_listing(self.stores)
            self.ledger.settle()

    def _check_writable(self) -> None:
        if self.stores.read_only:
            raise WorkspaceError(
                "This workspace is read-only, since another process writes to it or its folder can't be written. "
                "See to that, then open it again."
            )

    def check_own(self, iri: str) -> None:
        """Raise RecordError for what is not the Question of a run of its own."""
        question = self._question(iri)
        if question.derived_from:
            raise RecordError(
                f"The run {iri} is part of another, which `ws.node(iri).parents` leads to; take that one."
            )

    def using(self, *used: Triple | str) -> builtins.list[TraceSummary]:
        """Return the traces, newest first, that selected a fact or a chunk (its IRI), also in a search within them.

        Of several, those that selected any. Facts are equal by their terms: a literal in another language, or of
        another type, makes another fact. Raises RecordError for a text that is not an IRI.
        """
        self.stores.refresh()
        try:
            terms = [NamedNode(one) if isinstance(one, str) else one for one in used]
        except ValueError as error:
            message = f"A chunk is named by its IRI, and one of these is not an IRI: {used!r}; or give a fact."
            raise RecordError(message) from error
        known = users(self.stores, terms)
        found = self._completed(self._listing.among(known))
        return Summaries(sorted(found, key=lambda summary: summary.begun, reverse=True))

    def quoting(self, *used: Triple | str) -> builtins.list[TraceSummary]:
        """Return those of the traces that selected a fact or a chunk whose answers cite it, newest first."""
        return self.using_and_quoting(*used)[1]

    def using_and_quoting(self, *used: Triple | str) -> tuple[builtins.list[TraceSummary], builtins.list[TraceSummary]]:
        """Return what `using` returns, and those of them that `quoting` does."""
        found = self.using(*used)
        sessions = citing(self.stores, [NamedNode(one) if isinstance(one, str) else one for one in used])
        return found, Summaries(one for one in found if one.has_answer and session_of(one.iri) in sessions)

    def _completed(self, found: Iterable[TraceSummary], known: Lookups | None = None) -> Iterator[TraceSummary]:
        """Yield summaries with what the listing does not hold: what was left out, and the support; what it takes of the
        graph is read together.
        """
        graph, summaries = known or Lookups(self.stores.graph), list(found)
        graph.ahead(about(node) for one in summaries for node in (*_ends_of(one.iri), activity(one.iri).value))
        for one in summaries:
            by = ", ".join(askers(graph, one.iri)) or None
            support, outcome, since = self._came_out(graph, one)
            left = sum(quad.predicate in (X.without, X.withoutFact) for quad in graph.match(*about(one.iri)))
            yield replace(one, without=left, support=support, outcome=outcome, since=since, by=by)

    def _came_out(self, graph: Lookups, run: TraceSummary) -> tuple[Support | None, str | None, str]:
        """Return how well the evidence of a run bears its answer, as `standing_support` has it, its outcome, and what
        became of it since.
        """
        final = rdf.entity(_about(graph, _ends_of(run.iri)[1:]), e.Answer)
        support, outcome = support_of(final), NOT_FOUND if run.reason == "declined" else outcome_of(final)
        if final is None or outcome is None:
            return support, outcome, ""
        since = self._since(graph, run.iri, final, is_found=outcome != NOT_FOUND)
        stands = UNSURE if since and outcome != NOT_FOUND else outcome
        return support and support.standing(since), stands, since

    def _since(self, graph: Lookups, iri: str, answer: e.Answer, *, is_found: bool) -> str:
        """Return "corrected" where a fact that an answer cites was taken back, or words that it quotes, "undone" where
        it tells of a correction that was undone, "removed" where all that a sentence rests on went with its document,
        else nothing.
        """
        sources = self.stores.sources
        untrue = sources.retracted | sources.undone
        if not (untrue or sources.ever_said or sources.has_removed):
            return ""
        spans, cited = citations_of(graph, iri) if is_found else ([], {})
        question, text = read(graph, iri, e.Question), ""
        with suppress(RecordError):  # imported without its contents
            text = self.stores.library.text(answer.document or "")
        if untrue and (
            any(isinstance(one, e.EdgeSelection) and one.edge in untrue for one in cited.values())
            or withdrawn(spans, lambda key: passages_of(key, cited.get(key), sources), text,
                         question.query if question else "", sources)
        ):  # fmt: skip
            return "corrected"
        if sources.is_outdated(text):
            return "undone"
        at = begun(graph, iri)
        passages = ([p for key in span.cites for p in passages_of(key, cited.get(key), sources, at)] for span in spans)
        return "removed" if sources.has_removed and any(map(are_removed, passages)) else ""

    def named(self, short: str) -> str:
        """Return the IRI of the one run whose session begins or ends so, as "3f2a91c0", and an IRI as it is.

        Raises RecordError where no run is called so, or several are.
        """
        self.stores.refresh()
        found = called(short, self.stores.runs.iris())
        if found is None:
            raise RecordError(f"No run is called {short!r}; {_LISTS} those on record.")
        return found

    def among(self, iris: Iterable[str]) -> builtins.list[TraceSummary]:
        """Return those of some nodes that are traces, by IRI."""
        return Summaries(self._completed(self._listing.among(iris)))

    def models(self) -> builtins.list[str]:
        """Return the names of the models that reasoned in any trace here."""
        return self._listing.models()

    def load(self, iri: str) -> Trace:
        """Read a trace by the IRI of its Question; raises RecordError when there is none."""
        return Trace(self.replay(iri))

    def replay(self, iri: str) -> Iterator[Event]:
        """Return a stored trace's events: the same Explain events in the same order, whole texts, an equal Done.

        Raises RecordError when there is no such trace.
        """
        question = self._question(iri)
        events = Replay(read_by(self.stores, question), iri).events()
        return (replace(one, prices=self.prices) if isinstance(one, Done) else one for one in events)

    def _question(self, iri: str) -> e.Question:
        """Return the Question of a run; raises RecordError when there is none, or it was deleted."""
        self.stores.refresh()
        try:
            described = rdf.entities(self.stores.graph.match(*about(iri)))
        except ValueError:  # no IRI at all
            described = []
        match described:
            case [e.Question() as question, *_]:
                return question
            case [e.Deleted() as left, *_]:
                raise gone(left)
        raise RecordError(f"There is no trace {iri}; {_LISTS} those on record.")


def _ends_of(run: str) -> list[str]:
    return [run, *(made(kind, session_of(run)) for kind in FINALS)]


def _about(graph: Lookups, iris: Iterable[str]) -> Iterator[Quad]:
    return (quad for one in iris for quad in graph.match(*about(one)))
