"""What some commands take and do; `cli` names them all.

`tune` is the inverse question, `formulas` what follows without training, `sweep_options` which settings a
sweep trains.
"""
