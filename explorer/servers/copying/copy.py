"""A workspace copied to another place: all of it, or nothing that can be opened; what was cut off goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

from explorer.errors import WorkspaceError
from explorer.servers.copying.content import DiffersError, Stores, Tell, copied, first_lost, steps_of
from explorer.servers.copying.places import Filling, Goal, collections_in, filling, held
from explorer.servers.server_workspace import Served, held_open, served_name
from explorer.stores.collection import Collection
from explorer.stores.places import Begun, Content

_GOES_ON = "{} Nothing is lost, and the copy can't be opened yet; run the same again, and it goes on."

Sources = Mapping[str, tuple[Collection, Callable[[], None]]]
"""Collections by their names, each with what raises WorkspaceError where somebody could write to it after all."""


def copy_workspace(
    source: Path | Served, target: Path | Served, collection: str | None, begun: Begun
) -> dict[str, Content]:
    """Copy the collections of a workspace, or one, into another place; returns how much each holds, by name.

    Raises WorkspaceError.
    """
    names = [collection] if collection else collections_in(source)
    with (
        opened_for_copying(source, names) as sources,
        begun(sum(steps_of(stores) for stores, _ in sources.values())) as tell,
    ):
        return copy_collections(sources, source, target, tell)


@contextmanager
def opened_for_copying(place: Path | Served, names: Sequence[str]) -> Iterator[Sources]:
    """Open collections of a workspace, to which nobody can write until the block ends; raises WorkspaceError."""
    with ExitStack() as opened:
        sources = {name: opened.enter_context(held(place, name)) for name in names}
        yield sources


def copy_collections(sources: Sources, origin: Path | Served, target: Path | Served, tell: Tell) -> dict[str, Content]:
    """Copy collections of a workspace into another one, which nobody can open before all of them are whole.

    Returns how much each holds, by name. Raises WorkspaceError.
    """
    with filling(target, origin, [*sources]) as goal:
        return _filled(sources, goal, str(origin), tell)


def back_up_served(stores: Collection, target: Path, collection: str) -> None:
    """Copy an open collection on servers into a folder, a workspace of its own, while no other process has it open for
    writing, and this one waits. Raises WorkspaceError.
    """
    origin = served_name(stores)
    with held_open(stores) as check, filling(target, origin, [collection]) as goal:
        _filled({collection: (stores, check)}, goal, origin, lambda _, __: None)


def _filled(sources: Sources, goal: Goal, place: str, tell: Tell) -> dict[str, Content]:
    """Fill a workspace, and have it be one that can be opened."""
    targets = {} if goal.is_filled else {name: goal.fill(name) for name in sources}
    found, before = dict[str, Content](), 0
    with _goes_on():
        for name, target in targets.items():
            stores, _ = sources[name]
            found[name] = _copied(stores, target, name, place, partial(_tell_after, tell, before))
            before += steps_of(stores)
        for _, check in sources.values():
            check()
        goal.finish()
    return found


def _copied(stores: Stores, target: Filling, name: str, place: str, tell: Tell) -> Content:
    """Copy a collection; where what is there is something else, as that was changed since, it is copied anew."""
    try:
        return copied(stores, target, place, tell)
    except DiffersError:
        target.empty()
    try:
        return copied(stores, target, place, tell)
    except DiffersError as error:
        lost = first_lost(stores, target)
        raise WorkspaceError(f"The copy of {name} is not what was copied: {error}{lost}.") from error


def _tell_after(tell: Tell, before: int, done: int, what: str) -> None:
    tell(before + done, what)


@contextmanager
def _goes_on() -> Iterator[None]:
    """Say of what fails that it can be gone on with."""
    try:
        yield
    except WorkspaceError as error:
        raise WorkspaceError(_GOES_ON.format(error)) from error
