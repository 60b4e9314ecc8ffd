"""The contexts of JSON-LD that come with the package, put in the place of their addresses: nothing is fetched.

`contexts.json` has where each is from, and its licence. Those of RO-Crate hold the names that each version added to
schema.org's, and those that it left out; the others, their terms. PROV-JSONLD's comes with the package prov.
"""

from __future__ import annotations

import json
import re
from functools import cache
from importlib.resources import files
from typing import Any

from explorer.errors import RecordError
from explorer.rdf.foreign.refused_statements import unreadable

_MOST = 100  # contexts in one file: each has up to 200,000 bytes
_CONTEXT = re.compile(r'(?<!\\)"@context"\s*+:\s*+')
_AWAY = re.compile(rb'"@context"\s*+:\s*+(?:"|\[[^\[\]]*"|\{[^{}]*"@import")')
_SCOPED = re.compile(rb'"@context"\s*+:\s*+\{[^{}]*\{[^{}]*"@context"')
_PLACE = re.compile(r"\Ahttps?://(?:www\.(?=schema\.org))?|(?:/context)?(?:\.json(?:ld)?)?[/#]*\Z", re.IGNORECASE)
_CRATE = re.compile(r"(?:^|/)ro[/-]crate/(?:.*/)?v?(\d+)\.(\d+)[^/]*(?:/|\Z)", re.IGNORECASE)
_ALIKE = (
    (re.compile(r"schema\.org(?:/.*)?"), "schema.org"),
    (re.compile(r"w3id\.org/bundle(?:/.*)?"), "w3id.org/bundle"),
    (re.compile(r"doi\.org/(?:doi:)?10\.5063/schema/codemeta-.*|w3id\.org/codemeta/.*"),
     "w3id.org/codemeta"),
    (re.compile(r"openprovenance\.org/(?:ns/)?prov-jsonld.*"), "prov-jsonld"),
)  # fmt: skip


def inlined(raw: bytes) -> bytes:
    """Return JSON-LD with each context in the place of its address; raises RecordError, which names one not known."""
    if not (_AWAY.search(raw) or _SCOPED.search(raw)):
        return raw
    text, made, end, found = raw.decode(), list[str](), 0, _Found()
    for key in _CONTEXT.finditer(text):
        if key.start() < end:
            continue
        try:
            value, after = json.JSONDecoder().raw_decode(text, key.end())
        except ValueError:
            return raw  # which the parser says more about
        made += [text[end : key.end()], json.dumps(found.resolved(value))]
        end = after
    return "".join([*made, text[end:]]).encode()


class _Found:
    """The contexts of one file, of which there are only so many."""

    def __init__(self) -> None:
        self.count = 0

    def resolved(self, value: Any) -> Any:  # noqa: ANN401 - any JSON
        """Return a context with each address in it, or in those of its terms, replaced."""
        if isinstance(value, str):
            self.count += 1
            if self.count > _MOST:
                raise _unknown(f"it names contexts more than {_MOST} times")
            return known(value)
        if isinstance(value, list):
            return [self.resolved(one) for one in value]
        if not isinstance(value, dict):
            return value
        terms = {name: self._term(told) for name, told in value.items() if name != "@import"}
        return {**self.resolved(value["@import"]), **terms} if isinstance(value.get("@import"), str) else terms

    def _term(self, told: Any) -> Any:  # noqa: ANN401
        scoped = isinstance(told, dict) and "@context" in told
        return {**told, "@context": self.resolved(told["@context"])} if scoped else told


def known(address: str) -> dict[str, Any]:
    """Return the context of an address: of RO-Crate that of its version, or of the last before it."""
    place = _PLACE.sub("", address)
    if crate := _CRATE.search(place):
        wanted = (int(crate[1]), int(crate[2]))
        versions = sorted(_all()["crates"], key=lambda one: [int(part) for part in one.split(".")])
        before = [one for one in versions if tuple(map(int, one.split("."))) <= wanted]
        return _crate(before[-1] if before else versions[0])
    name = next((name for alike, name in _ALIKE if alike.fullmatch(place)), place)
    if name == "prov-jsonld":
        from prov.serializers.provjsonld import load_vendored_context

        return load_vendored_context()
    if name not in _all()["others"]:
        raise _unknown(f"its @context {address[:200]} is elsewhere, and none of those that come with this package")
    told: dict[str, Any] = _all()["others"][name]
    terms: dict[str, Any] = told.get("terms", {})
    return {one: f"https://{name}#{one}" for one in told.get("names", "").split()} | terms


def _unknown(reason: str) -> RecordError:
    return unreadable("json-ld", f"{reason}; put the context itself into the file")


@cache
def _all() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(files("explorer.rdf.foreign").joinpath("contexts.json").read_bytes())
    return found


@cache
def _crate(version: str) -> dict[str, Any]:
    """Build the context of a version of RO-Crate, whose identifiers are relative to the file in all versions."""
    names: dict[str, Any] = {}
    for one, told in _all()["crates"].items():
        for name in told.get("without", "").split():
            names.pop(name, None)
        names |= {name: f"http://schema.org/{name}" for name in told["names"].split()}
        if one == version:
            names |= told["terms"]
            return names
    raise KeyError(version)
