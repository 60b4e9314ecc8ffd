"""Reasoners: they score, select and answer for an engine, with a model or without.

`protocol` and `agent_protocol` have what passes between them and an engine. `extractive` quotes: `fit` and `choosing`
find sentences, `sentence_ranking` weighs their features by fitted weights, `support` says how sure it is. `prompted`
asks a model, `replies` reads what it says. `close_facts` keeps facts that fit a question; `corrected_facts` says what
people took back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import TypeAlias

    from explorer.reasoning.extractive.reasoner import ExtractiveReasoner
    from explorer.reasoning.prompted.reasoner import PromptedReasoner

    Reasoner: TypeAlias = ExtractiveReasoner | PromptedReasoner
