from types import SimpleNamespace

from explorer.reasoning.replies.citations import answer_of
from tests.each import each

TEXT = "Über dem Gletscher: 5 €. Der See friert 🙂 zu."
WORDS = "Der See friert 🙂 zu."
START = TEXT.index(WORDS)
END = len(TEXT)
BYTES = (len(TEXT[:START].encode()), len(TEXT.encode()))


def _claims(reply):
    return answer_of(reply)[1]


def anthropic(**citation):
    return {"content": [{"type": "thinking", "thinking": "Hm"}, {"type": "text", "text": TEXT[:START]},
                        {"type": "text", "text": WORDS, "citations": [{"cited_text": "Zu!", **citation}]}]}  # fmt: skip


def responses(**annotation):
    part = {"type": "output_text", "text": WORDS, "annotations": [annotation]}
    message = {"type": "message", "content": [{"type": "output_text", "text": TEXT[:START]}, part]}
    return {"output": [{"type": "reasoning", "content": [{"type": "reasoning_text", "text": "Hm"}]}, message]}


def chat(**citation):
    notes = [{"type": "url_citation", "url_citation": {"url": "https://a.example", "title": "A", **citation}}]
    return {"choices": [{"message": {"role": "assistant", "content": TEXT, "annotations": notes}}]}


def gemini(**segment):
    pages = {"pageSpan": {"firstPage": 3, "lastPage": 4}}
    chunks = [{"web": {"uri": "https://a.example", "title": "A"}}]
    chunks += [{"retrievedContext": {"text": "Zu!", "ragChunk": pages}}]
    supports = [{"segment": segment, "groundingChunkIndices": [0, 1, 9]}]
    grounding = {"groundingChunks": chunks, "groundingSupports": supports}
    parts = [{"text": "Hm", "thought": True}, {"text": TEXT}]
    return {"candidates": [{"content": {"parts": parts}, "groundingMetadata": grounding}]}


def cohere(**citation):
    document = {"id": "doc:1", "snippet": "Zu!", "title": "Seen"}
    note = {"start": START, "end": END, "text": WORDS, "sources": [{"type": "document", "id": "doc:1",
            "document": document}], **citation}  # fmt: skip
    content = [{"type": "thinking", "thinking": "Hm"}, {"type": "text", "text": TEXT}]
    return {"message": {"content": content, "citations": [note]}}


def langchain(**annotation):
    blocks = ["", {"type": "reasoning", "reasoning": "Hm"},
              {"type": "text", "text": TEXT, "annotations": [{"type": "citation", **annotation}]}]  # fmt: skip
    return SimpleNamespace(content=blocks, additional_kwargs={}, response_metadata={})


CHARACTERS = {"type": "char_location", "document_index": 1, "document_title": "Seen", "file_id": None,
              "start_char_index": 4, "end_char_index": 7}  # fmt: skip
PAGES = {"type": "page_location", "document_index": 0, "start_page_number": 2, "end_page_number": 4}
BLOCKS = {"type": "content_block_location", "document_index": 0, "start_block_index": 0, "end_block_index": 1}
FOUND = {"type": "search_result_location", "search_result_index": 2, "source": "https://a.example", "title": "A"}
WEB = {"type": "web_search_result_location", "url": "https://a.example", "title": "A", "encrypted_index": "x"}
LINK = {"type": "url_citation", "url": "https://a.example", "title": "A", "start_index": 0, "end_index": len(WORDS)}
OF_FILE = {"type": "file_citation", "file_id": "file-1", "filename": "a.pdf", "index": len(WORDS)}
BOX = {"type": "container_file_citation", "container_id": "c", "file_id": "f", "filename": "a.csv", "start_index": 0,
       "end_index": len(WORDS)}  # fmt: skip
GIVEN = {"url": "https://a.example", "title": "A", "start_index": START, "end_index": END, "cited_text": "Zu!"}
QUOTED = {"cited_text": "Zu!", "title": "A", "extras": {"document_index": 0, "start_char_index": 1,
          "end_char_index": 4}}  # fmt: skip
GROUNDED = {"url": "https://a.example", "start_index": BYTES[0], "end_index": BYTES[1], "cited_text": WORDS,
            "extras": {"google_ai_metadata": {"grounding_chunk_index": 0}}}  # fmt: skip
COVERED = {"type": "non_standard_annotation", "value": {**OF_FILE, "index": END}}
V1 = {"text": TEXT, "documents": [{"id": "d", "title": "Seen", "snippet": "Zu!"}],
      "citations": [{"start": START, "end": END, "text": WORDS, "document_ids": ["d"]}]}  # fmt: skip
RECITED = {"candidates": [{"content": {"parts": [{"text": TEXT}]}, "citationMetadata": {"citationSources": [
    {"uri": "https://a.example", "startIndex": BYTES[0], "endIndex": BYTES[1]}]}}]}  # fmt: skip
URL = "https://a.example"


