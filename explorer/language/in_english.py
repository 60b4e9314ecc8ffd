"""Questions in French and German as English ones, as far as question words, names, numbers and common properties go.

Facts of stores are compared with questions in English. A question in another language names its things as it is; what
it asks of them is told by few words, "né", "geboren", whose English is known here. It is no translation: what is not
known stays as it stands.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from explorer.language.foreign import is_stop_word, languages_of
from explorer.language.words import tokens

_ASKED = {
    "fr": {
        "qu est ce que c est que": "What is", "qu est ce que c est": "What is", "qu est ce que": "What is",
        "qu est ce qu": "What is", "c est quoi": "What is", "quand est ce que": "When", "où est ce que": "Where",
        "est ce que": "Is", "est ce qu": "Is", "quel est": "What is", "quelle est": "What is", "quels sont": "What are",
        "quelles sont": "What are", "combien de": "How many", "combien d": "How many", "combien": "How many",
        "quand": "When", "où": "Where", "qui": "Who", "pourquoi": "Why", "quel": "Which", "quelle": "Which",
        "quels": "Which", "quelles": "Which",
    },
    "de": {
        "wie viele": "How many", "wieviele": "How many", "wann": "When", "wo": "Where", "wer": "Who", "warum": "Why",
        "wieso": "Why", "weshalb": "Why", "was ist": "What is", "was sind": "What are", "was bedeutet": "What is",
        "was heißt": "What is", "wie lautet": "What is", "wie lauten": "What are", "welcher": "Which",
        "welche": "Which", "welches": "Which", "welchen": "Which",
        "wurde": "Was", "war": "Was", "ist": "Is", "hat": "Did",
    },
}  # fmt: skip
"""What a question begins with, without apostrophes and hyphens, longest first."""
_ACTS = {
    "fr": {
        "né née nés nées": "born", "mort morte morts décédé décédée": "died", "marié mariée": "married",
        "gagné remporté reçu reçus reçue obtenu obtenus gagna remporta reçut": "won", "fondé fondée": "founded",
        "écrit écrite écrits": "wrote", "découvert découverte découvrit": "discovered",
    },
    "de": {
        "geboren": "born", "gestorben starb verstorben": "died", "verheiratet": "married",
        "gewann gewonnen gewannen erhielt erhielten erhalten bekam bekommen": "won", "gegründet": "founded",
        "schrieb geschrieben": "wrote", "entdeckte entdeckt": "discovered",
    },
}  # fmt: skip
_NOUNS = {
    "fr": {
        "définition": "definition", "synonyme synonymes": "synonyms", "générique génériques": "broader concept",
        "spécifique spécifiques": "narrower concepts", "associé associés associée associées lié liés liée liées":
        "related", "lauréat lauréate lauréats": "laureates", "naissance": "birth", "décès": "death", "lieu": "place",
        "date": "date", "sexe": "gender", "ville": "city", "pays": "country", "année": "year", "nom": "name",
        "prix": "prizes", "nobelpreis": "Nobel Prize", "terme termes concept concepts": "concepts",
    },
    "de": {
        "definition bedeutung": "definition", "synonyme synonym": "synonyms", "oberbegriff oberbegriffe": "broader "
        "concept", "unterbegriff unterbegriffe": "narrower concepts", "verwandt verwandte verwandten": "related",
        "preisträger": "laureates", "geburtsort": "birth place", "geburtsdatum": "birth date", "sterbeort":
        "death place", "sterbedatum todesdatum": "death date", "geschlecht": "gender", "stadt": "city",
        "land": "country", "jahr": "year", "preise preis": "prizes", "nobelpreis nobelpreise": "Nobel Prize",
        "friedensnobelpreis": "Nobel Peace Prize", "begriff begriffe": "concepts",
    },
}  # fmt: skip
_SUBJECTS = {
    "fr": {"physique": "Physics", "chimie": "Chemistry", "médecine": "Medicine", "littérature": "Literature",
           "paix": "Peace", "économie": "Economics"},
    "de": {"physik": "Physics", "chemie": "Chemistry", "medizin": "Medicine", "literatur": "Literature",
           "frieden": "Peace", "wirtschaftswissenschaften": "Economics"},
}  # fmt: skip
_IN = {"fr": frozenset("à au aux en dans".split()), "de": frozenset({"in", "im"})}
_ANY = "concepts"
_PRIZE = re.compile(r"(?<!\w)prix Nobel(?!\w)", re.IGNORECASE)
_BASE = {"died": "die", "won": "win", "wrote": "write", "discovered": "discover"}  # the others are "was born"
_NOT_SAID = {"fr": frozenset("est sont a ont été t il elle ils elles ce fut été".split()),
             "de": frozenset("wurde wurden hat haben ist sind war waren als".split())}  # fmt: skip


@dataclass(slots=True)
class _Read:
    """What a question begins with, what was done, what it calls that; the things, and what stands behind "in"."""

    asked: str = ""
    act: str = ""
    nouns: list[str] = field(default_factory=list)
    things: list[str] = field(default_factory=list)
    within: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        """Return it as an English question."""
        things, within, nouns = " ".join(self.things), " ".join(self.within), " ".join(self.nouns)
        at = f" in {within}" if within else ""
        base, told = _BASE.get(self.act), self.act if self.act in _BASE else f"was {self.act}" if self.act else ""
        if self.asked.startswith("What"):
            of = " ".join(filter(None, (things, within)))
            return f"{self.asked} the {nouns} of {of}?" if nouns else f"{self.asked} {of}?"
        if self.asked == "Who":
            return f"Who {told or 'is'} {' '.join(filter(None, (nouns, things)))}{at}?"
        if self.asked in {"How many", "Which"}:
            if not told:
                return f"{self.asked} {nouns} of {things}{at}?"
            if base and things:
                return f"{self.asked} {nouns} did {things} {base}{at}?"
            return f"{self.asked} {nouns} {told.replace('was ', 'were ')} {things}{at}?"
        if self.asked in {"When", "Where", "Why"}:
            verb = f"did {things} {base}" if base else f"was {things} {self.act}"
            return f"{self.asked} {verb} {nouns}{at}?"
        if base:
            return f"Did {things} {base} {nouns}{at}?"
        return f"{'Was' if self.act else 'Is'} {things} {self.act or nouns}{at}?"


def in_english(question: str) -> str | None:
    """Return a question in French or German as an English one; None for one in another language, or in none of them."""
    for code in languages_of(question):
        if code in _ASKED and (read := _read(question, code)) is not None:
            return " ".join(str(read).split()).replace(" ?", "?")
    return None


def _read(question: str, code: str) -> _Read | None:
    """Read the words of a question one after another; None where it does not ask in the words of a language."""
    words = [part for word in tokens(_named_in_english(question, code)) for part in _parts(word)]
    read, place, where = _Read(), 0, "things"
    acts, nouns = _by_word(code, "acts"), _by_word(code, "nouns")
    while place < len(words):
        if not read.asked and (begun := _begun(words[place:], code, is_first=place == 0)):
            asked, length = begun
            read.asked, place = asked, place + length
            continue
        word, place = words[place], place + 1
        key = word.lower()
        if key in acts:
            read.act = acts[key]
        elif key in nouns and (where != "within" or word[0].islower()):
            read.nouns.append(nouns[key])
        elif key in _SUBJECTS[code]:
            read.things.append(_SUBJECTS[code][key])
        elif key in _IN[code]:
            where = "within"
        elif key not in _NOT_SAID[code] and not (is_stop_word(word, code) and word[0].islower()):
            (read.within if where == "within" else read.things).append(word)
    if code == "fr":
        read.nouns.reverse()  # "date de naissance"
    read.nouns = [noun for noun in read.nouns if noun != _ANY or len(read.nouns) == 1]
    return read if read.asked or read.act else None


def _begun(words: list[str], code: str, *, is_first: bool) -> tuple[str, int] | None:
    """Return the English of the words that some begin with, and how many these are."""
    lowered = [word.lower() for word in words]
    for said, english in _ASKED[code].items():
        parts = said.split()
        if lowered[: len(parts)] == parts and (is_first or english not in {"Was", "Is", "Did"}):
            return english, len(parts)
    return None


def _parts(word: str) -> Iterator[str]:
    """Yield a word, or the parts of one that is joined by hyphens and has none but words of grammar, "est-ce"."""
    parts = word.split("-")
    yield from parts if all(part.islower() and part.isalpha() for part in parts[1:]) else [word]


@lru_cache
def _by_word(code: str, kind: str) -> dict[str, str]:
    table = {"acts": _ACTS, "nouns": _NOUNS}[kind][code]
    return {word: english for words, english in table.items() for word in words.split()}


def _named_in_english(question: str, code: str) -> str:
    """Return a question with the countries in it as they are called in English, and a name of two words as one."""
    text = _PRIZE.sub("Nobelpreis", unicodedata.normalize("NFC", question))
    for own, english in _countries(code):
        text = re.sub(rf"(?<!\w){re.escape(own)}(?!\w)", english, text)
    return text


@lru_cache
def _countries(code: str) -> tuple[tuple[str, str], ...]:
    from babel import Locale

    own, english = Locale(code).territories, Locale("en").territories
    named = {own[key]: name for key, name in english.items() if key in own and key.isalpha() and own[key] != name}
    return tuple(sorted(named.items(), key=lambda one: -len(one[0])))
