"""The commands about runs on record: they are listed, shown, compared, judged, named, deleted, exported, imported."""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from explorer.cli.common import command, holding, opened, print_lines, reading, refuse, runnable
from explorer.cli.options import AsJson, At, Runs, app
from explorer.errors import RecordError
from explorer.models.chat import NO_MODEL
from explorer.text import count, one_line, truncate
from explorer.vocab import session_of
from explorer.wording.outcomes import word
from explorer.wording.ways import method

if TYPE_CHECKING:
    from explorer.record.foreign_records import Derivation
    from explorer.record.listing import TraceSummary
    from explorer.record.run_deletion import Deletion
    from explorer.workspace import Workspace

_OTHERS = 3  # records that are no runs and are named below the list
_SHORT = 8  # characters by which a run is named in a list


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which runs are listed: arguments of `Traces.list`."""

    text: Annotated[
        str | None, Option(help="Only runs with this text in question, answer, fact, source, name, tag or note.")
    ] = None
    engine: Annotated[str | None, Option(help="Only runs of this engine.")] = None
    model: Annotated[str | None, Option(help="Only runs that this model reasoned in, or “no model”.")] = None
    since: Annotated[str | None, Option(help="Only runs started at or after this ISO time.")] = None
    until: Annotated[str | None, Option(help="Only runs started by this ISO time or date (included).")] = None
    problems: Annotated[
        bool | None,
        Option(help="Only runs that failed, were stopped or cut off, or had a failed step; or none of these."),
    ] = None
    evaluation: Annotated[
        str | None, Option(help="Only the runs of this evaluation (IRI), which are folded otherwise.")
    ] = None
    tag: Annotated[str | None, Option(help="Only runs with this tag.")] = None
    by: Annotated[str | None, Option(help="Only runs that this person asked.")] = None
    limit: Annotated[int, Option(min=1, help="At most this many.")] = 50


@app.command()
def traces(at: At, wanted: Wanted) -> None:
    """List runs, newest first."""
    found: list[TraceSummary] = []
    others: list[Derivation] = []
    for ws in reading(at):
        found += ws.traces.list(**asdict(wanted))
        others += ws.imported()
    newest_first = sorted(found, key=lambda run: run.begun, reverse=True)
    if newest_first or not others:
        print_lines(listing_lines(newest_first[: wanted.limit]))
    if others:
        shown = "; ".join(f"{one_line(one.label)} ({one.counts}): {one.iri}" for one in others[:_OTHERS])
        more = f"; and {len(others) - _OTHERS:,} more" if len(others) > _OTHERS else ""
        print_lines([f"Imported, and no run: {shown}{more}. `{command('explorer show IRI')}` prints its derivation."])


def listing_lines(summaries: Sequence[TraceSummary]) -> Iterator[str]:
    """Yield for each trace its question, as wide as the terminal, and below it how it came out and was asked."""
    if not summaries:
        yield runnable('No runs on record yet; ask something with `explorer ask "…"`.')
    widest = shutil.get_terminal_size().columns if sys.stdout.isatty() else sys.maxsize
    for run in summaries:
        told = (
            word(run.outcome, run.since) or run.reason or "running",
            run.without and f"without {run.without}",
            run.failed and count(run.failed, "failed step"),
            count(run.runs, "run") if run.runs else method(run.engine, run.pattern),
            run.model if run.model != NO_MODEL else "",
            run.started_at[:16].replace("T", " "),
            run.iri if run.runs else session_of(run.iri)[:_SHORT] or run.iri,
            run.by and f"by {run.by}", run.review, run.name, ", ".join(run.tags),
        )  # fmt: skip
        yield truncate(one_line(run.question), widest)
        yield f"  {' · '.join(one_line(one) for one in told if one)}"


@app.command()
def show(iri: str, at: At) -> None:
    """Show a run stage by stage, or any node."""
    from pyoxigraph import Triple

    from explorer.cli import lines
    from explorer.entities import ChunkSelection, EdgeSelection, Question
    from explorer.events import Explain

    with holding(iri, at) as (ws, run):
        found = ws.node(run)
        if isinstance(found.entity, Question):
            trace = ws.traces.load(run)
            for event in trace.events:
                print_lines(lines.step_lines(event) if isinstance(event, Explain) else ())
            print_lines(["", *lines.answer_lines(trace), *lines.sentence_lines(trace)])
            print_lines(["", f"End: {trace.reason}", *lines.usage_lines(trace)])
            print_lines([*lines.seal_lines(ws.ledger, run), *lines.people_lines(ws, run)])
            return
        with suppress(RecordError):
            print_lines(ws.derivation(run).lines())
            return
        values = (value if isinstance(value, tuple) else (value,) for value in vars(found.entity).values())
        edges = [one for those in values for one in those if isinstance(one, Triple)]
        print_lines(lines.node_lines(found, ws.sources.labels(edges)))
        if isinstance(found.entity, EdgeSelection | ChunkSelection):
            passages = ws.passages(found.entity)
        else:
            passages = [*(ws.sources.passage(run) or ws.sources.chunk(run))]
        for passage in passages:
            print_lines([f"  Source: {passage.place}", f"    “{passage.text}”"])
        print_lines(f"  {line}" for line in lines.resource_lines(passages))


@app.command()
def influence(
    iri: str,
    at: At,
    over: Annotated[str, Option(help="What to leave out in turn: facts, passages or documents.")] = "facts",
    budget: Annotated[int, Option(min=2, help="At most so many runs.")] = 60,
) -> None:
    """Test which sources an answer depends on.

    The question is asked again without each fact, passage or document.
    """
    with holding(iri, at) as (ws, run):
        print_lines(ws.influence(run, over, budget=budget).lines())


@app.command()
def compare(a: str, b: str, at: At) -> None:
    """Show two runs side by side."""
    with holding(a, at) as (one, first), holding(b, at) as (other, second):
        print_lines(one.compare(one.traces.load(first), other.traces.load(second)).lines())


@app.command()
def annotate(
    iri: str,
    at: At,
    name: Annotated[str | None, Option(help="Its name; an empty one removes it.")] = None,
    tag: Annotated[
        list[str] | None,
        Option(help="A tag; can be repeated. These replace the ones it had; an empty one removes them all."),
    ] = None,
    note: Annotated[str | None, Option(help="What there is to say about it; an empty one removes it.")] = None,
) -> None:
    """Give a run a name, tags and a note.

    The record of the run stays as it is.
    """
    with holding(iri, at) as (ws, run):
        ws.traces.annotate(run, name=name, tags=tag, note=note)
    print_lines(["Written."])


@app.command()
def delete(
    iris: Runs,
    at: At,
    yes: Annotated[bool, Option("--yes", help="Delete without asking.")] = False,
    keep: Annotated[
        Path | None,
        Option(metavar="FILE", help="Add to this file what `explorer restore FILE` needs to bring them back."),
    ] = None,
) -> None:
    """Delete runs.

    Their IRIs, the time and a hash of each record stay.
    """
    refused = []
    for iri in iris:
        with holding(iri, at) as (ws, run):
            restore = command(shlex.join(["explorer", "restore", str(keep)]))
            back = f"`{restore}` brings it back." if keep else "It can't be brought back."
            try:
                asked = "" if yes else one_line(ws.traces.load(run).question)
                if yes or typer.confirm(f"Delete the run “{truncate(asked, 80)}”? {back}"):
                    done = ws.traces.delete(run) if keep is None else _delete_and_keep(ws, run, keep)
                    print_lines([f"Deleted; the hash of its record is {done.sha256}.", *([back] if keep else [])])
            except RecordError as error:
                refused.append(str(error))
    refuse(refused)


def _delete_and_keep(ws: Workspace, run: str, keep: Path) -> Deletion:
    """Delete a run and add it to a file; where that can't be written the run stays."""
    with keep.open("a", encoding="utf-8") as file:
        done = ws.traces.delete(run)
        try:
            file.write(f"{done.to_json()}\n")
            file.flush()
        except OSError:
            ws.traces.restore(done)
            raise
    return done


