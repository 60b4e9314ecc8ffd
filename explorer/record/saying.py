"""What a record of others states, in sentences: the document of these answers questions, and the record stays as it is.

Things are called as the file names them. Relations of PROV have words of their own; the rest is said as of any RDF.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from pyoxigraph import NamedNode, Quad, Triple

from explorer.ingest.readers.rdf_said import Naming, Said
from explorer.ingest.readers.rdf_stated import Statement, Telling, sentence
from explorer.rdf.relating import DERIVATIONS, FORMAL, KINDS, RELATIONS, Part, Relation, kind_of, node_of, term
from explorer.record.derivations import is_ours
from explorer.vocab import RDF, TG, X
from explorer.wording import relations as words

MOST = 20_000
"""Statements of a record that is put into words."""
_CRATE = ("ro-crate-metadata.json", "ro-crate-metadata.jsonld")
_RELATIONS = frozenset(term(name) for name in (*RELATIONS.values(), *DERIVATIONS.values()))


def in_words(quads: Sequence[Quad], base: str) -> str:
    """Return the sentences of PROV, or of a crate; empty for other files, and for those that say too much.

    `base` is what the file calls itself.
    """
    if len(quads) > MOST or not _is_record(quads):
        return ""
    said = Said("record", Naming())
    said.add(quads)
    said.look()
    telling = Telling(said, base)
    graphs = dict[str, list[Quad]]()
    for quad in (one for each in quads for one in said.members(each)):
        graphs.setdefault("" if is_ours(quad.graph_name) else str(quad.graph_name), []).append(quad)
    return "\n\n".join(dict.fromkeys(line for told in graphs.values() for line in _lines(told, telling)))


def _is_record(quads: Iterable[Quad]) -> bool:
    """Return whether there are relations of PROV, actions or a crate in a file, and nothing of ours."""
    found, types = False, list[Quad]()
    for quad in quads:
        if quad.predicate in TG or quad.predicate in X or quad.object in TG or quad.object in X:
            return False
        types += [quad] if quad.predicate == RDF.type else []
        found = found or quad.predicate in _RELATIONS
        found = found or (isinstance(quad.subject, NamedNode) and quad.subject.value.endswith(_CRATE))
    return found or any(one.object in KINDS for one in types) or bool(kind_of(types))


def _lines(quads: Sequence[Quad], telling: Telling) -> Iterator[str]:
    part = Part(dict.fromkeys(quad.triple for quad in quads), own=False)
    for one in part.relations:
        yield from _related(one, telling)
    for quad in quads:
        told = None if quad.triple in part.said or quad.object in KINDS else telling.statement(quad, None)
        if told is not None and told.words[0] != told.words[2]:
            yield sentence(replace(told, notes=()))


def _related(one: Relation, telling: Telling) -> Iterator[str]:
    """Yield a relation of which both ends are named, with what it says further; who carried out something in the words
    of PROV too.
    """
    first, second, *further = FORMAL[one.kind]
    if first not in one.formal or second not in one.formal:
        return
    own = next((word for word in words.DERIVED for told in one.extra if told.object == term(word)), "")
    notes = [f"{words.FURTHER.get(name, name)} {telling.name(one.formal[name])}" for name in further
             if name in one.formal]  # fmt: skip
    notes += [f"{telling.name(said.predicate).removeprefix('had ')} {telling.name(said.object)}" for said in one.extra
              if said.object != term(own)]  # fmt: skip
    begin, end = node_of(one.formal[first]), node_of(one.formal[second])
    triple = Triple(begin, term(RELATIONS[one.kind]), end)
    verbs = [words.sentence(words.DERIVED.get(own) or words.VERBS[one.kind])]
    verbs += [telling.name(triple.predicate)] if one.kind == "Association" else []
    for verb in verbs:
        yield sentence(
            Statement(triple, (telling.name(begin), verb, telling.name(end)), is_fact=False, notes=tuple(notes))
        )
