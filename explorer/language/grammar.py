"""The grammar of a parsed sentence, read off its dependency tree: subjects, negation, and what is only supposed.

The labels are those of spaCy's English models (CLEAR: nsubj, dobj, pobj, agent …).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.language.noun_phrases import name_end, of_phrase

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spacy.tokens import Token

_ALL_OF_MANY = frozenset("any each every no all some those".split())  # determiners
SUBJECTS = frozenset({"nsubj", "nsubjpass"})
_OBJECTS = frozenset({"dobj", "attr", "oprd", "npadvmod"})
BEFORE = frozenset({"aux", "auxpass", "neg"})
_HEDGES = frozenset(
    "probably perhaps possibly never almost nearly only hardly barely likely apparently partly not "
    "longer allegedly supposedly rarely seldom often usually sometimes".split()
)
_UNREAL = frozenset({"if", "unless", "whether", "though", "lest", "than"})
_ASIDES = frozenset(
    "example fact addition turn all course particular effect length once least last hand risk order "
    "exchange spite case time general part".split()
)
_HOURS = frozenset("late early dark light morning evening night noon midnight dawn dusk winter summer".split())
_WITH_MANNER = frozenset({"in", "on", "at", "by", "under", "out"})
_MANNERS = frozenset(  # nouns that after these, without an article, say how, and no thing
    "flight place use service operation motion transit advance detail person practice principle theory public private "
    "secret vain trouble danger doubt need question progress error mistake accident chance hand heart foot duty "
    "purpose schedule time sight short sum total charge control contact touch force mind line sequence parallel "
    "series succession silence peace anger haste pursuit response reply return earnest jest random will ease fault "
    "work rest large first night day dawn noon".split()
)
_COMMENTING = frozenset("like unlike without except besides despite than due".split())
_BESIDE = frozenset("because since while after before as although though when where".split())
_NOBODY = frozenset({"GPE", "LOC", "FAC", "DATE", "TIME", "CARDINAL", "WORK_OF_ART", "EVENT"})
_NEVER = frozenset("event case circumstance way time account condition mean means instance point".split())
DIRECTIONS = frozenset("apart back away up down out off".split())
_INCOMPLETE = frozenset(  # verbs that say nothing without an object, or what stands in its place
    "accept afford allow ask avoid bring buy cause choose comprise consider contain create deny deserve describe "
    "encounter enjoy ensure equal exceed expect face find force get give grant have include indicate involve keep lack "
    "last let like make mean need obtain offer owe own prevent propose prove provide pull put receive refuse replace "
    "represent require resemble reveal say see seek seem send set show spend suggest take tell think threaten treat "
    "use want weigh wish yield".split()
)
_ANYONE = frozenset("person one man woman people men women thing".split())  # “is the person who …”
_SHAPING = frozenset(
    "keep make leave let require allow cause consider regard find render enable force see hear call name term".split()
)
_SAYING = frozenset(
    "say tell ask want find show mean think believe know claim state report argue suggest recommend propose announce "
    "hope expect require order decide conclude note assume fear".split()
)
_THINKING = frozenset(
    "suspect believe think fear assume guess suppose expect hope doubt imagine speculate wonder presume".split()
)
_TOLD = frozenset("show find found conclude prove demonstrate discover learn reveal confirm establish report".split())


def direct_objects(verb: Token) -> list[Token]:
    """Objects and complements that are affirmed; a list after a plural “are” is one thing and is left out."""
    found = [child for child in verb.children if child.dep_ in _OBJECTS and not is_adverbial(child)]
    affirmed = [t for t in found if not any(c.lower_ in {"neither", "not", "nor"} for c in t.children)]
    return [t for t in affirmed if not (t.dep_ == "attr" and len(conjoined(t)) > 1 and is_plural(verb))]


def listed_complements(verb: Token) -> list[Token]:
    """“The members were Ann Lee and Bob Hart”: the first of several names that a plural subject is said to be."""
    found = [child for child in verb.children if child.dep_ == "attr" and child.pos_ == "PROPN"]
    return [t for t in found if len(conjoined(t)) > 1 and is_plural(verb)]


def has_to(verb: Token) -> bool:
    """An infinitive with “to”."""
    return any(child.dep_ == "aux" and child.lower_ == "to" for child in verb.children)


def is_plural(verb: Token) -> bool:
    """Said of several things together: “the members were A and B”, where neither is the members."""
    subject = next((child for child in verb.children if child.dep_ in SUBJECTS), None)
    if subject is None:
        return verb.lower_ in {"are", "were"}
    return subject.tag_ in {"NNS", "NNPS"} or subject.lower_ in {"they", "we", "these", "those"}


def says_more(verb: Token) -> bool:
    """“knew from the gauge that …”, “had to be done before noon”: the clause is the point."""
    clauses = {c.dep_ for c in verb.children if c.i > verb.i}
    return "ccomp" in clauses or ("xcomp" in clauses and verb.lemma_ == "have")


def has_mark(clause: Token) -> bool:
    """Begun by “because”, “that” and the like."""
    return any(child.dep_ == "mark" for child in clause.children)


def is_shaping(verb: Token) -> bool:
    """“kept them alive”, “made it open”: the object alone is not what was done."""
    if verb.lemma_.lower() not in _SHAPING or any(c.dep_ == "auxpass" for c in verb.children):
        return False
    small = any(c.dep_ in {"ccomp", "xcomp", "oprd", "acomp", "advcl"} and c.i > verb.i for c in verb.children)
    twice = sum(c.dep_ in {"dobj", "attr", "oprd", "dative"} for c in verb.children) > 1
    return small or twice or any(c.dep_ == "prep" and c.lower_ == "as" for c in verb.children)


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
    if verb.dep_ == "acl" and verb.tag_ in {"VBN", "VBG"} and verb.head.pos_ in {"NOUN", "PROPN"}:
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
    if first.lower_ in _ANYONE:
        return own or conjoined(noun)
    if any(child.dep_ == "neg" for child in first.head.children):
        return []
    said_of_it = not has_article(first) or _has_indefinite_article(first)
    return own if own and (said_of_it or own[0].pos_ in {"PROPN", "PRON"}) else conjoined(noun)


def name_behind(noun: Token) -> Token | None:
    """“the film Palo Alto”, “his father, Nestor Lambre,”: the name that stands right behind what it is a name of."""
    if any(child.dep_ == "det" and child.lower_ not in {"the", "this"} for child in noun.children):
        return None
    found = next((child for child in noun.rights if child.dep_ == "appos" and child.pos_ == "PROPN"), None)
    if found is None:
        return None
    between = noun.doc[noun.i + 1 : found.left_edge.i].text
    owned = any(child.dep_ == "poss" or child.lower_ == "the" for child in noun.children) and not list(found.conjuncts)
    return found if not between or (between == "," and owned) else None


def is_expletive(token: Token) -> bool:
    """“It was clear that …”, “it took an hour to …”, “it was Lovell who …”, “it was after nine”: no thing."""
    verb = token.head
    if token.dep_ not in SUBJECTS or verb.pos_ not in {"VERB", "AUX"}:
        return False
    later = [c for c in verb.children if c.i > verb.i]
    clauses = {c.dep_ for c in later}
    if token.dep_ == "nsubjpass" or verb.lemma_ in {"seem", "appear", "happen", "turn", "take", "mean", "follow"}:
        return bool(clauses & {"ccomp", "csubj", "csubjpass"} or (verb.lemma_ == "take" and "xcomp" in clauses))
    complements = [c for c in later if c.dep_ in {"acomp", "attr"}]
    deeper = {c.dep_ for complement in complements for c in complement.children if c.i > complement.i}
    is_copula = verb.lemma_ in {"be", "become", "seem"} and complements
    weather = any(c.ent_type_ in {"DATE", "TIME"} or c.lower_ in _HOURS for c in complements)
    is_hour = not complements and any(
        c.dep_ == "prep" and any(one.dep_ == "pobj" and one.ent_type_ == "TIME" for one in c.children) for c in later
    )
    if verb.lemma_ == "be" and is_hour:
        return True
    cleft = any(c.dep_ == "attr" and c.pos_ == "PROPN" for c in complements) and "relcl" in deeper
    return bool(
        is_copula and (clauses & {"ccomp", "csubj", "xcomp"} or deeper & {"ccomp", "xcomp"} or weather or cleft)
    )


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
    while token.lower_ == "who" and noun.dep_ == "pobj" and (noun.ent_type_ in _NOBODY or noun.like_num):
        noun = noun.head.head  # “a player from Italy, who …”
    if noun.pos_ not in {"NOUN", "PROPN"}:
        return None
    last = max((t.i for t in noun.subtree if t.i < token.i), default=noun.i)
    far = token.nbor(-1).text == "," and last - noun.i > (3 if noun.i == clause.head.i else 8)
    return None if far else noun


def relative_object(verb: Token) -> Token | None:
    """“the tank that the crew stirred”: the noun before is what was stirred."""
    if verb.dep_ != "relcl":
        return None
    pronoun = next((c for c in verb.children if c.dep_ == "dobj" and c.tag_ in {"WDT", "WP"}), None)
    is_known = verb.head.pos_ in {"NOUN", "PROPN"} and not restriction(verb.head)
    return verb.head if pronoun is not None and is_known else None


def shared_object(verb: Token) -> Token | None:
    """“filled and emptied the tank”: an object that stands after the last of several verbs."""
    if any(child.dep_ in {"prep", "agent", "xcomp", "ccomp", "acomp", "attr"} for child in verb.children):
        return None
    following = next((c for c in verb.children if c.dep_ == "conj" and c.pos_ == "VERB" and c.i - verb.i == 2), None)
    if following is None:
        return None
    return next((c for c in following.children if c.dep_ == "dobj"), None)


def shared_agent(verb: Token) -> Token | None:
    """“written and directed by Gia Coppola”: who stands after the last of several participles did the first, too."""
    if verb.tag_ != "VBN" or any(child.dep_ in {"prep", "agent", "xcomp", "ccomp"} for child in verb.children):
        return None
    following = next((c for c in verb.children if c.dep_ == "conj" and c.tag_ == "VBN" and c.i - verb.i <= 4), None)
    if following is None:
        return None
    return next((c for c in following.children if c.dep_ == "agent"), None) or shared_agent(following)


def attribution(verb: Token) -> float:
    """1 for what the sentence says itself, less for what it reports, 0 for what somebody merely thought."""
    later = any(c.dep_ == "mark" and c.lower_ in {"before", "until"} for c in verb.children)
    certainty = 0.5 if later else 1.0
    for clause in (verb, *verb.ancestors):
        if clause.dep_ == "acl" and any(c.dep_ == "mark" for c in clause.children):
            return 0.0  # “the thought that …”
        if clause.dep_ in {"ccomp", "pcomp", "csubj"} and clause.head.pos_ in {"VERB", "AUX", "ADJ", "NOUN"}:
            told = clause.head.lemma_.lower() in _TOLD and not any(c.dep_ == "neg" for c in clause.head.children)
            certainty *= 0.75 if told and clause.dep_ == "ccomp" else 0.0
    return certainty


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
    return clause.lower_ in {"provided", "providing"} and clause.left_edge.i == clause.i


def is_beside(clause: Token) -> bool:
    """Whether an adverbial clause only says when or why, so that what it stands beside is said without it."""
    return any(c.i < clause.i and c.lower_ in _BESIDE for c in clause.children)


def denies(verb: Token) -> bool:
    """“In no event shall …”, “neither A nor B …”: what is said is not so, though no “not” stands at the verb."""
    for child in verb.children:
        pobj = next((c for c in child.children if c.dep_ == "pobj"), None) if child.dep_ == "prep" else None
        if pobj is not None and pobj.lemma_ in _NEVER and any(c.lower_ == "no" for c in pobj.children):
            return True
        if child.dep_ in SUBJECTS and any(c.lower_ in {"neither", "nor"} for c in child.children):
            return True
    return verb.dep_ in {"conj", "xcomp"} and verb.head.pos_ in {"VERB", "AUX"} and denies(verb.head)


def is_unreal(verb: Token) -> bool:
    """Inside a condition or a question, or said of what did not happen: “would have been”."""
    clauses = (verb, *verb.ancestors)
    if any(c.dep_ == "mark" and c.lower_ in _UNREAL for clause in clauses for c in clause.children):
        return True
    if any(clause.dep_ == "advcl" and is_condition(clause) for clause in clauses):
        return True
    marks = {c.lower_ for c in verb.children if c.dep_ == "mark"}
    if verb.dep_ == "advcl" and marks & {"before", "until", "till"} and _is_supposed(verb.head):
        return True  # “would have turned it round before it reached the Moon”
    purpose = "that" in marks and verb.dep_ == "advcl"
    if purpose and any(c.lower_ in {"would", "might"} for c in verb.children):
        return True  # “so that it would not be disturbed”
    compared = any(c.lower_ in {"as", "like"} and c.dep_ == "mark" for c in verb.children)
    asked = verb.dep_ in {"ccomp", "pcomp"} and any(
        c.tag_ in {"WRB", "WP", "WDT"} for c in verb.subtree if c.i < verb.i
    )
    return _is_supposed(verb) or compared or asked


def is_only_thought(verb: Token) -> bool:
    """“suspected that a stone had hit it”, “hoped to land”: what a clause says that somebody merely thought."""
    clause = verb
    while clause.dep_ in {"conj", "xcomp"} and clause.head.lemma_ not in _THINKING and clause.head.pos_ == "VERB":
        clause = clause.head
    return clause.dep_ in {"ccomp", "xcomp"} and clause.head.lemma_ in _THINKING


def _is_supposed(verb: Token) -> bool:
    """“would have been”, “could have failed”."""
    words = {c.lower_ for c in (*verb.children, *inherited_auxiliaries(verb)) if c.dep_ in {"aux", "auxpass"}}
    return bool(words & {"would", "should", "could", "might", "must"}) and "have" in words


def belongs_to_predicate(child: Token, verb: Token) -> bool:
    """Auxiliaries, negation, particles, hedges: what changes the meaning of a verb."""
    if child.dep_ in BEFORE or child.dep_ == "prt":
        return True
    if child.dep_ != "advmod":
        return False
    hedge = child.lower_ in _HEDGES and (child.i < verb.i or verb.pos_ == "AUX")
    direction = child.lower_ in DIRECTIONS or (child.lower_ == "together" and child.i == verb.i + 1)
    # an adverb between the auxiliary and the verb: “had originally been installed”
    first = min((c.i for c in verb.children if c.dep_ in {"aux", "auxpass"}), default=verb.i)
    return hedge or direction or (not list(child.children) and first < child.i < verb.i)


def with_prefix(verb: Token) -> list[Token]:
    """“short-circuited” is one verb in three tokens."""
    before = verb.doc[max(0, verb.i - 2) : verb.i]
    joined = len(before) == 2 and before[1].text == "-" and not before[0].whitespace_ and not before[1].whitespace_
    return [*before, verb] if joined else [verb]


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
    return [token, *(other for other in token.conjuncts if other.i > name_end(token) and not _begins_clause(other))]


def _begins_clause(noun: Token) -> bool:
    """“A could be emptied in the usual way and B could not”: what the parser joins to the way is the next subject."""
    after = noun.right_edge.i + 1
    return after < len(noun.doc) and noun.doc[after].tag_ == "MD"


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


def lacks_object(verb: Token, auxiliaries: Sequence[Token]) -> bool:
    """Whether a verb is one that says nothing without an object and was not done to its subject: “could get”."""
    return verb.lemma_ in _INCOMPLETE and not any(one.dep_ == "auxpass" for one in auxiliaries)


def reported(verb: Token) -> tuple[str, list[Token]] | None:
    """What a verb says, shows or asks for in a clause of its own: “that” or nothing, and the clause."""
    for clause in verb.children:
        if clause.dep_ == "ccomp" and clause.i > verb.i and clause.pos_ in {"VERB", "AUX"}:
            asked = any(t.tag_ in {"WRB", "WP", "WDT"} for t in clause.children if t.i < clause.i)
            words = [t for t in clause.subtree if not t.is_space]
            mark = next((t for t in clause.children if t.dep_ == "mark"), None)
            own = any(c.dep_ in SUBJECTS for c in clause.children)
            if asked or not own or (mark is not None and mark.lower_ != "that"):
                return None
            if mark is not None:
                return "that", [t for t in words if t.i > mark.i]
            if verb.lemma_ in _SAYING and words[0].i > verb.i:
                return ("", words) if has_to(clause) else ("that", words)
    return None


def how(verb: Token) -> list[Token]:
    """“went smoothly”, “were off”: the adverb right behind a verb that says no more."""
    adverbs = [c for c in verb.rights if c.dep_ in {"advmod", "prt"} and not list(c.children) and c.i == verb.i + 1]
    return [c for c in adverbs if c.lower_ not in {"too", "also", "again", "then", "there", "here", "so", "thus"}]


def is_short_adverb(token: Token) -> bool:
    """One word after the verb or adjective: “used before”, “good enough”."""
    return token.dep_ == "advmod" and not list(token.children)


def is_aside(prep: Token, pobj: Token) -> bool:
    """Phrases that comment on the sentence instead of saying something about its subject."""
    before = prep.doc[max(0, prep.i - 1)]
    if before.lower_ == "not" and before.i > 0 and prep.doc[before.i - 1].text in {",", "and", "but", ";", "–", "—"}:
        return True  # “at runtime, not at compile time”
    if prep.lower_ == "with" and prep.i < prep.head.i:
        return True  # “with the computer off, the crew …”
    if prep.lower_ == "as" and prep.i != prep.head.i + 1:
        return True  # unlike “served as pilot”
    first = prep.left_edge.i
    bounded = first > 0 and prep.doc[first - 1].lower_ in {"until", "till"}
    compound = any(c.dep_ == "compound" for c in pobj.lefts)  # “at compile time”
    if prep.lower_ == "in" and pobj.lower_ in {"way", "manner", "fashion"}:
        return True
    is_bare = pobj.tag_ == "NN" and not any(pobj.children) and prep.head.lemma_ != "be"
    if is_bare and prep.lower_ in _WITH_MANNER and pobj.lower_ in _MANNERS:
        return True  # “exploded in flight”
    return bounded or prep.lower_ in _COMMENTING or (pobj.lower_ in _ASIDES and not of_phrase(pobj) and not compound)


def is_adverbial(token: Token) -> bool:
    """A noun used as an adverb, unless it measures: “dropped about 2 inches”, not “this time”."""
    if token.dep_ != "npadvmod":
        return token.tag_ in {"WDT", "WP"}
    following = token.doc[token.i + 1] if token.i + 1 < len(token.doc) else token
    return following.lower_ in {"after", "before", "from", "later", "earlier", "ago"} or not any(
        child.pos_ == "NUM" for child in token.children
    )


def has_article(token: Token) -> bool:
    """Introduced by “the” or “a”."""
    return any(child.dep_ == "det" and child.lower_ in {"the", "a", "an"} for child in token.children)


def _has_indefinite_article(token: Token) -> bool:
    return any(child.dep_ == "det" and child.lower_ in {"a", "an"} for child in token.children)