@app.command()
def export(
    iri: str,
    at: At,
    form: Annotated[
        str, Option("--format", help="trig, nq, turtle, nt, rdfxml, json-ld, prov-json, prov-n, otlp or otlp-protobuf.")
    ] = "trig",
    compat: Annotated[
        str | None,
        Option("--compat", help="“trustgraph”: what its own tools know and need, and no more."),
    ] = None,
    version: Annotated[
        str,
        Option("--rdf", help="Triple terms as in RDF 1.2, as statement nodes (1.1), or as in RDF-star (star)."),
    ] = "1.2",
    closed: Annotated[
        bool, Option("--closed", help="With answer, prompts, passages, pages, documents and labels.")
    ] = False,
) -> None:
    """Print the triples of a run, or its spans."""
    with holding(iri, at) as (ws, run):
        if form in ("otlp", "otlp-protobuf"):
            sys.stdout.buffer.write(ws.export_spans(run, protobuf=form != "otlp"))
            return
        sys.stdout.buffer.write(ws.export(run, form, compat=compat, rdf=version, closed=closed))


@app.command()
def bundle(
    iris: Runs,
    output: Annotated[Path, Option("-o", "--output", help="The archive to write (.zip).")],
    at: At,
    originals: Annotated[
        bool, Option("--originals/--no-originals", help="With the documents, or with passages and pages alone.")
    ] = True,
) -> None:
    """Write runs into an archive that others can check."""
    from explorer.record.bundles.checking import fingerprint
    from explorer.record.bundles.writing import README

    with holding(iris[0], at) as (ws, _):
        ws.bundle(*map(ws.traces.named, iris), path=output, originals=originals)
    told = f"Fingerprint: {fingerprint(output)}. Send it to the recipient separately."
    _, *hints = README.splitlines()
    print_lines([f"Written: {output}", told, *hints])


