from explorer.events import Support
from explorer.models.embedding import WordLlamaEmbedder
from explorer.reasoning.agent_protocol import Action, AgentStep, GoalResult, TaskType, ToolSpec, Unreadable, Uses
from explorer.reasoning.extractive.reasoner import ExtractiveReasoner
from explorer.reasoning.protocol import Sentence, Verdict
from tests.each import each

REASONER = ExtractiveReasoner(WordLlamaEmbedder(), lambda _: 1.0)
GRAPH, PASSAGES = ToolSpec("knowledge-query", "the graph"), ToolSpec("document-query", "the passages")
BOTH = (GRAPH, PASSAGES)
TASK = TaskType("general")
QUESTION = "Who commanded Apollo 13?"
REFUSED = "I did not find an answer to this in your documents."


def taken(action, text, *, missing=(), declined=False):
    return AgentStep("", action, {"question": QUESTION}, text, declined=declined, missing=missing)


def next_action(history, tools=BOTH):
    return list(REASONER.next_action(QUESTION, "", tools, history))


def combined(found):
    return list(REASONER.combine(QUESTION, "", found, "supervisor"))


@each(
    ("question", "pattern"),
    [
        ("Who commanded Apollo 13 and when did it land?", "supervisor"),
        ("Who wrote Brand, and where was he born?", "plan-then-execute"),
        ("Who compared the flight with a walk?", "react"),
        ("What has changed since then?", "react"),
        ("Did it weigh more than the lander by then?", "react"),
        ("What is the difference between what he said and what he did?", "react"),
        (QUESTION, "react"),
    ],
)
def test_the_pattern_follows_from_the_question(question, pattern):
    choice = REASONER.choose_pattern(question, TASK)
    assert choice.value == pattern
    assert choice.rule


def test_a_pattern_that_the_task_has_not_gives_way_to_its_first():
    choice = REASONER.choose_pattern("Who paid and who knew?", TaskType("t", patterns=("react",)))
    assert choice.value == "react"
    assert "this task type has no supervisor" in choice.rule


@each(
    ("question", "goals", "needs"),
    [
        ("Who paid and who knew?", ["Who paid?", "Who knew?"], [(), ()]),
        ("Who wrote Brand, and where was he born?", ["Who wrote Brand?", "Where was he born (Brand)?"], [(), (0,)]),
        (QUESTION, [QUESTION], [()]),
    ],
)
def test_a_plan_has_steps_for_its_parts_which_depend_on_what_they_speak_of(question, goals, needs):
    planned = REASONER.plan(question, "", BOTH)
    assert [step.goal for step in planned.steps] == goals
    assert [step.depends_on for step in planned.steps] == needs
    assert {step.tool_hint for step in planned.steps} == {"knowledge-query"}
    assert planned.rule


def test_a_question_is_decomposed_into_all_its_parts():
    split = REASONER.decompose("Who paid and who knew and who paid?", "", BOTH, 2)
    assert split.goals == ("Who paid?", "Who knew?", "Who paid?")
    assert REASONER.decompose(QUESTION, "", BOTH, 5).goals == (QUESTION,)


def test_the_graph_is_searched_before_the_passages():
    first = taken("knowledge-query", REFUSED, declined=True)
    assert [action.tool for action in next_action([])] == ["knowledge-query"]
    assert [action.tool for action in next_action([first])] == ["document-query"]
    assert [action.tool for action in next_action([], [PASSAGES])] == ["document-query"]


def test_a_result_is_told_sentence_by_sentence():
    text = "Jim Lovell commanded Apollo 13. He had flown before."
    assert next_action([taken("knowledge-query", text, missing=("Rome",))]) == [
        Uses((0,), "the result is told in its own words"),
        Sentence("Jim Lovell commanded Apollo 13.", (0,)),
        Sentence("He had flown before.", (0,)),
        Verdict("done", ("Rome",)),
    ]


