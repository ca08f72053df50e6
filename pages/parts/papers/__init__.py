"""The page of papers: `five` puts all systems on one chart, `card` shows a system, `claim_view` one of its
claims, `again` measures it again.

`known` reads the stored figures; `words` says verdicts, each in a colour of its own.
"""
