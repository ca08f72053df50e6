"""Tune's own parts: what may be swept over or asked, and what has come of it.

`axes` names the fields, `builder` asks for two of them, `found` is what a sweep's cells say so far, `heat`
and `curves` draw that, `view` puts it on the page; `ask` and `answer` are the inverse question's; `formulas`
and `limits` are what needs no training.
"""
