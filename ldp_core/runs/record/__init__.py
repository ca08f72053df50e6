"""What is kept of each job: its runs' events and states, drafts, and what may be deleted.

`store` writes and reads one job's record; `run_cache` and `reuse` see that nothing is trained twice; `quota`
keeps the house clean; `drafts` are what people edit and share; `preparing` and `round_share` tell watchers
what no event tells.
"""
