"""Comparisons: whether a question asks for one, and a question for each of its sides."""

from __future__ import annotations

import re

from explorer.reasoning.rules.openings import DETERMINERS, ORDERS, is_noun_phrase, kind_of

_QUOTED = re.compile(r"“[^“”]{0,300}”|\"[^\"]{0,300}\"")
_COMPARED = re.compile(
    r"^(?:please )?(?:compare|contrast)\b|[,;.] (?:please )?compare\b|\bcompare (?:with|to|against)\b"
    r"|\bhow (?:do|does|did)\b.{1,200}\bcompare\b"
    r"|\bcomparison (?:of|between|with|to)\b|(?<!who )(?<!was )(?<!been )(?<!often )(?<!is )\bcompared (?:with|to)\b",
    re.IGNORECASE,
)
_SIDES = re.compile(
    r"^(?:please )?(?:compare(?: and contrast)?|contrast(?: and compare)?) "
    r"(?P<a>.{1,300}?)(?: (?:with|to|against|versus) (?P<b>.{1,300}))?$"
    r"|^how (?:do|does|did) (?P<c>.{1,300}?) (?:compare|differ)(?: (?:with|to|against|from) (?P<d>.{1,300}))?$"
    r"|^(?:what (?:is|are) )?(?:the )?(?:comparison|differences?|similarit\w+) (?:of|between) (?P<e>.{1,300})$"
    r"|^what (?:do|does|did) (?P<h>.{1,300}) have in common$"
    r"|^what distinguishes (?P<i>.{1,300}?) from (?P<j>.{1,300})$"
    r"|^(?P<f>.{1,300}?),? (?:as )?compared (?:with|to) (?P<g>.{1,300})$",
    re.IGNORECASE,
)
_ASPECT = re.compile(
    r",? (?:in terms of|with respect to|with regard to|regarding|concerning) (.{1,100})$", re.IGNORECASE
)
_TAIL = re.compile(rf"(?<!compare)(?<!contrast),? and (?:{'|'.join(sorted(ORDERS))}) .*$", re.IGNORECASE | re.DOTALL)
_ONE_OF = re.compile(r"^(the (?:[a-z][\w-]* ){1,4}?of )(.+)$")
_SHARED_OF = re.compile(r"^((?!the )[\w-]+(?: [\w-]+){0,2}) (of .+)$")


def is_comparison(question: str) -> bool:
    """Return whether a question asks to compare, outside of what it quotes."""
    return _COMPARED.search(_QUOTED.sub(" ", question.strip())[:2_000]) is not None


def sides(goal: str) -> list[str]:
    """Return a question for each side of a comparison; the goal itself where there is none, or a side is no noun."""
    bare = _TAIL.sub("", goal.rstrip("?.! "))
    aspect = _ASPECT.search(bare)
    match = _SIDES.match(bare[: aspect.start()] if aspect else bare)
    if match is None:
        return [goal]
    first, second = (next(filter(None, match.group(*names)), "") for names in ("acehi", "bdgj"))
    listed = [first, second] if second else _listed(first)
    if match["f"]:
        first, listed = match["f"], [match["g"]]
    if not all(map(is_noun_phrase, listed)) or len(listed) + bool(match["f"]) < 2:
        return [goal]
    if match["f"]:
        return [f"{first}?", _like(first, match["g"])]
    of = _ONE_OF.match(first) if second else None
    listed = [first, _same(second, of[1] if of else "")] if second else listed
    about = aspect[1] if aspect else ""
    about = f"the {about}" if about and about.split(maxsplit=1)[0].lower() not in DETERMINERS else about
    return [f"What is said about {about} of {side}?" if about else _asked(side) for side in listed]


def _listed(text: str) -> list[str]:
    """Split "A, B and C"; what is quoted stays whole, and what belongs to all of them goes with each."""
    of = _ONE_OF.match(text)
    found = _split(of[2]) if of else []
    shares = len(found) > 1 and not any(" of " in item for item in found)
    if of and shares and len({item.startswith("the ") for item in found}) == 1:
        return [of[1] + item for item in found]
    found = _split(text)
    tail = _SHARED_OF.match(found[-1]) if len(found) > 1 else None
    if tail and found[0].startswith("the ") and not any(" of " in item for item in found[:-1]):
        return [f"the {item.removeprefix('the ')} {tail[2]}" for item in [*found[:-1], tail[1]]]
    return found


def _split(text: str) -> list[str]:
    """Split a list; nothing where it is not clear which "and" joins it."""
    held = _QUOTED.sub(lambda match: match[0].replace(" ", "\0").replace(",", "\1"), text)
    found = re.split(r", and |, | and | versus | vs\.? ", held)
    clear = held.count(" and ") < 2 and ("," not in held or len(found) > 2 or ", and " in held)
    return [
        item.replace("\0", " ").replace("\1", ",").removeprefix("both ") for item in found if clear and item.strip()
    ]


def _same(side: str, of: str) -> str:
    """Return the second side in full: of "that of polonium", or "polonium", what the first is of."""
    bare = re.sub(r"^(?:that|those) of ", "", side)
    return of + bare if of and " of " not in bare and not bare.lower().startswith("the ") else bare


def _like(first: str, second: str) -> str:
    """Ask of a second thing what was asked of the first, if that stands at the end by its name."""
    named = re.search(r"[A-Z][\w'’.-]*(?: [A-Z0-9][\w'’.-]*)*$", first)
    return f"{first[: named.start()]}{second}?" if named and named.start() else _asked(second)


def _asked(side: str) -> str:
    of = _ONE_OF.match(side)
    if of is None:
        return f"What is said about {side}?"
    kind = kind_of(of[1].split()[-2])
    verb = {"person": "Who is", "several": "What are"}.get(kind, "What is")
    return f"{verb} {side}?"
