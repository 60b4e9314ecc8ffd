"""The grammar of a parsed sentence, read off its dependency tree: subjects, negation, and what is only supposed.

The labels are those of spaCy's English models (CLEAR: nsubj, dobj, pobj, agent …).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.language.noun_phrases import of_phrase

if TYPE_CHECKING:
    from spacy.tokens import Token

_ALL_OF_MANY = frozenset("any each every no all some those".split())  # determiners
SUBJECTS = frozenset({"nsubj", "nsubjpass"})
_OBJECTS = frozenset({"dobj", "attr", "oprd"})
BEFORE = frozenset({"aux", "auxpass", "neg"})
_PLACES = frozenset({"GPE", "LOC", "FAC", "DATE"})
_NEAR = 3  # words between a noun and the comma before what more is said of it
_HEDGES = frozenset(
    "probably possibly almost nearly only hardly barely likely apparently partly longer allegedly rarely".split()
)
_UNREAL = frozenset({"if", "unless", "whether", "though", "lest", "than", "as", "like", "before", "until"})
_FACTUAL = frozenset("show find discover prove reveal confirm".split())  # what these say was so
_NONE = frozenset({"no", "neither", "nor"})


def direct_objects(verb: Token) -> list[Token]:
    """Objects and complements that are affirmed, dates and measures without a preposition among them."""
    found = (
        child for child in verb.children if child.tag_ not in {"WDT", "WP"}
        and (child.dep_ in _OBJECTS or (child.dep_ == "npadvmod" and any(c.pos_ == "NUM" for c in child.children)))
    )  # fmt: skip
    return [t for t in found if not any(c.lower_ in {"neither", "not", "nor"} for c in t.children)]


def subjects_of(verb: Token) -> tuple[list[Token], float]:
    """Subject tokens and how far the rule that found them can be trusted."""
    own = [child for child in verb.children if child.dep_ in SUBJECTS]
    if own:
        helpers = {c.lower_ for c in verb.children if c.dep_ in {"aux", "auxpass"}}
        is_finite = bool(helpers or inherited_auxiliaries(verb)) if verb.tag_ == "VBG" else helpers != {"to"}
        if not is_finite:
            return [], 0.0  # “for a team to play”, “with Morgan Freeman reprising his role”
        relative = [antecedent(token) for token in own]
        if relative == own:
            return [t for token in own for t in conjoined(token)], 1.0
        known = (t for token in relative if token is not None for t in described(token))
        told = [t for t in known if t.i < verb.i]  # not what is joined behind the clause
        return [t for t in told if _is_aside(verb) or not restriction(t)], 0.85
    if verb.dep_ == "conj" and verb.head.pos_ in {"VERB", "AUX"} and _shares_subject(verb):
        shared, certainty = subjects_of(verb.head)
        return shared, certainty * 0.9
    is_participle = verb.tag_ == "VBN" or (verb.tag_ == "VBG" and direct_objects(verb))
    if verb.dep_ == "acl" and is_participle and verb.head.pos_ in {"NOUN", "PROPN"}:
        return [t for t in described(verb.head) if not is_any(t)], 0.8
    return [], 0.0


def restriction(noun: Token) -> list[Token]:
    """What tells of which of many something is said: “members who do not pay”, “any file named so”, “users in a group”.

    Nothing where one thing is meant, “the tank that failed”, or where the words only say more, after a comma.
    """
    if not (is_any(noun) or noun.tag_ in {"NNS", "NNPS"} or _has_indefinite_article(noun)):
        return []
    is_known = not is_any(noun) and any(child.dep_ in {"det", "poss"} for child in noun.children)
    kinds = {"relcl", "acl", "prep"} if noun.dep_ in SUBJECTS and not is_known else {"relcl", "acl"}
    for child in noun.rights:
        if child.dep_ in kinds and child.lower_ != "of" and not _is_aside(child):
            words = [t for t in noun.doc[child.left_edge.i : child.right_edge.i + 1] if not t.is_space]
            return words[:-1] if words[-1].text in {",", ".", ";", ":"} else words
    return []


def _is_aside(clause: Token) -> bool:
    """Whether words behind a noun only say more of it: “the tank, which failed”."""
    return clause.doc[max(0, clause.left_edge.i - 1)].text in {",", "(", "–", "—"}


def is_any(noun: Token) -> bool:
    """Whether something is said of all of many: “any file”, “every member”."""
    return any(child.dep_ == "det" and child.lower_ in _ALL_OF_MANY for child in noun.children)


def _shares_subject(verb: Token) -> bool:
    """“built and tested”; of bare and “-ing” forms only those of participles: “directed by …, and starring …”."""
    return verb.tag_ not in {"VB", "VBG"} or (verb.tag_ == "VBG" and verb.head.dep_ == "acl")


def described(noun: Token) -> list[Token]:
    """What a clause behind a noun is said of: in “X is a film directed by Y” and “X, a film directed by Y” it is X."""
    head = noun.head
    if noun.dep_ == "appos" and head.pos_ == "PROPN" and _has_indefinite_article(noun):
        return [head]
    first = noun
    while first.dep_ == "conj" and first.head.pos_ in {"NOUN", "PROPN"}:
        first = first.head  # “a physicist and chemist who …”
    if first.dep_ != "attr" or first.head.lemma_ not in {"be", "become", "remain"}:
        return conjoined(noun)
    own, _ = subjects_of(first.head)
    if any(child.dep_ == "neg" for child in first.head.children):
        return []
    said_of_it = not has_article(first) or _has_indefinite_article(first)
    return own if own and (said_of_it or own[0].pos_ in {"PROPN", "PRON"}) else conjoined(noun)


def antecedent(token: Token) -> Token | None:
    """The noun that a relative pronoun stands for; another token stands for itself."""
    if token.tag_ not in {"WDT", "WP", "WP$"} and not (token.lower_ == "that" and token.head.dep_ == "relcl"):
        return token
    clause = token.head
    while clause.dep_ in {"conj", "xcomp", "ccomp"}:
        clause = clause.head
    if clause.dep_ != "relcl" or clause.head.pos_ not in {"NOUN", "PROPN"}:
        return None
    noun = clause.head
    while token.lower_ == "who" and noun.dep_ == "pobj" and noun.ent_type_ in _PLACES:
        noun = noun.head.head  # “a player from Italy, who …”
    last = max((t.i for t in noun.subtree if t.i < token.i), default=noun.i)
    return None if token.nbor(-1).text == "," and last - noun.i > _NEAR else noun


def shared_agent(verb: Token) -> Token | None:
    """“written and directed by Gia Coppola”: who stands after the last of two participles did the first, too."""
    last = next((c for c in verb.children if c.dep_ == "conj" and c.tag_ == verb.tag_ == "VBN"), None)
    own = [c for of in (verb, last) if of is not None for c in of.children if c.dep_ == "agent"]
    return own[0] if last is not None and own and own[0].head.i == last.i else None


def is_denied(verb: Token) -> bool:
    """“Neither A nor B …”, “in no event …”: what is said is not so, though no “not” stands at the verb."""
    return any(t.lower_ in _NONE and t.dep_ in {"det", "preconj", "cc"} for child in verb.lefts for t in child.subtree)


def is_reported(verb: Token) -> bool:
    """Whether a clause is what somebody said or thought, or what a noun is the thought of."""
    for clause in (verb, *verb.ancestors):
        if clause.dep_ == "acl" and any(c.dep_ == "mark" for c in clause.children):
            return True  # “the thought that …”
        if clause.dep_ in {"ccomp", "pcomp", "csubj"} and clause.head.pos_ in {"VERB", "AUX", "ADJ", "NOUN"}:
            return clause.dep_ != "ccomp" or clause.head.lemma_ not in _FACTUAL
    return False


def condition(verb: Token) -> list[Token] | None:
    """The clause on which it depends whether something is so: “unless an error occurs”; None where there is none.

    What happened “when …” did happen; what happens “when …” happens only then.
    """
    first = verb
    while first.dep_ in {"conj", "xcomp"} and first.head.pos_ in {"VERB", "AUX", "ADJ"}:
        first = first.head
    for clause in (child for head in {verb.i: verb, first.i: first}.values() for child in head.children):
        if clause.dep_ == "advcl" and is_condition(clause):
            found = [t for t in clause.subtree if not t.is_space]
            return found[: -1 if found[-1].is_punct else None]
    return None


def is_condition(clause: Token) -> bool:
    """Whether a clause says when something would be so: “if …”, “unless …”, “when …” in the present tense."""
    for child in clause.children:
        if child.dep_ == "mark" and child.lower_ in {"if", "unless"}:
            return True
        if child.i < clause.i and child.lower_ in {"when", "whenever", "once", "until", "provided", "wherever"}:
            words = [clause, *(c for c in clause.children if c.dep_ in {"aux", "auxpass"})]
            return not any(t.tag_ == "VBD" for t in words) and any(t.tag_ in {"VBZ", "VBP", "MD"} for t in words)
    return False


def is_unreal(verb: Token) -> bool:
    """Inside a condition or a question, or said of what did not happen: “would have been”."""
    clauses = (verb, *verb.ancestors)
    if any(c.dep_ == "mark" and c.lower_ in _UNREAL for clause in clauses for c in clause.children):
        return True
    if any(clause.dep_ == "advcl" and is_condition(clause) for clause in clauses):
        return True
    words = {c.lower_ for c in (*verb.children, *inherited_auxiliaries(verb)) if c.dep_ in {"aux", "auxpass"}}
    return bool(words & {"would", "should", "could", "might", "must"}) and "have" in words


def belongs_to_predicate(child: Token, verb: Token) -> bool:
    """Auxiliaries, negation, particles, and adverbs that take something back: what changes the meaning of a verb."""
    if child.dep_ in BEFORE or child.dep_ == "prt":
        return True
    if child.dep_ != "advmod" or any(child.rights):
        return False
    first = min((c.i for c in verb.children if c.dep_ in {"aux", "auxpass"}), default=verb.i)
    return child.lower_ in _HEDGES or first < child.i < verb.i


def inherited_auxiliaries(verb: Token) -> list[Token]:
    """“was removed and replaced”: the second verb lives on the first one's auxiliary."""
    first = verb.head
    auxiliaries = [child for child in first.children if child.dep_ in BEFORE]
    same_form = verb.tag_ == first.tag_ and verb.tag_ in {"VBN", "VBG", "VB"}
    return auxiliaries if same_form else []


