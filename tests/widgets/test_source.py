import pytest

from explorer.widgets import source

PNG = b"\x89PNG"


@pytest.fixture
def passages(answered):
    return [passage for node in answered.dag.nodes("Passage") for passage in node.passages]


def marked(message, kind="mine"):
    return "".join(text for text, one in message["runs"] if one == kind)


def test_the_marked_words_are_the_passage(ws, passages):
    assert passages
    for passage in passages:
        message, _ = source.opened(ws, passage)
        assert marked(message) == passage.text


def test_the_boxes_on_a_picture_hold_the_words(ws, passages):
    pictured = 0
    for passage in passages:
        message, buffers = source.opened(ws, passage, passages)
        if passage.page is None:
            assert buffers == []
            continue
        pictured += 1
        assert buffers[0].startswith(PNG)
        assert "".join(box["text"] for box in message["page"]["boxes"] if box["mine"]) == passage.text
        assert all(0 <= box[side] <= 1 for box in message["page"]["boxes"] for side in "xywh")
    assert pictured


def test_joined_runs_are_the_text_of_the_page(ws, passages):
    passage = next(passage for passage in passages if passage.page)
    message, _ = source.opened(ws, passage, passages)
    whole = "".join(text for text, _ in message["runs"])
    start = passage.page_start
    assert whole[start : start + len(passage.text)] == passage.text
    assert whole in ws.text(passage.document)


def test_pages_can_be_turned_to_the_end(ws, passages):
    passage = next(passage for passage in passages if passage.page)
    seen, turned = [], None
    while True:
        message, _ = source.opened(ws, passage, (), turned)
        seen.append(message["sub"])
        turned = message["neighbours"]["next"]
        if turned is None:
            break
    assert len(seen) == len(set(seen))
    assert seen[0] == f"page {passage.page} of 8"
    assert seen[-1] == "page 8 of 8"
    assert len(seen) == 9 - passage.page


def test_another_page_marks_nothing_as_the_passage(ws, passages):
    passage = next(passage for passage in passages if passage.page)
    message, _ = source.opened(ws, passage)
    other = message["neighbours"]["next"] or message["neighbours"]["prev"]
    turned, _ = source.opened(ws, passage, (), other)
    assert marked(turned) == ""


def test_other_passages_of_the_answer_are_marked_beside_it(ws, passages):
    for passage in passages:
        message, _ = source.opened(ws, passage, passages)
        assert message["others"] == bool(marked(message, "other"))


def test_a_text_without_parts_is_shown_around_the_passage(answered, ws):
    answered.run("When did main bus B lose its voltage?")
    assert answered.wait(20)
    found = [passage for node in answered.dag.nodes("Passage") for passage in node.passages if not passage.part]
    assert found
    for passage in found:
        message, buffers = source.opened(ws, passage)
        assert marked(message) == passage.text
        assert message["sub"] == "text"
        assert buffers == []


def test_the_page_is_sent_with_its_picture(answered, sent, told):
    node = next(node for node in answered.dag.nodes("Passage") if node.passages[0].page)
    answered.view._handle_custom_msg({"t": "open", "node": node.iri, "key": node.iri}, [])
    message = told("source")[-1]
    assert message["key"] == node.iri
    assert bytes(sent[-1].buffers[0]).startswith(PNG)
    turned = message["neighbours"]["next"] or message["neighbours"]["prev"]
    answered.view._handle_custom_msg({"t": "open", "node": node.iri, "key": f"{node.iri} {turned}"}, [])
    assert told("source")[-1]["sub"] != message["sub"]
