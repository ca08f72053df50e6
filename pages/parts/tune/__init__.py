"""Tune's own parts: what may be swept over, the builder, and what a sweep has come to.

`axes` names the fields, `builder` asks for two of them, `found` is what the cells say so far, `heat` and
`curves` draw that, and `view` puts it on the page.
"""
