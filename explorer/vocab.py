"""The vocabulary of the record: namespaces as closed sets, named graphs, and every IRI pattern.

Vocabulary and IRIs follow TrustGraph 2.11.1; `X` is this project's own extension, which other readers ignore.
A misspelt term raises at once. IRIs are made and recognised here and nowhere else.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from itertools import accumulate
from urllib.parse import quote, unquote

from pyoxigraph import DefaultGraph, NamedNode

DEFAULT_ENGINE = "graph-rag"
"""The engine that answers where none is named."""


class Namespace:
    """A closed set of terms below one IRI; attribute access returns the term or raises AttributeError."""

    def __init__(self, base: str, names: str) -> None:
        self.base = base
        self._terms = {name: NamedNode(base + name) for name in names.split()}
        self.__dict__.update(self._terms)  # found without a call: terms are looked up by the thousand

    def __getattr__(self, name: str) -> NamedNode:
        try:
            return self._terms[name]
        except KeyError:
            message = f"{name!r} is not a term of <{self.base}>"
            raise AttributeError(message) from None

    def __iter__(self) -> Iterator[NamedNode]:
        return iter(self._terms.values())

    def __contains__(self, term: object) -> bool:
        return term in self._terms.values()


TG = Namespace(
    "https://trustgraph.ai/ns/",
    # classes
    "Question GraphRagQuestion DocRagQuestion AgentQuestion Grounding Exploration Focus EdgeSelection "
    "ChunkSelection Synthesis Answer PatternDecision Analysis ToolUse Thought Reflection Observation "
    "Conclusion Decomposition Plan Finding StepResult Error Document Page Section Chunk Image Subgraph "
    # predicates of queries
    "query concept entity edgeCount chunkCount selectedChunk selectedEdge edge reasoning score document "
    "inToken outToken llmModel pattern taskType action arguments thought toolCandidate stepNumber "
    "llmDurationMs toolDurationMs toolError terminationReason subagentGoal planStep "
    "observation thoughtDocument observationDocument answer content "
    # predicates of extraction
    "contains reifies pageNumber chunkIndex charOffset charLength mimeType elementTypes tableCount imageCount "
    "pageCount chunkSize chunkOverlap componentVersion ontology embeddingModel "
    "sourceText sourceCharOffset sourceCharLength",
)
PROV = Namespace(
    "http://www.w3.org/ns/prov#",
    "Entity Activity Agent SoftwareAgent Person wasDerivedFrom wasGeneratedBy wasAssociatedWith used "
    "startedAtTime endedAtTime generatedAtTime invalidatedAtTime wasRevisionOf",
)
OA = Namespace(
    "http://www.w3.org/ns/oa#",
    "Annotation hasTarget hasBody hasPurpose hasSource hasSelector motivatedBy assessing commenting "
    "TextualBody SpecificResource TextQuoteSelector TextPositionSelector exact start end",
)
DC = Namespace("http://purl.org/dc/elements/1.1/", "title source date creator language")
RDF = Namespace(
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#", "type JSON reifies Statement subject predicate object value"
)
SKOS = Namespace("http://www.w3.org/2004/02/skos/core#", "definition")
RDFS = Namespace("http://www.w3.org/2000/01/rdf-schema#", "label")
X = Namespace(
    "urn:provenance-explorer:ns:",
    "End Candidate Citation "
    "concepts chunks planSteps subagentGoals sequence engine parameters reasoner embedder prompt reply durationMs rule "
    "reason candidate read "
    "edge rank notSelected start end cites sha256 confidence "
    "calls tool arguments detailLevel consulted transformation leaked support scoreParts sourceStart sourceEnd "
    "Influence Rating without withoutFact variesRun influenceOn over method reruns rating item fact change verdict "
    "Evaluation member "
    "within joined byPronoun byPartOfName byAbbreviation byTitle byDescription byLongerName byKind byDocument "
    "scoredBy check checked lexicalSupport notInSource explored pausedMs Note Deleted tag note "
    "Curation act alias instead Run Content run citation startedAt databaseRole Verdict "
    "text title mediaType fileName missing previous textSha256 askedWith callError outcome supportCut scope quotes "
    "scores left given aligned saidBy agreement cost",
)

PASSAGE = "application/vnd.provenance-explorer.passage+json"
"""The type of a document that is one passage of a corpus."""
STORE = "application/vnd.provenance-explorer.store+n-quads"
"""The type of a document that is what a triple store held when it was last read."""

FACTS = DefaultGraph()
SOURCE = NamedNode("urn:graph:source")
RETRIEVAL = NamedNode("urn:graph:retrieval")
ANNOTATION = NamedNode("urn:graph:annotation")
CONTENTS = NamedNode("urn:graph:contents")
"""Of a closed export alone: contents as literals, which an import puts into the library."""

Graph = NamedNode | DefaultGraph

XSD_STRING = "http://www.w3.org/2001/XMLSchema#string"
BASE64 = NamedNode("http://www.w3.org/2001/XMLSchema#base64Binary")

_KNOWN = {  # of which the last part tells too little; the second is how some write it
    "http://www.w3.org/2002/07/owl#sameAs": "is the same as", "http://www.w3.org/2002/07/owlsameAs": "is the same as",
}  # fmt: skip
_IN_ONE = re.compile(r"[a-z]{2,}(?:[A-Z]+[a-z]*)+")  # words written as one: birthPlace
_INNER_CAPITAL = re.compile(r"(?<=[a-z])[A-Z](?:([A-Z]+)(?![a-z]))?|(?<=[A-Z])[A-Z](?=[a-z])()")

ENTITY_BASE = "http://trustgraph.ai/e/"

PREFIXES = {
    "dc": DC.base,
    "e": ENTITY_BASE,
    "prov": PROV.base,
    "rdf": RDF.base,
    "rdfs": RDFS.base,
    "tg": TG.base,
    "x": X.base,
}

_PATTERNS = {
    "question": "urn:trustgraph:question:{S}",
    "grounding": "urn:trustgraph:prov:grounding:{S}",
    "exploration": "urn:trustgraph:prov:exploration:{S}",
    "focus": "urn:trustgraph:prov:focus:{S}",
    "edge": "urn:trustgraph:prov:edge:{S}:{i}",
    "candidate": "urn:trustgraph:prov:candidate:{S}:{i}",
    "synthesis": "urn:trustgraph:prov:synthesis:{S}",
    "chunk-selection": "urn:trustgraph:prov:chunk:{S}:{i}",
    "docrag-question": "urn:trustgraph:docrag:{S}",
    "docrag-grounding": "urn:trustgraph:docrag:{S}/grounding",
    "docrag-exploration": "urn:trustgraph:docrag:{S}/exploration",
    "docrag-focus": "urn:trustgraph:docrag:{S}/focus",
    "docrag-synthesis": "urn:trustgraph:docrag:{S}/synthesis",
    "docrag-answer": "urn:trustgraph:docrag:{S}/answer",
    "agent-question": "urn:trustgraph:agent:{S}",
    "pattern-decision": "urn:trustgraph:agent:{S}/pattern-decision",
    "analysis": "urn:trustgraph:agent:{S}/i{i}",
    "thought": "urn:trustgraph:agent:{S}/i{i}/thought",
    "observation": "urn:trustgraph:agent:{S}/i{i}/observation",
    "conclusion": "urn:trustgraph:agent:{S}/final",
    "agent-answer": "urn:trustgraph:agent:{S}/answer",
    "decomposition": "urn:trustgraph:agent:{S}/decompose",
    "finding": "urn:trustgraph:agent:{S}/finding/{i}",
    "finding-content": "urn:trustgraph:agent:{S}/finding/{i}/doc",
    "plan": "urn:trustgraph:agent:{S}/plan",
    "step-result": "urn:trustgraph:agent:{S}/step/{i}",
    "step-content": "urn:trustgraph:agent:{S}/step/{i}/doc",
    "agent-synthesis": "urn:trustgraph:agent:{S}/synthesis",
    "agent-synthesis-content": "urn:trustgraph:agent:{S}/synthesis/doc",
    "answer": "urn:trustgraph:synthesis:{S}",
    "citation": "urn:trustgraph:prov:citation:{S}:{i}",
    "failure": "urn:trustgraph:prov:failure:{S}",
    "end": "urn:trustgraph:prov:end:{S}",
    "run": "urn:trustgraph:prov:run:{S}",
    "influence": "urn:trustgraph:prov:influence:{S}",
    "rating": "urn:trustgraph:prov:rating:{S}:{i}",
    "evaluation": "urn:trustgraph:prov:evaluation:{S}",
    "note": "urn:provenance-explorer:note:{S}",
    "curation": "urn:provenance-explorer:curation:{S}:{i}",
    "verdict": "urn:provenance-explorer:verdict:{S}:{i}",
    "explored": "urn:trustgraph:prov:explored:{S}",
    "prompt": "urn:trustgraph:prov:prompt:{S}:{i}",
    "reply": "urn:trustgraph:prov:reply:{S}:{i}",
    "document": "https://trustgraph.ai/doc/{S}",
    "page": "urn:page:{S}",
    "section": "urn:section:{S}",
    "chunk": "urn:chunk:{S}",
    "image": "urn:image:{S}",
    "activity": "https://trustgraph.ai/activity/{S}",
    "agent": "https://trustgraph.ai/agent/{S}",
    "subgraph": "https://trustgraph.ai/subgraph/{S}",
    "blank": "urn:provenance-explorer:blank:{S}:{i}",
}
_OF_NO_SESSION = frozenset(
    "influence rating note curation verdict document page section chunk image activity agent subgraph blank".split()
)
_OLDER = {
    "question": "urn:trustgraph:session:{S}",
    "exploration": "urn:trustgraph:prov:retrieval:{S}",
    "focus": "urn:trustgraph:prov:selection:{S}",
    "synthesis": "urn:trustgraph:prov:answer:{S}",
    "answer": "urn:trustgraph:answer:{S}",
}


_FORMS = (*_PATTERNS.items(), *_OLDER.items())
_RECOGNISED = re.compile("|".join(
    f"({re.escape(text)})".replace(r"\{S\}", r"([^:/]+)").replace(r"\{i\}", r"(\d+)") for _, text in _FORMS
))  # fmt: skip
_GROUPS = accumulate((1 + text.count("{") for _, text in _FORMS), initial=1)  # of the whole form, its key and its index
_KINDS = {group: (kind, "{i}" in text) for group, (kind, text) in zip(_GROUPS, _FORMS, strict=False)}


@dataclass(frozen=True, slots=True)
class Recognised:
    """What the form of an IRI says; `index` is None where the kind has none."""

    kind: str
    key: str
    index: int | None = None


def iri(kind: str, key: str, index: int | None = None) -> str:
    """Return the IRI of one `kind` of thing, made of its session id or name, and its index where the kind has one."""
    made = _PATTERNS[kind].replace("{S}", _quoted(key))
    return made if index is None else made.replace("{i}", str(index))


@lru_cache(maxsize=10_000)
def _quoted(key: str) -> str:
    return quote(key, safe="")


@lru_cache(maxsize=100_000)
def recognise(value: str) -> Recognised | None:
    """Parse an IRI into its kind, key and index, older spellings too; None for an IRI of another form."""
    value = value.replace("urn:trustgraph:agent:session:", "urn:trustgraph:agent:")
    match = _RECOGNISED.fullmatch(value)
    if match is None or match.lastindex is None:
        return None
    whole = match.lastindex  # the group that was closed last
    kind, is_indexed = _KINDS[whole]
    return Recognised(kind, unquote(match[whole + 1]), int(match[whole + 2]) if is_indexed else None)


def is_blank(value: str) -> bool:
    """Return whether an IRI stands for a blank node, which has none where it came from."""
    named = recognise(value)
    return named is not None and named.kind == "blank"


PIPELINE = "pipeline"
"""The agent of passages that a run of another pipeline brought, and what their IRIs begin with."""


def is_brought(value: str) -> bool:
    """Return whether an IRI is of a passage that a run of another pipeline brought, and no document here has."""
    return value.startswith(f"urn:chunk:{PIPELINE}-")


def session_of(value: str) -> str:
    """Return the session in the IRI of a step, or of what is drawn beside one (`…#…`); empty where it has none."""
    named = recognise(value.partition("#")[0])
    return named.key if named and named.kind not in _OF_NO_SESSION else ""


def prefixed(value: str) -> str | None:
    """Return an IRI below one of `PREFIXES` as a prefixed name, None for any other."""
    found = ((short, base) for short, base in PREFIXES.items() if value.startswith(base))
    return next((f"{short}:{value.removeprefix(base)}" for short, base in found), None)


def by_index(nodes: Iterable[str]) -> tuple[str, ...]:
    """Sort IRIs by their index, those with the same index alphabetically."""
    named = {node: recognise(node) for node in nodes}
    return tuple(sorted(named, key=lambda node: ((found.index or 0) if (found := named[node]) else 0, node)))


def is_call_text(value: str) -> bool:
    """Whether an IRI stands for a prompt or a reply."""
    named = recognise(value)
    return named is not None and named.kind in ("prompt", "reply")


@lru_cache(maxsize=20_000)
def entity_iri(label: str) -> str:
    """Return the IRI of the entity with this label: lower case, spaces as hyphens, percent-encoded."""
    return ENTITY_BASE + quote(unicodedata.normalize("NFC", label).lower().replace(" ", "-"), safe="")


def local_name(value: str) -> str:
    """Return the part of an IRI that a person can read when there is no label."""
    if value in _KNOWN:
        return _KNOWN[value]
    if value.startswith(ENTITY_BASE):
        return unquote(value.removeprefix(ENTITY_BASE)).replace("-", " ")
    name = unquote(re.split(r"[/#:]", value.rstrip("/#:"))[-1]).replace("_", " ").strip()
    if _IN_ONE.fullmatch(name):
        name = _INNER_CAPITAL.sub(lambda found: f" {found[0] if found[1] else found[0].lower()}", name)
    return name or value


def timestamp(moment: datetime) -> str:
    """Return a moment as the record writes it: ISO 8601 in UTC with Z, with microseconds only when there are any."""
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def moment(text: str) -> datetime | None:
    """Parse a moment in any ISO 8601 form, in UTC when it names no offset; None for any other text."""
    try:
        read = datetime.fromisoformat(text)
    except ValueError:
        return None
    return read if read.tzinfo else read.replace(tzinfo=UTC)


def to_the_second(text: str) -> str:
    """Return a moment as people read it, with its zone: "2026-01-15 10:30:05 UTC"; any other text as it is."""
    read = moment(text)
    return f"{read:%Y-%m-%d %H:%M:%S %Z}" if read else text


def milliseconds(begun: str | None, ended: str | None) -> int | None:
    """Return the whole milliseconds between two moments; None where one is not a time, or the clock was set back."""
    first, last = moment(begun or ""), moment(ended or "")
    if first is None or last is None or last < first:
        return None
    return (last - first) // timedelta(milliseconds=1)
