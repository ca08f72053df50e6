"""Commands with many options; `cli` lists all commands.

`tune` searches the least ε, `formulas` answers without training, `judge` tests parts, samples and uploads,
`sweep_options` reads a sweep's settings.
"""
