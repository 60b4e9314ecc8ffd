"""One pipeline that others trace, in a process of its own: `python traced.py NAME FOLDER`, which gets what they export.

Its run is also watched, in a workspace `watched` of the folder. The model is scripted.
"""

import gzip
import os
import sys
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

QUESTION = "Who fixed the pump?"
SEAL = "Ada Smith replaced the seal of the pump on 3 April."
LUNCH = "Lunch was served at noon – “très tard” – on deck two."
SIGNED = "It ran for two hours. 🛠 The captain, Jo Berg, then signed the repair off. He went to bed."
SPARE = "A spare gasket is kept in locker nine below the bridge."
TEXTS = (SEAL, LUNCH, SIGNED, SPARE)
SAID = (SEAL, "The captain, Jo Berg, then signed the repair off.", "It was sunny in Bergen all day long.")
ANSWER = " ".join(SAID)
LOG = "\n\n".join(("# The log of 3 April", *TEXTS)) + "\n"
FOUND = [(text, {"source": f"log-{number}.pdf", "page": number}) for number, text in enumerate(TEXTS, 1)]
GIVEN = "\n\n".join(TEXTS[:3])
TOKENS = {"input_tokens": 70, "output_tokens": 30, "total_tokens": 100}
MESSAGES = [{"role": "user", "content": f"Answer {QUESTION} from\n{GIVEN}"}]


def scripted(*replies):
    """A chat model of LangChain that says these, one after the other."""
    from langchain_core.language_models.fake_chat_models import GenericFakeChatModel

    class Scripted(GenericFakeChatModel):
        model_name: str = "scripted"

        @property
        def _identifying_params(self):
            return {"model_name": self.model_name}

    return Scripted(messages=iter(replies))


def langchain(**config):
    """Ask a chain of LangChain."""
    from langchain_core.documents import Document
    from langchain_core.messages import AIMessage
    from langchain_core.output_parsers import StrOutputParser
    from langchain_core.prompts import ChatPromptTemplate
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.runnables import RunnablePassthrough

    class Found(BaseRetriever):
        def _get_relevant_documents(self, query, *, run_manager):
            return [Document(page_content=text, metadata=at) for text, at in FOUND]

    context = Found() | (lambda found: "\n\n".join(one.page_content for one in found[:3]))
    chain = (
        {"context": context, "question": RunnablePassthrough()}
        | ChatPromptTemplate.from_template("Answer {question} from\n{context}")
        | scripted(AIMessage(ANSWER, usage_metadata=TOKENS, response_metadata={"model_name": "scripted"}))
        | StrOutputParser()
    )
    assert chain.invoke(QUESTION, config=config) == ANSWER


def langgraph(**config):
    """Ask an agent of LangGraph, whose tool tells its documents beside its text."""
    from langchain_core.documents import Document
    from langchain_core.messages import AIMessage
    from langchain_core.tools import tool
    from langgraph.graph import END, START, MessagesState, StateGraph
    from langgraph.prebuilt import ToolNode

    @tool(response_format="content_and_artifact")
    def search(query: str):
        """Search the log."""
        return GIVEN, [Document(page_content=text, metadata=at) for text, at in FOUND]

    call = {"name": "search", "args": {"query": "pump"}, "id": "1"}
    model = scripted(AIMessage("", tool_calls=[call], usage_metadata=TOKENS), AIMessage(ANSWER, usage_metadata=TOKENS))
    builder = StateGraph(MessagesState)
    builder.add_node("agent", lambda state: {"messages": [model.invoke(state["messages"])]})
    builder.add_node("tools", ToolNode([search]))
    builder.add_edge(START, "agent")
    builder.add_conditional_edges("agent", lambda state: "tools" if state["messages"][-1].tool_calls else END)
    builder.add_edge("tools", "agent")
    told = builder.compile().invoke({"messages": [("user", QUESTION)]}, config=config)
    assert told["messages"][-1].content == ANSWER


def llamaindex():
    """Ask a query engine of LlamaIndex."""
    from llama_index.core import get_response_synthesizer
    from llama_index.core.base.base_retriever import BaseRetriever
    from llama_index.core.llms import CompletionResponse, CustomLLM, LLMMetadata
    from llama_index.core.llms.callbacks import llm_completion_callback
    from llama_index.core.postprocessor.types import BaseNodePostprocessor
    from llama_index.core.query_engine import RetrieverQueryEngine
    from llama_index.core.schema import NodeWithScore, TextNode

    class Scripted(CustomLLM):
        @property
        def metadata(self):
            return LLMMetadata(model_name="scripted")

        @llm_completion_callback()
        def complete(self, prompt, **_):
            return CompletionResponse(text=ANSWER, raw={"usage": {"prompt_tokens": 70, "completion_tokens": 30}})

        @llm_completion_callback()
        def stream_complete(self, prompt, **_):
            raise NotImplementedError

    class Found(BaseRetriever):
        def _retrieve(self, query):
            return [NodeWithScore(node=TextNode(text=text, metadata=at), score=1 / at["page"]) for text, at in FOUND]

    class First(BaseNodePostprocessor):
        def _postprocess_nodes(self, nodes, query_bundle=None):
            return nodes[:3]

    engine = RetrieverQueryEngine(Found(), get_response_synthesizer(llm=Scripted()), node_postprocessors=[First()])
    assert str(engine.query(QUESTION)) == ANSWER


