import json
import time

from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.reasoning.agent_protocol import Action, ThoughtPiece, Unreadable, Uses
from explorer.reasoning.protocol import Cited, Piece, Verdict
from explorer.reasoning.replies import react as react_text
from tests.each import each

CALL = 'Thought: I look it up.\nAction: search\nArgs: {"q": "radium"}'


def read(text, size=0, count=3):
    pieces = [text] if not size else [text[at : at + size] for at in range(0, len(text), size)]
    return merged(react_text.read(pieces, count))


def merged(parts):
    """The thought, the answer's text, and all other parts."""
    thought, answer, others = "", "", []
    for part in parts:
        if isinstance(part, ThoughtPiece):
            assert not answer
            assert not others
            assert part.text
            thought += part.text
        elif isinstance(part, Piece):
            answer += part.text
        else:
            others.append(part)
    return thought, answer, others


def acted(text, **options):
    thought, answer, [action] = read(text, **options)
    assert answer == ""
    assert isinstance(action, Action), action
    return thought, action.tool, action.arguments


def answered(text, **options):
    thought, answer, others = read(text, **options)
    assert others[-1] == Verdict("done")
    return thought, answer


def error(text):
    *_, [last] = read(text)
    assert isinstance(last, Unreadable), last
    return last.error


@each(
    "text",
    [
        CALL,
        CALL.replace("Thought", "THOUGHT").replace("Action", "action").replace("Args", "aRGS"),
        CALL.replace("\n", "\r\n"),
        CALL.replace("Args", "Arguments"),
        CALL.replace("Args", "action_input"),
        f"```\n{CALL}\n```",
        f"<think>Action: other</think>\n\n{CALL}",
        f"Sure! Here is the next step.\n\n{CALL}",
        '**Thought:** I look it up.\n**Action:** `search`\n**Args:** {"q": "radium"}',
        '**Thought**: I look it up.\n**Action**: search\n**Args**: ```json\n{"q": "radium"}\n```',
        '### Thought: I look it up.\n- Action: [search]\n* Args: {"q": "radium"}',
        'Thought 1: I look it up.\nAction 1: search\nArgs:\n```json\n{\n  "q": "radium"\n}\n```',
        'Thought: I look it up.\nAction: search({"q": "radium"})',
        'Thought: I look it up.\nAction:\nsearch\nArgs:\n\n{"q": "radium"}',
        'Thought: I look it up.\nAction: "search"\nIt is the best tool.\n{"q": "radium"}',
        "Thought: I look it up.\nAction: search()\nArgs: {'q': \"radium\",}",
        'Thought: I look it up.\nAction:\n```json\n{"action": "search", "action_input": {"q": "radium"}}\n```',
        f"{CALL}\nObservation: It glows.\nThought: Done.\nFinal Answer: It glows.",
        f"{CALL}\nAction: other\nArgs: {{}}",
        'I look it up.\nAction: search\nArgs: {"q": "radium"}',
        '{"thought": "I look it up.", "action": "search", "arguments": {"q": "radium"}}',
        '```json\n{"thought": "I look it up.", "tool": "search", "args": "{\\"q\\": \\"radium\\"}"}\n```',
    ],
)
def test_an_action_is_read_however_it_is_written(text):
    for size in (0, 1, 2, 3, 7, 20):
        assert acted(text, size=size) == ("I look it up.", "search", {"q": "radium"})


@each(
    ("text", "answer"),
    [
        ("Thought: Yes.\nFinal Answer: It is 16.", "It is 16."),
        ("Thought: Yes.\n**Final Answer:** It is 16.", "It is 16."),
        ("Thought: Yes.\n## Final Answer:\n\nIt is 16.\n", "It is 16."),
        ("Thought: Yes.\nAnswer: It is 16.", "It is 16."),
        ("Thought: Yes.\nAction: None\nArgs: {}\nFinal Answer: It is 16.", "It is 16."),
        ("Thought: Yes.\nAction: -\nArgs: none\nFinal Answer: It is 16.", "It is 16."),
        ("Thought: Yes.\nAction:\nFinal Answer: It is 16.", "It is 16."),
        ("Yes.\nFinal Answer: **It** is 16.", "**It** is 16."),
        ("```\nThought: Yes.\nFinal Answer: It is 16.\n```", "It is 16."),
        ("```\nThought: Yes.\nFinal Answer: `x`\n```py\n1\n```\n```", "`x`\n```py\n1\n```"),
        ("Thought: Yes.\nFinal Answer: ```py\n1\n```", "```py\n1\n```"),
        ("Thought: Yes.\nFinal Answer: a\n\n- b\n  - c\n\nAction: d\nThought:  e\n\tf",
         "a\n\n- b\n  - c\n\nAction: d\nThought:  e\n\tf"),
        ('Thought: Yes.\nFinal Answer: {"a": [1]}', '{"a": [1]}'),
        ('{"thought": "Yes.", "final_answer": "It is 16."}', "It is 16."),
        ('{"thought": "Yes.", "action": null, "answer": "It is 16."}', "It is 16."),
    ],
)  # fmt: skip
def test_a_final_answer_keeps_everything_after_its_label(text, answer):
    for size in (0, 1, 2, 3, 7, 20):
        assert answered(text, size=size, count=0) == ("Yes.", answer)


