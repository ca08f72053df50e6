"""The page of papers: `card` shows a system, `claim_view` one of its claims, `again` measures it again.

`known` reads the stored figures.
"""
