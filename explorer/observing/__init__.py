"""Runs of other pipelines, recorded as ours are: what they retrieved, kept, asked and answered, and nothing guessed.

`recorder` is what everything ends in. `retrieved` reads passages in whatever form a pipeline has them, `passage_places`
finds their words in the documents here, `citing` aligns the answer with them, `masking` takes secrets out of what is
written. `run_parts` are what a run has, and `part_walk` tells them to the recorder: as `observer` hears of them from a
library, or as `span_runs` reads them from a file. `spans` and `otlp_protobuf` read what other tools have traced,
`conventions` and `texts` know what that means.
"""
