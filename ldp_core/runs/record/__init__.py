"""What outlives a job's process: computations, drafts, guesses, and what may be deleted.

`computations` knows what has been computed, by keys of its content; `recorder` writes one, `events` reads it,
and `cells` is for sweeps. `quota` and `removal` keep the house clean. `drafts` are what people edit, and
`progress` says how far a job is. What cannot be read or noted raises StorageFailed.
"""