@each(
    ("reply", "expected"),
    [
        (anthropic(**CHARACTERS), (WORDS, "Zu!", 1, ("Seen",), (4, 7), None, "Anthropic")),
        (anthropic(**PAGES), (WORDS, "Zu!", 0, (), None, (2, 3), "Anthropic")),
        (anthropic(**BLOCKS), (WORDS, "Zu!", 0, (), None, None, "Anthropic")),
        (anthropic(**FOUND), (WORDS, "Zu!", 2, (URL, "A"), None, None, "Anthropic")),
        (anthropic(**WEB), (WORDS, "Zu!", URL, ("A",), None, None, "Anthropic")),
        (responses(**LINK), (WORDS, "", URL, ("A",), None, None, "OpenAI")),
        (responses(**OF_FILE), ("", "", "file-1", ("a.pdf",), None, None, "OpenAI")),
        (responses(**BOX), (WORDS, "", "f", ("a.csv",), None, None, "OpenAI")),
        (chat(start_index=START, end_index=END), (WORDS, "", URL, ("A",), None, None, "OpenAI")),
        (cohere(content_index=1), (WORDS, "Zu!", "doc:1", ("Seen",), None, None, "Cohere")),
        (V1, (WORDS, "Zu!", "d", ("Seen",), None, None, "Cohere")),
        (RECITED, (WORDS, "", URL, (), None, None, "Google")),
        (langchain(**GIVEN), (WORDS, "Zu!", URL, ("A",), None, None, "LangChain")),
        (langchain(**QUOTED), (TEXT, "Zu!", 0, ("A",), (1, 4), None, "LangChain")),
        (langchain(**GROUNDED), (WORDS, "", URL, (), None, None, "LangChain")),
        (langchain(**COVERED), ("", "", "file-1", ("a.pdf",), None, None, "OpenAI")),
    ],
)
def test_a_citation_points_at_its_words_and_its_source(reply, expected):
    text, [claim] = answer_of(reply)
    assert text == TEXT
    said = (text[claim.start : claim.end], claim.said, claim.source, claim.also, claim.at, claim.page, claim.by)
    assert said == expected
    assert _claims(reply) == [claim]


@each("index", [0, 1])
def test_offsets_in_bytes_are_characters_in_the_claims_of_each_chunk_that_is_there(index):
    first, second = _claims(gemini(startIndex=BYTES[0], endIndex=BYTES[1], text=WORDS, partIndex=index))
    assert {TEXT[claim.start : claim.end] for claim in (first, second)} == {WORDS}
    assert (first.source, first.also, second.source, second.said, second.page) == (URL, ("A",), 1, "Zu!", (3, 4))


def test_a_marker_of_an_assistant_is_found_where_its_offsets_count_halves_of_characters():
    marker = "【4:0†source】"
    text = f"🙂 Zu{marker} und offen{marker}."
    note = {"type": "file_citation", "text": marker, "start_index": 5, "end_index": 5 + len(marker),
            "file_citation": {"file_id": "file-1"}}  # fmt: skip
    [claim] = _claims({"content": [{"type": "text", "text": {"value": text, "annotations": [note]}}]})
    assert (claim.start, text[claim.start : claim.end], claim.source) == (4, marker, "file-1")
    assert answer_of("Zu \ud83d!") == ("Zu \N{REPLACEMENT CHARACTER}!", []), "half of one is marked"


@each(
    ("reply", "expected"),
    [
        (chat(start_index=BYTES[0], end_index=BYTES[1]), [WORDS]),
        (chat(start_index=START, end_index=10_000), [WORDS]),
        (cohere(start=900, end=950), [WORDS]),
        (cohere(start=None, end="12"), [WORDS]),
        (cohere(text="Nirgends"), []),
        (cohere(start=900, end=950, text="e"), []),
        (cohere(type="THINKING_CONTENT"), []),
        (cohere(text=None, content_index=0), []),
        (chat(start_index=-4, end_index=3), []),
        (chat(start_index=9, end_index=3), []),
        (chat(start_index="a", end_index=3), []),
        (chat(start_index=10**30, end_index=10**31), []),
    ],
)
def test_a_place_that_does_not_fit_is_mended_or_the_claim_is_left_out(reply, expected):
    assert [TEXT[claim.start : claim.end] for claim in _claims(reply)] == expected


class Plain:
    def __init__(self, reply):
        self.to_dict = lambda: reply


def as_object(value):
    if isinstance(value, dict):
        return SimpleNamespace(**{name: as_object(one) for name, one in value.items()})
    return [as_object(one) for one in value] if isinstance(value, list) else value


@each("reply", [anthropic(**CHARACTERS), responses(**LINK), gemini(text=WORDS), cohere(), V1])
def test_objects_are_read_as_what_they_hold(reply):
    assert answer_of(as_object(reply)) == answer_of(Plain(reply)) == answer_of(reply)
    assert _claims(reply)


class Hostile:
    @property
    def __class__(self):
        raise RuntimeError

    def __getattr__(self, name):
        raise RuntimeError(name)


CIRCLE = {"type": "text", "text": "a"}
CIRCLE |= {"content": [CIRCLE], "citations": [CIRCLE], "annotations": CIRCLE}
DEEP = []
for _ in range(100_000):
    DEEP = [DEEP]
ODD = [None, 1, b"a", object, object(), Hostile(), CIRCLE, DEEP, {}, {"type": {}}, {"type": "citation", "extras": 1}]


@each("number", range(len(ODD)))
def test_what_is_odd_is_left_out(number):
    odd = ODD[number]
    note = {"type": odd, "sources": odd, "url": odd, "start_index": odd}
    for notes in (odd, [odd, note]):
        blocks = [{"type": "text", "text": "a", "citations": notes, "annotations": notes}, odd]
        metadata = {"grounding_metadata": {"grounding_supports": notes, "grounding_chunks": odd}, "citations": notes}
        text, found = answer_of({"content": blocks, "response_metadata": metadata})
        assert text.startswith("a")
        assert found == []
    answer_of(odd)
