"""Noun phrases as names: what a person would call the thing that a token of a parsed sentence heads."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence

    from spacy.tokens import Token

_LEFT = frozenset(
    {"amod", "compound", "nummod", "nmod", "quantmod", "poss", "punct", "det", "predet", "case", "advmod"}
)
_QUANTIFIERS = frozenset("no neither both all some any many few several most every each".split())
_NEGATIVE = frozenset({"no", "neither", "none", "nobody", "nothing"})
_VAGUE = frozenset(
    "thing things reason way ways fact one ones first second third part parts number point points other "
    "others result case same kind sort type example rest lot that this these those it there which who "
    "what all both each none nobody nothing something someone anyone everything person people time "
    "times moment place side end course matter step problem question answer idea form use half most "
    "much more less few several paper section following little nothing length steps".split()
)
_PARTIAL = frozenset("most much half part some all many few several any".split())
_MEASURES = frozenset({"DATE", "TIME", "QUANTITY", "PERCENT", "MONEY", "CARDINAL", "ORDINAL"})
_UNITS = re.compile(
    r"""(?ix)^(?: °[cf]? | [fcvm] | dc | ac | volts? | amp(?:ere)?s? | ampere-hours? | watts?
      | hertz | psia? | %
      | inch(?:es)? | feet | foot | miles? | (?:kilo|centi|milli)?met(?:er|re)s? | km | cm | mm
      | pounds? | ounces? | tons? | (?:kilo)?grams? | kg | gallons? | liters? | percent | degrees?
      | hours? | minutes? | seconds? | days? | weeks? | months? | years? | a\.m\. | p\.m\. | gmt | est | utc
      | january | february | march | april | may | june | july | august | september | october | november
      | december | monday | tuesday | wednesday | thursday | friday | saturday | sunday )$"""
)
NOUNS = frozenset({"NOUN", "PROPN", "NUM", "SYM", "X"})
_NEVER_IN_A_NAME = frozenset({"WDT", "WP", "WP$", "WRB", "VBD", "VBZ", "VBP"})
_NUMBER = re.compile(r"^[-+~]?[\d.,:/°%–-]*\d[\d.,:/°%–-]*$")
_YEAR = re.compile(r"1[0-9]{3}$|20[0-9]{2}$")
_LONG = 12  # words: a longer object is a clause, not a name


@dataclass(frozen=True, slots=True)
class Phrase:
    """A noun phrase as a person would name the thing: no leading article, numbers and `of` kept."""

    head: int
    label: str
    is_entity: bool = False
    is_bare: bool = False  # a single common noun, which may stand for a longer name
    is_definite: bool = False
    is_capitalised: bool = False
    replaced: tuple[int, ...] = ()  # the places of words that read otherwise than on the page


class PhraseReader:
    """Reads labels off tokens; `printed` replaces the text of some by what the page has."""

    def __init__(self, printed: Mapping[int, str]) -> None:
        self._printed = printed

    def phrase(self, token: Token, *, as_object: bool = False) -> Phrase | None:
        """The phrase around a noun; nothing when it is a pronoun or says too little."""
        if as_object and token.pos_ == "ADJ" and token.dep_ == "acomp":
            # “very tight”, “good enough”; nothing for “so cold that …” and “how hot”
            if any(t.tag_ == "WRB" or t.lower_ in {"so", "as"} for t in token.lefts):
                return None
            before = (t for t in token.lefts if t.dep_ in {"advmod", "neg", "npadvmod"})
            left = [word for t in before for word in (t.subtree if t.dep_ == "npadvmod" else [t])]
            right = [t for t in token.rights if t.dep_ == "advmod" and not list(t.children)]
            return self.literal([*left, token, *right])
        of = of_phrase(token, self._printed)
        partial = token.lower_ in _PARTIAL and of
        is_pronoun = token.lower_ in {"others", "ones"} or token.tag_ in {"WDT", "WP", "PRP", "DT"}
        if not partial and (token.pos_ not in NOUNS or is_pronoun):
            return None
        core = _core(token)
        words = _named_words(core, self._printed)
        if not words or _is_vague(words, token) or any(t.tag_ in _NEVER_IN_A_NAME for t in core):
            return None
        if any(c.dep_ == "prep" and c.lower_ == "of" for c in token.children) and not of and as_object:
            return None  # “a side effect of removing the fans” is more than a side effect
        label_words = [*words, *of]
        negative = any(t.lower_ in _NEGATIVE for t in core)
        label = self.text(label_words).strip("\"“”'‘ ")
        if label.count("(") != label.count(")"):
            return None  # “scanner(s)” is more than one token
        has_lone_quote = len(re.findall('["“”]', label)) % 2  # one that has lost its fellow
        return Phrase(
            head=token.i,
            label=re.sub('["“”]', "", label) if has_lone_quote else label,
            is_entity=not (_is_value(token, words) or len(label_words) > _LONG or negative),
            is_bare=len(words) == 1 and label_words == words and token.pos_ == "NOUN",
            is_definite=any(t.lower_ in {"the", "this", "that", "these", "those"} for t in core),
            is_capitalised=any(t.pos_ == "PROPN" for t in words),
            replaced=tuple(t.i for t in label_words if t.i in self._printed),
        )

    def core_words(self, token: Token) -> list[Token]:
        """Return the words of the phrase around a noun, without article and owner and what `of` adds."""
        return _named_words(_core(token), self._printed)

    def literal(self, tokens: Sequence[Token]) -> Phrase:
        """Words that are no name: an adjective, a participle."""
        return Phrase(tokens[-1].i, self.text(tokens))

    def text(self, tokens: Sequence[Token]) -> str:
        """Words in a row with the blanks that the sentence has between them."""
        pieces = []
        for position, token in enumerate(tokens, 1):
            apart = position < len(tokens) and (tokens[position].i != token.i + 1 or bool(token.whitespace_))
            pieces.append(self._printed.get(token.i, token.text) + (" " if apart else ""))
        return "".join(pieces)


def _core(token: Token) -> list[Token]:
    """The noun with what stands directly before it, and a number or name directly after it; remembered in its Doc."""
    known: dict[Any, list[Token]] = token.doc.user_data
    key = ("core", token.i)
    if key not in known:
        known[key] = _read_core(token)
    return known[key]


def _read_core(token: Token) -> list[Token]:
    first = token.i
    for left in reversed(list(token.lefts)):
        if left.dep_ not in _LEFT or left.right_edge.i != first - 1:
            break
        first = left.left_edge.i
    if token.ent_type_ == "DATE" and first > 0 and token.doc[first].ent_iob_ == "I" and token.doc[first - 1].like_num:
        first -= 1  # “4 April 1964”
    last = token.i
    for right in token.rights:
        if right.i != last + 1 or right.dep_ not in {"nummod", "punct", "appos"} or right.pos_ != "NUM":
            break
        last = right.i
    while token.ent_type_ == "DATE" and last + 1 < len(token.doc):  # “January 1, 1987”
        following = token.doc[last + 1]
        if following.ent_iob_ != "I" or (following.pos_ != "NUM" and following.text != ","):
            break
        last += 1
    if last + 1 < len(token.doc) and last == token.i and token.pos_ == "PROPN":
        following = token.doc[last + 1]
        last += following.pos_ == "NUM" and following.head.i <= token.i
    return [t for t in token.doc[first : last + 1] if not t.is_space]


def of_phrase(token: Token, printed: Container[int] = ()) -> list[Token]:
    """“of oxygen tank no. 2” behind a noun."""
    last = _core(token)[-1].i
    prep = next((c for c in token.rights if c.dep_ == "prep" and c.lower_ in {"of", "per"} and c.i == last + 1), None)
    pobj = next((c for c in prep.children if c.dep_ == "pobj"), None) if prep is not None else None
    if prep is None or pobj is None or pobj.pos_ not in NOUNS:
        return []
    owned = [t for t in _core(pobj) if not (t.dep_ == "poss" and t.pos_ == "PRON") or t.i in printed]
    return [prep, *owned, *of_phrase(pobj, printed)]


def _named_words(core: Sequence[Token], printed: Container[int]) -> list[Token]:
    """A phrase without its article and an owner that is only “his”, and without the number in “the two tanks”."""
    words = list(core)
    definite = False
    while words and (_is_dropped(words[0], printed) or (definite and words[0].pos_ == "NUM" and len(words) > 1)):
        definite = definite or words[0].lower_ in {"the", "these", "those"} or words[0].dep_ == "poss"
        words.pop(0)
    return [t for t in words if not (t.dep_ == "poss" and t.pos_ == "PRON") or t.i in printed]


def _is_dropped(token: Token, printed: Container[int]) -> bool:
    """Articles, and owners that are pronouns for nobody knows what, say nothing in a label."""
    if token.dep_ == "poss" and token.pos_ == "PRON":
        return token.i not in printed
    if token.dep_ in {"det", "predet"}:
        return token.lower_ not in _QUANTIFIERS or token.lower_ in {"each", "every"}
    return token.dep_ == "punct" and token.text in {",", "(", '"', "“", "”"} and token.i == token.head.left_edge.i


def _is_vague(words: Sequence[Token], head: Token) -> bool:
    alone = all(t.pos_ in {"DET", "ADJ", "NUM", "ADV", "PUNCT"} for t in words) and len(words) <= 2
    unit = len(words) == 1 and _UNITS.match(head.text) is not None and not head.text[0].isupper()
    empty = not any(c.isalnum() for c in head.text) or (len(words) == 1 and len(head.text) == 1 and head.pos_ != "NUM")
    return (head.lower_ in _VAGUE and alone and not of_phrase(head)) or unit or empty


def _is_measure(token: Token) -> bool:
    """A number, a unit or the name of a day or month."""
    return token.pos_ == "NUM" or bool(_NUMBER.match(token.text) or _UNITS.match(token.text))


def _is_value(head: Token, words: Sequence[Token]) -> bool:
    """A date, time, quantity or bare number, which is a literal and not a thing."""
    if head.like_num or _NUMBER.match(head.text):
        return True
    if head.pos_ == "PROPN" and any(t.pos_ == "PROPN" for t in head.lefts) and not any(map(_is_measure, words[:-1])):
        return False  # “Charlie Day”
    numbers = [t for t in words if _NUMBER.match(t.text) or t.pos_ == "NUM"]
    counted = bool(numbers)
    before = [t for t in numbers if t.dep_ == "nummod" and t.i < head.i and _NUMBER.match(t.text)]
    if head.pos_ == "NOUN" and before and not (head.tag_ == "NN" and all(_YEAR.match(t.text) for t in before)):
        return True  # “320 seconds”, unlike “2013 film”
    measured = bool(_UNITS.match(head.text)) and (counted or head.ent_type_ in _MEASURES)
    return measured or (head.ent_type_ in {"DATE", "TIME", "PERCENT", "MONEY"} and counted)
