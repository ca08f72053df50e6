"""Parts of the page Tune.

`axes` lists sweepable fields, `builder` chooses two, `found` collects a sweep's cells, `heat` and `curves`
draw them, `view` is the sweep's view; `ask` and `answer` are the search for the least ε; `formulas` and
`limits` need no training.
"""
