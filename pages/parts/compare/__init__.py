"""Parts of the page Compare: chosen runs (`choice`), their records (`arms`), differing settings (`unlike`),
the conclusion (`verdict`), charts and tables (`side_by_side`).
"""
