"""Commands with many options; `cli` lists all commands.

`tune` searches the least ε or answers by formula, `records` keeps and opens jobs, `judge` tests parts,
samples and uploads, `sweep_options` reads a sweep's settings.
"""
