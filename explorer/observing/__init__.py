"""Runs of other pipelines, recorded as ours are: what they retrieved, kept, asked and answered, and nothing guessed.

`recorder` is what everything ends in. `retrieved` reads passages in whatever form a pipeline has them, `placing` finds
their words in the documents here, `citing` aligns the answer with them, `masking` takes secrets out of what is written.
`spans` reads what other tools have traced, `conventions` knows what that means, `replaying` tells it to the recorder.
"""
