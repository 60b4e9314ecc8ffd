"""The extractor that asks a chat model: for the facts of a chunk, each with the sentence that states it."""

from __future__ import annotations

from dataclasses import dataclass
from threading import Event

from explorer.errors import DocumentError, ModelError
from explorer.events import Usage
from explorer.ingest.chunker import TextChunk
from explorer.ingest.extraction import prompts
from explorer.ingest.extraction.ontology import Ontology
from explorer.ingest.extraction.prompts import Passage
from explorer.ingest.extraction.replies import Facts, facts_in
from explorer.models.chat import ChatModel, CutShortError, Message, context_of
from explorer.reasoning.prompted.prompts import written
from explorer.reasoning.protocol import ModelCall
from explorer.reasoning.replies import json as loose_json
from explorer.reasoning.replies.parsing import unthought
from explorer.text import sound

_REPLY = 6  # characters of a reply for each of a passage, beyond which it is cut
_LEAST_REPLY = 3_000  # characters
NO_ITEMS = "it holds no list of items"


@dataclass(frozen=True, slots=True)
class Asked:
    """One call: what was asked and replied, and what kept the reply from being whole; empty for nothing."""

    call: ModelCall
    fault: str = ""
    is_error: bool = False  # the service failed, and there may be no reply at all

    @property
    def tokens(self) -> int:
        """What the call used, as reported, else as judged."""
        used = self.call.usage
        told = prompts.tokens(self.call.prompt) if used.in_token is None else used.in_token
        return told + (prompts.tokens(self.call.reply) if used.out_token is None else used.out_token)


@dataclass(frozen=True, slots=True)
class ModelExtractor:
    """Asks `chat`; with an `ontology` for what that has terms for alone.

    `parallel` requests run at a time. What all of them use in one ingest stays below `max_tokens`, as far as the
    service reports it. Raises DocumentError for what can't be meant.
    """

    chat: ChatModel
    ontology: Ontology | None = None
    parallel: int = 4
    max_tokens: int | None = None

    name = "model"
    version = prompts.VERSION

    def __post_init__(self) -> None:
        for named, value in (("parallel", self.parallel), ("max_tokens", self.max_tokens)):
            given: object = value  # by a caller's program
            if given is not None and (not isinstance(given, int) or isinstance(given, bool) or given < 1):
                raise DocumentError(f"{named} must be a whole number of at least 1, not {given!r}.")

    @property
    def key(self) -> str:
        """What tells it from other extractors: model, ontology."""
        of = f" {self.ontology.sha256[:16]}" if self.ontology else ""
        return f"{self.name} {self.chat.name}{of}"

    def prompt(self, passage: Passage, before: Asked | None = None) -> tuple[Message, ...]:
        """Return what is asked about a passage; again, where `before` could not be used."""
        asked = prompts.ask(passage, self.ontology)
        if before is None or before.is_error:
            return asked
        return prompts.repair(asked, before.call.reply, before.fault or NO_ITEMS)

    def need(self, chunk: TextChunk, asked: tuple[Message, ...]) -> int:
        """Judge how many tokens a call uses at most."""
        return prompts.written_tokens(asked) + prompts.tokens("x" * _longest_reply(chunk))

    def ask(self, chunk: TextChunk, asked: tuple[Message, ...], stopped: Event) -> Asked:
        """Ask about a chunk; what goes wrong is in the value. It ends once `stopped` is set."""
        least, room = prompts.written_tokens(asked) + prompts.tokens(chunk.text), context_of(self.chat)
        if least > room:
            fault = f"it takes {least:,} tokens with its reply, context is {room:,}: raise that, or lower chunk_size"
            return Asked(ModelCall(written(asked), "", Usage()), fault)
        received: list[str] = []
        usage, length, fault, is_error = Usage(), 0, "", False
        try:
            for piece in self.chat.complete(asked, schema=prompts.schema(self.ontology)):
                if stopped.is_set():
                    fault, is_error = "it was stopped", True
                    break
                if isinstance(piece, Usage):
                    usage = piece
                    continue
                received.append(sound(piece))
                length += len(piece)
                if length > _longest_reply(chunk):
                    fault = "it does not end"
                    break
            else:
                listed = loose_json.unfenced(unthought("".join(received)))  # whatever the service says of its end
                fault = "it ends in the middle" if loose_json.is_half(listed) else ""
        except CutShortError:
            fault = "it was cut off at the model's length limit"
        except ModelError as error:
            fault, is_error = str(error), True
        return Asked(ModelCall(written(asked), "".join(received), usage), fault, is_error)

    def facts(self, call: Asked, passage: Passage) -> Facts:
        """Read the facts of a reply."""
        return facts_in(call.call.reply, passage, self.ontology)


def _longest_reply(chunk: TextChunk) -> int:
    return max(_LEAST_REPLY, _REPLY * len(chunk.text))