def test_an_answer_cites_observations_by_their_numbers():
    text = "Thought: Yes.\nUses: 1, 3, 9\nFinal Answer: It glows [1][3]. It decays [7]."
    for size in (0, 1, 5):
        thought, answer, others = read(text, size)
        assert (thought, answer) == ("Yes.", "It glows. It decays [7].")
        assert others == [Uses((0, 2)), Cited(0, 9, (0, 2)), Verdict("done")]


def test_an_answer_may_decline():
    assert read("Thought: No.\nFinal Answer: NO ANSWER: Nothing says so.")[1:] == (
        "Nothing says so.",
        [Verdict("declined")],
    )
    assert read("Thought: No.\nFinal Answer:")[2] == [Verdict("declined")]
    assert answered("Answer: 16") == ("", "16")


@each(
    "text",
    [
        'Thought: a\nUses: 3, 1 and 3, 8, 0\nAction: t\nArgs: {"q": 1}',
        'Thought: a\nAction: t\nUses: [3], [1]\nArgs: {"q": 1}',
        'Thought: a\n- **Uses:** 3, 1\nAction: t\nArgs: {"q": 1}',
        '{"thought": "a", "action": "t", "arguments": {"q": 1}, "uses": [3, 1, 7]}',
    ],
)
def test_what_a_step_rests_on_is_read_among_the_numbers_given(text):
    for size in (0, 1, 4):
        assert read(text, size) == ("a", "", [Action("t", {"q": 1}, (2, 0))])


def test_a_line_about_uses_that_holds_no_numbers_is_thought():
    text = "Thought: Radium:\n- Uses: watch dials in 1917\nAction: t"
    assert acted(text, size=3) == ("Radium:\n- Uses: watch dials in 1917", "t", {})
    assert acted("Thought: a\nUses: none\nAction: t") == ("a", "t", {})
    assert acted("Thought: a\nUses: 1\nand more\nAction: t", size=1) == ("a\nand more", "t", {})


def test_white_space_inside_of_a_thought_is_kept():
    text = "Thought:  The expression must be purely\n\n  numeric:\tso\nI retry. \n\nAction: t"
    for size in range(1, 41):
        assert acted(text, size=size)[0] == "The expression must be purely\n\n  numeric:\tso\nI retry."


def test_a_thought_comes_while_it_is_thought():
    said = []

    def pieces():
        for piece in ("Thought: It must ", "be", "purely", " numeric"):
            yield piece
            said.append(piece)
            assert "".join(part.text for part in got) == "".join(said)[9:].rstrip()
        yield "\nAction: t"

    got = []
    got.extend(react_text.read(pieces(), 0))  # grows part by part
    assert got[-1] == Action("t", {})


def test_without_arguments_there_are_none():
    for rest in ("", "\n", "\nArgs:", "\nArgs: {}", "\nArgs: none", "\nObservation: x", "\nArgs:\nUses: 1"):
        assert acted(f"Thought: a\nAction: t{rest}", count=0) == ("a", "t", {})


@each(
    ("given", "told"),
    [
        ('{"q": "a } b { \\" c"}', {"q": 'a } b { " c'}),
        ("{'q': 'a } b', 'n': None, 'l': (1, True)}", {"q": "a } b", "n": None, "l": [1, True]}),
        ('{"q": "it\'s"}', {"q": "it's"}),
        ('{"q": "two\nlines"}', {"q": "two\nlines"}),
        ("{'q': '\\d'}", {"q": "\\d"}),
        ('{"q": {"r": [{"s": "}"}]}} } trailing', {"q": {"r": [{"s": "}"}]}}),
        ('{"q": "a \\ud83d b"}', {"q": "a \N{REPLACEMENT CHARACTER} b"}),
        ('{"q": "\\ud83d\\ude00"}', {"q": "😀"}),
        ('{"q": "Final Answer: 1"}', {"q": "Final Answer: 1"}),
    ],
)
def test_arguments_end_with_their_last_brace(given, told):
    for size in (0, 1, 2, 5):
        assert acted(f"Thought: a\nAction: t\nArgs: {given}", size=size) == ("a", "t", told)


BEYOND = {
    "too deeply": '{"question": ' + "[" * 5_000 + "]" * 5_000 + "}",
    "too long": "{'question': 0x" + "f" * 9_000 + "}",
    "not JSON": "{'question': '" + "x" * 60_000 + "'}",
}


