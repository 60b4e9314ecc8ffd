"""What a run is asked again without: facts, passages and documents that were left out in the app."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from explorer import entities as e
from explorer.dag.passage_names import passage_name
from explorer.dag.sentences import quoted, sentences
from explorer.errors import QuestionError
from explorer.stores.left_out import named
from explorer.text import truncate
from explorer.wording.graph_words import NodeWords
from explorer.wording.names import Names
from explorer.wording.phrases import listed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pyoxigraph import Triple

    from explorer.dag import ProvenanceDag
    from explorer.dag.nodes import Node
    from explorer.events import Passage
    from explorer.view.messages.what_if import LeftOutItem
    from explorer.widgets.bar.ask import AskBar
    from explorer.widgets.shown_runs import OnShow
    from explorer.workspace import Workspace

KINDS = ("EdgeSelection", "ChunkSelection", "Passage", "Document")  # of node, whose content can be left out
_LONGEST = 90


class Went(NamedTuple):
    """A fact that goes with what is left out, in words too."""

    fact: Triple
    text: str


class Left(NamedTuple):
    """Something that is left out: what it is to the engines, its noun and its words, and the facts that go with it.

    `quoted` says which sentences of the answer quote words that go with it; empty where none does.
    """

    what: Triple | str
    noun: Literal["fact", "passage", "document"]
    text: str
    also: tuple[Went, ...] = ()
    quoted: str = ""


class LeavingOut:
    """What is left out, each once, in the order in which it was."""

    def __init__(self, ws: Workspace, bar: AskBar, on_show: OnShow) -> None:
        """Leave out nothing of a workspace; the bar shows what is left out."""
        self._ws = ws
        self._bar = bar
        self._on_show = on_show
        self._left: dict[str, Left] = {}

    @property
    def without(self) -> list[Triple | str]:
        """What is left out, as `Workspace.ask` takes it, with what goes with facts: so the record names all."""
        left = self._left.values()
        went = [more.fact for one in left if one.noun == "fact" for more in one.also]
        return list(dict.fromkeys([*(one.what for one in left), *went]))

    @property
    def asked(self) -> dict[str, Any]:
        """The same as an argument of `Workspace.ask`; none where nothing is left out."""
        return {"without": self.without} if self._left else {}

    def leave(self, run: str, iri: str) -> None:
        """Leave out what a node of a run on show shows; raises QuestionError for what can't be, or is not here."""
        with self._on_show.lock:
            if (showing := self._on_show.named(run)) is not None:
                self._leave(showing.dag, iri)
        self.show()

    def _leave(self, dag: ProvenanceDag, iri: str) -> None:
        node = next((one for kind in KINDS for one in dag.nodes(kind) if one.iri == iri), None)
        left = None if node is None else _left(NodeWords(dag), node)
        if left is None:
            raise QuestionError("Only a fact, a passage or a document can be left out; select one.")
        try:
            named(self._ws.stores, [left.what])
        except QuestionError as error:
            raise QuestionError(
                f"This {left.noun} is not in {self._ws.name}, so it can't be left out. "
                "The run was made elsewhere, or its documents are gone."
            ) from error
        self._left[str(left.what)] = left._replace(also=goes_with(dag, node), quoted=_quoted(dag, node, left.noun))

    def leave_document(self, iri: str) -> None:
        """Leave out a document of the workspace; raises QuestionError for one that is not there."""
        named(self._ws.stores, [iri])
        document = self._ws.stores.library.document(iri)
        self._left[iri] = Left(iri, "document", document.title if document and document.title else iri)
        self.show()

    def put_back(self, key: str | None) -> None:
        """Put back what has this key, or all."""
        if key is None:
            self._left.clear()
        else:
            self._left.pop(key, None)
        self.show()

    def asked_once(self) -> None:
        """Put all back that was left out to ask once, unless it is to be left out of further questions too."""
        if not self._bar.further:
            self.put_back(None)

    def show(self) -> None:
        """Show in the bar what is left out."""
        with self._on_show.lock:
            self._bar.leave(self._items())

    def _items(self) -> list[LeftOutItem]:
        """Return what is left out for the page, each with the nodes on show that show it."""
        if not self._left:
            return []
        nodes: dict[str, list[str]] = {}
        for dag in self._on_show.dags:
            names = NodeWords(dag)
            for node in (one for kind in KINDS for one in dag.nodes(kind)):
                if (left := _left(names, node)) is not None and str(left.what) in self._left:
                    nodes.setdefault(str(left.what), []).append(node.iri)
        return [
            {"key": key, "noun": one.noun, "text": one.text, "nodes": nodes.get(key, []),
             "also": [more.text for more in one.also], "quoted": one.quoted}
            for key, one in self._left.items()
        ]  # fmt: skip