@contextmanager
def openinference(instrumentor, folder, address):
    """Send what an instrumentor tells, and print it."""
    from opentelemetry import trace
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import ConsoleSpanExporter, SimpleSpanProcessor

    trace.set_tracer_provider(provider := TracerProvider())
    instrumentor.instrument()
    with (folder / "printed.json").open("w", encoding="utf-8") as out:
        for one in (OTLPSpanExporter(f"{address}/v1/traces"), ConsoleSpanExporter(out=out)):
            provider.add_span_processor(SimpleSpanProcessor(one))
        yield
        provider.shutdown()


def openinference_langchain(*to):
    from openinference.instrumentation.langchain import LangChainInstrumentor

    return openinference(LangChainInstrumentor(), *to)


def openinference_llamaindex(*to):
    from openinference.instrumentation.llama_index import LlamaIndexInstrumentor

    return openinference(LlamaIndexInstrumentor(), *to)


@contextmanager
def langfuse(_, address):
    """Send spans as to Langfuse."""
    from langfuse import Langfuse

    client = Langfuse(public_key="pk-lf-1", secret_key="sk-lf-1", base_url=address)
    yield client
    client.shutdown()


def with_callbacks(ask):
    from langfuse.langchain import CallbackHandler

    ask(callbacks=[CallbackHandler()])


def decorated(client):
    """Ask functions that Langfuse observes."""
    from langfuse import observe

    @observe(as_type="retriever")
    def find(query):
        return [{"text": text, **at} for text, at in FOUND]

    @observe(as_type="generation")
    def ask(messages):
        client.update_current_generation(
            model="scripted", usage_details={"input": 70, "output": 30}, cost_details={"total": 0.25}
        )
        return {"role": "assistant", "content": ANSWER}

    @observe()
    def rag(question):
        find(question)
        return ask(MESSAGES)["content"]

    assert rag(QUESTION) == ANSWER


@contextmanager
def mlflow(folder, address):
    """Store a trace in a folder, and send it too."""
    os.environ |= {
        "DO_NOT_TRACK": "true", "MLFLOW_ALLOW_FILE_STORE": "true", "MLFLOW_ENABLE_ASYNC_TRACE_LOGGING": "false",
        "MLFLOW_USE_DEFAULT_TRACER_PROVIDER": "false",
        "MLFLOW_TRACE_ENABLE_OTLP_DUAL_EXPORT": "true", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": f"{address}/v1/traces",
        "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "http/protobuf",
    }  # fmt: skip
    import mlflow
    from mlflow.entities.trace_location import MlflowExperimentLocation
    from opentelemetry import trace

    mlflow.set_tracking_uri((folder / "mlruns").as_uri())
    mlflow.tracing.set_destination(MlflowExperimentLocation("0"))
    yield mlflow
    trace.get_tracer_provider().force_flush()
    made = mlflow.get_trace(mlflow.get_last_active_trace_id())
    (folder / "to_json.json").write_text(made.to_json(), encoding="utf-8")


def traced(mlflow):
    """Ask functions that MLflow traces."""
    from mlflow.entities import Document

    @mlflow.trace(span_type="RETRIEVER")
    def find(query):
        return [Document(page_content=text, metadata=at) for text, at in FOUND]

    @mlflow.trace(span_type="CHAT_MODEL")
    def ask(messages):
        told = {"chat.tokenUsage": TOKENS, "llm.model": "scripted", "llm.cost": {"total_cost": 0.25}}
        mlflow.get_current_active_span().set_attributes({f"mlflow.{key}": value for key, value in told.items()})
        return {"choices": [{"message": {"role": "assistant", "content": ANSWER}}]}

    @mlflow.trace
    def rag(question):
        find(question)
        return ask(MESSAGES)["choices"][0]["message"]["content"]

    assert rag(QUESTION) == ANSWER


def autologged(library, ask):
    library.autolog()
    ask()


TRACED = {  # by name: what traces, and what it then asks
    "openinference-langchain": (openinference_langchain, lambda _: langchain()),
    "openinference-langgraph": (openinference_langchain, lambda _: langgraph()),
    "openinference-llamaindex": (openinference_llamaindex, lambda _: llamaindex()),
    "langfuse-langchain": (langfuse, lambda _: with_callbacks(langchain)),
    "langfuse-langgraph": (langfuse, lambda _: with_callbacks(langgraph)),
    "langfuse-observe": (langfuse, decorated),
    "mlflow-trace": (mlflow, traced),
    "mlflow-langchain": (mlflow, lambda flow: autologged(flow.langchain, langchain)),
    "mlflow-langgraph": (mlflow, lambda flow: autologged(flow.langchain, langgraph)),
    "mlflow-llamaindex": (mlflow, lambda flow: autologged(flow.llama_index, llamaindex)),
}


class Receiver(BaseHTTPRequestHandler):
    """Takes OTLP; requests one after the other are one message."""

    sent = b""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path.endswith("/traces"):
            Receiver.sent += gzip.decompress(body) if self.headers["Content-Encoding"] == "gzip" else body
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_):
        """Print nothing."""


def main(name, folder):
    import explorer

    tracing, ask = TRACED[name]
    (folder / "log.md").write_text(LOG, encoding="utf-8")
    with ThreadingHTTPServer(("127.0.0.1", 0), Receiver) as server, explorer.open(folder / "watched") as ws:
        ws.ingest(folder / "log.md", progress=False)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with tracing(folder, f"http://127.0.0.1:{server.server_port}") as tracer, explorer.observe(ws):
            ask(tracer)
        server.shutdown()
    (folder / "sent.pb").write_bytes(Receiver.sent)


if __name__ == "__main__":
    sys.path.append(str(Path(__file__).parents[2] / ".frameworks"))
    main(sys.argv[1], Path(sys.argv[2]))
