"""How well questions over statements of RDF are answered without a model: right, not found or wrong, and marked how.

`LAUREATES` are the questions of the tests of statements and of other names; the cut of the reasoner was chosen on them.
`BRIDGES` were written beside a file of another domain, with their answers, before anything was run on them.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import explorer
from benchmarks.table import Row
from explorer.record.trace import Trace

_PREFIXES = """
@prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix : <http://example.org/> . @prefix o: <http://example.org/terms/> . @prefix s: <http://schema.org/> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""
_OF_BRIDGES = (
    _PREFIXES
    + """
:tower a o:SwingBridge ; rdfs:label "Kestrel Bridge" ; o:crosses :wend ; o:opened "1894-06-30"^^xsd:date ;
  o:architect :jones, :barry ; o:spanLength "244 m" ; o:material "steel", "granite" ; o:maintainedBy :trust ;
  o:dailyVehicles 21500 ; o:locatedIn :harwick ; skos:altLabel "The Old Swinger" ; o:weightLimit "18 t" .
:mill a o:ArchBridge ; rdfs:label "Millgate Bridge" ; o:crosses :wend ; o:opened "1761"^^xsd:gYear ;
  o:architect :moss ; o:spanLength "31 m" ; o:material "sandstone" ; o:locatedIn :harwick ; o:replacedBy :new ;
  o:demolished "1968"^^xsd:gYear .
:new a o:BeamBridge ; rdfs:label "New Millgate Crossing" ; o:crosses :wend ; o:opened "1970-05-02"^^xsd:date ;
  o:constructionCost "1.2 million pounds" ; o:tollFor "lorries above 7.5 t" ; o:maintainedBy :council .
:wend a o:River ; rdfs:label "Wend" ; o:length "112 km" ; o:flowsInto :sound ; o:source "Coldmoor" .
:sound a o:Bay ; rdfs:label "Harwick Sound" .
:harwick a o:Town ; rdfs:label "Harwick" ; o:population 48200 ; o:mayor :dunn .
:jones rdfs:label "Horatio Jones" ; o:birthPlace :harwick ; o:nationality "Welsh" .
:barry rdfs:label "Edith Barry" ; o:studiedUnder :jones .
:moss rdfs:label "William Moss" ; o:died "1779"^^xsd:gYear .
:trust rdfs:label "Wend Bridges Trust" ; o:founded "1922"^^xsd:gYear ; o:headquarters :harwick .
:council rdfs:label "Harwick Town Council" . :dunn rdfs:label "Petra Dunn" .
"""
)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question over statements, with what stands in a right answer; nothing where no statement has one."""

    question: str
    gold: tuple[str, ...] = ()


LAUREATES = tuple(
    _Asked(question, gold)
    for question, gold in {
        "What is ecohydrology?": ("mutual interaction",),
        "Define ecohydrology.": ("mutual interaction",),
        "What is the definition of ecohydrology?": ("mutual interaction",),
        "What is flow metering?": (),
        "Which laureates were born in Budapest?": ("Dennis Gabor", "Eugene Wigner", "Georg Bekesy", "George Olah"),
        "What are the other names of Rights?": ("Claims", "Titles", "Entitlements", "Dues"),
        "What are the narrower terms of Technology?": ("Craft 00", "Craft 11"),
        "When was Albert Camus born?": ("1913-11-07",),
        "When did Albert Camus die?": ("1960-01-04",),
        "Where was Albert Camus born?": ("Mondovi",),
        "Why was Albert Camus awarded the Nobel prize?": ("important literary production",),
        "What did Albert Camus win the Nobel Prize for?": ("important literary production",),
        "Was Albert Camus born in Mondovi?": ("birth place Mondovi",),
        "Who won the Nobel Prize in Literature in 1957?": ("Albert Camus",),
        "Where and when was Albert Camus born?": ("Mondovi", "1913-11-07"),
        "When did Herbert Kroemer die?": (),
        "When did Kroemer die?": (),
        "Where did Herbert Kroemer die?": (),
        "Which chemists were born in Budapest?": (),
        "Which laureates were not born in Budapest?": (),
        "Who was the first person born in Budapest?": (),
        "What contains Hungary?": (),
        "What does Hungary contain?": ("contains place Budapest",),
        "Is Hydrology broader than Ecohydrology?": ("Ecohydrology: broader Hydrology",),
        "Does Hungary contain Budapest?": ("contains place Budapest",),
        "Is Ecohydrology broader than Hydrology?": (),
        "Does Budapest contain Hungary?": (),
        "Was Louis Althusser born in Algeria?": ("French Algeria",),
        "Was Albert Camus born in 1913?": ("1913-11-07",),
        "Was Louis Althusser born in France?": (),
        "Was Albert Camus born in 1920?": (),
        "Was Marie Curie born in Paris?": (),
        "Did Albert Camus win the Nobel Prize in Chemistry in 1957?": (),
        "Where was Max Planck born?": ("Kiel",),
        "Where was Max Born born?": ("Weimar",),
        "What are the sub groups of Education?": ("Curriculum",),
        "What is Ethnology?": (),
        "Who won the Nobel Prize in Physics in 1975?": ("Aage Bohr", "Ben Mottelson", "Great University"),
        "Who was born in Mondovi?": ("Albert Camus",),
        "Quand est né Albert Camus ?": ("1913-11-07",),
        "Wo wurde Albert Camus geboren?": ("Mondovi",),
        "Was ist der Oberbegriff von Ethnology?": ("Social science",),
        "Quelle est la hauteur de la ville de Weimar ?": (),
    }.items()
)
BRIDGES = tuple(
    _Asked(question, gold)
    for question, gold in {
        "When was Kestrel Bridge opened?": ("1894-06-30",),
        "Who was the architect of Millgate Bridge?": ("William Moss",),
        "Which architects designed Kestrel Bridge?": ("Horatio Jones", "Edith Barry"),
        "What river does Kestrel Bridge cross?": ("Wend",),
        "What is Kestrel Bridge made of?": ("steel", "granite"),
        "How long is the span of Millgate Bridge?": ("31 m",),
        "Who maintains New Millgate Crossing?": ("Harwick Town Council",),
        "What replaced Millgate Bridge?": ("New Millgate Crossing",),
        "How much did New Millgate Crossing cost?": ("1.2 million",),
        "What is the population of Harwick?": ("48200",),
        "Who is the mayor of Harwick?": ("Petra Dunn",),
        "How many vehicles use Kestrel Bridge a day?": ("21500",),
        "Where does the Wend flow?": ("Harwick Sound",),
        "When was the Wend Bridges Trust founded?": ("1922",),
        "What is the weight limit of The Old Swinger?": ("18 t",),
        "Which bridges cross the Wend?": ("Kestrel Bridge", "Millgate Bridge", "New Millgate Crossing"),
        "With whom did Edith Barry study?": ("Horatio Jones",),
        "Wann wurde Kestrel Bridge eröffnet?": ("1894-06-30",),
        "What is the population of Millgate Bridge?": (),
        "Who painted Kestrel Bridge?": (),
        "When was Edith Barry born?": (),
        "How deep is the Wend?": (),
        "Who is the mayor of Harwick Sound?": (),
        "What did Kestrel Bridge cost?": (),
        "When was Heron Bridge opened?": (),
        "Was Millgate Bridge demolished in 1980?": (),
    }.items()
)


def scored(path: Path, asked: tuple[_Asked, ...], *, told: bool = False) -> dict[str, Counter[str]]:
    """Ask a file its questions; return how many with an answer, and without one, came out how."""
    counts = {"with an answer": Counter[str](), "without one": Counter[str]()}
    with explorer.open() as ws:
        ws.ingest(path, progress=False)
        for one in asked:
            trace = Trace(list(ws.ask(one.question)))
            found = _came_out(one, trace)
            counts["with an answer" if one.gold else "without one"][found] += 1
            if told:
                print(f"{found:18} {one.question}\n    {trace.answer[:300]}")
    return counts


def _came_out(one: _Asked, trace: Trace) -> str:
    given = trace.support
    level = "sure" if given is not None and given.sure else given.level if given is not None else "none"
    if one.gold and level != "none" and all(text in trace.answer for text in one.gold):
        return f"right, {level}"
    if level in {"sure", "strong"}:
        return f"wrong, {level}"
    return "not found" if one.gold else f"right, {level}"


def rows(*, told: bool = False) -> list[Row]:
    """Return the table of both sets."""
    from tests.reasoning.extractive import test_rdf_statements as tests

    names = ("PREFIXES", "THESAURUS", "PEOPLE", "MORE", "CROWD", "LAUREATES", "NARROWER")
    of_people = "".join(getattr(tests, name) for name in names)
    found = list[Row]()
    with tempfile.TemporaryDirectory(prefix="explorer-bench-") as folder:
        for name, text, asked in (("laureates", of_people, LAUREATES), ("bridges", _OF_BRIDGES, BRIDGES)):
            path = Path(folder) / f"{name}.ttl"
            path.write_text(text, "utf-8")
            for kind, counts in scored(path, asked, told=told).items():
                outcomes = ", ".join(f"{many} {outcome}" for outcome, many in sorted(counts.items()))
                found.append(Row(f"{name}: questions {kind}", outcomes, ""))
    return found


if __name__ == "__main__":
    import sys

    from benchmarks.table import markdown

    print(markdown(rows(told="--told" in sys.argv)))
