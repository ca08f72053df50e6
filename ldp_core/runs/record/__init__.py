"""Stored data: computations, drafts, guesses, and what may be deleted.

`computations` is the table of all computations by content key; `recorder` writes their events, `events` reads
them, `cells` stores sweeps. `deletion` deletes records and undoes it, `quota` makes room. `drafts` are edited
experiments, `progress` how far a job is. Unreadable or unwritable data raise StorageFailed.
"""
