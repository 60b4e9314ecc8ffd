"""Runs of real libraries with a scripted model: on record by one line, and their sentences lead to their words."""

import importlib
import time

import pytest

import explorer
from explorer.dag.retrieved import LEFT, UNUSED, USED

pytestmark = pytest.mark.frameworks

SEAL = "Ada Smith replaced the seal of the pump on 3 April."
LUNCH = "Lunch was served at noon on deck two."
SUN = "It was sunny in Bergen all day long."
QUESTION = "Who fixed the pump?"


def only(ws):
    [summary] = ws.traces.list()
    assert [str(one) for one in ws.verify()] == []
    return ws.traces.load(summary.iri)


def kinds(trace):
    return [type(step).__name__ for step in trace.steps]


def rests(trace):
    """Each sentence of the answer with the passage and words that it rests on."""
    found = []
    for one in trace.citations:
        words = [trace.dag.node(key).passages[0].text[start:end] for key, (start, end) in one.places.items()]
        found.append((trace.answer[one.start : one.end], words))
    return found


def test_a_chain_of_langchain(ws):
    documents = importlib.import_module("langchain_core.documents")
    messages = importlib.import_module("langchain_core.messages")
    fake = importlib.import_module("langchain_core.language_models.fake_chat_models")
    prompts = importlib.import_module("langchain_core.prompts")
    retrievers = importlib.import_module("langchain_core.retrievers")
    runnables = importlib.import_module("langchain_core.runnables")

    class Retriever(retrievers.BaseRetriever):
        def _get_relevant_documents(self, query, *, run_manager):
            return [documents.Document(page_content=SEAL, metadata={"source": "log.pdf", "page_label": "2"}),
                    documents.Document(page_content=LUNCH)]  # fmt: skip

    model = fake.GenericFakeChatModel(messages=iter([messages.AIMessage(f"{SEAL} {SUN}")]))
    context = Retriever() | (lambda found: "\n".join(one.page_content for one in found))
    chain = (
        {"context": context, "question": runnables.RunnablePassthrough()}
        | prompts.ChatPromptTemplate.from_template("Answer {question} from {context}")
        | model
    )
    chain.invoke(QUESTION, config={"callbacks": [explorer.langchain_handler(ws)]})
    trace = only(ws)
    assert (trace.question, trace.method, kinds(trace)) == (
        QUESTION, "LangChain", ["DocRagQuestion", "Exploration", "Synthesis"],
    )  # fmt: skip
    assert [(one.state, one.passage.page) for one in trace.retrieved] == [(USED, 2), ("given and not used", None)]
    assert rests(trace) == [(SEAL, [SEAL.rstrip(".")]), (SUN, [])] or rests(trace) == [(SEAL, [SEAL]), (SUN, [])]


def test_an_agent_of_langgraph(ws):
    graph = importlib.import_module("langgraph.graph")
    prebuilt = importlib.import_module("langgraph.prebuilt")
    messages = importlib.import_module("langchain_core.messages")
    tools = importlib.import_module("langchain_core.tools")

    @tools.tool
    def search(query: str) -> str:
        """Search the log."""
        return f"{SEAL}\n{LUNCH}"

    calls = iter([
        messages.AIMessage("", tool_calls=[{"name": "search", "args": {"query": "pump"}, "id": "1"}]),
        messages.AIMessage(SEAL),
    ])  # fmt: skip
    builder = graph.StateGraph(graph.MessagesState)
    builder.add_node("agent", lambda _: {"messages": [next(calls)]})
    builder.add_node("tools", prebuilt.ToolNode([search]))
    builder.add_edge(graph.START, "agent")
    builder.add_conditional_edges("agent", lambda state: "tools" if state["messages"][-1].tool_calls else graph.END)
    builder.add_edge("tools", "agent")
    handler = explorer.langchain_handler(ws, pipeline="LangGraph")
    builder.compile().invoke({"messages": [("user", QUESTION)]}, config={"callbacks": [handler]})
    trace = only(ws)
    assert (trace.question, kinds(trace)) == (QUESTION, ["AgentQuestion", "Analysis", "Observation", "Conclusion"])
    [(said, [words])] = rests(trace)
    assert said == SEAL
    assert words.strip(".") == SEAL.strip(".")


def test_what_goes_wrong_here_is_told_once_and_the_run_goes_on(ws):
    runnables = importlib.import_module("langchain_core.runnables")
    handler = explorer.langchain_handler(ws)
    ws.close()
    with pytest.warns(RuntimeWarning, match="could not record all of this run: This workspace is closed") as told:
        said = [runnables.RunnableLambda(str).invoke(QUESTION, config={"callbacks": [handler]}) for _ in range(3)]
    assert said == [QUESTION] * 3
    assert len(told) == 1


