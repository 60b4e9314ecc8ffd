"""Which entities are one: two spellings that people merge, and one name that they split into several.

Merging is a reading: what is stored stays as it came, and what is read later follows. Splitting gives facts to others,
by the passages that they rest on: what was taken from these is on record of both.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from pyoxigraph import Literal, NamedNode, Quad, Triple

from explorer.entities import ADDED, MERGED, RETRACTED, SPLIT, Candidate, EdgeSelection
from explorer.errors import RecordError
from explorer.events import Passage
from explorer.models.embedding import Embedder
from explorer.record.curation import Change, Named, name_given, passages_of, standing_at
from explorer.record.forgetting import named_document
from explorer.stores.collection import Collection
from explorer.stores.default_graph import facts_about, quad_of
from explorer.stores.document_names import HasIri
from explorer.stores.merged_entities import renamed
from explorer.text import folded, one_line, truncate
from explorer.vocab import ANNOTATION, RDFS, SKOS, entity_iri

_OTHER_NAMES = frozenset((
    *(SKOS.base + name for name in ("altLabel", "hiddenLabel", "prefLabel")), RDFS.label.value,
    "http://xmlns.com/foaf/0.1/name", "http://xmlns.com/foaf/0.1/nick", "http://purl.org/dc/terms/alternative",
    *(f"{base}{name}" for base in ("https://schema.org/", "http://schema.org/") for name in ("name", "alternateName")),
))  # fmt: skip
_MOST, _NAMED = 200, 5  # entities and facts that are looked at for a name, and entities that are named in a message

Belonging = str | HasIri | Passage | Triple | EdgeSelection | Candidate
"""What can belong to one of the entities that another is split into: a document, a passage, or a fact."""

Names = Iterable[str] | Mapping[str, Iterable[Belonging] | Belonging]


def known_entity(stores: Collection, given: Named) -> str | None:
    """Return the IRI of an entity by its name, its IRI or a value that has one; None where nothing speaks of it."""
    if isinstance(given, HasIri | NamedNode):
        return _there(stores, given.iri if isinstance(given, HasIri) else given.value)
    name = name_given(given)
    own, found = _there(stores, entity_iri(name)), entities_named(stores, name)
    if own in found or not found:
        return own or _there(stores, name)
    if found[1:]:
        raise of_several(stores, name, found)
    return found[0]


def entities_named(stores: Collection, name: str) -> list[str]:
    """Return the entities that a name or IRI means, of those that facts are about: that bear it, whatever the case of
    its letters, or else that have it as another name; of those that were merged the one that they are read as.
    """
    if _there(stores, name):
        return [name]
    one, about = stores.sources.merged.one, stores.sources.about
    called = dict.fromkeys(map(one, (entity_iri(name), *stores.vectors.entities_called(name, _MOST))))
    found = [iri for iri in called if next(about(iri), None) is not None]
    return found or list(dict.fromkeys(map(one, _called_otherwise(stores, name))))


def of_several(stores: Collection, name: str, found: Sequence[str]) -> RecordError:
    """Return that a name means several entities, and how to choose one."""
    told = "; ".join(f"{truncate(one_line(stores.sources.called(iri)), 60)} <{iri}>" for iri in found[:_NAMED])
    more = f"; and {len(found) - _NAMED:,} more" if found[_NAMED:] else ""
    called = truncate(one_line(name), 60)
    return RecordError(f"“{called}” names {len(found):,} entities: {told}{more}. Give the IRI of one.")


def _called_otherwise(stores: Collection, name: str) -> Iterator[str]:
    """Yield the entities of which a fact says that they have another name, whatever the case of its letters."""
    words, called = re.findall(r"\w+", name), folded(name)
    hits = stores.vectors.keywords(words, _MOST) if words else []
    for fact in stores.recorded([hit.key for hit in hits]).values():
        obj, subject = fact.object, fact.subject
        if (
            fact.predicate.value not in _OTHER_NAMES
            or not isinstance(obj, Literal)
            or not isinstance(subject, NamedNode)
        ):
            continue
        if folded(obj.value) == called:
            yield subject.value


def _there(stores: Collection, named: str) -> str | None:
    return named if stores.links.entities([named]) else None


def needed_entity(stores: Collection, given: Named) -> str:
    """Return the IRI of an entity, as `known_entity` does; raises RecordError where nothing speaks of it."""
    found = known_entity(stores, given)
    if found is None:
        called = truncate(one_line(given if isinstance(given, str) else str(given)), 60)
        raise RecordError(f"Nothing here speaks of “{called}”; ws.entities(…) or `explorer entities` lists the names.")
    return found


def merge(change: Change, embedder: Embedder, kept: Named, other: Named) -> str:
    """Have an entity be read as another one, which keeps its name or is new; returns the IRI of that one.

    Raises RecordError where nothing speaks of the other, or where they are one already.
    """
    stores = change.stores
    with stores.database.correcting:
        sources, alias = stores.sources, needed_entity(stores, other)
        there, held = known_entity(stores, kept), sources.merged
        if there is None and not isinstance(kept, str):
            raise RecordError(f"Nothing here speaks of {one_line(str(kept))}; give a name to begin a new one.")
        keeper = held.one(there or entity_iri(name_given(kept)))
        name = (sources.label(keeper) or sources.called(keeper)) if there else name_given(kept)
        if held.one(alias) == keeper:
            raise RecordError(f"“{one_line(sources.called(alias))}” and “{one_line(name)}” are one already.")
        change.did_with(MERGED, keeper, (held.one(alias),))
        change.quads.append(Quad(NamedNode(keeper), RDFS.label, Literal(name), ANNOTATION))
        change.names[keeper] = name
        if isinstance(other, str) and other != alias and sources.own_label(alias) is None:  # a name in passages alone
            change.quads.append(Quad(NamedNode(alias), RDFS.label, Literal(name_given(other)), ANNOTATION))
        change.write(embedder)
        return keeper


def split(change: Change, embedder: Embedder, named: Named, names: Names) -> tuple[str, ...]:
    """Have an entity be several, by the names of these; returns their IRIs.

    A name that was merged with it is by itself again. To any other one go the facts of the passages that have the name
    in their words, or those of documents and passages, and the facts, that are given for it. Raises RecordError where
    a name gets nothing.
    """
    stores = change.stores
    with stores.database.correcting:
        entity = stores.sources.merged.one(needed_entity(stores, named))
        asked = _asked(names)
        own = {stores.sources.called(one).casefold(): one for one in stores.sources.merged.all(entity)[1:]}
        parted = {name: own[name.casefold()] for name in asked if name.casefold() in own and not asked[name]}
        given = {name: of for name, of in asked.items() if name not in parted}
        made = {name: entity_iri(name) for name in given}
        if entity in made.values():
            raise RecordError(f"“{one_line(stores.sources.called(entity))}” is its name already; name the others.")
        nodes = tuple(parted.get(name) or made[name] for name in asked)
        act = change.did_with(SPLIT, entity, nodes)
        group = stores.sources.merged.all(entity)
        of_names = _of_names(stores, group, given)
        for name, facts in of_names.items():
            if not facts:
                raise RecordError(_nothing(stores, entity, name))
            change.quads.append(Quad(NamedNode(made[name]), RDFS.label, Literal(name), ANNOTATION))
            for fact, passages in facts.items():
                become = renamed(fact, dict.fromkeys(group, made[name]))
                change.did(ADDED, become, act)
                change.add(become, {made[name]: name}, [standing_at(stores, one) for one in passages] or [None])
        taken = Counter(fact for facts in of_names.values() for fact, passages in facts.items() for _ in passages)
        given_up = dict.fromkeys(fact for facts in of_names.values() for fact in facts)
        whole = (fact for fact in given_up if taken[fact] == len(passages_of(stores, fact)))
        change.gone = [fact for fact in whole if quad_of(fact) in stores.graph]
        for fact in change.gone:
            change.did(RETRACTED, fact, act)
        change.write(embedder)
        return nodes


def _asked(names: Names) -> dict[str, tuple[Belonging, ...]]:
    if isinstance(names, str):
        names = [names]
    if not isinstance(names, Mapping):
        names = dict.fromkeys(names, ())
    given = {
        name_given(name): tuple(of) if isinstance(of, Iterable) and not isinstance(of, str | Triple) else (of,)
        for name, of in names.items()
    }
    if not given:
        raise RecordError("Name what it is split into: one name or several.")
    return given


def _nothing(stores: Collection, entity: str, name: str) -> str:
    of, called = one_line(stores.sources.label(entity) or stores.sources.called(entity)), one_line(name)
    return (
        f"No passage with a fact about “{of}” has the words “{called}”; say what belongs to it: "
        f'ws.split(…, {{"{called}": [documents, passages or facts]}}) or `explorer split "{of}" "{called}=DOCUMENT"`.'
    )


def _of_names(
    stores: Collection, group: Iterable[str], names: Mapping[str, Iterable[Belonging]]
) -> dict[str, dict[Triple, list[Passage]]]:
    """Return for each name the facts that it gets, with the passages that make it so; none: the fact whole."""
    wanted = {name: [_meant(stores, one) for one in of] for name, of in names.items()}
    words = [name for name in sorted(wanted, key=len, reverse=True) if not wanted[name]]
    found: dict[str, dict[Triple, list[Passage]]] = {name: {} for name in names}
    for fact in facts_about(stores.graph, *map(NamedNode, group)):
        passages = passages_of(stores, fact)
        if whole := next((name for name, of in wanted.items() if fact in of), None):
            found[whole][fact] = passages
            continue
        for passage in passages:  # by what is given for a name, or else the longest name that it has
            held = (name for name, of in wanted.items() if any(_holds(one, passage) for one in of))
            named = (name for name in words if _has(passage.text, name))
            if name := next(chain(held, named), None):
                found[name].setdefault(fact, []).append(passage)
    return found


def _meant(stores: Collection, given: Belonging) -> Triple | Passage | str:
    match given:
        case Triple() | Passage():
            return given
        case EdgeSelection() | Candidate() if given.edge is not None:
            return given.edge
        case HasIri():
            return named_document(stores, given.iri).iri
        case str():
            return named_document(stores, given).iri
    raise RecordError(f"{one_line(repr(given))} is no document, passage or fact.")


def _holds(given: Triple | Passage | str, passage: Passage) -> bool:
    if isinstance(given, Passage):
        return given.document == passage.document and given.start <= passage.start and passage.end <= given.end
    return given == passage.document


def _has(text: str, name: str) -> bool:
    words = r"\s+".join(map(re.escape, name.split()))
    return re.search(rf"(?<!\w){words}(?!\w)", text) is not None
