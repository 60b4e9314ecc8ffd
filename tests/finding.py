"""An extractor of tests: which sentences it takes for facts is an argument."""

from dataclasses import dataclass

from explorer.ingest.extraction.rules import ExtractedEdge


@dataclass
class Finder:
    """Finds the sentences that begin with a name of two words, each as one fact."""

    begins: tuple[str, ...]
    name: str = "finder"
    version: str = "1"
    swapped: bool = False

    def edges(self, chunks, title=""):
        for chunk in chunks:
            at = chunk.start
            for sentence in chunk.text.split(". "):
                words = sentence.rstrip(".").split(" ")
                if sentence.startswith(self.begins):
                    subject, obj = " ".join(words[:2]), " ".join(words[3:])
                    if self.swapped:
                        subject, obj = obj, subject
                    yield ExtractedEdge(
                        subject=subject, predicate=words[2], object=obj, chunk=chunk,
                        start=at, end=at + len(sentence.rstrip(".")) + 1, object_is_entity=True, confidence=None,
                    )  # fmt: skip
                at += len(sentence) + 2
