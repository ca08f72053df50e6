"""What is kept of each job: its runs' events and states, drafts, and what may be deleted.

Of one job: `store` its runs' events and last states, also where it is cancelled, and `cells` those of a
sweep. Of the whole server: `run_cache` knows which job has a run, finished or under way, so that nothing is
trained twice, and `reuse` shows it in another record by `reference`; `results` has the final figures of every
experiment, by its fields. `weights` says what records take and `quota` keeps the house clean; `drafts` are
what people edit and share; `preparing` and `round_share` tell watchers what no event tells.
"""