def test_a_query_engine_of_llamaindex(ws):
    core = importlib.import_module("llama_index.core")
    embeddings = importlib.import_module("llama_index.core.embeddings")
    llms = importlib.import_module("llama_index.core.llms")
    callbacks = importlib.import_module("llama_index.core.llms.callbacks")
    types = importlib.import_module("llama_index.core.postprocessor.types")

    class Scripted(llms.CustomLLM):
        @property
        def metadata(self):
            return llms.LLMMetadata(model_name="scripted")

        @callbacks.llm_completion_callback()
        def complete(self, prompt, **_):
            return llms.CompletionResponse(text=f"{SEAL} {SUN}")

        @callbacks.llm_completion_callback()
        def stream_complete(self, prompt, **_):
            raise NotImplementedError

    class First(types.BaseNodePostprocessor):
        def _postprocess_nodes(self, nodes, query_bundle=None):
            return [one for one in nodes if "seal" in one.text]

    explorer.observe_llamaindex(ws)
    given = [core.Document(text=SEAL, metadata={"file_name": "log.pdf", "page_label": "2"}), core.Document(text=LUNCH)]
    index = core.VectorStoreIndex.from_documents(given, embed_model=embeddings.MockEmbedding(embed_dim=8))
    engine = index.as_query_engine(similarity_top_k=2, llm=Scripted(), node_postprocessors=[First()])
    engine.query(QUESTION)
    trace = only(ws)
    assert (trace.question, trace.model, kinds(trace)) == (
        QUESTION, "scripted", ["DocRagQuestion", "Exploration", "Focus", "Synthesis"],
    )  # fmt: skip
    assert {one.passage.text: one.state for one in trace.retrieved} == {SEAL: USED, LUNCH: LEFT}
    assert trace.retrieved[0].passage.page in (2, None)
    assert [said for said, _ in rests(trace)] == [SEAL, SUN]


@pytest.fixture
def agents_run(ws):
    """agents_run(steps): a run of the OpenAI Agents SDK whose model gives these, or raises them."""
    agents = importlib.import_module("agents")
    interface = importlib.import_module("agents.models.interface")
    tracing = importlib.import_module("agents.tracing")
    items = importlib.import_module("agents.items")
    usage = importlib.import_module("agents.usage")

    class Scripted(interface.Model):
        def __init__(self, steps):
            self.steps = iter(steps)

        async def get_response(self, system_instructions, input, *_, **__):
            asked = input if isinstance(input, list) else [{"role": "user", "content": input}]
            with tracing.generation_span(model="scripted", input=asked) as span:
                out = next(self.steps)
                if isinstance(out, Exception):
                    raise out
                span.span_data.output = [one.model_dump() for one in out]
            return items.ModelResponse(output=out, usage=usage.Usage(), response_id=None)

        def stream_response(self, *_, **__):
            raise NotImplementedError

    @agents.function_tool
    def search(query: str) -> str:
        """Search the log."""
        return f"{SEAL} So says the log."

    def run(steps, **more):
        agents.Runner.run_sync(agents.Agent(name="mate", model=Scripted(steps), tools=[search]), QUESTION, **more)

    tracing.set_trace_processors([])  # else its own sends them away
    explorer.observe_openai_agents(ws)
    return run


def said_by_model(text):
    responses = importlib.import_module("openai.types.responses")
    content = [responses.ResponseOutputText(annotations=[], text=text, type="output_text")]
    return responses.ResponseOutputMessage(
        id="m", role="assistant", status="completed", type="message", content=content
    )


def call_of_search():
    responses = importlib.import_module("openai.types.responses")
    return responses.ResponseFunctionToolCall(
        arguments='{"query": "pump"}', call_id="1", name="search", type="function_call"
    )


def test_an_agent_of_the_openai_sdk(ws, agents_run):
    agents_run([[call_of_search()], [said_by_model(f"{SEAL} {SUN}")]])
    trace = only(ws)
    assert (trace.question, trace.model, kinds(trace)) == (
        QUESTION, "scripted", ["AgentQuestion", "Analysis", "Observation", "Conclusion"],
    )  # fmt: skip
    assert [said for said, _ in rests(trace)] == [SEAL, SUN]


FAILURES = {  # by what it is: what the model gives, and what the run then raises
    "the model fails at once": ([ValueError("no network")], ValueError),
    "the model fails after a tool": ([[said_by_model, call_of_search], ValueError("no network")], ValueError),
    "too many turns": ([[call_of_search]] * 3, Exception),
}


@pytest.mark.parametrize("kind", FAILURES)
def test_a_run_of_the_openai_sdk_that_failed_is_on_record_as_that(ws, agents_run, kind):
    steps, error = FAILURES[kind]
    made = [one if isinstance(one, Exception) else
            [make("I look.") if make is said_by_model else make() for make in one] for one in steps]  # fmt: skip
    with pytest.raises(error):
        agents_run(made, max_turns=2)
    trace = only(ws)
    assert (trace.question, trace.answer, trace.reason) == (QUESTION, "", "error")