def conjoined(token: Token) -> list[Token]:
    """The token and what is joined to it by “and”, “or” or commas, but not by “but not”."""
    excluded = {"but", "not", "nor", "than"}
    if of_phrase(token) and token.dep_ in SUBJECTS:
        return [token]  # “the wires of the heaters, the fans and the sensors”: of the fans, too
    if any(child.lower_ in excluded and child.dep_ in {"cc", "neg"} for child in token.children):
        return [token]
    return [token, *(other for other in token.conjuncts if other.i > token.i)]


def preposition_of(prep: Token) -> tuple[str, Token | None]:
    """The words of a preposition (“out of”, “because of”) and its object."""
    left = [t for t in prep.lefts if t.dep_ in {"advmod", "npadvmod", "pcomp"} and t.right_edge.i == prep.i - 1]
    words = [*(t.text for child in left for t in child.subtree), prep.text]
    for child in prep.rights:
        if child.dep_ == "pobj":
            return " ".join(words).lower(), child
        if child.dep_ == "prep" and child.i == prep.i + 1:
            inner, pobj = preposition_of(child)
            return " ".join([*words, inner]).lower(), pobj
    return " ".join(words).lower(), None


def is_aside(prep: Token, pobj: Token) -> bool:
    """Whether a bare noun behind a preposition is no thing, “in flight”, or is not meant, “not at noon”."""
    is_bare = prep.lower_ in {"in", "on"} and pobj.tag_ == "NN" and not any(pobj.lefts)
    return is_bare or prep.doc[max(0, prep.i - 1)].lower_ == "not"


def is_expletive(token: Token) -> bool:
    """“It was clear that …”, “it is possible to …”: no thing."""
    below = {c.dep_ for child in token.head.children for c in (child, *child.children) if child.i > token.head.i}
    return token.dep_ == "nsubj" and token.head.lemma_ == "be" and not below.isdisjoint({"ccomp", "xcomp", "csubj"})


def has_article(token: Token) -> bool:
    """Introduced by “the” or “a”."""
    return any(child.dep_ == "det" and child.lower_ in {"the", "a", "an"} for child in token.children)


def _has_indefinite_article(token: Token) -> bool:
    return any(child.dep_ == "det" and child.lower_ in {"a", "an"} for child in token.children)
