"""What is kept of each job: its runs' events and states, drafts, and what may be deleted.

`store` writes and reads one job's record, to the last state also where a job is cancelled; `run_cache`
finds a run that is finished or under way, so that nothing is trained twice, and `reuse` shows it by
`reference`; `weights` says what records take and `quota` keeps the house clean; `drafts` are what people edit
and share; `preparing` and `round_share` tell watchers what no event tells.
"""
