"""Runs on record: recording, listing, replay, comparison, corrections, seals, import and export.

`recording` stores each step before it is passed on; `replay` and `trace` read it again; `listing` lists runs. What
people do: `curation`, `entity_merging`, `forgetting`, `run_deletion`, `verdicts`. `sealing` and `ledger` seal,
`verification` checks. `exporting` and `bundles` give a record to others, `importing` and `storing_imports` take one in.
`recovery` ends what a process that is gone has begun. `rerun` and `influence` ask again without something.
"""