@app.command("import")
def import_record(
    path: Annotated[Path, Argument(help="A file of triples, a recorded session (.jsonl), spans, or a bundle (.zip).")],
    at: At,
    form: Annotated[str | None, Option("--format", help="nq, trig, json-ld, wire …; guessed by default.")] = None,
    signed_by: Annotated[
        str | None, Option(help="The public key, as digits or its .pub file, that a bundle must be signed by.")
    ] = None,
) -> None:
    """Import triples, a session, a bundle, or another tool's spans."""
    with opened(at, make=True) as ws:
        done = ws.import_record(path, form, signed_by=signed_by)
    print_lines(map(runnable, done.notes))
    print_lines([f"Read {done.read:,} of {done.given:,}; {count(len(done.traces), 'run')} among them.", *done.traces])
    if done.unindexed:
        found_after = f"questions find them after `{command('explorer reindex')}`."
        print_lines([f"{count(done.unindexed, 'fact')} among them: {found_after}"])
    refuse(done.refused)


@app.command()
def report(
    iris: Runs,
    output: Annotated[Path, Option("-o", "--output", metavar="FILE", help="What to write: .html, .md or .csv.")],
    at: At,
) -> None:
    """Write runs as HTML, Markdown or CSV.

    The page needs nothing else; the CSV has what each sentence rests on.
    """
    with holding(iris[0], at) as (ws, _):
        text = ws.report(*map(ws.traces.named, iris), format=output.suffix.removeprefix(".").lower())
    output.write_text(text, encoding="utf-8")
    print_lines([f"Written: {output}"])


@app.command()
def judge(
    target: Annotated[str, Argument(metavar="IRI", help="A run, or a node of one.")],
    verdict: Annotated[str, Argument(help="supported, not-supported, unclear or irrelevant.")],
    at: At,
    sentence: Annotated[int | None, Option(min=1, help="Of a run, the sentence of its answer, from 1.")] = None,
    comment: Annotated[str, Option(help="What there is to say to it.")] = "",
    by: Annotated[
        str | None, Option("--by", envvar="EXPLORER_USER", help="Who judges; by default nobody is named.")
    ] = None,
) -> None:
    """Judge a sentence of an answer, or a node.

    The record of the run stays as it is.
    """
    with holding(target, at) as (ws, run):
        made = ws.traces.judge(run, verdict, sentence=sentence, comment=comment, by=by)
    print_lines([f"{made.verdict}: {made.quote}"])


@app.command()
def verdicts(
    at: At,
    runs: Annotated[list[str] | None, Argument(metavar="[IRI...]", help="The runs; by default all.")] = None,
    superseded: Annotated[bool, Option("--superseded", help="Also those that were changed later.")] = False,
    agreement: Annotated[bool, Option("--agreement", help="How far the reviewers agree, instead.")] = False,
    as_json: AsJson = False,
) -> None:
    """List verdicts of reviewers, oldest first."""
    from explorer.cli.json import json_text

    with opened(at) as ws:
        if agreement:
            found = ws.traces.agreement(*map(ws.traces.named, runs or ()))
            told = asdict(found) | {"raw": found.raw, "kappa": found.kappa}
            print_lines([json_text(told)] if as_json else found.lines())
            return
        judged = ws.traces.verdicts(*map(ws.traces.named, runs or ()), superseded=superseded)
        print_lines([json_text([asdict(one) for one in judged])] if as_json else judged.lines())
