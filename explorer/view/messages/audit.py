"""What the audit of a run shows: its seal, what checking it finds, and the verdicts of reviewers."""

from __future__ import annotations

from typing import Literal, TypedDict

from explorer.view.messages.badge import Badge


class Judgement(TypedDict):
    """A verdict on the node `node` of the run: by whom, and when; nobody was named where `by` is empty. One that was
    changed later is marked by `before`, and follows what it was changed to.
    """

    node: str
    verdict: str
    comment: str
    by: str
    when: str
    before: bool


class Happening(TypedDict):
    """One thing that happened to a run, when, and who did it, where that is on record."""

    when: str
    what: str
    by: str


class Reviewed(TypedDict):
    """What reviewers found of a run on show, beside its answer; None for nothing."""

    t: Literal["reviewed"]
    run: str
    badge: Badge | None


class Audited(TypedDict):
    """The audit of the run on show: what `made` it, with its version; who asked (`by`); `seal` in words, whole in
    `anchor`, since when, and what its signature or the lack of one says (`signed`); how the answer `stands`, where that
    has changed; what was found; verdicts.

    `sender` says how a run that came in a bundle was sealed where it came from, `history` what happened to it since.
    """

    t: Literal["audited"]
    run: str
    made: str
    by: str
    seal: str
    anchor: str
    sealed: str
    signed: str
    sender: list[str]
    stands: str
    checked: list[str]
    sound: bool
    rows: list[Judgement]
    agreement: list[str]
    history: list[Happening]
