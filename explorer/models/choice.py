"""The model of a run: the workspace's own, none at all, or another behind its address; and which there are."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace

from explorer.errors import ModelError, QuestionError
from explorer.models.chat import NO_MODEL, ChatModel, OpenAIChat, offered
from explorer.models.endpoint import AS_USUAL, NO_KEY, Bounds, Endpoint, endpoint
from explorer.models.local import found_models

_PATIENCE = 3.0  # seconds for an address to list its models


@dataclass(frozen=True, slots=True)
class Models:
    """The models there are to choose from, the workspace's own first; `trouble`: why the address named none."""

    names: tuple[str, ...]
    trouble: str | None = None


def model_for(
    model: str | None, own: ChatModel | None, base_url: str | None, bounds: Bounds = AS_USUAL
) -> ChatModel | None:
    """Return the model of one run: None names the workspace's `own`, "no model" or an empty text none at all.

    A name that ends in "at localhost:PORT", as found servers are listed, is one there; any other name is one behind the
    workspace's address. Raises QuestionError for what is no name, and ModelError when
    there is no address and no key to ask with.
    """
    if model is None:
        return own
    name = _checked(model)
    return None if name in ("", NO_MODEL) else _behind(name, own, base_url, bounds)


def model_at(
    model: str,
    own: ChatModel | None,
    base_url: str | None,
    bounds: Bounds = AS_USUAL,
    *,
    address: str | None,
    key: str | None,
) -> ChatModel:
    """Return a model at an address of its own, with its own key; without either, behind the workspace's address.

    An address of its own gets no other key than `key`, and stands in no message. Raises QuestionError for what is no
    name, and ModelError for what can't be asked.
    """
    name = _checked(model)
    if name in ("", NO_MODEL):
        raise QuestionError("Give the name of the model, as its service has it.")
    if address and address.strip():
        return OpenAIChat(name, address, key or NO_KEY, private=True, **asdict(bounds))
    if key:
        where = own.endpoint.base_url if isinstance(own, OpenAIChat) else base_url
        return OpenAIChat(name, where, key, **asdict(bounds))
    return _behind(name, own, base_url, bounds)


def _behind(name: str, own: ChatModel | None, base_url: str | None, bounds: Bounds) -> ChatModel:
    if own is not None and name == own.name:
        return own
    if (here := OpenAIChat.found_here(name, bounds)) is not None:
        return here
    return own.named(name) if isinstance(own, OpenAIChat) else OpenAIChat(name, base_url, **asdict(bounds))


def _checked(model: object) -> str:
    """Return the name of a model as a caller's program gave it; raises QuestionError for what is none."""
    if not isinstance(model, str):
        raise QuestionError(f"model must be the name of a model or {NO_MODEL!r}, not {model!r}.")
    name = model.strip()
    if not name.isprintable():
        raise QuestionError(f"The model {name!r} has characters that no model name has; copy it again.")
    return name


def known_models(
    own: ChatModel | None, base_url: str | None, connected: Iterable[str] = (), *, here: bool = True
) -> Models:
    """Return the models to choose from: `own`, those `connected`, those its address offers, those on this machine.

    An address elsewhere is asked only where a model is configured, one on this machine always. Servers on this machine
    are looked for at their usual ports, each time this is called with `here`.
    """
    names, trouble = [own.name, *connected] if own else [*connected], None
    try:
        where = _address(own, base_url)
        names += offered(where) if where else []
    except ModelError as error:
        trouble = str(error)
    return Models(tuple(dict.fromkeys([*names, *(found_models() if here else ())])), trouble)


def _address(own: ChatModel | None, base_url: str | None) -> Endpoint | None:
    """Return the address to ask for models, or None. Raises ModelError for an address that can't be right."""
    if isinstance(own, OpenAIChat):
        return replace(own.endpoint, timeout=_PATIENCE, attempts=1)
    if own is not None or not (base_url or os.environ.get("OPENAI_BASE_URL")):
        return None
    where = endpoint(NO_MODEL, base_url, None, timeout=_PATIENCE, attempts=1, pause=0.0)
    return where if where.is_here else None
