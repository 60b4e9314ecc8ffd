"""Verbs, and the nouns made of them, that say nearly the same, by their stems."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache

from explorer.language.words import stem

SYNONYMS = [group.split() for group in (
    "found founder foundation establish start create creator set begin institute launch inaugurate",
    "make maker appoint elect crown manufacture manufacturer build builder produce producer construct create supply",
    "build builder make maker construct construction erect assemble manufacture manufacturer produce create raise",
    "establish founder foundation found start create creator set begin institute launch introduce",
    "create creator make maker found build design develop invent introduce",
    "construct construction build builder make erect assemble",
    "produce producer make maker manufacture manufacturer build create",
    "invent inventor devise develop developer create creator design conceive pioneer introduce originate",
    "design designer draw plan create develop lay architect",
    "write writer author pen compose publish draft print book text script",
    "give gift grant donate present award hand provide supply lend bestow offer confer",
    "find discover discovery detect locate notice spot identify see observe come",
    "take bring carry seize capture steal remove photograph get grab",
    "repair mend fix restore overhaul patch rebuild service",
    "say state report tell announce declare claim answer explain note remark write call",
    "buy purchase acquire acquisition order pay obtain sell offer",
    "win victory defeat beat victor champion gain triumph conquer conquest",
    "lose defeat loss defeated beat",
    "kill murder assassinate shoot slay die death execute",
    "die death dead kill",
    "lead leader head command commander captain direct run chair govern rule king president chief charge",
    "rule ruler reign king queen emperor govern lord control conquer",
    "own owner property belong possess hold buy",
    "choose choice select pick elect appoint decide decision opt prefer name",
    "decide decision choose vote resolve rule agree determine settle",
    "reject rejection refuse decline turn dismiss deny",
    "rise increase grow climb go raise up higher more",
    "fall decrease drop decline sink reduce go lower less down",
    "move transfer shift relocate postpone migrate go change",
    "cancel cancellation call abandon scrap drop abort",
    "stop halt end cease prevent shut",
    "end finish close conclude complete stop terminate over until last",
    "start begin commence break ignite launch",
    "begin start open commence launch first",
    "fail failure break crash collapse fault malfunction",
    "failure fail break crash collapse fault malfunction",
    "need require requirement necessary must demand",
    "use employ apply utilise utilize operate run with by",
    "help assist support aid",
    "purchase buy acquire acquisition order pay obtain sell offer",
    "pay payment fund finance cost fee charge spend",
    "marry marriage wife husband wed spouse",
    "bear born birth child son daughter mother father",
    "play actor actress star portray role perform appear",
    "sing singer song vocal perform record",
    "teach teacher professor instruct lecture tutor train",
    "attack assault invade invasion raid strike bomb storm",
    "leave depart departure quit resign exit withdraw go abandon flee",
    "join enter member become",
    "send sent dispatch mail ship transmit forward",
    "get receive obtain gain acquire win earn take",
    "obtain get receive gain acquire take buy win secure",
    "defeat beat conquer conquest crush overcome rout victory win overthrow",
    "attend present guest visit",
    "forbid prohibit ban bar outlaw disallow allow",
    "allow permit permission let enable authorise authorize may can able",
    "describe depict explain characterise characterize",
    "change alter modify replace revise amend switch",
    "succeed follow successor replace",
    "check inspect examine test verify review inspection",
    "install set mount fit put",
    "measure test gauge record survey read",
    "want wish desire seek ask try",
    "think believe consider regard hold view",
    "have own possess with hold carry include",
    "submit submission deliver hand send file present",
    "approve approval accept agree pass consent sanction",
    "oppose opponent against object resist",
    "protect guard defend shield safeguard prevent against",
    "remove delete take strip drop eliminate",
    "break damage destroy spoil wreck smash",
    "live inhabit reside resident home dwell settle lifespan lifetime life age old",
    "work employee employ job serve",
    "call name term refer title dub known",
    "avoid prevent refrain escape",
    "become be turn get grow gain",
)]  # fmt: skip


@lru_cache(maxsize=1)
def _groups() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for group in SYNONYMS:
        keys = {stem(word) for word in group}
        found.setdefault(stem(group[0]), set()).update(keys)
    return {key: frozenset(keys) for key, keys in found.items()}


def synonyms(keys: Collection[str]) -> frozenset[str]:
    """Return the stems of words that may stand for a verb, given its own stems."""
    return frozenset().union(*(_groups().get(key, frozenset()) for key in keys))
