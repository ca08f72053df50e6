"""Commands with many options; `cli` lists all commands.

`tune` searches the least ε, `formulas` answers without training, `sweep_options` reads a sweep's settings.
"""
