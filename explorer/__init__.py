"""Ask your documents, watch the derivation of the answer grow, and walk it down to the highlighted words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from explorer.errors import DocumentError, ExplorerError, ModelError, QuestionError, RecordError, WorkspaceError
from explorer.version import __version__ as __version__

if TYPE_CHECKING:
    from explorer.engines.agent.functions import Report, tool
    from explorer.engines.agent.mcp_tools import mcp_tools
    from explorer.reasoning.agent_protocol import TaskType
    from explorer.record.verification.verify import verify_file
    from explorer.record.workspace_copy import copy
    from explorer.sample import demo
    from explorer.widgets.app import app
    from explorer.workspace import Workspace, open
    from explorer.workspace.observing import langchain_handler, observe, observe_llamaindex, observe_openai_agents
    from explorer.workspace.trustgraph import connect_trustgraph

__all__ = [
    "DocumentError",
    "ExplorerError",
    "ModelError",
    "QuestionError",
    "RecordError",
    "Report",
    "TaskType",
    "Workspace",
    "WorkspaceError",
    "app",
    "connect_trustgraph",
    "copy",
    "demo",
    "langchain_handler",
    "mcp_tools",
    "observe",
    "observe_llamaindex",
    "observe_openai_agents",
    "open",
    "tool",
    "verify_file",
]

_LAZY = {
    "Report": "explorer.engines.agent.functions",
    "TaskType": "explorer.reasoning.agent_protocol",
    "Workspace": "explorer.workspace",
    "app": "explorer.widgets",
    "connect_trustgraph": "explorer.workspace.trustgraph",
    "copy": "explorer.record.workspace_copy",
    "demo": "explorer.sample",
    **dict.fromkeys(
        ("langchain_handler", "observe", "observe_llamaindex", "observe_openai_agents"), "explorer.workspace.observing"
    ),
    "mcp_tools": "explorer.engines.agent.mcp_tools",
    "open": "explorer.workspace",
    "tool": "explorer.engines.agent.functions",
    "verify_file": "explorer.record.verification.verify",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - any public name
    """Import a public name when it is first used, so that `import explorer` stays fast."""
    if name not in _LAZY:
        message = f"module 'explorer' has no attribute {name!r}"
        raise AttributeError(message)
    from importlib import import_module

    value = getattr(import_module(_LAZY[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Return the public names, which is what Tab offers."""
    return [*__all__, "__version__"]