def test_spans_of_opentelemetry(ws):
    trace = importlib.import_module("opentelemetry.trace")
    processor = explorer.observe(ws)
    tracer = trace.get_tracer("ours")

    def spanned(name, kind, **attributes):
        return tracer.start_as_current_span(name, attributes={"openinference.span.kind": kind, **attributes})

    with tracer.start_as_current_span("POST /chat"), spanned("agent", "CHAIN", **{"input.value": QUESTION}) as whole:
        with spanned("find", "RETRIEVER", **{"input.value": "pump"}) as found:
            for number, text in enumerate((SEAL, LUNCH)):
                found.set_attribute(f"retrieval.documents.{number}.document.content", text)
                found.set_attribute(f"retrieval.documents.{number}.document.id", str(number))
        with spanned("choose", "RERANKER") as chosen:
            chosen.set_attribute("reranker.output_documents.0.document.content", SEAL)
        with tracer.start_as_current_span("GET /unrelated"):
            pass
        with spanned("ask", "LLM") as asked:
            asked.set_attribute("llm.input_messages.0.message.content", f"Use this: {SEAL}")
            asked.set_attribute("llm.model_name", "scripted")
            asked.set_attribute("llm.output_messages.0.message.content", f"{SEAL} {SUN}")
        whole.set_attribute("output.value", f"{SEAL} {SUN}")
    processor.shutdown()
    with spanned("later", "CHAIN", **{"input.value": "Who else?"}):
        pass
    trace = only(ws)
    assert (trace.question, trace.model, kinds(trace)) == (
        QUESTION, "scripted", ["DocRagQuestion", "Exploration", "Focus", "Synthesis"],
    )  # fmt: skip
    assert [(one.passage.text, one.state) for one in trace.retrieved] == [(SEAL, USED), (LUNCH, LEFT)]
    assert [said for said, _ in rests(trace)] == [SEAL, SUN]


def test_spans_that_tell_what_they_are_at_their_end(ws):
    tracer = importlib.import_module("opentelemetry.trace").get_tracer("ours")
    told = {"openinference.span.kind": "RETRIEVER", "input.value": QUESTION}
    tool = {"openinference.span.kind": "TOOL", "tool.name": "look", "output.value": f"{LUNCH} So says the log."}
    with explorer.observe(ws), tracer.start_as_current_span("chain") as chain:
        with tracer.start_as_current_span("find") as found:
            found.set_attributes(told | {"retrieval.documents.0.document.content": SEAL})
        with tracer.start_as_current_span("look") as looked:
            looked.set_attributes(tool)
        chain.set_attributes({"openinference.span.kind": "CHAIN", "output.value": SEAL})
    trace = only(ws)
    assert (trace.question, trace.answer, trace.reason) == (QUESTION, SEAL, "done")
    assert [(one.passage.text, one.state) for one in trace.retrieved] == [
        (SEAL, USED), (f"{LUNCH} So says the log.", UNUSED),
    ]  # fmt: skip


def test_a_span_that_failed_without_a_description_is_an_error(ws):
    trace = importlib.import_module("opentelemetry.trace")
    with explorer.observe(ws):
        span = trace.get_tracer("ours").start_span("ask", attributes={"openinference.span.kind": "CHAIN",
                                                                      "input.value": QUESTION})  # fmt: skip
        span.set_status(trace.StatusCode.ERROR)
        span.end()
    assert (only(ws).reason, only(ws).dag.done.error) == ("error", "ask failed")


@pytest.mark.parametrize("behind", [-7, 7], ids="{} minutes".format)
def test_spans_of_two_machines_and_two_runs_that_come_by_turns(ws, behind):
    trace = importlib.import_module("opentelemetry.trace")
    tracer, now = trace.get_tracer("ours"), time.time_ns()

    def begun(name, kind, machine, above=None, **told):
        inside = trace.set_span_in_context(above) if above else Context()
        at = now + machine * behind * 60_000_000_000
        return tracer.start_span(name, inside, attributes={"openinference.span.kind": kind, **told}, start_time=at), at

    Context = importlib.import_module("opentelemetry.context").Context  # noqa: N806 - a class
    asked = {QUESTION: SEAL, "What was served?": LUNCH}
    with explorer.observe(ws):
        runs = [begun("ask", "CHAIN", 0, **{"input.value": one, "output.value": asked[one]}) for one in asked]
        found = [begun("find", "RETRIEVER", 1, run, **{"retrieval.documents.0.document.content": text})
                 for (run, _), text in zip(runs, asked.values(), strict=True)]  # fmt: skip
        for span, at in (*reversed(found), *runs):
            span.end(at + 1_000_000)
    told = [ws.traces.load(one.iri) for one in ws.traces.list()]
    answers = {(one.question, one.answer, *(found.passage.text for found in one.retrieved)) for one in told}
    assert answers == {(question, text, text) for question, text in asked.items()}
    assert all(0 <= one.duration_ms < 60_000 and one.reason == "done" for one in told)
    assert [str(one) for one in ws.verify()] == []