@each("given", [
    '"radium"', "[1, 2]", '[{"q": 1}]', "5", "radium", '{"q": ', "{q: 1}", '{"q": NaN}', '{"q": 1e999}', "{1: 2}",
    '{"a":' * 50_000, '{"a":' + "[" * 50_000, "{'a': b'c'}", "{'a': " + "-" * 40_000 + "1}",
    '{"q": ' + "9" * 5_000 + "}", '{"a" "b"}', '{"a": "\x00\', }', *BEYOND.values(),
])  # fmt: skip
def test_arguments_that_are_no_object_are_told_with_the_tool(given):
    told = error(f"Thought: a\nAction: search\nArgs: {given}")
    assert "“search”" in told
    assert len(told) < 300
    assert [said for said, one in BEYOND.items() if one == given and said not in told] == []


@each("text", [
    "", "<think>hm", "I'd rather talk.", "{}", '{"thought": "a"}', '{"a":' * 9_999, "```\n```", '{"action": 5}',
    '{"action": "t", "arguments": [1]}', "Thought: ", "Thought: only this.", "Observation: x\nAction: t",
    "Thought: a\nObservation: b\nFinal Answer: c", "Action: None", "Action: \nArgs: {}", f"Action: {'a' * 999}",
    "Thought: a\nThe Final Answer: 5",
])  # fmt: skip
def test_a_reply_without_action_and_answer_is_unreadable(text):
    assert len(error(text)) < 300


def test_after_an_action_no_more_than_2000_characters_are_read():
    taken = []

    def pieces():
        for piece in (CALL, *["x" * 100] * 100):
            taken.append(len(piece))
            yield piece

    *_, action = react_text.read(pieces(), 0)
    assert action == Action("search", {"q": "radium"})
    assert sum(taken) - len(CALL) == 2_000
    ended = []

    def short():
        yield CALL
        yield "x" * 1_999
        ended.append(True)

    list(react_text.read(short(), 0))
    assert ended


WORDS = st.sampled_from([
    "Thought:", "Action:", "Args:", "Action Input:", "Input:", "Uses:", "Final Answer:", "Answer:", "Observation:",
    "**", "`", "```", "```json\n", "\n", "\n\n", " ", "\t", "\r\n", "{", "}", '"', "'", "\\", "[1]", "[2", "]", "1, 2",
    "none", "t", "é", '{"q": "a}"}', "- ", "2. ", "<think>", "</think>", "NO ANSWER", ".", ":", "Act", "be", "purely",
    "# ", "_", "\u2028", "：", "Action: t\nArgs: ", "\nFinal Answer: ", "Thought: a b\n",
])  # fmt: skip


@settings(max_examples=600, deadline=None)
@given(st.lists(WORDS, max_size=25), st.lists(st.integers(0, 9), max_size=40))
def test_what_is_read_does_not_depend_on_how_a_reply_comes(words, sizes):
    text, pieces, at = "".join(words), [], 0
    for size in sizes:
        pieces.append(text[at : at + size])
        at += size
    whole = read(text)
    assert merged(react_text.read([*pieces, text[at:]], 3)) == whole
    assert read(text, 1) == whole
    assert isinstance(whole[2][-1], Action | Unreadable | Verdict)
    assert whole[0] == whole[0].strip()


@each("unit", [
    "\n", " ", "a", "`", "*", "- ", "Thought: a\n", "Uses: 1\n", "Uses: 1", "Action: \n", "Action: none\n", "[1",
    "<think>", "\n```", "1. ", "<think></think>", "{'", "\\", "action ", "Args: [\n",
])  # fmt: skip
@each("lead", ["", "Thought: ", "Action: t\nArgs: ", 'Action: t\nArgs: {"a": "', "```\nThought: "])
def test_long_replies_are_read_in_linear_time(lead, unit):
    text = lead + unit * (40_000 // len(unit))
    for size in (0, 7):
        began = time.thread_time()
        read(text, size, count=0)
        assert time.thread_time() - began < 1.5


def test_recorded_replies_are_read_alike_whole_and_in_pieces(conformance):
    seen = 0
    for path in sorted((conformance / "golden" / "wire").glob("agent-*.prompts.jsonl")):
        for line in path.read_text("utf-8").splitlines():
            recorded = json.loads(line)
            if recorded["prompt"] != "agent-react":
                continue
            seen += 1
            reply = recorded["reply"]
            whole = read(reply)
            assert whole[0] == reply.removeprefix("Thought: ").partition("\n")[0]
            assert isinstance(whole[2][-1], Action | Verdict)
            assert whole[1] == reply.partition("Final Answer: ")[2]
            assert all(read(reply, size) == whole for size in range(1, 41))
    assert seen >= 10
