"""The model of a run: the workspace's own, none at all, or another behind its address; and which there are."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace

from explorer.errors import ModelError, QuestionError
from explorer.models.chat import NO_MODEL, ChatModel, OpenAIChat, offered
from explorer.models.endpoint import Endpoint, endpoint
from explorer.models.local import found_models

_PATIENCE = 3.0  # seconds for an address to list its models


@dataclass(frozen=True, slots=True)
class Models:
    """The models there are to choose from, the workspace's own first; `trouble`: why the address named none."""

    names: tuple[str, ...]
    trouble: str | None = None


def model_for(model: str | None, own: ChatModel | None, base_url: str | None) -> ChatModel | None:
    """Return the model of one run: None names the workspace's `own`, "no model" or an empty text none at all.

    A name that ends in "at localhost:PORT", as found servers are listed, is one there; any other name is one behind the
    workspace's address. Raises QuestionError for what is no name, and ModelError when
    there is no address and no key to ask with.
    """
    if model is None:
        return own
    given: object = model  # whatever the caller's program gave
    if not isinstance(given, str):
        raise QuestionError(f"model must be the name of a model or {NO_MODEL!r}, not {given!r}.")
    name = given.strip()
    if name in ("", NO_MODEL):
        return None
    if not name.isprintable():
        raise QuestionError(f"The model {name!r} has characters that no model name has; copy it again.")
    if own is not None and name == own.name:
        return own
    if (here := OpenAIChat.found_here(name)) is not None:
        return here
    return own.named(name) if isinstance(own, OpenAIChat) else OpenAIChat(name, base_url)


def known_models(own: ChatModel | None, base_url: str | None, past: Sequence[str], *, here: bool = True) -> Models:
    """Return the models to choose from: `own`, those its address offers, those found on this machine, those of `past`.

    An address elsewhere is asked only where a model is configured, one on this machine always. Servers on this machine
    are looked for at their usual ports, each time this is called with `here`.
    """
    names, trouble = [own.name] if own else [], None
    try:
        where = _address(own, base_url)
        names += offered(where) if where else []
    except ModelError as error:
        trouble = str(error)
    return Models(tuple(dict.fromkeys([*names, *(found_models() if here else ()), *past])), trouble)


def _address(own: ChatModel | None, base_url: str | None) -> Endpoint | None:
    """Return the address to ask for models, or None. Raises ModelError for an address that can't be right."""
    if isinstance(own, OpenAIChat):
        return replace(own.endpoint, timeout=_PATIENCE, attempts=1)
    if own is not None or not (base_url or os.environ.get("OPENAI_BASE_URL")):
        return None
    where = endpoint(NO_MODEL, base_url, None, timeout=_PATIENCE, attempts=1, pause=0.0)
    return where if where.is_here else None
