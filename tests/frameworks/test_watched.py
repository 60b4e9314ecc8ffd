"""Runs of real libraries in a real JupyterLab, with a scripted model: they grow, and a sentence leads to its words.

Its name is the last here: the browser keeps an event loop, beside which other tests could not begin theirs.
"""

from pathlib import Path

import pytest

from tests.browser.app import STORE, click_label, marked, until_ended
from tests.browser.conftest import EXECUTE, poll

pytestmark = [pytest.mark.frameworks, pytest.mark.notebook]

FRAMEWORKS = str(Path(__file__).parents[2] / ".frameworks")
SEAL = "Ada Smith replaced the seal of the pump on 3 April."
CELLS = (
    f"""\
import sys, threading
sys.path.append({FRAMEWORKS!r})
import explorer
ws = explorer.open()
SEAL, QUESTION, go = {SEAL!r}, "Who fixed the pump?", threading.Event()
app = explorer.app(ws, pace=0.01)
app""",
)
LANGGRAPH = """
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode

@tool
def search(query: str) -> str:
    "Search the log."
    return SEAL + " Lunch was served at noon."

def agent(state):
    if len(state["messages"]) == 1:
        return {"messages": [AIMessage("", tool_calls=[{"name": "search", "args": {"query": "pump"}, "id": "1"}])]}
    go.wait(60)
    return {"messages": [AIMessage(SEAL)]}

builder = StateGraph(MessagesState)
builder.add_node("agent", agent)
builder.add_node("tools", ToolNode([search]))
builder.add_edge(START, "agent")
builder.add_conditional_edges("agent", lambda state: "tools" if state["messages"][-1].tool_calls else END)
builder.add_edge("tools", "agent")
graph, asked = builder.compile(), {"messages": [("user", QUESTION)]}
handler = explorer.langchain_handler(ws, watch=app.watch)
threading.Thread(target=lambda: graph.invoke(asked, config={"callbacks": [handler]})).start()
"""
LLAMAINDEX = """
from llama_index.core import Document, VectorStoreIndex
from llama_index.core.embeddings import MockEmbedding
from llama_index.core.llms import CompletionResponse, CustomLLM, LLMMetadata
from llama_index.core.llms.callbacks import llm_completion_callback

class Scripted(CustomLLM):
    @property
    def metadata(self):
        return LLMMetadata(model_name="scripted")

    @llm_completion_callback()
    def complete(self, prompt, **_):
        go.wait(60)
        return CompletionResponse(text=SEAL)

    @llm_completion_callback()
    def stream_complete(self, prompt, **_):
        raise NotImplementedError

explorer.observe_llamaindex(ws, watch=app.watch)
given = [Document(text=SEAL), Document(text="Lunch was served at noon on deck two.")]
index = VectorStoreIndex.from_documents(given, embed_model=MockEmbedding(embed_dim=8))
engine = index.as_query_engine(similarity_top_k=2, llm=Scripted())
threading.Thread(target=lambda: engine.query(QUESTION)).start()
"""
AGENTS = """
import asyncio
from agents import Agent, Runner, function_tool
from agents.items import ModelResponse
from agents.models.interface import Model
from agents.tracing import generation_span, set_trace_processors
from agents.usage import Usage
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

text = ResponseOutputText(annotations=[], text=SEAL, type="output_text")
said = ResponseOutputMessage(id="m", role="assistant", status="completed", type="message", content=[text])
call = ResponseFunctionToolCall(arguments='{"query": "pump"}', call_id="1", name="search", type="function_call")

class Scripted(Model):
    asked = 0

    async def get_response(self, system_instructions, input, *_, **__):
        self.asked += 1
        if self.asked == 2:
            await asyncio.to_thread(go.wait, 60)
        out = [call] if self.asked == 1 else [said]
        given = input if isinstance(input, list) else [{"role": "user", "content": input}]
        with generation_span(model="scripted", input=given) as span:
            span.span_data.output = [one.model_dump() for one in out]
        return ModelResponse(output=out, usage=Usage(), response_id=None)

    def stream_response(self, *_, **__):
        raise NotImplementedError

@function_tool
def search(query: str) -> str:
    "Search the log."
    return SEAL + " So says the log."

set_trace_processors([])  # else its own sends them away
explorer.observe_openai_agents(ws, watch=app.watch)
mate = Agent(name="mate", model=Scripted(), tools=[search])
threading.Thread(target=lambda: asyncio.run(Runner.run(mate, QUESTION))).start()
"""


@pytest.mark.parametrize(
    ("pipeline", "grown"),
    [(LANGGRAPH, "Observation"), (LLAMAINDEX, "Exploration"), (AGENTS, "Observation")],
    ids=["LangGraph", "LlamaIndex", "OpenAI Agents"],
)
def test_a_run_grows_and_leads_from_a_sentence_to_its_words(app, pipeline, grown):
    assert app.evaluate(EXECUTE, f"go.clear()\n{pipeline}") is None
    has_grown = f"() => [...{STORE}.nodes.values()].some(({{ kind }}) => kind === {grown!r}) && {STORE}.state"
    poll(app, has_grown, "running")
    assert app.evaluate(EXECUTE, "go.set()") is None
    until_ended(app)
    click_label(app, "✓ “Ada Smith")
    assert "replaced the seal of the pump on 3 April" in marked(app)
