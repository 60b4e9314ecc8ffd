"""What takes a second to load, and no process needs to load for itself: see `tests/forked.py`."""

import gc

import explorer
import explorer.engines.agent.engine
import explorer.engines.facts.graph_rag
import explorer.engines.passages.document_rag
import explorer.ingest.batch
from explorer.language import detection, pipeline
from explorer.models import embedding

explorer.open  # noqa: B018 - imported by being named
detection._identifier()
pipeline.load()
embedding._wordllama()
gc.freeze()