def _left(names: Names, node: Node) -> Left | None:
    passage = next(iter(node.passages), None)
    match node.entity:
        case e.EdgeSelection(edge=edge) if edge is not None:
            return Left(edge, "fact", truncate(names.sentence(edge), _LONGEST))
        case e.ChunkSelection(document=chunk) if chunk is not None:
            return Left(chunk, "passage", _words(names.dag, node) or chunk)
    if node.kind == "Passage" and passage is not None:
        return Left(passage.subgraph or passage.chunk, "passage", _words(names.dag, node))
    if node.kind == "Document":
        return Left(passage.document if passage else node.iri, "document", names.name(node))
    return None


def goes_with(dag: ProvenanceDag, node: Node | None) -> tuple[Went, ...]:
    """Return the other facts that were kept and go with a fact or passage, as they rest on no other words."""
    if node is None or node.kind not in ("EdgeSelection", "Passage"):
        return ()
    own = node.entity.edge if isinstance(node.entity, e.EdgeSelection) else None
    going = {(one.document, one.start, one.end) for one in node.passages}
    names = NodeWords(dag)
    facts = ((one.entity, one.passages) for one in dag.nodes("EdgeSelection"))
    return tuple(
        Went(fact.edge, truncate(names.sentence(fact.edge), _LONGEST))
        for fact, found in facts
        if isinstance(fact, e.EdgeSelection) and fact.edge is not None and fact.edge != own and found
        if all((one.document, one.start, one.end) in going for one in found)
    )


def _quoted(dag: ProvenanceDag, node: Node | None, noun: str) -> str:
    final = dag.final.entity if dag.final else None
    if node is None or not isinstance(final, e.Answer):
        return ""
    going = [(one.document, 0, inf) if noun == "document" else (one.document, one.start, one.end)
             for one in node.passages]  # fmt: skip
    told = [at for at, said in enumerate(sentences(dag, final), 1) if any(map(_within(going), _quotes(dag, said)))]
    if not told:
        return ""
    which = f"Sentence {told[0]} quotes" if len(told) == 1 else f"Sentences {listed(list(map(str, told)))} quote"
    return f"{which} it." if noun == "document" else f"{which} these words: they are left out too."


def _quotes(dag: ProvenanceDag, said: Node) -> list[Passage]:
    cited = said.entity
    if not isinstance(cited, e.Citation):
        return []
    known = (dag.node(iri) for iri in cited.cites if "node" in dag.graph.nodes.get(iri, {}))
    return [words for node in known for passage in node.passages[:1] for words in quoted(dag, cited, passage)]


def _within(going: Iterable[tuple[str, int, float]]) -> Callable[[Passage], bool]:
    spans = list(going)
    return lambda one: any(
        document == one.document and start < one.end and one.start < end for document, start, end in spans
    )


def _words(dag: ProvenanceDag, node: Node) -> str:
    passage = next(iter(node.passages), None)
    return "" if passage is None else f"{passage_name(dag, passage, _LONGEST)} {passage.reference}"
