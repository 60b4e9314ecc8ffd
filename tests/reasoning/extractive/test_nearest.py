from explorer.language.questions import read
from explorer.models.embedding import WordLlamaEmbedder
from explorer.reasoning.extractive.choosing import Part
from explorer.reasoning.extractive.matching import Line, match
from explorer.reasoning.extractive.quotation import nearest
from explorer.reasoning.extractive.ranking import features
from explorer.reasoning.extractive.scoring import sentences_of
from explorer.reasoning.extractive.sources import Source
from explorer.reasoning.extractive.support import support
from explorer.reasoning.protocol import ReadPassage

TEXT = "Scientists has related Award.\nNobel prize has broader Award.\n"


def test_what_comes_nearest_is_what_its_source_says():
    asked, passage = read("Why was the Nobel prize awarded?"), ReadPassage("urn:c", "Store", TEXT, sentences_of(TEXT))
    found = features(match(asked, [passage], WordLlamaEmbedder(), lambda _: 1.0))
    part = Part(asked, found, support(None, None), [Line(0, 1)])
    kept = [(4, 0, len(TEXT.partition("\n")[0]))]
    led = nearest([part], [Source(passage, kept, [], kept)])
    assert (led.text, led.cites) == ("What comes nearest: “Scientists has related Award.”", (4,))
    whole = nearest([part], [Source(passage, [], [4], [])])
    assert (whole.text, whole.cites) == ("What comes nearest: “Nobel prize has broader Award.”", (4,))