def test_where_sources_are_told_the_quotations_are_cited_and_the_rest_is_not():
    first, second = "Founded by Robert Smith Jr.", "it was sold in 1970."
    text = f"{first} {second} A remark."
    spans = ((0, len(first)), (len(first) + 1, len(first) + 1 + len(second)))
    missing = ("museum", "no. 2")
    seen = AgentStep("", "knowledge-query", {}, text, quoted=spans, missing=missing)
    told = [Sentence(first, (0,)), Sentence(second, (0,))]
    notes = [Sentence("A remark.")]
    assert next_action([seen])[1:] == [*told, *notes, Verdict("done", missing)]
    assert combined([GoalResult(QUESTION, text, quoted=spans, missing=missing)]) == [
        *told,
        *notes,
        Verdict("done", missing),
    ]


def test_a_quotation_that_speaks_of_gaps_is_a_quotation():
    text = "Not found in these passages: a ghost."
    assert combined([GoalResult(QUESTION, text, quoted=((0, len(text)),))])[0] == Sentence(text, (0,))


def test_a_sentence_of_two_results_cites_both():
    said = "Jim Lovell commanded Apollo 13."
    told = next_action([taken("knowledge-query", said), taken("document-query", f"{said} Fans stirred the oxygen.")])
    assert told[1:] == [Sentence(said, (0, 1)), Sentence("Fans stirred the oxygen.", (1,)), Verdict("done")]


def test_where_nothing_was_found_or_looked_up_the_answer_declines():
    history = [taken(tool.name, REFUSED, declined=True) for tool in BOTH]
    assert next_action(history) == [Sentence(REFUSED), Verdict("declined")]
    nothing = Sentence("Nothing was looked up, as no search tool is offered.")
    assert next_action([], [ToolSpec("calculator", "")]) == [nothing, Verdict("declined")]
    assert isinstance(REASONER.act(QUESTION, QUESTION, [], [ToolSpec("calculator", "")], []), Unreadable)
    assert combined([GoalResult("Who paid?", REFUSED, declined=True)])[-1] == Verdict("declined")
    assert combined([])[-1] == Verdict("declined")


def test_a_step_takes_names_from_the_result_before_it_where_it_has_an_open_pronoun():
    before = [GoalResult("Who wrote Brand?", "Henrik Ibsen wrote Brand in 1865. He lived in Rome.")]
    action = REASONER.act(QUESTION, "Where was he born?", before, BOTH, [])
    assert isinstance(action, Action)
    assert action.arguments["question"].startswith("Where was he born (Henrik Ibsen")
    assert action.uses == (0,)
    before = [GoalResult("Tell me who built the tank.", "Beech Aircraft built the tank in Boulder.")]
    action = REASONER.act(QUESTION, "Say where the tank was shipped.", before, BOTH, [])
    assert action == Action("knowledge-query", {"question": "Say where the tank was shipped."}, (), action.rule)


def test_a_step_is_tried_in_the_passages_once_and_then_left():
    refused = [taken("knowledge-query", REFUSED, declined=True)]
    assert REASONER.act(QUESTION, QUESTION, [], BOTH, refused).tool == "document-query"
    assert (
        REASONER.act(QUESTION, QUESTION, [], BOTH, [*refused, taken("document-query", REFUSED, declined=True)]) is None
    )
    assert REASONER.act(QUESTION, QUESTION, [], BOTH, [taken("knowledge-query", "Lovell did.")]) is None


def test_results_are_quoted_in_order_and_what_was_not_found_is_named_once():
    said = "Jim Lovell commanded Apollo 13."
    told = combined([
        GoalResult("Who commanded?", said, missing=("Rome",)),
        GoalResult("Who paid?", REFUSED, declined=True),
        GoalResult("Who knew?", "Error: the store is closed", error="the store is closed"),
    ])  # fmt: skip
    assert told == [
        Sentence("Jim Lovell commanded Apollo 13.", (0,)), Sentence("Not found: “Who paid?”.", outcome="not found"),
        Sentence("Failed: “Who knew?” (the store is closed)."), Verdict("done", ("Rome",)),
    ]  # fmt: skip


def test_a_part_that_nothing_was_found_for_is_counted_in_the_support():
    sure = Support(0.9, "strong", sure=True)
    found = [
        GoalResult("Who commanded?", "Jim Lovell commanded Apollo 13.", support=sure),
        GoalResult("Who paid?", REFUSED, declined=True),
    ]
    assert combined(found)[-1].support == Support(0.9, "weak", answered=(1, 2))
    assert combined(found[:1])[-1].support == sure
