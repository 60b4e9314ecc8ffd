"""Reasoners: they score, select and answer for an engine, with a model or without.

`protocol` says what an engine asks of one. `extractive` quotes: `scoring` and `choosing` find sentences, `ranking`
weighs their features by fitted weights, `support` says how sure it is. `prompted` asks a model, `replies` reads what it
says. `close` keeps facts that fit a question; `corrected` says what people took back.
"""
